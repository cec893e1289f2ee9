/*
** bounds_make.c - finds the least and the greatest value, and writes them as
** bounds.
**
** Numbers are compared as ranks (rank.h), in a loop per type with just two
** comparisons.  No loop tests for NaN: a rank beyond infinity shows afterwards
** that there was one, and only then is the page searched again, more slowly.
**
** Texts are compared by the eight bytes after the prefix that both bounds
** share.  The rest is compared only if these are equal.  While a page is
** searched its texts are borrowed.  Then the two bounds are copied, as far as a
** bound may show them.
*/
#include "core/meta/bounds_make.h"
#include "core/text/utf8.h"

#include <assert.h>

void pq_bounds_make_init(PqBoundsMake *b, const PqType *type, PqMem *mem)
{
    *b = (PqBoundsMake){.type = type, .order = pq_order_of_type(type),
                        .kind = pq_rank_kind(type)};
    pq_buf_init(&b->min_bytes, mem, NULL);
    pq_buf_init(&b->max_bytes, mem, NULL);
}

void pq_bounds_make_free(PqBoundsMake *b)
{
    pq_buf_free(&b->min_bytes);
    pq_buf_free(&b->max_bytes);
}

void pq_bounds_make_reset(PqBoundsMake *b)
{
    b->has = false;
    b->n_nulls = b->n_nans = 0;
}

void pq_bounds_make_total(PqBoundsMake *b)
{
    if (b->order == PQ_ORDER_FLOAT) {
        b->order = PQ_ORDER_FLOAT_TOTAL;
    }
}

/* ---- numbers ---- */

typedef struct Span { int64_t min, max; } Span;

/* Both loops are inlined once per kind, where flip and floats are constants. */
static inline Span span_32(const int32_t *v, uint32_t n, int32_t flip,
                           bool floats)
{
    int32_t min = INT32_MAX, max = INT32_MIN;

    for (uint32_t i = 0; i < n; i++) {
        int32_t r = floats ? pq_rank_f32(v[i]) : v[i] ^ flip;
        min = r < min ? r : min;
        max = r > max ? r : max;
    }
    return (Span){min, max};
}

static inline Span span_64(const int64_t *v, uint32_t n, int64_t flip,
                           bool floats)
{
    int64_t min = INT64_MAX, max = INT64_MIN;

    for (uint32_t i = 0; i < n; i++) {
        int64_t r = floats ? pq_rank_f64(v[i]) : v[i] ^ flip;
        min = r < min ? r : min;
        max = r > max ? r : max;
    }
    return (Span){min, max};
}

static Span span_bool(const uint8_t *v, uint32_t n)
{
    uint8_t all = 1, any = 0;

    for (uint32_t i = 0; i < n; i++) {
        all &= v[i];
        any |= v[i];
    }
    return (Span){all, any};
}

static Span span_f16(const PqStr *v, uint32_t n)
{
    Span s = {INT64_MAX, INT64_MIN};

    for (uint32_t i = 0; i < n; i++) {
        int64_t r = pq_rank_f16(pq_load_u16(v[i].p));
        s.min = r < s.min ? r : s.min;
        s.max = r > s.max ? r : s.max;
    }
    return s;
}

static Span span_of(PqRankKind k, const void *values, uint32_t n)
{
    switch (k) {
    case PQ_RANK_BOOL:
        return span_bool(values, n);
    case PQ_RANK_I32:
        return span_32(values, n, 0, false);
    case PQ_RANK_U32:
        return span_32(values, n, INT32_MIN, false);
    case PQ_RANK_F32:
        return span_32(values, n, 0, true);
    case PQ_RANK_I64:
        return span_64(values, n, 0, false);
    case PQ_RANK_U64:
        return span_64(values, n, INT64_MIN, false);
    case PQ_RANK_F64:
        return span_64(values, n, 0, true);
    default:
        return span_f16(values, n);
    }
}

static void widen(PqBoundsMake *b, Span s)
{
    b->min = b->has && b->min < s.min ? b->min : s.min;
    b->max = b->has && b->max > s.max ? b->max : s.max;
    b->has = true;
}

static void widen_nan(PqBoundsMake *b, Span s, int64_t n)
{
    b->nan_min = b->n_nans && b->nan_min < s.min ? b->nan_min : s.min;
    b->nan_max = b->n_nans && b->nan_max > s.max ? b->nan_max : s.max;
    b->n_nans += n;
}

/* Adds values that are known to include a NaN. */
static void add_with_nans(PqBoundsMake *b, const void *values, uint32_t n)
{
    int64_t infinity = pq_rank_infinity(b->kind);

    for (uint32_t i = 0; i < n; i++) {
        int64_t r = pq_rank_at(b->kind, values, i);
        if (pq_rank_is_nan(r, infinity)) {
            widen_nan(b, (Span){r, r}, 1);
        } else {
            widen(b, (Span){r, r});
        }
    }
}

static void add_numbers(PqBoundsMake *b, const void *values, uint32_t n)
{
    int64_t infinity = pq_rank_infinity(b->kind);
    Span s = span_of(b->kind, values, n);

    if (PQ_UNLIKELY(pq_rank_is_nan(s.min, infinity) ||
                    pq_rank_is_nan(s.max, infinity))) {
        add_with_nans(b, values, n);
    } else {
        widen(b, s);
    }
}

/* ---- bytes ---- */

typedef struct Found { const PqStr *min, *max; } Found;

/* The length of the common prefix. */
static uint32_t common(PqStr a, PqStr b)
{
    uint32_t most = a.n < b.n ? a.n : b.n, n = 0;

    while (n + 8 <= most) {
        uint64_t differ = pq_load_u64(a.p + n) ^ pq_load_u64(b.p + n);

        if (differ) {
            return n + (uint32_t)__builtin_ctzll(differ) / 8;
        }
        n += 8;
    }
    while (n < most && a.p[n] == b.p[n]) {
        n++;
    }
    return n;
}

/* A search between min and max.  Many texts share a prefix, for example
** addresses and times.  So the common prefix of both bounds is skipped, and the
** eight bytes after it are compared. */
typedef struct Between {
    const PqStr *min, *max;
    uint32_t     skip;
    uint64_t     least, most;
    PqRankKind   kind;               /* PQ_RANK_BYTES, or the signed ones */
} Between;

static inline uint64_t rank_behind(const Between *t, PqStr v)
{
    PqStr rest = t->skip ? (PqStr){v.p + t->skip, v.n - t->skip} : v;

    return pq_str_prefix(rest) ^ pq_rank_flip(t->kind);
}

static Between between(PqRankKind kind, const PqStr *min, const PqStr *max)
{
    Between t = {.min = min, .max = max, .kind = kind,
                 .skip = kind == PQ_RANK_BYTES ? common(*min, *max) : 0};

    t.least = rank_behind(&t, *min);
    t.most = rank_behind(&t, *max);
    return t;
}

/* Compares a value that the eight bytes do not decide. */
static void widen_bytes(Between *t, const PqStr *v)
{
    if (pq_rank_compare_bytes(t->kind, NULL, *v, *t->min) < 0) {
        *t = between(t->kind, v, t->max);
    } else if (pq_rank_compare_bytes(t->kind, NULL, *v, *t->max) > 0) {
        *t = between(t->kind, t->min, v);
    }
}

static inline bool begins_alike(const Between *t, PqStr v)
{
    return t->skip == 0 ||
           (v.n >= t->skip && memcmp(v.p, t->min->p, t->skip) == 0);
}

/* A new bound that has the common prefix leaves the prefix as it is. */
static void find_bytes(PqRankKind kind, const PqStr *v, uint32_t n, Found *f)
{
    Between t = between(kind, f->min, f->max);

    for (uint32_t i = 0; i < n; i++) {
        uint64_t r;

        if (PQ_UNLIKELY(!begins_alike(&t, v[i]))) {
            widen_bytes(&t, &v[i]);
            continue;
        }
        r = rank_behind(&t, v[i]);
        if (r > t.most) {
            t.most = r;
            t.max = &v[i];
        } else if (r < t.least) {
            t.least = r;
            t.min = &v[i];
        } else if (PQ_UNLIKELY(r == t.least || r == t.most)) {
            widen_bytes(&t, &v[i]);
        }
    }
    *f = (Found){t.min, t.max};
}

static void find_ordered(const PqType *t, const PqStr *v, uint32_t n, Found *f)
{
    for (uint32_t i = 0; i < n; i++) {
        if (pq_rank_compare_bytes(PQ_RANK_ORDERED, t, v[i], *f->min) < 0) {
            f->min = &v[i];
        } else if (pq_rank_compare_bytes(PQ_RANK_ORDERED, t, v[i],
                                         *f->max) > 0) {
            f->max = &v[i];
        }
    }
}

static bool may_cut(const PqBoundsMake *b)
{
    return b->type->logical <= PQ_TYPE_BSON;
}

static PqRc keep(const PqBoundsMake *b, PqBuf *to, PqStr v, PqErr *e)
{
    size_t most = PQ_BOUND_MOST_BYTES + 1;

    return pq_buf_set(
        to, pq_slice(v.p, may_cut(b) && v.n > most ? most : v.n), e);
}

static PqStr view(const PqBuf *b)
{
    return (PqStr){b->p, (uint32_t)b->n};
}

static PqRc add_bytes(PqBoundsMake *b, const PqStr *v, uint32_t n, PqErr *e)
{
    PqStr min = view(&b->min_bytes), max = view(&b->max_bytes);
    Found f = b->has ? (Found){&min, &max} : (Found){v, v};

    if (b->kind == PQ_RANK_ORDERED) {
        find_ordered(b->type, v, n, &f);
    } else {
        find_bytes(b->kind, v, n, &f);
    }
    if (f.min != &min) {
        PQ_TRY(keep(b, &b->min_bytes, *f.min, e));
    }
    if (f.max != &max) {
        PQ_TRY(keep(b, &b->max_bytes, *f.max, e));
    }
    b->has = true;
    return PQ_OK;
}

/* ---- adding ---- */

PqRc pq_bounds_add(PqBoundsMake *b, const void *values, uint32_t n,
                   int64_t n_nulls, PqErr *e)
{
    b->n_nulls += n_nulls;
    if (n == 0 || b->kind == PQ_RANK_NONE) {
        return PQ_OK;
    }
    if (pq_rank_is_bytes(b->kind)) {
        return add_bytes(b, values, n, e);
    }
    add_numbers(b, values, n);
    return PQ_OK;
}

PqRc pq_bounds_add_bounds(PqBoundsMake *b, const PqBoundsMake *page, PqErr *e)
{
    assert(b->kind == page->kind && b->order == page->order);
    b->n_nulls += page->n_nulls;
    if (page->n_nans) {
        widen_nan(b, (Span){page->nan_min, page->nan_max}, page->n_nans);
    }
    if (!page->has) {
        return PQ_OK;
    }
    if (pq_rank_is_bytes(b->kind)) {
        PqStr both[2] = {view(&page->min_bytes), view(&page->max_bytes)};
        return add_bytes(b, both, 2, e);
    }
    widen(b, (Span){page->min, page->max});
    return PQ_OK;
}

/* ---- writing numbers ---- */

static PqRc write_rank(PqRankKind k, int64_t rank, PqArena *a, PqSlice *out,
                       PqErr *e)
{
    static const uint8_t widths[] = {
        [PQ_RANK_BOOL] = 1, [PQ_RANK_I32] = 4, [PQ_RANK_U32] = 4,
        [PQ_RANK_F32] = 4,  [PQ_RANK_I64] = 8, [PQ_RANK_U64] = 8,
        [PQ_RANK_F64] = 8,  [PQ_RANK_F16] = 2,
    };
    uint8_t *p = pq_arena_bytes(a, widths[k], e);
    int64_t bits = rank;

    if (!p) {
        return e->rc;
    }
    switch (k) {
    case PQ_RANK_U32:
        bits = pq_rank_u32((uint32_t)rank);
        break;
    case PQ_RANK_F32:
        bits = pq_rank_f32((int32_t)rank);
        break;
    case PQ_RANK_U64:
        bits = pq_rank_u64((uint64_t)rank);
        break;
    case PQ_RANK_F64:
        bits = pq_rank_f64(rank);
        break;
    case PQ_RANK_F16:
        bits = pq_rank_f16((uint16_t)rank);
        break;
    default:
        break;
    }
    memcpy(p, &bits, widths[k]);
    *out = pq_slice(p, widths[k]);
    return PQ_OK;
}

/* -0.0 and 0.0 have the ranks -1 and 0.  In the order by value they are equal,
** so a zero bound becomes the outer one of the two. */
static PqRc made_numbers(const PqBoundsMake *b, PqArena *a, PqBoundsMade *out,
                         PqErr *e)
{
    bool zeros = b->order == PQ_ORDER_FLOAT;
    int64_t min = b->has ? b->min : b->nan_min;
    int64_t max = b->has ? b->max : b->nan_max;

    out->min_exact = !zeros || min != 0;
    out->max_exact = !zeros || max != -1;
    PQ_TRY(write_rank(b->kind, out->min_exact ? min : -1, a, &out->min, e));
    PQ_TRY(write_rank(b->kind, out->max_exact ? max : 0, a, &out->max, e));
    out->has_min = out->has_max = true;
    return PQ_OK;
}

/* ---- writing bytes ---- */

/* Where to cut p, which has more than most bytes.  If *text, it is cut at the
** end of a character; what is not valid UTF-8 is cut as bytes, and *text is set
** to false. */
static size_t cut_at(const uint8_t *p, size_t most, bool *text)
{
    size_t n = most;

    while (*text && n > 0 && (p[n] & 0xc0) == 0x80) {
        n--;                         /* in the middle of a character */
    }
    *text = *text && pq_utf8_valid(pq_slice(p, n));
    return *text ? n : most;
}

/* The next greater character; 0 if there is none. */
static uint32_t next_character(const uint8_t *p, size_t n)
{
    static const uint8_t lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = p[0] & lead_bits[n];

    for (size_t i = 1; i < n; i++) {
        c = c << 6 | (p[i] & 0x3f);
    }
    c++;
    return c == 0xd800 ? 0xe000 : c > 0x10ffff ? 0 : c;
}

/* Makes a valid text of n bytes, with room for four more, greater than every
** text that begins with it.  Returns its new length, at most most, or 0. */
static size_t raise_text(uint8_t *p, size_t n, size_t most)
{
    while (n > 0) {
        size_t end = n;
        uint32_t c;

        do {
            n--;
        } while ((p[n] & 0xc0) == 0x80);
        c = next_character(p + n, end - n);
        if (c) {
            end = n + pq_utf8_put(c, p + n);
            if (end <= most) {
                return end;
            }
        }
    }
    return 0;
}

static size_t raise_bytes(uint8_t *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0xff) {
        n--;
    }
    if (n > 0) {
        p[n - 1]++;
    }
    return n;
}

/* Copies v into a, cut if it is too long.  *exact: it is whole.  *has is false
** for a max that is too long but cannot be cut. */
static PqRc write_bytes(const PqBoundsMake *b, const PqBuf *v, size_t most,
                        bool is_max, PqArena *a, PqSlice *out, bool *has,
                        bool *exact, PqErr *e)
{
    size_t n = v->n;
    uint8_t *p;
    bool text;

    *exact = n <= most || !may_cut(b);
    *has = true;
    text = !*exact && pq_type_is_text(b->type);
    n = *exact ? n : cut_at(v->p, most, &text);
    p = pq_arena_bytes(a, n + 4, e);
    if (!p) {
        return e->rc;
    }
    pq_bytes_copy(p, v->p, n);
    if (is_max && !*exact) {
        n = text ? raise_text(p, n, most) : raise_bytes(p, n);
        *has = n > 0;
    }
    *out = pq_slice(p, n);
    return PQ_OK;
}

PqRc pq_bounds_made(const PqBoundsMake *b, size_t most_bytes, PqArena *a,
                    PqBoundsMade *out, PqErr *e)
{
    assert(most_bytes <= PQ_BOUND_MOST_BYTES);
    *out = (PqBoundsMade){0};
    if (b->order == PQ_ORDER_FLOAT_TOTAL ? !b->has && !b->n_nans
                                         : !b->has || b->n_nans) {
        return PQ_OK;
    }
    if (!pq_rank_is_bytes(b->kind)) {
        return made_numbers(b, a, out, e);
    }
    PQ_TRY(write_bytes(b, &b->min_bytes, most_bytes, false, a, &out->min,
                       &out->has_min, &out->min_exact, e));
    return write_bytes(b, &b->max_bytes, most_bytes, true, a, &out->max,
                       &out->has_max, &out->max_exact, e);
}

PqRc pq_bounds_statistics(const PqBoundsMake *b, int64_t n_distinct,
                          PqArena *a, PqStatistics *out, PqErr *e)
{
    PqBoundsMade made;

    PQ_TRY(pq_bounds_made(b, PQ_BOUND_CHUNK_BYTES, a, &made, e));
    *out = (PqStatistics){
        .has = 1u << PQ_STATISTICS_NULL_COUNT |
               pq_has_if(n_distinct >= 0, PQ_STATISTICS_DISTINCT_COUNT) |
               pq_has_if(made.has_min, PQ_STATISTICS_MIN_VALUE) |
               pq_has_if(made.has_min, PQ_STATISTICS_MIN_EXACT) |
               pq_has_if(made.has_max, PQ_STATISTICS_MAX_VALUE) |
               pq_has_if(made.has_max, PQ_STATISTICS_MAX_EXACT) |
               pq_has_if(pq_type_is_float(b->type), PQ_STATISTICS_NAN_COUNT),
        .null_count = b->n_nulls,
        .distinct_count = n_distinct,
        .min_value = made.min,
        .max_value = made.max,
        .is_min_value_exact = made.min_exact,
        .is_max_value_exact = made.max_exact,
        .nan_count = b->n_nans,
    };
    return PQ_OK;
}
