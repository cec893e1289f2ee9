/*
** scan_bloom.c - refutes a row group by the Bloom filter of a column chunk.
**
** A row group is skipped if none of the wanted values can be in the filter:
**
**   user = 'user-17'   hash, block 12 of 32     header + 32 bytes read
**   user IN (...)      hashes, ascending        blocks in the file's order
**
** Each scan reads the header again when it comes to the row group.  That is
** one small read, much less than the row group's pages.  A filter is ignored if
** it is invalid, or if its chunk lies in another file.
*/
#include "core/meta/bloom.h"
#include "core/scan/scan_inside.h"

PqRc pq_scan_refute_bloom(PqScan *s, const PqProof *p, PqArena *a,
                          bool *refuted, PqErr *e)
{
    const PqLeaf *leaf = pq_scan_group_leaf(s, p->column[0], s->group);
    PqWhere outer = e->where;
    const uint64_t *hashes;
    PqColumnChunk chunk;
    bool maybe = true;
    PqBloom bloom;
    uint32_t n;
    PqRc rc;

    if (!leaf || !p->hashes || !p->hashes(p, leaf, &hashes, &n)) {
        return PQ_OK;
    }
    PQ_TRY(pq_footer_chunk(s->footer, s->group, leaf->index, a, &chunk, e));
    if (chunk.meta_data.bloom_filter_offset == 0 || chunk.file_path.n > 0) {
        return PQ_OK;
    }
    e->where.column = leaf->path;
    rc = pq_bloom_open(&s->in, &chunk, (int)s->group, leaf->column, s->mem,
                       &bloom, e);
    if (rc == PQ_OK && bloom.n_blocks) {
        rc = pq_bloom_probe_any(&s->in, &bloom, hashes, n, &maybe, e);
    }
    pq_bloom_close(&bloom);
    *refuted = rc == PQ_OK && !maybe;
    return pq_scan_forgive(rc, outer, e);
}
