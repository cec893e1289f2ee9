/*
** lake_schema.c - makes the schema of a table from that of its log, Iceberg's too.
**
** The members of a field come in any order, so the texts of all are found before
** its type is read.  Types nest, and so does the reading: no deeper than DEPTH.
*/
#include "core/lake/lake_schema.h"

#include "core/base/ascii.h"
#include "core/lake/json_members.h"
#include "core/lake/lake_types.h"
#include "core/lake/snapshot.h"
#include "core/text/parse.h"

enum { DEPTH = 100 };

typedef struct Making {
    PqSchemaMake  *make;
    PqArena       *arena;
    PqLakeMapping mapping;
    PqLakeWords   words;
    struct Noted {
        PqLakeField field;
        PqSlice     first;           /* its first value; of a string, its text */
    } *noted;                        /* in the order in which they are made  */
    uint32_t       n_noted, depth;
    bool           lineage;          /* no column has a name of it           */
} Making;

static const char row_id[] = "_row_id", sequence[] = "_last_updated_sequence_number";

/* The members of a type or of a field, as they are written.  A type is a word or an object. */
typedef struct Members {
    PqSlice type, name, fields, element, key, value, first;
    PqSlice physical;                /* its name in files                    */
    PqSlice said, said_of_value;     /* true or false: nullable, or required */
    bool    is_required, has_required;           /* has: its elements or values are  */
    int64_t id;                      /* -1: none                             */
} Members;

static PqRc members_of(Making *k, PqSlice text, Members *m, PqErr *e)
{
    bool iceberg = k->mapping == PQ_LAKE_ICEBERG;
    const char *word = iceberg ? "true" : "false";
    const PqJsonMember members[] = {
        {"type", &m->type, NULL}, {"name", &m->name, NULL}, {"fields", &m->fields, NULL},
        {"initial-default", iceberg ? &m->first : NULL, NULL},
        {"metadata/delta.columnMapping.physicalName", &m->physical, NULL},
        {iceberg ? "id" : "metadata/delta.columnMapping.id", NULL,
         k->mapping == PQ_LAKE_BY_NAME ? NULL : &m->id},
        {iceberg ? "element" : "elementType", &m->element, NULL},
        {iceberg ? "key" : "keyType", &m->key, NULL},
        {iceberg ? "value" : "valueType", &m->value, NULL},
        {iceberg ? "required" : "nullable", &m->said, NULL},
        {iceberg ? "element-required" : "containsNull", &m->said_of_value, NULL},
        {iceberg ? "value-required" : "valueContainsNull", &m->said_of_value, NULL}};

    *m = (Members){.id = -1};
    PQ_TRY(pq_json_pick_of(text, k->arena, members, PQ_COUNT(members), e));
    m->physical = iceberg ? m->name : m->physical;
    m->is_required = pq_slice_is(m->said, word);
    m->has_required = pq_slice_is(m->said_of_value, word);
    return PQ_OK;
}

/* ---- how data files name a field ------------------------------------------------------- */

/* Notes how files name a field.  *id is its field_id. */
static PqRc note_field(Making *k, const Members *m, int32_t *id, PqErr *e)
{
    PqLakeField f = {.physical = m->physical,
                     .id = m->id >= 0 && m->id <= INT32_MAX ? (int32_t)m->id : -1};

    *id = f.id;
    if (k->mapping == PQ_LAKE_BY_NAME) {
        return PQ_OK;
    }
    if (!f.physical.n || (k->mapping >= PQ_LAKE_BY_ID && f.id < 0)) {
        return pq_fail(e, PQ_CORRUPT, "column %.*s has no name or id that its files use, "
                       "but columns are mapped", (int)m->name.n, (const char *)m->name.p);
    }
    PQ_TRY(PQ_ARENA_GROW(k->arena, k->noted, k->n_noted, e));
    k->noted[k->n_noted++] = (struct Noted){f, m->first};
    return PQ_OK;
}

/* Bytes are hexadecimal. */
static PqRc take_bytes(Making *k, PqCell *cell, PqErr *e)
{
    uint8_t *bytes = pq_arena_bytes(k->arena, cell->n / 2 + 1, e);

    PQ_TRY(bytes ? PQ_OK : e->rc);
    if (pq_hex_parse(pq_slice(cell->p, cell->n), bytes) == PQ_PARSE_OK) {
        *cell = pq_cell_bytes(PQ_CELL_BLOB, pq_slice(bytes, cell->n / 2));
    }
    return PQ_OK;
}

/* A struct with a first value, {}, is there. */
static PqRc take_first(Making *k, const PqFooter *schema, const PqNode *node, PqSlice json,
                       PqLakeField *field, PqErr *e)
{
    static const PqSlice there = {0};
    PqCell cell;

    if (!json.p) {
        return PQ_OK;
    }
    if (node->kind == PQ_NODE_STRUCT && json.n && *json.p == '{') {
        field->first = &there;
        return PQ_OK;
    }
    cell = pq_cell_bytes(PQ_CELL_TEXT, json);
    if (node->kind == PQ_NODE_LEAF && node->type.logical == PQ_TYPE_NONE &&
        (node->type.physical == PQ_BYTE_ARRAY || node->type.physical == PQ_FIXED)) {
        PQ_TRY(take_bytes(k, &cell, e));
    }
    return pq_lake_first_value(k->arena, schema, node, &cell, field, e);
}

/* Puts the fields of the struct node where their elements are, in the same order as they
** were made. */
static PqRc place_fields(Making *k, const PqFooter *schema, const PqNode *node,
                         PqLakeNames *names, PqErr *e)
{
    for (uint32_t i = 0; i < node->n_children; i++) {
        const PqNode *child = node->child[i];

        if (node->kind == PQ_NODE_STRUCT) {
            const struct Noted *n = &k->noted[names->n++];

            names->fields[child->element] = n->field;
            PQ_TRY(take_first(k, schema, child, n->first, &names->fields[child->element], e));
        }
        if (child->kind != PQ_NODE_VARIANT) {
            PQ_TRY(place_fields(k, schema, child, names, e));
        }
    }
    return PQ_OK;
}

/* ---- types ----------------------------------------------------------------------------- */

static PqRc make_type(Making *k, PqSlice type, const char *name, bool required, int32_t id,
                      PqErr *e);

static PqRc make_field(Making *k, PqSlice text, PqErr *e)
{
    const char *name;
    int32_t id;
    Members m;

    PQ_TRY(members_of(k, text, &m, e));
    PQ_TRY(note_field(k, &m, &id, e));
    name = pq_arena_text(k->arena, m.name.p, m.name.n, e);
    PQ_TRY(name ? PQ_OK : e->rc);
    k->lineage = k->lineage && (k->depth > 0 || (!pq_ascii_same(name, row_id) &&
                                                 !pq_ascii_same(name, sequence)));
    return make_type(k, m.type, name, m.is_required, id, e);
}

static PqRc make_fields(Making *k, PqSlice fields, PqErr *e)
{
    PqJsonList l = pq_json_list(fields, k->arena);

    while (pq_json_list_next(&l, e)) {
        PQ_TRY(make_field(k, l.element, e));
    }
    return e->rc || fields.n ? e->rc
                             : pq_fail(e, PQ_CORRUPT, "the schema has a struct without fields");
}

static PqRc make_object(Making *k, PqSlice type, const char *name, bool required, int32_t id,
                        PqErr *e)
{
    const char *list_word = k->mapping == PQ_LAKE_ICEBERG ? "list" : "array";
    bool list, map;
    Members m;

    PQ_TRY(members_of(k, type, &m, e));
    list = pq_slice_is(m.type, list_word);
    map = pq_slice_is(m.type, "map");
    if (!list && !map && !pq_slice_is(m.type, "struct")) {
        return pq_lake_type_unknown(type, e);
    }
    pq_schema_make_group(k->make, list ? PQ_NODE_LIST : map ? PQ_NODE_MAP : PQ_NODE_STRUCT,
                         name, required, id);
    if (list) {
        PQ_TRY(make_type(k, m.element, NULL, m.has_required, -1, e));
    } else if (map) {
        PQ_TRY(make_type(k, m.key, NULL, true, -1, e));
        PQ_TRY(make_type(k, m.value, NULL, m.has_required, -1, e));
    } else {
        PQ_TRY(make_fields(k, m.fields, e));
    }
    pq_schema_make_close(k->make);
    return PQ_OK;
}

static PqRc make_type(Making *k, PqSlice type, const char *name, bool required, int32_t id,
                      PqErr *e)
{
    PqRc rc;

    if (!type.n || *type.p != '{') {
        return pq_lake_make_leaf(k->make, k->words, type, name, required, id, e);
    }
    if (k->depth == DEPTH) {
        return pq_fail(e, PQ_UNSUPPORTED, "the schema is deeper than %d levels", DEPTH);
    }
    k->depth++;
    rc = make_object(k, type, name, required, id, e);
    k->depth--;
    return rc;
}

static PqRc make_lineage(Making *k, PqErr *e)
{
    const Members m[] = {
        {.physical = pq_slice_text(row_id), .id = PQ_LAKE_ROW_ID},
        {.physical = pq_slice_text(sequence), .id = PQ_LAKE_SEQUENCE}};
    int32_t id;

    for (size_t i = 0; k->lineage && i < PQ_COUNT(m); i++) {
        PQ_TRY(note_field(k, &m[i], &id, e));
        PQ_TRY(pq_lake_make_leaf(k->make, k->words, pq_slice_text("long"),
                                 (const char *)m[i].physical.p, false, id, e));
    }
    return PQ_OK;
}

PqRc pq_lake_schema(PqSlice json, PqLakeMapping mapping, bool lineage, PqArena *a, PqMem *mem,
                     PqFooter **out, PqLakeNames *names, PqErr *e)
{
    Making k = {.arena = a, .mapping = mapping, .lineage = lineage,
                .words = mapping == PQ_LAKE_ICEBERG ? PQ_LAKE_ICEBERG_WORDS : PQ_LAKE_DELTA_WORDS};
    Members m;
    PqRc rc;

    *out = NULL;
    *names = (PqLakeNames){.by_id = mapping >= PQ_LAKE_BY_ID,
                            .needs_ids = mapping == PQ_LAKE_ICEBERG};
    PQ_TRY(pq_schema_make_new(mem, &k.make, e));
    PQ_GO(members_of(&k, json, &m, e));
    PQ_GO(make_fields(&k, m.fields, e));
    PQ_GO(k.n_noted ? make_lineage(&k, e) : PQ_OK);
    PQ_GO(pq_footer_of_schema(k.make, mem, out, e));
    if (k.n_noted) {
        PQ_GO(PQ_ARENA_NEW(a, names->fields, (*out)->schema.n_elements, e));
        PQ_GO(place_fields(&k, *out, (*out)->schema.root, names, e));
    }
done:
    pq_schema_make_free(k.make);
    return rc;
}

/* ---- what it asks of writers --------------------------------------------------------------- */

PQ_COLD PqRc pq_lake_cannot_write(const char *what, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "the table has %.200s, which this writer does not know, so "
                   "nothing is written into it", what);
}

PqRc pq_lake_check_asks(PqSlice schema, PqArena *a, const PqLakeAsk *v, size_t n, PqErr *e)
{
    PqJsonRead r;
    PqJsonToken t;

    pq_json_read_begin(&r, schema, a);
    do {
        PQ_TRY(pq_json_read_next(&r, &t, e));
        for (size_t i = 0; t.kind == PQ_JSON_KEY && i < n; i++) {
            if (pq_slice_is(t.text, v[i].key)) {
                return pq_lake_cannot_write(v[i].what, e);
            }
        }
    } while (r.depth);
    return PQ_OK;
}
