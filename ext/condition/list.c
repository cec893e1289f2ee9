/*
** list.c - entries of an IN list, in order, for lookups by halving.
**
** SQLite hands the entries over in its order, so sorting is the exception: in a
** UTF-16 database texts have another order.
*/
#include "ext/condition/list.h"

#include "sql/value/numeric.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16, MOST_ENTRIES = INT32_MAX };

static PqRc grow(PqextList *l, PqArena *a, PqErr *e)
{
    uint32_t room = l->room ? 2 * l->room : FIRST_ROOM;
    PqCell *v;

    if (l->n >= MOST_ENTRIES / 2) {
        return pq_fail(e, PQ_NOMEM, "the list of IN is too long");
    }
    v = pq_arena_alloc(a, room * sizeof *v, e);
    if (!v) {
        return e->rc;
    }
    if (l->n > 0) {
        memcpy(v, l->v, l->n * sizeof *v);
    }
    l->v = v;
    l->room = room;
    return PQ_OK;
}

PqRc pqext_list_add(PqextList *l, const PqCell *v, PqArena *a, PqErr *e)
{
    if (l->n == l->room) {
        PQ_TRY(grow(l, a, e));
    }
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

/* Sorting is rare: only texts of a UTF-16 database have another order. */
void pqext_list_end(PqextList *l)
{
    if (l->disordered) {
        qsort(l->v, l->n, sizeof *l->v, compare);
        l->disordered = false;
    }
}

/* The first entry that is not less than v; l->n: there is none. */
static uint32_t first_from(const PqextList *l, const PqCell *v)
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
    return low;
}

bool pqext_list_has(const PqextList *l, const PqCell *v)
{
    uint32_t at = first_from(l, v);

    return at < l->n && pq_cell_compare(&l->v[at], v) == 0;
}
