/*
** avro_schema.c - the schema of an Avro file becomes a tree of types.
**
**   {"type":"record","name":"r","fields":[{"name":"status","type":"int","field-id":0}]}
**   ["null","long"]    "long"    {"type":"array","items":"int","element-id":136}
*/
#include "core/lake/avro.h"

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
    int64_t id, size;
} Members;

static PqRc members_of(Making *k, PqSlice text, Members *m, PqErr *e)
{
    const PqJsonMember members[] = {
        {"type", &m->type, NULL}, {"name", &m->name, NULL},
        {"fields", &m->fields, NULL}, {"items", &m->items, NULL},
        {"values", &m->values, NULL}, {"symbols", &m->symbols, NULL},
        {"field-id", NULL, &m->id}, {"size", NULL, &m->size}};

    *m = (Members){.id = -1, .size = -1};
    return pq_json_pick_of(text, k->arena, members, PQ_COUNT(members), e);
}

static PqRc make_type(Making *k, PqSlice type, PqAvroType **out, PqErr *e);

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

static PqRc take_field(Making *k, PqSlice text, PqAvroType *to, PqErr *e)
{
    PqAvroField f = {.id = -1};
    Members m;

    PQ_TRY(members_of(k, text, &m, e));
    PQ_TRY(make_type(k, m.type, &f.type, e));
    f.name = m.name;
    f.id = m.id >= 0 && m.id <= INT32_MAX ? (int32_t)m.id : -1;
    return add_field(k, to, f, e);
}

static PqRc take_branch(Making *k, PqSlice text, PqAvroType *to, PqErr *e)
{
    PqAvroField f = {.id = -1};

    PQ_TRY(make_type(k, text, &f.type, e));
    return f.type->kind != PQ_AVRO_UNION
               ? add_field(k, to, f, e)
               : pq_fail(e, PQ_CORRUPT, "the Avro schema has a union in a union");
}

/* The fields of a RECORD, the names of an ENUM, the branches of a UNION. */
static PqRc take_parts(Making *k, PqSlice list, PqAvroType *t, PqErr *e)
{
    PqJsonList l = pq_json_list(list, k->arena);

    if (!list.n) {
        return pq_fail(e, PQ_CORRUPT, "the Avro schema lacks a list");
    }
    while (pq_json_list_next(&l, e)) {
        t->n += t->kind == PQ_AVRO_ENUM;
        PQ_TRY(t->kind == PQ_AVRO_RECORD  ? take_field(k, l.element, t, e)
               : t->kind == PQ_AVRO_UNION ? take_branch(k, l.element, t, e) : PQ_OK);
    }
    return e->rc;
}

static PqRc make_named(Making *k, const Members *m, PqAvroType *t, PqErr *e)
{
    t->name = m->name;
    if (t->kind == PQ_AVRO_RECORD) {
        t->has_bytes = false;
        PQ_TRY(take_parts(k, m->fields, t, e));
    } else if (t->kind == PQ_AVRO_ENUM) {
        PQ_TRY(take_parts(k, m->symbols, t, e));
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

/* A name, or else JSON: an object, or a list of a union's types. */
static bool is_word(PqSlice type)
{
    return !type.n || (*type.p != '{' && *type.p != '[');
}

static PqRc make_object(Making *k, PqSlice text, PqAvroType **out, PqErr *e)
{
    static const struct { const char *word; PqAvroKind kind; } words[] = {
        {"record", PQ_AVRO_RECORD}, {"enum", PQ_AVRO_ENUM}, {"fixed", PQ_AVRO_FIXED},
        {"array", PQ_AVRO_ARRAY}, {"map", PQ_AVRO_MAP}};
    Members m;
    PqAvroField f = {.id = -1};
    size_t i = 0;

    PQ_TRY(members_of(k, text, &m, e));
    if (!is_word(m.type)) {
        return make_type(k, m.type, out, e);
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
    PQ_TRY(make_type(k, words[i].kind == PQ_AVRO_ARRAY ? m.items : m.values, &f.type, e));
    return add_field(k, *out, f, e);
}

static PqRc make_type(Making *k, PqSlice type, PqAvroType **out, PqErr *e)
{
    PqRc rc;

    if (is_word(type)) {
        return take_word(k, type, out, e);
    }
    if (k->depth == DEPTH) {
        return pq_fail(e, PQ_UNSUPPORTED, "the Avro schema is deeper than %d levels", DEPTH);
    }
    k->depth++;
    if (*type.p == '{') {
        rc = make_object(k, type, out, e);
    } else {
        rc = new_type(k, PQ_AVRO_UNION, out, e);
        rc = rc ? rc : take_parts(k, type, *out, e);
    }
    k->depth--;
    return rc;
}

PqRc pq_avro_schema(PqSlice json, PqArena *a, PqAvroType **out, PqErr *e)
{
    Making k = {.arena = a};

    PQ_TRY(make_object(&k, json, out, e));
    return (*out)->kind == PQ_AVRO_RECORD
               ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "the Avro file does not have records");
}
