/*
** scan_boxes.c - in which boxes the geometries of a run of rows lie, and which
** runs that rules out.
**
**                 from                                     known for
**   native box    the statistics of the geometry's chunk   row groups
**   covering      bounds of leaves xmin, ymin, xmax, ymax  row groups, pages
**
** The hard part is what may be believed.  An axis that is doubtful is not
** known; a box without axes rules nothing out.
**
**   native box    X may wrap (min > max).  It then says nothing of a line over
**                 the antimeridian, whose planar box goes round the other way.
**                 So it counts only if all geometries are known to be points.
**   covering      A row without values in the covering has an unknown box,
**                 unless its geometry is null.  So the covering must not have
**                 more nulls than the geometry over the same rows.  NaNs count
**                 as nulls where they are counted.
**                 FLOATs may have been rounded to nearest: they are widened.
**                 X of a row may wrap.  It is not used where that may be.
**   x, y          Leaves that are the coordinates have none of these doubts.
**
** What is found does not depend on what is asked.  A join asks for box after
** box, so it is kept as long as the scan, within a share of its memory.
*/
#include "core/meta/geometry.h"
#include "core/scan/scan_inside.h"

#include <math.h>

enum { MEMORY_SHARE = 16, BUCKETS = 64, OWN = PQ_COVERS,
       N_LEAVES = PQ_COVERS + 1 };
_Static_assert((int)N_LEAVES <= (int)PQ_RUN_LEAVES, "there is room");

/* Rows of a row group, from the end of the run before. */
typedef struct RunBox {
    int64_t end;
    bool    none;                    /* no geometry in it has a box         */
    bool    has_x, has_y;
    double  min_x, max_x, min_y, max_y;
} RunBox;

typedef struct GroupBoxes {
    RunBox   native, cover;          /* of all rows                         */
    RunBox  *runs;
    uint32_t n_runs;                 /* 0: not known by pages               */
    bool     asked_index, asked_headers, by_headers;
} GroupBoxes;

typedef struct FileBoxes {
    struct FileBoxes *next;
    int64_t      file;
    uint32_t     column;
    GroupBoxes **groups;             /* NULL: not looked at yet             */
} FileBoxes;

typedef struct PqScanBoxes {
    PqArena    arena;
    FileBoxes *bucket[BUCKETS];
} PqScanBoxes;

void pq_scan_free_boxes(PqScanBoxes *b)
{
    if (b) {
        pq_arena_free(&b->arena);
        pq_mem_free(b);
    }
}

/* ---- what is kept -------------------------------------------------------- */

static PqRc need_boxes(PqScan *s, PqErr *e)
{
    if (!s->boxes) {
        s->boxes = pq_mem_zeros(s->mem, 1, sizeof *s->boxes, e);
        if (!s->boxes) {
            return e->rc;
        }
        pq_arena_init(&s->boxes->arena, s->mem);
    }
    if (pq_arena_memory(&s->boxes->arena) >
        pq_mem_limit(s->mem) / MEMORY_SHARE) {
        pq_arena_reset(&s->boxes->arena);
        memset(s->boxes->bucket, 0, sizeof s->boxes->bucket);
    }
    return PQ_OK;
}

static PqRc need_file(PqScan *s, uint32_t column, FileBoxes **out, PqErr *e)
{
    uint64_t hash = (uint64_t)s->file * 31 + column;
    FileBoxes **at, *f;

    PQ_TRY(need_boxes(s, e));
    at = &s->boxes->bucket[hash % BUCKETS];
    for (f = *at; f && (f->file != s->file || f->column != column);
         f = f->next) {
    }
    *out = f;
    if (f) {
        return PQ_OK;
    }
    f = pq_arena_zeros(&s->boxes->arena, 1, sizeof *f, e);
    if (!f) {
        return e->rc;
    }
    f->groups = pq_arena_zeros(&s->boxes->arena, s->footer->n_groups + 1u,
                               sizeof *f->groups, e);
    if (!f->groups) {
        return e->rc;
    }
    f->file = s->file;
    f->column = column;
    f->next = *at;
    *at = *out = f;
    return PQ_OK;
}

/* ---- leaves -------------------------------------------------------------- */

/* What tells the boxes of a column in this file. */
typedef struct Cover {
    const PqLeaf *own;               /* NULL: it is not one leaf            */
    const PqLeaf *leaf[N_LEAVES];    /* of the covering, and own; NULL: none */
    bool          is_x_y, x_may_wrap;
} Cover;

static Cover cover_of(const PqScan *s, uint32_t column)
{
    const PqNode *node = pq_scan_node(s, column);
    const PqGeometry *g = node ? node->geometry : NULL;
    Cover c = {.own = pq_scan_proof_leaf(s, column)};

    if (!g || g->cover[0] < 0 || (!c.own && !g->cover_is_x_y)) {
        return c;
    }
    for (int k = 0; k < PQ_COVERS; k++) {
        c.leaf[k] = &s->footer->schema.leaves[g->cover[k]];
    }
    c.is_x_y = g->cover_is_x_y;
    c.x_may_wrap = g->cover_may_wrap && !c.is_x_y;
    c.leaf[OWN] = c.is_x_y ? c.leaf[0] : c.own;
    return c;
}

static bool has_cover(const Cover *c)
{
    return c->leaf[0] != NULL;
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

static double step(const PqLeafBounds *b, double v, double to)
{
    return b->leaf->type.physical == PQ_FLOAT
               ? (double)nextafterf((float)v, (float)to) : v;
}

/* Do all rows with a geometry have a value in this leaf of the covering?  Counts
** can be compared if they are of the same rows. */
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
static bool axis_of(const Cover *c, const PqLeafBounds *low,
                    const PqLeafBounds *high, const PqLeafBounds *own,
                    int64_t n_rows, double *min, double *max)
{
    double most_low, least_high;

    if (!range_of(low, min, &most_low) || !range_of(high, &least_high, max) ||
        *min > least_high || most_low > *max) {
        return false;
    }
    if (c->is_x_y) {
        return true;
    }
    *min = step(low, *min, -HUGE_VAL);
    *max = step(high, *max, HUGE_VAL);
    return is_filled(low, own, n_rows) && is_filled(high, own, n_rows);
}

/* The box of n_rows rows by the bounds of the leaves of a covering. */
static RunBox cover_box(const Cover *c, const PqLeafBounds b[N_LEAVES],
                        int64_t n_rows)
{
    RunBox out = {.none = b[OWN].bounds.all_null};

    out.has_x = !c->x_may_wrap &&
                axis_of(c, &b[PQ_COVER_XMIN], &b[PQ_COVER_XMAX], &b[OWN],
                        n_rows, &out.min_x, &out.max_x);
    out.has_y = axis_of(c, &b[PQ_COVER_YMIN], &b[PQ_COVER_YMAX], &b[OWN],
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

/* A NaN compares as false, and its axis is not known. */
static void take_native(const PqGeospatialStatistics *g, RunBox *out)
{
    const PqBoundingBox *b = &g->bbox;

    if (!PQ_HAS(g, PQ_GEOSPATIAL_BBOX)) {
        return;
    }
    out->min_x = b->xmin;
    out->max_x = b->xmax;
    out->min_y = b->ymin;
    out->max_y = b->ymax;
    out->has_y = b->ymin <= b->ymax;
    out->has_x = b->xmin <= b->xmax ||
                 (b->xmin > b->xmax && b->xmin <= 180 && b->xmax >= -180 &&
                  only_points(&g->geospatial_types));
}

/* ---- row groups ---------------------------------------------------------- */

static PqRc native_box(PqScan *s, const PqLeaf *leaf, uint32_t group,
                       PqArena *a, RunBox *out, PqErr *e)
{
    PqColumnChunk chunk;

    PQ_TRY(pq_footer_chunk(s->footer, group, leaf->index, a, &chunk, e));
    if (!(s->distrust & 1u << PQ_BY_STATISTICS)) {
        out->none = pq_stats_chunk(s->footer, leaf->index,
                                   &chunk.meta_data).all_null;
    }
    take_native(&chunk.meta_data.geospatial_statistics, out);
    return PQ_OK;
}

static PqRc leaf_bounds(PqScan *s, const Cover *c, uint32_t group, PqArena *a,
                        PqLeafBounds b[N_LEAVES], PqErr *e)
{
    for (uint32_t k = 0; k < N_LEAVES; k++) {
        PQ_TRY(pq_scan_leaf_bounds(s, group, c->leaf[k], a, &b[k], e));
    }
    return PQ_OK;
}

static PqRc find_group(PqScan *s, const Cover *c, uint32_t group, PqArena *a,
                       GroupBoxes *out, PqErr *e)
{
    int64_t n_rows = s->footer->groups[group].num_rows;
    PqLeafBounds b[N_LEAVES];

    if (c->own) {
        PQ_TRY(native_box(s, c->own, group, a, &out->native, e));
    }
    if (has_cover(c) && !(s->distrust & 1u << PQ_BY_STATISTICS)) {
        PQ_TRY(leaf_bounds(s, c, group, a, b, e));
        out->cover = cover_box(c, b, n_rows);
    }
    return PQ_OK;
}

static PqRc need_group(PqScan *s, uint32_t column, uint32_t group, PqArena *a,
                       GroupBoxes **out, PqErr *e)
{
    PqWhere outer = e->where;
    FileBoxes *f;
    GroupBoxes *g;
    Cover c;

    PQ_TRY(need_file(s, column, &f, e));
    *out = f->groups[group];
    if (*out) {
        return PQ_OK;
    }
    g = pq_arena_zeros(&s->boxes->arena, 1, sizeof *g, e);
    if (!g) {
        return e->rc;
    }
    c = cover_of(s, column);
    if (c.own || has_cover(&c)) {
        PQ_TRY(pq_scan_forgive(find_group(s, &c, group, a, g, e), outer, e));
    }
    f->groups[group] = *out = g;
    return PQ_OK;
}

static bool refutes(const PqProof *p, const RunBox *b)
{
    PqGeoBox box = {.has = {[PQ_GEO_X] = b->has_x, [PQ_GEO_Y] = b->has_y},
                    .min = {[PQ_GEO_X] = b->min_x, [PQ_GEO_Y] = b->min_y},
                    .max = {[PQ_GEO_X] = b->max_x, [PQ_GEO_Y] = b->max_y}};

    return b->none || p->refutes_box(p, &box);
}

PqRc pq_scan_boxes_of_group(PqScan *s, const PqProof *p, uint32_t group,
                            PqArena *a, bool *refuted, PqErr *e)
{
    PqWhere outer = e->where;
    GroupBoxes *g = NULL;

    *refuted = false;
    PQ_TRY(pq_scan_forgive(need_group(s, p->column[0], group, a, &g, e), outer,
                           e));
    *refuted = g && (refutes(p, &g->native) || refutes(p, &g->cover));
    return PQ_OK;
}

PqRc pq_scan_refute_boxes(PqScan *s, const PqProof *p, PqArena *a,
                          bool *refuted, PqErr *e)
{
    return p->refutes_box ? pq_scan_boxes_of_group(s, p, s->group, a, refuted,
                                                   e) : PQ_OK;
}

/* ---- runs ---------------------------------------------------------------- */

/* The pages of the leaves.  Those of the geometry itself are asked for only if
** rows without a covering have to be explained. */
static PqRc load_pages(PqScan *s, const Cover *c, bool by_headers, PqArena *a,
                       PqScanRuns *r, bool *any, PqErr *e)
{
    bool filled = true;

    *any = false;
    *r = (PqScanRuns){.n = N_LEAVES};
    PQ_TRY(leaf_bounds(s, c, s->group, a, r->whole, e));
    for (uint32_t k = 0; k < N_LEAVES; k++) {
        filled = filled && (r->whole[k].bounds.n_nulls == 0 ||
                            c->leaf[k]->max_def == 0);
        if (k >= 2 && c->leaf[k] == c->leaf[k - 2]) {
            r->of[k] = r->of[k - 2];
            continue;
        }
        if (k == OWN && (filled || c->is_x_y)) {
            r->of[k].n = 0;
            continue;
        }
        PQ_TRY(by_headers
                   ? pq_scan_headers_load(s, s->group, c->leaf[k], &r->of[k], e)
                   : pq_scan_pages_load(s, s->group, c->leaf[k], a, &r->of[k],
                                        e));
        *any = *any || (k < OWN && r->of[k].n > 0);
    }
    return PQ_OK;
}

/* Where a page does not count its nulls, or NaNs, the chunk may say that there
** are none. */
static void count_by_chunk(const PqScanRuns *r, PqLeafBounds *b)
{
    for (uint32_t k = 0; k < N_LEAVES; k++) {
        if (b[k].bounds.n_nulls < 0 && r->whole[k].bounds.n_nulls == 0) {
            b[k].bounds.n_nulls = 0;
        }
    }
}

static PqRc make_runs(PqScan *s, const Cover *c, PqScanRuns *r, GroupBoxes *g,
                      PqErr *e)
{
    int64_t n_rows = s->footer->groups[s->group].num_rows, end;

    for (int64_t row = 0; row < n_rows; row = end) {
        PqLeafBounds b[PQ_RUN_LEAVES];

        end = pq_scan_end_of_run(s, r, row, b);
        count_by_chunk(r, b);
        PQ_TRY(PQ_ARENA_GROW(&s->boxes->arena, g->runs, g->n_runs, e));
        g->runs[g->n_runs] = cover_box(c, b, end - row);
        g->runs[g->n_runs++].end = end;
    }
    return PQ_OK;
}

static PqRc find_runs(PqScan *s, uint32_t column, bool by_headers, PqArena *a,
                      GroupBoxes *g, PqErr *e)
{
    Cover c = cover_of(s, column);
    uint32_t walks = pq_scan_header_walks_forgotten(s);
    PqScanRuns r;
    bool any;
    PqRc rc;

    if (!has_cover(&c)) {
        return PQ_OK;
    }
    PQ_TRY(load_pages(s, &c, by_headers, a, &r, &any, e));
    if (!any || pq_scan_header_walks_forgotten(s) != walks) {
        return PQ_OK;
    }
    g->by_headers = by_headers;
    rc = make_runs(s, &c, &r, g, e);
    g->n_runs = rc == PQ_OK ? g->n_runs : 0;
    return rc;
}

/* The runs of the current row group; n_runs is 0 if this does not tell any. */
static PqRc need_runs(PqScan *s, uint32_t column, bool by_headers, PqArena *a,
                      GroupBoxes *g, PqErr *e)
{
    bool *asked = by_headers ? &g->asked_headers : &g->asked_index;
    PqWhere outer = e->where;

    if (g->n_runs > 0 || *asked) {
        return PQ_OK;
    }
    *asked = true;
    return pq_scan_forgive(find_runs(s, column, by_headers, a, g, e), outer, e);
}

/* Removes the runs that the proof refutes; adjacent ones together. */
static PqRc cut_runs(PqScan *s, const PqProof *p, const GroupBoxes *g,
                     uint64_t *n_refuted, PqErr *e)
{
    int64_t row = 0, cut = -1;

    for (uint32_t i = 0; i < g->n_runs; i++) {
        bool refuted = refutes(p, &g->runs[i]);

        *n_refuted += refuted && !s->revisited;
        if (refuted && cut < 0) {
            cut = row;
        } else if (cut >= 0 && !refuted) {
            PQ_TRY(pq_scan_cut_rows(s, cut, row, e));
            cut = -1;
        }
        row = g->runs[i].end;
    }
    return cut < 0 ? PQ_OK : pq_scan_cut_rows(s, cut, row, e);
}

PqRc pq_scan_refute_box_runs(PqScan *s, const PqProof *p, bool by_headers,
                             PqArena *a, bool *refuted, PqErr *e)
{
    PqWhere outer = e->where;
    GroupBoxes *g = NULL;

    PQ_TRY(pq_scan_forgive(need_group(s, p->column[0], s->group, a, &g, e),
                           outer, e));
    if (g) {
        PQ_TRY(need_runs(s, p->column[0], by_headers, a, g, e));
    }
    if (g && g->n_runs > 0 && g->by_headers == by_headers) {
        PQ_TRY(cut_runs(s, p, g, by_headers ? &s->stats.headers_refuted
                                            : &s->stats.pages_refuted, e));
    }
    *refuted = s->n_live == 0;
    return PQ_OK;
}
