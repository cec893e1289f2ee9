/*
** text_numbers.h - texts -> numbers, from 0 on, in the order in which they come.
**
**   US AR US DE        0 1 0 2        texts US AR DE
**
** A text that is new is copied, with a NUL after it.
*/
#ifndef PQ_TEXT_NUMBERS_H
#define PQ_TEXT_NUMBERS_H

#include "core/base/arena.h"
#include "core/numbering/number_table.h"

typedef struct PqTextNumbers {
    PqMem        *mem;
    uint64_t      seed;              /* of the hashes                       */
    PqArena       arena;             /* bytes of the texts                  */
    PqStr        *v;                 /* by number                           */
    uint32_t      room;
    PqNumberTable table;             /* table.n of them                     */
} PqTextNumbers;

/* seed: for hashes that nobody can choose (hash.h).  stop is asked if there are
** many texts; it may be NULL. */
void pq_text_numbers_init(PqTextNumbers *t, PqMem *mem, uint64_t seed,
                          const PqStop *stop);
void pq_text_numbers_free(PqTextNumbers *t);

/* Forgets all texts; keeps some memory. */
void pq_text_numbers_reset(PqTextNumbers *t);

static inline size_t pq_text_numbers_bytes(const PqTextNumbers *t)
{
    return pq_arena_memory(&t->arena) + t->room * sizeof *t->v +
           pq_number_table_bytes(&t->table);
}

/* The numbers of n texts. */
PqRc pq_text_numbers_find(PqTextNumbers *t, const PqStr *texts, uint32_t n,
                          uint32_t *numbers, PqErr *e);

/* The number of a text, or PQ_NO_NUMBER. */
uint32_t pq_text_numbers_get(PqTextNumbers *t, PqStr text);

#endif
