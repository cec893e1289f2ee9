/*
** move_door.c - fuzz door to parquet_import: manifest.json and schema.sql of strangers.
**
**   0   1: the schema is trusted
**   1   manifest.json, up to a byte 0
**       schema.sql, the rest
**
** Beside them lie files that parquet_export wrote, so that what is made has rows.  The
** database has all or nothing afterwards; without trust nothing that acts by itself; and
** nothing stays in temp.
*/
#define _GNU_SOURCE
#include "test/fuzz/door.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_MS = 1000, PATH_ROOM = 100 };

int sqlite3_parquet_init(sqlite3 *db, char **error, const struct sqlite3_api_routines *api);

static char folder[PATH_ROOM];
static struct timespec began;

/* The folder, which all inputs share: t.parquet, and w.parquet with texts in hex. */
static const char make_folder[] =
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x'), (7, NULL);"
    "CREATE TABLE w(c, d); INSERT INTO w VALUES (1, CAST(x'FF' AS TEXT)), ('2024-01-01', x'00');";

static sqlite3 *open_db(void)
{
    sqlite3 *db;

    sqlite3_auto_extension((void (*)(void))sqlite3_parquet_init);
    DOOR_CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
    return db;
}

static void remove_folder(void)
{
    static const char *const files[] = {"t.parquet", "w.parquet", "manifest.json", "schema.sql"};
    char path[2 * PATH_ROOM];

    for (size_t i = 0; i < PQ_COUNT(files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void open_folder(void)
{
    sqlite3 *db = open_db();
    char *sql;

    snprintf(folder, sizeof folder, "%s/door-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    DOOR_CHECK(mkdtemp(folder) != NULL);
    atexit(remove_folder);
    sql = sqlite3_mprintf("%s SELECT parquet_export(%Q)", make_folder, folder);
    DOOR_CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_free(sql);
    sqlite3_close(db);
}

static void put(const char *name, const char *text, size_t n)
{
    char path[2 * PATH_ROOM];
    int fd;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    DOOR_CHECK(fd >= 0 && write(fd, text, n) == (ssize_t)n);
    close(fd);
}

static int too_long(void *unused)
{
    struct timespec now;

    (void)unused;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000 > MOST_MS;
}

static int64_t count(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s;
    int64_t n = -1;

    DOOR_CHECK(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK);
    if (sqlite3_step(s) == SQLITE_ROW) {
        n = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *own = malloc(n + 2), *sql;
    size_t n_manifest;
    sqlite3 *db;
    bool trust;
    int rc;

    if (!*folder) {
        open_folder();
    }
    DOOR_CHECK(own != NULL);
    memcpy(own, bytes, n);
    own[n] = own[n + 1] = 0;
    trust = n && own[0] & 1;
    n_manifest = n ? strlen(own + 1) : 0;
    put("manifest.json", own + 1, n_manifest);
    put("schema.sql", own + 1 + n_manifest + 1,
        n > n_manifest + 2 ? n - n_manifest - 2 : 0);
    free(own);

    db = open_db();
    sqlite3_progress_handler(db, 100, too_long, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    clock_gettime(CLOCK_MONOTONIC_COARSE, &began);
    sql = sqlite3_mprintf("SELECT parquet_import(%Q, '{\"trust_schema\": %s}')", folder,
                          trust ? "true" : "false");
    rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    if (rc == SQLITE_ERROR) {
        door_check_text(sqlite3_errmsg(db), NULL);
    }
    sqlite3_progress_handler(db, 0, NULL, NULL);
    DOOR_CHECK(sqlite3_get_autocommit(db));
    DOOR_CHECK(count(db, "SELECT count(*) FROM sqlite_temp_schema") == 0);
    if (rc != SQLITE_OK) {
        DOOR_CHECK(count(db, "SELECT count(*) FROM sqlite_schema") == 0);
    } else if (!trust) {
        DOOR_CHECK(count(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' OR "
                             "sql LIKE 'CREATE VIRTUAL%'") == 0);
    }
    DOOR_CHECK(count(db, "SELECT count(*) FROM pragma_database_list") <= 2);
    DOOR_CHECK(sqlite3_close(db) == SQLITE_OK);
    return 0;
}
