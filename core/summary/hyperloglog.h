/*
** hyperloglog.h - about how many different hashes there are, in 32 kB.
**
** The first bits of a hash choose one of 32768 registers.  A register remembers
** the longest run of zeros that the other bits began with: 20 zeros mean about
** a million hashes.  All registers together tell the number with a standard
** error of 1.04 / sqrt(32768) = 0.6 %.
**
** The number is estimated as in O. Ertl, "New cardinality estimation algorithms
** for HyperLogLog sketches", 2017: without a table of corrections, from a few
** hashes to 2^60.
*/
#ifndef PQ_HYPERLOGLOG_H
#define PQ_HYPERLOGLOG_H

#include "core/base/mem.h"

enum { PQ_HLL_BITS = 15, PQ_HLL_REGISTERS = 1 << PQ_HLL_BITS };

/* registers has PQ_HLL_REGISTERS bytes, 0 at first. */
static inline void pq_hll_add(uint8_t *registers, uint64_t hash)
{
    uint64_t rest = hash << PQ_HLL_BITS | UINT64_C(1) << (PQ_HLL_BITS - 1);
    uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);
    uint8_t *r = &registers[hash >> (64 - PQ_HLL_BITS)];

    if (rank > *r) {
        *r = rank;
    }
}

double pq_hll_estimate(const uint8_t *registers);

#endif
