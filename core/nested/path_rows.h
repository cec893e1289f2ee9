/*
** path_rows.h - the values at a path into a Variant, for the rows of a batch.
**
** It serves files in which no single leaf holds all values (path_plan.h).  A
** row's value is taken from wherever it is, and cast to the type that the path
** names:
**
**   SCALAR     typed_value if it is there, else `value`
**   RESIDUAL   the rest of the path is followed in `value`
**   SUBTREE    list or struct is put together first (variant_assemble.h)
**
** Only rows that are asked for are looked at.  So a cast that would fail in a
** row that a filter has dropped is not an error, and a path into values that
** are not shredded costs little after other filters.
*/
#ifndef PQ_PATH_ROWS_H
#define PQ_PATH_ROWS_H

#include "core/base/stop.h"
#include "core/column/vector.h"
#include "core/nested/path_plan.h"

/* A value of a path without a type. */
typedef struct PqPathValue {
    PqSlice        metadata;
    PqVariantValue v;
} PqPathValue;

typedef struct PqPathRows PqPathRows;

/* want has to outlive it; the plan is copied.  At most n_rows rows in a
** batch. */
PqRc pq_path_rows_new(PqMem *mem, const PqPathWant *want,
                      const PqPathPlan *plan, uint32_t n_rows,
                      PqPathRows **out, PqErr *e);
void pq_path_rows_free(PqPathRows *p);               /* p may be NULL */

/* The leaves that are needed, n of them. */
uint32_t pq_path_rows_leaves(const PqPathRows *p, const uint32_t **leaves);

/* A new batch; vectors[i] is of leaf i of pq_path_rows_leaves, and borrowed
** until the next begin.  stop may be NULL. */
void pq_path_rows_begin(PqPathRows *p, const PqVector *const *vectors,
                        uint32_t n_rows, const PqStop *stop);

/* Computes the rows whose bit is set in keep (NULL: all) and that are not
** computed yet.  *failed is the row of an error. */
PqRc pq_path_rows_compute(PqPathRows *p, const uint64_t *keep,
                          uint32_t *failed, PqErr *e);

/* What was computed; valid until the next begin. */
typedef struct PqPathResult {
    const uint64_t *valid;           /* bit per row: computed, and not NULL  */
    const void     *values;          /* with a type: an array of its physical
                                     ** type; texts are followed by a NUL    */
    const PqPathValue *items;        /* without one, or for "variant"        */
} PqPathResult;

PqPathResult pq_path_rows_result(const PqPathRows *p);

#endif
