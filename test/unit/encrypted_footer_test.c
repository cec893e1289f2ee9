/*
** encrypted_footer_test.c - which keys open a file, and what is said if they
** are not at hand.
**
** A file has two columns of INT32: "open", with the lock that a test gives it,
** and "own", with a key of its own.  Each has one page, which holds 7.
*/
#define _GNU_SOURCE
#include "core/files/engine.h"
#include "test/unit/made_chunk.h"

#include <stdlib.h>
#include <unistd.h>

enum { PREFIX = 6 };                 /* "tester" */

typedef struct Keyed {
    MadeFile    m;
    PqKeyRing  *ring;
    PqKeyChoice keys;
    PqColumnKeyName named;
    PqLock      footer, own;
} Keyed;

/* Sixteen times the letter. */
static PqRc put(Test *t, Keyed *x, const char *name, char letter)
{
    char key[16];

    memset(key, letter, sizeof key);
    return pq_key_ring_put(x->ring, name, pq_slice(key, sizeof key), t->e);
}

static PqKey *held(const Keyed *x, const char *name)
{
    return pq_key_hold(pq_key_ring_find(x->ring, pq_slice_text(name)));
}

static PqRc begin(Test *t, Keyed *x)
{
    PqSchemaElement el[3] = {made_group("root", 0, 2, -1),
                             made_leaf("open", PQ_REQUIRED, PQ_INT32),
                             made_leaf("own", PQ_REQUIRED, PQ_INT32)};

    memset(x, 0, sizeof *x);
    made_begin(t, &x->m, el, 3);
    PQ_TRY(pq_key_ring_new(t->mem, &x->ring, t->e));
    PQ_TRY(put(t, x, "kf", 'f'));
    PQ_TRY(put(t, x, "k1", '1'));
    x->footer = (PqLock){.key = held(x, "kf"), .aad = {
        (const uint8_t *)"tester12345678", PREFIX + 8}};
    x->own = x->footer;
    x->own.key = held(x, "k1");
    x->keys.ring = x->ring;
    x->m.seal = (MadeSeal){.footer = &x->footer, .keys = &x->keys,
                           .prefix = PREFIX};
    return PQ_OK;
}

static void put_columns(Keyed *x, const PqLock *open)
{
    static const int32_t seven = 7;

    for (int i = 0; i < 2; i++) {
        x->m.lock = i ? &x->own : open;
        made_chunk(&x->m, PQ_INT32, 0, 0);
        made_page_v1(&x->m, 1, NULL, NULL, PQ_ENCODING_PLAIN, &seven, 4);
    }
}

static PqRc write_file(Test *t, Keyed *x, const PqLock *open)
{
    put_columns(x, open);
    made_footer(&x->m, 1, NULL);
    PQ_TRY(pq_source_open_memory(t->mem, "made.parquet",
                                 pq_buf_view(&x->m.bytes), &x->m.source,
                                 t->e));
    x->m.in.source = x->m.source;
    return PQ_OK;
}

static PqRc reopen(Test *t, Keyed *x)
{
    pq_footer_release(x->m.footer);
    x->m.footer = NULL;
    return pq_footer_read(&x->m.in, &x->keys, t->mem, &x->m.footer, t->e);
}

static PqRc chunk(Test *t, Keyed *x, uint32_t leaf)
{
    PqColumnChunk c;
    PqArena a;
    PqRc rc;

    pq_arena_init(&a, t->mem);
    rc = pq_footer_chunk(x->m.footer, 0, leaf, &a, &c, t->e);
    pq_arena_free(&a);
    return rc;
}

static void end(Test *t, Keyed *x)
{
    pq_where_reset(t->e);
    made_free(&x->m);
    pq_key_release(x->footer.key);
    pq_key_release(x->own.key);
    pq_key_ring_free(x->ring);
}

/* Writes a file; sealed, unless `is_signed`. */
static PqRc make(Test *t, Keyed *x, bool is_signed)
{
    PQ_TRY(begin(t, x));
    x->m.seal.is_signed = is_signed;
    return write_file(t, x, &x->footer);
}

/* ---- keys that are missing, or wrong ----------------------------------------- */

TEST(encrypted_footer, without_its_key_a_sealed_footer_says_which_one)
{
    Keyed x;

    CHECK_OK(make(t, &x, false));
    CHECK_OK(reopen(t, &x));
    CHECK(pq_key_ring_forget(x.ring, "kf"));
    CHECK_FAILS(reopen(t, &x), PQ_UNSUPPORTED,
                "made.parquet: the footer is encrypted with key kf, which is "
                "not at hand");
    CHECK(reopen(t, &x) == PQ_UNSUPPORTED &&
          strstr(t->e->text, "SELECT parquet_key_file('kf', 'FILE')"));
    pq_err_clear(t->e);
    CHECK_OK(put(t, &x, "kf", 'x'));
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "does not authenticate with key kf");
    CHECK_FAILS(pq_footer_read(&x.m.in, NULL, t->mem, &x.m.footer, t->e),
                PQ_UNSUPPORTED, "the footer is encrypted");
    end(t, &x);
}

TEST(encrypted_footer, a_column_without_its_key_is_named_when_it_is_read)
{
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        Keyed x;

        CHECK_OK(make(t, &x, is_signed));
        CHECK(pq_key_ring_forget(x.ring, "k1"));
        CHECK_OK(reopen(t, &x));
        CHECK_OK(chunk(t, &x, 0));
        CHECK_FAILS(chunk(t, &x, 1), PQ_UNSUPPORTED,
                    "column own: the column is encrypted with key k1, which is "
                    "not at hand");
        CHECK_OK(put(t, &x, "k1", 'x'));
        CHECK_OK(reopen(t, &x));
        CHECK_FAILS(chunk(t, &x, 1), PQ_CORRUPT,
                    "column own: the column metadata does not authenticate "
                    "with key k1");
        end(t, &x);
    }
}

TEST(encrypted_footer, a_name_goes_before_the_one_in_the_file)
{
    Keyed x;

    CHECK_OK(make(t, &x, false));
    CHECK_OK(put(t, &x, "mine", 'f'));
    CHECK_OK(put(t, &x, "his", '1'));
    CHECK(pq_key_ring_forget(x.ring, "kf"));
    x.named = (PqColumnKeyName){"own", "his"};
    x.keys = (PqKeyChoice){.ring = x.ring, .footer_key = "mine",
                           .columns = &x.named, .n_columns = 1};
    CHECK_OK(reopen(t, &x));
    CHECK_OK(chunk(t, &x, 1));
    x.keys.footer_key = "none";
    CHECK_FAILS(reopen(t, &x), PQ_UNSUPPORTED, "with key none");
    x.keys.footer_key = "mine";
    x.named.key = "mine";
    CHECK_OK(reopen(t, &x));
    CHECK_FAILS(chunk(t, &x, 1), PQ_CORRUPT, "with key mine");
    end(t, &x);
}

TEST(encrypted_footer, without_names_each_key_is_tried)
{
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        Keyed x;

        CHECK_OK(begin(t, &x));
        CHECK_OK(put(t, &x, "a", 'a'));
        x.m.seal.no_names = true;
        x.m.seal.is_signed = is_signed;
        CHECK_OK(write_file(t, &x, NULL));
        CHECK_OK(reopen(t, &x));
        CHECK(x.m.footer->locks->verified);
        CHECK_OK(chunk(t, &x, 1));
        CHECK(pq_key_ring_forget(x.ring, "k1"));
        CHECK_OK(reopen(t, &x));
        CHECK_FAILS(chunk(t, &x, 1), PQ_UNSUPPORTED, "does not name");
        CHECK(pq_key_ring_forget(x.ring, "kf"));
        if (is_signed) {
            CHECK_OK(reopen(t, &x));
            CHECK(!x.m.footer->locks->verified);
        } else {
            CHECK_FAILS(reopen(t, &x), PQ_UNSUPPORTED, "no key at hand opens");
        }
        end(t, &x);
    }
}

/* ---- signatures ---------------------------------------------------------------- */

/* Changes a number of rows in a signed footer from 1 to 2.  Fields are "16 02",
** or "26 02" two fields further on. */
static void lie_about_rows(Keyed *x)
{
    uint8_t *p = x->m.bytes.p + x->m.bytes.n - 8 - PQ_SIGNATURE_BYTES;

    while (memcmp(--p, "\x26\x02", 2) != 0 && memcmp(p, "\x16\x02", 2) != 0) {
    }
    p[1] = 4;
}

TEST(encrypted_footer, a_signature_must_fit_if_the_key_is_at_hand)
{
    Keyed x;

    CHECK_OK(begin(t, &x));
    x.m.seal.is_signed = true;
    CHECK_OK(write_file(t, &x, NULL));
    CHECK_OK(reopen(t, &x));
    CHECK(x.m.footer->locks->verified);
    lie_about_rows(&x);
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "the footer does not authenticate");
    CHECK(pq_key_ring_forget(x.ring, "kf"));     /* a legacy reader */
    CHECK_OK(reopen(t, &x));
    CHECK(!x.m.footer->locks->verified);
    CHECK_OK(chunk(t, &x, 0));
    x.keys.footer_key = "kf";
    CHECK_FAILS(reopen(t, &x), PQ_UNSUPPORTED,
                "the footer is signed with key kf, which is not at hand");
    end(t, &x);
}

TEST(encrypted_footer, a_column_tells_the_key_of_a_signature_that_fits_none)
{
    Keyed x;

    CHECK_OK(begin(t, &x));
    x.m.seal.is_signed = x.m.seal.no_names = true;
    CHECK_OK(write_file(t, &x, &x.footer));
    CHECK_OK(reopen(t, &x));
    lie_about_rows(&x);
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "the footer does not authenticate");
    end(t, &x);
}

TEST(encrypted_footer, a_signature_without_a_word_about_encryption_is_damage)
{
    Keyed x;
    uint8_t *p;

    CHECK_OK(make(t, &x, true));
    p = x.m.bytes.p + x.m.bytes.n - 8 - PQ_SIGNATURE_BYTES;
    CHECK_OK(reopen(t, &x));
    while ((p[0] & 15) != 12 || (p[1] & 15) != 12) {
        p--;                         /* a struct that begins with a struct */
    }
    p[0] = 0;                        /* the struct ends before the field */
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "says nothing of encryption");
    end(t, &x);
}

/* ---- prefixes -------------------------------------------------------------------- */

TEST(encrypted_footer, an_aad_prefix_must_be_the_one_that_is_stored)
{
    Keyed x;

    CHECK_OK(make(t, &x, false));
    x.keys.aad_prefix = "tester";
    CHECK_OK(reopen(t, &x));
    x.keys.aad_prefix = "other";
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "another AAD prefix");
    end(t, &x);
}

TEST(encrypted_footer, an_aad_prefix_that_is_not_stored_has_to_be_given)
{
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        Keyed x;

        CHECK_OK(begin(t, &x));
        x.m.seal.hides_prefix = true;
        x.m.seal.is_signed = is_signed;
        CHECK_OK(write_file(t, &x, &x.footer));
        CHECK_FAILS(reopen(t, &x), PQ_UNSUPPORTED, "aad_prefix= gives it");
        x.keys.aad_prefix = "other!";
        CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "does not authenticate");
        x.keys.aad_prefix = "tester";
        CHECK_OK(reopen(t, &x));
        CHECK_OK(chunk(t, &x, 1));
        end(t, &x);
    }
}

TEST(encrypted_footer, an_aad_prefix_for_a_file_without_one_is_an_error)
{
    Keyed x;

    CHECK_OK(begin(t, &x));
    x.m.seal.prefix = 0;
    x.footer.aad = x.own.aad = pq_slice(x.footer.aad.p + PREFIX, 8);
    CHECK_OK(write_file(t, &x, &x.footer));
    CHECK_OK(reopen(t, &x));
    x.keys.aad_prefix = "tester";
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "has no AAD prefix");
    end(t, &x);
    CHECK_OK(begin(t, &x));          /* this file had a prefix */
    x.m.seal.prefix = 0;
    CHECK_OK(write_file(t, &x, &x.footer));
    CHECK_OK(reopen(t, &x));
    x.keys.aad_prefix = "other";
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "14 unique bytes");
    end(t, &x);
}

/* ---- files that are not what they should be ---------------------------------------- */

TEST(encrypted_footer, a_file_in_the_clear_is_not_read_with_names_of_keys)
{
    Keyed x;

    CHECK_OK(begin(t, &x));
    x.m.seal.footer = NULL;
    x.own.key = NULL;                /* end lets go of it */
    pq_key_release(pq_key_ring_find(x.ring, pq_slice_text("k1")));
    x.m.lock = NULL;
    made_chunk(&x.m, PQ_INT32, 0, 0);
    made_chunk(&x.m, PQ_INT32, 0, 0);
    made_footer(&x.m, 0, NULL);
    CHECK_OK(pq_source_open_memory(t->mem, "made.parquet",
                                   pq_buf_view(&x.m.bytes), &x.m.source,
                                   t->e));
    x.m.in.source = x.m.source;
    CHECK_OK(reopen(t, &x));
    CHECK(pq_footer_is_for(x.m.footer, &x.keys));
    x.keys.footer_key = "kf";
    CHECK(!pq_footer_is_for(x.m.footer, &x.keys));
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT, "someone may have replaced it");
    end(t, &x);
}

TEST(encrypted_footer, a_column_in_the_clear_is_not_read_with_a_key_named_for_it)
{
    Keyed x;

    CHECK_OK(begin(t, &x));
    CHECK_OK(write_file(t, &x, NULL));
    x.named = (PqColumnKeyName){"open", "k1"};
    x.keys.columns = &x.named;
    x.keys.n_columns = 1;
    CHECK_FAILS(reopen(t, &x), PQ_CORRUPT,
                "column open: column_keys= names a key of the column");
    x.named.column = "own";
    CHECK_OK(reopen(t, &x));
    end(t, &x);
}

TEST(encrypted_footer, metadata_of_an_encrypted_column_are_not_believed_unsealed)
{
    Keyed x;

    CHECK_OK(begin(t, &x));
    put_columns(&x, NULL);
    x.m.seal.is_signed = true;
    x.m.chunk[1].lock = NULL;        /* is written as if it were plain */
    made_footer(&x.m, 1, NULL);
    CHECK_OK(pq_source_open_memory(t->mem, "made.parquet",
                                   pq_buf_view(&x.m.bytes), &x.m.source,
                                   t->e));
    x.m.in.source = x.m.source;
    CHECK_OK(reopen(t, &x));
    CHECK_FAILS(chunk(t, &x, 1), PQ_CORRUPT, "its metadata is not");
    end(t, &x);
}

TEST(encrypted_footer, an_encrypted_column_in_another_file_is_refused)
{
    Keyed x;

    CHECK_OK(begin(t, &x));
    put_columns(&x, NULL);
    made_footer(&x.m, 1, "part.parquet");
    CHECK_OK(pq_source_open_memory(t->mem, "_metadata",
                                   pq_buf_view(&x.m.bytes), &x.m.source,
                                   t->e));
    x.m.in.source = x.m.source;
    CHECK_OK(reopen(t, &x));
    CHECK_OK(chunk(t, &x, 0));
    CHECK_FAILS(chunk(t, &x, 1), PQ_UNSUPPORTED, "lies in another file");
    end(t, &x);
}

/* ---- the cache --------------------------------------------------------------------- */

TEST(encrypted_footer, a_footer_is_for_the_keys_it_was_opened_with)
{
    PqKeyChoice other;
    Keyed x;

    CHECK_OK(make(t, &x, false));
    CHECK_OK(reopen(t, &x));
    other = x.keys;
    CHECK(pq_footer_is_for(x.m.footer, &other));
    other.footer_key = "kf";
    CHECK(!pq_footer_is_for(x.m.footer, &other));
    CHECK(!pq_footer_is_for(x.m.footer, NULL));
    CHECK_OK(put(t, &x, "k3", '3'));
    CHECK(!pq_footer_is_for(x.m.footer, &x.keys));
    end(t, &x);
}

/* Opens the file by the engine's own keys; returns the footer, not held. */
static PqRc by_engine(Test *t, PqEngine *g, const char *path,
                      const PqFooter **out)
{
    PqListing l = {.n_files = 0};
    PqFooter *f = NULL;
    PqRc rc = pq_engine_footer(g, &l, path, &f, t->e);

    *out = f;
    pq_footer_release(f);
    return rc;
}

static PqRc engine_put(Test *t, PqEngine *g, const char *name, char letter)
{
    Keyed x = {.ring = g->keys};

    return put(t, &x, name, letter);
}

TEST(encrypted_footer, the_cache_gives_no_footer_of_a_key_that_was_forgotten)
{
    char path[] = "/tmp/pq-locks-XXXXXX";
    const PqFooter *first = NULL, *again = NULL, *none = NULL;
    PqRc opened, reopened, refused;
    PqEngine *g = NULL;
    Keyed x;
    int fd;

    CHECK_OK(make(t, &x, false));
    fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, x.m.bytes.p, x.m.bytes.n) ==
                         (ssize_t)x.m.bytes.n);
    close(fd);
    CHECK_OK(pq_engine_new(&g, t->e));
    CHECK_OK(engine_put(t, g, "kf", 'f'));
    opened = by_engine(t, g, path, &first);
    reopened = by_engine(t, g, path, &again);
    pq_key_ring_forget(g->keys, "kf");
    refused = by_engine(t, g, path, &none);
    unlink(path);
    pq_err_clear(t->e);
    pq_engine_free(g);
    end(t, &x);
    CHECK_INT(opened, PQ_OK);
    CHECK_INT(reopened, PQ_OK);
    CHECK(first == again);
    CHECK_INT(refused, PQ_UNSUPPORTED);
}
