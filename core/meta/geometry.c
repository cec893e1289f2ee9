/*
** geometry.c - finds the geometries of a file.
**
** The names of GeoParquet are looked up among the columns of the file.  A name
** that two columns have stands for neither.  A column must have the described
** shape:
**
**   "WKB"         a leaf of type BYTE_ARRAY without another annotation.  A leaf
**                 that is a GEOMETRY or a GEOGRAPHY already stays what it is,
**                 with its own CRS and edges
**   "point"       STRUCT of DOUBLEs x, y [, z] [, m] and nothing else
**   "polygon"...  as many lists around it as the kind has
**
** A column that does not fit is read as if the metadata did not mention it.
*/
#include "core/meta/geometry.h"

#include "core/meta/arrow_schema.h"

enum {
    MOST_FIELDS = 16                 /* of the struct of a covering; it has 4
                                     ** or 6 */
};

/* The field of that name.  NULL: none has it, or several have it. */
static PqNode *field(const PqNode *of, const char *name)
{
    PqSlice text = pq_slice_text(name);

    return pq_node_field(of, text, 1) ? NULL : pq_node_field(of, text, 0);
}

/* ---- shapes -------------------------------------------------------------- */

static bool is_double(const PqNode *n)
{
    return n->kind == PQ_NODE_LEAF && n->type.physical == PQ_DOUBLE &&
           n->type.logical == PQ_TYPE_NONE;
}

/* A STRUCT of x, y and at most z and m. */
static bool is_point(const PqNode *n)
{
    uint32_t n_found = 0;

    if (n->kind != PQ_NODE_STRUCT || n->n_children > PQ_GEO_AXES ||
        !field(n, pq_geo_axis_names[PQ_GEO_X]) ||
        !field(n, pq_geo_axis_names[PQ_GEO_Y])) {
        return false;
    }
    for (uint32_t i = 0; i < PQ_GEO_AXES; i++) {
        const PqNode *f = field(n, pq_geo_axis_names[i]);
        n_found += f && is_double(f);
    }
    return n_found == n->n_children;
}

uint32_t pq_geometry_depth(PqGeoEncoding encoding)
{
    static const uint32_t lists[] = {
        [PQ_GEO_AS_WKB] = 0, [PQ_GEO_AS_POINT] = 0,
        [PQ_GEO_AS_LINESTRING] = 1, [PQ_GEO_AS_POLYGON] = 2,
        [PQ_GEO_AS_MULTIPOINT] = 1, [PQ_GEO_AS_MULTILINESTRING] = 2,
        [PQ_GEO_AS_MULTIPOLYGON] = 3};

    return lists[encoding];
}

const PqNode *pq_geometry_point(const PqNode *n, PqGeoEncoding encoding)
{
    uint32_t lists = pq_geometry_depth(encoding);

    for (; lists > 0; lists--) {
        if (n->kind != PQ_NODE_LIST) {
            return NULL;
        }
        n = n->child[0];
    }
    return is_point(n) ? n : NULL;
}

int32_t pq_geometry_axis(const PqNode *point, int axis)
{
    const PqNode *f = field(point, pq_geo_axis_names[axis]);

    return f ? f->leaf : -1;
}

/* Is it a leaf of geometries by its logical type?  LEAFs at the top do not
** repeat. */
static bool is_annotated(const PqNode *n)
{
    return n->kind == PQ_NODE_LEAF && pq_type_is_geometry(&n->type);
}

static bool is_bytes(const PqFooter *f, const PqNode *n)
{
    return n->kind == PQ_NODE_LEAF && n->type.physical == PQ_BYTE_ARRAY &&
           n->type.logical == PQ_TYPE_NONE &&
           !pq_type_is_annotated(&f->schema.elements[n->element]);
}

static bool fits(const PqFooter *f, const PqNode *n, PqGeoEncoding encoding)
{
    return encoding == PQ_GEO_AS_WKB
               ? is_annotated(n) || is_bytes(f, n)
               : pq_geometry_point(n, encoding) != NULL;
}

/* ---- what tells the boxes ------------------------------------------------ */

/* The leaf at a path of a covering, or -1. */
static int32_t cover_leaf(const PqNode *root, const PqGeoPath *path)
{
    const PqNode *n = path->n ? field(root, path->name[0]) : NULL;

    if (n && path->n == 2) {
        n = n->kind == PQ_NODE_STRUCT && n->n_children <= MOST_FIELDS
                ? field(n, path->name[1]) : NULL;
    }
    return n && n->kind == PQ_NODE_LEAF &&
                   n->type.logical == PQ_TYPE_NONE &&
                   (n->type.physical == PQ_FLOAT ||
                    n->type.physical == PQ_DOUBLE)
               ? n->leaf : -1;
}

/* Is every geometry on one side of the antimeridian, by the box of all
** geometries?  The box of a geometry that crosses it has a longitude of 180 or
** of -180. */
static bool crosses_nothing(const PqGeoColumn *c)
{
    return c->has_box && c->box.has[PQ_GEO_X] &&
           c->box.min[PQ_GEO_X] <= c->box.max[PQ_GEO_X] &&
           c->box.min[PQ_GEO_X] > -180 && c->box.max[PQ_GEO_X] < 180;
}

static void find_cover(const PqNode *root, const PqNode *n,
                       const PqGeoColumn *c, PqGeometry *g)
{
    const PqNode *point;
    bool is_whole = true;

    if (g->encoding != PQ_GEO_AS_WKB) {
        point = pq_geometry_point(n, g->encoding);
        for (uint32_t i = 0; i < PQ_COVERS; i++) {
            g->cover[i] = pq_geometry_axis(point, i % 2 ? PQ_GEO_Y : PQ_GEO_X);
        }
        g->cover_is_x_y = true;
        return;
    }
    for (uint32_t i = 0; i < PQ_COVERS; i++) {
        g->cover[i] = cover_leaf(root, &c->cover[i]);
        is_whole = is_whole && g->cover[i] >= 0;
    }
    if (!is_whole) {
        memset(g->cover, -1, sizeof g->cover);
        return;
    }
    g->cover_may_wrap = (g->type.logical == PQ_TYPE_GEOGRAPHY ||
                         c->algorithm != PQ_GEO_PLANAR) &&
                        !crosses_nothing(c);
}

/* ---- columns ------------------------------------------------------------- */

static PqGeometry *add_geometry(PqFooter *f, PqNode *n, PqType type, PqErr *e)
{
    PqGeometry *g = pq_arena_zeros(&f->arena, 1, sizeof *g, e);

    if (g) {
        g->type = type;
        memset(g->cover, -1, sizeof g->cover);
        n->geometry = g;
    }
    return g;
}

static PqType type_of(const PqGeoColumn *c)
{
    bool planar = c->algorithm == PQ_GEO_PLANAR;

    return (PqType){.physical = PQ_BYTE_ARRAY,
                    .logical = planar ? PQ_TYPE_GEOMETRY : PQ_TYPE_GEOGRAPHY,
                    .crs = c->crs,
                    .algorithm = planar ? 0 : c->algorithm};
}

static PqRc describe(PqFooter *f, PqNode *n, const PqGeoColumn *c,
                     bool by_geoparquet, PqErr *e)
{
    PqGeometry *g;

    if (!n || !fits(f, n, c->encoding)) {
        return PQ_OK;
    }
    g = add_geometry(f, n, is_annotated(n) ? n->type : type_of(c), e);
    if (!g) {
        return e->rc;
    }
    g->encoding = c->encoding;
    g->said = by_geoparquet ? c : NULL;
    find_cover(f->schema.root, n, c, g);
    if (n->kind == PQ_NODE_LEAF) {
        n->type = g->type;
        f->schema.leaves[n->leaf].type = g->type;
    }
    return PQ_OK;
}

bool pq_geometry_json(const PqFooter *f, PqSlice *out)
{
    return pq_footer_key_value(f, "geo", out);
}

bool pq_geometry_is_key(const PqFooter *f, PqSlice key)
{
    const PqNode *root = f->schema.root;
    bool is_said = false;

    for (uint32_t i = 0; i < root->n_children && !is_said && pq_slice_is(key, "geo"); i++) {
        is_said = root->child[i]->geometry && root->child[i]->geometry->said;
    }
    return is_said;
}

const char *pq_geo_algorithm(int32_t number)
{
    return number >= 0 && number < PQ_GEO_ALGORITHMS
               ? pq_geo_algorithm_names[number] : "unknown";
}

const char *pq_geometry_crs(const char *crs, PqArena *a, PqErr *e)
{
    PqGeoColumn c;
    const char *json;

    if (!crs || *crs != '{') {
        return crs ? crs : "OGC:CRS84";
    }
    json = pq_arena_printf(a, e, "{\"crs\":%s}", crs);
    if (!json || !pq_geoarrow_read(pq_slice_text(json), a, &c, e)) {
        return e->rc == PQ_OK ? crs : NULL;
    }
    return !c.crs ? "OGC:CRS84" : strcmp(c.crs, "srid:0") == 0 ? crs : c.crs;
}

static PqRc find_described(PqFooter *f, PqErr *e)
{
    PqGeoParquet *geo;
    PqSlice json;

    if (!pq_geometry_json(f, &json)) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(&f->arena, geo, 1, e));
    if (!pq_geoparquet_read(json, &f->arena, geo, e)) {
        return e->rc;
    }
    f->geo = geo;
    for (uint32_t i = 0; i < geo->n_columns; i++) {
        PqGeoColumn *c = &geo->columns[i];

        PQ_TRY(describe(f, field(f->schema.root, c->name), c, true, e));
    }
    return PQ_OK;
}

/* ---- Arrow --------------------------------------------------------------- */

static bool contains(PqSlice in, const char *text)
{
    size_t n = strlen(text);

    while (in.n >= n) {
        const uint8_t *p = memchr(in.p, text[0], in.n - n + 1);

        if (!p || memcmp(p, text, n) == 0) {
            return p != NULL;
        }
        in.n -= (size_t)(p + 1 - in.p);
        in.p = p + 1;
    }
    return false;
}

/* Most schemas name no type of GeoArrow, and need not be decoded.  In base64,
** "geoarrow" has three forms, by where it begins among three bytes. */
static bool may_have_geometries(PqSlice base64)
{
    return contains(base64, "Z2VvYXJyb3") || contains(base64, "b2Fycm93") ||
           contains(base64, "ZW9hcnJv");
}

static bool find_encoding(PqSlice extension, PqGeoEncoding *out)
{
    static const char before[] = "geoarrow.";
    size_t n = sizeof before - 1;

    return extension.n > n && memcmp(extension.p, before, n) == 0 &&
           pq_geo_encoding_find(pq_slice(extension.p + n, extension.n - n),
                                out);
}

static PqRc describe_field(PqFooter *f, const PqArrowField *arrow, PqErr *e)
{
    PqGeoColumn c = {.crs = "srid:0", .algorithm = PQ_GEO_PLANAR};
    PqSlice json = arrow->metadata;
    const char *name;
    PqNode *n;

    if (!find_encoding(arrow->extension, &c.encoding)) {
        return PQ_OK;
    }
    name = pq_arena_text(&f->arena, arrow->name.p, arrow->name.n, e);
    n = name ? field(f->schema.root, name) : NULL;
    if (!n || n->geometry) {
        return e->rc;
    }
    if (json.n) {
        json.p = (uint8_t *)pq_arena_text(&f->arena, json.p, json.n, e);
        if (!json.p || !pq_geoarrow_read(json, &f->arena, &c, e)) {
            return e->rc;            /* malformed: ignored */
        }
    }
    return describe(f, n, &c, false, e);
}

static PqRc find_extensions(PqFooter *f, PqErr *e)
{
    PqArrowSchema schema;
    PqArrowField arrow;
    PqSlice base64;
    PqBuf decoded;
    PqRc rc = PQ_OK;

    if (!pq_footer_key_value(f, "ARROW:schema", &base64) ||
        !may_have_geometries(base64)) {
        return PQ_OK;
    }
    pq_buf_init(&decoded, f->mem, e);
    if (pq_arrow_decode(base64, &decoded, e) &&
        pq_arrow_open(pq_buf_view(&decoded), &schema)) {
        while (rc == PQ_OK && pq_arrow_next(&schema, &arrow)) {
            rc = describe_field(f, &arrow, e);
        }
    }
    pq_buf_free(&decoded);
    return e->rc;
}

/* ---- all of it ----------------------------------------------------------- */

/* "projjson:KEY" stands for the metadata of the file under KEY.  A copy of the
** column may lack that key, so the type gets the value itself. */
static PqRc resolve_crs(PqFooter *f, PqNode *n, PqErr *e)
{
    static const char reference[] = "projjson:";
    const char *crs = n->type.crs;
    PqGeoColumn c;
    PqSlice json, text;

    if (!crs || strncmp(crs, reference, sizeof reference - 1) != 0 ||
        !pq_footer_key_value(f, crs + sizeof reference - 1, &json)) {
        return PQ_OK;
    }
    crs = pq_arena_printf(&f->arena, e, "{\"crs\":%.*s}",
                          json.n > INT32_MAX ? 0 : (int)json.n,
                          (const char *)json.p);
    text = pq_slice_text(crs);
    if (!crs || !pq_geoarrow_read(text, &f->arena, &c, e) || !c.crs_json.n ||
        c.crs_json.p[0] != '{') {
        return e->rc;                /* it stays as it is */
    }
    crs = pq_arena_text(&f->arena, c.crs_json.p, c.crs_json.n, e);
    if (!crs) {
        return e->rc;
    }
    n->type.crs = f->schema.leaves[n->leaf].type.crs = crs;
    return PQ_OK;
}

static PqRc resolve_all(PqFooter *f, PqErr *e)
{
    const PqNode *root = f->schema.root;

    for (uint32_t i = 0; i < root->n_children; i++) {
        if (is_annotated(root->child[i])) {
            PQ_TRY(resolve_crs(f, root->child[i], e));
        }
    }
    return PQ_OK;
}

PqRc pq_geometry_find(PqFooter *f, PqErr *e)
{
    const PqNode *root = f->schema.root;

    PQ_TRY(resolve_all(f, e));
    PQ_TRY(find_described(f, e));
    PQ_TRY(find_extensions(f, e));
    for (uint32_t i = 0; i < root->n_children; i++) {
        PqNode *n = root->child[i];

        if (is_annotated(n) && !n->geometry &&
            !add_geometry(f, n, n->type, e)) {
            return e->rc;
        }
    }
    return PQ_OK;
}
