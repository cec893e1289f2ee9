/*
** inputs.c - a batch of the source becomes vectors of keys and inputs.
**
** A key is the stored vector as it is, wherever equal stored values are one
** value of SQLite (pqext_key_form).  For other values, and for those that are met
** for the first time, pqext_inputs_cell gives the value of SQLite.
**
** MIN and MAX compare stored numbers and texts where these have the order of
** SQLite's values.  Dates are compared as texts, as SQLite sees them.
*/
#include "ext/rollup/inputs_inside.h"

#include "ext/cursor/cursor_scan.h"

/* ---- columns --------------------------------------------------------------- */

static const PqColumn *column_of(const PqextInputs *in, uint32_t column)
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

static PqRc numbers_of(PqextInputs *in, uint32_t column, PqNumbers *out, PqErr *e)
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

static PqRc numbers_by_row(PqextInputs *in, uint32_t column, bool summed,
                           PqNumbers *out, PqErr *e)
{
    PqextNumberColumn *c;

    PQ_TRY(load_numbers(in, column, &c, e));
    *out = c->numbers;
    out->reals = summed && c->summed ? c->summed : out->reals;
    return pq_numbers_by_row(out, &in->batch, e);
}

/* ---- keys ----------------------------------------------------------------- */

/* Booleans are stored in a byte each; a key has integers of 4 bytes at least. */
static PqRc widen(PqextInputs *in, uint32_t n_rows, PqRollupKeyVector *out,
                  PqErr *e)
{
    const uint8_t *from = out->values;
    const uint64_t *valid = out->ids ? NULL : out->valid;
    uint32_t n = out->ids ? out->n_entries : n_rows;
    int32_t *to = pq_arena_zeros(&in->batch, n + 1, sizeof *to, e);

    PQ_TRY(to ? PQ_OK : e->rc);
    PQ_EACH_BIT(i, valid, n) {
        to[i] = from[i];
    }
    out->values = to;
    out->width = sizeof *to;
    return PQ_OK;
}

uint64_t pqext_stored_meaning(const PqType *t)
{
    return (uint64_t)t->physical | (uint64_t)t->logical << 8 |
           (uint64_t)t->unit << 16 | (uint64_t)t->is_signed << 20 |
           (uint64_t)t->bit_width << 24 | (uint64_t)(uint32_t)t->scale << 32;
}

/* Does the host show the stored value itself? */
static bool is_as_is(const PqextTable *t, PqGroupForm form, const PqType *type)
{
    switch (form) {
    case PQ_GROUP_INTS:
        return type->logical == PQ_TYPE_NONE ||
               (type->logical == PQ_TYPE_INT &&
                !(pq_type_is_unsigned(type))) ||
               (type->logical == PQ_TYPE_DECIMAL && type->scale == 0 &&
                !t->values.decimal_text);
    case PQ_GROUP_REALS:
        return true;
    case PQ_GROUP_BYTES:
        return pqext_is_string(t, type);
    default:
        return false;
    }
}

static PqRc stored_key(PqextInputs *in, const PqNode *node,
                       PqRollupKeyVector *out, PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const PqVector *v;

    PQ_TRY(pq_scan_vector(in->source->scan, (uint32_t)node->leaf, &v, e));
    out->valid = v->valid;
    out->values = v->values;
    out->width = (uint8_t)pq_physical_width(node->type.physical);
    if (v->dict) {
        out->values = v->dict->values;
        out->ids = v->ids;
        out->n_entries = v->dict->n;
        out->entries_serial = v->dict->serial;
    }
    return node->type.physical == PQ_BOOLEAN ? widen(in, n, out, e) : PQ_OK;
}

static PqRc key_of_scan(PqextInputs *in, const PqextInputKey *k, PqRollupKeyVector *out,
                        PqErr *e)
{
    PqNumbers n;

    if (pq_column_is_of_files(column_of(in, k->column))) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS, .constant = true};
        return PQ_OK;
    }
    PQ_TRY(numbers_of(in, k->column, &n, e));
    if (k->makes_of_null) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS};
        return PQ_OK;
    }
    *out = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .width = sizeof(int64_t),
                               .as_is = k->dimension->kind == PQEXT_DIM_COLUMN,
                               .valid = n.valid, .values = n.values};
    return PQ_OK;
}

/* Does the expression make a value of NULL, as coalesce(x, '-') does?  A
** program's own function may fail here.  That matters only to rows that are
** NULL: they ask again. */
static PqRc ask_of_null(PqextInputs *in, PqextInputKey *k, PqErr *e)
{
    PqCell null = {.kind = PQ_CELL_NULL}, out;
    PqRc rc;

    if (k->null_known || k->dimension->kind == PQEXT_DIM_COLUMN) {
        return PQ_OK;
    }
    rc = pqext_ask(&k->ask, in->definition, k->dimension, &null, &out, e);
    if (rc == PQ_USAGE) {
        pq_err_clear(e);
    } else if (rc != PQ_OK) {
        return rc;
    }
    k->makes_of_null = rc != PQ_OK || out.kind != PQ_CELL_NULL;
    k->null_known = true;
    return PQ_OK;
}

PqRc pqext_inputs_leave_host(PqextInputs *in, PqErr *e)
{
    for (uint32_t i = 0; i < in->n_keys; i++) {
        PQ_TRY(ask_of_null(in, &in->keys[i], e));
        in->keys[i].ask.db = NULL;
    }
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        PQ_TRY(pqext_values_leave_host(in, &in->inputs[i], e));
    }
    return PQ_OK;
}

/* NULL in all rows. */
static PqRc key_without_values(PqextInputs *in, const PqextInputKey *k,
                               PqRollupKeyVector *out, PqErr *e)
{
    void *none = pq_arena_zeros(&in->batch, 1, sizeof(uint64_t), e);

    *out = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .constant = true,
                               .width = sizeof(int64_t), .valid = none,
                               .values = none};
    if (k->makes_of_null) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS, .constant = true};
    }
    return none ? PQ_OK : e->rc;
}

/* How the keys of a column are looked up.  An expression may distinguish 0.0
** and -0.0, so its REALs are looked up by their bits, as integers. */
static PqGroupForm form_of(const PqextInputs *in, const PqextInputKey *k,
                           const PqType *stored)
{
    if (k->dimension->kind == PQEXT_DIM_COLUMN) {
        return pqext_key_form(in->source->table, k->column, stored, false);
    }
    switch (stored->physical) {
    case PQ_INT96:
        return PQ_GROUP_CELLS;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return PQ_GROUP_BYTES;
    default:
        return PQ_GROUP_INTS;
    }
}

static PqRc load_key(PqextInputs *in, PqextInputKey *k, PqRollupKeyVector *out,
                     PqErr *e)
{
    const PqNode *node;
    bool leaf;

    PQ_TRY(ask_of_null(in, k, e));
    if (!pq_column_is_of_pages(column_of(in, k->column))) {
        return key_of_scan(in, k, out, e);
    }
    node = pqext_plain_leaf(in->source, k->column, &leaf);
    k->periods = NULL;
    if (leaf && (!node || node->type.logical == PQ_TYPE_UNKNOWN)) {
        return key_without_values(in, k, out, e);
    }
    *out = (PqRollupKeyVector){
        .form = leaf ? form_of(in, k, &node->type) : PQ_GROUP_CELLS};
    if (out->form != PQ_GROUP_CELLS) {
        PQ_TRY(stored_key(in, node, out, e));
        out->meaning = pqext_stored_meaning(&node->type);
        out->as_is = k->dimension->kind == PQEXT_DIM_COLUMN &&
                     is_as_is(in->source->table, out->form, &node->type);
    }
    if (k->makes_of_null && out->valid) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS};
    }
    return out->form != PQ_GROUP_CELLS ? pqext_key_numbers(in, k, node, out, e) : PQ_OK;
}

/* The expression's value for a row. */
static PqRc ask(PqextInputs *in, PqextInputKey *k, uint32_t row, PqCell *out,
                PqErr *e)
{
    PqCell v;

    PQ_TRY(pqext_scan_cell(in->source, k->column, row, &v, e));
    return pqext_ask(&k->ask, in->definition, k->dimension, &v, out, e);
}

static PqRc computed(PqextInputs *in, PqextInputKey *k, uint32_t row, PqCell *out,
                     PqErr *e)
{
    const PqRollupKeyVector *v = &in->key_vectors[k - in->keys];
    size_t n;

    if (k->periods && (!v->valid || pq_bit(v->valid, row)) &&
        pqext_time_text(k->dimension->format,
                        k->periods[k->ids ? k->ids[row] : row], k->room, &n)) {
        *out = pq_cell_text(pq_slice(k->room, n));
        return PQ_OK;
    }
    return ask(in, k, row, out, e);
}

PqRc pqext_inputs_cell(void *arg, uint32_t key, uint32_t row, PqCell *out,
                       PqErr *e)
{
    PqextInputs *in = arg;
    PqextInputKey *k = &in->keys[key];

    return k->dimension->kind == PQEXT_DIM_COLUMN
               ? pqext_scan_cell(in->source, k->column, row, out, e)
               : computed(in, k, row, out, e);
}

/* ---- measures ------------------------------------------------------------- */

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
static PqRc run_graph(PqextInputs *in, PqErr *e)
{
    const PqNumberGraph *g = &in->graph;
    PqNumbers *columns =
        pq_arena_zeros(&in->batch, g->n_columns + 1u, sizeof *columns, e);

    PQ_TRY(columns ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < g->n_columns; i++) {
        PQ_TRY(numbers_of(in, g->columns[i], &columns[i], e));
        if (columns[i].kind == PQ_NUMBER_WIDE && columns[i].scale == 0) {
            PQ_TRY(to_integers(in, &columns[i], e));
        }
    }
    return pq_number_graph_run(g, columns,
                               pq_scan_batch(in->source->scan)->n_rows,
                               &in->batch, in->results, e);
}

/* In which rows has the column a value, or its expression? */
static PqRc load_validity(PqextInputs *in, PqextInputMeasure *input, bool of_expression,
                          PqRollupInputVector *out, PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const uint64_t *keep = pq_scan_batch(in->source->scan)->keep;
    uint64_t *valid = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *valid, e);
    uint32_t column = (uint32_t)input->measure->column;
    PqCell cell;

    PQ_TRY(valid ? PQ_OK : e->rc);
    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_VALIDITY, .valid = valid};
    PQ_EACH_BIT(i, keep, n) {
        PQ_TRY(of_expression ? pqext_values_cell(in, input, i, &cell, e)
                             : pqext_scan_cell(in->source, column, i, &cell, e));
        if (cell.kind != PQ_CELL_NULL) {
            pq_bit_set(valid, i);
        }
    }
    return PQ_OK;
}

static PqRc load_count(PqextInputs *in, PqextInputMeasure *input,
                       PqRollupInputVector *out, PqErr *e)
{
    const PqextMeasure *m = input->measure;
    const PqColumn *c = column_of(in, (uint32_t)m->column);
    const PqNode *node;
    const PqVector *v;
    PqNumbers of;
    bool leaf;

    out->kind = PQ_ROLLUP_VALIDITY;
    node = pqext_plain_leaf(in->source, (uint32_t)m->column, &leaf);
    if (pqext_is_numeric(in->source->table, (uint32_t)m->column) &&
        (!leaf || !node || pq_type_is_float(&c->type) ||
         node->type.logical == PQ_TYPE_UNKNOWN)) {
        PQ_TRY(numbers_of(in, (uint32_t)m->column, &of, e));
        out->valid = of.valid;
        return PQ_OK;
    }
    if (!leaf || !node) {
        return load_validity(in, input, false, out, e);
    }
    PQ_TRY(pq_scan_vector(in->source->scan, (uint32_t)node->leaf, &v, e));
    out->valid = v->valid;
    return PQ_OK;
}

/* 1 or 0 in each row, without its value. */
static PqRc load_null_test(PqextInputs *in, PqextInputMeasure *input,
                           PqRollupInputVector *out, PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    int64_t *to = pq_arena_alloc(&in->batch, (n + 1u) * sizeof *to, e);
    int64_t of_null = input->measure->expression->test == PQEXT_IS_NULL;

    PQ_TRY(to ? PQ_OK : e->rc);
    PQ_TRY(load_count(in, input, out, e));
    for (uint32_t i = 0; i < n; i++) {
        to[i] = of_null ^ (!out->valid || pq_bit(out->valid, i));
    }
    out->kind = PQ_ROLLUP_NUMBERS;
    out->numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = n, .values = to, .bound = 1};
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
        return t->values.invalid_utf8 != PQSQL_UTF8_TEXT ? BY_CELL : BY_TEXT;
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

    if (!pq_column_is_of_pages(column_of(in, column))) {
        order = pqext_is_numeric(t, column) ? BY_NUMBER : BY_CELL;
    } else {
        node = pqext_plain_leaf(in->source, column, &leaf);
        order = !leaf ? BY_CELL
                      : order_of(t, node ? &node->type
                                         : &column_of(in, column)->type);
        order = leaf && !node ? BY_NUMBER : order;   /* all NULL */
    }
    if (order == BY_NUMBER) {
        out->kind = PQ_ROLLUP_NUMBERS;
        return numbers_by_row(in, column, false, &out->numbers, e);
    }
    out->kind = PQ_ROLLUP_CELLS;
    /* Texts of UTF-16 are made one by one: rollup_run.c. */
    return order == BY_TEXT && !t->utf16 ? load_texts(in, column, out, e) : PQ_OK;
}

static PqRc load_measure(PqextInputs *in, PqextInputMeasure *input,
                         PqRollupInputVector *out, PqErr *e)
{
    const PqextMeasure *m = input->measure;

    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_NO_INPUT};
    if (m->op == PQ_ROLLUP_COUNT_ROWS) {
        return PQ_OK;
    }
    if (pqext_sums_nulls(m)) {
        return load_null_test(in, input, out, e);
    }
    if (m->expression) {
        PQ_TRY(pqext_values_load(in, input, out, e));
        return m->op == PQ_ROLLUP_COUNT ? load_validity(in, input, true, out, e) : PQ_OK;
    }
    if (m->program) {
        out->kind = m->op == PQ_ROLLUP_COUNT ? PQ_ROLLUP_VALIDITY
                                             : PQ_ROLLUP_NUMBERS;
        out->numbers = in->results[input->root];
        out->valid = out->numbers.valid;
        return PQ_OK;
    }
    if (m->op == PQ_ROLLUP_COUNT) {
        return load_count(in, input, out, e);
    }
    if (m->op != PQ_ROLLUP_SUM) {
        return load_extreme(in, (uint32_t)m->column, out, e);
    }
    out->kind = PQ_ROLLUP_NUMBERS;
    return numbers_by_row(in, (uint32_t)m->column, true, &out->numbers, e);
}

PqRc pqext_inputs_measure_cell(void *arg, uint32_t measure, uint32_t row,
                               PqCell *out, PqErr *e)
{
    PqextInputs *in = arg;
    PqextInputMeasure *m = &in->inputs[measure];

    return m->measure->expression
               ? pqext_values_cell(in, m, row, out, e)
               : pqext_scan_cell(in->source, (uint32_t)m->measure->column, row, out,
                                 e);
}

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

/* Numbers of files may need a listing, which is made before other threads ask for them. */
static PqRc expect(const PqextInputs *in, uint32_t column, PqErr *e)
{
    const PqColumn *c = column_of(in, column);
    PqextListing *all;

    if (pq_column_is_of_pages(c)) {
        pq_scan_expect(in->source->scan, column);
    }
    return c->kind == PQ_COLUMN_FILE_INDEX ? pqext_listing_all(in->source->listing, &all, e)
                                           : PQ_OK;
}

/* Tells the scan which columns will be asked for, unless no row is left. */
static PqRc expect_columns(const PqextInputs *in, PqErr *e)
{
    for (uint32_t i = 0; i < in->graph.n_columns; i++) {
        PQ_TRY(expect(in, in->graph.columns[i], e));
    }
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        const PqextMeasure *m = in->inputs[i].measure;

        if (!m->program && m->op != PQ_ROLLUP_COUNT_ROWS) {
            PQ_TRY(expect(in, (uint32_t)m->column, e));
        }
    }
    for (uint32_t i = 0; i < in->n_keys; i++) {
        PQ_TRY(expect(in, in->keys[i].column, e));
    }
    return PQ_OK;
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
        pqext_values_init(&in->inputs[i], &d->measures[measures[i]],
                          source->table->host->db, mem);
    }
    if (make_room(in, e) != PQ_OK || make_graph(in, e) != PQ_OK ||
        expect_columns(in, e) != PQ_OK) {
        pqext_inputs_free(in);
        return e->rc;
    }
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
        for (uint32_t i = 0; in->inputs && i < in->n_inputs; i++) {
            pqext_values_free(&in->inputs[i]);
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

/* ---- batches --------------------------------------------------------------- */

PqRc pqext_inputs_load(PqextInputs *in, PqRollupBatch *out, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(in->source->scan);

    pq_arena_reset(&in->batch);
    for (uint32_t i = 0; i < in->n_columns; i++) {
        in->columns[i].batch = 0;
    }
    for (uint32_t i = 0; i < in->n_keys; i++) {
        PQ_TRY(load_key(in, &in->keys[i], &in->key_vectors[i], e));
    }
    PQ_TRY(in->graph.n_nodes ? run_graph(in, e) : PQ_OK);
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        PQ_TRY(load_measure(in, &in->inputs[i], &in->input_vectors[i], e));
    }
    *out = (PqRollupBatch){.n_rows = b->n_rows, .kept = b->kept,
                           .n_kept = b->n_kept, .keys = in->key_vectors,
                           .inputs = in->input_vectors};
    return PQ_OK;
}
