/*
** rewrite_shape.c - the columns of the output, and where they are in a file.
**
** A column of the output has the schema elements of the file that it is like: the
** field and all below it.  In another file it is the field of the same name.  If
** that has the same elements, its leaves are those of the output, one by one:
**
**   output   optional group a (LIST) / repeated group list / optional int32 element
**   b        required group a (LIST) / repeated group list / optional int32 element
**   c        optional group a (LIST) / repeated group list / optional int64 element
**
** The leaf of b is written anew, because its levels are lower by one.  The leaf of
** c does not fit.
*/
#include "core/rewrite/rewrite_inside.h"

/* ---- elements ----------------------------------------------------------------- */

static const PqSchemaElement *element_of(const PqNode *n, const PqSchema *s)
{
    return &s->elements[n->element];
}

/* The number of elements of the field at el: itself and all below it. */
static uint32_t n_elements(const PqSchemaElement *el)
{
    int64_t left = 1;
    uint32_t n = 0;

    for (; left > 0; left--) {
        left += PQ_HAS(&el[n], PQ_SCHEMA_NUM_CHILDREN) ? el[n].num_children : 0;
        n++;
    }
    return n;
}

/* Appends the elements of a column. */
static PqRc add_elements(PqRewrite *r, const PqRewriteColumn *c,
                         const PqSchemaElement *el, PqErr *e)
{
    const PqType text = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING};
    uint32_t n = n_elements(el), room = r->elements.n;
    PqSchemaElement *first;

    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(PQ_ARENA_GROW(&r->arena, r->elements.v, room, e));
        r->elements.v[room] = el[i];
        if (!(el[i].logical_type.has & ~(1u << PQ_THRIFT_UNKNOWN))) {
            r->elements.v[room].has &= ~(1u << PQ_SCHEMA_LOGICAL);   /* lost */
        }
        room++;
    }
    first = &r->elements.v[r->elements.n];
    first->name = pq_slice_text(pq_rewrite_name(c));
    if (c->optional || c->mask == PQ_MASK_NULL) {
        first->repetition_type = PQ_OPTIONAL;
    }
    if (c->mask == PQ_MASK_HASH) {
        *first = (PqSchemaElement){
            .has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_REPETITION,
            .name = first->name, .repetition_type = first->repetition_type};
        pq_type_annotate(&text, first);
    }
    r->elements.n = room;
    return PQ_OK;
}

static PqRc add_column(PqRewrite *r, const PqRewriteColumn *c, PqErr *e)
{
    const PqNode *n = pq_rewrite_field(c->like, c);
    const PqSchemaElement *el = n ? element_of(n, &c->like->schema) : NULL;

    if (!el) {
        return pq_fail(e, PQ_USAGE, "no such column: %s", c->name);
    }
    if ((c->optional || c->mask != PQ_MASK_NONE) && el->repetition_type == PQ_REPEATED) {
        return pq_fail(e, PQ_UNSUPPORTED, "column %s is repeated itself, and cannot be null",
                       c->name);
    }
    if (c->mask == PQ_MASK_HASH && (n->kind != PQ_NODE_LEAF || n->type.physical != PQ_BYTE_ARRAY)) {
        return pq_fail(e, PQ_USAGE, "column %s is not a text, and has no hash; the mask null hides "
                       "it", c->name);
    }
    return add_elements(r, c, el, e);
}

static PqRc make_elements(PqRewrite *r, PqErr *e)
{
    PqSchemaElement *root;

    PQ_TRY(PQ_ARENA_GROW(&r->arena, r->elements.v, r->elements.n, e));
    r->elements.n = 1;
    for (uint32_t i = 0; i < r->plan.n_columns; i++) {
        PQ_TRY(add_column(r, &r->plan.columns[i], e));
    }
    root = &r->elements.v[0];
    *root = (PqSchemaElement){
        .has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_NUM_CHILDREN,
        .name = pq_slice_text("schema"),
        .num_children = (int32_t)r->plan.n_columns};
    PQ_TRY(pq_schema_build(&r->elements, &r->arena, &r->schema, e));
    for (uint32_t i = 0; i < r->plan.n_columns; i++) {
        const PqNode *n = r->schema.root->child[i];

        if (n->shares_name) {
            return pq_fail(e, PQ_USAGE, "two columns would have the name %s", n->name);
        }
    }
    return PQ_OK;
}

/* ---- leaves ------------------------------------------------------------------- */

/* Bounds of a copied chunk keep the order that the file says, if the output can
** say the same.  Otherwise the order is that of the type. */
static void set_order(PqRewriteLeaf *leaf, uint32_t like, PqColumnOrder *out)
{
    const PqRewriteColumn *c = leaf->column;
    PqChunkOptions *o = &leaf->options;
    const PqType *t = &leaf->leaf->type;
    PqOrder said = c->mask == PQ_MASK_HASH ? PQ_ORDER_NONE : pq_order_of_leaf(c->like, like);

    o->ieee754_order = said == PQ_ORDER_FLOAT_TOTAL || (o->ieee754_order && pq_type_is_float(t));
    if (o->ieee754_order) {
        leaf->order = PQ_ORDER_FLOAT_TOTAL;
        out->has = 1u << PQ_ORDER_IEEE754;
    } else if (said == PQ_ORDER_INT96_TIME) {
        leaf->order = said;
        out->has = 1u << PQ_ORDER_INT96;
    } else {
        leaf->order = pq_order_of_type(t);
        out->has = 1u << PQ_ORDER_TYPE;
    }
}

static PqRc make_leaves(PqRewrite *r, PqErr *e)
{
    size_t room = r->schema.n_leaves + (size_t)1;
    PqColumnOrder *orders;

    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->leaves, room, e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->chunks, room, e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->ended, room, e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, r->claims, room, e));
    PQ_TRY(PQ_ARENA_NEW(&r->arena, orders, room, e));
    for (uint32_t i = 0; i < r->plan.n_columns; i++) {
        const PqRewriteColumn *c = &r->plan.columns[i];
        const PqNode *node = r->schema.root->child[i];
        const PqNode *like = pq_rewrite_field(c->like, c);

        for (uint32_t k = 0; k < node->n_leaves; k++) {
            PqRewriteLeaf *leaf = &r->leaves[node->first_leaf + k];

            leaf->r = r;
            leaf->leaf = &r->schema.leaves[node->first_leaf + k];
            leaf->column = c;
            leaf->options = c->options;
            if (r->plan.add & PQ_ADD_BLOOM) {
                leaf->options.bloom = PQ_BLOOM_ALWAYS;
            }
            pq_leaf_batch_init(&leaf->batch, leaf->leaf, r->mem);
            set_order(leaf, like->first_leaf + k, &orders[node->first_leaf + k]);
        }
    }
    r->shape.orders = orders;
    return PQ_OK;
}

PqRc pq_rewrite_make_shape(PqRewrite *r, PqErr *e)
{
    PqSliceList *paths;

    PQ_TRY(make_elements(r, e));
    PQ_TRY(make_leaves(r, e));
    PQ_TRY(pq_file_write_paths(&r->elements, r->schema.n_leaves, &r->arena, &paths, e));
    r->shape.elements = &r->elements;
    r->shape.schema = &r->schema;
    r->shape.paths = paths;
    r->shape.key_values = r->plan.key_values;
    r->shape.n_key_values = r->plan.n_key_values;
    r->shape.created_by = r->plan.created_by;
    r->shape.stop = r->plan.stop;
    return pq_rewrite_make_geo(r, e);
}

/* ---- the same in a file --------------------------------------------------------- */

static bool same_element(const PqSchemaElement *a, const PqSchemaElement *b)
{
    return PQ_HAS(a, PQ_SCHEMA_TYPE) == PQ_HAS(b, PQ_SCHEMA_TYPE) &&
           a->type == b->type && a->type_length == b->type_length &&
           a->num_children == b->num_children;
}

/* Elements below the field have the same names and repetitions too. */
static bool same_elements(const PqSchemaElement *a, const PqSchemaElement *b)
{
    uint32_t n = n_elements(a);
    bool same = n_elements(b) == n && same_element(a, b);

    for (uint32_t i = 1; same && i < n; i++) {
        same = same_element(&a[i], &b[i]) &&
               a[i].repetition_type == b[i].repetition_type &&
               pq_slice_equal(a[i].name, b[i].name);
    }
    return same;
}

static bool same_meaning(const PqNode *a, const PqNode *b)
{
    bool same = a->kind == b->kind && a->n_children == b->n_children &&
                (a->kind != PQ_NODE_LEAF || pq_type_equal(&a->type, &b->type));

    for (uint32_t i = 0; same && i < a->n_children; i++) {
        same = same_meaning(a->child[i], b->child[i]);
    }
    return same;
}

static void set_ways(PqRewriteFile *file, const PqNode *out, const PqNode *in, PqLeafWay way)
{
    for (uint32_t i = 0; i < out->n_leaves; i++) {
        file->from[out->first_leaf + i] = (PqLeafFrom){way, in ? in->first_leaf + i : 0};
    }
}

static void tell_type(const PqNode *n, PqBuf *out)
{
    static const char *const kinds[] = {"", "a struct", "a list", "a map",
                                        "a VARIANT", ""};

    if (n->kind == PQ_NODE_LEAF) {
        pq_type_text(&n->type, out);
    } else {
        pq_buf_text(out, kinds[n->kind]);
    }
}

static PqRc misfit(const PqRewrite *r, const PqNode *out, const PqNode *in, PqErr *e)
{
    PqBuf types;

    pq_buf_init(&types, r->mem, e);
    tell_type(in, &types);
    pq_buf_text(&types, " here and ");
    tell_type(out, &types);
    pq_buf_byte(&types, 0);
    if (pq_buf_ok(&types)) {
        pq_fail(e, PQ_UNSUPPORTED, "column %s is %s in the output, and is stored in another way",
                out->name, (const char *)types.p);
    }
    pq_buf_free(&types);
    return e->rc;
}

static PqRc find_column(const PqRewrite *r, PqRewriteFile *file, uint32_t i, PqErr *e)
{
    const PqRewriteColumn *c = &r->plan.columns[i];
    const PqNode *out = r->schema.root->child[i];
    const PqNode *in = pq_rewrite_field(file->f, c), *model = pq_rewrite_field(c->like, c);
    bool may_be_null = element_of(out, &r->schema)->repetition_type == PQ_OPTIONAL;
    const PqSchemaElement *el;

    if (c->mask == PQ_MASK_NULL || !in) {
        set_ways(file, out, NULL, PQ_LEAF_NULLS);
        return may_be_null ? PQ_OK
                           : pq_fail(e, PQ_UNSUPPORTED, "column %s is missing here, and cannot "
                                     "be null", out->name);
    }
    el = element_of(in, &file->f->schema);
    if (!same_elements(element_of(model, &c->like->schema), el) || !same_meaning(model, in) ||
        (el->repetition_type == PQ_REPEATED) !=
            (element_of(out, &r->schema)->repetition_type == PQ_REPEATED)) {
        return misfit(r, out, in, e);
    }
    if (el->repetition_type == PQ_OPTIONAL && !may_be_null) {
        return pq_fail(e, PQ_UNSUPPORTED, "column %s may be null here, and not in the output",
                       out->name);
    }
    set_ways(file, out, in,
             c->mask == PQ_MASK_HASH ||
                     (el->repetition_type == PQ_REQUIRED && may_be_null)
                 ? PQ_LEAF_WRITTEN : PQ_LEAF_COPIED);
    return PQ_OK;
}

PqRc pq_rewrite_find(const PqRewrite *r, PqRewriteFile *file, PqErr *e)
{
    PQ_TRY(PQ_ARENA_NEW(&file->arena, file->from, r->schema.n_leaves + (size_t)1, e));
    for (uint32_t i = 0; i < r->plan.n_columns; i++) {
        PQ_TRY(find_column(r, file, i, e));
    }
    return pq_rewrite_find_geo(r, file, e);
}
