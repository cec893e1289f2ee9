/*
** scan_path.c - finds out how the current file stores a path into a Variant.
**
** It is found out when the column is first asked for, because a table may have
** a hidden column for each shredded field, and a query uses few.
**
**   file   `value` beside typed_value   the column is
**   a      all null                     the leaf typed_value: nothing of this
**                                       file is used
**   b      not all null                 computed from both, for rows that the
**                                       filters leave
**   c      the only column              computed from it
**
** In file b, bounds of typed_value still rule out a row group or a page, if
** `value` is all null over the same rows (scan_prune.c).
*/
#include "core/nested/path_rows.h"
#include "core/scan/unnest_inside.h"

/* ---- which leaves -------------------------------------------------------- */

static PqScanPath *path_of(const PqScan *s, uint32_t column)
{
    return s->paths &&
                   s->table->columns[column].kind == PQ_COLUMN_VARIANT_PATH
               ? &s->paths[column] : NULL;
}

const PqNode *pq_scan_node(const PqScan *s, uint32_t column)
{
    PqScanPath *p = path_of(s, column);

    if (p && !p->resolved) {
        s->nodes[column] = pq_table_path_node(s->table, s->footer, column);
        p->resolved = true;
    }
    return s->nodes[column];
}

bool pq_scan_is_field(const PqScan *s, uint32_t column)
{
    return s->table->columns[column].kind == PQ_COLUMN_NODE;
}

static bool is_computed(const PqScan *s, uint32_t column)
{
    const PqNode *node = pq_scan_node(s, column);

    return node && node->kind == PQ_NODE_PATH;
}

bool pq_scan_casts(const PqScan *s, uint32_t column)
{
    const PqPathWant *want;

    if (!is_computed(s, column)) {
        return false;
    }
    want = &s->table->columns[column].path->want;
    return want->typed && !want->target.is_variant && !want->target.try_;
}

void pq_scan_cast_only(PqScan *s, int32_t row)
{
    s->cast_one = row >= 0;
    s->cast_row = s->cast_one ? (uint32_t)row : 0;
}

static const PqPathPlan *plan_of(const PqScan *s, uint32_t column)
{
    PqScanPath *p = &s->paths[column];

    if (!p->planned) {
        pq_table_path_plan(s->table, s->footer, column, &p->plan);
        p->planned = true;
    }
    return &p->plan;
}

static const PqLeaf *leaf_of(const PqScan *s, const PqNode *node)
{
    return node ? &s->footer->schema.leaves[node->leaf] : NULL;
}

bool pq_scan_path_leaves(const PqScan *s, uint32_t column, const PqLeaf **typed,
                         const PqLeaf **value)
{
    const PqPathPlan *plan;

    if (!is_computed(s, column) ||
        s->table->columns[column].path->want.target.is_variant) {
        return false;                /* Variants have no bounds */
    }
    plan = plan_of(s, column);
    *typed = leaf_of(s, plan->typed);
    *value = leaf_of(s, plan->value);
    return *typed != NULL;
}

const PqLeaf *pq_scan_group_leaf(const PqScan *s, uint32_t column,
                                 uint32_t group)
{
    const PqLeaf *typed, *value;

    if (!pq_scan_path_leaves(s, column, &typed, &value)) {
        return pq_scan_proof_leaf(s, column);
    }
    return !value || (s->table->believes &&
                      pq_table_path_is_free_in(s->footer, value->index, group))
               ? typed : NULL;
}

/* ---- values -------------------------------------------------------------- */

void pq_scan_forget_paths(PqScan *s)
{
    for (uint32_t i = 0; s->paths && i < s->table->n_columns; i++) {
        PqScanPath *p = &s->paths[i];

        pq_path_rows_free(p->rows);
        pq_mem_free(p->vectors);
        *p = (PqScanPath){0};
    }
}

void pq_scan_free_paths(PqScan *s)
{
    pq_scan_forget_paths(s);
    pq_mem_free(s->paths);
    s->paths = NULL;
}

static PqRc need_rows(PqScan *s, uint32_t column, PqErr *e)
{
    const PqPathColumn *c = s->table->columns[column].path;
    PqScanPath *p = &s->paths[column];
    const uint32_t *leaves;

    if (p->rows) {
        return PQ_OK;
    }
    PQ_TRY(pq_path_rows_new(s->mem, &c->want, plan_of(s, column),
                            PQ_BATCH_ROWS, &p->rows, e));
    return PQ_NEW(s->mem, p->vectors, pq_path_rows_leaves(p->rows, &leaves),
                    e);
}

static PqRc enter_batch(PqScan *s, PqScanPath *p, PqErr *e)
{
    const uint32_t *leaves;
    uint32_t i, n = pq_path_rows_leaves(p->rows, &leaves);

    if (p->batch == s->batch_serial) {
        return PQ_OK;
    }
    p->batch = 0;
    for (i = 0; i < n; i++) {
        pq_scan_keep_levels(s, leaves[i]);
        PQ_TRY(pq_scan_vector(s, leaves[i], &p->vectors[i], e));
    }
    pq_path_rows_begin(p->rows, p->vectors, s->batch.n_rows, &s->ctx.stop);
    p->batch = s->batch_serial;
    return PQ_OK;
}

static PqRc failed_in_row(PqScan *s, uint32_t row, PqErr *e)
{
    if (e->rc != PQ_STOPPED) {
        pq_err_hint(e, "it is in row %lld of the file%s",
                    (long long)pq_scan_row_in_file(s, row),
                    e->rc == PQ_USAGE ? "; try_variant_get gives NULL there"
                                      : "");
    }
    return e->rc;
}

static PqRc compute(PqScan *s, uint32_t column, PqErr *e)
{
    PqScanPath *p = &s->paths[column];
    uint64_t one[PQ_BATCH_ROWS / 64] = {0};
    PqWhere outer = e->where;
    uint32_t row = 0;

    e->where.file = pq_scan_path(s);
    PQ_TRY(need_rows(s, column, e));
    PQ_TRY(enter_batch(s, p, e));
    e->where.row_group = (int)s->batch.group;
    e->where.column = s->table->columns[column].name;
    one[s->cast_row / 64] = UINT64_C(1) << s->cast_row % 64;
    if (pq_path_rows_compute(p->rows, s->cast_one ? one : s->batch.keep, &row,
                             e) != PQ_OK) {
        return failed_in_row(s, row, e);
    }
    e->where = outer;
    return PQ_OK;
}

PqRc pq_scan_path_vector(PqScan *s, uint32_t leaf, const PqVector **out,
                         PqErr *e)
{
    uint32_t column = leaf - PQ_PATH_LEAF;
    PqScanPath *p = &s->paths[column];
    PqPathResult computed;

    PQ_TRY(compute(s, column, e));
    computed = pq_path_rows_result(p->rows);
    p->vector = (PqVector){
        .leaf = &s->table->columns[column].path->leaf,
        .n_rows = s->batch.n_rows, .n_slots = s->batch.n_rows,
        .valid = computed.valid, .values = computed.values};
    *out = &p->vector;
    return PQ_OK;
}

PqRc pq_scan_path_items(PqScan *s, uint32_t leaf, const PqPathValue **out,
                        const uint64_t **valid, PqErr *e)
{
    uint32_t column = leaf - PQ_PATH_LEAF;

    if (s->unnest && s->unnest->inside) {
        return pq_unnest_items(s, leaf, out, valid, e);
    }
    PQ_TRY(compute(s, column, e));
    *out = pq_path_rows_result(s->paths[column].rows).items;
    *valid = pq_path_rows_result(s->paths[column].rows).valid;
    return PQ_OK;
}
