/*
** value_get.c - returns one value to SQLite.
**
** Text is returned as a C string.  SQLite measures it and copies the NUL too,
** so that sqlite3_value_text has nothing left to do.  A length without a
** terminator would cost three times as much as soon as something reads the
** value.  Only a text that holds a NUL byte is returned with its length.
** Everything is copied (SQLITE_TRANSIENT), because max(), GROUP BY and DISTINCT
** keep values across rows.
*/
#include "sql/value/value_inside.h"

#include "sql/argument.h"

#include <math.h>

/* Each form of value has four getters, so that two questions about the batch
** are not asked again for each row: are there nulls, and are there ids? */
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

void pqsql_result_cell(sqlite3_context *ctx, const PqCell *cell)
{
    switch (cell->kind) {
    case PQ_CELL_NULL:
        break;
    case PQ_CELL_INT:
        sqlite3_result_int64(ctx, cell->i);
        break;
    case PQ_CELL_REAL:
        sqlite3_result_double(ctx, cell->r);
        break;
    case PQ_CELL_TEXT:
        pqsql_result_text(ctx, cell->p, cell->n);
        break;
    default:
        sqlite3_result_blob64(ctx, cell->n ? (const void *)cell->p : "", cell->n,
                              SQLITE_TRANSIENT);
        break;
    }
}

/* Longer texts and blobs are copied here, because SQLite's copying cannot be
** stopped. */
enum { LONG = 8 << 20 };

/* Returns NULL with the reason in ctx. */
static char *copy_in_steps(sqlite3_context *ctx, const PqStop *stop, PqStr s,
                           bool *has_nul)
{
    int most = sqlite3_limit(sqlite3_context_db_handle(ctx),
                             SQLITE_LIMIT_LENGTH, -1);
    char *copy;
    PqErr e;

    if (s.n > (uint32_t)most) {
        sqlite3_result_error_toobig(ctx);
        return NULL;
    }
    copy = sqlite3_malloc64((sqlite3_uint64)s.n + 1);
    if (!copy) {
        sqlite3_result_error_nomem(ctx);
        return NULL;
    }
    pq_err_init(&e);
    for (size_t at = 0; at < s.n; at += PQ_STEP_BYTES) {
        size_t n = s.n - at < PQ_STEP_BYTES ? s.n - at : PQ_STEP_BYTES;

        memcpy(copy + at, s.p + at, n);
        *has_nul = *has_nul || memchr(copy + at, 0, n);
        if (pq_stop_poll(stop, &e) != PQ_OK) {
            sqlite3_free(copy);
            sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
            return NULL;
        }
    }
    copy[s.n] = 0;
    return copy;
}

static PQ_COLD void result_long(sqlite3_context *ctx, const PqStop *stop,
                                PqStr s, bool text)
{
    bool has_nul = false;
    char *copy = copy_in_steps(ctx, stop, s, &has_nul);

    if (!copy) {
        return;
    }
    if (!text) {
        sqlite3_result_blob64(ctx, copy, s.n, sqlite3_free);
    } else if (has_nul) {
        sqlite3_result_text64(ctx, copy, s.n, sqlite3_free, SQLITE_UTF8);
    } else {
        sqlite3_result_text(ctx, copy, -1, sqlite3_free);
    }
}

static void result_blob(sqlite3_context *ctx, const PqsqlColumn *c, PqStr s)
{
    if (PQ_UNLIKELY(s.n > LONG)) {
        result_long(ctx, c->recipe->stop, s, false);
        return;
    }
    sqlite3_result_blob64(ctx, s.n ? (const void *)s.p : "", s.n,
                          SQLITE_TRANSIENT);
}

static void give_text(sqlite3_context *ctx, const PqsqlColumn *c, PqStr s)
{
    if (PQ_UNLIKELY(s.n > LONG)) {
        result_long(ctx, c->recipe->stop, s, true);
    } else {
        pqsql_result_text(ctx, s.p, s.n);
    }
}

/* s is followed by a NUL. */
static void result_string(sqlite3_context *ctx, const PqsqlColumn *c, PqStr s)
{
    if (PQ_UNLIKELY(s.n > LONG)) {
        result_long(ctx, c->recipe->stop, s, true);
    } else if (PQ_LIKELY(s.n <= INT32_MAX && memchr(s.p, 0, s.n) == NULL)) {
        sqlite3_result_text(ctx, (const char *)s.p, -1, SQLITE_TRANSIENT);
    } else {
        pqsql_result_text(ctx, s.p, s.n);
    }
}

static inline void one_null(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
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
    result_string(ctx, c, ((const PqStr *)c->values)[i]);
}
FAMILY(text)

/* Texts without a NUL: computed texts, or texts of a dictionary that was
** searched. */
static inline void one_clean_text(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    PqStr s = ((const PqStr *)c->values)[i];

    if (PQ_UNLIKELY(s.n > LONG)) {
        result_long(ctx, c->recipe->stop, s, true);
    } else {
        sqlite3_result_text(ctx, (const char *)s.p, -1, SQLITE_TRANSIENT);
    }
}
FAMILY(clean_text)

/* The same, with one more after the last.  Entries of a dictionary may be
** anywhere in memory.  The next row's entry is prefetched while SQLite is busy
** with the other columns of this row. */
static inline void one_entry_text(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqStr *text = (const PqStr *)c->values + i;

    __builtin_prefetch(text[1].p);
    sqlite3_result_text(ctx, (const char *)text->p, -1, SQLITE_TRANSIENT);
}
FAMILY(entry_text)

static inline void one_text_len(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    give_text(ctx, c, ((const PqStr *)c->values)[i]);
}
FAMILY(text_len)

static inline void one_text_subtype(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    give_text(ctx, c, ((const PqStr *)c->values)[i]);
    sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
}
FAMILY(text_subtype)

static inline void one_blob(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    result_blob(ctx, c, ((const PqStr *)c->values)[i]);
}
FAMILY(blob)

/* invalid_utf8=blob or error. */
static inline void one_utf8_blob(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    PqStr s = ((const PqStr *)c->values)[i];

    if (pq_utf8_valid(pq_slice(s.p, s.n))) {
        give_text(ctx, c, s);
        if (c->recipe->from.logical == PQ_TYPE_JSON) {
            sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
        }
    } else if (c->recipe->options.invalid_utf8 == PQSQL_UTF8_BLOB) {
        result_blob(ctx, c, s);
    } else {
        pqsql_result_message(ctx, sqlite3_mprintf(
            "%s, row group %u, column %s: " PQSQL_NOT_UTF8, c->recipe->path,
            c->recipe->group, c->recipe->node->path));
    }
}
FAMILY(utf8_blob)

static inline void one_json(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqsqlRecipe *r = c->recipe;
    PqStr s = r->texts[pqsql_entry_of(r, i) - r->text_first];

    if (s.p) {
        give_text(ctx, c, s);
        sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
    }
}
FAMILY(json)

/* A VARIANT as metadata and value; the subtype tells to_variant. */
static inline void one_row_blob(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqsqlRecipe *r = c->recipe;
    PqStr s = r->texts[pqsql_entry_of(r, i) - r->text_first];

    if (s.p) {
        result_blob(ctx, c, s);
        sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_VARIANT);
    }
}
FAMILY(row_blob)

static inline void one_row_wkb(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqsqlRecipe *r = c->recipe;
    PqStr s = r->texts[pqsql_entry_of(r, i) - r->text_first];

    if (s.p) {
        result_blob(ctx, c, s);
    }
}
FAMILY(row_wkb)

PqStr pqsql_row_text(const PqsqlRecipe *r, uint32_t row)
{
    PqStr s = r->texts[pqsql_entry_of(r, row) - r->text_first];

    return r->unquote ? pq_json_unquoted(s) : s;
}

static inline void one_unquoted(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    PqStr s = pqsql_row_text(c->recipe, i);

    if (s.p) {
        give_text(ctx, c, s);
    }
}
FAMILY(unquoted)

static inline void one_item_family(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqCell *v = pqsql_item(c->recipe);
    PqStr s = pq_cell_str(v);

    (void)i;                         /* pqsql_column_text_row was asked */
    switch (v->kind) {
    case PQ_CELL_TEXT:
        give_text(ctx, c, s);
        if (pqsql_item_is_json(c->recipe)) {
            sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
        }
        break;
    case PQ_CELL_BLOB:
        result_blob(ctx, c, s);
        if (pqsql_item_is_variant(c->recipe)) {
            sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_VARIANT);
        }
        break;
    default:
        pqsql_result_cell(ctx, v);
        break;
    }
}
FAMILY(item_family)

static inline void one_number(sqlite3_context *ctx, const PqsqlColumn *c,
                           uint32_t i)
{
    const PqCell *v = (const PqCell *)c->values + i;

    if (v->kind == PQ_CELL_INT) {
        sqlite3_result_int64(ctx, v->i);
    } else {
        sqlite3_result_double(ctx, v->r);
    }
}
FAMILY(number)
