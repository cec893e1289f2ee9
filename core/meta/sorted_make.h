/*
** sorted_make.h - are the rows of a column sorted, as they go by?
**
** For sorting_columns that nobody had to ask for.  Every column begins with all
** claims, and rows refute them:
**
**                     ascending  descending  nulls first  nulls last
**   NULL 3 3               x          x           x
**   NULL 3 3 5             x                      x
**   NULL 3 3 5 NULL        x
**
** The order is that of pq_order_compare, but for zeros: -0.0 stands before 0.0,
** which is sorted by any reading of the format.  NaN has no place that readers
** agree on and ends all claims.  Types without an order have none, and neither
** have values of many kilobytes.
**
** Once nothing is left to refute, rows cost nothing.
*/
#ifndef PQ_SORTED_MAKE_H
#define PQ_SORTED_MAKE_H

#include "core/meta/rank.h"

typedef struct PqSortedMake {
    const PqType *type;
    PqRankKind kind;
    bool       ascending, descending;        /* of values              */
    bool       nulls_first, nulls_last;
    bool       has_value, has_null;          /* were seen              */
    int64_t    last;                         /* the last value's rank, */
    PqBuf      last_bytes;                   /* or the value           */
} PqSortedMake;

/* type is borrowed. */
void pq_sorted_make_init(PqSortedMake *s, const PqType *type, PqMem *mem);
void pq_sorted_make_free(PqSortedMake *s);
void pq_sorted_make_reset(PqSortedMake *s);          /* keeps its room */

/* n_rows more, of a column that is in no list.  values in the layout of
** decoder.h, nulls left out; valid has a bit per row, set where there is a
** value, and is NULL where all rows have one. */
PqRc pq_sorted_make_add(PqSortedMake *s, const void *values,
                        const uint64_t *valid, uint32_t n_rows, PqErr *e);

/* Whether one of the four claims holds: ascending or descending, nulls first or
** last.  Where several do: ascending, and nulls where SQLite sorts them. */
bool pq_sorted_made(const PqSortedMake *s, bool *descending,
                    bool *nulls_first);

/* The rows so far hold no claim, and no further row will change that. */
static inline bool pq_sorted_make_is_over(const PqSortedMake *s)
{
    return !(s->ascending || s->descending) ||
           !(s->nulls_first || s->nulls_last);
}

#endif
