/*
** unnest_inside.h - what a scan keeps to hand out elements.
**
** Rows come in three measures:
**
**   batch of rows     what the walk has made; filters of rows are asked, and
**                     leaves without repetition are read for all of it
**   run               some consecutive rows of it, with a few thousand elements
**                     together; repeated leaves are read for a run
**   batch             at most PQ_BATCH_ROWS elements of the run, or all of them
**                     where they are only counted
*/
#ifndef PQ_UNNEST_INSIDE_H
#define PQ_UNNEST_INSIDE_H

#include "core/scan/scan_inside.h"
#include "core/scan/unnest.h"
#include "core/scan/unnest_shape.h"

/* A vector that is made from a vector that was read. */
typedef struct PqMadeVector {
    uint64_t  batch;                 /* serial of the batch that it is for  */
    uint32_t  level;                 /* of entries; unless of elements      */
    PqVector  vector;
    PqDict    dict;                  /* the slots of the vector that was read */
    uint64_t  dict_of;               /* serial of what it was read for      */
    PqU32s    ids, slots;
    uint8_t  *values;
    uint64_t *valid;
    uint16_t *rep, *def;
    size_t    values_room, valid_room, rep_room, def_room;
} PqMadeVector;

/* Values that were read packed, put beside their levels. */
typedef struct PqSpaced {
    uint64_t  run;
    PqVector  vector;
    uint8_t  *values;                /* or ids                              */
    uint64_t *valid;
    uint16_t *def;
    size_t    values_room, valid_room, def_room;
} PqSpaced;

typedef struct PqUnnestLeaf {
    uint64_t  file;                  /* serial of the file of level         */
    uint32_t  level;                 /* how many of the lists it lies below */
    uint64_t  run;                   /* where it was found to agree         */
    uint64_t  starts_of;             /* run of starts                       */
    uint32_t  starts_level;
    PqU32s    starts;
    PqMadeVector of_elements, of_entries;
    PqSpaced  spaced[2];             /* of slots; of elements               */
    PqPathValue *items;              /* of a path: of the batch             */
    uint64_t  *items_valid;
} PqUnnestLeaf;

enum { PQ_UNNEST_EXPECTED = 8 };

typedef struct PqElements {
    bool       outer, inside;        /* inside: the scan's batch is of elements */
    uint32_t   n_levels;             /* of the table                        */
    const PqNode **lists;            /* of the file; NULL from depth on     */
    uint64_t   file;                 /* serial of the file of these         */
    uint16_t   element_def[PQ_UNNEST_LEVELS];
    PqBatch    rows;                 /* the batch of rows                   */
    uint64_t   keep[PQ_BATCH_ROWS / 64];
    uint32_t   next_row, end_row;    /* of these rows, still to be read     */
    uint64_t   run;                  /* serial                              */
    uint32_t   first_row, n_rows;    /* of the run, in the batch of rows    */
    uint32_t   guide, next_guide;    /* leaves                              */
    bool       guide_values;         /* ... are read, not only levels       */
    bool       next_values;
    uint32_t   expected[PQ_UNNEST_EXPECTED], n_expected;     /* columns     */
    PqShape    shape;                /* of the run                          */
    uint32_t   first, at;            /* elements: of the batch; the next    */
    PqU32s     entries[PQ_UNNEST_LEVELS], of_row[PQ_UNNEST_LEVELS];
    PqU32s     ordinals[PQ_UNNEST_LEVELS], positions;
    uint64_t   entries_of[PQ_UNNEST_LEVELS], of_row_of[PQ_UNNEST_LEVELS];
    uint64_t   ordinals_of[PQ_UNNEST_LEVELS], positions_of;   /* runs       */
    PqUnnestLeaf **leaves;           /* by leaf, then by column: paths      */
    uint32_t   n_leaves;
    PqUnnestLeaf **paths;
} PqElements;

/* The entry of each element of the run at a level; at level 0 the row of the batch
** of rows. */
PqRc pq_unnest_entries(PqScan *s, uint32_t level, const uint32_t **out,
                       PqErr *e);

/* How many of the file's lists lie above the node. */
uint32_t pq_unnest_level(const PqElements *u, const PqNode *node);

/* How a leaf is read: packed if all its values belong to elements of wanted
** rows. */
PqLeafForm pq_unnest_form(const PqElements *u, const PqNode *leaf);

/* unnest_leaf.c, for scan_leaf.c and scan_path.c */
PqRc pq_unnest_vector(PqScan *s, uint32_t leaf, const PqVector **out, PqErr *e);
PqRc pq_unnest_items(PqScan *s, uint32_t leaf, const PqPathValue **out,
                     const uint64_t **valid, PqErr *e);
void pq_unnest_forget_leaf(PqScan *s, uint32_t leaf);
void pq_unnest_free_leaves(PqElements *u, uint32_t n_columns);

/* unnest_gather.c: gathers some slots of the vector raw: validity, definition
** levels, and everything except repetition levels.  Levels if nothing repeats,
** and if all have a value. */
void pq_made_begin(PqMadeVector *m, const PqVector *raw, uint32_t n_rows,
                   uint32_t n_slots);
PqRc pq_made_valid(PqScan *s, PqMadeVector *m, const PqVector *raw,
                   const uint32_t *slots, uint32_t n, PqErr *e);
PqRc pq_made_def(PqScan *s, PqMadeVector *m, const PqVector *raw,
                 const uint32_t *slots, uint32_t n, PqErr *e);
PqRc pq_made_gather(PqScan *s, PqMadeVector *m, const PqVector *raw,
                    const uint32_t *slots, uint32_t n, PqErr *e);
PqRc pq_made_rep(PqScan *s, PqMadeVector *m, const PqVector *raw, PqErr *e);
PqRc pq_made_full_def(PqScan *s, PqMadeVector *m, const PqVector *raw,
                      uint32_t n, PqErr *e);

/* Copies packed values of a leaf to places beside their levels: a slot for each
** level that was read, or for each element. */
PqRc pq_unnest_space_out(PqScan *s, PqUnnestLeaf *l, bool elements,
                         const PqVector **raw, PqErr *e);

/* unnest.c, for scan.c */
PqRc pq_unnest_new(PqScan *s, PqErr *e);
void pq_unnest_free(PqScan *s);
void pq_unnest_restart(PqScan *s);
PqRc pq_unnest_next(PqScan *s, bool *more, PqErr *e);

#endif
