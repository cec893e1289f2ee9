/*
** table_unnest.c - the columns of a table that has a row per element of a list.
**
** A path such as items.parts leads to a list or a map, perhaps through other
** lists; these are its levels.  A struct around a level is not a column, but
** its other fields are.
**
**   order    STRUCT                    not a column
**     id       INT64                     order.id
**     items    LIST<STRUCT>              a level; order.items.ordinal
**       sku      TEXT                      order.items.sku
**       parts    LIST<INT32>               a level; order.items.parts.ordinal
**         element                            order.items.parts
**
** The element of a list has the name of the list.  Where lists lie in lists, the
** inner one is called "element": 'a.element'.  A map has "key" and "value",
** whatever the file calls them.
*/
#include "core/files/table_inside.h"


/* ---- the path ------------------------------------------------------------ */

static const PqNode *field_named(const PqNode *of, const char *name)
{
    const PqNode *found = pq_node_field(of, pq_slice_text(name), 0);

    return found ? found : pq_node_field_any_case(of, pq_slice_text(name));
}

static bool is_list(const PqNode *n)
{
    return n->kind == PQ_NODE_LIST || n->kind == PQ_NODE_MAP;
}

/* The node that a part of the path names in `of`, or NULL. */
static const PqNode *step(const PqNode *of, const char *part)
{
    const PqNode *element;

    switch (of->kind) {
    case PQ_NODE_STRUCT:
        return field_named(of, part);
    case PQ_NODE_MAP:
        return pq_ascii_same(part, "key") ? of->child[0]
               : pq_ascii_same(part, "value") && of->n_children > 1
                   ? of->child[1] : NULL;
    case PQ_NODE_LIST:
        element = of->child[0];
        return element->kind == PQ_NODE_STRUCT ? field_named(element, part)
               : is_list(element) && pq_ascii_same(part, "element")
                   ? element : NULL;
    default:
        return NULL;
    }
}

/* The next part of a path; false: the text is not a path.  In double quotes a
** part may have dots, and quotes that are written twice. */
static bool next_part(const char **at, char *out)
{
    const char *z = *at;
    bool quoted = *z == '"';

    for (z += quoted; *z && (quoted ? *z != '"' || z[1] == '"' : *z != '.');
         z++) {
        z += quoted && *z == '"';
        *out++ = *z;
    }
    *out = 0;
    if (quoted && *z++ != '"') {
        return false;
    }
    if (*z == '.') {
        *at = z + 1;
        return z[1] != 0;
    }
    *at = z;
    return *z == 0;
}

typedef struct Follow {
    const PqNode *at;                /* where the path ended                */
    char         *part;              /* that `at` lacks, or NULL            */
    const PqNode *level[PQ_SCHEMA_MAX_DEPTH];
    uint32_t      n;
} Follow;

static PqRc follow(PqTable *t, const PqNode *root, const char *text,
                   Follow *f, PqErr *e)
{
    char *part = pq_arena_text(&t->arena, text, strlen(text), e);
    const char *z = text;

    PQ_TRY(part ? PQ_OK : e->rc);
    f->at = root;
    f->n = 0;
    f->part = NULL;
    do {
        const PqNode *to;

        if (!next_part(&z, part) || !*text) {
            return pq_fail(e, PQ_USAGE, "unnest='%s' is not a path: it takes names "
                           "with dots between them, such as 'items' or "
                           "'order.items', and a name with a dot in double "
                           "quotes", text);
        }
        to = step(f->at, part);
        if (!to) {
            f->part = part;
            return PQ_OK;
        }
        if (is_list(f->at)) {
            f->level[f->n++] = f->at;
        }
        f->at = to;
    } while (*z);
    if (is_list(f->at)) {
        f->level[f->n++] = f->at;
    }
    return PQ_OK;
}

static const char *kind_word(const PqNode *n)
{
    switch (n->kind) {
    case PQ_NODE_STRUCT:  return "a struct";
    case PQ_NODE_LIST:    return "a list";
    case PQ_NODE_MAP:     return "a map";
    case PQ_NODE_VARIANT: return "a VARIANT";
    default:              return "a column of single values";
    }
}

static PqRc no_list(PqTable *t, const PqNode *root, const Follow *f,
                    const PqTableOptions *o, const char *path, PqErr *e)
{
    const PqNode *variant = f->at->kind == PQ_NODE_VARIANT ? f->at : NULL;

    if (f->part && f->at == root) {
        pq_fail(e, PQ_USAGE, "unnest='%s': %s has no column %s", o->unnest,
                path, f->part);
    } else if (f->part) {
        pq_fail(e, PQ_USAGE, "unnest='%s': %s is %s in %s, without a field %s",
                o->unnest, f->at->path, kind_word(f->at), path, f->part);
    } else {
        pq_fail(e, PQ_USAGE, "unnest='%s': %s is %s in %s, and no list or map",
                o->unnest, f->at->path, kind_word(f->at), path);
    }
    if (variant) {
        pq_err_hint(e, "variant_explode(%s) gives the elements of a VARIANT: "
                       "SELECT ... FROM t, variant_explode(t.%s)",
                    variant->path, variant->path);
    } else if (o->unknown_list) {
        o->unknown_list(t, root, o->unnest, e);
    }
    return e->rc;
}

PqRc pq_table_find_lists(PqTable *t, const PqFooter *file, const char *path,
                         const PqTableOptions *o, bool must, PqErr *e)
{
    const PqNode *root = file->schema.root, **list;
    Follow *f;
    PqRc rc;

    if (!o->unnest || t->unnest.n > 0) {
        return PQ_OK;
    }
    PQ_TRY(PQ_NEW(t->engine->mem, f, 1, e));
    PQ_GO(follow(t, root, o->unnest, f, e));
    if (f->part || !is_list(f->at)) {
        rc = must ? no_list(t, root, f, o, path, e) : PQ_OK;
        goto done;
    }
    list = pq_arena_zeros(&t->arena, f->n, sizeof *list, e);
    if (!list) {
        rc = e->rc;
        goto done;
    }
    memcpy(list, f->level, f->n * sizeof *list);
    t->unnest = (PqUnnest){f->n, root, list, o->outer, path};
done:
    pq_mem_free(f);
    return rc;
}

/* ---- names --------------------------------------------------------------- */

static bool is_level(const PqNode *n, const PqNode *const *list, uint32_t k)
{
    uint32_t i;

    for (i = 0; i < k && list[i] != n; i++) {
    }
    return i < k;
}

static const char *name_of(PqTable *t, const PqNode *n,
                           const PqNode *const *list, uint32_t n_lists,
                           PqErr *e)
{
    const PqNode *of = n->parent;
    const char *front, *own = n->name;

    if (!of) {
        return n->name;
    }
    front = name_of(t, of, list, n_lists, e);
    if (of->kind == PQ_NODE_LIST) {
        if (!is_level(n, list, n_lists)) {
            return front;
        }
        own = "element";
    } else if (of->kind == PQ_NODE_MAP) {
        own = n == of->child[0] ? "key" : "value";
    }
    return front ? pq_arena_printf(&t->arena, e, "%s.%s", front, own) : NULL;
}

static bool is_below(const PqNode *n, const PqNode *of)
{
    for (; n && n != of; n = n->parent) {
    }
    return n != NULL;
}

/* How many of the levels a file has. */
static uint32_t levels_in(const PqTable *t, const PqNode *root,
                          const PqNode *list[PQ_SCHEMA_MAX_DEPTH])
{
    const PqUnnest *u = &t->unnest;
    uint32_t n = 0;

    for (; n < u->n; n++) {
        list[n] = pq_table_same_node(root, u->root, u->list[n]);
        if (!list[n]) {
            break;
        }
    }
    return n;
}

const char *pq_table_dotted(PqTable *t, const PqNode *root, const PqNode *node,
                            PqErr *e)
{
    const PqNode *list[PQ_SCHEMA_MAX_DEPTH];
    uint32_t n = levels_in(t, root, list);

    return n > 0 && is_below(node, list[0]) ? name_of(t, node, list, n, e)
                                            : node->path;
}

/* ---- fields -------------------------------------------------------------- */

typedef struct Each {
    PqTable             *t;
    const PqNode *const *list;       /* levels in this file                 */
    uint32_t             n;
    const PqNode        *end;        /* of the way to the last, in this file */
    PqFieldVisit         visit;
    void                *arg;
} Each;

static bool leads_to_list(const Each *x, const PqNode *node)
{
    return x->end && is_below(x->end, node);
}

/* How far the way to the innermost list goes in a file, which has n of them: a
** struct may be there without the list. */
static const PqNode *end_of_way(const PqTable *t, const PqNode *root,
                                const PqNode *const *list, uint32_t n)
{
    const PqUnnest *u = &t->unnest;
    const PqNode *like, *found;

    if (n == u->n) {
        return n > 0 ? list[n - 1] : NULL;
    }
    for (like = u->list[n]->parent; like; like = like->parent) {
        found = pq_table_same_node(root, u->root, like);
        if (found && found->kind == like->kind) {
            return found;
        }
    }
    return NULL;
}

static PqRc each_of(const Each *x, const PqNode *node, PqErr *e);

static PqRc one(const Each *x, const PqNode *node, PqErr *e)
{
    const char *name;

    if (leads_to_list(x, node)) {
        return each_of(x, node, e);
    }
    name = name_of(x->t, node, x->list, x->n, e);
    return name ? x->visit(x->arg, node, name, e) : e->rc;
}

/* The fields of a struct, of the struct that is the element of a list, or the
** key and the value of a map. */
static PqRc each_of(const Each *x, const PqNode *node, PqErr *e)
{
    const PqNode *of = node;

    if (node->kind == PQ_NODE_LIST && node->child[0]->kind == PQ_NODE_STRUCT) {
        of = node->child[0];
    }
    for (uint32_t i = 0; i < of->n_children; i++) {
        PQ_TRY(one(x, of->child[i], e));
    }
    return PQ_OK;
}

PqRc pq_table_each_field(PqTable *t, const PqNode *root, PqFieldVisit visit,
                         void *arg, PqErr *e)
{
    const PqNode *list[PQ_SCHEMA_MAX_DEPTH];
    Each x = {.t = t, .list = list, .n = levels_in(t, root, list),
              .visit = visit, .arg = arg};
    PqRc rc = PQ_OK;

    x.end = end_of_way(t, root, list, x.n);
    for (uint32_t i = 0; rc == PQ_OK && i < root->n_children; i++) {
        const PqNode *node = root->child[i];

        rc = leads_to_list(&x, node) ? each_of(&x, node, e)
                                     : visit(arg, node, node->name, e);
    }
    return rc;
}

bool pq_table_is_unnested(const PqTable *t, const PqNode *root,
                          const PqNode *node)
{
    const PqNode *list[PQ_SCHEMA_MAX_DEPTH];

    return levels_in(t, root, list) > 0 && is_below(node, list[0]);
}

static const PqNode *unnested_column(const PqTable *t)
{
    const PqNode *top = t->unnest.n ? t->unnest.list[0] : NULL;

    while (top && top->parent) {
        top = top->parent;
    }
    return top;
}

bool pq_table_leads_to_list(const PqTable *t, const char *name)
{
    const PqNode *top = unnested_column(t);

    return top && pq_ascii_same(top->name, name);
}

bool pq_table_leads_into_list(const PqTable *t, const char *path)
{
    const PqNode *top = unnested_column(t);
    size_t n = top ? strlen(top->name) : 0;

    return top && pq_ascii_same_n(top->name, path, n) && path[n] == '.';
}

bool pq_table_has_fields(const PqTable *t, const char *name)
{
    size_t n = strlen(name);

    for (uint32_t i = 0; t->unnest.n > 0 && i < t->n_columns; i++) {
        if (!t->columns[i].hidden && pq_ascii_same_n(t->columns[i].name, name, n) &&
            t->columns[i].name[n] == '.') {
            return true;
        }
    }
    return false;
}

/* The least definition level that a node beside or below an element can have,
** given that the element and everything around it are there. */
uint16_t pq_table_least_level(const PqTable *t, const PqNode *root,
                              const PqNode *node)
{
    const PqNode *last, *of = node->parent;

    if (t->unnest.n == 0 || t->unnest.outer) {
        return 0;
    }
    last = pq_table_same_node(root, t->unnest.root,
                              t->unnest.list[t->unnest.n - 1]);
    while (last && of && !is_below(last, of)) {
        of = of->parent;
    }
    return !last || !of ? 0 : is_list(of) ? of->repeated_def : of->def_present;
}

/* ---- in another file ----------------------------------------------------- */

/* The error for a file that has something else at a level, or on the way
** there. */
static PqRc other_kind(const PqTable *t, const PqNode *like,
                       const PqNode *found, const char *path, PqErr *e)
{
    pq_fail(e, PQ_CHANGED, "column %s is %s in %s and %s in %s; its elements are "
            "the rows of the table", found->path, kind_word(like),
            t->unnest.path, kind_word(found), path);
    return e->rc;
}

PqRc pq_table_lists(const PqTable *t, const PqFooter *f, const char *path,
                    const PqNode **lists, PqErr *e)
{
    const PqNode *root = f->schema.root;

    for (uint32_t i = 0; i < t->unnest.n; i++) {
        const PqNode *like = t->unnest.list[i], *found;

        lists[i] = found = pq_table_same_node(root, t->unnest.root, like);
        while (!found && like->parent) {
            like = like->parent;
            found = pq_table_same_node(root, t->unnest.root, like);
        }
        if (found && found->kind != like->kind) {
            return other_kind(t, like, found, path, e);
        }
        if (!lists[i]) {
            for (; i < t->unnest.n; i++) {
                lists[i] = NULL;
            }
        }
    }
    return PQ_OK;
}

PqRc pq_table_check_lists(const PqTable *t, const PqFooter *f,
                          const char *path, PqErr *e)
{
    const PqNode **lists;
    PqRc rc;

    if (t->unnest.n == 0 || f->schema.root == t->unnest.root) {
        return PQ_OK;
    }
    lists = pq_mem_zeros(t->engine->mem, t->unnest.n, sizeof *lists, e);
    rc = lists ? pq_table_lists(t, f, path, lists, e) : e->rc;
    pq_mem_free(lists);
    return rc;
}

/* ---- columns of its own -------------------------------------------------- */

PqRc pq_table_add_ordinals(PqTable *t, PqTableNames *names, PqErr *e)
{
    for (uint32_t i = 0; i < t->unnest.n; i++) {
        const char *list = pq_table_dotted(t, t->unnest.root, t->unnest.list[i],
                                           e);
        const char *name = list ? pq_arena_printf(&t->arena, e, "%s.ordinal",
                                                  list) : NULL;
        PqColumn *c = name ? pq_table_add(t, e) : NULL;

        PQ_TRY(c ? PQ_OK : e->rc);
        c->kind = PQ_COLUMN_ORDINAL;
        c->hidden = true;
        c->level = i;
        PQ_TRY(pq_table_name(names, t, name, e));
    }
    return PQ_OK;
}
