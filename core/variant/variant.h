/*
** variant.h - the binary encoding of a Variant, read only.
**
**   metadata := header | dictionary size | offsets | bytes    (field names)
**   value    := one byte (basic type, type info) | ...
**
** A value refers to names by number, so the two belong together.  Outside of a
** file the pair travels as one blob, metadata | value, which every function
** that takes a Variant understands: the metadata says where it ends.  Nothing
** in them is trusted: offsets, sizes and ids are checked before use, and nesting
** deeper than PQ_VARIANT_MAX_DEPTH is an error.
**
** The items of an object or array may be stored in any order, so each has its
** own offset.  In a hostile value all offsets may point at the same bytes,
** level after level, and 200 bytes become 2^50 values.  But items of a real
** value never share bytes.  So the total size of the items may not exceed the
** bytes there are (left), and the work stays linear in the input.
**
** A primitive type of a later edition does not tell its size here.  An item of
** such a type ends where the next item begins, which is the next larger offset
** of its container; a whole value ends where its bytes end.  It is printed as
** "unknown variant type 21: 0A0B", the bytes after the first in hex.  Finding
** the next larger offset means looking at all offsets.  So where offsets do not
** grow, a container may have PQ_VARIANT_MAX_UNKNOWN items of such types; more
** are an error.
*/
#ifndef PQ_VARIANT_H
#define PQ_VARIANT_H

#include "core/meta/place.h"

enum { PQ_VARIANT_MAX_DEPTH = 1000, PQ_VARIANT_MAX_UNKNOWN = 256 };

typedef struct PqVariantMeta {
    uint32_t n_names;
    uint32_t offset_size;            /* 1..4 */
    PqSlice  offsets, names;
    bool     sorted;                 /* so the metadata say              */
    bool    *malformed;              /* set by a text that is not UTF-8;
                                     ** NULL: not checked                */
    bool    *unordered;              /* set by pq_variant_check; or NULL */
} PqVariantMeta;

/* Splits a blob into metadata and value; the value is not looked at. */
PqRc pq_variant_split(PqSlice blob, PqSlice *metadata, PqSlice *value,
                      PqErr *e);

/* Appends the blob of a pair, which pq_variant_split takes apart again: bytes
** after the metadata are left out, and an offset that it lacks is added. */
PqRc pq_variant_join(PqSlice metadata, PqSlice value, PqBuf *out, PqErr *e);

/* ---- names --------------------------------------------------------------- */

/* Borrows metadata. */
PqRc pq_variant_meta_open(PqSlice metadata, PqVariantMeta *out, PqErr *e);

/* The name with number id. */
PqRc pq_variant_meta_name(const PqVariantMeta *m, uint32_t id, PqSlice *out,
                          PqErr *e);

/* Sets *m->malformed if the text is not UTF-8. */
void pq_variant_note_text(const PqVariantMeta *m, PqSlice text);

/* ---- one value ----------------------------------------------------------- */

typedef enum PqVariantKind {
    PQ_VARIANT_NULL, PQ_VARIANT_BOOL, PQ_VARIANT_INT, PQ_VARIANT_FLOAT,
    PQ_VARIANT_DOUBLE, PQ_VARIANT_DECIMAL, PQ_VARIANT_DATE, PQ_VARIANT_TIME,
    PQ_VARIANT_TIMESTAMP, PQ_VARIANT_BINARY, PQ_VARIANT_STRING,
    PQ_VARIANT_UUID, PQ_VARIANT_OBJECT, PQ_VARIANT_ARRAY,
    PQ_VARIANT_UNKNOWN               /* a primitive type of a later edition */
} PqVariantKind;

/* A value, taken out of its bytes, which it borrows.  An object or an array is
** not taken apart: `bytes` is all of it, for pq_variant_items_open. */
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

/* Fails if depth containers are too many. */
PqRc pq_variant_check_depth(uint32_t depth, PqErr *e);

/* Appends a text or a name as JSON; invalid UTF-8 becomes U+FFFD. */
void pq_variant_text(const PqVariantMeta *m, PqSlice text, PqBuf *out);

/* Takes the value at the front of *value and appends it as JSON text; scalars
** are written by json_scalar.h.  depth: the number of containers around it.
** out->sink is e; writing to out may have failed even if this returns PQ_OK. */
PqRc pq_variant_json_take(const PqVariantMeta *m, PqSlice *value,
                          uint32_t depth, PqBuf *out, PqErr *e);

/* ---- objects and arrays -------------------------------------------------- */

/* The items of an object, in the order of their names, or of an array. */
typedef struct PqVariantItems {
    bool     is_object;
    uint32_t n;
    uint32_t id_size, offset_size;   /* 1..4 */
    PqSlice  ids, offsets, values;
    size_t   left;                   /* bytes not yet taken by an item */
    uint32_t n_unknown;              /* taken, where offsets do not grow */
    uint8_t  grows;                  /* do they?  0: not looked at yet   */
} PqVariantItems;

bool pq_variant_is_object(PqSlice value);
bool pq_variant_is_array(PqSlice value);

/* Opens the object or array at the front of *value, which is advanced past it;
** anything else is PQ_CORRUPT. */
PqRc pq_variant_items_open(PqSlice *value, PqVariantItems *out, PqErr *e);

/* *name is the name of field i - 1, or empty, and becomes the name of field
** i. */
PqRc pq_variant_items_name(const PqVariantMeta *m, const PqVariantItems *items,
                           uint32_t i, PqSlice *name, PqErr *e);

/* Takes the bytes of item i, at most once for each i, so that visiting all
** items of all levels is linear work. */
PqRc pq_variant_items_take(PqVariantItems *items, uint32_t i, PqSlice *out,
                           PqErr *e);

/* Appends item i as JSON text, at most once for each i. */
PqRc pq_variant_items_json(const PqVariantMeta *m, PqVariantItems *items,
                           uint32_t i, uint32_t depth, PqBuf *out, PqErr *e);

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
