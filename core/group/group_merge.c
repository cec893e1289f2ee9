/*
** group_merge.c - groups in the order of their keys.
**
** Each partition becomes a run: its groups are sorted (group_give.c), and the
** rows are lined up in that order.  Then the runs are merged, group by group:
**
**   run 0    a a c c c f
**   run 1    b d d              a a  b  c c c  d d  f
**
** A key is in one run only.  Runs stay in memory as long as there is enough,
** and are written to the file otherwise, each in one stretch.
*/
#include "core/group/group_inside.h"

enum {
    MOST_CHUNK = 64 << 10, LEAST_CHUNK = 1 << 10,
    CHUNK_SHARE = 8,                 /* of memory, for chunks of all runs   */
    POLL_ROWS = 1 << 12
};

/* ---- sorting ------------------------------------------------------------- */

static void merge_halves(const PqGrouping *g, const uint8_t *const *firsts,
                         const uint32_t *from, uint32_t n, uint32_t half,
                         uint32_t *to)
{
    uint32_t i = 0, k = half;

    for (uint32_t at = 0; at < n; at++) {
        bool first = k >= n ||
                     (i < half &&
                      pq_group_compare_keys(&g->shape, g->spec.desc,
                                            firsts[from[i]],
                                            firsts[from[k]]) <= 0);

        to[at] = first ? from[i++] : from[k++];
    }
}

PqRc pq_group_sort(const PqGrouping *g, const uint8_t *const *firsts,
                   uint32_t n, uint32_t *out, PqErr *e)
{
    uint32_t *room = pq_mem_array(g->mem, n, sizeof *room, e);
    uint32_t *from = out, *to = room;

    if (!room) {
        return e->rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i] = i;
    }
    for (uint64_t width = 1; width < n; width *= 2) {
        uint32_t *was = from;

        if (pq_stop_poll(g->store.stop, e) != PQ_OK) {
            break;
        }
        for (uint64_t at = 0; at < n; at += 2 * width) {
            uint64_t left = n - at;

            merge_halves(g, firsts, from + at,
                         (uint32_t)(left < 2 * width ? left : 2 * width),
                         (uint32_t)(left < width ? left : width), to + at);
        }
        from = to;
        to = was;
    }
    if (from != out) {
        memcpy(out, from, n * sizeof *out);
    }
    pq_mem_free(room);
    return e->rc;
}

/* ---- runs ---------------------------------------------------------------- */

static PqRc add_run(PqGrouping *g, PqGroupRun **out, PqErr *e)
{
    PqGroupMerge *m = &g->merge;

    PQ_TRY(PQ_GROW(g->mem, m->runs, m->n, m->room, e));
    *out = &m->runs[m->n++];
    **out = (PqGroupRun){0};
    return PQ_OK;
}

static void free_memory(PqGrouping *g, PqGroupRun *r)
{
    PqGroupPart pieces = {.first = r->pieces};

    pq_group_store_drop(&g->store, &pieces);
    pq_group_store_drop(&g->store, &r->part);
    pq_mem_free(r->lines);
    r->pieces = NULL;
    r->lines = NULL;
    r->n_lines = 0;
}

static PqRc write_records(PqGrouping *g, const uint8_t *const *v, uint64_t n,
                          PqErr *e)
{
    PQ_TRY(pq_group_store_need_file(&g->store, e));
    for (uint64_t i = 0; i < n; i++) {
        if (i % POLL_ROWS == 0) {
            PQ_TRY(pq_stop_poll(g->store.stop, e));
        }
        PQ_TRY(pq_sink_write(g->store.file, v[i],
                             pq_group_size(&g->shape, v[i]), e));
    }
    return PQ_OK;
}

static PqRc write_run(PqGrouping *g, PqGroupRun *r, PqErr *e)
{
    PQ_TRY(pq_group_store_need_file(&g->store, e));
    r->at = pq_sink_offset(g->store.file);
    PQ_TRY(write_records(g, r->lines, r->n_lines, e));
    r->end = pq_sink_offset(g->store.file);
    free_memory(g, r);
    return PQ_OK;
}

PqRc pq_group_write_runs(PqGrouping *g, PqErr *e)
{
    if (!g->spec.ordered) {
        return PQ_OK;
    }
    g->merge.in_file = true;
    for (uint32_t i = 0; i < g->merge.n; i++) {
        if (g->merge.runs[i].lines) {
            PQ_TRY(write_run(g, &g->merge.runs[i], e));
        }
    }
    return PQ_OK;
}

/* The lines of the current partition become a run. */
static PqRc take_lines(PqGrouping *g, PqErr *e)
{
    PqGroupRun *r;

    PQ_TRY(add_run(g, &r, e));
    *r = (PqGroupRun){.part = g->part, .pieces = g->pieces, .lines = g->lines,
                      .n_lines = g->n_lines};
    g->part = (PqGroupPart){0};
    g->pieces = NULL;
    g->lines = NULL;
    pq_group_free_part(g);
    return g->merge.in_file ? write_run(g, r, e) : PQ_OK;
}

/* Each key of the stream becomes a run. */
static PqRc take_stream(PqGrouping *g, PqErr *e)
{
    uint32_t n, n_keys = 0;
    PqGroupRun *r = NULL;

    for (;;) {
        PQ_TRY(pq_group_stream_next(g, &n, e));
        if (n == 0) {
            break;
        }
        if (g->stream.n_done != n_keys) {
            n_keys = g->stream.n_done;
            PQ_TRY(add_run(g, &r, e));
            r->at = pq_sink_offset(g->store.file);
        }
        PQ_TRY(write_records(g, g->batch, n, e));
        r->end = pq_sink_offset(g->store.file);
    }
    pq_group_stream_end(g);
    return PQ_OK;
}

static PqRc make_runs(PqGrouping *g, PqErr *e)
{
    g->merge.in_file = g->store.file != NULL;
    while (g->store.n_parts > 0) {
        PQ_TRY(pq_group_next_part(g, e));
        if (g->stream.on) {
            PQ_TRY(take_stream(g, e));
        } else if (g->n_lines > 0) {
            PQ_TRY(take_lines(g, e));
        }
    }
    return PQ_OK;
}

/* ---- reading runs -------------------------------------------------------- */

static void drop_chunk(PqGrouping *g, PqGroupRun *r)
{
    PqGroupPart one = {.first = r->chunk};

    pq_group_store_drop(&g->store, &one);
    r->chunk = NULL;
}

/* How many bytes of the chunk are whole records.  *need: how many the first one
** has, as far as is known. */
static size_t whole_records(const PqGrouping *g, const PqGroupChunk *c,
                            size_t *need)
{
    size_t at = 0;

    *need = g->shape.fixed;
    while (c->n - at >= g->shape.fixed) {
        size_t size = pq_group_size(&g->shape, c->bytes + at);

        if (at == 0) {
            *need = size;
        }
        if (size > c->n - at) {
            break;
        }
        at += size;
    }
    return at;
}

/* The next chunk of a run in the file, with whole records. */
static PqRc read_chunk(PqGrouping *g, PqGroupRun *r, PqErr *e)
{
    size_t n = g->merge.chunk;

    drop_chunk(g, r);
    r->record = NULL;
    r->used_up = false;
    while (r->at < r->end) {
        PqGroupPiece piece = {.at = r->at};
        size_t whole, need;

        piece.n = r->end - r->at < n ? (size_t)(r->end - r->at) : n;
        PQ_TRY(pq_group_store_read(&g->store, &piece, &r->chunk, e));
        whole = whole_records(g, r->chunk, &need);
        if (whole > 0) {
            r->chunk->n = whole;
            r->at += whole;
            r->record = r->chunk->bytes;
            return PQ_OK;
        }
        drop_chunk(g, r);
        n = need > n ? need : 2 * n;
    }
    return PQ_OK;
}

static PqRc begin_run(PqGrouping *g, PqGroupRun *r, PqErr *e)
{
    if (r->lines) {
        r->record = r->lines[0];
        return PQ_OK;
    }
    return read_chunk(g, r, e);
}

/* Moves past the record.  A chunk that is used up stays until the batch with its
** records is given. */
static void pass_record(const PqGrouping *g, PqGroupRun *r)
{
    if (r->lines) {
        r->line++;
        r->record = r->line < r->n_lines ? r->lines[r->line] : NULL;
        return;
    }
    r->record += pq_group_size(&g->shape, r->record);
    r->used_up = r->record == r->chunk->bytes + r->chunk->n;
}

/* ---- the heap ------------------------------------------------------------ */

static bool comes_first(const PqGrouping *g, uint32_t a, uint32_t b)
{
    const PqGroupRun *runs = g->merge.runs;

    return pq_group_compare_keys(&g->shape, g->spec.desc, runs[a].record,
                                 runs[b].record) < 0;
}

static void sift_down(PqGrouping *g, uint32_t at)
{
    PqGroupMerge *m = &g->merge;
    uint32_t run = m->heap[at];

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= m->n_heap) {
            break;
        }
        if (child + 1 < m->n_heap &&
            comes_first(g, m->heap[child + 1], m->heap[child])) {
            child++;
        }
        if (!comes_first(g, m->heap[child], run)) {
            break;
        }
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = run;
}

static PqRc begin_merge(PqGrouping *g, PqErr *e)
{
    PqGroupMerge *m = &g->merge;
    size_t share;

    m->merging = true;
    PQ_TRY(make_runs(g, e));
    share = pq_mem_limit(g->mem) / CHUNK_SHARE / (m->n + 1);
    m->chunk = share > MOST_CHUNK ? MOST_CHUNK
               : share < LEAST_CHUNK ? LEAST_CHUNK : share;
    m->heap = pq_mem_array(g->mem, m->n, sizeof *m->heap, e);
    if (!m->heap) {
        return e->rc;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        PQ_TRY(begin_run(g, &m->runs[i], e));
        if (m->runs[i].record) {
            m->heap[m->n_heap++] = i;
        }
    }
    for (uint32_t i = m->n_heap / 2; i-- > 0;) {
        sift_down(g, i);
    }
    return PQ_OK;
}

/* The run on top has another record there, or none. */
static void settle_top(PqGrouping *g)
{
    PqGroupMerge *m = &g->merge;

    if (!m->runs[m->heap[0]].record) {
        m->heap[0] = m->heap[--m->n_heap];
    }
    if (m->n_heap > 0) {
        sift_down(g, 0);
    }
}

/* Rows of another file are left for the next batch. */
static bool is_of_batch(PqGrouping *g, uint32_t n, const uint8_t *record)
{
    return !g->by_file || n == 0 ||
           pq_group_rowid(g, record) >> PQ_ROWID_SHIFT ==
               pq_group_rowid(g, g->batch[0]) >> PQ_ROWID_SHIFT;
}

PqRc pq_group_merge_next(PqGrouping *g, uint32_t *n, PqErr *e)
{
    PqGroupMerge *m = &g->merge;

    *n = 0;
    if (!m->merging) {
        PQ_TRY(begin_merge(g, e));
    }
    PQ_TRY(pq_stop_poll(g->store.stop, e));
    while (*n < PQ_BATCH_ROWS && m->n_heap > 0) {
        PqGroupRun *r = &m->runs[m->heap[0]];
        const uint8_t *was = r->record;

        if (r->used_up) {
            if (*n > 0) {
                break;
            }
            PQ_TRY(read_chunk(g, r, e));
            settle_top(g);
            continue;
        }
        if (!is_of_batch(g, *n, was)) {
            break;
        }
        g->batch[(*n)++] = was;
        pass_record(g, r);
        if (!r->used_up &&
            (!r->record || !pq_group_same_key(&g->shape, was, r->record))) {
            settle_top(g);
        }
    }
    return PQ_OK;
}

void pq_group_merge_free(PqGrouping *g)
{
    PqGroupMerge *m = &g->merge;

    for (uint32_t i = 0; i < m->n; i++) {
        free_memory(g, &m->runs[i]);
        drop_chunk(g, &m->runs[i]);
    }
    pq_mem_free(m->runs);
    pq_mem_free(m->heap);
    *m = (PqGroupMerge){0};
}
