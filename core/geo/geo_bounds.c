/*
** geo_bounds.c - the box and the types of the geometries of a chunk.
**
** An edge of a GEOGRAPHY on a sphere is a part of a great circle.  At longitude
** L its latitude B follows tan B = T cos(L - A), where T and A belong to its
** highest point.  The edge rises above its ends if that point lies between
** them.  With t1, t2 the tangents at its ends and d the longitudes between:
**
**   T^2 = t1^2 + ((t2 - t1 cos d) / sin d)^2
**   highest between the ends:  t2 > t1 cos d  and  t1 > t2 cos d
**   lowest:                    both <
**
** On an ellipsoid of flattening f the shortest line is such a great circle of
** the reduced latitudes, and their tan is (1 - f) tan B, so T has the same
** form.  Only the longitudes differ: d of that circle is between d and d / (1 -
** f).  T grows with d, so a d that is too large makes a box that is too large.
** We take 1.12 d: enough for f up to 1/10, which is Saturn; the Earth has
** 1/298.
**
** An edge rises by d^2 / 15 at most (in radians, d up to 30 degrees).  Most
** edges are far from the limits of the box, or so short that this is next to
** nothing, and need no tangents.
**
** A ring is taken for the smaller of the two parts into which it cuts the
** globe.  If its longitudes span less than 180 degrees it contains no pole, and
** its edges bound it.  Otherwise it may go around a pole.  If the ring is north
** of the equator, the smaller part is north too, and the pole is the northern
** one.  The box then goes up to the pole, and has all longitudes.  If a ring is
** on both sides of the equator, its box is the globe.  The same is done for an
** edge that comes near a pole.
*/
#include "core/geo/geo_bounds.h"

#include <math.h>

static const double ELLIPSOID = 1.12;    /* d of a great circle: see above   */
static const double NEAR_POLE = 179;     /* an edge with more longitudes     */
static const double MOST_RISE = 0.0012;  /* degrees, of d = 1, squared       */
static const double RISE_HOLDS = 30;     /* ... for d up to here             */
static const double SHORT = 1e-3;        /* d of an edge without tangents    */
static const double ROUNDED = 1e-11;     /* degrees; the computation has less */

void pq_geo_bounds_begin(PqGeoBounds *b, bool is_geography, bool is_sphere)
{
    *b = (PqGeoBounds){.is_geography = is_geography, .is_sphere = is_sphere};
}

/* ---- arcs ---------------------------------------------------------------- */

/* Between an arc and the next. */
static double gap(const PqGeoArcs *a, uint32_t i)
{
    return a->arc[i + 1].west - a->arc[i].east;
}

void pq_geo_arcs_insert(PqGeoArcs *a, double west, double east)
{
    uint32_t from = 0, to;
    PqGeoArc *arc;

    /* The arcs in [from, to) become one with it. */
    while (from < a->n && a->arc[from].east < west - PQ_GEO_NARROW) {
        from++;
    }
    to = from;
    while (to < a->n && a->arc[to].west <= east + PQ_GEO_NARROW) {
        west = a->arc[to].west < west ? a->arc[to].west : west;
        east = a->arc[to].east > east ? a->arc[to].east : east;
        to++;
    }
    arc = a->arc + from;
    memmove(arc + 1, a->arc + to, (a->n - to) * sizeof *arc);
    a->n += 1 + from - to;
    *arc = (PqGeoArc){west, east};
    a->recent = from;
}

bool pq_geo_arcs_smallest(const PqGeoArcs *a, double *west, double *east)
{
    double widest;

    if (a->n == 0) {
        return false;
    }
    *west = a->arc[0].west;
    *east = a->arc[a->n - 1].east;
    widest = *west + 360 - *east;
    for (uint32_t i = 0; i + 1 < a->n; i++) {
        if (gap(a, i) > widest) {
            widest = gap(a, i);
            *west = a->arc[i + 1].west;
            *east = a->arc[i].east;
        }
    }
    return true;
}

/* ---- vertices and edges of a GEOGRAPHY ----------------------------------- */

/* For an edge or a ring with these latitudes, which may contain a pole. */
static void add_pole(PqGeoBounds *b, double low, double high)
{
    pq_geo_arcs_add(&b->arcs, -180, 180);
    if (!(high < 0)) {
        pq_geo_box_add(&b->box, PQ_GEO_Y, 90);
    }
    if (!(low > 0)) {
        pq_geo_box_add(&b->box, PQ_GEO_Y, -90);
    }
}

/* Most coordinates are within the box of the coordinates before. */
static inline void add_number(PqGeoBox *b, int axis, double v)
{
    if (!b->has[axis] || !(v >= b->min[axis] && v <= b->max[axis])) {
        pq_geo_box_add(b, axis, v);
    }
}

/* Ignores a NaN.  False: the point is not on the globe. */
static inline bool add_vertex(PqGeoBounds *b, double x, double y)
{
    if (fabs(x) <= 180 && fabs(y) <= 90) {
        pq_geo_arcs_add(&b->arcs, x, x);
        add_number(&b->box, PQ_GEO_Y, y);
        return true;
    }
    b->is_off |= fabs(x) > 180 || fabs(y) > 90;
    if (fabs(x) <= 180) {
        pq_geo_arcs_add(&b->arcs, x, x);
    }
    pq_geo_box_add(&b->box, PQ_GEO_Y, y);
    return false;
}

static void add_top(PqGeoBounds *b, double y)
{
    pq_geo_box_add(&b->box, PQ_GEO_Y, fmin(nextafter(y, INFINITY), 90));
}

static void add_bottom(PqGeoBounds *b, double y)
{
    pq_geo_box_add(&b->box, PQ_GEO_Y, fmax(nextafter(y, -INFINITY), -90));
}

static void add_rise(PqGeoBounds *b, double d, double low, double high)
{
    const double degree = acos(-1) / 180;
    double t1 = tan(low * degree), t2 = tan(high * degree);
    double c = cos(d * degree), s = sin(d * degree);
    double across = (t2 - t1 * c) / s;
    double top = atan(sqrt(t1 * t1 + across * across)) / degree + ROUNDED;

    if (t2 > t1 * c && t1 > t2 * c) {
        add_top(b, top);
    } else if (t2 < t1 * c && t1 < t2 * c) {
        add_bottom(b, -top);
    }
}

/* Adds the latitudes of an edge between its ends, which are in the box already.
** d: the longitudes between the ends.  An edge rises above the higher end only
** if the lower end is near it: within what an edge of twice the length can
** rise. */
static void add_latitudes(PqGeoBounds *b, double d, double low, double high)
{
    double most = d <= RISE_HOLDS ? d * d * MOST_RISE : 180;

    if (d == 0 || (2 * d <= RISE_HOLDS && high - low > 4 * most) ||
        (high + most < b->box.max[PQ_GEO_Y] &&
         low - most > b->box.min[PQ_GEO_Y])) {
        return;
    }
    if (d > SHORT) {
        add_rise(b, d, low, high);
        return;
    }
    if (high > 0) {
        add_top(b, high + most);
    }
    if (low < 0) {
        add_bottom(b, low - most);
    }
}

/* Adds an edge between vertices that were added.  An edge over 360 degrees is
** taken for a parallel, because boxes of the globe are written like that.  A
** pole has all longitudes. */
static void add_edge(PqGeoBounds *b, double x1, double y1, double x2, double y2)
{
    double west = x1 < x2 ? x1 : x2, east = x1 < x2 ? x2 : x1;
    double low = y1 < y2 ? y1 : y2, high = y1 < y2 ? y2 : y1;
    double d = east - west;

    if (d <= 180 || d == 360) {
        pq_geo_arcs_add(&b->arcs, west, east);
    } else {
        pq_geo_arcs_add(&b->arcs, east, 180);
        pq_geo_arcs_add(&b->arcs, -180, west);
    }
    if (low == -90 || high == 90) {
        pq_geo_arcs_add(&b->arcs, -180, 180);
    }
    d = d > 180 ? 360 - d : d;
    d *= b->is_sphere ? 1 : ELLIPSOID;
    if (d > NEAR_POLE) {
        add_pole(b, low, high);
    } else {
        add_latitudes(b, d, low, high);
    }
}

/* ---- lines and rings ----------------------------------------------------- */

/* Where a line is.  Vertices with a NaN do not count. */
typedef struct Line {
    PqGeoBounds *b;
    bool         is_begun;
    double       x1, y1;             /* first vertex                         */
    double       x, y;               /* last                                 */
    double       turned;             /* eastwards, since the first           */
    double       west, east;         /* of turned                            */
    double       low, high;          /* of y                                 */
} Line;

static void line_to(Line *l, double x, double y)
{
    double step = x - l->x;

    if (!l->is_begun) {
        l->is_begun = true;
        l->x1 = l->x = x;
        l->y1 = l->y = l->low = l->high = y;
        return;
    }
    add_edge(l->b, l->x, l->y, x, y);
    l->turned += step > 180 ? step - 360 : step < -180 ? step + 360 : step;
    l->west = l->turned < l->west ? l->turned : l->west;
    l->east = l->turned > l->east ? l->turned : l->east;
    l->low = y < l->low ? y : l->low;
    l->high = y > l->high ? y : l->high;
    l->x = x;
    l->y = y;
}

typedef struct Adding {
    PqGeoBounds *b;
    PqGeoKind    kind;               /* of the geometry that was begun       */
} Adding;

static PqRc adding_begin(void *arg, const PqWkbHead *h, uint32_t n,
                         uint32_t depth, PqErr *e)
{
    Adding *a = arg;

    a->kind = h->kind;
    return PQ_OK;
}

/* A POINT, a LINESTRING or a ring. */
static PqRc adding_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    const Adding *a = arg;
    Line line = {.b = a->b};
    const uint8_t *p = r->p;

    for (uint32_t i = 0; i < r->n; i++, p += (size_t)r->n_axes * 8) {
        double x = pq_wkb_number(p, r->swapped);
        double y = pq_wkb_number(p + 8, r->swapped);
        if (add_vertex(a->b, x, y)) {
            line_to(&line, x, y);
        }
    }
    if (a->kind == PQ_GEO_POLYGON && line.is_begun) {
        line_to(&line, line.x1, line.y1);
        if (line.east - line.west >= 180) {
            add_pole(a->b, line.low, line.high);
        }
    }
    pq_wkb_widen_zm(&a->b->box, r);
    return PQ_OK;
}

/* ---- values -------------------------------------------------------------- */

/* A bit per type, in the order of the codes. */
static void add_code(PqGeoBounds *b, uint32_t code)
{
    b->codes |= (uint32_t)1 << (code % 1000 - 1 + 7 * (code / 1000));
}

static bool add_any(PqGeoBounds *b, PqSlice wkb)
{
    Adding a = {.b = b};
    PqWkbEvents events = {.arg = &a, .begin = adding_begin, .run = adding_run};
    PqGeoBox box;
    PqWkbHead h;

    if (b->is_geography) {
        if (pq_wkb_runs(wkb, &events, NULL) != PQ_OK) {
            return false;
        }
    } else {
        if (!pq_wkb_bounds(wkb, &box)) {
            return false;
        }
        pq_geo_box_join(&b->box, &box);
    }
    if (pq_wkb_head(wkb, &h)) {
        add_code(b, pq_wkb_code(&h));
    }
    return true;
}

void pq_geo_bounds_add(PqGeoBounds *b, PqSlice wkb)
{
    double x, y;

    if (!pq_wkb_point_xy(wkb, &x, &y)) {
        b->invalid |= !add_any(b, wkb);
        return;
    }
    add_code(b, PQ_GEO_POINT);
    if (b->is_geography) {
        add_vertex(b, x, y);
    } else {
        add_number(&b->box, PQ_GEO_X, x);
        add_number(&b->box, PQ_GEO_Y, y);
    }
}

void pq_geo_bounds_join(PqGeoBounds *b, const PqGeoBounds *other)
{
    b->invalid |= other->invalid;
    b->is_off |= other->is_off;
    b->codes |= other->codes;
    pq_geo_box_join(&b->box, &other->box);
    for (uint32_t i = 0; i < other->arcs.n; i++) {
        pq_geo_arcs_add(&b->arcs, other->arcs.arc[i].west,
                        other->arcs.arc[i].east);
    }
}

static void add_arc(PqGeoBounds *b, double west, double east)
{
    if (west < -180 || east > 180 || west > 180 || east < -180) {
        b->is_off = true;
    } else if (west <= east) {
        pq_geo_arcs_insert(&b->arcs, west, east);
    } else {
        pq_geo_arcs_insert(&b->arcs, west, 180);
        pq_geo_arcs_insert(&b->arcs, -180, east);
    }
}

static bool is_code(uint32_t code)
{
    return code < 4000 && code % 1000 >= 1 && code % 1000 <= 7;
}

/* Neither NaN nor, unless X may wrap, the wrong way round. */
static bool is_box(const PqGeoBounds *b, const PqGeoBox *box)
{
    bool good = pq_geo_box_is_whole(box) &&
                (!b->is_geography || box->min[PQ_GEO_X] == box->min[PQ_GEO_X]);

    for (int i = b->is_geography ? PQ_GEO_Y : PQ_GEO_X; i < PQ_GEO_AXES; i++) {
        good = good && (!box->has[i] || box->min[i] <= box->max[i]);
    }
    return good && (!b->is_geography || box->max[PQ_GEO_X] == box->max[PQ_GEO_X]);
}

void pq_geo_bounds_said(PqGeoBounds *b, const PqGeoBox *box,
                        const uint32_t *codes, uint32_t n)
{
    PqGeoBox other;

    b->invalid |= !box || n == 0 || !is_box(b, box);
    for (uint32_t i = 0; i < n && !b->invalid; i++) {
        b->invalid = !is_code(codes[i]);
        if (!b->invalid) {
            add_code(b, codes[i]);
        }
    }
    if (b->invalid) {
        return;
    }
    other = *box;
    if (b->is_geography) {
        add_arc(b, box->min[PQ_GEO_X], box->max[PQ_GEO_X]);
        other.has[PQ_GEO_X] = false;
    }
    pq_geo_box_join(&b->box, &other);
}

bool pq_geo_bounds_box(const PqGeoBounds *b, PqGeoBox *out)
{
    *out = b->box;
    if (b->is_geography) {
        out->has[PQ_GEO_X] = pq_geo_arcs_smallest(
            &b->arcs, &out->min[PQ_GEO_X], &out->max[PQ_GEO_X]);
    }
    return !b->invalid && !b->is_off && pq_geo_box_is_whole(out);
}

uint32_t pq_geo_bounds_codes(const PqGeoBounds *b, int32_t out[PQ_GEO_CODES])
{
    uint32_t n = 0;

    for (int i = 0; i < PQ_GEO_CODES && !b->invalid; i++) {
        if (b->codes >> i & 1) {
            out[n++] = i / 7 * 1000 + i % 7 + 1;
        }
    }
    return n;
}
