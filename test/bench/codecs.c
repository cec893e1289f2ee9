/*
** codecs.c - what the library of a codec takes for a page, to measure against.
**
**   read_and_unpack(path, offset, bytes, unpacked bytes, codec)
**
** reads the bytes of a page and unpacks them, and nothing else, with the library that
** the extension uses too.  No reader that uses it takes less.  It gives the unpacked
** bytes, and NULL for a page that cannot be read or unpacked.
*/
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

#include <fcntl.h>
#include <snappy-c.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* The file of the last page stays open, and room for pages is used again. */
typedef struct Reader {
    char      *path;
    int        file;
    char      *packed, *unpacked;
    size_t     packed_room, unpacked_room;
    ZSTD_DCtx *zstd;
} Reader;

static bool open_file(Reader *r, const char *path)
{
    if (r->path && strcmp(r->path, path) == 0) {
        return true;
    }
    if (r->path) {
        close(r->file);
        free(r->path);
    }
    r->file = open(path, O_RDONLY);
    r->path = r->file >= 0 ? strdup(path) : NULL;
    return r->path != NULL;
}

static bool need(char **p, size_t *room, size_t n)
{
    if (n > *room) {
        free(*p);
        *p = malloc(n);
        *room = *p ? n : 0;
    }
    return *p != NULL;
}

static bool unpack(Reader *r, const char *codec, size_t n, size_t n_unpacked)
{
    size_t came = n_unpacked;

    if (strcmp(codec, "SNAPPY") == 0) {
        return snappy_uncompress(r->packed, n, r->unpacked, &came) == SNAPPY_OK;
    }
    if (strcmp(codec, "ZSTD") == 0) {
        came = ZSTD_decompressDCtx(r->zstd, r->unpacked, n_unpacked, r->packed,
                                   n);
        return came == n_unpacked;
    }
    return strcmp(codec, "UNCOMPRESSED") == 0;
}

static void read_and_unpack(sqlite3_context *c, int n_args, sqlite3_value **args)
{
    Reader *r = sqlite3_user_data(c);
    const char *path = (const char *)sqlite3_value_text(args[0]);
    const char *codec = (const char *)sqlite3_value_text(args[4]);
    sqlite3_int64 offset = sqlite3_value_int64(args[1]);
    size_t n = (size_t)sqlite3_value_int64(args[2]);
    size_t n_unpacked = (size_t)sqlite3_value_int64(args[3]);

    if (path && codec && open_file(r, path) &&
        need(&r->packed, &r->packed_room, n + 1) &&
        need(&r->unpacked, &r->unpacked_room, n_unpacked + 1) &&
        pread(r->file, r->packed, n, offset) == (ssize_t)n &&
        unpack(r, codec, n, n_unpacked)) {
        sqlite3_result_int64(c, (sqlite3_int64)n_unpacked);
    }
}

static void free_reader(void *p)
{
    Reader *r = p;

    if (r->path) {
        close(r->file);
    }
    free(r->path);
    free(r->packed);
    free(r->unpacked);
    ZSTD_freeDCtx(r->zstd);
    free(r);
}

int codecs_register(sqlite3 *db);

int codecs_register(sqlite3 *db)
{
    Reader *r = calloc(1, sizeof *r);

    if (!r) {
        return SQLITE_NOMEM;
    }
    r->zstd = ZSTD_createDCtx();
    return sqlite3_create_function_v2(db, "read_and_unpack", 5, SQLITE_UTF8, r,
                                      read_and_unpack, NULL, NULL, free_reader);
}
