/*
** schema_make.h - the elements of a schema, from the types they shall have.
**
**   pq_schema_make_leaf   "id" INT64    required int64 id
**   pq_schema_make_list   "tags"        optional group tags (LIST)
**     pq_schema_make_leaf  STRING         repeated group list
**   pq_schema_make_close                    optional binary element (STRING)
**   pq_schema_make_map    "m"           optional group m (MAP)
**     pq_schema_make_leaf  STRING         repeated group key_value
**     pq_schema_make_leaf  DOUBLE           required binary key (STRING)
**   pq_schema_make_close                    optional double value
**   pq_schema_make_end
**
** The root is there from the beginning.  LogicalType and ConvertedType are both
** written, wherever the older one exists; lists have the three levels of the
** specification, a map's key is required.  What comes out is what
** pq_schema_build reads, and what the footer says.
**
** Refused are, with PQ_USAGE: a type on a physical type that the specification
** does not have for it, a struct without fields (readers fail on it) or with two
** of one name, a list of other than one element, a map of other than a key and,
** perhaps, a value, groups that do not end, and names that are not UTF-8.
*/
#ifndef PQ_SCHEMA_MAKE_H
#define PQ_SCHEMA_MAKE_H

#include "core/meta/schema.h"

typedef struct PqSchemaMake PqSchemaMake;

PqRc pq_schema_make_new(PqMem *mem, PqSchemaMake **out, PqErr *e);
void pq_schema_make_free(PqSchemaMake *m);

/* field_id below 0: none.  name NULL: element, key or value, as the place is.
** Failures are sticky: pq_schema_make_end tells. */
void pq_schema_make_leaf(PqSchemaMake *m, const char *name, const PqType *type,
                         bool required, int32_t field_id);
void pq_schema_make_struct(PqSchemaMake *m, const char *name, bool required,
                           int32_t field_id);
void pq_schema_make_file(PqSchemaMake *m, const char *name, bool required,
                         int32_t field_id);
void pq_schema_make_list(PqSchemaMake *m, const char *name, bool required,
                         int32_t field_id);
void pq_schema_make_map(PqSchemaMake *m, const char *name, bool required,
                        int32_t field_id);
void pq_schema_make_close(PqSchemaMake *m);          /* the group at hand */

/* Everything lies in a, and m is empty again, also after a failure. */
PqRc pq_schema_make_end(PqSchemaMake *m, PqArena *a, PqSchemaElementList *out,
                        PqErr *e);

/* The physical type that stores a logical one: DECIMAL by its precision (INT32
** to 9, INT64 to 18, FIXED of the fewest bytes to 38, from there on of the
** fewest that are a multiple of eight), UUID FIXED(16), and so on; fills
** physical and fixed_length.  PQ_TYPE_NONE stays as it is. */
void pq_schema_make_physical(PqType *type);

/* The footer's column_orders: that of its type for each leaf, IEEE 754 total
** order where ieee754 (NULL: nowhere) says so of a leaf that is a float. */
PqRc pq_schema_make_orders(const PqSchema *schema, const bool *ieee754,
                           PqArena *a, PqColumnOrderList *out, PqErr *e);

#endif
