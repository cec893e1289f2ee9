/*
** interval.c - an INTERVAL as an ISO 8601 duration, and back.
**
**   P1Y2M3DT12.345S
**   0e 00 00 00  03 00 00 00  39 30 00 00      14 months, 3 days, 12345 ms
**   P14M3DT12.345S
**
** Nothing is carried from one part to the next: the length of a month or a day
** depends on when it begins.
**
** In a text letters come in a fixed order, each at most once.  Only seconds may
** have a fraction.  A count may have any number of digits: one that is too large
** for its part must stay too large, and not wrap.
*/
#include "core/text/digits.h"
#include "core/text/time_parse.h"

static char *put_part(uint32_t v, char letter, char *out)
{
    if (v) {
        out = pq_digits_u64(out, v);
        *out++ = letter;
    }
    return out;
}

size_t pq_time_text_interval(const uint8_t v[12], char *out)
{
    uint32_t months = pq_load_u32(v), days = pq_load_u32(v + 4);
    uint32_t millis = pq_load_u32(v + 8);
    char *end = out;

    *end++ = 'P';
    end = put_part(months, 'M', end);
    end = put_part(days, 'D', end);
    if (millis || !(months || days)) {
        *end++ = 'T';
        end = pq_digits_u64(end, millis / 1000);
        if (millis % 1000) {
            *end++ = '.';
            end = pq_digits_3(end, millis % 1000);
        }
        *end++ = 'S';
    }
    *end = 0;
    return (size_t)(end - out);
}

/* ---- parsing ------------------------------------------------------------- */

typedef enum Part { MONTHS, DAYS, MILLIS, PARTS } Part;

typedef struct Letter {
    char     letter;
    Part     part;
    uint32_t unit;
} Letter;

static const Letter letters[] = {
    {'Y', MONTHS, 12}, {'M', MONTHS, 1}, {'W', DAYS, 7}, {'D', DAYS, 1},
    {'T', PARTS, 0},
    {'H', MILLIS, 3600000}, {'M', MILLIS, 60000}, {'S', MILLIS, 1000}
};

/* A count and its fraction, in thousandths. */
typedef struct Count {
    uint64_t whole;                  /* stops growing beyond 32 bits         */
    uint32_t thousandths;
    bool     has_point, finer;
} Count;

static bool take_count(PqSlice *s, Count *out)
{
    uint32_t unit = 1000;
    size_t n = 0;

    *out = (Count){0};
    for (; n < s->n && pq_ascii_is_digit(s->p[n]); n++) {
        if (out->whole <= UINT32_MAX) {
            out->whole = out->whole * 10 + (uint64_t)(s->p[n] - '0');
        }
    }
    if (n && n < s->n && s->p[n] == '.') {
        out->has_point = true;
        for (n++; n < s->n && pq_ascii_is_digit(s->p[n]); n++) {
            unit /= 10;
            out->thousandths += (uint32_t)(s->p[n] - '0') * unit;
            out->finer = out->finer || (unit == 0 && s->p[n] != '0');
        }
        if (s->p[n - 1] == '.') {
            return false;
        }
    }
    s->p += n;
    s->n -= n;
    return n > 0;
}

/* Takes a letter that is in the table from `from` on.  Returns its index, or
** the size of the table. */
static size_t take_letter(PqSlice *s, size_t from)
{
    for (; s->n && from < PQ_COUNT(letters); from++) {
        if (s->p[0] == (uint8_t)letters[from].letter) {
            s->p++;
            s->n--;
            return from;
        }
        if (letters[from].part == PARTS) {
            break;                   /* the letters after it need a T        */
        }
    }
    return PQ_COUNT(letters);
}

static PqParse take_parts(PqSlice s, uint64_t part[PARTS], bool *finer)
{
    size_t at = 0;
    Count count;

    do {
        if (s.n && s.p[0] == 'T') {
            if ((at = take_letter(&s, at)) == PQ_COUNT(letters)) {
                return PQ_PARSE_NOT;
            }
            at++;
        }
        if (!take_count(&s, &count) ||
            (at = take_letter(&s, at)) == PQ_COUNT(letters) ||
            letters[at].part == PARTS ||
            (count.has_point && letters[at].letter != 'S')) {
            return PQ_PARSE_NOT;
        }
        part[letters[at].part] += count.whole * letters[at].unit +
                                  count.thousandths;
        *finer = *finer || count.finer;
        at++;
    } while (s.n);
    return PQ_PARSE_OK;
}

PqParse pq_time_parse_interval(PqSlice text, bool cut, uint8_t out[12])
{
    PqSlice s = pq_parse_trim(text);
    uint64_t part[PARTS] = {0};
    bool finer = false;

    if (s.n < 2 || s.p[0] != 'P' ||
        take_parts(pq_slice(s.p + 1, s.n - 1), part, &finer) != PQ_PARSE_OK) {
        return PQ_PARSE_NOT;
    }
    for (int i = 0; i < PARTS; i++) {
        if (part[i] > UINT32_MAX) {
            return PQ_PARSE_RANGE;
        }
        pq_store_u32(out + 4 * i, (uint32_t)part[i]);
    }
    return finer && !cut ? PQ_PARSE_FINER : PQ_PARSE_OK;
}
