/*
** made_sealed.h - the encrypted parts of a file of made_chunk.h.
**
**   m.seal.footer = &lock;          the footer is sealed, or, with is_signed,
**                                   in the clear and signed
**   m.lock = &other;                chunks that begin now are encrypted
**
** A chunk has the footer's key if it has the footer's lock, else one of its own.
** The key metadata are the names of the keys, unless no_names.
*/
#ifndef MADE_SEALED_H
#define MADE_SEALED_H

#include "core/meta/footer.h"
#include "test/unit/test.h"

typedef struct MadeSeal {
    const PqLock      *footer;
    const PqKeyChoice *keys;         /* to read it with */
    bool               is_signed;
    bool               no_names;     /* no key metadata */
    bool               clear_levels; /* as by parquet-mr */
    bool               padded;       /* likewise: bytes after each struct */
    bool               swaps_headers;    /* sealed as of the other kind */
    bool               hides_prefix;
    size_t             prefix;       /* bytes of the lock's AAD */
} MadeSeal;

static inline void made_seal(const MadeSeal *s, const PqLock *lock,
                             PqModuleKind kind, int column, int page,
                             PqBuf *plain, PqBuf *out)
{
    PqModule m = {kind, 0, column, page, lock};

    if (lock && s->padded && kind != PQ_MODULE_DATA_PAGE &&
        kind != PQ_MODULE_DICTIONARY_PAGE) {
        pq_buf_text(plain, "padding");
    }
    pq_module_seal(&m, pq_buf_view(plain), out, out->sink);
}

static inline PqSlice made_key_name(const MadeSeal *s, const PqLock *lock)
{
    return s->no_names ? pq_slice(NULL, 0)
                       : pq_slice_text(pq_key_name(lock->key));
}

static inline void made_lock_chunk(const MadeSeal *s, const PqLock *lock,
                                   PqColumnChunk *c)
{
    PqColumnCryptoMetaData *x = &c->crypto_metadata;

    c->lock = lock;
    if (!lock) {
        return;
    }
    c->has |= 1u << PQ_CHUNK_CRYPTO;
    x->has = 1u << PQ_CRYPTO_FOOTER_KEY;
    if (lock != s->footer) {
        x->has = 1u << PQ_CRYPTO_COLUMN_KEY;
        x->column_key.has = 1u << PQ_COLUMN_KEY_PATH |
                            (s->no_names ? 0u : 1u << PQ_COLUMN_KEY_METADATA);
        x->column_key.key_metadata = made_key_name(s, lock);
    }
}

static inline void made_seal_page(const MadeSeal *s, const PqLock *lock,
                                  int column, int page, const PqPageHeader *h,
                                  PqBuf *body)
{
    size_t n = s->clear_levels
                   ? (size_t)(h->data_page_v2.definition_levels_byte_length +
                              h->data_page_v2.repetition_levels_byte_length)
                   : 0;
    PqBuf plain;

    if (!lock) {
        return;
    }
    pq_buf_init(&plain, body->mem, body->sink);
    pq_buf_add(&plain, body->p + n, body->n - n);
    body->n = n;
    made_seal(s, lock, h->type == PQ_PAGE_DICTIONARY
                           ? PQ_MODULE_DICTIONARY_PAGE : PQ_MODULE_DATA_PAGE,
              column, page, &plain, body);
    pq_buf_free(&plain);
}

static inline void made_seal_header(const MadeSeal *s, const PqLock *lock,
                                    int column, int page,
                                    const PqPageHeader *h, PqBuf *out)
{
    bool dictionary = (h->type == PQ_PAGE_DICTIONARY) != s->swaps_headers;
    PqBuf plain;

    pq_buf_init(&plain, out->mem, out->sink);
    pq_format_write_page_header(h, &plain);
    made_seal(s, lock, dictionary ? PQ_MODULE_DICTIONARY_PAGE_HEADER
                                  : PQ_MODULE_DATA_PAGE_HEADER,
              column, page, &plain, out);
    pq_buf_free(&plain);
}

/* Writes the chunk.  With a key of its own, or beside a plaintext footer, its
** metadata are encrypted. */
static inline void made_seal_metadata(const MadeSeal *s, int column,
                                      PqColumnChunk *c, PqBuf *out, Test *t)
{
    PqBuf plain, sealed;

    pq_buf_init(&plain, t->mem, t->e);
    pq_buf_init(&sealed, t->mem, t->e);
    if (c->lock && (c->lock != s->footer || s->is_signed)) {
        pq_format_write_column_meta(&c->meta_data, &plain);
        made_seal(s, c->lock, PQ_MODULE_COLUMN_META, column, -1, &plain,
                  &sealed);
        c->has |= 1u << PQ_CHUNK_ENCRYPTED_META;
        c->has &= ~(s->is_signed ? 0 : 1u << PQ_CHUNK_META_DATA);
        c->encrypted_column_metadata = pq_buf_view(&sealed);
    }
    pq_format_write_chunk(c, out);
    pq_buf_free(&plain);
    pq_buf_free(&sealed);
}

static inline PqEncryptionAlgorithm made_algorithm(const MadeSeal *s)
{
    PqSlice aad = s->footer->aad;
    PqAesSettings aes = {.has = 1u << PQ_AES_UNIQUE |
                                1u << (s->hides_prefix ? PQ_AES_SUPPLY_PREFIX
                                                       : PQ_AES_PREFIX)};
    PqEncryptionAlgorithm a = {.has = 1u << (s->footer->ctr
                                                 ? PQ_ENCRYPTION_GCM_CTR
                                                 : PQ_ENCRYPTION_GCM)};

    aes.aad_prefix = pq_slice(aad.p, s->prefix);
    aes.supply_aad_prefix = s->hides_prefix;
    aes.aad_file_unique = pq_slice(aad.p + s->prefix, aad.n - s->prefix);
    a.gcm = a.gcm_ctr = aes;
    return a;
}

/* The bytes between the last chunk and the length. */
static inline void made_seal_footer(const MadeSeal *s, PqFileMetaData *file,
                                    PqBuf *out, Test *t)
{
    PqModule m = {PQ_MODULE_FOOTER, -1, -1, -1, s->footer};
    uint8_t signature[PQ_SIGNATURE_BYTES];
    PqFileCryptoMetaData how;
    PqBuf plain;

    if (!s->footer) {
        pq_format_write_file(file, out);
        return;
    }
    how = (PqFileCryptoMetaData){
        .has = 1u << PQ_FILE_CRYPTO_ALGORITHM |
               (s->no_names ? 0u : 1u << PQ_FILE_CRYPTO_KEY),
        .encryption_algorithm = made_algorithm(s),
        .key_metadata = made_key_name(s, s->footer)};
    if (s->is_signed) {
        file->has |= 1u << PQ_FILE_ENCRYPTION |
                     (s->no_names ? 0u : 1u << PQ_FILE_SIGNING_KEY);
        file->encryption_algorithm = how.encryption_algorithm;
        file->footer_signing_key_metadata = how.key_metadata;
        pq_format_write_file(file, out);
        pq_module_sign(&m, pq_buf_view(out), signature, t->e);
        pq_buf_add(out, signature, sizeof signature);
        return;
    }
    pq_buf_init(&plain, t->mem, t->e);
    pq_format_write_file(file, &plain);
    pq_format_write_file_crypto(&how, out);
    made_seal(s, s->footer, PQ_MODULE_FOOTER, -1, -1, &plain, out);
    pq_buf_free(&plain);
}

#endif
