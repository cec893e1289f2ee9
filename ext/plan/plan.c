/*
** plan.c - xBestIndex: which of SQLite's constraints help.
**
** This file, order_plan.c and group_plan.c read sqlite3_index_info, and make a
** plan of it (plan.h).
**
** The hard part is what sqlite3_index_info does not say.  Will SQLite test a
** constraint that it offers (only the first sixteen need not be)?  Does a
** constraint belong to the ON of an outer join (outer_join.c)?  Will the table
** be read once, or for each row of another (may_be_repeated)?  Which columns from
** the 64th on are used (bit 63 stands for all of them)?  In doubt, a constraint
** is weaker than it could be, or left to SQLite.
*/
#include "ext/condition/geo.h"
#include "ext/plan/plan.h"
#include "ext/table/plan_idxstr.h"

#include <math.h>

/* ---- which constraints help ---------------------------------------------- */

bool pqext_constraint_op(int op, PqextOp *out)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: *out = PQEXT_EQ; return true;
    case SQLITE_INDEX_CONSTRAINT_LT: *out = PQEXT_LT; return true;
    case SQLITE_INDEX_CONSTRAINT_LE: *out = PQEXT_LE; return true;
    case SQLITE_INDEX_CONSTRAINT_GT: *out = PQEXT_GT; return true;
    case SQLITE_INDEX_CONSTRAINT_GE: *out = PQEXT_GE; return true;
    case SQLITE_INDEX_CONSTRAINT_ISNULL:    *out = PQEXT_IS_NULL; return true;
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: *out = PQEXT_NOT_NULL; return true;
    case SQLITE_INDEX_CONSTRAINT_NE: *out = PQEXT_NE; return true;
    case SQLITE_INDEX_CONSTRAINT_IS: *out = PQEXT_IS; return true;
    case SQLITE_INDEX_CONSTRAINT_ISNOT: *out = PQEXT_IS_NOT; return true;
    case SQLITE_INDEX_CONSTRAINT_LIKE: *out = PQEXT_LIKE; return true;
    case SQLITE_INDEX_CONSTRAINT_GLOB: *out = PQEXT_GLOB; return true;
    default:                         return pqext_geo_op(op, out);
    }
}

bool pqext_is_all_of_from(const sqlite3_index_info *info)
{
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT) {
            return true;
        }
    }
    return false;
}

sqlite3_value *pqext_literal_of(sqlite3_index_info *info, int i)
{
    sqlite3_value *literal = NULL;

    return sqlite3_vtab_rhs_value(info, i, &literal) == SQLITE_OK ? literal
                                                                  : NULL;
}

bool pqext_is_binary(sqlite3_index_info *info, int i)
{
    const char *collation = sqlite3_vtab_collation(info, i);

    return collation && sqlite3_stricmp(collation, "BINARY") == 0;
}

/* From here on SQLite hands over one value of a list after the other. */
enum { WHOLE_LISTS = 32 };

static bool may_be_list(sqlite3_index_info *info, int i)
{
    return i >= WHOLE_LISTS && info->aConstraint[i].usable &&
           info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
           !pqext_literal_of(info, i);
}

bool pqext_plan_leaves(sqlite3_index_info *info, int i)
{
    int last = info->nConstraint - 1;

    while (last > i && !may_be_list(info, last)) {
        last--;
    }
    return last > i && may_be_list(info, i);
}

bool pqext_plan_is_of_pattern(const sqlite3_index_info *info, int i)
{
    const struct sqlite3_index_constraint *c = info->aConstraint;
    bool half = c[i].op == SQLITE_INDEX_CONSTRAINT_GE ||
                c[i].op == SQLITE_INDEX_CONSTRAINT_LT;

    for (int k = 0; half && k < info->nConstraint; k++) {
        if (c[k].iColumn == c[i].iColumn && (c[k].op == SQLITE_INDEX_CONSTRAINT_GLOB ||
                                             c[k].op == SQLITE_INDEX_CONSTRAINT_LIKE)) {
            return true;
        }
    }
    return false;
}

/* Does it choose rowids, or rows by their numbers in a file? */
static bool chooses_numbers(PqextOp op)
{
    return op < PQEXT_IS_NULL || op == PQEXT_IS;
}

/* Does constraint i help?  *out is then its term. */
static bool useful(const PqextTable *t, sqlite3_index_info *info, int i,
                   PqextTerm *out)
{
    const PqColumn *c = pqext_column_at(t, info->aConstraint[i].iColumn);

    *out = (PqextTerm){0};
    if (!info->aConstraint[i].usable || pqext_plan_leaves(info, i) ||
        !pqext_constraint_op(info->aConstraint[i].op, &out->op)) {
        return false;
    }
    if (info->aConstraint[i].iColumn < 0) {
        out->column = PQEXT_ROWID;
        return chooses_numbers(out->op) && t->table->unnest.n == 0;
    }
    out->column = info->aConstraint[i].iColumn;
    if (!c) {
        return false;
    }
    if (c->kind == PQ_COLUMN_FILE_ROW) {
        return chooses_numbers(out->op);
    }
    if (pqext_is_geo(out->op)) {
        out->by_value = pqext_geo_can(t, (uint32_t)out->column);
        return out->by_value;
    }
    out->by_value = !pq_column_is_of_files(c);
    if (pqext_term_affinity(t, *out) != PQEXT_AFF_TEXT &&
        pqext_plan_is_of_pattern(info, i)) {
        return false;
    }
    /* LIKE of a number is of its text. */
    return (out->by_value
                ? pqext_condition_can(t, (uint32_t)out->column, out->op)
                : !pqext_is_pattern(out->op) || pq_column_is_text_of_file(c)) &&
           pqext_is_binary(info, i);
}

/* Could this table be the inner one of a join, or of a correlated subquery?
** Then some operand comes from another table, or at least is not a literal.  A
** table that is all of FROM and has an ORDER BY is hardly ever read
** repeatedly. */
static bool may_be_repeated(sqlite3_index_info *info)
{
    if (pqext_is_all_of_from(info) && info->nOrderBy > 0) {
        return false;
    }
    for (int i = 0; i < info->nConstraint; i++) {
        PqextOp op;

        if (pqext_constraint_op(info->aConstraint[i].op, &op) &&
            (!info->aConstraint[i].usable ||
             (op != PQEXT_IS_NULL && op != PQEXT_NOT_NULL &&
              !sqlite3_vtab_in(info, i, -1) && !pqext_literal_of(info, i)))) {
            return true;
        }
    }
    return false;
}

/* SQLite looks at "omit" only for the first sixteen arguments and terms. */
enum { OMITTED_AT_MOST = 16 };

bool pqext_plan_may_omit(int i, int n)
{
    return i < OMITTED_AT_MOST && n <= OMITTED_AT_MOST;
}

/* May SQLite be told not to test constraint i, argument n, again? */
static bool is_exact(const PqextTable *t, sqlite3_index_info *info, int i,
                     int n, PqextTerm term)
{
    if (!term.by_value || !pqext_plan_may_omit(i, n) ||
        (pqext_outer_offers(term.op) && !pqext_is_all_of_from(info)) ||
        (term.op == PQEXT_IN && may_be_repeated(info))) {
        return false;                /* a list that is exact has to be read */
    }
    return pqext_is_geo(term.op) ||
           pqext_condition_is_exact(t, (uint32_t)term.column, term.op,
                                    pqext_is_bytes(pqext_literal_of(info, i)));
}

/* ---- the shape ----------------------------------------------------------- */

/* The single column of a DISTINCT, or -1. */
static int distinct_column(const PqextTable *t, sqlite3_index_info *info)
{
    uint64_t used = info->colUsed;
    int column = used ? __builtin_ctzll(used) : -1;
    const PqColumn *c = pqext_column_at(t, column);

    return sqlite3_vtab_distinct(info) >= 2 && c && column < 63 &&
                   (used & (used - 1)) == 0 && t->options.trust_stats &&
                   pq_column_is_leaf(c)
               ? column : -1;
}

/* Does a used column have its values in pages?  Bit 63 stands for all columns
** from there on. */
static bool uses_pages(const PqextTable *t, sqlite3_uint64 used)
{
    bool any = false;

    for (uint32_t i = 0; i < t->table->n_columns && !any; i++) {
        any = used >> (i < 63 ? i : 63) & 1 &&
              pq_column_is_of_pages(&t->table->columns[i]);
    }
    return any;
}

/* ---- the plan ------------------------------------------------------------ */

/* An empty plan with room for n_terms; NULL: no memory. */
static PqextPlan *new_plan(int n_terms)
{
    size_t size = pqext_plan_size((uint32_t)n_terms);
    PqextPlan *p = sqlite3_malloc64(size);

    if (p) {
        memset(p, 0, size);
        p->distinct = -1;
    }
    return p;
}

enum { ASKED_AT_MOST = 16 };         /* further terms do not change the guess */

typedef struct Plan {
    PqextTable  *t;
    PqextPlan   *out;
    PqextAsked   asked[ASKED_AT_MOST];
    uint32_t     n_asked;
    double       rows, read;         /* given, and read                     */
    double       by_key;             /* what a row by its key costs         */
    bool         one_row;
    bool         all_exact;          /* no row is left that SQLite drops    */
    bool         guarded;            /* perhaps by another table's column   */
    bool         keyed;              /* ... by value: by a key, perhaps     */
    bool         outer_known, outer; /* a view may have an outer join       */
} Plan;

static bool is_limit(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_LIMIT ||
           op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

static void take_term(Plan *p, sqlite3_index_info *info, int i, PqextTerm term)
{
    sqlite3_value *literal = pqext_literal_of(info, i);
    bool varies;

    if (term.op == PQEXT_EQ && sqlite3_vtab_in(info, i, 1)) {
        term.op = PQEXT_IN;
    }
    varies = pqext_is_equal(term.op) && !literal;    /* a list does not */
    term.exact = is_exact(p->t, info, i, (int)p->out->n_terms + 1, term);
    term.literal = term.column != PQEXT_ROWID && !term.by_value &&
                   literal != NULL;
    p->out->terms[p->out->n_terms++] = term;
    info->aConstraintUsage[i].argvIndex = (int)p->out->n_terms;
    info->aConstraintUsage[i].omit = term.exact;
    if (p->n_asked < ASKED_AT_MOST) {
        p->asked[p->n_asked++] = (PqextAsked){term, literal};
    }
    p->one_row |= term.column == PQEXT_ROWID && pqext_is_equal(term.op);
    p->all_exact &= term.exact || !term.by_value;
    p->guarded |= varies;
    p->keyed |= varies && term.by_value;
}

/* Could the condition belong to the ON of an outer join inside a view? */
static bool may_be_of_on(Plan *p, const sqlite3_index_info *info, PqextOp op)
{
    if (!pqext_outer_offers(op) || pqext_is_all_of_from(info)) {
        return false;
    }
    if (!p->outer_known) {
        p->outer = pqext_outer_in_schema(p->t);
        p->outer_known = true;
    }
    return p->outer;
}

static void take_terms(Plan *p, sqlite3_index_info *info)
{
    PqextTerm term;

    for (int i = 0; i < info->nConstraint; i++) {
        if (useful(p->t, info, i, &term) && !may_be_of_on(p, info, term.op)) {
            take_term(p, info, i, term);
        } else {
            p->all_exact &= is_limit(info->aConstraint[i].op);
        }
    }
}

/* Are the rows so many that reading them twice, to gather values, takes less than a
** record of each?  A call whose operands are not known may be one of many, with few
** rows each. */
static bool are_many(const Plan *p)
{
    enum { MANY = 1 << 16 };

    for (uint32_t i = 0; i < p->n_asked; i++) {
        if (!p->asked[i].operand) {
            return false;
        }
    }
    return p->t->rows_guess * pqext_estimate(p->t, p->asked, p->n_asked).given >= MANY;
}

/* Plans groups.  Are they hashed, and sorted for an ORDER BY? */
static bool sorts_groups(Plan *p, sqlite3_index_info *info)
{
    PqextGroupBy *by = &p->out->groups;

    pqext_group_plan(p->t, info, p->guarded, p->out->order.n > 0, by);
    by->gathers = by->gathers && (!by->hashed || are_many(p));
    return by->hashed && by->ordered;
}

/* Takes what the plan says about the rows that the terms leave.  Elements of a
** list come as they lie in the files, because putting rows aside, and picking
** them, works by their numbers in the files. */
static void take_shape(Plan *p, sqlite3_index_info *info)
{
    PqTopBy *order = &p->out->order;
    PqextGroupBy *groups = &p->out->groups;

    if (p->t->table->unnest.n > 0) {
        if (info->nOrderBy > 0 && sqlite3_vtab_distinct(info) == 1) {
            sqlite3_snprintf(PQEXT_WHY_ROOM, groups->why_not,
                             "rows are elements of a list");
        }
        return;
    }
    info->orderByConsumed = info->nOrderBy == 1 &&
                            info->aOrderBy[0].iColumn < 0 &&
                            !info->aOrderBy[0].desc;
    p->out->distinct = distinct_column(p->t, info);
    if (p->out->distinct >= 0 || info->orderByConsumed || p->one_row) {
        return;
    }
    if (!p->keyed && pqext_file_order_plan(p->t, info, &p->out->files)) {
        info->orderByConsumed = 1;
        return;
    }
    if (pqext_order_plan(p->t, info, p->all_exact, p->guarded, order)) {
        p->out->no_columns = false;  /* the order reads one */
        if (order->only_sorted && !sorts_groups(p, info)) {
            *groups = (PqextGroupBy){0};
        }
    } else {
        *order = (PqTopBy){0};
        if ((!sorts_groups(p, info) && (groups->n != 1 || sqlite3_vtab_distinct(info))) ||
            !pqext_order_columns(p->t, info, order)) {
            *order = (PqTopBy){0};
        }
    }
    order->repeats = groups->n > 0;
    info->orderByConsumed = order->n > 0 || groups->n > 0;
}

/* Takes the cost of finding rows by an index of the term's column.  Calls with
** one key after the other make that index (cursor_join.h). */
static void ask_key(Plan *p, PqextTerm term, uint64_t used)
{
    if (term.by_value && pqext_is_equal(term.op) &&
        pqext_join_can(p->t, (uint32_t)term.column)) {
        double rows = pqext_rows_of_value(p->t, (uint32_t)term.column);
        double cost;

        p->rows = p->rows < rows ? p->rows : rows;
        cost = pqext_join_cost(p->t, (uint32_t)term.column, used,
                               p->n_asked - 1, p->rows);
        p->by_key = p->by_key < cost ? p->by_key : cost;
    }
}

static void estimate(Plan *p, uint64_t used)
{
    PqextShares shares = pqext_estimate(p->t, p->asked, p->n_asked);

    p->rows = p->t->rows_guess * shares.given;
    p->read = p->t->rows_guess * shares.read;
    for (uint32_t i = 0; i < p->n_asked; i++) {
        if (!p->asked[i].operand) {
            ask_key(p, p->asked[i].term, used);
        }
    }
}

/* Steps for a row that a term tests (join_cost.c).  A LIKE of times is a range
** of numbers. */
static double cost_of(const PqextTable *t, PqextTerm term)
{
    static const double number = 0.3, pattern = 2, geometry = 4;

    if (!term.by_value || pqext_is_geo(term.op)) {
        return term.by_value ? geometry : 0;
    }
    return pqext_is_pattern(term.op) &&
                   pqext_meaning(t, &t->table->columns[term.column].type).order !=
                       PQ_WANTED_PLACES
               ? pattern : number;
}

/* Steps for a tested row, given or not, by the dearest term.
**
** SQLite can do without an operand of another table.  It then takes all rows
** and tests them, which takes longer, but to it a LIKE or a function costs
** nothing.  So such a term costs less than a row that is given, and less than
** the three steps that a row of a native table costs. */
static double test_cost(const Plan *p, uint64_t used)
{
    static const double joined = 2;
    double given = 0.95 * pqext_row_cost(used), most = 0;

    for (uint32_t i = 0; i < p->n_asked; i++) {
        double cost = cost_of(p->t, p->asked[i].term);

        most = fmax(most, p->asked[i].operand
                              ? cost : fmin(cost, fmin(joined, given)));
    }
    return most;
}

/* Of the ways to get at a table SQLite keeps the cheapest, however many rows it
** gives to the tables after it.  A call costs about this much.  A little more
** where nothing goes down makes two sides of an OR, with a row each, cheaper
** than all 25 rows of a table:
**
**   (n1.name = 'FRANCE' AND n2.name = 'GERMANY') OR
**   (n1.name = 'GERMANY' AND n2.name = 'FRANCE')
*/
static const double a_call = 100, a_call_for_all = 220;

static void tell_cost(Plan *p, sqlite3_index_info *info)
{
    double call = p->out->n_terms > 0 ? a_call : a_call_for_all;

    estimate(p, info->colUsed);
    p->rows = p->rows < 1 ? 1 : p->rows;
    info->estimatedRows = p->rows > 1e15 ? (sqlite3_int64)1e15
                                         : (sqlite3_int64)p->rows;
    info->estimatedCost = call + p->read * test_cost(p, info->colUsed) +
                          p->rows * pqext_row_cost(info->colUsed);
    if (p->by_key < info->estimatedCost) {
        info->estimatedCost = p->by_key;
    }
    info->idxFlags = p->one_row ? SQLITE_INDEX_SCAN_UNIQUE : 0;
}

/* EXPLAIN shows these as the number of the index. */
enum { COUNTS = 1, TAKES_ONLY_SORTED = 2 };

static int tell_plan(const Plan *p, sqlite3_index_info *info)
{
    const PqextPlan *plan = p->out;
    sqlite3_str *s = sqlite3_str_new(NULL);

    pqext_plan_put(p->t, s, plan);
    pqext_plan_put_left(p->t, s, info);
    pqext_plan_sign(s, p->t->host);
    sqlite3_str_append(s, (const char *)plan,
                       (int)pqext_plan_size(plan->n_terms));
    return pqext_plan_give(
        s, info, (plan->no_columns ? COUNTS : 0) |
                     (plan->order.only_sorted ? TAKES_ONLY_SORTED : 0));
}

PqextPlan *pqext_plan_of_source(PqextTable *t, sqlite3_index_info *info,
                                PqextSourceCost *out)
{
    Plan p = {.t = t, .by_key = INFINITY, .all_exact = true};

    p.out = new_plan(info->nConstraint);
    if (p.out) {
        take_terms(&p, info);
        estimate(&p, 0);
        *out = (PqextSourceCost){
            .given = p.rows, .tested = p.read * test_cost(&p, UINT64_MAX),
            .read = p.read, .keyed = p.guarded, .all_exact = p.all_exact};
    }
    return p.out;
}

int pqext_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    PqextTable *t = (PqextTable *)vtab;
    Plan p = {.t = t, .by_key = INFINITY, .all_exact = true};
    int rc;

    if (t->own) {
        return t->own->best_index(t, info);
    }
    p.out = new_plan(info->nConstraint);
    if (!p.out) {
        return SQLITE_NOMEM;
    }
    p.out->no_columns = !uses_pages(t, info->colUsed);
    p.out->columns = info->colUsed;
    take_terms(&p, info);
    take_shape(&p, info);
    tell_cost(&p, info);
    rc = tell_plan(&p, info);
    sqlite3_free(p.out);
    return rc;
}
