/*
** aes_key.c - keys over OpenSSL's ciphers.
**
** A scan opens thousands of small modules, so what OpenSSL is slow at is done
** once.  Looking up a cipher by its name costs microseconds: it happens once
** per process.  A context, which holds the expanded key, costs another
** microsecond: each key keeps the contexts that were used, and a module only
** sets a nonce.
**
**   key   [ seal: ctx ctx | open: ctx ctx ctx | ctr: ]      idle contexts
**
** A thread takes a context, or makes one, and puts it back.  One that failed is
** freed instead, since its state is not known.
**
** Ciphers come from a library context of our own (libcrypto.h).
*/
#include "core/crypto/aes_key.h"

#include "core/base/libcrypto.h"
#include "core/base/secret.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>

typedef enum Use { SEAL, OPEN, CTR, USE_COUNT } Use;

enum {
    IDLE_MOST = 16,                  /* contexts per use                     */
    STEP_BYTES = 1 << 30,            /* OpenSSL counts bytes in an int       */
    THROWN_BYTES = 4096              /* of a text, when only its tag counts  */
};

#define SEAL_MOST (UINT64_C(1) << 32)

_Static_assert((int)PQ_KEY_MOST <= (int)PQ_SECRET_BYTES, "a key fits");

struct PqKey {
    char    *name;
    uint8_t *bytes;                  /* of pq_secret_new */
    size_t   n;
    _Atomic uint32_t holders;
    _Atomic uint64_t sealed;
    pthread_mutex_t  lock;           /* for idle */
    EVP_CIPHER_CTX  *idle[USE_COUNT][IDLE_MOST];
    unsigned         n_idle[USE_COUNT];
};

/* ---- OpenSSL ------------------------------------------------------------ */

/* Each call of OpenSSL can be made to fail by a test. */
static bool ok(int result)
{
    return result == 1 && !pq_fault_here();
}

static pthread_mutex_t ciphers_lock = PTHREAD_MUTEX_INITIALIZER;
static EVP_CIPHER *ciphers[2][3];                    /* GCM, CTR; by size */

/* Needs ciphers_lock. */
static PqRc fetch_cipher(bool ctr, unsigned size, PqErr *e)
{
    static const char *const names[2][3] = {
        {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"},
        {"AES-128-CTR", "AES-192-CTR", "AES-256-CTR"},
    };
    OSSL_LIB_CTX *library;

    PQ_TRY(pq_libcrypto(&library, e));
    if (!pq_fault_here()) {
        ciphers[ctr][size] = EVP_CIPHER_fetch(library, names[ctr][size], NULL);
    }
    return ciphers[ctr][size] ? PQ_OK
                              : pq_libcrypto_failed("find its cipher", e);
}

static PqRc cipher_of(const PqKey *k, Use use, EVP_CIPHER **out, PqErr *e)
{
    unsigned size = (unsigned)k->n / 8 - 2;
    bool ctr = use == CTR;
    PqRc rc = PQ_OK;

    pthread_mutex_lock(&ciphers_lock);
    if (!ciphers[ctr][size]) {
        rc = fetch_cipher(ctr, size, e);
    }
    *out = ciphers[ctr][size];
    pthread_mutex_unlock(&ciphers_lock);
    return rc;
}

static PqRc new_context(const PqKey *k, Use use, EVP_CIPHER_CTX **out, PqErr *e)
{
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *ctx;

    PQ_TRY(cipher_of(k, use, &cipher, e));
    ctx = pq_fault_here() ? NULL : EVP_CIPHER_CTX_new();
    if (!ctx || !ok(EVP_CipherInit_ex2(ctx, cipher, k->bytes, NULL,
                                       use != OPEN, NULL))) {
        EVP_CIPHER_CTX_free(ctx);
        return pq_libcrypto_failed("take a key", e);
    }
    *out = ctx;
    return PQ_OK;
}

/* Begins a use: a context that has the key.  The caller ends it by give_back,
** also if this fails. */
static PqRc take(PqKey *k, Use use, EVP_CIPHER_CTX **out, PqErr *e)
{
    *out = NULL;
    ERR_set_mark();
    pthread_mutex_lock(&k->lock);
    if (k->n_idle[use]) {
        *out = k->idle[use][--k->n_idle[use]];
    }
    pthread_mutex_unlock(&k->lock);
    return *out ? PQ_OK : new_context(k, use, out, e);
}

/* Ends a use with the result rc, and returns that.  What a failed use has put
** into out is wiped. */
static PqRc give_back(PqKey *k, Use use, EVP_CIPHER_CTX *ctx, PqRc rc,
                      uint8_t *out, size_t n)
{
    if (rc != PQ_OK) {
        pq_wipe(out, n);
    } else {
        pthread_mutex_lock(&k->lock);
        if (k->n_idle[use] < IDLE_MOST) {
            k->idle[use][k->n_idle[use]++] = ctx;
            ctx = NULL;
        }
        pthread_mutex_unlock(&k->lock);
    }
    EVP_CIPHER_CTX_free(ctx);
    ERR_pop_to_mark();
    return rc;
}

/* out NULL: in is authenticated only. */
static bool update(EVP_CIPHER_CTX *ctx, const uint8_t *in, size_t n,
                   uint8_t *out)
{
    while (n) {
        int step = n < STEP_BYTES ? (int)n : STEP_BYTES, got = 0;

        if (!ok(EVP_CipherUpdate(ctx, out, &got, in, step)) || got != step) {
            return false;
        }
        in += step;
        out = out ? out + step : NULL;
        n -= (size_t)step;
    }
    return true;
}

static bool begin_gcm(EVP_CIPHER_CTX *ctx, const uint8_t *nonce, PqAad aad)
{
    return ok(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, -1, NULL)) &&
           update(ctx, aad.head.p, aad.head.n, NULL) &&
           update(ctx, aad.tail.p, aad.tail.n, NULL);
}

static bool end_sealing(EVP_CIPHER_CTX *ctx, uint8_t *tag)
{
    uint8_t rest[16];                /* AES-GCM leaves nothing for the end */
    int got = 0;

    return ok(EVP_CipherFinal_ex(ctx, rest, &got)) && got == 0 &&
           ok(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, PQ_TAG_BYTES,
                                  tag));
}

/* ---- keys --------------------------------------------------------------- */

PqRc pq_key_new(PqMem *mem, const char *name, PqSlice bytes, PqKey **out,
                PqErr *e)
{
    PqKey *k = pq_mem_zeros(mem, 1, sizeof *k, e);

    *out = NULL;
    if (!k) {
        return e->rc;
    }
    assert(pq_key_size_ok(bytes.n));
    k->holders = 1;
    pthread_mutex_init(&k->lock, NULL);
    k->name = pq_mem_text(mem, name, strlen(name), e);
    k->bytes = k->name ? pq_secret_new(e) : NULL;
    if (!k->bytes) {
        pq_key_release(k);
        return e->rc;
    }
    memcpy(k->bytes, bytes.p, bytes.n);
    k->n = bytes.n;
    *out = k;
    return PQ_OK;
}

PqKey *pq_key_hold(PqKey *k)
{
    atomic_fetch_add(&k->holders, 1);
    return k;
}

void pq_key_release(PqKey *k)
{
    if (!k || atomic_fetch_sub(&k->holders, 1) != 1) {
        return;
    }
    for (int use = 0; use < USE_COUNT; use++) {
        while (k->n_idle[use]) {
            EVP_CIPHER_CTX_free(k->idle[use][--k->n_idle[use]]);
        }
    }
    pq_secret_free(k->bytes);
    pthread_mutex_destroy(&k->lock);
    pq_mem_free(k->name);
    pq_mem_free(k);
}

const char *pq_key_name(const PqKey *k)
{
    return k->name;
}

unsigned pq_key_bits(const PqKey *k)
{
    return (unsigned)k->n * 8;
}

bool pq_key_is(const PqKey *k, const char *name, PqSlice bytes)
{
    return strcmp(k->name, name) == 0 && k->n == bytes.n &&
           CRYPTO_memcmp(k->bytes, bytes.p, bytes.n) == 0;
}

bool pq_key_same(const PqKey *a, const PqKey *b)
{
    return pq_key_is(a, b->name, pq_slice(b->bytes, b->n));
}

void pq_key_set_sealed(PqKey *k, uint64_t n)
{
    k->sealed = n;
}

static PqRc hash_all(EVP_MAC_CTX *mac, const PqSlice *in, uint32_t n,
                     uint8_t (*out)[PQ_HASH_BYTES], PqErr *e)
{
    size_t n_out;

    for (uint32_t i = 0; i < n; i++) {
        if (!ok(EVP_MAC_init(mac, NULL, 0, NULL)) ||
            !ok(EVP_MAC_update(mac, in[i].p, in[i].n)) ||
            !ok(EVP_MAC_final(mac, out[i], &n_out, PQ_HASH_BYTES))) {
            return pq_libcrypto_failed("hash a value", e);
        }
    }
    return PQ_OK;
}

PqRc pq_key_hash(const PqKey *k, const PqSlice *in, uint32_t n,
                 uint8_t (*out)[PQ_HASH_BYTES], PqErr *e)
{
    char sha256[] = "SHA256";
    const OSSL_PARAM how[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
        OSSL_PARAM_construct_end()};
    OSSL_LIB_CTX *library;
    EVP_MAC *algorithm = NULL;
    EVP_MAC_CTX *mac = NULL;

    ERR_set_mark();
    if (pq_libcrypto(&library, e) == PQ_OK && !pq_fault_here()) {
        algorithm = EVP_MAC_fetch(library, "HMAC", NULL);
        mac = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
    }
    if (!mac || !ok(EVP_MAC_init(mac, k->bytes, k->n, how))) {
        pq_libcrypto_failed("take a key", e);
    } else {
        hash_all(mac, in, n, out, e);
    }
    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(algorithm);
    ERR_pop_to_mark();
    return e->rc;
}

void pq_crypto_version(PqBuf *out)
{
    pq_buf_printf(out, "OpenSSL %s", OpenSSL_version(OPENSSL_VERSION_STRING));
}

/* ---- ciphers ------------------------------------------------------------ */

static PqRc count_sealing(PqKey *k, PqErr *e)
{
    char words[PQ_KEY_WORDS];

    if (PQ_LIKELY(atomic_fetch_add(&k->sealed, 1) < SEAL_MOST)) {
        return PQ_OK;
    }
    atomic_fetch_sub(&k->sealed, 1);
    return pq_fail(e, PQ_USAGE, "%s has sealed 2^32 modules, and may seal no "
                   "more; write with another key",
                   pq_key_words(pq_slice_text(k->name), words));
}

PqRc pq_key_gcm_seal(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                     const uint8_t *in, size_t n, uint8_t *out,
                     uint8_t tag[PQ_TAG_BYTES], PqErr *e)
{
    EVP_CIPHER_CTX *ctx;
    PqRc rc;

    PQ_TRY(count_sealing(k, e));
    rc = take(k, SEAL, &ctx, e);
    if (rc == PQ_OK && !(begin_gcm(ctx, nonce, aad) &&
                         update(ctx, in, n, out) && end_sealing(ctx, tag))) {
        rc = pq_libcrypto_failed("encrypt", e);
    }
    return give_back(k, SEAL, ctx, rc, out, n);
}

PqRc pq_key_gcm_tag(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                    const uint8_t *in, size_t n, bool seals,
                    uint8_t tag[PQ_TAG_BYTES], PqErr *e)
{
    uint8_t thrown[THROWN_BYTES];
    EVP_CIPHER_CTX *ctx;
    bool good;
    PqRc rc;

    PQ_TRY(seals ? count_sealing(k, e) : PQ_OK);
    rc = take(k, SEAL, &ctx, e);
    good = rc == PQ_OK && begin_gcm(ctx, nonce, aad);
    while (good && n) {
        size_t step = n < sizeof thrown ? n : sizeof thrown;

        good = update(ctx, in, step, thrown);
        in += step;
        n -= step;
    }
    if (rc == PQ_OK && !(good && end_sealing(ctx, tag))) {
        rc = pq_libcrypto_failed("authenticate", e);
    }
    return give_back(k, SEAL, ctx, rc, tag, PQ_TAG_BYTES);
}

/* The tag is set first, since Final compares it.  A tag that does not fit
** leaves nothing in OpenSSL's queue of errors. */
static PqRc open_text(EVP_CIPHER_CTX *ctx, const uint8_t *nonce, PqAad aad,
                      const uint8_t *in, size_t n, const uint8_t *tag,
                      uint8_t *out, PqErr *e)
{
    uint8_t rest[16], own_tag[PQ_TAG_BYTES];
    int got = 0;

    memcpy(own_tag, tag, sizeof own_tag);
    if (!begin_gcm(ctx, nonce, aad) ||
        !ok(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, PQ_TAG_BYTES,
                                own_tag)) ||
        !update(ctx, in, n, out) || pq_fault_here()) {
        return pq_libcrypto_failed("decrypt", e);
    }
    return EVP_CipherFinal_ex(ctx, rest, &got) == 1 && got == 0
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "the tag does not fit");
}

PqRc pq_key_gcm_open(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES], PqAad aad,
                     const uint8_t *in, size_t n,
                     const uint8_t tag[PQ_TAG_BYTES], uint8_t *out, PqErr *e)
{
    EVP_CIPHER_CTX *ctx;
    PqRc rc = take(k, OPEN, &ctx, e);

    if (rc == PQ_OK) {
        rc = open_text(ctx, nonce, aad, in, n, tag, out, e);
    }
    return give_back(k, OPEN, ctx, rc, out, n);
}

PqRc pq_key_ctr(PqKey *k, const uint8_t nonce[PQ_NONCE_BYTES],
                const uint8_t *in, size_t n, uint8_t *out, bool seals,
                PqErr *e)
{
    uint8_t iv[PQ_NONCE_BYTES + 4] = {[PQ_NONCE_BYTES + 3] = 1};
    EVP_CIPHER_CTX *ctx;
    PqRc rc;

    PQ_TRY(seals ? count_sealing(k, e) : PQ_OK);
    memcpy(iv, nonce, PQ_NONCE_BYTES);
    rc = take(k, CTR, &ctx, e);
    if (rc == PQ_OK &&
        !(ok(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, -1, NULL)) &&
          update(ctx, in, n, out))) {
        rc = pq_libcrypto_failed(seals ? "encrypt" : "decrypt", e);
    }
    return give_back(k, CTR, ctx, rc, out, n);
}
