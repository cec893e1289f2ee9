/*
** number_text.h - prints numbers as text, and converts decimals to the nearest
** REAL.
*/
#ifndef PQ_NUMBER_TEXT_H
#define PQ_NUMBER_TEXT_H

#include "core/base/bytes.h"

enum { PQ_NUMBER_TEXT_ROOM = 40 };

/* Each writes at most PQ_NUMBER_TEXT_ROOM bytes with a NUL and returns the
** length without it. */
size_t pq_number_text_i64(int64_t v, char *out);
size_t pq_number_text_u64(uint64_t v, char *out);

/* The fewest digits that read back as the same double or float; of several such
** texts, the nearest.  Valid JSON, in SQLite's spelling of a REAL: 0.1, -0.0,
** 1.0; with an exponent below -4 or above 14: 1.0e-05, 1.5e+300.  Infinities
** are 9e999 and -9e999.  v must not be NaN. */
size_t pq_number_text_double(double v, char *out);
size_t pq_number_text_float(float v, char *out);

/* The digits of that text as a number, without trailing zeros: the size of v is
** digits * 10^exponent.  v is finite and not 0. */
uint64_t pq_number_digits(double v, int *exponent);

/* Writes n digits, the first of which has this exponent, without an e and
** without a NUL: 12000, 1.2, 0.0012.  Returns the end. */
char *pq_digits_plain(const char *digit, int n, int exponent, char *out);

/* DECIMAL: the unscaled value over 10^scale, with all digits: at least one
** before the point, exactly scale after it.  12345 scale 3 -> 12.345, -5 scale
** 2 -> -0.05, scale 0 -> no point, scale -2 -> 1234500.  A scale beyond 10000
** or a value of more than 4096 bytes fails in out's sink. */
void pq_decimal_text_i128(__int128 unscaled, int32_t scale, PqBuf *out);
/* be: two's complement, big-endian, any length (0 bytes are 0). */
void pq_decimal_text_bytes(PqSlice be, int32_t scale, PqBuf *out);

/* The REAL nearest to the decimal (ties to even), as if its text were parsed
** by a correct strtod. */
double pq_decimal_real_i64(int64_t unscaled, int32_t scale);
double pq_decimal_real_i128(__int128 unscaled, int32_t scale);
PqRc   pq_decimal_real_bytes(PqSlice be, int32_t scale, PqBuf *scratch,
                             double *out, PqErr *e);

/* The same for n values, or those whose bit in valid is set (NULL: all).  The
** others stay as they are in out. */
void pq_decimal_reals_i32(const int32_t *unscaled, const uint64_t *valid,
                          uint32_t n, int32_t scale, double *out);
void pq_decimal_reals_i64(const int64_t *unscaled, const uint64_t *valid,
                          uint32_t n, int32_t scale, double *out);

/* True, and *out is the value, if be fits 64 bits. */
bool pq_decimal_fits_i64(PqSlice be, int64_t *out);

/* The value of the bits of an IEEE 754 half; it is exact. */
float pq_float16_value(uint16_t bits);

#endif
