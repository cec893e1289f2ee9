/*
** variant.c - takes a Variant apart: names, objects, arrays.
**
**   metadata  01 02 00 02 05  i d  n a m     version 1, sizes of one byte:
**             |  |  |  |  |                  two names, at 0..2 and 2..5
**             |  n  offsets
**
**   value     02 02  00 01  00 02 04  0c 07  0c 09      {"id":7,"nam":9}
**             |  |   ids    offsets   int8   int8
**             |  n
**             basic type 2 (object), all sizes one byte
**
** The last offset is the total size of all items.  Everything is a claim of the
** file: each number is checked before it is used as an offset, a size or an id.
*/
#include "core/variant/variant_layout.h"

enum { VERSION = 1 };
enum { OBJECT = 2, ARRAY = 3 };      /* basic types */

PQ_COLD PqRc pq_variant_cut_off(size_t want, size_t have, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the value of a Variant is cut off: %zu "
                   "bytes wanted, %zu left", want, have);
}

static inline PqRc take_number(PqSlice *s, uint32_t size, uint32_t *out,
                               PqErr *e)
{
    PqSlice bytes = {NULL, 0};

    PQ_TRY(pq_variant_bytes(s, size, &bytes, e));
    *out = pq_variant_number(bytes, size, 0);
    return PQ_OK;
}

/* Takes a list of n numbers; n is a claim. */
static inline PqRc take_list(PqSlice *s, uint64_t n, uint32_t size,
                             const char *what, PqSlice *out, PqErr *e)
{
    if (PQ_UNLIKELY(n * size > s->n)) {
        return pq_fail(e, PQ_CORRUPT,
                       "a Variant with %llu %s in %zu bytes",
                       (unsigned long long)n, what, s->n);
    }
    return pq_variant_bytes(s, (size_t)n * size, out, e);
}

PqRc pq_variant_meta_open(PqSlice metadata, PqVariantMeta *out, PqErr *e)
{
    uint8_t header;

    *out = (PqVariantMeta){0};
    if (metadata.n == 0) {
        return pq_fail(e, PQ_CORRUPT, "a Variant without metadata");
    }
    header = metadata.p[0];
    metadata = pq_slice(metadata.p + 1, metadata.n - 1);
    if ((header & 15) != VERSION) {
        return pq_fail(e, PQ_UNSUPPORTED, "Variant metadata of version %d",
                       header & 15);
    }
    out->offset_size = (header >> 6 & 3u) + 1;
    if (metadata.n < out->offset_size) {
        return pq_fail(e, PQ_CORRUPT, "the metadata of a Variant is cut off "
                       "before the number of names");
    }
    PQ_TRY(take_number(&metadata, out->offset_size, &out->n_names, e));
    if (out->n_names == 0) {         /* some writers omit the only offset */
        return PQ_OK;
    }
    PQ_TRY(take_list(&metadata, (uint64_t)out->n_names + 1, out->offset_size,
                     "offsets of names", &out->offsets, e));
    out->names = metadata;
    out->sorted = header & 16;
    return PQ_OK;
}

PqRc pq_variant_meta_name(const PqVariantMeta *m, uint32_t id, PqSlice *out,
                          PqErr *e)
{
    uint32_t from, to;

    if (id >= m->n_names) {
        return pq_fail(e, PQ_CORRUPT, "a Variant refers to name %u of %u", id,
                       m->n_names);
    }
    from = pq_variant_number(m->offsets, m->offset_size, id);
    to = pq_variant_number(m->offsets, m->offset_size, id + 1);
    if (from > to || to > m->names.n) {
        return pq_fail(e, PQ_CORRUPT,
                       "name %u of a Variant lies at %u..%u of %zu bytes", id,
                       from, to, m->names.n);
    }
    *out = pq_slice(m->names.p + from, to - from);
    return PQ_OK;
}

PqRc pq_variant_check_depth(uint32_t depth, PqErr *e)
{
    if (PQ_UNLIKELY(depth > PQ_VARIANT_MAX_DEPTH)) {
        return pq_fail(e, PQ_UNSUPPORTED,
                       "a Variant nested more than %d levels deep",
                       PQ_VARIANT_MAX_DEPTH);
    }
    return PQ_OK;
}

bool pq_variant_is_object(PqSlice value)
{
    return value.n && (value.p[0] & 3) == OBJECT;
}

bool pq_variant_is_array(PqSlice value)
{
    return value.n && (value.p[0] & 3) == ARRAY;
}

PqRc pq_variant_items_open(PqSlice *value, PqVariantItems *out, PqErr *e)
{
    uint32_t n_bytes;
    uint8_t header;
    bool large;

    *out = (PqVariantItems){0};
    PQ_TRY(pq_slice_u8(value, &header, e));
    if ((header & 3) != OBJECT && (header & 3) != ARRAY) {
        return pq_fail(e, PQ_CORRUPT, "a Variant that has to be an object or "
                       "an array is neither");
    }
    out->is_object = (header & 3) == OBJECT;
    out->offset_size = (header >> 2 & 3u) + 1;
    out->id_size = (header >> 4 & 3u) + 1;
    large = header >> (out->is_object ? 6 : 4) & 1;
    PQ_TRY(take_number(value, large ? 4 : 1, &out->n, e));
    if (out->is_object) {
        PQ_TRY(take_list(value, out->n, out->id_size, "fields", &out->ids, e));
    }
    PQ_TRY(take_list(value, (uint64_t)out->n + 1, out->offset_size, "offsets",
                     &out->offsets, e));
    n_bytes = pq_variant_number(out->offsets, out->offset_size, out->n);
    out->left = n_bytes;
    return pq_variant_bytes(value, n_bytes, &out->values, e);
}

enum { COMPARED = 256 };             /* bytes of a name */

/* QUIRK: fields should be ordered by the bytes of their names.  But a writer
** may order them by UTF-16 units, as Java compares strings, which differs
** beyond U+D7FF.  So readers do not check the order, and a field that comes
** twice is given twice; only equal neighbours are refused.  A copy writes such
** an object anew (pq_variant_check).  For long names only the ids are compared:
** two long names that a million fields have in turn would take a day.
*/
PqRc pq_variant_items_name(const PqVariantMeta *m, const PqVariantItems *items,
                           uint32_t i, PqSlice *name, PqErr *e)
{
    uint32_t id = pq_variant_number(items->ids, items->id_size, i);
    PqSlice before = *name;
    bool twice;

    PQ_TRY(pq_variant_meta_name(m, id, name, e));
    twice = i && (name->n <= COMPARED
                      ? pq_slice_equal(*name, before)
                      : id == pq_variant_number(items->ids, items->id_size,
                                                i - 1));
    if (PQ_UNLIKELY(twice)) {
        return pq_fail(e, PQ_CORRUPT,
                       "a Variant object has the field \"%.*s\" twice",
                       (int)(name->n < 64 ? name->n : 64),
                       (const char *)name->p);
    }
    return PQ_OK;
}

/* ---- items --------------------------------------------------------------- */

/* The bytes from the first one of item i to the end of all items. */
static inline PqRc item_rest(const PqVariantItems *items, uint32_t i,
                             PqSlice *out, PqErr *e)
{
    uint32_t from = pq_variant_number(items->offsets, items->offset_size, i);

    if (PQ_UNLIKELY(from >= items->values.n)) {
        return pq_fail(e, PQ_CORRUPT, "item %u of a Variant lies at %u of %zu "
                       "bytes", i, from, items->values.n);
    }
    *out = pq_slice(items->values.p + from, items->values.n - from);
    return PQ_OK;
}

/* The least offset that is larger; the last offset of the list counts too. */
static uint32_t offset_after(const PqVariantItems *items, uint32_t from)
{
    uint32_t i, least = (uint32_t)items->values.n;

    for (i = 0; i < items->n; i++) {
        uint32_t at = pq_variant_number(items->offsets, items->offset_size, i);
        least = at > from && at < least ? at : least;
    }
    return least;
}

static bool offsets_grow(const PqVariantItems *items)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i <= items->n; i++) {
        uint32_t at = pq_variant_number(items->offsets, items->offset_size, i);
        if (i && at <= last) {
            return false;
        }
        last = at;
    }
    return true;
}

enum { GROWS = 1, GROWS_NOT = 2 };

/* Cuts off what follows an item of an unknown type. */
static PQ_COLD PqRc cut_unknown(PqVariantItems *items, uint32_t i,
                                PqSlice *item, PqErr *e)
{
    uint32_t from = (uint32_t)(item->p - items->values.p), to;

    if (!items->grows) {
        items->grows = offsets_grow(items) ? GROWS : GROWS_NOT;
    }
    if (items->grows == GROWS) {
        to = pq_variant_number(items->offsets, items->offset_size, i + 1);
    } else if (items->n_unknown++ < PQ_VARIANT_MAX_UNKNOWN) {
        to = offset_after(items, from);
    } else {
        return pq_fail(e, PQ_UNSUPPORTED, "a Variant with more than %d values "
                       "of unknown types in one object, stored in no order",
                       PQ_VARIANT_MAX_UNKNOWN);
    }
    item->n = to - from;
    return PQ_OK;
}

PqRc pq_variant_items_at(const PqVariantItems *items, uint32_t i, PqSlice *out,
                         PqErr *e)
{
    PqVariantValue v;
    PqSlice rest;

    PQ_TRY(item_rest(items, i, out, e));
    if (PQ_UNLIKELY(pq_variant_is_unknown(out->p[0]))) {
        uint32_t from = (uint32_t)(out->p - items->values.p);
        out->n = offset_after(items, from) - from;
        return PQ_OK;
    }
    rest = *out;
    PQ_TRY(pq_variant_value_take(&rest, &v, e));
    out->n -= rest.n;
    return PQ_OK;
}

/* The bytes that item i may have. */
static inline PqRc item_room(PqVariantItems *items, uint32_t i, PqSlice *out,
                             PqErr *e)
{
    PQ_TRY(item_rest(items, i, out, e));
    if (PQ_UNLIKELY(pq_variant_is_unknown(out->p[0]))) {
        PQ_TRY(cut_unknown(items, i, out, e));
        if (out->n > items->left) {
            return pq_fail(e, PQ_CORRUPT, "items of a Variant share bytes");
        }
    }
    out->n = out->n > items->left ? items->left : out->n;
    return PQ_OK;
}

PqRc pq_variant_items_take(PqVariantItems *items, uint32_t i, PqSlice *out,
                           PqErr *e)
{
    PqVariantValue v;
    PqSlice rest;

    PQ_TRY(item_room(items, i, out, e));
    rest = *out;
    PQ_TRY(pq_variant_value_take(&rest, &v, e));
    out->n -= rest.n;
    items->left -= out->n;
    return PQ_OK;
}

PqRc pq_variant_items_json(const PqVariantMeta *m, PqVariantItems *items,
                           uint32_t i, uint32_t depth, PqBuf *out, PqErr *e)
{
    PqSlice item;
    size_t n;

    PQ_TRY(item_room(items, i, &item, e));
    n = item.n;
    PQ_TRY(pq_variant_json_take(m, &item, depth + 1, out, e));
    items->left -= n - item.n;
    return PQ_OK;
}
