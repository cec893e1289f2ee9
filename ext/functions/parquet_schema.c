/*
** parquet_schema.c - parquet_schema(file): a row per element of the schema, as
** the file has it.
**
** The first columns are DuckDB's, texts included, so that a query written for
** one works on the other.  The other columns have what a reader makes of an
** element: its path, its number among the leaves (the column_id of
** parquet_metadata), its levels, the type of its values, and what is known
** about a geometry.
**
** The hard part is to spell logical types as DuckDB spells them: its texts come
** from a Thrift library, and what is absent is "<null>" there.
*/
#include "ext/functions/table_function.h"

typedef struct State {
    uint32_t      next_leaf;         /* the first leaf after this element */
    uint32_t      next_child;        /* the first column after it      */
    const PqLeaf *leaf;              /* NULL: the element has children */
    const PqGeometry *geometry;      /* NULL: it is not one at the top of the
                                     ** schema                         */
    const PqLock *lock;              /* of the leaf, or NULL           */
} State;

static PqRc schema_next(PqextCall *call, bool *more, PqErr *e)
{
    const PqSchema *schema = &call->footer->schema;
    const PqNode *root = schema->root;
    State *s = call->state;

    *more = call->row < schema->n_elements;
    s->leaf = NULL;
    s->lock = NULL;
    s->geometry = NULL;
    if (s->next_leaf < schema->n_leaves &&
        schema->leaves[s->next_leaf].node->element == call->row) {
        s->lock = pq_leaf_lock(call->footer->locks, s->next_leaf);
        s->leaf = &schema->leaves[s->next_leaf++];
    }
    if (s->next_child < root->n_children &&
        root->child[s->next_child]->element == call->row) {
        s->geometry = root->child[s->next_child++]->geometry;
    }
    return PQ_OK;
}

/* ---- logical types, spelled as DuckDB spells them ------------------------ */

static void time_type(PqBuf *b, const char *name, const PqTimeType *t)
{
    const PqTimeUnit *u = &t->unit;

    pq_buf_printf(b, "%s(isAdjustedToUTC=%d, unit=TimeUnit(MILLIS=%s, "
                     "MICROS=%s, NANOS=%s))", name, t->is_adjusted_to_utc,
                  PQ_HAS(u, PQ_TIME_UNIT_MILLIS) ? "MilliSeconds()" : "<null>",
                  PQ_HAS(u, PQ_TIME_UNIT_MICROS) ? "MicroSeconds()" : "<null>",
                  PQ_HAS(u, PQ_TIME_UNIT_NANOS) ? "NanoSeconds()" : "<null>");
}

static void geo_type(PqBuf *b, const char *name, const PqGeoType *t, bool edges)
{
    pq_buf_printf(b, "%s(crs=", name);
    if (PQ_HAS(t, PQ_GEO_TYPE_CRS)) {
        pq_buf_add(b, t->crs.p, t->crs.n);
    } else {
        pq_buf_text(b, "<null>");
    }
    if (edges) {
        pq_buf_text(b, ", algorithm=");
        if (PQ_HAS(t, PQ_GEO_TYPE_ALGORITHM)) {
            pqext_write_name(pq_format_edges_name(t->algorithm), t->algorithm,
                             b);
        } else {
            pq_buf_text(b, "<null>");
        }
    }
    pq_buf_byte(b, ')');
}

static const char *const plain_types[32] = {
    [PQ_LOGICAL_STRING] = "StringType()",
    [PQ_LOGICAL_MAP] = "MapType()",
    [PQ_LOGICAL_LIST] = "ListType()",
    [PQ_LOGICAL_ENUM] = "EnumType()",
    [PQ_LOGICAL_DATE] = "DateType()",
    [PQ_LOGICAL_UNKNOWN] = "NullType()",
    [PQ_LOGICAL_JSON] = "JsonType()",
    [PQ_LOGICAL_BSON] = "BsonType()",
    [PQ_LOGICAL_UUID] = "UUIDType()",
    [PQ_LOGICAL_FLOAT16] = "Float16Type()",
    [PQ_LOGICAL_FILE] = "FileType()",
};

static void variant_type(PqBuf *b, const PqVariantType *t)
{
    if (PQ_HAS(t, PQ_VARIANT_TYPE_VERSION)) {
        pq_buf_printf(b, "VariantType(specification_version=%d)",
                      t->specification_version);
    } else {
        pq_buf_text(b, "VariantType(specification_version=<null>)");
    }
}

static void write_logical_type(const PqextCall *call, const void *value,
                               PqBuf *b)
{
    const PqLogicalType *t = value;
    int member = 0;

    while (member < 31 && !PQ_HAS(t, member)) {
        member++;
    }
    switch (member) {
    case PQ_LOGICAL_DECIMAL:
        pq_buf_printf(b, "DecimalType(scale=%d, precision=%d)",
                      t->decimal.scale, t->decimal.precision);
        return;
    case PQ_LOGICAL_TIME:
        time_type(b, "TimeType", &t->time);
        return;
    case PQ_LOGICAL_TIMESTAMP:
        time_type(b, "TimestampType", &t->timestamp);
        return;
    case PQ_LOGICAL_INTEGER:
        pq_buf_printf(b, "IntType(bitWidth=%d, isSigned=%d)",
                      t->integer.bit_width, t->integer.is_signed);
        return;
    case PQ_LOGICAL_VARIANT:
        variant_type(b, &t->variant);
        return;
    case PQ_LOGICAL_GEOMETRY:
        geo_type(b, "GeometryType", &t->geometry, false);
        return;
    case PQ_LOGICAL_GEOGRAPHY:
        geo_type(b, "GeographyType", &t->geography, true);
        return;
    default:
        pq_buf_text(b, plain_types[member] ? plain_types[member] : "(unknown)");
    }
}

/* ---- the type DuckDB gives a leaf ---------------------------------------- */

static const char *duckdb_integer(const PqType *t)
{
    switch (t->bit_width) {
    case 8:
        return t->is_signed ? "TINYINT" : "UTINYINT";
    case 16:
        return t->is_signed ? "SMALLINT" : "USMALLINT";
    case 32:
        return t->is_signed ? "INTEGER" : "UINTEGER";
    default:
        return t->is_signed ? "BIGINT" : "UBIGINT";
    }
}

static const char *duckdb_physical(const PqType *t)
{
    static const char *const names[PQ_PHYSICAL_COUNT] = {
        [PQ_BOOLEAN] = "BOOLEAN", [PQ_INT32] = "INTEGER",
        [PQ_INT64] = "BIGINT",    [PQ_INT96] = "TIMESTAMP",
        [PQ_FLOAT] = "FLOAT",     [PQ_DOUBLE] = "DOUBLE",
        [PQ_BYTE_ARRAY] = "BLOB", [PQ_FIXED] = "BLOB",
    };

    return names[t->physical];
}

static const char *duckdb_time(const PqType *t)
{
    if (t->logical == PQ_TYPE_TIME) {
        return t->utc ? "TIME WITH TIME ZONE"
               : t->unit == PQ_NANOS ? "TIME_NS" : "TIME";
    }
    return t->utc ? "TIMESTAMP WITH TIME ZONE"
           : t->unit == PQ_NANOS ? "TIMESTAMP_NS" : "TIMESTAMP";
}

/* DuckDB reads a DECIMAL with more digits as a DOUBLE. */
enum { DUCKDB_PRECISION = 38 };

static void duckdb_type(PqBuf *b, const PqType *t)
{
    static const char *const names[] = {
        [PQ_TYPE_STRING] = "VARCHAR",    [PQ_TYPE_ENUM] = "VARCHAR",
        [PQ_TYPE_JSON] = "JSON",         [PQ_TYPE_UUID] = "UUID",
        [PQ_TYPE_DATE] = "DATE",         [PQ_TYPE_INTERVAL] = "INTERVAL",
        [PQ_TYPE_FLOAT16] = "FLOAT",     [PQ_TYPE_UNKNOWN] = "\"NULL\"",
    };

    switch (t->logical) {
    case PQ_TYPE_INT:
        pq_buf_text(b, duckdb_integer(t));
        return;
    case PQ_TYPE_DECIMAL:
        if (t->precision > DUCKDB_PRECISION) {
            pq_buf_text(b, "DOUBLE");
        } else {
            pq_buf_printf(b, "DECIMAL(%d,%d)", t->precision, t->scale);
        }
        return;
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        pq_buf_text(b, pq_type_is_time96(t) ? "BLOB" : duckdb_time(t));
        return;
    default:
        pq_buf_text(b, (size_t)t->logical < PQ_COUNT(names) && names[t->logical]
                           ? names[t->logical] : duckdb_physical(t));
    }
}

/* ---- columns ------------------------------------------------------------- */

static const void *element(const PqextCall *call, PqErr *e)
{
    return &call->footer->schema.elements[call->row];
}

static const void *leaf(const PqextCall *call, PqErr *e)
{
    return ((const State *)call->state)->leaf;
}

/* A text, because DuckDB's is one. */
static void write_type_length(const PqextCall *call, const void *value,
                              PqBuf *out)
{
    pq_buf_printf(out, "%d", *(const int32_t *)value);
}

static void write_duckdb_type(const PqextCall *call, const void *value,
                              PqBuf *out)
{
    const PqSchemaElement *el = element(call, NULL);
    PqType type = ((const PqLeaf *)value)->type;

    /* QUIRK: to DuckDB a time is in UTC only by its LogicalType. */
    type.utc = type.utc && PQ_HAS(el, PQ_SCHEMA_LOGICAL);
    duckdb_type(out, &type);
}

static void write_value_type(const PqextCall *call, const void *value,
                             PqBuf *out)
{
    pq_type_text(value, out);
}

/* ---- geometries ------------------------------------------------------------ */

/* The type of a leaf; for a geometry in other leaves, the type of its WKB. */
static const void *type_of_row(const PqextCall *call, PqErr *e)
{
    const State *s = call->state;

    return s->geometry ? &s->geometry->type : s->leaf ? &s->leaf->type : NULL;
}

/* The same name as in a declared type, and as in GeoParquet. */
static PqRc give_edges(const PqextCall *call, const void *value,
                       sqlite3_context *ctx, PqErr *e)
{
    const PqType *t = value;

    pqext_result_text(ctx, t->logical == PQ_TYPE_GEOMETRY    ? "planar"
                           : t->logical == PQ_TYPE_GEOGRAPHY
                               ? pq_geo_algorithm(t->algorithm) : NULL);
    return PQ_OK;
}

static const void *geometry(const PqextCall *call, PqErr *e)
{
    return ((const State *)call->state)->geometry;
}

static void write_encoding(const PqextCall *call, const void *value, PqBuf *out)
{
    const PqGeometry *g = value;

    pq_buf_text(out, pq_geo_encoding_names[g->encoding]);
}

static const void *covered_geometry(const PqextCall *call, PqErr *e)
{
    const PqGeometry *g = geometry(call, e);

    return g && g->cover[0] >= 0 ? g : NULL;
}

/* The paths of xmin, ymin, xmax and ymax, as a JSON array. */
static void write_covering(const PqextCall *call, const void *value, PqBuf *out)
{
    const PqGeometry *g = value;

    for (int i = 0; i < PQ_COVERS; i++) {
        pq_buf_byte(out, i ? ',' : '[');
        pq_json_text_string(
            pq_slice_text(call->footer->schema.leaves[g->cover[i]].path), out);
    }
    pq_buf_byte(out, ']');
}

/* ---- encryption ------------------------------------------------------------ */

/* The lock of the row's leaf; NULL: it is in the clear. */
static const void *lock(const PqextCall *call, PqErr *e)
{
    return ((const State *)call->state)->lock;
}

static PqRc give_encrypted_with(const PqextCall *call, const void *value,
                                sqlite3_context *ctx, PqErr *e)
{
    pqext_result_text(ctx, value == &call->footer->locks->footer
                               ? "footer key" : "column key");
    return PQ_OK;
}

/* The key metadata of the first row group; all row groups of a file have the
** same. */
static PqRc give_key_metadata(const PqextCall *call, const void *value,
                              sqlite3_context *ctx, PqErr *e)
{
    const PqFooter *f = call->footer;
    uint32_t i = ((const State *)call->state)->leaf->index;
    PqColumnChunk chunk;
    PqSlice bytes;
    PqArena a;

    if (f->n_groups == 0) {
        return PQ_OK;
    }
    pq_arena_init(&a, call->mem);
    bytes = f->file.row_groups.v[0].columns.v[i];
    if (pq_format_read_chunk(&bytes, &a, &chunk, e) == PQ_OK) {
        pqext_result_key_metadata(ctx, call, &chunk.crypto_metadata, e);
    }
    pq_arena_free(&a);
    return e->rc;
}

#define ELEMENT(field) \
    .of = element, .format = &pq_format_schema_element, .path = {field}
#define LEAF(name) .of = leaf, PQEXT_MEMBER(PqLeaf, name)

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"name TEXT", ELEMENT(PQ_SCHEMA_NAME)},
    {"type TEXT", ELEMENT(PQ_SCHEMA_TYPE)},
    {"type_length TEXT", ELEMENT(PQ_SCHEMA_TYPE_LENGTH),
     .write = write_type_length},
    {"repetition_type TEXT", ELEMENT(PQ_SCHEMA_REPETITION)},
    {"num_children BIGINT", ELEMENT(PQ_SCHEMA_NUM_CHILDREN)},
    {"converted_type TEXT", ELEMENT(PQ_SCHEMA_CONVERTED)},
    {"scale BIGINT", ELEMENT(PQ_SCHEMA_SCALE)},
    {"precision BIGINT", ELEMENT(PQ_SCHEMA_PRECISION)},
    {"field_id BIGINT", ELEMENT(PQ_SCHEMA_FIELD_ID)},
    {"logical_type TEXT", ELEMENT(PQ_SCHEMA_LOGICAL),
     .write = write_logical_type},
    {"duckdb_type TEXT", .of = leaf, .write = write_duckdb_type},
    {"column_id BIGINT", PQEXT_ROW},
    {"path TEXT", LEAF(path)},
    {"leaf_id BIGINT", LEAF(index)},
    {"definition_level BIGINT", LEAF(max_def)},
    {"repetition_level BIGINT", LEAF(max_rep)},
    {"value_type TEXT", .of = leaf, PQEXT_AT(PqLeaf, type),
     .write = write_value_type},
    {"crs TEXT", .of = type_of_row, PQEXT_MEMBER(PqType, crs)},
    {"edges TEXT", .of = type_of_row, .give = give_edges},
    {"geometry_encoding TEXT", .of = geometry, .write = write_encoding},
    {"covering TEXT", .of = covered_geometry, .write = write_covering},
    {"encrypted_with TEXT", .of = lock, .give = give_encrypted_with},
    {"key_metadata", .of = lock, .give = give_key_metadata},
    {"missing_key TEXT", PQEXT_MEMBER(State, lock)},
};

const PqextFunction pqext_parquet_schema = {
    .name = "parquet_schema",
    .call = "parquet_schema('FILE')",
    PQEXT_COLUMNS(columns),
    .arguments = {"file"},
    .state_size = sizeof(State),
    .next = schema_next,
};
