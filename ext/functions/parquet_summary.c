/*
** parquet_summary.c - parquet_summary(path): a row per column of the table at
** path, which describes the column's values.
**
**   SELECT column, nulls, distinct_count, min, max, median FROM
**       parquet_summary('trips.parquet')
**
** Columns come as the table has them; after a struct come its leaves, by their
** dotted paths.
**
** All pages of a column are read, once.  So nothing depends on statistics, which
** may lie.  Columns are read one after the other, when their row is asked for.
** In tables that are very wide or have many files, some are read together,
** because each pass opens all files.  A column that the statement does not ask
** for by name is not read, and none is read if it asks only for names, types
** and rows.
**
** A column whose key is missing is a row without values that says so.
*/
#include "ext/functions/table_function.h"

#include "ext/functions/summary_read.h"
#include "ext/table/declare.h"
#include "sql/keys/key_functions.h"
#include "sql/argument.h"

#include <math.h>
#include <string.h>

/* PORTION columns are read together if one by one would open files more than
** OPENINGS times, or if there are more than WIDE columns. */
enum { PORTION = 16, OPENINGS = 4096, WIDE = 256 };

typedef struct State {
    PqListing          listing;
    bool               listed;
    PqTable           *table;
    uint32_t          *shown;        /* columns of the table                */
    uint32_t           n_shown, next;
    PqextSummaryRead   read;
    PqextSummaryColumn columns[PORTION];
    uint32_t           n_read, at;   /* of columns; the row                 */
} State;

/* In the order of `columns` below. */
enum {
    COLUMN, TYPE, ROWS, NULLS, DISTINCT, DISTINCT_IS, MIN, MAX, MEAN, STDDEV,
    Q25, MEDIAN, Q75, TOP, TOP_COUNT, NOTE
};

static bool is_used(const PqextCall *call, int column)
{
    return call->used >> column & 1;
}

static unsigned wanted(const PqextCall *call)
{
    static const struct {
        int      column;
        unsigned want;
    } of[] = {
        {DISTINCT, PQ_SUMMARY_DISTINCT},  {DISTINCT_IS, PQ_SUMMARY_DISTINCT},
        {MIN, PQ_SUMMARY_BOUNDS},         {MAX, PQ_SUMMARY_BOUNDS},
        {MEAN, PQ_SUMMARY_MOMENTS},       {STDDEV, PQ_SUMMARY_MOMENTS},
        {Q25, PQ_SUMMARY_QUARTILES},      {MEDIAN, PQ_SUMMARY_QUARTILES},
        {Q75, PQ_SUMMARY_QUARTILES},      {TOP, PQ_SUMMARY_TOP},
        {TOP_COUNT, PQ_SUMMARY_TOP},
        {NOTE, PQ_SUMMARY_QUARTILES | PQ_SUMMARY_TOP},
    };
    unsigned want = 0;

    for (size_t i = 0; i < PQ_COUNT(of); i++) {
        want |= is_used(call, of[i].column) ? of[i].want : 0;
    }
    /* Bounds tell whether a column was read the right way. */
    return want ? want | PQ_SUMMARY_BOUNDS : 0;
}

/* ---- the columns ----------------------------------------------------------- */

static void show(const PqextCall *call, State *s, uint32_t i)
{
    const char *name = s->table->columns[i].name;

    if (!call->chosen || sqlite3_stricmp(call->chosen, name) == 0) {
        s->shown[s->n_shown++] = i;
    }
}

/* A leaf inside the structs of a column. */
static bool is_leaf_of(const PqColumn *leaf, const PqColumn *column)
{
    const PqNode *top;

    if (leaf->kind != PQ_COLUMN_NODE || !leaf->hidden || leaf->as_blob ||
        leaf->as_wkb || leaf->node->kind != PQ_NODE_LEAF) {
        return false;
    }
    for (top = leaf->node; top->parent; top = top->parent) {
    }
    return top == column->node;
}

static PqRc choose_columns(PqextCall *call, State *s, PqErr *e)
{
    const PqTable *t = s->table;
    uint32_t hidden = 0, i, k;

    s->shown = pq_mem_array(call->mem, t->n_columns + 1u, sizeof *s->shown, e);
    if (!s->shown) {
        return e->rc;
    }
    while (hidden < t->n_columns && !t->columns[hidden].hidden) {
        hidden++;
    }
    for (i = 0; i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];

        if (c->hidden) {
            continue;
        }
        show(call, s, i);
        if (c->kind != PQ_COLUMN_NODE || c->node->kind != PQ_NODE_STRUCT) {
            continue;
        }
        for (k = hidden; k < t->n_columns; k++) {
            if (is_leaf_of(&t->columns[k], c)) {
                show(call, s, k);
            }
        }
    }
    return PQ_OK;
}

static PqRc summary_begin(PqextCall *call, PqErr *e)
{
    State *s = call->state;
    const char *path = pqsql_path_of(call->argument[0], e);
    PqTableOptions usual = {.believes = true, .stop = pqext_call_stop(call)};
    PqRc rc;

    if (!path) {
        return e->rc;
    }
    rc = pq_listing_make(path, PQ_LIST_HIVE, call->mem, &usual.stop, &s->listing, e);
    if (rc == PQ_IO) {
        pqsql_path_hint_table(call->host->db, "parquet_summary", path, e);
    }
    PQ_TRY(rc);
    s->listed = true;
    s->listing.keys = &call->keys;
    PQ_TRY(pq_versions_new(call->mem, &s->listing.versions, e));
    PQ_TRY(pq_listing_unfold(&s->listing, call->host->engine, &usual.stop, e));
    PQ_TRY(pq_table_new(call->host->engine, &s->listing, &usual, &s->table,
                        e));
    PQ_TRY(pqsql_keys_fit(call->host->engine, &s->listing, e));
    PQ_TRY(choose_columns(call, s, e));
    s->read = (PqextSummaryRead){
        .mem = call->mem, .table = s->table, .listing = &s->listing,
        .stop = pqext_call_stop(call),
        .want = wanted(call),
        .reads = wanted(call) || is_used(call, NULLS) || is_used(call, NOTE),
    };
    return PQ_OK;
}

static void forget_read(State *s)
{
    for (uint32_t i = 0; i < s->n_read; i++) {
        pqext_summary_column_free(&s->columns[i]);
    }
    memset(s->columns, 0, sizeof s->columns);
    s->n_read = s->at = 0;
}

static void summary_end(PqextCall *call)
{
    State *s = call->state;

    forget_read(s);
    pq_mem_free(s->shown);
    pq_table_free(s->table);
    if (s->listed) {
        pq_listing_free(&s->listing);
    }
}

/* ---- rows ------------------------------------------------------------------- */

static uint32_t portion(const State *s)
{
    uint64_t openings = (uint64_t)s->listing.n_files * s->n_shown;
    uint32_t left = s->n_shown - s->next;
    uint32_t n = !s->read.reads || openings > OPENINGS || s->n_shown > WIDE
                     ? PORTION : 1;

    return n < left ? n : left;
}

/* If only rows are counted, that is done once. */
static PqRc read_portion(State *s, PqErr *e)
{
    bool counted = !s->read.reads && s->next > 0;
    uint32_t n = portion(s), i;

    forget_read(s);
    s->n_read = n;
    for (i = 0; i < n; i++) {
        s->columns[i].column = s->shown[s->next + i];
    }
    s->next += n;
    return counted ? PQ_OK : pqext_summary_read(&s->read, s->columns, n, e);
}

static PqRc summary_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    if (s->n_read && s->at + 1 < s->n_read) {
        s->at++;
        *more = true;
        return PQ_OK;
    }
    *more = s->next < s->n_shown;
    return *more ? read_portion(s, e) : PQ_OK;
}

/* ---- values ----------------------------------------------------------------- */

static const PqextSummaryColumn *current(const PqextCall *call)
{
    const State *s = call->state;

    return &s->columns[s->at];
}

static const PqColumn *current_column(const PqextCall *call)
{
    const State *s = call->state;

    return &s->table->columns[current(call)->column];
}

/* Are its values known? */
static bool is_read(const PqextSummaryColumn *v)
{
    return v->summary && !v->note[0];
}

/* ... and are there more than nulls? */
static bool is_summed(const PqextSummaryColumn *v)
{
    return is_read(v) && v->way != PQEXT_SUMMARY_NULLS;
}

/* Six digits, but at least two after the point. */
static double rounded(double x)
{
    double power;
    int digits;

    if (x == 0 || !isfinite(x)) {
        return x;
    }
    digits = 5 - (int)floor(log10(fabs(x)));
    digits = digits < 2 ? 2 : digits;
    if (digits > 300 || fabs(x) > 1e13) {
        return x;
    }
    power = pow(10, digits);
    return round(x * power) / power;
}

#define GIVE(name)                                                          \
    static PqRc name(const PqextCall *call, const void *state,              \
                     sqlite3_context *ctx, PqErr *e)

GIVE(give_column)
{
    pqext_result_text(ctx, current_column(call)->name);
    return PQ_OK;
}

GIVE(give_type)
{
    static const PqsqlOptions usual = {0};
    PqBuf text;

    pq_buf_init(&text, call->mem, e);
    pqext_declare_column_type(current_column(call), &usual, &text);
    if (pq_buf_ok(&text)) {
        pqsql_result_text(ctx, text.p, text.n);
    }
    pq_buf_free(&text);
    return e->rc;
}

GIVE(give_rows)
{
    sqlite3_result_int64(ctx, (int64_t)((const State *)state)->read.n_rows);
    return PQ_OK;
}

GIVE(give_nulls)
{
    const PqextSummaryColumn *v = current(call);

    if (is_read(v)) {
        sqlite3_result_int64(ctx, (int64_t)v->result.n_nulls);
    }
    return PQ_OK;
}

GIVE(give_distinct)
{
    const PqextSummaryColumn *v = current(call);

    if (is_summed(v)) {
        sqlite3_result_int64(ctx, (int64_t)v->result.n_distinct);
    }
    return PQ_OK;
}

GIVE(give_distinct_is)
{
    const PqextSummaryColumn *v = current(call);

    if (is_summed(v)) {
        pqext_result_text(ctx, v->result.distinct_exact ? "exact" : "estimate");
    }
    return PQ_OK;
}

static PqRc give(const PqextCall *call, const PqSummaryValue *value,
                 sqlite3_context *ctx, PqErr *e)
{
    const State *s = call->state;
    const PqextSummaryColumn *v = current(call);

    return is_summed(v) ? pqext_summary_give(&s->read, v, value, ctx, e)
                        : PQ_OK;
}

GIVE(give_min)
{
    return give(call, &current(call)->result.min, ctx, e);
}

GIVE(give_max)
{
    return give(call, &current(call)->result.max, ctx, e);
}

GIVE(give_q25)
{
    return give(call, &current(call)->result.quartile[0], ctx, e);
}

GIVE(give_median)
{
    return give(call, &current(call)->result.quartile[1], ctx, e);
}

GIVE(give_q75)
{
    return give(call, &current(call)->result.quartile[2], ctx, e);
}

GIVE(give_top)
{
    return give(call, &current(call)->result.top, ctx, e);
}

GIVE(give_mean)
{
    const PqextSummaryColumn *v = current(call);

    if (is_summed(v) && v->result.has_mean) {
        sqlite3_result_double(ctx, rounded(v->result.mean));
    }
    return PQ_OK;
}

GIVE(give_stddev)
{
    const PqextSummaryColumn *v = current(call);

    if (is_summed(v) && v->result.has_deviation) {
        sqlite3_result_double(ctx, rounded(v->result.deviation));
    }
    return PQ_OK;
}

GIVE(give_top_count)
{
    const PqextSummaryColumn *v = current(call);

    if (is_summed(v) && v->result.top.is_there) {
        sqlite3_result_int64(ctx, (int64_t)v->result.top_count);
    }
    return PQ_OK;
}

GIVE(give_note)
{
    const PqextSummaryColumn *v = current(call);
    bool quartiles = !v->result.quartiles_exact &&
                     v->result.quartile[0].is_there;
    bool top = !v->result.top_exact && v->result.top.is_there;

    if (v->note[0]) {
        pqext_result_text(ctx, v->note);
    } else if (is_summed(v) && (quartiles || top)) {
        pqext_result_text(ctx, quartiles && top ? "quartiles, top estimated"
                               : quartiles      ? "quartiles estimated"
                                                : "top estimated");
    }
    return PQ_OK;
}

static const PqextColumn columns[] = {
    {"column TEXT", .give = give_column},
    {"type TEXT", .give = give_type},
    {"rows BIGINT", .give = give_rows},
    {"nulls BIGINT", .give = give_nulls},
    {"distinct_count BIGINT", .give = give_distinct},
    {"distinct_is TEXT", .give = give_distinct_is},
    {"min", .give = give_min},
    {"max", .give = give_max},
    {"mean REAL", .give = give_mean},
    {"stddev REAL", .give = give_stddev},
    {"q25", .give = give_q25},
    {"median", .give = give_median},
    {"q75", .give = give_q75},
    {"top", .give = give_top},
    {"top_count BIGINT", .give = give_top_count},
    {"note TEXT", .give = give_note},
};

const PqextFunction pqext_parquet_summary = {
    .name = "parquet_summary",
    .call = "parquet_summary('FILE')",
    .columns = columns,
    .n_columns = PQ_COUNT(columns),
    .arguments = pqext_file_argument,
    .n_arguments = 1,
    .takes_paths = true,
    .chooses = COLUMN + 1,
    .state_size = sizeof(State),
    .begin = summary_begin,
    .next = summary_next,
    .end = summary_end,
};
