/*
** export.c - parquet_export(folder [, options]): all tables of a schema as Parquet.
**
**   a read that stays open -> one snapshot
**   each table:  read once, copied     \
**   schema.sql, manifest.json           > one last pass gives all their names
**
** An export that replaces another one does that in one moment, too:
**
**   manifest.json says   events.parquet           schema.sql
**   the last pass        events.1.parquet         .schema.sql.new       names that it did not
**     ... at its end     manifest.json says these, and the old files go      say before
**   settle               events.parquet =         schema.sql = ...      a second name each
**                        manifest.json says these, and the others go
**
** A table whose rows are not its own has no file: shadow tables, which their virtual
** table makes again, and virtual tables over something else.
*/
#include "sql/move/move.h"

#include "core/base/system.h"
#include "sql/token.h"

static const char options[] = "schema, tables, exclude, incremental";
static const char of_copy[] = "overwrite, encryption, retries, timeout, spool, " PQSQL_MOVE_OF_COPY;

typedef struct Export {
    PqsqlMove        m;
    bool             grows;          /* has the option incremental           */
    PqsqlManifest    there;          /* of an export in a folder of this machine, */
    bool             adds, replaces; /* ... to which it adds, or that it replaces */
    const char      *of_tables;      /* the options of each copy             */
    const char      *run;            /* a random number                      */
    uint32_t         n_tables;
    int64_t          n_rows, n_files;
} Export;

/* ---- tables ---------------------------------------------------------------------- */

/* Does one of the arguments say so: content='', languageid="id"?  at points behind USING
** fts5. */
static bool has_option(const char *at, const char *name, bool is_empty)
{
    PqsqlToken t = pqsql_next_token(&at);

    for (; t.kind != PQSQL_TOKEN_END; t = pqsql_next_token(&at)) {
        if (pqsql_is_word(t, name) && pqsql_is_sign(pqsql_next_token(&at), '=')) {
            t = pqsql_next_token(&at);
            if (!is_empty || (t.quoted && pqsql_bare(t).n == 0)) {
                return true;
            }
        }
    }
    return false;
}

/* How the rows of a virtual table come back. */
static PqRc see_virtual(PqsqlMove *m, PqsqlMoveTable *t, const char *sql)
{
    static const char *const fts[] = {"fts3", "fts4", "fts5"};
    static const char *const boxes[] = {"rtree", "rtree_i32"};
    PqsqlToken token = {0};
    const char *at = sql;

    t->is_virtual = true;
    t->has_rowid = false;
    t->how = PQSQL_MOVE_NOTHING;
    do {
        token = pqsql_next_token(&at);
    } while (token.kind != PQSQL_TOKEN_END && !pqsql_is_word(token, "USING"));
    token = pqsql_next_token(&at);
    if (pqsql_is_one_of(token, boxes, PQ_COUNT(boxes))) {
        t->how = PQSQL_MOVE_ROWS;
    } else if (pqsql_is_one_of(token, fts, PQ_COUNT(fts))) {
        t->unreadable = has_option(at, "content", true)       ? "its texts are not stored"
                        : has_option(at, "languageid", false) ? "its column of languages is hidden"
                                                              : NULL;
        t->has_rowid = pqsql_move_has(m, pqsql_move_print(m, "%s_content", t->name));
        t->how = t->has_rowid ? PQSQL_MOVE_ROWS : PQSQL_MOVE_REBUILD;
    } else if (pqsql_move_int(m, "SELECT count(*) FROM pragma_table_list WHERE type = 'shadow' AND "
                                 "schema = %Q COLLATE NOCASE AND substr(name, 1, length(%Q) + 1) = "
                                 "%Q || '_' COLLATE NOCASE", m->schema, t->name, t->name)) {
        t->unreadable = "nobody knows how its module takes rows back";
    }
    return m->e.rc;
}

static PqRc find_tables(PqsqlMove *m)
{
    PqsqlManifest *all = &m->manifest;
    uint32_t n = 0;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT s.name, NOT l.wr, iif(l.type = 'virtual', s.sql, NULL) FROM "
           "\"%w\".sqlite_schema AS s JOIN pragma_table_list AS l ON l.name = s.name AND "
           "l.schema = %Q COLLATE NOCASE WHERE s.type = 'table' AND l.type IN ('table', 'virtual') "
           "AND s.name NOT LIKE 'sqlite~_%%' ESCAPE '~' ORDER BY s.rowid",
        m->schema, m->schema);

    while (pqsql_move_next(m, &s)) {
        PqsqlMoveTable t = {.name = pqsql_move_text(m, s, 0), .has_rowid = sqlite3_column_int(s, 1),
                            .sequence = -1};

        if (!pq_utf8_valid(pq_slice_text(t.name))) {
            pq_fail(&m->e, PQ_USAGE, "the name of table %.200s is not UTF-8", t.name);
        }
        if (sqlite3_column_type(s, 2) != SQLITE_NULL) {
            see_virtual(m, &t, pqsql_move_text(m, s, 2));
        }
        pqsql_manifest_add(m, all, &t);
    }
    PQ_TRY(pqsql_move_check_names(m));
    for (uint32_t i = 0; i < all->n_tables; i++) {
        if (pqsql_move_wants(m, all->tables[i].name)) {
            all->tables[n++] = all->tables[i];
        }
    }
    all->n_tables = n;
    return m->e.rc;
}

/* Is it a device of Windows?  con.parquet is the console there. */
static bool is_device(PqsqlMove *m, const char *name)
{
    return pqsql_move_int(m, "SELECT count(*) FROM (VALUES ('con'), ('prn'), ('aux'), ('nul'), "
                             "('com[0-9]'), ('lpt[0-9]')) WHERE lower(%Q) GLOB column1 OR "
                             "lower(%Q) GLOB column1 || '[. ]*'", name, name) > 0;
}

/* A name that every file system takes, cut between characters: signs are written as %2F,
** and so is the first letter of a device.  Readers of folders skip names that begin with a
** dot or an underscore. */
static PqRc name_file(Export *x, PqsqlMoveTable *t)
{
    enum { LONG = 150 };
    PqsqlMove *m = &x->m;
    bool hides = is_device(m, t->name);
    const char *stem, *file;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (const char *z = t->name; *z && (b.n < LONG || (*z & 0xC0) == 0x80); z++) {
        unsigned char c = (unsigned char)*z;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '-' || c == ' ' || c >= 0x80 ||
                     ((c == '_' || c == '.') && b.n);

        if (plain && (b.n || !hides)) {
            pq_buf_byte(&b, c);
        } else {
            pq_buf_printf(&b, "%%%02X", c);
        }
    }
    pq_buf_text(&b, b.n ? "" : "unnamed");
    stem = pqsql_move_take(m, &b);
    file = pqsql_move_print(m, "%s.parquet", stem);
    t->own = file;
    for (uint32_t k = 1; m->e.rc == PQ_OK && (pqsql_manifest_has_file(&m->manifest, file) ||
                                              pqsql_manifest_has_file(&x->there, file)); k++) {
        file = pqsql_move_print(m, "%s.%u.parquet", stem, k);
    }
    t->file = file;
    return m->e.rc;
}

static PqRc look_at(Export *x, PqsqlMoveTable *t)
{
    PqsqlMove *m = &x->m;

    if (t->unreadable) {
        return pq_fail(&m->e, PQ_USAGE, "table %.200s cannot be exported: %s; {\"exclude\": "
                       "[...]} leaves it out", t->name, t->unreadable);
    }
    if (t->how != PQSQL_MOVE_ROWS) {
        return PQ_OK;
    }
    if (pqsql_move_has(m, "sqlite_sequence")) {
        t->sequence = pqsql_move_int(
            m, "SELECT coalesce(max(seq), -1) FROM \"%w\".sqlite_sequence WHERE name = %Q COLLATE "
               "NOCASE AND typeof(seq) = 'integer'", m->schema, t->name);
    }
    PQ_TRY(name_file(x, t));
    if (pqsql_grow_table(m, x->adds ? &x->there : NULL, t) == PQ_OK &&
        pqsql_move_columns(m, t) == PQ_OK && pqsql_move_see(m, t) == PQ_OK &&
        pqsql_move_copy(m, t, x->of_tables) == PQ_OK) {
        pqsql_grow_look(m, t);
    }
    x->n_rows += t->n_rows;
    x->n_files += !t->source || t->n_rows;
    t->run = x->run;
    return pqsql_move_in_table(m, t->name);
}

static PqRc export_table(Export *x, const PqsqlMoveTable *t)
{
    PqsqlMove *m = &x->m;
    PqsqlCopyPart part = {.query = t->query, .name = t->file, .options = t->options,
                          .of = x->m.publish, .progress = &m->progress};
    uint64_t n;

    if (t->how != PQSQL_MOVE_ROWS || (t->source && !t->n_rows)) {
        return PQ_OK;
    }
    if (pqsql_copy_part(m->db, m->host, &part, &n, &m->e) != PQ_OK) {
        return pqsql_move_in_table(m, t->name);
    }
    if ((int64_t)n != t->n_rows) {
        return pq_fail(&m->e, PQ_USAGE, "table %.200s was written to while it was exported",
                       t->name);
    }
    return PQ_OK;
}

/* ---- the other files -------------------------------------------------------------- */

/* Frees b. */
static PqRc write_file(Export *x, PqPublish *to, const char *name, PqBuf *b)
{
    PqErr *e = &x->m.e;
    PqSink *sink;
    bool taken;

    if (b->n > PQSQL_MOVE_MOST) {
        pq_fail(e, PQ_USAGE, "%s would be longer than parquet_import reads: 16 MB",
                name ? name : "manifest.json");
    }
    if (e->rc == PQ_OK && pq_publish_file(to, name, &taken, &sink, e) == PQ_OK &&
        pq_sink_write(sink, b->p, b->n, e) == PQ_OK) {
        pq_publish_done(to, sink, e);
    }
    pq_buf_free(b);
    return e->rc;
}

/* schema.sql and manifest.json could not both change in one moment. */
static PqRc check_schema(Export *x, const PqBuf *now)
{
    PqsqlMove *m = &x->m;
    PqSlice then;

    m->manifest.sql = x->there.sql;
    PQ_TRY(pqsql_move_read_file(m, x->there.sql, &then));
    if (then.n != now->n || memcmp(then.p, now->p, now->n)) {
        pq_fail(&m->e, PQ_USAGE, "%sschema.sql is not the schema that the database has now",
                m->folder);
        pq_err_hint(&m->e, "{\"overwrite\": \"replace\"} beside incremental exports all of it "
                    "anew, and then it can grow again");
    }
    return m->e.rc;
}

/* What ends a statement, and before that a comment at its end. */
static const char *end_of(PqsqlMove *m, const char *sql)
{
    return sqlite3_complete(pqsql_move_print(m, "%s;", sql))     ? ";"
           : sqlite3_complete(pqsql_move_print(m, "%s\n;", sql)) ? "\n;" : "*/;";
}

/* Tables, then what needs them.  An index of a table that is left out goes with it. */
static PqRc write_schema(Export *x)
{
    PqsqlMove *m = &x->m;
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT s.sql, s.tbl_name, s.type = 'view' OR EXISTS (SELECT 1 FROM "
           "\"%w\".sqlite_schema WHERE type = 'view' AND name = s.tbl_name) "
           "FROM \"%w\".sqlite_schema AS s "
           "LEFT JOIN pragma_table_list AS l ON l.name = s.name AND l.schema = %Q "
           "COLLATE NOCASE WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite~_%%' ESCAPE '~' "
           "AND (s.type <> 'table' OR l.type <> 'shadow') "
           "ORDER BY CASE WHEN s.type = 'table' THEN coalesce(l.type, '') = 'virtual' "
           "WHEN s.type = 'index' THEN 2 WHEN s.type = 'view' THEN 3 ELSE 4 END, s.rowid",
        m->schema, m->schema, m->schema);
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    while (pqsql_move_next(m, &s)) {
        const char *sql = pqsql_move_text(m, s, 0);

        if (sqlite3_column_int(s, 2) ||
            pqsql_manifest_find(&m->manifest, pqsql_move_text(m, s, 1))) {
            pq_buf_printf(&b, "%s%s\n", sql, end_of(m, sql));
        }
    }
    if (m->e.rc == PQ_OK && x->adds) {
        check_schema(x, &b);
        pq_buf_free(&b);
        return m->e.rc;
    }
    m->manifest.sql = x->there.sql && strcmp(x->there.sql, PQSQL_MOVE_SQL) == 0
                          ? PQSQL_MOVE_NEW_SQL : PQSQL_MOVE_SQL;
    return write_file(x, x->m.publish, m->manifest.sql, &b);
}

/* name NULL: to is for this file alone. */
static PqRc write_manifest(Export *x, PqPublish *to, const char *name)
{
    PqBuf b;

    pq_buf_init(&b, x->m.mem, &x->m.e);
    pqsql_manifest_write(&x->m, &b);
    return write_file(x, to, name, &b);
}

/* ---- names after an export that replaced another one --------------------------------- */

static const char *in_folder(PqsqlMove *m, const char *name)
{
    return pqsql_move_print(m, "%s%s", m->folder, name);
}

/* A file gets its own name, if nothing has that.  *own becomes the name that it loses when the
** manifest says so; NULL: none. */
static void name_again(PqsqlMove *m, const char **name, const char **own)
{
    const char *now = *name;
    bool is_named = *own && link(in_folder(m, now), in_folder(m, *own)) == 0;

    *name = is_named ? *own : now;
    *own = is_named ? now : NULL;
}

/* If it stops anywhere, the manifest says names that are there.  Only the files of this export
** lose a name: others may have come since it was published. */
static void settle(Export *x)
{
    PqPublishPlan plan = {.target = in_folder(&x->m, "manifest.json"),
                          .overwrite = PQ_OVERWRITE_REPLACE, .host = &x->m.keep.host};
    PqsqlMove *m = &x->m;
    PqsqlManifest *all = &m->manifest;
    const char *sql = PQSQL_MOVE_SQL;
    PqPublish *p = NULL;

    if (strcmp(all->sql, sql)) {
        unlink(in_folder(m, sql));   /* of the export before                 */
    }
    name_again(m, &all->sql, &sql);
    for (uint32_t i = 0; i < all->n_tables; i++) {
        name_again(m, &all->tables[i].file, &all->tables[i].own);
    }
    if (m->e.rc == PQ_OK && pq_publish_open(m->mem, &plan, &p, &m->e) == PQ_OK &&
        write_manifest(x, p, NULL) == PQ_OK && pq_publish_commit(p, &m->e) == PQ_OK) {
        for (uint32_t i = 0; i < all->n_tables; i++) {
            if (all->tables[i].own) {
                unlink(in_folder(m, all->tables[i].own));
            }
        }
        if (strcmp(all->sql, PQSQL_MOVE_NEW_SQL)) {
            unlink(in_folder(m, PQSQL_MOVE_NEW_SQL));
        }
    }
    pq_publish_free(p);
    pq_err_clear(&m->e);             /* the export is there, by these names or those */
}

/* ---- the call ---------------------------------------------------------------------- */

/* What is said of the whole folder is said to the last pass, the rest to each copy. */
static PqRc take_options(Export *x)
{
    PqsqlMove *m = &x->m;

    PQ_TRY(pqsql_move_check_options(m, options, of_copy));
    x->run = pqsql_move_word(m, "SELECT lower(hex(randomblob(8)))");
    x->of_tables = pqsql_move_word(m, "SELECT json_set(json_remove(%Q, '$.overwrite', "
                                      "'$.progress'), '$.kv_metadata." PQSQL_MOVE_RUN "', %Q)",
                                   m->of_copy, x->run);
    PQ_TRY(pqsql_move_take_copy(m));
    PQ_TRY(pqsql_move_check_overwrite(m));
    x->grows = pqsql_move_option(m, "incremental") != NULL;
    if (x->grows && !pqsql_move_int(m, "SELECT json_type(%Q, '$.incremental') = 'object' AND NOT "
                                    "EXISTS (SELECT 1 FROM json_each(%Q, '$.incremental') WHERE "
                                    "type <> 'text')", m->options, m->options)) {
        return pqsql_move_refuse(m, "incremental names columns of tables, as {\"events\": "
                                 "\"rowid\"}");
    }
    if (!pqsql_move_int(m, "SELECT count(*) FROM pragma_database_list WHERE name = %Q COLLATE "
                           "NOCASE", m->schema)) {
        return pqsql_move_refuse(m, "no database is attached as %.200s", m->schema);
    }
    return m->e.rc;
}

static PqRc open_folder(Export *x)
{
    PqsqlMove *m = &x->m;
    bool has;

    PQ_TRY(pqsql_move_name_folder(m));
    has = !pq_url_is(m->folder) && pqsql_manifest_is_there(m);
    if (x->grows && m->o.overwrite == PQSQL_UNSAID) {
        if (pq_url_is(m->folder)) {
            return pqsql_move_refuse(m, "incremental writes into a folder on a disk, because a "
                                     "server cannot rename");
        }
        x->adds = has;
        m->o.overwrite = has ? PQ_OVERWRITE_REPLACE : PQSQL_UNSAID;
    }
    PQ_TRY(pqsql_move_publish(m));
    PQ_TRY(pq_publish_alone(m->publish, &m->e));
    if (has && m->o.overwrite == PQ_OVERWRITE_REPLACE) {
        if (pqsql_manifest_read(m, &x->there) == PQ_CORRUPT && !x->adds) {
            pq_err_clear(&m->e);     /* nobody reads that                    */
        }
        x->adds = x->adds && x->there.n_tables;
        x->replaces = !x->adds;
    }
    return m->e.rc;
}

static PqRc run(Export *x, sqlite3_value *folder)
{
    PqsqlMove *m = &x->m;
    sqlite3_stmt *snapshot;

    PQ_TRY(pqsql_move_take_folder(m, folder));
    PQ_TRY(take_options(x));
    PQ_TRY(open_folder(x));
    snapshot = pqsql_move_prepare(m, "SELECT 1 FROM \"%w\".sqlite_schema", m->schema);
    pqsql_move_step(m, snapshot);
    find_tables(m);
    m->manifest.user_version = pqsql_move_int(m, "PRAGMA \"%w\".user_version", m->schema);
    m->manifest.application_id = pqsql_move_int(m, "PRAGMA \"%w\".application_id", m->schema);
    m->manifest.encoding = pqsql_move_word(m, "PRAGMA encoding");
    for (uint32_t i = 0; i < m->manifest.n_tables && m->e.rc == PQ_OK; i++) {
        look_at(x, &m->manifest.tables[i]);
    }
    m->progress.expected = x->n_rows;
    for (uint32_t i = 0; i < m->manifest.n_tables && m->e.rc == PQ_OK; i++) {
        export_table(x, &m->manifest.tables[i]);
    }
    x->n_tables = m->manifest.n_tables;
    if (m->e.rc == PQ_OK && write_schema(x) == PQ_OK &&
        pqsql_grow_keep(m, &x->there) == PQ_OK) {
        write_manifest(x, m->publish, "manifest.json");
    }
    if (m->e.rc == PQ_OK) {
        pqsql_copy_progress_tell(&m->progress, 0, 0, &m->e);
    }
    sqlite3_finalize(snapshot);
    PQ_TRY(m->e.rc);
    PQ_TRY(pq_publish_commit(m->publish, &m->e));
    if (x->replaces) {
        settle(x);
    }
    return PQ_OK;
}

void pqsql_call_export(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    Export x = {.m = {.function = "parquet_export"}};

    if (pqsql_move_begin(&x.m, ctx, argc, argv, 1, 2, "folder [, options])")) {
        run(&x, argv[0]);
        pqsql_move_end(&x.m, ctx, pqsql_move_print(
            &x.m, "{\"tables\":%u,\"files\":%lld,\"rows\":%lld}", x.n_tables, x.n_files,
            x.n_rows));
    }
}
