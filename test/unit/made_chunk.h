/*
** made_chunk.h - builds a column chunk, page by page, in a file that exists
** only in memory: for chunks that no available writer writes.
**
**   MadeFile m;
**   made_begin(t, &m, schema elements, n);          one row group
**   made_chunk(&m);                                 of the next leaf
**   made_page_v1(&m, n_slots, rep, def, encoding, values, n_bytes);
**   made_end(&m, n_rows);                           footer, open
**
** Levels are given as arrays and written as one bit-packed run each.  Pages are
** compressed and have a checksum if m.codec and m.crc say so; set these before
** made_chunk.  So is m.lock, with which a chunk is encrypted, and m.seal, which
** says how the footer is: see made_sealed.h.
*/
#ifndef MADE_CHUNK_H
#define MADE_CHUNK_H

#include "core/column/leaf_read.h"
#include "test/unit/made_sealed.h"

#include <zlib.h>

enum { MADE_LEAVES = 4, MADE_PAGES = 64 };

typedef struct MadeFile {
    Test           *t;
    PqBuf           bytes;
    PqSchemaElement el[16];
    PqFileMetaData  file;
    PqColumnChunk   chunk[MADE_LEAVES];
    int             n_chunks;
    PqPageLocation  page[MADE_LEAVES][MADE_PAGES];
    int             n_pages[MADE_LEAVES];
    int64_t         rows[MADE_LEAVES];
    int             types[MADE_LEAVES];
    uint16_t        max_rep, max_def;        /* of the current chunk */
    int             codec;
    bool            crc;
    int64_t         size_lacks;      /* of total_compressed_size         */
    const PqLock   *lock;
    MadeSeal        seal;
    PqSource       *source;
    PqInput         in;
    PqFooter       *footer;
} MadeFile;

static inline void made_begin(Test *t, MadeFile *m, const PqSchemaElement *el,
                              uint32_t n)
{
    memset(m, 0, sizeof *m);
    m->t = t;
    pq_buf_init(&m->bytes, t->mem, t->e);
    pq_buf_text(&m->bytes, "PAR1");
    memcpy(m->el, el, n * sizeof *el);
    m->file.schema.v = m->el;
    m->file.schema.n = n;
}

static inline void made_chunk(MadeFile *m, int type, uint16_t max_rep,
                              uint16_t max_def)
{
    PqColumnChunk *c = &m->chunk[m->n_chunks];

    m->types[m->n_chunks++] = type;
    m->max_rep = max_rep;
    m->max_def = max_def;
    c->has = 1u << PQ_CHUNK_FILE_OFFSET | 1u << PQ_CHUNK_META_DATA;
    c->meta_data.has = 1u << PQ_COLUMN_TYPE | 1u << PQ_COLUMN_ENCODINGS |
                       1u << PQ_COLUMN_PATH | 1u << PQ_COLUMN_CODEC |
                       1u << PQ_COLUMN_NUM_VALUES |
                       1u << PQ_COLUMN_UNCOMPRESSED_SIZE |
                       1u << PQ_COLUMN_COMPRESSED_SIZE |
                       1u << PQ_COLUMN_DATA_PAGE_OFFSET;
    c->meta_data.type = type;
    c->meta_data.codec = m->codec;
    c->meta_data.data_page_offset = (int64_t)m->bytes.n;
    made_lock_chunk(&m->seal, m->lock, c);
}

/* Levels as one bit-packed run, after its length for v1. */
static inline size_t made_levels(PqBuf *out, const uint16_t *v, uint32_t n,
                                 uint16_t max, bool v1)
{
    unsigned width = 0, bit = 0, acc = 0;
    size_t at = out->n, from;
    uint32_t i, padded = (n + 7) / 8 * 8;

    if (max == 0) {
        return 0;
    }
    while (max >> width) {
        width++;
    }
    if (v1) {
        pq_buf_add(out, "\0\0\0\0", 4);
    }
    from = out->n;
    pq_buf_varint(out, (uint64_t)(padded / 8) << 1 | 1);
    for (i = 0; i < padded; i++) {
        unsigned k;
        for (k = 0; k < width; k++) {
            acc |= (unsigned)((i < n ? v[i] : 0) >> k & 1) << bit;
            if (++bit == 8) {
                pq_buf_byte(out, (uint8_t)acc);
                acc = bit = 0;
            }
        }
    }
    if (v1) {
        pq_store_u32(out->p + at, (uint32_t)(out->n - from));
    }
    return out->n - at;
}

static inline uint32_t made_rows_of(const MadeFile *m, const uint16_t *rep,
                                    uint32_t n)
{
    uint32_t i, rows = 0;

    for (i = 0; i < n; i++) {
        rows += m->max_rep == 0 || rep[i] == 0;
    }
    return rows;
}

/* Compresses the body from byte `from` on. */
static inline void made_packed(MadeFile *m, PqBuf *body, size_t from)
{
    PqSlice plain = pq_buf_view(body);
    PqCodecState *s = NULL;
    PqBuf packed;

    if (from > 0) {                  /* there may be no bytes at all   */
        plain.p += from;
        plain.n -= from;
    }
    pq_buf_init(&packed, m->t->mem, m->t->e);
    if (m->codec != PQ_CODEC_UNCOMPRESSED && pq_buf_ok(body) &&
        pq_codec_state_new(m->t->mem, &s, m->t->e) == PQ_OK &&
        pq_codec_encode(s, m->codec, 1, PQ_SEARCH_LEVEL, plain, &packed,
                        m->t->e) == PQ_OK) {
        body->n = from;
        pq_buf_add(body, packed.p, packed.n);
    }
    pq_codec_state_free(s);
    pq_buf_free(&packed);
}

static inline void made_page(MadeFile *m, PqPageHeader *h, PqBuf *body,
                             uint32_t n_slots, uint32_t n_rows, bool data)
{
    int c = m->n_chunks - 1;
    const PqDataPageHeaderV2 *v2 = &h->data_page_v2;
    size_t at = m->bytes.n, n_plain = body->n;

    made_packed(m, body,
                (size_t)(v2->definition_levels_byte_length +
                         v2->repetition_levels_byte_length));
    made_seal_page(&m->seal, m->lock, c, m->n_pages[c], h, body);
    if (m->crc) {
        h->has |= 1u << PQ_PAGE_HEADER_CRC;
        h->crc = (int32_t)crc32_z(0, body->p, body->n);
    }
    h->has |= 1u << PQ_PAGE_HEADER_TYPE | 1u << PQ_PAGE_HEADER_UNCOMPRESSED |
              1u << PQ_PAGE_HEADER_COMPRESSED;
    h->uncompressed_page_size = (int32_t)n_plain;
    h->compressed_page_size = (int32_t)body->n;
    made_seal_header(&m->seal, m->lock, c, m->n_pages[c], h, &m->bytes);
    pq_buf_add(&m->bytes, body->p, body->n);
    if (data) {
        m->page[c][m->n_pages[c]++] = (PqPageLocation){
            .has = 14, .offset = (int64_t)at,
            .compressed_page_size = (int32_t)(m->bytes.n - at),
            .first_row_index = m->rows[c]};
        m->rows[c] += n_rows;
        m->chunk[c].meta_data.num_values += n_slots;
    }
}

static inline void made_page_v1(MadeFile *m, uint32_t n, const uint16_t *rep,
                                const uint16_t *def, int encoding,
                                const void *values, size_t n_bytes)
{
    PqPageHeader h = {.has = 1u << PQ_PAGE_HEADER_DATA, .type = PQ_PAGE_DATA};
    PqBuf body;

    pq_buf_init(&body, m->t->mem, m->t->e);
    made_levels(&body, rep, n, m->max_rep, true);
    made_levels(&body, def, n, m->max_def, true);
    pq_buf_add(&body, values, n_bytes);
    h.data_page = (PqDataPageHeader){
        .has = 1u << PQ_DATA_PAGE_NUM_VALUES | 1u << PQ_DATA_PAGE_ENCODING |
               1u << PQ_DATA_PAGE_DEFINITION | 1u << PQ_DATA_PAGE_REPETITION,
        .num_values = (int32_t)n, .encoding = encoding,
        .definition_level_encoding = PQ_ENCODING_RLE,
        .repetition_level_encoding = PQ_ENCODING_RLE};
    made_page(m, &h, &body, n, made_rows_of(m, rep, n), true);
    pq_buf_free(&body);
}

static inline void made_page_v2(MadeFile *m, uint32_t n, const uint16_t *rep,
                                const uint16_t *def, int encoding,
                                const void *values, size_t n_bytes)
{
    PqPageHeader h = {.has = 1u << PQ_PAGE_HEADER_DATA_V2,
                      .type = PQ_PAGE_DATA_V2};
    size_t n_rep, n_def;
    PqBuf body;

    pq_buf_init(&body, m->t->mem, m->t->e);
    n_rep = made_levels(&body, rep, n, m->max_rep, false);
    n_def = made_levels(&body, def, n, m->max_def, false);
    pq_buf_add(&body, values, n_bytes);
    h.data_page_v2 = (PqDataPageHeaderV2){
        .has = 0xfe, .num_values = (int32_t)n, .is_compressed = m->codec != 0,
        .num_rows = (int32_t)made_rows_of(m, rep, n), .encoding = encoding,
        .definition_levels_byte_length = (int32_t)n_def,
        .repetition_levels_byte_length = (int32_t)n_rep};
    made_page(m, &h, &body, n, made_rows_of(m, rep, n), true);
    pq_buf_free(&body);
}

static inline void made_dictionary(MadeFile *m, uint32_t n, const void *values,
                                   size_t n_bytes, int encoding)
{
    PqPageHeader h = {.has = 1u << PQ_PAGE_HEADER_DICTIONARY,
                      .type = PQ_PAGE_DICTIONARY};
    PqBuf body;

    pq_buf_init(&body, m->t->mem, m->t->e);
    pq_buf_add(&body, values, n_bytes);
    h.dictionary_page = (PqDictionaryPageHeader){
        .has = 1u << PQ_DICTIONARY_NUM_VALUES | 1u << PQ_DICTIONARY_ENCODING,
        .num_values = (int32_t)n, .encoding = encoding};
    made_page(m, &h, &body, 0, 0, false);
    pq_buf_free(&body);
}

/* An index page.  No known writer writes one; readers pass over it. */
static inline void made_index_page(MadeFile *m)
{
    PqPageHeader h = {.has = 1u << PQ_PAGE_HEADER_INDEX, .type = PQ_PAGE_INDEX};
    PqBuf body;

    pq_buf_init(&body, m->t->mem, m->t->e);
    pq_buf_text(&body, "???");
    made_page(m, &h, &body, 0, 0, false);
    pq_buf_free(&body);
}

static inline void made_offset_index(MadeFile *m, int c)
{
    PqOffsetIndex index = {.has = 2,
                           .page_locations = {m->page[c],
                                              (uint32_t)m->n_pages[c]}};
    size_t at = m->bytes.n;
    PqBuf plain;

    pq_buf_init(&plain, m->t->mem, m->t->e);
    pq_format_write_offset_index(&index, &plain);
    made_seal(&m->seal, m->chunk[c].lock, PQ_MODULE_OFFSET_INDEX, c, -1, &plain,
              &m->bytes);
    pq_buf_free(&plain);
    m->chunk[c].has |= 1u << PQ_CHUNK_OFFSET_INDEX_OFFSET |
                       1u << PQ_CHUNK_OFFSET_INDEX_LENGTH;
    m->chunk[c].offset_index_offset = (int64_t)at;
    m->chunk[c].offset_index_length = (int32_t)(m->bytes.n - at);
}

static inline int64_t made_chunk_begin(const MadeFile *m, int i)
{
    const PqColumnMetaData *d = &m->chunk[i].meta_data;

    return d->dictionary_page_offset > 0 ? d->dictionary_page_offset
                                         : d->data_page_offset;
}

static inline void made_sizes(MadeFile *m)
{
    for (int i = 0; i < m->n_chunks; i++) {
        PqColumnMetaData *d = &m->chunk[i].meta_data;
        int64_t end = (int64_t)m->bytes.n;

        if (m->n_pages[i] > 0) {
            const PqPageLocation *last = &m->page[i][m->n_pages[i] - 1];

            end = last->offset + last->compressed_page_size;
        }
        d->total_compressed_size = d->total_uncompressed_size =
            end - made_chunk_begin(m, i) - m->size_lacks;
    }
}

/* Writes the footer of the chunks.  With a file_path it stands alone: each chunk
** is in that file. */
static inline void made_footer(MadeFile *m, int64_t n_rows,
                               const char *file_path)
{
    PqRowGroup group = {.has = 1u << PQ_ROW_GROUP_COLUMNS |
                               1u << PQ_ROW_GROUP_BYTES |
                               1u << PQ_ROW_GROUP_ROWS,
                        .num_rows = n_rows};
    PqSlice chunks[MADE_LEAVES];
    PqBuf buf[MADE_LEAVES], file;
    int i;

    made_sizes(m);
    if (file_path) {
        m->bytes.n = 4;
    }
    for (i = 0; i < m->n_chunks; i++) {
        PqColumnChunk *c = &m->chunk[i];

        if (file_path) {
            c->has |= 1u << PQ_CHUNK_FILE_PATH;
            c->file_path = pq_slice_text(file_path);
        }
        pq_buf_init(&buf[i], m->t->mem, m->t->e);
        made_seal_metadata(&m->seal, i, c, &buf[i], m->t);
        chunks[i] = pq_buf_view(&buf[i]);
    }
    group.columns.v = chunks;
    group.columns.n = (uint32_t)m->n_chunks;
    m->file.has = 1u << PQ_FILE_VERSION | 1u << PQ_FILE_SCHEMA |
                  1u << PQ_FILE_NUM_ROWS | 1u << PQ_FILE_ROW_GROUPS;
    m->file.version = 1;
    m->file.num_rows = n_rows;
    m->file.row_groups.v = &group;
    m->file.row_groups.n = 1;
    pq_buf_init(&file, m->t->mem, m->t->e);
    made_seal_footer(&m->seal, &m->file, &file, m->t);
    pq_buf_add(&m->bytes, file.p, file.n);
    pq_buf_add(&m->bytes, m->seal.footer && !m->seal.is_signed
                              ? "\0\0\0\0PARE" : "\0\0\0\0PAR1", 8);
    if (pq_buf_ok(&m->bytes)) {
        pq_store_u32(m->bytes.p + m->bytes.n - 8, (uint32_t)file.n);
    }
    for (i = 0; i < m->n_chunks; i++) {
        pq_buf_free(&buf[i]);
    }
    pq_buf_free(&file);
    m->file.row_groups = (PqRowGroupList){0};
}

static inline PqRc made_end(MadeFile *m, int64_t n_rows)
{
    made_footer(m, n_rows, NULL);
    PQ_TRY(m->t->e->rc);
    PQ_TRY(pq_source_open_memory(m->t->mem, "made.parquet",
                                 pq_buf_view(&m->bytes), &m->source, m->t->e));
    m->in.source = m->source;
    return pq_footer_read(&m->in, m->seal.keys, m->t->mem, &m->footer, m->t->e);
}

static inline void made_free(MadeFile *m)
{
    pq_footer_release(m->footer);
    pq_source_close(m->source);
    pq_buf_free(&m->bytes);
}

static inline PqSchemaElement made_group(const char *name, int repetition,
                                         int n, int converted)
{
    PqSchemaElement el = {
        .has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_NUM_CHILDREN |
               1u << PQ_SCHEMA_REPETITION,
        .name = pq_slice_text(name), .num_children = n,
        .repetition_type = repetition};
    if (converted >= 0) {
        el.has |= 1u << PQ_SCHEMA_CONVERTED;
        el.converted_type = converted;
    }
    return el;
}

static inline PqSchemaElement made_leaf(const char *name, int repetition,
                                        int type)
{
    return (PqSchemaElement){
        .has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_TYPE |
               1u << PQ_SCHEMA_REPETITION,
        .name = pq_slice_text(name), .type = type,
        .repetition_type = repetition};
}

#endif
