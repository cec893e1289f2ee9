/*
** other_format.h - names the format of a file that is not a Parquet file.
*/
#ifndef PQ_OTHER_FORMAT_H
#define PQ_OTHER_FORMAT_H

#include "core/base/bytes.h"

enum { PQ_OTHER_FORMAT_BYTES = 512 };

/* What a file that begins with these bytes looks like ("a gzip file"), and what
** to do with it.  NULL: it is not recognized. */
const char *pq_other_format(PqSlice first, const char **what_to_do);

#endif
