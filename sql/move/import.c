/*
** import.c - parquet_import(folder [, options]): an exported database again, or one
** file as a table.
**
**   tables -> rows, sqlite_sequence -> virtual tables, and their rows
**   -> indexes -> views -> FTS of other texts -> triggers
**
** Triggers come last, so that none runs for a row that is only moved.  All of it is one
** savepoint: it happens, or nothing does.
**
** One INSERT takes all rows of a file, and values go over as they are.  Only a text that is
** not in its encoding has to be made again, of {"hex": "FF41"}: pq_import_text does that.  For
** progress, pq_import_row is called for each row, inside of the INSERT: while that runs,
** SQLite lets nobody commit the half that is there.
*/
#include "sql/move/move.h"

#include "sql/argument.h"

/* The table of the file that is read. */
#define FILE_TABLE "temp.\"parquet_import of a file\""

static const char options[] = "schema, tables, exclude, trust_schema, keys, into";

typedef struct Import {
    PqsqlMove         m;
    const char       *keys;
    PqsqlImportSchema schema;
    int64_t           n_tables, n_rows;
} Import;

/* ---- the rows of a file ------------------------------------------------------------ */

static PqRc wrong(PqsqlMove *m, const PqsqlMoveTable *t, const char *what)
{
    return pq_fail(&m->e, PQ_CORRUPT, "%s%s: %s", m->folder, t->file, what);
}

/* A database of another encoding has other characters in the place of texts in hex. */
static PqRc check_encoding(PqsqlMove *m, const PqsqlMoveTable *t)
{
    bool is_16 = strncmp(m->manifest.encoding, "UTF-16", strlen("UTF-16")) == 0;

    if (pqsql_move_int(m, "SELECT encoding LIKE 'UTF-16%%' FROM pragma_encoding") != is_16) {
        wrong(m, t, is_16 ? "has texts that are not UTF-16, which only a UTF-16 database can hold"
                          : "has texts that are not UTF-8, which only a UTF-8 database can hold");
    }
    return m->e.rc;
}

static const char of_progress[] = "PqsqlMove";

/* Inserts values of FILE_TABLE, which it drops, into columns of a table.  Returns the number
** of rows. */
static int64_t insert_rows(PqsqlMove *m, const char *insert, const char *table,
                            const char *names, const char *values)
{
    bool is_told = m->progress.interval != 0;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "%s INTO \"%w\".\"%w\" (%s) SELECT %s FROM " FILE_TABLE "%s", insert, m->schema,
        table, names, values, is_told ? " WHERE pq_import_row(?)" : "");
    int64_t n;

    if (s && is_told) {
        sqlite3_bind_pointer(s, 1, m, of_progress, NULL);
    }
    pqsql_move_step(m, s);
    sqlite3_finalize(s);
    n = sqlite3_changes64(m->db);
    pqsql_move_run(m, "DROP TABLE " FILE_TABLE);
    return n;
}

/* An export that replaces another one, and is killed, may leave files of both, some of which
** have the same columns and number of rows.  What the function takes has no quotes. */
static PqRc check_run(PqsqlMove *m, const PqsqlMoveTable *t, const char *keys)
{
    if (t->run && !(keys && strchr(keys, '\'')) &&
        !pqsql_move_int(m, "SELECT count(*) FROM parquet_kv_metadata('%q%q', %Q) WHERE key = "
                           "'" PQSQL_MOVE_RUN "' AND value = %Q", m->folder, t->file,
                        keys, t->run)) {
        wrong(m, t, "is of another export than manifest.json: one was stopped while it replaced "
                    "files; export again");
    }
    return m->e.rc;
}

/* Makes the table of a file, whose path begins as m->folder. */
static PqRc open_file(PqsqlMove *m, const char *file, const char *more, const char *keys)
{
    pqsql_move_run(m, "DROP TABLE IF EXISTS " FILE_TABLE);
    return pqsql_move_run(m, "CREATE VIRTUAL TABLE " FILE_TABLE " USING parquet('%q%q'%s%s%s)",
                          m->folder, file, more, keys ? ", " : "", keys ? keys : "");
}

static PqRc import_rows(PqsqlMove *m, const PqsqlMoveTable *t, const char *keys)
{
    int64_t n = pqsql_move_int(m, "SELECT count(*) FROM pragma_table_xinfo(%Q, %Q) WHERE "
                                  "hidden = 0", t->name, m->schema);
    const char *names;

    if (n != t->n_columns) {         /* a default of a stranger's would be used  */
        return wrong(m, t, "has other columns than the table in schema.sql");
    }
    if (open_file(m, t->file, ", hive=off, variant=blob", keys) == PQ_OK &&
        check_run(m, t, keys) == PQ_OK && (!t->has_hex || check_encoding(m, t) == PQ_OK)) {
        names = pqsql_move_word(m, "SELECT group_concat(printf('\"%%w\"', name), ', ') FROM "
                                   "pragma_table_xinfo('parquet_import of a file', 'temp') WHERE "
                                   "hidden = 0");
        if (!names || sqlite3_stricmp(names, t->names)) {
            wrong(m, t, "has other columns than manifest.json says");
        }
        if (insert_rows(m, "INSERT OR ABORT", t->name, t->names, t->values) != t->n_rows) {
            wrong(m, t, "has another number of rows than manifest.json says");
        }
    }
    return pqsql_move_in_table(m, t->name);
}

/* ---- a folder --------------------------------------------------------------------- */

static PqRc create(Import *x, const char *type)
{
    for (uint32_t i = 0; i < x->schema.n && x->m.e.rc == PQ_OK; i++) {
        const PqsqlImportPart *part = &x->schema.parts[i];

        if (part->sql && strcmp(part->type, type) == 0 &&
            pqsql_move_run(&x->m, "%s", part->sql) != PQ_OK && strcmp(type, "virtual") == 0) {
            pqsql_move_in_table(&x->m, part->table);
        }
    }
    return x->m.e.rc;
}

/* AUTOINCREMENT remembers rowids of rows that are gone, and nothing of a table that never
** had a row. */
static void set_sequence(PqsqlMove *m, const PqsqlMoveTable *t)
{
    pqsql_move_run(m, "DELETE FROM \"%w\".sqlite_sequence WHERE name = %Q COLLATE NOCASE",
                   m->schema, t->name);
    if (t->sequence >= 0) {
        pqsql_move_run(m, "INSERT INTO \"%w\".sqlite_sequence VALUES (%Q, %lld)", m->schema,
                       t->name, (long long)t->sequence);
    }
}

/* The rows of the tables, or virtual tables, that were made here, and that get them in this way.
** What FTS rebuilds are the texts of another table or view, which have to be there. */
static PqRc fill(Import *x, bool is_virtual, PqsqlMoveHow how)
{
    PqsqlMove *m = &x->m;
    bool has_sequences = !is_virtual && pqsql_move_has(m, "sqlite_sequence");

    for (uint32_t i = 0; i < m->manifest.n_tables; i++) {
        const PqsqlMoveTable *t = &m->manifest.tables[i];

        if (!t->is_made || t->is_virtual != is_virtual || t->how != how) {
            continue;
        }
        if (how == PQSQL_MOVE_REBUILD) {
            PQ_TRY(pqsql_move_run(m, "INSERT INTO \"%w\".\"%w\"(\"%w\") VALUES ('rebuild')",
                                  m->schema, t->name, t->name));
        } else {
            PQ_TRY(import_rows(m, t, x->keys));
            x->n_rows += t->n_rows;
            x->n_tables += !i || sqlite3_stricmp(t[-1].name, t->name);
        }
        if (has_sequences) {
            set_sequence(m, t);
        }
    }
    return m->e.rc;
}

/* An empty database, which is the only one of its connection, takes the encoding. */
static PqRc set_encoding(PqsqlMove *m)
{
    if (sqlite3_strnicmp(m->manifest.encoding, "UTF-16", 6) == 0 &&
        pqsql_move_int(m, "SELECT (SELECT count(*) FROM pragma_database_list WHERE name NOT IN "
                          "('main', 'temp')) = 0 AND NOT EXISTS (SELECT 1 FROM sqlite_schema) AND "
                          "NOT EXISTS (SELECT 1 FROM sqlite_temp_schema)")) {
        pqsql_move_run(m, "PRAGMA encoding = %Q", m->manifest.encoding);
    }
    return m->e.rc;
}

/* What a program keeps in the header of a database, unless this one has it already. */
static PqRc set_number(PqsqlMove *m, const char *pragma, int64_t n)
{
    if (n && !pqsql_move_int(m, "PRAGMA \"%w\".%s", m->schema, pragma)) {
        pqsql_move_run(m, "PRAGMA \"%w\".%s = %lld", m->schema, pragma, (long long)n);
    }
    return m->e.rc;
}

/* For progress: what the manifest says may be any number. */
static PqRc count_rows(Import *x)
{
    PqsqlMove *m = &x->m;
    uint64_t n_rows = 0;

    for (uint32_t i = 0; i < m->manifest.n_tables; i++) {
        const PqsqlMoveTable *t = &m->manifest.tables[i];

        if (!t->is_known && pqsql_move_wants(m, t->name)) {
            return pq_fail(&m->e, PQ_CORRUPT, "%sschema.sql does not make table %.200s, which "
                           "manifest.json names", m->folder, t->name);
        }
        n_rows += t->is_made && t->how == PQSQL_MOVE_ROWS ? (uint64_t)t->n_rows : 0;
    }
    m->progress.expected = (int64_t)n_rows;
    return m->e.rc;
}

static PqRc import_folder(Import *x)
{
    PqsqlMove *m = &x->m;
    bool trust = pqsql_move_says(m, "trust_schema");
    PqSlice schema;

    PQ_TRY(m->e.rc);
    PQ_TRY(pqsql_manifest_read(m, &m->manifest));
    PQ_TRY(pqsql_move_read_file(m, m->manifest.sql, &schema));
    if (memchr(schema.p, 0, schema.n)) {
        return pq_fail(&m->e, PQ_CORRUPT, "%sschema.sql has a NUL in it", m->folder);
    }
    PQ_TRY(pqsql_move_check_names(m));
    PQ_TRY(pqsql_import_schema(m, (const char *)schema.p, trust, &x->schema));
    PQ_TRY(count_rows(x));
    PQ_TRY(set_encoding(m));
    PQ_TRY(create(x, "table"));
    PQ_TRY(fill(x, false, PQSQL_MOVE_ROWS));
    PQ_TRY(create(x, "virtual"));
    PQ_TRY(fill(x, true, PQSQL_MOVE_ROWS));
    PQ_TRY(create(x, "index"));
    PQ_TRY(create(x, "view"));
    PQ_TRY(fill(x, true, PQSQL_MOVE_REBUILD));
    PQ_TRY(create(x, "trigger"));
    PQ_TRY(set_number(m, "user_version", m->manifest.user_version));
    return set_number(m, "application_id", m->manifest.application_id);
}

/* Has another export replaced files since the manifest was read?  Then what failed may have
** met files of both: all is as before the call. */
static bool is_replaced(Import *x)
{
    PqsqlMove *m = &x->m;
    const PqErr why = m->e;
    PqSlice now;

    pq_err_clear(&m->e);
    if (why.rc == PQ_OK || why.rc == PQ_STOPPED || !m->manifest.json.p ||
        pqsql_move_read_file(m, "manifest.json", &now) != PQ_OK ||
        pq_slice_equal(now, m->manifest.json) ||
        sqlite3_exec(m->db, "ROLLBACK TO parquet_import", NULL, NULL, NULL) != SQLITE_OK) {
        m->e = why;
        return false;
    }
    m->progress.rows = 0;
    x->schema = (PqsqlImportSchema){.left_out = x->schema.left_out};
    x->schema.left_out.n = 0;
    x->n_tables = x->n_rows = 0;
    return true;
}

/* ---- a file ----------------------------------------------------------------------- */

/* 'data/trips.parquet' makes the table trips. */
static const char *stem(PqsqlMove *m)
{
    const char *name = pq_path_name(m->folder);
    size_t n = strcspn(name, ".?#");

    return pq_arena_text(&m->arena, n ? name : "imported", n ? n : strlen("imported"), &m->e);
}

/* The columns of the file, and as a native table declares them: a type with a sign in it is
** quoted, because SQLite knows no word after DECIMAL(10,2). */
static PqRc import_file(Import *x, const char *into)
{
    PqsqlMove *m = &x->m;
    const char *table = into ? into : stem(m), *names = "", *declared = "";
    sqlite3_stmt *s;

    PQ_TRY(open_file(m, "", "", x->keys));
    s = pqsql_move_prepare(
        m, "SELECT group_concat(printf('\"%%w\"', name), ', '), group_concat(printf("
           "iif(type GLOB '*[^A-Za-z_ ]*', '\"%%w\" \"%%w\"%%s', '\"%%w\" %%s%%s'), name, type, "
           "iif(\"notnull\", ' NOT NULL', '')), ', ') FROM pragma_table_xinfo("
           "'parquet_import of a file', 'temp') WHERE hidden = 0");
    while (pqsql_move_next(m, &s)) {
        names = pqsql_move_text(m, s, 0);
        declared = pqsql_move_text(m, s, 1);
    }
    if (!into) {
        pqsql_move_run(m, "CREATE TABLE \"%w\".\"%w\"(%s)", m->schema, table, declared);
    }
    if (m->progress.interval) {
        m->progress.expected = pqsql_move_int(m, "SELECT count(*) FROM " FILE_TABLE);
    }
    x->n_rows = insert_rows(m, "INSERT", table, names, names);
    x->n_tables = 1;
    return m->e.rc;
}

/* ---- functions that the INSERT calls ------------------------------------------------- */

/* 'FF41' and 'UTF-8' -> the text of these bytes.  SQLite takes away a mark of byte order that
** a text in UTF-16 begins with: it gets one, and so keeps its own. */
void pqsql_call_import_text(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const uint8_t mark[][2] = {{0xFF, 0xFE}, {0xFE, 0xFF}};
    const uint8_t *digits = sqlite3_value_text(argv[0]);
    PqSlice hex = pq_slice(digits, (size_t)sqlite3_value_bytes(argv[0]));
    const char *encoding = (const char *)sqlite3_value_text(argv[1]);
    size_t n_mark = encoding && strncmp(encoding, "UTF-16", strlen("UTF-16")) == 0 ? sizeof *mark
                                                                                  : 0;
    char *text = sqlite3_malloc64(hex.n / 2 + sizeof mark);

    if (!text) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    memcpy(text, mark[n_mark && strcmp(encoding, "UTF-16be") == 0], sizeof *mark);
    if (digits && hex.n % 2 == 0 &&
        pq_hex_parse(hex, (uint8_t *)text + n_mark) == PQ_PARSE_OK) {
        sqlite3_result_text64(ctx, text, n_mark + hex.n / 2, sqlite3_free,
                              n_mark ? SQLITE_UTF16 : SQLITE_UTF8);
    } else {
        sqlite3_free(text);
        sqlite3_result_error(ctx, "the file has a value that parquet_export did not write", -1);
    }
}

/* Counts a row.  Without the pointer it is not an import that asks. */
void pqsql_call_import_row(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlMove *m = sqlite3_value_pointer(argv[0], of_progress);

    if (m) {
        m->progress.rows++;
        if (pqsql_copy_progress_is_due(&m->progress) &&
            pqsql_copy_progress_tell(&m->progress, 0, -1, &m->e) != PQ_OK) {
            pqsql_result_error(ctx, &m->e);
            return;
        }
    }
    sqlite3_result_int(ctx, 1);
}

/* ---- the call --------------------------------------------------------------------- */

static PqRc run(Import *x, sqlite3_value *folder)
{
    enum { MOST_TRIES = 10 };        /* somebody may export without end      */
    PqsqlMove *m = &x->m;
    const char *into;
    int tries = 0;
    PqRc rc;

    PQ_TRY(pqsql_move_take_folder(m, folder));
    PQ_TRY(pqsql_move_check_options(m, options, "progress"));
    into = pqsql_move_option(m, "into");
    x->keys = pqsql_move_option(m, "keys");
    PQ_TRY(pqsql_move_take_copy(m));
    PQ_TRY(pqsql_move_run(m, "SAVEPOINT parquet_import"));
    pqsql_move_run(m, "PRAGMA defer_foreign_keys = on");
    if (into || pq_folder_is_parquet(pq_slice_text(m->folder))) {
        import_file(x, into);
    } else if (pqsql_move_name_folder(m) == PQ_OK) {
        do {
            import_folder(x);
        } while (++tries < MOST_TRIES && is_replaced(x));
    }
    if (m->e.rc == PQ_OK && m->progress.interval) {
        sqlite3_blob *held = pqsql_move_hold_transaction(m);

        pqsql_copy_progress_tell(&m->progress, 0, -1, &m->e);
        sqlite3_blob_close(held);
    }
    rc = m->e.rc == PQ_OK ? pqsql_move_run(m, "RELEASE parquet_import") : m->e.rc;
    if (rc != PQ_OK) {
        pqsql_move_give_up(m, "ROLLBACK TO parquet_import; RELEASE parquet_import");
    }
    return rc;
}

void pqsql_call_import(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    Import x = {.m = {.function = "parquet_import"}};

    if (pqsql_move_begin(&x.m, ctx, argc, argv, 1, 2, "folder [, options])")) {
        pq_buf_init(&x.schema.left_out, x.m.mem, &x.m.e);
        run(&x, argv[0]);
        pqsql_move_end(&x.m, ctx, pqsql_move_print(
            &x.m, "{\"tables\":%lld,\"rows\":%lld,\"left_out\":%s}", x.n_tables, x.n_rows,
            pqsql_move_close(&x.m, &x.schema.left_out, "[]")));
    }
}
