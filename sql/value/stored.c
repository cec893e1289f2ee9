/*
** stored.c - one function per kind of column.
*/
#include "sql/value/stored.h"

#include "sql/value/numeric.h"

#include <math.h>
#include <stdlib.h>

typedef struct Job {
    sqlite3_value *v;                /* a copy: reading it may convert it   */
    PqsqlNumber    number;           /* that it is                          */
    const PqType  *type;
    PqArena       *a;
    PqsqlStored   *out;
    PqErr         *e;
} Job;

/* More values than these are not worth listing. */
enum { MOST = 256, UUID_TEXT = 36 };

static PqRc add(Job *j, const void *p, size_t n)
{
    uint8_t *copy;

    PQ_TRY(PQ_ARENA_GROW(j->a, j->out->plain, j->out->n, j->e));
    copy = pq_arena_bytes(j->a, n + 1, j->e);
    if (!copy) {
        return j->e->rc;
    }
    if (n) {
        memcpy(copy, p, n);
    }
    j->out->plain[j->out->n++] = pq_slice(copy, n);
    return PQ_OK;
}

static PqRc cannot_say(Job *j)
{
    j->out->known = false;
    return PQ_OK;
}

/* An integer in the physical type, none if it does not fit. */
static PqRc add_integer(Job *j, int64_t v)
{
    bool is_unsigned = pq_type_is_unsigned(j->type);
    uint32_t half = (uint32_t)v;

    if (j->type->physical == PQ_INT64) {
        return is_unsigned && v < 0 ? PQ_OK : add(j, &v, sizeof v);
    }
    if (is_unsigned ? v < 0 || v > UINT32_MAX
                    : v < INT32_MIN || v > INT32_MAX) {
        return PQ_OK;
    }
    return add(j, &half, sizeof half);
}

/* ---- operands ------------------------------------------------------------------ */

/* Is the operand a number, under a numeric affinity? */
static bool is_number(Job *j)
{
    j->out->known = !j->number.unsure;
    return j->number.is_number;
}

/* ... as an integer; false: it is equal to none of 64 bits. */
static bool is_integer(const Job *j, int64_t *out)
{
    double r = j->number.r;

    if (j->number.is_int) {
        *out = j->number.i;
        return true;
    }
    if (!(r >= -9223372036854775808.0 && r < 9223372036854775808.0) ||
        r != floor(r)) {
        return false;
    }
    *out = (int64_t)r;
    return true;
}

/* ... as a REAL; false: it is an integer that no REAL is equal to. */
static bool is_real(const Job *j, double *out)
{
    *out = j->number.r;
    return !j->number.is_int ||
           (*out < 9223372036854775808.0 && (int64_t)*out == j->number.i);
}

/* ---- numbers ------------------------------------------------------------------- */

static PqRc store_integer(Job *j)
{
    int64_t v;

    return is_number(j) && is_integer(j, &v) ? add_integer(j, v) : PQ_OK;
}

/* UINT64 has no affinity: what is above 2^63 - 1 is the text of its digits. */
static PqRc store_u64(Job *j)
{
    char again[PQ_NUMBER_TEXT_ROOM], *end;
    const char *z;
    int64_t i;
    uint64_t v;

    switch (sqlite3_value_type(j->v)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return is_integer(j, &i) ? add_integer(j, i) : PQ_OK;
    case SQLITE_TEXT:
        z = (const char *)sqlite3_value_text(j->v);
        if (!z) {
            return pq_fail(j->e, PQ_NOMEM, "out of memory");
        }
        v = strtoull(z, &end, 10);
        pq_number_text_u64(v, again);
        return v > INT64_MAX && strcmp(z, again) == 0
                   ? add(j, &v, sizeof v) : PQ_OK;
    default:
        return PQ_OK;
    }
}

static PqRc store_boolean(Job *j)
{
    int64_t v;
    uint8_t byte;

    if (!is_number(j) || !is_integer(j, &v) || v < 0 || v > 1) {
        return PQ_OK;
    }
    byte = (uint8_t)v;
    return add(j, &byte, 1);
}

static PqRc store_float(Job *j)
{
    double r;
    float f, g;

    if (!is_number(j) || !is_real(j, &r)) {
        return PQ_OK;
    }
    if (j->type->physical == PQ_DOUBLE) {
        PQ_TRY(add(j, &r, sizeof r));
        r = -r;
        return r == 0 ? add(j, &r, sizeof r) : PQ_OK;
    }
    f = (float)r;
    if ((double)f != r) {
        return PQ_OK;
    }
    PQ_TRY(add(j, &f, sizeof f));
    g = -f;
    return f == 0 ? add(j, &g, sizeof g) : PQ_OK;
}

/* There are few enough to try them all. */
static PqRc store_float16(Job *j)
{
    double r;
    uint32_t bits;

    if (!is_number(j) || !is_real(j, &r)) {
        return PQ_OK;
    }
    for (bits = 0; bits <= UINT16_MAX; bits++) {
        uint16_t half = (uint16_t)bits;

        if ((double)pq_float16_value(half) == r) {
            PQ_TRY(add(j, &half, sizeof half));
        }
    }
    return PQ_OK;
}

/* ---- decimals ------------------------------------------------------------------ */

static PqRc add_unscaled(Job *j, int64_t v)
{
    uint32_t n = j->type->fixed_length, i;
    uint8_t *be;

    if (j->type->physical != PQ_FIXED) {
        return add_integer(j, v);
    }
    if (n == 0 || (n < 8 && (v >> (8 * n - 1)) != (v < 0 ? -1 : 0))) {
        return PQ_OK;                /* does not fit */
    }
    be = pq_arena_bytes(j->a, n, j->e);
    if (!be) {
        return j->e->rc;
    }
    for (i = 0; i < n; i++) {
        be[n - 1 - i] = (uint8_t)(i < 8 ? (uint64_t)v >> (8 * i)
                                          : v < 0 ? 0xff : 0);
    }
    return add(j, be, n);
}

/* The least unscaled value in [low, high) whose REAL is at least r (above:
** more than r), else high.  The REAL grows with the value. */
static int64_t first_from(int64_t low, int64_t high, int32_t scale, double r,
                          bool above)
{
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        double d = pq_decimal_real_i64(mid, scale);

        if (d > r || (!above && d == r)) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low;
}

/* How far r * 10^scale may be off when computed in doubles. */
enum { SLACK = 1 << 14 };

static PqRc store_decimal(Job *j)
{
    int32_t scale = j->type->scale;
    int64_t v, end, middle;
    double r, estimate;

    if (!is_number(j)) {
        return PQ_OK;
    }
    if (j->type->physical == PQ_BYTE_ARRAY || j->type->fixed_length > 4096) {
        return cannot_say(j);        /* leading bytes may be there or not */
    }
    if (scale == 0 && is_integer(j, &v)) {
        return add_unscaled(j, v);
    }
    if (!is_real(j, &r)) {
        return PQ_OK;
    }
    estimate = r * pow(10, scale);
    if (!(fabs(estimate) < 9e18)) {
        return cannot_say(j);
    }
    middle = (int64_t)estimate;
    v = first_from(middle - SLACK, middle + SLACK, scale, r, false);
    end = first_from(v, middle + SLACK, scale, r, true);
    if (end - v > MOST) {
        return cannot_say(j);
    }
    for (; v < end; v++) {
        PQ_TRY(add_unscaled(j, v));
    }
    return PQ_OK;
}

/* ---- texts and bytes ------------------------------------------------------------ */

/* The operand under the affinity TEXT; p is NULL for a BLOB, which equals no
** text. */
static PqRc take_text(Job *j, PqSlice *out)
{
    *out = (PqSlice){NULL, 0};
    if (sqlite3_value_type(j->v) == SQLITE_BLOB) {
        return PQ_OK;
    }
    out->p = sqlite3_value_text(j->v);
    out->n = (size_t)sqlite3_value_bytes(j->v);
    return out->p ? PQ_OK : pq_fail(j->e, PQ_NOMEM, "out of memory");
}

/* Was value parsed from the text it has?  Other texts parse, too:
** "2024-03-01 13:45:00.5" does, but its value is printed with ".500". */
static bool is_text(PqSlice text, const char *of_value, size_t n)
{
    return pq_slice_equal(text, pq_slice(of_value, n));
}

static PqRc store_date(Job *j, PqSlice text)
{
    char again[PQ_TIME_TEXT_ROOM];
    int32_t days;

    return pq_time_parse_date(text, &days) == PQ_PARSE_OK &&
                   is_text(text, again, pq_time_text_date(days, again))
               ? add_integer(j, days) : PQ_OK;
}

/* A TIME outside its day is printed as a number. */
static PqRc store_clock(Job *j, PqSlice text)
{
    char again[PQ_TIME_TEXT_ROOM];
    PqUnit unit = j->type->unit;
    int64_t v;
    size_t n;

    if (pq_time_parse_time(text, unit, false, &v) != PQ_PARSE_OK) {
        return PQ_OK;
    }
    n = pq_time_text_time(v, unit, again);
    n = n ? n : pq_number_text_i64(v, again);
    return is_text(text, again, n) ? add_integer(j, v) : PQ_OK;
}

static PqRc store_timestamp(Job *j, PqSlice text)
{
    char again[PQ_TIME_TEXT_ROOM];
    PqUnit unit = j->type->unit;
    uint8_t wide[PQ_TIME96_SIZE];
    int64_t v;

    if (pq_type_is_time96(j->type)) {
        return pq_time_parse_time96(text, unit, false, wide) == PQ_PARSE_OK &&
                       is_text(text, again,
                               pq_time_text_time96(wide, unit, again))
                   ? add(j, wide, sizeof wide) : PQ_OK;
    }
    return pq_time_parse_timestamp(text, unit, false, &v) == PQ_PARSE_OK &&
                   is_text(text, again,
                           pq_time_text_timestamp(v, unit, again))
               ? add_integer(j, v) : PQ_OK;
}

static PqRc store_uuid(Job *j, PqSlice text)
{
    char again[UUID_TEXT];
    uint8_t v[16];

    if (pq_uuid_parse(text, v) != PQ_PARSE_OK) {
        return PQ_OK;
    }
    pq_uuid_text(v, again);
    return is_text(text, again, sizeof again) ? add(j, v, sizeof v) : PQ_OK;
}

/* A type whose values are given as texts. */
static PqRc store_as_text(Job *j)
{
    PqSlice text;

    PQ_TRY(take_text(j, &text));
    if (!text.p) {
        return PQ_OK;
    }
    switch (j->type->logical) {
    case PQ_TYPE_UUID:
        return store_uuid(j, text);
    case PQ_TYPE_DATE:
        return store_date(j, text);
    case PQ_TYPE_TIME:
        return store_clock(j, text);
    case PQ_TYPE_TIMESTAMP:
        return store_timestamp(j, text);
    default:
        return add(j, text.p, text.n);
    }
}

static PqRc store_bytes(Job *j)
{
    const void *p = sqlite3_value_blob(j->v);
    size_t n = (size_t)sqlite3_value_bytes(j->v);

    if (sqlite3_value_type(j->v) != SQLITE_BLOB ||
        (j->type->physical == PQ_FIXED && n != j->type->fixed_length)) {
        return PQ_OK;
    }
    return add(j, p, n);
}

static PqRc store(Job *j)
{
    switch (j->type->logical) {
    case PQ_TYPE_UNKNOWN:
        return PQ_OK;                /* nothing but NULL */
    case PQ_TYPE_INTERVAL:
        return cannot_say(j);
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:
    case PQ_TYPE_UUID:
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        return store_as_text(j);
    case PQ_TYPE_FLOAT16:
        return store_float16(j);
    case PQ_TYPE_DECIMAL:
        return store_decimal(j);
    case PQ_TYPE_INT:
        return pq_type_is_u64(j->type) ? store_u64(j) : store_integer(j);
    default:
        break;
    }
    switch (j->type->physical) {
    case PQ_BOOLEAN:
        return store_boolean(j);
    case PQ_INT32:
    case PQ_INT64:
        return store_integer(j);
    case PQ_FLOAT:
    case PQ_DOUBLE:
        return store_float(j);
    case PQ_INT96:
        return cannot_say(j);
    default:
        return store_bytes(j);
    }
}

PqRc pqsql_stored_values(sqlite3_value *v, const PqType *type, PqArena *a,
                         PqsqlStored *out, PqErr *e)
{
    Job j = {.v = sqlite3_value_dup(v), .type = type, .a = a, .out = out,
             .e = e};
    PqRc rc;

    *out = (PqsqlStored){.known = true};
    if (!j.v) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    rc = pqsql_number_of(j.v, &j.number, e);
    if (rc == PQ_OK) {
        rc = store(&j);
    }
    sqlite3_value_free(j.v);
    return rc;
}
