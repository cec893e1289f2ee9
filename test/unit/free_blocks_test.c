/*
** free_blocks_test.c - freed blocks are used again, within limits, and the last one
** to close the shelf leaves a part of them.
*/
#include "core/base/free_blocks.h"
#include "core/base/raw_block.h"
#include "test/unit/test.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

enum { KB = 1024, BLOCK = 100 * KB };

static bool mapped;                  /* no block is, in most of these tests */

/* Two blocks that are larger than what stays push out all others. */
static void empty_the_shelf(Test *t)
{
    pq_free_blocks_open();
    for (int i = 0; i < 2; i++) {
        CHECK(pq_free_blocks_put(malloc(8192 * KB), 8192 * KB, false));
    }
    pq_free_blocks_close();
}

static void open_an_empty_shelf(Test *t)
{
    empty_the_shelf(t);
    pq_free_blocks_open();
}

TEST(shelf, takes_nothing_unless_open)
{
    void *p = malloc(BLOCK);

    empty_the_shelf(t);
    CHECK(!pq_free_blocks_put(p, BLOCK, false));
    CHECK(!pq_free_blocks_take(BLOCK, &mapped));
    free(p);
}

TEST(shelf, gives_what_fits_and_is_not_much_larger)
{
    void *p = malloc(BLOCK), *q = malloc(2 * BLOCK), *less;

    open_an_empty_shelf(t);
    CHECK(pq_free_blocks_put(q, 2 * BLOCK, false));
    CHECK(pq_free_blocks_put(p, BLOCK, false));
    CHECK(!pq_free_blocks_take(BLOCK + 1, &mapped));
    CHECK(!pq_free_blocks_take(BLOCK / 2, &mapped));
    less = pq_free_blocks_take(BLOCK - KB, &mapped);
    CHECK(less != NULL);
    CHECK(!pq_free_blocks_take(BLOCK, &mapped));
    CHECK(pq_free_blocks_take(2 * BLOCK, &mapped) == q);
    free(less);
    free(q);
    pq_free_blocks_close();
}

TEST(shelf, leaves_small_and_huge_blocks_alone)
{
    void *small = malloc(KB), *huge = malloc(9000 * KB);

    open_an_empty_shelf(t);
    CHECK(!pq_free_blocks_put(small, KB, false));
    CHECK(!pq_free_blocks_put(huge, 9000 * KB, false));
    pq_free_blocks_close();
    free(small);
    free(huge);
}

TEST(shelf, is_emptied_by_a_block_that_is_larger_than_all_of_it)
{
    void *p = malloc(BLOCK);

    open_an_empty_shelf(t);
    CHECK(pq_free_blocks_put(p, BLOCK, false));
    CHECK(!pq_free_blocks_take(16 * KB * KB, &mapped));
    CHECK(pq_free_blocks_take(BLOCK, &mapped) == p);
    CHECK(pq_free_blocks_put(p, BLOCK, false));
    CHECK(!pq_free_blocks_take(16 * KB * KB + 1, &mapped));
    CHECK(!pq_free_blocks_take(BLOCK, &mapped));
    pq_free_blocks_close();
}

TEST(shelf, holds_no_more_than_it_says)
{
    size_t n_taken = 0;

    open_an_empty_shelf(t);
    for (int i = 0; i < 100; i++) {
        void *p = malloc(1500 * KB);

        if (!pq_free_blocks_put(p, 1500 * KB, false)) {
            free(p);
        }
    }
    for (void *p; (p = pq_free_blocks_take(1500 * KB, &mapped)); n_taken++) {
        free(p);
    }
    CHECK_INT(n_taken, 10);
    pq_free_blocks_close();
}

TEST(shelf, keeps_what_came_last)
{
    enum { LARGE = 2000 * KB, N_SMALL = 60, PLACES = 48,
           LEAST = 64 * KB };

    open_an_empty_shelf(t);
    CHECK(pq_free_blocks_put(malloc(LARGE), LARGE, false));
    CHECK(pq_free_blocks_put(malloc(LARGE), LARGE, false));
    for (int i = 0; i < N_SMALL; i++) {
        CHECK(pq_free_blocks_put(malloc(LEAST), LEAST, false));
    }
    CHECK(!pq_free_blocks_take(LARGE, &mapped));
    for (int i = 0; i < PLACES; i++) {
        void *p = pq_free_blocks_take(LEAST, &mapped);

        CHECK(p != NULL);
        free(p);
    }
    CHECK(!pq_free_blocks_take(LEAST, &mapped));
    pq_free_blocks_close();
}

TEST(shelf, a_block_is_no_larger_than_it_says)
{
    size_t n = 2000 * KB;
    void *p = malloc(n);

    open_an_empty_shelf(t);
    for (; n > BLOCK; n -= n / 8) {
        CHECK(pq_free_blocks_put(p, n, false));
        p = pq_free_blocks_take(n - n / 8, &mapped);
        CHECK(p != NULL);
    }
    CHECK(malloc_usable_size(p) < 2 * BLOCK);
    free(p);
    pq_free_blocks_close();
}

TEST(shelf, keeps_the_newest_4_MB_for_the_next_who_opens_it)
{
    enum { LARGE = 1500 * KB };
    int n_left = 0;

    open_an_empty_shelf(t);
    pq_free_blocks_open();
    CHECK(pq_free_blocks_put(malloc(BLOCK), BLOCK, false));
    for (int i = 0; i < 4; i++) {
        CHECK(pq_free_blocks_put(malloc(LARGE), LARGE, false));
    }
    pq_free_blocks_close();
    CHECK(pq_free_blocks_put(malloc(2 * BLOCK), 2 * BLOCK, false));
    pq_free_blocks_close();
    CHECK(!pq_free_blocks_put(NULL, BLOCK, false));
    pq_free_blocks_open();
    CHECK(!pq_free_blocks_take(BLOCK, &mapped));
    for (void *p; (p = pq_free_blocks_take(LARGE, &mapped)) != NULL; n_left++) {
        free(p);
    }
    CHECK_INT(n_left, 2);
    free(pq_free_blocks_take(2 * BLOCK, &mapped));
    pq_free_blocks_close();
}

/* Some of the blocks are mapped. */
static void *put_and_take(void *seed)
{
    unsigned x = *(unsigned *)seed;

    for (int i = 0; i < 20000; i++) {
        size_t n = (232 + (x = x * 1103515245 + 12345) % 64) * (size_t)KB;
        bool is_mapped = false;
        unsigned char *p = pq_free_blocks_take(n, &is_mapped);

        p = p ? p : pq_raw_new(n, &is_mapped);
        p[0] = p[n - 1] = (unsigned char)i;
        if (!pq_free_blocks_put(p, n, is_mapped)) {
            pq_raw_free(p, n, is_mapped);
        }
    }
    return NULL;
}

TEST(shelf, serves_several_threads)
{
    pthread_t threads[4];
    unsigned seeds[4] = {1, 2, 3, 4};

    open_an_empty_shelf(t);
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, put_and_take, &seeds[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    pq_free_blocks_close();
}
