/*
** list.c - entries of an IN list, in order, for lookups by halving.
**
** SQLite hands the entries over in its order, so sorting is the exception: in a
** UTF-16 database texts have another order.
*/
#include "ext/condition/list.h"

#include "sql/value/numeric.h"

#include <stdlib.h>

enum { MOST_ENTRIES = INT32_MAX / 2 };

PqRc pqext_list_add(PqextList *l, const PqCell *v, PqArena *a, PqErr *e)
{
    if (l->n >= MOST_ENTRIES) {
        return pq_fail(e, PQ_NOMEM, "the list of IN is too long");
    }
    PQ_TRY(PQ_ARENA_GROW(a, l->v, l->n, e));
    l->disordered = l->disordered ||
                    (l->n > 0 && pq_cell_compare(&l->v[l->n - 1], v) > 0);
    l->looks = l->looks || (v->kind == PQ_CELL_TEXT &&
                            pqsql_looks_like_number(pq_cell_slice(v)));
    l->v[l->n++] = *v;
    return PQ_OK;
}

static int compare(const void *a, const void *b)
{
    return pq_cell_compare(a, b);
}

void pqext_list_end(PqextList *l)
{
    if (l->disordered) {
        qsort(l->v, l->n, sizeof *l->v, compare);
        l->disordered = false;
    }
}

bool pqext_list_has(const PqextList *l, const PqCell *v)
{
    uint32_t low = 0, high = l->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (pq_cell_compare(&l->v[middle], v) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < l->n && pq_cell_compare(&l->v[low], v) == 0;
}
