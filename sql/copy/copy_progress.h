/*
** copy_progress.h - what a user learns about a copy: a line on stderr that
** shows its progress, and remarks at the end.
**
**   12,582,912 rows, 215.3 MB, 0:24, 524,288 rows/s
**
** Rewritten once a second, and a last time at the end.
*/
#ifndef PQSQL_COPY_PROGRESS_H
#define PQSQL_COPY_PROGRESS_H

#include "sql/copy/copy_options.h"

typedef struct PqsqlCopyProgress {
    bool     shown;
    int64_t  start, last;            /* in ms                                */
    uint32_t unasked;                /* rows since the clock was read        */
    uint32_t width;                  /* of the previous line                 */
    PqMem   *mem;
} PqsqlCopyProgress;

void pqsql_copy_progress_begin(PqsqlCopyProgress *p, bool shown, PqMem *mem);

/* Writes the line if a second has passed. */
void pqsql_copy_progress_write(PqsqlCopyProgress *p, const PqCopy *copy,
                               uint64_t n_rows);

/* Counts a row; copy is NULL while rows are only gathered. */
static inline void pqsql_copy_progress_row(PqsqlCopyProgress *p,
                                           const PqCopy *copy, uint64_t n_rows)
{
    enum { ROWS_PER_LOOK = 32 };

    if (p->shown && ++p->unasked >= ROWS_PER_LOOK) {
        p->unasked = 0;
        pqsql_copy_progress_write(p, copy, n_rows);
    }
}

void pqsql_copy_progress_end(PqsqlCopyProgress *p, const PqCopy *copy,
                             uint64_t n_rows);

/* Makes the remarks on a finished copy to path.  Each goes to SQLite's log, and
** to stderr if progress is shown.  Returns the remark on what cannot be undone,
** for the copy's answer and sqlite3_free; NULL: nothing. */
char *pqsql_copy_remarks(const PqsqlCopyProgress *progress, const PqCopy *copy,
                         const char *path, const PqsqlCopyOptions *o);

#endif
