/*
** path_plan.c - follows a path through the groups of a shredded Variant.
**
** Fields are found by name, as variant_plan.c finds them.  But this file does
** not refuse what that file refuses, because a path needs only the groups that
** it meets.
*/
#include "core/nested/path_plan.h"

#include "core/nested/json_plan.h"

/* A typed_value without leaves never has a value. */
static const PqNode *typed_child(const PqNode *of)
{
    const PqNode *n = pq_node_field(of, pq_slice_text("typed_value"), 0);

    return n && n->n_leaves > 0 ? n : NULL;
}

/* The group of the field that the step names, if it is shredded. */
static const PqNode *field_group(const PqNode *typed, const PqVariantStep *step)
{
    const PqNode *field = typed->kind == PQ_NODE_STRUCT && step->name.p
                              ? pq_node_field(typed, step->name, 0) : NULL;

    return field && field->kind == PQ_NODE_STRUCT ? field : NULL;
}

void pq_path_follow(const PqNode *variant, const PqVariantPath *path,
                    PqPathPlan *out)
{
    const PqNode *group = variant, *typed = typed_child(variant), *field;
    uint32_t at = 0;

    while (at < path->n && typed &&
           (field = field_group(typed, &path->step[at])) != NULL) {
        group = field;
        typed = typed_child(field);
        at++;
    }
    *out = (PqPathPlan){
        .variant = variant, .group = group,
        .metadata = pq_variant_binary(variant, "metadata"),
        .value = pq_variant_binary(group, "value"),
        .step = at ? path->step + at : path->step,   /* NULL: the path is $ */
        .n_steps = path->n - at};
    if (typed && out->n_steps == 0) {
        out->end = typed->kind == PQ_NODE_LEAF ? PQ_PATH_SCALAR
                                               : PQ_PATH_SUBTREE;
        out->typed = out->end == PQ_PATH_SCALAR ? typed : NULL;
    } else if (typed && typed->kind == PQ_NODE_LIST && !out->step->name.p) {
        out->end = PQ_PATH_SUBTREE;
    } else {
        out->end = out->value ? PQ_PATH_RESIDUAL : PQ_PATH_MISSING;
    }
}

/* ---- types --------------------------------------------------------------- */

/* The bits of a signed integer; 0: it is something else. */
static unsigned signed_bits(const PqType *t)
{
    return pq_variant_kind_of(t) == PQ_VARIANT_INT ? pq_variant_int_bits(t) : 0;
}

bool pq_path_is_stored(const PqPathWant *want, const PqType *stored)
{
    const PqType *to = &want->target.type;

    if (!pq_variant_has_type(stored)) {
        return false;
    }
    if (!want->typed) {
        return true;
    }
    if (want->target.is_variant) {
        return false;
    }
    if (signed_bits(stored) > 0) {
        return signed_bits(stored) <= signed_bits(to);
    }
    if (stored->logical == PQ_TYPE_DECIMAL) {
        return to->logical == PQ_TYPE_DECIMAL && stored->scale == to->scale &&
               stored->precision <= to->precision;
    }
    return pq_type_equal(stored, to) ||
           (stored->logical == PQ_TYPE_NONE && to->logical == PQ_TYPE_NONE &&
            stored->physical == PQ_FLOAT && to->physical == PQ_DOUBLE);
}

/* ---- all paths ----------------------------------------------------------- */

typedef struct Walk {
    PqVariantStep step[PQ_SCHEMA_MAX_DEPTH];
    PqPathVisit   visit;
    void         *arg;
    PqErr        *e;
} Walk;

/* Recursion is as deep as the schema. */
static PqRc walk(Walk *w, const PqNode *group, uint32_t depth)
{
    const PqNode *typed = typed_child(group);
    uint32_t i;

    if (!typed || depth == PQ_COUNT(w->step)) {
        return PQ_OK;
    }
    if (typed->kind == PQ_NODE_LEAF) {
        return depth == 0 ? PQ_OK : w->visit(w->arg, w->step, depth, w->e);
    }
    for (i = 0; typed->kind == PQ_NODE_STRUCT && i < typed->n_children; i++) {
        const PqNode *field = typed->child[i];

        w->step[depth] = (PqVariantStep){.name = pq_slice_text(field->name)};
        if (field->kind == PQ_NODE_STRUCT) {
            PQ_TRY(walk(w, field, depth + 1));
        }
    }
    return PQ_OK;
}

PqRc pq_path_each(const PqNode *variant, PqPathVisit visit, void *arg, PqErr *e)
{
    Walk w = {.visit = visit, .arg = arg, .e = e};

    return walk(&w, variant, 0);
}
