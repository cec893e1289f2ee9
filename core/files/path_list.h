/*
** path_list.h - a list of paths, as a JSON array of texts.
**
**   ["2023.parquet", "2024/"]      two elements: files, folders or globs
**   [ab].parquet                   a glob
**   ["]x                           not a glob: a list that does not parse
**
** The bracket and the quote tell a list.  An empty array is a list too, so that
** json_group_array() over no rows is told what it is.
*/
#ifndef PQ_PATH_LIST_H
#define PQ_PATH_LIST_H

#include "core/files/glob.h"

bool pq_path_list_is(const char *text);

/* Adds the elements, in their order; there is at least one.  PQ_USAGE when the
** array is empty, does not parse, or has anything but texts. */
PqRc pq_path_list_read(const char *text, PqPaths *out, PqErr *e);

#endif
