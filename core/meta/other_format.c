/*
** other_format.c - recognizes other formats by the first bytes of a file.
**
** Most have a magic number.  The rest is text if all bytes are: JSON begins
** with a brace or bracket, and the first line of CSV has a separator in it.
*/
#include "core/meta/other_format.h"

#include "core/base/path_hint.h"

#include <string.h>

#define CONVERT "convert it to Parquet, with DuckDB or pyarrow"
#define NO_DOWNLOAD "a download may have failed"
#define PAGE "an HTML page", NO_DOWNLOAD ", or it is a folder: " PQ_NAME_FILES

typedef struct Magic {
    const char *bytes;
    size_t      n;
    const char *what, *to_do;
} Magic;

#define BYTES(s) s, sizeof s - 1

static const Magic magics[] = {
    {BYTES("SQLite format 3"), "an SQLite database", "ATTACH opens it"},
    {BYTES("\x1f\x8b"), "a gzip file", "gunzip it first"},
    {BYTES("\x28\xb5\x2f\xfd"), "a zstd file", "unzstd it first"},
    {BYTES("BZh"), "a bzip2 file", "bunzip2 it first"},
    {BYTES("\xfd" "7zXZ"), "an xz file", "unxz it first"},
    {BYTES("\x04\x22\x4d\x18"), "an lz4 file", "unlz4 it first"},
    {BYTES("PK\x03\x04"), "a zip archive", "unzip it first"},
    {BYTES("ARROW1"), "an Arrow or Feather file", CONVERT},
    {BYTES("FEA1"), "a Feather file", CONVERT},
    {BYTES("\xff\xff\xff\xff"), "an Arrow stream", CONVERT},
    {BYTES("ORC"), "an ORC file", CONVERT},
    {BYTES("Obj\x01"), "an Avro file", CONVERT},
    {BYTES("\x89HDF"), "an HDF5 file", CONVERT},
    {BYTES("version https://git-lfs"), "a Git LFS pointer",
     "git lfs pull fetches the file itself"},
    {BYTES("<!DOCTYPE"), PAGE},
    {BYTES("<!doctype"), PAGE},
    {BYTES("<html"), PAGE},
    {BYTES("<?xml"), "an XML document", NO_DOWNLOAD},
};

/* Tabs, line ends and printable characters, whatever their language. */
static bool is_text(PqSlice s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((s.p[i] < 0x20 && !strchr("\t\n\v\f\r", s.p[i])) ||
            s.p[i] == 0x7f || s.p[i] == 0) {
            return false;
        }
    }
    return s.n > 0;
}

static const char *text_format(PqSlice s, const char **to_do)
{
    size_t line = 0;

    if (s.n >= 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0) {
        pq_slice_cut(&s, 3);
    }
    while (s.n && strchr(" \t\r\n", s.p[0])) {
        pq_slice_cut(&s, 1);
    }
    if (s.n && (s.p[0] == '{' || s.p[0] == '[')) {
        *to_do = "in the sqlite3 shell, json_each(readfile('FILE')) gives rows "
                 "that parquet_copy_to writes";
        return "JSON text";
    }
    while (line < s.n && s.p[line] != '\n') {
        line++;
    }
    if (memchr(s.p, ',', line) || memchr(s.p, ';', line) ||
        memchr(s.p, '\t', line)) {
        *to_do = "in the sqlite3 shell, .import --csv FILE t makes a table of "
                 "it that parquet_copy_to writes";
        return "CSV text";
    }
    *to_do = "a path may name the wrong file";
    return "text";
}

const char *pq_other_format(PqSlice first, const char **what_to_do)
{
    for (size_t i = 0; i < PQ_COUNT(magics); i++) {
        if (first.n >= magics[i].n &&
            memcmp(first.p, magics[i].bytes, magics[i].n) == 0) {
            *what_to_do = magics[i].to_do;
            return magics[i].what;
        }
    }
    return is_text(first) ? text_format(first, what_to_do) : NULL;
}
