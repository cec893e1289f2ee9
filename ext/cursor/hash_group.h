/*
** hash_group.h - rows grouped by the hashes of their keys, for a cursor.
**
** core/group/grouping.h does it; here is what it asks about the host: how the
** stored values of a column are compared once SQLite sees them, and the values
** themselves where only these can be compared.
*/
#ifndef PQEXT_HASH_GROUP_H
#define PQEXT_HASH_GROUP_H

#include "ext/plan/plan.h"

typedef struct PqextHashGroup {
    bool         known, ordered;     /* known: whether the groups have to be
                                     ** in the order of their keys          */
    PqsqlColumn *keys[PQEXT_GROUP_COLUMNS];      /* of the batch            */
} PqextHashGroup;

struct PqextCursor;

/* Begins to give the rows of the cursor's plan. */
PqRc pqext_hash_group_begin(struct PqextCursor *c, PqRowSource **out);

#endif
