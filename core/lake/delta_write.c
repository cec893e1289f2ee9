/*
** delta_write.c - what a copy did becomes a commit.
*/
#include "core/lake/delta_write.h"

#include "core/base/ascii.h"
#include "core/base/folder.h"
#include "core/base/random.h"
#include "core/base/system.h"
#include "core/lake/delta_log.h"
#include "core/lake/json_members.h"
#include "core/lake/log_names.h"
#include "core/lake/log_put.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"

#include <limits.h>
#include <stdio.h>

enum { USUAL_LEAVES = 32 };

typedef struct PqDeltaWrite {
    PqLakeWriter  base;
    PqLakeWritePlan plan;
    PqArena       arena;
    const PqLakeSnapshot *s;         /* of the listing; NULL: a new table    */
    PqDeltaLog    d;                 /* what the log says of the table, and for an overwrite
                                     ** of its files                         */
    const PqDeltaColumn *columns;    /* of a new table                       */
    uint32_t      n_columns;
    const char   *temp;              /* NULL: none yet                       */
    bool          made_folder;
    int64_t       n_rows;            /* of the new files                     */
    bool          has_times;         /* commits have times that grow         */
    int64_t       after;             /* ... after this one: milliseconds     */
    PqBuf         rest, text;        /* the commit: all but the info, and all */
} PqDeltaWrite;

/* ---- the text of a commit ------------------------------------------------------------------ */

static void add_string(PqBuf *out, const char *text)
{
    if (text) {
        pq_json_text_string(pq_slice_text(text), out);
    } else {
        pq_buf_text(out, "null");
    }
}

/* A JSON array of the partition columns, of which a new table has those without a node. */
static void add_partition(const PqDeltaWrite *w, PqBuf *out)
{
    uint32_t n = 0;

    pq_buf_byte(out, '[');
    for (uint32_t i = 0; w->s && i < w->d.n_partition; i++) {
        pq_buf_text(out, n++ ? "," : "");
        add_string(out, w->d.partition[i]);
    }
    for (uint32_t i = 0; !w->s && i < w->n_columns; i++) {
        if (!w->columns[i].node && w->columns[i].nth == n) {
            pq_buf_text(out, n++ ? "," : "");
            add_string(out, w->columns[i].name);
            i = UINT32_MAX;          /* from the first one on again          */
        }
    }
    pq_buf_byte(out, ']');
}

/* Text that is JSON becomes a string in JSON. */
static PqRc add_quoted(PqBuf *out, PqBuf *text, PqErr *e)
{
    PQ_TRY(pq_buf_ok(text) ? PQ_OK : e->rc);
    pq_json_text_string(pq_buf_view(text), out);
    text->n = 0;
    return PQ_OK;
}

static PqRc add_info(const PqDeltaWrite *w, const PqPublish *p, PqBuf *out, PqErr *e)
{
    static const char *const modes[] = {"Append", "Overwrite", "ErrorIfExists"};
    PqLakeHow how = w->plan.how;
    int64_t at = pq_log_now();
    PqPublished f;
    uint64_t bytes = 0;
    uint32_t n = 0;
    PqBuf by;

    for (; pq_publish_made(p, n, &f); n++) {
        bytes += f.size;
    }
    at = w->has_times && at <= w->after ? w->after + 1 : at;
    pq_buf_printf(out, "{\"commitInfo\":{");
    if (w->has_times) {
        pq_buf_printf(out, "\"inCommitTimestamp\":%lld,", (long long)at);
    }
    pq_buf_printf(out, "\"timestamp\":%lld,\"operation\":\"%s\","
                  "\"operationParameters\":{\"mode\":\"%s\",\"partitionBy\":",
                  (long long)at, how == PQ_LAKE_CREATE ? "CREATE TABLE AS SELECT" : "WRITE",
                  modes[how]);
    pq_buf_init(&by, w->plan.mem, e);
    add_partition(w, &by);
    add_quoted(out, &by, e);
    pq_buf_free(&by);
    pq_buf_byte(out, '}');
    if (w->s) {
        pq_buf_printf(out, ",\"readVersion\":%lld", (long long)w->s->version);
    }
    pq_buf_printf(out, ",\"isolationLevel\":\"Serializable\",\"isBlindAppend\":%s,"
                  "\"operationMetrics\":{\"numFiles\":\"%u\",\"numOutputRows\":\"%lld\","
                  "\"numOutputBytes\":\"%llu\"},\"engineInfo\":",
                  how == PQ_LAKE_APPEND ? "true" : "false", n, (long long)w->n_rows,
                  (unsigned long long)bytes);
    add_string(out, w->plan.writer);
    pq_buf_text(out, "}}\n");
    return e->rc;
}

static PqRc add_table(const PqDeltaWrite *w, PqBuf *out, PqErr *e)
{
    bool zoneless = false;
    PqBuf schema;

    pq_buf_init(&schema, w->plan.mem, e);
    if (pq_delta_schema_text(w->columns, w->n_columns, &schema, &zoneless, e) == PQ_OK) {
        pq_buf_text(out, zoneless ? "{\"protocol\":{\"minReaderVersion\":3,"
                                    "\"minWriterVersion\":7,\"readerFeatures\":[\"timestampNtz\"],"
                                    "\"writerFeatures\":[\"timestampNtz\"]}}\n"
                                  : "{\"protocol\":{\"minReaderVersion\":1,"
                                    "\"minWriterVersion\":2}}\n");
        pq_buf_text(out, "{\"metaData\":{\"id\":\"");
        pq_log_uuid(out, e);
        pq_buf_text(out, "\",\"format\":{\"provider\":\"parquet\",\"options\":{}},"
                    "\"schemaString\":");
        add_quoted(out, &schema, e);
        pq_buf_text(out, ",\"partitionColumns\":");
        add_partition(w, out);
        pq_buf_printf(out, ",\"configuration\":{},\"createdTime\":%lld}}\n",
                      (long long)pq_log_now());
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

/* The values of a file are in the names of its folders, in the order of the columns. */
static PqRc add_values(PqDeltaWrite *w, const char *below, PqBuf *out, PqErr *e)
{
    const char *name, *value;
    bool first = true;

    while (pq_log_folder(&below, &w->d.scratch, &name, &value, e)) {
        pq_buf_text(out, first ? "" : ",");
        first = false;
        pq_json_text_string(physical_of(w, name), out);
        pq_buf_byte(out, ':');
        add_string(out, value);
    }
    return e->rc;
}

static PqRc add_stats(PqDeltaWrite *w, const char *path, PqBuf *out, PqErr *e)
{
    const char *said = w->s ? pq_delta_setting(&w->d, "delta.dataSkippingNumIndexedCols")
                            : NULL;
    const PqKeyChoice keys = {0};
    int64_t most = USUAL_LEAVES;
    PqFooter *footer = NULL;
    PqBuf text;

    if (said && pq_number_parse_i64(pq_slice_text(said), &most) != PQ_PARSE_OK) {
        most = USUAL_LEAVES;
    }
    most = most < 0 || most > INT32_MAX ? INT32_MAX : most;
    pq_buf_init(&text, w->plan.mem, e);
    if (pq_file_footer(&w->plan.places, &keys, w->plan.mem, path, &footer, NULL, e) == PQ_OK &&
        pq_delta_stats_text(footer, (uint32_t)most, &w->d.scratch, &text, e) == PQ_OK) {
        w->n_rows += footer->n_rows;
        add_quoted(out, &text, e);
    }
    pq_buf_free(&text);
    pq_footer_release(footer);
    return e->rc;
}

static PqRc add_file(PqDeltaWrite *w, const PqPublished *f, PqBuf *out, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, f->path);
    const char *path = pq_url_encode(&w->d.scratch, pq_slice_text(f->below), true, e);

    PQ_TRY(path ? PQ_OK : e->rc);
    pq_buf_text(out, "{\"add\":{\"path\":");
    add_string(out, path);
    pq_buf_text(out, ",\"partitionValues\":{");
    PQ_TRY(add_values(w, f->below, out, e));
    pq_buf_printf(out, "},\"size\":%llu,\"modificationTime\":%lld,\"dataChange\":true,"
                  "\"stats\":", (unsigned long long)f->size,
                  (long long)(f->modified ? f->modified : pq_log_now()));
    PQ_TRY(add_stats(w, f->path, out, e));
    pq_buf_text(out, "}}\n");
    pq_arena_reset(&w->d.scratch);
    e->where = outer;
    return e->rc;
}

/* said: what the log has of the file. */
static PqRc add_remove(PqDeltaWrite *w, PqSlice said, int64_t at, PqBuf *out, PqErr *e)
{
    PqSlice path, values = {0}, deletes = {0};
    int64_t size = -1;
    const PqJsonMember members[] = {
        {"path", &path, NULL}, {"partitionValues", &values, NULL},
        {"deletionVector", &deletes, NULL}, {"size", NULL, &size}};

    pq_arena_reset(&w->d.scratch);
    PQ_TRY(pq_json_pick_of(said, &w->d.scratch, members, PQ_COUNT(members), e));
    pq_buf_text(out, "{\"remove\":{\"path\":");
    pq_json_text_string(path, out);
    pq_buf_printf(out, ",\"deletionTimestamp\":%lld,\"dataChange\":true", (long long)at);
    if (values.n && size >= 0) {
        pq_buf_printf(out, ",\"extendedFileMetadata\":true,\"size\":%lld,\"partitionValues\":",
                      (long long)size);
        pq_buf_add(out, values.p, values.n);
    }
    pq_buf_text(out, deletes.n ? ",\"deletionVector\":" : "");
    pq_buf_add(out, deletes.p, deletes.n);
    pq_buf_text(out, "}}\n");
    return PQ_OK;
}

/* All but the info, which comes first and has the rows of all files. */
static PqRc add_actions(PqDeltaWrite *w, const PqPublish *p, PqBuf *out, PqErr *e)
{
    int64_t at = pq_log_now();
    PqPublished f;

    PQ_TRY(w->s ? PQ_OK : add_table(w, out, e));
    for (uint32_t i = 0; w->plan.how == PQ_LAKE_OVERWRITE && i < w->d.n; i++) {
        if (w->d.files[i].is_there) {
            PQ_TRY(add_remove(w, w->d.files[i].said, at, out, e));
        }
    }
    for (uint32_t i = 0; pq_publish_made(p, i, &f); i++) {
        PQ_TRY(pq_stop_poll(w->plan.stop, e));
        PQ_TRY(add_file(w, &f, out, e));
    }
    return pq_buf_ok(out) ? PQ_OK : e->rc;
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
    PqFileId id;

    if (w->plan.how == PQ_LAKE_CREATE) {
        return pq_fail(e, PQ_USAGE, "another writer has made the table meanwhile");
    }
    if (w->plan.how == PQ_LAKE_OVERWRITE) {
        return pq_fail(e, PQ_USAGE, "another writer has made version %lld meanwhile, and would "
                       "lose it: run the copy again", (long long)version);
    }
    return pq_delta_lines(&w->plan.places, w->plan.mem, path, w->plan.stop, see_action,
                          w, &id, e);
}

/* ---- the commit ---------------------------------------------------------------------------- */

/* The file may be there with another text, or not any more: somebody may take it for one of a
** day ago. */
static PqRc write_temp(PqDeltaWrite *w, PqSlice text, PqErr *e)
{
    unlink(w->temp);
    return pq_log_write(w->plan.mem, w->temp, w->d.folder, text, e);
}

static PqRc put(PqDeltaWrite *w, const char *name, PqSlice text, PqObjectMade *made, PqErr *e)
{
    return w->temp ? pq_log_put(w->temp, name, false, made, e)
                   : pq_log_put_far(&w->plan.places, w->plan.mem, name, text, false, made, e);
}

/* On a disk it is written into the temporary file. */
static PqRc make_text(PqDeltaWrite *w, const PqPublish *p, PqErr *e)
{
    w->text.n = 0;
    PQ_TRY(add_info(w, p, &w->text, e));
    pq_buf_add(&w->text, w->rest.p, w->rest.n);
    PQ_TRY(pq_buf_ok(&w->text) ? PQ_OK : e->rc);
    return w->temp ? write_temp(w, pq_buf_view(&w->text), e) : PQ_OK;
}

/* If the log may have the files, they have to stay. */
static PqRc take_version(void *arg, const PqPublish *p, int nth, bool *entered, PqErr *e)
{
    PqDeltaWrite *w = arg;
    int64_t version = (w->s ? w->s->version + 1 : 0) + nth;
    const char *name = pq_delta_log_file(&w->d, &w->arena, version, ".json", e);
    PqObjectMade made = PQ_OBJECT_NOT_MADE;

    PQ_TRY(name ? PQ_OK : e->rc);
    PQ_TRY(nth == 0 || w->has_times ? make_text(w, p, e) : PQ_OK);
    put(w, name, pq_buf_view(&w->text), &made, e);
    *entered = made == PQ_OBJECT_MADE || made == PQ_OBJECT_UNKNOWN;
    if (made == PQ_OBJECT_UNKNOWN) {
        pq_err_hint(e, "the table has the rows, or will have them, or not: look at its "
                    "newest version before the copy is run again");
    }
    PQ_TRY(e->rc);
    if (*entered) {
        w->base.log.version = version;
        return PQ_OK;
    }
    return conflict(w, name, version, e);
}

/* Does the server refuse to make the first file of the copy again?  It is in no log yet. */
static PqRc check_server(PqDeltaWrite *w, const PqPublish *p, PqErr *e)
{
    PqObjectMade made;
    PqPublished f;

    if (!pq_publish_made(p, 0, &f)) {
        return pq_fail(e, PQ_UNSUPPORTED, "a copy without rows does not become a version of a "
                       "table in a bucket: without a new file, nothing shows that the server "
                       "knows If-None-Match");
    }
    PQ_TRY(put(w, f.path, pq_slice(NULL, 0), &made, e));
    return made == PQ_OBJECT_TAKEN
               ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "the server ignores If-None-Match, so of two "
                                 "writers one could be lost: nothing was written");
}

/* The temporary file comes first, so that a new table whose writer is killed has a log from
** its first file on, and is not taken for a pile of files. */
static PqRc begin(void *arg, PqErr *e)
{
    PqDeltaWrite *w = arg;
    uint64_t id;

    if (pq_url_is(w->d.folder)) {
        return PQ_OK;
    }
    if (w->plan.how == PQ_LAKE_CREATE && !pq_fault_io()) {
        w->made_folder = mkdir(w->d.folder, 0777) == 0;
    }
    PQ_TRY(pq_random_fill(&id, sizeof id, e));
    w->temp = pq_arena_printf(&w->arena, e, "%s/.commit.%016llx.tmp", w->d.folder,
                              (unsigned long long)id);
    PQ_TRY(w->temp ? write_temp(w, (PqSlice){0}, e) : e->rc);
    PQ_TRY(w->made_folder ? pq_publish_sync_folder(w->d.folder, e) : PQ_OK);
    return w->made_folder ? pq_publish_sync_folder(w->plan.table, e) : PQ_OK;
}

/* Whatever goes wrong, the version is there. */
static void add_checkpoint(const PqDeltaWrite *w)
{
    PqLakeReading r = {.table = w->d.table, .places = &w->plan.places, .engine = w->plan.engine,
                       .as_of = INT64_MAX, .version = w->base.log.version, .stop = w->plan.stop};
    PqErr ignored;

    pq_err_init(&ignored);
    if (pq_delta_checkpoint_is_due(&w->d, w->base.log.version) &&
        (r.mem = pq_mem_new(pq_mem_limit(w->plan.mem))) != NULL) {
        pq_delta_checkpoint(&r, w->plan.writer, &ignored);
        pq_mem_release(r.mem);
    }
    pq_err_clear(&ignored);
}

static PqRc enter(void *arg, const PqPublish *p, bool *entered, PqErr *e)
{
    PqDeltaWrite *w = arg;

    pq_buf_init(&w->rest, w->plan.mem, e);
    pq_buf_init(&w->text, w->plan.mem, e);
    PQ_TRY(add_actions(w, p, &w->rest, e));
    PQ_TRY(w->temp ? PQ_OK : check_server(w, p, e));
    PQ_TRY(pq_lake_enter(&w->base, p, take_version, w->temp ? w->d.folder : NULL, w->plan.stop,
                         entered, e));
    add_checkpoint(w);
    return PQ_OK;
}

/* ---- its life ------------------------------------------------------------------------------ */

static PqRc read_log(PqDeltaWrite *w, PqErr *e)
{
    const PqLakeWritePlan *plan = &w->plan;
    const char *path;
    PqFileId id;
    PqLakeReading r = {.table = plan->table, .places = &plan->places,
                       .engine = plan->engine, .as_of = INT64_MAX,
                       .version = w->s->version, .mem = plan->mem, .stop = plan->stop};

    PQ_TRY(pq_delta_protocol(&w->d, pq_slice_text(w->s->protocol), e));
    PQ_TRY(pq_delta_metadata(&w->d, pq_slice_text(w->s->metadata), e));
    PQ_TRY(pq_delta_check_write(&w->d, plan->how == PQ_LAKE_OVERWRITE, e));
    w->has_times = pq_delta_is_set(&w->d, "delta.enableInCommitTimestamps", "true");
    if (w->has_times) {
        path = pq_delta_log_file(&w->d, &w->arena, w->s->version, ".json", e);
        PQ_TRY(path ? pq_delta_lines(r.places, r.mem, path, r.stop, see_time, w, &id, e) : e->rc);
    }
    return plan->how == PQ_LAKE_OVERWRITE ? pq_delta_replay(&w->d, &r, NULL, e) : PQ_OK;
}

static void free_write(PqLakeWriter *base)
{
    PqDeltaWrite *w = (PqDeltaWrite *)base;

    if (w->temp) {
        unlink(w->temp);
    }
    if (w->made_folder && base->log.version < 0) {
        rmdir(w->d.folder);
    }
    pq_buf_free(&w->rest);
    pq_buf_free(&w->text);
    pq_delta_log_end(&w->d);
    pq_arena_free(&w->arena);
    pq_mem_free(w);
}

PqRc pq_delta_write_new(const PqLakeWritePlan *plan, PqLakeWriter **out, PqErr *e)
{
    PqLakeReading r = {.mem = plan->mem, .places = &plan->places};
    PqWhere outer = e->where;
    PqDeltaWrite *w;
    PqRc rc;

    *out = NULL;
    PQ_TRY(PQ_NEW(plan->mem, w, 1, e));
    *w = (PqDeltaWrite){.base = {.log = {w, begin, enter, -1}, .version = "version",
                                 .place = "log", .free = free_write}, .plan = *plan};
    w->s = plan->how == PQ_LAKE_CREATE ? NULL : plan->listing->snapshot;
    pq_arena_init(&w->arena, plan->mem);
    r.table = pq_arena_text(&w->arena, plan->table,
                            pq_folder_length(plan->table, strlen(plan->table)), e);
    pq_delta_log_begin(&w->d, &r, e);
    PQ_GO(e->rc);
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

void pq_delta_write_columns(PqLakeWriter *base, const PqDeltaColumn *v, uint32_t n)
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
