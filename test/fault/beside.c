/*
** beside.c - what lies beside a scenario: the folder of its server, a pipe, the bytes
** of a file.
*/
#define _GNU_SOURCE
#include "test/fault/fault.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 1 << 16, PATH_ROOM = 600 };     /* what a pipe takes at once */

static size_t read_file(const char *path, uint8_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, bytes, MOST);

    if (n <= 0) {
        perror(path);
        exit(2);
    }
    close(fd);
    return (size_t)n;
}

void beside_fill_pipe(void)
{
    static uint8_t bytes[MOST];
    char path[PATH_ROOM];
    int ends[2];
    size_t n;

    snprintf(path, sizeof path, "%s/trips.parquet", folder_samples);
    n = read_file(path, bytes);
    if (pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], bytes, n) != (ssize_t)n ||
        dup2(ends[0], STDIN_FILENO) < 0) {
        perror("a pipe");
        exit(2);
    }
    close(ends[0]);
    close(ends[1]);
}

static int n_files;

static int count_file(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)path, (void)st, (void)at;
    n_files += what == FTW_F;
    return 0;
}

static int remove_it(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st, (void)what;
    return at->level ? remove(path) : 0;
}

static const char *folder(const char *name)
{
    static char path[PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s", folder_work, name);
    return path;
}

static int count(const char *name)
{
    n_files = 0;
    nftw(folder(name), count_file, 8, FTW_PHYS);
    return n_files;
}

int beside_count_objects(void)
{
    return count("out");
}

int beside_count_uploads(void)
{
    return count(".uploads");
}

void beside_remove_objects(void)
{
    nftw(folder("out"), remove_it, 8, FTW_PHYS | FTW_DEPTH);
}

static void readfile(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static uint8_t bytes[MOST];
    size_t n = read_file((const char *)sqlite3_value_text(argv[0]), bytes);

    (void)argc;
    sqlite3_result_blob(ctx, bytes, (int)n, SQLITE_STATIC);
}

void beside_add_readfile(sqlite3 *db)
{
    sqlite3_create_function(db, "readfile", 1, SQLITE_UTF8, NULL, readfile, NULL, NULL);
}
