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
** are not asked again for each row: are there nulls, and are there ids?  What
** follows FAMILY returns value i. */
#define GETTER(name, suffix, has_value, i)                                  \
    static void name##suffix(sqlite3_context *ctx, const PqsqlColumn *c,    \
                             uint32_t row)                                  \
    {                                                                       \
        if (has_value) {                                                    \
            hand_##name(ctx, c, i);                                         \
        }                                                                   \
    }
#define FAMILY(name)                                                        \
    static inline void hand_##name(sqlite3_context *ctx,                    \
                                  const PqsqlColumn *c, uint32_t i);        \
    GETTER(name, _dense, true, row)                                         \
    GETTER(name, _ids, true, c->ids[row])                                   \
    GETTER(name, _nulls, pq_bit(c->valid, row), row)                        \
    GETTER(name, _ids_nulls, pq_bit(c->valid, row), c->ids[row])            \
    const PqsqlFamily pqsql_##name = {{name##_dense, name##_ids,            \
                                       name##_nulls, name##_ids_nulls}};    \
    static inline void hand_##name(sqlite3_context *ctx,                    \
                                  const PqsqlColumn *c, uint32_t i)

/* A family whose values are a plain array. */
#define ARRAY(name, type, give)                                             \
    FAMILY(name)                                                            \
    {                                                                       \
        give(ctx, ((const type *)c->values)[i]);                            \
    }

void pqsql_result_text(sqlite3_context *ctx, const void *p, size_t n)
{
    sqlite3_result_text64(ctx, n ? p : "", n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void pqsql_result_printed(sqlite3_context *ctx, char *text)
{
    if (text) {
        sqlite3_result_text(ctx, text, -1, sqlite3_free);
    } else {
        sqlite3_result_error_nomem(ctx);
    }
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

FAMILY(null)
{
    sqlite3_result_null(ctx);
}

ARRAY(boolean, uint8_t, sqlite3_result_int)
ARRAY(i32, int32_t, sqlite3_result_int)
ARRAY(u32, uint32_t, sqlite3_result_int64)
ARRAY(i64, int64_t, sqlite3_result_int64)

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

ARRAY(u64, uint64_t, result_u64)
ARRAY(f32, float, sqlite3_result_double)
ARRAY(f64, double, sqlite3_result_double)

static void result_real_or_nan(sqlite3_context *ctx, double v)
{
    if (isnan(v)) {
        sqlite3_result_text(ctx, signbit(v) ? "-NaN" : "NaN", -1,
                            SQLITE_STATIC);
    } else {
        sqlite3_result_double(ctx, v);
    }
}

ARRAY(f32_nan, float, result_real_or_nan)
ARRAY(f64_nan, double, result_real_or_nan)

FAMILY(text)
{
    result_string(ctx, c, ((const PqStr *)c->values)[i]);
}

/* Texts without a NUL: computed texts, or texts of a dictionary that was
** searched. */
FAMILY(clean_text)
{
    PqStr s = ((const PqStr *)c->values)[i];

    if (PQ_UNLIKELY(s.n > LONG)) {
        result_long(ctx, c->recipe->stop, s, true);
    } else {
        sqlite3_result_text(ctx, (const char *)s.p, -1, SQLITE_TRANSIENT);
    }
}

/* The same, with one more after the last.  Entries of a dictionary may be
** anywhere in memory.  The next row's entry is prefetched while SQLite is busy
** with the other columns of this row. */
FAMILY(entry_text)
{
    const PqStr *text = (const PqStr *)c->values + i;

    __builtin_prefetch(text[1].p);
    sqlite3_result_text(ctx, (const char *)text->p, -1, SQLITE_TRANSIENT);
}

FAMILY(text_len)
{
    give_text(ctx, c, ((const PqStr *)c->values)[i]);
}

FAMILY(text_subtype)
{
    give_text(ctx, c, ((const PqStr *)c->values)[i]);
    sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
}

FAMILY(blob)
{
    result_blob(ctx, c, ((const PqStr *)c->values)[i]);
}

/* invalid_utf8=blob or error. */
FAMILY(utf8_blob)
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

FAMILY(json)
{
    PqStr s = pqsql_row_text(c->recipe, i);

    if (s.p) {
        give_text(ctx, c, s);
        sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
    }
}

/* A VARIANT as metadata and value; the subtype tells to_variant. */
FAMILY(row_blob)
{
    PqStr s = pqsql_row_text(c->recipe, i);

    if (s.p) {
        result_blob(ctx, c, s);
        sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_VARIANT);
    }
}

FAMILY(row_wkb)
{
    PqStr s = pqsql_row_text(c->recipe, i);

    if (s.p) {
        result_blob(ctx, c, s);
    }
}

PqStr pqsql_row_text(const PqsqlRecipe *r, uint32_t row)
{
    PqStr s = r->texts[pqsql_entry_of(r, row) - r->text_first];

    return r->unquote ? pq_json_unquoted(s) : s;
}

FAMILY(unquoted)
{
    PqStr s = pqsql_row_text(c->recipe, i);

    if (s.p) {
        give_text(ctx, c, s);
    }
}

FAMILY(item_family)
{
    const PqsqlItem *v = pqsql_item(c->recipe);

    switch (v->cell.kind) {
    case PQ_CELL_TEXT:
        give_text(ctx, c, pq_cell_str(&v->cell));
        break;
    case PQ_CELL_BLOB:
        result_blob(ctx, c, pq_cell_str(&v->cell));
        break;
    default:
        pqsql_result_cell(ctx, &v->cell);
        break;
    }
    if (v->subtype) {
        sqlite3_result_subtype(ctx, v->subtype);
    }
}

FAMILY(number)
{
    const PqCell *v = (const PqCell *)c->values + i;

    if (v->kind == PQ_CELL_INT) {
        sqlite3_result_int64(ctx, v->i);
    } else {
        sqlite3_result_double(ctx, v->r);
    }
}
