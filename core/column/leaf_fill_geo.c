/*
** leaf_fill_geo.c - geometries: cells become WKB, and boxes for the columns that
** cover them.
**
** A cell is looked at twice where there is a covering column: two threads fill
** the two columns.  Both must agree on which cells are NULL, so both ask take().
** The geometry's own column reports cells that do not fit; the covering column
** treats such a cell as NULL.
*/
#include "core/base/bits.h"
#include "core/column/covering_fill.h"
#include "core/column/leaf_fill_inside.h"
#include "core/geo/geo_bounds.h"
#include "core/geo/wkt.h"

#include <math.h>

static PqFit why(PqRc rc)
{
    return rc == PQ_OK                            ? PQ_FITS
           : rc == PQ_NOMEM || rc == PQ_BUDGET    ? PQ_FIT_FAILED
                                                  : PQ_FIT_WHY;
}

/* Is it a geometry?  *wkb points into the cell, or to what was made in `made`.
** The caller sets the place of the error. */
static PqFit take(const PqFillRules *rules, const PqCell *cell, PqBuf *made,
                  PqSlice *wkb, bool *is_iso, PqErr *e)
{
    PqWkbHead head;

    *wkb = pq_cell_slice(cell);
    *is_iso = true;
    if (cell->kind == PQ_CELL_TEXT && !rules->exact_numbers) {
        made->n = 0;
        if (pq_wkt_read(*wkb, made, e) != PQ_OK) {
            return why(e->rc);
        }
        *wkb = pq_buf_view(made);
        return PQ_FITS;
    }
    if (cell->kind != PQ_CELL_BLOB) {
        return PQ_FIT_NOT;
    }
    *is_iso = pq_wkb_head(*wkb, &head) && head.is_iso;
    if (!*is_iso && rules->exact_numbers) {
        return PQ_FIT_NOT;
    }
    return why(pq_wkb_check(*wkb, e));
}

static PqFit put(PqFill *f, PqSlice wkb, PqStr *out)
{
    uint8_t *p = pq_fill_bytes(f, wkb.n, out);

    if (!p) {
        return PQ_FIT_FAILED;
    }
    memcpy(p, wkb.p, wkb.n);
    return PQ_FITS;
}

/* WKB that differs from the cell's bytes is made in a buffer, and then put into
** the batch. */
static PQ_COLD PqFit make(PqFill *f, const PqCell *cell, PqStr *out)
{
    PqWhere where = f->e->where;
    bool is_iso;
    PqBuf made, iso;
    PqSlice wkb;
    PqFit fit;

    pq_where_reset(f->e);
    pq_buf_init(&made, f->b->mem, f->e);
    pq_buf_init(&iso, f->b->mem, f->e);
    fit = take(f->rules, cell, &made, &wkb, &is_iso, f->e);
    if (fit == PQ_FITS && !is_iso) {
        fit = why(pq_wkb_to_iso(wkb, &iso, f->e));
        wkb = pq_buf_view(&iso);
    }
    if (fit == PQ_FITS) {
        fit = put(f, wkb, out);
    }
    pq_buf_free(&made);
    pq_buf_free(&iso);
    f->e->where = where;
    return fit;
}

static PqFit check(PqFill *f, PqSlice wkb)
{
    PqWhere where = f->e->where;
    PqFit fit;

    pq_where_reset(f->e);
    fit = why(pq_wkb_check(wkb, f->e));
    f->e->where = where;
    return fit;
}

static inline PqFit one_geometry(PqFill *f, const PqCell *cell, void *out)
{
    PqSlice wkb = pq_cell_slice(cell);
    PqFit fit = PQ_FITS;
    PqWkbHead head;
    double x, y;

    if (PQ_UNLIKELY(cell->kind != PQ_CELL_BLOB) ||
        !pq_wkb_point_xy(wkb, &x, &y)) {
        if (cell->kind != PQ_CELL_BLOB || !pq_wkb_head(wkb, &head) ||
            !head.is_iso) {
            return make(f, cell, out);
        }
        fit = check(f, wkb);
    }
    if (PQ_LIKELY(fit == PQ_FITS)) {
        *(PqStr *)out = pq_cell_str(cell);
        f->n_bytes += cell->n;
    }
    return fit;
}
PQ_FILL_KIND(geometry, PqStr)

/* ---- covering columns ---------------------------------------------------- */

/* On a globe edges may cross the antimeridian, and then a box wraps.  A box in
** the plane must not wrap, because readers do not expect it.  A GEOGRAPHY whose
** coordinates are not on the globe gets the box of its vertices. */
static bool box_of(const PqType *t, PqSlice wkb, PqGeoBox *out)
{
    PqGeoBounds b;

    if (t->logical == PQ_TYPE_GEOGRAPHY) {
        pq_geo_bounds_begin(&b, true, t->algorithm == 0);
        pq_geo_bounds_add(&b, wkb);
        if (pq_geo_bounds_box(&b, out)) {
            return true;
        }
    }
    return pq_wkb_bounds(wkb, out) && pq_geo_box_is_whole(out);
}

/* Rounds a number that a float cannot hold: up, or down if not up. */
static float outwards(double v, bool up)
{
    float f = (float)v;

    if (up ? (double)f < v : (double)f > v) {
        f = nextafterf(f, up ? INFINITY : -INFINITY);
    }
    return f;
}

static void put_box(PqLeafBatch *b, const PqCover *c)
{
    for (int i = 0; i < PQ_COVER_LEAVES; i++) {
        uint32_t at = b[i].n_values++;

        if (b[i].leaf->type.physical == PQ_FLOAT) {
            ((float *)b[i].values)[at] = outwards(c->last[i], i >= 2);
        } else {
            ((double *)b[i].values)[at] = c->last[i];
        }
        if (b[i].valid) {
            pq_bit_set(b[i].valid, b[i].n_entries);
        }
    }
}

static void end_row(PqLeafBatch *b)
{
    for (int i = 0; i < PQ_COVER_LEAVES; i++) {
        b[i].n_entries++;
        b[i].n_rows++;
    }
}

/* False: there is no geometry.  e is set only if there is no memory; other errors
** end in made's sink. */
static bool take_cell(PqCover *c, const PqCell *cell, const PqFillRules *rules,
                      PqBuf *made, PqErr *e)
{
    PqErr *ignored = made->sink;
    PqGeoBox box;
    PqFit fit;
    PqSlice wkb;
    bool is_iso;

    pq_err_init(ignored);
    if (rules->classes && !(rules->classes >> cell->kind & 1)) {
        return false;
    }
    fit = take(rules, cell, made, &wkb, &is_iso, ignored);
    if (fit == PQ_FIT_FAILED) {
        pq_fail(e, ignored->rc, "%s", ignored->text);
    }
    if (fit != PQ_FITS) {
        return false;
    }
    if (box_of(c->type, wkb, &box)) {
        c->last[0] = box.min[PQ_GEO_X];
        c->last[1] = box.min[PQ_GEO_Y];
        c->last[2] = box.max[PQ_GEO_X];
        c->last[3] = box.max[PQ_GEO_Y];
    }
    return true;
}

void pq_cover_init(PqCover *c, const PqType *type)
{
    *c = (PqCover){.type = type, .last = {NAN, NAN, NAN, NAN}};
}

/* Finds the first geometry among the cells that has a box; empty ones before it
** get that box. */
static void look_ahead(PqCover *c, const PqCells *cells, uint32_t n,
                       const PqFillRules *rules, PqBuf *made, PqErr *e)
{
    for (uint32_t i = 0; i < n && isnan(c->last[0]) && e->rc == PQ_OK; i++) {
        take_cell(c, &cells->cells[i], rules, made, e);
    }
}

PqRc pq_cover_fill(PqCover *c, PqLeafBatch *b, const PqCells *cells, uint32_t n,
                   const PqFillRules *rules, PqErr *e)
{
    bool required = b->leaf->max_def == 0;
    PqErr ignored;
    PqBuf made;

    for (int i = 0; i < PQ_COVER_LEAVES; i++) {
        PQ_TRY(pq_leaf_batch_reserve(&b[i], n, e));
    }
    pq_err_init(&ignored);
    pq_buf_init(&made, b->mem, &ignored);
    look_ahead(c, cells, n, rules, &made, e);
    for (uint32_t i = 0; i < n && e->rc == PQ_OK; i++) {
        if (take_cell(c, &cells->cells[i], rules, &made, e) || required) {
            put_box(b, c);
        }
        end_row(b);
    }
    pq_buf_free(&made);
    return e->rc;
}
