/*
** ducklake_part.c - by what a DuckLake table is partitioned, and sorted.
**
**   year(at), region      year=2026/region=DE/ducklake-0198....parquet
**   bucket(8, id)         bucket=3/ducklake-0198....parquet           as Iceberg's bucket[8]
**
** The columns themselves are in the files too.
*/
#include "sql/ducklake/ducklake_write.h"

#include <stdio.h>

/* Where a part of a time begins in 2026-01-31 12:00:00, and its digits. */
static const struct { const char *transform; size_t at, n; } parts[] = {
    {"year", 0, 4}, {"month", 5, 2}, {"day", 8, 2}, {"hour", 11, 2}};

static PqRc no_transform(const PqsqlDucklakeBy *by, const char *column, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "the table is partitioned by %.40s of column %s, and rows "
                   "are not written so", by->transform, column);
}

/* Of the types whose hash is Iceberg's: DuckDB skips files by it.  Seconds are hashed as such. */
static bool is_bucket(PqsqlDucklakeBy *by, bool is_seconds)
{
    const PqType *t = &by->type;
    int width = 0, length = 0;
    bool known = t->logical == PQ_TYPE_STRING || t->logical == PQ_TYPE_DATE ||
                 (t->logical == PQ_TYPE_INT && t->is_signed) ||
                 (t->logical == PQ_TYPE_TIMESTAMP && t->unit == PQ_MICROS && !is_seconds) ||
                 (t->logical == PQ_TYPE_NONE &&
                  (t->physical == PQ_INT32 || t->physical == PQ_INT64));

    if (!known || sscanf(by->transform, "bucket(%9d)%n", &width, &length) != 1 ||
        length == 0 || by->transform[length] || width < 1) {
        return false;
    }
    by->bucket = (PqIcebergBy){.transform = PQ_ICEBERG_BUCKET, .width = width, .type = *t};
    return true;
}

static PqRc take_by(void *arg, sqlite3_stmt *s, PqErr *e)
{
    PqsqlDucklakeWrite *w = arg;
    PqsqlDucklakeBy *by;
    const PqNode *node;
    PqLakeBy *of;
    bool known;

    PQ_TRY(PQ_ARENA_GROW(w->a, w->by, w->writer.n_by, e));
    PQ_TRY(PQ_ARENA_GROW(w->a, w->writer.by, w->writer.n_by, e));
    by = &w->by[w->writer.n_by];
    of = &w->writer.by[w->writer.n_by++];
    w->partition_id = sqlite3_column_int64(s, 0);
    PQ_TRY(pqsql_lake_text(&w->c, s, 1, &of->column, e));
    PQ_TRY(pqsql_lake_text(&w->c, s, 2, &by->transform, e));
    node = of->column ? pq_node_field_any_case(w->r.s->schema->schema.root,
                                               pq_slice_text(of->column)) : NULL;
    if (!node || node->kind != PQ_NODE_LEAF || !by->transform) {
        return pq_fail(e, PQ_UNSUPPORTED, "the table is partitioned by what is not one of its "
                       "plain columns");
    }
    by->type = node->type;
    of->folder = of->column;
    known = pq_ascii_same(by->transform, "identity");
    for (size_t i = 0; i < PQ_COUNT(parts); i++) {
        if (pq_ascii_same(by->transform, parts[i].transform)) {
            of->folder = parts[i].transform;
            known = by->type.logical == PQ_TYPE_TIMESTAMP ||
                    (by->type.logical == PQ_TYPE_DATE && parts[i].at < 11);
        }
    }
    if (is_bucket(by, sqlite3_column_int(s, 3))) {
        of->folder = "bucket";
        known = true;
    }
    for (uint32_t k = 0; k + 1 < w->writer.n_by; k++) {
        if (pq_ascii_same(w->writer.by[k].folder, of->folder)) {
            of->folder = pq_arena_printf(w->a, e, "%s_%s", of->folder, of->column);
            PQ_TRY(of->folder ? PQ_OK : e->rc);
        }
    }
    return known ? PQ_OK : no_transform(by, of->column, e);
}

PqRc pqsql_ducklake_part_find(PqsqlDucklakeWrite *w, PqErr *e)
{
    return pqsql_lake_each(
        &w->c, "SELECT i.partition_id, c.column_name, p.transform, c.column_type = 'timestamp_s' "
               "COLLATE NOCASE FROM $.ducklake_partition_info AS i JOIN "
               "$.ducklake_partition_column AS p USING (partition_id) LEFT JOIN "
               "$.ducklake_column AS c ON c.table_id = ?2 AND c.column_id = p.column_id AND "
               "c.parent_column IS NULL AND " PQSQL_LIVE("c") " WHERE i.table_id = ?2 AND "
               PQSQL_LIVE("i") " ORDER BY p.partition_key_index", take_by, w, e);
}

/* z: the value as the text of its type. */
static PqRc bucket_text(PqsqlDucklakeWrite *w, const PqsqlDucklakeBy *by, const char *z,
                        PqSlice *text, PqErr *e)
{
    PqSlice stored = *text, at = pq_slice_text(z ? z : "");
    uint8_t bytes[8];
    int64_t value = 0;
    int32_t days;

    if (by->type.logical == PQ_TYPE_DATE) {
        pq_time_parse_date(at, &days);
        value = days;
    } else if (by->type.logical == PQ_TYPE_TIMESTAMP) {
        pq_time_parse_timestamp(at, PQ_MICROS, true, &value);
    } else if (by->type.logical != PQ_TYPE_STRING) {
        pq_number_parse_i64(at, &value);
    }
    if (by->type.logical != PQ_TYPE_STRING) {
        pq_store_u64(bytes, (uint64_t)value);
        stored = pq_slice(bytes, pq_physical_width(by->type.physical));
    }
    z = pq_arena_printf(&w->scratch, e, "%lld",
                        (long long)pq_iceberg_transform(&by->bucket, stored).i);
    PQ_TRY(z ? PQ_OK : e->rc);
    *text = pq_slice_text(z);
    return PQ_OK;
}

PqRc pqsql_ducklake_part_text(PqsqlDucklakeWrite *w, uint32_t k, PqSlice *text, PqErr *e)
{
    const char *column = w->writer.by[k].column, *z;
    const PqsqlDucklakeBy *by = &w->by[k];

    if (k == 0) {
        pq_arena_reset(&w->scratch);
    }
    if (!text->n && (!by->bucket.width || by->type.logical != PQ_TYPE_STRING)) {
        return pq_fail(e, PQ_USAGE, "the table is partitioned by %s, and a folder's name does not "
                       "tell an empty text from NULL", column);
    }
    PQ_TRY(pq_lake_partition_text(&w->scratch, column, &by->type, *text, &z, e));
    if (by->bucket.width) {
        return bucket_text(w, by, z, text, e);
    }
    *text = pq_slice_text(z);
    for (size_t i = 0; i < PQ_COUNT(parts); i++) {
        size_t at = parts[i].at, n = parts[i].n;

        if (!pq_ascii_same(by->transform, parts[i].transform)) {
            continue;
        }
        if (*z < '0' || *z > '9' || text->n < at + n || z[4] != '-') {
            return pq_fail(e, PQ_USAGE, "column %s: %.100s has no %s of four digits or less",
                           column, z, by->transform);
        }
        for (; n > 1 && z[at] == '0'; n--) {
            at++;
        }
        *text = pq_slice(z + at, n);
    }
    if (pq_ascii_same(by->transform, "identity") && by->type.logical == PQ_TYPE_TIMESTAMP &&
        by->type.utc) {
        z = pq_arena_printf(&w->scratch, e, "%s+00", z);
        PQ_TRY(z ? PQ_OK : e->rc);
        *text = pq_slice_text(z);
    }
    return PQ_OK;
}

PqRc pqsql_ducklake_part_enter(PqsqlDucklakeWrite *w, int64_t file, const char *below,
                               PqErr *e)
{
    const char *name, *value;

    for (uint32_t k = 0; k < w->writer.n_by && pq_log_folder(&below, w->a, &name, &value, e); k++) {
        PQ_TRY(pqsql_lake_run(&w->c, e, "INSERT INTO $.ducklake_file_partition_value"
                              "(data_file_id, table_id, partition_key_index, partition_value) "
                              "VALUES (?3, ?2, ?4, ?5)", "iis", file, (int64_t)k, value));
    }
    return e->rc;
}

/* ---- the order ---------------------------------------------------------------------------- */

/* An expression that is a column, maybe in quotes; NULL: it is another one. */
static const char *column_of(const PqsqlDucklakeWrite *w, const char *expression, PqErr *e)
{
    size_t n = strlen(expression);
    bool quoted = n > 2 && *expression == '"' && expression[n - 1] == '"';
    const PqNode *node = pq_node_field_any_case(
        w->r.s->schema->schema.root, pq_slice(expression + quoted, n - 2u * quoted));

    return node ? pq_arena_text(w->a, node->name, strlen(node->name), e) : NULL;
}

static PqRc take_key(void *arg, sqlite3_stmt *s, PqErr *e)
{
    PqsqlDucklakeWrite *w = arg;
    const char *expression, *column;

    PQ_TRY(pqsql_lake_text(&w->c, s, 0, &expression, e));
    column = expression ? column_of(w, expression, e) : NULL;
    PQ_TRY(e->rc);
    w->unsorted = w->unsorted || !column;
    if (w->unsorted) {               /* the query's own order stays          */
        w->n_order = 0;
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_GROW(w->a, w->order, w->n_order, e));
    w->order[w->n_order++] = (PqsqlDucklakeKey){column, sqlite3_column_int(s, 1),
                                                sqlite3_column_int(s, 2)};
    return PQ_OK;
}

PqRc pqsql_ducklake_order_find(PqsqlDucklakeWrite *w, PqErr *e)
{
    bool has;

    PQ_TRY(pqsql_lake_has(&w->c, "ducklake_sort_info", &has, e));
    return !has ? PQ_OK : pqsql_lake_each(
        &w->c, "SELECT k.expression, k.sort_direction = 'DESC' COLLATE NOCASE, k.null_order = "
               "'NULLS_FIRST' COLLATE NOCASE FROM $.ducklake_sort_info AS i JOIN "
               "$.ducklake_sort_expression AS k USING (sort_id) WHERE i.table_id = ?2 AND "
               PQSQL_LIVE("i") " AND coalesce((SELECT value FROM $.ducklake_metadata WHERE key = "
               "'sort_on_insert' AND (scope IS NULL OR (scope = 'table' AND scope_id = ?2) OR "
               "(scope = 'schema' AND scope_id IN (SELECT schema_id FROM $.ducklake_table AS t "
               "WHERE t.table_id = ?2 AND " PQSQL_LIVE("t") "))) "
               "ORDER BY scope DESC LIMIT 1), 'true') <> 'false' COLLATE NOCASE "
               "ORDER BY k.sort_key_index", take_key, w, e);
}
