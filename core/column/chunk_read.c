/*
** chunk_read.c - reads pages: parses a header, then fetches the body, verifies
** its checksum and decompresses it (pq_chunk_take), or passes it.
**
** What is hard is to trust nothing: every count in a header is checked before it
** sizes anything (chunk_header.c, level_bytes, pq_codec_check_claim).  Several
** writers' headers are wrong in known ways: see the QUIRKs.
*/
#include "core/column/chunk_read.h"

#include "core/column/chunk_header.h"
#include "core/column/page_crc.h"
#include "core/meta/writer.h"

/* A window holds a header and often several pages. */
enum { WINDOW = 1 << 16 };

void pq_chunk_init(PqChunkReader *r, PqReadCtx *ctx)
{
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    pq_arena_init(&r->arena, ctx->mem);
    pq_buf_init(&r->window, ctx->mem, NULL);
    pq_buf_init(&r->opened, ctx->mem, NULL);
    r->read_ahead = WINDOW;
}

void pq_chunk_headers_only(PqChunkReader *r, bool only)
{
    r->read_ahead = only ? PQ_HEADER_BYTES : WINDOW;
}

void pq_chunk_reset(PqChunkReader *r)
{
    pq_arena_free(&r->arena);
    pq_buf_free(&r->window);
    pq_buf_free(&r->opened);
}

void pq_chunk_enter(const PqChunkReader *r, PqErr *e)
{
    e->where = (PqWhere){.file = pq_source_path(r->in->source),
                         .column = r->leaf->path, .row_group = r->row_group,
                         .page = -1, .offset = -1};
}

void pq_chunk_leave(PqErr *e)
{
    e->where.row_group = -1;
    e->where.column = NULL;
    e->where.page = -1;
    e->where.offset = -1;
}

/* QUIRK: some writers leave dictionary_page_offset out, or write 0, although
** there is a dictionary page (test: dict-page-offset-zero.parquet).  It then
** lies at data_page_offset, before the first data page. */
static uint64_t first_byte(const PqColumnMetaData *m)
{
    int64_t at = m->data_page_offset;

    if (PQ_HAS(m, PQ_COLUMN_DICTIONARY_PAGE_OFFSET) &&
        m->dictionary_page_offset > 0 && m->dictionary_page_offset < at) {
        at = m->dictionary_page_offset;
    }
    return (uint64_t)at;
}

PqRc pq_chunk_open(PqChunkReader *r, PqInput *in, const PqLeaf *leaf,
                   int row_group, int64_t group_rows, PqSlice created_by,
                   PqErr *e)
{
    const PqColumnMetaData *m = &r->chunk.meta_data;
    uint64_t size = pq_source_size(in->source);

    r->in = in;
    r->leaf = leaf;
    r->row_group = row_group;
    r->group_rows = group_rows;
    r->index = (PqOffsetIndex){0};
    r->index_tried = !pq_page_index_counts_rows(leaf, created_by);
    r->at_data = 0;
    r->window.n = 0;
    r->v2_packed = pq_writer_is(created_by, "parquet-cpp-arrow",
                                PQ_VERSION(3, 0, 0)) ||
                   pq_writer_is(created_by, "parquet-cpp", PQ_VERSION_ANY);
    r->zero_crc_is_none = pq_writer_is(created_by, "Parquet.jl",
                                       PQ_VERSION_ANY);
    r->written_here = pq_writer_is(created_by, PQ_WRITER_HERE, PQ_VERSION_ANY);
    r->dict_bare =
        pq_writer_is(created_by, "parquet-mr", PQ_VERSION(1, 3, 0)) ||
        pq_writer_is(created_by, "parquet-cpp", PQ_VERSION(1, 3, 0));
    r->begin = first_byte(m);
    r->end = r->begin + (uint64_t)m->total_compressed_size;
    r->ahead_end = r->end;
    if (r->begin >= size && m->num_values > 0) {
        pq_chunk_enter(r, e);
        return pq_fail(e, PQ_CORRUPT, "the chunk begins at byte %llu, the file "
                       "has %llu", (unsigned long long)r->begin,
                       (unsigned long long)size);
    }
    pq_chunk_rewind(r);
    return PQ_OK;
}

void pq_chunk_rewind(PqChunkReader *r)
{
    r->at = r->begin;
    r->page = 0;
    r->slots_seen = 0;
    r->by_index = false;
}

void pq_chunk_seek(PqChunkReader *r, uint32_t page)
{
    r->page = (int32_t)page;
    r->by_index = true;              /* slots_seen is no longer known */
}

PqRc pq_chunk_load_index(PqChunkReader *r, uint32_t *n_pages, PqErr *e)
{
    if (!r->index_tried) {
        PqWhere outer = e->where;
        PqRc rc;

        r->index_tried = true;
        rc = pq_page_index_offsets(r->in, &r->chunk, r->row_group,
                                   r->leaf->column, r->group_rows, &r->arena,
                                   &r->index, e);
        e->where = outer;
        if (rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED) {
            pq_err_clear(e);         /* only speed is lost */
            r->index = (PqOffsetIndex){0};
        } else if (rc != PQ_OK) {
            r->index_tried = false;
            return rc;
        }
    }
    *n_pages = r->index.page_locations.n;
    return PQ_OK;
}

uint32_t pq_chunk_slots(const PqChunkReader *r)
{
    return (uint32_t)(r->header.type == PQ_PAGE_DATA_V2
                          ? r->header.data_page_v2.num_values
                          : r->header.data_page.num_values);
}

bool pq_chunk_ends_early(const PqChunkReader *r)
{
    return !r->by_index && r->at >= r->end &&
           r->slots_seen < r->chunk.meta_data.num_values;
}

int64_t pq_chunk_rows_by_index(const PqChunkReader *r, int32_t page)
{
    const PqPageLocationList *pages = &r->index.page_locations;
    uint32_t next = (uint32_t)page + 1;

    return (next < pages->n ? pages->v[next].first_row_index : r->group_rows) -
           pages->v[page].first_row_index;
}

/* Can the data page be the next one?  It must have the rows that the offset index
** says, or no more values than the chunk has left. */
static PqRc check_slots(const PqChunkReader *r, PqErr *e)
{
    int64_t left = r->chunk.meta_data.num_values - r->slots_seen, rows;
    uint32_t slots = pq_chunk_slots(r);

    if (!r->by_index) {
        return slots <= left
                   ? PQ_OK
                   : pq_fail(e, PQ_CORRUPT, "a page of %u values, the chunk has "
                             "%lld left", slots, (long long)left);
    }
    rows = pq_chunk_rows_by_index(r, r->page);
    return r->leaf->max_rep > 0 || rows == slots
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "a page of %u rows, the offset index "
                         "says %lld", slots, (long long)rows);
}

/* Does the page hold the last values of the chunk?  Nothing comes after it. */
static bool is_last(const PqChunkReader *r)
{
    return pq_page_is_data(&r->header) && !r->by_index && !r->dict_bare &&
           r->slots_seen + pq_chunk_slots(r) == r->chunk.meta_data.num_values;
}

/* Can the page end where it says?  The next page must begin there, or the chunk
** end. */
static PqRc check_room(const PqChunkReader *r, PqErr *e)
{
    uint64_t n = (uint64_t)r->header.compressed_page_size, end = r->end;
    const PqPageLocationList *pages = &r->index.page_locations;
    bool dictionary = r->header.type == PQ_PAGE_DICTIONARY;
    uint32_t next = (uint32_t)r->page + !dictionary;

    if (dictionary && r->dict_bare) {
        end += r->body_at - r->at;
    }
    if ((r->by_index || dictionary) && next < pages->n &&
        (uint64_t)pages->v[next].offset > r->at) {
        end = (uint64_t)pages->v[next].offset;
    }
    return r->body_at + n == end || (r->body_at + n < end && !is_last(r))
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "a page of %llu bytes with its header, "
                         "there is room for %lld",
                         (unsigned long long)(r->body_at - r->at + n),
                         (long long)(end - r->at));
}

/* The format does not describe the header of an index page any further; it must
** not be the header of another page. */
static bool is_index_page(const PqPageHeader *h)
{
    return h->type == PQ_PAGE_INDEX && !PQ_HAS(h, PQ_PAGE_HEADER_DATA) &&
           !PQ_HAS(h, PQ_PAGE_HEADER_DATA_V2) &&
           !PQ_HAS(h, PQ_PAGE_HEADER_DICTIONARY);
}

/* Parses the header at r->at. */
static PqRc read_header(PqChunkReader *r, PqErr *e)
{
    size_t n = 0;

    PQ_TRY(pq_stop_poll(&r->ctx->stop, e));
    e->where.page = r->page;
    e->where.offset = (int64_t)r->at;
    if (pq_chunk_ends_early(r)) {
        return pq_fail(e, PQ_CORRUPT, "the chunk ends after %lld of %lld values",
                       (long long)r->slots_seen,
                       (long long)r->chunk.meta_data.num_values);
    }
    PQ_TRY(pq_chunk_parse_header(r, &n, e));
    r->body_at = r->at + n;
    PQ_TRY(pq_chunk_check_header(r, e));
    PQ_TRY(check_room(r, e));
    if (pq_page_is_data(&r->header)) {
        return check_slots(r, e);
    }
    return !r->by_index && (r->header.type == PQ_PAGE_DICTIONARY ||
                            is_index_page(&r->header))
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "a page of type %d where a data page "
                         "should be", r->header.type);
}

PqRc pq_chunk_next(PqChunkReader *r, bool *more, PqErr *e)
{
    for (;;) {
        *more = r->by_index
                    ? (uint32_t)r->page < r->index.page_locations.n
                    : r->slots_seen < r->chunk.meta_data.num_values;
        if (!*more) {
            return PQ_OK;
        }
        if (r->by_index) {
            r->at = (uint64_t)r->index.page_locations.v[r->page].offset;
        }
        PQ_TRY(read_header(r, e));
        if (r->header.type != PQ_PAGE_INDEX) {
            return PQ_OK;
        }
        pq_chunk_pass(r);
    }
}

void pq_chunk_step(PqChunkReader *r)
{
    if (pq_page_is_data(&r->header)) {
        if (r->at_data == 0) {
            r->at_data = r->at;
        }
        r->slots_seen += pq_chunk_slots(r);
        r->page++;
    } else if (r->header.type == PQ_PAGE_DICTIONARY && r->dict_bare) {
        r->end = r->begin + (r->body_at - r->at) +
                 (uint64_t)r->chunk.meta_data.total_compressed_size;
    }
    r->at = r->body_at + (uint64_t)r->header.compressed_page_size;
}

void pq_chunk_pass(PqChunkReader *r)
{
    r->ctx->pages_passed++;
    pq_chunk_step(r);
}

PqModule pq_page_module(const PqChunkReader *r)
{
    return (PqModule){r->header.type == PQ_PAGE_DICTIONARY
                          ? PQ_MODULE_DICTIONARY_PAGE : PQ_MODULE_DATA_PAGE,
                      r->row_group, (int)r->leaf->column, r->page,
                      r->chunk.lock};
}

PqSlice pq_chunk_windowed(const PqChunkReader *r)
{
    PqSlice have = pq_chunk_window_from(r, r->body_at);
    size_t n = (size_t)r->header.compressed_page_size;

    return pq_slice(have.p, have.n < n ? have.n : n);
}

/* The raw bytes of the body from byte `from` on, into out.  What the window has
** is copied; the rest is read from the file. */
static PqRc read_part(PqChunkReader *r, const PqPageBody *body, size_t from,
                      size_t n, uint8_t *out, PqErr *e)
{
    PqSlice have = pq_chunk_windowed(r);
    size_t here = have.n <= from ? 0 : have.n - from < n ? have.n - from : n;

    pq_bytes_copy(out, here ? have.p + from : NULL, here);
    return pq_read_ctx_fetch(r->ctx, r->in, &body->module,
                             r->body_at + from + here, n - here, out + here, e);
}

/* The part of a v2 body that is never compressed: the levels. */
static PqRc level_bytes(PqChunkReader *r, PqPage *page, PqPageBody *body,
                        PqErr *e)
{
    const PqDataPageHeaderV2 *h = &r->header.data_page_v2;
    int64_t rep = h->repetition_levels_byte_length;
    int64_t def = h->definition_levels_byte_length;

    if (!page->v2) {
        return PQ_OK;
    }
    if (rep < 0 || def < 0 || rep + def > (int64_t)body->n_plain ||
        rep + def > r->header.uncompressed_page_size) {
        return pq_fail(e, PQ_CORRUPT, "levels of %lld and %lld bytes in a page "
                       "of %d", (long long)rep, (long long)def,
                       r->header.compressed_page_size);
    }
    page->rep_bytes = (size_t)rep;
    page->def_bytes = (size_t)def;
    body->n_levels = (size_t)(rep + def);
    return PQ_OK;
}

static void describe_page(PqChunkReader *r, PqPage *page)
{
    const PqPageHeader *h = &r->header;

    page->v2 = h->type == PQ_PAGE_DATA_V2;
    page->n_rows = -1;
    page->rep_encoding = page->def_encoding = PQ_ENCODING_RLE;
    page->rep_bytes = page->def_bytes = 0;
    page->number = r->page;
    if (page->v2) {
        page->n_slots = (uint32_t)h->data_page_v2.num_values;
        page->n_rows = h->data_page_v2.num_rows;
        page->encoding = h->data_page_v2.encoding;
    } else if (h->type == PQ_PAGE_DATA) {
        page->n_slots = (uint32_t)h->data_page.num_values;
        page->encoding = h->data_page.encoding;
        page->rep_encoding = h->data_page.repetition_level_encoding;
        page->def_encoding = h->data_page.definition_level_encoding;
    } else {
        page->n_slots = (uint32_t)h->dictionary_page.num_values;
        page->encoding = h->dictionary_page.encoding;
    }
}

static bool is_packed(const PqChunkReader *r)
{
    if (r->chunk.meta_data.codec == PQ_CODEC_UNCOMPRESSED) {
        return false;
    }
    return r->header.type != PQ_PAGE_DATA_V2 || r->v2_packed ||
           r->header.data_page_v2.is_compressed;
}

/* Nothing authenticates which algorithm a file with an encrypted footer claims.
** If it claims CTR, a page sealed by GCM would be opened without its tag.  The
** header, which is authentic, shows that: an uncompressed page is then 16 bytes
** too long, and in files written here only pages of CTR have checksums. */
static PqRc check_algorithm(const PqChunkReader *r, const PqPageBody *body,
                            PqErr *e)
{
    size_t said = (size_t)r->header.uncompressed_page_size;
    const PqLock *lock = body->module.lock;

    if (lock && lock->ctr && r->written_here &&
        !PQ_HAS(&r->header, PQ_PAGE_HEADER_CRC)) {
        return pq_fail(e, PQ_CORRUPT, "the page was encrypted by AES_GCM_V1, as "
                       "it has no checksum, and the file says AES_GCM_CTR_V1: "
                       "it was changed");
    }
    if (body->packed || body->n_plain == said) {
        return PQ_OK;
    }
    return pq_fail(e, PQ_CORRUPT, "a page of %zu bytes, which is not compressed "
                   "and claims to be %zu", body->n_plain, said);
}

PqRc pq_chunk_describe(PqChunkReader *r, PqPage *page, PqPageBody *body,
                       PqErr *e)
{
    size_t seal;

    *body = (PqPageBody){.n = (size_t)r->header.compressed_page_size,
                         .packed = is_packed(r),
                         .module = pq_page_module(r)};
    seal = pq_module_overhead(&body->module);
    if (body->n < seal) {
        return pq_fail(e, PQ_CORRUPT, "an encrypted page of %zu bytes",
                       body->n);
    }
    body->n_plain = body->n - seal;
    PQ_TRY(check_algorithm(r, body, e));
    describe_page(r, page);
    page->bytes.mem = r->ctx->mem;
    page->bytes.n = 0;
    PQ_TRY(level_bytes(r, page, body, e));
    body->n_out = (body->packed ? (size_t)r->header.uncompressed_page_size
                                : body->n_plain) - body->n_levels;
    return PQ_OK;
}

/* How many bytes come before the seal, see the QUIRK in the header. */
static size_t bytes_before_seal(const PqPageBody *body, const uint8_t *raw)
{
    size_t n = body->n_levels;

    return n > 0 && 4 + (uint64_t)pq_load_u32(raw) != body->n &&
                   4 + (uint64_t)pq_load_u32(raw + n) == body->n - n
               ? n : 0;
}

static PqRc all_used(const PqPageBody *body, size_t n, size_t used, PqErr *e)
{
    return used == n ? PQ_OK
                     : pq_fail(e, PQ_CORRUPT, "the encrypted %s has %zu bytes, "
                               "its header says %zu",
                               pq_module_name(body->module.kind), used, n);
}

PqRc pq_chunk_open_body(const PqPageBody *body, uint8_t *raw, PqSlice *plain,
                        PqErr *e)
{
    size_t before, used;
    uint8_t *p = raw;

    *plain = pq_slice(raw, body->n);
    if (!body->module.lock) {
        return PQ_OK;
    }
    before = bytes_before_seal(body, raw);
    PQ_TRY(pq_module_unseal_in_place(&body->module, raw + before,
                                     body->n - before, plain, &used, e));
    PQ_TRY(all_used(body, body->n - before, used, e));
    if (before) {                    /* the levels go next to the values */
        p = raw + (plain->p - raw) - before;
        memmove(p, raw, before);
        *plain = pq_slice(p, before + plain->n);
    }
    return PQ_OK;
}

/* The body, read into `to` and opened there.  A sealed body that the window
** holds is opened from the window. */
static PqRc read_plain(PqChunkReader *r, const PqPageBody *body, PqBuf *to,
                       PqSlice *plain, PqErr *e)
{
    PqSlice raw = pq_chunk_windowed(r);
    size_t used;

    to->n = 0;
    PQ_TRY(pq_buf_resize(to, body->n + 1, e));
    pq_mem_will_fill(to->p, body->n);
    to->n = body->n;
    if (body->module.lock && raw.n == body->n &&
        bytes_before_seal(body, raw.p) == 0) {
        PQ_TRY(pq_page_check_crc(r, raw, e));
        PQ_TRY(pq_module_unseal(&body->module, raw, to, plain, &used, e));
        return all_used(body, body->n, used, e);
    }
    PQ_TRY(read_part(r, body, 0, body->n, to->p, e));
    PQ_TRY(pq_page_check_crc(r, pq_buf_view(to), e));
    return pq_chunk_open_body(body, to->p, plain, e);
}

/* Reads a sealed body so that it lies at the begin of the page when it is
** opened.  The sealed bytes are not needed afterwards. */
static PqRc take_sealed(PqChunkReader *r, PqPage *page, const PqPageBody *body,
                        PqErr *e)
{
    uint8_t front[PQ_SEAL_FRONT];
    size_t n = body->n - sizeof front;
    PqSlice plain;

    PQ_TRY(pq_buf_resize(&page->bytes, n + 1, e));
    PQ_TRY(read_part(r, body, 0, sizeof front, front, e));
    PQ_TRY(read_part(r, body, sizeof front, n, page->bytes.p, e));
    PQ_TRY(pq_module_unseal_rest(&body->module, front, page->bytes.p, n,
                                 &plain, e));
    page->bytes.n = plain.n;
    return PQ_OK;
}

/* Takes a page that is not compressed. */
static PqRc take_stored(PqChunkReader *r, PqPage *page, const PqPageBody *body,
                        PqErr *e)
{
    PqSlice plain;

    if (body->module.lock && body->n_levels == 0 && !pq_page_has_crc(r)) {
        return take_sealed(r, page, body, e);
    }
    PQ_TRY(read_plain(r, body, &page->bytes, &plain, e));
    if (plain.p != page->bytes.p) {
        memmove(page->bytes.p, plain.p, plain.n);
    }
    page->bytes.n = plain.n;
    return PQ_OK;
}

PqRc pq_chunk_body(PqChunkReader *r, const PqPageBody *body, PqSlice *plain,
                   PqErr *e)
{
    PqSlice raw = pq_chunk_windowed(r);

    if (raw.n == body->n && !body->module.lock) {
        *plain = raw;
        return pq_page_check_crc(r, raw, e);
    }
    return read_plain(r, body, &r->ctx->packed, plain, e);
}

static PqRc take_packed(PqChunkReader *r, PqPage *page, const PqPageBody *body,
                        PqErr *e)
{
    int codec = r->chunk.meta_data.codec;
    PqSlice raw, values;

    PQ_TRY(pq_chunk_body(r, body, &raw, e));
    values = pq_slice(raw.p + body->n_levels, raw.n - body->n_levels);
    /* QUIRK: a page of nothing but nulls may have an empty body instead of
    ** compressed zero bytes (tests: page_v2_empty_compressed.parquet,
    ** datapage_v2_empty_datapage.snappy.parquet). */
    if (body->n_out > 0) {
        if (values.n == 0) {
            return pq_fail(e, PQ_CORRUPT, "an empty page body instead of %zu "
                                          "compressed bytes", body->n_out);
        }
        PQ_TRY(pq_codec_check_claim(codec, values, body->n_out, e));
    }
    PQ_TRY(pq_buf_resize(&page->bytes, body->n_levels + body->n_out + 1, e));
    page->bytes.n = body->n_levels + body->n_out;
    pq_bytes_copy(page->bytes.p, raw.p, body->n_levels);
    return body->n_out == 0
               ? PQ_OK
               : pq_codec_decode(r->ctx->codec, codec, values,
                                 page->bytes.p + body->n_levels, body->n_out,
                                 e);
}

PqRc pq_chunk_take(PqChunkReader *r, PqPage *page, PqErr *e)
{
    PqPageBody body;

    PQ_TRY(pq_chunk_describe(r, page, &body, e));
    PQ_TRY(body.packed ? take_packed(r, page, &body, e)
                       : take_stored(r, page, &body, e));
    r->ctx->bytes_unpacked += page->bytes.n;
    pq_chunk_taken(r);
    return PQ_OK;
}

void pq_chunk_taken(PqChunkReader *r)
{
    r->ctx->pages_read++;
    pq_chunk_step(r);
}

void pq_chunk_drop_window(PqChunkReader *r)
{
    if (!r->by_index && r->slots_seen >= r->chunk.meta_data.num_values) {
        pq_buf_free(&r->window);
        pq_buf_free(&r->opened);
    }
}
