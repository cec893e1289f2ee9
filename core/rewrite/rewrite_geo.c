/*
** rewrite_geo.c - GeoParquet: the key "geo" of the output.
**
** A column of the output is described as in the file that it is like.  Other files
** must describe it in the same way: a CRS that differs would move its geometries.
**
**   input    columns g, h, bbox    geo: g covered by bbox, h
**   output   columns g as shape    geo: shape, primary; no covering
**
** Boxes and types of the file are made of those of its chunks.  Of a chunk that
** is copied they are those in its statistics, or those of its whole file, which
** are not smaller.
*/
#include "core/rewrite/rewrite_inside.h"

#include "core/meta/geometry.h"

static bool read_geo(const PqFooter *f, PqArena *a, PqGeoParquet *out, PqErr *e)
{
    PqSlice json;

    *out = (PqGeoParquet){0};
    return pq_footer_key_value(f, "geo", &json) && pq_geoparquet_read(json, a, out, e);
}

static const PqGeoColumn *find_geo(const PqGeoParquet *g, const char *name)
{
    for (uint32_t i = 0; i < g->n_columns; i++) {
        if (strcmp(g->columns[i].name, name) == 0) {
            return &g->columns[i];
        }
    }
    return NULL;
}

/* The column of the output that shows this column of the file as it is. */
static const PqRewriteColumn *shown(const PqRewrite *r, const char *name)
{
    for (uint32_t i = 0; i < r->plan.n_columns; i++) {
        const PqRewriteColumn *c = &r->plan.columns[i];

        if (c->mask == PQ_MASK_NONE && strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

/* The covering stays if all its columns do. */
static void keep_cover(const PqRewrite *r, PqGeoColumn *g)
{
    bool whole = g->cover[0].n > 0;

    for (int i = 0; i < 4 && whole; i++) {
        const PqRewriteColumn *c = shown(r, g->cover[i].name[0]);

        whole = c != NULL;
        g->cover[i].name[0] = c ? pq_rewrite_name(c) : "";
    }
    if (!whole) {
        memset(g->cover, 0, sizeof g->cover);
    }
}

/* Values that only GeoParquet says are geometries get boxes too. */
static void set_type(PqRewrite *r, uint32_t leaf, PqType *own)
{
    const PqGeoColumn *g = &r->geo.columns[r->geo.n_columns];
    const PqType *t = &r->schema.leaves[leaf].type;

    if (g->encoding == PQ_GEO_AS_WKB && !pq_type_is_geometry(t)) {
        *own = *t;
        own->logical = g->algorithm == PQ_GEO_PLANAR ? PQ_TYPE_GEOMETRY : PQ_TYPE_GEOGRAPHY;
        own->algorithm = g->algorithm == PQ_GEO_PLANAR ? 0 : g->algorithm;
        r->options[leaf].geometry = own;
    }
}

static PqRc add_geo_column(PqRewrite *r, uint32_t i, uint32_t *leaves, PqErr *e)
{
    const PqRewriteColumn *c = &r->plan.columns[i];
    PqGeoColumn *g = &r->geo.columns[r->geo.n_columns];
    const PqGeoColumn *found;
    PqGeoParquet like;

    if (c->mask != PQ_MASK_NONE || !read_geo(c->like, &r->arena, &like, e) ||
        !(found = find_geo(&like, c->name))) {
        return e->rc;
    }
    if (!r->geo.version || strcmp(like.primary, c->name) == 0) {
        r->geo.version = like.version[0] >= '1' ? like.version : "1.1.0";
        r->geo.primary = pq_rewrite_name(c);
    }
    leaves[r->geo.n_columns] = r->schema.root->child[i]->first_leaf;
    *g = *found;
    g->name = pq_rewrite_name(c);
    g->n_codes = 0;                  /* and the box are made by file_write.c */
    g->has_box = false;
    keep_cover(r, g);
    set_type(r, leaves[r->geo.n_columns], &r->geo_types[i]);
    r->geo.n_columns++;
    return PQ_OK;
}

/* The caller's keys, without "geo". */
static PqRc other_keys(PqRewrite *r, PqErr *e)
{
    PqKeyValue *v;
    uint32_t n = 0;

    PQ_TRY(PQ_ARENA_NEW(&r->arena, v, r->plan.n_key_values + (size_t)1, e));
    for (uint32_t i = 0; i < r->plan.n_key_values; i++) {
        if (!pq_slice_equal(r->plan.key_values[i].key, pq_slice_text("geo"))) {
            v[n++] = r->plan.key_values[i];
        }
    }
    r->shape.key_values = v;
    r->shape.n_key_values = n;
    return PQ_OK;
}

PqRc pq_rewrite_make_geo(PqRewrite *r, PqErr *e)
{
    size_t room = r->plan.n_columns + (size_t)1;
    uint32_t *leaves;

    PQ_TRY(other_keys(r, e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, leaves, room, e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->geo.columns, room, e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->geo_types, room, e));
    for (uint32_t i = 0; i < r->plan.n_columns; i++) {
        PQ_TRY(add_geo_column(r, i, leaves, e));
    }
    r->shape.geo = r->geo.n_columns ? &r->geo : NULL;
    r->shape.geo_leaves = leaves;
    return PQ_OK;
}

/* ---- a file --------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

PqRc pq_rewrite_find_geo(const PqRewrite *r, PqRewriteFile *file, PqErr *e)
{
    read_geo(file->f, &file->arena, &file->geo, e);
    for (uint32_t i = 0; i < r->plan.n_columns && e->rc == PQ_OK; i++) {
        const PqRewriteColumn *c = &r->plan.columns[i];
        const PqNode *n = r->schema.root->child[i];
        const PqGeoColumn *out = find_geo(&r->geo, pq_rewrite_name(c));
        const PqGeoColumn *in = find_geo(&file->geo, c->name);

        if (file->way[n->first_leaf] == PQ_LEAF_NULLS || c->mask != PQ_MASK_NONE || (!out && !in)) {
            continue;
        }
        if (!out || !in || in->encoding != out->encoding ||
            in->algorithm != out->algorithm || !same_text(in->crs, out->crs)) {
            return pq_fail(e, PQ_UNSUPPORTED, "column %s: the key \"geo\" describes other "
                           "geometries", n->name);
        }
    }
    return e->rc;
}

int pq_rewrite_geo_column(const PqRewrite *r, uint32_t leaf)
{
    for (uint32_t i = 0; i < r->geo.n_columns; i++) {
        if (r->shape.geo_leaves[i] == leaf) {
            return (int)i;
        }
    }
    return -1;
}

/* ---- a chunk --------------------------------------------------------------------- */

static void said_box(const PqBoundingBox *b, PqGeoBox *out)
{
    const double v[PQ_GEO_AXES][2] = {{b->xmin, b->xmax}, {b->ymin, b->ymax},
                                      {b->zmin, b->zmax}, {b->mmin, b->mmax}};

    *out = (PqGeoBox){0};
    for (int i = 0; i < PQ_GEO_AXES; i++) {
        if (PQ_HAS(b, PQ_BOX_XMIN + 2 * i) && PQ_HAS(b, PQ_BOX_XMAX + 2 * i)) {
            out->has[i] = true;
            out->min[i] = v[i][0];
            out->max[i] = v[i][1];
        }
    }
}

PqRc pq_rewrite_geo_of(const PqRewrite *r, const PqRewriteFile *file, uint32_t group, uint32_t leaf,
                       PqGeoBounds *out, PqErr *e)
{
    const PqGeoColumn *g = &r->geo.columns[pq_rewrite_geo_column(r, leaf)];
    const PqGeospatialStatistics *s;
    const PqGeoColumn *in;
    PqColumnChunk c;
    PqGeoBox box;
    PqArena a;
    PqRc rc;

    pq_geo_bounds_begin(out, g->algorithm != PQ_GEO_PLANAR, g->algorithm == 0);
    pq_arena_init(&a, r->mem);
    PQ_GO(pq_footer_chunk(file->f, group, file->leaf[leaf], &a, &c, e));
    s = &c.meta_data.geospatial_statistics;
    in = find_geo(&file->geo, r->plan.columns[r->column_of[leaf]].name);
    if (pq_stats_chunk(file->f, file->leaf[leaf], &c.meta_data).all_null) {
        goto done;                   /* it adds nothing */
    }
    if (PQ_HAS(s, PQ_GEOSPATIAL_BBOX) && s->geospatial_types.n) {
        said_box(&s->bbox, &box);
        pq_geo_bounds_said(out, &box, (const uint32_t *)s->geospatial_types.v,
                           s->geospatial_types.n);
    } else {
        pq_geo_bounds_said(out, in && in->has_box ? &in->box : NULL,
                           in ? in->codes : NULL, in ? in->n_codes : 0);
    }
done:
    pq_arena_free(&a);
    return rc;
}
