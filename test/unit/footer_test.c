/*
** footer_test.c - opening files, and parsing ColumnChunks.
*/
#include "test/unit/small_file.h"

/* A file of three row groups of 10, 0 and 5 rows, with columns a (INT64) and b
** (optional BYTE_ARRAY), and 1,000 zero bytes for pages.  Tests change what
** they need before build. */
typedef struct Built {
    PqSchemaElement elements[3];
    PqRowGroup      groups[3];
    PqColumnChunk   chunks[3][2];
    PqSlice         columns[3][3];
    PqColumnOrder   orders[3];
    PqKeyValue      pairs[2];
    PqFileMetaData  file;
    PqBuf           bytes;           /* the whole file         */
    PqBuf           pool;            /* the serialised chunks  */
} Built;

enum { PAGES = 1000 };

static PqColumnChunk some_chunk(int type, int64_t offset, int64_t n)
{
    PqColumnChunk c;
    PqColumnMetaData *m = &c.meta_data;

    memset(&c, 0, sizeof c);
    c.has = 1u << PQ_CHUNK_FILE_OFFSET | 1u << PQ_CHUNK_META_DATA;
    m->has = 1u << PQ_COLUMN_TYPE | 1u << PQ_COLUMN_CODEC |
             1u << PQ_COLUMN_NUM_VALUES | 1u << PQ_COLUMN_UNCOMPRESSED_SIZE |
             1u << PQ_COLUMN_COMPRESSED_SIZE |
             1u << PQ_COLUMN_DATA_PAGE_OFFSET | 1u << PQ_COLUMN_STATISTICS;
    m->type = type;
    m->num_values = n;
    m->total_uncompressed_size = 200;
    m->total_compressed_size = 100;
    m->data_page_offset = offset;
    m->statistics.has = 1u << PQ_STATISTICS_MIN_VALUE |
                        1u << PQ_STATISTICS_NULL_COUNT;
    m->statistics.min_value = pq_slice_text("12345678");
    m->statistics.null_count = 0;
    return c;
}

static void build_init(Test *t, Built *b)
{
    static const int64_t rows[3] = {10, 0, 5};
    int i;

    memset(b, 0, sizeof *b);
    pq_buf_init(&b->bytes, t->mem, t->e);
    pq_buf_init(&b->pool, t->mem, t->e);
    b->elements[0].has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_NUM_CHILDREN;
    b->elements[0].name = pq_slice_text("root");
    b->elements[0].num_children = 2;
    for (i = 1; i < 3; i++) {
        b->elements[i].has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_TYPE |
                             1u << PQ_SCHEMA_REPETITION;
        b->elements[i].name = pq_slice_text(i == 1 ? "a" : "b");
        b->elements[i].type = i == 1 ? PQ_INT64 : PQ_BYTE_ARRAY;
        b->elements[i].repetition_type = i == 1 ? PQ_REQUIRED : PQ_OPTIONAL;
    }
    for (i = 0; i < 3; i++) {
        b->groups[i].has = 1u << PQ_ROW_GROUP_COLUMNS |
                           1u << PQ_ROW_GROUP_BYTES | 1u << PQ_ROW_GROUP_ROWS;
        b->groups[i].columns.n = 2;
        b->groups[i].num_rows = rows[i];
        b->groups[i].total_byte_size = 400;
        b->chunks[i][0] = some_chunk(PQ_INT64, 4 + i * 200, rows[i]);
        b->chunks[i][1] = some_chunk(PQ_BYTE_ARRAY, 104 + i * 200, rows[i]);
    }
    b->file.has = 1u << PQ_FILE_VERSION | 1u << PQ_FILE_SCHEMA |
                  1u << PQ_FILE_NUM_ROWS | 1u << PQ_FILE_ROW_GROUPS;
    b->file.version = 1;
    b->file.schema = (PqSchemaElementList){b->elements, 3};
    b->file.num_rows = 15;
    b->file.row_groups = (PqRowGroupList){b->groups, 3};
}

static void serialise_chunks(Built *b)
{
    size_t ends[6];
    PqSlice all;
    int i, k;

    for (i = 0; i < 6; i++) {
        pq_format_write_chunk(&b->chunks[i / 2][i % 2], &b->pool);
        ends[i] = b->pool.n;
    }
    all = pq_buf_view(&b->pool);
    for (i = 0; i < 3; i++) {
        b->groups[i].columns.v = b->columns[i];
        for (k = 0; k < 3; k++) {            /* a third, for wrong counts */
            int at = i * 2 + (k < 2 ? k : 1);
            size_t from = at ? ends[at - 1] : 0;
            b->columns[i][k] = pq_slice(all.p + from, ends[at] - from);
        }
    }
}

static PqSlice build(Test *t, Built *b)
{
    size_t before;
    uint32_t n;

    serialise_chunks(b);
    pq_buf_text(&b->bytes, "PAR1");
    if (pq_buf_resize(&b->bytes, PAGES, t->e) == PQ_OK) {
        memset(b->bytes.p + 4, 0, PAGES - 4);
    }
    before = b->bytes.n;
    pq_format_write_file(&b->file, &b->bytes);
    n = (uint32_t)(b->bytes.n - before);
    pq_buf_add(&b->bytes, &n, 4);
    pq_buf_text(&b->bytes, "PAR1");
    return pq_buf_view(&b->bytes);
}

static void build_free(Built *b)
{
    pq_buf_free(&b->bytes);
    pq_buf_free(&b->pool);
}

/* Builds, opens, closes; the error stays in t->e. */
static PqRc open_built(Test *t, Built *b)
{
    Small s;
    PqRc rc = small_open(t, build(t, b), &s);

    small_close(&s);
    build_free(b);
    return rc;
}

/* The same, and parses a chunk. */
static PqRc chunk_of_built(Test *t, Built *b, uint32_t group, uint32_t leaf)
{
    PqColumnChunk c;
    PqArena a;
    Small s;
    PqRc rc;

    pq_arena_init(&a, t->mem);
    rc = small_open(t, build(t, b), &s);
    if (rc == PQ_OK) {
        rc = pq_footer_chunk(s.footer, group, leaf, &a, &c, t->e);
    }
    pq_arena_free(&a);
    small_close(&s);
    build_free(b);
    return rc;
}

static PqRc open_hex(Test *t, const char *hex)
{
    Small s;
    PqRc rc = small_open(t, test_hex(t, hex), &s);

    small_close(&s);
    return rc;
}

TEST(footer, the_walkthrough_file_opens)
{
    PqSlice bytes = test_hex(t, WALKTHROUGH);
    PqColumnChunk c;
    PqArena a;
    Small s;

    CHECK_INT(bytes.n, 307);
    CHECK_OK(small_open(t, bytes, &s));
    pq_arena_init(&a, t->mem);
    CHECK_INT(s.footer->offset, 113);
    CHECK_INT(s.footer->n_groups, 1);
    CHECK_INT(s.footer->n_rows, 5);
    CHECK_INT(s.footer->schema.n_leaves, 1);
    CHECK_INT(s.footer->file.column_orders.n, 1);
    CHECK_OK(pq_footer_chunk(s.footer, 0, 0, &a, &c, t->e));
    CHECK_INT(c.meta_data.data_page_offset, 4);
    CHECK_INT(c.meta_data.total_compressed_size, 73);
    CHECK(pq_slice_is(c.meta_data.path_in_schema.v[0], "text"));
    CHECK(pq_slice_is(c.meta_data.statistics.max_value, "text5"));
    CHECK(!PQ_HAS(&c.meta_data, PQ_COLUMN_DICTIONARY_PAGE_OFFSET));
    CHECK_INT(c.offset_index_offset, 102);
    pq_arena_free(&a);
    small_close(&s);
}

TEST(footer, a_small_file_is_read_in_one_call)
{
    Small s;

    CHECK_OK(small_open(t, test_hex(t, WALKTHROUGH), &s));
    CHECK_INT(pq_source_bytes_read(s.source), pq_source_size(s.source));
    small_close(&s);
}

TEST(footer, a_long_footer_takes_a_second_call_for_its_front)
{
    Built b;
    PqBuf text;
    Small s;

    build_init(t, &b);
    pq_buf_init(&text, t->mem, t->e);
    CHECK_OK(pq_buf_resize(&text, 100000, t->e));
    memset(text.p, 'x', text.n);
    b.pairs[0].has = b.pairs[1].has =
        1u << PQ_KEY_VALUE_KEY | 1u << PQ_KEY_VALUE_VALUE;
    b.pairs[0].key = pq_slice_text("long");
    b.pairs[0].value = pq_buf_view(&text);
    b.pairs[1].key = pq_slice_text("short");
    b.pairs[1].value = pq_slice_text("y");
    b.file.has |= 1u << PQ_FILE_KEY_VALUES;
    b.file.key_value_metadata = (PqKeyValueList){b.pairs, 2};
    CHECK_OK(small_open(t, build(t, &b), &s));
    CHECK_INT(pq_source_bytes_read(s.source),
              s.footer->bytes.n + 8);
    CHECK_INT(s.footer->file.key_value_metadata.n, 2);
    CHECK(pq_slice_equal(s.footer->file.key_value_metadata.v[0].value,
                         pq_buf_view(&text)));
    CHECK(pq_slice_is(s.footer->file.key_value_metadata.v[1].value, "y"));
    small_close(&s);
    pq_buf_free(&text);
    build_free(&b);
}

TEST(footer, rows_are_counted_over_the_groups)
{
    Built b;
    Small s;

    build_init(t, &b);
    b.file.num_rows = 99;                    /* the row groups count */
    CHECK_OK(small_open(t, build(t, &b), &s));
    CHECK_INT(s.footer->n_rows, 15);
    CHECK_INT(s.footer->groups[0].first_row, 0);
    CHECK_INT(s.footer->groups[1].num_rows, 0);
    CHECK_INT(s.footer->groups[2].first_row, 10);
    CHECK_INT(s.footer->groups[2].num_rows, 5);
    CHECK_INT(s.footer->groups[2].total_byte_size, 400);
    small_close(&s);
    build_free(&b);
}

TEST(footer, what_the_engine_can_do_without_may_be_absent)
{
    Built b;

    build_init(t, &b);
    b.file.has = 1u << PQ_FILE_SCHEMA | 1u << PQ_FILE_ROW_GROUPS;
    b.groups[0].has &= ~(1u << PQ_ROW_GROUP_BYTES);
    b.chunks[0][0].has = 1u << PQ_CHUNK_META_DATA;
    b.chunks[0][0].meta_data.has &= ~(1u << PQ_COLUMN_UNCOMPRESSED_SIZE);
    CHECK_OK(chunk_of_built(t, &b, 0, 0));
}

TEST(footer, files_that_are_no_parquet_files_are_refused_in_words)
{
    CHECK_FAILS(open_hex(t, ""), PQ_CORRUPT,
                "small.parquet: the file is empty; its writer did not finish");
    CHECK_FAILS(open_hex(t, "00010203"), PQ_CORRUPT, "it has 4 bytes");
    CHECK_FAILS(open_hex(t, "00415231 00000000 505152"), PQ_CORRUPT,
                "it has 11 bytes, the shortest one has 12");
    CHECK_FAILS(open_hex(t, "50415231"), PQ_CORRUPT, "it was cut off");
    CHECK_FAILS(open_hex(t, "50415231 00000000 505152"), PQ_CORRUPT,
                "it was cut off");
    CHECK_FAILS(open_hex(t, "00000000 00000000 64656667"), PQ_CORRUPT,
                "not a Parquet file (it ends in the bytes 64 65 66 67");
    CHECK_FAILS(open_hex(t, "50415231 00000000 64656667"), PQ_CORRUPT,
                "cut off, or never finished");
    CHECK_FAILS(open_hex(t, "50415231 00000000 50415231"), PQ_CORRUPT,
                "claims to be 0 bytes long, the file has 12");
    CHECK_FAILS(open_hex(t, "50415231 01000000 50415231"), PQ_CORRUPT,
                "claims to be 1 bytes long, the file has 12");
    CHECK_FAILS(open_hex(t, "50415231 ffffffff 50415231"), PQ_CORRUPT,
                "4294967295 bytes");
    CHECK_FAILS(open_hex(t, "50415245 00 01000000 50415245"), PQ_CORRUPT,
                "byte 5: FileCryptoMetaData.encryption_algorithm is missing");
    CHECK_FAILS(open_hex(t, "50415245 1c1c000000 05000000 50415245"),
                PQ_UNSUPPORTED, "the footer is encrypted with a key that");
}

TEST(footer, the_place_of_the_caller_is_kept)
{
    t->e->where.row_group = 7;
    CHECK_FAILS(open_hex(t, "00010203"), PQ_CORRUPT, "small.parquet: not");
    CHECK_INT(t->e->where.row_group, 7);
    CHECK(t->e->where.file == NULL);
    pq_where_reset(t->e);
}

TEST(footer, an_error_in_the_struct_names_its_byte)
{
    /* version 1, then a field of type 14 at byte 4 + 3 */
    CHECK_FAILS(open_hex(t, "50415231 15021e00 04000000 50415231"), PQ_CORRUPT,
                "small.parquet, byte 7: FileMetaData");
}

TEST(footer, a_group_with_another_number_of_columns_is_corrupt)
{
    Built b;

    build_init(t, &b);
    b.groups[2].columns.n = 1;
    CHECK_FAILS(open_built(t, &b), PQ_CORRUPT,
                "row group 2: 1 columns, the schema has 2");
    build_init(t, &b);
    b.groups[0].columns.n = 3;
    CHECK_FAILS(open_built(t, &b), PQ_CORRUPT,
                "row group 0: 3 columns, the schema has 2");
}

TEST(footer, row_counts_are_neither_negative_nor_beyond_counting)
{
    Built b;

    build_init(t, &b);
    b.groups[1].num_rows = -1;
    CHECK_FAILS(open_built(t, &b), PQ_CORRUPT, "row group 1: -1 rows");
    build_init(t, &b);
    b.groups[2].num_rows = INT64_MAX;
    CHECK_FAILS(open_built(t, &b), PQ_CORRUPT, "row group 2: more rows");
    build_init(t, &b);
    b.file.num_rows = INT64_MIN;
    CHECK_FAILS(open_built(t, &b), PQ_CORRUPT, "small.parquet: -922");
}

TEST(footer, a_file_without_columns_has_rows)
{
    Built b;
    Small s;
    int i;

    build_init(t, &b);
    b.file.schema.n = 1;
    b.elements[0].num_children = 0;
    for (i = 0; i < 3; i++) {
        b.groups[i].columns.n = 0;
    }
    CHECK_OK(small_open(t, build(t, &b), &s));
    CHECK_INT(s.footer->n_rows, 15);
    CHECK_INT(s.footer->schema.n_leaves, 0);
    small_close(&s);
    build_free(&b);
}

TEST(footer, a_file_without_row_groups_is_empty)
{
    Built b;
    Small s;

    build_init(t, &b);
    b.file.row_groups.n = 0;
    CHECK_OK(small_open(t, build(t, &b), &s));
    CHECK_INT(s.footer->n_rows, 0);
    CHECK_INT(s.footer->n_groups, 0);
    small_close(&s);
    build_free(&b);
}

TEST(footer, orders_for_another_number_of_columns_are_ignored)
{
    Built b;
    Small s;
    uint32_t n;

    for (n = 0; n <= 3; n++) {
        build_init(t, &b);
        b.file.has |= 1u << PQ_FILE_COLUMN_ORDERS;
        b.file.column_orders = (PqColumnOrderList){b.orders, n};
        b.orders[1].has = 1u << PQ_ORDER_TYPE;
        CHECK_OK(small_open(t, build(t, &b), &s));
        CHECK_INT(s.footer->file.column_orders.n, n == 2 ? 2 : 0);
        small_close(&s);
        build_free(&b);
    }
}

TEST(footer, a_chunk_of_another_type_is_corrupt)
{
    Built b;

    build_init(t, &b);
    b.chunks[1][1].meta_data.type = PQ_INT32;
    CHECK_FAILS(chunk_of_built(t, &b, 1, 1), PQ_CORRUPT,
                "row group 1, column b: a chunk of type INT32 (1), the schema "
                "says BYTE_ARRAY");
    build_init(t, &b);
    b.chunks[1][1].meta_data.type = 99;
    CHECK_FAILS(chunk_of_built(t, &b, 1, 1), PQ_CORRUPT, "unknown (99)");
}

TEST(footer, an_encrypted_chunk_is_named_and_the_others_are_readable)
{
    Built b;

    build_init(t, &b);
    b.chunks[0][1].has |= 1u << PQ_CHUNK_CRYPTO;
    b.chunks[0][1].crypto_metadata.has = 1u << PQ_CRYPTO_FOOTER_KEY;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 1), PQ_UNSUPPORTED,
                "column b: the column is encrypted");
    build_init(t, &b);
    b.chunks[0][1].has = 1u << PQ_CHUNK_CRYPTO;
    b.chunks[0][1].crypto_metadata.has = 1u << PQ_HAS_UNKNOWN;
    CHECK_OK(chunk_of_built(t, &b, 0, 0));
}

TEST(footer, a_chunk_without_metadata_is_unsupported_one_elsewhere_is_not)
{
    Built b;

    build_init(t, &b);
    b.chunks[2][0].has = 1u << PQ_CHUNK_FILE_OFFSET;
    CHECK_FAILS(chunk_of_built(t, &b, 2, 0), PQ_UNSUPPORTED,
                "row group 2, column a: the footer has no metadata");
    build_init(t, &b);
    b.chunks[2][0].has |= 1u << PQ_CHUNK_FILE_PATH;
    b.chunks[2][0].file_path = pq_slice_text("part-1.parquet");
    CHECK_OK(chunk_of_built(t, &b, 2, 0));
}

TEST(footer, negative_counts_and_places_after_the_footer_are_corrupt)
{
    Built b;

    build_init(t, &b);
    b.chunks[0][0].meta_data.num_values = -1;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 0), PQ_CORRUPT, "-1 values");
    build_init(t, &b);
    b.chunks[0][0].meta_data.total_compressed_size = -1;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 0), PQ_CORRUPT, "-1 bytes");
    build_init(t, &b);
    b.chunks[0][0].meta_data.total_compressed_size = INT64_MAX;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 0), PQ_CORRUPT, "footer at byte 1000");
    build_init(t, &b);
    b.chunks[0][0].meta_data.total_uncompressed_size = -5;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 0), PQ_CORRUPT, "(-5 uncompressed)");
    build_init(t, &b);
    b.chunks[0][0].meta_data.data_page_offset = -4;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 0), PQ_CORRUPT, "at byte -4");
    build_init(t, &b);
    b.chunks[0][0].meta_data.data_page_offset = 1001;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 0), PQ_CORRUPT, "at byte 1001");
    build_init(t, &b);
    b.chunks[0][0].meta_data.has |= 1u << PQ_COLUMN_DICTIONARY_PAGE_OFFSET;
    b.chunks[0][0].meta_data.dictionary_page_offset = -1;
    CHECK_FAILS(chunk_of_built(t, &b, 0, 0), PQ_CORRUPT, "at byte -1");
}

TEST(footer, a_required_field_of_a_chunk_is_missed_when_it_is_asked_for)
{
    PqSlice file = test_hex(t, WALKTHROUGH);
    uint8_t copy[307];
    PqColumnChunk c;
    PqArena a;
    Small s;

    memcpy(copy, file.p, sizeof copy);
    copy[0xb6] = 0x96;               /* data_page_offset -> field 16 */
    pq_arena_init(&a, t->mem);
    CHECK_OK(small_open(t, pq_slice(copy, sizeof copy), &s));
    CHECK_FAILS(pq_footer_chunk(s.footer, 0, 0, &a, &c, t->e), PQ_CORRUPT,
                "row group 0, column text, byte 210: "
                "ColumnMetaData.data_page_offset is missing");
    CHECK_INT(t->e->where.row_group, -1);
    pq_arena_free(&a);
    small_close(&s);
}

/* Opens and, if that works, asks for everything. */
static bool survive(Test *t, PqSlice bytes)
{
    PqArena a;
    Small s;
    bool opened;
    uint32_t g, l;

    pq_arena_init(&a, t->mem);
    opened = small_open(t, bytes, &s) == PQ_OK;
    for (g = 0; opened && g < s.footer->n_groups; g++) {
        for (l = 0; l < s.footer->schema.n_leaves; l++) {
            PqColumnChunk c;
            (void)pq_footer_chunk(s.footer, g, l, &a, &c, t->e);
            pq_err_clear(t->e);
        }
    }
    pq_err_clear(t->e);
    pq_arena_free(&a);
    small_close(&s);
    return opened;
}

/* The struct cut to its first i bytes, with a matching ending. */
TEST(footer, a_truncated_footer_never_opens)
{
    PqSlice file = test_hex(t, WALKTHROUGH);
    uint8_t copy[307];
    uint32_t i;

    memcpy(copy, file.p, sizeof copy);
    for (i = 0; i < 186; i++) {
        memcpy(copy + 113 + i, &i, 4);
        memcpy(copy + 113 + i + 4, "PAR1", 4);
        CHECK(!survive(t, pq_slice(copy, 113 + i + 8)));
        memcpy(copy, file.p, sizeof copy);
    }
    for (i = 0; i < 307; i++) {
        CHECK(!survive(t, pq_slice(copy, i)));
    }
}

TEST(footer, a_changed_byte_ends_in_an_error_or_a_footer)
{
    PqSlice file = test_hex(t, WALKTHROUGH);
    uint8_t copy[307];
    unsigned i, x, opened = 0;

    memcpy(copy, file.p, sizeof copy);
    for (i = 113; i < 307; i++) {
        for (x = 1; x < 256; x++) {
            copy[i] = (uint8_t)(file.p[i] ^ x);
            opened += survive(t, pq_slice(copy, sizeof copy));
        }
        copy[i] = file.p[i];
    }
    CHECK(opened > 1000);
}

TEST(footer, running_out_of_memory_or_input_anywhere_is_an_error)
{
    Built b;
    PqSlice bytes;
    int64_t i, points;

    build_init(t, &b);
    bytes = build(t, &b);
    pq_fault_set(INT64_MAX);
    CHECK(survive(t, bytes));
    points = pq_fault_count();
    CHECK(points > 5);
    for (i = 1; i <= points; i++) {
        Small s;
        PqRc rc;
        pq_fault_set(i);
        rc = small_open(t, bytes, &s);
        pq_fault_set(0);
        small_close(&s);
        CHECK(rc == PQ_OK || rc == PQ_NOMEM || rc == PQ_IO);
        pq_err_clear(t->e);
    }
    build_free(&b);
}

TEST(footer, a_footer_lives_until_its_last_holder_lets_go)
{
    PqFooter *f;
    Small s;

    CHECK_OK(small_open(t, test_hex(t, WALKTHROUGH), &s));
    f = s.footer;
    pq_footer_hold(f);
    small_close(&s);
    CHECK_INT(f->n_rows, 5);
    pq_footer_release(f);
    pq_footer_release(NULL);
}

TEST(footer, a_plaintext_footer_opens_beside_encrypted_columns)
{
    const char *name =
        "data/encrypt_columns_plaintext_footer.parquet.encrypted";
    PqRc rc;
    PqColumnChunk c;
    PqArena a;
    Small s;
    uint32_t l, readable = 0, refused = 0;

    pq_arena_init(&a, t->mem);
    rc = small_open_sample(t, name, &s);
    for (l = 0; rc == PQ_OK && l < s.footer->schema.n_leaves; l++) {
        PqRc one = pq_footer_chunk(s.footer, 0, l, &a, &c, t->e);
        readable += one == PQ_OK;
        refused += one == PQ_UNSUPPORTED && strstr(t->e->text, "encrypted");
        pq_err_clear(t->e);
    }
    pq_arena_free(&a);
    small_close(&s);
    if (t->skipped) {
        return;
    }
    CHECK_OK(rc);
    CHECK(readable > 0);
    CHECK_INT(refused, 2);
}

TEST(footer, a_dictionary_page_at_byte_0_is_no_dictionary_page)
{
    PqColumnChunk c;
    PqArena a;
    Small s;
    PqRc rc;

    pq_arena_init(&a, t->mem);
    rc = small_open_sample(t, "data/dict-page-offset-zero.parquet", &s);
    if (rc == PQ_OK) {
        rc = pq_footer_chunk(s.footer, 0, 0, &a, &c, t->e);
    }
    pq_arena_free(&a);
    small_close(&s);
    if (t->skipped) {
        return;
    }
    CHECK_OK(rc);
    CHECK(!PQ_HAS(&c.meta_data, PQ_COLUMN_DICTIONARY_PAGE_OFFSET));
    CHECK_INT(c.meta_data.data_page_offset, 4);
}
