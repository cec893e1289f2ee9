/*
** numbering_test.c - texts, words and integers are numbered, whatever they are.
*/
#include "core/numbering/hash.h"
#include "core/numbering/int_numbers.h"
#include "core/numbering/memo.h"
#include "core/numbering/text_numbers.h"
#include "test/unit/test.h"

#include <stdio.h>

enum { TEXTS = 400, ROOM = 16 };

static PqStr text_of(const char *z)
{
    return (PqStr){(const uint8_t *)z, (uint32_t)strlen(z)};
}

TEST(numbering, a_text_keeps_its_number)
{
    static const char *const texts[] = {"US", "AR", "US", "", "DE", "AR", ""};
    static const uint32_t numbers[] = {0, 1, 0, 2, 3, 1, 2};
    PqMem *mem = pq_mem_new(1 << 20);
    PqTextNumbers g;
    PqErr e;

    pq_err_init(&e);
    pq_text_numbers_init(&g, mem, 0, NULL);
    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        uint32_t number = 99;

        PqStr text = text_of(texts[i]);

        CHECK(pq_text_numbers_find(&g, &text, 1, &number, &e) == PQ_OK);
        CHECK(number == numbers[i]);
    }
    CHECK_INT(pq_text_numbers_get(&g, text_of("DE")), 3);
    CHECK_INT(pq_text_numbers_get(&g, text_of("FR")), PQ_NO_NUMBER);
    CHECK(g.table.n == 4 && g.v[3].n == 2 && memcmp(g.v[3].p, "DE", 3) == 0);
    pq_text_numbers_free(&g);
    pq_mem_release(mem);
}

/* Texts that all begin at one place of a table without a seed. */
static void choose(char texts[TEXTS][ROOM])
{
    uint32_t n = 0;

    for (unsigned i = 0; n < TEXTS; i++) {
        snprintf(texts[n], ROOM, "%u", i);
        n += (pq_hash_bytes(texts[n], strlen(texts[n])) & 1023) == 0;
    }
}

/* How many places are looked at in vain. */
static void count_probes(char texts[TEXTS][ROOM], uint64_t seed, uint64_t *out,
                         Test *t)
{
    PqMem *mem = pq_mem_new(1 << 20);
    PqTextNumbers g;
    PqErr e;

    pq_err_init(&e);
    pq_text_numbers_init(&g, mem, seed, NULL);
    for (uint32_t i = 0; i < TEXTS; i++) {
        uint32_t number = 0;

        PqStr text = text_of(texts[i]);

        CHECK(pq_text_numbers_find(&g, &text, 1, &number, &e) == PQ_OK);
        CHECK(number == i);
    }
    *out = g.table.probes;
    pq_text_numbers_free(&g);
    pq_mem_release(mem);
}

TEST(numbering, a_seed_spreads_texts_whose_hashes_were_made_to_meet)
{
    static char texts[TEXTS][ROOM];
    uint64_t met = 0, spread = 0;

    choose(texts);
    count_probes(texts, 0, &met, t);
    count_probes(texts, 0x5eed5eed5eed5eed, &spread, t);
    CHECK(met > TEXTS * TEXTS / 4);
    CHECK(spread < TEXTS * 8);
}

/* ---- integers ------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    *state = pq_hash_mix(*state, 1);
    return *state;
}

/* Integers of a kind: how they are spread makes windows open, grow and close. */
static int64_t integer_of(uint64_t *state, uint32_t kind, uint32_t i)
{
    uint64_t r = next(state);

    switch (kind) {
    case 0:  return (int64_t)(r % 5000) - 2500;
    case 1:  return (int64_t)r;
    case 2:  return 1000000 - (int64_t)i;        /* grows downwards */
    case 3:  return i < 3000 ? (int64_t)i : (int64_t)(r % 1000000000);
    case 4:  return i % 2 ? INT64_MAX - (int64_t)(r % 500)
                          : INT64_MIN + (int64_t)(r % 500);
    default: return INT64_MIN + (int64_t)(r % 3000);
    }
}

/* By a list of all that came. */
static uint32_t number_in(const int64_t *v, uint32_t n, int64_t i)
{
    uint32_t k = 0;

    while (k < n && v[k] != i) {
        k++;
    }
    return k < n ? k : PQ_NO_NUMBER;
}

TEST(numbering, integers_keep_their_numbers_in_a_window_and_out_of_it)
{
    enum { KINDS = 6, ALL = 6000, SOME = 600 };
    static int64_t v[ALL];
    uint64_t state = 1;

    for (uint32_t kind = 0; kind < KINDS; kind++) {
        PqIntNumbers m;
        uint32_t n = 0, number;

        pq_int_numbers_init(&m, t->mem, 7, 1 << 20, NULL);
        for (uint32_t i = 0; i < ALL; i++) {
            int64_t x = integer_of(&state, kind, i);

            if (pq_int_numbers_get(&m, x) == PQ_NO_NUMBER) {
                CHECK_OK(pq_int_numbers_add(&m, x, n, t->e));
                v[n++] = x;
            }
        }
        CHECK_INT(m.n, n);
        for (uint32_t i = 0; i < SOME; i++) {
            int64_t x = integer_of(&state, kind, i * 7);
            uint64_t word = (uint64_t)x;
            bool there = pq_int_numbers_find(&m, &word, 1, &number);

            CHECK_INT(number, number_in(v, n, x));
            CHECK_INT(pq_int_numbers_get(&m, x), number);
            CHECK_INT(there, number != PQ_NO_NUMBER);
        }
        pq_int_numbers_free(&m);
    }
}

/* Adds a batch of integers, together if that can be done. */
static PqRc enter_all(PqIntNumbers *m, const uint64_t *words, uint32_t n, uint32_t *numbers,
                      PqErr *e)
{
    uint32_t fresh[64], n_fresh;
    bool done;

    PQ_TRY(pq_int_numbers_enter(m, words, n, m->n, numbers, fresh, &n_fresh, &done, e));
    for (uint32_t i = 0; i < n && !done; i++) {
        numbers[i] = pq_int_numbers_get(m, (int64_t)words[i]);
        if (numbers[i] == PQ_NO_NUMBER) {
            numbers[i] = m->n;
            PQ_TRY(pq_int_numbers_add(m, (int64_t)words[i], m->n, e));
        }
    }
    return PQ_OK;
}

/* Enters integers of a kind together, and adds them one by one.  So many are expected. */
static void check_together(Test *t, uint32_t kind, uint32_t expected)
{
    enum { ALL = 6400, AT_ONCE = 64 };
    uint64_t words[AT_ONCE], state = 1;
    uint32_t numbers[AT_ONCE];
    PqIntNumbers alone, together;

    pq_int_numbers_init(&alone, t->mem, 7, 1 << 20, NULL);
    pq_int_numbers_init(&together, t->mem, 8, 1 << 20, NULL);
    CHECK_OK(pq_int_numbers_expect(&together, expected, t->e));
    for (uint32_t i = 0; i < ALL && !t->failed; i += AT_ONCE) {
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            words[k] = (uint64_t)integer_of(&state, kind, i + k / 2);
        }
        CHECK_OK(enter_all(&together, words, AT_ONCE, numbers, t->e));
        for (uint32_t k = 0; k < AT_ONCE && !t->failed; k++) {
            int64_t x = (int64_t)words[k];

            if (pq_int_numbers_get(&alone, x) == PQ_NO_NUMBER) {
                CHECK_OK(pq_int_numbers_add(&alone, x, alone.n, t->e));
            }
            CHECK_INT(numbers[k], pq_int_numbers_get(&alone, x));
        }
        CHECK(!together.window || together.n > expected);
    }
    CHECK_INT(together.n, alone.n);
    CHECK(together.least == alone.least && together.most == alone.most);
    CHECK(expected > 0 || (together.window == NULL) == (alone.window == NULL));
    pq_int_numbers_free(&alone);
    pq_int_numbers_free(&together);
}

TEST(numbering, integers_that_come_together_get_the_numbers_of_those_one_by_one)
{
    enum { KINDS = 6 };

    for (uint32_t kind = 0; kind < KINDS; kind++) {
        check_together(t, kind, 0);
        check_together(t, kind, 50);
        check_together(t, kind, 1500);
    }
}

TEST(numbering, without_memory_nothing_gets_a_number_twice)
{
    PqMem *mem = pq_mem_new(200 << 10);
    PqIntNumbers m;
    uint64_t state = 3;
    uint32_t n = 0;
    PqErr e;

    pq_err_init(&e);
    pq_int_numbers_init(&m, mem, 7, 1 << 20, NULL);
    for (uint32_t i = 0; i < 20000; i++) {
        int64_t x = integer_of(&state, 3, i);

        if (pq_int_numbers_get(&m, x) != PQ_NO_NUMBER) {
            continue;
        }
        if (pq_int_numbers_add(&m, x, n, &e) == PQ_OK) {
            CHECK_INT(pq_int_numbers_get(&m, x), n);
            n++;
        } else {
            CHECK_INT(pq_int_numbers_get(&m, x), PQ_NO_NUMBER);
            pq_err_clear(&e);
        }
    }
    CHECK(n > 3000 && n < 19000);
    pq_int_numbers_free(&m);
    pq_mem_release(mem);
}

TEST(numbering, a_memo_is_of_one_dictionary)
{
    PqMemo m = {0};
    bool fresh;

    CHECK_OK(pq_memo_enter(&m, t->mem, 5, 10, 4, &fresh, t->e));
    CHECK(fresh);
    CHECK_OK(pq_memo_enter(&m, t->mem, 5, 10, 4, &fresh, t->e));
    CHECK(fresh);                    /* it was not filled */
    m.serial = 5;
    CHECK_OK(pq_memo_enter(&m, t->mem, 5, 10, 4, &fresh, t->e));
    CHECK(!fresh);
    CHECK_OK(pq_memo_enter(&m, t->mem, 6, 10, 4, &fresh, t->e));
    CHECK(fresh && m.serial == 0);
    pq_memo_free(&m);
}
