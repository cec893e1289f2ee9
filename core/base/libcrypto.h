/*
** libcrypto.h - OpenSSL's library context of ours, and its errors.
**
** It has OpenSSL's default provider, whatever the host has configured, and no file
** of configuration is read.  OpenSSL is asked not to clean up when the process
** exits: a host may close its connections after that.
**
** OpenSSL puts errors into a queue that the host's own calls use too.  So whoever
** calls OpenSSL sets a mark first, and removes the errors after it.
*/
#ifndef PQ_LIBCRYPTO_H
#define PQ_LIBCRYPTO_H

#include "core/base/err.h"

#include <openssl/crypto.h>

/* Made by the first call, for good. */
PqRc pq_libcrypto(OSSL_LIB_CTX **out, PqErr *e);

/* "OpenSSL cannot WHAT: why" */
PQ_COLD PqRc pq_libcrypto_failed(const char *what, PqErr *e);

#endif
