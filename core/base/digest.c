/*
** digest.c - SHA-256 by OpenSSL; a file is read piece by piece.
*/
#include "core/base/digest.h"

#include "core/base/libcrypto.h"

#include <openssl/err.h>
#include <openssl/evp.h>

enum { PIECE = 1 << 18 };

static PqRc add_all(PqSource *s, EVP_MD_CTX *c, uint8_t *piece, PqErr *e)
{
    uint64_t n = pq_source_size(s);

    for (uint64_t at = 0; at < n; at += PIECE) {
        size_t now = n - at < PIECE ? (size_t)(n - at) : PIECE;

        PQ_TRY(pq_source_read(s, at, now, piece, e));
        if (!EVP_DigestUpdate(c, piece, now)) {
            return pq_libcrypto_failed("hash", e);
        }
    }
    return PQ_OK;
}

PqRc pq_digest_source(PqSource *s, char out[PQ_DIGEST_TEXT], PqErr *e)
{
    uint8_t hash[EVP_MAX_MD_SIZE], *piece = malloc(PIECE);
    EVP_MD_CTX *c;
    OSSL_LIB_CTX *library;
    EVP_MD *sha = NULL;
    PqRc rc;

    ERR_set_mark();
    c = EVP_MD_CTX_new();
    PQ_GO(piece && c ? PQ_OK : pq_fail(e, PQ_NOMEM, "out of memory"));
    PQ_GO(pq_libcrypto(&library, e));
    sha = EVP_MD_fetch(library, "SHA256", NULL);
    PQ_GO(sha && EVP_DigestInit_ex2(c, sha, NULL) ? PQ_OK : pq_libcrypto_failed("hash", e));
    PQ_GO(add_all(s, c, piece, e));
    PQ_GO(EVP_DigestFinal_ex(c, hash, NULL) ? PQ_OK : pq_libcrypto_failed("hash", e));
    pq_digest_text(hash, out);
    rc = PQ_OK;
done:
    EVP_MD_free(sha);
    EVP_MD_CTX_free(c);
    ERR_pop_to_mark();
    free(piece);
    return rc;
}

PqRc pq_digest_bytes(PqSlice s, uint8_t out[PQ_DIGEST_BYTES], PqErr *e)
{
    OSSL_LIB_CTX *library;

    ERR_set_mark();
    if (pq_libcrypto(&library, e) == PQ_OK &&
        (pq_fault_here() || !EVP_Q_digest(library, "SHA256", NULL, s.p, s.n, out, NULL))) {
        pq_libcrypto_failed("hash", e);
    }
    ERR_pop_to_mark();
    return e->rc;
}

PqRc pq_digest_signed(PqSlice key, const char *text, uint8_t out[PQ_DIGEST_BYTES],
                      PqErr *e)
{
    OSSL_LIB_CTX *library;

    ERR_set_mark();
    if (pq_libcrypto(&library, e) == PQ_OK &&
        (pq_fault_here() || !EVP_Q_mac(library, "HMAC", NULL, "SHA256", NULL, key.p, key.n,
                                       (const uint8_t *)text, strlen(text), out,
                                       PQ_DIGEST_BYTES, NULL))) {
        pq_libcrypto_failed("sign", e);
    }
    ERR_pop_to_mark();
    return e->rc;
}
