/*
** bloom.h - split-block Bloom filters.
**
**   header (thrift) | blocks of 32 bytes: eight 32-bit words, one bit set in
**                     each per value
**
** A probe hashes the PLAIN bytes of a value with XXH64 (seed 0).  The upper
** half of the hash picks a block, the lower half eight bits in it.  Only that
** block is read, unless the filter is encrypted.  For many values, neighbouring
** blocks are read together, or the whole filter if that is less work.
*/
#ifndef PQ_BLOOM_H
#define PQ_BLOOM_H

#include "core/meta/footer.h"

typedef struct PqBloom {
    int      row_group;
    uint32_t leaf;
    const PqLock *lock;              /* of the chunk                 */
    uint64_t offset;                 /* of the first block; 0: no filter */
    uint32_t n_blocks;
    PqBuf    bits;                   /* all blocks, if read whole        */
} PqBloom;

/* A block has eight words.  The bit that a hash has in word i of its block. */
enum { PQ_BLOOM_WORDS = 8, PQ_BLOOM_BLOCK = 4 * PQ_BLOOM_WORDS };

/* What is read to open a filter: its header takes 13 bytes or so. */
enum { PQ_BLOOM_OPENING = 256 };

static inline uint32_t pq_bloom_bit(uint64_t hash, int i)
{
    static const uint32_t salt[PQ_BLOOM_WORDS] = {
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
    };

    return 1u << ((uint32_t)hash * salt[i] >> 27);
}

/* The number of the block of a hash. */
static inline uint32_t pq_bloom_block(uint64_t hash, uint32_t n_blocks)
{
    return (uint32_t)((hash >> 32) * n_blocks >> 32);
}

/* Reads the header.  out->n_blocks is 0 when the chunk has no filter. */
PqRc pq_bloom_open(PqInput *in, const PqColumnChunk *chunk, int row_group,
                   uint32_t leaf, PqMem *mem, PqBloom *out, PqErr *e);
void pq_bloom_close(PqBloom *b);

/* Reads all blocks.  Probes read nothing more then. */
PqRc pq_bloom_load(PqInput *in, PqBloom *b, PqErr *e);

/* *maybe false: the value with this hash is certainly not in the chunk. */
PqRc pq_bloom_probe(PqInput *in, PqBloom *b, uint64_t hash, bool *maybe,
                    PqErr *e);

/* *maybe false: none of the values with these n hashes, in ascending order, is
** in the chunk. */
PqRc pq_bloom_probe_any(PqInput *in, PqBloom *b, const uint64_t *hashes,
                        uint32_t n, bool *maybe, PqErr *e);

/* Does a probe of n hashes read all blocks? */
bool pq_bloom_whole(uint32_t n_blocks, uint32_t n);

/* The first blocks that it reads at once otherwise: *first to *last.  Returns of how many
** of the hashes, which ascend, they are. */
uint32_t pq_bloom_run(uint32_t n_blocks, const uint64_t *hashes, uint32_t n, uint32_t *first,
                      uint32_t *last);

uint64_t pq_bloom_hash(PqSlice plain);

#endif
