/*
** iceberg_transform.c - bucket, truncate, year, month, day, hour.
*/
#include "core/lake/iceberg_transform.h"

#include "core/text/calendar.h"
#include "core/text/number_parse.h"

#include <stdio.h>

static const struct { const char *name; bool has_width; } transforms[] = {
    [PQ_ICEBERG_IDENTITY] = {"identity", false}, [PQ_ICEBERG_VOID] = {"void", false},
    [PQ_ICEBERG_BUCKET] = {"bucket", true}, [PQ_ICEBERG_TRUNCATE] = {"truncate", true},
    [PQ_ICEBERG_YEAR] = {"year", false}, [PQ_ICEBERG_MONTH] = {"month", false},
    [PQ_ICEBERG_DAY] = {"day", false}, [PQ_ICEBERG_HOUR] = {"hour", false},
};

static const char date_type[] = "{\"type\":\"int\",\"logicalType\":\"date\"}";

/* ---- types ------------------------------------------------------------------------------- */

static const char *source_type(const PqType *t)
{
    bool time = t->logical == PQ_TYPE_TIMESTAMP;

    return t->logical == PQ_TYPE_STRING ? "\"string\""
           : t->logical == PQ_TYPE_DATE ? date_type
           : t->logical == PQ_TYPE_TIME ? "{\"type\":\"long\",\"logicalType\":\"time-micros\"}"
           : time && t->unit == PQ_MICROS && t->utc
               ? "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":true}"
           : time && t->unit == PQ_MICROS
               ? "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":false}"
           : t->logical != PQ_TYPE_NONE ? NULL
           : t->physical == PQ_BOOLEAN  ? "\"boolean\""
           : t->physical == PQ_INT32    ? "\"int\""
           : t->physical == PQ_INT64    ? "\"long\"" : NULL;
}

const char *pq_iceberg_transform_type(const PqLakeBy *by)
{
    return by->transform == PQ_ICEBERG_IDENTITY || by->transform == PQ_ICEBERG_TRUNCATE
               ? source_type(&by->type)
           : by->transform == PQ_ICEBERG_DAY ? date_type : "\"int\"";
}

size_t pq_iceberg_transform_width(const PqLakeBy *by)
{
    bool is_source = by->transform == PQ_ICEBERG_IDENTITY || by->transform == PQ_ICEBERG_TRUNCATE;

    return !is_source                            ? 4
           : by->type.physical == PQ_BYTE_ARRAY ? 0
           : by->type.physical == PQ_BOOLEAN    ? 1
           : by->type.physical == PQ_INT32      ? 4 : 8;
}

static bool takes(PqIcebergTransform transform, const PqType *t)
{
    bool is_integer = (t->logical == PQ_TYPE_NONE || (t->logical == PQ_TYPE_INT && t->is_signed)) &&
                      (t->physical == PQ_INT32 || t->physical == PQ_INT64);
    bool is_time = t->logical == PQ_TYPE_TIMESTAMP && t->physical == PQ_INT64;

    switch (transform) {
    case PQ_ICEBERG_IDENTITY:
        return source_type(t) != NULL;
    case PQ_ICEBERG_VOID:
        return true;
    case PQ_ICEBERG_BUCKET:
        return is_integer || (is_time && t->unit != PQ_MILLIS) || t->logical == PQ_TYPE_DATE ||
               t->logical == PQ_TYPE_STRING || t->logical == PQ_TYPE_UUID ||
               (t->logical == PQ_TYPE_TIME && t->unit == PQ_MICROS) ||
               (t->logical == PQ_TYPE_DECIMAL && t->physical != PQ_BYTE_ARRAY) ||
               (t->logical == PQ_TYPE_NONE &&
                (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED));
    case PQ_ICEBERG_TRUNCATE:
        return is_integer || t->logical == PQ_TYPE_STRING;
    case PQ_ICEBERG_HOUR:
        return is_time;
    default:
        return is_time || t->logical == PQ_TYPE_DATE;
    }
}

const char *pq_iceberg_transform_name(PqIcebergTransform t)
{
    return transforms[t].name;
}

bool pq_iceberg_transform_find(PqSlice text, PqLakeBy *by)
{
    for (size_t i = 0; i < PQ_COUNT(transforms); i++) {
        size_t n = strlen(transforms[i].name);
        const uint8_t *at = text.p + n;
        int64_t width = 0;

        if (text.n < n || memcmp(text.p, transforms[i].name, n) != 0 ||
            (text.n == n) == transforms[i].has_width) {
            continue;
        }
        if (transforms[i].has_width &&
            (text.n < n + 3 || !(at[0] == '[' || at[0] == '(') ||
             text.p[text.n - 1] != (at[0] == '[' ? ']' : ')') ||
             pq_number_parse_i64(pq_slice(at + 1, text.n - n - 2), &width) != PQ_PARSE_OK ||
             width < 1 || width > INT32_MAX)) {
            return false;
        }
        by->transform = (PqIcebergTransform)i;
        by->width = (int32_t)width;
        return (transforms[i].has_width || text.n == n) && takes(by->transform, &by->type);
    }
    return false;
}

/* ---- bucket ------------------------------------------------------------------------------ */

static uint32_t turn(uint32_t v, int by)
{
    return v << by | v >> (32 - by);
}

uint32_t pq_murmur3(PqSlice v)
{
    const uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
    uint32_t h = 0, k = 0;
    size_t i, whole = v.n & ~(size_t)3;

    for (i = 0; i < whole; i += 4) {
        h ^= turn(pq_load_u32(v.p + i) * c1, 15) * c2;
        h = turn(h, 13) * 5 + 0xe6546b64;
    }
    for (i = v.n; i > whole; i--) {
        k = k << 8 | v.p[i - 1];
    }
    h ^= turn(k * c1, 15) * c2;
    h ^= (uint32_t)v.n;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return h ^ h >> 16;
}

static uint32_t hash_long(int64_t v)
{
    uint8_t bytes[8];

    pq_store_u64(bytes, (uint64_t)v);
    return pq_murmur3(pq_slice(bytes, sizeof bytes));
}

PqSlice pq_iceberg_decimal(const PqType *t, PqSlice v, uint8_t room[8])
{
    if (t->physical == PQ_INT32 || t->physical == PQ_INT64) {
        for (size_t i = 0; i < v.n && i < 8; i++) {
            room[i] = v.p[v.n - 1 - i];
        }
        v.p = room;
    }
    while (v.n > 1 && ((v.p[0] == 0 && v.p[1] < 0x80) || (v.p[0] == 0xff && v.p[1] >= 0x80))) {
        v = pq_slice(v.p + 1, v.n - 1);
    }
    return v;
}

static uint32_t hash(const PqType *t, PqSlice stored, int64_t i)
{
    uint8_t room[8];

    if (t->logical == PQ_TYPE_DECIMAL) {
        return pq_murmur3(pq_iceberg_decimal(t, stored, room));
    }
    if (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED) {
        return pq_murmur3(stored);
    }
    return hash_long(t->logical == PQ_TYPE_TIMESTAMP && t->unit == PQ_NANOS ? pq_floor_div(i, 1000)
                                                                            : i);
}

/* ---- the others -------------------------------------------------------------------------- */

static PqSlice first_characters(PqSlice v, int32_t most)
{
    size_t at = 0;

    for (; at < v.n && most > 0; most--) {
        at++;
        while (at < v.n && (v.p[at] & 0xc0) == 0x80) {
            at++;
        }
    }
    return pq_slice(v.p, at);
}

/* -1 and 10 are -10.  What is below the least value of the type wraps around, as in Java. */
static int64_t round_down(const PqLakeBy *by, int64_t v)
{
    int64_t over = (v % by->width + by->width) % by->width;

    v = (int64_t)((uint64_t)v - (uint64_t)over);
    return by->type.physical == PQ_INT32 ? (int32_t)(uint32_t)v : v;
}

static int64_t part_of_time(const PqLakeBy *by, int64_t v)
{
    bool is_date = by->type.logical == PQ_TYPE_DATE;
    int64_t seconds = is_date ? 0 : pq_floor_div(v, pq_unit_per_second(by->type.unit));
    int64_t days = is_date ? v : pq_floor_div(seconds, 86400);
    PqCivil c;

    if (by->transform == PQ_ICEBERG_HOUR) {
        return pq_floor_div(seconds, 3600);
    }
    if (by->transform == PQ_ICEBERG_DAY) {
        return days;
    }
    c = pq_civil_of(days);
    return by->transform == PQ_ICEBERG_YEAR ? c.year - 1970
                                            : 12 * (c.year - 1970) + c.month - 1;
}

PqIcebergValue pq_iceberg_transform(const PqLakeBy *by, PqSlice stored)
{
    const PqType *t = &by->type;
    bool has_bytes = t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED;
    int64_t i = has_bytes                    ? 0
                : t->physical == PQ_BOOLEAN ? stored.p[0] != 0
                : t->physical == PQ_INT32   ? (int32_t)pq_load_u32(stored.p)
                                             : (int64_t)pq_load_u64(stored.p);
    PqIcebergValue v = {.bytes = has_bytes ? stored : pq_slice(NULL, 0), .i = i};

    switch (by->transform) {
    case PQ_ICEBERG_IDENTITY:
    case PQ_ICEBERG_VOID:
        break;
    case PQ_ICEBERG_BUCKET:
        v = (PqIcebergValue){.i = (int64_t)(hash(t, stored, i) & INT32_MAX) % by->width};
        break;
    case PQ_ICEBERG_TRUNCATE:
        v.bytes = first_characters(v.bytes, by->width);
        v.i = round_down(by, i);
        break;
    default:
        v.i = part_of_time(by, i);
    }
    return v;
}

/* As PyIceberg and DuckDB call folders. */
static int print_value(const PqLakeBy *by, int64_t v, char *out)
{
    const size_t most = PQ_TIME_TEXT_ROOM;
    bool is_hour = by->transform == PQ_ICEBERG_HOUR, is_month = by->transform == PQ_ICEBERG_MONTH;
    int64_t days = is_hour ? pq_floor_div(v, 24) : v, hour = is_hour ? v - 24 * days : 0;
    PqCivil c;

    if (by->transform < PQ_ICEBERG_YEAR) {
        return snprintf(out, most, "%lld", (long long)v);
    }
    c = pq_civil_of(days);
    if (by->transform == PQ_ICEBERG_YEAR || is_month) {
        c.year = 1970 + (is_month ? pq_floor_div(v, 12) : v);
        c.month = (unsigned)(v - 12 * pq_floor_div(v, 12)) + 1;
    }
    switch (by->transform) {
    case PQ_ICEBERG_YEAR:
        return snprintf(out, most, by->on_calendar ? "%lld" : "%04lld", (long long)c.year);
    case PQ_ICEBERG_MONTH:
        return by->on_calendar ? snprintf(out, most, "%u", c.month)
                               : snprintf(out, most, "%04lld-%02u", (long long)c.year, c.month);
    case PQ_ICEBERG_DAY:
        return by->on_calendar ? snprintf(out, most, "%u", c.day)
                               : snprintf(out, most, "%04lld-%02u-%02u", (long long)c.year, c.month,
                                          c.day);
    default:
        return by->on_calendar ? snprintf(out, most, "%d", (int)hour)
                               : snprintf(out, most, "%04lld-%02u-%02u-%02d", (long long)c.year,
                                          c.month, c.day, (int)hour);
    }
}

PqRc pq_iceberg_transform_text(PqLakeBy *by, const PqCell *cell, const PqFillRules *rules,
                               PqSlice *out, PqErr *e)
{
    PqLeafBatch *b = &by->value;
    PqIcebergValue v;
    PqSlice stored;

    pq_leaf_batch_reset(b);
    PQ_TRY(pq_leaf_batch_reserve(b, 1, e));
    PQ_TRY(pq_leaf_fill_one(b, cell, rules, e));
    stored = pq_slice(b->values, pq_physical_width(by->type.physical));
    if (by->type.physical == PQ_BYTE_ARRAY || by->type.physical == PQ_FIXED) {
        stored = pq_slice(((const PqStr *)b->values)->p, ((const PqStr *)b->values)->n);
    }
    v = pq_iceberg_transform(by, stored);
    *out = pq_iceberg_transform_width(by)
               ? pq_slice(by->text, (size_t)print_value(by, v.i, by->text)) : v.bytes;
    return PQ_OK;
}
