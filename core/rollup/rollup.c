/*
** rollup.c - batches in, values out.
*/
#include "core/rollup/rollup_inside.h"

#include "core/base/random.h"
#include "core/simd/kernels.h"
#include "core/text/number_text.h"

#include <pthread.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------- */

static pthread_once_t seed_once = PTHREAD_ONCE_INIT;
static uint64_t the_seed;

static void make_seed(void)
{
    PqErr e;

    pq_err_init(&e);
    if (pq_random_fill(&the_seed, sizeof the_seed, &e) != PQ_OK) {
        the_seed = (uint64_t)(uintptr_t)&the_seed;
    }
}

/* One seed for the process, so that lanes agree about hashes. */
uint64_t pq_rollup_seed(void)
{
    pthread_once(&seed_once, make_seed);
    return the_seed;
}

static void init_register(PqRollup *r, uint32_t k)
{
    PqRollupRegister *g = &r->set.registers[k];

    pq_rollup_register_init(g, r->mem, r->seed, r->spec.memory, &r->spec.stop);
    g->has_twins = r->spec.n_keys > 1;
}

void pq_rollup_set_clear(PqRollup *r)
{
    PqRollupSet *set = &r->set;

    for (uint32_t k = 0; set->registers && k < r->spec.n_keys; k++) {
        pq_rollup_register_free(&set->registers[k]);
        init_register(r, k);
    }
    for (uint32_t m = 0; set->states && m < r->spec.n_measures; m++) {
        pq_rollup_state_free(&set->states[m]);
    }
    for (uint32_t i = 0; set->lines && i < set->n_lines; i++) {
        pq_rollup_lines_free(&set->lines[i]);
    }
    pq_rollup_tuples_free(&set->tuples);
    pq_rollup_ids_forget(r->ids);
    set->n = 0;
    r->n_added = 0;
}

PqRc pq_rollup_set_settle(PqRollupSet *set, PqErr *e)
{
    for (uint32_t i = 0; i < set->n_lines; i++) {
        PQ_TRY(pq_rollup_lines_give(&set->lines[i], e));
    }
    return PQ_OK;
}

static PqRc init_set(PqRollup *r, PqErr *e)
{
    PqRollupSet *set = &r->set;

    set->registers = pq_mem_zeros(r->mem, r->spec.n_keys + 1,
                                  sizeof *set->registers, e);
    set->states = pq_mem_zeros(r->mem, r->spec.n_measures + 1,
                               sizeof *set->states, e);
    set->n_lines = r->spec.n_measures / PQ_ROLLUP_TOGETHER + 1;
    set->lines = pq_mem_zeros(r->mem, set->n_lines, sizeof *set->lines, e);
    PQ_TRY(set->registers && set->states && set->lines ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < set->n_lines; i++) {
        pq_rollup_lines_init(&set->lines[i], r->mem);
    }
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        init_register(r, k);
    }
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        pq_rollup_state_init(&set->states[m], r->spec.measures[m], r->mem,
                             &r->spec.stop);
    }
    pq_rollup_tuples_init(&set->tuples, r->mem, r->spec.n_keys, r->seed,
                          &r->spec.stop);
    return PQ_OK;
}

static PqRc make(PqRollup *r, PqErr *e)
{
    const PqRollupSpec *spec = &r->spec;

    r->codes = pq_mem_array(r->mem, (size_t)(spec->n_keys + 1) * PQ_ROLLUP_ROWS,
                            sizeof *r->codes, e);
    r->keys = pq_mem_zeros(r->mem, spec->n_keys + 1, sizeof *r->keys, e);
    PQ_TRY(r->codes && r->keys ? PQ_OK : e->rc);
    if (spec->n_keys > 1) {
        PQ_TRY(pq_rollup_ids_new(r->mem, spec->n_keys, spec->memory, &r->ids,
                                 e));
    }
    return init_set(r, e);
}

PqRc pq_rollup_new(PqMem *mem, const PqRollupSpec *spec, PqRollup **out,
                   PqErr *e)
{
    PqRollup *r;
    PqRc rc;

    *out = NULL;
    if (spec->n_keys > PQ_ROLLUP_KEYS) {
        return pq_fail(e, PQ_USAGE, "more than %d keys", PQ_ROLLUP_KEYS);
    }
    r = pq_mem_zeros(mem, 1, sizeof *r, e);
    PQ_TRY(r ? PQ_OK : e->rc);
    r->mem = mem;
    r->spec = *spec;
    r->seed = pq_rollup_seed();
    pq_rollup_spill_init(r);
    rc = make(r, e);
    r->spec.measures = NULL;         /* the states know them */
    if (rc != PQ_OK) {
        pq_rollup_free(r);
        return rc;
    }
    *out = r;
    return PQ_OK;
}

void pq_rollup_free(PqRollup *r)
{
    if (!r) {
        return;
    }
    pq_rollup_set_clear(r);
    pq_rollup_spill_free(r);
    pq_rollup_ids_free(r->ids);
    pq_mem_free(r->set.registers);
    pq_mem_free(r->set.states);
    pq_mem_free(r->set.lines);
    pq_mem_free(r->codes);
    pq_mem_free(r->firsts);
    pq_mem_free(r->keys);
    pq_mem_free(r);
}

size_t pq_rollup_bytes(const PqRollup *r)
{
    size_t n = pq_rollup_tuples_bytes(&r->set.tuples) +
               pq_rollup_ids_bytes(r->ids);

    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        n += pq_rollup_register_bytes(&r->set.registers[k]);
    }
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        n += pq_rollup_state_bytes(&r->set.states[m]);
    }
    for (uint32_t i = 0; i < r->set.n_lines; i++) {
        n += pq_rollup_lines_bytes(&r->set.lines[i]);
    }
    return n;
}

/* ---- groups of rows ------------------------------------------------------ */

static PqRc need_groups(PqRollup *r, uint32_t n, PqErr *e)
{
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        PQ_TRY(pq_rollup_state_need(&r->set.states[m], n, e));
    }
    r->set.n = n > r->set.n ? n : r->set.n;
    return PQ_OK;
}

PqRc pq_rollup_number(PqRollup *r, uint32_t n, PqErr *e)
{
    PqRollupSet *set = &r->set;
    uint32_t n_groups = 1;

    r->numbers = r->found;
    if (r->spec.n_keys == 0) {
        memset(r->found, 0, n * sizeof *r->found);
    } else if (r->spec.n_keys == 1) {
        r->numbers = r->keys[0].codes;
        n_groups = set->registers[0].n;
    } else {
        PQ_TRY(pq_rollup_tuples_find(&set->tuples, r->keys, n, r->found, e));
        n_groups = set->tuples.n;
    }
    return need_groups(r, n_groups, e);
}

/* Gives a key the codes of n rows that tell groups apart. */
PqRc pq_rollup_set_codes(PqRollup *r, uint32_t k, uint32_t n, PqErr *e)
{
    const PqRollupRegister *g = &r->set.registers[k];
    const uint32_t *codes = r->codes + (size_t)k * PQ_ROLLUP_ROWS;
    uint32_t *firsts;

    r->keys[k] = (PqRollupCodes){.codes = codes, .most = g->n};
    if (g->n_firsts == 0) {
        return PQ_OK;
    }
    if (!r->firsts) {
        r->firsts = pq_mem_array(r->mem,
                                 (size_t)r->spec.n_keys * PQ_ROLLUP_ROWS,
                                 sizeof *r->firsts, e);
        PQ_TRY(r->firsts ? PQ_OK : e->rc);
    }
    firsts = r->firsts + (size_t)k * PQ_ROLLUP_ROWS;
    for (uint32_t i = 0; i < n; i++) {
        firsts[i] = pq_rollup_register_first(g, codes[i]);
    }
    r->keys[k].codes = firsts;
    r->keys[k].shown = codes;
    return PQ_OK;
}

/* Puts the code of a constant key into n places. */
static PqRc code_of_constant(PqRollup *r, uint32_t k, uint32_t n,
                             uint32_t *codes, PqErr *e)
{
    PqCell cell = {.kind = PQ_CELL_NULL};
    uint32_t code;

    PQ_TRY(r->spec.cell(r->spec.arg, k, 0, &cell, e));
    PQ_TRY(pq_rollup_register_cell(&r->set.registers[k], &cell, &code, e));
    for (uint32_t i = 0; i < n; i++) {
        codes[i] = code;
    }
    return PQ_OK;
}

static bool all_constant(const PqRollup *r, const PqRollupBatch *b)
{
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        if (!b->keys[k].constant) {
            return false;
        }
    }
    return true;
}

/* Finds the groups of rows by codes, and puts them into r->numbers. */
static PqRc find_by_codes(PqRollup *r, const PqRollupBatch *b,
                          const PqRollupRows *w, uint32_t n, PqErr *e)
{
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        uint32_t *codes = r->codes + (size_t)k * PQ_ROLLUP_ROWS;
        PqRollupRegister *g = &r->set.registers[k];

        PQ_TRY(b->keys[k].constant
                   ? code_of_constant(r, k, n, codes, e)
                   : pq_rollup_register_codes(g, &r->spec, k, &b->keys[k], w,
                                              codes, e));
        PQ_TRY(pq_rollup_set_codes(r, k, n, e));
    }
    return pq_rollup_number(r, n, e);
}

/* Finds the groups of rows by ids, and puts them into r->ids->numbers.  Rows
** whose group is not known yet are found by their codes. */
static PqRc find_by_ids(PqRollup *r, const PqRollupBatch *b,
                        const PqRollupRows *w, PqErr *e)
{
    uint32_t at[PQ_ROLLUP_ROWS], rows[PQ_ROLLUP_ROWS];
    uint32_t n = pq_rollup_ids_find(r->ids, b, w, at);
    PqRollupRows some = {n, rows};

    if (n > 0) {
        for (uint32_t i = 0; i < n; i++) {
            rows[i] = pq_rollup_row(w, at[i]);
        }
        PQ_TRY(find_by_codes(r, b, &some, n, e));
        pq_rollup_ids_learn(r->ids, w, at, r->numbers, n);
    }
    return PQ_OK;
}

/* Finds the group of each row.  If all keys are constant, one row stands for
** all.  In a file that is sorted by the keys, all rows of a batch often belong
** to one group.  work->one says so, because adding them is then faster. */
static PqRc find_groups(PqRollup *r, const PqRollupBatch *b, PqRollupWork *work,
                        PqErr *e)
{
    bool by_ids = false;
    uint32_t n;

    work->one = all_constant(r, b);
    n = work->one ? 1 : work->w.n;
    if (r->ids && !work->one) {
        PQ_TRY(pq_rollup_ids_enter(r->ids, b, r->set.n, r->set.registers,
                                   &r->set.tuples, &by_ids, e));
    }
    PQ_TRY(by_ids ? find_by_ids(r, b, &work->w, e)
                  : find_by_codes(r, b, &work->w, n, e));
    work->numbers = by_ids ? r->ids->numbers : r->numbers;
    work->number = work->numbers[0];
    work->one = work->one || pq_kernels()->count_repeat(work->numbers, n) == n;
    return PQ_OK;
}

/* ---- adding -------------------------------------------------------------- */

static PqRc add_best(PqRollup *r, const PqRollupBatch *b,
                     const PqRollupWork *work, PqErr *e)
{
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        if (pq_rollup_is_best(&r->set.states[m])) {
            PQ_TRY(pq_rollup_state_add(&r->set.states[m], &b->inputs[m],
                                       &r->spec, m, work, e));
        }
    }
    return PQ_OK;
}

/* The count of rows, which is added up along with the first sums; NULL: no
** measure counts rows. */
static PqRollupState *counter_of(const PqRollup *r)
{
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        if (r->set.states[m].op == PQ_ROLLUP_COUNT_ROWS) {
            return &r->set.states[m];
        }
    }
    return NULL;
}

/* Adds sums side by side if possible, and otherwise one after the other. */
static PqRc add_together(const PqRollupTogether *sums, PqRollupLines *lines,
                         const PqRollupWork *work, PqErr *e)
{
    bool done;

    PQ_TRY(pq_rollup_lines_add(lines, sums, work, &done, e));
    if (!done && sums->counter) {
        pq_rollup_count_rows(sums->counter, work);
    }
    for (uint32_t k = 0; !done && k < sums->n; k++) {
        PQ_TRY(pq_rollup_sum_add(sums->states[k], sums->numbers[k], work, e));
    }
    return PQ_OK;
}

/* Adds counts and sums. */
static PqRc add_others(PqRollup *r, const PqRollupBatch *b,
                       const PqRollupWork *work, PqErr *e)
{
    PqRollupLines *lines = r->set.lines;
    PqRollupState *counter = counter_of(r);
    PqRollupTogether sums = {.counter = counter};

    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        PqRollupState *s = &r->set.states[m];

        if (!work->one && pq_rollup_lines_can(s, &b->inputs[m])) {
            sums.states[sums.n] = s;
            sums.numbers[sums.n++] = &b->inputs[m].numbers;
        } else if (s != counter && !pq_rollup_is_best(s)) {
            PQ_TRY(pq_rollup_state_add(s, &b->inputs[m], &r->spec, m, work, e));
        }
        if (sums.n == PQ_ROLLUP_TOGETHER) {
            PQ_TRY(add_together(&sums, lines++, work, e));
            sums.n = 0;
            sums.counter = NULL;
        }
    }
    return add_together(&sums, lines, work, e);
}

/* The part of adding that may run out of memory.  It can be done again, because
** MIN and MAX of a value that was added before do not change. */
static PqRc prepare(PqRollup *r, const PqRollupBatch *b, PqRollupWork *work,
                    PqErr *e)
{
    PQ_TRY(find_groups(r, b, work, e));
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        PQ_TRY(pq_rollup_state_need_kinds(&r->set.states[m],
                                          pq_rollup_kinds_of(&b->inputs[m]), e));
    }
    return add_best(r, b, work, e);
}

/* If memory runs out, the groups of earlier batches are written to the file, and
** the batch is tried again. */
static PqRc prepare_or_spill(PqRollup *r, const PqRollupBatch *b,
                             PqRollupWork *work, PqErr *e)
{
    uint32_t before = r->set.n;
    PqRc rc = prepare(r, b, work, e);

    if (rc == PQ_BUDGET && before > 0) {
        pq_err_clear(e);
        PQ_TRY(pq_rollup_spill(r, before, e));
        rc = prepare(r, b, work, e);
    }
    return rc;
}

static PqRc check_memory(PqRollup *r, PqErr *e)
{
    return pq_rollup_bytes(r) > r->limit ? pq_rollup_spill(r, r->set.n, e)
           : r->set.n >= r->enough       ? pq_rollup_write_set(r, r->set.n, e) : PQ_OK;
}

PqRc pq_rollup_add(PqRollup *r, const PqRollupBatch *b, PqErr *e)
{
    PqRollupWork work = {.w = {b->kept ? b->n_kept : b->n_rows, b->kept}};

    if (work.w.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_stop_poll(&r->spec.stop, e));
    r->n_added += work.w.n;
    if (!pq_rollup_add_by_id(r, b, &work.w, e)) {
        PQ_TRY(prepare_or_spill(r, b, &work, e));
        PQ_TRY(add_others(r, b, &work, e));
    }
    return check_memory(r, e);
}

/* ---- known without reading ----------------------------------------------- */

static PqRc add_known(PqRollup *r, uint32_t m, const PqRollupBatch *b,
                      const PqRollupWork *work, int64_t n_rows, PqErr *e)
{
    PqRollupState *s = &r->set.states[m];
    const PqRollupInputVector *in = &b->inputs[m];

    if (s->op == PQ_ROLLUP_COUNT_ROWS) {
        s->counts[work->number] += n_rows;
        return PQ_OK;
    }
    if (s->op == PQ_ROLLUP_COUNT && in->kind == PQ_ROLLUP_NUMBERS) {
        s->counts[work->number] +=
            (int64_t)pq_rollup_item_of(&in->numbers, 0).wide;
        return PQ_OK;
    }
    return pq_rollup_state_add(s, in, &r->spec, m, work, e);
}

PqRc pq_rollup_add_known(PqRollup *r, const PqRollupBatch *b, int64_t n_rows,
                         PqErr *e)
{
    PqRollupWork work = {.w = {1, NULL}};

    if (n_rows == 0) {
        return PQ_OK;
    }
    PQ_TRY(prepare_or_spill(r, b, &work, e));
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        if (!pq_rollup_is_best(&r->set.states[m])) {
            PQ_TRY(add_known(r, m, b, &work, n_rows, e));
        }
    }
    return check_memory(r, e);
}

/* ---- giving -------------------------------------------------------------- */

static PqRc finish(PqRollup *r, PqErr *e)
{
    if (!r->finished && r->spec.n_keys == 0 && !r->spilled && !r->spec.of_rows) {
        PQ_TRY(need_groups(r, 1, e));
    }
    PQ_TRY(pq_rollup_set_settle(&r->set, e));
    if (!r->finished && r->spilled) {
        PQ_TRY(pq_rollup_spill(r, r->set.n, e));
    }
    r->finished = true;
    return PQ_OK;
}

PqRc pq_rollup_next(PqRollup *r, uint32_t *n, PqErr *e)
{
    *n = 0;
    PQ_TRY(pq_stop_poll(&r->spec.stop, e));
    PQ_TRY(finish(r, e));
    if (r->spilled) {
        PQ_TRY(pq_rollup_next_part(r, e));
        *n = r->set.n;
    } else if (!r->given) {
        *n = r->set.n;
        r->given = true;
    }
    return PQ_OK;
}

PqRc pq_rollup_rewind(PqRollup *r, PqErr *e)
{
    r->given = false;
    return r->spilled ? pq_rollup_rewind_parts(r, e) : PQ_OK;
}

bool pq_rollup_is_whole(const PqRollup *r, uint32_t *n)
{
    *n = r->set.n > 0 || r->spec.n_keys > 0 || r->spec.of_rows ? r->set.n : 1;
    return !r->spilled;
}

uint32_t pq_rollup_n_key_values(const PqRollup *r, uint32_t key)
{
    return r->set.registers[key].n;
}

uint32_t pq_rollup_key_number(const PqRollup *r, uint32_t key, uint32_t i)
{
    return r->spec.n_keys == 1
               ? i : r->set.tuples.codes[(size_t)i * r->spec.n_keys + key];
}

const PqCell *pq_rollup_key(const PqRollup *r, uint32_t key, uint32_t i)
{
    const uint32_t *shown = r->set.tuples.shown;

    return &r->set.registers[key].cells[
        shown ? shown[(size_t)i * r->spec.n_keys + key]
              : pq_rollup_key_number(r, key, i)];
}

PqRc pq_rollup_value(const PqRollup *r, uint32_t measure, uint32_t i,
                     PqRollupValue *out, PqErr *e)
{
    const PqRollupState *s = &r->set.states[measure];

    *out = (PqRollupValue){.cell = {.kind = PQ_CELL_NULL}};
    switch (s->op) {
    case PQ_ROLLUP_COUNT_ROWS:
    case PQ_ROLLUP_COUNT:
        out->cell = pq_cell_int(s->counts[i]);
        return PQ_OK;
    case PQ_ROLLUP_SUM:
        return pq_rollup_sum_value(s, i, out, e);
    default:
        *out = pq_rollup_best_get(s, i);
        return PQ_OK;
    }
}

const int64_t *pq_rollup_counts(const PqRollup *r, uint32_t measure)
{
    const PqRollupState *s = &r->set.states[measure];

    return s->op == PQ_ROLLUP_COUNT_ROWS || s->op == PQ_ROLLUP_COUNT ? s->counts : NULL;
}
