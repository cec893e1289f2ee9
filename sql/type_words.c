/*
** type_words.c - every name that a type has, here or elsewhere in SQL.
**
** First come the names that a Parquet table declares, then spellings of other
** databases.  Where these disagree (INT8 has 8 bytes in most of them, REAL has
** 8 in SQLite and 4 elsewhere), what loses nothing wins.
*/
#include "sql/type_words.h"

#include "sql/nearest.h"

enum {
    T = PQSQL_SUFFIX_TEXT, R = PQSQL_SUFFIX_REAL, B = PQSQL_SUFFIX_BLOB,
    MOST_DIGITS = 76
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
    NEST("ARRAY", LIST),
    NEST("ROW", STRUCT),
};

const PqsqlTypeWord *pqsql_type_word(const char *name)
{
    size_t i;

    for (i = 0; i < PQ_COUNT(words); i++) {
        if (pqsql_same_name(words[i].name, name)) {
            return &words[i];
        }
    }
    return NULL;
}

const char *pqsql_type_word_near(const char *name)
{
    PqsqlNearest near = {.word = name};
    size_t i;

    for (i = 0; i < PQ_COUNT(words); i++) {
        pqsql_nearest_look(&near, words[i].name);
    }
    return pqsql_nearest(&near);
}

/* ---- arguments ----------------------------------------------------------- */

static PqSlice trimmed(PqSlice s)
{
    while (s.n > 0 && s.p[0] <= ' ') {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && s.p[s.n - 1] <= ' ') {
        s.n--;
    }
    return s;
}

/* What comes before the next comma, or everything. */
static PqSlice next_argument(PqSlice *rest)
{
    const uint8_t *comma;
    PqSlice one = *rest;

    if (rest->n == 0) {              /* there may be no bytes at all */
        return one;
    }
    comma = memchr(rest->p, ',', rest->n);
    one.n = comma ? (size_t)(comma - rest->p) : rest->n;
    rest->p += one.n + (comma != NULL);
    rest->n -= one.n + (comma != NULL);
    return trimmed(one);
}

static bool take_number(PqSlice s, uint32_t *out)
{
    size_t i;

    *out = 0;
    for (i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || i > 8) {
            return false;
        }
        *out = *out * 10 + (s.p[i] - '0');
    }
    return s.n > 0;
}

/* Numbers, up to as many as there is room for; what is not there stays. */
static bool take_numbers(PqSlice args, uint32_t *out, uint32_t most)
{
    uint32_t i = 0;

    do {
        if (i == most || !take_number(next_argument(&args), &out[i++])) {
            return false;
        }
    } while (args.n > 0);
    return true;
}

static bool is_word(PqSlice s, const char *word)
{
    char copy[16];

    if (s.n == 0 || s.n >= sizeof copy) {
        return false;
    }
    memcpy(copy, s.p, s.n);
    copy[s.n] = 0;
    return pqsql_same_name(copy, word);
}

static PqRc decimal_arguments(PqSlice args, PqType *type, PqErr *e)
{
    uint32_t digits[2] = {0, 0};

    if (!take_numbers(args, digits, 2)) {
        return pq_fail(e, PQ_USAGE, "needs its digits, and how many of them are "
                       "after the point: DECIMAL(10,2)");
    }
    if (digits[0] < 1 || digits[0] > MOST_DIGITS) {
        return pq_fail(e, PQ_USAGE, "has from 1 to %d digits", MOST_DIGITS);
    }
    if (digits[1] > digits[0]) {
        return pq_fail(e, PQ_USAGE, "has more digits after the point than "
                       "there are");
    }
    type->precision = (int32_t)digits[0];
    type->scale = (int32_t)digits[1];
    return PQ_OK;
}

static bool take_unit(PqSlice s, PqUnit *out)
{
    static const struct { const char *word; PqUnit unit; } units[] = {
        {"MILLIS", PQ_MILLIS}, {"MICROS", PQ_MICROS}, {"NANOS", PQ_NANOS},
        {"MS", PQ_MILLIS},     {"US", PQ_MICROS},     {"NS", PQ_NANOS},
    };
    uint32_t digits;
    size_t i;

    for (i = 0; i < PQ_COUNT(units); i++) {
        if (is_word(s, units[i].word)) {
            *out = units[i].unit;
            return true;
        }
    }
    if (!take_number(s, &digits) || digits > 9) {
        return false;
    }
    *out = digits <= 3 ? PQ_MILLIS : digits <= 6 ? PQ_MICROS : PQ_NANOS;
    return true;
}

static PqRc time_arguments(PqSlice args, PqType *type, PqErr *e)
{
    do {
        PqSlice one = next_argument(&args);

        if (is_word(one, "UTC")) {
            type->utc = true;
        } else if (is_word(one, "FIXED") &&
                   type->logical == PQ_TYPE_TIMESTAMP) {
            type->physical = PQ_FIXED;
            type->fixed_length = PQ_TIME96_SIZE;
        } else if (!is_word(one, "LOCAL") && !take_unit(one, &type->unit)) {
            return pq_fail(e, PQ_USAGE, "takes MILLIS, MICROS, NANOS or a "
                           "number of digits, and UTC or LOCAL%s",
                           type->logical == PQ_TYPE_TIMESTAMP
                               ? ", and FIXED for 12 bytes instead of 8" : "");
        }
    } while (args.n > 0);
    if (type->logical == PQ_TYPE_TIME) {
        type->physical = type->unit == PQ_MILLIS ? PQ_INT32 : PQ_INT64;
    }
    return PQ_OK;
}

static PqRc length_argument(PqSlice args, PqType *type, PqErr *e)
{
    uint32_t n = 0;

    if (!take_numbers(args, &n, 1) || n == 0) {
        return pq_fail(e, PQ_USAGE, "takes a number of bytes: BLOB(16)");
    }
    type->physical = PQ_FIXED;
    type->fixed_length = n;
    return PQ_OK;
}

/* The last argument where it is one of the algorithms; a crs may hold commas. */
static PqRc edges_argument(PqSlice *args, PqType *type, PqErr *e)
{
    static const char *const algorithms[] = {"spherical", "vincenty", "thomas",
                                             "andoyer", "karney"};
    size_t n = args->n, i;
    PqSlice last;

    while (n > 0 && args->p[n - 1] != ',') {
        n--;
    }
    last = trimmed(pq_slice(args->p + n, args->n - n));
    for (i = 0; i < PQ_COUNT(algorithms); i++) {
        if (is_word(last, algorithms[i])) {
            type->algorithm = (int32_t)i;
            args->n = n ? n - 1 : 0;
            return PQ_OK;
        }
    }
    return n == 0 ? PQ_OK
                  : pq_fail(e, PQ_USAGE, "takes a coordinate system and one of "
                            "spherical, vincenty, thomas, andoyer, karney");
}

static PqRc crs_argument(PqSlice crs, PqArena *a, PqType *type, PqErr *e)
{
    crs = trimmed(crs);
    if (crs.n == 0 || pq_slice_is(crs, "OGC:CRS84")) {
        return PQ_OK;
    }
    type->crs = pq_arena_text(a, crs.p, crs.n, e);
    return type->crs ? PQ_OK : e->rc;
}

PqRc pqsql_type_arguments(const PqsqlTypeWord *word, PqSlice args, bool has,
                          PqArena *a, PqType *type, PqErr *e)
{
    uint32_t idle[2];

    if (word->args == PQSQL_ARGS_DIGITS) {
        return decimal_arguments(args, type, e);
    }
    if (!has) {
        return PQ_OK;
    }
    switch (word->args) {
    case PQSQL_ARGS_IDLE:
        return take_numbers(args, idle, 2)
                   ? PQ_OK : pq_fail(e, PQ_USAGE, "takes a number at most");
    case PQSQL_ARGS_LENGTH:
        return length_argument(args, type, e);
    case PQSQL_ARGS_TIME:
        return time_arguments(args, type, e);
    case PQSQL_ARGS_CRS_EDGES:
        PQ_TRY(edges_argument(&args, type, e));
        return crs_argument(args, a, type, e);
    case PQSQL_ARGS_CRS:
        return crs_argument(args, a, type, e);
    default:
        return pq_fail(e, PQ_USAGE, "takes nothing in parentheses");
    }
}
