/*
** module.c - reads and writes modules, plain or sealed.
**
** A plain module has no length, so unsealing gives all bytes that are there,
** and sets *used to 0 because it cannot know where the module ends.
**
** A signature is the tag that the footer would have if it were sealed.  So
** verifying seals the footer again, piece by piece, and compares the tags.
*/
#include "core/crypto/module.h"

#include "core/base/random.h"
#include "core/base/secret.h"

static const char *const module_names[] = {
    [PQ_MODULE_FOOTER] = "footer",
    [PQ_MODULE_COLUMN_META] = "column metadata",
    [PQ_MODULE_DATA_PAGE] = "data page",
    [PQ_MODULE_DICTIONARY_PAGE] = "dictionary page",
    [PQ_MODULE_DATA_PAGE_HEADER] = "data page header",
    [PQ_MODULE_DICTIONARY_PAGE_HEADER] = "dictionary page header",
    [PQ_MODULE_COLUMN_INDEX] = "column index",
    [PQ_MODULE_OFFSET_INDEX] = "offset index",
    [PQ_MODULE_BLOOM_HEADER] = "Bloom filter header",
    [PQ_MODULE_BLOOM_BITS] = "Bloom filter",
};
_Static_assert(PQ_COUNT(module_names) == PQ_MODULE_KIND_COUNT,
               "one name per kind");

const char *pq_module_name(PqModuleKind kind)
{
    return module_names[kind];
}

PqRc pq_module_fetch(PqInput *in, const PqModule *module, uint64_t offset,
                     size_t n, uint8_t *out, PqErr *e)
{
    in->bytes_by_kind[module->kind] += n;
    return pq_source_read(in->source, offset, n, out, e);
}

/* ---- what a sealed module is made of ------------------------------------ */

enum {
    LENGTH_BYTES = 4,
    BODY_AT = PQ_SEAL_FRONT,
    SUFFIX_MOST = 7                  /* kind and three ordinals */
};

static bool by_ctr(const PqModule *m)
{
    return m->lock->ctr && (m->kind == PQ_MODULE_DATA_PAGE ||
                            m->kind == PQ_MODULE_DICTIONARY_PAGE);
}

/* The nonce and the tag. */
static size_t extra(const PqModule *m)
{
    return by_ctr(m) ? PQ_NONCE_BYTES : PQ_NONCE_BYTES + PQ_TAG_BYTES;
}

size_t pq_module_overhead(const PqModule *module)
{
    return module->lock ? LENGTH_BYTES + extra(module) : 0;
}

static PQ_COLD PqRc no_key(const PqModule *m, PqErr *e)
{
    const char *wants = m->lock->wants ? m->lock->wants : "a key";

    pq_fail(e, PQ_UNSUPPORTED, "the %s is encrypted with %s, which is not at "
            "hand", pq_module_name(m->kind), wants);
    pq_key_hint(wants, e);
    return e->rc;
}

static PQ_COLD PqRc not_authentic(const PqModule *m, PqErr *e)
{
    char words[PQ_KEY_WORDS];
    PqSlice name = pq_slice_text(pq_key_name(m->lock->key));

    pq_fail(e, PQ_CORRUPT, "the %s does not authenticate with %s: the file was "
            "written with another key or AAD prefix, or was damaged or changed",
            pq_module_name(m->kind), pq_key_words(name, words));
    pq_key_hint_wrong(m->lock->key, e);
    return e->rc;
}

static void put_ordinal(uint8_t *to, int ordinal)
{
    to[0] = (uint8_t)ordinal;
    to[1] = (uint8_t)(ordinal >> 8);
}

/* The part of the AAD that says which module of the file it is.  rc is the
** error if an ordinal is too large. */
static PqRc make_suffix(const PqModule *m, PqRc rc, uint8_t to[SUFFIX_MOST],
                        size_t *n, PqErr *e)
{
    const struct {
        const char *name;
        int         value;
    } ordinals[3] = {{"row group", m->row_group}, {"column", m->column},
                     {"page", m->page}};
    bool of_page = m->kind == PQ_MODULE_DATA_PAGE ||
                   m->kind == PQ_MODULE_DATA_PAGE_HEADER;
    int wanted = m->kind == PQ_MODULE_FOOTER ? 0 : of_page ? 3 : 2;

    to[0] = (uint8_t)m->kind;
    for (int i = 0; i < wanted; i++) {
        if (ordinals[i].value < 0 || ordinals[i].value > PQ_ORDINAL_MOST) {
            return pq_fail(e, rc, "it is %s number %d, and encryption has "
                           "numbers up to %d only", ordinals[i].name,
                           ordinals[i].value, PQ_ORDINAL_MOST);
        }
        put_ordinal(to + 1 + 2 * i, ordinals[i].value);
    }
    *n = 1 + 2 * (size_t)wanted;
    return PQ_OK;
}

/* ---- opened ------------------------------------------------------------- */

PqRc pq_module_size(const PqModule *module, PqSlice raw, size_t *n, PqErr *e)
{
    uint32_t length;

    *n = 0;
    if (!module->lock) {
        return PQ_OK;
    }
    if (!module->lock->key) {
        return no_key(module, e);
    }
    if (raw.n < LENGTH_BYTES) {
        return pq_fail(e, PQ_CORRUPT, "the length of the encrypted %s takes %d "
                       "bytes, and %zu are there",
                       pq_module_name(module->kind), LENGTH_BYTES, raw.n);
    }
    length = pq_load_u32(raw.p);
    if (length < extra(module) || length > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "the encrypted %s claims a length of %u "
                       "bytes, which cannot be",
                       pq_module_name(module->kind), length);
    }
    *n = LENGTH_BYTES + length;
    return PQ_OK;
}

static PQ_COLD PqRc wrong_size(const PqModule *m, size_t size, size_t there,
                               PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the encrypted %s has %zu bytes, and %zu are "
                   "there", pq_module_name(m->kind), size, there);
}

/* front is the length and the nonce; body has n bytes, and so has out. */
static PqRc open_body(const PqModule *m, const uint8_t *front,
                      const uint8_t *body, size_t n, uint8_t *out, PqErr *e)
{
    const uint8_t *nonce = front + LENGTH_BYTES;
    uint8_t suffix[SUFFIX_MOST];
    PqAad aad = {m->lock->aad, {suffix, 0}};
    PqErr own;
    PqRc rc;

    PQ_TRY(make_suffix(m, PQ_CORRUPT, suffix, &aad.tail.n, e));
    if (by_ctr(m)) {
        return pq_key_ctr(m->lock->key, nonce, body, n, out, false, e);
    }
    if (m->lock->unbound) {
        aad = (PqAad){{NULL, 0}, {NULL, 0}};
    }
    pq_err_init(&own);
    rc = pq_key_gcm_open(m->lock->key, nonce, aad, body, n, body + n, out,
                         &own);
    return rc == PQ_OK        ? PQ_OK
           : rc == PQ_CORRUPT ? not_authentic(m, e)
                              : pq_fail(e, rc, "%s", own.text);
}

/* To `place` in raw, or to scratch if place is NULL. */
static PqRc unseal_to(const PqModule *m, PqSlice raw, uint8_t *place,
                      PqBuf *scratch, PqSlice *plain, size_t *used, PqErr *e)
{
    size_t size, n;

    *plain = raw;
    *used = 0;
    if (!m->lock) {
        return PQ_OK;
    }
    *plain = pq_slice(raw.p, 0);
    PQ_TRY(pq_module_size(m, raw, &size, e));
    if (size > raw.n) {
        return wrong_size(m, size, raw.n, e);
    }
    n = size - pq_module_overhead(m);
    if (!place) {
        PQ_TRY(pq_buf_resize(scratch, n, e));
        place = scratch->p;
    }
    PQ_TRY(open_body(m, raw.p, raw.p + BODY_AT, n, place, e));
    *plain = pq_slice(place, n);
    *used = size;
    return PQ_OK;
}

PqRc pq_module_unseal(const PqModule *module, PqSlice raw, PqBuf *scratch,
                      PqSlice *plain, size_t *used, PqErr *e)
{
    return unseal_to(module, raw, NULL, scratch, plain, used, e);
}

PqRc pq_module_unseal_in_place(const PqModule *module, uint8_t *raw, size_t n,
                               PqSlice *plain, size_t *used, PqErr *e)
{
    return unseal_to(module, pq_slice(raw, n), raw + BODY_AT, NULL, plain, used,
                     e);
}

PqRc pq_module_unseal_rest(const PqModule *module,
                           const uint8_t front[PQ_SEAL_FRONT], uint8_t *body,
                           size_t n, PqSlice *plain, PqErr *e)
{
    size_t size;

    *plain = pq_slice(body, 0);
    PQ_TRY(pq_module_size(module, pq_slice(front, PQ_SEAL_FRONT), &size, e));
    if (size != PQ_SEAL_FRONT + n) {
        return wrong_size(module, size, PQ_SEAL_FRONT + n, e);
    }
    n = size - pq_module_overhead(module);
    PQ_TRY(open_body(module, front, body, n, body, e));
    *plain = pq_slice(body, n);
    return PQ_OK;
}

/* ---- sealed ------------------------------------------------------------- */

/* to has room for the whole module. */
static PqRc seal_to(const PqModule *m, PqSlice plain, uint8_t *to, PqErr *e)
{
    uint8_t *nonce = to + LENGTH_BYTES, *body = to + BODY_AT;
    uint8_t suffix[SUFFIX_MOST];
    PqAad aad = {m->lock->aad, {suffix, 0}};

    PQ_TRY(make_suffix(m, PQ_USAGE, suffix, &aad.tail.n, e));
    pq_store_u32(to, (uint32_t)(plain.n + extra(m)));
    PQ_TRY(pq_random_fill(nonce, PQ_NONCE_BYTES, e));
    return by_ctr(m) ? pq_key_ctr(m->lock->key, nonce, plain.p, plain.n, body,
                                  true, e)
                     : pq_key_gcm_seal(m->lock->key, nonce, aad, plain.p,
                                       plain.n, body, body + plain.n, e);
}

PqRc pq_module_seal(const PqModule *module, PqSlice plain, PqBuf *out, PqErr *e)
{
    size_t n = plain.n + pq_module_overhead(module);

    if (!module->lock) {
        PQ_TRY(pq_buf_reserve(out, n, e));
        pq_buf_add(out, plain.p, plain.n);
        return PQ_OK;
    }
    if (!module->lock->key) {
        return no_key(module, e);
    }
    if (plain.n > INT32_MAX - pq_module_overhead(module)) {
        return pq_fail(e, PQ_USAGE, "a %s of %zu bytes is too large to be "
                       "encrypted", pq_module_name(module->kind), plain.n);
    }
    PQ_TRY(pq_buf_reserve(out, n, e));
    PQ_TRY(seal_to(module, plain, out->p + out->n, e));
    out->n += n;
    return PQ_OK;
}

/* ---- signed ------------------------------------------------------------- */

static PqRc make_tag(const PqModule *footer, PqSlice plain,
                     const uint8_t *nonce, bool seals, uint8_t *tag, PqErr *e)
{
    uint8_t suffix[SUFFIX_MOST];
    PqAad aad = {footer->lock->aad, {suffix, 0}};

    PQ_TRY(make_suffix(footer, PQ_USAGE, suffix, &aad.tail.n, e));
    return pq_key_gcm_tag(footer->lock->key, nonce, aad, plain.p, plain.n,
                          seals, tag, e);
}

PqRc pq_module_sign(const PqModule *footer, PqSlice plain,
                    uint8_t out[PQ_SIGNATURE_BYTES], PqErr *e)
{
    if (!footer->lock->key) {
        return no_key(footer, e);
    }
    PQ_TRY(pq_random_fill(out, PQ_NONCE_BYTES, e));
    return make_tag(footer, plain, out, true, out + PQ_NONCE_BYTES, e);
}

PqRc pq_module_verify(const PqModule *footer, PqSlice plain,
                      const uint8_t signature[PQ_SIGNATURE_BYTES], PqErr *e)
{
    uint8_t tag[PQ_TAG_BYTES], differ = 0;

    if (!footer->lock->key) {
        return no_key(footer, e);
    }
    PQ_TRY(make_tag(footer, plain, signature, false, tag, e));
    for (int i = 0; i < PQ_TAG_BYTES; i++) {
        differ |= tag[i] ^ signature[PQ_NONCE_BYTES + i];
    }
    pq_wipe(tag, sizeof tag);        /* with it, a footer could be forged */
    return differ ? not_authentic(footer, e) : PQ_OK;
}
