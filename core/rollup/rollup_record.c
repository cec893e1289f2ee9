/*
** rollup_record.c - groups as bytes, and bytes as groups.
**
** A group that leaves memory becomes a record of a group_store.h:
**
**   [ 8: 0 ][ hash 8 ][ size 4 ]  key  key  ..  measure  measure  ..
**
**   key       [ kind ][ 8 bytes of a number ]  or  [ kind ][ n 4 ][ bytes ]
**   count     [ 8 ]
**   sum       [ flags ][ integers ][ scale, decimals ][ real 8, lost 8 ], those that
**             the flags have: 8 bytes of integers or decimals, or 16 if the flags say so
**   min, max  as a key; [ 0 ] or [ 1 ][ scale, decimal 16 ]
**
** A group may have several records, which are added up when they come back, in
** any order.
*/
#include "core/rollup/rollup_inside.h"

#include "core/numbering/hash.h"

#include <string.h>

enum { AT_HASH = 8, AT_SIZE = 16,
       WIDE_INTS = 1 << 6, WIDE_DECIMALS = 1 << 7 };  /* beside the kinds of a sum */

/* ---- both ways ----------------------------------------------------------- */

/* Writes a record, or takes one apart.  So the format of each part is in one
** place. */
typedef struct Coder {
    PqBuf         *out;              /* NULL: takes a record apart          */
    const uint8_t *in;
} Coder;

static inline void code(Coder *c, void *v, size_t n)
{
    if (c->out && c->out->room - c->out->n >= n) {
        memcpy(c->out->p + c->out->n, v, n);
        c->out->n += n;
    } else if (c->out) {
        pq_buf_add(c->out, v, n);
    } else {
        memcpy(v, c->in, n);
        c->in += n;
    }
}

static void code_byte(Coder *c, int *v)
{
    uint8_t byte = (uint8_t)*v;

    code(c, &byte, 1);
    *v = byte;
}

/* By 8 bytes, as they were stored: to load 16 bytes that were stored as twice 8 waits until
** both have reached the cache. */
static void code_exact(Coder *c, __int128 *v, bool wide)
{
    uint64_t low = (uint64_t)*v, high = (uint64_t)((unsigned __int128)*v >> 64);

    code(c, &low, sizeof low);
    if (wide) {
        code(c, &high, sizeof high);
    } else {
        high = low >> 63 ? UINT64_MAX : 0;
    }
    *v = (__int128)((unsigned __int128)high << 64 | low);
}

static void code_sum(Coder *c, PqRollupParts *p)
{
    uint8_t flags = p->kinds;

    flags |= p->ints == (int64_t)p->ints ? 0 : WIDE_INTS;
    flags |= p->decimal == (int64_t)p->decimal ? 0 : WIDE_DECIMALS;
    code(c, &flags, sizeof flags);
    p->kinds = flags & (uint8_t)~(WIDE_INTS | WIDE_DECIMALS);
    if (flags & PQ_ROLLUP_INT) {
        code_exact(c, &p->ints, flags & WIDE_INTS);
    }
    if (flags & PQ_ROLLUP_DECIMAL) {
        code_byte(c, &p->scale);
        code_exact(c, &p->decimal, flags & WIDE_DECIMALS);
    }
    if (flags & PQ_ROLLUP_REAL) {
        code(c, &p->real, sizeof p->real);
    }
}

/* The bytes of a cell that is taken apart stay in the record. */
static void code_cell(Coder *c, PqCell *cell)
{
    code(c, &cell->kind, sizeof cell->kind);
    if (pq_cell_is_number(cell)) {
        code(c, &cell->i, sizeof cell->i);
    } else if (pq_cell_has_bytes(cell)) {
        code(c, &cell->n, sizeof cell->n);
        if (c->out) {
            pq_buf_add(c->out, cell->p, cell->n);
        } else {
            cell->p = c->in;
            c->in += cell->n;
        }
    }
}

static void code_best(Coder *c, PqRollupValue *v)
{
    code_cell(c, &v->cell);
    code(c, &v->is_decimal, sizeof v->is_decimal);
    if (v->is_decimal) {
        code_byte(c, &v->scale);
        code(c, &v->decimal, sizeof v->decimal);
    }
}

/* Writes the value of a measure in group g, or adds to it. */
static PqRc code_state(Coder *c, PqRollupState *s, uint32_t g, PqErr *e)
{
    PqRollupParts parts = {0};
    PqRollupValue best = {.is_decimal = false};
    int64_t count = 0;

    if (s->op == PQ_ROLLUP_SUM) {
        if (c->out) {
            pq_rollup_sum_parts(s, g, &parts);
        }
        code_sum(c, &parts);
        return c->out ? PQ_OK : pq_rollup_sum_parts_add(s, g, &parts, e);
    }
    if (pq_rollup_is_best(s)) {
        best = c->out ? pq_rollup_best_get(s, g) : best;
        code_best(c, &best);
        return c->out ? PQ_OK : pq_rollup_best_value(s, g, &best, e);
    }
    count = c->out ? s->counts[g] : 0;
    code(c, &count, sizeof count);
    s->counts[g] += c->out ? 0 : count;
    return PQ_OK;
}

static PqRc code_states(Coder *c, const PqRollup *r, uint32_t g, PqErr *e)
{
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        PQ_TRY(code_state(c, &r->set.states[m], g, e));
    }
    return PQ_OK;
}

/* ---- writing ------------------------------------------------------------- */

PqRc pq_rollup_put_record(const PqRollup *r, uint32_t g, PqBuf *b,
                          uint64_t *hash, PqErr *e)
{
    uint8_t head[PQ_ROLLUP_HEAD] = {0};
    Coder c = {.out = b};

    b->n = 0;
    b->sink = e;
    *hash = r->seed;
    pq_buf_add(b, head, sizeof head);
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        PqCell key = *pq_rollup_key(r, k, g);

        *hash = pq_hash_mix(*hash, pq_cell_hash(&key, r->seed));
        code_cell(&c, &key);
    }
    *hash &= pq_hash_bits;
    PQ_TRY(code_states(&c, r, g, e));
    b->sink = NULL;
    PQ_TRY(e->rc);
    if (b->n > INT32_MAX) {
        return pq_fail(e, PQ_BUDGET, "a group of %zu bytes is too long", b->n);
    }
    pq_store_u64(b->p + AT_HASH, *hash);
    pq_store_u32(b->p + AT_SIZE, (uint32_t)b->n);
    return PQ_OK;
}

/* ---- reading ------------------------------------------------------------- */

/* Finds the codes of cells, those of integers together. */
static PqRc find_codes(PqRollup *r, uint32_t k, const PqCell *cells, uint32_t n,
                       PqErr *e)
{
    uint32_t *codes = r->codes + (size_t)k * PQ_ROLLUP_ROWS, n_ints = 0;
    PqRollupRegister *g = &r->set.registers[k];
    int64_t ints[PQ_ROLLUP_RECORDS];
    PqRollupKeyVector v = {.form = PQ_GROUP_INTS, .as_is = true,
                           .width = sizeof *ints, .values = ints};

    while (n_ints < n && cells[n_ints].kind == PQ_CELL_INT) {
        ints[n_ints] = cells[n_ints].i;
        n_ints++;
    }
    if (n_ints == n && !g->has_reals) {
        return pq_rollup_register_codes(g, &r->spec, k, &v, &(PqRollupRows){n, NULL},
                                        codes, e);
    }
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(pq_rollup_register_cell(g, &cells[i], &codes[i], e));
    }
    return PQ_OK;
}

/* Turns the keys of n records into codes, and moves the coders past the
** keys. */
static PqRc take_keys(PqRollup *r, Coder *c, uint32_t n, PqErr *e)
{
    PqCell cells[PQ_ROLLUP_RECORDS];

    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        for (uint32_t i = 0; i < n; i++) {
            cells[i].kind = PQ_CELL_NULL;
            code_cell(&c[i], &cells[i]);
        }
        PQ_TRY(find_codes(r, k, cells, n, e));
        PQ_TRY(pq_rollup_set_codes(r, k, n, e));
    }
    return PQ_OK;
}

void pq_rollup_record_keys(const PqRollup *r, const uint8_t *record, PqCell *out)
{
    Coder c = {.in = record + PQ_ROLLUP_HEAD};

    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        out[k] = (PqCell){.kind = PQ_CELL_NULL};
        code_cell(&c, &out[k]);
    }
}

PqRc pq_rollup_take_records(PqRollup *r, const uint8_t *const *records,
                            uint32_t n, PqErr *e)
{
    Coder c[PQ_ROLLUP_RECORDS];

    for (uint32_t i = 0; i < n; i++) {
        c[i] = (Coder){.in = records[i] + PQ_ROLLUP_HEAD};
    }
    PQ_TRY(take_keys(r, c, n, e));
    PQ_TRY(pq_rollup_number(r, n, e));
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(code_states(&c[i], r, r->numbers[i], e));
    }
    return PQ_OK;
}
