/*
** random.h - random bytes for names, keys and nonces.
*/
#ifndef PQ_RANDOM_H
#define PQ_RANDOM_H

#include "core/base/err.h"

/* n random bytes, fit for cryptography. */
PqRc pq_random_fill(void *p, size_t n, PqErr *e);

#endif
