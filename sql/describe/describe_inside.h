/*
** describe_inside.h - inside describe.h: the sections of the page, and the
** metadata of a column, summed over all row groups of a file.
**
**   bounds     only if every row group that has values has credible bounds
**   nulls      only if every row group counts them
**   encodings  of values; without those of levels and dictionaries if the file
**   tells them apart
*/
#ifndef PQSQL_DESCRIBE_INSIDE_H
#define PQSQL_DESCRIBE_INSIDE_H

#include "sql/describe/describe_text.h"

enum { PQSQL_PAGE_WIDTH = 60 };      /* characters */

typedef struct PqsqlLeafSum {
    int64_t  stored, unpacked;       /* bytes                                */
    int64_t  n_values;               /* nulls included                       */
    int64_t  n_nulls;                /* -1: not known                        */
    uint32_t encodings, codecs;      /* bit masks of their numbers           */
    uint32_t n_chunks;               /* that could be read                   */
    uint32_t n_bounded;              /* with bounds, or without values       */
    uint32_t n_offset_index, n_column_index, n_bloom, n_dictionary;
    bool     has_bounds;
    PqSlice  min, max;
} PqsqlLeafSum;

typedef struct PqsqlFileSum {
    const PqFooter *f;
    PqArena        *arena;
    PqsqlLeafSum   *leaves;
    int64_t         unpacked;        /* bytes of all leaves                  */
    uint32_t        n_encrypted;     /* chunks whose key is not at hand      */
    uint32_t        n_damaged;       /* ... whose metadata is damaged, or does
                                     ** not open with the key                */
    uint32_t        n_elsewhere;     /* chunks in other files                */
} PqsqlFileSum;

PqRc pqsql_describe_sum(const PqFooter *f, PqArena *a, PqsqlFileSum *out,
                        PqErr *e);

/* describe_tree.c: the schema, with the sizes and contents of its columns. */
PqRc pqsql_describe_tree(const PqsqlFileSum *sum, PqBuf *out, PqErr *e);

/* describe_geo.c: the geometries, if there are any.  Appends to missing what
** the file lacks for skipping by geometries, and which metadata is ignored:
** texts that end with a NUL. */
PqRc pqsql_describe_geo(const PqsqlFileSum *sum, PqBuf *out, PqBuf *missing,
                        PqErr *e);

/* describe_keys.c: how the file is encrypted, if it is. */
PqRc pqsql_describe_keys(const PqFooter *f, PqBuf *out, PqErr *e);

#endif
