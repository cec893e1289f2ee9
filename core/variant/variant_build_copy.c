/*
** variant_build_copy.c - copies a value of another Variant, and translates its
** ids.
**
** It walks depth first, with a stack of its own.  If both have the same
** metadata, the bytes are checked and taken as they are.
**
** What is hard is that a small value can have a long name a million times.  So
** names of more than LONG_NAME bytes are looked up once for each id.  Hostile
** ids may also all mean the same long name, so the sum of the names' lengths is
** limited to the bytes there are: in real metadata names do not share bytes.
*/
#include "core/variant/variant_build_inside.h"

enum { LONG_NAME = 64, UNSEEN = UINT32_MAX };

typedef struct PqBuildLevel {
    PqVariantItems items;
    uint32_t       at;               /* the next item */
    PqSlice        name;             /* of the item before */
} Level;

typedef struct Copy {
    PqVariantBuild      *b;
    const PqVariantMeta *m;
    uint32_t            *index;      /* of long names, by id; or NULL     */
    size_t               left;       /* bytes of those that are unseen    */
} Copy;

static PqRc copy_long_name(Copy *c, uint32_t id, PqSlice name)
{
    PqVariantBuild *b = c->b;

    if (!c->index) {
        c->index = pq_mem_array(b->mem, c->m->n_names, sizeof *c->index, &b->e);
        if (!c->index) {
            return b->e.rc;
        }
        memset(c->index, 0xff, c->m->n_names * sizeof *c->index);
    }
    if (c->index[id] == UNSEEN) {
        if (name.n > c->left) {
            return pq_fail(&b->e, PQ_CORRUPT, "names of a Variant share bytes");
        }
        c->left -= name.n;
        PQ_TRY(pq_variant_names_use(b->names, name, &c->index[id], &b->e));
    }
    pq_variant_names_again(b->names, c->index[id]);
    b->name = c->index[id];
    return PQ_OK;
}

static PqRc copy_name(Copy *c, Level *top)
{
    PQ_TRY(pq_variant_items_name(c->m, &top->items, top->at, &top->name,
                                 &c->b->e));
    if (top->name.n > LONG_NAME) {
        return copy_long_name(c, pq_variant_number(top->items.ids,
                                                   top->items.id_size, top->at),
                              top->name);
    }
    pq_variant_build_name(c->b, top->name);
    return c->b->e.rc;
}

/* Builds a value, or only the start of an object or array, which *level then
** describes. */
static PqRc copy_one(PqVariantBuild *b, PqSlice value, Level *level,
                     bool *opens)
{
    PqVariantValue v;

    PQ_TRY(pq_variant_value_read(value, &v, &b->e));
    *opens = v.kind == PQ_VARIANT_OBJECT || v.kind == PQ_VARIANT_ARRAY;
    if (*opens) {
        *level = (Level){.at = 0};
        PQ_TRY(pq_variant_items_open(&value, &level->items, &b->e));
        pq_variant_build_group(b, level->items.is_object);
    } else {
        pq_variant_build_value(b, &v);
    }
    return b->e.rc;
}

static PqRc copy_items(Copy *c)
{
    PqVariantBuild *b = c->b;
    uint32_t depth = 1;

    while (depth) {
        Level *top = &b->stack[depth - 1];
        PqSlice item;
        bool opens;

        if (top->at == top->items.n) {
            pq_variant_build_end(b);
            depth--;
            continue;
        }
        if (top->items.is_object) {
            PQ_TRY(copy_name(c, top));
        }
        PQ_TRY(pq_variant_items_take(&top->items, top->at++, &item, &b->e));
        PQ_TRY(copy_one(b, item, &b->stack[depth], &opens));
        depth += opens;
    }
    return b->e.rc;
}

/* Is m the given metadata? */
static bool has_same_names(const PqVariantBuild *b, const PqVariantMeta *m)
{
    PqSlice given = pq_buf_view(&b->given.metadata);
    size_t skip = 1 + m->offset_size;

    return b->names == &b->given && m->n_names > 0 &&
           given.n >= skip + m->offsets.n &&
           pq_slice_equal(pq_slice(given.p + skip, m->offsets.n),
                          m->offsets) &&
           pq_slice_equal(pq_slice(given.p + skip + m->offsets.n,
                                   given.n - skip - m->offsets.n), m->names);
}

void pq_variant_build_copy(PqVariantBuild *b, const PqVariantMeta *m,
                           PqSlice value)
{
    Copy c = {.b = b, .m = m, .left = m->names.n};
    Level first;
    bool opens;

    if (b->e.rc != PQ_OK) {
        return;
    }
    if (has_same_names(b, m)) {
        if (pq_variant_check(m, value, &b->e) == PQ_OK) {
            pq_build_whole(b, value);
        }
        return;
    }
    if (copy_one(b, value, &first, &opens) != PQ_OK || !opens) {
        return;
    }
    if (!b->stack) {
        b->stack = pq_mem_array(b->mem, PQ_VARIANT_MAX_DEPTH + 1,
                                sizeof *b->stack, &b->e);
    }
    if (b->stack) {
        b->stack[0] = first;
        copy_items(&c);
    }
    pq_mem_free(c.index);
}
