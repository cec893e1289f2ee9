/*
** row_source.c - the scan itself as a source, and what sources over a scan share.
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

PqRowSource *pq_scan_rows(PqScan *s)
{
    s->rows = pq_row_source(s, next_of_scan);
    return &s->rows;
}
