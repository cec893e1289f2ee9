/*
** number_table.h - keys -> numbers, by hashes.
**
** A table knows only the hashes of keys.  It asks its user, who has the keys,
** whether two keys with one hash are equal:
**
**   hashes     7 9 7 7        the second key with hash 7 is another one
**   numbers    0 1 0 2
**
** The user chooses the number of a new key.  The table takes 8 bytes for each
** of at least 4/3 n places.
*/
#ifndef PQ_NUMBER_TABLE_H
#define PQ_NUMBER_TABLE_H

#include "core/base/mem.h"
#include "core/base/stop.h"

/* A key without a number has this one. */
enum { PQ_NO_NUMBER = UINT32_MAX };

/* The user's side.  i is the place of a key in the call. */
typedef struct PqNumberKeys {
    /* Does key i have this number? */
    bool (*same)(void *arg, uint32_t number, uint32_t i);
    /* Chooses the number of key i, which is new; next is how many keys came
    ** before.  NULL: new keys get no number. */
    PqRc (*add)(void *arg, uint32_t i, uint32_t next, uint32_t *number, PqErr *e);
    void *arg;
    /* Fetches the key with this number into the caches: first where its bytes are, and
    ** in a second call the bytes.  NULL: that is not worth it. */
    void (*fetch)(void *arg, uint32_t number, bool bytes);
} PqNumberKeys;

typedef struct PqNumberPlace {
    uint32_t mark;                   /* bits of the hash                    */
    uint32_t number;                 /* + 1; 0: nothing is here             */
} PqNumberPlace;

typedef struct PqNumberTable {
    PqMem         *mem;
    const PqStop  *stop;             /* asked while it grows; may be NULL   */
    PqNumberPlace *places;
    uint32_t       n_places;         /* a power of two, or 0                */
    uint32_t       n;                /* keys                                */
    uint64_t       probes;           /* places looked at in vain, since the  */
                                     /* last reset                          */
} PqNumberTable;

void pq_number_table_init(PqNumberTable *t, PqMem *mem, const PqStop *stop);
void pq_number_table_free(PqNumberTable *t);

static inline size_t pq_number_table_bytes(const PqNumberTable *t)
{
    return t->n_places * sizeof *t->places;
}

/* Were too many places looked at for n keys?  Then somebody chose keys with the
** same hash. */
bool pq_number_table_is_flooded(const PqNumberTable *t, uint64_t n);

/* Forgets all keys; keeps its memory. */
void pq_number_table_reset(PqNumberTable *t);

/* The numbers of n keys with these hashes. */
PqRc pq_number_table_find(PqNumberTable *t, const uint64_t *hashes, uint32_t n,
                          const PqNumberKeys *keys, uint32_t *numbers, PqErr *e);

#endif
