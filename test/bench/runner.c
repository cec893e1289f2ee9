/*
** runner.c - SQLite in a process of its own, told what to do line by line.
**
**   runner [extension ...]
**
**   open PATH     a new connection to that database, extensions loaded
**   run SQL       steps through; takes the first column of the last row
**   take SQL      the same, but takes every value of every row
**   rows SQL      value is all rows as JSON, integers as texts
**   limit N       each run or take may use the processor for so many seconds,
**                 0: for any number
**   peak          forgets the peak of memory so far: it is what it is now
**   memory        what is and what was at most, in KiB
**
** Each line is answered by one line, key=value separated by tabs; times are in
** microseconds: of the wall, of the processor (all threads, system time
** included) and what of the latter was the thread that steps; rchar is what the
** operating system says was read.
**
**   wall=51234	cpu=51022	main=40993	rchar=983040	rows=1	value=42
**   error=no such table: t
**   error=interrupted                 by the limit
**
** One command at a time in a process that does nothing else: what it measures
** is its own.
*/
#define _GNU_SOURCE
#include <sqlite3.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Sums {
    sqlite3_int64 rows;
    sqlite3_int64 taken;             /* keeps the taking from being left out */
    char          value[256];
} Sums;

static sqlite3 *db;
static char   **extensions;

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static long long own_bytes;          /* that proc_number itself has read */

/* A number after name in a file of /proc; -1 when it is not there. */
static long long proc_number(const char *path, const char *name)
{
    char text[8192];
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    const char *at;

    if (fd >= 0) {
        close(fd);
    }
    text[n > 0 ? n : 0] = 0;
    own_bytes += n > 0 ? n : 0;
    at = strstr(text, name);
    return at ? atoll(at + strlen(name)) : -1;
}

/* What this process has read so far, but for this function. */
static long long bytes_read(void)
{
    long long own = own_bytes;

    return proc_number("/proc/self/io", "rchar:") - own;
}

/* Tabs and line ends would break the answer. */
static void say_text(const char *key, const char *text)
{
    printf("%s=", key);
    for (; *text; text++) {
        putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
    }
}

static bool failed(void)
{
    say_text("error", db ? sqlite3_errmsg(db) : "no connection");
    return false;
}

static bool open_database(const char *path)
{
    char **x;

    sqlite3_close(db);
    /* One thread steps, so that no call need lock the connection. */
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                   SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        return failed();
    }
    sqlite3_enable_load_extension(db, 1);
    for (x = extensions; *x; x++) {
        char *error = NULL;
        if (sqlite3_load_extension(db, *x, NULL, &error) != SQLITE_OK) {
            say_text("error", error ? error : *x);
            sqlite3_free(error);
            return false;
        }
    }
    return true;
}

static double limit, deadline;      /* in microseconds; no limit: 0 */

static int is_late(void *unused)
{
    return now(CLOCK_PROCESS_CPUTIME_ID) > deadline;
}

static void begin_limit(void)
{
    deadline = now(CLOCK_PROCESS_CPUTIME_ID) + limit;
    sqlite3_progress_handler(db, 100000, limit > 0 ? is_late : NULL, NULL);
}

static void take_row(sqlite3_stmt *s, int n, Sums *sums)
{
    int i;

    for (i = 0; i < n; i++) {
        switch (sqlite3_column_type(s, i)) {
        case SQLITE_INTEGER:
            sums->taken += sqlite3_column_int64(s, i) & 1;
            break;
        case SQLITE_FLOAT:
            sums->taken += sqlite3_column_double(s, i) > 0;
            break;
        case SQLITE_NULL:
            break;
        default:
            sums->taken += sqlite3_column_text(s, i) != NULL;
            sums->taken += sqlite3_column_bytes(s, i);
            break;
        }
    }
}

/* The first value of a row as text, as much of it as there is room for. */
static void keep_value(sqlite3_stmt *s, Sums *sums)
{
    const char *text;

    if (sqlite3_column_bytes(s, 0) >= (int)sizeof sums->value) {
        snprintf(sums->value, sizeof sums->value, "(%d bytes)",
                 sqlite3_column_bytes(s, 0));
        return;
    }
    text = (const char *)sqlite3_column_text(s, 0);
    snprintf(sums->value, sizeof sums->value, "%s", text ? text : "NULL");
}

static bool run(const char *sql, bool take, Sums *sums)
{
    while (*sql) {
        sqlite3_stmt *s;
        int rc, n;

        if (sqlite3_prepare_v2(db, sql, -1, &s, &sql) != SQLITE_OK) {
            return failed();
        }
        n = sqlite3_column_count(s);
        while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
            if (take) {
                take_row(s, n, sums);
            } else if (sums->rows == 0) {
                keep_value(s, sums);
            }
            sums->rows++;
        }
        if (rc != SQLITE_DONE && s) {
            failed();
            sqlite3_finalize(s);
            return false;
        }
        sqlite3_finalize(s);
    }
    return true;
}

static void timed(const char *sql, bool take)
{
    long long io;
    double wall, cpu, stepping;
    Sums sums = {0};

    begin_limit();
    io = bytes_read();
    wall = now(CLOCK_MONOTONIC);
    cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    stepping = now(CLOCK_THREAD_CPUTIME_ID);
    if (run(sql, take, &sums)) {
        stepping = now(CLOCK_THREAD_CPUTIME_ID) - stepping;
        cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        wall = now(CLOCK_MONOTONIC) - wall;
        printf("wall=%.0f\tcpu=%.0f\tmain=%.0f\trchar=%lld\trows=%lld\t"
               "taken=%lld\t",
               wall, cpu, stepping, bytes_read() - io, sums.rows, sums.taken);
        say_text("value", sums.value);
    }
}

/* Bytes from 32 on, UTF-8 or not, are taken as they are. */
static void print_json_text(const unsigned char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        if (*text < 32) {
            printf("\\u%04x", *text);
        } else if (*text == '"' || *text == '\\') {
            printf("\\%c", *text);
        } else {
            putchar(*text);
        }
    }
    putchar('"');
}

static void print_json_row(sqlite3_stmt *s)
{
    int i;

    for (i = 0; i < sqlite3_column_count(s); i++) {
        putchar(i == 0 ? '[' : ',');
        switch (sqlite3_column_type(s, i)) {
        case SQLITE_NULL:
            fputs("null", stdout);
            break;
        case SQLITE_FLOAT:
            printf("%.17g", sqlite3_column_double(s, i));
            break;
        default:
            print_json_text(sqlite3_column_text(s, i));
        }
    }
    putchar(']');
}

/* One statement.  After an error the line has the error too. */
static void print_rows(const char *sql)
{
    sqlite3_stmt *s;
    int rc, n = 0;

    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        failed();
        return;
    }
    fputs("value=[", stdout);
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        if (n++ > 0) {
            putchar(',');
        }
        print_json_row(s);
    }
    putchar(']');
    if (rc != SQLITE_DONE) {
        putchar('\t');
        failed();
    }
    sqlite3_finalize(s);
}

static void forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");

    if (f) {
        fputs("5", f);
        fclose(f);
    }
    fputs("ok=1", stdout);
}

static void answer(char *line)
{
    char *rest = strchr(line, ' ');

    if (rest) {
        *rest++ = 0;
    } else {
        rest = line + strlen(line);
    }
    if (strcmp(line, "open") == 0) {
        if (open_database(rest)) {
            fputs("ok=1", stdout);
        }
    } else if (strcmp(line, "run") == 0 || strcmp(line, "take") == 0) {
        timed(rest, line[0] == 't');
    } else if (strcmp(line, "rows") == 0) {
        print_rows(rest);
    } else if (strcmp(line, "limit") == 0) {
        limit = atof(rest) * 1e6;
        fputs("ok=1", stdout);
    } else if (strcmp(line, "peak") == 0) {
        forget_peak();
    } else if (strcmp(line, "memory") == 0) {
        printf("now=%lld\tpeak=%lld",
               proc_number("/proc/self/status", "VmRSS:"),
               proc_number("/proc/self/status", "VmHWM:"));
    } else {
        say_text("error", "unknown command");
    }
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    extensions = argv + 1;
    while ((n = getline(&line, &room, stdin)) > 0) {
        if (line[n - 1] == '\n') {
            line[n - 1] = 0;
        }
        answer(line);
    }
    free(line);
    sqlite3_close(db);
    return 0;
}
