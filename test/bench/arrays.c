/*
** arrays.c - a virtual table over arrays in memory, with the rows of a query:
** what a query costs over it is what SQLite itself costs.
**
**   CREATE VIRTUAL TABLE temp.t USING arrays('SELECT a, b FROM x')
**
** The columns have the names of the query's, and their types in short.  Its rows
** are copied when the table is created; none may hold NULL.
**
** All rows are handed out, and SQLite filters them.  After
**
**   SELECT arrays_filter(1)
**
** conditions that compare a column with a value (= <> < <= > >=, and LIKE of a
** text) are consumed: they are tested in a loop over the arrays, and SQLite sees
** the rows that are left.
**
** So the first is SQLite's own cost of a virtual table that knows nothing about
** conditions, and the second of one that does, with columns that need no
** decoding.  Rows are never sorted, grouped or skipped.  A table that reads its
** rows from somewhere is faster only if it knows more than the rows, such as
** their bounds or their order.
*/
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { INT32, INT64, REAL, TEXT } Kind;

static const size_t sizes[] = {4, 8, 8, 4};
static const char *const types[] = {"INT", "BIGINT", "DOUBLE", "TEXT"};

/* Of a text, the values are where it begins in texts; it ends with a NUL. */
typedef struct Column {
    Kind   kind;
    void  *values;
    char  *texts;
    size_t used, room;               /* of texts */
} Column;

typedef struct Table {
    sqlite3_vtab  base;              /* SQLite's part: first */
    Column       *columns;
    int           n_columns;
    sqlite3_int64 n, room;           /* rows */
} Table;

/* A column compared with a value. */
typedef struct Test {
    const Column *column;
    int           op;
    sqlite3_int64 number;
    double        real;
    char         *text;
} Test;

enum { MOST_TESTS = 16 };

static bool filters;                 /* what arrays_filter said */

typedef struct Cursor {
    sqlite3_vtab_cursor base;
    const Table        *t;
    sqlite3_int64       row;
    Test                tests[MOST_TESTS];
    int                 n_tests;
} Cursor;

/* --- the copy ------------------------------------------------------------- */

static int disconnect(sqlite3_vtab *v)
{
    Table *t = (Table *)v;
    int i;

    for (i = 0; i < t->n_columns; i++) {
        free(t->columns[i].values);
        free(t->columns[i].texts);
    }
    free(t->columns);
    sqlite3_free(t);
    return SQLITE_OK;
}

static Kind kind_of(const char *type)
{
    if (type && sqlite3_strlike("%BIGINT%", type, 0) == 0) {
        return INT64;
    }
    if (type && sqlite3_strlike("%INT%", type, 0) == 0) {
        return INT32;
    }
    return type && (sqlite3_strlike("%DOUBLE%", type, 0) == 0 ||
                    sqlite3_strlike("%REAL%", type, 0) == 0) ? REAL : TEXT;
}

static bool grow(void **values, size_t size)
{
    void *more = realloc(*values, size);

    *values = more ? more : *values;
    return more != NULL;
}

static bool append_text(Column *c, sqlite3_int64 row, const char *text, int n)
{
    size_t end = c->used + (size_t)n + 1;

    if (end > c->room) {
        void *texts = c->texts;
        if (end > UINT32_MAX || !grow(&texts, 2 * end)) {
            return false;
        }
        c->texts = texts;
        c->room = 2 * end;
    }
    memcpy(c->texts + c->used, text, (size_t)n + 1);
    ((uint32_t *)c->values)[row] = (uint32_t)c->used;
    c->used = end;
    return true;
}

/* False: the value does not fit, or there is no memory. */
static bool append(Column *c, sqlite3_int64 row, sqlite3_stmt *s, int i)
{
    static const int right[] = {SQLITE_INTEGER, SQLITE_INTEGER, SQLITE_FLOAT,
                                SQLITE_TEXT};
    sqlite3_int64 number = sqlite3_column_int64(s, i);

    if (sqlite3_column_type(s, i) != right[c->kind]) {
        return false;
    }
    switch (c->kind) {
    case INT32:
        ((int32_t *)c->values)[row] = (int32_t)number;
        return number == (int32_t)number;
    case INT64:
        ((sqlite3_int64 *)c->values)[row] = number;
        return true;
    case REAL:
        ((double *)c->values)[row] = sqlite3_column_double(s, i);
        return true;
    default:
        return append_text(c, row, (const char *)sqlite3_column_text(s, i),
                           sqlite3_column_bytes(s, i));
    }
}

static bool append_row(Table *t, sqlite3_stmt *s)
{
    int i;

    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 4096;
        for (i = 0; i < t->n_columns; i++) {
            Column *c = &t->columns[i];
            if (!grow(&c->values, (size_t)t->room * sizes[c->kind])) {
                return false;
            }
        }
    }
    for (i = 0; i < t->n_columns; i++) {
        if (!append(&t->columns[i], t->n, s, i)) {
            return false;
        }
    }
    t->n++;
    return true;
}

static int declare(sqlite3 *db, Table *t, sqlite3_stmt *s)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    char *text;
    int i, rc;

    sqlite3_str_appendall(sql, "CREATE TABLE t(");
    for (i = 0; i < t->n_columns; i++) {
        Kind kind = kind_of(sqlite3_column_decltype(s, i));
        t->columns[i].kind = kind;
        sqlite3_str_appendf(sql, "%s\"%w\" %s", i > 0 ? ", " : "",
                            sqlite3_column_name(s, i), types[kind]);
    }
    sqlite3_str_appendall(sql, ")");
    text = sqlite3_str_finish(sql);
    rc = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

/* The text between quotes is shortened in place. */
static void unquote(char *text)
{
    char *out = text;

    for (text += text[0] == '\''; *text; text++) {
        if (text[0] == '\'') {
            text++;
        }
        if (*text) {
            *out++ = *text;
        } else {
            break;
        }
    }
    *out = 0;
}

static int copy(sqlite3 *db, Table *t, const char *quoted)
{
    char *sql = sqlite3_mprintf("%s", quoted);
    sqlite3_stmt *s = NULL;
    int rc = SQLITE_NOMEM;

    if (sql) {
        unquote(sql);
        rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    }
    if (rc == SQLITE_OK) {
        t->n_columns = sqlite3_column_count(s);
        t->columns = calloc((size_t)t->n_columns, sizeof *t->columns);
        rc = t->columns ? declare(db, t, s) : SQLITE_NOMEM;
    }
    while (rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
        rc = append_row(t, s) ? SQLITE_OK : SQLITE_MISMATCH;
    }
    sqlite3_free(sql);
    sqlite3_finalize(s);
    return rc;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                   sqlite3_vtab **out, char **error)
{
    Table *t = sqlite3_malloc(sizeof *t);
    int rc;

    if (!t) {
        return SQLITE_NOMEM;
    }
    memset(t, 0, sizeof *t);
    rc = argc == 4 ? copy(db, t, argv[3]) : SQLITE_MISUSE;
    if (rc != SQLITE_OK) {
        *error = sqlite3_mprintf("arrays('SELECT ...'), values of the types "
                                 "that its columns have: %s",
                                 sqlite3_errmsg(db));
        disconnect(&t->base);
        return rc;
    }
    *out = &t->base;
    return SQLITE_OK;
}

/* --- conditions ----------------------------------------------------------- */

static bool is_consumed(sqlite3_index_info *info, int i, const Table *t)
{
    int column = info->aConstraint[i].iColumn;

    if (!filters || !info->aConstraint[i].usable || column < 0 ||
        (sqlite3_libversion_number() >= 3038000 &&
         sqlite3_vtab_in(info, i, -1))) {
        return false;
    }
    switch (info->aConstraint[i].op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
        return true;
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return t->columns[column].kind == TEXT;
    default:
        return false;
    }
}

/* The plan is a text, "op column op column ...". */
static int best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
    sqlite3_str *plan = sqlite3_str_new(NULL);
    int i, n = 0;

    for (i = 0; i < info->nConstraint && n < MOST_TESTS; i++) {
        if (is_consumed(info, i, (Table *)v)) {
            sqlite3_str_appendf(plan, "%d %d ", info->aConstraint[i].op,
                                info->aConstraint[i].iColumn);
            info->aConstraintUsage[i].argvIndex = ++n;
            info->aConstraintUsage[i].omit = 1;
        }
    }
    info->estimatedCost = (double)((Table *)v)->n;
    info->estimatedRows = ((Table *)v)->n >> n;
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    return SQLITE_OK;
}

static int compare(const Test *test, sqlite3_int64 row)
{
    const Column *c = test->column;

    switch (c->kind) {
    case INT32: {
        sqlite3_int64 x = ((const int32_t *)c->values)[row];
        return (x > test->number) - (x < test->number);
    }
    case INT64: {
        sqlite3_int64 x = ((const sqlite3_int64 *)c->values)[row];
        return (x > test->number) - (x < test->number);
    }
    case REAL: {
        double x = ((const double *)c->values)[row];
        return (x > test->real) - (x < test->real);
    }
    default: {
        const char *x = c->texts + ((const uint32_t *)c->values)[row];
        return test->op == SQLITE_INDEX_CONSTRAINT_LIKE
            ? sqlite3_strlike(test->text, x, 0) : strcmp(x, test->text);
    }
    }
}

static bool passes(const Test *test, sqlite3_int64 row)
{
    int order = compare(test, row);

    switch (test->op) {
    case SQLITE_INDEX_CONSTRAINT_NE:
        return order != 0;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return order < 0;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return order <= 0;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return order > 0;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return order >= 0;
    default:
        return order == 0;
    }
}

/* On to the next row that passes, from this one on. */
static void settle(Cursor *c)
{
    for (; c->row < c->t->n; c->row++) {
        int i = 0;
        while (i < c->n_tests && passes(&c->tests[i], c->row)) {
            i++;
        }
        if (i == c->n_tests) {
            return;
        }
    }
}

/* --- cursors -------------------------------------------------------------- */

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    Cursor *c = sqlite3_malloc(sizeof *c);

    if (!c) {
        return SQLITE_NOMEM;
    }
    memset(c, 0, sizeof *c);
    c->t = (Table *)v;
    *out = &c->base;
    return SQLITE_OK;
}

static void forget_tests(Cursor *c)
{
    while (c->n_tests > 0) {
        sqlite3_free(c->tests[--c->n_tests].text);
    }
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    forget_tests((Cursor *)cursor);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

/* False: the value has another type than the column. */
static bool add_test(Cursor *c, int op, int column, sqlite3_value *value)
{
    Test *test = &c->tests[c->n_tests++];

    memset(test, 0, sizeof *test);
    test->op = op;
    test->column = &c->t->columns[column];
    switch (test->column->kind) {
    case INT32:
    case INT64:
        test->number = sqlite3_value_int64(value);
        return sqlite3_value_type(value) == SQLITE_INTEGER;
    case REAL:
        test->real = sqlite3_value_double(value);
        return sqlite3_value_numeric_type(value) != SQLITE_TEXT;
    default:
        test->text = sqlite3_mprintf("%s", sqlite3_value_text(value));
        return test->text && sqlite3_value_type(value) == SQLITE_TEXT;
    }
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *plan,
                  int argc, sqlite3_value **argv)
{
    Cursor *c = (Cursor *)cursor;
    char *at = (char *)plan;
    int i;

    forget_tests(c);
    for (i = 0; i < argc; i++) {
        int op = (int)strtol(at, &at, 10);
        int column = (int)strtol(at, &at, 10);
        if (!add_test(c, op, column, argv[i])) {
            sqlite3_free(cursor->pVtab->zErrMsg);
            cursor->pVtab->zErrMsg = sqlite3_mprintf(
                "arrays: compared with a value of another type");
            return SQLITE_ERROR;
        }
    }
    c->row = 0;
    settle(c);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor)
{
    ((Cursor *)cursor)->row++;
    settle((Cursor *)cursor);
    return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *c)
{
    return ((Cursor *)c)->row >= ((Cursor *)c)->t->n;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
    sqlite3_int64 row = ((const Cursor *)cursor)->row;
    const Column *c = &((const Cursor *)cursor)->t->columns[i];

    switch (c->kind) {
    case INT32:
        sqlite3_result_int(ctx, ((const int32_t *)c->values)[row]);
        break;
    case INT64:
        sqlite3_result_int64(ctx, ((const sqlite3_int64 *)c->values)[row]);
        break;
    case REAL:
        sqlite3_result_double(ctx, ((const double *)c->values)[row]);
        break;
    default:                         /* the arrays stay where they are */
        sqlite3_result_text(ctx, c->texts + ((const uint32_t *)c->values)[row],
                            -1, SQLITE_STATIC);
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
    *out = ((Cursor *)c)->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xCreate = connect,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = eof,
    .xColumn = column,
    .xRowid = rowid,
};

static void set_filters(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    filters = sqlite3_value_int(argv[0]) != 0;
}

int arrays_register(sqlite3 *db);

int arrays_register(sqlite3 *db)
{
    int rc = sqlite3_create_function(db, "arrays_filter", 1, SQLITE_UTF8, NULL,
                                     set_filters, NULL, NULL);

    return rc == SQLITE_OK
        ? sqlite3_create_module(db, "arrays", &module, NULL) : rc;
}
