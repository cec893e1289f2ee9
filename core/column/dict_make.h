/*
** dict_make.h - builds the dictionary of a chunk from its values.
**
** Distinct values are numbered in the order of their first occurrence.  Values
** are equal when their bytes are: -0.0 and 0.0 are two entries, and so are NaNs
** with different bits.
**
**   values   "DE" "FR" "DE" "DE" "IT"
**   ids       0    1    0    0    2
**   entries  "DE" "FR" "IT"
**
** Entries have the layout of decoder.h; texts are copied into the dictionary's
** arena.  The table uses open addressing over {hash, id} pairs and is at most
** five eighths full.  A value that repeats the one before it is not hashed.  A
** value that takes very many probes to find its slot is refused, as if it were
** too large: that happens only to values chosen to collide.
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

/* The ids of n values.  Stops before a value that is refused, or whose entry
** would make the entries larger than most_plain bytes.  *n_done is the number
** of values that have got ids. */
PqRc pq_dict_make_ids(PqDictMake *d, const void *values, uint32_t n,
                      size_t most_plain, uint32_t *ids, uint32_t *n_done,
                      PqErr *e);

/* No more ids will be asked for: frees all but the entries. */
void pq_dict_make_seal(PqDictMake *d);

/* The memory that its entries and slots take. */
size_t pq_dict_make_memory(const PqDictMake *d);

#endif
