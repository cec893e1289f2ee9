/*
** wkt.h - geometries as text: well-known text and GeoJSON.
**
**   POINT(30 10)      POINT Z (30 10 40)     POLYGON((0 0,0 1,1 1,0 0),(...))
**   POINT EMPTY       MULTIPOINT((1 2),EMPTY)
**   SRID=4326;POINT(30 10)        read, and the SRID is ignored
**
** Numbers are printed with the fewest digits that read back as the same double,
** or rounded to a number of decimals.
*/
#ifndef PQ_WKT_H
#define PQ_WKT_H

#include "core/geo/wkb.h"

enum { PQ_GEO_ALL_DIGITS = -1 };

/* Appends ISO WKB.  Case and blanks do not matter, MULTIPOINT(1 2,3 4) is read
** too, and "POINTZ(...)" as PostGIS reads it.  PQ_USAGE names the character at
** which it is wrong. */
PqRc pq_wkt_read(PqSlice text, PqBuf *out, PqErr *e);

/* Appends text as PostGIS's ST_AsText writes it. */
PqRc pq_wkt_write(PqSlice wkb, int decimals, PqBuf *out, PqErr *e);

/* Appends a GeoJSON geometry (RFC 7946): X, Y and Z; M is left out. */
PqRc pq_geojson_write(PqSlice wkb, int decimals, PqBuf *out, PqErr *e);

#endif
