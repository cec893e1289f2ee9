/*
** module_test.c - sealed modules: their bytes, their additional data, and that
** nothing else opens them.
**
** The bytes are made by the specification here, and sealed with the bare
** cipher, so that both are compared.
*/
#include "test/unit/test.h"

#include "core/crypto/module.h"

#define BYTES_OF_KEY "0001020304050607 0809000102030405"
#define PREFIX_AND_FILE "7465737465720102030405060708"   /* tester, 1 to 8 */

typedef struct Sealed {
    PqKey   *key;
    PqLock   lock;
    PqModule module;
    PqBuf    out;
} Sealed;

static bool begin(Test *t, Sealed *s, PqModuleKind kind, bool ctr)
{
    *s = (Sealed){.module = {kind, 3, 258, 5, NULL}};
    pq_buf_init(&s->out, t->mem, t->e);
    if (pq_key_new(t->mem, "kf", test_hex(t, BYTES_OF_KEY), &s->key,
                   t->e) != PQ_OK) {
        return false;
    }
    s->lock = (PqLock){.key = s->key, .ctr = ctr,
                       .aad = test_hex(t, PREFIX_AND_FILE)};
    s->module.lock = &s->lock;
    return true;
}

static void end(Sealed *s)
{
    pq_buf_free(&s->out);
    pq_key_release(s->key);
}

static const uint8_t text[] = "the quick brown fox jumps over the lazy dog";
enum { TEXT = sizeof text };

static PqRc unseal(const Sealed *s, PqBuf *scratch, PqSlice *plain, PqErr *e)
{
    size_t used;

    return pq_module_unseal(&s->module, pq_buf_view(&s->out), scratch, plain,
                            &used, e);
}

TEST(module, the_additional_data_are_those_of_the_specification)
{
    static const char *const suffixes[PQ_MODULE_KIND_COUNT] = {
        [PQ_MODULE_FOOTER] = "00",
        [PQ_MODULE_COLUMN_META] = "01 0300 0201",
        [PQ_MODULE_DATA_PAGE] = "02 0300 0201 0500",
        [PQ_MODULE_DICTIONARY_PAGE] = "03 0300 0201",
        [PQ_MODULE_DATA_PAGE_HEADER] = "04 0300 0201 0500",
        [PQ_MODULE_DICTIONARY_PAGE_HEADER] = "05 0300 0201",
        [PQ_MODULE_COLUMN_INDEX] = "06 0300 0201",
        [PQ_MODULE_OFFSET_INDEX] = "07 0300 0201",
        [PQ_MODULE_BLOOM_HEADER] = "08 0300 0201",
        [PQ_MODULE_BLOOM_BITS] = "09 0300 0201",
    };

    for (int kind = 0; kind < PQ_MODULE_KIND_COUNT; kind++) {
        uint8_t out[TEXT];
        PqAad aad;
        Sealed s;

        CHECK(begin(t, &s, (PqModuleKind)kind, false));
        CHECK_OK(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out,
                                t->e));
        CHECK_INT(pq_module_overhead(&s.module), 32);
        CHECK_INT(s.out.n, 4 + 12 + TEXT + 16);
        CHECK_INT(pq_load_u32(s.out.p), 12 + TEXT + 16);
        aad.head = test_hex(t, PREFIX_AND_FILE);
        aad.tail = test_hex(t, suffixes[kind]);
        CHECK_OK(pq_key_gcm_open(s.key, s.out.p + 4, aad, s.out.p + 16, TEXT,
                                 s.out.p + 16 + TEXT, out, t->e));
        CHECK_BYTES(out, TEXT, text, TEXT);
        end(&s);
    }
}

TEST(module, by_ctr_pages_alone_have_no_tag)
{
    for (int kind = 0; kind < PQ_MODULE_KIND_COUNT; kind++) {
        bool page = kind == PQ_MODULE_DATA_PAGE ||
                    kind == PQ_MODULE_DICTIONARY_PAGE;
        uint8_t out[TEXT];
        PqBuf scratch;
        PqSlice plain;
        Sealed s;

        pq_buf_init(&scratch, t->mem, t->e);
        CHECK(begin(t, &s, (PqModuleKind)kind, true));
        CHECK_OK(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out,
                                t->e));
        CHECK_INT(pq_module_overhead(&s.module), page ? 16 : 32);
        CHECK_INT(s.out.n, TEXT + pq_module_overhead(&s.module));
        if (page) {
            CHECK_OK(pq_key_ctr(s.key, s.out.p + 4, s.out.p + 16, TEXT, out,
                                false, t->e));
            CHECK_BYTES(out, TEXT, text, TEXT);
        }
        CHECK_OK(unseal(&s, &scratch, &plain, t->e));
        CHECK_BYTES(plain.p, plain.n, text, TEXT);
        pq_buf_free(&scratch);
        end(&s);
    }
}

TEST(module, what_was_sealed_opens_apart_and_in_place)
{
    for (size_t n = 0; n <= TEXT; n += TEXT) {
        PqBuf scratch;
        PqSlice plain;
        size_t used, size;
        Sealed s;

        pq_buf_init(&scratch, t->mem, t->e);
        CHECK(begin(t, &s, PQ_MODULE_DATA_PAGE, false));
        CHECK_OK(pq_module_seal(&s.module, pq_slice(text, n), &s.out, t->e));
        pq_buf_text(&s.out, "what comes after it");
        CHECK_OK(pq_module_size(&s.module, pq_slice(s.out.p, 4), &size, t->e));
        CHECK_INT(size, n + 32);
        CHECK_OK(pq_module_unseal(&s.module, pq_buf_view(&s.out), &scratch,
                                  &plain, &used, t->e));
        CHECK_INT(used, n + 32);
        CHECK_BYTES(plain.p, plain.n, text, n);
        CHECK_OK(pq_module_unseal_in_place(&s.module, s.out.p, s.out.n, &plain,
                                           &used, t->e));
        CHECK(plain.p >= s.out.p && plain.p + plain.n <= s.out.p + used);
        CHECK_INT(used, n + 32);
        CHECK_BYTES(plain.p, plain.n, text, n);
        pq_buf_free(&scratch);
        end(&s);
    }
}

TEST(module, a_plain_module_is_what_is_there)
{
    PqModule m = {PQ_MODULE_DATA_PAGE, 0, 0, 0, NULL};
    uint8_t own[TEXT];
    size_t used, n;
    PqSlice plain;
    PqBuf out;

    memcpy(own, text, TEXT);
    pq_buf_init(&out, t->mem, t->e);
    CHECK_OK(pq_module_seal(&m, pq_slice(text, TEXT), &out, t->e));
    CHECK_BYTES(out.p, out.n, text, TEXT);
    CHECK_OK(pq_module_size(&m, pq_slice(text, TEXT), &n, t->e));
    CHECK_OK(pq_module_unseal(&m, pq_slice(text, TEXT), &out, &plain, &used,
                              t->e));
    CHECK(n == 0 && used == 0 && plain.p == text && plain.n == TEXT);
    CHECK_OK(pq_module_unseal_in_place(&m, own, TEXT, &plain, &used, t->e));
    CHECK(used == 0 && plain.p == own && plain.n == TEXT);
    CHECK_INT(pq_module_overhead(&m), 0);
    pq_buf_free(&out);
}

#define NOT_AUTHENTIC "the column index does not authenticate with key kf"

TEST(module, each_flipped_bit_fails)
{
    PqBuf scratch;
    PqSlice plain;
    Sealed s;

    pq_buf_init(&scratch, t->mem, t->e);
    CHECK(begin(t, &s, PQ_MODULE_COLUMN_INDEX, false));
    CHECK_OK(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out, t->e));
    for (size_t bit = 32; bit < s.out.n * 8; bit++) {
        s.out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK_FAILS(unseal(&s, &scratch, &plain, t->e), PQ_CORRUPT,
                    NOT_AUTHENTIC);
        CHECK_INT(plain.n, 0);
        for (size_t i = 0; i < scratch.n; i++) {
            CHECK_INT(scratch.p[i], 0);
        }
        s.out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 32; bit++) {              /* of the length */
        s.out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK_INT(unseal(&s, &scratch, &plain, t->e), PQ_CORRUPT);
        pq_err_clear(t->e);
        s.out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK_OK(unseal(&s, &scratch, &plain, t->e));
    pq_buf_free(&scratch);
    end(&s);
}

TEST(module, each_other_place_fails)
{
    const PqModule others[] = {
        {PQ_MODULE_DATA_PAGE, 4, 258, 5, NULL},
        {PQ_MODULE_DATA_PAGE, 3, 257, 5, NULL},
        {PQ_MODULE_DATA_PAGE, 3, 258, 4, NULL},
        {PQ_MODULE_DATA_PAGE_HEADER, 3, 258, 5, NULL},
        {PQ_MODULE_DICTIONARY_PAGE, 3, 258, 5, NULL},
    };
    static const char *const aads[] = {"", "7465737465720102030405060709",
                                       "74657374657201020304050607"};
    PqBuf scratch;
    PqSlice plain;
    Sealed s;

    pq_buf_init(&scratch, t->mem, t->e);
    CHECK(begin(t, &s, PQ_MODULE_DATA_PAGE, false));
    CHECK_OK(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out, t->e));
    for (size_t i = 0; i < PQ_COUNT(others); i++) {
        s.module = others[i];
        s.module.lock = &s.lock;
        CHECK_FAILS(unseal(&s, &scratch, &plain, t->e), PQ_CORRUPT,
                    "does not authenticate");
    }
    s.module = (PqModule){PQ_MODULE_DATA_PAGE, 3, 258, 5, &s.lock};
    for (size_t i = 0; i < PQ_COUNT(aads); i++) {
        s.lock.aad = test_hex(t, aads[i]);
        CHECK_FAILS(unseal(&s, &scratch, &plain, t->e), PQ_CORRUPT,
                    "another key or AAD prefix");
    }
    pq_buf_free(&scratch);
    end(&s);
}

TEST(module, each_truncation_fails)
{
    PqBuf scratch;
    PqSlice plain;
    Sealed s;

    pq_buf_init(&scratch, t->mem, t->e);
    for (int ctr = 0; ctr < 2; ctr++) {
        CHECK(begin(t, &s, PQ_MODULE_DATA_PAGE, ctr));
        CHECK_OK(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out,
                                t->e));
        while (s.out.n--) {
            CHECK_INT(unseal(&s, &scratch, &plain, t->e), PQ_CORRUPT);
            pq_err_clear(t->e);
        }
        end(&s);
    }
    pq_buf_free(&scratch);
}

TEST(module, a_length_is_a_claim)
{
    static const struct {
        const char *bytes;
        bool        ctr;
        const char *why;
    } cases[] = {
        {"", false, "takes 4 bytes, and 0 are there"},
        {"1b000000", false, "claims a length of 27 bytes"},
        {"0b000000", true, "claims a length of 11 bytes"},
        {"00000080", true, "claims a length of 2147483648 bytes"},
        {"ffffffff", false, "claims a length of 4294967295 bytes"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        size_t n = 1;
        Sealed s;

        CHECK(begin(t, &s, PQ_MODULE_DATA_PAGE, cases[i].ctr));
        CHECK_FAILS(pq_module_size(&s.module, test_hex(t, cases[i].bytes), &n,
                                   t->e), PQ_CORRUPT, cases[i].why);
        CHECK_INT(n, 0);
        end(&s);
    }
}

TEST(module, ordinals_have_15_bits)
{
    Sealed s;

    CHECK(begin(t, &s, PQ_MODULE_DATA_PAGE, false));
    s.module.page = PQ_ORDINAL_MOST;
    CHECK_OK(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out, t->e));
    s.module.page++;
    CHECK_FAILS(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out, t->e),
                PQ_USAGE, "page number 32768");
    CHECK_INT(s.out.n, TEXT + 32);
    end(&s);
}

TEST(module, without_its_key_the_message_says_which)
{
    PqLock lock = {.wants = "key k1"};
    PqModule m = {PQ_MODULE_DATA_PAGE, 0, 0, 0, &lock};
    PqSlice plain;
    size_t used;
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    CHECK_FAILS(pq_module_unseal(&m, pq_slice(text, TEXT), &out, &plain, &used,
                                 t->e),
                PQ_UNSUPPORTED, "encrypted with key k1, which is not at hand");
    CHECK_INT(plain.n, 0);
    CHECK_FAILS(pq_module_size(&m, pq_slice(text, TEXT), &used, t->e),
                PQ_UNSUPPORTED, "key k1");
    CHECK_FAILS(pq_module_seal(&m, pq_slice(text, TEXT), &out, t->e),
                PQ_UNSUPPORTED, "key k1");
    CHECK_INT(out.n, 0);
    pq_buf_free(&out);
}

/* QUIRK: DuckDB seals without additional data.  A module is one or the other. */
TEST(module, one_that_is_bound_to_nothing_opens_by_that_lock_only)
{
    uint8_t sealed[TEXT + 32] = {TEXT + 28};
    PqSlice plain;
    PqBuf scratch;
    Sealed s;

    CHECK(begin(t, &s, PQ_MODULE_DATA_PAGE, false));
    pq_buf_init(&scratch, t->mem, t->e);
    CHECK_OK(pq_key_gcm_seal(s.key, sealed + 4, (PqAad){{NULL, 0}, {NULL, 0}},
                             text, TEXT, sealed + 16, sealed + 16 + TEXT,
                             t->e));
    pq_buf_add(&s.out, sealed, sizeof sealed);
    CHECK_FAILS(unseal(&s, &scratch, &plain, t->e), PQ_CORRUPT,
                "does not authenticate");
    s.lock.unbound = true;
    CHECK_OK(unseal(&s, &scratch, &plain, t->e));
    CHECK_BYTES(plain.p, plain.n, text, TEXT);
    s.out.n = 0;
    CHECK_OK(pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out, t->e));
    CHECK_FAILS(unseal(&s, &scratch, &plain, t->e), PQ_CORRUPT,
                "does not authenticate");
    pq_buf_free(&scratch);
    end(&s);
}

TEST(module, a_signature_is_the_tag_of_the_sealed_footer)
{
    enum { FOOTER = 10000 };         /* more than one piece */
    uint8_t *footer = pq_mem_zeros(t->mem, 1, FOOTER, t->e);
    uint8_t signature[PQ_SIGNATURE_BYTES], tag[PQ_TAG_BYTES];
    PqSlice plain = pq_slice(footer, FOOTER);
    uint8_t *sealed = pq_mem_zeros(t->mem, 1, FOOTER, t->e);
    Sealed s;

    CHECK(footer && sealed && begin(t, &s, PQ_MODULE_FOOTER, true));
    CHECK_OK(pq_module_sign(&s.module, plain, signature, t->e));
    CHECK_OK(pq_key_gcm_seal(s.key, signature,
                             (PqAad){s.lock.aad, test_hex(t, "00")}, footer,
                             FOOTER, sealed, tag, t->e));
    CHECK_BYTES(signature + PQ_NONCE_BYTES, PQ_TAG_BYTES, tag, PQ_TAG_BYTES);
    CHECK_OK(pq_module_verify(&s.module, plain, signature, t->e));
    for (int bit = 0; bit < PQ_SIGNATURE_BYTES * 8; bit++) {
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK_FAILS(pq_module_verify(&s.module, plain, signature, t->e),
                    PQ_CORRUPT, "the footer does not authenticate");
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    footer[9999] ^= 1;
    CHECK_FAILS(pq_module_verify(&s.module, plain, signature, t->e), PQ_CORRUPT,
                "the footer does not authenticate");
    pq_mem_free(footer);
    pq_mem_free(sealed);
    end(&s);
}

/* Each call fails once, of OpenSSL too: an error, and never another text. */
static PqRc there_and_back(Test *t, PqModuleKind kind, bool ctr)
{
    uint8_t signature[PQ_SIGNATURE_BYTES];
    PqSlice plain = {NULL, 0};
    PqBuf scratch;
    size_t used;
    Sealed s;
    PqRc rc;

    pq_buf_init(&scratch, t->mem, t->e);
    rc = begin(t, &s, kind, ctr) ? PQ_OK : t->e->rc;
    rc = rc ? rc : pq_module_seal(&s.module, pq_slice(text, TEXT), &s.out,
                                  t->e);
    rc = rc ? rc : unseal(&s, &scratch, &plain, t->e);
    if (rc == PQ_OK && (plain.n != TEXT || memcmp(plain.p, text, TEXT) != 0)) {
        test_fail(t, __FILE__, __LINE__, "another text");
    }
    rc = rc ? rc : pq_module_unseal_in_place(&s.module, s.out.p, s.out.n,
                                             &plain, &used, t->e);
    if (rc == PQ_OK && (plain.n != TEXT || memcmp(plain.p, text, TEXT) != 0)) {
        test_fail(t, __FILE__, __LINE__, "another text");
    }
    rc = rc ? rc : pq_module_sign(&s.module, plain, signature, t->e);
    rc = rc ? rc : pq_module_verify(&s.module, plain, signature, t->e);
    pq_buf_free(&scratch);
    end(&s);
    return rc;
}

TEST(module, every_failing_call_is_reported_and_leaks_nothing)
{
    for (int ctr = 0; ctr < 2; ctr++) {
        PqRc rc = PQ_NOMEM;

        for (int64_t i = 1; rc != PQ_OK; i++) {
            pq_fault_set(i);
            rc = there_and_back(t, PQ_MODULE_DATA_PAGE, ctr);
            pq_fault_set(0);
            CHECK(!t->failed && rc == t->e->rc && rc != PQ_CORRUPT);
            CHECK_INT(pq_mem_used(t->mem), 0);
            CHECK(rc == PQ_OK ? i > 20 : i < 200);
            pq_err_clear(t->e);
        }
    }
}
