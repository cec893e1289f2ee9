/*
** rewrite.c - row groups of files become row groups of another file.
**
** A row group is copied, or its rows go to the chunks of the row group that is
** being joined.  A small one is held back until it is known what comes next:
**
**   small, small, large      the two are joined, then the large one is copied
**   small, large             both are copied
**
** So at most two files are in use: the current one, and the one of the row group
** that is held back.
*/
#include "core/rewrite/rewrite_inside.h"

#include "core/write/copy.h"
#include "core/write/sorting.h"

/* A thread needs memory for the pages of a leaf and the state of a codec. */
enum { THREAD_BYTES = 16 << 20 };

/* ---- files ------------------------------------------------------------------- */

/* The last user closes it. */
static void let_go(PqRewriteFile *file)
{
    if (file && --file->n_users == 0) {
        pq_chunk_files_close(&file->parts);
        pq_source_close(file->in.source);
        pq_footer_release(file->f);
        pq_arena_free(&file->arena);
        pq_mem_free(file);
    }
}

/* Takes source, also after a failure. */
static PqRc open_file(PqRewrite *r, PqSource *source, PqFooter *f, PqRewriteFile **out, PqErr *e)
{
    PqRewriteFile *file;

    *out = NULL;
    if (PQ_NEW(r->mem, file, 1, e) != PQ_OK) {
        pq_source_close(source);
        return e->rc;
    }
    pq_footer_hold(f);
    file->n_users = 1;
    file->in.source = source;
    file->f = f;
    pq_chunk_files_init(&file->parts, r->mem, &file->in);
    pq_arena_init(&file->arena, r->mem);
    *out = file;
    return PQ_OK;
}

PqRc pq_rewrite_check(PqRewrite *r, const PqFooter *f, PqErr *e)
{
    PqRewriteFile file = {.f = (PqFooter *)f};

    pq_arena_init(&file.arena, r->mem);
    pq_rewrite_find(r, &file, e);
    pq_arena_free(&file.arena);
    return e->rc;
}

/* ---- a row group of the output --------------------------------------------------- */

static void free_chunks(PqRewrite *r)
{
    for (uint32_t i = 0; r->chunks && i < r->schema.n_leaves; i++) {
        pq_chunk_write_free(r->chunks[i]);
        pq_chunk_copy_free(r->leaves[i].copy);
        r->chunks[i] = NULL;
        r->leaves[i].copy = NULL;
    }
    r->n_rows = 0;
    r->n_joined = 0;
    pq_sink_close(r->scratch);
    r->scratch = NULL;
}

/* ---- copying ------------------------------------------------------------------ */

/* What the input says about the order of rows, up to the first column that is
** not in the output as it was. */
static uint32_t keep_claims(PqRewrite *r, const PqRewriteRows *rows)
{
    const PqRewriteFile *file = rows->file;
    const PqSortingColumnList *in = &file->f->file.row_groups.v[rows->group].sorting_columns;
    uint32_t n = 0, leaf;

    for (; n < in->n && n < r->schema.n_leaves; n++) {
        for (leaf = 0; leaf < r->schema.n_leaves; leaf++) {
            if (file->from[leaf].way != PQ_LEAF_NULLS &&
                r->leaves[leaf].column->mask == PQ_MASK_NONE &&
                (int64_t)file->from[leaf].leaf == in->v[n].column_idx) {
                break;
            }
        }
        if (leaf == r->schema.n_leaves) {
            break;
        }
        r->claims[n] = in->v[n];
        r->claims[n].column_idx = (int32_t)leaf;
    }
    return n;
}

static PqRc copy_leaf(PqRewrite *r, const PqRewriteRows *rows, uint32_t i, PqErr *e)
{
    PqRewriteLeaf *leaf = &r->leaves[i];
    const PqChunkOptions *o = &leaf->options;
    PqFooter *f = rows->file->f;
    PqChunkCopySpec spec = {
        .f = f, .group = rows->group, .leaf = rows->file->from[i].leaf, .to = leaf->leaf,
        .order = leaf->order, .add = r->plan.add,
        .repack = r->plan.repack, .codec = o->codec, .level = o->level,
        .bloom_fpp = o->bloom_fpp, .lock = pq_file_seal_lock(r->seal, i),
        .row_group = (int)r->n_groups, .mem = r->mem,
        .geo = leaf->geo, .said = pq_rewrite_geo_said(f, leaf->column)};
    PqRewriteWorker *w;

    PQ_TRY(pq_rewrite_worker(r, &w, -1, e));
    spec.read = &w->read;
    spec.write = &w->write;
    PQ_TRY(pq_rewrite_input(rows->file, rows->group, spec.leaf, &spec.in, e));
    PQ_TRY(pq_chunk_copy_new(&spec, &leaf->copy, e));
    r->ended[i] = pq_chunk_copy_ended(leaf->copy);
    return PQ_OK;
}

/* Leaves that cannot be copied are written, the others are not decoded. */
static PqRc end_leaves(PqRewrite *r, const PqRewriteRows *copied, bool *all, PqErr *e)
{
    for (uint32_t i = 0; i < r->schema.n_leaves; i++) {
        if (r->chunks[i]) {
            pq_chunk_write_teach(r->chunks[i], &r->leaves[i].lesson);
            r->ended[i] = pq_chunk_write_ended(r->chunks[i]);
            *all = false;
        } else {
            PQ_TRY(copy_leaf(r, copied, i, e));
        }
    }
    return PQ_OK;
}

/* Ends the row group that was joined, or copies one. */
static PqRc write_group(PqRewrite *r, const PqRewriteRows *copied, PqErr *e)
{
    const PqRewriteRows none = {0};
    PqRewriteProgress *now = r->plan.now;
    uint64_t n_rows = copied ? copied->n_rows : r->n_rows;
    uint32_t n_claims;
    bool all = true;

    PQ_TRY(pq_rewrite_write(r, copied ? copied : &none, !copied, true, e));
    PQ_TRY(end_leaves(r, copied, &all, e));
    n_claims = copied ? keep_claims(r, copied)
                      : pq_sorting_proven(r->chunks, r->schema.n_leaves, r->claims);
    n_claims = pq_seal_plan_hide(r->seal_plan, r->claims, n_claims);
    PQ_TRY(pq_file_write_group(r->file, r->ended, n_rows, r->claims, n_claims, r->scratch, e));
    now->joined += r->n_joined > 1 ? r->n_joined : 0;
    now->copied += all;
    now->anew += !all && r->n_joined <= 1;
    r->n_groups++;
    now->row_groups++;
    now->rows += n_rows;
    now->bytes = r->bytes_before + pq_file_write_bytes(r->file);
    if (r->plan.progress) {
        PQ_TRY(r->plan.progress(r->plan.progress_arg, e));
    }
    return pq_stop_poll(r->plan.stop, e);
}

static PqRc end_group(PqRewrite *r, const PqRewriteRows *copied, PqErr *e)
{
    PqWhere outer = e->where;

    write_group(r, copied, e);
    free_chunks(r);
    e->where = outer;
    return e->rc;
}

/* ---- which is copied, which is joined ---------------------------------------------- */

static PqRc join(PqRewrite *r, const PqRewriteRows *rows, PqErr *e)
{
    PQ_TRY(pq_rewrite_write(r, rows, true, false, e));
    r->n_rows += rows->n_rows;
    r->n_joined++;
    return PQ_OK;
}

static void let_held_go(PqRewrite *r)
{
    let_go(r->held.file);
    r->held = (PqRewriteRows){0};
}

/* Writes what is waiting: the row group that was joined, or the one that is
** held back. */
static PqRc flush(PqRewrite *r, PqErr *e)
{
    if (r->n_joined) {
        return end_group(r, NULL, e);
    }
    if (r->held.file) {
        PQ_TRY(end_group(r, &r->held, e));
        let_held_go(r);
    }
    return PQ_OK;
}

static bool is_small(const PqRewrite *r, const PqRewriteRows *rows)
{
    const PqRowGroup *g = &rows->file->f->file.row_groups.v[rows->group];
    uint64_t bytes = (uint64_t)(PQ_HAS(g, PQ_ROW_GROUP_COMPRESSED)
                                    ? g->total_compressed_size
                                    : g->total_byte_size);
    const PqRewritePlan *p = &r->plan;

    return (p->min_group_rows || p->min_group_bytes) &&
           (!p->min_group_rows || rows->n_rows < p->min_group_rows) &&
           (!p->min_group_bytes || bytes < p->min_group_bytes);
}

/* Has the row group that is joined enough bytes?  Or does it need so much memory,
** of many columns, that another one of its inputs might not fit? */
static bool is_heavy(const PqRewrite *r)
{
    uint64_t n = 0;

    if (pq_mem_used(r->mem) >= pq_mem_limit(r->mem) / 8 * 5) {
        return true;
    }
    for (uint32_t i = 0; i < r->schema.n_leaves; i++) {
        n += r->chunks[i] ? pq_chunk_write_bytes(r->chunks[i]) : 0;
    }
    return n >= r->plan.group_bytes;
}

static PqRc add_group(PqRewrite *r, const PqRewriteRows *rows, bool whole, PqErr *e)
{
    bool small = is_small(r, rows);
    uint64_t waiting = r->n_rows + r->held.n_rows;

    if (!small || waiting + rows->n_rows > r->plan.group_rows) {
        PQ_TRY(flush(r, e));
        waiting = 0;
    }
    if (whole && !small) {
        return end_group(r, rows, e);
    }
    if (whole && waiting == 0) {
        r->held = *rows;
        r->held.file->n_users++;
        return PQ_OK;
    }
    if (r->held.file) {
        PQ_TRY(join(r, &r->held, e));
        let_held_go(r);
    }
    PQ_TRY(join(r, rows, e));
    return small && !is_heavy(r) ? PQ_OK : flush(r, e);
}

/* Counts the rows of spans that lie in a row group. */
static uint64_t n_left_out(const PqGroup *g, const PqRewriteRows *rows)
{
    const PqRowSpan *s = rows->left_out;
    int64_t begin = g->first_row, end = begin + g->num_rows, n = 0;

    for (uint32_t i = 0; i < rows->n_left_out && s[i].begin < end; i++) {
        n += (s[i].end < end ? s[i].end : end) - (s[i].begin > begin ? s[i].begin : begin);
    }
    return (uint64_t)n;
}

static PqRc add_groups(PqRewrite *r, PqRewriteFile *file, const PqRowSpan *left_out, uint32_t n,
                       PqErr *e)
{
    const PqFooter *f = file->f;
    PqRewriteRows rows = {.file = file, .left_out = left_out, .n_left_out = n};
    uint64_t out;

    for (rows.group = 0; rows.group < f->n_groups; rows.group++) {
        const PqGroup *g = &f->groups[rows.group];

        while (rows.n_left_out && rows.left_out->end <= g->first_row) {
            rows.left_out++;
            rows.n_left_out--;
        }
        out = n_left_out(g, &rows);
        rows.n_rows = (uint64_t)g->num_rows - out;
        if (rows.n_rows == 0) {
            r->plan.now->empty++;
        } else {
            e->where.row_group = (int)rows.group;
            PQ_TRY(add_group(r, &rows, out == 0, e));
        }
    }
    return PQ_OK;
}

PqRc pq_rewrite_begin(PqRewrite *r, PqSink *to, PqErr *e)
{
    r->to = to;
    r->bytes_before = r->plan.now->bytes;
    return pq_file_write_new(r->mem, &r->shape, r->seal, to, &r->file, e);
}

PqRc pq_rewrite_add(PqRewrite *r, PqSource *source, PqFooter *f,
                    const PqRowSpan *left_out, uint32_t n_left_out, PqErr *e)
{
    PqRewriteFile *file;
    PqWhere outer;
    PqRc rc;

    PQ_TRY(open_file(r, source, f, &file, e));
    outer = pq_where_enter(e, pq_source_path(source));
    PQ_GO(pq_rewrite_find(r, file, e));
    PQ_GO(add_groups(r, file, left_out, n_left_out, e));
done:
    let_go(file);
    r->held.left_out = NULL;         /* nothing is left out of it */
    r->held.n_left_out = 0;
    e->where = outer;
    return rc;
}

PqRc pq_rewrite_end(PqRewrite *r, PqPublish *to, PqErr *e)
{
    PQ_TRY(flush(r, e));
    PQ_TRY(pq_file_write_end(r->file, e));
    r->plan.now->bytes = r->bytes_before + pq_file_write_bytes(r->file);
    if (to && r->seal && r->seal->beside.n) {
        PQ_TRY(pq_publish_beside(to, r->to, pq_buf_view(&r->seal->beside), e));
    }
    return to ? pq_publish_done(to, r->to, e) : PQ_OK;
}

/* ---- the rewrite --------------------------------------------------------------- */

/* A column that only covers a geometry is sealed like it. */
static void follow_geometries(PqRewrite *r)
{
    for (uint32_t i = 0; i < r->schema.n_leaves; i++) {
        const PqGeoColumn *g = r->leaves[i].geo;
        const PqNode *n = g && g->cover[0].n
                              ? pq_node_field(r->schema.root, pq_slice_text(g->cover[0].name[0]), 0)
                              : NULL;

        for (uint32_t k = 0; n && k < n->n_leaves; k++) {
            pq_seal_plan_follow(r->seal_plan, n->first_leaf + k, i);
        }
    }
}

static PqRc make_seal(PqRewrite *r, PqErr *e)
{
    if (!r->plan.encryption) {
        return PQ_OK;
    }
    PQ_TRY(pq_seal_plan_new(r->plan.encryption, &r->schema, r->mem, &r->seal_plan, e));
    follow_geometries(r);
    return pq_file_seal_new(r->seal_plan, r->mem, &r->seal, e);
}

static unsigned threads(const PqRewritePlan *plan)
{
    size_t most = pq_mem_limit(plan->mem) / THREAD_BYTES;

    return plan->threads < most ? plan->threads : (unsigned)most;
}

PqRc pq_rewrite_new(const PqRewritePlan *plan, PqRewrite **out, PqErr *e)
{
    PqRewrite *r;
    PqRc rc;

    *out = NULL;
    PQ_TRY(PQ_NEW(plan->mem, r, 1, e));
    r->plan = *plan;
    r->stop.host = plan->stop ? *plan->stop : (PqStop){0};
    r->mem = plan->mem;
    pq_mem_use_malloc(r->mem);       /* row groups, one like the other          */
    r->plan.group_rows = plan->group_rows ? plan->group_rows : PQ_COPY_GROUP_ROWS;
    r->plan.group_bytes = plan->group_bytes ? plan->group_bytes : PQ_COPY_GROUP_BYTES;
    pq_arena_init(&r->arena, r->mem);
    pthread_mutex_init(&r->lock, NULL);
    PQ_GO(pq_rewrite_make_shape(r, e));
    PQ_GO(make_seal(r, e));
    PQ_GO(pq_pool_new(r->mem, threads(plan), &r->pool, e));
    *out = r;
    r = NULL;
done:
    pq_rewrite_free(r);
    return rc;
}

void pq_rewrite_free(PqRewrite *r)
{
    if (!r) {
        return;
    }
    free_chunks(r);
    for (uint32_t i = 0; r->leaves && i < r->schema.n_leaves; i++) {
        pq_leaf_batch_free(&r->leaves[i].batch);
    }
    pq_pool_free(r->pool);
    for (size_t i = 0; i < PQ_COUNT(r->workers); i++) {
        if (r->workers[i].ready) {
            pq_read_ctx_reset(&r->workers[i].read);
            pq_write_ctx_reset(&r->workers[i].write);
        }
    }
    let_go(r->held.file);
    pq_file_write_free(r->file);
    pq_file_seal_free(r->seal);
    pq_seal_plan_free(r->seal_plan);
    pthread_mutex_destroy(&r->lock);
    pq_arena_free(&r->arena);
    pq_mem_free(r);
}
