/*
** module.h - the one way to read a part of a Parquet file, and to write one.
**
** The format calls each separately encrypted part a module: the footer, a page
** header, a page, an index, the two parts of a Bloom filter.  Every read names
** the module it belongs to, because decryption needs to know.  A shortcut (32
** bytes out of a Bloom filter) asks pq_module_whole whether the module can be
** read in parts.
**
**   plain            bytes as they are
**   sealed           length (4) | nonce (12) | ciphertext | tag (16)
**   sealed by CTR    length (4) | nonce (12) | ciphertext           (pages only)
**
** Reading takes two steps.  pq_module_fetch brings a window of raw bytes from
** the source, so that neighbours are fetched in one call. pq_module_unseal
** turns the front of raw bytes into the plain bytes of one module.  For a plain
** module that is a view of the same bytes.  A plain module has no length, so
** the view reaches to the end of raw, and the caller finds out where the module
** ends.
**
** pq_module_seal is the mirror, for writing.
**
** A sealed module is bound to its place.  This is authenticated with it:
**
**   AAD prefix | file's unique bytes | kind (1) | row group (2) | column (2)
**                                                               | page (2)
**
** The footer has no ordinals, and only data pages and their headers have the
** ordinal of a page.
*/
#ifndef PQ_MODULE_H
#define PQ_MODULE_H

#include "core/base/source.h"
#include "core/crypto/aes_key.h"

/* Numbers as in the format's "module type" byte. */
typedef enum PqModuleKind {
    PQ_MODULE_FOOTER = 0,
    PQ_MODULE_COLUMN_META = 1,
    PQ_MODULE_DATA_PAGE = 2,
    PQ_MODULE_DICTIONARY_PAGE = 3,
    PQ_MODULE_DATA_PAGE_HEADER = 4,
    PQ_MODULE_DICTIONARY_PAGE_HEADER = 5,
    PQ_MODULE_COLUMN_INDEX = 6,
    PQ_MODULE_OFFSET_INDEX = 7,
    PQ_MODULE_BLOOM_HEADER = 8,
    PQ_MODULE_BLOOM_BITS = 9,
    PQ_MODULE_KIND_COUNT
} PqModuleKind;

/* What the modules of a column, or the footer, are sealed with.  It belongs to
** a footer, or to a file that is being written, and outlives their modules. */
typedef struct PqLock {
    PqKey      *key;                 /* NULL: it is not at hand              */
    const char *wants;               /* without a key: what is missing       */
    bool        ctr;                 /* AES_GCM_CTR_V1: pages are not
                                     ** authenticated                        */
    PqSlice     aad;                 /* prefix, unique bytes                 */
    bool        unbound;             /* opened without additional data, see
                                     ** pq_locks_open_footer                 */
} PqLock;

typedef struct PqModule {
    PqModuleKind kind;
    int          row_group, column, page;    /* ordinals; -1 where none      */
    const PqLock *lock;              /* NULL: plain                          */
} PqModule;

/* The format has 15 bits for an ordinal of a sealed module. */
enum { PQ_ORDINAL_MOST = 32767 };

/* An open file as the rest of the engine sees it. */
typedef struct PqInput {
    PqSource *source;
    _Atomic uint64_t bytes_by_kind[PQ_MODULE_KIND_COUNT];    /* statistics */
} PqInput;

const char *pq_module_name(PqModuleKind kind);       /* "column index" */

/* n raw bytes at offset, for module (or, for a window, beginning with it). */
PqRc pq_module_fetch(PqInput *in, const PqModule *module, uint64_t offset,
                     size_t n, uint8_t *out, PqErr *e);

/* How many bytes the module at the front of raw takes: 0 if it is plain.  raw
** has at least 4 bytes, or PQ_CORRUPT.  The length is a claim: raw, and the
** file, may have fewer. */
PqRc pq_module_size(const PqModule *module, PqSlice raw, size_t *n, PqErr *e);

/* The plain bytes of the module at the front of raw.  *used is how many raw
** bytes it took, or 0 when the caller has to find out (it is plain).  scratch
** holds the plain bytes if they do not lie in raw.  PQ_UNSUPPORTED: the key is
** not at hand.  PQ_CORRUPT: it does not open. */
PqRc pq_module_unseal(const PqModule *module, PqSlice raw, PqBuf *scratch,
                      PqSlice *plain, size_t *used, PqErr *e);

/* The same without another buffer: plain lies in raw, which is overwritten. */
PqRc pq_module_unseal_in_place(const PqModule *module, uint8_t *raw, size_t n,
                               PqSlice *plain, size_t *used, PqErr *e);

/* The same for a module whose front, length and nonce, was read elsewhere: body
** is the rest, n bytes, and plain lies at its begin. */
enum { PQ_SEAL_FRONT = 4 + PQ_NONCE_BYTES };
PqRc pq_module_unseal_rest(const PqModule *module,
                           const uint8_t front[PQ_SEAL_FRONT], uint8_t *body,
                           size_t n, PqSlice *plain, PqErr *e);

/* True when the module can only be read whole. */
static inline bool pq_module_whole(const PqModule *module)
{
    return module->lock != NULL;
}

/* How many bytes sealing adds: 0, 16 or 32. */
size_t pq_module_overhead(const PqModule *module);

/* Appends the bytes of the module as the file has them; out must not overlap
** plain.  PQ_USAGE: an ordinal is too large, or the key has sealed too often. */
PqRc pq_module_seal(const PqModule *module, PqSlice plain, PqBuf *out,
                    PqErr *e);

/* The signature of a plaintext footer: nonce and tag of the footer's bytes, and
** whether it fits. */
enum { PQ_SIGNATURE_BYTES = PQ_NONCE_BYTES + PQ_TAG_BYTES };
PqRc pq_module_sign(const PqModule *footer, PqSlice plain,
                    uint8_t out[PQ_SIGNATURE_BYTES], PqErr *e);
PqRc pq_module_verify(const PqModule *footer, PqSlice plain,
                      const uint8_t signature[PQ_SIGNATURE_BYTES], PqErr *e);

#endif
