/*
** summary.c - makes arrays of values without nulls from vectors, and gives them
** to everything that is wanted.
*/
#include "core/summary/summary.h"

#include "core/summary/hyperloglog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct PqSummary {
    PqMem        *mem;
    const PqStop *stop;
    PqSummaryForm form;
    unsigned      want;
    uint64_t      n_values, n_nulls;
    bool          any;               /* min and max are there               */
    int64_t       least, most;       /* INTS; ranks of REALS                */
    PqBuf         least_bytes, most_bytes;
    PqMoments     moments;
    PqCounts      counts;
    bool          sketched;          /* counts are not all                  */
    uint8_t      *registers;
    PqRanks       ranks;
    PqTextSample  sample;
    /* Ids of the current dictionary. */
    const PqDict *dict;
    uint64_t      dict_serial;
    uint64_t     *ids;               /* how often each occurred             */
    size_t        ids_room;
    PqPhysical    physical;
    bool          is_unsigned;
    /* Values without nulls, in one of these, and their hashes. */
    uint32_t      n;
    int64_t       ints[PQ_SUMMARY_AT_ONCE];
    double        reals[PQ_SUMMARY_AT_ONCE];
    PqStr         bytes[PQ_SUMMARY_AT_ONCE];
    uint64_t      times[PQ_SUMMARY_AT_ONCE];
    uint64_t      hashes[PQ_SUMMARY_AT_ONCE];
};

PqRc pq_summary_new(PqMem *mem, PqSummaryForm form, unsigned want,
                    const PqStop *stop, PqSummary **out, PqErr *e)
{
    PqSummary *s;

    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    s = *out;
    s->mem = mem;
    s->stop = stop;
    s->form = form;
    s->want = want;
    pq_counts_init(&s->counts, mem, form == PQ_SUMMARY_BYTES);
    pq_ranks_init(&s->ranks, mem);
    pq_text_sample_init(&s->sample, mem);
    pq_buf_init(&s->least_bytes, mem, NULL);
    pq_buf_init(&s->most_bytes, mem, NULL);
    return PQ_OK;
}

void pq_summary_free(PqSummary *s)
{
    if (s) {
        pq_counts_free(&s->counts);
        pq_ranks_free(&s->ranks);
        pq_text_sample_free(&s->sample);
        pq_buf_free(&s->least_bytes);
        pq_buf_free(&s->most_bytes);
        pq_mem_free(s->registers);
        pq_mem_free(s->ids);
        pq_mem_free(s);
    }
}

/* ---- bounds ---------------------------------------------------------------- */

static void bounds_of_ints(PqSummary *s, int64_t *least, int64_t *most)
{
    int64_t low = s->ints[0], high = low;

    for (uint32_t i = 1; i < s->n; i++) {
        low = s->ints[i] < low ? s->ints[i] : low;
        high = s->ints[i] > high ? s->ints[i] : high;
    }
    *least = low;
    *most = high;
    if (!s->any || low < s->least) {
        s->least = low;
    }
    if (!s->any || high > s->most) {
        s->most = high;
    }
}

static PqRc set_bytes(PqBuf *b, PqStr v, PqErr *e)
{
    b->n = 0;
    b->sink = e;
    pq_buf_add(b, v.p, v.n);
    pq_buf_byte(b, 0);
    return pq_buf_ok(b) ? PQ_OK : e->rc;
}

static int compare_with(PqStr v, const PqBuf *b)
{
    return pq_slice_compare(pq_slice(v.p, v.n), pq_slice(b->p, b->n - 1));
}

static PqRc bounds_of_bytes(PqSummary *s, PqErr *e)
{
    PqStr low = s->bytes[0], high = low;

    for (uint32_t i = 1; i < s->n; i++) {
        PqSlice v = pq_slice(s->bytes[i].p, s->bytes[i].n);

        if (pq_slice_compare(v, pq_slice(low.p, low.n)) < 0) {
            low = s->bytes[i];
        } else if (pq_slice_compare(v, pq_slice(high.p, high.n)) > 0) {
            high = s->bytes[i];
        }
    }
    if (!s->any || compare_with(low, &s->least_bytes) < 0) {
        PQ_TRY(set_bytes(&s->least_bytes, low, e));
    }
    if (!s->any || compare_with(high, &s->most_bytes) > 0) {
        PQ_TRY(set_bytes(&s->most_bytes, high, e));
    }
    return PQ_OK;
}

/* ---- counts, and what they become ------------------------------------------ */

/* A part of the batch, so that the size of the counts is checked often
** enough. */
typedef struct Part {
    uint32_t        from, n;
    const uint64_t *times;           /* theirs; NULL: once each             */
    bool            has_long;        /* a text that is too long to be counted */
} Part;

static const void *values_from(const PqSummary *s, uint32_t from)
{
    return s->form == PQ_SUMMARY_BYTES ? (const void *)(s->bytes + from)
                                       : s->ints + from;
}

static PqRc count_values(PqSummary *s, const Part *p, PqErr *e)
{
    return pq_counts_add(&s->counts, values_from(s, p->from),
                         s->hashes + p->from, p->times, p->n, e);
}

/* One value, several times. */
static PqRc rank_value(PqSummary *s, PqStr text, int64_t i, uint64_t times,
                       PqErr *e)
{
    return s->form == PQ_SUMMARY_BYTES
               ? pq_text_sample_add(&s->sample, &text, times, 0, e)
               : pq_ranks_add_times(&s->ranks, i, times, e);
}

static PqRc rank_values(PqSummary *s, const Part *p, PqErr *e)
{
    const int64_t *ints = s->ints + p->from;
    const PqStr *bytes = s->bytes + p->from;

    if (!p->times) {
        return s->form == PQ_SUMMARY_BYTES
                   ? pq_text_sample_add(&s->sample, bytes, p->n, 1, e)
                   : pq_ranks_add(&s->ranks, ints, p->n, e);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        PQ_TRY(rank_value(s, bytes[i], ints[i], p->times[i], e));
    }
    return PQ_OK;
}

/* Gives all counted values to the sketches. */
static PqRc sketch_counts(PqSummary *s, PqErr *e)
{
    for (uint32_t i = 0; i < s->counts.n_places; i++) {
        const PqCount *c = &s->counts.places[i];

        if (!c->count) {
            continue;
        }
        if (s->want & PQ_SUMMARY_DISTINCT) {
            pq_hll_add(s->registers, pq_counts_hash_of(&s->counts, c));
        }
        if (s->want & PQ_SUMMARY_QUARTILES) {
            PQ_TRY(rank_value(s, pq_count_text(c), c->key.i, c->count, e));
        }
    }
    return PQ_OK;
}

static PqRc cut_counts(PqSummary *s, PqErr *e)
{
    return pq_counts_exceed(&s->counts, PQ_COUNTS_FEW, PQ_COUNTS_FEW_BYTES)
               ? pq_counts_cut(&s->counts, PQ_COUNTS_FEW / 2,
                               PQ_COUNTS_FEW_BYTES / 2, e)
               : PQ_OK;
}

/* The values have been counted but not sketched; some may be too long. */
static PqRc begin_sketches(PqSummary *s, PqErr *e)
{
    s->sketched = true;
    PQ_TRY(PQ_NEW(s->mem, s->registers, PQ_HLL_REGISTERS, e));
    PQ_TRY(sketch_counts(s, e));
    if (!(s->want & PQ_SUMMARY_TOP)) {
        pq_counts_free(&s->counts);
        return PQ_OK;
    }
    return cut_counts(s, e);
}

/* The values from `from` on that are taken together: all, or texts of some bytes. */
static Part part_from(const PqSummary *s, uint32_t from, const uint64_t *times)
{
    Part p = {.from = from, .n = s->n - from,
              .times = times ? times + from : NULL};
    uint64_t bytes = 0;

    for (uint32_t i = from; s->form == PQ_SUMMARY_BYTES && i < s->n; i++) {
        bytes += s->bytes[i].n;
        if (bytes > PQ_COUNTS_FEW_BYTES && i > from) {
            p.n = i - from;
            break;
        }
        p.has_long = p.has_long || s->bytes[i].n > PQ_COUNTS_LONGEST;
    }
    return p;
}

static PqRc know_part(PqSummary *s, const Part *p, PqErr *e)
{
    if (!s->sketched && p->has_long) {
        PQ_TRY(begin_sketches(s, e));
    }
    if (!s->sketched) {
        PQ_TRY(count_values(s, p, e));
        return pq_counts_exceed(&s->counts, PQ_COUNTS_MANY, PQ_COUNTS_BYTES)
                   ? begin_sketches(s, e) : PQ_OK;
    }
    if (s->want & PQ_SUMMARY_DISTINCT) {
        for (uint32_t i = 0; i < p->n; i++) {
            pq_hll_add(s->registers, s->hashes[p->from + i]);
        }
    }
    if (s->want & PQ_SUMMARY_QUARTILES) {
        PQ_TRY(rank_values(s, p, e));
    }
    if (s->want & PQ_SUMMARY_TOP) {
        PQ_TRY(count_values(s, p, e));
        return cut_counts(s, e);
    }
    return PQ_OK;
}

static PqRc know_values(PqSummary *s, const uint64_t *times, PqErr *e)
{
    pq_counts_hash(&s->counts, values_from(s, 0), s->n, s->hashes);
    for (uint32_t from = 0; from < s->n;) {
        Part p = part_from(s, from, times);

        PQ_TRY(know_part(s, &p, e));
        from += p.n;
    }
    return PQ_OK;
}

/* ---- values ------------------------------------------------------------------ */

/* Takes the s->n values, each once or times[i] times. */
static PqRc take(PqSummary *s, const uint64_t *times, PqErr *e)
{
    int64_t least = 0, most = 0;

    if (s->n == 0) {
        return PQ_OK;
    }
    if (s->form == PQ_SUMMARY_REALS) {
        for (uint32_t i = 0; i < s->n; i++) {
            s->ints[i] = pq_ranks_of_real(s->reals[i]);
        }
    }
    if (s->form != PQ_SUMMARY_BYTES) {
        bounds_of_ints(s, &least, &most);
    } else if (s->want & PQ_SUMMARY_BOUNDS) {
        PQ_TRY(bounds_of_bytes(s, e));
    }
    s->any = true;
    if (s->want & PQ_SUMMARY_MOMENTS) {
        if (s->form == PQ_SUMMARY_INTS) {
            pq_moments_ints(&s->moments, s->ints, times, s->n, least, most);
        } else if (s->form == PQ_SUMMARY_REALS) {
            pq_moments_reals(&s->moments, s->reals, times, s->n);
        }
    }
    for (uint32_t i = 0; times && i < s->n; i++) {
        s->n_values += times[i];
    }
    s->n_values += times ? 0 : s->n;
    return s->want & PQ_SUMMARY_COUNTED ? know_values(s, times, e) : PQ_OK;
}

#define COPY(to_, type_)                                                    \
    do {                                                                    \
        const type_ *in = (const type_ *)values;                            \
        uint32_t k = 0;                                                     \
                                                                            \
        if (!valid) {                                                       \
            for (; k < n; k++) s->to_[k] = in[k];                           \
        } else {                                                            \
            for (uint32_t i = 0; i < n; i++) {                              \
                s->to_[k] = in[i];                                          \
                k += pq_bit(valid, i);                                      \
            }                                                               \
        }                                                                   \
        s->n = k;                                                           \
    } while (0)

/* Copies the valid values among n <= PQ_SUMMARY_AT_ONCE. */
static void copy_values(PqSummary *s, const void *values,
                        const uint64_t *valid, uint32_t n)
{
    switch (s->physical) {
    case PQ_BOOLEAN: COPY(ints, uint8_t); break;
    case PQ_INT32:
        if (s->is_unsigned) {
            COPY(ints, uint32_t);
        } else {
            COPY(ints, int32_t);
        }
        break;
    case PQ_INT64:   COPY(ints, int64_t); break;
    case PQ_FLOAT:   COPY(reals, float); break;
    case PQ_DOUBLE:  COPY(reals, double); break;
    default:         COPY(bytes, PqStr); break;
    }
}

/* A NaN counts as a null.  times belongs to the values, or is NULL. */
static void drop_nan(PqSummary *s, uint64_t *times)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < s->n && s->form == PQ_SUMMARY_REALS; i++) {
        uint64_t n = times ? times[i] : 1;

        if (isnan(s->reals[i])) {
            s->n_nulls += n;
            continue;
        }
        s->reals[k] = s->reals[i];
        if (times) {
            times[k] = n;
        }
        k++;
    }
    s->n = s->form == PQ_SUMMARY_REALS ? k : s->n;
}

static PqRc take_plain(PqSummary *s, const void *values, const uint64_t *valid,
                       uint32_t n, PqErr *e)
{
    size_t width = pq_physical_width(s->physical);

    for (uint32_t from = 0; from < n; from += PQ_SUMMARY_AT_ONCE) {
        uint32_t k = n - from < PQ_SUMMARY_AT_ONCE ? n - from
                                                   : PQ_SUMMARY_AT_ONCE;

        copy_values(s, (const char *)values + from * width,
                    valid ? valid + from / 64 : NULL, k);
        s->n_nulls += k - s->n;
        drop_nan(s, NULL);
        PQ_TRY(take(s, NULL, e));
    }
    return PQ_OK;
}

/* ---- dictionaries -------------------------------------------------------------- */

static PqRc begin_dictionary(PqSummary *s, const PqDict *dict, PqErr *e)
{
    if (s->dict && s->dict_serial == dict->serial) {
        return PQ_OK;
    }
    PQ_TRY(pq_summary_end_chunk(s, e));
    PQ_TRY(PQ_ROOM(s->mem, s->ids, dict->n, s->ids_room, e));
    if (dict->n) {
        memset(s->ids, 0, dict->n * sizeof *s->ids);
    }
    s->dict = dict;
    s->dict_serial = dict->serial;
    return PQ_OK;
}

/* A null has id 0, even if the dictionary has no entries. */
static PqRc count_ids(PqSummary *s, const PqVector *v, PqErr *e)
{
    PQ_TRY(begin_dictionary(s, v->dict, e));
    for (uint32_t i = 0; !v->valid && i < v->n_slots; i++) {
        s->ids[v->ids[i]]++;
    }
    for (uint32_t i = 0; v->valid && i < v->n_slots; i++) {
        if (pq_bit(v->valid, i)) {
            s->ids[v->ids[i]]++;
        } else {
            s->n_nulls++;
        }
    }
    return PQ_OK;
}

/* The times of n entries from `from` on, without entries that did not occur; a
** bit for each entry that did. */
static void list_times(PqSummary *s, uint32_t from, uint32_t n, uint64_t *used)
{
    uint32_t k = 0;

    memset(used, 0, PQ_SUMMARY_AT_ONCE / 8);
    for (uint32_t i = 0; i < n; i++) {
        s->times[k] = s->ids[from + i];
        used[i / 64] |= (uint64_t)(s->times[k] > 0) << i % 64;
        k += s->times[k] > 0;
    }
}

PqRc pq_summary_end_chunk(PqSummary *s, PqErr *e)
{
    size_t width = pq_physical_width(s->physical);
    uint64_t used[PQ_SUMMARY_AT_ONCE / 64];
    const PqDict *dict = s->dict;
    uint32_t left = dict ? dict->n : 0;

    s->dict = NULL;
    for (uint32_t from = 0, n; left > 0; from += n, left -= n) {
        n = left < PQ_SUMMARY_AT_ONCE ? left : PQ_SUMMARY_AT_ONCE;
        PQ_TRY(pq_stop_poll(s->stop, e));
        list_times(s, from, n, used);
        copy_values(s, (const char *)dict->values + from * width, used, n);
        drop_nan(s, s->times);
        PQ_TRY(take(s, s->times, e));
    }
    return PQ_OK;
}

/* ---- what comes in -------------------------------------------------------------- */

PqRc pq_summary_vector(PqSummary *s, const PqVector *v, PqErr *e)
{
    s->physical = v->leaf->type.physical;
    s->is_unsigned = pq_type_is_unsigned(&v->leaf->type);
    return v->dict ? count_ids(s, v, e)
                   : take_plain(s, v->values, v->valid, v->n_slots, e);
}

PqRc pq_summary_reals(PqSummary *s, const double *v, const uint64_t *valid,
                      uint32_t n, PqErr *e)
{
    s->physical = PQ_DOUBLE;
    return take_plain(s, v, valid, n, e);
}

PqRc pq_summary_bytes(PqSummary *s, const PqStr *v, const uint64_t *valid,
                      uint32_t n, PqErr *e)
{
    s->physical = PQ_BYTE_ARRAY;
    return take_plain(s, v, valid, n, e);
}

PqRc pq_summary_int_times(PqSummary *s, int64_t v, uint64_t times, PqErr *e)
{
    s->ints[0] = v;
    s->times[0] = times;
    s->n = times > 0;
    return take(s, s->times, e);
}

PqRc pq_summary_bytes_times(PqSummary *s, PqStr v, uint64_t times, PqErr *e)
{
    s->bytes[0] = v;
    s->times[0] = times;
    s->n = times > 0;
    return take(s, s->times, e);
}

void pq_summary_nulls(PqSummary *s, uint64_t n)
{
    s->n_nulls += n;
}

void pq_summary_moments_of(PqSummary *s, const double *v, uint32_t n)
{
    pq_moments_reals(&s->moments, v, NULL, n);
}

/* ---- what comes out ------------------------------------------------------------- */

static PqSummaryValue value_of(const PqSummary *s, int64_t key)
{
    PqSummaryValue v = {.is_there = true, .i = key};

    if (s->form == PQ_SUMMARY_REALS) {
        v.r = pq_ranks_to_real(key);
    }
    return v;
}

static PqSummaryValue value_of_bytes(const uint8_t *p, uint32_t n)
{
    return (PqSummaryValue){.is_there = true, .bytes = {.p = p, .n = n}};
}

static PqSummaryValue value_of_count(const PqSummary *s, const PqCount *c)
{
    return s->form == PQ_SUMMARY_BYTES ? value_of_bytes(c->key.p, c->n)
                                       : value_of(s, c->key.i);
}

/* The rank of quartile q, 1 to 3: at least q quarters of the values are not
** above the value at this rank, which is the least such value. */
static uint64_t rank_of(const PqSummary *s, unsigned q)
{
    unsigned __int128 n = s->n_values;
    uint64_t rank = (uint64_t)((n * q + 3) / 4);

    return rank ? rank : 1;
}

static PqRc exact_quartiles(PqSummary *s, PqSummaryResult *out, PqErr *e)
{
    uint64_t sum = 0;
    uint32_t at = 0;
    PqCount *v;

    PQ_TRY(pq_counts_sorted(&s->counts, &v, e));
    for (unsigned q = 0; q < 3; q++) {
        while (at + 1 < s->counts.n && sum + v[at].count < rank_of(s, q + 1)) {
            sum += v[at++].count;
        }
        out->quartile[q] = value_of_count(s, &v[at]);
    }
    pq_mem_free(v);
    return PQ_OK;
}

static PqRc estimated_quartiles(PqSummary *s, PqSummaryResult *out, PqErr *e)
{
    uint64_t ranks[3] = {rank_of(s, 1), rank_of(s, 2), rank_of(s, 3)};
    int64_t keys[3];

    out->quartiles_exact = false;
    if (s->form != PQ_SUMMARY_BYTES) {
        PQ_TRY(pq_ranks_find(&s->ranks, ranks, 3, keys, e));
        for (int q = 0; q < 3; q++) {
            out->quartile[q] = value_of(s, keys[q]);
        }
        return PQ_OK;
    }
    for (int q = 0; q < 3; q++) {
        const PqStr *v = pq_text_sample_find(&s->sample, 0.25 * (q + 1));

        if (v) {
            out->quartile[q] = value_of_bytes(v->p, v->n);
        }
    }
    return PQ_OK;
}

static void give_top(PqSummary *s, PqSummaryResult *out)
{
    PqCount top;

    if (pq_counts_top(&s->counts, &top, &out->top_exact)) {
        out->top = value_of_count(s, &top);
        out->top_count = top.count;
    }
}

/* Gives the estimate, but not more than there are values. */
static void give_distinct(PqSummary *s, PqSummaryResult *out)
{
    double n;

    out->n_distinct = s->counts.n;
    if (s->sketched) {
        n = round(pq_hll_estimate(s->registers));
        out->n_distinct = n < (double)s->n_values ? (uint64_t)n : s->n_values;
        out->distinct_exact = false;
    }
    if (s->form != PQ_SUMMARY_BYTES && s->n_values && s->least == s->most) {
        out->n_distinct = 1;
        out->distinct_exact = true;
    }
}

static void give_bounds(const PqSummary *s, PqSummaryResult *out)
{
    if (s->form != PQ_SUMMARY_BYTES) {
        out->min = value_of(s, s->least);
        out->max = value_of(s, s->most);
    } else {
        out->min = value_of_bytes(s->least_bytes.p,
                                  (uint32_t)s->least_bytes.n - 1);
        out->max = value_of_bytes(s->most_bytes.p,
                                  (uint32_t)s->most_bytes.n - 1);
    }
}

static void give_moments(const PqSummary *s, PqSummaryResult *out)
{
    if (s->moments.n > 0) {
        out->mean = s->form == PQ_SUMMARY_INTS
                        ? pq_moments_mean_of_ints(&s->moments)
                        : pq_moments_mean_of_reals(&s->moments);
    }
    if (s->moments.n > 1) {
        out->deviation = pq_moments_deviation(&s->moments);
    }
}

PqRc pq_summary_finish(PqSummary *s, PqSummaryResult *out, PqErr *e)
{
    PQ_TRY(pq_summary_end_chunk(s, e));
    *out = (PqSummaryResult){.n_values = s->n_values, .n_nulls = s->n_nulls,
                             .distinct_exact = true, .quartiles_exact = true,
                             .top_exact = true, .mean = NAN, .deviation = NAN};
    if (s->n_values == 0) {
        return PQ_OK;
    }
    if (s->want & PQ_SUMMARY_BOUNDS) {
        give_bounds(s, out);
    }
    if (s->want & PQ_SUMMARY_MOMENTS) {
        give_moments(s, out);
    }
    if (s->want & PQ_SUMMARY_DISTINCT) {
        give_distinct(s, out);
    }
    if (s->want & PQ_SUMMARY_TOP) {
        give_top(s, out);
    }
    if (s->want & PQ_SUMMARY_QUARTILES) {
        return s->sketched ? estimated_quartiles(s, out, e)
                           : exact_quartiles(s, out, e);
    }
    return PQ_OK;
}
