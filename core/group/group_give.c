/*
** group_give.c - partitions become groups, and groups batches.
**
** The rows of a partition are gone through twice: once to number them by their
** groups, once to line them up:
**
**   records    a b a c b a        numbers  0 1 0 2 1 0
**   starts     0 3 5              lines    a a a b b c
**
** A partition of many groups that is larger than the cache is cut first; one of
** few groups need not be, because its table is small.
*/
#include "core/group/group_inside.h"

enum {
    AT_ONCE = 1024,                  /* rows that are numbered together     */
    MANY_GROUPS = 1 << 15,           /* whose table does not fit the cache  */
    LARGE_PART = 2 << 20,            /* bytes                               */
    CUT_BITS = 5,
    SPARE_SHARE = 8                  /* of memory, for the host's values    */
};

/* ---- the records of a partition ------------------------------------------ */

static void free_pieces(PqGrouping *g)
{
    PqGroupPart all = {.first = g->pieces};

    pq_group_store_drop(&g->store, &all);
    g->pieces = NULL;
}

void pq_group_free_part(PqGrouping *g)
{
    free_pieces(g);
    pq_group_store_drop(&g->store, &g->part);
    pq_mem_free(g->lines);
    pq_mem_free(g->starts);
    g->lines = NULL;
    g->starts = NULL;
    g->n_lines = g->line = 0;
    g->n_groups = g->group = 0;
}

static PqRc read_pieces(PqGrouping *g, const PqGroupPart *p, PqErr *e)
{
    PqGroupChunk **last = &g->pieces;

    for (uint32_t i = p->first_piece; i > 0;
         i = g->store.pieces[i - 1].next) {
        PQ_TRY(pq_group_store_read(&g->store, &g->store.pieces[i - 1], last,
                                   e));
        last = &(*last)->next;
    }
    return PQ_OK;
}

/* A walk over the records of g->pieces and then of a partition. */
typedef struct Walk {
    const PqGroupShape *shape;
    const PqGroupChunk *chunk, *after;
    const uint8_t      *at;
} Walk;

static Walk begin_walk(const PqGrouping *g, const PqGroupPart *p)
{
    Walk w = {&g->shape, g->pieces ? g->pieces : p->first,
              g->pieces ? p->first : NULL, NULL};

    w.at = w.chunk ? w.chunk->bytes : NULL;
    return w;
}

static const uint8_t *walk(Walk *w)
{
    const uint8_t *at;

    while (w->at == w->chunk->bytes + w->chunk->n) {
        w->chunk = w->chunk->next ? w->chunk->next : w->after;
        if (w->chunk == w->after) {
            w->after = NULL;
        }
        w->at = w->chunk->bytes;
    }
    at = w->at;
    w->at += pq_group_size(w->shape, at);
    return at;
}

/* ---- groups -------------------------------------------------------------- */

typedef struct Numbering {
    PqGrouping        *g;
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

static PqRc add_group(void *arg, uint32_t number, uint32_t i, PqErr *e)
{
    Numbering *n = arg;

    PQ_TRY(PQ_GROW(n->g->mem, n->firsts, number, n->room, e));
    PQ_TRY(PQ_GROW(n->g->mem, n->counts, number + 1, n->counts_room, e));
    n->firsts[number] = n->rows[i];
    n->counts[number] = 0;
    return PQ_OK;
}

/* Numbers the rows.  *many: it stopped because a smaller partition is better.
** *flooded: ... because too many keys meet. */
static PqRc number_once(PqGrouping *g, const PqGroupPart *p, bool may_stop,
                        Numbering *n, uint32_t *numbers, bool *many,
                        bool *flooded, PqErr *e)
{
    PqGroupKeep keep = {is_same, add_group, n};
    Walk w = begin_walk(g, p);

    *many = *flooded = false;
    pq_group_table_reset(&g->table);
    for (uint64_t at = 0; at < p->n_rows; at += AT_ONCE) {
        uint32_t count = p->n_rows - at < AT_ONCE ? (uint32_t)(p->n_rows - at)
                                                  : AT_ONCE;

        PQ_TRY(pq_stop_poll(g->store.stop, e));
        for (uint32_t i = 0; i < count; i++) {
            n->rows[i] = walk(&w);
            n->hashes[i] = pq_group_store_hash(&g->store, p, n->rows[i]);
        }
        PQ_TRY(pq_group_table_find(&g->table, n->hashes, count, &keep,
                                   numbers + at, e));
        for (uint32_t i = 0; i < count; i++) {
            n->counts[numbers[at + i]]++;
        }
        if (may_stop && g->table.n > MANY_GROUPS) {
            *many = true;
            return PQ_OK;
        }
        if (!p->seeded && pq_group_table_is_flooded(&g->table, at + count)) {
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

/* counts become the places where the groups begin. */
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

/* Lines the rows up.  Where groups are not sorted, counts become their starts
** again. */
static PqRc line_up(PqGrouping *g, const PqGroupPart *p,
                    const uint32_t *numbers, const uint8_t *const *firsts,
                    uint64_t *counts, PqErr *e)
{
    Walk w = begin_walk(g, p);

    PQ_TRY(find_starts(g, firsts, counts, e));
    for (uint64_t i = 0; i < p->n_rows; i++) {
        if (i % (AT_ONCE * 16) == 0) {
            PQ_TRY(pq_stop_poll(g->store.stop, e));
        }
        g->lines[counts[numbers[i]]++] = walk(&w);
    }
    for (uint32_t i = g->table.n; i > 0; i--) {  /* ends become starts */
        counts[i] = counts[i - 1];
    }
    counts[0] = 0;
    g->n_groups = g->table.n;
    g->n_lines = p->n_rows;
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

/* Groups the rows of the last partition, and takes it from the stack.  *many:
** it has to be cut. */
static PqRc group_rows(PqGrouping *g, bool *many, PqErr *e)
{
    PqGroupPart *p = &g->store.parts[g->store.n_parts - 1];
    bool may_stop = can_cut(p) && is_large(p, bytes_in_memory(p));
    Numbering n = {.g = g};
    uint32_t *numbers = NULL;
    PqRc rc;

    PQ_GO(read_pieces(g, p, e));
    numbers = pq_mem_array(g->mem, p->n_rows, sizeof *numbers, e);
    g->lines = pq_mem_array(g->mem, p->n_rows, sizeof *g->lines, e);
    rc = numbers && g->lines ? PQ_OK : e->rc;
    if (rc == PQ_OK) {
        rc = number_rows(g, p, may_stop, &n, numbers, many, e);
    }
    if (rc == PQ_OK && !*many) {
        rc = line_up(g, p, numbers, n.firsts, n.counts, e);
    }
done:
    pq_mem_free(numbers);
    pq_mem_free(n.firsts);
    g->starts = n.counts;
    if (rc == PQ_OK && !*many) {
        g->part = *p;
        g->store.n_parts--;
    } else {
        pq_group_free_part(g);
    }
    return rc;
}

/* ---- the next partition -------------------------------------------------- */

/* Is there memory to read a partition and to line its rows up? */
static bool fits(const PqGrouping *g, const PqGroupPart *p)
{
    size_t limit = pq_mem_limit(g->mem), used = pq_mem_used(g->mem);
    size_t spare = limit / SPARE_SHARE;
    size_t per_row = sizeof *g->lines + sizeof(uint32_t) +
                     2 * (sizeof(PqGroupPlace) + 3 * sizeof(uint64_t));

    return used + spare < limit &&
           p->in_file + p->n_rows * per_row < limit - used - spare;
}

/* A partition that bits do not cut and memory does not hold.  As a rule it has
** one key, and becomes a stream.  With other keys its hashes were made to meet. */
static PqRc stream_or_reseed(PqGrouping *g, bool *cut, PqErr *e)
{
    PqGroupPart *p = &g->store.parts[g->store.n_parts - 1];

    PQ_TRY(pq_group_store_write(&g->store, e));
    *cut = false;
    if (!p->seeded) {
        PQ_TRY(pq_group_stream_has_keys(g, p, cut, e));
    }
    return *cut ? pq_group_store_reseed(&g->store, p, e)
                : pq_group_stream_begin(
                      g, &g->store.parts[--g->store.n_parts], e);
}

/* One key more, or far fewer than rows, need less than fits() thinks.  So what
** cannot be cut is tried, and becomes a stream if there is no memory. */
PqRc pq_group_next_part(PqGrouping *g, PqErr *e)
{
    PqGroupPart *p = &g->store.parts[g->store.n_parts - 1];
    bool many = false;
    PqRc rc;

    if (p->n_rows > 0 && !fits(g, p)) {
        PQ_TRY(pq_group_write_runs(g, e));
    }

    if (p->n_rows == 0) {
        g->store.n_parts--;
        return PQ_OK;
    }
    if (!fits(g, p) && can_cut(p)) {
        return pq_group_store_cut(&g->store, e);
    }
    rc = group_rows(g, &many, e);
    if (rc == PQ_BUDGET && g->merge.n > 0 && !g->merge.in_file) {
        pq_err_clear(e);
        PQ_TRY(pq_group_write_runs(g, e));
        rc = group_rows(g, &many, e);
    }
    if (rc == PQ_BUDGET) {
        pq_err_clear(e);
        many = can_cut(p);
        if (!many) {
            rc = stream_or_reseed(g, &many, e);
        } else {
            rc = PQ_OK;
        }
    }
    PQ_TRY(rc);
    return many ? pq_group_store_cut(&g->store, e) : PQ_OK;
}

/* ---- giving -------------------------------------------------------------- */

/* The next lines, to g->batch. */
static uint32_t next_lines(PqGrouping *g)
{
    uint32_t n = 0;

    if (!g->once) {
        while (n < PQ_BATCH_ROWS && g->line < g->n_lines) {
            g->batch[n++] = g->lines[g->line++];
        }
        return n;
    }
    while (n < PQ_BATCH_ROWS && g->group < g->n_groups) {
        g->group_of[n] = g->group;
        g->batch[n++] = g->lines[g->starts[g->group++]];
    }
    g->line = g->group < g->n_groups ? g->starts[g->group] : g->n_lines;
    return n;
}

/* Rows of another file are left for the next batch. */
static uint32_t of_one_file(PqGrouping *g, uint32_t n)
{
    uint32_t i = 1;

    if (!g->by_file) {
        return n;
    }
    while (i < n && pq_group_rowid(g, g->batch[i]) >> PQ_ROWID_SHIFT ==
                        pq_group_rowid(g, g->batch[0]) >> PQ_ROWID_SHIFT) {
        i++;
    }
    return i;
}

static PqRc give_lines(PqGrouping *g, PqErr *e)
{
    uint32_t n = next_lines(g), of_file = of_one_file(g, n);

    if (g->once) {
        g->group -= n - of_file;
    } else {
        g->line -= n - of_file;
    }
    return pq_group_hand_out(g, of_file, e);
}

static bool has_lines(const PqGrouping *g)
{
    return g->once ? g->group < g->n_groups : g->line < g->n_lines;
}

PqRc pq_group_next(PqGrouping *g, bool *more, PqErr *e)
{
    *more = true;
    if (!g->was_read) {
        g->was_read = true;
        PQ_TRY(pq_group_read(g, e));
    }
    if (g->spec.ordered) {
        uint32_t n = 0;

        PQ_TRY(pq_group_merge_next(g, &n, e));
        *more = n > 0;
        return n > 0 ? pq_group_hand_out(g, n, e) : PQ_OK;
    }
    for (;;) {
        uint32_t n = 0;

        if (has_lines(g)) {
            return give_lines(g, e);
        }
        if (g->stream.on) {
            PQ_TRY(pq_group_stream_next(g, &n, e));
            if (n > 0) {
                return pq_group_hand_out(g, n, e);
            }
            pq_group_stream_end(g);
        }
        pq_group_free_part(g);
        if (g->store.n_parts == 0) {
            *more = false;
            return PQ_OK;
        }
        PQ_TRY(pq_group_next_part(g, e));
    }
}

void pq_group_all_rows(PqGrouping *g, uint32_t row)
{
    if (!g->once) {
        return;
    }
    g->once = false;
    if (g->stream.on) {
        pq_group_stream_all_rows(g, row);
    } else {
        g->line = g->starts[g->group_of[row]] + 1;
    }
}

/* ---- making and freeing -------------------------------------------------- */

PqRc pq_group_new(PqScan *scan, const PqGroupSpec *spec, PqGrouping **out,
                  PqErr *e)
{
    PqMem *mem = pq_scan_mem(scan);
    PqGrouping *g = pq_mem_zeros(mem, 1, sizeof *g, e);

    *out = NULL;
    if (!g) {
        return e->rc;
    }
    g->scan = scan;
    g->mem = mem;
    g->spec = *spec;
    g->once = spec->once;
    pq_group_table_init(&g->table, mem, pq_scan_stop(scan));
    pq_arena_init(&g->stream.keys, mem);
    g->given = pq_mem_zeros(mem, PQ_GROUP_SLOTS, sizeof *g->given, e);
    if (!g->given) {
        pq_group_free(g);
        return e->rc;
    }
    *out = g;
    return PQ_OK;
}

void pq_group_free(PqGrouping *g)
{
    if (!g) {
        return;
    }
    pq_group_stream_end(g);
    pq_group_merge_free(g);
    pq_group_free_part(g);
    pq_group_store_free(&g->store);
    pq_group_table_free(&g->table);
    pq_group_free_batch(g->in);
    for (uint32_t i = 0; i < g->shape.n_slots; i++) {
        pq_group_entries_free(&g->shape.slots[i].entries);
    }
    for (uint32_t i = 0; g->given && i < PQ_GROUP_SLOTS; i++) {
        pq_mem_free(g->given[i].values);
        pq_mem_free(g->given[i].ids);
        pq_mem_free(g->given[i].def);
    }
    pq_mem_free(g->given);
    pq_mem_free(g->spans);
    pq_mem_free(g);
}
