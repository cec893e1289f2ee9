/*
** key_members.h - the members of key material, which key_material.c reads and
** key_wrap.c writes.
*/
#ifndef PQ_KEY_MEMBERS_H
#define PQ_KEY_MEMBERS_H

#include "core/base/build.h"

#include <stdbool.h>

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

#endif
