/*
** variant_assemble.h - a shredded Variant, or a part of one, as metadata and
** value.
**
** `at` is a group of `value` and `typed_value`: the VARIANT itself, or the
** group of a field inside it.  Between it and the VARIANT there is no list.
**
**   optional group event (VARIANT)      at = event: the whole Variant
**     required binary metadata
**     optional binary value
**     optional group typed_value
**       required group user             at = user: what $.user gives
**         optional binary value
**         optional group typed_value ...
**
** The bytes of a value that lies in one piece in the file are given as they
** are, with the metadata of the file.  Only what is in columns is put together
** anew.
*/
#ifndef PQ_VARIANT_ASSEMBLE_H
#define PQ_VARIANT_ASSEMBLE_H

#include "core/nested/json_rows.h"

/* Rows of `at`.  pq_json_rows_begin takes a vector of each of its leaves, and
** then one of the metadata of the VARIANT, all with levels.  variant and at
** must outlive it. */
PqRc pq_json_rows_new_part(PqMem *mem, const PqNode *variant, const PqNode *at,
                           PqJsonRows **out, PqErr *e);

/* Assembles a row, which must come after the last one of the batch.  *missing:
** there is no value, because both columns of `at` are null, or something above
** them is.  The bytes stay until the next call.  After a failure no more rows
** can be assembled until the next begin. */
PqRc pq_variant_assemble_row(PqJsonRows *j, uint32_t row, PqSlice *metadata,
                             PqSlice *value, bool *missing, PqErr *e);

#endif
