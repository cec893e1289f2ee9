/*
** type_words.c - every name of a type, here or elsewhere in SQL.
**
** First come the names that a Parquet table declares, then names of other
** databases.  The databases disagree: INT8 has 8 bytes in most of them, REAL
** has 8 bytes in SQLite and 4 elsewhere.  The meaning that loses nothing wins.
*/
#include "sql/value/type_words.h"

#include "sql/did_you_mean.h"

enum {
    T = PQSQL_SUFFIX_TEXT, R = PQSQL_SUFFIX_REAL, B = PQSQL_SUFFIX_BLOB
};

#define STORED(p) {.physical = (p)}
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

#define I32(l) {.physical = PQ_INT32, .logical = (l)}
#define DECIMAL {.logical = PQ_TYPE_DECIMAL}

#define LEAF(args, suffixes, type, ...)                              \
    {PQ_NODE_LEAF, PQSQL_ARGS_##args, suffixes, type, false, {__VA_ARGS__}}
#define NEST(kind, ...)                                              \
    {PQ_NODE_##kind, PQSQL_ARGS_TYPES, 0, {0}, false, {__VA_ARGS__}}

static const PqsqlTypeWord words[] = {
    LEAF(NONE, 0, STORED(PQ_BOOLEAN), "BOOLEAN"),
    LEAF(IDLE, 0, INT(8, true), "TINYINT"),
    LEAF(IDLE, 0, INT(16, true), "SMALLINT"),
    LEAF(IDLE, 0, STORED(PQ_INT32), "INTEGER"),
    LEAF(IDLE, 0, STORED(PQ_INT64), "BIGINT"),
    LEAF(IDLE, 0, INT(8, false), "UTINYINT"),
    LEAF(IDLE, 0, INT(16, false), "USMALLINT"),
    LEAF(IDLE, 0, INT(32, false), "UINTEGER"),
    LEAF(NONE, B, INT(64, false), "U64"),
    LEAF(NONE, 0, STORED(PQ_FLOAT), "FLOAT"),
    LEAF(NONE, 0, STORED(PQ_DOUBLE), "DOUBLE"),
    LEAF(NONE, R, FIXED(PQ_TYPE_FLOAT16, 2), "FLOAT16"),
    LEAF(DIGITS, R | T, DECIMAL, "DECIMAL"),
    LEAF(NONE, T, I32(PQ_TYPE_DATE), "DATE"),
    LEAF(TIME, T, TIME(PQ_MICROS, false), "TIME"),
    LEAF(NONE, T, TIME(PQ_MILLIS, false), "TIME_MS"),
    LEAF(NONE, T, TIME(PQ_NANOS, false), "TIME_NS"),
    LEAF(TIME, T, TIME(PQ_MICROS, true), "TIMETZ"),
    LEAF(NONE, T, TIME(PQ_MILLIS, true), "TIMETZ_MS"),
    LEAF(NONE, T, TIME(PQ_NANOS, true), "TIMETZ_NS"),
    LEAF(TIME, T, STAMP(PQ_MICROS, false), "TIMESTAMP"),
    LEAF(NONE, T, STAMP(PQ_MILLIS, false), "TIMESTAMP_MS"),
    LEAF(NONE, T, STAMP(PQ_NANOS, false), "TIMESTAMP_NS"),
    LEAF(TIME, T, STAMP(PQ_MICROS, true), "TIMESTAMPTZ"),
    LEAF(NONE, T, STAMP(PQ_MILLIS, true), "TIMESTAMPTZ_MS"),
    LEAF(NONE, T, STAMP(PQ_NANOS, true), "TIMESTAMPTZ_NS"),
    LEAF(NONE, T, STORED(PQ_INT96), "TIMESTAMP_96"),
    LEAF(NONE, 0, FIXED(PQ_TYPE_INTERVAL, 12), "INTERVAL"),
    LEAF(IDLE, 0, BYTES(PQ_TYPE_STRING), "TEXT"),
    LEAF(NONE, T, BYTES(PQ_TYPE_ENUM), "ENUM"),
    LEAF(NONE, T, BYTES(PQ_TYPE_JSON), "JSON"),
    LEAF(NONE, T, FIXED(PQ_TYPE_UUID, 16), "UUID"),
    LEAF(LENGTH, 0, BYTES(PQ_TYPE_NONE), "BLOB"),
    LEAF(NONE, B, BYTES(PQ_TYPE_BSON), "BSON"),
    LEAF(CRS, B, BYTES(PQ_TYPE_GEOMETRY), "GEOMETRY"),
    LEAF(CRS_EDGES, B, BYTES(PQ_TYPE_GEOGRAPHY), "GEOGRAPHY"),
    LEAF(NONE, 0, I32(PQ_TYPE_UNKNOWN), "NULL"),
    {PQ_NODE_VARIANT, PQSQL_ARGS_NONE, T | B, {0}, false, {"VARIANT"}},
    NEST(LIST, "LIST"),
    NEST(MAP, "MAP"),
    NEST(STRUCT, "STRUCT"),
    {PQ_NODE_STRUCT, PQSQL_ARGS_TYPES, 0, {0}, true, {"FILE"}},

    LEAF(NONE, 0, STORED(PQ_BOOLEAN), "BOOL"),
    LEAF(NONE, 0, INT(8, true), "INT1"),
    LEAF(NONE, 0, INT(16, true), "INT2", "INT16"),
    LEAF(IDLE, 0, STORED(PQ_INT32), "INT"),
    LEAF(NONE, 0, STORED(PQ_INT32), "INT4", "INT32"),
    LEAF(IDLE, 0, STORED(PQ_INT32), "MEDIUMINT"),
    LEAF(NONE, 0, STORED(PQ_INT64), "INT8", "INT64", "LONG"),
    LEAF(IDLE, 0, STORED(PQ_INT64), "BIG INT"),
    LEAF(NONE, 0, INT(8, false), "UINT8"),
    LEAF(NONE, 0, INT(16, false), "UINT16"),
    LEAF(NONE, 0, INT(32, false), "UINT32"),
    LEAF(NONE, 0, INT(64, false), "UINT64"),
    LEAF(NONE, 0, INT(32, false), "UINT"),
    LEAF(IDLE, 0, INT(64, false), "UBIGINT", "UNSIGNED BIG INT"),
    LEAF(NONE, 0, INT(8, false), "TINYINT UNSIGNED"),
    LEAF(NONE, 0, INT(16, false), "SMALLINT UNSIGNED"),
    LEAF(NONE, 0, INT(32, false), "INT UNSIGNED", "INTEGER UNSIGNED"),
    LEAF(NONE, 0, INT(64, false), "BIGINT UNSIGNED"),
    LEAF(NONE, 0, STORED(PQ_FLOAT), "FLOAT4", "FLOAT32"),
    LEAF(NONE, 0, STORED(PQ_DOUBLE), "REAL", "FLOAT8", "FLOAT64",
         "DOUBLE PRECISION"),
    LEAF(NONE, 0, FIXED(PQ_TYPE_FLOAT16, 2), "HALF"),
    LEAF(DIGITS, R | T, DECIMAL, "NUMERIC"),
    LEAF(DIGITS, 0, DECIMAL, "DEC", "NUMBER"),
    LEAF(TIME, T, STAMP(PQ_MICROS, false), "DATETIME"),
    LEAF(NONE, T, TIME(PQ_MICROS, false), "TIME_US"),
    LEAF(NONE, T, STAMP(PQ_MICROS, false), "TIMESTAMP_US"),
    LEAF(NONE, T, STAMP(PQ_MICROS, true), "TIMESTAMPTZ_US"),
    LEAF(NONE, T, STORED(PQ_INT96), "TIMESTAMP_INT96"),
    LEAF(NONE, 0, STORED(PQ_INT96), "INT96"),
    LEAF(IDLE, 0, BYTES(PQ_TYPE_STRING), "VARCHAR", "CHAR", "STRING",
         "CHARACTER", "CHARACTER VARYING", "VARYING CHARACTER",
         "NATIVE CHARACTER", "NCHAR", "NVARCHAR", "VARCHAR2", "CLOB"),
    LEAF(NONE, 0, BYTES(PQ_TYPE_STRING), "UTF8"),
    LEAF(NONE, 0, BYTES(PQ_TYPE_NONE), "BYTEA", "BYTES", "BYTE_ARRAY"),
    LEAF(IDLE, 0, BYTES(PQ_TYPE_NONE), "VARBINARY"),
    LEAF(LENGTH, 0, BYTES(PQ_TYPE_NONE), "BINARY", "FIXED",
         "FIXED_LEN_BYTE_ARRAY"),
    LEAF(NONE, 0, I32(PQ_TYPE_UNKNOWN), "UNKNOWN", "VOID"),
    NEST(LIST, "ARRAY"),
    NEST(STRUCT, "ROW", "OBJECT"),
};

const PqsqlTypeWord *pqsql_type_word(const char *name, const char **own)
{
    for (size_t i = 0; i < PQ_COUNT(words); i++) {
        for (size_t k = 0; k < PQSQL_TYPE_NAMES && words[i].names[k]; k++) {
            if (pq_ascii_same(words[i].names[k], name)) {
                *own = words[i].names[k];
                return &words[i];
            }
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
        for (size_t k = 0; k < PQSQL_TYPE_NAMES && words[i].names[k]; k++) {
            pqsql_nearest_look(&near, words[i].names[k]);
        }
    }
    return pqsql_nearest(&near);
}
