/*
** hive.h - folder columns: what the folders of a path say about its rows.
**
**   sales/country=FR/day=2024-03-01/a.parquet
**        key=value  key=value                 country 'FR', day 2024-03-01
**
** The first "=" divides a folder's name; a folder that begins with "=" is not a
** column.  Name and value are percent-decoded, except for %00, because texts
** end there.  Names keep their case.  When a path has a name twice, the outermost
** folder wins, as in DuckDB: so a walk need not look below a folder that is not wanted.
**
** A column is INTEGER when all its values are integers as they are printed, so
** that the text can be restored: no leading zeros, no plus, no "-0", within 64
** bits.  It is DATE when every value is a yyyy-mm-dd of the calendar, else
** TEXT.  __HIVE_DEFAULT_PARTITION__ is NULL and fits every type; a column that
** has no other value is TEXT.
*/
#ifndef PQ_HIVE_H
#define PQ_HIVE_H

#include "core/files/listing.h"

/* With more columns than this, folders are not partitions: their names just
** happen to have a "=". */
enum { PQ_HIVE_COLUMNS = 1000 };

/* Finds the folder columns of l->files, types them and gives every file its
** values.  stop may be NULL. */
PqRc pq_hive_fill(PqListing *l, const PqStop *stop, PqErr *e);

/* Could files below these folders, which end with a slash, have rows that are wanted?
** *asks: not all columns of the test are known yet.  Values are made in a. */
PqRc pq_hive_test(const PqFolderTest *t, const char *folders, PqArena *a, bool *passes,
                  bool *asks, PqErr *e);

#endif
