/*
** rollup_best.c - MIN and MAX.
**
** Values are in the order of cells (core/numbering/cell.h).  A decimal is compared
** exactly with decimals and integers, and as its nearest REAL with all others.  Of
** equal values the first stays.
*/
#include "core/rollup/rollup_state.h"

#include "core/text/number_text.h"

#include <string.h>

/* ---- comparing ----------------------------------------------------------- */

static int sign_of(__int128 v)
{
    return (v > 0) - (v < 0);
}

static bool is_exact(const PqRollupValue *v)
{
    return v->is_decimal || v->cell.kind == PQ_CELL_INT;
}

/* Integers are decimals of scale 0. */
static int compare_exact(const PqRollupValue *a, const PqRollupValue *b)
{
    __int128 v = a->is_decimal ? a->decimal : a->cell.i;
    __int128 w = b->is_decimal ? b->decimal : b->cell.i;

    if (a->scale < b->scale && !pq_rollup_scale_up(&v, b->scale - a->scale)) {
        return sign_of(v);
    }
    if (b->scale < a->scale && !pq_rollup_scale_up(&w, a->scale - b->scale)) {
        return -sign_of(w);
    }
    return (v > w) - (v < w);
}

/* The cell of a value; for a decimal, its nearest REAL. */
static PqCell cell_of(const PqRollupValue *v)
{
    return v->is_decimal
               ? pq_cell_real(pq_decimal_real_i128(v->decimal, v->scale)) : v->cell;
}

static int compare(const PqRollupValue *a, const PqRollupValue *b)
{
    PqCell x, y;

    if (is_exact(a) && is_exact(b)) {
        return compare_exact(a, b);
    }
    x = cell_of(a);
    y = cell_of(b);
    return pq_cell_compare(&x, &y);
}

/* ---- one value ----------------------------------------------------------- */

/* A decimal as a value.  Its nearest REAL is made when it is needed. */
static PqRollupValue decimal(__int128 v, int scale)
{
    return (PqRollupValue){.cell = pq_cell_real(0), .is_decimal = true,
                           .decimal = v, .scale = scale};
}

static PqRollupValue get(const PqRollupState *s, uint32_t g)
{
    return s->scales && s->scales[g] > 0
               ? decimal(s->decimals.wides[g], s->scales[g] - 1)
               : (PqRollupValue){.cell = s->cells[g]};
}

PqRollupValue pq_rollup_best_get(const PqRollupState *s, uint32_t g)
{
    PqRollupValue v = get(s, g);

    v.cell = cell_of(&v);
    return v;
}

/* The room for bytes is a power of two.  So it seldom grows, and few old rooms
** stay in the arena. */
static PqRc set_bytes(PqRollupState *s, PqCell *to, const PqCell *from, PqErr *e)
{
    uint8_t room = 4;

    if (from->n > INT32_MAX) {
        return pq_fail(e, PQ_BUDGET, "a value of %u bytes is too long for min "
                       "and max", from->n);
    }
    while ((UINT32_C(1) << room) < from->n) {
        room++;
    }
    if (to->room < room) {
        const uint8_t *p = pq_arena_bytes(&s->arena, (size_t)1 << room, e);

        PQ_TRY(p ? PQ_OK : e->rc);   /* the value that is there stays */
        to->p = p;
        to->room = room;
    }
    if (from->n > 0) {
        memcpy((uint8_t *)(uintptr_t)to->p, from->p, from->n);
    }
    to->n = from->n;
    to->kind = from->kind;
    return PQ_OK;
}

static PqRc set(PqRollupState *s, uint32_t g, const PqRollupValue *v, PqErr *e)
{
    if (pq_cell_has_bytes(&v->cell)) {
        PQ_TRY(set_bytes(s, &s->cells[g], &v->cell, e));
    } else {
        s->cells[g] = v->cell;
        s->cells[g].room = 0;
    }
    if (v->is_decimal) {
        s->decimals.wides[g] = v->decimal;
    }
    if (s->scales) {
        s->scales[g] = (int8_t)(v->is_decimal ? v->scale + 1 : 0);
    }
    return PQ_OK;
}

/* Compares a value with the value of a group, which has one. */
static int compare_with(const PqRollupState *s, uint32_t g,
                        const PqRollupValue *v)
{
    int8_t scale = s->scales ? s->scales[g] : 0;
    PqRollupValue there;

    if (scale == 0 && !v->is_decimal) {
        return pq_cell_compare(&v->cell, &s->cells[g]);
    }
    if (v->is_decimal && scale == v->scale + 1) {
        return (v->decimal > s->decimals.wides[g]) -
               (v->decimal < s->decimals.wides[g]);
    }
    there = get(s, g);
    return compare(v, &there);
}

static unsigned kind_of(const PqRollupValue *v)
{
    return v->is_decimal                  ? PQ_ROLLUP_DECIMAL
           : v->cell.kind == PQ_CELL_INT  ? PQ_ROLLUP_INT
           : v->cell.kind == PQ_CELL_REAL ? PQ_ROLLUP_REAL : PQ_ROLLUP_OTHER;
}

PqRc pq_rollup_best_value(PqRollupState *s, uint32_t g, const PqRollupValue *v,
                          PqErr *e)
{
    int order;

    if (v->cell.kind == PQ_CELL_NULL ||
        (v->cell.kind == PQ_CELL_REAL && v->cell.r != v->cell.r)) {
        return PQ_OK;                /* NaN is NULL */
    }
    PQ_TRY(pq_rollup_state_need_kinds(s, kind_of(v), e));
    if (s->cells[g].kind != PQ_CELL_NULL) {
        order = compare_with(s, g, v);
        if (s->op == PQ_ROLLUP_MIN ? order >= 0 : order <= 0) {
            return PQ_OK;
        }
    }
    return set(s, g, v, e);
}

/* The value of a row. */
static PqRollupValue value_of(const PqNumbers *v, uint32_t row)
{
    PqRollupItem item = pq_rollup_item_of(v, row);

    switch (item.kind) {
    case PQ_ROLLUP_INT:
        return (PqRollupValue){.cell = pq_cell_int((int64_t)item.wide)};
    case PQ_ROLLUP_REAL:
        return (PqRollupValue){.cell = pq_cell_real(item.r)};
    case PQ_ROLLUP_DECIMAL:
        return decimal(item.wide, item.scale);
    default:
        return (PqRollupValue){.cell = {.kind = PQ_CELL_NULL}};
    }
}

/* ---- many ---------------------------------------------------------------- */

static inline uint32_t group_of(const PqRollupWork *work, uint32_t i)
{
    return work->one ? work->number : work->numbers[i];
}

/* All cells are of this kind, or NULL. */
#define BEST_OF(type, member, better)                                        \
    do {                                                                     \
        const type *values = v->values;                                      \
        for (uint32_t i = 0; i < work->w.n; i++) {                           \
            PqCell *best = &s->cells[group_of(work, i)];                     \
            type x = values[pq_rollup_row(&work->w, i)];                     \
            if (best->kind == PQ_CELL_NULL || x better best->member) {       \
                best->member = x;                                            \
                best->kind = kind;                                           \
            }                                                                \
        }                                                                    \
    } while (0)

static PqRc best_of_numbers(PqRollupState *s, const PqNumbers *v,
                            const PqRollupWork *work, PqErr *e)
{
    bool least = s->op == PQ_ROLLUP_MIN;
    uint8_t kind = v->kind == PQ_NUMBER_INT ? PQ_CELL_INT : PQ_CELL_REAL;

    if (v->kind == PQ_NUMBER_INT && s->seen == PQ_ROLLUP_INT) {
        if (least) {
            BEST_OF(int64_t, i, <);
        } else {
            BEST_OF(int64_t, i, >);
        }
    } else if (v->kind == PQ_NUMBER_REAL && s->seen == PQ_ROLLUP_REAL) {
        if (least) {
            BEST_OF(double, r, <);
        } else {
            BEST_OF(double, r, >);
        }
    } else {
        for (uint32_t i = 0; i < work->w.n; i++) {
            PqRollupValue x = value_of(v, pq_rollup_row(&work->w, i));

            PQ_TRY(pq_rollup_best_value(s, group_of(work, i), &x, e));
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_best_add(PqRollupState *s, const PqRollupInputVector *in,
                        const PqRollupSpec *spec, uint32_t measure,
                        const PqRollupWork *work, PqErr *e)
{
    if (in->kind == PQ_ROLLUP_NUMBERS) {
        return best_of_numbers(s, &in->numbers, work, e);
    }
    for (uint32_t i = 0; i < work->w.n; i++) {
        uint32_t row = pq_rollup_row(&work->w, i);
        PqRollupValue x = {.cell = {.kind = PQ_CELL_NULL}};

        if (in->kind == PQ_ROLLUP_BYTES) {
            x.cell = pq_cell_text(pq_slice(in->texts[row].p, in->texts[row].n));
        } else {
            PQ_TRY(spec->input_cell(spec->arg, measure, row, &x.cell, e));
        }
        PQ_TRY(pq_rollup_best_value(s, group_of(work, i), &x, e));
    }
    return PQ_OK;
}
