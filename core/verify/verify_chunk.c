/*
** verify_chunk.c - checks the pages of a chunk in order, then its metadata.
**
** A page that fails is skipped.  Then counts and bounds of the whole chunk are
** not checked, because the contents of that page are unknown.  What is hard is
** to know the habits of writers that do not spoil any answer; they are marked
** QUIRK.
*/
#include "core/verify/verify_inside.h"

enum { BLOCK = PQ_TALLY_BLOCK, WIDEST = 16 };

static PqRc open_check(PqChunkCheck *c, PqVerify *v, PqErr *e)
{
    PqMem *mem = v->mem;

    memset(c, 0, sizeof *c);
    c->v = v;
    c->leaf = &v->f->schema.leaves[v->leaf];
    c->width = pq_physical_width(c->leaf->type.physical);
    c->whole = true;
    pq_chunk_init(&c->r, &v->ctx);
    pq_buf_init(&c->page.bytes, mem, NULL);
    pq_buf_init(&c->dict_page.bytes, mem, NULL);
    pq_arena_init(&c->strings, mem);
    pq_arena_init(&c->dict_strings, mem);
    pq_arena_init(&c->index_arena, mem);
    PQ_TRY(pq_decoder_new(mem, &c->decoder, e));
    c->reps = pq_mem_array(mem, BLOCK, sizeof *c->reps, e);
    c->defs = pq_mem_array(mem, BLOCK, sizeof *c->defs, e);
    c->ids = pq_mem_array(mem, BLOCK, sizeof *c->ids, e);
    c->values = pq_mem_array(mem, BLOCK, WIDEST, e);
    return e->rc;
}

static void close_check(PqChunkCheck *c)
{
    pq_chunk_reset(&c->r);
    pq_decoder_free(c->decoder);
    pq_buf_free(&c->page.bytes);
    pq_buf_free(&c->dict_page.bytes);
    pq_arena_free(&c->strings);
    pq_arena_free(&c->dict_strings);
    pq_arena_free(&c->index_arena);
    pq_mem_free(c->dict);
    pq_mem_free(c->dict_used);
    pq_tally_free(&c->of_page);
    pq_tally_free(&c->of_chunk);
    pq_bloom_close(&c->bloom);
    pq_mem_free(c->reps);
    pq_mem_free(c->defs);
    pq_mem_free(c->ids);
    pq_mem_free(c->values);
}

/* ---- indexes ----------------------------------------------------------- */

static PqRc load_indexes(PqChunkCheck *c, PqErr *e)
{
    PqVerify *v = c->v;
    int64_t rows = v->f->groups[v->group].num_rows;

    if (pq_page_index_offsets(c->r.in, &c->r.chunk, (int)v->group, v->leaf,
                              rows, &c->index_arena, &c->offsets, e) != PQ_OK) {
        PQ_TRY(pq_verify_failure(v, "offset index", e));
    }
    if (pq_page_index_bounds(c->r.in, &c->r.chunk, (int)v->group, c->leaf,
                             c->offsets.page_locations.n, &c->index_arena,
                             &c->bounds, e) != PQ_OK) {
        PQ_TRY(pq_verify_failure(v, "column index", e));
    }
    return c->bounds.null_pages.n
               ? pq_verify_index_order(v, &c->bounds, c->leaf, e) : PQ_OK;
}

/* ---- a chunk ------------------------------------------------------------------------------- */

/* QUIRK: some writers call v2 pages DATA_PAGE here (test:
** page_v2_empty_compressed.parquet), so data pages are counted as one kind. */
static int kind_of_page(int type)
{
    return type == PQ_PAGE_DATA_V2 ? PQ_PAGE_DATA : type;
}

typedef int64_t PageCounts[PQ_PAGE_TYPES][PQ_ENCODING_COUNT];

static PqRc compare_counts(PqChunkCheck *c, PageCounts truth, PageCounts claim,
                           int type, PqErr *e)
{
    for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
        const char *message;

        if (truth[type][encoding] == claim[type][encoding]) {
            continue;
        }
        message = pq_arena_printf(&c->v->arena, e, "a different number of %s "
                                  "with %s", pq_format_page_type_name(type),
                                  pq_encoding_name(encoding));
        PQ_TRY(message ? PQ_OK : e->rc);
        PQ_TRY(pq_verify_count(c->v, type == PQ_PAGE_DICTIONARY
                                         ? PQ_FINDING_WARNING
                                         : PQ_FINDING_ERROR,
                               "encoding_stats", truth[type][encoding],
                               claim[type][encoding], message, e));
    }
    return PQ_OK;
}

static PqRc check_encoding_stats(PqChunkCheck *c, PqErr *e)
{
    const PqPageEncodingStatsList *list = &c->r.chunk.meta_data.encoding_stats;
    PageCounts truth = {{0}}, claim = {{0}};
    int type, encoding;

    if (!PQ_HAS(&c->r.chunk.meta_data, PQ_COLUMN_ENCODING_STATS)) {
        return PQ_OK;
    }
    for (type = 0; type < PQ_PAGE_TYPES; type++) {
        for (encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
            truth[kind_of_page(type)][encoding] += c->counts[type][encoding];
        }
    }
    for (uint32_t i = 0; i < list->n; i++) {
        type = list->v[i].page_type;
        encoding = list->v[i].encoding;
        if (type >= 0 && type < PQ_PAGE_TYPES && encoding >= 0 &&
            encoding < PQ_ENCODING_COUNT) {
            claim[kind_of_page(type)][encoding] += list->v[i].count;
        }
    }
    PQ_TRY(compare_counts(c, truth, claim, PQ_PAGE_DATA, e));
    return compare_counts(c, truth, claim, PQ_PAGE_DICTIONARY, e);
}

static bool lists(const PqI32List *list, int encoding)
{
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->v[i] == encoding ||
            (pq_encoding_is_dictionary(encoding) &&
             pq_encoding_is_dictionary(list->v[i]))) {
            return true;
        }
    }
    return false;
}

static PqRc check_encodings(PqChunkCheck *c, PqErr *e)
{
    for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
        if ((c->counts[PQ_PAGE_DATA][encoding] ||
             c->counts[PQ_PAGE_DATA_V2][encoding]) &&
            !lists(&c->r.chunk.meta_data.encodings, encoding)) {
            PQ_TRY(pq_verify_find(c->v, PQ_FINDING_WARNING, "encodings",
                                  pq_encoding_name(encoding), NULL, e,
                                  "pages have an encoding that the chunk does "
                                  "not list"));
        }
    }
    return check_encoding_stats(c, e);
}

/* QUIRK: parquet-mr and parquet-cpp before 1.3 leave the header of the
** dictionary page out of both totals (PARQUET-816).  That is a warning too. */
static PqRc check_sizes(PqChunkCheck *c, PqErr *e)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;
    PqVerify *v = c->v;

    PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "total_compressed_size",
                           c->stored, m->total_compressed_size,
                           "the pages have a different size", e));
    PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "total_uncompressed_size",
                           c->unpacked, m->total_uncompressed_size,
                           "the decompressed pages have a different size", e));
    if (c->n_pages > 0 && m->data_page_offset != (int64_t)c->at_dict) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "data_page_offset",
                               (int64_t)c->first_data, m->data_page_offset,
                               "the first data page is at another offset", e));
    }
    if (c->at_dict && !PQ_HAS(m, PQ_COLUMN_DICTIONARY_PAGE_OFFSET)) {
        return pq_verify_find(v, PQ_FINDING_WARNING, "dictionary_page_offset",
                              pq_verify_number(v, (int64_t)c->at_dict, e),
                              NULL, e, "there is a dictionary page, but its "
                              "offset is missing");
    }
    return PQ_OK;
}

static PqRc check_rows(PqChunkCheck *c, PqErr *e)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;
    PqVerify *v = c->v;

    PQ_TRY(pq_verify_count(v, PQ_FINDING_ERROR, "num_values",
                           c->of_chunk.n_slots, m->num_values,
                           "the pages have a different number of values", e));
    return pq_verify_count(v, PQ_FINDING_ERROR, "num_rows",
                           c->of_chunk.n_rows,
                           v->f->groups[v->group].num_rows,
                           "the chunk and its row group have different numbers "
                           "of rows", e);
}

/* Distinct values are counted only when a dictionary makes that cheap. */
static PqRc check_distinct(PqChunkCheck *c, PqErr *e)
{
    const PqStatistics *s = &c->r.chunk.meta_data.statistics;
    int64_t used = 0;

    if (!PQ_HAS(s, PQ_STATISTICS_DISTINCT_COUNT)) {
        return PQ_OK;
    }
    if (s->distinct_count > c->of_chunk.n_values ||
        (s->distinct_count <= 0 && c->of_chunk.n_values > 0)) {
        return pq_verify_count(c->v, PQ_FINDING_ERROR, "distinct_count",
                               c->of_chunk.n_values, s->distinct_count,
                               "impossible with this number of values", e);
    }
    for (uint32_t i = 0; i < c->n_dict; i++) {
        used += c->dict_used[i];
    }
    for (uint32_t i = 0; i < PQ_ENCODING_COUNT; i++) {
        if (!pq_encoding_is_dictionary((int)i) &&
            (c->counts[PQ_PAGE_DATA][i] || c->counts[PQ_PAGE_DATA_V2][i])) {
            return PQ_OK;
        }
    }
    return pq_verify_count(c->v, PQ_FINDING_WARNING, "distinct_count", used,
                           s->distinct_count,
                           "a different number of dictionary entries "
                           "occurs", e);
}

/* QUIRK: DuckDB before 1.5 writes bounds without column orders, so their order
** is unknown.  Reported once per file. */
static PqRc check_orders(PqChunkCheck *c, PqErr *e)
{
    PqVerify *v = c->v;

    if (v->orders_missed || PQ_HAS(&v->f->file, PQ_FILE_COLUMN_ORDERS) ||
        !PQ_HAS(&c->r.chunk.meta_data.statistics,
                PQ_STATISTICS_MIN_VALUE)) {
        return PQ_OK;
    }
    v->orders_missed = true;
    return pq_verify_find(v, PQ_FINDING_WARNING, "column_orders", NULL, NULL,
                          e, "min_value and max_value need column_orders, and "
                          "the footer has none");
}

/* Checks the chunk as a whole, after all its pages were decoded. */
static PqRc judge_chunk(PqChunkCheck *c, PqErr *e)
{
    const PqColumnMetaData *m = &c->r.chunk.meta_data;

    c->v->page = -1;
    c->v->offset = -1;
    PQ_TRY(check_rows(c, e));
    if (m->num_values > 0) {         /* otherwise nobody reads its pages */
        PQ_TRY(check_sizes(c, e));
        PQ_TRY(check_encodings(c, e));
    }
    if (c->offsets.page_locations.n) {
        PQ_TRY(pq_verify_count(c->v, PQ_FINDING_ERROR, "offset index",
                               c->n_pages, c->offsets.page_locations.n,
                               "the chunk has a different number of pages", e));
    }
    PQ_TRY(check_orders(c, e));
    PQ_TRY(pq_verify_statistics(c->v, &m->statistics, &c->of_chunk,
                                &pq_verify_of_chunk, e));
    PQ_TRY(check_distinct(c, e));
    PQ_TRY(pq_verify_values(c, c->dict, c->dict_used, c->n_dict, e));
    return pq_verify_size_statistics(c->v, &m->size_statistics, &c->of_chunk,
                                     e);
}

/* According to its metadata, the chunk ends before all its values. */
static PqRc ends_early(PqChunkCheck *c, PqErr *e)
{
    c->whole = false;
    return pq_verify_count(c->v, PQ_FINDING_ERROR, "num_values",
                           c->r.slots_seen, c->r.chunk.meta_data.num_values,
                           "the pages hold fewer values", e);
}

static PqRc walk_pages(PqChunkCheck *c, PqErr *e)
{
    for (;;) {
        bool more;

        c->v->page = c->r.page;
        c->v->offset = (int64_t)c->r.at;
        if (pq_chunk_ends_early(&c->r)) {
            return ends_early(c, e);
        }
        if (pq_chunk_next(&c->r, &more, e) != PQ_OK) {
            c->whole = false;
            return pq_verify_failure(c->v, "page header", e);
        }
        if (!more) {
            return PQ_OK;
        }
        PQ_TRY(pq_verify_page(c, e));
    }
}

static PqRc open_chunk(PqChunkCheck *c, PqErr *e)
{
    PqVerify *v = c->v;
    PqOrder order = pq_verify_order(v->f, v->leaf);
    PqColumnChunk *chunk = &c->r.chunk;
    PqInput *in;

    PQ_TRY(pq_footer_chunk(v->f, v->group, v->leaf, &c->r.arena, chunk, e));
    pq_where_reset(e);
    e->where.file = pq_source_path(v->in->source);
    e->where.row_group = (int)v->group;
    e->where.column = c->leaf->path;
    PQ_TRY(pq_chunk_files_input(&v->parts, chunk, v->group, &in, e));
    e->where.file = pq_source_path(in->source);
    PQ_TRY(pq_chunk_open(&c->r, in, c->leaf, (int)v->group,
                         v->f->groups[v->group].num_rows,
                         v->f->file.created_by, e));
    if (order == PQ_ORDER_NONE) {
        order = pq_order_of_type(&c->leaf->type);
    }
    PQ_TRY(pq_tally_init(&c->of_page, c->leaf, order, v->mem, e));
    return pq_tally_init(&c->of_chunk, c->leaf, order, v->mem, e);
}

PqRc pq_verify_chunk(PqVerify *v, PqErr *e)
{
    PqChunkCheck c;
    PqRc rc;

    PQ_GO(open_check(&c, v, e));
    if (open_chunk(&c, e) != PQ_OK) {
        c.whole = false;
        rc = pq_verify_failure(v, "chunk", e);
        goto done;
    }
    PQ_GO(load_indexes(&c, e));
    PQ_GO(pq_verify_load_bloom(&c, e));
    PQ_GO(walk_pages(&c, e));
    if (c.whole) {
        PQ_GO(judge_chunk(&c, e));
    }
done:
    v->group_whole = v->group_whole && c.whole;
    close_check(&c);
    return rc;
}
