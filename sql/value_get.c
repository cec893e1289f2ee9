/*
** value_get.c - handing one value to SQLite.
**
** Text goes out as a C string: SQLite measures it, and what it copies ends in
** a NUL, so that sqlite3_value_text has nothing left to do.  A length without
** a terminator would cost three times as much as soon as anything reads the
** value.  A text that holds a NUL byte needs its length all the same.
** Everything is copied (SQLITE_TRANSIENT): max(), GROUP BY and DISTINCT keep
** values across rows without asking.
*/
#include "sql/value_parts.h"

#include <math.h>

/* Each form of value is given in four ways, so that a row costs no question
** that its batch has answered: are there nulls, are there ids? */
#define FAMILY(name)                                                         \
    static void name##_dense(sqlite3_context *ctx, const PqsqlColumn *c,     \
                             uint32_t row)                                   \
    {                                                                        \
        one_##name(ctx, c, row);                                             \
    }                                                                        \
    static void name##_ids(sqlite3_context *ctx, const PqsqlColumn *c,       \
                           uint32_t row)                                     \
    {                                                                        \
        one_##name(ctx, c, c->ids[row]);                                     \
    }                                                                        \
    static void name##_nulls(sqlite3_context *ctx, const PqsqlColumn *c,     \
                             uint32_t row)                                   \
    {                                                                        \
        if (pq_bit(c->valid, row)) {                                         \
            one_##name(ctx, c, row);                                         \
        }                                                                    \
    }                                                                        \
    static void name##_ids_nulls(sqlite3_context *ctx, const PqsqlColumn *c, \
                                 uint32_t row)                               \
    {                                                                        \
        if (pq_bit(c->valid, row)) {                                         \
            one_##name(ctx, c, c->ids[row]);                                 \
        }                                                                    \
    }                                                                        \
    const PqsqlFamily pqsql_##name = {{name##_dense, name##_ids,             \
                                       name##_nulls, name##_ids_nulls}};

void pqsql_result_text(sqlite3_context *ctx, const void *p, size_t n)
{
    sqlite3_result_text64(ctx, n ? p : "", n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void result_blob(sqlite3_context *ctx, PqStr s)
{
    sqlite3_result_blob64(ctx, s.n ? (const void *)s.p : "", s.n,
                          SQLITE_TRANSIENT);
}

/* s is followed by a NUL. */
static void result_string(sqlite3_context *ctx, PqStr s)
{
    if (PQ_LIKELY(s.n <= INT32_MAX && memchr(s.p, 0, s.n) == NULL)) {
        sqlite3_result_text(ctx, (const char *)s.p, -1, SQLITE_TRANSIENT);
    } else {
        pqsql_result_text(ctx, s.p, s.n);
    }
}

static inline void one_null(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    (void)c;
    (void)i;
    sqlite3_result_null(ctx);
}
FAMILY(null)

static inline void one_bool(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    sqlite3_result_int(ctx, ((const uint8_t *)c->values)[i]);
}
FAMILY(bool)

static inline void one_i32(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    sqlite3_result_int(ctx, ((const int32_t *)c->values)[i]);
}
FAMILY(i32)

static inline void one_u32(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    sqlite3_result_int64(ctx, ((const uint32_t *)c->values)[i]);
}
FAMILY(u32)

static inline void one_i64(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    sqlite3_result_int64(ctx, ((const int64_t *)c->values)[i]);
}
FAMILY(i64)

static void result_u64(sqlite3_context *ctx, uint64_t v)
{
    if (v <= INT64_MAX) {
        sqlite3_result_int64(ctx, (int64_t)v);
    } else {
        char text[PQ_NUMBER_TEXT_ROOM];
        pq_number_text_u64(v, text);
        sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
    }
}

static inline void one_u64(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    result_u64(ctx, ((const uint64_t *)c->values)[i]);
}
FAMILY(u64)

static inline void one_f32(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    sqlite3_result_double(ctx, (double)((const float *)c->values)[i]);
}
FAMILY(f32)

static inline void one_f64(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    sqlite3_result_double(ctx, ((const double *)c->values)[i]);
}
FAMILY(f64)

static void result_real_or_nan(sqlite3_context *ctx, double v)
{
    if (isnan(v)) {
        sqlite3_result_text(ctx, signbit(v) ? "-NaN" : "NaN", -1,
                            SQLITE_STATIC);
    } else {
        sqlite3_result_double(ctx, v);
    }
}

static inline void one_f32_nan(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    result_real_or_nan(ctx, (double)((const float *)c->values)[i]);
}
FAMILY(f32_nan)

static inline void one_f64_nan(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    result_real_or_nan(ctx, ((const double *)c->values)[i]);
}
FAMILY(f64_nan)

static inline void one_text(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    result_string(ctx, ((const PqStr *)c->values)[i]);
}
FAMILY(text)

/* Known to hold no NUL: computed, or looked at once in a dictionary. */
static inline void one_clean_text(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    sqlite3_result_text(ctx, (const char *)((const PqStr *)c->values)[i].p, -1,
                        SQLITE_TRANSIENT);
}
FAMILY(clean_text)

static inline void one_text_len(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    PqStr s = ((const PqStr *)c->values)[i];
    pqsql_result_text(ctx, s.p, s.n);
}
FAMILY(text_len)

static inline void one_text_subtype(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    PqStr s = ((const PqStr *)c->values)[i];
    pqsql_result_text(ctx, s.p, s.n);
    sqlite3_result_subtype(ctx, 'J');
}
FAMILY(text_subtype)

static inline void one_blob(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    result_blob(ctx, ((const PqStr *)c->values)[i]);
}
FAMILY(blob)

/* invalid_utf8=blob or error. */
static inline void one_utf8_blob(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    PqStr s = ((const PqStr *)c->values)[i];

    if (pq_utf8_valid(pq_slice(s.p, s.n))) {
        pqsql_result_text(ctx, s.p, s.n);
        if (c->recipe->from.logical == PQ_TYPE_JSON) {
            sqlite3_result_subtype(ctx, 'J');
        }
    } else if (c->recipe->options.invalid_utf8 == PQSQL_UTF8_BLOB) {
        result_blob(ctx, s);
    } else {
        char *message = sqlite3_mprintf(
            "%s, row group %u, column %s: bytes that are not UTF-8; "
            "invalid_utf8=text or invalid_utf8=blob reads them",
            c->recipe->path, c->recipe->group, c->recipe->node->path);
        sqlite3_result_error(ctx, message ? message : "not UTF-8", -1);
        sqlite3_free(message);
    }
}
FAMILY(utf8_blob)

static inline void one_json(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqsqlRecipe *r = c->recipe;
    PqStr s = r->texts[i - r->text_first];

    if (s.p) {
        sqlite3_result_text64(ctx, (const char *)s.p, s.n, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
        sqlite3_result_subtype(ctx, 'J');
    }
}
FAMILY(json)

PqStr pqsql_row_text(const PqsqlRecipe *r, uint32_t row)
{
    PqStr s = r->texts[row - r->text_first];

    if (!r->unquote || !s.p) {
        return s;
    }
    if (s.n >= 2 && s.p[0] == '"') {
        return (PqStr){s.p + 1, s.n - 2};
    }
    return s.n == 4 && memcmp(s.p, "null", 4) == 0 ? (PqStr){NULL, 0} : s;
}

static inline void one_unquoted(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    PqStr s = pqsql_row_text(c->recipe, i);

    if (s.p) {
        pqsql_result_text(ctx, s.p, s.n);
    }
}
FAMILY(unquoted)

static inline void one_number(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqsqlNumber *v = (const PqsqlNumber *)c->values + i;

    if (v->is_int) {
        sqlite3_result_int64(ctx, v->i);
    } else if (!v->is_null) {
        sqlite3_result_double(ctx, v->d);
    }
}
FAMILY(number)
