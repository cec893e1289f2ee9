/*
** file_order.c - sorts the files, and reads them in that order.
**
** A scan walks files as they are listed.  So it begins again wherever the order
** goes back in the list, perhaps at each file:
**
**   listed  0    1    2    3    4    5       three runs, each of them one scan:
**   k       b    a    b    a    a    NULL    5, 1 3 4, 0 2
**
** The hard part is a listing that is newer than the table: a column that was
** declared INTEGER may have texts now, beside integers, which come first.
*/
#include "core/scan/file_order.h"

#include <stdlib.h>

typedef struct Order Order;

typedef struct Entry {
    const Order *o;
    uint32_t     file;
} Entry;

struct Order {
    PqRowSource     base;            /* first                               */
    PqFileOrderSpec spec;
    PqMem          *mem;
    Entry          *v;               /* files, in order                     */
    uint32_t        n, at;           /* files before `at` were read, or begun */
    bool            sorted, once;
    bool            running;         /* rows of the files before at are read */
    PqRowRange     *run, *cut;       /* their rows, and the wanted ones     */
    uint32_t        cut_room;
    uint32_t        n_kept;          /* rows of the batch; with once, only  */
                                     /* the first one is given              */
};

/* ---- the order ----------------------------------------------------------- */

static int compare_files(const Order *o, uint32_t a, uint32_t b)
{
    const PqFileOrderSpec *s = &o->spec;

    for (uint32_t i = 0; i < s->n; i++) {
        PqCell x = s->value(s->host.arg, s->column[i], a);
        PqCell y = s->value(s->host.arg, s->column[i], b);
        int order = pq_cell_compare(&x, &y);

        if (order != 0) {
            return s->desc[i] ? -order : order;
        }
    }
    return 0;
}

static int compare_entries(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    int order = compare_files(x->o, x->file, y->file);

    return order ? order : (x->file > y->file) - (x->file < y->file);
}

/* Lists the files that the host does not skip. */
static PqRc list_files(Order *o, PqErr *e)
{
    enum { AT_ONCE = 1024 };
    const PqRowHost *h = &o->spec.host;
    uint32_t n = h->listing->n_files;

    o->v = pq_mem_array(o->mem, n + (size_t)1, sizeof *o->v, e);
    o->run = pq_mem_array(o->mem, n + (size_t)1, sizeof *o->run, e);
    PQ_TRY(o->v && o->run ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n; i++) {
        if (i % AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(pq_scan_stop(o->base.scan), e));
        }
        if (!h->skip_file || !h->skip_file(h->arg, &h->listing->files[i])) {
            o->v[o->n++] = (Entry){o, i};
        }
    }
    pq_scan_passed_files(o->base.scan, n - o->n);
    return PQ_OK;
}

static bool is_sorted(const Entry *v, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && compare_entries(&v[i - 1], &v[i]) < 0) {
        i++;
    }
    return i >= n;
}

static PqRc sort_files(Order *o, PqErr *e)
{
    o->sorted = true;
    PQ_TRY(list_files(o, e));
    if (!is_sorted(o->v, o->n)) {
        qsort(o->v, o->n, sizeof *o->v, compare_entries);
    }
    return PQ_OK;
}

/* ---- rows ---------------------------------------------------------------- */

/* Does the run go on with file number i of the order?  With once, a run has one
** value. */
static bool goes_on(const Order *o, uint32_t i)
{
    return i < o->n && o->v[i].file > o->v[i - 1].file &&
           !(o->once && compare_files(o, o->v[i - 1].file, o->v[i].file));
}

/* Begins to scan the next run, if some of its rows are wanted. */
static PqRc begin_run(Order *o, PqErr *e)
{
    const PqRowHost *h = &o->spec.host;
    uint32_t n = 0, n_cut;

    do {
        int64_t file = o->v[o->at++].file;

        if (n == 0 || o->run[n - 1].end != file << PQ_ROWID_SHIFT) {
            o->run[n++].begin = file << PQ_ROWID_SHIFT;
        }
        o->run[n - 1].end = (file + 1) << PQ_ROWID_SHIFT;
    } while (goes_on(o, o->at));
    PQ_TRY(pq_row_host_cut(h, o->run, n, o->mem, &o->cut, &o->cut_room, &n_cut, e));
    o->running = n_cut > 0;
    return n_cut > 0 ? h->begin(h->arg, o->cut, n_cut, true, e) : PQ_OK;
}

static PqRc next(PqRowSource *base, bool *more, PqErr *e)
{
    Order *o = (Order *)base;

    *more = false;
    if (!o->sorted) {
        PQ_TRY(sort_files(o, e));
    }
    o->running = o->running && !o->once;     /* its row was given */
    while (!*more && (o->running || o->at < o->n)) {
        if (!o->running) {
            PQ_TRY(begin_run(o, e));
            continue;
        }
        PQ_TRY(pq_scan_next(base->scan, more, e));
        o->running = *more;
    }
    if (*more && o->once) {
        o->n_kept = base->batch->n_kept;
        pq_scan_keep(base->scan, base->batch->kept, 1);
    }
    return PQ_OK;
}

/* The row is always the first one of the batch. */
static PqRc tell_apart(PqRowSource *base, uint32_t row, bool *changed, PqErr *e)
{
    Order *o = (Order *)base;

    if (o->once) {
        pq_scan_keep(base->scan, base->batch->kept, o->n_kept);
        o->once = false;
        *changed = true;
    }
    return PQ_OK;
}

static void free_order(PqRowSource *base)
{
    Order *o = (Order *)base;

    pq_mem_free(o->v);
    pq_mem_free(o->run);
    pq_mem_free(o->cut);
    pq_mem_free(o);
}

PqRc pq_file_order_new(PqScan *scan, const PqFileOrderSpec *spec,
                       PqRowSource **out, PqErr *e)
{
    PqMem *mem = pq_scan_mem(scan);
    Order *o;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, o, 1, e));
    o->base = pq_row_source(scan, next);
    o->base.tell_apart = tell_apart;
    o->base.free = free_order;
    o->spec = *spec;
    o->mem = mem;
    o->once = spec->once;
    *out = &o->base;
    return PQ_OK;
}
