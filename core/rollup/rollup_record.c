/*
** rollup_record.c - groups as bytes, and bytes as groups.
**
** A group that leaves memory becomes a record of a group_store.h:
**
**   [ 8: 0 ][ hash 8 ][ size 4 ]  key  key  ..  measure  measure  ..
**
**   key       [ kind ][ 8 bytes of a number ]  or  [ kind ][ n 4 ][ bytes ]
**   count     [ 8 ]
**   sum       [ flags ][ integers 16 ][ scale, decimals 16 ][ real 8, lost 8 ],
**             those that the flags have
**   min, max  [ kind ] and a value
**
** A group may have several records, which are added up when they come back, in
** any order of the parts.
*/
#include "core/rollup/rollup_inside.h"

#include "core/numbering/hash.h"

#include <string.h>

enum { AT_HASH = 8, AT_SIZE = 16 };

/* ---- writing ------------------------------------------------------------- */

static void put_slice(PqBuf *b, PqSlice s)
{
    uint32_t n = (uint32_t)s.n;

    pq_buf_add(b, &n, sizeof n);
    pq_buf_add(b, s.p, s.n);
}

static void put_decimal(PqBuf *b, __int128 v, int scale)
{
    pq_buf_byte(b, (uint8_t)scale);
    pq_buf_add(b, &v, sizeof v);
}

static void put_sum(PqBuf *b, const PqRollupState *s, uint32_t g)
{
    PqRollupParts parts = pq_rollup_sum_parts(s, g);

    pq_buf_byte(b, parts.kinds);
    if (parts.kinds & PQ_ROLLUP_INT) {
        pq_buf_add(b, &parts.ints, sizeof parts.ints);
    }
    if (parts.kinds & PQ_ROLLUP_DECIMAL) {
        put_decimal(b, parts.decimal, parts.scale);
    }
    if (parts.kinds & PQ_ROLLUP_REAL) {
        pq_buf_add(b, &parts.real, sizeof parts.real);
    }
}

static void put_best(PqBuf *b, const PqRollupState *s, uint32_t g)
{
    PqRollupItem item;

    pq_rollup_best_get(s, g, &item);
    pq_buf_byte(b, (uint8_t)item.kind);
    switch (item.kind) {
    case PQ_ROLLUP_INT:
        pq_buf_add(b, &item.i, sizeof item.i);
        break;
    case PQ_ROLLUP_REAL:
        pq_buf_add(b, &item.r, sizeof item.r);
        break;
    case PQ_ROLLUP_DECIMAL:
        put_decimal(b, item.wide, item.scale);
        break;
    case PQ_ROLLUP_TEXT:
    case PQ_ROLLUP_BLOB:
        put_slice(b, item.bytes);
        break;
    default:
        break;
    }
}

static void put_state(PqBuf *b, const PqRollupState *s, uint32_t g)
{
    if (s->op == PQ_ROLLUP_SUM) {
        put_sum(b, s, g);
    } else if (pq_rollup_is_best(s)) {
        put_best(b, s, g);
    } else {
        pq_buf_add(b, &s->counts[g], sizeof s->counts[g]);
    }
}

PqRc pq_rollup_put_record(const PqRollup *r, uint32_t g, PqBuf *b,
                          uint64_t *hash, PqErr *e)
{
    uint8_t head[PQ_ROLLUP_HEAD] = {0};

    b->n = 0;
    b->sink = e;
    *hash = r->seed;
    pq_buf_add(b, head, sizeof head);
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        const PqCell *c = pq_rollup_key(r, k, g);

        *hash = pq_hash_mix(*hash, pq_cell_hash(c, r->seed));
        pq_cell_put(c, b);
    }
    *hash &= pq_hash_bits;
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        put_state(b, &r->set.states[m], g);
    }
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

static void take(const uint8_t **at, void *to, size_t n)
{
    memcpy(to, *at, n);
    *at += n;
}

static PqSlice take_slice(const uint8_t **at)
{
    uint32_t n;
    PqSlice s;

    take(at, &n, sizeof n);
    s = pq_slice(*at, n);
    *at += n;
    return s;
}

static PqCell take_key(const uint8_t **at)
{
    PqCell c = {.kind = *(*at)++};

    if (c.kind == PQ_CELL_INT) {
        take(at, &c.i, sizeof c.i);
    } else if (c.kind == PQ_CELL_REAL) {
        take(at, &c.r, sizeof c.r);
    } else if (c.kind != PQ_CELL_NULL) {
        c = pq_cell_bytes((PqCellClass)c.kind, take_slice(at));
    }
    return c;
}

static PqRollupItem take_item(const uint8_t **at)
{
    PqRollupItem item = {.kind = *(*at)++};

    switch (item.kind) {
    case PQ_ROLLUP_INT:
        take(at, &item.i, sizeof item.i);
        item.wide = item.i;
        break;
    case PQ_ROLLUP_REAL:
        take(at, &item.r, sizeof item.r);
        break;
    case PQ_ROLLUP_DECIMAL:
        item.scale = *(*at)++;
        take(at, &item.wide, sizeof item.wide);
        break;
    case PQ_ROLLUP_TEXT:
    case PQ_ROLLUP_BLOB:
        item.bytes = take_slice(at);
        break;
    default:
        break;
    }
    return item;
}

static PqRc take_sum(PqRollupState *s, uint32_t g, const uint8_t **at, PqErr *e)
{
    PqRollupParts parts = {.kinds = *(*at)++};

    if (parts.kinds & PQ_ROLLUP_INT) {
        take(at, &parts.ints, sizeof parts.ints);
    }
    if (parts.kinds & PQ_ROLLUP_DECIMAL) {
        parts.scale = *(*at)++;
        take(at, &parts.decimal, sizeof parts.decimal);
    }
    if (parts.kinds & PQ_ROLLUP_REAL) {
        take(at, &parts.real, sizeof parts.real);
    }
    return pq_rollup_sum_parts_add(s, g, &parts, e);
}

/* Adds a record's measures to group g. */
static PqRc take_states(PqRollup *r, uint32_t g, const uint8_t *at, PqErr *e)
{
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        PqRollupState *s = &r->set.states[m];
        PqRollupItem item;
        int64_t count;

        if (s->op == PQ_ROLLUP_SUM) {
            PQ_TRY(take_sum(s, g, &at, e));
        } else if (pq_rollup_is_best(s)) {
            item = take_item(&at);
            PQ_TRY(pq_rollup_best_item(s, g, &item, e));
        } else {
            take(&at, &count, sizeof count);
            s->counts[g] += count;
        }
    }
    return PQ_OK;
}

/* Their keys become codes; *at passes them. */
static PqRc take_keys(PqRollup *r, const uint8_t **at, uint32_t n, PqErr *e)
{
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        uint32_t *codes = r->codes + (size_t)k * PQ_ROLLUP_ROWS;
        PqRollupRegister *g = &r->set.registers[k];

        for (uint32_t i = 0; i < n; i++) {
            PqCell c = take_key(&at[i]);

            PQ_TRY(pq_rollup_register_cell(g, &c, &codes[i], e));
        }
        PQ_TRY(pq_rollup_set_codes(r, k, n, e));
    }
    return PQ_OK;
}

PqRc pq_rollup_take_records(PqRollup *r, const uint8_t *const *records,
                            uint32_t n, PqErr *e)
{
    const uint8_t *at[PQ_ROLLUP_ROWS];

    for (uint32_t i = 0; i < n; i++) {
        at[i] = records[i] + PQ_ROLLUP_HEAD;
    }
    PQ_TRY(take_keys(r, at, n, e));
    PQ_TRY(pq_rollup_number(r, n, e));
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(take_states(r, r->numbers[i], at[i], e));
    }
    return PQ_OK;
}
