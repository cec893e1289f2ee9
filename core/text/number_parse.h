/*
** number_parse.h - parses numbers and decimals: the inverse of number_text.h.
**
**   [sign] digits [. digits] [e [sign] digits]     blanks around it are allowed
**
** with a digit on at least one side of the point.  Nothing depends on the
** locale, and only a double is computed as a double:
**
**   9007199254740993.0  as an integer        9007199254740993
**   1.50e1              as an integer        15
**   12.345              as DECIMAL(9,3)      12345
**   12.345              as DECIMAL(9,2)      PQ_PARSE_FINER
**   12345678.9          as DECIMAL(9,2)      PQ_PARSE_RANGE
*/
#ifndef PQ_NUMBER_PARSE_H
#define PQ_NUMBER_PARSE_H

#include "core/text/parse.h"

PqParse pq_number_parse_i64(PqSlice text, int64_t *out);
PqParse pq_number_parse_u64(PqSlice text, uint64_t *out);

/* The nearest, ties to even.  NaN, inf and infinity are read too, in any case
** and with a sign.  From 1e999 on a number is infinity, which is written to
** JSON like that.  A number that is too large but below 1e999 is
** PQ_PARSE_RANGE. */
PqParse pq_number_parse_double(PqSlice text, double *out);
PqParse pq_number_parse_float(PqSlice text, float *out);

/* The exact unscaled value of a DECIMAL(precision, scale): digits beyond the
** scale must be zeros. */
PqParse pq_decimal_parse_i64(PqSlice text, int32_t precision, int32_t scale,
                             int64_t *out);

/* The same for any size: two's complement, big-endian, in the fewest bytes (one
** for 0).  A value that needs more than PQ_DECIMAL_BYTES is PQ_PARSE_RANGE. */
enum { PQ_DECIMAL_BYTES = 4096 };
PqParse pq_decimal_parse_bytes(PqSlice text, int32_t precision, int32_t scale,
                               uint8_t out[PQ_DECIMAL_BYTES], size_t *n);

/* The same for at most 38 digits, rounded to the scale, halves away from zero:
** 12.345 scale 2 -> 1235.  Up to PQ_DECIMAL_WIDE bytes. */
enum { PQ_DECIMAL_WIDE = 16, PQ_DECIMAL_WIDE_DIGITS = 38 };
PqParse pq_decimal_parse_rounded(PqSlice text, int32_t precision,
                                 int32_t scale, uint8_t out[PQ_DECIMAL_WIDE],
                                 size_t *n);

/* A REAL as a DECIMAL: the shortest decimal that reads back as the same REAL is
** rounded to the scale, halves away from zero: 0.125 scale 2 -> 13.  The
** precision is at most PQ_DECIMAL_REAL_DIGITS, because a REAL is not exact for
** more; any scale is allowed. */
enum { PQ_DECIMAL_REAL_DIGITS = 15 };
PqParse pq_decimal_parse_real(double v, int32_t precision, int32_t scale,
                              int64_t *out);

/* IEEE 754 half precision, the nearest, ties to even; false: v is finite but
** too large. */
bool pq_float16_bits(double v, uint16_t *out);

#endif
