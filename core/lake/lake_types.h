/*
** lake_types.h - what the logs of lake tables call the types of columns.
**
**   Delta        Iceberg       DuckLake
**   integer      int           int32
**   timestamp    timestamptz   timestamptz
**   decimal(9,2), in all of them
*/
#ifndef PQ_LAKE_TYPES_H
#define PQ_LAKE_TYPES_H

#include "core/meta/schema_make.h"

typedef enum PqLakeWords {
    PQ_LAKE_DELTA_WORDS, PQ_LAKE_ICEBERG_WORDS, PQ_LAKE_DUCKLAKE_WORDS, PQ_LAKE_WORDS
} PqLakeWords;

/* Makes a column or a field of a type that is a word: a leaf, or a Variant. */
PqRc pq_lake_make_leaf(PqSchemaMake *m, PqLakeWords of, PqSlice word, const char *name,
                       bool required, int32_t id, PqErr *e);

/* The word of a type of a new file; NULL: it has none.  Not of DECIMAL. */
const char *pq_lake_word_of(PqLakeWords of, const PqType *type);

/* The type that a log calls so, of which a file would have something else. */
PQ_COLD PqRc pq_lake_type_unknown(PqSlice word, PqErr *e);

#endif
