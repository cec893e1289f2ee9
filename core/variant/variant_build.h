/*
** variant_build.h - writes the binary encoding of a Variant.
**
** The caller gives values depth first.  Names are collected on the way; at the
** end they are sorted, the metadata is written, and the ids of all objects are
** put in.  Integers take the smallest width, sizes and offsets too.
**
**   pq_variant_build_group(b, true);
**   pq_variant_build_name(b, "id");
**   pq_variant_build_value(b, &seven);
**   pq_variant_build_end(b);
**   pq_variant_build_finish(b, &metadata, &value, e);
**
** The builder is reused from value to value and keeps its memory.  Errors are
** sticky until the next begin: only finish has to be asked.  Metadata or a
** value of more than PQ_VARIANT_MAX_BYTES is an error.
**
** The same values in the same order give the same bytes.  Values are stored in
** the order in which they came, and an object's ids in the order of the names.
*/
#ifndef PQ_VARIANT_BUILD_H
#define PQ_VARIANT_BUILD_H

#include "core/variant/variant.h"

enum { PQ_VARIANT_MAX_BYTES = 1 << 30 };

typedef struct PqVariantBuild PqVariantBuild;

PqRc pq_variant_build_new(PqMem *mem, PqVariantBuild **out, PqErr *e);
void pq_variant_build_free(PqVariantBuild *b);           /* b may be NULL */

/* Forgets what was built.  begin_under: ids refer to the given metadata,
** because a residual value must use the metadata of the whole Variant.  Then no
** name may be new, and finish returns that metadata. */
void pq_variant_build_begin(PqVariantBuild *b);
PqRc pq_variant_build_begin_under(PqVariantBuild *b, PqSlice metadata,
                                  PqErr *e);

/* Begins an object or an array; ends either. */
void pq_variant_build_group(PqVariantBuild *b, bool is_object);
void pq_variant_build_end(PqVariantBuild *b);

/* The next value's name.  A name that comes twice in one object is an error. */
void pq_variant_build_name(PqVariantBuild *b, PqSlice name);

/* A scalar.  An INT or DECIMAL gets the width in *v, or the smallest that holds
** it if that is 0. */
void pq_variant_build_value(PqVariantBuild *b, const PqVariantValue *v);

/* Copies a value of any kind from another Variant; names are translated. */
void pq_variant_build_copy(PqVariantBuild *b, const PqVariantMeta *m,
                           PqSlice value);

/* The error so far, for callers that want to stop early. */
PqRc pq_variant_build_error(const PqVariantBuild *b, PqErr *e);

/* Builds the value of a JSON text as Spark's parse_json does:
**
**   17            the smallest of int8, int16, int32, int64
**   12.50         a decimal with its digits, up to 38 of them; more: a double
**   -0.0          a decimal, which has no sign
**   1e3           a double
**   true null     themselves
**   "text"        a string; never a date, whatever it looks like
**   {..} [..]     objects, arrays; a name twice in one object is an error
**
** scratch holds unescaped strings and is reset by the caller.  PQ_CORRUPT with
** the byte where the JSON is malformed, or its bytes are not UTF-8.  A text may
** have up to PQ_VARIANT_MAX_BYTES, and be nested PQ_JSON_DEPTH levels deep.
** Only finish notices a name that comes twice. */
PqRc pq_variant_parse(PqSlice json, PqVariantBuild *b, PqArena *scratch,
                      PqErr *e);

/* Valid until the next begin.  A value must be whole. */
PqRc pq_variant_build_finish(PqVariantBuild *b, PqSlice *metadata,
                             PqSlice *value, PqErr *e);

#endif
