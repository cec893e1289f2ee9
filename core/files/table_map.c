/*
** table_map.c - finds the columns of a table in its files.
**
** Files must map to the same columns even if their columns differ in order or
** type.  Most files are alike, and some have ten thousand columns.  So each
** search begins where the column of another file was, or where the last search
** ended.
*/
#include "core/files/table_inside.h"
#include "core/files/table_types.h"


/* ---- finding nodes ----------------------------------------------------- */

/* The element of a list, the key or the value of a map. */
static const PqNode *child_at_place_of(const PqNode *of, const PqNode *like)
{
    uint32_t i;

    for (i = 0; like->parent->child[i] != like; i++) {
    }
    return i < of->n_children ? of->child[i] : NULL;
}

const PqNode *pq_table_same_node(const PqNode *root, const PqNode *like_root,
                                 const PqNode *like)
{
    const PqNode *of, *found;
    PqSlice name = pq_slice_text(like->name);
    uint32_t nth;

    of = like->parent ? pq_table_same_node(root, like_root, like->parent) : root;
    if (!of || (of != root && of->kind != like->parent->kind)) {
        return NULL;
    }
    if (of->kind != PQ_NODE_STRUCT) {
        return child_at_place_of(of, like);
    }
    nth = pq_node_nth_of_its_name(like->parent ? like->parent : like_root, like);
    found = pq_node_field(of, name, nth);
    return found ? found
                 : nth == 0 ? pq_node_field_any_case(of, name) : NULL;
}

/* DECIMALs with the same digits are one type, however they are stored. */
static bool same_leaf(const PqType *a, const PqType *b)
{
    return pq_type_equal(a, b) ||
           (a->logical == PQ_TYPE_DECIMAL && b->logical == PQ_TYPE_DECIMAL &&
            a->precision == b->precision && a->scale == b->scale);
}

/* Has the wide type all values of the other, and can JSON show these as its own?  Of an instant it
** has as many digits as its fraction needs, whatever its unit is. */
static bool shows_as(const PqType *t, const PqType *wide)
{
    bool is_int = t->physical == PQ_INT32 || t->physical == PQ_INT64;
    bool is_number = wide->logical == PQ_TYPE_INT || wide->logical == PQ_TYPE_DECIMAL ||
                     (wide->logical == PQ_TYPE_NONE &&
                      (wide->physical == PQ_INT32 || wide->physical == PQ_INT64));
    bool is_real = pq_type_is_float(wide) &&
                   (!is_int || (t->physical == PQ_INT32 && wide->physical == PQ_DOUBLE));

    return pq_table_converts(t, wide) && (t->logical == PQ_TYPE_UNKNOWN || is_number || is_real ||
                                          pq_type_is_instant(wide));
}

/* wider: leaves of a may be. */
static bool is_shape(const PqNode *a, const PqNode *b, bool wider)
{
    if (a->kind == PQ_NODE_VARIANT && b->kind == PQ_NODE_VARIANT) {
        return true;
    }
    if (a->kind != b->kind || a->n_children != b->n_children) {
        return false;
    }
    if (a->kind == PQ_NODE_LEAF) {
        return same_leaf(&a->type, &b->type) || (wider && shows_as(&b->type, &a->type));
    }
    for (uint32_t i = 0; i < a->n_children; i++) {
        if ((a->kind == PQ_NODE_STRUCT &&
             strcmp(a->child[i]->name, b->child[i]->name) != 0) ||
            !is_shape(a->child[i], b->child[i], wider)) {
            return false;
        }
    }
    return true;
}

bool pq_table_same_shape(const PqNode *a, const PqNode *b)
{
    return is_shape(a, b, false);
}

bool pq_table_never_null(const PqTable *t, const PqNode *root, const PqNode *n)
{
    if (n->kind == PQ_NODE_VARIANT ||
        n->def_present > pq_table_least_level(t, root, n)) {
        return false;
    }
    return n->kind != PQ_NODE_LEAF ||
           (!pq_type_is_float(&n->type) && n->type.logical != PQ_TYPE_UNKNOWN);
}

/* ---- reading ----------------------------------------------------------- */

/* Files of one table mostly have the same layout, so the same place is tried
** first. */
const PqNode *pq_table_node_of(const PqNode *root, const PqColumn *c)
{
    const PqNode *there = c->position < root->n_children
                              ? root->child[c->position] : NULL;

    return there && !there->shares_name && !c->node->shares_name &&
                   there->name_hash == c->node->name_hash &&
                   strcmp(there->name, c->node->name) == 0
               ? there : pq_table_same_node(root, c->root, c->node);
}

static PqRc changed(const PqTable *t, const char *path, const char *what,
                    const char *name, PqErr *e)
{
    return pq_fail(e, PQ_CHANGED,
                   "%s: the columns are no longer those of the table%s (column "
                   "%s %s); drop the table and create it again%s", path,
                   t->union_by_name ? "" : ", taken from the first file", name,
                   what, t->union_by_name ? "" : ", with union_by_name=on if "
                                                 "the files differ");
}

/* The error for types that differ: in another file, or because this file
** changed. */
static PqRc misfit(const PqTable *t, const PqColumn *c, const PqNode *node,
                   const char *path, PqErr *e)
{
    return strcmp(c->typed_by, path) == 0
               ? changed(t, path, "has another type", c->name, e)
               : pq_table_types_differ(t, c, node, path, e);
}

/* A file may lack it. */
static bool is_variant(const PqColumn *c, const PqNode *root)
{
    const PqNode *node = pq_table_same_node(root, c->root, c->path->variant);

    return !node || node->kind == PQ_NODE_VARIANT;
}

PqRc pq_table_map(const PqTable *t, const PqFooter *f, const char *path,
                  bool first, const PqNode **nodes, PqErr *e)
{
    const PqNode *root = f->schema.root;

    if (t->ignore_errors) {          /* the first file may be left out */
        first = strcmp(path, t->first_path) == 0;
    }
    PQ_TRY(pq_table_check_lists(t, f, path, e));
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];
        const PqNode *node;

        nodes[i] = NULL;
        if (c->kind == PQ_COLUMN_VARIANT_PATH && !c->hidden &&
            !is_variant(c, root)) {
            return changed(t, path, "is a path into what is not a VARIANT now",
                           c->name, e);
        }
        if (c->kind != PQ_COLUMN_NODE) {
            continue;
        }
        node = f == t->footers[0] && t->n_footers == 1
                   ? c->node : pq_table_node_of(root, c);
        if (!node) {
            if (c->not_null || (first && !t->union_by_name)) {
                return changed(t, path, "is missing", c->name, e);
            }
            continue;
        }
        if (c->not_null && !pq_table_never_null(t, root, node)) {
            return changed(t, path, "can be NULL now", c->name, e);
        }
        if (c->node->kind == PQ_NODE_LEAF && node->kind == PQ_NODE_LEAF) {
            if (!pq_table_converts(&node->type, &c->type)) {
                return misfit(t, c, node, path, e);
            }
        } else if (node != c->node && !is_shape(c->node, node, true)) {
            return misfit(t, c, node, path, e);
        }
        nodes[i] = node;
    }
    return PQ_OK;
}

PqGeoEncoding pq_table_encoding(const PqColumn *c, const PqNode *node)
{
    const PqGeometry *own = node->geometry;

    return own && own->encoding != PQ_GEO_AS_WKB ? own->encoding
                                                 : c->node->geometry->encoding;
}

static bool is_folder_column(const PqTable *t, const char *name)
{
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (t->columns[i].kind == PQ_COLUMN_HIVE &&
            pq_ascii_same(t->columns[i].folder_column, name)) {
            return true;
        }
    }
    return false;
}

/* All files mostly have the same order of columns, so each search begins where
** the last one ended. */
const char *pq_table_surplus(const PqTable *t, const PqFooter *f,
                             const PqNode *const *nodes)
{
    const PqNode *root = f->schema.root;
    uint32_t at = t->n_columns - 1, left;

    for (uint32_t i = 0; !t->chosen && i < root->n_children; i++) {
        for (left = t->n_columns; left > 0; left--) {
            at = at + 1 < t->n_columns ? at + 1 : 0;
            if (nodes[at] == root->child[i]) {
                break;
            }
        }
        if (left == 0 && !is_folder_column(t, root->child[i]->name) &&
            !pq_table_leads_to_list(t, root->child[i]->name)) {
            return root->child[i]->name;
        }
    }
    return NULL;
}
