/*
** leaf_dict.c - reads the dictionary of a chunk before any of its rows.
**
**   [dictionary page] data page ...
**   ^ read up to here ^              to know which values there may be; reading
**                                    rows goes on from there, with the same
**                                    decoded dictionary
**
** The rows may not be wanted at all.  So nothing after the dictionary page is
** read, and if the chunk begins without one, the reader stays where it was.
*/
#include "core/column/leaf_read.h"

/* The chunk's end is moved to the first data page meanwhile, so that the window
** does not read ahead beyond the dictionary. */
static PqRc read_dictionary(PqLeafReader *r, PqErr *e)
{
    uint64_t end = r->chunk.end;
    uint64_t first = (uint64_t)r->chunk.chunk.meta_data.data_page_offset;
    bool more;
    PqRc rc;

    pq_chunk_enter(&r->chunk, e);
    if (first > r->chunk.begin && first < end) {
        r->chunk.end = first;
    }
    rc = pq_chunk_next(&r->chunk, &more, e);
    if (rc == PQ_OK && more && r->chunk.header.type == PQ_PAGE_DICTIONARY) {
        rc = pq_leaf_take_dictionary(r, e);
    }
    r->chunk.end = end;
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
        *out = &r->dict;
    }
    return PQ_OK;
}
