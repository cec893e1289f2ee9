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

PqRc pq_digest_source(PqSource *s, char out[PQ_DIGEST_TEXT], PqErr *e);
PqRc pq_digest_bytes(PqSlice s, uint8_t out[PQ_DIGEST_BYTES], PqErr *e);

/* HMAC; key may be out. */
PqRc pq_digest_signed(PqSlice key, const char *text, uint8_t out[PQ_DIGEST_BYTES],
                      PqErr *e);

#endif
