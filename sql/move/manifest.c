/*
** manifest.c - manifest.json, written and read.
**
**   {"parquet_export": 1, "schema": "main", "encoding": "UTF-8", "sql": "schema.sql",
**    "user_version": 3, "application_id": 0,
**    "tables": [{"name": "events", "rows_from": "file", "file": "events.parquet",
**                "rows": 1000, "run": "7f3a91c2d05be846", "rowid": "rowid", "sequence": 1000,
**                "columns": [{"name": "id", "as": "BIGINT"}, ...]}]}
**
** A table that grew (export_grow.c) is there once for each of its files.  The last one says
** how far the rows have come: "grows_by": "id", "grown_to": 1000.
**
** Anybody may have written it.  What it says of a file is compared with the file, and
** a name of a file stays in the folder.
*/
#include "sql/move/move.h"

#include "core/base/system.h"

const char *const pqsql_move_kinds[] = {"BIGINT", "BOOLEAN", "DOUBLE", "TEXT", "DATE",
                                        "TIMESTAMP", "BLOB", "VARIANT", "VARIANT HEX"};
const char *const pqsql_move_hows[] = {"file", "rebuild", "nothing"};

enum { MANIFEST = 1 };

PqRc pqsql_manifest_add(PqsqlMove *m, PqsqlManifest *to, const PqsqlMoveTable *t)
{
    PQ_TRY(PQ_ARENA_GROW(&m->arena, to->tables, to->n_tables, &m->e));
    to->tables[to->n_tables++] = *t;
    return m->e.rc;
}

PqsqlMoveTable *pqsql_manifest_find(const PqsqlManifest *manifest, const char *name)
{
    for (uint32_t i = 0; i < manifest->n_tables; i++) {
        if (sqlite3_stricmp(manifest->tables[i].name, name) == 0) {
            return &manifest->tables[i];
        }
    }
    return NULL;
}

bool pqsql_manifest_has_file(const PqsqlManifest *manifest, const char *file)
{
    for (uint32_t i = 0; i < manifest->n_tables; i++) {
        if (manifest->tables[i].file && sqlite3_stricmp(manifest->tables[i].file, file) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- writing --------------------------------------------------------------------- */

/* Unless there is no value. */
static void member(PqBuf *b, const char *before, const char *name, const char *value)
{
    if (value) {
        pq_buf_printf(b, "%s\"%s\": ", before, name);
        pq_json_text_string(pq_slice_text(value), b);
    }
}

static void write_table(const PqsqlMoveTable *t, PqBuf *b)
{
    member(b, "  {", "name", t->name);
    member(b, ", ", "rows_from", pqsql_move_hows[t->how]);
    member(b, ", ", "file", t->file);
    if (t->how == PQSQL_MOVE_ROWS) {
        pq_buf_printf(b, ", \"rows\": %lld", (long long)t->n_rows);
    }
    member(b, ", ", "run", t->run);
    member(b, ", ", "rowid", t->rowid);
    if (t->sequence >= 0) {
        pq_buf_printf(b, ", \"sequence\": %lld", (long long)t->sequence);
    }
    member(b, ", ", "grows_by", t->grows_by);
    if (t->grows_by && t->grown_to) {
        pq_buf_printf(b, ", \"grown_to\": %s", t->grown_to);
    }
    pq_buf_text(b, ",\n   \"columns\": ");
    pq_buf_text(b, t->json ? t->json : "[");
    for (uint32_t i = 0; !t->json && i < t->n_columns; i++) {
        member(b, i ? ", {" : "{", "name", t->columns[i].name);
        member(b, ", ", "as", pqsql_move_kinds[t->columns[i].kind]);
        pq_buf_text(b, "}");
    }
    pq_buf_text(b, t->json ? "}" : "]}");
}

void pqsql_manifest_write(PqsqlMove *m, PqBuf *b)
{
    const PqsqlManifest *of = &m->manifest;

    pq_buf_printf(b, "{\"parquet_export\": %d", MANIFEST);
    member(b, ", ", "schema", m->schema);
    member(b, ", ", "encoding", of->encoding);
    member(b, ", ", "sql", of->sql);
    pq_buf_printf(b, ", \"user_version\": %lld, \"application_id\": %lld,\n \"tables\": [",
                  (long long)of->user_version, (long long)of->application_id);
    for (uint32_t i = 0; i < of->n_tables; i++) {
        pq_buf_text(b, i ? ",\n" : "\n");
        write_table(&of->tables[i], b);
    }
    pq_buf_text(b, "]}\n");
}

/* ---- reading --------------------------------------------------------------------- */

static PqRc wrong(PqsqlMove *m, const char *what)
{
    return pq_fail(&m->e, PQ_CORRUPT, "%smanifest.json: %s", m->folder, what);
}

/* A statement about a JSON text, which is ?1: in the statement's own text it could be
** longer than SQLite takes. */
static sqlite3_stmt *prepare(PqsqlMove *m, const char *sql, const char *json)
{
    sqlite3_stmt *s = pqsql_move_prepare(m, "%s", sql);

    if (s && sqlite3_bind_text(s, 1, json, -1, SQLITE_STATIC) != SQLITE_OK) {
        pq_fail(&m->e, PQ_NOMEM, "out of memory");
    }
    return s;
}

/* The columns, and the values of a VARIANT as SQLite has them. */
static PqRc read_columns(PqsqlMove *m, PqsqlMoveTable *t, const char *encoding)
{
    sqlite3_stmt *s = prepare(m, "SELECT value ->> 'name', value ->> 'as' FROM json_each(?1)",
                              t->json);
    PqBuf names, values;

    pq_buf_init(&names, m->mem, &m->e);
    pq_buf_init(&values, m->mem, &m->e);
    while (pqsql_move_next(m, &s)) {
        const char *name = pqsql_move_text(m, s, 0), *comma = t->n_columns++ ? ", " : "";
        uint32_t kind = pqsql_move_place(pqsql_move_text(m, s, 1), pqsql_move_kinds,
                                         PQSQL_MOVE_HEX + 1);

        if (kind > PQSQL_MOVE_HEX) {
            wrong(m, "a column is written as something that is not known");
        }
        t->has_hex = t->has_hex || kind == PQSQL_MOVE_HEX;
        pqsql_move_sql(m, &names, "%s\"%w\"", comma, name);
        pqsql_move_sql(m, &values,
                       kind == PQSQL_MOVE_HEX
                           ? "%sCASE WHEN variant_typeof(\"%w\") IS NOT 'object' THEN "
                             "variant_get(\"%w\", '$') ELSE "
                             "pq_import_text(variant_get(\"%w\", '$.hex'), %Q) END"
                       : kind == PQSQL_MOVE_VARIANT ? "%svariant_get(\"%w\", '$')" : "%s\"%w\"",
                       comma, name, name, name, encoding);
    }
    if (t->rowid) {
        pqsql_move_sql(m, &names, "%s\"%w\"", t->n_columns ? ", " : "", t->rowid);
        pqsql_move_sql(m, &values, "%s\"%w\"", t->n_columns ? ", " : "", t->rowid);
    }
    t->names = pqsql_move_take(m, &names);
    t->values = pqsql_move_take(m, &values);
    return m->e.rc;
}

/* NULL: it is not there, or is not a text. */
static const char *text_of(PqsqlMove *m, sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_TEXT ? pqsql_move_text(m, s, column) : NULL;
}

static PqRc read_table(PqsqlMove *m, sqlite3_stmt *s, PqsqlManifest *to)
{
    uint32_t how = pqsql_move_place(pqsql_move_text(m, s, 1), pqsql_move_hows,
                                    PQSQL_MOVE_NOTHING + 1);
    PqsqlMoveTable t = {
        .name = pqsql_move_text(m, s, 0), .how = (PqsqlMoveHow)how, .file = text_of(m, s, 2),
        .n_rows = sqlite3_column_int64(s, 3), .rowid = text_of(m, s, 4),
        .sequence = sqlite3_column_type(s, 5) == SQLITE_INTEGER ? sqlite3_column_int64(s, 5) : -1,
        .run = text_of(m, s, 6), .grows_by = text_of(m, s, 7), .grown_to = text_of(m, s, 8),
        .json = pqsql_move_text(m, s, 9)};

    if (how > PQSQL_MOVE_NOTHING ||
        (t.rowid &&
         pqsql_move_place(t.rowid, pqsql_move_rowids, PQSQL_MOVE_ROWIDS) == PQSQL_MOVE_ROWIDS)) {
        return wrong(m, "a table has rows_from or rowid that are not known");
    }
    if (t.how == PQSQL_MOVE_ROWS && (!t.file || !*t.file || *t.file == '.' ||
                                     strpbrk(t.file, "/*?["))) {
        return wrong(m, "a file is not the name of a file in the folder");
    }
    PQ_TRY(read_columns(m, &t, to->encoding));
    return pqsql_manifest_add(m, to, &t);
}

PqRc pqsql_move_read_file(PqsqlMove *m, const char *name, PqSlice *out)
{
    PqPlaces places = pq_engine_places(m->host->engine, true, &m->o.patience);
    const char *path = pq_arena_printf(&m->arena, &m->e, "%s%s", m->folder, name);
    PqSource *source = NULL;
    uint8_t *bytes;
    uint64_t n;
    PqRc rc;

    PQ_TRY(path ? PQ_OK : m->e.rc);
    PQ_GO(pq_places_open(&places, m->mem, path, &source, &m->e));
    n = pq_source_size(source);
    if (n > PQSQL_MOVE_MOST) {
        rc = pq_fail(&m->e, PQ_CORRUPT, "%s: is longer than 16 MB", path);
        goto done;
    }
    bytes = pq_arena_zeros(&m->arena, n + 1, 1, &m->e);
    rc = bytes ? pq_source_read(source, 0, (size_t)n, bytes, &m->e) : m->e.rc;
    *out = (PqSlice){bytes, (size_t)n};
done:
    pq_source_close(source);
    return rc;
}

bool pqsql_manifest_is_there(PqsqlMove *m)
{
    return access(pqsql_move_print(m, "%smanifest.json", m->folder), F_OK) == 0;
}

PqRc pqsql_manifest_read(PqsqlMove *m, PqsqlManifest *out)
{
    const char *text;
    sqlite3_stmt *s;

    PQ_TRY(pqsql_move_read_file(m, "manifest.json", &out->json));
    text = (const char *)out->json.p;
    s = prepare(
        m, "SELECT 1, ?1 ->> 'parquet_export', ?1 ->> 'user_version', ?1 ->> 'application_id', "
           "?1 ->> 'encoding', ?1 ->> 'sql' WHERE json_valid(?1)", text);
    if (!pqsql_move_step(m, s)) {
        wrong(m, "is not JSON");
    } else if (sqlite3_column_int64(s, 1) != MANIFEST) {
        wrong(m, "is not of parquet_export, or of a later version");
    } else {
        *out = (PqsqlManifest){
            .json = out->json, .encoding = pqsql_move_text(m, s, 4),
            .sql = strcmp(pqsql_move_text(m, s, 5), PQSQL_MOVE_NEW_SQL) ? PQSQL_MOVE_SQL
                                                                        : PQSQL_MOVE_NEW_SQL,
            .user_version = sqlite3_column_int64(s, 2),
            .application_id = sqlite3_column_int64(s, 3)};
    }
    sqlite3_finalize(s);
    s = prepare(
        m, "SELECT value ->> 'name', value ->> 'rows_from', value ->> 'file', value ->> 'rows', "
           "value ->> 'rowid', value ->> 'sequence', value ->> 'run', value ->> 'grows_by', "
           "iif(json_type(value, '$.grown_to') IN ('integer', 'text'), value -> 'grown_to', NULL), "
           "coalesce(value ->> 'columns', '[]') FROM json_each(?1, '$.tables')", text);
    while (pqsql_move_next(m, &s)) {
        read_table(m, s, out);
    }
    return m->e.rc;
}
