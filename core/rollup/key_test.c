/*
** key_test.c - a bit for each value of a key says whether its rows are wanted.
*/
#include "core/rollup/rollup_inside.h"

#include "core/rollup/key_test.h"
#include "core/simd/kernels.h"

#include <string.h>

static void begin(PqKeyTest *t, PqMem *mem)
{
    pq_rollup_register_init(&t->values, mem, pq_rollup_seed(), t->spec.memory,
                            &t->spec.stop);
    t->n = 0;
}

void pq_key_test_init(PqKeyTest *t, PqMem *mem, const PqRollupSpec *spec)
{
    *t = (PqKeyTest){.spec = *spec};
    begin(t, mem);
}

void pq_key_test_free(PqKeyTest *t)
{
    if (t->values.mem) {
        pq_mem_free(t->passes);
        pq_memo_free(&t->entries);
        pq_rollup_register_free(&t->values);
        *t = (PqKeyTest){0};
    }
}

static void forget_many(PqKeyTest *t)
{
    PqMem *mem = t->values.mem;

    if (pq_rollup_register_bytes(&t->values) > t->spec.memory) {
        pq_rollup_register_free(&t->values);
        begin(t, mem);
    }
}

/* Finds the codes of rows, and asks about values that are new. */
static PqRc find_codes(PqKeyTest *t, const PqRollupKeyVector *v, const PqRollupRows *w,
                       uint32_t *codes, PqErr *e)
{
    PQ_TRY(pq_rollup_register_codes(&t->values, &t->spec, 0, v, w, codes, e));
    for (; t->n < t->values.n; t->n++) {
        PQ_TRY(PQ_GROW(t->values.mem, t->passes, t->n, t->room, e));
        t->passes[t->n] = t->holds(t->of, &t->values.cells[t->n]);
    }
    return PQ_OK;
}

/* ---- rows by ids ----------------------------------------------------------- */

/* The bytes for n entries; a kernel may read beyond the last one. */
static uint32_t room_for(uint32_t n)
{
    return n + PQ_TABLE_SLACK;
}

static PqRc enter_entries(PqKeyTest *t, const PqRollupKeyVector *v, PqErr *e)
{
    uint32_t n = room_for(v->n_entries);
    bool fresh;

    PQ_TRY(pq_memo_enter(&t->entries, t->values.mem, v->entries_serial, n, 2, &fresh,
                         e));
    if (fresh) {
        memset(t->entries.v, 0, (size_t)n * 2);
        memset(t->few, 0, sizeof t->few);
        t->entries.serial = v->entries_serial;
        t->n_known = t->n_passing = 0;
    }
    return PQ_OK;
}

static uint64_t valid_of(const PqRollupKeyVector *v, uint32_t word)
{
    return v->valid ? v->valid[word] : ~(uint64_t)0;
}

static uint8_t *marks_of(const PqKeyTest *t, const PqRollupKeyVector *v, PqKeyMark mark)
{
    return (uint8_t *)t->entries.v + (size_t)mark * room_for(v->n_entries);
}

/* Marks the entries of rows that were not known.  A row may have the entry of a row
** before it: the processor cannot predict this, so there is no branch. */
static void mark_entries(PqKeyTest *t, const PqRollupKeyVector *v, const PqRollupRows *w,
                         const uint32_t *codes)
{
    uint8_t *known = marks_of(t, v, PQ_KEY_KNOWN), *passes = marks_of(t, v, PQ_KEY_PASSES);

    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t id = v->ids[w->rows[i]];

        passes[id] = t->passes[codes[i]];
        t->n_known += !known[id];
        t->n_passing += passes[id] > known[id];
        known[id] = 1;
    }
    for (uint32_t id = 0; v->n_entries <= PQ_KEY_FEW && id < v->n_entries; id++) {
        t->few[PQ_KEY_KNOWN][id / 32] |= (uint32_t)known[id] << id % 32;
        t->few[PQ_KEY_PASSES][id / 32] |= (uint32_t)passes[id] << id % 32;
    }
}

/* The bits of up to 64 rows whose entry is marked. */
static uint64_t look_up(const PqKeyTest *t, const PqRollupKeyVector *v, PqKeyMark mark,
                        uint32_t word, uint32_t n_rows)
{
    const uint32_t *ids = v->ids + word * 64;
    uint32_t n = n_rows - word * 64 < 64 ? n_rows - word * 64 : 64;

    return v->n_entries <= PQ_KEY_FEW
               ? pq_kernels()->look_up_few64(t->few[mark], ids, n)
               : pq_kernels()->look_up64(marks_of(t, v, mark), ids, n);
}

/* Judges the entries of rows that are not known yet. */
static PqRc judge_entries(PqKeyTest *t, const PqRollupKeyVector *v, uint32_t n_rows,
                          const uint64_t *keep, PqErr *e)
{
    uint32_t rows[PQ_ROLLUP_ROWS], codes[PQ_ROLLUP_ROWS], n_words = (n_rows + 63) / 64;
    uint64_t unknown[PQ_ROLLUP_ROWS / 64];
    PqRollupRows w = {0, rows};

    for (uint32_t i = 0; i < n_words; i++) {
        unknown[i] = keep[i] & valid_of(v, i);
        unknown[i] &= unknown[i] ? ~look_up(t, v, PQ_KEY_KNOWN, i, n_rows) : 0;
    }
    w.n = pq_kernels()->list_bits(unknown, n_words, rows);
    if (w.n > 0) {
        PQ_TRY(find_codes(t, v, &w, codes, e));
        mark_entries(t, v, &w, codes);
    }
    return PQ_OK;
}

static PqRc test_ids(PqKeyTest *t, const PqRollupKeyVector *v, uint32_t n_rows,
                     uint64_t *keep, PqErr *e)
{
    PqCell null = {.kind = PQ_CELL_NULL};
    bool all;

    PQ_TRY(enter_entries(t, v, e));
    PQ_TRY(t->n_known < v->n_entries ? judge_entries(t, v, n_rows, keep, e) : PQ_OK);
    all = t->n_passing == v->n_entries;
    for (uint32_t i = 0; i < (n_rows + 63) / 64; i++) {
        uint64_t valid = valid_of(v, i);

        if (keep[i]) {
            keep[i] &= (all ? valid : look_up(t, v, PQ_KEY_PASSES, i, n_rows) & valid) |
                       (~valid && t->holds(t->of, &null) ? ~valid : 0);
        }
    }
    return PQ_OK;
}

/* ---- other rows ------------------------------------------------------------- */

static PqRc test_constant(PqKeyTest *t, const PqRollupKeyVector *v, uint32_t n_rows,
                          uint64_t *keep, PqErr *e)
{
    PqRollupRows first = {1, NULL};
    uint32_t code;

    PQ_TRY(find_codes(t, v, &first, &code, e));
    if (!t->passes[code]) {
        memset(keep, 0, (n_rows + 63) / 64 * sizeof *keep);
    }
    return PQ_OK;
}

static PqRc test_values(PqKeyTest *t, const PqRollupKeyVector *v, uint32_t n_rows,
                        uint64_t *keep, PqErr *e)
{
    uint32_t rows[PQ_ROLLUP_ROWS], codes[PQ_ROLLUP_ROWS], n_words = (n_rows + 63) / 64;
    PqRollupRows w = {pq_kernels()->list_bits(keep, n_words, rows), rows};
    uint32_t at = 0;

    w.rows = w.n == n_rows ? NULL : rows;
    PQ_TRY(find_codes(t, v, &w, codes, e));
    for (uint32_t i = 0; i < n_words; i++) {
        for (uint64_t left = keep[i]; left; left &= left - 1) {
            bool passes = t->passes[codes[at++]];

            keep[i] &= passes ? ~(uint64_t)0 : ~(left & (0 - left));
        }
    }
    return PQ_OK;
}

PqRc pq_key_test_rows(PqKeyTest *t, const PqRollupKeyVector *v, uint32_t n_rows,
                      uint64_t *keep, PqErr *e)
{
    forget_many(t);
    return v->constant ? test_constant(t, v, n_rows, keep, e)
           : v->ids    ? test_ids(t, v, n_rows, keep, e)
                       : test_values(t, v, n_rows, keep, e);
}
