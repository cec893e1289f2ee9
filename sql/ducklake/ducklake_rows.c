/*
** ducklake_rows.c - rows that lie in the catalog itself.
**
** Small inserts go to a table of the catalog, one for each version of the schema:
**
**   ducklake_inlined_data_7_2   row_id, begin_snapshot, end_snapshot, id, name
**
** Those that the snapshot has are written as a Parquet file in memory, which is one more
** file of the table.  So whatever is done with rows of files is done with these.  The file
** has the columns of the snapshot: a column that was renamed since is read by the name it
** had, and one that was added since has its first value.
*/
#include "sql/ducklake/ducklake_inside.h"

#include "sql/argument.h"

/* ---- the query --------------------------------------------------------------------------- */

/* The name that a column had in a version of the schema; NULL: it was not there. */
static PqRc old_name(PqsqlLakeCatalog *c, int64_t column, int64_t schema_version,
                     const char **out, PqErr *e)
{
    return pqsql_lake_run(
        c, e, "SELECT c.column_name FROM $.ducklake_column AS c, (SELECT coalesce("
              "(SELECT max(begin_snapshot) FROM $.ducklake_schema_versions WHERE "
              "schema_version = ?4 AND table_id = ?2), (SELECT min(snapshot_id) FROM "
              "$.ducklake_snapshot WHERE schema_version = ?4), ?1) AS at) WHERE "
              "c.table_id = ?2 AND c.column_id = ?3 AND c.begin_snapshot <= at AND "
              "(c.end_snapshot IS NULL OR at < c.end_snapshot)", "ii>t", column, schema_version,
        out);
}

typedef struct Query {
    PqsqlLakeCatalog *c;
    sqlite3_str      *sql;
} Query;

/* Adds the SELECT of a table.  Names of columns are qualified: SQLite takes a name in
** quotes that does not exist for a text. */
static PqRc add_select(void *arg, sqlite3_stmt *s, PqErr *e)
{
    PqsqlLakeCatalog *c = ((Query *)arg)->c;
    sqlite3_str *sql = ((Query *)arg)->sql;
    int64_t schema_version = sqlite3_column_int64(s, 1);
    const char *comma = "SELECT ", *table;

    PQ_TRY(pqsql_lake_text(c, s, 0, &table, e));
    if (sqlite3_str_length(sql)) {
        sqlite3_str_appendall(sql, " UNION ALL ");
    }
    for (uint32_t i = 0; i < c->n_columns && c->columns[i].parent == -1; i++) {
        const PqsqlLakeColumn *k = &c->columns[i];
        const char *name;

        PQ_TRY(old_name(c, k->id, schema_version, &name, e));
        sqlite3_str_appendall(sql, comma);
        if (name) {
            sqlite3_str_appendf(sql, "d.\"%w\"", name);
        } else {
            sqlite3_str_appendf(sql, "%Q", k->first_value);
        }
        comma = ", ";
    }
    sqlite3_str_appendf(sql, "%s, %lld FROM \"%w\".\"%w\" AS d WHERE " PQSQL_LIVE("d"),
                        c->row_ids ? ", d.row_id, d.begin_snapshot" : "",
                        (long long)schema_version, c->schema, table ? table : "");
    return PQ_OK;
}

static PqRc make_query(PqsqlLakeCatalog *c, sqlite3_str *sql, PqErr *e)
{
    return pqsql_lake_each(c, "SELECT table_name, schema_version FROM "
                           "$.ducklake_inlined_data_tables WHERE table_id = ?2 ORDER BY 2",
                           add_select, &(Query){c, sql}, e);
}

/* ---- the copy ---------------------------------------------------------------------------- */

typedef struct Rows {
    PqsqlLakeCatalog *c;
    sqlite3_stmt     *query;         /* the columns, and the version of the schema */
    const PqNode     *root;
    PqCopy           *copy;
    int64_t           version;       /* of the schema; -1: none yet          */
    const char      **names;         /* of all columns in it                 */
    PqBuf             json;
} Rows;

static PqRc find_names(Rows *r, PqErr *e)
{
    int64_t version = sqlite3_column_int64(r->query, (int)r->root->n_children);

    if (version == r->version && r->names) {
        return PQ_OK;
    }
    PQ_TRY(r->names ? PQ_OK : PQ_ARENA_NEW(r->c->arena, r->names, r->c->n_columns, e));
    for (uint32_t i = 0; i < r->c->n_columns; i++) {
        PQ_TRY(old_name(r->c, r->c->columns[i].id, version, &r->names[i], e));
    }
    r->version = version;
    return PQ_OK;
}

static PqRc add_nested(Rows *r, PqCells *to, uint32_t i, PqErr *e)
{
    const void *text = sqlite3_column_text(r->query, (int)i);

    PQ_TRY(text ? find_names(r, e) : pq_fail(e, PQ_NOMEM, "out of memory"));
    PQ_TRY(pqsql_lake_nested(r->c, r->names, r->root->child[i],
                             pq_slice(text, (size_t)sqlite3_column_bytes(r->query, (int)i)),
                             &r->json, e));
    return pq_cells_bytes(to, PQ_CELL_TEXT, r->json.p, r->json.n, e);
}

static PqRc add_cell(Rows *r, PqCells *to, uint32_t i, PqErr *e)
{
    PqCell cell;

    PQ_TRY(pq_cells_reserve(to, e));
    PQ_TRY(pqsql_cell_of(sqlite3_column_value(r->query, (int)i), &cell, e));
    return cell.kind != PQ_CELL_NULL && r->root->child[i]->kind != PQ_NODE_LEAF
               ? add_nested(r, to, i, e) : pq_cells_add(to, &cell, e);
}

static PqRc copy_rows(Rows *r, PqErr *e)
{
    bool more = true;

    while (more) {                   /* the first row is there */
        PqCells *to;

        PQ_TRY(pq_copy_row(r->copy, NULL, &to, e));
        for (uint32_t i = 0; i < r->root->n_children; i++) {
            PQ_TRY(add_cell(r, &to[i], i, e));
        }
        PQ_TRY(pq_copy_row_end(r->copy, e));
        PQ_TRY(pqsql_lake_step(r->c, r->query, &more, e));
    }
    return pq_copy_finish(r->copy, e);
}

static PqRc misfit(Rows *r, PqErr *e)
{
    PqCopyMisfit m;
    PqErr why = *e;

    if (e->rc != PQ_USAGE || !r->copy || !pq_copy_misfit(r->copy, &m)) {
        return e->rc;
    }
    pq_err_clear(e);
    return pq_fail(e, PQ_CORRUPT, "row %llu of the catalog, column %s: %s",
                   (unsigned long long)m.row, r->root->child[m.column]->path, why.text);
}

static PqRc write_rows(Rows *r, PqBuf *out, PqErr *e)
{
    const PqFooter *schema = r->c->r->s->schema;
    PqCopyColumn *columns = pq_arena_zeros(r->c->arena, r->root->n_children + 1u,
                                           sizeof *columns, e);
    PqCopyPlan plan = {
        .path = r->c->r->table, .schema = &schema->file.schema, .columns = columns,
        .n_columns = r->root->n_children, .row_group_rows = PQ_COPY_GROUP_ROWS,
        .row_group_bytes = PQ_COPY_GROUP_BYTES, .created_by = "DuckLake catalog",
        .stop = r->c->r->stop, .mem = r->c->r->mem};
    PqRc rc;

    PQ_TRY(columns ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < r->root->n_children; i++) {
        columns[i].options = pq_chunk_options_usual();
        columns[i].options.codec = PQ_CODEC_UNCOMPRESSED;
    }
    PQ_TRY(pq_sink_memory(r->c->r->mem, r->c->r->table, out, &plan.into, e));
    rc = pq_copy_open(&plan, &r->copy, e);
    rc = rc ? rc : copy_rows(r, e);
    rc = rc ? misfit(r, e) : pq_sink_flush(plan.into, e);
    pq_copy_free(r->copy);
    pq_sink_close(plan.into);
    return rc;
}

/* The path has a hash of the bytes: a footer that is kept for it fits them. */
static PqRc list_rows(PqsqlLakeCatalog *c, const PqBuf *file, PqErr *e)
{
    PqLakeSnapshot *s = c->r->s;
    PqLakeFile listed = {0};

    PQ_TRY(pq_arena_copy(&s->arena, pq_buf_view(file), &s->bytes, e));
    s->bytes_path = listed.path = pq_arena_printf(
        &s->arena, e, "%s, rows in it (%016llx)", c->r->table,
        (unsigned long long)pq_hash_bytes(s->bytes.p, s->bytes.n));
    return listed.path ? pq_lake_add_file(c->r, &listed, e) : e->rc;
}

PqRc pqsql_lake_rows(PqsqlLakeCatalog *c, PqErr *e)
{
    Rows r = {.c = c, .root = c->r->s->schema->schema.root};
    sqlite3_str *sql = sqlite3_str_new(c->db);
    char *text;
    PqBuf file;
    bool more = false;
    PqRc rc = make_query(c, sql, e);

    rc = rc || !sqlite3_str_errcode(sql) ? rc : pq_fail(e, PQ_NOMEM, "out of memory");
    text = sqlite3_str_finish(sql);
    pq_buf_init(&file, c->r->mem, e);
    pq_buf_init(&r.json, c->r->mem, e);
    rc = rc || !text ? rc : pqsql_lake_prepare(c, text, &r.query, e);
    rc = rc || !text ? rc : pqsql_lake_step(c, r.query, &more, e);
    if (rc == PQ_OK && more) {
        rc = write_rows(&r, &file, e);
        rc = rc ? rc : list_rows(c, &file, e);
    }
    sqlite3_finalize(r.query);
    sqlite3_free(text);
    pq_buf_free(&file);
    pq_buf_free(&r.json);
    return rc;
}
