/*
** join_index.c - builds the tables of a join key and looks keys up in them.
**
** The hard part is the memory.  The tables of row groups stay within a limit:
** a hand goes round and drops tables that were not used since it last passed.
** Picked rows get the memory that the tables leave (lookup.c).  A table that
** would take too much is refused, and the caller scans for its keys.
**
** The other question is when to build.  An index costs as much as reading the
** column.  So the scans for keys, and the rows that they read, are counted
** (scanned).
**
** In a scan that unnests, elements have the keys, and rows are picked:
**
**   elements   0 1 2 | 3 | 4 5         starts   0: row 0, 3: row 2, 4: row 7
**   key 'b'      1          5          found    rows 0 and 7
**
** The filters then find the elements with the key among all of these rows.
*/
#include "core/scan/unnest_inside.h"

enum {
    MOST_PARTS = 1 << 20,
    ROWS_PER_KEY = 1 << 16,          /* that might be read instead of a scan */
                                     /* that looks at a page index          */
    ROWS_PER_SCAN = 2000,            /* that might be read instead of asking
                                     ** the proofs about every row group    */
    BYTES_PER_ROW = 12,              /* of a table that is being built      */
    LONG_LIST = 1 << 16,             /* elements: its row is never picked   */
    AT_ONCE = 4 * PQ_BATCH_ROWS      /* elements that are picked at once    */
};

void pq_join_index_free(PqJoinIndex *x)
{
    for (PqJoinIndex *next; x; x = next) {
        next = x->next;
        for (uint32_t i = 0; i < x->n_parts; i++) {
            pq_join_table_free(x->parts[i].table);
        }
        pq_join_table_free(x->table);
        pq_mem_free(x->parts);
        pq_mem_free(x->bounds);
        pq_mem_free(x->starts);
        pq_mem_free(x->without);
        pq_mem_free(x);
    }
}

uint32_t pq_join_index_at_once(const PqJoinIndex *x)
{
    return !x->elements            ? PQ_BATCH_ROWS
           : x->longest >= AT_ONCE ? 1 : AT_ONCE / x->longest;
}

bool pq_join_index_is_exact(const PqJoinIndex *x)
{
    return !x->spec.hash && !x->elements &&
           (x->whole ? !x->table->folded : !x->inexact);
}

static void set_bytes(PqJoinIndex *x, size_t n)
{
    x->lookup->indexed += n - x->bytes;
    x->bytes = n;
    pq_lookup_count(x->lookup);
}

/* ---- which one ------------------------------------------------------------ */

bool pq_join_index_has_files(const PqJoinIndex *x, const PqScan *s,
                             PqSkipFile skip, void *arg)
{
    const PqListing *l = s->listing;

    for (uint32_t i = 0; x->without && i < l->n_files; i++) {
        if (x->without[i] && !skip(arg, &l->files[i])) {
            return false;
        }
    }
    return true;
}

bool pq_join_index_is_there(const PqScan *s, uint32_t column)
{
    const PqJoinIndex *x = s->lookup->indexes;

    while (x && (x->spec.column != column || !x->ready)) {
        x = x->next;
    }
    return x != NULL;
}

/* Notes which files the index is to have. */
static PqRc choose_files(PqJoinIndex *x, const PqListing *l, PqSkipFile skip,
                         void *arg, PqErr *e)
{
    PQ_TRY(PQ_NEW(x->mem, x->without, l->n_files, e));
    for (uint32_t i = 0; i < l->n_files; i++) {
        x->without[i] = skip(arg, &l->files[i]);
        x->n_without += x->without[i];
    }
    if (x->n_without == 0) {
        pq_mem_free(x->without);
        x->without = NULL;
    }
    return PQ_OK;
}

PqRc pq_join_index_of(PqScan *s, const PqJoinSpec *spec, PqSkipFile skip,
                      void *arg, PqJoinIndex **out, PqErr *e)
{
    PqLookup *l = s->lookup;
    PqJoinIndex *x;
    bool second = false;

    *out = NULL;
    if (!l->keys_version) {
        l->keys_version = pq_key_ring_version(s->table->engine->keys);
    }
    for (x = l->indexes; x; x = x->next) {
        if (x->spec.column == spec->column) {
            second = true;
            if (pq_join_index_has_files(x, s, skip, arg) &&
                (!*out || x->ready)) {
                *out = x;
            }
        }
    }
    if (*out) {
        return PQ_OK;
    }
    PQ_TRY(PQ_NEW(l->mem, x, 1, e));
    *x = (PqJoinIndex){.lookup = l, .mem = l->mem, .spec = *spec,
                       .second = second, .elements = s->unnest != NULL};
    if (!second && choose_files(x, s->listing, skip, arg, e) != PQ_OK) {
        pq_join_index_free(x);
        return e->rc;
    }
    x->next = l->indexes;
    l->indexes = x;
    *out = x;
    return PQ_OK;
}

/* ---- row groups ---------------------------------------------------------- */

static PqRc list_group(PqJoinIndex *x, const PqScan *s, const PqLeaf *leaf,
                       uint32_t group, PqArena *a, PqErr *e)
{
    const PqFooter *f = s->footer;
    const PqGroup *g = &f->groups[group];
    PqColumnChunk chunk;
    PqJoinBounds *at;
    PqBounds b;
    PqJoinPart *p;

    PQ_TRY(pq_footer_chunk(f, group, leaf->index, a, &chunk, e));
    b = pq_stats_chunk(f, leaf->index, &chunk.meta_data);
    if (g->num_rows == 0 || b.all_null) {
        return PQ_OK;
    }
    PQ_TRY(PQ_GROW(x->mem, x->parts, x->n_parts, x->part_room, e));
    PQ_TRY(PQ_GROW(x->mem, x->bounds, x->n_parts, x->bounds_room, e));
    at = &x->bounds[x->n_parts];
    *at = (PqJoinBounds){.min = INT64_MIN, .max = INT64_MAX, .of = x->n_parts};
    p = &x->parts[x->n_parts++];
    *p = (PqJoinPart){.rowid = (s->file << PQ_ROWID_SHIFT) + g->first_row,
                      .group = group, .n_rows = (uint32_t)g->num_rows,
                      .paged = PQ_HAS(&chunk, PQ_CHUNK_COLUMN_INDEX_OFFSET)};
    p->refused = g->num_rows >= UINT32_MAX;
    if (b.has_min) {
        at->min = pq_join_integer(&leaf->type, b.min.p);
    }
    if (b.has_max) {
        at->max = pq_join_integer(&leaf->type, b.max.p);
    }
    /* The keys of UINT64s from 2^63 on are negative. */
    if (pq_type_is_u64(&leaf->type) && !(b.has_min && b.has_max && at->min <= at->max)) {
        at->min = INT64_MIN;
        at->max = INT64_MAX;
    }
    return PQ_OK;
}

/* *can false: the column has a type in this file that cannot be compared, or
** there are too many row groups.  A path that is computed has no bounds: then
** there is one table for all rows. */
static PqRc list_file(PqJoinIndex *x, PqScan *s, uint32_t file, bool *can,
                      PqErr *e)
{
    PqWhere outer = e->where;
    const PqNode *node;
    PqArena a;
    uint32_t i;
    PqRc rc = PQ_OK;

    if (s->file != file) {
        PQ_TRY(pq_scan_open_file(s, file, e));
    }
    e->where.file = s->listing->files[file].path;
    node = pq_scan_node(s, x->spec.column);
    *can = !node || pq_join_is_comparable(s, node, x->spec.type);
    x->whole = node && node->kind == PQ_NODE_PATH;
    pq_arena_init(&a, s->mem);
    if (x->whole) {
        node = NULL;
    }
    for (i = 0; node && *can && rc == PQ_OK && i < s->footer->n_groups; i++) {
        pq_arena_reset(&a);
        rc = list_group(x, s, &s->footer->schema.leaves[node->leaf], i, &a, e);
        *can = x->n_parts < MOST_PARTS;
    }
    pq_arena_free(&a);
    e->where = outer;
    return rc;
}

/* Looks at the bounds, and whether an index is possible. */
static PqRc list_parts(PqJoinIndex *x, PqScan *s, PqErr *e)
{
    const PqListing *l = s->listing;
    bool can = true;

    x->n_parts = 0;
    x->whole = x->spec.hash || !x->spec.bounds || x->elements || pq_listing_has_deletes(l);
    for (uint32_t i = 0; i < l->n_files && can && !x->whole; i++) {
        PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
        if (!x->without || !x->without[i]) {
            PQ_TRY(list_file(x, s, i, &can, e));
        }
    }
    x->whole = x->whole || x->n_parts >= MOST_PARTS ||
               !pq_join_bounds_sort(x->bounds, x->n_parts, 1);
    x->refused = !can;
    x->listed = true;
    return PQ_OK;
}

/* ---- tables of row groups ------------------------------------------------ */

static size_t room_of(const PqJoinIndex *x)
{
    return pq_lookup_index_room(x->lookup, x->bytes);
}

/* Drops tables of x that were not used lately until the index `to` has room for
** n more bytes. */
static void drop_tables(PqJoinIndex *x, const PqJoinIndex *to, size_t n)
{
    uint32_t turns = 0;

    while (!x->whole && x->bytes > 0 && to->bytes + n > room_of(to) &&
           turns++ < 2 * x->n_parts) {
        PqJoinPart *p = &x->parts[x->hand++ % x->n_parts];

        if (p->table && !p->used) {
            set_bytes(x, x->bytes - p->table->bytes);
            pq_join_table_free(p->table);
            p->table = NULL;
            p->wanted = 0;
        }
        p->used = false;
    }
}

/* ... tables of this index first, then of others. */
static void make_room(PqJoinIndex *x, size_t n)
{
    drop_tables(x, x, n);
    for (PqJoinIndex *y = x->lookup->indexes; y; y = y->next) {
        if (y != x) {
            drop_tables(y, x, n);
        }
    }
}

static PqRc fill_table(PqJoinIndex *x, PqScan *s, const PqJoinPart *p,
                       PqJoinTable *t, PqErr *e)
{
    uint32_t file = (uint32_t)(p->rowid >> PQ_ROWID_SHIFT), leaf, row = 0, n;
    PqVector v;

    if (s->file != file) {
        PQ_TRY(pq_scan_open_file(s, file, e));
    }
    PQ_TRY(pq_scan_check_file(s, e));
    leaf = (uint32_t)pq_scan_node(s, x->spec.column)->leaf;
    e->where.file = s->listing->files[file].path;
    s->leaves[leaf].batch = 0;
    PQ_TRY(pq_scan_enter_leaf(s, leaf, p->group, e));
    for (; row < p->n_rows && !t->too_large; row += n) {
        n = p->n_rows - row < PQ_BATCH_ROWS ? p->n_rows - row : PQ_BATCH_ROWS;
        PQ_TRY(pq_leaf_read(s->leaves[leaf].reader, row, n, &v, e));
        PQ_TRY(pq_join_add(&x->spec, t, &v, e));
    }
    s->stats.rows += p->n_rows;
    return pq_join_table_end(t, e);
}

static PqRc try_table(PqJoinIndex *x, PqScan *s, const PqJoinPart *p,
                      PqJoinTable **out, PqErr *e)
{
    size_t room = (size_t)p->n_rows * BYTES_PER_ROW;

    make_room(x, room);
    PQ_TRY(pq_lookup_share(x->lookup, room, e));
    PQ_TRY(pq_join_table_new(&s->ctx, x->mem, room_of(x), out, e));
    return fill_table(x, s, p, *out, e);
}

static PqRc make_table(PqJoinIndex *x, PqScan *s, PqJoinPart *p, PqErr *e)
{
    PqWhere outer = e->where;
    PqJoinTable *t = NULL;
    PqRc rc;

    PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
    rc = try_table(x, s, p, &t, e);
    p->refused = rc == PQ_BUDGET ||
                 (rc == PQ_OK && t->too_large);
    if (rc != PQ_OK || p->refused) {
        pq_join_table_free(t);
    } else {
        p->table = t;
        set_bytes(x, x->bytes + t->bytes);
        x->inexact |= t->folded;
    }
    if (rc == PQ_BUDGET) {           /* the index is optional */
        pq_err_clear(e);
        rc = PQ_OK;
    }
    PQ_TRY(rc);
    e->where = outer;
    return pq_lookup_share(x->lookup, 0, e);
}

/* Does the part have a table, or is it time to build one?  If a page index lets
** scans skip rows, a table pays once they have read as many rows as the part
** has. */
static bool is_due(const PqJoinIndex *x, PqJoinPart *p)
{
    uint64_t per_key = x->ended > 0 ? x->scanned / x->ended : 0;

    if (p->table) {
        return true;
    }
    per_key = per_key > ROWS_PER_KEY ? per_key : ROWS_PER_KEY;
    p->wanted += p->wanted < p->n_rows;
    return !p->refused && (!p->paged || p->wanted * per_key >= p->n_rows);
}

/* ---- one table for all rows ---------------------------------------------- */

/* Notes a batch that does not follow the one before: it is of another file, or deleted
** rows lie between them. */
static PqRc begin_run(PqJoinIndex *x, const PqBatch *b, uint32_t row, bool *can, PqErr *e)
{
    const PqJoinStart *last = x->n_starts > 0 ? &x->starts[x->n_starts - 1] : NULL;

    if (last && last->rowid + (row - last->first) == b->rowid) {
        return PQ_OK;
    }
    PQ_TRY(PQ_GROW(x->mem, x->starts, x->n_starts, x->start_room, e));
    x->starts[x->n_starts++] = (PqJoinStart){row, b->rowid};
    *can = x->n_starts * sizeof *x->starts <= room_of(x) / 2;
    return PQ_OK;
}

/* Notes in which rows the elements of the batch lie.  *can false: a list is too
** long to be picked, or there are too many rows. */
static PqRc begin_rows(PqJoinIndex *x, PqScan *s, uint32_t first, bool *can,
                       PqErr *e)
{
    const PqBatch *b = pq_scan_batch(s);

    for (uint32_t i = 0; i < b->n_rows; i++) {
        int64_t rowid = ((int64_t)b->file << PQ_ROWID_SHIFT) +
                        pq_scan_row_in_file(s, i);
        const PqJoinStart *last = x->n_starts > 0 ? &x->starts[x->n_starts - 1]
                                                  : NULL;

        if (last && last->rowid == rowid) {
            uint32_t length = first + i - last->first + 1;

            x->longest = length > x->longest ? length : x->longest;
            continue;
        }
        PQ_TRY(PQ_GROW(x->mem, x->starts, x->n_starts, x->start_room, e));
        x->starts[x->n_starts++] = (PqJoinStart){first + i, rowid};
    }
    *can = x->longest <= LONG_LIST &&
           x->n_starts * sizeof *x->starts <= room_of(x) / 2;
    return PQ_OK;
}

/* *can false: the file's type cannot be compared with the key's. */
static PqRc add_batch(PqJoinIndex *x, PqScan *s, uint32_t *row, bool *can,
                      PqErr *e)
{
    static const uint64_t none[PQ_BATCH_ROWS / 64];
    static const int64_t nothing[PQ_BATCH_ROWS];
    const PqBatch *b = pq_scan_batch(s);
    const PqNode *node = pq_scan_node(s, x->spec.column);
    const PqVector *v;

    PQ_TRY(x->elements ? begin_rows(x, s, *row, can, e)
                       : begin_run(x, b, *row, can, e));
    *row += b->n_rows;
    if (!*can) {
        return PQ_OK;
    }
    if (!node) {
        return pq_join_table_add(x->table, nothing, none, b->n_rows, e);
    }
    *can = pq_join_is_comparable(s, node, x->spec.type);
    if (!*can) {
        return PQ_OK;
    }
    PQ_TRY(pq_scan_vector(s, (uint32_t)node->leaf, &v, e));
    return pq_join_add(&x->spec, x->table, v, e);
}

static bool is_left_out(void *arg, const PqListedFile *file)
{
    const PqScan *s = ((const PqJoinIndex *)arg)->reader;

    return ((const PqJoinIndex *)arg)->without[file - s->listing->files];
}

static PqRc read_whole(PqJoinIndex *x, PqScan *s, bool *can, PqErr *e)
{
    bool more = true;
    uint32_t row = 0;

    x->reader = s;
    x->n_starts = 0;
    x->longest = 1;
    PQ_TRY(pq_scan_start(s, NULL, 0, x->without ? is_left_out : NULL, x, e));
    while (more && *can && !x->table->too_large) {
        PQ_TRY(pq_scan_next(s, &more, e));
        if (more) {
            PQ_TRY(add_batch(x, s, &row, can, e));
        }
    }
    return *can ? pq_join_table_end(x->table, e) : PQ_OK;
}

static PqRc make_whole(PqJoinIndex *x, PqScan *s, PqErr *e)
{
    double most = (double)x->lookup->memory / 2;
    double room = x->spec.n_keys * BYTES_PER_ROW;
    bool can = true;
    PqRc rc;

    make_room(x, (size_t)(room < most ? room : most));
    PQ_TRY(pq_lookup_share(x->lookup, (size_t)(room < most ? room : most), e));
    PQ_TRY(pq_join_table_new(&s->ctx, x->mem,
                             room_of(x) / (x->elements ? 2 : 1), &x->table, e));
    rc = read_whole(x, s, &can, e);
    x->ready = rc == PQ_OK && can && !x->table->too_large;
    x->refused = !x->ready && (rc == PQ_OK || rc == PQ_BUDGET);
    if (!x->ready) {
        pq_join_table_free(x->table);
        x->table = NULL;
        pq_mem_free(x->starts);
        x->starts = NULL;
        x->n_starts = x->start_room = 0;
    }
    if (rc == PQ_BUDGET) {           /* the index is optional */
        pq_err_clear(e);
        pq_where_reset(e);
        return PQ_OK;
    }
    PQ_TRY(rc);
    set_bytes(x, x->ready ? x->table->bytes +
                                x->start_room * sizeof *x->starts : 0);
    return pq_lookup_share(x->lookup, 0, e);
}

/* Have scans for keys so far cost as much as reading the column?  Running scans
** count as if they read all of it. */
static bool is_paid(const PqJoinIndex *x)
{
    return x->scans > x->ended ||
           (double)x->scanned + (double)x->scans * ROWS_PER_SCAN >=
               x->spec.n_rows;
}

PqRc pq_join_index_make(PqJoinIndex *x, PqScan *s, PqErr *e)
{
    if (x->ready || x->refused || (x->second && !is_paid(x))) {
        return PQ_OK;
    }
    if (!x->listed) {
        PQ_TRY(list_parts(x, s, e));
        x->ready = !x->whole && !x->refused;
    }
    return x->whole && !x->refused && is_paid(x) ? make_whole(x, s, e) : PQ_OK;
}

/* ---- finding ------------------------------------------------------------- */

typedef struct Finding {
    const PqJoinIndex *x;
    PqJoinRows *rows;
    uint32_t   most;
    int64_t    rowid;                /* of the first row of the part        */
    PqErr     *e;
} Finding;

static int64_t rowid_of(const PqJoinIndex *x, uint32_t row)
{
    uint32_t low = 0, high = x->n_starts;

    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        *(x->starts[mid].first <= row ? &low : &high) = mid;
    }
    return x->starts[low].rowid +
           (x->elements ? 0 : row - x->starts[low].first);
}

static bool hit(void *arg, uint32_t row)
{
    Finding *f = arg;
    PqJoinRows *r = f->rows;
    int64_t rowid = f->x->whole ? rowid_of(f->x, row) : f->rowid + row;

    if (r->n > 0 && r->rowid[r->n - 1] == rowid) {
        return true;                 /* another element of the row */
    }
    if (PQ_GROW(r->mem, r->rowid, r->n, r->room, f->e) != PQ_OK) {
        return false;
    }
    r->rowid[r->n++] = rowid;
    return r->n <= f->most;
}

/* A scan for a key searches all parts.  So tables are built once that is due in
** all of them, and each part counts the key. */
static PqRc find_in_parts(PqJoinIndex *x, PqScan *s, int64_t key, Finding *f,
                          bool *known, PqErr *e)
{
    const PqJoinBounds *b = x->bounds;
    uint32_t n = x->n_parts, last = pq_join_bounds_last(b, n, key), i;
    uint64_t steps = 0;

    for (i = last; pq_join_bounds_next(b, n, key, &i, &steps); i--) {
        *known &= is_due(x, &x->parts[b[i].of]);
    }
    for (i = last; *known && pq_join_bounds_next(b, n, key, &i, &steps); i--) {
        PqJoinPart *p = &x->parts[b[i].of];

        if (!p->table) {
            PQ_TRY(make_table(x, s, p, e));
        }
        p->used = true;
        *known = p->table != NULL;
        if (p->table) {
            f->rowid = p->rowid;
            pq_join_table_find(p->table, key, hit, f);
        }
    }
    return e->rc;
}

PqRc pq_join_index_find(PqJoinIndex *x, PqScan *s, int64_t key, uint32_t most,
                        PqJoinRows *rows, bool *known, PqErr *e)
{
    Finding f = {x, rows, most, 0, e};

    *known = s->by_key = true;
    if (!x->whole) {
        return find_in_parts(x, s, key, &f, known, e);
    }
    if (rows->n <= most) {
        pq_join_table_find(x->table, key, hit, &f);
    }
    return e->rc;
}
