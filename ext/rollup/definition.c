/*
** definition.c - a rollup's text becomes its dimensions and measures, and these
** become the columns that are declared to SQLite.
*/
#include "ext/rollup/definition_inside.h"

#include "ext/rollup/dimension_ask.h"
#include "ext/rollup/rollup_table.h"

void pqext_definition_free(PqextDefinition *d)
{
    if (d) {
        pq_arena_free(&d->arena);
        pq_mem_free(d);
    }
}

/* of may be NULL. */
static PqRc check_asked(const PqextDefinition *d, const PqextDimension *of,
                        PqErr *e)
{
    return !of || of->kind == PQEXT_DIM_COLUMN ? PQ_OK
                                               : pqext_ask_check(d, of, e);
}

/* Reads the dimensions and measures, in the order of the text. */
static PqRc read_items(PqextDefinition *d, const PqextItem *items, uint32_t n,
                       PqErr *e)
{
    PqArena *a = &d->arena;

    for (uint32_t i = 0; i < n; i++) {
        if (pqext_is_measure(&items[i])) {
            PQ_TRY(PQ_ARENA_GROW(a, d->measures, d->n_measures, e));
            PQ_TRY(pqext_measure_parse(d->source, &items[i], a,
                                       &d->measures[d->n_measures++], e));
            PQ_TRY(check_asked(d, d->measures[d->n_measures - 1].expression, e));
        } else {
            PQ_TRY(PQ_ARENA_GROW(a, d->dimensions, d->n_dimensions, e));
            PQ_TRY(pqext_dimension_parse(d->source, &items[i], a,
                                         &d->dimensions[d->n_dimensions++],
                                         e));
            PQ_TRY(check_asked(d, &d->dimensions[d->n_dimensions - 1], e));
        }
    }
    return PQ_OK;
}

static bool names_measure(const PqextDefinition *d, const char *name)
{
    for (uint32_t i = 0; i < d->n_measures; i++) {
        if (pq_ascii_same(d->measures[i].name, name)) {
            return true;
        }
    }
    return false;
}

static PqRc add_columns(PqextDefinition *d, bool hidden, PqErr *e)
{
    const PqTable *t = d->source->table;

    for (uint32_t i = 0; i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];

        if (c->hidden != hidden || pqext_is_nested(c) ||
            (hidden && (d->n_dimensions >= PQ_ROLLUP_KEYS ||
                        names_measure(d, c->name)))) {
            continue;
        }
        PQ_TRY(PQ_ARENA_GROW(&d->arena, d->dimensions, d->n_dimensions, e));
        PQ_TRY(pqext_dimension_of_column(d->source, i, &d->arena,
                                         &d->dimensions[d->n_dimensions++],
                                         e));
    }
    return PQ_OK;
}

/* Where the text has measures only, every column that is not nested is a
** dimension.  Hidden columns, such as leaves of structs, are hidden dimensions,
** as many as there is room for. */
static PqRc all_columns(PqextDefinition *d, PqErr *e)
{
    PQ_TRY(add_columns(d, false, e));
    return add_columns(d, true, e);
}

static PqRc too_many(const PqextDefinition *d, bool named, PqErr *e)
{
    pq_where_reset(e);
    return named ? pq_fail(e, PQ_USAGE, "parquet: rollup has %u dimensions; at "
                           "most %d are possible; leave out those that no "
                           "query mentions", d->n_dimensions, PQ_ROLLUP_KEYS)
                 : pq_fail(e, PQ_USAGE, "parquet: rollup names no dimension, "
                           "which makes one of each of the %u columns, and at "
                           "most %d are possible; name those you want: "
                           "rollup='%s, count(*) AS n'", d->n_dimensions,
                           PQ_ROLLUP_KEYS, d->dimensions[0].name);
}

static const char *name_of(const PqextDefinition *d, uint32_t i)
{
    return i < d->n_dimensions ? d->dimensions[i].name
                               : d->measures[i - d->n_dimensions].name;
}

static PqRc check_names(const PqextDefinition *d, PqErr *e)
{
    uint32_t n = d->n_dimensions + d->n_measures;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (pq_ascii_same(name_of(d, i), name_of(d, k))) {
                pq_where_reset(e);
                return pq_fail(e, PQ_USAGE, "parquet: rollup has two columns "
                               "%s; name one of them with AS: %s AS other",
                               name_of(d, i),
                               i < d->n_dimensions
                                   ? d->dimensions[i].text
                                   : d->measures[i - d->n_dimensions].text);
            }
        }
    }
    return PQ_OK;
}

static PqRc parse(PqextDefinition *d, const char *text, PqErr *e)
{
    bool named;
    PqextItem *items;
    uint32_t n;

    PQ_TRY(pqext_items_read(text, &d->arena, &items, &n, e));
    PQ_TRY(read_items(d, items, n, e));
    named = d->n_dimensions > 0;
    if (!named) {
        PQ_TRY(all_columns(d, e));
    }
    return d->n_dimensions > PQ_ROLLUP_KEYS ? too_many(d, named, e)
                                            : check_names(d, e);
}

/* Its name: the one after AS, the column's name, or the text. */
static const char *written_name(const PqextItem *item)
{
    return item->name                               ? item->name
           : item->n == 1 && item->body[0].sql.quoted   ? item->body[0].text
                                                    : item->text;
}

char *pqext_definition_names(const char *text, PqMem *mem)
{
    sqlite3_str *s = sqlite3_str_new(NULL);
    PqextItem *items;
    uint32_t n = 0;
    PqArena a;
    char *made;
    PqErr e = PQ_NO_ERR;

    pq_arena_init(&a, mem);
    sqlite3_str_appendall(s, "CREATE TABLE x(");
    if (pqext_items_read(text, &a, &items, &n, &e) != PQ_OK) {
        n = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        sqlite3_str_appendf(s, "%s\"%w\"", i > 0 ? ", " : "",
                            written_name(&items[i]));
    }
    sqlite3_str_appendall(s, ")");
    pq_arena_free(&a);
    made = sqlite3_str_finish(s);
    if (n == 0) {
        sqlite3_free(made);
    }
    return n > 0 ? made : NULL;
}

/* 'strftime('%Y', ts)': the first quote ends before the text does, so the
** quotes are a part of the text. */
static bool keeps_its_quotes(const char *text)
{
    size_t n = strlen(text);

    return n > 1 && text[0] == '\'' && text[n - 1] == '\'';
}

PqRc pqext_definition_parse(PqextTable *source, const char *text,
                            PqextDefinition **out, PqErr *e)
{
    PqMem *mem = source->host->engine->mem;
    PqextDefinition *d = pq_mem_zeros(mem, 1, sizeof *d, e);

    *out = NULL;
    PQ_TRY(d ? PQ_OK : e->rc);
    pq_arena_init(&d->arena, mem);
    d->source = source;
    if (parse(d, text, e) != PQ_OK) {
        if (e->rc == PQ_USAGE && keeps_its_quotes(text)) {
            pq_err_hint(e, "a quote inside of quotes is written twice: "
                           "rollup='strftime(''%%Y'', ts)'");
        }
        pqext_definition_free(d);
        return e->rc;
    }
    *out = d;
    return PQ_OK;
}

/* ---- the table ------------------------------------------------------------- */

PqRc pqext_rollup_open(PqextTable *t, PqErr *e)
{
    PqextTable *source = t->source;

    source->n_columns = source->table->n_columns;
    PQ_TRY(pqext_definition_parse(source, t->options.rollup, &t->rollup, e));
    t->own = &pqext_rollup_rows;
    t->n_columns = t->rollup->n_dimensions + t->rollup->n_measures;
    return PQ_OK;
}

static void declare_column(const char *name, const char *type, uint32_t i,
                           PqBuf *sql)
{
    pq_buf_text(sql, i ? ", " : "");
    pqext_declare_name(name, sql);
    pq_buf_byte(sql, ' ');
    pq_buf_text(sql, type);
}

static int too_many_columns(const PqextTable *t, int limit, char **error)
{
    *error = sqlite3_mprintf("rollup has %u columns, this SQLite takes at most "
                             "%d in a table", t->n_columns, limit);
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

int pqext_rollup_declare(sqlite3 *db, PqextTable *t, char **error)
{
    const PqextDefinition *d = t->rollup;
    int limit = sqlite3_limit(db, SQLITE_LIMIT_COLUMN, -1), rc;
    PqBuf sql;
    PqErr e = PQ_NO_ERR;

    if (t->n_columns > (uint32_t)limit) {
        return too_many_columns(t, limit, error);
    }
    pq_buf_init(&sql, t->host->engine->mem, &e);
    pq_buf_text(&sql, "CREATE TABLE x(");
    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        declare_column(d->dimensions[i].name, d->dimensions[i].declared, i,
                       &sql);
    }
    for (uint32_t i = 0; i < d->n_measures; i++) {
        declare_column(d->measures[i].name, d->measures[i].declared,
                       d->n_dimensions + i, &sql);
    }
    pq_buf_add(&sql, ")", 2);        /* and a NUL */
    rc = !pq_buf_ok(&sql) ? pqext_error(&e, error)
                          : sqlite3_declare_vtab(db, (const char *)sql.p);
    if (rc == SQLITE_ERROR && pq_buf_ok(&sql)) {
        *error = sqlite3_mprintf("rollup: its columns cannot be declared: %s",
                                 sqlite3_errmsg(db));
    }
    pq_buf_free(&sql);
    return rc;
}
