/*
** secret.h - memory for keys.
**
** The bytes of a key must not end up in a core dump, in the swap file, or in
** memory that malloc hands to somebody else.  So they have pages of their own:
**
**   page   [ 64 bytes | 64 bytes | 64 bytes | ... ]        64 places
**
** A page is left out of core dumps.  It is locked into memory if the system
** allows that; the limit for locked memory is often small, and a key that could
** be swapped is still better than none.  A place is wiped when it is freed, and
** a page is unmapped with its last place.
**
** Budgets do not count these pages: what holds a secret is allocated from one,
** and is larger.  Safe from several threads at once.
**
** Longer secrets, and all that is made while they are read, come from a budget whose
** every block has pages of its own: pq_mem_new_secret in mem.h.
*/
#ifndef PQ_SECRET_H
#define PQ_SECRET_H

#include "core/base/err.h"

enum { PQ_SECRET_BYTES = 64 };

/* PQ_SECRET_BYTES zeros, or NULL and an error. */
void *pq_secret_new(PqErr *e);
void  pq_secret_free(void *p);                           /* p may be NULL */

/* n zeros in pages of their own; NULL: the system has none.  Unmapping wipes. */
void *pq_secret_map(size_t n);
void  pq_secret_unmap(void *p, size_t n);

/* Overwrites n bytes; the compiler does not leave it out. */
void pq_wipe(void *p, size_t n);

/* Test hook: called with each page before it is unmapped. */
void pq_secret_watch(void (*watch)(const uint8_t *page, size_t n));

#endif
