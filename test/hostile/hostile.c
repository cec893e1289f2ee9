/*
** hostile.c - damages files in every small way, and reads them.
**
**   hostile N FILE...          one harm out of N, evenly over kinds and places
**   hostile list FILE...       what the files hold
**
** There are five harms per byte of a file: the file is truncated there, or the
** byte has its lowest bit flipped, its highest bit, all bits, or becomes 0.  A
** harmed file goes through the file door (test/fuzz/file_door.c).  The door
** reads everything that SQL can reach, and aborts when an error does not name
** the file, a scan exceeds its budget, or a sanitizer finds something.
**
** The list shows codecs, encodings and types: harms to files that lack one
** prove nothing about it.
*/
#define _POSIX_C_SOURCE 200809L
#include "test/fuzz/door.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_SECONDS = 600, LARGEST = 4096 };

static const struct Harm {
    const char *name;
    uint8_t     keep, turn;          /* byte = (byte & keep) ^ turn */
} harms[] = {
    {"cut off at", 0xff, 0x00},      /* the first: a truncation */
    {"lowest bit of", 0xff, 0x01},
    {"highest bit of", 0xff, 0x80},
    {"all bits of", 0xff, 0xff},
    {"zero for", 0x00, 0x00},
};

static char now[400];

static void last_words(int signal_number)
{
    if (write(STDERR_FILENO, now, strlen(now)) < 0) {
        _exit(2);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static uint8_t *read_file(const char *path, size_t *n)
{
    uint8_t *p = malloc(LARGEST + 1);
    FILE *f = fopen(path, "rb");

    if (!f || !p) {
        perror(path);
        exit(2);
    }
    *n = fread(p, 1, LARGEST + 1, f);
    fclose(f);
    if (*n > LARGEST) {
        fprintf(stderr, "%s: too large to be harmed byte by byte\n", path);
        exit(2);
    }
    return p;
}

static void harm(const char *path, const uint8_t *bytes, size_t n, size_t at,
                 const struct Harm *h)
{
    size_t left = h == harms ? at : n;
    uint8_t *copy = malloc(left + 1);

    DOOR_CHECK(copy != NULL);
    memcpy(copy, bytes, left);
    if (h != harms) {
        copy[at] = (uint8_t)((copy[at] & h->keep) ^ h->turn);
    }
    snprintf(now, sizeof now, "\nended by %s, %s byte %zu\n", path, h->name,
             at);
    alarm(MOST_SECONDS);
    LLVMFuzzerTestOneInput(copy, left);
    alarm(0);
    free(copy);
}

/* Returns how many harms were done. */
static unsigned long harm_file(const char *path, unsigned long every)
{
    static unsigned long turn;
    unsigned long done = 0;
    size_t n, at, k;
    uint8_t *bytes = read_file(path, &n);

    for (at = 0; at < n; at++) {
        for (k = 0; k < PQ_COUNT(harms); k++) {
            if (harms[k].keep == 0 && bytes[at] == 0) {
                continue;            /* it is 0 already */
            }
            if (turn++ % every == 0) {
                harm(path, bytes, n, at, &harms[k]);
                done++;
            }
        }
    }
    free(bytes);
    return done;
}

/* ---- what the files hold ------------------------------------------------- */

int sqlite3_parquet_init(sqlite3 *db, char **error,
                         const struct sqlite3_api_routines *api);

static void run(sqlite3 *db, const char *sql, const char *path)
{
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
        exit(2);
    }
    sqlite3_bind_text(s, 1, path, -1, SQLITE_STATIC);
    while (sqlite3_step(s) == SQLITE_ROW) {
        printf("  %-10s %s\n", sqlite3_column_text(s, 0),
               sqlite3_column_text(s, 1));
    }
    sqlite3_finalize(s);             /* some files are damaged already */
}

static void list_contents(char *const *paths)
{
    sqlite3 *db;

    sqlite3_auto_extension((void (*)(void))sqlite3_parquet_init);
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) {
        exit(2);
    }
    run(db, "CREATE TABLE held(what, name)", NULL);
    for (; *paths; paths++) {
        run(db, "INSERT INTO held SELECT 'codec', compression "
                "FROM parquet_metadata(?1)", *paths);
        run(db, "INSERT INTO held SELECT 'encoding', encoding "
                "FROM parquet_pages(?1)", *paths);
        run(db, "INSERT INTO held SELECT 'page', page_type "
                "FROM parquet_pages(?1)", *paths);
        run(db, "INSERT INTO held SELECT 'type', type "
                "FROM parquet_schema(?1)", *paths);
    }
    run(db, "SELECT what, group_concat(name, ' ') FROM (SELECT DISTINCT what, "
            "name FROM held WHERE name IS NOT NULL ORDER BY 1, 2) GROUP BY 1",
        NULL);
    sqlite3_close(db);
}

int main(int argc, char **argv)
{
    unsigned long every, done = 0;
    int i;

    if (argc < 3) {
        fprintf(stderr, "usage: hostile N|list FILE...\n");
        return 2;
    }
    if (strcmp(argv[1], "list") == 0) {
        printf("%d files hold\n", argc - 2);
        list_contents(argv + 2);
        return 0;
    }
    every = strtoul(argv[1], NULL, 10);
    signal(SIGABRT, last_words);
    signal(SIGALRM, last_words);
    for (i = 2; i < argc; i++) {
        done += harm_file(argv[i], every ? every : 1);
    }
    printf("%lu harms\n", done);
    return 0;
}
