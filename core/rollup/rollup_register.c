/*
** rollup_register.c - numbers cells.  The short ways from stored values are in
** rollup_stored.c.
**
** All steps that can fail come first, and then a cell is added by one that
** cannot.  For a failed call is tried again once groups have left memory, and
** no value may get two codes.
*/
#include "core/rollup/rollup_register.h"

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

PqRc pq_rollup_register_int(PqRollupRegister *g, const PqCell *c, int64_t whole,
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
        return pq_rollup_register_int(g, c, whole, code, e);
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

PqRc pq_rollup_register_cell(PqRollupRegister *g, const PqCell *c,
                             uint32_t *code, PqErr *e)
{
    PqCell plain = pq_cell_plain(c);
    Others o = {g, &plain};
    PqNumberKeys keys = {same_cell, keep_cell, &o};
    uint64_t hash;

    if (plain.kind == PQ_CELL_NULL) {
        return find_null(g, code, e);
    }
    if (plain.kind == PQ_CELL_INT) {
        return find_int(g, c, plain.i, code, e);
    }
    hash = pq_cell_hash(&plain, g->seed);
    return pq_number_table_find(&g->others, &hash, 1, &keys, code, e);
}

PqRc pq_rollup_register_texts(PqRollupRegister *g, const PqStr *texts, uint32_t n,
                              uint32_t *codes, PqErr *e)
{
    uint64_t hashes[PQ_ROLLUP_TEXTS];
    PqCell cells[PQ_ROLLUP_TEXTS];
    Others o = {g, cells};
    PqNumberKeys keys = {same_cell, keep_cell, &o};

    for (uint32_t i = 0; i < n; i++) {
        cells[i] = pq_cell_text(pq_slice(texts[i].p, texts[i].n));
        hashes[i] = pq_cell_hash_bytes(PQ_CELL_TEXT, texts[i], g->seed);
    }
    return pq_number_table_find(&g->others, hashes, n, &keys, codes, e);
}
