/*
** rollup_tuple.c - numbers tuples, by an array or by their hashes.
*/
#include "core/rollup/rollup_tuple.h"

#include "core/numbering/hash.h"

#include <string.h>

enum { MOST_BITS = 16 };

void pq_rollup_tuples_init(PqRollupTuples *t, PqMem *mem, uint32_t n_keys,
                           uint64_t seed, const PqStop *stop)
{
    *t = (PqRollupTuples){.mem = mem, .stop = stop, .n_keys = n_keys,
                          .seed = seed};
    pq_number_table_init(&t->table, mem, stop);
}

void pq_rollup_tuples_free(PqRollupTuples *t)
{
    if (!t->mem) {
        return;
    }
    pq_mem_free(t->grid);
    pq_mem_free(t->codes);
    pq_mem_free(t->shown);
    pq_number_table_free(&t->table);
    pq_rollup_tuples_init(t, t->mem, t->n_keys, t->seed, t->stop);
}

size_t pq_rollup_tuples_bytes(const PqRollupTuples *t)
{
    return (t->grid ? sizeof *t->grid << t->total : 0) +
           (size_t)t->room * t->n_keys * sizeof *t->codes *
               (t->shown ? 2 : 1) +
           pq_number_table_bytes(&t->table);
}

/* Makes room for the codes of one more group. */
static PqRc need_tuple(PqRollupTuples *t, PqErr *e)
{
    uint32_t room = t->room ? t->room * 2 : 64;

    if (t->n < t->room) {
        return PQ_OK;
    }
    PQ_TRY(PQ_RESIZE(t->mem, t->codes, (size_t)room * t->n_keys, e));
    if (t->shown) {
        PQ_TRY(PQ_RESIZE(t->mem, t->shown, (size_t)room * t->n_keys, e));
    }
    t->room = room;
    return PQ_OK;
}

/* From now on a group may show other codes than its first codes. */
static PqRc need_shown(PqRollupTuples *t, const PqRollupCodes *keys, PqErr *e)
{
    bool any = false;

    for (uint32_t k = 0; k < t->n_keys; k++) {
        any |= keys[k].shown != NULL;
    }
    if (!any || t->shown) {
        return PQ_OK;
    }
    t->shown = pq_mem_array(t->mem, (size_t)t->room * t->n_keys + 1,
                            sizeof *t->shown, e);
    PQ_TRY(t->shown ? PQ_OK : e->rc);
    if (t->n > 0) {
        memcpy(t->shown, t->codes,
               (size_t)t->n * t->n_keys * sizeof *t->shown);
    }
    return PQ_OK;
}

/* Stores the codes of row i as the codes of group `number`. */
static void put_tuple(PqRollupTuples *t, const PqRollupCodes *keys, uint32_t i,
                      uint32_t number)
{
    size_t at = (size_t)number * t->n_keys;

    for (uint32_t k = 0; k < t->n_keys; k++) {
        t->codes[at + k] = keys[k].codes[i];
        if (t->shown) {
            t->shown[at + k] = keys[k].shown ? keys[k].shown[i]
                                             : keys[k].codes[i];
        }
    }
}

/* ---- the grid ------------------------------------------------------------ */

static uint32_t place_of(const PqRollupTuples *t, const uint32_t *tuple)
{
    uint32_t place = 0;

    for (uint32_t k = 0; k < t->n_keys; k++) {
        place = place << t->bits[k] | tuple[k];
    }
    return place;
}

/* Gives each key enough bits for its codes.  *moved: the places have
** changed. */
static void widen(PqRollupTuples *t, const PqRollupCodes *keys, bool *moved)
{
    *moved = !t->grid;
    t->total = 0;
    for (uint32_t k = 0; k < t->n_keys; k++) {
        if (keys[k].most > 1u << t->bits[k]) {
            while (t->bits[k] < 32 && keys[k].most > (uint64_t)1 << t->bits[k]) {
                t->bits[k]++;
            }
            *moved = true;
        }
        t->total += t->bits[k];
    }
}

static PqRc make_grid(PqRollupTuples *t, PqErr *e)
{
    uint32_t *grid = pq_mem_zeros(t->mem, (size_t)1 << t->total, sizeof *grid,
                                  e);

    PQ_TRY(grid ? PQ_OK : e->rc);
    pq_mem_free(t->grid);
    t->grid = grid;
    for (uint32_t i = 0; i < t->n; i++) {
        grid[place_of(t, t->codes + (size_t)i * t->n_keys)] = i + 1;
    }
    return PQ_OK;
}

static PqRc add_to_grid(PqRollupTuples *t, const PqRollupCodes *keys, uint32_t i,
                        uint32_t place, PqErr *e)
{
    PQ_TRY(need_tuple(t, e));
    put_tuple(t, keys, i, t->n);
    t->grid[place] = ++t->n;
    return PQ_OK;
}

static PqRc find_in_grid(PqRollupTuples *t, const PqRollupCodes *keys,
                         uint32_t n, uint32_t *numbers, PqErr *e)
{
    uint32_t places[PQ_ROLLUP_ROWS], missing = 0, last = t->n_keys - 1;
    const uint32_t *before = keys[0].codes, *codes = keys[last].codes;
    const uint32_t *grid = t->grid;
    unsigned bits = t->bits[last];

    for (uint32_t k = 1; k < last; k++) {
        const uint32_t *more = keys[k].codes;

        for (uint32_t i = 0; i < n; i++) {
            places[i] = before[i] << t->bits[k] | more[i];
        }
        before = places;
    }
    for (uint32_t i = 0; i < n; i++) {
        places[i] = before[i] << bits | codes[i];
        numbers[i] = grid[places[i]] - 1;
        missing |= numbers[i] == UINT32_MAX;
    }
    for (uint32_t i = 0; missing && i < n; i++) {
        if (t->grid[places[i]] == 0) {
            PQ_TRY(add_to_grid(t, keys, i, places[i], e));
        }
        numbers[i] = t->grid[places[i]] - 1;
    }
    return PQ_OK;
}

/* ---- hashes -------------------------------------------------------------- */

typedef struct Adder {
    PqRollupTuples      *t;
    const PqRollupCodes *keys;
} Adder;

static bool same_tuple(void *arg, uint32_t number, uint32_t i)
{
    const Adder *a = arg;
    const uint32_t *tuple = a->t->codes + (size_t)number * a->t->n_keys;

    for (uint32_t k = 0; k < a->t->n_keys; k++) {
        if (tuple[k] != a->keys[k].codes[i]) {
            return false;
        }
    }
    return true;
}

/* The table may be behind the tuples (begin_hashes). */
static PqRc keep_tuple(void *arg, uint32_t i, uint32_t next, uint32_t *number,
                       PqErr *e)
{
    const Adder *a = arg;
    PqRollupTuples *t = a->t;

    *number = next;
    if (next == t->n) {
        PQ_TRY(need_tuple(t, e));
        put_tuple(t, a->keys, i, next);
        t->n++;
    }
    return PQ_OK;
}

static PqRc find_by_hashes(PqRollupTuples *t, const PqRollupCodes *keys,
                           uint32_t n, uint32_t *numbers, PqErr *e)
{
    uint64_t hashes[PQ_ROLLUP_ROWS];
    Adder a = {t, keys};
    PqNumberKeys tuples = {same_tuple, keep_tuple, &a};

    for (uint32_t i = 0; i < n; i++) {
        hashes[i] = t->seed;
    }
    for (uint32_t k = 0; k < t->n_keys; k++) {
        const uint32_t *codes = keys[k].codes;

        for (uint32_t i = 0; i < n; i++) {
            hashes[i] = pq_hash_mix(hashes[i], codes[i]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        hashes[i] &= pq_hash_bits;
    }
    return pq_number_table_find(&t->table, hashes, n, &tuples, numbers, e);
}

/* Switches to hashes.  The groups so far are added in their order, so they keep
** their numbers. */
static PqRc begin_hashes(PqRollupTuples *t, PqErr *e)
{
    PqRollupCodes keys[PQ_ROLLUP_KEYS];
    uint32_t number;

    for (uint32_t i = t->table.n; i < t->n; i++) {
        for (uint32_t k = 0; k < t->n_keys; k++) {
            keys[k].codes = t->codes + (size_t)i * t->n_keys + k;
        }
        PQ_TRY(find_by_hashes(t, keys, 1, &number, e));
    }
    pq_mem_free(t->grid);
    t->grid = NULL;
    t->hashed = true;
    return PQ_OK;
}

PqRc pq_rollup_tuples_find(PqRollupTuples *t, const PqRollupCodes *keys,
                           uint32_t n, uint32_t *numbers, PqErr *e)
{
    bool moved;

    PQ_TRY(need_shown(t, keys, e));
    if (!t->hashed) {
        widen(t, keys, &moved);
        if (t->total <= MOST_BITS) {
            PQ_TRY(moved ? make_grid(t, e) : PQ_OK);
            return find_in_grid(t, keys, n, numbers, e);
        }
        PQ_TRY(begin_hashes(t, e));
    }
    return find_by_hashes(t, keys, n, numbers, e);
}
