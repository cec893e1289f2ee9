/*
** scan_pick.c - rows in any order, for joins and for ORDER BY.
**
** A join asks for scattered rows, a million times.  Decoding a page for each
** row would be far too slow.  So rows are decoded a block at a time, and the
** blocks are kept (block_cache.h).  A row is then an access to arrays.
**
**   rowids    70001  12  70003          as asked for
**   sorted    12  70001  70003          so that each block is looked up once
**   block     [0..16383]  [65536..]
**   vector    v(70001) v(12) v(70003)   as asked for
**
** The vector is a copy, because a block may be dropped while the batch is in
** use.  It has values even where the pages have dictionary indices, because
** the rows of one batch may come from several dictionaries.
**
** The hard part is a page of many blocks; DuckDB writes one page per chunk.
** It would be decompressed again for each block.  So after a few picks, or if
** rows are picked by key, and while the cache has room, all its blocks are kept
** when the first one is wanted.
*/
#include "core/base/sort.h"
#include "core/scan/unnest_inside.h"

enum {
    BLOCK_SHIFT = 14,                /* log2 of the rows in a block         */
    MOST_BLOCKS = 1 << 16,           /* in a chunk                          */
    MOST_SHIFT = 30,
    BLOCK_SHARE = 64,                /* limit of a block: memory / this      */
    MANY_PICKS = 4,
    POLL_PICKS = 64,                 /* picks between polls for interrupts  */
    LONG_RUN = 8,                    /* rows side by side, copied at once   */
    PLACE_BITS = 11,
    PLACE_MASK = (1 << PLACE_BITS) - 1
};
_Static_assert(PQ_BATCH_ROWS <= 1 << PLACE_BITS, "a place in the batch fits");
_Static_assert(PQ_ROWID_SHIFT + PLACE_BITS < 63, "beside a row");

typedef struct PqPick {
    uint64_t     n_picks;
    uint64_t     sorted_of;          /* serial of the batch that sorted has */
    uint64_t     announced;          /* ... that was announced              */
    uint32_t     group;              /* of the first row of the last pick   */
    int64_t      rowids[PQ_BATCH_ROWS];
    int64_t      sorted[PQ_BATCH_ROWS];  /* row << PLACE_BITS | place       */
} PqPick;

/* The arrays that a vector of picked rows points to. */
typedef struct PqGather {
    uint8_t  *values;
    uint64_t *valid;
    uint16_t *rep, *def;
    uint32_t *starts;
    size_t    values_room, valid_room, rep_room, def_room, starts_room;
    PqArena   texts;
} PqGather;

void pq_scan_free_gather(PqGather *g)
{
    if (g) {
        pq_mem_free(g->values);
        pq_mem_free(g->valid);
        pq_mem_free(g->rep);
        pq_mem_free(g->def);
        pq_mem_free(g->starts);
        pq_arena_free(&g->texts);
        pq_mem_free(g);
    }
}

/* ---- picking ------------------------------------------------------------ */

static PqRc need_pick(PqScan *s, PqErr *e)
{
    if (!s->lookup) {
        PQ_TRY(pq_lookup_new(pq_mem_limit(s->mem), &s->own_lookup, e));
        pq_lookup_join(s->own_lookup, s);
    }
    if (!s->pick) {
        PQ_TRY(pq_lookup_share(s->lookup, 0, e));
        s->pick = pq_mem_alloc(s->mem, sizeof *s->pick, e);
        PQ_TRY(s->pick ? PQ_OK : e->rc);
        memset(s->pick, 0, offsetof(PqPick, rowids));
    }
    return PQ_OK;
}

/* s->batch_serial belongs to the batch. */
static PqRc sort_rows(PqScan *s, const int64_t *rowids, uint32_t n, PqErr *e)
{
    int64_t *sorted = s->pick->sorted;
    bool ascending = true;

    for (uint32_t i = 0; i < n; i++) {
        int64_t row = rowids[i] - (s->file << PQ_ROWID_SHIFT);

        if (row < 0 || row >= s->footer->n_rows || row >> PQ_ROWID_SHIFT) {
            return pq_fail(e, PQ_USAGE, "there is no row %lld in this file to "
                                        "pick", (long long)row);
        }
        s->pick->rowids[i] = rowids[i];
        sorted[i] = row << PLACE_BITS | i;
        ascending = ascending && (i == 0 || sorted[i] > sorted[i - 1]);
    }
    if (!ascending) {
        pq_sort_i64(sorted, n);
    }
    s->pick->sorted_of = s->batch_serial;
    return PQ_OK;
}

PqRc pq_scan_pick(PqScan *s, const int64_t *rowids, uint32_t n, PqErr *e)
{
    const PqGroup *g;
    uint32_t file, group;
    int64_t row;

    s->batch.n_rows = s->batch.n_kept = 0;
    if (n == 0) {
        return PQ_OK;
    }
    file = (uint32_t)(rowids[0] >> PQ_ROWID_SHIFT);
    if (n > PQ_BATCH_ROWS || rowids[0] < 0 ||
        rowids[0] >> PQ_ROWID_SHIFT >= (int64_t)s->listing->n_files) {
        return pq_fail(e, PQ_USAGE, "%u rows cannot be picked from file %u", n,
                       file);
    }
    PQ_TRY(need_pick(s, e));
    PQ_TRY(pq_read_ctx_step(&s->ctx, PQ_STEP_BYTES / POLL_PICKS, e));
    if (s->file != file) {
        PQ_TRY(pq_scan_open_file(s, file, e));
    }
    s->batch_serial++;
    PQ_TRY(sort_rows(s, rowids, n, e));
    row = rowids[0] - (s->file << PQ_ROWID_SHIFT);
    group = s->pick->group < s->footer->n_groups ? s->pick->group : 0;
    g = &s->footer->groups[group];
    if (row < g->first_row || row >= g->first_row + g->num_rows) {
        s->pick->group = group = pq_scan_group_of_row(s->footer, row);
        g = &s->footer->groups[group];
    }
    s->pick->n_picks++;
    s->batch = (PqBatch){.serial = s->batch_serial, .file = file,
                         .group = group, .group_row = row - g->first_row,
                         .file_row = row, .rowid = rowids[0], .n_rows = n,
                         .n_kept = n, .rowids = s->pick->rowids};
    s->stats.rows += n;
    return PQ_OK;
}

PqRc pq_scan_give(PqScan *s, uint32_t file, const int64_t *rowids, uint32_t n,
                  PqErr *e)
{
    s->batch.n_rows = s->batch.n_kept = 0;
    if (s->file != file) {
        PQ_TRY(pq_scan_open_file(s, file, e));
    }
    s->batch = (PqBatch){.serial = ++s->batch_serial, .file = file,
                         .rowid = rowids[0], .n_rows = n, .n_kept = n,
                         .rowids = rowids};
    return PQ_OK;
}

/* A leaf of a given batch is wanted, but its vector was not set. */
static PqRc need_sorted(PqScan *s, PqErr *e)
{
    PQ_TRY(need_pick(s, e));
    return s->pick->sorted_of == s->batch_serial
               ? PQ_OK : sort_rows(s, s->batch.rowids, s->batch.n_rows, e);
}

uint32_t pq_scan_row_group(const PqScan *s, uint32_t row)
{
    bool picked = s->batch.rowids ||
                  (s->unnest && s->unnest->inside && s->unnest->rows.rowids);

    return picked
               ? pq_scan_group_of_row(s->footer, pq_scan_row_in_file(s, row))
               : s->batch.group;
}

/* ---- blocks ------------------------------------------------------------- */

/* How many rows a block of the chunk may have so that it is not too large.
** This believes the size in the metadata.  If that is wrong, need_block
** notices when a block does not fit. */
static PqRc block_shift(PqScan *s, uint32_t leaf, uint32_t group,
                        unsigned *shift, PqErr *e)
{
    int64_t rows = s->footer->groups[group].num_rows, per_row;
    int64_t most = (int64_t)(pq_mem_limit(s->mem) / BLOCK_SHARE);
    PqColumnChunk chunk;
    PqArena a;
    PqRc rc;

    pq_arena_init(&a, s->mem);
    rc = pq_footer_chunk(s->footer, group, leaf, &a, &chunk, e);
    pq_arena_free(&a);
    PQ_TRY(rc);
    per_row = chunk.meta_data.total_uncompressed_size / (rows > 0 ? rows : 1);
    *shift = BLOCK_SHIFT;
    while (*shift > 0 && per_row > most >> *shift) {
        --*shift;
    }
    return PQ_OK;
}

static PqRc keep_rows(PqScan *s, PqPickChunk *c, uint32_t number, PqErr *e)
{
    int64_t n = s->footer->groups[c->group].num_rows;
    int64_t first = (int64_t)number << c->shift;
    PqVector v;

    n = n - first < (int64_t)1 << c->shift ? n - first : (int64_t)1 << c->shift;
    PQ_TRY(pq_leaf_read(s->leaves[c->leaf].reader, first, (uint32_t)n, &v, e));
    return pq_pick_cache_keep(s->lookup->cache, c, number, &v, e);
}

/* Keeps the blocks that lie within the page where the wanted block begins,
** while there is room. */
static PqRc keep_page(PqScan *s, PqPickChunk *c, uint32_t wanted, PqErr *e)
{
    PqPickCache *cache = s->lookup->cache;
    int64_t first, end, rows = s->footer->groups[c->group].num_rows;
    uint32_t i;

    PQ_TRY(pq_leaf_enter_page(s->leaves[c->leaf].reader,
                              (int64_t)wanted << c->shift, &first, &end, e));
    i = (uint32_t)((first + ((int64_t)1 << c->shift) - 1) >> c->shift);
    for (; i < c->n_blocks && (int64_t)i << c->shift < end; i++) {
        bool within = (int64_t)(i + 1) << c->shift <= end || end == rows;
        bool room = pq_pick_cache_has_room(cache, cache->limit / 16);

        if (!c->blocks[i] && (i == wanted || (within && room))) {
            PQ_TRY(keep_rows(s, c, i, e));
        }
    }
    return PQ_OK;
}

static PqRc load_block(PqScan *s, PqPickChunk *c, uint32_t number, PqErr *e)
{
    PqScanLeaf *l = &s->leaves[c->leaf];
    const PqLeaf *leaf = &s->footer->schema.leaves[c->leaf];
    const PqPickCache *cache = s->lookup->cache;
    PqWhere here = e->where;

    PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
    PQ_TRY(pq_scan_check_file(s, e));
    if (l->group != c->group) {
        PQ_TRY(pq_scan_enter_leaf(s, c->leaf, c->group, e));
    }
    if (leaf->max_rep == 0 && (s->by_key || s->pick->n_picks > MANY_PICKS) &&
        pq_pick_cache_has_room(cache, cache->limit / 8)) {
        PqErr other;

        pq_err_init(&other);
        if (keep_page(s, c, number, &other) != PQ_OK) {
            l->group = -1;           /* now the wanted block alone */
            PQ_TRY(pq_scan_enter_leaf(s, c->leaf, c->group, e));
        }
    }
    if (!c->blocks[number]) {
        PQ_TRY(keep_rows(s, c, number, e));
    }
    e->where = here;
    return PQ_OK;
}

static PqRc need_chunk(PqScan *s, uint32_t leaf, uint32_t group, unsigned shift,
                       PqPickChunk **out, PqErr *e)
{
    int64_t rows = s->footer->groups[group].num_rows;

    while (rows >> shift >= MOST_BLOCKS) {
        shift++;
    }
    if (shift > MOST_SHIFT) {
        return pq_fail(e, PQ_BUDGET, "a row group of %lld rows is too long to "
                                     "pick rows from", (long long)rows);
    }
    return pq_pick_cache_add(s->lookup->cache, s->batch.file, group, leaf, rows,
                             shift, out, e);
}

/* A block of the group that holds `row`, if it is there; *first is its first
** row. */
static const PqBlock *find_block(const PqScan *s, uint32_t leaf, uint32_t group,
                                 int64_t row, PqPickChunk **c, int64_t *first)
{
    uint32_t number;

    *c = pq_pick_cache_find(s->lookup->cache, s->batch.file, group, leaf);
    number = *c ? (uint32_t)(row >> (*c)->shift) : 0;
    if (!*c || !(*c)->blocks[number]) {
        return NULL;
    }
    (*c)->blocks[number]->used = true;
    *first = (int64_t)number << (*c)->shift;
    return (*c)->blocks[number]->rows;
}

/* The same, but loads it if it is not there.  If memory does not suffice, all
** other blocks are dropped and smaller ones are made. */
static PqRc need_block(PqScan *s, uint32_t leaf, uint32_t group, int64_t row,
                       const PqBlock **out, int64_t *first, PqErr *e)
{
    PqPickCache *cache = s->lookup->cache;
    PqPickChunk *c;
    unsigned shift = 0;

    *out = find_block(s, leaf, group, row, &c, first);
    if (*out) {
        return PQ_OK;
    }
    PQ_TRY(pq_lookup_share(s->lookup, 0, e));    /* which may drop the chunk */
    c = pq_pick_cache_find(cache, s->batch.file, group, leaf);
    if (!c) {
        PQ_TRY(block_shift(s, leaf, group, &shift, e));
        PQ_TRY(need_chunk(s, leaf, group, shift, &c, e));
    }
    for (;;) {
        PqRc rc;

        shift = c->shift;
        rc = load_block(s, c, (uint32_t)(row >> shift), e);
        pq_pick_cache_done(cache, c);
        pq_lookup_count(s->lookup);
        if (rc == PQ_OK) {
            *out = find_block(s, leaf, group, row, &c, first);
            return PQ_OK;
        }
        s->leaves[leaf].group = -1;
        if (rc != PQ_BUDGET || shift == 0) {
            return rc;
        }
        pq_err_clear(e);
        pq_pick_cache_empty(cache);
        PQ_TRY(need_chunk(s, leaf, group, shift > 2 ? shift - 2 : 0, &c, e));
        if (c->shift >= shift) {
            shift = c->shift;
            pq_pick_cache_done(cache, c);
            return pq_fail(e, PQ_BUDGET, "blocks of %u rows are too many for "
                                         "memory", 1u << shift);
        }
    }
}

int64_t pq_scan_picked_row(const PqScan *s, uint32_t i)
{
    return s->pick->sorted[i] >> PLACE_BITS;
}

bool pq_scan_lacks_block(const PqScan *s, uint32_t leaf, uint32_t group, int64_t row,
                         int64_t *first, int64_t *end)
{
    PqPickChunk *c;
    const PqBlock *block = find_block(s, leaf, group, row, &c, first);
    unsigned shift = c ? c->shift : BLOCK_SHIFT;

    *first = row >> shift << shift;
    *end = *first + ((int64_t)1 << shift);
    return !block;
}

/* ---- gathering ---------------------------------------------------------- */

/* A row whose place in memory is known. */
typedef struct Spot {
    const PqBlock *block;
    uint32_t row, place;             /* in the block, and in the batch      */
} Spot;

/* How many rows are fetched into the processor's cache before they are copied:
** most rows lie far from each other. */
enum { MOST_AHEAD = 16 };

typedef struct Ahead {
    PqGather     *to;
    const PqLeaf *leaf;
    bool          nulls;             /* there was one                       */
    uint32_t      n;
    Spot          v[MOST_AHEAD];
} Ahead;

static PqRc copy_ahead(Ahead *a, PqErr *e);

/* A walk over the picked rows in the order of the file. */
typedef struct Walk {
    PqScan  *s;
    uint32_t leaf, i;
    uint32_t group;
    int64_t  group_first, group_end; /* rows of the file                    */
    const PqBlock *block;            /* holds the row                       */
    int64_t  first, end;             /* rows of the block, in the file      */
    uint32_t row;                    /* in the block                        */
    uint32_t place;                  /* in the batch                        */
    const uint64_t *keep;            /* rows of the batch that are wanted;  */
                                     /* NULL: all                           */
    Ahead   *ahead;                  /* copied before a block is loaded; or */
                                     /* NULL                                */
} Walk;

static PqRc enter_block(Walk *w, int64_t row, PqErr *e)
{
    PqScan *s = w->s;
    PqPickChunk *c;

    w->block = find_block(s, w->leaf, w->group, row, &c, &w->first);
    if (!w->block) {                 /* loading a block may drop others */
        PQ_TRY(w->ahead ? copy_ahead(w->ahead, e) : PQ_OK);
        PQ_TRY(need_block(s, w->leaf, w->group, row, &w->block, &w->first, e));
    }
    w->first += w->group_first;
    w->end = w->first + w->block->n_rows;
    return PQ_OK;
}

static PqRc walk(Walk *w, bool *more, PqErr *e)
{
    PqScan *s = w->s;
    int64_t at, row;

    do {
        *more = w->i < s->batch.n_rows;
        if (!*more) {
            return PQ_OK;
        }
        at = s->pick->sorted[w->i++];
    } while (w->keep && !pq_bit(w->keep, (uint32_t)(at & PLACE_MASK)));
    row = at >> PLACE_BITS;
    w->place = (uint32_t)(at & PLACE_MASK);
    if (row >= w->group_end) {
        const PqGroup *g = &s->footer->groups[s->batch.group];

        w->group = s->batch.group;
        if (row < g->first_row || row >= g->first_row + g->num_rows) {
            w->group = pq_scan_group_of_row(s->footer, row);
            g = &s->footer->groups[w->group];
        }
        w->group_first = g->first_row;
        w->group_end = g->first_row + g->num_rows;
    }
    if (row >= w->end) {
        PQ_TRY(enter_block(w, row - w->group_first, e));
    }
    w->row = (uint32_t)(row - w->first);
    return PQ_OK;
}

static PqRc need_gather(PqScan *s, PqScanLeaf *l, PqErr *e)
{
    if (!l->gather) {
        PQ_TRY(PQ_NEW(s->mem, l->gather, 1, e));
        pq_arena_init(&l->gather->texts, s->mem);
    }
    pq_arena_reset(&l->gather->texts);
    return PQ_OK;
}

static PqRc room_for_slots(PqGather *g, PqMem *mem, size_t width, uint32_t n,
                           PqErr *e)
{
    size_t n_words = ((size_t)n + 63) / 64;

    PQ_TRY(PQ_ROOM(mem, g->values, n * width, g->values_room, e));
    PQ_TRY(PQ_ROOM(mem, g->valid, n_words, g->valid_room, e));
    PQ_TRY(PQ_ROOM(mem, g->rep, n, g->rep_room, e));
    PQ_TRY(PQ_ROOM(mem, g->def, n, g->def_room, e));
    if (n > 0) {
        memset(g->valid, 0xff, n_words * sizeof *g->valid);
    }
    return PQ_OK;
}

/* Copies n slots of the block, from slot `from` on, to slot `to` of the
** vector. */
static PqRc copy_slots(PqGather *g, const PqLeaf *leaf, const PqBlock *b,
                       uint32_t from, uint32_t to, uint32_t n, bool *nulls,
                       PqErr *e)
{
    PqPhysical type = leaf->type.physical;
    size_t width = pq_physical_width(type);

    if (!b->has_levels && !b->valid && (type == PQ_INT32 || type == PQ_INT64)) {
        pq_block_integers(b, type, from, n, g->values + to * width);
        for (uint32_t i = to; i < to + n; i++) {
            g->rep[i] = 0;
            g->def[i] = leaf->max_def;
        }
        return PQ_OK;
    }
    for (; n > 0; n--, from++, to++) {
        void *value = g->values + to * width;
        bool is_valid = !b->valid || pq_bit(b->valid, from);

        g->rep[to] = b->has_levels ? (uint16_t)pq_narrow_at(&b->rep, from) : 0;
        g->def[to] = b->has_levels ? (uint16_t)pq_narrow_at(&b->def, from)
                     : is_valid    ? leaf->max_def : 0;
        if (is_valid) {
            PQ_TRY(pq_block_value(b, type, from, value, &g->texts, e));
        } else {
            memset(value, 0, width);
            pq_bit_clear(g->valid, to);
            *nulls = true;
        }
    }
    return PQ_OK;
}

static uint32_t first_slot(const PqBlock *b, uint32_t row)
{
    return (uint32_t)pq_narrow_at(&b->starts, row);
}

/* Computes where the slots of each row begin, in the order asked for.  One more
** number says where the last row ends. */
static PqRc lay_out(Walk w, PqGather *g, PqErr *e)
{
    uint32_t n = w.s->batch.n_rows;
    uint64_t at = 0;
    bool more;

    PQ_TRY(PQ_ROOM(w.s->mem, g->starts, n + 1u, g->starts_room, e));
    for (;;) {
        PQ_TRY(walk(&w, &more, e));
        if (!more) {
            break;
        }
        g->starts[w.place] = first_slot(w.block, w.row + 1) -
                             first_slot(w.block, w.row);
    }
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t slots = i < n ? g->starts[i] : 0;

        g->starts[i] = (uint32_t)at;
        at += slots;
        if (at > UINT32_MAX - 64) {
            return pq_fail(e, PQ_BUDGET, "more than %u values in one batch",
                           UINT32_MAX - 64);
        }
    }
    return PQ_OK;
}

static void fill_vector(const PqScan *s, const PqScanLeaf *l,
                        const PqLeaf *leaf, uint32_t n_slots, bool nulls,
                        bool levels, PqVector *out)
{
    const PqGather *g = l->gather;

    *out = (PqVector){.leaf = leaf, .n_rows = s->batch.n_rows,
                      .n_slots = n_slots, .values = g->values};
    out->rep = leaf->max_rep > 0 ? g->rep : NULL;
    if (leaf->max_def > 0) {
        out->valid = nulls ? g->valid : NULL;
        out->def = levels ? g->def : NULL;
    }
}

static PqRc copy_ahead(Ahead *a, PqErr *e)
{
    for (uint32_t i = 0; i < a->n; i++) {
        PQ_TRY(copy_slots(a->to, a->leaf, a->v[i].block, a->v[i].row,
                          a->v[i].place, 1, &a->nulls, e));
    }
    a->n = 0;
    return PQ_OK;
}

/* A block without numbers has no address, and what is prefetched need not exist. */
static void fetch(const PqBlock *b, uint32_t row)
{
    __builtin_prefetch((const void *)((uintptr_t)b->numbers.at +
                                      (size_t)row * b->numbers.width));
    if (b->valid) {
        __builtin_prefetch(b->valid + (row >> 6));
    }
}

/* Rows from the current one on that lie side by side in its block, and were asked for
** side by side.  ORDER BY picks many such where the file has nearly that order. */
static uint32_t run_length(const Walk *w)
{
    const int64_t *next = w->s->pick->sorted + w->i, next_row = (1 << PLACE_BITS) + 1;
    uint32_t most = w->s->batch.n_rows - w->i + 1, n = 1;

    if (w->keep) {
        return 1;
    }
    most = most < w->block->n_rows - w->row ? most : w->block->n_rows - w->row;
    if (most > w->s->batch.n_rows - w->place) {
        most = w->s->batch.n_rows - w->place;    /* a place must not become a row */
    }
    while (n < most && next[n - 1] - next[-1] == n * next_row) {
        n++;
    }
    return n;
}

/* A slot for each row. */
static PqRc gather_flat(Walk *w, Ahead *a, PqErr *e)
{
    bool more;

    w->ahead = a;
    for (;;) {
        uint32_t run;

        PQ_TRY(walk(w, &more, e));
        if (!more) {
            return copy_ahead(a, e);
        }
        run = run_length(w);
        if (run >= LONG_RUN) {
            PQ_TRY(copy_slots(a->to, a->leaf, w->block, w->row, w->place, run,
                              &a->nulls, e));
            w->i += run - 1;
            continue;
        }
        fetch(w->block, w->row);
        a->v[a->n++] = (Spot){w->block, w->row, w->place};
        if (a->n == MOST_AHEAD) {
            PQ_TRY(copy_ahead(a, e));
        }
    }
}

static PqRc gather_lists(Walk *w, PqGather *g, const PqLeaf *of, bool *nulls,
                         PqErr *e)
{
    const uint32_t *starts = g->starts;
    bool more;

    for (;;) {
        PQ_TRY(walk(w, &more, e));
        if (!more) {
            return PQ_OK;
        }
        PQ_TRY(copy_slots(g, of, w->block, first_slot(w->block, w->row),
                          starts[w->place],
                          starts[w->place + 1] - starts[w->place], nulls, e));
    }
}

/* Rows that the filters have dropped are not gathered if they can be zeros
** instead: reading zeros never fails. */
static bool can_leave_out(const PqLeaf *leaf)
{
    return leaf->max_rep == 0 && !leaf->node->parent &&
           pq_physical_width(leaf->type.physical) <= sizeof(int64_t);
}

static void leave_out(PqGather *g, size_t width, uint32_t n)
{
    memset(g->values, 0, n * width);
    memset(g->def, 0, n * sizeof *g->def);
    memset(g->rep, 0, n * sizeof *g->rep);
}

PqRc pq_scan_gather(PqScan *s, uint32_t leaf, PqErr *e)
{
    const PqLeaf *of = &s->footer->schema.leaves[leaf];
    size_t width = pq_physical_width(of->type.physical);
    PqScanLeaf *l = &s->leaves[leaf];
    Walk w = {.s = s, .leaf = leaf};
    uint32_t n_slots = s->batch.n_rows;
    bool levels = l->levels || of->node->parent != NULL;
    Ahead a = {.leaf = of};

    PQ_TRY(need_sorted(s, e));
    if (PQ_UNLIKELY(l->wanted && s->pick->announced != s->batch_serial)) {
        s->pick->announced = s->batch_serial;
        pq_scan_announce_picks(s);
    }
    PQ_TRY(need_gather(s, l, e));
    a.to = l->gather;
    if (of->max_rep > 0) {
        levels = true;
        PQ_TRY(lay_out(w, l->gather, e));
        n_slots = l->gather->starts[n_slots];
    }
    PQ_TRY(room_for_slots(l->gather, s->mem, width, n_slots, e));
    if (s->batch.keep && n_slots > 0 && can_leave_out(of)) {
        leave_out(l->gather, width, n_slots);
        w.keep = s->batch.keep;
    }
    PQ_TRY(of->max_rep > 0 ? gather_lists(&w, l->gather, of, &a.nulls, e)
                           : gather_flat(&w, &a, e));
    fill_vector(s, l, of, n_slots, a.nulls, levels, &l->vector);
    return PQ_OK;
}
