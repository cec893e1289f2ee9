/*
** made_values.h - for tests of bounds, indexes and filters: a type of each
** order, random values of it in the layout of decoder.h, their PLAIN bytes, and
** a footer of one such column for the reading side.
**
** The values are those where orders and cuts go wrong: zeros of both signs,
** infinities, NaN, top bits, bytes ff, characters before and after the
** surrogates, the last character of all, one common prefix.
*/
#ifndef MADE_VALUES_H
#define MADE_VALUES_H

#include "core/meta/stats.h"
#include "test/unit/encoders.h"

#define HAS(field) (1u << (field))

static const PqType made_types[] = {
    {.physical = PQ_BOOLEAN},
    {.physical = PQ_INT32, .logical = PQ_TYPE_DATE},
    {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = 32},
    {.physical = PQ_INT64},
    {.physical = PQ_INT64, .logical = PQ_TYPE_DECIMAL, .precision = 18},
    {.physical = PQ_INT64, .logical = PQ_TYPE_INT, .bit_width = 64},
    {.physical = PQ_INT96},
    {.physical = PQ_FLOAT},
    {.physical = PQ_DOUBLE},
    {.physical = PQ_FIXED, .fixed_length = 2, .logical = PQ_TYPE_FLOAT16},
    {.physical = PQ_BYTE_ARRAY},
    {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING},
    {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_BSON},
    {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_DECIMAL, .precision = 40},
    {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_GEOMETRY},
    {.physical = PQ_FIXED, .fixed_length = 5},
    {.physical = PQ_FIXED, .fixed_length = 90},
    {.physical = PQ_FIXED, .fixed_length = 16, .logical = PQ_TYPE_UUID},
    {.physical = PQ_FIXED, .fixed_length = 3, .logical = PQ_TYPE_DECIMAL,
     .precision = 6},
    {.physical = PQ_FIXED, .fixed_length = 20, .logical = PQ_TYPE_DECIMAL,
     .precision = 40},
    {.physical = PQ_FIXED, .fixed_length = 12, .logical = PQ_TYPE_INTERVAL},
    {.physical = PQ_INT32, .logical = PQ_TYPE_UNKNOWN},
};

/* A footer of one column, in the order of its type or in total order. */
typedef struct MadeColumn {
    PqFooter        f;
    PqSchemaElement el;
    PqNode          node;
    PqLeaf          leaf;
    PqColumnOrder   order;
} MadeColumn;

static inline void made_column(MadeColumn *c, const PqType *type, bool total)
{
    memset(c, 0, sizeof *c);
    c->leaf = (PqLeaf){.node = &c->node, .path = "made", .type = *type};
    c->order.has = HAS(total ? PQ_ORDER_IEEE754 : PQ_ORDER_TYPE);
    c->f.file.has = HAS(PQ_FILE_COLUMN_ORDERS);
    c->f.file.column_orders = (PqColumnOrderList){&c->order, 1};
    c->f.file.created_by = pq_slice_text("somebody version 1.0");
    c->f.schema = (PqSchema){.leaves = &c->leaf, .n_leaves = 1,
                             .elements = &c->el, .n_elements = 1};
}

enum { MADE_MOST = 200, MADE_BYTES = 160 };

typedef struct MadeValues {
    const PqType *type;
    uint32_t      n;
    union {
        uint64_t align;
        uint8_t  bytes[MADE_MOST * 16];
        PqStr    texts[MADE_MOST];
    } values;                        /* in the layout of decoder.h   */
    PqSlice plain[MADE_MOST];        /* each into at                 */
    uint8_t at[MADE_MOST][MADE_BYTES];
} MadeValues;

static inline bool made_is_float(const PqType *t)
{
    return pq_order_of_type(t) == PQ_ORDER_FLOAT;
}

/* A random number near to where its order wraps. */
static inline uint64_t made_number(const PqType *t, size_t width, Random *r)
{
    uint64_t top = (uint64_t)1 << (8 * width - 1);
    uint64_t infinity = width == 2   ? 0x7c00
                        : width == 4 ? 0x7f800000
                                     : 0x7ff0000000000000;
    uint64_t sign = random_below(r, 2) ? top : 0;

    if (t->physical == PQ_BOOLEAN) {
        return random_below(r, 2);
    }
    switch (random_below(r, 12)) {
    case 0:
        return sign;
    case 1:
        return made_is_float(t) ? infinity | sign : top - 1;
    case 2:
    case 3:
        return (random_below(r, 5) | sign);
    case 4:
        return made_is_float(t) && !random_below(r, 4)
                   ? infinity | sign | (1 + random_below(r, 3))
                   : ~(uint64_t)random_below(r, 5);
    default:
        return random_u64(r);
    }
}

static inline size_t made_text(uint8_t *p, Random *r)
{
    static const char *const characters[] = {
        "a", "b", "\x7f", "\xc2\x80", "\xc3\xa9", "\xdf\xbf", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
        "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"};
    size_t n = random_below(r, 2) ? 0 : 8, most = random_below(r, 36);

    memcpy(p, "https://", 8);
    for (size_t i = 0; i < most; i++) {
        const char *c = characters[random_below(r, PQ_COUNT(characters))];
        memcpy(p + n, c, strlen(c));
        n += strlen(c);
    }
    return n;
}

static inline size_t made_bytes(uint8_t *p, size_t n, Random *r)
{
    static const uint8_t some[] = {0x00, 0x00, 0x01, 0x7f, 0x80, 0xff, 0xff,
                                   0xff};
    bool plain = random_below(r, 4) == 0;

    for (size_t i = 0; i < n; i++) {
        p[i] = plain ? (uint8_t)random_u64(r) : some[random_below(r, 8)];
    }
    return n;
}

/* A POINT, because geometries are checked. */
static inline size_t made_point(uint8_t *p, Random *r)
{
    static const uint8_t head[5] = {1, 1};
    static const PqType axis = {.physical = PQ_DOUBLE};
    uint64_t xy[2] = {made_number(&axis, 8, r), made_number(&axis, 8, r)};

    memcpy(p, head, sizeof head);
    memcpy(p + sizeof head, xy, sizeof xy);
    return sizeof head + sizeof xy;
}

static inline void made_value(MadeValues *m, uint32_t i, Random *r)
{
    const PqType *t = m->type;
    size_t width = pq_physical_width(t->physical);
    bool texts = t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED;
    uint8_t *p = m->at[i];
    uint64_t number;

    if (t->logical == PQ_TYPE_STRING) {
        width = made_text(p, r);
    } else if (t->logical == PQ_TYPE_GEOMETRY) {
        width = made_point(p, r);
    } else if (t->logical == PQ_TYPE_FLOAT16 || (!texts && width <= 8)) {
        width = texts ? 2 : width;
        number = made_number(t, width, r);
        memcpy(p, &number, width);
    } else {
        bool decimal = t->logical == PQ_TYPE_DECIMAL;
        width = t->physical == PQ_FIXED ? t->fixed_length
                : texts ? decimal + random_below(r, decimal ? 20 : 100)
                        : width;
        made_bytes(p, width, r);
    }
    m->plain[i] = pq_slice(p, width);
    if (texts) {
        m->values.texts[i] = (PqStr){p, (uint32_t)width};
    } else {
        memcpy(m->values.bytes + i * width, p, width);
    }
}

static inline void made_values(MadeValues *m, const PqType *type, uint32_t n,
                               Random *r)
{
    m->type = type;
    m->n = n;
    for (uint32_t i = 0; i < n; i++) {
        made_value(m, i, r);
    }
}

/* The values from i on, as a writer gets them. */
static inline const void *made_from(const MadeValues *m, uint32_t i)
{
    return m->values.bytes + i * pq_physical_width(m->type->physical);
}

static inline bool made_is_nan(const MadeValues *m, uint32_t i)
{
    return made_is_float(m->type) && pq_order_is_nan(m->type, m->plain[i]);
}

#endif
