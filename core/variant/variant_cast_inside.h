/*
** variant_cast_inside.h - inside variant_cast.h: the functions of its table.
**
**   variant_cast.c          the table, and the messages
**   variant_cast_number.c   to booleans and numbers
**   variant_cast_time.c     to dates, times and timestamps
**   variant_cast_text.c     to texts, bytes and UUIDs
*/
#ifndef PQ_VARIANT_CAST_INSIDE_H
#define PQ_VARIANT_CAST_INSIDE_H

#include "core/text/parse.h"
#include "core/variant/variant_cast.h"

typedef struct PqCast {
    const PqVariantMeta  *m;
    const PqVariantValue *v;
    const PqType         *type;      /* the target's                        */
    PqBuf                *text;      /* empty                               */
    PqVariantValue       *out;       /* zeros, except kind, unit and utc    */
    PqErr                *e;
} PqCast;

typedef enum PqCastResult {
    PQ_CAST_OK,
    PQ_CAST_NOT,                     /* the value is none of the target's   */
    PQ_CAST_RANGE,                   /* it is one, but too large or small   */
    PQ_CAST_ERROR                    /* e has it                            */
} PqCastResult;

typedef PqCastResult PqCastFn(const PqCast *c);

static inline PqCastResult pq_cast_of_parse(PqParse p)
{
    return p == PQ_PARSE_OK ? PQ_CAST_OK
           : p == PQ_PARSE_NOT ? PQ_CAST_NOT : PQ_CAST_RANGE;
}

static inline bool pq_cast_fits_i64(double v)
{
    return v >= -9223372036854775808.0 && v < 9223372036854775808.0;
}

/* A FLOAT or a DOUBLE. */
static inline double pq_cast_real_of(const PqVariantValue *v)
{
    return v->kind == PQ_VARIANT_FLOAT ? (double)v->u.f : v->u.d;
}

/* Named by target, then by source; whole: a boolean or an integer. */
PqCastFn pq_cast_boolean_number, pq_cast_boolean_string, pq_cast_int_whole,
    pq_cast_int_real, pq_cast_int_decimal, pq_cast_int_timestamp,
    pq_cast_int_string, pq_cast_real_whole, pq_cast_real_real,
    pq_cast_real_decimal, pq_cast_real_timestamp, pq_cast_real_string,
    pq_cast_decimal_whole, pq_cast_decimal_real, pq_cast_decimal_decimal,
    pq_cast_decimal_timestamp, pq_cast_decimal_string, pq_cast_string_scalar,
    pq_cast_string_binary, pq_cast_string_json, pq_cast_binary_string,
    pq_cast_uuid_string, pq_cast_date_timestamp, pq_cast_date_string,
    pq_cast_time_string, pq_cast_timestamp_int, pq_cast_timestamp_real,
    pq_cast_timestamp_decimal, pq_cast_timestamp_date,
    pq_cast_timestamp_string;

/* A TIME or a TIMESTAMP of another unit. */
PqCastFn pq_cast_units;

#endif
