/*
** wkt.h - geometries as text: well-known text and GeoJSON.
**
**   POINT(30 10)      POINT Z (30 10 40)     POLYGON((0 0,0 1,1 1,0 0),(...))
**   POINT EMPTY       MULTIPOINT((1 2),EMPTY)
**   SRID=4326;POINT(30 10)        read, and the SRID is ignored
**   0101000000...                 read: the hex digits of WKB or EWKB, as psql
**                                 and PostGIS's COPY print a geometry
**
** Numbers are printed with the fewest digits that read back as the same double,
** or rounded to a number of decimals.  -0 is printed as 0.
*/
#ifndef PQ_WKT_H
#define PQ_WKT_H

#include "core/geo/wkb.h"

enum { PQ_GEO_ALL_DIGITS = -1 };

/* Appends ISO WKB.  PQ_USAGE names the first wrong character, or the byte of
** WKB in hex digits; nothing is appended then.
**
** Case and blanks do not matter.  As PostGIS does, it reads MULTIPOINT(1 2,3 4)
** and POINTZ(1 2 3) too, and POINT(1 2 3) is a POINT Z, with four numbers a
** POINT ZM.  NaN is a number, and so are inf and infinity, which are printed.
** All of a geometry has the same dimensions; its empty parts have them too.
** Rings can have any number of points and need not be closed, and a LINESTRING
** can have one point: what is in a file can be printed and read. */
PqRc pq_wkt_read(PqSlice text, PqBuf *out, PqErr *e);

/* Appends text as PostGIS's ST_AsText writes it.  PostGIS's limit of 15
** decimals is decimals = 15. */
PqRc pq_wkt_write(PqSlice wkb, int decimals, PqBuf *out, PqErr *e);

/* Appends a GeoJSON geometry (RFC 7946): X, Y and Z; M is left out.  PQ_USAGE if
** a coordinate is NaN or infinite: JSON has no such numbers. */
PqRc pq_geojson_write(PqSlice wkb, int decimals, PqBuf *out, PqErr *e);

/* A coordinate as both print it:
**
**   30        0.1       -71.104348236      the fewest digits that read back
**   0.00000002980232    1e-8               an exponent up to 1e-8
**   999999999999999.9   1e+15   1.5e+300   and from 1e+15 on
**   0                                      -0 too
**   NaN       Infinity  -Infinity
**
** Returns the length, at most PQ_GEO_NUMBER_ROOM; there is no NUL.  decimals:
** the most digits after the point, PQ_GEO_ALL_DIGITS for no limit.  The fewest
** digits that read back are rounded, halves to the even digit: 0.125 with two
** decimals is 0.12, and 2.5 with none is 2. */
enum { PQ_GEO_NUMBER_ROOM = 48 };
size_t pq_geo_number_text(double v, int decimals, char *out);

#endif
