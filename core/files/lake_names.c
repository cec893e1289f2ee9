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
    l->mark = pq_hash_mix(l->mark, (uint64_t)f.id << 8 | n->kind);
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
} Giving;

static bool is_column(const PqLakeNames *l, const PqNode *of_table, const PqNode *of_file)
{
    const PqLakeField *f = l->n ? &l->fields[of_table->element] : NULL;

    return f && l->by_id ? f->id == of_file->field_id
           : f           ? pq_slice_is(f->physical, of_file->name)
                         : strcmp(of_table->name, of_file->name) == 0;
}

/* The field of the table that a field of the file is; NULL: none. */
static const PqNode *column_of(const PqLakeNames *l, const PqNode *table, const PqNode *field)
{
    for (uint32_t i = 0; i < table->n_children; i++) {
        if (is_column(l, table->child[i], field)) {
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

static void make_variant(Giving *g, const PqNode *node)
{
    PqSchemaElement *el = &g->file->file.schema.v[node->element];

    el->has |= HAS(PQ_SCHEMA_LOGICAL);
    el->logical_type = (PqLogicalType){.has = HAS(PQ_LOGICAL_VARIANT)};
}

static PqRc give(Giving *g, const PqNode *table, const PqNode *file, PqErr *e);

static PqRc give_fields(Giving *g, const PqNode *table, const PqNode *file, PqErr *e)
{
    for (uint32_t i = 0; i < file->n_children; i++) {
        const PqNode *field = file->child[i], *column = column_of(g->names, table, field);
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
    for (uint32_t i = 0; i < table->n_children && i < file->n_children; i++) {
        PQ_TRY(give(g, table->child[i], file->child[i], e));
    }
    return PQ_OK;
}

PqRc pq_lake_names_give(const PqLakeNames *l, PqFooter *file, PqErr *e)
{
    Giving g = {.names = l, .file = file};

    PQ_TRY(give(&g, l->schema->schema.root, file->schema.root, e));
    return pq_footer_read_schema(file, e);
}
