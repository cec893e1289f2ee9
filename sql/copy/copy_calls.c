/*
** copy_calls.c - finds types for columns that are calls of min, max, date,
** datetime, time and functions of geometries.
**
**   SELECT max(pickup), date(max(pickup)) AS day, datetime(pickup, '+1 hour')
**          TIMESTAMP    DATE                      TIMESTAMP without UTC
**
** of a scalar column of a Parquet table.  A column gets a type only if every
** value that the function may return fits it.  Otherwise the values decide, as
** without this file.
**
** ST_Point(lon, lat) is a GEOMETRY.  That is a hint, because the function of
** this name may be somebody else's.
**
** SQLite tells the origin of a column, even through subqueries, but not of an
** expression.  So it is asked about another query, which is never run:
**
**   SELECT d FROM (SELECT date(max(t.ts)) AS d FROM t GROUP BY x)
**   SELECT d FROM (SELECT  t.ts  AS d FROM t GROUP BY x)
**
** If a column has an origin there, and none in the query itself, the calls that
** were taken away make it.  One function is tried at a time, always with min
** and max, so it is known which function that is.
*/
#include "sql/copy/column_origin.h"
#include "sql/copy/copy_origin.h"

#include "sql/geo_functions/geo_functions.h"
#include "sql/token.h"

enum { ANY_NUMBER = 100, MAX_DEPTH = 16 };

typedef struct Function {
    const char *name;                /* NULL: min and max, or geometries     */
    int         most_arguments;
    PqLogical   gives;
} Function;

/* The first function that fits a column is taken.  A modifier may be
** 'localtime'. */
static const Function functions[] = {
    {NULL, 1, PQ_TYPE_NONE},
    {"date", ANY_NUMBER, PQ_TYPE_DATE},
    {"datetime", 1, PQ_TYPE_TIMESTAMP},
    {"datetime", ANY_NUMBER, PQ_TYPE_TIMESTAMP},
    {"time", 1, PQ_TYPE_TIME},
    {"time", ANY_NUMBER, PQ_TYPE_TIME},
    {NULL, ANY_NUMBER, PQ_TYPE_GEOMETRY},
};

/* Stands in the place of a call that makes a geometry; no copy has this
** column. */
static const char no_column[] = "(SELECT rootpage FROM sqlite_schema)";

typedef struct Tokens {
    PqsqlToken  now;
    const char *at;                  /* where it ends                       */
    const char *last;                /* where the one before it ends        */
} Tokens;

typedef struct Peel {
    Tokens      t;
    const Function *function;
    bool        found;               /* the function, or min or max, if that
                                     ** is all that is looked for            */
    const char *from, *end;          /* the column                           */
} Peel;

static void next(Tokens *t)
{
    t->last = t->at;
    t->now = pqsql_next_token(&t->at);
}

/* Skips to a comma or parenthesis that ends the argument or the list. */
static void skip_argument(Tokens *t)
{
    int depth = 0;

    while (t->now.n > 0 &&
           (depth > 0 || (!pqsql_is_sign(t->now, ',') &&
                          !pqsql_is_sign(t->now, ')')))) {
        depth += pqsql_is_sign(t->now, '(');
        depth -= pqsql_is_sign(t->now, ')');
        next(t);
    }
}

static void skip_list(Tokens *t)
{
    do {
        next(t);
        skip_argument(t);
    } while (pqsql_is_sign(t->now, ','));
    next(t);
}

/* FILTER (...) OVER (...), OVER name */
static void skip_after_aggregate(Tokens *t)
{
    if (pqsql_is_word(t->now, "FILTER")) {
        next(t);
        skip_list(t);
    }
    if (pqsql_is_word(t->now, "OVER")) {
        next(t);
        if (pqsql_is_sign(t->now, '(')) {
            skip_list(t);
        } else {
            next(t);
        }
    }
}

/* [[schema.]table.]column */
static bool take_column(Peel *p)
{
    if (p->t.now.kind != PQSQL_TOKEN_WORD) {
        return false;
    }
    p->from = p->t.now.at;
    next(&p->t);
    while (pqsql_is_sign(p->t.now, '.')) {
        next(&p->t);
        next(&p->t);
    }
    p->end = p->t.last;
    return true;
}

static bool gives_geometry(const Peel *p)
{
    return p->function->gives == PQ_TYPE_GEOMETRY && !p->t.now.quoted &&
           pqsql_geo_gives_geometry(p->t.now.at, p->t.now.n);
}

/* A column, or a call on one.  Recursion ends at MAX_DEPTH. */
static bool take_value(Peel *p, int depth)
{
    bool is_best = pqsql_is_word(p->t.now, "min") ||
                   pqsql_is_word(p->t.now, "max");
    bool is_other = p->function->name &&
                    pqsql_is_word(p->t.now, p->function->name);
    Tokens ahead = p->t;
    int n = 1;

    next(&ahead);
    if (!pqsql_is_sign(ahead.now, '(')) {
        return take_column(p);
    }
    if (gives_geometry(p)) {
        next(&p->t);
        skip_list(&p->t);
        p->from = no_column;
        p->end = p->from + strlen(p->from);
        p->found = true;
        return true;
    }
    if ((!is_best && !is_other) || depth == MAX_DEPTH) {
        return false;
    }
    next(&ahead);
    if (is_best && pqsql_is_word(ahead.now, "DISTINCT")) {
        next(&ahead);
    }
    p->t = ahead;
    if (!take_value(p, depth + 1)) {
        return false;
    }
    for (; pqsql_is_sign(p->t.now, ','); n++) {
        next(&p->t);
        skip_argument(&p->t);
    }
    if (!pqsql_is_sign(p->t.now, ')') ||
        n > (is_best ? 1 : p->function->most_arguments)) {
        return false;
    }
    next(&p->t);
    if (is_best) {
        skip_after_aggregate(&p->t);
    }
    p->found = p->found || is_other || p->function == functions;
    return true;
}

/* The query, with the column in the place of each call.  False: it has no call
** of the function. */
static bool peel(const char *sql, const Function *function, sqlite3_str *out)
{
    Peel p = {.t = {.at = sql, .last = sql}, .function = function};
    const char *copied = sql;

    next(&p.t);
    while (p.t.now.n > 0) {
        Tokens before = p.t;
        bool found = p.found;

        if (before.now.kind == PQSQL_TOKEN_WORD && take_value(&p, 0)) {
            sqlite3_str_append(out, copied, (int)(before.now.at - copied));
            sqlite3_str_appendf(out, " %.*s ", (int)(p.end - p.from), p.from);
            copied = p.t.last;
        } else {
            p.t = before;
            p.found = found;
            next(&p.t);
        }
    }
    sqlite3_str_appendall(out, copied);
    return p.found;
}

/* ---- types --------------------------------------------------------------- */

static bool is_time(const PqType *t)
{
    return t->logical == PQ_TYPE_DATE || t->logical == PQ_TYPE_TIME ||
           t->logical == PQ_TYPE_TIMESTAMP || t->physical == PQ_INT96;
}

/* The type of the results of a function of times.  SQLite gives seconds of the
** years -4713 to 9999, which fit every unit but nanoseconds. */
static PqType made_type(const Function *f, const PqType *of)
{
    PqType t = {.physical = PQ_INT32, .logical = f->gives};

    if (f->gives != PQ_TYPE_DATE) {
        t.unit = of->unit == PQ_MILLIS && of->logical == f->gives ? PQ_MILLIS
                                                                  : PQ_MICROS;
        t.utc = of->utc && f->most_arguments == 1;
        pq_type_store(&t);
    }
    return t;
}

static bool is_no_column(sqlite3_stmt *peeled, int i)
{
    const char *column = pqsql_column_origin(peeled, i).column;

    return column && strcmp(column, "rootpage") == 0;
}

static PqRc look_at(const PqsqlCopyHost *host, sqlite3_stmt *peeled, int i,
                    const Function *f, PqArena *a, PqsqlOrigin *out, PqErr *e)
{
    PqsqlOrigin o;

    if (f->gives == PQ_TYPE_GEOMETRY) {
        return is_no_column(peeled, i)
                   ? pqsql_copy_origin_geometry(a, &out->type, e) : PQ_OK;
    }
    PQ_TRY(pqsql_copy_origin(host, peeled, i, false, a, &o, e));
    if (!o.type || o.is_hint || o.type->kind != PQ_NODE_LEAF ||
        (f->name ? !is_time(&o.type->type) : !o.always_fits)) {
        return PQ_OK;
    }
    *out = (PqsqlOrigin){.type = o.type, .number_time = o.number_time,
                         .classes = o.classes, .remedy = o.remedy};
    out->type->field_id = -1;
    if (f->name) {
        out->type->type = made_type(f, &o.type->type);
        out->classes = PQ_CLASS(PQ_CELL_TEXT);
        out->number_time = PQ_NUMBER_TIME_EPOCH;
        out->remedy = NULL;
    }
    return PQ_OK;
}

/* Other errors than this one mean that no column has an origin. */
static PqRc prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, PqErr *e)
{
    return !sql || sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_NOMEM
               ? pq_fail(e, PQ_NOMEM, "out of memory") : PQ_OK;
}

static PqRc with_function(const PqsqlCopyHost *host, sqlite3_stmt *query,
                          const Function *f, PqsqlOrigin *columns, uint32_t n,
                          PqArena *a, PqErr *e)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    bool any = peel(sqlite3_sql(query), f, text);
    char *sql = sqlite3_str_finish(text);
    sqlite3_stmt *peeled = NULL;
    PqRc rc = any ? prepare(sqlite3_db_handle(query), sql, &peeled, e) : PQ_OK;

    if (peeled && (uint32_t)sqlite3_column_count(peeled) == n) {
        for (uint32_t i = 0; i < n && rc == PQ_OK; i++) {
            if (!columns[i].type) {
                rc = look_at(host, peeled, (int)i, f, a, &columns[i], e);
            }
        }
    }
    sqlite3_finalize(peeled);
    sqlite3_free(sql);
    return rc;
}

PqRc pqsql_copy_calls_find(const PqsqlCopyHost *host, sqlite3_stmt *query,
                           bool geometries, PqsqlOrigin *columns, uint32_t n,
                           PqArena *a, PqErr *e)
{
    if (pqsql_copy_origin_has_union(sqlite3_sql(query))) {
        return PQ_OK;
    }
    for (size_t i = 0; i < PQ_COUNT(functions); i++) {
        if (geometries || functions[i].gives != PQ_TYPE_GEOMETRY) {
            PQ_TRY(with_function(host, query, &functions[i], columns, n, a, e));
        }
    }
    return PQ_OK;
}
