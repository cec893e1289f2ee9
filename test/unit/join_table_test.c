/*
** join_table_test.c - a search finds all rows that have a key, and no others,
** for many kinds of keys and limits.
*/
#include "core/join/join_table.h"
#include "test/unit/test.h"

#include <stdlib.h>

enum { BATCH = 1000, MANY = 140000, NO_LIMIT = 1 << 30 };

typedef int64_t (*KeyOf)(uint32_t row);

static uint64_t chance(uint64_t row)
{
    row = (row + 1) * 0x9e3779b97f4a7c15u;
    row ^= row >> 31;
    row *= 0xd6e8feb86659fd93u;
    return row ^ row >> 29;
}

static int64_t dense(uint32_t row)     { return row; }
static int64_t doubled(uint32_t row)   { return row / 2 * 3 - 5000; }
static int64_t same(uint32_t row)      { return row < MANY ? 7 : 0; }
static int64_t in_runs(uint32_t row)   { return row / 5000 * 1000000; }
static int64_t uneven(uint32_t row)    { return (int64_t)row * row * row / 9; }
static int64_t extreme(uint32_t row)
{
    return row < 3 ? INT64_MIN : row > 20000 ? INT64_MAX : (int64_t)row * 4;
}
static int64_t descending(uint32_t row) { return -(int64_t)row; }
static int64_t nearly(uint32_t row)
{
    return row == 9000 ? 3 : (int64_t)row * 100;
}
static int64_t few(uint32_t row)       { return (int64_t)(chance(row) % 900); }
static int64_t spread(uint32_t row)
{
    return (int64_t)(chance(row) % 60000 * 70001);
}
static int64_t wide(uint32_t row)
{
    return (int64_t)chance(chance(row) % 50000);
}

typedef struct Kind {
    const char *name;
    KeyOf       key;
    uint32_t    n_rows;
    bool        nulls;
    size_t      limit;
    bool        exact;
} Kind;

static const Kind kinds[] = {
    {"dense", dense, 30000, false, NO_LIMIT, true},
    {"doubled", doubled, 30000, false, NO_LIMIT, true},
    {"same", same, 9000, false, NO_LIMIT, true},
    {"runs", in_runs, 30000, false, NO_LIMIT, true},
    {"uneven", uneven, 30000, false, NO_LIMIT, true},
    {"extreme", extreme, 30000, false, NO_LIMIT, true},
    {"extreme and nulls", extreme, 30000, true, NO_LIMIT, true},
    {"dense and nulls", dense, 30000, true, NO_LIMIT, true},
    {"descending", descending, 30000, false, NO_LIMIT, true},
    {"nearly ascending", nearly, 30000, false, NO_LIMIT, true},
    {"few", few, 30000, false, NO_LIMIT, true},
    {"few and nulls", few, 30000, true, NO_LIMIT, true},
    {"few of many rows", few, MANY, false, NO_LIMIT, true},
    {"spread", spread, 30000, true, NO_LIMIT, true},
    {"spread over many rows", spread, MANY, true, NO_LIMIT, true},
    {"wide", wide, 30000, false, NO_LIMIT, true},
    {"wide, many rows", wide, MANY, false, NO_LIMIT, true},
    {"wide, no room for keys", wide, 30000, true, 330000, false},
    {"wide, many, no room", wide, MANY, false, 1700000, false},
    {"one row", dense, 1, false, NO_LIMIT, true},
    {"one NULL", dense, 1, true, NO_LIMIT, true},
    {"a block to its end", descending, 4096, false, NO_LIMIT, true},
    {"no row", dense, 0, false, NO_LIMIT, true},
};

static bool is_null(const Kind *k, uint32_t row)
{
    return k->nulls && chance(row * 3 + 1) % 5 == 0;
}

static PqRc fill(const Kind *k, PqJoinTable *x, PqErr *e)
{
    int64_t keys[BATCH];
    uint64_t valid[BATCH / 64 + 1];
    uint32_t row, i, n;

    for (row = 0; row < k->n_rows; row += n) {
        n = k->n_rows - row < BATCH ? k->n_rows - row : BATCH;
        memset(valid, 0, sizeof valid);
        for (i = 0; i < n; i++) {
            keys[i] = is_null(k, row + i) ? (int64_t)chance(i)
                                          : k->key(row + i);
            valid[i / 64] |= (uint64_t)!is_null(k, row + i) << i % 64;
        }
        PQ_TRY(pq_join_table_add(x, keys, k->nulls ? valid : NULL, n, e));
    }
    return pq_join_table_end(x, e);
}

/* The rows that were found for a key. */
typedef struct Found {
    const Kind *k;
    int64_t     key;
    int64_t     last;
    uint32_t    right, wrong;
    bool        ascending;
    uint32_t    most;                /* stop after so many */
} Found;

static bool note(void *arg, uint32_t row)
{
    Found *f = arg;
    bool right = row < f->k->n_rows && !is_null(f->k, row) &&
                 f->k->key(row) == f->key;

    f->right += right;
    f->wrong += !right;
    f->ascending = f->ascending && (int64_t)row > f->last;
    f->last = row;
    return f->right + f->wrong < f->most;
}

static Found find(const Kind *k, const PqJoinTable *x, int64_t key)
{
    Found f = {.k = k, .key = key, .last = -1, .ascending = true,
               .most = UINT32_MAX};

    pq_join_table_find(x, key, note, &f);
    return f;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* All keys of the kind, sorted. */
static uint32_t all_keys(const Kind *k, int64_t *out)
{
    uint32_t row, n = 0;

    for (row = 0; row < k->n_rows; row++) {
        if (!is_null(k, row)) {
            out[n++] = k->key(row);
        }
    }
    qsort(out, n, sizeof *out, compare);
    return n;
}

static void check_key(Test *t, const Kind *k, const PqJoinTable *x, int64_t key,
                      uint32_t want)
{
    Found f = find(k, x, key);

    if (f.right != want || !f.ascending || (k->exact && f.wrong > 0) ||
        f.wrong > 3 + k->n_rows / 1000) {
        test_fail(t, __FILE__, __LINE__,
                  "%s: key %lld: %u rows and %u others, not %u", k->name,
                  (long long)key, f.right, f.wrong, want);
    }
}

static void check_kind(Test *t, const Kind *k)
{
    int64_t *keys = malloc((k->n_rows + 1) * sizeof *keys);
    uint32_t n = all_keys(k, keys), i, same_as;
    PqReadCtx ctx = {.mem = t->mem};
    PqJoinTable *x = NULL;

    if (pq_join_table_new(&ctx, ctx.mem, k->limit, &x, t->e) != PQ_OK ||
        fill(k, x, t->e) != PQ_OK || x->too_large ||
        x->folded == k->exact ||
        x->bytes > k->limit) {
        test_fail(t, __FILE__, __LINE__, "%s: not made: %s", k->name,
                  t->e->text);
        pq_join_table_free(x);
        free(keys);
        return;
    }
    for (i = 0; i < n && !t->failed; i += same_as) {
        for (same_as = 1; i + same_as < n && keys[i + same_as] == keys[i];
             same_as++) {
        }
        check_key(t, k, x, keys[i], same_as);
        if (keys[i] < INT64_MAX && i + same_as < n &&
            keys[i + same_as] != keys[i] + 1) {
            check_key(t, k, x, keys[i] + 1, 0);
        }
    }
    if (n > 0 && keys[0] > INT64_MIN) {
        check_key(t, k, x, keys[0] - 1, 0);
        check_key(t, k, x, INT64_MIN, 0);
    }
    if (n > 0 && keys[n - 1] < INT64_MAX) {
        check_key(t, k, x, keys[n - 1] + 1, 0);
        check_key(t, k, x, INT64_MAX, 0);
    }
    if (n == 0) {
        check_key(t, k, x, 0, 0);
    }
    pq_join_table_free(x);
    free(keys);
}

TEST(join_table, finds_the_rows_of_each_key_and_no_others)
{
    for (size_t i = 0; i < PQ_COUNT(kinds); i++) {
        check_kind(t, &kinds[i]);
    }
}

TEST(join_table, says_when_it_would_take_too_much)
{
    static const Kind large[] = {
        {"ascending", uneven, 30000, false, 60000, true},
        {"of a small range", few, 30000, false, 60000, true},
        {"hashes", wide, 30000, false, 200000, true},
    };

    for (size_t i = 0; i < PQ_COUNT(large); i++) {
        PqReadCtx ctx = {.mem = t->mem};
        PqJoinTable *x = NULL;

        CHECK_OK(pq_join_table_new(&ctx, ctx.mem, large[i].limit, &x, t->e));
        CHECK_OK(fill(&large[i], x, t->e));
        CHECK(x->too_large);
        pq_join_table_free(x);
    }
}

TEST(join_table, stops_where_enough_rows_were_found)
{
    static const Kind k[] = {{"same", same, 9000, false, NO_LIMIT, true},
                             {"few", few, 30000, false, NO_LIMIT, true}};

    for (size_t i = 0; i < PQ_COUNT(k); i++) {
        PqReadCtx ctx = {.mem = t->mem};
        Found f = {.k = &k[i], .key = 7, .last = -1, .most = 3};
        PqJoinTable *x = NULL;

        CHECK_OK(pq_join_table_new(&ctx, ctx.mem, NO_LIMIT, &x, t->e));
        CHECK_OK(fill(&k[i], x, t->e));
        pq_join_table_find(x, 7, note, &f);
        pq_join_table_free(x);
        CHECK_INT(f.right, 3);
    }
}
