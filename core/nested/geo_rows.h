/*
** geo_rows.h - makes WKB from a native encoding: a STRUCT of x and y, or lists
** of it.
**
**   polygon: list of rings: list of {x, y}
**
**   x   rep def     y
**   0   0   5       0       01 03000000 01000000     a POLYGON of one ring
**   9   2   5       0          03000000              of three points
**   0   2   5       9          0 0  9 0  0 9
**   -   0   1       -       01 03000000 00000000     POLYGON EMPTY: no rings
**   -   0   0       -       NULL
**
** Nulls are allowed in the column itself only.  Elsewhere a null list is an
** empty one, a null coordinate is NaN, and a null point is NaN in all
** coordinates: POINT EMPTY, where it is a point of its own.
**
** A row is made when it is asked for, because a geometry may have megabytes.
*/
#ifndef PQ_GEO_ROWS_H
#define PQ_GEO_ROWS_H

#include "core/column/vector.h"
#include "core/meta/geometry.h"

typedef struct PqGeoRows PqGeoRows;

/* node is a column of this native encoding (pq_geometry_point is not NULL), and
** must outlive the result. */
PqRc pq_geo_rows_new(PqMem *mem, const PqNode *node, PqGeoEncoding encoding,
                     PqGeoRows **out, PqErr *e);
void pq_geo_rows_free(PqGeoRows *g);                 /* g may be NULL */

/* The leaves that are needed: x, y, and z and m if there are any. */
uint32_t pq_geo_rows_leaves(const PqGeoRows *g, const uint32_t **leaves);

/* A new batch; vectors[i] is of leaf i of pq_geo_rows_leaves, with levels, and
** borrowed until the next begin. */
PqRc pq_geo_rows_begin(PqGeoRows *g, const PqVector *const *vectors,
                       uint32_t n_rows, PqErr *e);

/* The WKB of a row of the batch; p is NULL where the column is null.  Valid
** until the next call. */
PqRc pq_geo_rows_wkb(PqGeoRows *g, uint32_t row, PqSlice *out, PqErr *e);

#endif
