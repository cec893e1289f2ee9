/*
** leaf_ahead_test.c - pages taken ahead by another thread.  What fails there,
** the reader tries again.
*/
#include "test/unit/made_chunk.h"

enum { ENTRIES = 20000, ROWS = 1000, PAGES = 12, PAGE_ROWS = 1 << 19 };

typedef struct Ahead {
    MadeFile     m;
    PqMem       *mem;                /* of the reader, with its own budget */
    PqPool      *pool;
    PqReadCtx    ctx, workers[PQ_POOL_THREADS];
    PqLeafReader r;
} Ahead;

/* A dictionary of 80 kB whose entry i is 7 * i, and a page of ROWS times its
** last entry. */
static void dictionary_and_page(Test *t, Ahead *x)
{
    static const uint8_t ids[] = {          /* a width, and one run */
        15, (ROWS << 1 & 0x7f) | 0x80, ROWS << 1 >> 7,
        (ENTRIES - 1) & 0xff, (ENTRIES - 1) >> 8};
    static int32_t entries[ENTRIES];
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REQUIRED, PQ_INT32)};
    int i;

    for (i = 0; i < ENTRIES; i++) {
        entries[i] = 7 * i;
    }
    made_begin(t, &x->m, el, 2);
    made_chunk(&x->m, PQ_INT32, 0, 0);
    made_dictionary(&x->m, ENTRIES, entries, sizeof entries, PQ_ENCODING_PLAIN);
    made_page_v1(&x->m, ROWS, NULL, NULL, PQ_ENCODING_RLE_DICTIONARY, ids,
                 sizeof ids);
}

/* Pages of two megabytes; page i has i in each of its rows. */
static void large_pages(Test *t, Ahead *x)
{
    static int32_t values[PAGE_ROWS];
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REQUIRED, PQ_INT32)};

    made_begin(t, &x->m, el, 2);
    made_chunk(&x->m, PQ_INT32, 0, 0);
    for (int i = 0; i < PAGES; i++) {
        for (int k = 0; k < PAGE_ROWS; k++) {
            values[k] = i;
        }
        made_page_v1(&x->m, PAGE_ROWS, NULL, NULL, PQ_ENCODING_PLAIN, values, sizeof values);
    }
}

static PqRc begin_of(Test *t, Ahead *x, unsigned n_threads, void (*make)(Test *, Ahead *),
                     int64_t n_rows)
{
    PqArena *a;
    int i;

    memset(x, 0, sizeof *x);
    make(t, x);
    PQ_TRY(made_end(&x->m, n_rows));
    x->mem = pq_mem_new(1 << 30);
    PQ_TRY(pq_pool_new(t->mem, n_threads, &x->pool, t->e));
    PQ_TRY(pq_read_ctx_init(&x->ctx, x->mem, t->e));
    for (i = 0; i < PQ_POOL_THREADS; i++) {
        PQ_TRY(pq_read_ctx_init(&x->workers[i], x->mem, t->e));
    }
    PQ_TRY(pq_leaf_reader_init(&x->r, &x->ctx, t->e));
    pq_leaf_reader_employ(&x->r, x->pool, x->workers);
    a = pq_leaf_reader_arena(&x->r);
    PQ_TRY(pq_footer_chunk(x->m.footer, 0, 0, a, &x->r.chunk.chunk, t->e));
    return pq_leaf_reader_open(&x->r, &x->m.in, &x->m.footer->schema.leaves[0],
                               0, n_rows, (PqSlice){NULL, 0}, false, t->e);
}

static PqRc begin(Test *t, Ahead *x, unsigned n_threads)
{
    return begin_of(t, x, n_threads, dictionary_and_page, ROWS);
}

static void end(Ahead *x)
{
    int i;

    pq_leaf_reader_reset(&x->r);
    pq_read_ctx_reset(&x->ctx);
    for (i = 0; i < PQ_POOL_THREADS; i++) {
        pq_read_ctx_reset(&x->workers[i]);
    }
    pq_pool_free(x->pool);
    pq_mem_release(x->mem);
    made_free(&x->m);
}

TEST(leaf_ahead, a_dictionary_and_a_page_are_taken_before_they_are_asked_for)
{
    PqVector v;
    Ahead x;

    CHECK_OK(begin(t, &x, 2));
    CHECK_OK(pq_leaf_read_ahead(&x.r, t->e));
    pq_leaf_ahead_settle(&x.r);
    CHECK(x.r.ahead.page != NULL && x.r.dict.n == ENTRIES);
    CHECK_OK(pq_leaf_read(&x.r, 0, ROWS, &v, t->e));
    CHECK_INT(*(const int32_t *)pq_vector_at(&v, 4, ROWS - 1),
              7 * (ENTRIES - 1));
    end(&x);
}

/* The budget has room for the dictionary page but not for its values, because
** the row group before still holds its values. */
TEST(leaf_ahead, a_dictionary_that_did_not_fit_ahead_is_read_when_it_does)
{
    PqVector v;
    Ahead x;

    CHECK_OK(begin(t, &x, 0));
    pq_mem_set_limit(x.mem, pq_mem_used(x.mem) + (152 << 10));
    CHECK(pq_mem_used(x.mem) < pq_mem_limit(x.mem) / 4);
    CHECK_OK(pq_leaf_read_ahead(&x.r, t->e));
    pq_leaf_ahead_settle(&x.r);
    CHECK(x.r.ahead.e.rc == PQ_BUDGET && x.r.dict_page && !x.r.dict.values);
    pq_mem_set_limit(x.mem, 1 << 30);
    CHECK_OK(pq_leaf_read(&x.r, 0, ROWS, &v, t->e));
    CHECK_INT(*(const int32_t *)pq_vector_at(&v, 4, 0), 7 * (ENTRIES - 1));
    end(&x);
}

/* A turn has four of these pages, and the first page begins it. */
TEST(leaf_ahead, where_it_is_measured_a_turn_without_threads_comes_before_one_with_them)
{
    Ahead x;

    CHECK_OK(begin_of(t, &x, 1, large_pages, PAGES * PAGE_ROWS));
    x.ctx.pace.measured = true;
    for (int i = 0; i < PAGES; i++) {
        PqVector v;

        CHECK_OK(pq_leaf_read(&x.r, (int64_t)i * PAGE_ROWS, PAGE_ROWS, &v, t->e));
        CHECK_INT(*(const int32_t *)pq_vector_at(&v, 4, 0), i);
        CHECK_INT(*(const int32_t *)pq_vector_at(&v, 4, PAGE_ROWS - 1), i);
        CHECK_INT(x.ctx.pace.n_turns, (uint32_t)i / 4);
        CHECK(i / 4 > 1 || (x.r.ahead.out == (i / 4 == 1) && x.ctx.pace.ahead == (i / 4 == 1)));
    }
    CHECK(x.ctx.pace.cost[false] > 0 && x.ctx.pace.cost[true] > 0);
    end(&x);
}

TEST(leaf_ahead, where_it_is_not_measured_threads_are_used_from_the_second_page_on)
{
    PqVector v;
    Ahead x;

    CHECK_OK(begin_of(t, &x, 1, large_pages, PAGES * PAGE_ROWS));
    CHECK_OK(pq_leaf_read(&x.r, 0, PAGE_ROWS, &v, t->e));
    CHECK(!x.r.ahead.out);
    for (int i = 1; i < PAGES - 1; i++) {
        CHECK_OK(pq_leaf_read(&x.r, (int64_t)i * PAGE_ROWS, PAGE_ROWS, &v, t->e));
        CHECK_INT(*(const int32_t *)pq_vector_at(&v, 4, 7), i);
        CHECK(x.r.ahead.out);
    }
    CHECK_INT(x.ctx.pace.n_turns, 0);
    end(&x);
}
