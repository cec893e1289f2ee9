/*
** page_write.c - cuts rows into pages and writes them.
**
**   v1   header | pack(rep levels, def levels, values)
**   v2   header | rep levels | def levels | pack(values), or values
**
** In an encrypted column the header is one sealed module and everything after
** it another.  compressed_page_size is the size of the second in the file.
**
** A page holds whole rows; a row that is larger than a page should be gets a
** page of its own.  The last page should not be left with a few rows.  If rows
** need a little more than a whole number of pages, the pages are made evenly
** larger, or one more is made and all are even:
**
**   20,000 urls, 1.13 * page_bytes     one page
**   20,000 urls, 1.4 * page_bytes      two, of 0.7 each
*/
#include "core/column/chunk_write_inside.h"

#include "core/base/bits.h"
#include "core/codec/codec.h"

/* The number of set bits among n from bit `at` on. */
static uint32_t count_valid(const uint64_t *valid, uint32_t at, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i += 64) {
        uint64_t bits = pq_bits_from(valid, (uint64_t)at + i,
                                     n - i < 64 ? n - i : 64);

        count += (uint32_t)__builtin_popcountll(bits);
    }
    return count;
}

/* Roughly the bytes of value i, to decide where pages end. */
static size_t value_bytes(const PqChunkWrite *w, const PqPageRows *r,
                          uint32_t i)
{
    if (r->ids) {
        return 2;
    }
    if (w->leaf->type.physical == PQ_BYTE_ARRAY) {
        return (size_t)((const PqStr *)(const void *)r->values)[i].n + 4;
    }
    return w->leaf->type.physical == PQ_FIXED
               ? w->leaf->type.fixed_length
               : pq_physical_width(w->leaf->type.physical);
}

/* How many bytes a page of these rows gets: page_bytes, or whatever makes the
** pages even, at most a fifth more. */
static size_t even_share(const PqChunkWrite *w, const PqPageRows *r)
{
    size_t most = w->o.page_bytes ? w->o.page_bytes : 1, total = 0, n;

    if (w->leaf->type.physical == PQ_BYTE_ARRAY && !r->ids) {
        for (uint32_t i = 0; i < r->n_values; i++) {
            total += value_bytes(w, r, i);
        }
    } else if (r->n_values) {
        total = value_bytes(w, r, 0) * r->n_values;
    }
    n = total > most / 5 ? (total - most / 5 + most - 1) / most : 1;
    return n * most < total ? total / n + 1 : most;
}

/* Rows, entries and values of the next page. */
typedef struct Cut { uint32_t n_rows, n_entries, n_values; } Cut;

/* The next page of a flat leaf whose values all have the same size. */
static Cut cut_even(const PqChunkWrite *w, const PqPageRows *r, size_t n_bytes)
{
    size_t width = value_bytes(w, r, 0);
    uint32_t most = w->o.page_rows, n;

    if (width && n_bytes / width < most) {
        most = (uint32_t)(n_bytes / width);
    }
    most = most ? most : 1;
    n = r->n_rows < most ? r->n_rows : most;
    return (Cut){n, n, r->valid ? count_valid(r->valid, r->valid_at, n) : n};
}

/* The next page of a flat leaf whose values differ in size; none is null. */
static Cut cut_texts(const PqChunkWrite *w, const PqPageRows *r, size_t most)
{
    const PqStr *s = (const void *)r->values;
    uint32_t most_rows = w->o.page_rows, n = 0;
    size_t n_bytes = 0;

    while (n < r->n_rows) {
        n_bytes += (size_t)s[n].n + 4;
        if (n > 0 && (n >= most_rows || n_bytes > most)) {
            break;
        }
        n++;
    }
    return (Cut){n, n, n};
}

static bool has_value(const PqChunkWrite *w, const PqPageRows *r, uint32_t i)
{
    if (r->def) {
        return r->def[i] == w->leaf->max_def;
    }
    return !r->valid || pq_bit(r->valid, r->valid_at + i);
}

/* The next page of any leaf: counts entry by entry until a row is too many. */
static Cut cut_uneven(const PqChunkWrite *w, const PqPageRows *r, size_t most)
{
    Cut at = {0}, cut = {0};
    size_t n_bytes = 0;

    while (at.n_entries < r->n_entries) {
        if (!r->rep || r->rep[at.n_entries] == 0) {
            cut = at;
            if (at.n_rows &&
                (at.n_rows >= w->o.page_rows || n_bytes >= most)) {
                return cut;
            }
            at.n_rows++;
        }
        if (has_value(w, r, at.n_entries)) {
            size_t n = value_bytes(w, r, at.n_values++);

            if (cut.n_rows && n_bytes + n > most) {
                return cut;
            }
            n_bytes += n;
        }
        n_bytes += r->rep ? 1 : 0;
        at.n_entries++;
    }
    return at;
}

static void count_levels(const uint16_t *levels, uint32_t n, uint16_t max,
                         int64_t *counts)
{
    memset(counts, 0, ((size_t)max + 1) * sizeof *counts);
    for (uint32_t i = 0; i < n; i++) {
        counts[levels[i]]++;
    }
}

/* Counts the levels and the bytes of texts, for the index. */
static void measure(PqChunkWrite *w, const PqPageRows *r, PqIndexPage *page)
{
    const PqLeaf *leaf = w->leaf;

    if (leaf->max_def > 1 || leaf->max_rep > 0) {
        count_levels(r->def, r->n_entries, leaf->max_def, w->def_histogram);
        page->def_histogram = leaf->max_def ? w->def_histogram : NULL;
    }
    if (leaf->max_rep > 0) {
        count_levels(r->rep, r->n_entries, leaf->max_rep, w->rep_histogram);
        page->rep_histogram = w->rep_histogram;
    }
    if (leaf->type.physical == PQ_BYTE_ARRAY &&
        !pq_page_by_entries(w, r->ids)) {
        const PqStr *s = (const void *)r->values;

        for (uint32_t i = 0; i < r->n_values; i++) {
            page->n_text_bytes += s[i].n;
        }
    }
}

static PqRc write_levels(const PqChunkWrite *w, const PqPageRows *r,
                         PqLevelsIn in, PqBuf *out, uint32_t *n_rep,
                         uint32_t *n_def, PqErr *e)
{
    size_t start = out->n;

    PQ_TRY(pq_encode_levels(r->rep, r->n_entries, w->leaf->max_rep, in, out,
                            e));
    *n_rep = (uint32_t)(out->n - start);
    start = out->n;
    if (r->def || w->leaf->max_def == 0) {
        PQ_TRY(pq_encode_levels(r->def, r->n_entries, w->leaf->max_def, in,
                                out, e));
    } else {
        PQ_TRY(pq_encode_valid(r->valid, r->valid_at, r->n_entries, in, out,
                               e));
    }
    *n_def = (uint32_t)(out->n - start);
    return PQ_OK;
}

static PqRc write_values(const PqChunkWrite *w, const PqPageRows *r,
                         PqBuf *out, PqErr *e)
{
    PqValueShape shape = pq_chunk_shape(w, w->encoding, r->n_values);

    return r->ids ? pq_encode_ids(r->ids, r->n_values, w->dict.n_entries, out,
                                  e)
                  : pq_encode(&shape, r->values, out, e);
}

/* Packs ctx->body into ctx->packed, except for n_levels bytes in front. */
static PqRc pack_body(const PqChunkWrite *w, PqSearch search, PqWriteCtx *ctx,
                      size_t n_levels, bool *is_compressed, PqErr *e)
{
    PqSlice body = pq_slice(ctx->body.p + n_levels, ctx->body.n - n_levels);

    ctx->packed.n = 0;
    PQ_TRY(pq_buf_append(&ctx->packed, ctx->body.p, n_levels, e));
    *is_compressed = w->o.codec != PQ_CODEC_UNCOMPRESSED && body.n > 0;
    return pq_write_ctx_pack(ctx, *is_compressed ? w->o.codec
                                                 : PQ_CODEC_UNCOMPRESSED,
                             w->o.level, search, body, &ctx->packed, e);
}

/* Stores the values of a v2 page as they are if packing did not shrink them:
** its header can say so. */
static PqRc unpack_vain(PqWriteCtx *ctx, size_t n_levels, bool *is_compressed,
                        PqErr *e)
{
    if (!*is_compressed || ctx->packed.n < ctx->body.n) {
        return PQ_OK;
    }
    *is_compressed = false;
    ctx->packed.n = n_levels;
    return pq_buf_append(&ctx->packed, ctx->body.p + n_levels,
                         ctx->body.n - n_levels, e);
}

/* The next page, or its header, as a module.  The dictionary page has no
** number, data pages have 0, 1, ... */
static PqModule page_module(const PqChunkWrite *w, const PqPageHeader *h,
                            bool is_header)
{
    bool is_data = h->type != PQ_PAGE_DICTIONARY;
    PqModule m = pq_chunk_write_module(
        w, is_data ? is_header ? PQ_MODULE_DATA_PAGE_HEADER
                               : PQ_MODULE_DATA_PAGE
           : is_header ? PQ_MODULE_DICTIONARY_PAGE_HEADER
                       : PQ_MODULE_DICTIONARY_PAGE);

    m.page = is_data ? (int)(w->n_dict_pages + w->n_direct_pages) : -1;
    return m;
}

static PqRc check_page(const PqModule *page, size_t n_raw, size_t n_packed,
                       PqErr *e)
{
    size_t most = INT32_MAX - pq_module_overhead(page);

    if (n_raw > most || n_packed > most) {
        return pq_fail(e, PQ_USAGE, "a page of %zu bytes: the format holds no "
                       "more than 2147483647; fewer rows in a page may help "
                       "(page_rows)", n_raw);
    }
    if (page->lock && page->page > PQ_ORDINAL_MOST) {
        return pq_fail(e, PQ_USAGE, "an encrypted column has at most %d pages "
                       "in a row group; larger pages (page_rows, page_bytes) "
                       "or fewer rows in a row group (row_group_rows) help",
                       PQ_ORDINAL_MOST + 1);
    }
    return PQ_OK;
}

/* The header as the file has it, in whatever buffer the body is not. */
static PqRc make_header(const PqModule *header, const PqPageHeader *h,
                        PqWriteCtx *ctx, PqSlice *out, PqErr *e)
{
    PqBuf *b = header->lock ? &ctx->packed : &ctx->body;

    b->n = 0;
    b->sink = e;
    pq_format_write_page_header(h, b);
    b->sink = NULL;                  /* e does not stay */
    PQ_TRY(e->rc);
    *out = pq_buf_view(b);
    if (header->lock) {
        ctx->trial.n = 0;
        PQ_TRY(pq_module_seal(header, *out, &ctx->trial, e));
        *out = pq_buf_view(&ctx->trial);
    }
    return PQ_OK;
}

/* The checksum covers the bytes in the file, sealed or not.  A page that GCM
** seals gets no checksum, because its tag says more.  Readers also disagree:
** arrow-rs would compare a checksum with the opened bytes, but Arrow and
** parquet-java with the bytes in the file.  check_algorithm in chunk_read.c
** relies on this. */
static void put_checksum(const PqModule *page, PqSlice body, PqPageHeader *h)
{
    if (!page->lock || page->lock->ctr) {
        h->has |= 1u << PQ_PAGE_HEADER_CRC;
        h->crc = (int32_t)pq_crc32(0, body);
    }
}

/* The sealed body goes to ctx->body.  What lay there is packed by then, so nobody needs it.
** After the call ctx->packed may be used again. */
PqRc pq_write_ctx_seal_page(PqWriteCtx *ctx, const PqModule *page,
                            const PqModule *header, PqPageHeader *h,
                            size_t n_raw, PqSlice *body, PqSlice *head, PqErr *e)
{
    PQ_TRY(check_page(page, n_raw, body->n, e));
    if (page->lock) {
        ctx->body.n = 0;
        PQ_TRY(pq_module_seal(page, *body, &ctx->body, e));
        *body = pq_buf_view(&ctx->body);
    }
    h->has |= 1u << PQ_PAGE_HEADER_TYPE | 1u << PQ_PAGE_HEADER_UNCOMPRESSED |
              1u << PQ_PAGE_HEADER_COMPRESSED;
    h->uncompressed_page_size = (int32_t)n_raw;
    h->compressed_page_size = (int32_t)body->n;
    put_checksum(page, *body, h);
    return make_header(header, h, ctx, head, e);
}

/* Adds header and packed body to the pages, or to out.  *n_bytes is their
** size. */
static PqRc add_page(PqChunkWrite *w, PqWriteCtx *ctx, PqPageHeader *h,
                     size_t n_raw, PqBuf *out, size_t *n_bytes, PqErr *e)
{
    PqModule page = page_module(w, h, false);
    PqModule header = page_module(w, h, true);
    PqSlice body = pq_buf_view(&ctx->packed), head;

    PQ_TRY(pq_write_ctx_seal_page(ctx, &page, &header, h, n_raw, &body, &head,
                                  e));
    *n_bytes = head.n + body.n;
    w->raw_bytes += head.n + n_raw;
    if (out) {
        PQ_TRY(pq_buf_append(out, head.p, head.n, e));
        return pq_buf_append(out, body.p, body.n, e);
    }
    PQ_TRY(pq_page_store_add(&w->pages, head, e));
    return pq_page_store_add(&w->pages, body, e);
}

static void describe(const PqChunkWrite *w, const PqPageRows *r,
                     PqPageHeader *h, const uint32_t n_levels[2],
                     bool is_compressed)
{
    int encoding = r->ids ? PQ_ENCODING_RLE_DICTIONARY : w->encoding;

    if (w->o.page_v2) {
        h->type = PQ_PAGE_DATA_V2;
        h->has |= 1u << PQ_PAGE_HEADER_DATA_V2;
        h->data_page_v2 = (PqDataPageHeaderV2){
            .has = 1u << PQ_DATA_PAGE_V2_NUM_VALUES |
                   1u << PQ_DATA_PAGE_V2_NUM_NULLS |
                   1u << PQ_DATA_PAGE_V2_NUM_ROWS |
                   1u << PQ_DATA_PAGE_V2_ENCODING |
                   1u << PQ_DATA_PAGE_V2_DEFINITION_LENGTH |
                   1u << PQ_DATA_PAGE_V2_REPETITION_LENGTH |
                   1u << PQ_DATA_PAGE_V2_IS_COMPRESSED,
            .num_values = (int32_t)r->n_entries,
            .num_nulls = (int32_t)(r->n_entries - r->n_values),
            .num_rows = (int32_t)r->n_rows,
            .encoding = encoding,
            .repetition_levels_byte_length = (int32_t)n_levels[0],
            .definition_levels_byte_length = (int32_t)n_levels[1],
            .is_compressed = is_compressed,
        };
        return;
    }
    h->type = PQ_PAGE_DATA;
    h->has |= 1u << PQ_PAGE_HEADER_DATA;
    h->data_page = (PqDataPageHeader){
        .has = 1u << PQ_DATA_PAGE_NUM_VALUES | 1u << PQ_DATA_PAGE_ENCODING |
               1u << PQ_DATA_PAGE_DEFINITION | 1u << PQ_DATA_PAGE_REPETITION,
        .num_values = (int32_t)r->n_entries,
        .encoding = encoding,
        .definition_level_encoding = PQ_ENCODING_RLE,
        .repetition_level_encoding = PQ_ENCODING_RLE,
    };
}

static void add_geometries(PqChunkWrite *w, const PqPageRows *r)
{
    const PqStr *s = (const void *)r->values;

    for (uint32_t i = 0; i < r->n_values; i++) {
        pq_geo_bounds_add(w->geo, pq_slice(s[i].p, s[i].n));
    }
}

bool pq_page_by_entries(const PqChunkWrite *w, const uint32_t *ids)
{
    enum { SHARE = 8 };
    uint32_t most = w->o.page_bytes / 2 < w->o.page_rows ? w->o.page_bytes / 2
                                                         : w->o.page_rows;

    return ids && w->leaf->type.physical == PQ_BYTE_ARRAY &&
           w->dict.n_entries <= most / SHARE;
}

/* Counts how often each entry is in the page, and adds each entry once. */
static PqRc add_entries_of(PqChunkWrite *w, const PqPageRows *r,
                           int64_t n_nulls, PqWriteCtx *ctx, PqIndexPage *page,
                           PqErr *e)
{
    const PqStr *entries = w->dict.entries;
    uint32_t n = w->dict.n_entries, n_seen = 0, *counts;
    PqStr *seen;

    PQ_TRY(pq_buf_resize(&ctx->trial, n * (sizeof *seen + sizeof *counts), e));
    seen = (void *)ctx->trial.p;
    counts = (void *)(seen + n);
    memset(counts, 0, n * sizeof *counts);
    for (uint32_t i = 0; i < r->n_values; i++) {
        counts[r->ids[i]]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i]) {
            page->n_text_bytes += (int64_t)counts[i] * entries[i].n;
            seen[n_seen++] = entries[i];
        }
    }
    return pq_bounds_add(&w->page_bounds, seen, n_seen, n_nulls, e);
}

/* Adds a page to bounds, index and filter; it takes n_bytes from offset on. */
static PqRc note_page(PqChunkWrite *w, const PqPageRows *r, int64_t offset,
                      size_t n_bytes, PqWriteCtx *ctx, PqErr *e)
{
    PqIndexPage page = {
        .first_row = (int64_t)w->n_rows,
        .offset = offset,
        .n_bytes = (int32_t)n_bytes,
        .all_null = r->n_values == 0,
        .bounds = &w->page_bounds,
    };
    int64_t n_nulls = (int64_t)r->n_entries - r->n_values;

    measure(w, r, &page);
    pq_bounds_make_reset(&w->page_bounds);
    PQ_TRY(pq_page_by_entries(w, r->ids)
               ? add_entries_of(w, r, n_nulls, ctx, &page, e)
               : pq_bounds_add(&w->page_bounds, r->values, r->n_values, n_nulls,
                               e));
    PQ_TRY(pq_bounds_add_bounds(&w->bounds, &w->page_bounds, e));
    PQ_TRY(pq_index_make_add(w->index, &page, e));
    if (w->geo && !r->ids) {
        add_geometries(w, r);
    }
    if (w->has_bloom && !r->ids) {
        PQ_TRY(pq_chunk_bloom_add(w, r->values, r->n_values, ctx, e));
    }
    w->n_rows += r->n_rows;
    w->n_entries += r->n_entries;
    w->n_nulls += (uint64_t)n_nulls;
    if (r->ids) {
        w->n_dict_pages++;
    } else {
        w->n_direct_pages++;
        w->n_pages_of[w->encoding]++;
    }
    return PQ_OK;
}

static PqRc write_page(PqChunkWrite *w, const PqPageRows *r, PqWriteCtx *ctx,
                       PqErr *e)
{
    PqPageHeader h = {0};
    PqLevelsIn in = w->o.page_v2 ? PQ_LEVELS_V2 : PQ_LEVELS_V1;
    uint32_t n_levels[2];
    size_t n_bytes = 0, n_raw, n_plain;
    int64_t offset = (int64_t)w->pages.n_bytes;
    int search;
    bool is_compressed;

    PQ_TRY(pq_stop_poll(&ctx->stop, e));
    ctx->body.n = 0;
    PQ_TRY(write_levels(w, r, in, &ctx->body, &n_levels[0], &n_levels[1], e));
    PQ_TRY(write_values(w, r, &ctx->body, e));
    n_raw = ctx->body.n;
    n_plain = w->o.page_v2 ? (size_t)n_levels[0] + n_levels[1] : 0;
    PQ_TRY(pq_chunk_choose_search(
        w, pq_slice(ctx->body.p + n_plain, n_raw - n_plain), ctx, e));
    search = w->searches[pq_chunk_kind_of_pages(w)];
    PQ_TRY(pack_body(w, search < 0 ? PQ_SEARCH_LEVEL : (PqSearch)search, ctx,
                     n_plain, &is_compressed, e));
    if (w->o.page_v2) {
        PQ_TRY(unpack_vain(ctx, n_plain, &is_compressed, e));
    }
    describe(w, r, &h, n_levels, is_compressed);
    PQ_TRY(add_page(w, ctx, &h, n_raw, NULL, &n_bytes, e));
    return note_page(w, r, offset, n_bytes, ctx, e);
}

/* The rows before a cut; *r keeps those after it. */
static PqPageRows take(const PqChunkWrite *w, PqPageRows *r, Cut cut)
{
    size_t width = pq_physical_width(w->leaf->type.physical);
    PqPageRows front = *r;

    front.n_rows = cut.n_rows;
    front.n_entries = cut.n_entries;
    front.n_values = cut.n_values;
    r->valid_at += cut.n_entries;
    r->def = r->def ? r->def + cut.n_entries : NULL;
    r->rep = r->rep ? r->rep + cut.n_entries : NULL;
    r->values = r->values ? r->values + cut.n_values * width : NULL;
    r->ids = r->ids ? r->ids + cut.n_values : NULL;
    r->n_entries -= cut.n_entries;
    r->n_values -= cut.n_values;
    r->n_rows -= cut.n_rows;
    return front;
}

PqPageRows pq_page_rows_take(const PqChunkWrite *w, PqPageRows *rows,
                             uint32_t n)
{
    Cut at = {0};

    if (n >= rows->n_rows) {
        at = (Cut){rows->n_rows, rows->n_entries, rows->n_values};
        return take(w, rows, at);
    }
    if (!rows->def) {
        at = (Cut){n, n, rows->valid ? count_valid(rows->valid, rows->valid_at,
                                                   n) : n};
        return take(w, rows, at);
    }
    while (at.n_entries < rows->n_entries) {
        bool begins = !rows->rep || rows->rep[at.n_entries] == 0;

        if (begins && at.n_rows == n) {
            break;
        }
        at.n_rows += begins;
        at.n_values += has_value(w, rows, at.n_entries++);
    }
    return take(w, rows, at);
}

PqRc pq_page_write_rows(PqChunkWrite *w, const PqPageRows *rows,
                        PqWriteCtx *ctx, PqErr *e)
{
    PqPageRows rest = *rows;
    size_t share = even_share(w, rows);
    bool flat = !rows->def;
    bool even = rows->ids || w->leaf->type.physical != PQ_BYTE_ARRAY;

    while (rest.n_rows) {
        bool full = rest.n_values == rest.n_entries;
        Cut cut = flat && even   ? cut_even(w, &rest, share)
                  : flat && full ? cut_texts(w, &rest, share)
                                 : cut_uneven(w, &rest, share);
        PqPageRows page = take(w, &rest, cut);

        PQ_TRY(write_page(w, &page, ctx, e));
    }
    return PQ_OK;
}

PqRc pq_page_write_dictionary(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e)
{
    PqValueShape shape = pq_chunk_shape(w, PQ_ENCODING_PLAIN,
                                        w->dict.n_entries);
    PqPageHeader h = {
        .has = 1u << PQ_PAGE_HEADER_DICTIONARY,
        .type = PQ_PAGE_DICTIONARY,
        .dictionary_page = {
            .has = 1u << PQ_DICTIONARY_NUM_VALUES |
                   1u << PQ_DICTIONARY_ENCODING,
            .num_values = (int32_t)w->dict.n_entries,
            .encoding = PQ_ENCODING_PLAIN,
        },
    };
    size_t n_bytes = 0;
    bool is_compressed;

    ctx->body.n = 0;
    PQ_TRY(pq_encode(&shape, w->dict.entries, &ctx->body, e));
    PQ_TRY(pack_body(w, PQ_SEARCH_LEVEL, ctx, 0, &is_compressed, e));
    return add_page(w, ctx, &h, ctx->body.n, &w->dict_page, &n_bytes, e);
}
