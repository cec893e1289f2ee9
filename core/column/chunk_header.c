/*
** chunk_header.c - parses page headers, and checks them.
**
** A page header is Thrift of unknown length, so it is parsed from a window of
** the file that grows until the header fits.  A sealed header has a length in
** front.  It can only be opened as the header of a dictionary page or of a data
** page, so the first header of a chunk is tried as both.
**
** Every count in a header is checked before it sizes anything.
** QUIRK: Arrow 6 to 11 gives the first page of a dictionary column (order.c) the
** nulls of the pages after it too.  So num_nulls, which sizes nothing, may
** exceed the number of values.
** Test: nulls_of_a_v2_page_may_be_those_of_others.
*/
#include "core/column/chunk_header.h"

/* A header that does not fit the window (it has long bounds) makes it grow, up
** to this size.  Of a large chunk perhaps only the first rows are wanted, so its first
** window is smaller. */
enum { LARGEST_HEADER = 1 << 24, SHORT_HEADER = 16, FIRST_SHARE = 4 };

PqSlice pq_chunk_window_from(const PqChunkReader *r, uint64_t at)
{
    if (at < r->window_at || at >= r->window_at + r->window.n) {
        return (PqSlice){NULL, 0};
    }
    return pq_slice(r->window.p + (at - r->window_at),
                    (size_t)(r->window_at + r->window.n - at));
}

/* Reads at least n bytes from r->at on into the window, or what the file has; if it is a
** guess, less than that where more would have to be fetched.  Reads ahead only within the
** chunk. */
static PqRc fill_window(PqChunkReader *r, size_t n, bool guess, PqErr *e)
{
    PqModule m = {PQ_MODULE_DATA_PAGE_HEADER, r->row_group,
                  (int)r->leaf->column, r->page, r->chunk.lock};
    uint64_t size = pq_source_size(r->in->source);
    uint64_t left = r->at < size ? size - r->at : 0;
    uint64_t ahead = r->at < r->ahead_end ? r->ahead_end - r->at : 0;
    bool begins = r->page == 0 && !r->by_index;
    size_t want = n < PQ_HEADER_BYTES ? PQ_HEADER_BYTES : n, there;

    if (ahead > r->read_ahead) {
        ahead = begins ? r->read_ahead / FIRST_SHARE : r->read_ahead;
    }
    there = pq_source_at_hand(r->in->source, r->at, ahead > want ? (size_t)ahead : want);
    want = there > want || (guess && there >= SHORT_HEADER) ? there : want;
    want = want > left ? (size_t)left : want;
    r->window.n = 0;
    PQ_TRY(pq_buf_resize(&r->window, want, e));
    r->window_at = r->at;
    if (want) {
        PqRc rc = pq_module_fetch(r->in, &m, r->at, want, r->window.p, e);
        if (rc != PQ_OK) {
            r->window.n = 0;
            return rc;
        }
    }
    return PQ_OK;
}

static PqRc no_header(PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the file ends where a page header should "
                                  "be");
}

/* Parses the header at r->at; *n is its size. */
static PqRc parse_plain(PqChunkReader *r, size_t *n, PqErr *e)
{
    uint64_t size = pq_source_size(r->in->source);
    size_t want = PQ_HEADER_BYTES;

    for (bool guess = true;; guess = false) {
        PqSlice raw = pq_chunk_window_from(r, r->at), rest;
        PqRc rc;

        if (raw.n < want && r->at + raw.n < size) {
            PQ_TRY(fill_window(r, want, guess, e));
            raw = pq_chunk_window_from(r, r->at);
        }
        if (raw.n == 0) {
            return no_header(e);
        }
        rest = raw;
        memset(&r->header, 0, sizeof r->header);
        rc = pq_format_read_page_header(&rest, &r->arena, &r->header, e);
        if (rc == PQ_OK) {
            *n = raw.n - rest.n;
            return PQ_OK;
        }
        if (rc != PQ_CORRUPT || r->at + raw.n >= size ||
            want >= LARGEST_HEADER) {
            return rc;
        }
        pq_err_clear(e);             /* perhaps it was only cut short */
        want = raw.n * 4 > r->read_ahead ? raw.n * 4 : r->read_ahead;
    }
}

/* The sealed header at r->at. */
static PqRc sealed_header(PqChunkReader *r, const PqModule *m, PqSlice *raw,
                          PqErr *e)
{
    uint64_t size = pq_source_size(r->in->source);
    size_t n;

    *raw = pq_chunk_window_from(r, r->at);
    if (raw->n < PQ_HEADER_BYTES && r->at + raw->n < size) {
        PQ_TRY(fill_window(r, PQ_HEADER_BYTES, true, e));
        *raw = pq_chunk_window_from(r, r->at);
    }
    if (raw->n == 0) {
        return no_header(e);
    }
    PQ_TRY(pq_module_size(m, *raw, &n, e));
    if (n > LARGEST_HEADER || n > size - r->at) {
        return pq_fail(e, PQ_CORRUPT, "an encrypted page header of %zu bytes",
                       n);
    }
    if (raw->n < n) {
        PQ_TRY(fill_window(r, n, false, e));
        *raw = pq_chunk_window_from(r, r->at);
    }
    return PQ_OK;
}

/* QUIRK: the sizes of DuckDB's pages do not count the seal, see
** pq_locks_open_footer. */
static PqRc add_seal(PqChunkReader *r, PqErr *e)
{
    PqModule m = {.kind = PQ_MODULE_DATA_PAGE, .lock = r->chunk.lock};
    int32_t seal = (int32_t)pq_module_overhead(&m);

    if (!r->chunk.lock->unbound || r->header.compressed_page_size < 0) {
        return PQ_OK;
    }
    if (r->header.compressed_page_size > INT32_MAX - seal) {
        return pq_fail(e, PQ_CORRUPT, "an encrypted page of %d bytes",
                       r->header.compressed_page_size);
    }
    r->header.compressed_page_size += seal;
    return PQ_OK;
}

/* Opens the header at r->at as the header of a dictionary page, or of a data
** page.  The page must be of the kind that was authenticated. */
static PqRc open_header(PqChunkReader *r, bool dictionary, size_t *n, PqErr *e)
{
    PqModule m = {dictionary ? PQ_MODULE_DICTIONARY_PAGE_HEADER
                             : PQ_MODULE_DATA_PAGE_HEADER,
                  r->row_group, (int)r->leaf->column, r->page, r->chunk.lock};
    PqSlice raw, plain;

    PQ_TRY(sealed_header(r, &m, &raw, e));
    PQ_TRY(pq_module_unseal(&m, raw, &r->opened, &plain, n, e));
    memset(&r->header, 0, sizeof r->header);
    PQ_TRY(pq_format_read_page_header(&plain, &r->arena, &r->header, e));
    PQ_TRY(add_seal(r, e));
    if (dictionary ? r->header.type != PQ_PAGE_DICTIONARY
                   : !pq_page_is_data(&r->header)) {
        return pq_fail(e, PQ_CORRUPT, "a page header of type %d, sealed as a "
                       "%s", r->header.type, pq_module_name(m.kind));
    }
    return PQ_OK;
}

/* The first page of a chunk is a dictionary if the metadata has its offset.
** QUIRK: some writers leave that out, see first_byte in chunk_read.c. */
static PqRc parse_sealed(PqChunkReader *r, size_t *n, PqErr *e)
{
    bool first = r->at == r->begin && r->page == 0 && !r->by_index;
    bool dictionary = first && PQ_HAS(&r->chunk.meta_data,
                                      PQ_COLUMN_DICTIONARY_PAGE_OFFSET);
    PqRc rc = open_header(r, dictionary, n, e);

    if (rc == PQ_CORRUPT && first) {
        PqErr expected = *e;

        pq_err_clear(e);
        rc = open_header(r, !dictionary, n, e);
        if (rc == PQ_CORRUPT) {      /* the likelier kind says what is wrong */
            *e = expected;
        }
    }
    return rc;
}

PqRc pq_chunk_parse_header(PqChunkReader *r, size_t *n, PqErr *e)
{
    return r->chunk.lock ? parse_sealed(r, n, e) : parse_plain(r, n, e);
}

PqRc pq_chunk_check_header(PqChunkReader *r, PqErr *e)
{
    const PqPageHeader *h = &r->header;
    uint64_t size = pq_source_size(r->in->source);
    int32_t n = 0;

    if (h->compressed_page_size < 0 || h->uncompressed_page_size < 0) {
        return pq_fail(e, PQ_CORRUPT, "a page of %d bytes, %d uncompressed",
                       h->compressed_page_size, h->uncompressed_page_size);
    }
    if ((uint64_t)h->compressed_page_size > size - r->body_at) {
        return pq_fail(e, PQ_CORRUPT, "a page of %d bytes, the file has %llu "
                       "left", h->compressed_page_size,
                       (unsigned long long)(size - r->body_at));
    }
    if (h->type == PQ_PAGE_DATA) {
        n = PQ_HAS(h, PQ_PAGE_HEADER_DATA) ? h->data_page.num_values : -1;
    } else if (h->type == PQ_PAGE_DATA_V2) {
        n = PQ_HAS(h, PQ_PAGE_HEADER_DATA_V2) ? h->data_page_v2.num_values : -1;
        if (n >= 0 && (h->data_page_v2.num_rows < 0 ||
                       h->data_page_v2.num_rows > n)) {
            return pq_fail(e, PQ_CORRUPT, "%d values, but %d rows", n,
                           h->data_page_v2.num_rows);
        }
    } else if (h->type == PQ_PAGE_DICTIONARY) {
        n = PQ_HAS(h, PQ_PAGE_HEADER_DICTIONARY)
                ? h->dictionary_page.num_values : -1;
    }
    if (n < 0) {
        return pq_fail(e, PQ_CORRUPT, "a page header of type %d without a "
                                      "count of values", h->type);
    }
    return PQ_OK;
}
