/*
** raw_block_test.c - large blocks are mapped, change their size, and go back to the
** system at once.
*/
#include "core/base/arena.h"
#include "core/base/free_blocks.h"
#include "core/base/mem.h"
#include "core/base/raw_block.h"
#include "test/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KB = 1024, MB = 1024 * KB };

/* The byte at i of a block. */
static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 7 + i / KB);
}

static void fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p[i] = byte_at(i);
    }
}

static bool is_filled(const unsigned char *p, size_t n)
{
    size_t i = 0;

    while (i < n && p[i] == byte_at(i)) {
        i++;
    }
    return i == n;
}

TEST(raw_block, keeps_its_bytes_whatever_its_size_becomes)
{
    static const size_t sizes[] = {3 * MB, 5 * MB, 700 * KB, 100, 900 * KB, 10};
    size_t had = 100 * KB;
    bool mapped = true;
    unsigned char *p = pq_raw_new(had, &mapped);

    CHECK(!mapped);
    fill(p, had);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];

        p = pq_raw_resize(p, had, n, &mapped);
        CHECK(p != NULL);
        CHECK(is_filled(p, had < n ? had : n));
        fill(p, n);
        had = n;
    }
    pq_raw_free(p, had, mapped);
}

/* New pages of the system are zero, and those of a block that was freed are not. */
TEST(raw_block, holds_zeros_where_they_are_asked_for)
{
    static const size_t sizes[] = {100, 300 * KB, 3 * MB, 20 * MB};

    pq_free_blocks_open();
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i / 2];
        unsigned char *p = i % 2 ? pq_mem_zeros(t->mem, n, 1, t->e)
                                 : pq_mem_filled(t->mem, n, 1, 0, NULL, t->e);

        CHECK(p != NULL);
        CHECK(p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
        memset(p, 0xaa, n);
        pq_mem_free(p);
    }
    pq_free_blocks_close();
}

/* Advice about the part of it that has huge pages cuts it into several mappings. */
TEST(raw_block, can_be_resized_after_advice)
{
    static const size_t sizes[] = {9 * MB, 6 * MB, 7 * MB};
    size_t had = 7 * MB;
    unsigned char *p = pq_mem_alloc(t->mem, had, t->e);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];

        CHECK(p != NULL);
        pq_mem_will_fill(p, had);
        fill(p, had);
        p = pq_mem_resize(t->mem, p, n, t->e);
        CHECK(p != NULL);
        CHECK(is_filled(p, had < n ? had : n));
        had = n;
    }
    pq_mem_free(p);
}

TEST(raw_block, stays_as_it_is_where_there_is_no_memory)
{
    static const size_t sizes[] = {100 * KB, 3 * MB};

    for (int i = 0; i < 2; i++) {
        bool mapped;
        unsigned char *p = pq_raw_new(sizes[i], &mapped);
        bool before = mapped;

        fill(p, sizes[i]);
        CHECK(!pq_raw_resize(p, sizes[i], SIZE_MAX / 4, &mapped));
        CHECK(mapped == before);
        CHECK(is_filled(p, sizes[i]));
        pq_raw_free(p, sizes[i], mapped);
    }
}

/* What follows its header. */
static bool may_be_huge(const void *p)
{
    return PQ_MEMORY_IS_WATCHED || ((uintptr_t)p + PQ_RAW_HEADER) % PQ_HUGE_PAGE == 0;
}

/* Also after it had to move, because another block is behind it. */
TEST(raw_block, begins_where_a_huge_page_may_begin)
{
    static const size_t sizes[] = {2 * MB, 3 * MB, 9 * MB + 7, 4 * MB};

    for (int i = 0; i < 4; i++) {
        bool mapped, other_mapped;
        unsigned char *p = pq_raw_new_aligned(sizes[i], &mapped);
        void *other = pq_raw_new_aligned(2 * MB, &other_mapped);
        size_t n = sizes[i];

        CHECK(p != NULL && other != NULL);
        for (int k = 0; k < 3; k++) {
            CHECK(may_be_huge(p));
            fill(p, n);
            p = pq_raw_resize(p, n, 2 * n, &mapped);
            CHECK(p != NULL);
            CHECK(is_filled(p, n));
            n *= 2;
        }
        pq_raw_free(p, n, mapped);
        pq_raw_free(other, 2 * MB, other_mapped);
    }
}

/* An array that grows is copied there, and so it has no small pages before. */
TEST(raw_block, an_array_that_grows_gets_there)
{
    uint32_t *v = NULL, room = 0;

    for (uint32_t n = 0; n < 2 * MB; n++) {
        CHECK_OK(PQ_GROW(t->mem, v, n, room, t->e));
        v[n] = n * 3;
        if (n % 100000 == 0 && room * sizeof *v >= 2 * MB) {
            CHECK(may_be_huge((char *)v - PQ_RAW_HEADER));
        }
    }
    for (uint32_t n = 0; n < 2 * MB; n++) {
        CHECK(v[n] == n * 3);
    }
    pq_mem_free(v);
}

/* ... also one that was not mapped before. */
TEST(raw_block, a_block_that_grows_takes_a_free_one)
{
    void *p, *q;

    pq_free_blocks_open();
    p = pq_mem_alloc(t->mem, 400 << 10, t->e);
    q = pq_mem_alloc(t->mem, 40 << 10, t->e);
    CHECK(p && q);
    memset(q, 7, 40 << 10);
    pq_mem_free(p);
    q = pq_mem_resize(t->mem, q, 399 << 10, t->e);
    CHECK(q == p || PQ_MEMORY_IS_WATCHED);
    CHECK(q && ((char *)q)[(40 << 10) - 1] == 7);
    pq_mem_free(q);
    pq_free_blocks_close();
}

/* Blocks that are freed together are of malloc, whatever their size becomes. */
TEST(raw_block, a_budget_may_have_blocks_of_malloc_alone)
{
    PqMem *mem = pq_mem_new(64 * MB);
    uint32_t *v = NULL, room = 0;

    pq_mem_use_malloc(mem);
    for (uint32_t n = 0; n < 3 * MB; n++) {
        CHECK_OK(PQ_GROW(mem, v, n, room, t->e));
        v[n] = n * 3;
        CHECK(room * sizeof *v < 9 * MB || PQ_MEMORY_IS_WATCHED ||
              !may_be_huge((char *)v - PQ_MEM_HEADER));
    }
    for (uint32_t n = 0; n < 3 * MB; n++) {
        CHECK(v[n] == n * 3);
    }
    pq_mem_free(v);
    CHECK(pq_mem_used(mem) == 0);
    pq_mem_release(mem);
}

/* ... and fewer bytes than that are left over where the budget is small. */
TEST(raw_block, an_arena_has_huge_blocks_unless_the_budget_is_small)
{
    static const size_t budgets[] = {4 * MB, 256 * MB};

    for (int i = 0; i < 2; i++) {
        PqMem *mem = pq_mem_new(budgets[i]);
        PqArena a;
        size_t n = 0, largest = 0, had;

        pq_arena_init(&a, mem);
        for (had = 0; n < budgets[i] / 2; n += KB) {
            CHECK(pq_arena_alloc(&a, KB, t->e) != NULL);
            if (pq_mem_used(mem) > had) {
                largest = pq_mem_used(mem) - had > largest ? pq_mem_used(mem) - had : largest;
                had = pq_mem_used(mem);
            }
        }
        CHECK(largest == (i == 0 ? 256 * KB + 2 * PQ_MEM_HEADER : 2 * MB));
        pq_arena_free(&a);
        CHECK(pq_mem_used(mem) == 0);
        pq_mem_release(mem);
    }
}

/* Bytes of the process that are in memory. */
static long resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (f && fscanf(f, "%*d %ld", &pages) != 1) {
        pages = 0;
    }
    if (f) {
        fclose(f);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

/* Blocks of nearly the same size come and go, with small ones between them. */
TEST(raw_block, leaves_no_gaps_behind)
{
    enum { N = 64, TURNS = 20 };
    struct { void *p, *small; size_t n; bool mapped; } v[N] = {0};
    long before = resident();
    unsigned x = 1;

    for (int i = 0; i < N * TURNS; i++) {
        int k = i % N;

        x = x * 1103515245 + 12345;
        if (v[k].p) {
            pq_raw_free(v[k].p, v[k].n, v[k].mapped);
            free(v[k].small);
        }
        v[k].n = 700 * KB + x / 65536 % (300 * KB);
        v[k].p = pq_raw_new(v[k].n, &v[k].mapped);
        memset(v[k].p, 1, v[k].n);
        v[k].small = malloc(100);
    }
    for (int k = 0; k < N; k++) {
        pq_raw_free(v[k].p, v[k].n, v[k].mapped);
    }
    CHECK(v[0].mapped == !PQ_MEMORY_IS_WATCHED);
    if (v[0].mapped && before > 0) {
        CHECK(resident() - before < 8 * MB);
    }
    for (int k = 0; k < N; k++) {
        free(v[k].small);
    }
}
