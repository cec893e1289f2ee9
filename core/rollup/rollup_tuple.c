/*
** rollup_tuple.c - numbers tuples, by an array, as words, or by their hashes.
*/
#include "core/rollup/rollup_tuple.h"

#include "core/numbering/hash.h"

#include <string.h>

enum { MOST_BITS = 16, CODE_BITS = 32, WORD_BITS = 64, POLL = 1 << 17,
       FEW_OTHERS = 16 };            /* groups for each that is not in first */

void pq_rollup_tuples_init(PqRollupTuples *t, PqMem *mem, uint32_t n_keys,
                           uint64_t seed, const PqStop *stop)
{
    *t = (PqRollupTuples){.mem = mem, .stop = stop, .n_keys = n_keys,
                          .seed = seed};
    pq_word_numbers_init(&t->words, mem, seed, stop);
    pq_number_table_init(&t->table, mem, stop);
}

void pq_rollup_tuples_free(PqRollupTuples *t)
{
    if (!t->mem) {
        return;
    }
    pq_mem_free(t->grid);
    pq_mem_free(t->first);
    pq_mem_free(t->codes);
    pq_mem_free(t->shown);
    pq_word_numbers_free(&t->words);
    pq_number_table_free(&t->table);
    pq_rollup_tuples_init(t, t->mem, t->n_keys, t->seed, t->stop);
}

size_t pq_rollup_tuples_bytes(const PqRollupTuples *t)
{
    return (t->grid ? sizeof *t->grid << t->total : 0) +
           (t->first ? t->n_first * sizeof *t->first : 0) +
           (size_t)t->room * t->n_keys * sizeof *t->codes *
               (t->shown ? 2 : 1) +
           pq_word_numbers_bytes(&t->words) + pq_number_table_bytes(&t->table);
}

PqRc pq_rollup_tuples_need(PqRollupTuples *t, uint32_t n, PqErr *e)
{
    uint32_t room = t->room ? t->room : 64;

    if (t->n + n <= t->room) {
        return PQ_OK;
    }
    while (room < t->n + n) {
        room *= 2;
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

/* The bits of codes below `most`. */
static unsigned bits_of(uint32_t most)
{
    return most > 1 ? CODE_BITS - (unsigned)__builtin_clz(most - 1) : 0;
}

/* Gives each key enough bits for its codes.  *moved: the places have
** changed. */
static void widen(PqRollupTuples *t, const PqRollupCodes *keys, bool *moved)
{
    *moved = !t->grid;
    t->total = 0;
    for (uint32_t k = 0; k < t->n_keys; k++) {
        if (keys[k].most > (uint64_t)1 << t->bits[k]) {
            t->bits[k] = bits_of(keys[k].most);
            *moved = true;
        }
        t->total += t->bits[k];
    }
}

static PqRc make_grid(PqRollupTuples *t, PqErr *e)
{
    pq_mem_free(t->grid);
    t->grid = pq_mem_zeros(t->mem, (size_t)1 << t->total, sizeof *t->grid, e);
    PQ_TRY(t->grid ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < t->n; i++) {
        t->grid[place_of(t, t->codes + (size_t)i * t->n_keys)] = i + 1;
    }
    return PQ_OK;
}

static PqRc add_to_grid(PqRollupTuples *t, const PqRollupCodes *keys, uint32_t i,
                        uint32_t place, PqErr *e)
{
    PQ_TRY(pq_rollup_tuples_need(t, 1, e));
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

/* ---- words --------------------------------------------------------------- */

/* Gives each key enough bits of a word for its codes, and shares out those that are left,
** so that this is seldom asked for.  False: a word has too few. */
static bool share_bits(PqRollupTuples *t, const PqRollupCodes *keys)
{
    unsigned total = 0, more;

    for (uint32_t k = 0; k < t->n_keys; k++) {
        t->bits[k] = bits_of(keys[k].most);
        total += t->bits[k];
    }
    if (total > WORD_BITS) {
        return false;
    }
    more = (WORD_BITS - total) / t->n_keys;
    for (uint32_t k = 0; k < t->n_keys; k++) {
        t->bits[k] = t->bits[k] + more < CODE_BITS ? t->bits[k] + more : CODE_BITS;
    }
    return true;
}

static bool words_have_room(const PqRollupTuples *t, const PqRollupCodes *keys)
{
    for (uint32_t k = 0; k < t->n_keys; k++) {
        if (keys[k].most > (uint64_t)1 << t->bits[k]) {
            return false;
        }
    }
    return true;
}

static void make_words(const PqRollupTuples *t, const PqRollupCodes *keys, uint32_t n,
                       uint64_t *words)
{
    for (uint32_t i = 0; i < n; i++) {
        words[i] = keys[0].codes[i];
    }
    for (uint32_t k = 1; k < t->n_keys; k++) {
        const uint32_t *codes = keys[k].codes;
        unsigned bits = t->bits[k];

        for (uint32_t i = 0; i < n; i++) {
            words[i] = words[i] << bits | codes[i];
        }
    }
}

/* Adds those of the n words that have no number yet. */
static PqRc add_words(PqRollupTuples *t, const PqRollupCodes *keys, uint64_t *words,
                      uint32_t n, uint32_t *numbers, PqErr *e)
{
    uint32_t at[PQ_ROLLUP_ROWS], found[PQ_ROLLUP_ROWS], fresh[PQ_ROLLUP_ROWS];
    uint32_t some = 0, n_fresh;

    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] == PQ_NO_NUMBER) {
            words[some] = words[i];
            at[some++] = i;
        }
    }
    PQ_TRY(pq_rollup_tuples_need(t, some, e));
    PQ_TRY(pq_word_numbers_need(&t->words, some, e));
    n_fresh = pq_word_numbers_enter(&t->words, words, some, t->n, found, fresh);
    for (uint32_t i = 0; i < n_fresh; i++) {
        put_tuple(t, keys, at[fresh[i]], t->n++);
    }
    for (uint32_t i = 0; i < some; i++) {
        numbers[at[i]] = found[i];
    }
    return PQ_OK;
}

/* ---- the first group of each code of a key -------------------------------- */

static void forget_first(PqRollupTuples *t)
{
    pq_mem_free(t->first);
    t->first = NULL;
    t->n_first = 0;
}

static PqRc need_first(PqRollupTuples *t, uint32_t n, PqErr *e)
{
    uint64_t room = t->n_first ? t->n_first : PQ_ROLLUP_ROWS;
    uint32_t was = t->n_first;

    if (n <= was) {
        return PQ_OK;
    }
    while (room < n) {
        room *= 2;
    }
    room = room < UINT32_MAX ? room : UINT32_MAX;
    PQ_TRY(PQ_RESIZE(t->mem, t->first, (size_t)room, e));
    PQ_TRY(pq_stop_fill(t->stop, t->first + was, 0, (size_t)(room - was) * sizeof *t->first,
                        e));
    t->n_first = (uint32_t)room;
    return PQ_OK;
}

/* Do these have the same codes? */
static bool is_tuple(const PqRollupTuples *t, const PqRollupCodes *keys, uint32_t i,
                     uint32_t number)
{
    const uint32_t *tuple = t->codes + (size_t)number * t->n_keys;

    for (uint32_t k = 0; k < t->n_keys; k++) {
        if (tuple[k] != keys[k].codes[i]) {
            return false;
        }
    }
    return true;
}

/* Groups get their numbers in the order of the rows.  *n_new: how many codes of the lead
** are new.  Nothing is fetched ahead, so other rows take longer than by words. */
static PqRc find_by_lead(PqRollupTuples *t, const PqRollupCodes *keys, uint32_t n,
                         uint32_t *numbers, uint32_t *n_new, PqErr *e)
{
    const uint32_t *codes = keys[t->lead].codes;
    uint64_t words[PQ_ROLLUP_ROWS];
    uint32_t fresh;

    *n_new = 0;
    PQ_TRY(pq_rollup_tuples_need(t, n, e));
    PQ_TRY(pq_word_numbers_need(&t->words, n, e));
    PQ_TRY(need_first(t, keys[t->lead].most, e));
    make_words(t, keys, n, words);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *first = &t->first[codes[i]];

        if (*first == 0) {
            numbers[i] = t->n;
            put_tuple(t, keys, i, t->n);
            *first = ++t->n;
            ++*n_new;
        } else if (is_tuple(t, keys, i, *first - 1)) {
            numbers[i] = *first - 1;
        } else if (pq_word_numbers_enter(&t->words, &words[i], 1, t->n, &numbers[i],
                                         &fresh)) {
            put_tuple(t, keys, i, t->n++);
        }
    }
    return PQ_OK;
}

/* Makes words of all groups so far that are not in first.  They keep their numbers. */
static PqRc begin_words(PqRollupTuples *t, PqErr *e)
{
    uint32_t codes[PQ_ROLLUP_KEYS];
    PqRollupCodes keys[PQ_ROLLUP_KEYS];
    uint64_t word;

    PQ_TRY(pq_word_numbers_need(&t->words, t->first ? 0 : t->n, e));
    for (uint32_t k = 0; k < t->n_keys; k++) {
        keys[k].codes = &codes[k];
    }
    for (uint32_t i = 0; i < t->n; i++) {
        PQ_TRY(i % POLL ? PQ_OK : pq_stop_poll(t->stop, e));
        memcpy(codes, t->codes + (size_t)i * t->n_keys, t->n_keys * sizeof *codes);
        if (!t->first || t->first[codes[t->lead]] != i + 1) {
            make_words(t, keys, 1, &word);
            PQ_TRY(pq_word_numbers_add(&t->words, word, i, e));
        }
    }
    return PQ_OK;
}

/* The lead is the key with the most codes.  Does it tell nearly all groups apart? */
static PqRc begin_first(PqRollupTuples *t, const PqRollupCodes *keys, PqErr *e)
{
    uint32_t others = 0;

    t->lead = 0;
    for (uint32_t k = 1; k < t->n_keys; k++) {
        t->lead = keys[k].most > keys[t->lead].most ? k : t->lead;
    }
    PQ_TRY(need_first(t, keys[t->lead].most, e));
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t *first = &t->first[t->codes[(size_t)i * t->n_keys + t->lead]];

        PQ_TRY(i % POLL ? PQ_OK : pq_stop_poll(t->stop, e));
        others += *first != 0;
        *first = *first ? *first : i + 1;
    }
    if (others > t->n / FEW_OTHERS) {
        forget_first(t);
    }
    return PQ_OK;
}

static PqRc find_by_words(PqRollupTuples *t, const PqRollupCodes *keys, uint32_t n,
                          uint32_t *numbers, PqErr *e)
{
    uint64_t words[PQ_ROLLUP_ROWS];
    uint32_t before = t->n;

    make_words(t, keys, n, words);
    if (t->fresh) {                  /* they are looked up when they are added */
        memset(numbers, 0xff, n * sizeof *numbers);
    } else if (pq_word_numbers_find(&t->words, words, n, numbers) == 0) {
        return PQ_OK;
    }
    PQ_TRY(add_words(t, keys, words, n, numbers, e));
    t->fresh = t->n - before > n / 2;
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

    return is_tuple(a->t, a->keys, i, number);
}

/* The table may be behind the tuples (begin_hashes). */
static PqRc keep_tuple(void *arg, uint32_t i, uint32_t next, uint32_t *number,
                       PqErr *e)
{
    const Adder *a = arg;
    PqRollupTuples *t = a->t;

    *number = next;
    if (next == t->n) {
        PQ_TRY(pq_rollup_tuples_need(t, 1, e));
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
    PqNumberKeys tuples = {same_tuple, keep_tuple, &a, NULL};

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

/* The groups so far are added in their order, so they keep their numbers. */
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
    return PQ_OK;
}

/* Chooses the way for codes that have outgrown the bits of the one before, or without a
** lead whose codes are not new often enough.  If it cannot be begun, there is a grid again
** that has to be made. */
static PqRc change_way(PqRollupTuples *t, const PqRollupCodes *keys, bool lead, PqErr *e)
{
    bool words = share_bits(t, keys);

    pq_mem_free(t->grid);
    t->grid = NULL;
    t->way = PQ_TUPLES_IN_GRID;
    pq_word_numbers_free(&t->words);
    forget_first(t);
    PQ_TRY(words && lead ? begin_first(t, keys, e) : PQ_OK);
    PQ_TRY(words ? begin_words(t, e) : begin_hashes(t, e));
    t->way = words ? PQ_TUPLES_BY_WORDS : PQ_TUPLES_BY_HASHES;
    return PQ_OK;
}

PqRc pq_rollup_tuples_find(PqRollupTuples *t, const PqRollupCodes *keys,
                           uint32_t n, uint32_t *numbers, PqErr *e)
{
    uint32_t n_new;
    bool moved;

    PQ_TRY(need_shown(t, keys, e));
    if (t->way == PQ_TUPLES_IN_GRID) {
        widen(t, keys, &moved);
        if (t->total <= MOST_BITS) {
            PQ_TRY(moved ? make_grid(t, e) : PQ_OK);
            return find_in_grid(t, keys, n, numbers, e);
        }
        PQ_TRY(change_way(t, keys, true, e));
    }
    if (t->way == PQ_TUPLES_BY_WORDS && !words_have_room(t, keys)) {
        PQ_TRY(change_way(t, keys, true, e));
    }
    if (t->way == PQ_TUPLES_BY_HASHES) {
        return find_by_hashes(t, keys, n, numbers, e);
    }
    if (!t->first) {
        return find_by_words(t, keys, n, numbers, e);
    }
    PQ_TRY(find_by_lead(t, keys, n, numbers, &n_new, e));
    return n_new < n / 4 * 3 ? change_way(t, keys, false, e) : PQ_OK;
}
