/*
** rollup_lines.c - rows are gathered in lines, and lines are given to the states.
*/
#include "core/rollup/rollup_lines.h"

#include <string.h>

enum {
    WIDTH = 5,                       /* words of a line                     */
    LINE = WIDTH * sizeof(int64_t),
    LEAST_GROUPS = 64, MOST_GROUPS = 1 << 16,
    WORTH_ROWS = 8                   /* for each group, or gathering is not
                                     ** worth it                            */
};

_Static_assert(1 + PQ_ROLLUP_TOGETHER <= WIDTH, "a line has room for all sums");

static const uint64_t most_value = (uint64_t)1 << 50, most_sum = INT64_MAX;

void pq_rollup_lines_init(PqRollupLines *l, PqMem *mem)
{
    *l = (PqRollupLines){.mem = mem};
}

void pq_rollup_lines_free(PqRollupLines *l)
{
    pq_mem_free(l->words);
    pq_rollup_lines_init(l, l->mem);
}

size_t pq_rollup_lines_bytes(const PqRollupLines *l)
{
    return (size_t)l->room * LINE;
}

/* ---- to the states --------------------------------------------------------- */

PqRc pq_rollup_lines_give(PqRollupLines *l, PqErr *e)
{
    for (uint32_t g = 0; g < l->n; g++) {
        int64_t *line = l->words + (size_t)g * WIDTH;

        if (line[0] == 0) {
            continue;
        }
        if (l->counter) {
            l->counter->counts[g] += line[0];
        }
        for (uint32_t k = 0; k < l->n_sums; k++) {
            l->items[k].wide = line[1 + k];
            PQ_TRY(pq_rollup_sum_item(l->states[k], g, &l->items[k], e));
        }
        memset(line, 0, LINE);
    }
    l->n_sums = l->n = 0;
    l->bound = l->n_rows = 0;
    return PQ_OK;
}

/* Gives the states the sums before the end of the rollup.  If that comes after
** too few rows, gathering is not worth it, and ends. */
static PqRc give_early(PqRollupLines *l, PqErr *e)
{
    l->unfit = l->n_rows < (uint64_t)WORTH_ROWS * l->n;
    return pq_rollup_lines_give(l, e);
}

bool pq_rollup_lines_can(const PqRollupState *s, const PqRollupInputVector *in)
{
    const PqNumbers *v = &in->numbers;

    return s->op == PQ_ROLLUP_SUM && in->kind == PQ_ROLLUP_NUMBERS &&
           !v->valid && !v->reals &&
           (v->kind == PQ_NUMBER_INT || v->kind == PQ_NUMBER_DECIMAL);
}

/* ---- from rows ------------------------------------------------------------- */

/* Do the lines belong to these sums? */
static bool are_of(const PqRollupLines *l, const PqRollupTogether *sums)
{
    bool same = l->n_sums == sums->n;

    for (uint32_t k = 0; same && k < sums->n; k++) {
        const PqNumbers *v = sums->numbers[k];

        same = l->states[k] == sums->states[k] &&
               l->items[k].kind == pq_rollup_kind_of_exact(v) &&
               l->items[k].scale == v->scale;
    }
    return same;
}

static void begin(PqRollupLines *l, const PqRollupTogether *sums)
{
    l->n_sums = sums->n;
    l->counter = sums->counter;
    for (uint32_t k = 0; k < sums->n; k++) {
        const PqNumbers *v = sums->numbers[k];

        l->states[k] = sums->states[k];
        l->items[k] = (PqRollupItem){.kind = pq_rollup_kind_of_exact(v),
                                     .scale = v->scale};
    }
}

/* Makes lines for n groups.  New ones are 0. */
static PqRc need_groups(PqRollupLines *l, uint32_t n, PqErr *e)
{
    uint32_t room = l->room ? l->room : LEAST_GROUPS;

    while (room < n) {
        room *= 2;
    }
    if (room > l->room) {
        PQ_TRY(pq_mem_resize_array(l->mem, &l->words, room, LINE, e));
        l->room = room;
    }
    if (n > l->n) {
        memset(l->words + (size_t)l->n * WIDTH, 0, (size_t)(n - l->n) * LINE);
        l->n = n;
    }
    return PQ_OK;
}

/* Two words, in a vector register of any CPU. */
typedef uint64_t Two __attribute__((vector_size(16), aligned(8), may_alias));

/* How many rows before its use a line is fetched.  Until a group comes again,
** the values of many rows have pushed its line out of the nearest caches. */
enum { AHEAD = 24 };

/* Inlined for each n, so that all addresses are in registers. */
PQ_INLINE void gather_n(
    const PqRollupLines *l, const PqRollupTogether *sums, const uint32_t n,
    const PqRollupWork *work)
{
    const uint32_t *rows = work->w.rows, *numbers = work->numbers;
    const uint32_t n_rows = work->w.n;
    const uint64_t *a = sums->numbers[0]->values, *b = sums->numbers[1]->values;
    const uint64_t *c = sums->numbers[n > 2 ? 2 : 0]->values;
    const uint64_t *d = sums->numbers[n > 3 ? 3 : 0]->values;

    for (uint32_t i = 0; i < n_rows; i++) {
        uint32_t row = rows ? rows[i] : i;
        uint32_t ahead = numbers[i + AHEAD < n_rows ? i + AHEAD : i];
        uint64_t *line = (uint64_t *)l->words + (size_t)numbers[i] * WIDTH;
        Two *pairs = (Two *)line;

        __builtin_prefetch(l->words + (size_t)ahead * WIDTH, 1);
        pairs[0] += (Two){1, a[row]};
        pairs[1] += (Two){b[row], n > 2 ? c[row] : 0};
        if (n > 3) {
            line[4] += d[row];
        }
    }
}

static void gather(const PqRollupLines *l, const PqRollupTogether *sums,
                   const PqRollupWork *work)
{
    switch (sums->n) {
    case 2:
        gather_n(l, sums, 2, work);
        break;
    case 3:
        gather_n(l, sums, 3, work);
        break;
    default:
        gather_n(l, sums, 4, work);
        break;
    }
}

/* There is no memory for lines, so rows are added to the states. */
static PqRc cannot(PqRollupLines *l, PqErr *e)
{
    pq_err_clear(e);
    l->unfit = true;
    return pq_rollup_lines_give(l, e);
}

/* Makes room in the lines for the sums of rows whose values have this
** bound. */
static PqRc make_room(PqRollupLines *l, const PqRollupTogether *sums,
                      uint64_t bound, uint32_t n_rows, bool *room, PqErr *e)
{
    uint32_t n_groups = sums->states[0]->n;

    if (bound > most_value || n_groups > MOST_GROUPS) {
        l->unfit = true;
        return pq_rollup_lines_give(l, e);
    }
    if (l->n_sums > 0 &&
        (bound * n_rows > most_sum - l->bound || !are_of(l, sums))) {
        PQ_TRY(give_early(l, e));
    }
    if (l->unfit) {
        return PQ_OK;
    }
    if (l->n_sums == 0) {
        begin(l, sums);
    }
    if (need_groups(l, n_groups, e) != PQ_OK) {
        return cannot(l, e);
    }
    l->bound += bound * n_rows;
    l->n_rows += n_rows;
    *room = true;
    return PQ_OK;
}

PqRc pq_rollup_lines_add(PqRollupLines *l, const PqRollupTogether *sums,
                         const PqRollupWork *work, bool *done, PqErr *e)
{
    uint64_t bound = 0;

    *done = false;
    if (sums->n < 2 || l->unfit) {
        return PQ_OK;
    }
    for (uint32_t k = 0; k < sums->n; k++) {
        uint64_t one = pq_numbers_bound(sums->numbers[k]);

        bound = one > bound ? one : bound;
    }
    PQ_TRY(make_room(l, sums, bound, work->w.n, done, e));
    if (*done) {
        gather(l, sums, work);
    }
    return PQ_OK;
}
