/*
** rollup_table.c - CREATE VIRTUAL TABLE of a rollup: reads its definition, and
** declares its columns to SQLite.
*/
#include "ext/rollup/rollup_table.h"

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

static int too_many(const PqextTable *t, int limit, char **error)
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
    PqErr e;

    if (t->n_columns > (uint32_t)limit) {
        return too_many(t, limit, error);
    }
    pq_err_init(&e);
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
