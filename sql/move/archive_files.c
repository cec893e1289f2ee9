/*
** archive_files.c - which files an archive has, the tables that read them, and the view.
**
**   kinds    {"id":"BIGINT","note":"VARIANT"}       as of each file
**   table    CREATE VIRTUAL TABLE events_archive USING parquet('["/cold/a.parquet", ...]',
**                hive=off, "parquet_archive note" = variant_get("note", '$'),
**                affinity='{"id": "INTEGER", "parquet_archive note": "TEXT"}')
**   view     SELECT "id", "note" FROM "events" UNION ALL
**            SELECT "id", "parquet_archive note" FROM "events_archive"
**
** A condition on the view has to see what it would see in the table: the same values, and
** compared in the same way.  So the columns of the files have the affinities of the table's,
** and a collation is said again.  SQLite also wants equal affinities before it takes the
** view apart, to join the files or to read them in order.
*/
#include "sql/move/archive.h"

#include "sql/argument.h"
#include "sql/statement_text.h"

#define MADE "/* made by parquet_archive */"

/* ---- kinds ------------------------------------------------------------------------- */

/* Of the nth part. */
static const char *table_name(PqsqlMove *m, const char *table, uint32_t n)
{
    return n > 1 ? pqsql_move_print(m, "%s_archive_%u", table, n)
                 : pqsql_move_print(m, "%s_archive", table);
}

static PqsqlArchivePart *add_part(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    PqsqlArchivePart *part;

    if (PQ_ARENA_GROW(&m->arena, a->parts, a->n_parts, &m->e) != PQ_OK) {
        return NULL;
    }
    part = &a->parts[a->n_parts];
    part->table = table_name(m, a->t.name, a->n_parts + 1);
    if (PQ_ARENA_NEW(&m->arena, part->kind, a->t.n_columns + 1u, &m->e) != PQ_OK) {
        return NULL;
    }
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        part->kind[i] = PQSQL_ARCHIVE_LACKS;
    }
    a->n_parts++;
    return part;
}

/* A row that lies in files without a column has NULL in it. */
static PqRc check_new_column(PqsqlArchive *a, const PqsqlMoveColumn *c)
{
    PqsqlMove *m = &a->m;

    if (c->is_generated ||
        pqsql_move_int(m, "SELECT dflt_value IS NOT NULL AND upper(dflt_value) <> 'NULL' FROM "
                          "pragma_table_xinfo(%Q, %Q) WHERE name = %Q", a->t.name, m->schema,
                       c->name)) {
        return pqsql_move_refuse(m, "files of table %.200s do not have its column %.200s, which is "
                                 "not NULL in older rows; parquet_restore them before it is added",
                                 a->t.name, c->name);
    }
    return m->e.rc;
}

static PqRc read_part(PqsqlArchive *a, const char *kinds)
{
    PqsqlMove *m = &a->m;
    PqsqlArchivePart *part = add_part(a);
    sqlite3_stmt *s;

    PQ_TRY(part ? PQ_OK : m->e.rc);
    part->kinds = kinds;
    s = pqsql_move_prepare(m, "SELECT key, value FROM json_each(%Q)", kinds);
    while (pqsql_move_next(m, &s)) {
        const char *name = pqsql_move_text(m, s, 0);
        uint32_t kind = pqsql_move_place(pqsql_move_text(m, s, 1), pqsql_move_kinds,
                                         PQSQL_MOVE_HEX);
        int i = pqsql_archive_column(a, name);

        if (i >= 0 && kind == PQSQL_MOVE_HEX) {
            pq_fail(&m->e, PQ_CORRUPT, "%s: " PQSQL_ARCHIVE_FILES " has kinds that nobody wrote",
                    m->function);
        } else if (i >= 0) {
            part->kind[i] = (PqsqlMoveKind)kind;
        } else if (!a->t.rowid || strcmp(name, a->t.rowid)) {
            pqsql_move_refuse(m, "files of table %.200s have a column %.200s, which the table "
                              "lacks: it was renamed or dropped; rename it back first", a->t.name,
                              name);
        }
    }
    for (uint32_t i = 0; i < a->t.n_columns && m->e.rc == PQ_OK; i++) {
        if (part->kind[i] == PQSQL_ARCHIVE_LACKS) {
            check_new_column(a, &a->t.columns[i]);
        }
    }
    return m->e.rc;
}

/* ALTER TABLE RENAME changes the view that is there, and not what is entered.  The view of a
** table that was renamed, if the table of this call is that one or has its name now; or NULL. */
static const char *renamed(PqsqlArchive *a)
{
    const char *from = pqsql_move_print(&a->m, " FROM \"%w\" ", a->t.name);

    return pqsql_move_word(
        &a->m, "SELECT name FROM \"%w\".sqlite_schema WHERE type = 'view' AND instr(sql, %Q) AND "
               "(name = %Q COLLATE NOCASE) <> (instr(sql || ' ', %Q) > 0) AND "
               "lower(name) IN (SELECT lower(\"table\" || '_all') FROM %s WHERE rows IS NOT NULL)",
        a->m.schema, MADE, a->all, from, a->files);
}

/* To make a table over files is to ask for them, and whoever wrote the database named them. */
static PqRc check_servers(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    sqlite3_stmt *s = pqsql_move_prepare(m, "SELECT path %s", a->live);

    while (pqsql_move_next(m, &s)) {
        const char *path = pqsql_move_text(m, s, 0);
        PqUrl url;

        if (pq_url_is(path)) {
            pq_run_folder_may_ask(m->host->engine->remote, &m->arena, path, &url, &m->e);
        }
    }
    return m->e.rc;
}

PqRc pqsql_archive_parts(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    const char *other = renamed(a);
    sqlite3_stmt *s;

    if (other) {
        return pqsql_move_refuse(m, "table %.200s: view %.200s has archived rows of a table that "
                                 "was renamed; call parquet_archive for that table first, or "
                                 "rename it back", a->t.name, other);
    }
    PQ_TRY(check_servers(a));
    s = pqsql_move_prepare(m, "SELECT kinds %s GROUP BY kinds ORDER BY min(rowid)", a->live);
    a->n_parts = 0;
    while (pqsql_move_next(m, &s)) {
        read_part(a, pqsql_move_text(m, s, 0));
    }
    return m->e.rc;
}

/* Does a file that has the column as a kind give its values back?  The rest holds what was seen as
** that kind, and no other values. */
static bool holds(PqsqlMoveKind kind, const PqsqlMoveColumn *c)
{
    static const unsigned takes[] = {
        [PQSQL_MOVE_BIGINT] = PQSQL_HAS_INTS | PQSQL_HAS_BIG | PQSQL_HAS_OTHERS,
        [PQSQL_MOVE_TEXT] = PQSQL_HAS_TEXTS | PQSQL_HAS_OTHERS,
        [PQSQL_MOVE_VARIANT] = ~0U, [PQSQL_MOVE_HEX] = 0};
    const unsigned numbers = PQSQL_HAS_INTS | PQSQL_HAS_REALS | PQSQL_HAS_OTHERS;
    unsigned has = c->has & ~(unsigned)PQSQL_HAS_NULLS;

    return kind == c->kind || !(has & ~takes[kind]) ||
           (kind == PQSQL_MOVE_DOUBLE && c->affinity >= PQSQL_MOVE_NUMBERS && !(has & ~numbers));
}

static bool is_time_or_text(PqsqlMoveKind kind)
{
    return kind >= PQSQL_MOVE_TEXT && kind <= PQSQL_MOVE_TIMESTAMP;
}

/* A kind for the values, and for as much as possible of what files hold already. */
static PqsqlMoveKind join(PqsqlMoveKind kind, const PqsqlMoveColumn *c)
{
    if (holds(kind, c)) {
        return kind;
    }
    if (kind < PQSQL_MOVE_TEXT && c->kind < PQSQL_MOVE_TEXT) {
        return c->kind;
    }
    return is_time_or_text(kind) && is_time_or_text(c->kind) ? PQSQL_MOVE_TEXT : PQSQL_MOVE_VARIANT;
}

static bool part_holds(const PqsqlArchive *a, const PqsqlArchivePart *part)
{
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        if (part->kind[i] == PQSQL_ARCHIVE_LACKS || !holds(part->kind[i], &a->t.columns[i])) {
            return false;
        }
    }
    return true;
}

PqRc pqsql_archive_fit(PqsqlArchive *a, PqsqlArchivePart **out)
{
    PqsqlMove *m = &a->m;
    PqsqlArchivePart *last;

    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        if (a->t.columns[i].kind == PQSQL_MOVE_HEX) {
            return pqsql_move_refuse(m, "table %.200s, column %.200s: a text is not UTF-8, and "
                                     "would not be the same in a file", a->t.name,
                                     a->t.columns[i].name);
        }
    }
    for (uint32_t i = 0; i < a->n_parts; i++) {
        *out = &a->parts[i];
        if (part_holds(a, *out)) {
            return m->e.rc;
        }
    }
    *out = add_part(a);
    PQ_TRY(*out ? PQ_OK : m->e.rc);
    last = a->n_parts > 1 ? &a->parts[a->n_parts - 2] : NULL;
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        if (last && last->kind[i] != PQSQL_ARCHIVE_LACKS) {
            a->t.columns[i].kind = join(last->kind[i], &a->t.columns[i]);
        }
        (*out)->kind[i] = a->t.columns[i].kind;
    }
    (*out)->kinds = pqsql_move_types(m, &a->t);
    return m->e.rc;
}

/* ---- tables over files --------------------------------------------------------------- */

static const char *affinity_of(const PqsqlMoveColumn *c)
{
    static const char *const words[] = {
        [PQSQL_MOVE_KEEPS] = "BLOB", [PQSQL_MOVE_TEXTS] = "TEXT", [PQSQL_MOVE_REALS] = "REAL",
        [PQSQL_MOVE_NUMBERS] = "NUMERIC", [PQSQL_MOVE_INTEGERS] = "INTEGER"};

    return words[c->affinity];
}

/* The name in the table over the files. */
static const char *name_in_files(PqsqlArchive *a, const PqsqlArchivePart *part, uint32_t i)
{
    const char *name = a->t.columns[i].name;

    return part->kind[i] == PQSQL_MOVE_VARIANT
               ? pqsql_move_print(&a->m, "parquet_archive %s", name) : name;
}

PqRc pqsql_archive_table(PqsqlArchive *a, const PqsqlArchivePart *part, const char *schema,
                         const char *name, const char *paths)
{
    PqsqlMove *m = &a->m;
    PqBuf b, affinities;

    pq_buf_init(&b, m->mem, &m->e);
    pq_buf_init(&affinities, m->mem, &m->e);
    pqsql_move_sql(m, &b, "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING parquet(%Q, hive=off", schema,
                   name, paths);
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        const char *its = name_in_files(a, part, i);

        if (part->kind[i] == PQSQL_MOVE_VARIANT) {
            pqsql_move_sql(m, &b, ", \"%w\" = variant_get(\"%w\", '$')", its, a->t.columns[i].name);
        }
        if (part->kind[i] != PQSQL_ARCHIVE_LACKS) {
            pqsql_move_item(&affinities, '{', pq_slice_text(its));
            pq_buf_printf(&affinities, ":\"%s\"", affinity_of(&a->t.columns[i]));
        }
    }
    pqsql_move_sql(m, &b, ", affinity=%Q)", pqsql_move_close(m, &affinities, "{}"));
    return pqsql_move_run(m, "%s", pqsql_move_take(m, &b));
}

static void value(PqsqlArchive *a, PqBuf *b, const PqsqlArchivePart *part, uint32_t i)
{
    const PqsqlMoveColumn *c = &a->t.columns[i];
    const char *name = c->name;
    PqsqlMove *m = &a->m;

    if (part->kind[i] == PQSQL_ARCHIVE_LACKS) {
        pq_buf_printf(b, "CAST(NULL AS %s)", affinity_of(c));
    } else if (part->kind[i] == PQSQL_MOVE_DOUBLE && c->affinity >= PQSQL_MOVE_NUMBERS) {
        /* Integers of a column that makes them of REALs were written as DOUBLE. */
        pqsql_move_sql(m, b, "CAST(CASE WHEN abs(\"%w\") <= 9007199254740992 AND \"%w\" = "
                             "CAST(\"%w\" AS INTEGER) THEN CAST(\"%w\" AS INTEGER) ELSE \"%w\" END "
                             "AS NUMERIC)", name, name, name, name, name);
    } else {
        pqsql_move_sql(m, b, "\"%w\"", name_in_files(a, part, i));
    }
    if (c->collation) {
        pqsql_move_sql(m, b, " COLLATE \"%w\"", c->collation);
    }
}

const char *pqsql_archive_select(PqsqlArchive *a, const PqsqlArchivePart *part,
                                 const char *others)
{
    PqsqlMove *m = &a->m;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        pq_buf_text(&b, i ? ", " : "SELECT ");
        value(a, &b, part, i);
        pqsql_move_sql(m, &b, " AS \"%w\"", a->t.columns[i].name);
    }
    pq_buf_text(&b, others);
    return pqsql_move_take(m, &b);
}

/* Drops what an earlier call made, and nothing else of this name. */
static bool drop(PqsqlArchive *a, const char *type, const char *name, const char *sign)
{
    PqsqlMove *m = &a->m;
    int64_t ours = pqsql_move_int(m, "SELECT max(1 + (type = %Q AND instr(sql, %Q) > 0)) FROM "
                                     "\"%w\".sqlite_schema WHERE name = %Q COLLATE NOCASE",
                                  type, sign, m->schema, name);

    if (ours == 1) {
        pqsql_move_refuse(m, "there is something else called %.200s", name);
    }
    return ours == 2 && pqsql_move_run(m, "DROP %s \"%w\".\"%w\"", type, m->schema, name) == PQ_OK;
}

/* A column is named with its table: "gone" alone, of a column that was dropped, is a text. */
static PqRc make_view(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    pqsql_move_sql(m, &b, "CREATE VIEW \"%w\".\"%w\" AS " MADE " SELECT ", m->schema, a->all);
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        pqsql_move_sql(m, &b, "%s\"%w\".\"%w\"", i ? ", " : "", a->t.name, a->t.columns[i].name);
    }
    pqsql_move_sql(m, &b, " FROM \"%w\"", a->t.name);
    for (uint32_t i = 0; i < a->n_parts; i++) {
        pqsql_move_sql(m, &b, " UNION ALL %s FROM \"%w\"",
                       pqsql_archive_select(a, &a->parts[i], ""), a->parts[i].table);
    }
    return pqsql_move_run(m, "%s", pqsql_move_take(m, &b));
}

/* Drops the view over a table and its files, and the tables over these. */
static PqRc drop_shown(PqsqlArchive *a, const char *table)
{
    PqsqlMove *m = &a->m;
    uint32_t n = 1;

    drop(a, "view", pqsql_move_print(m, "%s_all", table), MADE);
    while (drop(a, "table", table_name(m, table, n), "USING parquet('[")) {
        n++;
    }
    return m->e.rc;
}

PqRc pqsql_archive_show(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;

    PQ_TRY(drop_shown(a, a->t.name));
    PQ_TRY(pqsql_archive_parts(a));
    for (uint32_t i = 0; i < a->n_parts && m->e.rc == PQ_OK; i++) {
        pqsql_archive_table(a, &a->parts[i], m->schema, a->parts[i].table, pqsql_move_word(
            m, "SELECT json_group_array(path) FROM (SELECT path %s AND kinds = %Q ORDER BY path)",
            a->live, a->parts[i].kinds));
    }
    return make_view(a);
}

bool pqsql_archive_has_files(PqsqlArchive *a)
{
    return pqsql_move_int(&a->m, "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND "
                                 "name = '" PQSQL_ARCHIVE_FILES "' AND schema = %Q COLLATE NOCASE",
                          a->m.schema) > 0;
}

PqRc pqsql_archive_follow(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    const char *view = pqsql_archive_has_files(a) ? renamed(a) : NULL, *before;

    if (!view || sqlite3_stricmp(view, a->all) == 0 ||
        pqsql_move_int(m, "SELECT count(*) %s", a->live)) {
        return m->e.rc;
    }
    before = pqsql_move_print(m, "%.*s", (int)(strlen(view) - strlen("_all")), view);
    pqsql_archive_lock(a);
    pqsql_move_run(m, "UPDATE %s SET \"table\" = %Q WHERE \"table\" = %Q COLLATE NOCASE", a->files,
                   a->t.name, before);
    if (m->e.rc == PQ_OK && drop_shown(a, before) == PQ_OK) {
        pqsql_archive_show(a);
    }
    return pqsql_archive_run_end(a);
}

/* ---- files --------------------------------------------------------------------------- */

void pqsql_call_digest(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlCopyHost *host = sqlite3_user_data(ctx);
    PqPlaces places = pq_engine_places(host->engine, true, &pq_usual_patience);
    char digest[PQ_DIGEST_TEXT];
    PqSource *source = NULL;
    PqErr e = PQ_NO_ERR;
    const char *path;

    if (!pqsql_direct_only(ctx, "pq_archive_digest")) {
        return;
    }
    path = pqsql_path_of(argv[0], &e);
    if (path && pq_places_open(&places, host->engine->mem, path, &source, &e) == PQ_OK &&
        pq_digest_source(source, digest, &e) == PQ_OK) {
        pqsql_result_text(ctx, digest, strlen(digest));
    } else {
        pqsql_result_error(ctx, &e);
    }
    pq_source_close(source);
}

/* A server that does not remove a file is not asked for others of the bucket: the lock is
** held meanwhile. */
PqRc pqsql_archive_sweep(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    sqlite3_stmt *s = pqsql_move_prepare(m, "SELECT path FROM %s WHERE rows IS NULL AND path IS "
                                            "NOT %Q ORDER BY path", a->files, a->run);
    const char *failed = "";
    size_t n = 0;

    while (pqsql_move_next(m, &s)) {
        const char *path = pqsql_move_text(m, s, 0);

        if (n && strncmp(path, failed, n) == 0) {
            continue;
        }
        if (pq_run_folder_remove(m->host->engine->remote, path) || !pq_run_folder_of(path)) {
            pqsql_move_run(m, "DELETE FROM %s WHERE path = %Q", a->files, path);
        } else {
            failed = path;
            n = pq_run_folder_bucket(path);
        }
    }
    return m->e.rc;
}
