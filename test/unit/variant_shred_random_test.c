/*
** variant_shred_random_test.c - random Variants of all types are shredded as
** random schemas, and assembled again.
**
** Each value has to come back with its type, but for the widths and the scales of
** exact numbers: these are made the smallest on both sides.  Below, the rules for
** what must not be written are checked in the batches themselves, because a
** reader may not look at all columns.
*/
#include "core/meta/schema_make.h"
#include "core/nested/variant_assemble.h"
#include "core/variant/variant_layout.h"
#include "core/variant/variant_build.h"
#include "test/unit/shred_fixture.h"

#include <stdlib.h>

enum { ROWS = 40 };

typedef struct Random {
    Test           *t;
    uint64_t        state;
    PqSchemaMake   *make;
    PqVariantBuild *build;
    uint32_t        n_leaves;
} Random;

static uint32_t below(Random *r, uint32_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) +
               UINT64_C(1442695040888963407);
    return (uint32_t)(r->state >> 33) % n;
}

static const char *const names[] = {"a", "b", "value", "typed_value", "c d",
                                    "\xc3\xa9", "metadata", "zz"};

/* ---- schemas ------------------------------------------------------------- */

static const PqType types[] = {
    {.physical = PQ_BOOLEAN}, {.physical = PQ_INT32}, {.physical = PQ_INT64},
    {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = 8,
     .is_signed = true},
    {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = 16,
     .is_signed = true},
    {.physical = PQ_FLOAT}, {.physical = PQ_DOUBLE},
    {.logical = PQ_TYPE_DECIMAL, .precision = 7, .scale = 2},
    {.logical = PQ_TYPE_DECIMAL, .precision = 18, .scale = 2},
    {.logical = PQ_TYPE_DECIMAL, .precision = 38, .scale = 2},
    {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_DECIMAL, .precision = 20},
    {.logical = PQ_TYPE_DATE}, {.logical = PQ_TYPE_TIME, .unit = PQ_MICROS},
    {.logical = PQ_TYPE_TIMESTAMP, .unit = PQ_MICROS},
    {.logical = PQ_TYPE_TIMESTAMP, .unit = PQ_NANOS, .utc = true},
    {.physical = PQ_BYTE_ARRAY}, {.logical = PQ_TYPE_STRING},
    {.logical = PQ_TYPE_UUID},
};

static void make_value(Random *r)
{
    pq_schema_make_leaf(r->make, "value",
                        &(PqType){.physical = PQ_BYTE_ARRAY}, false, -1);
    r->n_leaves++;
}

static void make_typed(Random *r, int depth);

static void make_group(Random *r, const char *name, int depth)
{
    pq_schema_make_group(r->make, PQ_NODE_STRUCT, name, true, -1);
    make_value(r);
    make_typed(r, depth);
    pq_schema_make_close(r->make);
}

static void make_typed(Random *r, int depth)
{
    uint32_t what = depth > 0 && r->n_leaves < SHRED_LEAVES / 2 ? below(r, 6)
                                                                : 4;

    if (what == 5) {                 /* a column without a type */
        return;
    }
    if (what == 4) {
        PqType t = types[below(r, PQ_COUNT(types))];

        if (t.physical != PQ_BYTE_ARRAY) {
            pq_type_store(&t);
        }
        pq_schema_make_leaf(r->make, "typed_value", &t, false, -1);
        r->n_leaves++;
        return;
    }
    if (what == 3) {
        pq_schema_make_group(r->make, PQ_NODE_LIST, "typed_value", false, -1);
        make_group(r, NULL, depth - 1);
    } else {
        uint32_t n = 1 + below(r, 4), first = below(r, PQ_COUNT(names) - 3);

        pq_schema_make_group(r->make, PQ_NODE_STRUCT, "typed_value", false, -1);
        for (uint32_t i = 0; i < n; i++) {
            make_group(r, names[first + (i + 1) % n], depth - 1);
        }
    }
    pq_schema_make_close(r->make);
}

static PqSchema *make_schema(Random *r, PqArena *a)
{
    PqSchemaElementList list;
    PqSchema *s = pq_arena_alloc(a, sizeof *s, r->t->e);

    r->n_leaves = 1;
    pq_schema_make_group(r->make, PQ_NODE_VARIANT, "v", below(r, 2), -1);
    pq_schema_make_leaf(r->make, "metadata",
                        &(PqType){.physical = PQ_BYTE_ARRAY}, true, -1);
    make_value(r);
    make_typed(r, 4);
    pq_schema_make_close(r->make);
    if (pq_schema_make_end(r->make, a, &list, r->t->e) != PQ_OK ||
        pq_schema_build(&list, a, s, r->t->e) != PQ_OK) {
        test_fail(r->t, __FILE__, __LINE__, "%s", r->t->e->text);
        return NULL;
    }
    return s;
}

/* ---- values -------------------------------------------------------------- */

static void build_scalar(Random *r)
{
    static const uint8_t text[] = "0123456789abcdef and more, so that the "
                                  "string is not a short one any more ......";
    static const int64_t ints[] = {0, -1, 127, -129, 40000, INT32_MAX,
                                   (int64_t)INT32_MAX + 1, INT64_MIN};
    PqVariantValue v = {.kind = (PqVariantKind)below(r, PQ_VARIANT_OBJECT)};

    v.u.i = ints[below(r, PQ_COUNT(ints))];
    switch (v.kind) {
    case PQ_VARIANT_BOOL:
        v.u.b = below(r, 2);
        break;
    case PQ_VARIANT_FLOAT:
        v.u.f = (float)below(r, 100) / 8;
        break;
    case PQ_VARIANT_DOUBLE:
        v.u.d = (double)below(r, 100) / 7;
        break;
    case PQ_VARIANT_DECIMAL:
        v.scale = (uint8_t)(below(r, 3) ? 2 : below(r, 2) ? 0 : 5);
        v.u.decimal = below(r, 2) ? (PqPlace)v.u.i
                                  : (PqPlace)v.u.i * 1000000007;
        break;
    case PQ_VARIANT_DATE:
        v.u.i = (int32_t)below(r, 100000) - 5000;
        break;
    case PQ_VARIANT_TIME:
        v.unit = PQ_MICROS;
        v.u.i = below(r, 86400000);
        break;
    case PQ_VARIANT_TIMESTAMP:
        v.unit = below(r, 2) ? PQ_MICROS : PQ_NANOS;
        v.utc = below(r, 2);
        break;
    case PQ_VARIANT_BINARY:
    case PQ_VARIANT_STRING:
        v.bytes = pq_slice(text, below(r, sizeof text));
        break;
    case PQ_VARIANT_UUID:
        v.bytes = pq_slice(text + below(r, 9), 16);
        break;
    default:
        break;
    }
    pq_variant_build_value(r->build, &v);
}

static void build_value(Random *r, int depth)
{
    uint32_t what = depth > 0 ? below(r, 4) : 3, n = below(r, 5);

    if (what == 3) {
        build_scalar(r);
        return;
    }
    if (what == 2) {
        pq_variant_build_group(r->build, false);
    } else {
        pq_variant_build_group(r->build, true);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (what < 2) {
            uint32_t k = i * 2 + below(r, 2);

            pq_variant_build_name(r->build, pq_slice_text(
                names[k % PQ_COUNT(names)]));
            if (k >= PQ_COUNT(names)) {
                n = i + 1;           /* the names are used up */
            }
        }
        build_value(r, depth - 1);
    }
    pq_variant_build_end(r->build);
}

/* 7.00 becomes 7, and 1.50 becomes 1.5. */
static void make_short(PqVariantValue *v)
{
    v->width = 0;
    while (v->kind == PQ_VARIANT_DECIMAL && v->scale > 0 &&
           v->u.decimal % 10 == 0) {
        v->u.decimal /= 10;
        v->scale--;
    }
    if (v->kind == PQ_VARIANT_DECIMAL && v->scale == 0 &&
        v->u.decimal == (int64_t)v->u.decimal) {
        v->kind = PQ_VARIANT_INT;
        v->u.i = (int64_t)v->u.decimal;
    }
}

/* The value as bytes in which all numbers have their smallest width and scale. */
static void canonical(Random *r, const PqVariantMeta *m, PqSlice value)
{
    PqVariantItems items;
    PqSlice name = {NULL, 0}, item;
    PqVariantValue v;

    if (pq_variant_value_read(value, &v, r->t->e) != PQ_OK) {
        abort();
    }
    if (v.kind != PQ_VARIANT_OBJECT && v.kind != PQ_VARIANT_ARRAY) {
        make_short(&v);
        pq_variant_build_value(r->build, &v);
        return;
    }
    if (pq_variant_items_open(&v.bytes, &items, r->t->e) != PQ_OK) {
        abort();
    }
    if (items.is_object) {
        pq_variant_build_group(r->build, true);
    } else {
        pq_variant_build_group(r->build, false);
    }
    for (uint32_t i = 0; i < items.n; i++) {
        if (items.is_object) {
            pq_variant_items_name(m, &items, i, &name, r->t->e);
            pq_variant_build_name(r->build, name);
        }
        pq_variant_items_at(&items, i, &item, r->t->e);
        canonical(r, m, item);
    }
    pq_variant_build_end(r->build);
}

static void add_canonical(Random *r, PqSlice metadata, PqSlice value,
                          PqBuf *out)
{
    PqVariantMeta m;
    PqSlice a, b;

    pq_variant_build_begin(r->build);
    if (pq_variant_meta_open(metadata, &m, r->t->e) != PQ_OK) {
        abort();
    }
    canonical(r, &m, value);
    if (pq_variant_build_finish(r->build, &a, &b, r->t->e) != PQ_OK) {
        abort();
    }
    pq_buf_printf(out, "%zu ", b.n);
    pq_buf_add(out, a.p, a.n);
    pq_buf_add(out, b.p, b.n);
}

/* Adds a row to the cells, and what has to come back to want. */
static void add_row(Random *r, Shred *f, PqBuf *want)
{
    PqSlice metadata, value;
    PqBuf blob;

    if (!f->node->required && below(r, 8) == 0) {
        shred_row(f, NULL);
        pq_buf_text(want, "missing ");
        return;
    }
    pq_buf_init(&blob, r->t->mem, r->t->e);
    pq_variant_build_begin(r->build);
    build_value(r, 4);
    if (pq_variant_build_finish(r->build, &metadata, &value, r->t->e)) {
        abort();
    }
    pq_buf_add(&blob, metadata.p, metadata.n);
    pq_buf_add(&blob, value.p, value.n);
    add_canonical(r, pq_slice(blob.p, metadata.n),
                  pq_slice(blob.p + metadata.n, value.n), want);
    shred_blob(f, pq_slice(blob.p, blob.n));
    pq_buf_free(&blob);
}

/* ---- back again ---------------------------------------------------------- */

static void assemble(Random *r, Shred *f, PqBuf *got)
{
    const PqVector *const *vectors = shred_vectors(f);
    const PqVector *with_metadata[SHRED_LEAVES + 1];
    PqJsonRows *a = NULL;
    PqSlice metadata, value;
    bool missing;

    memcpy(with_metadata, vectors, f->node->n_leaves * sizeof *vectors);
    with_metadata[f->node->n_leaves] = vectors[0];
    if (pq_json_rows_new_part(r->t->mem, f->node, f->node, &a, r->t->e) ||
        pq_json_rows_begin(a, with_metadata, f->batch[0].n_rows, r->t->e)) {
        test_fail(r->t, __FILE__, __LINE__, "%s", r->t->e->text);
    }
    for (uint32_t i = 0; i < f->batch[0].n_rows && !r->t->failed; i++) {
        if (pq_variant_assemble_row(a, i, &metadata, &value, &missing,
                                    r->t->e) != PQ_OK) {
            test_fail(r->t, __FILE__, __LINE__, "%s", r->t->e->text);
        } else if (missing) {
            pq_buf_text(got, "missing ");
        } else {
            add_canonical(r, metadata, value, got);
        }
    }
    shred_vectors_free(f);
    pq_json_rows_free(a);
}

/* No value of the group is an object if typed_value is one. */
static bool is_object_group(const PqNode *value)
{
    const PqNode *up = value->parent;

    for (uint32_t i = 0; i < up->n_children; i++) {
        if (up->child[i]->kind == PQ_NODE_STRUCT &&
            strcmp(up->child[i]->name, "typed_value") == 0) {
            return true;
        }
    }
    return false;
}

/* In each batch that is the value of an object's group, an object stands only
** where typed_value is there. */
static void check_rules(Random *r, const Shred *f)
{
    for (uint32_t i = 1; i < f->node->n_leaves; i++) {
        const PqLeafBatch *b = &f->batch[i];
        const PqLeafBatch *typed = b + 1;
        uint32_t k = 0;

        if (strcmp(b->leaf->node->name, "value") != 0 ||
            !is_object_group(b->leaf->node)) {
            continue;
        }
        for (uint32_t e = 0, at = 0; e < b->n_entries; e++, at++) {
            bool has = pq_leaf_batch_has_levels(b)
                           ? b->def[e] == b->leaf->max_def
                           : pq_bit(b->valid, e);
            PqStr s = has ? ((const PqStr *)b->values)[k++]
                          : (PqStr){NULL, 0};
            bool object = has && pq_variant_is_object(pq_slice(s.p, s.n));

            while (at > 0 && typed->leaf->max_rep > b->leaf->max_rep &&
                   typed->rep[at] > b->leaf->max_rep) {
                at++;
            }
            if (has && object != (typed->def[at] >= b->leaf->max_def)) {
                test_fail(r->t, __FILE__, __LINE__, "%s: entry %u: %s",
                          b->leaf->path, e, object ? "an object in value"
                                                   : "both");
                return;
            }
        }
    }
}

static void check_one(Test *t, uint64_t seed)
{
    Random r = {.t = t, .state = seed * 7919 + 17};
    PqBuf want, got;
    PqSchema *schema;
    PqArena arena;
    Shred f;

    pq_arena_init(&arena, t->mem);
    pq_buf_init(&want, t->mem, t->e);
    pq_buf_init(&got, t->mem, t->e);
    CHECK_OK(pq_schema_make_new(t->mem, &r.make, t->e));
    CHECK_OK(pq_variant_build_new(t->mem, &r.build, t->e));
    schema = make_schema(&r, &arena);
    CHECK(schema && schema->n_leaves <= SHRED_LEAVES);
    shred_open(t, &f, schema, NULL);
    for (uint32_t i = 0; i < ROWS; i++) {
        add_row(&r, &f, &want);
    }
    CHECK_OK(shred_fill(&f));
    assemble(&r, &f, &got);
    check_rules(&r, &f);
    if (!t->failed) {
        test_bytes(t, __FILE__, __LINE__, "got", pq_slice(got.p, got.n),
                   pq_slice(want.p, want.n));
    }
    if (t->failed) {
        printf("     seed %llu\n", (unsigned long long)seed);
    }
    shred_close(&f);
    pq_schema_make_free(r.make);
    pq_variant_build_free(r.build);
    pq_buf_free(&want);
    pq_buf_free(&got);
    pq_arena_free(&arena);
}

TEST(variant_shred, random_variants_come_back_from_random_schemas)
{
    for (uint64_t seed = 0; seed < 400 && !t->failed; seed++) {
        check_one(t, seed);
    }
}
