/*
** writer.h - who wrote a file: reads created_by.
**
** The footer's created_by should read "APP version MAJOR.MINOR.PATCH (build
** ...)".  It is used only to work around known mistakes of known writers, and
** to demand more of files that were written here.
**
**   parquet-mr version 1.8.2 (build c652278)   app parquet-mr, 1.8.2
**   parquet-cpp-arrow version 14.0.2           not parquet-cpp
**   parquet-mr                                 version 0: older than any
*/
#ifndef PQ_WRITER_H
#define PQ_WRITER_H

#include "core/base/bytes.h"

#define PQ_VERSION(major, minor, patch)                               \
    ((uint32_t)(major) << 20 | (uint32_t)(minor) << 10 | (uint32_t)(patch))
#define PQ_VERSION_ANY UINT32_MAX

/* The first words of created_by in files that are written here. */
#define PQ_WRITER_HERE "parquet.so for SQLite"

/* Was the file written by app, in a version before this one? */
bool pq_writer_is(PqSlice created_by, const char *app, uint32_t before);

#endif
