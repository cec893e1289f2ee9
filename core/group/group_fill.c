/*
** group_fill.c - makes records of the rows of a batch.
**
** It works column by column, as the vectors do: a loop over the rows for each
** slot.  First it finds the sizes and the hashes, then each row gets a place in
** a partition, and then the places are filled.  The hard part is a partition
** that gets no room.  Then the rows before it are filled, everything is written
** to the file, and the rest goes on.
*/
#include "core/group/group_inside.h"

/* ---- the columns of the batch -------------------------------------------- */

/* Finds the entries of the rows.  If types differ between files, texts stay in
** the rows. */
static PqRc find_entries(PqGrouping *g, PqGroupSlot *slot, PqGroupSource *s,
                         PqErr *e)
{
    const PqGroupBatch *in = g->in;
    const PqVector *v = s->vector;
    bool worth = false;

    if (!slot->is_bytes || !v->dict || g->by_file) {
        return PQ_OK;
    }
    PQ_TRY(pq_group_entries_enter(&slot->entries, v->dict, &worth, e));
    if (!worth) {
        return PQ_OK;
    }
    if (!s->entries) {
        PQ_TRY(PQ_RESIZE(g->mem, s->entries, PQ_BATCH_ROWS, e));
    }
    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t row = in->rows[i];

        s->entries[i] = PQ_GROUP_NO_ENTRY;
        if (pq_vector_is_valid(v, row)) {
            PQ_TRY(pq_group_entry(&slot->entries, v->ids[row], &s->entries[i],
                                  e));
        }
    }
    s->by_entries = true;
    return PQ_OK;
}

static PqRc load_slot(PqGrouping *g, uint32_t i, PqErr *e)
{
    PqGroupSlot *slot = &g->shape.slots[i];
    PqGroupSource *s = &g->in->sources[i];
    const PqNode *node;

    s->vector = NULL;
    s->by_entries = false;
    if (slot->column < 0 || !slot->present) {
        return PQ_OK;
    }
    node = pq_scan_node(g->scan, (uint32_t)slot->column);
    PQ_TRY(pq_scan_vector(g->scan, (uint32_t)node->leaf, &s->vector, e));
    return find_entries(g, slot, s, e);
}

/* ---- cells of a key ------------------------------------------------------ */

/* An integer and an equal real get the same bytes. */
static PqRc put_cell(PqGroupSource *s, uint32_t i, const PqCell *c, PqErr *e)
{
    PqCell plain = pq_cell_plain(c);
    PqBuf *b = &s->bytes;
    size_t from = b->n;

    s->cells[i] = (PqStr){NULL, 0};
    if (plain.kind == PQ_CELL_NULL) {
        return PQ_OK;
    }
    b->sink = e;
    pq_buf_byte(b, plain.kind);
    if (pq_cell_is_number(&plain)) {
        pq_buf_add(b, &plain.i, sizeof plain.i);
    } else {
        pq_buf_add(b, plain.p, plain.n);
    }
    b->sink = NULL;
    PQ_TRY(e->rc);
    if (b->n - from >= PQ_GROUP_IS_ENTRY) {
        return pq_fail(e, PQ_BUDGET, "a value of %zu bytes is too long to "
                       "group by", b->n - from);
    }
    s->cells[i].n = (uint32_t)(b->n - from);
    return PQ_OK;
}

static PqRc load_cells(PqGrouping *g, const PqGroupShapeKey *key, uint32_t column,
                       PqErr *e)
{
    PqGroupSource *s = &g->in->sources[key->slot];
    PqCell cell;
    size_t at = 0;

    if (!s->cells) {
        PQ_TRY(PQ_RESIZE(g->mem, s->cells, PQ_BATCH_ROWS, e));
        pq_buf_init(&s->bytes, g->mem, NULL);
    }
    s->bytes.n = 0;
    PQ_TRY(g->spec.host.load(g->spec.host.arg, column, e));
    for (uint32_t i = 0; i < g->in->n; i++) {
        PQ_TRY(g->spec.host.cell(g->spec.host.arg, column, g->in->rows[i], &cell,
                                 e));
        PQ_TRY(put_cell(s, i, &cell, e));
    }
    for (uint32_t i = 0; i < g->in->n; i++) {    /* bytes no longer move */
        s->cells[i].p = s->cells[i].n ? s->bytes.p + at : NULL;
        at += s->cells[i].n;
    }
    return PQ_OK;
}

/* ---- values -------------------------------------------------------------- */

/* The text of a row that has no entry; false: the row is NULL, or has an
** entry. */
static bool text_of(const PqGroupSource *s, const PqGroupSlot *slot,
                    uint32_t i, uint32_t row, PqStr *out)
{
    if (slot->column < 0) {
        *out = s->cells[i];
        return out->p != NULL;
    }
    if (!s->vector || !pq_vector_is_valid(s->vector, row) ||
        (s->by_entries && s->entries[i])) {
        return false;
    }
    *out = *(const PqStr *)pq_vector_at(s->vector, sizeof(PqStr), row);
    return true;
}

static PqRc measure(PqGrouping *g, PqErr *e)
{
    const PqGroupShape *shape = &g->shape;
    PqGroupBatch *in = g->in;
    PqStr s;

    for (uint32_t i = 0; i < in->n; i++) {
        in->sizes[i] = shape->fixed;
    }
    for (uint32_t k = 0; k < shape->n_slots; k++) {
        if (!shape->slots[k].is_bytes) {
            continue;
        }
        for (uint32_t i = 0; i < in->n; i++) {
            if (text_of(&in->sources[k], &shape->slots[k], i, in->rows[i],
                        &s)) {
                in->sizes[i] += (size_t)s.n + 1;
            }
        }
    }
    for (uint32_t i = 0; i < in->n && shape->has_size; i++) {
        if (in->sizes[i] >= PQ_GROUP_IS_ENTRY) {
            return pq_fail(e, PQ_BUDGET, "a row of %zu bytes is too long to be "
                           "grouped", in->sizes[i]);
        }
    }
    return PQ_OK;
}

/* ---- hashes -------------------------------------------------------------- */

static uint64_t word_of_text(const PqGroupSource *s, const PqGroupSlot *slot,
                             uint32_t i, uint32_t row)
{
    const PqGroupEntries *entries = &slot->entries;
    PqStr text;

    if (text_of(s, slot, i, row, &text)) {
        return pq_hash_bytes(text.p, text.n);
    }
    return s->vector && s->by_entries && s->entries[i]
               ? entries->hashes[s->entries[i] - 1]
               : PQ_HASH_NULL;
}

static uint64_t word_of_number(const PqGroupSource *s, const PqGroupSlot *slot,
                               PqGroupForm form, uint32_t row)
{
    return s->vector && pq_vector_is_valid(s->vector, row)
               ? pq_group_word(slot, form,
                               pq_vector_at(s->vector, slot->width, row))
               : PQ_HASH_NULL;
}

static void hash_key(PqGrouping *g, const PqGroupShapeKey *key)
{
    const PqGroupSlot *slot = &g->shape.slots[key->slot];
    const PqGroupSource *s = &g->in->sources[key->slot];
    PqGroupBatch *in = g->in;

    for (uint32_t i = 0; i < in->n; i++) {
        uint64_t word = slot->is_bytes
                            ? word_of_text(s, slot, i, in->rows[i])
                            : word_of_number(s, slot, key->form, in->rows[i]);

        in->hashes[i] = pq_hash_mix(in->hashes[i], word);
    }
}

static void hash(PqGrouping *g)
{
    PqGroupBatch *in = g->in;

    memset(in->hashes, 0, in->n * sizeof *in->hashes);
    for (uint32_t k = 0; k < g->shape.n_keys; k++) {
        hash_key(g, &g->shape.keys[k]);
    }
    for (uint32_t i = 0; i < in->n; i++) {
        in->hashes[i] &= pq_hash_bits;
    }
}

/* ---- filling ------------------------------------------------------------- */

/* The value of a row that is NULL is undefined, and nobody reads it. */
static void fill_numbers(PqGrouping *g, uint32_t k, uint32_t from, uint32_t end)
{
    const PqGroupSlot *slot = &g->shape.slots[k];
    PqGroupBatch *in = g->in;
    const PqVector *v = in->sources[k].vector;
    size_t width = pq_physical_width(slot->type.physical);

    if (v->dict && v->dict->n == 0) {
        return;
    }
    for (uint32_t i = from; i < end; i++) {
        pq_group_copy(in->to[i] + slot->at, pq_vector_at(v, width, in->rows[i]),
                      width);
    }
}

/* Texts lie after the slots, in the order of the slots; in->sizes counts up to
** where the next one goes. */
static void fill_texts(PqGrouping *g, uint32_t k, uint32_t from, uint32_t end)
{
    const PqGroupSlot *slot = &g->shape.slots[k];
    PqGroupBatch *in = g->in;
    const PqGroupSource *s = &in->sources[k];

    for (uint32_t i = from; i < end; i++) {
        uint32_t place[2] = {0, 0};
        PqStr text;

        if (text_of(s, slot, i, in->rows[i], &text)) {
            place[0] = (uint32_t)in->sizes[i];
            place[1] = text.n;
            memcpy(in->to[i] + place[0], text.p, text.n);
            in->to[i][place[0] + text.n] = 0;
            in->sizes[i] += (size_t)text.n + 1;
        } else if (s->by_entries && s->entries[i]) {
            place[0] = s->entries[i] - 1;
            place[1] = PQ_GROUP_IS_ENTRY;
        }
        memcpy(in->to[i] + slot->at, place, sizeof place);
    }
}

static void fill_nulls(PqGrouping *g, uint32_t k, uint32_t from, uint32_t end)
{
    const PqGroupSlot *slot = &g->shape.slots[k];
    PqGroupBatch *in = g->in;
    const PqGroupSource *s = &in->sources[k];

    for (uint32_t i = from; i < end; i++) {
        bool there = slot->column < 0
                         ? s->cells[i].p != NULL
                         : s->vector && pq_vector_is_valid(s->vector, in->rows[i]);

        in->heads[i] |= (uint64_t)!there << (PQ_GROUP_ROW_BITS + k);
    }
}

/* Fills the places of the rows [from, end). */
static void fill(PqGrouping *g, uint32_t from, uint32_t end)
{
    const PqGroupShape *shape = &g->shape;
    PqGroupBatch *in = g->in;

    for (uint32_t i = from; i < end; i++) {
        unsigned at = PQ_GROUP_HEAD;
        uint32_t size = (uint32_t)in->sizes[i];

        if (shape->has_hash) {
            memcpy(in->to[i] + at, &in->hashes[i], sizeof in->hashes[i]);
            at += sizeof in->hashes[i];
        }
        if (shape->has_size) {
            memcpy(in->to[i] + at, &size, sizeof size);
        }
        in->sizes[i] = shape->fixed;
    }
    for (uint32_t k = 0; k < shape->n_slots; k++) {
        const PqGroupSource *s = &in->sources[k];

        if (shape->slots[k].column < 0 || !s->vector || s->vector->valid) {
            fill_nulls(g, k, from, end);
        }
        if (shape->slots[k].is_bytes) {
            fill_texts(g, k, from, end);
        } else if (s->vector) {
            fill_numbers(g, k, from, end);
        }
    }
    for (uint32_t i = from; i < end; i++) {
        memcpy(in->to[i], &in->heads[i], sizeof in->heads[i]);
    }
}

static PqRc place(PqGrouping *g, uint32_t from, uint32_t *end, PqErr *e)
{
    PqGroupBatch *in = g->in;
    PqRc rc = PQ_OK;
    uint32_t i;

    for (i = from; i < in->n; i++) {
        uint64_t hash = in->hashes[i];
        uint32_t part = g->bits ? (uint32_t)(hash >> (64 - g->bits)) : 0;

        rc = pq_group_store_room(&g->store, &g->store.parts[part], hash,
                                 in->sizes[i], &in->to[i], e);
        if (rc != PQ_OK) {
            break;
        }
    }
    *end = i;
    return rc;
}

static PqRc put_aside(PqGrouping *g, PqErr *e)
{
    uint32_t from = 0, end;

    while (from < g->in->n) {
        PqRc rc = place(g, from, &end, e);

        fill(g, from, end);
        if (rc == PQ_BUDGET && (end > from || g->store.used > 0)) {
            pq_err_clear(e);
            rc = pq_group_store_write(&g->store, e);
        }
        PQ_TRY(rc);
        from = end;
    }
    return pq_group_store_is_full(&g->store)
               ? pq_group_store_write(&g->store, e) : PQ_OK;
}

/* ---- the batch ----------------------------------------------------------- */

/* Numbers the rows that filters left. */
static PqRc number_rows(PqGrouping *g, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(g->scan);
    const PqGroupSpan *last = g->n_spans ? &g->spans[g->n_spans - 1] : NULL;
    PqGroupBatch *in = g->in;

    if (!last ||
        last->rowid + (int64_t)(g->n_numbers - last->number) != b->rowid) {
        PQ_TRY(PQ_GROW(g->mem, g->spans, g->n_spans, g->spans_room, e));
        g->spans[g->n_spans++] = (PqGroupSpan){g->n_numbers, b->rowid};
    }
    in->n = b->n_kept;
    for (uint32_t i = 0; i < b->n_kept; i++) {
        in->rows[i] = b->kept ? b->kept[i] : i;
        in->heads[i] = g->n_numbers + in->rows[i];
    }
    g->n_numbers += b->n_rows;
    return g->n_numbers >> PQ_GROUP_ROW_BITS
               ? pq_fail(e, PQ_BUDGET, "more rows than can be grouped") : PQ_OK;
}

PqRc pq_group_fill(PqGrouping *g, PqErr *e)
{
    if (!g->in) {
        g->in = pq_mem_zeros(g->mem, 1, sizeof *g->in, e);
        PQ_TRY(g->in ? PQ_OK : e->rc);
    }
    PQ_TRY(number_rows(g, e));
    for (uint32_t k = 0; k < g->shape.n_keys; k++) {
        if (g->shape.keys[k].form == PQ_GROUP_CELLS) {
            PQ_TRY(load_cells(g, &g->shape.keys[k], g->spec.keys[k], e));
        }
    }
    for (uint32_t k = 0; k < g->shape.n_slots; k++) {
        PQ_TRY(load_slot(g, k, e));
    }
    PQ_TRY(measure(g, e));
    hash(g);
    return put_aside(g, e);
}

void pq_group_free_batch(PqGroupBatch *b)
{
    for (uint32_t i = 0; b && i < PQ_GROUP_SLOTS; i++) {
        pq_mem_free(b->sources[i].entries);
        pq_mem_free(b->sources[i].cells);
        pq_buf_free(&b->sources[i].bytes);
    }
    pq_mem_free(b);
}
