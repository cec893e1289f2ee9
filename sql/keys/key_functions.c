/*
** key_functions.c - takes keys from arguments and files.
**
** A message never repeats an argument, because people mix up the two: the name
** may be the key.
*/
#include "sql/keys/key_functions.h"

#include "core/base/system.h"
#include "sql/keys/key_names.h"
#include "sql/argument.h"
#include "sql/statement_text.h"

#define SHAPE "parquet_key(name, key)"

/* ---- one key ----------------------------------------------------------------- */

/* The name, which lives as long as v; NULL and an error. */
static const char *take_name(sqlite3_value *v, PqErr *e)
{
    PqSlice name;

    if (sqlite3_value_type(v) != SQLITE_TEXT) {
        pq_fail(e, PQ_USAGE, "the name of a key is %s; it is a text, such as 'kf'",
                sqlite3_value_type(v) == SQLITE_NULL   ? "NULL"
                : sqlite3_value_type(v) == SQLITE_BLOB ? "a BLOB" : "a number");
    } else if (pqsql_text_of(v, &name, e) == PQ_OK) {
        if (name.n > 0 && !memchr(name.p, 0, name.n)) {
            return (const char *)name.p;
        }
        pq_fail(e, PQ_USAGE, "the name of a key %s",
                name.p[0] ? "has a NUL in it" : "is empty");
    }
    return NULL;
}

static PqRc take_blob(sqlite3_value *v, uint8_t out[PQ_KEY_MOST], size_t *n,
                      PqErr *e)
{
    const void *p = sqlite3_value_blob(v);

    *n = (size_t)sqlite3_value_bytes(v);
    if (!pq_key_size_ok(*n)) {
        pq_fail(e, PQ_USAGE, SHAPE ": a key has 16, 24 or 32 bytes, and this "
                "BLOB has %zu", *n);
        if (p && pq_key_looks_like_one(pq_slice(p, *n))) {
            pq_err_hint(e, "it looks like the text of a key: CAST(... AS TEXT)");
        } else if (pq_key_size_ok(*n - 1)) {
            pq_err_hint(e, "does a line end follow the key?");
        }
        return e->rc;
    }
    if (!p) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    memcpy(out, p, *n);
    return PQ_OK;
}

static PqRc take_text(sqlite3_value *v, uint8_t out[PQ_KEY_MOST], size_t *n,
                      PqErr *e)
{
    const char *z;
    PqSlice text;

    PQ_TRY(pqsql_text_of(v, &text, e));
    if (pq_key_from_base64(text, out, n, e) != PQ_USAGE) {
        return e->rc;
    }
    z = (const char *)text.p;
    if (text.n > 0 && access(z, F_OK) == 0) {
        pq_err_hint(e, "a file has this name: parquet_key_file(name, '...') "
                       "gives the key in it");
        return e->rc;
    }
    if (!z[strspn(z, "0123456789abcdefABCDEF")] && text.n % 2 == 0 &&
        pq_key_size_ok(text.n / 2)) {
        pq_err_hint(e, "x'...' has the bytes");
    }
    if (pq_key_size_ok(text.n)) {
        pq_err_hint(e, "a key that is these %zu characters themselves is "
                    "CAST('...' AS BLOB)", text.n);
    }
    return e->rc;
}

static PqRc take_key(sqlite3_value *v, uint8_t out[PQ_KEY_MOST], size_t *n,
                     PqErr *e)
{
    switch (sqlite3_value_type(v)) {
    case SQLITE_BLOB:
        return take_blob(v, out, n, e);
    case SQLITE_TEXT:
        return take_text(v, out, n, e);
    default:
        return pq_fail(e, PQ_USAGE, SHAPE ": the key is a number; it is a BLOB "
                       "of 16, 24 or 32 bytes, or their base64 as a text");
    }
}

/* Puts the key of the second argument into the ring.  *n: its bytes. */
static PqRc put(PqKeyRing *ring, sqlite3_value **argv, size_t *n, PqErr *e)
{
    const char *name = take_name(argv[0], e);
    uint8_t key[PQ_KEY_MOST];
    PqRc rc;

    *n = 0;
    if (!name) {
        return e->rc;
    }
    if (sqlite3_value_type(argv[1]) == SQLITE_NULL) {
        pq_key_ring_forget(ring, name);
        return PQ_OK;
    }
    rc = take_key(argv[1], key, n, e);
    if (rc == PQ_OK) {
        rc = pq_key_ring_put(ring, name, pq_slice(key, *n), e);
    } else if (rc == PQ_USAGE && pq_key_looks_like_one(pq_slice_text(name))) {
        pq_err_hint(e, "the name comes first, then the key");
    }
    pq_wipe(key, sizeof key);
    return rc;
}

/* Footers that are kept hold the keys that they were opened with. */
static void changed(PqsqlKeyHost *host, bool given)
{
    pq_engine_keys_changed(host->engine);
    host->changed(host->arg, given);
}

static void key(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlKeyHost *host = sqlite3_user_data(ctx);
    size_t n;
    PqErr e = PQ_NO_ERR;

    if (!pqsql_direct_only(ctx, "parquet_key")) {
        return;
    }
    if (argc != 2) {
        sqlite3_result_error(ctx, "parquet_key(name, key): the name is a text, "
                             "the key a BLOB of 16, 24 or 32 bytes or their "
                             "base64 as a text, and NULL forgets it", -1);
        return;
    }
    if (put(host->engine->keys, argv, &n, &e) != PQ_OK) {
        pqsql_result_error(ctx, &e);
        return;
    }
    changed(host, n > 0);
    if (n) {
        sqlite3_result_int(ctx, (int)n * 8);
    }
}

/* ---- keys out of files ---------------------------------------------------------- */

#define FILE_SHAPE "parquet_key_file(path) or parquet_key_file(name, path)"

/* 64 kB are a thousand keys. */
enum { FILE_MOST = 1 << 16, OTHERS = 077 };

/* As in ssh, a file that the user owns must be readable by the user alone.
** Other owners decide for themselves, for example about secrets of a
** container. */
static PqRc check_rights(PqSource *file, PqErr *e)
{
    unsigned mode;
    bool is_own;

    PQ_TRY(pq_source_rights(file, &mode, &is_own, e));
    if (is_own && mode & OTHERS) {
        pq_fail(e, PQ_USAGE, "others may use this file of keys, whose mode is "
                "%04o", mode);
        pq_err_hint(e, "chmod 600");
        return e->rc;
    }
    return PQ_OK;
}

/* The one key of a file: its bytes, or their base64.  If it could be both, that
** is an error. */
static PqRc key_of_file(PqSlice text, uint8_t out[PQ_KEY_MOST], size_t *n,
                        PqErr *e)
{
    if (!pq_key_size_ok(text.n)) {
        if (pq_key_from_base64(text, out, n, e) == PQ_USAGE && text.n &&
            pq_key_size_ok(text.n - 1)) {
            pq_err_hint(e, "does a line end follow the bytes of a key?");
        }
        return e->rc;
    }
    if (pq_key_looks_like_one(text)) {
        pq_fail(e, PQ_USAGE, "its %zu bytes could be a key, or the text of one",
                text.n);
        pq_err_hint(e, "a line end after base64 tells them apart");
        return e->rc;
    }
    memcpy(out, text.p, text.n);
    *n = text.n;
    return PQ_OK;
}

/* n: how many keys the file had, or the bits of its one key. */
static PqRc put_text(PqKeyRing *ring, const char *name, PqSlice text, uint32_t *n,
                     PqErr *e)
{
    uint8_t key[PQ_KEY_MOST];
    size_t size;
    PqRc rc;

    if (!name) {
        return pq_key_ring_put_json(ring, text, n, e);
    }
    rc = key_of_file(text, key, &size, e);
    if (rc == PQ_OK) {
        rc = pq_key_ring_put(ring, name, pq_slice(key, size), e);
        *n = (uint32_t)size * 8;
    }
    pq_wipe(key, sizeof key);
    return rc;
}

/* Reads the file, and wipes what was read.  It is read like any other file,
** because closing the descriptor of an SQLite database would drop its locks. */
static PqRc put_source(PqEngine *g, const char *name, PqSource *file, uint32_t *n,
                       PqErr *e)
{
    size_t size = (size_t)pq_source_size(file);
    uint8_t *text;
    PqRc rc;

    PQ_TRY(check_rights(file, e));
    if (size > FILE_MOST) {
        return pq_fail(e, PQ_USAGE, "%zu bytes are too many for a file of keys, "
                       "which has at most %d", size, FILE_MOST);
    }
    text = pq_mem_alloc(g->mem, size + 1, e);
    if (!text) {
        return e->rc;
    }
    rc = pq_source_read(file, 0, size, text, e);
    if (rc == PQ_OK) {
        rc = put_text(g->keys, name, pq_slice(text, size), n, e);
    }
    pq_wipe(text, size);
    pq_mem_free(text);
    return rc;
}

static PqRc put_file(PqEngine *g, const char *name, const char *path, uint32_t *n,
                     PqErr *e)
{
    PqSource *file;

    if (pq_source_open(g->mem, path, &file, e) != PQ_OK) {
        if (access(path, F_OK) == 0 && access(path, R_OK) != 0) {
            pq_err_hint(e, "the user of this process must be allowed to read "
                        "it");
        } else if (name && access(name, F_OK) == 0) {
            pq_err_hint(e, "the name comes first, then the path");
        }
        return e->rc;
    }
    e->where.file = pq_source_path(file);
    put_source(g, name, file, n, e);
    pq_where_reset(e);
    pq_source_close(file);
    return e->rc;
}

/* Is it the content of the file, in the place of its path? */
static bool is_content(sqlite3_value *v)
{
    const char *z = sqlite3_value_type(v) == SQLITE_TEXT
                        ? (const char *)sqlite3_value_text(v) : NULL;

    return sqlite3_value_type(v) == SQLITE_BLOB ||
           (z && z[strspn(z, " \t\r\n")] == '{' && access(z, F_OK) != 0);
}

static PqRc take_file(PqEngine *g, int argc, sqlite3_value **argv, uint32_t *n,
                      PqErr *e)
{
    const char *name = NULL, *path;

    if (argc == 2) {
        name = take_name(argv[0], e);
        if (!name) {
            return e->rc;
        }
    }
    path = pqsql_path_of(argv[argc - 1], e);
    return path ? put_file(g, name, path, n, e) : e->rc;
}

static void key_file(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlKeyHost *host = sqlite3_user_data(ctx);
    uint32_t n = 0;
    PqErr e = PQ_NO_ERR;

    if (!pqsql_direct_only(ctx, "parquet_key_file")) {
        return;
    }
    if (argc < 1 || argc > 2 || is_content(argv[argc - 1])) {
        sqlite3_result_error(ctx, FILE_SHAPE ": the path of a file of keys, not "
                             "what is in it", -1);
    } else if (take_file(host->engine, argc, argv, &n, &e) != PQ_OK) {
        pqsql_key_hide(e.text);
        pqsql_result_error(ctx, &e);
    } else {
        changed(host, n > 0);
        sqlite3_result_int64(ctx, n);
    }
}

/* ---- names of keys ------------------------------------------------------------- */

PqRc pqsql_keys_of(PqKeyRing *ring, sqlite3_value *v, PqArena *a,
                   PqKeyChoice *out, PqPatience *patience, PqErr *e)
{
    PqSlice text;

    *out = (PqKeyChoice){.ring = ring};
    *patience = pq_usual_patience;
    if (!v || sqlite3_value_type(v) == SQLITE_NULL) {
        return PQ_OK;
    }
    PQ_TRY(pqsql_text_of(v, &text, e));
    PQ_TRY(pqsql_key_names_all((const char *)text.p, a, out, patience, e));
    return pqsql_key_names_check(out, e);
}

/* Is the column in the file?  Also true if the file does not open. */
static PqRc file_has(PqEngine *g, const PqListing *l, uint32_t file,
                     const char *column, bool *has, PqErr *e)
{
    PqFooter *f = NULL;
    PqRc rc = pq_engine_footer(g, l, l->files[file].path, &f, e);

    *has = rc != PQ_OK || pqsql_key_path_in(&f->schema, column);
    pq_footer_release(f);
    if (pq_is_left_out(rc)) {
        pq_err_clear(e);
        return PQ_OK;
    }
    return rc;
}

/* The message has names of the first file. */
static PqRc column_is_nowhere(PqEngine *g, const PqListing *l,
                              const char *column, PqErr *e)
{
    PqFooter *f;

    PQ_TRY(pq_engine_footer(g, l, l->files[0].path, &f, e));
    pqsql_key_names_no_column(column, &f->schema, e);
    pq_footer_release(f);
    return e->rc;
}

PqRc pqsql_keys_fit(PqEngine *g, const PqListing *l, PqErr *e)
{
    for (uint32_t i = 0; l->keys && i < l->keys->n_columns; i++) {
        const char *column = l->keys->columns[i].column;
        bool has = l->n_files == 0;

        for (uint32_t k = 0; k < l->n_files && !has; k++) {
            PQ_TRY(file_has(g, l, k, column, &has, e));
        }
        if (!has) {
            return column_is_nowhere(g, l, column, e);
        }
    }
    return PQ_OK;
}

/* ---- the functions -------------------------------------------------------------- */

/* Any number of arguments is taken, so that an error can say which are right. */
int pqsql_register_keys(sqlite3 *db, PqsqlKeyHost *host)
{
    static const struct {
        const char *name;
        int         n;
        void      (*call)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    } functions[] = {
        {"parquet_key", -1, key}, {"parquet_key_file", -1, key_file},
        {"parquet_secret", -1, pqsql_secret}, {"parquet_allow", 1, pqsql_allow},
    };
    int rc = SQLITE_OK;

    for (size_t i = 0; i < PQ_COUNT(functions) && rc == SQLITE_OK; i++) {
        rc = sqlite3_create_function(db, functions[i].name, functions[i].n,
                                     SQLITE_UTF8 | SQLITE_DIRECTONLY, host,
                                     functions[i].call, NULL, NULL);
    }
    return rc;
}
