/*
** wkb_door.c - fuzz door to core/geo: a geometry from a stranger, in WKB.
**
** All of the input is the geometry.  It is checked, walked, bounded, counted,
** copied as ISO WKB, and added to statistics.  All of them have to agree: valid
** or not, the same points, the same box; a copy is the same geometry, and a
** copy of the copy the same bytes; statistics contain every vertex.
*/
#include "core/geo/geo_bounds.h"
#include "core/geo/hilbert.h"
#include "core/geo/wkb.h"
#include "test/fuzz/door.h"

#include <math.h>
#include <stdlib.h>

/* What a walk has met. */
typedef struct Met {
    uint64_t           points;
    uint64_t           lost;         /* of POLYGONs whose first ring is empty */
    uint32_t           depth;        /* geometries that have not ended       */
    uint32_t           claimed;      /* points of this run still to come     */
    PqWkbHead          head[PQ_GEO_DEPTH + 1];
    uint32_t           rings;        /* of this POLYGON                      */
    bool               is_void;      /* its first ring is empty              */
    PqGeoBox           box, outer;   /* outer: of first rings                */
    const PqGeoBox    *around;       /* contains every vertex, or NULL       */
} Met;

static PqRc meet_begin(void *arg, const PqWkbHead *h, uint32_t n,
                       uint32_t depth, PqErr *e)
{
    Met *m = arg;

    DOOR_CHECK(depth == m->depth && depth <= PQ_GEO_DEPTH && m->claimed == 0);
    DOOR_CHECK(depth == 0 || m->head[depth - 1].kind >= PQ_GEO_MULTIPOINT);
    m->head[m->depth++] = *h;
    m->rings = 0;
    m->is_void = false;
    m->claimed = h->kind <= PQ_GEO_LINESTRING ? n : 0;
    return PQ_OK;
}

static PqRc meet_ring(void *arg, uint32_t n_points, PqErr *e)
{
    Met *m = arg;

    DOOR_CHECK(m->head[m->depth - 1].kind == PQ_GEO_POLYGON);
    m->claimed = n_points;
    m->is_void = m->rings ? m->is_void : n_points == 0;
    m->rings++;
    return PQ_OK;
}

static bool is_in(const PqGeoBox *b, int axis, double v)
{
    bool wraps = axis == PQ_GEO_X && b->min[axis] > b->max[axis];

    return isnan(v) ||
           (b->has[axis] && (wraps ? v >= b->min[axis] || v <= b->max[axis]
                                   : v >= b->min[axis] && v <= b->max[axis]));
}

static void meet_point(Met *m, const double *v)
{
    const PqWkbHead *h = &m->head[m->depth - 1];
    int axes[] = {PQ_GEO_X, PQ_GEO_Y, h->has_z ? PQ_GEO_Z : PQ_GEO_M, PQ_GEO_M};
    int i;

    DOOR_CHECK(m->claimed > 0);
    m->claimed--;
    m->points++;
    m->lost += m->is_void;
    for (i = 0; i < 2 + h->has_z + h->has_m; i++) {
        pq_geo_box_add(&m->box, axes[i], v[i]);
        if (m->rings <= 1) {
            pq_geo_box_add(&m->outer, axes[i], v[i]);
        }
        DOOR_CHECK(!m->around || is_in(m->around, axes[i], v[i]));
    }
    pq_hilbert(pq_hilbert_cell(v[0]), pq_hilbert_cell(v[1]));
}

static PqRc meet_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    const uint8_t *p = r->p;
    double v[PQ_GEO_AXES];

    for (uint32_t i = 0; i < r->n; i++) {
        for (uint32_t k = 0; k < r->n_axes; k++, p += 8) {
            v[k] = pq_wkb_number(p, r->swapped);
        }
        meet_point(arg, v);
    }
    return PQ_OK;
}

static PqRc meet_end(void *arg, PqErr *e)
{
    Met *m = arg;

    DOOR_CHECK(m->depth > 0 && m->claimed == 0);
    m->depth--;
    return PQ_OK;
}

static PqRc meet_ring_end(void *arg, PqErr *e)
{
    const Met *m = arg;

    DOOR_CHECK(m->claimed == 0);
    return PQ_OK;
}

static PqRc meet(PqSlice wkb, Met *m, PqErr *e)
{
    PqWkbEvents v = {m, meet_begin, meet_ring, meet_run, meet_ring_end,
                     meet_end};

    return pq_wkb_runs(wkb, &v, e);
}

static bool same_axis(const PqGeoBox *a, const PqGeoBox *b, int axis)
{
    return a->has[axis] == b->has[axis] &&
           (!a->has[axis] || (a->min[axis] == b->min[axis] &&
                              a->max[axis] == b->max[axis]));
}

/* A box that wraps is that of a box which is cut. */
static void check_wrapped(const PqGeoBox *b, PqMem *mem)
{
    PqGeoBox again;
    PqBuf out;
    PqErr e;

    pq_err_init(&e);
    pq_buf_init(&out, mem, &e);
    pq_wkb_put_box(&out, b->min[PQ_GEO_X], b->min[PQ_GEO_Y], b->max[PQ_GEO_X],
                   b->max[PQ_GEO_Y]);
    DOOR_CHECK(pq_wkb_box(pq_buf_view(&out), &again));
    DOOR_CHECK(same_axis(b, &again, PQ_GEO_X) &&
               same_axis(b, &again, PQ_GEO_Y));
    pq_buf_free(&out);
}

static void check_box(PqSlice wkb, const Met *met, PqMem *mem)
{
    PqGeoBox box;
    int axis;

    DOOR_CHECK(pq_wkb_bounds(wkb, &box));
    for (axis = 0; axis < PQ_GEO_AXES; axis++) {
        DOOR_CHECK(same_axis(&box, &met->box, axis));
    }
    DOOR_CHECK(pq_wkb_box(wkb, &box));
    for (axis = PQ_GEO_Y; axis < PQ_GEO_AXES; axis++) {
        DOOR_CHECK(same_axis(&box, &met->outer, axis));
    }
    if (box.has[PQ_GEO_X] && box.min[PQ_GEO_X] > box.max[PQ_GEO_X]) {
        DOOR_CHECK(met->head[0].kind == PQ_GEO_MULTIPOLYGON);
        DOOR_CHECK(met->outer.min[PQ_GEO_X] == -180 &&
                   met->outer.max[PQ_GEO_X] == 180);
        check_wrapped(&box, mem);
    } else {
        DOOR_CHECK(same_axis(&box, &met->outer, PQ_GEO_X));
    }
    if (pq_geo_box_is_whole(&box)) {
        DOOR_CHECK(pq_geo_box_relates(PQ_GEO_WITHIN, &box, &box));
        DOOR_CHECK(pq_geo_box_may_relate(PQ_GEO_CONTAINS, &box, &box));
    }
}

/* The same points, and then the same bytes. */
static void check_iso(PqSlice wkb, const Met *met, PqMem *mem)
{
    Met again = {0};
    PqBuf iso, twice;
    PqErr e;
    int axis;

    pq_err_init(&e);
    pq_buf_init(&iso, mem, &e);
    pq_buf_init(&twice, mem, &e);
    DOOR_CHECK(pq_wkb_to_iso(wkb, &iso, &e) == PQ_OK && iso.n <= wkb.n);
    DOOR_CHECK(meet(pq_buf_view(&iso), &again, &e) == PQ_OK);
    DOOR_CHECK(again.points == met->points && again.head[0].is_iso &&
               pq_wkb_code(&again.head[0]) == pq_wkb_code(&met->head[0]));
    for (axis = 0; axis < PQ_GEO_AXES; axis++) {
        DOOR_CHECK(same_axis(&again.box, &met->box, axis));
    }
    DOOR_CHECK(pq_wkb_to_iso(pq_buf_view(&iso), &twice, &e) == PQ_OK);
    DOOR_CHECK(pq_slice_equal(pq_buf_view(&iso), pq_buf_view(&twice)));
    pq_buf_free(&iso);
    pq_buf_free(&twice);
}

static void check_bounds(PqSlice wkb, const Met *met, bool is_geography,
                         bool is_sphere)
{
    Met again = {0};
    PqGeoBounds b, twice;
    int32_t codes[PQ_GEO_CODES];
    PqGeoBox box;
    PqErr e;

    pq_err_init(&e);
    pq_geo_bounds_begin(&b, is_geography, is_sphere);
    pq_geo_bounds_add(&b, wkb);
    twice = b;
    pq_geo_bounds_join(&twice, &b);
    DOOR_CHECK(b.invalid == !met && twice.arcs.n == b.arcs.n);
    DOOR_CHECK(pq_geo_bounds_codes(&b, codes) == (met != NULL));
    DOOR_CHECK(pq_geo_bounds_box(&b, &box) == pq_geo_bounds_box(&twice, &box));
    if (!met) {
        return;
    }
    DOOR_CHECK((uint32_t)codes[0] == pq_wkb_code(&met->head[0]));
    if (pq_geo_bounds_box(&b, &box)) {
        again.around = &box;
        DOOR_CHECK(meet(wkb, &again, &e) == PQ_OK);
        DOOR_CHECK(!is_geography ||
                   (fabs(box.min[PQ_GEO_X]) <= 180 &&
                    fabs(box.max[PQ_GEO_X]) <= 180 &&
                    box.min[PQ_GEO_Y] >= -90 && box.max[PQ_GEO_Y] <= 90));
    } else {
        DOOR_CHECK(b.is_off || !pq_geo_box_is_whole(&met->box));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e, e2;
    PqMem *mem = door_open(&e);
    uint8_t *own = door_copy(pq_slice(bytes, n));
    PqSlice wkb = pq_slice(own, n);
    Met met = {0};
    uint64_t points;
    PqGeoBox box;
    PqWkbHead h;
    bool valid;

    e.where.file = DOOR_FILE;
    e2 = e;
    valid = pq_wkb_check(wkb, &e) == PQ_OK;
    DOOR_CHECK(meet(wkb, &met, &e2) == e.rc && strcmp(e.text, e2.text) == 0);
    DOOR_CHECK(valid || e.rc == PQ_USAGE);
    DOOR_CHECK(pq_wkb_count(wkb, &points) == valid);
    DOOR_CHECK(pq_wkb_box(wkb, &box) == valid);
    DOOR_CHECK(pq_wkb_bounds(wkb, &box) == valid);
    DOOR_CHECK(pq_wkb_head(wkb, &h) || !valid);
    if (valid) {
        DOOR_CHECK(points + met.lost == met.points && met.depth == 0);
        check_box(wkb, &met, mem);
        check_iso(wkb, &met, mem);
    }
    check_bounds(wkb, valid ? &met : NULL, false, false);
    check_bounds(wkb, valid ? &met : NULL, true, true);
    check_bounds(wkb, valid ? &met : NULL, true, false);
    door_check_error(&e, DOOR_FILE);
    free(own);
    door_close(mem);
    return 0;
}
