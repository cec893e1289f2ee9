/*
** copy_slab.c - turns a slab's cells into pages, with one job per column.
**
** Failures are hard: columns run on several threads and slabs of several
** partitions wait, but the same query must always report the same row and
** column.  So after a failure all jobs are waited for, rows that were not tried
** yet are tried, and the first row that does not fit is reported.
*/
#define _POSIX_C_SOURCE 200809L
#include "core/base/clock.h"
#include "core/write/copy_inside.h"

#include "core/encoding/encoder.h"
#include "core/text/text_kind.h"
#include "core/text/utf8.h"

#include <assert.h>
#include <stdlib.h>

void pq_copy_slab_free(PqCopy *c, PqSlab *s)
{
    for (uint32_t i = 0; s->columns && i < c->n_cells; i++) {
        pq_cells_free(&s->columns[i]);
    }
    pq_mem_free(s->columns);
    pq_mem_free(s->numbers);
    *s = (PqSlab){0};
}

size_t pq_copy_slab_bytes(const PqCopy *c, const PqSlab *s)
{
    size_t n = 0;

    for (uint32_t i = 0; s->columns && i < c->n_cells; i++) {
        n += s->columns[i].room * sizeof(PqCell) +
             pq_arena_memory(&s->columns[i].bytes);
    }
    return n;
}

static PqRc make_columns(PqCopy *c, PqSlab *s, PqErr *e)
{
    s->columns = pq_mem_array(c->mem, c->n_cells, sizeof *s->columns, e);
    PQ_TRY(s->columns ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < c->n_cells; i++) {
        pq_cells_init(&s->columns[i], c->mem);
        s->columns[i].n_all = &s->n_bytes;
    }
    return PQ_OK;
}

PqRc pq_copy_slab_reserve(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    PqSlab *s = &o->slabs[o->filling];

    if (!s->columns) {
        PQ_TRY(make_columns(c, s, e));
    }
    for (uint32_t i = 0; i < c->n_cells; i++) {
        PQ_TRY(pq_cells_reserve(&s->columns[i], e));
    }
    return c->plan.n_partition ? PQ_GROW(c->mem, s->numbers, s->n_rows,
                                         s->numbers_room, e)
                               : PQ_OK;
}

/* A text that is not UTF-8 counts as a BLOB, because the error advises to write
** it as one. */
static PqCellClass class_of(const PqCell *cell)
{
    return cell->kind == PQ_CELL_TEXT && !pq_utf8_valid(pq_cell_slice(cell))
               ? PQ_CELL_BLOB
               : (PqCellClass)cell->kind;
}

/* Keeps the failure of the first row, and in that row of the first column, so
** the error does not depend on the speed of threads. */
static void note_failure(PqColumnJob *j, const PqErr *e, bool misfit,
                         uint32_t row)
{
    static const PqCell none = {.kind = PQ_CELL_NULL};
    PqCopy *c = j->out->copy;
    const PqCell *cell = j->slab && misfit
                             ? &j->slab->columns[j->column].cells[row] : &none;
    uint64_t number = j->slab && misfit ? pq_copy_slab_number(j->slab, row)
                                        : UINT64_MAX;

    assert(e->rc != PQ_OK);
    pthread_mutex_lock(&c->lock);
    j->out->failed = true;
    if (!c->failed || number < c->failed_row ||
        (number == c->failed_row && j->column < c->failed_column)) {
        c->failed = true;
        c->misfit = misfit;
        c->failed_row = number;
        c->failed_column = j->column;
        c->failed_class = class_of(cell);
        c->failed_kinds = c->failed_class == PQ_CELL_TEXT
                              ? pq_text_kinds(pq_cell_slice(cell)) : 0;
        c->failure = *e;
    }
    pthread_mutex_unlock(&c->lock);
}

/* The column that has the cells. */
static uint32_t source_of(const PqColumnJob *j)
{
    uint32_t of = j->out->copy->plan.columns[j->column].cover_of;

    return of ? of - 1 : j->column;
}

static PqRc fill(PqColumnJob *j, const PqNode *node, uint32_t *misfit, PqErr *e)
{
    PqCopyOut *o = j->out;
    const PqCopyColumn *column = &o->copy->plan.columns[j->column];
    const PqFillRules *rules = &column->rules;
    PqLeafBatch *batches = &o->batches[node->first_leaf];
    const PqCells *cells = &j->slab->columns[source_of(j)];

    if (column->cover_of) {
        return pq_cover_fill(&o->covers[j->column - o->copy->n_cells], batches,
                             cells, j->slab->n_rows, rules, e);
    }
    if (node->kind == PQ_NODE_LEAF) {
        return pq_leaf_fill(batches, cells, 0, j->slab->n_rows, rules, misfit,
                            e);
    }
    if (!o->shreds[j->column]) {
        PQ_TRY(pq_json_shred_new(o->copy->mem, &o->copy->schema, node, rules,
                                 &o->shreds[j->column], e));
    }
    return pq_json_shred_fill(o->shreds[j->column], batches, cells, 0,
                              j->slab->n_rows, misfit, e);
}

static PqRc write_leaves(PqColumnJob *j, const PqNode *node, PqWriteCtx *ctx,
                         PqErr *e)
{
    PqCopyOut *o = j->out;

    for (uint32_t i = 0; i < node->n_leaves; i++) {
        uint32_t leaf = node->first_leaf + i;

        e->where.column = o->copy->schema.leaves[leaf].path;
        if (j->slab) {
            PQ_TRY(pq_chunk_write_batch(o->chunks[leaf], &o->batches[leaf],
                                        ctx, e));
        }
        if (j->ends) {
            PQ_TRY(pq_chunk_write_end(o->chunks[leaf], ctx, e));
        }
    }
    return PQ_OK;
}

/* Slabs and batches may take a quarter of the memory, finished pages three
** eighths before they are put aside.  The rest is for the codecs. */
static PqRc make_ready(PqCopy *c, PqCopyWorker *w, PqErr *e)
{
    if (w->ready) {
        return PQ_OK;
    }
    PQ_TRY(pq_write_ctx_init(&w->ctx, c->mem, e));
    pq_codec_confine(w->ctx.codec, pq_mem_limit(c->mem) / 4 /
                                       (c->n_threads + 1));
    w->ctx.stop = pq_shared_stop(&c->stop, w == &c->workers[0]);
    w->ready = true;
    return PQ_OK;
}

static void work(PqColumnJob *j, PqCopyWorker *w)
{
    PqCopyOut *o = j->out;
    const PqNode *node = o->copy->schema.root->child[j->column];
    uint32_t misfit = 0;
    PqErr e = PQ_NO_ERR;

    if (make_ready(o->copy, w, &e) != PQ_OK) {
        note_failure(j, &e, false, 0);
    } else if (j->slab && fill(j, node, &misfit, &e) != PQ_OK) {
        note_failure(j, &e, e.rc == PQ_USAGE, misfit);
    } else if (write_leaves(j, node, &w->ctx, &e) != PQ_OK) {
        note_failure(j, &e, false, 0);
    }
}

static void run(PqJob *job, int thread)
{
    PqColumnJob *j = (PqColumnJob *)(void *)job;
    PqCopy *c = j->out->copy;
    int64_t began = pq_clock_ns();

    if (!c->stop.stopped) {
        work(j, &c->workers[thread + 1]);
    }
    j->took = (uint64_t)(pq_clock_ns() - began);
}

static PqRc make_covers(PqCopyOut *o, PqErr *e)
{
    const PqCopy *c = o->copy;
    uint32_t n = c->plan.n_columns - c->n_cells;

    o->covers = pq_mem_zeros(c->mem, n + (size_t)1, sizeof *o->covers, e);
    for (uint32_t i = 0; o->covers && i < n; i++) {
        const PqCopyColumn *cover = &c->plan.columns[c->n_cells + i];

        pq_cover_init(&o->covers[i], cover->rules.geometry);
    }
    return e->rc;
}

/* Makes the batches that take the values of a slab. */
static PqRc make_batches(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    uint32_t n_leaves = c->schema.n_leaves;

    if (!o->batches) {
        o->batches = pq_mem_array(c->mem, n_leaves + (size_t)1,
                                  sizeof *o->batches, e);
        for (uint32_t i = 0; o->batches && i < n_leaves; i++) {
            pq_leaf_batch_init(&o->batches[i], &c->schema.leaves[i], c->mem);
        }
    }
    if (!o->shreds) {
        o->shreds = pq_mem_zeros(c->mem, c->plan.n_columns, sizeof *o->shreds,
                                 e);
    }
    return e->rc != PQ_OK || o->covers ? e->rc : make_covers(o, e);
}

/* Is it the metadata or the value of a VARIANT?  Nobody looks these up. */
static bool is_variant_bytes(const PqNode *leaf)
{
    const PqNode *up = leaf->parent;

    while (up && up->kind != PQ_NODE_VARIANT) {
        up = up->parent;
    }
    return up && strcmp(leaf->name, "typed_value") != 0;
}

static PqRc make_chunks(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    const PqFileSeal *seal;
    int row_group;

    PQ_TRY(pq_copy_out_seal(o, &seal, &row_group, e));
    PQ_TRY(PQ_NEW(c->mem, o->chunks, c->schema.n_leaves + (size_t)1, e));
    for (uint32_t k = 0; k < c->plan.n_columns; k++) {
        const PqNode *node = c->schema.root->child[k];

        for (uint32_t i = 0; i < node->n_leaves; i++) {
            uint32_t leaf = node->first_leaf + i;
            PqChunkOptions options = c->plan.columns[k].options;

            if (node->kind != PQ_NODE_LEAF && options.encoding >= 0 &&
                !pq_encodes(options.encoding,
                            c->schema.leaves[leaf].type.physical)) {
                options.encoding = -1;
            }
            if (is_variant_bytes(c->schema.leaves[leaf].node)) {
                options.bloom = PQ_BLOOM_NEVER;
            }
            PQ_TRY(pq_chunk_write_new(c->mem, &c->schema.leaves[leaf],
                                      &options, c->plan.row_group_rows,
                                      &o->chunks[leaf], e));
            pq_chunk_write_seal(o->chunks[leaf], pq_file_seal_lock(seal, leaf),
                                row_group);
            pq_chunk_write_learn(o->chunks[leaf], &o->lessons[leaf]);
        }
    }
    return PQ_OK;
}

static PqRc make_work(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;

    PQ_TRY(make_batches(o, e));
    if (!o->lessons) {
        o->lessons = pq_mem_zeros(c->mem, c->schema.n_leaves + (size_t)1,
                                  sizeof *o->lessons, e);
    }
    if (!o->jobs) {
        o->jobs = pq_mem_zeros(c->mem, c->plan.n_columns, sizeof *o->jobs, e);
    }
    PQ_TRY(e->rc);
    return o->chunks ? PQ_OK : make_chunks(o, e);
}

/* Longest first, by the time that the columns took in the previous slab.  For
** the first slab, long texts count as long. */
static int longest_first(const void *a, const void *b)
{
    const PqColumnJob *x = a, *y = b;

    if (x->took != y->took) {
        return x->took < y->took ? 1 : -1;
    }
    return x->n_bytes != y->n_bytes ? (x->n_bytes < y->n_bytes ? 1 : -1)
                                    : (x->column > y->column) -
                                          (x->column < y->column);
}

/* The longest jobs begin first; otherwise all would wait for them at the
** end. */
PqRc pq_copy_slab_start(PqCopyOut *o, PqSlab *slab, bool ends, PqErr *e)
{
    PqCopy *c = o->copy;

    PQ_TRY(make_work(o, e));
    for (uint32_t i = 0; i < c->plan.n_columns; i++) {
        PqColumnJob *j = &o->jobs[i];
        uint32_t column = j->out ? j->column : i;

        *j = (PqColumnJob){
            .job.run = run, .out = o, .slab = slab, .column = column,
            .took = j->took, .ends = ends};
        j->n_bytes = slab ? slab->columns[source_of(j)].n_bytes : 0;
    }
    qsort(o->jobs, c->plan.n_columns, sizeof *o->jobs, longest_first);
    for (uint32_t i = 0; i < c->plan.n_columns; i++) {
        pq_pool_add(c->pool, &o->jobs[i].job);
    }
    o->working = true;
    o->ending = ends;
    return PQ_OK;
}

/* Waits for a job, and asks meanwhile whether to stop.  A running job is waited
** for even then, because it works on memory that is freed next. */
static PqRc wait_for(PqCopy *c, PqJob *job, PqErr *e)
{
    enum { ASK_MS = 20 };
    PqRc rc = PQ_OK;

    while (!pq_pool_wait_for(c->pool, job, ASK_MS)) {
        if (rc == PQ_OK) {
            rc = pq_stop_poll(c->plan.stop, e);
            c->stop.stopped = c->stop.stopped || rc != PQ_OK;
        }
    }
    return rc;
}

/* Runs the jobs that no thread has begun. */
static PqRc help(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    PqRc rc = PQ_OK;

    for (uint32_t i = 0; i < c->plan.n_columns && rc == PQ_OK; i++) {
        pq_pool_wait_for(c->pool, &o->jobs[i].job, 0);
        rc = pq_stop_poll(c->plan.stop, e);
    }
    c->stop.stopped = c->stop.stopped || rc != PQ_OK;
    return rc;
}

PqRc pq_copy_slab_join(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    PqRc rc;

    if (!o->working) {
        return PQ_OK;
    }
    rc = help(o, e);
    for (uint32_t i = 0; i < c->plan.n_columns; i++) {
        PqRc one = wait_for(c, &o->jobs[i].job, e);

        rc = rc == PQ_OK ? one : rc;
    }
    o->working = false;
    return rc;
}

/* Tries the rows of a slab that come before a row that failed, to find the
** first one that does not fit.  Nothing is written. */
static PqRc look_at_slab(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    PqSlab *slab = &o->slabs[o->filling];

    if (!c->misfit || !slab->n_rows ||
        pq_copy_slab_number(slab, 0) > c->failed_row) {
        return PQ_OK;
    }
    PQ_TRY(make_batches(o, e));
    for (uint32_t i = 0; i < c->schema.n_leaves; i++) {
        pq_leaf_batch_reset(&o->batches[i]);
    }
    for (uint32_t i = 0; i < c->plan.n_columns; i++) {
        PqColumnJob job = {.out = o, .slab = slab, .column = i};
        uint32_t misfit = 0;
        PqErr here = PQ_NO_ERR;

        PQ_TRY(pq_stop_poll(c->plan.stop, e));
        if (fill(&job, c->schema.root->child[i], &misfit, &here) == PQ_USAGE) {
            note_failure(&job, &here, true, misfit);
        }
    }
    return PQ_OK;
}

/* Tries the rows in the slab, and the rows that were put aside. */
static PqRc look_at_waiting(PqCopyOut *o, PqErr *e)
{
    PQ_TRY(look_at_slab(o, e));
    return o->copy->misfit ? pq_copy_spill_show(o, look_at_slab, e) : PQ_OK;
}

/* Reports the first of all failures.  Its text already names the place. */
static PqRc tell_failure(PqCopy *c, PqErr *e)
{
    const PqWhere outer = e->where;

    for (uint32_t i = 0; i < c->n_outs; i++) {
        PQ_TRY(pq_copy_slab_join(c->outs[i], e));
    }
    for (uint32_t i = 0; i < c->n_outs; i++) {   /* makes room for the tries */
        pq_copy_out_give_up(c->outs[i]);
    }
    for (uint32_t i = 0; i < c->n_outs; i++) {
        PqErr ignored = PQ_NO_ERR;

        if (look_at_waiting(c->outs[i], &ignored) == PQ_STOPPED) {
            break;
        }
        pq_copy_out_slim(c->outs[i]);
    }
    *e = c->failure;
    e->where = outer;
    return e->rc;
}

PqRc pq_copy_slab_wait(PqCopyOut *o, PqErr *e)
{
    if (!o->working) {
        return PQ_OK;
    }
    PQ_TRY(pq_copy_slab_join(o, e));
    return o->failed               ? tell_failure(o->copy, e)
           : o->copy->stop.stopped ? pq_fail(e, PQ_STOPPED, "interrupted")
                                   : PQ_OK;
}
