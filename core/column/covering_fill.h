/*
** covering_fill.h - fills a covering column of GeoParquet: the boxes of the
** geometries of another column.
**
**   geom                        bbox.xmin  ymin  xmax  ymax
**   POINT(3 4)                          3     4     3     4
**   LINESTRING(0 0, 2 1)                0     0     2     1
**   NULL                             NULL  NULL  NULL  NULL
**   POINT EMPTY                         0     0     2     1
**
** A row has a box if and only if it has a geometry, as GeoParquet demands.  An
** empty geometry lies within any box, so it gets the box of the row before.
** NULL would make readers doubt the boxes of its page, and NaN would take away
** the bounds of its row group.  It gets NaN only if no geometry before it or
** near it has a box.
**
** FLOATs are rounded outwards, so that the box contains the geometry.
*/
#ifndef PQ_COVERING_FILL_H
#define PQ_COVERING_FILL_H

#include "core/column/leaf_fill.h"

enum { PQ_COVER_LEAVES = 4 };        /* xmin, ymin, xmax, ymax */

typedef struct PqCover {
    const PqType *type;              /* of the geometries                    */
    double        last[PQ_COVER_LEAVES];         /* the last box             */
} PqCover;

/* type is borrowed. */
void pq_cover_init(PqCover *c, const PqType *type);

/* Appends the boxes of the first n cells of a column of geometries to the
** batches of the four leaves, which are FLOAT or DOUBLE.  rules: of that
** column.  A cell that does not fit the column counts as NULL. */
PqRc pq_cover_fill(PqCover *c, PqLeafBatch *batches, const PqCells *cells,
                   uint32_t n, const PqFillRules *rules, PqErr *e);

#endif
