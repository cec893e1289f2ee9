/*
** variant_parse.c - feeds the tokens of a JSON text to a builder.
**
** Numbers are read from their digits, once, into 64 or 128 bits:
**
**   -17        digits 17, no point          INT
**   12.50      digits 1250, scale 2         DECIMAL
**   1e3        an exponent                  DOUBLE
**   39 digits, or 39 after the point        DOUBLE
**
** QUIRK: Spark gives infinity for 1e400, which is too large for a DOUBLE, and
** so do we.  It is then printed as 9e999.
*/
#include "core/variant/variant_build.h"

#include "core/text/json_read.h"
#include "core/text/number_parse.h"
#include "core/text/utf8.h"

#include <math.h>

enum { MOST_DIGITS = 38, FEW_DIGITS = 18 };

/* ---- numbers ------------------------------------------------------------- */

typedef struct Digits {
    PqPlace  value;                  /* without the sign */
    uint32_t n;                      /* from the first on that is not 0 */
    uint32_t scale;
    bool     negative, point, plain; /* plain: up to MOST_DIGITS and no e */
} Digits;

/* text is a number of JSON. */
static Digits read_digits(PqSlice text)
{
    const uint8_t *p = text.p, *end = text.p + text.n;
    Digits d = {.negative = *p == '-'};
    uint64_t small = 0;

    for (p += d.negative; p < end; p++) {
        uint8_t digit = (uint8_t)(*p - '0');
        if (digit < 10 && d.n < MOST_DIGITS) {
            d.n += d.n || digit;
            d.scale += d.point;
            small = small * 10 + digit;
            if (d.n == FEW_DIGITS) {
                d.value = small;
            } else if (d.n > FEW_DIGITS) {
                d.value = d.value * 10 + digit;
            }
        } else if (*p == '.') {
            d.point = true;
        } else {
            break;
        }
    }
    if (d.n < FEW_DIGITS) {
        d.value = (PqPlace)small;
    }
    d.plain = p == end && d.scale <= MOST_DIGITS;
    return d;
}

static void read_double(PqSlice text, PqVariantValue *out)
{
    double v = 0;

    if (pq_number_parse_double(text, &v) != PQ_PARSE_OK) {
        v = text.p[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    }
    *out = (PqVariantValue){.kind = PQ_VARIANT_DOUBLE, .u.d = v};
}

static void build_number(PqVariantBuild *b, PqSlice text)
{
    Digits d = read_digits(text);
    PqPlace value = d.negative ? -d.value : d.value;
    PqVariantValue v;

    if (!d.plain) {
        read_double(text, &v);
    } else if (!d.point && value == (int64_t)value) {
        v = (PqVariantValue){.kind = PQ_VARIANT_INT, .u.i = (int64_t)value};
    } else {
        v = (PqVariantValue){.kind = PQ_VARIANT_DECIMAL, .u.decimal = value,
                             .scale = (uint8_t)d.scale};
    }
    pq_variant_build_value(b, &v);
}

/* ---- the text ------------------------------------------------------------ */

static void build_bool(PqVariantBuild *b, bool is_true)
{
    pq_variant_build_value(
        b, &(PqVariantValue){.kind = PQ_VARIANT_BOOL, .u.b = is_true});
}

static void build_token(PqVariantBuild *b, const PqJsonToken *t)
{
    switch (t->kind) {
    case PQ_JSON_KEY:    pq_variant_build_name(b, t->text); break;
    case PQ_JSON_STRING:
        pq_variant_build_value(b, &(PqVariantValue){.kind = PQ_VARIANT_STRING,
                                                    .bytes = t->text});
        break;
    case PQ_JSON_NUMBER: build_number(b, t->text); break;
    case PQ_JSON_OBJECT: pq_variant_build_group(b, true); break;
    case PQ_JSON_ARRAY:  pq_variant_build_group(b, false); break;
    case PQ_JSON_TRUE:   build_bool(b, true); break;
    case PQ_JSON_FALSE:  build_bool(b, false); break;
    case PQ_JSON_NULL:
        pq_variant_build_value(b, &(PqVariantValue){.kind = PQ_VARIANT_NULL});
        break;
    default:
        pq_variant_build_end(b);
        break;
    }
}

/* Beyond ASCII the grammar allows any bytes, and only in strings. */
static PqRc check_utf8(PqSlice json, PqErr *e)
{
    const uint8_t *p = json.p, *end = json.p + json.n;
    bool good = true;

    if (pq_utf8_valid(json)) {
        return PQ_OK;
    }
    while (good) {
        size_t n = pq_utf8_step(p, end, &good);
        p += good ? n : 0;
    }
    return pq_fail(e, PQ_CORRUPT, "malformed JSON at byte %zu: bytes that are "
                   "not UTF-8", (size_t)(p - json.p));
}

PqRc pq_variant_parse(PqSlice json, PqVariantBuild *b, PqArena *scratch,
                      PqErr *e)
{
    PqJsonRead r;
    PqJsonToken t;

    if (json.n > PQ_VARIANT_MAX_BYTES) {
        return pq_fail(e, PQ_UNSUPPORTED, "a JSON text of more than %d bytes",
                       PQ_VARIANT_MAX_BYTES);
    }
    PQ_TRY(check_utf8(json, e));
    pq_json_read_begin(&r, json, scratch);
    for (;;) {
        PQ_TRY(pq_json_read_next(&r, &t, e));
        if (t.kind == PQ_JSON_END) {
            return pq_variant_build_error(b, e);
        }
        build_token(b, &t);
        if (t.kind >= PQ_JSON_ARRAY) {
            PQ_TRY(pq_variant_build_error(b, e));
        }
    }
}
