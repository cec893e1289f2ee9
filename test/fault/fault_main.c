/*
** fault_main.c - chooses the faults to run, and counts the results.
**
**   fault_tests [-points N] [-only NAME] [-kind N] [-server HOST:PORT] samples
**               official work so
**
** Every scenario runs in a process of its own.  One that crashes counts as one
** failure, which names the point.
*/
#define _GNU_SOURCE
#include "test/fault/fault.h"

#include "core/base/free_blocks.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int sqlite3_parquet_init(sqlite3 *db, char **error,
                         const struct sqlite3_api_routines *api);

static long n_passed, n_failed, n_skipped;
static const char *now = "";         /* what is running */

void fault_passed(void)
{
    n_passed++;
}

void fault_failed(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("FAILED ", stdout);
    vprintf(fmt, args);
    printf("\n    alone: bash test/fault/fault.sh \"%s\"\n", now);
    va_end(args);
    n_failed++;
}

void fault_skipped(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("skipped: ", stdout);
    vprintf(fmt, args);
    putchar('\n');
    va_end(args);
    n_skipped++;
}

sqlite3 *fault_open(const char *path)
{
    sqlite3 *db;

    if (sqlite3_open(path, &db) != SQLITE_OK) {
        printf("%s: %s\n", path, sqlite3_errmsg(db));
        exit(2);
    }
    return db;
}

/* ---- a scenario in a process of its own ---------------------------------- */

typedef struct Report {
    Result kinds[FAULT_KINDS];
} Report;

static void fork_scenario(const Scenario *s, int only_kind, int64_t most,
                          int out)
{
    Report r = {0};
    int kind;

    for (kind = 0; kind < FAULT_KINDS; kind++) {
        if ((only_kind < 0 || kind == only_kind) &&
            (kind != FAULT_LIBRARY || fault_knows_blocks())) {
            r.kinds[kind] = fault_run(s, (FaultKind)kind, most);
        }
    }
    fflush(stdout);
    sqlite3_reset_auto_extension();
    if (write(out, &r, sizeof r) != sizeof r) {
        _exit(3);
    }
    exit(0);
}

static void count_scenario(const Scenario *s, const Report *r, Result *sum)
{
    int64_t wrong = 0;
    int kind;

    printf("%-34s", s->name);
    for (kind = 0; kind < FAULT_KINDS; kind++) {
        printf(" %6lld (%lld)", (long long)r->kinds[kind].points,
               (long long)r->kinds[kind].absorbed);
        sum[kind].points += r->kinds[kind].points;
        sum[kind].absorbed += r->kinds[kind].absorbed;
        wrong += r->kinds[kind].wrong;
    }
    putchar('\n');
    if (wrong) {
        fault_failed("%s", s->name);
    } else {
        fault_passed();
    }
}

static void run_scenario(const Scenario *s, int only_kind, int64_t most,
                         Result *sum)
{
    Report r = {0};
    int ends[2], status = 0;
    bool reported;
    pid_t child;

    fflush(stdout);
    if (pipe(ends) != 0 || (child = fork()) < 0) {
        perror("fault_tests");
        exit(2);
    }
    if (child == 0) {
        close(ends[0]);
        fork_scenario(s, only_kind, most, ends[1]);
    }
    close(ends[1]);
    reported = read(ends[0], &r, sizeof r) == sizeof r;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!reported || status != 0) {
        fault_failed("%s: ended with %s %d", s->name,
                     WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status)
                                         : WEXITSTATUS(status));
    } else {
        count_scenario(s, &r, sum);
    }
}

static void run_scenarios(const char *only, int only_kind, int64_t most)
{
    Result sum[FAULT_KINDS] = {{0}};
    int64_t all = 0;
    size_t i;
    int kind;

    printf("Points failed, and in brackets those after which the rows were "
           "right all the same:\n%-34s", "");
    for (kind = 0; kind < FAULT_KINDS; kind++) {
        printf(" %10s", fault_names[kind]);
    }
    putchar('\n');
    for (i = 0; i < n_scenarios; i++) {
        if (only && strcmp(only, scenarios[i].name) != 0) {
            continue;
        }
        now = scenarios[i].name;
        if (scenarios[i].flags & OFFICIAL && !*folder_official) {
            printf("without samples: %s\n", scenarios[i].name);
            n_skipped++;
        } else if (scenarios[i].flags & SERVED && !fault_server) {
            fault_skipped("%s: there is no server", scenarios[i].name);
        } else {
            run_scenario(&scenarios[i], only_kind, most, sum);
        }
    }
    for (kind = 0; kind < FAULT_KINDS; kind++) {
        printf("%s: %lld points failed, %lld of them without an error\n",
               fault_names[kind], (long long)sum[kind].points,
               (long long)sum[kind].absorbed);
        all += sum[kind].points;
    }
    printf("%lld points in all\n", (long long)all);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    int64_t most = INT64_MAX;
    int only_kind = -1, i;

    pq_free_blocks_kept = 0;
    for (i = 1; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "-points") == 0) {
            most = atoll(argv[i + 1]);
        } else if (strcmp(argv[i], "-only") == 0) {
            only = argv[i + 1];
        } else if (strcmp(argv[i], "-server") == 0) {
            fault_server = argv[i + 1];
        } else {
            only_kind = atoi(argv[i + 1]);
        }
    }
    if (argc - i != 4) {
        fprintf(stderr, "fault_tests [-points N] [-only NAME] [-kind N] "
                        "[-server HOST:PORT] samples official work so\n");
        return 2;
    }
    folder_samples = argv[i];
    folder_official = argv[i + 1];
    folder_work = argv[i + 2];
    fault_memory_begin();
    sqlite3_auto_extension((void (*)(void))sqlite3_parquet_init);
    now = "disk";
    if (!only || strcmp(only, "disk") == 0) {
        fault_disk();
    }
    now = "stop";
    if (!only || strcmp(only, "stop") == 0) {
        fault_stop(argv[i + 3]);
    }
    run_scenarios(only, only_kind, most);
    printf("fault: %ld passed, %ld failed, %ld skipped\n", n_passed, n_failed,
           n_skipped);
    return n_failed != 0;
}
