/*
** verify_stats.c - compares bounds, counts and histograms with the values.
**
** Bounds are compared in the order that the file says they have.  Readers doubt
** the bounds of some writers; here the values are known, so no doubt is needed.
**
**   values 3..17   min 3   max 17   fine
**                  min 4            error: 3 lies below it
**                  min 2            fine, unless it claims to be exact; a
**                                   warning for the numbers of a whole chunk
*/
#include "core/verify/verify_inside.h"

const PqStatsClaim pq_verify_of_chunk = {
    "min_value", "max_value", "min", "max", "null_count", "nan_count", true};
const PqStatsClaim pq_verify_of_page = {
    "page min_value", "page max_value", "page min", "page max",
    "page null_count", "page nan_count", false};

static const PqStatsClaim of_index = {
    "column index min_values", "column index max_values", NULL, NULL,
    "column index null_counts", "column index nan_counts", false};

PqOrder pq_verify_order(const PqFooter *f, uint32_t leaf)
{
    const PqColumnOrderList *orders = &f->file.column_orders;
    const PqLeaf *l = &f->schema.leaves[leaf];
    PqOrder own = pq_order_of_type(&l->type);

    if (leaf >= orders->n ||
        (l->type.logical == PQ_TYPE_NONE &&
         pq_type_is_annotated(&f->schema.elements[l->node->element]))) {
        return PQ_ORDER_NONE;
    }
    if (PQ_HAS(&orders->v[leaf], PQ_ORDER_TYPE)) {
        return own;
    }
    if (PQ_HAS(&orders->v[leaf], PQ_ORDER_IEEE754) && own == PQ_ORDER_FLOAT) {
        return PQ_ORDER_FLOAT_TOTAL;
    }
    return PQ_HAS(&orders->v[leaf], PQ_ORDER_INT96) &&
                   l->type.physical == PQ_INT96
               ? PQ_ORDER_INT96_TIME : PQ_ORDER_NONE;
}

/* ---- one bound ----------------------------------------------------------------- */

typedef struct Bound {
    const char *what;
    bool        is_max;
    PqOrder     order;
    PqSlice     claim;
    bool        exact, inexact;      /* as the file says; neither: not said   */
    bool        of_chunk;
} Bound;

static PqRc differs(PqVerify *v, PqSeverity severity, const Bound *b,
                    const PqType *type, PqSlice truth, const char *message,
                    PqErr *e)
{
    return pq_verify_find(v, severity, b->what, pq_verify_value(v, type, truth, e),
                          pq_verify_value(v, type, b->claim, e), e, "%s", message);
}

static bool has_fixed_width(const PqType *type)
{
    return type->physical != PQ_BYTE_ARRAY && type->physical != PQ_FIXED;
}

static PqRc compare_bound(PqVerify *v, const Bound *b, const PqType *type,
                          PqSlice truth, PqErr *e)
{
    int c = pq_order_compare(b->order, type, b->claim, truth);

    c = b->is_max ? -c : c;
    if (c > 0) {
        return differs(v, PQ_FINDING_ERROR, b, type, truth,
                       b->is_max ? "a value lies above this bound"
                                 : "a value lies below this bound", e);
    }
    if (c < 0 && b->exact) {
        return differs(v, PQ_FINDING_ERROR, b, type, truth,
                       "claims to be exact, but no value is equal to it", e);
    }
    if (c < 0 && b->of_chunk && !b->inexact && has_fixed_width(type)) {
        return differs(v, PQ_FINDING_WARNING, b, type, truth,
                       "wider than the values", e);
    }
    return PQ_OK;
}

static PqRc check_nan_bound(PqVerify *v, const Bound *b, const PqTally *t,
                            PqErr *e)
{
    const PqBuf *truth = b->is_max ? &t->nan_bounds.max : &t->nan_bounds.min;

    if (b->order != PQ_ORDER_FLOAT_TOTAL) {
        return pq_verify_find(v, PQ_FINDING_WARNING, b->what, NULL, "nan", e,
                              "NaN cannot be a bound in this order");
    }
    if (t->bounds.has || !t->nan_bounds.has) {
        return pq_verify_find(v, PQ_FINDING_ERROR, b->what, NULL, "nan", e,
                              "NaN can only be a bound if there is no other "
                              "value");
    }
    return compare_bound(v, b, &t->leaf->type, pq_buf_view(truth), e);
}

static bool is_of_floats(PqOrder order)
{
    return order == PQ_ORDER_FLOAT || order == PQ_ORDER_FLOAT_TOTAL;
}

static PqRc check_bound(PqVerify *v, const Bound *b, const PqTally *t, PqErr *e)
{
    const PqType *type = &t->leaf->type;

    if (!pq_stats_fits(type, b->claim)) {
        return pq_verify_find(v, PQ_FINDING_ERROR, b->what, NULL,
                              pq_verify_value(v, type, b->claim, e), e, "%zu bytes "
                              "cannot be a value of this type", b->claim.n);
    }
    if (is_of_floats(b->order) && pq_order_is_nan(type, b->claim)) {
        return check_nan_bound(v, b, t, e);
    }
    if (!t->bounds.has) {
        return pq_verify_find(v, PQ_FINDING_WARNING, b->what, NULL,
                              pq_verify_value(v, type, b->claim, e), e,
                              "there is a bound, but no value");
    }
    return compare_bound(v, b, type, pq_buf_view(b->is_max ? &t->bounds.max
                                                           : &t->bounds.min),
                         e);
}

/* ---- counts -------------------------------------------------------------------- */

/* QUIRK: inside lists and structs, some writers count every slot without a
** value, others only the nulls of the leaf itself. */
static PqRc check_nulls(PqVerify *v, const char *what, int64_t claim,
                        const PqTally *t, PqErr *e)
{
    int64_t all = t->n_slots - t->n_values;
    bool inner = t->leaf->max_def > !t->leaf->node->required;

    if (inner && claim >= t->n_own_nulls && claim <= all) {
        return PQ_OK;
    }
    return pq_verify_count(v, PQ_FINDING_ERROR, what, all, claim,
                           "a different number of nulls", e);
}

static PqRc check_nans(PqVerify *v, const char *what, int64_t claim,
                       const PqTally *t, PqErr *e)
{
    return !is_of_floats(t->order)
               ? PQ_OK : pq_verify_count(v, PQ_FINDING_ERROR, what, t->n_nans, claim,
                                         "a different number of NaNs", e);
}

/* ---- statistics of a chunk or of a page header ------------------------------------ */

static PqRc check_new_pair(PqVerify *v, const PqStatistics *s,
                           const PqTally *t, const PqStatsClaim *claim, PqErr *e)
{
    Bound b = {.order = pq_verify_order(v->f, t->leaf->index),
               .of_chunk = claim->whole_chunk};

    if (b.order == PQ_ORDER_NONE) {
        return PQ_OK;
    }
    if (PQ_HAS(s, PQ_STATISTICS_MIN_VALUE)) {
        b.what = claim->min;
        b.claim = s->min_value;
        b.exact = PQ_HAS(s, PQ_STATISTICS_MIN_EXACT) && s->is_min_value_exact;
        b.inexact = PQ_HAS(s, PQ_STATISTICS_MIN_EXACT) && !b.exact;
        PQ_TRY(check_bound(v, &b, t, e));
    }
    if (PQ_HAS(s, PQ_STATISTICS_MAX_VALUE)) {
        b.what = claim->max;
        b.is_max = true;
        b.claim = s->max_value;
        b.exact = PQ_HAS(s, PQ_STATISTICS_MAX_EXACT) && s->is_max_value_exact;
        b.inexact = PQ_HAS(s, PQ_STATISTICS_MAX_EXACT) && !b.exact;
        PQ_TRY(check_bound(v, &b, t, e));
    }
    return PQ_OK;
}

/* The deprecated pair is in signed order, whatever the type.  It is compared
** only if the type has that order too. */
static PqRc check_old_pair(PqVerify *v, const PqStatistics *s,
                           const PqTally *t, const PqStatsClaim *claim, PqErr *e)
{
    const PqType *type = &t->leaf->type;
    Bound b = {.order = pq_order_of_type(type),
               .of_chunk = claim->whole_chunk};

    if (b.order != PQ_ORDER_SIGNED &&
        (b.order != PQ_ORDER_FLOAT || type->physical == PQ_FIXED)) {
        return PQ_OK;
    }
    if (PQ_HAS(s, PQ_STATISTICS_MIN) &&
        !(PQ_HAS(s, PQ_STATISTICS_MIN_VALUE) &&
          pq_slice_equal(s->min, s->min_value))) {
        b.what = claim->old_min;
        b.claim = s->min;
        PQ_TRY(check_bound(v, &b, t, e));
    }
    if (PQ_HAS(s, PQ_STATISTICS_MAX) &&
        !(PQ_HAS(s, PQ_STATISTICS_MAX_VALUE) &&
          pq_slice_equal(s->max, s->max_value))) {
        b.what = claim->old_max;
        b.is_max = true;
        b.claim = s->max;
        PQ_TRY(check_bound(v, &b, t, e));
    }
    return PQ_OK;
}

PqRc pq_verify_statistics(PqVerify *v, const PqStatistics *s,
                          const PqTally *truth, const PqStatsClaim *claim, PqErr *e)
{
    PQ_TRY(check_new_pair(v, s, truth, claim, e));
    PQ_TRY(check_old_pair(v, s, truth, claim, e));
    if (PQ_HAS(s, PQ_STATISTICS_NULL_COUNT)) {
        PQ_TRY(check_nulls(v, claim->nulls, s->null_count, truth, e));
    }
    if (PQ_HAS(s, PQ_STATISTICS_NAN_COUNT)) {
        PQ_TRY(check_nans(v, claim->nans, s->nan_count, truth, e));
    }
    return PQ_OK;
}

/* ---- size statistics ------------------------------------------------------------ */

static PqRc check_histogram(PqVerify *v, const char *what, const int64_t *claim,
                            const int64_t *truth, uint32_t n, PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        if (claim[i] != truth[i]) {
            return pq_verify_find(v, PQ_FINDING_ERROR, what,
                                  pq_verify_number(v, truth[i], e),
                                  pq_verify_number(v, claim[i], e), e,
                                  "a different number of level %u", i);
        }
    }
    return PQ_OK;
}

static PqRc check_list(PqVerify *v, const char *what, const PqI64List *claim,
                       const int64_t *truth, uint32_t n, PqErr *e)
{
    if (claim->n == 0) {
        return PQ_OK;                /* the same as absent */
    }
    if (claim->n != n) {
        return pq_verify_count(v, PQ_FINDING_ERROR, what, n, claim->n,
                               "a different number of levels", e);
    }
    return check_histogram(v, what, claim->v, truth, n, e);
}

PqRc pq_verify_size_statistics(PqVerify *v, const PqSizeStatistics *s,
                               const PqTally *truth, PqErr *e)
{
    const PqLeaf *leaf = truth->leaf;

    if (PQ_HAS(s, PQ_SIZE_STATISTICS_BYTES) &&
        leaf->type.physical == PQ_BYTE_ARRAY) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING,
                               "unencoded_byte_array_data_bytes",
                               truth->n_bytes,
                               s->unencoded_byte_array_data_bytes,
                               "the values have a different number of "
                               "bytes", e));
    }
    PQ_TRY(check_list(v, "repetition_level_histogram",
                      &s->repetition_level_histogram, truth->reps,
                      leaf->max_rep + 1u, e));
    return check_list(v, "definition_level_histogram",
                      &s->definition_level_histogram, truth->defs,
                      leaf->max_def + 1u, e);
}

/* ---- the column index ------------------------------------------------------------ */

static PqRc check_null_page(PqVerify *v, bool claim, const PqTally *t, PqErr *e)
{
    if (claim == (t->n_values == 0)) {
        return PQ_OK;
    }
    return pq_verify_find(v, claim ? PQ_FINDING_ERROR : PQ_FINDING_WARNING,
                          "column index null_pages", claim ? "false" : "true",
                          claim ? "true" : "false", e,
                          claim ? "the page has values"
                                : "the page has no values");
}

PqRc pq_verify_index_entry(PqVerify *v, const PqColumnIndex *x, uint32_t page,
                           const PqTally *t, PqErr *e)
{
    Bound b = {.order = pq_verify_order(v->f, t->leaf->index),
               .what = of_index.min};
    uint32_t reps = t->leaf->max_rep + 1u, defs = t->leaf->max_def + 1u;

    if (page >= x->null_pages.n) {
        return PQ_OK;
    }
    PQ_TRY(check_null_page(v, x->null_pages.v[page], t, e));
    if (b.order != PQ_ORDER_NONE && !x->null_pages.v[page] && t->n_values > 0) {
        b.claim = x->min_values.v[page];
        PQ_TRY(check_bound(v, &b, t, e));
        b.what = of_index.max;
        b.is_max = true;
        b.claim = x->max_values.v[page];
        PQ_TRY(check_bound(v, &b, t, e));
    }
    if (page < x->null_counts.n) {
        PQ_TRY(check_nulls(v, of_index.nulls, x->null_counts.v[page], t, e));
    }
    if (page < x->nan_counts.n) {
        PQ_TRY(check_nans(v, of_index.nans, x->nan_counts.v[page], t, e));
    }
    if (x->repetition_level_histograms.n > 0) {
        PQ_TRY(check_histogram(v, "column index repetition_level_histograms",
                               x->repetition_level_histograms.v +
                                   (size_t)page * reps,
                               t->reps, reps, e));
    }
    if (x->definition_level_histograms.n > 0) {
        PQ_TRY(check_histogram(v, "column index definition_level_histograms",
                               x->definition_level_histograms.v +
                                   (size_t)page * defs,
                               t->defs, defs, e));
    }
    return PQ_OK;
}

/* Is the list in this direction, not counting entries without a value? */
static bool in_order(const PqColumnIndex *x, const PqSliceList *list,
                     const PqType *type, PqOrder order, bool descending)
{
    const PqSlice *before = NULL;

    for (uint32_t i = 0; i < list->n; i++) {
        if (x->null_pages.v[i] || !pq_stats_fits(type, list->v[i])) {
            continue;
        }
        if (before) {
            int c = pq_order_compare(order, type, *before, list->v[i]);

            if (descending ? c < 0 : c > 0) {
                return false;
            }
        }
        before = &list->v[i];
    }
    return true;
}

PqRc pq_verify_index_order(PqVerify *v, const PqColumnIndex *x,
                           const PqLeaf *leaf, PqErr *e)
{
    PqOrder order = pq_verify_order(v->f, leaf->index);
    bool descending = x->boundary_order == PQ_BOUNDARY_DESCENDING;
    const char *name = pq_format_boundary_name(x->boundary_order);

    if (order == PQ_ORDER_NONE ||
        x->boundary_order == PQ_BOUNDARY_UNORDERED || !name ||
        (in_order(x, &x->min_values, &leaf->type, order, descending) &&
         in_order(x, &x->max_values, &leaf->type, order, descending))) {
        return PQ_OK;
    }
    return pq_verify_find(v, PQ_FINDING_ERROR, "column index boundary_order",
                          "UNORDERED", name, e,
                          "the bounds of the pages are not in this order");
}
