/*
** file_seal.h - the locks of a file that is written.
**
** The plan of a copy says which key seals which column.  Each file has locks of
** its own, because each has unique bytes of its own, which bind its modules to
** it.  They are made before the first page of the file, and kept until its
** footer is written.
**
** A column is sealed with the footer's key unless it has a key of its own, or is
** to stay in the clear.  So a column that a list forgets is hidden, not
** exposed.
**
** A path may lead to a node above leaves.  It is compared name by name, because
** a name may have dots: clear_columns with "a" does not open a column "a.ssn".
** Of two paths that fit, the longer counts:
**
**   column_keys    pay = k1, pay.amount = k2      pay.amount      k2
**   clear_columns  pay.currency                   pay.currency    in the clear
**                                                 pay.tax         k1
**                                                 name            footer's key
*/
#ifndef PQ_FILE_SEAL_H
#define PQ_FILE_SEAL_H

#include "core/crypto/key_wrap.h"
#include "core/crypto/module.h"
#include "core/meta/schema.h"

/* How the user wants the files of a copy encrypted.  Keys are in keys.ring, by
** name.  Either the name is the key metadata in the file, or the key is a
** master key and wraps a random key for each file and column. */
typedef struct PqEncryption {
    PqKeyChoice keys;                /* footer_key is not NULL; aad_prefix may
                                     ** be                                   */
    const char *const *clear;        /* dotted paths, as in keys.columns     */
    uint32_t    n_clear;
    bool        others_clear;        /* all columns without a key of their own */
    bool        ctr;                 /* AES_GCM_CTR_V1                       */
    bool        plaintext_footer;
    bool        hide_aad_prefix;     /* it is not stored                     */
    bool        hide_key_names;      /* readers are given the keys           */
    PqMaterialPlace material;
    bool        wrap_once;           /* by the master key, without a KEK     */
    bool        wrapping_given;      /* the user said how                    */
} PqEncryption;

/* The keys of the leaves of a schema.  PQ_USAGE, with the name, for a key that
** is not in the ring, a path that is not a column, or a column with a key that
** is to stay clear. */
typedef struct PqSealPlan {
    const PqEncryption *how;
    PqKey  *footer_key;              /* held                                 */
    PqKey **leaf_keys;               /* n_leaves, held; NULL: in the clear   */
    PqKeyWrap *wrap;                 /* NULL: these seal, and wrap no others */
    PqSliceList *paths;              /* the names on the way to each leaf    */
    uint32_t n_leaves;
    PqArena arena;
} PqSealPlan;

PqRc pq_seal_plan_new(const PqEncryption *how, const PqSchema *schema,
                      PqMem *mem, PqSealPlan **out, PqErr *e);
void pq_seal_plan_free(PqSealPlan *p);                   /* may be NULL */

/* A leaf that is made from another leaf, like the box of a geometry, is sealed
** in the same way, unless the user says something else. */
void pq_seal_plan_follow(PqSealPlan *p, uint32_t leaf, uint32_t of);

/* May readers of the footer know what is in the leaf? */
bool pq_seal_plan_tells(const PqSealPlan *p, uint32_t leaf);

/* Leaves out claims about the order of rows by columns that the footer does not
** tell; returns how many are left.  p may be NULL. */
uint32_t pq_seal_plan_hide(const PqSealPlan *p, PqSortingColumn *claims,
                           uint32_t n);

/* The locks of one file. */
typedef struct PqFileSeal {
    const PqSealPlan *plan;
    uint8_t  unique[8];
    PqLock   footer;
    PqLock  *of_leaf;                /* n_leaves; key NULL: in the clear     */
    PqSlice  footer_metadata;        /* key metadata                         */
    PqSlice *leaf_metadata;          /* n_leaves, of those with a key of their
                                     ** own                                  */
    PqBuf    aad;
    PqBuf    beside;                 /* what the file of key material has; empty:
                                     ** there is none                        */
    PqArena  arena;
} PqFileSeal;

PqRc pq_file_seal_new(const PqSealPlan *plan, PqMem *mem, PqFileSeal **out,
                      PqErr *e);
void pq_file_seal_free(PqFileSeal *s);                   /* may be NULL */
size_t pq_file_seal_memory(const PqFileSeal *s);         /* likewise */

/* The lock of a leaf; NULL: in the clear. */
static inline const PqLock *pq_file_seal_lock(const PqFileSeal *s,
                                              uint32_t leaf)
{
    return s && s->of_leaf[leaf].key ? &s->of_leaf[leaf] : NULL;
}

#endif
