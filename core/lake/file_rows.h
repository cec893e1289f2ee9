/*
** file_rows.h - a few columns of a Parquet file, row by row, for logs that keep in such files
** which rows of others are deleted.
**
**   file_path               pos                   the second column may be missing
**   main/t/a.parquet        3    -> visit(0, {"main/t/a.parquet", 3})
**   main/t/a.parquet        7    -> visit(1, {"main/t/a.parquet", 7})
*/
#ifndef PQ_FILE_ROWS_H
#define PQ_FILE_ROWS_H

#include "core/files/engine.h"

enum { PQ_FILE_ROWS_MOST = 2 };

/* A column of texts, or of whole numbers. */
typedef struct PqFileColumn {
    const char *name;
    int32_t     id;                  /* by which it is looked for first; 0: it has none */
    bool        is_text, may_lack;
} PqFileColumn;

typedef struct PqFileValue {
    bool    is_there;                /* the file has the column              */
    PqStr   text;
    int64_t number;
} PqFileValue;

/* values: of the columns, until the next row. */
typedef PqRc (*PqFileRow)(void *arg, int64_t row, const PqFileValue *values, PqErr *e);

/* No value may be null. */
PqRc pq_file_rows(PqEngine *g, const PqPlaces *places, const char *path,
                  const PqFileColumn *columns, uint32_t n, const PqStop *stop, PqFileRow visit,
                  void *arg, PqErr *e);

#endif
