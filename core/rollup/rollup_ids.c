/*
** rollup_ids.c - see rollup_ids.h.
*/
#include "core/rollup/rollup_ids.h"

#include "core/simd/kernels.h"

#include <string.h>

enum {
    MOST_PLACES = 1 << 16, MEMORY_SHARE = 32,
    WORTH_SHARE = 32,                /* unknown rows, as a part of the places */
    BLOCK = 32,                      /* rows that are searched at once */
    UNKNOWN = UINT16_MAX,
    MOST_GROUPS = 1 << 15            /* no number has UNKNOWN's highest bit */
};

PqRc pq_rollup_ids_new(PqMem *mem, uint32_t n_keys, size_t memory,
                       PqRollupIds **out, PqErr *e)
{
    size_t most = memory / MEMORY_SHARE / sizeof *(*out)->groups;
    PqRollupIds *d = *out = pq_mem_zeros(mem, 1, sizeof *d, e);

    PQ_TRY(d ? PQ_OK : e->rc);
    d->mem = mem;
    d->n_keys = n_keys;
    d->most_places = most < MOST_PLACES ? (uint32_t)most : MOST_PLACES;
    return PQ_OK;
}

void pq_rollup_ids_free(PqRollupIds *d)
{
    if (d) {
        pq_mem_free(d->groups);
        pq_mem_free(d);
    }
}

size_t pq_rollup_ids_bytes(const PqRollupIds *d)
{
    return d ? sizeof *d + d->room * sizeof *d->groups : 0;
}

void pq_rollup_ids_forget(PqRollupIds *d)
{
    if (d) {
        pq_mem_free(d->groups);
        d->groups = NULL;
        d->room = 0;
        d->filled = false;
    }
}

/* Does the batch have the dictionaries of the batch before? */
static bool same_dictionaries(PqRollupIds *d, const PqRollupBatch *b)
{
    bool same = true;

    for (uint32_t k = 0; k < d->n_keys; k++) {
        const PqRollupKeyVector *v = &b->keys[k];

        same = same && v->entries_serial != 0 &&
               d->dictionaries[k].serial == v->entries_serial &&
               d->dictionaries[k].n == v->n_entries;
        d->dictionaries[k].serial = v->entries_serial;
        d->dictionaries[k].n = v->n_entries;
    }
    return same;
}

static uint32_t count_places(const PqRollupIds *d, const PqRollupBatch *b)
{
    uint64_t n = 1;

    for (uint32_t k = 0; k < d->n_keys && n <= d->most_places; k++) {
        n *= b->keys[k].n_entries;
    }
    return n <= d->most_places ? (uint32_t)n : 0;
}

static bool come_by_ids(const PqRollupIds *d, const PqRollupBatch *b)
{
    for (uint32_t k = 0; k < d->n_keys; k++) {
        if (!b->keys[k].ids || b->keys[k].valid || b->keys[k].constant) {
            return false;
        }
    }
    return true;
}

/* ---- places whose codes are known ------------------------------------------ */

typedef struct Places {
    const PqRollupRegister *registers;
    const PqRollupTuples   *tuples;
    uint32_t                strides[PQ_ROLLUP_KEYS];
} Places;

/* The code of an id.  It may have more bits than the codes of groups, as
** PQ_NO_NUMBER has. */
static inline uint32_t code_of(const PqRollupRegister *g, uint32_t id)
{
    return pq_rollup_register_first(g, ((const uint32_t *)g->entries.v)[id]);
}

/* Fills in the groups of places that differ in the id of the last key.  The
** processor cannot predict which are known, so there is no branch. */
static void fill_row(const Places *p, uint32_t of_tuple, uint16_t *groups)
{
    uint32_t k = p->tuples->n_keys - 1;
    const PqRollupRegister *g = &p->registers[k];
    unsigned bits = p->tuples->bits[k];
    const uint32_t *grid = p->tuples->grid + ((size_t)of_tuple << bits);

    for (uint32_t id = 0; id < g->entries.n; id++) {
        uint32_t code = code_of(g, id);
        bool known = code >> bits == 0;
        uint32_t number = grid[known ? code : 0] - 1;

        groups[id] = known && number < MOST_GROUPS ? (uint16_t)number : UNKNOWN;
    }
}

/* ... in the ids of key k and later.  of_tuple has the codes of the keys before
** k. */
static void fill_from(const Places *p, uint32_t k, uint32_t of_tuple,
                      uint16_t *groups)
{
    const PqRollupRegister *g = &p->registers[k];
    unsigned bits = p->tuples->bits[k];

    if (k + 1 == p->tuples->n_keys) {
        fill_row(p, of_tuple, groups);
        return;
    }
    for (uint32_t id = 0; id < g->entries.n; id++, groups += p->strides[k]) {
        uint32_t code = code_of(g, id);

        if (code >> bits == 0) {
            fill_from(p, k + 1, of_tuple << bits | code, groups);
        }
    }
}

static void fill(PqRollupIds *d, const PqRollupRegister *registers,
                 const PqRollupTuples *tuples)
{
    Places p = {.registers = registers, .tuples = tuples};
    uint32_t stride = 1;

    if (!tuples->grid) {
        return;
    }
    for (uint32_t k = d->n_keys; k-- > 0;) {
        if (!pq_memo_is_of(&registers[k].entries, d->dictionaries[k].serial,
                           d->dictionaries[k].n)) {
            return;
        }
        p.strides[k] = stride;
        stride *= registers[k].entries.n;
    }
    fill_from(&p, 0, 0, d->groups);
}

/* Counts a batch.  It is time at the first batch, and then whenever the number
** of batches has doubled, if enough rows were unknown meanwhile. */
static bool is_time_to_fill(PqRollupIds *d)
{
    uint32_t before = d->n_batches++;

    if ((before & d->n_batches) != 0 ||
        (before > 0 && d->n_unknown < d->n_places / WORTH_SHARE)) {
        return false;
    }
    d->n_unknown = 0;
    return true;
}

/* ---- batches ---------------------------------------------------------------- */

/* Dictionaries that only one batch has are not worth an array. */
PqRc pq_rollup_ids_enter(PqRollupIds *d, const PqRollupBatch *b,
                         uint32_t n_groups, const PqRollupRegister *registers,
                         const PqRollupTuples *tuples, bool *can, PqErr *e)
{
    *can = false;
    if (n_groups > MOST_GROUPS || !come_by_ids(d, b)) {
        return PQ_OK;
    }
    if (!same_dictionaries(d, b)) {
        d->n_places = count_places(d, b);
        d->filled = false;
        return PQ_OK;
    }
    if (d->n_places == 0) {
        return PQ_OK;
    }
    if (!d->filled) {
        if (d->n_places > d->room) {
            PQ_TRY(PQ_RESIZE(d->mem, d->groups, d->n_places, e));
            d->room = d->n_places;
        }
        memset(d->groups, 0xff, d->n_places * sizeof *d->groups);
        d->filled = true;
        d->n_batches = d->n_unknown = 0;
    }
    if (is_time_to_fill(d)) {
        fill(d, registers, tuples);
    }
    *can = true;
    return PQ_OK;
}

/* Rows that are not looked at have places too, which nobody uses. */
static void find_places(PqRollupIds *d, const PqRollupBatch *b)
{
    const uint32_t *before = b->keys[0].ids;

    for (uint32_t k = 1; k < d->n_keys; k++) {
        const PqRollupKeyVector *v = &b->keys[k];

        pq_kernels()->scale_add32(before, v->n_entries, v->ids, b->n_rows,
                                  d->places);
        before = d->places;
    }
}

/* Loads the numbers of the rows' groups; false: some are not known. */
static bool find_numbers(PqRollupIds *d, const PqRollupRows *w)
{
    const uint32_t *rows = w->rows, *places = d->places;
    const uint16_t *groups = d->groups;
    uint32_t *numbers = d->numbers, all = 0;

    if (rows) {
        for (uint32_t i = 0; i < w->n; i++) {
            numbers[i] = groups[places[rows[i]]];
            all |= numbers[i];
        }
    } else {
        for (uint32_t i = 0; i < w->n; i++) {
            numbers[i] = groups[places[i]];
            all |= numbers[i];
        }
    }
    return all < MOST_GROUPS;
}

static bool all_known(const uint32_t *numbers, uint32_t n)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < n; i++) {
        all |= numbers[i];
    }
    return all < MOST_GROUPS;
}

/* Unknown rows are few, except in a batch or two. */
static uint32_t list_unknown(const uint32_t *numbers, uint32_t n_rows,
                             uint32_t *at)
{
    uint32_t n = 0;

    for (uint32_t first = 0; first < n_rows; first += BLOCK) {
        uint32_t end = n_rows - first < BLOCK ? n_rows : first + BLOCK;

        if (all_known(numbers + first, end - first)) {
            continue;
        }
        for (uint32_t i = first; i < end; i++) {
            at[n] = i;
            n += numbers[i] == UNKNOWN;
        }
    }
    return n;
}

uint32_t pq_rollup_ids_find(PqRollupIds *d, const PqRollupBatch *b,
                            const PqRollupRows *w, uint32_t *at)
{
    uint32_t n = 0;

    find_places(d, b);
    if (!find_numbers(d, w)) {
        n = list_unknown(d->numbers, w->n, at);
        d->n_unknown += n;
    }
    return n;
}

void pq_rollup_ids_learn(PqRollupIds *d, const PqRollupRows *w,
                         const uint32_t *at, const uint32_t *numbers,
                         uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        d->numbers[at[i]] = numbers[i];
        if (numbers[i] < MOST_GROUPS) {
            d->groups[d->places[pq_rollup_row(w, at[i])]] =
                (uint16_t)numbers[i];
        }
    }
}
