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

typedef enum Source {
    FROM_BOOLEAN, FROM_INT, FROM_FLOAT, FROM_DOUBLE, FROM_DECIMAL, FROM_DATE,
    FROM_TIME, FROM_TIMESTAMP, FROM_TIMESTAMP_NTZ, FROM_BINARY, FROM_STRING,
    FROM_UUID, FROM_OBJECT, FROM_ARRAY, N_SOURCES,
    FROM_NOTHING = N_SOURCES
} Source;

typedef enum Target {
    TO_BOOLEAN, TO_INT, TO_FLOAT, TO_DOUBLE, TO_DECIMAL, TO_STRING, TO_BINARY,
    TO_DATE, TO_TIME, TO_TIMESTAMP, TO_TIMESTAMP_NTZ, TO_UUID, N_TARGETS,
    TO_NOTHING = N_TARGETS
} Target;

static PqCastResult same_value(const PqCast *c)
{
    *c->out = *c->v;
    return PQ_CAST_OK;
}

static PqCastFn *const table[N_SOURCES][N_TARGETS] = {
    [FROM_BOOLEAN][TO_BOOLEAN] = same_value,
    [FROM_BOOLEAN][TO_INT] = pq_cast_int_boolean,
    [FROM_BOOLEAN][TO_FLOAT] = pq_cast_real_boolean,
    [FROM_BOOLEAN][TO_DOUBLE] = pq_cast_real_boolean,
    [FROM_BOOLEAN][TO_DECIMAL] = pq_cast_decimal_boolean,
    [FROM_BOOLEAN][TO_STRING] = pq_cast_string_scalar,

    [FROM_INT][TO_BOOLEAN] = pq_cast_boolean_number,
    [FROM_INT][TO_INT] = pq_cast_int_int,
    [FROM_INT][TO_FLOAT] = pq_cast_real_int,
    [FROM_INT][TO_DOUBLE] = pq_cast_real_int,
    [FROM_INT][TO_DECIMAL] = pq_cast_decimal_int,
    [FROM_INT][TO_STRING] = pq_cast_string_scalar,
    [FROM_INT][TO_TIMESTAMP] = pq_cast_timestamp_int,

    [FROM_FLOAT][TO_BOOLEAN] = pq_cast_boolean_number,
    [FROM_FLOAT][TO_INT] = pq_cast_int_real,
    [FROM_FLOAT][TO_FLOAT] = same_value,
    [FROM_FLOAT][TO_DOUBLE] = pq_cast_real_real,
    [FROM_FLOAT][TO_DECIMAL] = pq_cast_decimal_real,
    [FROM_FLOAT][TO_STRING] = pq_cast_string_scalar,
    [FROM_FLOAT][TO_TIMESTAMP] = pq_cast_timestamp_real,

    [FROM_DOUBLE][TO_BOOLEAN] = pq_cast_boolean_number,
    [FROM_DOUBLE][TO_INT] = pq_cast_int_real,
    [FROM_DOUBLE][TO_FLOAT] = pq_cast_real_real,
    [FROM_DOUBLE][TO_DOUBLE] = same_value,
    [FROM_DOUBLE][TO_DECIMAL] = pq_cast_decimal_real,
    [FROM_DOUBLE][TO_STRING] = pq_cast_string_scalar,
    [FROM_DOUBLE][TO_TIMESTAMP] = pq_cast_timestamp_real,

    [FROM_DECIMAL][TO_BOOLEAN] = pq_cast_boolean_number,
    [FROM_DECIMAL][TO_INT] = pq_cast_int_decimal,
    [FROM_DECIMAL][TO_FLOAT] = pq_cast_real_decimal,
    [FROM_DECIMAL][TO_DOUBLE] = pq_cast_real_decimal,
    [FROM_DECIMAL][TO_DECIMAL] = pq_cast_decimal_decimal,
    [FROM_DECIMAL][TO_STRING] = pq_cast_string_scalar,
    [FROM_DECIMAL][TO_TIMESTAMP] = pq_cast_timestamp_decimal,

    [FROM_DATE][TO_STRING] = pq_cast_string_scalar,
    [FROM_DATE][TO_DATE] = same_value,
    [FROM_DATE][TO_TIMESTAMP] = pq_cast_timestamp_date,
    [FROM_DATE][TO_TIMESTAMP_NTZ] = pq_cast_timestamp_date,

    [FROM_TIME][TO_STRING] = pq_cast_string_scalar,
    [FROM_TIME][TO_TIME] = pq_cast_time_time,

    [FROM_TIMESTAMP][TO_INT] = pq_cast_int_timestamp,
    [FROM_TIMESTAMP][TO_FLOAT] = pq_cast_real_timestamp,
    [FROM_TIMESTAMP][TO_DOUBLE] = pq_cast_real_timestamp,
    [FROM_TIMESTAMP][TO_DECIMAL] = pq_cast_decimal_timestamp,
    [FROM_TIMESTAMP][TO_STRING] = pq_cast_string_scalar,
    [FROM_TIMESTAMP][TO_DATE] = pq_cast_date_timestamp,
    [FROM_TIMESTAMP][TO_TIMESTAMP] = pq_cast_timestamp_timestamp,
    [FROM_TIMESTAMP][TO_TIMESTAMP_NTZ] = pq_cast_timestamp_timestamp,

    [FROM_TIMESTAMP_NTZ][TO_STRING] = pq_cast_string_scalar,
    [FROM_TIMESTAMP_NTZ][TO_DATE] = pq_cast_date_timestamp,
    [FROM_TIMESTAMP_NTZ][TO_TIMESTAMP] = pq_cast_timestamp_timestamp,
    [FROM_TIMESTAMP_NTZ][TO_TIMESTAMP_NTZ] = pq_cast_timestamp_timestamp,

    [FROM_BINARY][TO_STRING] = pq_cast_string_binary,
    [FROM_BINARY][TO_BINARY] = same_value,

    [FROM_STRING][TO_BOOLEAN] = pq_cast_boolean_string,
    [FROM_STRING][TO_INT] = pq_cast_int_string,
    [FROM_STRING][TO_FLOAT] = pq_cast_real_string,
    [FROM_STRING][TO_DOUBLE] = pq_cast_real_string,
    [FROM_STRING][TO_DECIMAL] = pq_cast_decimal_string,
    [FROM_STRING][TO_STRING] = same_value,
    [FROM_STRING][TO_BINARY] = pq_cast_binary_string,
    [FROM_STRING][TO_DATE] = pq_cast_date_string,
    [FROM_STRING][TO_TIME] = pq_cast_time_string,
    [FROM_STRING][TO_TIMESTAMP] = pq_cast_timestamp_string,
    [FROM_STRING][TO_TIMESTAMP_NTZ] = pq_cast_timestamp_string,
    [FROM_STRING][TO_UUID] = pq_cast_uuid_string,

    [FROM_UUID][TO_STRING] = pq_cast_string_scalar,
    [FROM_UUID][TO_UUID] = same_value,

    [FROM_OBJECT][TO_STRING] = pq_cast_string_json,

    [FROM_ARRAY][TO_STRING] = pq_cast_string_json,
};

static const PqVariantKind kind_of[N_TARGETS] = {
    [TO_BOOLEAN] = PQ_VARIANT_BOOL, [TO_INT] = PQ_VARIANT_INT,
    [TO_FLOAT] = PQ_VARIANT_FLOAT, [TO_DOUBLE] = PQ_VARIANT_DOUBLE,
    [TO_DECIMAL] = PQ_VARIANT_DECIMAL, [TO_STRING] = PQ_VARIANT_STRING,
    [TO_BINARY] = PQ_VARIANT_BINARY, [TO_DATE] = PQ_VARIANT_DATE,
    [TO_TIME] = PQ_VARIANT_TIME, [TO_TIMESTAMP] = PQ_VARIANT_TIMESTAMP,
    [TO_TIMESTAMP_NTZ] = PQ_VARIANT_TIMESTAMP, [TO_UUID] = PQ_VARIANT_UUID
};

static Source source_of(const PqVariantValue *v)
{
    static const Source of[PQ_VARIANT_UNKNOWN + 1] = {
        [PQ_VARIANT_NULL] = FROM_NOTHING, [PQ_VARIANT_BOOL] = FROM_BOOLEAN,
        [PQ_VARIANT_INT] = FROM_INT, [PQ_VARIANT_FLOAT] = FROM_FLOAT,
        [PQ_VARIANT_DOUBLE] = FROM_DOUBLE,
        [PQ_VARIANT_DECIMAL] = FROM_DECIMAL, [PQ_VARIANT_DATE] = FROM_DATE,
        [PQ_VARIANT_TIME] = FROM_TIME,
        [PQ_VARIANT_TIMESTAMP] = FROM_TIMESTAMP_NTZ,
        [PQ_VARIANT_BINARY] = FROM_BINARY, [PQ_VARIANT_STRING] = FROM_STRING,
        [PQ_VARIANT_UUID] = FROM_UUID, [PQ_VARIANT_OBJECT] = FROM_OBJECT,
        [PQ_VARIANT_ARRAY] = FROM_ARRAY, [PQ_VARIANT_UNKNOWN] = FROM_NOTHING
    };

    return v->kind == PQ_VARIANT_TIMESTAMP && v->utc ? FROM_TIMESTAMP
                                                     : of[v->kind];
}

static Target target_of_physical(PqPhysical physical)
{
    static const Target of[PQ_PHYSICAL_COUNT] = {
        [PQ_BOOLEAN] = TO_BOOLEAN, [PQ_INT32] = TO_INT, [PQ_INT64] = TO_INT,
        [PQ_INT96] = TO_NOTHING, [PQ_FLOAT] = TO_FLOAT,
        [PQ_DOUBLE] = TO_DOUBLE, [PQ_BYTE_ARRAY] = TO_BINARY,
        [PQ_FIXED] = TO_NOTHING
    };

    return of[physical];
}

static Target target_of(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_NONE:
        return target_of_physical(t->physical);
    case PQ_TYPE_INT:
        return t->is_signed ? TO_INT : TO_NOTHING;
    case PQ_TYPE_DECIMAL:
        return t->precision <= 38 ? TO_DECIMAL : TO_NOTHING;
    case PQ_TYPE_STRING:
        return TO_STRING;
    case PQ_TYPE_DATE:
        return TO_DATE;
    case PQ_TYPE_TIME:
        return TO_TIME;
    case PQ_TYPE_TIMESTAMP:
        return t->physical != PQ_INT64 ? TO_NOTHING
               : t->utc ? TO_TIMESTAMP : TO_TIMESTAMP_NTZ;
    case PQ_TYPE_UUID:
        return TO_UUID;
    default:
        return TO_NOTHING;
    }
}

/* ---- messages ------------------------------------------------------------ */

/* "the number 300", "the string "abc"", "an object" */
static void describe(const PqCast *c, PqBuf *out)
{
    static const char *const before[N_SOURCES] = {
        [FROM_BOOLEAN] = "the boolean ", [FROM_INT] = "the number ",
        [FROM_FLOAT] = "the number ", [FROM_DOUBLE] = "the number ",
        [FROM_DECIMAL] = "the number ", [FROM_DATE] = "the date ",
        [FROM_TIME] = "the time ", [FROM_TIMESTAMP] = "the timestamp ",
        [FROM_TIMESTAMP_NTZ] = "the timestamp_ntz ",
        [FROM_UUID] = "the uuid ", [FROM_OBJECT] = "an object",
        [FROM_ARRAY] = "an array"
    };
    Source from = source_of(c->v);
    PqVariantValue text = {0};
    PqCast as_text = *c;
    size_t n = c->v->bytes.n;

    if (from == FROM_BINARY) {
        pq_buf_printf(out, "a binary of %zu bytes", n);
    } else if (from == FROM_STRING) {
        pq_buf_printf(out, "the string \"%.*s\"%s", (int)(n < 64 ? n : 64),
                      (const char *)c->v->bytes.p, n > 64 ? "..." : "");
    } else if (from == FROM_NOTHING) {
        pq_buf_printf(out, "a value of type %d", c->v->type);
    } else {
        pq_buf_text(out, before[from]);
        as_text.out = &text;
        c->text->n = 0;
        if (from < FROM_OBJECT &&
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
    Source from = source_of(v);
    PqCastResult result = PQ_CAST_NOT;
    Target target;

    *is_null = false;
    if (to->is_variant) {
        *out = *v;
        return PQ_OK;
    }
    if (v->kind == PQ_VARIANT_NULL) {
        *is_null = true;
        return PQ_OK;
    }
    target = target_of(&to->type);
    if (from != FROM_NOTHING && target != TO_NOTHING && table[from][target]) {
        *out = (PqVariantValue){.kind = kind_of[target]};
        text->n = 0;
        result = table[from][target](&c);
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
