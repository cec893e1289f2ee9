/*
** row_box.c - boxes of rows, from a footer or an index.
**
** The hard part is to know what can be believed.  A doubtful axis counts as
** unknown; a box without axes rules nothing out.
**
**   native box    X may wrap (min > max).  It then says nothing of a line over
**                 the antimeridian, whose planar box goes round the other way.
**                 So it counts only if all geometries are known to be points.
**                 On a globe -180 and 180 are one longitude, and the box may
**                 have the other one.
**   covering      A row without values in the covering has an unknown box,
**                 unless its geometry is null.  So the covering must not have
**                 more nulls than the geometry over the same rows.  NaNs count
**                 as nulls where they are counted.
**                 FLOATs may have been rounded to nearest: they are widened.
**                 X of a row may wrap.  It is not used where that may be.
**                 Bounds do not show such a row beside rows that reach as far,
**                 so wide bounds may reach both sides of the antimeridian.
**                 Beside an encrypted geometry, a covering in the clear could
**                 be anyone's, and so could what a footer that was not verified
**                 calls its covering.
**   x, y          Leaves that are the coordinates have none of these doubts.
*/
#include "core/scan/row_box.h"

#include <math.h>

/* ---- leaves -------------------------------------------------------------- */

bool pq_cover_is_authentic(const PqFooter *f, const PqNode *node)
{
    const PqFileLocks *l = f->locks;
    bool yes = true;

    if (!l || node->leaf < 0 || !l->of_leaf[node->leaf]) {
        return true;
    }
    for (int k = 0; k < PQ_COVERS; k++) {
        yes = yes && l->of_leaf[node->geometry->cover[k]];
    }
    return yes && l->verified;
}

PqGeoCover pq_geo_cover(const PqFooter *f, const PqNode *node)
{
    const PqGeometry *g = node ? node->geometry : NULL;
    const PqSchema *schema = &f->schema;
    PqGeoCover c = {0};

    if (pq_node_is_flat_leaf(node)) {
        c.own = &schema->leaves[node->leaf];
    }
    if (!g || g->cover[0] < 0 || (!c.own && !g->cover_is_x_y) ||
        !pq_cover_is_authentic(f, node)) {
        return c;
    }
    for (int k = 0; k < PQ_COVERS; k++) {
        c.leaf[k] = &schema->leaves[g->cover[k]];
    }
    c.is_x_y = g->cover_is_x_y;
    c.x_may_wrap = g->cover_may_wrap && !c.is_x_y;
    c.leaf[PQ_BOX_OWN] = c.is_x_y ? c.leaf[0] : c.own;
    return c;
}

/* ---- boxes out of bounds ------------------------------------------------- */

static bool read_bound(const PqType *t, PqSlice v, double *out)
{
    float f;

    if (t->physical == PQ_DOUBLE && v.n == sizeof *out) {
        memcpy(out, v.p, sizeof *out);
        return true;
    }
    if (t->physical != PQ_FLOAT || v.n != sizeof f) {
        return false;
    }
    memcpy(&f, v.p, sizeof f);
    *out = (double)f;
    return true;
}

static bool range_of(const PqLeafBounds *b, double *min, double *max)
{
    return b->bounds.has_min && b->bounds.has_max &&
           read_bound(&b->leaf->type, b->bounds.min, min) &&
           read_bound(&b->leaf->type, b->bounds.max, max);
}

/* The next float towards `to`; a double stays as it is. */
static double step(const PqLeafBounds *b, double v, double to)
{
    return b->leaf->type.physical == PQ_FLOAT
               ? (double)nextafterf((float)v, (float)to) : v;
}

/* Do all rows with a geometry have a value in this leaf of the covering?
** Counts can be compared if they are about the same rows. */
static bool is_filled(const PqLeafBounds *b, const PqLeafBounds *own,
                      int64_t n_rows)
{
    int64_t nulls = b->leaf->max_def == 0 ? 0 : b->bounds.n_nulls;

    if (nulls < 0) {
        return false;
    }
    nulls += b->bounds.n_nans > 0 ? b->bounds.n_nans : 0;
    return nulls == 0 || (b->n_values == n_rows && own->n_values == n_rows &&
                          own->bounds.n_nulls >= nulls);
}

/* An axis by the leaves of its least and its greatest coordinates. */
static bool axis_of(const PqGeoCover *c, const PqLeafBounds *low,
                    const PqLeafBounds *high, const PqLeafBounds *own,
                    int64_t n_rows, double *min, double *max)
{
    double most_low, least_high;

    if (!range_of(low, min, &most_low) || !range_of(high, &least_high, max) ||
        !(*min <= least_high && most_low <= *max)) {
        return false;
    }
    if (c->is_x_y) {
        return true;
    }
    *min = step(low, *min, -HUGE_VAL);
    *max = step(high, *max, HUGE_VAL);
    return is_filled(low, own, n_rows) && is_filled(high, own, n_rows);
}

/* In GeoParquet boxes of rows may wrap, whatever it says about edges:
**
**    xmin   xmax
**    -180    175      a line
**     170   -170      wraps; the bounds of both rows are -180 and 175
**
** The bounds are at least as wide as the gap that the box leaves out.  A writer
** makes a box wrap because that box is smaller than the plane's, so this gap is
** wide: we take 90 degrees.  Bounds that are off the globe have other units. */
static void doubt_x(PqRowBox *b)
{
    if (b->max_x - b->min_x > 90 && b->min_x <= 180 && b->max_x >= -180) {
        b->min_x = fmin(b->min_x, -180);
        b->max_x = fmax(b->max_x, 180);
    }
}

PqRowBox pq_cover_box(const PqGeoCover *c, const PqLeafBounds b[PQ_BOX_LEAVES],
                      int64_t n_rows)
{
    PqRowBox out = {.none = b[PQ_BOX_OWN].bounds.all_null};

    out.has_x = !c->x_may_wrap &&
                axis_of(c, &b[PQ_COVER_XMIN], &b[PQ_COVER_XMAX], &b[PQ_BOX_OWN],
                        n_rows, &out.min_x, &out.max_x);
    if (out.has_x && !c->is_x_y) {
        doubt_x(&out);
    }
    out.has_y = axis_of(c, &b[PQ_COVER_YMIN], &b[PQ_COVER_YMAX], &b[PQ_BOX_OWN],
                        n_rows, &out.min_y, &out.max_y);
    return out;
}

static bool only_points(const PqI32List *codes)
{
    for (uint32_t i = 0; i < codes->n; i++) {
        if (codes->v[i] % 1000 != PQ_GEO_POINT || codes->v[i] < 0 ||
            codes->v[i] > 3001) {
            return false;
        }
    }
    return codes->n > 0;
}

/* -180 and 180 are one longitude of a globe: a box that ends at one of them may
** hold points at the other.
**
**   -10 .. 180     an X of -180 too: now it wraps, and is 180 up or -180 down
**
** S2 turns every -180 into 180. */
static void add_other_end(PqRowBox *b)
{
    if (b->max_x >= 180 && b->min_x > -180 && b->min_x <= 180) {
        b->max_x = -180;
    } else if (b->min_x <= -180 && b->max_x < 180 && b->max_x >= -180) {
        b->min_x = 180;
    }
}

/* A NaN compares as false, and its axis is not known.
**
** QUIRK: DataFusion 52.5.0 computes boxes of a GEOGRAPHY with angles, and they
** lack their own vertices by up to 1.5e-14 degrees (geo_samples.py). */
static void take_native(const PqGeospatialStatistics *g, bool is_geography,
                        PqRowBox *out)
{
    const double more = is_geography ? 1e-9 : 0;
    const PqBoundingBox *b = &g->bbox;
    bool plain = b->xmin <= b->xmax;

    if (!PQ_HAS(g, PQ_GEOSPATIAL_BBOX)) {
        return;
    }
    out->min_x = b->xmin - more;
    out->max_x = b->xmax + more;
    out->min_y = b->ymin - more;
    out->max_y = b->ymax + more;
    out->has_y = b->ymin <= b->ymax;
    if (plain && is_geography) {
        add_other_end(out);
        plain = out->min_x <= out->max_x;
    }
    out->has_x = plain ||
                 (out->min_x > out->max_x && b->xmin <= 180 &&
                  b->xmax >= -180 &&
                  only_points(&g->geospatial_types));
}

/* ---- row groups ---------------------------------------------------------- */

PqRc pq_chunk_bounds(const PqFooter *f, uint32_t group, const PqLeaf *leaf,
                     PqArena *a, PqLeafBounds *out, PqErr *e)
{
    PqColumnChunk chunk;

    PQ_TRY(pq_footer_chunk(f, group, leaf->index, a, &chunk, e));
    out->leaf = leaf;
    out->bounds = pq_stats_chunk(f, leaf->index, &chunk.meta_data);
    out->n_values = chunk.meta_data.num_values;
    return PQ_OK;
}

static PqRc native_box(const PqFooter *f, const PqLeaf *leaf, uint32_t group,
                       bool statistics, PqArena *a, PqRowBox *out, PqErr *e)
{
    PqColumnChunk chunk;

    PQ_TRY(pq_footer_chunk(f, group, leaf->index, a, &chunk, e));
    if (statistics) {
        out->none = pq_stats_chunk(f, leaf->index, &chunk.meta_data).all_null;
    }
    take_native(&chunk.meta_data.geospatial_statistics,
                leaf->type.logical == PQ_TYPE_GEOGRAPHY, out);
    return PQ_OK;
}

PqRc pq_cover_bounds(const PqFooter *f, const PqGeoCover *c, uint32_t group,
                     PqArena *a, PqLeafBounds b[PQ_BOX_LEAVES], PqErr *e)
{
    for (uint32_t k = 0; k < PQ_BOX_LEAVES; k++) {
        PQ_TRY(pq_chunk_bounds(f, group, c->leaf[k], a, &b[k], e));
    }
    return PQ_OK;
}

PqRc pq_group_boxes(const PqFooter *f, const PqGeoCover *c, uint32_t group,
                    bool statistics, PqArena *a, PqRowBox *native,
                    PqRowBox *cover, PqErr *e)
{
    PqLeafBounds b[PQ_BOX_LEAVES];

    *native = *cover = (PqRowBox){0};
    if (c->own) {
        PQ_TRY(native_box(f, c->own, group, statistics, a, native, e));
    }
    if (pq_has_cover(c) && statistics) {
        PQ_TRY(pq_cover_bounds(f, c, group, a, b, e));
        *cover = pq_cover_box(c, b, f->groups[group].num_rows);
    }
    return PQ_OK;
}

PqGeoBox pq_row_box(const PqRowBox *b)
{
    return (PqGeoBox){.has = {[PQ_GEO_X] = b->has_x, [PQ_GEO_Y] = b->has_y},
                      .min = {[PQ_GEO_X] = b->min_x, [PQ_GEO_Y] = b->min_y},
                      .max = {[PQ_GEO_X] = b->max_x, [PQ_GEO_Y] = b->max_y}};
}
