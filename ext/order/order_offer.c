/*
** order_offer.c - keys of the rows that were read.
*/
#include "ext/order/order_inside.h"

#include <math.h>

/* ---- what can still be of interest ------------------------------------------ */

/* <0, 0, >0 in the direction of the first column. */
int pqext_order_first(const PqextOrder *o, const PqextKeyValue *a,
                       const PqextKeyValue *b)
{
    int c = pqext_order_compare(a, b);

    return o->by.v[0].desc ? -c : c;
}

static const PqextKeyValue *worst_first(const PqextOrder *o)
{
    const PqextOrderKey *worst = pqext_keys_worst(&o->keys);

    return worst ? worst->values : NULL;
}

static const PqextKeyValue *floor_first(const PqextOrder *o)
{
    return o->floor.n ? pqext_keys_at(&o->floor, 0)->values : NULL;
}

bool pqext_order_too_bad(const PqextOrder *o, const PqextKeyValue *best)
{
    const PqextKeyValue *worst = worst_first(o);

    return worst && pqext_order_first(o, best, worst) > 0;
}

bool pqext_order_given_already(const PqextOrder *o, const PqextKeyValue *worst)
{
    const PqextKeyValue *floor = floor_first(o);

    return floor && pqext_order_first(o, worst, floor) < 0;
}

bool pqext_order_refutes(const PqProof *base, const PqLeafBounds *b, int64_t n_rows)
{
    const PqextOrder *o = ((const PqextOrderProof *)base)->order;
    const PqextOrderColumn *c = &o->by.v[0];
    const PqextTable *t = o->c->table;
    char best_room[PQEXT_BOUND_ROOM], worst_room[PQEXT_BOUND_ROOM];
    PqextKeyValue best, worst;

    (void)n_rows;
    return pq_type_equal(&b->leaf->type,
                         &t->table->columns[c->column].type) &&
           pqext_order_ends(t, c, b, best_room, worst_room, &best, &worst) &&
           (pqext_order_too_bad(o, &best) || pqext_order_given_already(o, &worst));
}

/* ---- values of a batch --------------------------------------------------------- */

static PqRc load_source(PqextOrder *o, uint32_t i, PqErr *e)
{
    const PqextOrderColumn *c = &o->by.v[i];
    PqextOrderSource *s = &o->sources[i];
    const PqNode *node;

    if (c->form == PQEXT_FORM_OF_ROWIDS) {
        return PQ_OK;
    }
    node = pq_scan_node(o->scan, (uint32_t)c->column);
    s->absent = !node;
    if (!node) {
        return PQ_OK;
    }
    if (c->form == PQEXT_FORM_OF_CELLS) {
        PQ_TRY(pqext_cursor_load(o->c, (uint32_t)c->column, &s->column, e));
        s->cell_of = pqsql_column_cells(s->column);
        return PQ_OK;
    }
    s->is_unsigned = pq_type_is_unsigned(&node->type);
    return pq_scan_vector(o->scan, (uint32_t)node->leaf, &s->vector, e);
}

static void value_of_cell(const PqsqlCell *cell, PqextKeyValue *out)
{
    *out = (PqextKeyValue){.kind = PQEXT_KEY_NULL};
    switch (cell->kind) {
    case PQSQL_NULL:
        break;
    case PQSQL_INTEGER:
        out->kind = PQEXT_KEY_INT;
        out->as.i = cell->i;
        break;
    case PQSQL_REAL:
        out->kind = PQEXT_KEY_REAL;
        out->as.r = cell->r;
        break;
    default:
        out->kind = cell->kind == PQSQL_TEXT ? PQEXT_KEY_TEXT : PQEXT_KEY_BLOB;
        out->as.p = cell->bytes.p;
        out->n = (uint32_t)cell->bytes.n;
        break;
    }
}

static PqRc take_cell(PqextOrderSource *s, uint32_t row, PqextKeyValue *out, PqErr *e)
{
    const PqsqlColumn *c = s->column;

    if (c->valid && !pq_bit(c->valid, row)) {
        s->cell.kind = PQSQL_NULL;
    } else if (s->cell_of) {
        s->cell_of(c, c->ids ? c->ids[row] : row, &s->cell);
    } else {
        PQ_TRY(pqsql_column_text_cell(s->column, row, &s->cell, e));
    }
    value_of_cell(&s->cell, out);
    return PQ_OK;
}

static int64_t stored_integer(const PqextOrderSource *s, PqPhysical type, const void *at)
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

static void take_stored(const PqextOrderSource *s, PqextKeyForm form, uint32_t row,
                        PqextKeyValue *out)
{
    const PqVector *v = s->vector;
    PqPhysical type = v->leaf->type.physical;
    const void *at = pq_vector_at(v, pq_physical_width(type), row);
    const PqStr *bytes = at;

    *out = (PqextKeyValue){.kind = PQEXT_KEY_NULL};
    if (!pq_vector_is_valid(v, row)) {
        return;
    }
    switch (form) {
    case PQEXT_FORM_OF_INTS:
        out->kind = PQEXT_KEY_INT;
        out->as.i = stored_integer(s, type, at);
        break;
    case PQEXT_FORM_OF_REALS:
        out->as.r = type == PQ_FLOAT ? (double)*(const float *)at
                                     : *(const double *)at;
        out->kind = isnan(out->as.r) ? PQEXT_KEY_NULL : PQEXT_KEY_REAL;
        break;
    default:
        out->kind = form == PQEXT_FORM_OF_TEXTS ? PQEXT_KEY_TEXT
                                                : PQEXT_KEY_BLOB;
        out->as.p = bytes->p;
        out->n = bytes->n;
        break;
    }
}

static PqRc take_value(PqextOrder *o, uint32_t i, uint32_t row,
                       PqextKeyValue *out, PqErr *e)
{
    PqextKeyForm form = o->by.v[i].form;
    PqextOrderSource *s = &o->sources[i];

    if (form == PQEXT_FORM_OF_ROWIDS) {
        *out = (PqextKeyValue){
            .kind = PQEXT_KEY_INT,
            .as.i = pq_batch_rowid(pq_scan_batch(o->scan), row)};
        return PQ_OK;
    }
    if (s->absent) {
        *out = (PqextKeyValue){.kind = PQEXT_KEY_NULL};
        return PQ_OK;
    }
    if (form == PQEXT_FORM_OF_CELLS) {
        return take_cell(s, row, out, e);
    }
    take_stored(s, form, row, out);
    return PQ_OK;
}

/* ---- rows of interest -------------------------------------------------------------- */

/* What integers of the first column are of interest; false: anything else has
** a say in it. */
static bool interesting(const PqextOrder *o, int64_t *low, int64_t *high,
                        bool *nulls)
{
    const PqextKeyValue *worst = worst_first(o), *floor = floor_first(o);
    bool desc = o->by.v[0].desc;

    *low = INT64_MIN;
    *high = INT64_MAX;
    *nulls = true;
    if ((worst && worst->kind != PQEXT_KEY_INT) ||
        (floor && floor->kind != PQEXT_KEY_INT)) {
        return false;
    }
    if (worst) {
        *(desc ? low : high) = worst->as.i;
        *nulls = !desc;
    }
    if (floor) {
        *(desc ? high : low) = floor->as.i;
        *nulls = *nulls && desc;
    }
    return true;
}

/* Marks integers that lie there as they are; false: they do not. */
static bool mark_integers(const PqextOrder *o, uint32_t n_rows, uint64_t *bits)
{
    const PqVector *v = o->sources[0].vector;
    const PqKernels *k = pq_kernels();
    int64_t low, high;
    bool nulls;

    if (o->by.v[0].form != PQEXT_FORM_OF_INTS || o->sources[0].absent ||
        v->dict || o->sources[0].is_unsigned ||
        v->leaf->type.physical == PQ_BOOLEAN ||
        !interesting(o, &low, &high, &nulls)) {
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

/* Lists rows of the batch whose first column does not rule them out. */
static PqRc list_rows(PqextOrder *o, uint32_t *n_list, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(o->scan);
    uint64_t bits[PQ_BATCH_ROWS / 64];
    bool marked = mark_integers(o, b->n_rows, bits);
    PqextKeyValue v;

    *n_list = 0;
    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint32_t row = b->kept ? b->kept[i] : i;

        if (marked) {
            o->list[*n_list] = row;
            *n_list += pq_bit(bits, row);
            continue;
        }
        PQ_TRY(take_value(o, 0, row, &v, e));
        if (!pqext_order_too_bad(o, &v) && !pqext_order_given_already(o, &v)) {
            o->list[(*n_list)++] = row;
        }
    }
    return PQ_OK;
}

static PqRc offer_row(PqextOrder *o, uint32_t row, PqErr *e)
{
    int64_t rowid = pq_batch_rowid(pq_scan_batch(o->scan), row);
    const PqextOrderKey *floor = o->floor.n ? pqext_keys_at(&o->floor, 0) : NULL;

    for (uint32_t i = 0; i < o->by.n; i++) {
        PQ_TRY(take_value(o, i, row, &o->candidate[i], e));
        if (i == 0 && pqext_order_too_bad(o, &o->candidate[0])) {
            return PQ_OK;
        }
    }
    if (floor && pqext_keys_order(&o->keys, o->candidate, rowid, floor->values,
                                  floor->row) <= 0) {
        return PQ_OK;
    }
    return pqext_keys_offer(&o->keys, o->candidate, rowid, e);
}

/* From its better end, so that the rest is mostly not good enough. */
PqRc pqext_order_offer_batch(PqextOrder *o, PqErr *e)
{
    PqextKeyValue last;
    uint32_t i, n;

    PQ_TRY(load_source(o, 0, e));
    PQ_TRY(list_rows(o, &n, e));
    if (n == 0) {
        return PQ_OK;
    }
    for (i = 1; i < o->by.n; i++) {
        PQ_TRY(load_source(o, i, e));
    }
    PQ_TRY(take_value(o, 0, o->list[n - 1], &last, e));
    PQ_TRY(take_value(o, 0, o->list[0], &o->candidate[0], e));
    if (pqext_order_first(o, &last, &o->candidate[0]) < 0) {
        for (i = n; i-- > 0;) {
            PQ_TRY(offer_row(o, o->list[i], e));
        }
    } else {
        for (i = 0; i < n; i++) {
            PQ_TRY(offer_row(o, o->list[i], e));
        }
    }
    return PQ_OK;
}
