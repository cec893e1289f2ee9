/*
** geo_box.c - bounding boxes, and the relations between two of them.
**
** Each axis is looked at alone: boxes relate if their Xs and their Ys do.  An X
** that wraps is two intervals:
**
**   min 170, max -170      [170, 180] and [-180, -170]
**
** There is a gap between the two, since min > max.  So an interval is within
** their union only if it is within one of them.
*/
#include "core/geo/geo_box.h"

#include <math.h>

typedef struct Interval {
    double min, max;
} Interval;

typedef struct Intervals {
    int      n;
    Interval at[2];
} Intervals;

void pq_geo_box_add(PqGeoBox *b, int axis, double v)
{
    if (isnan(v)) {
        return;
    }
    if (!b->has[axis]) {
        b->has[axis] = true;
        b->min[axis] = b->max[axis] = v;
    } else if (v < b->min[axis]) {
        b->min[axis] = v;
    } else if (v > b->max[axis]) {
        b->max[axis] = v;
    }
}

void pq_geo_box_join(PqGeoBox *b, const PqGeoBox *other)
{
    for (int axis = 0; axis < PQ_GEO_AXES; axis++) {
        if (other->has[axis]) {
            pq_geo_box_add(b, axis, other->min[axis]);
            pq_geo_box_add(b, axis, other->max[axis]);
        }
    }
}

/* One interval, or two if the box wraps; they end at `end`. */
static Intervals intervals(const PqGeoBox *b, int axis, double end)
{
    double min = b->min[axis], max = b->max[axis];

    if (axis != PQ_GEO_X || !(min > max)) {
        return (Intervals){1, {{min, max}}};
    }
    return (Intervals){2, {{min, fmax(min, end)}, {fmin(max, -end), max}}};
}

static bool meet(const Intervals *a, const Intervals *b)
{
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            if (a->at[i].min <= b->at[j].max && b->at[j].min <= a->at[i].max) {
                return true;
            }
        }
    }
    return false;
}

static bool holds_one(const Intervals *a, Interval b)
{
    for (int i = 0; i < a->n; i++) {
        if (a->at[i].min <= b.min && b.max <= a->at[i].max) {
            return true;
        }
    }
    return false;
}

/* Is all of b in a? */
static bool holds(const Intervals *a, const Intervals *b)
{
    return holds_one(a, b->at[0]) && (b->n == 1 || holds_one(a, b->at[1]));
}

static bool axis_relates(PqGeoRelation r, const PqGeoBox *a, const PqGeoBox *b,
                         int axis)
{
    Intervals ia = intervals(a, axis, 180), ib = intervals(b, axis, 180);

    return r == PQ_GEO_CONTAINS ? holds(&ia, &ib)
           : r == PQ_GEO_WITHIN ? holds(&ib, &ia)
                                : meet(&ia, &ib);
}

bool pq_geo_box_relates_any(PqGeoRelation r, const PqGeoBox *a,
                            const PqGeoBox *b)
{
    return pq_geo_box_is_whole(a) && pq_geo_box_is_whole(b) &&
           axis_relates(r, a, b, PQ_GEO_X) && axis_relates(r, a, b, PQ_GEO_Y);
}

/* Does the cover, which a file claims, have the axis?  Only X can wrap. */
static bool is_known(const PqGeoBox *cover, int axis)
{
    double min = cover->min[axis], max = cover->max[axis];

    return cover->has[axis] && !isnan(min) && !isnan(max) &&
           (axis == PQ_GEO_X || min <= max);
}

/* WITHIN needs no more than INTERSECTS: if the cover and b have a point in
** common, a row's box may be that point, and it is within b.  A row's box can
** contain b only if the cover contains b.
**
** A cover that wraps does not end at 180: the specification only says that its
** coordinates are >= min or <= max. */
static bool axis_may_relate(PqGeoRelation r, const PqGeoBox *cover,
                            const PqGeoBox *b, int axis)
{
    Intervals ic, ib;

    if (!is_known(cover, axis)) {
        return true;
    }
    ic = intervals(cover, axis, INFINITY);
    ib = intervals(b, axis, 180);
    return r == PQ_GEO_CONTAINS ? holds(&ic, &ib) : meet(&ic, &ib);
}

bool pq_geo_box_may_relate(PqGeoRelation r, const PqGeoBox *cover,
                           const PqGeoBox *b)
{
    return axis_may_relate(r, cover, b, PQ_GEO_X) &&
           axis_may_relate(r, cover, b, PQ_GEO_Y);
}
