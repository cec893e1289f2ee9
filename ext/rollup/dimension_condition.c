/*
** dimension_condition.c - what a condition on a dimension says about its column.
**
**   fare > 20 AS dear      dear = 1    means       fare > 20
**                          dear = 0    means       fare <= 20
**
** A dimension that is a test of the column with a literal is 1, 0 or NULL, so this
** is as exact as the test itself.
**
**   date(ts) <= '2024-05-01'    implies    ts <= '2024-05-01;'
**
** The text of the instant begins with the text of the dimension, so bounds of
** one are bounds of the other.  The conditions are weak: a row that passes them
** may fail the dimension's own condition.
**
** With d the first L bytes of the text ts, and X any text that begins with a
** digit:
**
**   d >= X   then ts >= X, since ts begins with d
**   d <  X   then ts <  X, where X has at most L bytes
**   d <= X   then ts <= X';', where X' is X cut to L bytes: the byte of ts after d
**            is one of the four that a time has between its numbers, "-", ":", "."
**            and a blank, all of which are less than ';'
**
** d IN (..) means that d lies between the least and the greatest text of the
** list.  d LIKE X'%' means d >= X and d <= X.
**
** The one exception is the last millisecond of a day, which SQLite may round to
** the next day.  So lower bounds of instants begin just before a day.
*/
#include "ext/rollup/rollup_table.h"

#include "ext/plan/plan.h"
#include "ext/rollup/time_format.h"

/* Does the column's text begin with the dimension's text?  A date has no
** clock. */
static bool is_begin(const PqextDefinition *d, const PqextDimension *of)
{
    enum { OF_A_DATE = 10 };
    bool date = d->source->table->columns[of->column].type.logical ==
                PQ_TYPE_DATE;

    return of->kind == PQEXT_DIM_TIME && of->format->prefix > 0 &&
           (!date || of->format->prefix <= OF_A_DATE);
}

/* ---- dimensions that are tests --------------------------------------------- */

/* The test that holds where the dimension is 1, or is 0; false: there is none. */
static bool test_of(const PqextDimension *of, bool is_true, PqextOp *out)
{
    static const PqextOp opposites[][2] = {
        {PQEXT_EQ, PQEXT_NE}, {PQEXT_LT, PQEXT_GE}, {PQEXT_GT, PQEXT_LE},
        {PQEXT_IS_NULL, PQEXT_NOT_NULL}};

    *out = of->test;
    if (!of->is_test || is_true) {
        return of->is_test;
    }
    for (size_t i = 0; i < PQ_COUNT(opposites); i++) {
        for (int k = 0; k < 2; k++) {
            if (of->test == opposites[i][k]) {
                *out = opposites[i][!k];
                return true;
            }
        }
    }
    return false;
}

/* Is the operand 1, or 0? */
static bool is_truth(sqlite3_value *v, bool *is_true)
{
    int type = sqlite3_value_type(v);
    double d = type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_value_double(v)
                                                              : -1;

    *is_true = d == 1;
    return d == 0 || d == 1;
}

bool pqext_dimension_is_known(const PqextDefinition *d, uint32_t dimension, bool is_true)
{
    const PqextDimension *of = &d->dimensions[dimension];
    PqextOp op;

    return of->gives_truth && (!test_of(of, is_true, &op) ||
                               pqext_condition_is_exact(d->source, of->column, op, true));
}

/* WHERE x, of a column of numbers: x <> 0.  NaN may be a text, and is then false. */
static bool truth_of(const PqextDefinition *d, const PqextDimension *of, bool is_true,
                     PqextOp *out)
{
    *out = is_true ? PQEXT_NE : PQEXT_EQ;
    return of->kind == PQEXT_DIM_COLUMN &&
           pqext_affinity(d->source, of->column) == PQEXT_AFF_NUMERIC &&
           !pqext_may_be_nan(d->source, &d->source->table->columns[of->column].type);
}

PqRc pqext_dimension_test(const PqextDefinition *d, uint32_t dimension, bool is_true,
                          PqextScan *source, PqArena *a, PqextCondition **out,
                          PqErr *e)
{
    const PqextDimension *of = &d->dimensions[dimension];
    PqCell zero = pq_cell_int(0);
    PqextCondition *c;
    PqextOp op;
    bool truth = truth_of(d, of, is_true, &op);

    *out = NULL;
    if ((!truth && !test_of(of, is_true, &op)) ||
        !pqext_condition_can(d->source, of->column, op) ||
        (pqext_is_pattern(op) && !pqext_like_is_builtin(source->table->host->db))) {
        return PQ_OK;
    }
    c = pq_arena_zeros(a, 1, sizeof *c, e);
    PQ_TRY(c ? PQ_OK : e->rc);
    pqext_condition_of_cell(d->source, of->column, op, truth ? &zero : &of->operand,
                            pqext_scan_load, source, a, c);
    *out = c;
    return PQ_OK;
}

/* ---- dimensions that begin as the column does -------------------------------- */

/* Does `dimension op value` say anything about the column? */
static bool can(const PqextDefinition *d, uint32_t dimension, PqextOp op)
{
    const PqextDimension *of = &d->dimensions[dimension];

    if (of->is_test) {
        return pqext_is_equal(op);
    }
    switch (op) {
    case PQEXT_EQ:
    case PQEXT_IS:
    case PQEXT_LT:
    case PQEXT_LE:
    case PQEXT_GT:
    case PQEXT_GE:
    case PQEXT_IN:
    case PQEXT_LIKE:
    case PQEXT_GLOB:
        return is_begin(d, of) &&
               pqext_condition_can(d->source, of->column, PQEXT_GE) &&
               pqext_condition_can(d->source, of->column, PQEXT_LE);
    default:
        return false;
    }
}

static PqRc add(const PqextDefinition *d, uint32_t column, PqextOp op,
                const void *p, size_t n, PqextScan *source, PqArena *a,
                PqextCondition *out[2], uint32_t *n_out, PqErr *e)
{
    PqextCondition *c = pq_arena_zeros(a, 1, sizeof *c, e);
    char *text = pq_arena_text(a, p, n, e);
    PqCell operand = pq_cell_text(pq_slice(text ? text : "", text ? n : 0));

    PQ_TRY(c && text ? PQ_OK : e->rc);
    pqext_condition_of_cell(d->source, column, op, &operand, pqext_scan_load, source,
                            a, c);
    out[(*n_out)++] = c;
    return PQ_OK;
}

/* Writes the text of an instant just before the day that the text begins with;
** 0: it begins with no day. */
static size_t just_before(PqSlice text, char *room)
{
    static const char last[] = " 23:59:59.99";
    char day[] = "0000-01-01";
    size_t n = text.n >= 10 ? 10 : text.n >= 7 ? 7 : text.n >= 4 ? 4 : 0;
    int32_t days;

    if (n == 0) {
        return 0;
    }
    memcpy(day, text.p, n);
    if (pq_time_parse_date(pq_slice_text(day), &days) != PQ_PARSE_OK ||
        days <= PQ_FIRST_DAY) {
        return 0;
    }
    n = pq_time_text_date(days - 1, room);
    memcpy(room + n, last, sizeof last);
    return n + sizeof last - 1;
}

static PqRc lower(const PqextDefinition *d, uint32_t column, PqSlice text,
                  PqextScan *source, PqArena *a, PqextCondition *out[2],
                  uint32_t *n, PqErr *e)
{
    char room[PQ_TIME_TEXT_ROOM + 16];
    size_t size;

    if (d->source->table->columns[column].type.logical == PQ_TYPE_DATE) {
        return add(d, column, PQEXT_GE, text.p, text.n, source, a, out, n, e);
    }
    size = just_before(text, room);
    return size == 0 ? PQ_OK
                     : add(d, column, PQEXT_GE, room, size, source, a, out, n,
                           e);
}

static PqRc upper(const PqextDefinition *d, uint32_t column, PqextOp op,
                  uint32_t prefix, PqSlice text, PqextScan *source,
                  PqArena *a, PqextCondition *out[2], uint32_t *n, PqErr *e)
{
    char room[PQ_TIME_TEXT_ROOM];
    size_t size = text.n < prefix ? text.n : prefix;

    if (op == PQEXT_LT && text.n <= prefix) {
        return add(d, column, PQEXT_LT, text.p, text.n, source, a, out, n, e);
    }
    memcpy(room, text.p, size);
    room[size] = ';';
    return add(d, column, PQEXT_LE, room, size + 1, source, a, out, n, e);
}

/* The dimension's texts lie between these two. */
typedef struct Ends {
    bool    known;
    PqSlice low, high;
} Ends;

/* The least and the greatest entry, if all are texts. */
static PqRc ends_of_list(PqextScan *source, sqlite3_value *v, Ends *out)
{
    PqextList *list;
    bool whole;

    PQ_TRY(pqext_scan_list(source, v, false, pqext_scan_worth(source), &list,
                           &whole));
    if (whole && list->n > 0 && list->v[0].kind == PQ_CELL_TEXT &&
        list->v[list->n - 1].kind == PQ_CELL_TEXT) {
        *out = (Ends){true, pq_cell_slice(&list->v[0]),
                      pq_cell_slice(&list->v[list->n - 1])};
    }
    return PQ_OK;
}

static PqRc find_ends(PqextOp op, sqlite3_value *v, PqextScan *source,
                      PqArena *a, Ends *out, PqErr *e)
{
    PqextPattern pattern;
    PqSlice text;
    PqCell x;

    *out = (Ends){false};
    if (op == PQEXT_IN) {
        PQ_TRY(ends_of_list(source, v, out));
    } else if (sqlite3_value_type(v) == SQLITE_TEXT) {
        PQ_TRY(pqext_value_take(v, false, a, &x, e));
        text = pq_cell_slice(&x);
        if (pqext_is_pattern(op)) {
            pqext_pattern_init(&pattern, text, op == PQEXT_GLOB);
            text = pattern.start;
        }
        *out = (Ends){true, text, text};
    }
    out->known = out->known && out->low.n > 0 && out->low.p[0] >= '0' &&
                 out->high.p[0] <= '9';
    return PQ_OK;
}

PqRc pqext_dimension_begin(const PqextDefinition *d, uint32_t dimension,
                           PqextOp op, sqlite3_value *v, PqextScan *source,
                           PqArena *a, PqextCondition *out[2], uint32_t *n,
                           PqErr *e)
{
    const PqextDimension *of = &d->dimensions[dimension];
    bool is_true;
    Ends ends;

    *n = 0;
    if (!can(d, dimension, op)) {
        return PQ_OK;
    }
    if (of->is_test) {
        PQ_TRY(is_truth(v, &is_true)
                   ? pqext_dimension_test(d, dimension, is_true, source, a, &out[0], e)
                   : PQ_OK);
        *n = is_truth(v, &is_true) && out[0] ? 1 : 0;
        return PQ_OK;
    }
    PQ_TRY(find_ends(op, v, source, a, &ends, e));
    if (!ends.known) {
        return PQ_OK;
    }
    if (op != PQEXT_LT && op != PQEXT_LE) {
        PQ_TRY(lower(d, of->column, ends.low, source, a, out, n, e));
    }
    return op == PQEXT_GT || op == PQEXT_GE
               ? PQ_OK
               : upper(d, of->column, op, of->format->prefix, ends.high, source,
                       a, out, n, e);
}
