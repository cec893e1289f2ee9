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
#include "core/lake/log_put.h"
#include "core/remote/url.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

enum { DIGITS = 20, USUAL_LEAVES = 32, MOST_TRIES = 500, LOG_BYTES = 1 << 30 };

struct PqDeltaWrite {
    PqDeltaWritePlan plan;
    PqPublishLog  log;
    PqArena       arena;
    PqLakeSnapshot *s;               /* holds what the log said; NULL: a new table */
    PqDeltaLog    d;
    const PqDeltaColumn *columns;    /* of a new table                       */
    uint32_t      n_columns;
    int64_t       version;           /* that was made; -1                    */
    const char   *folder;            /* _delta_log                           */
    const char   *temp;              /* NULL: none yet                       */
    PqSink       *sink;
    bool          made_folder;
};

/* ---- what the table asks of writers -------------------------------------------------------- */

static bool is_on(const PqDeltaLog *d, const char *key)
{
    const char *text = pq_delta_setting(d, key);

    return text && pq_ascii_same(text, "true");
}

/* Features that ask nothing of this writer as long as the schema and the settings of the
** table, which are looked at too, do not use them. */
static bool is_known(const char *feature)
{
    static const char *const known[] = {
        "allowColumnDefaults", "appendOnly", "changeDataFeed", "checkConstraints",
        "checkpointProtection", "clustering", "columnMapping", "deletionVectors",
        "domainMetadata", "generatedColumns", "identityColumns", "inCommitTimestamp",
        "invariants", "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint",
        "vacuumProtocolCheck"};

    for (size_t i = 0; i < PQ_COUNT(known); i++) {
        if (strcmp(known[i], feature) == 0) {
            return true;
        }
    }
    return false;
}

static PQ_COLD PqRc cannot(const char *what, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "the table has %.100s, which this writer does not "
                   "know, so nothing is written into it", what);
}

/* The members of fields, at any depth.  Names of fields are values. */
static PqRc check_schema(PqDeltaWrite *w, PqErr *e)
{
    static const struct { const char *key, *what; } asks[] = {
        {"delta.invariants", "invariants"},
        {"delta.generationExpression", "generated columns (generatedColumns)"},
        {"delta.identity.start", "identity columns (identityColumns)"},
        {"delta.identity.step", "identity columns (identityColumns)"},
        {"CURRENT_DEFAULT", "defaults of columns (allowColumnDefaults)"}};
    PqJsonRead r;
    PqJsonToken t;

    pq_json_read_begin(&r, pq_slice_text(w->d.schema), &w->d.scratch);
    do {
        PQ_TRY(pq_json_read_next(&r, &t, e));
        for (size_t i = 0; t.kind == PQ_JSON_KEY && i < PQ_COUNT(asks); i++) {
            if (pq_slice_is(t.text, asks[i].key)) {
                return cannot(asks[i].what, e);
            }
        }
    } while (r.depth);
    return PQ_OK;
}

static PqRc check_settings(const PqDeltaWrite *w, PqErr *e)
{
    static const char constraint[] = "delta.constraints.";
    const PqDeltaLog *d = &w->d;

    for (uint32_t i = 0; i < d->settings.n; i++) {
        if (strncmp(d->settings.v[i].key, constraint, strlen(constraint)) == 0) {
            return cannot("CHECK constraints (checkConstraints)", e);
        }
    }
    if (is_on(d, "delta.enableInCommitTimestamps")) {
        return cannot("timestamps in commits (inCommitTimestamp)", e);
    }
    if (is_on(d, "delta.enableRowTracking")) {
        return cannot("tracked rows (rowTracking)", e);
    }
    return w->plan.how == PQ_DELTA_OVERWRITE && is_on(d, "delta.appendOnly")
               ? pq_fail(e, PQ_USAGE, "rows may only be added to the table "
                         "(delta.appendOnly)")
               : PQ_OK;
}

static PqRc check(PqDeltaWrite *w, PqErr *e)
{
    enum { LEAST = 1, FEATURES = 7 };
    const PqDeltaLog *d = &w->d;
    PqDeltaMapping mapping;

    PQ_TRY(pq_delta_check(d, &mapping, e));
    if (mapping != PQ_DELTA_BY_NAME) {
        return cannot("names of columns in files (columnMapping)", e);
    }
    if (d->writer < LEAST || d->writer > FEATURES) {
        return pq_fail(e, PQ_UNSUPPORTED, "the table asks for version %lld of writers; this one "
                       "knows 1 to 7", (long long)d->writer);
    }
    for (uint32_t i = 0; d->writer == FEATURES && i < d->n_writer_features; i++) {
        if (!is_known(d->writer_features[i])) {
            return cannot(pq_arena_printf(&w->arena, e, "the feature %s",
                                          d->writer_features[i]), e);
        }
    }
    PQ_TRY(check_settings(w, e));
    return check_schema(w, e);
}

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
    PqDeltaHow how = w->plan.how;
    PqPublished f;
    uint64_t bytes = 0;
    uint32_t n = 0;
    PqBuf by;

    for (; pq_publish_made(p, n, &f); n++) {
        bytes += f.size;
    }
    pq_buf_printf(out, "{\"commitInfo\":{\"timestamp\":%lld,\"operation\":\"%s\","
                  "\"operationParameters\":{\"mode\":\"%s\",\"partitionBy\":",
                  (long long)pq_log_now(),
                  how == PQ_DELTA_CREATE ? "CREATE TABLE AS SELECT" : "WRITE", modes[how]);
    pq_buf_init(&by, w->plan.mem, e);
    add_partition(w, &by);
    add_quoted(out, &by, e);
    pq_buf_free(&by);
    pq_buf_byte(out, '}');
    if (w->s) {
        pq_buf_printf(out, ",\"readVersion\":%lld", (long long)w->s->version);
    }
    pq_buf_printf(out, ",\"isolationLevel\":\"Serializable\",\"isBlindAppend\":%s,"
                  "\"operationMetrics\":{\"numFiles\":\"%u\",\"numOutputBytes\":\"%llu\"},"
                  "\"engineInfo\":", how == PQ_DELTA_APPEND ? "true" : "false", n,
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

/* The values of a file are in the names of its folders, in the order of the columns. */
static PqRc add_values(PqDeltaWrite *w, const char *below, PqBuf *out, PqErr *e)
{
    static const char null[] = "__HIVE_DEFAULT_PARTITION__";
    const char *slash;

    for (const char *at = below; (slash = strchr(at, '/')) != NULL; at = slash + 1) {
        const char *is = memchr(at, '=', (size_t)(slash - at)), *name, *value;

        if (!is) {
            return pq_fail(e, PQ_IO, "%.300s is not in a folder of a partition", below);
        }
        name = pq_url_decode(&w->arena, pq_slice(at, (size_t)(is - at)), e);
        value = pq_url_decode(&w->arena, pq_slice(is + 1, (size_t)(slash - is - 1)), e);
        PQ_TRY(name && value ? PQ_OK : e->rc);
        pq_buf_text(out, at == below ? "" : ",");
        add_string(out, name);
        pq_buf_byte(out, ':');
        add_string(out, pq_slice_is(pq_slice(is + 1, (size_t)(slash - is - 1)), null) ? NULL
                                                                                      : value);
    }
    return PQ_OK;
}

static PqRc add_stats(PqDeltaWrite *w, const char *path, PqBuf *out, PqErr *e)
{
    const char *said = w->s ? pq_delta_setting(&w->d, "delta.dataSkippingNumIndexedCols")
                            : NULL;
    const PqKeyChoice keys = {0};
    int64_t most = USUAL_LEAVES;
    PqFooter *footer = NULL;
    PqInput in = {0};
    PqBuf text;

    if (said && pq_number_parse_i64(pq_slice_text(said), &most) != PQ_PARSE_OK) {
        most = USUAL_LEAVES;
    }
    most = most < 0 || most > INT32_MAX ? INT32_MAX : most;
    pq_buf_init(&text, w->plan.mem, e);
    if (pq_source_open(w->plan.mem, path, &in.source, e) == PQ_OK &&
        pq_footer_read(&in, &keys, w->plan.mem, &footer, e) == PQ_OK &&
        pq_delta_stats_text(footer, (uint32_t)most, &w->arena, &text, e) == PQ_OK) {
        add_quoted(out, &text, e);
    }
    pq_buf_free(&text);
    pq_footer_release(footer);
    pq_source_close(in.source);
    return e->rc;
}

static PqRc add_file(PqDeltaWrite *w, const PqPublished *f, PqBuf *out, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, f->path);
    const char *path = pq_url_encode(&w->arena, pq_slice_text(f->below), true, e);

    PQ_TRY(path ? PQ_OK : e->rc);
    pq_buf_text(out, "{\"add\":{\"path\":");
    add_string(out, path);
    pq_buf_text(out, ",\"partitionValues\":{");
    PQ_TRY(add_values(w, f->below, out, e));
    pq_buf_printf(out, "},\"size\":%llu,\"modificationTime\":%lld,\"dataChange\":true,"
                  "\"stats\":", (unsigned long long)f->size, (long long)f->modified);
    PQ_TRY(add_stats(w, f->path, out, e));
    pq_buf_text(out, "}}\n");
    pq_arena_reset(&w->d.scratch);
    e->where = outer;
    return e->rc;
}

static void add_remove(const PqDeltaFile *f, int64_t at, PqBuf *out)
{
    const PqDeletionVector *v = f->deletes;

    pq_buf_text(out, "{\"remove\":{\"path\":");
    add_string(out, f->logged);
    pq_buf_printf(out, ",\"deletionTimestamp\":%lld,\"dataChange\":true", (long long)at);
    if (v) {
        pq_buf_text(out, ",\"deletionVector\":{\"storageType\":");
        pq_json_text_string(v->storage_type, out);
        pq_buf_text(out, ",\"pathOrInlineDv\":");
        pq_json_text_string(v->path_or_inline, out);
        if (!pq_slice_is(v->storage_type, "i")) {
            pq_buf_printf(out, ",\"offset\":%lld", (long long)v->offset);
        }
        pq_buf_printf(out, ",\"sizeInBytes\":%lld,\"cardinality\":%lld}", (long long)v->size,
                      (long long)v->n_rows);
    }
    pq_buf_text(out, "}}\n");
}

static PqRc add_actions(PqDeltaWrite *w, const PqPublish *p, PqBuf *out, PqErr *e)
{
    int64_t at = pq_log_now();
    PqPublished f;

    PQ_TRY(add_info(w, p, out, e));
    PQ_TRY(w->s ? PQ_OK : add_table(w, out, e));
    for (uint32_t i = 0; w->plan.how == PQ_DELTA_OVERWRITE && i < w->d.n; i++) {
        if (w->d.files[i].is_there) {
            add_remove(&w->d.files[i], at, out);
        }
    }
    for (uint32_t i = 0; pq_publish_made(p, i, &f); i++) {
        PQ_TRY(pq_stop_poll(w->plan.stop, e));
        PQ_TRY(add_file(w, &f, out, e));
    }
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}

/* ---- somebody else's commit ---------------------------------------------------------------- */

static PqRc see_action(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value, PqErr *e)
{
    (void)arg;
    (void)r;
    return value->kind == PQ_JSON_OBJECT &&
                   (pq_slice_is(key, "metaData") || pq_slice_is(key, "protocol"))
               ? pq_fail(e, PQ_USAGE, "another writer has changed the table itself meanwhile: "
                         "run the copy again")
               : PQ_OK;
}

/* Fails if rows may not be added after that commit. */
static PqRc see_commit(PqDeltaWrite *w, const char *path, PqErr *e)
{
    PqSource *source = NULL;
    PqSlice rest;
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, w->plan.mem, NULL);
    PQ_GO(pq_source_open(w->plan.mem, path, &source, e));
    PQ_GO(pq_source_size(source) <= LOG_BYTES ? PQ_OK
                                              : pq_fail(e, PQ_BUDGET, "too large a commit"));
    PQ_GO(pq_buf_resize(&text, (size_t)pq_source_size(source), e));
    PQ_GO(pq_source_read(source, 0, text.n, text.p, e));
    for (rest = pq_buf_view(&text); rest.n;) {
        const uint8_t *end = memchr(rest.p, '\n', rest.n);
        size_t n = end ? (size_t)(end - rest.p) : rest.n;

        pq_arena_reset(&w->d.scratch);
        PQ_GO(n ? pq_json_object(pq_slice(rest.p, n), &w->d.scratch, see_action, NULL, e)
                : PQ_OK);
        n += end != NULL;
        rest = pq_slice(rest.p + n, rest.n - n);
    }
    rc = PQ_OK;
done:
    pq_source_close(source);
    pq_buf_free(&text);
    return rc;
}

static PqRc conflict(PqDeltaWrite *w, const char *path, int64_t version, PqErr *e)
{
    if (w->plan.how == PQ_DELTA_CREATE) {
        return pq_fail(e, PQ_USAGE, "another writer has made the table meanwhile");
    }
    if (w->plan.how == PQ_DELTA_OVERWRITE) {
        return pq_fail(e, PQ_USAGE, "another writer has made version %lld meanwhile, and would "
                       "lose it: run the copy again", (long long)version);
    }
    PQ_TRY(see_commit(w, path, e));
    return pq_stop_poll(w->plan.stop, e);
}

/* ---- the commit ---------------------------------------------------------------------------- */

static PqRc take_version(PqDeltaWrite *w, PqErr *e)
{
    int64_t version = w->s ? w->s->version + 1 : 0;

    for (int i = 0; i < MOST_TRIES; i++, version++) {
        const char *name = pq_arena_printf(&w->arena, e, "%s/%0*lld.json", w->folder, DIGITS,
                                           (long long)version);
        int err;

        PQ_TRY(name ? PQ_OK : e->rc);
        err = pq_log_put(w->temp, name);
        if (err == 0) {
            w->version = version;
            return PQ_OK;
        }
        if (err != EEXIST) {
            return pq_sink_refused(name, "cannot be made, so nothing was written", err, e);
        }
        PQ_TRY(conflict(w, name, version, e));
    }
    return pq_fail(e, PQ_IO, "other writers have taken %d versions in a row: run the copy again",
                   (int)MOST_TRIES);
}

/* The temporary file comes first, so that a new table whose writer is killed has a log from
** its first file on, and is not taken for a pile of files. */
static PqRc begin(void *arg, PqErr *e)
{
    PqDeltaWrite *w = arg;
    uint64_t id;

    if (w->plan.how == PQ_DELTA_CREATE && !pq_fault_io()) {
        w->made_folder = mkdir(w->folder, 0777) == 0;
    }
    PQ_TRY(pq_random_fill(&id, sizeof id, e));
    w->temp = pq_arena_printf(&w->arena, e, "%s/.commit.%016llx.tmp", w->folder,
                              (unsigned long long)id);
    PQ_TRY(w->temp ? PQ_OK : e->rc);
    PQ_TRY(pq_sink_create(w->plan.mem, w->temp, w->folder, &w->sink, e));
    PQ_TRY(w->made_folder ? pq_publish_sync_folder(w->folder, e) : PQ_OK);
    return w->made_folder ? pq_publish_sync_folder(w->plan.table, e) : PQ_OK;
}

static PqRc enter(void *arg, const PqPublish *p, bool *entered, PqErr *e)
{
    PqDeltaWrite *w = arg;
    PqBuf text;

    pq_buf_init(&text, w->plan.mem, e);
    if (add_actions(w, p, &text, e) == PQ_OK) {
        pq_sink_write(w->sink, text.p, text.n, e);
    }
    pq_buf_free(&text);
    PQ_TRY(e->rc);
    PQ_TRY(pq_sink_sync(w->sink, e));
    PQ_TRY(take_version(w, e));
    *entered = true;
    if (pq_publish_sync_folder(w->folder, e) != PQ_OK) {
        pq_err_hint(e, "version %lld is in the log and has all rows, but a crash of the machine "
                    "may take it back", (long long)w->version);
    }
    return e->rc;
}

/* ---- its life ------------------------------------------------------------------------------ */

static PqRc read_log(PqDeltaWrite *w, PqErr *e)
{
    const PqDeltaWritePlan *plan = &w->plan;
    PqLakeReading r = {.table = plan->table, .places = &plan->listing->places,
                       .engine = plan->engine, .as_of = INT64_MAX,
                       .version = plan->listing->snapshot->version, .mem = plan->mem,
                       .stop = plan->stop};
    PqWhere outer = pq_where_enter(e, plan->table);
    PqRc rc;

    PQ_GO(pq_lake_snapshot_new(plan->mem, &w->s, e));
    r.s = w->s;
    PQ_GO(pq_delta_log_begin(&w->d, &r, e));
    w->d.keeps_logged = plan->how == PQ_DELTA_OVERWRITE;
    PQ_GO(pq_delta_replay(&w->d, &r, NULL, e));
    pq_where_enter(e, plan->table);
    PQ_GO(check(w, e));
done:
    e->where = outer;
    return rc;
}

PqRc pq_delta_write_new(const PqDeltaWritePlan *plan, PqDeltaWrite **out, PqErr *e)
{
    PqDeltaWrite *w;

    *out = NULL;
    PQ_TRY(PQ_NEW(plan->mem, w, 1, e));
    *w = (PqDeltaWrite){.plan = *plan, .version = -1, .log = {w, begin, enter}};
    pq_arena_init(&w->arena, plan->mem);
    pq_arena_init(&w->d.scratch, plan->mem);
    w->folder = pq_arena_printf(&w->arena, e, "%s/_delta_log", plan->table);
    if (!w->folder || (plan->how != PQ_DELTA_CREATE && read_log(w, e) != PQ_OK)) {
        pq_delta_write_free(w);
        return e->rc;
    }
    *out = w;
    return PQ_OK;
}

void pq_delta_write_free(PqDeltaWrite *w)
{
    if (!w) {
        return;
    }
    pq_sink_close(w->sink);
    if (w->temp) {
        unlink(w->temp);
    }
    if (w->made_folder && w->version < 0) {
        rmdir(w->folder);
    }
    if (w->s) {
        pq_delta_log_end(&w->d);
    } else {
        pq_arena_free(&w->d.scratch);
    }
    pq_lake_snapshot_release(w->s);
    pq_arena_free(&w->arena);
    pq_mem_free(w);
}

void pq_delta_write_columns(PqDeltaWrite *w, const PqDeltaColumn *v, uint32_t n)
{
    w->columns = v;
    w->n_columns = n;
}

const PqPublishLog *pq_delta_write_log(const PqDeltaWrite *w)
{
    return w ? &w->log : NULL;
}

int64_t pq_delta_write_version(const PqDeltaWrite *w)
{
    return w ? w->version : -1;
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
