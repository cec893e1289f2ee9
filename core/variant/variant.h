/*
** variant.h - the binary encoding of a Variant, read only.
**
**   metadata := header | dictionary size | offsets | bytes    (field names)
**   value    := one byte (basic type, type info) | ...
**
** A value refers to names by number, so the two travel together.  Nothing in
** them is trusted: offsets, sizes and ids are checked before use, and nesting
** deeper than PQ_VARIANT_MAX_DEPTH is an error.
**
** The items of an object or array may be stored in any order, so each has an
** offset of its own; a hostile value lets all of them point at the same bytes,
** level after level, and 200 bytes become 2^50 values.  But items of a real
** value never share bytes, so the bytes that the items take together may not
** exceed the bytes there are (left): work stays linear in the input.
*/
#ifndef PQ_VARIANT_H
#define PQ_VARIANT_H

#include "core/base/bytes.h"

enum { PQ_VARIANT_MAX_DEPTH = 1000 };

typedef struct PqVariantMeta {
    uint32_t n_names;
    uint32_t offset_size;            /* 1..4 */
    PqSlice  offsets, names;
    bool    *malformed;              /* set by a text that is not UTF-8;
                                     ** NULL: nobody asks                */
} PqVariantMeta;

/* Borrows metadata. */
PqRc pq_variant_meta_open(PqSlice metadata, PqVariantMeta *out, PqErr *e);

/* Appends a text or a name as JSON, U+FFFD where it is not UTF-8. */
void pq_variant_text(const PqVariantMeta *m, PqSlice text, PqBuf *out);

/* Takes the value at the front of *value and appends it as JSON text; scalars
** as json_scalar.h writes them.  depth: how many containers it lies in already.
** out->sink is e, and may have failed although this did not. */
PqRc pq_variant_json_take(const PqVariantMeta *m, PqSlice *value,
                          uint32_t depth, PqBuf *out, PqErr *e);

/* What is in an object or an array: the fields in the order of their names,
** the elements in theirs. */
typedef struct PqVariantItems {
    bool     is_object;
    uint32_t n;
    uint32_t id_size, offset_size;   /* 1..4 */
    PqSlice  ids, offsets, values;
    size_t   left;                   /* bytes not yet taken by an item */
} PqVariantItems;

bool pq_variant_is_object(PqSlice value);

/* value: an object or array at its front, else it is PQ_CORRUPT; *value is
** advanced past it. */
PqRc pq_variant_items_open(PqSlice *value, PqVariantItems *out, PqErr *e);

/* *name: the name of field i - 1, and becomes that of field i. */
PqRc pq_variant_items_name(const PqVariantMeta *m, const PqVariantItems *items,
                           uint32_t i, PqSlice *name, PqErr *e);

/* Appends item i as JSON text, at most once for each i. */
PqRc pq_variant_items_json(const PqVariantMeta *m, PqVariantItems *items,
                           uint32_t i, uint32_t depth, PqBuf *out, PqErr *e);

#endif
