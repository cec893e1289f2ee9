/*
** compact_write.c - a C struct to bytes, by the rows of its table.
**
** Fields come in the order of the rows, so most ids take four bits: the
** distance from the last one.  Booleans are hard: a field has no value byte,
** because the wire type is the value, but in a list a boolean takes a byte.
*/
#include "core/thrift/compact.h"
#include "core/thrift/wire.h"

#include <assert.h>

static int wire_of(const PqThriftField *f)
{
    switch (f->kind & ~PQ_THRIFT_LIST) {
    case PQ_THRIFT_BOOL:
        return PQ_WIRE_TRUE;
    case PQ_THRIFT_INT:
        return f->size == 1   ? PQ_WIRE_I8
               : f->size == 2 ? PQ_WIRE_I16
               : f->size == 4 ? PQ_WIRE_I32
                              : PQ_WIRE_I64;
    case PQ_THRIFT_DOUBLE:
        return PQ_WIRE_DOUBLE;
    case PQ_THRIFT_BINARY:
    case PQ_THRIFT_TEXT:
        return PQ_WIRE_BINARY;
    default:
        return PQ_WIRE_STRUCT;
    }
}

static void write_zigzag(int64_t v, PqBuf *out)
{
    pq_buf_varint(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

int64_t pq_compact_int(const PqThriftField *f, const void *in)
{
    unsigned unused = 64 - 8u * f->size;
    int64_t v = 0;

    memcpy(&v, in, f->size);
    return (int64_t)((uint64_t)v << unused) >> unused;
}

static void write_value(const PqThriftField *f, const uint8_t *in, PqBuf *out)
{
    PqSlice s;

    switch (f->kind & ~PQ_THRIFT_LIST) {
    case PQ_THRIFT_BOOL:
        pq_buf_byte(out, *in ? PQ_WIRE_TRUE : PQ_WIRE_FALSE);
        break;
    case PQ_THRIFT_INT:
        if (f->size == 1) {
            pq_buf_byte(out, *in);
        } else {
            write_zigzag(pq_compact_int(f, in), out);
        }
        break;
    case PQ_THRIFT_DOUBLE:
        pq_buf_add(out, in, 8);
        break;
    case PQ_THRIFT_STRUCT:
        pq_compact_write(f->of, in, out);
        break;
    case PQ_THRIFT_RAW:
        memcpy(&s, in, sizeof s);
        pq_buf_add(out, s.p, s.n);
        break;
    default:
        memcpy(&s, in, sizeof s);
        pq_buf_varint(out, s.n);
        pq_buf_add(out, s.p, s.n);
    }
}

static void write_list(const PqThriftField *f, const uint8_t *in, PqBuf *out)
{
    const uint8_t *v;
    uint32_t n;

    memcpy(&v, in, sizeof v);
    memcpy(&n, in + sizeof v, sizeof n);
    if (n < 15) {
        pq_buf_byte(out, (uint8_t)(n << 4 | (unsigned)wire_of(f)));
    } else {
        pq_buf_byte(out, (uint8_t)(0xf0 | wire_of(f)));
        pq_buf_varint(out, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        write_value(f, v + (size_t)i * f->size, out);
    }
}

static void write_head(int id, int last, int wire, PqBuf *out)
{
    if (id - last <= 15) {
        pq_buf_byte(out, (uint8_t)((id - last) << 4 | wire));
    } else {
        pq_buf_byte(out, (uint8_t)wire);
        write_zigzag(id, out);
    }
}

void pq_compact_write(const PqThriftStruct *t, const void *in, PqBuf *out)
{
    const uint8_t *base = in;
    uint32_t has;
    int last = 0;

    memcpy(&has, in, sizeof has);
    for (uint32_t i = 0; i < t->n_fields; i++) {
        const PqThriftField *f = &t->fields[i];
        if (!(has >> f->id & 1)) {
            assert(!(f->flags & PQ_THRIFT_REQUIRED));
            continue;
        }
        if (f->kind & PQ_THRIFT_LIST) {
            write_head(f->id, last, PQ_WIRE_LIST, out);
            write_list(f, base + f->offset, out);
        } else if (f->kind == PQ_THRIFT_BOOL) {
            write_head(f->id, last,
                       base[f->offset] ? PQ_WIRE_TRUE : PQ_WIRE_FALSE, out);
        } else {
            write_head(f->id, last, wire_of(f), out);
            write_value(f, base + f->offset, out);
        }
        last = f->id;
    }
    pq_buf_byte(out, PQ_WIRE_STOP);
}
