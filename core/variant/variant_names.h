/*
** variant_names.h - the names of the Variants that a builder writes.
**
** The texts of one column have nearly the same names, in nearly the same order.
** So the table outlives a Variant: its names stay, ordered, and a Variant marks
** those that it uses.  The name that followed last time is tried first, which
** saves the hash.
**
**   table   "b" "a" "c"       in the order in which they were first seen
**   order    1   0   2        sorted by name
**   marked   b       c        -> metadata of this Variant: b = 0, c = 1
*/
#ifndef PQ_VARIANT_NAMES_H
#define PQ_VARIANT_NAMES_H

#include "core/numbering/number_table.h"
#include "core/variant/variant.h"

typedef struct PqVariantName {
    uint64_t prefix;                 /* the first bytes, to compare them     */
    uint32_t at, n;                  /* in bytes                             */
    uint32_t mark;                   /* the last Variant that used it        */
    uint32_t follower;               /* a guess                              */
    uint32_t rank;                   /* in the order of the names in use     */
} PqVariantName;

typedef struct PqVariantNames {
    PqMem         *mem;
    PqBuf          bytes, metadata;
    PqVariantName *name;
    uint32_t       n, room;
    uint32_t      *order, order_room, n_ordered;
    PqNumberTable  table;            /* from names to their indexes          */
    uint32_t       mark;             /* of this Variant                      */
    uint32_t       last;             /* name that was used last              */
    uint32_t       n_used;
    size_t         used_bytes;
    uint32_t       n_before;         /* names before this Variant            */
    uint32_t       n_strange;        /* Variants in a row with other names   */
    bool           fixed;            /* the metadata were given              */
    uint32_t      *id_of;            /* by rank; NULL: the rank is the id    */
} PqVariantNames;

void pq_variant_names_init(PqVariantNames *t, PqMem *mem);
void pq_variant_names_free(PqVariantNames *t);

/* A new Variant, whose metadata follow from its names. */
void pq_variant_names_begin(PqVariantNames *t);

/* A new Variant with the metadata given. */
PqRc pq_variant_names_begin_under(PqVariantNames *t, PqSlice metadata,
                                  PqErr *e);

/* The index of a name, which is marked. */
PqRc pq_variant_names_use(PqVariantNames *t, PqSlice name, uint32_t *out,
                          PqErr *e);

/* The same for a name that has an index already. */
void pq_variant_names_again(PqVariantNames *t, uint32_t i);

/* Gives names in use their ranks, and makes the metadata. */
PqRc pq_variant_names_finish(PqVariantNames *t, PqErr *e);

PqSlice pq_variant_names_text(const PqVariantNames *t, uint32_t i);

static inline uint32_t pq_variant_names_id(const PqVariantNames *t,
                                           uint32_t rank)
{
    return t->id_of ? t->id_of[rank] : rank;
}

#endif
