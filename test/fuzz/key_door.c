/*
** key_door.c - fuzz door to core/crypto: what strangers say about keys, and
** sealed bytes of strangers.
**
**   0  mode      what the rest is
**
**   metadata     key metadata: a name, or key material; also as a user's name
**   beside       a file with key material; each name in it is looked up
**   wrapped      bytes of a key and of the ID of a KEK, which are wrapped here,
**                so that the tags fit
**   keys         a JSON object of names and keys
**   text         a key as text
**   module       1  kind, bit 4: by CTR
**                2  ordinals (3 * 2)
**                8  a sealed module
**   sealed       likewise, but the rest is sealed here; both ways to open it
**                give it back
**   signed       1  a bit of the signature, which is flipped
**                2  a footer
*/
#include "core/crypto/key_material.h"
#include "core/crypto/module.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

enum { METADATA, BESIDE, WRAPPED, KEYS, TEXT, MODULE, SEALED, SIGNED, MODES };

typedef struct Door {
    PqMem     *mem;
    PqKeyRing *ring;
    PqKey     *master;               /* in the ring: "kf" */
    PqArena    a;
    PqErr     *e;
} Door;

static void unwrap(Door *d, const PqKeyMaterial *m)
{
    PqKeyFound found = {NULL, false, NULL};
    PqRc rc = pq_key_material_open(m, d->ring, d->mem, &d->a, &found, d->e);

    DOOR_CHECK(rc == PQ_OK || !found.key);
    DOOR_CHECK(rc != PQ_OK || found.wants);
    if (rc == PQ_OK) {
        pq_fail(d->e, PQ_UNSUPPORTED, "%s", found.wants);
    }
    pq_key_release(found.key);
}

/* By metadata, and by the same text as a name that a user gives. */
static void find(Door *d, PqSlice metadata)
{
    const char *name = pq_arena_text(&d->a, metadata.p, metadata.n, d->e);
    const PqColumnKeyName column = {name, "kf"};
    PqKeyChoice c = {d->ring, name, &column, 1, name};
    PqKeyFound found, named;
    PqBuf text;
    PqErr e2 = *d->e;
    PqRc rc = pq_key_find(&c, NULL, metadata, NULL, d->mem, &d->a, &found,
                          d->e);

    DOOR_CHECK(rc == PQ_OK || !found.key);
    DOOR_CHECK(rc != PQ_OK || found.try_all == (metadata.n == 0));
    if (pq_key_find(&c, name, pq_slice(NULL, 0), NULL, d->mem, &d->a, &named,
                    &e2) == PQ_OK) {
        DOOR_CHECK(named.key == pq_key_ring_find(d->ring,
                                                 pq_slice_text(name)));
        pq_key_release(named.key);
    }
    pq_key_release(found.key);
    DOOR_CHECK(pq_key_choice_names(&c) && pq_key_choice_column(&c, name));
    pq_buf_init(&text, d->mem, &e2);
    pq_err_clear(&e2);
    pq_key_choice_text(&c, &text);
    DOOR_CHECK(pq_buf_ok(&text) && text.n);
    pq_buf_free(&text);
}

static void read_beside(Door *d, PqSlice json)
{
    static const char *const names[] = {"footerKey", "columnKey0", "", "a"};
    PqMaterialFile *file = NULL;
    PqKeyMaterial m;
    PqSource *source;

    if (pq_source_open_memory(d->mem, DOOR_FILE, json, &source, d->e) !=
        PQ_OK) {
        return;
    }
    if (pq_material_file_read(d->mem, source, &file, d->e) == PQ_OK) {
        for (size_t i = 0; i < PQ_COUNT(names); i++) {
            pq_err_clear(d->e);
            if (pq_material_file_find(file, pq_slice_text(names[i]), &d->a, &m,
                                      d->e) == PQ_OK) {
                unwrap(d, &m);
            }
        }
    }
    pq_material_file_free(file);
    pq_source_close(source);
}

static void to_base64(PqSlice s, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/";

    for (size_t i = 0; i < s.n; i += 3) {
        uint32_t bits = (uint32_t)s.p[i] << 16 |
                        (i + 1 < s.n ? (uint32_t)s.p[i + 1] << 8 : 0) |
                        (i + 2 < s.n ? s.p[i + 2] : 0);
        for (int k = 0; k < 4; k++) {
            *to++ = i + (size_t)k > s.n ? '='
                                        : digits[bits >> (18 - 6 * k) & 63];
        }
    }
    *to = 0;
}

static void wrap(Door *d, PqKey *k, PqSlice id, PqSlice key, char *to)
{
    uint8_t made[256 + 28] = "twelve bytes";
    PqAad aad = {id, {NULL, 0}};

    DOOR_CHECK(key.n <= 256 &&
               pq_key_gcm_seal(k, made, aad, key.p, key.n, made + 12,
                               made + 12 + key.n, d->e) == PQ_OK);
    to_base64(pq_slice(made, key.n + 28), to);
}

/* A key of the right size is unwrapped, once and twice; no other is. */
static void read_wrapped(Door *d, PqSlice in)
{
    size_t n = door_u8(&in);
    PqSlice key = door_take(&in, n), id = door_take(&in, 100);
    char wrapped[400], twice[400], kek[400], kek_id[200];
    bool ok = pq_key_size_ok(key.n);
    PqSlice name = pq_slice_text("kf");
    PqSlice of_kek = pq_slice_text("0123456789abcdef");
    PqKeyMaterial m = {.text = {[PQ_KM_MASTER] = name}};
    PqKeyFound found = {NULL, false, NULL};
    PqKey *k = NULL;

    DOOR_CHECK(pq_key_new(d->mem, "kek", of_kek, &k, d->e) == PQ_OK);
    wrap(d, d->master, name, key, wrapped);
    wrap(d, d->master, name, of_kek, kek);
    wrap(d, k, id, key, twice);
    pq_key_release(k);
    to_base64(id, kek_id);
    m.text[PQ_KM_WRAPPED_DEK] = pq_slice_text(wrapped);
    DOOR_CHECK(pq_key_material_open(&m, d->ring, d->mem, &d->a, &found,
                                    d->e) == PQ_OK);
    DOOR_CHECK(ok ? found.key && pq_key_is(found.key, "kf", key) : !found.key);
    pq_key_release(found.key);
    found.key = NULL;
    m.yes[PQ_KM_DOUBLE] = true;
    m.text[PQ_KM_KEK_ID] = pq_slice_text(kek_id);
    m.text[PQ_KM_WRAPPED_KEK] = pq_slice_text(kek);
    m.text[PQ_KM_WRAPPED_DEK] = pq_slice_text(twice);
    DOOR_CHECK(pq_key_material_open(&m, d->ring, d->mem, &d->a, &found,
                                    d->e) == (ok ? PQ_OK : PQ_CORRUPT));
    DOOR_CHECK(ok ? found.key && pq_key_is(found.key, "kf", key) : !found.key);
    pq_key_release(found.key);
}

static void read_keys(Door *d, PqSlice json)
{
    uint64_t version = pq_key_ring_version(d->ring);
    uint32_t n, there = 0;
    PqRc rc = pq_key_ring_put_json(d->ring, json, &n, d->e);

    while (pq_key_ring_at(d->ring, there)) {
        there++;
    }
    DOOR_CHECK(rc == PQ_OK || (n == 0 && there == 1 &&
                               pq_key_ring_version(d->ring) == version));
    DOOR_CHECK(rc != PQ_OK || there == n || there == n + 1);
}

static void read_text(Door *d, PqSlice text)
{
    uint8_t key[PQ_KEY_MOST];
    char words[PQ_KEY_WORDS];
    size_t n;

    if (pq_key_from_base64(text, key, &n, d->e) == PQ_OK) {
        DOOR_CHECK(pq_key_size_ok(n) && pq_key_looks_like_one(text));
    }
    (void)pq_key_words(text, words);
}

static void read_module(Door *d, PqSlice in, bool seals)
{
    uint8_t kind = door_u8(&in);
    PqLock lock = {.key = d->master, .ctr = kind & 16,
                   .aad = pq_slice_text("12345678")};
    PqModule m = {.kind = (kind & 15) % PQ_MODULE_KIND_COUNT, .lock = &lock};
    PqSlice plain, again, given;
    PqBuf sealed, scratch;
    size_t used, used2, size;
    PqErr e2 = *d->e;
    uint8_t *own;
    PqRc rc;

    m.row_group = door_u16(&in);
    m.column = door_u16(&in);
    m.page = door_u16(&in);
    given = in;
    pq_buf_init(&sealed, d->mem, d->e);
    pq_buf_init(&scratch, d->mem, d->e);
    if (seals && pq_module_seal(&m, in, &sealed, d->e) == PQ_OK) {
        DOOR_CHECK(sealed.n == in.n + pq_module_overhead(&m));
        in = pq_buf_view(&sealed);
    } else if (seals) {
        DOOR_CHECK(sealed.n == 0 && d->e->rc == PQ_USAGE);
        pq_err_clear(d->e);
    }
    own = door_copy(in);
    rc = pq_module_unseal(&m, in, &scratch, &plain, &used, d->e);
    DOOR_CHECK(pq_module_unseal_in_place(&m, own, in.n, &again, &used2,
                                         &e2) == rc);
    DOOR_CHECK(strcmp(e2.text, d->e->text) == 0 && used == used2 &&
               pq_slice_equal(plain, again));
    DOOR_CHECK(rc != PQ_OK ||
               (pq_module_size(&m, in, &size, d->e) == PQ_OK && size == used));
    DOOR_CHECK(!sealed.n || (rc == PQ_OK && pq_slice_equal(plain, given)));
    free(own);
    pq_buf_free(&scratch);
    pq_buf_free(&sealed);
}

/* The rest is a footer; its signature fits it, and nothing else. */
static void sign(Door *d, PqSlice in)
{
    uint8_t bit = door_u8(&in), signature[PQ_SIGNATURE_BYTES];
    PqLock lock = {.key = d->master, .aad = pq_slice_text("12345678")};
    PqModule m = {.kind = PQ_MODULE_FOOTER, .lock = &lock};

    DOOR_CHECK(pq_module_sign(&m, in, signature, d->e) == PQ_OK &&
               pq_module_verify(&m, in, signature, d->e) == PQ_OK);
    bit %= PQ_SIGNATURE_BYTES * 8;
    signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    DOOR_CHECK(pq_module_verify(&m, in, signature, d->e) == PQ_CORRUPT);
}

static void enter(Door *d, PqSlice in)
{
    switch (door_u8(&in) % MODES) {
    case METADATA: find(d, in); break;
    case BESIDE:   read_beside(d, in); break;
    case WRAPPED:  read_wrapped(d, in); break;
    case KEYS:     read_keys(d, in); break;
    case TEXT:     read_text(d, in); break;
    case MODULE:   read_module(d, in, false); break;
    case SEALED:   read_module(d, in, true); break;
    default:       sign(d, in); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e;
    Door d = {.mem = door_open(&e), .e = &e};
    uint8_t *own = door_copy(pq_slice(bytes, n));

    e.where.file = DOOR_FILE;
    pq_arena_init(&d.a, d.mem);
    DOOR_CHECK(pq_key_ring_new(d.mem, &d.ring, &e) == PQ_OK &&
               pq_key_ring_put(d.ring, "kf", pq_slice_text("0123456789012345"),
                               &e) == PQ_OK);
    d.master = pq_key_ring_at(d.ring, 0);
    enter(&d, pq_slice(own, n));
    door_check_error(&e, DOOR_FILE);
    pq_arena_free(&d.a);
    pq_key_ring_free(d.ring);
    free(own);
    door_close(d.mem);
    return 0;
}
