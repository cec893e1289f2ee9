/*
** rollup_merge.c - adds the groups of one rollup to another.
**
**   from                    codes of its key      r
**   SE  n 2  sum 6.0        SE 0 -> 3             FI 0   SE 3
**   FI  n 1  sum 1.0        FI 1 -> 0             n += 2 at 3, n += 1 at 0
**
** Each value of a key is looked up once.  Then a group is a tuple of codes, as
** a row is, and measures are added array by array.
**
** Where memory does not hold the groups of both, the groups of r go to the
** file, and the rest of `from` follows them.
*/
#include "core/rollup/rollup_inside.h"

enum { POLL_VALUES = 1 << 10 };

typedef struct Merge {
    PqRollup  *r, *from;
    uint32_t **codes;                /* by key: code of from -> code of r   */
} Merge;

/* ---- codes --------------------------------------------------------------- */

static PqRc translate(Merge *m, uint32_t k, PqErr *e)
{
    PqRollupRegister *to = &m->r->set.registers[k];
    const PqRollupRegister *from = &m->from->set.registers[k];

    m->codes[k] = pq_mem_array(m->r->mem, (size_t)from->n + 1,
                               sizeof *m->codes[k], e);
    PQ_TRY(m->codes[k] ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < from->n; i++) {
        if (i % POLL_VALUES == 0) {
            PQ_TRY(pq_stop_poll(&m->r->spec.stop, e));
        }
        PQ_TRY(pq_rollup_register_cell(to, &from->cells[i], &m->codes[k][i], e));
    }
    return PQ_OK;
}

static PqRc translate_all(Merge *m, PqErr *e)
{
    m->codes = pq_mem_zeros(m->r->mem, m->r->spec.n_keys + 1, sizeof *m->codes,
                            e);
    PQ_TRY(m->codes ? PQ_OK : e->rc);
    for (uint32_t k = 0; k < m->r->spec.n_keys; k++) {
        PQ_TRY(translate(m, k, e));
    }
    return PQ_OK;
}

static void free_codes(Merge *m)
{
    for (uint32_t k = 0; m->codes && k < m->r->spec.n_keys; k++) {
        pq_mem_free(m->codes[k]);
    }
    pq_mem_free(m->codes);
    m->codes = NULL;
}

/* ---- groups -------------------------------------------------------------- */

/* Puts into r->numbers which groups of r have the keys of groups [first, first
** + n) of `from`. */
static PqRc find_groups(Merge *m, uint32_t first, uint32_t n, PqErr *e)
{
    PqRollup *r = m->r;
    const PqRollupTuples *t = &m->from->set.tuples;
    const uint32_t *shown = t->shown ? t->shown : t->codes;

    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        uint32_t *codes = r->codes + (size_t)k * PQ_ROLLUP_ROWS;

        for (uint32_t i = 0; i < n; i++) {
            size_t g = first + i;

            codes[i] = m->codes[k][r->spec.n_keys == 1
                                       ? g : shown[g * r->spec.n_keys + k]];
        }
        PQ_TRY(pq_rollup_set_codes(r, k, n, e));
    }
    return pq_rollup_number(r, n, e);
}

/* Adds MIN and MAX, or the other measures. */
static PqRc add_states(Merge *m, uint32_t first, uint32_t n, bool best, PqErr *e)
{
    for (uint32_t i = 0; i < m->r->spec.n_measures; i++) {
        PqRollupGroups groups = {&m->from->set.states[i], first, n,
                                 m->r->numbers};
        PqRollupState *s = &m->r->set.states[i];

        if (pq_rollup_is_best(s) == best) {
            PQ_TRY(pq_rollup_state_add_groups(s, &groups, e));
        }
    }
    return PQ_OK;
}

/* The part that may run out of memory.  It can be done again: see
** pq_rollup_state_add. */
static PqRc prepare(Merge *m, uint32_t first, uint32_t n, PqErr *e)
{
    PQ_TRY(m->codes ? PQ_OK : translate_all(m, e));
    PQ_TRY(find_groups(m, first, n, e));
    for (uint32_t i = 0; i < m->r->spec.n_measures; i++) {
        PqRollupGroups groups = {&m->from->set.states[i], first, n,
                                 m->r->numbers};

        PQ_TRY(pq_rollup_state_need_groups(&m->r->set.states[i], &groups, e));
    }
    return add_states(m, first, n, true, e);
}

static PqRc merge_groups(Merge *m, PqErr *e)
{
    PqRollup *r = m->r, *from = m->from;

    for (uint32_t g = 0, n; g < from->set.n; g += n) {
        uint32_t before = r->set.n;
        PqRc rc;

        n = from->set.n - g;
        n = n < PQ_ROLLUP_ROWS ? n : PQ_ROLLUP_ROWS;
        PQ_TRY(pq_stop_poll(&r->spec.stop, e));
        rc = prepare(m, g, n, e);
        if (rc == PQ_BUDGET) {
            pq_err_clear(e);
            PQ_TRY(pq_rollup_spill(r, before, e));
            return pq_rollup_write_groups(r, from, g, from->set.n, e);
        }
        PQ_TRY(rc);
        PQ_TRY(add_states(m, g, n, false, e));
        if (pq_rollup_bytes(r) > r->limit) {
            PQ_TRY(pq_rollup_spill(r, r->set.n, e));
            return pq_rollup_write_groups(r, from, g + n, from->set.n, e);
        }
    }
    return PQ_OK;
}

PqRc pq_rollup_merge(PqRollup *r, PqRollup *from, PqErr *e)
{
    Merge m = {.r = r, .from = from};
    PqRc rc;

    PQ_TRY(pq_rollup_set_settle(&from->set, e));
    PQ_TRY(from->spilled ? pq_rollup_take_spilled(r, from, e) : PQ_OK);
    rc = r->spilled ? pq_rollup_write_groups(r, from, 0, from->set.n, e)
                    : merge_groups(&m, e);
    free_codes(&m);
    PQ_TRY(rc);
    pq_rollup_set_clear(from);
    return PQ_OK;
}
