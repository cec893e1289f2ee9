/*
** tvf_schema.c - parquet_schema(file): a row per element of the schema, as the
** file has it.
**
** The first columns are DuckDB's, texts included, so that a query written for
** one works on the other.  Behind them is what a reader makes of an element:
** its path, its number among the leaves (the column_id of parquet_metadata),
** its levels, the type of its values, the CRS of a geometry.
*/
#include "ext/functions/tvf.h"

enum {
    FILE_NAME, NAME, TYPE, TYPE_LENGTH, REPETITION_TYPE, NUM_CHILDREN,
    CONVERTED_TYPE, SCALE, PRECISION, FIELD_ID, LOGICAL_TYPE, DUCKDB_TYPE,
    COLUMN_ID, PATH, LEAF_ID, DEFINITION_LEVEL, REPETITION_LEVEL, VALUE_TYPE,
    CRS, N_COLUMNS
};

static const char *const columns[N_COLUMNS] = {
    [FILE_NAME] = "file_name TEXT",
    [NAME] = "name TEXT",
    [TYPE] = "type TEXT",
    [TYPE_LENGTH] = "type_length TEXT",
    [REPETITION_TYPE] = "repetition_type TEXT",
    [NUM_CHILDREN] = "num_children BIGINT",
    [CONVERTED_TYPE] = "converted_type TEXT",
    [SCALE] = "scale BIGINT",
    [PRECISION] = "precision BIGINT",
    [FIELD_ID] = "field_id BIGINT",
    [LOGICAL_TYPE] = "logical_type TEXT",
    [DUCKDB_TYPE] = "duckdb_type TEXT",
    [COLUMN_ID] = "column_id BIGINT",
    [PATH] = "path TEXT",
    [LEAF_ID] = "leaf_id BIGINT",
    [DEFINITION_LEVEL] = "definition_level BIGINT",
    [REPETITION_LEVEL] = "repetition_level BIGINT",
    [VALUE_TYPE] = "value_type TEXT",
    [CRS] = "crs TEXT",
};

typedef struct State {
    uint32_t      next;              /* element behind the current one */
    uint32_t      leaf;              /* the first leaf behind it       */
    const PqLeaf *current;           /* NULL: a group                  */
} State;

static PqRc schema_next(PqextLook *l, bool *more, PqErr *e)
{
    const PqSchema *schema = &l->footer->schema;
    State *s = l->state;

    (void)e;
    *more = s->next < schema->n_elements;
    if (*more) {
        s->current = NULL;
        if (s->leaf < schema->n_leaves &&
            schema->leaves[s->leaf].node->element == s->next) {
            s->current = &schema->leaves[s->leaf++];
        }
        s->next++;
    }
    return PQ_OK;
}

/* ---- logical types, spelled as DuckDB spells them -------------------------- */

static const char *unit_text(const PqTimeUnit *u)
{
    if (PQ_HAS(u, PQ_TIME_UNIT_MILLIS)) {
        return "MILLIS=MilliSeconds(), MICROS=<null>, NANOS=<null>";
    }
    if (PQ_HAS(u, PQ_TIME_UNIT_MICROS)) {
        return "MILLIS=<null>, MICROS=MicroSeconds(), NANOS=<null>";
    }
    return PQ_HAS(u, PQ_TIME_UNIT_NANOS)
               ? "MILLIS=<null>, MICROS=<null>, NANOS=NanoSeconds()"
               : "MILLIS=<null>, MICROS=<null>, NANOS=<null>";
}

static void time_type(PqBuf *b, const char *name, const PqTimeType *t)
{
    pq_buf_printf(b, "%s(isAdjustedToUTC=%d, unit=TimeUnit(%s))", name,
                  t->is_adjusted_to_utc, unit_text(&t->unit));
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
        const char *edge = pq_format_edges_name(t->algorithm);

        pq_buf_text(b, ", algorithm=");
        if (!PQ_HAS(t, PQ_GEO_TYPE_ALGORITHM)) {
            pq_buf_text(b, "<null>");
        } else if (edge) {
            pq_buf_text(b, edge);
        } else {
            pq_buf_printf(b, "%d", t->algorithm);
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

static void logical_type(PqBuf *b, const PqLogicalType *t)
{
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
        pq_buf_text(b, plain_types[member] ? plain_types[member]
                                           : "(unknown)");
    }
}

/* ---- the type DuckDB gives a leaf ------------------------------------------ */

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

/* What DuckDB cannot hold as a DECIMAL it reads as a DOUBLE. */
enum { DUCKDB_PRECISION = 38 };

static void duckdb_type(PqBuf *b, const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
        pq_buf_text(b, "VARCHAR");
        return;
    case PQ_TYPE_JSON:
        pq_buf_text(b, "JSON");
        return;
    case PQ_TYPE_UUID:
        pq_buf_text(b, "UUID");
        return;
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
    case PQ_TYPE_DATE:
        pq_buf_text(b, "DATE");
        return;
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        pq_buf_text(b, pq_type_is_time96(t) ? "BLOB" : duckdb_time(t));
        return;
    case PQ_TYPE_INTERVAL:
        pq_buf_text(b, "INTERVAL");
        return;
    case PQ_TYPE_FLOAT16:
        pq_buf_text(b, "FLOAT");
        return;
    case PQ_TYPE_UNKNOWN:
        pq_buf_text(b, "\"NULL\"");
        return;
    default:
        pq_buf_text(b, duckdb_physical(t));
    }
}

/* ---- columns ----------------------------------------------------------------- */

/* What is written into a text first. */
static PqRc give_made(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const State *s = l->state;
    const PqSchemaElement *el = &l->footer->schema.elements[s->next - 1];
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, l->mem, e);
    if (i == LOGICAL_TYPE) {
        logical_type(&text, &el->logical_type);
    } else if (i == DUCKDB_TYPE) {
        PqType type = s->current->type;

        /* QUIRK: to DuckDB only a LogicalType makes a time one of UTC. */
        type.utc = type.utc && PQ_HAS(el, PQ_SCHEMA_LOGICAL);
        duckdb_type(&text, &type);
    } else {
        pq_type_text(&s->current->type, &text);
    }
    rc = pqext_give_buf(ctx, &text, e);
    pq_buf_free(&text);
    return rc;
}

/* As written in the file. */
static PqRc element_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const State *s = l->state;
    const PqSchemaElement *el = &l->footer->schema.elements[s->next - 1];
    char length[16];

    switch (i) {
    case NAME:
        pqext_give_slice(ctx, el->name);
        break;
    case TYPE:
        if (PQ_HAS(el, PQ_SCHEMA_TYPE)) {
            pqext_give_name(ctx, pq_physical_name(el->type), el->type);
        }
        break;
    case TYPE_LENGTH:                /* a text, because DuckDB's is one */
        if (PQ_HAS(el, PQ_SCHEMA_TYPE_LENGTH)) {
            sqlite3_snprintf(sizeof length, length, "%d", el->type_length);
            pqext_give_text(ctx, length);
        }
        break;
    case REPETITION_TYPE:
        if (PQ_HAS(el, PQ_SCHEMA_REPETITION)) {
            pqext_give_name(ctx,
                            pq_format_repetition_name(el->repetition_type),
                            el->repetition_type);
        }
        break;
    case NUM_CHILDREN:
        pqext_give_i64(ctx, PQ_HAS(el, PQ_SCHEMA_NUM_CHILDREN),
                       el->num_children);
        break;
    case CONVERTED_TYPE:
        if (PQ_HAS(el, PQ_SCHEMA_CONVERTED)) {
            pqext_give_name(ctx, pq_format_converted_name(el->converted_type),
                            el->converted_type);
        }
        break;
    case SCALE:
        pqext_give_i64(ctx, PQ_HAS(el, PQ_SCHEMA_SCALE), el->scale);
        break;
    case PRECISION:
        pqext_give_i64(ctx, PQ_HAS(el, PQ_SCHEMA_PRECISION), el->precision);
        break;
    case FIELD_ID:
        pqext_give_i64(ctx, PQ_HAS(el, PQ_SCHEMA_FIELD_ID), el->field_id);
        break;
    default:
        return PQ_HAS(el, PQ_SCHEMA_LOGICAL) ? give_made(l, i, ctx, e) : PQ_OK;
    }
    return PQ_OK;
}

static PqRc schema_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const State *s = l->state;
    const PqLeaf *leaf = s->current;

    if (i == FILE_NAME) {
        pqext_give_text(ctx, l->path);
        return PQ_OK;
    }
    if (i <= LOGICAL_TYPE) {
        return element_column(l, i, ctx, e);
    }
    if (i == COLUMN_ID) {
        sqlite3_result_int64(ctx, s->next - 1);
        return PQ_OK;
    }
    if (!leaf) {
        return PQ_OK;
    }
    switch (i) {
    case PATH:
        pqext_give_text(ctx, leaf->path);
        return PQ_OK;
    case LEAF_ID:
        sqlite3_result_int64(ctx, leaf->index);
        return PQ_OK;
    case DEFINITION_LEVEL:
        sqlite3_result_int64(ctx, leaf->max_def);
        return PQ_OK;
    case REPETITION_LEVEL:
        sqlite3_result_int64(ctx, leaf->max_rep);
        return PQ_OK;
    case CRS:
        pqext_give_text(ctx, leaf->type.crs);
        return PQ_OK;
    default:
        return give_made(l, i, ctx, e);
    }
}

static const char *const arguments[] = {"file"};

const PqextFunction pqext_parquet_schema = {
    .name = "parquet_schema",
    .call = "parquet_schema('FILE')",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .arguments = arguments,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .next = schema_next,
    .column = schema_column,
};
