/*
** aes_key_test.c - the ciphers against published vectors; how keys are kept.
**
** GCM: the test cases of "The Galois/Counter Mode of Operation" by McGrew and
** Viega, which NIST validates with.  CTR: NIST SP 800-38A has vectors with
** another counter.  So the keystream is compared with blocks of AES itself, and
** these with a block of that document.
*/
#include "test/unit/test.h"

#include "core/base/secret.h"
#include "core/crypto/aes_key.h"

#include <openssl/evp.h>
#include <pthread.h>

static PqKey *key_with(Test *t, PqSlice bytes)
{
    PqKey *k = NULL;

    pq_key_new(t->mem, "kf", bytes, &k, t->e);
    return k;
}

static PqKey *key_of(Test *t, const char *hex)
{
    return key_with(t, test_hex(t, hex));
}

#define P60                                                         \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" \
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define A20 "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define K16 "feffe9928665731c6d6a8f9467308308"
#define IV12 "cafebabefacedbaddecaf888"
#define Z16 "00000000000000000000000000000000"
#define Z12 "000000000000000000000000"

static const struct {
    const char *key, *nonce, *aad, *plain, *sealed, *tag;
} gcm[] = {
    {Z16, Z12, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
    {Z16, Z12, "", Z16, "0388dace60b6a392f328c2b971b2fe78",
     "ab6e47d42cec13bdf53a67b21257bddf"},
    {K16, IV12, "", P60 "1aafd255",
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
     "4d5c2af327cd64a62cf35abd2ba6fab4"},
    {K16, IV12, A20, P60,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {Z16 "0000000000000000", Z12, "", "", "",
     "cd33b28ac773f74ba00ed1f312572435"},
    {Z16 "0000000000000000", Z12, "", Z16, "98e7247c07f0fe411c267e4384b0f600",
     "2ff58d80033927ab8ef4d4587514f0fb"},
    {K16 "feffe9928665731c", IV12, A20, P60,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
     "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
     "2519498e80f1478f37ba55bd6d27618c"},
    {Z16 Z16, Z12, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {Z16 Z16, Z12, "", Z16, "cea7403d4d606b6e074ec5d3baf39d18",
     "d0d1c8a799996bf0265b98b5d48ab919"},
    {K16 K16, IV12, A20, P60,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
};

TEST(aes_key, gcm_agrees_with_the_published_vectors)
{
    for (size_t i = 0; i < PQ_COUNT(gcm); i++) {
        PqSlice plain = test_hex(t, gcm[i].plain);
        PqSlice sealed = test_hex(t, gcm[i].sealed);
        PqSlice aad = test_hex(t, gcm[i].aad), tag = test_hex(t, gcm[i].tag);
        PqSlice nonce = test_hex(t, gcm[i].nonce);
        PqKey *k = key_of(t, gcm[i].key);
        uint8_t out[64], made[PQ_TAG_BYTES];

        CHECK(k && tag.n == PQ_TAG_BYTES && nonce.n == PQ_NONCE_BYTES);
        for (size_t cut = 0; cut <= aad.n; cut++) {
            PqAad two = {{aad.p, cut}, {aad.p + cut, aad.n - cut}};

            CHECK_OK(pq_key_gcm_seal(k, nonce.p, two, plain.p, plain.n, out,
                                     made, t->e));
            CHECK_BYTES(out, plain.n, sealed.p, sealed.n);
            CHECK_BYTES(made, PQ_TAG_BYTES, tag.p, tag.n);
            CHECK_OK(pq_key_gcm_tag(k, nonce.p, two, plain.p, plain.n, false,
                                    made, t->e));
            CHECK_BYTES(made, PQ_TAG_BYTES, tag.p, tag.n);
            CHECK_OK(pq_key_gcm_open(k, nonce.p, two, out, plain.n, tag.p, out,
                                     t->e));
            CHECK_BYTES(out, plain.n, plain.p, plain.n);
        }
        pq_key_release(k);
    }
}

TEST(aes_key, each_flipped_bit_of_the_tag_or_the_text_fails)
{
    PqKey *k = key_of(t, K16);
    PqSlice sealed = test_hex(t, gcm[3].sealed), tag = test_hex(t, gcm[3].tag);
    PqSlice nonce = test_hex(t, IV12);
    PqAad aad = {test_hex(t, A20), {NULL, 0}};
    uint8_t text[60], own_tag[PQ_TAG_BYTES], out[60];

    CHECK(k && sealed.n == sizeof text);
    memcpy(text, sealed.p, sizeof text);
    memcpy(own_tag, tag.p, sizeof own_tag);
    for (size_t bit = 0; bit < 76 * 8; bit++) {
        uint8_t *p = bit < 60 * 8 ? &text[bit / 8] : &own_tag[bit / 8 - 60];

        *p ^= (uint8_t)(1 << bit % 8);
        memset(out, 1, sizeof out);
        CHECK_FAILS(pq_key_gcm_open(k, nonce.p, aad, text, sizeof text, own_tag,
                                    out, t->e), PQ_CORRUPT, "does not fit");
        for (size_t i = 0; i < sizeof out; i++) {
            CHECK_INT(out[i], 0);
        }
        *p ^= (uint8_t)(1 << bit % 8);
    }
    CHECK_OK(pq_key_gcm_open(k, nonce.p, aad, text, sizeof text, own_tag, out,
                             t->e));
    pq_key_release(k);
}

/* One block of AES: zeros by OpenSSL's CTR, whose first counter is the block.  A release
** has no ECB. */
static bool block(PqSlice key, const uint8_t in[16], uint8_t out[16])
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    static const uint8_t zeros[16];
    int n = 0;
    bool ok = EVP_EncryptInit_ex(ctx,
                                 key.n == 16   ? EVP_aes_128_ctr()
                                 : key.n == 24 ? EVP_aes_192_ctr()
                                               : EVP_aes_256_ctr(),
                                 NULL, key.p, in) == 1 &&
              EVP_EncryptUpdate(ctx, out, &n, zeros, 16) == 1 && n == 16;

    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

TEST(aes_key, ctr_adds_the_blocks_of_nonce_and_counter_from_1_on)
{
    static const char *const keys[] = {
        "2b7e151628aed2a6abf7158809cf4f3c",              /* of SP 800-38A */
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    };
    PqSlice nonce = test_hex(t, "f0f1f2f3f4f5f6f7f8f9fafb");
    enum { BLOCKS = 300, N = BLOCKS * 16 - 5 };
    static uint8_t in[BLOCKS * 16], out[BLOCKS * 16], want[BLOCKS * 16];

    for (size_t i = 0; i < PQ_COUNT(keys); i++) {
        PqSlice bytes = test_hex(t, keys[i]);
        PqKey *k = key_of(t, keys[i]);

        for (int b = 0; b < BLOCKS; b++) {
            uint8_t counter[16] = {0};
            int c = b + 1;

            memcpy(counter, nonce.p, nonce.n);
            counter[14] = (uint8_t)(c >> 8);
            counter[15] = (uint8_t)c;
            CHECK(block(bytes, counter, want + b * 16));
            for (int j = 0; j < 16; j++) {
                in[b * 16 + j] = (uint8_t)(b * 7 + j);
                want[b * 16 + j] ^= in[b * 16 + j];
            }
        }
        CHECK(k);
        CHECK_OK(pq_key_ctr(k, nonce.p, in, N, out, true, t->e));
        CHECK_BYTES(out, N, want, N);
        CHECK_OK(pq_key_ctr(k, nonce.p, out, N, out, false, t->e));
        CHECK_BYTES(out, N, in, N);
        pq_key_release(k);
    }
}

/* SP 800-38A F.5: the last 4 bytes of its counter are fcfdfeff.  Its output
** block shows that block() above is AES. */
TEST(aes_key, the_block_is_that_of_the_published_counters)
{
    uint8_t out[16];

    CHECK(block(test_hex(t, "2b7e151628aed2a6abf7158809cf4f3c"),
                test_hex(t, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff").p, out));
    CHECK_BYTES(out, 16,
                test_hex(t, "ec8cdf7398607cb0f2d21675ea9ea1e4").p, 16);
}

TEST(aes_key, after_2_to_the_32_it_seals_no_more)
{
    PqKey *k = key_of(t, K16);
    PqSlice nonce = test_hex(t, IV12);
    PqAad aad = {{NULL, 0}, {NULL, 0}};
    uint8_t text[4] = {1, 2, 3, 4}, out[4], tag[PQ_TAG_BYTES];

    CHECK(k);
    pq_key_set_sealed(k, (UINT64_C(1) << 32) - 1);
    CHECK_OK(pq_key_gcm_seal(k, nonce.p, aad, text, 4, out, tag, t->e));
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(pq_key_gcm_seal(k, nonce.p, aad, text, 4, out, tag, t->e),
                    PQ_USAGE, "key kf has sealed 2^32 modules");
        CHECK_FAILS(pq_key_ctr(k, nonce.p, text, 4, out, true, t->e), PQ_USAGE,
                    "2^32");
        CHECK_FAILS(pq_key_gcm_tag(k, nonce.p, aad, text, 4, true, tag, t->e),
                    PQ_USAGE, "2^32");
    }
    CHECK_OK(pq_key_ctr(k, nonce.p, text, 4, out, false, t->e));
    CHECK_OK(pq_key_gcm_tag(k, nonce.p, aad, text, 4, false, tag, t->e));
    pq_key_release(k);
}

/* ---- where a key lies --------------------------------------------------- */

static int pages_seen, pages_dirty;

static void watch(const uint8_t *page, size_t n)
{
    pages_seen++;
    for (size_t i = 0; i < n; i++) {
        pages_dirty += page[i] != 0;
    }
}

TEST(aes_key, a_secret_is_wiped_before_its_page_is_unmapped)
{
    PqSlice large = test_hex(t, K16 K16), small = test_hex(t, K16);
    PqKey *keys[100];

    pages_seen = pages_dirty = 0;
    pq_secret_watch(watch);
    for (int i = 0; i < 100; i++) {
        keys[i] = key_with(t, large);
        CHECK(keys[i] && pq_key_is(keys[i], "kf", large));
    }
    for (int i = 0; i < 100; i += 2) {
        pq_key_release(keys[i]);
        keys[i] = key_with(t, small);
    }
    for (int i = 0; i < 100; i++) {
        CHECK(keys[i] && pq_key_is(keys[i], "kf", i % 2 ? large : small));
        pq_key_release(keys[i]);
    }
    pq_secret_watch(NULL);
    CHECK_INT(pages_seen, 2);
    CHECK_INT(pages_dirty, 0);
}

TEST(aes_key, a_secret_is_not_in_core_dumps)
{
    char line[256];
    uint8_t *p = pq_secret_new(t->e);
    FILE *f = fopen("/proc/self/smaps", "r");
    bool here = false, found = false, kept_out = false;

    CHECK(p);
    while (f && fgets(line, sizeof line, f)) {
        unsigned long from, to;

        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            here = (uintptr_t)p >= from && (uintptr_t)p < to;
            found |= here;
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            kept_out = strstr(line, " dd") != NULL;
        }
    }
    if (f) {
        fclose(f);
    }
    pq_secret_free(p);
    CHECK(!found || kept_out);
}

TEST(aes_key, a_name_that_looks_like_a_key_is_not_repeated)
{
    static const char *const keys[] = {
        "000102030405060708090A0b0c0d0e0f",
        "x'000102030405060708090a0b0c0d0e0f'",
        "0x000102030405060708090a0b0c0d0e0f", " AAECAwQFBgcICQoLDA0ODw== ",
        "AAECAwQFBgcICQoLDA0ODw", "__-_AwQFBgcICQoLDA0ODw",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    };
    static const char *const names[] = {"kf", "", "customers", "key of 2024",
                                        "0001020304", "x''", "x'", "0x"};
    char buf[PQ_KEY_WORDS];

    for (size_t i = 0; i < PQ_COUNT(keys); i++) {
        CHECK(pq_key_looks_like_one(pq_slice_text(keys[i])));
        CHECK(!strstr(pq_key_words(pq_slice_text(keys[i]), buf), "AwQF"));
    }
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        CHECK(!pq_key_looks_like_one(pq_slice_text(names[i])));
    }
    CHECK_TEXT(pq_key_words(pq_slice_text("kf"), buf), "key kf");
}

TEST(aes_key, a_message_says_how_to_give_a_key)
{
    static const char *const says[][2] = {
        {"key kf", "no; SELECT parquet_key_file('kf', 'FILE') gives it"},
        {"key of 2024", "no; SELECT parquet_key_file('of 2024', 'FILE') gives it"},
        {"key o'k", "no; SELECT parquet_key_file('NAME', 'FILE') gives a key, "
                    "and footer_key= or column_keys= names it"},
        {"a key", "no; SELECT parquet_key_file('NAME', 'FILE') gives a key, "
                  "and footer_key= or column_keys= names it"},
    };

    for (size_t i = 0; i < PQ_COUNT(says); i++) {
        PqErr e;

        pq_err_init(&e);
        pq_fail(&e, PQ_USAGE, "no");
        pq_key_hint(says[i][0], &e);
        CHECK_TEXT(e.text, says[i][1]);
    }
}

/* ---- threads ------------------------------------------------------------ */

enum { THREADS = 8, ROUNDS = 300 };

static void *work(void *arg)
{
    PqKey *k = pq_key_hold(arg);
    PqAad aad = {{NULL, 0}, {NULL, 0}};
    uint8_t nonce[PQ_NONCE_BYTES] = {0}, text[100], out[100];
    uint8_t tag[PQ_TAG_BYTES];
    uintptr_t bad = 0;
    PqErr e;

    pq_err_init(&e);
    for (int i = 0; i < ROUNDS; i++) {
        memset(text, i, sizeof text);
        nonce[0] = (uint8_t)i;
        bad |= pq_key_gcm_seal(k, nonce, aad, text, sizeof text, out, tag,
                               &e) != PQ_OK;
        bad |= pq_key_gcm_open(k, nonce, aad, out, sizeof out, tag, out,
                               &e) != PQ_OK;
        bad |= memcmp(out, text, sizeof out) != 0;
        tag[0] ^= 1;
        bad |= pq_key_gcm_open(k, nonce, aad, out, sizeof out, tag, out,
                               &e) != PQ_CORRUPT;
        pq_err_clear(&e);
    }
    pq_key_release(k);
    return (void *)bad;
}

TEST(aes_key, threads_share_a_key)
{
    PqKey *k = key_of(t, K16);
    pthread_t threads[THREADS];
    uintptr_t bad = 0;

    CHECK(k);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, k) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *one;

        pthread_join(threads[i], &one);
        bad |= (uintptr_t)one;
    }
    CHECK(bad == 0);
    pq_key_release(k);
}
