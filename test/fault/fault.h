/*
** fault.h - what fails, fails once, and everything is as before.
**
**   memory.c      the allocators: count, fail, and know what is still out
**   scenario.c    statements, and the files they are about
**   points.c      runs a scenario again and again, failing the n-th of a kind
**   disk.c        files that vanish, change, or are none
**   stop.c        how long an interrupt takes
**   fault_main.c  which of it
**
** A point is one allocation or one read.  What may happen at a point is an
** error with words, or the right rows; never other rows, and whatever happened,
** the connection then gives the right rows, and closing it gives everything
** back: memory to SQLite, memory to the system, file descriptors.
*/
#ifndef FAULT_H
#define FAULT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* ---- memory.c ------------------------------------------------------------ */

typedef enum FaultKind {
    FAULT_ENGINE,                    /* allocations and reads of core/      */
    FAULT_SQLITE,                    /* SQLite's allocations, one of them   */
    FAULT_SQLITE_ON,                 /* ... and every one after it          */
    FAULT_LIBRARY,                   /* malloc of libraries: libc, codecs   */
    FAULT_KINDS
} FaultKind;

extern const char *const fault_names[FAULT_KINDS];

/* Before SQLite is first used. */
void fault_memory_begin(void);

/* The nth point of the kind from now on fails; 0: none does. */
void    fault_arm(FaultKind kind, int64_t nth);
int64_t fault_disarm(void);          /* how many points were passed */

/* Blocks that are out, SQLite's not counted; 0 where that is not known
** because a sanitizer has malloc. */
int64_t fault_blocks_out(void);
bool    fault_knows_blocks(void);

/* ---- scenario.c ---------------------------------------------------------- */

typedef struct Scenario {
    const char *name;
    const char *before;              /* makes ready, nothing fails          */
    const char *sql;                 /* here it does                        */
    const char *after;               /* undoes sql, so that it can be again */
    unsigned    flags;
} Scenario;

enum {
    FROM_OPEN = 1,                   /* opening the connection fails too    */
    TWICE = 2,                       /* every statement is run again        */
    IN_A_FILE = 4,                   /* before is in a database of old      */
    OFFICIAL = 8,                    /* needs the official sample files     */
    /* A table whose file could not be read when the schema was is without
    ** columns for as long as the connection lasts. */
    NEEDS_NEW_CONNECTION = 16,
    /* Of several files one that cannot be read is left out, with a word on the
    ** log: a read that fails has other rows, and no error. */
    LEAVES_OUT = 32,
};

extern const Scenario scenarios[];
extern const size_t n_scenarios;

/* Where files are: samples, official ones (or NULL), scratch. */
extern const char *folder_samples, *folder_official, *folder_work;

/* sql with $S, $O and $W replaced by the folders; sqlite3_free. */
char *fault_expand(const char *sql);

/* ---- points.c ------------------------------------------------------------ */

typedef struct Result {
    int64_t points, absorbed, wrong;
} Result;

/* Fails points 1, 2, 3 ...; after a while only some, so that most are done. */
Result fault_run(const Scenario *s, FaultKind kind, int64_t most);

/* ---- for all ------------------------------------------------------------- */

/* Rows as one number per row, each of which depends on all before it. */
typedef struct Rows {
    uint64_t *chain;
    size_t    n, room;
    int       rc;
    char      message[600];
} Rows;

void rows_reset(Rows *r);
void rows_free(Rows *r);
int  rows_run(sqlite3 *db, const char *sql, bool twice, Rows *r);
bool rows_begin_like(const Rows *part, const Rows *whole);

/* Both print one line and count. */
void fault_passed(void);
void fault_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fault_skipped(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

sqlite3 *fault_open(const char *path);   /* with the extension; or exit */
void fault_disk(void);
void fault_stop(const char *shared_object);

#endif
