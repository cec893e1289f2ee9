/*
** group_give.c - makes groups of partitions, which group_runs.c hands out.
**
** It goes twice through the rows of a partition: once to number them by their
** groups, and once to line them up:
**
**   records    a b a c b a        numbers  0 1 0 2 1 0
**   starts     0 3 5              lines    a a a b b c
**
** A partition of many groups that is larger than the cache is cut first.  A
** partition of few groups need not be cut, because its table is small.
*/
#include "core/group/group_inside.h"

enum {
    AT_ONCE = 1024,                  /* rows that are numbered together     */
    MANY_GROUPS = 1 << 15,           /* their table does not fit the cache  */
    LARGE_PART = 2 << 20,            /* bytes                               */
    CUT_BITS = 5,
    SPARE_SHARE = 8                  /* of memory, for the host's values    */
};

/* ---- the records of a partition ------------------------------------------ */

/* Puts the pieces of a partition, which it reads from the file, before its
** chunks. */
static PqRc read_pieces(PqGrouping *g, PqGroupPart *p, PqErr *e)
{
    PqGroupChunk **at = &p->first;

    for (uint32_t i = p->first_piece; i > 0; i = g->store.pieces[i - 1].next) {
        PqGroupChunk *chunk;

        PQ_TRY(pq_group_store_read(&g->store, &g->store.pieces[i - 1], &chunk,
                                   e));
        chunk->next = *at;
        *at = chunk;
        at = &chunk->next;
    }
    return PQ_OK;
}

/* Frees the pieces that lie before a chunk of the partition. */
static void drop_pieces(PqGrouping *g, PqGroupPart *p, PqGroupChunk *chunk)
{
    PqGroupPart pieces = {.first = p->first};
    PqGroupChunk **at = &pieces.first;

    while (*at != chunk) {
        at = &(*at)->next;
    }
    *at = NULL;
    p->first = chunk;
    pq_group_store_drop(&g->store, &pieces);
}

/* A walk over the records of a partition. */
typedef struct Walk {
    const PqGroupShape *shape;
    const PqGroupChunk *chunk;
    const uint8_t      *at;
} Walk;

static Walk begin_walk(const PqGrouping *g, const PqGroupPart *p)
{
    return (Walk){&g->shape, p->first, p->first ? p->first->bytes : NULL};
}

static const uint8_t *walk(Walk *w)
{
    const uint8_t *at;

    while (w->at == w->chunk->bytes + w->chunk->n) {
        w->chunk = w->chunk->next;
        w->at = w->chunk->bytes;
    }
    at = w->at;
    w->at += pq_group_size(w->shape, at);
    return at;
}

/* ---- groups -------------------------------------------------------------- */

typedef struct Numbering {
    PqGrouping     *g;
    PqGroupRun     *run;             /* of the rows                         */
    const uint8_t  *rows[AT_ONCE];
    uint64_t        hashes[AT_ONCE];
    const uint8_t **firsts;          /* a row of each group                 */
    uint64_t       *counts;
    uint32_t        room, counts_room;
} Numbering;

static bool is_same(void *arg, uint32_t number, uint32_t i)
{
    const Numbering *n = arg;

    return pq_group_same_key(&n->g->shape, n->firsts[number], n->rows[i]);
}

static PqRc add_group(void *arg, uint32_t i, uint32_t next, uint32_t *number,
                      PqErr *e)
{
    Numbering *n = arg;

    PQ_TRY(PQ_GROW(n->g->mem, n->firsts, next, n->room, e));
    PQ_TRY(PQ_GROW(n->g->mem, n->counts, next + 1, n->counts_room, e));
    n->firsts[next] = n->rows[i];
    n->counts[next] = 0;
    *number = next;
    return PQ_OK;
}

/* Numbers the rows.  *many: it stopped, because smaller partitions are better.
** *flooded: it stopped, because too many keys have the same hash. */
static PqRc number_once(PqGrouping *g, const PqGroupPart *p, bool may_stop,
                        Numbering *n, uint32_t *numbers, bool *many,
                        bool *flooded, PqErr *e)
{
    PqNumberKeys keys = {is_same, add_group, n, NULL};
    Walk w = begin_walk(g, p);

    *many = *flooded = false;
    pq_number_table_reset(&g->table);
    for (uint64_t at = 0; at < p->n_rows; at += AT_ONCE) {
        uint32_t count = p->n_rows - at < AT_ONCE ? (uint32_t)(p->n_rows - at)
                                                  : AT_ONCE;

        PQ_TRY(pq_stop_poll(g->store.stop, e));
        for (uint32_t i = 0; i < count; i++) {
            n->rows[i] = walk(&w);
            n->hashes[i] = pq_group_store_hash(&g->store, p, n->rows[i]);
        }
        PQ_TRY(pq_number_table_find(&g->table, n->hashes, count, &keys,
                                   numbers + at, e));
        for (uint32_t i = 0; i < count; i++) {
            n->counts[numbers[at + i]]++;
        }
        if (may_stop && g->table.n > MANY_GROUPS) {
            *many = true;
            return PQ_OK;
        }
        if (!p->seeded && pq_number_table_is_flooded(&g->table, at + count)) {
            *flooded = true;
            return PQ_OK;
        }
    }
    return PQ_OK;
}

/* The order in which groups come does not depend on the hashes. */
static PqRc number_rows(PqGrouping *g, PqGroupPart *p, bool may_stop,
                        Numbering *n, uint32_t *numbers, bool *many, PqErr *e)
{
    bool flooded;

    PQ_TRY(number_once(g, p, may_stop, n, numbers, many, &flooded, e));
    if (!flooded) {
        return PQ_OK;
    }
    PQ_TRY(pq_group_store_reseed(&g->store, p, e));
    return number_once(g, p, may_stop, n, numbers, many, &flooded, e);
}

/* Turns counts into the places where the groups begin. */
static PqRc find_starts(PqGrouping *g, const uint8_t *const *firsts,
                        uint64_t *counts, PqErr *e)
{
    uint32_t *order = NULL;
    uint64_t at = 0;

    if (g->spec.ordered) {
        order = pq_mem_array(g->mem, g->table.n, sizeof *order, e);
        if (!order || pq_group_sort(g, firsts, g->table.n, order, e) != PQ_OK) {
            pq_mem_free(order);
            return e->rc;
        }
    }
    for (uint32_t i = 0; i < g->table.n; i++) {
        uint64_t *count = &counts[order ? order[i] : i], n = *count;

        *count = at;
        at += n;
    }
    pq_mem_free(order);
    return PQ_OK;
}

/* Lines the rows up.  Turns counts into the starts of the groups, except where
** the groups are sorted. */
static PqRc line_up(PqGrouping *g, const PqGroupPart *p, Numbering *n,
                    const uint32_t *numbers, PqErr *e)
{
    Walk w = begin_walk(g, p);

    PQ_TRY(find_starts(g, n->firsts, n->counts, e));
    for (uint64_t i = 0; i < p->n_rows; i++) {
        if (i % (AT_ONCE * 16) == 0) {
            PQ_TRY(pq_stop_poll(g->store.stop, e));
        }
        n->run->lines[n->counts[numbers[i]]++] = walk(&w);
    }
    for (uint32_t i = g->table.n; i > 0; i--) {  /* turns ends into starts */
        n->counts[i] = n->counts[i - 1];
    }
    n->counts[0] = 0;
    n->run->n_lines = p->n_rows;
    return PQ_OK;
}

static bool can_cut(const PqGroupPart *p)
{
    return p->mixed && p->bits + CUT_BITS <= 64;
}

static bool is_large(const PqGroupPart *p, size_t in_memory)
{
    return p->in_file + in_memory > LARGE_PART;
}

static size_t bytes_in_memory(const PqGroupPart *p)
{
    size_t n = 0;

    for (const PqGroupChunk *c = p->first; c; c = c->next) {
        n += c->n;
    }
    return n;
}

/* Groups the rows of the last partition, and takes it off the stack.  *many:
** the partition has to be cut instead. */
static PqRc group_rows(PqGrouping *g, PqGroupRun *out, bool *many, PqErr *e)
{
    PqGroupPart *p = &g->store.parts[g->store.n_parts - 1];
    bool may_stop = can_cut(p) && is_large(p, bytes_in_memory(p));
    PqGroupRun run = {.n_lines = 0};
    Numbering n = {.g = g, .run = &run};
    PqGroupChunk *first = p->first;
    uint32_t *numbers = NULL;
    PqRc rc;

    *many = false;
    PQ_GO(read_pieces(g, p, e));
    numbers = pq_mem_array(g->mem, p->n_rows, sizeof *numbers, e);
    run.lines = pq_mem_array(g->mem, p->n_rows, sizeof *run.lines, e);
    PQ_GO(numbers && run.lines ? PQ_OK : e->rc);
    PQ_GO(number_rows(g, p, may_stop, &n, numbers, many, e));
    if (!*many) {
        PQ_GO(line_up(g, p, &n, numbers, e));
    }
done:
    pq_mem_free(numbers);
    pq_mem_free(n.firsts);
    run.starts = n.counts;
    if (rc != PQ_OK || *many) {
        drop_pieces(g, p, first);
        pq_group_run_free(g, &run);
        return rc;
    }
    if (!g->spec.once) {
        pq_mem_free(run.starts);
        run.starts = NULL;
    }
    run.part = *p;
    g->store.n_parts--;
    *out = run;
    return PQ_OK;
}

/* ---- the next partition -------------------------------------------------- */

/* Is there memory to read a partition and to line its rows up? */
static bool fits(const PqGrouping *g, const PqGroupPart *p)
{
    size_t limit = pq_mem_limit(g->mem), used = pq_mem_used(g->mem);
    size_t spare = limit / SPARE_SHARE;
    size_t per_row = sizeof(uint8_t *) + sizeof(uint32_t) +
                     2 * (sizeof(PqNumberPlace) + 2 * sizeof(uint64_t));

    return used + spare < limit &&
           p->in_file + p->n_rows * per_row < limit - used - spare;
}

/* Leaves a partition in the file, because bits do not cut it and memory does
** not hold it.  As a rule it has one key.  If it has more, somebody chose keys
** with the same hash. */
static PqRc leave_in_file(PqGrouping *g, bool *cut, PqErr *e)
{
    PqGroupPart *p = &g->store.parts[g->store.n_parts - 1];

    PQ_TRY(pq_group_store_write(&g->store, e));
    PQ_TRY(pq_group_runs_of_file(g, p, cut, e));
    if (*cut) {
        return pq_group_store_reseed(&g->store, p, e);
    }
    g->store.n_parts--;
    return PQ_OK;
}

/* A partition with one key, or with far fewer keys than rows, needs less memory
** than fits() thinks.  So a partition that cannot be cut is tried, and stays in
** the file if there is no memory.  Once it has become a run, there is no way
** back: without memory to keep the run, the call fails. */
PqRc pq_group_next_part(PqGrouping *g, PqErr *e)
{
    PqGroupPart *p = &g->store.parts[g->store.n_parts - 1];
    PqGroupRun run = {.n_lines = 0};
    bool many = false;
    PqRc rc;

    if (p->n_rows == 0) {
        g->store.n_parts--;
        return PQ_OK;
    }
    if (!fits(g, p)) {
        PQ_TRY(pq_group_runs_write(g, e));
    }
    if (!fits(g, p) && can_cut(p)) {
        return pq_group_store_cut(&g->store, e);
    }
    rc = group_rows(g, &run, &many, e);
    if (rc == PQ_BUDGET && g->runs.n > 0 && !g->runs.in_file) {
        pq_err_clear(e);
        PQ_TRY(pq_group_runs_write(g, e));
        rc = group_rows(g, &run, &many, e);
    }
    if (rc == PQ_BUDGET) {
        pq_err_clear(e);
        many = can_cut(p);
        rc = many ? PQ_OK : leave_in_file(g, &many, e);
    }
    PQ_TRY(rc);
    if (many) {
        return pq_group_store_cut(&g->store, e);
    }
    return run.lines ? pq_group_runs_add(g, &run, e) : PQ_OK;
}

/* ---- giving -------------------------------------------------------------- */

static PqRc next(PqRowSource *base, bool *more, PqErr *e)
{
    PqGrouping *g = (PqGrouping *)base;
    uint32_t n;

    if (!g->was_read) {
        g->was_read = true;
        PQ_TRY(pq_group_read(g, e));
    }
    PQ_TRY(pq_group_runs_next(g, &n, e));
    *more = n > 0;
    return n > 0 ? pq_group_hand_out(g, n, e) : PQ_OK;
}

/* Ends the batch with this row.  The next batch goes on with its group. */
static PqRc tell_apart(PqRowSource *base, uint32_t row, bool *changed, PqErr *e)
{
    PqGrouping *g = (PqGrouping *)base;

    if (g->spec.once) {
        g->asked = row;
        pq_group_runs_tell_apart(g, row);
        pq_scan_keep(g->scan, &g->asked, 1);
        *changed = true;
    }
    return PQ_OK;
}

/* ---- making and freeing -------------------------------------------------- */

static void free_grouping(PqRowSource *base)
{
    PqGrouping *g = (PqGrouping *)base;

    pq_group_runs_free(g);
    pq_group_store_free(&g->store);
    pq_number_table_free(&g->table);
    pq_group_free_batch(g->in);
    for (uint32_t i = 0; i < g->shape.n_slots; i++) {
        pq_group_entries_free(&g->shape.slots[i].entries);
    }
    for (uint32_t i = 0; i < PQ_GROUP_SLOTS; i++) {
        pq_mem_free(g->given[i]);
    }
    pq_mem_free(g->spans);
    pq_mem_free(g);
}

PqRc pq_group_new(PqScan *scan, const PqGroupSpec *spec, PqRowSource **out,
                  PqErr *e)
{
    PqMem *mem = pq_scan_mem(scan);
    PqGrouping *g = pq_mem_zeros(mem, 1, sizeof *g, e);

    *out = NULL;
    PQ_TRY(g ? PQ_OK : e->rc);
    g->base = pq_row_source(scan, next);
    g->base.tell_apart = tell_apart;
    g->base.free = free_grouping;
    g->scan = scan;
    g->mem = mem;
    g->spec = *spec;
    pq_number_table_init(&g->table, mem, pq_scan_stop(scan));
    *out = &g->base;
    return PQ_OK;
}
