/*
** table.c - declares the columns of a table.  table_map.c finds them in other
** files.
**
** Names are hard.  SQLite's names ignore case and must be unique, but a file
** may have one name twice, or names that differ in case, and inner leaves,
** folders and hidden columns join them.  Duplicates become name_1, name_2, ...
** Files with ten thousand columns exist, so lookups are hashed.
*/
#include "core/files/ignore_errors.h"
#include "core/files/table_inside.h"
#include "core/files/table_paths.h"
#include "core/files/table_types.h"
#include "core/text/utf8.h"


/* ---- declaring --------------------------------------------------------- */

static PqRc add_node(PqTable *t, PqTableNames *names, const PqNode *root,
                     const PqNode *node, const char *name, const char *path,
                     bool hidden, PqErr *e)
{
    PqColumn *c = pq_table_add(t, e);

    PQ_TRY(c ? PQ_OK : e->rc);
    c->kind = PQ_COLUMN_NODE;
    c->hidden = hidden;
    c->root = root;
    c->node = node;
    c->type = node->type;
    c->typed_by = path;
    c->position = UINT32_MAX;
    c->not_null = !hidden && pq_table_never_null(t, root, node);
    return pq_table_name(names, t, name, e);
}

/* Does the list name it, or a field around it? */
static bool is_in(PqNameSet *s, const PqTableOptions *o, const char *name)
{
    bool found = pq_name_set_has(s, pq_slice_text(name));
    const char *dot = o->unnest ? strchr(name, '.') : NULL;

    for (; dot && !found; dot = strchr(dot + 1, '.')) {
        found = pq_name_set_has(s, pq_slice(name, (size_t)(dot - name)));
    }
    return found;
}

static bool wanted(PqTableNames *names, const PqTableOptions *o,
                   const char *name)
{
    return names->only.v ? is_in(&names->only, o, name)
                         : !is_in(&names->except, o, name);
}

/* A file whose fields become columns. */
typedef struct Adding {
    PqTable              *t;
    PqTableNames         *names;
    const PqTableOptions *o;
    const PqNode         *root;
    const char           *path;
    bool                  used;      /* the file has a new one              */
    uint32_t              at;        /* the top field that came last        */
    bool                  is_lake;   /* it is the schema of a lake table    */
} Adding;

/* Fields come in the order of the file. */
static void take_position(Adding *a, const PqNode *node)
{
    if (!node->parent) {
        while (a->root->child[a->at] != node) {
            a->at++;
        }
        a->t->columns[a->t->n_columns - 1].position = a->at;
    }
}

static PqRc add_field(void *arg, const PqNode *node, const char *name, PqErr *e)
{
    Adding *a = arg;

    if (!wanted(a->names, a->o, name) || (a->is_lake && pq_lake_is_lineage(node))) {
        return PQ_OK;
    }
    PQ_TRY(add_node(a->t, a->names, a->root, node, name, a->path, false, e));
    take_position(a, node);
    return PQ_OK;
}

/* A field of a further file, which the table may already have. */
static PqRc add_new_field(void *arg, const PqNode *node, const char *name,
                          PqErr *e)
{
    Adding *a = arg;
    const PqNode *of = node->parent ? node->parent : a->root;

    if (!wanted(a->names, a->o, name) ||
        (pq_table_named(a->names, a->t, name) &&
         pq_node_nth_of_its_name(of, node) == 0)) {
        return PQ_OK;
    }
    PQ_TRY(add_node(a->t, a->names, a->root, node, name, a->path, false, e));
    take_position(a, node);
    a->t->columns[a->t->n_columns - 1].not_null = false;
    a->used = true;
    return PQ_OK;
}

/* The leaves inside a struct that are not below a list: hidden columns. */
static PqRc add_inner(PqTable *t, PqTableNames *names, const PqNode *root,
                      const PqNode *of, const char *path, PqErr *e)
{
    for (uint32_t i = 0; i < of->n_children; i++) {
        const PqNode *node = of->child[i];

        if (node->kind == PQ_NODE_STRUCT) {
            PQ_TRY(add_inner(t, names, root, node, path, e));
        } else if (node->kind == PQ_NODE_LEAF) {
            const char *name = pq_table_dotted(t, root, node, e);

            PQ_TRY(name ? PQ_OK : e->rc);
            if (!pq_table_named(names, t, name)) {
                PQ_TRY(add_node(t, names, root, node, name, path, true, e));
            }
        }
    }
    return PQ_OK;
}

/* What a lake table says of its rows.  A column of the data wins. */
static PqRc add_lineage(PqTable *t, PqTableNames *names, const PqListing *l, PqErr *e)
{
    const PqNode *root = pq_listing_schema(l) ? pq_listing_schema(l)->schema.root : NULL;
    const char *path = root ? pq_arena_text(&t->arena, l->lake, strlen(l->lake), e) : NULL;

    PQ_TRY(e->rc);
    for (uint32_t i = 0; root && i < root->n_children; i++) {
        const PqNode *node = root->child[i];

        if (pq_lake_is_lineage(node) &&
            !pq_table_named(names, t, node->name)) {
            PQ_TRY(add_node(t, names, root, node, node->name, path, true, e));
        }
    }
    return PQ_OK;
}

static PqRc add_hidden(PqTable *t, PqTableNames *names, const PqListing *l, PqErr *e)
{
    static const struct { PqColumnKind kind; const char *name; } own[] = {
        {PQ_COLUMN_FILENAME, "filename"},
        {PQ_COLUMN_FILE_INDEX, "file_index"},
        {PQ_COLUMN_FILE_ROW, "file_row_number"},
        {PQ_COLUMN_ROW_GROUP, "file_row_group_number"},
    };
    uint32_t n_visible = t->n_columns;

    PQ_TRY(pq_table_add_ordinals(t, names, e));
    for (uint32_t i = 0; i < PQ_COUNT(own); i++) {
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
    PQ_TRY(add_lineage(t, names, l, e));
    for (uint32_t i = 0; i < n_visible; i++) {
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
    PQ_TRY(name ? PQ_OK : e->rc);
    if (!pq_table_named(names, t, name)) {
        PQ_TRY(add_node(t, names, root, node, name, path, true, e));
        *added = &t->columns[t->n_columns - 1];
    }
    return PQ_OK;
}

/* Adds Variants as blobs, and native geometries as WKB.  They come late,
** because the last columns go first if a table has more columns than SQLite
** takes. */
static PqRc add_blobs(PqTable *t, PqTableNames *names, const PqNode *root,
                      const PqNode *node, const char *path, PqErr *e)
{
    PqColumn *c;

    if (node->geometry && node->geometry->encoding != PQ_GEO_AS_WKB) {
        PQ_TRY(add_form(t, names, root, node, path, "wkb", &c, e));
        if (c) {
            c->as_wkb = true;
            c->type = node->geometry->type;
        }
    } else if (node->kind == PQ_NODE_STRUCT) {
        for (uint32_t i = 0; i < node->n_children; i++) {
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
    uint32_t n = t->n_columns;

    for (uint32_t i = 0; i < n; i++) {
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
    for (uint32_t i = 0; i < l->n_folder_columns; i++) {
        PqSlice column = pq_slice_text(l->folder_columns[i]);
        char *folder_column = pq_arena_text(&t->arena, column.p, column.n, e);
        const char *name = pq_utf8_text(&t->arena, column, e);
        PqColumn *c;

        PQ_TRY(folder_column && name ? PQ_OK : e->rc);
        if (!wanted(names, o, name)) {
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
               ? pq_table_widen(&wide, &node->type) : pq_table_same_shape(c->node, node);
}

/* Adds a further file to a union: types are widened, new columns go to the end.
** A file that does not fit changes nothing. */
static PqRc merge(PqTable *t, PqTableNames *names, PqFooter *f,
                  const char *path, const PqTableOptions *o, PqErr *e)
{
    const PqNode *root = f->schema.root;
    Adding adding = {t, names, o, root, path, false, 0, false};
    uint32_t n = t->n_columns;

    PQ_TRY(pq_table_check_lists(t, f, path, e));
    for (uint32_t i = 0; i < n; i++) {
        const PqColumn *c = &t->columns[i];
        const PqNode *node = pq_table_node_of(root, c);

        if (node && !fits(c, node)) {
            return pq_table_types_differ(t, c, node, path, e);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        PqColumn *c = &t->columns[i];
        const PqNode *node = pq_table_node_of(root, c);
        PqType before = c->type;

        c->not_null = c->not_null && node && pq_table_never_null(t, root, node);
        if (node && node->kind == PQ_NODE_LEAF &&
            pq_table_widen(&c->type, &node->type) && !pq_type_equal(&before, &c->type)) {
            c->typed_by = path;
        }
    }
    PQ_TRY(pq_table_each_field(t, root, add_new_field, &adding, e));
    return adding.used ? hold(t, f, e) : PQ_OK;
}

static PQ_COLD PqRc unknown(const PqTable *t, const PqListing *l,
                            const PqTableOptions *o, const char *option,
                            const char *name, PqErr *e)
{
    pq_fail(e, PQ_USAGE, "%s names %s, but %s has no such column", option, name,
            t->first_path);
    if (o->unknown_name) {
        o->unknown_name(t, l, name, e);
    }
    return e->rc;
}

static PqRc every_name_is_known(const PqTable *t, const PqTableNames *names,
                                const PqListing *l, const PqTableOptions *o,
                                PqErr *e)
{
    for (uint32_t i = 0; i < o->only.n; i++) {
        const char *name = o->only.v[i];

        if (!*pq_table_names_find(names, t, name) &&
            !pq_table_has_fields(t, name)) {
            return unknown(t, l, o, "columns=", name, e);
        }
    }
    if (pq_name_set_left(&names->except)) {
        return unknown(t, l, o, "exclude=", pq_name_set_left(&names->except),
                       e);
    }
    return t->n_columns > 0 || !o->except.v
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "exclude= leaves no column of %s",
                         t->first_path);
}

/* Only a later file may have the list; the first file may have just a struct
** around it. */
static PqRc find_lists(PqTable *t, PqFooter *f, const char *path,
                       const PqTableOptions *o, bool only, PqErr *e)
{
    PQ_TRY(pq_table_find_lists(t, f, path, o, only, e));
    if (t->unnest.root != f->schema.root) {
        return PQ_OK;
    }
    t->unnest.path = pq_arena_text(&t->arena, path, strlen(path), e);
    PQ_TRY(t->unnest.path ? PQ_OK : e->rc);
    return f == t->footers[0] ? PQ_OK : hold(t, f, e);
}

/* The footer of file i, held once more.  The first file's footer comes from the
** table, because the engine may have forgotten it by now, and would read
** another. */
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

/* Columns that a file has as the table declares them are of that file from here on: its
** statistics help to plan. */
static PqRc move_to_file(PqTable *t, const PqListing *l, PqErr *e)
{
    PqFooter *f;

    PQ_TRY(pq_engine_footer(t->engine, l, l->files[0].path, &f, e));
    if (hold(t, f, e) == PQ_OK) {
        PqFooter *schema = t->footers[0];

        t->footers[0] = f;
        t->footers[1] = schema;
    }
    for (uint32_t i = 0; e->rc == PQ_OK && i < t->n_columns; i++) {
        PqColumn *c = &t->columns[i];
        const PqNode *node = pq_table_node_of(f->schema.root, c);

        if (node && pq_table_same_shape(node, c->node)) {
            c->root = f->schema.root;
            c->node = node;
            c->position = UINT32_MAX;
        }
    }
    pq_footer_release(f);
    return e->rc;
}

/* The columns of a lake table are those of its schema, whatever its files have. */
static PqRc add_schema(PqTable *t, PqTableNames *names, const PqListing *l,
                       const PqTableOptions *o, PqErr *e)
{
    const char *first = l->n_files ? l->files[0].path : l->lake;
    Adding adding = {t, names, o, pq_listing_schema(l)->schema.root, NULL, false, 0, true};

    t->first_path = pq_arena_text(&t->arena, first, strlen(first), e);
    adding.path = pq_arena_text(&t->arena, l->lake, strlen(l->lake), e);
    PQ_TRY(t->first_path && adding.path ? PQ_OK : e->rc);
    PQ_TRY(hold(t, pq_listing_schema(l), e));
    PQ_TRY(pq_table_find_lists(t, pq_listing_schema(l), l->lake, o, true, e));
    PQ_TRY(pq_table_each_field(t, adding.root, add_field, &adding, e));
    for (uint32_t i = 0; i < t->n_columns; i++) {
        t->columns[i].not_null = false;
    }
    return l->n_files && !o->unnest ? move_to_file(t, l, e) : PQ_OK;
}

static PqRc declare(PqTable *t, const PqListing *l, const PqTableOptions *o,
                    PqErr *e)
{
    uint32_t i, n = pq_listing_schema(l) ? 0 : o->union_by_name ? l->n_files : 1;
    PqFooter *f = NULL;
    PqTableNames names = {0};
    PqTablePaths paths = {0};
    size_t n_names = 64 + o->n_paths;
    PqRc rc = PQ_OK;

    for (i = 0; i < n; i++) {        /* counts the names, for the hash */
        PQ_GO(pq_stop_poll(&o->stop, e));
        if (n > 1) {
            pq_listing_expect(l, i, NULL, NULL);
        }
        PQ_GO(pq_engine_footer(t->engine, l, l->files[i].path, &f, e));
        n_names += 2 * (size_t)f->schema.n_elements;
        PQ_GO(i == 0 ? hold(t, f, e) : PQ_OK);
        PQ_GO(find_lists(t, f, l->files[i].path, o, n == 1, e));
        pq_footer_release(f);
        f = NULL;
    }
    n_names += pq_listing_schema(l) ? 2 * (size_t)pq_listing_schema(l)->schema.n_elements : 0;
    PQ_GO(pq_table_names_init(&names, t, n_names + 2 * l->n_folder_columns, o,
                              e));
    PQ_GO(pq_listing_schema(l) ? add_schema(t, &names, l, o, e) : PQ_OK);
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
            Adding adding = {t, &names, o, f->schema.root, path, false,
                             0, false};

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
    PQ_GO(pq_listing_schema(l) ? PQ_OK
                    : pq_table_find_lists(t, t->footers[0], t->first_path, o, true, e));
    for (i = 0; i < t->n_columns; i++) {     /* holds only if all were seen */
        t->columns[i].not_null = t->columns[i].not_null && n == l->n_files &&
                                 !o->ignore_errors;
    }
    PQ_GO(add_hive(t, &names, l, o, e));
    PQ_GO(pq_table_add_computed(t, &names, l, o, e));
    PQ_GO(every_name_is_known(t, &names, l, o, e));
    PQ_GO(add_hidden(t, &names, l, e));
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
    PqTable *t;

    *out = NULL;
    PQ_TRY(PQ_NEW(engine->mem, t, 1, e));
    t->engine = engine;
    t->union_by_name = options->union_by_name || listing->snapshot;
    t->ignore_errors = options->ignore_errors;
    t->left_out_hint = options->left_out_hint;
    t->chosen = options->only.v || options->except.v;
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
    if (t) {
        for (uint32_t i = 0; i < t->n_footers; i++) {
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
    for (uint32_t i = 0; i < t->n_footers; i++) {
        pq_footer_forget(t->footers[i], t->engine->keys);
    }
}
