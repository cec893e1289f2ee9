/*
** verify_test.c - a correct file that has all metadata, and then one false
** statement at a time.
**
**   optional int64 n     page 0: NULL 5 7     page 1: 9 9 12
**
** with checksums, statistics, encoding and size statistics, both indexes, a
** Bloom filter and an order of rows.
*/
#include "core/meta/bloom.h"
#include "core/meta/footer.h"
#include "core/verify/verify.h"
#include "test/unit/test.h"

#include <zlib.h>

enum { N_PAGES = 2, N_ROWS = 6 };

#define HAS(field) (1u << (field))

typedef struct Lies {
    bool crc;                        /* of page 1                            */
    bool header_statistics;          /* of page 1: null_count 1              */
    bool body;                       /* of page 1 is cut short               */
    bool bloom;                      /* 12 is not in the filter              */
} Lies;

typedef struct Made {
    Test                *t;
    Lies                 lies;
    PqBuf                bytes;
    PqSchemaElement      schema[2];
    PqFileMetaData       file;
    PqRowGroup           group;
    PqSlice              chunk_bytes;
    PqBuf                chunk_out;
    PqColumnChunk        chunk;
    PqPageEncodingStats  pages[1];
    PqSortingColumn      sorting[1];
    PqColumnOrder        orders[1];
    int64_t              min, max, defs[2], reps[1];
    int32_t              encodings[2];
    PqSlice              path[1];
    PqPageLocation       locations[N_PAGES];
    PqOffsetIndex        offsets;
    PqColumnIndex        bounds;
    uint8_t              null_pages[N_PAGES];
    int64_t              page_min[N_PAGES], page_max[N_PAGES];
    PqSlice              mins[N_PAGES], maxs[N_PAGES];
    int64_t              nulls[N_PAGES], page_defs[N_PAGES * 2];
    PqSource            *source;
    PqInput              in;
    PqFooter            *footer;
} Made;

typedef void (*Tell)(Made *m);

/* ---- pages -------------------------------------------------------------------- */

static void put_page(Made *m, int page)
{
    static const int64_t values[N_PAGES][3] = {{5, 7, 0}, {9, 9, 12}};
    /* levels: length 2, then a run: page 0 bit-packed 0 1 1, page 1 1 1 1 */
    uint8_t body[64] = {2, 0, 0, 0, 3, (uint8_t)(page == 0 ? 6 : 7)};
    size_t n_values = page == 0 ? 2 : 3, n = 6 + n_values * 8;
    PqPageHeader h = {.has = HAS(PQ_PAGE_HEADER_TYPE) |
                             HAS(PQ_PAGE_HEADER_UNCOMPRESSED) |
                             HAS(PQ_PAGE_HEADER_COMPRESSED) |
                             HAS(PQ_PAGE_HEADER_CRC) |
                             HAS(PQ_PAGE_HEADER_DATA)};
    int64_t at = (int64_t)m->bytes.n;

    memcpy(body + 6, values[page], n_values * 8);
    if (page == 1 && m->lies.body) {
        n -= 8;
    }
    h.type = PQ_PAGE_DATA;
    h.compressed_page_size = h.uncompressed_page_size = (int32_t)n;
    h.crc = (int32_t)crc32_z(0, body, n);
    h.crc ^= page == 1 && m->lies.crc;
    h.data_page.has = HAS(PQ_DATA_PAGE_NUM_VALUES) |
                      HAS(PQ_DATA_PAGE_ENCODING) |
                      HAS(PQ_DATA_PAGE_DEFINITION) |
                      HAS(PQ_DATA_PAGE_REPETITION);
    h.data_page.num_values = 3;
    h.data_page.definition_level_encoding = PQ_ENCODING_RLE;
    h.data_page.repetition_level_encoding = PQ_ENCODING_RLE;
    if (page == 1 && m->lies.header_statistics) {
        h.data_page.has |= HAS(PQ_DATA_PAGE_STATISTICS);
        h.data_page.statistics = (PqStatistics){
            .has = HAS(PQ_STATISTICS_NULL_COUNT), .null_count = 1};
    }
    pq_format_write_page_header(&h, &m->bytes);
    pq_buf_add(&m->bytes, body, n);
    m->locations[page] = (PqPageLocation){
        .has = HAS(1) | HAS(2) | HAS(3),
        .offset = at,
        .compressed_page_size = (int32_t)((int64_t)m->bytes.n - at),
        .first_row_index = page * 3};
}

/* ---- the filter: one block ------------------------------------------------------ */

static void set_bits(uint8_t *block, int64_t value)
{
    static const uint32_t salt[8] = {
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    uint32_t key = (uint32_t)pq_bloom_hash(pq_slice(&value, 8));
    int i;

    for (i = 0; i < 8; i++) {
        uint32_t word = pq_load_u32(block + 4 * i);
        pq_store_u32(block + 4 * i, word | 1u << (key * salt[i] >> 27));
    }
}

static void put_bloom(Made *m)
{
    PqBloomFilterHeader h = {.has = HAS(1) | HAS(2) | HAS(3) | HAS(4),
                             .num_bytes = 32};
    uint8_t block[32] = {0};

    h.algorithm.has = h.hash.has = h.compression.has = HAS(PQ_BLOOM_ONLY);
    set_bits(block, 5);
    set_bits(block, 7);
    set_bits(block, 9);
    if (!m->lies.bloom) {
        set_bits(block, 12);
    }
    m->chunk.meta_data.bloom_filter_offset = (int64_t)m->bytes.n;
    pq_format_write_bloom_header(&h, &m->bytes);
    pq_buf_add(&m->bytes, block, sizeof block);
    m->chunk.meta_data.bloom_filter_length =
        (int32_t)((int64_t)m->bytes.n -
                  m->chunk.meta_data.bloom_filter_offset);
}

/* ---- its metadata -------------------------------------------------------- */

static void say_index(Made *m)
{
    static const int64_t mins[] = {5, 9}, maxs[] = {7, 12};
    static const int64_t nulls[] = {1, 0}, defs[] = {1, 2, 0, 3};
    int i;

    for (i = 0; i < N_PAGES; i++) {
        m->page_min[i] = mins[i];
        m->page_max[i] = maxs[i];
        m->mins[i] = pq_slice(&m->page_min[i], 8);
        m->maxs[i] = pq_slice(&m->page_max[i], 8);
        m->nulls[i] = nulls[i];
    }
    memcpy(m->page_defs, defs, sizeof defs);
    m->offsets = (PqOffsetIndex){
        .has = HAS(PQ_OFFSET_INDEX_LOCATIONS),
        .page_locations = {m->locations, N_PAGES}};
    m->bounds = (PqColumnIndex){
        .has = HAS(PQ_COLUMN_INDEX_NULL_PAGES) | HAS(PQ_COLUMN_INDEX_MIN) |
               HAS(PQ_COLUMN_INDEX_MAX) | HAS(PQ_COLUMN_INDEX_ORDER) |
               HAS(PQ_COLUMN_INDEX_NULL_COUNTS) |
               HAS(PQ_COLUMN_INDEX_DEFINITION),
        .null_pages = {m->null_pages, N_PAGES},
        .min_values = {m->mins, N_PAGES},
        .max_values = {m->maxs, N_PAGES},
        .boundary_order = PQ_BOUNDARY_ASCENDING,
        .null_counts = {m->nulls, N_PAGES},
        .definition_level_histograms = {m->page_defs, 2 * N_PAGES}};
}

static void say_chunk(Made *m)
{
    PqColumnMetaData *c = &m->chunk.meta_data;
    int64_t size = (int64_t)m->bytes.n - 4;

    m->min = 5;
    m->max = 12;
    m->defs[0] = 1;
    m->defs[1] = 5;
    m->encodings[1] = PQ_ENCODING_RLE;
    m->path[0] = pq_slice_text("n");
    m->pages[0] = (PqPageEncodingStats){.has = HAS(1) | HAS(2) | HAS(3),
                                        .page_type = PQ_PAGE_DATA,
                                        .count = N_PAGES};
    *c = (PqColumnMetaData){
        .has = HAS(PQ_COLUMN_TYPE) | HAS(PQ_COLUMN_ENCODINGS) |
               HAS(PQ_COLUMN_PATH) | HAS(PQ_COLUMN_CODEC) |
               HAS(PQ_COLUMN_NUM_VALUES) | HAS(PQ_COLUMN_UNCOMPRESSED_SIZE) |
               HAS(PQ_COLUMN_COMPRESSED_SIZE) |
               HAS(PQ_COLUMN_DATA_PAGE_OFFSET) | HAS(PQ_COLUMN_STATISTICS) |
               HAS(PQ_COLUMN_ENCODING_STATS) | HAS(PQ_COLUMN_BLOOM_OFFSET) |
               HAS(PQ_COLUMN_BLOOM_LENGTH) | HAS(PQ_COLUMN_SIZE_STATISTICS),
        .type = PQ_INT64,
        .encodings = {m->encodings, 2},
        .path_in_schema = {m->path, 1},
        .num_values = N_ROWS,
        .total_uncompressed_size = size,
        .total_compressed_size = size,
        .data_page_offset = 4,
        .encoding_stats = {m->pages, 1}};
    c->statistics = (PqStatistics){
        .has = HAS(PQ_STATISTICS_NULL_COUNT) | HAS(PQ_STATISTICS_MIN_VALUE) |
               HAS(PQ_STATISTICS_MAX_VALUE) | HAS(PQ_STATISTICS_MIN_EXACT) |
               HAS(PQ_STATISTICS_MAX_EXACT),
        .null_count = 1,
        .min_value = pq_slice(&m->min, 8),
        .max_value = pq_slice(&m->max, 8),
        .is_min_value_exact = true,
        .is_max_value_exact = true};
    c->size_statistics = (PqSizeStatistics){
        .has = HAS(PQ_SIZE_STATISTICS_DEFINITION),
        .definition_level_histogram = {m->defs, 2}};
    m->chunk.has = HAS(PQ_CHUNK_FILE_OFFSET) | HAS(PQ_CHUNK_META_DATA) |
                   HAS(PQ_CHUNK_OFFSET_INDEX_OFFSET) |
                   HAS(PQ_CHUNK_OFFSET_INDEX_LENGTH) |
                   HAS(PQ_CHUNK_COLUMN_INDEX_OFFSET) |
                   HAS(PQ_CHUNK_COLUMN_INDEX_LENGTH);
}

static void say_file(Made *m)
{
    m->schema[0] = (PqSchemaElement){
        .has = HAS(PQ_SCHEMA_NAME) | HAS(PQ_SCHEMA_NUM_CHILDREN),
        .name = pq_slice_text("schema"), .num_children = 1};
    m->schema[1] = (PqSchemaElement){
        .has = HAS(PQ_SCHEMA_TYPE) | HAS(PQ_SCHEMA_REPETITION) |
               HAS(PQ_SCHEMA_NAME),
        .type = PQ_INT64, .repetition_type = PQ_OPTIONAL,
        .name = pq_slice_text("n")};
    m->sorting[0] = (PqSortingColumn){.has = HAS(1) | HAS(2) | HAS(3),
                                      .nulls_first = true};
    m->orders[0].has = HAS(PQ_ORDER_TYPE);
    m->group = (PqRowGroup){
        .has = HAS(PQ_ROW_GROUP_COLUMNS) | HAS(PQ_ROW_GROUP_BYTES) |
               HAS(PQ_ROW_GROUP_ROWS) | HAS(PQ_ROW_GROUP_SORTING) |
               HAS(PQ_ROW_GROUP_FILE_OFFSET) | HAS(PQ_ROW_GROUP_COMPRESSED) |
               HAS(PQ_ROW_GROUP_ORDINAL),
        .columns = {&m->chunk_bytes, 1},
        .total_byte_size = m->chunk.meta_data.total_uncompressed_size,
        .num_rows = N_ROWS,
        .sorting_columns = {m->sorting, 1},
        .file_offset = 4,
        .total_compressed_size = m->chunk.meta_data.total_compressed_size};
    m->file = (PqFileMetaData){
        .has = HAS(PQ_FILE_VERSION) | HAS(PQ_FILE_SCHEMA) |
               HAS(PQ_FILE_NUM_ROWS) | HAS(PQ_FILE_ROW_GROUPS) |
               HAS(PQ_FILE_COLUMN_ORDERS),
        .version = 2,
        .schema = {m->schema, 2},
        .num_rows = N_ROWS,
        .row_groups = {&m->group, 1},
        .column_orders = {m->orders, 1}};
}

/* Makes the file; tell changes its metadata. */
static void make(Test *t, Made *m, Lies lies, Tell tell)
{
    uint32_t length;

    memset(m, 0, sizeof *m);
    m->t = t;
    m->lies = lies;
    pq_buf_init(&m->bytes, t->mem, t->e);
    pq_buf_init(&m->chunk_out, t->mem, t->e);
    pq_buf_text(&m->bytes, "PAR1");
    put_page(m, 0);
    put_page(m, 1);
    say_chunk(m);
    say_index(m);
    put_bloom(m);
    say_file(m);
    if (tell) {
        tell(m);
    }
    m->chunk.column_index_offset = (int64_t)m->bytes.n;
    pq_format_write_column_index(&m->bounds, &m->bytes);
    m->chunk.column_index_length =
        (int32_t)((int64_t)m->bytes.n - m->chunk.column_index_offset);
    m->chunk.offset_index_offset = (int64_t)m->bytes.n;
    pq_format_write_offset_index(&m->offsets, &m->bytes);
    m->chunk.offset_index_length =
        (int32_t)((int64_t)m->bytes.n - m->chunk.offset_index_offset);
    pq_format_write_chunk(&m->chunk, &m->chunk_out);
    m->chunk_bytes = pq_buf_view(&m->chunk_out);
    length = (uint32_t)m->bytes.n;
    pq_format_write_file(&m->file, &m->bytes);
    length = (uint32_t)m->bytes.n - length;
    pq_buf_add(&m->bytes, &length, 4);
    pq_buf_text(&m->bytes, "PAR1");
}

static void unmake(Made *m)
{
    pq_footer_release(m->footer);
    pq_source_close(m->source);
    pq_buf_free(&m->bytes);
    pq_buf_free(&m->chunk_out);
}

/* "what severity page, what ..." of all findings. */
static PqRc findings(Made *m, char *out, size_t room)
{
    const PqFinding *f;
    PqVerify *v;
    size_t n = 0;
    PqRc rc;

    *out = 0;
    PQ_TRY(pq_source_open_memory(m->t->mem, "made", pq_buf_view(&m->bytes),
                                 &m->source, m->t->e));
    m->in.source = m->source;
    PQ_TRY(pq_footer_read(&m->in, NULL, m->t->mem, &m->footer, m->t->e));
    PQ_TRY(pq_verify_new(m->t->mem, &m->in, m->footer, (PqStop){NULL, NULL},
                         &v, m->t->e));
    for (;;) {
        rc = pq_verify_next(v, &f, m->t->e);
        if (rc != PQ_OK || !f) {
            break;
        }
        n += (size_t)snprintf(out + n, n < room ? room - n : 0, "%s%s %s %d",
                              n ? ", " : "", f->what,
                              f->severity == PQ_FINDING_ERROR ? "error"
                                                              : "warning",
                              f->page);
    }
    pq_verify_free(v);
    return rc;
}

#define LIE(name_, lies_, tell_, wanted_)                              \
    TEST(verify, name_)                                                \
    {                                                                  \
        Made m;                                                        \
        char got[1000];                                                \
        PqRc rc;                                                       \
        make(t, &m, (Lies)lies_, tell_);                               \
        rc = findings(&m, got, sizeof got);                            \
        unmake(&m);                                                    \
        CHECK_INT(rc, PQ_OK);                                          \
        CHECK_TEXT(got, wanted_);                                      \
    }

LIE(a_true_file_has_no_findings, {0}, NULL, "")
LIE(a_changed_checksum_is_found, {.crc = true}, NULL, "crc error 1")
LIE(statistics_in_a_page_header_are_checked, {.header_statistics = true},
    NULL, "page null_count error 1")
LIE(a_value_missing_in_the_filter_is_found, {.bloom = true}, NULL,
    "Bloom filter error 1")
LIE(a_page_that_ends_early_is_one_finding, {.body = true}, NULL,
    "page error 1")

static void tell_min(Made *m) { m->min = 6; }
static void tell_wide_min(Made *m) { m->min = 4; }
static void tell_inexact_min(Made *m)
{
    m->min = 4;
    m->chunk.meta_data.statistics.is_min_value_exact = false;
}
static void tell_unsaid_min(Made *m)
{
    m->min = 4;
    m->chunk.meta_data.statistics.has &= ~HAS(PQ_STATISTICS_MIN_EXACT);
}
static void tell_max(Made *m) { m->max = 11; }
static void tell_short_max(Made *m)
{
    m->chunk.meta_data.statistics.max_value.n = 4;
}
static void tell_old_max(Made *m)
{
    static const int64_t eleven = 11;

    m->chunk.meta_data.statistics.has |= HAS(PQ_STATISTICS_MAX);
    m->chunk.meta_data.statistics.max = pq_slice(&eleven, 8);
}
static void tell_nulls(Made *m)
{
    m->chunk.meta_data.statistics.null_count = 0;
}
static void tell_distinct(Made *m)
{
    m->chunk.meta_data.statistics.has |= HAS(PQ_STATISTICS_DISTINCT_COUNT);
    m->chunk.meta_data.statistics.distinct_count = 7;
}

LIE(a_bound_above_a_value_is_an_error, {0}, tell_min, "min_value error -1")
LIE(a_bound_below_a_value_is_an_error, {0}, tell_max, "max_value error -1")
LIE(an_exact_bound_has_to_occur, {0}, tell_wide_min, "min_value error -1")
LIE(an_inexact_bound_may_be_wider, {0}, tell_inexact_min, "")
LIE(a_wide_number_that_says_nothing_is_a_warning, {0}, tell_unsaid_min,
    "min_value warning -1")
LIE(a_bound_of_another_size_is_an_error, {0}, tell_short_max,
    "max_value error -1")
LIE(the_deprecated_bounds_are_checked, {0}, tell_old_max, "max error -1")
LIE(a_null_that_is_not_counted_is_found, {0}, tell_nulls,
    "null_count error -1")
LIE(more_distinct_values_than_values_cannot_be, {0}, tell_distinct,
    "distinct_count error -1")

static void tell_defs(Made *m) { m->defs[0] = 2; }
static void tell_levels(Made *m)
{
    m->chunk.meta_data.size_statistics.definition_level_histogram.n = 1;
}
static void tell_encoding(Made *m)
{
    m->encodings[0] = PQ_ENCODING_DELTA_BINARY_PACKED;
}
static void tell_pages(Made *m) { m->pages[0].count = 3; }
static void tell_size(Made *m)
{
    m->chunk.meta_data.total_uncompressed_size--;
    m->group.total_byte_size--;
}
static void tell_group_size(Made *m) { m->group.total_byte_size++; }
static void tell_offset(Made *m) { m->group.file_offset = 5; }
static void tell_ordinal(Made *m) { m->group.ordinal = 1; }
static void tell_file_rows(Made *m) { m->file.num_rows = 7; }
static void tell_filter_length(Made *m)
{
    m->chunk.meta_data.bloom_filter_length++;
}
static void tell_fewer_values(Made *m)
{
    m->chunk.meta_data.num_values = 7;
}

LIE(a_histogram_of_levels_is_checked, {0}, tell_defs,
    "definition_level_histogram error -1")
LIE(a_histogram_has_an_entry_per_level, {0}, tell_levels,
    "definition_level_histogram error -1")
LIE(an_encoding_has_to_be_listed, {0}, tell_encoding, "encodings warning -1")
LIE(pages_are_counted_by_encoding, {0}, tell_pages,
    "encoding_stats error -1")
LIE(the_size_of_the_pages_is_checked, {0}, tell_size,
    "total_uncompressed_size warning -1")
LIE(the_size_of_a_row_group_is_a_sum, {0}, tell_group_size,
    "total_byte_size warning -1")
LIE(a_row_group_begins_with_its_first_page, {0}, tell_offset,
    "file_offset warning -1")
LIE(row_groups_are_numbered, {0}, tell_ordinal, "ordinal warning -1")
LIE(rows_of_the_file_are_those_of_its_groups, {0}, tell_file_rows,
    "num_rows error -1")
LIE(the_length_of_a_filter_is_checked, {0}, tell_filter_length,
    "bloom_filter_length warning -1")
LIE(pages_that_hold_too_little_are_found, {0}, tell_fewer_values,
    "num_values error 2")

static void tell_page_min(Made *m) { m->page_min[1] = 10; }
static void tell_null_page(Made *m) { m->null_pages[0] = 1; }
static void tell_page_nulls(Made *m) { m->nulls[1] = 1; }
static void tell_page_defs(Made *m) { m->page_defs[3] = 2; }
static void tell_descending(Made *m)
{
    m->bounds.boundary_order = PQ_BOUNDARY_DESCENDING;
}
static void tell_page_offset(Made *m) { m->locations[1].offset--; }
static void tell_page_size(Made *m)
{
    m->locations[0].compressed_page_size--;
}
static void tell_first_row(Made *m) { m->locations[1].first_row_index = 2; }
static void tell_more_nulls_than_pages(Made *m) { m->bounds.null_counts.n = 1; }

LIE(bounds_of_pages_are_checked, {0}, tell_page_min,
    "column index min_values error 1")
LIE(a_page_with_values_is_no_null_page, {0}, tell_null_page,
    "column index null_pages error 0")
LIE(nulls_of_pages_are_counted, {0}, tell_page_nulls,
    "column index null_counts error 1")
LIE(levels_of_pages_are_counted, {0}, tell_page_defs,
    "column index definition_level_histograms error 1")
LIE(the_order_of_bounds_is_checked, {0}, tell_descending,
    "column index boundary_order error -1")
LIE(a_page_lies_where_the_index_says, {0}, tell_page_offset,
    "offset index offset error 1")
LIE(a_page_has_the_size_that_the_index_says, {0}, tell_page_size,
    "offset index compressed_page_size error 0")
LIE(a_page_begins_with_the_row_that_the_index_says, {0}, tell_first_row,
    "offset index first_row_index error 1")
LIE(an_index_that_contradicts_itself_is_a_finding, {0},
    tell_more_nulls_than_pages, "column index error -1")

static void tell_sorted_down(Made *m) { m->sorting[0].descending = true; }
static void tell_nulls_last(Made *m) { m->sorting[0].nulls_first = false; }
static void tell_no_such_column(Made *m) { m->sorting[0].column_idx = 3; }
static void tell_no_orders(Made *m)
{
    m->file.has &= ~HAS(PQ_FILE_COLUMN_ORDERS);
}

LIE(rows_are_in_the_order_that_is_claimed, {0}, tell_sorted_down,
    "sorting_columns error -1")
LIE(nulls_lie_where_the_order_says, {0}, tell_nulls_last,
    "sorting_columns error -1")
LIE(an_order_names_columns_that_exist, {0}, tell_no_such_column,
    "sorting_columns error -1")
LIE(bounds_without_column_orders_are_a_warning, {0}, tell_no_orders,
    "column_orders warning -1")

/* A failure of the machine never becomes a finding about the file. */
TEST(verify, every_allocation_and_read_may_fail)
{
    int64_t n;

    for (n = 1; n < 10000; n++) {
        Made m;
        char got[1000];
        bool reached;
        PqRc rc;

        make(t, &m, (Lies){0}, tell_wide_min);
        pq_fault_set(n);
        rc = findings(&m, got, sizeof got);
        reached = pq_fault_count() >= n;
        pq_fault_set(0);
        unmake(&m);
        pq_err_clear(t->e);
        if (!reached) {
            CHECK_TEXT(got, "min_value error -1");
            break;
        }
        CHECK(rc == PQ_NOMEM || rc == PQ_IO);
    }
    CHECK(n > 20 && n < 10000);
}
