/*
** verify_geo.c - the geospatial statistics of a chunk, compared with its values.
**
**   box    x 170 .. -170, y -5 .. 5     it wraps, so x = 175 lies within
**   types  1, 1002                      POINT, LINESTRING Z
**
** Only the coordinates of a geometry are compared, not its edges: on a globe
** edges reach further, and how far depends on precision.  A box may be too
** large.  A chunk has at most one finding for each kind of mistake.
*/
#include "core/verify/verify_inside.h"

#include "core/geo/wkb.h"
#include "core/meta/geometry.h"
#include "core/text/number_text.h"

#include <math.h>

static const PqGeospatialStatistics *said_of(const PqChunkCheck *c)
{
    return &c->r.chunk.meta_data.geospatial_statistics;
}

static const char *number(PqVerify *v, double d, PqErr *e)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    return pq_arena_text(&v->arena, text, pq_number_text_double(d, text), e);
}

static bool lies_within(int axis, double v, double min, double max)
{
    return axis == PQ_GEO_X && min > max ? !(v < min && v > max)
                                         : !(v < min || v > max);
}

/* On a globe -180 equals 180, and S2 changes one into the other. */
static bool is_other_end(const PqChunkCheck *c, int axis, double v, double min,
                         double max)
{
    return c->leaf->type.logical == PQ_TYPE_GEOGRAPHY && axis == PQ_GEO_X &&
           fabs(v) == 180 && lies_within(axis, -v, min, max);
}

static double nearer(double v, double min, double max)
{
    return fabs(v - min) < fabs(v - max) ? min : max;
}

/* QUIRK: DataFusion 52 computes boxes on a globe in radians, so the last digit
** may be off (tests: the samples geography-lines and geography-polygons). */
static bool is_rounding(const PqChunkCheck *c, int axis, double v, double min,
                        double max)
{
    return c->leaf->type.logical == PQ_TYPE_GEOGRAPHY && axis <= PQ_GEO_Y &&
           fabs(v - nearer(v, min, max)) < 1e-9;
}

static PqRc check_axis(PqChunkCheck *c, int axis, double v, PqErr *e)
{
    PqVerify *to = c->v;
    double min, max;

    if (!pq_geometry_said(&said_of(c)->bbox, axis, &min, &max) ||
        lies_within(axis, v, min, max) ||
        is_other_end(c, axis, v, min, max) || c->box_failed) {
        return PQ_OK;
    }
    c->box_failed = true;
    return pq_verify_find(to, is_rounding(c, axis, v, min, max)
                                  ? PQ_FINDING_WARNING : PQ_FINDING_ERROR,
                          "geo_bbox", number(to, v, e),
                          number(to, nearer(v, min, max), e), e, "a geometry lies "
                          "outside of the box, by its %s", pq_geo_axis_names[axis]);
}

static PqRc check_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    const int axes[] = {PQ_GEO_X, PQ_GEO_Y, r->has_z ? PQ_GEO_Z : PQ_GEO_M,
                        PQ_GEO_M};
    const uint8_t *p = r->p;

    for (uint32_t i = 0; i < r->n; i++) {
        for (uint32_t k = 0; k < r->n_axes; k++, p += 8) {
            PQ_TRY(check_axis(arg, axes[k], pq_wkb_number(p, r->swapped), e));
        }
    }
    return PQ_OK;
}

static bool lists(const PqI32List *types, uint32_t code)
{
    for (uint32_t i = 0; i < types->n; i++) {
        if (types->v[i] == (int32_t)code) {
            return true;
        }
    }
    return types->n == 0;            /* not known */
}

static PqRc begin(void *arg, const PqWkbHead *h, uint32_t n, uint32_t depth,
                  PqErr *e)
{
    PqChunkCheck *c = arg;

    if (depth > 0 || c->types_failed ||
        lists(&said_of(c)->geospatial_types, pq_wkb_code(h))) {
        return PQ_OK;
    }
    c->types_failed = true;
    return pq_verify_find(c->v, PQ_FINDING_ERROR, "geo_types",
                          pq_verify_number(c->v, pq_wkb_code(h), e), NULL, e,
                          "a geometry has a type that the list lacks");
}

/* Whatever follows a mistake in a value is not looked at. */
PqRc pq_verify_geometry(PqChunkCheck *c, PqSlice wkb, PqErr *e)
{
    PqWkbEvents events = {.arg = c, .begin = begin, .run = check_run};
    PqErr why;

    pq_err_init(&why);
    if (pq_wkb_check(wkb, &why) == PQ_OK) {
        return pq_wkb_runs(wkb, &events, e);
    }
    if (c->wkb_failed) {
        return PQ_OK;
    }
    c->wkb_failed = true;
    return pq_verify_find(c->v, PQ_FINDING_WARNING, "value", NULL, NULL, e, "%s",
                          why.text);
}
