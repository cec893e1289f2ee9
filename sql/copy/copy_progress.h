/*
** copy_progress.h - how far a call has come that takes long, and remarks on a copy.
**
**   "progress": true      a line on stderr, rewritten once a second, and at the end
**
**       12,582,912 rows, 215.3 MB, 0:24, 524,288 rows/s
**
**   "progress": "seen"    SELECT "seen"(rows, bytes, seconds, rows expected), ten times
**                         a second, and when all is written but has no name yet
**
** The function is the program's own.  It is called on the thread of the call, between two
** rows.  If it fails, the call fails with its message, and nothing is published.
*/
#ifndef PQSQL_COPY_PROGRESS_H
#define PQSQL_COPY_PROGRESS_H

#include "sql/copy/copy_options.h"
#include "sql/sqlite.h"

/* The option, whose value may also be a switch. */
#define PQSQL_PROGRESS_LINE ""

/* All 0: nobody wants to know. */
typedef struct PqsqlCopyProgress {
    bool     is_line;
    sqlite3_stmt *function;          /* its call, or NULL                    */
    int64_t  expected;               /* rows; -1: not known                  */
    uint64_t rows, bytes;            /* of the copies before this one        */
    int64_t  start, last;            /* in ms                                */
    int      interval;               /* in ms; 0: nobody wants to know       */
    uint32_t width;                  /* of the previous line                 */
    PqMem   *mem;
} PqsqlCopyProgress;

/* said is the option: NULL for nothing, PQSQL_PROGRESS_LINE, or the name of a
** function, which has to be there. */
PqRc pqsql_copy_progress_begin(PqsqlCopyProgress *p, const char *said, sqlite3 *db,
                               PqMem *mem, PqErr *e);

/* Is it time to tell?  Asked for each row, because a query may give one a second. */
static inline bool pqsql_copy_progress_is_due(const PqsqlCopyProgress *p)
{
    return p->interval && pq_clock_ms() - p->last >= p->interval;
}

/* Tells how many rows and bytes there are; bytes -1: not known. */
PqRc pqsql_copy_progress_tell(PqsqlCopyProgress *p, uint64_t n_rows, int64_t n_bytes,
                              PqErr *e);

void pqsql_copy_progress_end(PqsqlCopyProgress *p);

/* Makes the remarks on a finished copy to path.  Each goes to SQLite's log, and
** to stderr if progress is shown.  Returns the remark on what cannot be undone,
** for the copy's answer and sqlite3_free; NULL: nothing. */
char *pqsql_copy_remarks(PqsqlCopyProgress *progress, const PqCopy *copy,
                         const char *path, const PqsqlCopyOptions *o);

#endif
