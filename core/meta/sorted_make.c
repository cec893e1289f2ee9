/*
** sorted_make.c - finds out whether the rows of a column are sorted.
**
** Neighbouring ranks of numbers are compared a run at a time.  Inside a run
** there are no branches, for speed.  Between runs, a column that is not sorted
** is given up.
*/
#include "core/meta/sorted_make.h"

enum {
    RUN = 256,
    KEPT_BYTES = 1 << 16             /* longer values end the search */
};

void pq_sorted_make_init(PqSortedMake *s, const PqType *type, PqMem *mem)
{
    *s = (PqSortedMake){.type = type, .kind = pq_rank_kind(type)};
    pq_buf_init(&s->last_bytes, mem, NULL);
    pq_sorted_make_reset(s);
}

void pq_sorted_make_free(PqSortedMake *s)
{
    pq_buf_free(&s->last_bytes);
}

void pq_sorted_make_reset(PqSortedMake *s)
{
    s->ascending = s->descending = s->kind != PQ_RANK_NONE;
    s->nulls_first = s->nulls_last = true;
    s->has_value = s->has_null = false;
}

/* ---- nulls ---- */

/* How many of n bits are set; how many are clear before the first set one and
** after the last; both are n if none is set. */
typedef struct Bits { uint32_t n_set, n_before, n_behind; } Bits;

static Bits look_at(const uint64_t *valid, uint32_t n)
{
    Bits b = {0, n, n};

    for (uint32_t i = 0; i < n; i += 64) {
        uint32_t some = n - i < 64 ? n - i : 64;
        // cppcheck-suppress shiftTooManyBits
        uint64_t word = valid[i / 64] & UINT64_MAX >> (64 - some);
        if (!word) {
            continue;
        }
        if (b.n_before == n) {
            b.n_before = i + (uint32_t)__builtin_ctzll(word);
        }
        b.n_behind = n - 1 - (i + 63 - (uint32_t)__builtin_clzll(word));
        b.n_set += (uint32_t)__builtin_popcountll(word);
    }
    return b;
}

static void look_at_nulls(PqSortedMake *s, const Bits *b, uint32_t n_rows)
{
    uint32_t n_nulls = n_rows - b->n_set;

    if (n_nulls > 0 && (s->has_value || b->n_before != n_nulls)) {
        s->nulls_first = false;
    }
    if (b->n_set > 0 && (s->has_null || b->n_behind != n_nulls)) {
        s->nulls_last = false;
    }
    s->has_null = s->has_null || n_nulls > 0;
}

/* ---- values ---- */

static void refute_all(PqSortedMake *s)
{
    s->ascending = s->descending = false;
}

/* *rises, *falls: whether any rank is greater or less than the one before. */
static void compare_ranks(const int64_t *ranks, uint32_t n, int64_t last,
                          bool *rises, bool *falls)
{
    unsigned up = 0, down = 0;

    for (uint32_t i = 0; i < n; i++) {
        up |= ranks[i] > last;
        down |= ranks[i] < last;
        last = ranks[i];
    }
    *rises = up != 0;
    *falls = down != 0;
}

static void add_numbers(PqSortedMake *s, const void *values, uint32_t n)
{
    int64_t infinity = pq_rank_infinity(s->kind), ranks[RUN];

    for (uint32_t at = 0; at < n && (s->ascending || s->descending); at += RUN) {
        uint32_t some = n - at < RUN ? n - at : RUN;
        bool rises, falls;
        for (uint32_t i = 0; i < some; i++) {
            ranks[i] = pq_rank_at(s->kind, values, at + i);
        }
        compare_ranks(ranks, some, s->has_value ? s->last : ranks[0], &rises,
                      &falls);
        s->ascending = s->ascending && !falls;
        s->descending = s->descending && !rises;
        s->has_value = true;
        s->last = ranks[some - 1];   // cppcheck-suppress negativeIndex
        /* If ranks are sorted, a NaN is the first or the last of them. */
        if (pq_rank_is_nan(ranks[0], infinity) ||
            pq_rank_is_nan(s->last, infinity)) {
            refute_all(s);
        }
    }
}

static PqRc add_bytes(PqSortedMake *s, const PqStr *v, uint32_t n, PqErr *e)
{
    PqStr last = {s->last_bytes.p, (uint32_t)s->last_bytes.n};

    last = s->has_value ? last : v[0];
    for (uint32_t i = 0; i < n && (s->ascending || s->descending); i++) {
        int c = pq_rank_compare_bytes(s->kind, s->type, last, v[i]);
        s->ascending = s->ascending && c <= 0;
        s->descending = s->descending && c >= 0;
        last = v[i];
    }
    s->has_value = true;
    if (last.n > KEPT_BYTES) {
        refute_all(s);
    }
    if (!s->ascending && !s->descending) {
        return PQ_OK;
    }
    return pq_buf_set(&s->last_bytes, pq_slice(last.p, last.n), e);
}

PqRc pq_sorted_make_add(PqSortedMake *s, const void *values,
                        const uint64_t *valid, uint32_t n_rows, PqErr *e)
{
    Bits bits = {n_rows, 0, 0};

    if (n_rows == 0 || pq_sorted_make_is_over(s)) {
        return PQ_OK;
    }
    if (valid) {
        bits = look_at(valid, n_rows);
    }
    look_at_nulls(s, &bits, n_rows);
    if (bits.n_set == 0 || pq_sorted_make_is_over(s)) {
        return PQ_OK;
    }
    if (pq_rank_is_bytes(s->kind)) {
        return add_bytes(s, values, bits.n_set, e);
    }
    add_numbers(s, values, bits.n_set);
    return PQ_OK;
}

bool pq_sorted_made(const PqSortedMake *s, bool *descending,
                    bool *nulls_first)
{
    *descending = !s->ascending;
    *nulls_first = *descending ? !s->nulls_last : s->nulls_first;
    return !pq_sorted_make_is_over(s);
}
