/*
** copy_progress.h - a line on stderr that shows the progress of a copy.
**
**   12,582,912 rows, 215.3 MB, 0:24, 524,288 rows/s
**
** Rewritten once a second, and a last time at the end.
*/
#ifndef PQSQL_COPY_PROGRESS_H
#define PQSQL_COPY_PROGRESS_H

#include "core/for_host.h"

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

/* Writes a separate line, if progress is shown. */
void pqsql_copy_progress_say(const PqsqlCopyProgress *p, const char *text);

#endif
