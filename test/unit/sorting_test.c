/*
** sorting_test.c - orders of rows that are observed, and those that are
** promised.
*/
#include "core/write/sorting.h"
#include "test/unit/copied.h"
#include "test/unit/folder_tree.h"
#include "test/unit/made_values.h"

#include <stdlib.h>

/* --- the check against pairs of rows --------------------------------------- */

enum { KEYS = 2, ROWS = 12 };

/* Rows of KEYS columns with three values each, and nulls. */
typedef struct Table {
    PqNode       node;
    PqLeaf       leaf[KEYS];
    PqSortingBy  by[KEYS];
    MadeValues  *pool[KEYS];
    int          value[KEYS][ROWS];          /* in the pool; -1: null */
    uint32_t     n_rows;
} Table;

static void make_table(Table *x, const PqType *a, const PqType *b, Random *r)
{
    const PqType *types[KEYS] = {a, b};

    x->n_rows = 2 + random_below(r, ROWS - 1);
    for (uint32_t k = 0; k < KEYS; k++) {
        x->leaf[k] = (PqLeaf){.node = &x->node, .path = "x",
                              .type = *types[k],
                              .max_def = (uint16_t)random_below(r, 2),
                              .index = k};
        x->by[k] = (PqSortingBy){k, random_below(r, 2), random_below(r, 2)};
        made_values(x->pool[k], &x->leaf[k].type, 3, r);
        for (uint32_t i = 0; i < ROWS; i++) {
            x->value[k][i] = (int)random_below(r, 3);
            if (x->leaf[k].max_def && random_below(r, 4) == 0) {
                x->value[k][i] = -1;
            }
        }
    }
}

/* < 0 when row i belongs before row j. */
static int compare_rows(const Table *x, uint32_t i, uint32_t j)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        const PqType *t = &x->leaf[k].type;
        int a = x->value[k][i], b = x->value[k][j], c;

        if (a < 0 || b < 0) {
            c = (b < 0) - (a < 0);
            c = x->by[k].nulls_first ? c : -c;
        } else {
            c = pq_order_compare(pq_order_of_type(t), t, x->pool[k]->plain[a],
                                 x->pool[k]->plain[b]);
            c = x->by[k].descending ? -c : c;
        }
        if (c) {
            return c;
        }
    }
    return 0;
}

/* Insertion sort, to get sorted tables too. */
static void sort_table(Table *x)
{
    for (uint32_t i = 1; i < x->n_rows; i++) {
        for (uint32_t j = i; j > 0 && compare_rows(x, j - 1, j) > 0; j--) {
            for (uint32_t k = 0; k < KEYS; k++) {
                int swap = x->value[k][j];
                x->value[k][j] = x->value[k][j - 1];
                x->value[k][j - 1] = swap;
            }
        }
    }
}

/* Rows [from, to) as batches. */
static void make_batches(Test *t, const Table *x, PqLeafBatch *b,
                         uint32_t from, uint32_t to)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        size_t width = pq_physical_width(x->leaf[k].type.physical);

        pq_leaf_batch_init(&b[k], &x->leaf[k], t->mem);
        if (pq_leaf_batch_reserve(&b[k], ROWS, t->e) != PQ_OK) {
            abort();
        }
        for (uint32_t i = from; i < to; i++) {
            int v = x->value[k][i];

            if (v >= 0) {
                memcpy((uint8_t *)b[k].values + b[k].n_values++ * width,
                       made_from(x->pool[k], (uint32_t)v), width);
            }
            if (v >= 0 && b[k].valid) {
                b[k].valid[0] |= (uint64_t)1 << (i - from);
            }
            b[k].n_entries++;
            b[k].n_rows++;
        }
    }
}

/* In two batches, the first of cut rows. */
static void check_table(Test *t, Table *x, uint32_t cut)
{
    const PqLeaf *leaves[KEYS] = {&x->leaf[0], &x->leaf[1]};
    uint32_t want = x->n_rows, got = x->n_rows;
    PqLeafBatch b[KEYS];
    PqSortingCheck *s;
    PqBuf why;

    pq_buf_init(&why, t->mem, t->e);
    for (uint32_t i = x->n_rows; --i > 0;) {
        want = compare_rows(x, i - 1, i) > 0 ? i : want;
    }
    CHECK_OK(pq_sorting_check_new(t->mem, x->by, leaves, KEYS, &s, t->e));
    for (int part = 0; part < 2 && got == x->n_rows; part++) {
        uint32_t from = part ? cut : 0, to = part ? x->n_rows : cut, row;

        make_batches(t, x, b, from, to);
        CHECK_OK(pq_sorting_check_rows(s, b, to - from, &row, &why,
                                       t->e));
        got = row < to - from ? from + row : got;
        for (uint32_t k = 0; k < KEYS; k++) {
            pq_leaf_batch_free(&b[k]);
        }
    }
    pq_sorting_check_free(s);
    CHECK_INT(got, want);
    CHECK(got == x->n_rows ? why.n == 0 : why.n > 0);
    pq_buf_free(&why);
}

TEST(sorting, the_first_row_out_of_order_is_found)
{
    Table x;
    Random r = {3};

    for (int k = 0; k < KEYS; k++) {
        x.pool[k] = malloc(sizeof *x.pool[k]);
        CHECK(x.pool[k]);
    }
    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        for (int n = 0; n < 300 && !t->failed; n++) {
            const PqType *other = &made_types[random_below(
                &r, PQ_COUNT(made_types))];

            if (pq_order_of_type(&made_types[i]) == PQ_ORDER_NONE ||
                pq_order_of_type(other) == PQ_ORDER_NONE) {
                continue;
            }
            make_table(&x, &made_types[i], other, &r);
            if (n % 3 == 0) {
                sort_table(&x);
            }
            check_table(t, &x, 1 + random_below(&r, x.n_rows - 1));
        }
    }
    for (int k = 0; k < KEYS; k++) {
        free(x.pool[k]);
    }
}

/* --- copies ---------------------------------------------------------------- */

static PqRc promise(Test *t, Copied *c, const PqSortingBy *by, uint32_t n)
{
    c->plan.sorting = PQ_SORTING_GIVEN;
    c->plan.sorting_by = by;
    c->plan.n_sorting_by = n;
    return copied_run(c, t->e);
}

TEST(sorting, a_promise_is_kept_or_the_copy_fails)
{
    static const PqSortingBy rising = {0, false, false};
    static const PqSortingBy falling = {0, true, false};
    static const PqSortingBy booleans[] = {{7, false, false},
                                           {0, false, false}};
    FolderTree d;
    Copied c;

    tree_begin(&d, "x.parquet:old");
    for (unsigned threads = 0; threads < 3; threads += 2) {
        copied_begin(t, &c, "x.parquet", 50000, true);
        c.plan.threads = threads;
        c.plan.row_group_rows = 7000;
        CHECK_FAILS(promise(t, &c, &falling, 1), PQ_USAGE,
                    "row 2 is not in the order that sorting_columns promises: "
                    "column id, 1 after 0; an ORDER BY");
        CHECK_FAILS(promise(t, &c, booleans, 2), PQ_USAGE,
                    "is not in the order that sorting_columns");
        CHECK_TEXT(tree_text("."), "x.parquet:old");
        copied_end(&c);
    }
    copied_begin(t, &c, "x.parquet", 50000, true);
    c.plan.row_group_rows = 7000;
    CHECK_OK(promise(t, &c, &rising, 1));
    copied_check(t, &c);             /* verify checks the declared order */
    copied_end(&c);
    tree_end(&d);
}

TEST(sorting, a_partition_is_sorted_on_its_own)
{
    static const PqSortingBy rising = {0, false, false};
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    copied_begin(t, &c, "out", 5000, false);
    copied_partition(&c, 3);
    CHECK_OK(promise(t, &c, &rising, 1));
    CHECK_INT(copied_check(t, &c), 3);
    copied_end(&c);
    tree_end(&d);
}

TEST(sorting, lists_have_no_order)
{
    static const PqSortingBy list = {COPIED_LIST, false, false};
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    copied_begin(t, &c, "x.parquet", 10, true);
    CHECK_FAILS(promise(t, &c, &list, 1), PQ_USAGE,
                "column l has a type without an order");
    copied_end(&c);
    tree_end(&d);
}
