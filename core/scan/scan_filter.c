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
#include "core/scan/scan_inside.h"
#include "core/simd/kernels.h"

/* A filter's counts are halved when they exceed this, so that recent batches
** count most. */
enum { FILTER_MEMORY = 1 << 16 };

PqRc pq_scan_add_filter(PqScan *s, PqFilter *f, PqErr *e)
{
    PQ_TRY(PQ_RESIZE(s->mem, s->filters, s->n_filters + 1u, e));
    if (!s->kept) {
        s->kept = pq_mem_array(s->mem, PQ_BATCH_ROWS, sizeof *s->kept, e);
        if (!s->kept) {
            return e->rc;
        }
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

/* For each file, because a path is a leaf in one and cast in another. */
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

PqRc pq_scan_filter(PqScan *s, PqErr *e)
{
    uint32_t n_rows = s->batch.n_rows, n_words = (n_rows + 63) / 64;
    const PqKernels *k = pq_kernels();
    uint32_t left = n_rows;

    s->batch.n_kept = n_rows;
    if (s->n_filters == 0) {
        return PQ_OK;
    }
    if (s->filters_of != s->file_serial) {
        put_casts_last(s);
    }
    memset(s->keep, 0xff, n_words * sizeof *s->keep);
    if (n_rows % 64 > 0) {
        s->keep[n_words - 1] = ((uint64_t)1 << n_rows % 64) - 1;
    }
    s->batch.keep = s->keep;
    for (uint32_t i = 0; i < s->n_filters && left > 0; i++) {
        PqFilter *f = s->filters[i];
        uint32_t asked = left;

        PQ_TRY(apply(s, f, i == 0, e));
        left = k->count_bits(s->keep, n_words);
        account(f, asked, left);
        if (i > 0 && drops_more(f, s->filters[i - 1]) &&
            rank(s, f) == rank(s, s->filters[i - 1])) {
            s->filters[i] = s->filters[i - 1];
            s->filters[i - 1] = f;
        }
    }
    s->batch.kept = s->kept;
    s->batch.n_kept = k->list_bits(s->keep, n_words, s->kept);
    s->stats.rows_filtered += n_rows - s->batch.n_kept;
    return PQ_OK;
}

void pq_scan_keep_all(PqScan *s)
{
    s->batch.keep = NULL;
    s->batch.serial = ++s->batch_serial;
}
