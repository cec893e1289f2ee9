/*
** made_leaf.c - pages of the levels of a guide.
**
** Its slots below the struct's own lists are left out, and its levels from the struct on
** become the one level that the leaf has there.  The values are runs of one entry of a
** dictionary; Booleans have no dictionaries, and are a run of themselves.
** Ids of rows are values of their own.
*/
#include "core/column/made_leaf.h"

#include "core/encoding/encoder.h"

/* Rows of a page; without a guide, a page is one run. */
enum { ROWS = 8192, ROWS_OF_RUN = 1 << 24 };

typedef struct Making {
    const PqLeaf *leaf;
    PqBuf    *out;
    PqBuf     page;
    uint16_t *rep, *def;             /* of the page                          */
    int64_t  *own;                   /* ... its values, if rows have their own */
    int64_t   n_slots;               /* of all pages                         */
    PqErr    *e;
} Making;

/* ---- pages ------------------------------------------------------------------------------- */

static void put_page(Making *m, PqPageHeader h)
{
    h.has |= 1u << PQ_PAGE_HEADER_TYPE | 1u << PQ_PAGE_HEADER_UNCOMPRESSED |
             1u << PQ_PAGE_HEADER_COMPRESSED;
    h.uncompressed_page_size = h.compressed_page_size = (int32_t)m->page.n;
    pq_format_write_page_header(&h, m->out);
    pq_buf_add(m->out, m->page.p, m->page.n);
}

static bool is_boolean(const Making *m)
{
    return m->leaf->type.physical == PQ_BOOLEAN;
}

static bool rows_differ(const Making *m)
{
    return pq_leaf_made_has_value(m->leaf) && (m->leaf->made->counts || m->leaf->made->fills);
}

static void put_length(PqBuf *b, size_t n)
{
    uint8_t bytes[4];

    pq_store_u32(bytes, (uint32_t)n);
    pq_buf_add(b, bytes, 4);
}

static void put_dictionary(Making *m)
{
    PqSlice v = m->leaf->made->value;

    m->page.n = 0;
    if (m->leaf->type.physical == PQ_BYTE_ARRAY) {
        put_length(&m->page, v.n);
    }
    pq_buf_add(&m->page, v.p, v.n);
    put_page(m, (PqPageHeader){
        .has = 1u << PQ_PAGE_HEADER_DICTIONARY, .type = PQ_PAGE_DICTIONARY,
        .dictionary_page = {.has = 1u << PQ_DICTIONARY_NUM_VALUES | 1u << PQ_DICTIONARY_ENCODING,
                            .num_values = 1, .encoding = PQ_ENCODING_PLAIN}});
}

/* n times the same, at most 16 bits wide. */
static void put_run(PqBuf *b, uint32_t n, uint16_t value, unsigned bytes)
{
    if (n) {
        pq_buf_varint(b, (uint64_t)n << 1);
        pq_buf_byte(b, (uint8_t)value);
        if (bytes > 1) {
            pq_buf_byte(b, (uint8_t)(value >> 8));
        }
    }
}

/* The same after its length in bytes. */
static void put_counted_run(PqBuf *b, uint32_t n, uint16_t value, unsigned bytes)
{
    size_t at = b->n;

    put_length(b, 0);
    put_run(b, n, value, bytes);
    if (pq_buf_ok(b)) {
        pq_store_u32(b->p + at, (uint32_t)(b->n - at - 4));
    }
}

/* The levels are in the page; n_set slots have a value. */
static PqRc end_page(Making *m, uint32_t n_slots, uint32_t n_set)
{
    bool has_value = pq_leaf_made_has_value(m->leaf);
    const PqValueShape shape = {PQ_INT64, 0, PQ_ENCODING_DELTA_BINARY_PACKED, n_set};

    if (rows_differ(m)) {
        PQ_TRY(pq_encode(&shape, m->own, &m->page, m->e));
    } else if (has_value && is_boolean(m)) {
        put_counted_run(&m->page, n_set, m->leaf->made->value.p[0], 1);
    } else if (has_value) {
        pq_buf_byte(&m->page, 1);    /* bits of an id                        */
        put_run(&m->page, n_set, 0, 1);
    }
    put_page(m, (PqPageHeader){
        .has = 1u << PQ_PAGE_HEADER_DATA, .type = PQ_PAGE_DATA,
        .data_page = {.has = 1u << PQ_DATA_PAGE_NUM_VALUES | 1u << PQ_DATA_PAGE_ENCODING |
                             1u << PQ_DATA_PAGE_DEFINITION | 1u << PQ_DATA_PAGE_REPETITION,
                      .num_values = (int32_t)n_slots,
                      .encoding = rows_differ(m)  ? shape.encoding
                                  : !has_value    ? PQ_ENCODING_PLAIN
                                  : is_boolean(m) ? PQ_ENCODING_RLE
                                                  : PQ_ENCODING_RLE_DICTIONARY,
                      .definition_level_encoding = PQ_ENCODING_RLE,
                      .repetition_level_encoding = PQ_ENCODING_RLE}});
    m->n_slots += n_slots;
    return pq_buf_ok(m->out) && pq_buf_ok(&m->page) ? PQ_OK : m->e->rc;
}

/* n rows of the file from one on; v: what it has; NULL: nothing. */
static PqRc put_own(Making *m, const PqVector *v, int64_t row, uint32_t n)
{
    const PqMade *made = m->leaf->made;
    int64_t value = (int64_t)pq_load_u64(made->value.p);

    PQ_TRY(PQ_RESIZE(m->out->mem, m->own, n + 1u, m->e));
    for (uint32_t i = 0; i < n; i++) {
        m->own[i] = v && pq_vector_is_valid(v, i)
                        ? *(const int64_t *)pq_vector_at(v, sizeof value, i)
                        : (int64_t)((uint64_t)value + (uint64_t)(made->counts ? row + i : 0));
    }
    m->page.n = 0;
    put_counted_run(&m->page, n, made->level, 1);
    return end_page(m, n, n);
}

/* ---- by a guide -------------------------------------------------------------------------- */

static PqRc take_levels(Making *m, const PqVector *v)
{
    const PqMade *made = m->leaf->made;
    uint32_t n = 0, n_set = 0;

    PQ_TRY(PQ_RESIZE(m->out->mem, m->rep, v->n_slots + 1u, m->e));
    PQ_TRY(PQ_RESIZE(m->out->mem, m->def, v->n_slots + 1u, m->e));
    for (uint32_t i = 0; i < v->n_slots; i++) {
        uint16_t rep = v->rep ? v->rep[i] : 0, def = v->def ? v->def[i] : 0;

        if (rep <= made->rep) {
            m->rep[n] = rep;
            m->def[n] = def < made->present ? def : made->level;
            n_set += m->def[n++] == m->leaf->max_def;
        }
    }
    m->page.n = 0;
    PQ_TRY(pq_encode_levels(m->rep, n, m->leaf->max_rep, PQ_LEVELS_V1, &m->page, m->e));
    PQ_TRY(pq_encode_levels(m->def, n, m->leaf->max_def, PQ_LEVELS_V1, &m->page, m->e));
    return end_page(m, n, n_set);
}

static PqRc follow(Making *m, PqLeafReader *r, PqInput *in, const PqFooter *f,
                   uint32_t group)
{
    const PqLeaf *guide = m->leaf->made->guide;
    int64_t n_rows = f->groups[group].num_rows, first = f->groups[group].first_row;
    PqArena *a = pq_leaf_reader_arena(r);

    PQ_TRY(pq_footer_chunk_of(f, group, guide, a, &r->chunk.chunk, m->e));
    if (r->chunk.chunk.file_path.n) {
        return pq_fail(m->e, PQ_UNSUPPORTED, "a file of a lake table that is a summary");
    }
    PQ_TRY(pq_leaf_reader_open(r, in, guide, (int)group, n_rows, f->file.created_by, true,
                               m->e));
    for (int64_t row = 0; row < n_rows; row += ROWS) {
        uint32_t n = (uint32_t)(n_rows - row < ROWS ? n_rows - row : ROWS);
        PqVector v;

        PQ_TRY(pq_leaf_read(r, row, n, &v, m->e));
        PQ_TRY(rows_differ(m) ? put_own(m, &v, first + row, n) : take_levels(m, &v));
    }
    return PQ_OK;
}

static PqRc by_guide(Making *m, PqReadCtx *ctx, PqInput *in, const PqFooter *f, uint32_t group)
{
    PqLeafReader *r;
    PqRc rc;

    PQ_TRY(PQ_NEW(ctx->mem, r, 1, m->e));
    rc = pq_leaf_reader_init(r, ctx, m->e);
    rc = rc ? rc : follow(m, r, in, f, group);
    pq_leaf_reader_reset(r);
    pq_mem_free(r);
    return rc;
}

/* ---- in each row -------------------------------------------------------------------------- */

static PqRc everywhere(Making *m, const PqGroup *g)
{
    const PqMade *made = m->leaf->made;
    int64_t n_rows = g->num_rows;

    for (int64_t row = 0; rows_differ(m) && row < n_rows; row += ROWS) {
        PQ_TRY(put_own(m, NULL, g->first_row + row,
                       (uint32_t)(n_rows - row < ROWS ? n_rows - row : ROWS)));
    }
    for (uint32_t n; !rows_differ(m) && n_rows; n_rows -= n) {
        n = (uint32_t)(n_rows < ROWS_OF_RUN ? n_rows : ROWS_OF_RUN);
        m->page.n = 0;
        if (m->leaf->max_rep) {
            put_counted_run(&m->page, n, 0, m->leaf->max_rep > 255 ? 2 : 1);
        }
        put_counted_run(&m->page, n, made->level, m->leaf->max_def > 255 ? 2 : 1);
        PQ_TRY(end_page(m, n, pq_leaf_made_has_value(m->leaf) ? n : 0));
    }
    return PQ_OK;
}

static PqRc make(Making *m, PqReadCtx *ctx, PqInput *in, const PqFooter *f, uint32_t group,
                 PqColumnChunk *chunk)
{
    int64_t data;

    pq_buf_add(m->out, "PAR1", 4);   /* no page is at byte 0                 */
    if (pq_leaf_made_has_value(m->leaf) && !is_boolean(m) && !rows_differ(m)) {
        put_dictionary(m);
    }
    data = (int64_t)m->out->n;
    PQ_TRY(m->leaf->made->guide ? by_guide(m, ctx, in, f, group)
                                : everywhere(m, &f->groups[group]));
    PQ_TRY(pq_buf_ok(m->out) ? PQ_OK : m->e->rc);
    *chunk = (PqColumnChunk){
        .has = 1u << PQ_CHUNK_META_DATA,
        .meta_data = {.type = (int32_t)m->leaf->type.physical, .num_values = m->n_slots,
                      .data_page_offset = data,
                      .total_compressed_size = (int64_t)m->out->n - 4,
                      .total_uncompressed_size = (int64_t)m->out->n - 4}};
    if (data > 4) {
        chunk->meta_data.has |= 1u << PQ_COLUMN_DICTIONARY_PAGE_OFFSET;
        chunk->meta_data.dictionary_page_offset = 4;
    }
    return PQ_OK;
}

PqRc pq_made_leaf_chunk(PqMadeLeaf *made, PqReadCtx *ctx, PqInput *in, const PqFooter *f,
                        uint32_t group, const PqLeaf *leaf, PqColumnChunk *chunk, PqErr *e)
{
    Making m = {.leaf = leaf, .out = &made->bytes, .e = e};
    PqRc rc;

    pq_made_leaf_free(made);
    pq_buf_init(&made->bytes, ctx->mem, e);
    pq_buf_init(&m.page, ctx->mem, e);
    rc = make(&m, ctx, in, f, group, chunk);
    rc = rc ? rc : pq_source_open_memory(ctx->mem, leaf->path, pq_buf_view(&made->bytes),
                                         &made->in.source, e);
    made->bytes.sink = NULL;
    pq_buf_free(&m.page);
    pq_mem_free(m.rep);
    pq_mem_free(m.def);
    pq_mem_free(m.own);
    return rc;
}

void pq_made_leaf_free(PqMadeLeaf *m)
{
    pq_source_close(m->in.source);
    pq_buf_free(&m->bytes);
    m->in.source = NULL;
}
