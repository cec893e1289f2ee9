/*
** wanted_values.c - which values of an array are wanted.
**
** The hard part is speed.  Integers and floats go through kernels, a span at a
** time.  With many spans, for example from a long IN list, each value that passes the
** sieve (wanted.h) is looked up by binary search instead.  A condition such as <> has
** fewer gaps than spans: then the gaps are tested, and the bits are inverted.
*/
#include "core/scan/wanted.h"

#include "core/simd/kernels.h"

enum { WORDS = PQ_WANTED_AT_ONCE / 64, FEW_SPANS = 8 };

static void turn_over(uint64_t *bits, uint32_t n)
{
    for (uint32_t i = 0; i < (n + 63) / 64; i++) {
        bits[i] = ~bits[i];
    }
    if (n % 64 > 0) {
        bits[n / 64] &= ((uint64_t)1 << n % 64) - 1;
    }
}

/* ---- by kernels --------------------------------------------------------- */

static bool has_kernel(const PqType *type)
{
    return type->physical == PQ_INT32 || type->physical == PQ_INT64 ||
           type->physical == PQ_FLOAT || type->physical == PQ_DOUBLE;
}

static void test_span(const PqType *type, PqSpan s, const void *values,
                      uint32_t n, uint64_t *bits)
{
    const PqKernels *k = pq_kernels();

    switch (type->physical) {
    case PQ_INT32:
        k->between32(values, n, (uint32_t)s.first,
                     (uint32_t)(s.last - s.first), bits);
        break;
    case PQ_INT64:
        k->between64(values, n, (uint64_t)s.first,
                     (uint64_t)(s.last - s.first), bits);
        break;
    case PQ_FLOAT:
        k->between_float(values, n, pq_float_at((int64_t)s.first),
                         pq_float_at((int64_t)s.last), bits);
        break;
    default:
        k->between_double(values, n, pq_double_at((int64_t)s.first),
                          pq_double_at((int64_t)s.last), bits);
        break;
    }
}

static void test_few(const PqType *type, const PqSpan *spans, uint32_t n_spans,
                     const void *values, uint32_t n, uint64_t *bits)
{
    uint64_t more[WORDS] = {0};

    memset(bits, 0, (n + 63) / 64 * sizeof *bits);
    for (uint32_t i = 0; i < n_spans; i++) {
        test_span(type, spans[i], values, n, i == 0 ? bits : more);
        for (uint32_t w = 0; i > 0 && w < (n + 63) / 64; w++) {
            bits[w] |= more[w];
        }
    }
}

/* True if the spans reach both ends of the type: the gaps lie between them. */
static bool has_fewer_gaps(const PqWanted *w)
{
    return w->n > 0 && !w->bounded && w->spans[0].first == w->least &&
           w->spans[w->n - 1].last == w->most;
}

static void test_gaps(const PqWanted *w, const PqType *type, const void *values,
                      uint32_t n, uint64_t *bits)
{
    PqSpan gaps[FEW_SPANS];
    uint32_t n_gaps = 0;

    for (; n_gaps + 1 < w->n; n_gaps++) {
        gaps[n_gaps] = (PqSpan){w->spans[n_gaps].last + 1,
                                w->spans[n_gaps + 1].first - 1};
    }
    test_few(type, gaps, n_gaps, values, n, bits);
    turn_over(bits, n);
}

/* ---- by binary search --------------------------------------------------- */

static PqPlace place_at(const PqType *type, const void *values, uint32_t i)
{
    switch (type->physical) {
    case PQ_INT32:
        return pq_type_is_unsigned(type) ? (PqPlace)((const uint32_t *)values)[i]
                                         : (PqPlace)((const int32_t *)values)[i];
    case PQ_INT64:
        return pq_type_is_unsigned(type) ? (PqPlace)((const uint64_t *)values)[i]
                                         : (PqPlace)((const int64_t *)values)[i];
    case PQ_FLOAT:
        return pq_rank_f32(((const int32_t *)values)[i]);
    default:
        return pq_rank_f64(((const int64_t *)values)[i]);
    }
}

static bool has_value(const PqWanted *w, const PqType *type, const void *values,
                      uint32_t i)
{
    const PqStr *s = (const PqStr *)values + i;
    PqPlace place;

    if (type->physical == PQ_BOOLEAN) {
        return pq_wanted_has_place(w, ((const uint8_t *)values)[i] & 1);
    }
    if (type->physical != PQ_BYTE_ARRAY && type->physical != PQ_FIXED) {
        return pq_wanted_has_place(w, place_at(type, values, i));
    }
    if (w->form == PQ_WANTED_BYTES) {
        return pq_wanted_has_bytes(w, pq_slice(s->p, s->n));
    }
    if (!pq_place_of(type, pq_slice(s->p, s->n), &place)) {
        return w->beyond;
    }
    return pq_type_is_float(type) && pq_order_is_nan(type, pq_slice(s->p, s->n))
               ? w->nans : pq_wanted_has_place(w, place);
}

static void test_each(const PqWanted *w, const PqType *type, const void *values,
                      uint32_t n, const uint64_t *asked, uint64_t *bits)
{
    bool sift = w->sieved && (type->physical == PQ_INT32 ||
                              type->physical == PQ_INT64);

    for (uint32_t word = 0; word < (n + 63) / 64; word++) {
        uint32_t some = n - word * 64 < 64 ? n - word * 64 : 64;
        uint64_t found = 0, left = asked[word];

        if (sift && left) {
            left &= pq_wanted_sift(w, type, values, word * 64, some);
        }
        for (; left; left &= left - 1) {
            uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(left);

            if (has_value(w, type, values, i)) {
                found |= left & (0 - left);
            }
        }
        bits[word] = found;
    }
}

/* ---- one text ------------------------------------------------------------ */

/* The last bytes differ more often than the first. */
static bool ends_alike(const PqStr *a, PqSlice b)
{
    return b.n < 8 || pq_load_u64(a->p + b.n - 8) == pq_load_u64(b.p + b.n - 8);
}

/* Most texts have another length, which is known without a look at their bytes. */
static void test_text(PqSlice text, const PqStr *v, uint32_t n,
                      const uint64_t *asked, uint64_t *bits)
{
    for (uint32_t at = 0; at < n; at += 64, v += 64) {
        uint32_t some = n - at < 64 ? n - at : 64;
        uint64_t found = 0;

        for (uint32_t i = 0; i < some; i++) {
            found |= (uint64_t)(v[i].n == text.n) << i;
        }
        bits[at / 64] = 0;
        for (found &= asked[at / 64]; found; found &= found - 1) {
            const PqStr *s = v + __builtin_ctzll(found);

            if (ends_alike(s, text) && pq_slice_equal(pq_slice(s->p, s->n), text)) {
                bits[at / 64] |= found & (0 - found);
            }
        }
    }
}

/* ---- arrays ------------------------------------------------------------- */

/* Decides the bits of NaNs, which have no place among the spans. */
static void settle_nans(const PqWanted *w, const PqType *type,
                        const void *values, uint32_t n, uint64_t *bits)
{
    uint64_t numbers[WORDS];
    PqSpan all;

    pq_place_ends(type, &all.first, &all.last);
    test_span(type, all, values, n, numbers);
    for (uint32_t i = 0; i < (n + 63) / 64; i++) {
        bits[i] = (bits[i] & numbers[i]) | (w->nans ? ~numbers[i] : 0);
    }
    if (w->nans && n % 64 > 0) {
        bits[n / 64] &= ((uint64_t)1 << n % 64) - 1;
    }
}

bool pq_wanted_bounds_hold(const PqWanted *w, const PqType *type,
                           const void *values, uint32_t n,
                           const uint64_t *asked)
{
    PqSpan span = {w->least, w->most};
    PqWanted limits = {.form = PQ_WANTED_PLACES, .spans = &span, .n = 1};
    uint64_t bits[WORDS];

    if (has_kernel(type)) {
        test_span(type, span, values, n, bits);
    } else {
        test_each(&limits, type, values, n, asked, bits);
    }
    for (uint32_t i = 0; i < (n + 63) / 64; i++) {
        if (asked[i] & ~bits[i]) {
            return false;
        }
    }
    return true;
}

static bool has_all_bytes(const PqWanted *w)
{
    return w->form == PQ_WANTED_BYTES && w->n == 1 &&
           w->byte_spans[0].endless && w->byte_spans[0].from.n == 0;
}

void pq_wanted_test(const PqWanted *w, const PqType *type, const void *values,
                    uint32_t n, const uint64_t *asked, uint64_t *bits)
{
    bool gaps = w->form == PQ_WANTED_PLACES && has_kernel(type) &&
                w->n <= FEW_SPANS && has_fewer_gaps(w);

    if (has_all_bytes(w)) {
        memcpy(bits, asked, (n + 63) / 64 * sizeof *bits);
    } else if (w->form == PQ_WANTED_BYTES && w->n == 1 &&
               w->byte_spans[0].single) {
        test_text(w->byte_spans[0].from, values, n, asked, bits);
    } else if (w->form != PQ_WANTED_PLACES || !has_kernel(type) ||
               w->n > FEW_SPANS) {
        test_each(w, type, values, n, asked, bits);
    } else if (gaps) {
        test_gaps(w, type, values, n, bits);
    } else {
        test_few(type, w->spans, w->n, values, n, bits);
    }
    if (pq_type_is_float(type) && has_kernel(type) && (gaps || w->nans)) {
        settle_nans(w, type, values, n, bits);
    }
}
