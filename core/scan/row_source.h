/*
** row_source.h - a source of rows: the interface of whatever hands out batches.
**
** A consumer takes one batch after the other, and does not know who makes them:
**
**   scan       rows as they lie in the files, or elements   scan.h, unnest.h
**   distinct   ... one row of each value                    distinct.h
**   files      ... file by file, the files in an order      file_order.h
**   top        the best rows first                          core/top/top.h
**   grouping   rows with equal keys side by side            core/group/grouping.h
**
** A host may have sources of its own: the rows that have a key, groups that were
** added up.  Whoever adds a source sets these functions.
**
** What a source cannot know it asks the host (PqRowHost).
**
** If rows are alike, a source may hand out only one of them.  They are alike as
** long as the host uses only the columns that it named.  A rowid tells them
** apart: once the host asks for the rowid of the first row, it gets all rows.
** For rows that were left out before, the host did not want the rowid.
**
**   SELECT DISTINCT day, rowid      2024-03-01  17      the source is asked for the
**                                               18      rowid of its first row, and
**                                               19      hands out those after it too
*/
#ifndef PQ_ROW_SOURCE_H
#define PQ_ROW_SOURCE_H

#include "core/numbering/cell.h"
#include "core/scan/scan.h"

typedef struct PqRowSource PqRowSource;
struct PqRowSource {
    const PqBatch *batch;            /* the rows that next has made         */
    PqScan        *scan;             /* whose batch that is, or NULL        */
    /* Makes the next rows the batch; *more false: there are no more. */
    PqRc (*next)(PqRowSource *s, bool *more, PqErr *e);
    /* From now on all rows come, alike or not.  *changed: the batch has
    ** changed, and now begins with this row.  NULL: all rows come anyway. */
    PqRc (*tell_apart)(PqRowSource *s, uint32_t row, bool *changed, PqErr *e);
    /* The rowid of a row of the batch. */
    PqRc (*rowid)(PqRowSource *s, uint32_t row, int64_t *out, PqErr *e);
    void (*free)(PqRowSource *s);    /* NULL: it belongs to something else  */
};

/* Which rows there are for a source that goes over a scan, and what it asks the host. */
typedef struct PqRowHost {
    const PqListing  *listing;
    const PqRowRange *ranges;        /* all rows are in these, sorted and   */
    uint32_t          n_ranges;      /* disjoint                            */
    void             *arg;           /* given to the functions              */
    PqSkipFile        skip_file;     /* or NULL                             */
    /* Begins to scan these rows, with the host's proofs and perhaps its filters. */
    PqRc (*begin)(void *arg, const PqRowRange *ranges, uint32_t n, bool filters,
                  PqErr *e);
    /* Loads a column for the batch; and then the value of a row, whose bytes stay
    ** until the next one of the column is asked for. */
    PqRc (*load)(void *arg, uint32_t column, PqErr *e);
    PqRc (*cell)(void *arg, uint32_t column, uint32_t row, PqCell *out, PqErr *e);
} PqRowHost;

/* Puts the rows that are both in ranges v, which are sorted and disjoint, and
** in the host's ranges into *out, an array with *room that the caller frees. */
PqRc pq_row_host_cut(const PqRowHost *h, const PqRowRange *v, uint32_t n_v,
                     PqMem *mem, PqRowRange **out, uint32_t *room, uint32_t *n,
                     PqErr *e);

/* The rows of a scan that was started, as pq_scan_next hands them out. */
PqRowSource *pq_scan_rows(PqScan *s);

/* For making a source over a scan: sets everything except tell_apart and
** free. */
PqRowSource pq_row_source(PqScan *scan,
                          PqRc (*next)(PqRowSource *, bool *, PqErr *));

static inline void pq_row_source_free(PqRowSource *s)    /* s may be NULL */
{
    if (s && s->free) {
        s->free(s);
    }
}

#endif
