/*
** rollup_register.c - numbers cells, and finds the codes of stored values.
**
** A step that cannot fail adds a cell, after all steps that can.  The reason is
** that a failed call is tried again once groups have left memory, and no value
** may get two codes.
**
** The stored values of rows that are not null are gathered as words of 64 bits,
** or as texts.  They are looked up together, and their codes are put where the
** rows are.
*/
#include "core/rollup/rollup_register.h"

enum { TEXTS_AT_ONCE = 256 };

/* ---- life ---------------------------------------------------------------- */

void pq_rollup_register_init(PqRollupRegister *g, PqMem *mem, uint64_t seed,
                             size_t memory, const PqStop *stop)
{
    *g = (PqRollupRegister){.mem = mem, .seed = seed, .null_code = PQ_NO_NUMBER};
    pq_arena_init(&g->bytes, mem);
    pq_int_numbers_init(&g->ints, mem, seed, memory, stop);
    pq_int_numbers_init(&g->stored, mem, seed, memory, stop);
    pq_word_numbers_init(&g->twins, mem, seed, stop);
    pq_number_table_init(&g->others, mem, stop);
    pq_text_numbers_init(&g->texts, mem, seed, stop);
}

void pq_rollup_register_free(PqRollupRegister *g)
{
    if (!g->mem) {
        return;
    }
    pq_mem_free(g->cells);
    pq_arena_free(&g->bytes);
    pq_int_numbers_free(&g->ints);
    pq_number_table_free(&g->others);
    pq_word_numbers_free(&g->twins);
    pq_mem_free(g->firsts);
    pq_int_numbers_free(&g->stored);
    pq_text_numbers_free(&g->texts);
    pq_mem_free(g->text_codes);
    pq_memo_free(&g->entries);
    *g = (PqRollupRegister){0};
}

size_t pq_rollup_register_bytes(const PqRollupRegister *g)
{
    return g->room * sizeof *g->cells + pq_arena_memory(&g->bytes) +
           pq_int_numbers_bytes(&g->ints) + pq_number_table_bytes(&g->others) +
           pq_word_numbers_bytes(&g->twins) + g->firsts_room * sizeof *g->firsts +
           pq_int_numbers_bytes(&g->stored) + pq_text_numbers_bytes(&g->texts) +
           g->text_room * sizeof *g->text_codes +
           g->entries.room * sizeof(uint32_t);
}

/* ---- cells --------------------------------------------------------------- */

/* Makes room for one more cell. */
static PqRc need_cell(PqRollupRegister *g, PqErr *e)
{
    return PQ_GROW(g->mem, g->cells, g->n, g->room, e);
}

/* Gives the cell the next code. */
static uint32_t add_cell(PqRollupRegister *g, const PqCell *c)
{
    g->cells[g->n] = *c;
    return g->n++;
}

static PqRc add_int(PqRollupRegister *g, const PqCell *c, int64_t whole,
                    uint32_t *code, PqErr *e)
{
    PQ_TRY(need_cell(g, e));
    PQ_TRY(pq_int_numbers_add(&g->ints, whole, g->n, e));
    *code = add_cell(g, c);
    return PQ_OK;
}

/* Adds a code, the twin of `first`. */
static PqRc add_twin(PqRollupRegister *g, const PqCell *c, int64_t whole,
                     uint32_t first, uint32_t *code, PqErr *e)
{
    for (; g->n_firsts <= g->n; g->n_firsts++) {
        PQ_TRY(PQ_GROW(g->mem, g->firsts, g->n_firsts, g->firsts_room, e));
        g->firsts[g->n_firsts] = g->n_firsts;
    }
    PQ_TRY(need_cell(g, e));
    PQ_TRY(pq_word_numbers_add(&g->twins, (uint64_t)whole, g->n, e));
    g->firsts[g->n] = first;
    *code = add_cell(g, c);
    return PQ_OK;
}

static PqRc find_int(PqRollupRegister *g, const PqCell *c, int64_t whole,
                     uint32_t *code, PqErr *e)
{
    uint32_t first = pq_int_numbers_get(&g->ints, whole);

    *code = first;
    if (first == PQ_NO_NUMBER) {
        return add_int(g, c, whole, code, e);
    }
    if (g->has_twins && g->cells[first].kind != c->kind) {
        *code = pq_word_numbers_get(&g->twins, (uint64_t)whole);
        return *code == PQ_NO_NUMBER ? add_twin(g, c, whole, first, code, e)
                                     : PQ_OK;
    }
    return PQ_OK;
}

static PqRc find_null(PqRollupRegister *g, uint32_t *code, PqErr *e)
{
    if (g->null_code == PQ_NO_NUMBER) {
        PQ_TRY(need_cell(g, e));
        g->null_code = add_cell(g, &(PqCell){.kind = PQ_CELL_NULL});
    }
    *code = g->null_code;
    return PQ_OK;
}

typedef struct Others {
    PqRollupRegister *g;
    const PqCell     *cells;
} Others;

static bool same_cell(void *arg, uint32_t code, uint32_t i)
{
    const Others *o = arg;

    return pq_cell_same(&o->g->cells[code], &o->cells[i]);
}

static PqRc keep_cell(void *arg, uint32_t i, uint32_t next, uint32_t *code,
                      PqErr *e)
{
    const Others *o = arg;
    PqCell c = o->cells[i];

    if (pq_cell_has_bytes(&c) && c.n > INT32_MAX) {
        return pq_fail(e, PQ_BUDGET, "a value of %u bytes is too long to group by",
                       c.n);
    }
    PQ_TRY(need_cell(o->g, e));
    PQ_TRY(pq_cell_keep(&c, &o->g->bytes, e));
    *code = add_cell(o->g, &c);
    return PQ_OK;
}

static void fetch_cell(void *arg, uint32_t code, bool bytes)
{
    const PqCell *c = &((const Others *)arg)->g->cells[code];

    __builtin_prefetch(bytes ? (const void *)c->p : c);
}

PqRc pq_rollup_register_cell(PqRollupRegister *g, const PqCell *c,
                             uint32_t *code, PqErr *e)
{
    PqCell plain = pq_cell_plain(c);
    Others o = {g, &plain};
    PqNumberKeys keys = {same_cell, keep_cell, &o, NULL};
    uint64_t hash;

    if (plain.kind == PQ_CELL_NULL) {
        return find_null(g, code, e);
    }
    if (plain.kind == PQ_CELL_INT) {
        g->has_reals |= c->kind != PQ_CELL_INT;
        return find_int(g, c, plain.i, code, e);
    }
    hash = pq_cell_hash(&plain, g->seed);
    return pq_number_table_find(&g->others, &hash, 1, &keys, code, e);
}

static PqRc add_texts(PqRollupRegister *g, const PqStr *texts, uint32_t n,
                      uint32_t *codes, PqErr *e)
{
    uint64_t hashes[TEXTS_AT_ONCE];
    PqCell cells[TEXTS_AT_ONCE];
    Others o = {g, cells};
    PqNumberKeys keys = {same_cell, keep_cell, &o, fetch_cell};

    for (uint32_t i = 0; i < n; i++) {
        cells[i] = pq_cell_text(pq_slice(texts[i].p, texts[i].n));
        hashes[i] = pq_cell_hash_bytes(PQ_CELL_TEXT, texts[i], g->seed);
    }
    return pq_number_table_find(&g->others, hashes, n, &keys, codes, e);
}

/* ---- stored values ------------------------------------------------------------ */

enum {
    LEAST_TEXTS = 1 << 20,           /* bytes kept of stored texts; or ...  */
    TEXTS_SHARE = 8,                 /* ... this share of memory            */
    ENTRIES_AT_ONCE = 256
};

/* Known codes are less than this bit. */
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

/* The code of a row's value, which is not null, found by its cell. */
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

/* ---- numbers ------------------------------------------------------------- */

/* Does one set of numbers serve cells and stored integers? */
static bool is_direct(const PqRollupRegister *g)
{
    return g->as_is && g->form == PQ_GROUP_INTS;
}

static PqIntNumbers *numbers_of(PqRollupRegister *g)
{
    return is_direct(g) ? &g->ints : &g->stored;
}

static PqRc add_word(const Look *l, uint32_t i, uint64_t word, uint32_t *code,
                     PqErr *e)
{
    PqCell c = pq_cell_int((int64_t)word);

    if (is_direct(l->g)) {
        return add_int(l->g, &c, c.i, code, e);
    }
    PQ_TRY(code_of_row(l, row_of(l, i), code, e));
    return pq_int_numbers_add(&l->g->stored, c.i, *code, e);
}

static bool all_equal(const uint64_t *words, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && words[i] == words[0]) {
        i++;
    }
    return i >= n;
}

/* Adds those of the n words together that have no code yet.  *done false: nothing was
** done. */
static PqRc enter_words(PqRollupRegister *g, const uint64_t *words, uint32_t n,
                        uint32_t *codes, bool *done, PqErr *e)
{
    uint64_t some[PQ_ROLLUP_ROWS];
    uint32_t at[PQ_ROLLUP_ROWS], found[PQ_ROLLUP_ROWS], fresh[PQ_ROLLUP_ROWS];
    uint32_t n_some = 0, n_fresh;

    for (uint32_t i = 0; i < n; i++) {
        if (codes[i] == PQ_NO_NUMBER) {
            some[n_some] = words[i];
            at[n_some++] = i;
        }
    }
    while (g->room < g->n + n_some) {
        PQ_TRY(PQ_GROW(g->mem, g->cells, g->room, g->room, e));
    }
    PQ_TRY(pq_int_numbers_enter(&g->ints, some, n_some, g->n, found, fresh, &n_fresh, done,
                                e));
    for (uint32_t i = 0; i < n_fresh; i++) {
        PqCell c = pq_cell_int((int64_t)some[fresh[i]]);

        add_cell(g, &c);
    }
    for (uint32_t i = 0; i < n_some && *done; i++) {
        codes[at[i]] = found[i];
    }
    return PQ_OK;
}

static PqRc find_words(const Look *l, const uint64_t *words, uint32_t *codes,
                       PqErr *e)
{
    PqIntNumbers *numbers = numbers_of(l->g);
    uint32_t n = all_equal(words, l->n) && l->n > 0 ? 1 : l->n, before = l->g->n;
    bool done = false;

    if (l->g->fresh && is_direct(l->g)) {       /* they are looked up when added */
        memset(codes, 0xff, n * sizeof *codes);
    } else {
        done = pq_int_numbers_find(numbers, words, n, codes);
    }
    if (!done && is_direct(l->g)) {
        PQ_TRY(enter_words(l->g, words, n, codes, &done, e));
        l->g->fresh = done && l->g->n - before > n / 2;
    }
    if (!done) {
        for (uint32_t i = 0; i < n; i++) {
            if (codes[i] == PQ_NO_NUMBER) {      /* it may be there by now */
                codes[i] = pq_int_numbers_get(numbers, (int64_t)words[i]);
            }
            if (codes[i] == PQ_NO_NUMBER) {
                PQ_TRY(add_word(l, i, words[i], &codes[i], e));
            }
        }
    }
    for (uint32_t i = n; i < l->n; i++) {
        codes[i] = codes[0];
    }
    return PQ_OK;
}

/* Both zeros have one word.  All NaNs have one word too: the bits of a NaN,
** which no number has. */
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

static void forget_texts(PqRollupRegister *g)
{
    pq_text_numbers_reset(&g->texts);
    g->n_texts = 0;
}

/* The code of a row's stored text, which has this number. */
static PqRc code_of_text(const Look *l, uint32_t number, uint32_t row,
                         uint32_t *code, PqErr *e)
{
    PqRollupRegister *g = l->g;

    for (; g->n_texts <= number; g->n_texts++) {
        PQ_TRY(PQ_GROW(g->mem, g->text_codes, g->n_texts, g->text_room, e));
        g->text_codes[g->n_texts] = PQ_NO_NUMBER;
    }
    if (g->text_codes[number] == PQ_NO_NUMBER) {
        PQ_TRY(ask(l, row, &g->text_codes[number], e));
    }
    *code = g->text_codes[number];
    return PQ_OK;
}

/* Looks up some texts, by their stored form unless they are shown in that
** form. */
static PqRc find_some(const Look *l, uint32_t from, uint32_t n, uint32_t *codes,
                      PqErr *e)
{
    PqRollupRegister *g = l->g;
    PqStr texts[TEXTS_AT_ONCE];

    for (uint32_t i = 0; i < n; i++) {
        texts[i] = ((const PqStr *)l->v->values)[row_of(l, from + i)];
    }
    if (g->as_is) {
        return add_texts(g, texts, n, codes, e);
    }
    if (pq_arena_memory(&g->texts.arena) > LEAST_TEXTS &&
        pq_arena_memory(&g->texts.arena) > l->spec->memory / TEXTS_SHARE) {
        forget_texts(g);
    }
    PQ_TRY(pq_text_numbers_find(&g->texts, texts, n, codes, e));
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(code_of_text(l, codes[i], row_of(l, from + i), &codes[i], e));
    }
    return PQ_OK;
}

static PqRc find_texts(const Look *l, uint32_t *codes, PqErr *e)
{
    for (uint32_t i = 0; i < l->n; i += TEXTS_AT_ONCE) {
        uint32_t n = l->n - i < TEXTS_AT_ONCE ? l->n - i : TEXTS_AT_ONCE;

        PQ_TRY(find_some(l, i, n, codes + i, e));
    }
    return PQ_OK;
}

/* ---- dictionaries -------------------------------------------------------- */

static uint64_t word_of_entry(const PqRollupKeyVector *v, uint32_t id)
{
    return v->width == 4 ? OF_INT(((const int32_t *)v->values)[id])
                         : OF_INT(((const int64_t *)v->values)[id]);
}

/* Finds the codes of entries in the window.  Most entries of a later dictionary
** are there; the others have no code yet. */
static void know_entries(PqRollupRegister *g, const PqRollupKeyVector *v)
{
    const PqIntNumbers *numbers = numbers_of(g);
    uint32_t *codes = g->entries.v;
    uint64_t words[ENTRIES_AT_ONCE];

    memset(codes, 0xff, v->n_entries * sizeof *codes);
    for (uint32_t from = 0; v->form == PQ_GROUP_INTS && numbers->window &&
                            from < v->n_entries; from += ENTRIES_AT_ONCE) {
        uint32_t n = v->n_entries - from < ENTRIES_AT_ONCE ? v->n_entries - from
                                                           : ENTRIES_AT_ONCE;

        for (uint32_t i = 0; i < n; i++) {
            words[i] = word_of_entry(v, from + i);
        }
        pq_int_numbers_find(numbers, words, n, codes + from);
    }
}

static PqRc enter_entries(PqRollupRegister *g, const PqRollupKeyVector *v,
                          PqErr *e)
{
    bool fresh;

    PQ_TRY(pq_memo_enter(&g->entries, g->mem, v->entries_serial, v->n_entries,
                         sizeof(uint32_t), &fresh, e));
    if (fresh) {
        know_entries(g, v);
        g->entries.serial = v->entries_serial;
    }
    return PQ_OK;
}

/* Loads the codes of the entries of n rows.  The result has the bits of all of them. */
PQ_INLINE uint32_t load_codes(const uint32_t *ids, const uint32_t *entries,
                              const uint32_t *rows, uint32_t n, uint32_t *codes)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < n; i++) {
        codes[i] = entries[ids[rows ? rows[i] : i]];
        all |= codes[i];
    }
    return all;
}

/* Loads the codes of the rows' entries; false: some are not known.  A known
** code never has unknown_bit. */
static bool known_entries(const Look *l, uint32_t *codes)
{
    const uint32_t *ids = l->v->ids, *entries = l->g->entries.v;
    uint32_t all = 0;

    if (l->at) {
        for (uint32_t i = 0; i < l->n; i++) {
            codes[i] = entries[ids[row_of(l, i)]];
            all |= codes[i];
        }
    } else {
        all = l->w->rows ? load_codes(ids, entries, l->w->rows, l->n, codes)
                         : load_codes(ids, entries, NULL, l->n, codes);
    }
    return all < unknown_bit;
}

/* Looks up the integers of unknown entries together.  The values of known
** entries are not even loaded, because a large dictionary is far from the
** processor. */
static PqRc find_int_entries(const Look *l, uint32_t *codes, PqErr *e)
{
    const PqRollupKeyVector *v = l->v;
    uint32_t unknown[PQ_ROLLUP_ROWS], at[PQ_ROLLUP_ROWS], found[PQ_ROLLUP_ROWS];
    uint64_t words[PQ_ROLLUP_ROWS];
    uint32_t *entries = l->g->entries.v;
    Look some = *l;

    some.n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        unknown[some.n] = i;
        some.n += codes[i] == PQ_NO_NUMBER;
    }
    if (some.n == 0) {               /* never: some are unknown */
        return PQ_OK;
    }
    some.at = at;
    for (uint32_t i = 0; i < some.n; i++) {
        at[i] = l->at ? l->at[unknown[i]] : unknown[i];
        words[i] = word_of_entry(v, v->ids[row_of(&some, i)]);
    }
    PQ_TRY(find_words(&some, words, found, e));
    for (uint32_t i = 0; i < some.n; i++) {
        entries[v->ids[row_of(&some, i)]] = found[i];
        codes[unknown[i]] = found[i];
    }
    return PQ_OK;
}

/* The same for texts that are shown as they are. */
static PqRc find_text_entries(const Look *l, uint32_t *codes, PqErr *e)
{
    const PqStr *values = l->v->values;
    uint32_t at[TEXTS_AT_ONCE], found[TEXTS_AT_ONCE], *entries = l->g->entries.v;
    PqStr texts[TEXTS_AT_ONCE];

    for (uint32_t i = 0; i < l->n;) {
        uint32_t n = 0;

        for (; i < l->n && n < TEXTS_AT_ONCE; i++) {
            uint32_t id = l->v->ids[row_of(l, i)];

            codes[i] = entries[id];
            at[n] = i;
            texts[n] = values[id];
            n += codes[i] == PQ_NO_NUMBER;
        }
        PQ_TRY(add_texts(l->g, texts, n, found, e));
        for (uint32_t k = 0; k < n; k++) {
            codes[at[k]] = entries[l->v->ids[row_of(l, at[k])]] = found[k];
        }
    }
    return PQ_OK;
}

static PqRc find_entries(const Look *l, uint32_t *codes, PqErr *e)
{
    uint32_t *entries;

    if (l->n == 0) {
        return PQ_OK;
    }
    PQ_TRY(enter_entries(l->g, l->v, e));
    entries = l->g->entries.v;
    if (known_entries(l, codes)) {
        return PQ_OK;
    }
    if (l->v->form == PQ_GROUP_INTS) {
        return find_int_entries(l, codes, e);
    }
    if (l->v->form == PQ_GROUP_BYTES && l->g->as_is) {
        return find_text_entries(l, codes, e);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t row = row_of(l, i), *entry = &entries[l->v->ids[row]];

        if (*entry == PQ_NO_NUMBER) {
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

/* Forgets what was kept about stored values if they mean something else now. */
static void enter(PqRollupRegister *g, const PqRollupKeyVector *v)
{
    if (!is_entered(g, v)) {
        pq_memo_forget(&g->entries);
        pq_int_numbers_free(&g->stored);
        forget_texts(g);
        g->entered = true;
        g->form = v->form;
        g->as_is = v->as_is;
        g->meaning = v->meaning;
    }
}

const uint32_t *pq_rollup_register_entries(const PqRollupRegister *g,
                                           const PqRollupKeyVector *v)
{
    return v->ids && is_entered(g, v) &&
                   pq_memo_is_of(&g->entries, v->entries_serial, v->n_entries)
               ? g->entries.v : NULL;
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

    enter(g, v);
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
    PQ_TRY(find_null(g, &null, e));
    PQ_TRY(find_not_null(&l, found, e));
    for (uint32_t i = 0; i < w->n; i++) {
        codes[i] = null;
    }
    for (uint32_t i = 0; i < l.n; i++) {
        codes[at[i]] = found[i];
    }
    return PQ_OK;
}
