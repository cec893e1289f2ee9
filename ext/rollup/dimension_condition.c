/*
** dimension_condition.c - what a condition on date(ts) says about ts.
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

bool pqext_dimension_can(const PqextDefinition *d, uint32_t dimension,
                         PqextOp op)
{
    const PqextDimension *of = &d->dimensions[dimension];

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

    PQ_TRY(c && text ? PQ_OK : e->rc);
    pqext_condition_of_text(d->source, column, op, pq_slice(text, n),
                            pqext_scan_load, source, a, c);
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

/* A pattern in an ON may choose no rows (outer_join.c), and a program may have
** its own LIKE. */
static bool may_choose(PqextOp op, PqextScan *source)
{
    sqlite3 *db = source->table->host->db;

    return !pqext_is_pattern(op) ||
           (pqext_like_is_builtin(db) &&
            !(pqext_outer_offers(op) && pqext_outer_in_statements(db)));
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
    } else if (sqlite3_value_type(v) == SQLITE_TEXT && may_choose(op, source)) {
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
    Ends ends;

    *n = 0;
    if (!pqext_dimension_can(d, dimension, op)) {
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
