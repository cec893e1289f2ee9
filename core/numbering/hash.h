/*
** hash.h - hashes of keys.
**
** A key has a word for each of its columns: the bits of a number, the hash of a
** text, one word for NULL.  The words are mixed in their order.  All bits of a
** hash are equally good: the highest ones choose a partition, and the lowest
** ones a place in a table.
*/
#ifndef PQ_HASH_H
#define PQ_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PQ_HASH_NULL 0x7f4a7c15f39cc060u         /* the word of NULL */

/* For tests: only these bits of a hash are used, so different keys get the same
** hash. */
extern uint64_t pq_hash_bits;

uint64_t pq_hash_bytes(const void *p, size_t n);

/* With a seed that nobody knows, nobody can choose keys that have the same
** hash. */
uint64_t pq_hash_seeded(const void *p, size_t n, uint64_t seed);

/* Adds one more word to the hash of the words before it (0: there are none). */
static inline uint64_t pq_hash_mix(uint64_t hash, uint64_t word)
{
    uint64_t x = hash * 0x9e3779b97f4a7c15u + word;

    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* The word of a real: both zeros have one word, and NaN has the word of
** NULL. */
static inline uint64_t pq_hash_real(double r)
{
    uint64_t word;

    if (r == 0) {
        return 0;
    }
    memcpy(&word, &r, sizeof word);
    return r == r ? word : PQ_HASH_NULL;
}

#endif
