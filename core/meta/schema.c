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
** of an element is known when it is reached: a FIELD of its parent; the LAYER
** between a list and its elements, which has no node; or the repeated ELEMENT
** itself, in a list that was written without that layer.
*/
#include "core/meta/schema.h"
#include "core/text/utf8.h"

#include <stdio.h>

enum { NO_ELEMENT = -1 };

typedef enum Role { FIELD, LAYER, ELEMENT } Role;

typedef enum Shape {
    PLAIN,                   /* the children are fields               */
    LIST_OF_LAYER,           /* one repeated group around the element */
    LIST_OF_ELEMENT,         /* the repeated child is the element     */
    MAP_OF_LAYER,
    VARIANT_GROUP,
    FILE_GROUP
} Shape;

/* What the walks find out about an element. */
typedef struct Item {
    int32_t     parent;
    uint32_t    left;                /* children not reached yet          */
    uint32_t    kids;                /* all children                      */
    uint32_t    size;                /* elements at or below              */
    uint32_t    first_leaf, n_leaves;
    uint16_t    def, rep, depth;
    Role        role;
    const char *path;
    PqNode     *node;                /* the parent of its children        */
} Item;

typedef struct Build {
    const PqSchemaElement *el;
    uint32_t               n;
    Item                  *item;
    PqArena               *arena;
    PqSchema              *out;
    PqErr                 *e;
} Build;

static bool is_group(const PqSchemaElement *el)
{
    return !PQ_HAS(el, PQ_SCHEMA_TYPE) ||
           (PQ_HAS(el, PQ_SCHEMA_NUM_CHILDREN) && el->num_children > 0);
}

/* QUIRK: thrift's own readers take a missing repetition for 0, REQUIRED, and so
** does every reader of such a file. */
static int repetition(const PqSchemaElement *el)
{
    return PQ_HAS(el, PQ_SCHEMA_REPETITION) ? el->repetition_type
                                            : PQ_REQUIRED;
}

static bool is_leaf_of(const PqSchemaElement *el, PqPhysical type)
{
    return !is_group(el) && el->type == (int32_t)type &&
           repetition(el) != PQ_REPEATED;
}

/* ---- the first walk: claims ---- */

static PqRc fail_at(Build *b, uint32_t i, PqRc rc, const char *fmt, ...)
    PQ_PRINTF(4, 5);

static PqRc fail_at(Build *b, uint32_t i, PqRc rc, const char *fmt, ...)
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

static PqRc check_leaf(Build *b, uint32_t i)
{
    const PqSchemaElement *el = &b->el[i];

    if (el->type < 0 || el->type >= PQ_PHYSICAL_COUNT) {
        return fail_at(b, i, PQ_UNSUPPORTED, "physical type %d",
                       (int)el->type);
    }
    return PQ_OK;
}

static PqRc check_element(Build *b, uint32_t i)
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
    if (i > 0 && (repetition(el) < PQ_REQUIRED ||
                  repetition(el) > PQ_REPEATED)) {
        return fail_at(b, i, PQ_CORRUPT, "repetition type %d",
                       repetition(el));
    }
    b->item[i].kids = b->item[i].left = (uint32_t)kids;
    return is_group(el) ? PQ_OK : check_leaf(b, i);
}

/* Levels grow by at most one per element, so the depth limits them too. */
static PqRc add_levels(Build *b, uint32_t i)
{
    Item *it = &b->item[i];
    const Item *up = &b->item[it->parent];
    int r = repetition(&b->el[i]);

    it->def = (uint16_t)(up->def + (r != PQ_REQUIRED));
    it->rep = (uint16_t)(up->rep + (r == PQ_REPEATED));
    it->depth = (uint16_t)(up->depth + 1 + (r == PQ_REPEATED));
    if (it->depth > PQ_SCHEMA_MAX_DEPTH) {
        return pq_fail(b->e, PQ_UNSUPPORTED,
                       "schema nested deeper than %d levels",
                       PQ_SCHEMA_MAX_DEPTH);
    }
    return PQ_OK;
}

static void count_leaves(Build *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        b->item[i].first_leaf = n;
        b->item[i].n_leaves = !is_group(&b->el[i]);
        b->item[i].size = 1;
        n += b->item[i].n_leaves;
    }
    for (uint32_t i = b->n; i-- > 1;) {
        Item *up = &b->item[b->item[i].parent];
        up->n_leaves += b->item[i].n_leaves;
        up->size += b->item[i].size;
    }
}

static PqRc follow_claims(Build *b)
{
    int32_t at = 0;                  /* the group being filled */

    PQ_TRY(check_element(b, 0));
    if (!is_group(&b->el[0])) {
        return pq_fail(b->e, PQ_CORRUPT,
                       "the root of the schema is not a group");
    }
    b->item[0].parent = NO_ELEMENT;
    for (uint32_t i = 1; i < b->n; i++) {
        while (at != NO_ELEMENT && b->item[at].left == 0) {
            at = b->item[at].parent;
        }
        if (at == NO_ELEMENT) {
            return pq_fail(b->e, PQ_CORRUPT,
                           "schema of %u elements: %u are in no group", b->n,
                           b->n - i);
        }
        b->item[at].left--;
        b->item[i].parent = at;
        PQ_TRY(check_element(b, i));
        PQ_TRY(add_levels(b, i));
        at = is_group(&b->el[i]) ? (int32_t)i : at;
    }
    for (; at != NO_ELEMENT; at = b->item[at].parent) {
        if (b->item[at].left) {
            return pq_fail(b->e, PQ_CORRUPT,
                           "schema ends before its groups do: %u children "
                           "of element %d are missing", b->item[at].left,
                           (int)at);
        }
    }
    count_leaves(b);
    return PQ_OK;
}

/* ---- what a group is ---- */

static bool says(const PqSchemaElement *el, int logical, int converted)
{
    if (PQ_HAS(el, PQ_SCHEMA_LOGICAL) && el->logical_type.has != 0) {
        return PQ_HAS(&el->logical_type, logical);
    }
    return PQ_HAS(el, PQ_SCHEMA_CONVERTED) && el->converted_type == converted;
}

/* LogicalTypes.md, "Backward-compatibility rules" of lists: the repeated
** field is the element (rules 1 to 4), or the one field in it is (rule 5). */
static bool is_element(const Build *b, uint32_t list, uint32_t repeated)
{
    const PqSchemaElement *el = &b->el[repeated];
    PqSlice name = b->el[list].name;

    if (!is_group(el) || b->item[repeated].kids != 1 ||
        repetition(&b->el[repeated + 1]) == PQ_REPEATED) {
        return true;
    }
    return pq_slice_is(el->name, "array") ||
           (el->name.n == name.n + 6 &&
            (name.n == 0 || memcmp(el->name.p, name.p, name.n) == 0) &&
            memcmp(el->name.p + name.n, "_tuple", 6) == 0);
}

static bool is_map(const Build *b, uint32_t repeated)
{
    uint32_t kids = b->item[repeated].kids;

    return is_group(&b->el[repeated]) && (kids == 1 || kids == 2);
}

/* Does the group have metadata, and a value or a typed_value? */
static bool is_variant(const Build *b, uint32_t group)
{
    bool metadata = false, value = false;
    uint32_t end = group + b->item[group].size;

    for (uint32_t i = group + 1; i < end; i += b->item[i].size) {
        if (pq_slice_is(b->el[i].name, "metadata")) {
            metadata = is_leaf_of(&b->el[i], PQ_BYTE_ARRAY);
        } else if (pq_slice_is(b->el[i].name, "value")) {
            value = is_leaf_of(&b->el[i], PQ_BYTE_ARRAY);
            if (!value) {
                return false;
            }
        } else if (pq_slice_is(b->el[i].name, "typed_value")) {
            value = true;
        }
    }
    return metadata && value;
}

bool pq_schema_is_file_field(PqSlice name, const PqType *type)
{
    static const struct {
        const char *name;
        PqPhysical  physical;
        PqLogical   logical;
    } fields[] = {
        {"uri", PQ_BYTE_ARRAY, PQ_TYPE_STRING},
        {"offset", PQ_INT64, PQ_TYPE_NONE},
        {"size", PQ_INT64, PQ_TYPE_NONE},
        {"content_type", PQ_BYTE_ARRAY, PQ_TYPE_STRING},
        {"checksum", PQ_BYTE_ARRAY, PQ_TYPE_STRING},
        {"inline", PQ_BYTE_ARRAY, PQ_TYPE_NONE},
    };

    for (size_t i = 0; i < PQ_COUNT(fields); i++) {
        if (pq_slice_is(name, fields[i].name)) {
            return type->physical == fields[i].physical &&
                   type->logical == fields[i].logical;
        }
    }
    return false;
}

/* Does the group have only fields of a FILE? */
static bool is_file(const Build *b, uint32_t group)
{
    uint32_t end = group + b->item[group].size, i;

    for (i = group + 1; i < end; i++) {
        PqType type;

        if (is_group(&b->el[i]) || repetition(&b->el[i]) != PQ_OPTIONAL) {
            return false;
        }
        type = pq_type_of_element(&b->el[i], b->arena, b->e);
        if (!pq_schema_is_file_field(b->el[i].name, &type)) {
            return false;
        }
    }
    return true;
}

/* QUIRK: by LogicalTypes.md there are files whose maps are annotated with
** MAP_KEY_VALUE, which is for the layer; test
** map_key_value_outside_a_map_is_the_map. */
static Shape shape_of(const Build *b, uint32_t i)
{
    const PqSchemaElement *el = &b->el[i];
    bool one_repeated = b->item[i].kids == 1 &&
                        repetition(&b->el[i + 1]) == PQ_REPEATED;

    if (b->item[i].n_leaves == 0) {
        return PLAIN;
    }
    if (one_repeated && says(el, PQ_LOGICAL_LIST, PQ_CONVERTED_LIST)) {
        return is_element(b, i, i + 1) ? LIST_OF_ELEMENT : LIST_OF_LAYER;
    }
    if (one_repeated && is_map(b, i + 1) &&
        (says(el, PQ_LOGICAL_MAP, PQ_CONVERTED_MAP) ||
         says(el, PQ_LOGICAL_MAP, PQ_CONVERTED_MAP_KEY_VALUE))) {
        return MAP_OF_LAYER;
    }
    if (PQ_HAS(el, PQ_SCHEMA_LOGICAL) &&
        PQ_HAS(&el->logical_type, PQ_LOGICAL_VARIANT) && is_variant(b, i)) {
        return VARIANT_GROUP;
    }
    if (PQ_HAS(el, PQ_SCHEMA_LOGICAL) &&
        PQ_HAS(&el->logical_type, PQ_LOGICAL_FILE) && is_file(b, i)) {
        return FILE_GROUP;
    }
    return PLAIN;
}

/* ---- the second walk: nodes ---- */

/* A node for element i below up (NULL: the root), with room for children. */
static PqNode *add_node(Build *b, uint32_t i, PqNode *up, PqNodeKind kind,
                        uint32_t room)
{
    const Item *it = &b->item[i];
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
    n->required = repetition(&b->el[i]) != PQ_OPTIONAL;
    n->field_id = PQ_HAS(&b->el[i], PQ_SCHEMA_FIELD_ID) ? b->el[i].field_id
                                                        : -1;
    if (up) {
        n->parent = up == b->out->root ? NULL : up;
        up->child[up->n_children++] = n;
    }
    return n;
}

static PqRc add_leaf(Build *b, uint32_t i, PqNode *up)
{
    PqNode *n = add_node(b, i, up, PQ_NODE_LEAF, 0);

    if (!n) {
        return b->e->rc;
    }
    n->leaf = (int32_t)n->first_leaf;
    n->type = pq_type_of_element(&b->el[i], b->arena, b->e);
    b->out->leaves[n->leaf] = (PqLeaf){
        .node = n, .path = n->path, .type = n->type,
        .max_def = n->def_present, .max_rep = n->rep, .index = n->first_leaf};
    return b->e->rc;
}

static PqRc add_group(Build *b, uint32_t i, PqNode *up)
{
    static const struct {
        PqNodeKind kind;
        Role       role;             /* of the children */
    } made[] = {
        [PLAIN] = {PQ_NODE_STRUCT, FIELD},
        [LIST_OF_LAYER] = {PQ_NODE_LIST, LAYER},
        [LIST_OF_ELEMENT] = {PQ_NODE_LIST, ELEMENT},
        [MAP_OF_LAYER] = {PQ_NODE_MAP, LAYER},
        [VARIANT_GROUP] = {PQ_NODE_VARIANT, FIELD},
        [FILE_GROUP] = {PQ_NODE_STRUCT, FIELD},
    };
    Shape shape = shape_of(b, i);
    uint32_t room = b->item[i].kids;
    PqNode *n;

    if (made[shape].role == LAYER) {
        room = b->item[i + 1].kids;
    }
    n = add_node(b, i, up, made[shape].kind, room);
    if (!n) {
        return b->e->rc;
    }
    if (made[shape].role != FIELD) {
        b->item[i + 1].role = made[shape].role;
        n->repeated_def = b->item[i + 1].def;
        n->repeated_rep = b->item[i + 1].rep;
    }
    n->is_file = shape == FILE_GROUP;
    b->item[i].node = n;
    return PQ_OK;
}

/* Adds the list around a bare repeated field; it is never null. */
static PqNode *add_bare_list(Build *b, uint32_t i, PqNode *up)
{
    PqNode *list = add_node(b, i, up, PQ_NODE_LIST, 1);

    if (list) {
        list->repeated_def = list->def_present--;
        list->repeated_rep = list->rep--;
    }
    return list;
}

static PqRc add_path(Build *b, uint32_t i)
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
    if (good && name.n) {
        memcpy(path + n_up + dot, name.p, name.n);
    } else if (!good) {
        room = pq_utf8_mend(name, (uint8_t *)path + n_up + dot);
    }
    path[n_up + dot + room] = 0;
    b->item[i].path = path;
    return PQ_OK;
}

static PqRc add_element(Build *b, uint32_t i)
{
    Item *it = &b->item[i];
    PqNode *up = b->item[it->parent].node;

    PQ_TRY(add_path(b, i));
    if (it->role == LAYER) {
        it->node = up;
        return PQ_OK;
    }
    if (it->role == FIELD && repetition(&b->el[i]) == PQ_REPEATED &&
        it->n_leaves) {
        up = add_bare_list(b, i, up);
        if (!up) {
            return b->e->rc;
        }
    }
    return is_group(&b->el[i]) ? add_group(b, i, up) : add_leaf(b, i, up);
}

static PqRc add_nodes(Build *b)
{
    PqSchema *s = b->out;

    s->n_leaves = b->item[0].n_leaves;
    s->leaves = pq_arena_zeros(b->arena, s->n_leaves, sizeof *s->leaves, b->e);
    if (!s->leaves) {
        return b->e->rc;
    }
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
    return PQ_OK;
}

PqRc pq_schema_build(const PqSchemaElementList *elements, PqArena *a,
                     PqSchema *out, PqErr *e)
{
    Build b = {.el = elements->v, .n = elements->n, .arena = a, .out = out,
               .e = e};
    PqRc rc;

    *out = (PqSchema){.elements = elements->v, .n_elements = elements->n};
    if (b.n == 0 || b.n > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "schema of %u elements", b.n);
    }
    b.item = pq_mem_zeros(a->mem, b.n, sizeof *b.item, e);
    if (!b.item) {
        return e->rc;
    }
    PQ_GO(follow_claims(&b));
    PQ_GO(add_nodes(&b));
done:
    pq_mem_free(b.item);
    return rc;
}
