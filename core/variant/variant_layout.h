/*
** variant_layout.h - the primitive types of a Variant: one row per type.
**
** The number of a type is its index.  Whoever reads, writes or names a
** primitive value asks this table, so that a new type is a new row.
*/
#ifndef PQ_VARIANT_LAYOUT_H
#define PQ_VARIANT_LAYOUT_H

#include "core/variant/variant.h"

enum { PQ_VARIANT_PRIMITIVE, PQ_VARIANT_SHORT_STRING };  /* basic types */

typedef enum PqVariantPrimitive {
    PQ_VARIANT_TYPE_NULL, PQ_VARIANT_TYPE_TRUE, PQ_VARIANT_TYPE_FALSE,
    PQ_VARIANT_TYPE_INT8, PQ_VARIANT_TYPE_INT16, PQ_VARIANT_TYPE_INT32,
    PQ_VARIANT_TYPE_INT64, PQ_VARIANT_TYPE_DOUBLE, PQ_VARIANT_TYPE_DECIMAL4,
    PQ_VARIANT_TYPE_DECIMAL8, PQ_VARIANT_TYPE_DECIMAL16, PQ_VARIANT_TYPE_DATE,
    PQ_VARIANT_TYPE_TIMESTAMP, PQ_VARIANT_TYPE_TIMESTAMP_NTZ,
    PQ_VARIANT_TYPE_FLOAT, PQ_VARIANT_TYPE_BINARY, PQ_VARIANT_TYPE_STRING,
    PQ_VARIANT_TYPE_TIME, PQ_VARIANT_TYPE_TIMESTAMP_NANOS,
    PQ_VARIANT_TYPE_TIMESTAMP_NTZ_NANOS, PQ_VARIANT_TYPE_UUID,
    PQ_VARIANT_TYPES
} PqVariantPrimitive;

typedef struct PqVariantLayout {
    const char   *name;
    PqVariantKind kind;
    uint8_t       size;              /* bytes after the first; for BINARY and
                                     ** STRING, bytes of the length          */
    uint8_t       width;             /* INT, DECIMAL                         */
    bool          utc;               /* TIMESTAMP with a zone                */
    PqUnit        unit;              /* TIME, TIMESTAMP                      */
} PqVariantLayout;

extern const PqVariantLayout pq_variant_layout[PQ_VARIANT_TYPES];

/* The type of a primitive value.  PQ_VARIANT_TYPES: there is none, for example
** for a TIME of another unit.  An INT or a DECIMAL has a width. */
PqVariantPrimitive pq_variant_primitive_of(const PqVariantValue *v);

/* Is this the first byte of a primitive value of a type without a row? */
static inline bool pq_variant_is_unknown(uint8_t first)
{
    return (first & 3) == PQ_VARIANT_PRIMITIVE &&
           first >> 2 >= PQ_VARIANT_TYPES;
}

PqRc pq_variant_cut_off(size_t want, size_t have, PqErr *e);

/* pq_slice_take, but without a call if there is enough. */
static inline PqRc pq_variant_bytes(PqSlice *s, size_t n, PqSlice *out,
                                    PqErr *e)
{
    if (PQ_UNLIKELY(n > s->n)) {
        return pq_variant_cut_off(n, s->n, e);
    }
    if (PQ_UNLIKELY(n == 0)) {
        *out = pq_slice(s->p, 0);
        return PQ_OK;
    }
    *out = pq_slice(s->p, n);
    *s = pq_slice(s->p + n, s->n - n);
    return PQ_OK;
}

/* Number i of a list, little-endian, of size 1..4; the list was checked to have
** it. */
static inline uint32_t pq_variant_number(PqSlice list, uint32_t size,
                                         uint32_t i)
{
    const uint8_t *p = list.p + (size_t)i * size;
    uint32_t v = p[0];

    for (uint32_t k = 1; k < size; k++) {
        v |= (uint32_t)p[k] << (8 * k);
    }
    return v;
}

/* Writes a number of that size, and returns what comes after it. */
static inline uint8_t *pq_variant_put_number(uint8_t *to, uint32_t size,
                                             uint32_t v)
{
    for (uint32_t k = 0; k < size; k++) {
        *to++ = (uint8_t)(v >> (8 * k));
    }
    return to;
}

/* The least size that holds numbers up to most. */
static inline uint32_t pq_variant_width(uint64_t most)
{
    return most < 1u << 8 ? 1 : most < 1u << 16 ? 2 : most < 1u << 24 ? 3 : 4;
}

#endif
