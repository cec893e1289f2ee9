/*
** key_ring.c - the encryption keys of a connection, a list.
**
** A ring has few keys, so it is searched from front to back.  Its version is a
** number that no ring of the process had before, so it also tells rings apart.
**
** A key that is put again, with the same name and bytes, stays, because it must
** not start again to count what it has sealed.
*/
#include "core/crypto/key_ring.h"

#include "core/base/arena.h"
#include "core/base/secret.h"
#include "core/crypto/key_material.h"
#include "core/text/base64.h"
#include "core/text/parse.h"
#include "core/text/json_read.h"

#include <stdatomic.h>

struct PqKeyRing {
    PqMem   *mem;
    PqKey  **keys;
    uint32_t n, room;
    uint64_t version;
    PqMaterialFile *material;
};

static _Atomic uint64_t versions;

static void changed(PqKeyRing *r)
{
    r->version = atomic_fetch_add(&versions, 1) + 1;
}

PqRc pq_key_ring_new(PqMem *mem, PqKeyRing **out, PqErr *e)
{
    *out = pq_mem_zeros(mem, 1, sizeof **out, e);
    if (!*out) {
        return e->rc;
    }
    (*out)->mem = mem;
    changed(*out);
    return PQ_OK;
}

void pq_key_ring_free(PqKeyRing *r)
{
    if (r) {
        for (uint32_t i = 0; i < r->n; i++) {
            pq_key_release(r->keys[i]);
        }
        pq_material_file_free(r->material);
        pq_mem_free(r->keys);
        pq_mem_free(r);
    }
}

/* Its index, or r->n. */
static uint32_t index_of(const PqKeyRing *r, PqSlice name)
{
    uint32_t i = 0;

    while (i < r->n && !pq_slice_is(name, pq_key_name(r->keys[i]))) {
        i++;
    }
    return i;
}

PqKey *pq_key_ring_find(const PqKeyRing *r, PqSlice name)
{
    return pq_key_ring_at(r, index_of(r, name));
}

PqKey *pq_key_ring_at(const PqKeyRing *r, uint32_t i)
{
    return i < r->n ? r->keys[i] : NULL;
}

uint64_t pq_key_ring_version(const PqKeyRing *r)
{
    return r->version;
}

PqMaterialFile **pq_key_ring_material(PqKeyRing *r, PqMem **mem)
{
    *mem = r->mem;
    return &r->material;
}

/* Takes k over; there is room for one more. */
static void install(PqKeyRing *r, PqKey *k)
{
    uint32_t i = index_of(r, pq_slice_text(pq_key_name(k)));

    if (i < r->n) {
        pq_key_release(r->keys[i]);
    } else {
        r->n++;
    }
    r->keys[i] = k;
    changed(r);
}

static PqRc check_new(PqSlice name, PqSlice bytes, PqErr *e)
{
    char words[PQ_KEY_WORDS];

    if (name.n == 0) {
        return pq_fail(e, PQ_USAGE, "a key needs a name");
    }
    return pq_key_size_ok(bytes.n)
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "%s has %zu bytes; a key has 16, 24 or "
                         "32", pq_key_words(name, words), bytes.n);
}

PqRc pq_key_ring_put(PqKeyRing *r, const char *name, PqSlice bytes, PqErr *e)
{
    PqKey *old = pq_key_ring_find(r, pq_slice_text(name)), *k;

    PQ_TRY(check_new(pq_slice_text(name), bytes, e));
    if (old && pq_key_is(old, name, bytes)) {
        return PQ_OK;
    }
    PQ_TRY(PQ_GROW(r->mem, r->keys, r->n, r->room, e));
    PQ_TRY(pq_key_new(r->mem, name, bytes, &k, e));
    install(r, k);
    return PQ_OK;
}

bool pq_key_ring_forget(PqKeyRing *r, const char *name)
{
    uint32_t i = index_of(r, pq_slice_text(name));

    if (i == r->n) {
        return false;
    }
    pq_key_release(r->keys[i]);
    r->n--;
    memmove(r->keys + i, r->keys + i + 1, (r->n - i) * sizeof *r->keys);
    changed(r);
    return true;
}

/* ---- texts -------------------------------------------------------------- */

PqRc pq_key_from_base64(PqSlice text, uint8_t out[PQ_KEY_MOST], size_t *n,
                        PqErr *e)
{
    PqSlice s = pq_parse_trim(text);

    if (s.n % 2 == 0 && pq_key_size_ok(s.n / 2) &&
        pq_hex_parse(s, out) == PQ_PARSE_OK) {
        pq_wipe(out, PQ_KEY_MOST);
        return pq_fail(e, PQ_USAGE, "a key as text is base64, and this is "
                       "hexadecimal");
    }
    if (pq_base64_parse(s, out, PQ_KEY_MOST, n) && pq_key_size_ok(*n)) {
        return PQ_OK;
    }
    pq_wipe(out, PQ_KEY_MOST);
    pq_fail(e, PQ_USAGE, "a key as text is the base64 of 16, 24 or 32 bytes, "
            "which has 24, 32 or 44 characters; this text has %zu%s", s.n,
            s.n == 24 || s.n == 32 || s.n == 44 ? ", but is not base64" : "");
    pq_err_hint(e, "openssl rand -base64 16 makes one");
    return e->rc;
}

/* ---- many keys at once -------------------------------------------------- */

static PQ_COLD PqRc not_keys(PqErr *e, size_t at, const char *what)
{
    pq_fail(e, PQ_USAGE, "%s at byte %zu", what, at);
    pq_err_hint(e, "keys are a JSON object of names and base64: {\"kf\": "
                "\"BASE64\"}");
    return e->rc;
}

/* Reads a token.  An error message shows nothing of the text. */
static PqRc next(PqJsonRead *r, PqJsonToken *out, PqErr *e)
{
    PqErr own;
    PqRc rc;

    pq_err_init(&own);
    rc = pq_json_read_next(r, out, &own);
    return rc == PQ_CORRUPT ? not_keys(e, r->at, "malformed JSON")
           : rc != PQ_OK    ? pq_fail(e, rc, "%s", own.text)
                            : PQ_OK;
}

static PqRc read_key(PqKeyRing *ring, PqJsonRead *r, const PqJsonToken *name,
                     PqKey **out, PqErr *e)
{
    uint8_t bytes[PQ_KEY_MOST];
    PqJsonToken value;
    char *text = NULL;
    size_t n = 0;
    PqRc rc;

    PQ_TRY(next(r, &value, e));
    if (value.kind != PQ_JSON_STRING || name->text.n == 0 ||
        memchr(name->text.p, 0, name->text.n)) {
        return not_keys(e, name->at, "no name, or no text for it,");
    }
    rc = pq_key_from_base64(value.text, bytes, &n, e);
    if (rc == PQ_OK) {
        text = pq_arena_text(r->arena, name->text.p, name->text.n, e);
        rc = text ? pq_key_new(ring->mem, text, pq_slice(bytes, n), out, e)
                  : e->rc;
    } else if (rc == PQ_USAGE && !pq_key_looks_like_one(name->text)) {
        pq_err_hint(e, "it is key %.*s", name->text.n < 120
                    ? (int)name->text.n : 120, (const char *)name->text.p);
    }
    pq_wipe(bytes, sizeof bytes);
    return rc;
}

/* Reads the object into made, a ring without others' keys. */
static PqRc read_keys(PqKeyRing *made, PqJsonRead *r, PqErr *e)
{
    char words[PQ_KEY_WORDS];
    PqJsonToken t;
    PqKey *k;

    PQ_TRY(next(r, &t, e));
    if (t.kind != PQ_JSON_OBJECT) {
        return not_keys(e, t.at, "no object");
    }
    for (;;) {
        PQ_TRY(next(r, &t, e));
        if (t.kind == PQ_JSON_OBJECT_END) {
            break;
        }
        if (pq_key_ring_find(made, t.text)) {
            return pq_fail(e, PQ_USAGE, "%s is there twice",
                           pq_key_words(t.text, words));
        }
        PQ_TRY(PQ_GROW(made->mem, made->keys, made->n, made->room, e));
        PQ_TRY(read_key(made, r, &t, &k, e));
        install(made, k);
    }
    return next(r, &t, e);
}

PqRc pq_key_ring_put_json(PqKeyRing *r, PqSlice json, uint32_t *n, PqErr *e)
{
    PqKeyRing made = {.mem = r->mem};
    PqJsonRead read;
    PqArena arena;
    PqRc rc;

    *n = 0;
    pq_arena_init(&arena, r->mem);
    pq_json_read_begin(&read, json, &arena);
    PQ_GO(read_keys(&made, &read, e));
    if (r->n + made.n > r->room) {
        PQ_GO(PQ_RESIZE(r->mem, r->keys, r->n + made.n, e));
        r->room = r->n + made.n;
    }
    *n = made.n;
    for (uint32_t i = 0; i < made.n; i++) {
        const char *name = pq_key_name(made.keys[i]);
        PqKey *old = pq_key_ring_find(r, pq_slice_text(name));

        if (old && pq_key_same(old, made.keys[i])) {
            continue;
        }
        install(r, pq_key_hold(made.keys[i]));
    }
done:
    for (uint32_t i = 0; i < made.n; i++) {
        pq_key_release(made.keys[i]);
    }
    pq_mem_free(made.keys);
    pq_arena_wipe(&arena);           /* texts with escapes are copied there */
    return rc;
}
