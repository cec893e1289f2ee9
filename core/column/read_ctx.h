/*
** read_ctx.h - what the column readers of one thread share.
**
** A scan has one; a worker thread that decodes ahead has one of its own.  It
** holds nothing that depends on a file.
*/
#ifndef PQ_READ_CTX_H
#define PQ_READ_CTX_H

#include "core/codec/codec.h"
#include "core/crypto/module.h"

typedef struct PqReadCtx {
    PqMem        *mem;               /* the budget of the scan              */
    PqCodecState *codec;
    PqBuf         packed;            /* compressed bytes of the page at hand */
    PqStop        stop;              /* asked between pages and within them */
    size_t        unasked;           /* bytes since the question            */
    bool          verify_crc;
    uint64_t      pages_read, pages_passed;
    uint64_t      bytes_unpacked;    /* of pages: what came to be there     */
    int64_t       ns_ahead;          /* a worker's jobs took                */
    int64_t       ns_waited;         /* for the jobs of others              */
} PqReadCtx;

/* ctx stays where it is until it is reset. */
PqRc pq_read_ctx_init(PqReadCtx *ctx, PqMem *mem, PqErr *e);
void pq_read_ctx_reset(PqReadCtx *ctx);

/* PQ_STOPPED when the user asked. */
PqRc pq_read_ctx_poll(const PqReadCtx *ctx, PqErr *e);

/* n raw bytes of a module from offset on; asks on the way. */
PqRc pq_read_ctx_fetch(PqReadCtx *ctx, PqInput *in, const PqModule *module,
                       uint64_t offset, size_t n, uint8_t *out, PqErr *e);

/* n bytes have been dealt with: asks when it is time to. */
static inline PqRc pq_read_ctx_step(PqReadCtx *ctx, size_t n, PqErr *e)
{
    ctx->unasked += n;
    if (PQ_LIKELY(ctx->unasked < PQ_STEP_BYTES)) {
        return PQ_OK;
    }
    ctx->unasked = 0;
    return pq_read_ctx_poll(ctx, e);
}

#endif
