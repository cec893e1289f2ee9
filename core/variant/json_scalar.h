/*
** json_scalar.h - prints one scalar value as JSON text.
**
** A value must have the same text whether it comes from a leaf of a nested
** column, from the bytes of a Variant, or from a shredded part of one.  So only
** this file writes it:
**
**   numbers     as numbers; NaN is null, an infinity 9e999 with its sign
**   DECIMAL     a number with all its digits
**   temporal    the texts of time_text.h, quoted; a TIME outside its day is
**               the stored integer
**   BLOB        upper-case hex, quoted
**
** Everything appends to a buffer whose error is sticky (bytes.h).  The
** functions are inline because they run once per value.
*/
#ifndef PQ_JSON_SCALAR_H
#define PQ_JSON_SCALAR_H

#include "core/text/json_text.h"
#include "core/text/number_text.h"
#include "core/text/time_text.h"

#include <math.h>

/* pq_buf_room, but without a call if there is room. */
static inline char *pq_json_scalar_room(PqBuf *out, size_t n)
{
    if (PQ_LIKELY(out->room - out->n >= n && pq_buf_ok(out))) {
        return (char *)out->p + out->n;
    }
    return (char *)pq_buf_room(out, n);
}

static inline void pq_json_scalar_byte(PqBuf *out, char c)
{
    char *p = pq_json_scalar_room(out, 1);

    if (PQ_LIKELY(p != NULL)) {
        *p = c;
        out->n++;
    }
}

static inline void pq_json_scalar_raw(PqBuf *out, const void *text, size_t n)
{
    char *p = pq_json_scalar_room(out, n);

    if (PQ_LIKELY(p != NULL) && n) {
        memcpy(p, text, n);
        out->n += n;
    }
}

static inline void pq_json_scalar_null(PqBuf *out)
{
    pq_json_scalar_raw(out, "null", 4);
}

static inline void pq_json_scalar_bool(bool v, PqBuf *out)
{
    if (v) {
        pq_json_scalar_raw(out, "true", 4);
    } else {
        pq_json_scalar_raw(out, "false", 5);
    }
}

static inline void pq_json_scalar_i64(int64_t v, PqBuf *out)
{
    char *p = pq_json_scalar_room(out, PQ_NUMBER_TEXT_ROOM);

    if (PQ_LIKELY(p != NULL)) {
        out->n += pq_number_text_i64(v, p);
    }
}

static inline void pq_json_scalar_u64(uint64_t v, PqBuf *out)
{
    char *p = pq_json_scalar_room(out, PQ_NUMBER_TEXT_ROOM);

    if (PQ_LIKELY(p != NULL)) {
        out->n += pq_number_text_u64(v, p);
    }
}

static inline void pq_json_scalar_double(double v, PqBuf *out)
{
    char *p = pq_json_scalar_room(out, PQ_NUMBER_TEXT_ROOM);

    if (isnan(v)) {
        pq_json_scalar_null(out);
    } else if (PQ_LIKELY(p != NULL)) {
        out->n += pq_number_text_double(v, p);
    }
}

static inline void pq_json_scalar_float(float v, PqBuf *out)
{
    char *p = pq_json_scalar_room(out, PQ_NUMBER_TEXT_ROOM);

    if (isnan(v)) {
        pq_json_scalar_null(out);
    } else if (PQ_LIKELY(p != NULL)) {
        out->n += pq_number_text_float(v, p);
    }
}

/* Room for a text of n bytes in quotes: the place after the first quote, or
** NULL.  pq_json_scalar_quote then adds the quotes around it. */
static inline char *pq_json_scalar_quoted(PqBuf *out, size_t n)
{
    char *p = pq_json_scalar_room(out, n + 2);

    return PQ_LIKELY(p != NULL) ? p + 1 : NULL;
}

static inline void pq_json_scalar_quote(PqBuf *out, size_t n)
{
    uint8_t *p = out->p + out->n;

    p[0] = p[n + 1] = '"';
    out->n += n + 2;
}

/* The texts of time_text.h in quotes. */
static inline void pq_json_scalar_date(int32_t days, PqBuf *out)
{
    char *p = pq_json_scalar_quoted(out, PQ_TIME_TEXT_ROOM);

    if (p) {
        pq_json_scalar_quote(out, pq_time_text_date(days, p));
    }
}

static inline void pq_json_scalar_time(int64_t v, PqUnit unit, PqBuf *out)
{
    char *p = pq_json_scalar_quoted(out, PQ_TIME_TEXT_ROOM);
    size_t n = p ? pq_time_text_time(v, unit, p) : 0;

    if (p) {                         /* outside its day: the digits */
        pq_json_scalar_quote(out, n ? n : pq_number_text_i64(v, p));
    }
}

static inline void pq_json_scalar_timestamp(int64_t v, PqUnit unit, PqBuf *out)
{
    char *p = pq_json_scalar_quoted(out, PQ_TIME_TEXT_ROOM);

    if (p) {
        pq_json_scalar_quote(out, pq_time_text_timestamp(v, unit, p));
    }
}

static inline void pq_json_scalar_uuid(const uint8_t v[16], PqBuf *out)
{
    char *p = pq_json_scalar_quoted(out, PQ_UUID_TEXT);

    if (p) {
        pq_uuid_text(v, p);
        pq_json_scalar_quote(out, PQ_UUID_TEXT);
    }
}

static inline void pq_json_scalar_hex(PqSlice s, PqBuf *out)
{
    pq_json_scalar_byte(out, '"');
    pq_hex_text(s, out);
    pq_json_scalar_byte(out, '"');
}

#endif
