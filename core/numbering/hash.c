/*
** hash.c - hashes of bytes.
*/
#include "core/numbering/hash.h"

#define XXH_INLINE_ALL               /* short values: no call per hash */
#include <xxhash.h>

uint64_t pq_hash_bits = UINT64_MAX;

uint64_t pq_hash_bytes(const void *p, size_t n)
{
    return XXH3_64bits(p, n);
}

uint64_t pq_hash_seeded(const void *p, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(p, n, seed);
}
