/*
** shred_plan.h - the schema below a column, prepared for shredding JSON.
**
** Levels.  Shredding a value takes the repetition level of its first entry; the
** definition level of every entry depends only on the node that appends it:
**
**   null_def        an optional node is null, or absent from its STRUCT
**   present         a LIST or MAP without elements
**   present         of a LEAF: a value
**   repeated_rep    of a LIST or MAP: all its entries but the first
**
**   links: list of { url, tag }        url      rep  def   tag      rep  def
**   [{"url":"a","tag":null},           a        0    2     -        0    1
**    {"url":"b","tag":"t"}]            b        1    2     t        1    2
**   null                               -        0    0     -        0    0
**
** So each entry is written at once, and only once, except that fields which an
** object does not have must wait for its end.
*/
#ifndef PQ_SHRED_PLAN_H
#define PQ_SHRED_PLAN_H

#include "core/nested/json_shred.h"
#include "core/text/json_read.h"

/* How a leaf takes a scalar. */
typedef enum PqShredTakes {
    PQ_SHRED_NUMBER,                 /* INT if it is short, else TEXT       */
    PQ_SHRED_TEXT,                   /* the text as it is written           */
    PQ_SHRED_TIME,                   /* INT or REAL                         */
    PQ_SHRED_HEX,
    PQ_SHRED_DOCUMENT
} PqShredTakes;

typedef struct PqShredNode {
    PqNodeKind   kind;
    PqShredTakes takes;              /* LEAF                                */
    bool         required;
    uint16_t     null_def, present, repeated_rep, rep;
    uint32_t     first_leaf, n_leaves;   /* of the batches                  */
    struct PqVariantShred *variant;  /* VARIANT                             */
    PqSlice      name;               /* of the field in its STRUCT          */
    uint64_t     object;             /* number of the last object that had  */
                                     /* the field                           */
    struct PqShredNode *child;
    uint32_t     n_children;
    uint32_t    *places, n_places;   /* STRUCT: hash table from names to
                                     ** child + 1                           */
} PqShredNode;

/* The state of a batch before a cell, restored if the cell fails. */
typedef struct PqShredMark {
    uint32_t n_values, n_entries;
    size_t   n_bytes;
} PqShredMark;

struct PqJsonShred {
    PqMem       *mem;
    PqArena      arena;              /* the plan                            */
    PqShredNode  root;
    PqFillRules  rules;              /* of leaves: without null_misfits     */
    bool         null_misfits;
    PqShredMark *mark;               /* for each leaf                       */
    struct PqVariantShred **variant; /* of all VARIANTs                     */
    uint32_t     n_variants;
    /* The current call. */
    PqLeafBatch *batch;
    PqJsonRead  *read;
    bool         copies;             /* texts must be copied: they do not   */
                                     /* lie in the cell                     */
    uint64_t     object;             /* the number of objects so far        */
    PqArena      scratch;            /* names of members, until the cell ends */
    PqErr        err;                /* of the cell                         */
};

/* A place in the JSON, as a linked list from the innermost step. */
typedef struct PqShredPlace {
    const struct PqShredPlace *up;   /* NULL: $                             */
    PqSlice  name;                   /* p NULL: an index                    */
    uint32_t index;
} PqShredPlace;

/* The field of that name, or NULL; expected: the field that comes next in
** order. */
PqShredNode *pq_shred_plan_field(const PqShredNode *n, PqSlice name,
                                 uint32_t expected);

/* Fail with "$.items[3]: TEXT"; unexpected says what was wanted and found. */
PQ_COLD PqRc pq_shred_misfit(PqJsonShred *s, const PqShredPlace *at,
                             const char *text);
PQ_COLD PqRc pq_shred_unexpected(PqJsonShred *s, const PqShredPlace *at,
                                 const PqJsonToken *found, const char *wanted);

/* Adds the place to the error of a leaf or of a Variant. */
PQ_COLD PqRc pq_shred_placed(PqJsonShred *s, const PqShredPlace *at);

/* Appends a scalar (for a JSON leaf, anything but null) as one value and entry
** of a leaf. */
PqRc pq_shred_leaf(PqJsonShred *s, const PqShredNode *n,
                   const PqJsonToken *token, uint16_t rep,
                   const PqShredPlace *at);

/* Makes room for one more entry and value. */
static inline PqRc pq_shred_reserve(PqLeafBatch *b, PqErr *e)
{
    return PQ_LIKELY(b->n_entries < b->entries_room &&
                     b->n_values < b->values_room)
               ? PQ_OK
               : pq_leaf_batch_reserve(b, 1, e);
}

/* Appends an entry; pq_shred_reserve made room for it. */
static inline void pq_shred_entry(PqLeafBatch *b, uint16_t rep, uint16_t def)
{
    uint32_t i = b->n_entries++;

    if (b->leaf->max_rep > 0) {
        b->rep[i] = rep;
        b->def[i] = def;
    } else if (b->leaf->max_def > 1) {
        b->def[i] = def;
    } else if (b->leaf->max_def == 1 && def == 1) {
        b->valid[i / 64] |= UINT64_C(1) << i % 64;
    }
}

#endif
