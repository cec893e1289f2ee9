/*
** variant_store.c - values of a Variant as they are stored in a column of their
** type, and back.
**
** A column holds what decoder.h hands out: an int32_t, a double, a PqStr.  A
** DECIMAL is an integer in it, or bytes from the highest.
*/
#include "core/variant/variant_cast_inside.h"

enum { MAX_SCALE = 38, WIDE = 16 };

static PqRc store_bytes(PqSlice s, PqArena *a, PqStr *slot, PqErr *e)
{
    char *p = pq_arena_text(a, s.p, s.n, e);

    *slot = (PqStr){(const uint8_t *)p, (uint32_t)s.n};
    return p ? PQ_OK : e->rc;
}

static PqRc store_decimal(PqPlace v, const PqType *type, PqArena *a,
                          PqStr *slot, PqErr *e)
{
    uint8_t bytes[WIDE];
    PqSlice s = pq_cast_decimal_bytes(v, bytes);
    uint32_t n = type->physical == PQ_FIXED ? type->fixed_length : WIDE;
    uint8_t *p;

    if (n <= WIDE) {
        return store_bytes(pq_slice(s.p + (WIDE - n), n), a, slot, e);
    }
    p = pq_arena_bytes(a, (size_t)n + 1, e);
    if (!p) {
        return e->rc;
    }
    memset(p, v < 0 ? 0xff : 0, n - WIDE);
    memcpy(p + (n - WIDE), s.p, WIDE);
    p[n] = 0;
    *slot = (PqStr){p, n};
    return PQ_OK;
}

static int64_t integer_of(const PqVariantValue *v)
{
    return v->kind == PQ_VARIANT_BOOL      ? v->u.b
           : v->kind == PQ_VARIANT_DECIMAL ? (int64_t)v->u.decimal : v->u.i;
}

PqRc pq_variant_store(const PqVariantValue *v, const PqType *type, PqArena *a,
                      void *slot, PqErr *e)
{
    switch (type->physical) {
    case PQ_BOOLEAN:
        *(uint8_t *)slot = v->u.b;
        return PQ_OK;
    case PQ_INT32:
        *(int32_t *)slot = (int32_t)integer_of(v);
        return PQ_OK;
    case PQ_INT64:
        *(int64_t *)slot = integer_of(v);
        return PQ_OK;
    case PQ_FLOAT:
        *(float *)slot = v->u.f;
        return PQ_OK;
    case PQ_DOUBLE:
        *(double *)slot = v->u.d;
        return PQ_OK;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return v->kind == PQ_VARIANT_DECIMAL
                   ? store_decimal(v->u.decimal, type, a, slot, e)
                   : store_bytes(v->bytes, a, slot, e);
    default:
        return pq_fail(e, PQ_UNSUPPORTED, "a value of a Variant in an INT96");
    }
}

/* ---- back ---------------------------------------------------------------- */

static bool of_int(const PqType *type, int64_t i, PqVariantValue *out)
{
    out->kind = PQ_VARIANT_INT;
    out->u.i = i;
    out->width = type->logical == PQ_TYPE_INT ? (uint8_t)(type->bit_width / 8)
                 : type->physical == PQ_INT32 ? 4 : 8;
    return type->logical != PQ_TYPE_INT || type->is_signed;
}

static bool of_timestamp(const PqType *type, int64_t i, PqVariantValue *out)
{
    out->kind = type->logical == PQ_TYPE_TIME ? PQ_VARIANT_TIME
                                              : PQ_VARIANT_TIMESTAMP;
    out->unit = type->unit;
    out->u.i = i;
    if (type->logical == PQ_TYPE_TIME) {
        return type->unit == PQ_MICROS;
    }
    out->utc = type->utc;
    return type->unit != PQ_MILLIS && type->physical == PQ_INT64;
}

static bool of_integer(const PqType *type, int64_t i, PqVariantValue *out)
{
    switch (type->logical) {
    case PQ_TYPE_NONE:
    case PQ_TYPE_INT:
        return of_int(type, i, out);
    case PQ_TYPE_DATE:
        out->kind = PQ_VARIANT_DATE;
        out->u.i = i;
        return true;
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        return of_timestamp(type, i, out);
    default:
        return false;
    }
}

/* The width is that of the physical type, as the specification has it.  The
** precision is a claim: a value of more digits may follow. */
static bool of_decimal(const PqType *type, PqSlice plain, PqVariantValue *out)
{
    out->kind = PQ_VARIANT_DECIMAL;
    out->scale = (uint8_t)type->scale;
    out->width = type->physical == PQ_INT32   ? 4
                 : type->physical == PQ_INT64 ? 8
                                              : 16;
    return type->scale >= 0 && type->scale <= MAX_SCALE &&
           pq_place_of(type, plain, &out->u.decimal);
}

static bool of_bytes(const PqType *type, const PqStr *s, PqVariantValue *out)
{
    out->bytes = pq_slice(s->p, s->n);
    switch (type->logical) {
    case PQ_TYPE_NONE:
        out->kind = PQ_VARIANT_BINARY;
        return type->physical == PQ_BYTE_ARRAY;
    case PQ_TYPE_STRING:
        out->kind = PQ_VARIANT_STRING;
        return true;
    case PQ_TYPE_UUID:
        out->kind = PQ_VARIANT_UUID;
        return s->n == 16;
    case PQ_TYPE_DECIMAL:
        return of_decimal(type, out->bytes, out);
    default:
        return false;
    }
}

bool pq_variant_of_stored(const PqType *type, const void *stored,
                          PqVariantValue *out)
{
    *out = (PqVariantValue){0};
    switch (type->physical) {
    case PQ_BOOLEAN:
        out->kind = PQ_VARIANT_BOOL;
        out->u.b = *(const uint8_t *)stored != 0;
        return type->logical == PQ_TYPE_NONE;
    case PQ_INT32:
        return type->logical == PQ_TYPE_DECIMAL
                   ? of_decimal(type, pq_slice(stored, 4), out)
                   : of_integer(type, *(const int32_t *)stored, out);
    case PQ_INT64:
        return type->logical == PQ_TYPE_DECIMAL
                   ? of_decimal(type, pq_slice(stored, 8), out)
                   : of_integer(type, *(const int64_t *)stored, out);
    case PQ_FLOAT:
        out->kind = PQ_VARIANT_FLOAT;
        out->u.f = *(const float *)stored;
        return type->logical == PQ_TYPE_NONE;
    case PQ_DOUBLE:
        out->kind = PQ_VARIANT_DOUBLE;
        out->u.d = *(const double *)stored;
        return type->logical == PQ_TYPE_NONE;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return of_bytes(type, stored, out);
    default:
        return false;
    }
}
