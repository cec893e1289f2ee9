/*
** rows_fixture.c - see rows_fixture.h.
*/
#include "test/unit/rows_fixture.h"

#include <stdlib.h>

static void say_logical(PqSchemaElement *to, const Element *el)
{
    PqLogicalType *l = &to->logical_type;

    to->has |= 1u << PQ_SCHEMA_LOGICAL;
    l->has = 1u << el->logical;
    l->decimal = (PqDecimalType){.has = 6, .scale = el->a,
                                 .precision = el->b};
    l->integer = (PqIntType){.has = 6, .bit_width = (int8_t)el->a,
                             .is_signed = el->b != 0};
    l->time = (PqTimeType){.has = 6, .is_adjusted_to_utc = el->b != 0};
    l->time.unit.has = 1u << (el->a & 7);
    l->timestamp = l->time;
    l->variant = (PqVariantType){.has = 2, .specification_version = 1};
}

static PqSchemaElement element_of(const Element *el)
{
    PqSchemaElement to = {0};

    to.has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_REPETITION;
    to.name = pq_slice_text(el->name);
    to.repetition_type = el->repetition == 'r'   ? PQ_REQUIRED
                         : el->repetition == 'o' ? PQ_OPTIONAL
                                                 : PQ_REPEATED;
    if (el->kids) {
        to.has |= 1u << PQ_SCHEMA_NUM_CHILDREN;
        to.num_children = el->kids;
    } else if (el->type >= 0) {
        to.has |= 1u << PQ_SCHEMA_TYPE;
        to.type = el->type;
    }
    if (el->length) {
        to.has |= 1u << PQ_SCHEMA_TYPE_LENGTH;
        to.type_length = el->length;
    }
    if (el->logical) {
        say_logical(&to, el);
    }
    return to;
}

void rows_open(Test *t, Rows *f, const Element *el, size_t n, bool entries)
{
    static PqSchemaElement v[64];
    PqSchemaElementList list = {v, (uint32_t)n};
    PqJsonOptions options = {.map_entries = entries};

    *f = (Rows){.t = t};
    pq_arena_init(&f->arena, t->mem);
    f->leaf = calloc(ROWS_LEAVES, sizeof *f->leaf);
    if (!f->leaf || n > PQ_COUNT(v)) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        v[i] = element_of(&el[i]);
    }
    if (pq_schema_build(&list, &f->arena, &f->schema, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
        return;
    }
    pq_json_rows_new(t->mem, f->schema.root->child[0], &options, &f->plan,
                     t->e);
}

static void clear_leaf(RowsLeaf *l)
{
    free(l->rep);
    free(l->def);
    memset(l, 0, sizeof *l);
}

void rows_close(Rows *f)
{
    for (int i = 0; i < ROWS_LEAVES; i++) {
        clear_leaf(&f->leaf[i]);
    }
    pq_json_rows_free(f->plan);
    pq_arena_free(&f->arena);
    free(f->leaf);
    f->leaf = NULL;
    f->plan = NULL;
}

static RowsLeaf *begin_leaf(Rows *f, uint32_t leaf, const char *rep,
                            const char *def)
{
    RowsLeaf *l = &f->leaf[leaf];
    const PqLeaf *of = &f->schema.leaves[leaf];
    const char *levels = rep ? rep : def;
    PqVector *v = &l->vector;
    uint32_t i;

    clear_leaf(l);
    v->leaf = of;
    v->values = &l->values;
    v->n_slots = levels ? (uint32_t)strlen(levels) : 0;
    if (v->n_slots > ROWS_SLOTS || (rep && def && strlen(def) != v->n_slots) ||
        !rep != !of->max_rep || !def != !of->max_def) {
        test_fail(f->t, __FILE__, __LINE__, "levels of leaf %u", leaf);
        abort();
    }
    l->rep = calloc(v->n_slots, sizeof *l->rep);
    l->def = calloc(v->n_slots, sizeof *l->def);
    if (!l->rep || !l->def) {
        abort();
    }
    for (i = 0; i < v->n_slots; i++) {
        l->rep[i] = rep ? (uint16_t)(rep[i] - '0') : 0;
        l->def[i] = def ? (uint16_t)(def[i] - '0') : 0;
        if (l->def[i] == of->max_def) {
            l->valid[i / 64] |= UINT64_C(1) << i % 64;
        }
    }
    v->rep = rep ? l->rep : NULL;
    v->def = def ? l->def : NULL;
    v->valid = def ? l->valid : NULL;
    return l;
}

/* For each slot that has a value: the k-th, counted from 1. */
#define EACH_VALUE(l, slot, k)                                       \
    for (uint32_t slot = 0, k = 0; slot < (l)->vector.n_slots; slot++) \
        if (pq_vector_is_valid(&(l)->vector, slot) && ++k)

void rows_ints(Rows *f, uint32_t leaf, const char *rep, const char *def,
               const int64_t *values)
{
    RowsLeaf *l = begin_leaf(f, leaf, rep, def);
    PqPhysical type = l->vector.leaf->type.physical;

    EACH_VALUE(l, s, k) {
        int64_t v = values[k - 1];
        if (type == PQ_BOOLEAN) {
            l->values.u8[s] = (uint8_t)v;
        } else if (type == PQ_INT32) {
            l->values.i32[s] = (int32_t)v;
        } else {
            l->values.i64[s] = v;
        }
    }
}

void rows_doubles(Rows *f, uint32_t leaf, const char *rep, const char *def,
                  const double *values)
{
    RowsLeaf *l = begin_leaf(f, leaf, rep, def);

    EACH_VALUE(l, s, k) {
        if (l->vector.leaf->type.physical == PQ_FLOAT) {
            l->values.f32[s] = (float)values[k - 1];
        } else {
            l->values.f64[s] = values[k - 1];
        }
    }
}

void rows_texts(Rows *f, uint32_t leaf, const char *rep, const char *def,
                const char *const *values)
{
    RowsLeaf *l = begin_leaf(f, leaf, rep, def);

    EACH_VALUE(l, s, k) {
        PqSlice text = pq_slice_text(values[k - 1]);
        l->values.str[s] = (PqStr){text.p, (uint32_t)text.n};
    }
}

void rows_bytes(Rows *f, uint32_t leaf, const char *rep, const char *def,
                const PqSlice *values)
{
    RowsLeaf *l = begin_leaf(f, leaf, rep, def);

    EACH_VALUE(l, s, k) {
        if (l->vector.leaf->type.physical == PQ_INT96) {
            memcpy(l->values.u8 + 12 * s, values[k - 1].p, 12);
        } else {
            l->values.str[s] =
                (PqStr){values[k - 1].p, (uint32_t)values[k - 1].n};
        }
    }
}

void rows_make_dictionary(Rows *f, uint32_t leaf, uint64_t serial)
{
    RowsLeaf *l = &f->leaf[leaf];

    l->dict = (PqDict){.type = l->vector.leaf->type.physical,
                       .n = l->vector.n_slots,
                       .values = &l->values,
                       .serial = serial};
    for (uint32_t s = 0; s < l->vector.n_slots; s++) {
        l->ids[s] = pq_vector_is_valid(&l->vector, s) ? s : 0;
    }
    l->vector.values = NULL;
    l->vector.dict = &l->dict;
    l->vector.ids = l->ids;
}

PqRc rows_begin(Rows *f, uint32_t n_rows)
{
    const PqNode *column = f->schema.root->child[0];
    const PqVector *v[ROWS_LEAVES];

    for (uint32_t i = 0; i < column->n_leaves; i++) {
        f->leaf[i].vector.n_rows = n_rows;
        v[i] = &f->leaf[column->first_leaf + i].vector;
    }
    return pq_json_rows_begin(f->plan, v, n_rows, f->t->e);
}

void rows_check(Test *t, Rows *f, uint32_t n_rows, const char *const *want)
{
    const PqStr *texts = NULL;
    uint32_t n = 0, i;

    if (t->failed) {
        return;
    }
    if (!f->plan || rows_begin(f, n_rows) != PQ_OK ||
        pq_json_rows_write(f->plan, 0, n_rows, SIZE_MAX, &n, &texts, t->e)) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
        return;
    }
    for (i = 0; i < n && !t->failed; i++) {
        const char *got = (const char *)texts[i].p;
        if (!got != !want[i] || (got && strcmp(got, want[i]) != 0)) {
            test_fail(t, __FILE__, __LINE__, "row %u is %s, not %s", i,
                      got ? got : "NULL", want[i] ? want[i] : "NULL");
        } else if (got && strlen(got) != texts[i].n) {
            test_fail(t, __FILE__, __LINE__, "row %u: length %u", i,
                      texts[i].n);
        }
    }
    if (n != n_rows) {
        test_fail(t, __FILE__, __LINE__, "%u rows of %u", n, n_rows);
    }
}

void rows_check_fails(Test *t, Rows *f, uint32_t n_rows, PqRc rc,
                      const char *why)
{
    const PqStr *texts = NULL;
    uint32_t n = 0;

    if (t->failed) {
        return;
    }
    if (rows_begin(f, n_rows) == PQ_OK) {
        pq_json_rows_write(f->plan, 0, n_rows, SIZE_MAX, &n, &texts, t->e);
    }
    if (t->e->rc != rc || !strstr(t->e->text, why)) {
        test_fail(t, __FILE__, __LINE__, "rc %d, \"%s\"", (int)t->e->rc,
                  t->e->text);
    }
    pq_err_clear(t->e);
}
