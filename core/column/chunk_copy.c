/*
** chunk_copy.c - copies the pages of a chunk, and what is said about them.
**
** A page is copied while it is read, so a chunk needs memory for one page.  What
** the metadata say is counted on the way.
**
** What is hard is the first row of each page, which the offset index needs.  In a
** flat leaf a page has a row per slot, and a v2 page of a list says how many rows
** it has.  A v1 page of a list does not: there the input's index is believed if
** it has the same pages.  If an index is asked for and the input has none, the
** levels are read.
*/
#include "core/column/chunk_copy_inside.h"

#include "core/column/page_crc.h"
#include "core/encoding/levels.h"
#include "core/meta/geometry.h"

void pq_chunk_copy_free(PqChunkCopy *c)
{
    if (c) {
        pq_chunk_reset(&c->r);
        pq_buf_free(&c->page.bytes);
        pq_mem_free(c->pages);
        pq_index_make_free(c->made);
        pq_bounds_make_free(&c->chunk_bounds);
        pq_mem_free(c);
    }
}

/* Repeated leaves of v1 pages whose rows nobody counted have to be unpacked. */
static bool must_count(PqChunkCopy *c)
{
    return (c->s.add & PQ_ADD_PAGE_INDEX) && c->leaf->max_rep > 0 &&
           c->r.index.page_locations.n == 0;
}

static PqRc open_chunk(PqChunkCopy *c, PqErr *e)
{
    const PqChunkCopySpec *s = &c->s;
    PqColumnMetaData *m = &c->r.chunk.meta_data;
    int64_t rows = s->f->groups[s->group].num_rows;
    uint32_t n;

    PQ_TRY(pq_footer_chunk(s->f, s->group, s->leaf, &c->r.arena, &c->r.chunk,
                           e));
    PQ_TRY(pq_chunk_open(&c->r, s->in, c->leaf, (int)s->group, rows,
                         s->f->file.created_by, e));
    PQ_TRY(pq_chunk_load_index(&c->r, &n, e));
    c->believed = s->order != PQ_ORDER_NONE &&
                  pq_order_of_leaf(s->f, s->leaf) == s->order &&
                  !pq_nulls_are_doubtful(s->f, s->leaf);
    c->repacks = (s->repack && (s->codec != m->codec || s->level > 0)) ||
                 must_count(c);
    if (!s->repack) {                /* must_count */
        c->s.codec = m->codec == PQ_CODEC_LZO || m->codec == PQ_CODEC_LZ4
                         ? PQ_CODEC_LZ4_RAW : m->codec;
    }
    if (c->leaf->max_rep == 0 ? m->num_values != rows : m->num_values < rows) {
        pq_chunk_enter(&c->r, e);
        return pq_fail(e, PQ_CORRUPT, "%lld values in a row group of %lld rows",
                       (long long)m->num_values, (long long)rows);
    }
    return PQ_OK;
}

PqRc pq_chunk_copy_new(const PqChunkCopySpec *spec, PqChunkCopy **out, PqErr *e)
{
    PqWhere outer = e->where;
    PqChunkCopy *c;

    *out = NULL;
    PQ_TRY(PQ_NEW(spec->mem, c, 1, e));
    c->s = *spec;
    c->leaf = &spec->f->schema.leaves[spec->leaf];
    c->rows_known = c->index_fits = true;
    pq_chunk_init(&c->r, spec->read);
    pq_bounds_make_init(&c->chunk_bounds, &spec->to->type, spec->mem);
    if (open_chunk(c, e) != PQ_OK) {
        pq_chunk_copy_free(c);
        return e->rc;
    }
    e->where = outer;
    *out = c;
    return PQ_OK;
}

/* ---- a page -------------------------------------------------------------------- */

static PqModule module_of(const PqChunkCopy *c, bool dictionary, bool header)
{
    PqModuleKind kind = dictionary ? header ? PQ_MODULE_DICTIONARY_PAGE_HEADER
                                            : PQ_MODULE_DICTIONARY_PAGE
                        : header ? PQ_MODULE_DATA_PAGE_HEADER
                                 : PQ_MODULE_DATA_PAGE;

    return (PqModule){kind, c->s.row_group, (int)c->s.to->index,
                      dictionary ? -1 : (int)c->n_pages, c->s.lock};
}

static PqRc count_page(PqChunkCopy *c, const PqPageHeader *h, PqErr *e)
{
    int encoding = pq_page_encoding(h);
    bool dictionary = h->type == PQ_PAGE_DICTIONARY;

    if (encoding < 0 || encoding >= PQ_ENCODING_COUNT) {
        return pq_fail(e, PQ_UNSUPPORTED, "a page with encoding %d", encoding);
    }
    if (dictionary && (c->has_dictionary || c->n_pages)) {
        return pq_fail(e, PQ_CORRUPT, c->n_pages
                           ? "a dictionary page after a data page"
                           : "a second dictionary page");
    }
    c->has_dictionary = c->has_dictionary || dictionary;
    c->counts[h->type][encoding]++;
    return PQ_OK;
}

/* Are there bounds in the header that a reader of the output would believe, and
** should not? */
static bool must_silence(const PqChunkCopy *c, const PqPageHeader *h)
{
    return !c->believed &&
           (PQ_HAS(&h->data_page, PQ_DATA_PAGE_STATISTICS) ||
            PQ_HAS(&h->data_page_v2, PQ_DATA_PAGE_V2_STATISTICS));
}

/* Does a reader need to know the writer to understand the header? */
static bool is_odd(const PqChunkCopy *c, const PqPageHeader *h)
{
    return (PQ_HAS(h, PQ_PAGE_HEADER_CRC) && !pq_page_says_crc(&c->r)) ||
           (c->r.v2_packed && h->type == PQ_PAGE_DATA_V2);
}

static bool stays(const PqChunkCopy *c, const PqPageHeader *h)
{
    return !c->repacks && !c->r.chunk.lock && !c->s.lock &&
           !must_silence(c, h) && !is_odd(c, h) &&
           (PQ_HAS(h, PQ_PAGE_HEADER_CRC) || !(c->s.add & PQ_ADD_CHECKSUM));
}

/* The page's rows by its levels; -1 if it begins in the middle of a row. */
static PqRc rows_by_levels(const PqChunkCopy *c, int64_t *rows, PqErr *e)
{
    enum { BLOCK = 1024 };
    PqSlice rest = pq_buf_view(&c->page.bytes);
    uint16_t levels[BLOCK];
    PqLevels rep;

    *rows = 0;
    PQ_TRY(pq_levels_open_v1(&rep, c->page.rep_encoding, c->leaf->max_rep,
                             c->page.n_slots, &rest, NULL, e));
    for (uint32_t left = c->page.n_slots, n; left; left -= n) {
        n = left < BLOCK ? left : BLOCK;
        PQ_TRY(pq_levels_read(&rep, n, levels, e));
        if (left == c->page.n_slots && levels[0] > 0) {
            *rows = -1;
            return PQ_OK;
        }
        for (uint32_t i = 0; i < n; i++) {
            *rows += levels[i] == 0;
        }
    }
    return PQ_OK;
}

/* Counts the rows of a data page that lies at `at` in the input, and is next. */
static PqRc count_rows(PqChunkCopy *c, const PqPageHeader *h, uint64_t at,
                       int64_t *rows, PqErr *e)
{
    const PqPageLocationList *in = &c->r.index.page_locations;

    c->index_fits = c->index_fits && c->n_pages < in->n &&
                    in->v[c->n_pages].offset == (int64_t)at;
    *rows = -1;
    if (c->leaf->max_rep == 0) {
        *rows = c->page.n_slots;
    } else if (h->type == PQ_PAGE_DATA_V2) {
        *rows = c->page.n_rows;
    } else if (c->index_fits) {
        *rows = pq_chunk_rows_by_index(&c->r, (int32_t)c->n_pages);
    } else if (c->repacks) {
        PQ_TRY(rows_by_levels(c, rows, e));
    }
    return PQ_OK;
}

/* Compresses the page that was unpacked; the levels of a v2 page are not. */
static PqRc pack(PqChunkCopy *c, PqPageHeader *h, PqSlice *body, PqErr *e)
{
    PqWriteCtx *w = c->s.write;
    size_t n_levels = c->page.rep_bytes + c->page.def_bytes;
    PqSlice levels = pq_slice(c->page.bytes.p, n_levels);
    PqSlice values = pq_slice(c->page.bytes.p + n_levels,
                              c->page.bytes.n - n_levels);
    bool packs = c->s.codec != PQ_CODEC_UNCOMPRESSED && values.n > 0;

    w->packed.n = 0;
    PQ_TRY(pq_buf_append(&w->packed, levels.p, levels.n, e));
    PQ_TRY(pq_write_ctx_pack(w, packs ? c->s.codec : PQ_CODEC_UNCOMPRESSED,
                             c->s.level, PQ_SEARCH_LEVEL, values, &w->packed,
                             e));
    h->uncompressed_page_size = (int32_t)c->page.bytes.n;
    if (h->type == PQ_PAGE_DATA_V2) {
        h->data_page_v2.has |= 1u << PQ_DATA_PAGE_V2_IS_COMPRESSED;
        h->data_page_v2.is_compressed = packs;
    }
    *body = pq_buf_view(&w->packed);
    return PQ_OK;
}

/* The body of the page as it will be, without its seal. */
static PqRc take_body(PqChunkCopy *c, PqPageHeader *h, PqSlice *body, PqErr *e)
{
    PqPageBody how;

    if (c->repacks) {
        PQ_TRY(pq_chunk_take(&c->r, &c->page, e));
        return pack(c, h, body, e);
    }
    PQ_TRY(pq_chunk_describe(&c->r, &c->page, &how, e));
    PQ_TRY(pq_chunk_body(&c->r, &how, body, e));
    if (h->type == PQ_PAGE_DATA_V2 && how.packed) {
        h->data_page_v2.has |= 1u << PQ_DATA_PAGE_V2_IS_COMPRESSED;
        h->data_page_v2.is_compressed = true;
    }
    pq_chunk_taken(&c->r);
    return PQ_OK;
}

/* Writes the header anew, for a body that has not got its seal yet. */
static PqRc new_header(PqChunkCopy *c, PqPageHeader *h, PqSlice *body,
                       PqSlice *header, PqErr *e)
{
    bool dictionary = h->type == PQ_PAGE_DICTIONARY;
    PqModule page = module_of(c, dictionary, false);
    PqModule head = module_of(c, dictionary, true);

    h->has &= ~(1u << PQ_PAGE_HEADER_CRC);
    if (must_silence(c, h)) {
        h->data_page.has &= ~(1u << PQ_DATA_PAGE_STATISTICS);
        h->data_page_v2.has &= ~(1u << PQ_DATA_PAGE_V2_STATISTICS);
    }
    return pq_write_ctx_seal_page(c->s.write, &page, &head, h,
                                  (size_t)h->uncompressed_page_size, body, header,
                                  e);
}

/* Notes a page that takes n bytes of the output from `at` on. */
static PqRc note_page(PqChunkCopy *c, const PqPageHeader *h, uint64_t at,
                      size_t n, int64_t rows, PqErr *e)
{
    if (n > INT32_MAX) {
        return pq_fail(e, PQ_USAGE, "a page of %zu bytes", n);
    }
    if (!pq_page_is_data(h)) {
        return PQ_OK;
    }
    c->first_data = c->n_pages ? c->first_data : at;
    PQ_TRY(PQ_GROW(c->s.mem, c->pages, c->n_pages, c->pages_room, e));
    c->pages[c->n_pages++] = (PqPageLocation){
        .has = 1u << 1 | 1u << 2 | 1u << 3,          /* all three */
        .offset = (int64_t)at,
        .compressed_page_size = (int32_t)n,
        .first_row_index = c->n_rows,
    };
    c->rows_known = c->rows_known && rows >= 0;
    c->n_rows += rows;
    return PQ_OK;
}

/* Copies the page whose header was parsed last. */
static PqRc copy_page(PqChunkCopy *c, PqSink *to, PqErr *e)
{
    PqPageHeader h = c->r.header;
    uint64_t at_in = c->r.at, at = pq_sink_offset(to);
    PqSlice header = pq_chunk_window_from(&c->r, at_in), body;
    bool as_it_is = stays(c, &h);
    int64_t rows = 0;
    size_t n_raw;

    header.n = (size_t)(c->r.body_at - at_in);
    PQ_TRY(count_page(c, &h, e));
    PQ_TRY(take_body(c, &h, &body, e));
    if (pq_page_is_data(&h)) {
        PQ_TRY(count_rows(c, &h, at_in, &rows, e));
    }
    n_raw = (size_t)h.uncompressed_page_size;
    if (!as_it_is) {
        PQ_TRY(new_header(c, &h, &body, &header, e));
    }
    PQ_TRY(note_page(c, &h, at, header.n + body.n, rows, e));
    c->raw_bytes += (int64_t)(header.n + n_raw);
    c->packed_bytes += (int64_t)(header.n + body.n);
    PQ_TRY(pq_sink_write(to, header.p, header.n, e));
    return pq_sink_write(to, body.p, body.n, e);
}

/* ---- what is said about the chunk -------------------------------------------------- */

/* Bounds by value leave NaNs out, which readers do not expect: bounds_make.h. */
static bool are_bounds(const PqChunkCopy *c, const PqBounds *b)
{
    PqOrder said = pq_order_of_leaf(c->s.f, c->s.leaf);

    return b->order == c->s.order ? said != PQ_ORDER_FLOAT_TOTAL ||
                                        b->n_nans == 0
                                  : said == c->s.order;
}

/* The statistics as far as they can be trusted. */
static void keep_statistics(const PqChunkCopy *c, PqColumnMetaData *out)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;
    PqBounds b = pq_stats_chunk(c->s.f, c->s.leaf, m);
    PqStatistics *s = &out->statistics;
    bool bounds = are_bounds(c, &b);

    *s = (PqStatistics){
        .has = pq_has_if(b.n_nulls >= 0, PQ_STATISTICS_NULL_COUNT) |
               pq_has_if(b.n_nans >= 0 &&
                             PQ_HAS(&m->statistics, PQ_STATISTICS_NAN_COUNT),
                         PQ_STATISTICS_NAN_COUNT) |
               pq_has_if(PQ_HAS(&m->statistics, PQ_STATISTICS_DISTINCT_COUNT) &&
                             m->statistics.distinct_count >= 0,
                         PQ_STATISTICS_DISTINCT_COUNT) |
               pq_has_if(bounds && b.has_min, PQ_STATISTICS_MIN_VALUE) |
               pq_has_if(bounds && b.has_max, PQ_STATISTICS_MAX_VALUE) |
               pq_has_if(bounds && b.min_exact, PQ_STATISTICS_MIN_EXACT) |
               pq_has_if(bounds && b.max_exact, PQ_STATISTICS_MAX_EXACT),
        .null_count = b.n_nulls,
        .nan_count = b.n_nans,
        .distinct_count = m->statistics.distinct_count,
        .min_value = b.min,
        .max_value = b.max,
        .is_min_value_exact = b.min_exact,
        .is_max_value_exact = b.max_exact,
    };
    out->has |= pq_has_if(s->has, PQ_COLUMN_STATISTICS);
}

static bool fits(const PqI64List *l, uint16_t max_level)
{
    return l->n == 0 || l->n == (uint32_t)max_level + 1;
}

static void keep_sizes(const PqChunkCopy *c, PqColumnMetaData *out)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;
    const PqSizeStatistics *s = &m->size_statistics;

    if (PQ_HAS(m, PQ_COLUMN_SIZE_STATISTICS) &&
        fits(&s->repetition_level_histogram, c->leaf->max_rep) &&
        fits(&s->definition_level_histogram, c->leaf->max_def)) {
        out->size_statistics = *s;
        out->has |= 1u << PQ_COLUMN_SIZE_STATISTICS;
    }
    if (PQ_HAS(m, PQ_COLUMN_GEOSPATIAL_STATISTICS)) {
        out->geospatial_statistics = m->geospatial_statistics;
        out->has |= 1u << PQ_COLUMN_GEOSPATIAL_STATISTICS;
    }
}

/* Finds the input's column index, if it can be believed. */
static PqRc load_bounds(PqChunkCopy *c, PqErr *e)
{
    PqRc rc;

    c->index_fits = c->index_fits && c->n_pages > 0 &&
                    c->n_pages == c->r.index.page_locations.n;
    if (!c->believed || !c->index_fits) {
        return PQ_OK;
    }
    rc = pq_page_index_bounds(c->s.in, &c->r.chunk, (int)c->s.group, c->leaf,
                              c->n_pages, &c->r.arena, &c->bounds, e);
    if (rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED) {
        pq_err_clear(e);             /* only speed is lost */
        c->bounds = (PqColumnIndex){0};
        rc = PQ_OK;
    }
    return rc;
}

static bool may_have_bounds(const PqChunkCopy *c)
{
    return pq_order_of_type(&c->s.to->type) != PQ_ORDER_NONE;
}

/* Is something asked for that only the values tell? */
static bool must_look(const PqChunkCopy *c, const PqColumnMetaData *m)
{
    return c->rows_known && c->n_pages > 0 &&
           (((c->s.add & PQ_ADD_PAGE_INDEX) && may_have_bounds(c) &&
             c->bounds.null_pages.n == 0) ||
            ((c->s.add & PQ_ADD_SIZES) &&
             !PQ_HAS(m, PQ_COLUMN_SIZE_STATISTICS)));
}

static PqRc look(PqChunkCopy *c, PqArena *a, PqColumnMetaData *out, PqErr *e)
{
    if (!must_look(c, out)) {
        return PQ_OK;
    }
    PQ_TRY(pq_chunk_look_pages(c, e));
    PQ_TRY(pq_bounds_statistics(&c->chunk_bounds,
                                PQ_HAS(&out->statistics,
                                       PQ_STATISTICS_DISTINCT_COUNT)
                                    ? out->statistics.distinct_count : -1,
                                a, &out->statistics, e));
    PQ_TRY(pq_index_make_sizes(c->made, a, &out->size_statistics, e));
    out->has |= 1u << PQ_COLUMN_STATISTICS |
                pq_has_if(out->size_statistics.has, PQ_COLUMN_SIZE_STATISTICS);
    return PQ_OK;
}

static PqRc copy_pages(PqChunkCopy *c, PqSink *to, PqErr *e)
{
    for (bool more = true;;) {
        PQ_TRY(pq_chunk_next(&c->r, &more, e));
        if (!more) {
            break;
        }
        PQ_TRY(copy_page(c, to, e));
    }
    if (c->leaf->max_rep == 0 || c->n_rows == c->r.group_rows) {
        return PQ_OK;
    }
    c->rows_known = c->index_fits = false;           /* v2 pages that lie */
    return PQ_OK;
}

static PqRc describe(PqChunkCopy *c, PqArena *a, PqColumnMetaData *out, PqErr *e)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;

    *out = (PqColumnMetaData){
        .has = 1u << PQ_COLUMN_TYPE | 1u << PQ_COLUMN_ENCODINGS |
               1u << PQ_COLUMN_CODEC | 1u << PQ_COLUMN_NUM_VALUES |
               1u << PQ_COLUMN_UNCOMPRESSED_SIZE |
               1u << PQ_COLUMN_COMPRESSED_SIZE |
               1u << PQ_COLUMN_DATA_PAGE_OFFSET |
               1u << PQ_COLUMN_ENCODING_STATS |
               pq_has_if(c->has_dictionary, PQ_COLUMN_DICTIONARY_PAGE_OFFSET) |
               pq_has_if(PQ_HAS(m, PQ_COLUMN_KEY_VALUES), PQ_COLUMN_KEY_VALUES),
        .type = m->type,
        .codec = c->repacks ? c->s.codec : m->codec,
        .num_values = m->num_values,
        .total_uncompressed_size = c->raw_bytes,
        .total_compressed_size = c->packed_bytes,
        .key_value_metadata = m->key_value_metadata,
        .data_page_offset = (int64_t)c->first_data,
        .dictionary_page_offset = (int64_t)c->begin,
    };
    PQ_TRY(pq_ended_encodings(c->counts, a, out, e));
    keep_statistics(c, out);
    keep_sizes(c, out);
    PQ_TRY(load_bounds(c, e));
    return look(c, a, out, e);
}

static PqRc write_out(void *chunk, PqSink *scratch, PqSink *to,
                      const PqStop *stop, PqArena *a, PqColumnMetaData *out,
                      PqErr *e)
{
    PqChunkCopy *c = chunk;
    PqWhere outer = e->where;

    pq_chunk_enter(&c->r, e);
    c->begin = c->first_data = pq_sink_offset(to);
    PQ_TRY(copy_pages(c, to, e));
    PQ_TRY(describe(c, a, out, e));
    pq_buf_free(&c->r.window);
    pq_buf_free(&c->page.bytes);
    e->where = outer;
    return PQ_OK;
}

/* ---- the filter, the indexes ---------------------------------------------------------- */

static PqRc make_bloom(PqChunkCopy *c, const PqModule *header, PqBuf *out,
                       PqErr *e)
{
    int64_t n = c->r.chunk.meta_data.num_values;
    PqBloomMake b;
    PqRc rc;

    PQ_TRY(pq_bloom_make_init(&b, n > 0 ? (uint64_t)n : 1, c->s.bloom_fpp,
                              c->s.mem, e));
    PQ_GO(pq_chunk_look_bloom(c, &b, e));
    pq_bloom_make_fold(&b);
    rc = pq_bloom_put(header, pq_bloom_make_bits(&b), c->s.mem, out, e);
done:
    pq_bloom_make_free(&b);
    return rc;
}

/* A filter that cannot be read is left out: only speed is lost. */
static PqRc write_bloom(void *chunk, PqSink *scratch, const PqStop *stop,
                        PqBuf *out, PqErr *e)
{
    PqChunkCopy *c = chunk;
    const PqModule header = {PQ_MODULE_BLOOM_HEADER, c->s.row_group,
                             (int)c->s.to->index, -1, c->s.lock};
    PqBloom b;
    PqRc rc = pq_bloom_open(c->s.in, &c->r.chunk, (int)c->s.group, c->s.leaf, c->s.mem, &b, e);

    if (rc == PQ_OK && b.n_blocks) {
        rc = pq_bloom_load(c->s.in, &b, e);
    }
    if (rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED) {
        pq_err_clear(e);
        b.n_blocks = 0;
        rc = PQ_OK;
    }
    PQ_GO(rc);
    if (b.n_blocks) {
        rc = pq_bloom_put(&header, pq_buf_view(&b.bits), c->s.mem, out, e);
    } else if ((c->s.add & PQ_ADD_BLOOM) && may_have_bounds(c) &&
               c->s.to->type.physical != PQ_BOOLEAN) {
        rc = make_bloom(c, &header, out, e);
    }
done:
    pq_bloom_close(&b);
    return rc;
}

/* The indexes that were made, or those of the input with the new places. */
static PqRc write_indexes(void *chunk, PqBuf *columns, PqBuf *offsets, PqErr *e)
{
    PqChunkCopy *c = chunk;
    const PqI64List *texts = &c->r.index.unencoded_byte_array_data_bytes;
    PqOffsetIndex index = {
        .has = 1u << PQ_OFFSET_INDEX_LOCATIONS,
        .page_locations = {c->pages, c->n_pages},
    };

    if (c->made && (c->s.add & PQ_ADD_PAGE_INDEX)) {
        return pq_index_make_write(c->made, 0, columns, offsets, e);
    }
    if (!c->rows_known || c->n_pages == 0) {
        return PQ_OK;
    }
    if (c->index_fits && texts->n == c->n_pages) {
        index.has |= 1u << PQ_OFFSET_INDEX_BYTES;
        index.unencoded_byte_array_data_bytes = *texts;
    }
    pq_format_write_offset_index(&index, offsets);
    if (c->bounds.null_pages.n) {
        pq_format_write_column_index(&c->bounds, columns);
    }
    return e->rc;
}

/* The box and the types of geometries, as far as they are known: of the chunk, or those of
** its whole file, which are not smaller. */
static void see_geo(PqChunkCopy *c)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;
    const PqGeospatialStatistics *s = &m->geospatial_statistics;
    const PqGeoColumn *g = c->s.geo, *in = c->s.said;
    PqGeoBox box;

    pq_geo_bounds_begin(&c->geo, g->algorithm != PQ_GEO_PLANAR, g->algorithm == 0);
    if (pq_stats_chunk(c->s.f, c->s.leaf, m).all_null) {
        return;                      /* it adds nothing */
    }
    if (PQ_HAS(s, PQ_GEOSPATIAL_BBOX) && s->geospatial_types.n) {
        for (int i = 0; i < PQ_GEO_AXES; i++) {
            box.has[i] = pq_geometry_said(&s->bbox, i, &box.min[i], &box.max[i]);
        }
        pq_geo_bounds_said(&c->geo, &box, (const uint32_t *)s->geospatial_types.v,
                           s->geospatial_types.n);
    } else {
        pq_geo_bounds_said(&c->geo, in && in->has_box ? &in->box : NULL,
                           in ? in->codes : NULL, in ? in->n_codes : 0);
    }
}

PqEndedChunk pq_chunk_copy_ended(PqChunkCopy *c)
{
    static const PqEndedKind kind = {write_out, write_bloom, write_indexes};

    if (c->s.geo) {
        see_geo(c);
    }
    return (PqEndedChunk){&kind, c, c->s.geo ? &c->geo : NULL};
}
