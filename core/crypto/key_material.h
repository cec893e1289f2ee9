/*
** key_material.h - keys that are wrapped by other keys, as parquet-java and
** Arrow write them.
**
** A file's data keys are random.  Each is sealed ("wrapped") with a master key
** that a key management service has, or with a key encryption key (KEK), which
** is wrapped with the master key.  The result is key material, flat JSON:
**
**   {"keyMaterialType": "PKMT1", "internalStorage": true, "isFooterKey": true,
**    "kmsInstanceID": "..", "kmsInstanceURL": "..", "masterKeyID": "kf",
**    "doubleWrapping": true, "keyEncryptionKeyID": "base64",
**    "wrappedKEK": "WRAPPED", "wrappedDEK": "WRAPPED"}
**
** Key metadata in the file are the material itself, or a reference,
**
**   {"keyMaterialType": "PKMT1", "internalStorage": false,
**    "keyReference": "columnKey0"}
**
** and then the material is in a file beside the Parquet file,
** _KEY_MATERIAL_FOR_<name>.json, a JSON object of references and material as
** text.  So a reference is never a path.
**
** What a master key has wrapped is authenticated with its ID, what a KEK has
** wrapped with the KEK's ID, decoded:
**
**   WRAPPED   base64( nonce (12) | key | tag (16) )
**             or {"masterKeyVersion": "NO_VERSION", "encryptedKey": "base64"}
**
** Here the master key has to be in the ring.  A service may wrap in a way of
** its own; such keys cannot be unwrapped here.
**
** key_wrap.h makes such keys.  This header is for core/crypto alone.
*/
#ifndef PQ_KEY_MATERIAL_H
#define PQ_KEY_MATERIAL_H

#include "core/base/source.h"
#include "core/crypto/key_choice.h"

/* The members, which key_material.c reads and key_wrap.c writes. */
typedef enum PqKeyMember {
    PQ_KM_TYPE, PQ_KM_INTERNAL, PQ_KM_REFERENCE, PQ_KM_IS_FOOTER, PQ_KM_KMS_ID,
    PQ_KM_KMS_URL, PQ_KM_MASTER, PQ_KM_WRAPPED_DEK, PQ_KM_DOUBLE, PQ_KM_KEK_ID,
    PQ_KM_WRAPPED_KEK, PQ_KM_VERSION, PQ_KM_ENCRYPTED, PQ_KM_COUNT
} PqKeyMember;

static const struct {
    const char *name;
    bool        is_bool;
} pq_key_members[] = {
    [PQ_KM_TYPE] = {"keyMaterialType", false},
    [PQ_KM_INTERNAL] = {"internalStorage", true},
    [PQ_KM_REFERENCE] = {"keyReference", false},
    [PQ_KM_IS_FOOTER] = {"isFooterKey", true},
    [PQ_KM_KMS_ID] = {"kmsInstanceID", false},
    [PQ_KM_KMS_URL] = {"kmsInstanceURL", false},
    [PQ_KM_MASTER] = {"masterKeyID", false},
    [PQ_KM_WRAPPED_DEK] = {"wrappedDEK", false},
    [PQ_KM_DOUBLE] = {"doubleWrapping", true},
    [PQ_KM_KEK_ID] = {"keyEncryptionKeyID", false},
    [PQ_KM_WRAPPED_KEK] = {"wrappedKEK", false},
    [PQ_KM_VERSION] = {"masterKeyVersion", false},
    [PQ_KM_ENCRYPTED] = {"encryptedKey", false},
};
_Static_assert(PQ_COUNT(pq_key_members) == PQ_KM_COUNT, "one row per member");

/* The two values that have one meaning each. */
#define PQ_KEY_MATERIAL_TYPE "PKMT1"
#define PQ_KEY_NO_VERSION "NO_VERSION"

/* One object, by member. */
typedef struct PqKeyMaterial {
    bool        there[PQ_KM_COUNT];
    bool        yes[PQ_KM_COUNT];    /* of those that are true or false      */
    PqSlice     text[PQ_KM_COUNT];   /* of the others                        */
    const char *missing;             /* the file that should have it; then the
                                     ** rest is empty                        */
} PqKeyMaterial;

/* Reads key metadata, and the file that they refer to.  *is: are they key
** material at all?  PQ_CORRUPT: it is damaged.  What out points to lies in
** metadata, in a, or in the ring until the next call. */
PqRc pq_key_material_read(PqSlice metadata, PqKeyRing *ring, PqSource *source,
                          PqArena *a, PqKeyMaterial *out, bool *is, PqErr *e);

/* Unwraps the key; PQ_CORRUPT if the master key does not open it. */
PqRc pq_key_material_open(const PqKeyMaterial *m, const PqKeyRing *ring,
                          PqMem *mem, PqArena *a, PqKeyFound *out, PqErr *e);

/* Reads a whole file of key material.  The result does not need source any
** more. */
typedef struct PqMaterialFile PqMaterialFile;

PqRc pq_material_file_read(PqMem *mem, PqSource *source, PqMaterialFile **out,
                           PqErr *e);
void pq_material_file_free(PqMaterialFile *f);           /* f may be NULL */
PqRc pq_material_file_find(const PqMaterialFile *f, PqSlice reference,
                           PqArena *a, PqKeyMaterial *out, PqErr *e);

/* The file that was read last.  A ring keeps it, because a file of a thousand
** columns asks a thousand times. */
PqMaterialFile **pq_key_ring_material(PqKeyRing *r, PqMem **mem);

#endif
