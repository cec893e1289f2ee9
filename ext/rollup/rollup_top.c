/*
** rollup_top.c - only groups that can belong to the first rows are handed out.
**
**   SELECT url, sum(n) FROM cube GROUP BY url ORDER BY 2 DESC LIMIT 10
**
** The text says (rollup_split.c) by which dimensions SQLite makes rows of groups, and
** what the order begins with.  So the groups of the rows after the tenth are not wanted,
** but for rows that are equal to it: SQLite may have other terms to choose among these
** by.  If it has none, ten rows are enough; and so are any ten without an ORDER BY.
**
** Where a row has several groups, the values that rows are ordered by are made here as
** SQLite will make them:
**
**   SELECT region, count(user) FROM cube GROUP BY region ORDER BY 2 DESC LIMIT 1
**
**   groups   1 A   2 A   1 B   1 NULL      rows   1: 2   2: 1      given   1 A   1 B   1 NULL
**
** All groups of a row are given, or none.  So SQLite may do with them what it likes.
** Sums of REALs depend on the order of additions: with one of these all groups are given.
**
** The first pass over the rows keeps the best values in a heap, the worst of them
** first.  The second lists the rows that are not worse than that.
*/
#include "ext/rollup/rollup_table.h"

enum { MOST = 4096, POLL = 4096 };

typedef struct Top {
    PqextRollupRun *run;
    const PqRollup *groups;
    const uint32_t *list;            /* of groups; NULL: the first ones     */
    uint32_t  n_groups;
    uint32_t  number;                /* of the measure or the dimension, as
                                     ** the run counts                      */
    uint32_t *wholes;                /* the row of each group; NULL: each
                                     ** group is a row                      */
    uint32_t  n_rows;
    PqCell   *values;                /* of rows with several groups         */
    const int64_t *counts;           /* of groups; NULL: the measure is     */
                                     /* something else                      */
    uint64_t  bound;                 /* no sum is further from 0            */
    bool      unknown;               /* the values are not                  */
    PqCell   *heap;
    uint32_t  n, most;
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

static uint32_t group_at(const Top *t, uint32_t i)
{
    return t->list ? t->list[i] : i;
}

static PqRc poll(const Top *t, uint32_t i, PqErr *e)
{
    PqStop stop = {pqext_host_stop, t->run->table->host};

    return i % POLL == 0 ? pq_stop_poll(&stop, e) : PQ_OK;
}

/* ---- rows of several groups -------------------------------------------------- */

/* SQLite fails if a sum of integers does not fit. */
static void add_int(Top *t, int64_t i, PqCell *to)
{
    uint64_t size = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

    if (size > (uint64_t)INT64_MAX - t->bound) {
        t->unknown = true;
        return;
    }
    t->bound += size;
    *to = pq_cell_int(to->i + i);
}

static void add_measure(Top *t, PqRollupOp op, const PqCell *cell, PqCell *to)
{
    int order;

    if (cell->kind == PQ_CELL_NULL) {
        return;
    }
    if (op == PQ_ROLLUP_MIN || op == PQ_ROLLUP_MAX) {
        order = pq_cell_compare(cell, to);
        *to = to->kind == PQ_CELL_NULL ||
                      (op == PQ_ROLLUP_MAX ? order > 0 : order < 0) ? *cell : *to;
    } else if (cell->kind == PQ_CELL_INT) {
        add_int(t, cell->i, to);
    } else {
        t->unknown = true;
    }
}

static PqRc add_measures(Top *t, PqErr *e)
{
    PqRollupOp op = t->run->table->rollup->measures[t->run->top.column].op;
    PqCell cell;

    for (uint32_t i = 0; i < t->n_groups && !t->unknown; i++) {
        PQ_TRY(poll(t, i, e));
        PQ_TRY(pqext_rollup_measure(t->run, t->groups, t->number, group_at(t, i),
                                    &cell, e));
        add_measure(t, op, &cell, &t->values[t->wholes[i]]);
    }
    return PQ_OK;
}

static PqRc count_groups(Top *t, PqErr *e)
{
    bool all = t->run->top.of == PQSQL_TOP_GROUPS;

    for (uint32_t i = 0; i < t->n_rows; i++) {
        t->values[i] = pq_cell_int(0);
    }
    for (uint32_t i = 0; i < t->n_groups; i++) {
        PQ_TRY(poll(t, i, e));
        t->values[t->wholes[i]].i +=
            all || pq_rollup_key(t->groups, t->number, group_at(t, i))->kind !=
                       PQ_CELL_NULL;
    }
    return PQ_OK;
}

static PqRc find_wholes(Top *t, PqArena *a, PqErr *e)
{
    uint32_t keys[PQ_ROLLUP_KEYS], n = 0;

    for (uint32_t k = 0; k < t->run->n_dimensions; k++) {
        if (t->run->top.by >> t->run->dimensions[k] & 1) {
            keys[n++] = k;
        }
    }
    t->wholes = pq_arena_alloc(a, t->n_groups * sizeof *t->wholes, e);
    PQ_TRY(t->wholes ? PQ_OK : e->rc);
    return pq_rollup_wholes(t->groups, keys, n, t->list, t->n_groups, t->wholes,
                            &t->n_rows, e);
}

/* The values that rows are ordered by. */
static PqRc make_values(Top *t, PqArena *a, PqErr *e)
{
    t->values = pq_arena_zeros(a, t->n_rows, sizeof *t->values, e);
    PQ_TRY(t->values ? PQ_OK : e->rc);
    return t->run->top.of == PQSQL_TOP_MEASURE ? add_measures(t, e)
                                               : count_groups(t, e);
}

/* ---- the first rows ------------------------------------------------------------ */

static PqRc value(const Top *t, uint32_t row, PqCell *out, PqErr *e)
{
    PQ_TRY(poll(t, row, e));
    if (t->values || t->counts) {
        *out = t->values ? t->values[row] : pq_cell_int(t->counts[group_at(t, row)]);
        return PQ_OK;
    }
    return pqext_rollup_measure(t->run, t->groups, t->number, group_at(t, row), out, e);
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

static PqRc find_best(Top *t, PqArena *a, PqErr *e)
{
    PqCell cell;

    t->heap = pq_arena_alloc(a, t->most * sizeof *t->heap, e);
    PQ_TRY(t->heap ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < t->n_rows; i++) {
        PQ_TRY(value(t, i, &cell, e));
        offer(t, &cell);
    }
    return PQ_OK;
}

/* Lists the rows that are wanted. */
static PqRc list_rows(Top *t, uint32_t *rows, uint32_t *n, PqErr *e)
{
    bool any = t->run->top.of == PQSQL_TOP_ANY;
    uint32_t equal = !any && t->run->top.alone ? equal_to_last(t) : UINT32_MAX;
    PqCell cell;

    *n = any ? t->most : 0;
    for (uint32_t i = 0; i < *n; i++) {
        rows[i] = i;
    }
    for (uint32_t i = 0; i < t->n_rows && !any; i++) {
        PQ_TRY(value(t, i, &cell, e));
        if (is_before(t, &cell, &t->heap[0]) ||
            (!is_before(t, &t->heap[0], &cell) && equal > 0)) {
            equal -= !is_before(t, &cell, &t->heap[0]);
            rows[(*n)++] = i;
        }
    }
    return PQ_OK;
}

/* The groups of these rows. */
static PqRc list_groups(const Top *t, const uint32_t *rows, uint32_t n_rows, PqArena *a,
                        uint32_t *groups, uint32_t *n, PqErr *e)
{
    uint8_t *wanted = t->wholes ? pq_arena_zeros(a, t->n_rows, 1, e) : NULL;

    *n = 0;
    PQ_TRY(wanted || !t->wholes ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n_rows; i++) {
        if (wanted) {
            wanted[rows[i]] = 1;
        } else {
            groups[(*n)++] = group_at(t, rows[i]);
        }
    }
    for (uint32_t i = 0; i < t->n_groups && wanted; i++) {
        if (wanted[t->wholes[i]]) {
            groups[(*n)++] = group_at(t, i);
        }
    }
    return PQ_OK;
}

/* *list stays as it is where all groups are wanted. */
static PqRc choose(Top *t, PqArena *a, uint32_t **list, uint32_t *n, PqErr *e)
{
    uint32_t *rows, *groups, n_rows;

    PQ_TRY(t->run->top.parts ? find_wholes(t, a, e) : PQ_OK);
    if (t->most >= t->n_rows) {
        return PQ_OK;
    }
    if (t->run->top.of != PQSQL_TOP_ANY) {
        PQ_TRY(t->wholes ? make_values(t, a, e) : PQ_OK);
        PQ_TRY(t->unknown ? PQ_OK : find_best(t, a, e));
    }
    if (t->unknown) {
        return PQ_OK;
    }
    rows = pq_arena_alloc(a, t->n_rows * sizeof *rows, e);
    groups = t->wholes ? pq_arena_alloc(a, t->n_groups * sizeof *groups, e) : rows;
    PQ_TRY(rows && groups ? PQ_OK : e->rc);
    PQ_TRY(list_rows(t, rows, &n_rows, e));
    PQ_TRY(list_groups(t, rows, n_rows, a, groups, n, e));
    *list = groups;
    return PQ_OK;
}

/* The number of the column that rows are ordered by, as the run counts. */
static bool find_number(Top *t)
{
    const PqextRollupRun *r = t->run;
    bool measure = r->top.of == PQSQL_TOP_MEASURE;
    const uint32_t *of = measure ? r->measures : r->dimensions;
    uint32_t n = measure ? r->n_measures : r->n_dimensions;

    while (t->number < n && of[t->number] != r->top.column) {
        t->number++;
    }
    return t->number < n || r->top.of == PQSQL_TOP_ANY || r->top.of == PQSQL_TOP_GROUPS;
}

/* Values that lie in the run's scratch do not stay. */
bool pqext_rollup_top_can(const PqextRollupRun *r)
{
    return !r->table->utf16 && !r->table->source->values.decimal_text;
}

static bool can(const PqextRollupRun *r, uint32_t n)
{
    return r->top.n > 0 && r->top.n <= MOST && r->top.n < n && pqext_rollup_top_can(r);
}

PqRc pqext_rollup_top(PqextRollupRun *r, const PqRollup *groups, PqArena *a,
                      uint32_t **list, uint32_t *n, PqErr *e)
{
    Top t = {.run = r, .groups = groups, .list = *list, .n_groups = *n, .n_rows = *n,
             .most = (uint32_t)r->top.n};
    PqRc rc;

    if (!can(r, *n) || !find_number(&t)) {
        return PQ_OK;
    }
    t.counts = r->top.of == PQSQL_TOP_MEASURE ? pq_rollup_counts(groups, t.number) : NULL;
    rc = choose(&t, a, list, n, e);
    if (rc == PQ_BUDGET) {           /* all groups will do */
        pq_err_clear(e);
        *n = t.n_groups;
        return PQ_OK;
    }
    return rc;
}
