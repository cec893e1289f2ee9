/*
** rollup_register.c - cells are numbered.  The short ways from stored values:
** rollup_stored.c.
*/
#include "core/rollup/rollup_register.h"

enum { LEAST_FLOOR = 1 << 12, MOST_FLOOR = 1 << 18, FLOOR_SHARE = 1 << 8,
       POLL_CODES = 1 << 16 };

/* ---- life ---------------------------------------------------------------- */

void pq_rollup_register_init(PqRollupRegister *g, PqMem *mem, uint64_t seed,
                             size_t memory, const PqStop *stop)
{
    size_t span = memory / FLOOR_SHARE;

    *g = (PqRollupRegister){.mem = mem, .seed = seed,
                            .stop = stop, .null_code = PQ_ROLLUP_NO_CODE};
    g->floor_span = span < LEAST_FLOOR ? LEAST_FLOOR
                    : span > MOST_FLOOR ? MOST_FLOOR : span;
    pq_arena_init(&g->bytes, mem);
    pq_arena_init(&g->text_bytes, mem);
    pq_rollup_map_init(&g->ints, mem, seed, stop);
    pq_rollup_map_init(&g->stored, mem, seed, stop);
    pq_rollup_map_init(&g->twins, mem, seed, stop);
    pq_group_table_init(&g->others.table, mem, stop);
    pq_group_table_init(&g->texts.table, mem, stop);
}

void pq_rollup_register_free(PqRollupRegister *g)
{
    if (!g->mem) {
        return;
    }
    pq_mem_free(g->kinds);
    pq_mem_free(g->words);
    pq_arena_free(&g->bytes);
    pq_rollup_map_free(&g->ints);
    pq_group_table_free(&g->others.table);
    pq_mem_free(g->others.codes);
    pq_rollup_map_free(&g->stored);
    pq_group_table_free(&g->texts.table);
    pq_mem_free(g->texts.codes);
    pq_mem_free(g->text);
    pq_arena_free(&g->text_bytes);
    pq_mem_free(g->window);
    pq_mem_free(g->entries);
    pq_rollup_map_free(&g->twins);
    pq_mem_free(g->firsts);
    *g = (PqRollupRegister){0};
}

static size_t bytes_of_texts(const PqRollupTexts *t)
{
    return pq_group_table_bytes(&t->table) + t->room * sizeof *t->codes;
}

size_t pq_rollup_register_bytes(const PqRollupRegister *g)
{
    return g->kinds_room * sizeof *g->kinds + g->words_room * sizeof *g->words +
           pq_arena_memory(&g->bytes) + pq_rollup_map_bytes(&g->ints) +
           bytes_of_texts(&g->others) + pq_rollup_map_bytes(&g->stored) +
           bytes_of_texts(&g->texts) + g->text_room * sizeof *g->text +
           pq_arena_memory(&g->text_bytes) +
           (g->window ? g->span * sizeof *g->window : 0) +
           g->entries_room * sizeof *g->entries +
           pq_rollup_map_bytes(&g->twins) + g->firsts_room * sizeof *g->firsts;
}

/* ---- cells --------------------------------------------------------------- */

static uint64_t bits_of(double r)
{
    uint64_t word;

    memcpy(&word, &r, sizeof word);
    return word;
}

static double real_of(uint64_t word)
{
    double r;

    memcpy(&r, &word, sizeof r);
    return r;
}

/* What whole number a code's cell is. */
static bool whole_of(const PqRollupRegister *g, uint32_t code, int64_t *out)
{
    double r;

    if (g->kinds[code] == PQ_CELL_INT) {
        *out = (int64_t)g->words[code];
        return true;
    }
    if (g->kinds[code] != PQ_CELL_REAL) {
        return false;
    }
    r = real_of(g->words[code]);
    *out = pq_real_is_whole(r) ? (int64_t)r : 0;
    return pq_real_is_whole(r);
}

void pq_rollup_register_give(const PqRollupRegister *g, uint32_t code,
                             PqCell *out)
{
    uint64_t word = g->words[code];
    const uint8_t *p;

    *out = (PqCell){.kind = g->kinds[code]};
    switch (out->kind) {
    case PQ_CELL_INT:
        out->i = (int64_t)word;
        break;
    case PQ_CELL_REAL:
        out->r = real_of(word);
        break;
    case PQ_CELL_TEXT:
    case PQ_CELL_BLOB:
        p = (const uint8_t *)(uintptr_t)word;
        out->p = p + sizeof(uint32_t);
        out->n = pq_load_u32(p);
        break;
    default:
        break;
    }
}

static PqRc keep_bytes(PqRollupRegister *g, PqSlice s, uint64_t *word, PqErr *e)
{
    uint8_t *p;

    if (s.n > INT32_MAX) {
        return pq_fail(e, PQ_BUDGET, "a value of %zu bytes is too long to "
                       "group by", s.n);
    }
    p = pq_arena_bytes(&g->bytes, sizeof(uint32_t) + s.n + 1, e);
    if (!p) {
        return e->rc;
    }
    pq_store_u32(p, (uint32_t)s.n);
    if (s.n) {
        memcpy(p + sizeof(uint32_t), s.p, s.n);
    }
    p[sizeof(uint32_t) + s.n] = 0;
    *word = (uint64_t)(uintptr_t)p;
    return PQ_OK;
}

static bool is_twin(const PqRollupRegister *g, uint32_t code)
{
    return pq_rollup_register_first(g, code) != code;
}

static PqRc push_cell(PqRollupRegister *g, const PqCell *c, PqErr *e)
{
    uint64_t word = c->kind == PQ_CELL_INT    ? (uint64_t)c->i
                    : c->kind == PQ_CELL_REAL ? bits_of(c->r) : 0;

    PQ_TRY(PQ_GROW(g->mem, g->kinds, g->n, g->kinds_room, e));
    PQ_TRY(PQ_GROW(g->mem, g->words, g->n, g->words_room, e));
    if (c->kind > PQ_CELL_REAL) {
        PQ_TRY(keep_bytes(g, pq_cell_slice(c), &word, e));
    }
    g->kinds[g->n] = c->kind;
    g->words[g->n++] = word;
    return PQ_OK;
}

/* A cell that is not there becomes the next code. */
static PqRc add_cell(PqRollupRegister *g, const PqCell *c, PqErr *e)
{
    uint32_t code = g->n;
    int64_t whole;

    PQ_TRY(push_cell(g, c, e));
    if (g->window && g->as_is && whole_of(g, code, &whole) &&
        (uint64_t)whole - (uint64_t)g->base < g->span) {
        g->window[(uint64_t)whole - (uint64_t)g->base] = code;
    }
    return PQ_OK;
}

/* A code more, the twin of `first`. */
static PqRc add_twin(PqRollupRegister *g, const PqCell *c, int64_t whole,
                     uint32_t first, PqErr *e)
{
    uint32_t code = g->n;

    for (; g->n_firsts <= code; g->n_firsts++) {
        PQ_TRY(PQ_GROW(g->mem, g->firsts, g->n_firsts, g->firsts_room, e));
        g->firsts[g->n_firsts] = g->n_firsts;
    }
    PQ_TRY(push_cell(g, c, e));
    g->firsts[code] = first;
    return pq_rollup_map_add(&g->twins, (uint64_t)whole, code, e);
}

PqRc pq_rollup_register_show(PqRollupRegister *g, PqErr *e)
{
    int64_t whole;

    for (uint32_t i = 0; i < g->n; i++) {
        if (i % POLL_CODES == 0) {
            PQ_TRY(pq_stop_poll(g->stop, e));
        }
        if (!is_twin(g, i) && whole_of(g, i, &whole) &&
            (uint64_t)whole - (uint64_t)g->base < g->span) {
            g->window[(uint64_t)whole - (uint64_t)g->base] = i;
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_register_sync(PqRollupRegister *g, PqErr *e)
{
    int64_t whole;

    for (; g->n_ints < g->n; g->n_ints++) {
        if (g->n_ints % POLL_CODES == POLL_CODES - 1) {
            PQ_TRY(pq_stop_poll(g->stop, e));
        }
        if (!is_twin(g, g->n_ints) && whole_of(g, g->n_ints, &whole)) {
            PQ_TRY(pq_rollup_map_add(&g->ints, (uint64_t)whole, g->n_ints, e));
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_register_int(PqRollupRegister *g, int64_t i, uint32_t *code,
                            PqErr *e)
{
    PqCell c = pq_cell_int(i);

    *code = g->n;
    return add_cell(g, &c, e);
}

typedef struct Other {
    PqRollupRegister  *g;
    const PqCell *cells;
} Other;

static bool same_cell(void *arg, uint32_t number, uint32_t i)
{
    const Other *o = arg;
    const PqCell *c = &o->cells[i];
    PqCell there;

    pq_rollup_register_give(o->g, o->g->others.codes[number], &there);
    return pq_cell_same(&there, c);
}

static PqRc keep_cell(void *arg, uint32_t number, uint32_t i, PqErr *e)
{
    Other *o = arg;
    PqRollupRegister *g = o->g;

    PQ_TRY(PQ_GROW(g->mem, g->others.codes, number, g->others.room, e));
    g->others.codes[number] = g->n;
    return add_cell(g, &o->cells[i], e);
}

static PqRc find_int(PqRollupRegister *g, const PqCell *c, int64_t whole,
                     uint32_t *code, PqErr *e)
{
    PQ_TRY(pq_rollup_register_sync(g, e));
    *code = pq_rollup_map_get(&g->ints, (uint64_t)whole);
    if (*code == PQ_ROLLUP_NO_CODE) {
        *code = g->n;
        PQ_TRY(add_cell(g, c, e));
        return pq_rollup_register_sync(g, e);
    }
    if (g->has_twins && g->kinds[*code] != c->kind) {
        uint32_t first = *code;

        *code = pq_rollup_map_get(&g->twins, (uint64_t)whole);
        if (*code == PQ_ROLLUP_NO_CODE) {
            *code = g->n;
            return add_twin(g, c, whole, first, e);
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_register_cell(PqRollupRegister *g, const PqCell *c,
                             uint32_t *code, PqErr *e)
{
    Other o = {g, c};
    PqGroupKeep keep = {same_cell, keep_cell, &o};
    uint64_t hash;
    uint32_t number;

    if (c->kind == PQ_CELL_NULL || (c->kind == PQ_CELL_REAL && c->r != c->r)) {
        PqCell null = {.kind = PQ_CELL_NULL};

        *code = g->null_code;
        if (*code == PQ_ROLLUP_NO_CODE) {
            *code = g->n;
            PQ_TRY(add_cell(g, &null, e));
            g->null_code = *code;
        }
        return PQ_OK;
    }
    if (c->kind == PQ_CELL_INT) {
        return find_int(g, c, c->i, code, e);
    }
    if (c->kind == PQ_CELL_REAL && pq_real_is_whole(c->r)) {
        return find_int(g, c, (int64_t)c->r, code, e);
    }
    hash = pq_cell_hash(c, g->seed);
    PQ_TRY(pq_group_table_find(&g->others.table, &hash, 1, &keep, &number, e));
    *code = g->others.codes[number];
    return PQ_OK;
}

PqRc pq_rollup_register_texts(PqRollupRegister *g, const PqStr *texts,
                              const uint64_t *hashes, uint32_t n,
                              uint32_t *codes, PqErr *e)
{
    PqCell cells[PQ_ROLLUP_TEXTS];
    Other o = {g, cells};
    PqGroupKeep keep = {same_cell, keep_cell, &o};

    for (uint32_t i = 0; i < n; i++) {
        cells[i] = pq_cell_text(pq_slice(texts[i].p, texts[i].n));
    }
    PQ_TRY(pq_group_table_find(&g->others.table, hashes, n, &keep, codes, e));
    for (uint32_t i = 0; i < n; i++) {
        codes[i] = g->others.codes[codes[i]];
    }
    return PQ_OK;
}
