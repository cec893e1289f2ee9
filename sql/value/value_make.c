/*
** value_make.c - computes whole arrays of values, and chooses for each type
** what it becomes in SQLite.
**
** Each function takes an array of the physical type and fills an array of the
** type that its getter reads: PqStr, double or PqCell.
*/
#include "sql/value/value_inside.h"

#include <math.h>

#define EACH_VALID(i) PQ_EACH_BIT(i, valid, n)

/* The head of a function of the type PqsqlMake. */
#define MAKE(name)                                                          \
    static PqRc make_##name(PqsqlRecipe *r, const void *in,                 \
                            const uint64_t *valid, uint32_t n, void *out,   \
                            PqArena *texts, PqErr *e)

MAKE(dates)
{
    return pq_time_text_dates(in, valid, n, out, texts, e);
}

/* A time outside its day has no text, so its digits are returned: a column of
** affinity TEXT would store them as a text. */
static PqRc times(PqsqlRecipe *r, const int64_t *v, const uint64_t *valid,
                  uint32_t n, PqStr *out, PqArena *texts, PqErr *e)
{
    PQ_TRY(pq_time_text_times(v, valid, n, r->from.unit, out, texts, e));
    EACH_VALID(i) {
        if (PQ_UNLIKELY(!out[i].p)) {
            uint8_t *p = pq_arena_bytes(texts, PQ_NUMBER_TEXT_ROOM, e);

            if (!p) {
                return e->rc;
            }
            out[i].p = p;
            out[i].n = (uint32_t)pq_number_text_i64(v[i], (char *)p);
        }
    }
    return PQ_OK;
}

MAKE(times)
{
    return times(r, in, valid, n, out, texts, e);
}

MAKE(times_ms)
{
    const int32_t *v = in;
    int64_t *wide = pq_arena_alloc(texts, n * sizeof *wide, e);

    if (!wide) {
        return e->rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        wide[i] = v[i];
    }
    return times(r, wide, valid, n, out, texts, e);
}

MAKE(timestamps)
{
    return pq_time_text_timestamps(in, valid, n, r->from.unit, out, texts, e);
}

MAKE(time96s)
{
    return pq_time_text_time96s(in, valid, n, r->from.unit, out, texts, e);
}

MAKE(int96s)
{
    return pq_time_text_int96s(in, valid, n, out, texts, e);
}

/* A DATE that is returned as a TIMESTAMP. */
MAKE(date_timestamps)
{
    static const char midnight[] = " 00:00:00";
    PqStr *text = out;

    PQ_TRY(pq_time_text_dates(in, valid, n, text, texts, e));
    EACH_VALID(i) {
        uint8_t *p = pq_arena_bytes(texts, text[i].n + sizeof midnight, e);
        if (!p) {
            return e->rc;
        }
        memcpy(p, text[i].p, text[i].n);
        memcpy(p + text[i].n, midnight, sizeof midnight);
        text[i] = (PqStr){p, text[i].n + (uint32_t)sizeof midnight - 1};
    }
    return PQ_OK;
}

MAKE(intervals)
{
    const PqStr *v = in;
    PqStr *text = out;

    EACH_VALID(i) {
        uint8_t *p = pq_arena_bytes(texts, PQ_TIME_TEXT_ROOM, e);
        if (!p) {
            return e->rc;
        }
        text[i].p = p;
        text[i].n = (uint32_t)pq_time_text_interval(v[i].p, (char *)p);
    }
    return PQ_OK;
}

MAKE(uuids)
{
    const PqStr *v = in;
    PqStr *text = out;
    uint8_t *p = pq_arena_bytes(texts, (size_t)n * (PQ_UUID_TEXT + 1), e);

    if (!p) {
        return e->rc;
    }
    EACH_VALID(i) {
        pq_uuid_text(v[i].p, (char *)p);
        p[PQ_UUID_TEXT] = 0;
        text[i] = (PqStr){p, PQ_UUID_TEXT};
        p += PQ_UUID_TEXT + 1;
    }
    return PQ_OK;
}

MAKE(float16s)
{
    const PqStr *v = in;
    double *d = out;

    EACH_VALID(i) {
        d[i] = (double)pq_float16_value(pq_load_u16(v[i].p));
    }
    return PQ_OK;
}

/* ---- decimals ---------------------------------------------------------- */

MAKE(decimals_i32)
{
    pq_decimal_reals_i32(in, valid, n, r->from.scale, out);
    return PQ_OK;
}

MAKE(decimals_i64)
{
    pq_decimal_reals_i64(in, valid, n, r->from.scale, out);
    return PQ_OK;
}

MAKE(decimals_bytes)
{
    const PqStr *v = in;
    double *d = out;

    EACH_VALID(i) {
        PQ_TRY(pq_decimal_real_bytes(pq_slice(v[i].p, v[i].n), r->from.scale,
                                     &r->scratch, &d[i], e));
    }
    return PQ_OK;
}

/* Bytes with scale 0: an INTEGER if it fits, otherwise the nearest REAL. */
MAKE(integers_bytes)
{
    const PqStr *v = in;
    PqCell *number = out;

    EACH_VALID(i) {
        PqSlice be = pq_slice(v[i].p, v[i].n);

        number[i] = pq_cell_int(0);
        if (!pq_decimal_fits_i64(be, &number[i].i)) {
            number[i].kind = PQ_CELL_REAL;
            PQ_TRY(pq_decimal_real_bytes(be, 0, &r->scratch, &number[i].r, e));
        }
    }
    return PQ_OK;
}

/* decimal=text: pads the digits in r->scratch to the declared width, and copies
** them to texts. */
static PqRc keep_decimal(PqsqlRecipe *r, PqStr *out, PqArena *texts, PqErr *e)
{
    PqBuf *b = &r->scratch;
    int32_t k = r->to.scale - r->from.scale;

    if (k > 0 && r->from.scale <= 0) {
        pq_buf_byte(b, '.');
    }
    for (; k > 0; k--) {
        pq_buf_byte(b, '0');
    }
    if (!pq_buf_ok(b)) {
        return e->rc;
    }
    out->p = (uint8_t *)pq_arena_text(texts, b->p, b->n, e);
    out->n = (uint32_t)b->n;
    return out->p ? PQ_OK : e->rc;
}

#define DECIMAL_TEXTS(name, type, write)                                     \
    MAKE(name)                                                               \
    {                                                                        \
        const type *v = in;                                                  \
                                                                             \
        r->scratch.sink = e;                                                 \
        EACH_VALID(i) {                                                      \
            r->scratch.n = 0;                                                \
            write;                                                           \
            PQ_TRY(keep_decimal(r, (PqStr *)out + i, texts, e));             \
        }                                                                    \
        return PQ_OK;                                                        \
    }

DECIMAL_TEXTS(decimal_texts_i32, int32_t,
              pq_decimal_text_i128(v[i], r->from.scale, &r->scratch))
DECIMAL_TEXTS(decimal_texts_i64, int64_t,
              pq_decimal_text_i128(v[i], r->from.scale, &r->scratch))
DECIMAL_TEXTS(decimal_texts_bytes, PqStr,
              pq_decimal_text_bytes(pq_slice(v[i].p, v[i].n), r->from.scale,
                                    &r->scratch))

/* ---- timestamps as numbers --------------------------------------------- */

/* Seconds, rounded only once if the count of the coarsest exact unit is an
** exact double.  The column is NUMERIC: a whole number becomes an INTEGER, as
** SQLite would store it. */
static PqCell unixepoch(int64_t seconds, int64_t nanos)
{
    const int64_t exact = (int64_t)1 << 53;
    int64_t per = 1000, whole;
    double d;

    while (nanos % (1000000000 / per) != 0) {
        per *= 1000;
    }
    if (__builtin_mul_overflow(seconds, per, &whole) ||
        __builtin_add_overflow(whole, nanos / (1000000000 / per), &whole) ||
        whole > exact || whole < -exact) {
        d = (double)seconds + (double)nanos / 1e9;
    } else {
        d = (double)whole / (double)per;
    }
    return nanos == 0      ? pq_cell_int(seconds)
           : floor(d) == d ? pq_cell_int((int64_t)d)
                           : pq_cell_real(d);
}

/* The instant in the form that the options ask for. */
static PqRc instant(const PqsqlRecipe *r, int64_t seconds, int64_t nanos,
                    PqCell *out, PqErr *e)
{
    int64_t per = r->to.logical == PQ_TYPE_TIMESTAMP
                      ? pq_unit_per_second(r->to.unit) : 1000000000;
    int64_t tick = 1000000000 / per;

    if (r->options.timestamp == PQSQL_TIME_UNIXEPOCH) {
        *out = unixepoch(seconds, nanos);
        return PQ_OK;
    }
    *out = pq_cell_int(0);
    if (nanos % tick != 0 || __builtin_mul_overflow(seconds, per, &out->i) ||
        __builtin_add_overflow(out->i, nanos / tick, &out->i)) {
        return pq_fail(e, PQ_CORRUPT,
                       "an instant of %lld s does not fit the unit that the "
                       "table was declared with; timestamp=text reads it",
                       (long long)seconds);
    }
    return PQ_OK;
}

MAKE(instants_dates)
{
    const int32_t *v = in;

    EACH_VALID(i) {
        PQ_TRY(instant(r, (int64_t)v[i] * 86400, 0, (PqCell *)out + i, e));
    }
    return PQ_OK;
}

MAKE(instants_i64)
{
    const int64_t *v = in;
    int64_t per = pq_unit_per_second(r->from.unit);
    bool as_is = r->options.timestamp == PQSQL_TIME_RAW &&
                 r->to.logical == PQ_TYPE_TIMESTAMP &&
                 r->from.unit == r->to.unit;

    EACH_VALID(i) {
        if (as_is) {
            ((PqCell *)out)[i] = pq_cell_int(v[i]);
            continue;
        }
        int64_t seconds = v[i] / per - (v[i] % per < 0);
        int64_t part = v[i] % per + (v[i] % per < 0 ? per : 0);

        PQ_TRY(instant(r, seconds, part * (1000000000 / per), (PqCell *)out + i,
                       e));
    }
    return PQ_OK;
}

static PqRc instant_of_time96(PqsqlRecipe *r, const uint8_t *v, bool as_is,
                              PqCell *out, PqErr *e)
{
    int64_t seconds;
    uint32_t nanos;
    double real;

    *out = pq_cell_int(0);
    if (as_is) {
        return pq_time96_fits_i64(v, &out->i)
                   ? PQ_OK
                   : pq_fail(e, PQ_CORRUPT, "a timestamp of more than 64 bits "
                             "has no INTEGER; timestamp=text reads it");
    }
    if (pq_time96_instant(v, r->from.unit, &seconds, &nanos, &real)) {
        return instant(r, seconds, nanos, out, e);
    }
    if (r->options.timestamp == PQSQL_TIME_UNIXEPOCH) {
        *out = pq_cell_real(real);
        return PQ_OK;
    }
    return pq_fail(e, PQ_CORRUPT, "a timestamp of more than 64 bits of seconds; "
                   "timestamp=text reads it");
}

MAKE(instants_time96)
{
    bool as_is = r->options.timestamp == PQSQL_TIME_RAW &&
                 r->to.logical == PQ_TYPE_TIMESTAMP &&
                 r->from.unit == r->to.unit;
    const PqStr *v = in;

    EACH_VALID(i) {
        PQ_TRY(instant_of_time96(r, v[i].p, as_is, (PqCell *)out + i, e));
    }
    return PQ_OK;
}

MAKE(instants_int96)
{
    const uint8_t *v = in;

    EACH_VALID(i) {
        int64_t seconds;
        uint32_t nanos;

        pq_int96_instant(v + 12 * (size_t)i, &seconds, &nanos);
        PQ_TRY(instant(r, seconds, nanos, (PqCell *)out + i, e));
    }
    return PQ_OK;
}

/* ---- integers as REAL --------------------------------------------------- */

static PqRc real_exactly(int64_t v, double *out, PqErr *e)
{
    if (v > (int64_t)1 << 53 || v < -((int64_t)1 << 53)) {
        return pq_fail(e, PQ_CHANGED,
                       "the integer %lld has no exact REAL, but the table "
                       "declares the column REAL because of another file",
                       (long long)v);
    }
    *out = (double)v;
    return PQ_OK;
}

#define REALS(name, type)                                                    \
    MAKE(name)                                                               \
    {                                                                        \
        const type *v = in;                                                  \
                                                                             \
        EACH_VALID(i) {                                                      \
            int64_t wide = (int64_t)v[i] < 0 && (type)-1 > 0                 \
                               ? INT64_MAX : (int64_t)v[i];                  \
            PQ_TRY(real_exactly(wide, (double *)out + i, e));                \
        }                                                                    \
        return PQ_OK;                                                        \
    }

REALS(reals_i32, int32_t)
REALS(reals_u32, uint32_t)
REALS(reals_i64, int64_t)
REALS(reals_u64, uint64_t)

/* ---- what each type becomes in SQLite ------------------------------------ */

/* The form of a leaf's values: computed by make (NULL: used as they are), and
** returned by one of a family of getters. */
typedef struct Form {
    const PqsqlFamily *family;
    PqsqlMake         *make;
    size_t             width;                 /* of a computed value */
} Form;

#define AS_IS(get_) ((Form){&pqsql_##get_, NULL, 0})
#define TEXTS(name) ((Form){&pqsql_clean_text, make_##name, sizeof(PqStr)})
#define REALS_BY(name) ((Form){&pqsql_f64, make_##name, sizeof(double)})
#define NUMBERS(name) ((Form){&pqsql_number, make_##name, sizeof(PqCell)})

static Form form_of_integer(const PqsqlRecipe *r)
{
    bool wide = r->from.physical == PQ_INT64;

    if (pq_type_is_float(&r->to)) {
        return pq_type_is_unsigned(&r->from)
                   ? (wide ? REALS_BY(reals_u64) : REALS_BY(reals_u32))
                   : (wide ? REALS_BY(reals_i64) : REALS_BY(reals_i32));
    }
    return pq_type_is_unsigned(&r->from) ? (wide ? AS_IS(u64) : AS_IS(u32))
                                 : (wide ? AS_IS(i64) : AS_IS(i32));
}

static Form form_of_decimal(const PqsqlRecipe *r)
{
    PqPhysical p = r->from.physical;

    if (r->options.decimal_text) {
        return p == PQ_INT32   ? TEXTS(decimal_texts_i32)
               : p == PQ_INT64 ? TEXTS(decimal_texts_i64)
                               : TEXTS(decimal_texts_bytes);
    }
    if (r->to.scale == 0 && r->from.scale == 0) {
        return p == PQ_INT32   ? AS_IS(i32)
               : p == PQ_INT64 ? AS_IS(i64)
                               : NUMBERS(integers_bytes);
    }
    return p == PQ_INT32   ? REALS_BY(decimals_i32)
           : p == PQ_INT64 ? REALS_BY(decimals_i64)
                           : REALS_BY(decimals_bytes);
}

static Form form_of_time(const PqsqlRecipe *r)
{
    bool as_number = pq_type_is_instant(&r->to) &&
                     r->options.timestamp != PQSQL_TIME_TEXT;

    if (r->from.logical == PQ_TYPE_DATE) {
        return as_number                    ? NUMBERS(instants_dates)
               : pq_type_is_instant(&r->to) ? TEXTS(date_timestamps)
                                            : TEXTS(dates);
    }
    if (r->from.logical == PQ_TYPE_TIME) {
        return r->from.physical == PQ_INT32 ? TEXTS(times_ms) : TEXTS(times);
    }
    if (r->from.physical == PQ_INT96) {
        return as_number ? NUMBERS(instants_int96) : TEXTS(int96s);
    }
    if (pq_type_is_time96(&r->from)) {
        return as_number ? NUMBERS(instants_time96) : TEXTS(time96s);
    }
    return as_number ? NUMBERS(instants_i64) : TEXTS(timestamps);
}

/* The form of a text that is UTF-8, according to the file.  No NUL follows
** FIXED values. */
static Form form_of_string(const PqsqlRecipe *r)
{
    if (r->options.invalid_utf8 != PQSQL_UTF8_TEXT) {
        return AS_IS(utf8_blob);
    }
    return r->from.physical == PQ_FIXED ? AS_IS(text_len) : AS_IS(text);
}

static Form form_of_physical(const PqsqlRecipe *r)
{
    switch (r->from.physical) {
    case PQ_BOOLEAN:
        return AS_IS(boolean);
    case PQ_INT32:
    case PQ_INT64:
        return form_of_integer(r);
    case PQ_INT96:
        return form_of_time(r);
    case PQ_FLOAT:
        return r->options.nan_text ? AS_IS(f32_nan) : AS_IS(f32);
    case PQ_DOUBLE:
        return r->options.nan_text ? AS_IS(f64_nan) : AS_IS(f64);
    default:
        return r->options.binary_as_string && r->from.physical == PQ_BYTE_ARRAY
                   ? form_of_string(r) : AS_IS(blob);
    }
}

static Form form_of(const PqsqlRecipe *r)
{
    Form f;

    switch (r->from.logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
        return form_of_string(r);
    case PQ_TYPE_JSON:
        return r->options.invalid_utf8 == PQSQL_UTF8_TEXT
                   ? AS_IS(text_subtype) : AS_IS(utf8_blob);
    case PQ_TYPE_UUID:
        return TEXTS(uuids);
    case PQ_TYPE_INT:
        return form_of_integer(r);
    case PQ_TYPE_DECIMAL:
        return form_of_decimal(r);
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        return form_of_time(r);
    case PQ_TYPE_INTERVAL:
        return TEXTS(intervals);
    case PQ_TYPE_FLOAT16:
        f = REALS_BY(float16s);
        f.family = r->options.nan_text ? &pqsql_f64_nan : f.family;
        return f;
    case PQ_TYPE_UNKNOWN:
        return AS_IS(null);
    case PQ_TYPE_BSON:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return AS_IS(blob);
    default:
        return form_of_physical(r);
    }
}

void pqsql_choose_form(PqsqlRecipe *r)
{
    Form f = form_of(r);

    r->family = f.family;
    r->make = f.make;
    r->made_width = f.width;
}
