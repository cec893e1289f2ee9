/*
** rollup_sum.c - sums.
**
** The hard part is what does not fit: see rollup_state.h.
*/
#include "core/rollup/rollup_state.h"

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

static inline void add_real(PqRollupReal *to, double v)
{
    double s = to->sum, t = s + v, b = t - s;

    to->lost += (s - (t - b)) + (v - b);
    to->sum = t;
}

void pq_rollup_sum_real(PqRollupState *s, uint32_t g, PqRollupReal v)
{
    add_real(&s->reals[g], v.sum);
    s->reals[g].lost += v.lost;
}

/* Adds to the number of times that the integers of a group wrapped around. */
static PQ_COLD PqRc add_wraps(PqRollupState *s, uint32_t g, int64_t times,
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

static inline PqRc add_int(PqRollupState *s, uint32_t g, int64_t v, PqErr *e)
{
    return PQ_UNLIKELY(__builtin_add_overflow(s->ints[g], v, &s->ints[g]))
               ? add_wraps(s, g, v < 0 ? -1 : 1, e) : PQ_OK;
}

/* Adds a sum of integers, which is high * 2^64 + low. */
static PqRc add_int128(PqRollupState *s, uint32_t g, __int128 v, PqErr *e)
{
    int64_t low = (int64_t)(uint64_t)v;
    int64_t high = (int64_t)((v - low) >> 64);

    PQ_TRY(high != 0 ? add_wraps(s, g, high, e) : PQ_OK);
    return add_int(s, g, low, e);
}

/* The real of a decimal is added to those of its group. */
static void add_decimal_as_real(PqRollupReal *to, __int128 v, int scale)
{
    add_real(to, pq_decimal_real_i128(v, scale));
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

/* The low part of a sum has no room for one more: it goes to the wide one. */
static PQ_COLD PqRc carry(PqRollupState *s, uint32_t g, int64_t v, PqErr *e)
{
    int64_t low = s->lows[g];

    PQ_TRY(pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e));
    s->lows[g] = 0;
    add_wide(s, g, (__int128)low + v);
    return PQ_OK;
}

/* v has the scale of the state, and DECIMAL is set in flags. */
static inline PqRc add_low(PqRollupState *s, uint32_t g, int64_t v, PqErr *e)
{
    int64_t sum;

    if (PQ_UNLIKELY(__builtin_add_overflow(s->lows[g], v, &sum))) {
        return carry(s, g, v, e);
    }
    s->lows[g] = sum;
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

static void add_scaled(PqRollupState *s, uint32_t g, __int128 v, int scale)
{
    __int128 scaled = v;

    if (pq_rollup_scale_up(&scaled, s->scale - scale)) {
        add_wide(s, g, scaled);
    } else {
        give_up_decimal(s, g, v, scale);
    }
}

static PqRc need_scale(PqRollupState *s, int scale, PqErr *e)
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
        PQ_TRY(need_scale(s, item->scale, e));
        if (item->scale == s->scale && item->wide == (int64_t)item->wide) {
            s->flags[g] |= PQ_ROLLUP_DECIMAL;
            return add_low(s, g, (int64_t)item->wide, e);
        }
        PQ_TRY(pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e));
        add_scaled(s, g, item->wide, item->scale);
        return PQ_OK;
    case PQ_ROLLUP_REAL:
        s->flags[g] |= PQ_ROLLUP_REAL;
        add_real(&s->reals[g], item->r);
        return PQ_OK;
    default:
        return PQ_OK;
    }
}

/* ---- many values, of one group ------------------------------------------- */

/* Two numbers in a vector register; gcc and clang have them on every CPU. */
typedef uint64_t Words __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Reals __attribute__((vector_size(16), aligned(8), may_alias));

static const uint64_t bias = (uint64_t)1 << 63;

/* The sum of integers: by halves, which do not overflow in a batch. */
static __int128 total_of_ints(const int64_t *v, const PqRollupRows *w)
{
    Words low = {0}, high = {0}, low2 = {0}, high2 = {0};
    __int128 all;
    uint32_t i = 0;

    for (; !w->rows && i + 4 <= w->n; i += 4) {
        Words x = *(const Words *)(v + i) ^ bias;
        Words y = *(const Words *)(v + i + 2) ^ bias;

        low += x & UINT32_MAX;
        high += x >> 32;
        low2 += y & UINT32_MAX;
        high2 += y >> 32;
    }
    for (; i < w->n; i++) {
        uint64_t x = (uint64_t)v[pq_rollup_row(w, i)] ^ bias;

        low[0] += (uint32_t)x;
        high[0] += x >> 32;
    }
    low += low2;
    high += high2;
    all = ((__int128)high[0] << 32) + ((__int128)high[1] << 32) + low[0] +
          low[1];
    return all - (__int128)bias * w->n;
}

enum { LANES = 4 };                  /* pairs that are added side by side */

static PqRollupReal total_of_reals(const double *v, const PqRollupRows *w)
{
    Reals sum[LANES] = {{0}}, lost[LANES] = {{0}};
    PqRollupReal all = {0, 0};
    uint32_t i = 0;

    for (; !w->rows && i + 2 * LANES <= w->n; i += 2 * LANES) {
        for (uint32_t k = 0; k < LANES; k++) {
            Reals x = *(const Reals *)(v + i + 2 * k);
            Reals s = sum[k], t = s + x, b = t - s;

            lost[k] += (s - (t - b)) + (x - b);
            sum[k] = t;
        }
    }
    for (; i + LANES <= w->n; i += LANES) {
        for (uint32_t k = 0; k < LANES; k++) {
            double x = v[pq_rollup_row(w, i + k)];
            double s = sum[k][0], t = s + x, b = t - s;

            lost[k][0] += (s - (t - b)) + (x - b);
            sum[k][0] = t;
        }
    }
    for (; i < w->n; i++) {
        add_real(&all, v[pq_rollup_row(w, i)]);
    }
    for (uint32_t k = 0; k < 2 * LANES; k++) {
        add_real(&all, sum[k / 2][k % 2]);
        all.lost += lost[k / 2][k % 2];
    }
    return all;
}

static PqRc add_to_one(PqRollupState *s, const PqNumbers *v,
                       const PqRollupWork *work, PqErr *e)
{
    uint32_t g = work->number;
    PqRollupItem item = {.kind = PQ_ROLLUP_DECIMAL, .scale = v->scale};

    switch (v->kind) {
    case PQ_NUMBER_INT:
        item.kind = PQ_ROLLUP_INT;
        item.wide = total_of_ints(v->values, &work->w);
        return pq_rollup_sum_item(s, g, &item, e);
    case PQ_NUMBER_DECIMAL:
        item.wide = total_of_ints(v->values, &work->w);
        return pq_rollup_sum_item(s, g, &item, e);
    case PQ_NUMBER_WIDE:
        for (uint32_t i = 0; i < work->w.n; i++) {
            item.wide = ((const PqWide *)v->values)[pq_rollup_row(&work->w,
                                                                    i)];
            PQ_TRY(pq_rollup_sum_item(s, g, &item, e));
        }
        return PQ_OK;
    default:
        s->flags[g] |= PQ_ROLLUP_REAL;
        pq_rollup_sum_real(s, g, total_of_reals(v->values, &work->w));
        return PQ_OK;
    }
}

/* ---- many values, by group ----------------------------------------------- */

#define EACH_OF(type, value, body)                                             \
    for (uint32_t i = 0; i < work->w.n; i++) {                                 \
        uint32_t g = numbers[i];                                               \
        type x = (value);                                                      \
        body;                                                                  \
    }
#define EACH_ROW(type, body)                                                   \
    do {                                                                       \
        const type *values = v->values;                                        \
        const uint32_t *rows = work->w.rows, *numbers = work->numbers;         \
        const uint32_t *ids = v->ids;                                          \
        if (ids && rows) {                                                     \
            EACH_OF(type, values[ids[rows[i]]], body)                          \
        } else if (ids) {                                                      \
            EACH_OF(type, values[ids[i]], body)                                \
        } else if (rows) {                                                     \
            EACH_OF(type, values[rows[i]], body)                               \
        } else {                                                               \
            EACH_OF(type, values[i], body)                                     \
        }                                                                      \
    } while (0)

/* Notes the kind in the groups of the rows.  While it is the only kind, the groups
** that have it are counted, so that nothing is left to do once all have it. */
static void set_flags(PqRollupState *s, const PqRollupWork *work, uint8_t kind)
{
    uint8_t *flags = s->flags;
    uint32_t n = 0;

    if (s->seen == kind) {
        for (uint32_t i = 0; s->n_flagged < s->n && i < work->w.n; i++) {
            n += flags[work->numbers[i]] == 0;
            flags[work->numbers[i]] = kind;
        }
        s->n_flagged += n;
    } else {
        for (uint32_t i = 0; i < work->w.n; i++) {
            flags[work->numbers[i]] |= kind;
        }
    }
}

/* Decimals of the scale of the state. */
static PqRc add_lows(PqRollupState *s, const PqNumbers *v,
                     const PqRollupWork *work, PqErr *e)
{
    int64_t *lows = s->lows;

    set_flags(s, work, PQ_ROLLUP_DECIMAL);
    EACH_ROW(int64_t, {
        int64_t sum;

        if (PQ_UNLIKELY(__builtin_add_overflow(lows[g], x, &sum))) {
            PQ_TRY(carry(s, g, x, e));
            /* What was given up has lost its flag. */
            s->flags[g] |= PQ_ROLLUP_DECIMAL;
        } else {
            lows[g] = sum;
        }
    });
    return PQ_OK;
}

static PqRc add_decimals(PqRollupState *s, const PqNumbers *v,
                         const PqRollupWork *work, PqErr *e)
{
    PQ_TRY(need_scale(s, v->scale, e));
    if (v->kind == PQ_NUMBER_DECIMAL && v->scale == s->scale) {
        return add_lows(s, v, work, e);
    }
    PQ_TRY(pq_rollup_state_need_kinds(s, PQ_ROLLUP_WIDE, e));
    if (v->kind == PQ_NUMBER_WIDE) {
        EACH_ROW(PqWide, add_scaled(s, g, x, v->scale));
    } else {
        EACH_ROW(int64_t, add_scaled(s, g, x, v->scale));
    }
    return PQ_OK;
}

/* Reals of few groups are added two by two: each of a pair to sums of its own, so
** that both may be of one group. */
enum { FEW_GROUPS = 64, WORTH_PAIRS = 8 };       /* rows for each group     */

typedef union Pair {
    Reals        v;                  /* sum, lost                           */
    PqRollupReal r;
} Pair;

static inline void add_pair(Pair *a, Pair *b, Reals x)
{
    Reals sum = {a->v[0], b->v[0]}, lost = {a->v[1], b->v[1]};
    Reals t = sum + x, back = t - sum;

    lost += (sum - (t - back)) + (x - back);
    a->v = (Reals){t[0], lost[0]};
    b->v = (Reals){t[1], lost[1]};
}

static void add_pairs(PqRollupState *s, const double *v,
                      const PqRollupWork *work)
{
    Pair left[FEW_GROUPS], right[FEW_GROUPS];
    const uint32_t *rows = work->w.rows, *numbers = work->numbers;
    uint32_t n = work->w.n, i = 0;

    memset(left, 0, s->n * sizeof *left);
    memset(right, 0, s->n * sizeof *right);
    for (; rows && i + 2 <= n; i += 2) {
        add_pair(&left[numbers[i]], &right[numbers[i + 1]],
                 (Reals){v[rows[i]], v[rows[i + 1]]});
    }
    for (; i + 2 <= n; i += 2) {
        add_pair(&left[numbers[i]], &right[numbers[i + 1]],
                 *(const Reals *)(v + i));
    }
    if (i < n) {
        add_real(&left[numbers[i]].r, v[pq_rollup_row(&work->w, i)]);
    }
    for (uint32_t g = 0; g < s->n; g++) {
        pq_rollup_sum_real(s, g, left[g].r);
        pq_rollup_sum_real(s, g, right[g].r);
    }
}

static void add_reals(PqRollupState *s, const PqNumbers *v,
                      const PqRollupWork *work)
{
    PqRollupReal *reals = s->reals;

    set_flags(s, work, PQ_ROLLUP_REAL);
    if (!v->ids && s->n <= FEW_GROUPS && work->w.n / WORTH_PAIRS >= s->n) {
        add_pairs(s, v->values, work);
    } else {
        EACH_ROW(double, add_real(&reals[g], x));
    }
}

PqRc pq_rollup_sum_add(PqRollupState *s, const PqNumbers *v,
                       const PqRollupWork *work, PqErr *e)
{
    if (work->one) {
        return add_to_one(s, v, work, e);
    }
    switch (v->kind) {
    case PQ_NUMBER_INT:
        set_flags(s, work, PQ_ROLLUP_INT);
        EACH_ROW(int64_t, PQ_TRY(add_int(s, g, x, e)));
        return PQ_OK;
    case PQ_NUMBER_REAL:
        add_reals(s, v, work);
        return PQ_OK;
    default:
        return add_decimals(s, v, work, e);
    }
}

/* ---- the value ----------------------------------------------------------- */

static void set_real(PqRollupReal r, PqRollupValue *out)
{
    double v = isfinite(r.sum) && isfinite(r.lost) ? r.sum + r.lost : r.sum;

    out->cell.kind = v == v ? PQ_GROUP_REAL : PQ_GROUP_NULL;
    out->cell.r = v;
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
    out->cell.kind = PQ_GROUP_REAL;
    out->cell.r = out->is_decimal ? pq_decimal_real_i128(all, p->scale)
                                  : pq_decimal_real_i128(p->decimal, p->scale) +
                                        pq_decimal_real_i128(p->ints, 0);
}

PqRc pq_rollup_sum_value(const PqRollupState *s, uint32_t g, PqRollupValue *out,
                         PqErr *e)
{
    PqRollupParts p = pq_rollup_sum_parts(s, g);

    *out = (PqRollupValue){.cell = {.kind = PQ_GROUP_NULL}};
    if (p.kinds & PQ_ROLLUP_REAL) {
        if (p.kinds & PQ_ROLLUP_INT) {
            add_real(&p.real, (double)p.ints);
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
        out->cell = (PqGroupCell){.kind = PQ_GROUP_INT, .i = (int64_t)p.ints};
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
        PQ_TRY(ints ? add_int(s, g, words[other], e)
                    : add_low(s, g, words[other], e));
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

    PQ_TRY(from->scale >= 0 ? need_scale(s, from->scale, e) : PQ_OK);
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
