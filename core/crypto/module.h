/*
** module.h - the one way to read a part of a Parquet file.
**
** The format calls each separately encrypted part a module: the footer, a page
** header, a page, an index, the two parts of a Bloom filter.  Every read names
** the module it belongs to, because decryption needs to know.  A shortcut (32
** bytes out of a Bloom filter) asks pq_module_whole whether the module can be
** read in parts.
**
**   plain file       bytes as they are
**   encrypted file   length (4) | nonce (12) | ciphertext | tag (16)
**
** Reading takes two steps.  pq_module_fetch brings raw bytes from the source, a
** whole window of them, because neighbours are fetched in one call.
** pq_module_unseal turns the front of raw bytes into the plain bytes of one
** module.  In a plain file that is a view of the same bytes.  No length of a
** module is stored there, so the view reaches to the end, and the caller finds
** out how much of it is the module.
*/
#ifndef PQ_MODULE_H
#define PQ_MODULE_H

#include "core/base/source.h"

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

typedef struct PqModule {
    PqModuleKind kind;
    int          row_group, column, page;    /* ordinals; -1 where none */
} PqModule;

/* An open file as the rest of the engine sees it. */
typedef struct PqInput {
    PqSource *source;
    _Atomic uint64_t bytes_by_kind[PQ_MODULE_KIND_COUNT];    /* statistics */
} PqInput;

const char *pq_module_name(PqModuleKind kind);       /* "column index" */

/* n raw bytes at offset, for module (or, for a window, beginning with it). */
PqRc pq_module_fetch(PqInput *in, const PqModule *module, uint64_t offset,
                     size_t n, uint8_t *out, PqErr *e);

/* The plain bytes of the module at the front of raw.  *used is how many raw
** bytes it took, or 0 when the caller has to find out (a plain file).  scratch
** holds the plain bytes if they are not those of raw. */
PqRc pq_module_unseal(PqInput *in, const PqModule *module, PqSlice raw,
                      PqBuf *scratch, PqSlice *plain, size_t *used, PqErr *e);

/* True when the module can only be read whole. */
bool pq_module_whole(const PqInput *in, const PqModule *module);

#endif
