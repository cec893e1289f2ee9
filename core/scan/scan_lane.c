/*
** scan_lane.c - several threads read one scan: one scan walks, and others, the
** lanes, read.
**
**   walker   | file 1, row groups 0 1 2 3 ... file 2 ...    proofs, no values
**   lane A        | row group 0 |     | row group 2 | ...   filters, values
**   lane B        | row group 1     | | row group 3 |
**
** A lane is a scan of the same listing, which another thread uses while
** it reads.  The thread of the walker does everything that two threads must not
** do at once: it asks the proofs, and opens the files of all scans, because
** footers are shared and kept by the connection.  The lane has no proofs, no
** pool and no lookup.
*/
#include "core/scan/unnest_inside.h"

PqRc pq_scan_next_rows(PqScan *s, PqRowRange *out, bool *more, PqErr *e)
{
    const PqGroup *g;
    int64_t row, end, last;

    PQ_TRY(pq_scan_find_rows(s, &row, &end, more, e));
    if (!*more) {
        return PQ_OK;
    }
    g = &s->footer->groups[s->group];
    last = g->first_row + g->num_rows;
    end = end < last ? end : last;
    *out = (PqRowRange){s->at, s->at + (end - row)};
    s->at = out->end;
    s->stats.rows += (uint64_t)(end - row);
    return PQ_OK;
}

void pq_scan_pause_after(PqScan *s, uint64_t n)
{
    s->pause_rows = n;
    s->pause_at = s->stats.rows + n;
}

/* How many rows are left of the row group that was begun. */
static uint64_t rows_left(const PqScan *s)
{
    const PqGroup *g = &s->footer->groups[s->group];
    int64_t row = s->at - ((int64_t)s->file << PQ_ROWID_SHIFT) - g->first_row;

    return row > 0 && row < g->num_rows ? (uint64_t)(g->num_rows - row) : 0;
}

bool pq_scan_pauses(PqScan *s)
{
    uint64_t left;

    if (PQ_LIKELY(s->stats.rows < s->pause_at)) {
        return false;
    }
    left = rows_left(s);
    if (left > 0 && left <= s->pause_rows) {
        return false;
    }
    s->pause_at = UINT64_MAX;
    s->batch = (PqBatch){.serial = ++s->batch_serial, .file = s->batch.file,
                         .group = s->batch.group};
    return true;
}

PqRc pq_scan_go_to(PqScan *s, const PqRowRange *ranges, uint32_t n, PqErr *e)
{
    int64_t file = ranges[0].begin >> PQ_ROWID_SHIFT;

    PQ_TRY(pq_scan_set_ranges(s, ranges, n, e));
    return s->file == file ? PQ_OK : pq_scan_open_file(s, (uint32_t)file, e);
}

static void add_leaves(PqScan *s, const PqScan *lane)
{
    for (uint32_t i = 0; i < s->n_leaves && i < lane->n_leaves; i++) {
        s->leaves[i].by_lane |= lane->leaves[i].reader != NULL;
    }
}

static void add_lane(PqScan *s, PqScan *lane)
{
    PqScanStats *to = &s->stats;
    const PqScanStats *from = &lane->stats;

    pq_scan_close_file(lane);
    to->bytes_read += from->bytes_read;
    to->ns_read += from->ns_read;
    to->rows_filtered += from->rows_filtered;
    for (int i = 0; i < PQ_MODULE_KIND_COUNT; i++) {
        to->bytes_by_kind[i] += from->bytes_by_kind[i];
    }
    s->ctx.pages_read += lane->ctx.pages_read;
    s->ctx.pages_passed += lane->ctx.pages_passed;
    s->ctx.bytes_unpacked += lane->ctx.bytes_unpacked;
    add_leaves(s, lane);
}

void pq_scan_add_lanes(PqScan *s, PqScan *const *lanes, uint32_t n, int64_t ns,
                       int64_t waited)
{
    size_t peak = 0;

    for (uint32_t i = 0; i < n; i++) {
        add_lane(s, lanes[i]);
        peak += pq_mem_peak(lanes[i]->mem);
    }
    s->lanes_peak = peak > s->lanes_peak ? peak : s->lanes_peak;
    s->stats.ns_decoded += ns;
    s->ctx.ns_waited += waited;
}
