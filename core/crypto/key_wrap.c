/*
** key_wrap.c - makes keys, and wraps them.
**
** The bytes of a new key are here for a moment, on the stack, and are wiped.
*/
#include "core/crypto/key_wrap.h"

#include "core/base/random.h"
#include "core/base/secret.h"
#include "core/crypto/key_material.h"
#include "core/text/base64.h"
#include "core/text/json_text.h"

#include <stdio.h>

enum { ID_BYTES = 16 };

/* A key encryption key, and what key material says of it. */
typedef struct Kek {
    PqKey  *master, *key;            /* both held                            */
    uint8_t id[ID_BYTES];
    PqBuf   wrapped;
} Kek;

struct PqKeyWrap {
    PqMem          *mem;
    PqMaterialPlace place;
    bool            twice;
    Kek            *keks;
    uint32_t        n, room;
};

PqRc pq_key_wrap_new(PqMem *mem, PqMaterialPlace place, bool twice,
                     PqKeyWrap **out, PqErr *e)
{
    *out = pq_mem_zeros(mem, 1, sizeof **out, e);
    if (!*out) {
        return e->rc;
    }
    (*out)->mem = mem;
    (*out)->place = place;
    (*out)->twice = twice;
    return PQ_OK;
}

static void free_kek(Kek *k)
{
    pq_key_release(k->master);
    pq_key_release(k->key);
    pq_buf_free(&k->wrapped);
}

void pq_key_wrap_free(PqKeyWrap *w)
{
    if (w) {
        for (uint32_t i = 0; i < w->n; i++) {
            free_kek(&w->keks[i]);
        }
        pq_mem_free(w->keks);
        pq_mem_free(w);
    }
}

/* ---- JSON --------------------------------------------------------------- */

/* The comma, unless it is the first, and the name. */
static void name(PqBuf *out, PqKeyMember m)
{
    pq_buf_printf(out, "%s\"%s\":", out->n && out->p[out->n - 1] != '{' ? "," : "",
                  pq_key_members[m].name);
}

static void put_text(PqBuf *out, PqKeyMember m, PqSlice text)
{
    name(out, m);
    pq_json_text_string(text, out);
}

static void put_bool(PqBuf *out, PqKeyMember m, bool yes)
{
    name(out, m);
    pq_buf_text(out, yes ? "true" : "false");
}

static void begin(PqBuf *out)
{
    pq_buf_byte(out, '{');
    put_text(out, PQ_KM_TYPE, pq_slice_text(PQ_KEY_MATERIAL_TYPE));
}

/* ---- wrapping ------------------------------------------------------------ */

static PqSlice name_of(const PqKey *k)
{
    return pq_slice_text(pq_key_name(k));
}

/* Appends base64 of the key, sealed by k. */
static PqRc wrap(PqKey *k, PqSlice id, PqSlice key, PqBuf *out, PqErr *e)
{
    uint8_t sealed[PQ_NONCE_BYTES + PQ_KEY_MOST + PQ_TAG_BYTES];
    uint8_t *text = sealed + PQ_NONCE_BYTES;
    const PqAad aad = {id, {NULL, 0}};

    PQ_TRY(pq_random_fill(sealed, PQ_NONCE_BYTES, e));
    PQ_TRY(pq_key_gcm_seal(k, sealed, aad, key.p, key.n, text, text + key.n, e));
    pq_base64_text(pq_slice(sealed, PQ_NONCE_BYTES + key.n + PQ_TAG_BYTES), out);
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}

/* Wraps as LocalWrapKmsClient does. */
static PqRc wrap_by_master(const PqKeyWrap *w, PqKey *master, PqSlice key,
                           PqBuf *out, PqErr *e)
{
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, w->mem, e);
    rc = wrap(master, name_of(master), key, &text, e);
    if (rc == PQ_OK) {
        pq_buf_byte(out, '{');
        put_text(out, PQ_KM_VERSION, pq_slice_text(PQ_KEY_NO_VERSION));
        put_text(out, PQ_KM_ENCRYPTED, pq_buf_view(&text));
        pq_buf_byte(out, '}');
        rc = pq_buf_ok(out) ? PQ_OK : e->rc;
    }
    pq_buf_free(&text);
    return rc;
}

/* Random bytes for a key as long as its master's. */
static PqRc draw(const PqKey *master, uint8_t out[PQ_KEY_MOST], PqSlice *bytes,
                 PqErr *e)
{
    *bytes = pq_slice(out, pq_key_bits(master) / 8);
    return pq_random_fill(out, bytes->n, e);
}

static PqRc make_kek(PqKeyWrap *w, PqKey *master, Kek *out, PqErr *e)
{
    uint8_t key[PQ_KEY_MOST];
    PqSlice bytes;
    PqRc rc;

    pq_buf_init(&out->wrapped, w->mem, e);
    out->master = pq_key_hold(master);
    PQ_GO(pq_random_fill(out->id, ID_BYTES, e));
    PQ_GO(draw(master, key, &bytes, e));
    PQ_GO(wrap_by_master(w, master, bytes, &out->wrapped, e));
    rc = pq_key_new(w->mem, pq_key_name(master), bytes, &out->key, e);
done:
    pq_wipe(key, sizeof key);
    return rc;
}

/* The KEK of a master key.  The first call makes it. */
static PqRc need_kek(PqKeyWrap *w, PqKey *master, const Kek **out, PqErr *e)
{
    Kek made = {0};

    for (uint32_t i = 0; i < w->n; i++) {
        if (w->keks[i].master == master) {
            *out = &w->keks[i];
            return PQ_OK;
        }
    }
    PQ_TRY(PQ_GROW(w->mem, w->keks, w->n, w->room, e));
    if (make_kek(w, master, &made, e) != PQ_OK) {
        free_kek(&made);
        return e->rc;
    }
    made.wrapped.sink = NULL;        /* it was for this call */
    w->keks[w->n] = made;
    *out = &w->keks[w->n++];
    return PQ_OK;
}

/* The members that say how the key is wrapped. */
static PqRc put_wrapped(PqKeyWrap *w, PqKey *master, PqSlice key, PqBuf *out,
                        PqErr *e)
{
    const Kek *kek = NULL;
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, w->mem, e);
    if (w->twice) {
        PQ_GO(need_kek(w, master, &kek, e));
        PQ_GO(wrap(kek->key, pq_slice(kek->id, ID_BYTES), key, &text, e));
    } else {
        PQ_GO(wrap_by_master(w, master, key, &text, e));
    }
    put_text(out, PQ_KM_WRAPPED_DEK, pq_buf_view(&text));
    put_bool(out, PQ_KM_DOUBLE, w->twice);
    if (kek) {
        text.n = 0;
        pq_base64_text(pq_slice(kek->id, ID_BYTES), &text);
        put_text(out, PQ_KM_KEK_ID, pq_buf_view(&text));
        put_text(out, PQ_KM_WRAPPED_KEK, pq_buf_view(&kek->wrapped));
    }
    rc = pq_buf_ok(&text) && pq_buf_ok(out) ? PQ_OK : e->rc;
done:
    pq_buf_free(&text);
    return rc;
}

/* ---- key material -------------------------------------------------------- */

static PqRc put_material(PqKeyWrap *w, PqKey *master, PqSlice key, bool is_footer,
                         PqBuf *out, PqErr *e)
{
    const PqSlice kms = pq_slice_text("DEFAULT");    /* there is none */

    begin(out);
    if (w->place == PQ_MATERIAL_INTERNAL) {
        put_bool(out, PQ_KM_INTERNAL, true);
    }
    put_bool(out, PQ_KM_IS_FOOTER, is_footer);
    if (is_footer) {
        put_text(out, PQ_KM_KMS_ID, kms);
        put_text(out, PQ_KM_KMS_URL, kms);
    }
    put_text(out, PQ_KM_MASTER, name_of(master));
    PQ_TRY(put_wrapped(w, master, key, out, e));
    pq_buf_byte(out, '}');
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}

/* Moves the material into a member of the file beside, and leaves a
** reference. */
static void put_aside(PqBuf *material, int number, PqBuf *beside)
{
    char reference[32];

    snprintf(reference, sizeof reference, number < 0 ? "footerKey" : "columnKey%d",
             number);
    pq_buf_byte(beside, beside->n ? ',' : '{');
    pq_json_text_string(pq_slice_text(reference), beside);
    pq_buf_byte(beside, ':');
    pq_json_text_string(pq_buf_view(material), beside);
    material->n = 0;
    begin(material);
    put_bool(material, PQ_KM_INTERNAL, false);
    put_text(material, PQ_KM_REFERENCE, pq_slice_text(reference));
    pq_buf_byte(material, '}');
}

PqRc pq_key_wrap_make(PqKeyWrap *w, PqKey *master, int number, PqArena *a,
                      PqBuf *beside, PqKey **out, PqSlice *metadata, PqErr *e)
{
    uint8_t key[PQ_KEY_MOST];
    PqBuf material;
    PqSlice bytes;
    char *text;
    PqRc rc;

    *out = NULL;
    pq_buf_init(&material, w->mem, e);
    PQ_GO(draw(master, key, &bytes, e));
    PQ_GO(put_material(w, master, bytes, number < 0, &material, e));
    if (w->place == PQ_MATERIAL_EXTERNAL) {
        put_aside(&material, number, beside);
    }
    PQ_GO(pq_buf_ok(&material) && pq_buf_ok(beside) ? PQ_OK : e->rc);
    text = pq_arena_text(a, material.p, material.n, e);
    PQ_GO(text ? PQ_OK : e->rc);
    *metadata = pq_slice(text, material.n);
    rc = pq_key_new(w->mem, pq_key_name(master), bytes, out, e);
done:
    pq_wipe(key, sizeof key);
    pq_buf_free(&material);
    return rc;
}
