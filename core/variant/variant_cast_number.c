/*
** variant_cast_number.c - values of a Variant as booleans and numbers.
**
**   to an integer    digits after the point are cut off, toward zero; what is
**                    then out of range is an error
**   to a decimal     rounded to the scale, halves away from zero
**   to FLOAT         the nearest; beyond the largest it is an infinity
**   a timestamp      is the number of seconds since 1970
**
** A double becomes a decimal by its text: 0.1 is 0.1, and not the sum of powers
** of two that is stored.
*/
#include "core/variant/variant_cast_inside.h"

#include "core/text/number_parse.h"
#include "core/text/number_text.h"

#include <math.h>

__extension__ typedef unsigned __int128 Wide;

enum { DIGITS = PQ_DECIMAL_WIDE_DIGITS };

/* 10^k, k up to 38. */
static PqPlace ten_to(int32_t k)
{
    PqPlace v = 1;

    for (; k > 0; k--) {
        v *= 10;
    }
    return v;
}

/* v over 10^from as the nearest w over 10^to, halves away from zero; false: it
** does not fit. */
static bool rescale(PqPlace v, int32_t from, int32_t to, PqPlace *out)
{
    Wide size = v < 0 ? -(Wide)v : (Wide)v, unit;

    if (from > DIGITS || to > DIGITS) {
        return false;
    }
    if (to >= from) {
        unit = (Wide)ten_to(to - from);
        if (size > (Wide)ten_to(DIGITS) / unit) {
            return false;
        }
        size *= unit;
    } else {
        unit = (Wide)ten_to(from - to);
        size = size / unit + (size % unit >= (unit + 1) / 2);
    }
    *out = v < 0 ? -(PqPlace)size : (PqPlace)size;
    return true;
}

/* A boolean or an integer. */
static int64_t whole_of(const PqVariantValue *v)
{
    return v->kind == PQ_VARIANT_BOOL ? v->u.b : v->u.i;
}

/* ---- booleans ------------------------------------------------------------ */

PqCastResult pq_cast_boolean_number(const PqCast *c)
{
    const PqVariantValue *v = c->v;

    c->out->u.b = v->kind == PQ_VARIANT_INT       ? v->u.i != 0
                  : v->kind == PQ_VARIANT_DECIMAL ? v->u.decimal != 0
                                                  : pq_cast_real_of(v) != 0;
    return PQ_CAST_OK;
}

PqCastResult pq_cast_boolean_string(const PqCast *c)
{
    static const char *const words[][2] = {
        {"false", "true"}, {"f", "t"}, {"no", "yes"}, {"n", "y"}, {"0", "1"}
    };
    PqSlice s = pq_parse_trim(c->v->bytes);

    for (size_t i = 0; i < 2 * PQ_COUNT(words); i++) {
        const char *word = words[i / 2][i % 2];

        if (pq_parse_is_word(s, word)) {
            c->out->u.b = i % 2 == 1;
            return PQ_CAST_OK;
        }
    }
    return PQ_CAST_NOT;
}

/* ---- integers ------------------------------------------------------------ */

static PqCastResult put_int(const PqCast *c, PqPlace v)
{
    unsigned bits = pq_variant_int_bits(c->type);
    PqPlace end = (PqPlace)1 << (bits - 1);

    c->out->width = (uint8_t)(bits / 8);
    c->out->u.i = (int64_t)v;
    return v >= -end && v < end ? PQ_CAST_OK : PQ_CAST_RANGE;
}

PqCastResult pq_cast_int_whole(const PqCast *c)
{
    return put_int(c, whole_of(c->v));
}

PqCastResult pq_cast_int_real(const PqCast *c)
{
    double v = pq_cast_real_of(c->v);

    return pq_cast_fits_i64(v) ? put_int(c, (int64_t)v) : PQ_CAST_RANGE;
}

PqCastResult pq_cast_int_decimal(const PqCast *c)
{
    if (c->v->scale > DIGITS) {
        return PQ_CAST_RANGE;
    }
    return put_int(c, c->v->u.decimal / ten_to(c->v->scale));
}

/* Rounded down. */
PqCastResult pq_cast_int_timestamp(const PqCast *c)
{
    int64_t v = c->v->u.i, unit = pq_unit_per_second(c->v->unit);

    return put_int(c, v / unit - (v % unit < 0));
}

/* Digits with a sign: neither a point nor an exponent. */
PqCastResult pq_cast_int_string(const PqCast *c)
{
    PqSlice s = pq_parse_trim(c->v->bytes);
    PqParse parse;
    int64_t v = 0;

    for (size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+'); i < s.n; i++) {
        if (!pq_ascii_is_digit(s.p[i])) {
            return PQ_CAST_NOT;
        }
    }
    parse = pq_number_parse_i64(s, &v);
    return parse == PQ_PARSE_OK ? put_int(c, v) : pq_cast_of_parse(parse);
}

/* ---- FLOAT and DOUBLE ---------------------------------------------------- */

static bool is_float(const PqCast *c)
{
    return c->type->physical == PQ_FLOAT;
}

static PqCastResult put_real(const PqCast *c, double v)
{
    if (is_float(c)) {
        c->out->u.f = (float)v;
    } else {
        c->out->u.d = v;
    }
    return PQ_CAST_OK;
}

PqCastResult pq_cast_real_whole(const PqCast *c)
{
    if (is_float(c)) {
        c->out->u.f = (float)whole_of(c->v);     /* rounded once */
    } else {
        c->out->u.d = (double)whole_of(c->v);
    }
    return PQ_CAST_OK;
}

PqCastResult pq_cast_real_real(const PqCast *c)
{
    return put_real(c, pq_cast_real_of(c->v));
}

/* The number in a text; one that is too large is an infinity. */
static PqCastResult put_real_text(const PqCast *c, PqSlice s)
{
    bool negative = s.n && s.p[0] == '-';
    PqParse parse = is_float(c) ? pq_number_parse_float(s, &c->out->u.f)
                                : pq_number_parse_double(s, &c->out->u.d);

    if (parse == PQ_PARSE_RANGE) {
        return put_real(c, negative ? -INFINITY : INFINITY);
    }
    return pq_cast_of_parse(parse);
}

PqCastResult pq_cast_real_decimal(const PqCast *c)
{
    if (!is_float(c)) {
        c->out->u.d = pq_decimal_real_i128(c->v->u.decimal, c->v->scale);
        return PQ_CAST_OK;
    }
    pq_decimal_text_i128(c->v->u.decimal, c->v->scale, c->text);
    return pq_buf_ok(c->text) ? put_real_text(c, pq_buf_view(c->text))
                              : PQ_CAST_ERROR;
}

PqCastResult pq_cast_real_timestamp(const PqCast *c)
{
    return put_real(c, (double)c->v->u.i /
                           (double)pq_unit_per_second(c->v->unit));
}

PqCastResult pq_cast_real_string(const PqCast *c)
{
    return put_real_text(c, pq_parse_trim(c->v->bytes));
}

/* ---- decimals ------------------------------------------------------------ */

static PqCastResult put_decimal(const PqCast *c, PqPlace v, int32_t scale)
{
    PqPlace end = ten_to(c->type->precision);

    c->out->scale = (uint8_t)c->type->scale;
    c->out->width = c->type->precision <= 9 ? 4 : c->type->precision <= 18
                    ? 8 : 16;
    return rescale(v, scale, c->type->scale, &c->out->u.decimal) &&
                   c->out->u.decimal > -end && c->out->u.decimal < end
               ? PQ_CAST_OK : PQ_CAST_RANGE;
}

PqCastResult pq_cast_decimal_whole(const PqCast *c)
{
    return put_decimal(c, whole_of(c->v), 0);
}

PqCastResult pq_cast_decimal_decimal(const PqCast *c)
{
    return put_decimal(c, c->v->u.decimal, c->v->scale);
}

PqCastResult pq_cast_decimal_timestamp(const PqCast *c)
{
    return put_decimal(c, c->v->u.i, c->v->unit == PQ_NANOS    ? 9
                                     : c->v->unit == PQ_MICROS ? 6 : 3);
}

static PqCastResult put_decimal_text(const PqCast *c, PqSlice s)
{
    static const PqType any = {.physical = PQ_BYTE_ARRAY,
                               .logical = PQ_TYPE_DECIMAL};
    uint8_t be[PQ_DECIMAL_WIDE];
    PqPlace v = 0;
    PqParse parse;
    size_t n = 0;

    parse = pq_decimal_parse_rounded(s, c->type->precision, c->type->scale,
                                     be, &n);
    if (parse != PQ_PARSE_OK) {
        return pq_cast_of_parse(parse);
    }
    pq_place_of(&any, pq_slice(be, n), &v);
    return put_decimal(c, v, c->type->scale);
}

PqCastResult pq_cast_decimal_real(const PqCast *c)
{
    double v = pq_cast_real_of(c->v);
    char text[PQ_NUMBER_TEXT_ROOM];

    if (!isfinite(v)) {
        return PQ_CAST_RANGE;
    }
    return put_decimal_text(c, pq_slice(text, pq_number_text_double(v, text)));
}

PqCastResult pq_cast_decimal_string(const PqCast *c)
{
    return put_decimal_text(c, c->v->bytes);
}
