/*
** ducklake_write.c - a change of a DuckLake table as a whole.
*/
#include "sql/ducklake/ducklake_write.h"

/* ---- the table ---------------------------------------------------------------------------- */

static PqRc setting(PqsqlDucklakeWrite *w, const char *key, bool *out, PqErr *e)
{
    return pqsql_lake_run(&w->c, e, "SELECT value FROM $.ducklake_metadata WHERE key = ?3 AND "
                          "scope IS NULL", "s>b", key, out);
}

/* Each change has a key of its own, which the catalog keeps. */
static PqRc make_key(PqsqlDucklakeWrite *w, PqErr *e)
{
    uint8_t key[16];
    uint64_t id;
    PqBuf text;

    PQ_TRY(pq_random_fill(key, sizeof key, e));
    PQ_TRY(pq_random_fill(&id, sizeof id, e));
    pq_buf_init(&text, w->r.mem, e);
    pq_base64_text(pq_slice(key, sizeof key), &text);
    w->key_text = pq_buf_ok(&text) ? pq_arena_text(w->a, text.p, text.n, e) : NULL;
    w->key_name = pq_arena_printf(w->a, e, "ducklake-%016llx", (unsigned long long)id);
    if (w->key_text && w->key_name) {
        pq_key_ring_put(w->r.engine->keys, w->key_name, pq_slice(key, sizeof key), e);
    }
    memset(key, 0, sizeof key);
    pq_buf_free(&text);
    return e->rc;
}

/* After an interrupt of the user SQLite runs nothing on his connection while the call lasts.
** But what could write, and is interrupted, makes it roll back the whole transaction: a BLOB
** that is opened for writing is that, and needs no compiler. */
static void take_back(PqsqlDucklakeWrite *w)
{
    PqsqlLakeCatalog *c = &w->c;
    sqlite3_blob *blob = NULL;

    if (c->own) {
        sqlite3_progress_handler(c->db, 0, NULL, NULL);
    }
    if (sqlite3_exec(c->db, w->is_outer ? "ROLLBACK" : "ROLLBACK TO parquet_ducklake; "
                     "RELEASE parquet_ducklake", NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_blob_open(c->db, c->schema, "sqlite_master", "sql", 1, 1, &blob);
        sqlite3_blob_close(blob);
    }
}

void pqsql_ducklake_write_free(PqLakeWriter *base)
{
    PqsqlDucklakeWrite *w = (PqsqlDucklakeWrite *)base;

    if (!w->r.s) {
        return;
    }
    if (w->has_begun) {
        take_back(w);
    }
    pqsql_lake_close(&w->c);
    if (w->key_name) {
        pq_key_ring_forget(w->r.engine->keys, w->key_name);
    }
    pq_lake_writer_end(base);
    pq_lake_snapshot_release(w->r.s);
    w->r.s = NULL;
}

/* ---- the transaction ------------------------------------------------------------------------ */

/* The newest snapshot, and the counts of the table. */
static PqRc read_counts(PqsqlDucklakeWrite *w, PqErr *e)
{
    PQ_TRY(pqsql_lake_run(
        &w->c, e, "SELECT n.next_file_id, t.table_id IS NOT NULL, max(coalesce(t.next_row_id, 0), "
                  "(SELECT coalesce(max(row_id_start + record_count), 0) FROM "
                  "$.ducklake_data_file WHERE table_id = ?2)) FROM $.ducklake_snapshot AS n "
                  "LEFT JOIN $.ducklake_table_stats AS t ON t.table_id = ?2 WHERE n.snapshot_id = "
                  "?1", ">ibi", &w->next_file_id, &w->has_stats, &w->next_row_id));
    return w->c.version < 0 || w->c.version == INT64_MAX || w->next_file_id < 0 ||
                   w->next_file_id > INT64_MAX / 2 || w->next_row_id < 0
               ? pq_fail(e, PQ_CORRUPT, "the catalog has run out of numbers") : PQ_OK;
}

static PqRc check_form(PqsqlDucklakeWrite *w, PqErr *e)
{
    bool is_other;

    PQ_TRY(pqsql_lake_run(
        &w->c, e, "SELECT 1 FROM (SELECT begin_snapshot AS b, end_snapshot AS x FROM "
                  "$.ducklake_table WHERE table_id = ?2 UNION ALL SELECT begin_snapshot, "
                  "end_snapshot FROM $.ducklake_column WHERE table_id = ?2 UNION ALL SELECT "
                  "begin_snapshot, end_snapshot FROM $.ducklake_partition_info WHERE table_id = "
                  "?2) WHERE b > ?3 OR x > ?3 LIMIT 1", "i>?", w->base, &is_other));
    return is_other ? pq_fail(e, PQ_USAGE, "another writer has changed the table itself "
                              "meanwhile: run it again") : PQ_OK;
}

PqRc pqsql_ducklake_write_begin(PqsqlDucklakeWrite *w, PqErr *e)
{
    PqWhere outer = pq_where_enter(e, w->r.table);
    PqRc rc;

    w->is_outer = sqlite3_get_autocommit(w->c.db) != 0;
    PQ_GO(pqsql_lake_run(&w->c, e, "SAVEPOINT parquet_ducklake", ""));
    w->has_begun = true;
    PQ_GO(pqsql_lake_run(&w->c, e, "UPDATE $.ducklake_snapshot SET snapshot_id = snapshot_id "
                         "WHERE 0", ""));
    PQ_GO(pqsql_lake_find_snapshot(&w->c, -1, INT64_MAX, e));
    PQ_GO(read_counts(w, e));
    PQ_GO(check_form(w, e));
    w->c.version++;
done:
    e->where = outer;
    return rc;
}

static PqRc end_stats(PqsqlDucklakeWrite *w, PqErr *e)
{
    PQ_TRY(pqsql_lake_run(&w->c, e, "UPDATE $.ducklake_table_stats SET record_count = "
                          "max(0, record_count + ?3), next_row_id = ?4, file_size_bytes = "
                          "max(0, file_size_bytes + ?5) WHERE table_id = ?2", "iii", w->n_rows,
                          w->next_row_id, w->n_bytes));
    return w->has_stats || w->n_rows <= 0
               ? PQ_OK : pqsql_lake_run(&w->c, e, "INSERT INTO $.ducklake_table_stats(table_id, "
                                        "record_count, next_row_id, file_size_bytes) VALUES "
                                        "(?2, ?3, ?4, ?5)", "iii", w->n_rows, w->next_row_id,
                                        w->n_bytes);
}

static PqRc end_snapshot(PqsqlDucklakeWrite *w, const char *const *what, uint32_t n, PqErr *e)
{
    const char *changes = "";

    PQ_TRY(end_stats(w, e));
    for (uint32_t i = 0; i < n; i++) {
        changes = pq_arena_printf(w->a, e, "%s%s%s:%lld", changes, i ? "," : "", what[i],
                                  (long long)w->c.table_id);
        PQ_TRY(changes ? PQ_OK : e->rc);
    }
    PQ_TRY(pqsql_lake_run(&w->c, e, "INSERT INTO $.ducklake_snapshot(snapshot_id, snapshot_time, "
                          "schema_version, next_catalog_id, next_file_id) SELECT ?1, "
                          "strftime('%Y-%m-%d %H:%M:%f+00', 'now'), schema_version, "
                          "next_catalog_id, ?3 FROM $.ducklake_snapshot WHERE snapshot_id = ?1 - 1 "
                          "LIMIT 1", "i", w->next_file_id));
    return pqsql_lake_run(&w->c, e, "INSERT INTO $.ducklake_snapshot_changes(snapshot_id, "
                          "changes_made) VALUES (?1, ?3)", "s", changes);
}

/* A change that changes nothing is not rolled back: that would end statements of the user's. */
PqRc pqsql_ducklake_write_end(PqsqlDucklakeWrite *w, const char *const *what, uint32_t n,
                              PqErr *e)
{
    PqWhere outer = pq_where_enter(e, w->r.table);
    PqRc rc;

    PQ_GO(n ? end_snapshot(w, what, n, e) : PQ_OK);
    PQ_GO(pq_stop_poll(w->r.stop, e));
    if (sqlite3_exec(w->c.db, "RELEASE parquet_ducklake", NULL, NULL, NULL) != SQLITE_OK) {
        rc = pqsql_lake_failed(&w->c, e);
        goto done;
    }
    w->has_begun = false;            /* asks for no interrupt: it has happened */
    w->writer.log.version = n ? w->c.version : -1;
done:
    e->where = outer;
    return rc;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The versions of the rows of a merged file. */
static PqRc find_versions(PqsqlDucklakeWrite *w, const PqFooter *f, int64_t *from, int64_t *to,
                          PqErr *e)
{
    const PqNode *n = pq_node_field_any_case(f->schema.root,
                                             pq_slice_text(PQSQL_LAKE_SNAPSHOT_ID));
    PqLeafSums b = {0};

    PQ_TRY(n ? pq_leaf_sums(f, n, w->a, &b, e) : PQ_OK);
    if (!b.has_min || !b.has_max || b.min.n != sizeof *from || b.max.n != sizeof *to) {
        return pq_fail(e, PQ_USAGE, "the versions of rows are not known of the merged file");
    }
    *from = (int64_t)pq_load_u64(b.min.p);
    *to = (int64_t)pq_load_u64(b.max.p);
    return PQ_OK;
}

/* Rows of a merged file have their ids and versions in it. */
static PqRc add_file(PqLakeWriter *base, const PqLakeNew *f, PqErr *e)
{
    PqsqlDucklakeWrite *w = (PqsqlDucklakeWrite *)base;
    int64_t from = w->c.version, to = from, file = w->next_file_id++;
    int64_t n_rows = (int64_t)f->footer->n_rows;

    PQ_TRY(w->merges ? find_versions(w, f->footer, &from, &to, e) : PQ_OK);
    if (n_rows > INT64_MAX - w->next_row_id) {
        return pq_fail(e, PQ_CORRUPT, "the table has run out of row ids");
    }
    PQ_TRY(pqsql_lake_run(
        &w->c, e, "INSERT INTO $.ducklake_data_file(data_file_id, table_id, begin_snapshot, path, "
                  "path_is_relative, file_format, record_count, file_size_bytes, footer_size, "
                  "row_id_start, partition_id, encryption_key, partial_max) VALUES "
                  "(?3, ?2, ?4, ?5, 1, 'parquet', ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        "iisiiinnsn", file, from, f->file.below, n_rows, (int64_t)f->file.size,
        (int64_t)f->footer_bytes, w->merges ? -1 : w->next_row_id,
        w->merges || !base->n_by ? -1 : w->partition_id, w->key_text, to > from ? to : -1));
    PQ_TRY(pqsql_ducklake_stats(w, file, f->footer, e));
    for (uint32_t k = 0; k < f->n_folders && k < base->n_by; k++) {
        PQ_TRY(pqsql_lake_run(&w->c, e, "INSERT INTO $.ducklake_file_partition_value"
                              "(data_file_id, table_id, partition_key_index, partition_value) "
                              "VALUES (?3, ?2, ?4, ?5)", "iis", file, (int64_t)k, f->values[k]));
    }
    w->next_row_id += w->merges ? 0 : n_rows;
    w->n_rows += w->merges ? 0 : n_rows;
    w->n_bytes += (int64_t)f->file.size;
    return PQ_OK;
}

static PqRc end_deletes(PqsqlDucklakeWrite *w, int64_t file, PqErr *e)
{
    return pqsql_lake_run(&w->c, e, "UPDATE $.ducklake_delete_file SET end_snapshot = ?1 WHERE "
                          "table_id = ?2 AND end_snapshot IS NULL AND (?3 IS NULL OR data_file_id "
                          "= ?3)", "n", file);
}

PqRc pqsql_ducklake_write_deletes(PqsqlDucklakeWrite *w, int64_t file, const PqPublished *f,
                                  int64_t n, PqErr *e)
{
    PqFooter *footer = NULL;
    uint32_t n_footer;

    PQ_TRY(pq_file_footer(NULL, &w->writer.keys, w->r.mem, f->path, &footer, &n_footer, e));
    pq_footer_release(footer);
    PQ_TRY(end_deletes(w, file, e));
    return pqsql_lake_run(&w->c, e, "INSERT INTO $.ducklake_delete_file(delete_file_id, table_id, "
                          "begin_snapshot, data_file_id, path, path_is_relative, format, "
                          "delete_count, file_size_bytes, footer_size, encryption_key) VALUES "
                          "(?3, ?2, ?1, ?4, ?5, 1, 'parquet', ?6, ?7, ?8, ?9)", "iisiiis",
                          w->next_file_id++, file, f->below, n, (int64_t)f->size,
                          (int64_t)n_footer, w->key_text);
}

PqRc pqsql_ducklake_write_end_file(PqsqlDucklakeWrite *w, int64_t file, PqErr *e)
{
    PQ_TRY(pqsql_lake_run(&w->c, e, "UPDATE $.ducklake_data_file SET end_snapshot = ?1 WHERE "
                          "table_id = ?2 AND end_snapshot IS NULL AND (?3 IS NULL OR data_file_id "
                          "= ?3)", "n", file));
    return end_deletes(w, file, e);
}

static PqRc end_all(PqsqlDucklakeWrite *w, PqErr *e)
{
    int64_t n;

    PQ_TRY(pqsql_ducklake_write_end_file(w, -1, e));
    PQ_TRY(pqsql_lake_run(&w->c, e, "UPDATE $.ducklake_table_stats SET record_count = 0, "
                          "file_size_bytes = 0 WHERE table_id = ?2", ""));
    return pqsql_ducklake_write_inlined(w, "UPDATE $.\"%w\" SET end_snapshot = ?1 "
                                        "WHERE end_snapshot IS NULL", NULL, &n, e);
}


PqRc pqsql_ducklake_write_inlined(PqsqlDucklakeWrite *w, const char *change, const char *value,
                                  int64_t *n, PqErr *e)
{
    sqlite3_stmt *s = NULL;

    *n = 0;
    while (pqsql_lake_next(&w->c, "SELECT DISTINCT table_name FROM "
                           "$.ducklake_inlined_data_tables WHERE table_id = ?2", &s, e)) {
        const char *table = (const char *)sqlite3_column_text(s, 0);
        char *sql = sqlite3_mprintf(change, table ? table : "");

        if (!sql) {
            pq_fail(e, PQ_NOMEM, "out of memory");
        } else if (pqsql_lake_run(&w->c, e, sql, "s", value) == PQ_OK) {
            *n += sqlite3_changes(w->c.db);
        }
        sqlite3_free(sql);
    }
    return e->rc;
}

/* ---- a writer -------------------------------------------------------------------------------- */

static bool overwrites(const PqsqlDucklakeWrite *w)
{
    return w->writer.plan.how == PQ_LAKE_OVERWRITE;
}

static PqRc start(PqLakeWriter *base, const PqPublish *p, PqErr *e)
{
    PqsqlDucklakeWrite *w = (PqsqlDucklakeWrite *)base;

    (void)p;
    PQ_TRY(pqsql_ducklake_write_begin(w, e));
    if (overwrites(w) && w->c.version != w->base + 1) {
        return pq_fail(e, PQ_USAGE, "another writer has made version %lld meanwhile, and would "
                       "lose it: run the copy again", (long long)w->c.version - 1);
    }
    return overwrites(w) ? end_all(w, e) : PQ_OK;
}

/* The lock has been held since the start, so nobody else has made a version. */
static PqRc commit(PqLakeWriter *base, int nth, bool *entered, PqErr *e)
{
    static const char *const what[] = {"inserted_into_table", "deleted_from_table"};
    PqsqlDucklakeWrite *w = (PqsqlDucklakeWrite *)base;

    (void)nth;
    PQ_TRY(pqsql_ducklake_write_end(w, what, overwrites(w) ? 2 : 1, e));
    *entered = true;
    return PQ_OK;
}

static const PqLakeFormat format = {"version", "catalog", NULL, start, add_file, commit, NULL,
                                    pqsql_ducklake_write_free};

PqRc pqsql_ducklake_write_open(PqsqlDucklakeWrite *w, const PqsqlDucklake *of,
                               const PqLakeWritePlan *plan, PqErr *e)
{
    PqWhere outer = pq_where_enter(e, plan->table);
    bool encrypted, wants_message;
    PqRc rc;

    *w = (PqsqlDucklakeWrite){0};
    pq_lake_writer_begin(&w->writer, &format, plan);
    w->a = &w->writer.arena;
    w->r = pq_lake_writer_reading(&w->writer, -1);
    PQ_GO(pq_lake_snapshot_new(plan->mem, &w->r.s, e));
    w->c = (PqsqlLakeCatalog){.r = &w->r, .stop = plan->stop, .arena = w->a, .writes = true};
    PQ_GO(pqsql_lake_open(&w->c, of->db, plan->table, e));
    PQ_GO(w->c.is_iceberg ? pq_fail(e, PQ_UNSUPPORTED, "rows are only appended to tables of an "
                                    "Iceberg catalog") : PQ_OK);
    PQ_GO(pqsql_lake_find_snapshot(&w->c, -1, INT64_MAX, e));
    PQ_GO(pqsql_lake_find_table(&w->c, of->table, e));
    PQ_GO(pqsql_lake_columns(&w->c, e));
    PQ_GO(pqsql_ducklake_part_find(w, e));
    PQ_GO(pqsql_ducklake_order_find(w, e));
    PQ_GO(setting(w, "encrypted", &encrypted, e));
    PQ_GO(setting(w, "require_commit_message", &wants_message, e));
    PQ_GO(wants_message ? pq_fail(e, PQ_UNSUPPORTED, "the catalog wants a message of each change "
                                  "(require_commit_message)") : PQ_OK);
    PQ_GO(encrypted ? make_key(w, e) : PQ_OK);
    w->writer.keys = (PqKeyChoice){.ring = plan->engine->keys, .footer_key = w->key_name};
    w->base = w->c.version;
done:
    sqlite3_finalize(w->c.held);     /* the state may change until begin     */
    w->c.held = NULL;
    e->where = outer;
    return rc;
}
