/*
** order_groups.c - row groups by their bounds.
*/
#include "ext/order/order.h"

#include <math.h>
#include <stdlib.h>

/* ---- forms ---------------------------------------------------------------- */

static bool is_integer(const PqType *type)
{
    return type->physical == PQ_INT32 || type->physical == PQ_INT64;
}

static PqextKeyForm form_of_physical(PqPhysical p)
{
    switch (p) {
    case PQ_BOOLEAN:
    case PQ_INT32:
    case PQ_INT64:
        return PQEXT_FORM_OF_INTS;
    case PQ_FLOAT:
    case PQ_DOUBLE:
        return PQEXT_FORM_OF_REALS;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return PQEXT_FORM_OF_BLOBS;
    default:
        return PQEXT_FORM_OF_CELLS;
    }
}

/* Decimals of more digits may be equal as REALs. */
enum { EXACT_DIGITS = 15 };

/* The form whose order is SQLite's, of values within their domain: years of
** four digits, a time within the day, no more than 2^63-1.  *domain: it has to
** be seen to that they are. */
static PqextKeyForm form_of(const PqextTable *t, const PqType *type,
                            bool *domain)
{
    *domain = false;
    if (pqext_is_string(t, type)) {
        return PQEXT_FORM_OF_TEXTS;
    }
    switch (type->logical) {
    case PQ_TYPE_DECIMAL:
        return is_integer(type) &&
                       (type->scale == 0 || type->precision <= EXACT_DIGITS)
                   ? PQEXT_FORM_OF_INTS : PQEXT_FORM_OF_CELLS;
    case PQ_TYPE_TIMESTAMP:
        if (!is_integer(type)) {
            return PQEXT_FORM_OF_CELLS;
        }
        *domain = t->values.timestamp != PQSQL_TIME_RAW;
        return PQEXT_FORM_OF_INTS;
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
        *domain = true;
        return PQEXT_FORM_OF_INTS;
    case PQ_TYPE_INT:
        *domain = pq_type_is_u64(type);
        return PQEXT_FORM_OF_INTS;
    case PQ_TYPE_BSON:
        return PQEXT_FORM_OF_BLOBS;
    case PQ_TYPE_NONE:
        return form_of_physical(type->physical);
    default:
        return PQEXT_FORM_OF_CELLS;
    }
}

/* ---- bounds ---------------------------------------------------------------- */

static int64_t stored_integer(const PqType *type, PqSlice v)
{
    bool is_unsigned = pq_type_is_unsigned(type);

    switch (type->physical) {
    case PQ_BOOLEAN:
        return v.p[0] & 1;
    case PQ_INT32:
        return is_unsigned ? (int64_t)pq_load_u32(v.p)
                           : (int64_t)(int32_t)pq_load_u32(v.p);
    default:
        return (int64_t)pq_load_u64(v.p);
    }
}

static double stored_real(const PqType *type, PqSlice v)
{
    float f;
    double d;

    if (type->physical == PQ_FLOAT) {
        memcpy(&f, v.p, sizeof f);
        return (double)f;
    }
    memcpy(&d, v.p, sizeof d);
    return d;
}

static bool bytes_value(PqextKeyKind kind, PqSlice v, PqextKeyValue *out)
{
    *out = (PqextKeyValue){.kind = (uint8_t)kind, .as.p = v.p,
                           .n = (uint32_t)v.n};
    return v.n < UINT32_MAX;
}

static bool seen_value(const PqextValue *v, PqextKeyValue *out)
{
    if (v->kind != PQEXT_NUMBER) {
        return bytes_value(v->kind == PQEXT_TEXT ? PQEXT_KEY_TEXT
                                                 : PQEXT_KEY_BLOB,
                           v->bytes, out);
    }
    *out = (PqextKeyValue){.kind = v->is_int ? PQEXT_KEY_INT : PQEXT_KEY_REAL};
    if (v->is_int) {
        out->as.i = v->i;
    } else {
        out->as.r = v->r;
    }
    return true;
}

bool pqext_order_bound(const PqextTable *t, const PqextOrderColumn *c,
                       const PqType *type, PqSlice bound, char *room,
                       PqextKeyValue *out)
{
    PqextValue seen;

    switch (c->form) {
    case PQEXT_FORM_OF_INTS:
        *out = (PqextKeyValue){.kind = PQEXT_KEY_INT,
                               .as.i = stored_integer(type, bound)};
        return true;
    case PQEXT_FORM_OF_REALS:
        *out = (PqextKeyValue){.kind = PQEXT_KEY_REAL,
                               .as.r = stored_real(type, bound)};
        return !isnan(out->as.r);
    case PQEXT_FORM_OF_TEXTS:
        return bytes_value(PQEXT_KEY_TEXT, bound, out);
    case PQEXT_FORM_OF_BLOBS:
        return bytes_value(PQEXT_KEY_BLOB, bound, out);
    default:
        return pqext_bound_value(t, type, bound, room, &seen) &&
               seen_value(&seen, out);
    }
}

bool pqext_order_ends(const PqextTable *t, const PqextOrderColumn *c,
                      const PqLeafBounds *b, char *best_room, char *worst_room,
                      PqextKeyValue *best, PqextKeyValue *worst)
{
    static const PqextKeyValue null = {.kind = PQEXT_KEY_NULL};
    const PqType *type = &b->leaf->type;
    bool nulls = b->bounds.n_nulls != 0 || b->bounds.n_nans != 0;
    PqSlice first = c->desc ? b->bounds.max : b->bounds.min;
    PqSlice last = c->desc ? b->bounds.min : b->bounds.max;

    if (b->bounds.all_null) {
        *best = *worst = null;
        return true;
    }
    if (!b->bounds.has_min || !b->bounds.has_max ||
        !pqext_order_bound(t, c, type, first, best_room, best) ||
        !pqext_order_bound(t, c, type, last, worst_room, worst)) {
        return false;
    }
    if (nulls) {
        *(c->desc ? worst : best) = null;
    }
    return true;
}

/* ---- row groups -------------------------------------------------------------- */

typedef struct Lister {
    const PqextTable *t;
    const PqListing  *l;
    PqextOrderBy     *o;
    PqextOrderGroups *out;
    const PqNode    **nodes;
    PqFooter         *f;
    uint32_t          file;
} Lister;

static const PqLeaf *leaf_of(const Lister *x, const PqextOrderColumn *c)
{
    const PqNode *node = c->column < 0 ? NULL : x->nodes[c->column];

    return node && node->kind == PQ_NODE_LEAF && node->rep == 0
               ? &x->f->schema.leaves[node->leaf] : NULL;
}

/* A value of a group outlives what it was made from. */
static PqRc keep_value(PqArena *a, PqextKeyValue *v, PqErr *e)
{
    if (v->kind >= PQEXT_KEY_TEXT) {
        v->as.p = (const uint8_t *)pq_arena_text(a, v->as.p, v->n, e);
        return v->as.p ? PQ_OK : e->rc;
    }
    return PQ_OK;
}

PqRc pqext_order_group_ends(const PqextTable *t, const PqextOrderColumn *c,
                            const PqLeafBounds *b, PqArena *a,
                            PqextOrderGroup *g, PqErr *e)
{
    char best_room[PQEXT_BOUND_ROOM], worst_room[PQEXT_BOUND_ROOM];

    g->known = pq_type_equal(&b->leaf->type,
                             &t->table->columns[c->column].type) &&
               pqext_order_ends(t, c, b, best_room, worst_room, &g->best,
                                &g->worst);
    if (g->known) {
        PQ_TRY(keep_value(a, &g->best, e));
        PQ_TRY(keep_value(a, &g->worst, e));
    }
    g->occurs = g->known && g->best.kind != PQEXT_KEY_NULL &&
                (c->desc ? b->bounds.max_exact : b->bounds.min_exact);
    return PQ_OK;
}

static PqRc chunk_bounds(Lister *x, const PqLeaf *leaf, uint32_t group,
                         PqArena *scratch, PqLeafBounds *out, PqErr *e)
{
    PqColumnChunk chunk;

    PQ_TRY(pq_footer_chunk(x->f, group, leaf->index, scratch, &chunk, e));
    out->leaf = leaf;
    out->bounds = pq_stats_bounds(x->f, leaf->index,
                                  &chunk.meta_data.statistics,
                                  chunk.meta_data.num_values);
    out->n_values = chunk.meta_data.num_values;
    x->out->key_bytes += chunk.meta_data.total_uncompressed_size;
    return PQ_OK;
}

static void clear_groups(PqextOrderGroups *g)
{
    g->n = 0;
    g->key_bytes = 0;
    pq_arena_reset(&g->arena);
}

PqextOrderGroup *pqext_order_groups_more(PqextOrderGroups *g, PqErr *e)
{
    uint32_t room = g->room ? g->room * 2 : 64;
    PqextOrderGroup *more;

    if (g->n == g->room) {
        more = pq_mem_resize(g->arena.mem, g->v, room * sizeof *more, e);
        if (!more) {
            return NULL;
        }
        g->v = more;
        g->room = room;
    }
    more = &g->v[g->n++];
    memset(more, 0, sizeof *more);
    return more;
}

/* Are all values of a row group within the domain in which the form's order is
** SQLite's? */
static bool in_domain(const Lister *x, const PqLeafBounds *b)
{
    const PqType *type = &b->leaf->type;
    char room[PQEXT_BOUND_ROOM];
    PqextValue v;

    return b->bounds.all_null ||
           (b->bounds.has_min && b->bounds.has_max &&
            pqext_bound_value(x->t, type, b->bounds.min, room, &v) &&
            pqext_bound_value(x->t, type, b->bounds.max, room, &v));
}

/* The ends of a row group where its file has no bounds to look up. */
static bool ends_are_known(const Lister *x, const PqextOrderColumn *c,
                           const PqLeaf *leaf, PqextOrderGroup *g)
{
    if (c->form == PQEXT_FORM_OF_ROWIDS) {
        g->best = (PqextKeyValue){.kind = PQEXT_KEY_INT,
                                  .as.i = c->desc ? g->end - 1 : g->begin};
        g->worst = g->best;
        g->worst.as.i = c->desc ? g->begin : g->end - 1;
        g->known = true;
    } else if (!leaf) {              /* what there is not is NULL */
        g->best = g->worst = (PqextKeyValue){.kind = PQEXT_KEY_NULL};
        g->known = !x->nodes[c->column];
    }
    return !leaf;
}

/* Sees whether a column's form holds for one more row group, g; of the first
** column, where g begins and ends. */
static PqRc visit_column(Lister *x, PqextOrderColumn *c, uint32_t group,
                         PqextOrderGroup *g, PqArena *scratch, PqErr *e)
{
    const PqLeaf *leaf = leaf_of(x, c);
    bool is_first = c == x->o->v, domain = false;
    PqLeafBounds b;

    if (c->form != PQEXT_FORM_OF_CELLS && c->form != PQEXT_FORM_OF_ROWIDS &&
        x->nodes[c->column]) {
        if (leaf && pq_type_equal(&leaf->type,
                                  &x->t->table->columns[c->column].type)) {
            form_of(x->t, &leaf->type, &domain);
        } else {
            c->form = PQEXT_FORM_OF_CELLS;
        }
    }
    if (is_first ? ends_are_known(x, c, leaf, g) : !domain) {
        return PQ_OK;
    }
    PQ_TRY(chunk_bounds(x, leaf, group, scratch, &b, e));
    if (domain && !in_domain(x, &b)) {
        c->form = PQEXT_FORM_OF_CELLS;
    }
    return is_first ? pqext_order_group_ends(x->t, c, &b, &x->out->arena, g, e)
                    : PQ_OK;
}

static PqRc visit_group(Lister *x, uint32_t group, PqArena *scratch, PqErr *e)
{
    const PqGroup *of = &x->f->groups[group];
    int64_t first = ((int64_t)x->file << PQ_ROWID_SHIFT) + of->first_row;
    PqextOrderGroup *g = pqext_order_groups_more(x->out, e);

    if (!g) {
        return e->rc;
    }
    g->begin = first;
    g->end = first + of->num_rows;
    for (uint32_t i = 0; i < x->o->n; i++) {
        PQ_TRY(visit_column(x, &x->o->v[i], group, g, scratch, e));
    }
    return PQ_OK;
}

static PqRc visit_file(Lister *x, PqErr *e)
{
    PqArena scratch;
    PqRc rc = PQ_OK;
    uint32_t i;

    pq_arena_init(&scratch, x->out->arena.mem);
    PQ_GO(pq_table_map(x->t->table, x->f, x->l->files[x->file].path,
                       x->file == 0, x->nodes, e));
    for (i = 0; i < x->f->n_groups; i++) {
        if (x->f->groups[i].num_rows > 0) {
            PQ_GO(visit_group(x, i, &scratch, e));
            pq_arena_reset(&scratch);
        }
    }
done:
    pq_arena_free(&scratch);
    return rc;
}

static PqRc visit_files(Lister *x, PqSkipFile skip, void *arg, PqErr *e)
{
    PqEngine *engine = x->t->host->engine;
    PqStop stop = {pqext_host_stop, x->t->host};
    PqRc rc;

    for (x->file = 0; x->file < x->l->n_files; x->file++) {
        PQ_TRY(pq_stop_poll(&stop, e));
        if (skip && skip(arg, &x->l->files[x->file])) {
            continue;
        }
        rc = pq_engine_footer(engine, x->l->versions,
                              x->l->files[x->file].path, &x->f, e);
        if (rc == PQ_OK) {
            rc = visit_file(x, e);
            pq_footer_release(x->f);
        }
        if (rc != PQ_OK) {
            pq_left_out_hint(x->t->table, x->l, e);
            return rc;
        }
    }
    return PQ_OK;
}

/* Those of which nothing is known first, then the best first. */
static int compare_groups(const PqextOrderGroup *a, const PqextOrderGroup *b)
{
    int c;

    if (!a->known || !b->known) {
        c = a->known - b->known;
    } else {
        c = pqext_order_compare(&a->best, &b->best);
    }
    return c ? c : (a->begin > b->begin) - (a->begin < b->begin);
}

static int compare_ascending(const void *a, const void *b)
{
    return compare_groups(a, b);
}

static int compare_descending(const void *pa, const void *pb)
{
    const PqextOrderGroup *a = pa, *b = pb;

    return a->known && b->known && pqext_order_compare(&a->best, &b->best) != 0
               ? -compare_groups(a, b) : compare_groups(a, b);
}

void pqext_order_groups_sort(PqextOrderGroups *g, bool desc)
{
    if (g->n > 1) {
        qsort(g->v, g->n, sizeof *g->v,
              desc ? compare_descending : compare_ascending);
    }
}

PqRc pqext_order_groups(const PqextTable *t, const PqListing *l,
                        PqSkipFile skip, void *arg, PqextOrderBy *o,
                        PqextOrderGroups *out, PqErr *e)
{
    Lister x = {.t = t, .l = l, .o = o, .out = out};
    PqextKeyForm form;
    PqRc rc = PQ_OK;
    bool domain;

    for (uint32_t i = 0; i < o->n; i++) {
        o->v[i].form = o->v[i].column < 0
                           ? PQEXT_FORM_OF_ROWIDS
                           : form_of(t, &t->table->columns[o->v[i].column].type,
                                     &domain);
    }
    x.nodes = pq_mem_zeros(out->arena.mem, t->table->n_columns + 1u,
                           sizeof *x.nodes, e);
    if (!x.nodes) {
        return e->rc;
    }
    do {                             /* a form given up changes all ends */
        form = o->v[0].form;
        clear_groups(out);
        PQ_GO(visit_files(&x, skip, arg, e));
    } while (o->v[0].form != form);
    pqext_order_groups_sort(out, o->v[0].desc);
done:
    pq_mem_free(x.nodes);
    return rc;
}

void pqext_order_groups_free(PqextOrderGroups *g)
{
    pq_mem_free(g->v);
    pq_arena_free(&g->arena);
    g->v = NULL;
    g->n = g->room = 0;
}
