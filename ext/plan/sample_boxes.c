/*
** sample_boxes.c - boxes of geometries in the row groups of the sample, and how
** many rows a predicate of them leaves.
**
** The box of a join, which is not known yet, is taken to be small.  How likely
** it meets a row group depends on the group's share of the whole extent: all of
** it if rows are in no order, little if they are compact.
*/
#include "ext/plan/sample.h"

#include "sql/geo_functions/geo_functions.h"

#include <math.h>

/* Assumed: the share of rows in a small box, the share of pages of a compact
** row group that it meets, and the least share of row groups that it meets. */
static const double small_box = 0.001, few_pages = 0.1, least_hit = 0.001;

/* ---- boxes --------------------------------------------------------------- */

static PqRc take_group(PqextTable *t, const PqGeoCover *c, uint32_t group,
                       PqArena *scratch, PqextBox *out, PqErr *e)
{
    const PqFooter *f = t->table->footers[0];
    bool believes = !(t->options.distrust & 1 << PQ_BY_STATISTICS);
    PqRowBox native, cover;
    PqColumnChunk chunk;

    PQ_TRY(pq_group_boxes(f, c, group, believes, scratch, &native, &cover, e));
    out->none = native.none || cover.none;
    out->box = pq_row_box(pq_better_box(&native, &cover));
    if (pq_has_cover(c)) {
        PQ_TRY(pq_footer_chunk(f, group, c->leaf[0]->index, scratch, &chunk,
                               e));
        out->paged = chunk.column_index_offset > 0 &&
                     !(t->options.distrust & 1 << PQ_BY_PAGES);
    }
    return PQ_OK;
}

/* A column of a union may come from another file. */
static bool is_of_first_file(const PqSchema *schema, const PqNode *node)
{
    if (node->kind == PQ_NODE_LEAF) {
        return (uint32_t)node->leaf < schema->n_leaves &&
               schema->leaves[node->leaf].node == node;
    }
    for (uint32_t i = 0; i < schema->root->n_children; i++) {
        if (schema->root->child[i] == node) {
            return true;
        }
    }
    return false;
}

static PqextBox *make_boxes(PqextTable *t, PqextSample *s, const PqNode *node,
                            PqErr *e)
{
    PqGeoCover c = pq_geo_cover(t->table->footers[0], node);
    PqextBox *v = pq_arena_zeros(&s->arena, s->n, sizeof *v, e);
    PqArena scratch;

    pq_arena_init(&scratch, t->host->engine->mem);
    for (uint32_t i = 0; v && i < s->n; i++) {
        if (take_group(t, &c, s->group[i], &scratch, &v[i], e) != PQ_OK) {
            v = NULL;                /* reading it gives the error */
        }
    }
    pq_arena_free(&scratch);
    return v;
}

/* NULL: they are not known, or not believed. */
static const PqextBox *boxes_of(PqextTable *t, PqextSample *s, uint32_t column)
{
    const PqNode *node = t->table->columns[column].node;
    PqErr e = PQ_NO_ERR;

    if (!t->options.trust_stats || t->options.distrust & 1 << PQ_BY_BOXES ||
        !node || !is_of_first_file(&t->table->footers[0]->schema, node)) {
        return NULL;
    }
    if (!s->boxes[column]) {
        s->boxes[column] = make_boxes(t, s, node, &e);
        pq_err_clear(&e);
    }
    return s->boxes[column];
}

/* ---- shares -------------------------------------------------------------- */

static double width(const PqGeoBox *b, int axis)
{
    return b->has[axis] && b->max[axis] > b->min[axis]
               ? b->max[axis] - b->min[axis] : 0;
}

/* The share of evenly spread points of a that are in b. */
static double share_of_axis(const PqGeoBox *a, const PqGeoBox *b, int axis)
{
    double low = fmax(a->min[axis], b->min[axis]);
    double high = fmin(a->max[axis], b->max[axis]), all = width(a, axis);

    return all > 0 && b->min[axis] <= b->max[axis] && high >= low
               ? (high - low) / all : 1;
}

/* What a known box leaves of a row group. */
static void cut_known(const PqextBox *g, PqGeoRelation r, const PqGeoBox *b,
                      double *given, bool *none)
{
    *none |= g->none || !pq_geo_box_may_relate(r, &g->box, b);
    *given *= fmax(small_box, share_of_axis(&g->box, b, PQ_GEO_X) *
                                  share_of_axis(&g->box, b, PQ_GEO_Y));
}

/* How likely a small box, somewhere in all, is to meet a row group. */
static double hit(const PqextBox *g, const PqGeoBox *all)
{
    double likely = 1;

    for (int axis = PQ_GEO_X; axis <= PQ_GEO_Y; axis++) {
        double whole = width(all, axis);

        if (g->box.has[axis] && g->box.min[axis] <= g->box.max[axis] &&
            whole > 0) {
            likely *= width(&g->box, axis) / whole;
        }
    }
    return g->none ? 0 : fmax(likely, least_hit);
}

static void cut_unknown(const PqextBox *v, uint32_t n, double *given,
                        double *read)
{
    PqGeoBox all = {{false}, {0}, {0}};
    double hits = 0;
    bool compact;

    for (uint32_t i = 0; i < n; i++) {
        for (int axis = PQ_GEO_X; axis <= PQ_GEO_Y; axis++) {
            if (v[i].box.has[axis]) {
                pq_geo_box_add(&all, axis, v[i].box.min[axis]);
                pq_geo_box_add(&all, axis, v[i].box.max[axis]);
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        hits += hit(&v[i], &all);
    }
    compact = n > 1 && hits < 0.5 * n;
    for (uint32_t i = 0; i < n; i++) {
        given[i] *= small_box;
        read[i] *= hit(&v[i], &all) * (compact && v[i].paged ? few_pages : 1);
    }
}

static bool operand_box(sqlite3_value *operand, PqGeoBox *out)
{
    PqsqlBoxIs is = PQSQL_BOX_IS_NULL;
    PqErr e = PQ_NO_ERR;

    if (operand) {
        (void)pqsql_geometry_box(operand, out, &is, &e);
        pq_err_clear(&e);
    }
    return is == PQSQL_BOX_IS_THERE;
}

bool pqext_sample_cut_boxes(PqextTable *t, uint32_t column, PqGeoRelation r,
                            sqlite3_value *operand, double *given,
                            double *read, bool *none)
{
    PqextSample *s = pqext_sample(t);
    const PqextBox *v = s ? boxes_of(t, s, column) : NULL;
    PqGeoBox box;

    if (!v) {
        return false;
    }
    if (!operand_box(operand, &box)) {
        cut_unknown(v, s->n, given, read);
        return true;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        cut_known(&v[i], r, &box, &given[i], &none[i]);
    }
    return true;
}
