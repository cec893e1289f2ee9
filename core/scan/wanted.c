/*
** wanted.c - builds and joins spans of stored values, and compares them with
** bounds.
**
** The spans of a long IN list are single values.  For these there is a sieve, since most
** values of a column are in no list: 20,000 texts in ten million rows take a third of
** what the searches took.
**
** The hard part is to be safe: a wanted value is never ruled out.  So a
** missing bound is replaced by the end of the type.  Rows that may have a
** value outside the limits are kept if such values may be wanted.
*/
#include "core/scan/wanted.h"

#include "core/meta/bloom.h"
#include "core/numbering/hash.h"

#include <stdlib.h>

/* ---- a sieve -------------------------------------------------------------- */

/* With few values a search takes as long as a hash.  Each value has at least SIEVE_BITS
** bits, so one in SIEVE_BITS of those that are not wanted is searched for. */
enum { SIEVE_LEAST = 8, SIEVE_BITS = 16, LEAST_SIZE = 10, MOST_SIZE = 26 };

static PqRc sieve_room(PqWanted *w, uint32_t n, PqArena *a, PqErr *e)
{
    unsigned size = LEAST_SIZE;
    PqRc rc;

    if (n < SIEVE_LEAST) {
        return PQ_OK;
    }
    while (size < MOST_SIZE && (uint64_t)1 << size < (uint64_t)n * SIEVE_BITS) {
        size++;
    }
    w->sieve_shift = 64 - size;
    w->sieve_most = n;
    rc = PQ_ARENA_NEW(a, w->sieve, ((size_t)1 << size) / 64, e);
    if (rc == PQ_BUDGET) {           /* the sieve is optional */
        pq_err_clear(e);
        rc = PQ_OK;
    }
    return rc;
}

static uint64_t hash_of_bytes(PqSlice v)
{
    return pq_hash_bytes(v.p, v.n);
}

/* A bad hash would cost time only, so one multiplication is enough: its upper bits are
** far apart for words that are near each other. */
static uint64_t hash_of_word(uint64_t word)
{
    return word * 0x9e3779b97f4a7c15u;
}

static void put_in_sieve(PqWanted *w, uint64_t hash)
{
    uint64_t bit = hash >> w->sieve_shift;

    w->sieve[bit / 64] |= (uint64_t)1 << bit % 64;
}

static bool passes_sieve(const PqWanted *w, uint64_t hash)
{
    uint64_t bit = hash >> w->sieve_shift;

    return w->sieve[bit / 64] >> bit % 64 & 1;
}

/* False: a span has more than single values. */
static bool sieve_bytes(PqWanted *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        if (!w->byte_spans[i].single) {
            return false;
        }
        put_in_sieve(w, hash_of_bytes(w->byte_spans[i].from));
    }
    return true;
}

/* Values that follow each other have become one span. */
static bool sieve_places(PqWanted *w)
{
    uint64_t left = w->sieve_most;

    for (uint32_t i = 0; i < w->n; i++) {
        PqSpan s = w->spans[i];

        if ((unsigned __int128)s.last - (unsigned __int128)s.first >= left) {
            return false;
        }
        left -= (uint64_t)(s.last - s.first) + 1;
        for (PqPlace place = s.first; place < s.last; place++) {
            put_in_sieve(w, hash_of_word((uint64_t)place));
        }
        put_in_sieve(w, hash_of_word((uint64_t)s.last));
    }
    return true;
}

/* ---- making ------------------------------------------------------------- */

PqRc pq_wanted_begin(PqWanted *w, PqWantedForm form, const PqType *type,
                     uint32_t n, PqArena *a, PqErr *e)
{
    *w = (PqWanted){.form = form};
    if (form == PQ_WANTED_PLACES) {
        pq_place_ends(type, &w->least, &w->most);
        PQ_TRY(PQ_ARENA_NEW(a, w->spans, n + 1u, e));
        return sieve_room(w, n, a, e);
    }
    if (form == PQ_WANTED_BYTES) {
        PQ_TRY(PQ_ARENA_NEW(a, w->byte_spans, n + 1u, e));
        return sieve_room(w, n, a, e);
    }
    return PQ_OK;
}

void pq_wanted_add(PqWanted *w, PqPlace first, PqPlace last)
{
    if (first <= last) {
        w->spans[w->n++] = (PqSpan){first, last};
    }
}

void pq_wanted_add_value(PqWanted *w, PqSlice v)
{
    w->byte_spans[w->n++] = (PqByteSpan){.from = v, .to = pq_bytes_after(v),
                                         .single = true};
}

void pq_wanted_add_bytes(PqWanted *w, PqSlice from, PqSlice to)
{
    if (pq_slice_compare(from, to) < 0) {
        w->byte_spans[w->n++] = (PqByteSpan){.from = from, .to = to};
    }
}

void pq_wanted_add_bytes_from(PqWanted *w, PqSlice from)
{
    w->byte_spans[w->n++] = (PqByteSpan){.from = from, .endless = true};
}

void pq_wanted_add_all(PqWanted *w)
{
    if (w->form == PQ_WANTED_PLACES) {
        pq_wanted_add(w, w->least, w->most);
        w->beyond = true;            /* also values without a place */
    } else if (w->form == PQ_WANTED_BYTES) {
        pq_wanted_add_bytes_from(w, pq_slice("", 0));
    }
}

/* ---- in order ----------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    PqPlace x = ((const PqSpan *)a)->first, y = ((const PqSpan *)b)->first;

    return (x > y) - (x < y);
}

static int by_from(const void *a, const void *b)
{
    return pq_slice_compare(((const PqByteSpan *)a)->from,
                            ((const PqByteSpan *)b)->from);
}

/* The spans of an IN list come in order already. */
static bool is_ascending(const PqWanted *w)
{
    for (uint32_t i = 1; i < w->n; i++) {
        if (w->spans ? by_first(&w->spans[i - 1], &w->spans[i]) > 0
                     : by_from(&w->byte_spans[i - 1], &w->byte_spans[i]) > 0) {
            return false;
        }
    }
    return true;
}

/* Joins adjacent spans too, so that there is a gap between any two. */
static void join_places(PqWanted *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->n; i++) {
        PqSpan s = w->spans[i];

        if (n > 0 && (s.first <= w->spans[n - 1].last ||
                      s.first - 1 == w->spans[n - 1].last)) {
            PqSpan *before = &w->spans[n - 1];
            before->last = s.last > before->last ? s.last : before->last;
        } else {
            w->spans[n++] = s;
        }
    }
    w->n = n;
}

/* Does s begin before b ends? */
static bool overlap(const PqByteSpan *b, const PqByteSpan *s)
{
    return b->endless || pq_slice_compare(s->from, b->to) < 0;
}

static void join_bytes(PqWanted *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->n; i++) {
        PqByteSpan s = w->byte_spans[i];
        PqByteSpan *before = n > 0 ? &w->byte_spans[n - 1] : NULL;

        if (!before || !overlap(before, &s)) {
            w->byte_spans[n++] = s;
        } else if (s.endless ||
                   (!before->endless &&
                    pq_slice_compare(s.to, before->to) > 0)) {
            before->to = s.to;
            before->endless = s.endless;
            before->single = false;
        }
    }
    w->n = n;
}

void pq_wanted_end(PqWanted *w)
{
    w->sieved = false;
    if (w->n < 2) {
        return;
    }
    if (!is_ascending(w)) {
        if (w->spans) {
            qsort(w->spans, w->n, sizeof *w->spans, by_first);
        } else {
            qsort(w->byte_spans, w->n, sizeof *w->byte_spans, by_from);
        }
    }
    if (w->spans) {
        join_places(w);
        w->sieved = w->sieve && w->n >= SIEVE_LEAST && sieve_places(w);
    } else {
        join_bytes(w);
        w->sieved = w->sieve && w->n >= SIEVE_LEAST && sieve_bytes(w);
    }
}

/* ---- meeting ------------------------------------------------------------ */

/* The first span that does not end before a place, or w->n. */
static uint32_t span_from(const PqWanted *w, PqPlace place)
{
    uint32_t low = 0, high = w->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (w->spans[middle].last < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t byte_span_from(const PqWanted *w, PqSlice v)
{
    uint32_t low = 0, high = w->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const PqByteSpan *s = &w->byte_spans[middle];

        if (!s->endless && pq_slice_compare(s->to, v) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_beyond(const PqWanted *w, PqPlace min, PqPlace max)
{
    return w->bounded && w->beyond && (min < w->least || max > w->most);
}

static bool meets_places(const PqWanted *w, const PqType *type,
                         const PqBounds *b)
{
    PqPlace min, max, place;
    uint32_t at;

    pq_place_ends(type, &min, &max);
    if (b->has_min && pq_place_of(type, b->min, &place)) {
        min = place;
    }
    if (b->has_max && pq_place_of(type, b->max, &place)) {
        max = place;
    }
    if (is_beyond(w, min, max)) {
        return true;
    }
    at = span_from(w, min);
    return at < w->n && w->spans[at].first <= max;
}

static bool meets_bytes(const PqWanted *w, const PqBounds *b)
{
    uint32_t at = b->has_min ? byte_span_from(w, b->min) : 0;

    return at < w->n &&
           (!b->has_max ||
            pq_slice_compare(w->byte_spans[at].from, b->max) <= 0);
}

/* All values that are not null are NaN. */
static bool all_nan(const PqBounds *b, int64_t n_values)
{
    return n_values > 0 && b->n_nulls >= 0 && b->n_nans > 0 &&
           b->n_nans == n_values - b->n_nulls;
}

bool pq_wanted_meets(const PqWanted *w, const PqType *type, const PqBounds *b,
                     int64_t n_values)
{
    if ((w->nulls && b->n_nulls != 0) || (w->nans && b->n_nans != 0)) {
        return true;
    }
    if (b->all_null || all_nan(b, n_values)) {
        return false;
    }
    switch (w->form) {
    case PQ_WANTED_PLACES:
        return meets_places(w, type, b);
    case PQ_WANTED_BYTES:
        return meets_bytes(w, b);
    default:
        return true;
    }
}

uint64_t pq_wanted_sift(const PqWanted *w, const PqType *type,
                        const void *values, uint32_t i, uint32_t n)
{
    uint64_t bits = 0;

#define SIFT(type)                                                        \
    for (uint32_t k = 0; k < n; k++) {                                    \
        uint64_t word = (uint64_t)((const type *)values)[i + k];          \
                                                                          \
        bits |= (uint64_t)passes_sieve(w, hash_of_word(word)) << k;       \
    }
    if (type->physical == PQ_INT64) {
        SIFT(int64_t)
    } else if (pq_type_is_unsigned(type)) {
        SIFT(uint32_t)
    } else {
        SIFT(int32_t)
    }
#undef SIFT
    return bits;
}

bool pq_wanted_has_place(const PqWanted *w, PqPlace place)
{
    uint32_t at;

    if (w->sieved && !passes_sieve(w, hash_of_word((uint64_t)place))) {
        return false;
    }
    at = span_from(w, place);
    return at < w->n && w->spans[at].first <= place;
}

bool pq_wanted_has_bytes(const PqWanted *w, PqSlice v)
{
    uint32_t at;

    if (w->n == 1 && w->byte_spans[0].single) {
        return pq_slice_equal(w->byte_spans[0].from, v);
    }
    if (w->sieved && !passes_sieve(w, hash_of_bytes(v))) {
        return false;
    }
    at = byte_span_from(w, v);
    return at < w->n && pq_slice_compare(w->byte_spans[at].from, v) <= 0;
}

/* ---- single values ------------------------------------------------------ */

/* With more values than this, a Bloom filter of the usual size nearly always
** says "maybe" to one of them. */
enum { MOST_VALUES = 4096 };

bool pq_wanted_can_list(const PqWanted *w, uint32_t *n)
{
    *n = 0;
    if (w->form == PQ_WANTED_CELLS || w->nulls || w->nans ||
        (w->bounded && w->beyond) || w->n > MOST_VALUES) {
        return false;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        unsigned __int128 more = 0;  /* after the first */

        if (w->form == PQ_WANTED_PLACES) {
            more = (unsigned __int128)w->spans[i].last -
                   (unsigned __int128)w->spans[i].first;
        } else if (!w->byte_spans[i].single) {
            return false;
        }
        if (more >= MOST_VALUES - *n) {
            return false;
        }
        *n += (uint32_t)more + 1;
    }
    return true;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* False: a value can be stored in more than one way. */
static bool hash_span(const PqSpan *s, const PqType *type, uint64_t *out,
                      uint32_t *n)
{
    uint8_t room[PQ_PLACE_ROOM];

    for (PqPlace place = s->first;; place++) {
        PqSlice v = pq_place_stored(type, place, room);

        if (!v.p) {
            return false;
        }
        out[(*n)++] = pq_bloom_hash(v);
        if (place == s->last) {
            return true;
        }
    }
}

PqRc pq_wanted_hashes(const PqWanted *w, const PqType *type, PqArena *a,
                      uint64_t **out, uint32_t *n, bool *known, PqErr *e)
{
    uint32_t most;

    *n = 0;
    *known = pq_wanted_can_list(w, &most);
    if (!*known) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(a, *out, most + 1u, e));
    for (uint32_t i = 0; i < w->n && *known; i++) {
        if (w->form == PQ_WANTED_PLACES) {
            *known = hash_span(&w->spans[i], type, *out, n);
        } else {
            (*out)[(*n)++] = pq_bloom_hash(w->byte_spans[i].from);
        }
    }
    if (*n > 1) {
        qsort(*out, *n, sizeof **out, by_hash);
    }
    return PQ_OK;
}
