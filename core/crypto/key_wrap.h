/*
** key_wrap.h - makes random keys for the parts of a file, and wraps them by
** master keys; key_material.h reads the result.
**
** A master key wraps as LocalWrapKmsClient of parquet-java and of Arrow does.
** Every other way needs a service:
**
**   single   wrappedDEK = {"masterKeyVersion": "NO_VERSION", "encryptedKey":
**            base64(nonce | data key sealed by the master key | tag)}
**   double   wrappedKEK is the same of a KEK, and
**            wrappedDEK = base64(nonce | data key sealed by the KEK | tag)
**
** The ID of the master key, or of the KEK, is authenticated.  A master key has
** one KEK in a copy, as in one run of other writers.  Readers keep the KEK by
** its ID, so they ask a service once for many files.  Keys are as long as their
** master key.
**
** This header is for core/crypto and core/write/file_seal.c.
*/
#ifndef PQ_KEY_WRAP_H
#define PQ_KEY_WRAP_H

#include "core/crypto/key_choice.h"

typedef enum PqMaterialPlace {
    PQ_MATERIAL_NONE,                /* key metadata are the name of the key */
    PQ_MATERIAL_INTERNAL,            /* ... are key material                 */
    PQ_MATERIAL_EXTERNAL             /* ... refer to the file beside         */
} PqMaterialPlace;

typedef struct PqKeyWrap PqKeyWrap;

PqRc pq_key_wrap_new(PqMem *mem, PqMaterialPlace place, bool twice,
                     PqKeyWrap **out, PqErr *e);
void pq_key_wrap_free(PqKeyWrap *w);                     /* may be NULL */

/* Makes a key for a part of a file, which the caller releases, and its key
** metadata in a.  number: of the column among the columns with keys of their
** own, or -1 for the footer.  With PQ_MATERIAL_EXTERNAL, a member for the file
** beside is appended to beside, which is empty at first; the caller ends the
** object with "}". */
PqRc pq_key_wrap_make(PqKeyWrap *w, PqKey *master, int number, PqArena *a,
                      PqBuf *beside, PqKey **out, PqSlice *metadata, PqErr *e);

#endif
