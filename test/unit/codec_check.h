/*
** codec_check.h - what the tests of the codecs share: decoding with a state
** for one call, and a few streams built by hand.
*/
#ifndef CODEC_CHECK_H
#define CODEC_CHECK_H

#include "core/codec/codec.h"
#include "test/unit/test.h"

#include <stdlib.h>

/* Names the codec in the message of a failing CHECK. */
#define CHECK_CODEC(codec, cond)                                       \
    do {                                                               \
        if (!(cond)) {                                                 \
            test_fail(t, __FILE__, __LINE__, "%s: %s: %s",             \
                      pq_codec_name(codec), #cond, t->e->text);        \
            goto done;                                                 \
        }                                                              \
    } while (0)

/* Decodes in, which must give want. */
static inline bool gives(Test *t, int codec, PqSlice in, PqSlice want)
{
    uint8_t *out = malloc(want.n + 1);
    PqCodecState *s = NULL;
    bool ok = pq_codec_state_new(t->mem, &s, t->e) == PQ_OK &&
              pq_codec_check_claim(codec, in, want.n, t->e) == PQ_OK &&
              pq_codec_decode(s, codec, in, out, want.n, t->e) == PQ_OK &&
              (want.n == 0 || memcmp(out, want.p, want.n) == 0);

    pq_codec_state_free(s);
    free(out);
    return ok;
}

/* Decodes in to n_out bytes; the caller checks the result. */
static inline PqRc decode(Test *t, int codec, PqSlice in, size_t n_out)
{
    uint8_t *out = malloc(n_out + 1);
    PqCodecState *s = NULL;
    PqRc rc = pq_codec_state_new(t->mem, &s, t->e);

    if (rc == PQ_OK) {
        out[n_out] = 0x5a;
        rc = pq_codec_decode(s, codec, in, out, n_out, t->e);
        rc = out[n_out] == 0x5a ? rc : PQ_STOPPED;
    }
    pq_codec_state_free(s);
    free(out);
    return rc;
}

#define CHECK_GIVES(codec, in, want)                                   \
    do {                                                               \
        if (!gives(t, codec, in, want)) {                              \
            test_fail(t, __FILE__, __LINE__, "%s: %s",                 \
                      pq_codec_name(codec), t->e->text);               \
            return;                                                    \
        }                                                              \
    } while (0)

/* A block: "abcdefgh" and 12 bytes from 8 back, then 5 literals. */
#define LZ4_BLOCK "88 6162636465666768 0800 50 76 77 78 79 7a"

/* A frame with blocks of 64 KiB, no checksums but that of its header; here
** one block that is compressed, and one stored. */
#define LZ4_FRAME "04224d18 60 40 82" \
                  "11000000" LZ4_BLOCK "01000080 21 00000000"

/* One frame: a raw block of "ab", then 128 KiB of 'c' as one repeated byte. */
#define ZSTD_FRAME "28b52ffd 00 58  100000 6162  030010 63"

#endif
