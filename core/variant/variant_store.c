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
    uint8_t bytes[WIDE], *p;
    uint32_t n = type->physical == PQ_FIXED ? type->fixed_length : WIDE;

    pq_store_i128_be(bytes, v);
    if (n <= WIDE) {
        return store_bytes(pq_slice(bytes + (WIDE - n), n), a, slot, e);
    }
    p = pq_arena_bytes(a, (size_t)n + 1, e);
    if (!p) {
        return e->rc;
    }
    memset(p, v < 0 ? 0xff : 0, n - WIDE);
    memcpy(p + (n - WIDE), bytes, WIDE);
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

PqVariantKind pq_variant_kind_of(const PqType *t)
{
    static const PqVariantKind plain[] = {
        [PQ_BOOLEAN] = PQ_VARIANT_BOOL,   [PQ_INT32] = PQ_VARIANT_INT,
        [PQ_INT64] = PQ_VARIANT_INT,      [PQ_INT96] = PQ_VARIANT_UNKNOWN,
        [PQ_FLOAT] = PQ_VARIANT_FLOAT,    [PQ_DOUBLE] = PQ_VARIANT_DOUBLE,
        [PQ_BYTE_ARRAY] = PQ_VARIANT_BINARY, [PQ_FIXED] = PQ_VARIANT_UNKNOWN
    };

    switch (t->logical) {
    case PQ_TYPE_NONE:   return plain[t->physical];
    case PQ_TYPE_TIME:   return PQ_VARIANT_TIME;
    case PQ_TYPE_STRING: return PQ_VARIANT_STRING;
    case PQ_TYPE_DATE:   return PQ_VARIANT_DATE;
    case PQ_TYPE_UUID:   return PQ_VARIANT_UUID;
    case PQ_TYPE_UNKNOWN: return PQ_VARIANT_NULL;
    case PQ_TYPE_INT:
        return t->is_signed ? PQ_VARIANT_INT : PQ_VARIANT_UNKNOWN;
    case PQ_TYPE_DECIMAL:
        return t->precision <= MAX_SCALE ? PQ_VARIANT_DECIMAL
                                         : PQ_VARIANT_UNKNOWN;
    case PQ_TYPE_TIMESTAMP:
        return t->physical == PQ_INT64 ? PQ_VARIANT_TIMESTAMP
                                       : PQ_VARIANT_UNKNOWN;
    default: return PQ_VARIANT_UNKNOWN;
    }
}

/* Follows the table of shredded value types in VariantShredding.md.  Only this
** function says what a typed_value may be.
**
** QUIRK: a TIME should have no zone, but old annotations of it always do.  And
** UNKNOWN, always null, is harmless. */
bool pq_variant_has_type(const PqType *t)
{
    PqVariantKind kind = pq_variant_kind_of(t);

    return kind != PQ_VARIANT_UNKNOWN &&
           (kind != PQ_VARIANT_TIME || t->unit == PQ_MICROS) &&
           (kind != PQ_VARIANT_TIMESTAMP || t->unit != PQ_MILLIS);
}

unsigned pq_variant_int_bits(const PqType *t)
{
    return t->logical == PQ_TYPE_INT    ? t->bit_width
           : t->physical == PQ_INT32 ? 32 : 64;
}

static int64_t stored_int(const PqType *type, const void *stored)
{
    return type->physical == PQ_INT32 ? *(const int32_t *)stored
                                      : *(const int64_t *)stored;
}

static PqSlice stored_bytes(const PqType *type, const void *stored)
{
    const PqStr *s = stored;

    return type->physical == PQ_INT32   ? pq_slice(stored, 4)
           : type->physical == PQ_INT64 ? pq_slice(stored, 8)
                                        : pq_slice(s->p, s->n);
}

/* The width is the width of the physical type, as the specification says.  The
** precision is a claim: a value of more digits may follow. */
static bool of_decimal(const PqType *type, const void *stored,
                       PqVariantValue *out)
{
    out->scale = (uint8_t)type->scale;
    out->width = type->physical == PQ_INT32   ? 4
                 : type->physical == PQ_INT64 ? 8
                                              : WIDE;
    return pq_place_of(type, stored_bytes(type, stored), &out->u.decimal);
}

bool pq_variant_of_stored(const PqType *type, const void *stored,
                          PqVariantValue *out)
{
    *out = (PqVariantValue){.kind = pq_variant_kind_of(type)};
    if (!pq_variant_has_type(type)) {
        return false;
    }
    switch (out->kind) {
    case PQ_VARIANT_NULL:
        return true;
    case PQ_VARIANT_BOOL:
        out->u.b = *(const uint8_t *)stored != 0;
        return true;
    case PQ_VARIANT_FLOAT:
        out->u.f = *(const float *)stored;
        return true;
    case PQ_VARIANT_DOUBLE:
        out->u.d = *(const double *)stored;
        return true;
    case PQ_VARIANT_DECIMAL:
        return of_decimal(type, stored, out);
    case PQ_VARIANT_STRING:
    case PQ_VARIANT_BINARY:
    case PQ_VARIANT_UUID:
        out->bytes = stored_bytes(type, stored);
        return out->kind != PQ_VARIANT_UUID || out->bytes.n == 16;
    default:
        out->width = out->kind == PQ_VARIANT_INT
                         ? (uint8_t)(pq_variant_int_bits(type) / 8) : 0;
        out->unit = type->unit;
        out->utc = out->kind == PQ_VARIANT_TIMESTAMP && type->utc;
        out->u.i = stored_int(type, stored);
        return true;
    }
}
