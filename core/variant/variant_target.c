/*
** variant_target.c - the types that a Variant is cast to, by name.
*/
#include "core/variant/variant_cast_inside.h"

#include "core/meta/schema.h"

#include <stdio.h>

enum { MAX_PRECISION = 38, USUAL_PRECISION = 10 };

#define INT(bits)                                                     \
    {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = (bits), \
     .is_signed = true}
#define STAMP(zone)                                                   \
    {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP,              \
     .unit = PQ_MICROS, .utc = (zone)}

/* The first name of a type is shown. */
static const struct { const char *name; PqType type; } names[] = {
    {"boolean", {.physical = PQ_BOOLEAN}},
    {"tinyint", INT(8)},
    {"smallint", INT(16)},
    {"int", {.physical = PQ_INT32}},
    {"bigint", {.physical = PQ_INT64}},
    {"float", {.physical = PQ_FLOAT}},
    {"double", {.physical = PQ_DOUBLE}},
    {"decimal", {.logical = PQ_TYPE_DECIMAL}},
    {"string", {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING}},
    {"binary", {.physical = PQ_BYTE_ARRAY}},
    {"date", {.physical = PQ_INT32, .logical = PQ_TYPE_DATE}},
    {"time", {.physical = PQ_INT64, .logical = PQ_TYPE_TIME,
              .unit = PQ_MICROS}},
    {"timestamp", STAMP(true)},
    {"timestamp_ntz", STAMP(false)},
    {"uuid", {.physical = PQ_FIXED, .fixed_length = 16,
              .logical = PQ_TYPE_UUID}},
    {"variant", {.logical = PQ_TYPE_UNKNOWN}},

    {"bool", {.physical = PQ_BOOLEAN}},
    {"byte", INT(8)},
    {"short", INT(16)},
    {"integer", {.physical = PQ_INT32}},
    {"long", {.physical = PQ_INT64}},
    {"dec", {.logical = PQ_TYPE_DECIMAL}},
    {"numeric", {.logical = PQ_TYPE_DECIMAL}},
    {"text", {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING}},
    {"blob", {.physical = PQ_BYTE_ARRAY}}
};

const char *pq_variant_target_name(uint32_t i)
{
    return i < PQ_COUNT(names) ? names[i].name : NULL;
}

/* ---- a type by name ------------------------------------------------------ */

static bool take_number(PqSlice *s, int32_t *out)
{
    int64_t v = 0;
    size_t n = 0;

    *s = pq_parse_trim(*s);
    for (; n < s->n && pq_ascii_is_digit(s->p[n]); n++) {
        v = v < 1000 ? v * 10 + (s->p[n] - '0') : v;
    }
    *s = pq_parse_trim(pq_slice(s->p + n, s->n - n));
    *out = (int32_t)v;
    return n > 0;
}

static bool take_byte(PqSlice *s, char c)
{
    if (s->n == 0 || s->p[0] != (uint8_t)c) {
        return false;
    }
    *s = pq_slice(s->p + 1, s->n - 1);
    return true;
}

/* (10,2), (10) or nothing. */
static PqRc decimal_arguments(PqSlice s, PqType *t, PqErr *e)
{
    bool good = true;

    t->precision = USUAL_PRECISION;
    t->scale = 0;
    if (take_byte(&s, '(')) {
        good = take_number(&s, &t->precision) &&
               (!take_byte(&s, ',') || take_number(&s, &t->scale)) &&
               take_byte(&s, ')') && s.n == 0;
    }
    if (!good || t->precision < 1 || t->precision > MAX_PRECISION ||
        t->scale > t->precision) {
        return pq_fail(e, PQ_USAGE, "a decimal is decimal(precision,scale), "
                       "with a precision of 1 to 38 and a scale of at most "
                       "the precision");
    }
    pq_type_store(t);
    return PQ_OK;
}

static bool is_shown(size_t i)
{
    size_t k;

    for (k = 0; k < i && !pq_type_equal(&names[k].type, &names[i].type); k++) {
    }
    return k == i;
}

static PQ_COLD PqRc no_such_type(PqSlice name, PqErr *e)
{
    char types[256];
    int n = 0;

    for (size_t i = 0; i < PQ_COUNT(names) && n < (int)sizeof types; i++) {
        if (is_shown(i)) {
            bool digits = names[i].type.logical == PQ_TYPE_DECIMAL;
            n += snprintf(types + n, sizeof types - (size_t)n, "%s%s%s",
                          i ? ", " : "", names[i].name, digits ? "(p,s)" : "");
        }
    }
    return pq_fail(e, PQ_USAGE, "there is no type \"%.*s\" for a Variant; the "
                   "types are %s", (int)(name.n < 64 ? name.n : 64),
                   (const char *)name.p, types);
}

PqRc pq_variant_target_parse(PqSlice name, PqVariantTarget *out, PqErr *e)
{
    PqSlice s = pq_parse_trim(name), word, rest;
    size_t n = 0, i;

    *out = (PqVariantTarget){0};
    while (n < s.n && s.p[n] != '(') {
        n++;
    }
    rest = pq_slice(s.p + n, s.n - n);
    word = pq_parse_trim(pq_slice(s.p, n));
    for (i = 0; i < PQ_COUNT(names) &&
                !pq_parse_is_word(word, names[i].name); i++) {
    }
    if (i == PQ_COUNT(names)) {
        return no_such_type(word, e);
    }
    out->type = names[i].type;
    out->is_variant = out->type.logical == PQ_TYPE_UNKNOWN;
    if (out->type.logical == PQ_TYPE_DECIMAL) {
        return decimal_arguments(rest, &out->type, e);
    }
    return rest.n ? pq_fail(e, PQ_USAGE, "the type %s takes no arguments",
                            names[i].name) : PQ_OK;
}

void pq_variant_target_text(const PqVariantTarget *t, PqBuf *out)
{
    if (t->is_variant) {
        pq_buf_text(out, "variant");
        return;
    }
    if (t->type.logical == PQ_TYPE_DECIMAL) {
        pq_buf_printf(out, "decimal(%d,%d)", t->type.precision, t->type.scale);
        return;
    }
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        if (pq_type_equal(&names[i].type, &t->type)) {
            pq_buf_text(out, names[i].name);
            return;
        }
    }
    pq_type_text(&t->type, out);
}
