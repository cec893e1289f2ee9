/*
** mask.c - keyed hashes in the place of values.
**
**   HMAC-SHA256(key, value) as 64 hexadecimal digits
**
** Equal values have equal hashes, in all files that are masked with the same key,
** so that they can still be joined and counted.  Without the key nobody can try
** values.
*/
#include "core/rewrite/rewrite_inside.h"

#include "core/base/libcrypto.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

enum { HASH = 32 };

static void put_hex(const uint8_t *hash, uint8_t *to)
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < HASH; i++) {
        to[2 * i] = (uint8_t)digits[hash[i] >> 4];
        to[2 * i + 1] = (uint8_t)digits[hash[i] & 15];
    }
}

static PqRc hash_values(EVP_MAC_CTX *mac, PqLeafBatch *b, uint32_t from,
                        PqErr *e)
{
    PqStr *s = b->values;
    uint8_t hash[HASH];
    size_t n;

    for (uint32_t i = from; i < b->n_values; i++) {
        uint8_t *hex = pq_arena_bytes(&b->bytes, 2 * HASH, e);

        PQ_TRY(hex ? PQ_OK : e->rc);
        if (!EVP_MAC_init(mac, NULL, 0, NULL) ||
            !EVP_MAC_update(mac, s[i].p, s[i].n) ||
            !EVP_MAC_final(mac, hash, &n, sizeof hash) || n != HASH) {
            return pq_libcrypto_failed("hash a value", e);
        }
        put_hex(hash, hex);
        b->n_bytes += 2 * HASH - (size_t)s[i].n;
        s[i] = (PqStr){.p = hex, .n = 2 * HASH};
    }
    return PQ_OK;
}

PqRc pq_mask_hash(PqLeafBatch *b, uint32_t from, PqSlice key, PqErr *e)
{
    char sha256[] = "SHA256";
    OSSL_PARAM how[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
        OSSL_PARAM_construct_end()};
    OSSL_LIB_CTX *library;
    EVP_MAC *algorithm = NULL;
    EVP_MAC_CTX *mac = NULL;

    PQ_TRY(pq_libcrypto(&library, e));
    algorithm = EVP_MAC_fetch(library, "HMAC", NULL);
    mac = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
    if (pq_fault_here() || !mac || !EVP_MAC_init(mac, key.p, key.n, how)) {
        pq_libcrypto_failed("hash values", e);
    } else {
        hash_values(mac, b, from, e);
    }
    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(algorithm);
    return e->rc;
}
