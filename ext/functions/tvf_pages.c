/*
** tvf_pages.c - parquet_pages(file): a row per page, dictionary pages included.
**
** The walk parses page headers and passes over bodies, so a row costs a few
** bytes of the file; only crc_ok reads the page, when it is asked for.
**
**   row_group_id column_id page page_type        first_row num_rows  min  max
**   0            3         NULL DICTIONARY_PAGE  NULL      NULL      NULL NULL
**   0            3         0    DATA_PAGE        0         20000     1    19
**   0            3         1    DATA_PAGE        20000     20000     20   44
**
** first_row counts from the beginning of the row group.  It is known where a
** page has a value per row, where the chunk has an offset index, and behind v2
** pages; in v1 pages of repeated columns only decoding would tell.  Bounds and
** null counts come from the column index, else from the page's own header.
*/
#include "ext/functions/tvf.h"

#include "sql/value/value.h"

enum {
    FILE_NAME, ROW_GROUP_ID, COLUMN_ID, PATH_IN_SCHEMA, PAGE, PAGE_TYPE,
    OFFSET, HEADER_SIZE, COMPRESSED_SIZE, UNCOMPRESSED_SIZE, FIRST_ROW,
    NUM_ROWS, NUM_VALUES, ENCODING, DEFINITION_ENCODING, REPETITION_ENCODING,
    MIN, MAX, NULL_COUNT, NAN_COUNT, IS_COMPRESSED, CRC, CRC_OK, N_COLUMNS
};

static const char *const columns[N_COLUMNS] = {
    [FILE_NAME] = "file_name TEXT",
    [ROW_GROUP_ID] = "row_group_id BIGINT",
    [COLUMN_ID] = "column_id BIGINT",
    [PATH_IN_SCHEMA] = "path_in_schema TEXT",
    [PAGE] = "page BIGINT",
    [PAGE_TYPE] = "page_type TEXT",
    [OFFSET] = "\"offset\" BIGINT",
    [HEADER_SIZE] = "header_size BIGINT",
    [COMPRESSED_SIZE] = "compressed_size BIGINT",
    [UNCOMPRESSED_SIZE] = "uncompressed_size BIGINT",
    [FIRST_ROW] = "first_row BIGINT",
    [NUM_ROWS] = "num_rows BIGINT",
    [NUM_VALUES] = "num_values BIGINT",
    [ENCODING] = "encoding TEXT",
    [DEFINITION_ENCODING] = "definition_encoding TEXT",
    [REPETITION_ENCODING] = "repetition_encoding TEXT",
    [MIN] = "min",
    [MAX] = "max",
    [NULL_COUNT] = "null_count BIGINT",
    [NAN_COUNT] = "nan_count BIGINT",
    [IS_COMPRESSED] = "is_compressed BOOLEAN",
    [CRC] = "crc BIGINT",
    [CRC_OK] = "crc_ok BOOLEAN",
};

typedef struct State {
    PqReadCtx     ctx;
    PqChunkReader chunk;
    bool          is_open;           /* chunk is that of group and leaf     */
    bool          on_page;           /* a header is parsed, its body not
                                     ** passed                              */
    uint32_t      group, leaf;
    uint32_t      n_indexed;         /* pages of the offset index           */
    int64_t       row;               /* first of the page, -1: not known    */
    PqArena       index_arena;
    bool          index_tried;
    PqColumnIndex index;
} State;

static PqRc pages_begin(PqextLook *l, PqErr *e)
{
    State *s = l->state;

    pq_arena_init(&s->index_arena, l->mem);
    PQ_TRY(pq_read_ctx_init(&s->ctx, l->mem, e));
    s->ctx.stop = pqext_look_stop(l);
    pq_chunk_init(&s->chunk, &s->ctx);
    return PQ_OK;
}

static void pages_end(PqextLook *l)
{
    State *s = l->state;

    if (s->chunk.ctx) {
        pq_chunk_reset(&s->chunk);
    }
    pq_arena_free(&s->index_arena);
    pq_read_ctx_reset(&s->ctx);
}

/* ---- the walk ---------------------------------------------------------------- */

static bool is_data(const State *s)
{
    return s->chunk.header.type != PQ_PAGE_DICTIONARY;
}

static const PqPageLocation *location(const State *s)
{
    uint32_t page = (uint32_t)s->chunk.page;

    return page < s->n_indexed ? &s->chunk.index.page_locations.v[page] : NULL;
}

/* Rows of the data page, -1 where the header does not tell. */
static int64_t rows_of_page(const State *s)
{
    const PqLeaf *leaf = s->chunk.leaf;
    const PqPageLocation *here = location(s);

    if (leaf->max_rep == 0) {
        return pq_chunk_slots(&s->chunk);
    }
    if (s->chunk.header.type == PQ_PAGE_DATA_V2) {
        return s->chunk.header.data_page_v2.num_rows;
    }
    if (!here) {
        return -1;
    }
    return (uint32_t)s->chunk.page + 1 < s->n_indexed
               ? here[1].first_row_index - here->first_row_index
               : s->chunk.group_rows - here->first_row_index;
}

static PqRc open_chunk(PqextLook *l, PqErr *e)
{
    const PqFooter *f = l->footer;
    State *s = l->state;
    PqColumnChunk *chunk = &s->chunk.chunk;
    PqInput *in;

    e->where.file = l->path;
    if (s->leaf == 0) {
        pq_chunk_files_close(&l->parts);
    }
    pq_arena_reset(&s->chunk.arena);
    pq_arena_reset(&s->index_arena);
    s->index_tried = false;
    PQ_TRY(pq_footer_chunk(f, s->group, s->leaf, &s->chunk.arena, chunk, e));
    e->where.row_group = (int)s->group;
    e->where.column = f->schema.leaves[s->leaf].path;
    PQ_TRY(pq_chunk_files_input(&l->parts, chunk, s->group, &in, e));
    e->where.file = pq_source_path(in->source);
    PQ_TRY(pq_chunk_open(&s->chunk, in, &f->schema.leaves[s->leaf],
                         (int)s->group, f->groups[s->group].num_rows,
                         f->file.created_by, e));
    PQ_TRY(pq_chunk_load_index(&s->chunk, &s->n_indexed, e));
    s->row = 0;
    s->is_open = true;
    return PQ_OK;
}

/* The chunk behind the one at hand. */
static bool go_on(State *s, const PqFooter *f)
{
    if (s->is_open) {
        s->is_open = false;
        s->leaf++;
    }
    if (s->leaf >= f->schema.n_leaves) {
        s->leaf = 0;
        s->group++;
    }
    return s->group < f->n_groups && f->schema.n_leaves > 0;
}

static void leave_page(State *s)
{
    int64_t rows;

    if (is_data(s)) {
        rows = rows_of_page(s);
        s->row = s->row < 0 || rows < 0 ? -1 : s->row + rows;
    }
    pq_chunk_pass(&s->chunk);
    s->on_page = false;
}

static PqRc pages_next(PqextLook *l, bool *more, PqErr *e)
{
    State *s = l->state;

    if (s->on_page) {
        leave_page(s);
    }
    for (;;) {
        if (s->is_open) {
            pq_chunk_enter(&s->chunk, e);
            PQ_TRY(pq_chunk_next(&s->chunk, more, e));
            if (*more) {
                s->on_page = true;
                return PQ_OK;
            }
        }
        pq_chunk_leave(e);
        *more = go_on(s, l->footer);
        if (!*more) {
            return PQ_OK;
        }
        PQ_TRY(open_chunk(l, e));
    }
}

/* ---- statistics ---------------------------------------------------------------- */

/* Of the chunk, for as many pages as it has an offset index for. One that does
** not hold is as none: parquet_verify() says why. */
static PqRc load_column_index(PqextLook *l, PqErr *e)
{
    State *s = l->state;
    PqRc rc;

    if (s->index_tried) {
        return PQ_OK;
    }
    rc = pq_page_index_bounds(s->chunk.in, &s->chunk.chunk, (int)s->group,
                              s->leaf, s->chunk.leaf, s->n_indexed, &s->index_arena,
                              &s->index, e);
    if (rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED) {
        pq_err_clear(e);
        rc = PQ_OK;
    }
    s->index_tried = rc == PQ_OK;
    return rc;
}

/* What is said about the page, from the index if that has it. */
static PqStatistics statistics(const State *s)
{
    const PqColumnIndex *x = &s->index;
    const PqPageHeader *h = &s->chunk.header;
    uint32_t page = (uint32_t)s->chunk.page;
    PqStatistics st = h->type == PQ_PAGE_DATA_V2 ? h->data_page_v2.statistics
                                                 : h->data_page.statistics;

    if (!PQ_HAS(&st, PQ_STATISTICS_MIN_VALUE)) {
        st.min_value = st.min;
        st.has |= PQ_HAS(&st, PQ_STATISTICS_MIN) << PQ_STATISTICS_MIN_VALUE;
    }
    if (!PQ_HAS(&st, PQ_STATISTICS_MAX_VALUE)) {
        st.max_value = st.max;
        st.has |= PQ_HAS(&st, PQ_STATISTICS_MAX) << PQ_STATISTICS_MAX_VALUE;
    }
    if (h->type == PQ_PAGE_DATA_V2) {
        st.null_count = h->data_page_v2.num_nulls;
        st.has |= 1u << PQ_STATISTICS_NULL_COUNT;
    }
    if (page < x->null_pages.n) {
        uint32_t both = 1u << PQ_STATISTICS_MIN_VALUE |
                        1u << PQ_STATISTICS_MAX_VALUE;

        st.min_value = x->min_values.v[page];
        st.max_value = x->max_values.v[page];
        st.has = x->null_pages.v[page] ? st.has & ~both : st.has | both;
    }
    if (page < x->null_counts.n) {
        st.null_count = x->null_counts.v[page];
        st.has |= 1u << PQ_STATISTICS_NULL_COUNT;
    }
    if (page < x->nan_counts.n) {
        st.nan_count = x->nan_counts.v[page];
        st.has |= 1u << PQ_STATISTICS_NAN_COUNT;
    }
    return st;
}

static PqRc give_statistics(PqextLook *l, int i, sqlite3_context *ctx,
                            PqErr *e)
{
    const State *s = l->state;
    const PqType *type = &s->chunk.leaf->type;
    PqStatistics st;

    if (!is_data(s)) {
        return PQ_OK;
    }
    PQ_TRY(load_column_index(l, e));
    st = statistics(s);
    if (i == NULL_COUNT) {
        pqext_give_i64(ctx, PQ_HAS(&st, PQ_STATISTICS_NULL_COUNT),
                       st.null_count);
    } else if (i == NAN_COUNT) {
        pqext_give_i64(ctx, PQ_HAS(&st, PQ_STATISTICS_NAN_COUNT),
                       st.nan_count);
    } else if (i == MIN && PQ_HAS(&st, PQ_STATISTICS_MIN_VALUE)) {
        pqsql_result_plain(ctx, type, st.min_value);
    } else if (i == MAX && PQ_HAS(&st, PQ_STATISTICS_MAX_VALUE)) {
        pqsql_result_plain(ctx, type, st.max_value);
    }
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------------- */

static PqRc give_crc(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    State *s = l->state;
    uint32_t said = (uint32_t)s->chunk.header.crc, crc;

    if (!pq_chunk_says_crc(&s->chunk)) {
        return PQ_OK;
    }
    if (i == CRC) {
        sqlite3_result_int64(ctx, said);
        return PQ_OK;
    }
    PQ_TRY(pq_page_crc(&s->chunk, &crc, e));
    sqlite3_result_int(ctx, crc == said);
    return PQ_OK;
}

static bool is_compressed(const State *s)
{
    if (s->chunk.chunk.meta_data.codec == PQ_CODEC_UNCOMPRESSED) {
        return false;
    }
    return s->chunk.header.type != PQ_PAGE_DATA_V2 ||
           s->chunk.header.data_page_v2.is_compressed || s->chunk.v2_packed;
}

static void give_encoding(const State *s, int i, sqlite3_context *ctx)
{
    const PqPageHeader *h = &s->chunk.header;
    const PqLeaf *leaf = s->chunk.leaf;
    int encoding = PQ_ENCODING_RLE;  /* of all levels in v2 pages */

    if (i == ENCODING) {
        encoding = h->type == PQ_PAGE_DICTIONARY ? h->dictionary_page.encoding
                   : h->type == PQ_PAGE_DATA_V2  ? h->data_page_v2.encoding
                                                 : h->data_page.encoding;
    } else if (!is_data(s) ||
               (i == DEFINITION_ENCODING ? leaf->max_def : leaf->max_rep) ==
                   0) {
        return;                      /* there are no levels */
    } else if (h->type == PQ_PAGE_DATA) {
        encoding = i == DEFINITION_ENCODING
                       ? h->data_page.definition_level_encoding
                       : h->data_page.repetition_level_encoding;
    }
    pqext_give_name(ctx, pq_encoding_name(encoding), encoding);
}

static PqRc give_path(PqextLook *l, sqlite3_context *ctx, PqErr *e)
{
    const State *s = l->state;
    const PqSliceList *path = &s->chunk.chunk.meta_data.path_in_schema;
    PqBuf text;
    uint32_t i;
    PqRc rc;

    pq_buf_init(&text, l->mem, e);
    if (path->n == 0) {
        pq_buf_text(&text, s->chunk.leaf->path);
    }
    for (i = 0; i < path->n; i++) {
        pq_buf_text(&text, i ? ", " : "");
        pq_buf_add(&text, path->v[i].p, path->v[i].n);
    }
    rc = pqext_give_buf(ctx, &text, e);
    pq_buf_free(&text);
    return rc;
}

static PqRc pages_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const State *s = l->state;
    const PqPageHeader *h = &s->chunk.header;
    int64_t rows;

    switch (i) {
    case FILE_NAME:
        pqext_give_text(ctx, l->path);
        return PQ_OK;
    case ROW_GROUP_ID:
        sqlite3_result_int64(ctx, s->group);
        return PQ_OK;
    case COLUMN_ID:
        sqlite3_result_int64(ctx, s->leaf);
        return PQ_OK;
    case PATH_IN_SCHEMA:
        return give_path(l, ctx, e);
    case PAGE:
        pqext_give_i64(ctx, is_data(s), s->chunk.page);
        return PQ_OK;
    case PAGE_TYPE:
        pqext_give_name(ctx, pq_format_page_type_name(h->type), h->type);
        return PQ_OK;
    case OFFSET:
        sqlite3_result_int64(ctx, (int64_t)s->chunk.at);
        return PQ_OK;
    case HEADER_SIZE:
        sqlite3_result_int64(ctx, (int64_t)(s->chunk.body_at - s->chunk.at));
        return PQ_OK;
    case COMPRESSED_SIZE:
        sqlite3_result_int64(ctx, h->compressed_page_size);
        return PQ_OK;
    case UNCOMPRESSED_SIZE:
        sqlite3_result_int64(ctx, h->uncompressed_page_size);
        return PQ_OK;
    case FIRST_ROW:
        rows = location(s) ? location(s)->first_row_index : s->row;
        pqext_give_i64(ctx, is_data(s) && rows >= 0, rows);
        return PQ_OK;
    case NUM_ROWS:
        rows = is_data(s) ? rows_of_page(s) : -1;
        pqext_give_i64(ctx, rows >= 0, rows);
        return PQ_OK;
    case NUM_VALUES:
        sqlite3_result_int64(ctx, is_data(s) ? pq_chunk_slots(&s->chunk)
                                      : (uint32_t)h->dictionary_page.num_values);
        return PQ_OK;
    case ENCODING:
    case DEFINITION_ENCODING:
    case REPETITION_ENCODING:
        give_encoding(s, i, ctx);
        return PQ_OK;
    case IS_COMPRESSED:
        sqlite3_result_int(ctx, is_compressed(s));
        return PQ_OK;
    case CRC:
    case CRC_OK:
        return give_crc(l, i, ctx, e);
    default:
        return give_statistics(l, i, ctx, e);
    }
}

static const char *const arguments[] = {"file"};

const PqextFunction pqext_parquet_pages = {
    .name = "parquet_pages",
    .call = "parquet_pages('FILE')",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .arguments = arguments,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .begin = pages_begin,
    .next = pages_next,
    .column = pages_column,
    .end = pages_end,
};
