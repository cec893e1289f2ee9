/*
** table_paths.c - declares the columns that are paths, and finds them in files.
**
** A path may be a leaf in one file and have to be computed in the next: one
** value that did not fit its column is enough.  So each file is asked, by the
** statistics of all its row groups.
*/
#include "core/files/table_paths.h"

#include "core/files/table_inside.h"
#include "core/meta/stats.h"


/* ---- in a file ----------------------------------------------------------- */

static bool is_variant_null(PqSlice v)
{
    return v.n == 1 && v.p[0] == 0;
}

bool pq_table_path_is_free(const PqBounds *b)
{
    return b->all_null || (b->has_min && b->has_max &&
                           is_variant_null(b->min) && is_variant_null(b->max));
}

bool pq_table_path_is_free_in(const PqFooter *f, uint32_t leaf, uint32_t group)
{
    PqColumnChunk chunk;
    bool null = false;
    PqArena a;
    PqErr e = PQ_NO_ERR;

    pq_arena_init(&a, f->mem);
    if (pq_footer_chunk(f, group, leaf, &a, &chunk, &e) == PQ_OK) {
        PqBounds b = pq_stats_chunk(f, leaf, &chunk.meta_data);

        null = pq_table_path_is_free(&b);
    }
    pq_arena_free(&a);
    return null;
}

static bool is_free_everywhere(const PqFooter *f, const PqNode *leaf)
{
    for (uint32_t i = 0; leaf && i < f->n_groups; i++) {
        if (f->groups[i].num_rows > 0 &&
            !pq_table_path_is_free_in(f, (uint32_t)leaf->leaf, i)) {
            return false;
        }
    }
    return true;
}

bool pq_table_path_plan(const PqTable *t, const PqFooter *f, uint32_t column,
                        PqPathPlan *out)
{
    const PqColumn *c = &t->columns[column];
    const PqNode *variant = pq_table_same_node(f->schema.root, c->root,
                                               c->path->variant);

    if (!variant || variant->kind != PQ_NODE_VARIANT) {
        return false;
    }
    pq_path_follow(variant, &c->path->want.path, out);
    return true;
}

const PqNode *pq_table_path_node(const PqTable *t, const PqFooter *f,
                                 uint32_t column)
{
    const PqPathColumn *p = t->columns[column].path;
    PqPathPlan plan;

    if (!pq_table_path_plan(t, f, column, &plan) ||
        plan.end == PQ_PATH_MISSING) {
        return NULL;
    }
    return plan.end == PQ_PATH_SCALAR && t->believes &&
                   pq_path_is_stored(&p->want, &plan.typed->type) &&
                   is_free_everywhere(f, plan.value)
               ? plan.typed : &p->node;
}

const PqLeaf *pq_table_path_leaf(const PqTable *t, const PqFooter *f,
                                 uint32_t column)
{
    PqPathPlan plan;

    return pq_table_path_plan(t, f, column, &plan) && plan.typed
               ? &f->schema.leaves[plan.typed->leaf] : NULL;
}

/* ---- computed columns ---------------------------------------------------- */

static PqRc make_path(PqTable *t, PqColumn *c, const PqNode *root,
                      const PqNode *variant, const PqPathWant *want, PqErr *e)
{
    PqPathColumn *p;

    PQ_TRY(PQ_ARENA_NEW(&t->arena, p, 1, e));
    p->variant = variant;
    p->want = *want;
    c->kind = PQ_COLUMN_VARIANT_PATH;
    c->root = root;
    c->path = p;
    c->position = UINT32_MAX;
    c->type = want->typed && !want->target.is_variant
                  ? want->target.type
                  : (PqType){.physical = PQ_BYTE_ARRAY,
                             .logical = PQ_TYPE_UNKNOWN};
    p->node = (PqNode){.name = c->name, .path = c->name, .kind = PQ_NODE_PATH,
                       .leaf = PQ_PATH_LEAF + (int32_t)(c - t->columns),
                       .def_present = 1, .field_id = -1, .type = c->type,
                       .is_variant = want->typed && want->target.is_variant};
    p->leaf = (PqLeaf){.node = &p->node, .path = c->name, .type = c->type,
                       .max_def = 1, .index = (uint32_t)p->node.leaf};
    t->n_paths++;
    return PQ_OK;
}

static PqRc parse_spec(PqTable *t, const PqPathSpec *spec, PqPathWant *out,
                       PqErr *e)
{
    PqSlice path = pq_slice_text(spec->path);
    char *copy = pq_arena_text(&t->arena, path.p, path.n, e);

    *out = (PqPathWant){.typed = spec->type != NULL};
    PQ_TRY(copy ? PQ_OK : e->rc);
    e->where.column = spec->name;
    PQ_TRY(pq_variant_path_parse(pq_slice(copy, path.n), &t->arena, &out->path,
                                 e));
    if (spec->type) {
        PQ_TRY(pq_variant_target_parse(pq_slice_text(spec->type), &out->target,
                                       e));
    }
    e->where.column = NULL;
    out->target.try_ = spec->try_;
    return PQ_OK;
}

/* A node that is not below a list, by its dotted path. */
static const PqNode *node_at(const PqNode *of, const char *path)
{
    const PqNode *found = NULL;

    for (uint32_t i = 0; i < of->n_children && !found; i++) {
        const PqNode *node = of->child[i];

        found = pq_ascii_same(node->path, path) ? node
                : node->kind == PQ_NODE_STRUCT    ? node_at(node, path) : NULL;
    }
    return found;
}

static void hint_elements(const PqPathSpec *spec, PqErr *e)
{
    pq_err_hint(e, "paths lead to no elements of a list: write "
                "variant_get(\"%s\", ...) in the statement", spec->column);
}

/* The VARIANT that a computed column is a path of. */
static PqRc find_variant(const PqTable *t, const PqListing *l,
                         const PqTableOptions *o, const PqPathSpec *spec,
                         const PqNode **root, const PqNode **out, PqErr *e)
{
    *out = NULL;
    for (uint32_t i = 0; i < t->n_footers && !*out; i++) {
        *root = t->footers[i]->schema.root;
        *out = node_at(*root, spec->column);
    }
    if (!*out) {
        pq_fail(e, PQ_USAGE, "%s is a path into %s, but %s has no such column",
                spec->name, spec->column, t->first_path);
        if (pq_table_leads_into_list(t, spec->column)) {
            hint_elements(spec, e);
        } else if (o->unknown_name) {
            o->unknown_name(t, l, spec->column, e);
        }
        return e->rc;
    }
    if ((*out)->kind == PQ_NODE_VARIANT) {
        return PQ_OK;
    }
    pq_fail(e, PQ_USAGE, "%s is a path into %s, which is not a VARIANT in %s",
            spec->name, spec->column, t->first_path);
    if (pq_table_leads_to_list(t, spec->column)) {
        hint_elements(spec, e);
    }
    return e->rc;
}

static PqRc add_path(PqTable *t, PqTableNames *names, const PqNode *root,
                     const PqNode *variant, const PqPathWant *want,
                     const char *name, bool hidden, PqErr *e)
{
    PqColumn *c = pq_table_add(t, e);

    PQ_TRY(c ? PQ_OK : e->rc);
    c->hidden = hidden;
    PQ_TRY(pq_table_name(names, t, name, e));
    return make_path(t, c, root, variant, want, e);
}

PqRc pq_table_add_computed(PqTable *t, PqTableNames *names, const PqListing *l,
                           const PqTableOptions *o, PqErr *e)
{
    const PqNode *root = NULL, *variant;

    for (uint32_t i = 0; i < o->n_paths; i++) {
        const PqPathSpec *spec = &o->paths[i];
        char *name = pq_arena_text(&t->arena, spec->name, strlen(spec->name),
                                   e);
        PqPathWant want;

        PQ_TRY(name ? PQ_OK : e->rc);
        if (pq_table_named(names, t, name)) {
            return pq_fail(e, PQ_USAGE, "%s is a column already; give the path "
                                        "another name", name);
        }
        PQ_TRY(find_variant(t, l, o, spec, &root, &variant, e));
        PQ_TRY(parse_spec(t, spec, &want, e));
        PQ_TRY(add_path(t, names, root, variant, &want, name, false, e));
    }
    return PQ_OK;
}

/* ---- shredded paths ------------------------------------------------------ */

static bool same_step(const PqVariantStep *a, const PqVariantStep *b)
{
    return a->name.p && b->name.p ? pq_slice_equal(a->name, b->name)
                                  : !a->name.p && !b->name.p &&
                                        a->index == b->index;
}

static bool same_path(const PqVariantPath *a, const PqVariantPath *b)
{
    for (uint32_t i = 0; a->n == b->n && i < a->n; i++) {
        if (!same_step(&a->step[i], &b->step[i])) {
            return false;
        }
    }
    return a->n == b->n;
}

typedef struct Adding {
    PqTable      *t;
    PqTablePaths *all;
    const PqNode *root, *declared;
} Adding;

static uint32_t hash_of(const PqNode *variant, const PqVariantPath *path)
{
    uint32_t h = 2166136261u ^ variant->element;

    for (uint32_t i = 0; i < path->n; i++) {
        for (size_t k = 0; k < path->step[i].name.n; k++) {
            h = (h ^ path->step[i].name.p[k]) * 16777619u;
        }
        h = (h ^ '.') * 16777619u;
    }
    return h;
}

static uint32_t *slot_of(const PqTablePaths *all, const PqNode *variant,
                         const PqVariantPath *path)
{
    uint32_t i = hash_of(variant, path) & (all->n_slots - 1), at;

    while ((at = all->slot[i]) != 0 &&
           !(all->v[at - 1].variant == variant &&
             same_path(&all->v[at - 1].path, path))) {
        i = (i + 1) & (all->n_slots - 1);
    }
    return &all->slot[i];
}

static PqRc room_for_slots(PqTable *t, PqTablePaths *all, PqErr *e)
{
    uint32_t n = all->n_slots ? all->n_slots * 2 : 64;

    if (all->n * 2 < all->n_slots) {
        return PQ_OK;
    }
    pq_mem_free(all->slot);
    all->slot = pq_mem_zeros(t->engine->mem, n, sizeof *all->slot, e);
    all->n_slots = all->slot ? n : 0;
    for (uint32_t i = 0; all->slot && i < all->n; i++) {
        *slot_of(all, all->v[i].variant, &all->v[i].path) = i + 1;
    }
    return all->slot ? PQ_OK : e->rc;
}

/* event.user.id */
static char *name_of(PqTable *t, const PqNode *declared,
                     const PqVariantPath *path, PqErr *e)
{
    PqBuf b;

    pq_buf_init(&b, t->engine->mem, e);
    pq_buf_text(&b, declared->path);
    for (uint32_t i = 0; i < path->n; i++) {
        pq_buf_byte(&b, '.');
        pq_buf_add(&b, path->step[i].name.p, path->step[i].name.n);
    }
    return pq_arena_take(&t->arena, &b);
}

static PqRc copy_steps(PqTable *t, PqVariantPath *path, PqErr *e)
{
    PqVariantStep *own = pq_arena_zeros(&t->arena, path->n, sizeof *own, e);

    for (uint32_t i = 0; own && i < path->n; i++) {
        PqSlice name = path->step[i].name;
        char *copy = pq_arena_text(&t->arena, name.p, name.n, e);

        PQ_TRY(copy ? PQ_OK : e->rc);
        own[i].name = pq_slice(copy, name.n);
    }
    path->step = own;
    return own ? PQ_OK : e->rc;
}

static PqRc see_path(void *arg, const PqVariantStep *step, uint32_t n, PqErr *e)
{
    Adding *a = arg;
    PqVariantPath path = {(PqVariantStep *)(uintptr_t)step, n};
    PqTablePaths *all = a->all;
    const char *name;

    PQ_TRY(room_for_slots(a->t, all, e));
    if (*slot_of(all, a->declared, &path)) {
        return PQ_OK;
    }
    name = name_of(a->t, a->declared, &path, e);
    PQ_TRY(name ? PQ_OK : e->rc);
    PQ_TRY(copy_steps(a->t, &path, e));
    PQ_TRY(PQ_GROW(a->t->engine->mem, all->v, all->n, all->room, e));
    all->v[all->n++] = (PqTablePath){a->root, a->declared, path, name};
    *slot_of(all, a->declared, &path) = all->n;
    return PQ_OK;
}

/* Lists the paths that a file shreds, for each VARIANT of the table that is not
** in a list. */
static PqRc list_paths(PqTable *t, PqTablePaths *paths, const PqNode *root,
                       const PqNode *node, const PqNode *in_file, PqErr *e)
{
    if (node->kind == PQ_NODE_VARIANT && in_file->kind == PQ_NODE_VARIANT) {
        Adding a = {t, paths, root, node};

        return pq_path_each(in_file, see_path, &a, e);
    }
    for (uint32_t i = 0; node->kind == PQ_NODE_STRUCT && i < node->n_children; i++) {
        const PqNode *child = pq_node_field(
            in_file, pq_slice_text(node->child[i]->name), 0);

        if (child) {
            PQ_TRY(list_paths(t, paths, root, node->child[i], child, e));
        }
    }
    return PQ_OK;
}

PqRc pq_table_list_paths(PqTable *t, PqTablePaths *paths, const PqFooter *f,
                         PqErr *e)
{
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];
        const PqNode *node = pq_table_node_of(f->schema.root, c);

        if (node && !pq_table_is_unnested(t, c->root, c->node)) {
            PQ_TRY(list_paths(t, paths, c->root, c->node, node, e));
        }
    }
    return PQ_OK;
}

void pq_table_free_paths(PqTablePaths *paths)
{
    pq_mem_free(paths->v);
    pq_mem_free(paths->slot);
}

/* A column of the data wins over a path of the same name. */
PqRc pq_table_add_shredded(PqTable *t, PqTableNames *names,
                           const PqTablePaths *paths, PqErr *e)
{
    for (uint32_t i = 0; i < paths->n; i++) {
        const PqTablePath *p = &paths->v[i];
        const PqPathWant want = {.path = p->path};
        const PqColumn *other = pq_table_named(names, t, p->name);

        if (!other || (other->kind == PQ_COLUMN_VARIANT_PATH &&
                       other->hidden)) {
            PQ_TRY(add_path(t, names, p->root, p->variant, &want, p->name,
                            true, e));
        }
    }
    return PQ_OK;
}
