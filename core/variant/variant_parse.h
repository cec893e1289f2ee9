/*
** variant_parse.h - JSON text becomes a Variant, as Spark's parse_json does it.
**
**   17            the smallest of int8, int16, int32, int64
**   12.50         a decimal with its digits, up to 38 of them; more: a double
**   -0.0          a decimal, which has no sign
**   1e3           a double
**   true null     themselves
**   "text"        a string; never a date, whatever it looks like
**   {..} [..]     objects, arrays; a name twice in one object is an error
*/
#ifndef PQ_VARIANT_PARSE_H
#define PQ_VARIANT_PARSE_H

#include "core/variant/variant_build.h"

/* Builds the text's value; scratch holds unescaped strings and is reset by the
** caller.  PQ_CORRUPT with the byte where the JSON is malformed, or its bytes
** are not UTF-8.  A text may have up to PQ_VARIANT_MAX_BYTES, and be nested
** PQ_JSON_DEPTH levels deep.  Only finish notices a name that comes twice. */
PqRc pq_variant_parse(PqSlice json, PqVariantBuild *b, PqArena *scratch,
                      PqErr *e);

#endif
