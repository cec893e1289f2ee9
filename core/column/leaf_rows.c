/*
** leaf_rows.c - vectors become batches.
*/
#include "core/column/leaf_rows.h"

#include "core/base/bits.h"

/* Rows, and slots, of one read; as in a scan. */
enum { AT_ONCE = 2048 };

PqRc pq_leaf_rows_open(PqLeafRows *r, PqReadCtx *ctx, PqInput *in,
                       const PqFooter *f, uint32_t group, uint32_t leaf,
                       PqErr *e)
{
    const PqLeaf *of = &f->schema.leaves[leaf];

    r->leaf = of;
    r->group_rows = f->groups[group].num_rows;
    PQ_TRY(pq_leaf_reader_init(&r->reader, ctx, e));
    r->reader.reads_all = true;
    if (pq_footer_chunk(f, group, leaf, pq_leaf_reader_arena(&r->reader),
                        &r->reader.chunk.chunk, e) != PQ_OK ||
        pq_leaf_reader_open(&r->reader, in, of, (int)group, r->group_rows,
                            f->file.created_by,
                            of->max_rep > 0 || of->max_def > 1, e) != PQ_OK) {
        pq_leaf_rows_close(r);
    }
    return e->rc;
}

void pq_leaf_rows_close(PqLeafRows *r)
{
    pq_leaf_reader_reset(&r->reader);
}

/* Appends the values of the valid slots of v to b. */
static void take_values(PqLeafBatch *b, const PqVector *v)
{
    size_t width = pq_physical_width(b->leaf->type.physical);
    uint8_t *to = (uint8_t *)b->values + b->n_values * width;

    if (!v->valid && !v->dict) {
        pq_bytes_copy(to, v->values, v->n_slots * width);
        b->n_values += v->n_slots;
        return;
    }
    if (!v->valid) {
        pq_dict_look_up(v->dict->values, width, v->ids, v->n_slots, to);
        b->n_values += v->n_slots;
        return;
    }
    for (uint32_t i = 0; i < v->n_slots; i++) {
        if (pq_bit(v->valid, i)) {
            memcpy(to, pq_vector_at(v, width, i), width);
            to += width;
            b->n_values++;
        }
    }
}

/* Moves the bytes of values from `had` on into the batch. */
static PqRc keep_bytes(PqLeafBatch *b, uint32_t had, PqErr *e)
{
    PqStr *s = b->values;

    for (uint32_t i = had; i < b->n_values; i++) {
        uint8_t *p = pq_arena_bytes(&b->bytes, s[i].n, e);

        PQ_TRY(p ? PQ_OK : e->rc);
        pq_bytes_copy(p, s[i].p, s[i].n);
        s[i].p = p;
        b->n_bytes += s[i].n;
    }
    return PQ_OK;
}

/* The definition level of a slot, in the leaf of the vector. */
static uint16_t level_at(const PqVector *v, uint32_t i)
{
    return v->def ? v->def[i]
                  : (uint16_t)(v->leaf->max_def - !pq_vector_is_valid(v, i));
}

static void take_levels(PqLeafBatch *b, const PqVector *v)
{
    uint16_t deeper = (uint16_t)(b->leaf->max_def - v->leaf->max_def);

    if (pq_leaf_batch_has_valid(b)) {
        for (uint32_t i = 0; i < v->n_slots; i += 64) {
            uint32_t n = v->n_slots - i < 64 ? v->n_slots - i : 64;

            pq_bits_put(b->valid, (uint64_t)b->n_entries + i, n,
                        v->valid ? pq_bits_from(v->valid, i, n) : ~0ull);
        }
        return;
    }
    if (!pq_leaf_batch_has_levels(b)) {
        return;
    }
    for (uint32_t i = 0; i < v->n_slots; i++) {
        b->def[b->n_entries + i] = (uint16_t)(level_at(v, i) + deeper);
    }
    if (b->leaf->max_rep > 0) {
        memcpy(b->rep + b->n_entries, v->rep, v->n_slots * sizeof *v->rep);
    }
}

PqRc pq_leaf_rows_next(PqLeafRows *r, int64_t *row, int64_t end, PqLeafBatch *b,
                       PqErr *e)
{
    uint32_t n = end - *row < AT_ONCE ? (uint32_t)(end - *row) : AT_ONCE;
    uint32_t had = b->n_values;
    PqVector v;

    PQ_TRY(r->leaf->max_rep > 0
               ? pq_leaf_read_upto(&r->reader, *row, n, AT_ONCE, PQ_LEAF_SPACED,
                                   &v, e)
               : pq_leaf_read(&r->reader, *row, n, &v, e));
    PQ_TRY(pq_leaf_batch_reserve(b, v.n_slots, e));
    take_values(b, &v);
    if (b->leaf->type.physical == PQ_BYTE_ARRAY ||
        b->leaf->type.physical == PQ_FIXED) {
        PQ_TRY(keep_bytes(b, had, e));
    }
    take_levels(b, &v);
    b->n_entries += v.n_slots;
    b->n_rows += v.n_rows;
    *row += v.n_rows;
    return PQ_OK;
}

PqRc pq_leaf_rows_nulls(int64_t *row, int64_t end, PqLeafBatch *b, PqErr *e)
{
    uint32_t n = end - *row < AT_ONCE ? (uint32_t)(end - *row) : AT_ONCE;

    PQ_TRY(pq_leaf_batch_reserve(b, n, e));
    if (pq_leaf_batch_has_levels(b)) {
        memset(b->def + b->n_entries, 0, n * sizeof *b->def);
        if (b->leaf->max_rep > 0) {
            memset(b->rep + b->n_entries, 0, n * sizeof *b->rep);
        }
    }
    b->n_entries += n;
    b->n_rows += n;
    *row += n;
    return PQ_OK;
}
