/*
** chunk_end_test.c - a chunk has its values, and ends where it says: no reader
** goes on in the pages of the next column.
*/
#include "core/verify/verify.h"
#include "test/unit/reading.h"

/* Two columns of the same kind, 20 rows each: a has 0 to 19, b 20 to 39. */
static void begin_two(Test *t, Reading *x)
{
    PqSchemaElement el[3] = {made_group("root", 0, 2, -1),
                             made_leaf("a", PQ_REQUIRED, PQ_INT32),
                             made_leaf("b", PQ_REQUIRED, PQ_INT32)};
    int32_t v[10];

    memset(x, 0, sizeof *x);
    made_begin(t, &x->m, el, 3);
    for (int page = 0; page < 4; page++) {
        if (page % 2 == 0) {
            made_chunk(&x->m, PQ_INT32, 0, 0);
        }
        for (int i = 0; i < 10; i++) {
            v[i] = page * 10 + i;
        }
        made_page_v1(&x->m, 10, NULL, NULL, PQ_ENCODING_PLAIN, v, sizeof v);
    }
}

/* The type follows the first byte of a header. */
static void set_type(Reading *x, int page, int type)
{
    x->m.bytes.p[x->m.page[0][page].offset + 1] = (uint8_t)(type << 1);
}

TEST(chunk_end, a_page_of_an_unknown_type_is_not_passed_over)
{
    for (int type = 1; type < 9; type++) {
        Reading x;
        PqVector v;

        begin_two(t, &x);
        set_type(&x, 1, type);
        CHECK_OK(open_leaf(t, &x, 0, 20));
        CHECK_OK(pq_leaf_read(&x.r, 0, 10, &v, t->e));
        CHECK_FAILS(pq_leaf_read(&x.r, 10, 10, &v, t->e), PQ_CORRUPT,
                    "row group 0, column a, page 1");
        close_leaf(&x);
    }
}

/* As a page is missing that was passed over. */
TEST(chunk_end, the_pages_of_the_next_column_are_not_its_own)
{
    Reading x;
    PqVector v;

    begin_two(t, &x);
    x.m.chunk[0].meta_data.num_values = 30;
    CHECK_OK(open_leaf(t, &x, 0, 30));
    CHECK_OK(pq_leaf_read(&x.r, 0, 20, &v, t->e));
    CHECK_FAILS(pq_leaf_read(&x.r, 20, 1, &v, t->e), PQ_CORRUPT,
                "the chunk ends after 20 of 30 values");
    close_leaf(&x);
}

TEST(chunk_end, a_page_has_no_more_values_than_the_chunk)
{
    Reading x;
    PqVector v;

    begin_two(t, &x);
    x.m.chunk[0].meta_data.num_values = 15;
    CHECK_OK(open_leaf(t, &x, 0, 15));
    CHECK_FAILS(pq_leaf_read(&x.r, 0, 15, &v, t->e), PQ_CORRUPT,
                "a page of 10 values, the chunk has 5 left");
    close_leaf(&x);
}

TEST(chunk_end, nothing_follows_the_last_row)
{
    Reading x;
    PqVector v;

    begin_two(t, &x);
    CHECK_OK(open_leaf(t, &x, 0, 10));
    CHECK_OK(pq_leaf_read(&x.r, 0, 9, &v, t->e));
    CHECK_FAILS(pq_leaf_read(&x.r, 9, 1, &v, t->e), PQ_CORRUPT,
                "values follow the last of the 10 rows");
    close_leaf(&x);
}

TEST(chunk_end, the_header_of_an_old_dictionary_is_not_in_the_size)
{
    static const char *const writers[] = {"parquet-mr version 1.2.8",
                                          "parquet-cpp version 1.2.0",
                                          "parquet-mr version 1.3.0"};
    static const int32_t dict[] = {7};
    static const uint8_t ids[] = {1, 8, 0};          /* 4 times id 0 */

    for (size_t i = 0; i < PQ_COUNT(writers); i++) {
        Reading x;
        PqVector v;

        begin_flat(t, &x, PQ_REQUIRED);
        x.created_by = pq_slice_text(writers[i]);
        made_dictionary(&x.m, 1, dict, sizeof dict, PQ_ENCODING_PLAIN);
        made_page_v1(&x.m, 4, NULL, NULL, PQ_ENCODING_RLE_DICTIONARY, ids,
                     sizeof ids);
        x.m.size_lacks = x.m.page[0][0].offset - 4 - (int64_t)sizeof dict;
        CHECK_OK(open_leaf(t, &x, 0, 4));
        if (i < 2) {
            CHECK_OK(pq_leaf_read(&x.r, 0, 4, &v, t->e));
            CHECK_OK(pq_leaf_read(&x.r, 0, 4, &v, t->e));
        } else {
            CHECK_FAILS(pq_leaf_read(&x.r, 0, 4, &v, t->e), PQ_CORRUPT,
                        "there is room for");
        }
        close_leaf(&x);
    }
}

/* After the sizes in the header of a v2 page come the values, then the nulls. */
TEST(chunk_end, nulls_of_a_v2_page_may_be_those_of_others)
{
    static const uint16_t def[] = {1, 0, 1};
    static const int32_t values[] = {5, 7};
    Reading x;
    PqVector v;
    uint8_t *header;

    begin_flat(t, &x, PQ_OPTIONAL);
    made_page_v2(&x.m, 3, NULL, def, PQ_ENCODING_PLAIN, values, sizeof values);
    header = x.m.bytes.p + x.m.page[0][0].offset;
    CHECK_INT(header[8], 3 << 1);
    header[10] = 9 << 1;
    CHECK_OK(open_leaf(t, &x, 0, 3));
    CHECK_OK(pq_leaf_read(&x.r, 0, 3, &v, t->e));
    CHECK_INT(at(&v, 2), 7);
    close_leaf(&x);
}

/* ---- what verifying makes of it ------------------------------------------- */

static PqRc first_finding(Test *t, MadeFile *m, char *out, size_t room)
{
    const PqFinding *f;
    PqVerify *v = NULL;
    PqRc rc;

    *out = 0;
    PQ_GO(pq_verify_new(t->mem, &m->in, m->footer, (PqStop){0}, &v, t->e));
    PQ_GO(pq_verify_next(v, &f, t->e));
    if (f) {
        snprintf(out, room, "%s: %s", f->what, f->message);
    }
done:
    pq_verify_free(v);
    return rc;
}

TEST(chunk_end, verifying_tells_the_values_that_are_missing)
{
    char got[300];
    Reading x;

    begin_two(t, &x);
    x.m.chunk[0].meta_data.num_values = 30;
    CHECK_OK(made_end(&x.m, 30));
    CHECK_OK(first_finding(t, &x.m, got, sizeof got));
    CHECK_TEXT(got, "num_values: the pages hold fewer values");
    made_free(&x.m);
}

/* Values of no bytes need none in the page, so the count alone sizes arrays. */
TEST(chunk_end, of_two_empty_dictionaries_verifying_takes_one)
{
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REQUIRED, PQ_FIXED)};
    char got[300];
    MadeFile m;

    el[1].has |= 1u << PQ_SCHEMA_TYPE_LENGTH;
    made_begin(t, &m, el, 2);
    made_chunk(&m, PQ_FIXED, 0, 0);
    made_dictionary(&m, 5000, "", 0, PQ_ENCODING_PLAIN);
    made_dictionary(&m, 5000, "", 0, PQ_ENCODING_PLAIN);
    made_page_v1(&m, 1, NULL, NULL, PQ_ENCODING_PLAIN, "", 0);
    CHECK_OK(made_end(&m, 1));
    CHECK_OK(first_finding(t, &m, got, sizeof got));
    CHECK(strstr(got, "a second dictionary page") != NULL);
    made_free(&m);
}
