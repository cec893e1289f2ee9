/*
** describe_geo.c - what is known about the geometries of a file, and what lets
** a query skip them.
**
**   geometries
**     geometry          GEOMETRY, EPSG:5070, WKB
**                       Point, Polygon Z
**                       x -10 .. 10, y 0 .. 60.25, as GeoParquet says
**                       boxes of 2 of 3 row groups
**                       covering: bounds of pages
**
** The box of a column comes from the first of: the boxes of its row groups, if
** all have one; GeoParquet's box; the bounds of the covering.  What is hard is
** a box that wraps.  In the sum, X then begins at the western edges of the
** eastern parts, and ends at the eastern edges of the western parts.
*/
#include "sql/describe/describe_inside.h"
#include "sql/sqlite.h"

#include <math.h>
#include <stdio.h>

enum { LABEL = 20, WIDTH = PQSQL_PAGE_WIDTH - LABEL, KINDS = 7, DIGITS = 9 };

/* What the statistics of the row groups say about a column. */
typedef struct Boxes {
    uint32_t n_boxed, n_typed;       /* row groups; those without geometries
                                     ** count                               */
    PqGeoBox box;
    uint32_t codes;                  /* a bit per kind and dimensions       */
    bool     other_codes;
} Boxes;

typedef struct Geo {
    const PqsqlFileSum *sum;
    const PqNode       *node;
    const PqGeometry   *g;
    Boxes               boxes;
    PqBuf              *out, *missing;
    size_t              line;        /* where the current line begins       */
    bool                begun;       /* it has a piece                      */
    PqErr              *e;
} Geo;

/* ---- sums ---------------------------------------------------------------- */

static void join_x(PqGeoBox *b, double min, double max)
{
    double *to_min = &b->min[PQ_GEO_X], *to_max = &b->max[PQ_GEO_X];
    bool any_wraps = *to_min > *to_max || min > max;

    if (!b->has[PQ_GEO_X]) {
        b->has[PQ_GEO_X] = true;
        *to_min = min;
        *to_max = max;
        return;
    }
    if ((*to_min > *to_max) == (min > max)) {
        *to_min = fmin(*to_min, min);
        *to_max = fmax(*to_max, max);
    } else {
        bool sum_wraps = *to_min > *to_max;
        double west = sum_wraps ? *to_min : min;
        double east = sum_wraps ? *to_max : max;
        double from = sum_wraps ? min : *to_min, to = sum_wraps ? max : *to_max;

        *to_min = from > 0 ? fmin(west, from) : west;
        *to_max = from > 0 ? east : fmax(east, to);
    }
    if (*to_min <= *to_max && any_wraps) {   /* all around */
        *to_min = -180;
        *to_max = 180;
    }
}

static void join_axis(PqGeoBox *b, int axis, double min, double max)
{
    if (min <= max) {
        pq_geo_box_add(b, axis, min);
        pq_geo_box_add(b, axis, max);
    }
}

static void add_box(Boxes *b, const PqBoundingBox *box)
{
    if (isnan(box->xmin) || isnan(box->xmax) || !(box->ymin <= box->ymax)) {
        return;                      /* it says nothing */
    }
    b->n_boxed++;
    join_x(&b->box, box->xmin, box->xmax);
    join_axis(&b->box, PQ_GEO_Y, box->ymin, box->ymax);
    if (PQ_HAS(box, PQ_BOX_ZMIN) && PQ_HAS(box, PQ_BOX_ZMAX)) {
        join_axis(&b->box, PQ_GEO_Z, box->zmin, box->zmax);
    }
    if (PQ_HAS(box, PQ_BOX_MMIN) && PQ_HAS(box, PQ_BOX_MMAX)) {
        join_axis(&b->box, PQ_GEO_M, box->mmin, box->mmax);
    }
}

static void add_code(Boxes *b, int64_t code)
{
    int64_t kind = code % 1000, dimensions = code / 1000;

    if (code < 0 || kind < 1 || kind > KINDS || dimensions > 3) {
        b->other_codes = true;
    } else {
        b->codes |= 1u << (dimensions * KINDS + kind - 1);
    }
}

static void add_group(Geo *geo, const PqColumnMetaData *m)
{
    const PqGeospatialStatistics *s = &m->geospatial_statistics;
    bool all_null = PQ_HAS(&m->statistics, PQ_STATISTICS_NULL_COUNT) &&
                    m->statistics.null_count == m->num_values;

    if (all_null) {
        geo->boxes.n_boxed++;
        geo->boxes.n_typed++;
        return;
    }
    if (PQ_HAS(s, PQ_GEOSPATIAL_BBOX)) {
        add_box(&geo->boxes, &s->bbox);
    }
    geo->boxes.n_typed += s->geospatial_types.n > 0;
    for (uint32_t i = 0; i < s->geospatial_types.n; i++) {
        add_code(&geo->boxes, s->geospatial_types.v[i]);
    }
}

/* A chunk whose metadata cannot be read has no box. */
static PqRc add_groups(Geo *geo)
{
    const PqFooter *f = geo->sum->f;
    PqRc rc = PQ_OK;
    PqArena a;

    if (geo->node->leaf < 0) {
        return PQ_OK;
    }
    pq_arena_init(&a, geo->out->mem);
    for (uint32_t i = 0; i < f->n_groups && rc == PQ_OK; i++) {
        PqColumnChunk c;

        pq_arena_reset(&a);
        rc = pq_footer_chunk(f, i, (uint32_t)geo->node->leaf, &a, &c, geo->e);
        if (rc == PQ_OK) {
            add_group(geo, &c.meta_data);
        } else if (rc == PQ_UNSUPPORTED || rc == PQ_CORRUPT) {
            pq_err_clear(geo->e);
            rc = PQ_OK;
        }
    }
    pq_arena_free(&a);
    return rc;
}

/* ---- lines --------------------------------------------------------------- */

static void next_line(Geo *geo)
{
    pq_buf_byte(geo->out, '\n');
    geo->line = geo->out->n;
    pqsql_text_pad(geo->out, geo->line, LABEL);
    geo->begun = false;
}

static void put(Geo *geo, const char *piece)
{
    PqBuf *out = geo->out;
    uint32_t used = pqsql_text_width(out, geo->line);

    if (geo->begun) {
        pq_buf_byte(out, ',');
        if (used + 2 + strlen(piece) > PQSQL_PAGE_WIDTH) {
            next_line(geo);
        } else {
            pq_buf_byte(out, ' ');
        }
    }
    pqsql_text_cut(out, pq_slice_text(piece), WIDTH - 1);
    geo->begun = true;
}

static PqRc put_type(Geo *geo)
{
    const PqType *t = &geo->g->type;
    const char *crs;
    PqArena a;

    put(geo, t->logical == PQ_TYPE_GEOMETRY ? "GEOMETRY" : "GEOGRAPHY");
    pq_arena_init(&a, geo->out->mem);
    crs = pq_geometry_crs(t->crs, &a, geo->e);
    if (crs) {
        put(geo, crs);
    }
    pq_arena_free(&a);
    if (t->logical == PQ_TYPE_GEOGRAPHY) {
        put(geo, pq_geo_algorithm(t->algorithm));
    }
    put(geo, pq_geo_encoding_names[geo->g->encoding]);
    return crs ? PQ_OK : geo->e->rc;
}

/* Writes nothing if some row group, or GeoParquet, does not know the types. */
static void put_types(Geo *geo)
{
    Boxes b = geo->boxes;

    if (b.n_typed < geo->sum->f->n_groups || b.n_typed == 0) {
        b = (Boxes){0};
        for (uint32_t i = 0; geo->g->said && i < geo->g->said->n_codes; i++) {
            add_code(&b, geo->g->said->codes[i]);
        }
    }
    if (!b.codes && !b.other_codes) {
        return;
    }
    next_line(geo);
    for (int i = 0; i < 4 * KINDS; i++) {
        char name[32];

        if (b.codes >> i & 1) {
            snprintf(name, sizeof name, "%s%s",
                     pq_geo_kind_names[i % KINDS + 1],
                     pq_geo_dimension_names[i / KINDS]);
            put(geo, name);
        }
    }
    if (b.other_codes) {
        put(geo, "others");
    }
}

static double bound_of(const PqLeaf *leaf, PqSlice v)
{
    float f;
    double d;

    if (leaf->type.physical == PQ_FLOAT && v.n == sizeof f) {
        memcpy(&f, v.p, sizeof f);
        return f;
    }
    if (leaf->type.physical == PQ_DOUBLE && v.n == sizeof d) {
        memcpy(&d, v.p, sizeof d);
        return d;
    }
    return NAN;
}

/* Do all leaves of the covering have bounds, of row groups or of pages? */
static bool is_bounded(const Geo *geo, bool by_page)
{
    uint32_t n = geo->sum->f->n_groups;

    for (int i = 0; i < PQ_COVERS; i++) {
        int32_t leaf = geo->g->cover[i];

        if (leaf < 0 || (by_page ? geo->sum->leaves[leaf].n_column_index < n
                                 : !geo->sum->leaves[leaf].has_bounds)) {
            return false;
        }
    }
    return !by_page || n > 0;
}

static void box_of_cover(const Geo *geo, PqGeoBox *out)
{
    double v[PQ_COVERS];

    for (int i = 0; i < PQ_COVERS; i++) {
        uint32_t leaf = (uint32_t)geo->g->cover[i];
        const PqsqlLeafSum *s = &geo->sum->leaves[leaf];
        v[i] = bound_of(&geo->sum->f->schema.leaves[leaf],
                        i == PQ_COVER_XMIN || i == PQ_COVER_YMIN ? s->min
                                                                 : s->max);
    }
    join_axis(out, PQ_GEO_X, v[PQ_COVER_XMIN], v[PQ_COVER_XMAX]);
    join_axis(out, PQ_GEO_Y, v[PQ_COVER_YMIN], v[PQ_COVER_YMAX]);
}

static void put_box(Geo *geo)
{
    const PqGeoColumn *said = geo->g->said;
    const char *by = NULL;
    PqGeoBox box = {0};

    if (geo->boxes.n_boxed == geo->sum->f->n_groups) {
        box = geo->boxes.box;
    }
    if (!pq_geo_box_is_whole(&box) && said && said->has_box) {
        box = said->box;
        by = "as GeoParquet says";
    }
    if (!pq_geo_box_is_whole(&box) && is_bounded(geo, false) &&
        !geo->g->cover_may_wrap) {
        box = (PqGeoBox){0};
        box_of_cover(geo, &box);
        by = geo->g->cover_is_x_y ? NULL : "by the covering";
    }
    if (!pq_geo_box_is_whole(&box)) {
        return;
    }
    next_line(geo);
    for (int i = 0; i < PQ_GEO_AXES; i++) {
        char piece[80];

        if (box.has[i]) {
            sqlite3_snprintf(sizeof piece, piece, "%s %.*g .. %.*g",
                             pq_geo_axis_names[i], DIGITS, box.min[i], DIGITS,
                             box.max[i]);
            put(geo, piece);
        }
    }
    if (by) {
        put(geo, by);
    }
}

/* ---- what it can be skipped by ------------------------------------------- */

static void put_use(Geo *geo)
{
    uint32_t n = geo->sum->f->n_groups, boxed = geo->boxes.n_boxed;
    char piece[80];

    if (geo->g->cover[0] >= 0) {
        next_line(geo);
        snprintf(piece, sizeof piece, "%s: %s",
                 geo->g->cover_is_x_y ? "x and y" : "covering",
                 is_bounded(geo, true)    ? "bounds of pages"
                 : is_bounded(geo, false) ? "bounds of row groups"
                                          : "no bounds");
        put(geo, piece);
        if (geo->g->cover_may_wrap) {
            put(geo, "x may wrap");
        }
    }
    if (boxed > 0) {
        next_line(geo);
        snprintf(piece, sizeof piece, boxed == n ? "boxes of all row groups"
                                                 : "boxes of %u of %u row "
                                                   "groups", boxed, n);
        put(geo, piece);
    }
}

static void miss(PqBuf *missing, const char *before, const char *name,
                 const char *after)
{
    pq_buf_text(missing, before);
    pqsql_text_cut(missing, pq_slice_text(name), WIDTH);
    pq_buf_text(missing, after);
    pq_buf_byte(missing, 0);
}

static void put_missing(Geo *geo)
{
    const char *name = geo->node->name;
    uint32_t n = geo->sum->f->n_groups;

    if (n == 0 || is_bounded(geo, true)) {
        return;
    }
    if (geo->boxes.n_boxed == 0 && !is_bounded(geo, false)) {
        miss(geo->missing, "no boxes of ", name, ": a query of a place reads "
             "all of it; parquet_copy_to writes them for types geometry and "
             "geography");
    } else if (geo->boxes.n_boxed < n && !is_bounded(geo, false)) {
        miss(geo->missing, "row groups without a box of ", name, ": a query of "
             "a place reads them, unless all of their geometries are NULL");
    } else {
        miss(geo->missing, "no bounds of pages for ", name,
             geo->g->cover_is_x_y    ? ": x and y have no page index"
             : geo->g->cover[0] >= 0 ? ": its covering has no page index"
                                     : ": a covering would skip pages too");
    }
}

/* ---- the section --------------------------------------------------------- */

static PqRc write_column(Geo *geo)
{
    PqBuf *out = geo->out;

    PQ_TRY(add_groups(geo));
    geo->line = out->n;
    geo->begun = false;
    pq_buf_text(out, "  ");
    pqsql_text_cut(out, pq_slice_text(geo->node->name), PQSQL_PAGE_WIDTH - 2);
    if (pqsql_text_width(out, geo->line) >= LABEL) {
        next_line(geo);
    }
    pqsql_text_pad(out, geo->line, LABEL);
    PQ_TRY(put_type(geo));
    put_types(geo);
    put_box(geo);
    put_use(geo);
    put_missing(geo);
    pq_buf_byte(out, '\n');
    return pq_buf_ok(out) ? PQ_OK : geo->e->rc;
}

static const PqNode *described(const PqNode *root, const char *name)
{
    for (uint32_t i = 0; i < root->n_children; i++) {
        const PqGeometry *g = root->child[i]->geometry;
        if (g && g->said && strcmp(root->child[i]->name, name) == 0) {
            return root->child[i];
        }
    }
    return NULL;
}

/* Writes which metadata is not used. */
static PqRc write_ignored(const PqsqlFileSum *sum, PqBuf *missing, PqErr *e)
{
    const PqGeoParquet *geo = sum->f->geo;
    PqSlice json;

    if (!geo) {
        if (pq_geometry_json(sum->f, &json)) {
            pq_buf_add(missing, "the metadata geo is malformed, and ignored", 43);
        }
        return e->rc;
    }
    for (uint32_t i = 0; i < geo->n_columns; i++) {
        if (!described(sum->f->schema.root, geo->columns[i].name)) {
            miss(missing, "the metadata geo of ", geo->columns[i].name,
                 " is ignored: there is no such column, it has another type or "
                 "shape, or two have the name");
        }
    }
    return PQ_OK;
}

PqRc pqsql_describe_geo(const PqsqlFileSum *sum, PqBuf *out, PqBuf *missing,
                        PqErr *e)
{
    const PqNode *root = sum->f->schema.root;
    bool any = false;

    for (uint32_t i = 0; i < root->n_children; i++) {
        const PqNode *n = root->child[i];
        Geo geo = {.sum = sum, .node = n, .g = n->geometry, .out = out,
                   .missing = missing, .e = e};

        if (geo.g) {
            pq_buf_text(out, any ? "" : "\ngeometries\n");
            any = true;
            PQ_TRY(write_column(&geo));
        }
    }
    return write_ignored(sum, missing, e);
}
