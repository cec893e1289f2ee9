/*
** rollup_test.c - every combination comes once, and its measures are exact.
**
** Batches are made by chance: of each key the cell of each row is chosen first,
** then a vector that stands for it, in one of many forms.  What a rollup gives is
** compared with groups that are found by a text of their cells.  Most have an order,
** which their blocks and lists have to have.
*/
#include "core/rollup/rollup_register.h"

#include "core/numbering/hash.h"
#include "test/unit/test.h"

#include <math.h>
#include <stdlib.h>

enum { FEW_ENTRIES = 12, KEYS = 3, MEASURES = 6, ROWS = PQ_ROLLUP_ROWS, MOST_GROUPS = 1 << 16 };

/* ---- what is expected ---------------------------------------------------- */

typedef struct Expected {
    char    *name;                   /* cells, as text; NULL: free          */
    bool     seen;
    int64_t  rows, count;
    __int128 sum;
    double   real_sum;
    int64_t  least, most;
    char     text[16];               /* the least                           */
} Expected;

typedef struct Maker {
    uint64_t    state;
    uint32_t    n_keys;
    bool        wide;                /* many values                         */
    bool        repeats;             /* dictionaries come in some batches   */
    bool        dictionaries;        /* all keys come by ids                */
    PqCell cells[KEYS][ROWS], entries[KEYS][ROWS];
    char        bytes[KEYS][ROWS][24];
    int64_t     ints[KEYS][ROWS];
    int32_t     narrow[KEYS][ROWS];
    double      reals[KEYS][ROWS];
    PqStr       texts[KEYS][ROWS];
    uint32_t    ids[KEYS][ROWS];
    uint64_t    valid[KEYS][ROWS / 64];
    PqRollupKeyVector keys[KEYS];
    int64_t     values[ROWS];
    double      doubles[ROWS];
    PqStr       inputs[ROWS];
    char        input_bytes[ROWS][16];
    uint64_t    some[ROWS / 64];
    uint32_t    kept[ROWS];
    uint64_t    serial;
    Expected   *groups;
    uint32_t    n_groups;
    PqRollupBy  by[KEYS];            /* the order of groups                 */
    uint32_t    n_by;
} Maker;

static uint64_t chance(Maker *m)
{
    m->state = pq_hash_mix(m->state, 0x9e37);
    return m->state;
}

static int put_cell(char *to, size_t room, const PqCell *c)
{
    switch (c->kind) {
    case PQ_CELL_NULL:
        return snprintf(to, room, "null,");
    case PQ_CELL_INT:
        return snprintf(to, room, "%lld,", (long long)c->i);
    case PQ_CELL_REAL:
        return c->r == floor(c->r)
                   ? snprintf(to, room, "%lld,", (long long)c->r)
                   : snprintf(to, room, "%.17g,", c->r);
    default:
        return snprintf(to, room, "%c'%.*s',",
                        c->kind == PQ_CELL_TEXT ? 't' : 'x', (int)c->n,
                        c->p ? (const char *)c->p : "");
    }
}

static Expected *expected(Maker *m, const PqCell *cells, bool add)
{
    char name[128] = "";
    size_t n = 0;
    uint32_t at;

    for (uint32_t k = 0; k < m->n_keys; k++) {
        n += (size_t)put_cell(name + n, sizeof name - n, &cells[k]);
    }
    at = (uint32_t)pq_hash_bytes(name, n) & (MOST_GROUPS - 1);
    while (m->groups[at].name && strcmp(m->groups[at].name, name) != 0) {
        at = (at + 1) & (MOST_GROUPS - 1);
    }
    if (!m->groups[at].name && add) {
        m->groups[at] = (Expected){.name = malloc(n + 1), .least = INT64_MAX,
                                   .most = INT64_MIN, .text = "~"};
        memcpy(m->groups[at].name, name, n + 1);
        m->n_groups++;
    }
    return m->groups[at].name ? &m->groups[at] : NULL;
}

/* ---- batches ------------------------------------------------------------- */

static PqRc cell(void *arg, uint32_t key, uint32_t row, PqCell *out,
                 PqErr *e)
{
    *out = ((Maker *)arg)->cells[key][row];
    return PQ_OK;
}

static PqRc input_cell(void *arg, uint32_t measure, uint32_t row,
                       PqCell *out, PqErr *e)
{
    Maker *m = arg;

    *out = pq_cell_text(pq_slice(m->inputs[row].p, m->inputs[row].n));
    return PQ_OK;
}

/* A text or a BLOB. */
static void set_bytes(Maker *m, uint32_t k, uint32_t row, PqCellClass kind,
                      int64_t v)
{
    int n = snprintf(m->bytes[k][row], sizeof m->bytes[k][row], "%lld",
                     (long long)v);

    m->cells[k][row] = pq_cell_bytes(kind,
                                     pq_slice(m->bytes[k][row], (size_t)n));
}

/* The stored value v of a row, and its cell. */
static void set_value(Maker *m, uint32_t k, uint32_t row, int64_t v)
{
    PqRollupKeyVector *key = &m->keys[k];
    PqCell *c = &m->cells[k][row];

    m->ints[k][row] = v;
    m->narrow[k][row] = (int32_t)v;
    m->reals[k][row] = v % 3 ? (double)v : (double)v / 8 + 0.0;
    *c = pq_cell_int(v);
    if (key->form == PQ_GROUP_REALS && key->as_is) {
        *c = pq_cell_real(m->reals[k][row]);
    } else if (key->form == PQ_GROUP_BYTES && key->as_is) {
        set_bytes(m, k, row, PQ_CELL_TEXT, v);
    } else if (!key->as_is) {        /* several stored values, one cell */
        int64_t w = key->form == PQ_GROUP_CELLS ? v : v / 2;

        if (key->meaning % 2 && w % 5 == 0) {
            set_bytes(m, k, row, w % 10 ? PQ_CELL_TEXT : PQ_CELL_BLOB, w);
        } else if (w % 7 == 0) {
            *c = (PqCell){.kind = PQ_CELL_NULL};
        } else {
            *c = pq_cell_real((double)w / 4);
        }
    }
    m->texts[k][row] = pq_cell_has_bytes(c) ? pq_cell_str(c) : (PqStr){NULL, 0};
}

static const void *values_of(Maker *m, uint32_t k)
{
    switch (m->keys[k].form) {
    case PQ_GROUP_INTS:
        return m->keys[k].width == 4 ? (const void *)m->narrow[k] : m->ints[k];
    case PQ_GROUP_REALS:
        return m->reals[k];
    default:
        return m->texts[k];
    }
}

static void make_key(Maker *m, uint32_t k, uint32_t n)
{
    PqRollupKeyVector *key = &m->keys[k];
    uint64_t domain = m->wide ? 3000 : 5 + k * 7, step = 1;
    bool ids = m->dictionaries || chance(m) % 3 == 0;
    bool nulls = chance(m) % (m->dictionaries ? 9 : 2) == 1;
    uint32_t few = m->dictionaries ? 1 + (uint32_t)(chance(m) % FEW_ENTRIES)
                                   : n;

    *key = (PqRollupKeyVector){.form = (PqGroupForm)(chance(m) % 4),
                               .as_is = chance(m) % 2,
                               .width = chance(m) % 2 ? 4 : 8,
                               .meaning = chance(m) % 4};
    if (key->form == PQ_GROUP_REALS) {
        key->width = 8;
    }
    if (key->form == PQ_GROUP_CELLS ||
        (key->form == PQ_GROUP_BYTES && !key->as_is)) {
        key->as_is = key->form != PQ_GROUP_CELLS;
    }
    if (m->wide && chance(m) % 2) {
        step = key->width == 4 ? 100003 : 10000000019u;
    }
    key->values = values_of(m, k);
    key->valid = nulls ? m->valid[k] : NULL;
    key->ids = ids ? m->ids[k] : NULL;
    key->n_entries = few < n ? few : n;
    key->entries_serial = ++m->serial;
    for (uint32_t i = 0; i < n; i++) {
        int64_t v = (int64_t)(chance(m) % domain * step) - 9;

        set_value(m, k, i, v);
        m->entries[k][i] = m->cells[k][i];
        m->ids[k][i] = i;
        if (ids && i > 0 && (i >= few || chance(m) % 2)) {
            uint32_t was = (uint32_t)(chance(m) % i);  /* an earlier entry */

            m->ids[k][i] = m->ids[k][was];
            m->cells[k][i] = m->cells[k][m->ids[k][was]];
        }
    }
    memset(m->valid[k], 0xff, sizeof m->valid[k]);
    for (uint32_t i = 0; nulls && i < n; i++) {
        if (chance(m) % 9 == 0) {
            m->valid[k][i / 64] &= ~((uint64_t)1 << i % 64);
        }
    }
}

/* Other rows of the dictionaries that the batch before had. */
static void make_again(Maker *m, uint32_t n)
{
    for (uint32_t k = 0; k < m->n_keys; k++) {
        m->keys[k].valid = NULL;
        for (uint32_t i = 0; i < n; i++) {
            m->ids[k][i] = (uint32_t)(chance(m) % m->keys[k].n_entries);
            m->cells[k][i] = m->entries[k][m->ids[k][i]];
        }
    }
}

static PqCell cell_of(const Maker *m, uint32_t k, uint32_t row)
{
    const PqRollupKeyVector *key = &m->keys[k];

    if (key->valid && !pq_bit(key->valid, row)) {
        return (PqCell){.kind = PQ_CELL_NULL};
    }
    return m->cells[k][row];
}

static void expect_row(Maker *m, uint32_t row)
{
    PqCell cells[KEYS];
    Expected *x;

    for (uint32_t k = 0; k < m->n_keys; k++) {
        cells[k] = cell_of(m, k, row);
    }
    x = expected(m, cells, true);
    x->rows++;
    x->real_sum += m->doubles[row];
    if (strcmp(m->input_bytes[row], x->text) < 0) {
        memcpy(x->text, m->input_bytes[row], sizeof x->text);
    }
    if (pq_bit(m->some, row)) {
        x->count++;
        x->sum += m->values[row];
        x->least = m->values[row] < x->least ? m->values[row] : x->least;
        x->most = m->values[row] > x->most ? m->values[row] : x->most;
    }
}

static const PqRollupOp measures[MEASURES] = {
    PQ_ROLLUP_COUNT_ROWS, PQ_ROLLUP_COUNT, PQ_ROLLUP_SUM,
    PQ_ROLLUP_MIN, PQ_ROLLUP_SUM, PQ_ROLLUP_MIN};

static void make_batch(Maker *m, PqRollupBatch *b, PqRollupInputVector *in)
{
    uint32_t n = 1 + (uint32_t)(chance(m) % ROWS);
    bool decimal = chance(m) % 2;

    *b = (PqRollupBatch){.n_rows = n, .keys = m->keys, .inputs = in};
    if (m->dictionaries && chance(m) % 4) {
        make_again(m, n);
    } else {
        m->dictionaries = m->repeats && chance(m) % 3 != 0;
        for (uint32_t k = 0; k < m->n_keys; k++) {
            make_key(m, k, n);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        m->values[i] = (int64_t)(chance(m) % 2001) - 1000;
        m->doubles[i] = (double)(int64_t)(chance(m) % 4001) / 8 - 250;
        m->inputs[i].p = (const uint8_t *)m->input_bytes[i];
        m->inputs[i].n = (uint32_t)snprintf(
            m->input_bytes[i], sizeof m->input_bytes[i], "%x",
            (unsigned)(chance(m) % 100000));
    }
    for (uint32_t i = 0; i < ROWS / 64; i++) {
        m->some[i] = chance(m) | chance(m);
    }
    if (chance(m) % 2) {
        b->kept = m->kept;
        for (uint32_t i = 0; i < n; i++) {
            m->kept[b->n_kept] = i;
            b->n_kept += chance(m) % 3 != 0;
        }
    }
    memset(in, 0, MEASURES * sizeof *in);
    in[1] = (PqRollupInputVector){.kind = PQ_ROLLUP_VALIDITY, .valid = m->some};
    in[2] = (PqRollupInputVector){.kind = PQ_ROLLUP_NUMBERS};
    in[2].numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = n,
                                .values = m->values, .valid = m->some};
    in[3] = in[2];
    in[4] = (PqRollupInputVector){.kind = PQ_ROLLUP_NUMBERS};
    in[4].numbers = (PqNumbers){.kind = PQ_NUMBER_REAL, .n = n,
                                .values = m->doubles};
    in[5] = (PqRollupInputVector){.kind = decimal ? PQ_ROLLUP_BYTES
                                                  : PQ_ROLLUP_CELLS,
                                  .texts = m->inputs};
    for (uint32_t i = 0; i < (b->kept ? b->n_kept : n); i++) {
        expect_row(m, b->kept ? b->kept[i] : i);
    }
}

/* ---- comparing ----------------------------------------------------------- */

static void check_group(Test *t, Maker *m, PqRollup *r, uint32_t i)
{
    PqCell cells[KEYS];
    PqRollupValue v[MEASURES];
    Expected *x;

    for (uint32_t k = 0; k < m->n_keys; k++) {
        cells[k] = *pq_rollup_key(r, k, i);
    }
    for (uint32_t k = 0; k < MEASURES; k++) {
        CHECK_OK(pq_rollup_value(r, k, i, &v[k], t->e));
    }
    x = expected(m, cells, false);
    CHECK(x);
    CHECK(!x->seen);
    x->seen = true;
    CHECK_INT(v[0].cell.i, x->rows);
    CHECK_INT(v[1].cell.i, x->count);
    CHECK_INT(v[2].cell.kind, x->count ? PQ_CELL_INT : PQ_CELL_NULL);
    CHECK_INT(v[3].cell.kind, x->count ? PQ_CELL_INT : PQ_CELL_NULL);
    CHECK_INT(v[2].cell.i, x->sum);
    CHECK_INT(v[3].cell.i, x->count ? x->least : 0);
    CHECK_INT(v[4].cell.kind, PQ_CELL_REAL);
    CHECK(v[4].cell.r == x->real_sum);           /* eighths: exact */
    CHECK_INT(v[5].cell.kind, PQ_CELL_TEXT);
    CHECK_BYTES(v[5].cell.p, v[5].cell.n, x->text, strlen(x->text));
}

static uint64_t n_spilled, n_failed;
static bool may_fail;
static uint64_t n_asked, stop_at;    /* 0: never                            */

static bool asked(void *arg)
{
    return ++n_asked == stop_at;
}

/* ---- their order ----------------------------------------------------------- */

/* What was seen of the blocks before. */
typedef struct Blocks {
    bool    any, alone;              /* the last one has equal groups only  */
    PqCell  last[KEYS];
    PqArena arena;
} Blocks;

/* Compares the group with cells, in the order. */
static int compare_group(const Maker *m, const PqRollup *r, uint32_t group,
                         const PqCell *cells)
{
    for (uint32_t i = 0; i < m->n_by; i++) {
        int c = pq_cell_compare(pq_rollup_key(r, m->by[i].number, group), &cells[i]);

        if (c != 0) {
            return m->by[i].desc ? -c : c;
        }
    }
    return 0;
}

static void take_group(const Maker *m, const PqRollup *r, uint32_t group, PqCell *out)
{
    for (uint32_t i = 0; i < m->n_by; i++) {
        out[i] = *pq_rollup_key(r, m->by[i].number, group);
    }
}

/* How often neighbours of the list differ.  Counts each group's places in `times`. */
static void count_changes(Test *t, const Maker *m, const PqRollup *r,
                          const PqRollupLineUp *how, const uint32_t *list,
                          uint8_t *times, uint32_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < how->n; i++) {
        PqCell before[KEYS];
        int c;

        times[list[i]]++;
        if (i > 0) {
            take_group(m, r, list[i - 1], before);
            c = compare_group(m, r, list[i], before);
            CHECK(!how->sorted || c >= 0);
            *out += c != 0;
        }
    }
}

static void check_block(Test *t, const Maker *m, Blocks *b, const PqRollup *r, uint32_t n)
{
    static uint8_t times[MOST_GROUPS];
    uint32_t *sorted, *together, differ, differ_together;
    PqRollupLineUp some = {.by = m->by, .n_by = m->n_by, .n = n}, all = some;
    PqArena *a = &b->arena;

    all.sorted = true;
    if (pq_rollup_line_up(r, &some, a, &together, t->e) != PQ_OK ||
        pq_rollup_line_up(r, &all, a, &sorted, t->e) != PQ_OK) {
        CHECK(may_fail);
        pq_err_clear(t->e);
        b->any = false;
        return;
    }
    memset(times, 0, sizeof times);
    count_changes(t, m, r, &some, together, times, &differ_together);
    count_changes(t, m, r, &all, sorted, times, &differ);
    CHECK_INT(differ_together, differ);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_INT(times[i], 2);
    }
    if (b->any && m->n_by > 0) {
        int c = compare_group(m, r, sorted[0], b->last);

        CHECK(c > 0 || (c == 0 && b->alone && differ == 0));
    }
    b->any = true;
    b->alone = differ == 0;
    take_group(m, r, sorted[n - 1], b->last);
    for (uint32_t i = 0; i < m->n_by; i++) {
        b->any = b->any && pq_cell_keep(&b->last[i], a, t->e) == PQ_OK;
    }
    CHECK(b->any || may_fail);
    pq_err_clear(t->e);
}

static void check_all(Test *t, Maker *m, PqRollup *r)
{
    Blocks blocks = {.any = false};
    uint32_t n, total = 0;

    pq_arena_init(&blocks.arena, t->mem);
    for (uint32_t i = 0; i < MOST_GROUPS; i++) {
        m->groups[i].seen = false;
    }
    for (;;) {
        if (pq_rollup_next(r, &n, t->e) != PQ_OK && may_fail) {
            n_failed++;
            pq_err_clear(t->e);
            pq_arena_free(&blocks.arena);
            return;
        }
        CHECK_OK(t->e->rc);
        if (n == 0) {
            break;
        }
        for (uint32_t i = 0; i < n && !t->failed; i++) {
            check_group(t, m, r, i);
        }
        CHECK(!t->failed);
        check_block(t, m, &blocks, r, n);
        total += n;
    }
    pq_arena_free(&blocks.arena);
    CHECK_INT(total, m->n_groups);
}

static PqRollupSpec spec_of(Maker *m, size_t memory)
{
    PqRollupSpec spec = {.n_keys = m->n_keys, .n_measures = MEASURES,
                         .measures = measures, .memory = memory, .arg = m,
                         .sealed = m->state % 2, .stop = {asked, NULL},
                         .cell = cell, .input_cell = input_cell, .n_by = m->n_by};

    memcpy(spec.by, m->by, m->n_by * sizeof *m->by);
    return spec;
}

/* Different keys; or none. */
static void choose_order(Maker *m, uint64_t seed)
{
    m->n_by = (uint32_t)seed % (m->n_keys + 1);
    for (uint32_t i = 0; i < m->n_by; i++) {
        m->by[i] = (PqRollupBy){(uint32_t)(seed / 5 + i) % m->n_keys, seed / 3 >> i & 1};
    }
}

static Maker *new_maker(uint64_t seed)
{
    Maker *m = calloc(1, sizeof *m);

    if (!m || !(m->groups = calloc(MOST_GROUPS, sizeof *m->groups))) {
        abort();
    }
    m->state = seed;
    m->repeats = seed % 4 == 0;
    m->n_keys = (uint32_t)(chance(m) % (KEYS + 1));
    m->wide = m->n_keys == 1 && chance(m) % 4 != 0;
    choose_order(m, seed);
    return m;
}

static void free_maker(Maker *m)
{
    for (uint32_t i = 0; i < MOST_GROUPS; i++) {
        free(m->groups[i].name);
    }
    free(m->groups);
    free(m);
}

static void run_random(Test *t, uint64_t seed, size_t memory, uint32_t lanes)
{
    Maker *m = new_maker(seed);
    PqRollupSpec spec = spec_of(m, memory);
    uint64_t times, bytes;
    PqRollup *r[4] = {NULL};
    PqRollupInputVector in[MEASURES];
    PqRollupBatch b;
    PqRc rc = PQ_OK;

    for (uint32_t k = 0; k < lanes && rc == PQ_OK; k++) {
        rc = pq_rollup_new(t->mem, &spec, &r[k], t->e);
    }
    for (uint32_t i = 1 + (uint32_t)(chance(m) % 12); i > 0 && rc == PQ_OK; i--) {
        make_batch(m, &b, in);
        rc = pq_rollup_add(r[chance(m) % lanes], &b, t->e);
    }
    for (uint32_t k = 1; k < lanes && rc == PQ_OK; k++) {
        rc = pq_rollup_merge(r[0], r[k], t->e);
    }
    if (rc != PQ_OK) {
        if (may_fail) {
            n_failed++;
            pq_err_clear(t->e);
        } else {
            test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
        }
    } else if (m->n_groups > 0) {
        check_all(t, m, r[0]);
        if (!t->failed && !may_fail && pq_rollup_rewind(r[0], t->e) == PQ_OK) {
            check_all(t, m, r[0]);
        }
    }
    n_spilled += r[0] && pq_rollup_has_spilled(r[0], &times, &bytes);
    for (uint32_t k = 0; k < lanes; k++) {
        pq_rollup_free(r[k]);
    }
    free_maker(m);
    if (t->failed) {
        fprintf(stderr, "seed %llu, memory %zu, lanes %u\n",
                (unsigned long long)seed, memory, lanes);
    }
}

TEST(rollup, groups_are_those_of_the_rows)
{
    for (uint64_t seed = 1; seed <= 150 && !t->failed; seed++) {
        run_random(t, seed, 64 << 20, 1);
    }
}

/* Lanes have groups of their own until they are merged. */
TEST(rollup, lanes_have_the_groups_of_one)
{
    for (uint64_t seed = 1; seed <= 60 && !t->failed; seed++) {
        run_random(t, seed, 64 << 20, 2 + (uint32_t)seed % 3);
    }
}

/* Small memory: groups go to a file, and come back whole. */
TEST(rollup, groups_that_leave_memory_come_back_once)
{
    n_spilled = 0;
    for (uint64_t seed = 1; seed <= 100 && !t->failed; seed++) {
        run_random(t, seed, 0, 1 + (uint32_t)seed % 3);
    }
    CHECK(t->failed || n_spilled > 10);
}

/* Keys whose hashes are equal are still other keys. */
TEST(rollup, keys_that_meet_are_not_mixed_up)
{
    pq_hash_bits = (uint64_t)0x41 << 57 | 3;
    for (uint64_t seed = 1; seed <= 20 && !t->failed; seed++) {
        run_random(t, seed, 0, 1 + (uint32_t)seed % 2);
    }
    pq_hash_bits = UINT64_MAX;
}

/* Where others use the memory, groups leave it before memory= is reached. */
TEST(rollup, memory_that_others_use_is_not_missed)
{
    size_t limit = pq_mem_limit(t->mem);

    n_spilled = 0;
    may_fail = true;                 /* one batch may be too much */
    pq_mem_set_limit(t->mem, 600 << 10);
    n_failed = 0;
    for (uint64_t seed = 1; seed <= 100 && !t->failed; seed++) {
        run_random(t, seed, 64 << 20, 1);
    }
    pq_mem_set_limit(t->mem, limit);
    may_fail = false;
    CHECK(t->failed || n_spilled > 5);
    CHECK(t->failed || n_failed < 55);
}

/* Whatever allocation or read fails, it is an error or makes no difference. */
TEST(rollup, a_failed_allocation_is_an_error)
{
    may_fail = true;
    for (int64_t at = 1; at < 1500 && !t->failed; at += 1 + at / 20) {
        pq_fault_set(at);
        run_random(t, 3 + (uint64_t)at % 7, 0, 2);
        pq_fault_set(0);
    }
    may_fail = false;
}

/* An interrupt ends it wherever it is asked for, and nothing is left behind: at each
** of the first places, and at ever fewer of the thousands after them. */
TEST(rollup, it_can_be_interrupted_everywhere)
{
    uint64_t stopped = 0, last = 1, step;

    may_fail = true;
    for (uint64_t seed = 1; seed <= 8 && !t->failed; seed++) {
        for (stop_at = 1; stop_at <= last && !t->failed; stop_at += step) {
            step = 1 + stop_at / 16;
            n_asked = n_failed = 0;
            run_random(t, seed, 0, 1 + (uint32_t)seed % 2);
            stopped += n_failed;
            last = n_failed ? stop_at + step : 0;
        }
        last = 1;
    }
    stop_at = 0;
    may_fail = false;
    CHECK(t->failed || stopped > 200);
}

/* Arrays that grow are filled and searched in steps, between which it asks. */
TEST(rollup, it_can_be_interrupted_while_it_grows)
{
    enum { BATCHES = 200 };
    static int64_t v[2][ROWS];
    PqRollupKeyVector keys[2];
    PqRollupOp rows = PQ_ROLLUP_COUNT_ROWS;
    PqRollupInputVector none = {.kind = PQ_ROLLUP_NO_INPUT};
    PqRollupSpec spec = {.n_keys = 2, .n_measures = 1, .measures = &rows,
                         .memory = 256 << 20, .stop = {asked, NULL}};
    PqRollupBatch b = {.n_rows = ROWS, .keys = keys, .inputs = &none};
    uint64_t most = 0;
    PqRollup *r = NULL;

    CHECK_OK(pq_rollup_new(t->mem, &spec, &r, t->e));
    for (uint32_t k = 0; k < 2; k++) {
        keys[k] = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .as_is = true,
                                      .width = 8, .values = v[k]};
    }
    for (int64_t i = 0; i < BATCHES; i++) {
        for (int64_t k = 0; k < ROWS; k++) {
            v[0][k] = (i * ROWS + k) << 20;      /* no window */
            v[1][k] = k % 700;
        }
        n_asked = 0;
        CHECK_OK(pq_rollup_add(r, &b, t->e));
        most = n_asked > most ? n_asked : most;
    }
    pq_rollup_free(r);
    CHECK(most > 8);
}

/* How often the window of a key changes while values are `step` apart. */
static uint32_t changes_of_window(Test *t, int64_t first, int64_t step)
{
    enum { BATCHES = 40, MEMORY = 1 << 20 };
    static int64_t v[ROWS];
    static uint32_t codes[ROWS];
    PqRollupKeyVector key = {.form = PQ_GROUP_INTS, .as_is = true, .width = 8,
                             .values = v};
    PqRollupSpec spec = {.n_keys = 1, .memory = MEMORY};
    PqRollupRows one = {.n = 1};
    PqRollupRegister g;
    uint64_t span = 0;
    uint32_t n = 0;

    pq_rollup_register_init(&g, t->mem, 1, MEMORY, NULL);
    for (int64_t i = 0; i < BATCHES * ROWS && !t->failed; i++) {
        v[0] = first + i * step;
        if (pq_rollup_register_codes(&g, &spec, 0, &key, &one, codes, t->e) !=
                PQ_OK || codes[0] != i) {
            t->failed = true;
        }
        n += g.ints.span != span;
        span = g.ints.span;
    }
    pq_rollup_register_free(&g);
    return n;
}

/* Growing costs as much as the window is large, so it may not grow by every value. */
TEST(rollup_register, a_window_grows_seldom)
{
    for (int64_t step = 1; step <= 20; step++) {
        CHECK(changes_of_window(t, 0, step) < 100);
        CHECK(changes_of_window(t, 0, -step) < 100);
    }
    CHECK(changes_of_window(t, INT64_MIN + 81919, -1) < 100);
    CHECK(changes_of_window(t, INT64_MAX - 81919, 1) < 100);
}

/* What a file of many groups is made of takes little memory, too. */
TEST(rollup, groups_in_a_file_take_little_memory)
{
    enum { BATCHES = 200, MEMORY = 512 << 10 };
    static int64_t v[ROWS];
    PqRollupKeyVector key = {.form = PQ_GROUP_INTS, .as_is = true, .width = 8,
                             .values = v};
    PqRollupOp rows = PQ_ROLLUP_COUNT_ROWS;
    PqRollupInputVector none = {.kind = PQ_ROLLUP_NO_INPUT};
    PqRollupSpec spec = {.n_keys = 1, .n_measures = 1, .measures = &rows,
                         .memory = MEMORY, .stop = {asked, NULL}};
    PqRollupBatch b = {.n_rows = ROWS, .keys = &key, .inputs = &none};
    size_t before = pq_mem_used(t->mem), most = 0;
    uint32_t n, total = 0;
    PqRollup *r = NULL;

    CHECK_OK(pq_rollup_new(t->mem, &spec, &r, t->e));
    for (int64_t i = 0; i < BATCHES; i++) {
        for (int64_t k = 0; k < ROWS; k++) {
            v[k] = (int64_t)pq_hash_mix(7, (uint64_t)(i * ROWS + k));
        }
        CHECK_OK(pq_rollup_add(r, &b, t->e));
    }
    do {
        CHECK_OK(pq_rollup_next(r, &n, t->e));
        total += n;
        if (pq_mem_used(t->mem) - before > most) {
            most = pq_mem_used(t->mem) - before;
        }
    } while (n > 0);
    pq_rollup_free(r);
    CHECK_INT(total, BATCHES * ROWS);
    CHECK(most < 3 * MEMORY);
}
