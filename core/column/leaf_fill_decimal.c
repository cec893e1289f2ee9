/*
** leaf_fill_decimal.c - DECIMAL over integers and over bytes.
**
**   DECIMAL(9,2)   INT 12     1200      f->unit is 100, 12 within f->low..high
**                  12.345     1235      a REAL is rounded
**                  '12.34'    1234      a TEXT is not
**
** Bytes are two's complement, big-endian.  A FIXED is filled to its length; a
** BYTE_ARRAY has as few bytes as possible.
*/
#include "core/column/leaf_fill_inside.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"

#include <math.h>

/*
** A REAL is exact if the DECIMAL reads back as the same REAL.  It stands for
** exactly one DECIMAL only if the DECIMAL has at most 15 digits.  Why: let u be
** the unscaled value.  Neighbouring DECIMALs of a scale differ by 1/u of their
** size, neighbouring doubles by at most 2^-52.  So below u = 2^52 each DECIMAL
** has a double of its own: only one rounds to this REAL, however many digits
** the type has.
*/
static PqFit from_real(const PqFill *f, double r, int64_t *out)
{
    int32_t precision = f->type->precision;
    bool wide = precision > PQ_DECIMAL_REAL_DIGITS;
    PqFit fit = (PqFit)pq_decimal_parse_real(
        r, wide ? PQ_DECIMAL_REAL_DIGITS : precision, f->type->scale, out);

    if (fit == PQ_FIT_RANGE && wide &&
        fabs(r) <= pow(10, precision - f->type->scale)) {
        return PQ_FIT_REAL;
    }
    return fit == PQ_FITS && f->rules->exact_numbers &&
                   pq_decimal_real_i64(*out, f->type->scale) != r
               ? PQ_FIT_FINER : fit;
}

static inline PqFit one_decimal_i64(PqFill *f, const PqCell *cell, void *out)
{
    switch (cell->kind) {
    case PQ_CELL_INT:
        *(uint64_t *)out = (uint64_t)cell->i * (uint64_t)f->unit;
        return cell->i >= f->low && cell->i <= f->high ? PQ_FITS
                                                       : PQ_FIT_RANGE;
    case PQ_CELL_REAL:
        return from_real(f, cell->r, out);
    case PQ_CELL_TEXT:
        return (PqFit)pq_decimal_parse_i64(
            pq_cell_slice(cell), f->type->precision, f->type->scale, out);
    default:
        return PQ_FIT_NOT;
    }
}
PQ_FILL_KIND(decimal_i64, int64_t)

static inline PqFit one_decimal_i32(PqFill *f, const PqCell *cell, void *out)
{
    int64_t v = 0;
    PqFit fit = one_decimal_i64(f, cell, &v);

    *(int32_t *)out = (int32_t)v;
    return fit == PQ_FITS && v != (int32_t)v ? PQ_FIT_RANGE : fit;
}
PQ_FILL_KIND(decimal_i32, int32_t)

/* ---- bytes --------------------------------------------------------------- */

/* n bytes of two's complement become the value. */
static PqFit put(PqFill *f, const uint8_t *be, size_t n, PqStr *out)
{
    bool fixed = f->type->physical == PQ_FIXED;
    size_t size = fixed ? f->type->fixed_length : n;
    uint8_t *p;

    if (size < n) {
        return PQ_FIT_RANGE;
    }
    if (!(p = pq_fill_bytes(f, size, out))) {
        return PQ_FIT_FAILED;
    }
    memset(p, be[0] >= 0x80 ? 0xff : 0, size - n);
    memcpy(p + size - n, be, n);
    return PQ_FITS;
}

static PqFit put_i64(PqFill *f, int64_t v, PqStr *out)
{
    uint8_t be[sizeof v];
    size_t n = sizeof be, at = 0;

    for (size_t i = 0; i < n; i++) {
        be[i] = (uint8_t)((uint64_t)v >> (56 - 8 * i));
    }
    while (at + 1 < n && ((be[at] == 0x00 && be[at + 1] < 0x80) ||
                          (be[at] == 0xff && be[at + 1] >= 0x80))) {
        at++;
    }
    return put(f, be + at, n - at, out);
}

static PqFit put_text(PqFill *f, PqSlice text, PqStr *out)
{
    uint8_t be[PQ_DECIMAL_BYTES];
    size_t n;
    PqFit fit = (PqFit)pq_decimal_parse_bytes(text, f->type->precision,
                                              f->type->scale, be, &n);

    return fit == PQ_FITS ? put(f, be, n, out) : fit;
}

static PqFit one_decimal_bytes(PqFill *f, const PqCell *cell, void *out)
{
    char digits[PQ_NUMBER_TEXT_ROOM];
    int64_t v = 0;
    PqFit fit;

    switch (cell->kind) {
    case PQ_CELL_INT:
        if (!__builtin_mul_overflow(cell->i, f->unit, &v) &&
            cell->i >= f->low && cell->i <= f->high && f->unit) {
            return put_i64(f, v, out);
        }
        return put_text(f, pq_slice(digits,
                                    pq_number_text_i64(cell->i, digits)), out);
    case PQ_CELL_REAL:
        fit = from_real(f, cell->r, &v);
        return fit == PQ_FITS ? put_i64(f, v, out) : fit;
    case PQ_CELL_TEXT:
        return put_text(f, pq_cell_slice(cell), out);
    default:
        return PQ_FIT_NOT;
    }
}
PQ_FILL_KIND(decimal_bytes, PqStr)
