/*
** rank.h - maps values to integers that have the same order.
**
** A writer compares millions of values, always within one column.  So the order
** (stats.h) is decided once per column, and each value becomes its rank, a
** signed integer:
**
**   INT32, INT64, BOOLEAN      the value                      -5  ->  -5
**   unsigned                   the top bit inverted     ffffffff  ->  7fffffff
**   FLOAT, DOUBLE, FLOAT16     the bits; below the sign bit inverted where it
**                              is set             -0.0, 80000000  ->  -1
**                                                  0.0, 00000000  ->  0
**                                                 -1.0, bf800000  ->  -3f800001
**
** Floats are ranked in IEEE 754's total order.  That order is the same as by
** value, except that -0.0 is less than 0.0, and a NaN is beyond the infinity of
** its sign.  Texts and bytes have a rank only by their first eight bytes; if
** these are equal, the bytes are compared.
*/
#ifndef PQ_RANK_H
#define PQ_RANK_H

#include "core/meta/stats.h"

typedef enum PqRankKind {
    PQ_RANK_NONE,                    /* there is no order                    */
    PQ_RANK_BOOL,
    PQ_RANK_I32, PQ_RANK_U32, PQ_RANK_F32,
    PQ_RANK_I64, PQ_RANK_U64, PQ_RANK_F64,
    PQ_RANK_F16,
    PQ_RANK_BYTES,                   /* unsigned bytes                       */
    PQ_RANK_SIGNED_BYTES,            /* two's complement, all of one length  */
    PQ_RANK_ORDERED                  /* compared by pq_order_compare only:
                                     ** two's complement of any length, and
                                     ** little-endian                        */
} PqRankKind;

static inline PqRankKind pq_rank_kind(const PqType *t)
{
    bool u = pq_type_is_unsigned(t);

    switch (pq_order_of_type(t)) {
    case PQ_ORDER_NONE:
        return PQ_RANK_NONE;
    case PQ_ORDER_BYTES:
        return PQ_RANK_BYTES;
    case PQ_ORDER_SIGNED_BYTES:
        return t->physical == PQ_FIXED ? PQ_RANK_SIGNED_BYTES
                                       : PQ_RANK_ORDERED;
    case PQ_ORDER_SIGNED_LITTLE:
        return PQ_RANK_ORDERED;
    default:
        break;
    }
    switch (t->physical) {
    case PQ_BOOLEAN:
        return PQ_RANK_BOOL;
    case PQ_INT32:
        return u ? PQ_RANK_U32 : PQ_RANK_I32;
    case PQ_INT64:
        return u ? PQ_RANK_U64 : PQ_RANK_I64;
    case PQ_FLOAT:
        return PQ_RANK_F32;
    case PQ_DOUBLE:
        return PQ_RANK_F64;
    default:
        return PQ_RANK_F16;
    }
}

/* Are values PqStr, compared by their bytes? */
static inline bool pq_rank_is_bytes(PqRankKind k)
{
    return k >= PQ_RANK_BYTES;
}

/* Each is its own inverse: it also maps a rank to the value. */
static inline int32_t pq_rank_f32(int32_t bits)
{
    return bits ^ (bits < 0 ? INT32_MAX : 0);
}

static inline int64_t pq_rank_f64(int64_t bits)
{
    return bits ^ (bits < 0 ? INT64_MAX : 0);
}

static inline int64_t pq_rank_f16(uint16_t bits)
{
    int16_t v = (int16_t)bits;

    return v ^ (v < 0 ? INT16_MAX : 0);
}

static inline int32_t pq_rank_u32(uint32_t v)
{
    return (int32_t)(v ^ (uint32_t)1 << 31);
}

static inline int64_t pq_rank_u64(uint64_t v)
{
    return (int64_t)(v ^ (uint64_t)1 << 63);
}

/* The rank of value i, of a kind that is not bytes. */
static inline int64_t pq_rank_at(PqRankKind k, const void *values, size_t i)
{
    switch (k) {
    case PQ_RANK_BOOL:
        return ((const uint8_t *)values)[i];
    case PQ_RANK_I32:
        return ((const int32_t *)values)[i];
    case PQ_RANK_U32:
        return pq_rank_u32(((const uint32_t *)values)[i]);
    case PQ_RANK_F32:
        return pq_rank_f32(((const int32_t *)values)[i]);
    case PQ_RANK_U64:
        return pq_rank_u64(((const uint64_t *)values)[i]);
    case PQ_RANK_F64:
        return pq_rank_f64(((const int64_t *)values)[i]);
    case PQ_RANK_F16:
        return pq_rank_f16(pq_load_u16(((const PqStr *)values)[i].p));
    default:
        return ((const int64_t *)values)[i];
    }
}

/* The rank of infinity; the greatest rank for kinds without NaN. */
static inline int64_t pq_rank_infinity(PqRankKind k)
{
    return k == PQ_RANK_F16   ? 0x7c00
           : k == PQ_RANK_F32 ? 0x7f800000
           : k == PQ_RANK_F64 ? 0x7ff0000000000000
                              : INT64_MAX;
}

static inline bool pq_rank_is_nan(int64_t rank, int64_t infinity)
{
    return rank > infinity || rank < ~infinity;
}

/* The bits to invert in prefixes before they are compared. */
static inline uint64_t pq_rank_flip(PqRankKind k)
{
    return k == PQ_RANK_SIGNED_BYTES ? (uint64_t)1 << 63 : 0;
}

static inline int pq_rank_compare_bytes(PqRankKind k, const PqType *t,
                                        PqStr a, PqStr b)
{
    uint64_t flip = pq_rank_flip(k);
    uint64_t x = pq_str_prefix(a) ^ flip, y = pq_str_prefix(b) ^ flip;
    PqSlice left = {a.p, a.n}, right = {b.p, b.n};

    if (k == PQ_RANK_ORDERED) {
        return pq_order_compare(pq_order_of_type(t), t, left, right);
    }
    return x != y ? (x > y) - (x < y) : pq_slice_compare(left, right);
}

#endif
