/*
** variant_shred.c - walks a Variant and the groups of its schema together.
**
** Recursion follows the schema, so it is as deep as the schema.  A part of the
** value without a typed_value is copied as bytes: its ids refer to the metadata
** of the whole, which is stored as it came.
**
** What is written is valid, whatever a BLOB was.  If the fields of an object
** are not in order, or come twice, the BLOB is first built anew: other readers
** search fields by halves, and would miss some.  A field that comes twice fails
** there.  So the walk meets fields in the order of their names.  The fields of
** a group have the same order, and the field that is expected next is nearly
** always right.  Each field notes the number of the last object that had it;
** the others are missing.
**
** Fields without a column, the rest of an object, are collected on a stack.
** Fields with columns are shredded in between, and leave the stack as they
** found it.
*/
#include "core/nested/variant_shred.h"

#include "core/nested/json_plan.h"
#include "core/nested/shred_plan.h"
#include "core/nested/typed_value_takes.h"
#include "core/text/utf8.h"
#include "core/variant/variant_cast.h"
#include "core/variant/variant_layout.h"
#include "core/variant/variant_build.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef enum Shape { NO_TYPE, SCALAR, ARRAY, OBJECT } Shape;

/* A value and a typed_value. */
typedef struct Group {
    PqSlice  name;                   /* of the field                        */
    uint32_t first, n;               /* its leaves                          */
    uint16_t present;                /* the group is there                  */
    uint32_t value;                  /* leaf                                */
    Shape    shape;                  /* of typed_value                      */
    uint32_t typed, n_typed;         /* leaves                              */
    uint16_t typed_present, repeated_rep;
    PqShredTally *tally;             /* or NULL                             */
    PqVariantTakes takes;            /* SCALAR                              */
    struct Group *child;             /* fields by name, or the element      */
    uint32_t n_children;
    uint64_t object;                 /* the last one that had the field     */
} Group;

/* A field that has no column. */
typedef struct Rest {
    uint32_t id;
    PqSlice  bytes;
} Rest;

struct PqVariantShred {
    PqMem    *mem;
    uint32_t  metadata;              /* leaf                                */
    Group     top;
    PqVariantBuild *build;
    PqArena   scratch;               /* of the parser                       */
    Rest     *rest;
    uint32_t  n_rest, rest_room;
    /* The current value. */
    PqLeafBatch  *batch;
    PqVariantMeta meta;
    bool      built;                 /* from JSON or a number: its bytes
                                     ** have to be copied                   */
    uint64_t  object;                /* the number of objects so far        */
    PqErr    *e;
};

/* ---- the plan ------------------------------------------------------------ */

/* Readers may be strict, so what is written is. */
bool pq_variant_shred_type(const PqType *t)
{
    return pq_variant_has_type(t) && t->logical != PQ_TYPE_UNKNOWN &&
           !(t->logical == PQ_TYPE_TIME && t->utc);
}

typedef struct Plan {
    uint32_t root;                   /* the first leaf of the column        */
    const PqFillRules *rules;
    PqArena *a;
} Plan;

static PqRc plan_group(const PqNode *node, const Plan *p, Group *g, PqErr *e);

static int by_name(const void *a, const void *b)
{
    return pq_slice_compare(((const Group *)a)->name, ((const Group *)b)->name);
}

static PqRc plan_children(const PqNode *typed, const Plan *p, Group *g,
                          PqErr *e)
{
    g->shape = typed->kind == PQ_NODE_LIST ? ARRAY : OBJECT;
    g->repeated_rep = typed->repeated_rep;
    g->n_children = typed->n_children;
    g->child = pq_arena_zeros(p->a, typed->n_children, sizeof *g->child, e);
    if (!g->child) {
        return e->rc;
    }
    for (uint32_t i = 0; i < typed->n_children; i++) {
        PQ_TRY(plan_group(typed->child[i], p, &g->child[i], e));
    }
    qsort(g->child, g->n_children, sizeof *g->child, by_name);
    return PQ_OK;
}

static PqRc plan_scalar(const PqNode *typed, const Plan *p, Group *g, PqErr *e)
{
    if (!pq_variant_shred_type(&typed->type)) {
        return pq_fail(e, PQ_USAGE, "%s: no Variant value is of this type",
                       typed->path);
    }
    g->shape = SCALAR;
    pq_variant_takes_init(&g->takes, &typed->type, p->rules->named_parts);
    return PQ_OK;
}

static PqRc plan_typed(const PqNode *typed, const Plan *p, Group *g, PqErr *e)
{
    g->typed = typed->first_leaf - p->root;
    g->n_typed = typed->n_leaves;
    g->typed_present = typed->def_present;
    switch (typed->kind) {
    case PQ_NODE_LEAF:
        return plan_scalar(typed, p, g, e);
    case PQ_NODE_LIST:
    case PQ_NODE_STRUCT:
        return plan_children(typed, p, g, e);
    default:
        return pq_fail(e, PQ_USAGE, "%s: no Variant value is a MAP or a "
                       "VARIANT", typed->path);
    }
}

static const PqNode *typed_of(const PqNode *group)
{
    return pq_node_field(group, pq_slice_text("typed_value"), 0);
}

static PqRc plan_group(const PqNode *node, const Plan *p, Group *g, PqErr *e)
{
    const PqNode *value = pq_variant_binary(node, "value");
    const PqNode *typed = typed_of(node);

    g->name = pq_slice_text(node->name);
    g->first = node->first_leaf - p->root;
    g->n = node->n_leaves;
    g->present = node->def_present;
    PQ_TRY(typed ? plan_typed(typed, p, g, e) : PQ_OK);
    if (!value || node->kind == PQ_NODE_LIST) {
        return pq_fail(e, PQ_USAGE, "%s: a VARIANT is not written without a "
                       "value column", node->path);
    }
    g->value = value->first_leaf - p->root;
    g->tally = p->rules->tally ? &p->rules->tally[value->first_leaf] : NULL;
    return PQ_OK;
}

PqRc pq_variant_shred_new(const PqNode *node, const PqNode *root,
                          const PqFillRules *rules, PqArena *a,
                          PqVariantShred **out, PqErr *e)
{
    const PqNode *metadata = pq_variant_binary(node, "metadata");
    Plan plan = {root->first_leaf, rules, a};
    PqVariantShred *s = pq_arena_zeros(a, 1, sizeof *s, e);

    if (!s) {
        return e->rc;
    }
    *out = s;
    s->mem = a->mem;
    pq_arena_init(&s->scratch, a->mem);
    assert(metadata);                /* or it would not be a VARIANT */
    s->metadata = metadata->first_leaf - root->first_leaf;
    PQ_TRY(plan_group(node, &plan, &s->top, e));
    return pq_variant_build_new(a->mem, &s->build, e);
}

void pq_variant_shred_free(PqVariantShred *s)
{
    if (s) {
        pq_variant_build_free(s->build);
        pq_arena_free(&s->scratch);
        pq_mem_free(s->rest);
    }
}

/* Recursion is as deep as the schema. */
static void group_path(const PqNode *group, PqBuf *out)
{
    const PqNode *typed = group->parent;

    if (group->kind == PQ_NODE_VARIANT) {
        pq_buf_byte(out, '$');
        return;
    }
    group_path(typed->parent, out);
    if (typed->kind == PQ_NODE_LIST) {
        pq_buf_text(out, "[]");
    } else {
        pq_buf_printf(out, ".%s", group->name);
    }
}

void pq_variant_shred_part(const PqNode *value, PqBuf *path, PqBuf *type)
{
    const PqNode *typed = typed_of(value->parent);

    group_path(value->parent, path);
    if (typed && typed->kind == PQ_NODE_LEAF) {
        pq_type_text(&typed->type, type);
    } else if (typed) {
        pq_buf_text(type, typed->kind == PQ_NODE_LIST ? "array" : "object");
    }
}

/* ---- entries ------------------------------------------------------------- */

/* Appends an entry without a value to each of n leaves. */
static PqRc put_absent(PqVariantShred *s, uint32_t first, uint32_t n,
                       uint16_t rep, uint16_t def)
{
    for (uint32_t i = first; i < first + n; i++) {
        PQ_TRY(pq_shred_reserve(&s->batch[i], s->e));
        pq_shred_entry(&s->batch[i], rep, def);
    }
    return PQ_OK;
}

/* Appends bytes, which stay, as one value. */
static PqRc put_stored(PqVariantShred *s, PqLeafBatch *b, PqSlice bytes,
                       uint16_t rep)
{
    PQ_TRY(pq_shred_reserve(b, s->e));
    ((PqStr *)b->values)[b->n_values++] = (PqStr){bytes.p, (uint32_t)bytes.n};
    b->n_bytes += bytes.n;
    pq_shred_entry(b, rep, b->leaf->max_def);
    return PQ_OK;
}

static PqRc put_bytes(PqVariantShred *s, uint32_t leaf, PqSlice bytes,
                      uint16_t rep)
{
    PqLeafBatch *b = &s->batch[leaf];

    if (s->built) {
        uint8_t *to = pq_arena_bytes(&b->bytes, bytes.n, s->e);

        if (!to) {
            return s->e->rc;
        }
        if (bytes.n) {
            memcpy(to, bytes.p, bytes.n);
        }
        bytes.p = to;
    }
    return put_stored(s, b, bytes, rep);
}

/* Rows of one kind have the same metadata, one after the other, which is copied
** once. */
static PqRc put_metadata(PqVariantShred *s, PqSlice metadata, uint16_t rep)
{
    PqLeafBatch *b = &s->batch[s->metadata];

    if (b->n_values > 0) {
        PqStr last = ((const PqStr *)b->values)[b->n_values - 1];

        if (pq_slice_equal(pq_slice(last.p, last.n), metadata)) {
            return put_stored(s, b, pq_slice(last.p, last.n), rep);
        }
    }
    return put_bytes(s, s->metadata, metadata, rep);
}

/* ---- scalars ------------------------------------------------------------- */

static PqRc put_scalar(PqVariantShred *s, const Group *g,
                       const PqVariantValue *v, uint16_t rep)
{
    PqLeafBatch *b = &s->batch[g->typed];
    size_t width = pq_physical_width(g->takes.type->physical);

    if (v->kind == PQ_VARIANT_STRING || v->kind == PQ_VARIANT_BINARY) {
        return put_bytes(s, g->typed, v->bytes, rep);
    }
    PQ_TRY(pq_shred_reserve(b, s->e));
    PQ_TRY(pq_variant_store(v, g->takes.type, &b->bytes,
                            (char *)b->values + b->n_values * width, s->e));
    if (g->takes.type->physical == PQ_BYTE_ARRAY) {
        b->n_bytes += ((const PqStr *)b->values)[b->n_values].n;
    }
    b->n_values++;
    pq_shred_entry(b, rep, g->typed_present);
    return PQ_OK;
}

/* ---- arrays and objects -------------------------------------------------- */

/* A value and its bytes. */
typedef struct Item {
    PqVariantValue v;
    PqSlice bytes;
} Item;

static PqRc shred(PqVariantShred *s, const Group *g, const Item *value,
                  uint16_t rep);

/* Reads the value at the front of out->bytes, and cuts off what follows it. */
static PqRc read_item(PqVariantShred *s, Item *out)
{
    PqSlice rest = out->bytes;

    PQ_TRY(pq_variant_value_take(&rest, &out->v, s->e));
    out->bytes.n -= rest.n;
    return PQ_OK;
}

static PqRc take_item(PqVariantShred *s, PqVariantItems *items, uint32_t i,
                      Item *out)
{
    PQ_TRY(pq_variant_items_take(items, i, &out->bytes, s->e));
    return read_item(s, out);
}

static PqRc shred_array(PqVariantShred *s, const Group *g, PqSlice value,
                        uint16_t rep)
{
    PqVariantItems items;

    PQ_TRY(pq_variant_items_open(&value, &items, s->e));
    PQ_TRY(put_absent(s, g->value, 1, rep, g->present));
    if (items.n == 0) {
        return put_absent(s, g->typed, g->n_typed, rep, g->typed_present);
    }
    for (uint32_t i = 0; i < items.n; i++) {
        Item element;

        PQ_TRY(take_item(s, &items, i, &element));
        PQ_TRY(shred(s, g->child, &element, rep));
        rep = g->repeated_rep;
    }
    return PQ_OK;
}

/* The field of that name, or NULL; *expected probably has it, and becomes the
** field after it. */
static Group *field_of(const Group *g, PqSlice name, uint32_t *expected)
{
    uint32_t low = *expected, high = g->n_children;
    int order = low < high ? pq_slice_compare(g->child[low].name, name) : 1;

    if (order == 0) {
        *expected = low + 1;
        return &g->child[low];
    }
    low = order < 0 ? low + 1 : 0;
    high = order < 0 ? high : *expected;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        order = pq_slice_compare(g->child[mid].name, name);
        if (order == 0) {
            *expected = mid + 1;
            return &g->child[mid];
        }
        low = order < 0 ? mid + 1 : low;
        high = order < 0 ? high : mid;
    }
    *expected = low;
    return NULL;
}

static PqRc put_missing(PqVariantShred *s, const Group *g, uint64_t object,
                        uint16_t rep)
{
    for (uint32_t i = 0; i < g->n_children; i++) {
        const Group *c = &g->child[i];

        if (c->object != object) {
            PQ_TRY(put_absent(s, c->first, c->n, rep, c->present));
        }
    }
    return PQ_OK;
}

/* Writes an object of the fields in r: see variant.c. */
static void write_object(const Rest *r, uint32_t n, uint32_t id_size,
                         uint32_t offset_size, uint8_t *to)
{
    bool large = n > UINT8_MAX;
    uint32_t at = 0;

    *to++ = (uint8_t)(2 | (offset_size - 1) << 2 | (id_size - 1) << 4 |
                      (unsigned)large << 6);
    to = pq_variant_put_number(to, large ? 4 : 1, n);
    for (uint32_t i = 0; i < n; i++) {
        to = pq_variant_put_number(to, id_size, r[i].id);
    }
    for (uint32_t i = 0; i < n; i++) {
        to = pq_variant_put_number(to, offset_size, at);
        at += (uint32_t)r[i].bytes.n;
    }
    to = pq_variant_put_number(to, offset_size, at);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(to, r[i].bytes.p, r[i].bytes.n);
        to += r[i].bytes.n;
    }
}

/* Stores the fields from base on as the value of g, and takes them off the
** stack. */
static PqRc put_rest(PqVariantShred *s, const Group *g, uint32_t base,
                     uint16_t rep)
{
    PqLeafBatch *b = &s->batch[g->value];
    Rest *r = s->rest + base;
    uint32_t n = s->n_rest - base, id_size, offset_size, id = 0;
    size_t all = 0, size;
    uint8_t *to;

    for (uint32_t i = 0; i < n; i++) {
        all += r[i].bytes.n;
        id = r[i].id > id ? r[i].id : id;
    }
    id_size = pq_variant_width(id);
    offset_size = pq_variant_width(all);
    size = 1 + (n > UINT8_MAX ? 4u : 1u) + (size_t)n * id_size +
           ((size_t)n + 1) * offset_size + all;
    to = pq_arena_bytes(&b->bytes, size, s->e);
    if (!to) {
        return s->e->rc;
    }
    write_object(r, n, id_size, offset_size, to);
    s->n_rest = base;
    return put_stored(s, b, pq_slice(to, size), rep);
}

static PqRc keep_rest(PqVariantShred *s, uint32_t id, PqSlice bytes)
{
    PQ_TRY(PQ_GROW(s->mem, s->rest, s->n_rest, s->rest_room, s->e));
    s->rest[s->n_rest++] = (Rest){id, bytes};
    return PQ_OK;
}

static PqRc shred_object(PqVariantShred *s, const Group *g, PqSlice value,
                         uint16_t rep)
{
    uint32_t base = s->n_rest, expected = 0, n_met = 0;
    uint64_t object = ++s->object;
    PqSlice name = {NULL, 0};
    PqVariantItems items;

    PQ_TRY(pq_variant_items_open(&value, &items, s->e));
    for (uint32_t i = 0; i < items.n; i++) {
        Group *field;
        Item value_of;

        PQ_TRY(pq_variant_items_name(&s->meta, &items, i, &name, s->e));
        PQ_TRY(take_item(s, &items, i, &value_of));
        field = field_of(g, name, &expected);
        if (!field) {
            PQ_TRY(keep_rest(s, pq_variant_number(items.ids, items.id_size, i),
                             value_of.bytes));
            continue;
        }
        assert(field->object != object);
        field->object = object;
        n_met++;
        PQ_TRY(shred(s, field, &value_of, rep));
    }
    if (n_met < g->n_children) {
        PQ_TRY(put_missing(s, g, object, rep));
    }
    return s->n_rest > base ? put_rest(s, g, base, rep)
                            : put_absent(s, g->value, 1, rep, g->present);
}

/* Does the typed_value of g take v?  v may become a number of another kind. */
static bool is_taken(const Group *g, PqVariantValue *v)
{
    bool is_null = v->kind == PQ_VARIANT_NULL;
    bool taken = g->shape == OBJECT  ? v->kind == PQ_VARIANT_OBJECT
                 : g->shape == ARRAY ? v->kind == PQ_VARIANT_ARRAY
                                     : g->shape == SCALAR &&
                                           pq_variant_takes(&g->takes, v);

    if (g->tally && g->shape != NO_TYPE && !is_null) {
        atomic_fetch_add_explicit(&g->tally->n, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&g->tally->n_taken, taken,
                                  memory_order_relaxed);
    }
    return taken;
}

static PqRc shred(PqVariantShred *s, const Group *g, const Item *value,
                  uint16_t rep)
{
    PqVariantValue v = value->v;

    if (!is_taken(g, &v)) {
        PQ_TRY(put_absent(s, g->typed, g->n_typed, rep, g->present));
        return put_bytes(s, g->value, value->bytes, rep);
    }
    if (g->shape == OBJECT) {
        return shred_object(s, g, value->bytes, rep);
    }
    if (g->shape == ARRAY) {
        return shred_array(s, g, value->bytes, rep);
    }
    PQ_TRY(put_absent(s, g->value, 1, rep, g->present));
    return put_scalar(s, g, &v, rep);
}

/* ---- cells --------------------------------------------------------------- */

static PqRc put(PqVariantShred *s, PqSlice metadata, PqSlice value,
                uint16_t rep)
{
    Item whole = {.bytes = value};

    s->n_rest = 0;                   /* of a value that failed */
    PQ_TRY(put_metadata(s, metadata, rep));
    PQ_TRY(read_item(s, &whole));
    return shred(s, &s->top, &whole, rep);
}

static PqRc put_built(PqVariantShred *s, uint16_t rep)
{
    PqSlice metadata, value;

    s->built = true;
    PQ_TRY(pq_variant_build_finish(s->build, &metadata, &value, s->e));
    PQ_TRY(pq_variant_meta_open(metadata, &s->meta, s->e));
    return put(s, metadata, value, rep);
}

static PqRc put_text(PqVariantShred *s, PqSlice json, uint16_t rep)
{
    if (!pq_utf8_valid(json)) {
        return pq_fail(s->e, PQ_USAGE, "a TEXT that is not UTF-8");
    }
    pq_variant_build_begin(s->build);
    if (s->scratch.blocks) {
        pq_arena_reset(&s->scratch);
    }
    PQ_TRY(pq_variant_parse(json, s->build, &s->scratch, s->e));
    return put_built(s, rep);
}

static PqRc put_blob(PqVariantShred *s, PqSlice blob, uint16_t rep)
{
    bool malformed = false, unordered = false;
    PqSlice metadata, value;

    s->built = false;
    PQ_TRY(pq_variant_split(blob, &metadata, &value, s->e));
    PQ_TRY(pq_variant_meta_open(metadata, &s->meta, s->e));
    if (s->meta.n_names == 0) {      /* QUIRK: the offset may be omitted */
        metadata = pq_slice("\x01\x00\x00", 3);
    }
    s->meta.malformed = &malformed;
    s->meta.unordered = &unordered;
    PQ_TRY(pq_variant_check(&s->meta, value, s->e));
    s->meta.malformed = s->meta.unordered = NULL;
    if (malformed) {
        return pq_fail(s->e, PQ_CORRUPT, "a text in it is not UTF-8");
    }
    if (unordered) {
        pq_variant_build_begin(s->build);
        pq_variant_build_copy(s->build, &s->meta, value);
        return put_built(s, rep);
    }
    return put(s, metadata, value, rep);
}

static PqRc put_number(PqVariantShred *s, const PqCell *cell, uint16_t rep)
{
    PqVariantValue v = {.kind = PQ_VARIANT_INT, .u.i = cell->i};

    if (cell->kind == PQ_CELL_REAL) {
        v = (PqVariantValue){.kind = PQ_VARIANT_DOUBLE, .u.d = cell->r};
    }
    pq_variant_build_begin(s->build);
    pq_variant_build_value(s->build, &v);
    return put_built(s, rep);
}

/* Whatever is wrong is wrong with the cell. */
static PQ_COLD PqRc blame(PqVariantShred *s, const PqCell *cell)
{
    PqErr why = *s->e;

    if (why.rc != PQ_CORRUPT && why.rc != PQ_UNSUPPORTED) {
        return why.rc;
    }
    pq_err_clear(s->e);
    return pq_fail(s->e, PQ_USAGE, "%s%s",
                   cell->kind == PQ_CELL_BLOB ? "a BLOB that is not a Variant: "
                                              : "",
                   why.text);
}

PqRc pq_variant_shred_cell(PqVariantShred *s, PqLeafBatch *batches,
                           uint16_t rep, const PqCell *cell, PqErr *e)
{
    PqRc rc;

    assert(cell->kind != PQ_CELL_NULL);
    s->batch = batches;
    s->e = e;
    rc = cell->kind == PQ_CELL_TEXT ? put_text(s, pq_cell_slice(cell), rep)
         : cell->kind == PQ_CELL_BLOB
             ? put_blob(s, pq_cell_slice(cell), rep)
             : put_number(s, cell, rep);
    return rc == PQ_OK ? PQ_OK : blame(s, cell);
}
