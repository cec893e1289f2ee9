/*
** file_name.h - names for the files of a copy, from a pattern.
**
**   data_{i}              data_0.parquet, data_1.parquet
**   orders_{uuid}.parq    orders_0b6c8f6e-5d0e-4f55-9d7a-0a3f6f6a2f10.parq
**   orders                orders_0.parquet
**
** {i} counts; {uuid} is a new random one for each file.  A pattern without
** either gets _{i} at its end.  One that does not end in .parquet or .parq, as
** readers expect, gets ".parquet".  Names that begin with "." or "_" are
** refused, because readers skip them.
*/
#ifndef PQ_FILE_NAME_H
#define PQ_FILE_NAME_H

#include "core/base/bytes.h"

/* The pattern when none is given. */
#define PQ_FILE_NAME_PATTERN "data_{i}"

/* PQ_USAGE when files cannot be named by it. */
PqRc pq_file_name_check(const char *pattern, PqErr *e);

/* Appends the name of file i; the pattern has been checked. */
PqRc pq_file_name_add(PqBuf *out, const char *pattern, uint64_t i, PqErr *e);

/* Could pq_file_name_add have made the name, for some i?  *number is that i, 0 without one;
** NULL: nobody wants it. */
bool pq_file_name_is_of(const char *pattern, const char *name, uint64_t *number);

/* Appends the full pattern, for messages: data_{i}.parquet. */
void pq_file_name_describe(PqBuf *out, const char *pattern);

#endif
