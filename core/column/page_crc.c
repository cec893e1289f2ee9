/*
** page_crc.c - computes the checksum of a page without taking the page.
**
** It reads in small pieces into a buffer of its own: a body may be 2 GiB, and
** the chunk reader stays at the header that was parsed.
*/
#include "core/column/page_crc.h"

#include "core/codec/crc.h"

enum { PIECE = 1 << 16 };

PqRc pq_page_crc(PqChunkReader *r, uint32_t *crc, PqErr *e)
{
    PqModule m = {r->header.type == PQ_PAGE_DICTIONARY
                      ? PQ_MODULE_DICTIONARY_PAGE : PQ_MODULE_DATA_PAGE,
                  r->row_group, (int)r->leaf->index, r->page, r->chunk.lock};
    size_t left = (size_t)r->header.compressed_page_size;
    uint8_t *piece = pq_mem_alloc(r->ctx->mem, left < PIECE ? left : PIECE, e);
    uint64_t at = r->body_at;
    uint32_t sum = 0;
    PqRc rc = PQ_OK;

    if (!piece) {
        return e->rc;
    }
    while (left) {
        size_t n = left < PIECE ? left : PIECE;

        PQ_GO(pq_module_fetch(r->in, &m, at, n, piece, e));
        sum = pq_crc32(sum, pq_slice(piece, n));
        at += n;
        left -= n;
    }
    *crc = sum;
done:
    pq_mem_free(piece);
    return rc;
}
