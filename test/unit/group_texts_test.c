/*
** group_texts_test.c - texts are numbered, whatever their hashes are.
*/
#include "core/numbering/hash.h"
#include "core/group/group_texts.h"
#include "test/unit/test.h"

#include <stdio.h>

enum { TEXTS = 400, ROOM = 16 };

static PqStr text_of(const char *z)
{
    return (PqStr){(const uint8_t *)z, (uint32_t)strlen(z)};
}

TEST(group_texts, a_text_keeps_its_number)
{
    static const char *const texts[] = {"US", "AR", "US", "", "DE", "AR", ""};
    static const uint32_t numbers[] = {0, 1, 0, 2, 3, 1, 2};
    PqMem *mem = pq_mem_new(1 << 20);
    PqGroupTexts g;
    PqErr e;

    pq_err_init(&e);
    pq_group_texts_init(&g, mem, 0);
    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        uint32_t number = 99;

        CHECK(pq_group_texts_number(&g, text_of(texts[i]), NULL, &number, &e) ==
              PQ_OK);
        CHECK(number == numbers[i]);
    }
    CHECK(g.table.n == 4 && g.v[3].n == 2 && memcmp(g.v[3].p, "DE", 3) == 0);
    pq_group_texts_free(&g);
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
    PqGroupTexts g;
    PqErr e;

    pq_err_init(&e);
    pq_group_texts_init(&g, mem, seed);
    for (uint32_t i = 0; i < TEXTS; i++) {
        uint32_t number = 0;

        CHECK(pq_group_texts_number(&g, text_of(texts[i]), NULL, &number, &e) ==
              PQ_OK);
        CHECK(number == i);
    }
    *out = g.table.probes;
    pq_group_texts_free(&g);
    pq_mem_release(mem);
}

TEST(group_texts, a_seed_spreads_texts_whose_hashes_were_made_to_meet)
{
    static char texts[TEXTS][ROOM];
    uint64_t met = 0, spread = 0;

    choose(texts);
    count_probes(texts, 0, &met, t);
    count_probes(texts, 0x5eed5eed5eed5eed, &spread, t);
    CHECK(met > TEXTS * TEXTS / 4);
    CHECK(spread < TEXTS * 8);
}
