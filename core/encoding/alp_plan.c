/*
** alp_plan.c - which power of ten makes integers of a vector's values.
**
**   1500.0 NaN 2500.0 333.5         exponent 14, factor 13: by 10
**   -> 15000 (15000) 25000 3335     an exception gets a neighbour's integer
**   -> 3335 + 11665 11665 21665 0   15 bits each, and NaN as it is
**
** What is hard is to choose an exponent and a factor for each vector in little
** time.  A sample of its values decides.  The choices of the vectors before are
** tried first; if none of them is good enough, a search tries all.
**
** Exponent minus factor is the number of decimals of the values.  For one
** number of decimals any large enough exponent would do.  They differ in how
** often the two products miss a value by its last bit: 10^-14 as a double is
** nearly exact, and so, less nearly, is 10^-6 as a float.  These are tried
** first.  Each further decimal takes more bits, so a search of values that are
** decimals ends soon.  For values that are not decimals every search is in
** vain, so after two such searches the page has no more.
*/
#include "core/encoding/alp_plan.h"

enum {
    SAMPLE = 32,
    SEARCHES = 8,                    /* in one page */
    SEARCHES_IN_VAIN = 2,
    LIKELY_FLOAT_EXPONENT = 6,
    LIKELY_DOUBLE_EXPONENT = 14,
};

/* The first value that is not an exception, or n. */
static uint32_t first_good(const PqAlpVector *v)
{
    uint32_t i = 0;

    while (i < v->n_exceptions && v->exceptions[i] == i) {
        i++;
    }
    return i;
}

static void plan32(const PqKernels *k, const float *in, PqAlpVector *v)
{
    unsigned e = v->choice.exponent, f = v->choice.factor;
    const PqAlpFloat by = {pq_alp_float_tens[e], pq_alp_float_tenths[f],
                           pq_alp_float_tens[f], pq_alp_float_tenths[e]};
    uint32_t *integer = v->u.v32, good;

    v->n_exceptions = k->alp_float(in, v->n, &by, integer, v->exceptions);
    good = first_good(v);
    for (uint32_t i = 0; i < v->n_exceptions; i++) {
        integer[v->exceptions[i]] = good < v->n ? integer[good] : 0;
    }
    v->frame = (uint32_t)k->least32(integer, v->n);
    v->width = pq_bits_of(k->lower32(integer, v->n, (uint32_t)v->frame));
}

static void plan64(const PqKernels *k, const double *in, PqAlpVector *v)
{
    unsigned e = v->choice.exponent, f = v->choice.factor;
    const PqAlpDouble by = {pq_alp_double_tens[e], pq_alp_double_tenths[f],
                            pq_alp_double_tens[f], pq_alp_double_tenths[e]};
    uint64_t *integer = v->u.v64;
    uint32_t good;

    v->n_exceptions = k->alp_double(in, v->n, &by, integer, v->exceptions);
    good = first_good(v);
    for (uint32_t i = 0; i < v->n_exceptions; i++) {
        integer[v->exceptions[i]] = good < v->n ? integer[good] : 0;
    }
    v->frame = (uint64_t)k->least64(integer, v->n);
    v->width = pq_bits_of(k->lower64(integer, v->n, v->frame));
}

static void plan(const PqEncodeJob *job, const void *values, uint32_t n,
                 PqAlpChoice choice, PqAlpVector *v)
{
    v->choice = choice;
    v->n = n;
    if (job->type == PQ_FLOAT) {
        plan32(job->k, values, v);
    } else {
        plan64(job->k, values, v);
    }
}

/* A value that no choice has an integer for: NaN, an infinity, -0. */
static bool has_no_integer(PqPhysical type, const uint8_t *value)
{
    const uint32_t infinity32 = 0x7f800000;
    const uint64_t infinity64 = UINT64_C(0x7ff0000000000000);

    if (type == PQ_FLOAT) {
        uint32_t bits = pq_load_u32(value);

        return bits == UINT32_C(1) << 31 || (bits & infinity32) == infinity32;
    } else {
        uint64_t bits = pq_load_u64(value);

        return bits == UINT64_C(1) << 63 || (bits & infinity64) == infinity64;
    }
}

/* A sample of n values, evenly spread, without the hopeless ones. */
static uint32_t take_sample(const PqEncodeJob *job, const uint8_t *values,
                            uint32_t n, uint8_t *out)
{
    uint32_t most = n < SAMPLE ? n : SAMPLE, taken = 0;
    size_t width = job->width;

    for (uint32_t i = 0; i < most; i++) {
        const uint8_t *value = values + (size_t)i * n / most * width;

        if (!has_no_integer(job->type, value)) {
            memcpy(out + taken * width, value, width);
            taken++;
        }
    }
    return taken;
}

typedef struct Search {
    const PqEncodeJob *job;
    const void        *sample;
    uint32_t           n;
    PqAlpChoice        best;
    uint32_t           best_cost;        /* in bits */
    uint32_t           best_exceptions;
    PqAlpVector       *v;                /* of the last one tried */
} Search;

static void try(Search *s, unsigned exponent, unsigned factor)
{
    PqAlpChoice choice = {(uint8_t)exponent, (uint8_t)factor};
    uint32_t cost;

    plan(s->job, s->sample, s->n, choice, s->v);
    cost = s->n * s->v->width + s->v->n_exceptions * (16 + 8 * s->job->width);
    if (cost < s->best_cost) {
        s->best = choice;
        s->best_cost = cost;
        s->best_exceptions = s->v->n_exceptions;
    }
}

/* Tries the exponent that misses the fewest values. */
static void try_likely(Search *s, unsigned decimals)
{
    unsigned e = s->job->type == PQ_FLOAT ? LIKELY_FLOAT_EXPONENT
                                          : LIKELY_DOUBLE_EXPONENT;

    e = decimals > 0 && decimals < e ? e : decimals;
    try(s, e, e - decimals);
}

static void try_all(Search *s)
{
    unsigned powers = s->job->type == PQ_FLOAT ? PQ_ALP_FLOAT_POWERS
                                               : PQ_ALP_DOUBLE_POWERS;

    for (unsigned decimals = 0; decimals < powers; decimals++) {
        try_likely(s, decimals);
        if (s->n * s->v->width > s->best_cost) {
            return;
        }
        for (unsigned e = decimals; e < powers && s->v->n_exceptions; e++) {
            try(s, e, e - decimals);
        }
        if (s->v->n_exceptions == 0) {
            return;
        }
    }
}

static void keep(PqAlpChooser *c, PqAlpChoice choice)
{
    unsigned at = c->n_kept < PQ_ALP_KEPT ? c->n_kept++ : PQ_ALP_KEPT - 1;

    c->kept[at] = choice;
}

/* A choice is good enough with one exception in eight or less... */
static bool serves(const Search *s)
{
    return s->best_exceptions <= s->n / 8;
}

/* ... unless one decimal less costs fewer bits. */
static bool serves_well(Search *s)
{
    unsigned decimals = (unsigned)(s->best.exponent - s->best.factor);
    uint32_t cost = s->best_cost;

    if (!serves(s)) {
        return false;
    }
    if (decimals > 0) {
        try_likely(s, decimals - 1);
    }
    return s->best_cost == cost;
}

static PqAlpChoice choose(const PqEncodeJob *job, PqAlpChooser *c,
                          const void *values, uint32_t n, PqAlpVector *v)
{
    uint8_t sample[SAMPLE * sizeof(double)];
    Search s = {.job = job, .sample = sample, .best_cost = UINT32_MAX,
                .best_exceptions = UINT32_MAX, .v = v};
    uint32_t kept_cost;

    s.n = take_sample(job, values, n, sample);
    for (unsigned i = 0; i < c->n_kept && s.n > 0; i++) {
        try(&s, c->kept[i].exponent, c->kept[i].factor);
    }
    kept_cost = s.best_cost;
    if (s.n == 0 || serves_well(&s) || c->n_searches == SEARCHES ||
        c->n_in_vain == SEARCHES_IN_VAIN) {
        return s.best;
    }
    try_all(&s);
    c->n_searches++;
    c->n_in_vain += !serves(&s);
    if (s.best_cost < kept_cost) {
        keep(c, s.best);
    }
    return s.best;
}

void pq_alp_plan(const PqEncodeJob *job, PqAlpChooser *c, const void *values,
                 uint32_t n, PqAlpVector *v)
{
    plan(job, values, n, choose(job, c, values, n, v), v);
}
