/*
** key_names_test.c - names of keys out of texts, and keys that stand where names
** belong.
*/
#include "sql/keys/key_names.h"
#include "test/unit/test.h"

#define KEY64 "MDEyMzQ1Njc4OWFiY2RlWA=="
#define KEYHEX "30313233343536373839616263646558"

typedef struct Named {
    PqArena     arena;
    PqKeyChoice c;
    PqPatience  patience;
} Named;

static PqRc all(Test *t, Named *n, const char *text)
{
    *n = (Named){.c = {0}};
    pq_arena_init(&n->arena, t->mem);
    return pqsql_key_names_all(text, &n->arena, &n->c, &n->patience, t->e);
}

TEST(key_names, one_text_has_all)
{
    Named n;

    CHECK_OK(all(t, &n, " Footer_Key = kf ,column_keys=ssn=k1; pay.amount = k2;,"
                        "aad_prefix='a, b', Timeout=60, spool='2 GB',retries=0"));
    CHECK_INT(n.patience.timeout, 60);
    CHECK_INT(n.patience.spool, INT64_C(2) << 30);
    CHECK_INT(n.patience.retries, 0);
    CHECK_TEXT(n.c.footer_key, "kf");
    CHECK_TEXT(n.c.aad_prefix, "a, b");
    CHECK_INT(n.c.n_columns, 2);
    CHECK_TEXT(n.c.columns[0].column, "ssn");
    CHECK_TEXT(n.c.columns[0].key, "k1");
    CHECK_TEXT(n.c.columns[1].column, "pay.amount");
    CHECK_TEXT(n.c.columns[1].key, "k2");
    pq_arena_free(&n.arena);
}

TEST(key_names, quotes_keep_marks_in_a_name)
{
    Named n;

    CHECK_OK(all(t, &n, "column_keys=\"a=b;c,d\"=\"k \"\"1\"\"\";e=k2, "
                        "footer_key=\"k,f\""));
    CHECK_TEXT(n.c.footer_key, "k,f");
    CHECK_INT(n.c.n_columns, 2);
    CHECK_TEXT(n.c.columns[0].column, "a=b;c,d");
    CHECK_TEXT(n.c.columns[0].key, "k \"1\"");
    CHECK_TEXT(n.c.columns[1].column, "e");
    pq_arena_free(&n.arena);
    CHECK_OK(all(t, &n, "column_keys='\"a=b\"=k1'"));
    CHECK_TEXT(n.c.columns[0].column, "a=b");
    pq_arena_free(&n.arena);
}

TEST(key_names, every_mistake_says_what_to_write)
{
    static const char *const pairs[][2] = {
        {"", "the argument keys is a text like"},
        {"kf", "the argument keys is a text like"},
        {"footer_key=kf,", "the argument keys is a text like"},
        {"footer_key=", "footer_key= takes the name of a key"},
        {"footer_key=a,footer_key=b", "footer_key is given twice"},
        {"fotter_key=a", "did you mean footer_key?"},
        {"aad_prefix=", "aad_prefix= takes a text"},
        {"column_keys=", "column_keys= takes columns with their keys"},
        {"column_keys=;;", "column_keys= takes columns with their keys"},
        {"column_keys=a", "column_keys= takes columns with their keys"},
        {"column_keys=a=", "a key is missing"},
        {"column_keys==k", "a column is missing"},
        {"column_keys=a=b=c", "stands in double quotes"},
        {"column_keys=a=k;a=j", "a is there twice"},
        {"column_keys=\"a=k", "column_keys= takes columns with their keys"},
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(pairs); i++) {
        Named n;

        CHECK_FAILS(all(t, &n, pairs[i][0]), PQ_USAGE, pairs[i][1]);
        pq_arena_free(&n.arena);
    }
}

TEST(key_names, a_key_is_no_name_unless_one_is_called_so)
{
    static const uint8_t bytes[16] = {0};
    PqKeyRing *ring;
    Named n;

    CHECK_OK(pq_key_ring_new(t->mem, &ring, t->e));
    CHECK_OK(all(t, &n, "footer_key=" KEYHEX));
    n.c.ring = ring;
    CHECK_FAILS(pqsql_key_names_check(&n.c, t->e), PQ_USAGE,
                "footer_key= takes the name of a key, and this looks like");
    CHECK_OK(pq_key_ring_put(ring, KEYHEX, pq_slice(bytes, 16), t->e));
    CHECK_OK(pqsql_key_names_check(&n.c, t->e));
    pq_arena_free(&n.arena);
    CHECK_OK(all(t, &n, "footer_key=kf,column_keys=a=k;b=" KEY64));
    n.c.ring = ring;
    CHECK_FAILS(pqsql_key_names_check(&n.c, t->e), PQ_USAGE, "column_keys=");
    pq_arena_free(&n.arena);
    pq_key_ring_free(ring);
}

TEST(key_names, a_message_loses_what_looks_like_a_key)
{
    static const char *const pairs[][2] = {
        {"footer_key=" KEY64 ": no", "footer_key=...: no"},
        {"'" KEYHEX "' and " KEY64, "'...' and ..."},
        {"column_keys='a=k;b=" KEY64 "'", "column_keys='a=k;b=...'"},
        {"footer_key=kf is no key", "footer_key=kf is no key"},
        {"", ""},
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(pairs); i++) {
        char message[200];

        snprintf(message, sizeof message, "%s", pairs[i][0]);
        pqsql_key_hide(message);
        CHECK_TEXT(message, pairs[i][1]);
    }
}
