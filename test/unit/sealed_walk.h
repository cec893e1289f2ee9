/*
** sealed_walk.h - walks through an encrypted file, by the specification alone.
**
** It opens every module with the ordinals that it must have, without the code
** that reads files.  What it checks on the way:
**
**   every byte belongs to one module, or to the length and the magic at the end
**   pages, sizes, checksums and indexes fit each other
**   each column has the key that the test expects, and the others are clear
**   a footer says of a column only what its readers may know
**   a row group's ordinal is its position
**
** All nonces are collected, over as many files as are walked through.
*/
#ifndef SEALED_WALK_H
#define SEALED_WALK_H

#include "core/crypto/key_ring.h"
#include "core/crypto/module.h"
#include "test/unit/test.h"

typedef struct Walked {
    Test      *t;
    PqKeyRing *ring;
    const char *aad_prefix;          /* what the reader supplies, or NULL    */
    bool       stored_prefix;        /* it must be in the file               */
    bool       ctr, plaintext_footer;        /* what is expected             */
    const char *footer_key;
    const char *(*key_of)(const char *leaf);     /* NULL: in the clear       */
    uint32_t   n_files, n_groups, n_chunks, n_dictionaries;
    uint32_t   n_mixed;              /* chunks that gave their dictionary up */
    uint32_t   n_claims;             /* sorting columns                      */
    uint32_t   n_sealed[PQ_MODULE_KIND_COUNT];   /* modules                  */
    bool       has_bounds;           /* ... in the clear, of any column      */
    PqSlice    geo;                  /* the key "geo", until walked_end      */
    uint64_t  *uniques;              /* the unique bytes of each file        */
    uint8_t   *nonces;               /* PQ_NONCE_BYTES each                  */
    uint32_t   n_nonces, nonces_room;
    PqArena    arena;
} Walked;

void walked_begin(Test *t, Walked *w, PqKeyRing *ring);
void walked_end(Walked *w);

PqRc walked_file(Walked *w, const char *path, PqErr *e);

/* All files of a folder, and of those below it. */
PqRc walked_folder(Walked *w, const char *folder, PqErr *e);

/* Is each nonce there once? */
bool walked_nonces_differ(Walked *w);

#endif
