/*
** read_ctx.h - what the column readers of one thread share.
**
** A scan has one; a worker thread that decodes ahead has one of its own.  It
** holds nothing that depends on a file.
*/
#ifndef PQ_READ_CTX_H
#define PQ_READ_CTX_H

#include "core/codec/codec.h"

/* Asked between pages: has the user had enough? */
typedef struct PqStop {
    bool (*asked)(void *arg);        /* NULL: never */
    void  *arg;
} PqStop;

typedef struct PqReadCtx {
    PqMem        *mem;               /* the budget of the scan              */
    PqCodecState *codec;
    PqBuf         packed;            /* compressed bytes of the page at hand */
    PqStop        stop;
    bool          verify_crc;
    uint64_t      pages_read, pages_passed;
} PqReadCtx;

PqRc pq_read_ctx_init(PqReadCtx *ctx, PqMem *mem, PqErr *e);
void pq_read_ctx_reset(PqReadCtx *ctx);

/* PQ_STOPPED when the user asked. */
PqRc pq_stop_poll(const PqStop *stop, PqErr *e);
PqRc pq_read_ctx_poll(const PqReadCtx *ctx, PqErr *e);

#endif
