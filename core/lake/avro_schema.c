/*
** avro_schema.c - the schema of an Avro file becomes a tree of types.
**
**   {"type":"record","name":"r","fields":[{"name":"status","type":"int","field-id":0}]}
**   ["null","long"]    "long"    {"type":"array","items":"int","element-id":136}
*/
#include "core/lake/avro_inside.h"

#include "core/lake/json_members.h"

enum { DEPTH = 64, WEIGHT_MOST = 100000 };

typedef struct Making {
    PqArena     *arena;
    PqAvroType **named;              /* that were defined                    */
    uint32_t     n_named, depth;
} Making;

/* The members of a type or of a field. */
typedef struct Members {
    PqSlice type, name, fields, items, values, symbols;
    bool    type_is_word;
    int64_t id, size;
} Members;

static PqRc take_member(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                        PqErr *e)
{
    Members *m = arg;
    const struct { const char *key; PqSlice *to; } texts[] = {
        {"type", &m->type}, {"name", &m->name}, {"fields", &m->fields},
        {"items", &m->items}, {"values", &m->values}, {"symbols", &m->symbols}};
    bool is_word = value->kind == PQ_JSON_STRING;

    if (pq_slice_is(key, "field-id")) {
        m->id = pq_json_int(value, &m->id) ? m->id : -1;
    } else if (pq_slice_is(key, "size")) {
        m->size = pq_json_int(value, &m->size) ? m->size : -1;
    }
    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        if (pq_slice_is(key, texts[i].key)) {
            PQ_TRY(pq_json_read_skip(r, value, texts[i].to, e));
            *texts[i].to = is_word && i < 2 ? value->text : *texts[i].to;
            m->type_is_word = i == 0 ? is_word : m->type_is_word;
        }
    }
    return PQ_OK;
}

static PqRc make_text(Making *k, PqSlice text, PqAvroType **out, PqErr *e);

static PqRc unknown(PqSlice what, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the Avro schema has the type %.*s, which it does not "
                   "define before", (int)(what.n < 100 ? what.n : 100), (const char *)what.p);
}

static PqRc new_type(Making *k, PqAvroKind kind, PqAvroType **out, PqErr *e)
{
    PQ_TRY(PQ_ARENA_NEW(k->arena, *out, 1, e));
    **out = (PqAvroType){.kind = kind, .weight = 1, .has_bytes = kind != PQ_AVRO_NULL};
    return PQ_OK;
}

/* Adds a field of that type. */
static PqRc add_field(Making *k, PqAvroType *to, PqAvroField f, PqErr *e)
{
    bool any = to->kind == PQ_AVRO_RECORD && f.type->has_bytes;

    PQ_TRY(PQ_ARENA_GROW(k->arena, to->field, to->n, e));
    to->field[to->n++] = f;
    to->weight += f.type->weight;
    to->has_bytes = to->has_bytes || any;
    return to->weight <= WEIGHT_MOST
               ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "the Avro schema is too large");
}

static PqRc take_word(Making *k, PqSlice word, PqAvroType **out, PqErr *e)
{
    static const char *const words[] = {"null", "boolean", "int", "long", "float", "double",
                                        "bytes", "string"};

    for (size_t i = 0; i < PQ_COUNT(words); i++) {
        if (pq_slice_is(word, words[i])) {
            return new_type(k, (PqAvroKind)i, out, e);
        }
    }
    for (uint32_t i = 0; i < k->n_named; i++) {
        if (pq_slice_equal(word, k->named[i]->name)) {
            *out = k->named[i];
            return PQ_OK;
        }
    }
    return unknown(word, e);
}

typedef struct Adding {
    Making     *making;
    PqAvroType *to;
} Adding;

static PqRc take_field(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                       PqErr *e)
{
    Adding *a = arg;
    PqAvroField f = {.id = -1};
    Members m = {.id = -1};
    PqSlice text;

    (void)key;
    PQ_TRY(pq_json_read_skip(r, value, &text, e));
    PQ_TRY(pq_json_object(text, a->making->arena, take_member, &m, e));
    PQ_TRY(m.type_is_word ? take_word(a->making, m.type, &f.type, e)
                          : make_text(a->making, m.type, &f.type, e));
    f.name = m.name;
    f.id = m.id >= 0 && m.id <= INT32_MAX ? (int32_t)m.id : -1;
    return add_field(a->making, a->to, f, e);
}

static PqRc take_branch(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                        PqErr *e)
{
    Adding *a = arg;
    PqAvroField f = {.id = -1};
    PqSlice text;

    (void)key;
    if (value->kind == PQ_JSON_STRING) {
        PQ_TRY(take_word(a->making, value->text, &f.type, e));
    } else {
        PQ_TRY(pq_json_read_skip(r, value, &text, e));
        PQ_TRY(make_text(a->making, text, &f.type, e));
    }
    return f.type->kind != PQ_AVRO_UNION
               ? add_field(a->making, a->to, f, e)
               : pq_fail(e, PQ_CORRUPT, "the Avro schema has a union in a union");
}

static PqRc count_symbol(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                         PqErr *e)
{
    PqAvroType *t = arg;

    (void)r, (void)key, (void)value, (void)e;
    t->n++;
    return PQ_OK;
}

/* The elements of a text that is an array. */
static PqRc each_of(Making *k, PqSlice text, PqJsonVisit visit, void *arg, PqErr *e)
{
    PqJsonRead r;
    PqJsonToken t;

    pq_json_read_begin(&r, text, k->arena);
    PQ_TRY(pq_json_read_next(&r, &t, e));
    return t.kind == PQ_JSON_ARRAY ? pq_json_elements(&r, visit, arg, e)
                                   : pq_fail(e, PQ_CORRUPT, "the Avro schema lacks a list");
}

static PqRc make_named(Making *k, const Members *m, PqAvroType *t, PqErr *e)
{
    Adding a = {k, t};

    t->name = m->name;
    if (t->kind == PQ_AVRO_RECORD) {
        t->has_bytes = false;
        PQ_TRY(each_of(k, m->fields, take_field, &a, e));
    } else if (t->kind == PQ_AVRO_ENUM) {
        PQ_TRY(each_of(k, m->symbols, count_symbol, t, e));
    } else if (m->size < 0 || m->size > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "the Avro schema has a fixed without a size");
    } else {
        t->size = (uint32_t)m->size;
        t->has_bytes = t->size > 0;
    }
    PQ_TRY(PQ_ARENA_GROW(k->arena, k->named, k->n_named, e));
    k->named[k->n_named++] = t;
    return PQ_OK;
}

static PqRc make_object(Making *k, PqSlice text, PqAvroType **out, PqErr *e)
{
    static const struct { const char *word; PqAvroKind kind; } words[] = {
        {"record", PQ_AVRO_RECORD}, {"enum", PQ_AVRO_ENUM}, {"fixed", PQ_AVRO_FIXED},
        {"array", PQ_AVRO_ARRAY}, {"map", PQ_AVRO_MAP}};
    Members m = {.id = -1, .size = -1};
    PqAvroField f = {.id = -1};
    size_t i = 0;

    PQ_TRY(pq_json_object(text, k->arena, take_member, &m, e));
    if (!m.type_is_word) {
        return make_text(k, m.type, out, e);
    }
    while (i < PQ_COUNT(words) && !pq_slice_is(m.type, words[i].word)) {
        i++;
    }
    if (i == PQ_COUNT(words)) {
        return take_word(k, m.type, out, e);
    }
    PQ_TRY(new_type(k, words[i].kind, out, e));
    if (i < 3) {
        return make_named(k, &m, *out, e);
    }
    PQ_TRY(make_text(k, words[i].kind == PQ_AVRO_ARRAY ? m.items : m.values, &f.type, e));
    return add_field(k, *out, f, e);
}

/* text: a type as JSON. */
static PqRc make_text(Making *k, PqSlice text, PqAvroType **out, PqErr *e)
{
    PqJsonRead r;
    PqJsonToken t;
    PqRc rc;

    if (k->depth == DEPTH) {
        return pq_fail(e, PQ_UNSUPPORTED, "the Avro schema is deeper than %d levels", DEPTH);
    }
    pq_json_read_begin(&r, text, k->arena);
    PQ_TRY(pq_json_read_next(&r, &t, e));
    k->depth++;
    if (t.kind == PQ_JSON_STRING) {
        rc = take_word(k, t.text, out, e);
    } else if (t.kind == PQ_JSON_ARRAY) {
        rc = new_type(k, PQ_AVRO_UNION, out, e);
        rc = rc ? rc : pq_json_elements(&r, take_branch, &(Adding){k, *out}, e);
    } else if (t.kind == PQ_JSON_OBJECT) {
        rc = make_object(k, text, out, e);
    } else {
        rc = pq_fail(e, PQ_CORRUPT, "the Avro schema lacks a type");
    }
    k->depth--;
    return rc;
}

PqRc pq_avro_schema(PqSlice json, PqArena *a, PqAvroType **out, PqErr *e)
{
    Making k = {.arena = a};

    PQ_TRY(make_text(&k, json, out, e));
    return (*out)->kind == PQ_AVRO_RECORD
               ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "the Avro file does not have records");
}
