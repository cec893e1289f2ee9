/*
** ducklake_columns.c - the columns of a snapshot become the schema of the table.
**
**   column_id  parent  name     type        table: tags list<struct<a, b>>
**   4                  tags     list
**   5          4       element  struct
**   6          5       a        int32
**   7          5       b        varchar
**
** Files name columns by column_id, which is their field_id.  A file that was made by
** others and added has no ids: then its name map says what its columns are called.
*/
#include "sql/ducklake/ducklake_inside.h"

enum { DEPTH = 100 };

static PqRc take_column(PqsqlLakeCatalog *c, sqlite3_stmt *s, PqErr *e)
{
    PqsqlLakeColumn *k;

    PQ_TRY(PQ_ARENA_GROW(c->arena, c->columns, c->n_columns, e));
    k = &c->columns[c->n_columns++];
    *k = (PqsqlLakeColumn){.id = sqlite3_column_int64(s, 0),
                           .parent = sqlite3_column_int64(s, 1)};
    PQ_TRY(pqsql_lake_text(c, s, 2, &k->name, e));
    PQ_TRY(pqsql_lake_text(c, s, 3, &k->type, e));
    PQ_TRY(pqsql_lake_text(c, s, 4, &k->first_value, e));
    return k->name && k->type && k->id >= 0 && k->id <= INT32_MAX
               ? PQ_OK : pq_fail(e, PQ_CORRUPT, "column %lld of the catalog has no name, no "
                                 "type or no usable id", (long long)k->id);
}

static PqRc read_columns(PqsqlLakeCatalog *c, PqErr *e)
{
    sqlite3_stmt *s = NULL;

    while (pqsql_lake_next(
        c, "SELECT c.column_id, coalesce(c.parent_column, -1), c.column_name, c.column_type, "
           "c.initial_default FROM $.ducklake_column AS c WHERE c.table_id = ?2 AND "
           PQSQL_LIVE("c") " ORDER BY 2, c.column_order, 1", &s, e)) {
        take_column(c, s, e);
    }
    return e->rc;
}

/* The first column of a parent. */
static uint32_t first_of(const PqsqlLakeCatalog *c, int64_t parent)
{
    uint32_t from = 0, to = c->n_columns;

    while (from < to) {
        uint32_t at = from + (to - from) / 2;

        if (c->columns[at].parent < parent) {
            from = at + 1;
        } else {
            to = at;
        }
    }
    return from;
}

/* ---- the schema -------------------------------------------------------------------------- */

static PqRc make_fields(PqsqlLakeCatalog *c, PqSchemaMake *m, int64_t parent, PqNodeKind in,
                        unsigned depth, PqErr *e);

/* The parts of lists and maps have their names by their places. */
static PqRc make_field(PqsqlLakeCatalog *c, PqSchemaMake *m, const PqsqlLakeColumn *k,
                       PqNodeKind in, bool required, unsigned depth, PqErr *e)
{
    const char *name = in == PQ_NODE_STRUCT ? k->name : NULL;
    int32_t id = in == PQ_NODE_STRUCT ? (int32_t)k->id : -1;
    PqNodeKind kind = sqlite3_stricmp(k->type, "struct") == 0 ? PQ_NODE_STRUCT
                      : sqlite3_stricmp(k->type, "list") == 0 ? PQ_NODE_LIST
                      : sqlite3_stricmp(k->type, "map") == 0  ? PQ_NODE_MAP
                                                              : PQ_NODE_LEAF;

    if (kind == PQ_NODE_LEAF) {
        return pq_lake_make_leaf(m, PQ_LAKE_DUCKLAKE_WORDS, pq_slice_text(k->type), name, required,
                                 id, e);
    }
    pq_schema_make_group(m, kind, name, required, id);
    PQ_TRY(make_fields(c, m, k->id, kind, depth + 1, e));
    pq_schema_make_close(m);
    return PQ_OK;
}

static PqRc make_fields(PqsqlLakeCatalog *c, PqSchemaMake *m, int64_t parent, PqNodeKind in,
                        unsigned depth, PqErr *e)
{
    uint32_t from = first_of(c, parent);

    if (depth == DEPTH) {
        return pq_fail(e, PQ_UNSUPPORTED, "the schema is deeper than %d levels", DEPTH);
    }
    for (uint32_t i = from; i < c->n_columns && c->columns[i].parent == parent; i++) {
        if (c->n_made++ == c->n_columns) {
            return pq_fail(e, PQ_CORRUPT, "the catalog has a column that lies in two others");
        }
        PQ_TRY(make_field(c, m, &c->columns[i], in, in == PQ_NODE_MAP && i == from, depth,
                          e));
    }
    return PQ_OK;
}

/* ---- how files name columns --------------------------------------------------------------- */

static void place_ids(const PqNode *node, PqLakeNames *names)
{
    for (uint32_t i = 0; i < node->n_children; i++) {
        const PqNode *child = node->child[i];

        names->fields[child->element] = (PqLakeField){.id = child->field_id,
                                                      .physical = pq_slice_text(child->name)};
        if (child->kind != PQ_NODE_VARIANT) {
            place_ids(child, names);
        }
    }
}

PqRc pqsql_lake_bytes(PqsqlLakeCatalog *c, const char *text, PqSlice *out, PqErr *e)
{
    uint8_t *bytes = pq_arena_bytes(c->arena, strlen(text) + 1, e);
    size_t n = 0;

    PQ_TRY(bytes ? PQ_OK : e->rc);
    for (; *text; text++, n++) {
        bytes[n] = (uint8_t)*text;
        if (text[0] == '\\' && text[1] == 'x' && text[2] && text[3] &&
            pq_hex_parse(pq_slice(text + 2, 2), &bytes[n]) == PQ_PARSE_OK) {
            text += 3;
        }
    }
    *out = pq_slice(bytes, n);
    return PQ_OK;
}

/* What rows have that are older than a column. */
static PqRc take_first_values(PqsqlLakeCatalog *c, PqErr *e)
{
    PqLakeSnapshot *t = c->r->s;

    for (uint32_t i = 0; i < c->n_columns; i++) {
        const PqsqlLakeColumn *k = &c->columns[i];
        const PqNode *node = k->first_value ? pq_node_by_id(t->schema->schema.root, k->id) : NULL;
        PqCell cell;

        if (!node) {
            continue;
        }
        cell = pq_cell_bytes(PQ_CELL_TEXT, pq_slice_text(k->first_value));
        if (node->kind == PQ_NODE_LEAF && node->type.physical == PQ_BYTE_ARRAY &&
            node->type.logical == PQ_TYPE_NONE) {
            PqSlice bytes;

            PQ_TRY(pqsql_lake_bytes(c, k->first_value, &bytes, e));
            cell = pq_cell_bytes(PQ_CELL_BLOB, bytes);
        }
        PQ_TRY(pq_lake_first_value(c->arena, t->schema, node, &cell,
                                   &t->names.fields[node->element], e));
    }
    return PQ_OK;
}

static PqRc take_mapping(PqsqlLakeCatalog *c, sqlite3_stmt *s, PqErr *e)
{
    PqLakeSnapshot *t = c->r->s;
    const PqNode *node = pq_node_by_id(t->schema->schema.root, sqlite3_column_int64(s, 0));
    const char *name;
    PqLakeField *field;
    PqSlice *alias;

    PQ_TRY(pqsql_lake_text(c, s, 1, &name, e));
    if (!node || !name) {
        return PQ_OK;                /* of a column that was dropped         */
    }
    field = &t->names.fields[node->element];
    if (pqsql_lake_is_true(s, 2)) {
        return pq_fail(e, PQ_UNSUPPORTED, "files were added whose column %s is the name of a "
                       "folder", node->path);
    }
    if (field->n_aliases && !pq_slice_is(field->aliases[0], name)) {
        return pq_fail(e, PQ_UNSUPPORTED, "files were added in which column %s is %s, and "
                       "others in which it is %s", node->path,
                       (const char *)field->aliases[0].p, name);
    }
    PQ_TRY(PQ_ARENA_NEW(c->arena, alias, 1, e));
    *alias = pq_slice_text(name);
    field->aliases = alias;
    field->n_aliases = 1;
    return PQ_OK;
}

/* Only the maps of files that the snapshot has. */
static PqRc read_mappings(PqsqlLakeCatalog *c, PqErr *e)
{
    sqlite3_stmt *s = NULL;

    while (pqsql_lake_next(
        c, "SELECT DISTINCT target_field_id, source_name, is_partition FROM "
           "$.ducklake_name_mapping WHERE mapping_id IN (SELECT f.mapping_id FROM "
           "$.ducklake_data_file AS f WHERE f.table_id = ?2 AND " PQSQL_LIVE("f") ")", &s, e)) {
        take_mapping(c, s, e);
    }
    return e->rc;
}

/* With one column of each id, every column is below one parent at most.  A view may answer
** differently the next time, so make_fields counts, too. */
static PqRc check_ids(PqsqlLakeCatalog *c, PqErr *e)
{
    bool is_twice;
    int64_t id;

    PQ_TRY(pqsql_lake_run(c, e, "SELECT CAST(c.column_id AS INTEGER) FROM $.ducklake_column "
                          "AS c WHERE c.table_id = ?2 AND " PQSQL_LIVE("c") " GROUP BY 1 HAVING "
                          "count(*) > 1 LIMIT 1", ">?i", &is_twice, &id));
    return is_twice ? pq_fail(e, PQ_CORRUPT, "the catalog has column %lld twice", (long long)id)
                    : PQ_OK;
}

PqRc pqsql_lake_schema(PqsqlLakeCatalog *c, PqFooter **out, PqErr *e)
{
    const PqType integer = {.physical = PQ_INT64};
    PqSchemaMake *m = NULL;
    PqRc rc;

    PQ_TRY(check_ids(c, e));
    PQ_TRY(read_columns(c, e));
    PQ_GO(pq_schema_make_new(c->r->mem, &m, e));
    PQ_GO(make_fields(c, m, -1, PQ_NODE_STRUCT, 0, e));
    if (c->row_ids) {
        pq_schema_make_leaf(m, PQSQL_LAKE_ROW_ID, &integer, false, PQ_LAKE_ROW_ID);
        pq_schema_make_leaf(m, PQSQL_LAKE_SNAPSHOT_ID, &integer, false,
                            PQ_LAKE_SEQUENCE);
    }
    rc = pq_footer_of_schema(m, c->r->mem, out, e);
done:
    pq_schema_make_free(m);
    return rc;
}

PqRc pqsql_lake_columns(PqsqlLakeCatalog *c, PqErr *e)
{
    PqLakeSnapshot *t = c->r->s;

    PQ_TRY(pqsql_lake_schema(c, &t->schema, e));
    t->names = (PqLakeNames){.by_id = true, .needs_ids = true,
                             .n = t->schema->schema.n_elements};
    PQ_TRY(PQ_ARENA_NEW(c->arena, t->names.fields, t->names.n, e));
    for (uint32_t i = 0; i < t->names.n; i++) {
        t->names.fields[i] = (PqLakeField){.id = -1};
    }
    place_ids(t->schema->schema.root, &t->names);
    PQ_TRY(take_first_values(c, e));
    return read_mappings(c, e);
}
