/*
** lake_names.c - renames the columns of a file.
**
** Both schemas are walked side by side.  A Variant that its writer did not annotate
** becomes one where the table says so.
*/
#include "core/files/lake_names.h"

#include "core/meta/geometry.h"
#include "core/numbering/hash.h"

#include <stdio.h>

#define HAS(field) (1u << (field))

static void mark(PqLakeNames *l, const PqNode *n)
{
    PqLakeField f = l->n ? l->fields[n->element] : (PqLakeField){.id = -1};

    l->mark = pq_hash_mix(l->mark, pq_hash_bytes(n->name, strlen(n->name)));
    l->mark = pq_hash_mix(l->mark, pq_hash_bytes(f.physical.p, f.physical.n));
    for (uint32_t i = 0; i < f.n_aliases; i++) {
        l->mark = pq_hash_mix(l->mark, pq_hash_bytes(f.aliases[i].p, f.aliases[i].n));
    }
    l->mark = pq_hash_mix(l->mark, (uint64_t)f.id << 8 | (unsigned)n->kind << 1 | f.must);
    for (uint32_t i = 0; i < n->n_children; i++) {
        mark(l, n->child[i]);
    }
    l->mark = pq_hash_mix(l->mark, n->n_children);
}

static bool has_variant(const PqNode *n)
{
    bool has = n->kind == PQ_NODE_VARIANT;

    for (uint32_t i = 0; i < n->n_children && !has; i++) {
        has = has_variant(n->child[i]);
    }
    return has;
}

void pq_lake_names_mark(PqLakeNames *l)
{
    l->mark = 0;
    if (l->n || has_variant(l->schema->schema.root)) {
        l->mark = l->by_id;
        mark(l, l->schema->schema.root);
        l->mark |= 1;
    }
}

/* ---- a file ------------------------------------------------------------------------------ */

typedef struct Giving {
    const PqLakeNames *names;
    PqFooter          *file;
    uint32_t           n_others;
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

    return f && g->by_id      ? f->id == of_file->field_id
           : f && g->by_alias ? has_alias(f, of_file->name)
           : f           ? pq_slice_is(f->physical, of_file->name)
                         : strcmp(of_table->name, of_file->name) == 0;
}

/* The field of the table that a field of the file is; NULL: none. */
static const PqNode *column_of(const Giving *g, const PqNode *table, const PqNode *field)
{
    for (uint32_t i = 0; i < table->n_children; i++) {
        if (is_column(g, table->child[i], field)) {
            return table->child[i];
        }
    }
    return NULL;
}

static PqRc set_name(Giving *g, const PqNode *node, const char *name, PqErr *e)
{
    PqSchemaElement *el = &g->file->file.schema.v[node->element];
    size_t n = strlen(name);

    el->name = pq_slice(pq_arena_text(&g->file->arena, name, n, e), n);
    return el->name.p ? PQ_OK : e->rc;
}

/* Fields that may not be missing. */
static PqRc find_all(const Giving *g, const PqNode *table, const PqNode *file, PqErr *e)
{
    for (uint32_t i = 0; g->names->n && i < table->n_children; i++) {
        uint32_t k = 0;

        if (!g->names->fields[table->child[i]->element].must) {
            continue;
        }
        while (k < file->n_children && !is_column(g, table->child[i], file->child[k])) {
            k++;
        }
        if (k == file->n_children) {
            return pq_fail(e, PQ_UNSUPPORTED, "the file lacks %s, which is not NULL there: "
                           "such values are not read", table->child[i]->path);
        }
    }
    return PQ_OK;
}

/* QUIRK: PyArrow up to 20 writes UUIDs without their annotation. */
static void make_uuid(Giving *g, const PqNode *table, const PqNode *file)
{
    if (table->type.logical == PQ_TYPE_UUID && file->type.physical == PQ_FIXED &&
        file->type.fixed_length == 16 && file->type.logical == PQ_TYPE_NONE) {
        PqSchemaElement *el = &g->file->file.schema.v[file->element];

        el->has |= HAS(PQ_SCHEMA_LOGICAL);
        el->logical_type = (PqLogicalType){.has = HAS(PQ_LOGICAL_UUID)};
    }
}

static void make_variant(Giving *g, const PqNode *node)
{
    PqSchemaElement *el = &g->file->file.schema.v[node->element];

    el->has |= HAS(PQ_SCHEMA_LOGICAL);
    el->logical_type = (PqLogicalType){.has = HAS(PQ_LOGICAL_VARIANT)};
}

static PqRc give(Giving *g, const PqNode *table, const PqNode *file, PqErr *e);

static PqRc give_fields(Giving *g, const PqNode *table, const PqNode *file, PqErr *e)
{
    PQ_TRY(find_all(g, table, file, e));
    for (uint32_t i = 0; i < file->n_children; i++) {
        const PqNode *field = file->child[i], *column = column_of(g, table, field);
        char other[40];

        if (!column) {
            snprintf(other, sizeof other, "\x01 not in the table %u", g->n_others++);
        }
        PQ_TRY(set_name(g, field, column ? column->name : other, e));
        PQ_TRY(column ? give(g, column, field, e) : PQ_OK);
    }
    return PQ_OK;
}

static PqRc give(Giving *g, const PqNode *table, const PqNode *file, PqErr *e)
{
    if (table->kind == PQ_NODE_VARIANT && file->kind == PQ_NODE_STRUCT) {
        make_variant(g, file);
        return PQ_OK;
    }
    if (table->kind != file->kind || table->kind == PQ_NODE_VARIANT) {
        return PQ_OK;                /* that is found later, and said there  */
    }
    if (table->kind == PQ_NODE_STRUCT) {
        return give_fields(g, table, file, e);
    }
    if (table->kind == PQ_NODE_LEAF) {
        make_uuid(g, table, file);
    }
    for (uint32_t i = 0; i < table->n_children && i < file->n_children; i++) {
        PQ_TRY(give(g, table->child[i], file->child[i], e));
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

PqRc pq_lake_names_give(const PqLakeNames *l, PqFooter *file, PqErr *e)
{
    Giving g = {.names = l, .file = file, .by_id = l->by_id};

    if (l->needs_ids && !pq_lake_has_ids(file->schema.root)) {
        bool known = false;

        for (uint32_t i = 0; i < l->schema->schema.n_elements && !known; i++) {
            known = l->fields[i].n_aliases > 0;
        }
        if (!known) {
            return pq_fail(e, PQ_UNSUPPORTED, "the file does not number its columns, and the "
                           "table has no schema.name-mapping.default that names them");
        }
        g.by_id = false;
        g.by_alias = true;
    }
    PQ_TRY(give(&g, l->schema->schema.root, file->schema.root, e));
    return pq_footer_read_schema(file, e);
}
