/*
** top_offer.c - sort values of the rows that were read.
**
** Most rows are not good enough, and the first column shows that for most of
** them.  So a batch is offered in two steps.  First, the rows whose
** first value can be of interest are listed.  Kernels look at plainly stored
** integers, 64 at a time; other values are looked at one by one.  The other
** columns are decoded only for the listed rows.
*/
#include "core/top/top_inside.h"

#include "core/simd/kernels.h"

#include <math.h>

/* ---- what can still be of interest --------------------------------------- */

int pq_top_compare_first(const PqTop *t, const PqCell *a, const PqCell *b)
{
    int c = pq_cell_compare(a, b);

    return t->by.v[0].desc ? -c : c;
}

static const PqCell *worst_first(const PqTop *t)
{
    const PqTopRow *worst = pq_top_set_worst(&t->set);

    return worst ? worst->values : NULL;
}

/* The last row of the round before, or NULL. */
static const PqTopRow *last_row(const PqTop *t)
{
    return t->last.n ? pq_top_set_at(&t->last, 0) : NULL;
}

bool pq_top_is_too_bad(const PqTop *t, const PqCell *best)
{
    const PqCell *worst = worst_first(t);

    return worst && pq_top_compare_first(t, best, worst) > 0;
}

bool pq_top_was_given(const PqTop *t, const PqCell *worst)
{
    const PqTopRow *last = last_row(t);

    return last && pq_top_compare_first(t, worst, last->values) < 0;
}

bool pq_top_refutes(const PqProof *base, const PqLeafBounds *b, int64_t n_rows)
{
    const PqTop *t = ((const PqTopProof *)base)->top;
    char best_room[PQ_TOP_BOUND_ROOM], worst_room[PQ_TOP_BOUND_ROOM];
    PqCell best, worst;

    return pq_top_ends(&t->spec, &t->by.v[0], b, best_room, worst_room, &best,
                       &worst) &&
           (pq_top_is_too_bad(t, &best) || pq_top_was_given(t, &worst));
}

/* ---- values of a batch --------------------------------------------------- */

static PqRc load_source(PqTop *t, uint32_t i, PqErr *e)
{
    const PqTopColumn *c = &t->by.v[i];
    PqTopSource *s = &t->sources[i];
    const PqNode *node;

    if (c->form == PQ_TOP_ROWIDS) {
        return PQ_OK;
    }
    node = pq_scan_node(t->scan, (uint32_t)c->column);
    s->absent = !node;
    if (!node) {
        return PQ_OK;
    }
    if (c->form == PQ_TOP_CELLS) {
        return t->spec.host.load(t->spec.host.arg, (uint32_t)c->column, e);
    }
    s->is_unsigned = pq_type_is_unsigned(&node->type);
    return pq_scan_vector(t->scan, (uint32_t)node->leaf, &s->vector, e);
}

static int64_t stored_integer(const PqTopSource *s, PqPhysical type,
                              const void *at)
{
    switch (type) {
    case PQ_BOOLEAN:
        return *(const uint8_t *)at;
    case PQ_INT32:
        return s->is_unsigned ? (int64_t)*(const uint32_t *)at
                              : (int64_t)*(const int32_t *)at;
    default:
        return *(const int64_t *)at;
    }
}

static void take_stored(const PqTopSource *s, PqTopForm form, uint32_t row,
                        PqCell *out)
{
    const PqVector *v = s->vector;
    PqPhysical type = v->leaf->type.physical;
    const void *at = pq_vector_at(v, pq_physical_width(type), row);
    const PqStr *bytes = at;

    *out = (PqCell){.kind = PQ_CELL_NULL};
    if (!pq_vector_is_valid(v, row)) {
        return;
    }
    switch (form) {
    case PQ_TOP_INTS:
        *out = pq_cell_int(stored_integer(s, type, at));
        break;
    case PQ_TOP_REALS:
        *out = pq_cell_shown_real(type == PQ_FLOAT ? (double)*(const float *)at
                                                   : *(const double *)at);
        break;
    default:
        *out = pq_cell_bytes(PQ_CELL_BLOB, pq_slice(bytes->p, bytes->n));
        break;
    }
}

static PqRc take_value(PqTop *t, uint32_t i, uint32_t row, PqCell *out,
                       PqErr *e)
{
    PqTopForm form = t->by.v[i].form;
    PqTopSource *s = &t->sources[i];

    if (form == PQ_TOP_ROWIDS) {
        *out = pq_cell_int(pq_batch_rowid(pq_scan_batch(t->scan), row));
        return PQ_OK;
    }
    if (s->absent) {
        *out = (PqCell){.kind = PQ_CELL_NULL};
        return PQ_OK;
    }
    if (form == PQ_TOP_CELLS) {
        return t->spec.host.cell(t->spec.host.arg,
                                 (uint32_t)t->by.v[i].column, row, out, e);
    }
    take_stored(s, form, row, out);
    return PQ_OK;
}

/* ---- rows of interest ---------------------------------------------------- */

/* The range of integers of the first column that are of interest; false: it is
** not a range of integers. */
static bool interesting(const PqTop *t, int64_t *low, int64_t *high,
                        bool *nulls)
{
    const PqCell *worst = worst_first(t);
    const PqTopRow *last = last_row(t);
    bool desc = t->by.v[0].desc;

    *low = INT64_MIN;
    *high = INT64_MAX;
    *nulls = true;
    if ((worst && worst->kind != PQ_CELL_INT) ||
        (last && last->values->kind != PQ_CELL_INT)) {
        return false;
    }
    if (worst) {
        *(desc ? low : high) = worst->i;
        *nulls = !desc;
    }
    if (last) {
        *(desc ? high : low) = last->values->i;
        *nulls = *nulls && desc;
    }
    return true;
}

/* Marks the rows of interest among plainly stored integers; false: the column
** has other values. */
static bool mark_integers(const PqTop *t, uint32_t n_rows, uint64_t *bits)
{
    const PqVector *v = t->sources[0].vector;
    const PqKernels *k = pq_kernels();
    int64_t low, high;
    bool nulls;

    if (t->by.v[0].form != PQ_TOP_INTS || t->sources[0].absent ||
        v->dict || t->sources[0].is_unsigned ||
        v->leaf->type.physical == PQ_BOOLEAN ||
        !interesting(t, &low, &high, &nulls)) {
        return false;
    }
    if (v->leaf->type.physical == PQ_INT32) {
        low = low < INT32_MIN ? INT32_MIN : low;
        high = high > INT32_MAX ? INT32_MAX : high;
    }
    if (low > high) {
        memset(bits, 0, (n_rows + 63) / 64 * sizeof *bits);
    } else if (v->leaf->type.physical == PQ_INT32) {
        k->between32(v->values, n_rows, (uint32_t)low,
                     (uint32_t)high - (uint32_t)low, bits);
    } else {
        k->between64(v->values, n_rows, (uint64_t)low,
                     (uint64_t)high - (uint64_t)low, bits);
    }
    for (uint32_t w = 0; v->valid && w < (n_rows + 63) / 64; w++) {
        bits[w] = nulls ? bits[w] | ~v->valid[w] : bits[w] & v->valid[w];
    }
    return true;
}

/* Lists the rows of the batch that the first column does not rule out. */
static PqRc list_rows(PqTop *t, uint32_t *n_list, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(t->scan);
    uint64_t bits[PQ_BATCH_ROWS / 64];
    bool marked = mark_integers(t, b->n_rows, bits);
    PqCell v;

    *n_list = 0;
    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint32_t row = b->kept ? b->kept[i] : i;

        if (marked) {
            t->list[*n_list] = row;
            *n_list += pq_bit(bits, row);
            continue;
        }
        PQ_TRY(take_value(t, 0, row, &v, e));
        if (!pq_top_is_too_bad(t, &v) && !pq_top_was_given(t, &v)) {
            t->list[(*n_list)++] = row;
        }
    }
    return PQ_OK;
}

static PqRc offer_row(PqTop *t, uint32_t row, PqErr *e)
{
    int64_t rowid = pq_batch_rowid(pq_scan_batch(t->scan), row);
    const PqTopRow *last = last_row(t);

    for (uint32_t i = 0; i < t->by.n; i++) {
        PQ_TRY(take_value(t, i, row, &t->candidate[i], e));
        if (i == 0 && pq_top_is_too_bad(t, &t->candidate[0])) {
            return PQ_OK;
        }
    }
    if (last && pq_top_set_compare(&t->set, t->candidate, rowid, last->values,
                                   last->rowid) <= 0) {
        return PQ_OK;
    }
    return pq_top_set_offer(&t->set, t->candidate, rowid, e);
}

enum { GUESS_BYTES = 64 };

/* The value of a row in the first column, or how a long text begins.  The text
** of a cell may be gone when the next one is asked for, so it is copied. */
static PqRc guess_value(PqTop *t, uint32_t row, uint8_t text[GUESS_BYTES],
                        PqCell *out, PqErr *e)
{
    PQ_TRY(take_value(t, 0, row, out, e));
    if (pq_cell_has_bytes(out)) {
        out->n = out->n < GUESS_BYTES ? out->n : GUESS_BYTES;
        if (out->n > 0) {
            memcpy(text, out->p, out->n);
        }
        out->p = text;
    }
    return PQ_OK;
}

/* Begins at the end with the better row, because the rest is then mostly not
** good enough. */
PqRc pq_top_offer_batch(PqTop *t, PqErr *e)
{
    uint8_t text[2][GUESS_BYTES];
    PqCell first, last;
    uint32_t i, n;

    PQ_TRY(load_source(t, 0, e));
    PQ_TRY(list_rows(t, &n, e));
    if (n == 0) {
        return PQ_OK;
    }
    for (i = 1; i < t->by.n; i++) {
        PQ_TRY(load_source(t, i, e));
    }
    PQ_TRY(guess_value(t, t->list[0], text[0], &first, e));
    PQ_TRY(guess_value(t, t->list[n - 1], text[1], &last, e));
    if (pq_top_compare_first(t, &last, &first) < 0) {
        for (i = n; i-- > 0;) {
            PQ_TRY(offer_row(t, t->list[i], e));
        }
    } else {
        for (i = 0; i < n; i++) {
            PQ_TRY(offer_row(t, t->list[i], e));
        }
    }
    return PQ_OK;
}
