/*
** group_cells.c - makes a batch of the scan, with its vectors, from records.
**
** Texts are not copied: a vector points into the records.  Where all rows of a
** batch have entries, the vector has a dictionary, so the host makes each
** entry's value once.
*/
#include "core/group/group_inside.h"

int64_t pq_group_rowid(PqGrouping *g, const uint8_t *record)
{
    uint64_t number = pq_group_head(record) &
                      (((uint64_t)1 << PQ_GROUP_ROW_BITS) - 1);
    const PqGroupSpan *s = g->spans;
    uint32_t at = g->span, low = 0, high = g->n_spans;

    if (number < s[at].number ||
        (at + 1 < high && number >= s[at + 1].number)) {
        while (high - low > 1) {
            uint32_t mid = low + (high - low) / 2;

            *(s[mid].number <= number ? &low : &high) = mid;
        }
        g->span = at = low;
    }
    return s[at].rowid + (int64_t)(number - s[at].number);
}

/* ---- vectors ------------------------------------------------------------- */

/* The rows that are not NULL; NULL: all. */
static const uint64_t *valid_rows(PqGrouping *g, uint32_t slot, uint32_t n)
{
    PqGroupGiven *to = g->given[slot];

    if (!(g->nulls >> (PQ_GROUP_ROW_BITS + slot) & 1)) {
        return NULL;
    }
    memset(to->valid, 0, sizeof to->valid);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t null = pq_group_slot_is_null(g->batch[i], slot);

        to->valid[i / 64] |= (null ^ 1) << i % 64;
    }
    return to->valid;
}

static void take_numbers(const PqGrouping *g, const PqGroupSlot *slot, uint32_t n,
                         void *values)
{
    size_t width = pq_physical_width(slot->type.physical);

    for (uint32_t i = 0; i < n; i++) {
        pq_group_copy((char *)values + i * width, g->batch[i] + slot->at, width);
    }
}

/* Takes the texts and their entries.  True: all rows that are not NULL have an
** entry. */
static bool take_texts(const PqGrouping *g, uint32_t k, uint32_t n,
                       PqGroupGiven *to, const uint64_t *valid)
{
    const PqGroupSlot *slot = &g->shape.slots[k];
    PqStr *texts = to->values;
    bool all = slot->entries.texts.table.n > 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t entry = 0;

        texts[i] = (PqStr){NULL, 0};
        if (!valid || pq_bit(valid, i)) {
            texts[i] = pq_group_text(slot, g->batch[i], &entry);
        }
        all = all && entry >= 0;
        to->ids[i] = all ? (uint32_t)entry : 0;
    }
    texts[n] = (PqStr){NULL, 0};
    return all;
}

void pq_group_set_vector(PqScan *s, PqVector *v, uint16_t *def)
{
    const PqLeaf *leaf = v->leaf;

    if (leaf->max_def > 0 && pq_scan_wants_levels(s, leaf->index)) {
        for (uint32_t i = 0; i < v->n_rows; i++) {
            def[i] = pq_vector_is_valid(v, i) ? leaf->max_def : 0;
        }
        v->def = def;
    }
    pq_scan_set_vector(s, leaf->index, v);
}

static PqRc set_vector(PqGrouping *g, uint32_t k, uint32_t n, PqErr *e)
{
    const PqGroupSlot *slot = &g->shape.slots[k];
    const PqNode *node = pq_scan_node(g->scan, (uint32_t)slot->column);
    const PqLeaf *leaf =
        &pq_scan_footer(g->scan)->schema.leaves[node->leaf];
    PqGroupGiven *to = g->given[k];

    if (!to) {
        to = g->given[k] = pq_mem_zeros(g->mem, 1, sizeof *to, e);
        PQ_TRY(to ? PQ_OK : e->rc);
    }
    to->vector = (PqVector){.leaf = leaf, .n_rows = n, .n_slots = n,
                            .valid = valid_rows(g, k, n)};
    if (!slot->is_bytes) {
        take_numbers(g, slot, n, to->values);
        to->vector.values = to->values;
    } else if (take_texts(g, k, n, to, to->vector.valid)) {
        if (to->dict.n != slot->entries.texts.table.n) {
            to->dict = (PqDict){.type = leaf->type.physical,
                                .n = slot->entries.texts.table.n,
                                .values = slot->entries.texts.v,
                                .serial = pq_dict_serial()};
        }
        to->vector.dict = &to->dict;
        to->vector.ids = to->ids;
    } else {
        to->vector.values = to->values;
    }
    pq_group_set_vector(g->scan, &to->vector, to->def);
    return PQ_OK;
}

PqRc pq_group_hand_out(PqGrouping *g, uint32_t n, PqErr *e)
{
    uint32_t file = g->file;

    g->nulls = 0;
    for (uint32_t i = 0; i < n; i++) {
        g->nulls |= pq_group_head(g->batch[i]);
        g->rowids[i] = pq_group_rowid(g, g->batch[i]);
    }
    if (g->by_file) {
        file = (uint32_t)(g->rowids[0] >> PQ_ROWID_SHIFT);
    }
    PQ_TRY(pq_scan_give(g->scan, file, g->rowids, n, e));
    if (g->by_file && g->file_serial != pq_scan_file_serial(g->scan)) {
        (void)pq_group_enter_file(g);
    }
    for (uint32_t k = 0; k < g->shape.n_slots; k++) {
        if (g->shape.slots[k].column >= 0 && g->shape.slots[k].present) {
            PQ_TRY(set_vector(g, k, n, e));
        }
    }
    return PQ_OK;
}
