/*
** rollup_best.c - MIN and MAX.
**
** Numbers come before texts, and texts before BLOBs.  Numbers of different kinds
** are compared exactly: 9007199254740993 is more than 9007199254740992.0.  Of
** equal values the first stays.
*/
#include "core/rollup/rollup_state.h"

#include "core/text/number_text.h"

#include <math.h>
#include <string.h>

/* ---- comparing ----------------------------------------------------------- */

static int sign_of(__int128 v)
{
    return (v > 0) - (v < 0);
}

/* Integers are decimals of scale 0. */
static int compare_decimals(const PqRollupItem *a, const PqRollupItem *b)
{
    __int128 v = a->wide, w = b->wide;

    if (a->scale < b->scale && !pq_rollup_scale_up(&v, b->scale - a->scale)) {
        return sign_of(v);
    }
    if (b->scale < a->scale && !pq_rollup_scale_up(&w, a->scale - b->scale)) {
        return -sign_of(w);
    }
    return (v > w) - (v < w);
}

static double real_of(const PqRollupItem *a)
{
    return a->kind == PQ_ROLLUP_REAL ? a->r
                                     : pq_decimal_real_i128(a->wide, a->scale);
}

static int compare_numbers(const PqRollupItem *a, const PqRollupItem *b)
{
    double r, s;

    if (a->kind != PQ_ROLLUP_REAL && b->kind != PQ_ROLLUP_REAL) {
        return compare_decimals(a, b);
    }
    if (a->kind == PQ_ROLLUP_INT) {
        return pq_int_real_compare((int64_t)a->wide, b->r);
    }
    if (b->kind == PQ_ROLLUP_INT) {
        return -pq_int_real_compare((int64_t)b->wide, a->r);
    }
    r = real_of(a);
    s = real_of(b);
    return (r > s) - (r < s);
}

static int compare(const PqRollupItem *a, const PqRollupItem *b)
{
    int class_a = a->kind < PQ_ROLLUP_TEXT ? 0 : a->kind;
    int class_b = b->kind < PQ_ROLLUP_TEXT ? 0 : b->kind;

    if (class_a != class_b) {
        return class_a < class_b ? -1 : 1;
    }
    return class_a == 0 ? compare_numbers(a, b)
                        : pq_slice_compare(a->bytes, b->bytes);
}

/* ---- one value ----------------------------------------------------------- */

void pq_rollup_best_get(const PqRollupState *s, uint32_t g, PqRollupItem *out)
{
    *out = (PqRollupItem){.kind = s->flags[g]};
    switch (out->kind) {
    case PQ_ROLLUP_INT:
        out->wide = s->ints.words[g];
        break;
    case PQ_ROLLUP_REAL:
        memcpy(&out->r, &s->ints.words[g], sizeof out->r);
        break;
    case PQ_ROLLUP_DECIMAL:
        out->wide = s->decimals.wides[g];
        out->scale = s->scales[g];
        break;
    case PQ_ROLLUP_TEXT:
    case PQ_ROLLUP_BLOB:
        out->bytes = pq_slice(s->bytes[g].p, s->bytes[g].n);
        break;
    default:
        break;
    }
}

/* The room for bytes is a power of two.  So it seldom grows, and few old rooms
** stay in the arena. */
static PqRc set_bytes(PqRollupState *s, uint32_t g, PqSlice from, PqErr *e)
{
    PqRollupBytes *to = &s->bytes[g];
    uint32_t room = 16;

    if (from.n > INT32_MAX) {
        return pq_fail(e, PQ_BUDGET, "a value of %zu bytes is too long for min "
                       "and max", from.n);
    }
    if (from.n > to->room || !to->p) {
        uint8_t *p;

        while (room < from.n) {
            room *= 2;
        }
        p = pq_arena_bytes(&s->arena, room, e);
        if (!p) {
            return e->rc;
        }
        *to = (PqRollupBytes){.p = p, .room = room};
    }
    if (from.n) {
        memcpy(to->p, from.p, from.n);
    }
    to->n = (uint32_t)from.n;
    return PQ_OK;
}

static PqRc set(PqRollupState *s, uint32_t g, const PqRollupItem *item, PqErr *e)
{
    switch (item->kind) {
    case PQ_ROLLUP_INT:
        s->ints.words[g] = (int64_t)item->wide;
        break;
    case PQ_ROLLUP_REAL:
        memcpy(&s->ints.words[g], &item->r, sizeof item->r);
        break;
    case PQ_ROLLUP_DECIMAL:
        s->decimals.wides[g] = item->wide;
        s->scales[g] = (int8_t)item->scale;
        break;
    default:
        PQ_TRY(set_bytes(s, g, item->bytes, e));
        break;
    }
    s->flags[g] = (uint8_t)item->kind;
    return PQ_OK;
}

PqRc pq_rollup_best_item(PqRollupState *s, uint32_t g, const PqRollupItem *item,
                         PqErr *e)
{
    PqRollupItem there;
    int order;

    if (item->kind == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_rollup_state_need_kinds(s, (unsigned)item->kind, e));
    if (s->flags[g]) {
        pq_rollup_best_get(s, g, &there);
        order = compare(item, &there);
        if (s->op == PQ_ROLLUP_MIN ? order >= 0 : order <= 0) {
            return PQ_OK;
        }
    }
    return set(s, g, item, e);
}

/* ---- many ---------------------------------------------------------------- */

static inline uint32_t group_of(const PqRollupWork *work, uint32_t i)
{
    return work->one ? work->number : work->numbers[i];
}

#define BEST_OF(type, better)                                                \
    do {                                                                     \
        const type *values = v->values;                                      \
        for (uint32_t i = 0; i < work->w.n; i++) {                           \
            uint32_t g = group_of(work, i);                                  \
            type x = values[pq_rollup_row(&work->w, i)], there;              \
            memcpy(&there, &s->ints.words[g], sizeof there);                       \
            if (!s->flags[g] || x better there) {                            \
                memcpy(&s->ints.words[g], &x, sizeof x);                           \
                s->flags[g] = s->seen;                                       \
            }                                                                \
        }                                                                    \
    } while (0)

static PqRc best_of_numbers(PqRollupState *s, const PqNumbers *v,
                            const PqRollupWork *work, PqErr *e)
{
    bool least = s->op == PQ_ROLLUP_MIN;

    if (v->kind == PQ_NUMBER_INT && s->seen == PQ_ROLLUP_INT) {
        if (least) {
            BEST_OF(int64_t, <);
        } else {
            BEST_OF(int64_t, >);
        }
    } else if (v->kind == PQ_NUMBER_REAL && s->seen == PQ_ROLLUP_REAL) {
        if (least) {
            BEST_OF(double, <);
        } else {
            BEST_OF(double, >);
        }
    } else {
        for (uint32_t i = 0; i < work->w.n; i++) {
            PqRollupItem item = pq_rollup_item_of(v, pq_rollup_row(&work->w, i));

            PQ_TRY(pq_rollup_best_item(s, group_of(work, i), &item, e));
        }
    }
    return PQ_OK;
}

static PqRc best_of_texts(PqRollupState *s, const PqStr *texts,
                          const PqRollupWork *work, PqErr *e)
{
    for (uint32_t i = 0; i < work->w.n; i++) {
        PqStr t = texts[pq_rollup_row(&work->w, i)];
        PqRollupItem item = {.kind = PQ_ROLLUP_TEXT,
                             .bytes = pq_slice(t.p, t.n)};

        PQ_TRY(pq_rollup_best_item(s, group_of(work, i), &item, e));
    }
    return PQ_OK;
}

static PqRollupItem item_of_cell(const PqCell *c)
{
    PqRollupItem item = {.kind = 0};

    switch (c->kind) {
    case PQ_CELL_INT:
        item = (PqRollupItem){.kind = PQ_ROLLUP_INT, .wide = c->i};
        break;
    case PQ_CELL_REAL:
        item = (PqRollupItem){.kind = c->r == c->r ? PQ_ROLLUP_REAL : 0,
                              .r = c->r};
        break;
    case PQ_CELL_TEXT:
    case PQ_CELL_BLOB:
        item.kind = c->kind == PQ_CELL_TEXT ? PQ_ROLLUP_TEXT : PQ_ROLLUP_BLOB;
        item.bytes = pq_cell_slice(c);
        break;
    default:
        break;
    }
    return item;
}

PqRc pq_rollup_best_add(PqRollupState *s, const PqRollupInputVector *in,
                        const PqRollupSpec *spec, uint32_t measure,
                        const PqRollupWork *work, PqErr *e)
{
    if (in->kind == PQ_ROLLUP_NUMBERS) {
        return best_of_numbers(s, &in->numbers, work, e);
    }
    if (in->kind == PQ_ROLLUP_BYTES) {
        return best_of_texts(s, in->texts, work, e);
    }
    for (uint32_t i = 0; i < work->w.n; i++) {
        PqCell cell = {.kind = PQ_CELL_NULL};
        PqRollupItem item;

        PQ_TRY(spec->input_cell(spec->arg, measure,
                                pq_rollup_row(&work->w, i), &cell, e));
        item = item_of_cell(&cell);
        PQ_TRY(pq_rollup_best_item(s, group_of(work, i), &item, e));
    }
    return PQ_OK;
}
