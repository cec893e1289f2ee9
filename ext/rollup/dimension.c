/*
** dimension.c - dimensions out of their text.
*/
#include "ext/rollup/dimension.h"

#include "ext/rollup/measure.h"

bool pqext_is_nested(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_NODE ? c->node->kind != PQ_NODE_LEAF && !c->as_wkb
                                     : pqext_is_variant_path(c);
}

PqRc pqext_dimension_of_column(const PqextTable *source, uint32_t column,
                               PqArena *a, PqextDimension *out, PqErr *e)
{
    *out = (PqextDimension){.kind = PQEXT_DIM_COLUMN, .column = column};
    out->name = out->text = pq_arena_printf(
        a, e, "%s", source->table->columns[column].name);
    out->declared = pqext_declared(source, column, a, e);
    return out->name && out->declared ? PQ_OK : e->rc;
}

static PqRc nested(const PqextTable *source, const PqextItem *item,
                   uint32_t column, PqErr *e)
{
    const PqColumn *c = &source->table->columns[column];
    bool list = c->kind == PQ_COLUMN_NODE &&
                (c->node->kind == PQ_NODE_LIST || c->node->kind == PQ_NODE_MAP);
    bool fields = c->kind == PQ_COLUMN_NODE &&
                  c->node->kind == PQ_NODE_STRUCT && c->node->n_children > 0;

    pqext_item_error(e, item, "%s is nested, and cannot be a dimension",
                     c->name);
    if (list) {
        pq_err_hint(e, "unnest='%s' makes a row of each element", c->name);
    } else if (fields) {
        pq_err_hint(e, "a field of it can: \"%s.%s\"", c->name,
                    c->node->child[0]->name);
    }
    return e->rc;
}

static PqRc of_column(const PqextTable *source, const PqextItem *item,
                      uint32_t column, PqArena *a, PqextDimension *out,
                      PqErr *e)
{
    if (pqext_is_nested(&source->table->columns[column])) {
        return nested(source, item, column, e);
    }
    PQ_TRY(pqext_dimension_of_column(source, column, a, out, e));
    out->name = item->name ? item->name : out->name;
    return PQ_OK;
}

PqRc pqext_dimension_parse(const PqextTable *source, const PqextItem *item,
                           PqArena *a, PqextDimension *out, PqErr *e)
{
    const PqextToken *b = item->body;
    uint32_t at = 0;
    const char *name;
    int column;

    PQ_TRY(pqext_no_measure(item, e));
    if (b[0].kind == PQEXT_TOKEN_WORD && !pqext_token_is_sign(&b[1], '(')) {
        column = pqext_token_column(source->table, b, &at, a, &name, e);
        if (at == item->n) {
            return !name        ? e->rc
                   : column < 0 ? pqext_no_column(source->table, item, name, e)
                                : of_column(source, item, (uint32_t)column, a,
                                            out, e);
        }
    }
    return pqext_item_error(e, item, "expressions are not supported yet");
}
