/*
** variant_path.h - paths into a Variant: $.user.id, $['a b'][0], $["x"].
**
** Grammar (Spark's variant_get): $ then any number of
**   .name        up to the next . or [ ; not empty
**   ['name']     or ["name"]: anything up to the closing quote
**   [0]          an index from 0
** Names are case sensitive.
*/
#ifndef PQ_VARIANT_PATH_H
#define PQ_VARIANT_PATH_H

#include "core/variant/variant.h"

typedef struct PqVariantStep {
    PqSlice  name;                   /* p NULL: an index                    */
    uint32_t index;
} PqVariantStep;

typedef struct PqVariantPath {
    PqVariantStep *step;
    uint32_t       n;
} PqVariantPath;

/* Steps and names are in the arena.  PQ_USAGE with what is wrong and where. */
PqRc pq_variant_path_parse(PqSlice text, PqArena *a, PqVariantPath *out,
                           PqErr *e);

/* The value at the path.  *found is false if it is missing, or if a step does
** not fit the value it meets. */
PqRc pq_variant_path_find(const PqVariantMeta *m, PqSlice value,
                          const PqVariantStep *step, uint32_t n_steps,
                          PqSlice *out, bool *found, PqErr *e);

#endif
