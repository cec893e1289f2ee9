/*
** variant_json.c - prints a Variant value as JSON text.
**
** One pass over the value, depth first.  Each call takes what it prints from
** the front of its slice; nothing else is remembered.  The recursion is limited
** by PQ_VARIANT_MAX_DEPTH.
*/
#include "core/variant/json_scalar.h"
#include "core/variant/variant.h"

enum { PRIMITIVE = 0, SHORT_STRING = 1 };

typedef enum Primitive {
    V_NULL, V_TRUE, V_FALSE, V_INT8, V_INT16, V_INT32, V_INT64, V_DOUBLE,
    V_DECIMAL4, V_DECIMAL8, V_DECIMAL16, V_DATE, V_TIMESTAMP_UTC, V_TIMESTAMP,
    V_FLOAT, V_BINARY, V_STRING, V_TIME, V_TIMESTAMP_NANOS_UTC,
    V_TIMESTAMP_NANOS, V_UUID, V_COUNT
} Primitive;

/* Bytes after the first; for BINARY and STRING the bytes of the length. */
static const uint8_t fixed_size[V_COUNT] = {
    [V_INT8] = 1, [V_INT16] = 2, [V_INT32] = 4, [V_INT64] = 8, [V_DOUBLE] = 8,
    [V_DECIMAL4] = 1 + 4, [V_DECIMAL8] = 1 + 8, [V_DECIMAL16] = 1 + 16,
    [V_DATE] = 4, [V_TIMESTAMP_UTC] = 8, [V_TIMESTAMP] = 8, [V_FLOAT] = 4,
    [V_BINARY] = 4, [V_STRING] = 4, [V_TIME] = 8,
    [V_TIMESTAMP_NANOS_UTC] = 8, [V_TIMESTAMP_NANOS] = 8, [V_UUID] = 16
};

enum { MAX_SCALE = 38 };

/* p: the scale, then the unscaled value, n bytes little-endian. */
static PqRc print_decimal(const uint8_t *p, uint32_t n, PqBuf *out, PqErr *e)
{
    uint8_t be[16];
    uint32_t i;

    if (p[0] > MAX_SCALE) {
        return pq_fail(e, PQ_CORRUPT, "a Variant decimal of scale %d", p[0]);
    }
    for (i = 0; i < n; i++) {
        be[i] = p[n - i];
    }
    pq_decimal_text_bytes(pq_slice(be, n), p[0], out);
    return PQ_OK;
}

static void print_ieee(Primitive type, const uint8_t *p, PqBuf *out)
{
    if (type == V_FLOAT) {
        float v;
        memcpy(&v, p, sizeof v);
        pq_json_scalar_float(v, out);
    } else {
        double v;
        memcpy(&v, p, sizeof v);
        pq_json_scalar_double(v, out);
    }
}

static PqRc print_fixed(Primitive type, const uint8_t *p, PqBuf *out, PqErr *e)
{
    switch (type) {
    case V_NULL:
        pq_json_scalar_null(out);
        break;
    case V_TRUE:
    case V_FALSE:
        pq_json_scalar_bool(type == V_TRUE, out);
        break;
    case V_INT8:
        pq_json_scalar_i64((int8_t)p[0], out);
        break;
    case V_INT16:
        pq_json_scalar_i64((int16_t)pq_load_u16(p), out);
        break;
    case V_INT32:
        pq_json_scalar_i64((int32_t)pq_load_u32(p), out);
        break;
    case V_INT64:
        pq_json_scalar_i64((int64_t)pq_load_u64(p), out);
        break;
    case V_DECIMAL4:
    case V_DECIMAL8:
    case V_DECIMAL16:
        return print_decimal(p, fixed_size[type] - 1u, out, e);
    case V_DATE:
        pq_json_scalar_date((int32_t)pq_load_u32(p), out);
        break;
    case V_TIME:
        pq_json_scalar_time((int64_t)pq_load_u64(p), PQ_MICROS, out);
        break;
    case V_TIMESTAMP_UTC:
    case V_TIMESTAMP:
        pq_json_scalar_timestamp((int64_t)pq_load_u64(p), PQ_MICROS, out);
        break;
    case V_TIMESTAMP_NANOS_UTC:
    case V_TIMESTAMP_NANOS:
        pq_json_scalar_timestamp((int64_t)pq_load_u64(p), PQ_NANOS, out);
        break;
    case V_UUID:
        pq_json_scalar_uuid(p, out);
        break;
    default:
        print_ieee(type, p, out);
        break;
    }
    return PQ_OK;
}

void pq_variant_text(const PqVariantMeta *m, PqSlice text, PqBuf *out)
{
    if (m->malformed && !pq_utf8_valid(text)) {
        *m->malformed = true;
    }
    pq_json_text_string(text, out);
}

static PqRc print_primitive(const PqVariantMeta *m, uint8_t type,
                            PqSlice *value, PqBuf *out, PqErr *e)
{
    PqSlice body;

    if (type >= V_COUNT) {
        return pq_fail(e, PQ_UNSUPPORTED, "a Variant value of type %d", type);
    }
    PQ_TRY(pq_slice_take(value, fixed_size[type], &body, e));
    if (type != V_BINARY && type != V_STRING) {
        return print_fixed((Primitive)type, body.p, out, e);
    }
    PQ_TRY(pq_slice_take(value, pq_load_u32(body.p), &body, e));
    if (type == V_BINARY) {
        pq_json_scalar_hex(body, out);
    } else {
        pq_variant_text(m, body, out);
    }
    return PQ_OK;
}

static PqRc print_items(const PqVariantMeta *m, PqSlice *value, uint32_t depth,
                        PqBuf *out, PqErr *e)
{
    PqVariantItems items;
    PqSlice name = {NULL, 0};
    uint32_t i;

    PQ_TRY(pq_variant_items_open(value, &items, e));
    pq_json_scalar_byte(out, items.is_object ? '{' : '[');
    for (i = 0; i < items.n; i++) {
        if (i) {
            pq_json_scalar_byte(out, ',');
        }
        if (items.is_object) {
            PQ_TRY(pq_variant_items_name(m, &items, i, &name, e));
            pq_variant_text(m, name, out);
            pq_json_scalar_byte(out, ':');
        }
        PQ_TRY(pq_variant_items_json(m, &items, i, depth, out, e));
    }
    pq_json_scalar_byte(out, items.is_object ? '}' : ']');
    return PQ_OK;
}

PqRc pq_variant_json_take(const PqVariantMeta *m, PqSlice *value,
                          uint32_t depth, PqBuf *out, PqErr *e)
{
    PqSlice text;
    uint8_t first;

    if (!pq_buf_ok(out)) {           /* no room for any more */
        return out->sink->rc;
    }
    if (depth > PQ_VARIANT_MAX_DEPTH) {
        return pq_fail(e, PQ_UNSUPPORTED,
                       "a Variant nested more than %d levels deep",
                       PQ_VARIANT_MAX_DEPTH);
    }
    if (value->n == 0) {
        return pq_fail(e, PQ_CORRUPT, "a Variant value of no bytes");
    }
    first = value->p[0];
    if ((first & 3) > SHORT_STRING) {
        return print_items(m, value, depth, out, e);
    }
    PQ_TRY(pq_slice_u8(value, &first, e));
    if ((first & 3) == PRIMITIVE) {
        return print_primitive(m, first >> 2, value, out, e);
    }
    PQ_TRY(pq_slice_take(value, first >> 2, &text, e));
    pq_variant_text(m, text, out);
    return PQ_OK;
}
