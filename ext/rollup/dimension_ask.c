/*
** dimension_ask.c - statements that compute a dimension.
*/
#include "ext/rollup/dimension_ask.h"

#include "sql/did_you_mean.h"

void pqext_ask_init(PqextAsk *ask, sqlite3 *db, PqMem *mem)
{
    *ask = (PqextAsk){.db = db};
    pq_buf_init(&ask->bytes, mem, NULL);
}

void pqext_ask_reset(PqextAsk *ask)
{
    sqlite3_finalize(ask->cast);
    sqlite3_finalize(ask->plain);
    ask->cast = ask->plain = NULL;
    pq_buf_free(&ask->bytes);
}

/* Was the statement broken off?  That says nothing about the dimension: SQLite
** may answer when it is asked again. */
static bool is_broken_off(int rc)
{
    return rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT || rc == SQLITE_SCHEMA;
}

static PqRc broken_off(int rc, PqErr *e)
{
    return rc == SQLITE_NOMEM ? pq_fail(e, PQ_NOMEM, "out of memory")
                              : pq_fail(e, PQ_STOPPED, "%s",
                                        sqlite3_errstr(rc));
}

static PqRc failed(sqlite3 *db, const PqextDimension *of, PqErr *e)
{
    int rc = sqlite3_errcode(db);

    return is_broken_off(rc)
               ? broken_off(rc, e)
               : pq_fail(e, PQ_USAGE, "parquet: rollup: %s: %s", of->text,
                         sqlite3_errmsg(db));
}

/* ---- statements ------------------------------------------------------------ */

/* Does the cast leave the value as it is? */
static bool is_kept(const char *cast, uint8_t kind)
{
    switch (cast ? cast[0] : 0) {
    case 'T':                        /* TEXT */
        return kind == PQ_CELL_TEXT;
    case 'R':                        /* REAL */
        return kind == PQ_CELL_REAL;
    case 'N':                        /* NUMERIC */
        return kind == PQ_CELL_REAL || kind == PQ_CELL_INT;
    case 'I':                        /* INTEGER */
        return kind == PQ_CELL_INT;
    default:
        return false;
    }
}

static PqRc prepare(sqlite3 *db, const PqextDefinition *d,
                    const PqextDimension *of, const char *cast,
                    sqlite3_stmt **out, PqErr *e)
{
    const char *name = d->source->table->columns[of->column].name;
    char *sql = cast ? sqlite3_mprintf("SELECT (%s) FROM (SELECT CAST(?1 AS %s) "
                                       "AS \"%w\")", of->asked, cast, name)
                     : sqlite3_mprintf("SELECT (%s) FROM (SELECT ?1 AS \"%w\")",
                                       of->asked, name);
    int rc;

    if (!sql) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_NO_VTAB, out, NULL);
    sqlite3_free(sql);
    return rc == SQLITE_OK ? PQ_OK : failed(db, of, e);
}

static PqRc collates(const PqextDimension *of, PqErr *e)
{
    pq_fail(e, PQ_USAGE, "parquet: rollup: %s: COLLATE cannot be in a "
            "dimension that is a text", of->text);
    pq_err_hint(e, "lower(x) makes texts equal that differ in case");
    return e->rc;
}

/* One example finds most expressions that give texts; pqext_ask finds the
** others.  The comparison is there to find the name of the collation. */
static PqRc check_collation(const PqextDefinition *d, const PqextDimension *of,
                            PqErr *e)
{
    const char *name = d->source->table->columns[of->column].name;
    sqlite3 *db = d->source->host->db;
    char *sql = sqlite3_mprintf("SELECT (%s), (%s) < (%s) FROM (SELECT CAST('a' "
                                "AS TEXT) AS \"%w\")",
                                of->asked, of->asked, of->asked, name);
    sqlite3_stmt *stmt = NULL;
    int rc = sql ? sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_NO_VTAB, &stmt,
                                      NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    if (rc != SQLITE_OK) {
        return failed(db, of, e);
    }
    if (sqlite3_step(stmt) == SQLITE_ROW &&
        sqlite3_column_type(stmt, 0) == SQLITE_TEXT) {
        collates(of, e);
    }
    sqlite3_finalize(stmt);
    return e->rc;
}

PqRc pqext_ask_check(const PqextDefinition *d, const PqextDimension *of,
                     PqErr *e)
{
    sqlite3_stmt *stmt = NULL;
    PqRc rc;

    pq_where_reset(e);
    rc = prepare(d->source->host->db, d, of,
                 of->cast, &stmt, e);
    if (rc == PQ_OK && sqlite3_column_count(stmt) != 1) {
        rc = pq_fail(e, PQ_USAGE, "parquet: rollup: %s: it is not one value",
                     of->text);
    }
    sqlite3_finalize(stmt);
    return rc == PQ_OK && of->collates ? check_collation(d, of, e) : rc;
}

/* ---- values -------------------------------------------------------------------- */

static int bind(sqlite3_stmt *stmt, const PqCell *v)
{
    switch (v->kind) {
    case PQ_CELL_INT:
        return sqlite3_bind_int64(stmt, 1, v->i);
    case PQ_CELL_REAL:
        return sqlite3_bind_double(stmt, 1, v->r);
    case PQ_CELL_TEXT:
        return sqlite3_bind_text64(stmt, 1, (const char *)v->p, v->n,
                                   SQLITE_STATIC, SQLITE_UTF8);
    case PQ_CELL_BLOB:
        return v->n == 0
                   ? sqlite3_bind_zeroblob(stmt, 1, 0)
                   : sqlite3_bind_blob64(stmt, 1, v->p, v->n, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(stmt, 1);
    }
}

static PqRc keep_bytes(PqextAsk *ask, PqCellClass kind, const void *p, int n,
                       PqCell *out, PqErr *e)
{
    ask->bytes.n = 0;
    ask->bytes.sink = e;
    pq_buf_add(&ask->bytes, p ? p : "", p ? (size_t)n : 0);
    *out = pq_cell_bytes(kind, pq_buf_view(&ask->bytes));
    return pq_buf_ok(&ask->bytes) ? PQ_OK : e->rc;
}

static PqRc take(PqextAsk *ask, sqlite3_stmt *stmt, PqCell *out, PqErr *e)
{
    const void *p;

    *out = (PqCell){.kind = PQ_CELL_NULL};
    switch (sqlite3_column_type(stmt, 0)) {
    case SQLITE_INTEGER:
        *out = pq_cell_int(sqlite3_column_int64(stmt, 0));
        return PQ_OK;
    case SQLITE_FLOAT:
        *out = pq_cell_real(sqlite3_column_double(stmt, 0));
        return PQ_OK;
    case SQLITE_TEXT:
        p = sqlite3_column_text(stmt, 0);
        return p ? keep_bytes(ask, PQ_CELL_TEXT, p,
                              sqlite3_column_bytes(stmt, 0), out, e)
                 : pq_fail(e, PQ_NOMEM, "out of memory");
    case SQLITE_BLOB:
        p = sqlite3_column_blob(stmt, 0);        /* NULL: it is empty, or ... */
        return p || sqlite3_errcode(ask->db) != SQLITE_NOMEM
                   ? keep_bytes(ask, PQ_CELL_BLOB, p,
                                sqlite3_column_bytes(stmt, 0), out, e)
                   : pq_fail(e, PQ_NOMEM, "out of memory");
    default:
        return PQ_OK;
    }
}

/* Are the eight bytes ASCII, and none a NUL? */
static bool are_plain(const uint8_t *z)
{
    uint64_t word;

    memcpy(&word, z, sizeof word);
    return ((word | (word - UINT64_C(0x0101010101010101))) &
            UINT64_C(0x8080808080808080)) == 0;
}

static const uint8_t *behind_character(const uint8_t *z, const uint8_t *end)
{
    if (*z++ >= 0xc0) {
        while (z < end && (*z & 0xc0) == 0x80) {
            z++;
        }
    }
    return z;
}

int64_t pqext_text_length(PqSlice text)
{
    const uint8_t *z = text.p, *end = z + text.n;
    int64_t n = 0;

    while (z < end && *z) {
        if (end - z >= 8 && are_plain(z)) {
            z += 8;
            n += 8;
            continue;
        }
        n++;
        z = behind_character(z, end);
    }
    return n;
}

PqSlice pqext_text_part(PqSlice text, uint32_t from, uint32_t n)
{
    const uint8_t *begin = text.p, *end = text.p + text.n, *z;

    while (--from && begin < end && *begin) {
        begin = behind_character(begin, end);
    }
    for (z = begin; n && z < end && *z; n--) {
        z = behind_character(z, end);
    }
    return pq_slice(begin, (size_t)(z - begin));
}

PqRc pqext_ask(PqextAsk *ask, const PqextDefinition *d,
               const PqextDimension *of, const PqCell *v, PqCell *out,
               PqErr *e)
{
    bool kept = v->kind == PQ_CELL_NULL || is_kept(of->cast, v->kind);
    sqlite3_stmt **stmt = kept && of->cast ? &ask->cast : &ask->plain;
    PqRc rc;

    if (of->is_length && v->kind == PQ_CELL_TEXT) {
        *out = pq_cell_int(pqext_text_length(pq_cell_slice(v)));
        return PQ_OK;
    }
    if (of->part_from && v->kind == PQ_CELL_TEXT) {
        *out = pq_cell_text(pqext_text_part(pq_cell_slice(v), of->part_from, of->part_n));
        return PQ_OK;
    }
    if (!ask->db) {
        return pq_fail(e, PQ_UNSUPPORTED, "%s: SQLite is not there", of->text);
    }
    if (!*stmt) {
        PQ_TRY(prepare(ask->db, d, of, kept ? of->cast : NULL, stmt, e));
    }
    if (bind(*stmt, v) != SQLITE_OK) {
        return failed(ask->db, of, e);
    }
    rc = sqlite3_step(*stmt) == SQLITE_ROW ? take(ask, *stmt, out, e)
                                           : failed(ask->db, of, e);
    sqlite3_reset(*stmt);
    sqlite3_clear_bindings(*stmt);   /* the value stays no longer */
    return rc == PQ_OK && of->collates && out->kind == PQ_CELL_TEXT
               ? collates(of, e) : rc;
}

/* ---- functions ----------------------------------------------------------------- */

static void look(sqlite3 *db, const char *name, PqArena *a, const char **near,
                 PqErr *e)
{
    static const char sql[] = "SELECT DISTINCT name FROM pragma_function_list";
    PqsqlNearest n = {.word = name};
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *text = (const char *)sqlite3_column_text(stmt, 0);

            text = text ? pq_arena_printf(a, e, "%s", text) : NULL;
            if (text) {
                pqsql_nearest_look(&n, text);
            }
        }
    }
    sqlite3_finalize(stmt);
    *near = pqsql_nearest(&n);
}

/* May a schema call functions that nobody has declared harmless? */
static bool trusts_schema(sqlite3 *db)
{
    int on = 0;

    return sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &on) ==
               SQLITE_OK && on;
}

static PqextFunctionKind kind_of(sqlite3 *db, sqlite3_stmt *stmt)
{
    if (sqlite3_column_type(stmt, 0) == SQLITE_NULL) {
        return PQEXT_FUNCTION_UNKNOWN;
    }
    if (!sqlite3_column_int(stmt, 0)) {
        return PQEXT_FUNCTION_AGGREGATE;
    }
    if (sqlite3_column_int(stmt, 2) ||
        (!sqlite3_column_int(stmt, 3) && !trusts_schema(db))) {
        return PQEXT_FUNCTION_DIRECT;
    }
    return !sqlite3_column_int(stmt, 1)  ? PQEXT_FUNCTION_CHANGES
           : sqlite3_column_int(stmt, 4) ? PQEXT_FUNCTION_SCALAR
                                         : PQEXT_FUNCTION_OWN;
}

PqRc pqext_ask_function(sqlite3 *db, const char *name, PqArena *a,
                        PqextFunctionKind *out, const char **near, PqErr *e)
{
    static const char sql[] =
        "SELECT max(type = 's'), min(flags & ?2) FILTER (WHERE type = 's'), "
        "max(flags & ?3), min(flags & ?4), min(builtin) FROM pragma_function_list "
        "WHERE name = lower(?1)";
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    *out = PQEXT_FUNCTION_UNSURE;
    *near = NULL;
    if (rc == SQLITE_OK &&
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_int(stmt, 2, SQLITE_DETERMINISTIC) == SQLITE_OK &&
        sqlite3_bind_int(stmt, 3, SQLITE_DIRECTONLY) == SQLITE_OK &&
        sqlite3_bind_int(stmt, 4, SQLITE_INNOCUOUS) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        *out = kind_of(db, stmt);
    }
    rc = stmt ? sqlite3_finalize(stmt) : rc;
    if (is_broken_off(rc)) {
        return broken_off(rc, e);
    }
    if (*out == PQEXT_FUNCTION_UNKNOWN) {
        look(db, name, a, near, e);
    }
    return e->rc;
}
