/*
** rollup_cursor.c - xFilter to xColumn of a rollup: groups are rows.
**
** The cursor takes a block of groups as a batch: xNext counts, and xColumn
** calls a getter, which asks for the value of a group.  Rows come in one of
** four ways:
**
**   from this call's groups   all of them, or block by block
**   from groups of many calls  (rollup_made.c) all of them, or those in a list
**   lined up by dimensions    (pq_rollup_line_up) whichever groups they are
**   in rounds                 (core/rollup/rollup_order.h) the same, where a measure is
**                             in the order, or groups have hardly a value in common
**
** xRowid gives a number that belongs to the values of the dimensions, since
** SQLite compares rowids of different calls.
*/
#include "ext/cursor/cursor.h"
#include "ext/rollup/rollup_table.h"
#include "sql/order_text.h"
#include "sql/statement_text.h"

/* A column of the cursor, whose values are values of groups. */
typedef struct GroupColumn {
    PqsqlColumn base;                /* first */
    struct PqextRollupRows *rows;
    uint32_t    number;              /* of the rollup's keys or measures    */
} GroupColumn;

typedef struct PqextRollupRows {
    PqRowSource       source;        /* of the cursor; first                */
    PqBatch           block;         /* of groups                           */
    PqextTable       *table;
    PqextRollupRun    run;
    GroupColumn      *columns;       /* of all columns                      */
    PqextMade        *made;          /* held, or NULL                       */
    PqRollup         *groups;        /* the groups that the rows are        */
    bool              whole;         /* all are in memory                   */
    uint32_t          n, *list;      /* groups of the block: the first n, or
                                     ** those in a list                     */
    uint32_t          given;         /* of these                            */
    PqRollupOrder    *order;         /* in rounds; or NULL                  */
    PqArena           lines;         /* of a block, lined up                */
    PqArena           arena;         /* of a call                           */
} PqextRollupRows;

enum {
    ROWIDS_SHARE = 2,                /* of memory                           */
    BATCH = 1,                       /* PqextCursor.batch, always           */
    PIECE = 512,                     /* groups that are fetched at once     */
    AHEAD = 16,                      /* ... and how far ahead, one by one   */
    A_CALL = 20000                   /* rows could be read in the time of a
                                     ** call                                */
};

/* ---- values -------------------------------------------------------------- */

static void get_key(sqlite3_context *ctx, const PqsqlColumn *c, uint32_t row)
{
    const GroupColumn *k = (const GroupColumn *)(const void *)c;
    const PqextRollupRows *r = k->rows;

    if (!r->list && row + AHEAD < r->n) {        /* values lie where they came first */
        __builtin_prefetch(pq_rollup_key(r->groups, k->number, row + AHEAD));
    }
    pqsql_result_cell(ctx, pq_rollup_key(r->groups, k->number, row));
}

static void get_measure(sqlite3_context *ctx, const PqsqlColumn *c,
                        uint32_t row)
{
    const GroupColumn *m = (const GroupColumn *)(const void *)c;
    PqextRollupRows *r = m->rows;
    PqCell v;
    PqErr e;

    pq_err_init(&e);                 /* PQ_NO_ERR would clear its texts, too */
    if (pqext_rollup_measure(&r->run, r->groups, m->number, row, &v, &e) !=
        PQ_OK) {
        pqsql_result_error(ctx, &e);
    } else {
        pqsql_result_cell(ctx, &v);
    }
}

/* The number counts keys and measures. */
static void get_ordered(sqlite3_context *ctx, const PqsqlColumn *c,
                        uint32_t row)
{
    const GroupColumn *v = (const GroupColumn *)(const void *)c;
    const PqCell *cell;
    PqErr e;

    pq_err_init(&e);
    if (pq_rollup_order_cell(v->rows->order, v->number, row, &cell, &e) !=
        PQ_OK) {
        pqsql_result_error(ctx, &e);
    } else {
        pqsql_result_cell(ctx, cell);
    }
}

/* All groups have it, or SQLite only compares it. */
static void get_known(sqlite3_context *ctx, const PqsqlColumn *c, uint32_t row)
{
    const GroupColumn *v = (const GroupColumn *)(const void *)c;

    pqsql_result_cell(ctx, &v->rows->run.passes[v->number]);
}

static void get_nothing(sqlite3_context *ctx, const PqsqlColumn *c, uint32_t row)
{
    sqlite3_result_error(ctx, "a column of a rollup that is not there", -1);
}

/* ---- the cursor ---------------------------------------------------------- */

static PqRc new_rows(PqextCursor *c, PqErr *e)
{
    PqextTable *t = c->s.table;
    PqextRollupRows *r = sqlite3_malloc(sizeof *r);
    size_t n = t->n_columns + (size_t)1;

    if (!r) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    memset(r, 0, sizeof *r);
    pq_arena_init(&r->arena, t->host->engine->mem);
    pq_arena_init(&r->lines, t->host->engine->mem);
    r->table = t;
    c->rollup = r;
    c->s.batch = BATCH;
    PQ_TRY(pqext_rollup_run_init(&r->run, t, e));
    r->columns = sqlite3_malloc64(n * sizeof *r->columns);
    c->s.columns = sqlite3_malloc64(n * sizeof(PqsqlColumn *));
    if (!r->columns || !c->s.columns) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    memset(r->columns, 0, n * sizeof *r->columns);
    memset(c->s.columns, 0, n * sizeof(PqsqlColumn *));
    return PQ_OK;
}

static void end_call(PqextRollupRows *r)
{
    pq_rollup_order_free(r->order);
    r->order = NULL;
    if (r->made) {
        r->made->holders--;
        r->made = NULL;
    }
    r->groups = NULL;
    r->list = NULL;
    r->n = r->given = 0;
    pq_arena_reset(&r->arena);
    pq_arena_reset(&r->lines);
}

static void free_rows(PqextCursor *c)
{
    PqextRollupRows *r = c->rollup;

    if (r) {
        sqlite3_free(c->s.columns);
        c->s.columns = NULL;
        c->source = NULL;
        c->rollup = NULL;
        end_call(r);
        pqext_rollup_run_free(&r->run);
        pq_arena_free(&r->arena);
        pq_arena_free(&r->lines);
        sqlite3_free(r->columns);
        sqlite3_free(r);
    }
}

static void set_column(PqextCursor *c, uint32_t column, uint32_t number,
                       PqsqlGet get)
{
    PqextRollupRows *r = c->rollup;

    r->columns[column] = (GroupColumn){
        .base = {.get = get, .batch = BATCH, .loaded = BATCH},
        .rows = r, .number = number};
    c->s.columns[column] = &r->columns[column].base;
}

/* Columns that the statement mentions have a value; SQLite does not use the
** others. */
static void set_columns(PqextCursor *c)
{
    PqextRollupRows *r = c->rollup;
    const PqextRollupRun *run = &r->run;
    uint32_t n = c->s.table->rollup->n_dimensions;

    for (uint32_t i = 0; i < c->s.table->n_columns; i++) {
        bool known = i < n && ((run->tested | run->known) >> i & 1);

        set_column(c, i, i, known ? get_known : get_nothing);
    }
    for (uint32_t i = 0; i < run->n_dimensions; i++) {
        set_column(c, run->dimensions[i], i, r->order ? get_ordered : get_key);
    }
    for (uint32_t i = 0; i < run->n_measures; i++) {
        set_column(c, n + run->measures[i],
                   r->order ? run->n_dimensions + i : i,
                   r->order ? get_ordered : get_measure);
    }
}

/* ---- which groups --------------------------------------------------------- */

/* The rows are the groups that the run has just made: at once, or block by block. */
static PqRc give_run(PqextRollupRows *r)
{
    uint32_t n;

    r->groups = r->run.groups;
    r->whole = pq_rollup_is_whole(r->groups, &n);
    return r->whole ? pq_rollup_next(r->groups, &r->n, &r->run.source.e)
                    : PQ_OK;
}

static PqRc run_for_call(PqextRollupRows *r, sqlite3_value **argv)
{
    uint64_t read;

    PQ_TRY(pqext_rollup_run(&r->run, argv, false, &read));
    if (r->made) {
        r->made->read += read + A_CALL;
    }
    return give_run(r);
}

/* Makes all groups, for many calls.  If memory does not hold them, nothing is
** kept; a call without keys then uses them all the same, since it wants all.
** *served: this call uses them. */
static PqRc make(PqextRollupRows *r, sqlite3_value **argv, bool *served)
{
    uint64_t read;

    PQ_TRY(pqext_rollup_run(&r->run, argv, true, &read));
    PQ_TRY(pqext_made_take(&r->run, r->made));
    *served = r->made->too_large && !pqext_made_leaves_out(&r->run.plan);
    return *served ? give_run(r) : PQ_OK;
}

static PqRc find_groups(PqextRollupRows *r, sqlite3_value **argv)
{
    bool served = false;

    PQ_TRY(pqext_made_find(&r->run, argv, &r->made));
    if (r->made) {
        r->made->holders++;
        if (!r->made->groups && pqext_made_pays(&r->run, r->made)) {
            PQ_TRY(make(r, argv, &served));
        }
    }
    if (served) {
        return PQ_OK;
    }
    if (!r->made || !r->made->groups) {
        return run_for_call(r, argv);
    }
    r->groups = r->made->groups;
    r->whole = true;
    return pqext_made_list(&r->run, r->made, argv, &r->arena, &r->list, &r->n);
}

/* ---- their order ------------------------------------------------------------ */

/* A column of the table, as the rollup counts: keys, then measures. */
static uint32_t number_of(const PqextRollupRun *r, uint32_t column)
{
    uint32_t n_dimensions = r->table->rollup->n_dimensions, i = 0;

    if (column < n_dimensions) {
        while (r->dimensions[i] != column) {
            i++;
        }
        return i;
    }
    while (r->measures[i] != column - n_dimensions) {
        i++;
    }
    return r->n_dimensions + i;
}

/* Are there groups that are equal in all keys of the order? */
static bool has_equals(const PqextRollupRun *run)
{
    uint64_t left = 0;

    for (uint32_t i = 0; i < run->n_dimensions; i++) {
        left |= (uint64_t)1 << i;
    }
    for (uint32_t i = 0; i < run->n_by; i++) {
        left &= ~((uint64_t)1 << run->by[i].number);
    }
    return left != 0;
}

/* Finds the order of the call, which run->by has. */
static void find_order(PqextRollupRun *run)
{
    const PqextRollupPlan *p = &run->plan;

    run->sorted = p->sort == PQEXT_SORTED ||
                  (p->sort == PQEXT_SORTED_IF_ASKED &&
                   pqsql_text_anywhere(run->table->host->db, run->table->schema,
                                       pqsql_text_may_order, &p->n_order));
    run->n_by = p->n_order;
    for (uint32_t i = 0; i < run->n_by; i++) {
        run->by[i] = (PqRollupBy){number_of(run, p->order[i]), p->desc[i]};
    }
    if (!run->sorted && !has_equals(run)) {
        run->n_by = 0;
    }
}

/* Is it better to find the first groups in rounds than to line up all of them?  Values
** have to be sorted, and counted; so they have to be few, compared with groups. */
static bool takes_rounds(const PqextRollupRows *r)
{
    const PqextRollupRun *run = &r->run;
    uint64_t most = run->sorted ? r->n / 2 : (uint64_t)r->n * 4;

    if (!pqext_rollup_lines_up(run)) {
        return true;
    }
    for (uint32_t i = 0; i < run->n_by && r->whole; i++) {
        if (pq_rollup_n_key_values(r->groups, run->by[i].number) > most) {
            return true;
        }
    }
    return false;
}

/* Lines up n groups, those in the list or all. */
static PqRc line_up(PqextRollupRows *r, uint32_t **list, uint32_t n, PqErr *e)
{
    PqRollupLineUp how = {.by = r->run.by, .n_by = r->run.n_by,
                          .sorted = r->run.sorted, .list = *list, .n = n};

    return pq_rollup_line_up(r->groups, &how, &r->lines, list, e);
}

static PqRc measure(void *arg, const PqRollup *groups, uint32_t number,
                    uint32_t group, PqCell *out, PqErr *e)
{
    return pqext_rollup_measure(arg, groups, number, group, out, e);
}

static PqRc begin_order(PqextRollupRows *r)
{
    PqextRollupRun *run = &r->run;
    PqRollupOrderSpec spec = {
        .groups = r->groups, .whole = r->whole, .list = r->list, .n = r->n,
        .n_keys = run->n_dimensions, .n_measures = run->n_measures,
        .n_by = run->n_by, .mem = r->table->host->engine->mem,
        .memory = pq_mem_limit_of(r->table->options.memory),
        .stop = {pqext_host_stop, r->table->host}, .arg = run,
        .measure = measure};

    memcpy(spec.by, run->by, sizeof run->by);
    return pq_rollup_order_new(&spec, &r->order, &run->source.e);
}

/* Rounds take as little memory as there is. */
static PqRc put_in_order(PqextRollupRows *r)
{
    PqErr *e = &r->run.source.e;

    if (r->run.n_by == 0) {
        return PQ_OK;
    }
    pq_arena_reset(&r->lines);
    if (!takes_rounds(r)) {
        PqRc rc = r->whole ? line_up(r, &r->list, r->n, e) : PQ_OK;

        if (rc != PQ_BUDGET) {
            return rc;
        }
        pq_err_clear(e);
        pq_arena_reset(&r->lines);
    }
    return begin_order(r);
}

/* ---- rows ---------------------------------------------------------------- */

/* An error of the source's scan becomes an error of the cursor. */
static PqRc pass_on(PqextRollupRows *r, PqRc rc, PqErr *e)
{
    PqErr *from = &r->run.source.e;

    if (rc != PQ_OK) {
        *e = *from;
        pq_err_clear(from);
        pq_where_reset(from);
    }
    return rc;
}

/* Where each row is a group, the first rows are among the first ones of all blocks. */
static PqRc load_block(PqextRollupRows *r, PqErr *e)
{
    r->list = NULL;
    r->given = 0;
    pq_arena_reset(&r->lines);
    PQ_TRY(pq_rollup_next(r->groups, &r->n, e));
    if (!r->run.top.parts) {
        PQ_TRY(pqext_rollup_top(&r->run, r->groups, &r->lines, &r->list, &r->n, e));
    }
    return r->run.n_by > 0 ? line_up(r, &r->list, r->n, e) : PQ_OK;
}

/* Gives the next groups of the block: all, or a piece of the list. */
static void give_piece(PqextRollupRows *r)
{
    PqBatch *b = &r->block;

    b->n_kept = r->n - r->given;
    if (r->list) {
        b->n_kept = b->n_kept < PIECE ? b->n_kept : PIECE;
        b->kept = r->list + r->given;
        pq_rollup_fetch(r->groups, b->kept, b->n_kept);
    }
    r->given += b->n_kept;
}

static PqRc next_block(PqextRollupRows *r, PqErr *e)
{
    r->block = (PqBatch){0};
    if (r->order) {
        return pq_rollup_order_next(r->order, &r->block.n_kept, e);
    }
    if (!r->whole && r->given == r->n) {
        PQ_TRY(load_block(r, e));
    }
    give_piece(r);
    return PQ_OK;
}

static PqRc next(PqRowSource *source, bool *more, PqErr *e)
{
    PqextRollupRows *r = (PqextRollupRows *)source;

    PQ_TRY(pass_on(r, next_block(r, &r->run.source.e), e));
    *more = r->block.n_kept > 0;
    return PQ_OK;
}

static PqRc find_rowid(PqextRollupRows *r, uint32_t row, int64_t *out, PqErr *e)
{
    PqBuf *key = &r->run.scratch;
    PqextListing *l;
    PqStop stop = {pqext_host_stop, r->table->host};

    key->n = 0;
    pq_buf_add(key, &r->run.plan.used, sizeof r->run.plan.used);
    for (uint32_t i = 0; i < r->run.n_dimensions; i++) {
        const PqCell *cell;

        if (r->order) {
            PQ_TRY(pq_rollup_order_cell(r->order, i, row, &cell, e));
        } else {
            cell = pq_rollup_key(r->groups, i, row);
        }
        pqext_rollup_put_cell(cell, key);
    }
    if (!pq_buf_ok(key)) {
        return e->rc;
    }
    PQ_TRY(pqext_listing_all(r->run.source.listing, &l, e));
    return pqext_rowids_of(l, pq_mem_limit_of(r->table->options.memory) / ROWIDS_SHARE,
                           pq_slice(key->p, key->n), &stop, out, e);
}

static PqRc rowid(PqRowSource *source, uint32_t row, int64_t *out, PqErr *e)
{
    PqextRollupRows *r = (PqextRollupRows *)source;

    return pass_on(r, find_rowid(r, row, out, &r->run.source.e), e);
}

static PqRc begin(PqextCursor *c, const char *text, sqlite3_value **argv)
{
    PqextRollupRows *r = c->rollup;

    end_call(r);
    PQ_TRY(pqext_rollup_run_plan(&r->run, text, argv));
    find_order(&r->run);
    PQ_TRY(find_groups(r, argv));
    if (r->whole) {
        PQ_TRY(pqext_rollup_top(&r->run, r->groups, &r->arena, &r->list, &r->n,
                                &r->run.source.e));
    }
    PQ_TRY(put_in_order(r));
    set_columns(c);
    r->source = (PqRowSource){.batch = &r->block, .next = next, .rowid = rowid};
    c->source = &r->source;
    return PQ_OK;
}

static PqRc filter(PqextCursor *c, const char *text, sqlite3_value **argv)
{
    return pass_on(c->rollup, begin(c, text, argv), &c->s.e);
}

const PqextOwnRows pqext_rollup_rows = {
    .best_index = pqext_rollup_best_index,
    .begin = new_rows,
    .free = free_rows,
    .filter = filter,
};
