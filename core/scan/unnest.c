/*
** unnest.c - the walk over the elements of a scan.
**
** The walk makes a batch of rows as usual (scan.c).  While it has rows left,
** the guide is read for some of them, until there are enough elements: a run.
** So lists may have any length.  A run is handed out in batches of elements.
**
** The hard part is to read only wanted leaves.  As soon as the consumer asks
** for a leaf, that leaf becomes the guide, so that no other is read.  Until
** then its values are passed, and only its levels are read.
**
** Picked rows (scan_pick.c) are one run: their leaves are gathered as they are.
*/
#include "core/scan/unnest_inside.h"

/* How many elements a run has, or a few more. */
enum { RUN_ELEMENTS = 4 * PQ_BATCH_ROWS };

PqRc pq_unnest_new(PqScan *s, PqErr *e)
{
    const PqTable *t = s->table;
    PqElements *u;

    if (t->unnest.n == 0) {
        return PQ_OK;
    }
    if (t->unnest.n > PQ_UNNEST_LEVELS) {
        return pq_fail(e, PQ_UNSUPPORTED, "a path through %u lists; at most %d",
                       t->unnest.n, PQ_UNNEST_LEVELS);
    }
    PQ_TRY(PQ_NEW(s->mem, u, 1, e));
    s->unnest = u;
    u->n_levels = t->unnest.n;
    u->outer = t->unnest.outer;
    u->shape.element_def = u->element_def;
    PQ_TRY(PQ_NEW(s->mem, u->lists, u->n_levels, e));
    return PQ_NEW(s->mem, u->paths, t->n_columns, e);
}

void pq_unnest_free(PqScan *s)
{
    PqElements *u = s->unnest;

    if (!u) {
        return;
    }
    pq_unnest_free_leaves(u, s->table->n_columns);
    for (uint32_t i = 0; i < PQ_UNNEST_LEVELS; i++) {
        pq_mem_free(u->entries[i].v);
        pq_mem_free(u->of_row[i].v);
        pq_mem_free(u->ordinals[i].v);
    }
    pq_mem_free(u->positions.v);
    pq_shape_free(&u->shape);
    pq_mem_free(u->lists);
    pq_mem_free(u);
    s->unnest = NULL;
}

void pq_unnest_restart(PqScan *s)
{
    PqElements *u = s->unnest;

    if (u) {
        u->inside = false;
        u->at = u->shape.n_elements = 0;
        u->next_row = u->end_row = 0;
    }
}

/* ---- files --------------------------------------------------------------- */

/* Can the leaf be read?  The key of an encrypted leaf may not be at hand. */
static bool is_open(const PqScan *s, const PqLeaf *leaf)
{
    const PqFileLocks *l = s->footer->locks;

    return !l || leaf->column >= l->n_leaves || !l->of_leaf[leaf->column] ||
           l->of_leaf[leaf->column]->key;
}

static bool is_better(const PqScan *s, const PqLeaf *a, const PqLeaf *b)
{
    size_t of_a = pq_physical_width(a->type.physical);
    size_t of_b = pq_physical_width(b->type.physical);

    if (is_open(s, a) != is_open(s, b)) {
        return is_open(s, a);
    }
    return a->max_rep != b->max_rep ? a->max_rep < b->max_rep : of_a < of_b;
}

/* Are the slots of the leaf the units? */
static bool has_units(const PqElements *u, const PqNode *leaf)
{
    return u->shape.depth > 0 && leaf->rep == u->shape.depth &&
           pq_unnest_level(u, leaf) == u->shape.depth;
}

PqLeafForm pq_unnest_form(const PqElements *u, const PqNode *leaf)
{
    return has_units(u, leaf) && !u->outer && !u->rows.keep ? PQ_LEAF_PACKED
                                                            : PQ_LEAF_SPACED;
}

static bool can_guide(const PqScan *s, const PqNode *node)
{
    return node && node->kind == PQ_NODE_LEAF &&
           has_units(s->unnest, node);
}

static bool is_expected(const PqElements *u, uint32_t column)
{
    for (uint32_t i = 0; i < u->n_expected; i++) {
        if (u->expected[i] == column) {
            return true;
        }
    }
    return false;
}

void pq_scan_expect(PqScan *s, uint32_t column)
{
    PqElements *u = s->unnest;

    if (u && u->n_expected < PQ_UNNEST_EXPECTED && !is_expected(u, column)) {
        u->expected[u->n_expected++] = column;
    }
}

/* A column's leaf becomes the guide, if it can. */
static bool let_guide(PqScan *s, uint32_t column)
{
    PqElements *u = s->unnest;
    const PqNode *node = pq_scan_node(s, column);

    if (!can_guide(s, node) ||
        !is_open(s, &s->footer->schema.leaves[node->leaf])) {
        return false;
    }
    u->guide = (uint32_t)node->leaf;
    u->next_values = is_expected(u, column);
    return true;
}

/* The first guess in a file: a leaf of a condition, or a leaf whose values will
** probably be asked for, or else the leaf that is cheapest to read.  A leaf
** that was asked for in the previous file goes first (enter_file).  If values
** of a leaf are not expected, only its levels are read; if they are asked for
** later, its first pages are read twice. */
static void choose_guide(PqScan *s)
{
    PqElements *u = s->unnest;
    const PqNode *list = u->lists[u->shape.depth - 1];
    const PqLeaf *leaves = s->footer->schema.leaves;
    bool chosen = false;

    for (uint32_t i = 0; i < s->n_proofs && !chosen; i++) {
        chosen = let_guide(s, s->proofs[i]->column[0]);
    }
    for (uint32_t i = 0; i < u->n_expected && !chosen; i++) {
        chosen = let_guide(s, u->expected[i]);
    }
    if (!chosen) {
        u->guide = list->first_leaf;
        u->next_values = false;
        for (uint32_t i = 1; i < list->n_leaves; i++) {
            if (is_better(s, &leaves[list->first_leaf + i], &leaves[u->guide])) {
                u->guide = list->first_leaf + i;
            }
        }
    }
    u->next_guide = u->guide;
}

static PqRc enter_file(PqScan *s, PqErr *e)
{
    PqElements *u = s->unnest;
    uint32_t depth = 0;

    if (u->file == s->file_serial) {
        return PQ_OK;
    }
    PQ_TRY(pq_table_lists(s->table, s->footer, pq_scan_path(s), u->lists, e));
    for (; depth < u->n_levels && u->lists[depth]; depth++) {
        u->element_def[depth] = u->lists[depth]->repeated_def;
    }
    u->shape.depth = depth;
    u->file = s->file_serial;
    if (depth == 0) {
        return PQ_OK;
    }
    if (!u->next_values || u->next_guide >= s->footer->schema.n_leaves ||
        !can_guide(s, s->footer->schema.leaves[u->next_guide].node) ||
        !is_open(s, &s->footer->schema.leaves[u->next_guide])) {
        choose_guide(s);
    }
    return PQ_OK;
}

/* ---- runs ---------------------------------------------------------------- */

/* Asks the filters of rows about the batch that the walk has made. */
static PqRc enter_rows(PqScan *s, PqErr *e)
{
    PqElements *u = s->unnest;
    uint32_t n;

    PQ_TRY(enter_file(s, e));
    u->next_row = u->end_row = 0;
    if (u->shape.depth < u->n_levels && !u->outer) {
        s->at = (s->file + 1) << PQ_ROWID_SHIFT;     /* the file has no list */
        return PQ_OK;
    }
    PQ_TRY(pq_scan_filter(s, e));
    u->rows = s->batch;
    u->end_row = s->batch.n_kept > 0 ? s->batch.n_rows : 0;
    if (s->batch.n_kept == s->batch.n_rows) {
        u->rows.keep = NULL;
        u->rows.kept = NULL;
    } else if (u->end_row > 0) {
        n = (u->end_row + 63) / 64;
        memcpy(u->keep, s->batch.keep, n * sizeof *u->keep);
        u->rows.keep = u->keep;
        u->rows.kept = NULL;         /* is used again */
        u->next_row = s->batch.kept[0];
        u->end_row = s->batch.kept[s->batch.n_kept - 1] + 1;
    }
    return PQ_OK;
}

static PqRc read_guide(PqScan *s, PqErr *e)
{
    PqElements *u = s->unnest;
    PqScanLeaf *l = &s->leaves[u->guide];
    PqWhere outer = e->where;
    const PqNode *node = s->footer->schema.leaves[u->guide].node;
    PqLeafForm form = u->guide_values ? pq_unnest_form(u, node) : PQ_LEAF_LEVELS;
    uint32_t rows = u->end_row - u->first_row;
    const PqVector *picked;

    l->batch = 0;
    if (u->rows.rowids) {
        u->guide_values = true;
        PQ_TRY(pq_scan_vector(s, u->guide, &picked, e));
    } else {
        e->where.file = pq_scan_path(s);
        PQ_TRY(pq_scan_enter_leaf(s, u->guide, u->rows.group, e));
        l->reader->reads_all = !u->rows.keep;
        PQ_TRY(pq_leaf_read_upto(l->reader, u->rows.group_row + u->first_row,
                                 rows, RUN_ELEMENTS, form,
                                 &l->vector, e));
        pq_scan_look_ahead(s, u->guide);
    }
    l->batch = 0;
    e->where.file = pq_scan_path(s);
    e->where.row_group = (int)u->rows.group;
    e->where.column = s->footer->schema.leaves[u->guide].path;
    PQ_TRY(pq_shape_make(&u->shape, s->mem, &l->vector, u->outer,
                         u->rows.keep, u->first_row, e));
    e->where = outer;
    u->n_rows = l->vector.n_rows;
    l->batch = u->guide_values ? u->run : 0;
    return PQ_OK;
}

/* The first row of the next run.  Picked rows are one run. */
static void begin_run(PqScan *s)
{
    PqElements *u = s->unnest;

    s->batch = u->rows;
    if (u->rows.rowids) {
        u->run = s->batch_serial = u->rows.serial;
        u->first_row = 0;
        u->end_row = u->rows.n_rows;
        return;
    }
    u->run = ++s->batch_serial;
    u->first_row = u->rows.keep
                       ? pq_next_bit(u->keep, u->next_row, u->end_row)
                       : u->next_row;
}

static PqRc next_run(PqScan *s, PqErr *e)
{
    PqElements *u = s->unnest;

    begin_run(s);
    if (u->shape.depth > 0) {
        u->guide = u->next_guide;
        u->guide_values = u->next_values;
        PQ_TRY(read_guide(s, e));
    } else {
        u->n_rows = u->end_row - u->first_row;
        PQ_TRY(pq_shape_rows(&u->shape, s->mem, u->n_rows, u->rows.keep,
                             u->first_row, e));
    }
    u->next_row = u->first_row + u->n_rows;
    u->at = 0;
    return PQ_U32S_ROOM(s->mem, u->entries[0], u->shape.n_units, e);
}

static PqRc make_batch(PqScan *s, PqErr *e)
{
    PqElements *u = s->unnest;
    uint32_t n = u->shape.n_elements - u->at;

    if (n > PQ_BATCH_ROWS && !(s->rows_only && s->n_filters == 0)) {
        n = PQ_BATCH_ROWS;
    }
    s->batch = (PqBatch){.serial = ++s->batch_serial,
                         .file = u->rows.file, .group = u->rows.group,
                         .group_row = u->rows.group_row + u->first_row,
                         .file_row = u->rows.file_row + u->first_row,
                         .rowid = u->rows.rowid + u->first_row, .n_rows = n};
    u->first = u->at;
    u->at += n;
    u->inside = true;
    return pq_scan_filter(s, e);
}

/* The next batch of the elements of the batch of rows. */
PqRc pq_scan_next_picked(PqScan *s, bool *more, PqErr *e)
{
    PqElements *u = s->unnest;

    for (;;) {
        PQ_TRY(pq_stop_poll(&s->ctx.stop, e));
        if (u->at < u->shape.n_elements) {
            PQ_TRY(make_batch(s, e));
            if (s->batch.n_kept > 0) {
                *more = true;
                return PQ_OK;
            }
            continue;
        }
        u->inside = false;
        if (u->next_row >= u->end_row) {
            u->shape.n_elements = u->at = 0;
            *more = false;
            return PQ_OK;
        }
        PQ_TRY(next_run(s, e));
    }
}

PqRc pq_unnest_next(PqScan *s, bool *more, PqErr *e)
{
    for (;;) {
        PQ_TRY(pq_scan_next_picked(s, more, e));
        if (*more) {
            return PQ_OK;
        }
        if (pq_scan_pauses(s)) {
            *more = true;
            return PQ_OK;
        }
        PQ_TRY(pq_scan_walk(s, more, e));
        if (!*more) {
            return PQ_OK;
        }
        PQ_TRY(enter_rows(s, e));
    }
}

PqRc pq_scan_pick_elements(PqScan *s, const int64_t *rowids, uint32_t n,
                           PqErr *e)
{
    pq_unnest_restart(s);
    PQ_TRY(pq_scan_pick(s, rowids, n, e));
    return n > 0 ? enter_rows(s, e) : PQ_OK;
}

/* ---- of an element ------------------------------------------------------- */

uint32_t pq_unnest_level(const PqElements *u, const PqNode *node)
{
    for (node = node->parent; node; node = node->parent) {
        for (uint32_t k = u->shape.depth; k > 0; k--) {
            if (u->lists[k - 1] == node) {
                return k;
            }
        }
    }
    return 0;
}

PqRc pq_unnest_entries(PqScan *s, uint32_t level, const uint32_t **out,
                       PqErr *e)
{
    PqElements *u = s->unnest;
    PqU32s *a = &u->entries[level];
    uint32_t n = u->shape.n_elements;

    if (u->entries_of[level] != u->run) {
        PQ_TRY(PQ_U32S_ROOM(s->mem, *a, n, e));
        pq_shape_entries(&u->shape, level, a->v);
        for (uint32_t i = 0; level == 0 && i < n; i++) {
            a->v[i] += u->first_row;
        }
        u->entries_of[level] = u->run;
    }
    *out = a->v;
    return PQ_OK;
}

int64_t pq_scan_row_in_file(const PqScan *s, uint32_t row)
{
    const PqBatch *b = &s->batch;
    const uint32_t *rows;
    PqErr none;

    if (s->unnest && s->unnest->inside) {
        pq_err_init(&none);          /* there is room: next_run */
        pq_unnest_entries((PqScan *)(uintptr_t)s, 0, &rows, &none);
        row = rows[s->unnest->first + row];
        b = &s->unnest->rows;
    }
    return b->rowids ? b->rowids[row] & (((int64_t)1 << PQ_ROWID_SHIFT) - 1)
                     : b->file_row + row;
}

PqRc pq_scan_ordinal(PqScan *s, uint32_t level, uint32_t row, int64_t *out,
                     PqErr *e)
{
    PqElements *u = s->unnest;
    PqU32s *a = &u->ordinals[level];
    uint32_t v;

    if (u->ordinals_of[level] != u->run) {
        PQ_TRY(PQ_U32S_ROOM(s->mem, *a, u->shape.n_elements, e));
        pq_shape_ordinals(&u->shape, level, a->v);
        u->ordinals_of[level] = u->run;
    }
    v = a->v[u->first + row];
    *out = v == UINT32_MAX ? -1 : (int64_t)v;
    return PQ_OK;
}

enum { ROWID_BITS = 63, POSITION_BITS = 20 };

static unsigned bits_for(uint32_t n)
{
    return n > 1 ? 32 - (unsigned)__builtin_clz(n - 1) : 0;
}

static PqRc element_rowid(PqScan *s, uint32_t row, int64_t *out, PqErr *e)
{
    PqElements *u = s->unnest;
    int64_t of_row = pq_scan_row_in_file(s, row);
    unsigned file_bits = bits_for(s->listing->n_files);
    unsigned row_bits = ROWID_BITS - POSITION_BITS - file_bits;
    uint32_t position;

    if (u->positions_of != u->run) {
        PQ_TRY(PQ_U32S_ROOM(s->mem, u->positions, u->shape.n_elements, e));
        pq_shape_positions(&u->shape, u->positions.v);
        u->positions_of = u->run;
    }
    position = u->positions.v[u->first + row];
    if (position >> POSITION_BITS || of_row >> row_bits) {
        pq_fail(e, PQ_UNSUPPORTED, "element %u of row %lld has no rowid: it has "
                "%d bits for elements and %u for rows", position,
                (long long)of_row, POSITION_BITS, row_bits);
        pq_err_hint(e, "a statement without RIGHT JOIN, and without OR between "
                    "columns, does not need one");
        e->where.file = pq_scan_path(s);
        return e->rc;
    }
    *out = (int64_t)s->batch.file << (POSITION_BITS + row_bits) |
           of_row << POSITION_BITS | position;
    return PQ_OK;
}

PqRc pq_scan_rowid(PqScan *s, uint32_t row, int64_t *out, PqErr *e)
{
    if (s->unnest && s->unnest->inside) {
        return element_rowid(s, row, out, e);
    }
    *out = pq_batch_rowid(&s->batch, row);
    return PQ_OK;
}
