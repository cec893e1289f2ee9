/*
** group_runs.c - makes batches of groups: takes one run after the other, or
** merges them.
**
** A run has the rows of groups, one group after the other: the lines of a partition
** (group_give.c), or a stretch of the file.  If groups have to be in the order
** of their keys, the groups of each partition are sorted, and the runs are
** merged:
**
**   run 0    a a c c c f
**   run 1    b d d              a a  b  c c c  d d  f
**
** Then runs stay in memory while there is enough.  Otherwise each is written to
** the file in one stretch.
**
** A partition that memory does not hold and bits do not cut has one key, as a
** rule.  Then the partition in the file is a run.  If other keys have the same
** hash by chance, each key becomes a stretch.
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

    PQ_TRY(room ? PQ_OK : e->rc);
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

static void drop_chunk(PqGrouping *g, PqGroupRun *r)
{
    PqGroupPart one = {.first = r->chunk};

    pq_group_store_drop(&g->store, &one);
    r->chunk = NULL;
}

void pq_group_run_free(PqGrouping *g, PqGroupRun *r)
{
    pq_group_store_drop(&g->store, &r->part);
    pq_mem_free(r->lines);
    pq_mem_free(r->starts);
    drop_chunk(g, r);
    *r = (PqGroupRun){0};
}

static PqRc write_record(PqGrouping *g, const uint8_t *record, PqErr *e)
{
    return pq_sink_write(g->store.file, record,
                         pq_group_size(&g->shape, record), e);
}

/* Writes its lines as a stretch of the file. */
static PqRc write_run(PqGrouping *g, PqGroupRun *r, PqErr *e)
{
    PqGroupRun to = {.used_up = true};

    PQ_TRY(pq_group_store_need_file(&g->store, e));
    to.at = pq_sink_offset(g->store.file);
    for (uint64_t i = 0; i < r->n_lines; i++) {
        if (i % POLL_ROWS == 0) {
            PQ_TRY(pq_stop_poll(g->store.stop, e));
        }
        PQ_TRY(write_record(g, r->lines[i], e));
    }
    to.end = pq_sink_offset(g->store.file);
    pq_group_run_free(g, r);
    *r = to;
    return PQ_OK;
}

PqRc pq_group_runs_write(PqGrouping *g, PqErr *e)
{
    if (!g->spec.ordered) {
        return PQ_OK;
    }
    g->runs.in_file = true;
    for (uint32_t i = 0; i < g->runs.n; i++) {
        if (g->runs.v[i].lines) {
            PQ_TRY(write_run(g, &g->runs.v[i], e));
        }
    }
    return PQ_OK;
}

PqRc pq_group_runs_add(PqGrouping *g, PqGroupRun *run, PqErr *e)
{
    PqGroupRuns *all = &g->runs;

    if (PQ_GROW(g->mem, all->v, all->n, all->room, e) != PQ_OK) {
        pq_group_run_free(g, run);
        return e->rc;
    }
    run->record = run->lines ? run->lines[0] : NULL;
    all->v[all->n++] = *run;
    return all->in_file && run->lines ? write_run(g, &all->v[all->n - 1], e)
                                      : PQ_OK;
}

void pq_group_runs_free(PqGrouping *g)
{
    for (uint32_t i = 0; i < g->runs.n; i++) {
        pq_group_run_free(g, &g->runs.v[i]);
    }
    pq_mem_free(g->runs.v);
    pq_mem_free(g->runs.heap);
    g->runs = (PqGroupRuns){0};
}

/* ---- reading runs -------------------------------------------------------- */

/* How many bytes of the chunk are whole records.  *need: the bytes of the first
** record, as far as the chunk says. */
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

/* Reads the next chunk of a stretch of the file, with whole records. */
static PqRc read_stretch(PqGrouping *g, PqGroupRun *r, PqErr *e)
{
    size_t n = g->runs.chunk ? g->runs.chunk : MOST_CHUNK;

    while (r->at < r->end) {
        PqGroupPiece piece = {.at = r->at};
        size_t whole, need;

        piece.n = r->end - r->at < n ? (size_t)(r->end - r->at) : n;
        PQ_TRY(pq_group_store_read(&g->store, &piece, &r->chunk, e));
        whole = whole_records(g, r->chunk, &need);
        if (whole > 0) {
            r->chunk->n = whole;
            r->at += whole;
            return PQ_OK;
        }
        drop_chunk(g, r);
        n = need > n ? need : 2 * n;
    }
    return PQ_OK;
}

/* Reads another chunk of a run in the file.  It has no records at the end. */
static PqRc read_chunk(PqGrouping *g, PqGroupRun *r, PqErr *e)
{
    drop_chunk(g, r);
    r->used_up = false;
    if (r->piece) {
        const PqGroupPiece *piece = &g->store.pieces[r->piece - 1];

        r->piece = piece->next;
        PQ_TRY(pq_group_store_read(&g->store, piece, &r->chunk, e));
    } else {
        PQ_TRY(read_stretch(g, r, e));
    }
    r->record = r->chunk ? r->chunk->bytes : NULL;
    return PQ_OK;
}

/* Moves past the record, or past its group where one row of each group is
** enough.  A chunk that is used up stays until the batch with its records is
** given. */
static void pass_record(const PqGrouping *g, PqGroupRun *r)
{
    if (r->lines) {
        r->line = g->spec.once ? r->starts[++r->group] : r->line + 1;
        r->record = r->line < r->n_lines ? r->lines[r->line] : NULL;
        return;
    }
    r->record += pq_group_size(&g->shape, r->record);
    r->used_up = r->record == r->chunk->bytes + r->chunk->n;
}

/* ---- one hash, too many rows --------------------------------------------- */

typedef struct Keys {
    PqArena         arena;
    const uint8_t **v;               /* a record of each                    */
    uint32_t        n, room;
} Keys;

static bool has_key(const PqGrouping *g, const Keys *k, const uint8_t *record)
{
    for (uint32_t i = 0; i < k->n; i++) {
        if (pq_group_same_key(&g->shape, k->v[i], record)) {
            return true;
        }
    }
    return false;
}

static PqRc add_key(PqGrouping *g, Keys *k, const uint8_t *record, PqErr *e)
{
    size_t n = pq_group_size(&g->shape, record);
    uint8_t *copy = pq_arena_alloc(&k->arena, n, e);

    PQ_TRY(copy ? PQ_OK : e->rc);
    memcpy(copy, record, n);
    PQ_TRY(PQ_GROW(g->mem, k->v, k->n, k->room, e));
    k->v[k->n++] = copy;
    return PQ_OK;
}

/* Visits the records whose key is the first one that k does not have yet, and
** writes them; or, without writing, sets *n to 1 if there is one. */
static PqRc next_key(PqGrouping *g, const PqGroupPart *p, Keys *k, bool write,
                     uint64_t *n, PqErr *e)
{
    PqGroupRun r = {.piece = p->first_piece};
    uint32_t before = k->n;
    PqRc rc = PQ_OK;

    for (*n = 0; write || *n == 0;) {
        if (!r.record || r.used_up) {
            PQ_GO(read_chunk(g, &r, e));
        }
        if (!r.record) {
            break;
        }
        if (k->n == before && !has_key(g, k, r.record)) {
            PQ_GO(add_key(g, k, r.record, e));
        }
        if (k->n > before &&
            pq_group_same_key(&g->shape, k->v[before], r.record)) {
            *n += 1;
            PQ_GO(write ? write_record(g, r.record, e) : PQ_OK);
        }
        pass_record(g, &r);
    }
done:
    drop_chunk(g, &r);
    return rc;
}

/* Makes a stretch of each key. */
static PqRc spread(PqGrouping *g, const PqGroupPart *p, Keys *k, PqErr *e)
{
    uint64_t left = p->n_rows, n;

    for (k->n = 0; left > 0; left -= n) {
        PqGroupRun run = {.at = pq_sink_offset(g->store.file),
                          .used_up = true};

        PQ_TRY(next_key(g, p, k, true, &n, e));
        run.end = pq_sink_offset(g->store.file);
        PQ_TRY(pq_group_runs_add(g, &run, e));
    }
    return PQ_OK;
}

PqRc pq_group_runs_of_file(PqGrouping *g, const PqGroupPart *p, bool *again,
                           PqErr *e)
{
    PqGroupRun run = {.piece = p->first_piece, .used_up = true};
    Keys k = {.n = 0};
    uint64_t n = 0;
    PqRc rc;

    pq_arena_init(&k.arena, g->mem);
    PQ_GO(next_key(g, p, &k, false, &n, e));
    PQ_GO(next_key(g, p, &k, false, &n, e));
    *again = n > 0 && !p->seeded;
    rc = *again  ? PQ_OK
         : n > 0 ? spread(g, p, &k, e) : pq_group_runs_add(g, &run, e);
done:
    pq_arena_free(&k.arena);
    pq_mem_free(k.v);
    return rc;
}

/* ---- the heap of those that are merged ------------------------------------ */

static bool comes_first(const PqGrouping *g, uint32_t a, uint32_t b)
{
    const PqGroupRun *runs = g->runs.v;

    return pq_group_compare_keys(&g->shape, g->spec.desc, runs[a].record,
                                 runs[b].record) < 0;
}

static void sift_down(PqGrouping *g, uint32_t at)
{
    PqGroupRuns *all = &g->runs;
    uint32_t run = all->heap[at];

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= all->n_heap) {
            break;
        }
        if (child + 1 < all->n_heap &&
            comes_first(g, all->heap[child + 1], all->heap[child])) {
            child++;
        }
        if (!comes_first(g, all->heap[child], run)) {
            break;
        }
        all->heap[at] = all->heap[child];
        at = child;
    }
    all->heap[at] = run;
}

/* Makes runs of all partitions. */
static PqRc begin_merge(PqGrouping *g, PqErr *e)
{
    PqGroupRuns *all = &g->runs;
    size_t share;

    all->in_file = g->store.file != NULL;
    while (g->store.n_parts > 0) {
        PQ_TRY(pq_group_next_part(g, e));
    }
    share = pq_mem_limit(g->mem) / CHUNK_SHARE / (all->n + 1);
    all->chunk = share > MOST_CHUNK ? MOST_CHUNK
                 : share < LEAST_CHUNK ? LEAST_CHUNK : share;
    all->heap = pq_mem_array(g->mem, all->n + 1, sizeof *all->heap, e);
    PQ_TRY(all->heap ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->v[i].used_up) {
            PQ_TRY(read_chunk(g, &all->v[i], e));
        }
        if (all->v[i].record) {
            all->heap[all->n_heap++] = i;
        }
    }
    for (uint32_t i = all->n_heap / 2; i-- > 0;) {
        sift_down(g, i);
    }
    return PQ_OK;
}

/* Restores the heap after the run on top moved to another record, or to its
** end. */
static void settle_top(PqGrouping *g)
{
    PqGroupRuns *all = &g->runs;

    if (!all->v[all->heap[0]].record) {
        all->heap[0] = all->heap[--all->n_heap];
    }
    if (all->n_heap > 0) {
        sift_down(g, 0);
    }
}

/* ---- giving -------------------------------------------------------------- */

static PqGroupRun *current(PqGrouping *g)
{
    PqGroupRuns *all = &g->runs;

    if (g->spec.ordered) {
        return all->n_heap > 0 ? &all->v[all->heap[0]] : NULL;
    }
    return all->at < all->n ? &all->v[all->at] : NULL;
}

/* Goes to a run that has a record; *found false: there is none. */
static PqRc find_record(PqGrouping *g, bool *found, PqErr *e)
{
    PqGroupRuns *all = &g->runs;
    PqGroupRun *r;

    *found = true;
    if (g->spec.ordered && !all->heap) {
        PQ_TRY(begin_merge(g, e));
    }
    while ((r = current(g)) != NULL || g->store.n_parts > 0) {
        if (!r) {
            all->n = all->at = 0;
            PQ_TRY(pq_group_next_part(g, e));
        } else if (g->spec.once && r->given) {
            pq_group_run_free(g, r);     /* the other rows of its key */
            all->at++;
        } else if (r->used_up) {
            PQ_TRY(read_chunk(g, r, e));
            if (g->spec.ordered) {
                settle_top(g);
            }
        } else if (r->record) {
            return PQ_OK;
        } else {
            pq_group_run_free(g, r);
            all->at++;
        }
    }
    *found = false;
    return PQ_OK;
}

/* Is the record of the batch's file?  Rows of another file wait for the next
** batch. */
static bool is_of_batch(PqGrouping *g, uint32_t n, const uint8_t *record)
{
    return !g->by_file || n == 0 ||
           pq_group_rowid(g, record) >> PQ_ROWID_SHIFT ==
               pq_group_rowid(g, g->batch[0]) >> PQ_ROWID_SHIFT;
}

PqRc pq_group_runs_next(PqGrouping *g, uint32_t *n, PqErr *e)
{
    PqGroupRun *r;
    bool found;

    *n = 0;
    PQ_TRY(pq_stop_poll(g->store.stop, e));
    PQ_TRY(find_record(g, &found, e));
    while (*n < PQ_BATCH_ROWS && (r = current(g)) != NULL && r->record &&
           !r->used_up && is_of_batch(g, *n, r->record)) {
        const uint8_t *was = r->record;

        g->group_of[*n] = r->group;
        g->batch[(*n)++] = was;
        pass_record(g, r);
        if (g->spec.ordered && !r->used_up &&
            (!r->record || !pq_group_same_key(&g->shape, was, r->record))) {
            settle_top(g);
        }
        if (g->spec.once && !r->lines) {
            r->given = true;
            break;
        }
    }
    return PQ_OK;
}

void pq_group_runs_tell_apart(PqGrouping *g, uint32_t row)
{
    PqGroupRun *r = current(g);

    g->spec.once = false;
    if (r->lines) {
        r->line = r->starts[g->group_of[row]];
        pass_record(g, r);           /* that row was given */
    }
}
