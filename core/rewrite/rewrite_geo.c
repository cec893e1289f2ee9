/*
** rewrite_geo.c - GeoParquet: the key "geo" of the output.
**
** A column of the output is described as in the file that it is like.  Other files
** must describe it in the same way: a CRS that differs would move its geometries.
**
**   input    columns g, h, bbox    geo: g covered by bbox, h
**   output   columns g as shape    geo: shape, primary; no covering
*/
#include "core/rewrite/rewrite_inside.h"

#include "core/meta/geometry.h"

const PqGeoColumn *pq_rewrite_geo_said(const PqFooter *f, const PqRewriteColumn *c)
{
    const PqNode *n = pq_rewrite_field(f, c);

    return n && n->geometry ? n->geometry->said : NULL;
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
static void set_type(PqRewriteLeaf *leaf)
{
    const PqNode *n = pq_rewrite_field(leaf->column->like, leaf->column);

    if (n->kind == PQ_NODE_LEAF && !pq_type_is_geometry(&leaf->leaf->type)) {
        leaf->options.geometry = &n->type;
    }
}

/* The version, and the primary column, are as the file says. */
static void add_geo_column(PqRewrite *r, const PqRewriteColumn *c, PqRewriteLeaf *leaf)
{
    const PqGeoColumn *said = pq_rewrite_geo_said(c->like, c);
    const PqGeoParquet *like = c->like->geo;
    PqGeoColumn *g = &r->geo.columns[r->geo.n_columns];

    if (c->mask != PQ_MASK_NONE || !said) {
        return;
    }
    if (!r->geo.version || strcmp(like->primary, c->name) == 0) {
        r->geo.version = like->version[0] >= '1' ? like->version : "1.1.0";
        r->geo.primary = pq_rewrite_name(c);
    }
    r->geo.n_columns++;
    leaf->geo = g;
    *g = *said;
    g->name = pq_rewrite_name(c);
    g->n_codes = 0;                  /* and the box are made by file_write.c */
    g->has_box = false;
    keep_cover(r, g);
    set_type(leaf);
}

/* A file has one key "geo".  If GeoParquet writes it, nobody else can give it a value. */
static PqRc check_keys(const PqRewrite *r, PqErr *e)
{
    for (uint32_t i = 0; i < r->plan.n_key_values && r->geo.n_columns; i++) {
        if (pq_slice_is(r->plan.key_values[i].key, "geo")) {
            pq_fail(e, PQ_UNSUPPORTED, "the key \"geo\" describes column %s, as GeoParquet, "
                    "and would be given a second value", r->geo.columns[0].name);
            pq_err_hint(e, "give other keys, by the option kv_metadata");
        }
    }
    return e->rc;
}

PqRc pq_rewrite_make_geo(PqRewrite *r, PqErr *e)
{
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->geo.columns, r->plan.n_columns + (size_t)1, e));
    for (uint32_t i = 0; i < r->plan.n_columns; i++) {
        add_geo_column(r, &r->plan.columns[i], &r->leaves[r->schema.root->child[i]->first_leaf]);
    }
    r->shape.geo = r->geo.n_columns ? &r->geo : NULL;
    return check_keys(r, e);
}

/* ---- a file --------------------------------------------------------------------- */

PqRc pq_rewrite_find_geo(const PqRewrite *r, const PqRewriteFile *file, PqErr *e)
{
    for (uint32_t i = 0; i < r->plan.n_columns && e->rc == PQ_OK; i++) {
        const PqRewriteColumn *c = &r->plan.columns[i];
        const PqNode *n = r->schema.root->child[i];
        const PqGeoColumn *out = r->leaves[n->first_leaf].geo;
        const PqGeoColumn *in = pq_rewrite_geo_said(file->f, c);

        if (file->from[n->first_leaf].way == PQ_LEAF_NULLS || c->mask != PQ_MASK_NONE ||
            (!out && !in)) {
            continue;
        }
        if (!out || !in || in->encoding != out->encoding ||
            in->algorithm != out->algorithm ||
            strcmp(in->crs ? in->crs : "", out->crs ? out->crs : "")) {
            return pq_fail(e, PQ_UNSUPPORTED, "column %s: GeoParquet describes %s", n->name,
                           out && in ? "other geometries" : "it in one file, and not in the other");
        }
    }
    return e->rc;
}
