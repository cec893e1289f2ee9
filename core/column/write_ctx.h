/*
** write_ctx.h - what the column writers of one thread share: a codec's state
** and room to work in.  It holds nothing that belongs to a column.
*/
#ifndef PQ_WRITE_CTX_H
#define PQ_WRITE_CTX_H

#include "core/codec/codec.h"

typedef struct PqWriteCtx {
    PqMem        *mem;
    PqStop        stop;              /* asked before each page, and while one
                                     ** is compressed; whoever has the ctx
                                     ** sets it                              */
    PqCodecState *codec;
    PqBuf         body, packed;      /* of the page at hand                  */
    PqBuf         trial;             /* what might be written                */
    PqBuf         values, ids;       /* arrays, see chunk_write.c            */
} PqWriteCtx;

/* ctx stays where it is until it is reset. */
PqRc pq_write_ctx_init(PqWriteCtx *ctx, PqMem *mem, PqErr *e);
void pq_write_ctx_reset(PqWriteCtx *ctx);

/* in as the codec packs it, behind what is in out. */
PqRc pq_write_ctx_pack(PqWriteCtx *ctx, int codec, int level, PqSearch search,
                       PqSlice in, PqBuf *out, PqErr *e);

#endif
