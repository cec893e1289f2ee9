/*
** libcrypto.c - makes the context when it is needed first.
*/
#include "core/base/libcrypto.h"

#include "core/base/mem.h"

#include <openssl/err.h>
#include <pthread.h>

PqRc pq_libcrypto_failed(const char *what, PqErr *e)
{
    unsigned long code = ERR_peek_last_error();
    const char *why = code ? ERR_reason_error_string(code) : NULL;
    bool memory = code && ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;

    return pq_fail(e, memory ? PQ_NOMEM : PQ_IO, "OpenSSL cannot %s: %s", what,
                   why ? why : "it does not say why");
}

PqRc pq_libcrypto(OSSL_LIB_CTX **out, PqErr *e)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static OSSL_LIB_CTX *made;

    pthread_mutex_lock(&lock);
    if (!made && !pq_fault_here() &&
        OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL)) {
        made = OSSL_LIB_CTX_new();
    }
    *out = made;
    pthread_mutex_unlock(&lock);
    return *out ? PQ_OK : pq_libcrypto_failed("begin", e);
}
