/*
** verify_bloom.c - looks up every value of a chunk in its Bloom filter.
**
** Values are looked up as they are decoded.  Values of a dictionary are looked
** up at the end, once each and only if they occur.  Only the first value that
** the filter lacks is a finding: damage would give one for each value.
*/
#include "core/verify/verify_inside.h"

enum { BLOCK = 32 };

/* Bytes of the blocks in the file. */
static int64_t stored_bytes(const PqBloom *b)
{
    PqModule module = {PQ_MODULE_BLOOM_BITS, b->row_group, (int)b->leaf, -1,
                       b->lock};

    return (int64_t)((size_t)b->n_blocks * BLOCK + pq_module_overhead(&module));
}

PqRc pq_verify_load_bloom(PqChunkCheck *c, PqErr *e)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;
    PqVerify *v = c->v;
    int64_t length;

    if (pq_bloom_open(c->r.in, &c->r.chunk, (int)v->group, v->leaf, v->mem,
                      &c->bloom, e) != PQ_OK) {
        return pq_verify_failure(v, "Bloom filter", e);
    }
    if (c->bloom.n_blocks == 0) {
        return PQ_OK;
    }
    length = (int64_t)c->bloom.offset - m->bloom_filter_offset +
             stored_bytes(&c->bloom);
    if (PQ_HAS(m, PQ_COLUMN_BLOOM_LENGTH)) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "bloom_filter_length",
                               length, m->bloom_filter_length,
                               "the filter has a different length", e));
    }
    if (pq_bloom_load(c->r.in, &c->bloom, e) != PQ_OK) {
        c->bloom.n_blocks = 0;
        return pq_verify_failure(v, "Bloom filter", e);
    }
    return PQ_OK;
}

PqRc pq_verify_probe(PqChunkCheck *c, PqSlice value, PqErr *e)
{
    bool maybe;

    if (c->bloom.n_blocks == 0 || c->bloom_failed) {
        return PQ_OK;
    }
    PQ_TRY(pq_bloom_probe(c->r.in, &c->bloom, pq_bloom_hash(value), &maybe, e));
    if (maybe) {
        return PQ_OK;
    }
    c->bloom_failed = true;
    return pq_verify_find(c->v, PQ_FINDING_ERROR, "Bloom filter",
                          pq_verify_value(c->v, &c->leaf->type, value, e), NULL,
                          e, "the filter lacks a value");
}
