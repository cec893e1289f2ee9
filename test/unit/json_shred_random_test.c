/*
** json_shred_random_test.c - random JSON for random schemas is shredded, and
** printed again from the levels.
**
** For each value two texts are made.  `in` has blanks, escapes, members in any
** order, absent or twice, maps as objects or pairs.  `want` is what json_rows.h
** prints.  Between good rows there are damaged ones, which must leave nothing.
*/
#include "core/meta/schema_make.h"
#include "core/text/json_text.h"
#include "test/unit/shred_fixture.h"

#include <stdlib.h>

typedef struct Random {
    Test        *t;
    uint64_t     state;
    PqSchemaMake *make;
    uint32_t     n_leaves;
} Random;

static uint32_t below(Random *r, uint32_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) +
               UINT64_C(1442695040888963407);
    return (uint32_t)(r->state >> 33) % n;
}

static bool one_in(Random *r, uint32_t n)
{
    return below(r, n) == 0;
}

/* ---- schemas ------------------------------------------------------------- */

static const struct {
    PqType type;
    struct { const char *in, *want; } values[4];
} kinds[] = {
    {{.physical = PQ_INT32},
     {{"7", "7"}, {"-12", "-12"}, {"1e3", "1000"}, {"\"5\"", "5"}}},
    {{.physical = PQ_INT64},
     {{"0", "0"}, {"-9223372036854775808", "-9223372036854775808"},
      {"12.0", "12"}, {"1e2", "100"}}},
    {{.physical = PQ_BOOLEAN},
     {{"true", "true"}, {"false", "false"}, {"1", "true"}, {"0", "false"}}},
    {{.physical = PQ_DOUBLE},
     {{"1.5", "1.5"}, {"2", "2.0"}, {"-0", "-0.0"}, {"9e999", "9e999"}}},
    {{.physical = PQ_BYTE_ARRAY},
     {{"\"00fF\"", "\"00FF\""}, {"\"\"", "\"\""}, {"\"\\u0030a\"", "\"0A\""},
      {"\"0102030405\"", "\"0102030405\""}}},
    {{.logical = PQ_TYPE_STRING},
     {{"\"\"", "\"\""}, {"\"plain text\"", "\"plain text\""},
      {"\"\\u00e9\\n\\\"\\ud83c\\udf55\"",
       "\"\xc3\xa9\\n\\\"\xf0\x9f\x8d\x95\""},
      {"1.50", "\"1.50\""}}},
    {{.logical = PQ_TYPE_DECIMAL, .precision = 20, .scale = 2},
     {{"1.5", "1.50"}, {"-123456789012345678.25", "-123456789012345678.25"},
      {"7", "7.00"}, {"\"0.01\"", "0.01"}}},
    {{.logical = PQ_TYPE_DATE},
     {{"\"2024-03-01\"", "\"2024-03-01\""},
      {"\"1969-12-31\"", "\"1969-12-31\""},
      {"\"1970-01-01\"", "\"1970-01-01\""},
      {"\"2000-02-29\"", "\"2000-02-29\""}}},
    {{.logical = PQ_TYPE_UUID},
     {{"\"00112233-4455-6677-8899-aabbccddeeff\"",
       "\"00112233-4455-6677-8899-aabbccddeeff\""},
      {"\"00112233445566778899AABBCCDDEEFF\"",
       "\"00112233-4455-6677-8899-aabbccddeeff\""},
      {"\"ffffffff-ffff-ffff-ffff-ffffffffffff\"",
       "\"ffffffff-ffff-ffff-ffff-ffffffffffff\""},
      {"\"00000000-0000-0000-0000-000000000000\"",
       "\"00000000-0000-0000-0000-000000000000\""}}},
};

static uint32_t kind_of(const PqType *t)
{
    for (uint32_t i = 0; i < PQ_COUNT(kinds); i++) {
        PqType type = kinds[i].type;

        pq_type_store(&type);
        if (pq_type_equal(&type, t)) {
            return i;
        }
    }
    abort();
}

static void make_node(Random *r, const char *name, int depth);

static void make_leaf(Random *r, const char *name, bool required)
{
    PqType type = kinds[below(r, PQ_COUNT(kinds))].type;

    pq_type_store(&type);
    pq_schema_make_leaf(r->make, name, &type, required, -1);
    r->n_leaves++;
}

static void make_group(Random *r, const char *name, bool required, int depth)
{
    uint32_t n = one_in(r, 8) ? 12 : 1 + below(r, 4);
    char field[8];

    switch (below(r, 3)) {
    case 0:
        pq_schema_make_group(r->make, PQ_NODE_LIST, name, required, -1);
        make_node(r, NULL, depth - 1);
        break;
    case 1:
        pq_schema_make_group(r->make, PQ_NODE_MAP, name, required, -1);
        make_node(r, NULL, one_in(r, 3) ? depth - 1 : 0);
        if (!one_in(r, 6)) {
            make_node(r, NULL, depth - 1);
        }
        break;
    default:
        pq_schema_make_group(r->make, PQ_NODE_STRUCT, name, required, -1);
        for (uint32_t i = 0; i < n; i++) {
            snprintf(field, sizeof field, i % 5 ? "f%u" : "f \"%u", i);
            make_node(r, field, n > 4 ? 0 : depth - 1);
        }
    }
    pq_schema_make_close(r->make);
}

static void make_node(Random *r, const char *name, int depth)
{
    bool required = one_in(r, 3);

    if (depth <= 0 || r->n_leaves > SHRED_LEAVES - 30) {
        make_leaf(r, name, required);
    } else {
        make_group(r, name, required, depth);
    }
}

/* ---- values -------------------------------------------------------------- */

static void put_blank(Random *r, PqBuf *in)
{
    while (one_in(r, 4)) {
        pq_buf_byte(in, (uint8_t)" \t\r\n"[below(r, 4)]);
    }
}

static void put(Random *r, PqBuf *in, const char *text)
{
    put_blank(r, in);
    pq_buf_text(in, text);
    put_blank(r, in);
}

static void make_value(Random *r, const PqNode *n, PqBuf *in, PqBuf *want);

static void make_list(Random *r, const PqNode *n, PqBuf *in, PqBuf *want)
{
    uint32_t count = below(r, 4);

    put(r, in, "[");
    pq_buf_text(want, "[");
    for (uint32_t i = 0; i < count; i++) {
        if (i) {
            put(r, in, ",");
            pq_buf_text(want, ",");
        }
        make_value(r, n->child[0], in, want);
    }
    put(r, in, "]");
    pq_buf_text(want, "]");
}

/* A key as the name of a member. */
static void put_key(const PqNode *key, const PqBuf *text, PqBuf *in)
{
    PqSlice s = pq_buf_view(text);

    while (s.n && s.p[0] <= ' ') {
        s.p++;
        s.n--;
    }
    while (s.n && s.p[s.n - 1] <= ' ') {
        s.n--;
    }
    if (key->kind == PQ_NODE_LEAF && s.p[0] == '"') {
        pq_buf_add(in, s.p, s.n);
    } else {
        pq_json_text_string(s, in);
    }
}

static void make_map(Random *r, const PqNode *n, PqBuf *in, PqBuf *want)
{
    uint32_t count = below(r, 4);
    bool object = one_in(r, 2);

    put(r, in, object ? "{" : "[");
    pq_buf_text(want, "[");
    for (uint32_t i = 0; i < count; i++) {
        PqBuf key;

        pq_buf_init(&key, r->t->mem, r->t->e);
        if (i) {
            put(r, in, ",");
        }
        pq_buf_text(want, i ? ",[" : "[");
        make_value(r, n->child[0], &key, want);
        if (object) {
            put_key(n->child[0], &key, in);
        } else {
            put(r, in, "[");
            pq_buf_add(in, key.p, key.n);
        }
        put(r, in, object ? ":" : ",");
        pq_buf_text(want, ",");
        if (n->n_children > 1) {
            make_value(r, n->child[1], in, want);
        } else {
            put(r, in, "null");
            pq_buf_text(want, "null");
        }
        if (!object) {
            put(r, in, "]");
        }
        pq_buf_text(want, "]");
        pq_buf_free(&key);
    }
    put(r, in, object ? "}" : "]");
    pq_buf_text(want, "]");
}

static void put_member(Random *r, const PqNode *field, const PqBuf *value,
                       bool *first, PqBuf *in)
{
    if (!*first) {
        put(r, in, ",");
    }
    *first = false;
    pq_json_text_string(pq_slice_text(field->name), in);
    put(r, in, ":");
    pq_buf_add(in, value->p, value->n);
}

static void make_struct(Random *r, const PqNode *n, PqBuf *in, PqBuf *want)
{
    uint32_t turn = one_in(r, 2) ? below(r, n->n_children) : 0;
    bool first = true, backwards = one_in(r, 3);
    PqBuf texts[16], other;

    pq_buf_text(want, "{");
    for (uint32_t i = 0; i < n->n_children; i++) {
        pq_buf_init(&texts[i], r->t->mem, r->t->e);
        pq_buf_text(want, i ? "," : "");
        pq_json_text_string(pq_slice_text(n->child[i]->name), want);
        pq_buf_text(want, ":");
        make_value(r, n->child[i], &texts[i], want);
    }
    pq_buf_text(want, "}");
    put(r, in, "{");
    for (uint32_t i = 0; i < n->n_children; i++) {
        uint32_t k = (i + turn) % n->n_children;
        const PqNode *field;
        PqSlice text;

        k = backwards ? n->n_children - 1 - k : k;
        field = n->child[k];
        text = pq_buf_view(&texts[k]);
        if (!field->required && pq_slice_is(text, "null") && one_in(r, 2)) {
            continue;
        }
        if (one_in(r, 9)) {          /* another value, which does not count */
            PqBuf scrap;
            pq_buf_init(&other, r->t->mem, r->t->e);
            pq_buf_init(&scrap, r->t->mem, r->t->e);
            make_value(r, field, &other, &scrap);
            put_member(r, field, &other, &first, in);
            pq_buf_free(&other);
            pq_buf_free(&scrap);
        }
        put_member(r, field, &texts[k], &first, in);
    }
    put(r, in, "}");
    for (uint32_t i = 0; i < n->n_children; i++) {
        pq_buf_free(&texts[i]);
    }
}

static void make_value(Random *r, const PqNode *n, PqBuf *in, PqBuf *want)
{
    uint32_t kind, v;

    if (!n->required && one_in(r, 5)) {
        pq_buf_text(in, "null");
        pq_buf_text(want, "null");
        return;
    }
    switch (n->kind) {
    case PQ_NODE_LIST:   make_list(r, n, in, want); return;
    case PQ_NODE_MAP:    make_map(r, n, in, want); return;
    case PQ_NODE_STRUCT: make_struct(r, n, in, want); return;
    default:             break;
    }
    kind = kind_of(&n->type);
    v = below(r, 4);
    pq_buf_text(in, kinds[kind].values[v].in);
    pq_buf_text(want, kinds[kind].values[v].want);
}

/* ---- rows ---------------------------------------------------------------- */

/* Cuts the text, or puts in a byte that JSON never has, perhaps after a good
** part. */
static bool refuses_damaged(Random *r, Shred *f, PqBuf *in)
{
    size_t at = below(r, (uint32_t)in->n - 1);   /* its end is a NUL */
    char *before, *text = malloc(in->n);
    bool good;

    memcpy(text, in->p, in->n);
    text[at] = one_in(r, 2) ? 0 : 1;
    before = malloc(strlen(shred_counts(f)) + 1);
    strcpy(before, shred_counts(f));
    shred_row(f, text);
    good = shred_fill(f) == PQ_USAGE && strcmp(before, shred_counts(f)) == 0;
    pq_err_clear(f->t->e);
    good = good && strcmp(before, shred_counts(f)) == 0;
    free(before);
    free(text);
    return good;
}

/* Trailing blanks do not damage anything: the text ends where they begin. */
static void trim(PqBuf *in)
{
    while (in->n && in->p[in->n - 1] <= ' ') {
        in->n--;
    }
    pq_buf_byte(in, 0);
}

static void check_schema(Test *t, Random *r, const PqSchema *schema, int seed)
{
    PqBuf in, want, all;
    Shred f;

    shred_open(t, &f, schema, NULL);
    CHECK(f.shred);
    pq_buf_init(&all, t->mem, t->e);
    for (int i = 0; i < 30; i++) {
        pq_buf_init(&in, t->mem, t->e);
        pq_buf_init(&want, t->mem, t->e);
        make_value(r, f.node, &in, &want);
        trim(&in);
        if (!pq_slice_is(pq_buf_view(&want), "null")) {
            pq_buf_add(&all, want.p, want.n);
        }
        pq_buf_byte(&all, '\n');
        if (one_in(r, 3) && !refuses_damaged(r, &f, &in)) {
            test_fail(t, __FILE__, __LINE__, "seed %d: damaged %s", seed,
                      (char *)in.p);
            return;
        }
        shred_row(&f, (char *)in.p);
        if (shred_fill(&f) != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "seed %d: %s: %s", seed,
                      t->e->text, (char *)in.p);
            return;
        }
        pq_buf_free(&in);
        pq_buf_free(&want);
    }
    pq_buf_byte(&all, 0);
    if (strcmp(shred_rows(&f, true), (char *)all.p) != 0) {
        test_fail(t, __FILE__, __LINE__, "seed %d:\n%s\nwanted\n%s", seed,
                  shred_rows(&f, true), (char *)all.p);
        return;
    }
    pq_buf_free(&all);
    shred_close(&f);
}

TEST(json_shred, random_values_of_random_schemas_come_back)
{
    for (int seed = 0; seed < 400 && !t->failed; seed++) {
        Random r = {.t = t, .state = (uint64_t)seed};
        PqSchemaElementList list;
        PqSchema schema;
        PqArena a;

        pq_arena_init(&a, t->mem);
        CHECK_OK(pq_schema_make_new(t->mem, &r.make, t->e));
        make_group(&r, "column", one_in(&r, 2), 1 + seed % 4);
        CHECK_OK(pq_schema_make_end(r.make, &a, &list, t->e));
        CHECK_OK(pq_schema_build(&list, &a, &schema, t->e));
        pq_schema_make_free(r.make);
        check_schema(t, &r, &schema, seed);
        pq_arena_free(&a);
    }
}
