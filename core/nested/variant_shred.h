/*
** variant_shred.h - turns Variants into the leaves of a VARIANT.
**
** The inverse of variant_rows.c.  The schema says what is shredded:
**
**   group event (VARIANT)              {"id":7,"tags":["a",1],"x":true}
**     binary metadata                  the names id, tags, x
**     binary value                     {"x":true}
**     group typed_value
**       group id
**         binary value                 -
**         int64 typed_value            7
**       group tags
**         binary value                 -
**         group typed_value (LIST)
**           element
**             binary value             -    1
**             binary typed_value       "a"  -
**
** A typed_value takes values that it can hold unchanged.  An integer type takes
** integers of any width that are in range.  A DECIMAL takes integers and
** decimals whose digits all fit: 7 as 7.00, which the specification calls
** equivalent.  Any other type takes only its own values.  So a width or a scale
** may change, but never a value.  If the user has named it, a DOUBLE also takes
** numbers that it gives back digit by digit.  Anything else goes into the value
** beside it, as it is.
**
** These things are never written; the function on the right takes care:
**
**   value and typed_value of one group are both there only if the value is an
**   object, and then they have no field in common         shred_object
**   an object is never in value if typed_value is a group shred_object
**   only fields are missing; an element that is null is   put_missing, shred
**   the value 00
*/
#ifndef PQ_VARIANT_SHRED_H
#define PQ_VARIANT_SHRED_H

#include "core/column/cells.h"
#include "core/column/leaf_fill.h"

typedef struct PqVariantShred PqVariantShred;

/* How many values came to a typed_value, without nulls, and how many of them it
** took.  Several threads count. */
typedef struct PqShredTally {
    _Atomic uint64_t n, n_taken;
} PqShredTally;

/* node is a VARIANT, at or below the column root.  Everything lies in the
** arena, except what pq_variant_shred_free frees. */
PqRc pq_variant_shred_new(const PqNode *node, const PqNode *root,
                          const PqFillRules *rules, PqArena *a,
                          PqVariantShred **out, PqErr *e);
void pq_variant_shred_free(PqVariantShred *s);       /* s may be NULL */

/* Appends one value, with the repetition level rep, to the batches of the
** column's leaves.  After a failure some batches have it and others do not.
**
** TEXT is JSON, read as parse_json does it.  BLOB is metadata and value, which
** are checked.  INT and REAL are numbers.  Anything malformed is PQ_USAGE. */
PqRc pq_variant_shred_cell(PqVariantShred *s, PqLeafBatch *batches,
                           uint16_t rep, const PqCell *cell, PqErr *e);

/* For the value beside a typed_value: its path in the Variant, $.a.b or
** $.tags[], and the type of the typed_value, which may be array or object. */
void pq_variant_shred_part(const PqNode *value, PqBuf *path, PqBuf *type);

/* May a typed_value that is written have this type? */
bool pq_variant_shred_type(const PqType *t);

#endif
