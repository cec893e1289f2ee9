/*
** write_ctx.c - one thread's state for writing columns.
**
** The codec holds a pointer to ctx->stop, so a context must not move.
*/
#include "core/column/write_ctx.h"

PqRc pq_write_ctx_init(PqWriteCtx *ctx, PqMem *mem, PqErr *e)
{
    *ctx = (PqWriteCtx){.mem = mem};
    pq_buf_init(&ctx->body, mem, NULL);
    pq_buf_init(&ctx->packed, mem, NULL);
    pq_buf_init(&ctx->trial, mem, NULL);
    pq_buf_init(&ctx->values, mem, NULL);
    pq_buf_init(&ctx->ids, mem, NULL);
    PQ_TRY(pq_codec_state_new(mem, &ctx->codec, e));
    pq_codec_watch(ctx->codec, &ctx->stop);
    return PQ_OK;
}

void pq_write_ctx_reset(PqWriteCtx *ctx)
{
    pq_codec_state_free(ctx->codec);
    ctx->codec = NULL;
    pq_buf_free(&ctx->body);
    pq_buf_free(&ctx->packed);
    pq_buf_free(&ctx->trial);
    pq_buf_free(&ctx->values);
    pq_buf_free(&ctx->ids);
}

PqRc pq_write_ctx_pack(PqWriteCtx *ctx, int codec, int level, PqSearch search,
                       PqSlice in, PqBuf *out, PqErr *e)
{
    return codec == PQ_CODEC_UNCOMPRESSED
               ? pq_buf_append(out, in.p, in.n, e)
               : pq_codec_encode(ctx->codec, codec, level, search, in, out, e);
}
