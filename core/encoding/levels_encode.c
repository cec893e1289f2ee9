/*
** levels_encode.c - levels as runs, before the values of a page.
**
**   max 1:  1 1 1 1 1 1 1 1 1 1 0      v1  03 00 00 00  05 ff 03
**
** Most columns have a max of 1.  Their levels are packed to bits first, because
** runs of bits are found 64 at a time.
*/
#include "core/encoding/encode_inside.h"

/* The lowest bits of four levels.  The factor moves one bit of each level to
** bits 48 to 51; all other products are below these or beyond the word. */
static uint64_t bits_of_4(const uint16_t *levels)
{
    return pq_load_u64(levels) * UINT64_C(0x0001000200040008) >> 48 & 0xf;
}

static void bits_of_levels(const uint16_t *levels, uint32_t n, uint64_t *bits)
{
    for (uint32_t at = 0; at < n; at += 64) {
        uint32_t some = n - at < 64 ? n - at : 64, i;
        uint64_t word = 0;

        for (i = 0; i + 4 <= some; i += 4) {
            word |= bits_of_4(levels + at + i) << i;
        }
        for (; i < some; i++) {
            word |= (uint64_t)levels[at + i] << i;
        }
        bits[at / 64] = word;
    }
}

static PqRc write_bits(PqOut *o, const uint16_t *levels, uint32_t n, PqErr *e)
{
    size_t n_words = ((size_t)n + 63) / 64;
    uint64_t *bits;
    PqRc rc;

    PQ_TRY(PQ_ARRAY(o->buf->mem, bits, n_words, e));
    bits_of_levels(levels, n, bits);
    rc = pq_bit_runs_write(o, bits, 0, n, e);
    pq_mem_free(bits);
    return rc;
}

static PqRc write_wide(PqOut *o, const uint16_t *levels, uint32_t n,
                       unsigned width, PqErr *e)
{
    uint32_t *wide;
    PqRc rc;

    PQ_TRY(PQ_ARRAY(o->buf->mem, wide, n, e));
    for (uint32_t i = 0; i < n; i++) {
        wide[i] = levels[i];
    }
    rc = pq_runs_write(o, wide, n, width, e);
    pq_mem_free(wide);
    return rc;
}

static PqRc begin(PqOut *o, PqLevelsIn in, PqErr *e)
{
    if (in == PQ_LEVELS_V1) {
        if (!pq_out_room(o, 4, e)) {
            return e->rc;
        }
        o->buf->n += 4;
    }
    return PQ_OK;
}

static PqRc end(PqOut *o, PqLevelsIn in, PqRc rc)
{
    PqBuf *b = o->buf;

    if (rc == PQ_OK && in == PQ_LEVELS_V1) {
        pq_store_u32(b->p + o->start, (uint32_t)(b->n - o->start - 4));
    }
    return pq_out_end(o, rc);
}

PqRc pq_encode_levels(const uint16_t *levels, uint32_t n, uint16_t max,
                      PqLevelsIn in, PqBuf *out, PqErr *e)
{
    PqOut o;

    PQ_TRY(pq_out_begin(&o, out, n, e));
    if (max == 0) {
        return PQ_OK;
    }
    PQ_TRY(begin(&o, in, e));
    return end(&o, in, max == 1 ? write_bits(&o, levels, n, e)
                                : write_wide(&o, levels, n, pq_bits_of(max),
                                             e));
}

PqRc pq_encode_valid(const uint64_t *valid, uint32_t bit_at, uint32_t n,
                     PqLevelsIn in, PqBuf *out, PqErr *e)
{
    PqOut o;

    PQ_TRY(pq_out_begin(&o, out, n, e));
    PQ_TRY(begin(&o, in, e));
    return end(&o, in, pq_bit_runs_write(&o, valid, bit_at, n, e));
}
