/*
** json_plan.c - makes the plan of a nested column from its schema nodes.
**
** Everything that does not depend on the row is worked out here once: the
** levels that matter at each node, the printed names of fields, how each leaf is
** printed.  `level` is the hard one: the definition level that is already known
** when a node is asked for (json_plan.h).
*/
#include "core/nested/json_plan.h"
#include "core/nested/variant_assemble.h"
#include "core/variant/variant_build.h"

PqRc pq_json_plan_label(PqJsonRows *j, const char *name, PqSlice *out, PqErr *e)
{
    PqBuf *b = &j->key;
    char *p;

    b->sink = e;
    b->n = 0;
    pq_json_scalar_byte(b, ',');
    pq_json_text_string(pq_slice_text(name), b);
    pq_json_scalar_byte(b, ':');
    if (!pq_buf_ok(b)) {
        return e->rc;
    }
    p = pq_arena_text(&j->arena, b->p, b->n, e);
    *out = pq_slice(p, b->n);
    return p ? PQ_OK : e->rc;
}

/* Fills *out for node; level: see json_plan.h.  as: see PqJsonOptions. */
static PqRc plan_node(PqJsonRows *j, const PqNode *node, const PqNode *root, const PqNode *as,
                      uint16_t level, PqJsonNode *out, PqErr *e);

static PqRc plan_children(PqJsonRows *j, const PqNode *node, const PqNode *root,
                          const PqNode *as, uint16_t level, PqJsonNode *out, PqErr *e)
{
    out->n_children = node->n_children;
    out->child = pq_arena_zeros(&j->arena, node->n_children,
                                sizeof *out->child, e);
    if (!out->child) {
        return e->rc;
    }
    for (uint32_t i = 0; i < node->n_children; i++) {
        PQ_TRY(plan_node(j, node->child[i], root, as ? as->child[i] : NULL, level,
                         &out->child[i], e));
        PQ_TRY(pq_json_plan_label(j, node->child[i]->name,
                                  &out->child[i].label, e));
    }
    return PQ_OK;
}

static PqRc plan_node(PqJsonRows *j, const PqNode *node, const PqNode *root, const PqNode *as,
                      uint16_t level, PqJsonNode *out, PqErr *e)
{
    out->kind = node->kind;
    out->level = level;
    out->present = node->def_present;
    out->repeated_def = node->repeated_def;
    out->repeated_rep = node->repeated_rep;
    out->leaves.first = node->first_leaf - root->first_leaf;
    out->leaves.n = node->n_leaves;
    switch (node->kind) {
    case PQ_NODE_LEAF:
        pq_leaf_json_init(&j->leaf[out->leaves.first], node,
                          &j->options, &j->malformed, j->arena.mem);
        if (as) {
            pq_leaf_json_as(&j->leaf[out->leaves.first], &as->type);
        }
        return PQ_OK;
    case PQ_NODE_VARIANT:
        return pq_variant_plan(j, node, root, level, &out->variant, e);
    case PQ_NODE_STRUCT:
        return plan_children(j, node, root, as, node->def_present, out, e);
    default:
        return plan_children(j, node, root, as, node->repeated_def, out, e);
    }
}

/* A PqJsonRows with room for n_leaves. */
static PqRc new_rows(PqMem *mem, uint32_t n_leaves,
                     const PqJsonOptions *options, PqJsonRows **out, PqErr *e)
{
    PqJsonRows *j = pq_mem_zeros(mem, 1, sizeof *j, e);

    *out = j;
    if (!j) {
        return e->rc;
    }
    pq_arena_init(&j->arena, mem);
    pq_buf_init(&j->out, mem, e);
    pq_buf_init(&j->starts, mem, NULL);
    pq_buf_init(&j->texts, mem, NULL);
    pq_buf_init(&j->entries, mem, NULL);
    pq_buf_init(&j->key, mem, e);
    pq_buf_init(&j->table, mem, NULL);
    j->options = options ? *options : (PqJsonOptions){0};
    j->leaf = pq_arena_zeros(&j->arena, n_leaves, sizeof *j->leaf, e);
    j->repeated = pq_arena_zeros(&j->arena, n_leaves, sizeof *j->repeated, e);
    if (!j->leaf || !j->repeated) {
        return e->rc;
    }
    j->n_leaves = n_leaves;
    return PQ_OK;
}

PqRc pq_json_rows_new(PqMem *mem, const PqNode *node,
                      const PqJsonOptions *options, PqJsonRows **out,
                      PqErr *e)
{
    if (new_rows(mem, node->n_leaves, options, out, e) != PQ_OK ||
        plan_node(*out, node, node, options ? options->as : NULL, 0, &(*out)->root, e) != PQ_OK) {
        pq_json_rows_free(*out);
        *out = NULL;
    }
    return e->rc;
}

PqRc pq_json_rows_new_part(PqMem *mem, const PqNode *variant, const PqNode *at,
                           PqJsonRows **out, PqErr *e)
{
    PqJsonOptions options = {.variant_blob = true};
    uint32_t n_leaves = at->n_leaves + (at != variant);

    if (new_rows(mem, n_leaves, &options, out, e) != PQ_OK ||
        pq_variant_plan_part(*out, variant, at, &(*out)->root.variant, e) !=
            PQ_OK) {
        pq_json_rows_free(*out);
        *out = NULL;
    }
    return e->rc;
}

void pq_json_rows_watch(PqJsonRows *j, const PqStop *stop)
{
    j->stop = stop;
}

void pq_json_rows_free(PqJsonRows *j)
{
    if (!j) {
        return;
    }
    for (uint32_t i = 0; i < j->n_leaves; i++) {
        pq_leaf_json_reset(&j->leaf[i]);
    }
    pq_buf_free(&j->out);
    pq_buf_free(&j->starts);
    pq_buf_free(&j->texts);
    pq_buf_free(&j->entries);
    pq_buf_free(&j->key);
    pq_buf_free(&j->table);
    pq_variant_build_free(j->build);
    pq_arena_free(&j->arena);
    pq_mem_free(j);
}
