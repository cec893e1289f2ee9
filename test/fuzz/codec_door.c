/*
** codec_door.c - fuzz door to core/codec: compressed bytes and a claim.
**
**   0  codec    as in the file, or one more than there are
**   1  n_out    u24, the size that a page header claims
**   4  level of the encoder; below -64, the budget is small
**   5  bytes
**
** What a codec has decoded is compressed by its encoder and decoded again: the
** bytes must be the same.  A page whose claim is refused must not decode.  Then
** the bytes are unpacked in steps, from a feed that gives no more than it is
** asked for.  The result must be the same, and an invalid page must not end.
*/
#include "core/codec/unpack.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

static void there_and_back(PqCodecState *s, int codec, int level, PqSlice plain,
                           PqMem *mem, PqErr *e)
{
    uint8_t *again = malloc(plain.n + 1);
    PqBuf packed;

    DOOR_CHECK(again != NULL);
    pq_buf_init(&packed, mem, e);
    if (pq_codec_encode(s, codec, level, PQ_SEARCH_LEVEL, plain, &packed, e) == PQ_OK) {
        PqSlice in = pq_buf_view(&packed);
        DOOR_CHECK(pq_codec_check_claim(codec, in, plain.n, e) == PQ_OK);
        DOOR_CHECK(pq_codec_decode(s, codec, in, again, plain.n, e) == PQ_OK ||
                   e->rc == PQ_BUDGET);
        DOOR_CHECK(e->rc == PQ_BUDGET || plain.n == 0 ||
                   memcmp(again, plain.p, plain.n) == 0);
    } else {
        DOOR_CHECK(e->rc == PQ_BUDGET);
    }
    pq_buf_free(&packed);
    free(again);
}

/* ---- in steps ------------------------------------------------------------ */

typedef struct Feeding {
    PqFeed   feed;
    uint8_t *block;                  /* what feed.p points into             */
    PqSlice  rest;                   /* after that                          */
} Feeding;

static PqRc feed_more(PqFeed *f, size_t n, PqErr *e)
{
    Feeding *x = (Feeding *)(void *)f;
    uint8_t *block = malloc(PQ_FEED_BEFORE + n);

    DOOR_CHECK(block != NULL && n > f->n && n <= f->n + f->left);
    memcpy(block + PQ_FEED_BEFORE, f->p, f->n);
    memcpy(block + PQ_FEED_BEFORE + f->n, x->rest.p, n - f->n);
    x->rest.p += n - f->n;
    f->left -= n - f->n;
    f->n = n;
    free(x->block);
    x->block = block;
    f->p = block + PQ_FEED_BEFORE;
    return PQ_OK;
}

/* whole: the decoded page.  NULL: it was refused. */
static void in_steps(PqCodecState *s, int codec, uint32_t pattern, PqSlice in,
                     size_t n_out, const uint8_t *whole, PqErr *e)
{
    Feeding x = {.feed = {.left = in.n, .more = feed_more}, .rest = in,
                 .block = malloc(PQ_FEED_BEFORE)};
    uint8_t *out = malloc(n_out + 1);
    PqUnpack u = {0};

    DOOR_CHECK(out && x.block);
    x.feed.p = x.block + PQ_FEED_BEFORE;
    out[n_out] = 0x5a;
    if (pq_unpack_begin(&u, s, codec, &x.feed, n_out, e) == PQ_OK) {
        u.out = out;
    }
    while (e->rc == PQ_OK && !u.whole && u.at < n_out) {
        size_t upto;

        pattern = pattern * 1103515245u + 12345u;
        upto = u.at + 1 + (pattern >> 8 & (pattern & 128 ? 0x1ffff : 0x3ff));
        upto = upto < n_out ? upto : n_out;
        pq_unpack_more(&u, upto, pattern >> 27 & 15 ? 0 : n_out, e);
        DOOR_CHECK(e->rc != PQ_OK || u.whole || u.at >= upto);
        DOOR_CHECK(u.at <= n_out && out[n_out] == 0x5a);
        DOOR_CHECK(!whole || u.at == 0 || memcmp(out, whole, u.at) == 0);
    }
    DOOR_CHECK(whole || e->rc != PQ_OK || u.whole);
    pq_unpack_end(&u);
    pq_unpack_free(&u);
    free(x.block);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqSlice in = {bytes, n};
    int codec = door_u8(&in) % (PQ_CODEC_COUNT + 1);
    size_t n_out = door_u24(&in) % (DOOR_MEMORY / 16);
    int level = (int8_t)door_u8(&in);
    uint8_t *copy = door_copy(in), *out = malloc(n_out ? n_out : 1);
    PqErr e, second;
    PqMem *mem = door_open(&e);
    PqCodecState *s = NULL;
    PqRc claim, rc;

    DOOR_CHECK(out != NULL);
    pq_err_init(&second);
    e.where.file = second.where.file = DOOR_FILE;
    in.p = copy;
    DOOR_CHECK(pq_codec_state_new(mem, &s, &e) == PQ_OK);
    if (level < -64) {
        pq_mem_set_limit(mem, pq_mem_used(mem) + 400 * (size_t)(level + 128));
    }
    claim = pq_codec_check_claim(codec, in, n_out, &second);
    rc = pq_codec_decode(s, codec, in, out, n_out, &e);
    DOOR_CHECK(claim == PQ_OK || rc != PQ_OK);
    if (rc == PQ_OK && n_out <= 1 << 16) {
        there_and_back(s, codec, level, pq_slice(out, n_out), mem, &e);
    }
    door_check_error(&second, DOOR_FILE);
    pq_err_clear(&second);
    if (rc != PQ_BUDGET) {
        in_steps(s, codec, (uint32_t)(n_out * 31 + n), in, n_out,
                 rc == PQ_OK ? out : NULL, &second);
        door_check_error(&second, DOOR_FILE);
    }
    door_check_error(&e, DOOR_FILE);
    pq_codec_state_free(s);
    door_close(mem);
    free(copy);
    free(out);
    return 0;
}
