/*
** wkb_box.c - the box of a geometry, and the number of its points.
**
** A loop over a run has a minimum and a maximum per axis and no branch: a NaN
** is smaller than nothing and greater than nothing, so it changes neither.  An
** axis without coordinates is seen at the end: its minimum is still +Infinity,
** and its maximum -Infinity.
**
** A POLYGON has the box of its first ring (wkb.h has the reason).  What we write
** has to contain the other rings too: pq_wkb_bounds.
**
** Only a MULTIPOLYGON can have a box that wraps.  It is looked at again if its
** plain box goes from -180 to 180.
*/
#include "core/geo/wkb.h"

#include <math.h>

/* The box to begin with.  finish() says which axes it has. */
static const PqGeoBox nowhere = {
    {false, false, false, false},
    {INFINITY, INFINITY, INFINITY, INFINITY},
    {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
};

static inline void widen(double *min, double *max, double v)
{
    *min = v < *min ? v : *min;
    *max = v > *max ? v : *max;
}

/* X and Y of points that are `step` bytes apart. */
static inline void widen_xy(PqGeoBox *x, const uint8_t *p, uint32_t n,
                            size_t step, bool swapped)
{
    double xmin = x->min[PQ_GEO_X], xmax = x->max[PQ_GEO_X];
    double ymin = x->min[PQ_GEO_Y], ymax = x->max[PQ_GEO_Y];

    for (uint32_t i = 0; i < n; i++, p += step) {
        widen(&xmin, &xmax, pq_wkb_number(p, swapped));
        widen(&ymin, &ymax, pq_wkb_number(p + 8, swapped));
    }
    x->min[PQ_GEO_X] = xmin;
    x->max[PQ_GEO_X] = xmax;
    x->min[PQ_GEO_Y] = ymin;
    x->max[PQ_GEO_Y] = ymax;
}

static void widen_axis(PqGeoBox *x, const PqWkbRun *r, uint32_t at, int axis)
{
    double min = x->min[axis], max = x->max[axis];
    const uint8_t *p = r->p + at * 8;

    for (uint32_t i = 0; i < r->n; i++, p += (size_t)r->n_axes * 8) {
        widen(&min, &max, pq_wkb_number(p, r->swapped));
    }
    x->min[axis] = min;
    x->max[axis] = max;
}

static void widen_zm(PqGeoBox *x, const PqWkbRun *r)
{
    if (r->has_z) {
        widen_axis(x, r, 2, PQ_GEO_Z);
    }
    if (r->has_m) {
        widen_axis(x, r, 2u + r->has_z, PQ_GEO_M);
    }
}

static PqRc widen_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    PqGeoBox *x = arg;

    if (r->swapped) {
        widen_xy(x, r->p, r->n, (size_t)r->n_axes * 8, true);
    } else if (r->n_axes == 2) {
        widen_xy(x, r->p, r->n, 16, false);
    } else {
        widen_xy(x, r->p, r->n, (size_t)r->n_axes * 8, false);
    }
    widen_zm(x, r);
    return PQ_OK;
}

static PqRc widen_outer_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    return r->is_inner ? PQ_OK : widen_run(arg, r, e);
}

/* ---- boxes that wrap ----------------------------------------------------- */

/* What is known of a MULTIPOLYGON that may be a box cut in two. */
typedef struct Halves {
    uint32_t n;                      /* rectangles so far                    */
    bool     differs;                /* it is something else                 */
    PqGeoBox half[2];
} Halves;

static PqRc halves_begin(void *arg, const PqWkbHead *h, uint32_t n,
                         uint32_t depth, PqErr *e)
{
    Halves *s = arg;

    s->differs |= h->kind == PQ_GEO_MULTIPOLYGON ? n != 2 : n != 1;
    return PQ_OK;
}

/* Five points, the last as the first; every second edge goes along X, the
** others along Y. */
static bool is_rectangle(const double x[5], const double y[5])
{
    bool x_first = y[0] == y[1] && x[1] == x[2] && y[2] == y[3] && x[3] == x[0];
    bool y_first = x[0] == x[1] && y[1] == y[2] && x[2] == x[3] && y[3] == y[0];

    return x[0] == x[4] && y[0] == y[4] && (x_first || y_first);
}

static PqRc halves_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    Halves *s = arg;
    double x[5], y[5];

    if (r->n != 5 || s->n == 2) {
        s->differs = true;
        return PQ_OK;
    }
    for (uint32_t i = 0; i < 5; i++) {
        const uint8_t *p = r->p + (size_t)i * r->n_axes * 8;
        x[i] = pq_wkb_number(p, r->swapped);
        y[i] = pq_wkb_number(p + 8, r->swapped);
        pq_geo_box_add(&s->half[s->n], PQ_GEO_X, x[i]);
        pq_geo_box_add(&s->half[s->n], PQ_GEO_Y, y[i]);
    }
    s->differs |= !is_rectangle(x, y);
    s->n++;
    return PQ_OK;
}

/* West ends at 180, east begins at -180, and they do not meet elsewhere. */
static bool is_cut(const PqGeoBox *west, const PqGeoBox *east)
{
    return west->max[PQ_GEO_X] == 180 && east->min[PQ_GEO_X] == -180 &&
           west->min[PQ_GEO_X] > east->max[PQ_GEO_X] &&
           west->min[PQ_GEO_Y] == east->min[PQ_GEO_Y] &&
           west->max[PQ_GEO_Y] == east->max[PQ_GEO_Y];
}

/* box: the plain one, from -180 to 180. */
static void wrap(PqSlice wkb, PqGeoBox *box)
{
    Halves s = {0};
    PqWkbEvents events = {.arg = &s, .begin = halves_begin, .run = halves_run};
    const PqGeoBox *west = &s.half[0], *east = &s.half[1];

    pq_wkb_runs(wkb, &events, NULL);
    if (s.differs || s.n != 2) {
        return;
    }
    if (!is_cut(west, east)) {
        west = &s.half[1];
        east = &s.half[0];
    }
    if (is_cut(west, east)) {
        box->min[PQ_GEO_X] = west->min[PQ_GEO_X];
        box->max[PQ_GEO_X] = east->max[PQ_GEO_X];
    }
}

/* ---- calls --------------------------------------------------------------- */

static void finish(PqGeoBox *x)
{
    for (int axis = 0; axis < PQ_GEO_AXES; axis++) {
        x->has[axis] = x->min[axis] <= x->max[axis];
    }
}

/* Most lines and polygons: a LINESTRING or a POLYGON of one ring, with X and Y
** only, little-endian, and nothing after it. */
static bool is_one_run(PqSlice wkb, PqWkbRun *out)
{
    bool is_line;
    uint32_t at;

    if (wkb.n < 13 || wkb.p[0] != 1) {
        return false;
    }
    is_line = pq_load_u32(wkb.p + 1) == PQ_GEO_LINESTRING;
    if (!is_line && (pq_load_u32(wkb.p + 1) != PQ_GEO_POLYGON ||
                     pq_load_u32(wkb.p + 5) != 1)) {
        return false;
    }
    at = is_line ? 9 : 13;
    *out = (PqWkbRun){.p = wkb.p + at, .n = pq_load_u32(wkb.p + at - 4),
                      .n_axes = 2};
    return wkb.n - at == (size_t)out->n * 16;
}

/* The box of the runs that `widens` takes.  It does not wrap. */
static bool plain_box(PqSlice wkb,
                      PqRc (*widens)(void *, const PqWkbRun *, PqErr *),
                      PqGeoBox *out)
{
    PqWkbEvents events = {.arg = out, .run = widens};
    PqWkbRun run;

    *out = nowhere;
    if (is_one_run(wkb, &run)) {
        widen_run(out, &run, NULL);
    } else if (pq_wkb_runs(wkb, &events, NULL) != PQ_OK) {
        return false;
    }
    finish(out);
    return true;
}

bool pq_wkb_bounds(PqSlice wkb, PqGeoBox *out)
{
    double x, y;

    return pq_wkb_point_xy(wkb, &x, &y) ? pq_wkb_box(wkb, out)
                                        : plain_box(wkb, widen_run, out);
}

bool pq_wkb_box_any(PqSlice wkb, PqGeoBox *out)
{
    PqWkbHead h;

    if (!plain_box(wkb, widen_outer_run, out)) {
        return false;
    }
    if (out->min[PQ_GEO_X] == -180 && out->max[PQ_GEO_X] == 180 &&
        pq_wkb_head(wkb, &h) && h.kind == PQ_GEO_MULTIPOLYGON) {
        wrap(wkb, out);
    }
    return true;
}

void pq_wkb_widen_zm(PqGeoBox *b, const PqWkbRun *r)
{
    PqGeoBox box = nowhere;

    if (r->n_axes > 2) {
        widen_zm(&box, r);
        finish(&box);
        pq_geo_box_join(b, &box);
    }
}

static PqRc count_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    uint64_t *n = arg;

    *n += r->is_void ? 0 : r->n;
    return PQ_OK;
}

bool pq_wkb_count(PqSlice wkb, uint64_t *n_points)
{
    PqWkbEvents events = {.arg = n_points, .run = count_run};

    *n_points = 0;
    return pq_wkb_runs(wkb, &events, NULL) == PQ_OK;
}
