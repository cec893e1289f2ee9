/*
** stats.c - decides which written statistics can be trusted.
**
** Four steps: choose the pair of bounds and its order, drop bounds of the wrong
** size, drop NaN, drop both bounds if they contradict each other.  Counts are
** claims too: one that is negative, or larger than the number of values, is
** unknown.
*/
#include "core/meta/stats.h"
#include "core/meta/writer.h"

bool pq_stats_fits(const PqType *t, PqSlice v)
{
    switch (t->physical) {
    case PQ_BYTE_ARRAY:
        return v.n <= UINT32_MAX &&
               (v.n > 0 || t->logical != PQ_TYPE_DECIMAL);
    case PQ_FIXED:
        return t->fixed_length != PQ_NO_LENGTH &&
               (v.n == t->fixed_length ||
                (v.n < t->fixed_length && t->logical <= PQ_TYPE_BSON));
    default:
        return v.n == pq_physical_width(t->physical) &&
               (t->physical != PQ_BOOLEAN || v.p[0] <= 1);
    }
}

/* QUIRK: parquet-mr before 1.8.1 reused the buffer of a bound, so that both
** bounds are often the last value (PARQUET-251).  Some of those files do not
** say who wrote them (PARQUET-297).
** Test: equal_old_bounds_of_bytes_need_a_writer_that_kept_them. */
static bool keeps_bytes(PqSlice created_by)
{
    return created_by.n != 0 &&
           !pq_writer_is(created_by, "parquet-mr", PQ_VERSION(1, 8, 1));
}

/* The deprecated pair was made by signed comparison; bytes were compared as
** signed bytes.  If that is not the order of the type, the pair is still usable
** when both bounds are the same value. */
static PqOrder order_of_old_pair(const PqFooter *f, uint32_t leaf,
                                 const PqStatistics *s)
{
    const PqType *t = &f->schema.leaves[leaf].type;
    PqOrder own = pq_order_of_type(t);

    if (pq_order_is_doubtful(f, leaf)) {
        return PQ_ORDER_NONE;
    }
    if (own == PQ_ORDER_SIGNED ||
        (own == PQ_ORDER_FLOAT && t->physical != PQ_FIXED)) {
        return own;
    }
    if (!PQ_HAS(s, PQ_STATISTICS_MIN) || !PQ_HAS(s, PQ_STATISTICS_MAX) ||
        s->min.n == 0 || !pq_slice_equal(s->min, s->max)) {
        return PQ_ORDER_NONE;
    }
    return own == PQ_ORDER_UNSIGNED || keeps_bytes(f->file.created_by)
               ? own : PQ_ORDER_NONE;
}

/* Takes the pair of bounds whose order is known; false: there is none. */
static bool take_pair(PqBounds *b, PqOrder order, const PqStatistics *s)
{
    b->order = order;
    b->has_min = order && PQ_HAS(s, PQ_STATISTICS_MIN_VALUE);
    b->has_max = order && PQ_HAS(s, PQ_STATISTICS_MAX_VALUE);
    if (!b->has_min && !b->has_max) {
        return false;
    }
    b->min = s->min_value;
    b->max = s->max_value;
    b->min_exact = PQ_HAS(s, PQ_STATISTICS_MIN_EXACT) && s->is_min_value_exact;
    b->max_exact = PQ_HAS(s, PQ_STATISTICS_MAX_EXACT) && s->is_max_value_exact;
    return true;
}

static void choose_pair(PqBounds *b, const PqFooter *f, uint32_t leaf,
                        const PqStatistics *s)
{
    if (take_pair(b, pq_order_of_leaf(f, leaf), s)) {
        return;
    }
    b->order = order_of_old_pair(f, leaf, s);
    b->has_min = b->order && PQ_HAS(s, PQ_STATISTICS_MIN);
    b->has_max = b->order && PQ_HAS(s, PQ_STATISTICS_MAX);
    b->min = s->min;
    b->max = s->max;
}

static bool is_bound(const PqBounds *b, const PqType *t, PqSlice v)
{
    return b->order != PQ_ORDER_FLOAT || !pq_order_is_nan(t, v);
}

/* A writer that stored one bound in the wrong size may also have swapped the
** two, so the other bound is not believed either. */
static bool is_misfit(const PqBounds *b, const PqType *t)
{
    return (b->has_min && !pq_stats_fits(t, b->min)) ||
           (b->has_max && !pq_stats_fits(t, b->max));
}

/* QUIRK: a writer that gave up on long strings may leave two empty bounds
** (DuckDB 0.10).  That is likelier than a chunk of nothing but empty strings.
** Test: two_empty_bounds_are_ignored. */
static bool contradict(const PqBounds *b, const PqType *t)
{
    return b->has_min && b->has_max &&
           ((b->min.n == 0 && b->max.n == 0) ||
            pq_order_compare(b->order, t, b->min, b->max) > 0);
}

/* Is it not a prefix of the values? */
static bool is_whole(const PqType *t, PqSlice v)
{
    return t->physical != PQ_FIXED || v.n == t->fixed_length;
}

static void check_bounds(PqBounds *b, const PqType *t)
{
    if (b->order == PQ_ORDER_FLOAT_TOTAL) {
        b->order = PQ_ORDER_FLOAT;   /* see stats.h */
    }
    if (b->all_null || is_misfit(b, t)) {
        b->has_min = b->has_max = false;
    }
    b->has_min = b->has_min && is_bound(b, t, b->min);
    b->has_max = b->has_max && is_bound(b, t, b->max);
    if (contradict(b, t)) {
        b->has_min = b->has_max = false;
    }
    b->min = b->has_min ? b->min : pq_slice(NULL, 0);
    b->max = b->has_max ? b->max : pq_slice(NULL, 0);
    b->min_exact = b->min_exact && b->has_min && is_whole(t, b->min);
    b->max_exact = b->max_exact && b->has_max && is_whole(t, b->max);
    if (!b->has_min && !b->has_max) {
        b->order = PQ_ORDER_NONE;
    }
}

static int64_t count(bool has, int64_t n, int64_t n_values)
{
    return has && n >= 0 && (n_values < 0 || n <= n_values) ? n : -1;
}

/* nulls: their number can be trusted. */
static void check_counts(PqBounds *b, const PqType *t, const PqStatistics *s,
                         bool nulls, int64_t n_values)
{
    bool floats = pq_order_of_type(t) == PQ_ORDER_FLOAT;

    b->n_nulls = count(nulls && PQ_HAS(s, PQ_STATISTICS_NULL_COUNT),
                       s->null_count, n_values);
    b->n_nans = !floats ? 0
                        : count(PQ_HAS(s, PQ_STATISTICS_NAN_COUNT),
                                s->nan_count, n_values);
    if (n_values >= 0 && b->n_nulls > 0 && b->n_nans > n_values - b->n_nulls) {
        b->n_nulls = b->n_nans = -1;
    }
    b->all_null = n_values >= 0 && b->n_nulls == n_values;
}

/* QUIRK: DuckDB 1.5 counts a null struct in a list again for each of its fields,
** so that the nulls may come to as many as all slots.
** Test: nulls_in_lists_are_not_all_there_is. */
static void doubt_all_null(PqBounds *b)
{
    b->n_nulls = b->all_null ? -1 : b->n_nulls;
    b->all_null = false;
}

/* Of a leaf that the file lacks: in each row the same, or in each row that has its
** struct. */
static PqBounds of_made(const PqLeaf *leaf, const PqStatistics *s, int64_t n_values)
{
    bool everywhere = !leaf->made->guide;
    PqSlice v = leaf->made->value;
    PqBounds b = {.order = pq_order_of_type(&leaf->type), .n_nulls = n_values};

    if (!pq_leaf_made_has_value(leaf)) {
        b.order = PQ_ORDER_NONE;
        b.all_null = n_values >= 0;
        return b;
    }
    b.n_nulls = everywhere ? 0 : -1;
    if (leaf->made->counts || leaf->made->fills) {
        b.n_nulls = 0;
        b.min = s->min_value;
        b.max = s->max_value;
        b.has_min = b.has_max = b.min_exact = b.max_exact = b.min.n > 0;
        b.order = b.has_min ? b.order : PQ_ORDER_NONE;
        return b;
    }
    b.n_nans = b.order == PQ_ORDER_FLOAT ? -1 : 0;
    if (b.order && v.n && is_bound(&b, &leaf->type, v)) {
        b.has_min = b.has_max = true;
        b.min_exact = b.max_exact = everywhere && n_values > 0;
        b.min = b.max = v;
        b.n_nans = 0;
    } else {
        b.order = PQ_ORDER_NONE;
    }
    return b;
}

PqBounds pq_stats_bounds(const PqFooter *f, uint32_t leaf,
                         const PqStatistics *s, int64_t n_values)
{
    const PqType *t = &f->schema.leaves[leaf].type;
    PqBounds b = {0};

    if (f->schema.leaves[leaf].made) {
        b = of_made(&f->schema.leaves[leaf], s, n_values);
        if (f->schema.leaves[leaf].max_rep > 0) {
            doubt_all_null(&b);
        }
        return b;
    }
    check_counts(&b, t, s, !pq_nulls_are_doubtful(f, leaf), n_values);
    if (f->schema.leaves[leaf].max_rep > 0) {
        doubt_all_null(&b);
    }
    choose_pair(&b, f, leaf, s);
    check_bounds(&b, t);
    return b;
}

/* The number of null slots, by the counts of slots per definition level; -1 if
** these are invalid.  n_values: all slots, -1: not known.  A leaf whose max_def
** is 0 has no nulls. */
static int64_t nulls_by_levels(const PqLeaf *leaf, const int64_t *slots,
                               size_t n, int64_t n_values)
{
    int64_t sum = 0;

    if (leaf->max_def == 0) {
        return 0;
    }
    if (n != (size_t)leaf->max_def + 1) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        if (slots[i] < 0 || slots[i] > INT64_MAX - sum) {
            return -1;
        }
        sum += slots[i];
    }
    return n_values < 0 || sum == n_values ? sum - slots[leaf->max_def] : -1;
}

PqBounds pq_stats_chunk(const PqFooter *f, uint32_t leaf,
                        const PqColumnMetaData *m)
{
    const PqI64List *levels = &m->size_statistics.definition_level_histogram;
    PqBounds b = pq_stats_bounds(f, leaf, &m->statistics, m->num_values);

    if (b.n_nulls < 0) {
        b.n_nulls = nulls_by_levels(&f->schema.leaves[leaf], levels->v,
                                    levels->n, m->num_values);
        b.all_null = b.n_nulls == m->num_values;
    }
    if (b.all_null && (b.has_min || b.has_max)) {
        b.n_nulls = -1;              /* bounds or count must be wrong */
        b.all_null = false;
    }
    return b;
}

/* A null page has empty bounds.  One that also has bounds contradicts itself
** and is not skipped. */
static bool is_null_page(const PqColumnIndex *index, uint32_t page)
{
    return page < index->null_pages.n && index->null_pages.v[page] &&
           page < index->min_values.n && index->min_values.v[page].n == 0 &&
           page < index->max_values.n && index->max_values.v[page].n == 0;
}

PqBounds pq_stats_page(const PqLeaf *of, PqOrder order, bool nulls,
                       const PqColumnIndex *index, uint32_t page)
{
    const PqI64List levels = index->definition_level_histograms;
    const size_t n_levels = (size_t)of->max_def + 1;
    const PqType *t = &of->type;
    PqStatistics s = {0};
    PqBounds b = {0};

    if (page < index->min_values.n && page < index->max_values.n) {
        s.has |= 1u << PQ_STATISTICS_MIN_VALUE | 1u << PQ_STATISTICS_MAX_VALUE;
        s.min_value = index->min_values.v[page];
        s.max_value = index->max_values.v[page];
    }
    if (page < index->null_counts.n) {
        s.has |= 1u << PQ_STATISTICS_NULL_COUNT;
        s.null_count = index->null_counts.v[page];
    } else if (levels.n >= n_levels && page < levels.n / n_levels) {
        s.null_count = nulls_by_levels(of, levels.v + page * n_levels,
                                       n_levels, -1);
        s.has |= 1u << PQ_STATISTICS_NULL_COUNT;     /* if not negative */
    }
    if (page < index->nan_counts.n) {
        s.has |= 1u << PQ_STATISTICS_NAN_COUNT;
        s.nan_count = index->nan_counts.v[page];
    }
    check_counts(&b, t, &s, nulls, -1);
    b.all_null = is_null_page(index, page) && b.n_nulls != 0;
    take_pair(&b, order, &s);
    check_bounds(&b, t);
    return b;
}
