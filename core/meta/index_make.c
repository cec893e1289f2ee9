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

enum {
    PAGES,                           /* PqPageLocation                       */
    NULL_PAGES,                      /* uint8_t                              */
    MIN, MAX,                        /* PqSlice                              */
    NULL_COUNTS, NAN_COUNTS, TEXT_BYTES,     /* int64_t                      */
    REPS, DEFS,                      /* int64_t: the level histograms of all
                                     ** pages, or empty                      */
    LISTS
};

struct PqIndexMake {
    const PqLeaf *leaf;
    PqArena       arena;
    uint32_t      n_pages;
    bool          has_bounds;        /* every page so far has them       */
    bool          has_last;          /* there was a page with a value    */
    bool          ascending, descending;
    PqSlice       last_min, last_max;
    PqBuf         lists[LISTS];
};

PqRc pq_index_make_new(PqMem *mem, const PqLeaf *leaf, bool wants_bounds,
                       PqIndexMake **out, PqErr *e)
{
    PqIndexMake *m;

    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    m = *out;
    m->leaf = leaf;
    m->has_bounds = wants_bounds &&
                    pq_order_of_type(&leaf->type) != PQ_ORDER_NONE;
    m->ascending = m->descending = true;
    pq_arena_init(&m->arena, mem);
    for (int i = 0; i < LISTS; i++) {
        pq_buf_init(&m->lists[i], mem, NULL);
    }
    return PQ_OK;
}

void pq_index_make_free(PqIndexMake *m)
{
    if (m) {
        pq_arena_free(&m->arena);
        for (int i = 0; i < LISTS; i++) {
            pq_buf_free(&m->lists[i]);
        }
        pq_mem_free(m);
    }
}

/* ---- a page ---- */

static PqRc push(PqIndexMake *m, int list, const void *element, size_t size,
                 PqErr *e)
{
    return pq_buf_append(&m->lists[list], element, size, e);
}

/* Levels of a list of histograms. */
static uint32_t n_levels(const PqIndexMake *m, int list)
{
    return (list == REPS ? m->leaf->max_rep : m->leaf->max_def) + 1u;
}

static PqRc push_histogram(PqIndexMake *m, int list, const int64_t *counts,
                           PqErr *e)
{
    uint32_t n = n_levels(m, list);

    return counts && n > 1 ? push(m, list, counts, n * sizeof *counts, e)
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
    PQ_TRY(push(m, NULL_PAGES, &all_null, 1, e));
    PQ_TRY(push(m, MIN, &made.min, sizeof made.min, e));
    PQ_TRY(push(m, MAX, &made.max, sizeof made.max, e));
    PQ_TRY(push(m, NULL_COUNTS, &b->n_nulls, sizeof b->n_nulls, e));
    return push(m, NAN_COUNTS, &b->n_nans, sizeof b->n_nans, e);
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
    PQ_TRY(push(m, PAGES, &at, sizeof at, e));
    PQ_TRY(push_histogram(m, REPS, page->rep_histogram, e));
    PQ_TRY(push_histogram(m, DEFS, page->def_histogram, e));
    if (m->leaf->type.physical == PQ_BYTE_ARRAY) {
        PQ_TRY(push(m, TEXT_BYTES, &page->n_text_bytes,
                    sizeof page->n_text_bytes, e));
    }
    m->n_pages++;
    return PQ_OK;
}

/* ---- writing ---- */

static PqI64List numbers(const PqIndexMake *m, int list)
{
    const PqBuf *b = &m->lists[list];

    return (PqI64List){(int64_t *)(void *)b->p,
                       (uint32_t)(b->n / sizeof(int64_t))};
}

static PqI64List histograms(const PqIndexMake *m, int list)
{
    PqI64List all = numbers(m, list);

    assert(all.n == 0 || all.n == (uint64_t)m->n_pages * n_levels(m, list));
    return all;
}

static PqColumnIndex column_index_of(const PqIndexMake *m)
{
    PqColumnIndex x = {
        .has = 1u << PQ_COLUMN_INDEX_NULL_PAGES | 1u << PQ_COLUMN_INDEX_MIN |
               1u << PQ_COLUMN_INDEX_MAX | 1u << PQ_COLUMN_INDEX_ORDER |
               1u << PQ_COLUMN_INDEX_NULL_COUNTS,
        .null_pages = {m->lists[NULL_PAGES].p, m->n_pages},
        .min_values = {(PqSlice *)(void *)m->lists[MIN].p, m->n_pages},
        .max_values = {(PqSlice *)(void *)m->lists[MAX].p, m->n_pages},
        .boundary_order = m->ascending    ? PQ_BOUNDARY_ASCENDING
                          : m->descending ? PQ_BOUNDARY_DESCENDING
                                          : PQ_BOUNDARY_UNORDERED,
        .null_counts = numbers(m, NULL_COUNTS),
        .nan_counts = numbers(m, NAN_COUNTS),
        .repetition_level_histograms = histograms(m, REPS),
        .definition_level_histograms = histograms(m, DEFS),
    };

    x.has |= pq_has_if(x.repetition_level_histograms.n,
                       PQ_COLUMN_INDEX_REPETITION) |
             pq_has_if(x.definition_level_histograms.n,
                       PQ_COLUMN_INDEX_DEFINITION) |
             pq_has_if(pq_type_is_float(&m->leaf->type),
                       PQ_COLUMN_INDEX_NAN_COUNTS);
    return x;
}

/* The offset index, with the offsets of the pages in the file. */
static PqRc offset_index_of(PqIndexMake *m, int64_t base, PqOffsetIndex *x,
                            PqErr *e)
{
    const PqPageLocation *pages = (const void *)m->lists[PAGES].p;
    PqI64List bytes = numbers(m, TEXT_BYTES);
    PqPageLocation *placed;

    PQ_TRY(PQ_ARENA_NEW(&m->arena, placed, m->n_pages, e));
    for (uint32_t i = 0; i < m->n_pages; i++) {
        placed[i] = pages[i];
        placed[i].offset += base;
    }
    *x = (PqOffsetIndex){
        .has = 1u << PQ_OFFSET_INDEX_LOCATIONS |
               pq_has_if(bytes.n, PQ_OFFSET_INDEX_BYTES),
        .page_locations = {placed, m->n_pages},
        .unencoded_byte_array_data_bytes = bytes,
    };
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

static PqRc sum_of(const PqIndexMake *m, int list, PqArena *a, PqI64List *out,
                   PqErr *e)
{
    PqI64List all = histograms(m, list);
    uint32_t n = n_levels(m, list);

    if (all.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(a, out->v, n, e));
    out->n = n;
    for (uint32_t i = 0; i < all.n; i++) {
        out->v[i % n] += all.v[i];
    }
    return PQ_OK;
}

PqRc pq_index_make_sizes(const PqIndexMake *m, PqArena *a,
                         PqSizeStatistics *out, PqErr *e)
{
    PqI64List bytes = numbers(m, TEXT_BYTES);

    *out = (PqSizeStatistics){0};
    PQ_TRY(sum_of(m, REPS, a, &out->repetition_level_histogram, e));
    PQ_TRY(sum_of(m, DEFS, a, &out->definition_level_histogram, e));
    for (uint32_t i = 0; i < bytes.n; i++) {
        out->unencoded_byte_array_data_bytes += bytes.v[i];
    }
    out->has = pq_has_if(m->leaf->type.physical == PQ_BYTE_ARRAY,
                         PQ_SIZE_STATISTICS_BYTES) |
               pq_has_if(out->repetition_level_histogram.n,
                         PQ_SIZE_STATISTICS_REPETITION) |
               pq_has_if(out->definition_level_histogram.n,
                         PQ_SIZE_STATISTICS_DEFINITION);
    return PQ_OK;
}
