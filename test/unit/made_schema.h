/*
** made_schema.h - for tests of schemas: builds a schema element by element and
** prints its tree on one line, so that a test reads like the table in schema.h:
**
**   a:LIST p1 r0 [2 1](element:LEAF p3 r1 #0)
**   name:kind, def_present, rep, [repeated_def repeated_rep], (children), leaf
*/
#ifndef MADE_SCHEMA_H
#define MADE_SCHEMA_H

#include "core/meta/schema.h"
#include "test/unit/test.h"

#define HAS(field) (1u << (field))

enum { ROOM = 3000 };

typedef struct Made {
    PqSchemaElement     el[ROOM];
    PqSchemaElementList list;
    PqArena             arena;
    PqBuf               text;
    PqSchema            schema;
} Made;

/* Annotations of groups. */
enum { NO, LIST, MAP, KEY_VALUE, VARIANT, FILE_GROUP, LIST_OLD, MAP_OLD, NEW };

static inline void begin(Test *t, Made *m)
{
    memset(m, 0, sizeof *m);
    m->list.v = m->el;
    pq_arena_init(&m->arena, t->mem);
    pq_buf_init(&m->text, t->mem, t->e);
}

static inline void end(Made *m)
{
    pq_buf_free(&m->text);
    pq_arena_free(&m->arena);
}

static inline PqSchemaElement *add(Made *m, int repetition, const char *name)
{
    PqSchemaElement *el = &m->el[m->list.n++];

    el->has = HAS(PQ_SCHEMA_REPETITION) | HAS(PQ_SCHEMA_NAME);
    el->repetition_type = repetition;
    el->name = pq_slice_text(name);
    return el;
}

static inline PqSchemaElement *leaf(Made *m, int repetition, int type,
                             const char *name)
{
    PqSchemaElement *el = add(m, repetition, name);

    el->has |= HAS(PQ_SCHEMA_TYPE);
    el->type = type;
    return el;
}

static inline PqSchemaElement *logical(PqSchemaElement *el, int member)
{
    el->has |= HAS(PQ_SCHEMA_LOGICAL);
    el->logical_type.has |= 1u << member;
    return el;
}

static inline PqSchemaElement *converted(PqSchemaElement *el, int type)
{
    el->has |= HAS(PQ_SCHEMA_CONVERTED);
    el->converted_type = type;
    return el;
}

static inline PqSchemaElement *group(Made *m, int repetition, const char *name,
                              int kids, int annotation)
{
    static const int member[] = {[LIST] = PQ_LOGICAL_LIST,
                                 [MAP] = PQ_LOGICAL_MAP,
                                 [VARIANT] = PQ_LOGICAL_VARIANT,
                                 [FILE_GROUP] = PQ_LOGICAL_FILE,
                                 [NEW] = PQ_HAS_UNKNOWN};
    static const int old[] = {[KEY_VALUE] = PQ_CONVERTED_MAP_KEY_VALUE,
                              [LIST_OLD] = PQ_CONVERTED_LIST,
                              [MAP_OLD] = PQ_CONVERTED_MAP};
    PqSchemaElement *el = add(m, repetition, name);

    el->has |= HAS(PQ_SCHEMA_NUM_CHILDREN);
    el->num_children = kids;
    if (annotation == KEY_VALUE || annotation == LIST_OLD ||
        annotation == MAP_OLD) {
        converted(el, old[annotation]);
    } else if (annotation != NO) {
        logical(el, member[annotation]);
    }
    return el;
}

static inline void root(Made *m, int kids)
{
    PqSchemaElement *el = group(m, PQ_REPEATED, "schema", kids, NO);

    el->has &= ~HAS(PQ_SCHEMA_REPETITION);
}

static inline void print(const PqNode *n, PqBuf *out)
{
    static const char *const kind[] = {"LEAF", "STRUCT", "LIST", "MAP",
                                       "VARIANT"};

    pq_buf_printf(out, "%s:%s p%u r%u", n->name, kind[n->kind],
                  n->def_present, n->rep);
    if (n->kind == PQ_NODE_LIST || n->kind == PQ_NODE_MAP) {
        pq_buf_printf(out, " [%u %u]", n->repeated_def, n->repeated_rep);
    }
    if (n->kind == PQ_NODE_LEAF) {
        pq_buf_printf(out, " #%d", (int)n->leaf);
        return;
    }
    pq_buf_text(out, "(");
    for (uint32_t i = 0; i < n->n_children; i++) {
        pq_buf_text(out, i ? ", " : "");
        print(n->child[i], out);
    }
    pq_buf_text(out, ")");
}

/* The columns, separated by "; ". */
static inline const char *columns_text(const PqSchema *s, PqBuf *text)
{
    text->n = 0;
    for (uint32_t i = 0; i < s->root->n_children; i++) {
        pq_buf_text(text, i ? "; " : "");
        print(s->root->child[i], text);
    }
    pq_buf_byte(text, 0);
    return (const char *)text->p;
}

static inline const char *tree(Made *m)
{
    return columns_text(&m->schema, &m->text);
}

static inline PqRc build(Test *t, Made *m)
{
    return pq_schema_build(&m->list, &m->arena, &m->schema, t->e);
}

/* What must hold of every tree. */
static inline bool is_sound(const PqSchema *s, const PqNode *n, const PqNode *up)
{
    uint32_t at = n->first_leaf;

    if (n->parent != (up == s->root ? NULL : up)) {
        return false;
    }
    if (n->n_leaves == 0 && n->kind != PQ_NODE_STRUCT) {
        return false;
    }
    if (n->kind == PQ_NODE_LIST && n->n_children != 1) {
        return false;
    }
    if ((n->kind == PQ_NODE_LIST || n->kind == PQ_NODE_MAP) &&
        (n->repeated_def != n->def_present + 1 ||
         n->repeated_rep != n->rep + 1)) {
        return false;
    }
    if (n->kind == PQ_NODE_LEAF) {
        const PqLeaf *l = &s->leaves[n->leaf];
        return l->node == n && n->first_leaf == (uint32_t)n->leaf &&
               n->n_leaves == 1 && l->max_def == n->def_present &&
               l->max_rep == n->rep && l->index == (uint32_t)n->leaf &&
               l->path == n->path;
    }
    for (uint32_t i = 0; i < n->n_children; i++) {
        if (n->child[i]->first_leaf != at || !is_sound(s, n->child[i], n)) {
            return false;
        }
        at += n->child[i]->n_leaves;
    }
    return at == n->first_leaf + n->n_leaves;
}

#define SAME(want)                                                     \
    do {                                                               \
        CHECK_OK(build(t, m));                                         \
        CHECK_TEXT(tree(m), want);                                     \
        CHECK(is_sound(&m->schema, m->schema.root, NULL));             \
    } while (0)

static Made made[1];
static Made *const m = made;

#endif
