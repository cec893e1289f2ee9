/*
** table_list.c - the Parquet tables of a connection, and what parquet_copy_to
** asks about their columns.
**
** SQLite tells a copy the schema, table and column that a result column comes
** from.  Only the table knows the column's type in its files, and how its
** values are shown: a timestamp may be a text or the stored integer.  The copy
** writes the column with its old type.
**
** The hard part is that names are not unique: a table that replaces another of
** the same name may be connected before the old one is disconnected.
*/
#include "ext/table/vtable.h"

#include "sql/copy/copy_to.h"
#include "sql/rewrite/rewriting.h"

void pqext_tables_add(PqextTable *t)
{
    t->next = t->host->tables;
    t->host->tables = t;
}

void pqext_tables_remove(PqextTable *t)
{
    PqextTable **at = &t->host->tables;

    while (*at && *at != t) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = t->next;
    }
}

/* A table that replaces another comes before it in the list. */
static const PqextTable *find(const PqextHost *h, const char *schema,
                              const char *name)
{
    const PqextTable *t = h->tables;

    while (t && (!t->name || !t->schema || !t->table ||
                 sqlite3_stricmp(t->name, name) != 0 ||
                 sqlite3_stricmp(t->schema, schema) != 0)) {
        t = t->next;
    }
    return t;
}

/* A REQUIRED column of floats is not declared NOT NULL, because a NaN is NULL.
** But a copy of a single file writes it as REQUIRED. */
static bool is_required(const PqextTable *t, const PqColumn *c)
{
    return c->not_null ||
           (c->kind == PQ_COLUMN_NODE && !c->node->parent &&
            c->node->required && t->n_files == 1 &&
            c->node->kind == PQ_NODE_LEAF && pq_type_is_float(&c->type));
}

static bool source(void *host, const char *schema, const char *table,
                   const char *column, PqsqlSource *out)
{
    const PqextTable *t = find(host, schema, table);

    for (uint32_t i = 0; t && i < t->n_columns; i++) {
        const PqColumn *c = &t->table->columns[i];

        if (sqlite3_stricmp(c->name, column) == 0) {
            bool variants = c->as_blob || pq_column_is_variant_path(c);

            if (pq_column_is_untyped(c) && !variants) {
                return false;        /* its values say what they are */
            }
            *out = (PqsqlSource){c, t->values, is_required(t, c)};
            out->values.variant_blob = t->values.variant_blob || variants;
            return true;
        }
    }
    return false;
}

static void watch(void *host)
{
    PqextHost *h = host;

    h->watch++;
}

static PqRc reads(void *host, const char *path, const char **table, PqErr *e)
{
    const PqextHost *h = host;

    *table = NULL;
    for (const PqextTable *t = h->tables; t && !*table; t = t->next) {
        const PqextTable *files = t->source ? t->source : t;
        bool has = false;

        if (t->watched == h->watch && t->name) {
            PQ_TRY(pq_listing_would_have(files->options.path, h->engine->mem,
                                         path, &has, e));
        }
        *table = has ? t->name : NULL;
    }
    return PQ_OK;
}

int pqext_register_copy(sqlite3 *db, PqextHost *h)
{
    int rc;

    h->copies = (PqsqlCopyHost){.stop = {pqext_host_stop, h},
                                .sqlite_ran = pqext_host_sqlite_ran,
                                .source = source,
                                .watch = watch,
                                .reads = reads,
                                .arg = h,
                                .twins = h->twins,
                                .keys = h->engine->keys,
                                .engine = h->engine};
    rc = pqsql_register_copy(db, &h->copies);
    return rc == SQLITE_OK ? pqsql_register_moves(db, &h->copies) : rc;
}

/* ---- keys ---------------------------------------------------------------- */

/* A table that could not be opened has no columns.  SQLite connects it again,
** with its columns, after it has forgotten the schema. */
void pqext_tables_connect_again(PqextHost *h)
{
    int writable = 0;

    pqext_ask_int(h->db, "PRAGMA writable_schema", &writable);
    sqlite3_exec(h->db, "PRAGMA writable_schema=RESET", NULL, NULL, NULL);
    if (writable) {
        sqlite3_exec(h->db, "PRAGMA writable_schema=ON", NULL, NULL, NULL);
    }
}

static void keys_changed(void *host, bool given)
{
    PqextHost *h = host;
    const PqextTable *t;

    for (t = h->tables; t; t = t->next) {
        const PqextTable *files = t->source ? t->source : t;

        if (files->table) {
            pq_table_forget(files->table);
        }
    }
    for (t = h->tables; t && !t->gone; t = t->next) {
    }
    if (t && given) {
        pqext_tables_connect_again(h);
    }
}

int pqext_register_keys(sqlite3 *db, PqextHost *h)
{
    h->keys = (PqsqlKeyHost){h->engine, keys_changed, h};
    return pqsql_register_keys(db, &h->keys);
}
