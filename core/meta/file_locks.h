/*
** file_locks.h - the locks of a file that is read: one for its footer, and one
** for each leaf that is encrypted.
**
**   encrypted footer   "PARE"   FileCryptoMetaData | sealed FileMetaData
**                               says how, and with which key
**   plaintext footer   "PAR1"   FileMetaData | signature
**                               says so itself, and may be read without a key
**
** A leaf is encrypted with the footer's key or with a key of its own; what its
** first chunk says counts for all of its chunks.  A missing key is not an error
** here: the other columns can be read.
**
** The bytes of a plaintext footer can be changed by anyone who has no key.  With
** the footer's key at hand, its signature must fit.  Without that key the file
** is read as by a reader that knows nothing of encryption: the columns in the
** clear are readable, and nothing vouches for them.
**
** An AAD prefix says which file it is.  If the user gives a prefix, it must be
** the stored one, and the file must have the usual number of unique bytes.  If
** the file has no prefix, the given one is of no use, and a scan notes that.
*/
#ifndef PQ_FILE_LOCKS_H
#define PQ_FILE_LOCKS_H

#include "core/crypto/key_choice.h"
#include "core/crypto/module.h"
#include "core/meta/format.h"
#include "core/meta/schema.h"

typedef struct PqFileLocks {
    bool     ctr;                    /* AES_GCM_CTR_V1                       */
    bool     encrypted_footer;
    bool     verified;               /* the footer: opened, or its signature
                                     ** fits                                 */
    PqLock   footer;
    const PqLock **of_leaf;          /* n_leaves; NULL: in the clear.  A leaf
                                     ** with the footer's key has &footer    */
    PqLock  *own;                    /* locks of leaves with a key of theirs */
    PqSlice *leaf_metadata;          /* n_leaves: their key metadata         */
    uint32_t n_leaves;
    PqSlice  footer_metadata;        /* key metadata of the footer           */
    PqSlice  aad_prefix;             /* stored or given                      */
    bool     supply_aad_prefix;      /* the file does not store it           */
    bool     no_aad_prefix;          /* ... nor was it given                 */
    const char *no_algorithm;        /* why nothing can be opened, or NULL   */
} PqFileLocks;

/* The lock of a leaf; NULL: it is in the clear.  l may be NULL. */
static inline const PqLock *pq_leaf_lock(const PqFileLocks *l, uint32_t leaf)
{
    return l && leaf < l->n_leaves ? l->of_leaf[leaf] : NULL;
}

/* For whom locks are made, and where they live. */
typedef struct PqLockMaker {
    const PqKeyChoice *keys;         /* NULL: there are none                 */
    PqSource          *source;       /* the file                             */
    PqMem             *mem;
    PqArena           *a;            /* of the footer                        */
} PqLockMaker;

/* Makes the footer's lock, by what the file says.  *out is set even after a
** failure, and has to be freed. */
PqRc pq_locks_new(const PqLockMaker *m, const PqEncryptionAlgorithm *how,
                  PqSlice key_metadata, bool encrypted_footer,
                  PqFileLocks **out, PqErr *e);

/* Lets go of the keys. */
void pq_locks_free(PqFileLocks *l);              /* l may be NULL */

/* Lets go of the keys that ring does not have. */
void pq_locks_forget(PqFileLocks *l, const PqKeyRing *ring);

/* Opens a sealed footer, in sealed itself.  PQ_UNSUPPORTED without its key.
**
** QUIRK: DuckDB seals every module of a file with the footer's key and without
** additional data, so nothing binds a module to its place.  The chunks do not
** say that they are encrypted, and the sizes of pages do not count the seal.
** Such a file has no unique bytes, and its footer opens without additional
** data: l->footer.unbound.  No other file can be made to look like that,
** because its footer does not open without additional data (tests:
** duckdb_*.parquet.encrypted). */
PqRc pq_locks_open_footer(PqFileLocks *l, const PqLockMaker *m,
                          uint8_t *sealed, size_t n, PqSlice *plain, PqErr *e);

/* Compares a plaintext footer with its signature, if the key is at hand. */
PqRc pq_locks_check_footer(PqFileLocks *l, const PqLockMaker *m, PqSlice footer,
                           PqSlice signature, PqErr *e);

/* Is this the algorithm?  In a sealed footer a writer may repeat it, and there it
** is authenticated. */
PqRc pq_locks_check_algorithm(const PqFileLocks *l,
                              const PqEncryptionAlgorithm *how, PqErr *e);

/* The locks of the leaves, by the chunks of the first row group; there may be
** none.  A column that keys names, and that is in the clear, is an error. */
PqRc pq_locks_of_leaves(PqFileLocks *l, const PqLockMaker *m,
                        const PqSchema *schema, const PqSliceList *chunks,
                        PqErr *e);

/* Did opening a column find the footer's key, although pq_locks_check_footer did
** not?  Then the signature must fit it. */
PqRc pq_locks_check_again(PqFileLocks *l, PqSlice footer, PqSlice signature,
                          PqErr *e);

/* Sets c->lock, and opens the encrypted metadata into a.  PQ_CORRUPT if the
** chunk has another key than the leaf's first chunk. */
PqRc pq_locks_chunk(const PqFileLocks *l, uint32_t group, uint32_t leaf,
                    PqArena *a, PqColumnChunk *c, PqErr *e);

#endif
