/*
** variant_plan.c - finds out which leaves hold which part of a shredded
** Variant.
**
** Fields are found by name, not by position.  A typed_value that the
** specification does not allow is refused here, before any row is read.
**
** QUIRK: `value` may be missing where it would be null in all rows, though the
** specification wants it there.  arrow-rs 57 leaves it out (case-041, 131, 132
** and 138 of the official samples).
*/
#include "core/nested/json_plan.h"
#include "core/variant/variant_cast.h"

#include <stdlib.h>

typedef struct Plan {
    PqJsonRows   *j;
    const PqNode *root;
    PqErr        *e;
} Plan;

static PqRc plan_group(Plan *p, const PqNode *node, uint16_t level,
                       PqVariantGroup *g);

static PqLeafRange range_of(const Plan *p, const PqNode *node)
{
    return (PqLeafRange){node->first_leaf - p->root->first_leaf,
                         node->n_leaves};
}

static PQ_COLD PqRc refuse(Plan *p, const PqNode *node, const char *why)
{
    return pq_fail(p->e, PQ_CORRUPT, "%s in a VARIANT: %s", node->path, why);
}

static void *zeros(Plan *p, size_t count, size_t size)
{
    return pq_arena_zeros(&p->j->arena, count, size, p->e);
}

/* Inside a Variant binary stays binary and NaN is never a text, whatever the
** options say. */
static void init_leaf(Plan *p, uint32_t leaf, const PqNode *node)
{
    PqJsonOptions options = p->j->options;

    options.binary_as_string = options.nan_text = false;
    pq_leaf_json_init(&p->j->leaf[leaf], node, &options, &p->j->malformed,
                      p->j->arena.mem);
    if (options.variant_blob) {      /* no texts are made of it */
        p->j->leaf[leaf].worth_keeping = false;
    }
}

static PqRc plan_scalar(Plan *p, const PqNode *typed, PqVariantGroup *g)
{
    if (!pq_variant_has_type(&typed->type)) {
        PqBuf name;
        PqRc rc;

        pq_buf_init(&name, p->j->arena.mem, p->e);
        pq_type_text(&typed->type, &name);
        rc = pq_fail(p->e, PQ_UNSUPPORTED,
                     "%s in a VARIANT: no Variant value is of type %.*s",
                     typed->path, (int)(name.n < 200 ? name.n : 200),
                     name.p ? (const char *)name.p : "");
        pq_buf_free(&name);
        return rc;
    }
    g->shape = PQ_SHRED_SCALAR;
    init_leaf(p, g->typed.first, typed);
    return PQ_OK;
}

static PqRc plan_array(Plan *p, const PqNode *typed, PqVariantGroup *g)
{
    g->shape = PQ_SHRED_ARRAY;
    g->repeated_def = typed->repeated_def;
    g->repeated_rep = typed->repeated_rep;
    g->element = zeros(p, 1, sizeof *g->element);
    if (!g->element) {
        return p->e->rc;
    }
    return plan_group(p, typed->child[0], typed->repeated_def, g->element);
}

static int by_name(const void *a, const void *b)
{
    return pq_slice_compare(((const PqVariantField *)a)->name,
                            ((const PqVariantField *)b)->name);
}

static PqRc plan_object(Plan *p, const PqNode *typed, PqVariantGroup *g)
{
    g->shape = PQ_SHRED_OBJECT;
    g->n_fields = typed->n_children;
    g->field = zeros(p, typed->n_children, sizeof *g->field);
    if (!g->field) {
        return p->e->rc;
    }
    for (uint32_t i = 0; i < typed->n_children; i++) {
        const char *name = typed->child[i]->name;
        g->field[i].name = pq_slice_text(name);
        PQ_TRY(pq_json_plan_label(p->j, name, &g->field[i].label, p->e));
        PQ_TRY(plan_group(p, typed->child[i], typed->def_present,
                          &g->field[i].group));
    }
    qsort(g->field, g->n_fields, sizeof *g->field, by_name);
    for (uint32_t i = 1; i < g->n_fields; i++) {
        if (by_name(&g->field[i - 1], &g->field[i]) == 0) {
            return refuse(p, typed, "two fields have the same name");
        }
    }
    return PQ_OK;
}

static PqRc plan_typed(Plan *p, const PqNode *typed, PqVariantGroup *g)
{
    if (typed->n_leaves == 0) {      /* it never has a value */
        return PQ_OK;
    }
    g->typed = range_of(p, typed);
    g->typed_present = typed->def_present;
    switch (typed->kind) {
    case PQ_NODE_LEAF:   return plan_scalar(p, typed, g);
    case PQ_NODE_LIST:   return plan_array(p, typed, g);
    case PQ_NODE_STRUCT: return plan_object(p, typed, g);
    default:             return refuse(p, typed, "neither a value, a list "
                                       "nor a struct");
    }
}

static bool is_binary(const PqNode *node)
{
    return node->kind == PQ_NODE_LEAF && node->type.physical == PQ_BYTE_ARRAY;
}

/* Takes the children of a group; metadata is NULL below the top. */
static PqRc plan_children(Plan *p, const PqNode *node, PqVariantGroup *g,
                          const PqNode **metadata)
{
    for (uint32_t i = 0; i < node->n_children; i++) {
        const PqNode *child = node->child[i];
        const char *name = child->name;

        if (metadata && !*metadata && strcmp(name, "metadata") == 0 &&
            is_binary(child)) {
            *metadata = child;
            init_leaf(p, range_of(p, child).first, child);
        } else if (g->value < 0 && strcmp(name, "value") == 0 &&
                   is_binary(child)) {
            g->value = (int32_t)range_of(p, child).first;
            init_leaf(p, (uint32_t)g->value, child);
        } else if (g->shape == PQ_SHRED_NONE &&
                   strcmp(name, "typed_value") == 0) {
            PQ_TRY(plan_typed(p, child, g));
        } else {
            return refuse(p, child, metadata
                          ? "only binary metadata, binary value and "
                            "typed_value belong there"
                          : "only binary value and typed_value belong there");
        }
    }
    return PQ_OK;
}

static void place_group(Plan *p, const PqNode *node, uint16_t level,
                        PqVariantGroup *g)
{
    g->value = -1;
    g->level = level;
    g->present = node->def_present;
    g->leaves = range_of(p, node);
}

static PqRc plan_group(Plan *p, const PqNode *node, uint16_t level,
                       PqVariantGroup *g)
{
    place_group(p, node, level, g);
    if (node->kind != PQ_NODE_STRUCT) {
        return refuse(p, node, "not a group of value and typed_value");
    }
    return plan_children(p, node, g, NULL);
}

PqRc pq_variant_plan(PqJsonRows *j, const PqNode *node, const PqNode *root,
                     uint16_t level, PqVariantPlan **out, PqErr *e)
{
    Plan p = {j, root, e};
    const PqNode *metadata = NULL;
    PqVariantPlan *v = zeros(&p, 1, sizeof *v);

    if (!v) {
        return e->rc;
    }
    *out = v;
    place_group(&p, node, level, &v->top);
    PQ_TRY(plan_children(&p, node, &v->top, &metadata));
    if (!metadata) {
        return refuse(&p, node, "metadata is missing");
    }
    v->metadata = range_of(&p, metadata).first;
    return PQ_OK;
}

const PqNode *pq_variant_binary(const PqNode *group, const char *name)
{
    const PqNode *n = pq_node_field(group, pq_slice_text(name), 0);

    return n && is_binary(n) ? n : NULL;
}

PqRc pq_variant_plan_part(PqJsonRows *j, const PqNode *variant,
                          const PqNode *at, PqVariantPlan **out, PqErr *e)
{
    Plan p = {j, at, e};
    const PqNode *metadata = pq_variant_binary(variant, "metadata");
    PqVariantPlan *v;

    if (at == variant) {
        return pq_variant_plan(j, at, at, 0, out, e);
    }
    if (!metadata) {
        return refuse(&p, variant, "metadata is missing");
    }
    *out = v = zeros(&p, 1, sizeof *v);
    if (!v) {
        return e->rc;
    }
    v->metadata = at->n_leaves;
    init_leaf(&p, v->metadata, metadata);
    return plan_group(&p, at, 0, &v->top);
}
