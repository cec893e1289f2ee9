/*
** iceberg_catalog.c - a table of PyIceberg's catalog, which is an SQLite database too.
**
**   catalog_name  table_namespace  table_name  metadata_location
**   default       shop             orders      file:///lake/orders/metadata/00007-5a.metadata.json
**
** All but the place of the newest metadata is in the metadata.
*/
#include "sql/ducklake/ducklake_write.h"

#define NAMES "?3 IN (table_namespace || '.' || table_name, " \
    "catalog_name || '.' || table_namespace || '.' || table_name)"

static const char names_sql[] =
    "SELECT table_namespace || '.' || table_name AS name FROM $.iceberg_tables";

/* A database of several catalogs may have a name twice: then the catalog's is before it. */
static PqRc find_metadata(PqsqlLakeCatalog *c, const char *table, const char **out, PqErr *e)
{
    int64_t n;

    PQ_TRY(pqsql_lake_run(c, e, "SELECT metadata_location, count(*) OVER () FROM "
                          "$.iceberg_tables WHERE " NAMES " LIMIT 1", "s>ti", table, out, &n));
    return n == 0 ? pqsql_lake_no_table(c, names_sql, table, "", e)
           : n > 1
               ? pq_fail(e, PQ_USAGE, "the database has several catalogs with a table %.100s: "
                         "write catalog.%.100s", table, table)
               : PQ_OK;
}

/* Its place as the catalog has it, and as it is opened. */
static PqRc find_path(PqsqlLakeCatalog *c, const char *table, const char **location,
                      const char **path, PqErr *e)
{
    PQ_TRY(find_metadata(c, table, location, e));
    *path = *location && strncmp(*location, "file://", 7) == 0 ? *location + 7 : *location;
    PQ_TRY(pqsql_lake_path(c, "", *path, false, path, e));
    return pq_lake_is_metadata(*path)
               ? PQ_OK : pq_fail(e, PQ_CORRUPT, "the catalog has no metadata of the table %.100s: "
                                 "%.200s", table, *path);
}

PqRc pqsql_lake_iceberg(PqsqlLakeCatalog *c, const char *table, PqErr *e)
{
    PqLakeReading *r = c->r;
    const char *location;
    PqRc rc;

    if (r->as_of != INT64_MAX) {
        return pq_fail(e, PQ_UNSUPPORTED, "as_of= is not read of Iceberg tables: version= is");
    }
    PQ_TRY(find_path(c, table, &location, &r->table, e));
    rc = pq_iceberg_read(r, e);
    r->table = r->lake;
    return rc;
}

/* ---- rows are added ---------------------------------------------------------------------- */

static PqRc newest(void *arg, const char **location, const char **path, PqErr *e)
{
    PqsqlIcebergWrite *w = arg;

    PQ_TRY(find_path(&w->lake, w->table, &w->location, path, e));
    *location = w->location;
    return PQ_OK;
}

/* One statement, which compares and swaps, so it needs no transaction.  Nobody asks for an
** interrupt after it, which has happened: lake has no stop. */
static PqRc replace(void *arg, const char *location, bool *made, PqErr *e)
{
    PqsqlIcebergWrite *w = arg;
    PqRc rc;

    rc = pqsql_lake_run(&w->lake, e, "UPDATE $.iceberg_tables SET metadata_location = ?4, "
                        "previous_metadata_location = ?5 WHERE metadata_location = ?5 AND " NAMES,
                        "sss", w->table, location, w->location);
    *made = rc == PQ_OK && sqlite3_changes(w->lake.db) > 0;
    return rc;
}

PqRc pqsql_iceberg_write_open(PqsqlIcebergWrite *w, const PqsqlDucklake *of, const char *catalog,
                              PqArena *a, const PqStop *stop, const char **data, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, catalog);
    const char *location, *path, *slash;
    const size_t n = strlen("/metadata");
    PqRc rc;

    *data = NULL;
    *w = (PqsqlIcebergWrite){.table = of->table, .catalog = {newest, replace, w}};
    w->r = (PqLakeReading){.table = catalog, .mem = a->mem, .stop = stop, .as_of = INT64_MAX};
    w->lake = (PqsqlLakeCatalog){.r = &w->r, .arena = a, .writes = true};
    PQ_GO(pqsql_lake_open(&w->lake, of->db, catalog, e));
    if (w->lake.is_iceberg) {
        PQ_GO(newest(w, &location, &path, e));
        slash = strrchr(path, '/');          /* t/metadata/00007-5a.metadata.json */
        if (slash && slash >= path + n && memcmp(slash - n, "/metadata", n) == 0) {
            *data = pq_arena_printf(a, e, "%.*s/data", (int)(slash - n - path), path);
            rc = *data ? PQ_OK : e->rc;
        } else {
            rc = pq_fail(e, PQ_UNSUPPORTED, "the metadata is not in a folder metadata: %.200s",
                         path);
        }
    }
done:
    e->where = outer;
    return rc;
}

void pqsql_iceberg_write_close(PqsqlIcebergWrite *w)
{
    pqsql_lake_close(&w->lake);
    *w = (PqsqlIcebergWrite){0};
}
