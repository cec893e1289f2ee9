/*
** bloom_make.h - a split-block Bloom filter, sized by the values it has seen.
**
** Hashes go into enough blocks for most_values.  At the end the filter is
** folded: neighbouring blocks are merged as long as the false positive rate
** stays at most fpp.  (A block's number is the upper half of the hash scaled to
** the number of blocks, so halving that number merges blocks 2i and 2i + 1.)
** The rate is counted from the bits; an estimate would need the number of
** distinct values.
**
**   room for 1,000,000 values, fpp 0.01     65,536 blocks, 2 MiB
**   40,000 distinct ones came               folded to 2,048 blocks, 64 KiB
*/
#ifndef PQ_BLOOM_MAKE_H
#define PQ_BLOOM_MAKE_H

#include "core/meta/bloom.h"

/* Readers do not accept longer filters. */
enum { PQ_BLOOM_MOST_BYTES = 1 << 27 };

typedef struct PqBloomMake {
    uint32_t *blocks;                /* eight words each */
    uint32_t  n_blocks;              /* a power of two   */
    double    fpp;
    PqMem    *mem;
} PqBloomMake;

/* The bytes that pq_bloom_make_init allocates for most_values distinct values.
** An fpp that is not between 0 and 1 means 0.01. */
size_t pq_bloom_make_room(uint64_t most_values, double fpp);

PqRc pq_bloom_make_init(PqBloomMake *b, uint64_t most_values, double fpp,
                        PqMem *mem, PqErr *e);
void pq_bloom_make_free(PqBloomMake *b);

/* XXH64 of the PLAIN bytes of n values in the layout of decoder.h.  A BOOLEAN is
** hashed as one byte, though PLAIN packs eight in one.  A zero of FLOAT, DOUBLE
** or FLOAT16 also adds the zero of the other sign.  hashes has room for
** n + PQ_BLOOM_MORE; returns how many were written. */
enum { PQ_BLOOM_MORE = 2 };
uint32_t pq_bloom_make_hash(const PqType *type, const void *values, uint32_t n,
                            uint64_t *hashes);
void pq_bloom_make_add_hashes(PqBloomMake *b, const uint64_t *hashes, size_t n);

/* Folds the filter as far as fpp allows; returns its bytes. */
size_t pq_bloom_make_fold(PqBloomMake *b);

/* The bits of a filter, and the bytes of a filter with these bits as a file has
** them: header and bits are a module each.  header is the module of the first;
** mem is for working memory. */
PqSlice pq_bloom_make_bits(const PqBloomMake *b);
PqRc    pq_bloom_put(const PqModule *header, PqSlice bits, PqMem *mem,
                     PqBuf *out, PqErr *e);

#endif
