/*
** group_table.h - keys of rows -> group numbers.
**
** A table numbers the keys that it meets, from 0 on, in the order in which they
** come.  It knows keys by their hashes only.  Whether two keys with one hash
** are equal it asks its user, who has them:
**
**   hashes     7 9 7 7        the second key with hash 7 is another one
**   numbers    0 1 0 2
**
** What it takes is 8 bytes for each of at least 4/3 n places.
*/
#ifndef PQ_GROUP_TABLE_H
#define PQ_GROUP_TABLE_H

#include "core/base/mem.h"
#include "core/base/stop.h"

/* The user's side.  i is the row's place in the call. */
typedef struct PqGroupKeep {
    /* Is the key of row i that of group `number`? */
    bool (*same)(void *arg, uint32_t number, uint32_t i);
    /* Row i has the key of a new group, the next number. */
    PqRc (*add)(void *arg, uint32_t number, uint32_t i, PqErr *e);
    void *arg;
} PqGroupKeep;

typedef struct PqGroupPlace {
    uint32_t mark;                   /* of the hash                         */
    uint32_t number;                 /* + 1; 0: nothing is here             */
} PqGroupPlace;

typedef struct PqGroupTable {
    PqMem        *mem;
    const PqStop *stop;              /* asked while it grows; may be NULL   */
    PqGroupPlace *places;
    uint32_t      n_places;          /* a power of two, or 0                */
    uint32_t      n;                 /* groups                              */
    uint64_t     *hashes;            /* of the groups, for growing          */
    uint32_t      room;
    uint64_t      probes;            /* places looked at in vain, since the  */
                                     /* last reset                          */
} PqGroupTable;

void pq_group_table_init(PqGroupTable *t, PqMem *mem, const PqStop *stop);
void pq_group_table_free(PqGroupTable *t);

static inline size_t pq_group_table_bytes(const PqGroupTable *t)
{
    return t->n_places * sizeof *t->places + t->room * sizeof *t->hashes;
}

/* Were so many places looked at for n rows that the hashes must have been chosen
** to meet? */
bool pq_group_table_is_flooded(const PqGroupTable *t, uint64_t n);

/* Forgets all groups; keeps its memory. */
void pq_group_table_reset(PqGroupTable *t);

/* The numbers of n rows with these hashes. */
PqRc pq_group_table_find(PqGroupTable *t, const uint64_t *hashes, uint32_t n,
                         const PqGroupKeep *keep, uint32_t *numbers, PqErr *e);

#endif
