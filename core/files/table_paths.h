/*
** table_paths.h - the columns of a table that are paths into Variants.
**
**   user_id = variant_get(event, '$.user.id', 'bigint')     computed
**   "event.user.id"                 hidden: a scalar that is shredded
**
** In each file such a column is one of three things (pq_table_path_node):
**
**   a leaf        typed_value, if statistics say that the `value` beside it is
**                 null in this file, or holds nothing but the null of a Variant
**                 (the byte 00).  Then it is a column like any other
**   its own node  of kind PQ_NODE_PATH: its values have to be computed
**   NULL          the file has no such VARIANT, or nothing at the path
*/
#ifndef PQ_TABLE_PATHS_H
#define PQ_TABLE_PATHS_H

#include "core/files/table.h"

/* The leaf of PQ_NODE_PATH nodes begins here; the column is added. */
enum { PQ_PATH_LEAF = 1 << 30 };

/* The column is of kind PATH. */
const PqNode *pq_table_path_node(const PqTable *t, const PqFooter *f,
                                 uint32_t column);

/* For estimates: the leaf that holds most of its values in a file, or NULL. */
const PqLeaf *pq_table_path_leaf(const PqTable *t, const PqFooter *f,
                                 uint32_t column);

/* Where its path leads in a file; false: the file has no such VARIANT. */
bool pq_table_path_plan(const PqTable *t, const PqFooter *f, uint32_t column,
                        PqPathPlan *out);

/* Do the bounds of a `value` say that it is always null, or the null of a
** Variant?  Then a path is NULL where typed_value is null. */
bool pq_table_path_is_free(const PqBounds *value);

/* The same for a row group, by its statistics. */
bool pq_table_path_is_free_in(const PqFooter *f, uint32_t value,
                              uint32_t group);

#endif
