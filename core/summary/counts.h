/*
** counts.h - how often each value occurs: exactly while there are few different
** ones, then only for those that are frequent.
**
** A table of values with their counts.  As long as nothing was removed from it,
** it knows everything.  When it is full, the values with the lowest counts are
** removed, and the highest count among these is noted as `lost`:
**
**   value   count  base         base: what was lost when the value came
**   'a'      9120     0         It occurred count times since then, and at most
**   'x'        12    40         base times before.
**
** So each count is a lower bound, exact where base is 0, and a value that the
** table does not have occurred at most `lost` times.  That is at most the number
** of all values divided by half of what the table holds.
*/
#ifndef PQ_COUNTS_H
#define PQ_COUNTS_H

#include "core/base/arena.h"

enum {
    PQ_COUNTS_MANY = 1 << 16,        /* different values that are all counted */
    PQ_COUNTS_FEW = 1 << 13,         /* ... of which half is kept later on  */
    PQ_COUNTS_BYTES = 4 << 20,       /* of texts                            */
    PQ_COUNTS_FEW_BYTES = 1 << 20,
    PQ_COUNTS_LONGEST = 1 << 16      /* a longer text is not counted        */
};

typedef struct PqCount {
    union {
        int64_t        i;
        const uint8_t *p;            /* n bytes, in the arena               */
    } key;
    uint64_t count;                  /* 0: this place is empty              */
    uint64_t base;
    uint32_t n;
    uint32_t mark;                   /* of the hash                         */
} PqCount;

typedef struct PqCounts {
    PqMem   *mem;
    bool     of_bytes;
    PqCount *places;
    uint32_t n_places;               /* a power of two, or 0                */
    uint32_t n;
    PqArena  texts;
    size_t   n_bytes;
    uint64_t lost;
    uint64_t n_long;                 /* texts that were not counted         */
    uint64_t n_added, probes;        /* values, and places looked at in vain */
    uint64_t seed;                   /* of the places; 0: none was needed   */
} PqCounts;

void pq_counts_init(PqCounts *c, PqMem *mem, bool of_bytes);
void pq_counts_free(PqCounts *c);

/* The hashes of n values, which are int64_t, or PqStr with of_bytes. */
void pq_counts_hash(const PqCounts *c, const void *v, uint32_t n,
                    uint64_t *hashes);
uint64_t pq_counts_hash_of(const PqCounts *c, const PqCount *p);

/* Adds n values with their hashes, each once, or counts[i] times. */
PqRc pq_counts_add(PqCounts *c, const void *v, const uint64_t *hashes,
                   const uint64_t *counts, uint32_t n, PqErr *e);

/* Does it hold more than so many values, or bytes? */
static inline bool pq_counts_exceed(const PqCounts *c, uint32_t n,
                                    size_t n_bytes)
{
    return c->n > n || c->n_bytes > n_bytes;
}

/* Removes values until at most n are left, of at most so many bytes. */
PqRc pq_counts_cut(PqCounts *c, uint32_t n, size_t n_bytes, PqErr *e);

/* The most frequent value; of equally frequent ones the least.  False: none
** occurs twice, or none so often that it must be among the counted ones.
** *exact: value and count are certain; otherwise the count is a lower bound. */
bool pq_counts_top(const PqCounts *c, PqCount *out, bool *exact);

/* All values in their order; the caller frees them. */
PqRc pq_counts_sorted(const PqCounts *c, PqCount **out, PqErr *e);

/* The value, where it is a text. */
static inline PqStr pq_count_text(const PqCount *c)
{
    return (PqStr){c->key.p, c->n};
}

#endif
