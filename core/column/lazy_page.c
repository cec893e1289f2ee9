/*
** lazy_page.c - reads and unpacks a page only as far as its values are used.
**
** The decoders ask for bytes (PqLazyBytes.more); this feeds compressed bytes to
** the codec until they are there.  What is hard is to give up well: a page that
** cannot be unpacked in steps is decoded whole, over the bytes that are there
** already, and no decoder may notice.  If memory is too short for the window,
** the page must still be read whole.  The window of a sealed page is as large
** as the page, so it is freed as early as possible.
*/
#include "core/column/lazy_page.h"

#include "core/column/page_crc.h"

/* The smallest page that is taken in parts.  As many bytes are read ahead as were read
** already, but at least LEAST_AHEAD and at most AHEAD.  Once more than 1/READ_SHARE of the
** values has been read, or values in more than JUMPS places, the whole page is expected to
** be used. */
enum {
    LEAST_BYTES = 1 << 17, LEAST_AHEAD = 1 << 14, AHEAD = 1 << 17,
    READ_SHARE = 8, JUMPS = 2
};

void pq_lazy_page_init(PqPageArrival *p, PqReadCtx *ctx)
{
    memset(p, 0, sizeof *p);
    p->ctx = ctx;
    pq_buf_init(&p->window, ctx->mem, NULL);
}

/* The window of a sealed page. */
static void drop_opened(PqPageArrival *p)
{
    if (p->opened.n) {
        p->opened.n = 0;
        pq_buf_free(&p->window);
    }
}

void pq_lazy_page_end(PqPageArrival *p)
{
    drop_opened(p);
    if (p->is_open) {
        pq_unpack_end(&p->unpack);
        p->is_open = false;
    }
}

void pq_lazy_page_reset(PqPageArrival *p)
{
    pq_lazy_page_end(p);
    pq_unpack_free(&p->unpack);
    pq_buf_free(&p->window);
}

/* ---- compressed bytes ---------------------------------------------------- */

static size_t ahead(uint64_t n_read)
{
    return n_read < LEAST_AHEAD ? LEAST_AHEAD : n_read < AHEAD ? (size_t)n_read : AHEAD;
}

static PqRc feed_more(PqFeed *f, size_t n, PqErr *e)
{
    PqPageArrival *p = (PqPageArrival *)(void *)((char *)f -
                                                 offsetof(PqPageArrival, feed));
    size_t most = f->n + f->left, n_new;
    size_t want = f->n + ahead(p->fed - p->body_at);

    want = want < n ? n : want;
    want = want < most ? want : most;
    n_new = want - f->n;
    p->took_window = false;
    memmove(p->window.p + PQ_FEED_BEFORE, f->p, f->n);
    p->window.n = PQ_FEED_BEFORE + f->n;
    f->p = p->window.p + PQ_FEED_BEFORE;
    PQ_TRY(pq_buf_resize(&p->window, PQ_FEED_BEFORE + want, e));
    f->p = p->window.p + PQ_FEED_BEFORE;
    PQ_TRY(pq_read_ctx_fetch(p->ctx, p->in, &p->body.module, p->fed, n_new,
                             f->p + f->n, e));
    p->fed += n_new;
    f->n = want;
    f->left -= n_new;
    return PQ_OK;
}

static void change_windows(PqPageArrival *p, PqChunkReader *r)
{
    PqBuf mine = p->window;

    p->window = r->window;
    r->window = mine;
}

/* Begins with the bytes that were read along with the header.  The window that
** holds them is taken over, unless it also holds bytes of later pages. */
static PqRc begin_feed(PqPageArrival *p, PqChunkReader *r, PqErr *e)
{
    PqSlice have = pq_chunk_windowed(r);
    size_t at;

    p->window.n = 0;
    p->took_window = have.n && have.p + have.n == r->window.p + r->window.n &&
                     have.p - r->window.p >= PQ_FEED_BEFORE;
    if (p->took_window) {
        at = (size_t)(have.p - r->window.p);
        change_windows(p, r);
    } else {
        at = PQ_FEED_BEFORE;
        PQ_TRY(pq_buf_resize(&p->window, at + have.n, e));
        pq_bytes_copy(p->window.p + at, have.p, have.n);
    }
    p->feed = (PqFeed){.p = p->window.p + at, .n = have.n,
                       .left = p->body.n - have.n, .more = feed_more};
    p->fed = p->body_at + have.n;
    return PQ_OK;
}

/* Reads all of a sealed page and opens it.  Its nonce leaves room before the
** feed. */
static PqRc begin_sealed(PqPageArrival *p, PqChunkReader *r, PqErr *e)
{
    PqSlice have = pq_chunk_windowed(r);
    PqBuf *w = &p->window;

    p->took_window = false;
    w->n = 0;
    PQ_TRY(pq_buf_resize(w, p->body.n, e));
    pq_bytes_copy(w->p, have.p, have.n);
    PQ_TRY(pq_read_ctx_fetch(p->ctx, p->in, &p->body.module,
                             p->body_at + have.n, p->body.n - have.n,
                             w->p + have.n, e));
    PQ_TRY(pq_page_check_crc(r, pq_buf_view(w), e));
    PQ_TRY(pq_chunk_open_body(&p->body, w->p, &p->opened, e));
    p->feed = (PqFeed){.p = w->p + (p->opened.p - w->p), .n = p->opened.n,
                       .more = feed_more};
    return PQ_OK;
}

static PqRc check_crc(PqPageArrival *p, const PqChunkReader *r, PqErr *e)
{
    if (!pq_page_has_crc(r)) {
        return PQ_OK;
    }
    if (p->feed.left) {
        PQ_TRY(feed_more(&p->feed, p->body.n, e));
    }
    return pq_page_check_crc(r, pq_slice(p->feed.p, p->feed.n), e);
}

static PqRc take_levels(PqPageArrival *p, PqPage *page, PqErr *e)
{
    size_t n = p->body.n_levels;

    if (n > p->feed.n) {
        PQ_TRY(feed_more(&p->feed, n, e));
    }
    PQ_TRY(pq_buf_resize(&page->bytes, n, e));
    pq_bytes_copy(page->bytes.p, p->feed.p, n);
    p->feed.p += n;
    p->feed.n -= n;
    return PQ_OK;
}

/* ---- more ---------------------------------------------------------------- */

/* Decodes a page that cannot be unpacked in steps, or not any further.  The
** bytes that are there already are overwritten with the same bytes. */
static PqRc unpack_whole(PqPageArrival *p, PqErr *e)
{
    size_t n_levels = p->body.n_levels;
    PqSlice values = p->opened;

    if (values.n == 0 || pq_unpack_spoils(p->codec)) {
        PqBuf *packed = &p->ctx->packed;

        drop_opened(p);
        packed->n = 0;
        PQ_TRY(pq_buf_resize(packed, p->body.n, e));
        PQ_TRY(pq_read_ctx_fetch(p->ctx, p->in, &p->body.module, p->body_at,
                                 p->body.n, packed->p, e));
        PQ_TRY(pq_chunk_open_body(&p->body, packed->p, &values, e));
    }
    values = pq_slice(values.p + n_levels, values.n - n_levels);
    PQ_TRY(pq_codec_check_claim(p->codec, values, p->body.n_out, e));
    PQ_TRY(pq_codec_decode(p->ctx->codec, p->codec, values,
                           p->bytes.begin + n_levels, p->body.n_out, e));
    p->bytes.here = p->bytes.end;
    p->bytes.gap = p->bytes.gap_end = NULL;
    drop_opened(p);
    return PQ_OK;
}

/* How many bytes of the page are likely to be wanted.  A reader that has read
** many rows will read all; one that goes to a row in the middle of the page
** will want about half of the bytes, and one that goes from row to row will find
** some near the end too. */
static size_t expected(const PqPageArrival *p)
{
    return p->n_jumps >= JUMPS || p->n_read > p->n_slots / READ_SHARE
               ? p->body.n_out
               : (size_t)((uint64_t)p->body.n_out * p->slot / p->n_slots);
}

static PqRc unpack_more(PqPageArrival *p, size_t n, PqErr *e)
{
    uint8_t *values = p->bytes.begin + p->body.n_levels;
    PqUnpack *u = &p->unpack;

    if (p->bytes.gap && p->bytes.from < p->bytes.gap_end) {
        return unpack_whole(p, e);   /* that is wanted after all             */
    }
    u->from = p->bytes.from > values ? (size_t)(p->bytes.from - values) : 0;
    PQ_TRY(pq_unpack_more(u, n - p->body.n_levels, expected(p), e));
    if (u->whole) {
        return unpack_whole(p, e);
    }
    p->bytes.here = values + u->at;
    if (u->gap_end) {
        p->bytes.gap = values + u->gap;
        p->bytes.gap_end = values + u->gap_end;
    }
    if (p->bytes.here == p->bytes.end) {
        drop_opened(p);
    }
    return PQ_OK;
}

static PqRc read_more(PqPageArrival *p, size_t n, PqErr *e)
{
    size_t have = (size_t)(p->bytes.here - p->bytes.begin);
    size_t most = p->body.n - have, want = n - have;

    want = want < ahead(have) ? ahead(have) : want;
    want = want < most ? want : most;
    PQ_TRY(pq_read_ctx_fetch(p->ctx, p->in, &p->body.module,
                             p->body_at + have, want, p->bytes.here, e));
    p->bytes.here += want;
    return PQ_OK;
}

static size_t bytes_there(const PqPageArrival *p)
{
    return (size_t)(p->bytes.here - p->bytes.begin) -
           (p->bytes.gap ? p->unpack.n_passed : 0);
}

static PqRc more(PqLazyBytes *a, size_t n, PqErr *e)
{
    PqPageArrival *p = (PqPageArrival *)(void *)a;       /* its first part */
    size_t had = bytes_there(p);

    if (p->failed != PQ_OK) {
        return pq_fail(e, p->failed, "the page could not be read before");
    }
    e->where.page = p->number;
    e->where.offset = (int64_t)p->header_at;
    p->failed = p->body.packed ? unpack_more(p, n, e) : read_more(p, n, e);
    if (p->failed == PQ_OK) {
        p->ctx->bytes_unpacked += bytes_there(p) - had;
    }
    return p->failed;
}

/* ---- beginning ----------------------------------------------------------- */

static bool is_worth_it(const PqPageArrival *p, const PqChunkReader *r,
                        bool all)
{
    const PqPageBody *b = &p->body;

    if (p->n_slots == 0 || b->n_levels + b->n_out < LEAST_BYTES ||
        pq_mem_used(p->ctx->mem) > pq_mem_limit(p->ctx->mem) / 2) {
        return false;
    }
    return b->packed ? pq_unpack_can(p->codec) &&
                           (!all || pq_unpack_resumes(p->codec))
                     : !pq_page_has_crc(r) && !pq_module_whole(&b->module);
}

/* Makes room for the page; its first `here` bytes are there already. */
static PqRc begin_bytes(PqPageArrival *p, PqPage *page, size_t here, PqErr *e)
{
    size_t n = p->body.n_levels + p->body.n_out;

    PQ_TRY(pq_buf_resize(&page->bytes, n + 1, e));
    page->bytes.n = n;
    p->bytes = (PqLazyBytes){.begin = page->bytes.p, .here = page->bytes.p + here,
                             .end = page->bytes.p + n, .more = more};
    p->unpack.out = page->bytes.p + p->body.n_levels;
    p->is_open = true;
    p->failed = PQ_OK;
    p->n_read = p->slot = p->n_jumps = 0;
    p->ctx->bytes_unpacked += here;
    return PQ_OK;
}

static PqRc begin_packed(PqPageArrival *p, PqChunkReader *r, PqPage *page,
                         PqErr *e)
{
    if (pq_module_whole(&p->body.module)) {
        PQ_TRY(begin_sealed(p, r, e));
    } else {
        PQ_TRY(begin_feed(p, r, e));
        PQ_TRY(check_crc(p, r, e));
    }
    PQ_TRY(take_levels(p, page, e));
    PQ_TRY(pq_unpack_begin(&p->unpack, p->ctx->codec, p->codec, &p->feed,
                           p->body.n_out, e));
    if (!p->unpack.whole) {
        return begin_bytes(p, page, p->body.n_levels, e);
    }
    if (p->took_window) {
        change_windows(p, r);
    }
    return PQ_OK;
}

static PqRc begin_stored(PqPageArrival *p, const PqChunkReader *r, PqPage *page,
                         PqErr *e)
{
    PqSlice have = pq_chunk_windowed(r);

    PQ_TRY(begin_bytes(p, page, have.n, e));
    pq_bytes_copy(page->bytes.p, have.p, have.n);
    return PQ_OK;
}

static PqRc begin(PqPageArrival *p, PqChunkReader *r, PqPage *page, bool all,
                  PqErr *e)
{
    PQ_TRY(pq_chunk_describe(r, page, &p->body, e));
    p->in = r->in;
    p->header_at = r->at;
    p->body_at = r->body_at;
    p->codec = r->chunk.meta_data.codec;
    p->number = page->number;
    p->n_slots = page->n_slots;
    if (!is_worth_it(p, r, all)) {
        return PQ_OK;
    }
    return p->body.packed ? begin_packed(p, r, page, e)
                          : begin_stored(p, r, page, e);
}

PqRc pq_lazy_page_begin(PqPageArrival *p, PqChunkReader *r, PqPage *page,
                        bool all, PqErr *e)
{
    PqRc rc;

    pq_lazy_page_end(p);
    rc = begin(p, r, page, all, e);
    if (rc == PQ_BUDGET) {           /* taken whole it may need less */
        pq_err_clear(e);
        pq_lazy_page_reset(p);
        return PQ_OK;
    }
    if (rc != PQ_OK) {
        pq_lazy_page_end(p);
        return rc;
    }
    if (p->is_open) {
        pq_chunk_taken(r);
    } else {
        drop_opened(p);
    }
    return PQ_OK;
}
