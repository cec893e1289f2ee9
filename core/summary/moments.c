/*
** moments.c - the mean and the deviation, by sums over batches.
*/
#include "core/summary/moments.h"

#include <math.h>

/* The sum of n numbers, each once or times[i] times, in lanes so that the CPU
** need not wait. */
static double sum_of(const double *v, const uint64_t *times, uint32_t n)
{
    double sum[PQ_MOMENTS_LANES] = {0};
    uint32_t i = 0;

    for (; times && i < n; i++) {
        sum[i % PQ_MOMENTS_LANES] += v[i] * (double)times[i];
    }
    for (; i + PQ_MOMENTS_LANES <= n; i += PQ_MOMENTS_LANES) {
        for (uint32_t lane = 0; lane < PQ_MOMENTS_LANES; lane++) {
            sum[lane] += v[i + lane];
        }
    }
    for (; i < n; i++) {
        sum[0] += v[i];
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* Adds the n differences d from the origin, and changes them. */
static void add_squares(PqMoments *m, double *d, const uint64_t *times,
                        uint32_t n)
{
    double mean, weight = times ? 0 : n, delta, all;

    for (uint32_t i = 0; times && i < n; i++) {
        weight += (double)times[i];
    }
    mean = sum_of(d, times, n) / weight;
    for (uint32_t i = 0; i < n; i++) {
        d[i] = (d[i] - mean) * (d[i] - mean);
    }
    all = (double)m->n + weight;
    delta = mean - m->mean;
    m->mean += delta * (weight / all);
    m->squares += sum_of(d, times, n) +
                  delta * delta * ((double)m->n * (weight / all));
    m->n += (uint64_t)weight;
}

void pq_moments_ints(PqMoments *m, const int64_t *v, const uint64_t *times,
                     uint32_t n, int64_t least, int64_t most)
{
    double d[PQ_MOMENTS_MOST];
    int64_t far;

    if (n == 0) {
        return;
    }
    if (m->n == 0) {
        m->first = v[0];
    }
    if (__builtin_sub_overflow(least, m->first, &far) ||
        __builtin_sub_overflow(most, m->first, &far)) {
        for (uint32_t i = 0; i < n; i++) {
            d[i] = (double)v[i] - (double)m->first;
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            d[i] = (double)(v[i] - m->first);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        m->whole += times ? (__int128)v[i] * (__int128)times[i] : v[i];
    }
    add_squares(m, d, times, n);
}

/* Returns s + x, rounded, and adds what was rounded off to *rest. */
static inline double two_sum(double s, double x, double *rest)
{
    double sum = s + x, x_there = sum - s;

    *rest += (s - (sum - x_there)) + (x - x_there);
    return sum;
}

static void add_sum(PqMoments *m, const double *v, const uint64_t *times,
                    uint32_t n)
{
    uint32_t i = 0;

    for (; times && i < n; i++) {
        double k = (double)times[i], product = v[i] * k;

        m->rest[0] += fma(v[i], k, -product);
        m->sum[0] = two_sum(m->sum[0], product, &m->rest[0]);
        m->plain += product;
    }
    for (; i + 4 <= n; i += 4) {
        for (uint32_t lane = 0; lane < 4; lane++) {
            m->sum[lane] = two_sum(m->sum[lane], v[i + lane], &m->rest[lane]);
        }
        m->plain += (v[i] + v[i + 1]) + (v[i + 2] + v[i + 3]);
    }
    for (; i < n; i++) {
        m->sum[0] = two_sum(m->sum[0], v[i], &m->rest[0]);
        m->plain += v[i];
    }
}

void pq_moments_reals(PqMoments *m, const double *v, const uint64_t *times,
                      uint32_t n)
{
    double d[PQ_MOMENTS_MOST];

    if (n == 0) {
        return;
    }
    if (m->n == 0) {
        m->origin = isfinite(v[0]) ? v[0] : 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        d[i] = v[i] - m->origin;
    }
    add_sum(m, v, times, n);
    add_squares(m, d, times, n);
}

double pq_moments_mean_of_ints(const PqMoments *m)
{
    __int128 n = (__int128)m->n, whole = m->whole / n, rest = m->whole % n;

    return (double)whole + (double)rest / (double)m->n;
}

double pq_moments_mean_of_reals(const PqMoments *m)
{
    double sum = 0, rest = 0;

    for (int lane = 0; lane < PQ_MOMENTS_LANES; lane++) {
        sum = two_sum(sum, m->sum[lane], &rest);
        rest += m->rest[lane];
    }
    sum += rest;
    return (isfinite(sum) ? sum : m->plain) / (double)m->n;
}

double pq_moments_deviation(const PqMoments *m)
{
    return sqrt(m->squares / (double)(m->n - 1));
}
