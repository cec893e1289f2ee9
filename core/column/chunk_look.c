/*
** chunk_look.c - reads the values of a chunk that is copied, for what it lacks:
** the page index, size statistics, a Bloom filter.
**
** The pages are those that were copied, so their first rows are known.
*/
#include "core/column/chunk_copy_inside.h"

#include "core/column/leaf_rows.h"

typedef struct Look {
    PqChunkCopy *c;
    PqLeafRows   rows;
    PqLeafBatch  batch;
    PqBoundsMake bounds;             /* of the page                          */
    int64_t     *def, *rep;          /* histograms of the page               */
} Look;

static void close_look(Look *l)
{
    pq_leaf_rows_close(&l->rows);
    pq_leaf_batch_free(&l->batch);
    pq_bounds_make_free(&l->bounds);
    pq_mem_free(l->def);
    pq_mem_free(l->rep);
}

static PqRc open_look(Look *l, PqChunkCopy *c, PqErr *e)
{
    const PqChunkCopySpec *s = &c->s;

    *l = (Look){.c = c};
    pq_leaf_batch_init(&l->batch, c->leaf, s->mem);
    pq_bounds_make_init(&l->bounds, &s->to->type, s->mem);
    if (s->order == PQ_ORDER_FLOAT_TOTAL) {
        pq_bounds_make_total(&l->bounds);
        pq_bounds_make_total(&c->chunk_bounds);
    }
    if (PQ_NEW(s->mem, l->def, (size_t)c->leaf->max_def + 1, e) != PQ_OK ||
        PQ_NEW(s->mem, l->rep, (size_t)c->leaf->max_rep + 1, e) != PQ_OK ||
        pq_leaf_rows_open(&l->rows, s->read, s->in, s->f, s->group, s->leaf,
                          e) != PQ_OK) {
        pq_leaf_batch_free(&l->batch);
        pq_mem_free(l->def);
        pq_mem_free(l->rep);
        return e->rc;
    }
    pq_chunk_enter(&c->r, e);
    return PQ_OK;
}

static void count_levels(Look *l)
{
    const PqLeafBatch *b = &l->batch;

    if (!b->def) {
        l->def[0] += b->n_entries - b->n_values;
        l->def[l->c->leaf->max_def] += b->n_values;
    }
    for (uint32_t i = 0; b->def && i < b->n_entries; i++) {
        l->def[b->def[i]]++;
    }
    for (uint32_t i = 0; b->rep && i < b->n_entries; i++) {
        l->rep[b->rep[i]]++;
    }
}

static PqRc look_at_page(Look *l, uint32_t page, PqErr *e)
{
    PqChunkCopy *c = l->c;
    const PqPageLocation *at = &c->pages[page];
    int64_t row = at->first_row_index, n_values = 0;
    int64_t end = page + 1 < c->n_pages ? at[1].first_row_index
                                        : c->r.group_rows;
    PqIndexPage made = {.first_row = row, .offset = at->offset,
                        .n_bytes = at->compressed_page_size,
                        .bounds = &l->bounds};

    pq_bounds_make_reset(&l->bounds);
    memset(l->def, 0, ((size_t)c->leaf->max_def + 1) * sizeof *l->def);
    memset(l->rep, 0, ((size_t)c->leaf->max_rep + 1) * sizeof *l->rep);
    while (row < end) {
        pq_leaf_batch_reset(&l->batch);
        PQ_TRY(pq_leaf_rows_next(&l->rows, &row, end, &l->batch, e));
        PQ_TRY(pq_bounds_add(&l->bounds, l->batch.values, l->batch.n_values,
                             (int64_t)l->batch.n_entries - l->batch.n_values,
                             e));
        count_levels(l);
        n_values += l->batch.n_values;
        made.n_text_bytes += c->leaf->type.physical == PQ_BYTE_ARRAY
                                 ? (int64_t)l->batch.n_bytes : 0;
    }
    made.all_null = n_values == 0;
    made.def_histogram = c->leaf->max_def ? l->def : NULL;
    made.rep_histogram = c->leaf->max_rep ? l->rep : NULL;
    PQ_TRY(pq_bounds_add_bounds(&c->chunk_bounds, &l->bounds, e));
    return pq_index_make_add(c->made, &made, e);
}

PqRc pq_chunk_look_pages(PqChunkCopy *c, PqErr *e)
{
    Look l;
    PqRc rc;

    PQ_TRY(pq_index_make_new(c->s.mem, c->s.to, true, &c->made, e));
    PQ_TRY(open_look(&l, c, e));
    for (uint32_t i = 0; i < c->n_pages; i++) {
        PQ_GO(look_at_page(&l, i, e));
    }
    rc = PQ_OK;
done:
    close_look(&l);
    return rc;
}

static PqRc add_hashes(Look *l, PqBloomMake *b, PqBuf *hashes, PqErr *e)
{
    PqLeafBatch *batch = &l->batch;
    uint32_t n;

    PQ_TRY(pq_buf_resize(hashes, ((size_t)batch->n_values + PQ_BLOOM_MORE) *
                                     sizeof(uint64_t), e));
    n = pq_bloom_make_hash(&l->c->leaf->type, batch->values, batch->n_values,
                           (void *)hashes->p);
    pq_bloom_make_add_hashes(b, (void *)hashes->p, n);
    return PQ_OK;
}

PqRc pq_chunk_look_bloom(PqChunkCopy *c, PqBloomMake *b, PqErr *e)
{
    PqWhere outer = e->where;
    int64_t row = 0;
    PqBuf hashes;
    Look l;
    PqRc rc = PQ_OK;

    PQ_TRY(open_look(&l, c, e));
    pq_buf_init(&hashes, c->s.mem, NULL);
    while (row < c->r.group_rows) {
        pq_leaf_batch_reset(&l.batch);
        PQ_GO(pq_leaf_rows_next(&l.rows, &row, c->r.group_rows, &l.batch, e));
        PQ_GO(add_hashes(&l, b, &hashes, e));
    }
    e->where = outer;
done:
    pq_buf_free(&hashes);
    close_look(&l);
    return rc;
}
