/*
** group_texts.h - texts -> numbers, from 0 on, in the order in which they come.
**
**   US AR US DE        0 1 0 2        texts US AR DE
**
** A text that is new is copied.
*/
#ifndef PQ_GROUP_TEXTS_H
#define PQ_GROUP_TEXTS_H

#include "core/base/arena.h"
#include "core/group/group_table.h"

typedef struct PqGroupTexts {
    PqMem       *mem;
    uint64_t     seed;               /* of the hashes                       */
    PqArena      arena;              /* bytes of the texts                  */
    PqStr       *v;                  /* by number                           */
    uint32_t     room;
    PqGroupTable table;              /* table.n of them                     */
} PqGroupTexts;

/* seed: of hashes that nobody can choose (hash.h); 0: they are those of
** pq_hash_bytes. */
void pq_group_texts_init(PqGroupTexts *t, PqMem *mem, uint64_t seed);
void pq_group_texts_free(PqGroupTexts *t);

static inline size_t pq_group_texts_bytes(const PqGroupTexts *t)
{
    return pq_arena_memory(&t->arena) + t->room * sizeof *t->v +
           pq_group_table_bytes(&t->table);
}

/* stop is asked while there are many; it may be NULL. */
PqRc pq_group_texts_number(PqGroupTexts *t, PqStr text, const PqStop *stop,
                           uint32_t *out, PqErr *e);

#endif
