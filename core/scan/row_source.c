/*
** row_source.c - the scan itself as a source, and code that sources over a scan
** share.
*/
#include "core/scan/scan_inside.h"
#include "core/scan/unnest.h"

static PqRc rowid(PqRowSource *s, uint32_t row, int64_t *out, PqErr *e)
{
    return pq_scan_rowid(s->scan, row, out, e);
}

PqRowSource pq_row_source(PqScan *scan,
                          PqRc (*next)(PqRowSource *, bool *, PqErr *))
{
    return (PqRowSource){.batch = pq_scan_batch(scan), .scan = scan,
                         .next = next, .rowid = rowid};
}

static PqRc next_of_scan(PqRowSource *s, bool *more, PqErr *e)
{
    return pq_scan_next(s->scan, more, e);
}

/* The first range that ends after this row. */
static uint32_t range_after(const PqRowHost *h, int64_t row)
{
    uint32_t low = 0, high = h->n_ranges;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (h->ranges[mid].end <= row) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

PqRc pq_row_host_cut(const PqRowHost *h, const PqRowRange *v, uint32_t n_v,
                     PqMem *mem, PqRowRange **out, uint32_t *room, uint32_t *n,
                     PqErr *e)
{
    uint32_t i = 0, k = n_v > 0 ? range_after(h, v[0].begin) : 0;

    *n = 0;
    while (i < n_v && k < h->n_ranges) {
        PqRowRange a = v[i], b = h->ranges[k];
        PqRowRange r = {a.begin > b.begin ? a.begin : b.begin,
                        a.end < b.end ? a.end : b.end};

        if (r.begin < r.end) {
            PQ_TRY(PQ_GROW(mem, *out, *n, *room, e));
            (*out)[(*n)++] = r;
        }
        i += a.end <= b.end;
        k += b.end <= a.end;
    }
    return PQ_OK;
}

PqRowSource *pq_scan_rows(PqScan *s)
{
    s->rows = pq_row_source(s, next_of_scan);
    return &s->rows;
}
