/*
** compact_print.c - a C struct as a line of JSON, by the rows of its table.
**
**   {"type": "INT32", "name": "a", "logicalType": {"UNKNOWN": {}}}
**
** It is for people: binaries are hexadecimal ("0x00ff"), control characters in
** text are escaped, and numbers that JSON does not have are strings.
*/
#include "core/thrift/compact.h"

#include <math.h>

static void print_hex(PqSlice s, PqBuf *out)
{
    size_t i;

    pq_buf_text(out, "\"0x");
    for (i = 0; i < s.n; i++) {
        pq_buf_printf(out, "%02x", s.p[i]);
    }
    pq_buf_byte(out, '"');
}

static void print_text(PqSlice s, PqBuf *out)
{
    size_t i;

    pq_buf_byte(out, '"');
    for (i = 0; i < s.n; i++) {
        if (s.p[i] < 0x20 || s.p[i] == 0x7f) {
            pq_buf_printf(out, "\\u%04x", s.p[i]);
        } else {
            if (s.p[i] == '"' || s.p[i] == '\\') {
                pq_buf_byte(out, '\\');
            }
            pq_buf_byte(out, s.p[i]);
        }
    }
    pq_buf_byte(out, '"');
}

int64_t pq_compact_int(const PqThriftField *f, const void *in)
{
    int64_t v = 0;
    int unused = 64 - 8 * f->size;

    memcpy(&v, in, f->size);
    return (int64_t)((uint64_t)v << unused) >> unused;
}

static void print_int(const PqThriftField *f, const uint8_t *in, PqBuf *out)
{
    const char *label = NULL;
    int64_t v = pq_compact_int(f, in);

    if (f->label && v >= INT32_MIN && v <= INT32_MAX) {
        label = f->label((int)v);
    }
    if (label) {
        pq_buf_printf(out, "\"%s\"", label);
    } else {
        pq_buf_printf(out, "%lld", (long long)v);
    }
}

static void print_value(const PqThriftField *f, const uint8_t *in, PqBuf *out)
{
    PqSlice s;
    double d;

    switch (f->kind & ~PQ_THRIFT_LIST) {
    case PQ_THRIFT_BOOL:
        pq_buf_text(out, *in ? "true" : "false");
        break;
    case PQ_THRIFT_INT:
        print_int(f, in, out);
        break;
    case PQ_THRIFT_DOUBLE:
        memcpy(&d, in, sizeof d);
        pq_buf_printf(out, isfinite(d) ? "%.17g" : "\"%f\"", d);
        break;
    case PQ_THRIFT_STRUCT:
        pq_compact_print(f->of, in, out);
        break;
    case PQ_THRIFT_TEXT:
        memcpy(&s, in, sizeof s);
        print_text(s, out);
        break;
    default:
        memcpy(&s, in, sizeof s);
        print_hex(s, out);
    }
}

static void print_list(const PqThriftField *f, const uint8_t *in, PqBuf *out)
{
    const uint8_t *v;
    uint32_t n, i;

    memcpy(&v, in, sizeof v);
    memcpy(&n, in + sizeof v, sizeof n);
    if (f->kind == (PQ_THRIFT_LIST | PQ_THRIFT_RAW)) {
        pq_buf_printf(out, "\"%u x %s\"", n, f->of->name);
        return;
    }
    pq_buf_byte(out, '[');
    for (i = 0; i < n; i++) {
        pq_buf_text(out, i ? ", " : "");
        print_value(f, v + (size_t)i * f->size, out);
    }
    pq_buf_byte(out, ']');
}

void pq_compact_print(const PqThriftStruct *t, const void *in, PqBuf *out)
{
    const uint8_t *base = in;
    const char *comma = "";
    uint32_t has, i;

    memcpy(&has, in, sizeof has);
    pq_buf_byte(out, '{');
    for (i = 0; i < t->n_fields; i++) {
        const PqThriftField *f = &t->fields[i];
        if (!(has >> f->id & 1)) {
            continue;
        }
        pq_buf_printf(out, "%s\"%s\": ", comma, f->name);
        if (f->kind & PQ_THRIFT_LIST) {
            print_list(f, base + f->offset, out);
        } else {
            print_value(f, base + f->offset, out);
        }
        comma = ", ";
    }
    pq_buf_byte(out, '}');
}
