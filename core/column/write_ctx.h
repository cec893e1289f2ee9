/*
** write_ctx.h - what the column writers of one thread share: the state of the
** codecs and scratch buffers.  It holds nothing that belongs to a column.
*/
#ifndef PQ_WRITE_CTX_H
#define PQ_WRITE_CTX_H

#include "core/codec/codec.h"
#include "core/crypto/module.h"
#include "core/meta/format.h"

typedef struct PqWriteCtx {
    PqMem        *mem;
    PqStop        stop;              /* asked before each page, and while one
                                     ** is compressed; set by the owner      */
    PqCodecState *codec;
    PqBuf         body, packed;      /* of the current page                  */
    PqBuf         trial;             /* of encodings that are being tried    */
    PqBuf         values, ids;       /* arrays, see chunk_write.c            */
} PqWriteCtx;

/* ctx must not move until it is reset. */
PqRc pq_write_ctx_init(PqWriteCtx *ctx, PqMem *mem, PqErr *e);
void pq_write_ctx_reset(PqWriteCtx *ctx);

/* Packs in and appends the result to out. */
PqRc pq_write_ctx_pack(PqWriteCtx *ctx, int codec, int level, PqSearch search,
                       PqSlice in, PqBuf *out, PqErr *e);

/* Gives a packed page a header that is made anew, with its sizes and a checksum, and
** seals both.  *body is the packed page, not in ctx->body; then *body and *head are as
** the file has them, until ctx is used again (page_write.c). */
PqRc pq_write_ctx_seal_page(PqWriteCtx *ctx, const PqModule *page,
                            const PqModule *header, PqPageHeader *h,
                            size_t n_raw, PqSlice *body, PqSlice *head, PqErr *e);

#endif
