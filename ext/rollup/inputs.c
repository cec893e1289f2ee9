/*
** inputs.c - a batch of the source becomes vectors of keys and inputs.
*/
#include "ext/rollup/inputs_inside.h"

/* ---- made once ------------------------------------------------------------- */

static uint32_t columns_used(const PqextInputs *in)
{
    uint32_t n = in->n_keys;

    for (uint32_t i = 0; i < in->n_inputs; i++) {
        const PqextMeasure *m = in->inputs[i].measure;

        n += m->program ? m->program->n_columns : 1;
    }
    return n;
}

static PqRc make_graph(PqextInputs *in, PqErr *e)
{
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        PqextInputMeasure *input = &in->inputs[i];

        if (input->measure->program) {
            PQ_TRY(pq_number_graph_add(&in->graph, input->measure->program,
                                       &in->always, &input->root, e));
        }
    }
    in->results = pq_arena_zeros(&in->always, in->graph.n_nodes + 1u,
                                 sizeof *in->results, e);
    return in->results ? PQ_OK : e->rc;
}

static PqRc make_room(PqextInputs *in, PqErr *e)
{
    PqMem *m = in->mem;

    in->columns = pq_mem_zeros(m, columns_used(in) + 1, sizeof *in->columns, e);
    in->key_vectors = pq_mem_zeros(m, in->n_keys + 1, sizeof *in->key_vectors,
                                   e);
    in->input_vectors = pq_mem_zeros(m, in->n_inputs + 1,
                                     sizeof *in->input_vectors, e);
    return in->columns && in->key_vectors && in->input_vectors ? PQ_OK : e->rc;
}

static void expect(const PqextInputs *in, uint32_t column)
{
    if (pq_column_is_of_pages(pqext_input_column(in, column))) {
        pq_scan_expect(in->source->scan, column);
    }
}

/* Their values will be asked for, unless no row is left. */
static void expect_columns(const PqextInputs *in)
{
    for (uint32_t i = 0; i < in->graph.n_columns; i++) {
        expect(in, in->graph.columns[i]);
    }
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        const PqextMeasure *m = in->inputs[i].measure;

        if (!m->program && m->op != PQ_ROLLUP_COUNT_ROWS) {
            expect(in, (uint32_t)m->column);
        }
    }
    for (uint32_t i = 0; i < in->n_keys; i++) {
        expect(in, in->keys[i].column);
    }
}

PqRc pqext_inputs_new(const PqextDefinition *d, PqextScan *source,
                      const uint32_t *dimensions, uint32_t n_dimensions,
                      const uint32_t *measures, uint32_t n_measures,
                      PqextInputs **out, PqErr *e)
{
    PqMem *mem = source->table->host->engine->mem;
    PqextInputs *in = pq_mem_zeros(mem, 1, sizeof *in, e);

    *out = NULL;
    PQ_TRY(in ? PQ_OK : e->rc);
    *in = (PqextInputs){.mem = mem, .definition = d, .source = source,
                        .n_keys = n_dimensions, .n_inputs = n_measures};
    pq_arena_init(&in->always, mem);
    pq_arena_init(&in->batch, mem);
    in->keys = pq_mem_zeros(mem, n_dimensions + 1, sizeof *in->keys, e);
    in->inputs = pq_mem_zeros(mem, n_measures + 1, sizeof *in->inputs, e);
    if (!in->keys || !in->inputs) {
        pqext_inputs_free(in);
        return e->rc;
    }
    for (uint32_t i = 0; i < n_dimensions; i++) {
        in->keys[i].dimension = &d->dimensions[dimensions[i]];
        in->keys[i].column = in->keys[i].dimension->column;
        pqext_ask_init(&in->keys[i].ask, source->table->host->db, mem);
        pq_arena_init(&in->keys[i].entries, mem);
    }
    for (uint32_t i = 0; i < n_measures; i++) {
        in->inputs[i].measure = &d->measures[measures[i]];
    }
    if (make_room(in, e) != PQ_OK || make_graph(in, e) != PQ_OK) {
        pqext_inputs_free(in);
        return e->rc;
    }
    expect_columns(in);
    *out = in;
    return PQ_OK;
}

void pqext_inputs_free(PqextInputs *in)
{
    if (in) {
        for (uint32_t i = 0; in->keys && i < in->n_keys; i++) {
            pqext_ask_reset(&in->keys[i].ask);
            pq_arena_free(&in->keys[i].entries);
        }
        for (uint32_t i = 0; i < in->n_columns; i++) {
            pq_arena_free(&in->columns[i].made);
        }
        pq_arena_free(&in->always);
        pq_arena_free(&in->batch);
        pq_mem_free(in->keys);
        pq_mem_free(in->inputs);
        pq_mem_free(in->columns);
        pq_mem_free(in->key_vectors);
        pq_mem_free(in->input_vectors);
        pq_mem_free(in);
    }
}

/* ---- columns --------------------------------------------------------------- */

const PqColumn *pqext_input_column(const PqextInputs *in, uint32_t column)
{
    return &in->source->table->table->columns[column];
}

static PqRc load_numbers(PqextInputs *in, uint32_t column,
                         PqextNumberColumn **out, PqErr *e)
{
    uint32_t i = 0;

    while (i < in->n_columns && in->columns[i].column != column) {
        i++;
    }
    if (i == in->n_columns) {
        in->columns[in->n_columns++] = (PqextNumberColumn){.column = column};
        pq_arena_init(&in->columns[i].made, in->mem);
    }
    *out = &in->columns[i];
    return pqext_numbers_load(&in->columns[i], in->source, &in->batch, e);
}

PqRc pqext_input_numbers(PqextInputs *in, uint32_t column, PqNumbers *out, PqErr *e)
{
    PqextNumberColumn *c;

    PQ_TRY(load_numbers(in, column, &c, e));
    if (!c->numbers.reals && (c->numbers.kind == PQ_NUMBER_INT ||
                              c->numbers.kind == PQ_NUMBER_DECIMAL)) {
        c->numbers.bound = pq_numbers_bound(&c->numbers);
    }
    *out = c->numbers;
    return PQ_OK;
}

PqRc pqext_input_by_row(PqextInputs *in, uint32_t column, bool summed,
                        PqNumbers *out, PqErr *e)
{
    PqextNumberColumn *c;

    PQ_TRY(load_numbers(in, column, &c, e));
    *out = c->numbers;
    out->reals = summed && c->summed ? c->summed : out->reals;
    return pq_numbers_by_row(out, &in->batch, e);
}

/* ---- batches --------------------------------------------------------------- */

PqRc pqext_inputs_load(PqextInputs *in, PqRollupBatch *out, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(in->source->scan);

    pq_arena_reset(&in->batch);
    for (uint32_t i = 0; i < in->n_columns; i++) {
        in->columns[i].batch = 0;
    }
    for (uint32_t i = 0; i < in->n_keys; i++) {
        PQ_TRY(pqext_input_load_key(in, &in->keys[i], &in->key_vectors[i], e));
    }
    PQ_TRY(in->graph.n_nodes ? pqext_input_run_graph(in, e) : PQ_OK);
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        PQ_TRY(pqext_input_load_measure(in, &in->inputs[i],
                                        &in->input_vectors[i], e));
    }
    *out = (PqRollupBatch){.n_rows = b->n_rows, .kept = b->kept,
                           .n_kept = b->n_kept, .keys = in->key_vectors,
                           .inputs = in->input_vectors};
    return PQ_OK;
}
