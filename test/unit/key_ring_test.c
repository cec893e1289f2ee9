/*
** key_ring_test.c - keys by name, keys out of texts, and which key a choice
** finds.
*/
#include "test/unit/test.h"

#include "core/crypto/key_choice.h"

#define KF "AAECAwQFBgcICQABAgMEBQ=="                    /* of the samples */
#define K32 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static PqSlice bytes_of(char c, size_t n)
{
    static uint8_t bytes[64];

    memset(bytes, c, sizeof bytes);
    return pq_slice(bytes, n);
}

static PqKeyRing *ring_of(Test *t)
{
    PqKeyRing *r = NULL;

    pq_key_ring_new(t->mem, &r, t->e);
    return r;
}

TEST(key_ring, a_key_is_put_found_replaced_and_forgotten)
{
    PqKeyRing *r = ring_of(t);
    PqSlice kf = pq_slice_text("kf");
    uint64_t version;
    PqKey *k;

    CHECK(r && !pq_key_ring_find(r, kf) && !pq_key_ring_at(r, 0));
    CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('a', 16), t->e));
    CHECK_OK(pq_key_ring_put(r, "kg", bytes_of('b', 24), t->e));
    k = pq_key_ring_find(r, kf);
    CHECK(k && pq_key_bits(k) == 128 && k == pq_key_ring_at(r, 0));
    version = pq_key_ring_version(r);
    CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('a', 16), t->e));
    CHECK(pq_key_ring_find(r, kf) == k && pq_key_ring_version(r) == version);
    pq_key_hold(k);
    CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('c', 32), t->e));
    CHECK(pq_key_ring_find(r, kf) != k && pq_key_ring_version(r) != version);
    CHECK(pq_key_is(k, "kf", bytes_of('a', 16)));
    pq_key_release(k);
    version = pq_key_ring_version(r);
    CHECK(pq_key_ring_forget(r, "kf") && !pq_key_ring_forget(r, "kf"));
    CHECK(!pq_key_ring_find(r, kf) && pq_key_ring_version(r) != version);
    CHECK(pq_key_ring_find(r, pq_slice_text("kg")) == pq_key_ring_at(r, 0));
    CHECK(!pq_key_ring_at(r, 1));
    pq_key_ring_free(r);
}

TEST(key_ring, a_key_has_a_name_and_one_of_three_sizes)
{
    PqKeyRing *r = ring_of(t);

    CHECK_FAILS(pq_key_ring_put(r, "", bytes_of('a', 16), t->e), PQ_USAGE,
                "needs a name");
    for (size_t n = 0; n < 40; n++) {
        if (pq_key_size_ok(n)) {
            CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('a', n), t->e));
        } else {
            CHECK_FAILS(pq_key_ring_put(r, "kf", bytes_of('a', n), t->e),
                        PQ_USAGE, "16, 24 or 32");
        }
    }
    pq_key_ring_free(r);
}

TEST(key_ring, versions_tell_rings_apart)
{
    PqKeyRing *a = ring_of(t), *b = ring_of(t);

    CHECK(a && b && pq_key_ring_version(a) != pq_key_ring_version(b));
    pq_key_ring_free(a);
    pq_key_ring_free(b);
}

TEST(key_ring, base64_of_either_alphabet_is_read)
{
    static const struct {
        const char *text;
        size_t      n;
    } good[] = {
        {KF, 16}, {"AAECAwQFBgcICQABAgMEBQ", 16}, {" \n" KF "\r\n ", 16},
        {K32, 32}, {"-_-_AwQFBgcICQABAgMEBQ==", 16},
        {"+/+/AwQFBgcICQABAgMEBQ==", 16},
        {"AAECAwQFBgcICQABAgMEBQAAAAAAAAAA", 24},
    };
    uint8_t out[PQ_KEY_MOST], other[PQ_KEY_MOST];
    size_t n, m;

    for (size_t i = 0; i < PQ_COUNT(good); i++) {
        CHECK_OK(pq_key_from_base64(pq_slice_text(good[i].text), out, &n,
                                    t->e));
        CHECK_INT(n, good[i].n);
    }
    CHECK_OK(pq_key_from_base64(pq_slice_text(good[4].text), out, &n, t->e));
    CHECK_OK(pq_key_from_base64(pq_slice_text(good[5].text), other, &m, t->e));
    CHECK_BYTES(out, n, other, m);
    CHECK_BYTES(out, 4, "\xfb\xff\xbf\x03", 4);
}

TEST(key_ring, other_texts_are_refused_and_not_repeated)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "this text has 0"}, {"AAEC", "this text has 4"},
        {"000102030405060708090a0b0c0d0e0f", "hexadecimal"},
        {"AAECAwQFBgcICQABAgMEBQ=!", "is not base64"},
        {"AAECAwQFBgcICQ\nBAgMEBQ==", "is not base64"},
        {"AAECAwQFBgcICQABAgMEBQ===", "this text has 25"},
        {"AAECAwQFBgcICQABAgMEB", "this text has 21"},
    };
    uint8_t out[PQ_KEY_MOST];
    size_t n;

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK_INT(pq_key_from_base64(pq_slice_text(bad[i].text), out, &n,
                                     t->e), PQ_USAGE);
        CHECK(!strstr(t->e->text, "AAEC") && !strstr(t->e->text, "0001"));
        CHECK_FAILS(t->e->rc, PQ_USAGE, bad[i].why);
    }
}

/* ---- JSON --------------------------------------------------------------- */

static PqRc put(PqKeyRing *r, const char *json, uint32_t *n, PqErr *e)
{
    return pq_key_ring_put_json(r, pq_slice_text(json), n, e);
}

TEST(key_ring, a_file_of_keys_is_taken_whole_or_not_at_all)
{
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"", "malformed JSON at byte 0"}, {"[]", "no object"},
        {"{\"a\":1}", "no text for it"}, {"{\"a\":{}}", "no text for it"},
        {"{\"\":\"" KF "\"}", "no name"},
        {"{\"a\\u0000\":\"" KF "\"}", "no name"},
        {"{\"a\":\"" KF "\",\"a\":\"" KF "\"}", "key a is there twice"},
        {"{\"a\":\"" KF "\",\"b\":\"AAEC\"}", "it is key b"},
        {"{\"a\":\"" KF "\",\"b\":" KF "}", "malformed JSON at byte"},
        {"{\"a\":\"" KF "\"} x", "malformed JSON"},
        {"{\"a\":\"" KF "\"", "malformed JSON"},
    };
    PqKeyRing *r = ring_of(t);
    uint64_t version = pq_key_ring_version(r);
    uint32_t n = 9;

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK_INT(put(r, bad[i].json, &n, t->e), PQ_USAGE);
        CHECK(n == 0);
        CHECK(!strstr(t->e->text, KF));
        CHECK_FAILS(t->e->rc, PQ_USAGE, bad[i].why);
        CHECK(!pq_key_ring_at(r, 0) && pq_key_ring_version(r) == version);
    }
    CHECK_OK(put(r, "{}", &n, t->e));
    CHECK_INT(n, 0);
    CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('a', 16), t->e));
    CHECK_OK(put(r, "{\"kf\":\"" KF "\", \"k\\/1\" : "
                    "\"\\/\\/ECAwQFBgcICQABAgMEBQ==\"}", &n, t->e));
    CHECK_INT(n, 2);
    CHECK(pq_key_is(pq_key_ring_at(r, 0), "kf",
                    test_hex(t, "00010203040506070809000102030405")));
    CHECK(pq_key_is(pq_key_ring_at(r, 1), "k/1",
                    test_hex(t, "fff10203040506070809000102030405")));
    pq_key_ring_free(r);
}

TEST(key_ring, every_failing_call_is_reported_and_leaks_nothing)
{
    for (int64_t i = 1; i < 100; i++) {
        PqKeyRing *r = NULL;
        uint32_t n;
        PqRc rc;

        pq_fault_set(i);
        rc = pq_key_ring_new(t->mem, &r, t->e);
        rc = rc ? rc : put(r, "{\"a\":\"" KF "\",\"b\":\"" K32 "\",\"c\":\""
                              KF "\",\"d\":\"" KF "\",\"\\u0065\":\"" KF "\"}",
                           &n, t->e);
        pq_fault_set(0);
        CHECK(rc == t->e->rc && (rc == PQ_OK || !r || !pq_key_ring_at(r, 0)));
        pq_key_ring_free(r);
        CHECK_INT(pq_mem_used(t->mem), 0);
        if (rc == PQ_OK) {
            CHECK(i > 10);
            return;
        }
        pq_err_clear(t->e);
    }
    CHECK(false);
}

/* ---- a choice ----------------------------------------------------------- */

TEST(key_choice, the_longest_path_wins)
{
    static const PqColumnKeyName columns[] = {
        {"pay", "k1"}, {"pay.amount", "k2"}, {"pay.amount.cents", "k3"},
        {"ssn", "k4"},
    };
    PqKeyChoice c = {.columns = columns, .n_columns = PQ_COUNT(columns)};

    CHECK_TEXT(pq_key_choice_column(&c, "pay.amount.cents"), "k3");
    CHECK_TEXT(pq_key_choice_column(&c, "pay.amount.unit"), "k2");
    CHECK_TEXT(pq_key_choice_column(&c, "pay.amounts"), "k1");
    CHECK_TEXT(pq_key_choice_column(&c, "ssn"), "k4");
    CHECK(!pq_key_choice_column(&c, "payer") && !pq_key_choice_column(&c, "s"));
    CHECK(!pq_key_choice_column(NULL, "ssn"));
    CHECK(pq_key_choice_names(&c) && !pq_key_choice_names(NULL));
    c.n_columns = 0;
    CHECK(!pq_key_choice_names(&c));
}

TEST(key_choice, its_text_changes_with_the_choice_and_the_keys)
{
    static const PqColumnKeyName a[] = {{"x", "k1"}, {"y", "k2"}};
    static const PqColumnKeyName b[] = {{"x", "k12:cy"}};
    PqKeyRing *r = ring_of(t);
    const PqKeyChoice choices[] = {
        {.ring = r}, {.ring = r, .footer_key = "kf"},
        {.ring = r, .aad_prefix = "kf"},
        {.ring = r, .columns = a, .n_columns = 2},
        {.ring = r, .columns = a, .n_columns = 1},
        {.ring = r, .columns = b, .n_columns = 1}, {.ring = NULL},
    };
    enum { N = PQ_COUNT(choices) };
    PqBuf texts[N + 1];

    for (int i = 0; i <= N; i++) {
        pq_buf_init(&texts[i], t->mem, t->e);
        if (i == N) {
            CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('a', 16), t->e));
        }
        pq_key_choice_text(&choices[i % N], &texts[i]);
        CHECK(pq_buf_ok(&texts[i]));
        for (int j = 0; j < i; j++) {
            CHECK(!pq_slice_equal(pq_buf_view(&texts[i]),
                                  pq_buf_view(&texts[j])));
        }
    }
    CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('a', 16), t->e));
    texts[0].n = 0;
    pq_key_choice_text(&choices[0], &texts[0]);
    CHECK(pq_slice_equal(pq_buf_view(&texts[0]), pq_buf_view(&texts[N])));
    for (int i = 0; i <= N; i++) {
        pq_buf_free(&texts[i]);
    }
    pq_key_ring_free(r);
}

TEST(key_choice, a_key_is_named_or_found_by_its_metadata_or_tried)
{
    PqKeyRing *r = ring_of(t);
    PqKeyChoice c = {.ring = r};
    PqSlice none = {NULL, 0};
    PqKeyFound found;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_key_ring_put(r, "kf", bytes_of('a', 16), t->e));
    CHECK_OK(pq_key_find(&c, "kf", pq_slice_text("k1"), NULL, t->mem, &a,
                         &found, t->e));
    CHECK(found.key == pq_key_ring_at(r, 0) && !found.try_all);
    pq_key_release(found.key);
    CHECK_OK(pq_key_find(&c, NULL, pq_slice_text("kf"), NULL, t->mem, &a,
                         &found, t->e));
    CHECK(found.key == pq_key_ring_at(r, 0) && !found.try_all);
    pq_key_release(found.key);
    CHECK_OK(pq_key_find(&c, NULL, pq_slice_text("k1"), NULL, t->mem, &a,
                         &found, t->e));
    CHECK(!found.key && !found.try_all);
    CHECK_TEXT(found.wants, "key k1");
    CHECK_OK(pq_key_find(&c, NULL, none, NULL, t->mem, &a, &found, t->e));
    CHECK(!found.key && found.try_all);
    CHECK_OK(pq_key_find(NULL, NULL, pq_slice_text(KF), NULL, t->mem, &a,
                         &found, t->e));
    CHECK(!found.key && !strstr(found.wants, "AwQF"));
    CHECK_OK(pq_key_find(NULL, NULL, pq_slice("\1\2\0\xff", 4), NULL, t->mem,
                         &a, &found, t->e));
    CHECK_TEXT(found.wants, "a key that the file describes in bytes");
    pq_arena_free(&a);
    pq_key_ring_free(r);
}
