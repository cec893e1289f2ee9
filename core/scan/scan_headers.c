/*
** scan_headers.c - bounds of pages from their own headers.
**
** A chunk without a column index may have the same statistics in the header of
** each page; pyarrow writes such files.  The headers are walked before any
** page is read, a few bytes each.  Proofs are then asked about these pages in
** the same way as about the pages of an index (scan_pages.c).
**
**   header | body ....... | header | body ....... | header | ...
**   [read]                [read]                  [read]
**     rows 0..1999          2000..3999              4000..
**     min 3, max 90         min 91, max 207         no statistics
**
** The hard part is to know which rows a page has.  The header counts values,
** so only leaves that are not repeated qualify: they have one value per row.
** The walk starts at the same byte as a reader and sees the same pages.  It
** stops if the first data page has no statistics.  Its result is dropped
** unless the pages have exactly the rows of the row group.  The statistics are
** trusted as far as a chunk's statistics (stats.h).
**
** A join, or several conditions on a column, ask about the same chunk many
** times.  So the result is kept until the scan leaves the file or it takes too
** much memory.
*/
#include "core/scan/scan_inside.h"

enum { MEMORY_SHARE = 16, CHUNKS = 64 };

typedef struct Walked {
    uint32_t      group, leaf;
    uint32_t      n;                 /* 0: no usable statistics             */
    PqHeaderPage *pages;
} Walked;

typedef struct PqScanHeaders {
    PqArena  arena;
    Walked   chunk[CHUNKS];
    uint32_t n_chunks, n_forgotten;
    PqBuf    pages;                  /* PqHeaderPage, of the walk           */
} PqScanHeaders;

void pq_scan_forget_headers(PqScan *s)
{
    if (s->headers) {
        pq_arena_reset(&s->headers->arena);
        s->headers->n_chunks = 0;
        s->headers->n_forgotten++;
    }
}

uint32_t pq_scan_header_walks_forgotten(const PqScan *s)
{
    return s->headers ? s->headers->n_forgotten : 0;
}

void pq_scan_free_headers(PqScan *s)
{
    if (s->headers) {
        pq_arena_free(&s->headers->arena);
        pq_buf_free(&s->headers->pages);
        pq_mem_free(s->headers);
    }
}

static PqRc need_headers(PqScan *s, PqErr *e)
{
    if (!s->headers) {
        PQ_TRY(PQ_NEW(s->mem, s->headers, 1, e));
        pq_arena_init(&s->headers->arena, s->mem);
        pq_buf_init(&s->headers->pages, s->mem, NULL);
    }
    return PQ_OK;
}

static size_t room_for_headers(const PqScan *s)
{
    return pq_mem_limit(s->mem) / MEMORY_SHARE;
}

/* Copies the bytes of a bound, which have to outlive the window they lie
** in. */
static PqRc keep_bytes(PqArena *a, PqSlice *v, PqErr *e)
{
    v->p = (const uint8_t *)pq_arena_text(a, v->p, v->n, e);
    return v->p ? PQ_OK : e->rc;
}

/* The bounds that the current header gives for its page.  A v2 header has two
** counts of nulls; if they differ, the count is unknown. */
static PqBounds bounds_of_page(const PqScan *s, const PqChunkReader *r)
{
    const PqPageHeader *h = &r->header;
    bool v2 = h->type == PQ_PAGE_DATA_V2;
    const PqStatistics *st = v2 ? &h->data_page_v2.statistics
                                : &h->data_page.statistics;
    PqBounds b = pq_stats_bounds(s->footer, r->leaf->index, st,
                                 pq_chunk_slots(r));

    if (v2 && b.n_nulls >= 0 && b.n_nulls != h->data_page_v2.num_nulls) {
        b.n_nulls = -1;
        b.all_null = false;
    }
    return b;
}

static bool says_nothing(const PqBounds *b)
{
    return !b->has_min && !b->has_max && b->n_nulls < 0;
}

static PqRc add_page(PqScan *s, const PqChunkReader *r, int64_t *row,
                     bool *useful, PqErr *e)
{
    PqScanHeaders *h = s->headers;
    PqHeaderPage page = {.first_row = *row, .bounds = bounds_of_page(s, r)};
    size_t n = h->pages.n;

    if (n == 0 && says_nothing(&page.bounds)) {
        *useful = false;
        return PQ_OK;
    }
    if (pq_chunk_slots(r) == 0) {
        return PQ_OK;
    }
    if (n + pq_arena_memory(&h->arena) > room_for_headers(s)) {
        return pq_fail(e, PQ_BUDGET, "the bounds of pages are too many");
    }
    PQ_TRY(keep_bytes(&h->arena, &page.bounds.min, e));
    PQ_TRY(keep_bytes(&h->arena, &page.bounds.max, e));
    PQ_TRY(pq_buf_append(&h->pages, &page, sizeof page, e));
    *row += pq_chunk_slots(r);
    return PQ_OK;
}

/* *useful: there are statistics, and the pages have all rows. */
static PqRc walk_pages(PqScan *s, PqChunkReader *r, bool *useful, PqErr *e)
{
    int64_t row = 0;
    bool more;

    for (;;) {
        PQ_TRY(pq_chunk_next(r, &more, e));
        if (!more) {
            *useful = row == r->group_rows;
            return PQ_OK;
        }
        if (r->header.type != PQ_PAGE_DICTIONARY) {
            PQ_TRY(add_page(s, r, &row, useful, e));
            if (!*useful || row > r->group_rows) {
                *useful = false;
                return PQ_OK;
            }
        }
        pq_chunk_step(r);
    }
}

/* Is it worth walking the headers?  Not if there is a column index to ask, or
** if the chunk lies in another file, which is not opened for a proof. */
static bool is_worth_it(const PqChunkReader *r)
{
    const PqColumnChunk *c = &r->chunk;

    return !PQ_HAS(c, PQ_CHUNK_COLUMN_INDEX_OFFSET) &&
           !(PQ_HAS(c, PQ_CHUNK_FILE_PATH) && c->file_path.n > 0) &&
           c->meta_data.num_values == r->group_rows;
}

static PqRc walk_chunk(PqScan *s, uint32_t group, const PqLeaf *leaf,
                       PqChunkReader *r, bool *useful, PqErr *e)
{
    int64_t n_rows = s->footer->groups[group].num_rows;

    PQ_TRY(pq_footer_chunk(s->footer, group, leaf->index, &r->arena, &r->chunk,
                           e));
    r->group_rows = n_rows;
    if (leaf->made || !is_worth_it(r)) {
        return PQ_OK;
    }
    PQ_TRY(pq_chunk_open(r, &s->in, leaf, (int)group, n_rows,
                         s->footer->file.created_by, e));
    pq_chunk_enter(r, e);
    pq_chunk_headers_only(r, true);
    *useful = true;
    return walk_pages(s, r, useful, e);
}

static PqRc walk(PqScan *s, uint32_t group, const PqLeaf *leaf, Walked *w,
                 PqErr *e)
{
    PqScanHeaders *h = s->headers;
    PqWhere outer = e->where;
    bool useful = false;
    PqChunkReader r;
    PqRc rc;

    h->pages.n = 0;
    pq_chunk_init(&r, &s->ctx);
    rc = walk_chunk(s, group, leaf, &r, &useful, e);
    pq_chunk_reset(&r);
    useful = useful && rc == PQ_OK;
    PQ_TRY(pq_scan_forgive(rc, outer, e));
    *w = (Walked){.group = group, .leaf = leaf->index};
    if (useful && h->pages.n > 0) {
        w->pages = pq_arena_zeros(&h->arena, h->pages.n, 1, e);
        if (!w->pages) {
            return pq_scan_forgive(e->rc, outer, e);
        }
        memcpy(w->pages, h->pages.p, h->pages.n);
        w->n = (uint32_t)(h->pages.n / sizeof *w->pages);
    }
    pq_buf_free(&h->pages);
    return PQ_OK;
}

PqRc pq_scan_headers_load(PqScan *s, uint32_t group, const PqLeaf *leaf,
                          PqScanPages *out, PqErr *e)
{
    PqScanHeaders *h;
    Walked *w;
    uint32_t i;

    *out = (PqScanPages){.leaf = leaf,
                         .group_rows = s->footer->groups[group].num_rows};
    if (leaf->max_rep > 0) {
        return PQ_OK;
    }
    PQ_TRY(need_headers(s, e));
    h = s->headers;
    for (i = 0; i < h->n_chunks; i++) {
        if (h->chunk[i].group == group && h->chunk[i].leaf == leaf->index) {
            break;
        }
    }
    if (i == h->n_chunks) {
        if (i == CHUNKS || pq_arena_memory(&h->arena) > room_for_headers(s) / 2) {
            pq_scan_forget_headers(s);
        }
        PQ_TRY(walk(s, group, leaf, &h->chunk[h->n_chunks], e));
        i = h->n_chunks++;
    }
    w = &h->chunk[i];
    out->n = w->n;
    out->headers = w->pages;
    return PQ_OK;
}
