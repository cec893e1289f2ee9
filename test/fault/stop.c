/*
** stop.c - how long it takes to stop.
**
** The statements take many seconds: over a folder that has the same file under
** thousands of names, and copies of large texts by the slowest codecs.  After a
** while another thread calls sqlite3_interrupt, or the progress handler stops,
** or Ctrl-C is typed in the shell.  Then the statement must end with
** SQLITE_INTERRUPT, and the connection must still work.
**
** It must end sooner than SQLite counts to a million on this machine.  The
** machine may be busy, so SQLite counts again when a statement took longer than
** the last count.  A process may also wait for its turn, so the shortest of ten
** tries counts.  make bench measures the promise of a tenth of a second;
** STOP_MS=100 tests that limit here.
*/
#define _GNU_SOURCE
#include "test/fault/fault.h"

#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 10, WAIT_MS = 120, N_FILES = 20000, HANDLER_OPS = 10000,
       HANG_SECONDS = 900, HANG_MS = 300000 };

static sqlite3 *db;
static double wait_ms;               /* before it is told to stop */
static volatile double asked_at;     /* when it was told to stop, ms */

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void *interrupt(void *unused)
{
    usleep((useconds_t)(wait_ms * 1000));
    asked_at = now_ms();
    sqlite3_interrupt(db);
    return NULL;
}

static int progress(void *start)
{
    return now_ms() >= *(double *)start + wait_ms;
}

/* The time that SQLite takes for a million rows. */
static double counting(void)
{
    static const char count[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "LIMIT 1000000) SELECT count(*) FROM n";
    double start = now_ms();
    sqlite3 *own;

    if (sqlite3_open(":memory:", &own) != SQLITE_OK ||
        sqlite3_exec(own, count, NULL, NULL, NULL) != SQLITE_OK) {
        fault_failed("SQLite does not count");
    }
    sqlite3_close(own);
    return now_ms() - start;
}

/* Is that a short time for this machine now? */
static bool is_soon(double ms)
{
    static double last;
    const char *most = getenv("STOP_MS");

    if (most || ms < 0) {
        return most && ms >= 0 && ms <= atof(most);
    }
    if (ms > last) {
        last = counting();
    }
    return ms <= last;
}

/* Milliseconds from the interrupt to the end; below 0 when the statement ended
** in another way.  If it ended before the interrupt, the next one comes
** sooner. */
static double run(const char *sql, bool by_handler, char *why, size_t n)
{
    char *expanded = fault_expand(sql), *text = NULL;
    double start = now_ms(), end;
    pthread_t thread;
    int rc;

    asked_at = start + wait_ms;
    if (by_handler) {
        sqlite3_progress_handler(db, HANDLER_OPS, progress, &start);
    } else {
        pthread_create(&thread, NULL, interrupt, NULL);
    }
    rc = sqlite3_exec(db, expanded, NULL, NULL, &text);
    end = now_ms();
    if (by_handler) {
        sqlite3_progress_handler(db, 0, NULL, NULL);
    } else {
        pthread_join(thread, NULL);
    }
    snprintf(why, n, "%d after %.0f ms, %s", rc, end - start,
             text ? text : "no error");
    sqlite3_free(text);
    sqlite3_free(expanded);
    if (rc == SQLITE_OK) {
        wait_ms /= 2;
    }
    return rc == SQLITE_INTERRUPT ? end - asked_at : -1;
}

static bool still_works(void)
{
    sqlite3_stmt *s = NULL;
    bool well = sqlite3_prepare_v2(db, "SELECT count(*) FROM one", -1, &s,
                                   NULL) == SQLITE_OK &&
                sqlite3_step(s) == SQLITE_ROW &&
                sqlite3_column_int(s, 0) == 4096;

    return sqlite3_finalize(s) == SQLITE_OK && well;
}

static void measure(const char *sql, bool by_handler)
{
    char why[500] = "";
    double best = -1;
    bool soon = false;
    int i;

    wait_ms = WAIT_MS;
    alarm(HANG_SECONDS);
    for (i = 0; i < TRIES && !soon; i++) {
        double ms = run(sql, by_handler, why, sizeof why);

        sqlite3_exec(db, "DROP TABLE IF EXISTS temp.x", NULL, NULL, NULL);
        best = ms >= 0 && (best < 0 || ms < best) ? ms : best;
        soon = is_soon(ms);
    }
    alarm(0);
    printf("%8.1f ms  %s%s\n", best, by_handler ? "(by the handler) " : "",
           sql);
    if (best < 0) {
        fault_failed("it does not stop: %s: %s", sql, why);
    } else if (!soon) {
        fault_failed("it took %.0f ms to stop, SQLite counts to a million in "
                     "less: %s", best, sql);
    } else if (!still_works()) {
        fault_failed("nothing works after: %s", sql);
    } else {
        fault_passed();
    }
}

/* A table that is stored in a database: its files are opened while the first
** statement about it is prepared, when no statement runs. */
static void stop_preparing(void)
{
    static const char make[] = "CREATE VIRTUAL TABLE kept USING "
                               "parquet('$W/many', union_by_name)";
    static const char ask[] = "SELECT count(*) FROM kept";
    char *path = fault_expand("$W/stop.db"), *sql = fault_expand(make);
    char why[500] = "";
    double best = -1;
    bool soon = false;
    int i;

    db = fault_open(path);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fault_failed("%s", sqlite3_errmsg(db));
    }
    sqlite3_close(db);
    wait_ms = WAIT_MS;
    alarm(HANG_SECONDS);
    for (i = 0; i < TRIES && !soon; i++) {
        double ms;

        db = fault_open(path);
        ms = run(ask, false, why, sizeof why);
        if (sqlite3_close(db) != SQLITE_OK) {
            fault_failed("a connection does not close");
        }
        best = ms >= 0 && (best < 0 || ms < best) ? ms : best;
        soon = is_soon(ms);
    }
    alarm(0);
    sqlite3_free(path);
    sqlite3_free(sql);
    printf("%8.1f ms  %s, being prepared\n", best, ask);
    if (!soon) {
        fault_failed("preparing does not stop soon: %s", why);
    } else {
        fault_passed();
    }
}

/* ---- the folder ---------------------------------------------------------- */

static bool make_names(const char *folder, const char *sample)
{
    char first[700], name[700], command[1500];
    int i;

    snprintf(first, sizeof first, "%s/%s/0.parquet", folder_work, folder);
    snprintf(command, sizeof command, "mkdir -p '%s/%s' && cp '%s/%s' '%s'",
             folder_work, folder, folder_samples, sample, first);
    if (system(command) != 0) {
        return false;
    }
    for (i = 1; i < N_FILES; i++) {
        snprintf(name, sizeof name, "%s/%s/%d.parquet", folder_work, folder, i);
        if (link(first, name) != 0) {
            perror(name);
            return false;
        }
    }
    return true;
}

/* ---- the shell ----------------------------------------------------------- */

/* Reads what the shell prints until text appears; returns ms, or -1. */
static double wait_for(int shell, const char *text, double most_ms)
{
    static char seen[1 << 16];
    double start = now_ms();
    size_t n = 0;

    while (now_ms() < start + most_ms && n < sizeof seen - 1) {
        struct timeval patience = {0, 2000};
        fd_set set;
        ssize_t got;

        FD_ZERO(&set);
        FD_SET(shell, &set);
        if (select(shell + 1, &set, NULL, NULL, &patience) <= 0) {
            continue;
        }
        got = read(shell, seen + n, sizeof seen - 1 - n);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
        seen[n] = 0;
        if (strstr(seen, text)) {
            return now_ms() - start;
        }
    }
    return -1;
}

static void type(int shell, const char *text)
{
    if (write(shell, text, strlen(text)) < 0) {
        perror("the shell");
    }
}

/* Types first, which ends, then sql; types Ctrl-C while sql runs. */
static double ctrl_c(const char *so, const char *first, const char *sql,
                     bool *answers)
{
    char line[1500], *before = fault_expand(first);
    char *expanded = fault_expand(sql);
    double ms;
    int shell;
    pid_t child = forkpty(&shell, NULL, NULL, NULL);

    if (child == 0) {
        execlp("sqlite3", "sqlite3", "-batch", "-interactive", (char *)NULL);
        _exit(127);
    }
    snprintf(line, sizeof line, ".load %s\n", so);
    type(shell, line);
    type(shell, before);
    type(shell, "SELECT 'loa' || 'ded';\n");
    wait_for(shell, "loaded", HANG_MS);
    type(shell, expanded);
    sqlite3_free(before);
    sqlite3_free(expanded);
    wait_for(shell, "never said", wait_ms);
    type(shell, "\003");
    ms = wait_for(shell, "nterrupt", HANG_MS / 10);
    if (ms < 0) {
        wait_ms *= 2;                /* it was typed before sql ran */
    }
    type(shell, "SELECT (6 * 7) || 'nd';\n");
    *answers = wait_for(shell, "42nd", HANG_MS) >= 0;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(shell);
    return ms;
}

static void stop_shell(const char *so, const char *what, const char *first,
                       const char *sql)
{
    double best = -1;
    bool answers = false, soon = false;
    int i;

    if (system("command -v sqlite3 >/dev/null 2>&1") != 0) {
        fault_skipped("no sqlite3 shell for Ctrl-C");
        return;
    }
    wait_ms = WAIT_MS * 3;
    alarm(HANG_SECONDS);
    for (i = 0; i < TRIES && !(soon && answers); i++) {
        double ms = ctrl_c(so, first, sql, &answers);
        best = ms >= 0 && (best < 0 || ms < best) ? ms : best;
        soon = is_soon(ms);
    }
    alarm(0);
    printf("%8.1f ms  Ctrl-C in the shell, %s\n", best, what);
    if (!soon || !answers) {
        fault_failed("Ctrl-C in the shell, %s%s", what,
                     answers ? "" : ", which is gone");
    } else {
        fault_passed();
    }
}

/* ---- copies -------------------------------------------------------------- */

/* Eight texts of two megabytes, which are one page. */
#define MAKE_TEXTS                                                          \
    "CREATE TABLE texts AS WITH RECURSIVE "                                 \
    "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 350000), "       \
    "words(x) AS (SELECT group_concat('w' || (i * (i % 613) % 5003), ' ') " \
    "FROM n) SELECT i || x AS x FROM words, n WHERE i <= 8;"

#define COPY_TEXTS "SELECT parquet_copy_to('SELECT x FROM texts', "         \
    "'$W/texts.parquet', '{\"compression\": \"%s\", "                       \
    "\"compression_level\": %d, \"threads\": %d, \"dictionary\": false, "    \
    "\"page_bytes\": \"16MB\", \"memory\": \"1GB\"}')"

static void stop_copies(void)
{
    static const struct { const char *codec; int level; } slowest[] = {
        {"gzip", 9}, {"brotli", 9}, {"brotli", 11}, {"lz4_raw", 12},
        {"zstd", 19}, {"zstd", 22},
    };
    size_t i;

    if (sqlite3_exec(db, MAKE_TEXTS, NULL, NULL, NULL) != SQLITE_OK) {
        fault_failed("%s", sqlite3_errmsg(db));
    }
    for (i = 0; i < COUNT(slowest) * 3; i++) {
        int threads = i % 3 == 2 ? 2 : 0;
        char sql[500];

        snprintf(sql, sizeof sql, COPY_TEXTS, slowest[i / 3].codec,
                 slowest[i / 3].level, threads);
        measure(sql, i % 3 == 1);
    }
}

/* ---- all ----------------------------------------------------------------- */

void fault_stop(const char *shared_object)
{
    static const char *const statements[] = {
        "SELECT sum(length(route)) FROM t",
        "SELECT count(*) FROM t",
        "SELECT * FROM t WHERE id < 0",
        "SELECT max(fare), count(*) FROM t WHERE rowid % 4096 = 7",
        "SELECT * FROM t ORDER BY tip DESC LIMIT 3",
        "SELECT group_concat(DISTINCT list) FROM nested",
        "CREATE TABLE temp.x AS SELECT * FROM t",
        "SELECT count(*) FROM one a JOIN one b JOIN one c ON c.rowid = b.id",
        "SELECT sum(length(row)) FROM parquet_rows('$W/many')",
        "SELECT count(*) FROM parquet_metadata('$W/many')",
        "SELECT count(min) FROM parquet_pages('$W/many')",
        "SELECT count(*) FROM parquet_verify('$W/many')",
        "SELECT max(top) FROM parquet_summary('$W/many')",
        "CREATE VIRTUAL TABLE temp.x USING parquet('$W/many', union_by_name)",
        "SELECT parquet_attach('$W/many')",
    };
    char *sql, copy[1500];
    size_t i;

    if (!make_names("many", "trips.parquet") ||
        !make_names("nests", "duckdb_nested.parquet")) {
        fault_failed("no folder of many files");
        return;
    }
    db = fault_open(":memory:");
    sql = fault_expand(
        "CREATE VIRTUAL TABLE one USING parquet('$S/trips.parquet');"
        "CREATE VIRTUAL TABLE t USING parquet('$W/many');"
        "CREATE VIRTUAL TABLE nested USING parquet('$W/nests');");
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fault_failed("%s", sqlite3_errmsg(db));
    }
    sqlite3_free(sql);
    printf("From being interrupted to the end, over %d files:\n", N_FILES);
    for (i = 0; i < COUNT(statements); i++) {
        measure(statements[i], false);
    }
    for (i = 0; i < COUNT(statements); i++) {
        measure(statements[i], true);
    }
    stop_copies();
    if (sqlite3_close(db) != SQLITE_OK) {
        fault_failed("a connection does not close");
    }
    stop_preparing();
    stop_shell(shared_object, "reading",
               "CREATE VIRTUAL TABLE temp.t USING parquet('$W/many');\n",
               "SELECT sum(length(route)) FROM t;\n");
    snprintf(copy, sizeof copy, COPY_TEXTS ";\n", "brotli", 11, 1);
    stop_shell(shared_object, "compressing", MAKE_TEXTS "\n", copy);
}
