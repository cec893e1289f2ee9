/*
** input_measures.c - the inputs of measures in a batch.
**
** MIN and MAX compare stored numbers and texts where these have the order of
** SQLite's values.  Dates are compared as texts, as SQLite sees them.
*/
#include "ext/rollup/inputs_inside.h"

#include "ext/cursor/cursor_scan.h"

/* SQLite sees an integer that does not fit 64 bits as a REAL. */
static PqRc to_integers(PqextInputs *in, PqNumbers *n, PqErr *e)
{
    const PqWide *from = n->values;
    int64_t *to = pq_arena_zeros(&in->batch, n->n + 1, sizeof *to, e);
    uint64_t *reals = pq_arena_zeros(&in->batch, n->n / 64 + 1, sizeof *reals,
                                     e);
    bool any = false;

    PQ_TRY(to && reals ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n->n; i++) {
        double r = (double)from[i];

        if (from[i] >= INT64_MIN && from[i] <= INT64_MAX) {
            to[i] = (int64_t)from[i];
        } else {
            pq_bit_set(reals, i);
            any = true;
            memcpy(&to[i], &r, sizeof r);
        }
    }
    n->kind = PQ_NUMBER_INT;
    n->values = to;
    n->reals = any ? reals : NULL;
    return PQ_OK;
}

/* The results of all programs. */
PqRc pqext_input_run_graph(PqextInputs *in, PqErr *e)
{
    const PqNumberGraph *g = &in->graph;
    PqNumbers *columns =
        pq_arena_zeros(&in->batch, g->n_columns + 1u, sizeof *columns, e);

    PQ_TRY(columns ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < g->n_columns; i++) {
        PQ_TRY(pqext_input_numbers(in, g->columns[i], &columns[i], e));
        if (columns[i].kind == PQ_NUMBER_WIDE && columns[i].scale == 0) {
            PQ_TRY(to_integers(in, &columns[i], e));
        }
    }
    return pq_number_graph_run(g, columns,
                               pq_scan_batch(in->source->scan)->n_rows,
                               &in->batch, in->results, e);
}

/* Which rows have a value. */
static PqRc validity(PqextInputs *in, uint32_t column, const uint64_t **out,
                     PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const uint64_t *keep = pq_scan_batch(in->source->scan)->keep;
    uint64_t *valid = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *valid, e);
    PqCell cell;

    PQ_TRY(valid ? PQ_OK : e->rc);
    *out = valid;
    PQ_EACH_BIT(i, keep, n) {
        PQ_TRY(pqext_scan_cell(in->source, column, i, &cell, e));
        if (cell.kind != PQ_CELL_NULL) {
            pq_bit_set(valid, i);
        }
    }
    return PQ_OK;
}

static PqRc load_count(PqextInputs *in, const PqextMeasure *m,
                       PqRollupInputVector *out, PqErr *e)
{
    const PqColumn *c = pqext_input_column(in, (uint32_t)m->column);
    const PqNode *node;
    const PqVector *v;
    PqNumbers of;
    bool leaf;

    out->kind = PQ_ROLLUP_VALIDITY;
    node = pqext_plain_leaf(in->source, (uint32_t)m->column, &leaf);
    if (pqext_is_numeric(in->source->table, (uint32_t)m->column) &&
        (!leaf || !node || pq_type_is_float(&c->type) ||
         node->type.logical == PQ_TYPE_UNKNOWN)) {
        PQ_TRY(pqext_input_numbers(in, (uint32_t)m->column, &of, e));
        out->valid = of.valid;
        return PQ_OK;
    }
    if (!leaf || !node) {
        return validity(in, (uint32_t)m->column, &out->valid, e);
    }
    PQ_TRY(pq_scan_vector(in->source->scan, (uint32_t)node->leaf, &v, e));
    out->valid = v->valid;
    return PQ_OK;
}

/* How the values of a leaf are ordered, for MIN and MAX. */
typedef enum Ordered { BY_NUMBER, BY_TEXT, BY_CELL } Ordered;

static Ordered order_of(const PqextTable *t, const PqType *stored)
{
    switch (stored->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:
        return t->utf16 || t->values.invalid_utf8 != PQSQL_UTF8_TEXT ? BY_CELL
                                                                     : BY_TEXT;
    case PQ_TYPE_DATE:
    case PQ_TYPE_UUID:
    case PQ_TYPE_TIME:
        return BY_TEXT;
    case PQ_TYPE_TIMESTAMP:
        return t->values.timestamp == PQSQL_TIME_TEXT  ? BY_TEXT
               : t->values.timestamp == PQSQL_TIME_RAW ? BY_NUMBER : BY_CELL;
    case PQ_TYPE_DECIMAL:
        return t->values.decimal_text ? BY_CELL : BY_NUMBER;
    case PQ_TYPE_INT:
        return pq_type_is_u64(stored) ? BY_CELL : BY_NUMBER;
    case PQ_TYPE_NONE:
        return stored->physical == PQ_BYTE_ARRAY || stored->physical == PQ_FIXED ||
                       stored->physical == PQ_INT96 ||
                       (t->values.nan_text && pq_type_is_float(stored))
                   ? BY_CELL : BY_NUMBER;
    default:
        return BY_CELL;
    }
}

/* The texts that SQLite sees of the rows. */
static PqRc load_texts(PqextInputs *in, uint32_t column,
                       PqRollupInputVector *out, PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const uint64_t *keep = pq_scan_batch(in->source->scan)->keep;
    PqStr *texts = pq_arena_zeros(&in->batch, n + 1, sizeof *texts, e);
    uint64_t *valid = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *valid, e);
    PqsqlColumn *of;
    PqsqlCellOf cell_of;

    PQ_TRY(texts && valid ? PQ_OK : e->rc);
    PQ_TRY(pqext_scan_load(in->source, column, &of, e));
    cell_of = pqsql_column_cells(of);
    if (!cell_of) {
        out->kind = PQ_ROLLUP_CELLS;
        return PQ_OK;
    }
    PQ_EACH_BIT(i, keep, n) {
        PqCell cell;

        if (of->valid && !pq_bit(of->valid, i)) {
            continue;
        }
        cell_of(of, of->ids ? of->ids[i] : i, &cell);
        pq_bit_set(valid, i);
        texts[i] = pq_cell_str(&cell);
    }
    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_BYTES, .valid = valid,
                                 .texts = texts};
    return PQ_OK;
}

static PqRc load_extreme(PqextInputs *in, uint32_t column,
                         PqRollupInputVector *out, PqErr *e)
{
    const PqextTable *t = in->source->table;
    Ordered order = BY_CELL;
    const PqNode *node;
    bool leaf;

    if (!pq_column_is_of_pages(pqext_input_column(in, column))) {
        order = pqext_is_numeric(t, column) ? BY_NUMBER : BY_CELL;
    } else {
        node = pqext_plain_leaf(in->source, column, &leaf);
        order = !leaf ? BY_CELL
                      : order_of(t, node ? &node->type
                                         : &pqext_input_column(in, column)->type);
        order = leaf && !node ? BY_NUMBER : order;   /* all NULL */
    }
    if (order == BY_NUMBER) {
        out->kind = PQ_ROLLUP_NUMBERS;
        return pqext_input_by_row(in, column, false, &out->numbers, e);
    }
    out->kind = PQ_ROLLUP_CELLS;
    return order == BY_TEXT ? load_texts(in, column, out, e) : PQ_OK;
}

PqRc pqext_input_load_measure(PqextInputs *in, const PqextInputMeasure *input,
                              PqRollupInputVector *out, PqErr *e)
{
    const PqextMeasure *m = input->measure;

    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_NO_INPUT};
    if (m->op == PQ_ROLLUP_COUNT_ROWS) {
        return PQ_OK;
    }
    if (m->program) {
        out->kind = m->op == PQ_ROLLUP_COUNT ? PQ_ROLLUP_VALIDITY
                                             : PQ_ROLLUP_NUMBERS;
        out->numbers = in->results[input->root];
        out->valid = out->numbers.valid;
        return PQ_OK;
    }
    if (m->op == PQ_ROLLUP_COUNT) {
        return load_count(in, m, out, e);
    }
    if (m->op != PQ_ROLLUP_SUM) {
        return load_extreme(in, (uint32_t)m->column, out, e);
    }
    out->kind = PQ_ROLLUP_NUMBERS;
    return pqext_input_by_row(in, (uint32_t)m->column, true, &out->numbers, e);
}

PqRc pqext_inputs_measure_cell(void *arg, uint32_t measure, uint32_t row,
                               PqCell *out, PqErr *e)
{
    PqextInputs *in = arg;

    return pqext_scan_cell(in->source, (uint32_t)in->inputs[measure].measure->column, row,
                            out, e);
}
