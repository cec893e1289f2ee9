/*
** lake_names.c - shows a file with the fields of its table.
**
** Both schemas are walked side by side, and the elements of the file are put together
** anew: those of each struct in the order of the table's fields, and between them the
** table's own elements for what is made.  Lists and maps stay as the file has them.
** A Variant that its writer did not annotate becomes one where the table says so.
*/
#include "core/files/lake_names.h"

#include "core/numbering/hash.h"

#define HAS(field) (1u << (field))

static void mark(PqLakeNames *l, const PqNode *n)
{
    PqLakeField f = l->n ? l->fields[n->element] : (PqLakeField){.id = -1};

    l->mark = pq_hash_mix(l->mark, pq_hash_bytes(n->name, strlen(n->name)));
    l->mark = pq_hash_mix(l->mark, pq_hash_bytes(f.physical.p, f.physical.n));
    for (uint32_t i = 0; i < f.n_aliases; i++) {
        l->mark = pq_hash_mix(l->mark, pq_hash_bytes(f.aliases[i].p, f.aliases[i].n));
    }
    if (f.first) {
        l->mark = pq_hash_mix(l->mark, pq_hash_bytes(f.first->p, f.first->n) + 1);
    }
    l->mark = pq_hash_mix(l->mark, (uint64_t)f.id << 8 | (unsigned)n->kind << 1 | f.must);
    for (uint32_t i = 0; i < n->n_children; i++) {
        mark(l, n->child[i]);
    }
    l->mark = pq_hash_mix(l->mark, n->n_children);
}

/* Is there a struct, a Variant or a DECIMAL below the root, which files may have otherwise? */
static bool has_fields(const PqNode *n)
{
    bool has = n->kind == PQ_NODE_LEAF && n->type.logical == PQ_TYPE_DECIMAL;

    for (uint32_t i = 0; i < n->n_children && !has; i++) {
        has = n->child[i]->kind == PQ_NODE_STRUCT || n->child[i]->kind == PQ_NODE_VARIANT ||
              has_fields(n->child[i]);
    }
    return has;
}

void pq_lake_names_mark(PqLakeNames *l)
{
    l->mark = 0;
    if (l->n || has_fields(l->schema->schema.root)) {
        l->mark = l->by_id;
        mark(l, l->schema->schema.root);
        l->mark |= 1;
    }
}

/* ---- which field of the file is it? ------------------------------------------------------- */

typedef struct Giving {
    const PqLakeNames *names;
    PqFooter          *file;
    const PqListedFile *listed;      /* NULL: nothing is said of it          */
    const PqLeaf     **leaf_at;      /* of the file, by its elements         */
    PqSchemaElement   *el;           /* n of them, so far                    */
    PqLeafOrigin      *from;
    uint32_t           n, n_from;
    bool               by_id, by_alias;
} Giving;

static bool has_alias(const PqLakeField *f, const char *name)
{
    uint32_t i = 0;

    while (i < f->n_aliases && !pq_slice_is(f->aliases[i], name)) {
        i++;
    }
    return i < f->n_aliases;
}

static bool is_column(const Giving *g, const PqNode *of_table, const PqNode *of_file)
{
    const PqLakeField *f = g->names->n ? &g->names->fields[of_table->element] : NULL;

    return f && g->by_id      ? f->id >= 0 && f->id == of_file->field_id
           : f && g->by_alias ? has_alias(f, of_file->name)
           : f           ? pq_slice_is(f->physical, of_file->name)
                         : strcmp(of_table->name, of_file->name) == 0;
}

/* Files mostly have the order of the table, so the search begins at *at, after the field
** that was found last. */
static const PqNode *find_field(const Giving *g, const PqNode *column, const PqNode *file,
                                uint32_t *at)
{
    for (uint32_t left = file->n_children; left > 0; left--) {
        *at = *at < file->n_children ? *at : 0;
        if (is_column(g, column, file->child[*at])) {
            return file->child[(*at)++];
        }
        ++*at;
    }
    return g->names->n ? NULL : pq_node_field_any_case(file, pq_slice_text(column->name));
}

/* ---- elements ----------------------------------------------------------------------------- */

/* name NULL: the one that it has. */
static PqRc put(Giving *g, const PqSchemaElement *el, PqLeafOrigin from, const char *name,
                PqErr *e)
{
    PqArena *a = &g->file->arena;
    size_t n = name ? strlen(name) : 0;

    PQ_TRY(PQ_ARENA_GROW(a, g->el, g->n, e));
    PQ_TRY(PQ_ARENA_GROW(a, g->from, g->n_from, e));
    g->from[g->n_from++] = from;
    g->el[g->n] = *el;
    if (name) {
        g->el[g->n].name = pq_slice(pq_arena_text(a, name, n, e), n);
    }
    g->n++;
    return e->rc;
}

static PqRc put_range(Giving *g, uint32_t from, uint32_t until, const char *name, PqErr *e)
{
    for (uint32_t i = from; i < until; i++) {
        PQ_TRY(put(g, &g->file->schema.elements[i], (PqLeafOrigin){.leaf = g->leaf_at[i]},
                   i == from ? name : NULL, e));
    }
    return PQ_OK;
}

/* After the elements of a node. */
static uint32_t end_of(const PqSchema *s, const PqNode *node)
{
    uint32_t i = node->element;

    for (uint32_t left = 1; left > 0; left--, i++) {
        left += PQ_HAS(&s->elements[i], PQ_SCHEMA_NUM_CHILDREN)
                    ? (uint32_t)s->elements[i].num_children : 0;
    }
    return i;
}

static PqRc put_all(Giving *g, const PqNode *file, const char *name, PqErr *e)
{
    return put_range(g, file->element, end_of(&g->file->schema, file), name, e);
}

/* ---- what the file lacks ------------------------------------------------------------------ */

static const PqSlice *first_of(const Giving *g, const PqNode *node)
{
    return g->names->n ? g->names->fields[node->element].first : NULL;
}

/* The level of a node in rows that have no field of the file.  Is it there?  by: how
** much deeper it is than in the table. */
static bool is_there(const Giving *g, const PqNode *top, const PqNode *node, int by,
                     uint16_t *level)
{
    if ((node != top && !is_there(g, top, node->parent, by, level)) || !first_of(g, node)) {
        return false;
    }
    *level = (uint16_t)(node->def_present + by);
    return true;
}

/* A leaf that says where the struct of a file is, without deeper lists if there is one. */
static const PqLeaf *guide_of(const Giving *g, const PqNode *of)
{
    const PqLeaf *guide = NULL;

    for (uint32_t i = of->first_leaf; i < of->first_leaf + of->n_leaves; i++) {
        const PqLeaf *l = &g->file->schema.leaves[i];

        guide = !guide || l->max_rep < guide->max_rep ? l : guide;
    }
    return guide;
}

static PqRc make_leaf(Giving *g, const PqNode *top, const PqLeaf *leaf, const PqNode *of,
                      bool is_root, const PqMade **out, PqErr *e)
{
    int by = of->def_present + 1 - top->def_present;
    PqMade *m;

    PQ_TRY(PQ_ARENA_NEW(&g->file->arena, m, 1, e));
    m->guide = is_root ? NULL : guide_of(g, of);
    m->present = m->level = of->def_present;
    m->rep = of->rep;
    if (is_there(g, top, leaf->node, by, &m->level)) {
        const PqSlice *v = first_of(g, leaf->node);

        m->value = pq_slice(pq_arena_text(&g->file->arena, v->p, v->n, e), v->n);
    }
    *out = m;
    return e->rc;
}

/* A field of the table, for the struct of the file. */
static PqRc make(Giving *g, const PqNode *top, const PqNode *of, bool is_root, PqErr *e)
{
    const PqSchema *s = &g->names->schema->schema;
    uint32_t end = end_of(s, top), leaf = top->first_leaf;

    for (uint32_t i = top->element; i < end; i++) {
        PqLeafOrigin from = {0};

        if (leaf < s->n_leaves && s->leaves[leaf].node->element == i) {
            PQ_TRY(make_leaf(g, top, &s->leaves[leaf++], of, is_root, &from.made, e));
        }
        PQ_TRY(put(g, &s->elements[i], from, NULL, e));
        if (i == top->element) {
            g->el[g->n - 1].has |= HAS(PQ_SCHEMA_REPETITION);
            g->el[g->n - 1].repetition_type = PQ_OPTIONAL;
        }
    }
    return PQ_OK;
}

static PqRc lacks(Giving *g, const PqNode *column, const PqNode *file, bool is_root,
                  uint32_t *n, PqErr *e)
{
    if (g->names->n && g->names->fields[column->element].must) {
        return pq_fail(e, PQ_UNSUPPORTED, "the file lacks %s, which is not NULL there: "
                       "such values are not read", column->path);
    }
    if (is_root && !first_of(g, column)) {
        return PQ_OK;
    }
    if (file->rep > 0 && file->n_leaves == 0) {
        return pq_fail(e, PQ_UNSUPPORTED, "the file lacks %s, and has no other field of it",
                       column->path);
    }
    ++*n;
    return make(g, column, file, is_root, e);
}

/* What follows from the log is made for the rows that have nothing in the file: for all if it
** lacks the column, where field is NULL. */
static PqRc make_lineage(Giving *g, const PqNode *column, const PqNode *field, PqErr *e)
{
    bool is_id = column->field_id == PQ_LAKE_ROW_ID;
    int64_t first = !g->listed ? -1 : is_id ? g->listed->first_row : g->listed->sequence;
    const PqSchemaElement *el = &g->names->schema->schema.elements[column->element];
    PqMade *m;

    if (field && (first < 0 || field->required || !pq_node_is_flat_leaf(field) ||
                  field->type.physical != PQ_INT64)) {
        return put_all(g, field, column->name, e);
    }
    PQ_TRY(PQ_ARENA_NEW(&g->file->arena, m, 1, e));
    *m = (PqMade){.guide = field ? g->leaf_at[field->element] : NULL, .level = first >= 0,
                  .counts = is_id, .fills = field};
    m->value = pq_slice(pq_arena_text(&g->file->arena, &first, sizeof first, e), sizeof first);
    return m->value.p ? put(g, el, (PqLeafOrigin){.made = m}, NULL, e) : e->rc;
}

/* ---- what both have ----------------------------------------------------------------------- */

/* QUIRK: PyArrow up to 20 writes UUIDs without their annotation. */
static void make_uuid(const PqNode *table, const PqNode *file, PqSchemaElement *el)
{
    if (table->type.logical == PQ_TYPE_UUID && file->type.physical == PQ_FIXED &&
        file->type.fixed_length == 16 && file->type.logical == PQ_TYPE_NONE) {
        el->has |= HAS(PQ_SCHEMA_LOGICAL);
        el->logical_type = (PqLogicalType){.has = HAS(PQ_LOGICAL_UUID)};
    }
}

/* A column that was made a DECIMAL later: an integer is one without digits after the point. */
static void make_decimal(const PqNode *table, const PqNode *file, PqSchemaElement *el)
{
    const PqType *t = &file->type;
    int bits = t->logical == PQ_TYPE_INT ? t->bit_width : t->physical == PQ_INT32 ? 32 : 64;

    if (table->type.logical == PQ_TYPE_DECIMAL &&
        (t->physical == PQ_INT32 || t->physical == PQ_INT64) &&
        (t->logical == PQ_TYPE_NONE || (t->logical == PQ_TYPE_INT && t->is_signed))) {
        el->has |= HAS(PQ_SCHEMA_LOGICAL);
        el->logical_type = (PqLogicalType){
            .has = HAS(PQ_LOGICAL_DECIMAL),
            .decimal.precision = bits == 8 ? 3 : bits == 16 ? 5 : bits == 32 ? 10 : 19};
    }
}

static PqRc give(Giving *g, const PqNode *table, const PqNode *file, const char *name,
                 PqErr *e);

static PqRc give_fields(Giving *g, const PqNode *table, const PqNode *file, const char *name,
                        PqErr *e)
{
    const PqSchema *s = &g->file->schema;
    uint32_t own = g->n, n = 0, at = 0;
    bool is_root = file == s->root;

    /* A repeated group of one field is an element by this name only. */
    if (!name && !is_root && s->elements[file->element].repetition_type == PQ_REPEATED) {
        name = "array";
    }
    PQ_TRY(put_range(g, file->element, file->element + 1, name, e));
    for (uint32_t i = 0; i < table->n_children; i++) {
        const PqNode *column = table->child[i], *field = find_field(g, column, file, &at);

        bool is_made = pq_lake_is_lineage(column);

        PQ_TRY(is_made ? make_lineage(g, column, field, e)
               : field ? give(g, column, field, column->name, e)
                       : lacks(g, column, file, is_root, &n, e));
        n += is_made || field;
    }
    g->el[own].has |= HAS(PQ_SCHEMA_NUM_CHILDREN);
    g->el[own].num_children = (int32_t)n;
    return PQ_OK;
}

static PqRc give(Giving *g, const PqNode *table, const PqNode *file, const char *name,
                 PqErr *e)
{
    uint32_t own = g->n;

    if (table->kind == PQ_NODE_VARIANT && file->kind == PQ_NODE_STRUCT) {
        PQ_TRY(put_all(g, file, name, e));
        g->el[own].has |= HAS(PQ_SCHEMA_LOGICAL);
        g->el[own].logical_type = (PqLogicalType){.has = HAS(PQ_LOGICAL_VARIANT)};
        return PQ_OK;
    }
    if (table->kind == PQ_NODE_STRUCT && file->kind == PQ_NODE_STRUCT) {
        return give_fields(g, table, file, name, e);
    }
    if (table->kind != file->kind || table->kind == PQ_NODE_VARIANT ||
        table->n_children != file->n_children) {
        return put_all(g, file, name, e);        /* a misfit is found later, and said there */
    }
    if (table->kind == PQ_NODE_LEAF) {
        PQ_TRY(put_all(g, file, name, e));
        make_uuid(table, file, &g->el[own]);
        make_decimal(table, file, &g->el[own]);
        return PQ_OK;
    }
    PQ_TRY(put_range(g, file->element, file->child[0]->element, name, e));
    for (uint32_t i = 0; i < table->n_children; i++) {
        PQ_TRY(give(g, table->child[i], file->child[i], g->n == own ? name : NULL, e));
    }
    return PQ_OK;
}

bool pq_lake_has_ids(const PqNode *n)
{
    bool has = n->field_id >= 0 && n->parent;

    for (uint32_t i = 0; i < n->n_children && !has; i++) {
        has = n->child[i]->field_id >= 0 || pq_lake_has_ids(n->child[i]);
    }
    return has;
}

static PqRc choose(Giving *g, PqErr *e)
{
    const PqLakeNames *l = g->names;
    bool known = false;

    if (!l->needs_ids || pq_lake_has_ids(g->file->schema.root)) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < l->schema->schema.n_elements && !known; i++) {
        known = l->fields[i].n_aliases > 0;
    }
    g->by_id = false;
    g->by_alias = true;
    return known ? PQ_OK
                 : pq_fail(e, PQ_UNSUPPORTED, "the file does not number its columns, and the "
                           "table has no schema.name-mapping.default that names them");
}

PqRc pq_lake_names_give(const PqLakeNames *l, const PqListedFile *listed, PqFooter *file, PqErr *e)
{
    Giving g = {.names = l, .file = file, .listed = listed, .by_id = l->by_id};
    const PqSchema *s = &file->schema;
    PqRc rc;

    PQ_TRY(choose(&g, e));
    PQ_TRY(PQ_NEW(file->mem, g.leaf_at, s->n_elements, e));
    for (uint32_t i = 0; i < s->n_leaves; i++) {
        g.leaf_at[s->leaves[i].node->element] = &s->leaves[i];
    }
    rc = give(&g, l->schema->schema.root, s->root, NULL, e);
    pq_mem_free(g.leaf_at);
    return rc ? rc : pq_footer_show_as(file, &(PqSchemaElementList){g.el, g.n}, g.from, e);
}

/* ---- a new file -------------------------------------------------------------------------- */

static void take(const PqLakeNames *l, const PqNode *table, const PqNode *file,
                 PqSchemaElementList *out)
{
    bool is_struct = file->kind == PQ_NODE_STRUCT;

    for (uint32_t i = 0; i < file->n_children && file->kind != PQ_NODE_VARIANT; i++) {
        const PqNode *child = file->child[i];
        const PqNode *of = is_struct ? pq_node_field(table, pq_slice_text(child->name), 0)
                           : i < table->n_children ? table->child[i] : NULL;
        PqSchemaElement *el = &out->v[child->element];

        if (!of) {
            continue;
        }
        if (is_struct) {
            el->name = l->fields[of->element].physical;
            el->field_id = l->fields[of->element].id;
            el->has = el->field_id >= 0 ? el->has | HAS(PQ_SCHEMA_FIELD_ID)
                                        : el->has & ~HAS(PQ_SCHEMA_FIELD_ID);
        }
        take(l, of, child, out);
    }
}

PqRc pq_lake_names_take(const PqLakeNames *l, const PqSchema *built,
                        const PqSchemaElementList *from, PqArena *a,
                        const PqSchemaElementList **out, PqErr *e)
{
    PqSchemaElementList *named;

    *out = from;
    if (l->n) {
        PQ_TRY(PQ_ARENA_NEW(a, named, 1, e));
        *named = *from;
        PQ_TRY(PQ_ARENA_NEW(a, named->v, from->n, e));
        memcpy(named->v, from->v, from->n * sizeof *from->v);
        take(l, l->schema->schema.root, built->root, named);
        *out = named;
    }
    return PQ_OK;
}
