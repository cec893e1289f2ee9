/*
** describe_sum.h - inside describe.h: the metadata of a column, summed over all
** row groups of a file.
**
**   bounds     only if every row group that has values has credible bounds
**   nulls      only if every row group counts them
**   encodings  of values; without those of levels and dictionaries if the file
**   tells them apart
*/
#ifndef PQSQL_DESCRIBE_SUM_H
#define PQSQL_DESCRIBE_SUM_H

#include "core/for_host.h"

typedef struct PqsqlLeafSum {
    int64_t  stored, unpacked;       /* bytes                                */
    int64_t  n_values;               /* nulls included                       */
    int64_t  n_nulls;                /* -1: not known                        */
    uint32_t encodings, codecs;      /* bit masks of their numbers           */
    uint32_t n_chunks;               /* that could be read                   */
    uint32_t n_bounded;              /* with bounds, or without values       */
    uint32_t n_offset_index, n_column_index, n_bloom, n_dictionary;
    PqOrder  order;                  /* of the bounds                        */
    bool     has_bounds;
    PqSlice  min, max;
} PqsqlLeafSum;

typedef struct PqsqlFileSum {
    const PqFooter *f;
    PqArena        *arena;
    PqsqlLeafSum   *leaves;
    int64_t         stored, unpacked;
    uint32_t        n_encrypted;     /* chunks whose key is not at hand      */
    uint32_t        n_damaged;       /* ... whose metadata is damaged, or does
                                     ** not open with the key                */
    uint32_t        n_elsewhere;     /* chunks in other files                */
} PqsqlFileSum;

PqRc pqsql_describe_sum(const PqFooter *f, PqArena *a, PqsqlFileSum *out,
                        PqErr *e);

#endif
