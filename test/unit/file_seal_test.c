/*
** file_seal_test.c - which key seals which leaf.
*/
#include "core/write/file_seal.h"

#include "core/meta/schema_make.h"
#include "test/unit/test.h"

#include <stdlib.h>

/* a   pay { amount, tax { rate } }   pay2   pay.tax   pay.tax.x */
typedef struct Made {
    PqArena      arena;
    PqSchemaElementList elements;
    PqSchema     schema;
    PqKeyRing   *ring;
    PqEncryption how;
    PqSealPlan  *plan;
    char         text[PQ_ERR_TEXT];
} Made;

static void begin(Test *t, Made *m)
{
    static const PqType type = {.physical = PQ_INT64};
    PqSchemaMake *make;

    *m = (Made){0};
    pq_arena_init(&m->arena, t->mem);
    CHECK_OK(pq_schema_make_new(t->mem, &make, t->e));
    pq_schema_make_leaf(make, "a", &type, true, -1);
    pq_schema_make_group(make, PQ_NODE_STRUCT, "pay", true, -1);
    pq_schema_make_leaf(make, "amount", &type, true, -1);
    pq_schema_make_group(make, PQ_NODE_STRUCT, "tax", true, -1);
    pq_schema_make_leaf(make, "rate", &type, true, -1);
    pq_schema_make_close(make);
    pq_schema_make_close(make);
    pq_schema_make_leaf(make, "pay2", &type, true, -1);
    pq_schema_make_leaf(make, "pay.tax", &type, true, -1);
    pq_schema_make_leaf(make, "pay.tax.x", &type, true, -1);
    CHECK_OK(pq_schema_make_end(make, &m->arena, &m->elements, t->e));
    pq_schema_make_free(make);
    CHECK_OK(pq_schema_build(&m->elements, &m->arena, &m->schema, t->e));
    CHECK_OK(pq_key_ring_new(t->mem, &m->ring, t->e));
    for (const char *name = "kf\0k1\0k2\0"; *name; name += 3) {
        CHECK_OK(pq_key_ring_put(m->ring, name,
                                 pq_slice("0123456789abcdef", 16), t->e));
    }
    m->how.keys = (PqKeyChoice){.ring = m->ring, .footer_key = "kf"};
}

static void end(Made *m)
{
    pq_seal_plan_free(m->plan);
    pq_key_ring_free(m->ring);
    pq_arena_free(&m->arena);
}

/* Plans, and lists the names of the keys of all leaves; clear ones have "-". */
static const char *plan(Test *t, Made *m)
{
    size_t n = 0;

    pq_seal_plan_free(m->plan);
    m->plan = NULL;
    if (pq_seal_plan_new(&m->how, &m->schema, t->mem, &m->plan, t->e) !=
        PQ_OK) {
        snprintf(m->text, sizeof m->text, "%s", t->e->text);
        pq_err_clear(t->e);
        return m->text;
    }
    for (uint32_t i = 0; i < m->schema.n_leaves; i++) {
        const PqKey *k = m->plan->leaf_keys[i];

        n += (size_t)snprintf(m->text + n, sizeof m->text - n, "%s%s",
                              i ? " " : "", k ? pq_key_name(k) : "-");
    }
    return m->text;
}

static const char *plan_of(Test *t, Made *m, const PqColumnKeyName *keys,
                           uint32_t n_keys, const char *const *clear,
                           uint32_t n_clear)
{
    m->how.keys.columns = keys;
    m->how.keys.n_columns = n_keys;
    m->how.clear = clear;
    m->how.n_clear = n_clear;
    return plan(t, m);
}

TEST(file_seal, what_nobody_speaks_of_has_the_footers_key)
{
    Made m;

    begin(t, &m);
    CHECK_TEXT(plan(t, &m), "kf kf kf kf kf kf");
    m.how.others_clear = true;
    CHECK_TEXT(plan(t, &m), "- - - - - -");
    end(&m);
}

TEST(file_seal, the_longest_path_counts)
{
    static const PqColumnKeyName keys[] = {
        {"pay.tax", "k2"}, {"pay", "k1"}, {"pay.tax.rate", "k1"}};
    static const char *const clear[] = {"pay.tax", "a", "pay.amount"};
    Made m;

    begin(t, &m);
    CHECK_TEXT(plan_of(t, &m, keys + 1, 1, NULL, 0), "kf k1 k1 kf kf kf");
    CHECK_TEXT(plan_of(t, &m, keys, 2, NULL, 0), "kf k1 k2 kf k2 kf");
    CHECK_TEXT(plan_of(t, &m, keys, 3, NULL, 0), "kf k1 k1 kf k2 kf");
    CHECK_TEXT(plan_of(t, &m, keys + 1, 1, clear, 2), "- k1 - kf - kf");
    CHECK_TEXT(plan_of(t, &m, keys + 1, 2, clear, 3), "- - k1 kf - kf");
    CHECK_TEXT(plan_of(t, &m, keys, 2, clear + 1, 2), "- - k2 kf k2 kf");
    end(&m);
}

/* The last two columns have dots in their names. */
TEST(file_seal, a_path_ends_where_a_name_ends)
{
    static const char *const clear[] = {"pay", "pay.tax", "pay.tax.x",
                                        "pay.tax.rate"};
    static const char *const wanted[] = {
        "kf - - kf kf kf", "kf kf - kf - kf", "kf kf kf kf kf -",
        "kf kf - kf kf kf"};
    Made m;

    begin(t, &m);
    for (size_t i = 0; i < PQ_COUNT(clear); i++) {
        CHECK_TEXT(plan_of(t, &m, NULL, 0, clear + i, 1), wanted[i]);
    }
    CHECK(strstr(plan_of(t, &m, NULL, 0, (const char *const[]){"pay."}, 1),
                 "no column"));
    CHECK(strstr(plan_of(t, &m, NULL, 0, (const char *const[]){"pay.ta"}, 1),
                 "no column"));
    end(&m);
}

TEST(file_seal, what_is_said_twice_or_of_nothing_fails)
{
    static const PqColumnKeyName keys[] = {
        {"pay", "k1"}, {"pay", "k2"}, {"pa", "k1"}, {"pay.tax.rate.x", "k1"},
        {"", "k1"}, {"a", "k9"}};
    static const char *const clear[] = {"pay", "pay3"};
    Made m;

    begin(t, &m);
    CHECK(strstr(plan_of(t, &m, keys, 2, NULL, 0), "column pay is there twice"));
    CHECK(strstr(plan_of(t, &m, keys, 1, clear, 1), "pay is there twice"));
    CHECK(strstr(plan_of(t, &m, keys + 2, 1, NULL, 0), "no column pa"));
    CHECK(strstr(plan_of(t, &m, keys + 3, 1, NULL, 0), "no column pay.tax"));
    CHECK(strstr(plan_of(t, &m, keys + 4, 1, NULL, 0), "no column "));
    CHECK(strstr(plan_of(t, &m, keys + 5, 1, NULL, 0), "key k9 is not at"));
    CHECK(strstr(plan_of(t, &m, NULL, 0, clear + 1, 1), "no column pay3"));
    end(&m);
}

TEST(file_seal, leaves_are_numbered_as_far_as_the_format_goes)
{
    Made m;

    begin(t, &m);
    m.schema.n_leaves = PQ_ORDINAL_MOST + 2;         /* it looks at no other */
    CHECK(strstr(plan(t, &m), "a file of 32769 columns cannot be encrypted"));
    m.schema.n_leaves = 6;
    end(&m);
}

TEST(file_seal, a_leaf_follows_another_unless_something_is_said_of_it)
{
    static const PqColumnKeyName keys[] = {{"pay", "k1"}, {"pay2", "k2"}};
    static const char *const clear[] = {"pay2"};
    Made m;

    begin(t, &m);
    plan_of(t, &m, keys, 1, NULL, 0);
    pq_seal_plan_follow(m.plan, 3, 1);
    CHECK_TEXT(pq_key_name(m.plan->leaf_keys[3]), "k1");
    plan_of(t, &m, keys, 2, NULL, 0);
    pq_seal_plan_follow(m.plan, 3, 1);
    CHECK_TEXT(pq_key_name(m.plan->leaf_keys[3]), "k2");
    plan_of(t, &m, keys, 1, clear, 1);
    pq_seal_plan_follow(m.plan, 3, 1);
    CHECK(!m.plan->leaf_keys[3]);
    end(&m);
}

TEST(file_seal, the_footer_tells_of_clear_leaves_and_of_those_with_its_key)
{
    static const PqColumnKeyName keys[] = {{"pay", "k1"}};
    static const char *const clear[] = {"a"};
    Made m;

    begin(t, &m);
    plan_of(t, &m, keys, 1, clear, 1);
    CHECK(pq_seal_plan_tells(m.plan, 0));
    CHECK(!pq_seal_plan_tells(m.plan, 1));
    CHECK(pq_seal_plan_tells(m.plan, 3));
    m.how.plaintext_footer = true;
    CHECK(pq_seal_plan_tells(m.plan, 0));
    CHECK(!pq_seal_plan_tells(m.plan, 3));
    end(&m);
}

TEST(file_seal, each_file_has_unique_bytes_after_the_prefix)
{
    PqFileSeal *s[2];
    Made m;

    begin(t, &m);
    m.how.keys.aad_prefix = "pre";
    CHECK_TEXT(plan(t, &m), "kf kf kf kf kf kf");
    for (int i = 0; i < 2; i++) {
        CHECK_OK(pq_file_seal_new(m.plan, t->mem, &s[i], t->e));
        CHECK_BYTES(s[i]->footer.aad.p, 3, "pre", 3);
        CHECK_BYTES(s[i]->footer.aad.p + 3, s[i]->footer.aad.n - 3,
                    s[i]->unique, 8);
        CHECK(pq_file_seal_lock(s[i], 2)->aad.p == s[i]->footer.aad.p);
    }
    CHECK(memcmp(s[0]->unique, s[1]->unique, 8) != 0);
    pq_file_seal_free(s[0]);
    pq_file_seal_free(s[1]);
    end(&m);
}
