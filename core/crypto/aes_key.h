/*
** aes_key.h - a key, and the ciphers that use it.
**
** The bytes of a key lie in memory of their own.  It is left out of core dumps,
** is not swapped where the system allows that, and is wiped when the last
** holder lets go.  No function gives the bytes out, so no other part of the
** program can print a key: whoever has a PqKey can use the ciphers, and nothing
** else.  OpenSSL keeps the expanded key in its own memory, and wipes it when
** the key goes.
**
** A key counts how often it has sealed something.  After 2^32 times it refuses:
** NIST SP 800-38D allows no more with random nonces.  It cannot know of other
** connections and other processes that have the same bytes, nor of a time before
** it was forgotten and given again.
**
** Any thread may use a key.
*/
#ifndef PQ_AES_KEY_H
#define PQ_AES_KEY_H

#include "core/base/bytes.h"
#include "core/base/mem.h"

typedef struct PqKey PqKey;

enum {
    PQ_KEY_MOST = 32,                /* bytes of the longest key             */
    PQ_NONCE_BYTES = 12,
    PQ_TAG_BYTES = 16
};

/* A key has 16, 24 or 32 bytes: AES-128, -192, -256. */
static inline bool pq_key_size_ok(size_t n)
{
    return n == 16 || n == 24 || n == 32;
}

/* bytes are copied; their size must be ok.  The result has one holder. */
PqRc pq_key_new(PqMem *mem, const char *name, PqSlice bytes, PqKey **out,
                PqErr *e);
PqKey *pq_key_hold(PqKey *k);                            /* returns k */
void   pq_key_release(PqKey *k);                         /* k may be NULL */

const char *pq_key_name(const PqKey *k);
unsigned    pq_key_bits(const PqKey *k);

/* Is it this name and these bytes?  The answer "no" takes as long as "yes". */
bool pq_key_is(const PqKey *k, const char *name, PqSlice bytes);
bool pq_key_same(const PqKey *a, const PqKey *b);

/* Could the text be a key by itself: base64 or hex of 16, 24 or 32 bytes, the
** latter also as x'...' or 0x...?  Then no message repeats it. */
bool pq_key_looks_like_one(PqSlice text);

/* "key kf", for messages; a name that looks like a key is not in it. */
enum { PQ_KEY_WORDS = 200 };
const char *pq_key_words(PqSlice name, char buf[PQ_KEY_WORDS]);

/* Adds to a message how to give the key of such words, or how to replace a key
** that may be wrong. */
void pq_key_hint(const char *words, PqErr *e);
void pq_key_hint_wrong(const PqKey *k, PqErr *e);

/* What is authenticated beside a text: two pieces, joined. */
typedef struct PqAad {
    PqSlice head, tail;
} PqAad;

/* AES-GCM.  out has room for n bytes.  It may be the same as `in`, but must not
** overlap it otherwise.  pq_key_gcm_open fails with PQ_CORRUPT if the tag does
** not fit; the caller says what that means.  out is then wiped. */
PqRc pq_key_gcm_seal(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                     const uint8_t *in, size_t n, uint8_t *out,
                     uint8_t tag[PQ_TAG_BYTES], PqErr *e);
PqRc pq_key_gcm_open(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                     const uint8_t *in, size_t n,
                     const uint8_t tag[PQ_TAG_BYTES], uint8_t *out, PqErr *e);

/* The tag alone, as pq_key_gcm_seal makes it.  seals: it counts as sealing. */
PqRc pq_key_gcm_tag(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                    const uint8_t *in, size_t n, bool seals,
                    uint8_t tag[PQ_TAG_BYTES], PqErr *e);

/* AES-CTR, the counter beginning with 1: both directions.  seals: it counts as
** sealing. */
PqRc pq_key_ctr(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES],
                const uint8_t *in, size_t n, uint8_t *out, bool seals,
                PqErr *e);

/* HMAC-SHA256 of n values, with the key. */
enum { PQ_HASH_BYTES = 32 };
PqRc pq_key_hash(const PqKey *k, const PqSlice *in, uint32_t n,
                 uint8_t (*out)[PQ_HASH_BYTES], PqErr *e);

/* "OpenSSL 3.0.19" for parquet_version(). */
void pq_crypto_version(PqBuf *out);

/* Test hook: how often the key has sealed. */
void pq_key_set_sealed(PqKey *k, uint64_t n);

#endif
