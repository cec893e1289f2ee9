/*
** lake_types.c - one table of the words of all formats.
**
** DuckDB writes what its files cannot hold, such as int128, as a double.
*/
#include "core/lake/lake_types.h"

#include "core/base/ascii.h"

#include <stdio.h>

#define INT(bits, sign) {.logical = PQ_TYPE_INT, .bit_width = bits, .is_signed = sign}
#define TIME(what, of, is_utc) {.logical = PQ_TYPE_##what, .unit = PQ_##of, .utc = is_utc}

static const struct {
    const char *word[PQ_LAKE_WORDS];     /* of Delta, of Iceberg, of DuckLake    */
    PqType      type;
} types[] = {
    {{"string", "string", "varchar"}, {.logical = PQ_TYPE_STRING}},
    {{"binary", "binary", "blob"}, {.physical = PQ_BYTE_ARRAY}},
    {{"boolean", "boolean", "boolean"}, {.physical = PQ_BOOLEAN}},
    {{"byte", NULL, "int8"}, INT(8, true)},
    {{"short", NULL, "int16"}, INT(16, true)},
    {{"integer", "int", "int32"}, {.physical = PQ_INT32}},
    {{"long", "long", "int64"}, {.physical = PQ_INT64}},
    {{NULL, NULL, "uint8"}, INT(8, false)},
    {{NULL, NULL, "uint16"}, INT(16, false)},
    {{NULL, NULL, "uint32"}, INT(32, false)},
    {{NULL, NULL, "uint64"}, INT(64, false)},
    {{NULL, NULL, "int128"}, {.physical = PQ_DOUBLE}},
    {{NULL, NULL, "uint128"}, {.physical = PQ_DOUBLE}},
    {{"float", "float", "float32"}, {.physical = PQ_FLOAT}},
    {{"double", "double", "float64"}, {.physical = PQ_DOUBLE}},
    {{"date", "date", "date"}, {.logical = PQ_TYPE_DATE}},
    {{NULL, "time", "time"}, TIME(TIME, MICROS, false)},
    {{NULL, NULL, "timetz"}, TIME(TIME, MICROS, true)},
    {{"timestamp", "timestamptz", "timestamptz"}, TIME(TIMESTAMP, MICROS, true)},
    {{"timestamp_ntz", "timestamp", "timestamp"}, TIME(TIMESTAMP, MICROS, false)},
    {{NULL, NULL, "timestamp_us"}, TIME(TIMESTAMP, MICROS, false)},
    {{NULL, NULL, "timestamp_s"}, TIME(TIMESTAMP, MICROS, false)},
    {{NULL, NULL, "timestamp_ms"}, TIME(TIMESTAMP, MILLIS, false)},
    {{NULL, "timestamp_ns", "timestamp_ns"}, TIME(TIMESTAMP, NANOS, false)},
    {{NULL, "timestamptz_ns", NULL}, TIME(TIMESTAMP, NANOS, true)},
    {{NULL, NULL, "interval"}, {.logical = PQ_TYPE_INTERVAL}},
    {{NULL, "uuid", "uuid"}, {.logical = PQ_TYPE_UUID}},
    {{NULL, NULL, "json"}, {.logical = PQ_TYPE_JSON}},
    {{NULL, NULL, "geometry"}, {.logical = PQ_TYPE_GEOMETRY}},
    {{"void", "unknown", NULL}, {.logical = PQ_TYPE_UNKNOWN}},
};

/* A type with numbers in its word. */
static bool find_sized(PqLakeWords of, PqSlice word, PqType *out)
{
    char text[40], end, more;
    int precision = 10, scale = 0, n;

    snprintf(text, sizeof text, "%.*s", word.n < sizeof text ? (int)word.n : 0,
             (const char *)word.p);
    if (of == PQ_LAKE_ICEBERG_WORDS && sscanf(text, "fixed[%d%c%c", &n, &end, &more) == 2) {
        *out = (PqType){.physical = PQ_FIXED, .fixed_length = (uint32_t)n};
        return end == ']' && n >= 1;
    }
    if ((sscanf(text, "decimal(%d,%d%c%c", &precision, &scale, &end, &more) != 3 || end != ')') &&
        (of != PQ_LAKE_DELTA_WORDS || strcmp(text, "decimal") != 0)) {       /* Spark's */
        return false;
    }
    *out = (PqType){.logical = PQ_TYPE_DECIMAL, .precision = precision, .scale = scale};
    return precision > 0 && precision <= 38 && scale >= 0 && scale <= precision;
}

static bool find(PqLakeWords of, PqSlice word, PqType *out)
{
    for (size_t i = 0; i < PQ_COUNT(types); i++) {
        const char *is = types[i].word[of];

        if (is && pq_ascii_compare(word.p, word.n, is) == 0) {
            *out = types[i].type;
            return true;
        }
    }
    return find_sized(of, word, out);
}

PqRc pq_lake_type_unknown(PqSlice word, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "columns of the type %.*s are not read",
                   (int)(word.n < 100 ? word.n : 100), (const char *)word.p);
}

PqRc pq_lake_make_leaf(PqSchemaMake *m, PqLakeWords of, PqSlice word, const char *name,
                       bool required, int32_t id, PqErr *e)
{
    static const PqType bytes = {.physical = PQ_BYTE_ARRAY};
    PqType type;

    if (pq_ascii_compare(word.p, word.n, "variant") == 0) {
        pq_schema_make_group(m, PQ_NODE_VARIANT, name, required, id);
        pq_schema_make_leaf(m, "metadata", &bytes, true, -1);
        pq_schema_make_leaf(m, "value", &bytes, true, -1);
        pq_schema_make_close(m);
    } else if (find(of, word, &type)) {
        pq_type_store(&type);
        pq_schema_make_leaf(m, name, &type, required, id);
    } else {
        return pq_lake_type_unknown(word, e);
    }
    return PQ_OK;
}

const char *pq_lake_word_of(PqLakeWords of, const PqType *type)
{
    PqType t = *type;

    if (t.logical == PQ_TYPE_ENUM || t.logical == PQ_TYPE_JSON) {
        t.logical = PQ_TYPE_STRING;
    } else if (t.logical == PQ_TYPE_INT && t.is_signed && t.bit_width >= 32) {
        t = (PqType){.physical = t.physical};
    } else if (t.logical == PQ_TYPE_TIMESTAMP && t.unit == PQ_MILLIS) {
        t.unit = PQ_MICROS;
    }
    for (size_t i = 0; i < PQ_COUNT(types) && t.logical != PQ_TYPE_UNKNOWN; i++) {
        const PqType *is = &types[i].type;

        if (types[i].word[of] && is->logical == t.logical && is->bit_width == t.bit_width &&
            is->is_signed == t.is_signed && is->unit == t.unit && is->utc == t.utc &&
            (t.logical != PQ_TYPE_NONE || is->physical == t.physical)) {
            return types[i].word[of];
        }
    }
    return NULL;
}
