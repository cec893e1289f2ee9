/*
** key_ring.h - the keys that a connection has been given, by name.
**
** A ring is used by one thread.  A key that was replaced or forgotten lives on
** in the files that were opened with it, and is wiped when they are closed.
*/
#ifndef PQ_KEY_RING_H
#define PQ_KEY_RING_H

#include "core/crypto/aes_key.h"

typedef struct PqKeyRing PqKeyRing;

PqRc pq_key_ring_new(PqMem *mem, PqKeyRing **out, PqErr *e);
void pq_key_ring_free(PqKeyRing *r);                     /* r may be NULL */

/* Adds a key, or replaces the key of that name. */
PqRc pq_key_ring_put(PqKeyRing *r, const char *name, PqSlice bytes, PqErr *e);
bool pq_key_ring_forget(PqKeyRing *r, const char *name); /* was it there? */

/* Both borrow.  NULL: there is none. */
PqKey *pq_key_ring_find(const PqKeyRing *r, PqSlice name);
PqKey *pq_key_ring_at(const PqKeyRing *r, uint32_t i);   /* 0, 1, ... */

/* A number that changes whenever the keys do. */
uint64_t pq_key_ring_version(const PqKeyRing *r);

/* The bytes of a key from the text of its base64, standard or URL-safe, padding
** optional, white space around it ignored.  Text that is hexadecimal, or has
** another size than a key, is PQ_USAGE with a hint; the message has no byte of
** the text.  Returns the size in *n. */
PqRc pq_key_from_base64(PqSlice text, uint8_t out[PQ_KEY_MOST], size_t *n,
                        PqErr *e);

/* Puts the keys of a JSON object into the ring: {"name": "base64", ...}.  All
** or none.  *n is their number.  Messages show names, and no other byte of the
** text. */
PqRc pq_key_ring_put_json(PqKeyRing *r, PqSlice json, uint32_t *n, PqErr *e);

#endif
