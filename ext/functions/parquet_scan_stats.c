/*
** parquet_scan_stats.c - parquet_scan_stats(): what the scans of this
** connection did, newest first.
**
**   row_groups_skipped  the sum of the six skipped_by_ columns, which say what
**                       ruled a row group out; from the other row groups, rows
**                       were read
**   notes          sentences about the scan, such as a comparison that does not
**                  mean what it looks like
**   requests, retries, ms_waiting    what the connection asked of servers while the
**                  scan was open, and how long it waited
**   ms_reading     in read calls, by all threads
**   ms_decoding    unpacking, decoding and testing, by all threads
**   ms_handed_out  from when rows were ready until the next were asked for:
**                  SQLite, the program, and the other tables of the statement
**   passes         how often rows were asked for from the start: once, or by a
**                  join for each row of the table before.  The other columns
**                  count all passes together
**
** A scan is counted when it is over.  While it is running, or a statement that
** was not reset keeps it open, it is not here.
**
** The hard part is that scans end while their list is read: the query on this
** function may have scans of its own.  So a row is a copy, found by its serial.
*/
#include "ext/functions/table_function.h"

typedef struct State {
    uint64_t    before;              /* the serial to go on below           */
    PqScanStats row;                 /* a copy                              */
} State;

static PqRc stats_next(PqextCall *call, bool *more, PqErr *e)
{
    const PqEngine *g = call->host->engine;
    State *s = call->state;
    uint64_t oldest;

    if (call->row == 0) {
        s->before = g->n_scans + 1;
    }
    oldest = g->n_scans > PQ_STATS_KEPT ? g->n_scans - PQ_STATS_KEPT : 0;
    while (--s->before > oldest) {
        s->row = g->stats[s->before % PQ_STATS_KEPT];
        if (s->row.serial == s->before) {
            *more = true;
            return PQ_OK;
        }
    }
    *more = false;
    return PQ_OK;
}

/* {"footer":1234,"data page":99}: the kinds that were read at all. */
static void write_bytes_by_kind(const PqextCall *call, const void *value,
                                PqBuf *out)
{
    const PqScanStats *row = &((const State *)value)->row;
    const char *comma = "";

    pq_buf_byte(out, '{');
    for (int i = 0; i < PQ_MODULE_KIND_COUNT; i++) {
        if (row->bytes_by_kind[i]) {
            pq_buf_printf(out, "%s\"%s\":%llu", comma,
                          pq_module_name((PqModuleKind)i),
                          (unsigned long long)row->bytes_by_kind[i]);
            comma = ",";
        }
    }
    pq_buf_byte(out, '}');
}

/* Nanoseconds as milliseconds, to the microsecond.  The difference of two sums
** of a clock can be a little less than zero. */
static PqRc give_ms(const PqextCall *call, const void *value,
                    sqlite3_context *ctx, PqErr *e)
{
    int64_t micros = *(const int64_t *)value / 1000;

    sqlite3_result_double(ctx, micros > 0 ? (double)micros / 1000 : 0);
    return PQ_OK;
}

static PqRc give_pages_skipped(const PqextCall *call, const void *value,
                               sqlite3_context *ctx, PqErr *e)
{
    const PqScanStats *row = &((const State *)value)->row;

    sqlite3_result_int64(ctx,
                         (int64_t)(row->pages_passed + row->pages_refuted));
    return PQ_OK;
}

#define ROW(name) PQEXT_MEMBER(State, row.name)
#define NANOSECONDS(name) PQEXT_AT(State, row.name), .give = give_ms

static const PqextColumn columns[] = {
    {"scan BIGINT", ROW(serial)},
    {"\"table\" TEXT", ROW(table)},
    {"files BIGINT", ROW(files)},
    {"files_skipped BIGINT", ROW(files_skipped)},
    {"row_groups BIGINT", ROW(groups)},
    {"row_groups_skipped BIGINT", ROW(groups_skipped)},
    {"skipped_by_statistics BIGINT", ROW(groups_by[PQ_BY_STATISTICS])},
    {"skipped_by_boxes BIGINT", ROW(groups_by[PQ_BY_BOXES])},
    {"skipped_by_bloom_filter BIGINT", ROW(groups_by[PQ_BY_BLOOM])},
    {"skipped_by_page_index BIGINT", ROW(groups_by[PQ_BY_PAGES])},
    {"skipped_by_page_headers BIGINT", ROW(groups_by[PQ_BY_HEADERS])},
    {"skipped_by_dictionary BIGINT", ROW(groups_by[PQ_BY_DICTIONARY])},
    {"pages_read BIGINT", ROW(pages_read)},
    {"pages_skipped BIGINT", .give = give_pages_skipped},
    {"pages_skipped_by_index BIGINT", ROW(pages_refuted)},
    {"pages_skipped_by_header BIGINT", ROW(headers_refuted)},
    {"num_rows BIGINT", ROW(rows)},
    {"rows_skipped BIGINT", ROW(rows_skipped)},
    {"rows_filtered BIGINT", ROW(rows_filtered)},
    {"file_bytes BIGINT", ROW(file_bytes)},
    {"bytes_read BIGINT", ROW(bytes_read)},
    {"bytes_by_kind TEXT", .write = write_bytes_by_kind},
    {"bytes_unpacked BIGINT", ROW(bytes_unpacked)},
    {"peak_memory BIGINT", ROW(peak_memory)},
    {"columns_read BIGINT", ROW(leaves_read)},
    {"passes BIGINT", ROW(passes)},
    {"rows_handed_out BIGINT", ROW(rows_given)},
    {"requests BIGINT", ROW(requests)},
    {"retries BIGINT", ROW(retries)},
    {"ms_waiting DOUBLE", NANOSECONDS(ns_waited)},
    {"ms_reading DOUBLE", NANOSECONDS(ns_read)},
    {"ms_decoding DOUBLE", NANOSECONDS(ns_decoded)},
    {"ms_handed_out DOUBLE", NANOSECONDS(ns_outside)},
    {"plan TEXT", ROW(plan)},
    {"notes TEXT", ROW(notes.text)},
};

const PqextFunction pqext_parquet_scan_stats = {
    .name = "parquet_scan_stats",
    .call = "parquet_scan_stats()",
    PQEXT_COLUMNS(columns),
    .takes = PQEXT_NOTHING,
    .state_size = sizeof(State),
    .next = stats_next,
};
