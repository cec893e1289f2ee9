/*
** rollup_sum.c - sums: a value is added, a sum is read.  Many rows at a time:
** rollup_sum_rows.c.
**
** The hard part is what does not fit: see rollup_state.h.
*/
#include "core/rollup/rollup_sum_inside.h"

#include "core/text/number_text.h"

#include <math.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------- */

bool pq_rollup_scale_up(__int128 *v, int n)
{
    for (; n > 0 && *v != 0; n--) {
        if (__builtin_mul_overflow(*v, (__int128)10, v)) {
            return false;
        }
    }
    return true;
}

static bool is_real_row(const PqNumbers *v, uint32_t row)
{
    return v->kind == PQ_NUMBER_REAL || (v->reals && pq_bit(v->reals, row));
}

PqRollupItem pq_rollup_item_of(const PqNumbers *v, uint32_t row)
{
    size_t width = v->kind == PQ_NUMBER_WIDE ? sizeof(__int128) : 8;
    const char *at = (const char *)v->values + row * width;
    PqRollupItem item = {0};

    if (is_real_row(v, row)) {
        memcpy(&item.r, at, sizeof item.r);
        item.kind = item.r == item.r ? PQ_ROLLUP_REAL : 0;
        return item;
    }
    item.kind = v->kind == PQ_NUMBER_INT ? PQ_ROLLUP_INT : PQ_ROLLUP_DECIMAL;
    item.scale = v->kind == PQ_NUMBER_INT ? 0 : v->scale;
    if (v->kind == PQ_NUMBER_WIDE) {
        memcpy(&item.wide, at, sizeof item.wide);
    } else {
        memcpy(&item.i, at, sizeof item.i);
        item.wide = item.i;
    }
    return item;
}

/* ---- one value ----------------------------------------------------------- */

void pq_rollup_sum_real(PqRollupState *s, uint32_t g, PqRollupReal v)
{
    pq_sum_both(&s->reals[g], v);
}

PQ_COLD PqRc pq_sum_wraps(PqRollupState *s, uint32_t g, int64_t times,
                              PqErr *e)
{
    if (!s->wraps) {
        s->wraps = pq_mem_zeros(s->mem, s->room, sizeof *s->wraps, e);
        if (!s->wraps) {
            return e->rc;
        }
    }
    s->wraps[g] += times;
    return PQ_OK;
}

/* Adds a sum of integers, which is high * 2^64 + low. */
static PqRc add_int128(PqRollupState *s, uint32_t g, __int128 v, PqErr *e)
{
    int64_t low = (int64_t)(uint64_t)v;
    int64_t high = (int64_t)((v - low) >> 64);

    PQ_TRY(high != 0 ? pq_sum_wraps(s, g, high, e) : PQ_OK);
    return pq_sum_int(s, g, low, e);
}

/* The real of a decimal is added to those of its group. */
static void add_decimal_as_real(PqRollupReal *to, __int128 v, int scale)
{
    pq_sum_real(to, pq_decimal_real_i128(v, scale));
}

/* A sum of decimals that does not fit becomes one of reals. */
static PQ_COLD void give_up_decimal(PqRollupState *s, uint32_t g, __int128 more,
                                    int scale)
{
    if (s->flags[g] & PQ_ROLLUP_DECIMAL) {
        add_decimal_as_real(&s->reals[g], s->wides[g], s->scale);
        add_decimal_as_real(&s->reals[g], s->lows[g], s->scale);
    }
    add_decimal_as_real(&s->reals[g], more, scale);
    s->wides[g] = 0;
    s->lows[g] = 0;
    s->flags[g] |= PQ_ROLLUP_REAL;
    s->flags[g] &= (uint8_t)~PQ_ROLLUP_DECIMAL;
    s->seen |= PQ_ROLLUP_REAL;
}

/* v has the scale of the state, and there are wides. */
static inline void add_wide(PqRollupState *s, uint32_t g, __int128 v)
{
    __int128 sum;

    if (PQ_UNLIKELY(__builtin_add_overflow(s->wides[g], v, &sum))) {
        give_up_decimal(s, g, v, s->scale);
        return;
    }
    s->wides[g] = sum;
    s->flags[g] |= PQ_ROLLUP_DECIMAL;
}

PQ_COLD PqRc pq_sum_carry(PqRollupState *s, uint32_t g, int64_t v, PqErr *e)
{
    int64_t low = s->lows[g];

    PQ_TRY(pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e));
    s->lows[g] = 0;
    add_wide(s, g, (__int128)low + v);
    return PQ_OK;
}

/* All decimals get a larger scale, and become wide. */
static PQ_COLD PqRc rescale(PqRollupState *s, int scale, PqErr *e)
{
    int more = scale - s->scale;

    PQ_TRY(pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e));
    for (uint32_t g = 0; g < s->room; g++) {
        __int128 v;

        if (!__builtin_add_overflow(s->wides[g], s->lows[g], &v) &&
            pq_rollup_scale_up(&v, more)) {
            s->wides[g] = v;
            s->lows[g] = 0;
        } else {
            give_up_decimal(s, g, 0, 0);
        }
    }
    s->scale = scale;
    return PQ_OK;
}

void pq_sum_scaled(PqRollupState *s, uint32_t g, __int128 v, int scale)
{
    __int128 scaled = v;

    if (pq_rollup_scale_up(&scaled, s->scale - scale)) {
        add_wide(s, g, scaled);
    } else {
        give_up_decimal(s, g, v, scale);
    }
}

PqRc pq_sum_need_scale(PqRollupState *s, int scale, PqErr *e)
{
    if (s->scale < 0) {
        s->scale = scale;
    }
    return scale > s->scale ? rescale(s, scale, e) : PQ_OK;
}

PqRc pq_rollup_sum_item(PqRollupState *s, uint32_t g, const PqRollupItem *item,
                        PqErr *e)
{
    PQ_TRY(pq_rollup_state_need_kinds(s, (unsigned)item->kind, e));
    switch (item->kind) {
    case PQ_ROLLUP_INT:
        s->flags[g] |= PQ_ROLLUP_INT;
        return add_int128(s, g, item->wide, e);
    case PQ_ROLLUP_DECIMAL:
        PQ_TRY(pq_sum_need_scale(s, item->scale, e));
        if (item->scale == s->scale && item->wide == (int64_t)item->wide) {
            s->flags[g] |= PQ_ROLLUP_DECIMAL;
            return pq_sum_low(s, g, (int64_t)item->wide, e);
        }
        PQ_TRY(pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e));
        pq_sum_scaled(s, g, item->wide, item->scale);
        return PQ_OK;
    case PQ_ROLLUP_REAL:
        s->flags[g] |= PQ_ROLLUP_REAL;
        pq_sum_real(&s->reals[g], item->r);
        return PQ_OK;
    default:
        return PQ_OK;
    }
}

/* ---- the value ----------------------------------------------------------- */

static void set_real(PqRollupReal r, PqRollupValue *out)
{
    double v = isfinite(r.sum) && isfinite(r.lost) ? r.sum + r.lost : r.sum;

    out->cell = pq_cell_shown_real(v);
}

static __int128 sum_of_ints(const PqRollupState *s, uint32_t g)
{
    __int128 wraps = s->wraps ? s->wraps[g] : 0;

    return wraps * ((__int128)1 << 64) + s->ints[g];
}

PqRollupParts pq_rollup_sum_parts(const PqRollupState *s, uint32_t g)
{
    PqRollupParts parts = {.kinds = s->flags[g], .scale = s->scale};
    __int128 wide = s->wides ? s->wides[g] : 0;

    if (parts.kinds & PQ_ROLLUP_INT) {
        parts.ints = sum_of_ints(s, g);
    }
    if (parts.kinds & PQ_ROLLUP_REAL) {
        parts.real = s->reals[g];
    }
    if (parts.kinds & PQ_ROLLUP_DECIMAL &&
        __builtin_add_overflow(wide, s->lows[g], &parts.decimal)) {
        add_decimal_as_real(&parts.real, wide, s->scale);
        add_decimal_as_real(&parts.real, s->lows[g], s->scale);
        parts.kinds ^= PQ_ROLLUP_DECIMAL;
        parts.kinds |= PQ_ROLLUP_REAL;
    }
    return parts;
}

static void set_decimal(const PqRollupParts *p, PqRollupValue *out)
{
    __int128 all = p->ints;

    out->is_decimal = pq_rollup_scale_up(&all, p->scale) &&
                      !__builtin_add_overflow(all, p->decimal, &all);
    out->decimal = all;
    out->scale = p->scale;
    out->cell = pq_cell_real(
        out->is_decimal ? pq_decimal_real_i128(all, p->scale)
                        : pq_decimal_real_i128(p->decimal, p->scale) +
                              pq_decimal_real_i128(p->ints, 0));
}

/* The nearest REAL, and what it lacks. */
static void add_ints_as_reals(PqRollupReal *to, __int128 ints)
{
    double near = (double)ints;

    pq_sum_real(to, near);
    pq_sum_real(to, (double)(ints - (__int128)near));
}

PqRc pq_rollup_sum_value(const PqRollupState *s, uint32_t g, PqRollupValue *out,
                         PqErr *e)
{
    PqRollupParts p;

    if (s->flags[g] == PQ_ROLLUP_DECIMAL && !s->wides) {     /* as most are */
        out->is_decimal = true;
        out->decimal = s->lows[g];
        out->scale = s->scale;
        out->cell = pq_cell_real(pq_decimal_real_i64(s->lows[g], s->scale));
        return PQ_OK;
    }
    p = pq_rollup_sum_parts(s, g);
    if (p.kinds & PQ_ROLLUP_REAL) {
        if (p.kinds & PQ_ROLLUP_INT) {
            add_ints_as_reals(&p.real, p.ints);
        }
        if (p.kinds & PQ_ROLLUP_DECIMAL) {
            add_decimal_as_real(&p.real, p.decimal, p.scale);
        }
        set_real(p.real, out);
    } else if (p.kinds & PQ_ROLLUP_DECIMAL) {
        set_decimal(&p, out);
    } else if (p.kinds & PQ_ROLLUP_INT) {
        if (p.ints != (int64_t)p.ints) {
            return pq_fail(e, PQ_USAGE, "integer overflow");
        }
        out->cell = pq_cell_int((int64_t)p.ints);
    }
    return PQ_OK;
}

/* ---- groups of another state --------------------------------------------- */

PqRc pq_rollup_sum_parts_add(PqRollupState *s, uint32_t g,
                             const PqRollupParts *parts, PqErr *e)
{
    PqRollupItem ints = {.kind = PQ_ROLLUP_INT, .wide = parts->ints};
    PqRollupItem decimal = {.kind = PQ_ROLLUP_DECIMAL, .wide = parts->decimal,
                            .scale = parts->scale};

    PQ_TRY(pq_rollup_state_need_kinds(s, parts->kinds, e));
    if (parts->kinds & PQ_ROLLUP_INT) {
        PQ_TRY(pq_rollup_sum_item(s, g, &ints, e));
    }
    if (parts->kinds & PQ_ROLLUP_DECIMAL) {
        PQ_TRY(pq_rollup_sum_item(s, g, &decimal, e));
    }
    if (parts->kinds & PQ_ROLLUP_REAL) {
        s->flags[g] |= PQ_ROLLUP_REAL;
        pq_rollup_sum_real(s, g, parts->real);
    }
    return PQ_OK;
}

/* Do two sums of 64 bits make one? */
static bool fits(const int64_t *words, const int64_t *others,
                 const PqRollupGroups *groups)
{
    int64_t sum;

    for (uint32_t i = 0; words && others && i < groups->n; i++) {
        if (__builtin_add_overflow(words[groups->numbers[i]],
                                   others[groups->first + i], &sum)) {
            return false;
        }
    }
    return true;
}

PqRc pq_rollup_sum_need_groups(PqRollupState *s, const PqRollupGroups *groups,
                               PqErr *e)
{
    const PqRollupState *from = groups->from;
    bool scaled = s->scale >= 0 && from->scale >= 0 && s->scale != from->scale;

    if (from->wraps || !fits(s->ints, from->ints, groups)) {
        PQ_TRY(pq_sum_wraps(s, 0, 0, e));
    }
    return from->wides || scaled || !fits(s->lows, from->lows, groups)
               ? pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e) : PQ_OK;
}

/* Adds a part that is 64 bits in both states; it is 0 in groups without it. */
static PqRc add_words(PqRollupState *s, const PqRollupGroups *groups,
                      PqErr *e)
{
    const PqRollupState *from = groups->from;
    bool ints = from->seen == PQ_ROLLUP_INT;
    const int64_t *words = ints ? from->ints : from->lows;

    for (uint32_t i = 0; i < groups->n; i++) {
        uint32_t g = groups->numbers[i], other = groups->first + i;

        s->flags[g] |= from->flags[other];
        PQ_TRY(ints ? pq_sum_int(s, g, words[other], e)
                    : pq_sum_low(s, g, words[other], e));
    }
    return PQ_OK;
}

static void add_group_reals(PqRollupState *s, const PqRollupGroups *groups)
{
    const PqRollupState *from = groups->from;

    for (uint32_t i = 0; i < groups->n; i++) {
        uint32_t g = groups->numbers[i], other = groups->first + i;

        s->flags[g] |= from->flags[other];
        pq_rollup_sum_real(s, g, from->reals[other]);
    }
}

PqRc pq_rollup_sum_groups(PqRollupState *s, const PqRollupGroups *groups,
                          PqErr *e)
{
    const PqRollupState *from = groups->from;

    PQ_TRY(from->scale >= 0 ? pq_sum_need_scale(s, from->scale, e) : PQ_OK);
    if (from->seen == PQ_ROLLUP_REAL) {
        add_group_reals(s, groups);
        return PQ_OK;
    }
    if ((from->seen == PQ_ROLLUP_INT && !from->wraps) ||
        (from->seen == PQ_ROLLUP_DECIMAL && !from->wides &&
         from->scale == s->scale)) {
        return add_words(s, groups, e);
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        PqRollupParts parts = pq_rollup_sum_parts(from, groups->first + i);

        PQ_TRY(pq_rollup_sum_parts_add(s, groups->numbers[i], &parts, e));
    }
    return PQ_OK;
}
