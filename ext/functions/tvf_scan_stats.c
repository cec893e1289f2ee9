/*
** tvf_scan_stats.c - parquet_scan_stats(): what the scans of this connection did,
** newest first.
**
**   row_groups = row_groups_skipped + those that rows were read of
**   row_groups_skipped = the five skipped_by_ columns, by what ruled it out
**
** notes holds sentences about the scan, such as a comparison that does not mean
** what it looks like.
**
**   ms_reading   in read calls, by all threads
**   ms_decoding  unpacking, decoding and testing, by all threads
**   ms_handed_out  from when rows were there until the next were wanted: SQLite,
**                the program, and the other tables of the statement
**   passes       how often rows were asked for from the start: once, or by a join
**                for each row of the table before.  What the other columns count,
**                they count in all passes together
**
** A scan is counted when it is over: while one is running, or is kept open by
** a statement that was not reset, it is not here.
*/
#include "ext/functions/tvf.h"

enum {
    SCAN, TABLE_NAME, FILES, FILES_SKIPPED, ROW_GROUPS, ROW_GROUPS_SKIPPED,
    BY_STATISTICS, BY_BLOOM, BY_PAGES, BY_HEADERS, BY_DICTIONARY,
    PAGES_READ, PAGES_SKIPPED, PAGES_BY_INDEX, PAGES_BY_HEADER, NUM_ROWS,
    ROWS_SKIPPED, ROWS_FILTERED, FILE_BYTES, BYTES_READ, BYTES_BY_KIND,
    BYTES_UNPACKED, PEAK_MEMORY, COLUMNS_READ, PASSES, ROWS_GIVEN,
    MS_READING, MS_DECODING, MS_OUTSIDE, PLAN, NOTES, N_COLUMNS
};

static const char *const columns[N_COLUMNS] = {
    [SCAN] = "scan BIGINT",
    [TABLE_NAME] = "\"table\" TEXT",
    [FILES] = "files BIGINT",
    [FILES_SKIPPED] = "files_skipped BIGINT",
    [ROW_GROUPS] = "row_groups BIGINT",
    [ROW_GROUPS_SKIPPED] = "row_groups_skipped BIGINT",
    [BY_STATISTICS] = "skipped_by_statistics BIGINT",
    [BY_BLOOM] = "skipped_by_bloom_filter BIGINT",
    [BY_PAGES] = "skipped_by_page_index BIGINT",
    [BY_HEADERS] = "skipped_by_page_headers BIGINT",
    [BY_DICTIONARY] = "skipped_by_dictionary BIGINT",
    [PAGES_READ] = "pages_read BIGINT",
    [PAGES_SKIPPED] = "pages_skipped BIGINT",
    [PAGES_BY_INDEX] = "pages_skipped_by_index BIGINT",
    [PAGES_BY_HEADER] = "pages_skipped_by_header BIGINT",
    [NUM_ROWS] = "num_rows BIGINT",
    [ROWS_SKIPPED] = "rows_skipped BIGINT",
    [ROWS_FILTERED] = "rows_filtered BIGINT",
    [FILE_BYTES] = "file_bytes BIGINT",
    [BYTES_READ] = "bytes_read BIGINT",
    [BYTES_BY_KIND] = "bytes_by_kind TEXT",
    [BYTES_UNPACKED] = "bytes_unpacked BIGINT",
    [PEAK_MEMORY] = "peak_memory BIGINT",
    [COLUMNS_READ] = "columns_read BIGINT",
    [PASSES] = "passes BIGINT",
    [ROWS_GIVEN] = "rows_handed_out BIGINT",
    [MS_READING] = "ms_reading DOUBLE",
    [MS_DECODING] = "ms_decoding DOUBLE",
    [MS_OUTSIDE] = "ms_handed_out DOUBLE",
    [PLAN] = "plan TEXT",
    [NOTES] = "notes TEXT",
};

/* A copy of the numbers, because looking may go on while scans end. */
typedef struct State {
    uint64_t    before;              /* the serial to look below            */
    bool        begun;
    PqScanStats row;
} State;

static PqRc stats_next(PqextLook *l, bool *more, PqErr *e)
{
    const PqEngine *g = l->host->engine;
    State *s = l->state;
    uint64_t oldest;

    (void)e;
    if (!s->begun) {
        s->before = g->n_scans + 1;
        s->begun = true;
    }
    oldest = g->n_scans > PQ_STATS_KEPT ? g->n_scans - PQ_STATS_KEPT : 0;
    while (--s->before > oldest) {
        s->row = g->stats[s->before % PQ_STATS_KEPT];
        if (s->row.serial == s->before) {
            *more = true;
            return PQ_OK;
        }
    }
    s->before = oldest + 1;          /* asked again it says the same */
    *more = false;
    return PQ_OK;
}

/* {"footer":1234,"data page":99}: the kinds that were read at all. */
static PqRc give_kinds(PqextLook *l, sqlite3_context *ctx, PqErr *e)
{
    const PqScanStats *row = &((const State *)l->state)->row;
    const char *comma = "";
    PqBuf text;
    PqRc rc;
    int i;

    pq_buf_init(&text, l->mem, e);
    pq_buf_byte(&text, '{');
    for (i = 0; i < PQ_MODULE_KIND_COUNT; i++) {
        if (row->bytes_by_kind[i]) {
            pq_buf_printf(&text, "%s\"%s\":%llu", comma,
                          pq_module_name((PqModuleKind)i),
                          (unsigned long long)row->bytes_by_kind[i]);
            comma = ",";
        }
    }
    pq_buf_byte(&text, '}');
    rc = pqext_give_buf(ctx, &text, e);
    pq_buf_free(&text);
    return rc;
}

/* To the microsecond.  What is a difference of two sums can be less than zero
** by what the clock is late. */
static void give_ms(sqlite3_context *ctx, int64_t ns)
{
    sqlite3_result_double(ctx, ns > 0 ? (double)(ns / 1000) / 1000 : 0);
}

static PqRc stats_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const PqScanStats *row = &((const State *)l->state)->row;
    const uint64_t numbers[N_COLUMNS] = {
        [SCAN] = row->serial,
        [FILES] = row->files,
        [FILES_SKIPPED] = row->files_skipped,
        [ROW_GROUPS] = row->groups,
        [ROW_GROUPS_SKIPPED] = row->groups_skipped,
        [BY_STATISTICS] = row->groups_by[PQ_BY_STATISTICS],
        [BY_BLOOM] = row->groups_by[PQ_BY_BLOOM],
        [BY_PAGES] = row->groups_by[PQ_BY_PAGES],
        [BY_HEADERS] = row->groups_by[PQ_BY_HEADERS],
        [BY_DICTIONARY] = row->groups_by[PQ_BY_DICTIONARY],
        [PAGES_READ] = row->pages_read,
        [PAGES_SKIPPED] = row->pages_passed + row->pages_refuted,
        [PAGES_BY_INDEX] = row->pages_refuted,
        [PAGES_BY_HEADER] = row->headers_refuted,
        [NUM_ROWS] = row->rows,
        [ROWS_SKIPPED] = row->rows_skipped,
        [ROWS_FILTERED] = row->rows_filtered,
        [FILE_BYTES] = row->file_bytes,
        [BYTES_READ] = row->bytes_read,
        [BYTES_UNPACKED] = row->bytes_unpacked,
        [PEAK_MEMORY] = row->peak_memory,
        [COLUMNS_READ] = row->leaves_read,
        [PASSES] = row->passes,
        [ROWS_GIVEN] = row->rows_given,
    };

    if (i == BYTES_BY_KIND) {
        return give_kinds(l, ctx, e);
    }
    if (i == TABLE_NAME) {
        pqext_give_text(ctx, row->table);
    } else if (i == MS_READING || i == MS_DECODING || i == MS_OUTSIDE) {
        give_ms(ctx, i == MS_READING    ? row->ns_read
                     : i == MS_DECODING ? row->ns_decoded
                                        : row->ns_outside);
    } else if (i == PLAN) {
        pqext_give_text(ctx, row->plan[0] ? row->plan : NULL);
    } else if (i == NOTES) {
        pqext_give_text(ctx, row->notes.text[0] ? row->notes.text : NULL);
    } else {
        sqlite3_result_int64(ctx, (int64_t)numbers[i]);
    }
    return PQ_OK;
}

const PqextFunction pqext_parquet_scan_stats = {
    .name = "parquet_scan_stats",
    .call = "parquet_scan_stats()",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .state_size = sizeof(State),
    .next = stats_next,
    .column = stats_column,
};
