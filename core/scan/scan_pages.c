/*
** scan_pages.c - finds the pages of a column in a row group, and their bounds.
**
** They come from the column index and the offset index.  Without these they
** come from the headers that scan_headers.c has walked.
**
** An index may be missing or invalid.  Then no page is known (n is 0), and
** this proof skips nothing.
*/
#include "core/scan/scan_inside.h"

PqRc pq_scan_pages_load(PqScan *s, uint32_t group, const PqLeaf *leaf,
                        PqArena *a, PqScanPages *out, PqErr *e)
{
    int64_t n_rows = s->footer->groups[group].num_rows;
    PqWhere outer = e->where;
    PqColumnChunk chunk;
    uint32_t n;
    PqRc rc;

    *out = (PqScanPages){.leaf = leaf, .group_rows = n_rows};
    PQ_TRY(pq_footer_chunk(s->footer, group, leaf->index, a, &chunk, e));
    if (!PQ_HAS(&chunk, PQ_CHUNK_COLUMN_INDEX_OFFSET) ||
        !pq_page_index_counts_rows(leaf, s->footer->file.created_by) ||
        (PQ_HAS(&chunk, PQ_CHUNK_FILE_PATH) && chunk.file_path.n > 0)) {
        return PQ_OK;
    }
    rc = pq_page_index_offsets(&s->in, &chunk, (int)group, leaf->column, n_rows,
                               a, &out->offsets, e);
    n = out->offsets.page_locations.n;
    if (rc == PQ_OK && n > 1) {
        rc = pq_page_index_bounds(&s->in, &chunk, (int)group, leaf, n, a,
                                  &out->bounds, e);
        out->n = rc == PQ_OK && out->bounds.null_pages.n == n ? n : 0;
        out->order = pq_order_of_leaf(s->footer, leaf->index);
        out->nulls = !pq_nulls_are_doubtful(s->footer, leaf->index);
    }
    return pq_scan_forgive(rc, outer, e);
}

static PqRowRange by_header(const PqScanPages *p, uint32_t page,
                            PqLeafBounds *out)
{
    const PqHeaderPage *h = &p->headers[page];
    PqRowRange rows = {h->first_row,
                       page + 1 < p->n ? h[1].first_row : p->group_rows};

    *out = (PqLeafBounds){.leaf = p->leaf, .bounds = h->bounds,
                          .n_values = rows.end - rows.begin};
    return rows;
}

static PqRowRange by_index(const PqScanPages *p, uint32_t page,
                           PqLeafBounds *out)
{
    const PqPageLocation *at = &p->offsets.page_locations.v[page];
    PqRowRange rows = {at->first_row_index,
                       page + 1 < p->n ? at[1].first_row_index
                                       : p->group_rows};
    int64_t n_rows = rows.end - rows.begin;

    *out = (PqLeafBounds){.leaf = p->leaf, .n_values = n_rows};
    out->bounds = pq_stats_page(p->leaf, p->order, p->nulls,
                                        &p->bounds, page);
    if (p->leaf->max_rep > 0) {
        out->n_values = -1;          /* a row has any number of slots, so    */
        out->bounds.all_null = false;    /* nothing confirms the flag        */
        return rows;
    }
    out->bounds.all_null = out->bounds.all_null &&
                           out->bounds.n_nulls == n_rows;
    return rows;
}

/* The rows of one page, counted in the row group, and their bounds. */
static PqRowRange page_of(const PqScanPages *p, uint32_t page,
                          PqLeafBounds *out)
{
    return p->headers ? by_header(p, page, out) : by_index(p, page, out);
}

/* The page of leaf k that holds `row`. */
static PqRowRange page_at(const PqScan *s, PqScanRuns *r, uint32_t k,
                          int64_t row, PqLeafBounds *out)
{
    PqRowRange rows = {0, s->footer->groups[s->group].num_rows};

    *out = r->whole[k];
    if (r->of[k].n > 0) {
        rows = page_of(&r->of[k], r->at[k], out);
        while (rows.end <= row) {
            rows = page_of(&r->of[k], ++r->at[k], out);
        }
        pq_scan_doubt_nulls(s, out);
    }
    return rows;
}

int64_t pq_scan_end_of_run(const PqScan *s, PqScanRuns *r, int64_t row,
                           PqLeafBounds bounds[PQ_RUN_LEAVES])
{
    int64_t end = s->footer->groups[s->group].num_rows;

    for (uint32_t k = 0; k < r->n; k++) {
        PqRowRange page = page_at(s, r, k, row, &bounds[k]);

        end = page.end < end ? page.end : end;
    }
    return end;
}

/* To walk the headers of pages that are far away would take a request for each. */
static bool is_at_hand(const PqScan *s, uint32_t group, uint32_t leaf, PqArena *a)
{
    int64_t at = 0, n;

    if (!pq_source_is_far(s->in.source)) {
        return true;
    }
    n = pq_scan_chunk_bytes(s->footer, group, leaf, INT64_MAX, a, &at);
    return at > 0 && n > 0 &&
           pq_source_at_hand(s->in.source, (uint64_t)at, (size_t)n) == (size_t)n;
}

static PqRc visit_pages(PqScan *s, uint32_t group, int64_t first_rowid,
                        const PqLeaf *leaf, PqArena *a, PqPageVisit visit,
                        void *arg, PqErr *e)
{
    PqScanPages pages;

    PQ_TRY(pq_scan_pages_load(s, group, leaf, a, &pages, e));
    if (pages.n == 0 && is_at_hand(s, group, leaf->index, a)) {
        PQ_TRY(pq_scan_headers_load(s, group, leaf, &pages, e));
    }
    s->visited_headers = pages.headers != NULL;
    for (uint32_t i = 0; i < pages.n; i++) {
        PqLeafBounds bounds;
        PqRowRange rows = page_of(&pages, i, &bounds);

        rows.begin += first_rowid;
        rows.end += first_rowid;
        PQ_TRY(visit(arg, rows, &bounds, e));
    }
    return PQ_OK;
}

PqRc pq_scan_visit_pages(PqScan *s, uint32_t column, int64_t rowid,
                         PqPageVisit visit, void *arg, PqErr *e)
{
    int64_t file = rowid >> PQ_ROWID_SHIFT, first = file << PQ_ROWID_SHIFT;
    const char *outer = e->where.file;
    const PqLeaf *leaf;
    uint32_t group;
    PqArena a;
    PqRc rc;

    if (s->file != file) {
        PQ_TRY(pq_scan_open_file(s, (uint32_t)file, e));
    }
    leaf = pq_scan_proof_leaf(s, column);
    if (!leaf) {
        return PQ_OK;
    }
    group = pq_scan_group_of_row(s->footer, rowid - first);
    e->where.file = pq_source_path(s->in.source);
    pq_arena_init(&a, s->mem);
    rc = visit_pages(s, group, first + s->footer->groups[group].first_row,
                     leaf, &a, visit, arg, e);
    pq_arena_free(&a);
    if (rc == PQ_OK) {
        e->where.file = outer;
    }
    return rc;
}
