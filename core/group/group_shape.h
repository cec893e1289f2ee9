/*
** group_shape.h - rows as records.
**
** A record has all values of a row that the host will ask for, side by side, so
** that reading one row is one access to memory.
**
**   SELECT user, sum(amount) .. GROUP BY user
**
**   [ head 8 ][ hash 8 ][ size 4 ][ user 8 ][ amount 4 ]  a n n \0
**     |         |         |         at, n, of the text that follows
**     |         |         there if a value may lie after the slots
**     |         there unless it is quickly computed from the one key
**     number of the row, 40 bits; a bit for each slot that is NULL
**
** A slot is a number as it is stored, a text, or the number of a dictionary's
** entry (group_entries.h).  A key that can only be compared as the host shows
** it (PQ_GROUP_CELLS) has a slot with a tag before its bytes.
**
** Records are not aligned.
*/
#ifndef PQ_GROUP_SHAPE_H
#define PQ_GROUP_SHAPE_H

#include "core/group/grouping.h"
#include "core/group/group_entries.h"
#include "core/numbering/hash.h"

enum { PQ_GROUP_SLOTS = PQ_GROUP_USED + PQ_GROUP_KEYS, PQ_GROUP_ROW_BITS = 40,
       PQ_GROUP_HEAD = 8, PQ_GROUP_NO_COLUMN = -1 };
_Static_assert(PQ_GROUP_SLOTS <= 64 - PQ_GROUP_ROW_BITS, "a bit for each slot");

/* A slot with this n has an entry, whose number is in `at`. */
enum { PQ_GROUP_IS_ENTRY = INT32_MAX };

typedef struct PqGroupSlot {
    int            column;           /* of the table, or NO_COLUMN          */
    bool           known;            /* type and present are set, since a
                                     ** file was opened                     */
    bool           present;          /* false: NULL in all rows             */
    PqType         type;             /* stored                              */
    bool           is_bytes;
    unsigned       width, at;        /* in the record                       */
    PqGroupEntries entries;
} PqGroupSlot;

typedef struct PqGroupShapeKey {
    uint32_t    slot;
    PqGroupForm form;
} PqGroupShapeKey;

typedef struct PqGroupShape {
    PqGroupSlot     slots[PQ_GROUP_SLOTS];
    uint32_t        n_slots;
    PqGroupShapeKey keys[PQ_GROUP_KEYS];
    uint32_t        n_keys;
    bool            has_hash, has_size;
    unsigned        fixed;           /* bytes without what follows the slots */
} PqGroupShape;

/* Lays out the slots, whose widths are known. */
void pq_group_shape_lay_out(PqGroupShape *s);

/* ---- numbers, in a vector or a record ---- */

static inline void pq_group_copy(void *to, const void *from, size_t width)
{
    if (width == 4) {
        memcpy(to, from, 4);
    } else if (width == 8) {
        memcpy(to, from, 8);
    } else {
        memcpy(to, from, width);
    }
}

static inline uint64_t pq_group_number(const PqGroupSlot *slot, const void *at)
{
    uint64_t wide;
    uint32_t narrow;

    switch (slot->width) {
    case 1:
        return *(const uint8_t *)at;
    case 4:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    default:
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

static inline double pq_group_real(const PqGroupSlot *slot, const void *at)
{
    double wide;
    float narrow;

    if (slot->type.physical == PQ_FLOAT) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* The word that a hash takes of a key. */
static inline uint64_t pq_group_word(const PqGroupSlot *slot, PqGroupForm form,
                                     const void *at)
{
    return form == PQ_GROUP_REALS ? pq_hash_real(pq_group_real(slot, at))
                                  : pq_group_number(slot, at);
}

/* ---- reading records ---- */

static inline uint64_t pq_group_head(const uint8_t *record)
{
    uint64_t head;

    memcpy(&head, record, sizeof head);
    return head;
}

static inline bool pq_group_slot_is_null(const uint8_t *record, uint32_t slot)
{
    return pq_group_head(record) >> (PQ_GROUP_ROW_BITS + slot) & 1;
}

static inline size_t pq_group_size(const PqGroupShape *s, const uint8_t *record)
{
    uint32_t n;

    if (!s->has_size) {
        return s->fixed;
    }
    memcpy(&n, record + PQ_GROUP_HEAD + (s->has_hash ? 8 : 0), sizeof n);
    return n;
}

/* A text slot; entry is its number, or -1. */
static inline PqStr pq_group_text(const PqGroupSlot *slot,
                                  const uint8_t *record, int64_t *entry)
{
    uint32_t place[2];

    memcpy(place, record + slot->at, sizeof place);
    if (place[1] == PQ_GROUP_IS_ENTRY) {
        *entry = place[0];
        return slot->entries.texts.v[place[0]];
    }
    *entry = -1;
    return (PqStr){record + place[0], place[1]};
}

/* The hash of a record's keys. */
uint64_t pq_group_record_hash(const PqGroupShape *s, const uint8_t *record);

/* Their hash with a seed. */
uint64_t pq_group_seeded_hash(const PqGroupShape *s, const uint8_t *record,
                              uint64_t seed);

/* Compares the keys of two records: <0, 0 or >0.  NULL comes first, then
** numbers, texts and BLOBs. */
int pq_group_compare_keys(const PqGroupShape *s, const bool *desc,
                          const uint8_t *a, const uint8_t *b);

/* Do two records have the same keys? */
bool pq_group_same_key(const PqGroupShape *s, const uint8_t *a,
                       const uint8_t *b);

#endif
