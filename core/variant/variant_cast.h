/*
** variant_cast.h - a value of a Variant as a value of a type, by Spark's rules.
**
** The target is the PqType of a leaf: a value that was cast can be stored in a
** vector of that type.  The table of casts is in sql/variant.md.
*/
#ifndef PQ_VARIANT_CAST_H
#define PQ_VARIANT_CAST_H

#include "core/meta/schema.h"
#include "core/variant/variant.h"

typedef struct PqVariantTarget {
    bool   is_variant;               /* no cast: the value as it is         */
    bool   try_;                     /* a cast that fails gives NULL        */
    PqType type;
} PqVariantTarget;

/* A type by name: boolean, tinyint, smallint, int, bigint, float, double,
** decimal(p,s), string, binary, date, time, timestamp, timestamp_ntz, uuid,
** variant, and the usual other spellings of these.  Case does not matter;
** decimal is decimal(10,0).  PQ_USAGE with the names there are. */
PqRc pq_variant_target_parse(PqSlice name, PqVariantTarget *out, PqErr *e);

/* The name of a target, as pq_variant_target_parse takes it. */
void pq_variant_target_text(const PqVariantTarget *t, PqBuf *out);

/* Name i of those it takes, NULL after the last: for "did you mean". */
const char *pq_variant_target_name(uint32_t i);

/* Casts v.  *is_null: a Variant null, or a failing cast with try_.  Else *out
** has the kind of the target's type (bigint: INT, timestamp: TIMESTAMP, ...)
** and its bytes, if any, are in v's or in text, which is emptied first and
** whose sink is e.  A failing cast is PQ_USAGE: "cannot cast the string \"abc\"
** to bigint".  Damage is PQ_CORRUPT, also with try_. */
PqRc pq_variant_cast(const PqVariantMeta *m, const PqVariantValue *v,
                     const PqVariantTarget *to, PqBuf *text,
                     PqVariantValue *out, bool *is_null, PqErr *e);

/* Writes a cast value in the physical form of its type: an int32, a double, a
** PqStr, ...  Texts and bytes go to the arena, with a NUL after them, as a
** decoder hands them out. */
PqRc pq_variant_store(const PqVariantValue *v, const PqType *type, PqArena *a,
                      void *slot, PqErr *e);

/* The kind of the values of a type; UNKNOWN: there is none.  Their unit may be
** one that no Variant has. */
PqVariantKind pq_variant_kind_of(const PqType *t);

/* May a leaf of this type be the typed_value of a shredded Variant? */
bool pq_variant_has_type(const PqType *t);

/* The bits of an integer of this type. */
unsigned pq_variant_int_bits(const PqType *t);

/* The inverse: a stored value of a leaf in a shredded Variant (a PLAIN value;
** strings as PqStr) as a value of a Variant.  False: no Variant value has that
** type. */
bool pq_variant_of_stored(const PqType *type, const void *stored,
                          PqVariantValue *out);

#endif
