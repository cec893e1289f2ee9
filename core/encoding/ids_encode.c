/*
** ids_encode.c - the data pages of a dictionary: one byte says how wide the
** ids are, runs of them follow.
**
**   03  03 88 c6 fa                  8 entries: 0 1 2 3 4 5 6 7
**
** rle_encode.c does the hard part.
*/
#include "core/encoding/encode_inside.h"

PqRc pq_encode_ids(const uint32_t *ids, uint32_t n, uint32_t n_entries,
                   PqBuf *out, PqErr *e)
{
    unsigned width = n_entries > 2 ? pq_bits_of(n_entries - 1) : 1;
    uint8_t *p;
    PqOut o;

    PQ_TRY(pq_out_begin(&o, out, n, e));
    p = pq_out_room(&o, 1, e);
    if (!p) {
        return e->rc;
    }
    *p = (uint8_t)width;
    out->n++;
    return pq_out_end(&o, pq_runs_write(&o, ids, n, width, e));
}
