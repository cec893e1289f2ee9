/*
** leaf_batch.c - the arrays of a leaf batch, and how they grow.
**
** Values and entries (levels, valid bits) have separate rooms, because nulls
** take an entry but no value.  New bits of valid are promised to be 0, so
** growing clears the added words and a reset clears them all.
*/
#include "core/column/leaf_batch.h"

enum { FIRST_ROOM = 256 };

void pq_leaf_batch_init(PqLeafBatch *b, const PqLeaf *leaf, PqMem *mem)
{
    *b = (PqLeafBatch){.leaf = leaf, .mem = mem};
    pq_arena_init(&b->bytes, mem);
}

void pq_leaf_batch_free(PqLeafBatch *b)
{
    pq_mem_free(b->values);
    pq_mem_free(b->valid);
    pq_mem_free(b->def);
    pq_mem_free(b->rep);
    pq_arena_free(&b->bytes);
    pq_leaf_batch_init(b, b->leaf, b->mem);
}

static size_t valid_bytes(uint32_t n_entries)
{
    return ((size_t)n_entries + 63) / 64 * sizeof(uint64_t);
}

size_t pq_leaf_batch_memory(const PqLeafBatch *b)
{
    size_t entry = (pq_leaf_batch_has_levels(b) ? sizeof *b->def : 0) +
                   (b->leaf->max_rep > 0 ? sizeof *b->rep : 0);

    return b->values_room * pq_physical_width(b->leaf->type.physical) +
           b->entries_room * entry +
           (pq_leaf_batch_has_valid(b) ? valid_bytes(b->entries_room) : 0) +
           pq_arena_memory(&b->bytes);
}

void pq_leaf_batch_reset(PqLeafBatch *b)
{
    if (b->valid) {
        memset(b->valid, 0, valid_bytes(b->entries_room));
    }
    b->n_values = b->n_entries = b->n_rows = 0;
    b->n_bytes = 0;
    pq_arena_reset(&b->bytes);
}

static PqRc room_of(uint32_t room, uint32_t n, uint32_t more, uint32_t *out,
                    PqErr *e)
{
    uint64_t want = (uint64_t)n + more;

    if (want > INT32_MAX) {
        return pq_fail(e, PQ_USAGE, "%llu values at once",
                       (unsigned long long)want);
    }
    if (want < (uint64_t)room * 2) {
        want = (uint64_t)room * 2;
    }
    *out = want < FIRST_ROOM ? FIRST_ROOM : (uint32_t)want;
    return PQ_OK;
}

static PqRc grow_entries(PqLeafBatch *b, uint32_t more, PqErr *e)
{
    uint32_t room = 0;

    PQ_TRY(room_of(b->entries_room, b->n_entries, more, &room, e));
    if (pq_leaf_batch_has_valid(b)) {
        size_t had = valid_bytes(b->entries_room), has = valid_bytes(room);

        PQ_TRY(pq_mem_resize_array(b->mem, &b->valid, has, 1, e));
        memset((uint8_t *)b->valid + had, 0, has - had);
    }
    if (pq_leaf_batch_has_levels(b)) {
        PQ_TRY(PQ_RESIZE(b->mem, b->def, room, e));
    }
    if (b->leaf->max_rep > 0) {
        PQ_TRY(PQ_RESIZE(b->mem, b->rep, room, e));
    }
    b->entries_room = room;
    return PQ_OK;
}

PqRc pq_leaf_batch_reserve(PqLeafBatch *b, uint32_t n, PqErr *e)
{
    uint32_t room = 0;

    if (n > b->entries_room - b->n_entries) {
        PQ_TRY(grow_entries(b, n, e));
    }
    if (n > b->values_room - b->n_values) {
        PQ_TRY(room_of(b->values_room, b->n_values, n, &room, e));
        PQ_TRY(pq_mem_resize_array(
            b->mem, &b->values, room,
            pq_physical_width(b->leaf->type.physical), e));
        b->values_room = room;
    }
    return PQ_OK;
}
