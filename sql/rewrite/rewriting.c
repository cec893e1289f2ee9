/*
** rewriting.c - parquet_rewrite(inputs, output [, options]): one file made of others.
**
**   options -> inputs listed -> their columns mapped -> row groups copied -> published
**                                     |
**                                     no: SELECT ... FROM a table of the inputs, by
**                                     parquet_copy_to, which has the same rules for output,
**                                     encryption and metadata
*/
#include "sql/rewrite/rewriting.h"

#include "core/base/system.h"
#include "sql/argument.h"
#include "sql/move/archive.h"

/* A row group that has less of row_group_rows is joined with its neighbours. */
enum { SMALL_SHARE = 16 };

static const char options[] = "exclude, rename, mask, where_not, sort, " PQSQL_REWRITE_OPTIONS;
static const char of_copy[] = "columns, overwrite, " PQSQL_REWRITE_OF_COPY;

/* ---- options --------------------------------------------------------------------------- */

/* As another type, two of them have another meaning than in a copy. */
static PqRc take_of_copy(PqsqlRewrite *w)
{
    PqsqlMove *m = &w->m;

    m->of_copy = pqsql_move_word(
        m, "SELECT json_remove(%Q, "
           "iif(json_type(%Q, '$.columns') IN ('array', 'text'), '$.columns', '$.none'), "
           "iif(json_type(%Q, '$.kv_metadata') = 'text', '$.kv_metadata', '$.none'))",
        m->of_copy, m->of_copy, m->of_copy);
    PQ_TRY(pqsql_move_take_copy(m));
    pq_mem_set_limit(m->mem, pq_mem_limit_of(m->o.memory));
    return m->e.rc;
}

static PqRc take_add(PqsqlRewrite *w)
{
    static const char *const words[] = {"page_index", "bloom", "checksum", "sizes"};
    PqsqlMove *m = &w->m;
    sqlite3_stmt *s = pqsql_move_prepare(m, "SELECT value FROM json_each(%Q, '$.add')", m->options);

    while (pqsql_move_next(m, &s)) {
        const char *word = pqsql_move_text(m, s, 0);
        uint32_t i = pqsql_move_place(word, words, PQ_COUNT(words));

        if (i == PQ_COUNT(words)) {
            pqsql_move_refuse(m, "option add: it takes a list of page_index, bloom, checksum and "
                              "sizes, not %.60s", word);
        }
        w->add |= 1u << i;
    }
    return m->e.rc;
}

_Static_assert(PQ_ADD_PAGE_INDEX == 1 && PQ_ADD_BLOOM == 2 && PQ_ADD_CHECKSUM == 4 &&
               PQ_ADD_SIZES == 8, "words of the option add");

static PqRc take_keys_of(PqsqlRewrite *w)
{
    static const char *const words[] = {"first", "last", "merge"};
    PqsqlMove *m = &w->m;
    const char *word = pqsql_move_option(m, "kv_metadata");

    if (word && *word == '{') {
        w->keys_of = PQSQL_KEYS_GIVEN;
    } else if (word && (w->keys_of = pqsql_move_place(word, words, PQ_COUNT(words))) ==
                           PQ_COUNT(words)) {
        pqsql_move_refuse(m, "option kv_metadata: it takes first, last or merge, or an object of "
                          "keys and texts, not %.60s", word);
    }
    return m->e.rc;
}

PqRc pqsql_rewrite_options(PqsqlRewrite *w, const char *own, const char *names_of_copy)
{
    PqsqlMove *m = &w->m;

    PQ_TRY(pqsql_move_check_options(m, own, names_of_copy));
    PQ_TRY(take_of_copy(w));
    if (m->o.encryption) {
        m->o.encryption->keys.ring = m->host->keys;
    }
    w->min_rows = m->o.row_group_rows / SMALL_SHARE;
    PQ_TRY(pqsql_move_take_size(m, "min_row_group_rows", &w->min_rows));
    PQ_TRY(pqsql_move_take_size(m, "min_row_group_bytes", &w->min_bytes));
    PQ_TRY(take_add(w));
    PQ_TRY(take_keys_of(w));
    w->where_not = pqsql_move_option(m, "where_not");
    w->sort = pqsql_move_option(m, "sort");
    return m->e.rc;
}

PqRc pqsql_rewrite_list(PqsqlRewrite *w, const char *path, unsigned how)
{
    PqsqlMove *m = &w->m;
    PqPlaces places = pq_engine_places(m->host->engine, true, &m->o.patience);

    PQ_TRY(pq_listing_make(path, how, &places, m->mem, &m->host->stop, &w->listing, &m->e));
    return pq_listing_keep_versions(&w->listing, m->mem, &m->e);
}

PqRc pqsql_rewrite_table(PqsqlRewriteFile *f, const char *path)
{
    PqsqlMove *m = &f->w->m;

    m->last = "DROP TABLE IF EXISTS " PQSQL_REWRITE_FILES;
    PQ_TRY(pqsql_move_run(m, "%s", m->last));
    PQ_TRY(pqsql_move_run(m, "CREATE VIRTUAL TABLE " PQSQL_REWRITE_FILES " USING parquet('%q', "
                             "union_by_name=on)", path));
    if (f->w->where_not) {
        pqsql_move_check_condition(m, f->w->where_not, PQSQL_REWRITE_FILES);
    }
    return pqsql_rewrite_in_option(f, "where_not");
}

/* ---- by rows ------------------------------------------------------------------------------ */

static const char *query_of(const PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < f->n_chosen; i++) {
        pqsql_move_sql(m, &b, "%s\"%w\" AS \"%w\"", i ? ", " : "SELECT ",
                       f->chosen[i].name, pq_rewrite_name(&f->chosen[i]));
    }
    pq_buf_text(&b, " FROM " PQSQL_REWRITE_FILES);
    if (f->w->where_not) {
        pqsql_move_sql(m, &b, " WHERE (\n%s\n) IS NOT TRUE", f->w->where_not);
    }
    if (f->w->sort) {
        pqsql_move_sql(m, &b, " ORDER BY %s", f->w->sort);
    }
    return pqsql_move_take(m, &b);
}

/* Is the column described by GeoParquet, and a geometry in the table of the inputs? */
static const PqNode *geometry_of(const PqsqlRewriteFile *f, const PqRewriteColumn *c)
{
    const PqNode *n = !c->like ? NULL : pq_node_field(c->like->schema.root,
                                                      pq_slice_text(c->name), 0);
    bool is_said = n && n->kind == PQ_NODE_LEAF && n->geometry && n->geometry->said;

    return is_said && pqsql_move_int(&f->w->m, "SELECT type GLOB 'GEO*' FROM pragma_table_xinfo("
                                               "'parquet_rewrite of files', 'temp') WHERE name = "
                                               "%Q", c->name) ? n : NULL;
}

/* What the column that covers a geometry is made of, if it is a column of the output. */
static const char *covering_of(const PqsqlRewriteFile *f, const PqFooter *like, const PqNode *n)
{
    const PqGeometry *g = n->geometry;
    bool is_there = false;

    for (uint32_t i = 0; i < f->n_chosen && g->cover[PQ_COVER_XMIN] >= 0; i++) {
        is_there = is_there || !strcmp(f->chosen[i].name, g->said->cover[0].name[0]);
    }
    return !is_there ? "false" : like->schema.leaves[g->cover[PQ_COVER_XMIN]].type.physical ==
                                         PQ_DOUBLE ? "double" : "float";
}

/* The options about GeoParquet that the copy gets, as arguments of json_set. */
static const char *geo_of(const PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    const char *version = NULL, *primary = NULL, *covering = "false";

    for (uint32_t i = 0; i < f->n_chosen && m->e.rc == PQ_OK; i++) {
        const PqRewriteColumn *c = &f->chosen[i];
        const PqNode *n = geometry_of(f, c);

        if (n && (!version || strcmp(c->like->geo->primary, c->name) == 0)) {
            version = pq_type_is_annotated(&c->like->schema.elements[n->element]) ? "2.0" : "1.1";
            primary = pq_rewrite_name(c);
            covering = covering_of(f, c->like, n);
        }
    }
    return !version ? "" : pqsql_move_print(m, ", '$.geoparquet', %Q, '$.primary_column', %Q, "
                                               "'$.covering', %Q", version, primary, covering);
}

/* The options of the copy, with the keys of the inputs' metadata. */
static const char *options_of(const PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < f->keys.n; i++) {
        pqsql_move_item(&b, '{', f->keys.v[i].key);
        pq_buf_byte(&b, ':');
        pq_json_text_string(f->keys.v[i].value, &b);
    }
    return pqsql_move_word(m, "SELECT json_set(%Q, '$.kv_metadata', json(%Q)%s)", m->of_copy,
                           pqsql_move_close(m, &b, "{}"), geo_of(f));
}

static PqRc by_rows(PqsqlRewriteFile *f)
{
    PqsqlRewrite *w = f->w;
    PqsqlMove *m = &w->m;

    for (uint32_t i = 0; i < f->n_chosen; i++) {
        if (f->chosen[i].mask) {
            return pqsql_move_refuse(m, "option mask needs row groups that are copied, but %s: "
                                     "rewrite in two steps", f->why);
        }
    }
    PQ_TRY(pqsql_rewrite_table(f, w->inputs));
    if (w->sort) {                   /* an error of the copy would not name the option */
        sqlite3_finalize(pqsql_move_prepare(m, "SELECT 1 FROM " PQSQL_REWRITE_FILES " ORDER BY %s",
                                            w->sort));
        PQ_TRY(pqsql_rewrite_in_option(f, "sort"));
    }
    w->done.rows = (uint64_t)pqsql_move_int(m, "SELECT parquet_copy_to(%Q, %Q, %Q)", query_of(f),
                                            m->folder, options_of(f));
    return m->e.rc;
}

/* ---- the call ------------------------------------------------------------------------------ */

/* Is the output the only input, perhaps by another name? */
static bool is_only_input(const PqListing *l, const char *output)
{
    struct stat in, out;

    return l->n_files == 1 &&
           (strcmp(l->files[0].path, output) == 0 ||
            (stat(l->files[0].path, &in) == 0 && stat(output, &out) == 0 &&
             in.st_dev == out.st_dev && in.st_ino == out.st_ino));
}

/* A folder or glob that has the output too would have its rows twice. */
static PqRc check_output(PqsqlRewrite *w)
{
    PqsqlMove *m = &w->m;
    bool has = false;

    PQ_TRY(pqsql_move_check_overwrite(m));
    if (pqsql_copy_makes_folder(&m->o, m->folder)) {
        return pqsql_move_refuse(m, "%.300s is a folder; the output is one file", m->folder);
    }
    if (is_only_input(&w->listing, m->folder)) {
        return PQ_OK;
    }
    PQ_TRY(pq_listing_would_have(w->inputs, m->mem, m->folder, &has, &m->e));
    if (has) {
        pqsql_move_refuse(m, "%.300s would be one more file of the inputs, which would have all "
                          "rows twice", m->folder);
        pq_err_hint(&m->e, "write to another place; parquet_compact replaces the files of a "
                    "folder by larger ones");
    }
    return m->e.rc;
}

/* Rows are read from the inputs while the output is written, so it gets its name last. */
static PqRc by_groups(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    PqSink *sink;

    PQ_TRY(pqsql_move_publish(m));
    PQ_TRY(pq_publish_file(m->publish, NULL, NULL, &sink, &m->e));
    PQ_TRY(pqsql_rewrite_file(f, sink));
    PQ_TRY(pqsql_copy_progress_tell(&m->progress, f->w->done.rows, (int64_t)f->w->done.bytes,
                                    &m->e));
    return pq_publish_commit(m->publish, &m->e);
}

static PqRc run(PqsqlRewrite *w, PqsqlRewriteFile *f, sqlite3_value **argv)
{
    PqsqlMove *m = &w->m;

    w->inputs = pqsql_move_argument(m, argv[0], "the path of the inputs");
    PQ_TRY(pqsql_move_take_folder(m, argv[1]));
    m->host->sqlite_ran(m->host->arg);
    PQ_TRY(pqsql_rewrite_options(w, options, of_copy));
    PQ_TRY(pqsql_move_name_target(m));
    PQ_TRY(pqsql_rewrite_list(w, w->inputs, PQ_LIST_HIVE));
    PQ_TRY(check_output(w));
    f->files = w->listing.files;
    f->n_files = w->listing.n_files;
    pq_listing_expect(&w->listing, 0, NULL, NULL);
    f->why = w->sort ? "rows are sorted" : NULL;
    PQ_TRY(pqsql_rewrite_columns(f));
    PQ_TRY(pqsql_rewrite_fits(f));
    m->progress.expected = w->where_not ? -1 : (int64_t)f->n_rows;
    return f->why ? by_rows(f) : by_groups(f);
}

void pqsql_rewrite_end(PqsqlRewrite *w, sqlite3_context *ctx, const char *members, bool by_rows,
                       const char *why)
{
    const PqRewriteProgress *d = &w->done;
    PqBuf b;

    pq_buf_init(&b, w->m.mem, &w->m.e);
    pqsql_move_sql(&w->m, &b, "{\"files\":%u%s,\"rows\":%llu", w->listing.n_files, members,
                   d->rows);
    if (!by_rows) {
        pqsql_move_sql(&w->m, &b, ",\"row_groups\":%u,\"copied\":%u,\"joined\":%u,\"anew\":%u,"
                       "\"empty\":%u,\"bytes_before\":%llu,\"bytes_after\":%llu", d->row_groups,
                       d->copied, d->joined, d->anew, d->empty, w->bytes_before, d->bytes);
    }
    if (why) {
        pq_buf_text(&b, by_rows ? ",\"by\":\"rows\",\"why\":" : ",\"why\":");
        pq_json_text_string(pq_slice_text(why), &b);
    }
    pq_buf_byte(&b, '}');
    pq_listing_free(&w->listing);
    pqsql_move_end(&w->m, ctx, pqsql_move_take(&w->m, &b));
}

static void call_rewrite(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlRewrite w = {.m = {.function = "parquet_rewrite"}};
    PqsqlRewriteFile f = {.w = &w};

    if (pqsql_move_begin(&w.m, ctx, argc, argv, 2, 3,
                        "inputs, output [, options]): inputs and output are paths")) {
        run(&w, &f, argv);
        pqsql_rewrite_free(&f);
        pqsql_rewrite_end(&w, ctx, "", f.why != NULL, f.why);
    }
}

int pqsql_register_moves(sqlite3 *db, PqsqlCopyHost *host)
{
    static const struct {
        const char *name;
        int         n_arguments;
        void      (*call)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    } all[] = {
        {"parquet_export", -1, pqsql_call_export},
        {"parquet_import", -1, pqsql_call_import},
        {"pq_import_text", 2, pqsql_call_import_text},
        {"pq_import_row", 1, pqsql_call_import_row},
        {"parquet_archive", -1, pqsql_call_archive},
        {"parquet_restore", -1, pqsql_call_restore},
        {"parquet_archive_drop", -1, pqsql_call_archive_drop},
        {"pq_archive_digest", 1, pqsql_call_digest},
        {"parquet_rewrite", -1, call_rewrite},
        {"parquet_compact", -1, pqsql_call_compact},
        {"parquet_delete", -1, pqsql_call_delete}};
    int rc = SQLITE_OK;

    for (size_t i = 0; i < PQ_COUNT(all) && rc == SQLITE_OK; i++) {
        rc = sqlite3_create_function(db, all[i].name, all[i].n_arguments,
                                     SQLITE_UTF8 | SQLITE_DIRECTONLY, host, all[i].call, NULL,
                                     NULL);
    }
    return rc;
}
