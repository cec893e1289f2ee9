/*
** geo_number.h - coordinates as text; only for this folder.
**
**   30        0.1       -71.104348236      the fewest digits that read back
**   0.00000002980232    1e-8               an exponent up to 1e-8
**   999999999999999.9   1e+15   1.5e+300   and from 1e+15 on
**   0                                      -0 too
**   NaN       Infinity  -Infinity
**
** This is how PostGIS prints them.
*/
#ifndef PQ_GEO_NUMBER_H
#define PQ_GEO_NUMBER_H

#include "core/base/bytes.h"

enum { PQ_GEO_NUMBER_ROOM = 48 };

/* Returns the length, at most PQ_GEO_NUMBER_ROOM; there is no NUL.  decimals:
** the most digits after the point, PQ_GEO_ALL_DIGITS for no limit.  The fewest
** digits that read back are rounded, halves to the even digit: 0.125 with two
** decimals is 0.12, and 2.5 with none is 2. */
size_t pq_geo_number_text(double v, int decimals, char *out);

#endif
