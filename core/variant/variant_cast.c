/*
** variant_cast.c - the table of casts.
**
** A row for each kind of value, a column for each kind of target.  A cell
** without a function means that there is no such cast.  sql/variant.md shows
** the same table, and tcl/variant.test tries every cell of it.
**
** Spark's variant_get casts as its ANSI mode does.  It has no TIME and no UUID:
** here they are cast to themselves, and to and from strings.
*/
#include "core/variant/variant_cast_inside.h"

/* Rows and columns are numbered by kind.  A TIMESTAMP with a zone comes after
** all kinds.  A FLOAT has the row and the column of a DOUBLE. */
enum { ZONED = PQ_VARIANT_UNKNOWN + 1, N_PLACES };

static unsigned place_of(PqVariantKind kind, bool utc)
{
    return kind == PQ_VARIANT_FLOAT              ? PQ_VARIANT_DOUBLE
           : kind == PQ_VARIANT_TIMESTAMP && utc ? ZONED
                                                 : kind;
}

static PqCastResult same_value(const PqCast *c)
{
    *c->out = *c->v;
    return PQ_CAST_OK;
}

static PqCastFn *const table[N_PLACES][N_PLACES] = {
    [PQ_VARIANT_BOOL][PQ_VARIANT_BOOL] = same_value,
    [PQ_VARIANT_BOOL][PQ_VARIANT_INT] = pq_cast_int_whole,
    [PQ_VARIANT_BOOL][PQ_VARIANT_DOUBLE] = pq_cast_real_whole,
    [PQ_VARIANT_BOOL][PQ_VARIANT_DECIMAL] = pq_cast_decimal_whole,
    [PQ_VARIANT_BOOL][PQ_VARIANT_STRING] = pq_cast_string_scalar,

    [PQ_VARIANT_INT][PQ_VARIANT_BOOL] = pq_cast_boolean_number,
    [PQ_VARIANT_INT][PQ_VARIANT_INT] = pq_cast_int_whole,
    [PQ_VARIANT_INT][PQ_VARIANT_DOUBLE] = pq_cast_real_whole,
    [PQ_VARIANT_INT][PQ_VARIANT_DECIMAL] = pq_cast_decimal_whole,
    [PQ_VARIANT_INT][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [PQ_VARIANT_INT][ZONED] = pq_cast_timestamp_int,

    [PQ_VARIANT_DOUBLE][PQ_VARIANT_BOOL] = pq_cast_boolean_number,
    [PQ_VARIANT_DOUBLE][PQ_VARIANT_INT] = pq_cast_int_real,
    [PQ_VARIANT_DOUBLE][PQ_VARIANT_DOUBLE] = pq_cast_real_real,
    [PQ_VARIANT_DOUBLE][PQ_VARIANT_DECIMAL] = pq_cast_decimal_real,
    [PQ_VARIANT_DOUBLE][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [PQ_VARIANT_DOUBLE][ZONED] = pq_cast_timestamp_real,

    [PQ_VARIANT_DECIMAL][PQ_VARIANT_BOOL] = pq_cast_boolean_number,
    [PQ_VARIANT_DECIMAL][PQ_VARIANT_INT] = pq_cast_int_decimal,
    [PQ_VARIANT_DECIMAL][PQ_VARIANT_DOUBLE] = pq_cast_real_decimal,
    [PQ_VARIANT_DECIMAL][PQ_VARIANT_DECIMAL] = pq_cast_decimal_decimal,
    [PQ_VARIANT_DECIMAL][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [PQ_VARIANT_DECIMAL][ZONED] = pq_cast_timestamp_decimal,

    [PQ_VARIANT_DATE][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [PQ_VARIANT_DATE][PQ_VARIANT_DATE] = same_value,
    [PQ_VARIANT_DATE][ZONED] = pq_cast_timestamp_date,
    [PQ_VARIANT_DATE][PQ_VARIANT_TIMESTAMP] = pq_cast_timestamp_date,

    [PQ_VARIANT_TIME][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [PQ_VARIANT_TIME][PQ_VARIANT_TIME] = pq_cast_units,

    [ZONED][PQ_VARIANT_INT] = pq_cast_int_timestamp,
    [ZONED][PQ_VARIANT_DOUBLE] = pq_cast_real_timestamp,
    [ZONED][PQ_VARIANT_DECIMAL] = pq_cast_decimal_timestamp,
    [ZONED][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [ZONED][PQ_VARIANT_DATE] = pq_cast_date_timestamp,
    [ZONED][ZONED] = pq_cast_units,
    [ZONED][PQ_VARIANT_TIMESTAMP] = pq_cast_units,

    [PQ_VARIANT_TIMESTAMP][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [PQ_VARIANT_TIMESTAMP][PQ_VARIANT_DATE] = pq_cast_date_timestamp,
    [PQ_VARIANT_TIMESTAMP][ZONED] = pq_cast_units,
    [PQ_VARIANT_TIMESTAMP][PQ_VARIANT_TIMESTAMP] = pq_cast_units,

    [PQ_VARIANT_BINARY][PQ_VARIANT_STRING] = pq_cast_string_binary,
    [PQ_VARIANT_BINARY][PQ_VARIANT_BINARY] = same_value,

    [PQ_VARIANT_STRING][PQ_VARIANT_BOOL] = pq_cast_boolean_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_INT] = pq_cast_int_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_DOUBLE] = pq_cast_real_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_DECIMAL] = pq_cast_decimal_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_STRING] = same_value,
    [PQ_VARIANT_STRING][PQ_VARIANT_BINARY] = pq_cast_binary_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_DATE] = pq_cast_date_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_TIME] = pq_cast_time_string,
    [PQ_VARIANT_STRING][ZONED] = pq_cast_timestamp_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_TIMESTAMP] = pq_cast_timestamp_string,
    [PQ_VARIANT_STRING][PQ_VARIANT_UUID] = pq_cast_uuid_string,

    [PQ_VARIANT_UUID][PQ_VARIANT_STRING] = pq_cast_string_scalar,
    [PQ_VARIANT_UUID][PQ_VARIANT_UUID] = same_value,

    [PQ_VARIANT_OBJECT][PQ_VARIANT_STRING] = pq_cast_string_json,
    [PQ_VARIANT_ARRAY][PQ_VARIANT_STRING] = pq_cast_string_json,
};

/* ---- messages ------------------------------------------------------------ */

/* "the number 300", "the string "abc"", "an object" */
static void describe(const PqCast *c, PqBuf *out)
{
    static const char *const before[N_PLACES] = {
        [PQ_VARIANT_BOOL] = "the boolean ", [PQ_VARIANT_INT] = "the number ",
        [PQ_VARIANT_DOUBLE] = "the number ",
        [PQ_VARIANT_DECIMAL] = "the number ", [PQ_VARIANT_DATE] = "the date ",
        [PQ_VARIANT_TIME] = "the time ", [ZONED] = "the timestamp ",
        [PQ_VARIANT_TIMESTAMP] = "the timestamp_ntz ",
        [PQ_VARIANT_UUID] = "the uuid ", [PQ_VARIANT_OBJECT] = "an object",
        [PQ_VARIANT_ARRAY] = "an array"
    };
    PqVariantKind kind = c->v->kind;
    PqVariantValue text = {0};
    PqCast as_text = *c;
    size_t n = c->v->bytes.n;

    if (kind == PQ_VARIANT_BINARY) {
        pq_buf_printf(out, "a binary of %zu bytes", n);
    } else if (kind == PQ_VARIANT_STRING) {
        pq_buf_printf(out, "the string \"%.*s\"%s", (int)(n < 64 ? n : 64),
                      (const char *)c->v->bytes.p, n > 64 ? "..." : "");
    } else if (kind == PQ_VARIANT_UNKNOWN) {
        pq_buf_printf(out, "a value of type %d", c->v->type);
    } else {
        pq_buf_text(out, before[place_of(kind, c->v->utc)]);
        as_text.out = &text;
        c->text->n = 0;
        if (kind < PQ_VARIANT_OBJECT &&
            pq_cast_string_scalar(&as_text) == PQ_CAST_OK) {
            pq_buf_add(out, text.bytes.p, text.bytes.n);
        }
    }
}

static PQ_COLD PqRc refuse(const PqCast *c, const PqVariantTarget *to,
                           PqCastResult result)
{
    PqBuf from, name;

    pq_buf_init(&from, c->text->mem, c->e);
    pq_buf_init(&name, c->text->mem, c->e);
    describe(c, &from);
    pq_variant_target_text(to, &name);
    pq_fail(c->e, PQ_USAGE, "cannot cast %.*s to %.*s%s", (int)from.n,
            (const char *)from.p, (int)name.n, (const char *)name.p,
            result == PQ_CAST_RANGE ? ", which does not hold it" : "");
    pq_buf_free(&from);
    pq_buf_free(&name);
    return c->e->rc;
}

PqRc pq_variant_cast(const PqVariantMeta *m, const PqVariantValue *v,
                     const PqVariantTarget *to, PqBuf *text,
                     PqVariantValue *out, bool *is_null, PqErr *e)
{
    PqCast c = {m, v, &to->type, text, out, e};
    PqVariantKind kind = pq_variant_kind_of(&to->type);
    PqCastFn *cast = table[place_of(v->kind, v->utc)]
                          [place_of(kind, to->type.utc)];
    PqCastResult result = PQ_CAST_NOT;

    *is_null = false;
    if (to->is_variant) {
        *out = *v;
        return PQ_OK;
    }
    if (v->kind == PQ_VARIANT_NULL) {
        *is_null = true;
        return PQ_OK;
    }
    if (cast) {
        *out = (PqVariantValue){.kind = kind, .unit = to->type.unit,
                                .utc = to->type.utc};
        text->n = 0;
        result = cast(&c);
    }
    if (PQ_LIKELY(result == PQ_CAST_OK)) {
        return PQ_OK;
    }
    if (result == PQ_CAST_ERROR) {
        return e->rc;
    }
    *is_null = true;
    return to->try_ ? PQ_OK : refuse(&c, to, result);
}
