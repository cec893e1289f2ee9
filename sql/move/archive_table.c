/*
** archive_table.c - the table of an archive: what it is, and what would act on rows that
** move.
*/
#include "sql/move/archive.h"

#include "sql/token.h"

/* ---- the table -------------------------------------------------------------------- */

PqRc pqsql_archive_refuse(PqsqlArchive *a, const char *why)
{
    return pqsql_move_refuse(&a->m, "table %.200s %s", a->t.name, why);
}

/* Its name as the schema has it, and what it is. */
static PqRc find_table(PqsqlArchive *a, const char *name)
{
    PqsqlMove *m = &a->m;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT name, NOT wr, CASE WHEN type <> 'table' OR name LIKE 'sqlite~_%%' ESCAPE '~' OR "
           "name = '" PQSQL_ARCHIVE_FILES "' COLLATE NOCASE THEN 'is not an ordinary table' "
           "WHEN schema = 'temp' THEN 'is in temp, which ends with the connection' END FROM "
           "pragma_table_list WHERE schema = %Q COLLATE NOCASE AND name = %Q COLLATE NOCASE",
        m->schema, name);
    const char *why = "does not exist";

    a->t.name = name;
    while (pqsql_move_next(m, &s)) {
        a->t.name = pqsql_move_text(m, s, 0);
        a->t.has_rowid = sqlite3_column_int(s, 1);
        why = pqsql_move_text(m, s, 2);
    }
    return *why ? pqsql_archive_refuse(a, why) : m->e.rc;
}

/* "rowid", or the columns of the primary key. */
static PqRc find_keys(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;

    a->keys = a->t.rowid ? a->t.rowid
        : pqsql_move_word(m, "SELECT group_concat(printf('\"%%w\"', name), ', ') FROM (SELECT name "
                             "FROM pragma_table_info(%Q, %Q) WHERE pk ORDER BY pk)", a->t.name,
                          m->schema);
    return a->keys && (!a->t.has_rowid || a->t.rowid || a->t.has_alias)
               ? m->e.rc : pqsql_archive_refuse(a, "has columns that hide its rowid");
}

static PqRc find_columns(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;

    a->t.wants_generated = true;
    PQ_TRY(pqsql_move_columns(m, &a->t));
    if (pqsql_move_int(m, "SELECT count(*) FROM pragma_table_xinfo(%Q, %Q) WHERE lower(name) IN "
                          "('filename', 'file_row_number') OR lower(name) GLOB 'parquet_archive *'",
                       a->t.name, m->schema)) {
        return pqsql_archive_refuse(a, "has a column called filename, file_row_number or "
                                       "\"parquet_archive ...\", which its files need");
    }
    return find_keys(a);
}

/* The first column of the table that the condition names. */
static const char *column_of(PqsqlArchive *a)
{
    const char *at = a->where;
    PqsqlToken token;

    do {
        token = pqsql_next_token(&at);
        for (uint32_t i = 0; i < a->t.n_columns; i++) {
            if (pqsql_is_name(token) && pqsql_names(token, pq_slice_text(a->t.columns[i].name))) {
                return a->t.columns[i].name;
            }
        }
    } while (token.kind != PQSQL_TOKEN_END);
    return NULL;
}

int pqsql_archive_column(const PqsqlArchive *a, const char *name)
{
    for (uint32_t i = 0; i < a->t.n_columns; i++) {
        if (sqlite3_stricmp(a->t.columns[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

PqRc pqsql_archive_open(PqsqlArchive *a, sqlite3_value *table, sqlite3_value *where,
                        const char *own, const char *of_copy)
{
    PqsqlMove *m = &a->m;
    const char *name = pqsql_move_argument(m, table, "the table");

    if (sqlite3_value_type(where) != SQLITE_NULL) {
        a->where = pqsql_move_argument(m, where, "the condition");
    }
    PQ_TRY(m->e.rc);
    PQ_TRY(pqsql_move_check_options(m, own, of_copy));
    a->runs_triggers = pqsql_move_says(m, "triggers");
    a->is_encrypted = pqsql_move_option(m, "encryption") != NULL;
    if (pqsql_move_int(m, "SELECT json_extract(%Q, '$.encryption.key_material') = 'external'",
                       m->options)) {
        return pqsql_move_refuse(m, "the key material of an archive is internal: files go one by "
                                 "one, and would leave what is beside them");
    }
    PQ_TRY(find_table(a, name));
    PQ_TRY(find_columns(a));
    a->all = pqsql_move_print(m, "%s_all", a->t.name);
    a->name = pqsql_move_print(m, "\"%w\".\"%w\"", m->schema, a->t.name);
    a->files = pqsql_move_print(m, "\"%w\"." PQSQL_ARCHIVE_FILES, m->schema);
    a->live = pqsql_move_print(m, "FROM %s WHERE \"table\" = %Q COLLATE NOCASE AND rows IS NOT "
                                  "NULL", a->files, a->t.name);
    a->column = pqsql_move_option(m, "column");
    if (a->column && pqsql_archive_column(a, a->column) < 0) {
        return pqsql_archive_refuse(a, "has no column of the name that the option column says");
    }
    if (!a->column && a->where) {
        a->column = column_of(a);
    }
    if (!sqlite3_get_autocommit(m->db)) {
        return pq_fail(&m->e, PQ_USAGE, "%s commits by itself, and a transaction is open: COMMIT "
                       "it first", m->function);
    }
    if (sqlite3_txn_state(m->db, m->schema) != SQLITE_TXN_NONE) {
        return pqsql_move_refuse(m, "a statement of this connection reads the database at this "
                                 "moment; end it first");
    }
    PQ_TRY(m->e.rc);
    if (a->where) {
        PQ_TRY(pqsql_move_check_condition(m, a->where, a->name));
    }
    return pqsql_archive_follow(a);
}

/* ---- what would act on the rows ------------------------------------------------------ */

/* Is a trigger of temp on the table of this name in another schema?  Where it names none, nobody
** knows: SQLite looked for the table when the trigger was made, among those of that time. */
static bool is_elsewhere(PqsqlArchive *a, const char *sql)
{
    const char *schema = pqsql_move_on(&a->m, &sql);

    return schema && pqsql_is_sign(pqsql_next_token(&sql), '.') &&
           sqlite3_stricmp(schema, a->m.schema);
}

PqRc pqsql_archive_check_triggers(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    sqlite3_stmt *s = a->runs_triggers || a->touches_no_row ? NULL : pqsql_move_prepare(
        m, "SELECT name, is_temp, sql FROM (SELECT *, 0 AS is_temp FROM \"%w\".sqlite_schema "
           "UNION ALL SELECT *, 1 FROM sqlite_temp_schema) WHERE type = 'trigger' AND tbl_name = "
           "%Q COLLATE NOCASE", m->schema, a->t.name);

    while (pqsql_move_next(m, &s)) {
        if (!sqlite3_column_int(s, 1) || !is_elsewhere(a, pqsql_move_text(m, s, 2))) {
            pqsql_move_refuse(m, "table %.200s has the trigger %.200s, which may run for each row "
                              "that moves; {\"triggers\": true} lets it", a->t.name,
                              pqsql_move_text(m, s, 0));
        }
    }
    return m->e.rc;
}

/* A row that another one refers to stays, whatever the foreign key would do.  It compares as
** the parent's columns do, so they stand on the left. */
PqRc pqsql_archive_check_references(PqsqlArchive *a)
{
    PqsqlMove *m = &a->m;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT l.name, group_concat(printf('p.\"%%w\" = c.\"%%w\"', coalesce(f.\"to\", "
           "k.name), f.\"from\"), ' AND ') FROM pragma_table_list AS l JOIN "
           "pragma_foreign_key_list(l.name, l.schema) AS f LEFT JOIN pragma_table_info(%Q, %Q) AS "
           "k ON k.pk = f.seq + 1 WHERE l.schema = %Q COLLATE NOCASE AND l.type = 'table' AND "
           "f.\"table\" = %Q COLLATE NOCASE AND coalesce(f.\"to\", k.name) NOT NULL GROUP BY "
           "l.name, f.id",
        a->t.name, m->schema, m->schema, a->t.name);

    while (pqsql_move_next(m, &s)) {
        const char *child = pqsql_move_text(m, s, 0);

        if (pqsql_move_int(m, "SELECT EXISTS (SELECT 1 FROM (SELECT * %s) AS p JOIN "
                              "\"%w\".\"%w\" AS c ON %s)", a->t.source, m->schema, child,
                           pqsql_move_text(m, s, 1))) {
            pqsql_move_refuse(m, "rows of table %.200s refer to rows of %.200s that would move",
                              child, a->t.name);
        }
    }
    return m->e.rc;
}
