/*
** sorted_make.h - observes whether the rows of a column are sorted.
**
** For sorting_columns that are declared without the user asking for them.  A
** column begins with all four claims; rows refute them:
**
**                     ascending  descending  nulls first  nulls last
**   NULL 3 3               x          x           x
**   NULL 3 3 5             x                      x
**   NULL 3 3 5 NULL        x
**
** The order is as in pq_order_compare, except that -0.0 must come before 0.0:
** rows in that order are sorted by any reading of the format.  Readers do not
** agree where NaN sorts, so NaN ends all claims.  Types without an order have
** none from the beginning.  A value of many kilobytes ends them too.
**
** Once no claim is left, rows cost nothing.
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

/* Adds n_rows rows of a column that is not inside a list.  values are laid out
** as in decoder.h, without nulls.  valid has a bit per row, set where there is
** a value; NULL: all rows have one. */
PqRc pq_sorted_make_add(PqSortedMake *s, const void *values,
                        const uint64_t *valid, uint32_t n_rows, PqErr *e);

/* Are the rows sorted?  If both directions hold, it is ascending; if both
** places of nulls hold, it is where SQLite sorts them. */
bool pq_sorted_made(const PqSortedMake *s, bool *descending,
                    bool *nulls_first);

/* Are the rows so far not sorted?  No further row will change that. */
static inline bool pq_sorted_make_is_over(const PqSortedMake *s)
{
    return !(s->ascending || s->descending) ||
           !(s->nulls_first || s->nulls_last);
}

#endif
