/*
** fault.h - everything that can fail fails once, without harm.
**
**   memory.c      the allocators: count, fail, and know what is allocated
**   scenario.c    statements, and the files they read
**   beside.c      what is beside them: a server's folder, a pipe, a BLOB
**   points.c      runs a scenario again and again, failing the n-th point
**   disk.c        files that disappear, change, or are not files
**   stop.c        how long an interrupt takes
**   fault_main.c  chooses what to run
**
** A point is one allocation or one read.  When it fails, the statement must
** give an error with a message, or the right rows, and never other rows.
** Afterwards the connection must give the right rows, and closing it must give
** everything back: memory of SQLite, memory of the system, file descriptors.  A copy
** to a server that failed has left no object there, and no copy an open upload.
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

/* To be called before SQLite is first used. */
void fault_memory_begin(void);

/* Makes the nth point of the kind fail, counted from now; 0: none. */
void    fault_arm(FaultKind kind, int64_t nth);
int64_t fault_disarm(void);          /* how many points were passed */

/* The number of allocated blocks, without SQLite's; 0 if it is unknown because
** a sanitizer has malloc. */
int64_t fault_blocks_out(void);
bool    fault_knows_blocks(void);

/* ---- scenario.c ---------------------------------------------------------- */

typedef struct Scenario {
    const char *name;
    const char *before;              /* prepares; nothing fails             */
    const char *sql;                 /* its points fail                     */
    const char *after;               /* undoes sql, so that it can run again */
    unsigned    flags;
} Scenario;

enum {
    FROM_OPEN = 1,                   /* opening the connection fails too    */
    TWICE = 2,                       /* every statement is run again        */
    IN_A_FILE = 4,                   /* before was run in a database file   */
    OFFICIAL = 8,                    /* needs the official sample files     */
    /* A table whose file cannot be read when the schema is read has no columns
    ** for as long as the connection lasts. */
    NEEDS_NEW_CONNECTION = 16,
    /* A file that cannot be read is left out and logged, so a read that fails
    ** gives other rows and no error. */
    LEAVES_OUT = 32,
    MAKES_FILE = 64,                 /* the first statement of before makes a
                                     ** file, which is read for all points   */
    REFUSED = 128,                   /* sql ends in an error, and leaves nothing
                                     ** to undo: after is how it begins      */
    SERVED = 256,                    /* needs a server                       */
    UPLOADS = 512,                   /* the first statement copies to $W/out, which
                                     ** is empty before, and if it fails       */
    PIPED = 1024,                    /* standard input is a pipe with a file   */
};

extern const Scenario scenarios[];
extern const size_t n_scenarios;

/* The folders of samples, of official ones (or NULL), and for scratch files; the host
** and port of the server of the last one, or NULL. */
extern const char *folder_samples, *folder_official, *folder_work, *fault_server;

/* Replaces $S, $O, $W and $H in sql by these; free it with sqlite3_free. */
char *fault_expand(const char *sql);

/* ---- beside.c ------------------------------------------------------------ */

/* Standard input becomes a pipe that has a file of the samples in it. */
void beside_fill_pipe(void);

/* Files that a server was given, and parts of uploads that it still has. */
int  beside_count_objects(void), beside_count_uploads(void);
void beside_remove_objects(void);

/* readfile(path), as the shell has it. */
void beside_add_readfile(sqlite3 *db);

/* ---- points.c ------------------------------------------------------------ */

typedef struct Result {
    int64_t points, absorbed, wrong;
} Result;

/* Fails points 1, 2, 3 and so on; later only some, so that at most `most` are
** tried. */
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
