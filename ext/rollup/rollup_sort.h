/*
** rollup_sort.h - the numbers of groups that are in memory, sorted.
**
**   list   0 1 2 3 4          by country, then by the sum, descending:
**   FI SE FI NO FI            0 2 4   3   1
**
** The last column of the order is sorted by first, and each sort leaves equal
** ones as they are.  Where a key has few values, these are sorted, and groups are
** put where their value is.  Other columns are compared by the first eight bytes of
** what orders them, and by the values where these are equal.
*/
#ifndef PQEXT_ROLLUP_SORT_H
#define PQEXT_ROLLUP_SORT_H

#include "ext/rollup/rollup_table.h"

/* A column of the order. */
typedef struct PqextSortBy {
    uint32_t number;                 /* as the run counts: keys, measures   */
    bool     desc;
} PqextSortBy;

/* A value of a group: keys first, then measures. */
PqRc pqext_group_cell(PqextRollupRun *r, const PqRollup *groups, uint32_t number,
                      uint32_t group, PqCell *out, PqErr *e);

/* Bytes that sorting n groups takes. */
uint64_t pqext_sort_memory(uint32_t n);

PqRc pqext_groups_sort(PqextRollupRun *r, const PqRollup *groups,
                       const PqextSortBy *by, uint32_t n_by, uint32_t *list,
                       uint32_t n, PqErr *e);

#endif
