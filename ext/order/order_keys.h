/*
** order_keys.h - the best rows so far, in a given order, in bounded memory.
**
** A key is what SQLite would compare: a value per column of the ORDER BY, then
** the rowid, so that no two rows are equal and a set of keys has one order.
**
**   ORDER BY day DESC, name             better <------------> worse
**   (2024-03-02, 'b', 17) (2024-03-02, 'c', 3) (2024-03-01, 'a', 40) (NULL, ..)
**
** As in SQLite NULL comes before numbers, these before texts, and these before
** BLOBs; DESC turns all that over.
**
** The set takes rows until it has as many as are wanted; from then on the worst
** of these is known, and only better ones are taken.  When there are twice as
** many, the better half stays:
**
**   wanted 4     9 7 8 6            6 is the worst
**                9 7 8 6 | 7 9 8 7  full: 9 9 8 8 stay, 8 is the worst
**
** Rows that come in order are left as they came.  Texts that take too much
** memory make the set smaller than was wanted.
*/
#ifndef PQEXT_ORDER_KEYS_H
#define PQEXT_ORDER_KEYS_H

#include "ext/condition/meaning.h"

enum { PQEXT_ORDER_COLUMNS = 8 };

typedef enum PqextKeyKind {
    PQEXT_KEY_NULL, PQEXT_KEY_INT, PQEXT_KEY_REAL, PQEXT_KEY_TEXT,
    PQEXT_KEY_BLOB
} PqextKeyKind;

typedef struct PqextKeyValue {
    union {
        int64_t        i;
        double         r;
        const uint8_t *p;            /* of texts and BLOBs                  */
    } as;
    uint32_t n;                      /* bytes                               */
    uint8_t  kind;
    uint8_t  room;                   /* of a value the set owns: log2       */
} PqextKeyValue;

/* A row: its rowid, then n_columns values.  Of two heads that differ the
** smaller one is the better key's. */
typedef struct PqextOrderKey {
    uint64_t      head;
    int64_t       row;
    PqextKeyValue values[1];
} PqextOrderKey;

typedef struct PqextKeys {
    PqMem   *mem;
    uint32_t n_columns;
    bool     desc[PQEXT_ORDER_COLUMNS];
    bool     mixed;                  /* the first column may have INTs and  */
                                     /* REALs: heads tell nothing           */
    size_t   limit, bytes;           /* of texts and BLOBs                  */
    uint32_t most;                   /* keys wanted                         */
    uint32_t n, room;
    size_t   width;                  /* of a key                            */
    char    *keys;
    bool     in_order;               /* as they came                        */
    bool     has_worst;              /* key number most - 1 is the worst of */
                                     /* as many before it                   */
    uint64_t chance;                 /* for sorting                         */
} PqextKeys;

void pqext_keys_init(PqextKeys *k, PqMem *mem, uint32_t n_columns);
void pqext_keys_free(PqextKeys *k);

/* Forgets all keys; there will be `most` at most. */
void pqext_keys_begin(PqextKeys *k, uint32_t most);

/* <0, 0, >0: the order of SQLite, ascending. */
int pqext_order_compare(const PqextKeyValue *a, const PqextKeyValue *b);

/* The order of the set; keys are values, and a rowid that decides last. */
int pqext_keys_order(const PqextKeys *k, const PqextKeyValue *a, int64_t a_row,
                     const PqextKeyValue *b, int64_t b_row);

static inline const PqextOrderKey *pqext_keys_at(const PqextKeys *k, uint32_t i)
{
    return (const PqextOrderKey *)(const void *)(k->keys + i * k->width);
}

/* What a row has to be better than, NULL: nothing. */
static inline const PqextOrderKey *pqext_keys_worst(const PqextKeys *k)
{
    return k->has_worst ? pqext_keys_at(k, k->most - 1) : NULL;
}

/* Takes a copy of the key if it is wanted. */
PqRc pqext_keys_offer(PqextKeys *k, const PqextKeyValue *values, int64_t row,
                      PqErr *e);

/* The worst is that of all rows so far. */
void pqext_keys_tighten(PqextKeys *k);

/* From now on key i is the i-th best, until the next begin. */
void pqext_keys_sort(PqextKeys *k);

#endif
