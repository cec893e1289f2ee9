/*
** typed_value_takes.c - does a scalar typed_value take a value?
**
** The specification has one class of exact numbers: 7, and 700 with the scale 2.
** So a number may get the scale of a DECIMAL, if it loses no digit:
**
**   DECIMAL(4,2)   7 as 700   12.5 as 1250   not 100, nor 0.125
*/
#include "core/nested/typed_value_takes.h"

#include "core/text/number_text.h"
#include "core/variant/variant_cast.h"

void pq_variant_takes_init(PqVariantTakes *t, const PqType *type, bool named)
{
    *t = (PqVariantTakes){.type = type, .kind = pq_variant_kind_of(type),
                          .below = 1};
    t->any_number = named && t->kind == PQ_VARIANT_DOUBLE;
    for (int32_t i = 0; type->logical == PQ_TYPE_DECIMAL &&
                        i < type->precision; i++) {
        t->below *= 10;
    }
}

static bool in_range(const PqType *t, int64_t v)
{
    unsigned unused = 64 - pq_variant_int_bits(t);

    return (int64_t)((uint64_t)v << unused) >> unused == v;
}

/* An integer or a decimal as a number and its scale. */
static PqPlace exact(const PqVariantValue *v, int32_t *scale)
{
    *scale = v->kind == PQ_VARIANT_DECIMAL ? v->scale : 0;
    return v->kind == PQ_VARIANT_DECIMAL ? v->u.decimal : v->u.i;
}

static bool to_decimal(const PqVariantTakes *t, PqVariantValue *v)
{
    int32_t scale;
    PqPlace p = exact(v, &scale);

    for (; scale > t->type->scale; scale--, p /= 10) {
        if (p % 10 != 0) {
            return false;
        }
    }
    for (; scale < t->type->scale; scale++, p *= 10) {
        if (p >= t->below / 10 || p <= -(t->below / 10)) {
            return false;
        }
    }
    v->kind = PQ_VARIANT_DECIMAL;
    v->u.decimal = p;
    return p < t->below && p > -t->below;
}

/* The double that gives all digits back; up to 15 always come back. */
static bool to_double(PqVariantValue *v)
{
    const PqPlace most = INT64_C(999999999999999);
    int32_t scale;
    PqPlace p = exact(v, &scale);

    for (; scale > 0 && p % 10 == 0; scale--) {
        p /= 10;
    }
    v->kind = PQ_VARIANT_DOUBLE;
    v->u.d = pq_decimal_real_i128(p, scale);
    return p <= most && p >= -most;
}

static bool takes_exact(const PqVariantTakes *t, PqVariantValue *v)
{
    if (t->kind == PQ_VARIANT_DECIMAL) {
        return to_decimal(t, v);
    }
    if (t->any_number) {
        return to_double(v);
    }
    return v->kind == PQ_VARIANT_INT && t->kind == PQ_VARIANT_INT &&
           in_range(t->type, v->u.i);
}

bool pq_variant_takes(const PqVariantTakes *t, PqVariantValue *v)
{
    if (v->kind == PQ_VARIANT_INT || v->kind == PQ_VARIANT_DECIMAL) {
        return takes_exact(t, v);
    }
    return v->kind == t->kind &&
           (v->kind != PQ_VARIANT_TIMESTAMP ||
            (v->unit == t->type->unit && v->utc == t->type->utc));
}
