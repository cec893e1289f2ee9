/*
** ducklake_catalog.c - opens a catalog, and finds a snapshot and a table in it.
**
** A catalog may be a stranger's, and what looks like a table in it may be a view.  So the
** own connection trusts no function of a schema, and asks now and then if the user has
** interrupted.
*/
#include "sql/ducklake/ducklake_inside.h"

#include "core/base/system.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

enum { BUSY_MS = 5000, OPERATIONS = 10000 };

/* ---- statements -------------------------------------------------------------------------- */

PqRc pqsql_lake_failed(const PqsqlLakeCatalog *c, PqErr *e)
{
    int rc = sqlite3_errcode(c->db) & 0xff;
    const char *why = sqlite3_errmsg(c->db);

    return rc == SQLITE_NOMEM       ? pq_fail(e, PQ_NOMEM, "out of memory")
           : rc == SQLITE_INTERRUPT ? pq_fail(e, PQ_STOPPED, "interrupted")
           : rc == SQLITE_BUSY && strstr(why, "in progress")
               ? pq_fail(e, PQ_IO, "the catalog is busy: %s, such as the one that calls this", why)
           : rc == SQLITE_BUSY      ? pq_fail(e, PQ_IO, "the catalog is busy: another program "
                                              "writes it")
                                    : pq_fail(e, rc == SQLITE_ERROR ? PQ_CORRUPT : PQ_IO,
                                              "the catalog cannot be %s: %s",
                                              c->writes ? "changed" : "read",
                                              why);
}

PqRc pqsql_lake_prepare(PqsqlLakeCatalog *c, const char *sql, sqlite3_stmt **out, PqErr *e)
{
    int rc = sql ? sqlite3_prepare_v2(c->db, sql, -1, out, NULL) : SQLITE_NOMEM;

    if (rc != SQLITE_OK) {
        return sql ? pqsql_lake_failed(c, e) : pq_fail(e, PQ_NOMEM, "out of memory");
    }
    sqlite3_bind_int64(*out, 1, c->version);
    sqlite3_bind_int64(*out, 2, c->table_id);
    return PQ_OK;
}

PqRc pqsql_lake_ask(PqsqlLakeCatalog *c, const char *sql, sqlite3_stmt **out, PqErr *e)
{
    sqlite3_str *s = sqlite3_str_new(c->db);
    char *text;
    PqRc rc;

    for (; *sql; sql++) {
        if (*sql == '$') {
            sqlite3_str_appendf(s, "\"%w\"", c->schema);
        } else {
            sqlite3_str_appendchar(s, 1, *sql);
        }
    }
    text = sqlite3_str_finish(s);
    rc = pqsql_lake_prepare(c, text, out, e);
    sqlite3_free(text);
    return rc;
}

PqRc pqsql_lake_step(PqsqlLakeCatalog *c, sqlite3_stmt *s, bool *more, PqErr *e)
{
    int rc = sqlite3_step(s);

    *more = rc == SQLITE_ROW;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        return pqsql_lake_failed(c, e);      /* before the question, which forgets what it was */
    }
    return pq_stop_poll(c->stop, e);
}

PqRc pqsql_lake_text(PqsqlLakeCatalog *c, sqlite3_stmt *s, int i, const char **out, PqErr *e)
{
    const void *text = sqlite3_column_text(s, i);
    size_t n = (size_t)sqlite3_column_bytes(s, i);

    *out = NULL;
    if (sqlite3_column_type(s, i) == SQLITE_NULL) {
        return PQ_OK;
    }
    if (!text) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    if (strlen(text) != n) {
        return pq_fail(e, PQ_CORRUPT, "a text of the catalog has a NUL in it");
    }
    *out = pq_arena_text(c->arena, text, n, e);
    return *out ? PQ_OK : e->rc;
}

/* DuckDB writes 1, and others may write what SQL says. */
bool pqsql_lake_is_true(sqlite3_stmt *s, int i)
{
    const char *text = (const char *)sqlite3_column_text(s, i);

    return sqlite3_column_int(s, i) || (text && sqlite3_stricmp(text, "true") == 0);
}

bool pqsql_lake_next(PqsqlLakeCatalog *c, const char *sql, sqlite3_stmt **s, PqErr *e)
{
    bool more = false;

    if (e->rc == PQ_OK && (*s || pqsql_lake_ask(c, sql, s, e) == PQ_OK)) {
        pqsql_lake_step(c, *s, &more, e);
    }
    if (e->rc || !more) {
        sqlite3_finalize(*s);
        *s = NULL;
    }
    return *s != NULL;
}

static PqRc take_row(PqsqlLakeCatalog *c, sqlite3_stmt *s, bool is_there, const char *types,
                     va_list *to, PqErr *e)
{
    if (*types == '?') {
        *va_arg(*to, bool *) = is_there;
        types++;
    }
    for (int i = 0; *types; i++, types++) {
        if (*types == 't') {
            const char **text = va_arg(*to, const char **);

            *text = NULL;
            PQ_TRY(is_there ? pqsql_lake_text(c, s, i, text, e) : PQ_OK);
        } else if (*types == 'b') {
            *va_arg(*to, bool *) = is_there && pqsql_lake_is_true(s, i);
        } else {
            *va_arg(*to, int64_t *) = is_there ? sqlite3_column_int64(s, i) : 0;
        }
    }
    return PQ_OK;
}

PqRc pqsql_lake_run(PqsqlLakeCatalog *c, PqErr *e, const char *sql, const char *types, ...)
{
    sqlite3_stmt *s = NULL;
    bool more = true;
    va_list list;
    PqRc rc = pqsql_lake_ask(c, sql, &s, e);

    va_start(list, types);
    for (int i = 3; rc == PQ_OK && *types && *types != '>'; i++, types++) {
        if (*types == 's') {
            const char *text = va_arg(list, const char *);

            sqlite3_bind_text(s, i, text, -1, SQLITE_STATIC);
        } else {
            int64_t v = va_arg(list, int64_t);

            if (*types == 'i' || v >= 0) {
                sqlite3_bind_int64(s, i, v);
            }
        }
    }
    rc = rc ? rc : pqsql_lake_step(c, s, &more, e);
    rc = rc || !*types ? rc : take_row(c, s, more, types + 1, &list, e);
    va_end(list);
    while (rc == PQ_OK && more) {
        rc = pqsql_lake_step(c, s, &more, e);
    }
    sqlite3_finalize(s);
    return rc;
}

PqRc pqsql_lake_has(PqsqlLakeCatalog *c, const char *name, bool *has, PqErr *e)
{
    *has = false;
    return pqsql_lake_run(c, e, "SELECT 1 FROM $.sqlite_schema WHERE type = 'table' AND "
                          "name = ?3 COLLATE NOCASE", "s>?", name, has);
}

/* ---- the connection ---------------------------------------------------------------------- */

static int asked(void *arg)
{
    const PqStop *stop = arg;

    return stop->asked && stop->asked(stop->arg);
}

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;

    return a && *a && (strcmp(a, b) == 0 ||
                       (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino != 0 &&
                        x.st_ino == y.st_ino && x.st_dev == y.st_dev));
}

/* Is it a database of the user's connection? */
static PqRc find_attached(PqsqlLakeCatalog *c, sqlite3 *db, const char *path, PqErr *e)
{
    for (int i = 0; !c->db; i++) {
        const char *name = sqlite3_db_name(db, i);

        if (!name) {
            break;
        }
        if (is_same(sqlite3_db_filename(db, name), path)) {
            c->db = db;
            c->schema = pq_arena_text(c->arena, name, strlen(name), e);
            PQ_TRY(c->schema ? PQ_OK : e->rc);
        }
    }
    return PQ_OK;
}

/* What a killed writer has begun is taken back when the next one reads, if that may write. */
static PqRc open_own(PqsqlLakeCatalog *c, const char *path, PqErr *e)
{
    PqRc rc = PQ_OK;

    c->own = true;
    c->schema = "main";
    if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        rc = pq_fail(e, PQ_IO, "cannot open the catalog: %s",
                     c->db ? sqlite3_errmsg(c->db) : "out of memory");
    }
    if (c->db) {
        sqlite3_busy_timeout(c->db, BUSY_MS);
        /* The table is read beside a writer until the commit. */
        sqlite3_exec(c->db, c->writes ? "PRAGMA cache_spill = off" : "PRAGMA query_only = on",
                     NULL, NULL, NULL);
        sqlite3_db_config(c->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        if (c->stop) {
            sqlite3_progress_handler(c->db, OPERATIONS, asked, (void *)c->stop);
        }
    }
    return rc;
}

void pqsql_lake_close(PqsqlLakeCatalog *c)
{
    sqlite3_finalize(c->held);
    if (c->own) {
        sqlite3_close(c->db);
    }
}

/* The state of the catalog is held, and its format is known.  0.4 differs from 1.0 in its
** number only. */
static PqRc hold(PqsqlLakeCatalog *c, PqErr *e)
{
    const char *version;
    bool more;

    PQ_TRY(pqsql_lake_ask(c, "SELECT value FROM $.ducklake_metadata WHERE key = 'version' "
                          "UNION ALL SELECT NULL", &c->held, e));
    PQ_TRY(pqsql_lake_step(c, c->held, &more, e));
    PQ_TRY(pqsql_lake_text(c, c->held, 0, &version, e));
    return !version ? pq_fail(e, PQ_CORRUPT, "the catalog has no version")
           : strcmp(version, "1.0") && strcmp(version, "0.4")
               ? pq_fail(e, PQ_UNSUPPORTED, "version %.40s of DuckLake is not read: 1.0 is",
                         version)
               : PQ_OK;
}

PqRc pqsql_lake_open(PqsqlLakeCatalog *c, sqlite3 *db, const char *path, PqErr *e)
{
    PQ_TRY(find_attached(c, db, path, e));
    PQ_TRY(c->db ? PQ_OK : open_own(c, path, e));
    PQ_TRY(pqsql_lake_has(c, "iceberg_tables", &c->is_iceberg, e));
    return c->is_iceberg ? PQ_OK : hold(c, e);
}

bool pqsql_ducklake_is(const char *path)
{
    PqsqlLakeCatalog c = {0};
    bool has = false;
    struct stat st;
    PqErr e = PQ_NO_ERR;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
        return false;
    }
    if (open_own(&c, path, &e) == PQ_OK) {
        pqsql_lake_has(&c, "ducklake_metadata", &has, &e);
        if (!has) {
            pqsql_lake_has(&c, "iceberg_tables", &has, &e);
        }
    }
    pqsql_lake_close(&c);
    return has;
}

/* ---- the snapshot ------------------------------------------------------------------------ */

/* Microseconds; INT64_MAX: it is not said. */
static PqRc time_of(PqsqlLakeCatalog *c, sqlite3_stmt *s, int i, int64_t *out, PqErr *e)
{
    const char *text;

    *out = INT64_MAX;
    PQ_TRY(pqsql_lake_text(c, s, i, &text, e));
    return !text || pq_time_parse_timestamp(pq_slice_text(text), PQ_MICROS, true, out) ==
                        PQ_PARSE_OK
               ? PQ_OK : pq_fail(e, PQ_CORRUPT, "the catalog has a snapshot of %.60s", text);
}

/* The newest snapshot that is not later. */
static PqRc find_time(PqsqlLakeCatalog *c, int64_t as_of, PqErr *e)
{
    sqlite3_stmt *s = NULL;
    int64_t at;

    c->version = -1;
    while (pqsql_lake_next(c, "SELECT snapshot_id, snapshot_time FROM $.ducklake_snapshot "
                           "ORDER BY 1", &s, e)) {
        if (time_of(c, s, 1, &at, e) == PQ_OK && at <= as_of) {
            c->version = sqlite3_column_int64(s, 0);
        }
    }
    PQ_TRY(e->rc);
    return c->version >= 0
               ? PQ_OK : pq_fail(e, PQ_USAGE, "the catalog has no version that is as old");
}

PqRc pqsql_lake_find_snapshot(PqsqlLakeCatalog *c, int64_t version, int64_t as_of, PqErr *e)
{
    int64_t newest;
    bool any, has;

    if (as_of != INT64_MAX) {
        return find_time(c, as_of, e);
    }
    PQ_TRY(pqsql_lake_run(c, e, "SELECT max(snapshot_id), max(snapshot_id = ?3) "
                          "FROM $.ducklake_snapshot HAVING count(snapshot_id)", "i>?ib", version,
                          &any, &newest, &has));
    if (!any) {
        return pq_fail(e, PQ_CORRUPT, "the catalog has no snapshot");
    }
    if (version >= 0 && !has) {
        return pq_fail(e, PQ_USAGE, "the catalog has no version %lld; its newest is %lld",
                       (long long)version, (long long)newest);
    }
    c->version = version >= 0 ? version : newest;
    return PQ_OK;
}

static PqRc list_snapshots(PqsqlLakeCatalog *c, PqErr *e)
{
    sqlite3_stmt *s = NULL;
    bool has;

    PQ_TRY(pqsql_lake_has(c, "ducklake_snapshot_changes", &has, e));
    while (pqsql_lake_next(c, has ? "SELECT snapshot_id, snapshot_time, changes_made FROM "
                                    "$.ducklake_snapshot LEFT JOIN "
                                    "$.ducklake_snapshot_changes USING (snapshot_id)"
                                  : "SELECT snapshot_id, snapshot_time, NULL FROM "
                                    "$.ducklake_snapshot", &s, e)) {
        int64_t id = sqlite3_column_int64(s, 0), at;
        const char *what;

        if (time_of(c, s, 1, &at, e) == PQ_OK && pqsql_lake_text(c, s, 2, &what, e) == PQ_OK) {
            pq_lake_add_version(c->r, id, id, at, pq_slice_text(what ? what : ""), -1, e);
        }
    }
    return e->rc;
}

/* ---- paths ------------------------------------------------------------------------------- */

PqRc pqsql_lake_path(PqsqlLakeCatalog *c, const char *folder, const char *path,
                     bool is_relative, const char **out, PqErr *e)
{
    path = path ? path : "";
    if (!is_relative && pq_url_is(path)) {
        return pq_fail(e, PQ_UNSUPPORTED, "the files are on a server, which a catalog on a "
                       "disk does not make this process ask: %.200s", path);
    }
    *out = pq_arena_printf(c->arena, e, "%s%s", is_relative ? folder : "", path);
    return *out ? PQ_OK : e->rc;
}

/* A folder of the catalog: empty, or with a slash at its end. */
static PqRc folder_below(PqsqlLakeCatalog *c, const char *path, bool is_relative, PqErr *e)
{
    size_t n;

    PQ_TRY(pqsql_lake_path(c, c->folder, path, !path || !*path || is_relative, &c->folder, e));
    n = strlen(c->folder);
    if (n && c->folder[n - 1] != '/') {
        c->folder = pq_arena_printf(c->arena, e, "%s/", c->folder);
    }
    return c->folder ? PQ_OK : e->rc;
}

/* DuckDB keeps the path of the data as it was given.  A relative one counts from the
** folder of the process, as there; if nothing is there, from that of the catalog. */
static PqRc find_data(PqsqlLakeCatalog *c, PqErr *e)
{
    const char *catalog = c->r->table, *slash = strrchr(catalog, '/');
    const char *at, *beside;
    struct stat st;

    PQ_TRY(pqsql_lake_run(c, e, "SELECT value FROM $.ducklake_metadata WHERE key = 'data_path' "
                          "AND scope IS NULL", ">t", &at));
    if (!at || !*at) {
        return pq_fail(e, PQ_CORRUPT, "the catalog has no data_path");
    }
    PQ_TRY(pqsql_lake_path(c, "", at, false, &c->folder, e));
    if (!pq_system_is_absolute(at) && slash && stat(at, &st) != 0) {
        beside = pq_arena_printf(c->arena, e, "%.*s/%s", (int)(slash - catalog), catalog, at);
        PQ_TRY(beside ? PQ_OK : e->rc);
        c->folder = beside;
    }
    return PQ_OK;
}

/* ---- the table --------------------------------------------------------------------------- */

PqRc pqsql_lake_no_table(PqsqlLakeCatalog *c, const char *names_sql, const char *name,
                         const char *when, PqErr *e)
{
    const char *names, *sql;

    sql = pq_arena_printf(c->arena, e, "SELECT group_concat(name, ', ') FROM (%s ORDER BY 1 "
                          "LIMIT 10)", names_sql);
    PQ_TRY(sql ? pqsql_lake_run(c, e, sql, ">t", &names) : e->rc);
    return pq_fail(e, PQ_USAGE, "the catalog has no table %.100s%s; it has %.400s",
                   name ? name : "without a name", when, names ? names : "none");
}

static PqRc no_table(PqsqlLakeCatalog *c, const char *name, PqErr *e)
{
    char when[40];

    snprintf(when, sizeof when, " in version %lld", (long long)c->version);
    return pqsql_lake_no_table(c, "SELECT s.schema_name || '.' || t.table_name AS name FROM "
                               "$.ducklake_table AS t JOIN $.ducklake_schema AS s USING "
                               "(schema_id) WHERE " PQSQL_LIVE("t") " AND " PQSQL_LIVE("s"),
                               name, when, e);
}

/* Of names that differ in case only, the one that is written so counts. */
PqRc pqsql_lake_find_table(PqsqlLakeCatalog *c, const char *name, PqErr *e)
{
    const char *schema, *table;
    bool is_there, is_relative, is_below;

    PQ_TRY(pqsql_lake_run(
        c, e, "SELECT t.table_id, s.path, s.path_is_relative, t.path, t.path_is_relative "
              "FROM $.ducklake_table AS t JOIN $.ducklake_schema AS s USING (schema_id) WHERE "
              PQSQL_LIVE("t") " AND " PQSQL_LIVE("s") " AND ?3 COLLATE NOCASE IN "
              "(s.schema_name || '.' || t.table_name, "
              "iif(s.schema_name = 'main', t.table_name, NULL)) "
              "ORDER BY ?3 IN (s.schema_name || '.' || t.table_name, t.table_name) DESC, "
              "s.schema_name, t.table_name LIMIT 1", "s>?itbtb", name, &is_there, &c->table_id,
        &schema, &is_relative, &table, &is_below));
    PQ_TRY(is_there ? find_data(c, e) : no_table(c, name, e));
    c->data = c->folder;
    PQ_TRY(folder_below(c, schema, is_relative, e));
    return folder_below(c, table, is_below, e);
}

PqRc pqsql_ducklake_read(void *arg, PqLakeReading *r, PqErr *e)
{
    const PqsqlDucklake *d = arg;
    PqsqlLakeCatalog c = {.r = r, .stop = r->stop, .arena = &r->s->arena, .row_ids = d->row_ids};
    PqRc rc;

    PQ_GO(pqsql_lake_open(&c, d->db, r->table, e));
    if (c.is_iceberg || r->versions) {
        rc = c.is_iceberg ? pqsql_lake_iceberg(&c, d->table, e) : list_snapshots(&c, e);
        goto done;
    }
    PQ_GO(pqsql_lake_find_snapshot(&c, r->version, r->as_of, e));
    PQ_GO(pqsql_lake_find_table(&c, d->table, e));
    r->s->version = c.version;
    PQ_GO(pqsql_lake_columns(&c, e));
    PQ_GO(pq_lake_partition_by(r, NULL, 0, e));
    PQ_GO(pqsql_lake_files(&c, e));
    PQ_GO(pqsql_lake_rows(&c, e));
    PQ_GO(pq_lake_finish(r, e));
done:
    pqsql_lake_close(&c);
    return rc;
}

#define TABLES                                                                                  \
    "SELECT s.schema_name, t.table_name, NULL, NULL, -1 FROM $.ducklake_table AS t JOIN "       \
    "$.ducklake_schema AS s USING (schema_id) WHERE " PQSQL_LIVE("t") " AND " PQSQL_LIVE("s")
#define VIEWS                                                                                   \
    "SELECT s.schema_name, v.view_name, coalesce(v.sql, ''), v.column_aliases, v.view_id FROM " \
    "$.ducklake_view AS v JOIN $.ducklake_schema AS s USING (schema_id) WHERE "                 \
    PQSQL_LIVE("v") " AND " PQSQL_LIVE("s")
#define OF_ICEBERG                                                                              \
    "SELECT table_namespace, table_name, NULL, NULL, -1 FROM $.iceberg_tables WHERE "           \
    "metadata_location IS NOT NULL"
#define IN_ORDER " ORDER BY 5, 1, 2"

PqRc pqsql_ducklake_names(sqlite3 *db, const char *path, int64_t version, int64_t as_of,
                          PqsqlDucklakeVisit visit, void *arg, const PqStop *stop, PqErr *e)
{
    PqMem *mem = pq_mem_new(16 << 20);
    PqArena arena;
    PqsqlLakeCatalog c = {.stop = stop, .arena = &arena};
    const char *sql = OF_ICEBERG IN_ORDER;
    sqlite3_stmt *s = NULL;
    PqsqlDucklakeName n;
    bool has;
    PqRc rc;

    if (!mem) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    pq_arena_init(&arena, mem);
    PQ_GO(pqsql_lake_open(&c, db, path, e));
    if (!c.is_iceberg) {
        PQ_GO(pqsql_lake_find_snapshot(&c, version, as_of, e));
        PQ_GO(pqsql_lake_has(&c, "ducklake_view", &has, e));
        sql = has ? TABLES " UNION ALL " VIEWS IN_ORDER : TABLES IN_ORDER;
    }
    while (pqsql_lake_next(&c, sql, &s, e)) {
        if (pqsql_lake_text(&c, s, 0, &n.schema, e) == PQ_OK &&
            pqsql_lake_text(&c, s, 1, &n.name, e) == PQ_OK &&
            pqsql_lake_text(&c, s, 2, &n.view, e) == PQ_OK &&
            pqsql_lake_text(&c, s, 3, &n.columns, e) == PQ_OK && n.schema && n.name) {
            visit(arg, &n, e);
        }
    }
    rc = e->rc;
done:
    pqsql_lake_close(&c);
    pq_arena_free(&arena);
    pq_mem_release(mem);
    return rc;
}
