/*
** int_numbers.h - integers -> numbers that the user chooses.
**
** While they lie close together, an array is fastest:
**
**   window of 2020 to 2023      [ 3 | - | 0 | 1 ]
**
** It begins with 1024 integers and grows.  It is closed where it would be much
** larger than an open hash (word_numbers.h), or could grow by little only.  It
** is opened again when enough integers of its range are known.
*/
#ifndef PQ_INT_NUMBERS_H
#define PQ_INT_NUMBERS_H

#include "core/numbering/word_numbers.h"

typedef struct PqIntNumbers {
    PqWordNumbers map;               /* integers outside the window         */
    uint32_t     *window;            /* NULL: there is none                 */
    int64_t       base;              /* of the window                       */
    uint64_t      span;
    uint32_t      n;                 /* integers                            */
    int64_t       least, most;       /* of them                             */
    uint64_t      floor_span;        /* a window of this span is always worth it */
    uint32_t      expected;          /* a window is not considered before   */
} PqIntNumbers;

/* memory: the bytes that all data of the user may take. */
void pq_int_numbers_init(PqIntNumbers *m, PqMem *mem, uint64_t seed, size_t memory,
                         const PqStop *stop);
void pq_int_numbers_free(PqIntNumbers *m);           /* and empties it */

/* About n integers will come, and they lie apart.  None has come yet. */
PqRc pq_int_numbers_expect(PqIntNumbers *m, uint32_t n, PqErr *e);

static inline size_t pq_int_numbers_bytes(const PqIntNumbers *m)
{
    return pq_word_numbers_bytes(&m->map) + m->span * sizeof *m->window;
}

/* The number of an integer, or PQ_NO_NUMBER. */
static inline uint32_t pq_int_numbers_get(const PqIntNumbers *m, int64_t i)
{
    uint64_t place = (uint64_t)i - (uint64_t)m->base;

    return !m->window       ? pq_word_numbers_get(&m->map, (uint64_t)i)
           : place < m->span ? m->window[place] : PQ_NO_NUMBER;
}

/* The numbers of n integers, as words.  Returns whether all of them have one. */
bool pq_int_numbers_find(const PqIntNumbers *m, const uint64_t *words, uint32_t n,
                         uint32_t *numbers);

/* The same for integers that may be new: see pq_word_numbers_enter.  *done false: nothing
** was done, and new ones have to be added one by one, since a window is there, or may be
** opened. */
PqRc pq_int_numbers_enter(PqIntNumbers *m, const uint64_t *words, uint32_t n,
                          uint32_t first, uint32_t *numbers, uint32_t *fresh,
                          uint32_t *n_fresh, bool *done, PqErr *e);

/* Adds an integer that is not there yet.  Its number has less than 32 bits. */
PqRc pq_int_numbers_add(PqIntNumbers *m, int64_t i, uint32_t number, PqErr *e);

#endif
