/*
** delta_encode.c - integers as differences, in blocks of 128 and miniblocks of
** 32 values, the sizes every reader takes.  delta.h has the picture.
**
** A block is planned first: its deltas, the least of them, each delta minus the
** least, and how many bits these need in each miniblock.  Then it is written.
** All differences wrap.  The last miniblock is padded with zeros, and the
** miniblocks after it have width 0.
*/
#include "core/encoding/encode_inside.h"

enum {
    BLOCK = 128,
    MINIS = 4,
    PER_MINI = BLOCK / MINIS,
    HEADER_MOST = 4 * PQ_VARINT_MOST,
    BLOCK_HEAD_MOST = PQ_VARINT_MOST + MINIS,
};

typedef struct Block {
    int64_t least;
    uint8_t width[MINIS];
    size_t  n_packed;                /* bytes */
} Block;

/* Sets the width of a miniblock; bits has each bit that any of its values has. */
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

/* rest receives n values, padded with zeros to a whole miniblock. */
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

/* Makes room for the block and writes its head; the miniblocks come next. */
static uint8_t *begin_block(PqOut *o, const Block *b, PqErr *e)
{
    uint8_t *p = pq_out_room(
        o, BLOCK_HEAD_MOST + b->n_packed + PQ_PACK_SLACK, e), *end;

    if (!p) {
        return NULL;
    }
    end = pq_put_varint(p, pq_zigzag(b->least));
    memcpy(end, b->width, MINIS);
    end += MINIS;
    o->buf->n += (size_t)(end - p) + b->n_packed;
    return end;
}

static PqRc write_header(PqOut *o, uint32_t n, int64_t first, PqErr *e)
{
    uint8_t *p = pq_out_room(o, HEADER_MOST, e), *end;

    if (!p) {
        return e->rc;
    }
    end = pq_put_varint(p, BLOCK);
    end = pq_put_varint(end, MINIS);
    end = pq_put_varint(end, n);
    end = pq_put_varint(end, pq_zigzag(first));
    o->buf->n += (size_t)(end - p);
    return PQ_OK;
}

static uint32_t in_block(uint32_t n, uint32_t at)
{
    return n - at < BLOCK ? n - at : BLOCK;
}

PqRc pq_delta_write32(PqOut *o, const uint32_t *v, uint32_t n, PqErr *e)
{
    uint32_t rest[BLOCK];

    PQ_TRY(write_header(o, n, n ? (int32_t)v[0] : 0, e));
    for (uint32_t at = 1; at < n; at += BLOCK) {
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

/* DELTA_BINARY_PACKED pages. */

PqRc pq_encode_delta_int32(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    return pq_delta_write32(o, job->values, job->n, e);
}

PqRc pq_encode_delta_int64(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    const uint64_t *v = job->values;
    uint32_t n = job->n;
    uint64_t rest[BLOCK];

    PQ_TRY(write_header(o, n, n ? (int64_t)v[0] : 0, e));
    for (uint32_t at = 1; at < n; at += BLOCK) {
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
