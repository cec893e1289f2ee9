/*
** arrow_schema.c - finds extension types in Arrow's schema.
**
** A table of a Flatbuffer begins with the distance back to its vtable.  The
** vtable has a 16-bit place for each field of the table, 0 if the field is
** absent:
**
**   vtable   size of the vtable, size of the table, place of field 0, 1, ...
**   table    distance to the vtable, fields
**   offset   distance forward to a table, a text or a vector
**   vector   count, elements            text   length, bytes
**
** Many fields may point to one table, so few bytes could describe a lot of
** reading.  An honest schema is read once, so its own size is the budget.
*/
#include "core/meta/arrow_schema.h"

#include "core/text/base64.h"

enum {                               /* fields of the tables */
    MESSAGE_HEADER_TYPE = 1, MESSAGE_HEADER = 2, HEADER_IS_SCHEMA = 1,
    SCHEMA_FIELDS = 1,
    FIELD_NAME = 0, FIELD_DICTIONARY = 4, FIELD_CHILDREN = 5,
    FIELD_METADATA = 6,
    PAIR_KEY = 0, PAIR_VALUE = 1
};

enum { DEEPEST = 100 };              /* fields in fields */

bool pq_arrow_decode(PqSlice base64, PqBuf *out, PqErr *e)
{
    size_t room = base64.n / 4 * 3 + 3;

    return pq_buf_resize(out, room, e) == PQ_OK &&
           pq_base64_parse(base64, out->p, room, &out->n);
}

/* ---- Flatbuffers --------------------------------------------------------- */

static bool has(const PqArrowSchema *s, size_t at, size_t n)
{
    return at <= s->bytes.n && n <= s->bytes.n - at;
}

/* Where the field of a table is; false: it is absent, or out of bounds. */
static bool field_at(const PqArrowSchema *s, size_t table, int field,
                     size_t n, size_t *out)
{
    size_t vtable, entry;
    uint32_t back;
    uint16_t place;

    if (!has(s, table, 4)) {
        return false;
    }
    back = pq_load_u32(s->bytes.p + table);  /* signed, and may wrap round */
    vtable = (size_t)((int64_t)table - (int32_t)back);
    if ((int64_t)table < (int32_t)back || !has(s, vtable, 4)) {
        return false;
    }
    entry = 4 + 2 * (size_t)field;
    if (entry + 2 > pq_load_u16(s->bytes.p + vtable) ||
        !has(s, vtable + entry, 2)) {
        return false;
    }
    place = pq_load_u16(s->bytes.p + vtable + entry);
    *out = table + place;
    return place != 0 && has(s, *out, n);
}

/* Follows the offset at a place. */
static bool follow(const PqArrowSchema *s, size_t at, size_t *out)
{
    if (!has(s, at, 4)) {
        return false;
    }
    *out = at + pq_load_u32(s->bytes.p + at);
    return has(s, *out, 4);
}

static bool offset_field(const PqArrowSchema *s, size_t table, int field,
                         size_t *out)
{
    size_t at;

    return field_at(s, table, field, 4, &at) && follow(s, at, out);
}

/* A vector of offsets: where the first is, and how many. */
static bool vector_field(const PqArrowSchema *s, size_t table, int field,
                         size_t *first, uint32_t *n)
{
    size_t at;

    if (!offset_field(s, table, field, &at)) {
        return false;
    }
    *n = pq_load_u32(s->bytes.p + at);
    *first = at + 4;
    return *n <= (s->bytes.n - *first) / 4;
}

static bool text_field(PqArrowSchema *s, size_t table, int field, PqSlice *out)
{
    size_t at, n;

    if (!offset_field(s, table, field, &at)) {
        return false;
    }
    n = pq_load_u32(s->bytes.p + at);
    if (!has(s, at + 4, n) || n > s->budget) {
        s->budget = 0;
        return false;
    }
    s->budget -= n;
    *out = pq_slice(s->bytes.p + at + 4, n);
    return true;
}

/* ---- the schema ---------------------------------------------------------- */

bool pq_arrow_open(PqSlice decoded, PqArrowSchema *out)
{
    static const uint8_t goes_on[4] = {0xff, 0xff, 0xff, 0xff};
    PqArrowSchema *s = out;
    size_t message, schema, at;

    if (decoded.n >= 4 && memcmp(decoded.p, goes_on, 4) == 0) {
        pq_slice_cut(&decoded, 4);
    }
    if (decoded.n < 8) {
        return false;
    }
    pq_slice_cut(&decoded, 4);                           /* the length */
    *s = (PqArrowSchema){.bytes = decoded, .budget = decoded.n};
    return follow(s, 0, &message) &&
           field_at(s, message, MESSAGE_HEADER_TYPE, 1, &at) &&
           s->bytes.p[at] == HEADER_IS_SCHEMA &&
           offset_field(s, message, MESSAGE_HEADER, &schema) &&
           vector_field(s, schema, SCHEMA_FIELDS, &s->fields, &s->n_fields);
}

/* Looks for the two keys in the metadata of a field. */
static bool find_extension(PqArrowSchema *s, size_t field, PqArrowField *out)
{
    size_t first, pair;
    uint32_t n;

    if (!vector_field(s, field, FIELD_METADATA, &first, &n)) {
        return false;
    }
    for (uint32_t i = 0; i < n && s->budget > 0; i++) {
        PqSlice key, value = {NULL, 0};

        s->budget--;
        if (!follow(s, first + 4 * (size_t)i, &pair) ||
            !text_field(s, pair, PAIR_KEY, &key)) {
            return false;
        }
        text_field(s, pair, PAIR_VALUE, &value);
        if (pq_slice_is(key, "ARROW:extension:name")) {
            out->extension = value;
        } else if (pq_slice_is(key, "ARROW:extension:metadata")) {
            out->metadata = value;
        }
    }
    return out->extension.n > 0;
}

bool pq_arrow_next(PqArrowSchema *s, PqArrowField *out)
{
    while (s->next < s->n_fields && s->budget > 0) {
        size_t field;

        *out = (PqArrowField){{NULL, 0}, {NULL, 0}, {NULL, 0}};
        s->budget--;
        if (!follow(s, s->fields + 4 * (size_t)s->next++, &field)) {
            return false;
        }
        if (find_extension(s, field, out) &&
            text_field(s, field, FIELD_NAME, &out->name)) {
            return true;
        }
    }
    return false;
}

static bool may_be_dictionary(PqArrowSchema *s, size_t field, unsigned depth)
{
    size_t at, first, child;
    uint32_t n = 0;

    if (s->budget == 0 || depth == 0 ||
        offset_field(s, field, FIELD_DICTIONARY, &at)) {
        return true;
    }
    s->budget--;
    if (!vector_field(s, field, FIELD_CHILDREN, &first, &n)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!follow(s, first + 4 * (size_t)i, &child) ||
            may_be_dictionary(s, child, depth - 1)) {
            return true;
        }
    }
    return false;
}

bool pq_arrow_has_dictionary(PqArrowSchema *s, uint32_t i, const char *name)
{
    size_t field;
    PqSlice its;

    return i >= s->n_fields ||
           !follow(s, s->fields + 4 * (size_t)i, &field) ||
           !text_field(s, field, FIELD_NAME, &its) ||
           !pq_slice_is(its, name) || may_be_dictionary(s, field, DEEPEST);
}
