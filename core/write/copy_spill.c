/*
** copy_spill.c - keeps waiting rows of partitions in the scratch file.
**
** When memory runs short, thousands of partitions may have a few rows each.
** If they were written then, they would make thousands of tiny row groups.  So
** they are put aside as cells.  They come back in their order when there are
** enough of them, or when the query ends.
**
**   scratch   [FR: -, rows] [DE: -, rows] [FR: 0, rows] ...
**   a piece   PqCopyPiece, row ...
**   row       number, cell of each column
**   cell      class, and by it nothing, 8 bytes, or length and bytes
**
** A piece holds the rows of a slab.  They come after the rows that were handed
** over, and before the rows that are now in the slab.  Each piece has the
** offset of the previous one, so an output only remembers its last piece.
*/
#include "core/write/copy_inside.h"

/* --- putting aside -------------------------------------------------------- */

static PqRc put_rows(const PqCopy *c, const PqSlab *s, PqBuf *b, PqErr *e)
{
    b->sink = e;
    for (uint32_t row = 0; row < s->n_rows; row++) {
        pq_buf_add(b, &s->numbers[row], sizeof *s->numbers);
        for (uint32_t i = 0; i < c->n_cells; i++) {
            pq_cell_put(&s->columns[i].cells[row], b);
        }
    }
    b->sink = NULL;                  /* e may be gone by the next call */
    return e->rc;
}

static PqRc write_piece(PqCopyOut *o, const PqSlab *s, PqBuf *b, PqErr *e)
{
    PqCopy *c = o->copy;
    PqCopyPiece p = {.before = o->last_piece, .n_rows = s->n_rows,
                     .first = s->numbers[0]};
    uint64_t at;

    PQ_TRY(put_rows(c, s, b, e));
    PQ_TRY(pq_copy_scratch(c, e));
    at = pq_sink_offset(c->scratch);
    p.n_bytes = b->n;
    PQ_TRY(pq_sink_write(c->scratch, &p, sizeof p, e));
    PQ_TRY(pq_sink_write(c->scratch, b->p, b->n, e));
    o->last_piece = at;
    o->n_pieces++;
    o->aside_rows += s->n_rows;
    c->n_aside += s->n_rows;
    return PQ_OK;
}

PqRc pq_copy_spill_rows(PqCopyOut *o, PqErr *e)
{
    PqSlab *s = &o->slabs[o->filling];
    PqBuf b;
    PqRc rc = PQ_OK;

    pq_buf_init(&b, o->copy->mem, NULL);
    if (s->n_rows) {
        rc = write_piece(o, s, &b, e);
    }
    pq_buf_free(&b);
    pq_copy_slab_free(o->copy, s);
    return rc;
}

/* --- bringing back -------------------------------------------------------- */

static PqRc take_cell(PqSlice *b, PqCells *to, PqErr *e)
{
    PqCell cell = {.n = 0};
    PqSlice s;

    PQ_TRY(pq_slice_u8(b, &cell.kind, e));
    if (pq_cell_has_bytes(&cell)) {
        PQ_TRY(pq_slice_u32(b, &cell.n, e));
        PQ_TRY(pq_slice_take(b, cell.n, &s, e));
        cell.p = s.p;
    } else if (cell.kind != PQ_CELL_NULL) {
        PQ_TRY(pq_slice_take(b, sizeof cell.i, &s, e));
        memcpy(&cell.i, s.p, s.n);
    }
    return pq_cells_add(to, &cell, e);
}

/* Appends the next row of a piece to the slab that is being filled. */
static PqRc take_row(PqCopyOut *o, PqSlice *b, PqErr *e)
{
    PqSlab *s = &o->slabs[o->filling];

    PQ_TRY(pq_copy_slab_reserve(o, e));
    PQ_TRY(pq_slice_u64(b, &s->numbers[s->n_rows], e));
    for (uint32_t i = 0; i < o->copy->n_cells; i++) {
        PQ_TRY(take_cell(b, &s->columns[i], e));
    }
    s->n_rows++;
    return PQ_OK;
}

/* Lists the offsets of all pieces, in the order of the rows, in b. */
static PqRc list_pieces(PqCopyOut *o, PqBuf *b, PqErr *e)
{
    uint64_t *offsets, at = o->last_piece;
    PqCopyPiece p;

    PQ_TRY(pq_buf_resize(b, o->n_pieces * sizeof *offsets, e));
    offsets = (void *)b->p;
    for (uint64_t i = o->n_pieces; i-- > 0; at = p.before) {
        PQ_TRY(pq_stop_poll(o->copy->plan.stop, e));
        PQ_TRY(pq_sink_read(o->copy->scratch, at, sizeof p, &p, e));
        offsets[i] = at;
    }
    return PQ_OK;
}

static PqRc read_piece(PqCopyOut *o, uint64_t at, PqCopyPiece *p, PqBuf *b,
                       PqErr *e)
{
    PqSink *scratch = o->copy->scratch;

    PQ_TRY(pq_stop_poll(o->copy->plan.stop, e));
    PQ_TRY(pq_sink_read(scratch, at, sizeof *p, p, e));
    PQ_TRY(pq_buf_resize(b, p->n_bytes, e));
    return pq_sink_read(scratch, at + sizeof *p, p->n_bytes, b->p, e);
}

/* What becomes of the rows of a piece: they are handed over in full slabs.  Or
** each piece is looked at in a slab of its own, and goes. */
typedef PqRc (*Look)(PqCopyOut *o, PqErr *e);

static PqRc bring_back(PqCopyOut *o, uint64_t at, PqBuf *b, Look look, PqErr *e)
{
    PqSlice rest;
    PqCopyPiece p;

    PQ_TRY(read_piece(o, at, &p, b, e));
    rest = pq_buf_view(b);
    for (uint64_t row = 0; row < p.n_rows; row++) {
        PQ_TRY(take_row(o, &rest, e));
        if (!look && pq_copy_out_is_full(o)) {
            PQ_TRY(pq_copy_out_submit(o, e));
        }
    }
    if (look) {
        PQ_TRY(look(o, e));
        pq_copy_slab_free(o->copy, &o->slabs[o->filling]);
    }
    return PQ_OK;
}

static PqRc each_piece(PqCopyOut *o, Look look, PqErr *e)
{
    PqBuf list, b;
    PqRc rc;

    pq_buf_init(&list, o->copy->mem, NULL);
    pq_buf_init(&b, o->copy->mem, NULL);
    PQ_GO(list_pieces(o, &list, e));
    for (uint64_t i = 0; i < o->n_pieces; i++) {
        PQ_GO(bring_back(o, ((const uint64_t *)(void *)list.p)[i], &b, look, e));
    }
done:
    pq_buf_free(&list);
    pq_buf_free(&b);
    return rc;
}

PqRc pq_copy_spill_back(PqCopyOut *o, PqErr *e)
{
    PqCopy *c = o->copy;

    if (!o->n_pieces) {
        return PQ_OK;
    }
    PQ_TRY(pq_copy_spill_rows(o, e));            /* these are the last */
    PQ_TRY(each_piece(o, NULL, e));
    c->n_aside -= o->aside_rows;
    o->aside_rows = 0;
    o->n_pieces = 0;
    if (c->n_aside == 0) {                       /* of any output */
        pq_sink_close(c->scratch);
        c->scratch = NULL;
    }
    return PQ_OK;
}

PqRc pq_copy_spill_show(PqCopyOut *o, PqRc (*look)(PqCopyOut *o, PqErr *e),
                        PqErr *e)
{
    pq_copy_slab_free(o->copy, &o->slabs[o->filling]);
    return each_piece(o, look, e);
}
