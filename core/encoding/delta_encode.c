/*
** delta_encode.c - integers as differences, in blocks of 128 and miniblocks of
** 32 values, the sizes every reader takes.  delta.h has the picture.
**
** A block is planned first: its deltas, the least of them, what is left above
** the least, and how wide that is in each miniblock; then it is written, or
** only measured.  All differences wrap.  What fills up the last miniblock is
** zeros, and the miniblocks behind it have width 0.
*/
#include "core/encoding/encode_inside.h"

enum {
    MINIS = 4,
    PER_MINI = PQ_DELTA_BLOCK / MINIS,
    HEADER_MOST = 4 * PQ_VARINT_MOST,
    BLOCK_HEAD_MOST = PQ_VARINT_MOST + MINIS,
    SAMPLE = 64,                     /* blocks that are measured */
};

typedef struct Block {
    int64_t least;
    uint8_t width[MINIS];
    size_t  n_packed;                /* bytes */
} Block;

/* The width of a miniblock that has these bits. */
static void add_mini(Block *b, unsigned mini, uint64_t bits)
{
    unsigned width = pq_bits_of(bits);

    b->width[mini] = (uint8_t)width;
    b->n_packed += (size_t)PER_MINI / 8 * width;
}

static uint32_t in_mini(uint32_t n, uint32_t at)
{
    return n - at < PER_MINI ? n - at : PER_MINI;
}

/* rest receives n values and the zeros that fill up the last miniblock. */
static Block plan32(const PqKernels *k, const uint32_t *v, uint32_t n,
                    uint32_t before, uint32_t *rest)
{
    Block b = {0};

    k->differ32(v, n, before, rest);
    b.least = k->least32(rest, n);
    for (uint32_t at = 0; at < n; at += PER_MINI) {
        uint32_t some = in_mini(n, at);

        add_mini(&b, at / PER_MINI,
                 k->lower32(rest + at, some, (uint32_t)b.least));
        memset(rest + at + some, 0, (PER_MINI - some) * sizeof *rest);
    }
    return b;
}

static Block plan64(const PqKernels *k, const uint64_t *v, uint32_t n,
                    uint64_t before, uint64_t *rest)
{
    Block b = {0};

    k->differ64(v, n, before, rest);
    b.least = k->least64(rest, n);
    for (uint32_t at = 0; at < n; at += PER_MINI) {
        uint32_t some = in_mini(n, at);

        add_mini(&b, at / PER_MINI,
                 k->lower64(rest + at, some, (uint64_t)b.least));
        memset(rest + at + some, 0, (PER_MINI - some) * sizeof *rest);
    }
    return b;
}

static size_t size_of_block(const Block *b)
{
    return pq_varint_size(pq_zigzag(b->least)) + MINIS + b->n_packed;
}

/* Room for the block; its head is written, the miniblocks are not. */
static uint8_t *begin_block(PqOut *o, const Block *b, PqErr *e)
{
    uint8_t *p = pq_out_room(
        o, BLOCK_HEAD_MOST + b->n_packed + PQ_PACK_SLACK, e);

    if (!p) {
        return NULL;
    }
    o->buf->n += size_of_block(b);
    p = pq_put_varint(p, pq_zigzag(b->least));
    memcpy(p, b->width, MINIS);
    return p + MINIS;
}

static PqRc write_header(PqOut *o, uint32_t n, int64_t first, PqErr *e)
{
    uint8_t *p = pq_out_room(o, HEADER_MOST, e), *end;

    if (!p) {
        return e->rc;
    }
    end = pq_put_varint(p, PQ_DELTA_BLOCK);
    end = pq_put_varint(end, MINIS);
    end = pq_put_varint(end, n);
    end = pq_put_varint(end, pq_zigzag(first));
    o->buf->n += (size_t)(end - p);
    return PQ_OK;
}

static uint32_t in_block(uint32_t n, uint32_t at)
{
    return n - at < PQ_DELTA_BLOCK ? n - at : PQ_DELTA_BLOCK;
}

PqRc pq_delta_write32(PqOut *o, const uint32_t *v, uint32_t n, PqErr *e)
{
    uint32_t rest[PQ_DELTA_BLOCK];

    PQ_TRY(write_header(o, n, n ? (int32_t)v[0] : 0, e));
    for (uint32_t at = 1; at < n; at += PQ_DELTA_BLOCK) {
        Block b = plan32(o->k, v + at, in_block(n, at), v[at - 1], rest);
        uint8_t *p = begin_block(o, &b, e);

        if (!p) {
            return e->rc;
        }
        for (unsigned i = 0; i < MINIS; i++) {
            o->k->pack32(rest + PER_MINI * i, b.width[i], PER_MINI, p);
            p += PER_MINI / 8 * b.width[i];
        }
    }
    return PQ_OK;
}

PqRc pq_delta_write64(PqOut *o, const uint64_t *v, uint32_t n, PqErr *e)
{
    uint64_t rest[PQ_DELTA_BLOCK];

    PQ_TRY(write_header(o, n, n ? (int64_t)v[0] : 0, e));
    for (uint32_t at = 1; at < n; at += PQ_DELTA_BLOCK) {
        Block b = plan64(o->k, v + at, in_block(n, at), v[at - 1], rest);
        uint8_t *p = begin_block(o, &b, e);

        if (!p) {
            return e->rc;
        }
        for (unsigned i = 0; i < MINIS; i++) {
            o->k->pack64(rest + PER_MINI * i, b.width[i], PER_MINI, p);
            p += PER_MINI / 8 * b.width[i];
        }
    }
    return PQ_OK;
}

size_t pq_delta_header_size(uint32_t n, int64_t first)
{
    return pq_varint_size(PQ_DELTA_BLOCK) + pq_varint_size(MINIS) +
           pq_varint_size(n) + pq_varint_size(pq_zigzag(first));
}

size_t pq_delta_block_size32(const PqKernels *k, const uint32_t *v, uint32_t n,
                             uint32_t before)
{
    uint32_t rest[PQ_DELTA_BLOCK];
    Block b = plan32(k, v, n, before, rest);

    return size_of_block(&b);
}

PqEncodedSize pq_delta_blocks_size(
    const PqEncodeJob *job,
    size_t (*size)(const PqEncodeJob *job, uint32_t first, uint32_t n))
{
    uint32_t n = job->n, n_measured = 0, step;
    uint32_t n_blocks =
        n > 1 ? (n - 1 + PQ_DELTA_BLOCK - 1) / PQ_DELTA_BLOCK : 0;
    uint64_t total = 0;

    step = n_blocks / SAMPLE + (n_blocks % SAMPLE != 0);
    for (uint32_t i = 0; i < n_blocks; i += step, n_measured++) {
        uint32_t first = 1 + i * PQ_DELTA_BLOCK;

        total += size(job, first, in_block(n, first));
    }
    return step > 1 ? (PqEncodedSize){total * n_blocks / n_measured, false}
                    : (PqEncodedSize){total, true};
}

/* DELTA_BINARY_PACKED pages. */

static PqRc encode32(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    return pq_delta_write32(o, job->values, job->n, e);
}

static PqRc encode64(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    return pq_delta_write64(o, job->values, job->n, e);
}

static size_t block_size32(const PqEncodeJob *job, uint32_t first, uint32_t n)
{
    const uint32_t *v = (const uint32_t *)job->values + first;

    return pq_delta_block_size32(job->k, v, n, v[-1]);
}

static size_t block_size64(const PqEncodeJob *job, uint32_t first, uint32_t n)
{
    const uint64_t *v = (const uint64_t *)job->values + first;
    uint64_t rest[PQ_DELTA_BLOCK];
    Block b = plan64(job->k, v, n, v[-1], rest);

    return size_of_block(&b);
}

static PqEncodedSize size32(const PqEncodeJob *job)
{
    PqEncodedSize size = pq_delta_blocks_size(job, block_size32);
    const int32_t *v = job->values;

    size.n_bytes += pq_delta_header_size(job->n, job->n ? v[0] : 0);
    return size;
}

static PqEncodedSize size64(const PqEncodeJob *job)
{
    PqEncodedSize size = pq_delta_blocks_size(job, block_size64);
    const int64_t *v = job->values;

    size.n_bytes += pq_delta_header_size(job->n, job->n ? v[0] : 0);
    return size;
}

const PqEncoderKind pq_encode_delta_int32 = {encode32, size32};
const PqEncoderKind pq_encode_delta_int64 = {encode64, size64};
