/*
** leaf_repeat.c - leaves below a LIST or MAP: a row begins where rep is 0.
**
** How many slots a row has is known only when the first slot of the next row
** has been seen.  In v1 pages without an offset index that may be on the next
** page, because a row may span pages.  So levels are read a block ahead and
** handed out up to the row boundary.
**
**   ahead_rep   0 1 1 0 1 | 0 0 1 ...
**   rows asked  [    2    ]  ^ ahead_at stops here
**
** The look-ahead never crosses a page, so the values of the slots handed out
** are always in the current page.
*/
#include "core/base/bits.h"
#include "core/column/leaf_read.h"

/* Levels that are read ahead, and how many are counted at once. */
enum { AHEAD = 4096, AT_ONCE = 256 };

static PqRc make_ahead(PqLeafReader *r, PqErr *e)
{
    if (!r->ahead_rep) {
        PQ_TRY(PQ_ARRAY(r->ctx->mem, r->ahead_rep, AHEAD, e));
    }
    return r->ahead_def ? PQ_OK
                        : PQ_ARRAY(r->ctx->mem, r->ahead_def, AHEAD, e);
}

/* In v2 pages, and where there is an offset index, rows begin with pages. */
static bool pages_begin_rows(const PqLeafReader *r)
{
    return (r->page && r->page->v2) || r->chunk.index.page_locations.n > 0;
}

/* Fills the look-ahead when it is used up.  at_row_end: a row may end here, so
** the end of the chunk is not an error; *over is then true. */
static PqRc look_ahead(PqLeafReader *r, bool at_row_end, bool *over, PqErr *e)
{
    uint32_t n;

    *over = false;
    if (r->ahead_at < r->ahead_n) {
        return PQ_OK;
    }
    if (r->slots_left == 0) {
        *over = at_row_end && (pages_begin_rows(r) || pq_leaf_at_end(r));
        if (*over) {
            return PQ_OK;
        }
        PQ_TRY(pq_leaf_load_page(r, e));
    }
    PQ_TRY(make_ahead(r, e));
    n = r->slots_left < AHEAD ? r->slots_left : AHEAD;
    PQ_TRY(pq_levels_read(&r->rep, n, r->ahead_rep, e));
    if (r->leaf->max_def > 0) {
        PQ_TRY(pq_levels_read(&r->def, n, r->ahead_def, e));
    } else {
        memset(r->ahead_def, 0, n * sizeof *r->ahead_def);
    }
    r->slots_left -= n;
    r->ahead_at = 0;
    r->ahead_n = n;
    return pq_read_ctx_step(r->ctx, n * r->width, e);
}

static uint32_t count_equal(const uint16_t *v, uint32_t n, uint16_t value)
{
    uint32_t equal = 0;

    for (uint32_t i = 0; i < n; i++) {
        equal += v[i] == value;
    }
    return equal;
}

/* How many slots of the look-ahead belong to the current row and the next *rows
** rows.  *rows is decremented for each row that begins. */
static uint32_t slots_of_rows(const PqLeafReader *r, int64_t *rows)
{
    uint32_t i = r->ahead_at, some, begun;

    for (; i < r->ahead_n; i += some) {
        some = r->ahead_n - i < AT_ONCE ? r->ahead_n - i : AT_ONCE;
        begun = count_equal(r->ahead_rep + i, some, 0);
        if (begun > *rows) {
            break;                   /* the rows end among these slots */
        }
        *rows -= begun;
    }
    for (; i < r->ahead_n; i++) {
        if (r->ahead_rep[i] == 0) {
            if (*rows == 0) {
                break;
            }
            --*rows;
        }
    }
    return i - r->ahead_at;
}

PqRc pq_leaf_repeat_check(PqLeafReader *r, PqErr *e)
{
    PqLevels rep = r->rep;           /* a copy: these are read again */
    int64_t said, rows = 0;

    if (!r->chunk.by_index || r->leaf->max_rep == 0) {
        return PQ_OK;
    }
    PQ_TRY(make_ahead(r, e));
    for (uint32_t left = r->slots_left, n; left > 0; left -= n) {
        n = left < AHEAD ? left : AHEAD;
        PQ_TRY(pq_levels_read(&rep, n, r->ahead_rep, e));
        PQ_TRY(pq_read_ctx_step(r->ctx, n, e));
        rows += count_equal(r->ahead_rep, n, 0);
    }
    said = pq_chunk_rows_by_index(&r->chunk, r->page->number);
    return rows == said
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "a page of %lld rows, the offset index "
                         "says %lld", (long long)rows, (long long)said);
}

static PqRc first_slot_begins_a_row(const PqLeafReader *r, PqErr *e)
{
    if (r->ahead_rep[r->ahead_at] != 0) {
        return pq_fail(e, PQ_CORRUPT, "row %lld begins in the middle of a "
                                      "list: its first repetition level is %u",
                       (long long)r->row, r->ahead_rep[r->ahead_at]);
    }
    return PQ_OK;
}

PqRc pq_leaf_repeat_skip(PqLeafReader *r, int64_t n_rows, PqErr *e)
{
    int64_t rows = n_rows;
    bool over = false, begun = false;

    for (;;) {
        uint32_t k, set;

        PQ_TRY(look_ahead(r, begun && rows == 0, &over, e));
        if (over) {
            break;
        }
        if (!begun) {
            PQ_TRY(first_slot_begins_a_row(r, e));
            begun = true;
        }
        k = slots_of_rows(r, &rows);
        set = count_equal(r->ahead_def + r->ahead_at, k, r->leaf->max_def);
        PQ_TRY(pq_decoder_skip(r->decoder, set, e));
        r->ahead_at += k;
        if (r->ahead_at < r->ahead_n) {
            break;                   /* stopped at the next row */
        }
    }
    r->row += n_rows;
    return PQ_OK;
}

/* Sets the valid bits of slots [at, at + n). */
static void set_valid(uint64_t *valid, uint32_t at, uint32_t n,
                      const uint16_t *def, uint16_t max, bool all)
{
    for (uint32_t i = 0; i < n; i += 64) {
        uint32_t some = n - i < 64 ? n - i : 64;

        pq_bits_put(valid, at + i, some,
                    all ? ~(uint64_t)0 : pq_level_bits(def + i, some, max));
    }
}

static PqRc append(PqLeafReader *r, uint32_t at, uint32_t k, uint32_t *n_set,
                   PqErr *e)
{
    const uint16_t *def = r->ahead_def + r->ahead_at;
    uint16_t max = r->leaf->max_def;
    uint32_t set;

    if (k > UINT32_MAX - 64 - at) {
        return pq_fail(e, PQ_BUDGET, "more than %u values in one batch",
                       UINT32_MAX - 64);
    }
    PQ_TRY(pq_leaf_room(r, at + k, e));
    memcpy(r->space.rep + at, r->ahead_rep + r->ahead_at, k * sizeof *def);
    memcpy(r->space.def + at, def, k * sizeof *def);
    set = count_equal(def, k, max);
    if (r->form == PQ_LEAF_SPACED) {
        set_valid(r->space.valid, at, k, def, max, set == k);
    }
    r->ahead_at += k;
    *n_set += set;
    return r->form == PQ_LEAF_LEVELS ? pq_decoder_skip(r->decoder, set, e)
                                     : pq_leaf_gather(r, set, e);
}

PqRc pq_leaf_repeat_read(PqLeafReader *r, uint32_t *n_rows, uint32_t most,
                         uint32_t *n_slots, uint32_t *n_set, PqErr *e)
{
    int64_t rows = *n_rows;
    bool over = false;

    *n_slots = *n_set = 0;
    if (rows == 0) {
        return PQ_OK;
    }
    for (;;) {
        uint32_t k;

        PQ_TRY(look_ahead(r, *n_slots > 0 && rows == 0, &over, e));
        if (over) {
            break;
        }
        if (*n_slots == 0) {
            PQ_TRY(first_slot_begins_a_row(r, e));
        }
        k = slots_of_rows(r, &rows);
        PQ_TRY(append(r, *n_slots, k, n_set, e));
        *n_slots += k;
        if (r->ahead_at < r->ahead_n) {
            break;
        }
        if (*n_slots >= most) {
            *n_rows -= (uint32_t)rows;
            rows = 0;                /* to the end of this row */
        }
    }
    r->row += *n_rows;
    return PQ_OK;
}
