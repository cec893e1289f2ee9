/*
** leaf_dict.c - the dictionary of a chunk: taken, decoded, and read before any
** of its rows.
**
**   [dictionary page] data page ...
**   ^ read up to here ^              to know which values there may be; reading
**                                    rows goes on from there, with the same
**                                    decoded dictionary
**
** The rows may not be wanted at all.  So nothing after the dictionary page is
** read, and if the chunk begins without one, the reader stays where it was.
**
** A query may want the values of a few rows, and a dictionary may have millions
** of entries.  Then it is unpacked up to the greatest id among these rows, and
** further when other rows need more:
**
**   entries   [ there: part.n | not yet ............ ]   ids 7, 2, 9: upto 10
**
** Texts are hard.  The bytes of a page must not be changed before all of them
** are there (lazy_bytes.h), so texts of a partial dictionary have no NUL after
** them, and rows get copies with a NUL.  Other users see a dictionary only when
** it is whole; pq_leaf_dict_all completes it, and puts the NULs after its
** texts.
**
** Damage after the last entry wanted goes unnoticed unless there is a checksum,
** as with any page that is taken in parts (lazy_page.h).
*/
#include "core/column/leaf_read.h"

/* How many values are decoded before asking again whether to stop. */
enum { AT_ONCE = 1 << 16 };

void pq_leaf_dict_forget(PqLeafReader *r)
{
    pq_lazy_page_end(&r->part.arrival);
    r->part.n = 0;
    pq_leaf_free_pages(r->dict_page);
    r->dict_page = NULL;
    pq_mem_free(r->dict.values);
    r->dict = (PqDict){0};
    pq_arena_reset(&r->dict_strings);
}

/* ---- decoding ------------------------------------------------------------ */

static bool is_text(const PqLeafReader *r)
{
    return r->leaf->type.physical == PQ_BYTE_ARRAY;
}

/* Decodes the entries up to n.  ctx is the thread's own. */
static PqRc read_entries(PqLeafReader *r, PqReadCtx *ctx, PqDecoder *d,
                         uint32_t n, PqErr *e)
{
    char *to = r->dict.values;
    bool in_part = r->part.arrival.is_open;

    while (r->part.n < n) {
        uint32_t at = r->part.n, k = n - at < AT_ONCE ? n - at : AT_ONCE;

        PQ_TRY(in_part && is_text(r)
                   ? pq_decoder_locate(d, k, (PqStr *)r->dict.values + at, e)
                   : pq_decoder_read(d, k, to + at * r->width,
                                     &r->dict_strings, e));
        r->part.n += k;              /* the decoder is past them */
        PQ_TRY(pq_read_ctx_step(ctx, k * r->width, e));
    }
    return PQ_OK;
}

/* Can the bytes of the page hold as many entries as it claims? */
static PqRc check_count(const PqLeafReader *r, const PqValueShape *shape,
                        PqErr *e)
{
    uint32_t n = shape->n_values, width = pq_width_in_page(shape);
    size_t n_bytes = r->dict_page->bytes.n;
    size_t least = is_text(r) ? 4
                   : shape->type == PQ_BOOLEAN || width == PQ_NO_LENGTH
                       ? 0 : width;

    return !least || n <= n_bytes / least
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "a dictionary of %u values in %zu "
                         "bytes", n, n_bytes);
}

/* Opens the page, and decodes all entries unless more bytes are to come. */
static PqRc open_entries(PqLeafReader *r, const PqValueShape *shape, PqErr *e)
{
    bool in_part = r->part.arrival.is_open;
    PqPage *page = r->dict_page;
    PqDecoder *d = r->decoder;

    if (in_part && !r->part.decoder) {
        PQ_TRY(pq_decoder_new(r->ctx->mem, &r->part.decoder, e));
    }
    d = in_part ? r->part.decoder : d;
    PQ_TRY(pq_decoder_open_arriving(d, shape, page->bytes.p, page->bytes.n,
                                    in_part ? &r->part.arrival.bytes : NULL,
                                    e));
    return in_part ? PQ_OK : read_entries(r, r->chunk.ctx, d, page->n_slots, e);
}

static PqRc decode_dictionary(PqLeafReader *r, PqErr *e)
{
    PqPage *page = r->dict_page;
    PqValueShape shape = {r->leaf->type.physical, r->leaf->type.fixed_length,
                          page->encoding, page->n_slots};

    PQ_TRY(pq_encoding_in_dictionary(&shape.encoding, e));
    PQ_TRY(check_count(r, &shape, e));
    r->dict.values = pq_mem_array(r->ctx->mem, page->n_slots, r->width, e);
    if (!r->dict.values) {
        return e->rc;
    }
    r->part.n = 0;
    if (open_entries(r, &shape, e) != PQ_OK) {
        pq_mem_free(r->dict.values);
        r->dict.values = NULL;
        return e->rc;
    }
    r->dict.type = r->leaf->type.physical;
    r->dict.n = page->n_slots;
    r->dict.serial = pq_dict_serial();
    return PQ_OK;
}

static PqRc take_bytes(PqLeafReader *r, bool in_part, PqErr *e)
{
    if (in_part) {
        PQ_TRY(pq_lazy_page_begin(&r->part.arrival, &r->chunk, r->dict_page,
                                  false, e));
    }
    return r->part.arrival.is_open
               ? PQ_OK : pq_chunk_take(&r->chunk, r->dict_page, e);
}

PqRc pq_leaf_take_dictionary(PqLeafReader *r, bool in_part, PqErr *e)
{
    uint64_t at = r->chunk.at;
    PqRc rc;

    if (r->dict.values) {
        if (r->row == 0 && r->chunk.page == 0) {   /* rewound: known already */
            pq_chunk_pass(&r->chunk);
            return PQ_OK;
        }
        return pq_fail(e, PQ_CORRUPT, "a second dictionary page");
    }
    pq_leaf_free_pages(r->dict_page);
    r->dict_page = NULL;
    PQ_TRY(pq_leaf_fresh_page(r, &r->dict_page, e));
    PQ_TRY(take_bytes(r, in_part, e));
    rc = decode_dictionary(r, e);
    if (rc != PQ_OK) {
        pq_lazy_page_end(&r->part.arrival);
        r->chunk.at = at;
    }
    return rc;
}

/* ---- a dictionary in part ------------------------------------------------ */

/* A job that reads ahead may own r->chunk meanwhile. */
PqRc pq_leaf_dict_upto(PqLeafReader *r, uint32_t n, PqErr *e)
{
    PqWhere outer = e->where;

    if (!r->part.arrival.is_open || n <= r->part.n) {
        return PQ_OK;
    }
    r->part.arrival.slot = n;
    PQ_TRY(read_entries(r, r->ctx, r->part.decoder, n, e));
    e->where = outer;
    return PQ_OK;
}

/* All bytes are there, and nothing more will be unpacked from them. */
static void end_texts(PqLeafReader *r)
{
    const PqStr *v = r->dict.values;
    uint8_t *bytes = r->dict_page->bytes.p;

    for (uint32_t i = 0; i < r->dict.n; i++) {
        bytes[(size_t)(v[i].p - bytes) + v[i].n] = 0;
    }
}

PqRc pq_leaf_dict_all(PqLeafReader *r, PqErr *e)
{
    PqLazyBytes *a = &r->part.arrival.bytes;
    PqWhere outer = e->where;

    if (!r->part.arrival.is_open) {
        return PQ_OK;
    }
    r->part.arrival.slot = r->dict.n;
    PQ_TRY(pq_lazy_bytes_want(a, a->begin, (size_t)(a->end - a->begin), e));
    PQ_TRY(pq_leaf_dict_upto(r, r->dict.n, e));
    if (is_text(r)) {
        end_texts(r);
    }
    pq_lazy_page_end(&r->part.arrival);
    e->where = outer;
    return PQ_OK;
}

/* ---- before any row ------------------------------------------------------ */

/* Nothing beyond the dictionary is read ahead. */
static PqRc read_dictionary(PqLeafReader *r, PqErr *e)
{
    uint64_t end = r->chunk.ahead_end;
    uint64_t first = (uint64_t)r->chunk.chunk.meta_data.data_page_offset;
    bool more;
    PqRc rc;

    pq_chunk_enter(&r->chunk, e);
    if (first > r->chunk.begin && first < end) {
        r->chunk.ahead_end = first;
    }
    rc = pq_chunk_next(&r->chunk, &more, e);
    if (rc == PQ_OK && more && r->chunk.header.type == PQ_PAGE_DICTIONARY) {
        rc = pq_leaf_take_dictionary(r, false, e);
    }
    r->chunk.ahead_end = end;
    PQ_TRY(rc);
    pq_chunk_leave(e);
    return PQ_OK;
}

PqRc pq_leaf_dictionary(PqLeafReader *r, const PqDict **out, PqErr *e)
{
    *out = NULL;
    pq_leaf_ahead_settle(r);
    if (!r->dict.values && !r->ahead.have && !r->page && r->row == 0 &&
        r->chunk.at == r->chunk.begin) {
        PQ_TRY(read_dictionary(r, e));
    }
    if (r->dict.values) {
        PQ_TRY(pq_leaf_dict_all(r, e));
        *out = &r->dict;
    }
    return PQ_OK;
}
