/*
** dict_make.h - the dictionary of a chunk, as its values go by.
**
** Every value gets the number of its first occurrence.  Values are equal when
** their bytes are: -0.0 and 0.0 are two entries, and so are two NaNs.
**
**   values   "DE" "FR" "DE" "DE" "IT"
**   ids       0    1    0    0    2
**   entries  "DE" "FR" "IT"
**
** Entries are kept in the layout of decoder.h, texts in an arena of the
** dictionary's own.  The table is open addressing over {hash, id} pairs, at
** most five eighths full; a value that repeats the one before it is not hashed.
** A value for which it takes many looks to find its place, as happens by design
** only, is refused like one that is too large.
*/
#ifndef PQ_DICT_MAKE_H
#define PQ_DICT_MAKE_H

#include "core/meta/schema.h"

typedef struct PqDictSlot { uint32_t hash, id; } PqDictSlot;

typedef struct PqDictMake {
    PqPhysical  physical;
    uint32_t    fixed_length;
    void       *entries;
    uint32_t    n_entries, room;
    size_t      n_plain;             /* bytes of the entries, PLAIN          */
    PqDictSlot *slots;
    uint32_t    mask;                /* number of slots - 1                  */
    uint32_t    shift;               /* of a hash, to a slot                 */
    PqArena     bytes;
    PqMem      *mem;
} PqDictMake;

void pq_dict_make_init(PqDictMake *d, const PqType *type, PqMem *mem);
void pq_dict_make_free(PqDictMake *d);

/* The ids of n values.  Stops in front of the value whose entry would make the
** entries take more than most_plain bytes, or that is refused: *n_done tells how
** many have got their ids. */
PqRc pq_dict_make_ids(PqDictMake *d, const void *values, uint32_t n,
                      size_t most_plain, uint32_t *ids, uint32_t *n_done,
                      PqErr *e);

/* No more ids are asked for: only the entries stay. */
void pq_dict_make_seal(PqDictMake *d);

/* What its entries and slots take. */
size_t pq_dict_make_memory(const PqDictMake *d);

/* The values of n ids: the way back. */
void pq_dict_make_values(const PqDictMake *d, const uint32_t *ids, uint32_t n,
                         void *values);

#endif
