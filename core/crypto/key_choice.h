/*
** key_choice.h - which key opens which part of a file.
**
** The user may name keys.  If not, the file's own key metadata tells.  It is
** the name of a key, or key material as parquet-java writes it: JSON with the
** wrapped key and the name of the master key that wrapped it.
**
**   footer_key=kf, column_keys='ssn=k1'      named
**   key_metadata "kf"                        the name of a key in the ring
**   key_metadata {"keyMaterialType": "PKMT1", "masterKeyID": "kf",
**                 "wrappedDEK": "...", ...}  unwrapped with key "kf"
**   key_metadata {..., "internalStorage": false, "keyReference": "k3"}
**                                            the same, found in the file
**                                            _KEY_MATERIAL_FOR_<name>.json
**   no key metadata                          each key of the ring is tried
**
** Trying is safe because a key is taken only if it authenticates something.
*/
#ifndef PQ_KEY_CHOICE_H
#define PQ_KEY_CHOICE_H

#include "core/base/arena.h"
#include "core/base/source.h"
#include "core/crypto/key_ring.h"

typedef struct PqColumnKeyName {
    const char *column;              /* dotted path: of a leaf, or of a node
                                     ** above leaves                         */
    const char *key;
} PqColumnKeyName;

typedef struct PqKeyChoice {
    PqKeyRing  *ring;
    const char *footer_key;          /* NULL: not named                      */
    const PqColumnKeyName *columns;
    uint32_t    n_columns;
    const char *aad_prefix;          /* NULL: not given                      */
} PqKeyChoice;

/* Does the user name keys?  Then a file that is not encrypted is an error. */
bool pq_key_choice_names(const PqKeyChoice *c);          /* c may be NULL */

/* The name of the key of a leaf; NULL: not named.  The longest path wins. */
const char *pq_key_choice_column(const PqKeyChoice *c, const char *leaf_path);

/* Appends a text that two choices share exactly if they, and the keys in their
** rings, are the same.  It has no byte of a key.  c may be NULL. */
void pq_key_choice_text(const PqKeyChoice *c, PqBuf *out);

/* The path of the key material beside the file at path, in a.  And the other
** way round: NULL and no error if path does not name key material. */
char *pq_key_material_path(const char *path, PqArena *a, PqErr *e);
char *pq_key_material_of(const char *path, PqArena *a, PqErr *e);

/* Before the first search for the keys of a file: its key material may have changed. */
void pq_key_material_doubt(PqKeyRing *ring);

/* What a search for a key has found. */
typedef struct PqKeyFound {
    PqKey      *key;                 /* held for the caller; NULL: none      */
    bool        try_all;             /* no name and no metadata: try those of
                                     ** the ring                             */
    const char *wants;               /* in a: what is missing, for a message:
                                     ** "key kf"; never a byte of a key, nor
                                     ** a name that looks like one           */
} PqKeyFound;

/* Looks for the key of a part: named, or by its metadata.  source: the file,
** for key material beside it; NULL: none.  Key material that is damaged, or that the master
** key does not open, is PQ_CORRUPT. */
PqRc pq_key_find(const PqKeyChoice *c, const char *named, PqSlice metadata,
                 PqSource *source, PqMem *mem, PqArena *a, PqKeyFound *out,
                 PqErr *e);

#endif
