/*
** geojson.c - prints geometries as GeoJSON (RFC 7946).
**
**   {"type":"LineString","coordinates":[[30,10],[10,30]]}
**
** M has no place in it and is left out.  Empty geometries are as PostGIS prints
** them: POINT EMPTY has no coordinates, and a MULTI* or a GEOMETRYCOLLECTION
** without any point has no parts:
**
**   {"type":"MultiPoint","coordinates":[]}       MULTIPOINT(EMPTY,EMPTY)
**
** Whether it has a point is known only at its end, so its parts are printed,
** and removed again.  JSON has no NaN and no infinity: a coordinate like that
** is an error.
*/
#include "core/geo/wkt.h"

#include <math.h>

/* A geometry that has begun. */
typedef struct Level {
    PqGeoKind kind;
    uint32_t  n;                     /* parts or rings so far                */
    bool      is_named;              /* an object, not only coordinates      */
    bool      is_void;               /* a POLYGON whose first ring is empty  */
    size_t    from;                  /* where its parts begin                */
    uint64_t  points;                /* that are printed before it           */
} Level;

typedef struct Writer {
    PqBuf   *out;
    int      decimals;
    uint64_t points;
    uint32_t n_levels;
    Level    level[PQ_GEO_DEPTH + 1];
} Writer;

static PqRc on_begin(void *arg, const PqWkbHead *h, uint32_t n, uint32_t depth,
                     PqErr *e)
{
    Writer *w = arg;
    Level *parent = depth ? &w->level[depth - 1] : NULL;
    bool is_named = !parent || parent->kind == PQ_GEO_COLLECTION;

    if (parent && parent->n++) {
        pq_buf_byte(w->out, ',');
    }
    if (is_named) {
        pq_buf_text(w->out, "{\"type\":\"");
        pq_buf_text(w->out, pq_geo_kind_names[h->kind]);
        pq_buf_text(w->out, h->kind == PQ_GEO_COLLECTION
                                ? "\",\"geometries\":" : "\",\"coordinates\":");
    }
    if (h->kind != PQ_GEO_POINT || n == 0) {
        pq_buf_byte(w->out, '[');
    }
    w->level[depth] = (Level){h->kind, 0, is_named, false, w->out->n,
                              w->points};
    w->n_levels = depth + 1;
    return PQ_OK;
}

static PqRc on_end(void *arg, PqErr *e)
{
    Writer *w = arg;
    Level *l = &w->level[--w->n_levels];
    bool is_empty = w->points == l->points;

    if (is_empty && l->kind >= PQ_GEO_MULTIPOINT) {
        w->out->n = l->from;
    }
    if (l->kind != PQ_GEO_POINT || is_empty) {
        pq_buf_byte(w->out, ']');
    }
    if (l->is_named) {
        pq_buf_byte(w->out, '}');
    }
    return PQ_OK;
}

static PqRc on_ring(void *arg, uint32_t n_points, PqErr *e)
{
    Writer *w = arg;
    Level *l = &w->level[w->n_levels - 1];

    l->is_void = l->is_void || (n_points == 0 && l->n == 0);
    if (!l->is_void) {
        pq_buf_text(w->out, l->n++ ? ",[" : "[");
    }
    return PQ_OK;
}

static PqRc on_ring_end(void *arg, PqErr *e)
{
    Writer *w = arg;

    if (!w->level[w->n_levels - 1].is_void) {
        pq_buf_byte(w->out, ']');
    }
    return PQ_OK;
}

static PqRc put_point(Writer *w, const uint8_t *p, const PqWkbRun *r,
                      bool is_first, PqErr *e)
{
    enum { ROOM = 3 * (PQ_GEO_NUMBER_ROOM + 1) + 2 };
    char *room = (char *)pq_buf_room(w->out, ROOM), *to = room;
    uint32_t n = 2u + r->has_z;

    if (!room) {
        return w->out->sink->rc;
    }
    *to = ',';
    to += !is_first;
    *to++ = '[';
    for (uint32_t i = 0; i < n; i++) {
        double v = pq_wkb_number(p + 8 * i, r->swapped);

        if (!isfinite(v)) {
            return pq_fail(e, PQ_USAGE, "GeoJSON has no %s, which is the %c of"
                           " a point", v != v ? "NaN" : "infinity", "XYZ"[i]);
        }
        to += pq_geo_number_text(v, w->decimals, to);
        *to++ = i + 1 < n ? ',' : ']';
    }
    w->out->n += (size_t)(to - room);
    return PQ_OK;
}

static PqRc on_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    Writer *w = arg;
    const uint8_t *p = r->p;

    if (w->level[w->n_levels - 1].is_void) {
        return PQ_OK;
    }
    w->points += r->n;
    for (uint32_t i = 0; i < r->n; i++, p += (size_t)r->n_axes * 8) {
        PQ_TRY(put_point(w, p, r, i == 0, e));
    }
    return PQ_OK;
}

PqRc pq_geojson_write(PqSlice wkb, int decimals, PqBuf *out, PqErr *e)
{
    Writer w = {.out = out, .decimals = decimals};
    PqWkbEvents events = {&w, on_begin, on_ring, on_run, on_ring_end, on_end};
    size_t from = out->n;

    return pq_wkb_put_end(out, from, pq_wkb_runs(wkb, &events, e), e);
}
