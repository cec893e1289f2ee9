/*
** dimension_test.c - conditions on computed dimensions, tested before there are groups.
**
**   SELECT country, sum(n) FROM cube WHERE len > 20 GROUP BY country
**
** length(url) AS len is computed for each entry of the dictionary of url, or for each
** row, as it is for groups (inputs.c).  The condition is tested once for each value
** that comes (core/rollup/key_test.h), as SQLite would test it, and rows whose value
** does not pass are dropped by a filter of the scan.
**
** The values have the affinity BLOB, since the dimension is declared without a type.
** So a condition is exact (sqlite_condition.h) unless it compares texts that look like
** numbers with numbers, in either order: the affinity of the operand decides then.  A
** literal text or BLOB has none that matters, and the plan says "exactly".  A number may
** be of a CAST; then SQLite tests again.  Where the statement's text shows that an operand
** has no affinity, this test does not split groups: rollup_split.c.
*/
#include "ext/rollup/dimension_test.h"

#include "ext/plan/plan.h"

/* ---- which ----------------------------------------------------------------- */

static bool is_compared(PqextOp op)
{
    return op <= PQEXT_GE || op == PQEXT_NE || op == PQEXT_IS || op == PQEXT_IS_NOT;
}

bool pqext_tests_can(PqextOp op)
{
    return is_compared(op) || op == PQEXT_IN || op == PQEXT_IS_NULL ||
           op == PQEXT_NOT_NULL || pqext_is_pattern(op);
}

bool pqext_tests_are_exact(const PqextTable *source, PqextOp op, sqlite3_value *literal)
{
    int type = literal ? sqlite3_value_type(literal) : SQLITE_NULL;

    return op == PQEXT_IS_NULL || op == PQEXT_NOT_NULL ||
           (is_compared(op) &&
            (type == SQLITE_BLOB || (type == SQLITE_TEXT && !source->utf16)));
}

/* Texts have another order in a UTF-16 database, and others may be equal there. */
static bool has_meaning(const PqextTable *source, PqextOp op, sqlite3_value *v)
{
    return !source->utf16 || op == PQEXT_IS_NULL || op == PQEXT_NOT_NULL ||
           (is_compared(op) && sqlite3_value_type(v) != SQLITE_TEXT);
}

/* ---- values ---------------------------------------------------------------- */

typedef struct Term {
    PqextCondition condition;
    struct Term   *next;
} Term;

/* All that is asked of a dimension. */
typedef struct Test {
    PqFilter       filter;           /* first */
    PqextTests    *tests;
    uint32_t       dimension, column;
    Term          *terms;
    bool           is_true, is_false;            /* WHERE d, WHERE NOT d    */
    PqextInputs   *inputs;
    PqKeyTest      values;
} Test;

struct PqextTests {
    const PqextDefinition *definition;
    PqextScan *scan;
    Test      *test[PQ_ROLLUP_KEYS];
    uint32_t   n;
};

/* Perhaps: SQLite reads a number in a text in its own way. */
static bool may_be(const PqCell *v, bool truth)
{
    return v->kind == PQ_CELL_TEXT || v->kind == PQ_CELL_BLOB ||
           (pq_cell_is_number(v) && (pq_cell_double(v) != 0) == truth);
}

static bool holds(const void *of, const PqCell *v)
{
    const Test *t = of;

    for (const Term *term = t->terms; term; term = term->next) {
        if (!pqext_condition_passes_cell(&term->condition, v)) {
            return false;
        }
    }
    return (!t->is_true || may_be(v, true)) && (!t->is_false || may_be(v, false));
}

static PqRc apply(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e)
{
    Test *t = (Test *)f;
    PqRollupBatch batch;

    PQ_TRY(pqext_inputs_load(t->inputs, &batch, e));
    return pq_key_test_rows(&t->values, &batch.keys[0], batch.n_rows, keep, e);
}

static bool asks(const Test *t)
{
    return pqext_dimension_asks(&t->tests->definition->dimensions[t->dimension]);
}

/* SQLite is asked about the rows that other filters leave: an expression may fail, and
** takes long. */
static bool may_fail(const PqFilter *f, const PqScan *s)
{
    const Test *t = (const Test *)f;

    return asks(t) || pq_scan_casts(s, t->column);
}

/* ---- making them ------------------------------------------------------------ */

PqRc pqext_tests_new(const PqextDefinition *d, PqextScan *s, PqextTests **out)
{
    *out = pq_mem_zeros(s->table->host->engine->mem, 1, sizeof **out, &s->e);
    if (*out) {
        (*out)->definition = d;
        (*out)->scan = s;
    }
    return *out ? PQ_OK : s->e.rc;
}

void pqext_tests_free(PqextTests *t)
{
    PqMem *mem = t ? t->scan->table->host->engine->mem : NULL;

    for (uint32_t i = 0; t && i < t->n; i++) {
        pqext_inputs_free(t->test[i]->inputs);
        pq_key_test_free(&t->test[i]->values);
        pq_mem_free(t->test[i]);
    }
    if (mem) {
        pq_mem_free(t);
    }
}

static PqRc test_of(PqextTests *t, uint32_t dimension, Test **out)
{
    PqextScan *s = t->scan;
    Test *test;

    for (uint32_t i = 0; i < t->n; i++) {
        if (t->test[i]->dimension == dimension) {
            *out = t->test[i];
            return PQ_OK;
        }
    }
    *out = test = pq_mem_zeros(s->table->host->engine->mem, 1, sizeof *test, &s->e);
    PQ_TRY(test ? PQ_OK : s->e.rc);
    t->test[t->n++] = test;
    test->filter = (PqFilter){.apply = apply, .may_fail = may_fail};
    test->tests = t;
    test->dimension = dimension;
    test->column = t->definition->dimensions[dimension].column;
    return pqext_inputs_new(t->definition, s, &dimension, 1, NULL, 0, &test->inputs,
                            &s->e);
}

PqRc pqext_tests_add(PqextTests *t, uint32_t dimension, PqextOp op, bool literal,
                     sqlite3_value *v)
{
    PqextScan *s = t->scan;
    PqextTerm of = {.column = (int)t->definition->dimensions[dimension].column,
                    .op = op, .by_value = true, .exact = literal};
    PqextList *list = NULL;
    bool whole = true;
    Term *term;
    Test *test;

    if (!has_meaning(s->table, op, v)) {
        return PQ_OK;
    }
    if (op == PQEXT_IN) {
        PQ_TRY(pqext_scan_list(s, v, false, pqext_scan_worth(s), &list, &whole));
    }
    if (!whole) {
        return PQ_OK;
    }
    term = pq_arena_zeros(&s->arena, 1, sizeof *term, &s->e);
    PQ_TRY(term ? PQ_OK : s->e.rc);
    PQ_TRY(pqext_condition_of_expression(s->table, of, v, list, &s->arena,
                                         &term->condition, &s->e));
    PQ_TRY(test_of(t, dimension, &test));
    term->next = test->terms;
    test->terms = term;
    return PQ_OK;
}

PqRc pqext_tests_add_truth(PqextTests *t, uint32_t dimension, bool is_true)
{
    Test *test;

    PQ_TRY(test_of(t, dimension, &test));
    test->is_true |= is_true;
    test->is_false |= !is_true;
    return PQ_OK;
}

bool pqext_tests_ask(const PqextTests *t)
{
    for (uint32_t i = 0; t && i < t->n; i++) {
        if (asks(t->test[i])) {
            return true;
        }
    }
    return false;
}

/* The values of all dimensions take at most this share of memory. */
enum { SHARE = 8 };

PqRc pqext_tests_begin(PqextTests *t, uint32_t n_scans)
{
    for (uint32_t i = 0; t && i < t->n; i++) {
        PqextScan *s = t->scan;
        Test *test = t->test[i];
        PqRollupSpec spec = {.n_keys = 1, .arg = test->inputs, .cell = pqext_inputs_cell,
                             .memory = pq_mem_limit_of(s->table->options.memory) / SHARE /
                                       ((size_t)t->n * n_scans),
                             .stop = *pq_scan_stop(s->scan)};

        pq_key_test_init(&test->values, s->table->host->engine->mem, &spec);
        test->values.holds = holds;
        test->values.of = test;
        PQ_TRY(pq_scan_add_filter(s->scan, &test->filter, &s->e));
    }
    return PQ_OK;
}

PqRc pqext_tests_leave_host(PqextTests *t)
{
    for (uint32_t i = 0; t && i < t->n; i++) {
        PQ_TRY(pqext_inputs_leave_host(t->test[i]->inputs, &t->scan->e));
    }
    return PQ_OK;
}
