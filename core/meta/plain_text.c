/*
** plain_text.c - one function per kind of value.
**
** Values may come from a damaged file, so nothing is assumed about them.  A
** value of the wrong size, a text that is not UTF-8 or a time outside the day
** is shown as bytes or as the bare number.
*/
#include "core/meta/plain_text.h"

#include "core/text/json_text.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"

#include <math.h>

void pq_plain_text_bytes(PqSlice v, PqBuf *out)
{
    static const char digit[] = "0123456789ABCDEF";

    for (size_t i = 0; i < v.n; i++) {
        uint8_t c = v.p[i];

        if (c >= 0x20 && c < 0x7f && c != '\\') {
            pq_buf_byte(out, c);
        } else {
            pq_buf_text(out, "\\x");
            pq_buf_byte(out, (uint8_t)digit[c >> 4]);
            pq_buf_byte(out, (uint8_t)digit[c & 15]);
        }
    }
}

static void text_i64(int64_t v, PqBuf *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    pq_buf_add(out, text, pq_number_text_i64(v, text));
}

static void text_u64(uint64_t v, PqBuf *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    pq_buf_add(out, text, pq_number_text_u64(v, text));
}

static void text_real(double v, bool is_float, PqBuf *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    if (isnan(v)) {
        pq_buf_text(out, signbit(v) ? "-nan" : "nan");
    } else if (isinf(v)) {
        pq_buf_text(out, v < 0 ? "-inf" : "inf");
    } else {
        pq_buf_add(out, text, is_float ? pq_number_text_float((float)v, text)
                                       : pq_number_text_double(v, text));
    }
}

static void text_time(const PqType *t, int64_t v, PqBuf *out)
{
    char text[PQ_TIME_TEXT_ROOM];
    size_t n = t->logical == PQ_TYPE_TIME
                   ? pq_time_text_time(v, t->unit, text)
                   : pq_time_text_timestamp(v, t->unit, text);

    if (n) {
        pq_buf_add(out, text, n);
    } else {
        text_i64(v, out);            /* a time outside the day */
    }
}

static void text_integer(const PqType *t, int64_t v, PqBuf *out)
{
    char date[PQ_TIME_TEXT_ROOM];

    switch (t->logical) {
    case PQ_TYPE_DATE:
        pq_buf_add(out, date, pq_time_text_date((int32_t)v, date));
        return;
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        text_time(t, v, out);
        return;
    case PQ_TYPE_DECIMAL:
        pq_decimal_text_i128(v, t->scale, out);
        return;
    case PQ_TYPE_INT:
        if (!t->is_signed) {
            text_u64(t->physical == PQ_INT32 ? (uint32_t)v : (uint64_t)v, out);
            return;
        }
        break;
    default:
        break;
    }
    text_i64(v, out);
}

/* BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY. */
static void text_bytes(const PqType *t, PqSlice v, PqBuf *out)
{
    char text[PQ_TIME_TEXT_ROOM];

    if (t->logical == PQ_TYPE_DECIMAL) {
        pq_decimal_text_bytes(v, t->scale, out);
    } else if (t->logical == PQ_TYPE_UUID && v.n == 16) {
        pq_uuid_text(v.p, text);
        pq_buf_add(out, text, PQ_UUID_TEXT);
    } else if (t->logical == PQ_TYPE_FLOAT16 && v.n == 2) {
        text_real((double)pq_float16_value(pq_load_u16(v.p)), true, out);
    } else if (pq_type_is_time96(t) && v.n == PQ_TIME96_SIZE) {
        pq_buf_add(out, text, pq_time_text_time96(v.p, t->unit, text));
    } else if (t->logical == PQ_TYPE_INTERVAL && v.n == 12) {
        pq_buf_add(out, text, pq_time_text_interval(v.p, text));
    } else if (pq_type_is_text(t) && pq_utf8_valid(v)) {
        pq_buf_add(out, v.p, v.n);
    } else {
        pq_plain_text_bytes(v, out);
    }
}

/* Limits of what is printed as a DECIMAL.  Only a hostile file exceeds them. */
enum { DECIMAL_BYTES = 4096, DECIMAL_SCALE = 10000 };

static bool has_size(const PqType *t, PqSlice v)
{
    if (t->logical == PQ_TYPE_DECIMAL &&
        (t->scale > DECIMAL_SCALE || v.n > DECIMAL_BYTES)) {
        return false;
    }
    return t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED ||
           v.n == pq_physical_width(t->physical);
}

void pq_plain_text(const PqType *t, PqSlice v, PqBuf *out)
{
    char text[PQ_TIME_TEXT_ROOM];
    float f;
    double d;

    if (!has_size(t, v)) {
        pq_plain_text_bytes(v, out);
        return;
    }
    switch (t->physical) {
    case PQ_BOOLEAN:
        pq_buf_text(out, v.p[0] ? "true" : "false");
        return;
    case PQ_INT32:
        text_integer(t, (int32_t)pq_load_u32(v.p), out);
        return;
    case PQ_INT64:
        text_integer(t, (int64_t)pq_load_u64(v.p), out);
        return;
    case PQ_INT96:
        pq_buf_add(out, text, pq_time_text_int96(v.p, text));
        return;
    case PQ_FLOAT:
        memcpy(&f, v.p, sizeof f);
        text_real((double)f, true, out);
        return;
    case PQ_DOUBLE:
        memcpy(&d, v.p, sizeof d);
        text_real(d, false, out);
        return;
    default:
        text_bytes(t, v, out);
    }
}
