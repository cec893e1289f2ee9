/*
** table_list.c - which Parquet tables a connection has, and what a copy of one of
** their columns has to know.
**
** SQLite tells a copy the schema, table and column that a result column comes
** from.  What the column is in its files, and how the table gives it (a
** timestamp as a text or as the stored integer), the table knows best.
*/
#include "ext/table/vtable.h"

#include "sql/copy/copy_to.h"

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

/* A table that was made anew comes before the one that it replaces. */
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

/* A column of one file that is REQUIRED, but of which a NaN is NULL, is not
** declared NOT NULL; what is written of it is. */
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
    uint32_t i;

    for (i = 0; t && i < t->n_columns; i++) {
        const PqColumn *c = &t->table->columns[i];

        if (sqlite3_stricmp(c->name, column) == 0) {
            *out = (PqsqlSource){c, t->values, is_required(t, c)};
            return true;
        }
    }
    return false;
}

static void spoke(void *host)
{
    pqext_host_spoke(host);
}

int pqext_register_copy(sqlite3 *db, PqextHost *h)
{
    h->copies = (PqsqlCopyHost){.stop = {pqext_host_stop, h},
                                .spoke = spoke,
                                .source = source,
                                .arg = h};
    return pqsql_register_copy(db, &h->copies);
}
