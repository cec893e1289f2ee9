/*
** delta_write.c - what a copy did becomes a commit.
*/
#include "core/lake/delta_write.h"

#include "core/base/folder.h"
#include "core/base/system.h"
#include "core/lake/delta_log.h"
#include "core/lake/json_members.h"
#include "core/lake/log_put.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"

#include <limits.h>
#include <stdio.h>

enum { USUAL_LEAVES = 32 };

typedef struct PqDeltaWrite {
    PqLakeWriter  base;
    const PqLakeSnapshot *s;         /* of the listing; NULL: a new table    */
    PqDeltaLog    d;                 /* what the log says of the table, and for an overwrite
                                     ** of its files                         */
    const PqNode *const *columns;    /* of a new table                       */
    uint32_t      n_columns;
    PqSlice       partition;         /* the names of its columns, as JSON    */
    const char   *mark;              /* a file in the log of a new table; NULL: none */
    bool          made_folder;
    int64_t       most;              /* leaves of a file with statistics     */
    bool          has_times;         /* commits have times that grow         */
    int64_t       after;             /* ... after this one: milliseconds     */
    PqBuf         rest, text;        /* the commit: all but the info, and all */
} PqDeltaWrite;

/* ---- the text of a commit ------------------------------------------------------------------ */

/* The info comes first, and has the rows of all files. */
static void add_info(const PqDeltaWrite *w, PqBuf *out)
{
    static const char *const modes[] = {"Append", "Overwrite", "ErrorIfExists"};
    const PqLakeWriter *b = &w->base;
    PqLakeHow how = b->plan.how;
    int64_t at = pq_log_now();

    at = w->has_times && at <= w->after ? w->after + 1 : at;
    pq_json_text_print(out, "{'commitInfo':{");
    if (w->has_times) {
        pq_json_text_print(out, "'inCommitTimestamp':%d,", at);
    }
    pq_json_text_print(out, "'timestamp':%d,'operation':%s,'operationParameters':{'mode':%s,"
                       "'partitionBy':%t}", at,
                       how == PQ_LAKE_CREATE ? "CREATE TABLE AS SELECT" : "WRITE", modes[how],
                       w->partition);
    if (w->s) {
        pq_json_text_print(out, ",'readVersion':%d", w->s->version);
    }
    pq_json_text_print(out, ",'isolationLevel':'Serializable','isBlindAppend':%b,"
                       "'operationMetrics':{'numFiles':'%d','numOutputRows':'%d',"
                       "'numOutputBytes':'%d'},'engineInfo':%s}}\n", how == PQ_LAKE_APPEND,
                       b->n_files, b->n_rows, b->n_bytes, b->plan.writer);
}

static PqRc add_table(PqDeltaWrite *w, PqErr *e)
{
    const char *id = pq_log_uuid(&w->base.arena, e);
    bool zoneless = false;
    PqBuf schema;

    PQ_TRY(id ? PQ_OK : e->rc);
    pq_buf_init(&schema, w->base.plan.mem, e);
    if (pq_delta_schema_text(w->columns, w->n_columns, &schema, &zoneless, e) == PQ_OK) {
        pq_json_text_print(&w->rest, zoneless
                               ? "{'protocol':{'minReaderVersion':3,'minWriterVersion':7,"
                                 "'readerFeatures':['timestampNtz'],"
                                 "'writerFeatures':['timestampNtz']}}\n"
                               : "{'protocol':{'minReaderVersion':1,'minWriterVersion':2}}\n");
        pq_json_text_print(&w->rest, "{'metaData':{'id':%s,'format':{'provider':'parquet',"
                           "'options':{}},'schemaString':%t,'partitionColumns':%j,"
                           "'configuration':{},'createdTime':%d}}\n", id, pq_buf_view(&schema),
                           w->partition, pq_log_now());
    }
    pq_buf_free(&schema);
    return e->rc;
}

/* The name that files have for a partition column. */
static PqSlice physical_of(const PqDeltaWrite *w, const char *name)
{
    const PqLakeNames *names = w->s ? &w->s->names : NULL;
    const PqNode *node = names && names->n ? pq_node_field(names->schema->schema.root,
                                                           pq_slice_text(name), 0) : NULL;

    return node ? names->fields[node->element].physical : pq_slice_text(name);
}

static PqRc add_file(PqLakeWriter *base, const PqLakeNew *f, PqErr *e)
{
    PqDeltaWrite *w = (PqDeltaWrite *)base;
    PqArena *a = &base->scratch;
    const char *path = pq_url_encode(a, pq_slice_text(f->file.below), true, e);
    PqBuf stats;

    PQ_TRY(path ? PQ_OK : e->rc);
    pq_json_text_print(&w->rest, "{'add':{'path':%s,'partitionValues':{", path);
    for (uint32_t k = 0; k < f->n_folders; k++) {
        pq_json_text_print(&w->rest, k ? ",%t:%s" : "%t:%s", physical_of(w, f->names[k]),
                           f->values[k]);
    }
    pq_buf_init(&stats, base->plan.mem, e);
    if (pq_delta_stats_text(f->footer, (uint32_t)w->most, a, &stats, e) == PQ_OK) {
        pq_json_text_print(&w->rest, "},'size':%d,'modificationTime':%d,'dataChange':true,"
                           "'stats':%t}}\n", (int64_t)f->file.size,
                           f->file.modified ? f->file.modified : pq_log_now(),
                           pq_buf_view(&stats));
    }
    pq_buf_free(&stats);
    return e->rc;
}

/* said: what the log has of the file. */
static PqRc add_remove(PqDeltaWrite *w, PqSlice said, int64_t at, PqErr *e)
{
    PqSlice path, values = {0}, deletes = {0};
    int64_t size = -1;
    const PqJsonMember members[] = {
        {"path", &path, NULL}, {"partitionValues", &values, NULL},
        {"deletionVector", &deletes, NULL}, {"size", NULL, &size}};

    pq_arena_reset(&w->d.scratch);
    PQ_TRY(pq_json_pick_of(said, &w->d.scratch, members, PQ_COUNT(members), e));
    pq_json_text_print(&w->rest, "{'remove':{'path':%t,'deletionTimestamp':%d,'dataChange':true",
                       path, at);
    if (values.n && size >= 0) {
        pq_json_text_print(&w->rest, ",'extendedFileMetadata':true,'size':%d,'partitionValues':%j",
                           size, values);
    }
    if (deletes.n) {
        pq_json_text_print(&w->rest, ",'deletionVector':%j", deletes);
    }
    pq_buf_text(&w->rest, "}}\n");
    return PQ_OK;
}

/* ---- somebody else's commit ---------------------------------------------------------------- */

/* Notes the time of a commit. */
static PqRc see_time(void *arg, PqSlice line, PqErr *e)
{
    PqDeltaWrite *w = arg;
    PqSlice info = {0};
    const PqJsonMember of_line = {"commitInfo", &info, NULL};
    const PqJsonMember of_info = {"inCommitTimestamp", NULL, &w->after};

    pq_arena_reset(&w->d.scratch);
    PQ_TRY(w->has_times ? pq_json_pick_of(line, &w->d.scratch, &of_line, 1, e) : PQ_OK);
    return info.n ? pq_json_pick_of(info, &w->d.scratch, &of_info, 1, e) : PQ_OK;
}

/* Rows may be added after all but this. */
static PqRc see_action(void *arg, PqSlice line, PqErr *e)
{
    PqDeltaWrite *w = arg;
    PqSlice metadata = {0}, protocol = {0};
    const PqJsonMember members[] = {{"metaData", &metadata, NULL}, {"protocol", &protocol, NULL}};

    PQ_TRY(see_time(w, line, e));
    PQ_TRY(pq_json_pick_of(line, &w->d.scratch, members, PQ_COUNT(members), e));
    return metadata.n || protocol.n
               ? pq_fail(e, PQ_USAGE, "another writer has changed the table itself meanwhile: "
                         "run the copy again")
               : PQ_OK;
}

static PqRc conflict(PqDeltaWrite *w, const char *path, int64_t version, PqErr *e)
{
    const PqLakeWritePlan *plan = &w->base.plan;
    PqFileId id;

    if (plan->how == PQ_LAKE_CREATE) {
        return pq_fail(e, PQ_USAGE, "another writer has made the table meanwhile");
    }
    if (plan->how == PQ_LAKE_OVERWRITE) {
        return pq_fail(e, PQ_USAGE, "another writer has made version %lld meanwhile, and would "
                       "lose it: run the copy again", (long long)version);
    }
    return pq_delta_lines(&plan->places, plan->mem, path, plan->stop, see_action, w, &id, e);
}

/* ---- the commit ---------------------------------------------------------------------------- */

/* If the log may have the files, they have to stay. */
static PqRc commit(PqLakeWriter *base, int nth, bool *entered, PqErr *e)
{
    PqDeltaWrite *w = (PqDeltaWrite *)base;
    int64_t version = (w->s ? w->s->version + 1 : 0) + nth;
    const char *name = pq_delta_log_file(&w->d, &base->arena, version, ".json", e);
    PqObjectMade made = PQ_OBJECT_NOT_MADE;

    if (nth == 0 || w->has_times) {
        w->text.n = 0;
        add_info(w, &w->text);
        pq_buf_add(&w->text, w->rest.p, w->rest.n);
    }
    PQ_TRY(name && pq_buf_ok(&w->text) ? PQ_OK : e->rc);
    pq_log_put(&base->plan.places, &base->arena, name, "commit", pq_buf_view(&w->text), false,
               &made, e);
    *entered = made == PQ_OBJECT_MADE || made == PQ_OBJECT_UNKNOWN;
    if (made == PQ_OBJECT_UNKNOWN) {
        pq_err_hint(e, "the table has the rows, or will have them, or not: look at its "
                    "newest version before the copy is run again");
    }
    PQ_TRY(e->rc);
    if (*entered) {
        base->log.version = version;
        return PQ_OK;
    }
    return conflict(w, name, version, e);
}

/* Does the server refuse to make the first file of the copy again?  It is in no log yet. */
static PqRc check_server(PqDeltaWrite *w, const PqPublish *p, PqErr *e)
{
    PqLakeWriter *b = &w->base;
    PqObjectMade made;
    PqPublished f;

    if (!pq_publish_made(p, 0, &f)) {
        return pq_fail(e, PQ_UNSUPPORTED, "a copy without rows does not become a version of a "
                       "table in a bucket: without a new file, nothing shows that the server "
                       "knows If-None-Match");
    }
    PQ_TRY(pq_log_put(&b->plan.places, &b->arena, f.path, "commit", pq_slice(NULL, 0), false, &made,
                      e));
    return made == PQ_OBJECT_TAKEN
               ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "the server ignores If-None-Match, so of two "
                                 "writers one could be lost: nothing was written");
}

/* A new table whose writer is killed has a log from its first file on, so it is not taken for a
** pile of files. */
static PqRc begin(PqLakeWriter *base, PqErr *e)
{
    PqDeltaWrite *w = (PqDeltaWrite *)base;

    if (w->s || pq_url_is(w->d.folder)) {
        return PQ_OK;
    }
    w->made_folder = !pq_fault_io() && mkdir(w->d.folder, 0777) == 0;
    w->mark = pq_log_temp(&base->arena, w->d.folder, "commit", e);
    PQ_TRY(w->mark ? pq_log_write(base->plan.mem, w->mark, w->d.folder, (PqSlice){0}, e) : e->rc);
    PQ_TRY(w->made_folder ? pq_publish_sync_folder(w->d.folder, e) : PQ_OK);
    return w->made_folder ? pq_publish_sync_folder(base->plan.table, e) : PQ_OK;
}

static PqRc name_partition(PqDeltaWrite *w, PqErr *e)
{
    const PqLakeWritePlan *plan = &w->base.plan;
    const char *const *names = w->s ? w->d.partition : plan->partition;
    uint32_t n = w->s ? w->d.n_partition : plan->n_partition;

    w->partition = pq_slice_text("[");
    for (uint32_t i = 0; i < n; i++) {
        w->partition = pq_json_text_make(&w->base.arena, e, i ? "%j,%s" : "%j%s", w->partition,
                                         names[i]);
    }
    w->partition = pq_json_text_make(&w->base.arena, e, "%j]", w->partition);
    return e->rc;
}

static PqRc start(PqLakeWriter *base, const PqPublish *p, PqErr *e)
{
    PqDeltaWrite *w = (PqDeltaWrite *)base;
    int64_t at = pq_log_now();

    PQ_TRY(base->folder ? PQ_OK : check_server(w, p, e));
    PQ_TRY(name_partition(w, e));
    PQ_TRY(w->s ? PQ_OK : add_table(w, e));
    for (uint32_t i = 0; base->plan.how == PQ_LAKE_OVERWRITE && i < w->d.n; i++) {
        PQ_TRY(w->d.files[i].is_there ? add_remove(w, w->d.files[i].said, at, e) : PQ_OK);
    }
    return PQ_OK;
}

/* Whatever goes wrong, the version is there. */
static void add_checkpoint(PqLakeWriter *base)
{
    PqLakeReading r = pq_lake_writer_reading(base, base->log.version);
    PqDeltaWrite *w = (PqDeltaWrite *)base;
    PqErr ignored = PQ_NO_ERR;

    r.table = w->d.table;
    if (pq_delta_checkpoint_is_due(&w->d, base->log.version) &&
        (r.mem = pq_mem_new(pq_mem_limit(base->plan.mem))) != NULL) {
        pq_delta_checkpoint(&r, base->plan.writer, &ignored);
        pq_mem_release(r.mem);
    }
    pq_err_clear(&ignored);
}

/* ---- its life ------------------------------------------------------------------------------ */

static PqRc read_log(PqDeltaWrite *w, PqErr *e)
{
    PqLakeReading r = pq_lake_writer_reading(&w->base, w->s->version);
    bool overwrites = w->base.plan.how == PQ_LAKE_OVERWRITE;
    const char *said, *path;
    PqFileId id;

    PQ_TRY(pq_delta_protocol(&w->d, pq_slice_text(w->s->protocol), e));
    PQ_TRY(pq_delta_metadata(&w->d, pq_slice_text(w->s->metadata), e));
    PQ_TRY(pq_delta_check_write(&w->d, overwrites, e));
    said = pq_delta_setting(&w->d, "delta.dataSkippingNumIndexedCols");
    if (said && pq_number_parse_i64(pq_slice_text(said), &w->most) != PQ_PARSE_OK) {
        w->most = USUAL_LEAVES;
    }
    w->most = w->most < 0 || w->most > INT32_MAX ? INT32_MAX : w->most;
    w->has_times = pq_delta_is_set(&w->d, "delta.enableInCommitTimestamps", "true");
    if (w->has_times) {
        path = pq_delta_log_file(&w->d, &w->base.arena, w->s->version, ".json", e);
        PQ_TRY(path ? pq_delta_lines(r.places, r.mem, path, r.stop, see_time, w, &id, e) : e->rc);
    }
    return overwrites ? pq_delta_replay(&w->d, &r, NULL, e) : PQ_OK;
}

static void free_write(PqLakeWriter *base)
{
    PqDeltaWrite *w = (PqDeltaWrite *)base;

    if (w->mark) {
        unlink(w->mark);
    }
    if (w->made_folder && base->log.version < 0) {
        rmdir(w->d.folder);
    }
    pq_buf_free(&w->rest);
    pq_buf_free(&w->text);
    pq_delta_log_end(&w->d);
    pq_lake_writer_end(base);
    pq_mem_free(w);
}

static const PqLakeFormat format = {"version", "log", begin, start, add_file, commit,
                                    add_checkpoint, free_write};

PqRc pq_delta_write_new(const PqLakeWritePlan *plan, PqLakeWriter **out, PqErr *e)
{
    PqLakeReading r;
    PqWhere outer = e->where;
    PqDeltaWrite *w;
    PqRc rc;

    *out = NULL;
    PQ_TRY(PQ_NEW(plan->mem, w, 1, e));
    pq_lake_writer_begin(&w->base, &format, plan);
    pq_buf_init(&w->rest, plan->mem, e);
    pq_buf_init(&w->text, plan->mem, e);
    w->s = plan->how == PQ_LAKE_CREATE ? NULL : plan->listing->snapshot;
    w->most = USUAL_LEAVES;
    r = pq_lake_writer_reading(&w->base, -1);
    r.table = pq_arena_text(&w->base.arena, plan->table,
                            pq_folder_length(plan->table, strlen(plan->table)), e);
    pq_delta_log_begin(&w->d, &r, e);
    PQ_GO(e->rc);
    w->base.folder = pq_url_is(plan->table) ? NULL : w->d.folder;
    w->d.keeps_said = true;
    pq_where_enter(e, plan->table);
    PQ_GO(w->s ? read_log(w, e) : PQ_OK);
    *out = &w->base;
done:
    if (rc != PQ_OK) {
        free_write(&w->base);
    }
    e->where = outer;
    return rc;
}

void pq_delta_write_columns(PqLakeWriter *base, const PqNode *const *v, uint32_t n)
{
    PqDeltaWrite *w = (PqDeltaWrite *)base;

    w->columns = v;
    w->n_columns = n;
}

bool pq_delta_is_unborn(const char *table)
{
    char path[PATH_MAX];
    struct dirent *entry;
    bool any = false;
    DIR *d;

    if (snprintf(path, sizeof path, "%s/_delta_log", table) >= (int)sizeof path ||
        (d = pq_folder_open(path)) == NULL) {
        return false;
    }
    while ((entry = pq_folder_next(d)) != NULL) {
        any = any || *entry->d_name != '.';
    }
    closedir(d);
    return !any;
}
