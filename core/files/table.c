/*
** table.c - declares the columns of a table, and finds them in other files.
**
** Names are hard.  SQLite's names ignore case and must be unique, but a file
** may have one name twice, or names that differ in case, and inner leaves,
** folders and hidden columns join them.  Duplicates become name_1, name_2, ...
** Later files must map to the same columns even if their order or their types
** differ.  Files with ten thousand columns exist, so lookups are hashed or
** begin where the last one ended.
*/
#include "core/files/left_out.h"
#include "core/files/table_inside.h"
#include "core/files/table_paths.h"
#include "core/files/table_types.h"
#include "core/text/utf8.h"

#include <strings.h>

/* ---- finding nodes ----------------------------------------------------- */

static const PqNode *child_named(const PqNode *of, const char *name,
                                 uint32_t nth, bool exact)
{
    uint32_t i;

    for (i = 0; i < of->n_children; i++) {
        const char *other = of->child[i]->name;
        if ((exact ? strcmp(other, name) : strcasecmp(other, name)) == 0 &&
            nth-- == 0) {
            return of->child[i];
        }
    }
    return NULL;
}

static uint32_t nth_of_its_name(const PqNode *root, const PqNode *node)
{
    const PqNode *of = node->parent ? node->parent : root;
    uint32_t i, nth = 0;

    for (i = 0; of->child[i] != node; i++) {
        nth += strcmp(of->child[i]->name, node->name) == 0;
    }
    return nth;
}

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
    uint32_t nth = nth_of_its_name(like_root, like);

    of = like->parent ? pq_table_same_node(root, like_root, like->parent) : root;
    if (!of || (of != root && of->kind != like->parent->kind)) {
        return NULL;
    }
    if (of->kind != PQ_NODE_STRUCT) {
        return child_at_place_of(of, like);
    }
    found = child_named(of, like->name, nth, true);
    return found ? found
                 : nth == 0 ? child_named(of, like->name, 0, false) : NULL;
}

/* DECIMALs of the same digits are one type, however they are stored. */
static bool same_leaf(const PqType *a, const PqType *b)
{
    return pq_type_equal(a, b) ||
           (a->logical == PQ_TYPE_DECIMAL && b->logical == PQ_TYPE_DECIMAL &&
            a->precision == b->precision && a->scale == b->scale);
}

/* Each file may shred a VARIANT in its own way; the value is the same. */
static bool same_shape(const PqNode *a, const PqNode *b)
{
    uint32_t i;

    if (a->kind == PQ_NODE_VARIANT && b->kind == PQ_NODE_VARIANT) {
        return true;
    }
    if (a->kind != b->kind || a->n_children != b->n_children) {
        return false;
    }
    if (a->kind == PQ_NODE_LEAF) {
        return same_leaf(&a->type, &b->type);
    }
    for (i = 0; i < a->n_children; i++) {
        if ((a->kind == PQ_NODE_STRUCT &&
             strcmp(a->child[i]->name, b->child[i]->name) != 0) ||
            !same_shape(a->child[i], b->child[i])) {
            return false;
        }
    }
    return true;
}

/* Is the value never null in a file whose schema has this node? */
static bool never_null(const PqTable *t, const PqNode *root, const PqNode *n)
{
    if (n->kind == PQ_NODE_VARIANT ||
        n->def_present > pq_table_least_level(t, root, n)) {
        return false;
    }
    return n->kind != PQ_NODE_LEAF ||
           (!pq_type_is_float(&n->type) && n->type.logical != PQ_TYPE_UNKNOWN);
}

/* ---- declaring --------------------------------------------------------- */

static PqRc add_node(PqTable *t, PqTableNames *names, const PqNode *root,
                     const PqNode *node, const char *name, const char *path,
                     bool hidden, PqErr *e)
{
    PqColumn *c = pq_table_add(t, e);

    if (!c) {
        return e->rc;
    }
    c->kind = PQ_COLUMN_NODE;
    c->hidden = hidden;
    c->root = root;
    c->node = node;
    c->type = node->type;
    c->typed_by = path;
    c->position = UINT32_MAX;
    c->not_null = !hidden && never_null(t, root, node);
    return pq_table_name(names, t, name, e);
}

/* Does columns= name it, or a field that it lies in? */
static bool wanted(const PqTableOptions *o, const char *name)
{
    uint32_t i;

    for (i = 0; i < o->n_only; i++) {
        size_t n = strlen(o->only[i]);

        if (strcasecmp(o->only[i], name) == 0 ||
            (o->unnest && strncasecmp(o->only[i], name, n) == 0 &&
             name[n] == '.')) {
            return true;
        }
    }
    return o->only == NULL;
}

/* A file whose fields become columns. */
typedef struct Adding {
    PqTable              *t;
    PqTableNames         *names;
    const PqTableOptions *o;
    const PqNode         *root;
    const char           *path;
    bool                  used;      /* the file has a new one              */
} Adding;

static PqRc add_field(void *arg, const PqNode *node, const char *name,
                      PqErr *e)
{
    Adding *a = arg;
    PqColumn *c;
    uint32_t i;

    if (!wanted(a->o, name)) {
        return PQ_OK;
    }
    PQ_TRY(add_node(a->t, a->names, a->root, node, name, a->path, false, e));
    c = &a->t->columns[a->t->n_columns - 1];
    c->siblings = a->root->n_children;
    for (i = 0; i < c->siblings && a->root->child[i] != node; i++) {
    }
    c->position = i < c->siblings ? i : UINT32_MAX;
    return PQ_OK;
}

/* A field of a further file, which the table may have. */
static PqRc add_new_field(void *arg, const PqNode *node, const char *name,
                          PqErr *e)
{
    Adding *a = arg;

    if (!wanted(a->o, name) || (pq_table_named(a->names, a->t, name) &&
                                nth_of_its_name(a->root, node) == 0)) {
        return PQ_OK;
    }
    PQ_TRY(add_node(a->t, a->names, a->root, node, name, a->path, false, e));
    a->t->columns[a->t->n_columns - 1].not_null = false;
    a->used = true;
    return PQ_OK;
}

/* The leaves inside a struct that are not below a list: hidden columns. */
static PqRc add_inner(PqTable *t, PqTableNames *names, const PqNode *root,
                      const PqNode *of, const char *path, PqErr *e)
{
    uint32_t i;

    for (i = 0; i < of->n_children; i++) {
        const PqNode *node = of->child[i];

        if (node->kind == PQ_NODE_STRUCT) {
            PQ_TRY(add_inner(t, names, root, node, path, e));
        } else if (node->kind == PQ_NODE_LEAF) {
            const char *name = pq_table_dotted(t, root, node, e);

            if (!name) {
                return e->rc;
            }
            if (!pq_table_named(names, t, name)) {
                PQ_TRY(add_node(t, names, root, node, name, path, true, e));
            }
        }
    }
    return PQ_OK;
}

static PqRc add_hidden(PqTable *t, PqTableNames *names, PqErr *e)
{
    static const struct { PqColumnKind kind; const char *name; } own[] = {
        {PQ_COLUMN_FILENAME, "filename"},
        {PQ_COLUMN_FILE_INDEX, "file_index"},
        {PQ_COLUMN_FILE_ROW, "file_row_number"},
        {PQ_COLUMN_ROW_GROUP, "file_row_group_number"},
    };
    uint32_t i, n_visible = t->n_columns;

    PQ_TRY(pq_table_add_ordinals(t, names, e));
    for (i = 0; i < PQ_COUNT(own); i++) {
        PqColumn *c;

        if (pq_table_named(names, t, own[i].name)) {
            continue;                /* a column of the data wins */
        }
        if (!(c = pq_table_add(t, e))) {
            return e->rc;
        }
        c->kind = own[i].kind;
        c->hidden = true;
        PQ_TRY(pq_table_name(names, t, own[i].name, e));
    }
    for (i = 0; i < n_visible; i++) {
        const PqNode *node = t->columns[i].node;
        if (t->columns[i].kind == PQ_COLUMN_NODE &&
            node->kind == PQ_NODE_STRUCT) {
            PQ_TRY(add_inner(t, names, t->columns[i].root, node,
                             t->columns[i].typed_by, e));
        }
    }
    return PQ_OK;
}

/* Adds a hidden column that is another form of a node; *added is NULL if its
** name is taken. */
static PqRc add_form(PqTable *t, PqTableNames *names, const PqNode *root,
                     const PqNode *node, const char *path, const char *form,
                     PqColumn **added, PqErr *e)
{
    const char *front = pq_table_dotted(t, root, node, e);
    const char *name = front ? pq_arena_printf(&t->arena, e, "%s.%s", front,
                                               form) : NULL;

    *added = NULL;
    if (!name) {
        return e->rc;
    }
    if (!pq_table_named(names, t, name)) {
        PQ_TRY(add_node(t, names, root, node, name, path, true, e));
        *added = &t->columns[t->n_columns - 1];
    }
    return PQ_OK;
}

/* Variants as blobs, and native geometries as WKB.  They come late, because the
** last columns are the first to go where a table has more of them than SQLite
** takes. */
static PqRc add_blobs(PqTable *t, PqTableNames *names, const PqNode *root,
                      const PqNode *node, const char *path, PqErr *e)
{
    PqColumn *c;
    uint32_t i;

    if (node->geometry && node->geometry->encoding != PQ_GEO_AS_WKB) {
        PQ_TRY(add_form(t, names, root, node, path, "wkb", &c, e));
        if (c) {
            c->as_wkb = true;
            c->type = node->geometry->type;
        }
    } else if (node->kind == PQ_NODE_STRUCT) {
        for (i = 0; i < node->n_children; i++) {
            PQ_TRY(add_blobs(t, names, root, node->child[i], path, e));
        }
    } else if (node->kind == PQ_NODE_VARIANT) {
        PQ_TRY(add_form(t, names, root, node, path, "variant", &c, e));
        if (c) {
            c->as_blob = true;
        }
    }
    return PQ_OK;
}

static PqRc add_all_blobs(PqTable *t, PqTableNames *names, PqErr *e)
{
    uint32_t i, n = t->n_columns;

    for (i = 0; i < n; i++) {
        if (t->columns[i].kind == PQ_COLUMN_NODE && !t->columns[i].hidden) {
            PQ_TRY(add_blobs(t, names, t->columns[i].root, t->columns[i].node,
                             t->columns[i].typed_by, e));
        }
    }
    return PQ_OK;
}

/* A folder's value wins over a column of the same name in the file, as in other
** readers: conditions on it skip files, and a writer that stores both stores
** the same value. */
static PqRc add_hive(PqTable *t, PqTableNames *names, const PqListing *l,
                     const PqTableOptions *o, PqErr *e)
{
    uint32_t i;

    for (i = 0; i < l->n_folder_columns; i++) {
        PqSlice column = pq_slice_text(l->folder_columns[i]);
        char *folder_column = pq_arena_text(&t->arena, column.p, column.n, e);
        const char *name = pq_utf8_text(&t->arena, column, e);
        PqColumn *c;

        if (!folder_column || !name) {
            return e->rc;
        }
        if (!wanted(o, name)) {
            continue;
        }
        c = pq_table_named(names, t, name);
        if (!c || c->kind == PQ_COLUMN_HIVE) {
            if (!pq_table_add(t, e)) {
                return e->rc;
            }
            PQ_TRY(pq_table_name(names, t, name, e));
            c = &t->columns[t->n_columns - 1];
        }
        c->kind = PQ_COLUMN_HIVE;
        c->node = NULL;
        c->not_null = false;
        c->folder_column = folder_column;
        c->hive_type = l->folder_types[i];
    }
    return PQ_OK;
}

static PqRc hold(PqTable *t, PqFooter *f, PqErr *e)
{
    PQ_TRY(PQ_RESIZE(t->engine->mem, t->footers, t->n_footers + 1u, e));
    t->footers[t->n_footers++] = f;
    pq_footer_hold(f);
    f->n_tables++;
    return PQ_OK;
}

/* Is there a type that holds the values of both? */
static bool fits(const PqColumn *c, const PqNode *node)
{
    PqType wide = c->type;

    return c->node->kind == PQ_NODE_LEAF && node->kind == PQ_NODE_LEAF
               ? pq_table_widen(&wide, &node->type) : same_shape(c->node, node);
}

/* Adds a further file to a union: types are widened, new columns go to the end.
** A file that does not fit changes nothing. */
static PqRc merge(PqTable *t, PqTableNames *names, PqFooter *f,
                  const char *path, const PqTableOptions *o, PqErr *e)
{
    const PqNode *root = f->schema.root;
    Adding adding = {t, names, o, root, path, false};
    uint32_t i, n = t->n_columns;

    PQ_TRY(pq_table_check_lists(t, f, path, e));
    for (i = 0; i < n; i++) {
        const PqColumn *c = &t->columns[i];
        const PqNode *node = pq_table_same_node(root, c->root, c->node);

        if (node && !fits(c, node)) {
            return pq_table_types_differ(t, c, node, path, e);
        }
    }
    for (i = 0; i < n; i++) {
        PqColumn *c = &t->columns[i];
        const PqNode *node = pq_table_same_node(root, c->root, c->node);
        PqType before = c->type;

        c->not_null = c->not_null && node && never_null(t, root, node);
        if (node && node->kind == PQ_NODE_LEAF &&
            pq_table_widen(&c->type, &node->type) && !pq_type_equal(&before, &c->type)) {
            c->typed_by = path;
        }
    }
    PQ_TRY(pq_table_each_field(t, root, add_new_field, &adding, e));
    return adding.used ? hold(t, f, e) : PQ_OK;
}

static PqRc every_name_is_known(const PqTable *t, const PqTableNames *names,
                                const PqListing *l, const PqTableOptions *o,
                                PqErr *e)
{
    uint32_t i;

    for (i = 0; i < o->n_only; i++) {
        if (!*pq_table_names_find(names, t, o->only[i]) &&
            !pq_table_has_fields(t, o->only[i])) {
            pq_fail(e, PQ_USAGE, "columns= names %s, but %s has no such column",
                    o->only[i], t->first_path);
            if (o->unknown_name) {
                o->unknown_name(t, l, o->only[i], e);
            }
            return e->rc;
        }
    }
    return PQ_OK;
}

/* The list may be in a later file only, of which the first one may have a struct
** around it. */
static PqRc find_lists(PqTable *t, PqFooter *f, const char *path,
                       const PqTableOptions *o, bool only, PqErr *e)
{
    PQ_TRY(pq_table_find_lists(t, f, path, o, only, e));
    if (t->unnest.root != f->schema.root) {
        return PQ_OK;
    }
    t->unnest.path = pq_arena_text(&t->arena, path, strlen(path), e);
    if (!t->unnest.path) {
        return e->rc;
    }
    return f == t->footers[0] ? PQ_OK : hold(t, f, e);
}

/* The footer of file i, held once more.  That of the first file is the one that the
** table holds: the engine may have forgotten it by now, and would read another. */
static PqRc footer_of(PqTable *t, const PqListing *l, uint32_t i, const char *path,
                      PqFooter **out, PqErr *e)
{
    if (i > 0) {
        return pq_engine_footer(t->engine, l, path, out, e);
    }
    *out = t->footers[0];
    pq_footer_hold(*out);
    return PQ_OK;
}

static PqRc declare(PqTable *t, const PqListing *l, const PqTableOptions *o,
                    PqErr *e)
{
    uint32_t i, n = o->union_by_name ? l->n_files : 1;
    PqFooter *f = NULL;
    PqTableNames names = {0};
    PqTablePaths paths = {0};
    size_t n_names = 64 + o->n_paths;
    PqRc rc = PQ_OK;

    for (i = 0; i < n; i++) {        /* counts the names, for the hash */
        PQ_GO(pq_stop_poll(&o->stop, e));
        PQ_GO(pq_engine_footer(t->engine, l, l->files[i].path, &f, e));
        n_names += 2 * (size_t)f->schema.n_elements;
        PQ_GO(i == 0 ? hold(t, f, e) : PQ_OK);
        PQ_GO(find_lists(t, f, l->files[i].path, o, n == 1, e));
        pq_footer_release(f);
        f = NULL;
    }
    PQ_GO(pq_table_names_init(&names, t, n_names + 2 * l->n_folder_columns,
                              e));
    for (i = 0; i < n; i++) {
        const char *path = pq_arena_text(&t->arena, l->files[i].path,
                                         strlen(l->files[i].path), e);
        if (!path) {
            rc = e->rc;
            goto done;
        }
        PQ_GO(pq_stop_poll(&o->stop, e));
        PQ_GO(footer_of(t, l, i, path, &f, e));
        if (i == 0) {
            Adding adding = {t, &names, o, f->schema.root, path, false};

            t->first_path = path;
            PQ_GO(pq_table_each_field(t, f->schema.root, add_field, &adding,
                                      e));
        } else if (merge(t, &names, f, path, o, e) != PQ_OK) {
            rc = e->rc;
            if (rc != PQ_CHANGED || !o->ignore_errors) {
                goto done;
            }
            pq_err_clear(e);
        }
        PQ_GO(pq_table_list_paths(t, &paths, f, e));
        pq_footer_release(f);
        f = NULL;
    }
    PQ_GO(pq_table_find_lists(t, t->footers[0], t->first_path, o, true, e));
    for (i = 0; i < t->n_columns; i++) {     /* holds only if all were seen */
        t->columns[i].not_null = t->columns[i].not_null && n == l->n_files &&
                                 !o->ignore_errors;
    }
    PQ_GO(add_hive(t, &names, l, o, e));
    PQ_GO(pq_table_add_computed(t, &names, l, o, e));
    PQ_GO(every_name_is_known(t, &names, l, o, e));
    PQ_GO(add_hidden(t, &names, e));
    PQ_GO(add_all_blobs(t, &names, e));
    PQ_GO(pq_table_add_shredded(t, &names, &paths, e));
done:
    pq_footer_release(f);
    pq_table_free_paths(&paths);
    pq_table_names_free(&names);
    return rc;
}

PqRc pq_table_new(PqEngine *engine, const PqListing *listing,
                  const PqTableOptions *options, PqTable **out, PqErr *e)
{
    PqTable *t = pq_mem_zeros(engine->mem, 1, sizeof *t, e);

    *out = NULL;
    if (!t) {
        return e->rc;
    }
    t->engine = engine;
    t->union_by_name = options->union_by_name;
    t->ignore_errors = options->ignore_errors;
    t->left_out_hint = options->left_out_hint;
    t->chosen = options->only != NULL;
    t->believes = options->believes;
    pq_arena_init(&t->arena, engine->mem);
    if (declare(t, listing, options, e) != PQ_OK) {
        pq_left_out_hint(t, listing, e);
        pq_table_free(t);
        return e->rc;
    }
    *out = t;
    return PQ_OK;
}

void pq_table_free(PqTable *t)
{
    uint32_t i;

    if (t) {
        for (i = 0; i < t->n_footers; i++) {
            t->footers[i]->n_tables--;
            pq_footer_release(t->footers[i]);
        }
        pq_mem_free(t->footers);
        pq_mem_free(t->columns);
        pq_arena_free(&t->arena);
        pq_mem_free(t);
    }
}

void pq_table_forget(PqTable *t)
{
    uint32_t i;

    for (i = 0; i < t->n_footers; i++) {
        pq_footer_forget(t->footers[i], t->engine->keys);
    }
}

/* ---- reading ----------------------------------------------------------- */

/* Files of one table mostly have the same layout, so the same place is tried
** first. */
static const PqNode *node_of_column(const PqNode *root, const PqColumn *c)
{
    const PqNode *there = c->position < root->n_children
                              ? root->child[c->position] : NULL;

    return there && root->n_children == c->siblings &&
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

/* The types differ: in another file, or because this very file changed. */
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
    uint32_t i;

    if (t->ignore_errors) {          /* the first file may be left out */
        first = strcmp(path, t->first_path) == 0;
    }
    PQ_TRY(pq_table_check_lists(t, f, path, e));
    for (i = 0; i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];
        const PqNode *node;

        nodes[i] = NULL;
        if (c->kind == PQ_COLUMN_VARIANT_PATH && !c->hidden &&
            !is_variant(c, root)) {
            return changed(t, path, "is a path into what is no VARIANT now",
                           c->name, e);
        }
        if (c->kind != PQ_COLUMN_NODE) {
            continue;
        }
        node = f == t->footers[0] && t->n_footers == 1
                   ? c->node : node_of_column(root, c);
        if (!node) {
            if (c->not_null || (first && !t->union_by_name)) {
                return changed(t, path, "is missing", c->name, e);
            }
            continue;
        }
        if (c->not_null && !never_null(t, root, node)) {
            return changed(t, path, "can be NULL now", c->name, e);
        }
        if (c->node->kind == PQ_NODE_LEAF && node->kind == PQ_NODE_LEAF) {
            if (!pq_table_converts(&node->type, &c->type)) {
                return misfit(t, c, node, path, e);
            }
        } else if (node != c->node && !same_shape(c->node, node)) {
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
    uint32_t i;

    for (i = 0; i < t->n_columns; i++) {
        if (t->columns[i].kind == PQ_COLUMN_HIVE &&
            strcasecmp(t->columns[i].folder_column, name) == 0) {
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
    uint32_t i, at = t->n_columns - 1, left;

    for (i = 0; !t->chosen && i < root->n_children; i++) {
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
