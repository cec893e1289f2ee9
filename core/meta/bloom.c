/*
** bloom.c - asks a Bloom filter whether a value is certainly absent.
**
**   hash 9fd31a20 5bb802c7, 1,024 blocks
**        |        lower half * each of eight salts; the top five bits name a
**        |        bit in each of the block's eight words
**        upper half * 1,024 >> 32: block 639
**
** A filter is only a shortcut, so a filter of an unknown kind is ignored.  One
** that contradicts itself is corrupt, and the caller goes on without it.  Old
** filters hashed with murmur3 have no header: their bare length does not parse
** as a BloomFilterHeader, so they fail too.
**
** What is hard is to read little: one block for one value, runs of blocks for
** several, the whole filter only for many or where encryption demands it.
*/
#include "core/meta/bloom.h"

#include <xxhash.h>

enum {
    BLOCK = PQ_BLOOM_BLOCK,
    /* For many values: the most blocks of one read, and the widest gap that is
    ** read instead of reading twice.  A filter with fewer than WHOLE blocks per
    ** value is read whole. */
    RUN = 128,
    GAP = 16,
    WHOLE = 64
};

/* Errors are in the filter of a row group, at an offset.  Returns the place
** before. */
static PqWhere enter(int row_group, uint64_t offset, PqErr *e)
{
    PqWhere outer = e->where;

    e->where.row_group = row_group;
    e->where.page = -1;
    e->where.offset = (int64_t)offset;
    return outer;
}

static bool is_known(const PqBloomFilterHeader *h)
{
    return PQ_HAS(&h->algorithm, PQ_BLOOM_ONLY) &&
           PQ_HAS(&h->hash, PQ_BLOOM_ONLY) &&
           PQ_HAS(&h->compression, PQ_BLOOM_ONLY);
}

/* Finds the blocks, by the header. */
static PqRc place_blocks(PqInput *in, const PqBloomFilterHeader *h,
                         uint64_t first, PqBloom *out, PqErr *e)
{
    uint64_t size = pq_source_size(in->source);

    if (!is_known(h)) {
        return PQ_OK;
    }
    if (h->num_bytes <= 0 || h->num_bytes % BLOCK != 0 || first > size ||
        (uint64_t)h->num_bytes > size - first) {
        return pq_fail(e, PQ_CORRUPT, "a Bloom filter of %d bytes at byte "
                                      "%llu of %llu",
                       h->num_bytes, (unsigned long long)first,
                       (unsigned long long)size);
    }
    out->offset = first;
    out->n_blocks = (uint32_t)h->num_bytes / BLOCK;
    return PQ_OK;
}

/* QUIRK: arrow-rs leaves the filters of encrypted columns in the clear.  They are
** not used, as nothing authenticates them.
** Test: a-filter-in-the-clear-of-an-encrypted-column. */
static PQ_COLD PqRc not_opened(PqSlice raw, PqArena *a, PqErr *e)
{
    PqBloomFilterHeader h;
    PqErr own;

    pq_err_init(&own);
    if (e->rc != PQ_CORRUPT ||
        pq_format_read_bloom_header(&raw, a, &h, &own) != PQ_OK ||
        !is_known(&h)) {
        return e->rc;
    }
    pq_err_clear(e);
    return pq_fail(e, PQ_CORRUPT, "the column is encrypted and its Bloom filter "
                   "is not: it tells without a key what is in the column");
}

static PqRc open_at(PqInput *in, uint64_t offset, PqMem *mem, PqBloom *out,
                    PqErr *e)
{
    PqModule module = {PQ_MODULE_BLOOM_HEADER, out->row_group,
                       (int)out->leaf, -1, out->lock};
    uint64_t size = pq_source_size(in->source);
    size_t n = size - offset < PQ_BLOOM_OPENING ? (size_t)(size - offset) : PQ_BLOOM_OPENING;
    uint8_t window[PQ_BLOOM_OPENING];
    PqBloomFilterHeader h;
    PqSlice plain;
    PqArena arena;
    PqBuf scratch;
    size_t used, before;
    PqRc rc;

    pq_arena_init(&arena, mem);      /* stays empty: the struct has no lists */
    pq_buf_init(&scratch, mem, NULL);
    PQ_GO(pq_module_fetch(in, &module, offset, n, window, e));
    rc = pq_module_unseal(&module, pq_slice(window, n), &scratch, &plain, &used,
                          e);
    if (rc != PQ_OK) {
        rc = not_opened(pq_slice(window, n), &arena, e);
        goto done;
    }
    before = plain.n;
    PQ_GO(pq_format_read_bloom_header(&plain, &arena, &h, e));
    used = used ? used : before - plain.n;
    PQ_GO(place_blocks(in, &h, offset + used, out, e));
done:
    pq_buf_free(&scratch);
    pq_arena_free(&arena);
    return rc;
}

PqRc pq_bloom_open(PqInput *in, const PqColumnChunk *chunk, int row_group,
                   uint32_t leaf, PqMem *mem, PqBloom *out, PqErr *e)
{
    int64_t offset = chunk->meta_data.bloom_filter_offset;
    PqWhere outer;
    PqRc rc;

    *out = (PqBloom){.row_group = row_group, .leaf = leaf, .lock = chunk->lock};
    pq_buf_init(&out->bits, mem, NULL);
    if (offset == 0) {
        return PQ_OK;
    }
    outer = enter(row_group, (uint64_t)offset, e);
    if (offset < 0 || (uint64_t)offset > pq_source_size(in->source)) {
        rc = pq_fail(e, PQ_CORRUPT, "a Bloom filter beyond the file's %llu "
                                    "bytes",
                     (unsigned long long)pq_source_size(in->source));
    } else {
        rc = open_at(in, (uint64_t)offset, mem, out, e);
    }
    e->where = outer;
    return rc;
}

void pq_bloom_close(PqBloom *b)
{
    pq_buf_free(&b->bits);
    b->n_blocks = 0;
}

static PqModule bits_module(const PqBloom *b)
{
    return (PqModule){PQ_MODULE_BLOOM_BITS, b->row_group, (int)b->leaf, -1,
                      b->lock};
}

static PqRc read_whole(PqInput *in, PqBloom *b, PqErr *e)
{
    PqModule module = bits_module(b);
    size_t want = (size_t)b->n_blocks * BLOCK, used;
    size_t n = want + pq_module_overhead(&module);
    PqSlice plain;

    PQ_TRY(pq_buf_resize(&b->bits, n, e));
    PQ_TRY(pq_module_fetch(in, &module, b->offset, n, b->bits.p, e));
    PQ_TRY(pq_module_unseal_in_place(&module, b->bits.p, n, &plain, &used, e));
    if (plain.n < want) {
        return pq_fail(e, PQ_CORRUPT, "a Bloom filter of %zu bytes has only "
                                      "%zu", want, plain.n);
    }
    memmove(b->bits.p, plain.p, want);
    b->bits.n = want;
    return PQ_OK;
}

PqRc pq_bloom_load(PqInput *in, PqBloom *b, PqErr *e)
{
    PqWhere outer = enter(b->row_group, b->offset, e);
    PqRc rc;

    rc = b->n_blocks && !b->bits.n ? read_whole(in, b, e) : PQ_OK;
    if (rc != PQ_OK) {
        b->bits.n = 0;
    }
    e->where = outer;
    return rc;
}

static bool block_holds(const uint8_t *block, uint64_t hash)
{
    uint32_t missing = 0;

    for (int i = 0; i < PQ_BLOOM_WORDS; i++) {
        missing |= ~pq_load_u32(block + 4 * i) & pq_bloom_bit(hash, i);
    }
    return missing == 0;
}

static uint32_t block_of(const PqBloom *b, uint64_t hash)
{
    return pq_bloom_block(hash, b->n_blocks);
}

bool pq_bloom_whole(uint32_t n_blocks, uint32_t n)
{
    return n > 1 && n_blocks / WHOLE < n;
}

uint32_t pq_bloom_run(uint32_t n_blocks, const uint64_t *hashes, uint32_t n, uint32_t *first,
                      uint32_t *last)
{
    uint32_t i = 1;

    *first = *last = pq_bloom_block(hashes[0], n_blocks);
    for (; i < n; i++) {
        uint32_t block = pq_bloom_block(hashes[i], n_blocks);

        if (block - *last > GAP || block - *first >= RUN) {
            break;
        }
        *last = block;
    }
    return i;
}

/* Probes the first *n_asked of the n hashes, at least one.  Their blocks lie
** close enough together for one read. */
static PqRc probe_run(PqInput *in, const PqModule *module, const PqBloom *b,
                      const uint64_t *hashes, uint32_t n, uint32_t *n_asked,
                      bool *maybe, PqErr *e)
{
    uint8_t blocks[RUN * BLOCK];
    uint32_t first, last;

    *n_asked = pq_bloom_run(b->n_blocks, hashes, n, &first, &last);
    PQ_TRY(pq_module_fetch(in, module, b->offset + (uint64_t)first * BLOCK,
                           (size_t)(last - first + 1) * BLOCK, blocks, e));
    for (uint32_t i = 0; i < *n_asked && !*maybe; i++) {
        *maybe = block_holds(blocks + (block_of(b, hashes[i]) - first) * BLOCK,
                             hashes[i]);
    }
    return PQ_OK;
}

static void probe_bits(const PqBloom *b, const uint64_t *hashes, uint32_t n,
                       bool *maybe)
{
    for (uint32_t i = 0; i < n && !*maybe; i++) {
        *maybe = block_holds(b->bits.p + (size_t)block_of(b, hashes[i]) * BLOCK,
                             hashes[i]);
    }
}

static PqRc probe(PqInput *in, PqBloom *b, const uint64_t *hashes, uint32_t n,
                  bool *maybe, PqErr *e)
{
    PqModule module = bits_module(b);
    uint32_t at = 0, asked;

    if (b->bits.n == 0 && (pq_module_whole(&module) ||
                           pq_bloom_whole(b->n_blocks, n))) {
        PQ_TRY(pq_bloom_load(in, b, e));
    }
    if (b->bits.n) {
        probe_bits(b, hashes, n, maybe);
        return PQ_OK;
    }
    for (; at < n && !*maybe; at += asked) {
        PQ_TRY(probe_run(in, &module, b, hashes + at, n - at, &asked, maybe,
                         e));
    }
    return PQ_OK;
}

PqRc pq_bloom_probe_any(PqInput *in, PqBloom *b, const uint64_t *hashes,
                        uint32_t n, bool *maybe, PqErr *e)
{
    PqWhere outer;
    PqRc rc;

    *maybe = b->n_blocks == 0;
    if (*maybe || n == 0) {
        return PQ_OK;
    }
    outer = enter(b->row_group, b->offset, e);
    rc = probe(in, b, hashes, n, maybe, e);
    *maybe = *maybe || rc != PQ_OK;
    e->where = outer;
    return rc;
}

PqRc pq_bloom_probe(PqInput *in, PqBloom *b, uint64_t hash, bool *maybe,
                    PqErr *e)
{
    return pq_bloom_probe_any(in, b, &hash, 1, maybe, e);
}

uint64_t pq_bloom_hash(PqSlice plain)
{
    return XXH64(plain.n ? (const void *)plain.p : "", plain.n, 0);
}
