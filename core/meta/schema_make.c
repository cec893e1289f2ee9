/*
** schema_make.c - builds a list of schema elements, with a stack of open
** groups.
**
**   id  tags  list  element          elements, depth first
**       2     1                      children, counted as they come
**   open:  root, tags -> list        children go to the group on the right
**
** A LIST or MAP is two elements but one step for the caller.  Its children are
** counted in the inner, repeated group, which is the only child of the outer
** group.
**
** What is written must be what readers understand: a type is refused if reading
** its element would not give the same type again.
*/
#include "core/meta/schema_make.h"

#include "core/numbering/text_numbers.h"
#include "core/text/utf8.h"

#define HAS(field) (1u << (field))

enum { VARIANT_VERSION = 1 };

typedef struct Open {
    PqNodeKind kind;
    uint32_t   outer, inner;         /* elements; the same for a STRUCT */
} Open;

struct PqSchemaMake {
    PqMem           *mem;
    PqErr            err;            /* the first failure               */
    PqArena          texts;
    PqSchemaElement *el;
    uint32_t         n, room;
    uint32_t         depth;          /* 0: not even the root            */
    Open             open[PQ_SCHEMA_MAX_DEPTH + 1];
};

PqRc pq_schema_make_new(PqMem *mem, PqSchemaMake **out, PqErr *e)
{
    PqSchemaMake *m;

    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    m = *out;
    m->mem = mem;
    pq_err_init(&m->err);
    pq_arena_init(&m->texts, mem);
    return PQ_OK;
}

void pq_schema_make_free(PqSchemaMake *m)
{
    if (m) {
        pq_arena_free(&m->texts);
        pq_mem_free(m->el);
        pq_mem_free(m);
    }
}

/* ---- elements ----------------------------------------------------------- */

/* Appends an element without a repetition; NULL: m has failed. */
static PqSchemaElement *append(PqSchemaMake *m, const char *name)
{
    PqSchemaElement *el;
    size_t n = strlen(name);

    if (m->err.rc ||
        PQ_GROW(m->mem, m->el, m->n, m->room, &m->err) != PQ_OK) {
        return NULL;
    }
    if (!pq_utf8_valid(pq_slice(name, n))) {     /* readers fail on it */
        pq_fail(&m->err, PQ_USAGE, "the name \"%s\" is not UTF-8", name);
        return NULL;
    }
    el = &m->el[m->n];
    *el = (PqSchemaElement){.has = HAS(PQ_SCHEMA_NAME)};
    el->name = pq_slice(pq_arena_text(&m->texts, name, n, &m->err), n);
    if (!el->name.p) {
        return NULL;
    }
    m->n++;
    return el;
}

/* Opens the group that was appended last. */
static void open_group(PqSchemaMake *m, PqNodeKind kind)
{
    PqSchemaElement *el = &m->el[m->n - 1];

    el->has |= HAS(PQ_SCHEMA_NUM_CHILDREN);
    if (m->depth > PQ_SCHEMA_MAX_DEPTH) {
        pq_fail(&m->err, PQ_USAGE, "schema nested deeper than %d levels",
                PQ_SCHEMA_MAX_DEPTH);
        return;
    }
    m->open[m->depth++] = (Open){kind, m->n - 1, m->n - 1};
}

static const char *default_name(const Open *up, int32_t child)
{
    return up->kind == PQ_NODE_LIST  ? "element"
           : up->kind != PQ_NODE_MAP ? ""
           : child == 0              ? "key"
                                     : "value";
}

/* Adds a child to the current group. */
static PqSchemaElement *add(PqSchemaMake *m, const char *name, bool required,
                            int32_t field_id)
{
    PqSchemaElement *el;
    int32_t child;
    Open *up;

    if (m->depth == 0 && append(m, "schema")) {
        open_group(m, PQ_NODE_STRUCT);
    }
    if (m->err.rc) {
        return NULL;
    }
    up = &m->open[m->depth - 1];
    child = m->el[up->inner].num_children++;
    el = append(m, name ? name : default_name(up, child));
    if (!el) {
        return NULL;
    }
    if (up->kind == PQ_NODE_MAP && child == 0) {
        required = true;
    }
    el->has |= HAS(PQ_SCHEMA_REPETITION);
    el->repetition_type = required ? PQ_REQUIRED : PQ_OPTIONAL;
    if (field_id >= 0) {
        el->has |= HAS(PQ_SCHEMA_FIELD_ID);
        el->field_id = field_id;
    }
    return el;
}

static PQ_COLD void refuse(PqSchemaMake *m, const char *name,
                           const PqType *type)
{
    PqType bare = {.physical = type->physical,
                   .fixed_length = type->fixed_length};
    PqErr none;
    PqBuf text;
    size_t n;

    pq_err_init(&none);              /* a text cut short is good enough */
    pq_buf_init(&text, m->mem, &none);
    pq_type_text(type, &text);
    n = text.n;
    pq_type_text(&bare, &text);
    pq_fail(&m->err, PQ_USAGE, "%s: %.*s is not stored as %.*s", name, (int)n,
            (const char *)text.p, (int)(text.n - n),
            text.p ? (const char *)text.p + n : "");
    pq_buf_free(&text);
}

void pq_schema_make_leaf(PqSchemaMake *m, const char *name, const PqType *type,
                         bool required, int32_t field_id)
{
    PqSchemaElement *el = add(m, name, required, field_id);
    PqType t = *type, is;
    bool sane = type->physical < PQ_PHYSICAL_COUNT &&
                type->logical < PQ_TYPE_COUNT && type->unit <= PQ_NANOS &&
                type->fixed_length <= INT32_MAX;

    if (!el) {
        return;
    }
    t.crs = t.crs && *t.crs ? t.crs : NULL;
    if (sane && t.crs) {
        t.crs = pq_arena_text(&m->texts, t.crs, strlen(t.crs), &m->err);
        if (!t.crs) {
            return;
        }
    }
    if (!sane) {
        pq_fail(&m->err, PQ_USAGE, "%s: a type that does not exist",
                (const char *)el->name.p);
        return;
    }
    pq_type_annotate(&t, el);
    is = pq_type_of_element(el, &m->texts, &m->err);
    if (!m->err.rc && !(pq_type_equal(&is, &t) && pq_type_may_be_written(&t))) {
        refuse(m, (const char *)el->name.p, type);
    }
}

/* The repeated group between a LIST or MAP, which was just opened, and its
** children. */
static void add_layer(PqSchemaMake *m, PqNodeKind kind)
{
    PqSchemaElement *el = append(m, kind == PQ_NODE_LIST ? "list" : "key_value");

    if (el) {
        el->has |= HAS(PQ_SCHEMA_REPETITION) | HAS(PQ_SCHEMA_NUM_CHILDREN);
        el->repetition_type = PQ_REPEATED;
        m->open[m->depth - 1].inner = m->n - 1;
    }
}

void pq_schema_make_group(PqSchemaMake *m, PqNodeKind kind, const char *name,
                          bool required, int32_t field_id)
{
    PqSchemaElement *el = add(m, name, required, field_id);

    if (!el) {
        return;
    }
    open_group(m, kind == PQ_NODE_VARIANT ? PQ_NODE_STRUCT : kind);
    if (kind == PQ_NODE_VARIANT) {
        el->has |= HAS(PQ_SCHEMA_LOGICAL);
        el->logical_type.has = HAS(PQ_LOGICAL_VARIANT);
        el->logical_type.variant = (PqVariantType){
            HAS(PQ_VARIANT_TYPE_VERSION), VARIANT_VERSION};
    } else if (kind != PQ_NODE_STRUCT) {
        bool list = kind == PQ_NODE_LIST;

        el->has |= HAS(PQ_SCHEMA_LOGICAL) | HAS(PQ_SCHEMA_CONVERTED);
        el->logical_type.has = HAS(list ? PQ_LOGICAL_LIST : PQ_LOGICAL_MAP);
        el->converted_type = list ? PQ_CONVERTED_LIST : PQ_CONVERTED_MAP;
        el->num_children = 1;
        add_layer(m, kind);
    }
}

void pq_schema_make_file(PqSchemaMake *m)
{
    if (!m->err.rc) {
        PqSchemaElement *el = &m->el[m->open[m->depth - 1].outer];

        el->has |= HAS(PQ_SCHEMA_LOGICAL);
        el->logical_type.has = HAS(PQ_LOGICAL_FILE);
    }
}

/* ---- the end of groups -------------------------------------------------- */

/* The first element after el and everything below it. */
static uint32_t next_sibling(const PqSchemaMake *m, uint32_t el)
{
    int64_t left = 1;

    for (; left > 0; el++) {
        left += m->el[el].num_children - 1;
    }
    return el;
}

/* Values of a struct come as JSON, so its names must be unique. */
static void check_names(PqSchemaMake *m, const Open *group)
{
    uint32_t n = (uint32_t)m->el[group->inner].num_children, number;
    uint32_t el = group->inner + 1;
    PqTextNumbers names;

    pq_text_numbers_init(&names, m->mem, (uint64_t)(uintptr_t)m, NULL);
    for (uint32_t i = 0; i < n && !m->err.rc; i++, el = next_sibling(m, el)) {
        PqSlice name = m->el[el].name;
        PqStr text = {name.p, (uint32_t)name.n};

        if (pq_text_numbers_find(&names, &text, 1, &number, &m->err) == PQ_OK &&
            number < i) {
            pq_fail(&m->err, PQ_USAGE, "%s: a second field of the name %s",
                    (const char *)m->el[group->outer].name.p,
                    (const char *)name.p);
        }
    }
    pq_text_numbers_free(&names);
}

static void check_children(PqSchemaMake *m, const Open *group)
{
    const char *name = (const char *)m->el[group->outer].name.p;
    int32_t n = m->el[group->inner].num_children;

    if (group->kind == PQ_NODE_STRUCT && n > 1) {
        check_names(m, group);
    } else if (n == 0) {
        pq_fail(&m->err, PQ_USAGE, "%s: a group without fields", name);
    } else if (group->kind == PQ_NODE_LIST && n != 1) {
        pq_fail(&m->err, PQ_USAGE, "%s: a list of %d kinds of elements", name,
                (int)n);
    } else if (group->kind == PQ_NODE_MAP && n > 2) {
        pq_fail(&m->err, PQ_USAGE, "%s: a map of %d fields, not of a key and "
                "a value", name, (int)n);
    }
}

void pq_schema_make_close(PqSchemaMake *m)
{
    if (m->err.rc) {
        return;
    }
    if (m->depth <= 1) {
        pq_fail(&m->err, PQ_USAGE, "more schema groups are closed than opened");
        return;
    }
    check_children(m, &m->open[--m->depth]);
}

static PqRc copy_text(PqSlice *s, PqArena *a, PqErr *e)
{
    if (s->n) {
        s->p = (const uint8_t *)pq_arena_text(a, s->p, s->n, e);
    }
    return s->n && !s->p ? e->rc : PQ_OK;
}

static PqRc copy_elements(const PqSchemaMake *m, PqArena *a,
                          PqSchemaElementList *out, PqErr *e)
{
    PqSchemaElement *el;

    PQ_TRY(PQ_ARENA_NEW(a, el, m->n, e));
    memcpy(el, m->el, m->n * sizeof *el);
    for (uint32_t i = 0; i < m->n; i++) {
        PQ_TRY(copy_text(&el[i].name, a, e));
        PQ_TRY(copy_text(&el[i].logical_type.geometry.crs, a, e));
        PQ_TRY(copy_text(&el[i].logical_type.geography.crs, a, e));
    }
    *out = (PqSchemaElementList){el, m->n};
    return PQ_OK;
}

static PqRc finish(PqSchemaMake *m, PqArena *a, PqSchemaElementList *out,
                   PqErr *e)
{
    if (!m->err.rc && m->depth == 1) {
        check_children(m, &m->open[0]);
    }
    if (m->err.rc) {
        return pq_fail(e, m->err.rc, "%s", m->err.text);
    }
    if (m->depth == 0) {
        return pq_fail(e, PQ_USAGE, "a schema without columns");
    }
    if (m->depth > 1) {
        return pq_fail(e, PQ_USAGE, "%s: a group that is not closed",
                       (const char *)m->el[m->open[m->depth - 1].outer].name.p);
    }
    return copy_elements(m, a, out, e);
}

PqRc pq_schema_make_end(PqSchemaMake *m, PqArena *a, PqSchemaElementList *out,
                        PqErr *e)
{
    PqRc rc;

    *out = (PqSchemaElementList){NULL, 0};
    rc = finish(m, a, out, e);
    pq_err_clear(&m->err);
    pq_arena_reset(&m->texts);
    m->n = m->depth = 0;
    return rc;
}
