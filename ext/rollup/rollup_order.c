/*
** rollup_order.c - see rollup_order.h.
**
** A row that is kept has the values of all columns that are used, with their
** bytes.  Of a row that is looked at only the order's columns are, and the rest
** if it is kept.
*/
#include "ext/rollup/rollup_order.h"

#include "ext/rollup/rollup_sort.h"

enum {
    FIRST = 1024,                    /* most rows of the first pass         */
    AT_ONCE = 1 << 16,               /* groups that are sorted without one  */
    LEAST = 256,                     /* least of any                        */
    A_LONG_ROW = 512,                /* bytes                               */
    TIDY = 1 << 20,
    MEMORY_SHARE = 8,                /* for the first pass                  */
    SORT_SHARE = 4,                  /* for what comes after it             */
    NEAR = 32,                       /* rows that are fetched at a time     */
    POLL = 4096
};

struct PqextRollupOrder {
    PqextRollupRun *run;
    PqRollup       *groups;
    bool            whole;
    const uint32_t *list;
    uint32_t        n;               /* groups, if whole                    */
    uint32_t        n_cells;         /* keys and measures                   */
    PqextSortBy     order[PQ_ROLLUP_KEYS + PQEXT_ROLLUP_ORDER];
    uint32_t        n_order;         /* with those that tell equal ones apart */
    PqArena         arena, last_arena;
    size_t          tidy_at;         /* bytes of the arena                  */
    PqCell        **rows;            /* a heap: the worst is first          */
    uint32_t        n_rows, most;
    PqCell         *last;            /* given; NULL: none                   */
    bool            done;
    PqCell    *looked;
    uint32_t       *sorted;          /* groups that come; NULL: rows do     */
    uint32_t        n_sorted, n_near;            /* the first are near      */
    PqStop          stop;
};

/* ---- comparing ------------------------------------------------------------ */

static int compare(const PqextRollupOrder *o, const PqCell *a,
                   const PqCell *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = o->order[i].number;
        int c = pq_cell_compare(&a[k], &b[k]);

        if (c != 0) {
            return o->order[i].desc ? -c : c;
        }
    }
    return 0;
}

/* ---- the heap ------------------------------------------------------------- */

static void sink(PqextRollupOrder *o, uint32_t i, uint32_t n)
{
    PqCell **v = o->rows, *row = v[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= n) {
            break;
        }
        if (child + 1 < n &&
            compare(o, v[child + 1], v[child], o->n_order) > 0) {
            child++;
        }
        if (compare(o, v[child], row, o->n_order) <= 0) {
            break;
        }
        v[i] = v[child];
        i = child;
    }
    v[i] = row;
}

static void rise(PqextRollupOrder *o, uint32_t i)
{
    PqCell **v = o->rows, *row = v[i];

    while (i > 0 && compare(o, row, v[(i - 1) / 2], o->n_order) > 0) {
        v[i] = v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    v[i] = row;
}

/* Two runs become one. */
static void merge(const PqextRollupOrder *o, PqCell **a, uint32_t n_a,
                  uint32_t n_b, PqCell **to)
{
    PqCell **b = a + n_a, **end_a = b, **end_b = b + n_b;

    while (a < end_a && b < end_b) {
        *to++ = compare(o, *b, *a, o->n_order) < 0 ? *b++ : *a++;
    }
    while (a < end_a) {
        *to++ = *a++;
    }
    while (b < end_b) {
        *to++ = *b++;
    }
}

/* The heap becomes a list.  Merging takes half as many comparisons as taking one
** after the other from the heap. */
static PqRc sort(PqextRollupOrder *o, PqErr *e)
{
    uint32_t n = o->n_rows;
    uint64_t work = 0;
    PqCell **from = o->rows;
    PqCell **to = pq_arena_alloc(&o->arena, (n + 1u) * sizeof *to, e);

    if (!to) {
        return e->rc;
    }
    for (uint64_t run = 1; run < n; run *= 2) {
        PqCell **made = to;

        for (uint64_t i = 0; i < n; i += 2 * run) {
            uint64_t a = run < n - i ? run : n - i;
            uint64_t b = run < n - i - a ? run : n - i - a;

            merge(o, from + i, (uint32_t)a, (uint32_t)b, to + i);
            work += a + b;
            if (work >= POLL) {
                PQ_TRY(pq_stop_poll(&o->stop, e));
                work = 0;
            }
        }
        to = from;
        from = made;
    }
    o->rows = from;
    return PQ_OK;
}

/* ---- a pass --------------------------------------------------------------- */

static PqRc copy_row(const PqextRollupOrder *o, PqArena *a,
                     const PqCell *row, PqCell **out, PqErr *e)
{
    PqCell *to = pq_arena_zeros(a, o->n_cells + 1u, sizeof *to, e);

    for (uint32_t i = 0; to && i < o->n_cells; i++) {
        to[i] = row[i];
        PQ_TRY(pq_cell_keep(&to[i], a, e));
    }
    *out = to;
    return to ? PQ_OK : e->rc;
}

static PqRc fetch(PqextRollupOrder *o, uint32_t group, uint32_t number,
                  PqErr *e)
{
    return pqext_group_cell(o->run, o->groups, number, group, &o->looked[number],
                            e);
}

/* A row that is kept; in place of another if there is one. */
static PqRc keep(PqextRollupOrder *o, uint32_t group, PqCell **to,
                 PqErr *e)
{
    PqCell *row = *to;

    if (!row) {
        row = pq_arena_zeros(&o->arena, o->n_cells + 1u, sizeof *row, e);
        if (!row) {
            return e->rc;
        }
    }
    for (uint32_t i = 0; i < o->n_cells; i++) {
        PQ_TRY(fetch(o, group, i, e));
        row[i] = o->looked[i];
        PQ_TRY(pq_cell_keep(&row[i], &o->arena, e));
    }
    *to = row;
    return PQ_OK;
}

/* How it compares with a row that was kept. */
static PqRc compare_group(PqextRollupOrder *o, uint32_t group,
                          const PqCell *with, int *out, PqErr *e)
{
    *out = 0;
    for (uint32_t i = 0; i < o->n_order && *out == 0; i++) {
        uint32_t k = o->order[i].number;

        PQ_TRY(fetch(o, group, k, e));
        *out = pq_cell_compare(&o->looked[k], &with[k]);
        *out = o->order[i].desc ? -*out : *out;
    }
    return PQ_OK;
}

static size_t tidy_at(const PqextRollupOrder *o)
{
    size_t memory = (size_t)o->run->table->options.memory / MEMORY_SHARE;

    return 2 * pq_arena_memory(&o->arena) +
           (memory < TIDY ? memory : TIDY);
}

/* The bytes of rows that were replaced stay in the arena.  When they may be half
** of it, the rows that are kept move to another one. */
static PqRc tidy(PqextRollupOrder *o, PqErr *e)
{
    PqArena old = o->arena;
    PqCell **rows, *looked;
    PqRc rc = PQ_OK;

    pq_arena_init(&o->arena, old.mem);
    rows = pq_arena_alloc(&o->arena, (o->most + 1u) * sizeof *rows, e);
    looked = pq_arena_zeros(&o->arena, o->n_cells + 1u, sizeof *looked, e);
    if (!rows || !looked) {
        PQ_GO(e->rc);
    }
    for (uint32_t i = 0; i < o->n_rows; i++) {
        PQ_GO(copy_row(o, &o->arena, o->rows[i], &rows[i], e));
    }
    o->rows = rows;
    o->looked = looked;
    o->tidy_at = tidy_at(o);
done:
    if (rc != PQ_OK) {               /* the call ends: no row is given */
        o->n_rows = 0;
    }
    pq_arena_free(&old);
    return rc;
}

/* Does it come after the last, and before the worst that is kept? */
static PqRc is_wanted(PqextRollupOrder *o, uint32_t group, bool *wanted,
                      PqErr *e)
{
    int worst = -1, last = 1;

    if (o->n_rows == o->most) {
        PQ_TRY(compare_group(o, group, o->rows[0], &worst, e));
    }
    if (o->last && worst < 0) {
        PQ_TRY(compare_group(o, group, o->last, &last, e));
    }
    *wanted = worst < 0 && last > 0;
    return PQ_OK;
}

static PqRc look_at(PqextRollupOrder *o, uint32_t group, PqErr *e)
{
    bool wanted;

    PQ_TRY(is_wanted(o, group, &wanted, e));
    if (!wanted) {
        return PQ_OK;
    }
    if (o->n_rows == o->most) {
        PQ_TRY(keep(o, group, &o->rows[0], e));
        sink(o, 0, o->n_rows);
        return pq_arena_memory(&o->arena) > o->tidy_at ? tidy(o, e) : PQ_OK;
    }
    o->rows[o->n_rows] = NULL;
    PQ_TRY(keep(o, group, &o->rows[o->n_rows], e));
    rise(o, o->n_rows++);
    return PQ_OK;
}

static PqRc look_at_block(PqextRollupOrder *o, uint32_t n, PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(look_at(o, o->list ? o->list[i] : i, e));
        if (i % POLL == 0) {
            PQ_TRY(pq_stop_poll(&o->stop, e));
        }
    }
    return PQ_OK;
}

static PqRc pass(PqextRollupOrder *o, PqErr *e)
{
    uint32_t n;

    if (o->whole) {
        return look_at_block(o, o->n, e);
    }
    if (o->last) {
        PQ_TRY(pq_rollup_rewind(o->groups, e));
    }
    PQ_TRY(pq_rollup_next(o->groups, &n, e));
    while (n > 0) {
        PQ_TRY(look_at_block(o, n, e));
        PQ_TRY(pq_rollup_next(o->groups, &n, e));
    }
    return PQ_OK;
}

/* The last row of those that were given stays. */
static PqRc keep_last(PqextRollupOrder *o, PqErr *e)
{
    pq_arena_reset(&o->last_arena);
    return copy_row(o, &o->last_arena, o->rows[o->n_rows - 1], &o->last, e);
}

/* Rows are taken to be as long as those of the pass before.  The first pass is
** short, since often there is a LIMIT. */
static uint32_t rows_that_fit(const PqextRollupOrder *o)
{
    bool first = o->most == 0;
    uint64_t row = first ? A_LONG_ROW
                         : pq_arena_memory(&o->arena) / o->most +
                               (o->n_cells + 1u) * sizeof(PqCell);
    uint64_t n = (uint64_t)o->run->table->options.memory /
                 (first ? MEMORY_SHARE : SORT_SHARE) / row;

    n = first && n > FIRST ? FIRST : n;
    n = o->whole && n > o->n ? o->n : n;
    return n < LEAST ? LEAST : n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

static PqRc make_looked(PqextRollupOrder *o, PqErr *e)
{
    o->looked = pq_arena_zeros(&o->arena, o->n_cells + 1u, sizeof *o->looked,
                               e);
    return o->looked ? PQ_OK : e->rc;
}

static PqRc next_pass(PqextRollupOrder *o, uint32_t *n, PqErr *e)
{
    if (o->n_rows > 0) {
        PQ_TRY(keep_last(o, e));
    }
    o->most = rows_that_fit(o);
    pq_arena_reset(&o->arena);
    o->n_rows = 0;
    o->rows = pq_arena_alloc(&o->arena, (o->most + 1u) * sizeof *o->rows, e);
    PQ_TRY(o->rows ? make_looked(o, e) : e->rc);
    o->tidy_at = tidy_at(o);
    PQ_TRY(pass(o, e));
    o->done = o->n_rows < o->most;
    PQ_TRY(sort(o, e));
    *n = o->n_rows;
    return PQ_OK;
}

/* ---- all that are left --------------------------------------------------------- */

static bool can_sort(const PqextRollupOrder *o)
{
    return o->whole && (o->n_rows > 0 || o->n <= AT_ONCE) &&
           pqext_sort_memory(o->n) <=
               (uint64_t)o->run->table->options.memory / SORT_SHARE;
}

/* Those after the last one given, if one was, sorted. */
static PqRc sort_the_rest(PqextRollupOrder *o, uint32_t *n, PqErr *e)
{
    o->done = true;
    PQ_TRY(o->n_rows > 0 ? keep_last(o, e) : make_looked(o, e));
    o->sorted = pq_arena_alloc(&o->last_arena,
                               (o->n + (size_t)1) * sizeof *o->sorted, e);
    if (!o->sorted) {
        return e->rc;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t group = o->list ? o->list[i] : i;
        int last = 1;

        PQ_TRY(o->last ? compare_group(o, group, o->last, &last, e) : PQ_OK);
        o->sorted[*n] = group;
        *n += last > 0;
        if (i % POLL == 0) {
            PQ_TRY(pq_stop_poll(&o->stop, e));
        }
    }
    o->n_sorted = *n;
    return pqext_groups_sort(o->run, o->groups, o->order, o->n_order, o->sorted,
                             *n, e);
}

PqRc pqext_rollup_order_next(PqextRollupOrder *o, uint32_t *n, PqErr *e)
{
    *n = 0;
    return o->done       ? PQ_OK
           : can_sort(o) ? sort_the_rest(o, n, e) : next_pass(o, n, e);
}

static void fetch_some(PqextRollupOrder *o, uint32_t row)
{
    uint32_t n = o->n_sorted - row < NEAR ? o->n_sorted - row : NEAR;

    pq_rollup_fetch(o->groups, o->sorted + row, n);
    o->n_near = row + n;
}

PqRc pqext_rollup_order_cell(PqextRollupOrder *o, uint32_t number, uint32_t row,
                             const PqCell **out, PqErr *e)
{
    if (o->sorted) {
        if (row >= o->n_near) {
            fetch_some(o, row);
        }
        *out = &o->looked[number];
        return fetch(o, o->sorted[row], number, e);
    }
    *out = &o->rows[row][number];
    return PQ_OK;
}

/* ---- beginning ------------------------------------------------------------ */

/* A column of the table, as the run counts: keys, then measures. */
static uint32_t number_of(const PqextRollupRun *r, uint32_t column)
{
    uint32_t n_dimensions = r->table->rollup->n_dimensions, i = 0;

    if (column < n_dimensions) {
        while (r->dimensions[i] != column) {
            i++;
        }
        return i;
    }
    while (r->measures[i] != column - n_dimensions) {
        i++;
    }
    return r->n_dimensions + i;
}

static bool is_ordered_by(const PqextRollupOrder *o, uint32_t number)
{
    for (uint32_t i = 0; i < o->n_order; i++) {
        if (o->order[i].number == number) {
            return true;
        }
    }
    return false;
}

static void set_order(PqextRollupOrder *o)
{
    const PqextRollupPlan *p = &o->run->plan;

    for (uint32_t i = 0; i < p->n_order; i++) {
        o->order[o->n_order++] = (PqextSortBy){number_of(o->run, p->order[i]),
                                               p->desc[i]};
    }
    for (uint32_t i = 0; i < o->run->n_dimensions; i++) {
        if (!is_ordered_by(o, i)) {
            o->order[o->n_order++] = (PqextSortBy){i, false};
        }
    }
}

PqRc pqext_rollup_order_new(PqextRollupRun *r, PqRollup *groups, bool whole,
                            const uint32_t *list, uint32_t n,
                            PqextRollupOrder **out, PqErr *e)
{
    PqextRollupOrder *o = *out = sqlite3_malloc(sizeof *o);

    if (!o) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    memset(o, 0, sizeof *o);
    *o = (PqextRollupOrder){.run = r, .groups = groups, .whole = whole,
                            .list = list, .n = n,
                            .n_cells = r->n_dimensions + r->n_measures,
                            .stop = {pqext_host_stop, r->table->host}};
    pq_arena_init(&o->arena, r->table->host->engine->mem);
    pq_arena_init(&o->last_arena, r->table->host->engine->mem);
    set_order(o);
    return PQ_OK;
}

void pqext_rollup_order_free(PqextRollupOrder *o)
{
    if (o) {
        pq_arena_free(&o->arena);
        pq_arena_free(&o->last_arena);
        sqlite3_free(o);
    }
}
