/*
** wire.h - the lowest layer of the compact protocol, for this folder only:
** types on the wire, varints, and skipping values.
**
** Each function reads from p and not beyond end.  It returns the first byte
** that it did not take, or NULL when it fails.
*/
#ifndef PQ_WIRE_H
#define PQ_WIRE_H

#include "core/base/bytes.h"

typedef enum PqWire {
    PQ_WIRE_STOP = 0,
    PQ_WIRE_TRUE = 1,              /* also the type of a list of booleans, */
    PQ_WIRE_FALSE = 2,             /* some writers use this one for that   */
    PQ_WIRE_I8 = 3,
    PQ_WIRE_I16 = 4,
    PQ_WIRE_I32 = 5,
    PQ_WIRE_I64 = 6,
    PQ_WIRE_DOUBLE = 7,
    PQ_WIRE_BINARY = 8,
    PQ_WIRE_LIST = 9,
    PQ_WIRE_SET = 10,
    PQ_WIRE_MAP = 11,
    PQ_WIRE_STRUCT = 12,
    PQ_WIRE_UUID = 13
} PqWire;

/* The long form of pq_wire_varint, for any number of bytes. */
const uint8_t *pq_wire_long_varint(const uint8_t *p, const uint8_t *end,
                                   uint64_t *out);

/* Eight bytes with seven bits each, the lowest first: puts these side by
** side. */
static inline uint64_t pq_wire_join_sevens(uint64_t v)
{
    v = (v & UINT64_C(0x007f007f007f007f)) |
        (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) |
        (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (v & UINT64_C(0x0fffffff)) |
           (v & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* NULL if the varint is cut off or wider than 64 bits. */
static inline const uint8_t *pq_wire_varint(const uint8_t *p,
                                            const uint8_t *end, uint64_t *out)
{
    if (PQ_LIKELY(p < end && *p < 0x80)) {
        *out = *p;
        return p + 1;
    }
    if (PQ_LIKELY(end - p >= 8)) {
        const uint64_t high = UINT64_C(0x8080808080808080);
        uint64_t v = pq_load_u64(p), last = ~v & high;

        if (PQ_LIKELY(last)) {       /* the high bit of its last byte */
            last &= 0 - last;
            *out = pq_wire_join_sevens(v & (last - 1) & ~high);
            return p + __builtin_ctzll(last) / 8 + 1;
        }
    }
    return pq_wire_long_varint(p, end, out);
}

static inline int64_t pq_wire_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (~(v & 1) + 1));
}

/* Skip the value of a field, or a struct with its stop byte.  On failure *why
** says what is wrong, as the rest of a sentence: "is cut off". */
const uint8_t *pq_wire_skip_field(const uint8_t *p, const uint8_t *end,
                                  int type, const char **why);
const uint8_t *pq_wire_skip_struct(const uint8_t *p, const uint8_t *end,
                                   const char **why);

#endif
