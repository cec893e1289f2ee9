/*
** compact_skip.c - skips fields that have no row, and structs that are read
** later.
**
** Most of a footer is skipped when a file is opened, so this has to be fast.
** One byte per field decides, numbers are not decoded, and a number of one
** byte, as most are, costs a comparison.  What is skipped may be nested without
** end, so the depth is limited, and no count may exceed the bytes left.
*/
#include "core/thrift/compact.h"
#include "core/thrift/wire.h"

typedef struct Walk {
    const uint8_t *end;
    const char    *why;
} Walk;

static const uint8_t *skip_struct(Walk *w, const uint8_t *p, int depth);

const uint8_t *pq_wire_long_varint(const uint8_t *p, const uint8_t *end,
                                   uint64_t *out)
{
    uint64_t v = 0;
    int shift;

    for (shift = 0; p < end && shift < 64; shift += 7) {
        uint8_t c = *p++;
        if (shift == 63 && c > 1) {
            return NULL;
        }
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = v;
            return p;
        }
    }
    return NULL;
}

static PQ_COLD const uint8_t *malformed(Walk *w, const char *why)
{
    w->why = why;
    return NULL;
}

static inline const uint8_t *skip_bytes(Walk *w, const uint8_t *p, uint64_t n)
{
    if (PQ_UNLIKELY(n > (uint64_t)(w->end - p))) {
        return malformed(w, "is cut off");
    }
    return p + n;
}

static inline const uint8_t *skip_varint(Walk *w, const uint8_t *p)
{
    for (int i = 0; p < w->end && i < 10; i++) {
        if (*p++ < 0x80) {
            return p;
        }
    }
    return malformed(w, "has a number that does not end");
}

static inline const uint8_t *skip_binary(Walk *w, const uint8_t *p)
{
    uint64_t n;

    p = pq_wire_varint(p, w->end, &n);
    return p ? skip_bytes(w, p, n)
             : malformed(w, "has a number that does not end");
}

static const uint8_t *skip_varints(Walk *w, const uint8_t *p, uint64_t n)
{
    for (; n && p; n--) {
        p = skip_varint(w, p);
    }
    return p;
}

static const uint8_t *skip_binaries(Walk *w, const uint8_t *p, uint64_t n)
{
    for (; n && p; n--) {
        p = skip_binary(w, p);
    }
    return p;
}

static const uint8_t *skip_value(Walk *w, const uint8_t *p, int type, int depth);

/* n values of a list; booleans take a byte there. */
static const uint8_t *skip_elements(Walk *w, const uint8_t *p, int type,
                                    uint64_t n, int depth)
{
    if (n > (uint64_t)(w->end - p)) {
        return malformed(w, "has a list longer than its bytes");
    }
    switch (type) {
    case PQ_WIRE_TRUE:
    case PQ_WIRE_FALSE:
    case PQ_WIRE_I8:
        return p + n;
    case PQ_WIRE_I16:
    case PQ_WIRE_I32:
    case PQ_WIRE_I64:
        return skip_varints(w, p, n);
    case PQ_WIRE_DOUBLE:
        return skip_bytes(w, p, n * 8);
    case PQ_WIRE_UUID:
        return skip_bytes(w, p, n * 16);
    case PQ_WIRE_BINARY:
        return skip_binaries(w, p, n);
    case PQ_WIRE_LIST:
    case PQ_WIRE_SET:
    case PQ_WIRE_MAP:
    case PQ_WIRE_STRUCT:             /* skip_value adds its depth */
        depth += type != PQ_WIRE_STRUCT;
        for (; n && p; n--) {
            p = skip_value(w, p, type, depth);
        }
        return p;
    default:
        return n ? malformed(w, "has a list of an unknown type") : p;
    }
}

static const uint8_t *skip_list(Walk *w, const uint8_t *p, int depth)
{
    uint64_t n;
    uint8_t head;

    if (depth > PQ_THRIFT_DEPTH) {
        return malformed(w, "nests too deep");
    }
    if (p == w->end) {
        return malformed(w, "is cut off");
    }
    head = *p++;
    n = head >> 4;
    if (n == 15) {
        p = pq_wire_varint(p, w->end, &n);
        if (!p) {
            return malformed(w, "has a number that does not end");
        }
    }
    return skip_elements(w, p, head & 15, n, depth);
}

/* A varint n, and unless that is 0 a byte with two types, then n pairs. */
static const uint8_t *skip_map(Walk *w, const uint8_t *p, int depth)
{
    uint64_t n;
    uint8_t types;

    if (depth > PQ_THRIFT_DEPTH) {
        return malformed(w, "nests too deep");
    }
    p = pq_wire_varint(p, w->end, &n);
    if (!p || n == 0) {
        return p ? p : malformed(w, "has a number that does not end");
    }
    if (p == w->end) {
        return malformed(w, "is cut off");
    }
    types = *p++;
    for (; n && p; n--) {
        p = skip_elements(w, p, types >> 4, 1, depth);
        p = p ? skip_elements(w, p, types & 15, 1, depth) : NULL;
    }
    return p;
}

static inline const uint8_t *skip_value(Walk *w, const uint8_t *p, int type,
                                        int depth)
{
    switch (type) {
    case PQ_WIRE_TRUE:
    case PQ_WIRE_FALSE:
        return p;
    case PQ_WIRE_I8:
        return skip_bytes(w, p, 1);
    case PQ_WIRE_I16:
    case PQ_WIRE_I32:
    case PQ_WIRE_I64:
        return skip_varint(w, p);
    case PQ_WIRE_DOUBLE:
        return skip_bytes(w, p, 8);
    case PQ_WIRE_BINARY:
        return skip_binary(w, p);
    case PQ_WIRE_LIST:
    case PQ_WIRE_SET:
        return skip_list(w, p, depth);
    case PQ_WIRE_MAP:
        return skip_map(w, p, depth);
    case PQ_WIRE_STRUCT:
        return skip_struct(w, p, depth + 1);
    case PQ_WIRE_UUID:
        return skip_bytes(w, p, 16);
    default:
        return malformed(w, "has a field of an unknown type");
    }
}

static const uint8_t *skip_struct(Walk *w, const uint8_t *p, int depth)
{
    if (depth > PQ_THRIFT_DEPTH) {
        return malformed(w, "nests too deep");
    }
    while (p < w->end) {
        uint8_t head = *p++;
        if (head == 0) {
            return p;
        }
        if (head < 0x10) {                     /* a long id comes next */
            p = skip_varint(w, p);
        }
        p = p ? skip_value(w, p, head & 15, depth) : NULL;
        if (!p) {
            return NULL;
        }
    }
    return malformed(w, "is cut off");
}

const uint8_t *pq_wire_skip_field(const uint8_t *p, const uint8_t *end,
                                  int type, const char **why)
{
    Walk w = {end, NULL};

    p = skip_value(&w, p, type, 0);
    *why = w.why;
    return p;
}

const uint8_t *pq_wire_skip_struct(const uint8_t *p, const uint8_t *end,
                                   const char **why)
{
    Walk w = {end, NULL};

    p = skip_struct(&w, p, 0);
    *why = w.why;
    return p;
}
