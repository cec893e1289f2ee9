/*
** variant_value.c - reads one value, and checks whole ones.
**
** A value says how long it is, with one exception: a primitive type that the
** specification does not have yet.  Such a value is whatever lies between its
** first byte and the next item of its container, or the end.  So it is shown
** and skipped without being understood, and its neighbours are read as usual.
*/
#include "core/variant/variant_layout.h"

enum { MAX_SCALE = 38 };

#define TYPE(name, ...) {name, __VA_ARGS__}

const PqVariantLayout pq_variant_layout[PQ_VARIANT_TYPES] = {
    TYPE("null",             PQ_VARIANT_NULL,      0,  0, false, 0),
    TYPE("boolean",          PQ_VARIANT_BOOL,      0,  0, false, 0),
    TYPE("boolean",          PQ_VARIANT_BOOL,      0,  0, false, 0),
    TYPE("int8",             PQ_VARIANT_INT,       1,  1, false, 0),
    TYPE("int16",            PQ_VARIANT_INT,       2,  2, false, 0),
    TYPE("int32",            PQ_VARIANT_INT,       4,  4, false, 0),
    TYPE("int64",            PQ_VARIANT_INT,       8,  8, false, 0),
    TYPE("double",           PQ_VARIANT_DOUBLE,    8,  0, false, 0),
    TYPE("decimal4",         PQ_VARIANT_DECIMAL,   5,  4, false, 0),
    TYPE("decimal8",         PQ_VARIANT_DECIMAL,   9,  8, false, 0),
    TYPE("decimal16",        PQ_VARIANT_DECIMAL,  17, 16, false, 0),
    TYPE("date",             PQ_VARIANT_DATE,      4,  0, false, 0),
    TYPE("timestamp",        PQ_VARIANT_TIMESTAMP, 8,  0, true,  PQ_MICROS),
    TYPE("timestamp_ntz",    PQ_VARIANT_TIMESTAMP, 8,  0, false, PQ_MICROS),
    TYPE("float",            PQ_VARIANT_FLOAT,     4,  0, false, 0),
    TYPE("binary",           PQ_VARIANT_BINARY,    4,  0, false, 0),
    TYPE("string",           PQ_VARIANT_STRING,    4,  0, false, 0),
    TYPE("time",             PQ_VARIANT_TIME,      8,  0, false, PQ_MICROS),
    TYPE("timestamp_ns",     PQ_VARIANT_TIMESTAMP, 8,  0, true,  PQ_NANOS),
    TYPE("timestamp_ntz_ns", PQ_VARIANT_TIMESTAMP, 8,  0, false, PQ_NANOS),
    TYPE("uuid",             PQ_VARIANT_UUID,     16,  0, false, 0),
};

PqVariantPrimitive pq_variant_primitive_of(const PqVariantValue *v)
{
    uint32_t type;

    if (v->kind == PQ_VARIANT_BOOL) {
        return v->u.b ? PQ_VARIANT_TYPE_TRUE : PQ_VARIANT_TYPE_FALSE;
    }
    for (type = 0; type < PQ_VARIANT_TYPES; type++) {
        const PqVariantLayout *l = &pq_variant_layout[type];
        bool zoned = l->kind == PQ_VARIANT_TIMESTAMP;
        bool timed = zoned || l->kind == PQ_VARIANT_TIME;
        if (l->kind == v->kind && (!l->width || l->width == v->width) &&
            (!timed || l->unit == v->unit) && (!zoned || l->utc == v->utc)) {
            break;
        }
    }
    return (PqVariantPrimitive)type;
}

/* ---- one value ----------------------------------------------------------- */

/* p: the scale, then the unscaled value, little-endian. */
static PqRc read_decimal(const uint8_t *p, PqVariantValue *out, PqErr *e)
{
    if (p[0] > MAX_SCALE) {
        return pq_fail(e, PQ_CORRUPT, "a Variant decimal of scale %d", p[0]);
    }
    out->scale = p[0];
    if (out->width == 4) {
        out->u.decimal = (int32_t)pq_load_u32(p + 1);
    } else if (out->width == 8) {
        out->u.decimal = (int64_t)pq_load_u64(p + 1);
    } else {
        out->u.decimal = (int64_t)pq_load_u64(p + 9);
        out->u.decimal = out->u.decimal * 4294967296 * 4294967296 +
                         (PqPlace)pq_load_u64(p + 1);
    }
    return PQ_OK;
}

static int64_t read_int(const uint8_t *p, uint32_t n)
{
    switch (n) {
    case 1:  return (int8_t)p[0];
    case 2:  return (int16_t)pq_load_u16(p);
    case 4:  return (int32_t)pq_load_u32(p);
    default: return (int64_t)pq_load_u64(p);
    }
}

/* Takes what follows the first byte. */
static PqRc take_primitive(uint8_t type, PqSlice *value, PqVariantValue *out,
                           PqErr *e)
{
    const PqVariantLayout *l = &pq_variant_layout[type];
    PqSlice body;

    PQ_TRY(pq_variant_bytes(value, l->size, &body, e));
    *out = (PqVariantValue){.kind = l->kind, .width = l->width, .utc = l->utc,
                            .unit = l->unit};
    switch (l->kind) {
    case PQ_VARIANT_BOOL:
        out->u.b = type == PQ_VARIANT_TYPE_TRUE;
        return PQ_OK;
    case PQ_VARIANT_INT:
    case PQ_VARIANT_DATE:
    case PQ_VARIANT_TIME:
    case PQ_VARIANT_TIMESTAMP:
        out->u.i = read_int(body.p, l->size);
        return PQ_OK;
    case PQ_VARIANT_FLOAT:
        memcpy(&out->u.f, body.p, sizeof out->u.f);
        return PQ_OK;
    case PQ_VARIANT_DOUBLE:
        memcpy(&out->u.d, body.p, sizeof out->u.d);
        return PQ_OK;
    case PQ_VARIANT_DECIMAL:
        return read_decimal(body.p, out, e);
    case PQ_VARIANT_BINARY:
    case PQ_VARIANT_STRING:
        return pq_variant_bytes(value, pq_load_u32(body.p), &out->bytes, e);
    case PQ_VARIANT_UUID:
        out->bytes = body;
        return PQ_OK;
    default:
        return PQ_OK;
    }
}

/* The whole object or array. */
static PqRc take_items(PqSlice *value, PqVariantValue *out, PqErr *e)
{
    const uint8_t *from = value->p;
    PqVariantItems items;

    PQ_TRY(pq_variant_items_open(value, &items, e));
    *out = (PqVariantValue){.kind = items.is_object ? PQ_VARIANT_OBJECT
                                                    : PQ_VARIANT_ARRAY};
    out->bytes = pq_slice(from, (size_t)(items.values.p + items.values.n -
                                         from));
    return PQ_OK;
}

PqRc pq_variant_value_take(PqSlice *value, PqVariantValue *out, PqErr *e)
{
    uint8_t first;

    if (PQ_UNLIKELY(value->n == 0)) {
        return pq_fail(e, PQ_CORRUPT, "a Variant value of no bytes");
    }
    first = value->p[0];
    if ((first & 3) > PQ_VARIANT_SHORT_STRING) {
        return take_items(value, out, e);
    }
    if (PQ_UNLIKELY(pq_variant_is_unknown(first))) {
        *out = (PqVariantValue){.kind = PQ_VARIANT_UNKNOWN, .bytes = *value};
        out->type = first >> 2;
        *value = pq_slice(value->p + value->n, 0);
        return PQ_OK;
    }
    *value = pq_slice(value->p + 1, value->n - 1);
    if ((first & 3) == PQ_VARIANT_PRIMITIVE) {
        return take_primitive(first >> 2, value, out, e);
    }
    out->kind = PQ_VARIANT_STRING;
    return pq_variant_bytes(value, first >> 2, &out->bytes, e);
}

PqRc pq_variant_value_read(PqSlice value, PqVariantValue *out, PqErr *e)
{
    return pq_variant_value_take(&value, out, e);
}

/* ---- whole values -------------------------------------------------------- */

/* A small value can have a long name a million times, so a name is checked in
** constant time.  All names together are UTF-8, and this name lies within them
** and begins and ends between two characters. */
static PqSlice all_names(const PqVariantMeta *m)
{
    uint32_t end = m->n_names ? pq_variant_number(m->offsets, m->offset_size,
                                                  m->n_names) : 0;

    return pq_slice(m->names.p, end < m->names.n ? end : m->names.n);
}

static void note_name(const PqVariantMeta *m, PqSlice name)
{
    PqSlice all = all_names(m);
    size_t at = (size_t)(name.p - all.p), end = at + name.n;

    if (m->malformed && name.n &&
        (end > all.n || (name.p[0] & 0xc0) == 0x80 ||
         (end < all.n && (all.p[end] & 0xc0) == 0x80))) {
        *m->malformed = true;
    }
}

enum { COMPARED = 256 };             /* bytes of a name: see variant.c */

/* False if the first bytes do not tell. */
static bool ascend(PqSlice a, PqSlice b)
{
    a.n = a.n < COMPARED ? a.n : COMPARED;
    b.n = b.n < COMPARED ? b.n : COMPARED;
    return pq_slice_compare(a, b) < 0;
}

static void note_order(const PqVariantMeta *m, PqSlice before, PqSlice name)
{
    if (m->unordered && !ascend(before, name)) {
        *m->unordered = true;
    }
}

/* A name that is not used may be damaged. */
static void note_sorted(const PqVariantMeta *m)
{
    PqSlice name, before;
    PqErr ignored;

    pq_err_init(&ignored);
    for (uint32_t id = 0; id < m->n_names && !*m->unordered; id++) {
        if (pq_variant_meta_name(m, id, &name, &ignored) != PQ_OK ||
            (id && !ascend(before, name))) {
            *m->unordered = true;
        }
        before = name;
    }
}

static PqRc check_take(const PqVariantMeta *m, PqSlice *value, uint32_t depth,
                       PqErr *e);

static PqRc check_items(const PqVariantMeta *m, PqSlice value, uint32_t depth,
                        PqErr *e)
{
    PqSlice name = {NULL, 0}, item;
    PqVariantItems items;

    PQ_TRY(pq_variant_items_open(&value, &items, e));
    for (uint32_t i = 0; i < items.n; i++) {
        if (items.is_object) {
            PqSlice before = name;
            PQ_TRY(pq_variant_items_name(m, &items, i, &name, e));
            note_name(m, name);
            if (i) {
                note_order(m, before, name);
            }
        }
        PQ_TRY(pq_variant_items_take(&items, i, &item, e));
        PQ_TRY(check_take(m, &item, depth + 1, e));
    }
    return PQ_OK;
}

static PqRc check_take(const PqVariantMeta *m, PqSlice *value, uint32_t depth,
                       PqErr *e)
{
    PqVariantValue v;

    PQ_TRY(pq_variant_check_depth(depth, e));
    PQ_TRY(pq_variant_value_take(value, &v, e));
    if (v.kind == PQ_VARIANT_STRING) {
        pq_variant_note_text(m, v.bytes);
    }
    return v.kind == PQ_VARIANT_OBJECT || v.kind == PQ_VARIANT_ARRAY
               ? check_items(m, v.bytes, depth, e)
               : PQ_OK;
}

PqRc pq_variant_check(const PqVariantMeta *m, PqSlice value, PqErr *e)
{
    pq_variant_note_text(m, all_names(m));
    if (m->unordered && m->sorted) {
        note_sorted(m);
    }
    PQ_TRY(check_take(m, &value, 0, e));
    if (value.n) {
        return pq_fail(e, PQ_CORRUPT, "%zu bytes follow a Variant value",
                       value.n);
    }
    return PQ_OK;
}

/* ---- a Variant as one blob ----------------------------------------------- */

/* How long the metadata at the front of a blob is.
**
** QUIRK: some writers omit the one offset of metadata without names.  Then the
** value follows at once.  Whether zeros there are the offset or a Variant null
** is decided by what follows: a null has one byte and nothing after it. */
static PqRc metadata_size(PqSlice blob, const PqVariantMeta *m, size_t *out,
                          PqErr *e)
{
    static const uint8_t zeros[4];
    uint32_t size = m->offset_size, end;
    size_t n = 1 + size;

    if (m->n_names == 0) {
        bool more = blob.n - n > size || (size > 1 && blob.n - n == size);
        *out = more && memcmp(blob.p + n, zeros, size) == 0 ? n + size : n;
        return PQ_OK;
    }
    end = pq_variant_number(m->offsets, size, m->n_names);
    if (end > m->names.n) {
        return pq_fail(e, PQ_CORRUPT, "the names of a Variant end at %u of %zu "
                       "bytes", end, m->names.n);
    }
    *out = n + m->offsets.n + end;
    return PQ_OK;
}

PqRc pq_variant_split(PqSlice blob, PqSlice *metadata, PqSlice *value, PqErr *e)
{
    PqVariantMeta m;
    size_t n;

    PQ_TRY(pq_variant_meta_open(blob, &m, e));
    PQ_TRY(metadata_size(blob, &m, &n, e));
    *metadata = pq_slice(blob.p, n);
    *value = pq_slice(blob.p + n, blob.n - n);
    return PQ_OK;
}

PqRc pq_variant_join(PqSlice metadata, PqSlice value, PqBuf *out, PqErr *e)
{
    PqVariantMeta m;
    size_t n;

    PQ_TRY(pq_variant_meta_open(metadata, &m, e));
    if (m.n_names == 0) {
        metadata = pq_slice("\x01\x00\x00", 3);
        n = metadata.n;
    } else {
        PQ_TRY(metadata_size(metadata, &m, &n, e));
    }
    pq_buf_add(out, metadata.p, n);
    pq_buf_add(out, value.p, value.n);
    return pq_buf_ok(out) ? PQ_OK : out->sink->rc;
}
