/*
** wkb_write.c - geometries in ISO WKB, little-endian.
**
** A geometry in another form is copied by its runs.  Its numbers stay the same
** to the bit; only the NaNs of a POINT EMPTY become the usual ones.
*/
#include "core/geo/wkb.h"

void pq_wkb_put_head(PqBuf *out, PqGeoKind kind, bool has_z, bool has_m)
{
    PqWkbHead h = {.kind = kind, .has_z = has_z, .has_m = has_m};

    pq_buf_byte(out, 1);
    pq_wkb_put_count(out, pq_wkb_code(&h));
}

void pq_wkb_put_count(PqBuf *out, uint32_t n)
{
    pq_buf_add(out, &n, sizeof n);
}

void pq_wkb_put_number(PqBuf *out, double v)
{
    pq_buf_add(out, &v, sizeof v);
}

PqRc pq_wkb_put_end(PqBuf *out, size_t from, PqRc rc, PqErr *e)
{
    if (!pq_buf_ok(out)) {
        rc = pq_fail(e, out->sink->rc, "%s", out->sink->text);
    }
    if (rc != PQ_OK) {
        out->n = from;
    }
    return rc;
}

/* ---- boxes --------------------------------------------------------------- */

static void put_rectangle(PqBuf *out, double xmin, double ymin, double xmax,
                          double ymax)
{
    double v[] = {xmin, ymin, xmin, ymax, xmax, ymax, xmax, ymin, xmin, ymin};

    pq_wkb_put_head(out, PQ_GEO_POLYGON, false, false);
    pq_wkb_put_count(out, 1);
    pq_wkb_put_count(out, PQ_COUNT(v) / 2);
    pq_buf_add(out, v, sizeof v);
}

void pq_wkb_put_box(PqBuf *out, double xmin, double ymin, double xmax,
                    double ymax)
{
    if (xmin > xmax && xmin <= 180 && xmax >= -180) {
        pq_wkb_put_head(out, PQ_GEO_MULTIPOLYGON, false, false);
        pq_wkb_put_count(out, 2);
        put_rectangle(out, xmin, ymin, 180, ymax);
        put_rectangle(out, -180, ymin, xmax, ymax);
    } else {
        put_rectangle(out, xmin, ymin, xmax, ymax);
    }
}

/* ---- the same geometry --------------------------------------------------- */

static PqRc iso_begin(void *arg, const PqWkbHead *h, uint32_t n,
                      uint32_t depth, PqErr *e)
{
    static const uint8_t nans[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};

    pq_wkb_put_head(arg, h->kind, h->has_z, h->has_m);
    if (h->kind != PQ_GEO_POINT) {
        pq_wkb_put_count(arg, n);
    } else if (n == 0) {
        for (uint32_t axis = 0; axis < 2u + h->has_z + h->has_m; axis++) {
            pq_buf_add(arg, nans, sizeof nans);
        }
    }
    return PQ_OK;
}

static PqRc iso_ring(void *arg, uint32_t n_points, PqErr *e)
{
    pq_wkb_put_count(arg, n_points);
    return PQ_OK;
}

static PqRc iso_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    size_t i, n = (size_t)r->n * r->n_axes;
    PqBuf *out = arg;
    uint8_t *room;

    if (!r->swapped) {
        pq_buf_add(out, r->p, n * 8);
        return PQ_OK;
    }
    room = pq_buf_room(out, n * 8);
    for (i = 0; room && i < n; i++) {
        pq_store_u64(room + i * 8,
                     __builtin_bswap64(pq_load_u64(r->p + i * 8)));
    }
    out->n += room ? n * 8 : 0;
    return PQ_OK;
}

PqRc pq_wkb_to_iso(PqSlice wkb, PqBuf *out, PqErr *e)
{
    PqWkbEvents events = {.arg = out, .begin = iso_begin, .ring = iso_ring,
                          .run = iso_run};
    size_t from = out->n;

    return pq_wkb_put_end(out, from, pq_wkb_runs(wkb, &events, e), e);
}
