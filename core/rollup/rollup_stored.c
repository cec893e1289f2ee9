/*
** rollup_stored.c - from stored values to the codes of their cells.
**
** The values of the rows that are not null are gathered as words of 64 bits, or as
** texts, looked up together, and their codes put where the rows are.
*/
#include "core/rollup/rollup_register.h"

enum {
    FIRST_SPAN = 1 << 10, MOST_SPAN = 1 << 27,
    WORTH = 8,                       /* places of a window for each value   */
    LEAST_GROWTH = 8,                /* a window grows by this part of it   */
    MOST_TEXTS = 1 << 20,            /* bytes kept of stored texts          */
    POLL_PLACES = 1 << 18
};

/* Codes that are there are less than this bit. */
static const uint32_t unknown_bit = (uint32_t)1 << 31;

typedef struct Look {
    PqRollupRegister        *g;
    const PqRollupSpec      *spec;
    uint32_t                 key;
    const PqRollupKeyVector *v;
    const PqRollupRows      *w;
    uint32_t                 n;      /* rows that are not null              */
    const uint32_t          *at;     /* ... where in w; NULL: all           */
} Look;

static uint32_t row_of(const Look *l, uint32_t i)
{
    return pq_rollup_row(l->w, l->at ? l->at[i] : i);
}

/* Asks the host for the cell of a row. */
static PqRc ask(const Look *l, uint32_t row, uint32_t *code, PqErr *e)
{
    PqCell cell = {.kind = PQ_CELL_NULL};

    PQ_TRY(l->spec->cell(l->spec->arg, l->key, row, &cell, e));
    return pq_rollup_register_cell(l->g, &cell, code, e);
}

static PqRc null_code(PqRollupRegister *g, uint32_t *code, PqErr *e)
{
    PqCell null = {.kind = PQ_CELL_NULL};

    return pq_rollup_register_cell(g, &null, code, e);
}

/* The code of a row's value, which is not null: by the way of cells. */
static PqRc code_of_row(const Look *l, uint32_t row, uint32_t *code, PqErr *e)
{
    const PqRollupKeyVector *v = l->v;
    uint32_t at = v->ids ? v->ids[row] : row;
    PqCell c;

    if (!v->as_is || v->form == PQ_GROUP_CELLS) {
        return ask(l, row, code, e);
    }
    if (v->form == PQ_GROUP_INTS) {
        c = pq_cell_int(v->width == 4 ? ((const int32_t *)v->values)[at]
                                      : ((const int64_t *)v->values)[at]);
    } else if (v->form == PQ_GROUP_REALS) {
        c = pq_cell_real(v->width == 4
                             ? (double)((const float *)v->values)[at]
                             : ((const double *)v->values)[at]);
    } else {
        const PqStr *s = (const PqStr *)v->values + at;

        c = pq_cell_text(pq_slice(s->p, s->n));
    }
    return pq_rollup_register_cell(l->g, &c, code, e);
}

/* ---- the window ---------------------------------------------------------- */

static uint32_t *new_window(PqRollupRegister *g, uint64_t span, PqErr *e)
{
    return pq_mem_filled(g->mem, span, sizeof(uint32_t), 0xff, g->stop, e);
}

/* Now and then while places are passed. */
static PqRc poll_at(const PqRollupRegister *g, uint64_t place, PqErr *e)
{
    return place % POLL_PLACES == 0 ? pq_stop_poll(g->stop, e) : PQ_OK;
}

/* The longest window that is worth its memory. */
static uint64_t most_span(const PqRollupRegister *g)
{
    uint64_t most = (uint64_t)WORTH * g->n;

    most = most > g->floor_span ? most : g->floor_span;
    return most < MOST_SPAN ? most : MOST_SPAN;
}

static bool is_worth(const PqRollupRegister *g, uint64_t span)
{
    return span > 0 && span <= most_span(g);
}

static PqRc fill_window(const PqRollupRegister *g, const PqRollupMap *map,
                        uint32_t *window, int64_t from, uint64_t span, PqErr *e)
{
    for (uint32_t i = 0; i < map->n_places; i++) {
        uint64_t place = map->places[i].word - (uint64_t)from;

        PQ_TRY(poll_at(g, i, e));
        if (map->places[i].code && place < span) {
            window[place] = map->places[i].code - 1;
        }
    }
    return PQ_OK;
}

/* Moves what is known of stored integers from the map to a new window. */
static PqRc open_window(PqRollupRegister *g, int64_t from, uint64_t span,
                        PqErr *e)
{
    PqRollupMap *map = g->as_is ? &g->ints : &g->stored;
    uint32_t *window;

    PQ_TRY(g->as_is ? pq_rollup_register_sync(g, e) : PQ_OK);
    window = new_window(g, span, e);
    if (!window || fill_window(g, map, window, from, span, e) != PQ_OK) {
        pq_mem_free(window);
        return e->rc;
    }
    g->window = window;
    g->base = from;
    g->span = span;
    pq_rollup_map_free(map);
    g->n_ints = g->as_is ? 0 : g->n_ints;
    return PQ_OK;
}

static PqRc close_window(PqRollupRegister *g, PqErr *e)
{
    for (uint64_t i = 0; i < g->span && !g->as_is; i++) {
        PQ_TRY(poll_at(g, i, e));
        if (g->window[i] != PQ_ROLLUP_NO_CODE) {
            PQ_TRY(pq_rollup_map_add(&g->stored, (uint64_t)g->base + i,
                                     g->window[i], e));
        }
    }
    pq_mem_free(g->window);
    g->window = NULL;
    g->span = 0;
    return g->as_is ? pq_rollup_register_sync(g, e) : PQ_OK;
}

/* Widens the window so that the value lies in it, or closes the window if that
** would take too much memory.  A window is copied as a whole, so it grows by a good
** part of itself each time. */
static PqRc widen(PqRollupRegister *g, int64_t value, PqErr *e)
{
    uint64_t offset = (uint64_t)value - (uint64_t)g->base, span = g->span;
    bool below = value < g->base;
    uint64_t need = below ? (uint64_t)g->base - (uint64_t)value + g->span
                          : offset + 1;
    uint64_t left = (uint64_t)g->base - (uint64_t)INT64_MIN, shift;
    uint32_t *window;

    if (!is_worth(g, need)) {
        return close_window(g, e);
    }
    while (span < need) {
        span *= 2;
    }
    span = is_worth(g, span) ? span : most_span(g);
    if (span - g->span < g->span / LEAST_GROWTH) {
        return close_window(g, e);
    }
    if (below && left < span - g->span) {
        span = g->span + left;       /* to the least integer */
    }
    window = new_window(g, span, e);
    if (!window) {
        return e->rc;
    }
    shift = below ? span - g->span : 0;
    for (uint64_t i = 0; i < g->span; i += POLL_PLACES) {
        uint64_t n = g->span - i < POLL_PLACES ? g->span - i : POLL_PLACES;

        memcpy(window + shift + i, g->window + i, n * sizeof *window);
        if (poll_at(g, i, e) != PQ_OK) {
            pq_mem_free(window);
            return e->rc;
        }
    }
    pq_mem_free(g->window);
    g->window = window;
    g->base = (int64_t)((uint64_t)g->base - shift);
    g->span = span;
    return g->as_is                  /* cells that came otherwise */
               ? pq_rollup_register_show(g, e) : PQ_OK;
}

static void note_range(PqRollupRegister *g, int64_t value)
{
    g->least = g->ranged && g->least < value ? g->least : value;
    g->most = g->ranged && g->most > value ? g->most : value;
    g->ranged = true;
}

/* Opens a window if it is worth its memory.  That is asked only when the number of
** values is a power of two. */
static PqRc consider_window(PqRollupRegister *g, int64_t value, PqErr *e)
{
    uint64_t span;

    note_range(g, value);
    if (g->window || (g->n & (g->n - 1)) || g->form != PQ_GROUP_INTS) {
        return PQ_OK;
    }
    span = (uint64_t)g->most - (uint64_t)g->least + 1;
    if (span == 1) {
        int64_t from = value & ~(int64_t)(FIRST_SPAN - 1);

        return open_window(g, from, FIRST_SPAN, e);
    }
    return is_worth(g, span) ? open_window(g, g->least, span, e) : PQ_OK;
}

/* ---- numbers ------------------------------------------------------------- */

static PqRc add_word(const Look *l, uint32_t i, uint64_t word, uint32_t *code,
                     PqErr *e)
{
    PqRollupRegister *g = l->g;

    if (g->as_is && g->form == PQ_GROUP_INTS) {
        PQ_TRY(pq_rollup_register_int(g, (int64_t)word, code, e));
        PQ_TRY(g->window ? PQ_OK : pq_rollup_register_sync(g, e));
    } else {
        PQ_TRY(code_of_row(l, row_of(l, i), code, e));
        if (g->window) {
            g->window[word - (uint64_t)g->base] = *code;
        } else {
            PQ_TRY(pq_rollup_map_add(&g->stored, word, *code, e));
        }
    }
    return g->form == PQ_GROUP_INTS ? consider_window(g, (int64_t)word, e)
                                    : PQ_OK;
}

/* By the window, as long as there is one.  *done: how many. */
static PqRc find_in_window(const Look *l, const uint64_t *words, uint32_t *codes,
                           uint32_t *done, PqErr *e)
{
    PqRollupRegister *g = l->g;

    for (uint32_t i = 0; i < l->n; i++) {
        uint64_t place = words[i] - (uint64_t)g->base;

        if (PQ_UNLIKELY(place >= g->span)) {
            PQ_TRY(widen(g, (int64_t)words[i], e));
            if (!g->window) {
                *done = i;
                return PQ_OK;
            }
            place = words[i] - (uint64_t)g->base;
        }
        codes[i] = g->window[place];
        if (PQ_UNLIKELY(codes[i] == PQ_ROLLUP_NO_CODE)) {
            PQ_TRY(add_word(l, i, words[i], &codes[i], e));
        }
    }
    *done = l->n;
    return PQ_OK;
}

static PqRc find_in_map(const Look *l, const uint64_t *words, uint32_t *codes,
                        uint32_t *done, PqErr *e)
{
    PqRollupRegister *g = l->g;
    bool direct = g->as_is && g->form == PQ_GROUP_INTS;
    PqRollupMap *map = direct ? &g->ints : &g->stored;

    *done = l->n;
    if (direct) {
        PQ_TRY(pq_rollup_register_sync(g, e));
    }
    if (pq_rollup_map_find(map, words, l->n, codes) == 0) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        if (codes[i] != PQ_ROLLUP_NO_CODE) {
            continue;
        }
        codes[i] = pq_rollup_map_get(map, words[i]);
        if (codes[i] != PQ_ROLLUP_NO_CODE) {
            continue;
        }
        PQ_TRY(add_word(l, i, words[i], &codes[i], e));
        if (g->window) {             /* opened: the rest goes there */
            *done = i + 1;
            return PQ_OK;
        }
    }
    return PQ_OK;
}

static bool all_equal(const uint64_t *words, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && words[i] == words[0]) {
        i++;
    }
    return i >= n;
}

static PqRc find_words(const Look *l, const uint64_t *words, uint32_t *codes,
                       PqErr *e)
{
    Look rest = *l;
    uint32_t from = 0, done;

    if (l->n > 1 && all_equal(words, l->n)) {
        rest.n = 1;
        PQ_TRY(find_words(&rest, words, codes, e));
        for (uint32_t i = 1; i < l->n; i++) {
            codes[i] = codes[0];
        }
        return PQ_OK;
    }
    while (from < l->n) {
        const uint32_t *at = l->at ? l->at + from : NULL;
        uint32_t places[PQ_ROLLUP_ROWS];

        if (!at && from > 0) {       /* where the rest is */
            for (uint32_t i = from; i < l->n; i++) {
                places[i - from] = i;
            }
            at = places;
        }
        rest.at = at;
        rest.n = l->n - from;
        if (l->g->window) {
            PQ_TRY(find_in_window(&rest, words + from, codes + from, &done, e));
        } else {
            PQ_TRY(find_in_map(&rest, words + from, codes + from, &done, e));
        }
        from += done;
    }
    return PQ_OK;
}

/* Both zeros have one word, and so has all that is not a number: the bits of a
** NaN, which no number has. */
static uint64_t word_of_real(double r)
{
    uint64_t word = UINT64_C(0x7ff8000000000000);

    if (r == r) {
        r = r == 0 ? 0 : r;
        memcpy(&word, &r, sizeof word);
    }
    return word;
}

#define GATHER(type, make)                                                   \
    do {                                                                     \
        const type *values = l->v->values;                                   \
        if (!l->at && !l->w->rows) {                                         \
            for (uint32_t i = 0; i < l->n; i++) {                            \
                words[i] = make(values[i]);                                  \
            }                                                                \
        } else {                                                             \
            for (uint32_t i = 0; i < l->n; i++) {                            \
                words[i] = make(values[row_of(l, i)]);                       \
            }                                                                \
        }                                                                    \
    } while (0)

#define OF_INT(v) ((uint64_t)(int64_t)(v))
#define OF_REAL(v) word_of_real((double)(v))

static PqRc find_numbers(const Look *l, uint32_t *codes, PqErr *e)
{
    uint64_t words[PQ_ROLLUP_ROWS];

    if (l->v->form == PQ_GROUP_INTS && l->v->width == 4) {
        GATHER(int32_t, OF_INT);
    } else if (l->v->form == PQ_GROUP_INTS) {
        GATHER(int64_t, OF_INT);
    } else if (l->v->width == 4) {
        GATHER(float, OF_REAL);
    } else {
        GATHER(double, OF_REAL);
    }
    return find_words(l, words, codes, e);
}

/* ---- texts --------------------------------------------------------------- */

typedef struct Adder {
    const Look  *l;
    const PqStr *texts;
    uint32_t     from;
} Adder;

static bool same_text(void *arg, uint32_t number, uint32_t i)
{
    const Adder *a = arg;
    PqStr s = a->l->g->text[number], t = a->texts[i];

    return s.n == t.n && (s.n == 0 || memcmp(s.p, t.p, s.n) == 0);
}

static PqRc keep_text(void *arg, uint32_t number, uint32_t i, PqErr *e)
{
    Adder *a = arg;
    PqRollupRegister *g = a->l->g;
    PqStr s = a->texts[i];
    uint8_t *copy;

    PQ_TRY(PQ_GROW(g->mem, g->texts.codes, number, g->texts.room, e));
    PQ_TRY(PQ_GROW(g->mem, g->text, number, g->text_room, e));
    copy = pq_arena_bytes(&g->text_bytes, (size_t)s.n + 1, e);
    if (!copy) {
        return e->rc;
    }
    if (s.n) {
        memcpy(copy, s.p, s.n);
    }
    g->text[number] = (PqStr){copy, s.n};
    return ask(a->l, row_of(a->l, a->from + i), &g->texts.codes[number], e);
}

static void forget_texts(PqRollupRegister *g)
{
    pq_group_table_free(&g->texts.table);
    pq_arena_reset(&g->text_bytes);
}

/* Some texts: by their stored form, unless that is what is shown. */
static PqRc find_some(const Look *l, uint32_t from, uint32_t n, uint32_t *codes,
                      PqErr *e)
{
    PqRollupRegister *g = l->g;
    PqStr texts[PQ_ROLLUP_TEXTS];
    uint64_t hashes[PQ_ROLLUP_TEXTS];
    Adder a = {l, texts, from};
    PqGroupKeep keep = {same_text, keep_text, &a};

    for (uint32_t i = 0; i < n; i++) {
        texts[i] = ((const PqStr *)l->v->values)[row_of(l, from + i)];
        hashes[i] = pq_cell_hash_bytes(PQ_CELL_TEXT, texts[i], g->seed);
    }
    if (g->as_is) {
        return pq_rollup_register_texts(g, texts, hashes, n, codes, e);
    }
    if (pq_arena_memory(&g->text_bytes) > MOST_TEXTS) {
        forget_texts(g);
    }
    PQ_TRY(pq_group_table_find(&g->texts.table, hashes, n, &keep, codes, e));
    for (uint32_t i = 0; i < n; i++) {
        codes[i] = g->texts.codes[codes[i]];
    }
    return PQ_OK;
}

static PqRc find_texts(const Look *l, uint32_t *codes, PqErr *e)
{
    for (uint32_t i = 0; i < l->n; i += PQ_ROLLUP_TEXTS) {
        uint32_t n = l->n - i < PQ_ROLLUP_TEXTS ? l->n - i : PQ_ROLLUP_TEXTS;

        PQ_TRY(find_some(l, i, n, codes + i, e));
    }
    return PQ_OK;
}

/* ---- dictionaries -------------------------------------------------------- */

#define KNOWN_OF(type)                                                         \
    for (uint32_t id = 0; id < v->n_entries; id++) {                           \
        uint64_t place = OF_INT(((const type *)v->values)[id]) - base;         \
        g->entries[id] = place < g->span ? g->window[place]                    \
                                         : PQ_ROLLUP_NO_CODE;                  \
    }

/* The codes of entries that are in the window, as most of a dictionary are that is not
** the first; the others are not known. */
static void know_entries(PqRollupRegister *g, const PqRollupKeyVector *v)
{
    uint64_t base = (uint64_t)g->base;

    if (v->form != PQ_GROUP_INTS || !g->window) {
        memset(g->entries, 0xff, v->n_entries * sizeof *g->entries);
    } else if (v->width == 4) {
        KNOWN_OF(int32_t)
    } else {
        KNOWN_OF(int64_t)
    }
}

/* Is this the dictionary of now? */
static bool are_entries(const PqRollupRegister *g, const PqRollupKeyVector *v)
{
    return g->serial == v->entries_serial && g->serial != 0 &&
           g->n_entries == v->n_entries;
}

static PqRc enter_entries(PqRollupRegister *g, const PqRollupKeyVector *v,
                          PqErr *e)
{
    if (are_entries(g, v)) {
        return PQ_OK;
    }
    g->serial = 0;
    if (v->n_entries > g->entries_room) {
        PQ_TRY(PQ_RESIZE(g->mem, g->entries, v->n_entries, e));
        g->entries_room = v->n_entries;
    }
    know_entries(g, v);
    g->n_entries = v->n_entries;
    g->serial = v->entries_serial;
    return PQ_OK;
}

/* Their codes, where they are known; false: some are not.  No code has the bit of
** those that are not. */
static bool known_entries(const Look *l, uint32_t *codes)
{
    const uint32_t *ids = l->v->ids, *entries = l->g->entries;
    const uint32_t *rows = l->w->rows;
    uint32_t all = 0;

    if (!l->at && !rows) {
        for (uint32_t i = 0; i < l->n; i++) {
            codes[i] = entries[ids[i]];
            all |= codes[i];
        }
    } else if (!l->at) {
        for (uint32_t i = 0; i < l->n; i++) {
            codes[i] = entries[ids[rows[i]]];
            all |= codes[i];
        }
    } else {
        for (uint32_t i = 0; i < l->n; i++) {
            codes[i] = entries[ids[row_of(l, i)]];
            all |= codes[i];
        }
    }
    return all < unknown_bit;
}

/* Integers: those entries that are not known are looked up together.  Values of the
** others are not even loaded: a large dictionary is far from the processor. */
static PqRc find_int_entries(const Look *l, uint32_t *codes, PqErr *e)
{
    const PqRollupKeyVector *v = l->v;
    uint32_t unknown[PQ_ROLLUP_ROWS], at[PQ_ROLLUP_ROWS], found[PQ_ROLLUP_ROWS];
    uint64_t words[PQ_ROLLUP_ROWS];
    Look some = *l;

    some.n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        unknown[some.n] = i;
        some.n += codes[i] == PQ_ROLLUP_NO_CODE;
    }
    if (some.n == 0) {               /* never: it is asked if some are unknown */
        return PQ_OK;
    }
    some.at = at;
    for (uint32_t i = 0; i < some.n; i++) {
        uint32_t id;

        at[i] = l->at ? l->at[unknown[i]] : unknown[i];
        id = v->ids[row_of(&some, i)];
        words[i] = v->width == 4 ? OF_INT(((const int32_t *)v->values)[id])
                                 : OF_INT(((const int64_t *)v->values)[id]);
    }
    PQ_TRY(find_words(&some, words, found, e));
    for (uint32_t i = 0; i < some.n; i++) {
        l->g->entries[v->ids[row_of(&some, i)]] = found[i];
        codes[unknown[i]] = found[i];
    }
    return PQ_OK;
}

static PqRc find_entries(const Look *l, uint32_t *codes, PqErr *e)
{
    if (l->n == 0) {
        return PQ_OK;
    }
    PQ_TRY(enter_entries(l->g, l->v, e));
    if (known_entries(l, codes)) {
        return PQ_OK;
    }
    if (l->v->form == PQ_GROUP_INTS) {
        return find_int_entries(l, codes, e);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t row = row_of(l, i), *entry = &l->g->entries[l->v->ids[row]];

        if (*entry == PQ_ROLLUP_NO_CODE) {
            PQ_TRY(code_of_row(l, row, entry, e));
        }
        codes[i] = *entry;
    }
    return PQ_OK;
}

/* ---- all ----------------------------------------------------------------- */

/* Do stored values mean what they meant before? */
static bool is_entered(const PqRollupRegister *g, const PqRollupKeyVector *v)
{
    return g->entered && g->form == v->form && g->as_is == v->as_is &&
           (g->as_is || g->meaning == v->meaning);
}

/* If not, what was kept about them goes. */
static PqRc enter(PqRollupRegister *g, const PqRollupKeyVector *v, PqErr *e)
{
    if (is_entered(g, v)) {
        return PQ_OK;
    }
    if (g->window && g->as_is) {
        PQ_TRY(close_window(g, e));
    }
    pq_mem_free(g->window);
    g->window = NULL;
    g->span = 0;
    g->ranged = false;
    g->serial = 0;
    pq_rollup_map_free(&g->stored);
    forget_texts(g);
    g->entered = true;
    g->form = v->form;
    g->as_is = v->as_is;
    g->meaning = v->meaning;
    return PQ_OK;
}

const uint32_t *pq_rollup_register_entries(const PqRollupRegister *g,
                                           const PqRollupKeyVector *v)
{
    return v->ids && is_entered(g, v) && are_entries(g, v) ? g->entries : NULL;
}

static PqRc find_not_null(const Look *l, uint32_t *codes, PqErr *e)
{
    if (l->v->ids) {
        return find_entries(l, codes, e);
    }
    if (l->v->form == PQ_GROUP_BYTES) {
        return find_texts(l, codes, e);
    }
    if (l->v->form != PQ_GROUP_CELLS) {
        return find_numbers(l, codes, e);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        PQ_TRY(ask(l, row_of(l, i), &codes[i], e));
    }
    return PQ_OK;
}

PqRc pq_rollup_register_codes(PqRollupRegister *g, const PqRollupSpec *spec,
                              uint32_t key, const PqRollupKeyVector *v,
                              const PqRollupRows *w, uint32_t *codes, PqErr *e)
{
    Look l = {g, spec, key, v, w, w->n, NULL};
    uint32_t at[PQ_ROLLUP_ROWS], found[PQ_ROLLUP_ROWS], null;

    PQ_TRY(enter(g, v, e));
    if (!v->valid) {
        return find_not_null(&l, codes, e);
    }
    l.n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        at[l.n] = i;
        l.n += pq_bit(v->valid, pq_rollup_row(w, i));
    }
    if (l.n == w->n) {
        return find_not_null(&l, codes, e);
    }
    l.at = at;
    PQ_TRY(null_code(g, &null, e));
    PQ_TRY(find_not_null(&l, found, e));
    for (uint32_t i = 0; i < w->n; i++) {
        codes[i] = null;
    }
    for (uint32_t i = 0; i < l.n; i++) {
        codes[at[i]] = found[i];
    }
    return PQ_OK;
}
