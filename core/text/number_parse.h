/*
** number_parse.h - numbers and decimals from text, the way back of
** number_text.h.
**
**   [sign] digits [. digits] [e [sign] digits]     blanks around it are fine
**
** with a digit on at least one side of the point.  Nothing depends on the
** locale, and nothing goes by way of a double that is not one:
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

/* The nearest, ties to even.  NaN, -NaN, inf and infinity in any case and with
** a sign are read too; from 1e999 on a number is infinity, as it is written to
** JSON, and one below that and too large is PQ_PARSE_RANGE. */
PqParse pq_number_parse_double(PqSlice text, double *out);
PqParse pq_number_parse_float(PqSlice text, float *out);

/* The unscaled value of a DECIMAL(precision, scale), exactly: digits behind the
** scale have to be zeros. */
PqParse pq_decimal_parse_i64(PqSlice text, int32_t precision, int32_t scale,
                             int64_t *out);

/* The same of any size: two's complement, big-endian, the fewest bytes that
** hold it (one for 0).  A value that needs more is PQ_PARSE_RANGE. */
enum { PQ_DECIMAL_BYTES = 4096 };
PqParse pq_decimal_parse_bytes(PqSlice text, int32_t precision, int32_t scale,
                               uint8_t out[PQ_DECIMAL_BYTES], size_t *n);

/* A REAL, taken for the shortest decimal that reads back as it and rounded to
** the scale, halves away from zero: 0.125 scale 2 -> 13.  A precision beyond
** PQ_DECIMAL_REAL_DIGITS, which a REAL does not have, is not for here; the
** scale may be any. */
enum { PQ_DECIMAL_REAL_DIGITS = 15 };
PqParse pq_decimal_parse_real(double v, int32_t precision, int32_t scale,
                              int64_t *out);

/* IEEE 754 half precision, the nearest, ties to even; false: it is finite, and
** too large. */
bool pq_float16_bits(double v, uint16_t *out);

#endif
