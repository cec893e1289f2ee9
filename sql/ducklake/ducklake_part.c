/*
** ducklake_part.c - by what a DuckLake table is partitioned, and sorted.
**
**   year(at), region      year=2026/region=DE/ducklake-0198....parquet
**   bucket(8, id)         bucket=3/ducklake-0198....parquet           as Iceberg's bucket[8]
**
** The columns themselves are in the files too.
*/
#include "sql/ducklake/ducklake_write.h"

static PqRc no_transform(const char *transform, const char *column, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "the table is partitioned by %.40s of column %s, and rows "
                   "are not written so", transform, column);
}

/* Of the types whose hash is Iceberg's: DuckDB skips files by it.  Seconds are hashed as such. */
static bool has_buckets(const PqType *t, bool is_seconds)
{
    return t->logical == PQ_TYPE_STRING || t->logical == PQ_TYPE_DATE ||
           t->logical == PQ_TYPE_INT ||
           (t->logical == PQ_TYPE_TIMESTAMP && t->unit == PQ_MICROS && !is_seconds) ||
           (t->logical == PQ_TYPE_NONE &&
            (t->physical == PQ_INT32 || t->physical == PQ_INT64));
}

static bool find_transform(PqLakeBy *by, const char *text, bool is_seconds)
{
    if (strcmp(text, "identity") == 0) {
        return true;                 /* of any type                          */
    }
    return pq_iceberg_transform_find(pq_slice_text(text), by) &&
           (by->transform >= PQ_ICEBERG_YEAR ||
            (by->transform == PQ_ICEBERG_BUCKET && has_buckets(&by->type, is_seconds)));
}

static PqRc take_by(PqsqlDucklakeWrite *w, sqlite3_stmt *s, PqErr *e)
{
    const PqSchema *schema = &w->r.s->schema->schema;
    const char *transform;
    const PqNode *node;
    PqLakeBy *by;

    PQ_TRY(PQ_ARENA_GROW(w->a, w->writer.by, w->writer.n_by, e));
    by = &w->writer.by[w->writer.n_by];
    *by = (PqLakeBy){.on_calendar = true};
    w->partition_id = sqlite3_column_int64(s, 0);
    PQ_TRY(pqsql_lake_text(&w->c, s, 1, &by->column, e));
    PQ_TRY(pqsql_lake_text(&w->c, s, 2, &transform, e));
    node = by->column ? pq_node_field_any_case(schema->root, pq_slice_text(by->column)) : NULL;
    if (!node || node->kind != PQ_NODE_LEAF || !transform) {
        return pq_fail(e, PQ_UNSUPPORTED, "the table is partitioned by what is not one of its "
                       "plain columns");
    }
    by->type = node->type;
    if (!find_transform(by, transform, sqlite3_column_int(s, 3))) {
        return no_transform(transform, by->column, e);
    }
    pq_leaf_batch_init(&by->value, &schema->leaves[node->leaf], w->r.mem);
    by->folder = by->transform == PQ_ICEBERG_IDENTITY ? by->column
                                                      : pq_iceberg_transform_name(by->transform);
    for (uint32_t k = 0; k < w->writer.n_by; k++) {
        if (pq_ascii_same(w->writer.by[k].folder, by->folder)) {
            by->folder = pq_arena_printf(w->a, e, "%s_%s", by->folder, by->column);
            PQ_TRY(by->folder ? PQ_OK : e->rc);
        }
    }
    w->writer.n_by++;
    return PQ_OK;
}

PqRc pqsql_ducklake_part_find(PqsqlDucklakeWrite *w, PqErr *e)
{
    sqlite3_stmt *s = NULL;

    while (pqsql_lake_next(
        &w->c, "SELECT i.partition_id, c.column_name, lower(p.transform), c.column_type = "
               "'timestamp_s' COLLATE NOCASE FROM $.ducklake_partition_info AS i JOIN "
               "$.ducklake_partition_column AS p USING (partition_id) LEFT JOIN "
               "$.ducklake_column AS c ON c.table_id = ?2 AND c.column_id = p.column_id AND "
               "c.parent_column IS NULL AND " PQSQL_LIVE("c") " WHERE i.table_id = ?2 AND "
               PQSQL_LIVE("i") " ORDER BY p.partition_key_index", &s, e)) {
        take_by(w, s, e);
    }
    return e->rc;
}

PqRc pqsql_ducklake_part_text(PqsqlDucklakeWrite *w, const PqLakeBy *by, PqSlice *text, PqErr *e)
{
    bool is_utc = by->type.logical == PQ_TYPE_TIMESTAMP && by->type.utc;
    PqArena *a = &w->writer.scratch;
    const char *z;

    if (!text->n) {
        return pq_fail(e, PQ_USAGE, "the table is partitioned by %s, and a folder's name does not "
                       "tell an empty text from NULL", by->column);
    }
    PQ_TRY(pq_lake_partition_text(a, by->column, &by->type, *text, &z, e));
    z = is_utc ? pq_arena_printf(a, e, "%s+00", z) : z;
    *text = pq_slice_text(z);
    return e->rc;
}

/* ---- the order ---------------------------------------------------------------------------- */

static PqRc take_key(PqsqlDucklakeWrite *w, sqlite3_stmt *s, PqErr *e)
{
    PqsqlDucklakeKey *key;

    PQ_TRY(PQ_ARENA_GROW(w->a, w->order, w->n_order, e));
    key = &w->order[w->n_order++];
    *key = (PqsqlDucklakeKey){.descending = sqlite3_column_int(s, 1),
                              .nulls_first = sqlite3_column_int(s, 2)};
    return pqsql_lake_text(&w->c, s, 0, &key->column, e);
}

/* If a key is not a column, maybe in quotes, the query's own order stays. */
PqRc pqsql_ducklake_order_find(PqsqlDucklakeWrite *w, PqErr *e)
{
    sqlite3_stmt *s = NULL;
    bool has;

    PQ_TRY(pqsql_lake_has(&w->c, "ducklake_sort_info", &has, e));
    while (has && pqsql_lake_next(
        &w->c, "SELECT * FROM (SELECT c.column_name, k.sort_direction = 'DESC' COLLATE NOCASE, "
               "k.null_order = 'NULLS_FIRST' COLLATE NOCASE, k.sort_key_index AS nth, "
               "count(c.column_name) OVER () = count(*) OVER () AS known FROM "
               "$.ducklake_sort_info AS i JOIN $.ducklake_sort_expression AS k USING (sort_id) "
               "LEFT JOIN $.ducklake_column AS c ON c.table_id = ?2 AND c.parent_column IS NULL "
               "AND " PQSQL_LIVE("c") " AND k.expression COLLATE NOCASE IN (c.column_name, "
               "'\"' || c.column_name || '\"') WHERE i.table_id = ?2 AND " PQSQL_LIVE("i")
               " AND coalesce((SELECT value FROM $.ducklake_metadata WHERE key = "
               "'sort_on_insert' AND (scope IS NULL OR (scope = 'table' AND scope_id = ?2) OR "
               "(scope = 'schema' AND scope_id IN (SELECT schema_id FROM $.ducklake_table AS t "
               "WHERE t.table_id = ?2 AND " PQSQL_LIVE("t") "))) "
               "ORDER BY scope DESC LIMIT 1), 'true') <> 'false' COLLATE NOCASE) WHERE known "
               "ORDER BY nth", &s, e)) {
        take_key(w, s, e);
    }
    return e->rc;
}
