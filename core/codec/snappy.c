/*
** snappy.c
**
**   stream  := varint(length of the whole)  element*
**   element := literal | copy of 1..64 bytes from before
**
** The length is part of the stream, so a claim is checked exactly.  That the
** stream could hold so much is checked too: the densest element is a copy of
** 64 bytes said in 3.
**
** Decoding allocates nothing.  Encoding does, behind a C interface over C++:
** there is no way to pass an allocator, and a failing operator new would end
** the process.  See pq_snappy_encode.
*/
#include "core/codec/codec_parts.h"

#include <snappy-c.h>

static const char name[] = "SNAPPY";

enum {
    COPY_MOST = 64,
    COPY_COST = 3,
    ENCODER_BYTES = 224 * 1024         /* see encoder_bytes */
};

PqRc pq_snappy_claim(PqSlice in, PqCodecClaim *claim, PqErr *e)
{
    size_t n;

    if (snappy_uncompressed_length((const char *)in.p, in.n, &n)) {
        return pq_codec_fail_damaged(name, "it does not begin with a length",
                                     e);
    }
    claim->least = n;
    claim->most = n <= (uint64_t)in.n * COPY_MOST / COPY_COST ? n : 0;
    return PQ_OK;
}

PqRc pq_snappy_decode(PqCodecState *s, PqSlice in, uint8_t *out, size_t n_out,
                      PqErr *e)
{
    const char *p = (const char *)in.p;
    size_t n;

    if (snappy_uncompressed_length(p, in.n, &n)) {
        return pq_codec_fail_damaged(name, "it does not begin with a length",
                                     e);
    }
    if (n != n_out) {
        return pq_codec_fail_short(name, n, n_out, e);
    }
    PQ_TRY(pq_codec_touch(s, out, n_out, e));
    if (snappy_uncompress(p, in.n, (char *)out, &n)) {
        return pq_codec_fail_damaged(name, "not a valid stream", e);
    }
    return PQ_OK;
}

/* What the encoder allocates at most, in any version: a hash table of up to
** 2^15 16-bit entries, a block of up to 64 KiB and its largest compressed
** form; the table has no more than twice as many entries as the input bytes,
** or 256. */
static size_t encoder_bytes(size_t n)
{
    return n < ENCODER_BYTES / 16 ? 8 * n + 1024 : ENCODER_BYTES;
}

/* Two blocks of the encoder's size are asked for: one is kept during the call
** and pays for what the library takes unseen; the other goes back to the host
** just before, so the library finds the room it is about to ask for.  Neither
** is ever touched. */
static PqRc pay_for_encoder(PqCodecState *s, size_t n, void **paid, PqErr *e)
{
    void *proof = pq_mem_alloc(s->mem, n, e);

    *paid = proof ? pq_mem_alloc(s->mem, n, e) : NULL;
    pq_mem_free(proof);
    return *paid ? PQ_OK : e->rc;
}

PqRc pq_snappy_encode(PqCodecState *s, int level, PqSlice in, PqBuf *out,
                      PqErr *e)
{
    size_t n = snappy_max_compressed_length(in.n);
    snappy_status failed;
    void *paid;

    (void)level;                       /* there is only one */
    PQ_TRY(pq_buf_reserve(out, n, e));
    PQ_TRY(pay_for_encoder(s, encoder_bytes(in.n), &paid, e));
    failed = snappy_compress((const char *)in.p, in.n,
                             (char *)out->p + out->n, &n);
    pq_mem_free(paid);
    if (failed) {
        return pq_codec_fail_memory(name, e);
    }
    out->n += n;
    return PQ_OK;
}

/* The C interface cannot tell its version. */
void pq_snappy_version(PqBuf *out)
{
    pq_buf_text(out, "snappy");
}
