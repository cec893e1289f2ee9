/*
** hive.h - what the folders of a path say about its rows.
**
**   sales/country=FR/day=2024-03-01/a.parquet
**         key=value  key=value                 country 'FR', day 2024-03-01
**
** Key and value are percent-decoded (%00 is not: texts end there); the first
** "=" divides them, a folder that begins with one is no key.  Keys keep their
** case, and the deepest folder of a path wins when a key is there twice.
**
** A key is INTEGER when every file's value is one as a number is printed, so
** that the text can be had back: no leading zeros, no plus, no "-0", within
** 64 bits.  It is DATE when every value is a yyyy-mm-dd that exists, else
** TEXT.  __HIVE_DEFAULT_PARTITION__ is NULL and fits all; a key that has
** nothing else is TEXT.
*/
#ifndef PQ_HIVE_H
#define PQ_HIVE_H

#include "core/files/listing.h"

/* More keys are no partitions but names that happen to hold "=". */
enum { PQ_HIVE_KEYS = 1000 };

/* Finds the keys of l->files, types them and gives every file its values.  The
** first n_base bytes of each path are not looked at.  stop may be NULL. */
PqRc pq_hive_fill(PqListing *l, size_t n_base, const PqStop *stop, PqErr *e);

#endif
