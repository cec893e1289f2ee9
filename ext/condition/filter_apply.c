/*
** filter_apply.c - a filter on a batch: on values where they lie, once per
** entry of a dictionary, or cell by cell.
*/
#include "ext/condition/filter.h"

#include <math.h>

/* ---- arrays of values ------------------------------------------------------ */

enum { AT_ONCE = PQ_BATCH_ROWS, WORDS = AT_ONCE / 64, FEW_RANGES = 8, FEW = 256 };

static void one_range(const PqextStoredForm *f, const PqextRange *r,
                      const void *values, uint32_t n, uint64_t *bits)
{
    const PqKernels *k = pq_kernels();

    switch (f->form) {
    case PQEXT_FORM_I32:
        k->between32(values, n, (uint32_t)r->low.i,
                     (uint32_t)r->high.i - (uint32_t)r->low.i, bits);
        break;
    case PQEXT_FORM_I64:
        k->between64(values, n, (uint64_t)r->low.i,
                     (uint64_t)r->high.i - (uint64_t)r->low.i, bits);
        break;
    case PQEXT_FORM_FLOAT:
        k->between_float(values, n, (float)r->low.d, (float)r->high.d, bits);
        break;
    default:
        k->between_double(values, n, r->low.d, r->high.d, bits);
        break;
    }
}

static bool is_float_form(PqextForm form)
{
    return form == PQEXT_FORM_FLOAT || form == PQEXT_FORM_DOUBLE;
}

/* The last range that begins at or before a value, by halving. */
static bool in_some_range(const PqextFilter *f, const void *values, uint32_t at)
{
    const PqextStoredForm *s = &f->stored;
    bool real = is_float_form(s->form);
    uint32_t low = 0, high = s->n;
    int64_t i = 0;
    double d = 0;

    switch (s->form) {
    case PQEXT_FORM_I32:
        i = s->ranges[s->n - 1].high.i > INT32_MAX || s->ranges[0].low.i >= 0
                ? (int64_t)((const uint32_t *)values)[at]
                : ((const int32_t *)values)[at];
        break;
    case PQEXT_FORM_I64:
        i = ((const int64_t *)values)[at];
        break;
    case PQEXT_FORM_FLOAT:
        d = (double)((const float *)values)[at];
        break;
    default:
        d = ((const double *)values)[at];
        break;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (real ? s->ranges[middle].low.d <= d : s->ranges[middle].low.i <= i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && (real ? d <= s->ranges[low - 1].high.d
                            : i <= s->ranges[low - 1].high.i);
}

static void in_ranges(const PqextFilter *f, const void *values, uint32_t n,
                      uint64_t *bits)
{
    const PqextStoredForm *s = &f->stored;
    uint64_t more[WORDS] = {0};
    uint32_t i, w, n_words = (n + 63) / 64;

    for (w = 0; w < n_words; w++) {
        uint64_t word = 0;

        for (i = w * 64; i < n && i < w * 64 + 64 && s->n > FEW_RANGES; i++) {
            word |= (uint64_t)in_some_range(f, values, i) << i % 64;
        }
        bits[w] = word;
    }
    for (i = 0; i < s->n && s->n <= FEW_RANGES; i++) {
        one_range(s, &s->ranges[i], values, n, more);
        for (w = 0; w < n_words; w++) {
            bits[w] |= more[w];
        }
    }
}

static void turn_over(uint64_t *bits, uint32_t n)
{
    for (uint32_t i = 0; i < (n + 63) / 64; i++) {
        bits[i] = ~bits[i];
    }
    if (n % 64 > 0) {
        bits[n / 64] &= ((uint64_t)1 << n % 64) - 1;
    }
}

/* NaN is NULL. */
static void settle_nans(const PqextFilter *f, const void *values, uint32_t n,
                        uint64_t *bits)
{
    static const PqextRange all = {{.d = -INFINITY}, {.d = INFINITY}};
    uint64_t numbers[WORDS];

    one_range(&f->stored, &all, values, n, numbers);
    for (uint32_t i = 0; i < (n + 63) / 64; i++) {
        bits[i] &= numbers[i];
    }
    if (pqext_filter_passes_null(f)) {
        turn_over(numbers, n);
        for (uint32_t i = 0; i < (n + 63) / 64; i++) {
            bits[i] |= numbers[i];
        }
    }
}

/* Are all of them within the limits of the form? */
static bool within_limits(const PqextFilter *f, const void *values, uint32_t n)
{
    PqextRange limits = {{.i = f->stored.least}, {.i = f->stored.most}};
    uint64_t bits[WORDS];

    if (!f->stored.bounded) {
        return true;
    }
    one_range(&f->stored, &limits, values, n, bits);
    turn_over(bits, n);
    for (uint32_t i = 0; i < (n + 63) / 64; i++) {
        if (bits[i]) {
            return false;
        }
    }
    return true;
}

static void test_bytes(const PqextFilter *f, const PqStr *v, uint32_t n,
                       const uint64_t *wanted, uint64_t *bits)
{
    PqextValue value = {.kind = f->affinity == PQEXT_AFF_TEXT ? PQEXT_TEXT
                                                              : PQEXT_BLOB};

    if (f->op == PQEXT_LIKE || f->op == PQEXT_GLOB) {
        pqext_pattern_test(&f->pattern, v, n, wanted, bits);
        return;
    }
    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        uint64_t passed = 0;

        for (uint64_t left = wanted[w]; left; left &= left - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);

            value.bytes = pq_slice(v[i].p, v[i].n);
            if (pqext_filter_passes(f, &value)) {
                passed |= left & (0 - left);
            }
        }
        bits[w] = passed;
    }
}

/* At most AT_ONCE values; wanted says which of them matter. */
static void test_values(const PqextFilter *f, const void *values, uint32_t n,
                        const uint64_t *wanted, uint64_t *bits)
{
    if (f->stored.form == PQEXT_FORM_BYTES) {
        test_bytes(f, values, n, wanted, bits);
        return;
    }
    in_ranges(f, values, n, bits);
    if (f->stored.outside) {
        turn_over(bits, n);
    }
    if (is_float_form(f->stored.form)) {
        settle_nans(f, values, n, bits);
    }
}

/* ---- dictionaries ---------------------------------------------------------- */

static PqRc room_for_entries(PqextFilter *f, uint32_t n, PqErr *e)
{
    if (n > f->room) {
        f->passes = pq_arena_zeros(f->arena, n + n / 2 + PQ_TABLE_SLACK, 1, e);
        if (!f->passes) {
            f->room = 0;
            return e->rc;
        }
        f->room = n + n / 2;
    }
    f->n_passes = n;
    return PQ_OK;
}

/* Marks what entries pass, once per dictionary. */
static PqRc test_dictionary(PqextFilter *f, const PqDict *d, size_t width,
                            PqErr *e)
{
    uint64_t bits[WORDS], all[WORDS];
    PqStop stop = {pqext_host_stop, f->table->host};

    if (f->dict_serial == d->serial) {
        return PQ_OK;
    }
    f->dict_serial = 0;
    f->n_passing = 0;
    memset(all, 0xff, sizeof all);
    PQ_TRY(room_for_entries(f, d->n, e));
    for (uint32_t at = 0; at < d->n; at += AT_ONCE) {
        uint32_t n = d->n - at < AT_ONCE ? d->n - at : AT_ONCE;

        PQ_TRY(pq_stop_poll(&stop, e));
        if (n % 64) {
            all[n / 64] = ((uint64_t)1 << n % 64) - 1;
        }
        test_values(f, (const char *)d->values + at * width, n, all, bits);
        for (uint32_t i = 0; i < n; i++) {
            f->passes[at + i] = pq_bit(bits, i);
            if (f->passes[at + i]) {
                f->one = at + i;
                f->n_passing++;
            }
        }
    }
    f->dict_serial = d->serial;
    if (d->n <= FEW) {
        memset(f->few, 0, sizeof f->few);
        for (uint32_t i = 0; i < d->n; i++) {
            f->few[i / 32] |= (uint32_t)f->passes[i] << i % 32;
        }
    }
    return PQ_OK;
}

static void look_up(const PqextFilter *f, const uint32_t *ids, uint32_t n,
                    const uint64_t *wanted, uint64_t *bits)
{
    const PqKernels *k = pq_kernels();

    for (uint32_t at = 0; at < n; at += 64) {
        uint32_t some = n - at < 64 ? n - at : 64;

        bits[at / 64] = !wanted[at / 64] || f->n_passing == 0 ? 0
                        : f->n_passing == f->n_passes ? wanted[at / 64]
                        : f->n_passing == 1 ? k->match64(ids + at, some, f->one)
                        : f->n_passes <= FEW
                            ? k->look_up_few64(f->few, ids + at, some)
                        : k->look_up64(f->passes, ids + at, some);
    }
}

/* ---- batches ---------------------------------------------------------------- */

static void keep_none(uint64_t *keep, uint32_t n)
{
    memset(keep, 0, (n + 63) / 64 * sizeof *keep);
}

/* Each row that is left, as SQLite would see it. */
static PqRc apply_cells(PqextFilter *f, PqScan *s, uint64_t *keep, PqErr *e)
{
    uint32_t n = pq_scan_batch(s)->n_rows;
    PqsqlColumn *c;
    PqsqlCellOf cell_of;
    PqsqlCell cell;

    PQ_TRY(f->load(f->cursor, f->index, &c, e));
    cell_of = pqsql_column_cells(c);
    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        for (uint64_t left = keep[w]; left; left &= left - 1) {
            uint32_t row = w * 64 + (uint32_t)__builtin_ctzll(left);

            if (c->valid && !pq_bit(c->valid, row)) {
                cell.kind = PQSQL_NULL;
            } else if (cell_of) {
                cell_of(c, c->ids ? c->ids[row] : row, &cell);
            } else {
                PQ_TRY(pqsql_column_text_cell(c, row, &cell, e));
            }
            if (!pqext_filter_passes_cell(f, &cell)) {
                keep[w] &= ~(left & (0 - left));
            }
        }
    }
    return PQ_OK;
}

static PqRc apply_vector(PqextFilter *f, const PqVector *v, uint64_t *keep,
                         PqErr *e)
{
    uint64_t bits[WORDS], wanted[WORDS] = {0};
    uint64_t nulls = pqext_filter_passes_null(f) ? ~(uint64_t)0 : 0;
    uint32_t w, n_words = (v->n_rows + 63) / 64;

    for (w = 0; w < n_words; w++) {
        wanted[w] = keep[w] & (v->valid ? v->valid[w] : ~(uint64_t)0);
    }
    if (v->dict) {
        PQ_TRY(test_dictionary(f, v->dict,
                               pq_physical_width(v->leaf->type.physical), e));
        look_up(f, v->ids, v->n_rows, wanted, bits);
    } else {
        test_values(f, v->values, v->n_rows, wanted, bits);
    }
    for (w = 0; w < n_words; w++) {
        uint64_t valid = v->valid ? v->valid[w] : ~(uint64_t)0;

        keep[w] &= (bits[w] & valid) | (nulls & ~valid);
    }
    return PQ_OK;
}

/* Which it is for the values of a batch: a dictionary is looked at whole. */
static bool needs_cells(const PqextFilter *f, const PqVector *v)
{
    const void *values = v->dict ? v->dict->values : v->values;
    uint32_t n = v->dict ? v->dict->n : v->n_rows;
    size_t width = pq_physical_width(v->leaf->type.physical);

    if (f->stored.form == PQEXT_FORM_CELLS) {
        return true;
    }
    if (!f->stored.bounded || (v->dict && f->dict_serial == v->dict->serial)) {
        return false;
    }
    for (uint32_t at = 0; at < n; at += AT_ONCE) {
        if (!within_limits(f, (const char *)values + at * width,
                           n - at < AT_ONCE ? n - at : AT_ONCE)) {
            return true;
        }
    }
    return false;
}

PqRc pqext_filter_apply(PqFilter *base, PqScan *s, uint64_t *keep, PqErr *e)
{
    PqextFilter *f = (PqextFilter *)base;
    const PqNode *node = pq_scan_node(s, f->index);
    const PqVector *v;

    if (!node) {
        if (!pqext_filter_passes_null(f)) {
            keep_none(keep, pq_scan_batch(s)->n_rows);
        }
        return PQ_OK;
    }
    if (node->kind != PQ_NODE_LEAF) {
        return apply_cells(f, s, keep, e);
    }
    if (f->file_serial != pq_scan_file_serial(s)) {
        f->file_serial = pq_scan_file_serial(s);
        f->dict_serial = 0;
        PQ_TRY(pqext_filter_store(
            f, &pq_scan_footer(s)->schema.leaves[node->leaf], e));
    }
    if (f->stored.form == PQEXT_FORM_CELLS) {
        return apply_cells(f, s, keep, e);
    }
    PQ_TRY(pq_scan_vector(s, (uint32_t)node->leaf, &v, e));
    return needs_cells(f, v) ? apply_cells(f, s, keep, e)
                             : apply_vector(f, v, keep, e);
}
