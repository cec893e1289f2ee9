/*
** file_door.c - fuzz door to everything: whole files, read through SQLite.
**
** An input is a Parquet file, or several, one after the other: where "PAR1"
** follows "PAR1", or "PARE" follows "PARE", the next begins.  One file is a table.  Several are a folder
** with hive keys whose columns are united by name.  It is named in several
** ways.
**
** Then the door does what a user can do.  It reads all columns of all rows,
** hidden ones too, and some rows by their rowid.  It counts, searches by the
** first columns, groups by them, unnests the first list, and calls every function that looks inside files.  The reading
** options depend on the size of the input.  Each statement ends in rows, or in
** a readable error that names the file.  Scans keep to the budget.
**
** Files are in memory (memfd), folders in the temporary folder.  Few bytes can
** be billions of valid rows (a run of nulls).  So a statement ends after
** MOST_ROWS, and is interrupted after MOST_STEPS or a second.  The fuzzer's own
** time limit finds what an interrupt does not stop.
*/
#define _GNU_SOURCE
#include "test/fuzz/door.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 4, MOST_ROWS = 3000, MOST_STEPS = 50000, PATH_ROOM = 200 };

int sqlite3_parquet_init(sqlite3 *db, char **error,
                         const struct sqlite3_api_routines *api);

/* What is fuzzed: one memfd, or a folder of files. */
typedef struct Place {
    char   path[PATH_ROOM];          /* for SQL: a file, a folder or a glob */
    char   root[64];                 /* what errors have to name */
    char   own[MOST_FILES][PATH_ROOM];
    char   folder[MOST_FILES][PATH_ROOM];
    int    fd;
    size_t n_files;
} Place;

static sqlite3 *db;
static Place place;
static struct timespec began;
static int n_steps;                /* since then, at which SQLite asks */
static volatile unsigned touched;  /* so that values are really read */

/* Of test/hostile/sealed_*.parquet, so that encrypted files are opened. */
static const char give_keys[] =
    "SELECT parquet_key('k0', x'bfeaea5d82784e8c6d4dbe6d31cc8e86'), "
    "parquet_key('k1', x'a9ba9ed5e6b34d63ac4de3ab06bdb65f7a71b548f5d9eac7'), "
    "parquet_key('k2', x'f2a25a7f5b4ec4015f549a3b342930eef6bcdff9f80c95ba"
    "7b0299c72a8565d3')";

/* ---- files -------------------------------------------------------------- */

static void write_all(int fd, PqSlice s)
{
    DOOR_CHECK(fd >= 0);
    while (s.n > 0) {
        ssize_t n = write(fd, s.p, s.n);
        DOOR_CHECK(n > 0);
        s.p += n;
        s.n -= (size_t)n;
    }
}

/* The first of the files in the input. */
static PqSlice first_file(PqSlice *in, bool last)
{
    size_t i;

    for (i = 4; !last && i + 8 <= in->n; i++) {
        if (memcmp(in->p + i, "PAR1PAR1", 8) == 0 ||
            memcmp(in->p + i, "PAREPARE", 8) == 0) {
            return door_take(in, i + 4);
        }
    }
    return door_take(in, in->n);
}

static const char *scratch_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* Hive values, chosen by size: numbers, dates, texts, a null. */
static const char *const key_sets[][MOST_FILES] = {
    {"key=0", "key=1", "key=2", "key=3"},
    {"key=2024-02-29", "key=2023-01-01", "key=1",
     "key=__HIVE_DEFAULT_PARTITION__"},
    {"key=%41%2", "key=-7", "Key=x", "more=1"},
};

/* After the folder's name: ways to name all of its files, or some. */
static const char *const globs[] = {
    "", "/**", "/key=*/door.parquet", "/**/d[a-p]?r.*", "/key=[!1]", "/*",
    "/**/key=?/**/*.parquet", "/k[]xe]y=[0-2]/[^.]oor.parque[t", "/nothing*",
};

static void put_folder(PqSlice in)
{
    Place *p = &place;
    char *root = p->root;
    size_t size = in.n;
    const char *const *keys = key_sets[size / 8 % PQ_COUNT(key_sets)];
    int fd;

    snprintf(root, sizeof p->root, "%s/door-XXXXXX", scratch_folder());
    DOOR_CHECK(mkdtemp(root) != NULL);
    for (; in.n > 0 && p->n_files < MOST_FILES; p->n_files++) {
        char *folder = p->folder[p->n_files], *own = p->own[p->n_files];

        snprintf(folder, PATH_ROOM, "%.60s/%s", root, keys[p->n_files]);
        snprintf(own, PATH_ROOM, "%.60s/%s/door.parquet", root,
                 keys[p->n_files]);
        DOOR_CHECK(mkdir(folder, 0700) == 0);
        fd = open(own, O_WRONLY | O_CREAT | O_EXCL, 0600);
        write_all(fd, first_file(&in, p->n_files + 1 == MOST_FILES));
        close(fd);
    }
    snprintf(p->path, sizeof p->path, "%.60s%s", root,
             globs[size % PQ_COUNT(globs)]);
}

static void put_file(PqSlice in)
{
    place.fd = memfd_create("door.parquet", MFD_CLOEXEC);
    write_all(place.fd, in);
    snprintf(place.path, sizeof place.path, "/proc/self/fd/%d", place.fd);
    /* Chunks may be in files beside this one.  Errors then name those. */
    snprintf(place.root, sizeof place.root, "/proc/self/fd/");
}

static void open_place(PqSlice in)
{
    PqSlice rest = in;

    memset(&place, 0, sizeof place);
    place.fd = -1;
    first_file(&rest, false);
    if (rest.n > 0) {
        put_folder(in);
    } else {
        put_file(in);
    }
}

static void close_place(void)
{
    size_t i;

    for (i = 0; i < place.n_files; i++) {
        unlink(place.own[i]);
        rmdir(place.folder[i]);
    }
    if (place.fd >= 0) {
        close(place.fd);
    } else {
        rmdir(place.root);
    }
}

/* ---- statements --------------------------------------------------------- */

static void begin(void)
{
    clock_gettime(CLOCK_MONOTONIC_COARSE, &began);
    n_steps = 0;
}

static int too_long(void *unused)
{
    struct timespec now;

    if (++n_steps > MOST_STEPS) {
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);   /* asked very often */
    return (now.tv_sec - began.tv_sec) * 1000 +
           (now.tv_nsec - began.tv_nsec) / 1000000 > 1000;
}

/* Some errors are not about the file: the table has no columns, or a text is
** too large for SQLite. */
static void check_failure(int rc, bool names_file)
{
    const char *text = sqlite3_errmsg(db);

    if (rc == SQLITE_ERROR) {
        door_check_text(text, names_file ? place.root : NULL);
    } else {
        DOOR_CHECK(rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT ||
                   rc == SQLITE_TOOBIG);
    }
}

static void touch(sqlite3_stmt *s)
{
    int i, n = sqlite3_column_count(s);

    for (i = 0; i < n; i++) {
        const unsigned char *p = sqlite3_column_blob(s, i);
        int k, size = sqlite3_column_bytes(s, i);

        for (k = 0; k < size; k += k < 64 ? 1 : 61) {
            touched += p[k];
        }
    }
}

/* Runs sql with the path as its ?1, and row as its ?2. */
static int run(const char *sql, sqlite3_int64 row)
{
    sqlite3_stmt *s = NULL;
    int rc, n = 0;

    begin();
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        check_failure(SQLITE_ERROR, false);
        return SQLITE_ERROR;
    }
    if (sqlite3_bind_parameter_count(s) >= 1) {
        sqlite3_bind_text(s, 1, place.path, -1, SQLITE_STATIC);
    }
    if (sqlite3_bind_parameter_count(s) >= 2) {
        sqlite3_bind_int64(s, 2, row);
    }
    while ((rc = sqlite3_step(s)) == SQLITE_ROW && ++n < MOST_ROWS) {
        touch(s);
    }
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        check_failure(rc, true);
    }
    sqlite3_finalize(s);
    begin();                         /* for a table that is made next */
    return rc;
}

static char *text_of(const char *sql)
{
    sqlite3_stmt *s = NULL;
    char *out = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW) {
        out = sqlite3_mprintf("%s", sqlite3_column_text(s, 0));
    }
    sqlite3_finalize(s);
    return out;
}

static const char *const option_sets[] = {
    "",
    ", decimal=text, timestamp=raw, nan=text, map=entries",
    ", timestamp=unixepoch, binary_as_string, invalid_utf8=blob, checksum=off",
    ", invalid_utf8=error, hive=off",
};

static bool create(size_t n)
{
    char *sql = sqlite3_mprintf(
        "CREATE VIRTUAL TABLE temp.t USING parquet('%q', memory='64MB'%s%s)",
        place.path, place.n_files ? ", union_by_name" : "",
        option_sets[n % PQ_COUNT(option_sets)]);
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

    sqlite3_free(sql);
    if (rc != SQLITE_OK) {
        check_failure(rc, true);
    }
    return rc == SQLITE_OK;
}

static void run_columns(const char *columns, const char *rest,
                        sqlite3_int64 row)
{
    char *sql = sqlite3_mprintf("SELECT %s FROM t %s", columns, rest);

    run(sql, row);
    sqlite3_free(sql);
}

/* Terms for which bounds, page indexes and filters are used. */
static void prune_by(const char *column)
{
    static const char *const terms[] = {
        "SELECT rowid, %s FROM t WHERE %s = (SELECT max(%s) FROM t LIMIT 1)",
        "SELECT count(*) FROM t WHERE %s > 10 AND %s < '2024' AND %s IS NOT 3",
        "SELECT count(%s) FROM t WHERE %s IN (7, 12, 'yes') OR %s IS NULL",
        "SELECT %s FROM t WHERE %s IS NOT NULL ORDER BY %s LIMIT 3",
        "SELECT %s FROM t WHERE %s BETWEEN 'a' AND 'n' AND %s >= 'b'",
        "SELECT %s, count(*) FROM t WHERE %s > 0 GROUP BY 1 ORDER BY %s DESC",
        "SELECT DISTINCT %s FROM t WHERE %s LIKE '%%a%%' OR %s > 1",
        ("WITH k(v) AS (SELECT * FROM (SELECT %s FROM t LIMIT 5) "
         "UNION ALL VALUES (7), ('x')) "
         "SELECT count(%s) FROM k CROSS JOIN t ON t.%s = k.v"),
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(terms); i++) {
        char *sql = sqlite3_mprintf(terms[i], column, column, column);
        run(sql, 0);
        sqlite3_free(sql);
    }
}

static void prune(void)
{
    int i;

    for (i = 0; i < 3; i++) {
        char *sql = sqlite3_mprintf(
            "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' "
            "FROM pragma_table_xinfo('t') LIMIT 1 OFFSET %d", i);
        char *column = text_of(sql);

        if (column) {
            prune_by(column);
        }
        sqlite3_free(column);
        sqlite3_free(sql);
    }
}

static void read_table(size_t n)
{
    static const sqlite3_int64 rows[] = {0, 1, 40, 2047, (sqlite3_int64)1 << 40,
                                         INT64_MAX};
    char *columns;
    size_t i;

    if (!create(n)) {
        return;
    }
    columns = text_of("SELECT group_concat('\"' || replace(name, '\"', '\"\"')"
                      " || '\"') FROM pragma_table_xinfo('t')");
    if (columns) {
        run_columns(columns, "", 0);
        for (i = 0; i < PQ_COUNT(rows); i++) {
            run_columns(columns, "WHERE ?1 IS NOT NULL AND rowid = ?2",
                        rows[i]);
        }
        run_columns(columns, "WHERE rowid IN (2, 0, 700, 1 << 40)", 0);
        run_columns(columns, "WHERE rowid > 30 LIMIT 5", 0);
    }
    sqlite3_free(columns);
    run("SELECT count(*) FROM t", 0);
    run("SELECT *, filename FROM t WHERE key > 0 AND file_index < 3", 0);
    run("SELECT * FROM t WHERE key IN (0, 2) AND filename LIKE '%door%'", 0);
    run("SELECT rowid, * FROM t WHERE file_row_number % 7 = 3", 0);
    prune();
}

/* Makes temp.u, with words that it frees. */
static bool shaped(size_t n, char *words)
{
    char *sql = sqlite3_mprintf(
        "DROP TABLE IF EXISTS temp.u; CREATE VIRTUAL TABLE temp.u USING "
        "parquet('%q', memory='64MB'%s%s, %s)", place.path,
        place.n_files ? ", union_by_name" : "",
        option_sets[n % PQ_COUNT(option_sets)], words);
    bool made = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;

    sqlite3_free(sql);
    sqlite3_free(words);
    return made;
}

/* The table as groups, as the elements of its first list, and both. */
static void read_shaped(size_t n)
{
    char *keys = text_of(
        "SELECT group_concat('\"' || replace(name, '\"', '\"\"') || '\"') FROM "
        "(SELECT name FROM pragma_table_xinfo('t') WHERE type NOT LIKE '%<%' "
        "AND type NOT LIKE '%VARIANT%' LIMIT 2)");
    char *list = text_of(
        "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' FROM "
        "pragma_table_xinfo('t') WHERE type LIKE 'LIST<%' OR type LIKE 'MAP<%' "
        "LIMIT 1");
    char *last = text_of(
        "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' FROM "
        "pragma_table_xinfo('t') WHERE type NOT LIKE '%<%' AND type NOT LIKE "
        "'%VARIANT%' ORDER BY hidden, cid DESC LIMIT 1");

    if (keys && last && shaped(n, sqlite3_mprintf(
            "rollup='%q, count(*) AS n, min(%q) AS lo, count(%q) AS some'",
            keys, last, last))) {
        run("SELECT * FROM u", 0);
        run("SELECT sum(n), max(lo) FROM u WHERE some > 1", 0);
    }
    if (list && shaped(n, sqlite3_mprintf(
            "unnest=%Q%s", list, n & 1 ? ", outer=on" : ""))) {
        run("SELECT * FROM u", 0);
        run("SELECT count(*) FROM u", 0);
    }
    if (list && shaped(n, sqlite3_mprintf(
            "unnest=%Q, rollup='count(*) AS n'", list))) {
        run("SELECT * FROM u", 0);
    }
    sqlite3_exec(db, "DROP TABLE IF EXISTS temp.u", NULL, NULL, NULL);
    sqlite3_free(keys);
    sqlite3_free(list);
    sqlite3_free(last);
}

/* Paths into the first VARIANT, if there is one: to what is shredded, to the
** rest, into a list, and to nothing. */
static void read_paths(void)
{
    char *name = text_of("SELECT replace(name, '\"', '\"\"') FROM "
                         "pragma_table_xinfo('t') WHERE type = 'VARIANT TEXT'");
    char *sql = name ? sqlite3_mprintf(
        "CREATE VIRTUAL TABLE temp.p USING parquet(%Q, memory='64MB', "
        "pa = try_variant_get(\"%s\", '$.a', 'bigint'), "
        "pb = try_variant_get(\"%s\", '$.kind', 'string'), "
        "pc = try_variant_get(\"%s\", '$[0]'), "
        "pd = try_variant_get(\"%s\", '$.tags[1].x', 'variant'), "
        "pe = try_variant_get(\"%s\", '$'))",
        place.path, name, name, name, name, name) : NULL;

    if (sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK) {
        run("SELECT pa, pb, pc, pd, pe FROM p", 0);
        run("SELECT pb FROM p WHERE pa > 3 AND pb IS NOT 'x' OR pc = 7", 0);
        run("SELECT max(pa), count(DISTINCT pb) FROM p WHERE pe IS NOT NULL",
            0);
        run("SELECT pa FROM p ORDER BY pb DESC, pa LIMIT 3", 0);
    }
    sqlite3_exec(db, "DROP TABLE IF EXISTS temp.p", NULL, NULL, NULL);
    sqlite3_free(sql);
    sqlite3_free(name);
}

static void look_inside(void)
{
    static const char *const calls[] = {
        "SELECT * FROM parquet_schema(?1)",
        "SELECT * FROM parquet_metadata(?1)",
        "SELECT * FROM parquet_file_metadata(?1)",
        "SELECT * FROM parquet_kv_metadata(?1)",
        "SELECT * FROM parquet_row_groups(?1)",
        "SELECT * FROM parquet_pages(?1)",
        "SELECT * FROM parquet_verify(?1)",
        "SELECT * FROM parquet_rows(?1)",
        "SELECT * FROM parquet_summary(?1)",
        "SELECT parquet_describe(?1)", "SELECT * FROM parquet_describe(?1)",
        ("SELECT b.* FROM parquet_metadata(?1) AS m, "
         "parquet_bloom_probe(?1, m.path_in_schema, '7') AS b LIMIT 9"),
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(calls); i++) {
        run(calls[i], 0);
    }
}

static void check_budget(void)
{
    char *peak = text_of("SELECT max(peak_memory) FROM parquet_scan_stats()");

    DOOR_CHECK(!peak || strcmp(peak, "(null)") == 0 ||
               atoll(peak) <= DOOR_MEMORY);
    sqlite3_free(peak);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    open_place(pq_slice(bytes, n));
    sqlite3_auto_extension((void (*)(void))sqlite3_parquet_init);
    DOOR_CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
    DOOR_CHECK(sqlite3_exec(db, give_keys, NULL, NULL, NULL) == SQLITE_OK);
    begin();
    sqlite3_progress_handler(db, 1, too_long, NULL);
    read_table(n);
    read_shaped(n);
    read_paths();
    look_inside();
    sqlite3_exec(db, "DROP TABLE t", NULL, NULL, NULL);
    check_budget();
    DOOR_CHECK(sqlite3_close(db) == SQLITE_OK);
    close_place();
    return 0;
}
