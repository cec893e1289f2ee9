/*
** scan.c - the walk over files, row groups and rows.
**
** One rowid, s->at, says how far the walk has come.  Each step looks at what
** lies there, and either moves on or makes a batch:
**
**   a file that the host skips, or its end       to the next file
**   a row group that the proofs refute           to its end
**   rows that are not live (scan_prune.c)        to the next live row
**   live rows of a range that was asked for      a batch; it ends with the
**                                                range, the row group or the
**                                                live rows
**
** The first batches are small, because a LIMIT may want few rows.  Where rows
** are large, all batches are small.
**
** The hard part is to notice in time that the file has changed or that the
** user has interrupted.  Both are checked at each row group; the interrupt is
** checked at each batch too.
*/
#include "core/files/ignore_errors.h"
#include "core/scan/unnest_inside.h"

#include <stdio.h>

enum { FIRST_BATCH_ROWS = 64, ROWS_ONLY_BATCH = 1 << 20,
       BATCH_BYTES = 16 << 20, SKIPS_AT_ONCE = 256 };

/* ---- making and freeing ------------------------------------------------ */

static PqRc employ_workers(PqScan *s, const PqScanOptions *options, PqErr *e)
{
    s->ctx.pace.measured = options->if_faster;
    s->pool = pq_engine_pool(s->table->engine,
                             s->listing->on_one_thread ? 0 : options->threads);
    for (int i = 0; s->pool && i < PQ_POOL_THREADS; i++) {
        PQ_TRY(pq_read_ctx_init(&s->workers[i], s->mem, e));
        s->workers[i].verify_crc = options->checksum;
        s->workers[i].stop = pq_shared_stop(&s->stop, false);
    }
    return PQ_OK;
}

static void note_plan(PqScanStats *stats, const char *plan)
{
    static const char cut[] = "...";
    size_t room = sizeof stats->plan;

    if (snprintf(stats->plan, room, "%s", plan) >= (int)room) {
        memcpy(stats->plan + room - sizeof cut, cut, sizeof cut);
    }
}

static PqRc make(PqScan *s, const PqScanOptions *options, PqErr *e)
{
    const PqTable *table = s->table;

    PQ_TRY(pq_read_ctx_init(&s->ctx, s->mem, e));
    s->stop.host = options->stop;
    s->ctx.stop = pq_shared_stop(&s->stop, true);
    s->ctx.verify_crc = options->checksum;
    PQ_TRY(employ_workers(s, options, e));
    PQ_TRY(PQ_NEW(s->mem, s->nodes, table->n_columns, e));
    if (table->n_paths > 0) {
        PQ_TRY(PQ_NEW(s->mem, s->paths, table->n_columns, e));
    }
    return pq_unnest_new(s, e);
}

/* Adds what the connection has asked of servers, or takes it off. */
static void count_requests(PqScan *s, int sign)
{
    const PqRemote *r = s->table->engine->remote;

    s->stats.requests += (uint64_t)sign * r->requests;
    s->stats.retries += (uint64_t)sign * r->retries;
    s->stats.ns_waited += sign * r->ns_waiting;
}

PqRc pq_scan_new(const PqTable *table, const PqListing *listing,
                 const PqScanOptions *options, PqScan **out, PqErr *e)
{
    PqScan *s;

    *out = NULL;
    PQ_TRY(PQ_NEW_BUDGET(options->memory, s, e));
    if (options->lookup) {
        pq_lookup_join(options->lookup, s);
    }
    s->table = table;
    s->listing = listing;
    s->rows_only = options->rows_only;
    s->columns = options->columns;
    s->late = options->late;
    s->distrust = options->distrust;
    s->file = -1;
    pq_chunk_files_init(&s->parts, s->mem, &s->in);
    s->parts.versions = listing->versions;
    s->unlisted = options->unlisted;
    count_requests(s, -1);
    s->stats.serial = s->unlisted ? 0 : ++table->engine->n_scans;
    snprintf(s->stats.table, sizeof s->stats.table, "%s",
             options->name ? options->name : "");
    note_plan(&s->stats, options->plan ? options->plan : "");
    pq_left_out_notes(listing, &s->stats.notes);
    if (make(s, options, e) != PQ_OK) {
        pq_scan_free(s);
        return e->rc;
    }
    *out = s;
    return PQ_OK;
}

void pq_scan_note(PqScan *s, const char *note)
{
    pq_notes_add(&s->stats.notes, note);
}

void pq_scan_used(PqScan *s, const PqScanUse *use)
{
    s->stats.passes += use->passes;
    s->stats.rows_given += use->rows;
    s->stats.ns_decoded += use->ns_inside;
    s->stats.ns_outside += use->ns_outside;
}

/* Stores the scan's statistics where parquet_scan_stats() finds them. */
static void publish(PqScan *s)
{
    PqEngine *g = s->table->engine;

    count_requests(s, 1);
    s->stats.pages_read = s->ctx.pages_read;
    s->stats.pages_passed = s->ctx.pages_passed;
    s->stats.bytes_unpacked = s->ctx.bytes_unpacked;
    for (int i = 0; i < PQ_POOL_THREADS; i++) {
        s->stats.pages_read += s->workers[i].pages_read;
        s->stats.pages_passed += s->workers[i].pages_passed;
        s->stats.bytes_unpacked += s->workers[i].bytes_unpacked;
        s->stats.ns_decoded += s->workers[i].ns_ahead;
    }
    s->stats.ns_decoded -= s->ctx.ns_waited + s->stats.ns_read;
    for (uint32_t k = 0; k < s->n_leaves; k++) {
        s->stats.leaves_read += s->leaves[k].reader || s->leaves[k].by_lane;
    }
    s->stats.peak_memory = pq_mem_peak(s->mem) + s->lanes_peak;
    if (s->lookup && s->lookup->peak > s->stats.peak_memory) {
        s->stats.peak_memory = s->lookup->peak;
    }
    if (!s->unlisted) {
        g->stats[s->stats.serial % PQ_STATS_KEPT] = s->stats;
    }
}

void pq_scan_free(PqScan *s)
{
    if (!s) {
        return;
    }
    s->stop.stopped = true;          /* running jobs may stop               */
    pq_scan_close_file(s);
    pq_scan_close_next(s);
    publish(s);
    for (uint32_t i = 0; i < s->n_leaves; i++) {
        pq_scan_free_reader(s->leaves[i].reader);
        pq_scan_free_reader(s->leaves[i].next);
        pq_scan_free_gather(s->leaves[i].gather);
        if (s->leaves[i].made) {
            pq_made_leaf_free(s->leaves[i].made);
            pq_mem_free(s->leaves[i].made);
        }
    }
    pq_mem_free(s->pick);
    if (s->lookup) {
        pq_lookup_leave(s);
        pq_lookup_free(s->own_lookup);
    }
    pq_unnest_free(s);
    pq_scan_free_paths(s);
    pq_scan_free_headers(s);
    pq_scan_free_boxes(s->boxes);
    pq_mem_free(s->log_nodes);
    for (uint32_t i = 0; i < PQ_POOL_THREADS; i++) {
        pq_read_ctx_reset(&s->workers[i]);
    }
    pq_mem_free(s->leaves);
    pq_mem_free(s->nodes);
    pq_mem_free(s->ranges);
    pq_mem_free(s->proofs);
    pq_mem_free(s->filters);
    pq_mem_free(s->kept);
    pq_mem_free(s->needs);
    pq_mem_free(s->live);
    pq_read_ctx_reset(&s->ctx);
    pq_mem_free(s);
}

const PqStop *pq_scan_stop(const PqScan *s)
{
    return &s->ctx.stop;
}

PqMem *pq_scan_mem(const PqScan *s)
{
    return s->mem;
}

uint64_t pq_scan_rows_read(const PqScan *s)
{
    return s->stats.rows;
}

PqRc pq_scan_set_ranges(PqScan *s, const PqRowRange *ranges, uint32_t n,
                        PqErr *e)
{
    PqRowRange *copy;

    PQ_TRY(PQ_ARRAY(s->mem, copy, n, e));
    memcpy(copy, ranges, n * sizeof *copy);
    pq_mem_free(s->ranges);
    s->ranges = copy;
    s->n_ranges = n;
    s->range = 0;
    s->revisited = false;
    s->group_known = false;
    s->may_want_of = -1;
    s->at = 0;
    s->batch.n_rows = 0;
    pq_unnest_restart(s);
    return PQ_OK;
}

PqRc pq_scan_start(PqScan *s, const PqRowRange *ranges, uint32_t n_ranges,
                   PqSkipFile skip_file, void *arg, PqErr *e)
{
    static const PqRowRange everything = {0, INT64_MAX};

    PQ_TRY(pq_scan_set_ranges(s, ranges ? ranges : &everything,
                              ranges ? n_ranges : 1, e));
    s->stop.stopped = false;
    s->skip_file = skip_file;
    s->skip_arg = arg;
    s->n_proofs = s->n_filters = 0;
    s->few_columns = false;
    s->announced = 0;
    s->batch_rows = FIRST_BATCH_ROWS;
    s->pause_at = UINT64_MAX;
    return PQ_OK;
}

PqRc pq_scan_add_proof(PqScan *s, const PqProof *p, PqErr *e)
{
    PQ_TRY(PQ_RESIZE(s->mem, s->proofs, s->n_proofs + 1u, e));
    s->proofs[s->n_proofs++] = p;
    s->group_known = false;
    s->may_want_of = -1;
    return PQ_OK;
}

void pq_scan_reads_few_columns(PqScan *s)
{
    s->few_columns = true;
}

void pq_scan_drop_terms(PqScan *s)
{
    s->skip_file = NULL;
    s->n_proofs = s->n_filters = 0;
    s->group_known = false;
    s->may_want_of = -1;
}

/* ---- row groups and rows ----------------------------------------------- */

uint32_t pq_scan_group_of_row(const PqFooter *f, int64_t row)
{
    uint32_t low = 0, high = f->n_groups;

    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        *(f->groups[mid].first_row <= row ? &low : &high) = mid;
    }
    return low;
}

/* Makes the group of `row` the current one. */
static PqRc enter_group(PqScan *s, int64_t row, PqErr *e)
{
    uint32_t group = s->group;
    const PqGroup *g = &s->footer->groups[group];

    if (row < g->first_row || row >= g->first_row + g->num_rows) {
        group = pq_scan_group_of_row(s->footer, row);
    }
    if (group != s->group || !s->group_known) {
        PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
        PQ_TRY(pq_scan_check_file(s, e));
        s->group = group;
        PQ_TRY(pq_scan_prune_group(s, e));
        pq_scan_announce_group(s);
    }
    return PQ_OK;
}

/* How many rows a batch may have so that its decoded form stays small. */
static int64_t rows_at_once(PqScan *s, const PqGroup *g)
{
    int64_t per_row, n = s->batch_rows;

    if (s->rows_only && s->n_filters == 0) {
        return ROWS_ONLY_BATCH;
    }
    s->batch_rows *= 4;
    if (s->batch_rows > PQ_BATCH_ROWS) {
        s->batch_rows = PQ_BATCH_ROWS;
    }
    per_row = g->num_rows > 0 && g->total_byte_size > 0
                  ? g->total_byte_size / g->num_rows : 0;
    if (per_row > 0 && n > BATCH_BYTES / per_row) {
        n = BATCH_BYTES / per_row;
    }
    return n > 0 ? n : 1;
}

/* Makes a batch of the rows [row, end) of the current group, or of as many of
** them as a batch should have. */
static void make_batch(PqScan *s, int64_t row, int64_t end)
{
    const PqGroup *g = &s->footer->groups[s->group];
    int64_t n = rows_at_once(s, g), last = g->first_row + g->num_rows;

    end = end < last ? end : last;
    n = n < end - row ? n : end - row;
    s->batch = (PqBatch){.serial = ++s->batch_serial, .file = (uint32_t)s->file,
                         .group = s->group, .group_row = row - g->first_row,
                         .file_row = row, .rowid = s->at,
                         .n_rows = (uint32_t)n};
    s->at += n;
    s->stats.rows += (uint64_t)n;
}

static int64_t first_rowid(int64_t file)
{
    return file << PQ_ROWID_SHIFT;
}

/* Opens the file of s->at.  If the host skips it, or its known boxes do, s->at
** moves to the next file. */
static PqRc arrive_at_file(PqScan *s, bool *there, PqErr *e)
{
    uint32_t file = (uint32_t)(s->at >> PQ_ROWID_SHIFT);

    *there = false;
    if (s->file == file) {
        *there = true;
        return PQ_OK;
    }
    if ((s->skip_file &&
         s->skip_file(s->skip_arg, &s->listing->files[file])) ||
        pq_scan_boxes_skip(s, file) ||
        pq_scan_log_skips(s, &s->listing->files[file])) {
        if (s->stats.files_skipped++ % SKIPS_AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
        }
        s->at = first_rowid((int64_t)file + 1);
        return PQ_OK;
    }
    PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
    PQ_TRY(pq_scan_open_file(s, file, e));
    *there = true;
    return PQ_OK;
}

PqRc pq_scan_find_rows(PqScan *s, int64_t *out, int64_t *end, bool *more,
                       PqErr *e)
{
    for (;;) {
        int64_t row, live, live_end;
        const PqGroup *g;
        bool there;

        *more = false;
        while (s->range < s->n_ranges && s->ranges[s->range].end <= s->at) {
            s->range++;
        }
        if (s->range == s->n_ranges) {
            break;
        }
        if (s->at < s->ranges[s->range].begin) {
            s->at = s->ranges[s->range].begin;
        }
        if (s->at >> PQ_ROWID_SHIFT >= (int64_t)s->listing->n_files) {
            break;
        }
        PQ_TRY(arrive_at_file(s, &there, e));
        if (!there) {
            continue;
        }
        row = s->at - first_rowid(s->file);
        if (row >= s->footer->n_rows) {
            s->at = first_rowid(s->file + 1);
            continue;
        }
        PQ_TRY(enter_group(s, row, e));
        g = &s->footer->groups[s->group];
        if (s->group_refuted ||
            !pq_scan_live_rows(s, row - g->first_row, &live, &live_end)) {
            s->at += g->first_row + g->num_rows - row;
            continue;
        }
        if (live > row - g->first_row) {
            s->at += live - (row - g->first_row);
            continue;                /* may be beyond the range */
        }
        *out = row;
        *end = s->ranges[s->range].end - first_rowid(s->file);
        live_end += g->first_row;
        *end = *end < live_end ? *end : live_end;
        *more = true;
        return PQ_OK;
    }
    s->batch.n_rows = s->batch.n_kept = 0;
    return pq_scan_check_file(s, e);
}

/* Makes a batch of the next rows that the proofs leave. */
PqRc pq_scan_walk(PqScan *s, bool *more, PqErr *e)
{
    int64_t row, end;

    PQ_TRY(pq_scan_find_rows(s, &row, &end, more, e));
    if (*more) {
        if (PQ_UNLIKELY(s->announces)) {
            pq_scan_announce_more(s);
        }
        make_batch(s, row, end);
    }
    return PQ_OK;
}

PqRc pq_scan_next(PqScan *s, bool *more, PqErr *e)
{
    if (s->unnest) {
        return pq_unnest_next(s, more, e);
    }
    do {
        PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
        if (pq_scan_pauses(s)) {
            *more = true;
            return PQ_OK;
        }
        PQ_TRY(pq_scan_walk(s, more, e));
        if (*more) {
            PQ_TRY(pq_scan_filter(s, e));
        }
    } while (*more && s->batch.n_kept == 0);
    return PQ_OK;
}

void pq_scan_revisit(PqScan *s)
{
    s->revisited = true;
}

void pq_scan_passed_files(PqScan *s, uint32_t n)
{
    s->stats.files_skipped += n;
}

void pq_scan_passed_groups(PqScan *s, uint64_t n, int64_t rows)
{
    s->stats.groups += n;
    s->stats.groups_skipped += n;
    s->stats.groups_by[PQ_BY_STATISTICS] += n;
    s->stats.rows_skipped += (uint64_t)rows;
}

void pq_scan_passed_pages(PqScan *s, uint64_t n, int64_t rows)
{
    *(s->visited_headers ? &s->stats.headers_refuted
                         : &s->stats.pages_refuted) += n;
    s->stats.rows_skipped += (uint64_t)rows;
}

const PqBatch *pq_scan_batch(const PqScan *s)
{
    return &s->batch;
}

const PqFooter *pq_scan_footer(const PqScan *s)
{
    return s->footer;
}

const char *pq_scan_path(const PqScan *s)
{
    return s->listing->files[s->batch.file].path;
}

void pq_scan_at_column(const PqScan *s, uint32_t column, PqErr *e)
{
    e->where.file = pq_scan_path(s);
    e->where.row_group = (int)s->batch.group;
    e->where.column = s->table->columns[column].name;
}

uint64_t pq_scan_file_serial(const PqScan *s)
{
    return s->file_serial;
}
