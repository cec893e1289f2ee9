/*
** copy_geo.c - describes geometries as GeoParquet does.
**
**   geoparquet   column                       key "geo"   covering columns
**   none         GEOMETRY, GEOGRAPHY          no          no
**   1.1          BYTE_ARRAY of no type        yes         unless not wanted
**   2.0          GEOMETRY, GEOGRAPHY          yes         if wanted
**
** Readers of version 1 know nothing of the two types, and some fail on them.
**
** What is hard is the coordinate system.  Parquet's types take any text;
** GeoParquet wants PROJJSON, which nothing here can make:
**
**   type's crs                     in GeoParquet
**   none, OGC:CRS84, EPSG:4326     nothing: that is its default, for it counts
**                                  longitude first in any system
**   {"type": ...}                  as it is
**   that of a GeoParquet file      the JSON that the file had
**   projjson:KEY                   the text that kv_metadata has for KEY
**   srid:0                         null, which is "not known"
**   EPSG:3857                      an error
**
** Version 2.0 wants the type's crs to be PROJJSON too.
*/
#include "sql/copy/copy_types.h"

#include "sql/did_you_mean.h"

static bool is_geometry(const PqsqlCopyColumn *c)
{
    return !c->is_partition && c->type->kind == PQ_NODE_LEAF &&
           pq_type_is_geometry(&c->type->type);
}

/* ---- coordinate systems -------------------------------------------------- */

static bool is_default(const char *crs)
{
    return !crs || pq_ascii_same(crs, "OGC:CRS84") ||
           pq_ascii_same(crs, "EPSG:4326") ||
           pq_ascii_same(crs, "srid:4326");
}

/* Is it a JSON object? */
static bool is_object(PqSlice text, PqArena *a)
{
    PqJsonRead r;
    PqJsonToken t;
    PqErr why = PQ_NO_ERR;

    pq_json_read_begin(&r, text, a);
    if (pq_json_read_next(&r, &t, &why) != PQ_OK || t.kind != PQ_JSON_OBJECT) {
        return false;
    }
    while (t.kind != PQ_JSON_END) {
        if (pq_json_read_next(&r, &t, &why) != PQ_OK) {
            return false;
        }
    }
    return true;
}

/* The text that kv_metadata has for projjson:KEY; n 0: none. */
static PqSlice by_key(const PqsqlCopyOptions *o, const char *crs)
{
    static const char before[] = "projjson:";
    size_t n = sizeof before - 1;
    const PqKeyValue *kv = strncmp(crs, before, n) ? NULL
        : pq_key_value_find(&o->key_values, pq_slice_text(crs + n));

    return kv ? kv->value : (PqSlice){0};
}

/* Fills in the JSON of a crs that is not the default. */
static PqRc find_json(const PqsqlCopyColumn *c, const PqsqlCopyOptions *o,
                      const char *crs, PqArena *a, PqGeoColumn *out, PqErr *e)
{
    if (c->crs_json.n && c->crs && strcmp(c->crs, crs) == 0) {
        out->crs_json = c->crs_json;
        return PQ_OK;
    }
    out->crs_json = by_key(o, crs);
    if (!out->crs_json.n && *crs == '{') {
        out->crs_json = pq_slice_text(crs);
    }
    if (!out->crs_json.n) {
        pq_fail(e, PQ_USAGE, "column %s: GeoParquet wants its coordinate system "
                "as PROJJSON, and %s is only a name", c->name, crs);
        pq_err_hint(e, "write {\"types\": {%s: \"geometry({...})\"}} with what "
                    "projinfo -o PROJJSON prints, or {\"geoparquet\": "
                    "\"none\"}", c->quoted);
        return e->rc;
    }
    return is_object(out->crs_json, a)
               ? PQ_OK : pq_fail(e, PQ_USAGE, "column %s: its coordinate system "
                                 "is not a JSON object", c->name);
}

static PqRc take_crs(PqsqlCopyColumn *c, const PqsqlCopyOptions *o, PqType *type,
                     PqArena *a, PqGeoColumn *out, PqErr *e)
{
    if (is_default(type->crs)) {
        type->crs = NULL;
        return PQ_OK;
    }
    out->crs = type->crs;
    if (pq_ascii_same(type->crs, "srid:0")) {
        return PQ_OK;
    }
    PQ_TRY(find_json(c, o, type->crs, a, out, e));
    type->crs = pq_arena_text(a, out->crs_json.p, out->crs_json.n, e);
    return type->crs ? PQ_OK : e->rc;
}

/* ---- covering columns ---------------------------------------------------- */

static int covering_of(const PqsqlCopyOptions *o)
{
    return o->geoparquet == PQSQL_GEOPARQUET_NONE ? PQSQL_COVERING_NONE
           : o->covering != PQSQL_UNSAID          ? o->covering
           : o->geoparquet == PQSQL_GEOPARQUET_1  ? PQSQL_COVERING_FLOAT
                                                  : PQSQL_COVERING_NONE;
}

/* SELECT * of a GeoParquet file has its covering too, and a second covering
** would only make the file larger.  It belongs to the same rows if the query
** only passes it on. */
void pqsql_copy_geo_replace(PqsqlCopyColumns *columns)
{
    bool covers = covering_of(columns->o) != PQSQL_COVERING_NONE;
    uint32_t n = columns->n;

    for (uint32_t i = 0; i < n && covers; i++) {
        PqsqlCopyColumn *g = &columns->v[i];

        for (uint32_t k = 0; k < n && g->covered_by && !g->old_cover; k++) {
            PqsqlCopyColumn *c = &columns->v[k];

            if (pqsql_copy_is_in_files(c) && !c->is_explicit && c->struct_id &&
                pq_ascii_same(c->struct_id, g->covered_by) &&
                g->type && is_geometry(g)) {
                c->is_replaced = true;
                g->old_cover = c;
            }
        }
    }
}

static bool is_taken(const PqsqlCopyColumns *columns, const char *name)
{
    for (uint32_t i = 0; i < columns->n; i++) {
        if (pq_ascii_same(columns->v[i].name, name)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < columns->n_covers; i++) {
        if (pq_ascii_same(columns->covers[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* "bbox" for the primary column, as in other writers.  For another column, or
** if the query has a column of that name, "geom_bbox", "geom_bbox_2", ... */
static PqRc name_cover(const PqsqlCopyColumns *columns, const char *column,
                       bool is_primary, const char **out, PqErr *e)
{
    *out = is_primary ? "bbox" : NULL;
    for (uint32_t i = 1; !*out || is_taken(columns, *out); i++) {
        *out = i == 1 ? pq_arena_printf(columns->a, e, "%s_bbox", column)
                      : pq_arena_printf(columns->a, e, "%s_bbox_%u", column, i);
        if (!*out) {
            return e->rc;
        }
    }
    return PQ_OK;
}

static bool says_page_rows(const PqsqlCopyOptions *o, const char *column)
{
    for (uint32_t i = 0; i < o->n_columns; i++) {
        if (pq_ascii_same(o->columns[i].column, column) &&
            o->columns[i].chunk.page_rows != PQSQL_UNSAID) {
            return true;
        }
    }
    return o->chunk.page_rows != PQSQL_UNSAID;
}

static PqRc add_cover(PqsqlCopyColumns *columns, uint32_t of, bool is_primary,
                      PqGeoColumn *out, PqErr *e)
{
    static const char *const fields[] = {"xmin", "ymin", "xmax", "ymax"};
    PqsqlCopyColumn *c = &columns->v[of];
    PqsqlCopyCover one = {.of = of, .physical = PQ_DOUBLE};

    if (covering_of(columns->o) == PQSQL_COVERING_FLOAT) {
        one.physical = PQ_FLOAT;
    }
    if (c->old_cover) {
        one.name = c->old_cover->name;
    } else {
        PQ_TRY(name_cover(columns, c->name, is_primary, &one.name, e));
    }
    if (!says_page_rows(columns->o, c->name)) {
        c->chunk.page_rows = PQSQL_NEAR_PAGE_ROWS;
    }
    PQ_TRY(PQ_ARENA_GROW(columns->a, columns->covers, columns->n_covers, e));
    columns->covers[columns->n_covers++] = one;
    for (uint32_t i = 0; i < PQ_COUNT(fields); i++) {
        out->cover[i] = (PqGeoPath){2, {one.name, fields[i]}};
    }
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------- */

static PqRc take_edges(const PqsqlCopyColumn *c, const PqsqlCopyOptions *o,
                       const PqType *type, PqGeoColumn *out, PqErr *e)
{
    out->algorithm = type->logical == PQ_TYPE_GEOGRAPHY ? type->algorithm
                                                        : PQ_GEO_PLANAR;
    if (o->geoparquet == PQSQL_GEOPARQUET_1 && out->algorithm > 0) {
        pq_fail(e, PQ_USAGE, "column %s: GeoParquet 1.1 has no %s edges, only "
                "spherical ones", c->name,
                pq_format_edges_name(out->algorithm)
                    ? pq_format_edges_name(out->algorithm) : "such");
        pq_err_hint(e, "write {\"geoparquet\": \"2.0\"}");
    }
    return e->rc;
}

static PqRc describe(PqsqlCopyColumns *columns, uint32_t i, bool is_primary,
                     PqGeoColumn *out, PqErr *e)
{
    const PqsqlCopyOptions *o = columns->o;
    PqsqlCopyColumn *c = &columns->v[i];
    PqType *type;

    PQ_TRY(PQ_ARENA_NEW(columns->a, type, 1, e));
    *type = c->type->type;
    *out = (PqGeoColumn){.name = c->name, .encoding = PQ_GEO_AS_WKB};
    PQ_TRY(take_edges(c, o, type, out, e));
    PQ_TRY(take_crs(c, o, type, columns->a, out, e));
    c->type->type = *type;
    if (o->geoparquet == PQSQL_GEOPARQUET_1) {
        c->type->type = (PqType){.physical = PQ_BYTE_ARRAY};
    }
    c->rules.geometry = c->chunk.geometry = type;
    return covering_of(o) == PQSQL_COVERING_NONE
               ? PQ_OK : add_cover(columns, i, is_primary, out, e);
}

static PqRc find_primary(const PqsqlCopyColumns *columns,
                         const PqsqlCopyColumn **out, PqErr *e)
{
    const char *named = columns->o->primary_column;
    PqsqlCopyColumn *c = columns->v;

    while (c < columns->v + columns->n && !is_geometry(c)) {
        c++;
    }
    if (c == columns->v + columns->n) {
        pq_fail(e, PQ_USAGE, "geoparquet: no column of the query is a "
                "geometry");
        pq_err_hint(e, "write {\"types\": {\"geom\": \"geometry\"}} for one of "
                    "WKB or WKT");
        return e->rc;
    }
    if (named) {
        PQ_TRY(pqsql_copy_types_column(columns, "primary_column", named, &c,
                                       e));
    }
    *out = c;
    return is_geometry(c) ? PQ_OK
                          : pq_fail(e, PQ_USAGE, "primary_column: %s is not a "
                                    "geometry", named);
}

/* Options that have no meaning without GeoParquet. */
static PqRc check_unused(const PqsqlCopyOptions *o, PqErr *e)
{
    const char *option = o->primary_column ? "primary_column"
                         : o->covering > PQSQL_COVERING_NONE ? "covering"
                                                             : NULL;

    if (option) {
        pq_fail(e, PQ_USAGE, "%s: only GeoParquet tells readers of it", option);
        pq_err_hint(e, "write {\"geoparquet\": \"1.1\"}, or \"2.0\"");
    }
    return e->rc;
}

static PqRc check_keys(const PqsqlCopyOptions *o, PqErr *e)
{
    return pq_key_value_find(&o->key_values, pq_slice_text("geo"))
               ? pq_fail(e, PQ_USAGE, "kv_metadata: the option geoparquet writes the key geo "
                         "itself") : PQ_OK;
}

PqRc pqsql_copy_geo(PqsqlCopyColumns *columns, const PqGeoParquet **out,
                    PqErr *e)
{
    const PqsqlCopyOptions *o = columns->o;
    const PqsqlCopyColumn *primary = NULL;
    PqGeoParquet *geo;

    *out = NULL;
    if (o->geoparquet == PQSQL_GEOPARQUET_NONE) {
        return check_unused(o, e);
    }
    PQ_TRY(check_keys(o, e));
    PQ_TRY(find_primary(columns, &primary, e));
    PQ_TRY(PQ_ARENA_NEW(columns->a, geo, 1, e));
    geo->version = o->geoparquet == PQSQL_GEOPARQUET_1 ? "1.1.0" : "2.0.0";
    geo->primary = primary->name;
    PQ_TRY(PQ_ARENA_NEW(columns->a, geo->columns, columns->n, e));
    for (uint32_t i = 0; i < columns->n; i++) {
        if (is_geometry(&columns->v[i])) {
            PQ_TRY(describe(columns, i, &columns->v[i] == primary,
                            &geo->columns[geo->n_columns++], e));
        }
    }
    *out = geo;
    return PQ_OK;
}
