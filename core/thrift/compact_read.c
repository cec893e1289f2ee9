/*
** compact_read.c - bytes to a C struct, by the rows of its table.
**
** Writers send fields in the order of their ids, which is the order of the
** rows.  So the search for a row goes on after the last one found.  Only a field
** with an id of its own, not a step from the last one, can be out of order: the
** search begins anew at it.  Recursion needs no limit here: it follows the
** tables, which are finite.  Skipping what has no row has a limit of its own.
*/
#include "core/thrift/compact.h"
#include "core/thrift/wire.h"

typedef struct Reader {
    const uint8_t *start, *p, *end;
    PqArena       *arena;
    PqErr         *e;
} Reader;

static PqRc read_struct(Reader *r, const PqThriftStruct *t, uint8_t *out);

static PQ_COLD PqRc broken(Reader *r, const PqThriftStruct *t,
                           const PqThriftField *f, const char *what)
{
    int64_t base = r->e->where.offset;
    PqRc rc;

    if (base >= 0) {
        r->e->where.offset = base + (r->p - r->start);
    }
    rc = pq_fail(r->e, PQ_CORRUPT, "%s%s%s %s", t->name, f ? "." : "",
                 f ? f->name : "", what);
    r->e->where.offset = base;
    return rc;
}

static bool wire_fits(int kind, int wire)
{
    switch (kind) {
    case PQ_THRIFT_BOOL:
        return wire == PQ_WIRE_TRUE || wire == PQ_WIRE_FALSE;
    case PQ_THRIFT_INT:
        return wire >= PQ_WIRE_I8 && wire <= PQ_WIRE_I64;
    case PQ_THRIFT_DOUBLE:
        return wire == PQ_WIRE_DOUBLE;
    case PQ_THRIFT_BINARY:
    case PQ_THRIFT_TEXT:
        return wire == PQ_WIRE_BINARY;
    default:
        return wire == PQ_WIRE_STRUCT;
    }
}

/* Has the field the type that its row expects?  The first byte of a list tells
** the type of its elements, which does not matter if the list is empty. */
PQ_INLINE bool field_fits(const Reader *r, const PqThriftField *f, int wire)
{
    if (!(f->kind & PQ_THRIFT_LIST)) {
        return wire_fits(f->kind, wire);
    }
    return wire == PQ_WIRE_LIST &&
           (r->p == r->end || *r->p >> 4 == 0 ||
            wire_fits(f->kind & ~PQ_THRIFT_LIST, *r->p & 15));
}

PQ_INLINE PqRc read_varint(Reader *r, const PqThriftStruct *t,
                        const PqThriftField *f, uint64_t *v)
{
    const uint8_t *p = pq_wire_varint(r->p, r->end, v);

    if (PQ_UNLIKELY(!p)) {
        return broken(r, t, f, "has a number that does not end");
    }
    r->p = p;
    return PQ_OK;
}

static inline bool fits(const PqThriftField *f, int64_t v)
{
    int bits = 8 * f->size - 1;

    return f->size == 8 || v >> bits == 0 || v >> bits == -1;
}

static inline void store(const PqThriftField *f, int64_t v, uint8_t *out)
{
    if (f->size == 8) {                       /* little-endian: low bytes */
        memcpy(out, &v, 8);
    } else if (f->size == 4) {
        memcpy(out, &v, 4);
    } else {
        memcpy(out, &v, f->size);
    }
}

PQ_INLINE PqRc read_int(Reader *r, const PqThriftStruct *t,
                     const PqThriftField *f, int wire, uint8_t *out)
{
    int64_t v;

    if (wire == PQ_WIRE_I8) {
        if (r->p == r->end) {
            return broken(r, t, f, "is cut off");
        }
        v = (int8_t)*r->p++;
    } else {
        uint64_t z;
        PQ_TRY(read_varint(r, t, f, &z));
        v = pq_wire_unzigzag(z);
    }
    if (PQ_UNLIKELY(!fits(f, v))) {
        return broken(r, t, f, "has a number that is too large");
    }
    store(f, v, out);
    return PQ_OK;
}

PQ_INLINE PqRc read_binary(Reader *r, const PqThriftStruct *t,
                        const PqThriftField *f, uint8_t *out)
{
    PqSlice s;
    uint64_t n;

    PQ_TRY(read_varint(r, t, f, &n));
    if (PQ_UNLIKELY(n > (uint64_t)(r->end - r->p))) {
        return broken(r, t, f, "is longer than its bytes");
    }
    s = pq_slice(r->p, (size_t)n);
    r->p += n;
    memcpy(out, &s, sizeof s);
    return PQ_OK;
}

static PqRc read_raw(Reader *r, const PqThriftField *f, uint8_t *out)
{
    const char *why;
    const uint8_t *p = pq_wire_skip_struct(r->p, r->end, &why);
    PqSlice s;

    if (PQ_UNLIKELY(!p)) {
        return broken(r, f->of, NULL, why);
    }
    s = pq_slice(r->p, (size_t)(p - r->p));
    r->p = p;
    memcpy(out, &s, sizeof s);
    return PQ_OK;
}

/* The value of a field or of a list's element.  Not for booleans, which are
** stored differently in fields and lists. */
PQ_INLINE PqRc read_value(Reader *r, const PqThriftStruct *t,
                       const PqThriftField *f, int wire, uint8_t *out)
{
    switch (f->kind & ~PQ_THRIFT_LIST) {
    case PQ_THRIFT_INT:
        return read_int(r, t, f, wire, out);
    case PQ_THRIFT_DOUBLE:
        if (r->end - r->p < 8) {
            return broken(r, t, f, "is cut off");
        }
        memcpy(out, r->p, 8);
        r->p += 8;
        return PQ_OK;
    case PQ_THRIFT_STRUCT:
        memset(out, 0, f->size);
        return read_struct(r, f->of, out);
    case PQ_THRIFT_RAW:
        return read_raw(r, f, out);
    default:
        return read_binary(r, t, f, out);
    }
}

/* Room for more elements: at first four times as many as fit into the bytes
** left, which is enough in most files; later twice as many as before. */
static uint8_t *more_room(Reader *r, const PqThriftField *f, const uint8_t *v,
                          uint32_t have, uint32_t want, uint32_t *room)
{
    size_t left = (size_t)(r->end - r->p), n;
    uint8_t *bigger;

    n = have ? (size_t)have * 2 : left / f->size * 4 + 8;
    n = n < want ? n : want;
    bigger = pq_arena_alloc(r->arena, n * f->size, r->e);
    if (bigger && have) {
        memcpy(bigger, v, (size_t)have * f->size);
    }
    *room = (uint32_t)n;
    return bigger;
}

/* Reads a struct of integers as most writers write it: every field, in order.
** NULL: it was written in another way, and read_struct has to read it. */
static const uint8_t *read_integers(const Reader *r, const PqThriftStruct *t,
                                    uint8_t *out)
{
    const uint8_t *p = r->p;
    uint32_t has = 0;
    uint8_t id = 0;

    for (uint32_t i = 0; i < t->n_fields; i++) {
        const PqThriftField *f = &t->fields[i];
        uint64_t z;

        if (p == r->end || *p >> 4 != f->id - id ||
            (*p & 15) < PQ_WIRE_I16 || (*p & 15) > PQ_WIRE_I64) {
            return NULL;
        }
        p = pq_wire_varint(p + 1, r->end, &z);
        if (!p || !fits(f, pq_wire_unzigzag(z))) {
            return NULL;
        }
        store(f, pq_wire_unzigzag(z), out + f->offset);
        has |= 1u << f->id;
        id = f->id;
    }
    if (p == r->end || *p != PQ_WIRE_STOP) {
        return NULL;
    }
    memcpy(out, &has, sizeof has);
    return p + 1;
}

static bool has_integers_only(const PqThriftField *f)
{
    bool all = f->kind == (PQ_THRIFT_STRUCT | PQ_THRIFT_LIST) &&
               !f->of->is_union;

    for (uint32_t i = 0; all && i < f->of->n_fields; i++) {
        all = f->of->fields[i].kind == PQ_THRIFT_INT;
    }
    return all;
}

/* Reads elements from *i on, as long as there is room and read_integers can. */
static void read_simple(Reader *r, const PqThriftField *f, uint8_t *v,
                        uint32_t room, uint32_t *i)
{
    for (; *i < room; ++*i) {
        const uint8_t *p = read_integers(r, f->of, v + (size_t)*i * f->size);

        if (!p) {
            return;
        }
        r->p = p;
    }
}

static PqRc read_elements(Reader *r, const PqThriftStruct *t,
                          const PqThriftField *f, int wire, uint32_t n,
                          uint8_t **out)
{
    bool simple = has_integers_only(f);
    uint8_t *v = NULL;
    uint32_t i, room = 0;

    for (i = 0; i < n; i++) {
        if (i == room) {
            v = more_room(r, f, v, i, n, &room);
            if (!v) {
                return r->e->rc;
            }
        }
        if (simple) {
            read_simple(r, f, v, room, &i);
            if (i == room) {
                i--;
                continue;
            }
        }
        if ((f->kind & ~PQ_THRIFT_LIST) == PQ_THRIFT_BOOL) {
            v[i] = *r->p++ == 1;           /* false is 2; some write 0 */
        } else {
            PQ_TRY(read_value(r, t, f, wire, v + (size_t)i * f->size));
        }
    }
    *out = v;
    return PQ_OK;
}

static PqRc read_list(Reader *r, const PqThriftStruct *t,
                      const PqThriftField *f, uint8_t *out)
{
    struct { uint8_t *v; uint32_t n; } list = {NULL, 0};
    uint64_t n;
    uint8_t head;

    if (r->p == r->end) {
        return broken(r, t, f, "is cut off");
    }
    head = *r->p++;
    n = head >> 4;
    if (n == 15) {
        PQ_TRY(read_varint(r, t, f, &n));
    }
    if (n > (uint64_t)(r->end - r->p) || n > UINT32_MAX) {
        return broken(r, t, f, "has more elements than bytes");
    }
    list.n = (uint32_t)n;
    PQ_TRY(read_elements(r, t, f, head & 15, list.n, &list.v));
    memcpy(out, &list.v, sizeof list.v);
    memcpy(out + sizeof list.v, &list.n, sizeof list.n);
    return PQ_OK;
}

PQ_INLINE PqRc read_field(Reader *r, const PqThriftStruct *t,
                       const PqThriftField *f, int wire, uint8_t *out)
{
    if (f->kind & PQ_THRIFT_LIST) {
        return read_list(r, t, f, out);
    }
    if (f->kind == PQ_THRIFT_BOOL) {
        *out = wire == PQ_WIRE_TRUE;
        return PQ_OK;
    }
    return read_value(r, t, f, wire, out);
}

/* Finds the row of a field by its id; NULL: the table has none.  The search begins at row *next,
** and *next becomes the row after the one found. */
PQ_INLINE const PqThriftField *find(const PqThriftStruct *t, int64_t id, unsigned *next)
{
    unsigned i = *next;

    while (i < t->n_fields && t->fields[i].id < id) {
        i++;
    }
    if (i == t->n_fields || t->fields[i].id != id) {
        return NULL;
    }
    *next = i + 1;
    return &t->fields[i];
}

/* The id of a field that does not follow the last one closely; it may be lower. */
static PqRc read_id(Reader *r, const PqThriftStruct *t, int64_t *id)
{
    uint64_t z;

    PQ_TRY(read_varint(r, t, NULL, &z));
    *id = pq_wire_unzigzag(z);
    return *id >= INT16_MIN && *id <= INT16_MAX
               ? PQ_OK
               : broken(r, t, NULL, "has a field number that is too large");
}

static PqRc check_absent(Reader *r, const PqThriftStruct *t, uint32_t has,
                         uint8_t *out)
{
    for (unsigned i = 0; i < t->n_fields; i++) {
        const PqThriftField *f = &t->fields[i];

        if (!f->flags || has >> f->id & 1) {
            continue;
        }
        if (f->flags & PQ_THRIFT_REQUIRED) {
            return broken(r, t, f, "is missing");
        }
        out[f->offset] = 1;                    /* PQ_THRIFT_TRUE */
    }
    return PQ_OK;
}

static PqRc read_struct(Reader *r, const PqThriftStruct *t, uint8_t *out)
{
    const PqThriftField *f;
    const char *why;
    unsigned next = 0;
    uint32_t has = 0;
    int64_t id = 0;

    for (;;) {
        uint32_t bit = 1u << PQ_THRIFT_UNKNOWN;
        int head, wire;

        if (PQ_UNLIKELY(r->p == r->end)) {
            return broken(r, t, NULL, "is cut off");
        }
        head = *r->p++;
        wire = head & 15;
        if (PQ_LIKELY(head >= 0x10)) {
            id += head >> 4;
        } else if (head == PQ_WIRE_STOP) {
            break;
        } else {
            PQ_TRY(read_id(r, t, &id));
            next = 0;
        }
        if (wire == PQ_WIRE_STOP) {
            return broken(r, t, NULL, "has a field of an unknown type");
        }
        f = find(t, id, &next);
        if (f && field_fits(r, f, wire)) {
            PQ_TRY(read_field(r, t, f, wire, out + f->offset));
            bit = 1u << f->id;
        } else {
            const uint8_t *p = pq_wire_skip_field(r->p, r->end, wire, &why);
            if (PQ_UNLIKELY(!p)) {
                return broken(r, t, f, why);
            }
            r->p = p;
        }
        has = t->is_union ? bit : has | bit;
    }
    memcpy(out, &has, sizeof has);
    return check_absent(r, t, has, out);
}

PqRc pq_compact_read(const PqThriftStruct *t, PqSlice *bytes, PqArena *a,
                     void *out, PqErr *e)
{
    const uint8_t *p = bytes->n ? bytes->p : (const uint8_t *)"";
    Reader r = {p, p, p + bytes->n, a, e};

    memset(out, 0, t->size);
    PQ_TRY(read_struct(&r, t, out));
    bytes->n = (size_t)(r.end - r.p);
    bytes->p = r.p;
    return PQ_OK;
}
