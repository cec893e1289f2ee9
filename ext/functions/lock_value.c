/*
** lock_value.c - columns about encryption, for the functions that look into
** files: what a column is encrypted with, and which key is missing.
**
** A file is shown if its footer can be read, whatever keys are at hand.  Values
** that a missing key hides are NULL, and the column missing_key names the key.
*/
#include "ext/functions/table_function.h"

const PqLock *pqext_leaf_lock(const PqextCall *call, uint32_t leaf)
{
    const PqFileLocks *locks = call->footer->locks;

    return locks && leaf < locks->n_leaves ? locks->of_leaf[leaf] : NULL;
}

void pqext_result_encrypted_with(sqlite3_context *ctx, const PqextCall *call,
                                 uint32_t leaf)
{
    const PqLock *lock = pqext_leaf_lock(call, leaf);

    if (lock) {
        pqext_result_text(ctx, lock == &call->footer->locks->footer
                                   ? "footer key" : "column key");
    }
}

void pqext_result_missing_key(sqlite3_context *ctx, const PqLock *lock)
{
    if (lock && !lock->key) {
        pqext_result_text(ctx, lock->wants);
    }
}

PqRc pqext_give_text_or_blob(const PqextCall *call, const void *slice,
                             sqlite3_context *ctx, PqErr *e)
{
    const PqSlice *s = slice;

    if (pq_utf8_valid(*s)) {
        return pqext_give_slice(call, s, ctx, e);
    }
    pqext_result_blob(ctx, *s);
    return PQ_OK;
}

PqRc pqext_result_key_metadata(sqlite3_context *ctx, const PqextCall *call,
                               const PqColumnCryptoMetaData *m, PqErr *e)
{
    const PqFileLocks *locks = call->footer->locks;

    if (PQ_HAS(m, PQ_CRYPTO_COLUMN_KEY)) {
        return m->column_key.key_metadata.n
                   ? pqext_give_text_or_blob(call, &m->column_key.key_metadata,
                                             ctx, e)
                   : PQ_OK;
    }
    return PQ_HAS(m, PQ_CRYPTO_FOOTER_KEY) && locks && locks->footer_metadata.n
               ? pqext_give_text_or_blob(call, &locks->footer_metadata, ctx, e)
               : PQ_OK;
}
