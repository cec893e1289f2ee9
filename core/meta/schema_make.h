/*
** schema_make.h - builds the elements of a schema, from names and types.
**
**   pq_schema_make_leaf   "id" INT64    required int64 id
**   pq_schema_make_group LIST "tags"    optional group tags (LIST)
**     pq_schema_make_leaf  STRING         repeated group list
**   pq_schema_make_close                    optional binary element (STRING)
**   pq_schema_make_group MAP "m"        optional group m (MAP)
**     pq_schema_make_leaf  STRING         repeated group key_value
**     pq_schema_make_leaf  DOUBLE           required binary key (STRING)
**   pq_schema_make_close                    optional double value
**   pq_schema_make_group VARIANT "v"    optional group v (VARIANT(1))
**     pq_schema_make_leaf "metadata"      required binary metadata
**     pq_schema_make_leaf "value"         optional binary value
**     ...                                 typed_value: see variant_shred.h
**   pq_schema_make_close
**   pq_schema_make_end
**
** The root is there from the beginning.  LogicalType and ConvertedType are both
** written, where the older one exists.  Lists have the three levels of the
** specification; a map's key is required.  The result is the footer's schema,
** which pq_schema_build reads.
**
** Refused with PQ_USAGE:
**   - a type on a physical type that the specification does not allow for it
**   - a struct without fields (readers fail on it), or with two of one name
**   - a list without exactly one element
**   - a map without a key, or with more than a key and a value
**   - groups that are not closed
**   - names that are not UTF-8
*/
#ifndef PQ_SCHEMA_MAKE_H
#define PQ_SCHEMA_MAKE_H

#include "core/meta/schema.h"

typedef struct PqSchemaMake PqSchemaMake;

PqRc pq_schema_make_new(PqMem *mem, PqSchemaMake **out, PqErr *e);
void pq_schema_make_free(PqSchemaMake *m);

/* field_id below 0: none.  name NULL: element, key or value, depending on the
** place.  The first failure is kept; pq_schema_make_end returns it. */
void pq_schema_make_leaf(PqSchemaMake *m, const char *name, const PqType *type,
                         bool required, int32_t field_id);
void pq_schema_make_group(PqSchemaMake *m, PqNodeKind kind, const char *name,
                          bool required, int32_t field_id);
void pq_schema_make_file(PqSchemaMake *m);  /* the new struct is a FILE */
void pq_schema_make_close(PqSchemaMake *m);          /* the current group */

/* The result lies in a; m is empty again, also after a failure. */
PqRc pq_schema_make_end(PqSchemaMake *m, PqArena *a, PqSchemaElementList *out,
                        PqErr *e);

#endif
