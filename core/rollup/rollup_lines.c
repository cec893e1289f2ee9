/*
** rollup_lines.c - rows are gathered in lines, and lines are given to the states.
*/
#include "core/rollup/rollup_lines.h"

#include "core/rollup/rollup_sum_inside.h"

#include <string.h>

enum {
    LEAST_GROUPS = 64, MOST_GROUPS = 1 << 16,
    WORTH_ROWS = 8                   /* for each group, until all are given */
};

/* The first word: see rollup_lines.h. */
enum { COUNT_SHIFT = 40 };

static const uint64_t most_value = (uint64_t)1 << 50, most_sum = INT64_MAX;
static const uint64_t most_first = ((uint64_t)1 << (COUNT_SHIFT - 1)) - 1;
static const uint64_t most_rows = ((uint64_t)1 << (63 - COUNT_SHIFT)) - 1;

void pq_rollup_lines_init(PqRollupLines *l, PqMem *mem)
{
    *l = (PqRollupLines){.mem = mem};
}

void pq_rollup_lines_free(PqRollupLines *l)
{
    pq_mem_free(l->memory);
    pq_rollup_lines_init(l, l->mem);
}

size_t pq_rollup_lines_bytes(const PqRollupLines *l)
{
    return (size_t)l->room * l->width * sizeof *l->words;
}

/* ---- to the states --------------------------------------------------------- */

/* Takes the rows from a first word; what is left is the sum. */
static int64_t take_rows(const PqRollupLines *l, uint32_t g, int64_t word)
{
    uint64_t rows = ((uint64_t)word + most_first + 1) >> COUNT_SHIFT;

    l->counter->counts[g] += (int64_t)rows;
    return word - (int64_t)(rows << COUNT_SHIFT);
}

/* A sum of all groups; nearly always the state has 64 bits for it. */
static PqRc give_sum(PqRollupLines *l, uint32_t k, PqErr *e)
{
    PqRollupState *s = l->sums[k].state;
    PqRollupItem item = {.kind = l->sums[k].kind, .scale = l->sums[k].scale};
    bool decimal = item.kind == PQ_ROLLUP_DECIMAL;

    PQ_TRY(pq_rollup_state_need_kinds(s, (unsigned)item.kind, e));
    for (uint32_t g = 0; g < l->n; g++) {
        int64_t *sum = &l->words[(size_t)g * l->width + k], v = *sum;

        if (v == 0) {
            continue;
        }
        *sum = 0;
        v = k == 0 && l->counter ? take_rows(l, g, v) : v;
        if (decimal && item.scale != s->scale) {
            item.wide = v;
            PQ_TRY(pq_rollup_sum_item(s, g, &item, e));
        } else {
            /* A sum that was given up since the rows came has lost its flag. */
            s->flags[g] |= (uint8_t)item.kind;
            PQ_TRY(decimal ? pq_sum_low(s, g, v, e) : pq_sum_int(s, g, v, e));
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_lines_give(PqRollupLines *l, PqErr *e)
{
    for (uint32_t k = 0; k < l->n_sums; k++) {
        PQ_TRY(give_sum(l, k, e));
    }
    l->n_sums = 0;
    l->n = 0;
    l->bound = l->first_bound = 0;
    l->n_rows = 0;
    l->counter = NULL;
    return PQ_OK;
}

/* ... in the middle of a rollup.  If that comes too soon, it is the last time. */
static PqRc give_early(PqRollupLines *l, PqErr *e)
{
    l->unfit = l->n_rows < (uint64_t)WORTH_ROWS * l->n;
    return pq_rollup_lines_give(l, e);
}

/* ---- from rows ------------------------------------------------------------- */

/* Are the lines those of these sums? */
static bool are_of(const PqRollupLines *l, const PqRollupTogether *sums)
{
    bool same = l->n_sums == sums->n;

    for (uint32_t k = 0; same && k < sums->n; k++) {
        const PqNumbers *v = sums->numbers[k];

        same = l->sums[k].state == sums->states[k] &&
               l->sums[k].kind == pq_rollup_kind_of_words(v) &&
               l->sums[k].scale == v->scale;
    }
    return same;
}

static void begin(PqRollupLines *l, const PqRollupTogether *sums, bool counts)
{
    uint32_t width = sums->n > 2 ? 4 : 2;

    if (l->width != width) {
        l->room = 0;
        l->width = width;
    }
    l->n_sums = sums->n;
    l->counter = counts ? sums->counter : NULL;
    for (uint32_t k = 0; k < sums->n; k++) {
        l->sums[k].state = sums->states[k];
        l->sums[k].kind = pq_rollup_kind_of_words(sums->numbers[k]);
        l->sums[k].scale = sums->numbers[k]->scale;
    }
}

/* The lines are moved to room for more.  They begin at a multiple of their bytes. */
static PqRc grow(PqRollupLines *l, uint32_t n, PqErr *e)
{
    size_t line = l->width * sizeof *l->words;
    uint32_t room = l->room ? l->room : LEAST_GROUPS;
    void *memory;
    int64_t *words;

    while (room < n) {
        room *= 2;
    }
    memory = pq_mem_alloc(l->mem, room * line + line, e);
    PQ_TRY(memory ? PQ_OK : e->rc);
    words = (int64_t *)(((uintptr_t)memory + line - 1) / line * line);
    if (l->n > 0) {
        memcpy(words, l->words, l->n * line);
    }
    pq_mem_free(l->memory);
    l->memory = memory;
    l->words = words;
    l->room = room;
    return PQ_OK;
}

/* Lines for n groups; the sums of new ones are 0. */
static PqRc need_groups(PqRollupLines *l, uint32_t n, PqErr *e)
{
    PQ_TRY(n > l->room ? grow(l, n, e) : PQ_OK);
    if (n > l->n) {
        memset(l->words + (size_t)l->n * l->width, 0,
               (size_t)(n - l->n) * l->width * sizeof *l->words);
        l->n = n;
    }
    return PQ_OK;
}

/* Two sums, in a vector register of any CPU. */
typedef uint64_t Two __attribute__((vector_size(16), may_alias));

/* A line is fetched so many rows before it is needed.  Until a group comes again, the
** values of many rows have pushed its line out of the nearest caches. */
enum { AHEAD = 24 };

/* Inlined for each n, and for the sums that have dictionaries (a bit each), so that all
** addresses are in registers.  row_counts is what a row adds to the first word. */
static inline __attribute__((always_inline)) void gather_n(
    Two *lines, const PqNumbers *const *from, const uint32_t n,
    const unsigned dictionaries, uint64_t row_counts, const PqRollupWork *work)
{
    const uint32_t *rows = work->w.rows, *numbers = work->numbers;
    const PqNumbers *a = from[0], *b = from[1];
    const PqNumbers *c = from[n > 2 ? 2 : 0], *d = from[n > 3 ? 3 : 0];
    const uint64_t *va = a->values, *vb = b->values, *vc = c->values,
                   *vd = d->values;
    const uint32_t *ia = a->ids, *ib = b->ids, *ic = c->ids, *id = d->ids;
    const uint32_t in_line = n > 2 ? 2 : 1, n_rows = work->w.n;

    for (uint32_t i = 0; i < n_rows; i++) {
        uint32_t row = rows ? rows[i] : i;
        uint32_t ahead = numbers[i + AHEAD < n_rows ? i + AHEAD : i];
        Two *line = lines + (size_t)numbers[i] * in_line;

        __builtin_prefetch(lines + (size_t)ahead * in_line, 1);
        line[0] += (Two){va[dictionaries & 1 ? ia[row] : row] + row_counts,
                         vb[dictionaries & 2 ? ib[row] : row]};
        if (n > 2) {
            line[1] += (Two){vc[dictionaries & 4 ? ic[row] : row],
                             n > 3 ? vd[dictionaries & 8 ? id[row] : row] : 0};
        }
    }
}

#define CASE(n, dictionaries)                                                  \
    case (n) << PQ_ROLLUP_TOGETHER | (dictionaries):                           \
        gather_n(lines, from, n, dictionaries, row_counts, work);              \
        break;
#define FOUR_CASES(n, m) CASE(n, m) CASE(n, m + 1) CASE(n, m + 2) CASE(n, m + 3)

static void gather(const PqRollupLines *l, const PqRollupTogether *sums,
                   const PqRollupWork *work)
{
    Two *lines = (Two *)l->words;
    const PqNumbers *const *from = sums->numbers;
    uint64_t row_counts = (uint64_t)(l->counter != NULL) << COUNT_SHIFT;
    unsigned dictionaries = 0;

    for (uint32_t k = 0; k < sums->n; k++) {
        dictionaries |= (unsigned)(from[k]->ids != NULL) << k;
    }
    switch (sums->n << PQ_ROLLUP_TOGETHER | dictionaries) {
        FOUR_CASES(2, 0)
        FOUR_CASES(3, 0)
        FOUR_CASES(3, 4)
        FOUR_CASES(4, 0)
        FOUR_CASES(4, 4)
        FOUR_CASES(4, 8)
        FOUR_CASES(4, 12)
    }
}

/* Without memory for lines, rows are added to the states. */
static PqRc cannot(PqRollupLines *l, PqErr *e)
{
    pq_err_clear(e);
    l->unfit = true;
    return pq_rollup_lines_give(l, e);
}

/* Is there room for a count beside sums of values with this bound, until it is worth
** giving them to the states? */
static bool can_count(PqRollupLines *l, const PqRollupTogether *sums,
                      uint64_t first)
{
    uint64_t rows = (uint64_t)WORTH_ROWS * sums->states[0]->n;

    l->uncounted = l->uncounted || first > most_first ||
                   first * rows > most_first;
    return sums->counter && !l->uncounted;
}

static bool have_room(const PqRollupLines *l, uint64_t first, uint64_t bound,
                      uint32_t n_rows)
{
    return bound * n_rows <= most_sum - l->bound &&
           (!l->counter || (first * n_rows <= most_first - l->first_bound &&
                            l->n_rows + n_rows <= most_rows));
}

/* *room: the lines have it for sums of rows, whose values have this bound, and those of
** the first sum that one. */
static PqRc make_room(PqRollupLines *l, const PqRollupTogether *sums,
                      uint64_t first, uint64_t bound, uint32_t n_rows,
                      bool *room, PqErr *e)
{
    uint32_t n_groups = sums->states[0]->n;
    bool counts;

    *room = false;
    if (bound > most_value || n_groups > MOST_GROUPS) {
        l->unfit = true;
        return pq_rollup_lines_give(l, e);
    }
    counts = can_count(l, sums, first);
    if (l->counter && !counts) {
        PQ_TRY(pq_rollup_lines_give(l, e));
    }
    if (l->n_sums > 0 &&
        (!have_room(l, first, bound, n_rows) || !are_of(l, sums))) {
        PQ_TRY(give_early(l, e));
    }
    if (l->unfit) {
        return PQ_OK;
    }
    if (l->n_sums == 0) {
        begin(l, sums, counts);
    }
    if (need_groups(l, n_groups, e) != PQ_OK) {
        return cannot(l, e);
    }
    l->bound += bound * n_rows;
    l->first_bound += l->counter ? first * n_rows : 0;
    l->n_rows += n_rows;
    *room = true;
    return PQ_OK;
}

PqRc pq_rollup_lines_add(PqRollupLines *l, const PqRollupTogether *sums,
                         const PqRollupWork *work, bool *done, bool *counted,
                         PqErr *e)
{
    uint64_t bound = 0, first = pq_numbers_bound(sums->numbers[0]);

    *done = *counted = false;
    for (uint32_t k = 0; k < sums->n; k++) {
        uint64_t one = k == 0 ? first : pq_numbers_bound(sums->numbers[k]);

        bound = one > bound ? one : bound;
    }
    PQ_TRY(make_room(l, sums, first, bound, work->w.n, done, e));
    if (*done) {
        *counted = l->counter != NULL;
        gather(l, sums, work);
    }
    return PQ_OK;
}
