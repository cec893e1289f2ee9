/*
** rollup_top.c - only groups that can be among the first rows are handed out.
**
**   SELECT url, sum(n) FROM cube GROUP BY url ORDER BY 2 DESC LIMIT 10
**
** The text says (rollup_split.c) that each group becomes a row, and that the order
** begins with a measure.  So the groups after the tenth are not wanted, but for those
** that are equal to it: SQLite may have other terms to choose among these by.  If it
** has none, ten groups are enough; and so are any ten without an ORDER BY.
**
** The first pass over the groups keeps the best values in a heap, the worst of them
** first.  The second lists the groups that are not worse than that.
*/
#include "ext/rollup/rollup_table.h"

enum { MOST = 4096, POLL = 4096 };

typedef struct Top {
    PqextRollupRun *run;
    const PqRollup *groups;
    uint32_t number;                 /* of the measure, as the run counts   */
    PqCell  *heap;
    uint32_t n, most;
} Top;

/* Does a come before b? */
static bool is_before(const Top *t, const PqCell *a, const PqCell *b)
{
    int order = pq_cell_compare(a, b);

    return t->run->top.desc ? order > 0 : order < 0;
}

static void swap(PqCell *a, PqCell *b)
{
    PqCell cell = *a;

    *a = *b;
    *b = cell;
}

static void sink(Top *t)
{
    for (uint32_t i = 0, child = 1; child < t->n; i = child, child = 2 * i + 1) {
        child += child + 1 < t->n &&
                 is_before(t, &t->heap[child], &t->heap[child + 1]);
        if (!is_before(t, &t->heap[i], &t->heap[child])) {
            return;
        }
        swap(&t->heap[i], &t->heap[child]);
    }
}

static void rise(Top *t, uint32_t i)
{
    for (; i > 0 && is_before(t, &t->heap[(i - 1) / 2], &t->heap[i]); i = (i - 1) / 2) {
        swap(&t->heap[(i - 1) / 2], &t->heap[i]);
    }
}

static void offer(Top *t, const PqCell *cell)
{
    if (t->n < t->most) {
        t->heap[t->n] = *cell;
        rise(t, t->n++);
    } else if (is_before(t, cell, &t->heap[0])) {
        t->heap[0] = *cell;
        sink(t);
    }
}

static PqRc value(const Top *t, uint32_t group, PqCell *out, PqErr *e)
{
    PqStop stop = {pqext_host_stop, t->run->table->host};

    if (group % POLL == 0) {
        PQ_TRY(pq_stop_poll(&stop, e));
    }
    return pqext_rollup_measure(t->run, t->groups, t->number, group, out, e);
}

/* Values that lie in the run's scratch do not stay. */
static bool can(const PqextRollupRun *r, uint32_t n)
{
    return r->top.n > 0 && r->top.n <= MOST && r->top.n < n && !r->table->utf16 &&
           !r->table->source->values.decimal_text;
}

/* How many of the best values are equal to the worst of them. */
static uint32_t equal_to_last(const Top *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        n += !is_before(t, &t->heap[i], &t->heap[0]);
    }
    return n;
}

static PqRc list_any(uint32_t wanted, PqArena *a, uint32_t **list, uint32_t *n,
                     PqErr *e)
{
    uint32_t *to = pq_arena_alloc(a, wanted * sizeof *to, e);

    PQ_TRY(to ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < wanted; i++) {
        to[i] = *list ? (*list)[i] : i;
    }
    *list = to;
    *n = wanted;
    return PQ_OK;
}

static PqRc list_groups(Top *t, PqArena *a, uint32_t **list, uint32_t *n, PqErr *e)
{
    const uint32_t *from = *list;
    uint32_t *to = pq_arena_alloc(a, *n * sizeof *to, e), kept = 0;
    uint32_t equal = t->run->top.alone ? equal_to_last(t) : UINT32_MAX;
    PqCell cell;

    PQ_TRY(to ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < *n; i++) {
        PQ_TRY(value(t, from ? from[i] : i, &cell, e));
        if (is_before(t, &cell, &t->heap[0]) ||
            (!is_before(t, &t->heap[0], &cell) && equal > 0)) {
            equal -= !is_before(t, &cell, &t->heap[0]);
            to[kept++] = from ? from[i] : i;
        }
    }
    *list = to;
    *n = kept;
    return PQ_OK;
}

PqRc pqext_rollup_top(PqextRollupRun *r, const PqRollup *groups, PqArena *a,
                      uint32_t **list, uint32_t *n, PqErr *e)
{
    Top t = {.run = r, .groups = groups, .most = (uint32_t)r->top.n};
    PqCell cell;

    if (!can(r, *n)) {
        return PQ_OK;
    }
    if (r->top.any) {
        return list_any(t.most, a, list, n, e);
    }
    while (t.number < r->n_measures && r->measures[t.number] != r->top.measure) {
        t.number++;
    }
    if (t.number == r->n_measures) {
        return PQ_OK;
    }
    t.heap = pq_arena_alloc(a, t.most * sizeof *t.heap, e);
    PQ_TRY(t.heap ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < *n; i++) {
        PQ_TRY(value(&t, *list ? (*list)[i] : i, &cell, e));
        offer(&t, &cell);
    }
    return list_groups(&t, a, list, n, e);
}
