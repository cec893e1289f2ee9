/*
** verify_page.c - reads, decodes and counts a page.
**
**   header -> checksum -> body -> levels, values -> tally
**                                                   | statistics of the page
**                                                   | its entries in the indexes
**
** Pages are decoded a block of values at a time, so a page that claims to hold
** billions needs no more memory than others.
*/
#include "core/verify/verify_inside.h"

#include "core/column/chunk_header.h"
#include "core/column/page_crc.h"
#include "core/encoding/levels.h"

enum { BLOCK = PQ_TALLY_BLOCK };

/* ---- values --------------------------------------------------------------------------- */

static PqRc decode_dictionary(PqChunkCheck *c, PqErr *e)
{
    const PqPage *page = &c->dict_page;
    PqValueShape shape = {c->leaf->type.physical, c->leaf->type.fixed_length,
                          page->encoding, page->n_slots};
    size_t bits = page->bytes.n * 8;

    PQ_TRY(pq_encoding_in_dictionary(&shape.encoding, e));
    /* The claim is checked before memory is allocated for it: a value takes at
    ** least one bit. */
    if (page->n_slots > bits && (c->leaf->type.physical != PQ_FIXED ||
                                 c->leaf->type.fixed_length != 0)) {
        return pq_fail(e, PQ_CORRUPT, "a dictionary of %u values in %zu bytes",
                       page->n_slots, page->bytes.n);
    }
    c->dict = pq_mem_array(c->v->mem, page->n_slots, c->width, e);
    c->dict_used = pq_mem_zeros(c->v->mem, page->n_slots, 1, e);
    PQ_TRY(e->rc);
    PQ_TRY(pq_decoder_open(c->decoder, &shape, page->bytes.p, page->bytes.n,
                           e));
    PQ_TRY(pq_decoder_read(c->decoder, page->n_slots, c->dict,
                           &c->dict_strings, e));
    c->n_dict = page->n_slots;
    return PQ_OK;
}

static PqRc look_up(PqChunkCheck *c, uint32_t n, PqErr *e)
{
    PQ_TRY(pq_decoder_read_ids(c->decoder, n, c->n_dict, c->ids, e));
    for (uint32_t i = 0; i < n; i++) {
        memcpy((char *)c->values + i * c->width,
               (const char *)c->dict + c->ids[i] * c->width, c->width);
        c->dict_used[c->ids[i]] = 1;
    }
    return PQ_OK;
}

PqRc pq_verify_values(PqChunkCheck *c, const void *values, const uint8_t *used,
                      uint32_t n, PqErr *e)
{
    const PqType *type = &c->leaf->type;
    bool has_wkb = pq_type_is_geometry(type);

    for (uint32_t i = 0; i < n && (has_wkb || c->bloom.n_blocks > 0); i++) {
        if (!used || used[i]) {
            PqSlice value = pq_tally_value(type, values, i);

            PQ_TRY(pq_verify_probe(c, value, e));
            PQ_TRY(has_wkb ? pq_verify_geometry(c, value, e) : PQ_OK);
        }
    }
    return PQ_OK;
}

/* Decodes the next n values, none of them null. */
static PqRc take_values(PqChunkCheck *c, uint32_t n, PqErr *e)
{
    if (n == 0) {
        return PQ_OK;
    }
    pq_arena_reset(&c->strings);
    if (pq_encoding_is_dictionary(c->page.encoding)) {
        PQ_TRY(look_up(c, n, e));
    } else {
        PQ_TRY(pq_decoder_read(c->decoder, n, c->values, &c->strings, e));
        PQ_TRY(pq_verify_values(c, c->values, NULL, n, e));
    }
    return pq_tally_values(&c->of_page, c->values, n, e);
}

static PqRc open_levels(PqChunkCheck *c, PqLevels *rep, PqLevels *def, PqSlice *rest,
                        PqErr *e)
{
    const PqPage *p = &c->page;

    if (p->v2) {
        PQ_TRY(pq_levels_open_v2(rep, c->leaf->max_rep, p->n_slots,
                                 p->rep_bytes, rest, e));
        return pq_levels_open_v2(def, c->leaf->max_def, p->n_slots,
                                 p->def_bytes, rest, e);
    }
    PQ_TRY(pq_levels_open_v1(rep, p->rep_encoding, c->leaf->max_rep,
                             p->n_slots, rest, NULL, e));
    return pq_levels_open_v1(def, p->def_encoding, c->leaf->max_def,
                             p->n_slots, rest, NULL, e);
}

/* Pages must begin with a new row if something relies on that. */
static PqRc check_first_level(PqChunkCheck *c, PqErr *e)
{
    if (c->leaf->max_rep == 0 || c->reps[0] == 0) {
        return PQ_OK;
    }
    if (c->n_pages > 0 && !c->page.v2 && c->offsets.page_locations.n == 0) {
        return PQ_OK;                /* rows may span such pages */
    }
    return pq_verify_find(c->v, PQ_FINDING_ERROR, "repetition levels", "0",
                          NULL, e, "the page begins in the middle of a row");
}

/* Decodes the body of the page, which is in c->page, and counts it. */
static PqRc tally_page(PqChunkCheck *c, PqErr *e)
{
    PqSlice rest = pq_buf_view(&c->page.bytes);
    PqValueShape shape = {c->leaf->type.physical, c->leaf->type.fixed_length,
                          c->page.encoding, c->page.n_slots};
    uint32_t left = c->page.n_slots, n;
    PqLevels rep, def;

    PQ_TRY(open_levels(c, &rep, &def, &rest, e));
    PQ_TRY(pq_decoder_open(c->decoder, &shape,
                           c->page.bytes.p + (c->page.bytes.n - rest.n),
                           rest.n, e));
    for (; left; left -= n) {
        int64_t before = c->of_page.n_values;
        bool first = left == c->page.n_slots;

        n = left < BLOCK ? left : BLOCK;
        PQ_TRY(pq_stop_poll(&c->v->ctx.stop, e));
        if (c->leaf->max_rep > 0) {
            PQ_TRY(pq_levels_read(&rep, n, c->reps, e));
        }
        if (c->leaf->max_def > 0) {
            PQ_TRY(pq_levels_read(&def, n, c->defs, e));
        }
        if (first) {
            PQ_TRY(check_first_level(c, e));
        }
        pq_tally_levels(&c->of_page, c->leaf->max_rep ? c->reps : NULL,
                        c->leaf->max_def ? c->defs : NULL, n);
        PQ_TRY(take_values(c, (uint32_t)(c->of_page.n_values - before), e));
    }
    return PQ_OK;
}

/* ---- a page ------------------------------------------------------------------------------ */

static PqRc check_crc(PqChunkCheck *c, PqErr *e)
{
    uint32_t said = (uint32_t)c->r.header.crc, crc = said;
    PqArena *a = &c->v->arena;

    if (pq_page_says_crc(&c->r)) {
        PQ_TRY(pq_page_crc(&c->r, &crc, e));
    }
    if (crc == said) {
        return PQ_OK;
    }
    return pq_verify_find(c->v, PQ_FINDING_ERROR, "crc",
                          pq_arena_printf(a, e, "%08x", crc),
                          pq_arena_printf(a, e, "%08x", said), e, "the page is "
                          "not what was written: its checksum differs");
}

static PqRc check_location(PqChunkCheck *c, PqErr *e)
{
    const PqPageLocationList *pages = &c->offsets.page_locations;
    const PqI64List *sizes = &c->offsets.unencoded_byte_array_data_bytes;
    const PqPageLocation *at;
    PqVerify *v = c->v;

    if (c->n_pages >= pages->n) {
        return PQ_OK;
    }
    at = &pages->v[c->n_pages];
    PQ_TRY(pq_verify_count(v, PQ_FINDING_ERROR, "offset index offset",
                           c->v->offset, at->offset,
                           "the page is at another offset", e));
    PQ_TRY(pq_verify_count(v, PQ_FINDING_ERROR,
                           "offset index compressed_page_size",
                           c->header_bytes +
                               c->r.header.compressed_page_size,
                           at->compressed_page_size,
                           "the page and its header have a different size", e));
    if (c->whole) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_ERROR,
                               "offset index first_row_index",
                               c->of_chunk.n_rows, at->first_row_index,
                               "the page begins with a different row", e));
    }
    if (c->n_pages < sizes->n && c->leaf->type.physical == PQ_BYTE_ARRAY) {
        return pq_verify_count(v, PQ_FINDING_WARNING,
                               "offset index unencoded_byte_array_data_bytes",
                               c->of_page.n_bytes, sizes->v[c->n_pages],
                               "the values have a different number of "
                               "bytes", e);
    }
    return PQ_OK;
}

static PqRc check_header(PqChunkCheck *c, PqErr *e)
{
    const PqPageHeader *h = &c->r.header;
    const PqStatistics *s = &h->data_page.statistics;
    const PqTally *t = &c->of_page;

    if (h->type == PQ_PAGE_DATA_V2) {
        s = &h->data_page_v2.statistics;
        PQ_TRY(pq_verify_count(c->v, PQ_FINDING_ERROR, "page num_rows", t->n_rows,
                               h->data_page_v2.num_rows,
                               "a different number of rows begins in the page", e));
        PQ_TRY(pq_verify_count(c->v, PQ_FINDING_ERROR, "page num_nulls",
                               t->n_slots - t->n_values,
                               h->data_page_v2.num_nulls,
                               "a different number of nulls", e));
    }
    return pq_verify_statistics(c->v, s, t, &pq_verify_of_page, e);
}

static void count_page(PqChunkCheck *c)
{
    const PqPageHeader *h = &c->r.header;
    int encoding = pq_page_encoding(h);

    c->header_bytes = (int64_t)(c->r.body_at - c->r.at);
    if (encoding >= 0 && encoding < PQ_ENCODING_COUNT) {
        c->counts[h->type][encoding]++;
    }
    c->stored += c->header_bytes + h->compressed_page_size;
    c->unpacked += c->header_bytes + h->uncompressed_page_size;
}

static PqRc take_dictionary(PqChunkCheck *c, PqErr *e)
{
    if (c->at_dict || c->n_pages) {
        return pq_fail(e, PQ_CORRUPT, c->n_pages
                           ? "a dictionary page after a data page"
                           : "a second dictionary page");
    }
    c->at_dict = c->r.at;
    PQ_TRY(pq_chunk_take(&c->r, &c->dict_page, e));
    return decode_dictionary(c, e);
}

static PqRc take_data(PqChunkCheck *c, PqErr *e)
{
    PQ_TRY(pq_chunk_take(&c->r, &c->page, e));
    if (pq_encoding_is_dictionary(c->page.encoding) && !c->dict_used) {
        return pq_fail(e, PQ_CORRUPT, "a page of dictionary indices, but the "
                                      "chunk has no dictionary page");
    }
    return tally_page(c, e);
}

/* Compares a data page, which was decoded into c->of_page, with its claims. */
static PqRc judge_page(PqChunkCheck *c, PqErr *e)
{
    PQ_TRY(check_location(c, e));
    PQ_TRY(check_header(c, e));
    if (c->n_pages < c->bounds.null_pages.n) {
        PQ_TRY(pq_verify_index_entry(c->v, &c->bounds, c->n_pages, &c->of_page,
                                     e));
    }
    return pq_tally_add(&c->of_chunk, &c->of_page, e);
}

PqRc pq_verify_page(PqChunkCheck *c, PqErr *e)
{
    bool is_dict = c->r.header.type == PQ_PAGE_DICTIONARY;
    uint64_t at = c->r.at;
    PqRc rc;

    c->v->page = is_dict ? -1 : c->r.page;
    c->v->offset = (int64_t)at;
    count_page(c);
    c->v->n_pages++;
    c->v->n_unguarded += !pq_page_says_crc(&c->r) &&
                         !(c->r.chunk.lock && !c->r.chunk.lock->ctr);
    PQ_TRY(check_crc(c, e));
    if (!is_dict && c->n_pages == 0) {
        c->first_data = at;
    }
    pq_tally_restart(&c->of_page);
    if (!is_dict && c->dict_failed &&
        pq_encoding_is_dictionary(pq_page_encoding(&c->r.header))) {
        pq_chunk_pass(&c->r);        /* that its dictionary failed was found */
        c->n_pages++;
        return PQ_OK;
    }
    rc = is_dict ? take_dictionary(c, e) : take_data(c, e);
    if (rc != PQ_OK) {
        PQ_TRY(pq_verify_failure(c->v, is_dict ? "dictionary page" : "page",
                                 e));
        c->whole = false;
        c->dict_failed = c->dict_failed || is_dict;
        if (c->r.at == at) {
            pq_chunk_pass(&c->r);
        }
    } else if (!is_dict) {
        PQ_TRY(judge_page(c, e));
    }
    c->n_pages += !is_dict;
    return PQ_OK;
}
