/*
** key_material_test.c - wrapped keys: made here as parquet-java makes them, and
** those of an official sample file.
*/
#include "test/unit/test.h"

#include "core/crypto/key_wrap.h"
#include "test/unit/folder_tree.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct Wrapped {
    PqKeyRing  *ring;
    PqKeyChoice choice;
    PqArena     a;
    char        dek[128];            /* wrapped once with master key "m" */
    char        kek[128];            /* likewise                         */
    char        twice[128];          /* the data key wrapped with kek    */
} Wrapped;

static const uint8_t dek_bytes[32] = "the data key, which has 32 bytes";
static const uint8_t kek_bytes[17] = "a KEK of 16 bytes";

static void to_base64(const uint8_t *p, size_t n, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits = (uint32_t)p[i] << 16 |
                        (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
                        (i + 2 < n ? p[i + 2] : 0);
        for (int d = 0; d < 4; d++) {
            *to++ = i + (size_t)d > n ? '=' : digits[bits >> (18 - 6 * d) & 63];
        }
    }
    *to = 0;
}

static bool wrap(PqKey *k, PqSlice id, PqSlice bytes, char *to, PqErr *e)
{
    uint8_t made[60] = "no secret..";
    PqAad aad = {id, {NULL, 0}};

    if (pq_key_gcm_seal(k, made, aad, bytes.p, bytes.n, made + 12,
                        made + 12 + bytes.n, e) != PQ_OK) {
        return false;
    }
    to_base64(made, bytes.n + 28, to);
    return true;
}

static bool begin(Test *t, Wrapped *w)
{
    PqSlice id = pq_slice_text("m");
    PqKey *kek = NULL;
    bool ok;

    *w = (Wrapped){.ring = NULL};
    pq_arena_init(&w->a, t->mem);
    ok = pq_key_ring_new(t->mem, &w->ring, t->e) == PQ_OK &&
         pq_key_ring_put(w->ring, "m", pq_slice("the master key..", 16),
                         t->e) == PQ_OK &&
         pq_key_new(t->mem, "kek", pq_slice(kek_bytes, 16), &kek,
                    t->e) == PQ_OK &&
         wrap(pq_key_ring_at(w->ring, 0), id, pq_slice(dek_bytes, 32), w->dek,
              t->e) &&
         wrap(pq_key_ring_at(w->ring, 0), id, pq_slice(kek_bytes, 16), w->kek,
              t->e) &&
         wrap(kek, pq_slice_text("0123456789abcdef"), pq_slice(dek_bytes, 32),
              w->twice, t->e);
    pq_key_release(kek);
    w->choice.ring = w->ring;
    return ok;
}

static void end(Wrapped *w)
{
    pq_arena_free(&w->a);
    pq_key_ring_free(w->ring);
}

#define ONCE "{\"keyMaterialType\":\"PKMT1\",\"internalStorage\":true,"    \
    "\"isFooterKey\":true,\"kmsInstanceID\":\"DEFAULT\",\"kmsInstanceURL\":" \
    "\"DEFAULT\",\"masterKeyID\":\"m\",\"wrappedDEK\":\"%s\","             \
    "\"doubleWrapping\":false}"
#define LOCAL "{\"keyMaterialType\":\"PKMT1\",\"internalStorage\":true,"   \
    "\"masterKeyID\":\"m\",\"doubleWrapping\":false,\"wrappedDEK\":"       \
    "\"{\\\"masterKeyVersion\\\":\\\"NO_VERSION\\\",\\\"encryptedKey\\\":" \
    "\\\"%s\\\"}\"}"
#define TWICE "{\"keyMaterialType\":\"PKMT1\",\"internalStorage\":true,"   \
    "\"masterKeyID\":\"m\",\"doubleWrapping\":true,\"keyEncryptionKeyID\":" \
    "\"MDEyMzQ1Njc4OWFiY2RlZg==\",\"wrappedKEK\":\"%s\",\"wrappedDEK\":"   \
    "\"%s\"}"

static PqRc find(Wrapped *w, const char *named, const char *metadata,
                 const char *path, PqKeyFound *out, Test *t)
{
    PqSource *source = NULL;
    PqRc rc = path && access(path, F_OK) == 0
                  ? pq_source_open(t->mem, path, &source, t->e) : PQ_OK;

    *out = (PqKeyFound){NULL, false, NULL};
    if (rc == PQ_OK) {
        pq_key_material_doubt(w->ring);
        rc = pq_key_find(&w->choice, named, pq_slice_text(metadata), source, t->mem,
                         &w->a, out, t->e);
    }
    pq_source_close(source);
    return rc;
}

static bool is_dek(PqKeyFound *found)
{
    bool is = found->key && pq_key_is(found->key, "m", pq_slice(dek_bytes, 32));

    pq_key_release(found->key);
    found->key = NULL;
    return is;
}

TEST(key_material, keys_wrapped_once_or_twice_are_unwrapped)
{
    char metadata[1024];
    PqKeyFound found;
    Wrapped w;

    CHECK(begin(t, &w));
    snprintf(metadata, sizeof metadata, ONCE, w.dek);
    CHECK_OK(find(&w, NULL, metadata, NULL, &found, t));
    CHECK(is_dek(&found));
    CHECK_OK(find(&w, "m", metadata, NULL, &found, t));
    CHECK(is_dek(&found));
    snprintf(metadata, sizeof metadata, LOCAL, w.dek);
    CHECK_OK(find(&w, NULL, metadata, NULL, &found, t));
    CHECK(is_dek(&found));
    snprintf(metadata, sizeof metadata, TWICE, w.kek, w.twice);
    CHECK_OK(find(&w, NULL, metadata, NULL, &found, t));
    CHECK(is_dek(&found));
    end(&w);
}

TEST(key_material, another_name_of_the_user_goes_first)
{
    char metadata[1024];
    PqKeyFound found;
    Wrapped w;

    CHECK(begin(t, &w));
    CHECK_OK(pq_key_ring_put(w.ring, "mine", pq_slice(dek_bytes, 16), t->e));
    snprintf(metadata, sizeof metadata, ONCE, w.dek);
    CHECK_OK(find(&w, "mine", metadata, NULL, &found, t));
    CHECK(found.key == pq_key_ring_at(w.ring, 1));
    pq_key_release(found.key);
    CHECK_OK(find(&w, "yours", metadata, NULL, &found, t));
    CHECK(!found.key);
    CHECK_TEXT(found.wants, "key yours");
    end(&w);
}

TEST(key_material, without_its_master_key_the_message_names_that)
{
    char metadata[1024];
    PqKeyFound found;
    Wrapped w;

    CHECK(begin(t, &w));
    snprintf(metadata, sizeof metadata, ONCE, w.dek);
    CHECK(pq_key_ring_forget(w.ring, "m"));
    CHECK_OK(find(&w, NULL, metadata, NULL, &found, t));
    CHECK(!found.key && !found.try_all);
    CHECK_TEXT(found.wants, "key m");
    CHECK_OK(pq_key_find(NULL, NULL, pq_slice_text(metadata), NULL, t->mem,
                         &w.a, &found, t->e));
    CHECK(!found.key && !found.try_all);
    CHECK_TEXT(found.wants, "key m");
    end(&w);
}

TEST(key_material, what_only_a_service_can_unwrap_is_not_at_hand)
{
    static const char *const foreign[] = {
        "vault:v1:abcdef", "", "AAEC",
        "{\\\"masterKeyVersion\\\":\\\"7\\\",\\\"encryptedKey\\\":\\\"AAEC\\\"}",
        "{\\\"encryptedKey\\\":\\\"AAEC\\\"}", "{}",
    };
    char metadata[1024];
    PqKeyFound found;
    Wrapped w;

    CHECK(begin(t, &w));
    for (size_t i = 0; i < PQ_COUNT(foreign); i++) {
        snprintf(metadata, sizeof metadata, ONCE, foreign[i]);
        CHECK_OK(find(&w, NULL, metadata, NULL, &found, t));
        CHECK(!found.key && strstr(found.wants, "in a way of its own"));
    }
    end(&w);
}

TEST(key_material, damaged_material_is_an_error_without_its_text)
{
#define TYPE "\"keyMaterialType\":\"PKMT1\""
#define IN TYPE ",\"internalStorage\":true"
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"{" TYPE, "malformed JSON at byte"},
        {"{" TYPE "}", "internalStorage is missing"},
        {"{" TYPE ",\"internalStorage\":\"yes\"}", "is not true or false"},
        {"{" TYPE ",\"internalStorage\":false}", "keyReference is missing"},
        {"{" IN "}", "masterKeyID is missing"},
        {"{" IN ",\"masterKeyID\":7}", "masterKeyID is not a text"},
        {"{" IN ",\"masterKeyID\":\"m\",\"masterKeyID\":\"n\"}",
         "masterKeyID is there twice"},
        {"{" IN ",\"masterKeyID\":\"m\",\"wrappedDEK\":\"\"}",
         "doubleWrapping is missing"},
        {"{" IN ",\"masterKeyID\":\"m\",\"wrappedDEK\":\"\",\"doubleWrapping\""
         ":true}", "keyEncryptionKeyID is missing"},
        {"{" IN ",\"x\":{}}", "an object within an object"},
        {"{\"keyMaterialType\":\"PKMT2\",\"internalStorage\":true}",
         "keyMaterialType is not PKMT1"},
    };
    PqKeyFound found;
    Wrapped w;

    CHECK(begin(t, &w));
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK_FAILS(find(&w, NULL, bad[i].json, NULL, &found, t), PQ_CORRUPT,
                    bad[i].why);
        CHECK(!found.key);
    }
    CHECK_OK(find(&w, NULL, "{just a name}", NULL, &found, t));
    CHECK_TEXT(found.wants, "key {just a name}");
    end(&w);
}

TEST(key_material, each_flipped_bit_of_a_wrapped_key_fails)
{
    char metadata[1024];
    PqKeyFound found;
    Wrapped w;

    CHECK(begin(t, &w));
    for (int which = 0; which < 3; which++) {
        char *text = which == 0 ? w.dek : which == 1 ? w.kek : w.twice;

        for (size_t i = 0; i < strlen(text) - 4; i++) {
            char was = text[i];

            text[i] = was == 'A' ? 'B' : 'A';
            if (which) {
                snprintf(metadata, sizeof metadata, TWICE, w.kek, w.twice);
            } else {
                snprintf(metadata, sizeof metadata, ONCE, w.dek);
            }
            text[i] = was;
            CHECK_INT(find(&w, NULL, metadata, NULL, &found, t), PQ_CORRUPT);
            CHECK(!found.key && !strstr(t->e->text, text + i));
            CHECK_FAILS(t->e->rc, PQ_CORRUPT,
                        "does not authenticate with key m");
        }
    }
    end(&w);
}

/* ---- the file beside ---------------------------------------------------- */

#define REFERS "{\"keyMaterialType\":\"PKMT1\",\"internalStorage\":false," \
    "\"keyReference\":\"%s\"}"

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

TEST(key_material, a_reference_is_looked_up_beside_the_file)
{
    static const char *const bad[][2] = {
        {"[]", "not an object"}, {"{\"a\":1}", "a reference without text"},
        {"{\"a\":\"x\",\"a\":\"y\"}", "a reference is there twice"},
        {"{\"a\":\"x\"} x", "malformed JSON"}, {"", "malformed JSON"},
        {"{\"columnKey7\":\"[]\"}", "not an object"},
        {"{}", "no key material of the name"},
    };
    char metadata[1024], file[2048];
    PqKeyFound found;
    FolderTree tree;
    Wrapped w;

    tree_begin(&tree, "d/x.parquet:data");
    CHECK(begin(t, &w));
    snprintf(metadata, sizeof metadata, REFERS, "columnKey7");
    CHECK_OK(find(&w, NULL, metadata, "d/x.parquet", &found, t));
    CHECK(!found.key);
    CHECK_TEXT(found.wants, "a key that the missing file "
                            "d/_KEY_MATERIAL_FOR_x.parquet.json describes");
    snprintf(file, sizeof file, "{\"footerKey\":\"\",\"columnKey7\":"
             "\"{\\\"keyMaterialType\\\":\\\"PKMT1\\\",\\\"masterKeyID\\\":"
             "\\\"m\\\",\\\"doubleWrapping\\\":false,\\\"wrappedDEK\\\":"
             "\\\"%s\\\"}\"}", w.dek);
    write_text("d/_KEY_MATERIAL_FOR_x.parquet.json", file);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(find(&w, NULL, metadata, "d/x.parquet", &found, t));
        CHECK(is_dek(&found));
    }
    snprintf(metadata, sizeof metadata, REFERS, "../d/x");
    CHECK_FAILS(find(&w, NULL, metadata, "d/x.parquet", &found, t), PQ_CORRUPT,
                "no key material of the name");
    snprintf(metadata, sizeof metadata, REFERS, "columnKey7");
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        write_text("d/_KEY_MATERIAL_FOR_x.parquet.json", bad[i][0]);
        CHECK_FAILS(find(&w, NULL, metadata, "d/x.parquet", &found, t),
                    PQ_CORRUPT, bad[i][1]);
    }
    write_text("d/_KEY_MATERIAL_FOR_x.parquet.json", file);
    CHECK_OK(find(&w, NULL, metadata, "d/x.parquet", &found, t));
    CHECK(is_dek(&found));
    end(&w);
    tree_end(&tree);
}

TEST(key_material, a_large_file_beside_is_not_read)
{
    char metadata[1024];
    PqKeyFound found;
    FolderTree tree;
    Wrapped w;
    FILE *f;

    tree_begin(&tree, "x:data");
    CHECK(begin(t, &w));
    snprintf(metadata, sizeof metadata, REFERS, "k");
    f = fopen("_KEY_MATERIAL_FOR_x.json", "w");
    CHECK(f && fseek(f, 4 << 20, SEEK_SET) == 0 && fputc('x', f) == 'x');
    fclose(f);
    CHECK_FAILS(find(&w, NULL, metadata, "x", &found, t), PQ_CORRUPT,
                "more than 4194304 are not read");
    end(&w);
    tree_end(&tree);
}

/* The sample's master keys are texts of digits, as in the tests of Arrow. */
TEST(key_material, that_of_parquet_java_opens_with_its_keys)
{
    static const struct {
        const char *reference, *master, *bytes;
    } keys[] = {
        {"footerKey", "kf", "0123456789012345"},
        {"columnKey0", "kc1", "1234567890123450"},
        {"columnKey1", "kc2", "1234567890123451"},
    };
    const char *root = getenv("PARQUET_TESTING");
    char path[1024], metadata[1024];
    PqKeyFound found;
    Wrapped w;

    snprintf(path, sizeof path,
             "%s/data/external_key_material_java.parquet.encrypted",
             root ? root : "../shared/parquet-testing");
    CHECK(begin(t, &w));
    for (size_t i = 0; i < PQ_COUNT(keys); i++) {
        CHECK_OK(pq_key_ring_put(w.ring, keys[i].master,
                                 pq_slice_text(keys[i].bytes), t->e));
        snprintf(metadata, sizeof metadata, REFERS, keys[i].reference);
        CHECK_OK(find(&w, NULL, metadata, path, &found, t));
        if (!found.key && strstr(found.wants, "describes")) {
            t->skipped = NO_SAMPLES;
            break;
        }
        CHECK(found.key && pq_key_bits(found.key) == 128);
        CHECK_TEXT(pq_key_name(found.key), keys[i].master);
        pq_key_release(found.key);
    }
    end(&w);
}

TEST(key_material, every_failing_call_is_reported_and_leaks_nothing)
{
    char metadata[1024];
    PqKeyFound found;
    FolderTree tree;
    Wrapped w;
    PqRc rc = PQ_NOMEM;

    tree_begin(&tree, "x:data _KEY_MATERIAL_FOR_x.json:{}");
    CHECK(begin(t, &w));
    snprintf(metadata, sizeof metadata, "{\"k\":\"{\\\"keyMaterialType\\\":"
             "\\\"PKMT1\\\",\\\"masterKeyID\\\":\\\"m\\\",\\\"doubleWrapping\\\""
             ":true,\\\"keyEncryptionKeyID\\\":\\\"MDEyMzQ1Njc4OWFiY2RlZg==\\\""
             ",\\\"wrappedKEK\\\":\\\"%s\\\",\\\"wrappedDEK\\\":\\\"%s\\\"}\"}",
             w.kek, w.twice);
    write_text("_KEY_MATERIAL_FOR_x.json", metadata);
    end(&w);
    snprintf(metadata, sizeof metadata, REFERS, "k");
    for (int64_t i = 1; rc != PQ_OK; i++) {
        CHECK(begin(t, &w));
        pq_fault_set(i);
        rc = find(&w, NULL, metadata, "x", &found, t);
        pq_fault_set(0);
        CHECK(rc == t->e->rc && rc != PQ_CORRUPT && is_dek(&found) == !rc);
        end(&w);
        CHECK_INT(pq_mem_used(t->mem), 0);
        CHECK(rc == PQ_OK ? i > 20 : i < 300);
        pq_err_clear(t->e);
    }
    tree_end(&tree);
}

/* ---- wrapping ------------------------------------------------------------ */

/* What the two keys make of the same bytes. */
static bool is_same_key(PqKey *a, PqKey *b)
{
    const uint8_t nonce[PQ_NONCE_BYTES] = "a nonce....", in[16] = "some bytes.....";
    uint8_t one[16], two[16];
    PqErr e;

    pq_err_init(&e);
    return pq_key_ctr(a, nonce, in, 16, one, true, &e) == PQ_OK &&
           pq_key_ctr(b, nonce, in, 16, two, true, &e) == PQ_OK &&
           memcmp(one, two, 16) == 0;
}

TEST(key_material, what_was_wrapped_is_found_again)
{
    static const char master_bytes[] = "a master key of 32 bytes, or less";
    static const unsigned bits[] = {128, 192, 256};

    for (int i = 0; i < 6; i++) {
        PqKeyWrap *w = NULL;
        PqKey *made = NULL, *other = NULL;
        PqSlice metadata, metadata2;
        PqKeyChoice choice = {0};
        PqKeyFound found;
        PqBuf beside;
        PqArena a;

        pq_arena_init(&a, t->mem);
        pq_buf_init(&beside, t->mem, t->e);
        CHECK_OK(pq_key_ring_new(t->mem, &choice.ring, t->e));
        CHECK_OK(pq_key_ring_put(choice.ring, "a \"master\" key",
                                 pq_slice(master_bytes, bits[i / 2] / 8), t->e));
        CHECK_OK(pq_key_wrap_new(t->mem, PQ_MATERIAL_INTERNAL, i % 2, &w, t->e));
        CHECK_OK(pq_key_wrap_make(w, pq_key_ring_at(choice.ring, 0), -1, &a, &beside,
                                  &made, &metadata, t->e));
        CHECK_OK(pq_key_wrap_make(w, pq_key_ring_at(choice.ring, 0), 0, &a, &beside,
                                  &other, &metadata2, t->e));
        CHECK_INT(pq_key_bits(made), bits[i / 2]);
        CHECK(!is_same_key(made, other));
        CHECK(!is_same_key(made, pq_key_ring_at(choice.ring, 0)));
        CHECK_INT(beside.n, 0);
        CHECK_OK(pq_key_find(&choice, NULL, metadata, NULL, t->mem, &a, &found,
                             t->e));
        CHECK(found.key && is_same_key(found.key, made));
        pq_key_release(found.key);
        CHECK_OK(pq_key_find(&choice, NULL, metadata2, NULL, t->mem, &a, &found,
                             t->e));
        CHECK(found.key && is_same_key(found.key, other));
        pq_key_release(found.key);
        pq_key_release(made);
        pq_key_release(other);
        pq_key_wrap_free(w);
        pq_key_ring_free(choice.ring);
        pq_buf_free(&beside);
        pq_arena_free(&a);
    }
}

TEST(key_material, the_file_beside_has_a_name_that_is_known_again)
{
    static const char *const paths[][2] = {
        {"a.parquet", "_KEY_MATERIAL_FOR_a.parquet.json"},
        {"/b/c d/x", "/b/c d/_KEY_MATERIAL_FOR_x.json"},
        {"b/_KEY_MATERIAL_FOR_x.json",
         "b/_KEY_MATERIAL_FOR__KEY_MATERIAL_FOR_x.json.json"},
    };
    static const char *const others[] = {
        "_KEY_MATERIAL_FOR_.json", "_KEY_MATERIAL_FOR_a", "x_KEY_MATERIAL_FOR_a.json",
        "_KEY_MATERIAL_FOR_/a.json", "a.json", "",
    };
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(paths); i++) {
        CHECK_TEXT(pq_key_material_path(paths[i][0], &a, t->e), paths[i][1]);
        CHECK_TEXT(pq_key_material_of(paths[i][1], &a, t->e), paths[i][0]);
    }
    for (size_t i = 0; i < PQ_COUNT(others); i++) {
        CHECK(!pq_key_material_of(others[i], &a, t->e));
    }
    CHECK(t->e->rc == PQ_OK);
    pq_arena_free(&a);
}
