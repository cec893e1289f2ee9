/*
** ranks.h - which value is at a rank, for millions of integers in a few kB.
**
** A KLL sketch.  Level h holds up to 2048 values that stand for 2^h each.  When
** a level is full it is sorted, and every second value moves one level up,
** beginning with the first or with the second:
**
**   level 0    2 3 5 7 8 9 .. full   ->   3 7 9 ..  to level 1, twice as heavy
**
** That moves a rank by at most 2^h, up or down.  After half a million values,
** only one of each 2, 4, 8 ... values is drawn and reaches the levels, which
** saves sorting.  Numbers that look random, and are always the same, choose the
** value that is drawn and the first value of a level.
**
** The standard error of a rank is about 0.1 % of the number of values.  As long
** as nothing has been left out, ranks are exact.
**
** Reals are given as integers of the same order (pq_ranks_of_real).
*/
#ifndef PQ_RANKS_H
#define PQ_RANKS_H

#include "core/meta/rank.h"

enum { PQ_RANKS_LEVELS = 48, PQ_RANKS_ROOM = 2048 };

typedef struct PqRanks {
    PqMem   *mem;
    int64_t *level[PQ_RANKS_LEVELS];
    uint32_t n[PQ_RANKS_LEVELS];
    int64_t *sorting;                /* room for a level                    */
    uint64_t total;
    unsigned shift;                  /* one of 2^shift values is drawn      */
    uint64_t at, drawn;              /* in the current block; the one drawn */
    int64_t  candidate;              /* ... its value                       */
    uint64_t random;
} PqRanks;

void pq_ranks_init(PqRanks *r, PqMem *mem);
void pq_ranks_free(PqRanks *r);

PqRc pq_ranks_add(PqRanks *r, const int64_t *v, uint32_t n, PqErr *e);

/* The same value, several times. */
PqRc pq_ranks_add_times(PqRanks *r, int64_t v, uint64_t times, PqErr *e);

/* The values at n rising ranks, which begin at 1.  total > 0. */
PqRc pq_ranks_find(PqRanks *r, const uint64_t *ranks, uint32_t n, int64_t *out,
                   PqErr *e);

/* The next of a row of numbers that look random. */
static inline uint64_t pq_ranks_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Of a real that is not NaN; both zeros are equal. */
static inline int64_t pq_ranks_of_real(double r)
{
    int64_t bits;

    r += 0.0;
    memcpy(&bits, &r, sizeof bits);
    return pq_rank_f64(bits);
}

static inline double pq_ranks_to_real(int64_t rank)
{
    int64_t bits = pq_rank_f64(rank);
    double r;

    memcpy(&r, &bits, sizeof r);
    return r;
}

#endif
