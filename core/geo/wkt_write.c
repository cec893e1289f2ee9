/*
** wkt_write.c - prints geometries as well-known text.
**
** The form is as in PostGIS's ST_AsText: blanks stand around the dimensions and
** between the numbers of a point, and parts have names within collections only.
**
**   MULTIPOINT Z ((1 2 3),EMPTY)    GEOMETRYCOLLECTION(POINT(1 2))
**
** As in PostGIS, a POLYGON whose first ring is empty is POLYGON EMPTY.
*/
#include "core/geo/wkt.h"

/* A geometry that has begun. */
typedef struct Level {
    PqGeoKind kind;
    uint32_t  n;                     /* parts or rings so far                */
    bool      is_empty;              /* EMPTY is printed: nothing follows    */
} Level;

typedef struct Writer {
    PqBuf   *out;
    int      decimals;
    uint32_t n_levels;
    Level    level[PQ_GEO_DEPTH + 1];
} Writer;

static void put_name(const PqWkbHead *h, PqBuf *out)
{
    const char *name = pq_geo_kind_names[h->kind];
    uint8_t *room = pq_buf_room(out, strlen(name));
    size_t n;

    for (n = 0; room && name[n]; n++) {
        room[n] = (uint8_t)(name[n] & ~0x20);
    }
    out->n += n;
    if (h->has_z || h->has_m) {
        pq_buf_text(out, pq_geo_dimension_names[h->has_z + 2 * h->has_m]);
        pq_buf_byte(out, ' ');
    }
}

/* EMPTY, after a blank unless there is one or it is in a list. */
static void put_empty(PqBuf *out)
{
    uint8_t last = out->n ? out->p[out->n - 1] : ' ';

    if (last != ' ' && last != '(' && last != ',') {
        pq_buf_byte(out, ' ');
    }
    pq_buf_text(out, "EMPTY");
}

static PqRc on_begin(void *arg, const PqWkbHead *h, uint32_t n, uint32_t depth,
                     PqErr *e)
{
    Writer *w = arg;
    Level *parent = depth ? &w->level[depth - 1] : NULL;

    if (parent && parent->n++) {
        pq_buf_byte(w->out, ',');
    }
    if (!parent || parent->kind == PQ_GEO_COLLECTION) {
        put_name(h, w->out);
    }
    if (n) {
        pq_buf_byte(w->out, '(');
    } else {
        put_empty(w->out);
    }
    w->level[depth] = (Level){h->kind, 0, n == 0};
    w->n_levels = depth + 1;
    return PQ_OK;
}

static PqRc on_end(void *arg, PqErr *e)
{
    Writer *w = arg;

    if (!w->level[--w->n_levels].is_empty) {
        pq_buf_byte(w->out, ')');
    }
    return PQ_OK;
}

static PqRc on_ring(void *arg, uint32_t n_points, PqErr *e)
{
    Writer *w = arg;
    Level *l = &w->level[w->n_levels - 1];

    if (l->is_empty) {
        return PQ_OK;
    }
    if (n_points == 0 && l->n == 0) {
        w->out->n -= pq_buf_ok(w->out);          /* the parenthesis          */
        l->is_empty = true;
        put_empty(w->out);
        return PQ_OK;
    }
    pq_buf_text(w->out, l->n++ ? "," : "");
    if (n_points) {
        pq_buf_byte(w->out, '(');
    } else {
        put_empty(w->out);
    }
    return PQ_OK;
}

static char *put_point(const uint8_t *p, const PqWkbRun *r, int decimals,
                       char *out)
{
    for (uint32_t i = 0; i < r->n_axes; i++) {
        *out = ' ';
        out += i > 0;
        out += pq_geo_number_text(pq_wkb_number(p + 8 * i, r->swapped),
                                  decimals, out);
    }
    return out;
}

static PqRc on_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    enum { ROOM = PQ_GEO_AXES * (PQ_GEO_NUMBER_ROOM + 1) + 1 };
    Writer *w = arg;
    Level *l = &w->level[w->n_levels - 1];
    const uint8_t *p = r->p;

    if (l->is_empty) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < r->n; i++, p += (size_t)r->n_axes * 8) {
        char *room = (char *)pq_buf_room(w->out, ROOM), *to = room;

        if (!room) {
            return w->out->sink->rc;
        }
        *to = ',';
        to = put_point(p, r, w->decimals, to + (i > 0));
        w->out->n += (size_t)(to - room);
    }
    if (l->kind == PQ_GEO_POLYGON) {
        pq_buf_byte(w->out, ')');
    }
    return PQ_OK;
}

PqRc pq_wkt_write(PqSlice wkb, int decimals, PqBuf *out, PqErr *e)
{
    Writer w = {.out = out, .decimals = decimals};
    PqWkbEvents events = {.arg = &w, .begin = on_begin, .ring = on_ring,
                          .run = on_run, .end = on_end};
    size_t from = out->n;

    return pq_wkb_put_end(out, from, pq_wkb_runs(wkb, &events, e), e);
}
