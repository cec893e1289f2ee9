/*
** libcrypto_absent.c - stands in for aes_key.c and digest.c in a build without libcrypto.
** Nobody gets a key here, so all else of a key is never reached; pq_key_release alone gets
** NULL.
*/
#include "core/base/digest.h"
#include "core/crypto/aes_key.h"

static PqRc absent(PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "this build was made without libcrypto, so it has "
                   "neither encryption nor SHA-256");
}

PqRc pq_key_new(PqMem *mem, const char *name, PqSlice bytes, PqKey **out,
                PqErr *e)
{
    *out = NULL;
    return absent(e);
}

PqKey *pq_key_hold(PqKey *k)
{
    return k;
}

void pq_key_release(PqKey *k)
{
}

const char *pq_key_name(const PqKey *k)
{
    return "";
}

unsigned pq_key_bits(const PqKey *k)
{
    return 0;
}

bool pq_key_is(const PqKey *k, const char *name, PqSlice bytes)
{
    return false;
}

bool pq_key_same(const PqKey *a, const PqKey *b)
{
    return a == b;
}

PqRc pq_key_hash(const PqKey *k, const PqSlice *in, uint32_t n,
                 uint8_t (*out)[PQ_HASH_BYTES], PqErr *e)
{
    return absent(e);
}

void pq_crypto_version(PqBuf *out)
{
    pq_buf_text(out, "no OpenSSL");
}

PqRc pq_key_gcm_seal(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                     const uint8_t *in, size_t n, uint8_t *out,
                     uint8_t tag[PQ_TAG_BYTES], PqErr *e)
{
    return absent(e);
}

PqRc pq_key_gcm_open(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                     const uint8_t *in, size_t n,
                     const uint8_t tag[PQ_TAG_BYTES], uint8_t *out, PqErr *e)
{
    return absent(e);
}

PqRc pq_key_gcm_tag(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                    const uint8_t *in, size_t n, bool seals,
                    uint8_t tag[PQ_TAG_BYTES], PqErr *e)
{
    return absent(e);
}

PqRc pq_key_ctr(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES],
                const uint8_t *in, size_t n, uint8_t *out, bool seals,
                PqErr *e)
{
    return absent(e);
}

PqRc pq_digest_source(PqSource *s, char out[PQ_DIGEST_TEXT], PqErr *e)
{
    return absent(e);
}

PqRc pq_digest_bytes(PqSlice s, uint8_t out[PQ_DIGEST_BYTES], PqErr *e)
{
    return absent(e);
}

PqRc pq_digest_signed(PqSlice key, const char *text, uint8_t out[PQ_DIGEST_BYTES],
                      PqErr *e)
{
    return absent(e);
}
