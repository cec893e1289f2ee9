/*
** copy_geo.h - geometries of a copy: what GeoParquet adds to the files.
**
**   geoparquet   column                       key "geo"   covering columns
**   none         GEOMETRY, GEOGRAPHY          no          no
**   1.1          BYTE_ARRAY of no type        yes         unless not wanted
**   2.0          GEOMETRY, GEOGRAPHY          yes         if wanted
**
** Readers of version 1 know nothing of the two types, and some fail on them.
*/
#ifndef PQSQL_COPY_GEO_H
#define PQSQL_COPY_GEO_H

#include "sql/copy/copy_types.h"

/* Before the query runs: a covering that comes along with its geometry will be
** replaced by the new one. */
void pqsql_copy_geo_replace(PqsqlCopyColumns *columns,
                            const PqsqlCopyOptions *o);

/* After all types are settled: changes the columns to what the version wants,
** adds the covering columns, and makes the description, NULL without
** GeoParquet.  Everything is allocated in a. */
PqRc pqsql_copy_geo(PqsqlCopyColumns *columns, const PqsqlCopyOptions *o,
                    PqArena *a, const PqGeoParquet **out, PqErr *e);

#endif
