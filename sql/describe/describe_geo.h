/*
** describe_geo.h - inside describe.h: the geometries of a file.
**
**   geometries
**     geometry          GEOMETRY, EPSG:5070, WKB
**                       Point, Polygon Z
**                       x -10 .. 10, y 0 .. 60.25, as GeoParquet says
**                       boxes of 2 of 3 row groups
**                       covering: bounds of pages
*/
#ifndef PQSQL_DESCRIBE_GEO_H
#define PQSQL_DESCRIBE_GEO_H

#include "sql/describe/describe_sum.h"

/* Writes nothing if there are no geometries.  Appends to missing what the file
** lacks for skipping by geometries, and which metadata is ignored: texts that
** end with a NUL. */
PqRc pqsql_describe_geo(const PqsqlFileSum *sum, PqBuf *out, PqBuf *missing,
                        PqErr *e);

#endif
