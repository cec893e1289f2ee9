/*
** path_rows_test.c - where paths into a shredded Variant lead, and the values
** there.
*/
#include "core/nested/path_rows.h"
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
**                                            7, 8 c[]   9 d             */
static const Element event[] = {
    GROUP("root", 'r', 1),
    GROUP("event", 'o', 3, .logical = PQ_LOGICAL_VARIANT), METADATA, VALUE,
    GROUP("typed_value", 'o', 4),
    GROUP("a", 'r', 2), VALUE, LEAF("typed_value", 'o', .type = PQ_INT32),
    GROUP("b", 'r', 2), VALUE,
    GROUP("typed_value", 'o', 1), GROUP("a", 'r', 1),
    LEAF("typed_value", 'o', STRING),
    GROUP("c", 'r', 1),
    GROUP("typed_value", 'o', 1, .logical = PQ_LOGICAL_LIST),
    GROUP("list", '*', 1), GROUP("element", 'r', 1),
    LEAF("typed_value", 'o', .type = PQ_INT64),
    GROUP("d", 'r', 1), VALUE
};

/* Row 0  {"a":1, "b":{"a":"x"}, "c":[7,8], "d":{"a":5}}
**     1  {"a":"s", "b":true, "d":null}
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
    rows_bytes(f, 7, NULL, "33012",
               BYTES(HEX("02 01 00 00 02 0c 05"), HEX("00")));
}

static void parse(Test *t, Rows *f, const char *path, PqVariantPath *out)
{
    CHECK_OK(pq_variant_path_parse(pq_slice_text(path), &f->arena, out, t->e));
}

/* The end of a path: typed_value, value, and the number of steps left. */
static void check_plan(Test *t, Rows *f, const char *path, PqPathEnd end,
                       int typed, int value, uint32_t left)
{
    PqVariantPath p;
    PqPathPlan plan;

    parse(t, f, path, &p);
    pq_path_follow(f->schema.root->child[0], &p, &plan);
    CHECK_INT(plan.end, end);
    CHECK_INT(plan.typed ? plan.typed->leaf : -1, typed);
    CHECK_INT(plan.value ? plan.value->leaf : -1, value);
    CHECK_INT(plan.n_steps, left);
    CHECK_INT(plan.metadata->leaf, 0);
}

TEST(path_rows, a_path_is_followed_as_far_as_it_is_shredded)
{
    Rows f;

    fill(t, &f);
    check_plan(t, &f, "$.a", PQ_PATH_SCALAR, 3, 2, 0);
    check_plan(t, &f, "$.b.a", PQ_PATH_SCALAR, 5, -1, 0);
    check_plan(t, &f, "$.a.x", PQ_PATH_RESIDUAL, -1, 2, 1);
    check_plan(t, &f, "$.b.c", PQ_PATH_RESIDUAL, -1, 4, 1);
    check_plan(t, &f, "$.b[0]", PQ_PATH_RESIDUAL, -1, 4, 1);
    check_plan(t, &f, "$.d", PQ_PATH_RESIDUAL, -1, 7, 0);
    check_plan(t, &f, "$.d.a", PQ_PATH_RESIDUAL, -1, 7, 1);
    check_plan(t, &f, "$.e.a", PQ_PATH_RESIDUAL, -1, 1, 2);
    check_plan(t, &f, "$[0]", PQ_PATH_RESIDUAL, -1, 1, 1);
    check_plan(t, &f, "$.c[0]", PQ_PATH_SUBTREE, -1, -1, 1);
    check_plan(t, &f, "$.c", PQ_PATH_SUBTREE, -1, -1, 0);
    check_plan(t, &f, "$.b", PQ_PATH_SUBTREE, -1, 4, 0);
    check_plan(t, &f, "$", PQ_PATH_SUBTREE, -1, 1, 0);
    check_plan(t, &f, "$.c.x", PQ_PATH_MISSING, -1, -1, 1);
    check_plan(t, &f, "$.b.a.x", PQ_PATH_MISSING, -1, -1, 1);
    rows_close(&f);
}

static PqRc see(void *arg, const PqVariantStep *step, uint32_t n, PqErr *e)
{
    PqBuf *out = arg;

    for (uint32_t i = 0; i < n; i++) {
        pq_buf_printf(out, "%s%.*s", i ? "." : out->n ? " " : "",
                      (int)step[i].name.n, (const char *)step[i].name.p);
    }
    return PQ_OK;
}

TEST(path_rows, the_paths_of_a_file_are_its_shredded_scalars)
{
    PqBuf got;
    Rows f;

    fill(t, &f);
    pq_buf_init(&got, t->mem, t->e);
    CHECK_OK(pq_path_each(f.schema.root->child[0], see, &got, t->e));
    pq_buf_byte(&got, 0);
    CHECK_TEXT((const char *)got.p, "a b.a");
    pq_buf_free(&got);
    rows_close(&f);
}

static void check_stored(Test *t, const char *type, PqType stored, bool want)
{
    PqPathWant w = {.typed = type != NULL};

    if (type) {
        CHECK_OK(pq_variant_target_parse(pq_slice_text(type), &w.target, t->e));
    }
    CHECK_INT(pq_path_is_stored(&w, &stored), want);
}

TEST(path_rows, a_leaf_is_the_column_where_its_values_look_the_same)
{
    PqType small = {.physical = PQ_INT32, .logical = PQ_TYPE_INT,
                    .bit_width = 8, .is_signed = true};
    PqType wide = {.physical = PQ_INT64};
    PqType single = {.physical = PQ_FLOAT}, real = {.physical = PQ_DOUBLE};
    PqType price = {.physical = PQ_INT32, .logical = PQ_TYPE_DECIMAL,
                    .precision = 9, .scale = 2};
    PqType millis = {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP,
                     .unit = PQ_MILLIS};

    check_stored(t, "bigint", small, true);
    check_stored(t, "bigint", wide, true);
    check_stored(t, "int", wide, false);     /* it may not fit */
    check_stored(t, "double", wide, false);
    check_stored(t, "double", single, true);
    check_stored(t, "float", real, false);
    check_stored(t, "decimal(18,2)", price, true);
    check_stored(t, "decimal(9,2)", price, true);
    check_stored(t, "decimal(8,2)", price, false);
    check_stored(t, "decimal(18,3)", price, false);
    check_stored(t, "string", wide, false);
    check_stored(t, "variant", wide, false);
    check_stored(t, NULL, price, true);
    check_stored(t, NULL, millis, false);    /* no Variant has it */
}

/* ---- values -------------------------------------------------------------- */

typedef struct Path {
    PqPathWant      want;
    PqPathRows     *rows;
    const PqVector *vectors[ROWS_LEAVES];
} Path;

static void open_path(Test *t, Rows *f, const char *path, const char *type,
                      bool try_, Path *p)
{
    const uint32_t *leaves;
    PqPathPlan plan;

    memset(p, 0, sizeof *p);
    p->want.typed = type != NULL;
    parse(t, f, path, &p->want.path);
    if (type) {
        CHECK_OK(pq_variant_target_parse(pq_slice_text(type), &p->want.target,
                                         t->e));
    }
    p->want.target.try_ = try_;
    pq_path_follow(f->schema.root->child[0], &p->want.path, &plan);
    CHECK_OK(pq_path_rows_new(t->mem, &p->want, &plan, 5, &p->rows, t->e));
    for (uint32_t i = pq_path_rows_leaves(p->rows, &leaves); i-- > 0;) {
        f->leaf[leaves[i]].vector.n_rows = 5;
        p->vectors[i] = &f->leaf[leaves[i]].vector;
    }
    pq_path_rows_begin(p->rows, p->vectors, 5, NULL);
}

static void add_row(const Path *p, uint32_t row, PqBuf *out)
{
    const PqStr *s = pq_path_rows_result(p->rows).values;

    if (row > 0) {
        pq_buf_byte(out, ' ');
    }
    if (!pq_bit(pq_path_rows_result(p->rows).valid, row)) {
        pq_buf_byte(out, '-');
    } else if (!s) {
        pq_buf_printf(out, "kind%d",
                      pq_path_rows_result(p->rows).items[row].v.kind);
    } else if (p->want.target.type.physical == PQ_INT64) {
        pq_buf_printf(out, "%lld", (long long)((const int64_t *)s)[row]);
    } else {
        pq_buf_add(out, s[row].p, s[row].n);
    }
}

/* want: the values, '-' where there is none. */
static void check_values(Test *t, Rows *f, const char *path, const char *type,
                         const char *want)
{
    uint32_t failed;
    PqBuf got;
    Path p;

    open_path(t, f, path, type, true, &p);
    CHECK_OK(pq_path_rows_compute(p.rows, NULL, &failed, t->e));
    pq_buf_init(&got, t->mem, t->e);
    for (uint32_t row = 0; row < 5; row++) {
        add_row(&p, row, &got);
    }
    pq_buf_byte(&got, 0);
    CHECK_TEXT((const char *)got.p, want);
    pq_buf_free(&got);
    pq_path_rows_free(p.rows);
}

TEST(path_rows, values_come_from_where_the_row_has_them)
{
    Rows f;

    fill(t, &f);
    check_values(t, &f, "$.a", "bigint", "1 - - - -");
    check_values(t, &f, "$.a", "string", "1 s - - -");
    check_values(t, &f, "$.b.a", "string", "x - - - y");
    check_values(t, &f, "$.b.c", "bigint", "- - - - 2");
    check_values(t, &f, "$.b", "string", "{\"a\":\"x\"} true - - "
                                         "{\"a\":\"y\",\"c\":2}");
    check_values(t, &f, "$.c[1]", "bigint", "8 - - - -");
    check_values(t, &f, "$.c", "string", "[7,8] - - - []");
    check_values(t, &f, "$.d.a", "bigint", "5 - - - -");
    check_values(t, &f, "$", "bigint", "- - - 9 -");
    rows_close(&f);
}

TEST(path_rows, without_a_type_a_value_keeps_its_own)
{
    Rows f;

    fill(t, &f);
    check_values(t, &f, "$.a", NULL, "kind2 kind10 - - -");
    check_values(t, &f, "$.d", NULL, "kind12 - - - -");
    check_values(t, &f, "$.d", "variant", "kind12 kind0 - - -");
    check_values(t, &f, "$.c[0]", NULL, "kind2 - - - -");
    rows_close(&f);
}

/* A scan of elements looks at the values of all rows, as at those of a dictionary. */
TEST(path_rows, what_is_null_is_no_value_of_the_batch_before)
{
    static const PqStr none;
    const uint64_t second = 2;
    uint32_t failed;
    const PqStr *s;
    Rows f;
    Path p;

    fill(t, &f);
    open_path(t, &f, "$.b.a", "string", true, &p);
    CHECK_OK(pq_path_rows_compute(p.rows, NULL, &failed, t->e));
    s = pq_path_rows_result(p.rows).values;
    CHECK_INT(s[4].n, 1);
    pq_path_rows_begin(p.rows, p.vectors, 5, NULL);
    CHECK_OK(pq_path_rows_compute(p.rows, &second, &failed, t->e));
    CHECK(memcmp(&s[0], &none, sizeof none) == 0);
    CHECK(memcmp(&s[4], &none, sizeof none) == 0);
    pq_path_rows_free(p.rows);
    rows_close(&f);
}

TEST(path_rows, a_row_is_computed_when_it_is_asked_for)
{
    const uint64_t first = 1, others = 0x1d, all = 0x1f;
    uint32_t failed = 9;
    Rows f;
    Path p;

    fill(t, &f);
    open_path(t, &f, "$.a", "bigint", false, &p);
    CHECK_OK(pq_path_rows_compute(p.rows, &first, &failed, t->e));
    CHECK_INT(pq_path_rows_result(p.rows).valid[0], 1);
    CHECK_OK(pq_path_rows_compute(p.rows, &others, &failed, t->e));
    CHECK_FAILS(pq_path_rows_compute(p.rows, &all, &failed, t->e), PQ_USAGE,
                "cannot cast the string \"s\" to bigint");
    CHECK_INT(failed, 1);
    pq_path_rows_free(p.rows);
    open_path(t, &f, "$.b", "string", false, &p);
    CHECK_OK(pq_path_rows_compute(p.rows, &others, &failed, t->e));
    CHECK_INT(pq_path_rows_result(p.rows).valid[0], 0x11);
    CHECK_OK(pq_path_rows_compute(p.rows, NULL, &failed, t->e));
    CHECK_INT(pq_path_rows_result(p.rows).valid[0], 0x13);
    pq_path_rows_free(p.rows);
    rows_close(&f);
}
