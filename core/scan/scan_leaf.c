/*
** scan_leaf.c - the columns of a batch, decoded when they are asked for.
**
** Each leaf that was ever asked for has a reader, open on the current row
** group.  With threads it has a second reader, which takes the first page of
** the next row group while the first reader finishes this one.  Then the two
** swap places.
**
** The hard part is that a vector may have several users.  Reading it again for
** one of them, with levels, would invalidate what the others hold.
*/
#include "core/scan/unnest_inside.h"

void pq_scan_free_reader(PqLeafReader *r)
{
    if (r) {
        pq_leaf_reader_reset(r);
        pq_mem_free(r);
    }
}

static PqRc new_reader(PqScan *s, PqLeafReader **out, PqErr *e)
{
    PqLeafReader *r = pq_mem_zeros(s->mem, 1, sizeof *r, e);

    *out = NULL;
    if (!r) {
        return e->rc;
    }
    if (pq_leaf_reader_init(r, &s->ctx, e) != PQ_OK) {
        pq_scan_free_reader(r);
        return e->rc;
    }
    pq_leaf_reader_employ(r, s->pool, s->workers);
    *out = r;
    return PQ_OK;
}

/* A leaf inside a struct or list is also part of that column's JSON text,
** which needs its levels.  Both share one vector, so it has levels from the
** start: reading it again would free the dictionary that the other one
** uses. */
static bool is_inner(const PqLeaf *leaf)
{
    return leaf->node->parent != NULL;
}

/* One at a time: nothing is read ahead of such leaves. */
static PqRc make_chunk(PqScan *s, uint32_t leaf, uint32_t group, PqColumnChunk *chunk,
                       PqInput **in, PqErr *e)
{
    PqScanLeaf *l = &s->leaves[leaf];

    PQ_TRY(l->made ? PQ_OK : PQ_NEW(s->mem, l->made, 1, e));
    *in = &l->made->in;
    return pq_made_leaf_chunk(l->made, &s->ctx, &s->in, s->footer, group,
                              &s->footer->schema.leaves[leaf], chunk, e);
}

/* Opens a reader on a leaf of a row group of the file. */
static PqRc open_reader(PqScan *s, PqLeafReader *r, uint32_t leaf,
                        uint32_t group, bool levels, PqErr *e)
{
    const PqLeaf *of = &s->footer->schema.leaves[leaf];
    PqArena *a = pq_leaf_reader_arena(r);
    PqColumnChunk *chunk = &r->chunk.chunk;
    PqInput *in;

    if (of->made) {
        PQ_TRY(make_chunk(s, leaf, group, chunk, &in, e));
    } else {
        PQ_TRY(pq_footer_chunk(s->footer, group, leaf, a, chunk, e));
        PQ_TRY(pq_chunk_files_input(&s->parts, chunk, group, &in, e));
    }
    return pq_leaf_reader_open(r, in, of, (int)group,
                               s->footer->groups[group].num_rows,
                               of->made ? (PqSlice){0} : s->footer->file.created_by,
                               levels || is_inner(of), e);
}

/* The second reader may have begun this row group already. */
PqRc pq_scan_enter_leaf(PqScan *s, uint32_t leaf, uint32_t group, PqErr *e)
{
    PqScanLeaf *l = &s->leaves[leaf];

    if (l->group == group) {
        return PQ_OK;
    }
    l->streak = l->group >= 0 && group == l->group + 1;
    l->group = -1;
    if (l->next && l->next_group == group) {
        PqLeafReader *done = l->reader;

        l->reader = l->next;
        l->next = done;
        pq_leaf_reader_arena(done);          /* forgets its chunk */
    } else {
        if (!l->reader) {
            PQ_TRY(new_reader(s, &l->reader, e));
        }
        PQ_TRY(open_reader(s, l->reader, leaf, group, l->levels, e));
    }
    l->next_group = -1;
    l->group = group;
    return PQ_OK;
}

/* Will the scan probably go on into the next row group? */
static bool goes_on(PqScan *s)
{
    const PqGroup *g = &s->footer->groups[s->batch.group];
    int64_t end = g->first_row + g->num_rows;

    return s->batch.group + 1 < s->footer->n_groups &&
           s->ranges[s->range].end >
               end + g[1].num_rows / 2 + (s->file << PQ_ROWID_SHIFT) &&
           pq_scan_may_want(s, s->batch.group + 1);
}

static PqRc begin_next(PqScan *s, PqScanLeaf *l, uint32_t leaf, PqErr *e)
{
    if (!l->next) {
        PQ_TRY(new_reader(s, &l->next, e));
    }
    PQ_TRY(open_reader(s, l->next, leaf, s->batch.group + 1, l->levels, e));
    PQ_TRY(pq_leaf_read_ahead(l->next, e));
    l->next_group = s->batch.group + 1;
    return PQ_OK;
}

/* Takes the first page of the next chunk while this one is in use: once its
** last page has been taken, and if row groups are read in order.  An error is
** not reported here, because a LIMIT may end the scan before that row group.
** It is reported when the scan gets there. */
void pq_scan_look_ahead(PqScan *s, uint32_t leaf)
{
    PqScanLeaf *l = &s->leaves[leaf];
    PqErr e;

    if (l->streak && l->next_group < 0 && !s->footer->schema.leaves[leaf].made &&
        pq_leaf_may_read_ahead(l->reader) && pq_leaf_all_taken(l->reader) && goes_on(s)) {
        pq_err_init(&e);
        l->streak = begin_next(s, l, leaf, &e) == PQ_OK;
    }
}

void pq_scan_keep_levels(PqScan *s, uint32_t leaf)
{
    PqScanLeaf *l = &s->leaves[leaf];

    if (!l->levels && !is_inner(&s->footer->schema.leaves[leaf])) {
        l->levels = true;
        l->group = -1;
        l->next_group = -1;
        l->batch = 0;
        if (s->unnest) {
            pq_unnest_forget_leaf(s, leaf);
        }
    }
}

bool pq_scan_preset(PqScan *s, uint32_t leaf, const PqVector *v)
{
    PqScanLeaf *l = &s->leaves[leaf];

    if (l->levels || is_inner(&s->footer->schema.leaves[leaf]) || s->unnest) {
        return false;
    }
    l->vector = *v;
    l->batch = s->batch_serial;
    return true;
}

/* Up to FEW_ROWS rows are read by their values, not by ids.  If the rows that
** are left lie in at least 1/SPARSE of the words of the mask, the others are
** read too. */
enum { FEW_ROWS = 8, SPARSE = 4 };

typedef enum Much { ALL_ROWS, SOME_ROWS, FEW } Much;

/* How much of the batch is to be read?  Dropped rows are read too if that is as
** cheap; `rows` has a bit for each row that is read. */
static Much how_much(const PqScan *s, uint64_t *rows)
{
    uint32_t n_words = (s->batch.n_rows + 63) / 64, n_used = 0, left;

    if (!s->batch.keep) {
        return ALL_ROWS;
    }
    left = pq_kernels()->count_bits(s->batch.keep, n_words);
    if (left <= FEW_ROWS) {
        memcpy(rows, s->batch.keep, n_words * sizeof *rows);
        return FEW;
    }
    if (left > n_words * 64 / SPARSE) {          /* so are the words */
        return ALL_ROWS;
    }
    for (uint32_t w = 0; w < n_words; w++) {
        n_used += s->batch.keep[w] != 0;
        rows[w] = s->batch.keep[w] ? ~(uint64_t)0 : 0;
    }
    return n_used * SPARSE <= n_words ? SOME_ROWS : ALL_ROWS;
}

static PqRc read_batch(PqScan *s, PqScanLeaf *l, uint32_t leaf, PqErr *e)
{
    const PqLeaf *of = &s->footer->schema.leaves[leaf];
    uint64_t rows[PQ_BATCH_ROWS / 64];
    const PqElements *u = s->unnest;
    const PqBatch *b = &s->batch;
    Much much = of->max_rep > 0 || l->levels || is_inner(of)
                    ? ALL_ROWS : how_much(s, rows);

    if (u && of->max_rep > 0) {
        return pq_leaf_read_upto(l->reader, b->group_row + u->first_row,
                                 u->n_rows, UINT32_MAX,
                                 pq_unnest_form(u, of->node), &l->vector, e);
    }
    return much == ALL_ROWS
               ? pq_leaf_read(l->reader, b->group_row, b->n_rows, &l->vector,
                              e)
               : pq_leaf_read_some(l->reader, b->group_row, b->n_rows, rows,
                                   much == FEW, &l->vector, e);
}

bool pq_scan_wants_levels(const PqScan *s, uint32_t leaf)
{
    return s->leaves[leaf].levels;
}

void pq_scan_set_vector(PqScan *s, uint32_t leaf, const PqVector *v)
{
    s->leaves[leaf].vector = *v;
    s->leaves[leaf].batch = s->batch_serial;
}

PqRc pq_scan_vector(PqScan *s, uint32_t leaf, const PqVector **out, PqErr *e)
{
    PqWhere outer = e->where;
    PqScanLeaf *l;

    if (PQ_UNLIKELY(s->unnest && s->unnest->inside)) {
        return pq_unnest_vector(s, leaf, out, e);
    }
    if (PQ_UNLIKELY(leaf >= PQ_PATH_LEAF)) {
        return pq_scan_path_vector(s, leaf, out, e);
    }
    l = &s->leaves[leaf];
    if (l->batch == s->batch_serial) {
        *out = &l->vector;
        return PQ_OK;
    }
    e->where.file = pq_scan_path(s);
    l->batch = 0;
    if (s->batch.rowids) {
        PQ_TRY(pq_scan_gather(s, leaf, e));
    } else {
        if (l->group != s->batch.group) {
            PQ_TRY(pq_scan_enter_leaf(s, leaf, s->batch.group, e));
        }
        l->reader->reads_all = s->first_filter;
        PQ_TRY(read_batch(s, l, leaf, e));
        pq_scan_look_ahead(s, leaf);
    }
    e->where = outer;
    l->batch = s->batch_serial;
    *out = &l->vector;
    return PQ_OK;
}
