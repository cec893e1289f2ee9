/*
** group_stream.c - a partition that memory does not hold and bits do not cut.
**
** All its rows have one hash, so as a rule they are one group, and are handed
** out as they are read.  If other keys have the same hash by chance, the partition
** is read once more for each of them:
**
**   records    a a b a b       pass 1: a a a      pass 2: b b
*/
#include "core/group/group_inside.h"

static void drop_chunk(PqGrouping *g)
{
    PqGroupPart one = {.first = g->stream.read};

    pq_group_store_drop(&g->store, &one);
    g->stream.read = NULL;
    g->stream.chunk = NULL;
}

static void rewind_stream(PqGrouping *g)
{
    drop_chunk(g);
    g->stream.piece = g->part.first_piece;
}

PqRc pq_group_stream_begin(PqGrouping *g, const PqGroupPart *part, PqErr *e)
{
    (void)e;
    g->part = *part;                 /* all of it is in the file */
    g->stream.on = true;
    g->stream.n_done = 0;
    g->stream.n_given = 0;
    g->stream.skips = false;
    rewind_stream(g);
    return PQ_OK;
}

void pq_group_stream_end(PqGrouping *g)
{
    drop_chunk(g);
    pq_arena_free(&g->stream.keys);
    pq_mem_free(g->stream.done);
    g->stream.done = NULL;
    g->stream.n_done = g->stream.room = 0;
    g->stream.on = false;
}

/* The next record; NULL at the end.  *other: it is of another chunk than the
** record before. */
static PqRc next_record(PqGrouping *g, const uint8_t **out, bool *other, PqErr *e)
{
    PqGroupStream *s = &g->stream;

    *out = NULL;
    *other = false;
    while (!s->chunk || s->at == s->chunk->bytes + s->chunk->n) {
        const PqGroupPiece *piece;

        if (s->piece == 0) {
            return PQ_OK;
        }
        piece = &g->store.pieces[s->piece - 1];
        drop_chunk(g);
        PQ_TRY(pq_group_store_read(&g->store, piece, &s->read, e));
        s->piece = piece->next;
        s->chunk = s->read;
        s->at = s->chunk->bytes;
        *other = true;
    }
    *out = s->at;
    s->at += pq_group_size(&g->shape, s->at);
    return PQ_OK;
}

/* Is another record in this chunk? */
static bool goes_on(const PqGroupStream *s)
{
    return s->chunk && s->at < s->chunk->bytes + s->chunk->n;
}

static PqRc add_key(PqGrouping *g, const uint8_t *record, PqErr *e)
{
    PqGroupStream *s = &g->stream;
    size_t n = pq_group_size(&g->shape, record);
    uint8_t *copy = pq_arena_alloc(&s->keys, n, e);

    if (!copy) {
        return e->rc;
    }
    PQ_TRY(PQ_GROW(g->mem, s->done, s->n_done, s->room, e));
    memcpy(copy, record, n);
    s->done[s->n_done++] = copy;
    return PQ_OK;
}

static bool is_done(const PqGrouping *g, const uint8_t *record)
{
    for (uint32_t i = 0; i < g->stream.n_done; i++) {
        if (pq_group_same_key(&g->shape, g->stream.done[i], record)) {
            return true;
        }
    }
    return false;
}

/* Finds a key that was not given.  *found false: there is none. */
static PqRc next_key(PqGrouping *g, bool *found, PqErr *e)
{
    const uint8_t *record;
    bool other;

    *found = false;
    if (g->stream.n_given == g->part.n_rows) {
        return PQ_OK;
    }
    rewind_stream(g);
    do {
        PQ_TRY(next_record(g, &record, &other, e));
    } while (record && is_done(g, record));
    if (record) {
        *found = true;
        PQ_TRY(add_key(g, record, e));
        rewind_stream(g);
    }
    return PQ_OK;
}

/* One row of each key. */
static PqRc next_keys(PqGrouping *g, uint32_t *n, PqErr *e)
{
    const uint8_t *record;
    bool other;

    do {
        PQ_TRY(next_record(g, &record, &other, e));
        if (record && !is_done(g, record)) {
            PQ_TRY(add_key(g, record, e));
            g->batch[0] = g->stream.done[g->stream.n_done - 1];
            *n = 1;
            return PQ_OK;
        }
    } while (record);
    return PQ_OK;
}

/* The partition is all in the file, and its first row stays. */
PqRc pq_group_stream_has_keys(PqGrouping *g, const PqGroupPart *part, bool *yes,
                              PqErr *e)
{
    const uint8_t *record;
    bool other;
    PqRc rc;

    *yes = false;
    PQ_TRY(pq_group_stream_begin(g, part, e));
    rc = next_record(g, &record, &other, e);
    if (rc == PQ_OK && record) {
        rc = add_key(g, record, e);
    }
    while (rc == PQ_OK && record && !*yes) {
        *yes = !pq_group_same_key(&g->shape, g->stream.done[0], record);
        rc = next_record(g, &record, &other, e);
    }
    pq_group_stream_end(g);
    return rc;
}

PqRc pq_group_stream_next(PqGrouping *g, uint32_t *n, PqErr *e)
{
    PqGroupStream *s = &g->stream;
    const uint8_t *record;
    bool found, other;

    *n = 0;
    if (g->once) {
        return next_keys(g, n, e);
    }
    while (*n == 0) {
        do {                         /* within one chunk, which stays */
            record = NULL;
            if (s->n_done > 0) {
                PQ_TRY(next_record(g, &record, &other, e));
            }
            if (!record) {
                PQ_TRY(next_key(g, &found, e));
                if (!found) {
                    return PQ_OK;
                }
            } else if (pq_group_same_key(&g->shape, s->done[s->n_done - 1],
                                         record)) {
                s->n_given++;
                if (!s->skips) {
                    g->batch[(*n)++] = record;
                }
                s->skips = false;
            }
        } while (*n < PQ_BATCH_ROWS && (*n == 0 || goes_on(s)) &&
                 !(*n > 0 && g->by_file));
    }
    return PQ_OK;
}

/* The first row of the last key was given. */
void pq_group_stream_all_rows(PqGrouping *g, uint32_t row)
{
    (void)row;
    g->stream.skips = true;
    rewind_stream(g);
}
