/*
** index_make.c - collects the lists of both indexes, page by page, and writes
** them.
**
** Each list is a PqBuf of its elements.  Bounds lie in the arena and are cut
** already, so the entry of a page takes as much memory as in the file.  One
** page without bounds ends the whole column index, and its lists may then have
** fewer entries than there are pages.
*/
#include "core/meta/index_make.h"

#include <assert.h>

/* The level histograms of all pages, one after the other. */
typedef struct Histograms {
    PqBuf    counts;                 /* int64_t; empty: there are none */
    uint32_t n_levels;
} Histograms;

struct PqIndexMake {
    PqMem        *mem;
    const PqLeaf *leaf;
    PqArena       arena;
    uint32_t      n_pages;
    bool          has_bounds;        /* every page so far has them       */
    bool          has_last;          /* there was a page with a value    */
    bool          ascending, descending;
    PqSlice       last_min, last_max;
    PqBuf         pages;             /* PqPageLocation                   */
    PqBuf         null_pages;        /* uint8_t                          */
    PqBuf         min, max;          /* PqSlice                          */
    PqBuf         null_counts, nan_counts, text_bytes;      /* int64_t   */
    Histograms    reps, defs;
};

PqRc pq_index_make_new(PqMem *mem, const PqLeaf *leaf, bool wants_bounds,
                       PqIndexMake **out, PqErr *e)
{
    PqIndexMake *m = pq_mem_zeros(mem, 1, sizeof *m, e);

    *out = m;
    if (!m) {
        return e->rc;
    }
    m->mem = mem;
    m->leaf = leaf;
    m->has_bounds = wants_bounds &&
                    pq_order_of_type(&leaf->type) != PQ_ORDER_NONE;
    m->ascending = m->descending = true;
    m->reps.n_levels = leaf->max_rep + 1u;
    m->defs.n_levels = leaf->max_def + 1u;
    pq_arena_init(&m->arena, mem);
    pq_buf_init(&m->pages, mem, NULL);
    pq_buf_init(&m->null_pages, mem, NULL);
    pq_buf_init(&m->min, mem, NULL);
    pq_buf_init(&m->max, mem, NULL);
    pq_buf_init(&m->null_counts, mem, NULL);
    pq_buf_init(&m->nan_counts, mem, NULL);
    pq_buf_init(&m->text_bytes, mem, NULL);
    pq_buf_init(&m->reps.counts, mem, NULL);
    pq_buf_init(&m->defs.counts, mem, NULL);
    return PQ_OK;
}

void pq_index_make_free(PqIndexMake *m)
{
    if (!m) {
        return;
    }
    pq_arena_free(&m->arena);
    pq_buf_free(&m->pages);
    pq_buf_free(&m->null_pages);
    pq_buf_free(&m->min);
    pq_buf_free(&m->max);
    pq_buf_free(&m->null_counts);
    pq_buf_free(&m->nan_counts);
    pq_buf_free(&m->text_bytes);
    pq_buf_free(&m->reps.counts);
    pq_buf_free(&m->defs.counts);
    pq_mem_free(m);
}

/* ---- a page ---- */

static PqRc push(PqBuf *list, const void *element, size_t size, PqErr *e)
{
    PQ_TRY(pq_buf_reserve(list, size, e));
    memcpy(list->p + list->n, element, size);
    list->n += size;
    return PQ_OK;
}

static PqRc push_histogram(Histograms *h, const int64_t *counts, PqErr *e)
{
    return counts && h->n_levels > 1
               ? push(&h->counts, counts, h->n_levels * sizeof *counts, e)
               : PQ_OK;
}

/* There is an order only if both bounds move the same way from page to page. */
static void follow_order(PqIndexMake *m, PqOrder order,
                         const PqBoundsMade *made)
{
    const PqType *t = &m->leaf->type;

    if (m->has_last) {
        int min = pq_order_compare(order, t, m->last_min, made->min);
        int max = pq_order_compare(order, t, m->last_max, made->max);
        m->ascending = m->ascending && min <= 0 && max <= 0;
        m->descending = m->descending && min >= 0 && max >= 0;
    }
    m->has_last = true;
    m->last_min = made->min;
    m->last_max = made->max;
}

static PqRc add_bounds(PqIndexMake *m, const PqIndexPage *page, PqErr *e)
{
    const PqBoundsMake *b = page->bounds;
    uint8_t all_null = page->all_null;
    PqBoundsMade made = {0};

    if (!all_null) {
        PQ_TRY(pq_bounds_made(b, PQ_BOUND_PAGE_BYTES, &m->arena, &made, e));
        if (!made.has_min || !made.has_max) {
            m->has_bounds = false;
            return PQ_OK;
        }
        follow_order(m, b->order, &made);
    }
    PQ_TRY(push(&m->null_pages, &all_null, 1, e));
    PQ_TRY(push(&m->min, &made.min, sizeof made.min, e));
    PQ_TRY(push(&m->max, &made.max, sizeof made.max, e));
    PQ_TRY(push(&m->null_counts, &b->n_nulls, sizeof b->n_nulls, e));
    return push(&m->nan_counts, &b->n_nans, sizeof b->n_nans, e);
}

PqRc pq_index_make_add(PqIndexMake *m, const PqIndexPage *page, PqErr *e)
{
    PqPageLocation at = {
        .has = 1u << 1 | 1u << 2 | 1u << 3,
        .offset = page->offset,
        .compressed_page_size = page->n_bytes,
        .first_row_index = page->first_row,
    };

    if (m->has_bounds) {
        PQ_TRY(add_bounds(m, page, e));
    }
    PQ_TRY(push(&m->pages, &at, sizeof at, e));
    PQ_TRY(push_histogram(&m->reps, page->rep_histogram, e));
    PQ_TRY(push_histogram(&m->defs, page->def_histogram, e));
    if (m->leaf->type.physical == PQ_BYTE_ARRAY) {
        PQ_TRY(push(&m->text_bytes, &page->n_text_bytes,
                    sizeof page->n_text_bytes, e));
    }
    m->n_pages++;
    return PQ_OK;
}

/* ---- writing ---- */

static PqI64List numbers(const PqBuf *list)
{
    return (PqI64List){(int64_t *)(void *)list->p,
                       (uint32_t)(list->n / sizeof(int64_t))};
}

static PqI64List histograms(const PqIndexMake *m, const Histograms *h)
{
    PqI64List list = numbers(&h->counts);

    assert(list.n == 0 || list.n == (uint64_t)m->n_pages * h->n_levels);
    return list;
}

static PqColumnIndex column_index_of(const PqIndexMake *m)
{
    PqColumnIndex x = {
        .has = 1u << PQ_COLUMN_INDEX_NULL_PAGES | 1u << PQ_COLUMN_INDEX_MIN |
               1u << PQ_COLUMN_INDEX_MAX | 1u << PQ_COLUMN_INDEX_ORDER |
               1u << PQ_COLUMN_INDEX_NULL_COUNTS,
        .null_pages = {m->null_pages.p, m->n_pages},
        .min_values = {(PqSlice *)(void *)m->min.p, m->n_pages},
        .max_values = {(PqSlice *)(void *)m->max.p, m->n_pages},
        .boundary_order = m->ascending    ? PQ_BOUNDARY_ASCENDING
                          : m->descending ? PQ_BOUNDARY_DESCENDING
                                          : PQ_BOUNDARY_UNORDERED,
        .null_counts = numbers(&m->null_counts),
        .nan_counts = numbers(&m->nan_counts),
        .repetition_level_histograms = histograms(m, &m->reps),
        .definition_level_histograms = histograms(m, &m->defs),
    };

    if (x.repetition_level_histograms.n) {
        x.has |= 1u << PQ_COLUMN_INDEX_REPETITION;
    }
    if (x.definition_level_histograms.n) {
        x.has |= 1u << PQ_COLUMN_INDEX_DEFINITION;
    }
    if (pq_type_is_float(&m->leaf->type)) {
        x.has |= 1u << PQ_COLUMN_INDEX_NAN_COUNTS;
    }
    return x;
}

/* The offset index, with the offsets of the pages in the file. */
static PqRc offset_index_of(PqIndexMake *m, int64_t base, PqOffsetIndex *x,
                            PqErr *e)
{
    const PqPageLocation *pages = (const void *)m->pages.p;
    PqPageLocation *placed = pq_arena_alloc(&m->arena, m->pages.n, e);
    uint32_t i;

    if (!placed) {
        return e->rc;
    }
    for (i = 0; i < m->n_pages; i++) {
        placed[i] = pages[i];
        placed[i].offset += base;
    }
    *x = (PqOffsetIndex){
        .has = 1u << PQ_OFFSET_INDEX_LOCATIONS,
        .page_locations = {placed, m->n_pages},
        .unencoded_byte_array_data_bytes = numbers(&m->text_bytes),
    };
    if (x->unencoded_byte_array_data_bytes.n) {
        x->has |= 1u << PQ_OFFSET_INDEX_BYTES;
    }
    return PQ_OK;
}

PqRc pq_index_make_write(PqIndexMake *m, int64_t base, PqBuf *column_index,
                         PqBuf *offset_index, PqErr *e)
{
    PqErr *columns_to = column_index->sink, *offsets_to = offset_index->sink;
    PqColumnIndex columns;
    PqOffsetIndex offsets;

    PQ_TRY(offset_index_of(m, base, &offsets, e));
    column_index->sink = offset_index->sink = e;
    if (m->has_bounds && m->n_pages > 0) {
        columns = column_index_of(m);
        pq_format_write_column_index(&columns, column_index);
    }
    pq_format_write_offset_index(&offsets, offset_index);
    column_index->sink = columns_to;
    offset_index->sink = offsets_to;
    return e->rc;
}

static PqRc sum_of(PqIndexMake *m, const Histograms *h, PqI64List *out,
                   PqErr *e)
{
    PqI64List all = histograms(m, h);
    uint32_t i;

    if (all.n == 0) {
        return PQ_OK;
    }
    out->v = pq_arena_zeros(&m->arena, h->n_levels, sizeof *out->v, e);
    if (!out->v) {
        return e->rc;
    }
    out->n = h->n_levels;
    for (i = 0; i < all.n; i++) {
        out->v[i % h->n_levels] += all.v[i];
    }
    return PQ_OK;
}

PqRc pq_index_make_sizes(PqIndexMake *m, PqSizeStatistics *out, PqErr *e)
{
    PqI64List bytes = numbers(&m->text_bytes);
    uint32_t i;

    *out = (PqSizeStatistics){0};
    PQ_TRY(sum_of(m, &m->reps, &out->repetition_level_histogram, e));
    PQ_TRY(sum_of(m, &m->defs, &out->definition_level_histogram, e));
    for (i = 0; i < bytes.n; i++) {
        out->unencoded_byte_array_data_bytes += bytes.v[i];
    }
    if (m->leaf->type.physical == PQ_BYTE_ARRAY) {
        out->has |= 1u << PQ_SIZE_STATISTICS_BYTES;
    }
    if (out->repetition_level_histogram.n) {
        out->has |= 1u << PQ_SIZE_STATISTICS_REPETITION;
    }
    if (out->definition_level_histogram.n) {
        out->has |= 1u << PQ_SIZE_STATISTICS_DEFINITION;
    }
    return PQ_OK;
}
