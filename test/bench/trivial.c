/*
** trivial.c - the cheapest virtual table there is, to measure against.
**
**   CREATE VIRTUAL TABLE temp.t USING trivial(int64, 6000000)
**
** int64, double: one column c0 in an array that is filled beforehand.  mixed:
** 16 columns, c0 to c3 integers, c4 to c7 reals, the others texts as they are
** in lineitem.  Any other columns: arrays.c.  What a query over it costs is
** SQLite's own cost of a virtual table, which no virtual table goes below.  It
** is a loadable extension like the other, so both are called in the same way.
*/
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <stdlib.h>
#include <string.h>

/* Columns below n_ints are integers, the others below n_numbers reals, the
** rest texts. */
typedef struct Shape {
    const char *name, *columns;
    int         n_ints, n_numbers;
} Shape;

static const Shape shapes[] = {
    {"int64", "CREATE TABLE t(c0 BIGINT)", 1, 1},
    {"double", "CREATE TABLE t(c0 DOUBLE)", 0, 1},
    {"mixed", "CREATE TABLE t(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, "
              "c11, c12, c13, c14, c15)", 4, 8},
};

static const char *const texts[] = {
    "DELIVER IN PERSON", "A", "1998-01-02", "TRUCK", "N", "1994-02-03",
    "1996-11-30", "furiously even pinto beans"
};

typedef struct Table {
    sqlite3_vtab   base;             /* SQLite's part: first */
    Shape          shape;
    sqlite3_int64  n;
    sqlite3_int64 *ints;             /* n of each */
    double        *doubles;
} Table;

typedef struct Cursor {
    sqlite3_vtab_cursor  base;
    sqlite3_int64        row;
    Table                t;
} Cursor;

static int disconnect(sqlite3_vtab *v)
{
    Table *t = (Table *)v;

    sqlite3_free(t->ints);
    sqlite3_free(t->doubles);
    sqlite3_free(t);
    return SQLITE_OK;
}

static int fill(Table *t)
{
    sqlite3_int64 i;

    t->doubles = sqlite3_malloc64((sqlite3_uint64)t->n * sizeof *t->doubles);
    t->ints = sqlite3_malloc64((sqlite3_uint64)t->n * sizeof *t->ints);
    if (!t->ints || !t->doubles) {
        return SQLITE_NOMEM;
    }
    for (i = 0; i < t->n; i++) {
        t->ints[i] = i * 7919 % 1000003;
        t->doubles[i] = (double)t->ints[i] / 16;
    }
    return SQLITE_OK;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                   sqlite3_vtab **out, char **error)
{
    const Shape *shape = shapes;
    const Shape *end = shapes + sizeof shapes / sizeof *shapes;
    Table *t;
    int rc;

    while (argc == 5 && shape < end && strcmp(shape->name, argv[3]) != 0) {
        shape++;
    }
    if (argc != 5 || shape == end || atoll(argv[4]) <= 0) {
        *error = sqlite3_mprintf("trivial(int64, double or mixed, rows)");
        return SQLITE_ERROR;
    }
    t = sqlite3_malloc(sizeof *t);
    if (!t) {
        return SQLITE_NOMEM;
    }
    memset(t, 0, sizeof *t);
    t->shape = *shape;
    t->n = atoll(argv[4]);
    rc = fill(t);
    if (rc == SQLITE_OK) {
        rc = sqlite3_declare_vtab(db, shape->columns);
    }
    if (rc != SQLITE_OK) {
        disconnect(&t->base);
        return rc;
    }
    *out = &t->base;
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
    info->estimatedCost = (double)((Table *)v)->n;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    Table *t = (Table *)v;
    Cursor *c = sqlite3_malloc(sizeof *c);

    if (!c) {
        return SQLITE_NOMEM;
    }
    memset(c, 0, sizeof *c);
    c->t = *t;
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
    sqlite3_free(c);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *c, int number, const char *text,
                  int argc, sqlite3_value **argv)
{
    ((Cursor *)c)->row = 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *c)
{
    ((Cursor *)c)->row++;
    return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *c)
{
    return ((Cursor *)c)->row >= ((Cursor *)c)->t.n;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
    const Cursor *c = (const Cursor *)cursor;

    if (i < c->t.shape.n_ints) {
        sqlite3_result_int64(ctx, c->t.ints[c->row]);
    } else if (i < c->t.shape.n_numbers) {
        sqlite3_result_double(ctx, c->t.doubles[c->row]);
    } else {
        sqlite3_result_text(ctx, texts[(c->row + i) % 8], -1, SQLITE_TRANSIENT);
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

int arrays_register(sqlite3 *db);    /* arrays.c */
int codecs_register(sqlite3 *db);    /* codecs.c */

int sqlite3_trivial_init(sqlite3 *db, char **error,
                         const sqlite3_api_routines *api);

__attribute__((visibility("default")))
int sqlite3_trivial_init(sqlite3 *db, char **error,
                         const sqlite3_api_routines *api)
{
    int rc;

    SQLITE_EXTENSION_INIT2(api)
    rc = sqlite3_create_module(db, "trivial", &module, NULL);
    rc = rc == SQLITE_OK ? arrays_register(db) : rc;
    return rc == SQLITE_OK ? codecs_register(db) : rc;
}
