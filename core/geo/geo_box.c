/*
** geo_box.c - bounding boxes, and how one lies to another.
**
** An axis is looked at alone: boxes relate if their Xs and their Ys do.  An X
** that wraps is two intervals:
**
**   min 170, max -170      [170, 180] and [-180, -170]
**
** A gap is between the two, since min > max.  So an interval is within both
** together only if it is within one of them.
*/
#include "core/geo/geo_box.h"

#include <math.h>

typedef struct Interval {
    double min, max;
} Interval;

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
    int axis;

    for (axis = 0; axis < PQ_GEO_AXES; axis++) {
        if (other->has[axis]) {
            pq_geo_box_add(b, axis, other->min[axis]);
            pq_geo_box_add(b, axis, other->max[axis]);
        }
    }
}

/* One interval, or two if the box wraps; `end` is where these end. */
static int intervals(const PqGeoBox *b, int axis, double end, Interval out[2])
{
    double min = b->min[axis], max = b->max[axis];

    if (axis != PQ_GEO_X || !(min > max)) {
        out[0] = (Interval){min, max};
        return 1;
    }
    out[0] = (Interval){min, fmax(min, end)};
    out[1] = (Interval){fmin(max, -end), max};
    return 2;
}

static bool is_within(Interval a, Interval b)
{
    return b.min <= a.min && a.max <= b.max;
}

static bool meet(const Interval *a, int n_a, const Interval *b, int n_b)
{
    int i, j;

    for (i = 0; i < n_a; i++) {
        for (j = 0; j < n_b; j++) {
            if (a[i].min <= b[j].max && b[j].min <= a[i].max) {
                return true;
            }
        }
    }
    return false;
}

/* Is all of b in a? */
static bool holds(const Interval *a, int n_a, const Interval *b, int n_b)
{
    bool is = true;
    int i;

    for (i = 0; i < n_b && is; i++) {
        is = is_within(b[i], a[0]) || (n_a == 2 && is_within(b[i], a[1]));
    }
    return is;
}

static bool axis_relates(PqGeoRelation r, const PqGeoBox *a, const PqGeoBox *b,
                         int axis)
{
    Interval ia[2], ib[2];
    int n_a = intervals(a, axis, 180, ia);
    int n_b = intervals(b, axis, 180, ib);

    switch (r) {
    case PQ_GEO_CONTAINS:
        return holds(ia, n_a, ib, n_b);
    case PQ_GEO_WITHIN:
        return holds(ib, n_b, ia, n_a);
    default:
        return meet(ia, n_a, ib, n_b);
    }
}

bool pq_geo_box_relates_any(PqGeoRelation r, const PqGeoBox *a,
                            const PqGeoBox *b)
{
    return pq_geo_box_is_whole(a) && pq_geo_box_is_whole(b) &&
           axis_relates(r, a, b, PQ_GEO_X) && axis_relates(r, a, b, PQ_GEO_Y);
}

/* Of a cover that a file claims.  Only X can wrap. */
static bool is_known(const PqGeoBox *cover, int axis)
{
    double min = cover->min[axis], max = cover->max[axis];

    return cover->has[axis] && !isnan(min) && !isnan(max) &&
           (axis == PQ_GEO_X || min <= max);
}

/* A box within the cover that has a point of b can be that point, so WITHIN
** asks for no more than INTERSECTS.  One that contains b exists if b itself is
** within the cover.
**
** A cover that wraps does not end at 180: the specification only says that its
** coordinates are >= min or <= max. */
static bool axis_may_relate(PqGeoRelation r, const PqGeoBox *cover,
                            const PqGeoBox *b, int axis)
{
    Interval ic[2], ib[2];
    int n_c, n_b;

    if (!is_known(cover, axis)) {
        return true;
    }
    n_c = intervals(cover, axis, INFINITY, ic);
    n_b = intervals(b, axis, 180, ib);
    return r == PQ_GEO_CONTAINS ? holds(ic, n_c, ib, n_b)
                                : meet(ic, n_c, ib, n_b);
}

bool pq_geo_box_may_relate(PqGeoRelation r, const PqGeoBox *cover,
                           const PqGeoBox *b)
{
    return axis_may_relate(r, cover, b, PQ_GEO_X) &&
           axis_may_relate(r, cover, b, PQ_GEO_Y);
}
