/*
** copy_out.c - begins and ends the row groups and files of one output.
**
** What is hard is that sizes are known late: pages have a size only when the
** jobs of a slab are done, so row_group_bytes and file_bytes are looked at
** between slabs.  A row group that has ended waits in `ended`, and is written
** while jobs work on the next rows.  Memory is kept in bounds here too: large
** dictionaries stop growing, and finished pages go to the scratch file.
*/
#include "core/write/copy_inside.h"

#include "core/base/folder.h"
#include "core/crypto/sealed_scratch.h"

#include <assert.h>

PqRc pq_copy_out_new(PqCopy *c, const char *folder, PqCopyOut **out, PqErr *e)
{
    PqCopyOut *o = pq_mem_zeros(c->mem, 1, sizeof *o, e);

    *out = o;
    PQ_TRY(o ? PQ_OK : e->rc);
    o->copy = c;
    o->folder = folder;
    return PQ_OK;
}

static void free_chunks(const PqCopy *c, PqChunkWrite ***chunks)
{
    for (uint32_t i = 0; *chunks && i < c->schema.n_leaves; i++) {
        pq_chunk_write_free((*chunks)[i]);
    }
    pq_mem_free(*chunks);
    *chunks = NULL;
}

void pq_copy_out_slim(PqCopyOut *o)
{
    PqCopy *c = o->copy;

    free_chunks(c, &o->chunks);
    free_chunks(c, &o->ended.chunks);
    for (uint32_t i = 0; o->batches && i < c->schema.n_leaves; i++) {
        pq_leaf_batch_free(&o->batches[i]);
    }
    for (uint32_t i = 0; o->shreds && i < c->plan.n_columns; i++) {
        pq_json_shred_free(o->shreds[i]);
    }
    pq_mem_free(o->lessons);
    pq_mem_free(o->batches);
    pq_mem_free(o->shreds);
    pq_mem_free(o->covers);
    pq_mem_free(o->jobs);
    o->lessons = NULL;
    o->batches = NULL;
    o->shreds = NULL;
    o->covers = NULL;
    o->jobs = NULL;
    pq_copy_slab_free(c, &o->slabs[0]);
    pq_copy_slab_free(c, &o->slabs[1]);
    o->kept = 0;
}

void pq_copy_out_give_up(PqCopyOut *o)
{
    free_chunks(o->copy, &o->chunks);
    free_chunks(o->copy, &o->ended.chunks);
}

void pq_copy_out_free(PqCopyOut *o)
{
    if (o) {
        PqErr ignored = PQ_NO_ERR;

        pq_copy_slab_join(o, &ignored);
        pq_copy_out_slim(o);
        pq_sorting_check_free(o->sorting);
        pq_file_write_free(o->file);
        pq_file_seal_free(o->waiting);
        pq_file_seal_free(o->seal);
        pq_mem_free(o);
    }
}

size_t pq_copy_out_bytes(const PqCopyOut *o)
{
    return pq_copy_slab_bytes(o->copy, &o->slabs[0]) +
           pq_copy_slab_bytes(o->copy, &o->slabs[1]) + o->kept;
}

size_t pq_copy_out_file_bytes(const PqCopyOut *o)
{
    return o->file ? pq_file_write_memory(o->file) : 0;
}

/* Counts the memory.  No job may be queued, since jobs change it. */
static void weigh(PqCopyOut *o)
{
    o->kept = 0;
    for (uint32_t i = 0; o->chunks && i < o->copy->schema.n_leaves; i++) {
        o->kept += pq_chunk_write_memory(o->chunks[i]) +
                   pq_leaf_batch_memory(&o->batches[i]);
    }
}

/* How many rows the slab that is being filled may have. */
static uint32_t most_rows(const PqCopyOut *o)
{
    const PqCopyPlan *p = &o->copy->plan;
    uint64_t left = p->row_group_rows - o->group_rows;

    if (p->file_rows && p->file_rows - o->file_rows < left) {
        left = p->file_rows - o->file_rows;
    }
    return left < o->copy->slab_rows ? (uint32_t)left : o->copy->slab_rows;
}

/* Does the slab hold many bytes of text?  Large values fill a page with few
** rows. */
static bool is_heavy(const PqCopyOut *o)
{
    return o->slabs[o->filling].n_bytes >= o->copy->slab_bytes;
}

bool pq_copy_out_is_full(const PqCopyOut *o)
{
    return o->slabs[o->filling].n_rows >= most_rows(o) || is_heavy(o);
}

/* Makes the locks of the file that comes next, if it has none yet. */
static PqRc need_seal(PqCopyOut *o, PqErr *e)
{
    const PqCopy *c = o->copy;

    if (!c->seal || o->seal) {
        return PQ_OK;
    }
    o->n_sealed = 0;
    return pq_file_seal_new(c->seal, c->mem, &o->seal, e);
}

/* A row group begins before the previous one is written.  So its file may not
** be begun yet, and if the previous one ends a file, that file still needs its
** own locks. */
PqRc pq_copy_out_seal(PqCopyOut *o, const PqFileSeal **out, int *row_group,
                      PqErr *e)
{
    if (o->ended.chunks && o->ended.ends_file) {
        assert(!o->waiting);
        o->waiting = o->seal;
        o->seal = NULL;
    }
    PQ_TRY(need_seal(o, e));
    if (o->seal && o->n_sealed > PQ_ORDINAL_MOST) {
        return pq_fail(e, PQ_USAGE, "an encrypted file has at most %d row "
                       "groups; larger ones (row_group_rows, row_group_bytes) "
                       "or several files (file_rows, file_bytes) help",
                       PQ_ORDINAL_MOST + 1);
    }
    *out = o->seal;
    *row_group = (int)o->n_sealed++;
    return PQ_OK;
}

/* The locks of a file that has ended. */
static void drop_seal(PqCopyOut *o)
{
    PqFileSeal **seal = o->waiting ? &o->waiting : &o->seal;

    pq_file_seal_free(*seal);
    *seal = NULL;
}

/* Begins country=DE/data_0.parquet, or takes the next number if that exists. */
static PqRc begin_file(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    bool taken = false;

    o->sink = c->plan.into;
    if (!o->sink) {
        PQ_TRY(c->plan.is_folder
                   ? pq_publish_next(c->publish, o->folder ? o->folder : "", &o->n_files,
                                     &o->sink, e)
                   : pq_publish_file(c->publish, c->plan.name, &taken, &o->sink, e));
    }
    if (taken) {
        return pq_fail(e, PQ_USAGE, "%s: the name is taken", c->plan.name);
    }
    c->progress.files++;
    o->begun = true;
    PQ_TRY(o->waiting ? PQ_OK : need_seal(o, e));
    return pq_file_write_new(c->mem, &c->shape, o->waiting ? o->waiting : o->seal, o->sink,
                             &o->file, e);
}

/* The bytes of a row group's finished pages; chunks may hold more values. */
static uint64_t bytes_of(const PqCopyOut *o, PqChunkWrite *const *chunks)
{
    uint64_t n = 0;

    for (uint32_t i = 0; chunks && i < o->copy->schema.n_leaves; i++) {
        n += pq_chunk_write_bytes(chunks[i]);
    }
    return n;
}

/* Writes the key material that the file refers to. */
static PqRc write_beside(const PqCopyOut *o, PqErr *e)
{
    const PqFileSeal *seal = o->waiting ? o->waiting : o->seal;

    return seal && seal->beside.n
               ? pq_publish_beside(o->copy->publish, o->sink,
                                   pq_buf_view(&seal->beside), e)
               : PQ_OK;
}

static PqRc end_file(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;

    if (!o->file) {
        return PQ_OK;
    }
    PQ_TRY(pq_file_write_end(o->file, e));
    pq_file_write_free(o->file);
    o->file = NULL;
    PQ_TRY(write_beside(o, e));
    drop_seal(o);
    if (c->publish) {
        PQ_TRY(pq_publish_done(c->publish, o->sink, e));
    }
    o->sink = NULL;
    return PQ_OK;
}

/* Fills in the sorting columns of a row group; returns how many. */
static uint32_t sort_claims(PqCopyOut *o)
{
    const PqCopyPlan *p = &o->copy->plan;

    if (p->sorting == PQ_SORTING_AUTO) {
        return pq_seal_plan_hide(
            o->copy->seal, o->copy->claims,
            pq_sorting_proven(o->ended.chunks, o->copy->schema.n_leaves,
                              o->copy->claims));
    }
    for (uint32_t i = 0; i < p->n_sorting_by; i++) {
        o->copy->claims[i] = pq_sorting_claim(
            o->copy->sorting_leaves[i]->index, p->sorting_by[i].descending,
            p->sorting_by[i].nulls_first);
    }
    return p->n_sorting_by;
}

/* Writes the row group that has ended, if there is one. */
static PqRc write_group(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    uint32_t n_claims;
    uint64_t before;

    if (!o->ended.chunks) {
        return PQ_OK;
    }
    if (!o->file) {
        PQ_TRY(begin_file(o, e));
    }
    before = pq_file_write_bytes(o->file);
    n_claims = sort_claims(o);
    for (uint32_t i = 0; i < c->schema.n_leaves; i++) {
        c->ended[i] = pq_chunk_write_ended(o->ended.chunks[i]);
    }
    PQ_TRY(pq_file_write_group(o->file, c->ended, o->ended.n_rows,
                               c->claims, n_claims, c->scratch, e));
    c->progress.row_groups++;
    c->progress.bytes += pq_file_write_bytes(o->file) - before;
    free_chunks(c, &o->ended.chunks);
    if (!c->plan.n_partition) {      /* only this output has pages there */
        pq_sink_close(c->scratch);
        c->scratch = NULL;
    }
    if (o->ended.ends_file) {
        return end_file(o, e);
    }
    return c->plan.n_partition ? pq_sink_pause(o->sink, e) : PQ_OK;
}

/* Checks the order of the rows, if one was promised. */
static PqRc check_sorting(PqCopyOut *o, const PqSlab *slab, PqErr *e)
{
    const PqCopy *c = o->copy;
    uint32_t row;
    PqBuf why;
    PqRc rc;

    if (c->plan.sorting != PQ_SORTING_GIVEN) {
        return PQ_OK;
    }
    if (!o->sorting) {
        PQ_TRY(pq_sorting_check_new(c->mem, c->plan.sorting_by,
                                    c->sorting_leaves, c->plan.n_sorting_by,
                                    &o->sorting, e));
    }
    pq_buf_init(&why, c->mem, e);
    rc = pq_sorting_check_rows(o->sorting, o->batches, slab->n_rows, &row, &why,
                               e);
    pq_buf_byte(&why, 0);
    if (rc == PQ_OK && row < slab->n_rows && pq_buf_ok(&why)) {
        pq_fail(e, PQ_USAGE, "row %llu is not in the order that sorting_columns "
                "promises: %s; an ORDER BY in the query would put it there",
                (unsigned long long)pq_copy_slab_number(slab, row),
                (const char *)why.p);
    }
    pq_buf_free(&why);
    return e->rc;
}

/* Waits for the jobs and empties their slab.  If they ended the row group, its
** chunks now wait to be written. */
static PqRc settle(PqCopyOut *o, PqErr *e)
{
    bool worked = o->working;
    PqSlab *done = &o->slabs[!o->filling];

    PQ_TRY(pq_copy_slab_wait(o, e));
    if (worked && done->n_rows) {
        PQ_TRY(check_sorting(o, done, e));
        for (uint32_t i = 0; i < o->copy->n_cells; i++) {
            pq_cells_reset(&done->columns[i]);
        }
        for (uint32_t i = 0; i < o->copy->schema.n_leaves; i++) {
            pq_leaf_batch_reset(&o->batches[i]);
        }
        done->n_rows = 0;
    }
    if (worked && o->ending) {
        assert(!o->ended.chunks);
        for (uint32_t i = 0; i < o->copy->schema.n_leaves; i++) {
            pq_chunk_write_teach(o->chunks[i], &o->lessons[i]);
        }
        o->ended = (PqEndedGroup){o->chunks, o->ending_rows, o->ending_file};
        o->chunks = NULL;
        o->ending = o->ending_file = false;
    }
    if (worked) {
        weigh(o);
    }
    return PQ_OK;
}

/* Ends the group after the rows that were handed over. */
static void mark_end(PqCopyOut *o)
{
    o->ending_rows = o->group_rows;
    o->group_rows = 0;
}

PqRc pq_copy_out_end_group(PqCopyOut *o, PqErr *e)
{
    PQ_TRY(pq_copy_spill_back(o, e));
    if (o->slabs[o->filling].n_rows) {
        PQ_TRY(pq_copy_out_submit(o, e));
    }
    PQ_TRY(settle(o, e));
    PQ_TRY(write_group(o, e));
    if (o->group_rows == 0) {
        return PQ_OK;
    }
    mark_end(o);
    PQ_TRY(pq_copy_slab_start(o, NULL, true, e));
    PQ_TRY(settle(o, e));
    return write_group(o, e);
}

PqRc pq_copy_out_end_file(PqCopyOut *o, PqErr *e)
{
    PQ_TRY(pq_copy_out_end_group(o, e));
    if (!o->begun) {                 /* even if it has no rows */
        PQ_TRY(begin_file(o, e));
    }
    o->file_rows = 0;
    return end_file(o, e);
}

/* Ends the row group, or the file, when it is large enough.  Called between
** slabs, because sizes are known when the jobs are done.  When the file is
** full, all its rows may be written already, or be in the row group that
** waits. */
static PqRc end_by_size(PqCopyOut *o, PqErr *e)
{
    const PqCopyPlan *p = &o->copy->plan;
    uint64_t group = bytes_of(o, o->chunks);
    uint64_t file = group + bytes_of(o, o->ended.chunks) +
                    (o->file ? pq_file_write_bytes(o->file) : 0);
    bool full = p->file_bytes && file >= p->file_bytes;

    if (o->group_rows == 0) {
        o->file_rows = full ? 0 : o->file_rows;
        o->ended.ends_file = o->ended.ends_file || full;
        return full && !o->ended.chunks ? end_file(o, e) : PQ_OK;
    }
    if (group < p->row_group_bytes && !full) {
        return PQ_OK;
    }
    mark_end(o);
    if (full) {
        o->ending_file = true;
        o->file_rows = 0;
    }
    PQ_TRY(pq_copy_slab_start(o, NULL, true, e));
    return settle(o, e);
}

PqRc pq_copy_scratch_beside(PqMem *mem, const char *path, bool is_folder, bool sealed,
                            PqSink **out, PqErr *e)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    size_t n = slash > path ? (size_t)(slash - path) : 1;
    char *folder;

    if (!path || pq_url_is(path)) {
        path = pq_folder_of_scratch();
        n = strlen(path);
    } else if (is_folder) {
        n = strlen(path);
    } else if (!slash) {
        path = ".";
    }
    folder = pq_mem_text(mem, path, n, e);
    PQ_TRY(folder ? PQ_OK : e->rc);
    if (sealed) {
        pq_sealed_scratch(mem, folder, out, e);
    } else {
        pq_sink_scratch(mem, folder, out, e);
    }
    pq_mem_free(folder);
    return e->rc;
}

PqRc pq_copy_scratch(PqCopy *c, PqErr *e)
{
    return c->scratch ? PQ_OK
                      : pq_copy_scratch_beside(c->mem, c->plan.path, c->plan.is_folder,
                                               c->seal != NULL, &c->scratch, e);
}

/* Dictionaries cannot be spilled.  When they take more than a quarter of the
** memory, the largest ones stop growing.  Which ones depends only on the rows,
** not on the speed of threads. */
static void lighten(PqCopyOut *o)
{
    const PqCopy *c = o->copy;
    size_t most = pq_mem_limit(c->mem) / 4, sum = 0;

    for (uint32_t i = 0; i < c->schema.n_leaves; i++) {
        sum += pq_chunk_write_dictionary_memory(o->chunks[i]);
    }
    while (sum > most) {
        size_t largest = 0, n;
        uint32_t which = 0;

        for (uint32_t i = 0; i < c->schema.n_leaves; i++) {
            n = pq_chunk_write_dictionary_memory(o->chunks[i]);
            if (n > largest && !pq_chunk_write_is_light(o->chunks[i])) {
                largest = n;
                which = i;
            }
        }
        if (!largest) {
            return;
        }
        pq_chunk_write_lighten(o->chunks[which]);
        sum -= largest;
    }
}

/* Finished pages go to the scratch file before half of the memory is used,
** because the C library holds more memory than it was asked for. */
static PqRc spill(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;
    size_t limit = pq_mem_limit(c->mem);

    if (c->plan.n_partition || !o->chunks) {
        return PQ_OK;
    }
    lighten(o);
    if (pq_mem_used(c->mem) < limit / 8 * 3) {
        return PQ_OK;
    }
    PQ_TRY(pq_copy_scratch(c, e));
    for (uint32_t i = 0; i < c->schema.n_leaves; i++) {
        PQ_TRY(pq_chunk_write_spill(o->chunks[i], c->scratch, e));
    }
    return PQ_OK;
}

/* A row group that has ended is written while the pool works on the next rows,
** which have chunks of their own. */
PqRc pq_copy_out_submit(PqCopyOut *o, PqErr *e)
{
    const PqCopyPlan *p = &o->copy->plan;
    PqSlab *slab = &o->slabs[o->filling];
    uint32_t n_rows = slab->n_rows;
    bool ends;

    PQ_TRY(settle(o, e));
    PQ_TRY(end_by_size(o, e));
    PQ_TRY(spill(o, e));
    o->group_rows += n_rows;
    o->file_rows += n_rows;
    ends = o->group_rows >= p->row_group_rows;
    if (p->file_rows && o->file_rows >= p->file_rows) {
        o->ending_file = ends = true;
        o->file_rows = 0;
    }
    if (ends) {
        mark_end(o);
    }
    PQ_TRY(pq_copy_slab_start(o, slab, ends, e));
    o->filling = !o->filling;
    return write_group(o, e);
}
