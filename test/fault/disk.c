/*
** disk.c - files that disappear, change while they are read, or are not files.
**
** A running statement has the file open.  Renaming another file over it, or
** deleting it, does not change what the statement reads.  Writing into it does;
** the file's size and time show that before further rows are returned.
*/
#define _GNU_SOURCE
#include "test/fault/fault.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = 600, NOBODY = 65534, MOST_SECONDS = 600 };

static sqlite3 *db;
static char place[PATH_ROOM];        /* the folder of the current case */

/* ---- checks -------------------------------------------------------------- */

typedef struct Case {
    const char *name;
    void      (*run)(const char *name);
} Case;

static char said[800];

static int execute(const char *sql)
{
    char *text = NULL, *expanded = fault_expand(sql);
    int rc = sqlite3_exec(db, expanded, NULL, NULL, &text);

    snprintf(said, sizeof said, "%s", text ? text : "");
    sqlite3_free(text);
    sqlite3_free(expanded);
    return rc;
}

static bool works(const char *name, const char *sql)
{
    if (execute(sql) != SQLITE_OK) {
        fault_failed("%s: %s: %s", name, sql, said);
        return false;
    }
    return true;
}

/* Does the statement fail, with all of the texts in the error? */
static bool fails(const char *name, const char *sql, const char *a,
                  const char *b)
{
    int rc = execute(sql);

    if (rc != SQLITE_ERROR || !strstr(said, a) || !strstr(said, b)) {
        fault_failed("%s: %s: %d, %s", name, sql, rc, said);
        return false;
    }
    return true;
}

static sqlite3_int64 number(const char *sql)
{
    char *expanded = fault_expand(sql);
    sqlite3_stmt *s = NULL;
    sqlite3_int64 n = -1;

    if (sqlite3_prepare_v2(db, expanded, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW) {
        n = sqlite3_column_int64(s, 0);
    }
    if (sqlite3_finalize(s) != SQLITE_OK) {
        snprintf(said, sizeof said, "%s", sqlite3_errmsg(db));
        n = -1;
    }
    sqlite3_free(expanded);
    return n;
}

static bool is(const char *name, const char *sql, sqlite3_int64 want)
{
    sqlite3_int64 n = number(sql);

    if (n != want) {
        fault_failed("%s: %s: %lld, not %lld (%s)", name, sql, (long long)n,
                     (long long)want, said);
    }
    return n == want;
}

/* ---- files --------------------------------------------------------------- */

static const char *in_place(const char *file)
{
    static char path[8][PATH_ROOM + 100];
    static unsigned turn;

    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", place, file);
    return path[turn];
}

static void copy_to(const char *sample, const char *to)
{
    char from[PATH_ROOM];
    static char bytes[1 << 20];
    size_t n;
    FILE *f;

    snprintf(from, sizeof from, "%s/%s", folder_samples, sample);
    f = fopen(from, "rb");
    n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) {
        fclose(f);
    }
    f = fopen(to, "wb");
    if (!n || !f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
        perror(to);
        exit(2);
    }
}

static void make_file(const char *name, const char *bytes)
{
    FILE *f = fopen(in_place(name), "wb");

    if (!f || fputs(bytes, f) < 0 || fclose(f) != 0) {
        perror(name);
        exit(2);
    }
}

/* ---- while a statement runs ---------------------------------------------- */

/* Reads a table of ten row groups; calls change after some rows of the
** first. */
static int read_around(void (*change)(const char *path), int *n)
{
    char *sql = fault_expand("SELECT * FROM t");
    sqlite3_stmt *s = NULL;
    int rc = SQLITE_ERROR;

    *n = 0;
    copy_to("duckdb_groups.parquet", in_place("a.parquet"));
    if (execute("DROP TABLE IF EXISTS t; CREATE VIRTUAL TABLE t USING "
                "parquet('$W/disk/a.parquet')") == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK) {
        while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
            if (++*n == 100) {
                change(in_place("a.parquet"));
            }
        }
        snprintf(said, sizeof said, "%s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return rc;
}

static void cut_off(const char *path)
{
    if (truncate(path, 3000) != 0) {
        perror(path);
    }
}

static void empty(const char *path)
{
    if (truncate(path, 0) != 0) {
        perror(path);
    }
}

static void write_into(const char *path)
{
    struct stat before, after;
    FILE *f = fopen(path, "r+b");

    if (!f || stat(path, &before) != 0) {
        perror(path);
        return;
    }
    do {                             /* until a coarse clock has moved on */
        usleep(1000);
        fseek(f, 20000, SEEK_SET);
        fputs("not what was here", f);
        fflush(f);
    } while (stat(path, &after) == 0 &&
             after.st_mtim.tv_sec == before.st_mtim.tv_sec &&
             after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
    fclose(f);
}

static void lengthen(const char *path)
{
    FILE *f = fopen(path, "ab");

    if (f) {
        fputs("more", f);
        fclose(f);
    }
}

static void replace(const char *path)
{
    copy_to("duckdb_names.parquet", in_place("new"));
    if (rename(in_place("new"), path) != 0) {
        perror(path);
    }
}

static void delete(const char *path)
{
    unlink(path);
}

static void changed_file_is_noticed(const char *name)
{
    static void (*const changes[])(const char *) = {cut_off, empty, write_into,
                                                    lengthen};
    size_t i;
    int n;

    for (i = 0; i < COUNT(changes); i++) {
        int rc = read_around(changes[i], &n);

        if (rc != SQLITE_ERROR || n >= 20000 ||
            !strstr(said, "disk/a.parquet") ||
            !(strstr(said, "written to") || strstr(said, "shorter"))) {
            fault_failed("%s: %zu: %d after %d rows, %s", name, i, rc, n, said);
            return;
        }
        copy_to("duckdb_groups.parquet", in_place("a.parquet"));
        if (!is(name, "SELECT count(DISTINCT id) FROM t", 20000)) {
            return;
        }
    }
    fault_passed();
}

static void replaced_file_is_read_to_its_end(const char *name)
{
    int n, rc = read_around(replace, &n);

    if (rc != SQLITE_DONE || n != 20000) {
        fault_failed("%s: %d after %d rows, %s", name, rc, n, said);
    } else if (fails(name, "SELECT * FROM t", "disk/a.parquet",
                     "drop the table and create it again")) {
        rc = read_around(delete, &n);
        if (rc != SQLITE_DONE || n != 20000) {
            fault_failed("%s: %d after %d rows, %s", name, rc, n, said);
        } else if (fails(name, "SELECT * FROM t", "disk/a.parquet",
                         "No such file")) {
            fault_passed();
        }
    }
}

static void file_of_a_folder_that_vanishes_is_named(const char *name)
{
    sqlite3_stmt *s = NULL;
    int rc;

    mkdir(in_place("two"), 0755);
    copy_to("duckdb_groups.parquet", in_place("two/a.parquet"));
    copy_to("duckdb_groups.parquet", in_place("two/b.parquet"));
    works(name, "DROP TABLE IF EXISTS t; CREATE VIRTUAL TABLE t USING "
                "parquet('$W/disk/two')");
    sqlite3_prepare_v2(db, "SELECT * FROM t", -1, &s, NULL);
    rc = sqlite3_step(s);
    unlink(in_place("two/b.parquet"));
    while (rc == SQLITE_ROW) {
        rc = sqlite3_step(s);
    }
    if (rc != SQLITE_ERROR || !strstr(sqlite3_errmsg(db), "two/b.parquet")) {
        fault_failed("%s: %d, %s", name, rc, sqlite3_errmsg(db));
        sqlite3_finalize(s);
        return;
    }
    sqlite3_finalize(s);
    if (is(name, "SELECT count(*) FROM t", 20000)) {
        fault_passed();
    }
}

/* ---- between statements -------------------------------------------------- */

static void vanished_table_can_be_dropped(const char *name)
{
    sqlite3 *memory = db;
    int again;
    bool well = true;

    for (again = 0; again < 2 && well; again++) {
        unlink(in_place("kept.db"));
        copy_to("duckdb_names.parquet", in_place("kept.parquet"));
        db = fault_open(in_place("kept.db"));
        well = works(name, "CREATE VIRTUAL TABLE k USING "
                           "parquet('$W/disk/kept.parquet')") &&
               is(name, "SELECT count(*) FROM k", 3);
        if (again) {                 /* the columns are not known any more */
            sqlite3_close(db);
            db = fault_open(in_place("kept.db"));
        }
        unlink(in_place("kept.parquet"));
        well = well &&
               fails(name, "SELECT * FROM k", "kept.parquet", "No such file") &&
               works(name, "DROP TABLE k") &&
               is(name, "SELECT count(*) FROM sqlite_schema", 0);
        sqlite3_close(db);
    }
    db = memory;
    if (well) {
        fault_passed();
    }
}

static void rewritten_file_is_read_if_it_has_the_same_columns(const char *name)
{
    copy_to("duckdb_codec_zstd.parquet", in_place("w.parquet"));
    if (works(name, "DROP TABLE IF EXISTS t; CREATE VIRTUAL TABLE t USING "
                    "parquet('$W/disk/w.parquet')") &&
        is(name, "SELECT count(*) FROM t", 300)) {
        copy_to("duckdb_codec_snappy.parquet", in_place("w.parquet"));
        if (!is(name, "SELECT max(i) FROM t", 299)) {
            return;
        }
        copy_to("duckdb_names.parquet", in_place("w.parquet"));
        if (fails(name, "SELECT * FROM t", "w.parquet",
                  "drop the table and create it again")) {
            fault_passed();
        }
    }
}

/* ---- not a file ---------------------------------------------------------- */

static void what_is_no_file_is_refused(const char *name)
{
    static const struct {
        const char *path, *says;
    } rows[] = {
        {"nowhere.parquet", "No such file"},
        {"nothing*.parquet", "nothing*.parquet"},
        {"hollow", "no"},            /* a folder without files */
        {"piped", "FIFO"},           /* one in a folder is not read */
        {"a.parquet/b.parquet", "a.parquet/b.parquet"},
        {"short.parquet", "short.parquet"},
        {"none.parquet", "none.parquet"},
        {"loop.parquet", "loop.parquet"},
    };
    size_t i;

    mkdir(in_place("hollow"), 0755);
    mkdir(in_place("piped"), 0755);
    if (mkfifo(in_place("piped/x.parquet"), 0644) != 0 ||
        symlink("loop.parquet", in_place("loop.parquet")) != 0) {
        perror(place);
    }
    make_file("short.parquet", "PAR1");
    make_file("none.parquet", "");
    for (i = 0; i < COUNT(rows); i++) {
        char sql[200];

        snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE temp.x USING "
                                  "parquet('$W/disk/%s')", rows[i].path);
        if (!fails(name, sql, rows[i].path, rows[i].says)) {
            return;
        }
        snprintf(sql, sizeof sql, "SELECT * FROM parquet_schema('$W/disk/%s')",
                 rows[i].path);
        if (!fails(name, sql, rows[i].path, rows[i].says)) {
            return;
        }
    }
    if (fails(name, "SELECT * FROM parquet_rows('/dev/null')", "/dev/null",
              "a device")) {
        fault_passed();
    }
}

/* Runs in a child process, which may become nobody, or limit its
** descriptors. */
static void in_child(const char *name, bool (*run)(const char *name))
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        bool well = run(name);
        fflush(stdout);
        _exit(well ? 0 : 1);
    }
    waitpid(child, &status, 0);
    if (status == 0) {
        fault_passed();
    } else {
        fault_failed("%s", name);
    }
}

/* The paths are relative: a clone may be in a folder that only its owner may
** enter, and nobody could not reach it by an absolute path. */
static bool read_as_nobody(const char *name)
{
    if (chdir(place) != 0 ||
        (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))) {
        printf("%s: cannot become nobody\n", name);
        return false;
    }
    return fails(name, "SELECT * FROM parquet_rows('secret.parquet')",
                 "secret.parquet", "Permission denied") &&
           fails(name, "SELECT * FROM parquet_rows('house')",
                 "house/locked", "Permission denied") &&
           fails(name, "SELECT * FROM parquet_rows('house/**/*.parq*')",
                 "house/locked", "Permission denied") &&
           is(name, "SELECT count(*) FROM parquet_rows('house/a.parquet')", 3);
}

static void forbidden_file_or_folder_is_named(const char *name)
{
    mkdir(in_place("house"), 0755);
    copy_to("duckdb_names.parquet", in_place("house/a.parquet"));
    mkdir(in_place("house/locked"), 0755);
    copy_to("duckdb_names.parquet", in_place("house/locked/b.parquet"));
    copy_to("duckdb_names.parquet", in_place("secret.parquet"));
    chmod(in_place("secret.parquet"), 0);
    chmod(in_place("house/locked"), 0);
    in_child(name, read_as_nobody);
    chmod(in_place("house/locked"), 0755);
}

static bool read_with_few_descriptors(const char *name)
{
    struct rlimit limit = {0, 0};
    int lowest = open("/dev/null", O_RDONLY);

    close(lowest);
    limit.rlim_cur = limit.rlim_max = (rlim_t)lowest;
    setrlimit(RLIMIT_NOFILE, &limit);
    return fails(name, "SELECT * FROM parquet_rows('$S/trips.parquet')",
                 "trips.parquet", "Too many open files") &&
           fails(name, "SELECT * FROM parquet_rows('$S/weather')", "weather",
                 "Too many open files");
}

static void no_descriptor_is_an_error(const char *name)
{
    in_child(name, read_with_few_descriptors);
}

/* Each read fails once; the error must name the file, and say that it was the
** disk. */
static void bad_disk_is_told_from_a_bad_file(const char *name)
{
    int64_t nth, passed = 0;
    int told = 0;

    for (nth = 1; passed >= nth - 1; nth++) {
        int rc;

        fault_arm(FAULT_ENGINE, nth);
        rc = execute("SELECT * FROM "
                     "parquet_rows('$S/hyparquet_pages.parquet')");
        passed = fault_disarm();
        if (rc == SQLITE_ERROR) {
            if (!strstr(said, "hyparquet_pages.parquet") ||
                !strstr(said, "Input/output error")) {
                fault_failed("%s: %s", name, said);
                return;
            }
            told++;
        } else if (rc != SQLITE_NOMEM && rc != SQLITE_OK) {
            fault_failed("%s: %d, %s", name, rc, said);
            return;
        }
    }
    if (told < 5) {
        fault_failed("%s: only %d reads", name, told);
    } else {
        fault_passed();
    }
}

/* ---- all ----------------------------------------------------------------- */

#define CASE(name) {#name, name}

void fault_disk(void)
{
    static const Case cases[] = {
        CASE(changed_file_is_noticed),
        CASE(replaced_file_is_read_to_its_end),
        CASE(file_of_a_folder_that_vanishes_is_named),
        CASE(vanished_table_can_be_dropped),
        CASE(rewritten_file_is_read_if_it_has_the_same_columns),
        CASE(what_is_no_file_is_refused),
        CASE(forbidden_file_or_folder_is_named),
        CASE(no_descriptor_is_an_error),
        CASE(bad_disk_is_told_from_a_bad_file),
    };
    size_t i;

    snprintf(place, sizeof place, "%s/disk", folder_work);
    mkdir(place, 0755);
    db = fault_open(":memory:");
    for (i = 0; i < COUNT(cases); i++) {
        alarm(MOST_SECONDS);
        cases[i].run(cases[i].name);
        alarm(0);
    }
    if (sqlite3_close(db) != SQLITE_OK) {
        fault_failed("a connection does not close");
    }
}
