/*
** file_numbers.h - columns of whole numbers of a Parquet file, for logs that keep in such
** files which rows of others are deleted.
**
**   file_path               pos                   the second column may be missing
**   main/t/a.parquet        3    -> visit(0, {3})
**   main/t/a.parquet        7    -> visit(1, {7})
*/
#ifndef PQ_FILE_NUMBERS_H
#define PQ_FILE_NUMBERS_H

#include "core/files/engine.h"

enum { PQ_FILE_NUMBERS_MOST = 2 };

/* values: of the columns.  has[i]: the file has column i. */
typedef PqRc (*PqNumbersVisit)(void *arg, int64_t row, const int64_t *values,
                               const bool *has, PqErr *e);

/* The first column has to be there, and no value may be null. */
PqRc pq_file_numbers(PqEngine *g, const PqPlaces *places, const char *path,
                     const char *const *columns, uint32_t n, const PqStop *stop,
                     PqNumbersVisit visit, void *arg, PqErr *e);

#endif
