/*
** rollup_plan.c - xBestIndex of a rollup.
**
**   a row per country, day; exactly country = ?, rows by day >= ?
**
** plan.c chooses the terms on dimensions that are columns of the source, as if
** SQLite had asked the source: meanwhile the constraints have the source's
** numbers of columns.  A group has one value of such a dimension, so a
** condition keeps all of its rows or none.
**
** The plan itself lies after this text (plan_idxstr.h).
*/
#include "ext/rollup/dimension_test.h"

#include "ext/plan/plan.h"
#include "ext/plan/sample.h"
#include "ext/table/plan_idxstr.h"

#include <limits.h>

enum {
    NO_COLUMN = INT_MAX              /* of the source                       */
};

/* The steps of adding up a row, and of answering a call from groups (as in
** join_cost.c). */
static const double an_add = 0.5, a_call = 10;

typedef struct Asking {
    PqextTable         *t;
    sqlite3_index_info *info;
    PqextPlan          *terms;       /* of the source                       */
    PqextSourceCost     cost;
    PqextRollupTerm    *others;
    uint32_t            n_others;
    PqextRollupPlan     plan;        /* without its arrays                  */
    bool                has_key;     /* a key is compared by = or IS        */
} Asking;

/* ---- terms --------------------------------------------------------------- */

static int source_column(const PqextDefinition *d, int column)
{
    return column >= 0 && (uint32_t)column < d->n_dimensions &&
                   d->dimensions[column].kind == PQEXT_DIM_COLUMN
               ? (int)d->dimensions[column].column : NO_COLUMN;
}

/* plan.c sees the constraints as constraints of the source. */
static int ask_source(Asking *a)
{
    sqlite3_index_info *info = a->info;
    int *columns = sqlite3_malloc64(((size_t)info->nConstraint + 1) *
                                    sizeof *columns);

    if (!columns) {
        return SQLITE_NOMEM;
    }
    for (int i = 0; i < info->nConstraint; i++) {
        columns[i] = info->aConstraint[i].iColumn;
        info->aConstraint[i].iColumn = source_column(a->t->rollup, columns[i]);
    }
    a->terms = pqext_plan_of_source(a->t->source, info, &a->cost);
    for (int i = 0; i < info->nConstraint; i++) {
        info->aConstraint[i].iColumn = columns[i];
    }
    sqlite3_free(columns);
    return a->terms ? SQLITE_OK : SQLITE_NOMEM;
}

/* May the operand change from call to call?  Groups that are kept are looked up by it. */
static bool may_be_key(PqextOp op)
{
    return op != PQEXT_IN && op != PQEXT_IS_NULL && op != PQEXT_NOT_NULL &&
           !pqext_is_geo(op);
}

/* Finds the terms whose operand is not a literal. */
static void find_keys(Asking *a)
{
    sqlite3_index_info *info = a->info;

    for (int i = 0; i < info->nConstraint; i++) {
        int arg = info->aConstraintUsage[i].argvIndex - 1;

        if (arg >= 0 && arg < (int)a->terms->n_terms &&
            arg < PQEXT_ROLLUP_TERMS && a->terms->terms[arg].by_value &&
            may_be_key(a->terms->terms[arg].op) && !pqext_literal_of(info, i)) {
            a->plan.keys |= (uint64_t)1 << arg;
            a->has_key |= pqext_is_equal(a->terms->terms[arg].op);
        }
    }
}

/* Constraint i is about a dimension that is computed: does it help?  An outer join
** before which SQLite offers what it should not is seen when the statement runs. */
static bool take_other(Asking *a, int i, PqextRollupTerm *out)
{
    sqlite3_index_info *info = a->info;
    const PqextDefinition *d = a->t->rollup;
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    bool key;

    if (!c->usable || c->iColumn < 0 || pqext_plan_leaves(info, i) ||
        pqext_plan_is_of_pattern(info, i) || (uint32_t)c->iColumn >= d->n_dimensions ||
        d->dimensions[c->iColumn].kind == PQEXT_DIM_COLUMN ||
        !pqext_constraint_op(c->op, &out->op)) {
        return false;
    }
    if (sqlite3_vtab_in(info, i, -1)) {
        out->op = PQEXT_IN;
    }
    out->dimension = (uint32_t)c->iColumn;
    key = may_be_key(out->op) && !pqext_literal_of(info, i);
    if (!pqext_is_binary(info, i) || !pqext_tests_can(out->op) ||
        (pqext_outer_offers(out->op) && pqext_outer_in_schema(a->t))) {
        return false;
    }
    if (out->op == PQEXT_IN) {
        sqlite3_vtab_in(info, i, 1);
    }
    out->exact = (!pqext_outer_offers(out->op) || pqext_is_all_of_from(info)) &&
                 pqext_tests_are_exact(a->t->source, out->op, pqext_literal_of(info, i));
    a->plan.other_keys |= (uint64_t)key << a->n_others;
    a->has_key |= key && pqext_is_equal(out->op);
    return true;
}

static int take_others(Asking *a)
{
    sqlite3_index_info *info = a->info;

    a->others = sqlite3_malloc64(((size_t)info->nConstraint + 1) *
                                 sizeof *a->others);
    if (!a->others) {
        return SQLITE_NOMEM;
    }
    for (int i = 0; i < info->nConstraint && a->n_others < PQEXT_ROLLUP_TERMS;
         i++) {
        if (info->aConstraintUsage[i].argvIndex == 0 &&
            take_other(a, i, &a->others[a->n_others])) {
            PqextRollupTerm *taken = &a->others[a->n_others++];
            int at = (int)(a->terms->n_terms + a->n_others);

            taken->exact = taken->exact && pqext_plan_may_omit(i, at);
            info->aConstraintUsage[i].argvIndex = at;
            info->aConstraintUsage[i].omit = taken->exact != 0;
        }
    }
    return SQLITE_OK;
}

/* ---- how much ------------------------------------------------------------ */

enum { KINDS_OF_EXPRESSION = 400, BYTES_PER_GROUP = 40, BYTES_PER_CELL = 40 };

static double kinds_of(const Asking *a, const PqextDimension *d)
{
    double kinds = pqext_sample_values(a->t->source, d->column, false);

    return d->kind != PQEXT_DIM_COLUMN && kinds > KINDS_OF_EXPRESSION
               ? KINDS_OF_EXPRESSION : kinds;
}

/* How many groups all rows have. */
static double guess_groups(const Asking *a)
{
    const PqextDefinition *d = a->t->rollup;
    double rows = a->t->source->rows_guess, n = 1;

    for (uint32_t i = 0; i < d->n_dimensions && n < rows; i++) {
        n *= pqext_rollup_uses(a->info->colUsed, i)
                 ? kinds_of(a, &d->dimensions[i]) : 1;
    }
    return n < rows ? n : rows;
}

/* How many groups the rows have that pass the terms. */
static double guess_given(const Asking *a)
{
    double all = a->t->source->rows_guess;
    double n = guess_groups(a) * (all > 0 ? a->cost.given / all : 1);

    return n < 1 ? 1 : n;
}

static bool fits(const Asking *a, double groups)
{
    int cells = __builtin_popcountll(a->info->colUsed);

    return groups * (BYTES_PER_GROUP + BYTES_PER_CELL * cells) <
           (double)a->t->options.memory / 2;
}

/* Counts what SQLite offers about each dimension, and what it leaves to the table. */
static void count_constraints(Asking *a)
{
    sqlite3_index_info *info = a->info;
    uint8_t left[PQ_ROLLUP_KEYS] = {0};

    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        int k = c->iColumn;

        if (c->op != SQLITE_INDEX_CONSTRAINT_LIMIT &&
            c->op != SQLITE_INDEX_CONSTRAINT_OFFSET && k >= 0 &&
            (uint32_t)k < a->t->rollup->n_dimensions &&
            a->plan.offered[k] < UINT8_MAX) {
            a->plan.offered[k]++;
            left[k] = (uint8_t)(left[k] + (info->aConstraintUsage[i].omit != 0));
        }
    }
    for (uint32_t k = 0; k < a->t->rollup->n_dimensions; k++) {
        a->plan.exact |= (uint64_t)(left[k] > 0 && left[k] == a->plan.offered[k])
                         << k;
    }
}

/* ---- the order ------------------------------------------------------------- */

static bool is_single(const Asking *a)
{
    const PqextDefinition *d = a->t->rollup;

    return (a->info->colUsed & (((uint64_t)1 << d->n_dimensions) - 1)) == 0;
}

/* Does ORDER BY name all dimensions that the statement mentions?  Then no two
** rows are equal in it. */
static bool tells_rows_apart(const Asking *a)
{
    uint64_t left = a->info->colUsed &
                    (((uint64_t)1 << a->t->rollup->n_dimensions) - 1);

    for (int i = 0; i < a->info->nOrderBy; i++) {
        int column = a->info->aOrderBy[i].iColumn;

        left &= column >= 0 && column < 63 ? ~((uint64_t)1 << column)
                                           : UINT64_MAX;
    }
    return left == 0;
}

/* Are all terms columns, and all of them dimensions? */
static bool is_of_columns(const Asking *a, bool *of_dimensions)
{
    const sqlite3_index_info *info = a->info;
    bool columns = info->nOrderBy <= PQ_ROLLUP_BY;

    *of_dimensions = columns;
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;

        columns = columns && column >= 0;
        *of_dimensions = *of_dimensions && columns &&
                         (uint32_t)column < a->t->rollup->n_dimensions;
    }
    return columns;
}

/* How groups come; PQEXT_SORTED also if they cannot be sorted here.
**
** Before 3.52 SQLite says the same of GROUP BY a and of GROUP BY a ORDER BY a. */
static PqextRollupSort sort_of(const Asking *a, bool of_dimensions)
{
    int distinct = sqlite3_vtab_distinct(a->info);
    bool said = pqext_order_is_said();

    if (distinct == 2 || (distinct == 1 && said)) {
        return tells_rows_apart(a) ? PQEXT_UNSORTED
               : of_dimensions     ? PQEXT_TOGETHER : PQEXT_SORTED;
    }
    return distinct == 1 && of_dimensions ? PQEXT_SORTED_IF_ASKED : PQEXT_SORTED;
}

/* Are the groups sorted here?  Not in a UTF-16 database, since texts are sorted by
** their UTF-8 here.  Nor by measures if the groups may spill: SQLite sorts those better,
** since it goes through them once. */
static bool can_sort(const Asking *a, bool of_dimensions)
{
    return !a->t->utf16 && (of_dimensions || fits(a, guess_given(a)));
}

static void take_order(Asking *a)
{
    sqlite3_index_info *info = a->info;
    bool of_dimensions, of_columns = is_of_columns(a, &of_dimensions);
    PqextRollupSort sort = sort_of(a, of_dimensions);

    if (info->nOrderBy < 1) {
        return;
    }
    info->orderByConsumed =
        is_single(a) || sort == PQEXT_UNSORTED ||
        (of_columns && (sort == PQEXT_TOGETHER || can_sort(a, of_dimensions)));
    if (!info->orderByConsumed || is_single(a) || sort == PQEXT_UNSORTED) {
        return;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        a->plan.order[a->plan.n_order] = (uint32_t)info->aOrderBy[i].iColumn;
        a->plan.desc[a->plan.n_order++] = info->aOrderBy[i].desc;
    }
    a->plan.sort = sort;
}

/* ---- the cost ------------------------------------------------------------- */

/* Are calls with a key answered from groups that are in memory? */
static bool is_kept(const Asking *a)
{
    return a->has_key && fits(a, guess_groups(a));
}

static void tell_cost(Asking *a)
{
    sqlite3_index_info *info = a->info;
    double groups = guess_given(a);

    info->estimatedRows = (sqlite3_int64)groups;
    info->estimatedCost = groups * pqext_row_cost(info->colUsed) +
                          (is_kept(a) ? a_call
                                      : 100 + a->cost.tested +
                                            a->cost.given * an_add);
    info->idxFlags = is_single(a) ? SQLITE_INDEX_SCAN_UNIQUE : 0;
}

/* ---- text ---------------------------------------------------------------- */

static void put_dimensions(const Asking *a, sqlite3_str *s)
{
    const PqextDefinition *d = a->t->rollup;
    const char *before = "a row per ";

    if (is_single(a)) {
        sqlite3_str_appendall(s, "a row of everything");
    }
    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        if (pqext_rollup_uses(a->info->colUsed, i)) {
            sqlite3_str_appendall(s, before);
            pqext_plan_put_name(s, d->dimensions[i].name);
            before = ", ";
        }
    }
}

/* Does the order cost nothing, unless the statement asks for a sorted one? */
static bool is_free(const Asking *a)
{
    return a->plan.sort < PQEXT_SORTED && tells_rows_apart(a);
}

static void put_order(const Asking *a, sqlite3_str *s)
{
    const PqextDefinition *d = a->t->rollup;
    const char *before = a->plan.sort == PQEXT_SORTED ? " in order of "
                                                      : " grouped by ";

    for (uint32_t i = 0; i < a->plan.n_order && !is_free(a); i++) {
        uint32_t k = a->plan.order[i];

        sqlite3_str_appendall(s, before);
        pqext_plan_put_name(s, k < d->n_dimensions
                                   ? d->dimensions[k].name
                                   : d->measures[k - d->n_dimensions].name);
        if (a->plan.sort == PQEXT_SORTED && a->plan.desc[i]) {
            sqlite3_str_appendall(s, " desc");
        }
        before = ", ";
    }
}

static bool tells_by_footers(const Asking *a)
{
    return a->terms->n_terms == 0 && a->n_others == 0 &&
           pqext_rollup_footers_can(a->t, a->info->colUsed);
}

static void put_terms(const Asking *a, sqlite3_str *s)
{
    const PqextDefinition *d = a->t->rollup;

    pqext_plan_put_terms(a->t->source, s, a->terms);
    for (uint32_t i = 0; i < a->n_others; i++) {
        pqext_plan_put_words(s, a->others[i].exact ? "exactly " : "rows by ");
        pqext_plan_put_name(s, d->dimensions[a->others[i].dimension].name);
        pqext_plan_put_op(s, a->others[i].op);
    }
}

static void put_text(const Asking *a, sqlite3_str *s)
{
    put_dimensions(a, s);
    put_order(a, s);
    if (tells_by_footers(a)) {
        sqlite3_str_appendall(s, " by footers");
    }
    if (a->terms->n_terms + a->n_others > 0) {
        sqlite3_str_appendall(s, "; ");
        put_terms(a, s);
    }
}

/* ---- what is not text ----------------------------------------------------- */

static bool counts_only(const Asking *a)
{
    const PqextDefinition *d = a->t->rollup;
    const PqColumn *columns = a->t->source->table->columns;

    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        if (pqext_rollup_uses(a->info->colUsed, i) &&
            !pq_column_is_of_files(&columns[d->dimensions[i].column])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < d->n_measures; i++) {
        if (pqext_rollup_uses(a->info->colUsed, d->n_dimensions + i) &&
            d->measures[i].op != PQ_ROLLUP_COUNT_ROWS) {
            return false;
        }
    }
    return true;
}

static void put_plan(const Asking *a, sqlite3_str *s)
{
    PqextRollupPlan head = a->plan;

    head.used = a->info->colUsed;
    head.n_terms = a->terms->n_terms;
    head.n_others = a->n_others;
    head.counts = counts_only(a);
    head.footers = tells_by_footers(a);
    sqlite3_str_append(s, (const char *)&head, sizeof head);
    sqlite3_str_append(s, (const char *)a->terms->terms,
                       (int)(head.n_terms * sizeof *a->terms->terms));
    sqlite3_str_append(s, (const char *)a->others,
                       (int)(head.n_others * sizeof *a->others));
}

PqextRollupPlan pqext_rollup_plan_of(const char *text)
{
    const PqextRollupPlan *head = (const void *)(pqext_plan_signed(text) + 1);
    PqextRollupPlan out = *head;

    out.terms = (const void *)(head + 1);
    out.others = (const void *)(out.terms + out.n_terms);
    return out;
}

/* ---- all of it ----------------------------------------------------------- */

static int tell_plan(const Asking *a)
{
    sqlite3_str *s = sqlite3_str_new(NULL);

    put_text(a, s);
    pqext_plan_sign(s, a->t->host);
    put_plan(a, s);
    return pqext_plan_give(s, a->info, 0);
}

int pqext_rollup_best_index(PqextTable *t, sqlite3_index_info *info)
{
    Asking a = {.t = t, .info = info};
    int rc = ask_source(&a);

    if (rc == SQLITE_OK) {
        rc = take_others(&a);
    }
    if (rc == SQLITE_OK) {
        find_keys(&a);
        count_constraints(&a);
        take_order(&a);
        tell_cost(&a);
        rc = tell_plan(&a);
    }
    sqlite3_free(a.terms);
    sqlite3_free(a.others);
    return rc;
}
