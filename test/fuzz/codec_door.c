/*
** codec_door.c - fuzz door to core/codec: compressed bytes and a claim.
**
**   0  codec    as in the file, or one more than there are
**   1  n_out    u24, the size that a page header claims
**   4  level    of the encoder; below -64, the budget is a small one
**   5  bytes
**
** What a codec has decoded is then compressed by its encoder and decoded once
** more: the same bytes must come out.  A claim that is refused must not decode.
*/
#include "core/codec/codec.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

static void there_and_back(PqCodecState *s, int codec, int level, PqSlice plain,
                           PqMem *mem, PqErr *e)
{
    uint8_t *again = malloc(plain.n + 1);
    PqBuf packed;

    DOOR_CHECK(again != NULL);
    pq_buf_init(&packed, mem, e);
    if (pq_codec_encode(s, codec, level, plain, &packed, e) == PQ_OK) {
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
    door_check_error(&e, DOOR_FILE);
    pq_codec_state_free(s);
    door_close(mem);
    free(copy);
    free(out);
    return 0;
}
