/*
** openssl_provider.c - what this project uses of OpenSSL, as its only provider.
**
** It takes the place of crypto/provider_predefined.c.  OpenSSL finds an algorithm
** by its name in the tables of a provider, so the tables of its default provider
** refer to all of them, and to all that these need: three megabytes.  These refer
** to the ciphers of aes_key.c, and to SHA-256 and HMAC of digest.c and sign.c.
** What is called default here is the provider that a new library context has.
*/
#include <openssl/core_dispatch.h>
#include "prov/implementations.h"
#include "prov/names.h"
#include "prov/provider_ctx.h"
#include "provider_local.h"

#define ALGORITHM(names, functions) {names, "provider=default", functions}
#define END {NULL, NULL, NULL}

static const OSSL_ALGORITHM digests[] = {
    ALGORITHM(PROV_NAMES_SHA2_256, ossl_sha256_functions), END};

static const OSSL_ALGORITHM ciphers[] = {
    ALGORITHM(PROV_NAMES_AES_128_GCM, ossl_aes128gcm_functions),
    ALGORITHM(PROV_NAMES_AES_192_GCM, ossl_aes192gcm_functions),
    ALGORITHM(PROV_NAMES_AES_256_GCM, ossl_aes256gcm_functions),
    ALGORITHM(PROV_NAMES_AES_128_CTR, ossl_aes128ctr_functions),
    ALGORITHM(PROV_NAMES_AES_192_CTR, ossl_aes192ctr_functions),
    ALGORITHM(PROV_NAMES_AES_256_CTR, ossl_aes256ctr_functions), END};

static const OSSL_ALGORITHM macs[] = {
    ALGORITHM(PROV_NAMES_HMAC, ossl_hmac_functions), END};

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache)
{
    *no_cache = 0;
    return operation == OSSL_OP_DIGEST   ? digests
           : operation == OSSL_OP_CIPHER ? ciphers
           : operation == OSSL_OP_MAC    ? macs
                                         : NULL;
}

static const OSSL_DISPATCH dispatch[] = {
    {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))ossl_prov_ctx_free},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
    {0, NULL}};

static int begin(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                 const OSSL_DISPATCH **out, void **provider)
{
    PROV_CTX *made = ossl_prov_ctx_new();

    if (!made) {
        return 0;
    }
    for (; in->function_id; in++) {
        if (in->function_id == OSSL_FUNC_CORE_GET_LIBCTX) {
            ossl_prov_ctx_set0_libctx(made,
                (OSSL_LIB_CTX *)OSSL_FUNC_core_get_libctx(in)(handle));
        }
    }
    ossl_prov_ctx_set0_handle(made, handle);
    *provider = made;
    *out = dispatch;
    return 1;
}

const OSSL_PROVIDER_INFO ossl_predefined_providers[] = {
    {"default", NULL, begin, NULL, 1},
    {NULL, NULL, NULL, NULL, 0}};
