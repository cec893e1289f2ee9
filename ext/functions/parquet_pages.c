/*
** parquet_pages.c - parquet_pages(file): a row per page, dictionary pages
** included.
**
** The walk parses page headers and skips bodies, so a row costs a few bytes of
** the file.  Only crc_ok reads the page, when it is asked for.
**
**   row_group_id column_id page page_type        first_row num_rows  min  max
**   0            3         NULL DICTIONARY_PAGE  NULL      NULL      NULL NULL
**   0            3         0    DATA_PAGE        0         20000     1    19
**   0            3         1    DATA_PAGE        20000     20000     20   44
**
** The hard part is first_row, which counts from the beginning of the row group.
** It is known if the column has one value per row, if the chunk has an offset
** index, and after v2 pages.  In v1 pages of repeated columns only decoding
** would tell.  Bounds and null counts come from the column index if there is
** one, else from the page's own header.
*/
#include "ext/functions/table_function.h"

#include "sql/value/value.h"

typedef struct State {
    PqReadCtx     ctx;
    PqChunkReader chunk;
    bool          is_open;           /* chunk is of row_group and leaf      */
    bool          on_page;           /* a header is parsed, its body not
                                     ** passed                              */
    uint32_t      row_group, leaf;
    const PqLock *sealed;            /* the row stands for a chunk whose key is
                                     ** not at hand                         */
    uint32_t      n_indexed;         /* pages of the offset index           */
    int64_t       row;               /* after the pages so far, -1: not known */
    PqArena       index_arena;
    bool          index_tried;
    PqColumnIndex index;
    /* The page; -1: not known, or it has none. */
    int32_t       page;              /* its number among the data pages     */
    int64_t       at, header_size, first_row, n_rows, n_values, crc;
    int32_t       encoding, definition_encoding, repetition_encoding;
    bool          is_compressed;
    PqStatistics  statistics;        /* when they are asked for             */
} State;

static PqRc pages_begin(PqextCall *call, PqErr *e)
{
    State *s = call->state;

    pq_arena_init(&s->index_arena, call->mem);
    PQ_TRY(pq_read_ctx_init(&s->ctx, call->mem, e));
    s->ctx.stop = pqext_call_stop(call);
    pq_chunk_init(&s->chunk, &s->ctx);
    return PQ_OK;
}

static void pages_end(PqextCall *call)
{
    State *s = call->state;

    if (s->chunk.ctx) {
        pq_chunk_reset(&s->chunk);
    }
    pq_arena_free(&s->index_arena);
    pq_read_ctx_reset(&s->ctx);
}

/* ---- the walk ------------------------------------------------------------ */

static bool is_data(const State *s)
{
    return s->chunk.header.type != PQ_PAGE_DICTIONARY;
}

static const PqPageLocation *location(const State *s)
{
    uint32_t page = (uint32_t)s->chunk.page;

    return page < s->n_indexed ? &s->chunk.index.page_locations.v[page] : NULL;
}

/* Rows of the data page, -1: only decoding would tell. */
static int64_t rows_of_page(const State *s)
{
    const PqLeaf *leaf = s->chunk.leaf;

    if (leaf->max_rep == 0) {
        return pq_chunk_slots(&s->chunk);
    }
    if (s->chunk.header.type == PQ_PAGE_DATA_V2) {
        return s->chunk.header.data_page_v2.num_rows;
    }
    return location(s) ? pq_chunk_rows_by_index(&s->chunk, s->chunk.page) : -1;
}

static PqRc open_chunk(PqextCall *call, PqErr *e)
{
    const PqFooter *f = call->footer;
    State *s = call->state;
    PqColumnChunk *chunk = &s->chunk.chunk;
    PqInput *in;

    e->where.file = call->path;
    if (s->leaf == 0) {
        pq_chunk_files_close(&call->parts);
    }
    pq_arena_reset(&s->chunk.arena);
    pq_arena_reset(&s->index_arena);
    s->index_tried = false;
    PQ_TRY(pq_footer_chunk(f, s->row_group, s->leaf, &s->chunk.arena, chunk,
                           e));
    e->where.row_group = (int)s->row_group;
    e->where.column = f->schema.leaves[s->leaf].path;
    PQ_TRY(pq_chunk_files_input(&call->parts, chunk, s->row_group, &in, e));
    e->where.file = pq_source_path(in->source);
    PQ_TRY(pq_chunk_open(&s->chunk, in, &f->schema.leaves[s->leaf],
                         (int)s->row_group, f->groups[s->row_group].num_rows,
                         f->file.created_by, e));
    PQ_TRY(pq_chunk_load_index(&s->chunk, &s->n_indexed, e));
    s->row = 0;
    s->is_open = true;
    return PQ_OK;
}

/* Moves to the next chunk. */
static bool next_chunk(State *s, const PqFooter *f)
{
    if (s->is_open) {
        s->is_open = false;
        s->leaf++;
    }
    if (s->leaf >= f->schema.n_leaves) {
        s->leaf = 0;
        s->row_group++;
    }
    return s->row_group < f->n_groups && f->schema.n_leaves > 0;
}

static void leave_page(State *s)
{
    if (is_data(s)) {
        s->row = s->row < 0 || s->n_rows < 0 ? -1 : s->row + s->n_rows;
    }
    pq_chunk_pass(&s->chunk);
    s->on_page = false;
}

static bool is_compressed(const State *s)
{
    if (s->chunk.chunk.meta_data.codec == PQ_CODEC_UNCOMPRESSED) {
        return false;
    }
    return s->chunk.header.type != PQ_PAGE_DATA_V2 ||
           s->chunk.header.data_page_v2.is_compressed || s->chunk.v2_packed;
}

/* In v2 pages all levels are RLE. */
static void note_encodings(State *s)
{
    const PqPageHeader *h = &s->chunk.header;
    const PqLeaf *leaf = s->chunk.leaf;
    bool v1 = h->type == PQ_PAGE_DATA;

    s->encoding = h->type == PQ_PAGE_DICTIONARY ? h->dictionary_page.encoding
                  : v1 ? h->data_page.encoding : h->data_page_v2.encoding;
    s->definition_encoding = v1 ? h->data_page.definition_level_encoding
                                : PQ_ENCODING_RLE;
    s->repetition_encoding = v1 ? h->data_page.repetition_level_encoding
                                : PQ_ENCODING_RLE;
    if (!is_data(s) || leaf->max_def == 0) {
        s->definition_encoding = -1;
    }
    if (!is_data(s) || leaf->max_rep == 0) {
        s->repetition_encoding = -1;
    }
}

static void enter_page(State *s)
{
    const PqPageHeader *h = &s->chunk.header;
    bool data = is_data(s);

    s->on_page = true;
    s->at = (int64_t)s->chunk.at;
    s->page = data ? s->chunk.page : -1;
    s->header_size = (int64_t)(s->chunk.body_at - s->chunk.at);
    s->first_row = !data ? -1
                   : location(s) ? location(s)->first_row_index : s->row;
    s->n_rows = data ? rows_of_page(s) : -1;
    s->n_values = data ? pq_chunk_slots(&s->chunk)
                       : (uint32_t)h->dictionary_page.num_values;
    s->crc = pq_page_says_crc(&s->chunk) ? (int64_t)(uint32_t)h->crc : -1;
    s->is_compressed = is_compressed(s);
    note_encodings(s);
}

/* The row for a chunk that cannot be read.  Nothing is known about its
** pages. */
static PqRc enter_sealed(State *s, const PqFooter *f, PqErr *e)
{
    PqSlice bytes = f->file.row_groups.v[s->row_group].columns.v[s->leaf];

    s->is_open = true;               /* for next_chunk */
    s->chunk.leaf = &f->schema.leaves[s->leaf];
    s->chunk.header = (PqPageHeader){0};
    pq_arena_reset(&s->chunk.arena);
    PQ_TRY(pq_format_read_chunk(&bytes, &s->chunk.arena, &s->chunk.chunk, e));
    s->page = -1;
    s->at = s->header_size = s->first_row = s->n_rows = s->n_values = -1;
    s->crc = -1;
    s->encoding = s->definition_encoding = s->repetition_encoding = -1;
    return PQ_OK;
}

static PqRc pages_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    if (s->on_page) {
        leave_page(s);
    }
    for (;;) {
        if (s->is_open && !s->sealed) {
            pq_chunk_enter(&s->chunk, e);
            PQ_TRY(pq_chunk_next(&s->chunk, more, e));
            if (*more) {
                enter_page(s);
                return PQ_OK;
            }
        }
        pq_chunk_leave(e);
        *more = next_chunk(s, call->footer);
        if (!*more) {
            return PQ_OK;
        }
        s->sealed = pq_leaf_lock(call->footer->locks, s->leaf);
        if (s->sealed && !s->sealed->key) {
            return enter_sealed(s, call->footer, e);
        }
        s->sealed = NULL;
        PQ_TRY(open_chunk(call, e));
    }
}

/* ---- statistics ---------------------------------------------------------- */

/* Loads the column index of the chunk, for the pages of its offset index.  An
** invalid index is ignored; parquet_verify() says what is wrong with it. */
static PqRc load_column_index(const PqextCall *call, PqErr *e)
{
    State *s = call->state;
    PqRc rc;

    if (s->index_tried) {
        return PQ_OK;
    }
    rc = pq_page_index_bounds(s->chunk.in, &s->chunk.chunk, (int)s->row_group,
                              s->chunk.leaf, s->n_indexed, &s->index_arena,
                              &s->index, e);
    if (rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED) {
        pq_err_clear(e);
        rc = PQ_OK;
    }
    s->index_tried = rc == PQ_OK;
    return rc;
}

/* The statistics of the page, from the index if that has them. */
static PqStatistics merged_statistics(const State *s)
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

static const void *statistics(const PqextCall *call, PqErr *e)
{
    State *s = call->state;

    if (s->sealed || !is_data(s) || load_column_index(call, e) != PQ_OK) {
        return NULL;
    }
    s->statistics = merged_statistics(s);
    return &s->statistics;
}

static PqRc give_bound(const PqextCall *call, const void *value,
                       sqlite3_context *ctx, PqErr *e)
{
    const State *s = call->state;

    pqsql_result_plain(ctx, &s->chunk.leaf->type, *(const PqSlice *)value);
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------- */

static const void *header(const PqextCall *call, PqErr *e)
{
    return &((const State *)call->state)->chunk.header;
}

static void write_path(const PqextCall *call, const void *value, PqBuf *out)
{
    const State *s = value;

    pqext_write_path(&s->chunk.chunk, s->chunk.leaf, out);
}

static PqRc give_encoding(const PqextCall *call, const void *value,
                          sqlite3_context *ctx, PqErr *e)
{
    int32_t encoding = *(const int32_t *)value;

    if (encoding >= 0) {
        pqext_result_name(ctx, pq_encoding_name(encoding), encoding);
    }
    return PQ_OK;
}

static PqRc give_is_compressed(const PqextCall *call, const void *value,
                               sqlite3_context *ctx, PqErr *e)
{
    const State *s = value;

    if (!s->sealed) {
        sqlite3_result_int(ctx, s->is_compressed);
    }
    return PQ_OK;
}

static PqRc give_crc_ok(const PqextCall *call, const void *value,
                        sqlite3_context *ctx, PqErr *e)
{
    State *s = call->state;
    uint32_t crc;

    if (s->crc >= 0) {
        PQ_TRY(pq_page_crc(&s->chunk, &crc, e));
        sqlite3_result_int(ctx, crc == s->crc);
    }
    return PQ_OK;
}

#define HEADER(field) \
    .of = header, .format = &pq_format_page_header, .path = {field}
#define STATISTICS(field) \
    .of = statistics, .format = &pq_format_statistics, .path = {field}

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"row_group_id BIGINT", PQEXT_MEMBER(State, row_group)},
    {"column_id BIGINT", PQEXT_MEMBER(State, leaf)},
    {"path_in_schema TEXT", .write = write_path},
    {"page BIGINT", PQEXT_MEMBER(State, page)},
    {"page_type TEXT", HEADER(PQ_PAGE_HEADER_TYPE)},
    {"\"offset\" BIGINT", PQEXT_MEMBER(State, at)},
    {"header_size BIGINT", PQEXT_MEMBER(State, header_size)},
    {"compressed_size BIGINT", HEADER(PQ_PAGE_HEADER_COMPRESSED)},
    {"uncompressed_size BIGINT", HEADER(PQ_PAGE_HEADER_UNCOMPRESSED)},
    {"first_row BIGINT", PQEXT_MEMBER(State, first_row)},
    {"num_rows BIGINT", PQEXT_MEMBER(State, n_rows)},
    {"num_values BIGINT", PQEXT_MEMBER(State, n_values)},
    {"encoding TEXT", PQEXT_AT(State, encoding), .give = give_encoding},
    {"definition_encoding TEXT", PQEXT_AT(State, definition_encoding),
     .give = give_encoding},
    {"repetition_encoding TEXT", PQEXT_AT(State, repetition_encoding),
     .give = give_encoding},
    {"min", STATISTICS(PQ_STATISTICS_MIN_VALUE), .give = give_bound},
    {"max", STATISTICS(PQ_STATISTICS_MAX_VALUE), .give = give_bound},
    {"null_count BIGINT", STATISTICS(PQ_STATISTICS_NULL_COUNT)},
    {"nan_count BIGINT", STATISTICS(PQ_STATISTICS_NAN_COUNT)},
    {"is_compressed BOOLEAN", .give = give_is_compressed},
    {"crc BIGINT", PQEXT_MEMBER(State, crc)},
    {"crc_ok BOOLEAN", .give = give_crc_ok},
    {"missing_key TEXT", PQEXT_MEMBER(State, sealed)},
};

const PqextFunction pqext_parquet_pages = {
    .name = "parquet_pages",
    .call = "parquet_pages('FILE')",
    PQEXT_COLUMNS(columns),
    .arguments = {"file"},
    .state_size = sizeof(State),
    .begin = pages_begin,
    .next = pages_next,
    .end = pages_end,
};
