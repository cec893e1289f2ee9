/*
** word_numbers.c - an open hash of words.
*/
#include "core/numbering/word_numbers.h"

#include "core/numbering/hash.h"

enum { FIRST_PLACES = 1 << 8, MOST_PLACES = 1 << 30, AHEAD = 16,
       POLL_PLACES = 1 << 18 };

void pq_word_numbers_init(PqWordNumbers *m, PqMem *mem, uint64_t seed,
                          const PqStop *stop)
{
    *m = (PqWordNumbers){.mem = mem, .seed = seed, .stop = stop};
}

void pq_word_numbers_free(PqWordNumbers *m)
{
    pq_mem_free(m->places);
    pq_word_numbers_init(m, m->mem, m->seed, m->stop);
}

static inline uint32_t home(const PqWordNumbers *m, uint64_t word)
{
    return (uint32_t)(pq_hash_mix(m->seed, word) & pq_hash_bits) &
           (m->n_places - 1);
}

static inline uint32_t look(const PqWordNumbers *m, uint32_t at, uint64_t word)
{
    while (m->places[at].number && m->places[at].word != word) {
        at = (at + 1) & (m->n_places - 1);
    }
    return at;
}

uint32_t pq_word_numbers_get(const PqWordNumbers *m, uint64_t word)
{
    return m->n ? m->places[look(m, home(m, word), word)].number - 1
                : PQ_NO_NUMBER;
}

uint32_t pq_word_numbers_find(const PqWordNumbers *m, const uint64_t *words,
                              uint32_t n, uint32_t *numbers)
{
    uint32_t ring[AHEAD], missing = 0;

    if (m->n == 0) {
        for (uint32_t i = 0; i < n; i++) {
            numbers[i] = PQ_NO_NUMBER;
        }
        return n;
    }
    for (uint32_t i = 0; i < n && i < AHEAD; i++) {
        ring[i] = home(m, words[i]);
        __builtin_prefetch(&m->places[ring[i]]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = ring[i % AHEAD], next = i + AHEAD;

        if (next < n) {
            ring[i % AHEAD] = home(m, words[next]);
            __builtin_prefetch(&m->places[ring[i % AHEAD]]);
        }
        numbers[i] = m->places[look(m, at, words[i])].number - 1;
        missing += numbers[i] == PQ_NO_NUMBER;
    }
    return missing;
}

/* Moves the words to n places, a power of two. */
static PqRc grow(PqWordNumbers *m, uint32_t n, PqErr *e)
{
    uint32_t n_was = m->n_places;
    PqWordPlace *was = m->places, *places;

    places = pq_mem_filled(m->mem, n, sizeof *places, 0, m->stop, e);
    if (!places) {
        return e->rc;
    }
    m->places = places;
    m->n_places = n;
    for (uint32_t i = 0; i < n_was; i++) {
        if (i % POLL_PLACES == 0 && pq_stop_poll(m->stop, e) != PQ_OK) {
            pq_mem_free(places);
            m->places = was;
            m->n_places = n_was;
            return e->rc;
        }
        if (was[i].number) {
            places[look(m, home(m, was[i].word), was[i].word)] = was[i];
        }
    }
    pq_mem_free(was);
    return PQ_OK;
}

PqRc pq_word_numbers_need(PqWordNumbers *m, uint32_t n, PqErr *e)
{
    uint32_t places = m->n_places;

    while (m->n + (uint64_t)n > places / 4 * 3) {
        if (places >= MOST_PLACES) {
            return pq_fail(e, PQ_BUDGET, "more than %d values of a key",
                           MOST_PLACES / 4 * 3);
        }
        places = places ? places * 2 : FIRST_PLACES;
    }
    return places > m->n_places ? grow(m, places, e) : PQ_OK;
}

uint32_t pq_word_numbers_enter(PqWordNumbers *m, const uint64_t *words, uint32_t n,
                               uint32_t first, uint32_t *numbers, uint32_t *fresh)
{
    uint32_t ring[AHEAD], n_fresh = 0;

    for (uint32_t i = 0; i < n && i < AHEAD; i++) {
        ring[i] = home(m, words[i]);
        __builtin_prefetch(&m->places[ring[i]], 1);
    }
    for (uint32_t i = 0; i < n; i++) {
        PqWordPlace *p = &m->places[look(m, ring[i % AHEAD], words[i])];
        uint32_t next = i + AHEAD;

        if (next < n) {
            ring[i % AHEAD] = home(m, words[next]);
            __builtin_prefetch(&m->places[ring[i % AHEAD]], 1);
        }
        if (!p->number) {
            *p = (PqWordPlace){words[i], first + n_fresh + 1};
            fresh[n_fresh++] = i;
        }
        numbers[i] = p->number - 1;
    }
    m->n += n_fresh;
    return n_fresh;
}

PqRc pq_word_numbers_add(PqWordNumbers *m, uint64_t word, uint32_t number, PqErr *e)
{
    PQ_TRY(pq_word_numbers_need(m, 1, e));
    m->places[look(m, home(m, word), word)] = (PqWordPlace){word, number + 1};
    m->n++;
    return PQ_OK;
}
