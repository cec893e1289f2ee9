/*
** door_texts.c - see door_texts.h.
*/
#include "test/fuzz/door_texts.h"

#include "core/text/parse.h"
#include "core/text/number_parse.h"
#include "core/text/time_parse.h"

#include <math.h>
#include <stdlib.h>

typedef struct Texts {
    PqSlice  text;
    uint64_t bits;
    int32_t  precision, scale;
    PqMem   *mem;
} Texts;

/* ---- numbers ------------------------------------------------------------- */

static void integers(const Texts *t)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    int64_t v = (int64_t)t->bits, again;
    uint64_t u = t->bits, u_again;
    int turn;

    for (turn = 0; turn < 2; turn++) {       /* from the bits, then the text */
        size_t n = pq_number_text_i64(v, text);
        DOOR_CHECK(pq_number_parse_i64(pq_slice(text, n), &again) ==
                   PQ_PARSE_OK);
        DOOR_CHECK(again == v);
        n = pq_number_text_u64(u, text);
        DOOR_CHECK(pq_number_parse_u64(pq_slice(text, n), &u_again) ==
                   PQ_PARSE_OK);
        DOOR_CHECK(u_again == u);
        if (pq_number_parse_i64(t->text, &v) != PQ_PARSE_OK) {
            v = 7;
        } else if (v >= 0) {
            DOOR_CHECK(pq_number_parse_u64(t->text, &u) == PQ_PARSE_OK);
            DOOR_CHECK(u == (uint64_t)v);
        }
        if (pq_number_parse_u64(t->text, &u) != PQ_PARSE_OK) {
            u = 7;
        }
    }
}

/* Has the text only characters of a plain number?  strtod takes more. */
static bool is_plain(PqSlice s)
{
    size_t i;

    for (i = 0; i < s.n; i++) {
        if (!strchr("0123456789+-.eE", s.p[i]) || s.p[i] == 0) {
            return false;
        }
    }
    return s.n > 0;
}

static void reals(const Texts *t)
{
    char text[PQ_NUMBER_TEXT_ROOM], *copy, *end;
    uint32_t half = (uint32_t)t->bits;
    double r, again;
    float f, f_again;

    memcpy(&r, &t->bits, sizeof r);
    memcpy(&f, &half, sizeof f);
    if (!isnan(r)) {
        size_t n = pq_number_text_double(r, text);
        DOOR_CHECK(pq_number_parse_double(pq_slice(text, n), &again) ==
                   PQ_PARSE_OK);
        DOOR_CHECK(memcmp(&r, &again, sizeof r) == 0);
    }
    if (!isnan(f)) {
        size_t n = pq_number_text_float(f, text);
        DOOR_CHECK(pq_number_parse_float(pq_slice(text, n), &f_again) ==
                   PQ_PARSE_OK);
        DOOR_CHECK(memcmp(&f, &f_again, sizeof f) == 0);
    }
    copy = (char *)door_copy(t->text);
    copy = realloc(copy, t->text.n + 1);
    DOOR_CHECK(copy != NULL);
    copy[t->text.n] = 0;
    if (pq_number_parse_double(t->text, &r) == PQ_PARSE_OK &&
        is_plain(t->text)) {
        again = strtod(copy, &end);
        DOOR_CHECK(*end == 0 && memcmp(&r, &again, sizeof r) == 0);
    }
    if (pq_number_parse_float(t->text, &f) == PQ_PARSE_OK &&
        is_plain(t->text)) {
        f_again = strtof(copy, &end);
        DOOR_CHECK(*end == 0 && memcmp(&f, &f_again, sizeof f) == 0);
    }
    free(copy);
}

static void halves(const Texts *t)
{
    uint16_t bits = (uint16_t)t->bits, again;
    float v = pq_float16_value(bits);
    double r;

    DOOR_CHECK(pq_float16_bits((double)v, &again));
    DOOR_CHECK(isnan(v) || again == bits);
    memcpy(&r, &t->bits, sizeof r);
    if (pq_float16_bits(r, &bits) && !isnan(r)) {
        DOOR_CHECK(!isnan(pq_float16_value(bits)));
    }
}

/* A DECIMAL of 64 bits and one of any size are read as the same number. */
static void decimal(const Texts *t, PqSlice text, PqBuf *out, PqErr *e)
{
    uint8_t be[PQ_DECIMAL_BYTES], be_again[PQ_DECIMAL_BYTES];
    int64_t v, again;
    size_t n, n_again;
    PqParse small = pq_decimal_parse_i64(text, t->precision, t->scale, &v);
    PqParse any = pq_decimal_parse_bytes(text, t->precision, t->scale, be, &n);

    DOOR_CHECK(small != PQ_PARSE_OK || any == PQ_PARSE_OK);
    if (any != PQ_PARSE_OK) {
        return;
    }
    out->n = 0;
    pq_decimal_text_bytes(pq_slice(be, n), t->scale, out);
    DOOR_CHECK(pq_buf_ok(out) || e->rc == PQ_BUDGET);
    DOOR_CHECK(pq_decimal_parse_bytes(pq_buf_view(out), t->precision, t->scale,
                                      be_again, &n_again) == PQ_PARSE_OK);
    DOOR_CHECK(n == n_again && memcmp(be, be_again, n) == 0);
    DOOR_CHECK(pq_decimal_fits_i64(pq_slice(be, n), &again) ==
               (small == PQ_PARSE_OK));
    if (small == PQ_PARSE_OK) {
        DOOR_CHECK(again == v);
        out->n = 0;
        pq_decimal_text_i128(v, t->scale, out);
        DOOR_CHECK(pq_decimal_parse_i64(pq_buf_view(out), t->precision,
                                        t->scale, &again) == PQ_PARSE_OK);
        DOOR_CHECK(again == v);
    }
}

static void decimals(const Texts *t, PqErr *e)
{
    double r, nearest;
    int64_t v;
    PqBuf out;

    pq_buf_init(&out, t->mem, e);
    decimal(t, t->text, &out, e);
    if (t->precision <= PQ_DECIMAL_REAL_DIGITS) {
        memcpy(&r, &t->bits, sizeof r);
        if (!isnan(r) && pq_decimal_parse_real(r, t->precision, t->scale,
                                               &v) == PQ_PARSE_OK) {
            nearest = pq_decimal_real_i64(v, t->scale);
            DOOR_CHECK(pq_decimal_parse_real(nearest, t->precision, t->scale,
                                             &v) == PQ_PARSE_OK);
            DOOR_CHECK(nearest == pq_decimal_real_i64(v, t->scale));
        }
    }
    pq_buf_free(&out);
}

/* ---- times --------------------------------------------------------------- */

static void date(int32_t days)
{
    char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_date(days, text);
    int32_t again;

    DOOR_CHECK(pq_time_parse_date(pq_slice(text, n), &again) == PQ_PARSE_OK);
    DOOR_CHECK(again == days);
}

static void clock_of(int64_t v, PqUnit unit)
{
    char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_time(v, unit, text);
    int64_t again;

    if (n) {
        DOOR_CHECK(pq_time_parse_time(pq_slice(text, n), unit, false,
                                      &again) == PQ_PARSE_OK);
        DOOR_CHECK(again == v);
    }
}

static void timestamp(int64_t v, PqUnit unit)
{
    char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_timestamp(v, unit, text);
    int64_t again;

    DOOR_CHECK(pq_time_parse_timestamp(pq_slice(text, n), unit, false,
                                       &again) == PQ_PARSE_OK);
    DOOR_CHECK(again == v);
}

static void int96(const uint8_t v[12])
{
    char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_int96(v, text);
    int64_t seconds, seconds_again;
    uint32_t nanos, nanos_again;
    uint8_t again[12];
    PqParse parse = pq_time_parse_int96(pq_slice(text, n), false, again);

    pq_int96_instant(v, &seconds, &nanos);
    if (parse == PQ_PARSE_OK) {      /* a carry may overflow */
        pq_int96_instant(again, &seconds_again, &nanos_again);
        DOOR_CHECK(seconds == seconds_again && nanos == nanos_again);
    } else {
        DOOR_CHECK(parse == PQ_PARSE_RANGE);
    }
}

static void interval(const uint8_t v[12])
{
    char text[PQ_TIME_TEXT_ROOM];
    size_t n = pq_time_text_interval(v, text);
    uint8_t again[12];

    DOOR_CHECK(pq_time_parse_interval(pq_slice(text, n), false, again) ==
               PQ_PARSE_OK);
    DOOR_CHECK(memcmp(v, again, 12) == 0);
}

typedef PqParse (*ReadTime)(PqSlice text, PqUnit unit, bool may_cut,
                            int64_t *out);

/* A text that is read exactly gives the same when digits may be cut. */
static void time_of_text(PqSlice text, PqUnit unit, ReadTime read,
                         void (*check)(int64_t v, PqUnit unit))
{
    int64_t v, cut;

    if (read(text, unit, true, &cut) == PQ_PARSE_OK) {
        check(cut, unit);
    }
    if (read(text, unit, false, &v) == PQ_PARSE_OK) {
        DOOR_CHECK(read(text, unit, true, &cut) == PQ_PARSE_OK);
        DOOR_CHECK(v == cut);
    }
}

static void times_of_unit(const Texts *t, PqUnit unit)
{
    time_of_text(t->text, unit, pq_time_parse_time, clock_of);
    time_of_text(t->text, unit, pq_time_parse_timestamp, timestamp);
    clock_of((int64_t)(t->bits % (uint64_t)(86400 * pq_unit_per_second(unit))),
             unit);
    timestamp((int64_t)t->bits, unit);
}

static void times(const Texts *t)
{
    uint8_t v[12] = {0}, cut[12];
    int32_t days;

    for (int unit = PQ_MILLIS; unit <= PQ_NANOS; unit++) {
        times_of_unit(t, (PqUnit)unit);
    }
    date((int32_t)t->bits);
    if (pq_time_parse_date(t->text, &days) == PQ_PARSE_OK) {
        date(days);
    }
    memcpy(v, &t->bits, 8);
    interval(v);
    int96(v);
    if (t->text.n >= 12) {
        interval(t->text.p);
        int96(t->text.p);
    }
    if (pq_time_parse_int96(t->text, false, v) == PQ_PARSE_OK) {
        int96(v);
        DOOR_CHECK(pq_time_parse_int96(t->text, true, cut) == PQ_PARSE_OK);
        DOOR_CHECK(memcmp(v, cut, 12) == 0);
    }
    if (pq_time_parse_interval(t->text, false, v) == PQ_PARSE_OK) {
        interval(v);
        DOOR_CHECK(pq_time_parse_interval(t->text, true, cut) == PQ_PARSE_OK);
        DOOR_CHECK(memcmp(v, cut, 12) == 0);
    }
}

/* ---- bytes and JSON ------------------------------------------------------ */

static void bytes(const Texts *t, PqErr *e)
{
    uint8_t *room = malloc(t->text.n / 2 + 1), uuid[16], again[16];
    char text[36];
    PqBuf out;

    DOOR_CHECK(room != NULL);
    pq_buf_init(&out, t->mem, e);
    pq_hex_text(t->text, &out);
    DOOR_CHECK(out.n == 2 * t->text.n);
    if (pq_hex_parse(t->text, room) == PQ_PARSE_OK) {
        PqSlice s = pq_slice(room, t->text.n / 2);
        uint8_t *back = malloc(s.n + 1);

        out.n = 0;
        pq_hex_text(s, &out);
        DOOR_CHECK(back && pq_hex_parse(pq_buf_view(&out), back) ==
                               PQ_PARSE_OK);
        DOOR_CHECK(memcmp(room, back, s.n) == 0);
        free(back);
    }
    if (pq_uuid_parse(t->text, uuid) == PQ_PARSE_OK) {
        pq_uuid_text(uuid, text);
        DOOR_CHECK(pq_uuid_parse(pq_slice(text, sizeof text), again) ==
                   PQ_PARSE_OK);
        DOOR_CHECK(memcmp(uuid, again, sizeof uuid) == 0);
    }
    pq_buf_free(&out);
    free(room);
}

/* Reads the text token by token, and skips it as a whole.  Then writes the text
** as a JSON string, which must read back as that text. */
static void json(const Texts *t, PqErr *e)
{
    PqArena strings;
    PqJsonToken token, whole;
    PqJsonRead r;
    PqSlice all;
    PqErr second;
    PqRc rc, rc_skip;
    PqBuf out;

    pq_arena_init(&strings, t->mem);
    pq_err_init(&second);
    pq_json_read_begin(&r, t->text, &strings);
    do {
        rc = pq_json_read_next(&r, &token, e);
    } while (rc == PQ_OK && token.kind != PQ_JSON_END);
    pq_json_read_begin(&r, t->text, &strings);
    rc_skip = pq_json_read_next(&r, &whole, &second);
    if (rc_skip == PQ_OK) {
        rc_skip = pq_json_read_skip(&r, &whole, &all, &second);
    }
    if (rc_skip == PQ_OK) {
        DOOR_CHECK(all.p >= t->text.p &&
                   all.p + all.n <= t->text.p + t->text.n);
        rc_skip = pq_json_read_next(&r, &token, &second);
        DOOR_CHECK(rc_skip != PQ_OK || token.kind == PQ_JSON_END);
    }
    DOOR_CHECK(rc == rc_skip && strcmp(e->text, second.text) == 0);
    door_check_error(e, NULL);
    pq_err_clear(e);
    pq_err_clear(&second);
    pq_buf_init(&out, t->mem, e);
    pq_json_text_string(t->text, &out);
    pq_json_read_begin(&r, pq_buf_view(&out), &strings);
    DOOR_CHECK(pq_json_read_next(&r, &token, &second) == PQ_OK);
    DOOR_CHECK(token.kind == PQ_JSON_STRING && pq_utf8_valid(token.text));
    DOOR_CHECK(!pq_utf8_valid(t->text) || pq_slice_equal(token.text, t->text));
    pq_buf_free(&out);
    pq_arena_free(&strings);
}

void door_texts(PqSlice in)
{
    Texts t = {0};
    uint8_t *own, bits[8] = {0};
    PqSlice first = door_take(&in, sizeof bits);
    PqErr e;

    t.mem = door_open(&e);
    if (first.n) {
        memcpy(bits, first.p, first.n);
    }
    t.bits = pq_load_u64(bits);
    t.precision = 1 + door_u8(&in);
    t.scale = door_u8(&in) % (t.precision + 1);
    own = door_copy(in);
    t.text = pq_slice(own, in.n);
    integers(&t);
    reals(&t);
    halves(&t);
    decimals(&t, &e);
    times(&t);
    bytes(&t, &e);
    json(&t, &e);
    door_check_error(&e, NULL);
    free(own);
    door_close(t.mem);
}
