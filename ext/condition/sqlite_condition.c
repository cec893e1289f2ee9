/*
** sqlite_condition.c - tests a condition for one value, and for a batch value
** by value.
**
** compile.c says the same in spans of stored values.  The two must agree: a
** value that passes here has to lie in a span there.
*/
#include "ext/condition/sqlite_condition.h"

/* ---- which columns ------------------------------------------------------- */

/* How a column compares whose affinity is not the one of its values. */
typedef enum Comparison {
    AS_ITS_VALUES,
    PERHAPS_AS_NUMBERS,              /* its texts, and the operand's: as with
                                     ** an operand of unknown affinity      */
    ONLY_IN_SQLITE
} Comparison;

/* No affinity changes a BLOB.  BLOB changes nothing, and a literal text is
** compared with a text as it is anyway.  TEXT makes a text of a number, on
** either side. */
static Comparison comparison(const PqextTable *t, uint32_t column)
{
    const PqColumn *c = &t->table->columns[column];
    PqextAffinity a = pqext_affinity(t, column);

    if (!t->affinities || (a == PQEXT_AFF_BLOB && !pq_column_is_untyped(c) &&
                           !pq_type_is_u64(&c->type))) {
        return AS_ITS_VALUES;
    }
    switch (t->affinities[column]) {
    case PQEXT_DECLARED_BY_TYPE:
        return AS_ITS_VALUES;
    case PQEXT_DECLARED_TEXT:
        return a == PQEXT_AFF_TEXT ? AS_ITS_VALUES : ONLY_IN_SQLITE;
    case PQEXT_DECLARED_BLOB:
        return a == PQEXT_AFF_NUMERIC ? ONLY_IN_SQLITE : AS_ITS_VALUES;
    default:
        return a == PQEXT_AFF_NUMERIC ? AS_ITS_VALUES : PERHAPS_AS_NUMBERS;
    }
}

bool pqext_condition_can(const PqextTable *t, uint32_t column, PqextOp op)
{
    PqextAffinity a = pqext_affinity(t, column);

    return pqext_is_pattern(op)
               ? a == PQEXT_AFF_TEXT
               : a != PQEXT_AFF_NONE &&
                     (op == PQEXT_IS_NULL || op == PQEXT_NOT_NULL ||
                      comparison(t, column) != ONLY_IN_SQLITE);
}

/* A literal number may have the affinity of a CAST. */
bool pqext_is_bytes(sqlite3_value *literal)
{
    return literal && (sqlite3_value_type(literal) == SQLITE_TEXT ||
                       sqlite3_value_type(literal) == SQLITE_BLOB);
}

bool pqext_condition_is_exact(const PqextTable *t, uint32_t column, PqextOp op,
                              bool of_bytes)
{
    const PqColumn *c = &t->table->columns[column];

    if (pqext_is_pattern(op)) {
        return false;
    }
    if (op == PQEXT_IS_NULL || op == PQEXT_NOT_NULL) {
        return true;
    }
    if (comparison(t, column) == PERHAPS_AS_NUMBERS) {
        return false;
    }
    switch (pqext_affinity(t, column)) {
    case PQEXT_AFF_NUMERIC:
        /* NaN is a text here, and SQLite does not tell the collation of <> and
        ** IS NOT. */
        return !pqext_may_be_nan(t, &c->type) ||
               (op != PQEXT_NE && op != PQEXT_IS_NOT);
    case PQEXT_AFF_BLOB:
        return pq_column_is_untyped(c) ? op != PQEXT_IN && of_bytes
                                       : !pq_type_is_u64(&c->type);
    case PQEXT_AFF_TEXT:
        return op != PQEXT_IN && of_bytes;
    default:
        return false;
    }
}

/* ---- one value ------------------------------------------------------------ */

/* A number, and a text that looks like one: compared as numbers, or as values
** of two classes. */
static bool may_be_numbers(const PqextCondition *c, const PqCell *v)
{
    return pq_cell_is_number(v)
               ? c->looks
               : v->kind == PQ_CELL_TEXT && pq_cell_is_number(&c->operand) &&
                     pqsql_looks_like_number(pq_cell_slice(v));
}

static bool operand_passes(const PqextCondition *c, const PqCell *v)
{
    const PqCell *operand = &c->operand;

    if (c->affinity == PQEXT_AFF_TEXT && v->kind == PQ_CELL_TEXT) {
        /* Where a number comes from decides whether it is compared as one. */
        if (pq_cell_is_number(operand)) {
            return c->op != PQEXT_EQ ||
                   pqext_may_be_text_of(pq_cell_slice(v), operand);
        }
        if (operand->kind == PQ_CELL_TEXT) {
            return pqext_texts_may_hold(c->op, pq_cell_slice(v),
                                        pq_cell_slice(operand), c->looks,
                                        c->literal);
        }
    }
    if (c->affinity == PQEXT_AFF_BLOB && !c->literal) {
        if (v->kind == PQ_CELL_TEXT && operand->kind == PQ_CELL_TEXT) {
            return pqext_texts_may_hold(c->op, pq_cell_slice(v),
                                        pq_cell_slice(operand), c->looks,
                                        false);
        }
        if (may_be_numbers(c, v)) {
            return true;
        }
    }
    return pqext_op_holds(c->op, pq_cell_compare(v, operand));
}

/* The same for a list, whose texts are compared as they are. */
static bool list_passes(const PqextCondition *c, const PqCell *v)
{
    const PqextList *l = c->list;

    if (l->n == 0) {
        return false;
    }
    if (c->affinity != PQEXT_AFF_NUMERIC && v->kind == PQ_CELL_TEXT &&
        pqext_list_has_numbers(l) &&
        pqsql_looks_like_number(pq_cell_slice(v))) {
        return true;
    }
    if (c->affinity == PQEXT_AFF_BLOB && pq_cell_is_number(v) && l->looks) {
        return true;
    }
    return pqext_list_has(l, v);
}

bool pqext_condition_passes(const PqextCondition *c, const PqCell *v)
{
    switch (c->op) {
    case PQEXT_IS_NULL:
        return false;
    case PQEXT_NOT_NULL:
        return true;
    case PQEXT_LIKE:
    case PQEXT_GLOB:
        return c->has_operand &&
               (v->kind != PQ_CELL_TEXT ||
                pqext_pattern_matches(&c->pattern, pq_cell_slice(v)));
    case PQEXT_IN:
        return list_passes(c, v);
    default:
        return c->has_operand && operand_passes(c, v);
    }
}

bool pqext_condition_passes_null(const PqextCondition *c)
{
    return c->op == PQEXT_IS_NULL || c->op == PQEXT_IS_NOT;
}

bool pqext_condition_passes_cell(const PqextCondition *c, const PqCell *v)
{
    return v->kind == PQ_CELL_NULL ? pqext_condition_passes_null(c)
                                   : pqext_condition_passes(c, v);
}

/* ---- what the engine asks ------------------------------------------------------ */

static bool holds(const PqCondition *base, PqSlice text)
{
    const PqextCondition *c = (const PqextCondition *)base;
    PqCell v = pq_cell_bytes((PqCellClass)c->texts, text);

    return pqext_condition_passes(c, &v);
}

static void hold_pattern(const PqCondition *base, const PqStr *texts,
                         uint32_t n, const uint64_t *asked, uint64_t *bits)
{
    pqext_pattern_test(&((const PqextCondition *)base)->pattern, texts, n,
                       asked, bits);
}

PqRc pqext_test_cells(PqextTestCell test, const void *condition, PqScan *s,
                      PqsqlColumn *column, uint64_t *keep, PqErr *e)
{
    PqsqlCellOf cell_of = pqsql_column_cells(column);
    uint32_t n = pq_scan_batch(s)->n_rows;
    PqCell cell;

    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        for (uint64_t left = keep[w]; left; left &= left - 1) {
            uint32_t row = w * 64 + (uint32_t)__builtin_ctzll(left);
            bool is;

            PQ_TRY(pqsql_column_cell(column, cell_of, row, &cell, e));
            PQ_TRY(test(condition, &cell, &is, e));
            if (!is) {
                keep[w] &= ~(left & (0 - left));
            }
        }
    }
    return PQ_OK;
}

static PqRc test_cell(const void *condition, const PqCell *v, bool *is,
                      PqErr *e)
{
    *is = pqext_condition_passes_cell(condition, v);
    return PQ_OK;
}

/* Tests each row that is left, as SQLite would see it. */
static PqRc cells(PqCondition *base, PqScan *s, uint64_t *keep, PqErr *e)
{
    PqextCondition *c = (PqextCondition *)base;
    PqsqlColumn *column;

    PQ_TRY(c->load(c->cursor, c->column, &column, e));
    return pqext_test_cells(test_cell, c, s, column, keep, e);
}

/* ---- operands ---------------------------------------------------------------- */

static void set_operand(PqextCondition *c, const PqCell *v)
{
    c->operand = *v;
    c->has_operand = true;
    c->looks =
        v->kind == PQ_CELL_TEXT && pqsql_looks_like_number(pq_cell_slice(v));
}

/* Not NULL. */
static void use_operand(PqextCondition *c, PqextOp op, const PqCell *operand)
{
    c->op = op == PQEXT_IS ? PQEXT_EQ : op;
    set_operand(c, operand);
    if (pqext_is_pattern(op)) {
        pqext_pattern_init(&c->pattern,
                           c->operand.kind == PQ_CELL_TEXT
                               ? pq_cell_slice(&c->operand)
                               : pq_slice("", 0),
                           op == PQEXT_GLOB);
        c->base.hold = hold_pattern;
    }
}

static PqRc take_operand(PqextCondition *c, PqextOp op, sqlite3_value *v,
                         PqErr *e)
{
    PqCell operand;

    if (sqlite3_value_type(v) == SQLITE_NULL || op == PQEXT_IS_NULL ||
        op == PQEXT_NOT_NULL) {
        return PQ_OK;
    }
    PQ_TRY(pqext_value_take(v, c->affinity == PQEXT_AFF_NUMERIC, c->base.arena,
                            &operand, e));
    use_operand(c, op, &operand);
    return PQ_OK;
}

static bool is_of_null(PqextOp op)
{
    return op == PQEXT_IS_NULL || op == PQEXT_NOT_NULL || op == PQEXT_IS_NOT;
}

/* The steps of a search in a list by halving: the bits of its length. */
static uint32_t steps(const PqextList *list)
{
    uint32_t n_steps = 1;

    for (uint32_t n = list ? list->n : 0; n > 1; n /= 2) {
        n_steps++;
    }
    return n_steps;
}

PqextAffinity pqext_term_affinity(const PqextTable *t, PqextTerm term)
{
    const PqColumn *c = &t->table->columns[term.column];

    return term.by_value ? pqext_affinity(t, (uint32_t)term.column)
           : pq_column_is_text_of_file(c) ? PQEXT_AFF_TEXT : PQEXT_AFF_NUMERIC;
}

static void begin(const PqextTable *t, PqextTerm term, const PqextList *list,
                  PqextLoadColumn load, void *cursor, PqArena *a,
                  PqextCondition *out)
{
    *out = (PqextCondition){
        .base = {.compile = pqext_condition_compile, .holds = holds,
                 .cells = cells},
        .table = t,
        .type = t->table->columns[term.column].type,
        .column = (uint32_t)term.column,
        .affinity = pqext_term_affinity(t, term),
        .op = term.op == PQEXT_IS ? PQEXT_IS_NULL
              : term.op == PQEXT_IS_NOT ? PQEXT_NOT_NULL : term.op,
        .literal = term.exact || term.literal,
        .list = list,
        .load = load,
        .cursor = cursor,
        .stop = {pqext_host_stop, t->host},
    };
    pq_condition_init(&out->base, out->column, !is_of_null(term.op),
                      steps(list), a);
}

PqRc pqext_condition_begin(const PqextTable *t, PqextTerm term,
                           sqlite3_value *v, const PqextList *list,
                           PqextLoadColumn load, void *cursor, PqArena *a,
                           PqextCondition *out, PqErr *e)
{
    begin(t, term, list, load, cursor, a, out);
    return term.op == PQEXT_IN ? PQ_OK : take_operand(out, term.op, v, e);
}

PqRc pqext_condition_of_expression(const PqextTable *t, PqextTerm term,
                                   sqlite3_value *v, const PqextList *list, PqArena *a,
                                   PqextCondition *out, PqErr *e)
{
    begin(t, term, list, NULL, NULL, a, out);
    out->affinity = PQEXT_AFF_BLOB;
    return term.op == PQEXT_IN ? PQ_OK : take_operand(out, term.op, v, e);
}

void pqext_condition_of_cell(const PqextTable *t, uint32_t column, PqextOp op,
                             const PqCell *operand, PqextLoadColumn load,
                             void *cursor, PqArena *a, PqextCondition *out)
{
    PqextTerm term = {.column = (int)column, .op = op, .by_value = true,
                      .exact = true};

    begin(t, term, NULL, load, cursor, a, out);
    if (!is_of_null(op)) {
        use_operand(out, op, operand);
    }
}

PqRc pqext_condition_equal(const PqextTable *t, const PqType *type,
                           const PqCell *operand, bool literal, PqArena *a,
                           PqWanted *out, PqErr *e)
{
    PqextCondition c = {.base.arena = a, .table = t, .type = *type,
                        .affinity = pqext_meaning(t, type).affinity,
                        .op = PQEXT_EQ, .literal = literal};

    set_operand(&c, operand);
    return pqext_condition_compile(&c.base, type, out, e);
}

/* Conditions that leave out a few values, or look inside texts, hardly ever
** rule out a page, and asking would mean reading its index. */
bool pqext_condition_proves(const PqextCondition *c)
{
    if (!c->table->options.trust_stats) {
        return false;
    }
    switch (c->op) {
    case PQEXT_NE:
    case PQEXT_IS_NOT:
        return false;
    case PQEXT_LIKE:
    case PQEXT_GLOB:
        return c->pattern.start.n > 0;
    default:
        return true;
    }
}
