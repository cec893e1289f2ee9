/*
** file_locks.c - finds the keys of a file, opens or verifies its footer, and
** gives each leaf its lock.
**
** Missing keys are hard.  A sealed footer cannot be read then.  A plaintext
** footer can be read, and so can columns in the clear.  A column whose key is
** missing has a lock that says which key, and only a read of the column fails.
**
** If the file does not say which key was used, each key of the ring is tried.
** The footer, its signature, or a column's encrypted metadata tells whether it
** fits.
**
** A plaintext footer that was changed must not pass as a footer whose key is
** not at hand.  The key's name stands in the footer, and may have been changed
** too.  So a column that has the footer's key is asked which key that is.
*/
#include "core/meta/file_locks.h"

#include "core/text/utf8.h"

#include <assert.h>

static const PqModule footer_module = {PQ_MODULE_FOOTER, -1, -1, -1, NULL};

enum { ASKED_FOR_A_HINT = 64 };      /* leaves */

static const char no_name[] = "a key that the file does not name";

/* ---- what is missing ----------------------------------------------------- */

/* Does another leaf want another key that is missing?  Not all of many leaves
** are asked, because this is only for a hint, which each chunk may give. */
static PQ_COLD bool others_are_missing(const PqFileLocks *l, const PqLock *lock)
{
    for (uint32_t i = 0; i < l->n_leaves && i < ASKED_FOR_A_HINT; i++) {
        const PqLock *other = l->of_leaf[i];

        if (other && !other->key && strcmp(other->wants, lock->wants) != 0) {
            return true;
        }
    }
    return false;
}

static PQ_COLD PqRc missing(const PqFileLocks *l, const PqLock *lock, PqErr *e)
{
    pq_fail(e, PQ_UNSUPPORTED, "the column is encrypted with %s, which is not "
            "at hand", lock->wants);
    pq_key_hint(lock->wants, e);
    if (others_are_missing(l, lock)) {
        pq_err_hint(e, "keys of other columns are missing too: parquet_describe "
                       "lists them");
    }
    return e->rc;
}

/* how: "encrypted", "signed".  A name that the user gave may be misspelt. */
static PQ_COLD PqRc footer_missing(const PqFileLocks *l, const PqLockMaker *m,
                                   const char *how, PqErr *e)
{
    const char *named = m->keys ? m->keys->footer_key : NULL;
    PqSlice says = l->footer_metadata;
    char words[PQ_KEY_WORDS];

    pq_fail(e, PQ_UNSUPPORTED, "the footer is %s with %s, which is not at hand",
            how, l->footer.wants);
    pq_key_hint(l->footer.wants, e);
    if (named && says.n && says.p[0] != '{' && pq_utf8_valid(says) &&
        !memchr(says.p, 0, says.n) && !pq_slice_is(says, named)) {
        pq_err_hint(e, "footer_key= says so, and the file says %s",
                    pq_key_words(says, words));
    }
    return e->rc;
}

static PQ_COLD PqRc no_prefix(PqErr *e)
{
    pq_fail(e, PQ_UNSUPPORTED, "the file was encrypted with an AAD prefix that "
                               "it does not store");
    pq_err_hint(e, "aad_prefix= gives it");
    return e->rc;
}

static PQ_COLD PqRc unused_prefix(PqErr *e)
{
    pq_fail(e, PQ_CORRUPT, "the file has no AAD prefix, and aad_prefix= gives one: "
                           "it may be another file");
    pq_err_hint(e, "without aad_prefix= it is read as it is");
    return e->rc;
}

/* ---- the footer's lock --------------------------------------------------- */

/* Nothing says where the prefix ends and the unique bytes begin, because both
** are joined before they are authenticated.  A file with the prefix "day 10"
** could pass as a file with "day 1" whose unique bytes begin with "0".  Only
** the number of unique bytes tells.  Every writer has 8; DuckDB has none, and
** no prefix. */
static PqRc check_unique(const PqAesSettings *aes, PqErr *e)
{
    enum { UNIQUE = 8 };
    size_t n = aes->aad_file_unique.n;

    return n == UNIQUE || n == 0
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "the file has %zu unique bytes, not %d "
                         "as every writer: some may be of another AAD prefix "
                         "than aad_prefix= says", n, UNIQUE);
}

/* Chooses the AAD prefix that counts. */
static PqRc choose_prefix(PqFileLocks *l, const PqLockMaker *m,
                          const PqAesSettings *aes, PqErr *e)
{
    const char *given = m->keys ? m->keys->aad_prefix : NULL;
    bool stored = PQ_HAS(aes, PQ_AES_PREFIX) && aes->aad_prefix.n > 0;

    if (given) {
        PQ_TRY(check_unique(aes, e));
    }
    l->supply_aad_prefix = !stored && PQ_HAS(aes, PQ_AES_SUPPLY_PREFIX) &&
                           aes->supply_aad_prefix;
    if (stored) {
        l->aad_prefix = aes->aad_prefix;
        if (given && !pq_slice_is(aes->aad_prefix, given)) {
            return pq_fail(e, PQ_CORRUPT, "the file has another AAD prefix "
                           "than aad_prefix= says: it may be another file");
        }
    } else if (l->supply_aad_prefix) {
        l->aad_prefix = pq_slice_text(given);
        l->no_aad_prefix = !given;
    } else if (given) {
        return unused_prefix(e);
    }
    return PQ_OK;
}

/* Prefix and unique bytes, joined in the arena.  The prefix is the front. */
static PqRc join_aad(PqFileLocks *l, PqSlice unique, PqArena *a, PqErr *e)
{
    size_t n = l->aad_prefix.n + unique.n;
    uint8_t *p = pq_arena_bytes(a, n + 1, e);

    if (!p) {
        return e->rc;
    }
    pq_bytes_copy(p, l->aad_prefix.p, l->aad_prefix.n);
    pq_bytes_copy(p + l->aad_prefix.n, unique.p, unique.n);
    l->footer.aad = pq_slice(p, n);
    l->aad_prefix = pq_slice(p, l->aad_prefix.n);
    return PQ_OK;
}

static PqRc copy_slice(PqSlice from, PqArena *a, PqSlice *to, PqErr *e)
{
    char *p = pq_arena_text(a, from.p, from.n, e);

    *to = pq_slice(p, p ? from.n : 0);
    return p ? PQ_OK : e->rc;
}

/* Looks for a key.  lock->key stays NULL if it is not at hand. */
static PqRc find_key(const PqLockMaker *m, const char *named, PqSlice metadata,
                     PqLock *lock, bool *try_all, PqErr *e)
{
    PqKeyFound found = {0};

    lock->wants = no_name;
    *try_all = false;
    if (!m->keys) {
        return PQ_OK;
    }
    PQ_TRY(pq_key_find(m->keys, named, metadata, m->source, m->mem, m->a, &found,
                       e));
    lock->key = found.key;
    lock->wants = found.wants ? found.wants : no_name;
    *try_all = found.try_all;
    return PQ_OK;
}

PqRc pq_locks_new(const PqLockMaker *m, const PqEncryptionAlgorithm *how,
                  PqSlice key_metadata, bool encrypted_footer,
                  PqFileLocks **out, PqErr *e)
{
    const PqAesSettings *aes = &how->gcm;
    PqFileLocks *l;

    if (m->keys && m->keys->ring) {
        pq_key_material_doubt(m->keys->ring);
    }
    PQ_TRY(PQ_ARENA_NEW(m->a, *out, 1, e));
    l = *out;
    l->encrypted_footer = encrypted_footer;
    l->footer.wants = no_name;
    PQ_TRY(copy_slice(key_metadata, m->a, &l->footer_metadata, e));
    if (PQ_HAS(how, PQ_ENCRYPTION_GCM_CTR)) {
        l->ctr = true;
        aes = &how->gcm_ctr;
    } else if (!PQ_HAS(how, PQ_ENCRYPTION_GCM)) {
        l->no_algorithm = "an algorithm that is not known";
        l->footer.wants = l->no_algorithm;
        return encrypted_footer || pq_key_choice_names(m->keys)
                   ? pq_fail(e, PQ_UNSUPPORTED, "the file is encrypted by %s",
                             l->no_algorithm)
                   : PQ_OK;
    }
    l->footer.ctr = l->ctr;
    PQ_TRY(choose_prefix(l, m, aes, e));
    PQ_TRY(join_aad(l, aes->aad_file_unique, m->a, e));
    return l->no_aad_prefix && encrypted_footer ? no_prefix(e) : PQ_OK;
}

void pq_locks_free(PqFileLocks *l)
{
    if (l) {
        pq_key_release(l->footer.key);
        for (uint32_t i = 0; l->own && i < l->n_leaves; i++) {
            pq_key_release(l->own[i].key);
        }
    }
}

/* A key that was unwrapped is in no ring. */
static void forget(PqLock *lock, const PqKeyRing *ring)
{
    PqKey *k = lock->key;

    if (k && pq_key_ring_find(ring, pq_slice_text(pq_key_name(k))) != k) {
        lock->key = NULL;
        pq_key_release(k);
    }
}

void pq_locks_forget(PqFileLocks *l, const PqKeyRing *ring)
{
    forget(&l->footer, ring);
    for (uint32_t i = 0; l->own && i < l->n_leaves; i++) {
        forget(&l->own[i], ring);
    }
}

/* ---- the footer ------------------------------------------------------------ */

static PqKey *key_at(const PqLockMaker *m, uint32_t i)
{
    return m->keys->ring ? pq_key_ring_at(m->keys->ring, i) : NULL;
}

/* Tries each key of the ring.  With scratch, sealed is a module, which is opened into
** it; without, sealed is the footer, and the key has to fit its signature.  The key
** that fits becomes the key of lock. */
static PqRc try_keys(const PqLockMaker *m, PqLock *lock, PqModule module,
                     PqSlice sealed, const uint8_t *signature, PqBuf *scratch,
                     PqSlice *plain, PqErr *e)
{
    PqLock trial = *lock;
    PqErr why;

    module.lock = &trial;
    for (uint32_t i = 0; (trial.key = key_at(m, i)) != NULL; i++) {
        size_t used;
        PqRc rc;

        pq_err_init(&why);
        rc = scratch ? pq_module_unseal(&module, sealed, scratch, plain, &used,
                                        &why)
                     : pq_module_verify(&module, sealed, signature, &why);
        if (rc == PQ_OK) {
            lock->key = pq_key_hold(trial.key);
            return PQ_OK;
        }
        if (rc != PQ_CORRUPT) {
            return pq_fail(e, rc, "%s", why.text);
        }
    }
    return PQ_OK;
}

static PqRc open_by_trying(PqFileLocks *l, const PqLockMaker *m,
                           uint8_t *sealed, size_t n, PqSlice *plain, PqErr *e)
{
    PqBuf scratch;
    PqRc rc;

    pq_buf_init(&scratch, m->mem, NULL);
    PQ_GO(try_keys(m, &l->footer, footer_module, pq_slice(sealed, n), NULL,
                   &scratch, plain, e));
    if (!l->footer.key) {
        rc = pq_fail(e, PQ_UNSUPPORTED, "the footer is encrypted with a key "
                     "that the file does not name, and no key at hand opens "
                     "it");
        pq_key_hint(no_name, e);
    } else {                         /* it is shorter than the sealed one */
        memcpy(sealed, plain->p, plain->n);
        plain->p = sealed;
    }
done:
    pq_buf_free(&scratch);
    return rc;
}

/* Does the footer open without additional data?  l->footer has its key, unless
** all are to be tried. */
static PqRc notice_unbound(PqFileLocks *l, const PqLockMaker *m, PqSlice sealed,
                           PqErr *e)
{
    PqLock trial = l->footer;
    PqModule module = footer_module;
    PqSlice plain;
    PqBuf scratch;
    size_t used;
    PqErr why;
    PqRc rc;

    trial.unbound = true;
    module.lock = &trial;
    pq_err_init(&why);
    pq_buf_init(&scratch, m->mem, NULL);
    if (trial.key) {
        rc = pq_module_unseal(&module, sealed, &scratch, &plain, &used, &why);
        l->footer.unbound = rc == PQ_OK;
    } else {
        rc = try_keys(m, &trial, module, sealed, NULL, &scratch, &plain, &why);
        l->footer.unbound = trial.key != NULL;
        pq_key_release(trial.key);
    }
    pq_buf_free(&scratch);
    return rc == PQ_OK || rc == PQ_CORRUPT ? PQ_OK
                                           : pq_fail(e, rc, "%s", why.text);
}

PqRc pq_locks_open_footer(PqFileLocks *l, const PqLockMaker *m,
                          uint8_t *sealed, size_t n, PqSlice *plain, PqErr *e)
{
    PqModule module = footer_module;
    bool try_all;
    size_t used;

    module.lock = &l->footer;
    PQ_TRY(find_key(m, m->keys ? m->keys->footer_key : NULL,
                    l->footer_metadata, &l->footer, &try_all, e));
    if (l->footer.aad.n == 0 && !l->ctr && (try_all || l->footer.key)) {
        PQ_TRY(notice_unbound(l, m, pq_slice(sealed, n), e));
    }
    if (try_all) {
        PQ_TRY(open_by_trying(l, m, sealed, n, plain, e));
    } else if (l->footer.key) {
        PQ_TRY(pq_module_unseal_in_place(&module, sealed, n, plain, &used, e));
    } else {
        return footer_missing(l, m, "encrypted", e);
    }
    l->verified = true;
    return PQ_OK;
}

/* A signature that fits l->footer.key, or PQ_CORRUPT. */
static PqRc check_signature(PqFileLocks *l, PqSlice footer, PqSlice signature,
                            PqErr *e)
{
    PqModule module = footer_module;

    module.lock = &l->footer;
    if (l->no_aad_prefix) {
        return no_prefix(e);
    }
    if (signature.n != PQ_SIGNATURE_BYTES) {
        return pq_fail(e, PQ_CORRUPT, "the footer of an encrypted file is "
                       "followed by %zu bytes, not by a signature of %d",
                       signature.n, PQ_SIGNATURE_BYTES);
    }
    PQ_TRY(pq_module_verify(&module, footer, signature.p, e));
    l->verified = true;
    return PQ_OK;
}

PqRc pq_locks_check_footer(PqFileLocks *l, const PqLockMaker *m, PqSlice footer,
                           PqSlice signature, PqErr *e)
{
    const char *named = m->keys ? m->keys->footer_key : NULL;
    bool try_all;

    if (l->no_algorithm) {
        return PQ_OK;
    }
    PQ_TRY(find_key(m, named, l->footer_metadata, &l->footer, &try_all, e));
    if (l->footer.key) {
        return check_signature(l, footer, signature, e);
    }
    if (named) {                     /* the user wants it to be verified */
        return footer_missing(l, m, "signed", e);
    }
    if (try_all && !l->no_aad_prefix && signature.n == PQ_SIGNATURE_BYTES) {
        PQ_TRY(try_keys(m, &l->footer, footer_module, footer, signature.p, NULL,
                        NULL, e));
        l->verified = l->footer.key != NULL;
    }
    return PQ_OK;
}

PqRc pq_locks_check_again(PqFileLocks *l, PqSlice footer, PqSlice signature,
                          PqErr *e)
{
    return l->footer.key && !l->verified
               ? check_signature(l, footer, signature, e) : PQ_OK;
}

PqRc pq_locks_check_algorithm(const PqFileLocks *l,
                              const PqEncryptionAlgorithm *how, PqErr *e)
{
    int want = l->ctr ? PQ_ENCRYPTION_GCM_CTR : PQ_ENCRYPTION_GCM;

    return PQ_HAS(how, want)
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "the encrypted footer says another "
                         "algorithm than stands before it: the file was "
                         "changed");
}

/* ---- leaves ---------------------------------------------------------------- */

/* Is it encrypted, and not with the footer's key? */
static bool has_own_key(const PqColumnChunk *c)
{
    return PQ_HAS(c, PQ_CHUNK_CRYPTO) &&
           !PQ_HAS(&c->crypto_metadata, PQ_CRYPTO_FOOTER_KEY);
}

/* The key that opens the metadata of the leaf's first chunk. */
static PqRc try_column_keys(PqLock *lock, const PqLockMaker *m, uint32_t leaf,
                            const PqColumnChunk *c, PqErr *e)
{
    PqModule module = {PQ_MODULE_COLUMN_META, 0, (int)leaf, -1, lock};
    PqSlice plain;
    PqBuf scratch;
    PqRc rc;

    if (!PQ_HAS(c, PQ_CHUNK_ENCRYPTED_META)) {
        return PQ_OK;
    }
    pq_buf_init(&scratch, m->mem, NULL);
    rc = try_keys(m, lock, module, c->encrypted_column_metadata, NULL,
                  &scratch, &plain, e);
    pq_buf_free(&scratch);
    return rc;
}

static PqRc make_own(PqFileLocks *l, const PqLockMaker *m, uint32_t leaf,
                     const char *named, const PqColumnChunk *c, PqErr *e)
{
    PqLock *lock = &l->own[leaf];
    bool try_all;

    lock->ctr = l->ctr;
    lock->aad = l->footer.aad;
    if (l->no_algorithm || !PQ_HAS(&c->crypto_metadata, PQ_CRYPTO_COLUMN_KEY)) {
        lock->wants = l->no_algorithm ? l->no_algorithm
                                      : "a kind of key that is not known";
        return PQ_OK;
    }
    l->leaf_metadata[leaf] = c->crypto_metadata.column_key.key_metadata;
    PQ_TRY(find_key(m, named, l->leaf_metadata[leaf], lock, &try_all, e));
    if (l->no_aad_prefix) {
        pq_key_release(lock->key);
        lock->key = NULL;
        lock->wants = "an AAD prefix that aad_prefix= has to give";
    } else if (try_all) {
        return try_column_keys(lock, m, leaf, c, e);
    }
    return PQ_OK;
}

static PqRc make_lock(PqFileLocks *l, const PqLockMaker *m, const PqLeaf *leaf,
                      const PqColumnChunk *c, PqErr *e)
{
    const char *named = m->keys ? pq_key_choice_column(m->keys, leaf->path)
                                : NULL;

    if (!PQ_HAS(c, PQ_CHUNK_CRYPTO) && !l->footer.unbound) {
        return !named ? PQ_OK
                      : pq_fail(e, PQ_CORRUPT, "column_keys= names a key of "
                                "the column, but it is not encrypted: someone "
                                "may have replaced the file");
    }
    if (!has_own_key(c)) {
        l->of_leaf[leaf->index] = &l->footer;
        return l->footer.key || l->encrypted_footer || l->no_aad_prefix ||
                       l->no_algorithm || !m->keys
                   ? PQ_OK
                   : try_column_keys(&l->footer, m, leaf->index, c, e);
    }
    l->of_leaf[leaf->index] = &l->own[leaf->index];
    return make_own(l, m, leaf->index, named, c, e);
}

PqRc pq_locks_of_leaves(PqFileLocks *l, const PqLockMaker *m,
                        const PqSchema *schema, const PqSliceList *chunks,
                        PqErr *e)
{
    PqArena scratch;
    PqRc rc = PQ_OK;

    PQ_TRY(PQ_ARENA_NEW(m->a, l->of_leaf, schema->n_leaves, e));
    PQ_TRY(PQ_ARENA_NEW(m->a, l->own, schema->n_leaves, e));
    PQ_TRY(PQ_ARENA_NEW(m->a, l->leaf_metadata, schema->n_leaves, e));
    l->n_leaves = schema->n_leaves;
    pq_arena_init(&scratch, m->mem);
    for (uint32_t i = 0; chunks && i < l->n_leaves; i++) {
        PqSlice bytes = chunks->v[i];
        PqColumnChunk c;

        e->where.row_group = 0;
        e->where.column = schema->leaves[i].path;
        PQ_GO(pq_format_read_chunk(&bytes, &scratch, &c, e));
        PQ_GO(make_lock(l, m, &schema->leaves[i], &c, e));
        pq_arena_reset(&scratch);
    }
    e->where.row_group = -1;
    e->where.column = NULL;
done:
    pq_arena_free(&scratch);
    return rc;
}

/* ---- one chunk --------------------------------------------------------------- */

/* Does the chunk say the same about its key as the leaf's first chunk? */
static bool same_key(const PqFileLocks *l, uint32_t leaf,
                     const PqColumnChunk *c)
{
    const PqLock *lock = l->of_leaf[leaf];

    if (!has_own_key(c)) {
        return lock == (l->footer.unbound || PQ_HAS(c, PQ_CHUNK_CRYPTO)
                            ? &l->footer : NULL);
    }
    return lock == &l->own[leaf] &&
           pq_slice_equal(l->leaf_metadata[leaf],
                          c->crypto_metadata.column_key.key_metadata);
}

/* The module lies in the footer's bytes, which are shared: it is opened in a
** copy. */
static PqRc open_metadata(const PqModule *module, PqArena *a, PqColumnChunk *c,
                          PqErr *e)
{
    PqSlice sealed = c->encrypted_column_metadata, plain;
    size_t used;
    uint8_t *p = pq_arena_bytes(a, sealed.n, e);

    if (!p) {
        return e->rc;
    }
    pq_bytes_copy(p, sealed.p, sealed.n);
    PQ_TRY(pq_module_unseal_in_place(module, p, sealed.n, &plain, &used, e));
    PQ_TRY(pq_format_read_column_meta(&plain, a, &c->meta_data, e));
    c->has |= 1u << PQ_CHUNK_META_DATA;
    return PQ_OK;
}

PqRc pq_locks_chunk(const PqFileLocks *l, uint32_t group, uint32_t leaf,
                    PqArena *a, PqColumnChunk *c, PqErr *e)
{
    PqModule module = {PQ_MODULE_COLUMN_META, (int)group, (int)leaf, -1,
                       l->of_leaf[leaf]};

    c->lock = l->of_leaf[leaf];
    if (!same_key(l, leaf, c)) {
        return pq_fail(e, PQ_CORRUPT, "the column has another key here than in "
                                      "row group 0");
    }
    if (!c->lock) {
        return PQ_OK;
    }
    if (c->file_path.n > 0) {
        return pq_fail(e, PQ_UNSUPPORTED, "the column is encrypted and lies in "
                       "another file; such a summary is not read");
    }
    if (!c->lock->key) {
        return missing(l, c->lock, e);
    }
    if (PQ_HAS(c, PQ_CHUNK_ENCRYPTED_META)) {
        return open_metadata(&module, a, c, e);
    }
    /* In a plaintext footer, anyone could have changed what it says about an
    ** encrypted column. */
    return l->encrypted_footer || !PQ_HAS(c, PQ_CHUNK_META_DATA)
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "the column is encrypted, its metadata "
                                        "is not");
}
