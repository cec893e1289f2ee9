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

#include <math.h>
#include <string.h>

/* PORTION columns are read together if one by one would open files more than
** OPENINGS times, or if there are more than WIDE columns. */
enum { PORTION = 16, OPENINGS = 4096, WIDE = 256 };

typedef struct State {
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
    const char *name = call->table->columns[i].name;

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
    const PqTable *t = call->table;
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
    PqTableOptions usual = {.believes = true, .stop = pqext_call_stop(call)};

    PQ_TRY(pqext_call_table(call, &usual, e));
    PQ_TRY(choose_columns(call, s, e));
    s->read = (PqextSummaryRead){
        .mem = call->mem, .table = call->table, .listing = &call->listing,
        .stop = usual.stop,
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
}

/* ---- rows ------------------------------------------------------------------- */

static uint32_t portion(const State *s)
{
    uint64_t openings = (uint64_t)s->read.listing->n_files * s->n_shown;
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

static const void *column(const PqextCall *call, PqErr *e)
{
    return &call->table->columns[current(call)->column];
}

/* NULL: its values are not known. */
static const void *known(const PqextCall *call, PqErr *e)
{
    const PqextSummaryColumn *v = current(call);

    return v->summary && !v->note[0] ? v : NULL;
}

/* ... or there are only nulls. */
static const void *summed(const PqextCall *call, PqErr *e)
{
    const PqextSummaryColumn *v = known(call, e);

    return v && v->way != PQEXT_SUMMARY_NULLS ? v : NULL;
}

static const void *with_top(const PqextCall *call, PqErr *e)
{
    const PqextSummaryColumn *v = summed(call, e);

    return v && v->result.top.is_there ? v : NULL;
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

static void write_type(const PqextCall *call, const void *value, PqBuf *out)
{
    static const PqsqlOptions usual = {0};

    pqext_declare_column_type(value, &usual, out);
}

static PqRc give_distinct_is(const PqextCall *call, const void *value,
                             sqlite3_context *ctx, PqErr *e)
{
    pqext_result_text(ctx, *(const bool *)value ? "exact" : "estimate");
    return PQ_OK;
}

static PqRc give_value(const PqextCall *call, const void *value,
                       sqlite3_context *ctx, PqErr *e)
{
    const State *s = call->state;

    return pqext_summary_give(&s->read, current(call), value, ctx, e);
}

/* NULL: it is NaN. */
static PqRc give_rounded(const PqextCall *call, const void *value,
                         sqlite3_context *ctx, PqErr *e)
{
    sqlite3_result_double(ctx, rounded(*(const double *)value));
    return PQ_OK;
}

static PqRc give_note(const PqextCall *call, const void *state,
                      sqlite3_context *ctx, PqErr *e)
{
    const PqextSummaryColumn *v = current(call);
    bool quartiles = !v->result.quartiles_exact &&
                     v->result.quartile[0].is_there;
    bool top = !v->result.top_exact && v->result.top.is_there;

    if (v->note[0]) {
        pqext_result_text(ctx, v->note);
    } else if (summed(call, e) && (quartiles || top)) {
        pqext_result_text(ctx, quartiles && top ? "quartiles, top estimated"
                               : quartiles      ? "quartiles estimated"
                                                : "top estimated");
    }
    return PQ_OK;
}

#define RESULT(name) PQEXT_MEMBER(PqextSummaryColumn, result.name)
#define VALUE(name)                                                         \
    .of = summed, PQEXT_AT(PqextSummaryColumn, result.name),                \
    .give = give_value
#define ROUNDED(name)                                                       \
    .of = summed, PQEXT_AT(PqextSummaryColumn, result.name),                \
    .give = give_rounded

static const PqextColumn columns[] = {
    {"column TEXT", .of = column, PQEXT_MEMBER(PqColumn, name)},
    {"type TEXT", .of = column, .write = write_type},
    {"rows BIGINT", PQEXT_MEMBER(State, read.n_rows)},
    {"nulls BIGINT", .of = known, RESULT(n_nulls)},
    {"distinct_count BIGINT", .of = summed, RESULT(n_distinct)},
    {"distinct_is TEXT", .of = summed,
     PQEXT_AT(PqextSummaryColumn, result.distinct_exact),
     .give = give_distinct_is},
    {"min", VALUE(min)},
    {"max", VALUE(max)},
    {"mean REAL", ROUNDED(mean)},
    {"stddev REAL", ROUNDED(deviation)},
    {"q25", VALUE(quartile[0])},
    {"median", VALUE(quartile[1])},
    {"q75", VALUE(quartile[2])},
    {"top", VALUE(top)},
    {"top_count BIGINT", .of = with_top, RESULT(top_count)},
    {"note TEXT", .give = give_note},
};

const PqextFunction pqext_parquet_summary = {
    .name = "parquet_summary",
    .call = "parquet_summary('FILE')",
    PQEXT_COLUMNS(columns),
    .takes = PQEXT_PATH,
    .arguments = {"file"},
    .chooses = true,
    .state_size = sizeof(State),
    .begin = summary_begin,
    .next = summary_next,
    .end = summary_end,
};
