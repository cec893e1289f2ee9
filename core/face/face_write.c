/*
** face_write.c - schemas, and writers of files.
**
** A row's values are the cells of an engine's copy, which does the rest.
*/
#include "core/face/face.h"

#include "core/meta/schema_make.h"
#include "core/meta/writer.h"
#include "core/write/copy.h"

/* ---- a schema ---- */

struct ParquetSchema {
    FaceHead      h;
    PqSchemaMake *make;
    bool          unknown;           /* a type that does not exist             */
    bool          ended;
    PqSchemaElementList elements;
};

ParquetCode parquet_schema_new(Parquet *p, ParquetSchema **out)
{
    ParquetSchema *s = pq_face_new(p, sizeof *s);

    if (s && pq_schema_make_new(s->h.mem, &s->make, &s->h.e) != PQ_OK) {
        pq_face_end(&s->h);
        parquet_schema_free(s);
        s = NULL;
    }
    *out = s;
    return s ? PARQUET_OK : p->error.code;
}

void parquet_schema_free(ParquetSchema *s)
{
    if (s) {
        pq_schema_make_free(s->make);
        pq_face_free(&s->h);
    }
}

void parquet_schema_leaf(ParquetSchema *s, const char *name, ParquetType type,
                         bool required)
{
    PqType stored;

    s->unknown = s->unknown || (unsigned)type.storage > PARQUET_FIXED ||
                 (unsigned)type.meaning > PARQUET_GEOGRAPHY ||
                 (unsigned)type.unit > PARQUET_NANOS;
    if (!s->unknown) {
        stored = pq_face_stored(&type);
        pq_schema_make_leaf(s->make, name, &stored, required, -1);
    }
}

void parquet_schema_begin(ParquetSchema *s, ParquetKind kind, const char *name,
                          bool required)
{
    static const PqType bytes = {.physical = PQ_BYTE_ARRAY};
    static const PqNodeKind kinds[] = {
        [PARQUET_STRUCT] = PQ_NODE_STRUCT, [PARQUET_LIST] = PQ_NODE_LIST,
        [PARQUET_MAP] = PQ_NODE_MAP, [PARQUET_VARIANT] = PQ_NODE_VARIANT};

    if ((unsigned)kind >= PQ_COUNT(kinds) || kind == PARQUET_LEAF) {
        s->unknown = true;
        return;
    }
    pq_schema_make_group(s->make, kinds[kind], name, required, -1);
    if (kind == PARQUET_VARIANT) {
        pq_schema_make_leaf(s->make, "metadata", &bytes, true, -1);
        pq_schema_make_leaf(s->make, "value", &bytes, true, -1);
    }
}

void parquet_schema_end(ParquetSchema *s)
{
    pq_schema_make_close(s->make);
}

static PqRc finish(ParquetSchema *s, PqErr *e)
{
    if (s->unknown) {
        return pq_fail(e, PQ_USAGE, "the schema has a type or a kind that there is not");
    }
    if (!s->ended) {
        PQ_TRY(pq_schema_make_end(s->make, &s->h.arena, &s->elements, e));
        s->ended = true;
    }
    return PQ_OK;
}

/* ---- a writer ---- */

struct ParquetWriter {
    FaceHead  h;
    PqCopy   *copy;
    const char *named;               /* the path, by pq_places_name; or NULL   */
    PqSchema  schema;                /* for the names of columns               */
    PqCells  *row;                   /* of the open row, or NULL               */
    uint32_t  n_columns, at;         /* columns that have a value              */
    PqSlice  *partition;
    uint32_t  n_partition;
    bool      published;
    PqPublishHost host;
};

void parquet_write_options(ParquetWriteOptions *out)
{
    *out = (ParquetWriteOptions){
        .codec = PARQUET_ZSTD, .row_group_rows = PQ_COPY_GROUP_ROWS,
        .row_group_bytes = PQ_COPY_GROUP_BYTES, .overwrite = PARQUET_REPLACE_PARQUET,
    };
}

static PqRc check(const char *path, const ParquetWriteOptions *o, PqErr *e)
{
    const unsigned codecs = 1u << PARQUET_UNCOMPRESSED | 1u << PARQUET_SNAPPY |
                            1u << PARQUET_GZIP | 1u << PARQUET_BROTLI |
                            1u << PARQUET_ZSTD | 1u << PARQUET_LZ4_RAW;

    if (!path[0]) {
        return pq_fail(e, PQ_USAGE, "the path is empty");
    }
    if ((unsigned)o->codec > PARQUET_LZ4_RAW || !(1u << o->codec & codecs) ||
        o->level < 0 || o->level > pq_codec_levels((int)o->codec)) {
        return pq_fail(e, PQ_USAGE, "there is no codec %d with a level %d", (int)o->codec,
                       o->level);
    }
    return o->row_group_rows == 0 || o->row_group_bytes == 0 ||
                   (unsigned)o->overwrite > PARQUET_REPLACE_PARQUET
               ? pq_fail(e, PQ_USAGE, "parquet_write_options() fills the options first")
               : PQ_OK;
}

static PqRc plan_columns(ParquetWriter *w, const ParquetWriteOptions *o, PqCopyPlan *plan)
{
    PqCopyColumn *v;

    PQ_TRY(pq_schema_build(plan->schema, &w->h.arena, &w->schema, &w->h.e));
    w->n_columns = plan->n_columns = w->schema.root->n_children;
    plan->columns = v = pq_arena_zeros(&w->h.arena, w->n_columns + 1u, sizeof *v, &w->h.e);
    for (uint32_t i = 0; v && i < w->n_columns; i++) {
        v[i].options = pq_chunk_options_usual();
        v[i].options.codec = (int)o->codec;
        v[i].options.level = o->level;
    }
    w->partition = pq_arena_zeros(&w->h.arena, w->n_partition + 1u, sizeof *w->partition,
                                  &w->h.e);
    return w->h.e.rc;
}

static PqRc plan_encryption(ParquetWriter *w, const ParquetWriteOptions *o,
                            const PqEncryption **out)
{
    PqEncryption *how = pq_arena_zeros(&w->h.arena, 1, sizeof *how, &w->h.e);
    PqColumnKeyName *v = pq_arena_zeros(&w->h.arena, o->n_column_keys + 1, sizeof *v,
                                        &w->h.e);

    if (!how || !v || !o->footer_key) {
        return o->n_column_keys && !o->footer_key
                   ? pq_fail(&w->h.e, PQ_USAGE, "column_keys without a footer_key")
                   : w->h.e.rc;
    }
    for (size_t i = 0; i < o->n_column_keys; i++) {
        v[i] = (PqColumnKeyName){o->column_keys[i].column, o->column_keys[i].key};
    }
    how->keys = (PqKeyChoice){.ring = w->h.p->engine->keys, .footer_key = o->footer_key,
                              .columns = v, .n_columns = (uint32_t)o->n_column_keys};
    how->plaintext_footer = o->plaintext_footer;
    *out = how;
    return PQ_OK;
}

static PqRc plan_key_values(ParquetWriter *w, const ParquetWriteOptions *o,
                            PqCopyPlan *plan)
{
    PqKeyValue *v = pq_arena_zeros(&w->h.arena, o->n_key_values + 1, sizeof *v, &w->h.e);

    for (size_t i = 0; v && i < o->n_key_values; i++) {
        v[i] = (PqKeyValue){.has = 1u << PQ_KEY_VALUE_KEY | 1u << PQ_KEY_VALUE_VALUE,
                            .key = pq_slice_text(o->key_values[2 * i]),
                            .value = pq_slice_text(o->key_values[2 * i + 1])};
    }
    plan->key_values = v;
    plan->n_key_values = (uint32_t)o->n_key_values;
    return w->h.e.rc;
}

static PqRc plan_publish(ParquetWriter *w, const ParquetWriteOptions *o, PqCopyPlan *plan)
{
    bool usual = o->overwrite == PARQUET_REPLACE_PARQUET;
    PqPublishPlan how = {
        .target = plan->path, .is_folder = plan->is_folder,
        .overwrite = plan->is_folder && usual ? PQ_OVERWRITE_ERROR
                                              : (PqOverwrite)o->overwrite,
        .folder_columns = plan->partition_names, .n_folder_columns = plan->n_partition,
        .is_clear = !o->footer_key, .host = &w->host, .stop = plan->stop,
        .remote = w->h.p->engine->remote,
    };

    w->host = (PqPublishHost){.writer = PQ_WRITER_HERE, .keys = w->h.p->engine->keys};
    return pq_publish_open(w->h.mem, &how, &plan->publish, &w->h.e);
}

static PqRc open_writer(ParquetWriter *w, const char *path, ParquetSchema *schema,
                        const ParquetWriteOptions *o)
{
    PqPlaces places = pq_engine_places(w->h.p->engine, true, &pq_usual_patience);
    PqCopyPlan plan = {
        .path = pq_arena_text(&w->h.arena, path, strlen(path), &w->h.e),
        .is_folder = o->is_folder || o->n_partition_by > 0,
        .adds = o->overwrite == PARQUET_APPEND,
        .partition_names = o->partition_by, .n_partition = (uint32_t)o->n_partition_by,
        .row_group_rows = o->row_group_rows, .row_group_bytes = o->row_group_bytes,
        .file_rows = o->file_rows, .file_bytes = o->file_bytes,
        .created_by = PQ_WRITER_HERE " version " PARQUET_VERSION,
        .stop = &w->h.p->stop, .threads = w->h.p->threads, .mem = w->h.mem,
    };

    w->n_partition = plan.n_partition;
    PQ_TRY(plan.path ? pq_places_name(&places, &w->h.arena, plan.path, &plan.path,
                                      &w->h.e) : w->h.e.rc);
    w->named = plan.path;
    PQ_TRY(check(path, o, &w->h.e));
    PQ_TRY(finish(schema, &w->h.e));
    plan.schema = &schema->elements;
    PQ_TRY(plan_columns(w, o, &plan));
    PQ_TRY(plan_encryption(w, o, &plan.encryption));
    PQ_TRY(plan_key_values(w, o, &plan));
    PQ_TRY(plan_publish(w, o, &plan));
    return pq_copy_open(&plan, &w->copy, &w->h.e);
}

ParquetCode parquet_writer_open(Parquet *p, const char *path, ParquetSchema *schema,
                                const ParquetWriteOptions *options, ParquetWriter **out)
{
    ParquetWriter *w = pq_face_new(p, sizeof *w);
    ParquetWriteOptions usual;

    parquet_write_options(&usual);
    if (w && open_writer(w, path, schema, options ? options : &usual) != PQ_OK) {
        pq_face_end(&w->h);
        parquet_writer_close(w);
        w = NULL;
    }
    *out = w;
    return w ? PARQUET_OK : p->error.code;
}

void parquet_writer_close(ParquetWriter *w)
{
    if (w) {
        pq_copy_free(w->copy);
        if (w->named && pq_url_is(w->named)) {
            pq_remote_hold(w->h.p->engine->remote, w->named, false);
        }
        pq_face_free(&w->h);
    }
}

/* The engine's error says what is wrong with a value.  This adds the name of
** its column. */
static ParquetCode end(ParquetWriter *w)
{
    PqErr *e = &w->h.e, why;
    PqCopyMisfit misfit;

    if (e->rc == PQ_USAGE && !e->column[0] && pq_copy_misfit(w->copy, &misfit)) {
        why = *e;
        pq_err_init(e);
        e->where.column = w->schema.root->child[misfit.column]->path;
        pq_fail(e, PQ_USAGE, "row %llu: %s", (unsigned long long)misfit.row, why.text);
    }
    return pq_face_end(&w->h);
}

/* Fails unless a row is open (or is not, if row is false).  After a failure
** every call fails. */
static PqRc expect(ParquetWriter *w, bool row)
{
    return w->published ? pq_fail(&w->h.e, PQ_USAGE, "the files are published already")
           : !w->row == !row ? w->h.e.rc
           : row ? pq_fail(&w->h.e, PQ_USAGE, "no row was begun")
                 : pq_fail(&w->h.e, PQ_USAGE, "a row was begun, and is not ended");
}

ParquetCode parquet_row_begin(ParquetWriter *w, const char *const *partition)
{
    if (expect(w, false) == PQ_OK && !partition != !w->n_partition) {
        pq_fail(&w->h.e, PQ_USAGE, "a row has a text for each column of partition_by");
    }
    for (uint32_t i = 0; w->h.e.rc == PQ_OK && i < w->n_partition; i++) {
        w->partition[i] = pq_slice_text(partition[i]);
    }
    if (w->h.e.rc == PQ_OK &&
        pq_copy_row(w->copy, w->partition, &w->row, &w->h.e) != PQ_OK) {
        w->row = NULL;
    }
    w->at = 0;
    return end(w);
}

ParquetCode parquet_put(ParquetWriter *w, ParquetValue v)
{
    PqCell cell;

    if (expect(w, true) == PQ_OK && w->at == w->n_columns) {
        pq_fail(&w->h.e, PQ_USAGE, "the row has a value for each column already");
    }
    if (w->h.e.rc == PQ_OK && pq_face_cell(&v, &cell, &w->h.e) == PQ_OK) {
        pq_cells_expect(&w->row[w->at]);
        pq_cells_add(&w->row[w->at++], &cell, &w->h.e);
    }
    return end(w);
}

ParquetCode parquet_row_end(ParquetWriter *w)
{
    while (expect(w, true) == PQ_OK && w->at < w->n_columns) {
        parquet_put(w, parquet_null());
    }
    if (w->h.e.rc == PQ_OK) {
        w->row = NULL;
        pq_copy_row_end(w->copy, &w->h.e);
    }
    return end(w);
}

ParquetCode parquet_publish(ParquetWriter *w)
{
    if (expect(w, false) == PQ_OK) {
        w->published = pq_copy_finish(w->copy, &w->h.e) == PQ_OK;
    }
    return end(w);
}

ParquetWritten parquet_written(const ParquetWriter *w)
{
    PqCopyProgress did = pq_copy_progress(w->copy);

    return (ParquetWritten){did.rows, did.bytes, did.files, did.row_groups};
}
