/*
** digest.h - SHA-256: of bytes, of a file, and with a key.
*/
#ifndef PQ_DIGEST_H
#define PQ_DIGEST_H

#include "core/base/source.h"

enum {
    PQ_DIGEST_BYTES = 32,
    PQ_DIGEST_TEXT = 65              /* hexadecimal digits, and a NUL        */
};

/* A hash in hexadecimal digits. */
static inline void pq_digest_text(const uint8_t hash[PQ_DIGEST_BYTES],
                                  char out[PQ_DIGEST_TEXT])
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < PQ_DIGEST_BYTES; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[2 * PQ_DIGEST_BYTES] = 0;
}

PqRc pq_digest_source(PqSource *s, char out[PQ_DIGEST_TEXT], PqErr *e);
PqRc pq_digest_bytes(PqSlice s, uint8_t out[PQ_DIGEST_BYTES], PqErr *e);

/* HMAC; key may be out. */
PqRc pq_digest_signed(PqSlice key, const char *text, uint8_t out[PQ_DIGEST_BYTES],
                      PqErr *e);

#endif
