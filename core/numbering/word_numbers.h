/*
** word_numbers.h - 64-bit words -> numbers that the user chooses.
**
**   word       [ 42 | 7 | -  | 9000 | - ]
**   number + 1 [ 3  | 1 | 0  | 2    | 0 ]
**
** An open hash with the words inside, so that a look-up is one access to memory.
** Many words are looked up at a time: the place of a word is fetched while those
** before it are looked at.
*/
#ifndef PQ_WORD_NUMBERS_H
#define PQ_WORD_NUMBERS_H

#include "core/numbering/number_table.h"

typedef struct PqWordPlace {
    uint64_t word;
    uint32_t number;                 /* + 1; 0: nothing is here             */
} PqWordPlace;

typedef struct PqWordNumbers {
    PqMem        *mem;
    PqWordPlace  *places;
    uint32_t      n_places;          /* a power of two, or 0                */
    uint32_t      n;
    uint64_t      seed;              /* nobody can know it                  */
    const PqStop *stop;              /* asked while it grows; may be NULL   */
} PqWordNumbers;

void pq_word_numbers_init(PqWordNumbers *m, PqMem *mem, uint64_t seed,
                          const PqStop *stop);
void pq_word_numbers_free(PqWordNumbers *m);

/* The number of a word, or PQ_NO_NUMBER. */
uint32_t pq_word_numbers_get(const PqWordNumbers *m, uint64_t word);

/* The numbers of n words.  Returns how many of them are PQ_NO_NUMBER. */
uint32_t pq_word_numbers_find(const PqWordNumbers *m, const uint64_t *words,
                              uint32_t n, uint32_t *numbers);

/* The numbers of n words, which may be new: these get the numbers from `first` on, and
** their places in `words` are put into `fresh`.  Returns how many there are.  There is room
** for n more words (pq_word_numbers_need). */
uint32_t pq_word_numbers_enter(PqWordNumbers *m, const uint64_t *words, uint32_t n,
                               uint32_t first, uint32_t *numbers, uint32_t *fresh);

/* Makes room for n more words. */
PqRc pq_word_numbers_need(PqWordNumbers *m, uint32_t n, PqErr *e);

/* Adds a word that is not there yet. */
PqRc pq_word_numbers_add(PqWordNumbers *m, uint64_t word, uint32_t number,
                         PqErr *e);

static inline size_t pq_word_numbers_bytes(const PqWordNumbers *m)
{
    return m->n_places * sizeof *m->places;
}

#endif
