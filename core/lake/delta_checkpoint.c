/*
** delta_checkpoint.c - a log up to a version becomes one Parquet file.
**
**   add STRUCT, remove STRUCT, txn STRUCT, metaData STRUCT, protocol STRUCT, domainMetadata
**
** Each row has one of them, as the log says it: the file is written from the JSON of the actions.
** Members that the specification does not know are left out.  A checkpoint only saves readers
** time.  So if one cannot be written, the copy succeeds all the same, and the log stays as it was.
*/
#include "core/lake/delta_log.h"

#include "core/lake/json_members.h"
#include "core/lake/log_put.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"
#include "core/write/copy.h"

enum { KEPT_MS = 7 * 24 * 60 * 60 * 1000 };

#define F(name, type)   "{\"name\":\"" name "\",\"type\":" type "}"
#define F_TEXT(name)    F(name, "\"string\"")
#define F_LONG(name)    F(name, "\"long\"")
#define F_INT(name)     F(name, "\"integer\"")
#define F_BOOL(name)    F(name, "\"boolean\"")
#define F_TEXTS(name)   F(name, "{\"type\":\"array\",\"elementType\":\"string\"}")
#define F_MAP(name) \
    F(name, "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":\"string\"}")
#define F_OF(name, all) F(name, "{\"type\":\"struct\",\"fields\":[" all "]}")
#define F_DELETES \
    F_OF("deletionVector", F_TEXT("storageType") "," F_TEXT("pathOrInlineDv") "," \
         F_INT("offset") "," F_INT("sizeInBytes") "," F_LONG("cardinality"))
#define F_ROWS F_LONG("baseRowId") "," F_LONG("defaultRowCommitVersion")

/* As a Delta table has it. */
static const char schema[] = "{\"fields\":["
    F_OF("txn", F_TEXT("appId") "," F_LONG("version") "," F_LONG("lastUpdated")) ","
    F_OF("add", F_TEXT("path") "," F_MAP("partitionValues") "," F_LONG("size") ","
         F_LONG("modificationTime") "," F_BOOL("dataChange") "," F_MAP("tags") "," F_DELETES ","
         F_ROWS "," F_TEXT("clusteringProvider") "," F_TEXT("stats")) ","
    F_OF("remove", F_TEXT("path") "," F_LONG("deletionTimestamp") "," F_BOOL("dataChange") ","
         F_BOOL("extendedFileMetadata") "," F_MAP("partitionValues") "," F_LONG("size") ","
         F_DELETES "," F_ROWS) ","
    F_OF("metaData", F_TEXT("id") "," F_TEXT("name") "," F_TEXT("description") ","
         F_OF("format", F_TEXT("provider") "," F_MAP("options")) "," F_TEXT("schemaString") ","
         F_TEXTS("partitionColumns") "," F_MAP("configuration") "," F_LONG("createdTime")) ","
    F_OF("protocol", F_INT("minReaderVersion") "," F_INT("minWriterVersion") ","
         F_TEXTS("readerFeatures") "," F_TEXTS("writerFeatures")) ","
    F_OF("domainMetadata", F_TEXT("domain") "," F_TEXT("configuration") "," F_BOOL("removed"))
    "]}";

typedef struct Writing {
    const PqLakeReading *r;
    const char    *writer;
    PqDeltaLog     log;
    PqFooter      *footer;           /* of the schema                        */
    const PqNode  *node;             /* the column of the row                */
    PqCopy        *copy;
    PqBuf          row;              /* its JSON                             */
    uint64_t       n_rows, n_adds;
} Writing;

/* ---- rows -------------------------------------------------------------------------------- */

static PqRc add_member(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value, PqErr *e)
{
    Writing *w = arg;
    PqSlice text;

    if (!pq_node_field(w->node, key, 0)) {
        return PQ_OK;
    }
    PQ_TRY(pq_json_read_skip(r, value, &text, e));
    pq_json_text_print(&w->row, w->row.n ? ",%t:%j" : "{%t:%j", key, text);
    return PQ_OK;
}

static PqRc add_row(Writing *w, const char *column, PqSlice said, PqErr *e)
{
    const PqNode *root = w->footer->schema.root;
    PqCells *cells;

    w->row.n = 0;
    w->node = pq_node_field(root, pq_slice_text(column), 0);
    pq_arena_reset(&w->log.scratch);
    PQ_TRY(pq_json_object(said, &w->log.scratch, add_member, w, e));
    pq_buf_text(&w->row, w->row.n ? "}" : "{}");
    PQ_TRY(pq_buf_ok(&w->row) ? PQ_OK : e->rc);
    PQ_TRY(pq_copy_row(w->copy, NULL, &cells, e));
    for (uint32_t i = 0; i < root->n_children; i++) {
        PQ_TRY(pq_cells_reserve(&cells[i], e));
        if (root->child[i] == w->node) {
            PQ_TRY(pq_cells_bytes(&cells[i], PQ_CELL_TEXT, w->row.p, w->row.n, e));
        } else {
            pq_cells_null(&cells[i]);
        }
    }
    w->n_rows++;
    return pq_copy_row_end(w->copy, e);
}

/* Who removed a file says so for a while; where the table says for how long, for ever. */
static PqRc is_kept(Writing *w, const PqDeltaFile *f, bool *out, PqErr *e)
{
    int64_t at = 0, oldest = pq_log_now() - KEPT_MS;
    PqSlice removed = {0};
    const PqJsonMember members[] = {{"deletionTimestamp", NULL, &at}, {"removed", &removed, NULL}};

    pq_arena_reset(&w->log.scratch);
    PQ_TRY(pq_json_pick_of(f->said, &w->log.scratch, members, PQ_COUNT(members), e));
    *out = strcmp(f->column, "remove") == 0
               ? at >= oldest || pq_delta_setting(&w->log, "delta.deletedFileRetentionDuration")
               : !pq_slice_is(removed, "true");
    return PQ_OK;
}

static PqRc add_rows(Writing *w, PqErr *e)
{
    PQ_TRY(add_row(w, "protocol", pq_slice_text(w->log.protocol), e));
    PQ_TRY(add_row(w, "metaData", pq_slice_text(w->log.metadata), e));
    for (uint32_t i = 0; i < w->log.n; i++) {
        const PqDeltaFile *f = &w->log.files[i];
        bool kept = f->is_there;

        PQ_TRY(kept ? PQ_OK : is_kept(w, f, &kept, e));
        PQ_TRY(kept ? add_row(w, f->column, f->said, e) : PQ_OK);
        w->n_adds += f->is_there;
    }
    return pq_copy_finish(w->copy, e);
}

/* All of the file. */
static PqRc make(Writing *w, PqBuf *out, PqErr *e)
{
    PqCopyColumn columns[8];
    PqCopyPlan plan = {
        .path = w->r->table, .columns = columns, .row_group_rows = PQ_COPY_GROUP_ROWS,
        .row_group_bytes = PQ_COPY_GROUP_BYTES, .sorting = PQ_SORTING_NONE, .threads = 0,
        .created_by = w->writer, .stop = w->r->stop, .mem = w->r->mem};
    PqLakeNames names;
    PqRc rc;

    PQ_TRY(pq_sink_memory(w->r->mem, w->r->table, out, &plan.into, e));
    PQ_GO(pq_lake_schema(pq_slice_text(schema), PQ_LAKE_BY_NAME, false, &w->log.arena, w->r->mem,
                         &w->footer, &names, e));
    plan.schema = &w->footer->file.schema;
    plan.n_columns = w->footer->schema.root->n_children;
    for (uint32_t i = 0; i < plan.n_columns; i++) {
        columns[i] = (PqCopyColumn){.options = pq_chunk_options_usual()};
        columns[i].options.bloom = PQ_BLOOM_NEVER;
    }
    PQ_GO(pq_copy_open(&plan, &w->copy, e));
    PQ_GO(add_rows(w, e));
    rc = pq_sink_flush(plan.into, e);
done:
    pq_copy_free(w->copy);
    pq_sink_close(plan.into);
    return rc;
}

/* ---- files ------------------------------------------------------------------------------- */

bool pq_delta_checkpoint_is_due(const PqDeltaLog *d, int64_t version)
{
    const char *said = pq_delta_setting(d, "delta.checkpointInterval");
    const char *policy = pq_delta_setting(d, "delta.checkpointPolicy");
    int64_t interval = 10;

    if (said && (pq_number_parse_i64(pq_slice_text(said), &interval) != PQ_PARSE_OK ||
                 interval < 1)) {
        return false;
    }
    return version > 0 && version % interval == 0 &&
           (!policy || strcmp(policy, "classic") == 0) &&
           !pq_delta_is_set(d, "delta.checkpoint.writeStatsAsJson", "false") &&
           !pq_delta_is_set(d, "delta.checkpoint.writeStatsAsStruct", "true");
}

PqRc pq_delta_checkpoint(PqLakeReading *r, const char *writer, PqErr *e)
{
    const char *path;
    PqSlice hint;
    Writing w = {.r = r, .writer = writer};
    PqObjectMade made;
    PqBuf bytes;
    PqRc rc;

    pq_buf_init(&bytes, r->mem, NULL);
    pq_buf_init(&w.row, r->mem, e);
    PQ_GO(pq_delta_log_begin(&w.log, r, e));
    w.log.keeps_said = true;
    PQ_GO(pq_delta_replay(&w.log, r, NULL, e));
    PQ_GO(make(&w, &bytes, e));
    path = pq_delta_log_file(&w.log, &w.log.arena, w.log.version, ".checkpoint.parquet", e);
    PQ_GO(path ? pq_log_put(r->places, &w.log.arena, path, "checkpoint", pq_buf_view(&bytes), false,
                            &made, e) : e->rc);
    if (made != PQ_OBJECT_MADE) {    /* who made it says how large it is     */
        goto done;
    }
    hint = pq_json_text_make(&w.log.arena, e, "{'version':%d,'size':%d,'sizeInBytes':%d,"
                             "'numOfAddFiles':%d}", w.log.version, (int64_t)w.n_rows,
                             (int64_t)bytes.n, (int64_t)w.n_adds);
    path = pq_arena_printf(&w.log.arena, e, "%s/_last_checkpoint", w.log.folder);
    PQ_GO(path && hint.p ? pq_log_put(r->places, &w.log.arena, path, "checkpoint", hint, true,
                                      &made, e) : e->rc);
    pq_log_remove_stale(w.log.folder);
done:
    pq_footer_release(w.footer);
    pq_buf_free(&w.row);
    pq_buf_free(&bytes);
    pq_delta_log_end(&w.log);
    return rc;
}
