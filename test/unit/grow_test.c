/*
** grow_test.c - arrays that grow, in a budget and in an arena: they keep what
** they hold, and one that cannot grow is as it was.
*/
#include "core/base/arena.h"
#include "test/unit/test.h"

TEST(grow, an_array_keeps_what_it_holds)
{
    uint64_t *v = NULL, *in_arena = NULL;
    uint32_t room = 0;
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (uint32_t n = 0; n < 1000; n++) {
        CHECK_OK(PQ_GROW(t->mem, v, n, room, t->e));
        CHECK_OK(PQ_ARENA_GROW(&a, in_arena, n, t->e));
        CHECK(n < room);
        v[n] = in_arena[n] = n * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (uint32_t n = 0; n < 1000; n++) {
        CHECK(v[n] == n * UINT64_C(0x9e3779b97f4a7c15) && in_arena[n] == v[n]);
    }
    CHECK_OK(PQ_RESIZE(t->mem, v, 3, t->e));
    CHECK(v[2] == in_arena[2]);
    pq_mem_free(v);
    pq_arena_free(&a);
}

TEST(grow, an_array_that_cannot_grow_is_as_it_was)
{
    PqMem *small = pq_mem_new(200);
    uint64_t *v = NULL, *first;
    uint32_t room = 0;
    PqArena a;

    pq_arena_init(&a, small);
    CHECK_OK(PQ_GROW(small, v, 0, room, t->e));
    CHECK_INT(room, 4);
    first = v;
    first[3] = 77;
    CHECK_FAILS(PQ_RESIZE(small, v, 1000, t->e), PQ_BUDGET, "memory=200");
    CHECK_FAILS(PQ_RESIZE(small, v, SIZE_MAX / 8 + 2, t->e), PQ_BUDGET,
                "memory=200");
    room = UINT32_MAX / 2 + 1;
    CHECK_FAILS(PQ_GROW(small, v, room, room, t->e), PQ_BUDGET, "memory=200");
    CHECK_INT(room, UINT32_MAX / 2 + 1);
    CHECK(v == first && v[3] == 77);
    CHECK_FAILS(pq_arena_grow_array(&a, &v, 32, sizeof *v, t->e), PQ_BUDGET,
                "memory=200");
    CHECK_FAILS(pq_arena_grow_array(&a, &v, SIZE_MAX / 2, sizeof *v, t->e),
                PQ_NOMEM, "out of memory");
    CHECK(v == first && v[3] == 77);
    pq_mem_free(v);
    pq_arena_free(&a);
    pq_mem_release(small);
}
