/*
** schema.c - builds the tree of a schema from the flattened list.
**
** Two walks over the elements, both front to back and without recursion.  The
** first checks everything: it follows the claimed counts of children, adds up
** levels, and fails unless the list ends where the claims do.
**
**   element    0 root (2)   1 a (1)   2 b   3 c
**   parent         -            0       1     0
**   left          2 1 0        1 0
**
** The second makes the nodes.  A parent comes before its children, so the role
** of an element is known when it is reached.  It is a FIELD of its parent; or
** the LAYER between a list and its elements, which has no node; or the repeated
** ELEMENT itself, in a list that was written without that layer.  The rules of
** list_map_rules.c say which it is.
*/
#include "core/meta/schema_inside.h"
#include "core/text/utf8.h"

#include <stdio.h>

enum { NO_ELEMENT = -1 };

/* ---- the first walk: claims ---- */

static PQ_PRINTF(4, 5) PqRc fail_at(PqSchemaBuild *b, uint32_t i, PqRc rc,
                                    const char *fmt, ...)
{
    PqSlice name = b->el[i].name;
    char what[120];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return pq_fail(b->e, rc, "schema element %u \"%.*s\": %s", i,
                   name.n > 200 ? 200 : (int)name.n,
                   name.n ? (const char *)name.p : "", what);
}

static PqRc check_element(PqSchemaBuild *b, uint32_t i)
{
    const PqSchemaElement *el = &b->el[i];
    int32_t kids = PQ_HAS(el, PQ_SCHEMA_NUM_CHILDREN) ? el->num_children : 0;

    if (kids < 0) {
        return fail_at(b, i, PQ_CORRUPT, "%d children", (int)kids);
    }
    if ((uint32_t)kids > b->n - 1 - i) {
        return fail_at(b, i, PQ_CORRUPT,
                       "claims %d children, %u elements are left", (int)kids,
                       b->n - 1 - i);
    }
    if (i > 0 && (pq_schema_repetition(el) < PQ_REQUIRED ||
                  pq_schema_repetition(el) > PQ_REPEATED)) {
        return fail_at(b, i, PQ_CORRUPT, "repetition type %d",
                       pq_schema_repetition(el));
    }
    b->item[i].kids = b->item[i].left = (uint32_t)kids;
    return pq_schema_is_group(el) ||
                   (el->type >= 0 && el->type < PQ_PHYSICAL_COUNT)
               ? PQ_OK
               : fail_at(b, i, PQ_UNSUPPORTED, "physical type %d",
                         (int)el->type);
}

/* Levels grow by at most one per element, so the depth limits them too. */
static PqRc add_levels(PqSchemaBuild *b, uint32_t i)
{
    PqSchemaItem *it = &b->item[i];
    const PqSchemaItem *up = &b->item[it->parent];
    int r = pq_schema_repetition(&b->el[i]);

    it->def = (uint16_t)(up->def + (r != PQ_REQUIRED));
    it->rep = (uint16_t)(up->rep + (r == PQ_REPEATED));
    it->depth = (uint16_t)(up->depth + 1 + (r == PQ_REPEATED));
    if (it->depth > PQ_SCHEMA_MAX_DEPTH) {
        return pq_fail(b->e, PQ_UNSUPPORTED, "schema nested deeper than %d "
                       "levels", PQ_SCHEMA_MAX_DEPTH);
    }
    return PQ_OK;
}

static void count_leaves(PqSchemaBuild *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        b->item[i].first_leaf = n;
        b->item[i].n_leaves = !pq_schema_is_group(&b->el[i]);
        b->item[i].size = 1;
        n += b->item[i].n_leaves;
    }
    for (uint32_t i = b->n; i-- > 1;) {
        PqSchemaItem *up = &b->item[b->item[i].parent];
        up->n_leaves += b->item[i].n_leaves;
        up->size += b->item[i].size;
    }
}

static PqRc follow_claims(PqSchemaBuild *b)
{
    int32_t at = 0;                  /* the group being filled */

    PQ_TRY(check_element(b, 0));
    if (!pq_schema_is_group(&b->el[0])) {
        return pq_fail(b->e, PQ_CORRUPT, "the root of the schema is not a "
                       "group");
    }
    b->item[0].parent = NO_ELEMENT;
    for (uint32_t i = 1; i < b->n; i++) {
        while (at != NO_ELEMENT && b->item[at].left == 0) {
            at = b->item[at].parent;
        }
        if (at == NO_ELEMENT) {
            return pq_fail(b->e, PQ_CORRUPT, "schema of %u elements: %u are in "
                           "no group", b->n, b->n - i);
        }
        b->item[at].left--;
        b->item[i].parent = at;
        PQ_TRY(check_element(b, i));
        PQ_TRY(add_levels(b, i));
        at = pq_schema_is_group(&b->el[i]) ? (int32_t)i : at;
    }
    for (; at != NO_ELEMENT; at = b->item[at].parent) {
        if (b->item[at].left) {
            return pq_fail(b->e, PQ_CORRUPT, "schema ends before its groups "
                           "do: %u children of element %d are missing",
                           b->item[at].left, (int)at);
        }
    }
    count_leaves(b);
    return PQ_OK;
}

/* ---- the second walk: nodes ---- */

/* A node for element i below up (NULL: the root), with room for children. */
static PqNode *add_node(PqSchemaBuild *b, uint32_t i, PqNode *up,
                        PqNodeKind kind, uint32_t room)
{
    const PqSchemaItem *it = &b->item[i];
    PqNode *n = pq_arena_zeros(b->arena, 1, sizeof *n, b->e);

    if (!n) {
        return NULL;
    }
    n->child = pq_arena_zeros(b->arena, room, sizeof *n->child, b->e);
    n->name = pq_utf8_text(b->arena, b->el[i].name, b->e);
    if (!n->child || !n->name) {
        return NULL;
    }
    n->path = it->path;
    n->kind = kind;
    n->def_present = it->def;
    n->rep = it->rep;
    n->leaf = -1;
    n->first_leaf = it->first_leaf;
    n->n_leaves = it->n_leaves;
    n->element = i;
    n->required = pq_schema_repetition(&b->el[i]) != PQ_OPTIONAL;
    n->field_id = PQ_HAS(&b->el[i], PQ_SCHEMA_FIELD_ID) ? b->el[i].field_id
                                                        : -1;
    if (up) {
        n->parent = up == b->out->root ? NULL : up;
        up->child[up->n_children++] = n;
    }
    return n;
}

static PqRc add_leaf(PqSchemaBuild *b, uint32_t i, PqNode *up)
{
    PqNode *n = add_node(b, i, up, PQ_NODE_LEAF, 0);

    if (!n) {
        return b->e->rc;
    }
    n->leaf = (int32_t)n->first_leaf;
    n->type = pq_type_of_element(&b->el[i], b->arena, b->e);
    b->out->leaves[n->leaf] = (PqLeaf){
        .node = n, .path = n->path, .type = n->type,
        .max_def = n->def_present, .max_rep = n->rep, .index = n->first_leaf,
        .column = n->first_leaf};
    return b->e->rc;
}

static PqRc add_group(PqSchemaBuild *b, uint32_t i, PqNode *up)
{
    static const struct {
        PqNodeKind kind;
        PqSchemaRole       role;             /* of the children */
    } made[] = {
        [PQ_SHAPE_PLAIN] = {PQ_NODE_STRUCT, PQ_ROLE_FIELD},
        [PQ_SHAPE_LIST_OF_LAYER] = {PQ_NODE_LIST, PQ_ROLE_LAYER},
        [PQ_SHAPE_LIST_OF_ELEMENT] = {PQ_NODE_LIST, PQ_ROLE_ELEMENT},
        [PQ_SHAPE_MAP_OF_LAYER] = {PQ_NODE_MAP, PQ_ROLE_LAYER},
        [PQ_SHAPE_VARIANT] = {PQ_NODE_VARIANT, PQ_ROLE_FIELD},
        [PQ_SHAPE_FILE] = {PQ_NODE_STRUCT, PQ_ROLE_FIELD},
    };
    PqSchemaShape shape = pq_schema_shape(b, i);
    uint32_t room = b->item[i].kids;
    PqNode *n;

    if (made[shape].role == PQ_ROLE_LAYER) {
        room = b->item[i + 1].kids;
    }
    n = add_node(b, i, up, made[shape].kind, room);
    if (!n) {
        return b->e->rc;
    }
    if (made[shape].role != PQ_ROLE_FIELD) {
        b->item[i + 1].role = made[shape].role;
        n->repeated_def = b->item[i + 1].def;
        n->repeated_rep = b->item[i + 1].rep;
    }
    n->is_file = shape == PQ_SHAPE_FILE;
    b->item[i].node = n;
    return PQ_OK;
}

/* Adds the list around a bare repeated field; it is never null. */
static PqNode *add_bare_list(PqSchemaBuild *b, uint32_t i, PqNode *up)
{
    PqNode *list = add_node(b, i, up, PQ_NODE_LIST, 1);

    if (list) {
        list->repeated_def = list->def_present--;
        list->repeated_rep = list->rep--;
    }
    return list;
}

static PqRc add_path(PqSchemaBuild *b, uint32_t i)
{
    const char *up = b->item[b->item[i].parent].path;
    PqSlice name = b->el[i].name;
    const uint8_t *nul = name.n ? memchr(name.p, 0, name.n) : NULL;
    size_t n_up = strlen(up), room;
    bool dot = b->item[i].parent != 0, good;
    char *path;

    name.n = nul ? (size_t)(nul - name.p) : name.n;
    good = pq_utf8_valid(name);
    room = good ? name.n : name.n * 3;
    path = (char *)pq_arena_bytes(b->arena, n_up + dot + room + 1, b->e);
    if (!path) {
        return b->e->rc;
    }
    memcpy(path, up, n_up);
    path[n_up] = '.';
    if (good) {
        pq_bytes_copy(path + n_up + dot, name.p, name.n);
    } else {
        room = pq_utf8_mend(name, (uint8_t *)path + n_up + dot);
    }
    path[n_up + dot + room] = 0;
    b->item[i].path = path;
    return PQ_OK;
}

static PqRc add_element(PqSchemaBuild *b, uint32_t i)
{
    PqSchemaItem *it = &b->item[i];
    PqNode *up = b->item[it->parent].node;

    PQ_TRY(add_path(b, i));
    if (it->role == PQ_ROLE_LAYER) {
        it->node = up;
        return PQ_OK;
    }
    if (it->role == PQ_ROLE_FIELD && it->n_leaves &&
        pq_schema_repetition(&b->el[i]) == PQ_REPEATED) {
        up = add_bare_list(b, i, up);
        if (!up) {
            return b->e->rc;
        }
    }
    return pq_schema_is_group(&b->el[i]) ? add_group(b, i, up)
                                         : add_leaf(b, i, up);
}

static PqRc add_nodes(PqSchemaBuild *b)
{
    PqSchema *s = b->out;

    s->n_leaves = b->item[0].n_leaves;
    PQ_TRY(PQ_ARENA_NEW(b->arena, s->leaves, s->n_leaves, b->e));
    b->item[0].path = "";
    s->root = add_node(b, 0, NULL, PQ_NODE_STRUCT, b->item[0].kids);
    if (!s->root) {
        return b->e->rc;
    }
    s->root->required = true;
    b->item[0].node = s->root;
    for (uint32_t i = 1; i < b->n; i++) {
        PQ_TRY(add_element(b, i));
    }
    for (uint32_t i = 0; i < b->n; i++) {
        PqNode *n = b->item[i].node;

        if (n && n->element == i && (n->kind == PQ_NODE_STRUCT ||
                                     n->kind == PQ_NODE_VARIANT)) {
            PQ_TRY(pq_schema_sort_names(n, b->arena, b->e));
        }
    }
    return PQ_OK;
}

PqRc pq_schema_build(const PqSchemaElementList *elements, PqArena *a,
                     PqSchema *out, PqErr *e)
{
    PqSchemaBuild b = {.el = elements->v, .n = elements->n, .arena = a,
                       .out = out, .e = e};
    PqRc rc;

    *out = (PqSchema){.elements = elements->v, .n_elements = elements->n};
    if (b.n == 0 || b.n > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "schema of %u elements", b.n);
    }
    PQ_TRY(PQ_NEW(a->mem, b.item, b.n, e));
    PQ_GO(follow_claims(&b));
    PQ_GO(add_nodes(&b));
done:
    pq_mem_free(b.item);
    return rc;
}
