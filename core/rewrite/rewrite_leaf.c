/*
** rewrite_leaf.c - leaves that are decoded and encoded, one job each.
**
**   group 3 of a.parquet    leaf 0 -> chunk 0       the jobs of one call run on
**                           leaf 1 -> chunk 1       several threads
**
** A leaf is read to its end before the next one, so memory is needed for the
** pages of one leaf per thread.  What chunks hold goes to the scratch file when
** memory is short, and dictionaries stop growing when it is shorter.
*/
#include "core/rewrite/rewrite_inside.h"

#include "core/write/copy.h"

/* ---- threads ------------------------------------------------------------------ */

PqRc pq_rewrite_worker(PqRewrite *r, PqRewriteWorker **out, int thread, PqErr *e)
{
    PqRewriteWorker *w = &r->workers[thread + 1];

    *out = w;
    if (w->ready) {
        return PQ_OK;
    }
    PQ_TRY(pq_read_ctx_init(&w->read, r->mem, e));
    if (pq_write_ctx_init(&w->write, r->mem, e) != PQ_OK) {
        pq_read_ctx_reset(&w->read);
        return e->rc;
    }
    w->read.verify_crc = true;
    w->read.stop = w->write.stop = pq_shared_stop(&r->stop, thread < 0);
    w->ready = true;
    return PQ_OK;
}

/* ---- memory -------------------------------------------------------------------- */

/* As a copy does it, before half of the memory is used. */
static PqRc relieve(PqRewrite *r, PqChunkWrite *w, PqErr *e)
{
    size_t used = pq_mem_used(r->mem), limit = pq_mem_limit(r->mem);

    if (used >= limit / 2) {
        pq_chunk_write_lighten(w);
    }
    if (used < limit / 8 * 3) {
        return PQ_OK;
    }
    pthread_mutex_lock(&r->lock);
    if (r->scratch || pq_copy_scratch_beside(r->mem, r->plan.path, false, r->seal != NULL,
                                             &r->scratch, e) == PQ_OK) {
        pq_chunk_write_spill(w, r->scratch, e);
    }
    pthread_mutex_unlock(&r->lock);
    return e->rc;
}

/* ---- a job --------------------------------------------------------------------- */

static PqRc flush(PqRewriteLeaf *j, PqRewriteWorker *w, PqErr *e)
{
    PqChunkWrite *chunk = j->r->chunks[j->leaf->index];

    if (j->batch.n_rows == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_chunk_write_batch(chunk, &j->batch, &w->write, e));
    pq_leaf_batch_reset(&j->batch);
    return relieve(j->r, chunk, e);
}

/* A batch ends a page, so it should fill several, if the batches of all leaves
** then fit into memory. */
static bool is_full(const PqRewriteLeaf *j)
{
    const PqChunkOptions *o = &j->options;
    const PqLeafBatch *b = &j->batch;
    size_t width = pq_physical_width(b->leaf->type.physical);
    size_t share = pq_mem_limit(j->r->mem) / 16 / j->r->schema.n_leaves;
    size_t most = (size_t)4 * o->page_bytes;

    return b->n_rows >= o->page_rows ||
           b->n_bytes + b->n_values * width >= (share < most ? share : most);
}

/* Rows [row, end) of the row group; rows NULL: there they are null. */
static PqRc add_rows(PqRewriteLeaf *j, PqRewriteWorker *w, PqLeafRows *rows,
                     int64_t row, int64_t end, PqErr *e)
{
    PqLeafBatch *b = &j->batch;

    while (row < end) {
        uint32_t had = b->n_values;

        PQ_TRY(pq_stop_poll(&w->write.stop, e));
        PQ_TRY(rows ? pq_leaf_rows_next(rows, &row, end, b, e)
                    : pq_leaf_rows_nulls(&row, end, b, e));
        if (j->column->mask == PQ_MASK_HASH) {
            PQ_TRY(pq_mask_hash(b, had, j->column->mask_key, e));
        }
        if (is_full(j)) {
            PQ_TRY(flush(j, w, e));
        }
    }
    return PQ_OK;
}

/* All rows of the row group, without those that are left out. */
static PqRc add_kept(PqRewriteLeaf *j, PqRewriteWorker *w, PqLeafRows *rows, PqErr *e)
{
    const PqGroup *g = &j->rows.file->f->groups[j->rows.group];
    const PqRowSpan *out = j->rows.left_out;
    int64_t row = 0, end = g->first_row + g->num_rows;

    for (uint32_t i = 0; i < j->rows.n_left_out && out[i].begin < end; i++) {
        PQ_TRY(add_rows(j, w, rows, row, out[i].begin - g->first_row, e));
        row = out[i].end - g->first_row;
    }
    return add_rows(j, w, rows, row, g->num_rows, e);
}

static PqRc add_values(PqRewriteLeaf *j, PqRewriteWorker *w, PqErr *e)
{
    PqRewriteFile *file = j->rows.file;
    PqLeafRows rows;
    PqRc rc;

    e->where.file = pq_source_path(j->in->source);
    PQ_TRY(pq_leaf_rows_open(&rows, &w->read, j->in, file->f, j->rows.group,
                             file->from[j->leaf->index].leaf, e));
    pq_chunk_enter(&rows.reader.chunk, e);
    rc = add_kept(j, w, &rows, e);
    pq_chunk_leave(e);
    pq_leaf_rows_close(&rows);
    return rc;
}

static PqRc work(PqRewriteLeaf *j, int thread, PqErr *e)
{
    PqRewrite *r = j->r;
    uint32_t i = j->leaf->index;
    PqRewriteWorker *w;

    PQ_TRY(pq_rewrite_worker(r, &w, thread, e));
    PQ_TRY(pq_stop_poll(&w->write.stop, e));
    if (j->rows.file) {
        PQ_TRY(j->rows.file->from[i].way == PQ_LEAF_NULLS
                   ? add_kept(j, w, NULL, e) : add_values(j, w, e));
    }
    if (!j->ends) {
        return PQ_OK;
    }
    PQ_TRY(flush(j, w, e));
    pq_leaf_batch_free(&j->batch);
    PQ_TRY(pq_chunk_write_end(r->chunks[i], &w->write, e));
    return relieve(r, r->chunks[i], e);
}

static void run(PqJob *job, int thread)
{
    PqRewriteLeaf *j = (PqRewriteLeaf *)job;

    if (work(j, thread, &j->e) != PQ_OK) {
        j->r->stop.stopped = true;
    }
}

/* ---- the jobs of a row group ------------------------------------------------------ */

PqRc pq_rewrite_input(PqRewriteFile *file, uint32_t group, uint32_t leaf, PqInput **out, PqErr *e)
{
    PqColumnChunk chunk;
    PqArena a;
    PqRc rc;

    pq_arena_init(&a, file->f->mem);
    rc = pq_footer_chunk(file->f, group, leaf, &a, &chunk, e);
    if (rc == PQ_OK) {
        rc = pq_chunk_files_input(&file->parts, &chunk, group, out, e);
    }
    pq_arena_free(&a);
    return rc;
}

static PqRc begin_chunk(PqRewrite *r, uint32_t i, uint64_t rows, PqErr *e)
{
    PqRewriteLeaf *j = &r->leaves[i];

    PQ_TRY(pq_chunk_write_new(r->mem, j->leaf, &j->options, rows, &r->chunks[i], e));
    pq_chunk_write_learn(r->chunks[i], &j->lesson);
    pq_chunk_write_seal(r->chunks[i], pq_file_seal_lock(r->seal, i), (int)r->n_groups);
    return PQ_OK;
}

static PqRc begin_job(PqRewrite *r, const PqRewriteRows *rows, uint32_t i, bool ends, PqErr *e)
{
    PqRewriteLeaf *j = &r->leaves[i];

    j->job = (PqJob){.run = run};
    j->rows = *rows;
    j->ends = ends;
    if (rows->file && rows->file->from[i].way != PQ_LEAF_NULLS) {
        PQ_TRY(pq_rewrite_input(rows->file, rows->group, rows->file->from[i].leaf, &j->in, e));
    }
    return r->chunks[i] ? PQ_OK : begin_chunk(r, i, rows->n_rows, e);
}

/* Runs jobs that no thread has begun; then waits for the others.  A running job
** is waited for even if the user interrupts. */
static void wait_for(PqRewrite *r, PqErr *e)
{
    enum { ASK_MS = 20 };

    for (uint32_t i = 0; i < r->schema.n_leaves; i++) {
        pq_pool_wait_for(r->pool, &r->leaves[i].job, 0);
    }
    for (uint32_t i = 0; i < r->schema.n_leaves; i++) {
        PqErr *of = &r->leaves[i].e;

        while (!pq_pool_wait_for(r->pool, &r->leaves[i].job, ASK_MS)) {
            pq_shared_stop_ask(&r->stop);
        }
        if (of->rc != PQ_OK && (e->rc == PQ_OK || e->rc == PQ_STOPPED)) {
            *e = *of;                /* others may only have been told to stop */
        }
    }
}

PqRc pq_rewrite_write(PqRewrite *r, const PqRewriteRows *rows, bool all, bool ends, PqErr *e)
{
    PqWhere outer = e->where;

    for (uint32_t i = 0; i < r->schema.n_leaves; i++) {
        r->leaves[i].e = PQ_NO_ERR;
    }
    for (uint32_t i = 0; i < r->schema.n_leaves && e->rc == PQ_OK; i++) {
        if ((all || rows->file->from[i].way != PQ_LEAF_COPIED) &&
            begin_job(r, rows, i, ends, e) == PQ_OK) {
            pq_pool_add(r->pool, &r->leaves[i].job);
        }
    }
    r->stop.stopped = r->stop.stopped || e->rc != PQ_OK;
    wait_for(r, e);
    e->where = outer;
    return e->rc;
}
