/*
** column_value.c - gives SQLite the value that a row of a PqextColumn table
** describes.
**
**   {"stats_null_count BIGINT", .of = chunk, .format = &pq_format_chunk,
**    .path = {PQ_CHUNK_META_DATA, PQ_COLUMN_STATISTICS,
**             PQ_STATISTICS_NULL_COUNT}}
**
**   chunk()             -> PqColumnChunk, as the file has it
**   its field 3         -> PqColumnMetaData, if its bit in has is set
**   field 12 of that    -> PqStatistics, likewise
**   field 3 of that     -> an INT of 8 bytes: sqlite3_result_int64
**
** The rows of core/meta/format_tables.c, which read the struct from the file,
** give offset, type and names here as well.  By type:
**
**   INT       a number; with names of an enum, the name
**   BOOL      0 or 1
**   TEXT      a text        BINARY   a blob
**   union     the name of its member, "unknown" for a later one
**   INTS      a JSON array of numbers
**   a struct  of doubles: a JSON object, {"xmin":1.5,"xmax":2}
**   RAWS      how many there are
**
** The hard part is text: a file may call any bytes a text, but SQLite must get
** only UTF-8.
*/
#include "ext/functions/table_function.h"

/* ---- results ------------------------------------------------------------- */

void pqext_result_text(sqlite3_context *ctx, const char *z)
{
    sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
}

static void result_blob(sqlite3_context *ctx, PqSlice s)
{
    sqlite3_result_blob64(ctx, s.n ? (const void *)s.p : "", s.n,
                          SQLITE_TRANSIENT);
}

/* Bytes that are not UTF-8 become U+FFFD. */
static void result_slice(sqlite3_context *ctx, PqSlice s)
{
    uint8_t *mended;

    if (pq_utf8_valid(s)) {
        sqlite3_result_text64(ctx, s.n ? (const char *)s.p : "", s.n,
                              SQLITE_TRANSIENT, SQLITE_UTF8);
        return;
    }
    mended = sqlite3_malloc64((sqlite3_uint64)s.n * 3);
    if (!mended) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    sqlite3_result_text64(ctx, (char *)mended, pq_utf8_mend(s, mended),
                          sqlite3_free, SQLITE_UTF8);
}

void pqext_result_name(sqlite3_context *ctx, const char *name, int number)
{
    char digits[16];

    sqlite3_snprintf(sizeof digits, digits, "%d", number);
    pqext_result_text(ctx, name ? name : digits);
}

void pqext_write_name(const char *name, int number, PqBuf *out)
{
    if (name) {
        pq_buf_text(out, name);
    } else {
        pq_buf_printf(out, "%d", number);
    }
}

const void *pqext_the_call(const PqextCall *call, PqErr *e)
{
    return call;
}

PqRc pqext_give_slice(const PqextCall *call, const void *slice,
                      sqlite3_context *ctx, PqErr *e)
{
    result_slice(ctx, *(const PqSlice *)slice);
    return PQ_OK;
}

PqRc pqext_give_text_or_blob(const PqextCall *call, const void *slice,
                             sqlite3_context *ctx, PqErr *e)
{
    const PqSlice *s = slice;

    if (pq_utf8_valid(*s)) {
        return pqext_give_slice(call, s, ctx, e);
    }
    result_blob(ctx, *s);
    return PQ_OK;
}

/* If metadata is encrypted with a missing key, the path is beside it. */
void pqext_write_path(const PqColumnChunk *c, const PqLeaf *leaf, PqBuf *out)
{
    const PqSliceList *path = c->meta_data.path_in_schema.n
                                  ? &c->meta_data.path_in_schema
                                  : &c->crypto_metadata.column_key
                                         .path_in_schema;

    if (path->n == 0) {
        pq_buf_text(out, leaf->path);
    }
    for (uint32_t i = 0; i < path->n; i++) {
        pq_buf_text(out, i ? ", " : "");
        pq_buf_add(out, path->v[i].p, path->v[i].n);
    }
}

/* ---- encryption ---------------------------------------------------------- */

PqRc pqext_result_key_metadata(sqlite3_context *ctx, const PqextCall *call,
                               const PqColumnCryptoMetaData *m, PqErr *e)
{
    const PqFileLocks *locks = call->footer->locks;
    const PqSlice *metadata =
        PQ_HAS(m, PQ_CRYPTO_COLUMN_KEY) ? &m->column_key.key_metadata
        : PQ_HAS(m, PQ_CRYPTO_FOOTER_KEY) && locks ? &locks->footer_metadata
                                                   : NULL;

    return metadata && metadata->n
               ? pqext_give_text_or_blob(call, metadata, ctx, e) : PQ_OK;
}

/* ---- structs of the format ----------------------------------------------- */

/* The row of a field that the struct has, or NULL. */
static const PqThriftField *present(const PqThriftStruct *t, const void *in,
                                    uint8_t id)
{
    uint32_t has, i;

    memcpy(&has, in, sizeof has);
    for (i = 0; has >> id & 1 && i < t->n_fields; i++) {
        if (t->fields[i].id == id) {
            return &t->fields[i];
        }
    }
    return NULL;
}

static void result_union(sqlite3_context *ctx, const PqThriftStruct *t,
                         const void *in)
{
    for (uint32_t i = 0; i < t->n_fields; i++) {
        if (present(t, in, t->fields[i].id)) {
            pqext_result_text(ctx, t->fields[i].name);
            return;
        }
    }
    pqext_result_text(ctx, "unknown");
}

static void result_int(sqlite3_context *ctx, const PqThriftField *f,
                       const void *in)
{
    int64_t v = pq_compact_int(f, in);

    if (f->label) {
        pqext_result_name(ctx, f->label((int)v), (int)v);
    } else {
        sqlite3_result_int64(ctx, v);
    }
}

static void write_ints(const PqThriftField *f, const void *in, PqBuf *out)
{
    const PqI64List *list = in;      /* its elements may be narrower */
    const uint8_t *v = (const uint8_t *)list->v;

    pq_buf_byte(out, '[');
    for (uint32_t i = 0; i < list->n; i++) {
        pq_buf_printf(out, "%s%lld", i ? "," : "",
                      (long long)pq_compact_int(f, v + (size_t)i * f->size));
    }
    pq_buf_byte(out, ']');
}

/* A struct of doubles; NaN is null. */
static void write_doubles(const PqThriftStruct *t, const uint8_t *in,
                          PqBuf *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    const char *comma = "";
    double v;

    pq_buf_byte(out, '{');
    for (uint32_t i = 0; i < t->n_fields; i++) {
        if (present(t, in, t->fields[i].id)) {
            memcpy(&v, in + t->fields[i].offset, sizeof v);
            pq_buf_printf(out, "%s\"%s\":", comma, t->fields[i].name);
            if (v == v) {
                pq_buf_add(out, text, pq_number_text_double(v, text));
            } else {
                pq_buf_text(out, "null");
            }
            comma = ",";
        }
    }
    pq_buf_byte(out, '}');
}

/* A text that is written into a buffer first: by the column's own function, or
** by the type of the field. */
static PqRc give_written(const PqextColumn *c, const PqThriftField *f,
                         const PqextCall *call, const void *value,
                         sqlite3_context *ctx, PqErr *e)
{
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, call->mem, e);
    if (c->write) {
        c->write(call, value, &text);
    } else if (f->kind == PQ_THRIFT_STRUCT) {
        write_doubles(f->of, value, &text);
    } else {
        write_ints(f, value, &text);
    }
    rc = pq_buf_ok(&text) ? PQ_OK : e->rc;
    if (rc == PQ_OK) {
        result_slice(ctx, pq_buf_view(&text));
    }
    pq_buf_free(&text);
    return rc;
}

static PqRc give_field(const PqextColumn *c, const PqThriftField *f,
                       const PqextCall *call, const void *value,
                       sqlite3_context *ctx, PqErr *e)
{
    if (f->of && f->of->is_union) {
        result_union(ctx, f->of, value);
        return PQ_OK;
    }
    switch (f->kind) {
    case PQ_THRIFT_BOOL:
        sqlite3_result_int(ctx, *(const bool *)value);
        return PQ_OK;
    case PQ_THRIFT_INT:
        result_int(ctx, f, value);
        return PQ_OK;
    case PQ_THRIFT_TEXT:
        result_slice(ctx, *(const PqSlice *)value);
        return PQ_OK;
    case PQ_THRIFT_BINARY:
        result_blob(ctx, *(const PqSlice *)value);
        return PQ_OK;
    case PQ_THRIFT_LIST | PQ_THRIFT_RAW:
        sqlite3_result_int64(ctx, ((const PqSliceList *)value)->n);
        return PQ_OK;
    default:
        return give_written(c, f, call, value, ctx, e);
    }
}

/* ---- structs of our own -------------------------------------------------- */

static void result_signed(sqlite3_context *ctx, int64_t v)
{
    if (v >= 0) {
        sqlite3_result_int64(ctx, v);
    }
}

static void result_member(sqlite3_context *ctx, PqextMember member,
                          const void *value)
{
    const PqLock *lock;
    const char *z;

    switch (member) {
    case PQEXT_BOOL:
        sqlite3_result_int(ctx, *(const bool *)value);
        break;
    case PQEXT_U16:
        sqlite3_result_int64(ctx, *(const uint16_t *)value);
        break;
    case PQEXT_U32:
        sqlite3_result_int64(ctx, *(const uint32_t *)value);
        break;
    case PQEXT_U64:
        sqlite3_result_int64(ctx, (int64_t)*(const uint64_t *)value);
        break;
    case PQEXT_I32:
        result_signed(ctx, *(const int32_t *)value);
        break;
    case PQEXT_I64:
        result_signed(ctx, *(const int64_t *)value);
        break;
    case PQEXT_STRING:
        pqext_result_text(ctx, *(const char *const *)value);
        break;
    case PQEXT_MISSING_KEY:
        lock = *(const PqLock *const *)value;
        pqext_result_text(ctx, lock && !lock->key ? lock->wants : NULL);
        break;
    default:
        z = value;
        pqext_result_text(ctx, *z ? z : NULL);
    }
}

bool pqext_columns_exist(const PqextColumn *columns, int n)
{
    int i, k;
    uint32_t row;

    for (i = 0; i < n; i++) {
        const PqThriftStruct *t = columns[i].format;

        for (k = 0; k < PQEXT_PATH_STEPS && columns[i].path[k]; k++) {
            for (row = 0; t && row < t->n_fields &&
                          t->fields[row].id != columns[i].path[k]; row++) {
            }
            if (!t || row == t->n_fields) {
                return false;
            }
            t = t->fields[row].of;
        }
    }
    return true;
}

/* ---- a column ------------------------------------------------------------ */

PqRc pqext_column_value(const PqextColumn *c, const PqextCall *call,
                        sqlite3_context *ctx, PqErr *e)
{
    const PqThriftStruct *t = c->format;
    const PqThriftField *f = NULL;
    const uint8_t *at = c->of ? c->of(call, e) : call->state;

    if (!at) {
        return e->rc;
    }
    at += c->offset;
    for (int i = 0; i < PQEXT_PATH_STEPS && c->path[i]; i++) {
        f = present(t, at, c->path[i]);
        if (!f) {
            return PQ_OK;
        }
        at += f->offset;
        t = f->of;
    }
    if (c->give) {
        return c->give(call, at, ctx, e);
    }
    if (c->write) {
        return give_written(c, f, call, at, ctx, e);
    }
    if (f) {
        return give_field(c, f, call, at, ctx, e);
    }
    if (t) {
        result_union(ctx, t, at);
    } else {
        result_member(ctx, (PqextMember)c->member, at);
    }
    return PQ_OK;
}
