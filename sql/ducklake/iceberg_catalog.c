/*
** iceberg_catalog.c - a table of PyIceberg's catalog, which is an SQLite database too.
**
**   catalog_name  table_namespace  table_name  metadata_location
**   default       shop             orders      file:///lake/orders/metadata/00007-5a.metadata.json
**
** All but the place of the newest metadata is in the metadata.
*/
#include "sql/ducklake/ducklake_inside.h"

static const char names_sql[] =
    "SELECT table_namespace || '.' || table_name AS name FROM $.iceberg_tables";

/* A database of several catalogs may have a name twice: then the catalog's is before it. */
static PqRc find_metadata(PqsqlLakeCatalog *c, const char *table, const char **out, PqErr *e)
{
    sqlite3_stmt *s;
    bool more;
    PqRc rc;

    *out = NULL;
    PQ_TRY(pqsql_lake_ask(c, "SELECT metadata_location FROM $.iceberg_tables WHERE ?3 IN "
                          "(table_namespace || '.' || table_name, "
                          "catalog_name || '.' || table_namespace || '.' || table_name)", &s, e));
    sqlite3_bind_text(s, 3, table, -1, SQLITE_STATIC);
    PQ_GO(pqsql_lake_step(c, s, &more, e));
    PQ_GO(more ? pqsql_lake_text(c, s, 0, out, e)
               : pqsql_lake_no_table(c, names_sql, table, "", e));
    PQ_GO(pqsql_lake_step(c, s, &more, e));
    if (more) {
        rc = pq_fail(e, PQ_USAGE, "the database has several catalogs with a table %.100s: write "
                     "catalog.%.100s", table, table);
    }
done:
    sqlite3_finalize(s);
    return rc;
}

PqRc pqsql_lake_iceberg(PqsqlLakeCatalog *c, const char *table, PqErr *e)
{
    PqLakeReading *r = c->r;
    const char *path;
    PqRc rc;

    if (r->as_of != INT64_MAX) {
        return pq_fail(e, PQ_UNSUPPORTED, "as_of= is not read of Iceberg tables: version= is");
    }
    PQ_TRY(find_metadata(c, table, &path, e));
    path = path && strncmp(path, "file://", 7) == 0 ? path + 7 : path;
    PQ_TRY(pqsql_lake_path(c, "", path, false, &path, e));
    if (!pq_lake_is_metadata(path)) {
        return pq_fail(e, PQ_CORRUPT, "the catalog has no metadata of the table %.100s: %.200s",
                       table, path);
    }
    r->table = path;
    rc = pq_iceberg_read(r, e);
    r->table = r->lake;
    return rc;
}
