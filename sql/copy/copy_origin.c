/*
** copy_origin.c - finds the origin of a result column, and its type there.
**
** What is hard is to know when the origin can be trusted.  SQLite tells only
** the origin of the first SELECT of a UNION, and NOT NULL of a table says
** nothing about the rows of an outer join.  So the query's text is searched for
** words that may change rows.
*/
#include "sql/copy/copy_origin.h"

#include "sql/copy/column_origin.h"
#include "sql/copy/copy_pass.h"
#include "sql/token.h"

enum {
    EXACT_DIGITS = 15,               /* of a DECIMAL that is a REAL          */
    INT64_DIGITS = 18
};

/* ---- is the query a plain one? -------------------------------------------------- */

/* Is the table named in the query itself, and not only in a view? */
static bool is_named(const char *sql, const char *table)
{
    PqSlice name = pq_slice_text(table);
    PqsqlToken t;

    do {
        t = pqsql_next_token(&sql);
    } while (t.n > 0 && !pqsql_names(t, name));
    return t.n > 0;
}

bool pqsql_copy_origin_is_plain(const char *sql)
{
    static const char *const joins[] = {"LEFT", "RIGHT", "FULL", "UNION"};
    int n_selects = 0;
    PqsqlToken t;

    while ((t = pqsql_next_token(&sql)).n > 0) {
        n_selects += pqsql_is_word(t, "SELECT");
        if (pqsql_is_one_of(t, joins, PQ_COUNT(joins))) {
            return false;
        }
    }
    return n_selects == 1;
}

bool pqsql_copy_origin_has_union(const char *sql)
{
    PqsqlToken t;

    do {
        t = pqsql_next_token(&sql);
    } while (t.n > 0 && !pqsql_is_word(t, "UNION"));
    return t.n > 0;
}

/* ---- Parquet tables ------------------------------------------------------------- */

static PqRc copy_text(const char *text, PqArena *a, const char **out, PqErr *e)
{
    *out = pq_arena_text(a, text, strlen(text), e);
    return *out ? PQ_OK : e->rc;
}

static PqRc type_of_leaf(const PqType *type, const PqsqlOptions *values,
                         PqArena *a, PqsqlType *out, PqErr *e)
{
    out->type = *type;
    if (type->crs) {
        PQ_TRY(copy_text(type->crs, a, &out->type.crs, e));
    }
    if (type->logical == PQ_TYPE_NONE && type->physical == PQ_BYTE_ARRAY &&
        values->binary_as_string) {
        out->type.logical = PQ_TYPE_STRING;
    }
    if (type->physical == PQ_FIXED && type->fixed_length == PQ_NO_LENGTH) {
        out->type.physical = PQ_BYTE_ARRAY;  /* all values are null */
        out->type.fixed_length = 0;
    }
    pq_type_store(&out->type);
    return PQ_OK;
}

PqRc pqsql_copy_origin_geometry(PqArena *a, PqsqlType **out, PqErr *e)
{
    PQ_TRY(pqsql_type_new(a, PQ_NODE_LEAF, out, e));
    (*out)->type = (PqType){.physical = PQ_BYTE_ARRAY,
                            .logical = PQ_TYPE_GEOMETRY};
    return PQ_OK;
}

/* Recursion is as deep as the schema: PQ_SCHEMA_MAX_DEPTH. */
static PqRc type_of_node(const PqNode *n, const PqsqlOptions *values,
                         PqArena *a, PqsqlType **out, PqErr *e)
{
    PqsqlType *t;

    PQ_TRY(pqsql_type_new(a, n->kind, &t, e));
    *out = t;
    t->required = n->required;
    t->is_file = n->is_file;
    t->field_id = n->field_id;
    if (n->kind == PQ_NODE_LEAF) {
        return type_of_leaf(&n->type, values, a, t, e);
    }
    for (uint32_t i = 0; i < n->n_children && n->kind != PQ_NODE_VARIANT; i++) {
        PqsqlType *child = NULL;

        PQ_TRY(type_of_node(n->child[i], values, a, &child, e));
        if (n->kind == PQ_NODE_STRUCT) {
            PQ_TRY(copy_text(n->child[i]->name, a, &child->name, e));
        }
        PQ_TRY(pqsql_type_add(t, child, a, e));
    }
    return PQ_OK;
}

static PqRc type_of_source(const PqsqlSource *s, PqArena *a, PqsqlType **out,
                           PqErr *e)
{
    const PqColumn *c = s->column;
    PqType type = {.physical = PQ_INT64};

    if (c->kind == PQ_COLUMN_NODE && c->node->kind != PQ_NODE_LEAF &&
        !c->as_wkb) {
        return type_of_node(c->node, &s->values, a, out, e);
    }
    if (pq_column_is_variant_path(c)) {
        return pqsql_type_new(a, PQ_NODE_VARIANT, out, e);
    }
    if (pq_column_is_of_pages(c)) {
        type = c->type;
    } else if (c->kind == PQ_COLUMN_FILENAME ||
               (c->kind == PQ_COLUMN_HIVE && c->hive_type == PQ_HIVE_TEXT)) {
        type = (PqType){.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING};
    } else if (c->kind == PQ_COLUMN_HIVE && c->hive_type == PQ_HIVE_DATE) {
        type = (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_DATE};
    }
    PQ_TRY(pqsql_type_new(a, PQ_NODE_LEAF, out, e));
    if (c->kind == PQ_COLUMN_NODE && !c->as_wkb) {
        (*out)->field_id = c->node->field_id;
    }
    return type_of_leaf(&type, &s->values, a, *out, e);
}

/* The classes of the values that the table returns for a column.  A UNION may
** add values of other tables: numbers of either class fit a numeric column, and
** numbers become texts in a STRING, as in columns that have no table. */
static unsigned classes_of(const PqType *t, const PqsqlOptions *values)
{
    const unsigned text = PQ_CLASS(PQ_CELL_TEXT);
    const unsigned numbers = PQ_CLASS(PQ_CELL_INT) | PQ_CLASS(PQ_CELL_REAL);

    switch (t->logical) {
    case PQ_TYPE_STRING:
        return text | numbers;
    case PQ_TYPE_INT:
        return numbers | (pq_type_is_u64(t) ? text : 0);
    case PQ_TYPE_DECIMAL:
        return numbers | (values->decimal_text ? text : 0);
    case PQ_TYPE_FLOAT16:
        return numbers | (values->nan_text ? text : 0);
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        return text | (values->timestamp != PQSQL_TIME_TEXT ? numbers : 0);
    case PQ_TYPE_BSON:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return PQ_CLASS(PQ_CELL_BLOB);
    case PQ_TYPE_NONE:
        break;
    default:
        return text;
    }
    return t->physical == PQ_INT96
               ? text | (values->timestamp != PQSQL_TIME_TEXT ? numbers : 0)
           : t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED
               ? PQ_CLASS(PQ_CELL_BLOB)
               : numbers | (values->nan_text && pq_type_is_float(t) ? text : 0);
}

/* The type has a short name of the coordinate system, EPSG:5070. */
static PqRc crs_of_source(const PqColumn *c, PqArena *a, PqSlice *out, PqErr *e)
{
    const PqGeometry *g = c->node ? c->node->geometry : NULL;
    PqSlice json = g && g->said ? g->said->crs_json : pq_slice(NULL, 0);

    *out = (PqSlice){0};
    if (json.n) {
        out->p = (const uint8_t *)pq_arena_text(a, json.p, json.n, e);
        out->n = out->p ? json.n : 0;
    }
    return e->rc;
}

/* Does each value that the table may give for the type fit it?  Nobody has
** checked JSON, BSON and geometries of a file. */
static bool always_fits(const PqType *t, const PqsqlOptions *values)
{
    switch (t->logical) {
    case PQ_TYPE_JSON:
    case PQ_TYPE_BSON:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return false;
    case PQ_TYPE_DECIMAL:
        return values->decimal_text || t->precision <= EXACT_DIGITS ||
               (t->scale == 0 && t->precision <= INT64_DIGITS);
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
        return values->invalid_utf8 != PQSQL_UTF8_BLOB;
    default:
        return true;
    }
}

PqRc pqsql_copy_origin_of_source(const PqsqlSource *s, bool is_plain,
                                 PqArena *a, PqsqlOrigin *out, PqErr *e)
{
    const PqType *t;
    bool is_leaf;

    PQ_TRY(type_of_source(s, a, &out->type, e));
    PQ_TRY(crs_of_source(s->column, a, &out->crs_json, e));
    t = &out->type->type;
    is_leaf = out->type->kind == PQ_NODE_LEAF;
    out->is_hint = false;
    out->required = s->required && is_plain;
    out->classes = (uint8_t)(
        is_leaf ? classes_of(t, &s->values)
        : out->type->kind == PQ_NODE_VARIANT ? 0 : PQ_CLASS(PQ_CELL_TEXT));
    out->always_fits = is_leaf && always_fits(t, &s->values);
    if (s->values.timestamp == PQSQL_TIME_RAW) {
        out->number_time = PQ_NUMBER_TIME_RAW;
    }
    if (is_leaf && t->logical == PQ_TYPE_DECIMAL && !s->values.decimal_text) {
        out->remedy = "make the table that it comes from with decimal=text";
    } else if (is_leaf && !s->values.nan_text && pq_type_is_float(t)) {
        out->remedy = "make the table that it comes from with nan=text";
    }
    return PQ_OK;
}

/* ---- native tables ---------------------------------------------------------------- */

/* Is it a native table?  Nobody enforces the NOT NULL of a virtual table. */
static bool is_native(sqlite3 *db, const char *schema, const char *table)
{
    char *sql = sqlite3_mprintf(
        "SELECT rootpage FROM \"%w\".sqlite_schema WHERE type = 'table' AND "
        "name = %Q COLLATE NOCASE", schema, table);
    sqlite3_stmt *s = NULL;
    bool yes = sql && sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
               sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0) > 0;

    sqlite3_finalize(s);
    sqlite3_free(sql);
    return yes;
}

static bool is_not_null(sqlite3 *db, const char *schema, const char *table,
                        const char *column)
{
    int not_null = 0;

    return sqlite3_table_column_metadata(db, schema, table, column, NULL, NULL,
                                         &not_null, NULL, NULL) == SQLITE_OK &&
           not_null && is_native(db, schema, table);
}

/* A temporary view or table may hide the table of another schema. */
static bool may_be_hidden(sqlite3 *db, const char *schema, const char *table)
{
    char *sql = sqlite3_mprintf("SELECT 1 FROM temp.sqlite_schema "
                                "WHERE name = %Q COLLATE NOCASE", table);
    sqlite3_stmt *s = NULL;
    bool yes = sqlite3_stricmp(schema, "temp") != 0 &&
               (!sql ||
                sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK ||
                sqlite3_step(s) != SQLITE_DONE);

    sqlite3_finalize(s);
    sqlite3_free(sql);
    return yes;
}

static PqRc find_passed(sqlite3_stmt *query, const PqsqlPassed *of, PqArena *a,
                        PqsqlOrigin *out, PqErr *e)
{
    if (out->type->kind != PQ_NODE_VARIANT ||
        !pqsql_copy_passes(sqlite3_sql(query), of->table, of->column) ||
        may_be_hidden(sqlite3_db_handle(query), of->schema, of->table)) {
        return PQ_OK;
    }
    PQ_TRY(copy_text(of->schema, a, &out->passed.schema, e));
    PQ_TRY(copy_text(of->table, a, &out->passed.table, e));
    return copy_text(of->column, a, &out->passed.column, e);
}

const char *pqsql_copy_origin_covering(const PqColumn *c)
{
    const PqGeometry *g = c->node ? c->node->geometry : NULL;

    return g && g->said && g->cover[0] >= 0 && !g->cover_is_x_y &&
                   g->said->cover[0].n == 2
               ? g->said->cover[0].name[0] : NULL;
}

static PqRc make_id(const PqsqlPassed *of, const char *column, PqArena *a,
                    const char **out, PqErr *e)
{
    *out = pq_arena_printf(a, e, "%s\n%s\n%s", of->schema, of->table, column);
    return *out ? PQ_OK : e->rc;
}

/* Finds the STRUCTs of a query that have the boxes of its geometries. */
static PqRc find_covering(sqlite3_stmt *query, const PqsqlSource *s,
                          const PqsqlPassed *of, PqArena *a, PqsqlOrigin *out,
                          PqErr *e)
{
    const char *cover = pqsql_copy_origin_covering(s->column);

    if (cover) {
        PQ_TRY(make_id(of, cover, a, &out->covered_by, e));
    }
    return out->type->kind == PQ_NODE_STRUCT &&
                   out->type->n_children == PQ_COVERS &&
                   pqsql_copy_passes(sqlite3_sql(query), of->table, of->column)
               ? make_id(of, of->column, a, &out->struct_id, e) : PQ_OK;
}

PqRc pqsql_copy_origin(const PqsqlCopyHost *host, sqlite3_stmt *query, int i,
                       bool is_plain, PqArena *a, PqsqlOrigin *out, PqErr *e)
{
    const PqsqlColumnOrigin from = pqsql_column_origin(query, i);
    const char *declared = sqlite3_column_decltype(query, i);
    PqsqlSource source;

    *out = (PqsqlOrigin){.is_hint = true,
                         .number_time = PQ_NUMBER_TIME_EPOCH};
    if (from.table && from.schema && from.column) {
        const PqsqlPassed of = {from.schema, from.table, from.column};

        is_plain = is_plain && is_named(sqlite3_sql(query), from.table);
        if (host->source(host->arg, from.schema, from.table, from.column, &source)) {
            PQ_TRY(pqsql_copy_origin_of_source(&source, is_plain, a, out, e));
            if (out->number_time == PQ_NUMBER_TIME_RAW &&
                pqsql_copy_origin_has_union(sqlite3_sql(query))) {
                out->unit_is_unknown = true;
            }
            PQ_TRY(find_covering(query, &source, &of, a, out, e));
            return find_passed(query, &of, a, out, e);
        }
        out->required = is_plain && is_not_null(sqlite3_db_handle(query),
                                                from.schema, from.table, from.column);
    }
    return declared ? pqsql_type_hint(declared, a, &out->type, e) : PQ_OK;
}
