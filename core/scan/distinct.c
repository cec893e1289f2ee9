/*
** distinct.c - a filter that lets each value of a column pass once.
**
** The hard part is a value that the dictionaries of two row groups or of two
** files have.  Values that passed are remembered by their bytes (remember), and
** each new dictionary is marked with them (mark_dictionary).  Where nothing new
** is left in a row group, its pages are not read (is_done).
*/
#include "core/scan/distinct.h"

#include "core/base/random.h"
#include "core/numbering/memo.h"
#include "core/numbering/text_numbers.h"

#include <stddef.h>

enum {
    MOST = 4096, BYTES = 1 << 20,    /* of values that are remembered       */
    ENTRIES = 1 << 16                /* of a dictionary worth looking at    */
};

struct PqDistinct {
    PqFilter    filter;              /* the scan's part: first              */
    PqRowSource rows;
    PqMem      *mem;
    uint32_t    column;              /* of the table                        */
    bool        out_of_action;
    PqTextNumbers values;            /* seen, their bytes                   */
    bool        null_seen;
    const PqLeaf *leaf;              /* the leaf of these values            */
    uint64_t    file_serial;
    PqMemo      seen;                /* of the current dictionary: a byte   */
    uint32_t    n_seen;              /* per entry                           */
    /* The current row group. */
    int64_t     group;               /* -1: none                            */
    bool        only_entries;        /* all its values are entries          */
    bool        may_have_nulls;
    /* Of the batch: rows before the filter; rows from `rest` on. */
    uint64_t    before[PQ_BATCH_ROWS / 64];
    uint32_t    rest[PQ_BATCH_ROWS];
};

/* ---- values seen --------------------------------------------------------- */

PqSlice pq_dict_entry(const PqDict *d, uint32_t i)
{
    size_t width = pq_physical_width(d->type);
    const char *at = (const char *)d->values + i * width;
    const PqStr *s = (const PqStr *)(const void *)at;

    return d->type == PQ_BYTE_ARRAY || d->type == PQ_FIXED
               ? pq_slice(s->p, s->n) : pq_slice(at, width);
}

static PqRc remember(PqDistinct *d, PqSlice v, PqErr *e)
{
    PqStr text = {v.p, (uint32_t)v.n};
    uint32_t number;

    return d->values.table.n >= MOST ||
                   v.n + pq_text_numbers_bytes(&d->values) > BYTES
               ? PQ_OK : pq_text_numbers_find(&d->values, &text, 1, &number, e);
}

/* ---- dictionaries -------------------------------------------------------- */

static PqRc mark_dictionary(PqDistinct *d, const PqDict *dict, PqErr *e)
{
    bool fresh;

    PQ_TRY(pq_memo_enter(&d->seen, d->mem, dict->serial, dict->n, 1, &fresh,
                         e));
    if (!fresh) {
        return PQ_OK;
    }
    d->n_seen = 0;
    for (uint32_t i = 0; i < dict->n; i++) {
        PqSlice v = pq_dict_entry(dict, i);
        PqStr text = {v.p, (uint32_t)v.n};
        bool was = pq_text_numbers_get(&d->values, text) != PQ_NO_NUMBER;

        ((uint8_t *)d->seen.v)[i] = was;
        d->n_seen += was;
    }
    d->seen.serial = dict->serial;
    return PQ_OK;
}

static bool is_worth_it(const PqDict *dict)
{
    return dict && dict->n <= ENTRIES;
}

/* A file may have another type for the column; its bytes mean other values. */
static void enter_file(PqDistinct *d, PqScan *s, const PqNode *node)
{
    const PqLeaf *leaf = &pq_scan_footer(s)->schema.leaves[node->leaf];

    if (d->file_serial != pq_scan_file_serial(s)) {
        if (d->file_serial != 0) {
            pq_text_numbers_free(&d->values);    /* leaf is of the last file */
        }
        d->file_serial = pq_scan_file_serial(s);
        d->leaf = leaf;
        d->group = -1;
    }
}

static PqRc enter_group(PqDistinct *d, PqScan *s, uint32_t leaf, PqErr *e)
{
    const PqDict *dict;

    if (d->group == pq_scan_batch(s)->group) {
        return PQ_OK;
    }
    d->group = -1;
    PQ_TRY(pq_scan_dictionary(s, leaf, &dict, &d->may_have_nulls, e));
    d->only_entries = is_worth_it(dict);
    if (d->only_entries) {
        PQ_TRY(mark_dictionary(d, dict, e));
    }
    d->group = pq_scan_batch(s)->group;
    return PQ_OK;
}

/* Can no row of the group be a new one? */
static bool is_done(const PqDistinct *d)
{
    return d->only_entries && d->n_seen == d->seen.n &&
           (d->null_seen || !d->may_have_nulls);
}

/* ---- rows ---------------------------------------------------------------- */

static PqRc pass_entries(PqDistinct *d, const PqVector *v, uint64_t *keep,
                         PqErr *e)
{
    uint8_t *seen = d->seen.v;

    for (uint32_t w = 0; w < (v->n_rows + 63) / 64; w++) {
        for (uint64_t left = keep[w]; left; left &= left - 1) {
            uint32_t row = w * 64 + (uint32_t)__builtin_ctzll(left);
            uint32_t id = v->ids[row];
            bool valid = pq_vector_is_valid(v, row);

            if (valid ? seen[id] : d->null_seen) {
                keep[w] &= ~(left & (0 - left));
            } else if (valid) {
                seen[id] = 1;
                d->n_seen++;
                PQ_TRY(remember(d, pq_dict_entry(v->dict, id), e));
            } else {
                d->null_seen = true;
            }
        }
    }
    return PQ_OK;
}

static PqRc apply(PqFilter *base, PqScan *s, uint64_t *keep, PqErr *e)
{
    PqDistinct *d = (PqDistinct *)base;
    const PqNode *node = pq_scan_node(s, d->column);
    size_t n = (pq_scan_batch(s)->n_rows + 63) / 64 * sizeof *keep;
    const PqVector *v;

    if (d->out_of_action) {
        return PQ_OK;
    }
    memcpy(d->before, keep, n);
    if (!pq_node_is_flat_leaf(node)) {
        return PQ_OK;
    }
    enter_file(d, s, node);
    PQ_TRY(enter_group(d, s, (uint32_t)node->leaf, e));
    if (is_done(d)) {
        memset(keep, 0, n);
        return PQ_OK;
    }
    PQ_TRY(pq_scan_vector(s, (uint32_t)node->leaf, &v, e));
    if (!is_worth_it(v->dict)) {
        return PQ_OK;
    }
    PQ_TRY(mark_dictionary(d, v->dict, e));
    return pass_entries(d, v, keep, e);
}

/* The rest of the batch is as it was before the filter. */
static PqRc tell_apart(PqRowSource *rows, uint32_t row, bool *changed, PqErr *e)
{
    PqDistinct *d = (PqDistinct *)((char *)rows - offsetof(PqDistinct, rows));
    uint32_t n = 1, n_rows = rows->batch->n_rows;

    if (d->out_of_action) {
        return PQ_OK;
    }
    *changed = d->out_of_action = true;
    d->rest[0] = row;
    for (uint32_t i = row + 1; i < n_rows; i++) {
        if (pq_bit(d->before, i)) {
            d->rest[n++] = i;
        }
    }
    pq_scan_keep_all(rows->scan);
    pq_scan_keep(rows->scan, d->rest, n);
    return PQ_OK;
}

/* ---- making, freeing ----------------------------------------------------- */

PqRc pq_distinct_new(PqScan *scan, PqDistinct **out, PqErr *e)
{
    PqMem *mem = pq_scan_mem(scan);
    PqDistinct *d = pq_mem_zeros(mem, 1, sizeof *d, e);
    uint64_t seed;

    *out = NULL;
    if (!d || pq_random_fill(&seed, sizeof seed, e) != PQ_OK) {
        pq_mem_free(d);
        return e->rc;
    }
    d->filter.apply = apply;
    d->filter.last = true;
    d->rows = *pq_scan_rows(scan);
    d->rows.tell_apart = tell_apart;
    d->mem = mem;
    pq_text_numbers_init(&d->values, mem, seed, pq_scan_stop(scan));
    *out = d;
    return PQ_OK;
}

PqRc pq_distinct_begin(PqDistinct *d, uint32_t column, PqRowSource **out,
                       PqErr *e)
{
    pq_text_numbers_free(&d->values);
    d->column = column;
    d->out_of_action = d->null_seen = false;
    pq_memo_forget(&d->seen);
    d->file_serial = 0;
    d->group = -1;
    *out = &d->rows;
    return pq_scan_add_filter(d->rows.scan, &d->filter, e);
}

void pq_distinct_free(PqDistinct *d)
{
    if (d) {
        pq_text_numbers_free(&d->values);
        pq_memo_free(&d->seen);
        pq_mem_free(d);
    }
}
