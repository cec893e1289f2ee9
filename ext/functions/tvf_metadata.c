/*
** tvf_metadata.c - parquet_metadata(file): a row per column chunk.
**
** The first columns are DuckDB's, texts included: bounds as they were written,
** whether anyone may believe them or not.  Behind them is what else the format
** knows of a chunk; lists are JSON.
**
** Only the chunk is parsed, and only its shape is checked, so that a chunk
** that cannot be read can still be looked at: one in another file, one that is
** encrypted (then what only its own metadata says is NULL).
*/
#include "ext/functions/tvf.h"

enum {
    FILE_NAME, ROW_GROUP_ID, ROW_GROUP_NUM_ROWS, ROW_GROUP_NUM_COLUMNS,
    ROW_GROUP_BYTES, COLUMN_ID, FILE_OFFSET, NUM_VALUES, PATH_IN_SCHEMA, TYPE,
    STATS_MIN, STATS_MAX, STATS_NULL_COUNT, STATS_DISTINCT_COUNT,
    STATS_MIN_VALUE, STATS_MAX_VALUE, COMPRESSION, ENCODINGS,
    INDEX_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET, DATA_PAGE_OFFSET,
    TOTAL_COMPRESSED_SIZE, TOTAL_UNCOMPRESSED_SIZE, KEY_VALUE_METADATA,
    BLOOM_FILTER_OFFSET, BLOOM_FILTER_LENGTH, MIN_IS_EXACT, MAX_IS_EXACT,
    ROW_GROUP_COMPRESSED_BYTES, GEO_BBOX, GEO_TYPES,
    STATS_NAN_COUNT, COLUMN_ORDER, SORTING, ENCODING_STATS,
    UNENCODED_BYTES, REPETITION_HISTOGRAM, DEFINITION_HISTOGRAM,
    OFFSET_INDEX_OFFSET, OFFSET_INDEX_LENGTH, COLUMN_INDEX_OFFSET,
    COLUMN_INDEX_LENGTH, FILE_PATH, ENCRYPTED_WITH, N_COLUMNS
};

static const char *const columns[N_COLUMNS] = {
    [FILE_NAME] = "file_name TEXT",
    [ROW_GROUP_ID] = "row_group_id BIGINT",
    [ROW_GROUP_NUM_ROWS] = "row_group_num_rows BIGINT",
    [ROW_GROUP_NUM_COLUMNS] = "row_group_num_columns BIGINT",
    [ROW_GROUP_BYTES] = "row_group_bytes BIGINT",
    [COLUMN_ID] = "column_id BIGINT",
    [FILE_OFFSET] = "file_offset BIGINT",
    [NUM_VALUES] = "num_values BIGINT",
    [PATH_IN_SCHEMA] = "path_in_schema TEXT",
    [TYPE] = "type TEXT",
    [STATS_MIN] = "stats_min TEXT",
    [STATS_MAX] = "stats_max TEXT",
    [STATS_NULL_COUNT] = "stats_null_count BIGINT",
    [STATS_DISTINCT_COUNT] = "stats_distinct_count BIGINT",
    [STATS_MIN_VALUE] = "stats_min_value TEXT",
    [STATS_MAX_VALUE] = "stats_max_value TEXT",
    [COMPRESSION] = "compression TEXT",
    [ENCODINGS] = "encodings TEXT",
    [INDEX_PAGE_OFFSET] = "index_page_offset BIGINT",
    [DICTIONARY_PAGE_OFFSET] = "dictionary_page_offset BIGINT",
    [DATA_PAGE_OFFSET] = "data_page_offset BIGINT",
    [TOTAL_COMPRESSED_SIZE] = "total_compressed_size BIGINT",
    [TOTAL_UNCOMPRESSED_SIZE] = "total_uncompressed_size BIGINT",
    [KEY_VALUE_METADATA] = "key_value_metadata TEXT",
    [BLOOM_FILTER_OFFSET] = "bloom_filter_offset BIGINT",
    [BLOOM_FILTER_LENGTH] = "bloom_filter_length BIGINT",
    [MIN_IS_EXACT] = "min_is_exact BOOLEAN",
    [MAX_IS_EXACT] = "max_is_exact BOOLEAN",
    [ROW_GROUP_COMPRESSED_BYTES] = "row_group_compressed_bytes BIGINT",
    [GEO_BBOX] = "geo_bbox TEXT",
    [GEO_TYPES] = "geo_types TEXT",
    [STATS_NAN_COUNT] = "stats_nan_count BIGINT",
    [COLUMN_ORDER] = "column_order TEXT",
    [SORTING] = "sorting TEXT",
    [ENCODING_STATS] = "encoding_stats TEXT",
    [UNENCODED_BYTES] = "unencoded_byte_array_bytes BIGINT",
    [REPETITION_HISTOGRAM] = "repetition_level_histogram TEXT",
    [DEFINITION_HISTOGRAM] = "definition_level_histogram TEXT",
    [OFFSET_INDEX_OFFSET] = "offset_index_offset BIGINT",
    [OFFSET_INDEX_LENGTH] = "offset_index_length BIGINT",
    [COLUMN_INDEX_OFFSET] = "column_index_offset BIGINT",
    [COLUMN_INDEX_LENGTH] = "column_index_length BIGINT",
    [FILE_PATH] = "file_path TEXT",
    [ENCRYPTED_WITH] = "encrypted_with TEXT",
};

typedef struct State {
    PqArena       arena;             /* of the chunk                        */
    uint32_t      group, leaf;
    bool          begun;             /* they are of the current row         */
    PqColumnChunk chunk;
} State;

static PqRc metadata_begin(PqextLook *l, PqErr *e)
{
    State *s = l->state;

    (void)e;
    pq_arena_init(&s->arena, l->mem);
    return PQ_OK;
}

static void metadata_end(PqextLook *l)
{
    pq_arena_free(&((State *)l->state)->arena);
}

static PqRc metadata_next(PqextLook *l, bool *more, PqErr *e)
{
    const PqFooter *f = l->footer;
    State *s = l->state;
    PqSlice bytes;

    s->leaf += s->begun;
    s->begun = true;
    if (s->leaf >= f->schema.n_leaves) {
        s->leaf = 0;
        s->group++;
    }
    *more = s->group < f->n_groups && f->schema.n_leaves > 0;
    if (!*more) {
        return PQ_OK;
    }
    e->where.row_group = (int)s->group;
    e->where.column = f->schema.leaves[s->leaf].path;
    pq_arena_reset(&s->arena);
    bytes = f->file.row_groups.v[s->group].columns.v[s->leaf];
    PQ_TRY(pq_format_read_chunk(&bytes, &s->arena, &s->chunk, e));
    e->where.row_group = -1;
    e->where.column = NULL;
    return PQ_OK;
}

/* ---- what is written into a text first --------------------------------------- */

static void write_path(PqBuf *b, const PqColumnMetaData *m, const char *path)
{
    uint32_t i;

    if (!PQ_HAS(m, PQ_COLUMN_PATH)) {
        pq_buf_text(b, path);
    }
    for (i = 0; i < m->path_in_schema.n; i++) {
        pq_buf_text(b, i ? ", " : "");
        pq_buf_add(b, m->path_in_schema.v[i].p, m->path_in_schema.v[i].n);
    }
}

static void write_encoding(PqBuf *b, int encoding)
{
    const char *name = pq_encoding_name(encoding);

    if (name) {
        pq_buf_text(b, name);
    } else {
        pq_buf_printf(b, "%d", encoding);
    }
}

static void write_encodings(PqBuf *b, const PqI32List *list)
{
    uint32_t i;

    for (i = 0; i < list->n; i++) {
        pq_buf_text(b, i ? ", " : "");
        write_encoding(b, list->v[i]);
    }
}

/* {"key":"value", ...}, null for a key without a value. */
static void write_key_values(PqBuf *b, const PqKeyValueList *list)
{
    uint32_t i;

    pq_buf_byte(b, '{');
    for (i = 0; i < list->n; i++) {
        pq_buf_text(b, i ? "," : "");
        pq_json_text_string(list->v[i].key, b);
        pq_buf_byte(b, ':');
        if (PQ_HAS(&list->v[i], PQ_KEY_VALUE_VALUE)) {
            pq_json_text_string(list->v[i].value, b);
        } else {
            pq_buf_text(b, "null");
        }
    }
    pq_buf_byte(b, '}');
}

static void write_double(PqBuf *b, double v)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    if (v != v) {
        pq_buf_text(b, "null");
    } else {
        pq_buf_add(b, text, pq_number_text_double(v, text));
    }
}

static void write_box(PqBuf *b, const PqBoundingBox *box)
{
    const struct { const char *name; int field; double v; } side[] = {
        {"xmin", PQ_BOX_XMIN, box->xmin}, {"xmax", PQ_BOX_XMAX, box->xmax},
        {"ymin", PQ_BOX_YMIN, box->ymin}, {"ymax", PQ_BOX_YMAX, box->ymax},
        {"zmin", PQ_BOX_ZMIN, box->zmin}, {"zmax", PQ_BOX_ZMAX, box->zmax},
        {"mmin", PQ_BOX_MMIN, box->mmin}, {"mmax", PQ_BOX_MMAX, box->mmax},
    };
    const char *comma = "";
    size_t i;

    pq_buf_byte(b, '{');
    for (i = 0; i < PQ_COUNT(side); i++) {
        if (PQ_HAS(box, side[i].field)) {
            pq_buf_printf(b, "%s\"%s\":", comma, side[i].name);
            write_double(b, side[i].v);
            comma = ",";
        }
    }
    pq_buf_byte(b, '}');
}

/* The codes of ISO WKB: 1000 for Z, 2000 for M, 3000 for both. */
static void write_geo_types(PqBuf *b, const PqI32List *types)
{
    static const char *const base[] = {
        NULL, "point", "linestring", "polygon", "multipoint",
        "multilinestring", "multipolygon", "geometrycollection"};
    static const char *const suffix[] = {"", "_z", "_m", "_zm"};
    uint32_t i;

    pq_buf_byte(b, '[');
    for (i = 0; i < types->n; i++) {
        int32_t t = types->v[i];

        pq_buf_text(b, i ? "," : "");
        if (t > 0 && t < 4000 && t % 1000 >= 1 && t % 1000 <= 7) {
            pq_buf_printf(b, "\"%s%s\"", base[t % 1000], suffix[t / 1000]);
        } else {
            pq_buf_printf(b, "\"%d\"", t);
        }
    }
    pq_buf_byte(b, ']');
}

static void write_encoding_stats(PqBuf *b, const PqPageEncodingStatsList *list)
{
    uint32_t i;

    pq_buf_byte(b, '[');
    for (i = 0; i < list->n; i++) {
        const char *page = pq_format_page_type_name(list->v[i].page_type);

        pq_buf_printf(b, "%s{\"page_type\":\"", i ? "," : "");
        if (page) {
            pq_buf_text(b, page);
        } else {
            pq_buf_printf(b, "%d", list->v[i].page_type);
        }
        pq_buf_text(b, "\",\"encoding\":\"");
        write_encoding(b, list->v[i].encoding);
        pq_buf_printf(b, "\",\"count\":%d}", list->v[i].count);
    }
    pq_buf_byte(b, ']');
}

static void write_counts(PqBuf *b, const PqI64List *list)
{
    uint32_t i;

    pq_buf_byte(b, '[');
    for (i = 0; i < list->n; i++) {
        pq_buf_printf(b, "%s%lld", i ? "," : "", (long long)list->v[i]);
    }
    pq_buf_byte(b, ']');
}

static void write_made(PqextLook *l, int i, PqBuf *b)
{
    const State *s = l->state;
    const PqLeaf *leaf = &l->footer->schema.leaves[s->leaf];
    const PqColumnMetaData *m = &s->chunk.meta_data;
    const PqStatistics *st = &m->statistics;

    switch (i) {
    case PATH_IN_SCHEMA:
        write_path(b, m, leaf->path);
        break;
    case STATS_MIN:
        pq_plain_text(&leaf->type, st->min, b);
        break;
    case STATS_MAX:
        pq_plain_text(&leaf->type, st->max, b);
        break;
    case STATS_MIN_VALUE:
        pq_plain_text(&leaf->type, st->min_value, b);
        break;
    case STATS_MAX_VALUE:
        pq_plain_text(&leaf->type, st->max_value, b);
        break;
    case ENCODINGS:
        write_encodings(b, &m->encodings);
        break;
    case KEY_VALUE_METADATA:
        write_key_values(b, &m->key_value_metadata);
        break;
    case GEO_BBOX:
        write_box(b, &m->geospatial_statistics.bbox);
        break;
    case GEO_TYPES:
        write_geo_types(b, &m->geospatial_statistics.geospatial_types);
        break;
    case ENCODING_STATS:
        write_encoding_stats(b, &m->encoding_stats);
        break;
    case REPETITION_HISTOGRAM:
        write_counts(b, &m->size_statistics.repetition_level_histogram);
        break;
    default:
        write_counts(b, &m->size_statistics.definition_level_histogram);
    }
}

static PqRc give_made(PqextLook *l, int i, bool has, sqlite3_context *ctx,
                      PqErr *e)
{
    PqBuf text;
    PqRc rc;

    if (!has) {
        return PQ_OK;
    }
    pq_buf_init(&text, l->mem, e);
    write_made(l, i, &text);
    rc = pqext_give_buf(ctx, &text, e);
    pq_buf_free(&text);
    return rc;
}

/* ---- columns ------------------------------------------------------------------- */

static void group_column(PqextLook *l, int i, sqlite3_context *ctx)
{
    const State *s = l->state;
    const PqRowGroup *g = &l->footer->file.row_groups.v[s->group];

    switch (i) {
    case ROW_GROUP_ID:
        sqlite3_result_int64(ctx, s->group);
        break;
    case ROW_GROUP_NUM_ROWS:
        sqlite3_result_int64(ctx, g->num_rows);
        break;
    case ROW_GROUP_NUM_COLUMNS:
        sqlite3_result_int64(ctx, g->columns.n);
        break;
    case ROW_GROUP_BYTES:
        sqlite3_result_int64(ctx, g->total_byte_size);
        break;
    default:
        pqext_give_i64(ctx, PQ_HAS(g, PQ_ROW_GROUP_COMPRESSED),
                       g->total_compressed_size);
    }
}

/* "1 DESC": the second of the columns the rows are sorted by, from 0. */
static void give_sorting(PqextLook *l, sqlite3_context *ctx)
{
    const State *s = l->state;
    const PqRowGroup *g = &l->footer->file.row_groups.v[s->group];
    uint32_t i;

    for (i = 0; i < g->sorting_columns.n; i++) {
        const PqSortingColumn *c = &g->sorting_columns.v[i];

        if (c->column_idx >= 0 && (uint32_t)c->column_idx == s->leaf) {
            char text[48];

            sqlite3_snprintf(sizeof text, text, "%u%s%s", i,
                             c->descending ? " DESC" : " ASC",
                             c->nulls_first ? " NULLS FIRST" : " NULLS LAST");
            pqext_give_text(ctx, text);
            return;
        }
    }
}

static void give_order(PqextLook *l, sqlite3_context *ctx)
{
    const State *s = l->state;
    const PqColumnOrderList *orders = &l->footer->file.column_orders;

    if (s->leaf < orders->n) {
        const PqColumnOrder *o = &orders->v[s->leaf];

        pqext_give_text(ctx, PQ_HAS(o, PQ_ORDER_TYPE)      ? "TYPE_ORDER"
                             : PQ_HAS(o, PQ_ORDER_IEEE754)
                                 ? "IEEE_754_TOTAL_ORDER"
                             : PQ_HAS(o, PQ_ORDER_INT96)
                                 ? "INT96_TIMESTAMP_ORDER" : "unknown");
    }
}

/* Of the ColumnChunk, which is there whatever the metadata is. */
static bool chunk_column(PqextLook *l, int i, sqlite3_context *ctx)
{
    const PqColumnChunk *c = &((const State *)l->state)->chunk;

    switch (i) {
    case FILE_OFFSET:
        sqlite3_result_int64(ctx, c->file_offset);
        return true;
    case OFFSET_INDEX_OFFSET:
        pqext_give_i64(ctx, PQ_HAS(c, PQ_CHUNK_OFFSET_INDEX_OFFSET),
                       c->offset_index_offset);
        return true;
    case OFFSET_INDEX_LENGTH:
        pqext_give_i64(ctx, PQ_HAS(c, PQ_CHUNK_OFFSET_INDEX_LENGTH),
                       c->offset_index_length);
        return true;
    case COLUMN_INDEX_OFFSET:
        pqext_give_i64(ctx, PQ_HAS(c, PQ_CHUNK_COLUMN_INDEX_OFFSET),
                       c->column_index_offset);
        return true;
    case COLUMN_INDEX_LENGTH:
        pqext_give_i64(ctx, PQ_HAS(c, PQ_CHUNK_COLUMN_INDEX_LENGTH),
                       c->column_index_length);
        return true;
    case FILE_PATH:
        if (PQ_HAS(c, PQ_CHUNK_FILE_PATH)) {
            pqext_give_slice(ctx, c->file_path);
        }
        return true;
    case ENCRYPTED_WITH:
        if (PQ_HAS(c, PQ_CHUNK_CRYPTO)) {
            pqext_give_text(ctx, PQ_HAS(&c->crypto_metadata,
                                        PQ_CRYPTO_COLUMN_KEY)
                                     ? "column key" : "footer key");
        }
        return true;
    default:
        return false;
    }
}

/* Numbers of the ColumnMetaData. */
static bool number_column(const PqColumnMetaData *m, int i,
                          sqlite3_context *ctx)
{
    static const int fields[N_COLUMNS] = {
        [NUM_VALUES] = PQ_COLUMN_NUM_VALUES,
        [INDEX_PAGE_OFFSET] = PQ_COLUMN_INDEX_PAGE_OFFSET,
        [DICTIONARY_PAGE_OFFSET] = PQ_COLUMN_DICTIONARY_PAGE_OFFSET,
        [DATA_PAGE_OFFSET] = PQ_COLUMN_DATA_PAGE_OFFSET,
        [TOTAL_COMPRESSED_SIZE] = PQ_COLUMN_COMPRESSED_SIZE,
        [TOTAL_UNCOMPRESSED_SIZE] = PQ_COLUMN_UNCOMPRESSED_SIZE,
        [BLOOM_FILTER_OFFSET] = PQ_COLUMN_BLOOM_OFFSET,
        [BLOOM_FILTER_LENGTH] = PQ_COLUMN_BLOOM_LENGTH,
    };
    const int64_t values[N_COLUMNS] = {
        [NUM_VALUES] = m->num_values,
        [INDEX_PAGE_OFFSET] = m->index_page_offset,
        [DICTIONARY_PAGE_OFFSET] = m->dictionary_page_offset,
        [DATA_PAGE_OFFSET] = m->data_page_offset,
        [TOTAL_COMPRESSED_SIZE] = m->total_compressed_size,
        [TOTAL_UNCOMPRESSED_SIZE] = m->total_uncompressed_size,
        [BLOOM_FILTER_OFFSET] = m->bloom_filter_offset,
        [BLOOM_FILTER_LENGTH] = m->bloom_filter_length,
    };

    if (fields[i]) {
        pqext_give_i64(ctx, PQ_HAS(m, fields[i]), values[i]);
    }
    return fields[i] != 0;
}

/* Numbers of its statistics. */
static bool count_column(const PqStatistics *st, int i, sqlite3_context *ctx)
{
    switch (i) {
    case STATS_NULL_COUNT:
        pqext_give_i64(ctx, PQ_HAS(st, PQ_STATISTICS_NULL_COUNT),
                       st->null_count);
        return true;
    case STATS_DISTINCT_COUNT:
        pqext_give_i64(ctx, PQ_HAS(st, PQ_STATISTICS_DISTINCT_COUNT),
                       st->distinct_count);
        return true;
    case STATS_NAN_COUNT:
        pqext_give_i64(ctx, PQ_HAS(st, PQ_STATISTICS_NAN_COUNT),
                       st->nan_count);
        return true;
    case MIN_IS_EXACT:
        pqext_give_i64(ctx, PQ_HAS(st, PQ_STATISTICS_MIN_EXACT),
                       st->is_min_value_exact);
        return true;
    case MAX_IS_EXACT:
        pqext_give_i64(ctx, PQ_HAS(st, PQ_STATISTICS_MAX_EXACT),
                       st->is_max_value_exact);
        return true;
    default:
        return false;
    }
}

/* Is there anything to write for column i? */
static bool has_made(const PqColumnMetaData *m, int i)
{
    const PqStatistics *st = &m->statistics;
    const PqGeospatialStatistics *geo = &m->geospatial_statistics;

    switch (i) {
    case STATS_MIN:
        return PQ_HAS(st, PQ_STATISTICS_MIN);
    case STATS_MAX:
        return PQ_HAS(st, PQ_STATISTICS_MAX);
    case STATS_MIN_VALUE:
        return PQ_HAS(st, PQ_STATISTICS_MIN_VALUE);
    case STATS_MAX_VALUE:
        return PQ_HAS(st, PQ_STATISTICS_MAX_VALUE);
    case KEY_VALUE_METADATA:
        return PQ_HAS(m, PQ_COLUMN_KEY_VALUES);
    case GEO_BBOX:
        return PQ_HAS(geo, PQ_GEOSPATIAL_BBOX);
    case GEO_TYPES:
        return PQ_HAS(geo, PQ_GEOSPATIAL_TYPES);
    case ENCODING_STATS:
        return PQ_HAS(m, PQ_COLUMN_ENCODING_STATS);
    case REPETITION_HISTOGRAM:
        return PQ_HAS(&m->size_statistics, PQ_SIZE_STATISTICS_REPETITION);
    case DEFINITION_HISTOGRAM:
        return PQ_HAS(&m->size_statistics, PQ_SIZE_STATISTICS_DEFINITION);
    default:
        return true;
    }
}

static PqRc metadata_column(PqextLook *l, int i, sqlite3_context *ctx,
                            PqErr *e)
{
    const State *s = l->state;
    const PqColumnMetaData *m = &s->chunk.meta_data;
    bool known = PQ_HAS(&s->chunk, PQ_CHUNK_META_DATA);

    if (i == FILE_NAME) {
        pqext_give_text(ctx, l->path);
    } else if ((i >= ROW_GROUP_ID && i <= ROW_GROUP_BYTES) ||
               i == ROW_GROUP_COMPRESSED_BYTES) {
        group_column(l, i, ctx);
    } else if (i == COLUMN_ID) {
        sqlite3_result_int64(ctx, s->leaf);
    } else if (i == COLUMN_ORDER) {
        give_order(l, ctx);
    } else if (i == SORTING) {
        give_sorting(l, ctx);
    } else if (i == PATH_IN_SCHEMA) {
        return give_made(l, i, true, ctx, e);
    } else if (chunk_column(l, i, ctx) || !known) {
        return PQ_OK;
    } else if (i == TYPE) {
        pqext_give_name(ctx, pq_physical_name(m->type), m->type);
    } else if (i == COMPRESSION) {
        pqext_give_name(ctx, pq_codec_name(m->codec), m->codec);
    } else if (i == UNENCODED_BYTES) {
        pqext_give_i64(ctx, PQ_HAS(&m->size_statistics,
                                   PQ_SIZE_STATISTICS_BYTES),
                       m->size_statistics.unencoded_byte_array_data_bytes);
    } else if (!number_column(m, i, ctx) &&
               !count_column(&m->statistics, i, ctx)) {
        return give_made(l, i, has_made(m, i), ctx, e);
    }
    return PQ_OK;
}

static const char *const arguments[] = {"file"};

const PqextFunction pqext_parquet_metadata = {
    .name = "parquet_metadata",
    .call = "parquet_metadata('FILE')",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .arguments = arguments,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .begin = metadata_begin,
    .next = metadata_next,
    .column = metadata_column,
    .end = metadata_end,
};
