/*
** other_format_test.c - names the format of a file that is not a Parquet file.
*/
#include "core/meta/other_format.h"
#include "test/unit/test.h"

static const char *format_of(PqSlice s)
{
    const char *to_do = NULL, *what = pq_other_format(s, &to_do);

    return what && to_do ? what : "";
}

#define LOOKS(bytes) format_of(pq_slice(bytes, sizeof bytes - 1))

TEST(other_format, is_known_by_its_first_bytes)
{
    CHECK_TEXT(LOOKS("SQLite format 3\0\x10\0"), "an SQLite database");
    CHECK_TEXT(LOOKS("\x1f\x8b\x08\0"), "a gzip file");
    CHECK_TEXT(LOOKS("\x28\xb5\x2f\xfd\0"), "a zstd file");
    CHECK_TEXT(LOOKS("PK\x03\x04\0"), "a zip archive");
    CHECK_TEXT(LOOKS("ARROW1\0\0"), "an Arrow or Feather file");
    CHECK_TEXT(LOOKS("\xff\xff\xff\xff\x10\0\0\0"), "an Arrow stream");
    CHECK_TEXT(LOOKS("ORC\x01"), "an ORC file");
    CHECK_TEXT(LOOKS("Obj\x01\x02"), "an Avro file");
    CHECK_TEXT(LOOKS("version https://git-lfs.github.com/spec/v1\n"),
               "a Git LFS pointer");
    CHECK_TEXT(LOOKS("<!DOCTYPE html>"), "an HTML page");
}

TEST(other_format, of_texts_is_told_by_their_first_line)
{
    CHECK_TEXT(LOOKS("id,name\n1,a\n"), "CSV text");
    CHECK_TEXT(LOOKS("\xef\xbb\xbfid;name\r\n1;a\r\n"), "CSV text");
    CHECK_TEXT(LOOKS("id\tname\n"), "CSV text");
    CHECK_TEXT(LOOKS(" \n[{\"a\":1}]"), "JSON text");
    CHECK_TEXT(LOOKS("{\"a\":1}\n{\"a\":2}\n"), "JSON text");
    CHECK_TEXT(LOOKS("one\ntwo, three\n"), "text");
}

TEST(other_format, of_other_bytes_is_not_known)
{
    CHECK_TEXT(LOOKS(""), "");
    CHECK_TEXT(LOOKS("\0\0\0\0"), "");
    CHECK_TEXT(LOOKS("id,name\n\0"), "");
    CHECK_TEXT(LOOKS("\x89PNG\r\n\x1a\n\0"), "");
}
