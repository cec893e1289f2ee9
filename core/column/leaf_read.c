/*
** leaf_read.c - reads pages into vectors.  What is special about repeated
** leaves is in leaf_repeat.c.
**
** The hard part is to know which row comes next: pages are passed, jumped to by
** the offset index, taken ahead by another thread, or taken in parts.  r->row
** is always the next row.  A page without the rows that the index promises is
** corrupt (pq_chunk_next, pq_leaf_repeat_check).  Pages and their buffers stay
** as long as the last vector points into them (r->kept).
*/
#include "core/column/leaf_read.h"

/* How many values are skipped before asking again whether to stop. */
enum { AT_ONCE = 1 << 16 };

PqRc pq_leaf_reader_init(PqLeafReader *r, PqReadCtx *ctx, PqErr *e)
{
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    pq_chunk_init(&r->chunk, ctx);
    pq_lazy_page_init(&r->arrival, ctx);
    pq_lazy_page_init(&r->part.arrival, ctx);
    pq_arena_init(&r->dict_strings, ctx->mem);
    pq_arena_init(&r->strings, ctx->mem);
    return pq_decoder_new(ctx->mem, &r->decoder, e);
}

void pq_leaf_free_pages(PqPage *p)
{
    while (p) {
        PqPage *next = p->next;
        pq_buf_free(&p->bytes);
        pq_mem_free(p);
        p = next;
    }
}

/* Frees pages that nothing points to any more, but keeps one buffer. */
void pq_leaf_retire(PqLeafReader *r, PqPage **list)
{
    while (*list) {
        PqPage *p = *list;

        *list = p->next;
        p->next = NULL;
        if (!r->spare) {
            r->spare = p;
        } else {
            pq_leaf_free_pages(p);
        }
    }
}

/* The page will not be read any further. */
static void leave_page(PqLeafReader *r)
{
    if (r->page) {
        r->used_up = r->slots_left == 0 && r->ahead_at == r->ahead_n &&
                     !r->skipping;
    }
    pq_lazy_page_end(&r->arrival);
}

static void forget_chunk(PqLeafReader *r)
{
    pq_leaf_ahead_drop(r);
    pq_leaf_retire(r, &r->kept);
    leave_page(r);
    pq_leaf_retire(r, &r->page);
    pq_leaf_dict_forget(r);
    r->slots_left = r->usual_slots = 0;
    r->ahead_at = r->ahead_n = 0;
    r->is_open = r->streak = false;
}

static void free_space(PqLeafReader *r)
{
    pq_mem_free(r->space.values);
    pq_mem_free(r->space.ids);
    pq_mem_free(r->space.valid);
    pq_mem_free(r->space.rep);
    pq_mem_free(r->space.def);
    r->space = (PqSpace){0};
}

void pq_leaf_reader_reset(PqLeafReader *r)
{
    forget_chunk(r);
    pq_leaf_free_pages(r->spare);
    r->spare = NULL;
    free_space(r);
    pq_mem_free(r->ahead_rep);
    pq_mem_free(r->ahead_def);
    r->ahead_rep = r->ahead_def = NULL;
    pq_arena_free(&r->dict_strings);
    pq_arena_free(&r->strings);
    pq_decoder_free(r->decoder);
    pq_decoder_free(r->part.decoder);
    r->decoder = r->part.decoder = NULL;
    pq_lazy_page_reset(&r->arrival);
    pq_lazy_page_reset(&r->part.arrival);
    pq_chunk_reset(&r->chunk);
}

PqArena *pq_leaf_reader_arena(PqLeafReader *r)
{
    forget_chunk(r);
    pq_arena_reset(&r->chunk.arena);
    return &r->chunk.arena;
}

PqRc pq_leaf_reader_open(PqLeafReader *r, PqInput *in, const PqLeaf *leaf,
                         int row_group, int64_t group_rows, PqSlice created_by,
                         bool want_levels, PqErr *e)
{
    size_t width = pq_physical_width(leaf->type.physical);

    want_levels = want_levels || leaf->max_rep > 0;
    if (r->width != width || r->want_levels != want_levels) {
        free_space(r);               /* other arrays than before */
    }
    r->leaf = leaf;
    r->width = width;
    r->want_levels = want_levels;
    r->row = 0;
    PQ_TRY(pq_chunk_open(&r->chunk, in, leaf, row_group, group_rows,
                         created_by, e));
    r->is_open = true;
    return PQ_OK;
}

/* Makes room for n_slots in every array the leaf needs; keeps their
** contents. */
PqRc pq_leaf_room(PqLeafReader *r, uint32_t n_slots, PqErr *e)
{
    PqSpace *s = &r->space;
    size_t room = n_slots, more = (size_t)s->room + s->room / 2;
    PqMem *mem = r->ctx->mem;

    if (n_slots <= s->room) {
        return PQ_OK;
    }
    if (room < more) {
        room = more;
    }
    room = (room + 63) & ~(size_t)63;
    if (room > UINT32_MAX - 64) {
        return pq_fail(e, PQ_BUDGET, "%zu values in one batch", room);
    }
    PQ_TRY(pq_mem_resize_array(mem, &s->values, room, r->width, e));
    PQ_TRY(PQ_RESIZE(mem, s->ids, room, e));
    PQ_TRY(PQ_RESIZE(mem, s->valid, room / 64, e));
    memset((char *)s->valid + s->room / 8, 0, (room - s->room) / 8);
    if (r->want_levels) {
        PQ_TRY(PQ_RESIZE(mem, s->def, room, e));
        PQ_TRY(PQ_RESIZE(mem, s->rep, room, e));
    }
    s->room = (uint32_t)room;
    return PQ_OK;
}

/* ---- pages ------------------------------------------------------------- */

PqRc pq_leaf_fresh_page(PqLeafReader *r, PqPage **out, PqErr *e)
{
    if (r->spare) {
        *out = r->spare;
        r->spare = NULL;
    } else {
        PQ_TRY(PQ_NEW(r->ctx->mem, *out, 1, e));
        pq_buf_init(&(*out)->bytes, r->ctx->mem, NULL);
    }
    (*out)->next = NULL;
    return PQ_OK;
}

/* Splits the page into levels and values. */
static PqRc open_page(PqLeafReader *r, PqErr *e)
{
    PqPage *p = r->page;
    PqValueShape shape = {r->leaf->type.physical, r->leaf->type.fixed_length,
                          p->encoding, p->n_slots};
    PqSlice rest = pq_buf_view(&p->bytes);
    PqLazyBytes *arrival = r->arrival.is_open ? &r->arrival.bytes : NULL;

    if (p->v2) {
        PQ_TRY(pq_lazy_bytes_want(arrival, rest.p, p->rep_bytes + p->def_bytes,
                                  e));
        PQ_TRY(pq_levels_open_v2(&r->rep, r->leaf->max_rep, p->n_slots,
                                 p->rep_bytes, &rest, e));
        PQ_TRY(pq_levels_open_v2(&r->def, r->leaf->max_def, p->n_slots,
                                 p->def_bytes, &rest, e));
    } else {
        PQ_TRY(pq_levels_open_v1(&r->rep, p->rep_encoding, r->leaf->max_rep,
                                 p->n_slots, &rest, arrival, e));
        PQ_TRY(pq_levels_open_v1(&r->def, p->def_encoding, r->leaf->max_def,
                                 p->n_slots, &rest, arrival, e));
    }
    if (pq_encoding_is_dictionary(p->encoding) && !r->dict.values) {
        return pq_fail(e, PQ_CORRUPT, "a page of dictionary indices, but the "
                                      "chunk has no dictionary page");
    }
    r->slots_left = p->n_slots;
    return pq_decoder_open_arriving(r->decoder, &shape,
                                    p->bytes.p + (p->bytes.n - rest.n), rest.n,
                                    arrival, e);
}

/* The current page is used up; it is kept for the vector that points into
** it. */
static void keep_page(PqLeafReader *r)
{
    leave_page(r);
    if (r->page) {
        r->streak = true;
        r->page->next = r->kept;
        r->kept = r->page;
        r->page = NULL;
    }
    r->slots_left = 0;
}

/* Has a job read ahead, and parsed the next header?  A job that failed is
** ignored: it left the chunk reader where it was, and memory that was too short
** for two pages at a time may do for one. */
static bool use_ahead(PqLeafReader *r, bool *more)
{
    bool have;

    pq_leaf_ahead_settle(r);
    have = r->ahead.have && r->ahead.e.rc == PQ_OK;
    r->ahead.have = false;
    *more = r->ahead.more;
    return have;
}

/* Parses headers up to the next data page; a dictionary on the way is taken.
** passing: the page will probably be passed; it would be if it were as long as
** the page before. */
static PqRc next_header(PqLeafReader *r, bool passing, bool *more, PqErr *e)
{
    for (;;) {
        if (!use_ahead(r, more)) {
            PqRc rc;

            pq_chunk_headers_only(&r->chunk, passing);
            rc = pq_chunk_next(&r->chunk, more, e);
            pq_chunk_headers_only(&r->chunk, false);
            PQ_TRY(rc);
        }
        if (!*more || r->chunk.header.type != PQ_PAGE_DICTIONARY) {
            return PQ_OK;
        }
        PQ_TRY(pq_leaf_take_dictionary(r, r->few, e));
    }
}

static PqRc chunk_is_over(PqLeafReader *r, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the pages end after row %lld of %lld in the "
                   "row group", (long long)r->row,
                   (long long)r->chunk.group_rows);
}

/* Takes the page in parts, unless all of it is likely to be wanted. */
static PqRc take_body(PqLeafReader *r, PqErr *e)
{
    if (r->used_up) {
        pq_lazy_page_reset(&r->arrival);
    } else {
        PQ_TRY(pq_lazy_page_begin(&r->arrival, &r->chunk, r->page,
                                  r->reads_all, e));
    }
    return r->arrival.is_open ? PQ_OK : pq_chunk_take(&r->chunk, r->page, e);
}

/* Takes the body of the data page whose header was parsed. */
static PqRc take_page(PqLeafReader *r, PqErr *e)
{
    keep_page(r);
    if (r->ahead.page) {
        r->page = r->ahead.page;
        r->ahead.page = NULL;
    } else {
        PQ_TRY(pq_leaf_fresh_page(r, &r->page, e));
        PQ_TRY(take_body(r, e));
        pq_chunk_drop_window(&r->chunk);
    }
    PQ_TRY(open_page(r, e));
    PQ_TRY(pq_leaf_repeat_check(r, e));
    pq_leaf_note_page(r);
    return r->streak ? pq_leaf_ahead_begin(r, e) : PQ_OK;
}

static void pass_page(PqLeafReader *r)
{
    r->streak = false;
    if (r->ahead.page) {
        pq_leaf_retire(r, &r->ahead.page);
    } else {
        pq_chunk_pass(&r->chunk);
    }
}

PqRc pq_leaf_load_page(PqLeafReader *r, PqErr *e)
{
    bool more;

    do {
        PQ_TRY(next_header(r, false, &more, e));
        if (!more) {
            return chunk_is_over(r, e);
        }
        PQ_TRY(take_page(r, e));
    } while (r->slots_left == 0);
    return PQ_OK;
}

/* ---- flat leaves ------------------------------------------------------- */

/* Reads the definition levels of k slots, to slot `at` of the vector. */
static PqRc flat_levels(PqLeafReader *r, uint32_t at, uint32_t k,
                        uint32_t *n_set, PqErr *e)
{
    uint16_t max = r->leaf->max_def;

    *n_set = k;
    if (max == 0) {
        return PQ_OK;
    }
    if (!r->want_levels) {
        return pq_levels_read_valid(&r->def, k, r->space.valid, at, n_set, e);
    }
    PQ_TRY(pq_levels_read(&r->def, k, r->space.def + at, e));
    *n_set = 0;
    for (uint32_t i = at; i < at + k; i++) {
        bool is_set = r->space.def[i] == max;

        pq_bits_put(r->space.valid, i, 1, is_set);
        *n_set += is_set;
    }
    return PQ_OK;
}

/* Adds to *n_set how many of the slots [at, n) have a value. */
static PqRc flat_read(PqLeafReader *r, uint32_t at, uint32_t n,
                      uint32_t *n_set, PqErr *e)
{
    while (at < n) {
        uint32_t k, set;

        if (r->slots_left == 0) {
            PQ_TRY(pq_leaf_load_page(r, e));
        }
        k = n - at < r->slots_left ? n - at : r->slots_left;
        PQ_TRY(flat_levels(r, at, k, &set, e));
        PQ_TRY(pq_leaf_gather(r, set, e));
        *n_set += set;
        at += k;
        r->slots_left -= k;
        r->row += k;
    }
    return PQ_OK;
}

/* Takes the next page, or passes it if it ends before the row. */
static PqRc take_or_pass(PqLeafReader *r, int64_t row, PqErr *e)
{
    bool more;

    PQ_TRY(next_header(r, r->usual_slots && row - r->row >= r->usual_slots,
                       &more, e));
    if (!more) {
        return chunk_is_over(r, e);
    }
    r->usual_slots = pq_chunk_slots(&r->chunk);
    if (pq_chunk_slots(&r->chunk) > row - r->row) {
        return take_page(r, e);
    }
    r->row += pq_chunk_slots(&r->chunk);
    pass_page(r);
    return PQ_OK;
}

static PqRc flat_skip(PqLeafReader *r, int64_t n, PqErr *e)
{
    int64_t to = r->row + n;

    r->arrival.n_jumps += r->arrival.n_read > 0;
    while (r->row < to) {
        uint32_t k, set;

        if (r->slots_left == 0) {
            PQ_TRY(take_or_pass(r, to, e));
            continue;
        }
        if (to - r->row >= r->slots_left) {
            r->row += r->slots_left;             /* the rest of the page */
            r->slots_left = 0;
            continue;
        }
        k = (uint32_t)(to - r->row);
        r->arrival.slot = r->page->n_slots - r->slots_left + k;
        k = k < AT_ONCE ? k : AT_ONCE;
        set = k;
        if (r->leaf->max_def > 0) {
            PQ_TRY(pq_levels_skip(&r->def, k, &set, e));
        }
        PQ_TRY(pq_decoder_skip(r->decoder, set, e));
        PQ_TRY(pq_read_ctx_step(r->ctx, set * r->width, e));
        r->slots_left -= k;
        r->row += k;
    }
    return PQ_OK;
}

/* ---- any leaf ---------------------------------------------------------- */

/* Values that were gathered from the page may point into it. */
static void drop_page(PqLeafReader *r)
{
    pq_leaf_ahead_drop(r);
    if (r->n_packed > 0) {
        keep_page(r);
    }
    r->streak = false;
    leave_page(r);
    pq_leaf_retire(r, &r->page);
    r->slots_left = 0;
    r->ahead_at = r->ahead_n = 0;
}

/* Reads the dictionary before a page in the middle is read. */
static PqRc dictionary_first(PqLeafReader *r, PqErr *e)
{
    uint64_t first = (uint64_t)r->chunk.index.page_locations.v[0].offset;
    bool more;

    if (r->dict.values || first <= r->chunk.begin) {
        return PQ_OK;
    }
    pq_chunk_rewind(&r->chunk);
    PQ_TRY(pq_chunk_next(&r->chunk, &more, e));
    if (more && r->chunk.header.type == PQ_PAGE_DICTIONARY) {
        PQ_TRY(pq_leaf_take_dictionary(r, r->few, e));
    }
    return PQ_OK;
}

/* Goes to the page of a row that is not in the current page, by the offset
** index, if there is one and it saves something. */
static PqRc jump(PqLeafReader *r, int64_t row, PqErr *e)
{
    uint32_t n_pages, page;
    int64_t first;

    pq_leaf_ahead_settle(r);
    PQ_TRY(pq_chunk_load_index(&r->chunk, &n_pages, e));
    if (n_pages == 0) {
        return PQ_OK;
    }
    page = pq_page_index_find(&r->chunk.index, row);
    first = r->chunk.index.page_locations.v[page].first_row_index;
    if (first <= r->row || (r->page && (int32_t)page < r->chunk.page)) {
        return PQ_OK;                /* already in it, or next to it */
    }
    drop_page(r);
    PQ_TRY(dictionary_first(r, e));
    pq_chunk_seek(&r->chunk, page);
    r->row = first;
    return PQ_OK;
}

/* Goes back to the beginning of the chunk if the row was passed already. */
static void go_back(PqLeafReader *r, int64_t row)
{
    if (row < r->row) {
        drop_page(r);
        pq_chunk_rewind(&r->chunk);
        r->row = 0;
    }
}

static PqRc pass_rows(PqLeafReader *r, int64_t n, PqErr *e)
{
    PqRc rc;

    r->skipping = true;
    rc = r->leaf->max_rep > 0 ? pq_leaf_repeat_skip(r, n, e)
                              : flat_skip(r, n, e);
    r->skipping = false;
    return rc;
}

static PqRc go_to(PqLeafReader *r, int64_t row, PqErr *e)
{
    go_back(r, row);
    if (row > r->row &&
        (r->leaf->max_rep > 0 || row - r->row >= r->slots_left)) {
        PQ_TRY(jump(r, row, e));
    }
    return row == r->row ? PQ_OK : pass_rows(r, row - r->row, e);
}

PqRc pq_leaf_enter_page(PqLeafReader *r, int64_t row, int64_t *first,
                        int64_t *end, PqErr *e)
{
    pq_chunk_enter(&r->chunk, e);
    go_back(r, row);
    if (row - r->row >= r->slots_left) {
        PQ_TRY(jump(r, row, e));
    }
    while (row - r->row >= r->slots_left) {
        leave_page(r);
        r->row += r->slots_left;
        r->slots_left = 0;
        pq_leaf_retire(r, &r->page);
        PQ_TRY(take_or_pass(r, row, e));
    }
    *first = r->row;
    *end = r->row + r->slots_left;
    pq_chunk_leave(e);
    return PQ_OK;
}

static void fill_vector(const PqLeafReader *r, uint32_t n_rows,
                        uint32_t n_slots, uint32_t n_set, PqVector *out)
{
    const PqSpace *s = &r->space;
    bool ids = r->gathered == PQ_GATHER_IDS;

    *out = (PqVector){.leaf = r->leaf, .n_rows = n_rows, .n_slots = n_slots};
    out->rep = r->leaf->max_rep > 0 ? s->rep : NULL;
    if (r->leaf->max_def > 0) {
        out->packed = r->form == PQ_LEAF_PACKED && n_set < n_slots;
        out->n_packed = out->packed ? n_set : 0;
        out->valid = n_set == n_slots || out->packed ? NULL : s->valid;
        out->def = r->want_levels ? s->def : NULL;
    }
    out->dict = ids ? &r->dict : NULL;
    out->ids = ids ? s->ids : NULL;
    out->values = ids ? NULL : r->lent ? r->lent : s->values;
}

static void begin_vector(PqLeafReader *r, bool few, PqErr *e)
{
    pq_chunk_enter(&r->chunk, e);
    e->where.page = r->page ? r->page->number : -1;
    pq_leaf_retire(r, &r->kept);
    pq_arena_reset(&r->strings);
    r->n_packed = 0;
    r->lent = NULL;
    r->few = few;
    r->form = PQ_LEAF_SPACED;
    r->gathered = few ? PQ_GATHER_VALUES : PQ_GATHER_NONE;
}

/* After the last row of the row group there is no value.  By the index, each page
** was checked alone. */
static PqRc check_end(PqLeafReader *r, PqErr *e)
{
    if (r->row < r->chunk.group_rows ||
        (r->slots_left == 0 && r->ahead_at == r->ahead_n &&
         (r->chunk.by_index || pq_leaf_at_end(r)))) {
        return PQ_OK;
    }
    return pq_fail(e, PQ_CORRUPT, "values follow the last of the %lld rows",
                   (long long)r->chunk.group_rows);
}

static PqRc read_rows(PqLeafReader *r, int64_t row, uint32_t n, uint32_t most,
                      PqVector *out, PqErr *e)
{
    uint32_t n_slots, n_set = 0;

    PQ_TRY(go_to(r, row, e));
    PQ_TRY(pq_leaf_room(r, n, e));
    if (r->leaf->max_rep > 0) {
        PQ_TRY(pq_leaf_repeat_read(r, &n, most, &n_slots, &n_set, e));
    } else {
        PQ_TRY(flat_read(r, 0, n, &n_set, e));
        n_slots = n;
    }
    if (n_set < n_slots && r->form == PQ_LEAF_SPACED) {
        pq_leaf_spread(r, n_slots);
    }
    PQ_TRY(check_end(r, e));
    fill_vector(r, n, n_slots, n_set, out);
    pq_chunk_leave(e);
    return PQ_OK;
}

PqRc pq_leaf_read(PqLeafReader *r, int64_t row, uint32_t n, PqVector *out,
                  PqErr *e)
{
    begin_vector(r, false, e);
    return read_rows(r, row, n, UINT32_MAX, out, e);
}

PqRc pq_leaf_read_upto(PqLeafReader *r, int64_t row, uint32_t n, uint32_t most,
                       PqLeafForm form, PqVector *out, PqErr *e)
{
    begin_vector(r, false, e);
    r->form = form;
    return read_rows(r, row, n, most, out, e);
}

PqRc pq_leaf_read_some(PqLeafReader *r, int64_t row, uint32_t n,
                       const uint64_t *rows, bool few, PqVector *out,
                       PqErr *e)
{
    uint32_t at, end, n_set = 0;
    uint64_t *valid;

    begin_vector(r, few, e);
    PQ_TRY(pq_leaf_room(r, n, e));
    valid = r->space.valid;
    memset(valid, 0, (n + 63) / 64 * sizeof *valid);
    for (at = pq_next_bit(rows, 0, n); at < n; at = pq_next_bit(rows, end, n)) {
        for (end = at; end < n && pq_bit(rows, end); end++) {
            pq_bit_set(valid, end);
        }
        PQ_TRY(go_to(r, row + at, e));
        PQ_TRY(flat_read(r, at, end, &n_set, e));
    }
    PQ_TRY(check_end(r, e));
    if (n_set < n) {
        pq_leaf_spread(r, n);
    }
    fill_vector(r, n, n, n_set, out);
    out->valid = n_set == n ? NULL : valid;
    pq_chunk_leave(e);
    return PQ_OK;
}
