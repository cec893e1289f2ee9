/*
** plan.c - what SQLite asks, and what of it helps.
*/
#include "ext/cursor/distinct.h"
#include "ext/plan/estimate.h"
#include "ext/order/order.h"
#include "ext/cursor/key.h"
#include "ext/plan/outer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* None is the beginning of another. */
static const char *const op_names[] = {
    [PQEXT_EQ] = "= ?", [PQEXT_LT] = "< ?", [PQEXT_LE] = "<= ?",
    [PQEXT_GT] = "> ?", [PQEXT_GE] = ">= ?", [PQEXT_IN] = "IN ?",
    [PQEXT_IS_NULL] = "IS NULL", [PQEXT_NOT_NULL] = "IS NOT NULL",
    [PQEXT_NE] = "<> ?", [PQEXT_IS] = "IS ?", [PQEXT_IS_NOT] = "IS NOT ?",
    [PQEXT_LIKE] = "LIKE ?", [PQEXT_GLOB] = "GLOB ?",
};

static const char rowid_words[] = "rowid ";
static const char file_words[] = "files by ";
static const char literal_words[] = "files by literal ";
static const char value_words[] = "rows by ";
static const char exact_words[] = "exactly ";
static const char within_words[] = "rows of files by ";

static bool begins(const char *z, const char *words)
{
    return strncmp(z, words, strlen(words)) == 0;
}

bool pqext_plan_take(const char **at, const char *words)
{
    bool there = begins(*at, words);

    *at += there ? strlen(words) : 0;
    return there;
}

/* ---- names ------------------------------------------------------------- */

static const char rowid_name[] = "rowid";
const char pqext_plan_desc[] = " desc";

static bool is_plain(const char *name)
{
    const char *z = name;

    while (isalnum((unsigned char)*z) || *z == '_' || *z == '.' ||
           (unsigned char)*z >= 0x80) {
        z++;
    }
    return !*z && z > name && sqlite3_stricmp(name, rowid_name) != 0 &&
           strcmp(name, "first") != 0;       /* "in order of a, first 10" */
}

void pqext_plan_put_name(sqlite3_str *s, const PqextTable *t, int column)
{
    const char *name = column < 0 ? rowid_name : t->table->columns[column].name;

    sqlite3_str_appendf(s, column < 0 || is_plain(name) ? "%s" : "\"%w\"",
                        name);
}

/* Where a name that begins at z ends. */
static const char *end_of_name(const char *z)
{
    if (*z != '"') {
        return z + strcspn(z, " ,");
    }
    for (z++; *z && (*z != '"' || z[1] == '"'); z++) {
        z += *z == '"';
    }
    return z + (*z == '"');
}

/* Is name what is written from z to end? */
static bool is_name(const char *z, const char *end, const char *name)
{
    bool quoted = *z == '"';

    for (z += quoted, end -= quoted; z < end && *name == *z; z++, name++) {
        z += quoted && *z == '"';
    }
    return z == end && !*name;
}

/* A plan is read in every pass, and there may be thousands of columns: the one
** that was found last for a hash of the name is looked at first. */
bool pqext_plan_take_name(const char **at, PqextTable *t, int *column)
{
    const char *z = *at, *end = end_of_name(z);
    uint32_t *last = &t->named[pq_key_hash_bytes(pq_slice(z, (size_t)(end - z)))
                               % PQEXT_NAMES_KEPT];

    *at = end;
    *column = PQEXT_ROWID;
    if (is_name(z, end, rowid_name) && *z != '"') {
        return true;
    }
    for (uint32_t n = 0, i = *last; n < t->n_columns; n++) {
        if (is_name(z, end, t->table->columns[i].name)) {
            *column = (int)i;
            *last = i;
            return true;
        }
        i = i + 1 < t->n_columns ? i + 1 : 0;
    }
    return false;
}

/* ---- terms ------------------------------------------------------------- */

static bool within_files(const PqextTable *t, int column)
{
    return column >= 0 && (uint32_t)column < t->table->n_columns &&
           t->table->columns[column].kind == PQ_COLUMN_FILE_ROW;
}

static void write_term(const PqextTable *t, sqlite3_str *s, PqextTerm term,
                       int n)
{
    sqlite3_str_appendall(s, n ? ", " : "");
    if (term.column == PQEXT_ROWID) {
        sqlite3_str_appendall(s, rowid_words);
    } else {
        sqlite3_str_appendall(s, term.exact      ? exact_words
                                 : term.by_value ? value_words
                                 : within_files(t, term.column) ? within_words
                                 : term.literal  ? literal_words
                                                 : file_words);
        pqext_plan_put_name(s, t, term.column);
        sqlite3_str_appendchar(s, 1, ' ');
    }
    sqlite3_str_appendall(s, op_names[term.op]);
}

static bool take_op(const char **at, PqextOp *out)
{
    for (size_t i = 0; i < PQ_COUNT(op_names); i++) {
        if (pqext_plan_take(at, op_names[i])) {
            *out = (PqextOp)i;
            return true;
        }
    }
    return false;
}

bool pqext_plan_term(PqextTable *t, const char **at, PqextTerm *out)
{
    const char *z = *at;

    *out = (PqextTerm){0};
    pqext_plan_take(&z, ", ");
    if (pqext_plan_take(&z, rowid_words)) {
        out->column = PQEXT_ROWID;
    } else {
        out->exact = pqext_plan_take(&z, exact_words);
        out->by_value = out->exact || pqext_plan_take(&z, value_words);
        if (!out->by_value && !pqext_plan_take(&z, within_words)) {
            out->literal = pqext_plan_take(&z, literal_words);
            if (!out->literal && !pqext_plan_take(&z, file_words)) {
                return false;
            }
        }
        if (!pqext_plan_take_name(&z, t, &out->column) ||
            !pqext_plan_take(&z, " ")) {
            return false;
        }
    }
    if (!take_op(&z, &out->op)) {
        return false;
    }
    *at = z;
    return true;
}

const char *pqext_plan_shape(PqextTable *t, const char *plan)
{
    PqextTerm term;

    while (pqext_plan_term(t, &plan, &term)) {
    }
    return plan + (begins(plan, ", ") ? 2 : 0);
}

static const char group_words[] = "grouped by ";
static const char once_words[] = ", a row of each";

static void write_groups(const PqextTable *t, sqlite3_str *s,
                         const PqextGroupBy *by, int n)
{
    for (uint32_t i = 0; i < by->n; i++) {
        sqlite3_str_appendf(s, "%s%s", n || i ? ", " : "",
                            i ? "" : group_words);
        pqext_plan_put_name(s, t, (int)by->column[i]);
        sqlite3_str_appendall(s, by->descending[i] ? pqext_plan_desc : "");
    }
    if (by->n > 0 && by->once) {
        sqlite3_str_appendall(s, once_words);
    }
}

bool pqext_plan_groups(PqextTable *t, const char *shape, PqextGroupBy *out)
{
    int column;

    *out = (PqextGroupBy){0};
    if (!pqext_plan_take(&shape, group_words)) {
        return false;
    }
    while (out->n < PQEXT_GROUP_COLUMNS && !begins(shape, once_words) &&
           pqext_plan_take_name(&shape, t, &column) && column >= 0) {
        out->column[out->n] = (uint32_t)column;
        out->descending[out->n++] = pqext_plan_take(&shape, pqext_plan_desc);
        if (begins(shape, once_words) || !pqext_plan_take(&shape, ", ")) {
            break;
        }
    }
    out->once = begins(shape, once_words);
    return out->n > 0;
}

static bool known_op(int op, PqextOp *out)
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
    default:                         return false;
    }
}

static bool by_file(const PqextTable *t, int column)
{
    if (column < 0 || (uint32_t)column >= t->table->n_columns) {
        return false;
    }
    return t->table->columns[column].kind == PQ_COLUMN_HIVE ||
           t->table->columns[column].kind == PQ_COLUMN_FILENAME ||
           t->table->columns[column].kind == PQ_COLUMN_FILE_INDEX;
}

bool pqext_is_text_of_file(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_FILENAME ||
           (c->kind == PQ_COLUMN_HIVE && c->hive_type != PQ_HIVE_INTEGER);
}

static bool is_pattern(PqextOp op)
{
    return op == PQEXT_LIKE || op == PQEXT_GLOB;
}

/* SQLite offers LIMIT to a table that is all of FROM. */
static bool is_all_of_from(const sqlite3_index_info *info)
{
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT) {
            return true;
        }
    }
    return false;
}

static bool is_declared(const PqextTable *t, int column)
{
    return column >= 0 && (uint32_t)column < t->table->n_columns;
}

/* Is constraint i of use?  Its term then is *out. */
static bool useful(const PqextTable *t, sqlite3_index_info *info, int i,
                   PqextTerm *out)
{
    const char *collation;

    *out = (PqextTerm){0};
    if (!info->aConstraint[i].usable ||
        !known_op(info->aConstraint[i].op, &out->op)) {
        return false;
    }
    if (info->aConstraint[i].iColumn < 0) {
        out->column = PQEXT_ROWID;
        return out->op < PQEXT_IS_NULL;
    }
    out->column = info->aConstraint[i].iColumn;
    if (within_files(t, out->column)) {
        return out->op < PQEXT_IS_NULL;
    }
    if (by_file(t, out->column)) {
        if (is_pattern(out->op) &&
            !pqext_is_text_of_file(&t->table->columns[out->column])) {
            return false;            /* LIKE of a number is of its text      */
        }
    } else if (is_declared(t, out->column) &&
               pqext_condition_can(t, (uint32_t)out->column, out->op)) {
        out->by_value = true;
    } else {
        return false;
    }
    collation = sqlite3_vtab_collation(info, i);
    return collation && sqlite3_stricmp(collation, "BINARY") == 0;
}

/* What constraint i compares with, where it is a literal; else NULL. */
static sqlite3_value *literal_of(sqlite3_index_info *info, int i)
{
    sqlite3_value *literal = NULL;

    return sqlite3_vtab_rhs_value(info, i, &literal) == SQLITE_OK ? literal
                                                                  : NULL;
}

/* Is the table perhaps gone through again and again?  Its rows then depend on
** something else: on what another table has to give first, or what is no literal.
** One that is all of FROM, and in order, is gone through once, or seldom. */
static bool may_be_repeated(sqlite3_index_info *info)
{
    if (is_all_of_from(info) && info->nOrderBy > 0) {
        return false;
    }
    for (int i = 0; i < info->nConstraint; i++) {
        PqextOp op;

        if (known_op(info->aConstraint[i].op, &op) &&
            (!info->aConstraint[i].usable ||
             (op != PQEXT_IS_NULL && op != PQEXT_NOT_NULL &&
              !sqlite3_vtab_in(info, i, -1) && !literal_of(info, i)))) {
            return true;
        }
    }
    return false;
}

/* SQLite heeds "omit" of the first sixteen arguments and terms only. */
enum { OMITTED_AT_MOST = 16 };

/* May SQLite be told not to test constraint i, argument n, again? */
static bool is_exact(const PqextTable *t, sqlite3_index_info *info, int i,
                     int n, PqextTerm term)
{
    if (!term.by_value || i >= OMITTED_AT_MOST || n > OMITTED_AT_MOST ||
        (pqext_outer_offers(term.op) && !is_all_of_from(info)) ||
        (term.op == PQEXT_IN && may_be_repeated(info))) {
        return false;                /* a list that is exact has to be read */
    }
    return pqext_condition_is_exact(t, (uint32_t)term.column, term.op,
                                 literal_of(info, i));
}

static int count_used(sqlite3_uint64 used)
{
    return __builtin_popcountll(used);
}

/* Rows with equal values in these columns side by side, and in order; for
** DISTINCT one of them is enough, unless SQLite may throw it away for another
** column's sake. */
static void consider_groups(PqextTable *t, sqlite3_index_info *info,
                            PqextGroupBy *by)
{
    bool distinct = sqlite3_vtab_distinct(info) > 1;
    sqlite3_uint64 others = info->colUsed;
    int i;

    *by = (PqextGroupBy){0};
    if (info->nOrderBy < 1 || info->nOrderBy > PQEXT_GROUP_COLUMNS) {
        return;
    }
    for (i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;

        if (!is_declared(t, column)) {
            *by = (PqextGroupBy){0};
            return;
        }
        by->column[by->n] = (uint32_t)column;
        by->descending[by->n++] = info->aOrderBy[i].desc;
        if (column < 63) {           /* bit 63: perhaps another one as well  */
            others &= ~((sqlite3_uint64)1 << column);
        }
    }
    by->once = distinct && others == 0;
    if (distinct > by->once || !pqext_group_pays(t, by, count_used(others))) {
        by->n = 0;
    }
}

enum { ASKED_AT_MOST = 16 };

typedef struct Plan {
    PqextTable  *t;
    sqlite3_str *text;
    int          n;                  /* arguments                           */
    PqextAsked   asked[ASKED_AT_MOST];
    uint32_t     n_asked;
    double       rows, read;         /* given, and read                     */
    double       by_key;             /* what a row by its key costs         */
    bool         one_row;
    bool         all_exact;          /* SQLite tests nothing again          */
    bool         guarded;            /* perhaps by another table's column   */
    bool         outer_known, outer; /* a view may have an outer join       */
} Plan;

static bool is_limit(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_LIMIT ||
           op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

/* Terms beyond these do not change the guess. */
static void ask(Plan *p, PqextTerm term, sqlite3_value *operand)
{
    if (p->n_asked < ASKED_AT_MOST) {
        p->asked[p->n_asked++] = (PqextAsked){term, operand};
    }
}

static void take_term(Plan *p, sqlite3_index_info *info, int i, PqextTerm term)
{
    if (term.op == PQEXT_EQ && sqlite3_vtab_in(info, i, 1)) {
        term.op = PQEXT_IN;
    }
    term.exact = is_exact(p->t, info, i, p->n + 1, term);
    term.literal = term.column != PQEXT_ROWID && !term.by_value &&
                   literal_of(info, i) != NULL;
    write_term(p->t, p->text, term, p->n);
    info->aConstraintUsage[i].argvIndex = ++p->n;
    info->aConstraintUsage[i].omit = term.exact;
    ask(p, term, literal_of(info, i));
    p->one_row |= term.column == PQEXT_ROWID && term.op == PQEXT_EQ;
    p->all_exact &= term.exact || term.column == PQEXT_ROWID;
    p->guarded |= (term.op == PQEXT_EQ || term.op == PQEXT_IS) &&
                  !literal_of(info, i);
}

/* Could the condition be of the ON of an outer join that a view hides? */
static bool may_be_of_on(Plan *p, const sqlite3_index_info *info, PqextOp op)
{
    if (!pqext_outer_offers(op) || is_all_of_from(info)) {
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

/* What the plan says of the rows behind its terms. */
static void take_shape(Plan *p, sqlite3_index_info *info)
{
    const char *comma = p->n > 0 ? ", " : "";
    int column = pqext_distinct_plan(p->t, info);
    PqextGroupBy groups = {0};
    PqTopBy by;

    info->orderByConsumed = info->nOrderBy == 1 &&
                            info->aOrderBy[0].iColumn < 0 &&
                            !info->aOrderBy[0].desc;
    if (column >= 0) {
        sqlite3_str_appendall(p->text, comma);
        pqext_distinct_write(p->t, column, p->text);
    } else if (info->orderByConsumed || p->one_row) {
        return;
    } else if (pqext_order_plan(p->t, info, p->all_exact, p->guarded, &by)) {
        sqlite3_str_appendall(p->text, comma);
        pqext_order_write(p->t, &by, p->text);
        info->orderByConsumed = 1;
        info->idxNum = by.only_sorted ? PQEXT_ONLY_SORTED : 0;
    } else {
        consider_groups(p->t, info, &groups);
        write_groups(p->t, p->text, &groups, p->n);
        info->orderByConsumed = groups.n > 0;
    }
}

/* A column that calls with one key after the other make an index of. */
static void ask_key(Plan *p, PqextTerm term, uint64_t used)
{
    if (term.by_value && term.op == PQEXT_EQ &&
        pqext_key_can(p->t, (uint32_t)term.column)) {
        double rows = pqext_rows_of_value(p->t, (uint32_t)term.column);
        double cost = pqext_key_cost(p->t, (uint32_t)term.column, used);

        p->rows = p->rows < rows ? p->rows : rows;
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

int pqext_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    PqextTable *t = (PqextTable *)vtab;
    Plan p = {.t = t, .by_key = INFINITY, .all_exact = true};
    double columns = 1;
    int rc;

    if (!t->table) {
        sqlite3_free(vtab->zErrMsg);
        vtab->zErrMsg = sqlite3_mprintf("%s", t->gone);
        return SQLITE_ERROR;
    }
    p.text = sqlite3_str_new(t->host->db);
    info->idxNum = info->colUsed == 0 ? PQEXT_NO_COLUMNS : 0;
    take_terms(&p, info);
    take_shape(&p, info);
    estimate(&p, info->colUsed);
    for (int i = 0; i < 64; i++) {
        columns += (double)(info->colUsed >> i & 1);
    }
    p.rows = p.rows < 1 ? 1 : p.rows;
    info->estimatedRows = p.rows > 1e15 ? (sqlite3_int64)1e15
                                        : (sqlite3_int64)p.rows;
    info->estimatedCost = 100 + p.read * (1 + columns * 0.2);
    if (p.by_key < info->estimatedCost) {
        info->estimatedCost = p.by_key;
    }
    info->idxFlags = p.one_row ? SQLITE_INDEX_SCAN_UNIQUE : 0;
    if (sqlite3_str_length(p.text) == 0) {
        sqlite3_str_appendall(p.text, info->colUsed == 0 ? "counts all rows"
                                                         : "reads all rows");
    }
    rc = sqlite3_str_errcode(p.text);
    info->idxStr = sqlite3_str_finish(p.text);
    if (rc == SQLITE_OK && info->idxStr) {
        info->idxStr = pqext_statement_sign(t->host, info->idxStr);
        rc = info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
    }
    info->needToFreeIdxStr = info->idxStr != NULL;
    return rc;
}
