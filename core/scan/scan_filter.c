/*
** scan_filter.c - asks the filters about a batch.
**
** Each filter clears bits of keep, and the next one is asked about what is
** left.  At the end, kept lists the rows that remain:
**
**   keep    1111 1111    payment = 'card'    1010 0110    tip > 5   0010 0010
**   kept    2 6
**
** The hard part is the order of the filters, which decides what a batch costs.
** It is learned: after each batch, a filter that drops a greater share of its
** rows than the one before it swaps places with it.  Casts that may fail stay
** after the others.
*/
#include "core/scan/unnest_inside.h"
#include "core/simd/kernels.h"

/* A filter's counts are halved when they exceed this, so that recent batches
** count most. */
enum { FILTER_MEMORY = 1 << 16 };

PqRc pq_scan_add_filter(PqScan *s, PqFilter *f, PqErr *e)
{
    PQ_TRY(PQ_RESIZE(s->mem, s->filters, s->n_filters + 1u, e));
    if (!s->kept) {
        PQ_TRY(PQ_ARRAY(s->mem, s->kept, PQ_BATCH_ROWS, e));
    }
    f->asked = f->left = 0;
    s->filters_of = 0;
    s->filters[s->n_filters++] = f;
    return PQ_OK;
}

/* Does a leave a smaller share of the rows it is asked about than b?  Compares
** left / asked of both, without dividing. */
static bool drops_more(const PqFilter *a, const PqFilter *b)
{
    return a->left * (b->asked + 1) < b->left * (a->asked + 1);
}

static void account(PqFilter *f, uint32_t asked, uint32_t left)
{
    f->asked += asked;
    f->left += left;
    if (f->asked > FILTER_MEMORY) {
        f->asked /= 2;
        f->left /= 2;
    }
}

static int rank(const PqScan *s, const PqFilter *f)
{
    return f->last ? 2 : f->may_fail && f->may_fail(f, s);
}

/* Called for each file, because a path is a leaf in one file and cast in
** another. */
static void put_casts_last(PqScan *s)
{
    for (uint32_t i = 1; i < s->n_filters; i++) {
        PqFilter *f = s->filters[i];
        uint32_t at = i;

        for (; at > 0 && rank(s, s->filters[at - 1]) > rank(s, f); at--) {
            s->filters[at] = s->filters[at - 1];
        }
        s->filters[at] = f;
    }
    s->filters_of = s->file_serial;
}

static PqRc apply(PqScan *s, PqFilter *f, bool first, PqErr *e)
{
    PqRc rc;

    s->first_filter = first;
    rc = f->apply(f, s, s->keep, e);
    s->first_filter = false;
    return rc;
}

/* A scan that unnests asks some filters about rows, the others about
** elements. */
static bool is_asked_now(const PqScan *s, const PqFilter *f)
{
    bool of_rows;

    if (PQ_LIKELY(!s->unnest)) {
        return true;
    }
    of_rows = f->of_rows && f->of_rows(f, s);
    return of_rows != s->unnest->inside;
}

static void keep_all(PqScan *s, uint32_t n_rows)
{
    memset(s->keep, 0xff, (n_rows + 63) / 64 * sizeof *s->keep);
    if (n_rows % 64 > 0) {
        s->keep[n_rows / 64] = ((uint64_t)1 << n_rows % 64) - 1;
    }
    s->batch.keep = s->keep;
}

/* Asks the i-th filter; `last` is the filter asked before it; -1: none was. */
static PqRc ask(PqScan *s, uint32_t i, int64_t last, uint32_t *left, PqErr *e)
{
    PqFilter *f = s->filters[i];
    uint32_t asked = *left;

    PQ_TRY(apply(s, f, last < 0, e));
    *left = pq_kernels()->count_bits(s->keep, (s->batch.n_rows + 63) / 64);
    account(f, asked, *left);
    if (last >= 0 && drops_more(f, s->filters[last]) &&
        rank(s, f) == rank(s, s->filters[last])) {
        s->filters[i] = s->filters[last];
        s->filters[last] = f;
    }
    return PQ_OK;
}

PqRc pq_scan_filter(PqScan *s, PqErr *e)
{
    uint32_t n_rows = s->batch.n_rows, left = n_rows;
    int64_t last = -1;

    s->batch.n_kept = n_rows;
    if (s->n_filters == 0) {
        return PQ_OK;
    }
    if (s->filters_of != s->file_serial) {
        put_casts_last(s);
    }
    for (uint32_t i = 0; i < s->n_filters && left > 0; i++) {
        if (is_asked_now(s, s->filters[i])) {
            if (last < 0) {
                keep_all(s, n_rows);
            }
            PQ_TRY(ask(s, i, last, &left, e));
            last = i;
        }
    }
    if (last < 0) {
        return PQ_OK;
    }
    s->batch.kept = s->kept;
    s->batch.n_kept = pq_kernels()->list_bits(s->keep, (n_rows + 63) / 64,
                                              s->kept);
    s->stats.rows_filtered += n_rows - s->batch.n_kept;
    return PQ_OK;
}

void pq_scan_keep(PqScan *s, const uint32_t *rows, uint32_t n)
{
    s->batch.kept = rows;
    s->batch.n_kept = n;
}

void pq_scan_keep_all(PqScan *s)
{
    s->batch.keep = NULL;
    s->batch.serial = ++s->batch_serial;
}
