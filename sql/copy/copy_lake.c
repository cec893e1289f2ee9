/*
** copy_lake.c - a copy into a Delta table: its options and its partition columns.
**
** The values of partition columns are in the log as texts, in the form of their type.  In a
** table that is there the type is the table's.  In a new one it is that of the column's
** Parquet table; else all the values decide, when they are known: integers are a long, numbers
** a double, and anything else is a string.
*/
#include "sql/copy/copy_lake.h"

#include "sql/argument.h"

static PqRc refuse(const char *option, const char *why, PqErr *e)
{
    return pq_fail(e, PQ_USAGE, "parquet_copy_to: option %s: %s", option, why);
}

/* ---- a DuckLake --------------------------------------------------------------------------- */

/* QUIRK: DuckDB 1.5 reads encrypted chunks of one page only, without Bloom filters
** (written_encrypted.mjs). */
static PqRc seal(const PqsqlDucklakeWrite *w, PqsqlCopyOptions *o, PqArena *a, PqErr *e)
{
    PqsqlChunkSettings *c = &o->chunk;

    PQ_TRY(PQ_ARENA_NEW(a, o->encryption, 1, e));
    *o->encryption = (PqEncryption){.keys.footer_key = w->key_name, .hide_key_names = true};
    o->row_group_rows = o->row_group_rows < PQSQL_LAKE_SEALED_ROWS ? o->row_group_rows
                                                                   : PQSQL_LAKE_SEALED_ROWS;
    c->page_rows = c->page_rows == PQSQL_UNSAID ? o->row_group_rows : c->page_rows;
    c->page_bytes = c->page_bytes == PQSQL_UNSAID ? PQSQL_LAKE_SEALED_BYTES : c->page_bytes;
    c->bloom = c->bloom == PQSQL_UNSAID ? PQ_BLOOM_NEVER : c->bloom;
    return PQ_OK;
}

static PqRc take_ids(PqsqlDucklakeWrite *w, PqsqlNamedList *to, PqErr *e)
{
    sqlite3_stmt *s = NULL;

    while (pqsql_lake_next(&w->c, PQSQL_LAKE_FIELDS "SELECT path, id FROM f", &s, e)) {
        if (PQ_ARENA_GROW(w->a, to->v, to->n, e) == PQ_OK) {
            to->v[to->n] = (PqsqlNamed){.number = sqlite3_column_int64(s, 1)};
            pqsql_lake_text(&w->c, s, 0, &to->v[to->n++].name, e);
        }
    }
    return e->rc;
}

/* The field ids are the catalog's, and so is the key. */
static PqRc see_catalog(PqsqlCopyLake *l, PqsqlCopyInto *into, PqsqlCopyOptions *o, PqErr *e)
{
    PqsqlDucklakeWrite *w = &l->catalog;
    const PqLakeWritePlan plan = {.how = (PqLakeHow)o->lake, .table = into->path,
                                  .engine = into->host->engine, .mem = into->a->mem,
                                  .stop = &into->host->stop};
    size_t n;

    if (o->lake == PQ_LAKE_CREATE || o->has_field_ids || o->partition_by.n) {
        return refuse(o->lake == PQ_LAKE_CREATE ? "lake" : o->has_field_ids ? "field_ids"
                                                                             : "partition_by",
                      "the catalog of a DuckLake says what a table is: leave it out", e);
    }
    l->kind = pq_lake_ducklake;
    l->writer = &w->writer;
    o->filename_pattern = "ducklake-{uuid}";
    PQ_TRY(pqsql_ducklake_write_open(w, &l->of, &plan, e));
    into->table = into->path;
    n = strlen(w->c.folder);
    into->path = pq_arena_text(into->a, w->c.folder, n > 1 ? n - 1 : n, e);
    PQ_TRY(into->path ? take_ids(w, &o->field_ids, e) : e->rc);
    o->has_field_ids = true;
    return w->key_name ? seal(w, o, into->a, e) : PQ_OK;
}

static PqRc take_rule(PqsqlDucklakeWrite *w, PqsqlCopyColumns *columns, sqlite3_stmt *s, PqErr *e)
{
    const char *name;

    PQ_TRY(pqsql_lake_text(&w->c, s, 0, &name, e));
    for (uint32_t i = 0; i < columns->n; i++) {
        PqsqlCopyColumn *c = &columns->v[i];

        if (!name || strcmp(c->name, name) != 0) {
            continue;
        }
        c->required = !pqsql_lake_is_true(s, 1);
        if (!c->from && (c->required || sqlite3_column_int(s, 2))) {
            return pq_fail(e, PQ_USAGE, "the query has no column %s, which %s in %s", name,
                           c->required ? "is never NULL" : "has a default", w->r.table);
        }
    }
    return PQ_OK;
}

/* What the catalog says of columns. */
static PqRc take_rules(PqsqlDucklakeWrite *w, PqsqlCopyColumns *columns, PqErr *e)
{
    sqlite3_stmt *s = NULL;

    while (pqsql_lake_next(&w->c, "SELECT c.column_name, coalesce(c.nulls_allowed, 1), "
                           "coalesce(c.default_value, 'NULL') <> 'NULL' FROM $.ducklake_column AS "
                           "c WHERE c.table_id = ?2 AND c.parent_column IS NULL AND "
                           PQSQL_LIVE("c"), &s, e)) {
        take_rule(w, columns, s, e);
    }
    return e->rc;
}

/* ---- any ---------------------------------------------------------------------------------- */

/* An Iceberg table says itself how its files are apart. */
static PqRc check_iceberg(const PqsqlCopyOptions *o, PqErr *e)
{
    if (o->lake != PQ_LAKE_APPEND) {
        return refuse("lake", "rows are only appended to Iceberg tables", e);
    }
    return o->partition_by.n || o->has_field_ids
               ? refuse(o->has_field_ids ? "field_ids" : "partition_by",
                        "the metadata of an Iceberg table says it: leave it out", e) : PQ_OK;
}

/* It has its files in data/. */
static PqRc see_iceberg(PqsqlCopyInto *into, const PqsqlCopyOptions *o, PqErr *e)
{
    const char *kind = NULL, *path = into->path;
    size_t n = strlen(path);

    if (!pqsql_copy_lake_adds(o)) {
        return PQ_OK;
    }
    PQ_TRY(pq_lake_of(path, &kind, e));
    if (kind != pq_lake_iceberg) {
        return PQ_OK;
    }
    PQ_TRY(check_iceberg(o, e));
    into->table = path;
    into->path = pq_arena_printf(into->a, e, "%s%sdata", path, path[n - 1] == '/' ? "" : "/");
    return into->path ? PQ_OK : e->rc;
}

PqRc pqsql_copy_lake_see(PqsqlCopyLake *l, sqlite3 *db, PqsqlCopyInto *into,
                         PqsqlCopyOptions *o, PqErr *e)
{
    const char *data;

    if (o->lake == PQSQL_UNSAID) {
        return o->table ? refuse("table", "it is of a catalog, with {\"lake\": \"append\"}", e)
                        : PQ_OK;
    }
    if (o->table && pq_url_is(into->path)) {
        return refuse("lake", "a catalog is one file on a disk", e);
    }
    if (o->overwrite != PQSQL_UNSAID || o->filename_pattern) {
        return refuse(o->filename_pattern ? "filename_pattern" : "overwrite",
                      "the log of a lake table says which files count: leave it out", e);
    }
    if (o->encryption) {
        return refuse("encryption", "Delta and Iceberg tables do not have encrypted files, and a "
                      "DuckLake has keys of its own", e);
    }
    if (!o->table && pqsql_ducklake_is(into->path)) {
        return refuse("lake", "the path is a catalog: say which \"table\"", e);
    }
    l->into = into;
    o->filename_pattern = "part-{uuid}";
    if (o->table) {
        o->overwrite = PQ_OVERWRITE_APPEND;
        l->of = (PqsqlDucklake){.db = db, .table = o->table};
        l->catalogs = (PqLakeHost){pqsql_ducklake_read, &l->of};
        into->catalogs = &l->catalogs;
        PQ_TRY(pqsql_iceberg_write_open(&l->pyiceberg, &l->of, into->path, into->a,
                                        &into->host->stop, &data, e));
        if (data) {
            into->table = into->path;
            into->path = data;
            return check_iceberg(o, e);
        }
        pqsql_iceberg_write_close(&l->pyiceberg);
        return see_catalog(l, into, o, e);
    }
    PQ_TRY(see_iceberg(into, o, e));
    o->overwrite = pqsql_copy_lake_adds(o) || pq_delta_is_unborn(into->path)
                       ? PQ_OVERWRITE_APPEND : PQ_OVERWRITE_ERROR;
    return PQ_OK;
}

static PqRc take_partition(const PqLakeSnapshot *s, PqsqlCopyOptions *o, PqArena *a, PqErr *e)
{
    PqsqlNamedList *by = &o->partition_by;

    if (by->n) {
        return PQ_OK;                /* copy_folder.c compares them          */
    }
    PQ_TRY(PQ_ARENA_NEW(a, by->v, s->n_folder_columns + 1u, e));
    for (uint32_t k = 0; k < s->n_folder_columns; k++) {
        const char *name = s->folder_columns[k];

        by->v[k].name = pq_arena_text(a, name, strlen(name), e);
        PQ_TRY(by->v[k].name ? PQ_OK : e->rc);
    }
    by->n = s->n_folder_columns;
    return PQ_OK;
}

PqRc pqsql_copy_lake_open(PqsqlCopyLake *l, const PqsqlCopyFolder *f, PqsqlCopyOptions *o,
                          PqErr *e)
{
    const PqsqlCopyInto *into = l->into;
    PqLakeWritePlan plan = {.how = (PqLakeHow)o->lake,
                            .writer = PQ_WRITER_HERE " version " PARQUET_VERSION};

    if (!into || l->kind) {
        return PQ_OK;
    }
    plan.table = into->table ? into->table : into->path;
    plan.listing = pqsql_copy_lake_adds(o) ? pqsql_copy_folder_listing(f) : NULL;
    plan.engine = into->host->engine;
    plan.places = pq_engine_places(plan.engine, true, &o->patience);
    plan.mem = into->a->mem;
    plan.stop = &into->host->stop;
    if (into->table) {
        l->kind = pq_lake_iceberg;
        plan.catalog = l->pyiceberg.lake.db ? &l->pyiceberg.catalog : NULL;
        return pq_iceberg_write_new(&plan, &l->writer, e);
    }
    l->kind = pq_lake_delta;
    if (plan.listing) {
        l->table = plan.listing->snapshot;
        PQ_TRY(take_partition(l->table, o, into->a, e));
    }
    PQ_TRY(PQ_ARENA_NEW(into->a, l->by, o->partition_by.n + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(into->a, l->partition, o->partition_by.n + 1u, e));
    for (uint32_t k = 0; k < o->partition_by.n; k++) {
        if (l->table && k < l->table->n_folder_columns) {
            l->by[k].type = l->table->folder_nodes[k]->type;
            l->by[k].is_typed = true;
        }
    }
    plan.partition = l->partition;
    plan.n_partition = o->partition_by.n;
    return pq_delta_write_new(&plan, &l->writer, e);
}

PqRc pqsql_copy_lake_fit(PqsqlCopyLake *l, PqsqlCopyColumns *columns, PqsqlCopyOptions *o,
                         PqErr *e)
{
    const PqLakeWriter *w = l->writer;
    PqsqlNamedList *to = &o->partition_by;

    PQ_TRY(l->kind == pq_lake_ducklake ? take_rules(&l->catalog, columns, e) : PQ_OK);
    if (!w || !w->n_by) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(columns->a, to->v, w->n_by, e));
    for (uint32_t i = 0; i < w->n_by; i++) {
        if (w->by[i].column) {
            to->v[to->n++] = (PqsqlNamed){.name = w->by[i].column, .value = w->by[i].folder};
        }
    }
    for (uint32_t i = 0; i < columns->n; i++) {
        columns->v[i].shreds_auto = false;
    }
    columns->settled = true;
    return PQ_OK;
}

void pqsql_copy_lake_order(const PqsqlCopyLake *l, const PqsqlCopyColumns *columns, PqBuf *out)
{
    const PqsqlDucklakeWrite *w = &l->catalog;

    for (uint32_t k = 0; l->kind == pq_lake_ducklake && k < w->n_order; k++) {
        for (uint32_t i = 0; i < columns->n; i++) {
            const PqsqlCopyColumn *c = &columns->v[i];

            if (c->from && pq_ascii_same(c->name, w->order[k].column)) {
                pq_buf_printf(out, "%s\"%u\" COLLATE BINARY%s NULLS %s",
                              out->n ? ", " : "", c->from, w->order[k].descending ? " DESC" : "",
                              w->order[k].nulls_first ? "FIRST" : "LAST");
            }
        }
    }
}

void pqsql_copy_lake_types(PqsqlCopyLake *l, const PqsqlCopyColumns *columns,
                           const uint32_t *partition)
{
    for (uint32_t k = 0; l->kind == pq_lake_delta && k < columns->o->partition_by.n; k++) {
        const PqsqlType *t = columns->v[partition[k]].partition_type;

        l->partition[k] = columns->v[partition[k]].name;     /* the case is that of the query */
        if (!l->by[k].is_typed && t && t->kind == PQ_NODE_LEAF) {
            l->by[k].type = t->type;
            l->by[k].is_typed = true;
        }
    }
}

PqRc pqsql_copy_lake_schema(PqsqlCopyLake *l, PqCopyPlan *plan, PqArena *a, PqErr *e)
{
    PQ_TRY(l->kind == pq_lake_delta ? pq_schema_build(plan->schema, a, &l->schema, e) : PQ_OK);
    return l->table ? pq_lake_names_take(&l->table->names, &l->schema, plan->schema, a,
                                         &plan->named, e)
                    : PQ_OK;
}

void pqsql_copy_lake_row(PqsqlCopyLake *l)
{
    if (l->writer) {
        pq_arena_reset(&l->writer->scratch);
    }
}

PqRc pqsql_copy_lake_value(PqsqlCopyLake *l, uint32_t k, int sqlite_type, const char *name,
                           PqSlice *text, PqErr *e)
{
    const char *z;

    if (l->kind == pq_lake_ducklake) {
        return pqsql_ducklake_part_text(&l->catalog, pq_lake_writer_by(l->writer, k), text, e);
    }
    if (l->kind != pq_lake_delta) {
        return PQ_OK;
    }
    if (!l->by[k].is_typed) {
        l->by[k].classes |= 1u << sqlite_type;
        return PQ_OK;
    }
    PQ_TRY(pq_lake_partition_text(&l->writer->scratch, name, &l->by[k].type, *text, &z, e));
    *text = z ? pq_slice_text(z) : pq_slice(NULL, 0);
    return PQ_OK;
}

bool pqsql_copy_lake_transforms(const PqsqlCopyLake *l, uint32_t k)
{
    return l->writer && l->writer->n_by &&
           pq_lake_writer_by(l->writer, k)->transform != PQ_ICEBERG_IDENTITY;
}

PqRc pqsql_copy_lake_part(PqsqlCopyLake *l, uint32_t k, sqlite3_value *v,
                          const PqsqlCopyColumn *column, PqSlice *text, PqErr *e)
{
    PqCell cell;

    PQ_TRY(pqsql_cell_of(v, &cell, e));
    return pq_iceberg_transform_text(pq_lake_writer_by(l->writer, k), &cell, &column->rules, text,
                                     e);
}

static PqType type_of(unsigned classes)
{
    const unsigned integers = 1u << SQLITE_INTEGER, reals = 1u << SQLITE_FLOAT;

    return classes == integers                                   ? (PqType){.physical = PQ_INT64}
           : classes && (classes & ~(integers | reals)) == 0     ? (PqType){.physical = PQ_DOUBLE}
                                  : (PqType){.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING};
}

/* A column that the files lack. */
static PqRc make_node(const PqsqlCopyLake *l, const PqsqlCopyColumns *columns, const char *name,
                      const PqNode **out, PqErr *e)
{
    const PqsqlNamedList *by = &columns->o->partition_by;
    uint32_t k = 0;
    PqNode *node;

    while (!pq_ascii_same(by->v[k].name, name)) {
        k++;
    }
    PQ_TRY(PQ_ARENA_NEW(columns->a, node, 1, e));
    *node = (PqNode){.kind = PQ_NODE_LEAF, .name = name, .path = name,
                     .type = l->by[k].is_typed ? l->by[k].type : type_of(l->by[k].classes)};
    *out = node;
    return PQ_OK;
}

/* In the order of the query. */
PqRc pqsql_copy_lake_columns(PqsqlCopyLake *l, const PqsqlCopyColumns *columns, PqErr *e)
{
    const PqNode **v;
    uint32_t n = 0;

    if (!l->writer || columns->o->lake != PQ_LAKE_CREATE) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(columns->a, v, columns->n + 1u, e));
    for (uint32_t i = 0; i < columns->n; i++) {
        const PqsqlCopyColumn *c = &columns->v[i];

        v[n] = pq_node_field(l->schema.root, pq_slice_text(c->name), 0);
        PQ_TRY(c->is_partition ? make_node(l, columns, c->name, &v[n], e) : PQ_OK);
        n += v[n] != NULL;
    }
    pq_delta_write_columns(l->writer, v, n);
    return PQ_OK;
}

const PqPublishLog *pqsql_copy_lake_log(const PqsqlCopyLake *l)
{
    return l->writer ? &l->writer->log : NULL;
}

void pqsql_copy_lake_free(PqsqlCopyLake *l)
{
    if (l->writer) {
        l->writer->format->free(l->writer);
        l->writer = NULL;
    }
    pqsql_iceberg_write_close(&l->pyiceberg);
}
