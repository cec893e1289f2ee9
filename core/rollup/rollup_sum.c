/*
** rollup_sum.c - adds a value to a sum, and reads a sum.  rollup_sum_rows.c
** adds many rows at a time.
**
** The hard part is numbers that do not fit: see rollup_state.h.
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
    int64_t word;

    if (is_real_row(v, row)) {
        memcpy(&item.r, at, sizeof item.r);
        item.kind = item.r == item.r ? PQ_ROLLUP_REAL : 0;
        return item;
    }
    item.kind = pq_rollup_kind_of_exact(v);
    item.scale = v->kind == PQ_NUMBER_INT ? 0 : v->scale;
    if (v->kind == PQ_NUMBER_WIDE) {
        memcpy(&item.wide, at, sizeof item.wide);
    } else {
        memcpy(&word, at, sizeof word);
        item.wide = word;
    }
    return item;
}

/* ---- one value ----------------------------------------------------------- */

/* Adds a decimal as a real to the reals of its group. */
static void add_decimal_as_real(PqRollupReal *to, __int128 v, int scale)
{
    pq_sum_real(to, pq_decimal_real_i128(v, scale));
}

/* Moves a sum of decimals that does not fit to the reals. */
static PQ_COLD void give_up_decimal(PqRollupState *s, uint32_t g, __int128 more,
                                    int scale)
{
    add_decimal_as_real(&s->reals[g], s->decimals.wides[g], s->scale);
    add_decimal_as_real(&s->reals[g], s->decimals.words[g], s->scale);
    add_decimal_as_real(&s->reals[g], more, scale);
    s->decimals.wides[g] = 0;
    s->decimals.words[g] = 0;
    s->flags[g] |= PQ_ROLLUP_REAL;
    s->flags[g] &= (uint8_t)~PQ_ROLLUP_DECIMAL;
    s->seen |= PQ_ROLLUP_REAL;
}

/* Adds v, which has the scale of the part, to the wides, which exist.  A sum of
** integers never outgrows them, however many rows there are. */
static void add_wide(PqRollupState *s, PqRollupExact *part, uint32_t g,
                     __int128 v)
{
    __int128 sum;

    if (PQ_LIKELY(!__builtin_add_overflow(part->wides[g], v, &sum))) {
        part->wides[g] = sum;
    } else {
        give_up_decimal(s, g, v, s->scale);
    }
}

PQ_COLD PqRc pq_sum_carry(PqRollupState *s, PqRollupExact *part, uint32_t g,
                          int64_t v, PqErr *e)
{
    int64_t low = part->words[g];

    PQ_TRY(pq_rollup_state_need_wides(s, part, e));
    part->words[g] = 0;
    add_wide(s, part, g, (__int128)low + v);
    return PQ_OK;
}

/* v has the scale of the part. */
static PqRc add_exact(PqRollupState *s, PqRollupExact *part, uint32_t g,
                      __int128 v, PqErr *e)
{
    int64_t sum;

    if (v != (int64_t)v) {
        PQ_TRY(pq_rollup_state_need_wides(s, part, e));
        add_wide(s, part, g, v);
        return PQ_OK;
    }
    if (PQ_UNLIKELY(
            __builtin_add_overflow(part->words[g], (int64_t)v, &sum))) {
        return pq_sum_carry(s, part, g, (int64_t)v, e);
    }
    part->words[g] = sum;
    return PQ_OK;
}

/* Gives all decimals a larger scale; they become wide. */
static PQ_COLD PqRc rescale(PqRollupState *s, int scale, PqErr *e)
{
    PqRollupExact *d = &s->decimals;
    int more = scale - s->scale;

    PQ_TRY(pq_rollup_state_need_wides(s, d, e));
    for (uint32_t g = 0; g < s->room; g++) {
        __int128 v;

        if (!__builtin_add_overflow(d->wides[g], d->words[g], &v) &&
            pq_rollup_scale_up(&v, more)) {
            d->wides[g] = v;
            d->words[g] = 0;
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

    s->flags[g] |= PQ_ROLLUP_DECIMAL;
    if (pq_rollup_scale_up(&scaled, s->scale - scale)) {
        add_wide(s, &s->decimals, g, scaled);
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
        return add_exact(s, &s->ints, g, item->wide, e);
    case PQ_ROLLUP_DECIMAL:
        PQ_TRY(pq_sum_need_scale(s, item->scale, e));
        if (item->scale == s->scale) {
            s->flags[g] |= PQ_ROLLUP_DECIMAL;
            return add_exact(s, &s->decimals, g, item->wide, e);
        }
        PQ_TRY(pq_rollup_state_need_wides(s, &s->decimals, e));
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

/* False: it does not fit. */
static bool exact_of(const PqRollupExact *part, uint32_t g, __int128 *out)
{
    __int128 wide = part->wides ? part->wides[g] : 0;

    return !__builtin_add_overflow(wide, part->words[g], out);
}

void pq_rollup_sum_parts(const PqRollupState *s, uint32_t g, PqRollupParts *out)
{
    *out = (PqRollupParts){.kinds = s->flags[g], .scale = s->scale};
    if (out->kinds & PQ_ROLLUP_INT) {
        exact_of(&s->ints, g, &out->ints);
    }
    if (out->kinds & PQ_ROLLUP_REAL) {
        out->real = s->reals[g];
    }
    if (out->kinds & PQ_ROLLUP_DECIMAL &&
        !exact_of(&s->decimals, g, &out->decimal)) {
        add_decimal_as_real(&out->real, s->decimals.wides[g], s->scale);
        add_decimal_as_real(&out->real, s->decimals.words[g], s->scale);
        out->kinds ^= PQ_ROLLUP_DECIMAL;
        out->kinds |= PQ_ROLLUP_REAL;
    }
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

/* Adds the nearest REAL, and what it lacks. */
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

    if (s->flags[g] == PQ_ROLLUP_DECIMAL && !s->decimals.wides) {
        out->is_decimal = true;      /* as most are */
        out->decimal = s->decimals.words[g];
        out->scale = s->scale;
        out->cell = pq_cell_real(
            pq_decimal_real_i64(s->decimals.words[g], s->scale));
        return PQ_OK;
    }
    pq_rollup_sum_parts(s, g, &p);
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
        pq_sum_both(&s->reals[g], parts->real);
    }
    return PQ_OK;
}

/* Do the totals of two sums of 64 bits fit in 64 bits? */
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

static PqRc need_part(PqRollupState *s, PqRollupExact *part,
                      const PqRollupExact *from, bool scaled,
                      const PqRollupGroups *groups, PqErr *e)
{
    return from->wides || scaled || !fits(part->words, from->words, groups)
               ? pq_rollup_state_need_wides(s, part, e) : PQ_OK;
}

PqRc pq_rollup_sum_need_groups(PqRollupState *s, const PqRollupGroups *groups,
                               PqErr *e)
{
    const PqRollupState *from = groups->from;
    bool scaled = s->scale >= 0 && from->scale >= 0 && s->scale != from->scale;

    PQ_TRY(need_part(s, &s->ints, &from->ints, false, groups, e));
    return need_part(s, &s->decimals, &from->decimals, scaled, groups, e);
}

/* Adds a part that has 64 bits in the other state, where groups without the
** part have 0. */
static PqRc add_words(PqRollupState *s, PqRollupExact *part,
                      const PqRollupExact *from, const PqRollupGroups *groups,
                      PqErr *e)
{
    for (uint32_t i = 0; i < groups->n; i++) {
        uint32_t g = groups->numbers[i], other = groups->first + i;

        s->flags[g] |= groups->from->flags[other];
        PQ_TRY(add_exact(s, part, g, from->words[other], e));
    }
    return PQ_OK;
}

static void add_group_reals(PqRollupState *s, const PqRollupGroups *groups)
{
    const PqRollupState *from = groups->from;

    for (uint32_t i = 0; i < groups->n; i++) {
        uint32_t g = groups->numbers[i], other = groups->first + i;

        s->flags[g] |= from->flags[other];
        pq_sum_both(&s->reals[g], from->reals[other]);
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
    if (from->seen == PQ_ROLLUP_INT && !from->ints.wides) {
        return add_words(s, &s->ints, &from->ints, groups, e);
    }
    if (from->seen == PQ_ROLLUP_DECIMAL && !from->decimals.wides &&
        from->scale == s->scale) {
        return add_words(s, &s->decimals, &from->decimals, groups, e);
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        PqRollupParts parts;

        pq_rollup_sum_parts(from, groups->first + i, &parts);
        PQ_TRY(pq_rollup_sum_parts_add(s, groups->numbers[i], &parts, e));
    }
    return PQ_OK;
}
