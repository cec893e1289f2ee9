/*
** geoparquet_write.c - writes the JSON of GeoParquet.
**
** The two versions differ little.  1.x has neither types nor boxes with M: such
** types are written as not known, and such a box is written without M.  An
** algorithm other than spherical is an extra member in both, in the form of the
** schema of 2.0.
*/
#include "core/geo/geoparquet.h"
#include "core/text/json_read.h"
#include "core/text/json_text.h"
#include "core/text/number_text.h"

#include <math.h>

static void put_text(const char *z, PqBuf *out)
{
    pq_json_text_string(pq_slice_text(z), out);
}

static void put_number(double v, PqBuf *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    pq_buf_add(out, text, pq_number_text_double(v, text));
}

/* Is it a JSON object?  Its strings are not decoded, so no arena is needed. */
static bool is_object(PqSlice json)
{
    PqJsonToken t, end;
    PqJsonRead r;
    PqErr e;

    pq_err_init(&e);
    pq_json_read_begin(&r, json, NULL);
    return json.n && json.p[0] == '{' &&
           pq_json_read_next(&r, &t, &e) == PQ_OK &&
           pq_json_read_skip(&r, &t, NULL, &e) == PQ_OK &&
           pq_json_read_next(&r, &end, &e) == PQ_OK;
}

static void put_crs(const PqGeoColumn *c, PqBuf *out)
{
    PqSlice json = c->crs_json.n ? c->crs_json : pq_slice_text(c->crs);

    if (!c->crs_json.n && (!c->crs || strcmp(c->crs, "EPSG:4326") == 0)) {
        return;
    }
    pq_buf_text(out, ",\"crs\":");
    if (is_object(json)) {
        pq_buf_add(out, json.p, json.n);
    } else {
        pq_buf_text(out, "null");
    }
}

static void put_edges(int32_t algorithm, PqBuf *out)
{
    if (algorithm < 0 || algorithm >= PQ_GEO_ALGORITHMS) {
        return;
    }
    pq_buf_text(out, ",\"edges\":\"spherical\"");
    if (algorithm != 0) {
        pq_buf_text(out, ",\"algorithm\":");
        put_text(pq_geo_algorithm_names[algorithm], out);
    }
}

static void put_types(const PqGeoColumn *c, bool has_m, PqBuf *out)
{
    bool known = true;

    for (uint32_t i = 0; i < c->n_codes; i++) {
        known = known && (has_m || c->codes[i] < 2000);
    }
    pq_buf_text(out, ",\"geometry_types\":[");
    for (uint32_t i = 0; known && i < c->n_codes; i++) {
        pq_buf_text(out, i ? ",\"" : "\"");
        pq_buf_text(out, pq_geo_kind_names[c->codes[i] % 1000]);
        pq_buf_text(out, pq_geo_dimension_names[c->codes[i] / 1000]);
        pq_buf_byte(out, '"');
    }
    pq_buf_byte(out, ']');
}

static bool is_finite(const PqGeoBox *b, uint32_t axes)
{
    for (uint32_t i = 0; i < axes; i++) {
        if (!isfinite(b->min[i]) || !isfinite(b->max[i])) {
            return false;
        }
    }
    return true;
}

/* X, Y [, Z [, M]] of the lower corner, then of the upper one.  M without Z has
** no form. */
static void put_box(const PqGeoBox *b, bool has_m, PqBuf *out)
{
    uint32_t axes = !b->has[PQ_GEO_Z] ? 2 : has_m && b->has[PQ_GEO_M] ? 4 : 3;

    if (!pq_geo_box_is_whole(b) || !is_finite(b, axes)) {
        return;
    }
    pq_buf_text(out, ",\"bbox\":[");
    for (uint32_t i = 0; i < 2 * axes; i++) {
        pq_buf_text(out, i ? "," : "");
        put_number(i < axes ? b->min[i] : b->max[i - axes], out);
    }
    pq_buf_byte(out, ']');
}

static void put_cover(const PqGeoPath cover[4], PqBuf *out)
{
    static const char *const names[] = {"xmin", "ymin", "xmax", "ymax"};

    pq_buf_text(out, ",\"covering\":{\"bbox\":{");
    for (uint32_t i = 0; i < PQ_COUNT(names); i++) {
        pq_buf_text(out, i ? "," : "");
        put_text(names[i], out);
        pq_buf_text(out, ":[");
        for (uint32_t k = 0; k < cover[i].n; k++) {
            pq_buf_text(out, k ? "," : "");
            put_text(cover[i].name[k], out);
        }
        pq_buf_byte(out, ']');
    }
    pq_buf_text(out, "}}");
}

static void put_column(const PqGeoColumn *c, bool has_m, PqBuf *out)
{
    put_text(c->name, out);
    pq_buf_text(out, ":{\"encoding\":");
    put_text(pq_geo_encoding_names[c->encoding], out);
    put_types(c, has_m, out);
    put_crs(c, out);
    put_edges(c->algorithm, out);
    if (c->has_box) {
        put_box(&c->box, has_m, out);
    }
    if (c->cover[0].n) {
        put_cover(c->cover, out);
    }
    pq_buf_byte(out, '}');
}

void pq_geoparquet_write(const PqGeoParquet *g, PqBuf *out)
{
    bool has_m = g->version[0] >= '2';

    pq_buf_text(out, "{\"version\":");
    put_text(g->version, out);
    pq_buf_text(out, ",\"primary_column\":");
    put_text(g->primary, out);
    pq_buf_text(out, ",\"columns\":{");
    for (uint32_t i = 0; i < g->n_columns; i++) {
        pq_buf_text(out, i ? "," : "");
        put_column(&g->columns[i], has_m, out);
    }
    pq_buf_text(out, "}}");
}
