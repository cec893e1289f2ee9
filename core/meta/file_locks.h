/*
** file_locks.h - the locks of a file that is read: of its footer, and of each
** leaf that is encrypted.
**
**   encrypted footer   "PARE"   FileCryptoMetaData | sealed FileMetaData
**                               says how, and with which key
**   plaintext footer   "PAR1"   FileMetaData | signature
**                               says so itself, and may be read without a key
**
** A leaf is encrypted with the footer's key or with one of its own; what its
** first chunk says counts for all of its chunks.  A key that is not at hand is
** no error here: the other columns can be read.
*/
#ifndef PQ_FILE_LOCKS_H
#define PQ_FILE_LOCKS_H

#include "core/crypto/key_choice.h"
#include "core/crypto/module.h"
#include "core/meta/format.h"

typedef struct PqFileLocks {
    bool     ctr;                    /* AES_GCM_CTR_V1                       */
    bool     encrypted_footer;
    bool     verified;               /* the footer: opened, or its signature
                                     ** fits                                 */
    PqLock   footer;
    const PqLock **of_leaf;          /* n_leaves; NULL: in the clear.  A leaf
                                     ** with the footer's key has &footer    */
    PqLock  *own;                    /* those of leaves with their own key   */
    uint32_t n_leaves;
    PqSlice  footer_metadata;        /* key metadata of the footer           */
    PqSlice  aad_prefix;
    bool     supply_aad_prefix;
} PqFileLocks;

#endif
