/*
** group_shape.c - lays out records, and hashes and compares their keys.
*/
#include "core/group/group_shape.h"

#include <math.h>

void pq_group_shape_lay_out(PqGroupShape *s)
{
    unsigned at = PQ_GROUP_HEAD;

    s->has_hash = s->n_keys > 1 || s->keys[0].form > PQ_GROUP_REALS;
    s->has_size = false;
    for (uint32_t i = 0; i < s->n_slots; i++) {
        s->has_size = s->has_size || s->slots[i].is_bytes;
    }
    at += (s->has_hash ? 8u : 0u) + (s->has_size ? 4u : 0u);
    for (uint32_t i = 0; i < s->n_slots; i++) {
        s->slots[i].at = at;
        at += s->slots[i].width;
    }
    s->fixed = at;
}

static uint64_t number_at(const PqGroupSlot *slot, const uint8_t *record)
{
    return pq_group_number(slot, record + slot->at);
}

static double real_at(const PqGroupSlot *slot, const uint8_t *record)
{
    return pq_group_real(slot, record + slot->at);
}

/* Computes the hash of one key of numbers; other records have their hash
** inside. */
uint64_t pq_group_record_hash(const PqGroupShape *s, const uint8_t *record)
{
    const PqGroupShapeKey *key = &s->keys[0];
    const PqGroupSlot *slot = &s->slots[key->slot];
    uint64_t word;

    if (s->has_hash) {
        memcpy(&word, record + PQ_GROUP_HEAD, sizeof word);
        return word;
    }
    word = pq_group_slot_is_null(record, key->slot)
               ? PQ_HASH_NULL
               : pq_group_word(slot, key->form, record + slot->at);
    return pq_hash_mix(0, word) & pq_hash_bits;
}

static bool same_bytes(const PqGroupSlot *slot, const uint8_t *a,
                       const uint8_t *b)
{
    int64_t entry_a, entry_b;
    PqStr s = pq_group_text(slot, a, &entry_a);
    PqStr t = pq_group_text(slot, b, &entry_b);

    if (entry_a >= 0 && entry_b >= 0) {
        return entry_a == entry_b;
    }
    return s.n == t.n && memcmp(s.p, t.p, s.n) == 0;
}

static bool is_null(const PqGroupShapeKey *key, const PqGroupSlot *slot,
                    const uint8_t *record)
{
    return pq_group_slot_is_null(record, key->slot) ||
           (key->form == PQ_GROUP_REALS && isnan(real_at(slot, record)));
}

uint64_t pq_group_seeded_hash(const PqGroupShape *s, const uint8_t *record,
                              uint64_t seed)
{
    uint64_t hash = seed;

    for (uint32_t i = 0; i < s->n_keys; i++) {
        const PqGroupShapeKey *key = &s->keys[i];
        const PqGroupSlot *slot = &s->slots[key->slot];
        uint64_t word = PQ_HASH_NULL;
        int64_t entry;
        PqStr text;

        if (is_null(key, slot, record)) {
            hash = pq_hash_seeded(&word, sizeof word, hash);
        } else if (key->form == PQ_GROUP_INTS || key->form == PQ_GROUP_REALS) {
            word = pq_group_word(slot, key->form, record + slot->at);
            hash = pq_hash_seeded(&word, sizeof word, hash);
        } else {
            text = pq_group_text(slot, record, &entry);
            hash = pq_hash_seeded(text.p, text.n, hash);
        }
    }
    return hash & pq_hash_bits;
}

static bool same_value(const PqGroupShape *s, const PqGroupShapeKey *key,
                       const uint8_t *a, const uint8_t *b)
{
    const PqGroupSlot *slot = &s->slots[key->slot];
    bool null = is_null(key, slot, a);

    if (null || is_null(key, slot, b)) {
        return null && is_null(key, slot, b);
    }
    switch (key->form) {
    case PQ_GROUP_INTS:
        return number_at(slot, a) == number_at(slot, b);
    case PQ_GROUP_REALS:
        return real_at(slot, a) == real_at(slot, b);
    default:
        return same_bytes(slot, a, b);
    }
}

bool pq_group_same_key(const PqGroupShape *s, const uint8_t *a,
                       const uint8_t *b)
{
    for (uint32_t i = 0; i < s->n_keys; i++) {
        if (!same_value(s, &s->keys[i], a, b)) {
            return false;
        }
    }
    return true;
}

/* ---- order --------------------------------------------------------------- */

static int compare_ints(const PqGroupSlot *slot, const uint8_t *a,
                        const uint8_t *b)
{
    uint64_t x = number_at(slot, a), y = number_at(slot, b);
    int64_t i, k;

    if (slot->width == 1 || pq_type_is_unsigned(&slot->type)) {
        return (x > y) - (x < y);
    }
    i = slot->width == 4 ? (int32_t)(uint32_t)x : (int64_t)x;
    k = slot->width == 4 ? (int32_t)(uint32_t)y : (int64_t)y;
    return (i > k) - (i < k);
}

static int compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_bytes(PqStr a, PqStr b)
{
    return pq_slice_compare(pq_slice(a.p, a.n), pq_slice(b.p, b.n));
}

/* The cell of a text that put_cell made (group_fill.c). */
static PqCell cell_of(PqStr s)
{
    PqCell c = pq_cell_bytes((PqCellClass)s.p[0], pq_slice(s.p + 1, s.n - 1u));

    if (!pq_cell_has_bytes(&c)) {
        memcpy(&c.i, s.p + 1, sizeof c.i);
    }
    return c;
}

static int compare_cells(PqStr a, PqStr b)
{
    PqCell x = cell_of(a), y = cell_of(b);

    return pq_cell_compare(&x, &y);
}

static int compare_values(const PqGroupShape *s, const PqGroupShapeKey *key,
                          const uint8_t *a, const uint8_t *b)
{
    const PqGroupSlot *slot = &s->slots[key->slot];
    bool a_null = is_null(key, slot, a), b_null = is_null(key, slot, b);
    int64_t entry;

    if (a_null || b_null) {
        return (int)b_null - (int)a_null;
    }
    switch (key->form) {
    case PQ_GROUP_INTS:
        return compare_ints(slot, a, b);
    case PQ_GROUP_REALS:
        return compare_reals(real_at(slot, a), real_at(slot, b));
    case PQ_GROUP_BYTES:
        return compare_bytes(pq_group_text(slot, a, &entry),
                             pq_group_text(slot, b, &entry));
    default:
        return compare_cells(pq_group_text(slot, a, &entry),
                             pq_group_text(slot, b, &entry));
    }
}

int pq_group_compare_keys(const PqGroupShape *s, const bool *desc,
                          const uint8_t *a, const uint8_t *b)
{
    for (uint32_t i = 0; i < s->n_keys; i++) {
        int order = compare_values(s, &s->keys[i], a, b);

        if (order != 0) {
            return desc[i] ? -order : order;
        }
    }
    return 0;
}
