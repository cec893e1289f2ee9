/*
** geo_rows.c - makes the WKB of rows of a native encoding.
**
** The leaves of a row lie below the same lists, so they have the same levels,
** down to the point.  This is tested once for a batch; after that only the
** levels of x are read.  A list whose repeated level is r has an element at its
** first slot, unless the definition level there says that it is empty, and an
** element at each further slot with repetition level r:
**
**   rings of points   rep  0 2 2 1 2 2
**                          [     ]       ring, of three points
**                                [     ] ring
*/
#include "core/nested/geo_rows.h"

#include "core/geo/wkb.h"

#include <assert.h>
#include <math.h>

enum { MOST_LISTS = 3 };

struct PqGeoRows {
    PqMem          *mem;
    const PqNode   *column, *point;
    const PqNode   *list[MOST_LISTS];
    uint32_t        n_lists;
    PqGeoKind       kind, part;      /* part: of a MULTI..., else 0          */
    bool            has_z, has_m;
    uint32_t        leaf[PQ_GEO_AXES], n_leaves;
    const PqVector *v[PQ_GEO_AXES];
    uint32_t       *start;           /* slot of each row, and the end; only
                                     ** with lists                           */
    uint32_t        room, n_rows;
    PqBuf           out;
};

PqRc pq_geo_rows_new(PqMem *mem, const PqNode *node, PqGeoEncoding encoding,
                     PqGeoRows **out, PqErr *e)
{
    PqGeoRows *g = pq_mem_zeros(mem, 1, sizeof *g, e);

    *out = g;
    if (!g) {
        return e->rc;
    }
    g->mem = mem;
    g->column = node;
    g->point = pq_geometry_point(node, encoding);
    assert(g->point && encoding != PQ_GEO_AS_WKB);
    g->kind = (PqGeoKind)encoding;
    if (g->kind >= PQ_GEO_MULTIPOINT) {
        g->part = (PqGeoKind)(g->kind - PQ_GEO_MULTIPOINT + PQ_GEO_POINT);
    }
    for (; node != g->point; node = node->child[0]) {
        g->list[g->n_lists++] = node;
    }
    for (int axis = 0; axis < PQ_GEO_AXES; axis++) {
        int32_t leaf = pq_geometry_axis(g->point, axis);
        if (leaf >= 0) {
            g->leaf[g->n_leaves++] = (uint32_t)leaf;
        }
    }
    g->has_z = pq_geometry_axis(g->point, PQ_GEO_Z) >= 0;
    g->has_m = pq_geometry_axis(g->point, PQ_GEO_M) >= 0;
    pq_buf_init(&g->out, mem, e);
    return PQ_OK;
}

void pq_geo_rows_free(PqGeoRows *g)
{
    if (g) {
        pq_mem_free(g->start);
        pq_buf_free(&g->out);
        pq_mem_free(g);
    }
}

uint32_t pq_geo_rows_leaves(const PqGeoRows *g, const uint32_t **leaves)
{
    *leaves = g->leaf;
    return g->n_leaves;
}

/* ---- a batch ------------------------------------------------------------- */

static inline uint16_t def_of(const PqVector *v, uint32_t slot)
{
    return v->def ? v->def[slot] : 0;
}

/* Down to the point: what is below that may be null in one leaf only. */
static inline uint16_t def_above(const PqGeoRows *g, const PqVector *v,
                                 uint32_t slot)
{
    uint16_t def = def_of(v, slot);

    return def < g->point->def_present ? def : g->point->def_present;
}

static PqRc levels_agree(const PqGeoRows *g, const PqVector *v, PqErr *e)
{
    const PqVector *x = g->v[0];
    bool agree = v->n_slots == x->n_slots;

    if (agree && x->rep) {
        agree = memcmp(v->rep, x->rep, x->n_slots * sizeof *x->rep) == 0;
    }
    for (uint32_t i = 0; agree && i < x->n_slots; i++) {
        agree = def_above(g, v, i) == def_above(g, x, i);
    }
    return agree ? PQ_OK
                 : pq_fail(e, PQ_CORRUPT,
                           "the levels of %s do not fit those of %s",
                           v->leaf->path, x->leaf->path);
}

/* Finds where the rows begin; there must be n_rows. */
static PqRc find_rows(PqGeoRows *g, uint32_t n_rows, PqErr *e)
{
    const PqVector *x = g->v[0];
    uint32_t n = 0;

    if (x->n_slots && x->rep[0] != 0) {
        return pq_fail(e, PQ_CORRUPT, "%s begins in the middle of a row",
                       x->leaf->path);
    }
    if (g->room < n_rows + 1) {
        PQ_TRY(PQ_RESIZE(g->mem, g->start, n_rows + 1u, e));
        g->room = n_rows + 1;
    }
    for (uint32_t i = 0; i < x->n_slots; i++) {
        if (x->rep[i] == 0) {
            if (n < n_rows) {
                g->start[n] = i;
            }
            n++;
        }
    }
    if (n != n_rows) {
        return pq_fail(e, PQ_CORRUPT, "%s has levels of %u rows, not of %u",
                       x->leaf->path, n, n_rows);
    }
    g->start[n] = x->n_slots;
    return PQ_OK;
}

PqRc pq_geo_rows_begin(PqGeoRows *g, const PqVector *const *vectors,
                       uint32_t n_rows, PqErr *e)
{
    g->n_rows = 0;                   /* unless all is well */
    for (uint32_t i = 0; i < g->n_leaves; i++) {
        g->v[i] = vectors[i];
        assert(vectors[i]->rep || g->n_lists == 0);
        assert(vectors[i]->def || vectors[i]->leaf->max_def == 0);
        PQ_TRY(levels_agree(g, vectors[i], e));
    }
    if (g->n_lists) {
        PQ_TRY(find_rows(g, n_rows, e));
    } else if (g->v[0]->n_slots != n_rows) {
        return pq_fail(e, PQ_CORRUPT, "%s has %u levels for %u rows",
                       g->v[0]->leaf->path, g->v[0]->n_slots, n_rows);
    }
    g->n_rows = n_rows;
    return PQ_OK;
}

/* ---- a row --------------------------------------------------------------- */

static void put_point(PqGeoRows *g, uint32_t slot)
{
    for (uint32_t i = 0; i < g->n_leaves; i++) {
        const PqVector *v = g->v[i];
        double d = NAN;

        if (pq_vector_is_valid(v, slot)) {
            memcpy(&d, pq_vector_at(v, sizeof d, slot), sizeof d);
        }
        pq_wkb_put_number(&g->out, d);
    }
}

/* The elements of list k in the slots [from, until), after their number. */
static void put_list(PqGeoRows *g, uint32_t k, uint32_t from, uint32_t until)
{
    const PqVector *x = g->v[0];
    const PqNode *list = g->list[k];
    size_t at = g->out.n;
    uint32_t n = 0, next;

    pq_wkb_put_count(&g->out, 0);
    if (def_of(x, from) < list->repeated_def) {
        return;
    }
    for (; from < until && pq_buf_ok(&g->out); from = next) {
        next = from + 1;
        while (next < until && x->rep[next] > list->repeated_rep) {
            next++;
        }
        if (k == 0 && g->part) {
            pq_wkb_put_head(&g->out, g->part, g->has_z, g->has_m);
        }
        if (k + 1 == g->n_lists) {
            put_point(g, from);
        } else {
            put_list(g, k + 1, from, next);
        }
        n++;
    }
    if (pq_buf_ok(&g->out)) {
        pq_store_u32(g->out.p + at, n);
    }
}

PqRc pq_geo_rows_wkb(PqGeoRows *g, uint32_t row, PqSlice *out, PqErr *e)
{
    uint32_t from = g->n_lists ? g->start[row] : row;

    assert(row < g->n_rows);
    *out = (PqSlice){NULL, 0};
    if (def_of(g->v[0], from) < g->column->def_present) {
        return PQ_OK;
    }
    g->out.sink = e;
    g->out.n = 0;
    pq_wkb_put_head(&g->out, g->kind, g->has_z, g->has_m);
    if (g->n_lists) {
        put_list(g, 0, from, g->start[row + 1]);
    } else {
        put_point(g, from);
    }
    if (!pq_buf_ok(&g->out)) {
        return e->rc;
    }
    *out = pq_buf_view(&g->out);
    return PQ_OK;
}
