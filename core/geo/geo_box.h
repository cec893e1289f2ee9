/*
** geo_box.h - bounding boxes, and the relations between two of them.
**
** A box is made of the coordinates of a geometry, one axis at a time.  A NaN
** does not count as a coordinate.  An axis without coordinates is absent, and a
** geometry without X or without Y (POINT EMPTY) has no box.
**
** A box wraps if its X has min > max.  It then crosses the antimeridian: X is
** from min eastwards over 180 to max.
**
**   min -5, max 5          [-5 .. 5]
**   min 170, max -170      [170 .. 180] and [-180 .. -170]
*/
#ifndef PQ_GEO_BOX_H
#define PQ_GEO_BOX_H

#include "core/base/err.h"

#include <stdint.h>

enum { PQ_GEO_X, PQ_GEO_Y, PQ_GEO_Z, PQ_GEO_M, PQ_GEO_AXES };

typedef struct PqGeoBox {
    bool   has[PQ_GEO_AXES];
    double min[PQ_GEO_AXES], max[PQ_GEO_AXES];
} PqGeoBox;

/* A relation between the box of a geometry, a, and another box, b.  Only X and Y
** count, and edges belong to a box. */
typedef enum PqGeoRelation {
    PQ_GEO_INTERSECTS,               /* they have a point in common          */
    PQ_GEO_CONTAINS,                 /* all of b is in a                     */
    PQ_GEO_WITHIN                    /* all of a is in b                     */
} PqGeoRelation;

/* Are there X and Y? */
static inline bool pq_geo_box_is_whole(const PqGeoBox *b)
{
    return b->has[PQ_GEO_X] && b->has[PQ_GEO_Y];
}

/* Adds a coordinate of an axis; a NaN is ignored.  The box does not wrap. */
void pq_geo_box_add(PqGeoBox *b, int axis, double v);

/* Adds the coordinates of another box; neither wraps. */
void pq_geo_box_join(PqGeoBox *b, const PqGeoBox *other);

/* pq_geo_box_relates, for boxes that wrap or are not whole. */
bool pq_geo_box_relates_any(PqGeoRelation r, const PqGeoBox *a,
                            const PqGeoBox *b);

/* Is all of b in a?  Neither wraps. */
static inline bool pq_geo_box_holds(const PqGeoBox *a, const PqGeoBox *b)
{
    return a->min[PQ_GEO_X] <= b->min[PQ_GEO_X] &&
           b->max[PQ_GEO_X] <= a->max[PQ_GEO_X] &&
           a->min[PQ_GEO_Y] <= b->min[PQ_GEO_Y] &&
           b->max[PQ_GEO_Y] <= a->max[PQ_GEO_Y];
}

/* False if one of them is not whole. */
static inline bool pq_geo_box_relates(PqGeoRelation r, const PqGeoBox *a,
                                      const PqGeoBox *b)
{
    if (!pq_geo_box_is_whole(a) || !pq_geo_box_is_whole(b) ||
        a->min[PQ_GEO_X] > a->max[PQ_GEO_X] ||
        b->min[PQ_GEO_X] > b->max[PQ_GEO_X]) {
        return pq_geo_box_relates_any(r, a, b);
    }
    return r == PQ_GEO_CONTAINS ? pq_geo_box_holds(a, b)
           : r == PQ_GEO_WITHIN ? pq_geo_box_holds(b, a)
           : a->min[PQ_GEO_X] <= b->max[PQ_GEO_X] &&
             b->min[PQ_GEO_X] <= a->max[PQ_GEO_X] &&
             a->min[PQ_GEO_Y] <= b->max[PQ_GEO_Y] &&
             b->min[PQ_GEO_Y] <= a->max[PQ_GEO_Y];
}

/* Could a box that lies within `cover` relate to b?  An axis that it lacks is
** not known.  b is whole. */
bool pq_geo_box_may_relate(PqGeoRelation r, const PqGeoBox *cover,
                           const PqGeoBox *b);

#endif
