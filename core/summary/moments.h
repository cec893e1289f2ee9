/*
** moments.h - the mean and the standard deviation of numbers.
**
** The sum of integers is exact, in 128 bits.  The sum of reals carries what
** each addition rounds off (Neumaier), in four lanes so that the CPU need not
** wait.  Squares are summed about the mean of a batch, and the batches are
** combined (Chan, Golub and LeVeque), so that large numbers that differ by
** little lose nothing.  Integers are taken relative to the first one for that.
*/
#ifndef PQ_MOMENTS_H
#define PQ_MOMENTS_H

#include "core/base/err.h"

enum { PQ_MOMENTS_LANES = 4, PQ_MOMENTS_MOST = 2048 };

typedef struct PqMoments {
    uint64_t n;
    __int128 whole;                  /* the sum of integers                 */
    double   sum[PQ_MOMENTS_LANES], rest[PQ_MOMENTS_LANES];
    double   plain;                  /* the sum, for infinities             */
    double   origin;                 /* what mean and squares are about     */
    int64_t  first;                  /* the same, of integers               */
    double   mean, squares;
} PqMoments;

/* At most PQ_MOMENTS_MOST values, each once or times[i] times.  least and most
** are their bounds. */
void pq_moments_ints(PqMoments *m, const int64_t *v, const uint64_t *times,
                     uint32_t n, int64_t least, int64_t most);
void pq_moments_reals(PqMoments *m, const double *v, const uint64_t *times,
                      uint32_t n);

/* Needs n > 0.  NaN where SQL would have NULL: infinities of both signs. */
double pq_moments_mean_of_ints(const PqMoments *m);
double pq_moments_mean_of_reals(const PqMoments *m);

/* The deviation of a sample: divided by n - 1.  Needs n > 1. */
double pq_moments_deviation(const PqMoments *m);

#endif
