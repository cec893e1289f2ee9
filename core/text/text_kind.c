/*
** text_kind.c - recognizes the kind of a text.
**
** The form is checked here, more strictly than the parsers do.  The value is
** checked by the parser, so that a text of a kind is sure to be accepted when
** it is stored.
*/
#include "core/text/text_kind.h"

#include "core/text/number_parse.h"
#include "core/text/time_parse.h"

#include <math.h>

enum { DATE_SIZE = 10, MINUTE_SIZE = 16, EXACT_BITS = 53 };

/* ---- numbers --------------------------------------------------------------- */

static size_t digits_from(PqSlice s, size_t at)
{
    size_t i = at;

    while (i < s.n && pq_ascii_is_digit(s.p[i])) i++;
    return i - at;
}

/* -0 is only a REAL: an integer would lose its sign. */
static unsigned integer_kinds(PqSlice s)
{
    const int64_t exact = (int64_t)1 << EXACT_BITS;
    int64_t v;

    if (pq_number_parse_i64(s, &v) != PQ_PARSE_OK) {
        return 0;
    }
    return (v == 0 && s.n > 1 ? 0 : PQ_KIND_INTEGER) |
           (v >= -exact && v <= exact ? PQ_KIND_REAL : 0);
}

/* A number that is too small for a double does not count: it would become 0. */
static bool is_real(PqSlice s, size_t n_digits)
{
    double v;

    if (pq_number_parse_double(s, &v) != PQ_PARSE_OK || !isfinite(v)) {
        return false;
    }
    for (size_t i = 0; v == 0 && i < n_digits; i++) {
        if (s.p[i] > '0' && s.p[i] <= '9') {
            return false;
        }
    }
    return true;
}

static unsigned number_kinds(PqSlice s)
{
    size_t first = s.p[0] == '-', whole = digits_from(s, first);
    size_t at = first + whole, part = 0;

    if (whole > 1 && s.p[first] == '0') {
        return 0;
    }
    if (at == s.n) {
        return whole ? integer_kinds(s) : 0;
    }
    if (s.p[at] == '.') {
        part = digits_from(s, at + 1);
        at += 1 + part;
    }
    if (whole + part == 0) {
        return 0;
    }
    if (at < s.n) {
        size_t n_digits = at, sign;

        if ((s.p[at] | 0x20) != 'e') {
            return 0;
        }
        at++;
        sign = at < s.n && (s.p[at] == '-' || s.p[at] == '+');
        whole = digits_from(s, at + sign);
        return whole && at + sign + whole == s.n && is_real(s, n_digits)
                   ? PQ_KIND_REAL : 0;
    }
    return is_real(s, at) ? PQ_KIND_REAL : 0;
}

/* ---- times ----------------------------------------------------------------- */

/* HH:MM, below 24:00. */
static bool is_minute(const uint8_t *p)
{
    return pq_ascii_is_digit(p[0]) && pq_ascii_is_digit(p[1]) && p[2] == ':' &&
           pq_ascii_is_digit(p[3]) && pq_ascii_is_digit(p[4]) &&
           (p[0] < '2' || (p[0] == '2' && p[1] < '4'));
}

static bool has_zone(PqSlice s)
{
    for (size_t i = MINUTE_SIZE; i < s.n; i++) {
        if (s.p[i] == 'Z' || s.p[i] == '+' || s.p[i] == '-') {
            return true;
        }
    }
    return false;
}

static unsigned time_kinds(PqSlice s)
{
    int32_t days;
    int64_t v;
    unsigned kinds;
    uint8_t last = s.p[s.n - 1];

    if (s.n == DATE_SIZE) {
        return pq_time_parse_date(s, &days) == PQ_PARSE_OK ? PQ_KIND_DATE : 0;
    }
    if (s.n < MINUTE_SIZE || (s.p[10] != ' ' && s.p[10] != 'T') ||
        !is_minute(s.p + DATE_SIZE + 1) || memchr(s.p, ',', s.n) ||
        (!pq_ascii_is_digit(last) && last != 'Z')) {
        return 0;
    }
    kinds = (pq_time_parse_timestamp(s, PQ_MICROS, false, &v) == PQ_PARSE_OK
                 ? PQ_KIND_STAMP_MICROS : 0) |
            (pq_time_parse_timestamp(s, PQ_NANOS, false, &v) == PQ_PARSE_OK
                 ? PQ_KIND_STAMP_NANOS : 0);
    return has_zone(s) ? kinds * (PQ_KIND_STAMP_UTC_MICROS / PQ_KIND_STAMP_MICROS)
                       : kinds;
}

/* ---- any ------------------------------------------------------------------- */

unsigned pq_text_kinds(PqSlice text)
{
    if (text.n == 0) {
        return 0;
    }
    if (pq_ascii_is_digit(text.p[0]) && text.n >= DATE_SIZE &&
        text.p[4] == '-') {
        return time_kinds(text);
    }
    if (pq_ascii_is_digit(text.p[0]) || text.p[0] == '-' || text.p[0] == '.') {
        return number_kinds(text);
    }
    return pq_parse_is_word(text, "true") || pq_parse_is_word(text, "false")
               ? PQ_KIND_BOOLEAN : 0;
}
