/*
** variant_value.h - one value of a Variant, taken out of its bytes.
**
** A Variant is the pair (metadata, value).  Outside of a file the pair travels
** as one blob, which every function that takes a Variant understands:
**
**   blob := metadata | value         the metadata says where it ends
**
** A PqVariantValue borrows the bytes it came from.  An object or an array is
** not taken apart: `bytes` is all of it, for pq_variant_items_open.
*/
#ifndef PQ_VARIANT_VALUE_H
#define PQ_VARIANT_VALUE_H

#include "core/meta/place.h"
#include "core/variant/variant.h"

typedef enum PqVariantKind {
    PQ_VARIANT_NULL, PQ_VARIANT_BOOL, PQ_VARIANT_INT, PQ_VARIANT_FLOAT,
    PQ_VARIANT_DOUBLE, PQ_VARIANT_DECIMAL, PQ_VARIANT_DATE, PQ_VARIANT_TIME,
    PQ_VARIANT_TIMESTAMP, PQ_VARIANT_BINARY, PQ_VARIANT_STRING,
    PQ_VARIANT_UUID, PQ_VARIANT_OBJECT, PQ_VARIANT_ARRAY,
    PQ_VARIANT_UNKNOWN               /* a primitive type of a later edition */
} PqVariantKind;

typedef struct PqVariantValue {
    PqVariantKind kind;
    uint8_t  width;                  /* INT: 1, 2, 4, 8; DECIMAL: 4, 8, 16  */
    uint8_t  scale;                  /* DECIMAL                             */
    bool     utc;                    /* TIMESTAMP with a zone               */
    PqUnit   unit;                   /* TIME, TIMESTAMP                     */
    uint8_t  type;                   /* UNKNOWN: its number                 */
    union {
        bool    b;
        int64_t i;                   /* INT; days of a DATE; units of a TIME
                                     ** or TIMESTAMP                        */
        float   f;
        double  d;
        PqPlace decimal;             /* unscaled                            */
    } u;
    PqSlice  bytes;                  /* STRING, BINARY; UUID: 16; OBJECT,
                                     ** ARRAY, UNKNOWN: the whole value     */
} PqVariantValue;

/* Splits a blob into metadata and value; the value is not looked at. */
PqRc pq_variant_split(PqSlice blob, PqSlice *metadata, PqSlice *value,
                      PqErr *e);

/* Appends the blob of a pair, which pq_variant_split takes apart again: bytes
** after the metadata are left out, and an offset that it lacks is added. */
PqRc pq_variant_join(PqSlice metadata, PqSlice value, PqBuf *out, PqErr *e);

/* Reads the value at the front of `value`.  Sizes are checked; what is inside
** an object or array is not.  A value of an unknown type takes all bytes. */
PqRc pq_variant_value_read(PqSlice value, PqVariantValue *out, PqErr *e);

/* The same; *value moves past it. */
PqRc pq_variant_value_take(PqSlice *value, PqVariantValue *out, PqErr *e);

/* Checks everything in a value, as printing it would: names, offsets, depth,
** no trailing bytes.  Linear in its size.
**
** *m->unordered is set if a reader that searches by halves may miss something:
** the fields of an object do not ascend, or the metadata calls its names sorted
** and they are not.  It may also be set for names that have a long beginning in
** common. */
PqRc pq_variant_check(const PqVariantMeta *m, PqSlice value, PqErr *e);

/* The bytes of item i, checked to lie inside the object or array.  Unlike
** pq_variant_items_take this may be called again for the same i.  Each call
** looks at all offsets, unless the item has an unknown type. */
PqRc pq_variant_items_at(const PqVariantItems *items, uint32_t i, PqSlice *out,
                         PqErr *e);

/* The field of that name; *found is false where there is none.  Names are
** searched by halves if they are in order, otherwise one after the other.  If a
** name comes twice, either field may be found. */
PqRc pq_variant_items_find(const PqVariantMeta *m, const PqVariantItems *items,
                           PqSlice name, PqSlice *out, bool *found, PqErr *e);

#endif
