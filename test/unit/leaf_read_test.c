/*
** leaf_read_test.c - reads pages into vectors, of chunks made by hand.
*/
#include "test/unit/reading.h"

#include <stdlib.h>

/* 100 rows, 10 a page: row i holds i. */
static void ten_pages(Reading *x)
{
    int32_t v[10];
    int page, i;

    for (page = 0; page < 10; page++) {
        for (i = 0; i < 10; i++) {
            v[i] = page * 10 + i;
        }
        made_page_v1(&x->m, 10, NULL, NULL, PQ_ENCODING_PLAIN, v, sizeof v);
    }
}

TEST(leaf_read, a_batch_may_begin_and_end_inside_pages)
{
    Reading x;
    PqVector v;
    uint32_t i;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 0, 5, &v, t->e));
    CHECK_INT(at(&v, 4), 4);
    CHECK_OK(pq_leaf_read(&x.r, 5, 40, &v, t->e));
    for (i = 0; i < 40; i++) {
        CHECK_INT(at(&v, i), 5 + i);
    }
    CHECK(v.valid == NULL && v.dict == NULL);
    CHECK_OK(pq_leaf_read(&x.r, 99, 1, &v, t->e));
    CHECK_INT(at(&v, 0), 99);
    close_leaf(&x);
}

/* Are the values of the vector where the reader's page has them? */
static bool is_in_page(const Reading *x, const PqVector *v)
{
    const PqPage *page = x->r.kept ? x->r.kept : x->r.page;
    const uint8_t *p = v->values;

    return p >= page->bytes.p && p < page->bytes.p + page->bytes.n;
}

TEST(leaf_read, values_of_one_page_stay_in_it)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 0, 4, &v, t->e));
    CHECK(is_in_page(&x, &v));
    CHECK_OK(pq_leaf_read(&x.r, 4, 6, &v, t->e));        /* to its end */
    CHECK(is_in_page(&x, &v));
    CHECK_INT(at(&v, 0), 4);
    CHECK_INT(at(&v, 5), 9);
    CHECK_OK(pq_leaf_read(&x.r, 15, 10, &v, t->e));      /* of two pages */
    CHECK(v.values == x.r.space.values);
    CHECK_INT(at(&v, 0), 15);
    CHECK_INT(at(&v, 9), 24);
    close_leaf(&x);
}

/* Levels of v1 stand before the values: 4 bytes, and a run of 2. */
TEST(leaf_read, values_that_are_not_aligned_are_copied)
{
    static const uint16_t def[] = {1, 1, 1};
    static const int32_t values[] = {1, 2, 3};
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_OPTIONAL);
    made_page_v1(&x.m, 3, NULL, def, PQ_ENCODING_PLAIN, values, sizeof values);
    CHECK_OK(open_leaf(t, &x, 0, 3));
    CHECK_OK(pq_leaf_read(&x.r, 0, 3, &v, t->e));
    CHECK(v.values == x.r.space.values);
    CHECK_INT(at(&v, 2), 3);
    close_leaf(&x);
}

/* A vector of values in the page, and then of gaps: the page keeps its values. */
TEST(leaf_read, spreading_leaves_the_page_as_it_is)
{
    static const uint16_t def[] = {1, 0, 1, 1};
    static const int32_t values[] = {1, 2, 3};
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_OPTIONAL);
    made_page_v2(&x.m, 4, NULL, def, PQ_ENCODING_PLAIN, values, sizeof values);
    CHECK_OK(open_leaf(t, &x, 0, 4));
    CHECK_OK(pq_leaf_read(&x.r, 0, 3, &v, t->e));
    CHECK_INT(at(&v, 0), 1);
    CHECK_INT(at(&v, 2), 2);
    CHECK(v.values == x.r.space.values);
    CHECK_OK(pq_leaf_read(&x.r, 3, 1, &v, t->e));
    CHECK_INT(at(&v, 0), 3);
    close_leaf(&x);
}

TEST(leaf_read, pages_that_are_passed_are_not_read)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 55, 2, &v, t->e));
    CHECK_INT(at(&v, 1), 56);
    CHECK_INT(x.ctx.pages_read, 1);
    CHECK_INT(x.ctx.pages_passed, 5);
    close_leaf(&x);
}

TEST(leaf_read, an_earlier_row_begins_the_chunk_again)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 90, 1, &v, t->e));
    CHECK_OK(pq_leaf_read(&x.r, 13, 1, &v, t->e));
    CHECK_INT(at(&v, 0), 13);
    CHECK_OK(pq_leaf_read(&x.r, 12, 1, &v, t->e));
    CHECK_INT(at(&v, 0), 12);
    close_leaf(&x);
}

TEST(leaf_read, the_offset_index_leads_to_the_page_without_passing_others)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    made_offset_index(&x.m, 0);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 77, 3, &v, t->e));
    CHECK_INT(at(&v, 0), 77);
    CHECK_INT(x.ctx.pages_read, 1);
    CHECK_INT(x.ctx.pages_passed, 0);
    CHECK_OK(pq_leaf_read(&x.r, 80, 15, &v, t->e));
    CHECK_INT(at(&v, 14), 94);
    CHECK_OK(pq_leaf_read(&x.r, 3, 1, &v, t->e));
    CHECK_INT(at(&v, 0), 3);
    close_leaf(&x);
}

TEST(leaf_read, an_offset_index_with_other_rows_than_the_pages_is_told)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    x.m.page[0][5].first_row_index = 55;
    made_offset_index(&x.m, 0);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 77, 3, &v, t->e));
    CHECK_INT(at(&v, 0), 77);
    CHECK_FAILS(pq_leaf_read(&x.r, 57, 1, &v, t->e), PQ_CORRUPT,
                "row group 0, column v, page 5");
    close_leaf(&x);
}

TEST(leaf_read, pages_of_the_offset_index_may_lie_in_any_order)
{
    PqPageLocation *page;
    Reading x;
    PqVector v;
    int64_t swapped;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    page = x.m.page[0];
    swapped = page[5].offset;
    page[5].offset = page[6].offset;
    page[6].offset = swapped;
    made_offset_index(&x.m, 0);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 50, 30, &v, t->e));
    CHECK_INT(at(&v, 0), 60);
    CHECK_INT(at(&v, 19), 59);
    CHECK_INT(at(&v, 20), 70);
    close_leaf(&x);
}

TEST(leaf_read, an_offset_index_leads_to_data_pages)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    made_index_page(&x.m);
    x.m.page[0][5].offset = x.m.page[0][9].offset +
                            x.m.page[0][9].compressed_page_size;
    made_offset_index(&x.m, 0);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_FAILS(pq_leaf_read(&x.r, 50, 1, &v, t->e), PQ_CORRUPT, "page 5");
    close_leaf(&x);
}

/* Files of a union take turns: in one the leaf is inside a struct, in the next
** it is not. */
TEST(leaf_read, levels_may_be_wanted_for_one_chunk_and_not_for_the_next)
{
    static const bool want[] = {true, false, true};
    static const uint32_t rows[] = {10, 100, 100};
    uint16_t def[100];
    Reading x;
    PqVector v;
    int32_t values[100];
    uint32_t i, k;

    for (i = 0; i < 100; i++) {
        values[i] = (int32_t)i;
        def[i] = 1;
    }
    begin_flat(t, &x, PQ_OPTIONAL);
    made_page_v1(&x.m, 100, NULL, def, PQ_ENCODING_PLAIN, values,
                 sizeof values);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    for (k = 0; k < 3; k++) {
        PqArena *a = pq_leaf_reader_arena(&x.r);

        CHECK_OK(pq_footer_chunk(x.m.footer, 0, 0, a, &x.r.chunk.chunk, t->e));
        CHECK_OK(pq_leaf_reader_open(&x.r, &x.m.in,
                                     &x.m.footer->schema.leaves[0], 0, 100,
                                     (PqSlice){NULL, 0}, want[k], t->e));
        CHECK_OK(pq_leaf_read(&x.r, 0, rows[k], &v, t->e));
        CHECK((v.def != NULL) == want[k]);
        for (i = 0; i < rows[k]; i++) {
            CHECK_INT(at(&v, i), i);
            CHECK(!v.def || v.def[i] == 1);
        }
    }
    close_leaf(&x);
}

TEST(leaf_read, an_invalid_offset_index_is_ignored)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    x.m.page[0][5].first_row_index = 20;     /* not after the page before */
    made_offset_index(&x.m, 0);
    CHECK_OK(open_leaf(t, &x, 0, 100));
    CHECK_OK(pq_leaf_read(&x.r, 77, 3, &v, t->e));
    CHECK_INT(at(&v, 0), 77);
    CHECK(t->e->rc == PQ_OK);
    close_leaf(&x);
}

/* A dictionary, a page of indices, then a page of values, as when a writer
** gives up its dictionary. */
static void fallback(Reading *x)
{
    static const int32_t dict[] = {70, 71, 72, 73};
    static const int32_t plain[] = {1, 2, 3, 4};
    static const uint8_t ids[] = {2, 0x05, 0xe4, 0x1b};  /* 0 1 2 3 3 2 1 0 */

    made_dictionary(&x->m, 4, dict, sizeof dict, PQ_ENCODING_PLAIN);
    made_page_v1(&x->m, 8, NULL, NULL, PQ_ENCODING_RLE_DICTIONARY, ids,
                 sizeof ids);
    made_page_v1(&x->m, 4, NULL, NULL, PQ_ENCODING_PLAIN, plain, sizeof plain);
    made_page_v1(&x->m, 8, NULL, NULL, PQ_ENCODING_PLAIN_DICTIONARY, ids,
                 sizeof ids);
}

TEST(leaf_read, dictionary_and_plain_pages_mix_in_one_vector)
{
    static const int32_t want[] = {70, 71, 72, 73, 73, 72, 71, 70, 1, 2,
                                   3,  4,  70, 71, 72, 73, 73, 72, 71, 70};
    Reading x;
    PqVector v;
    uint32_t i;

    begin_flat(t, &x, PQ_REQUIRED);
    fallback(&x);
    CHECK_OK(open_leaf(t, &x, 0, 20));
    CHECK_OK(pq_leaf_read(&x.r, 0, 8, &v, t->e));
    CHECK(v.dict != NULL && v.dict->n == 4);
    CHECK_OK(pq_leaf_read(&x.r, 0, 20, &v, t->e));
    CHECK(v.dict == NULL);
    for (i = 0; i < 20; i++) {
        CHECK_INT(at(&v, i), want[i]);
    }
    CHECK_OK(pq_leaf_read(&x.r, 12, 8, &v, t->e));
    CHECK(v.dict != NULL);
    CHECK_INT(at(&v, 3), 73);
    close_leaf(&x);
}

TEST(leaf_read, indices_without_a_dictionary_are_corrupt)
{
    static const uint8_t ids[] = {2, 0x05, 0xe4, 0x1b};
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    made_page_v1(&x.m, 8, NULL, NULL, PQ_ENCODING_RLE_DICTIONARY, ids,
                 sizeof ids);
    CHECK_OK(open_leaf(t, &x, 0, 8));
    CHECK_FAILS(pq_leaf_read(&x.r, 0, 8, &v, t->e), PQ_CORRUPT,
                "made.parquet, row group 0, column v, page 0");
    close_leaf(&x);
}

TEST(leaf_read, index_pages_and_empty_pages_are_passed_over)
{
    static const int32_t one[] = {11}, two[] = {22};
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    made_index_page(&x.m);
    made_page_v1(&x.m, 1, NULL, NULL, PQ_ENCODING_PLAIN, one, sizeof one);
    made_page_v1(&x.m, 0, NULL, NULL, PQ_ENCODING_PLAIN, "", 0);
    made_index_page(&x.m);
    made_page_v2(&x.m, 1, NULL, NULL, PQ_ENCODING_PLAIN, two, sizeof two);
    CHECK_OK(open_leaf(t, &x, 0, 2));
    CHECK_OK(pq_leaf_read(&x.r, 0, 2, &v, t->e));
    CHECK_INT(at(&v, 0), 11);
    CHECK_INT(at(&v, 1), 22);
    close_leaf(&x);
}

TEST(leaf_read, nulls_are_spread_over_page_borders)
{
    static const uint16_t first[] = {1, 0, 1}, second[] = {0, 0, 1, 1};
    static const int32_t a[] = {1, 3}, b[] = {6, 7};
    static const int want[] = {1, -1, 3, -1, -1, 6, 7};
    Reading x;
    PqVector v;
    uint32_t i;

    begin_flat(t, &x, PQ_OPTIONAL);
    made_page_v1(&x.m, 3, NULL, first, PQ_ENCODING_PLAIN, a, sizeof a);
    made_page_v2(&x.m, 4, NULL, second, PQ_ENCODING_PLAIN, b, sizeof b);
    CHECK_OK(open_leaf(t, &x, 0, 7));
    CHECK_OK(pq_leaf_read(&x.r, 0, 7, &v, t->e));
    for (i = 0; i < 7; i++) {
        CHECK_INT(pq_vector_is_valid(&v, i), want[i] >= 0);
        if (want[i] >= 0) {
            CHECK_INT(at(&v, i), want[i]);
        }
    }
    CHECK_OK(pq_leaf_read(&x.r, 4, 2, &v, t->e));
    CHECK(!pq_vector_is_valid(&v, 0) && pq_vector_is_valid(&v, 1));
    CHECK_INT(at(&v, 1), 6);
    close_leaf(&x);
}

TEST(leaf_read, a_chunk_with_fewer_rows_than_its_group_is_corrupt)
{
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    ten_pages(&x);
    CHECK_OK(open_leaf(t, &x, 0, 101));
    CHECK_FAILS(pq_leaf_read(&x.r, 95, 6, &v, t->e), PQ_CORRUPT,
                "the pages end after row 100 of 101");
    close_leaf(&x);
}

TEST(leaf_read, a_second_dictionary_is_corrupt)
{
    static const int32_t dict[] = {1};
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    made_dictionary(&x.m, 1, dict, sizeof dict, PQ_ENCODING_PLAIN);
    made_page_v1(&x.m, 1, NULL, NULL, PQ_ENCODING_PLAIN, dict, sizeof dict);
    made_dictionary(&x.m, 1, dict, sizeof dict, PQ_ENCODING_PLAIN);
    made_page_v1(&x.m, 1, NULL, NULL, PQ_ENCODING_PLAIN, dict, sizeof dict);
    CHECK_OK(open_leaf(t, &x, 0, 2));
    CHECK_FAILS(pq_leaf_read(&x.r, 0, 2, &v, t->e), PQ_CORRUPT,
                "a second dictionary page");
    close_leaf(&x);
}

TEST(leaf_read, a_dictionary_page_of_indices_is_corrupt)
{
    static const int32_t dict[] = {1};
    Reading x;
    PqVector v;

    begin_flat(t, &x, PQ_REQUIRED);
    made_dictionary(&x.m, 1, dict, sizeof dict, PQ_ENCODING_RLE_DICTIONARY);
    made_page_v1(&x.m, 1, NULL, NULL, PQ_ENCODING_PLAIN, dict, sizeof dict);
    CHECK_OK(open_leaf(t, &x, 0, 1));
    CHECK_FAILS(pq_leaf_read(&x.r, 0, 1, &v, t->e), PQ_CORRUPT,
                "a dictionary page of encoding 8");
    close_leaf(&x);
}

/* ---- repeated ---------------------------------------------------------- */

static void begin_list(Test *t, Reading *x)
{
    PqSchemaElement el[4] = {made_group("root", 0, 1, -1),
                             made_group("a", PQ_OPTIONAL, 1, PQ_CONVERTED_LIST),
                             made_group("list", PQ_REPEATED, 1, -1),
                             made_leaf("element", PQ_OPTIONAL, PQ_INT32)};
    memset(x, 0, sizeof *x);
    made_begin(t, &x->m, el, 4);
    made_chunk(&x->m, PQ_INT32, 1, 3);
}

/* [1,2,3] over two pages, [], null, [null,4,5,6] over three. */
static void spanning(Reading *x)
{
    static const uint16_t r1[] = {0, 1}, d1[] = {3, 3};
    static const uint16_t r2[] = {1, 0, 0, 0}, d2[] = {3, 1, 0, 2};
    static const uint16_t r3[] = {1}, d3[] = {3};
    static const uint16_t r4[] = {1, 1}, d4[] = {3, 3};
    static const int32_t v1[] = {1, 2}, v2[] = {3}, v3[] = {4}, v4[] = {5, 6};

    made_page_v1(&x->m, 2, r1, d1, PQ_ENCODING_PLAIN, v1, sizeof v1);
    made_page_v1(&x->m, 4, r2, d2, PQ_ENCODING_PLAIN, v2, sizeof v2);
    made_page_v1(&x->m, 1, r3, d3, PQ_ENCODING_PLAIN, v3, sizeof v3);
    made_page_v1(&x->m, 2, r4, d4, PQ_ENCODING_PLAIN, v4, sizeof v4);
}

TEST(leaf_repeat, a_row_may_span_pages)
{
    static const uint16_t rep[] = {0, 1, 1, 0, 0, 0, 1, 1, 1};
    static const uint16_t def[] = {3, 3, 3, 1, 0, 2, 3, 3, 3};
    Reading x;
    PqVector v;

    begin_list(t, &x);
    spanning(&x);
    CHECK_OK(open_leaf(t, &x, 0, 4));
    CHECK_OK(pq_leaf_read(&x.r, 0, 4, &v, t->e));
    CHECK_INT(v.n_slots, 9);
    CHECK_BYTES(v.rep, v.n_slots * 2, rep, sizeof rep);
    CHECK_BYTES(v.def, v.n_slots * 2, def, sizeof def);
    CHECK_INT(at(&v, 2), 3);
    CHECK_INT(at(&v, 6), 4);
    CHECK_INT(at(&v, 8), 6);
    close_leaf(&x);
}

TEST(leaf_repeat, each_row_can_be_read_on_its_own)
{
    static const uint32_t slots[] = {3, 1, 1, 4};
    Reading x;
    PqVector v;
    int64_t row;

    begin_list(t, &x);
    spanning(&x);
    CHECK_OK(open_leaf(t, &x, 0, 4));
    for (row = 0; row < 4; row++) {
        CHECK_OK(pq_leaf_read(&x.r, row, 1, &v, t->e));
        CHECK_INT(v.n_slots, slots[row]);
    }
    for (row = 3; row >= 0; row--) {
        CHECK_OK(pq_leaf_read(&x.r, row, 1, &v, t->e));
        CHECK_INT(v.n_slots, slots[row]);
    }
    CHECK_INT(at(&v, 2), 3);
    CHECK_OK(pq_leaf_read(&x.r, 3, 1, &v, t->e));
    CHECK_INT(at(&v, 3), 6);
    close_leaf(&x);
}

TEST(leaf_repeat, with_an_index_the_page_after_a_row_is_not_read)
{
    static const uint16_t rep[] = {0, 1, 0}, def[] = {3, 3, 3};
    static const int32_t values[] = {1, 2, 3};
    Reading x;
    PqVector v;
    int i;

    begin_list(t, &x);
    for (i = 0; i < 5; i++) {
        made_page_v1(&x.m, 3, rep, def, PQ_ENCODING_PLAIN, values,
                     sizeof values);
    }
    made_offset_index(&x.m, 0);
    CHECK_OK(open_leaf(t, &x, 0, 10));
    CHECK_OK(pq_leaf_read(&x.r, 5, 1, &v, t->e));
    CHECK_INT(v.n_slots, 1);
    CHECK_INT(at(&v, 0), 3);
    CHECK_INT(x.ctx.pages_read, 1);
    close_leaf(&x);
}

TEST(leaf_repeat, an_offset_index_that_counts_values_is_told)
{
    static const uint16_t rep[] = {0, 1, 0}, def[] = {3, 3, 3};
    static const int32_t values[] = {1, 2, 3};
    Reading x;
    PqVector v;

    begin_list(t, &x);
    for (int i = 0; i < 3; i++) {
        made_page_v1(&x.m, 3, rep, def, PQ_ENCODING_PLAIN, values,
                     sizeof values);
    }
    x.m.page[0][2].first_row_index = 5;
    made_offset_index(&x.m, 0);
    CHECK_OK(open_leaf(t, &x, 0, 6));
    CHECK_FAILS(pq_leaf_read(&x.r, 5, 1, &v, t->e), PQ_CORRUPT,
                "page 2, byte 88: a page of 2 rows, the offset index says 1");
    close_leaf(&x);
}

TEST(leaf_repeat, an_offset_index_of_parquet_go_counts_values)
{
    static const uint16_t rep[] = {0, 1, 0}, def[] = {3, 3, 3};
    static const int32_t values[] = {1, 2, 3};
    Reading x;
    PqVector v;

    begin_list(t, &x);
    for (int i = 0; i < 3; i++) {
        made_page_v1(&x.m, 3, rep, def, PQ_ENCODING_PLAIN, values,
                     sizeof values);
        x.m.page[0][i].first_row_index = 3 * i - (i == 2);
    }
    made_offset_index(&x.m, 0);
    x.created_by = pq_slice_text("parquet-go version latest");
    CHECK_OK(open_leaf(t, &x, 0, 6));
    CHECK_OK(pq_leaf_read(&x.r, 5, 1, &v, t->e));
    CHECK_INT(at(&v, 0), 3);
    close_leaf(&x);
}

TEST(leaf_repeat, a_chunk_that_begins_inside_a_list_is_corrupt)
{
    static const uint16_t rep[] = {1, 0}, def[] = {3, 3};
    static const int32_t values[] = {1, 2};
    Reading x;
    PqVector v;

    begin_list(t, &x);
    made_page_v1(&x.m, 2, rep, def, PQ_ENCODING_PLAIN, values, sizeof values);
    CHECK_OK(open_leaf(t, &x, 0, 2));
    CHECK_FAILS(pq_leaf_read(&x.r, 0, 1, &v, t->e), PQ_CORRUPT,
                "begins in the middle of a list");
    close_leaf(&x);
}

TEST(leaf_repeat, a_list_of_more_slots_than_the_look_ahead_is_one_row)
{
    enum { LONG = 20000 };
    uint16_t *rep = calloc(LONG, 2), *def = calloc(LONG, 2);
    int32_t *values = calloc(LONG, 4);
    Reading x;
    PqVector v;
    int i;

    CHECK(rep && def && values);
    for (i = 0; i < LONG; i++) {
        rep[i] = i != 0 && i != LONG - 1;
        def[i] = 3;
        values[i] = i;
    }
    begin_list(t, &x);
    made_page_v1(&x.m, LONG, rep, def, PQ_ENCODING_PLAIN, values, LONG * 4);
    CHECK_OK(open_leaf(t, &x, 0, 2));
    CHECK_OK(pq_leaf_read(&x.r, 0, 1, &v, t->e));
    CHECK_INT(v.n_slots, LONG - 1);
    CHECK_INT(at(&v, LONG - 2), LONG - 2);
    CHECK_OK(pq_leaf_read(&x.r, 1, 1, &v, t->e));
    CHECK_INT(at(&v, 0), LONG - 1);
    close_leaf(&x);
    free(rep);
    free(def);
    free(values);
}
