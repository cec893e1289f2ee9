/*
** top_sections.c - row groups and pages by their bounds.
**
** It finds out two things.  The first is where each row group begins and ends
** in the order of the first column, so that the best ones can be read first.
**
** The second is whether the values of a column can be compared as they are
** stored.  They cannot if a file stores another type than the column's, or if a
** bound lies outside the limits within which the host's order is the order of
** places.  One such row group makes the column a column of cells in all of
** them.  If that happens to the first column, all ends are looked up once more.
*/
#include "core/files/ignore_errors.h"
#include "core/files/table_paths.h"
#include "core/top/top_inside.h"

#include <stdlib.h>

/* ---- forms --------------------------------------------------------------- */

static PqTopForm form_of_places(const PqTopColumn *c, const PqType *type)
{
    if (c->coarse) {
        return PQ_TOP_CELLS;
    }
    switch (type->physical) {
    case PQ_BOOLEAN:
    case PQ_INT32:
    case PQ_INT64:
        return PQ_TOP_INTS;
    case PQ_FLOAT:
    case PQ_DOUBLE:
        return PQ_TOP_REALS;
    default:
        return PQ_TOP_CELLS;
    }
}

static PqTopForm form_of(const PqTopSpec *s, const PqTopColumn *c)
{
    if (c->column == PQ_TOP_ROWID) {
        return PQ_TOP_ROWIDS;
    }
    switch (c->order) {
    case PQ_WANTED_BYTES:
        return PQ_TOP_BYTES;
    case PQ_WANTED_PLACES:
        return form_of_places(c, &s->table->columns[c->column].type);
    default:
        return PQ_TOP_CELLS;
    }
}

static bool is_as_stored(PqTopForm form)
{
    return form == PQ_TOP_INTS || form == PQ_TOP_REALS || form == PQ_TOP_BYTES;
}

bool pq_top_is_own_type(const PqTopSpec *s, const PqTopColumn *c,
                        const PqType *type)
{
    return pq_type_equal(type, &s->table->columns[c->column].type);
}

/* ---- bounds -------------------------------------------------------------- */

/* The place of a stored value, if places have the host's order there; a NaN has
** no place. */
static bool place_within(const PqTopColumn *c, const PqType *type,
                         PqSlice stored, PqPlace *out)
{
    PqPlace least = c->least, most = c->most;

    if (!c->bounded) {
        pq_place_ends(type, &least, &most);
    }
    return pq_place_of(type, stored, out) && *out >= least && *out <= most;
}

static bool stored_value(const PqTopColumn *c, const PqType *type,
                         PqSlice stored, PqCell *out)
{
    PqPlace place;

    if (c->form == PQ_TOP_BYTES) {
        *out = pq_cell_bytes(PQ_CELL_BLOB, stored);
        return true;
    }
    if (!place_within(c, type, stored, &place)) {
        return false;
    }
    if (c->form == PQ_TOP_INTS) {
        *out = pq_cell_int((int64_t)place);
    } else {
        *out = pq_cell_real(type->physical == PQ_FLOAT
                                ? (double)pq_float_at((int64_t)place)
                                : pq_double_at((int64_t)place));
    }
    return true;
}

static bool bound_value(const PqTopSpec *s, const PqTopColumn *c,
                        const PqType *type, PqSlice bound, char *room,
                        PqCell *out)
{
    return is_as_stored(c->form)
               ? stored_value(c, type, bound, out)
               : s->bound(s->bound_arg, (uint32_t)c->column, bound, room, out);
}

bool pq_top_ends(const PqTopSpec *s, const PqTopColumn *c,
                 const PqLeafBounds *b, char *best_room, char *worst_room,
                 PqCell *best, PqCell *worst)
{
    static const PqCell null = {.kind = PQ_CELL_NULL};
    const PqType *type = &b->leaf->type;
    bool nulls = !s->no_nulls && (b->bounds.n_nulls != 0 || b->bounds.n_nans != 0);
    PqSlice first = c->desc ? b->bounds.max : b->bounds.min;
    PqSlice last = c->desc ? b->bounds.min : b->bounds.max;

    if (!pq_top_is_own_type(s, c, type)) {
        return false;
    }
    if (b->bounds.all_null) {
        *best = *worst = null;
        return true;
    }
    if (!b->bounds.has_min || !b->bounds.has_max ||
        !bound_value(s, c, type, first, best_room, best) ||
        !bound_value(s, c, type, last, worst_room, worst)) {
        return false;
    }
    if (nulls) {
        *(c->desc ? worst : best) = null;
    }
    return true;
}

/* Do the bounds show that places have the host's order? */
static bool is_within(const PqTopColumn *c, const PqLeafBounds *b)
{
    const PqType *type = &b->leaf->type;
    PqPlace place;

    return b->bounds.all_null ||
           (b->bounds.has_min && b->bounds.has_max &&
            place_within(c, type, b->bounds.min, &place) &&
            place_within(c, type, b->bounds.max, &place));
}

/* ---- sections ------------------------------------------------------------ */

PqRc pq_top_sections_add(PqTopSections *l, int64_t begin, int64_t end,
                         PqTopSection **out, PqErr *e)
{
    PQ_TRY(PQ_GROW(l->arena.mem, l->v, l->n, l->room, e));
    *out = &l->v[l->n++];
    **out = (PqTopSection){.begin = begin, .end = end};
    return PQ_OK;
}

void pq_top_sections_free(PqTopSections *l)
{
    pq_mem_free(l->v);
    pq_arena_free(&l->arena);
    l->v = NULL;
    l->n = l->room = 0;
}

static void clear_sections(PqTopSections *l)
{
    l->n = 0;
    l->bytes = 0;
    l->declared = true;
    l->pageless = 0;
    pq_arena_reset(&l->arena);
}

PqRc pq_top_section_ends(const PqTopSpec *s, const PqTopColumn *c,
                         const PqLeafBounds *b, PqTopSections *l,
                         PqTopSection *section, PqErr *e)
{
    char best_room[PQ_TOP_BOUND_ROOM], worst_room[PQ_TOP_BOUND_ROOM];

    section->known = pq_top_ends(s, c, b, best_room, worst_room, &section->best,
                                 &section->worst);
    if (section->known) {
        PQ_TRY(pq_cell_keep(&section->best, &l->arena, e));
        PQ_TRY(pq_cell_keep(&section->worst, &l->arena, e));
    }
    section->occurs = section->known &&
                      (b->bounds.all_null ||
                       (section->best.kind != PQ_CELL_NULL &&
                        (c->desc ? b->bounds.max_exact : b->bounds.min_exact)));
    return PQ_OK;
}

static int compare_sections(const PqTopSection *a, const PqTopSection *b,
                            bool desc)
{
    int c;

    if (!a->known || !b->known) {
        c = a->known - b->known;
    } else {
        c = pq_cell_compare(&a->best, &b->best);
        c = desc ? -c : c;
    }
    return c ? c : (a->begin > b->begin) - (a->begin < b->begin);
}

static int compare_ascending(const void *a, const void *b)
{
    return compare_sections(a, b, false);
}

static int compare_descending(const void *a, const void *b)
{
    return compare_sections(a, b, true);
}

void pq_top_sections_sort(PqTopSections *l, bool desc)
{
    if (l->n > 1) {
        qsort(l->v, l->n, sizeof *l->v,
              desc ? compare_descending : compare_ascending);
    }
}

/* ---- the row groups of all files ----------------------------------------- */

typedef struct Lister {
    const PqTopSpec *s;
    PqTopBy         *by;
    PqTopSections     *out;
    const PqNode   **nodes;          /* of the columns, in the current file */
    PqFooter        *f;
    uint32_t         file;
} Lister;

static const PqLeaf *leaf_of(const Lister *x, const PqTopColumn *c)
{
    const PqNode *node = c->column < 0 ? NULL : x->nodes[c->column];

    return pq_node_is_flat_leaf(node) ? &x->f->schema.leaves[node->leaf] : NULL;
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
    x->out->bytes += chunk.meta_data.total_uncompressed_size;
    return PQ_OK;
}

/* Sets the ends of a row group if they are not in its statistics; false: they
** are. */
static bool ends_without_bounds(const Lister *x, const PqTopColumn *c,
                                const PqLeaf *leaf, PqTopSection *g)
{
    if (c->form == PQ_TOP_ROWIDS) {
        g->best = (PqCell){.kind = PQ_CELL_INT,
                                .i = c->desc ? g->end - 1 : g->begin};
        g->worst = g->best;
        g->worst.i = c->desc ? g->begin : g->end - 1;
        g->known = true;
    } else if (!leaf) {              /* a missing column is all NULL */
        g->best = g->worst = (PqCell){.kind = PQ_CELL_NULL};
        g->known = g->occurs = !x->nodes[c->column];
    }
    return !leaf;
}

/* Looks at a column in one more row group, g: whether it can still be compared
** as stored, and if it is the first column, where g begins and ends. */
static PqRc visit_column(Lister *x, PqTopColumn *c, uint32_t group,
                         PqTopSection *g, PqArena *scratch, PqErr *e)
{
    const PqLeaf *leaf = leaf_of(x, c);
    bool is_first = c == x->by->v, limited;
    PqLeafBounds b;

    if (is_as_stored(c->form) && x->nodes[c->column] &&
        !(leaf && pq_top_is_own_type(x->s, c, &leaf->type))) {
        c->form = PQ_TOP_CELLS;
    }
    limited = leaf && is_as_stored(c->form) && c->bounded;
    if (is_first ? ends_without_bounds(x, c, leaf, g) : !limited) {
        return PQ_OK;
    }
    PQ_TRY(chunk_bounds(x, leaf, group, scratch, &b, e));
    if (limited && !is_within(c, &b)) {
        c->form = PQ_TOP_CELLS;
    }
    return is_first ? pq_top_section_ends(x->s, c, &b, x->out, g, e) : PQ_OK;
}

/* Does the file say that the row group is sorted like this?  It does not matter
** where NULLs are, because this is only a hint. */
static bool is_declared(const Lister *x, uint32_t group)
{
    const PqTopColumn *c = x->by->v;
    const PqSortingColumnList *l =
        &x->f->file.row_groups.v[group].sorting_columns;
    const PqLeaf *leaf = leaf_of(x, c);

    return leaf && l->n > 0 && l->v[0].column_idx == (int32_t)leaf->column &&
           l->v[0].descending == c->desc;
}

/* Notes whether a row group is declared sorted.  Also notes its size if it has
** no index of its pages: one page may be all of it. */
static PqRc note_declared(Lister *x, uint32_t group, PqArena *scratch, PqErr *e)
{
    const PqLeaf *leaf = leaf_of(x, x->by->v);
    const PqGroup *of = &x->f->groups[group];
    int64_t bytes = of->total_byte_size > 0 ? of->total_byte_size : INT64_MAX;
    PqColumnChunk chunk;

    x->out->declared = x->out->declared && is_declared(x, group);
    if (!x->out->declared) {
        return PQ_OK;
    }
    PQ_TRY(pq_footer_chunk(x->f, group, leaf->index, scratch, &chunk, e));
    if (chunk.offset_index_length <= 0 && x->out->pageless < bytes) {
        x->out->pageless = bytes;
    }
    return PQ_OK;
}

static PqRc visit_group(Lister *x, uint32_t group, PqArena *scratch, PqErr *e)
{
    const PqGroup *of = &x->f->groups[group];
    int64_t first = ((int64_t)x->file << PQ_ROWID_SHIFT) + of->first_row;
    PqTopSection *g;

    PQ_TRY(note_declared(x, group, scratch, e));
    PQ_TRY(pq_top_sections_add(x->out, first, first + of->num_rows, &g, e));
    for (uint32_t i = 0; i < x->by->n; i++) {
        PQ_TRY(visit_column(x, &x->by->v[i], group, g, scratch, e));
    }
    if (x->s->host.listing->files[x->file].n_deleted) {
        g->occurs = false;           /* the row may be a deleted one         */
    }
    x->out->n -= x->s->no_nulls && g->known && g->best.kind == PQ_CELL_NULL;
    return PQ_OK;
}

/* pq_table_map leaves paths out. */
static void find_path(Lister *x, int column)
{
    const PqTable *t = x->s->table;

    if (column >= 0 && t->columns[column].kind == PQ_COLUMN_VARIANT_PATH) {
        x->nodes[column] = pq_table_path_node(t, x->f, (uint32_t)column);
    }
}

static PqRc visit_file(Lister *x, PqErr *e)
{
    const char *path = x->s->host.listing->files[x->file].path;
    PqWhere outer = e->where;
    PqArena scratch;
    PqRc rc = PQ_OK;
    uint32_t i;

    pq_arena_init(&scratch, x->out->arena.mem);
    PQ_GO(pq_table_map(x->s->table, x->f, path,
                       pq_listing_is_first(x->s->host.listing, x->file), x->nodes, e));
    e->where.file = path;
    for (i = 0; i < x->by->n; i++) {
        find_path(x, x->by->v[i].column);
    }
    for (i = 0; i < x->f->n_groups; i++) {
        if (x->f->groups[i].num_rows > 0) {
            PQ_GO(visit_group(x, i, &scratch, e));
            pq_arena_reset(&scratch);
        }
    }
    e->where = outer;
done:
    pq_arena_free(&scratch);
    return rc;
}

static PqRc visit_files(Lister *x, PqErr *e)
{
    const PqTopSpec *s = x->s;
    const PqListing *l = s->host.listing;
    PqRc rc;

    for (x->file = 0; x->file < l->n_files; x->file++) {
        const PqListedFile *file = &l->files[x->file];

        PQ_TRY(pq_stop_poll(&s->stop, e));
        if (s->host.skip_file && s->host.skip_file(s->host.arg, file)) {
            continue;
        }
        pq_listing_expect(l, x->file, s->host.skip_file, s->host.arg);
        rc = pq_engine_footer(s->table->engine, l, file->path, &x->f, e);
        if (rc == PQ_OK) {
            rc = visit_file(x, e);
            pq_footer_release(x->f);
        }
        if (rc != PQ_OK) {
            pq_left_out_hint(s->table, l, e);
            return rc;
        }
    }
    return PQ_OK;
}

PqRc pq_top_sections(const PqTopSpec *s, PqTopBy *by, PqTopSections *out,
                     PqErr *e)
{
    Lister x = {.s = s, .by = by, .out = out};
    PqRc rc = PQ_OK;
    PqTopForm form;

    for (uint32_t i = 0; i < by->n; i++) {
        by->v[i].form = form_of(s, &by->v[i]);
    }
    x.nodes = pq_mem_zeros(out->arena.mem, s->table->n_columns + 1u,
                           sizeof *x.nodes, e);
    PQ_TRY(x.nodes ? PQ_OK : e->rc);
    do {                             /* another form has other ends */
        form = by->v[0].form;
        clear_sections(out);
        PQ_GO(visit_files(&x, e));
    } while (by->v[0].form != form);
    pq_top_sections_sort(out, by->v[0].desc);
done:
    pq_mem_free(x.nodes);
    return rc;
}

uint32_t pq_top_overlap(const PqTopSections *l, bool desc)
{
    const PqTopSection *open[PQ_TOP_OVERLAP + 1];
    uint32_t i, k, n = 0, most = 0;

    for (i = 0; i < l->n && most <= PQ_TOP_OVERLAP; i++) {
        const PqTopSection *g = &l->v[i];
        uint32_t still = 0;

        if (!g->known) {
            return UINT32_MAX;
        }
        for (k = 0; k < n; k++) {
            int c = pq_cell_compare(&open[k]->worst, &g->best);

            if ((desc ? -c : c) > 0) {
                open[still++] = open[k];
            }
        }
        open[still++] = g;
        n = still;
        most = n > most ? n : most;
    }
    return most;
}
