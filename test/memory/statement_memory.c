/*
** statement_memory.c - a program that counts what statements take from malloc.
**
** A correlated subquery or a branch of an OR leaves scans, decoded rows and
** indexes for its next run, and a join and a GROUP BY make what they look up.
** All of it together has to stay within `memory` for each table that the
** statement names.  Nothing may be left after the statement, and one that runs
** again and again may not hold more each time.  With 256 MB, the subqueries of
** two ORs hold 23 MB here.
**
** malloc and its relatives are this program's own here, so they see every byte
** of the extension and its libraries.  SQLite has another way to its memory.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks that were freed and are kept for the next, at most 4 MB
** (core/base/free_blocks.h), what the connection keeps of footers, and the pages that a
** rollup's scan is reading beside its groups. */
enum { SLACK = 10 << 19 };

/* What may be left of a connection: these blocks, and what malloc keeps. */
enum { LEFT = 5 << 20 };

#define EXPORTED __attribute__((visibility("default")))

static _Atomic int64_t live, peak;
static sqlite3 *db;
static int passed, failed;
static const char *only;             /* statements that have it, or NULL */

/* ---- malloc ------------------------------------------------------------- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void  __libc_free(void *p);

static void *counted(void *p)
{
    int64_t now, most = peak;

    if (p) {
        now = atomic_fetch_add(&live, (int64_t)malloc_usable_size(p)) +
              (int64_t)malloc_usable_size(p);
        while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
        }
    }
    return p;
}

static void uncounted(void *p)
{
    if (p) {
        atomic_fetch_sub(&live, (int64_t)malloc_usable_size(p));
    }
}

EXPORTED void *malloc(size_t n)
{
    return counted(__libc_malloc(n));
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return counted(__libc_calloc(n, size));
}

EXPORTED void *realloc(void *p, size_t n)
{
    size_t before = p ? malloc_usable_size(p) : 0;
    void *q = __libc_realloc(p, n);

    if (q || n == 0) {
        atomic_fetch_sub(&live, (int64_t)before);
        counted(q);
    }
    return q;
}

EXPORTED void free(void *p)
{
    uncounted(p);
    __libc_free(p);
}

EXPORTED int posix_memalign(void **out, size_t align, size_t n)
{
    *out = counted(__libc_memalign(align, n));
    return *out ? 0 : ENOMEM;
}

EXPORTED void *aligned_alloc(size_t align, size_t n)
{
    return counted(__libc_memalign(align, n));
}

EXPORTED void *memalign(size_t align, size_t n)
{
    return counted(__libc_memalign(align, n));
}

/* ---- SQLite's own memory, which is not counted -------------------------- */

static void *own_malloc(int n)
{
    return __libc_malloc((size_t)n);
}

static void *own_realloc(void *p, int n)
{
    return __libc_realloc(p, (size_t)n);
}

static int own_size(void *p)
{
    return p ? (int)malloc_usable_size(p) : 0;
}

static int own_roundup(int n)
{
    return (n + 7) & ~7;
}

static int own_init(void *arg)
{
    return SQLITE_OK;
}

static void own_shutdown(void *arg)
{
}

static const sqlite3_mem_methods own = {
    own_malloc, __libc_free, own_realloc, own_size,
    own_roundup, own_init, own_shutdown, NULL};

/* ---- statements --------------------------------------------------------- */

static void run(const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        printf("FAIL: %s\n  %s\n", sql, why);
        exit(1);
    }
}

/* How often the text has the name. */
static int names(const char *sql, const char *name)
{
    int n = 0;

    for (; (sql = strstr(sql, name)) != NULL; sql += strlen(name)) {
        n++;
    }
    return n;
}

static void check(bool right, const char *sql, const char *what, int64_t got,
                  int64_t most)
{
    passed += right;
    failed += !right;
    if (!right || (only && strcmp(what, "held") == 0)) {
        printf("%s %s: %.2f MB of %.2f\n  %s\n", right ? "    " : "FAIL", what,
               (double)got / 1e6, (double)most / 1e6, sql);
    }
}

static void step(sqlite3_stmt *s, const char *sql, int rows)
{
    int rc = SQLITE_ROW;

    while (rc == SQLITE_ROW && rows-- != 0) {
        rc = sqlite3_step(s);
    }
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        printf("FAIL: %s\n  %s\n", sql, sqlite3_errmsg(db));
        failed++;
    }
}

/* Three runs: one to its end, one that is left in the middle, and one more. */
static void statement(const char *sql, int64_t memory)
{
    int64_t most = names(sql, " big") * memory + SLACK;
    int64_t before = live, held = 0, after[3];
    sqlite3_stmt *s;

    if (only && !strstr(sql, only)) {
        return;
    }
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        check(false, sql, sqlite3_errmsg(db), 0, 0);
        return;
    }
    for (int i = 0; i < 3; i++) {
        peak = live;
        sqlite3_bind_int(s, 1, i * 7);
        step(s, sql, i == 1 ? 3 : -1);
        held = peak - before > held ? peak - before : held;
        sqlite3_reset(s);
        after[i] = live;
    }
    sqlite3_finalize(s);
    check(held <= most, sql, "held", held, most);
    check(after[2] - after[0] < SLACK, sql, "held more after the third run",
          after[2] - after[0], SLACK);
    check(live - before <= SLACK, sql, "held after its end", live - before,
          SLACK);
}

/* ---- the tables --------------------------------------------------------- */

static void make(const char *memory)
{
    char sql[500];

    run("CREATE TABLE n(a INTEGER, b, c TEXT, d TEXT)");
    run("WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i LIMIT "
        "20) INSERT INTO n SELECT x * 2477, x * 11 % 97, 'text ' || x * 3001, "
        "date(x * 86400 * 3, 'unixepoch') FROM i");
    run("CREATE TEMP TABLE rows AS WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL "
        "SELECT x + 1 FROM i LIMIT 60000) SELECT x AS a, x * 7919 % 50021 AS "
        "b, 'text ' || (x * 31 % 40000) AS c, date(x % 1500 * 86400, "
        "'unixepoch') AS d, x % 12 AS e, printf('a longer text of row %0200d', x) AS f "
        "FROM i");
    run("SELECT parquet_copy_to('SELECT * FROM rows', 'big.parquet', "
        "'{\"row_group_rows\": 10000, \"page_rows\": 400}')");
    run("DROP TABLE rows");
    snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE temp.big USING "
             "parquet('big.parquet', memory='%s', threads=0)", memory);
    run(sql);
    snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE temp.big_sums USING "
             "parquet('big.parquet', memory='%s', threads=0, rollup='a, c, e, f, "
             "count(*) AS n, sum(b) AS s, max(f) AS m')", memory);
    run(sql);
}

static const char *const statements[] = {
    "SELECT sum(n.a) FROM n, big x WHERE x.b = n.a + ?1",
    "SELECT count(*), max(x.f) FROM n CROSS JOIN big x ON x.c = n.c "
    "CROSS JOIN big y ON y.b = x.b WHERE n.a >= ?1",
    "SELECT n.a, (SELECT max(x.f) FROM big x WHERE x.b = n.a) FROM n "
    "WHERE n.a >= ?1",
    "SELECT n.a FROM n WHERE EXISTS (SELECT 1 FROM big x WHERE x.a = n.a OR "
    "x.b = n.b OR x.c = n.c OR x.d = n.d AND x.e = ?1)",
    "SELECT count(*) FROM n CROSS JOIN big x ON x.a = n.a OR x.b = n.a OR "
    "x.c = n.c OR x.f = n.c OR x.rowid = n.a OR x.a = n.b OR x.b = n.b OR "
    "x.b = n.b + 1 OR x.a = n.b + 1 OR x.a = ?1",
    "SELECT n.a, (SELECT count(*) FROM big x WHERE x.b = n.a), "
    "(SELECT count(*) FROM big x WHERE x.c = n.c), "
    "(SELECT max(x.e) FROM big x WHERE x.a = n.a + ?1), "
    "EXISTS (SELECT 1 FROM big x WHERE x.f = n.c) FROM n",
    "SELECT n.a, (SELECT max(x.f) FROM big x WHERE x.b = n.a OR x.c = n.c OR "
    "x.d = n.d OR x.e = ?1), (SELECT min(x.f) FROM big x WHERE x.a = n.b OR "
    "x.b = n.b OR x.f = n.c OR x.c > n.c AND x.d = n.d) FROM n",
    "SELECT count(*) FROM n WHERE n.b IN (SELECT x.b FROM big x WHERE x.a = "
    "n.a AND NOT EXISTS (SELECT 1 FROM big y WHERE y.c = x.c AND y.a > x.a)) "
    "AND n.a > ?1",
    "SELECT count(*) FROM (SELECT x.c, count(*) FROM big x WHERE x.b > ?1 "
    "GROUP BY x.c)",
    "SELECT count(*) FROM (SELECT x.b, sum(x.e) FROM big x WHERE x.a > ?1 "
    "GROUP BY x.b)",
    "SELECT count(*) FROM (SELECT x.f, x.d, sum(x.e), max(x.c) FROM big x "
    "WHERE x.b > ?1 GROUP BY x.f, x.d)",
    "SELECT x.e, count(*), sum(x.a), max(x.f) FROM big x WHERE x.b > ?1 "
    "GROUP BY x.e",
    "SELECT x.d, max(x.f) FROM big x WHERE x.b > ?1 GROUP BY x.d "
    "HAVING count(*) > (SELECT count(*) FROM big y WHERE y.b = 5)",
    "SELECT DISTINCT x.c, x.e FROM big x WHERE x.b > ?1",
    "SELECT x.f, x.c FROM big x WHERE x.b > ?1 ORDER BY x.c, x.f LIMIT 5000",
    "SELECT x.f FROM big x WHERE x.b > ?1 ORDER BY x.f DESC",
    "SELECT count(*) FROM big x LEFT JOIN n ON n.a = x.b LEFT JOIN big y ON "
    "y.a = n.b WHERE x.a % 500 = ?1",
    "SELECT count(*), sum(x.n) FROM big_sums x WHERE x.f > ?1",
    "SELECT x.f, x.s FROM big_sums x WHERE x.a >= ?1 ORDER BY x.f DESC LIMIT 9",
    "SELECT x.f, x.c, x.m FROM big_sums x WHERE x.a >= ?1 ORDER BY x.f DESC",
    "SELECT x.c, x.n FROM big_sums x WHERE x.n > ?1 ORDER BY x.n, x.c LIMIT 90",
    "SELECT x.e, sum(x.s), max(x.m) FROM big_sums x WHERE x.e > ?1 GROUP BY 1",
    "SELECT n.a, (SELECT max(x.m) FROM big_sums x WHERE x.c = n.c) FROM n "
    "WHERE n.a >= ?1",
    "SELECT count(*), sum(x.n + y.n) FROM big_sums x JOIN big_sums y ON y.c = "
    "x.c AND y.e = ?1 WHERE +y.c LIKE 'text 12%'",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION SELECT x.b FROM r CROSS JOIN big x "
    "ON x.a = r.i WHERE r.i < 20000) SELECT count(*) + ?1 FROM r",
};

int main(int argc, char **argv)
{
    const char *sizes[] = {"1MB", "3MB"};
    int64_t begin;

    if (argc < 2) {
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    only = argc > 2 ? argv[2] : NULL;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &own);
    for (int i = 0; i < 2; i++) {
        if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
            sqlite3_enable_load_extension(db, 1) != SQLITE_OK ||
            sqlite3_load_extension(db, argv[1], NULL, NULL) != SQLITE_OK) {
            printf("FAIL: %s\n", sqlite3_errmsg(db));
            return 1;
        }
        begin = live;
        make(sizes[i]);
        for (size_t k = 0; k < sizeof statements / sizeof *statements; k++) {
            statement(statements[k], (int64_t)atoi(sizes[i]) << 20);
        }
        sqlite3_close(db);
        check(live - begin < LEFT, "all statements",
              "held after the connection", live - begin, LEFT);
        remove("big.parquet");
    }
    printf("memory: %d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
