/*
** copy_to.c - parquet_copy_to: writes the rows of a query into files.
**
**   prepare -> types -> path -> [ gather rows -> settle types ]
**   -> rows -> publish
**
** The query is stepped on the calling thread, which appends each value to the
** cells of its column.  core/write does the rest on its own threads.
*/
#include "sql/copy/copy_run.h"
#include "sql/copy/copy_to.h"

#include "sql/argument.h"
#include "sql/statement_text.h"

/* SQLite calls a progress handler after a number of operations of the query.  A
** few large rows take too few operations, so the copy asks by itself then. */
static bool is_stopped(void *run)
{
    enum { ENOUGH = 10000 };         /* operations of the host's question */
    PqsqlCopyRun *r = run;
    unsigned operations = (unsigned)sqlite3_stmt_status(
        r->query, SQLITE_STMTSTATUS_VM_STEP, 0);

    if (operations - r->operations >= ENOUGH) {
        r->operations = operations;
        r->host->sqlite_ran(r->host->arg);
    }
    return r->host->stop.asked(r->host->stop.arg);
}

/* ---- a copy ------------------------------------------------------------- */

/* Divides the columns into those that name folders and those in the files. */
static PqRc divide_columns(PqsqlCopyRun *r)
{
    const PqsqlNamedList *by = &r->o.partition_by;
    PqsqlCopyColumn *c;

    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->values, r->columns.n, &r->e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->partition_columns, by->n + 1u, &r->e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->partition_texts, by->n + 1u, &r->e));
    for (uint32_t i = 0; i < r->columns.n; i++) {
        if (pqsql_copy_is_in_files(&r->columns.v[i])) {
            r->values[r->n_values++] = i;
        }
    }
    for (uint32_t i = 0; i < by->n; i++) {
        PQ_TRY(pqsql_copy_types_column(&r->columns, "partition_by",
                                       by->v[i].name, &c, &r->e));
        r->partition_columns[i] = (uint32_t)(c - r->columns.v);
    }
    return PQ_OK;
}

static PqRc open_copy(PqsqlCopyRun *r)
{
    PqCopyPlan plan;

    PQ_TRY(pqsql_copy_plan(&r->columns, r->said.path, &r->stop, &plan, &r->e));
    if (r->into.to_file) {
        return pqsql_copy_append_open(&r->append, &r->into, &plan, &r->copy, &r->e);
    }
    PQ_TRY(pqsql_copy_lake_schema(&r->lake, &plan, &r->arena, &r->e));
    plan.publish = r->publish;
    plan.name = r->is_part ? r->said.path : NULL;
    r->publish = NULL;
    return pq_copy_open(&plan, &r->copy, &r->e);
}

/* Does the query only pass the VARIANT on, in every column that it becomes? */
static bool is_passed(const PqsqlCopyRun *r, const PqsqlCopyColumn *c)
{
    const char *name = c->passed.column;

    for (uint32_t i = 0; name && i < r->columns.n; i++) {
        const PqsqlCopyColumn *other = &r->columns.v[i];

        if (other->passed.column && !other->twins &&
            sqlite3_stricmp(other->passed.column, name) == 0) {
            return false;
        }
    }
    return name != NULL;
}

static void pass_on(PqsqlCopyRun *r)
{
    PqsqlPassed *passed = pq_arena_zeros(&r->arena, r->columns.n,
                                         sizeof *passed, &r->e);
    uint32_t i, n = 0;

    for (i = 0; passed && i < r->columns.n; i++) {
        if (is_passed(r, &r->columns.v[i])) {
            passed[n++] = r->columns.v[i].passed;
        }
    }
    pq_err_clear(&r->e);             /* it is not needed */
    pqsql_twins_pass(r->host->twins, passed, n);
}

/* From now on the tables keep the Variants of texts for the columns that are
** VARIANTs. */
static void want_twins(PqsqlCopyRun *r)
{
    for (uint32_t i = 0; i < r->columns.n; i++) {
        PqsqlCopyColumn *c = &r->columns.v[i];

        if (c->type && c->type->kind == PQ_NODE_VARIANT && !c->is_partition) {
            c->twins = r->host->twins;
            r->wants_twins = true;
        }
    }
    if (r->wants_twins) {
        pqsql_twins_begin(r->host->twins);
        pass_on(r);
    }
}

/* All is written, but nothing has its name yet.  A part leaves the last word to its
** whole. */
static PqRc end_progress(PqsqlCopyRun *r)
{
    PqsqlCopyProgress *p = r->progress;

    if (!p->interval) {
        return PQ_OK;
    }
    PQ_TRY(pq_copy_end_files(r->copy, &r->e));
    if (!r->is_part) {
        return pqsql_copy_tell(r);
    }
    p->rows += r->n_rows;
    p->bytes += pq_copy_progress(r->copy).bytes;
    return PQ_OK;
}

static PqRc copy_rows(PqsqlCopyRun *r)
{
    bool more = true;

    pqsql_row_values_init(&r->row, r->query);
    if (!r->columns.settled) {
        PQ_TRY(pqsql_copy_gather(r, &more));
    }
    PQ_TRY(open_copy(r));
    if (r->gathered) {
        PQ_TRY(pqsql_copy_gathered(r));
    }
    while (more) {
        PQ_TRY(pqsql_copy_step(r, &more));
        if (more) {
            PQ_TRY(pqsql_copy_row(r));
        }
    }
    PQ_TRY(pqsql_copy_folder_again(r->folder, &r->into, &r->columns, &r->e));
    PQ_TRY(end_progress(r));
    PQ_TRY(pqsql_copy_lake_columns(&r->lake, &r->columns, &r->e));
    PQ_TRY(pq_copy_finish(r->copy, &r->e));
    return r->into.to_file && r->n_rows
               ? pqsql_copy_append_end(&r->append, r->folder, &r->columns, r->publish, &r->e)
               : PQ_OK;
}

/* The writer knows what is wrong with a value; the name of its column is known
** here. */
static void place_misfit(PqsqlCopyRun *r)
{
    const PqsqlCopyColumn *c = r->columns.v;
    PqCopyMisfit misfit;

    if (r->copy && pq_copy_misfit(r->copy, &misfit)) {
        for (; !pqsql_copy_is_in_files(c) || misfit.column-- > 0; c++) {
        }
        pqsql_copy_misfit_explain(c, &misfit, &r->e);
    }
}

/* Waits for the removal of an earlier copy, which may have had the same
** path. */
static PqRc await_cleanup(PqsqlCopyRun *r)
{
    enum { ASK_MS = 4 };

    while (!pq_cleanup_wait_for(r->host->cleanup, ASK_MS)) {
        PQ_TRY(pq_stop_poll(&r->host->stop, &r->e));
    }
    r->host->cleanup = NULL;
    return PQ_OK;
}

static PqRc open_query(PqsqlCopyRun *r)
{
    PqRc rc = pqsql_copy_query_open(r->db, r->said.query, &r->o, r->mem,
                                    &r->query, &r->e);

    if (rc != PQ_OK) {
        pqsql_copy_arguments_meant(r->db, &r->said, &r->e);
    }
    return rc;
}

/* Types and origins come from the query as it was given: in the query that
** sorts its rows, NOT NULL would no longer be known. */
static PqRc sort_query(PqsqlCopyRun *r)
{
    PqsqlCopyColumn *c;
    PqBuf by;
    PqRc rc;

    pq_buf_init(&by, r->mem, &r->e);
    if (!r->o.hilbert) {
        pqsql_copy_lake_order(&r->lake, &r->columns, &by);
        rc = by.n && pq_buf_ok(&by) ? pqsql_copy_query_sort(r->db, &r->query, &by, &r->o, r->mem,
                                                            &r->e) : r->e.rc;
        pq_buf_free(&by);
        return rc;
    }
    PQ_TRY(pqsql_copy_types_column(&r->columns, "hilbert", r->o.hilbert, &c,
                                   &r->e));
    if (c->type && !c->is_hint &&
        (c->type->kind != PQ_NODE_LEAF ||
         c->type->type.physical != PQ_BYTE_ARRAY)) {
        return pq_fail(&r->e, PQ_USAGE, "hilbert: %s is not a geometry",
                       c->name);
    }
    pq_buf_printf(&by, "pq_ST_Hilbert(\"%u\") NULLS LAST", c->from);
    rc = pq_buf_ok(&by) ? pqsql_copy_query_sort(r->db, &r->query, &by, &r->o, r->mem, &r->e)
                        : r->e.rc;
    pq_buf_free(&by);
    return rc;
}

/* What the path is called from here on: without secrets. */
static PqRc name_path(PqsqlCopyRun *r)
{
    PqPlaces places = pq_engine_places(r->host->engine, true, &pq_usual_patience);

    if (pq_places_is_blob(r->said.path)) {
        return pq_fail(&r->e, PQ_USAGE, "a copy is not written into a BLOB; write a file, "
                       "and store what readfile() gives");
    }
    PQ_TRY(pq_places_name(&places, &r->arena, r->said.path, &r->said.path, &r->e));
    r->named = r->said.path;
    return PQ_OK;
}

enum { ANSWER_ROOM = 64 };

/* The answer of a lake says its version, which is known when the log has it. */
static PqRc make_room_for_answer(PqsqlCopyRun *r)
{
    r->answer = pqsql_copy_lake_log(&r->lake) ? sqlite3_malloc(ANSWER_ROOM) : NULL;
    return r->answer || !pqsql_copy_lake_log(&r->lake)
               ? PQ_OK : pq_fail(&r->e, PQ_NOMEM, "out of memory");
}

static PqRc run(PqsqlCopyRun *r)
{
    PqRc rc;

    if (!r->is_part) {
        PQ_TRY(await_cleanup(r));
        PQ_TRY(name_path(r));
    }
    PQ_TRY(pqsql_copy_options_parse(r->said.options, &r->arena, &r->o, &r->e));
    pq_mem_set_limit(r->mem, pq_mem_limit_of(r->o.memory));
    if (!r->is_part) {
        PQ_TRY(pqsql_copy_progress_begin(r->progress, r->o.progress, r->db, r->mem, &r->e));
    }
    r->host->watch(r->host->arg);
    PQ_TRY(open_query(r));
    r->into = (PqsqlCopyInto){r->host, &r->keep.host, &r->o, r->said.path,
                              &r->arena, false, NULL, NULL};
    if (!r->is_part) {
        PQ_TRY(pqsql_copy_lake_see(&r->lake, r->db, &r->into, &r->o, &r->e));
        r->said.path = r->into.path;
        pqsql_copy_append_see(&r->into, &r->o);
        PQ_TRY(pqsql_copy_folder_check(&r->into, &r->e));
        PQ_TRY(pqsql_copy_folder_open(&r->into, &r->folder, &r->e));
        PQ_TRY(pqsql_copy_lake_open(&r->lake, r->folder, &r->o, &r->e));
        PQ_TRY(make_room_for_answer(r));
    }
    r->columns = (PqsqlCopyColumns){.o = &r->o, .a = &r->arena};
    PQ_TRY(pqsql_copy_types_find(r->host, r->query, r->folder, &r->columns,
                                 &r->e));
    PQ_TRY(pqsql_copy_lake_fit(&r->lake, &r->columns, &r->o, &r->e));
    PQ_TRY(divide_columns(r));
    pqsql_copy_lake_types(&r->lake, &r->columns, r->partition_columns);
    PQ_TRY(pqsql_copy_seal_check(&r->columns, r->host->keys, &r->e));
    PQ_TRY(sort_query(r));
    if (!r->is_part) {
        PQ_TRY(pqsql_copy_plan_publish(&r->columns, r->said.path, &r->keep.host,
                                       r->host->engine->remote, &r->stop,
                                       pqsql_copy_lake_log(&r->lake), &r->publish,
                                       &r->e));
    }
    want_twins(r);
    rc = copy_rows(r);
    if (r->wants_twins) {
        pqsql_twins_pass(r->host->twins, NULL, 0);
        pqsql_twins_end(r->host->twins);
    }
    if (rc == PQ_OK) {
        r->lost = pqsql_copy_remarks(r->progress, r->copy, r->said.path,
                                     &r->o);
    } else {
        place_misfit(r);
    }
    return rc;
}

/* ---- the function ------------------------------------------------------- */

/* The number of rows; if there is more to say, a text that begins with it.  A version is there by
** now, so its text needs no memory any more. */
static void give_answer(sqlite3_context *ctx, PqsqlCopyRun *r)
{
    unsigned long long n = r->n_rows;

    if (r->answer && pqsql_copy_lake_log(&r->lake)->version >= 0) {
        pqsql_result_printed(ctx, sqlite3_snprintf(ANSWER_ROOM, r->answer, "%llu; version %lld", n,
                                                   pqsql_copy_lake_log(&r->lake)->version));
        r->answer = NULL;
    } else if (r->lost) {
        pqsql_result_printed(ctx, sqlite3_mprintf("%llu; %s", n, r->lost));
    } else {
        sqlite3_result_int64(ctx, (sqlite3_int64)r->n_rows);
    }
}

static void result(sqlite3_context *ctx, PqsqlCopyRun *r)
{
    if (r->e.rc == PQ_OK) {
        give_answer(ctx, r);
        return;
    }
    pqsql_result_error(ctx, &r->e);
    if (r->code && r->e.rc != PQ_NOMEM && r->e.rc != PQ_STOPPED) {
        sqlite3_result_error_code(ctx, r->code);
    }
}

/* After an error, all files are removed before it is reported.  After an
** interrupt they are removed in the background. */
static void take_back(PqsqlCopyRun *r)
{
    enum { MOST_MS = 40 };

    if (r->e.rc == PQ_STOPPED) {
        r->host->cleanup = pq_copy_cleanup(r->copy, r->host->cleanup, MOST_MS);
    } else {
        pq_copy_free(r->copy);
    }
    pq_publish_free(r->is_part ? NULL : r->publish);
}

static PqRc begin(PqsqlCopyRun *r)
{
    enum { MEMORY_OF_OPTIONS = 16 << 20 };

    pq_err_init(&r->e);
    r->progress = r->progress ? r->progress : &r->own;
    r->mem = pq_mem_new(MEMORY_OF_OPTIONS);
    if (!r->mem) {
        return pq_fail(&r->e, PQ_NOMEM, "out of memory");
    }
    r->stop = (PqStop){is_stopped, r};
    pqsql_copy_keep_init(&r->keep, r->db);
    r->keep.host.keys = r->host->keys;
    r->host->sqlite_ran(r->host->arg);
    pq_arena_init(&r->arena, r->mem);
    return PQ_OK;
}

static void end(PqsqlCopyRun *r)
{
    pqsql_copy_lake_free(&r->lake);
    take_back(r);
    pqsql_copy_forget(r);
    pqsql_copy_append_free(&r->append);
    pqsql_copy_folder_close(r->folder);
    if (r->named && pq_url_is(r->named)) {
        pq_remote_hold(r->host->engine->remote, r->named, false);
    }
    sqlite3_free(r->lost);
    sqlite3_free(r->answer);
    pqsql_copy_progress_end(&r->own);
    sqlite3_finalize(r->query);
    pq_arena_wipe(&r->arena);        /* a URL may have secrets                */
    pq_mem_release(r->mem);
}

static void copy_to(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqsqlCopyRun r = {.db = sqlite3_context_db_handle(ctx),
             .host = sqlite3_user_data(ctx)};

    if (!pqsql_direct_only(ctx, "parquet_copy_to")) {
        return;
    }
    if (!pqsql_copy_arguments(ctx, argc, argv, &r.said)) {
        return;
    }
    if (begin(&r) != PQ_OK) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    run(&r);
    result(ctx, &r);
    end(&r);
}

PqRc pqsql_copy_part(sqlite3 *db, PqsqlCopyHost *host, const PqsqlCopyPart *part,
                     uint64_t *n_rows, PqErr *e)
{
    PqsqlCopyRun r = {.db = db, .host = host, .is_part = true, .publish = part->of,
             .progress = part->progress,
             .said = {part->query, part->name, part->options}};

    PQ_TRY(begin(&r) == PQ_OK ? PQ_OK : pq_fail(e, PQ_NOMEM, "out of memory"));
    run(&r);
    *n_rows = r.n_rows;
    *e = r.e;
    pq_where_reset(e);               /* its names go with r */
    end(&r);
    return e->rc;
}

int pqsql_register_copy(sqlite3 *db, PqsqlCopyHost *host)
{
    return sqlite3_create_function(db, "parquet_copy_to", -1,
                                   SQLITE_UTF8 | SQLITE_DIRECTONLY, host,
                                   copy_to, NULL, NULL);
}
