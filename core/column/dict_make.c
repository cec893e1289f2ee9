/*
** dict_make.c - the hash table of a dictionary: one loop per width of value,
** generated from one macro.
**
** Integers are hashed by a multiplication.  The upper bits of a product depend
** on all lower bits, so they are the hash, and the highest of them the slot.
** (The low bits would not do: whole numbers as doubles end in forty zero bits,
** and so do their products.)  Texts are hashed by xxHash.  Slots keep their
** hashes, so the table grows without looking at any value again.
*/
#include "core/column/dict_make.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOT_BITS = 7, FREE = -1, MOST_LOOKS = 1000 };

void pq_dict_make_init(PqDictMake *d, const PqType *type, PqMem *mem)
{
    *d = (PqDictMake){.physical = type->physical, .mem = mem,
                      .fixed_length = type->fixed_length};
    pq_arena_init(&d->bytes, mem);
}

void pq_dict_make_free(PqDictMake *d)
{
    pq_mem_free(d->entries);
    pq_mem_free(d->slots);
    pq_arena_free(&d->bytes);
    d->entries = NULL;
    d->slots = NULL;
    d->n_entries = d->room = d->mask = d->shift = 0;
    d->n_plain = 0;
}

void pq_dict_make_seal(PqDictMake *d)
{
    pq_mem_free(d->slots);
    d->slots = NULL;
    d->mask = d->shift = 0;
}

size_t pq_dict_make_memory(const PqDictMake *d)
{
    return d->room * pq_physical_width(d->physical) +
           (d->slots ? (d->mask + (size_t)1) * sizeof *d->slots : 0) +
           pq_arena_memory(&d->bytes);
}

static PqRc grow_slots(PqDictMake *d, PqErr *e)
{
    uint32_t shift = d->slots ? d->shift - 1 : 32 - FIRST_SLOT_BITS;
    uint32_t n = 1u << (32 - shift);
    PqDictSlot *slots = pq_mem_array(d->mem, n, sizeof *slots, e);

    if (!slots) {
        return e->rc;
    }
    memset(slots, 0xff, n * sizeof *slots);
    for (uint32_t i = 0; d->slots && i <= d->mask; i++) {
        if (d->slots[i].id != (uint32_t)FREE) {
            uint32_t at = d->slots[i].hash >> shift;

            while (slots[at].id != (uint32_t)FREE) {
                at = (at + 1) & (n - 1);
            }
            slots[at] = d->slots[i];
        }
    }
    pq_mem_free(d->slots);
    d->slots = slots;
    d->mask = n - 1;
    d->shift = shift;
    return PQ_OK;
}

static PqRc grow_entries(PqDictMake *d, PqErr *e)
{
    uint32_t room = d->room ? d->room * 2 : 1u << (FIRST_SLOT_BITS - 1);

    PQ_TRY(pq_mem_resize_array(d->mem, &d->entries, room,
                               pq_physical_width(d->physical), e));
    d->room = room;
    return PQ_OK;
}

/* At most five eighths of the slots are used; without slots it is full. */
static inline bool is_full(const PqDictMake *d)
{
    return d->n_entries == d->room || d->n_entries >= d->mask / 8 * 5;
}

/* Room for one more entry and its slot. */
static PqRc reserve(PqDictMake *d, PqErr *e)
{
    if (d->n_entries == d->room) {
        PQ_TRY(grow_entries(d, e));
    }
    return is_full(d) ? grow_slots(d, e) : PQ_OK;
}

static inline uint32_t hash_u64(uint64_t v)
{
    return (uint32_t)(v * 0x9e3779b97f4a7c15u >> 32);
}

static inline uint32_t hash_u32(uint32_t v)
{
    return v * 0x9e3779b9u;
}

static inline uint32_t hash_str(PqStr v)
{
    return (uint32_t)XXH3_64bits(v.p, v.n);
}

typedef struct PqRaw96 { uint8_t b[12]; } PqRaw96;

static inline uint32_t hash_96(PqRaw96 v)
{
    return (uint32_t)XXH3_64bits(v.b, sizeof v.b);
}

static inline bool same_u64(uint64_t a, uint64_t b) { return a == b; }
static inline bool same_u32(uint32_t a, uint32_t b) { return a == b; }

/* Most texts are short: texts of up to 16 bytes need no call. */
static inline bool same_str(PqStr a, PqStr b)
{
    if (a.n != b.n) {
        return false;
    }
    if (a.n - 8 <= 8) {
        uint32_t last = a.n - 8;

        return pq_load_u64(a.p) == pq_load_u64(b.p) &&
               pq_load_u64(a.p + last) == pq_load_u64(b.p + last);
    }
    if (a.n - 4 <= 3) {
        uint32_t last = a.n - 4;

        return pq_load_u32(a.p) == pq_load_u32(b.p) &&
               pq_load_u32(a.p + last) == pq_load_u32(b.p + last);
    }
    return a.n == 0 || (a.p[0] == b.p[0] && memcmp(a.p, b.p, a.n) == 0);
}

static inline bool same_96(PqRaw96 a, PqRaw96 b)
{
    return memcmp(a.b, b.b, sizeof a.b) == 0;
}

static PqRc keep_str(PqDictMake *d, PqStr *v, PqErr *e)
{
    uint8_t *to = pq_arena_bytes(&d->bytes, v->n, e);

    if (!to) {
        return e->rc;
    }
    pq_bytes_copy(to, v->p, v->n);
    v->p = to;
    return PQ_OK;
}

static inline size_t plain_str(const PqDictMake *d, PqStr v)
{
    return d->physical == PQ_FIXED ? v.n : (size_t)v.n + 4;
}

/* plain: the bytes of the value kept, PLAIN.  keep: copies what the entry borrows
** from the values it came with.  ahead: the slot of the value that many places
** on is prefetched, because the slots of a large table are not in the cache; 0
** where hashing twice would take longer. */
#define IDS_OF(name, Type, ahead, plain, keep)                                \
static PqRc ids_##name(PqDictMake *d, const void *values, uint32_t n,         \
                       size_t most, uint32_t *ids, uint32_t *n_done,          \
                       PqErr *e)                                              \
{                                                                             \
    const Type *v = values;                                                   \
                                                                              \
    *n_done = 0;                                                              \
    for (uint32_t i = 0; i < n; i++) {                                        \
        uint32_t hash, at, n_looks = 0;                                       \
                                                                              \
        if (i > 0 && same_##name(v[i], v[i - 1])) {                           \
            ids[i] = ids[i - 1];                                              \
            continue;                                                         \
        }                                                                     \
        if (PQ_UNLIKELY(is_full(d))) {                                        \
            PQ_TRY(reserve(d, e));                                            \
        }                                                                     \
        if ((ahead) && i + (ahead) < n) {                                     \
            __builtin_prefetch(                                               \
                &d->slots[hash_##name(v[i + (ahead)]) >> d->shift]);          \
        }                                                                     \
        hash = hash_##name(v[i]);                                             \
        at = hash >> d->shift;                                                \
        while (d->slots[at].id != (uint32_t)FREE &&                           \
               (d->slots[at].hash != hash ||                                  \
                !same_##name(((const Type *)d->entries)[d->slots[at].id],     \
                             v[i]))) {                                        \
            at = (at + 1) & d->mask;                                          \
            if (PQ_UNLIKELY(++n_looks == MOST_LOOKS)) {                       \
                *n_done = i;                                                  \
                return PQ_OK;                                                 \
            }                                                                 \
        }                                                                     \
        if (d->slots[at].id == (uint32_t)FREE) {                              \
            Type kept = v[i];                                                 \
            size_t n_plain = (plain);                                         \
                                                                              \
            if (n_plain > most || d->n_plain > most - n_plain) {              \
                *n_done = i;                                                  \
                return PQ_OK;                                                 \
            }                                                                 \
            PQ_TRY(keep);                                                     \
            ((Type *)d->entries)[d->n_entries] = kept;                        \
            d->slots[at] = (PqDictSlot){hash, d->n_entries++};                \
            d->n_plain += n_plain;                                            \
        }                                                                     \
        ids[i] = d->slots[at].id;                                             \
    }                                                                         \
    *n_done = n;                                                              \
    return PQ_OK;                                                             \
}

IDS_OF(u32, uint32_t, 8, sizeof kept, PQ_OK)
IDS_OF(u64, uint64_t, 8, sizeof kept, PQ_OK)
IDS_OF(96, PqRaw96, 0, sizeof kept, PQ_OK)
IDS_OF(str, PqStr, 0, plain_str(d, kept), keep_str(d, &kept, e))

PqRc pq_dict_make_ids(PqDictMake *d, const void *values, uint32_t n,
                      size_t most_plain, uint32_t *ids, uint32_t *n_done,
                      PqErr *e)
{
    switch (d->physical) {
    case PQ_INT32:
    case PQ_FLOAT:
        return ids_u32(d, values, n, most_plain, ids, n_done, e);
    case PQ_INT64:
    case PQ_DOUBLE:
        return ids_u64(d, values, n, most_plain, ids, n_done, e);
    case PQ_INT96:
        return ids_96(d, values, n, most_plain, ids, n_done, e);
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return ids_str(d, values, n, most_plain, ids, n_done, e);
    default:
        return pq_fail(e, PQ_USAGE, "no dictionary of %s",
                       pq_physical_name((int)d->physical));
    }
}
