/*
** read_ctx.c - one thread's state for reading columns.
**
** The codec holds a pointer to ctx->stop, so a context must not move.  Large
** reads are cut into steps, so that a query on a slow disk can be interrupted.
*/
#include "core/column/read_ctx.h"

/* The most that is read in one call. */
enum { READ_BYTES = 4 << 20 };

PqRc pq_read_ctx_init(PqReadCtx *ctx, PqMem *mem, PqErr *e)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->mem = mem;
    ctx->verify_crc = true;
    pq_buf_init(&ctx->packed, mem, NULL);
    PQ_TRY(pq_codec_state_new(mem, &ctx->codec, e));
    pq_codec_watch(ctx->codec, &ctx->stop);
    return PQ_OK;
}

void pq_read_ctx_reset(PqReadCtx *ctx)
{
    pq_buf_free(&ctx->packed);
    pq_codec_state_free(ctx->codec);
    ctx->codec = NULL;
}

PqRc pq_read_ctx_fetch(PqReadCtx *ctx, PqInput *in, const PqModule *module,
                       uint64_t offset, size_t n, uint8_t *out, PqErr *e)
{
    while (n > 0) {
        size_t step = n < READ_BYTES ? n : READ_BYTES;

        PQ_TRY(pq_module_fetch(in, module, offset, step, out, e));
        PQ_TRY(pq_read_ctx_step(ctx, step, e));
        offset += step;
        out += step;
        n -= step;
    }
    return PQ_OK;
}
