/*
** checkpoint_rows.h - the rows of a Parquet file as JSON objects, for logs that keep
** their older part in such files.
**
**   add STRUCT, remove STRUCT, ...    {"add":{"path":"a.parquet","size":9}}
**
** A member that is null in a row is left out.
*/
#ifndef PQ_CHECKPOINT_ROWS_H
#define PQ_CHECKPOINT_ROWS_H

#include "core/files/engine.h"

/* A field of a column that is a struct; NULL: all of them.  Fields of one column follow each
** other. */
typedef struct PqWantedField {
    const char *column, *field;
} PqWantedField;

typedef PqRc (*PqLineVisit)(void *arg, PqSlice line, PqErr *e);

/* Fields that the file does not have are left out. */
PqRc pq_checkpoint_rows(PqEngine *g, const PqPlaces *places, const char *path,
                        const PqWantedField *wanted, uint32_t n, const PqStop *stop,
                        PqLineVisit visit, void *arg, PqErr *e);

#endif
