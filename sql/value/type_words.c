/*
** type_words.c - every name of a type, here or elsewhere in SQL.
**
** First come the names that a Parquet table declares, then names of other
** databases.  The databases disagree: INT8 has 8 bytes in most of them, REAL
** has 8 bytes in SQLite and 4 elsewhere.  The meaning that loses nothing wins.
*/
#include "sql/value/type_words.h"

#include "sql/nearest.h"

enum {
    T = PQSQL_SUFFIX_TEXT, R = PQSQL_SUFFIX_REAL, B = PQSQL_SUFFIX_BLOB
};

#define OF(p) {.physical = (p)}
#define INT(bits, sign)                                              \
    {.physical = (bits) <= 32 ? PQ_INT32 : PQ_INT64,                 \
     .logical = PQ_TYPE_INT, .bit_width = (bits), .is_signed = (sign)}
#define BYTES(l) {.physical = PQ_BYTE_ARRAY, .logical = (l)}
#define FIXED(l, n) {.physical = PQ_FIXED, .fixed_length = (n), .logical = (l)}
#define TIME(u, z)                                                   \
    {.physical = (u) == PQ_MILLIS ? PQ_INT32 : PQ_INT64,             \
     .logical = PQ_TYPE_TIME, .unit = (u), .utc = (z)}
#define STAMP(u, z)                                                  \
    {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP, .unit = (u), .utc = (z)}

#define LEAF(name, args, suffixes, ...)                              \
    {name, PQ_NODE_LEAF, PQSQL_ARGS_##args, suffixes, __VA_ARGS__, false}
#define NEST(name, kind)                                      \
    {name, PQ_NODE_##kind, PQSQL_ARGS_TYPES, 0, {0}, false}

static const PqsqlTypeWord words[] = {
    LEAF("BOOLEAN", NONE, 0, OF(PQ_BOOLEAN)),
    LEAF("TINYINT", IDLE, 0, INT(8, true)),
    LEAF("SMALLINT", IDLE, 0, INT(16, true)),
    LEAF("INTEGER", IDLE, 0, OF(PQ_INT32)),
    LEAF("BIGINT", IDLE, 0, OF(PQ_INT64)),
    LEAF("UTINYINT", IDLE, 0, INT(8, false)),
    LEAF("USMALLINT", IDLE, 0, INT(16, false)),
    LEAF("UINTEGER", IDLE, 0, INT(32, false)),
    LEAF("U64", NONE, B, INT(64, false)),
    LEAF("FLOAT", NONE, 0, OF(PQ_FLOAT)),
    LEAF("DOUBLE", NONE, 0, OF(PQ_DOUBLE)),
    LEAF("FLOAT16", NONE, R, FIXED(PQ_TYPE_FLOAT16, 2)),
    LEAF("DECIMAL", DIGITS, R | T, {.logical = PQ_TYPE_DECIMAL}),
    LEAF("DATE", NONE, T, {.physical = PQ_INT32, .logical = PQ_TYPE_DATE}),
    LEAF("TIME", TIME, T, TIME(PQ_MICROS, false)),
    LEAF("TIME_MS", NONE, T, TIME(PQ_MILLIS, false)),
    LEAF("TIME_NS", NONE, T, TIME(PQ_NANOS, false)),
    LEAF("TIMETZ", TIME, T, TIME(PQ_MICROS, true)),
    LEAF("TIMETZ_MS", NONE, T, TIME(PQ_MILLIS, true)),
    LEAF("TIMETZ_NS", NONE, T, TIME(PQ_NANOS, true)),
    LEAF("TIMESTAMP", TIME, T, STAMP(PQ_MICROS, false)),
    LEAF("TIMESTAMP_MS", NONE, T, STAMP(PQ_MILLIS, false)),
    LEAF("TIMESTAMP_NS", NONE, T, STAMP(PQ_NANOS, false)),
    LEAF("TIMESTAMPTZ", TIME, T, STAMP(PQ_MICROS, true)),
    LEAF("TIMESTAMPTZ_MS", NONE, T, STAMP(PQ_MILLIS, true)),
    LEAF("TIMESTAMPTZ_NS", NONE, T, STAMP(PQ_NANOS, true)),
    LEAF("TIMESTAMP_96", NONE, T, OF(PQ_INT96)),
    LEAF("INTERVAL", NONE, 0, FIXED(PQ_TYPE_INTERVAL, 12)),
    LEAF("TEXT", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("ENUM", NONE, T, BYTES(PQ_TYPE_ENUM)),
    LEAF("JSON", NONE, T, BYTES(PQ_TYPE_JSON)),
    LEAF("UUID", NONE, T, FIXED(PQ_TYPE_UUID, 16)),
    LEAF("BLOB", LENGTH, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("BSON", NONE, B, BYTES(PQ_TYPE_BSON)),
    LEAF("GEOMETRY", CRS, B, BYTES(PQ_TYPE_GEOMETRY)),
    LEAF("GEOGRAPHY", CRS_EDGES, B, BYTES(PQ_TYPE_GEOGRAPHY)),
    LEAF("NULL", NONE, 0, {.physical = PQ_INT32, .logical = PQ_TYPE_UNKNOWN}),
    {"VARIANT", PQ_NODE_VARIANT, PQSQL_ARGS_NONE, T | B, {0}, false},
    NEST("LIST", LIST),
    NEST("MAP", MAP),
    NEST("STRUCT", STRUCT),
    {"FILE", PQ_NODE_STRUCT, PQSQL_ARGS_TYPES, 0, {0}, true},

    LEAF("BOOL", NONE, 0, OF(PQ_BOOLEAN)),
    LEAF("INT1", NONE, 0, INT(8, true)),
    LEAF("INT2", NONE, 0, INT(16, true)),
    LEAF("INT16", NONE, 0, INT(16, true)),
    LEAF("INT", IDLE, 0, OF(PQ_INT32)),
    LEAF("INT4", NONE, 0, OF(PQ_INT32)),
    LEAF("INT32", NONE, 0, OF(PQ_INT32)),
    LEAF("MEDIUMINT", IDLE, 0, OF(PQ_INT32)),
    LEAF("INT8", NONE, 0, OF(PQ_INT64)),
    LEAF("INT64", NONE, 0, OF(PQ_INT64)),
    LEAF("LONG", NONE, 0, OF(PQ_INT64)),
    LEAF("BIG INT", IDLE, 0, OF(PQ_INT64)),
    LEAF("UINT8", NONE, 0, INT(8, false)),
    LEAF("UINT16", NONE, 0, INT(16, false)),
    LEAF("UINT32", NONE, 0, INT(32, false)),
    LEAF("UINT64", NONE, 0, INT(64, false)),
    LEAF("UINT", NONE, 0, INT(32, false)),
    LEAF("UBIGINT", IDLE, 0, INT(64, false)),
    LEAF("UNSIGNED BIG INT", IDLE, 0, INT(64, false)),
    LEAF("TINYINT UNSIGNED", NONE, 0, INT(8, false)),
    LEAF("SMALLINT UNSIGNED", NONE, 0, INT(16, false)),
    LEAF("INT UNSIGNED", NONE, 0, INT(32, false)),
    LEAF("INTEGER UNSIGNED", NONE, 0, INT(32, false)),
    LEAF("BIGINT UNSIGNED", NONE, 0, INT(64, false)),
    LEAF("FLOAT4", NONE, 0, OF(PQ_FLOAT)),
    LEAF("FLOAT32", NONE, 0, OF(PQ_FLOAT)),
    LEAF("REAL", NONE, 0, OF(PQ_DOUBLE)),
    LEAF("FLOAT8", NONE, 0, OF(PQ_DOUBLE)),
    LEAF("FLOAT64", NONE, 0, OF(PQ_DOUBLE)),
    LEAF("DOUBLE PRECISION", NONE, 0, OF(PQ_DOUBLE)),
    LEAF("HALF", NONE, 0, FIXED(PQ_TYPE_FLOAT16, 2)),
    LEAF("NUMERIC", DIGITS, R | T, {.logical = PQ_TYPE_DECIMAL}),
    LEAF("DEC", DIGITS, 0, {.logical = PQ_TYPE_DECIMAL}),
    LEAF("NUMBER", DIGITS, 0, {.logical = PQ_TYPE_DECIMAL}),
    LEAF("DATETIME", TIME, T, STAMP(PQ_MICROS, false)),
    LEAF("TIME_US", NONE, T, TIME(PQ_MICROS, false)),
    LEAF("TIMESTAMP_US", NONE, T, STAMP(PQ_MICROS, false)),
    LEAF("TIMESTAMPTZ_US", NONE, T, STAMP(PQ_MICROS, true)),
    LEAF("TIMESTAMP_INT96", NONE, T, OF(PQ_INT96)),
    LEAF("INT96", NONE, 0, OF(PQ_INT96)),
    LEAF("VARCHAR", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("CHAR", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("STRING", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("CHARACTER", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("CHARACTER VARYING", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("VARYING CHARACTER", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("NATIVE CHARACTER", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("NCHAR", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("NVARCHAR", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("VARCHAR2", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("CLOB", IDLE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("UTF8", NONE, 0, BYTES(PQ_TYPE_STRING)),
    LEAF("BYTEA", NONE, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("BYTES", NONE, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("BYTE_ARRAY", NONE, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("VARBINARY", IDLE, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("BINARY", LENGTH, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("FIXED", LENGTH, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("FIXED_LEN_BYTE_ARRAY", LENGTH, 0, BYTES(PQ_TYPE_NONE)),
    LEAF("UNKNOWN", NONE, 0,
         {.physical = PQ_INT32, .logical = PQ_TYPE_UNKNOWN}),
    LEAF("VOID", NONE, 0, {.physical = PQ_INT32, .logical = PQ_TYPE_UNKNOWN}),
    NEST("ARRAY", LIST),
    NEST("ROW", STRUCT),
    NEST("OBJECT", STRUCT),
};

const PqsqlTypeWord *pqsql_type_word(const char *name)
{
    for (size_t i = 0; i < PQ_COUNT(words); i++) {
        if (pq_ascii_same(words[i].name, name)) {
            return &words[i];
        }
    }
    return NULL;
}

bool pqsql_type_is_kind(PqSlice word)
{
    static const char *const kinds[] = {
        "geom", "geometry", "wkb", "wkt", "point", "linestring", "polygon",
        "multipoint", "multilinestring", "multipolygon", "geometrycollection",
        "pointz", "linestringz", "polygonz", "multipointz", "multilinestringz",
        "multipolygonz", "geometrycollectionz"
    };
    size_t i = 0;

    while (i < PQ_COUNT(kinds) && !pq_parse_is_word(word, kinds[i])) i++;
    return i < PQ_COUNT(kinds);
}

const char *pqsql_type_word_near(const char *name)
{
    PqsqlNearest near = {.word = name};

    if (pqsql_type_is_kind(pq_slice_text(name))) {
        return "GEOMETRY";
    }
    for (size_t i = 0; i < PQ_COUNT(words); i++) {
        pqsql_nearest_look(&near, words[i].name);
    }
    return pqsql_nearest(&near);
}
