/*
** bloom_make.c - puts hashes into blocks, and uses as few blocks as possible.
**
** An absent value passes a block if the bit it asks for is set in each of the
** eight words.  With s[i] of the 32 bits of word i set, the probability is the
** product of s[i] / 32.  All blocks are probed equally often, so the mean of
** these products is the exact false positive rate of this filter.
**
** Before any value is known, the rate is predicted for random hashes.  Of n
** values over z blocks, the number k in one block is Poisson distributed with
** mean n / z; k values leave a bit unset with probability (31 / 32)^k.  That
** agrees with the table of BloomFilter.md:
**
**   26,214 values in 1,024 blocks      1.26 %
**   10.5 bits per value                1 %
*/
#include "core/meta/bloom_make.h"

#include <math.h>
#define XXH_INLINE_ALL               /* short values: no call per hash */
#include <xxhash.h>

enum {
    WORDS = PQ_BLOOM_WORDS,
    BLOCK = PQ_BLOOM_BLOCK,
    CROWD = 400                      /* values in a block that fill it  */
};

/* ---- how many blocks ---- */

/* The rate of a filter with per_block values in a block, on average. */
static double false_positive_rate(double per_block)
{
    double chance = exp(-per_block), unset = 1, sum = 0;

    if (per_block > CROWD) {
        return 1;
    }
    for (int k = 0; k < 2 * CROWD; k++) {        /* values in a block */
        double two = (1 - unset) * (1 - unset), four = two * two;
        sum += chance * four * four;
        chance *= per_block / (k + 1);
        unset *= 31.0 / 32;
    }
    return sum;
}

static double fpp_or_default(double fpp)
{
    return fpp > 0 && fpp < 1 ? fpp : 0.01;
}

size_t pq_bloom_make_room(uint64_t most_values, double fpp)
{
    size_t n_blocks = 1;

    fpp = fpp_or_default(fpp);
    while (n_blocks * BLOCK < PQ_BLOOM_MOST_BYTES &&
           false_positive_rate((double)most_values / (double)n_blocks) > fpp) {
        n_blocks *= 2;
    }
    return n_blocks * BLOCK;
}

PqRc pq_bloom_make_init(PqBloomMake *b, uint64_t most_values, double fpp,
                        PqMem *mem, PqErr *e)
{
    size_t room = pq_bloom_make_room(most_values, fpp);

    *b = (PqBloomMake){.fpp = fpp_or_default(fpp), .mem = mem};
    PQ_TRY(PQ_NEW(mem, b->blocks, room / sizeof *b->blocks, e));
    b->n_blocks = (uint32_t)(room / BLOCK);
    return PQ_OK;
}

void pq_bloom_make_free(PqBloomMake *b)
{
    pq_mem_free(b->blocks);
    b->blocks = NULL;
    b->n_blocks = 0;
}

/* ---- adding ---- */

static uint64_t hash_bytes(const void *p, size_t n)
{
    return XXH64(n ? p : "", n, 0);
}

static inline void hash_fixed(const uint8_t *p, size_t width, uint32_t n,
                              uint64_t *hashes)
{
    for (uint32_t i = 0; i < n; i++) {
        hashes[i] = hash_bytes(p + i * width, width);
    }
}

/* The widths are constants, so that the compiler specializes the hash for each
** loop. */
static void hash_values(const PqType *type, const void *values, uint32_t n,
                        uint64_t *hashes)
{
    const PqStr *texts = values;

    switch (pq_physical_width(type->physical)) {
    case 1:
        hash_fixed(values, 1, n, hashes);
        break;
    case 4:
        hash_fixed(values, 4, n, hashes);
        break;
    case 8:
        hash_fixed(values, 8, n, hashes);
        break;
    case 12:
        hash_fixed(values, 12, n, hashes);
        break;
    default:
        for (uint32_t i = 0; i < n; i++) {
            hashes[i] = hash_bytes(texts[i].p, texts[i].n);
        }
    }
}

static void insert(uint32_t *blocks, uint32_t n_blocks, uint64_t hash)
{
    uint32_t *block = blocks + (size_t)pq_bloom_block(hash, n_blocks) * WORDS;

    for (int i = 0; i < WORDS; i++) {
        block[i] |= pq_bloom_bit(hash, i);
    }
}

/* Is there a zero among n values of a floating-point type? */
static bool has_zero(const PqType *type, const void *values, uint32_t n)
{
    const uint32_t *floats = values;
    const uint64_t *doubles = values;
    const PqStr *halves = values;

    for (uint32_t i = 0; i < n; i++) {
        if (type->physical == PQ_FLOAT    ? floats[i] << 1 == 0
            : type->physical == PQ_DOUBLE ? doubles[i] << 1 == 0
                                          : !halves[i].p[0] &&
                                                !(halves[i].p[1] & 0x7f)) {
            return true;
        }
    }
    return false;
}

/* +0 and -0 are equal but hash differently.  The filter gets both hashes, so
** that a probe for either finds the other. */
static void hash_zeros(const PqType *type, uint64_t *hashes)
{
    size_t width = type->physical == PQ_FIXED    ? 2
                   : type->physical == PQ_FLOAT ? 4 : 8;
    uint8_t zero[8] = {0};

    hashes[0] = hash_bytes(zero, width);
    zero[width - 1] = 0x80;
    hashes[1] = hash_bytes(zero, width);
}

uint32_t pq_bloom_make_hash(const PqType *type, const void *values, uint32_t n,
                            uint64_t *hashes)
{
    hash_values(type, values, n, hashes);
    if (pq_type_is_float(type) && has_zero(type, values, n)) {
        hash_zeros(type, hashes + n);
        n += PQ_BLOOM_MORE;
    }
    return n;
}

void pq_bloom_make_add_hashes(PqBloomMake *b, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        insert(b->blocks, b->n_blocks, hashes[i]);
    }
}

/* ---- folding ---- */

/* Counts the set bits of two words at once, each count in its half. */
static uint64_t count_two(uint64_t v)
{
    v -= v >> 1 & 0x5555555555555555;
    v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
    v += v >> 8;
    v += v >> 16;
    return v & 0x0000003f0000003f;
}

/* The false positive rate after one more fold. */
static double passes_folded(const PqBloomMake *b)
{
    const uint8_t *p = (const uint8_t *)b->blocks;
    uint32_t n_pairs = b->n_blocks / 2;
    double sum = 0;

    for (uint32_t pair = 0; pair < n_pairs; pair++, p += 2 * BLOCK) {
        double product = 1;
        for (uint32_t i = 0; i < BLOCK; i += 8) {
            uint64_t counts =
                count_two(pq_load_u64(p + i) | pq_load_u64(p + BLOCK + i));
            product *= (double)(counts >> 32) * (double)(uint32_t)counts;
        }
        sum += product;
    }
    return ldexp(sum, -5 * WORDS) / n_pairs;
}

static void fold(PqBloomMake *b)
{
    for (uint32_t block = 0; block < b->n_blocks; block += 2) {
        const uint32_t *from = b->blocks + (size_t)block * WORDS;
        uint32_t *to = b->blocks + (size_t)block / 2 * WORDS;

        for (uint32_t i = 0; i < WORDS; i++) {
            to[i] = from[i] | from[WORDS + i];
        }
    }
    b->n_blocks /= 2;
}

size_t pq_bloom_make_fold(PqBloomMake *b)
{
    while (b->n_blocks > 1 && passes_folded(b) <= b->fpp) {
        fold(b);
    }
    return (size_t)b->n_blocks * BLOCK;
}

PqRc pq_bloom_put(const PqModule *header, PqSlice bits, PqMem *mem, PqBuf *out,
                  PqErr *e)
{
    const PqBloomFilterHeader h = {
        .has = 1u << PQ_BLOOM_NUM_BYTES | 1u << PQ_BLOOM_ALGORITHM |
               1u << PQ_BLOOM_HASH | 1u << PQ_BLOOM_COMPRESSION,
        .num_bytes = (int32_t)bits.n,
        .algorithm = {.has = 1u << PQ_BLOOM_ONLY},
        .hash = {.has = 1u << PQ_BLOOM_ONLY},
        .compression = {.has = 1u << PQ_BLOOM_ONLY},
    };
    PqModule m = *header;
    PqBuf plain;
    PqRc rc;

    pq_buf_init(&plain, mem, e);
    pq_format_write_bloom_header(&h, &plain);
    PQ_GO(pq_buf_ok(&plain) ? PQ_OK : e->rc);
    PQ_GO(pq_module_seal(&m, pq_buf_view(&plain), out, e));
    m.kind = PQ_MODULE_BLOOM_BITS;
    PQ_GO(pq_module_seal(&m, bits, out, e));
done:
    pq_buf_free(&plain);
    return rc;
}

PqSlice pq_bloom_make_bits(const PqBloomMake *b)
{
    return pq_slice(b->blocks, (size_t)b->n_blocks * BLOCK);
}
