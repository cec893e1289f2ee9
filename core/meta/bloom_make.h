/*
** bloom_make.h - a split-block Bloom filter that is sized by what it saw.
**
** Hashes go into blocks enough for most_values; at the end the filter is
** folded, neighbours into one (a block's number is the upper half of the hash
** scaled to the number of blocks, so halving the number merges 2i and 2i + 1),
** as long as the false positives stay at most fpp.  How many they are is not
** estimated from a count of values, which would have to be of distinct ones: it
** is counted from the bits.
**
**   room for 1,000,000 values, fpp 0.01     65,536 blocks, 2 MiB
**   40,000 distinct ones came               folded to 2,048 blocks, 64 KiB
*/
#ifndef PQ_BLOOM_MAKE_H
#define PQ_BLOOM_MAKE_H

#include "core/meta/bloom.h"

/* Longer filters are not taken by readers. */
enum { PQ_BLOOM_MOST_BYTES = 1 << 27 };

typedef struct PqBloomMake {
    uint32_t *blocks;                /* eight words each */
    uint32_t  n_blocks;              /* a power of two   */
    double    fpp;
    PqMem    *mem;
} PqBloomMake;

/* Bytes that pq_bloom_make_init takes for so many distinct values.  An fpp that
** is not between 0 and 1 means 0.01. */
size_t pq_bloom_make_room(uint64_t most_values, double fpp);

PqRc pq_bloom_make_init(PqBloomMake *b, uint64_t most_values, double fpp,
                        PqMem *mem, PqErr *e);
void pq_bloom_make_free(PqBloomMake *b);

/* XXH64 of the PLAIN bytes of n values in the layout of decoder.h, and into
** the filter.  BOOLEAN, of which PLAIN packs eight in a byte, has one each; of
** the zeros of FLOAT, DOUBLE and FLOAT16 each brings the other. */
void pq_bloom_make_add(PqBloomMake *b, const PqType *type, const void *values,
                       uint32_t n);

/* The same in two steps, for whoever makes the filter when it is known how many
** values there are: hashes has room for n and PQ_BLOOM_MORE; gives how many they
** are. */
enum { PQ_BLOOM_MORE = 2 };
uint32_t pq_bloom_make_hash(const PqType *type, const void *values, uint32_t n,
                            uint64_t *hashes);
void pq_bloom_make_add_hashes(PqBloomMake *b, const uint64_t *hashes, size_t n);

/* The share of values that are not there which the filter lets pass: counted
** from its bits. */
double pq_bloom_make_passes(const PqBloomMake *b);

/* Makes it as small as fpp allows; gives its bytes. */
size_t pq_bloom_make_fold(PqBloomMake *b);

/* Folds; appends header and blocks as the file has them. */
PqRc pq_bloom_make_write(PqBloomMake *b, PqBuf *out, PqErr *e);

#endif
