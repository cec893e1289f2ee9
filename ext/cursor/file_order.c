/*
** file_order.c - sorts the files, and reads them in that order.
**
** A scan walks files as they are listed.  So it is begun anew wherever the order
** goes back in the list, which may be at each file:
**
**   listed  0    1    2    3    4    5       three runs, each of them one scan:
**   k       b    a    b    a    a    NULL    5, 1 3 4, 0 2
**
** The hard part is a listing that is newer than the table: a column that was
** declared INTEGER may have texts now, beside integers, which come first.
*/
#include "ext/cursor/cursor.h"

#include <stdlib.h>

/* ---- the order ----------------------------------------------------------- */

typedef struct Sorter {
    const PqextListing *listing;
    const PqTable      *table;
    const PqextGroupBy *by;
} Sorter;

typedef struct Entry {
    const Sorter *s;
    uint32_t      file;
} Entry;

static int compare_values(const PqextFileValue *a, const PqextFileValue *b)
{
    if (a->is_null || b->is_null) {
        return (int)b->is_null - (int)a->is_null;
    }
    if (a->is_text != b->is_text) {
        return a->is_text ? 1 : -1;
    }
    return a->is_text
               ? strcmp(a->text, b->text)
               : (a->number > b->number) - (a->number < b->number);
}

static int compare_files(const Sorter *s, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < s->by->n; i++) {
        uint32_t column = s->by->column[i];
        PqextFileValue x = pqext_file_value(s->listing, s->table, column, a);
        PqextFileValue y = pqext_file_value(s->listing, s->table, column, b);
        int order = compare_values(&x, &y);

        if (order != 0) {
            return s->by->descending[i] ? -order : order;
        }
    }
    return 0;
}

static int compare_entries(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    int order = compare_files(x->s, x->file, y->file);

    return order ? order : (x->file > y->file) - (x->file < y->file);
}

static Sorter sorter_of(const PqextCursor *c)
{
    return (Sorter){c->listing, c->table->table, &c->plan->files};
}

/* Lists the files that the terms leave. */
static PqRc list_files(PqextCursor *c, const Sorter *s, Entry *out, uint32_t *n)
{
    enum { AT_ONCE = 1024 };
    const PqListing *l = &s->listing->list;

    *n = 0;
    for (uint32_t i = 0; i < l->n_files; i++) {
        if (i % AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(pq_scan_stop(c->scan), &c->e));
        }
        if (!pqext_cursor_skips(c, &l->files[i])) {
            out[(*n)++] = (Entry){s, i};
        }
    }
    pq_scan_passed_files(c->scan, l->n_files - *n);
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

static PqRc sort_files(PqextCursor *c)
{
    PqextFileOrder *o = &c->files;
    Sorter s = sorter_of(c);
    uint32_t n_files = s.listing->list.n_files;
    Entry *v = pq_mem_array(c->table->host->engine->mem, n_files + 1u,
                            sizeof *v, &c->e);

    o->v = pq_arena_zeros(&c->arena, n_files + 1u, sizeof *o->v, &c->e);
    if (!v || !o->v || list_files(c, &s, v, &o->n) != PQ_OK) {
        o->n = 0;
        pq_mem_free(v);
        return c->e.rc;
    }
    if (!is_sorted(v, o->n)) {
        qsort(v, o->n, sizeof *v, compare_entries);
    }
    for (uint32_t i = 0; i < o->n; i++) {
        o->v[i] = v[i].file;
    }
    pq_mem_free(v);
    return PQ_OK;
}

/* ---- rows ---------------------------------------------------------------- */

/* Where the run that begins at o->at ends.  With once, it is of one value. */
static uint32_t end_of_run(const PqextCursor *c)
{
    const PqextFileOrder *o = &c->files;
    Sorter s = sorter_of(c);
    uint32_t end = o->at + 1;

    while (end < o->n && o->v[end] > o->v[end - 1] &&
           !(o->once && compare_files(&s, o->v[end - 1], o->v[end]))) {
        end++;
    }
    return end;
}

/* The rows of a file and of those that follow it both in the run and in the
** listing.  *at moves past them. */
static PqRowRange range_of(const PqextFileOrder *o, uint32_t end, uint32_t *at)
{
    int64_t first = o->v[*at], last = first;

    while (++*at < end && o->v[*at] == last + 1) {
        last++;
    }
    return (PqRowRange){first << PQ_ROWID_SHIFT, (last + 1) << PQ_ROWID_SHIFT};
}

/* The first of the cursor's ranges that ends after this row. */
static uint32_t range_after(const PqextCursor *c, int64_t row)
{
    uint32_t low = 0, high = c->n_ranges;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (c->ranges[mid].end <= row) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* Adds what is in r and in the cursor's ranges. */
static PqRc add_ranges(PqextCursor *c, PqRowRange r, PqRowRange **v,
                       uint32_t *n,
                       uint32_t *room) // NOLINT(readability-non-const-parameter)
{
    for (uint32_t i = range_after(c, r.begin);
         i < c->n_ranges && c->ranges[i].begin < r.end; i++) {
        PqRowRange x = c->ranges[i];

        x.begin = x.begin > r.begin ? x.begin : r.begin;
        x.end = x.end < r.end ? x.end : r.end;
        PQ_TRY(PQ_GROW(pq_scan_mem(c->scan), *v, *n, *room, &c->e));
        (*v)[(*n)++] = x;
    }
    return PQ_OK;
}

/* Begins to scan the next run. */
static PqRc begin_run(PqextCursor *c)
{
    PqextFileOrder *o = &c->files;
    uint32_t end = end_of_run(c), n = 0, room = 0;
    PqRowRange *v = NULL;
    PqRc rc = PQ_OK;

    while (o->at < end && rc == PQ_OK) {
        rc = add_ranges(c, range_of(o, end, &o->at), &v, &n, &room);
    }
    if (rc == PQ_OK && n > 0) {
        rc = pqext_cursor_begin(c, v, n);
    }
    o->running = rc == PQ_OK && n > 0;
    pq_mem_free(v);
    return rc;
}

static PqRc next(PqRowSource *rows, bool *more, PqErr *e)
{
    PqextFileOrder *o = (PqextFileOrder *)rows;

    *more = false;
    o->running = o->running && !o->once;     /* its row was given */
    while (!*more && (o->running || o->at < o->n)) {
        if (!o->running) {
            PQ_TRY(begin_run(o->cursor));
            continue;
        }
        PQ_TRY(pq_scan_next(rows->scan, more, e));
        o->running = *more;
    }
    if (*more && o->once) {
        o->n_kept = rows->batch->n_kept;
        pq_scan_keep(rows->scan, rows->batch->kept, 1);
    }
    return PQ_OK;
}

/* The row is the first one of the batch. */
static PqRc tell_apart(PqRowSource *rows, uint32_t row, bool *changed, PqErr *e)
{
    PqextFileOrder *o = (PqextFileOrder *)rows;

    (void)row;
    (void)e;
    if (o->once) {
        pq_scan_keep(rows->scan, rows->batch->kept, o->n_kept);
        o->once = false;
        *changed = true;
    }
    return PQ_OK;
}

PqRc pqext_file_order_begin(PqextCursor *c, PqRowSource **out)
{
    PqextFileOrder *o = &c->files;

    *o = (PqextFileOrder){.rows = pq_row_source(c->scan, next), .cursor = c,
                          .once = c->plan->files.once};
    o->rows.tell_apart = tell_apart;
    *out = &o->rows;
    return sort_files(c);
}
