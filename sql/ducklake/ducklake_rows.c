/*
** ducklake_rows.c - rows that lie in the catalog itself.
**
** Small inserts go to a table of the catalog, one for each version of the schema:
**
**   ducklake_inlined_data_7_2   row_id, begin_snapshot, end_snapshot, id, name
**
** Those that the snapshot has are written as a Parquet file in memory, which is one more
** file of the table.  So whatever is done with rows of files is done with these.  The file
** has the columns of its version of the schema, with their ids: what was renamed, dropped or
** added since is found in it as in any other file.
*/
#include "sql/ducklake/ducklake_inside.h"

#include "sql/argument.h"

/* The SELECT of the table.  Names of columns are qualified: SQLite takes a name in quotes that
** does not exist for a text. */
static char *make_query(const PqsqlLakeCatalog *c, const char *table)
{
    sqlite3_str *sql = sqlite3_str_new(c->db);

    for (uint32_t i = 0; i < c->n_columns && c->columns[i].parent == -1; i++) {
        sqlite3_str_appendf(sql, "%s d.\"%w\"", i ? "," : "SELECT", c->columns[i].name);
    }
    sqlite3_str_appendf(sql, "%s FROM \"%w\".\"%w\" AS d WHERE " PQSQL_LIVE("d"),
                        c->row_ids ? ", d.row_id, d.begin_snapshot" : "", c->schema, table);
    return sqlite3_str_finish(sql);
}

/* ---- the copy ---------------------------------------------------------------------------- */

typedef struct Rows {
    PqsqlLakeCatalog *c;             /* with the columns of then             */
    sqlite3_stmt     *query;         /* ... of the rows                      */
    PqFooter         *schema;
    const PqNode     *root;
    PqCopy           *copy;
    PqBuf             json;
} Rows;

static PqRc add_nested(Rows *r, PqCells *to, uint32_t i, PqErr *e)
{
    const void *text = sqlite3_column_text(r->query, (int)i);

    PQ_TRY(text ? PQ_OK : pq_fail(e, PQ_NOMEM, "out of memory"));
    PQ_TRY(pqsql_lake_nested(r->c, r->root->child[i],
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
    PqCopyColumn *columns = pq_arena_zeros(r->c->arena, r->root->n_children + 1u,
                                           sizeof *columns, e);
    PqCopyPlan plan = {
        .path = r->c->r->table, .schema = &r->schema->file.schema, .columns = columns,
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
    PqPlacesFile *own;

    PQ_TRY(PQ_ARENA_GROW(&s->arena, s->own, s->n_own, e));
    own = &s->own[s->n_own];
    PQ_TRY(pq_arena_copy(&s->arena, pq_buf_view(file), &own->bytes, e));
    own->path = listed.path = pq_arena_printf(
        &s->arena, e, "%s, rows in it (%06u-%016llx)", c->r->table, s->n_own++,
        (unsigned long long)pq_hash_bytes(own->bytes.p, own->bytes.n));
    return listed.path ? pq_lake_add_file(c->r, &listed, e) : e->rc;
}

/* The columns of the table are those of a snapshot of the time, the rows those of now. */
static PqRc take_table(PqsqlLakeCatalog *of, const char *table, int64_t at, PqErr *e)
{
    PqsqlLakeCatalog c = *of;
    Rows r = {.c = &c};
    char *sql = NULL;
    bool more;
    PqBuf file;
    PqRc rc;

    c.columns = NULL;
    c.n_columns = c.n_made = 0;
    c.version = at;
    pq_buf_init(&file, c.r->mem, e);
    pq_buf_init(&r.json, c.r->mem, e);
    PQ_GO(pqsql_lake_schema(&c, &r.schema, e));
    c.version = of->version;
    r.root = r.schema->schema.root;
    sql = make_query(&c, table ? table : "");
    PQ_GO(pqsql_lake_prepare(&c, sql, &r.query, e));
    PQ_GO(pqsql_lake_step(&c, r.query, &more, e));
    if (more) {
        PQ_GO(write_rows(&r, &file, e));
        rc = list_rows(&c, &file, e);
    }
done:
    sqlite3_finalize(r.query);
    sqlite3_free(sql);
    pq_footer_release(r.schema);
    pq_buf_free(&file);
    pq_buf_free(&r.json);
    return rc;
}

PqRc pqsql_lake_rows(PqsqlLakeCatalog *c, PqErr *e)
{
    sqlite3_stmt *s = NULL;
    const char *table;

    while (pqsql_lake_next(
        c, "SELECT i.table_name, coalesce((SELECT max(begin_snapshot) FROM "
           "$.ducklake_schema_versions AS v WHERE v.schema_version = i.schema_version AND "
           "v.table_id = ?2), (SELECT min(snapshot_id) FROM $.ducklake_snapshot AS n WHERE "
           "n.schema_version = i.schema_version), ?1) FROM $.ducklake_inlined_data_tables AS i "
           "WHERE i.table_id = ?2 ORDER BY i.schema_version", &s, e)) {
        if (pqsql_lake_text(c, s, 0, &table, e) == PQ_OK) {
            take_table(c, table, sqlite3_column_int64(s, 1), e);
        }
    }
    return e->rc;
}
