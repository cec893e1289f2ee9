/*
** rollup_footers.c - answers without reading a page.
**
**   count(*)   rows of a row group
**   count(x)   its rows less its nulls, as sum(x IS NOT NULL)
**   min(x)     its least value, where the file says that it occurs
**
** A batch of the source's scan is then a row group, and nothing asks for its
** columns.  The first row group that does not tell everything ends this, and
** the files are read.
**
** This believes what a file says about itself, as skipping row groups does; so
** it is not done with trust_stats=off.  NaN counts as NULL, so the number of
** NaNs has to be known.
*/
#include "ext/rollup/rollup_table.h"

#include "ext/condition/meaning.h"

/* ---- when it is planned ---------------------------------------------------- */

static bool can_measure(const PqextTable *source, const PqextMeasure *m)
{
    const PqColumn *c;

    if (m->op == PQ_ROLLUP_COUNT_ROWS) {
        return true;
    }
    if ((m->op == PQ_ROLLUP_SUM || m->program || m->expression || m->column < 0) &&
        !pqext_sums_nulls(m)) {
        return false;
    }
    c = &source->table->columns[m->column];
    return c->kind == PQ_COLUMN_NODE && c->node->kind == PQ_NODE_LEAF &&
           c->node->rep == 0 && !c->as_wkb &&
           c->type.logical != PQ_TYPE_DECIMAL &&
           pqext_has_order(source, (uint32_t)m->column);
}

bool pqext_rollup_footers_can(const PqextTable *t, uint64_t used)
{
    const PqextDefinition *d = t->rollup;
    const PqextTable *source = t->source;

    if (!pqext_options_believe(&source->options) || source->values.nan_text ||
        source->values.invalid_utf8 != PQSQL_UTF8_TEXT ||
        source->options.unnest) {
        return false;
    }
    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        if (pqext_rollup_uses(used, i) &&
            !pq_column_is_of_files(
                &source->table->columns[d->dimensions[i].column])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < d->n_measures; i++) {
        if (pqext_rollup_uses(used, d->n_dimensions + i) &&
            !can_measure(source, &d->measures[i])) {
            return false;
        }
    }
    return true;
}

/* ---- a row group ------------------------------------------------------------ */

/* The value of a measure over a row group. */
typedef struct Told {
    int64_t i;
    double  r;
    PqStr   text;
    char    room[PQEXT_BOUND_ROOM];
} Told;

static void tell_number(Told *to, PqNumberKind kind, PqRollupInputVector *out)
{
    *out = (PqRollupInputVector){
        .kind = PQ_ROLLUP_NUMBERS,
        .numbers = {.kind = kind, .n = 1,
                    .values = kind == PQ_NUMBER_INT ? (const void *)&to->i
                                                    : (const void *)&to->r}};
}

static bool tell_bound(const PqextTable *source, const PqLeaf *leaf,
                       PqSlice bound, PqArena *a, Told *to,
                       PqRollupInputVector *out, PqErr *e)
{
    PqCell v;

    if (!pq_stats_fits(&leaf->type, bound) ||
        !pqext_bound_value(source, &leaf->type, bound, to->room, &v)) {
        return false;
    }
    if (v.kind == PQ_CELL_INT) {
        to->i = v.i;
        tell_number(to, PQ_NUMBER_INT, out);
        return true;
    }
    if (v.kind == PQ_CELL_REAL) {
        to->r = v.r;
        tell_number(to, PQ_NUMBER_REAL, out);
        return true;
    }
    if (v.kind != PQ_CELL_TEXT || pq_cell_keep(&v, a, e) != PQ_OK) {
        return false;
    }
    to->text = pq_cell_str(&v);
    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_BYTES, .texts = &to->text};
    return true;
}

static bool tell(const PqextTable *source, const PqextMeasure *m, PqScan *s,
                 PqArena *a, Told *to, PqRollupInputVector *out, PqErr *e)
{
    const PqNode *node = m->column < 0 ? NULL
                                       : pq_scan_node(s, (uint32_t)m->column);
    const PqColumn *c = m->column < 0 ? NULL
                                      : &source->table->columns[m->column];
    const PqFooter *f = pq_scan_footer(s);
    int64_t rows = pq_scan_batch(s)->n_rows;
    const PqLeaf *leaf;
    PqColumnChunk chunk;
    PqBounds b;

    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_NO_INPUT};
    if (m->op == PQ_ROLLUP_COUNT_ROWS) {
        return true;
    }
    if (!pq_node_is_flat_leaf(node)) {
        return false;
    }
    leaf = &f->schema.leaves[node->leaf];
    if (!pqext_same_meaning(c, &leaf->type) ||
        pqext_may_become_null(c, &leaf->type) ||
        pq_footer_chunk(f, pq_scan_batch(s)->group, leaf->index, a, &chunk,
                        e) != PQ_OK) {
        return false;
    }
    b = pq_stats_chunk(f, leaf->index, &chunk.meta_data);
    if (m->op == PQ_ROLLUP_COUNT || m->op == PQ_ROLLUP_SUM) {
        bool of_nulls = m->expression && m->expression->test == PQEXT_IS_NULL;

        to->i = of_nulls ? b.n_nulls : rows - b.n_nulls;
        tell_number(to, PQ_NUMBER_INT, out);
        return b.n_nulls >= 0 && b.n_nulls <= rows && b.n_nans == 0;
    }
    if (b.all_null) {
        return true;
    }
    return m->op == PQ_ROLLUP_MIN
               ? b.has_min && b.min_exact &&
                     tell_bound(source, leaf, b.min, a, to, out, e)
               : b.has_max && b.max_exact &&
                     tell_bound(source, leaf, b.max, a, to, out, e);
}

static bool is_whole_group(const PqScan *s)
{
    const PqBatch *b = pq_scan_batch(s);

    return b->group_row == 0 && !b->kept &&
           b->n_rows == pq_scan_footer(s)->groups[b->group].num_rows;
}

PqRc pqext_rollup_footers_add(PqextRollupRun *r, PqextInputs *keys, PqArena *a,
                              bool *told)
{
    const PqextDefinition *d = r->table->rollup;
    PqextScan *s = &r->source;
    PqRollupInputVector *inputs;
    PqRollupBatch batch;
    Told *values;

    pq_arena_reset(a);
    inputs = pq_arena_zeros(a, r->n_measures + 1u, sizeof *inputs, &s->e);
    values = pq_arena_zeros(a, r->n_measures + 1u, sizeof *values, &s->e);
    PQ_TRY(inputs && values ? PQ_OK : s->e.rc);
    *told = is_whole_group(s->scan);
    for (uint32_t i = 0; i < r->n_measures && *told; i++) {
        *told = tell(r->table->source, &d->measures[r->measures[i]], s->scan, a,
                     &values[i], &inputs[i], &s->e);
    }
    if (!*told) {                    /* reading says what is wrong */
        if (s->e.rc == PQ_STOPPED || s->e.rc == PQ_NOMEM) {
            return s->e.rc;
        }
        pq_err_clear(&s->e);
        return PQ_OK;
    }
    PQ_TRY(pqext_inputs_load(keys, &batch, &s->e));
    batch = (PqRollupBatch){.n_rows = 1, .n_kept = 1, .keys = batch.keys,
                            .inputs = inputs};
    return pq_rollup_add_known(r->groups, &batch,
                               pq_scan_batch(s->scan)->n_rows, &s->e);
}
