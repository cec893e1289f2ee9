/*
** variant_type.c - the type of one value, and the common type of many.
**
** A shape counts values by kind, and has a shape of its own for the elements of
** all arrays, and for each field of all objects:
**
**   {"a":1}  {"a":2,"b":"x"}  {"b":null}
**
**   OBJECT 3   a: n 2, INT 2      b: n 2, STRING 1, NULL 1
**   OBJECT<a: BIGINT, b: STRING>
**
** The order in which values are counted makes no difference.  So the text does
** not depend on the order of the rows.
*/
#include "core/variant/variant_layout.h"
#include "core/variant/variant_type.h"

void pq_variant_typeof(const PqVariantValue *v, PqBuf *out)
{
    PqVariantPrimitive type = pq_variant_primitive_of(v);

    if (v->kind == PQ_VARIANT_OBJECT || v->kind == PQ_VARIANT_ARRAY) {
        pq_buf_text(out, v->kind == PQ_VARIANT_OBJECT ? "object" : "array");
    } else if (v->kind == PQ_VARIANT_UNKNOWN) {
        pq_buf_printf(out, "unknown(%d)", v->type);
    } else if (type < PQ_VARIANT_TYPES) {
        pq_buf_text(out, pq_variant_layout[type].name);
    } else {
        pq_buf_text(out, "timestamp");   /* of another unit, out of a leaf */
    }
}

/* ---- counting ------------------------------------------------------------ */

static uint8_t digits_of(PqPlace v)
{
    unsigned __int128 size = v < 0 ? -(unsigned __int128)v
                                   : (unsigned __int128)v;
    uint8_t n = 0;

    for (; size; size /= 10) {
        n++;
    }
    return n;
}

static void add_decimal(PqVariantShape *s, const PqVariantValue *v)
{
    uint8_t n = digits_of(v->u.decimal);
    uint8_t whole = n > v->scale ? (uint8_t)(n - v->scale) : 0;

    s->whole_digits = whole > s->whole_digits ? whole : s->whole_digits;
    s->scale = v->scale > s->scale ? v->scale : s->scale;
}

static void add_scalar(PqVariantShape *s, const PqVariantValue *v)
{
    uint8_t digits;

    switch (v->kind) {
    case PQ_VARIANT_INT:
        s->int_width = v->width > s->int_width ? v->width : s->int_width;
        digits = digits_of(v->u.i);
        s->int_digits = digits > s->int_digits ? digits : s->int_digits;
        break;
    case PQ_VARIANT_DECIMAL:
        add_decimal(s, v);
        break;
    case PQ_VARIANT_TIMESTAMP:
        s->n_utc += v->utc;
        s->unit = v->unit > s->unit ? v->unit : s->unit;
        break;
    default:
        break;
    }
}

static PqRc add_value(PqVariantShape *s, const PqVariantMeta *m, PqSlice value,
                      uint32_t depth, PqArena *a, PqErr *e);

static PqRc add_array(PqVariantShape *s, const PqVariantMeta *m, PqSlice value,
                      uint32_t depth, PqArena *a, PqErr *e)
{
    PqVariantItems items;
    PqSlice item;

    PQ_TRY(pq_variant_items_open(&value, &items, e));
    s->n_elements += items.n;
    if (items.n && !s->element) {
        s->element = pq_arena_zeros(a, 1, sizeof *s->element, e);
        if (!s->element) {
            return e->rc;
        }
    }
    for (uint32_t i = 0; i < items.n; i++) {
        PQ_TRY(pq_variant_items_take(&items, i, &item, e));
        PQ_TRY(add_value(s->element, m, item, depth + 1, a, e));
    }
    return PQ_OK;
}

/* The first field whose name is not less, searched from the expected field
** on. */
static uint32_t field_at(const PqVariantShape *s, PqSlice name, uint32_t next)
{
    uint32_t low = 0, high = s->n_fields;

    if (next < s->n_fields && pq_slice_equal(s->field[next].name, name)) {
        return next;
    }
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (pq_slice_compare(s->field[mid].name, name) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* Puts an empty field at its place. */
static PqRc insert_field(PqVariantShape *s, uint32_t at, PqSlice name,
                         PqArena *a, PqErr *e)
{
    char *text = pq_arena_text(a, name.p, name.n, e);
    PqVariantShapeField *f;

    if (!text) {
        return e->rc;
    }
    PQ_TRY(PQ_ARENA_GROW(a, s->field, s->n_fields, e));
    f = s->field + at;
    memmove(f + 1, f, (s->n_fields - at) * sizeof *f);
    *f = (PqVariantShapeField){.name = pq_slice(text, name.n)};
    s->n_fields++;
    return PQ_OK;
}

static PqRc add_object(PqVariantShape *s, const PqVariantMeta *m, PqSlice value,
                       uint32_t depth, PqArena *a, PqErr *e)
{
    PqSlice item, name = {NULL, 0};
    PqVariantItems items;
    uint32_t at = 0;

    PQ_TRY(pq_variant_items_open(&value, &items, e));
    for (uint32_t i = 0; i < items.n; i++) {
        PQ_TRY(pq_variant_items_name(m, &items, i, &name, e));
        PQ_TRY(pq_variant_items_take(&items, i, &item, e));
        if (name.n > PQ_VARIANT_SHAPE_NAME) {
            s->cut = true;
            continue;
        }
        at = field_at(s, name, at);
        if (at == s->n_fields || !pq_slice_equal(s->field[at].name, name)) {
            if (s->n_fields == PQ_VARIANT_SHAPE_FIELDS) {
                s->cut = true;
                continue;
            }
            PQ_TRY(insert_field(s, at, name, a, e));
        }
        PQ_TRY(add_value(&s->field[at++].shape, m, item, depth + 1, a, e));
    }
    return PQ_OK;
}

static PqRc add_value(PqVariantShape *s, const PqVariantMeta *m, PqSlice value,
                      uint32_t depth, PqArena *a, PqErr *e)
{
    PqVariantValue v;

    PQ_TRY(pq_variant_value_read(value, &v, e));
    s->n++;
    s->n_of[v.kind]++;
    if (v.kind != PQ_VARIANT_OBJECT && v.kind != PQ_VARIANT_ARRAY) {
        add_scalar(s, &v);
        return PQ_OK;
    }
    if (depth == PQ_VARIANT_SHAPE_DEPTH) {
        s->cut = true;
        return PQ_OK;
    }
    return v.kind == PQ_VARIANT_ARRAY
               ? add_array(s, m, v.bytes, depth, a, e)
               : add_object(s, m, v.bytes, depth, a, e);
}

PqRc pq_variant_shape_add(PqVariantShape *s, const PqVariantMeta *m,
                          PqSlice value, PqArena *a, PqErr *e)
{
    return add_value(s, m, value, 0, a, e);
}

/* ---- texts --------------------------------------------------------------- */

enum { MAX_DIGITS = 38, INT_DIGITS = 20 };

/* A name as it is if it is a word, otherwise in backquotes. */
static void name_text(PqSlice name, PqBuf *out)
{
    bool word = name.n > 0, digits = true;

    for (size_t i = 0; i < name.n; i++) {
        uint8_t c = name.p[i], lower = c | 0x20;
        bool digit = c >= '0' && c <= '9';

        word = word && (digit || c == '_' || (lower >= 'a' && lower <= 'z'));
        digits = digits && digit;
    }
    if (word && !digits) {
        pq_buf_add(out, name.p, name.n);
        return;
    }
    pq_buf_byte(out, '`');
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '`') {
            pq_buf_byte(out, '`');
        }
        pq_buf_byte(out, name.p[i]);
    }
    pq_buf_byte(out, '`');
}

static void number_text(const PqVariantShape *s, PqBuf *out)
{
    bool ints = s->n_of[PQ_VARIANT_INT] > 0;
    int whole = ints && s->whole_digits < INT_DIGITS ? INT_DIGITS
                                                     : s->whole_digits;
    int digits = whole + s->scale ? whole + s->scale : 1;
    bool floats = s->n_of[PQ_VARIANT_FLOAT] > 0;

    if (s->n_of[PQ_VARIANT_DOUBLE] ||
        (s->n_of[PQ_VARIANT_DECIMAL] && (floats || digits > MAX_DIGITS))) {
        pq_buf_text(out, "DOUBLE");
    } else if (floats) {
        pq_buf_text(out, "FLOAT");
    } else if (s->n_of[PQ_VARIANT_DECIMAL]) {
        pq_buf_printf(out, "DECIMAL(%d,%d)", digits, s->scale);
    } else {
        pq_buf_text(out, "BIGINT");
    }
}

static void array_text(const PqVariantShape *s, PqBuf *out)
{
    pq_buf_text(out, "ARRAY<");
    if (s->element) {
        pq_variant_shape_text(s->element, out);
    } else {
        pq_buf_text(out, s->cut ? "VARIANT" : "VOID");
    }
    pq_buf_byte(out, '>');
}

static void object_text(const PqVariantShape *s, PqBuf *out)
{
    uint32_t i;

    pq_buf_text(out, "OBJECT<");
    for (i = 0; i < s->n_fields; i++) {
        pq_buf_text(out, i ? ", " : "");
        name_text(s->field[i].name, out);
        pq_buf_text(out, ": ");
        pq_variant_shape_text(&s->field[i].shape, out);
    }
    if (s->cut) {
        pq_buf_text(out, i ? ", ..." : "...");
    }
    pq_buf_byte(out, '>');
}

/* The text for values of a kind that has no common type with any other. */
static const char *kind_text(const PqVariantShape *s, uint64_t all)
{
    static const struct { PqVariantKind kind; const char *text; } of[] = {
        {PQ_VARIANT_BOOL, "BOOLEAN"}, {PQ_VARIANT_TIME, "TIME"},
        {PQ_VARIANT_DATE, "DATE"}, {PQ_VARIANT_BINARY, "BINARY"},
        {PQ_VARIANT_STRING, "STRING"}, {PQ_VARIANT_UUID, "UUID"}
    };

    for (size_t i = 0; i < PQ_COUNT(of); i++) {
        if (s->n_of[of[i].kind] == all) {
            return of[i].text;
        }
    }
    if (s->n_of[PQ_VARIANT_DATE] + s->n_of[PQ_VARIANT_TIMESTAMP] == all) {
        return s->n_utc ? "TIMESTAMP" : "TIMESTAMP_NTZ";
    }
    return "VARIANT";
}

void pq_variant_shape_text(const PqVariantShape *s, PqBuf *out)
{
    uint64_t all = s->n - s->n_of[PQ_VARIANT_NULL];
    uint64_t numbers = s->n_of[PQ_VARIANT_INT] + s->n_of[PQ_VARIANT_FLOAT] +
                       s->n_of[PQ_VARIANT_DOUBLE] +
                       s->n_of[PQ_VARIANT_DECIMAL];

    if (all == 0) {
        pq_buf_text(out, "VOID");
    } else if (s->n_of[PQ_VARIANT_OBJECT] == all) {
        object_text(s, out);
    } else if (s->n_of[PQ_VARIANT_ARRAY] == all) {
        array_text(s, out);
    } else if (numbers == all) {
        number_text(s, out);
    } else {
        pq_buf_text(out, kind_text(s, all));
    }
}
