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

/* Do threads that read ahead save time?  See leaf_ahead.c. */
typedef struct PqPace {
    bool     measured;               /* false: they read whatever it costs  */
    bool     ahead;                  /* they read in this turn              */
    uint32_t n_turns;                /* before this one                     */
    int64_t  began;
    uint64_t bytes;                  /* of its pages, unpacked              */
    double   cost[2];                /* nanoseconds per byte of the last turn
                                     ** without them, and with them; 0: there
                                     ** was none                            */
} PqPace;

typedef struct PqReadCtx {
    PqMem        *mem;               /* the budget of the scan              */
    PqCodecState *codec;
    PqBuf         packed;            /* compressed bytes of the current page */
    PqStop        stop;              /* asked between pages and within them */
    size_t        unasked;           /* bytes since it was last asked       */
    bool          verify_crc;
    uint64_t      pages_read, pages_passed;
    uint64_t      bytes_unpacked;    /* of pages, as far as unpacked        */
    int64_t       ns_ahead;          /* time of a worker's jobs             */
    int64_t       ns_waited;         /* time waiting for workers' jobs      */
    PqPace        pace;
} PqReadCtx;

/* ctx must not move until it is reset. */
PqRc pq_read_ctx_init(PqReadCtx *ctx, PqMem *mem, PqErr *e);
void pq_read_ctx_reset(PqReadCtx *ctx);

/* Reads n raw bytes of a module from offset on; asks whether to stop on the
** way. */
PqRc pq_read_ctx_fetch(PqReadCtx *ctx, PqInput *in, const PqModule *module,
                       uint64_t offset, size_t n, uint8_t *out, PqErr *e);

/* n more bytes have been processed: asks whether to stop, every
** PQ_STEP_BYTES. */
static inline PqRc pq_read_ctx_step(PqReadCtx *ctx, size_t n, PqErr *e)
{
    ctx->unasked += n;
    if (PQ_LIKELY(ctx->unasked < PQ_STEP_BYTES)) {
        return PQ_OK;
    }
    ctx->unasked = 0;
    return pq_stop_poll(&ctx->stop, e);
}

#endif
