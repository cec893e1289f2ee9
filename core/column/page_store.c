/*
** page_store.c - finished pages in memory and in the scratch file.
**
** Each spill adds one range of the scratch file, which all columns share; the
** ranges followed by what is in memory are the pages in order.  Reading them
** back asks between pieces whether to stop, because it may be gigabytes.
*/
#include "core/column/page_store.h"

enum { PIECE = 1 << 16 };

void pq_page_store_init(PqPageStore *s, PqMem *mem)
{
    *s = (PqPageStore){.mem = mem};
    pq_buf_init(&s->recent, mem, NULL);
}

void pq_page_store_free(PqPageStore *s)
{
    pq_buf_free(&s->recent);
    pq_mem_free(s->spilled);
    pq_page_store_init(s, s->mem);
}

PqRc pq_page_store_add(PqPageStore *s, PqSlice bytes, PqErr *e)
{
    PQ_TRY(pq_buf_append(&s->recent, bytes.p, bytes.n, e));
    s->n_bytes += bytes.n;
    return PQ_OK;
}

PqRc pq_page_store_spill(PqPageStore *s, PqSink *scratch, PqErr *e)
{
    if (s->recent.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(PQ_GROW(s->mem, s->spilled, s->n_spilled, s->spilled_room, e));
    s->spilled[s->n_spilled] =
        (PqSpilled){pq_sink_offset(scratch), s->recent.n};
    PQ_TRY(pq_sink_write(scratch, s->recent.p, s->recent.n, e));
    s->n_spilled++;
    pq_buf_free(&s->recent);
    return PQ_OK;
}

static PqRc each_spilled(PqSpilled at, PqSink *scratch, const PqStop *stop,
                         PqPageTake take, void *arg, PqErr *e)
{
    uint64_t piece[PIECE / 8];

    while (at.n) {
        size_t n = at.n < PIECE ? at.n : PIECE;

        PQ_TRY(pq_stop_poll(stop, e));
        PQ_TRY(pq_sink_read(scratch, at.offset, n, piece, e));
        PQ_TRY(take(arg, pq_slice(piece, n), e));
        at.offset += n;
        at.n -= n;
    }
    return PQ_OK;
}

/* The pages in memory go in steps too, because they may be large. */
PqRc pq_page_store_each(const PqPageStore *s, PqSink *scratch,
                        const PqStop *stop, PqPageTake take, void *arg,
                        PqErr *e)
{
    for (uint32_t i = 0; i < s->n_spilled; i++) {
        PQ_TRY(each_spilled(s->spilled[i], scratch, stop, take, arg, e));
    }
    for (size_t at = 0; at < s->recent.n; at += PQ_STEP_BYTES) {
        size_t left = s->recent.n - at;

        PQ_TRY(pq_stop_poll(stop, e));
        PQ_TRY(take(arg, pq_slice(s->recent.p + at,
                                  left < PQ_STEP_BYTES ? left : PQ_STEP_BYTES),
                    e));
    }
    return PQ_OK;
}

static PqRc write_piece(void *to, PqSlice piece, PqErr *e)
{
    return pq_sink_write(to, piece.p, piece.n, e);
}

PqRc pq_page_store_write(const PqPageStore *s, PqSink *scratch, PqSink *to,
                         const PqStop *stop, PqErr *e)
{
    return pq_page_store_each(s, scratch, stop, write_piece, to, e);
}
