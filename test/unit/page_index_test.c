/*
** page_index_test.c - offset indexes and column indexes.
*/
#include "core/meta/page_index.h"
#include "test/unit/small_file.h"

enum { SIZE = 2000, ROWS = 100 };

/* A "file" of SIZE bytes that has one index at byte 1000. */
typedef struct Paged {
    PqPageLocation pages[3];
    PqOffsetIndex  offsets;
    uint8_t        nulls[3];
    PqSlice        min[3], max[3];
    int64_t        null_counts[3], defs[6];
    PqColumnIndex  bounds;
    PqColumnChunk  chunk;
    PqLeaf         leaf;
    uint8_t        bytes[SIZE];
    PqSource      *source;
    PqInput        in;
    PqArena        arena;
} Paged;

static void paged_init(Test *t, Paged *p)
{
    static const int64_t first[3] = {0, 40, 75};
    uint32_t i;

    memset(p, 0, sizeof *p);
    for (i = 0; i < 3; i++) {
        p->pages[i] = (PqPageLocation){0xe, 4 + 100 * (int64_t)i, 100,
                                       first[i]};
        p->null_counts[i] = (int64_t)i;
        p->min[i] = pq_slice_text("a");
        p->max[i] = pq_slice_text("z");
    }
    p->offsets.has = 1u << PQ_OFFSET_INDEX_LOCATIONS;
    p->offsets.page_locations = (PqPageLocationList){p->pages, 3};
    p->bounds.has = 1u << PQ_COLUMN_INDEX_NULL_PAGES |
                    1u << PQ_COLUMN_INDEX_MIN | 1u << PQ_COLUMN_INDEX_MAX |
                    1u << PQ_COLUMN_INDEX_NULL_COUNTS |
                    1u << PQ_COLUMN_INDEX_DEFINITION;
    p->bounds.null_pages = (PqBoolList){p->nulls, 3};
    p->bounds.min_values = (PqSliceList){p->min, 3};
    p->bounds.max_values = (PqSliceList){p->max, 3};
    p->bounds.null_counts = (PqI64List){p->null_counts, 3};
    p->bounds.definition_level_histograms = (PqI64List){p->defs, 6};
    p->leaf.max_def = 1;
    p->leaf.path = "col";
    pq_arena_init(&p->arena, t->mem);
}

static void paged_open(Test *t, Paged *p, const PqBuf *index)
{
    memcpy(p->bytes + 1000, index->p, index->n);
    if (pq_source_open_memory(t->mem, "paged", pq_slice(p->bytes, SIZE),
                              &p->source, t->e) == PQ_OK) {
        p->in.source = p->source;
    }
}

static void paged_free(Paged *p)
{
    pq_source_close(p->source);
    pq_arena_free(&p->arena);
    p->source = NULL;
}

/* Serialises, reads back.  *n is the number of pages. */
static PqRc read_offsets(Test *t, Paged *p, uint32_t *n)
{
    PqOffsetIndex out;
    PqBuf b;
    PqRc rc;

    pq_buf_init(&b, t->mem, t->e);
    pq_format_write_offset_index(&p->offsets, &b);
    paged_open(t, p, &b);
    p->chunk.offset_index_offset = 1000;
    p->chunk.offset_index_length = (int32_t)b.n;
    pq_buf_free(&b);
    rc = pq_page_index_offsets(&p->in, &p->chunk, 0, 0, ROWS, &p->arena, &out,
                               t->e);
    *n = out.page_locations.n;
    paged_free(p);
    return rc;
}

static PqRc read_bounds(Test *t, Paged *p, PqColumnIndex *out)
{
    PqBuf b;
    PqRc rc;

    pq_buf_init(&b, t->mem, t->e);
    pq_format_write_column_index(&p->bounds, &b);
    paged_open(t, p, &b);
    p->chunk.column_index_offset = 1000;
    p->chunk.column_index_length = (int32_t)b.n;
    pq_buf_free(&b);
    rc = pq_page_index_bounds(&p->in, &p->chunk, 0, &p->leaf, 3, &p->arena,
                              out, t->e);
    paged_free(p);
    return rc;
}

TEST(page_index, the_walkthrough_file_has_both)
{
    PqOffsetIndex offsets;
    PqColumnIndex bounds;
    PqColumnChunk c;
    PqArena a;
    Small s;

    CHECK_OK(small_open(t, test_hex(t, WALKTHROUGH), &s));
    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_footer_chunk(s.footer, 0, 0, &a, &c, t->e));
    CHECK_OK(pq_page_index_offsets(&s.in, &c, 0, 0, 5, &a, &offsets, t->e));
    CHECK_INT(offsets.page_locations.n, 1);
    CHECK_INT(offsets.page_locations.v[0].offset, 4);
    CHECK_INT(offsets.page_locations.v[0].compressed_page_size, 73);
    CHECK_OK(pq_page_index_bounds(&s.in, &c, 0, &s.footer->schema.leaves[0],
                                  1, &a, &bounds, t->e));
    CHECK(!bounds.null_pages.v[0]);          /* parquet-go: false is 0 */
    CHECK(pq_slice_is(bounds.min_values.v[0], "text1"));
    CHECK(pq_slice_is(bounds.max_values.v[0], "text5"));
    CHECK_INT(bounds.null_counts.v[0], 0);
    CHECK_INT(s.in.bytes_by_kind[PQ_MODULE_OFFSET_INDEX], 11);
    CHECK_INT(s.in.bytes_by_kind[PQ_MODULE_COLUMN_INDEX], 25);
    pq_arena_free(&a);
    small_close(&s);
}

TEST(page_index, a_chunk_without_an_index_has_no_pages)
{
    PqOffsetIndex offsets;
    PqColumnIndex bounds;
    uint32_t n = 9;
    Paged p;

    paged_init(t, &p);
    memset(&offsets, 0xff, sizeof offsets);
    memset(&bounds, 0xff, sizeof bounds);
    CHECK_OK(read_offsets(t, &p, &n));
    CHECK_INT(n, 3);
    memset(&p.chunk, 0, sizeof p.chunk);
    CHECK_OK(pq_source_open_memory(t->mem, "paged", pq_slice(p.bytes, SIZE),
                                   &p.in.source, t->e));
    CHECK_OK(pq_page_index_offsets(&p.in, &p.chunk, 0, 0, ROWS, &p.arena,
                                   &offsets, t->e));
    CHECK_OK(pq_page_index_bounds(&p.in, &p.chunk, 0, &p.leaf, 3, &p.arena,
                                  &bounds, t->e));
    CHECK_INT(offsets.page_locations.n, 0);
    CHECK_INT(bounds.has, 0);
    pq_source_close(p.in.source);
}

TEST(page_index, rows_ascend_from_zero_below_the_rows_of_the_group)
{
    uint32_t n;
    Paged p;

    paged_init(t, &p);
    p.pages[0].first_row_index = 1;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "page 0 begins at row 1");
    CHECK_INT(n, 0);
    paged_init(t, &p);
    p.pages[2].first_row_index = 40;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT,
                "page 2 begins at row 40 of 100, after row 40");
    paged_init(t, &p);
    p.pages[2].first_row_index = ROWS;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "row 100 of 100");
    paged_init(t, &p);
    p.pages[1].first_row_index = -1;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "row -1");
    paged_init(t, &p);
    p.offsets.page_locations.n = 0;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "has 0 pages");
}

TEST(page_index, pages_lie_in_the_file_in_any_order)
{
    uint32_t n;
    Paged p;

    paged_init(t, &p);
    p.pages[0].offset = 500;
    p.pages[2].offset = SIZE - 100;
    CHECK_OK(read_offsets(t, &p, &n));
    CHECK_INT(n, 3);
    paged_init(t, &p);
    p.pages[2].offset = SIZE - 99;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "page 2 with 100 bytes");
    paged_init(t, &p);
    p.pages[1].offset = INT64_MAX;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "the file has 2000");
    paged_init(t, &p);
    p.pages[1].offset = -1;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "at byte -1");
    paged_init(t, &p);
    p.pages[1].compressed_page_size = 0;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "page 1 with 0 bytes");
    paged_init(t, &p);
    p.pages[1].compressed_page_size = INT32_MIN;
    CHECK_FAILS(read_offsets(t, &p, &n), PQ_CORRUPT, "page 1 with -2147483648");
}

TEST(page_index, an_index_outside_the_file_is_corrupt)
{
    static const struct { int64_t offset; int32_t length; } places[] = {
        {-1, 10}, {10, -1}, {SIZE, 1}, {SIZE - 9, 10}, {INT64_MAX, INT32_MAX},
        {4, INT32_MAX},
    };
    PqOffsetIndex out;
    size_t i;
    Paged p;

    paged_init(t, &p);
    CHECK_OK(pq_source_open_memory(t->mem, "paged", pq_slice(p.bytes, SIZE),
                                   &p.in.source, t->e));
    for (i = 0; i < PQ_COUNT(places); i++) {
        p.chunk.offset_index_offset = places[i].offset;
        p.chunk.offset_index_length = places[i].length;
        CHECK_FAILS(pq_page_index_offsets(&p.in, &p.chunk, 2, 0, ROWS,
                                          &p.arena, &out, t->e),
                    PQ_CORRUPT, "row group 2: the offset index has");
    }
    pq_source_close(p.in.source);
}

TEST(page_index, sizes_that_do_not_belong_to_the_pages_are_dropped)
{
    int64_t sizes[2] = {1, 2};
    uint32_t n;
    Paged p;

    paged_init(t, &p);
    p.offsets.has |= 1u << PQ_OFFSET_INDEX_BYTES;
    p.offsets.unencoded_byte_array_data_bytes = (PqI64List){sizes, 2};
    CHECK_OK(read_offsets(t, &p, &n));
    CHECK_INT(n, 3);
}

TEST(page_index, every_list_has_an_entry_for_each_page)
{
    PqColumnIndex out;
    Paged p;

    paged_init(t, &p);
    CHECK_OK(read_bounds(t, &p, &out));
    CHECK_INT(out.has, p.bounds.has);
    p.bounds.null_pages.n = 2;
    CHECK_FAILS(read_bounds(t, &p, &out), PQ_CORRUPT,
                "column col, byte 1000: the column index has 2 null_pages, its "
                "pages need 3");
    CHECK_INT(out.has, 0);
    paged_init(t, &p);
    p.bounds.min_values.n = 2;
    CHECK_FAILS(read_bounds(t, &p, &out), PQ_CORRUPT, "2 min_values");
    paged_init(t, &p);
    p.bounds.max_values.n = 0;
    CHECK_FAILS(read_bounds(t, &p, &out), PQ_CORRUPT, "0 max_values");
    paged_init(t, &p);
    p.bounds.null_counts.n = 1;
    CHECK_FAILS(read_bounds(t, &p, &out), PQ_CORRUPT, "1 null_counts");
    paged_init(t, &p);
    p.bounds.definition_level_histograms.n = 3;
    CHECK_FAILS(read_bounds(t, &p, &out), PQ_CORRUPT,
                "3 definition_level_histograms, its pages need 6");
}

TEST(page_index, an_empty_list_of_counts_is_absent)
{
    PqColumnIndex out;
    Paged p;

    paged_init(t, &p);
    p.bounds.null_counts.n = 0;
    p.bounds.definition_level_histograms.n = 0;
    CHECK_OK(read_bounds(t, &p, &out));
    CHECK(!PQ_HAS(&out, PQ_COLUMN_INDEX_NULL_COUNTS));
    CHECK(!PQ_HAS(&out, PQ_COLUMN_INDEX_DEFINITION));
}

TEST(page_index, a_count_of_minus_one_is_not_known)
{
    PqColumnIndex out;
    Paged p;

    paged_init(t, &p);
    p.null_counts[1] = -1;
    p.defs[5] = -1;
    CHECK_OK(read_bounds(t, &p, &out));
    CHECK(!PQ_HAS(&out, PQ_COLUMN_INDEX_NULL_COUNTS));
    CHECK_INT(out.null_counts.n, 0);
    CHECK(!PQ_HAS(&out, PQ_COLUMN_INDEX_DEFINITION));
    CHECK(PQ_HAS(&out, PQ_COLUMN_INDEX_MIN));
}

TEST(page_index, a_changed_byte_ends_in_an_error_or_an_index)
{
    unsigned i, x, n, held = 0;
    PqOffsetIndex offsets;
    PqColumnIndex bounds;
    PqBuf b;
    Paged p;

    paged_init(t, &p);
    pq_buf_init(&b, t->mem, t->e);
    pq_format_write_offset_index(&p.offsets, &b);
    n = (unsigned)b.n;
    pq_format_write_column_index(&p.bounds, &b);
    p.chunk.offset_index_offset = 1000;
    p.chunk.offset_index_length = (int32_t)n;
    p.chunk.column_index_offset = 1000 + (int32_t)n;
    p.chunk.column_index_length = (int32_t)(b.n - n);
    n = (unsigned)b.n;
    paged_open(t, &p, &b);
    pq_buf_free(&b);
    for (i = 0; i < n; i++) {
        for (x = 1; x < 256; x++) {
            p.bytes[1000 + i] ^= (uint8_t)x;
            held += pq_page_index_offsets(&p.in, &p.chunk, 0, 0, ROWS,
                                          &p.arena, &offsets, t->e) == PQ_OK;
            pq_err_clear(t->e);
            held += pq_page_index_bounds(&p.in, &p.chunk, 0, &p.leaf, 3,
                                         &p.arena, &bounds, t->e) == PQ_OK;
            pq_err_clear(t->e);
            pq_arena_reset(&p.arena);
            p.bytes[1000 + i] ^= (uint8_t)x;
        }
    }
    paged_free(&p);
    CHECK(held > 1000);
}

TEST(page_index, find_gives_the_page_that_holds_the_row)
{
    PqOffsetIndex index;
    Paged p;

    paged_init(t, &p);
    index = p.offsets;
    CHECK_INT(pq_page_index_find(&index, 0), 0);
    CHECK_INT(pq_page_index_find(&index, 39), 0);
    CHECK_INT(pq_page_index_find(&index, 40), 1);
    CHECK_INT(pq_page_index_find(&index, 74), 1);
    CHECK_INT(pq_page_index_find(&index, 75), 2);
    CHECK_INT(pq_page_index_find(&index, 99), 2);
    index.page_locations.n = 1;
    CHECK_INT(pq_page_index_find(&index, 99), 0);
}

/* The indexes of every chunk of a sample file are valid. */
static uint32_t count_pages(Test *t, const char *name)
{
    uint32_t g, l, pages = 0;
    Small s;

    if (small_open_sample(t, name, &s) != PQ_OK) {
        small_close(&s);
        return 0;
    }
    for (g = 0; g < s.footer->n_groups; g++) {
        for (l = 0; l < s.footer->schema.n_leaves; l++) {
            PqOffsetIndex offsets;
            PqColumnIndex bounds;
            PqColumnChunk c;
            PqArena a;
            pq_arena_init(&a, t->mem);
            if (pq_footer_chunk(s.footer, g, l, &a, &c, t->e) == PQ_OK &&
                pq_page_index_offsets(&s.in, &c, (int)g, l,
                                      s.footer->groups[g].num_rows, &a,
                                      &offsets, t->e) == PQ_OK &&
                pq_page_index_bounds(&s.in, &c, (int)g,
                                     &s.footer->schema.leaves[l],
                                     offsets.page_locations.n, &a, &bounds,
                                     t->e) == PQ_OK) {
                pages += offsets.page_locations.n;
            }
            pq_arena_free(&a);
        }
    }
    small_close(&s);
    return pages;
}

TEST(page_index, the_indexes_of_sample_files_hold)
{
    uint32_t tiny = count_pages(t, "data/alltypes_tiny_pages.parquet");
    uint32_t nulls = count_pages(t, "data/int32_with_null_pages.parquet");
    uint32_t minus = count_pages(
        t, "data/datapage_v1-uncompressed-checksum.parquet");

    if (t->skipped) {
        return;
    }
    CHECK_TEXT(t->e->text, "");
    CHECK(tiny > 1000);
    CHECK(nulls > 1);
    CHECK(minus > 1);
}
