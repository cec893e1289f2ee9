/*
** block_test.c - a block gives back the values of its vector, in few bytes.
*/
#include "core/join/block.h"

#include "test/unit/test.h"

enum { SLOTS = 300 };

/* A vector of integers; garbage in invalid slots, which valid ones have not. */
typedef struct Made {
    PqLeaf   leaf;
    PqVector v;
    int32_t  narrow[SLOTS];
    int64_t  wide[SLOTS];
    uint64_t valid[(SLOTS + 63) / 64];
} Made;

/* Slot i is valid unless i % every == 0; every 0: all are. */
static void make(Made *m, PqPhysical type, int64_t first, uint32_t every)
{
    *m = (Made){.leaf.type.physical = type};
    for (uint32_t i = 0; i < SLOTS; i++) {
        bool is_valid = every == 0 || i % every != 0;

        m->wide[i] = is_valid ? first + i % 200 : INT64_MAX - i;
        m->narrow[i] = is_valid ? (int32_t)first + (int32_t)(i % 200) : INT32_MIN;
        m->valid[i / 64] |= (uint64_t)is_valid << i % 64;
    }
    m->v = (PqVector){.leaf = &m->leaf, .n_rows = SLOTS, .n_slots = SLOTS,
                      .values = type == PQ_INT32 ? (void *)m->narrow : (void *)m->wide,
                      .valid = every == 0 ? NULL : m->valid};
}

static void check(Test *t, Made *m, int64_t first)
{
    PqBuf scratch;
    PqArena texts;
    PqBlock *b = NULL;

    pq_buf_init(&scratch, t->mem, t->e);
    pq_arena_init(&texts, t->mem);
    CHECK_OK(pq_block_new(&m->v, NULL, &scratch, t->mem, &b, t->e));
    CHECK_INT(b->numbers.width, 1);
    for (uint32_t i = 0; i < SLOTS; i++) {
        int64_t wide = 0;
        int32_t narrow = 0;
        bool is_32 = m->leaf.type.physical == PQ_INT32;

        if (pq_vector_is_valid(&m->v, i)) {
            CHECK_OK(pq_block_value(b, m->leaf.type.physical, i,
                                    is_32 ? (void *)&narrow : (void *)&wide, &texts, t->e));
            CHECK_INT(is_32 ? narrow : wide, first + i % 200);
        }
    }
    pq_block_free(b);
    pq_arena_free(&texts);
    pq_buf_free(&scratch);
}

TEST(block, what_invalid_slots_have_takes_no_room)
{
    static const int64_t firsts[] = {0, -100, INT32_MAX - 200, INT32_MIN + 1};
    static Made m;

    for (uint32_t i = 0; i < PQ_COUNT(firsts) && !t->failed; i++) {
        for (uint32_t every = 0; every < 5 && !t->failed; every += every ? 1 : 2) {
            make(&m, PQ_INT32, firsts[i], every);
            check(t, &m, firsts[i]);
            make(&m, PQ_INT64, firsts[i], every);
            check(t, &m, firsts[i]);
        }
    }
}

/* Distances are counted without a sign. */
TEST(block, numbers_may_be_as_far_apart_as_there_are)
{
    static const int64_t v[] = {INT64_MAX, 0, INT64_MIN, -1};
    PqNarrow n;

    CHECK_OK(pq_narrow_make(&n, v, PQ_COUNT(v), t->mem, t->e));
    CHECK_INT(n.width, 8);
    for (uint32_t i = 0; i < PQ_COUNT(v); i++) {
        CHECK_INT((int64_t)pq_narrow_at(&n, i), v[i]);
    }
    pq_mem_free(n.at);
}

/* A vector without any value has no room for values. */
TEST(block, a_vector_of_nulls_is_not_read)
{
    static Made m;
    PqBuf scratch;
    PqBlock *b = NULL;

    make(&m, PQ_INT64, 0, 1);
    m.v.values = NULL;
    pq_buf_init(&scratch, t->mem, t->e);
    CHECK_OK(pq_block_new(&m.v, NULL, &scratch, t->mem, &b, t->e));
    CHECK_INT(b->numbers.width, 0);
    pq_block_free(b);
    pq_buf_free(&scratch);
}
