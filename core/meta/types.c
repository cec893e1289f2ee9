/*
** types.c - what the values of a leaf mean.
**
** A schema element may have a LogicalType, a ConvertedType, both or none.  Both
** are read into the same PqType; then one table says which physical types a
** logical type can have.  If the type does not fit, the leaf has the bare
** physical type: guessing would show numbers that nobody wrote.
**
**   LogicalType known         it wins; a ConvertedType beside it is ignored
**   LogicalType not known     physical type: the ConvertedType beside it says
**                             less than the writer meant
**   LogicalType empty         ignored
**   ConvertedType alone       as the specification translates it
**
** Writing uses the same tables in the other direction.
*/
#include "core/meta/schema.h"
#include "core/text/utf8.h"

#include <math.h>

/* The greatest scale of a DECIMAL.  No writer has a greater one, and each value
** would be a page of zeros. */
enum { MAX_SCALE = 32767 };

enum {
    INT32_DIGITS = 9, INT64_DIGITS = 18,
    WIDE_BYTES = 16                  /* of 38 digits                         */
};

#define MAY(physical) (1u << (physical))
#define BYTES (MAY(PQ_BYTE_ARRAY) | MAY(PQ_FIXED))
#define INTS (MAY(PQ_INT32) | MAY(PQ_INT64))
#define ANY ((1u << PQ_PHYSICAL_COUNT) - 1)

/* length: the required length of a PQ_FIXED; 0: any.  stored: how it is written,
** if that does not depend on its parameters.  The specification allows text only
** on BYTE_ARRAY; on FIXED it is just as clear what is meant. */
static const struct {
    const char *name;
    uint32_t    physical, length;
    PqPhysical  stored;
} meaning[] = {
    [PQ_TYPE_NONE] = {"", ANY, 0, PQ_INT32},
    [PQ_TYPE_STRING] = {"STRING", BYTES, 0, PQ_BYTE_ARRAY},
    [PQ_TYPE_ENUM] = {"ENUM", BYTES, 0, PQ_BYTE_ARRAY},
    [PQ_TYPE_JSON] = {"JSON", BYTES, 0, PQ_BYTE_ARRAY},
    [PQ_TYPE_BSON] = {"BSON", BYTES, 0, PQ_BYTE_ARRAY},
    [PQ_TYPE_UUID] = {"UUID", MAY(PQ_FIXED), 16, PQ_FIXED},
    [PQ_TYPE_INT] = {"INT", INTS, 0, PQ_INT32},
    [PQ_TYPE_DECIMAL] = {"DECIMAL", INTS | BYTES, 0, PQ_INT32},
    [PQ_TYPE_DATE] = {"DATE", MAY(PQ_INT32), 0, PQ_INT32},
    [PQ_TYPE_TIME] = {"TIME", INTS, 0, PQ_INT64},
    [PQ_TYPE_TIMESTAMP] = {"TIMESTAMP", MAY(PQ_INT64) | MAY(PQ_FIXED), 0,
                           PQ_INT64},
    [PQ_TYPE_INTERVAL] = {"INTERVAL", MAY(PQ_FIXED), 12, PQ_FIXED},
    [PQ_TYPE_FLOAT16] = {"FLOAT16", MAY(PQ_FIXED), 2, PQ_FIXED},
    [PQ_TYPE_UNKNOWN] = {"UNKNOWN", ANY, 0, PQ_INT32},
    [PQ_TYPE_GEOMETRY] = {"GEOMETRY", MAY(PQ_BYTE_ARRAY), 0, PQ_BYTE_ARRAY},
    [PQ_TYPE_GEOGRAPHY] = {"GEOGRAPHY", MAY(PQ_BYTE_ARRAY), 0, PQ_BYTE_ARRAY},
};
_Static_assert(PQ_COUNT(meaning) == PQ_TYPE_COUNT, "one row per meaning");

/* The members of LogicalType; 0: there is none. */
static const uint8_t member_of[PQ_TYPE_COUNT] = {
    [PQ_TYPE_STRING] = PQ_LOGICAL_STRING, [PQ_TYPE_ENUM] = PQ_LOGICAL_ENUM,
    [PQ_TYPE_JSON] = PQ_LOGICAL_JSON, [PQ_TYPE_BSON] = PQ_LOGICAL_BSON,
    [PQ_TYPE_UUID] = PQ_LOGICAL_UUID, [PQ_TYPE_INT] = PQ_LOGICAL_INTEGER,
    [PQ_TYPE_DECIMAL] = PQ_LOGICAL_DECIMAL, [PQ_TYPE_DATE] = PQ_LOGICAL_DATE,
    [PQ_TYPE_TIME] = PQ_LOGICAL_TIME,
    [PQ_TYPE_TIMESTAMP] = PQ_LOGICAL_TIMESTAMP,
    [PQ_TYPE_FLOAT16] = PQ_LOGICAL_FLOAT16,
    [PQ_TYPE_UNKNOWN] = PQ_LOGICAL_UNKNOWN,
    [PQ_TYPE_GEOMETRY] = PQ_LOGICAL_GEOMETRY,
    [PQ_TYPE_GEOGRAPHY] = PQ_LOGICAL_GEOGRAPHY,
};

/* The deprecated annotations; groups have PQ_TYPE_NONE here. */
static const struct {
    PqLogical logical;
    uint8_t   bit_width;
    bool      is_signed;
    PqUnit    unit;
} converted[] = {
    [PQ_CONVERTED_UTF8] = {PQ_TYPE_STRING, 0, false, 0},
    [PQ_CONVERTED_ENUM] = {PQ_TYPE_ENUM, 0, false, 0},
    [PQ_CONVERTED_DECIMAL] = {PQ_TYPE_DECIMAL, 0, false, 0},
    [PQ_CONVERTED_DATE] = {PQ_TYPE_DATE, 0, false, 0},
    [PQ_CONVERTED_TIME_MILLIS] = {PQ_TYPE_TIME, 0, false, PQ_MILLIS},
    [PQ_CONVERTED_TIME_MICROS] = {PQ_TYPE_TIME, 0, false, PQ_MICROS},
    [PQ_CONVERTED_TIMESTAMP_MILLIS] = {PQ_TYPE_TIMESTAMP, 0, false, PQ_MILLIS},
    [PQ_CONVERTED_TIMESTAMP_MICROS] = {PQ_TYPE_TIMESTAMP, 0, false, PQ_MICROS},
    [PQ_CONVERTED_UINT_8] = {PQ_TYPE_INT, 8, false, 0},
    [PQ_CONVERTED_UINT_16] = {PQ_TYPE_INT, 16, false, 0},
    [PQ_CONVERTED_UINT_32] = {PQ_TYPE_INT, 32, false, 0},
    [PQ_CONVERTED_UINT_64] = {PQ_TYPE_INT, 64, false, 0},
    [PQ_CONVERTED_INT_8] = {PQ_TYPE_INT, 8, true, 0},
    [PQ_CONVERTED_INT_16] = {PQ_TYPE_INT, 16, true, 0},
    [PQ_CONVERTED_INT_32] = {PQ_TYPE_INT, 32, true, 0},
    [PQ_CONVERTED_INT_64] = {PQ_TYPE_INT, 64, true, 0},
    [PQ_CONVERTED_JSON] = {PQ_TYPE_JSON, 0, false, 0},
    [PQ_CONVERTED_BSON] = {PQ_TYPE_BSON, 0, false, 0},
    [PQ_CONVERTED_INTERVAL] = {PQ_TYPE_INTERVAL, 0, false, 0},
};

static const struct {
    int         member;              /* of TimeUnit */
    const char *name;
} units[] = {
    [PQ_MILLIS] = {PQ_TIME_UNIT_MILLIS, "MILLIS"},
    [PQ_MICROS] = {PQ_TIME_UNIT_MICROS, "MICROS"},
    [PQ_NANOS] = {PQ_TIME_UNIT_NANOS, "NANOS"},
};

static bool has_logical(const PqSchemaElement *el)
{
    return PQ_HAS(el, PQ_SCHEMA_LOGICAL) && el->logical_type.has != 0;
}

bool pq_type_is_annotated(const PqSchemaElement *el)
{
    return has_logical(el) || PQ_HAS(el, PQ_SCHEMA_CONVERTED);
}

static void from_time(const PqTimeType *time, PqType *t)
{
    for (unsigned i = 0; i < PQ_COUNT(units); i++) {
        if (PQ_HAS(&time->unit, units[i].member)) {
            t->unit = (PqUnit)i;
            t->utc = time->is_adjusted_to_utc;
            return;
        }
    }
    t->logical = PQ_TYPE_NONE;       /* an unknown unit */
}

static void from_geo(const PqGeoType *geo, PqArena *a, PqType *t, PqErr *e)
{
    if (PQ_HAS(geo, PQ_GEO_TYPE_CRS) && geo->crs.n) {
        t->crs = pq_utf8_text(a, geo->crs, e);
    }
    if (t->logical == PQ_TYPE_GEOGRAPHY &&
        PQ_HAS(geo, PQ_GEO_TYPE_ALGORITHM)) {
        t->algorithm = geo->algorithm;
    }
}

static void from_logical(const PqLogicalType *l, PqArena *a, PqType *t,
                         PqErr *e)
{
    for (unsigned i = 0; i < PQ_TYPE_COUNT; i++) {
        if (member_of[i] && PQ_HAS(l, member_of[i])) {
            t->logical = (PqLogical)i;
        }
    }
    switch (t->logical) {
    case PQ_TYPE_DECIMAL:
        t->precision = l->decimal.precision;
        t->scale = l->decimal.scale;
        break;
    case PQ_TYPE_INT:
        t->bit_width = (uint8_t)l->integer.bit_width;
        t->is_signed = l->integer.is_signed;
        break;
    case PQ_TYPE_TIME:
        from_time(&l->time, t);
        break;
    case PQ_TYPE_TIMESTAMP:
        from_time(&l->timestamp, t);
        break;
    case PQ_TYPE_GEOMETRY:
        from_geo(&l->geometry, a, t, e);
        break;
    case PQ_TYPE_GEOGRAPHY:
        from_geo(&l->geography, a, t, e);
        break;
    default:
        break;
    }
}

/* A TIMESTAMP in 12 bytes is newer than ConvertedType and has none. */
static void from_converted(const PqSchemaElement *el, PqType *t)
{
    int32_t c = el->converted_type;

    if (c < 0 || (size_t)c >= PQ_COUNT(converted) ||
        (converted[c].logical == PQ_TYPE_TIMESTAMP &&
         t->physical != PQ_INT64)) {
        return;
    }
    t->logical = converted[c].logical;
    t->bit_width = converted[c].bit_width;
    t->is_signed = converted[c].is_signed;
    t->unit = converted[c].unit;
    t->utc = t->logical == PQ_TYPE_TIME || t->logical == PQ_TYPE_TIMESTAMP;
    if (t->logical == PQ_TYPE_DECIMAL) {
        t->precision = PQ_HAS(el, PQ_SCHEMA_PRECISION) ? el->precision : 0;
        t->scale = PQ_HAS(el, PQ_SCHEMA_SCALE) ? el->scale : 0;
    }
}

static bool has_no_length(const PqType *t)
{
    return t->physical == PQ_FIXED && t->fixed_length == PQ_NO_LENGTH;
}

/* Are the parameters possible, and does the physical type fit?  A DECIMAL may
** claim more digits than its physical type can hold: that is harmless. */
static bool makes_sense(const PqType *t)
{
    if (!(meaning[t->logical].physical & MAY(t->physical)) ||
        has_no_length(t)) {
        return false;
    }
    if (meaning[t->logical].length &&
        meaning[t->logical].length != t->fixed_length) {
        return false;
    }
    switch (t->logical) {
    case PQ_TYPE_INT:
        return t->physical == PQ_INT64
                   ? t->bit_width == 64
                   : t->bit_width == 8 || t->bit_width == 16 ||
                         t->bit_width == 32;
    case PQ_TYPE_DECIMAL:
        return t->precision > 0 && t->scale >= 0 &&
               t->scale <= t->precision && t->scale <= MAX_SCALE;
    case PQ_TYPE_TIME:
        return (t->physical == PQ_INT32) == (t->unit == PQ_MILLIS);
    case PQ_TYPE_TIMESTAMP:
        return t->physical == PQ_INT64 || pq_type_is_time96(t);
    default:
        return true;
    }
}

static PqType bare(const PqSchemaElement *el)
{
    PqType t = {.physical = (PqPhysical)el->type};

    if (t.physical == PQ_FIXED) {
        t.fixed_length = PQ_HAS(el, PQ_SCHEMA_TYPE_LENGTH) &&
                                 el->type_length >= 0
                             ? (uint32_t)el->type_length
                             : PQ_NO_LENGTH;
    }
    return t;
}

PqType pq_type_of_element(const PqSchemaElement *el, PqArena *a, PqErr *e)
{
    PqType t = bare(el);

    if (has_logical(el)) {
        from_logical(&el->logical_type, a, &t, e);
    } else if (PQ_HAS(el, PQ_SCHEMA_CONVERTED)) {
        from_converted(el, &t);
    }
    return makes_sense(&t) ? t : bare(el);
}

/* ---- writing ---- */

#define HAS(field) (1u << (field))

static PqTimeType to_time(const PqType *t)
{
    return (PqTimeType){.has = HAS(PQ_TIME_TYPE_UTC) | HAS(PQ_TIME_TYPE_UNIT),
                        .is_adjusted_to_utc = t->utc,
                        .unit.has = HAS(units[t->unit].member)};
}

/* Defaults are left out, so that older readers see nothing new. */
static PqGeoType to_geo(const PqType *t)
{
    return (PqGeoType){.has = pq_has_if(t->crs, PQ_GEO_TYPE_CRS) |
                              pq_has_if(t->algorithm, PQ_GEO_TYPE_ALGORITHM),
                       .crs = pq_slice_text(t->crs),
                       .algorithm = t->algorithm};
}

/* INTERVAL and PQ_TYPE_NONE have no LogicalType: l->has is 0. */
static void to_logical(const PqType *t, PqLogicalType *l)
{
    l->has = pq_has_if(member_of[t->logical], member_of[t->logical]);
    switch (t->logical) {
    case PQ_TYPE_DECIMAL:
        l->decimal = (PqDecimalType){
            HAS(PQ_DECIMAL_SCALE) | HAS(PQ_DECIMAL_PRECISION), t->scale,
            t->precision};
        break;
    case PQ_TYPE_INT:
        l->integer = (PqIntType){
            HAS(PQ_INT_TYPE_BIT_WIDTH) | HAS(PQ_INT_TYPE_SIGNED),
            (int8_t)t->bit_width, t->is_signed};
        break;
    case PQ_TYPE_TIME:
        l->time = to_time(t);
        break;
    case PQ_TYPE_TIMESTAMP:
        l->timestamp = to_time(t);
        break;
    case PQ_TYPE_GEOMETRY:
        l->geometry = to_geo(t);
        break;
    case PQ_TYPE_GEOGRAPHY:
        l->geography = to_geo(t);
        break;
    default:
        break;
    }
}

/* A local TIME or TIMESTAMP gets the ConvertedType of one in UTC: the
** specification requires it, for readers that do not know the difference. */
static bool to_converted(const PqType *t, int32_t *out)
{
    if (pq_type_is_time96(t)) {
        return false;
    }
    for (size_t i = 0; t->logical && i < PQ_COUNT(converted); i++) {
        if (converted[i].logical == t->logical &&
            converted[i].bit_width == t->bit_width &&
            converted[i].is_signed == t->is_signed &&
            converted[i].unit == t->unit) {
            *out = (int32_t)i;
            return true;
        }
    }
    return false;
}

void pq_type_annotate(const PqType *t, PqSchemaElement *el)
{
    el->has |= HAS(PQ_SCHEMA_TYPE);
    el->type = (int32_t)t->physical;
    if (t->physical == PQ_FIXED) {
        el->has |= HAS(PQ_SCHEMA_TYPE_LENGTH);
        el->type_length = (int32_t)t->fixed_length;
    }
    to_logical(t, &el->logical_type);
    el->has |= pq_has_if(el->logical_type.has, PQ_SCHEMA_LOGICAL) |
               pq_has_if(to_converted(t, &el->converted_type),
                         PQ_SCHEMA_CONVERTED);
    if (t->logical == PQ_TYPE_DECIMAL) {
        el->has |= HAS(PQ_SCHEMA_SCALE) | HAS(PQ_SCHEMA_PRECISION);
        el->scale = t->scale;
        el->precision = t->precision;
    }
}

/* ---- storing ---- */

/* The bytes of a two's complement that 10^precision - 1 fits in.  A power of
** ten is never a power of two, and its logarithm is never so close to a whole
** number that rounding would matter. */
static uint32_t decimal_bytes(int32_t precision)
{
    uint32_t bits = (uint32_t)floor(precision * log2(10.0)) + 1;

    return (bits + 1 + 7) / 8;       /* and the sign */
}

static void set_decimal(PqType *t)
{
    t->physical = t->precision <= INT32_DIGITS   ? PQ_INT32
                  : t->precision <= INT64_DIGITS ? PQ_INT64
                                                 : PQ_FIXED;
    if (t->physical == PQ_FIXED) {
        t->fixed_length = decimal_bytes(t->precision);
    }
    /* QUIRK: DuckDB up to 1.5.6 reads more than 16 bytes in words of eight, and
    ** takes an incomplete last word for a whole one: the value is off by a
    ** power of 256.  It reads whole words correctly.  See
    ** test/interop/written_more.mjs. */
    if (t->fixed_length > WIDE_BYTES) {
        t->fixed_length = (t->fixed_length + 7) / 8 * 8;
    }
}

void pq_type_store(PqType *t)
{
    if (t->logical == PQ_TYPE_NONE || pq_type_is_time96(t)) {
        return;
    }
    t->physical = meaning[t->logical].stored;
    t->fixed_length = meaning[t->logical].length;
    if (t->logical == PQ_TYPE_DECIMAL) {
        set_decimal(t);
    } else if (t->logical == PQ_TYPE_INT && t->bit_width == 64) {
        t->physical = PQ_INT64;
    } else if (t->logical == PQ_TYPE_TIME && t->unit == PQ_MILLIS) {
        t->physical = PQ_INT32;
    }
}

bool pq_type_may_be_written(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:
    case PQ_TYPE_BSON:
        return t->physical == PQ_BYTE_ARRAY;
    case PQ_TYPE_DECIMAL:
        return t->physical == PQ_INT32   ? t->precision <= INT32_DIGITS
               : t->physical == PQ_INT64 ? t->precision <= INT64_DIGITS
               : t->physical == PQ_FIXED
                   ? decimal_bytes(t->precision) <= t->fixed_length
                   : true;
    default:
        return true;
    }
}

/* ---- questions ---- */

bool pq_type_equal(const PqType *a, const PqType *b)
{
    return a->physical == b->physical && a->fixed_length == b->fixed_length &&
           a->logical == b->logical && a->bit_width == b->bit_width &&
           a->is_signed == b->is_signed && a->utc == b->utc &&
           a->unit == b->unit && a->precision == b->precision &&
           a->scale == b->scale && a->algorithm == b->algorithm &&
           (a->crs == b->crs ||
            (a->crs && b->crs && strcmp(a->crs, b->crs) == 0));
}

bool pq_type_is_text(const PqType *t)
{
    return t->logical == PQ_TYPE_STRING || t->logical == PQ_TYPE_ENUM ||
           t->logical == PQ_TYPE_JSON;
}

bool pq_type_is_float(const PqType *t)
{
    return t->logical == PQ_TYPE_FLOAT16 ||
           (t->logical == PQ_TYPE_NONE &&
            (t->physical == PQ_FLOAT || t->physical == PQ_DOUBLE));
}

bool pq_type_is_instant(const PqType *t)
{
    return t->logical == PQ_TYPE_TIMESTAMP || t->physical == PQ_INT96;
}

bool pq_type_is_time96(const PqType *t)
{
    return t->logical == PQ_TYPE_TIMESTAMP && t->physical == PQ_FIXED &&
           t->fixed_length == PQ_TIME96_SIZE;
}

bool pq_type_is_unsigned(const PqType *t)
{
    return t->logical == PQ_TYPE_INT && !t->is_signed;
}

bool pq_type_is_geometry(const PqType *t)
{
    return t->logical == PQ_TYPE_GEOMETRY || t->logical == PQ_TYPE_GEOGRAPHY;
}

bool pq_type_is_u64(const PqType *t)
{
    return pq_type_is_unsigned(t) && t->bit_width == 64;
}

static void geo_text(const PqType *t, PqBuf *out)
{
    const char *edges = pq_format_edges_name(t->algorithm);

    pq_buf_printf(out, "(%s", t->crs ? t->crs : "OGC:CRS84");
    if (t->logical == PQ_TYPE_GEOGRAPHY) {
        if (edges) {
            pq_buf_printf(out, ",%s", edges);
        } else {
            pq_buf_printf(out, ",%d", (int)t->algorithm);
        }
    }
    pq_buf_text(out, ")");
}

void pq_type_text(const PqType *t, PqBuf *out)
{
    if (t->logical == PQ_TYPE_NONE) {
        pq_buf_text(out, pq_physical_name((int)t->physical));
        if (t->physical == PQ_FIXED && !has_no_length(t)) {
            pq_buf_printf(out, "(%u)", t->fixed_length);
        }
        return;
    }
    if (pq_type_is_unsigned(t)) {
        pq_buf_text(out, "U");
    }
    pq_buf_text(out, meaning[t->logical].name);
    switch (t->logical) {
    case PQ_TYPE_INT:
        pq_buf_printf(out, "%u", t->bit_width);
        break;
    case PQ_TYPE_DECIMAL:
        pq_buf_printf(out, "(%d,%d)", (int)t->precision, (int)t->scale);
        break;
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        pq_buf_printf(out, "(%s%s%s)", units[t->unit].name,
                      t->utc ? ",UTC" : "",
                      pq_type_is_time96(t) ? ",FIXED" : "");
        break;
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        geo_text(t, out);
        break;
    default:
        break;
    }
}
