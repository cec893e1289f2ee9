/*
** top_read.c - chooses the parts of row groups that are read for a round.
**
** Reading a row group of a million rows for its last ten would be a waste.  If
** the column index has the bounds of its pages, pages are read as row groups
** are: the best first, until none of the others can do better.
**
**   row group 8, pages by their bounds of ts, DESC
**   [......95][.....90][....85][...80] ...
**     read      cannot beat the rows of the first: not read
*/
#include "core/top/top_inside.h"

#include <stdlib.h>

/* A row group is read page by page if fewer of its rows are wanted. */
enum { FEW_SHARE = 4, FAR_PAGES = 6 };

/* ---- rows ---------------------------------------------------------------- */

/* Offers the wanted rows of a row group that lie in these ranges.  `revisits`:
** the row group was read before. */
static PqRc read_ranges(PqTop *t, const PqRowRange *v, uint32_t n_v,
                        bool revisits, PqErr *e)
{
    const PqRowHost *h = &t->spec.host;
    bool more = true;
    uint32_t n = 0;

    PQ_TRY(pq_row_host_cut(h, v, n_v, t->mem, &t->cut, &t->cut_room, &n, e));
    if (n == 0) {
        return PQ_OK;
    }
    PQ_TRY(h->begin(h->arg, t->cut, n, true, e));
    if (revisits) {
        pq_scan_revisit(t->scan);
    }
    if (t->by.v[0].column >= 0) {
        PQ_TRY(pq_scan_add_proof(t->scan, &t->proof.base, e));
        if (!t->spec.filtered) {
            pq_scan_reads_few_columns(t->scan);
        }
    }
    while (more) {
        PQ_TRY(pq_scan_next(t->scan, &more, e));
        if (more) {
            PQ_TRY(pq_top_offer_batch(t, e));
        }
    }
    return PQ_OK;
}

/* ---- pages of a row group ------------------------------------------------ */

/* Equal rows come in the order of their rowids if no further column decides. */
static bool is_too_late(const PqTop *t, const PqTopSection *section)
{
    const PqTopRow *worst = pq_top_set_worst(&t->set);

    return worst && t->by.n == 1 && worst->rowid < section->begin &&
           pq_top_compare_first(t, &section->best, worst->values) == 0;
}

bool pq_top_ends_at(const PqTop *t, const PqTopSection *section)
{
    return section->known && (pq_top_is_too_bad(t, &section->best) ||
                              is_too_late(t, section));
}

static int compare_ranges(const void *a, const void *b)
{
    int64_t x = ((const PqRowRange *)a)->begin;
    int64_t y = ((const PqRowRange *)b)->begin;

    return (x > y) - (x < y);
}

static PqRc visit(void *arg, PqRowRange rows, const PqLeafBounds *b, PqErr *e)
{
    PqTop *t = arg;
    PqTopSection *page;

    PQ_TRY(pq_top_sections_add(&t->pages, rows.begin, rows.end, &page, e));
    return pq_top_section_ends(&t->spec, &t->by.v[0], b, &t->pages, page, e);
}

static void forget_pages(PqTop *t)
{
    pq_top_sections_free(&t->pages);
    pq_mem_free(t->some);
    t->some = NULL;
}

static PqRc list_pages(PqTop *t, const PqTopSection *group, PqErr *e)
{
    const PqTopColumn *c = &t->by.v[0];

    PQ_TRY(pq_scan_visit_pages(t->scan, (uint32_t)c->column, group->begin,
                               visit, t, e));
    t->some = pq_mem_array(t->mem, t->pages.n, sizeof *t->some, e);
    PQ_TRY(t->some ? PQ_OK : e->rc);
    pq_top_sections_sort(&t->pages, c->desc);
    return PQ_OK;
}

/* The pages of the first column in a row group, best first.  None are found
** without a valid index, or if they are too many for the memory. */
static PqRc find_pages(PqTop *t, const PqTopSection *group, PqErr *e)
{
    PqWhere outer = e->where;
    PqRc rc;

    forget_pages(t);
    rc = list_pages(t, group, e);
    if (rc == PQ_BUDGET) {
        pq_err_clear(e);
        e->where = outer;
        forget_pages(t);
        rc = PQ_OK;
    }
    return rc;
}

PqRc pq_top_pages_overlap(PqTop *t, const PqTopSection *group, bool *overlap, PqErr *e)
{
    PQ_TRY(find_pages(t, group, e));
    *overlap = pq_top_all_overlap(t, &t->pages);
    forget_pages(t);
    return PQ_OK;
}

/* Do the first n pages have so many rows before any of this page that none of this is
** wanted?  How many of them pass a filter is not known. */
static bool is_behind(const PqTop *t, const PqTopSection *page, uint32_t n)
{
    int64_t n_rows = 0;

    for (uint32_t i = 0; i < n && page->known && n_rows < t->set.most; i++) {
        const PqTopSection *other = &t->pages.v[i];

        if (other->known && pq_top_compare_first(t, &other->worst, &page->best) < 0) {
            n_rows += other->end - other->begin;
        }
    }
    return n_rows >= t->set.most && !t->spec.filtered && !t->spec.no_nulls;
}

/* Puts the next pages of interest, at most `most` of them, into t->some, in the
** order of the file.  Moves *at past them. */
static uint32_t some_pages(PqTop *t, uint32_t most, uint32_t *at)
{
    uint32_t n = 0;

    for (; n < most && *at < t->pages.n; ++*at) {
        const PqTopSection *page = &t->pages.v[*at];

        if (pq_top_ends_at(t, page) || (n > 0 && is_behind(t, page, *at))) {
            break;
        }
        if (!page->known || !pq_top_was_given(t, &page->worst)) {
            t->some[n++] = (PqRowRange){page->begin, page->end};
        }
    }
    qsort(t->some, n, sizeof *t->some, compare_ranges);
    return n;
}

/* Reads the best page, then the next two, then four, and so on: few pages are
** read in vain, and the scan begins anew only a few times.  To send some more at once
** takes a server less time than another request. */
static PqRc read_pages(PqTop *t, PqErr *e)
{
    bool far = pq_listing_is_far(t->spec.host.listing,
                                 (uint32_t)(t->pages.v[0].begin >> PQ_ROWID_SHIFT));
    uint32_t at = 0, most = far ? FAR_PAGES : 1, n = 0, n_read = 0;
    int64_t n_rows = 0;

    for (;; most = most < t->pages.n ? most * 2 : most) {
        pq_top_set_tighten(&t->set);
        n = some_pages(t, most, &at);
        if (n == 0) {
            break;
        }
        PQ_TRY(read_ranges(t, t->some, n, n_read > 0, e));
        n_read += n;
    }
    for (uint32_t i = at; i < t->pages.n; i++) {
        n_rows += t->pages.v[i].end - t->pages.v[i].begin;
    }
    pq_scan_passed_pages(t->scan, t->pages.n - at, n_rows);
    return PQ_OK;
}

/* Are only some of its rows wanted? */
static bool wants_few(const PqTop *t, const PqTopSection *group)
{
    return t->by.v[0].column >= 0 && group->known &&
           t->set.most < (group->end - group->begin) / FEW_SHARE;
}

/* The pages are forgotten, so that their memory is free for picking rows. */
PqRc pq_top_read_group(PqTop *t, const PqTopSection *group, PqErr *e)
{
    PqRowRange all = {group->begin, group->end};
    PqRc rc;

    if (wants_few(t, group)) {
        PQ_TRY(find_pages(t, group, e));
        if (t->pages.n > 1) {
            rc = read_pages(t, e);
            forget_pages(t);
            return rc;
        }
    }
    return read_ranges(t, &all, 1, false, e);
}
