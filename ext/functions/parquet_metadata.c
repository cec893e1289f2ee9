/*
** parquet_metadata.c - parquet_metadata(file): a row per column chunk.
**
** The first columns are DuckDB's, with the same texts: bounds as they were
** written, whether a reader may believe them or not.  The other columns have
** everything else that the format knows about a chunk; lists are JSON.
**
** Only the ColumnChunk is parsed, and only its shape is checked.  So a chunk
** that cannot be read can still be looked at: one in another file, or one whose
** metadata is encrypted with a key that is not at hand.  Then it is NULL here.
**
** To add a column, add a row to the table at the end.  A field that the format
** has needs no code (table_function.h).
*/
#include "ext/functions/table_function.h"

typedef struct State {
    PqArena       arena;             /* of the chunk                        */
    uint32_t      row_group, leaf;
    PqColumnChunk chunk;
    const PqLock *lock;              /* NULL: it is in the clear            */
} State;

static PqRc metadata_begin(PqextCall *call, PqErr *e)
{
    State *s = call->state;

    pq_arena_init(&s->arena, call->mem);
    return PQ_OK;
}

static void metadata_end(PqextCall *call)
{
    pq_arena_free(&((State *)call->state)->arena);
}

/* Metadata that is encrypted is opened, if its key is at hand. */
static PqRc open_metadata(const PqextCall *call, State *s, PqErr *e)
{
    const PqLock *lock = pq_leaf_lock(call->footer->locks, s->leaf);

    s->lock = lock;
    if (!PQ_HAS(&s->chunk, PQ_CHUNK_ENCRYPTED_META) || !lock || !lock->key) {
        return PQ_OK;
    }
    return pq_footer_chunk(call->footer, s->row_group, s->leaf, &s->arena,
                           &s->chunk, e);
}

static PqRc metadata_next(PqextCall *call, bool *more, PqErr *e)
{
    const PqFooter *f = call->footer;
    State *s = call->state;
    PqSlice bytes;

    *more = call->row < (uint64_t)f->n_groups * f->schema.n_leaves;
    if (!*more) {
        return PQ_OK;
    }
    s->row_group = (uint32_t)(call->row / f->schema.n_leaves);
    s->leaf = (uint32_t)(call->row % f->schema.n_leaves);
    e->where.row_group = (int)s->row_group;
    e->where.column = f->schema.leaves[s->leaf].path;
    pq_arena_reset(&s->arena);
    bytes = f->file.row_groups.v[s->row_group].columns.v[s->leaf];
    PQ_TRY(pq_format_read_chunk(&bytes, &s->arena, &s->chunk, e));
    PQ_TRY(open_metadata(call, s, e));
    e->where.row_group = -1;
    e->where.column = NULL;
    return PQ_OK;
}

/* ---- texts --------------------------------------------------------------- */

static void write_path(const PqextCall *call, const void *value, PqBuf *out)
{
    const State *s = value;

    pqext_write_path(&s->chunk, &call->footer->schema.leaves[s->leaf], out);
}

/* "RLE, PLAIN", as DuckDB has it. */
static void write_encodings(const PqextCall *call, const void *value,
                            PqBuf *out)
{
    const PqI32List *list = value;

    for (uint32_t i = 0; i < list->n; i++) {
        pq_buf_text(out, i ? ", " : "");
        pqext_write_name(pq_encoding_name(list->v[i]), list->v[i], out);
    }
}

static void write_bound(const PqextCall *call, const void *value, PqBuf *out)
{
    const State *s = call->state;

    pq_plain_text(&call->footer->schema.leaves[s->leaf].type,
                  *(const PqSlice *)value, out);
}

/* {"key":"value", ...}, null for a key without a value. */
static void write_key_values(const PqextCall *call, const void *value,
                             PqBuf *out)
{
    const PqKeyValueList *list = value;

    pq_buf_byte(out, '{');
    for (uint32_t i = 0; i < list->n; i++) {
        pq_buf_text(out, i ? "," : "");
        pq_json_text_string(list->v[i].key, out);
        pq_buf_byte(out, ':');
        if (PQ_HAS(&list->v[i], PQ_KEY_VALUE_VALUE)) {
            pq_json_text_string(list->v[i].value, out);
        } else {
            pq_buf_text(out, "null");
        }
    }
    pq_buf_byte(out, '}');
}

/* The codes of ISO WKB: 1000 for Z, 2000 for M, 3000 for both. */
static void write_geo_types(const PqextCall *call, const void *value,
                            PqBuf *out)
{
    static const char *const base[] = {
        NULL, "point", "linestring", "polygon", "multipoint",
        "multilinestring", "multipolygon", "geometrycollection"};
    static const char *const suffix[] = {"", "_z", "_m", "_zm"};
    const PqI32List *types = value;

    pq_buf_byte(out, '[');
    for (uint32_t i = 0; i < types->n; i++) {
        int32_t t = types->v[i];

        pq_buf_text(out, i ? "," : "");
        if (t > 0 && t < 4000 && t % 1000 >= 1 && t % 1000 <= 7) {
            pq_buf_printf(out, "\"%s%s\"", base[t % 1000], suffix[t / 1000]);
        } else {
            pq_buf_printf(out, "\"%d\"", t);
        }
    }
    pq_buf_byte(out, ']');
}

static void write_encoding_stats(const PqextCall *call, const void *value,
                                 PqBuf *out)
{
    const PqPageEncodingStatsList *list = value;

    pq_buf_byte(out, '[');
    for (uint32_t i = 0; i < list->n; i++) {
        const PqPageEncodingStats *s = &list->v[i];

        pq_buf_printf(out, "%s{\"page_type\":\"", i ? "," : "");
        pqext_write_name(pq_format_page_type_name(s->page_type), s->page_type,
                         out);
        pq_buf_text(out, "\",\"encoding\":\"");
        pqext_write_name(pq_encoding_name(s->encoding), s->encoding, out);
        pq_buf_printf(out, "\",\"count\":%d}", s->count);
    }
    pq_buf_byte(out, ']');
}

/* ---- columns ------------------------------------------------------------- */

static const void *chunk(const PqextCall *call, PqErr *e)
{
    return &((const State *)call->state)->chunk;
}

static const void *row_group(const PqextCall *call, PqErr *e)
{
    const State *s = call->state;

    return &call->footer->file.row_groups.v[s->row_group];
}

static const void *column_order(const PqextCall *call, PqErr *e)
{
    const PqColumnOrderList *orders = &call->footer->file.column_orders;
    uint32_t leaf = ((const State *)call->state)->leaf;

    return leaf < orders->n ? &orders->v[leaf] : NULL;
}

/* "1 DESC NULLS LAST": second of the columns that the rows are sorted by. */
static PqRc give_sorting(const PqextCall *call, const void *value,
                         sqlite3_context *ctx, PqErr *e)
{
    const PqSortingColumnList *list = value;
    uint32_t leaf = ((const State *)call->state)->leaf, i;
    char text[48];

    for (i = 0; i < list->n; i++) {
        const PqSortingColumn *c = &list->v[i];

        if (c->column_idx >= 0 && (uint32_t)c->column_idx == leaf) {
            sqlite3_snprintf(sizeof text, text, "%u%s%s", i,
                             c->descending ? " DESC" : " ASC",
                             c->nulls_first ? " NULLS FIRST" : " NULLS LAST");
            pqext_result_text(ctx, text);
            break;
        }
    }
    return PQ_OK;
}

/* Goes by the chunk, because the file may have no locks that can be read. */
static PqRc give_encrypted_with(const PqextCall *call, const void *value,
                                sqlite3_context *ctx, PqErr *e)
{
    const PqColumnCryptoMetaData *m = value;

    pqext_result_text(ctx, PQ_HAS(m, PQ_CRYPTO_COLUMN_KEY) ? "column key"
                                                           : "footer key");
    return PQ_OK;
}

static PqRc give_key_metadata(const PqextCall *call, const void *value,
                              sqlite3_context *ctx, PqErr *e)
{
    return pqext_result_key_metadata(ctx, call, value, e);
}

#define ROW_GROUP(field) \
    .of = row_group, .format = &pq_format_row_group, .path = {field}
#define CHUNK(...) \
    .of = chunk, .format = &pq_format_chunk, .path = {__VA_ARGS__}
#define META(...) CHUNK(PQ_CHUNK_META_DATA, __VA_ARGS__)
#define STATISTICS(field) META(PQ_COLUMN_STATISTICS, field)
#define SIZES(field) META(PQ_COLUMN_SIZE_STATISTICS, field)
#define GEO(field) META(PQ_COLUMN_GEOSPATIAL_STATISTICS, field)

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"row_group_id BIGINT", PQEXT_MEMBER(State, row_group)},
    {"row_group_num_rows BIGINT", ROW_GROUP(PQ_ROW_GROUP_ROWS)},
    {"row_group_num_columns BIGINT", ROW_GROUP(PQ_ROW_GROUP_COLUMNS)},
    {"row_group_bytes BIGINT", ROW_GROUP(PQ_ROW_GROUP_BYTES)},
    {"column_id BIGINT", PQEXT_MEMBER(State, leaf)},
    {"file_offset BIGINT", CHUNK(PQ_CHUNK_FILE_OFFSET)},
    {"num_values BIGINT", META(PQ_COLUMN_NUM_VALUES)},
    {"path_in_schema TEXT", .write = write_path},
    {"type TEXT", META(PQ_COLUMN_TYPE)},
    {"stats_min TEXT", STATISTICS(PQ_STATISTICS_MIN), .write = write_bound},
    {"stats_max TEXT", STATISTICS(PQ_STATISTICS_MAX), .write = write_bound},
    {"stats_null_count BIGINT", STATISTICS(PQ_STATISTICS_NULL_COUNT)},
    {"stats_distinct_count BIGINT", STATISTICS(PQ_STATISTICS_DISTINCT_COUNT)},
    {"stats_min_value TEXT", STATISTICS(PQ_STATISTICS_MIN_VALUE),
     .write = write_bound},
    {"stats_max_value TEXT", STATISTICS(PQ_STATISTICS_MAX_VALUE),
     .write = write_bound},
    {"compression TEXT", META(PQ_COLUMN_CODEC)},
    {"encodings TEXT", META(PQ_COLUMN_ENCODINGS), .write = write_encodings},
    {"index_page_offset BIGINT", META(PQ_COLUMN_INDEX_PAGE_OFFSET)},
    {"dictionary_page_offset BIGINT", META(PQ_COLUMN_DICTIONARY_PAGE_OFFSET)},
    {"data_page_offset BIGINT", META(PQ_COLUMN_DATA_PAGE_OFFSET)},
    {"total_compressed_size BIGINT", META(PQ_COLUMN_COMPRESSED_SIZE)},
    {"total_uncompressed_size BIGINT", META(PQ_COLUMN_UNCOMPRESSED_SIZE)},
    {"key_value_metadata TEXT", META(PQ_COLUMN_KEY_VALUES),
     .write = write_key_values},
    {"bloom_filter_offset BIGINT", META(PQ_COLUMN_BLOOM_OFFSET)},
    {"bloom_filter_length BIGINT", META(PQ_COLUMN_BLOOM_LENGTH)},
    {"min_is_exact BOOLEAN", STATISTICS(PQ_STATISTICS_MIN_EXACT)},
    {"max_is_exact BOOLEAN", STATISTICS(PQ_STATISTICS_MAX_EXACT)},
    {"row_group_compressed_bytes BIGINT", ROW_GROUP(PQ_ROW_GROUP_COMPRESSED)},
    {"geo_bbox TEXT", GEO(PQ_GEOSPATIAL_BBOX)},
    {"geo_types TEXT", GEO(PQ_GEOSPATIAL_TYPES), .write = write_geo_types},
    {"stats_nan_count BIGINT", STATISTICS(PQ_STATISTICS_NAN_COUNT)},
    {"column_order TEXT", .of = column_order,
     .format = &pq_format_column_order},
    {"sorting TEXT", ROW_GROUP(PQ_ROW_GROUP_SORTING), .give = give_sorting},
    {"encoding_stats TEXT", META(PQ_COLUMN_ENCODING_STATS),
     .write = write_encoding_stats},
    {"unencoded_byte_array_bytes BIGINT", SIZES(PQ_SIZE_STATISTICS_BYTES)},
    {"repetition_level_histogram TEXT", SIZES(PQ_SIZE_STATISTICS_REPETITION)},
    {"definition_level_histogram TEXT", SIZES(PQ_SIZE_STATISTICS_DEFINITION)},
    {"offset_index_offset BIGINT", CHUNK(PQ_CHUNK_OFFSET_INDEX_OFFSET)},
    {"offset_index_length BIGINT", CHUNK(PQ_CHUNK_OFFSET_INDEX_LENGTH)},
    {"column_index_offset BIGINT", CHUNK(PQ_CHUNK_COLUMN_INDEX_OFFSET)},
    {"column_index_length BIGINT", CHUNK(PQ_CHUNK_COLUMN_INDEX_LENGTH)},
    {"file_path TEXT", CHUNK(PQ_CHUNK_FILE_PATH)},
    {"encrypted_with TEXT", CHUNK(PQ_CHUNK_CRYPTO),
     .give = give_encrypted_with},
    {"key_metadata", CHUNK(PQ_CHUNK_CRYPTO), .give = give_key_metadata},
    {"missing_key TEXT", PQEXT_MEMBER(State, lock)},
};

const PqextFunction pqext_parquet_metadata = {
    .name = "parquet_metadata",
    .call = "parquet_metadata('FILE')",
    PQEXT_COLUMNS(columns),
    .arguments = {"file"},
    .state_size = sizeof(State),
    .begin = metadata_begin,
    .next = metadata_next,
    .end = metadata_end,
};
