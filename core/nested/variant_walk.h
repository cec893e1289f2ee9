/*
** variant_walk.h - between variant_rows.c, which walks over the columns of a
** shredded Variant, and variant_assemble.c, which makes a blob of it.
*/
#ifndef PQ_VARIANT_WALK_H
#define PQ_VARIANT_WALK_H

#include "core/nested/json_plan.h"
#include "core/variant/variant_build.h"
#include "core/variant/variant_cast.h"

/* Takes the value at the cursor of a binary leaf; p is NULL for null.  level:
** the least definition level that the leaf has if its group is present. */
PqRc pq_variant_walk_bytes(PqJsonRows *j, uint32_t leaf, uint16_t level,
                           PqSlice *out);

/* Gives value and typed_value at the cursors of g to build; one of them is not
** null.  Only finish tells the builder's own errors. */
PqRc pq_variant_walk_build(PqJsonRows *j, const PqVariantGroup *g,
                           PqSlice metadata, PqVariantBuild *build);

#endif
