/*
** rollup_state.c - makes room in the arrays of a measure, and hands batches to
** them.
*/
#include "core/rollup/rollup_state.h"

#include <string.h>

/* The arrays of a state: each has a number per group. */
#define EACH_ARRAY(X)                                                          \
    X(counts) X(flags) X(ints.words) X(ints.wides) X(decimals.words)           \
    X(decimals.wides) X(reals) X(cells) X(scales)

void pq_rollup_state_init(PqRollupState *s, PqRollupOp op, PqMem *mem,
                          const PqStop *stop)
{
    *s = (PqRollupState){.op = op, .mem = mem, .stop = stop, .scale = -1};
    pq_arena_init(&s->arena, mem);
}

#define FREE(array) pq_mem_free(s->array);

void pq_rollup_state_free(PqRollupState *s)
{
    if (!s->mem) {
        return;
    }
    EACH_ARRAY(FREE)
    pq_arena_free(&s->arena);
    pq_rollup_state_init(s, s->op, s->mem, s->stop);
}

#define BYTES(array) + (s->array ? sizeof *s->array : 0)

size_t pq_rollup_state_bytes(const PqRollupState *s)
{
    return s->room * (0 EACH_ARRAY(BYTES)) + pq_arena_memory(&s->arena);
}

/* ---- growing ------------------------------------------------------------- */

static PqRc grow_array(PqRollupState *s, void *v, size_t size, uint32_t room,
                       PqErr *e)
{
    char *p;

    memcpy(&p, v, sizeof p);
    if (!p) {
        return PQ_OK;
    }
    PQ_TRY(pq_mem_resize_array(s->mem, v, room, size, e));
    memcpy(&p, v, sizeof p);
    return pq_stop_fill(s->stop, p + s->room * size, 0,
                        (room - s->room) * size, e);
}

#define GROW(array)                                                            \
    PQ_TRY(grow_array(s, &s->array, sizeof *s->array, room, e));
#define MAKE(array)                                                          \
    do {                                                                     \
        if (!(array)) {                                                      \
            (array) = pq_mem_filled(s->mem, s->room, sizeof *(array), 0,     \
                                    s->stop, e);                             \
            PQ_TRY((array) ? PQ_OK : e->rc);                                 \
        }                                                                    \
    } while (0)

static bool is_count(const PqRollupState *s)
{
    return s->op == PQ_ROLLUP_COUNT_ROWS || s->op == PQ_ROLLUP_COUNT;
}

PqRc pq_rollup_state_need(PqRollupState *s, uint32_t n, PqErr *e)
{
    uint32_t room = s->room ? s->room : 16;

    if (n > s->room) {
        while (room < n) {
            room *= 2;
        }
        EACH_ARRAY(GROW)
        s->room = room;
    }
    s->n = n > s->n ? n : s->n;
    if (is_count(s)) {
        MAKE(s->counts);
    } else if (pq_rollup_is_best(s)) {
        MAKE(s->cells);
    } else {
        MAKE(s->flags);
    }
    return PQ_OK;
}

unsigned pq_rollup_kinds_of(const PqRollupInputVector *in)
{
    static const unsigned kinds[] = {
        [PQ_NUMBER_INT] = PQ_ROLLUP_INT, [PQ_NUMBER_DECIMAL] = PQ_ROLLUP_DECIMAL,
        [PQ_NUMBER_WIDE] = PQ_ROLLUP_DECIMAL | PQ_ROLLUP_WIDE,
        [PQ_NUMBER_REAL] = PQ_ROLLUP_REAL};

    switch (in->kind) {
    case PQ_ROLLUP_NUMBERS:
        return kinds[in->numbers.kind] |
               (in->numbers.reals ? PQ_ROLLUP_REAL : 0);
    case PQ_ROLLUP_BYTES:
        return PQ_ROLLUP_OTHER;
    default:
        return 0;
    }
}

PqRc pq_rollup_state_need_wides(PqRollupState *s, PqRollupExact *part, PqErr *e)
{
    MAKE(part->wides);
    if (part == &s->decimals) {
        MAKE(s->reals);
    }
    return PQ_OK;
}

PqRc pq_rollup_state_need_kinds(PqRollupState *s, unsigned kinds, PqErr *e)
{
    bool sum = s->op == PQ_ROLLUP_SUM;

    if (is_count(s) || (kinds & ~(unsigned)s->seen) == 0) {
        return PQ_OK;
    }
    if (sum && kinds & PQ_ROLLUP_INT) {
        MAKE(s->ints.words);
    }
    if (sum && kinds & PQ_ROLLUP_DECIMAL) {
        MAKE(s->decimals.words);
    }
    if (sum && kinds & PQ_ROLLUP_WIDE) {
        PQ_TRY(pq_rollup_state_need_wides(s, &s->decimals, e));
    }
    if (sum && kinds & PQ_ROLLUP_REAL) {
        MAKE(s->reals);
    }
    if (!sum && kinds & PQ_ROLLUP_DECIMAL) {
        MAKE(s->decimals.wides);
        MAKE(s->scales);
    }
    s->seen |= (uint8_t)(kinds & ~(unsigned)PQ_ROLLUP_WIDE);
    return PQ_OK;
}

/* ---- rows with a value --------------------------------------------------- */

/* Selects the rows of the work whose bit is set, or is not set. */
static void select_rows(const PqRollupWork *work, const uint64_t *bits, bool set,
                        uint32_t *rows, uint32_t *numbers, PqRollupWork *out)
{
    uint32_t n = 0;

    *out = *work;
    for (uint32_t i = 0; i < work->w.n; i++) {
        uint32_t row = pq_rollup_row(&work->w, i);

        rows[n] = row;
        numbers[n] = work->one ? work->number : work->numbers[i];
        n += pq_bit(bits, row) == set;
    }
    out->w = (PqRollupRows){n, rows};
    out->numbers = numbers;
}

void pq_rollup_count_rows(PqRollupState *s, const PqRollupWork *work)
{
    if (work->one) {
        s->counts[work->number] += work->w.n;
        return;
    }
    for (uint32_t i = 0; i < work->w.n; i++) {
        s->counts[work->numbers[i]]++;
    }
}

/* Adds numbers one by one, since there may be reals among them. */
static PqRc add_items(PqRollupState *s, const PqNumbers *v,
                      const PqRollupWork *work, PqErr *e)
{
    for (uint32_t i = 0; i < work->w.n; i++) {
        PqRollupItem item = pq_rollup_item_of(v, pq_rollup_row(&work->w, i));
        uint32_t g = work->one ? work->number : work->numbers[i];

        PQ_TRY(pq_rollup_sum_item(s, g, &item, e));
    }
    return PQ_OK;
}

static PqRc add_valid(PqRollupState *s, const PqRollupInputVector *in,
                      const PqRollupSpec *spec, uint32_t measure,
                      const PqRollupWork *work, PqErr *e)
{
    uint32_t rows[PQ_ROLLUP_ROWS], numbers[PQ_ROLLUP_ROWS];
    PqRollupInputVector plain = *in;
    PqRollupWork some;

    /* MIN and MAX take them as they come: of 0 and 0.0 the first stays. */
    if (s->op == PQ_ROLLUP_SUM && in->numbers.reals) {
        select_rows(work, in->numbers.reals, true, rows, numbers, &some);
        PQ_TRY(add_items(s, &in->numbers, &some, e));
        select_rows(work, in->numbers.reals, false, rows, numbers, &some);
        plain.numbers.reals = NULL;
        return add_valid(s, &plain, spec, measure, &some, e);
    }
    if (work->w.n == 0) {
        return PQ_OK;
    }
    return s->op == PQ_ROLLUP_SUM
               ? pq_rollup_sum_add(s, &in->numbers, work, e)
               : pq_rollup_best_add(s, in, spec, measure, work, e);
}

PqRc pq_rollup_state_add(PqRollupState *s, const PqRollupInputVector *in,
                         const PqRollupSpec *spec, uint32_t measure,
                         const PqRollupWork *work, PqErr *e)
{
    uint32_t rows[PQ_ROLLUP_ROWS], numbers[PQ_ROLLUP_ROWS];
    PqRollupWork some = *work;

    if (s->op == PQ_ROLLUP_COUNT_ROWS) {
        pq_rollup_count_rows(s, work);
        return PQ_OK;
    }
    if (in->kind == PQ_ROLLUP_NO_INPUT) {
        return PQ_OK;
    }
    if (pq_rollup_valid_of(in)) {
        select_rows(work, pq_rollup_valid_of(in), true, rows, numbers, &some);
    }
    if (s->op == PQ_ROLLUP_COUNT) {
        pq_rollup_count_rows(s, &some);
        return PQ_OK;
    }
    return add_valid(s, in, spec, measure, &some, e);
}

/* ---- groups of another state --------------------------------------------- */

PqRc pq_rollup_state_need_groups(PqRollupState *s, const PqRollupGroups *groups,
                                 PqErr *e)
{
    PQ_TRY(pq_rollup_state_need_kinds(s, groups->from->seen, e));
    return s->op == PQ_ROLLUP_SUM ? pq_rollup_sum_need_groups(s, groups, e)
                                  : PQ_OK;
}

PqRc pq_rollup_state_add_groups(PqRollupState *s, const PqRollupGroups *groups,
                                PqErr *e)
{
    const PqRollupState *from = groups->from;

    if (s->op == PQ_ROLLUP_SUM) {
        return pq_rollup_sum_groups(s, groups, e);
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        uint32_t g = groups->numbers[i];
        PqRollupValue v;

        if (is_count(s)) {
            s->counts[g] += from->counts[groups->first + i];
        } else {
            v = pq_rollup_best_get(from, groups->first + i);
            PQ_TRY(pq_rollup_best_value(s, g, &v, e));
        }
    }
    return PQ_OK;
}
