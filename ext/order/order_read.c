/*
** order_read.c - what of the row groups is read for a round.
**
** A row group of a million rows is a lot to read for the ten last of them.
** Where the column index tells the bounds of its pages, these are gone to as row
** groups are: the best first, until none of the others can do better.
**
**   row group 8, pages by their bounds of ts, DESC
**   [......95][.....90][....85][...80] ...
**     read      cannot beat the keys of the first: left alone
*/
#include "ext/order/order_inside.h"

#include <stdlib.h>

enum { FEW_SHARE = 4 };              /* of a row group: page by page        */

/* ---- rows -------------------------------------------------------------------- */

/* Rows of both lists, which are sorted, to o->cut. */
static PqRc cut_ranges(PqextOrder *o, const PqRowRange *v, uint32_t n_v,
                       uint32_t *n, PqErr *e)
{
    uint32_t i = 0, k = 0;

    if (o->cut_room < n_v + o->c->n_ranges) {
        PqRowRange *more = pq_mem_resize(o->mem, o->cut,
                                         (n_v + (size_t)o->c->n_ranges) *
                                             sizeof *more, e);

        if (!more) {
            return e->rc;
        }
        o->cut = more;
        o->cut_room = n_v + o->c->n_ranges;
    }
    *n = 0;
    while (i < n_v && k < o->c->n_ranges) {
        PqRowRange a = v[i], b = o->c->ranges[k];
        PqRowRange r = {a.begin > b.begin ? a.begin : b.begin,
                        a.end < b.end ? a.end : b.end};

        if (r.begin < r.end) {
            o->cut[(*n)++] = r;
        }
        i += a.end <= b.end;
        k += b.end <= a.end;
    }
    return PQ_OK;
}

/* Offers the rows of a row group that lie in these ranges, and that the plan
** leaves. */
static PqRc read_ranges(PqextOrder *o, const PqRowRange *v, uint32_t n_v,
                        bool come_back, PqErr *e)
{
    bool more = true;
    uint32_t n = 0;

    PQ_TRY(cut_ranges(o, v, n_v, &n, e));
    if (n == 0) {
        return PQ_OK;
    }
    PQ_TRY(pqext_cursor_begin(o->c, o->cut, n));
    if (come_back) {
        pq_scan_come_back(o->scan);
    }
    if (o->by.v[0].column >= 0) {
        PQ_TRY(pq_scan_add_proof(o->scan, &o->proof.base, e));
    }
    while (more) {
        PQ_TRY(pq_scan_next(o->scan, &more, e));
        if (more) {
            PQ_TRY(pqext_order_offer_batch(o, e));
        }
    }
    return PQ_OK;
}

/* ---- pages of a row group ---------------------------------------------------------- */

/* Of equal ones, with no further column to decide, the first in the file come
** first. */
static bool is_too_late(const PqextOrder *o, const PqextOrderGroup *g)
{
    const PqextOrderKey *worst = pqext_keys_worst(&o->keys);

    return worst && o->by.n == 1 && worst->row < g->begin &&
           pqext_order_first(o, &g->best, worst->values) == 0;
}

/* Neither is g of interest, nor is any behind it. */
bool pqext_order_ends_at(const PqextOrder *o, const PqextOrderGroup *g)
{
    return g->known && (pqext_order_too_bad(o, &g->best) || is_too_late(o, g));
}

static int compare_ranges(const void *a, const void *b)
{
    int64_t x = ((const PqRowRange *)a)->begin;
    int64_t y = ((const PqRowRange *)b)->begin;

    return (x > y) - (x < y);
}

typedef struct Pages {
    const PqextTable       *t;
    const PqextOrderColumn *c;
    PqextOrderGroups       *out;
} Pages;

static PqRc visit(void *arg, PqRowRange rows, const PqLeafBounds *b, PqErr *e)
{
    Pages *p = arg;
    PqextOrderGroup *g = pqext_order_groups_more(p->out, e);

    if (!g) {
        return e->rc;
    }
    g->begin = rows.begin;
    g->end = rows.end;
    return pqext_order_group_ends(p->t, p->c, b, &p->out->arena, g, e);
}

static void forget_pages(PqextOrder *o)
{
    pqext_order_groups_free(&o->pages);
    pq_mem_free(o->some);
    o->some = NULL;
}

static PqRc list_pages(PqextOrder *o, const PqextOrderGroup *g, PqErr *e)
{
    const PqextOrderColumn *c = &o->by.v[0];
    Pages p = {o->c->table, c, &o->pages};

    PQ_TRY(pq_scan_visit_pages(o->scan, (uint32_t)c->column, g->begin, visit,
                               &p, e));
    o->some = pq_mem_array(o->mem, o->pages.n, sizeof *o->some, e);
    if (!o->some) {
        return e->rc;
    }
    pqext_order_groups_sort(&o->pages, c->desc);
    return PQ_OK;
}

/* The pages of the first column in a row group, best first; none where no
** indexes hold, or where they are too many for the memory. */
static PqRc find_pages(PqextOrder *o, const PqextOrderGroup *g, PqErr *e)
{
    PqWhere outer = e->where;
    PqRc rc;

    forget_pages(o);
    rc = list_pages(o, g, e);
    if (rc == PQ_BUDGET) {
        pq_err_clear(e);
        e->where = outer;
        forget_pages(o);
        rc = PQ_OK;
    }
    return rc;
}

/* The next of the pages that are of interest, most of them at most, as they lie
** in the file, to o->some; *at moves behind them. */
static uint32_t some_pages(PqextOrder *o, uint32_t most, uint32_t *at)
{
    uint32_t n = 0;

    for (; n < most && *at < o->pages.n; ++*at) {
        const PqextOrderGroup *g = &o->pages.v[*at];

        if (pqext_order_ends_at(o, g)) {
            break;
        }
        if (!g->known || !pqext_order_given_already(o, &g->worst)) {
            o->some[n++] = (PqRowRange){g->begin, g->end};
        }
    }
    qsort(o->some, n, sizeof *o->some, compare_ranges);
    return n;
}

/* The best page, then the two best of what is left, then four: few pages are
** read for nothing, and few times the scan begins anew. */
static PqRc read_pages(PqextOrder *o, PqErr *e)
{
    uint32_t at = 0, most = 1, n = 0, n_read = 0;
    int64_t n_rows = 0;

    for (;; most *= 2) {
        pqext_keys_tighten(&o->keys);
        n = some_pages(o, most, &at);
        if (n == 0) {
            break;
        }
        PQ_TRY(read_ranges(o, o->some, n, n_read > 0, e));
        n_read += n;
    }
    for (uint32_t i = at; i < o->pages.n; i++) {
        n_rows += o->pages.v[i].end - o->pages.v[i].begin;
    }
    pq_scan_passed_pages(o->scan, o->pages.n - at, n_rows);
    return PQ_OK;
}

/* Are only some of its rows wanted? */
static bool wants_few(const PqextOrder *o, const PqextOrderGroup *g)
{
    return o->by.v[0].column >= 0 && g->known &&
           o->keys.most < (g->end - g->begin) / FEW_SHARE;
}

/* Afterwards the memory of the pages is for the rows that were found. */
PqRc pqext_order_read_group(PqextOrder *o, const PqextOrderGroup *g, PqErr *e)
{
    PqRowRange all = {g->begin, g->end};
    PqRc rc;

    if (wants_few(o, g)) {
        PQ_TRY(find_pages(o, g, e));
        if (o->pages.n > 1) {
            rc = read_pages(o, e);
            forget_pages(o);
            return rc;
        }
    }
    return read_ranges(o, &all, 1, false, e);
}
