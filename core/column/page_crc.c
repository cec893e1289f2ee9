/*
** page_crc.c - verifies the checksum of a page, or only computes it.
**
** pq_page_crc reads in small pieces into a buffer of its own: a body may be 2 GiB,
** and the chunk reader stays at the header that was parsed.
*/
#include "core/column/page_crc.h"

#include "core/codec/codec.h"
#include "core/column/chunk_header.h"

/* Bytes of one read; bytes between two questions whether to stop. */
enum { PIECE = 1 << 16, STEP = 4 << 20 };

bool pq_page_says_crc(const PqChunkReader *r)
{
    return PQ_HAS(&r->header, PQ_PAGE_HEADER_CRC) &&
           (r->header.crc != 0 || !r->zero_crc_is_none);
}

/* Has opening it authenticated every byte of the body? */
static bool is_authentic(const PqChunkReader *r)
{
    return r->chunk.lock && !r->chunk.lock->ctr &&
           r->header.type != PQ_PAGE_DATA_V2;
}

bool pq_page_has_crc(const PqChunkReader *r)
{
    return r->ctx->verify_crc && pq_page_says_crc(r) && !is_authentic(r);
}

PqRc pq_page_check_crc(const PqChunkReader *r, PqSlice body, PqErr *e)
{
    uint32_t crc = 0;

    if (!pq_page_has_crc(r)) {
        return PQ_OK;
    }
    while (body.n) {
        PqSlice step = pq_slice_cut(&body, STEP);

        crc = pq_crc32(crc, step);
        PQ_TRY(pq_read_ctx_step(r->ctx, step.n, e));
    }
    return crc == (uint32_t)r->header.crc
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "the page's checksum is %08x, its "
                         "header says %08x; the option checksum=off reads it "
                         "anyway", (unsigned)crc, (unsigned)r->header.crc);
}

PqRc pq_page_crc(PqChunkReader *r, uint32_t *crc, PqErr *e)
{
    PqModule m = pq_page_module(r);
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
