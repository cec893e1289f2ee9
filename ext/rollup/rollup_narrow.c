/*
** rollup_narrow.c - where any groups will do, the rows of others are not read.
**
**   SELECT user, phrase, sum(n) FROM cube GROUP BY user, phrase LIMIT 10
**
**   the first batches        make groups 0 to 9, and some more
**   the batches after them   rows by user IN (those of groups 0 to 9),
**                            phrase IN (...)
**
** Rows of other groups may pass, too, so these groups are not whole.  Only the first ten
** are handed out (rollup_top.c).  If groups leave memory, their order is lost; then all
** rows are read again without this.
*/
#include "ext/rollup/rollup_table.h"

enum { MOST = 256 };                 /* groups                              */

uint64_t pqext_rollup_narrows(const PqextRollupRun *r)
{
    return r->top.n > 0 && r->top.n <= MOST && r->top.of == PQSQL_TOP_ANY &&
                   !r->top.parts && r->top.by != 0 && pqext_rollup_top_can(r)
               ? r->top.n : 0;
}

static bool is_in(const PqextList *list, const PqCell *v)
{
    for (uint32_t i = 0; i < list->n; i++) {
        if (pq_cell_same(&list->v[i], v)) {
            return true;
        }
    }
    return false;
}

/* The values of the key in the wanted groups.  NULL is in no list: then *out is
** NULL. */
static PqRc list_values(PqextRollupRun *r, uint32_t key, PqextList **out, PqErr *e)
{
    PqArena *a = &r->source.arena;
    PqextList *list = pq_arena_zeros(a, 1, sizeof *list, e);

    *out = NULL;
    PQ_TRY(list ? PQ_OK : e->rc);
    for (uint32_t g = 0; g < r->top.n; g++) {
        PqCell v = *pq_rollup_key(r->groups, key, g);

        if (v.kind == PQ_CELL_NULL) {
            return PQ_OK;
        }
        if (!is_in(list, &v)) {
            PQ_TRY(pq_cell_keep(&v, a, e));
            PQ_TRY(pqext_list_add(list, &v, a, e));
        }
    }
    pqext_list_end(list);
    *out = list;
    return PQ_OK;
}

static PqRc narrow_key(PqextRollupRun *r, uint32_t key, PqErr *e)
{
    PqextScan *s = &r->source;
    const PqextDimension *d = &r->table->rollup->dimensions[r->dimensions[key]];
    PqextTerm term = {.column = (int)d->column, .op = PQEXT_IN, .by_value = true};
    PqextCondition *c;
    PqextList *list;

    if (d->kind != PQEXT_DIM_COLUMN ||
        !pq_column_is_of_pages(&s->table->table->columns[d->column]) ||
        !pqext_condition_can(s->table, d->column, PQEXT_IN)) {
        return PQ_OK;
    }
    PQ_TRY(list_values(r, key, &list, e));
    if (!list) {
        return PQ_OK;
    }
    c = pq_arena_zeros(&s->arena, 1, sizeof *c, e);
    PQ_TRY(c ? PQ_OK : e->rc);
    PQ_TRY(pqext_condition_begin(s->table, term, NULL, list, pqext_scan_load, s, &s->arena,
                                 c, e));
    r->narrowed = true;
    return pqext_rollup_add_condition(s, c, true);
}

PqRc pqext_rollup_narrow(PqextRollupRun *r)
{
    PqErr *e = &r->source.e;
    uint32_t n;

    if (r->narrowed || !pq_rollup_is_whole(r->groups, &n) || n < r->top.n) {
        return PQ_OK;
    }
    for (uint32_t k = 0; k < r->n_dimensions; k++) {
        PQ_TRY(narrow_key(r, k, e));
    }
    return PQ_OK;
}
