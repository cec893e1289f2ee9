/*
** geo_boxes.c - boxes of geometries, and geometries of boxes: ST_XMin,
** ST_Envelope, ST_Expand, ST_MakeEnvelope, ST_Hilbert.
**
** PostGIS has several ways to turn a box into a geometry.  Each function works
** as in PostGIS:
**
**   ST_MakeEnvelope   a POLYGON in the order of the arguments
**   ST_Expand         a POLYGON, with Z and M if the geometry has them, even if
**                     the box has no area or a negative distance turns it
**                     inside out
**   ST_Envelope       a POLYGON, or a LINESTRING or POINT if it has no area
**
** PostGIS has no boxes that wrap at the antimeridian.
*/
#include "sql/geo_functions/geo_call.h"

#include <math.h>

/* ---- writing ------------------------------------------------------------- */

/* The corners of a rectangle, each with its numbers. */
typedef struct Corner {
    double v[PQ_GEO_AXES];
} Corner;

static void put_corner(PqBuf *out, const Corner *c, bool has_z, bool has_m)
{
    pq_wkb_put_number(out, c->v[PQ_GEO_X]);
    pq_wkb_put_number(out, c->v[PQ_GEO_Y]);
    if (has_z) {
        pq_wkb_put_number(out, c->v[PQ_GEO_Z]);
    }
    if (has_m) {
        pq_wkb_put_number(out, c->v[PQ_GEO_M]);
    }
}

static void put_rectangle(PqBuf *out, const Corner *low, const Corner *high,
                          bool has_z, bool has_m)
{
    Corner left = *low, right = *high;

    pq_wkb_put_head(out, PQ_GEO_POLYGON, has_z, has_m);
    pq_wkb_put_count(out, 1);
    pq_wkb_put_count(out, 5);
    left.v[PQ_GEO_Y] = high->v[PQ_GEO_Y];
    right.v[PQ_GEO_Y] = low->v[PQ_GEO_Y];
    put_corner(out, low, has_z, has_m);
    put_corner(out, &left, has_z, has_m);
    put_corner(out, high, has_z, has_m);
    put_corner(out, &right, has_z, has_m);
    put_corner(out, low, has_z, has_m);
}

static void put_plain(PqBuf *out, double x1, double y1, double x2, double y2)
{
    put_rectangle(out, &(Corner){{x1, y1}}, &(Corner){{x2, y2}}, false, false);
}

static bool is_longitude(double x)
{
    return x >= -180 && x <= 180;
}

static bool wraps(const PqGeoBox *b)
{
    return b->min[PQ_GEO_X] > b->max[PQ_GEO_X];
}

void pqsql_geo_put_extent(PqBuf *out, const PqGeoBox *b)
{
    double xmin = b->min[PQ_GEO_X], xmax = b->max[PQ_GEO_X];
    double ymin = b->min[PQ_GEO_Y], ymax = b->max[PQ_GEO_Y];

    if (wraps(b)) {
        pq_wkb_put_box(out, xmin, ymin, xmax, ymax);
    } else if (xmin == xmax && ymin == ymax) {
        pq_wkb_put_head(out, PQ_GEO_POINT, false, false);
        put_corner(out, &(Corner){{xmin, ymin}}, false, false);
    } else if (xmin == xmax || ymin == ymax) {
        pq_wkb_put_head(out, PQ_GEO_LINESTRING, false, false);
        pq_wkb_put_count(out, 2);
        put_corner(out, &(Corner){{xmin, ymin}}, false, false);
        put_corner(out, &(Corner){{xmax, ymax}}, false, false);
    } else {
        put_plain(out, xmin, ymin, xmax, ymax);
    }
}

/* ---- ST_XMin .. ST_MMax, ST_X .. ST_M ------------------------------------ */

/* A coordinate of a POINT is an edge of its box. */
PqRc pqsql_geo_edge(PqsqlGeoArgs *a)
{
    int axis = a->what & (PQSQL_EDGE_MAX - 1);
    PqGeoBox box;
    PqWkbHead h;
    PqSlice wkb;

    if (!pqsql_geo_box(a, 0, &wkb, &box)) {
        return a->e->rc;
    }
    if (a->what & PQSQL_EDGE_OF_POINT && pq_wkb_head(wkb, &h) &&
        h.kind != PQ_GEO_POINT) {
        return pq_fail(a->e, PQ_USAGE, "the geometry has to be a Point, and it "
                       "is a %s", pq_geo_kind_names[h.kind]);
    }
    if (box.has[axis]) {
        sqlite3_result_double(a->ctx, a->what & PQSQL_EDGE_MAX ? box.max[axis]
                                                               : box.min[axis]);
    }
    return PQ_OK;
}

/* ---- ST_MakeEnvelope ----------------------------------------------------- */

/* A fifth argument is the SRID. */
PqRc pqsql_geo_make_envelope(PqsqlGeoArgs *a)
{
    double v[5];

    PQ_TRY(pqsql_geo_numbers(a, 0, v));
    if (v[0] > v[2] && is_longitude(v[0]) && is_longitude(v[2])) {
        pq_wkb_put_box(a->out, v[0], fmin(v[1], v[3]), v[2], fmax(v[1], v[3]));
    } else {
        put_plain(a->out, v[0], v[1], v[2], v[3]);
    }
    return PQ_OK;
}

/* ---- ST_Envelope --------------------------------------------------------- */

PqRc pqsql_geo_envelope(PqsqlGeoArgs *a)
{
    PqGeoBox box;
    PqSlice wkb;

    if (!pqsql_geo_box(a, 0, &wkb, &box)) {
        return a->e->rc;
    }
    if (!pq_geo_box_is_whole(&box)) {
        return pq_wkb_to_iso(wkb, a->out, a->e);
    }
    pqsql_geo_put_extent(a->out, &box);
    return PQ_OK;
}

/* ---- ST_Expand ----------------------------------------------------------- */

/* A box that wraps still wraps afterwards, unless it goes all around or nothing
** of it is left. */
static void put_wrapped(PqBuf *out, const PqGeoBox *b, const double *by)
{
    double west = b->min[PQ_GEO_X] - by[PQ_GEO_X];
    double east = b->max[PQ_GEO_X] + by[PQ_GEO_X];
    double south = b->min[PQ_GEO_Y] - by[PQ_GEO_Y];
    double north = b->max[PQ_GEO_Y] + by[PQ_GEO_Y];

    if (west > east && is_longitude(west) && is_longitude(east) &&
        south <= north) {
        pq_wkb_put_box(out, west, south, east, north);
    } else if (west <= east) {
        put_plain(out, -180, south, 180, north);
    } else {
        pq_wkb_put_head(out, PQ_GEO_POLYGON, false, false);
        pq_wkb_put_count(out, 0);
    }
}

static void put_expanded(PqBuf *out, const PqGeoBox *b, const double *by)
{
    Corner low = {{0}}, high = {{0}};

    for (int axis = 0; axis < PQ_GEO_AXES; axis++) {
        low.v[axis] = b->min[axis] - by[axis];
        high.v[axis] = b->max[axis] + by[axis];
    }
    put_rectangle(out, &low, &high, b->has[PQ_GEO_Z], b->has[PQ_GEO_M]);
}

/* One distance for all axes, or one each for X, Y and then Z and M; a missing
** one is 0. */
PqRc pqsql_geo_expand(PqsqlGeoArgs *a)
{
    double by[PQ_GEO_AXES] = {0};
    PqGeoBox box;
    PqSlice wkb;

    PQ_TRY(pqsql_geo_numbers(a, 1, by));
    if (!pqsql_geo_box(a, 0, &wkb, &box)) {
        return a->e->rc;
    }
    if (a->argc == 2) {
        by[PQ_GEO_Y] = by[PQ_GEO_Z] = by[PQ_GEO_M] = by[PQ_GEO_X];
    }
    if (!pq_geo_box_is_whole(&box)) {
        return pq_wkb_to_iso(wkb, a->out, a->e);
    }
    (wraps(&box) ? put_wrapped : put_expanded)(a->out, &box, by);
    return PQ_OK;
}

/* ---- ST_Hilbert ---------------------------------------------------------- */

static double middle(const PqGeoBox *b, int axis)
{
    return b->min[axis] + (b->max[axis] - b->min[axis]) / 2;
}

/* The middle of X, eastwards; for a box that wraps it may be beyond 180. */
static double middle_x(const PqGeoBox *b)
{
    double width = b->max[PQ_GEO_X] - b->min[PQ_GEO_X];
    double x = b->min[PQ_GEO_X] + (width < 0 ? width + 360 : width) / 2;

    return width < 0 && x > 180 ? x - 360 : x;
}

/* A cell among 65536 of the bounds, as DuckDB counts them. */
static uint32_t cell_within(double v, const PqGeoBox *bounds, int axis)
{
    double low = bounds->min[axis], width = bounds->max[axis] - low;
    double cell = (v - low) * (UINT16_MAX / width);

    if (!(cell > 0)) {               /* also NaN: bounds without width       */
        return 0;
    }
    return cell > UINT16_MAX ? UINT16_MAX : (uint32_t)cell;
}

/* With bounds it is DuckDB's number, of 32 bits.  Without, it has 63 bits: the
** last of 64 is left out, so that INTEGERs have the order of the curve. */
PqRc pqsql_geo_hilbert(PqsqlGeoArgs *a)
{
    PqGeoBox box, bounds;
    double x, y;
    uint64_t at;

    if (!pqsql_geo_box(a, 0, NULL, &box) ||
        (a->argc > 1 && !pqsql_geo_box(a, 1, NULL, &bounds)) ||
        !pq_geo_box_is_whole(&box) ||
        (a->argc > 1 && !pq_geo_box_is_whole(&bounds))) {
        return a->e->rc;
    }
    x = middle_x(&box);
    y = middle(&box, PQ_GEO_Y);
    if (a->argc == 1) {
        at = pq_hilbert(pq_hilbert_cell(x), pq_hilbert_cell(y)) >> 1;
    } else {
        if (wraps(&bounds)) {
            bounds.max[PQ_GEO_X] += 360;
            x = x < bounds.min[PQ_GEO_X] ? x + 360 : x;
        }
        at = pq_hilbert(cell_within(x, &bounds, PQ_GEO_X) << 16,
                        cell_within(y, &bounds, PQ_GEO_Y) << 16) >> 32;
    }
    sqlite3_result_int64(a->ctx, (sqlite3_int64)at);
    return PQ_OK;
}
