/*
** variant_assemble_test.c - parts of shredded Variants as metadata and value.
*/
#include "core/nested/variant_assemble.h"
#include "core/variant/variant_build.h"
#include "test/unit/rows_fixture.h"

#define TEXTS(...) ((const char *[]){__VA_ARGS__})
#define INTS(...) ((int64_t[]){__VA_ARGS__})
#define HEX(hex) test_hex(t, hex)
#define BYTES(...) ((PqSlice[]){__VA_ARGS__})
#define STRING .type = PQ_BYTE_ARRAY, .logical = PQ_LOGICAL_STRING
#define METADATA LEAF("metadata", 'r', .type = PQ_BYTE_ARRAY)
#define VALUE LEAF("value", 'o', .type = PQ_BYTE_ARRAY)
#define NAMES "01 03 00 01 02 03 61 62 63"   /* a, b, c */

/*  leaf  0 metadata   1 value   typed_value: 2, 3 a   4, 5 b.a   6 b.value
**                                            7, 8 c[]                      */
static const Element event[] = {
    GROUP("root", 'r', 1),
    GROUP("event", 'o', 3, .logical = PQ_LOGICAL_VARIANT), METADATA, VALUE,
    GROUP("typed_value", 'o', 3),
    GROUP("a", 'r', 2), VALUE, LEAF("typed_value", 'o', .type = PQ_INT32),
    GROUP("b", 'r', 2), VALUE,
    GROUP("typed_value", 'o', 1), GROUP("a", 'r', 1),
    LEAF("typed_value", 'o', STRING),
    GROUP("c", 'r', 1),
    GROUP("typed_value", 'o', 1, .logical = PQ_LOGICAL_LIST),
    GROUP("list", '*', 1), GROUP("element", 'r', 1),
    LEAF("typed_value", 'o', .type = PQ_INT64)
};

/* Row 0  {"a":1, "b":{"a":"x"}, "c":[7,8]}
**     1  {"a":"s", "b":true}
**     2  NULL
**     3  9
**     4  {"b":{"a":"y","c":2}, "c":[]}                                     */
static void fill(Test *t, Rows *f)
{
    PqSlice m = HEX(NAMES);

    rows_open(t, f, event, PQ_COUNT(event), false);
    rows_bytes(f, 0, NULL, "11011", BYTES(m, m, m, m));
    rows_bytes(f, 1, NULL, "11021", BYTES(HEX("0c 09")));
    rows_bytes(f, 2, NULL, "23012", BYTES(HEX("05 73")));
    rows_ints(f, 3, NULL, "32012", INTS(1));
    rows_bytes(f, 4, NULL, "23013",
               BYTES(HEX("04"), HEX("02 01 02 00 02 0c 02")));
    rows_texts(f, 5, NULL, "42014", TEXTS("x", "y"));
    rows_ints(f, 6, "010000", "552013", INTS(7, 8));
}

static const PqNode *child(const PqNode *of, const char *name)
{
    for (uint32_t i = 0; i < of->n_children; i++) {
        if (strcmp(of->child[i]->name, name) == 0) {
            return of->child[i];
        }
    }
    return NULL;
}

static PqRc begin(Rows *f, const PqNode *variant, const PqNode *at,
                  uint32_t n_rows, PqJsonRows **out)
{
    const PqVector *v[ROWS_LEAVES + 1];
    uint32_t i;

    for (i = 0; i < f->schema.n_leaves; i++) {
        f->leaf[i].vector.n_rows = n_rows;
        v[i] = &f->leaf[i].vector;
    }
    v[at->first_leaf + at->n_leaves] = &f->leaf[0].vector;       /* metadata */
    PQ_TRY(pq_json_rows_new_part(f->t->mem, variant, at, out, f->t->e));
    return pq_json_rows_begin(*out, v + at->first_leaf, n_rows, f->t->e);
}

/* want: a value in hex for each row, NULL: missing.  Odd rows are then left out
** in a second pass. */
static void check_part(Test *t, const PqNode *at, Rows *f,
                       const char *const *want)
{
    PqJsonRows *a = NULL;
    PqSlice metadata, value;
    bool missing;

    for (uint32_t step = 1; step < 3 && !t->failed; step++) {
        CHECK_OK(begin(f, f->schema.root->child[0], at, 5, &a));
        for (uint32_t row = 0; row < 5 && !t->failed; row += step) {
            CHECK_OK(pq_variant_assemble_row(a, row, &metadata, &value,
                                             &missing, t->e));
            CHECK(missing == !want[row]);
            if (!missing) {
                test_bytes(t, __FILE__, __LINE__, "value", value,
                           HEX(want[row]));
                test_bytes(t, __FILE__, __LINE__, "metadata", metadata,
                           HEX(NAMES));
            }
        }
        pq_json_rows_free(a);
    }
}

TEST(variant_assemble, a_whole_variant)
{
    Rows f;

    fill(t, &f);
    check_part(t, f.schema.root->child[0], &f,
               TEXTS("02 03 00 01 02 00 05 0c 23"
                     "14 01 00 00 00"
                     "02 01 00 00 02 05 78"
                     "03 02 00 09 12"
                     "18 07 00 00 00 00 00 00 00"
                     "18 08 00 00 00 00 00 00 00",
                     "02 02 00 01 00 02 03 05 73 04", NULL, "0c 09",
                     "02 02 01 02 00 0b 0e"
                     "02 02 00 02 00 02 04 05 79 0c 02 03 00 00"));
    rows_close(&f);
}

TEST(variant_assemble, the_value_of_a_field)
{
    Rows f;

    fill(t, &f);
    check_part(t, child(child(f.schema.root->child[0], "typed_value"), "a"),
               &f, TEXTS("14 01 00 00 00", "05 73", NULL, NULL, NULL));
    rows_close(&f);
}

TEST(variant_assemble, an_object_in_a_field)
{
    Rows f;

    fill(t, &f);
    check_part(t, child(child(f.schema.root->child[0], "typed_value"), "b"),
               &f, TEXTS("02 01 00 00 02 05 78", "04", NULL, NULL,
                         "02 02 00 02 00 02 04 05 79 0c 02"));
    rows_close(&f);
}

TEST(variant_assemble, an_array_in_a_field)
{
    Rows f;

    fill(t, &f);
    check_part(t, child(child(f.schema.root->child[0], "typed_value"), "c"),
               &f, TEXTS("03 02 00 09 12 18 07 00 00 00 00 00 00 00"
                         "18 08 00 00 00 00 00 00 00",
                         NULL, NULL, NULL, "03 00 00"));
    rows_close(&f);
}

TEST(variant_assemble, a_row_that_is_corrupt_ends_the_batch)
{
    PqJsonRows *a = NULL;
    PqSlice metadata, value;
    const PqNode *at;
    bool missing;
    Rows f;

    fill(t, &f);
    rows_bytes(&f, 2, NULL, "33012", BYTES(HEX("00"), HEX("05 73")));
    at = child(child(f.schema.root->child[0], "typed_value"), "a");
    CHECK_OK(begin(&f, f.schema.root->child[0], at, 5, &a));
    CHECK_FAILS(pq_variant_assemble_row(a, 0, &metadata, &value, &missing,
                                        t->e),
                PQ_CORRUPT, "both value and typed_value");
    pq_err_clear(t->e);
    CHECK_FAILS(pq_variant_assemble_row(a, 1, &metadata, &value, &missing,
                                        t->e),
                PQ_CORRUPT, "could not be read");
    pq_json_rows_free(a);
    rows_close(&f);
}

/* The option is about a column that is a VARIANT. */
TEST(variant_assemble, a_variant_in_a_list_stays_json)
{
    static const Element s[] = {
        GROUP("root", 'r', 1), GROUP("l", 'o', 1, .logical = PQ_LOGICAL_LIST),
        GROUP("list", '*', 1),
        GROUP("v", 'o', 2, .logical = PQ_LOGICAL_VARIANT), METADATA, VALUE
    };
    PqJsonOptions options = {.variant_blob = true};
    const PqVector *v[2];
    const PqStr *texts;
    PqJsonRows *j;
    uint32_t n;
    Rows f;

    rows_open(t, &f, s, PQ_COUNT(s), false);
    rows_bytes(&f, 0, "01", "32", BYTES(HEX("01 00")));
    rows_bytes(&f, 1, "01", "42", BYTES(HEX("0c 07")));
    for (uint32_t i = 0; i < 2; i++) {
        f.leaf[i].vector.n_rows = 1;
        v[i] = &f.leaf[i].vector;
    }
    CHECK_OK(pq_json_rows_new(t->mem, f.schema.root->child[0], &options, &j,
                              t->e));
    CHECK_OK(pq_json_rows_begin(j, v, 1, t->e));
    CHECK_OK(pq_json_rows_write(j, 0, 1, 1, &n, &texts, t->e));
    CHECK_TEXT((const char *)texts[0].p, "[7,null]");
    pq_json_rows_free(j);
    rows_close(&f);
}
