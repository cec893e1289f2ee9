/*
** rollup_split.c - which dimensions need not split groups.
**
**   SELECT country, sum(total) FROM ev WHERE ts >= ?1 AND ts < ?2 GROUP BY country
**
** SQLite says that this statement uses country and ts.  But its text says that ts is
** only compared (sql/group_text.h), and the plan that SQLite leaves both comparisons
** to the table.  So there is a row per country, not one per country and ts: SQLite
** adds up the measures anyway.
**
** The text also says where only the first groups in the order of a measure are wanted
** (rollup_top.c).
**
** All texts are read that can be the statement's (sql/statement_text.h).  If any of
** them reads a dimension, or is not understood, groups are split as SQLite says.
*/
#include "ext/rollup/rollup_table.h"

#include "sql/statement_text.h"

typedef struct Asking {
    PqsqlGroupNames names;
    PqArena        *arena;
    PqsqlGroupText *found;
} Asking;

/* A name with a quote inside is not found in a text. */
static bool take_name(const char *name, PqSlice *out)
{
    *out = pq_slice_text(name);
    return !strpbrk(name, "'\"`[]");
}

static PqsqlAdds adds_of(PqRollupOp op)
{
    return op == PQ_ROLLUP_MIN   ? PQSQL_ADDS_MIN
           : op == PQ_ROLLUP_MAX ? PQSQL_ADDS_MAX : PQSQL_ADDS_SUM;
}

/* *all: all names can be found. */
static PqRc take_names(const PqextRollupRun *r, PqArena *a, PqsqlGroupNames *out,
                       bool *all, PqErr *e)
{
    const PqextDefinition *d = r->table->rollup;
    PqSlice *dimensions = pq_arena_zeros(a, d->n_dimensions + 1u,
                                         sizeof *dimensions, e);
    PqSlice *expressions = pq_arena_zeros(a, d->n_dimensions + 1u,
                                          sizeof *expressions, e);
    PqSlice *measures = pq_arena_zeros(a, d->n_measures + 1u, sizeof *measures, e);
    PqsqlAdds *adds = pq_arena_zeros(a, d->n_measures + 1u, sizeof *adds, e);

    PQ_TRY(dimensions && expressions && measures && adds ? PQ_OK : e->rc);
    *out = (PqsqlGroupNames){.dimensions = dimensions, .expressions = expressions,
                             .n_dimensions = d->n_dimensions,
                             .measures = measures, .adds = adds,
                             .n_measures = d->n_measures,
                             .used = r->plan.used, .offered = r->plan.offered};
    *all = take_name(r->table->name, &out->table);
    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        *all &= take_name(d->dimensions[i].name, &dimensions[i]);
        /* A comparison with a value splits no groups, written either way. */
        if (d->dimensions[i].kind != PQEXT_DIM_COLUMN && !d->dimensions[i].is_test) {
            expressions[i] = pq_slice_text(d->dimensions[i].text);
        }
    }
    for (uint32_t i = 0; i < d->n_measures; i++) {
        *all &= take_name(d->measures[i].name, &measures[i]);
        adds[i] = adds_of(d->measures[i].op);
    }
    return PQ_OK;
}

static bool is_strange(const char *sql, const void *arg)
{
    const Asking *a = arg;

    return !pqsql_group_text(sql, &a->names, a->arena, a->found);
}

/* Does a program call another function by a name that the text is understood by?
** PRAGMA itself takes a tenth of what a SELECT from pragma_function_list takes. */
static bool has_own_functions(sqlite3 *db)
{
    enum { NAME, BUILTIN, TYPE };
    sqlite3_stmt *s = NULL;
    bool listed = sqlite3_prepare_v2(db, "PRAGMA function_list", -1, &s, NULL) ==
                  SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
    bool own = !listed;

    for (int rc = SQLITE_ROW; !own && rc != SQLITE_DONE; rc = sqlite3_step(s)) {
        own = rc != SQLITE_ROW ||
              (!sqlite3_column_int(s, BUILTIN) &&
               pqsql_group_relies_on((const char *)sqlite3_column_text(s, NAME),
                                     *sqlite3_column_text(s, TYPE) == 's'));
    }
    sqlite3_finalize(s);
    return own;
}

/* The dimensions that the statement uses. */
static uint64_t dimensions_of(const PqextRollupRun *r)
{
    return r->plan.used & (((uint64_t)1 << r->table->rollup->n_dimensions) - 1);
}

/* Does it depend on functions how groups are split?  To ask for them takes most of a
** millisecond. */
static bool depends_on_functions(const PqextRollupRun *r, const PqsqlGroupText *text)
{
    return !text->unknown && (text->has_top || (dimensions_of(r) & ~text->read));
}

/* Without dimensions the text is only looked through for mistakes. */
static bool is_strange_here(const PqextRollupRun *r, const Asking *a)
{
    sqlite3 *db = r->table->host->db;

    return dimensions_of(r)
               ? pqsql_text_anywhere(db, r->table->schema, is_strange, a)
               : pqsql_text_in_statements(db, is_strange, a);
}

/* Terms of the source whose operands may differ belong to dimensions that split
** groups: kept groups are looked up by them (rollup_made.c). */
static void forget_keys(PqextRollupRun *r, uint32_t dimension)
{
    const PqextDimension *of = &r->table->rollup->dimensions[dimension];

    for (uint32_t i = 0; i < r->plan.n_terms && i < PQEXT_ROLLUP_TERMS; i++) {
        if (of->kind == PQEXT_DIM_COLUMN &&
            r->plan.terms[i].column == (int)of->column) {
            r->plan.keys &= ~((uint64_t)1 << i);
        }
    }
    for (uint32_t i = 0; i < r->plan.n_others && i < PQEXT_ROLLUP_TERMS; i++) {
        if (r->plan.others[i].dimension == dimension) {
            r->plan.other_keys &= ~((uint64_t)1 << i);
        }
    }
}

/* groups are not split by ts, day */
static const char *note_of(const PqextRollupRun *r, uint64_t out, PqArena *a, PqErr *e)
{
    const PqextDefinition *d = r->table->rollup;
    const char *before = "groups are not split by ";
    PqBuf b;

    pq_buf_init(&b, a->mem, e);
    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        if (out >> i & 1) {
            pq_buf_text(&b, before);
            pq_buf_text(&b, d->dimensions[i].name);
            before = ", ";
        }
    }
    return pq_arena_take(a, &b);
}

/* ---- what SQLite tests again ------------------------------------------------ */

enum { MOST_TESTS = 8 };

bool pqext_rollup_is_tested(const PqextRollupRun *r, const PqextTerm *term)
{
    for (uint64_t left = r->tested | r->sure; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);

        if (r->table->rollup->dimensions[i].kind == PQEXT_DIM_COLUMN &&
            r->table->rollup->dimensions[i].column == (uint32_t)term->column) {
            return true;
        }
    }
    return false;
}

/* Is it the only dimension of its column? */
static bool is_only(const PqextDefinition *d, uint32_t dimension)
{
    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        if (i != dimension && d->dimensions[i].kind == PQEXT_DIM_COLUMN &&
            d->dimensions[i].column == d->dimensions[dimension].column) {
            return false;
        }
    }
    return true;
}

typedef struct Test {
    PqextOp op;
    PqCell  operand;
} Test;

/* May a comparison with an operand of this class be exact?  A text that looks like a
** number is compared with numbers of a column as one. */
static bool suits(const PqextTable *source, const PqextDimension *of, PqextOp op, int type)
{
    if (of->kind != PQEXT_DIM_COLUMN) {
        return type != SQLITE_NULL;
    }
    switch (pqext_affinity(source, of->column)) {
    case PQEXT_AFF_TEXT:
        return type == SQLITE_TEXT;
    case PQEXT_AFF_NUMERIC:
        return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) &&
               pqext_condition_is_exact(source, of->column, op, false);
    default:
        return false;
    }
}

/* Is the comparison exact, now that the class of the operand is known?  The text shows
** that it has no affinity. */
static bool is_exact_now(PqextRollupRun *r, uint32_t dimension, PqextOp op,
                         sqlite3_value *v)
{
    bool compares = op <= PQEXT_GE || op == PQEXT_NE || op == PQEXT_IS ||
                    op == PQEXT_IS_NOT;

    return (compares || op == PQEXT_NOT_NULL) &&
           pqext_scan_believes(&r->source, op, false) &&
           (op == PQEXT_NOT_NULL ||
            suits(r->table->source, &r->table->rollup->dimensions[dimension], op,
                  sqlite3_value_type(v)));
}

/* The bytes stay as long as the operand.  IS NOT NULL is <> NULL in the order of cells.
** False: the operand is a BLOB, or there are too many tests. */
static bool add_test(PqextOp op, sqlite3_value *v, Test *tests, uint32_t *n)
{
    int type = sqlite3_value_type(v);
    const unsigned char *text = type == SQLITE_TEXT ? sqlite3_value_text(v) : NULL;

    if (*n == MOST_TESTS || type == SQLITE_BLOB || (type == SQLITE_TEXT && !text)) {
        return false;
    }
    tests[*n].op = op == PQEXT_IS ? PQEXT_EQ : op == PQEXT_NOT_NULL ? PQEXT_NE : op;
    tests[(*n)++].operand =
        op == PQEXT_NOT_NULL     ? (PqCell){.kind = PQ_CELL_NULL}
        : text                   ? pq_cell_text(pq_slice(text, (size_t)sqlite3_value_bytes(v)))
        : type == SQLITE_INTEGER ? pq_cell_int(sqlite3_value_int64(v))
                                 : pq_cell_real(sqlite3_value_double(v));
    return true;
}

/* The comparisons of a dimension, if all are exact now: how many; 0: others are there,
** or too many. */
static uint32_t find_tests(PqextRollupRun *r, uint32_t dimension,
                           sqlite3_value **argv, Test *out)
{
    const PqextDimension *of = &r->table->rollup->dimensions[dimension];
    const PqextRollupPlan *p = &r->plan;
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_terms && of->kind == PQEXT_DIM_COLUMN; i++) {
        const PqextTerm *t = &p->terms[i];

        if (t->column == (int)of->column &&
            (!t->by_value || !is_exact_now(r, dimension, t->op, argv[i]) ||
             !add_test(t->op, argv[i], out, &n))) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < p->n_others; i++) {
        const PqextRollupTerm *t = &p->others[i];
        sqlite3_value *v = argv[p->n_terms + i];

        if (t->dimension == dimension &&
            (!is_exact_now(r, dimension, t->op, v) || !add_test(t->op, v, out, &n))) {
            return 0;
        }
    }
    return n;
}

static bool passes_all(const Test *tests, uint32_t n, const PqCell *v)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!pqext_op_holds(tests[i].op, pq_cell_compare(v, &tests[i].operand))) {
            return false;
        }
    }
    return true;
}

/* Does the scan keep no row that fails a constraint on the dimension?  <> is tested
** again by SQLite before 3.51.0, and so is a parameter that may be a number. */
static bool is_sure(const PqextRollupRun *r, uint32_t dimension, sqlite3_value **argv)
{
    const PqextTable *source = r->table->source;
    uint32_t column = r->table->rollup->dimensions[dimension].column, n = 0;

    for (uint32_t i = 0; i < r->plan.n_terms; i++) {
        const PqextTerm *t = &r->plan.terms[i];

        if (t->column == (int)column) {
            int type = sqlite3_value_type(argv[i]);

            n++;
            if (!t->exact &&
                (!t->by_value || t->op == PQEXT_IN ||
                 !pqext_condition_is_exact(source, column, t->op,
                                           type == SQLITE_TEXT || type == SQLITE_BLOB))) {
                return false;
            }
        }
    }
    return n == r->plan.offered[dimension] && is_only(r->table->rollup, dimension);
}

/* The operands may be others: datetime('now') is, in a subquery that is called again. */
bool pqext_rollup_still_passes(PqextRollupRun *r, sqlite3_value **argv)
{
    Test tests[MOST_TESTS];

    for (uint64_t left = r->tested; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint32_t n = find_tests(r, i, argv, tests);

        if (n != r->plan.offered[i] || !passes_all(tests, n, &r->passes[i])) {
            return false;
        }
    }
    for (uint64_t left = r->sure; left; left &= left - 1) {
        if (!is_sure(r, (uint32_t)__builtin_ctzll(left), argv)) {
            return false;
        }
    }
    return true;
}

/* A copy of the text, or the next text, which ends with \1. */
static PqRc copy_text(PqextRollupRun *r, const PqCell *v, bool next, PqCell *out, PqErr *e)
{
    char *text = pq_arena_text(&r->arena, v->p, v->n, e);

    PQ_TRY(text ? PQ_OK : e->rc);
    text[v->n] = 1;                  /* there is room for a NUL */
    *out = pq_cell_text(pq_slice(text, v->n + next));
    return PQ_OK;
}

enum { ITSELF, AFTER, BEFORE, BETWEEN };

/* A guess at a value that passes: the i-th operand, a value just beside it, or between
** it and another one. */
static PqRc guess(PqextRollupRun *r, const Test *tests, uint32_t i, uint32_t how,
                  PqCell *out, PqErr *e)
{
    const PqCell *v = &tests[i].operand;
    double d = pq_cell_is_number(v) ? pq_cell_double(v) : 0;

    *out = *v;
    if (v->kind == PQ_CELL_TEXT) {
        return copy_text(r, v, how == AFTER, out, e);
    }
    if (how == ITSELF) {
        return PQ_OK;
    }
    if (how >= BETWEEN && pq_cell_is_number(&tests[how - BETWEEN].operand)) {
        d = d / 2 + pq_cell_double(&tests[how - BETWEEN].operand) / 2;
    }
    *out = pq_cell_real(how == AFTER ? d + 1 : how == BEFORE ? d - 1 : d);
    return PQ_OK;
}

/* WHERE ts > ?1 AND ts < ?2: the comparisons are exact, but the plan could not know that,
** and SQLite tests them again.  All that it asks of ts is a value that passes.  *is:
** there is one. */
static PqRc find_passing(PqextRollupRun *r, uint32_t dimension, sqlite3_value **argv,
                         bool *is, PqErr *e)
{
    const PqextDimension *of = &r->table->rollup->dimensions[dimension];
    Test tests[MOST_TESTS];
    uint32_t n;

    *is = false;
    if (r->table->utf16 ||
        (of->kind == PQEXT_DIM_COLUMN && !is_only(r->table->rollup, dimension))) {
        return PQ_OK;
    }
    n = find_tests(r, dimension, argv, tests);
    if (n == 0 || n != r->plan.offered[dimension]) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < n * (n + BETWEEN) && !*is; i++) {
        PQ_TRY(guess(r, tests, i % n, i / n, &r->passes[dimension], e));
        *is = passes_all(tests, n, &r->passes[dimension]);
    }
    return PQ_OK;
}

/* Groups are made without these dimensions. */
static void leave_out(PqextRollupRun *r, uint64_t out)
{
    for (uint64_t left = out; left; left &= left - 1) {
        forget_keys(r, (uint32_t)__builtin_ctzll(left));
    }
    r->plan.used &= ~out;
    r->of_rows = dimensions_of(r) == 0;
}

/* IS NOT NULL is tested again by an SQLite that is built with STAT4, whatever the plan
** says: there it makes two terms of it, and offers one. */
static bool is_not_null(const PqextRollupRun *r, uint32_t dimension)
{
    const PqextRollupPlan *p = &r->plan;
    const PqextDimension *of = &r->table->rollup->dimensions[dimension];
    bool found = false;

    for (uint32_t i = 0; i < p->n_terms && of->kind == PQEXT_DIM_COLUMN; i++) {
        found |= p->terms[i].column == (int)of->column && p->terms[i].op == PQEXT_NOT_NULL;
    }
    for (uint32_t i = 0; i < p->n_others; i++) {
        found |= p->others[i].dimension == dimension && p->others[i].op == PQEXT_NOT_NULL;
    }
    return found;
}

static PqRc take_out(PqextRollupRun *r, PqsqlGroupText *text, sqlite3_value **argv,
                     PqErr *e)
{
    uint32_t n = r->table->rollup->n_dimensions;
    uint64_t out = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << i;
        bool is = (r->plan.exact & bit) && !is_not_null(r, i);

        if (!(r->plan.used & bit & ~text->read)) {
            continue;
        }
        if (!is) {
            PQ_TRY(find_passing(r, i, argv, &is, e));
            r->tested |= is ? bit : 0;
        }
        out |= is ? bit : 0;
    }
    for (uint32_t i = 0; i < r->plan.n_order; i++) {
        if (r->plan.order[i] < n && (out >> r->plan.order[i] & 1)) {
            r->tested = 0;
            text->n_blocks = 0;      /* it cannot be the statement's */
            return PQ_OK;
        }
    }
    if (out == 0) {
        return PQ_OK;
    }
    leave_out(r, out);
    r->not_split = note_of(r, out, &r->arena, e);
    return r->not_split ? PQ_OK : e->rc;
}

/* WHERE searched: the dimension is 1 in all groups, and need not be made. */
static void take_known(PqextRollupRun *r)
{
    uint64_t left = (r->is_true | r->is_false) & dimensions_of(r);

    for (uint32_t i = 0; i < r->plan.n_order; i++) {
        left &= r->plan.order[i] < PQ_ROLLUP_KEYS ? ~((uint64_t)1 << r->plan.order[i])
                                                  : UINT64_MAX;
    }
    for (; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        bool is_true = r->is_true >> i & 1;

        if (pqext_dimension_is_known(r->table->rollup, i, is_true)) {
            r->known |= (uint64_t)1 << i;
            r->passes[i] = pq_cell_int(is_true);
        }
    }
    if (r->known) {
        leave_out(r, r->known);
        r->top.by &= ~r->known;
        r->top.n = r->top.parts && r->top.by == 0 ? 0 : r->top.n;
    }
}

/* Do all groups pass WHERE? */
static bool tests_all(PqextRollupRun *r, const PqsqlGroupText *text, sqlite3_value **argv)
{
    uint64_t left_to_us = r->plan.exact | r->tested;
    const PqextDefinition *d = r->table->rollup;
    uint32_t n = d->n_dimensions;

    if (!text->simple) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (((text->is_true | text->is_false) >> i & 1) && !d->dimensions[i].gives_truth) {
            return false;
        }
        if (text->constraints[i] != r->plan.offered[i]) {
            return false;
        }
        if (r->plan.offered[i] > 0 && !(left_to_us >> i & 1)) {
            if (!is_sure(r, i, argv)) {
                return false;
            }
            r->sure |= (uint64_t)1 << i;
        }
    }
    return true;
}

/* With other dimensions than GROUP BY has, a row of the answer has several groups.  Its
** count(DISTINCT d) is their number if only d tells them apart. */
static bool can_order(const PqsqlGroupText *text, uint64_t others)
{
    return (text->grouped > 0 || others == 0) &&
           (text->top_of != PQSQL_TOP_VALUES ||
            others == (uint64_t)1 << text->top_column);
}

static void take_top(PqextRollupRun *r, const PqsqlGroupText *text, sqlite3_value **argv)
{
    /* A dimension that is always true, or always false, makes no more groups. */
    uint64_t used = dimensions_of(r) &
                    ~((text->is_true | text->is_false) & ~text->grouped);
    uint64_t others = used & ~text->grouped;

    if (text->n_blocks == 1 && text->has_top && (text->grouped & ~used) == 0 &&
        can_order(text, others) && tests_all(r, text, argv)) {
        r->top.n = text->top;
        r->top.by = text->grouped;
        r->top.parts = others != 0 || text->top_of > PQSQL_TOP_MEASURE;
        r->top.of = text->top_of;
        r->top.column = text->top_column;
        r->top.desc = text->desc;
        r->top.alone = text->alone;
    }
}

static void take_tests(PqextRollupRun *r, const PqsqlGroupText *text,
                       sqlite3_value **argv)
{
    if (text->n_blocks == 1) {
        r->is_true = text->is_true & r->plan.used;
        r->is_false = text->is_false & r->plan.used;
    }
    if (!text->unknown) {
        take_top(r, text, argv);
    }
}

/* The measure that counts rows: n, unless it has another name. */
static const char *count_of(const PqextDefinition *d)
{
    for (uint32_t i = 0; i < d->n_measures; i++) {
        if (d->measures[i].op == PQ_ROLLUP_COUNT_ROWS) {
            return d->measures[i].name;
        }
    }
    return "n";
}

static PqRc take_mistake(PqextRollupRun *r, const PqsqlGroupText *text, PqErr *e)
{
    const PqextDefinition *d = r->table->rollup;
    const PqextDimension *of = &d->dimensions[text->written];
    static const char *const notes[] = {
        [PQSQL_COUNTS_GROUPS] =
            "count(*) counts the rows that a rollup gives, which are groups; the rows "
            "of the files are sum(%s), of a measure count(*) AS %s",
        [PQSQL_AVERAGES_GROUPS] =
            "avg() of a measure is the average of groups, not of rows; write sum(m) / "
            "sum(%s), with measures sum(x) AS m, count(*) AS %s",
        [PQSQL_TESTS_GROUPS] =
            "a condition on a measure in WHERE tests the groups that SQLite is given; "
            "write GROUP BY and HAVING sum(%s) > ..., of a measure count(*) AS %s",
    };
    const char *n = count_of(d);

    if (text->mistake == PQSQL_NO_MISTAKE) {
        return PQ_OK;
    }
    r->mistake = text->mistake == PQSQL_WRITES_DIMENSION
        ? pq_arena_printf(&r->arena, e, "%s is the dimension %s; write %s, and groups "
                          "are not split by %s for it", of->text, of->name, of->name,
                          d->source->table->columns[of->column].name)
        : pq_arena_printf(&r->arena, e, notes[text->mistake], n, n);
    return r->mistake ? PQ_OK : e->rc;
}

PqRc pqext_rollup_split(PqextRollupRun *r, sqlite3_value **argv, PqErr *e)
{
    PqsqlGroupText found = {0};
    Asking a = {.found = &found};
    PqArena arena;
    bool all = false;
    PqRc rc;

    r->of_rows = false;
    r->not_split = NULL;
    r->top.n = 0;
    r->is_true = r->is_false = r->tested = r->known = r->sure = 0;
    r->mistake = NULL;
    pq_arena_init(&arena, r->table->host->engine->mem);
    a.arena = &arena;
    r->passes = pq_arena_zeros(&r->arena, r->table->rollup->n_dimensions + 1u,
                               sizeof *r->passes, e);
    rc = r->passes ? take_names(r, &arena, &a.names, &all, e) : e->rc;
    if (rc == PQ_OK && all && !is_strange_here(r, &a) && found.n_blocks > 0) {
        found.unknown |= depends_on_functions(r, &found) &&
                         has_own_functions(r->table->host->db);
        rc = found.unknown ? PQ_OK : take_out(r, &found, argv, e);
        take_tests(r, &found, argv);
        take_known(r);
    }
    if (rc == PQ_OK) {
        rc = take_mistake(r, &found, e);
    }
    pq_arena_free(&arena);
    return rc;
}
