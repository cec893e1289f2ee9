/*
** shred_plan.c - makes the plan of a shredder from schema nodes.
**
** Members mostly come in the order of the fields, so the field expected next is
** compared first.  If it is another one, a hash table has its place.
*/
#include "core/nested/shred_plan.h"
#include "core/nested/variant_shred.h"

#include <xxhash.h>

static PqShredTakes takes_of(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_JSON:
        return PQ_SHRED_DOCUMENT;
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_UUID:
    case PQ_TYPE_INTERVAL:
    case PQ_TYPE_UNKNOWN:
        return PQ_SHRED_TEXT;
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        return PQ_SHRED_TIME;
    case PQ_TYPE_INT:
    case PQ_TYPE_DECIMAL:
    case PQ_TYPE_FLOAT16:
        return PQ_SHRED_NUMBER;
    default:
        break;
    }
    return t->physical == PQ_INT96 ? PQ_SHRED_TIME
           : t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED
               ? PQ_SHRED_HEX
               : PQ_SHRED_NUMBER;
}

/* ---- fields by name ----------------------------------------------------- */

/* The place of a name in the hash table, or the free one where it belongs. */
static uint32_t *place_of(const PqShredNode *n, PqSlice name)
{
    uint64_t at = XXH3_64bits(name.p, name.n);
    uint32_t *place;

    do {
        place = &n->places[at++ & (n->n_places - 1)];
    } while (*place && !pq_slice_equal(n->child[*place - 1].name, name));
    return place;
}

static PqRc plan_places(PqJsonShred *s, PqShredNode *n, PqErr *e)
{
    n->n_places = 8;
    while (n->n_places < 2 * n->n_children) n->n_places *= 2;
    n->places = pq_arena_zeros(&s->arena, n->n_places, sizeof *n->places, e);
    if (!n->places) {
        return e->rc;
    }
    for (uint32_t i = 0; i < n->n_children; i++) {
        uint32_t *place = place_of(n, n->child[i].name);

        *place = *place ? *place : i + 1;    /* the first of its name */
    }
    return PQ_OK;
}

PqShredNode *pq_shred_plan_field(const PqShredNode *n, PqSlice name,
                                 uint32_t expected)
{
    uint32_t place;

    if (PQ_LIKELY(expected < n->n_children) &&
        PQ_LIKELY(pq_slice_equal(n->child[expected].name, name))) {
        return &n->child[expected];
    }
    place = *place_of(n, name);
    return place ? &n->child[place - 1] : NULL;
}

/* ---- nodes -------------------------------------------------------------- */

static PqRc plan_node(PqJsonShred *s, const PqNode *node, const PqNode *root,
                      PqShredNode *out, PqErr *e);

static PqRc plan_children(PqJsonShred *s, const PqNode *node,
                          const PqNode *root, PqShredNode *out, PqErr *e)
{
    out->n_children = node->n_children;
    out->child = pq_arena_zeros(&s->arena, node->n_children,
                                sizeof *out->child, e);
    if (!out->child) {
        return e->rc;
    }
    for (uint32_t i = 0; i < node->n_children; i++) {
        PQ_TRY(plan_node(s, node->child[i], root, &out->child[i], e));
    }
    return node->kind == PQ_NODE_STRUCT ? plan_places(s, out, e) : PQ_OK;
}

static PqRc plan_node(PqJsonShred *s, const PqNode *node, const PqNode *root,
                      PqShredNode *out, PqErr *e)
{
    *out = (PqShredNode){
        .kind = node->kind, .required = node->required,
        .null_def = (uint16_t)(node->def_present - !node->required),
        .present = node->def_present, .repeated_rep = node->repeated_rep,
        .rep = node->rep, .first_leaf = node->first_leaf - root->first_leaf,
        .n_leaves = node->n_leaves, .name = pq_slice_text(node->name)};
    switch (node->kind) {
    case PQ_NODE_LEAF:
        out->takes = takes_of(&node->type);
        return PQ_OK;
    case PQ_NODE_VARIANT:
        PQ_TRY(PQ_ARENA_GROW(&s->arena, s->variant, s->n_variants, e));
        PQ_TRY(pq_variant_shred_new(node, root, &s->rules, &s->arena,
                                    &out->variant, e));
        s->variant[s->n_variants++] = out->variant;
        return PQ_OK;
    default:
        return plan_children(s, node, root, out, e);
    }
}

PqRc pq_json_shred_new(PqMem *mem, const PqSchema *schema, const PqNode *node,
                       const PqFillRules *rules, PqJsonShred **out, PqErr *e)
{
    PqJsonShred *s = pq_mem_zeros(mem, 1, sizeof *s, e);
    PqRc rc;

    *out = NULL;
    if (!s) {
        return e->rc;
    }
    s->mem = mem;
    pq_arena_init(&s->arena, mem);
    pq_arena_init(&s->scratch, mem);
    pq_err_init(&s->err);
    s->rules = *rules;
    s->null_misfits = rules->null_misfits;
    s->rules.null_misfits = false;
    s->rules.classes = 0;            /* they are about cells, not JSON       */
    s->mark = pq_arena_zeros(&s->arena, node->n_leaves, sizeof *s->mark, e);
    if (!s->mark) {
        rc = e->rc;
        goto done;
    }
    PQ_GO(plan_node(s, node, node, &s->root, e));
    *out = s;
    s = NULL;
done:
    pq_json_shred_free(s);
    return rc;
}

void pq_json_shred_free(PqJsonShred *s)
{
    if (s) {
        for (uint32_t i = 0; i < s->n_variants; i++) {
            pq_variant_shred_free(s->variant[i]);
        }
        pq_arena_free(&s->arena);
        pq_arena_free(&s->scratch);
        pq_mem_free(s);
    }
}
