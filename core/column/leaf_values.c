/*
** leaf_values.c - gathers the values of pages, then spreads them over the
** slots.
**
** Pages store no values for nulls, so values come without gaps.  A batch may
** take pages of ids and pages of values: from the first page of values on,
** everything becomes values, including the ids gathered before.
*/
#include "core/column/leaf_read.h"

#include "core/simd/kernels.h"

/* Looks up n gathered ids, into the array of values. */
static void look_up(const PqLeafReader *r, uint32_t from, uint32_t n)
{
    pq_dict_look_up(r->dict.values, r->width, r->space.ids + from, n,
                    (char *)r->space.values + from * r->width);
}

/* Texts of a partial dictionary have no NUL. */
static PqRc copy_texts(PqLeafReader *r, uint32_t from, uint32_t n, PqErr *e)
{
    PqStr *v = (PqStr *)r->space.values + from;

    for (uint32_t i = 0; i < n; i++) {
        v[i].p = (uint8_t *)pq_arena_text(&r->strings, v[i].p, v[i].n, e);
        if (!v[i].p) {
            return e->rc;
        }
    }
    return PQ_OK;
}

/* Makes sure that the entries of n gathered ids are there. */
static PqRc need_entries(PqLeafReader *r, uint32_t from, uint32_t n, PqErr *e)
{
    const uint32_t *ids = r->space.ids + from;
    uint32_t most = 0;

    if (!r->few) {
        return pq_leaf_dict_all(r, e);
    }
    for (uint32_t i = 0; i < n; i++) {
        most = ids[i] > most ? ids[i] : most;
    }
    return pq_leaf_dict_upto(r, most + 1, e);
}

static PqRc gather_ids(PqLeafReader *r, uint32_t at, uint32_t n, PqErr *e)
{
    PQ_TRY(pq_decoder_read_ids(r->decoder, n, r->dict.n, r->space.ids + at,
                               e));
    if (r->part.arrival.is_open) {
        PQ_TRY(need_entries(r, at, n, e));
    }
    if (r->gathered != PQ_GATHER_VALUES) {
        r->gathered = PQ_GATHER_IDS;
        return PQ_OK;
    }
    look_up(r, at, n);
    return r->part.arrival.is_open && r->leaf->type.physical == PQ_BYTE_ARRAY
               ? copy_texts(r, at, n, e) : PQ_OK;
}

/* Copies values that were lent to the array, where the values of the next page,
** or gaps, can follow. */
static void take_lent(PqLeafReader *r)
{
    if (r->lent) {
        memcpy(r->space.values, r->lent, r->n_packed * r->width);
        r->lent = NULL;
    }
}

/* The values of a vector stay in the page if all of them are in one. */
static PqRc gather_values(PqLeafReader *r, uint32_t at, uint32_t n, PqErr *e)
{
    take_lent(r);
    if (at == 0) {
        PQ_TRY(pq_decoder_lend(r->decoder, n, &r->lent, e));
    }
    return r->lent ? PQ_OK
                   : pq_decoder_read(r->decoder, n,
                                     (char *)r->space.values + at * r->width,
                                     &r->strings, e);
}

PqRc pq_leaf_gather(PqLeafReader *r, uint32_t n, PqErr *e)
{
    uint32_t at = r->n_packed;

    if (n == 0) {
        return PQ_OK;
    }
    r->arrival.n_read += n;
    if (pq_encoding_is_dictionary(r->page->encoding)) {
        take_lent(r);
        PQ_TRY(gather_ids(r, at, n, e));
    } else {
        if (r->gathered == PQ_GATHER_IDS) {
            look_up(r, 0, at);
        }
        r->gathered = PQ_GATHER_VALUES;
        PQ_TRY(gather_values(r, at, n, e));
    }
    r->n_packed += n;
    return PQ_OK;
}

/* Like the kernels' spread32, for values of any width. */
static void spread_bytes(char *values, size_t width, const uint64_t *valid,
                         uint32_t n, uint32_t n_set)
{
    uint32_t i = n;

    while (i-- > 0) {
        if (!pq_bit(valid, i)) {
            memset(values + i * width, 0, width);
        } else {
            n_set--;
            memmove(values + i * width, values + n_set * width, width);
        }
    }
}

void pq_leaf_spread_values(void *values, size_t width, const uint64_t *valid,
                           uint32_t n, uint32_t n_set)
{
    if (width == 4) {
        pq_kernels()->spread32(values, valid, n, n_set);
    } else if (width == 8) {
        pq_kernels()->spread64(values, valid, n, n_set);
    } else {
        spread_bytes(values, width, valid, n, n_set);
    }
}

void pq_leaf_spread(PqLeafReader *r, uint32_t n_slots)
{
    PqSpace *s = &r->space;
    bool ids = r->gathered == PQ_GATHER_IDS;

    take_lent(r);
    pq_leaf_spread_values(ids ? s->ids : s->values,
                          ids ? sizeof *s->ids : r->width, s->valid, n_slots,
                          r->n_packed);
}
