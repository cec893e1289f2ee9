/*
** key_values.h - the keys of stored values, for a table of keys.
*/
#ifndef PQ_KEY_VALUES_H
#define PQ_KEY_VALUES_H

#include "core/join/join_table.h"
#include "core/scan/key_index.h"

/* A column is this node in the scan's file.  Does it have keys of the type? */
bool pq_key_is_comparable(const PqScan *s, const PqNode *node,
                          const PqType *type);

/* Adds the keys of at most PQ_BATCH_ROWS rows. */
PqRc pq_key_add(const PqKeySpec *spec, PqJoinTable *t, const PqVector *v,
                PqErr *e);

#endif
