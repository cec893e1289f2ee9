/*
** number_table.c - an open hash of numbers.
**
** A place has 32 bits of the hash beside the number.  The lowest of them choose
** the place.  The others save most looks at other keys.  The highest bits of
** the hash are left for cutting keys into partitions.
*/
#include "core/numbering/number_table.h"

#include <string.h>

enum {
    FIRST_PLACES = 1 << 8,
    MOST_KEYS = 1 << 30,
    FAIR_PROBES = 64,                /* for a key: good hashes need 8       */
    SPARE_PROBES = 1 << 16,
    AHEAD = 16,                      /* places are fetched for keys to come */
    KEYS_AHEAD = 8, BYTES_AHEAD = 4, /* ... and so are keys that may be equal */
    LARGE = 1 << 12,                 /* places: then that is worth it       */
    POLL_PLACES = 1 << 17
};

void pq_number_table_init(PqNumberTable *t, PqMem *mem, const PqStop *stop)
{
    *t = (PqNumberTable){.mem = mem, .stop = stop};
}

void pq_number_table_free(PqNumberTable *t)
{
    pq_mem_free(t->places);
    pq_number_table_init(t, t->mem, t->stop);
}

void pq_number_table_reset(PqNumberTable *t)
{
    if (t->n > 0) {
        memset(t->places, 0, t->n_places * sizeof *t->places);
    }
    t->n = 0;
    t->probes = 0;
}

bool pq_number_table_is_flooded(const PqNumberTable *t, uint64_t n)
{
    return t->probes > n * FAIR_PROBES + SPARE_PROBES;
}

static PqRc grow(PqNumberTable *t, PqErr *e)
{
    uint32_t n_places = t->n_places ? t->n_places * 2 : FIRST_PLACES;
    PqNumberPlace *places;

    if (t->n >= MOST_KEYS) {
        return pq_fail(e, PQ_BUDGET, "more than %d groups", MOST_KEYS);
    }
    places = pq_mem_filled(t->mem, n_places, sizeof *places, 0, t->stop, e);
    if (!places) {
        return e->rc;
    }
    for (uint32_t i = 0; i < t->n_places; i++) {
        const PqNumberPlace *p = &t->places[i];
        uint32_t at = p->mark & (n_places - 1);

        if (i % POLL_PLACES == 0 && pq_stop_poll(t->stop, e) != PQ_OK) {
            pq_mem_free(places);
            return e->rc;
        }
        while (p->number && places[at].number) {
            at = (at + 1) & (n_places - 1);
        }
        if (p->number) {
            places[at] = *p;
        }
    }
    pq_mem_free(t->places);
    t->places = places;
    t->n_places = n_places;
    return PQ_OK;
}

static PqRc find_one(PqNumberTable *t, uint32_t mark, uint32_t i,
                     const PqNumberKeys *keys, uint32_t *number, PqErr *e)
{
    uint32_t mask = t->n_places - 1, at;

    for (at = mark & mask; t->places[at].number;
         at = (at + 1) & mask, t->probes++) {
        const PqNumberPlace *p = &t->places[at];

        if (p->mark == mark && keys->same(keys->arg, p->number - 1, i)) {
            *number = p->number - 1;
            return PQ_OK;
        }
    }
    *number = PQ_NO_NUMBER;
    if (keys->add) {
        PQ_TRY(keys->add(keys->arg, i, t->n, number, e));
        t->places[at] = (PqNumberPlace){mark, *number + 1};
        t->n++;
    }
    return PQ_OK;
}

/* Fetches the key in the first place that a key with this hash can have. */
static void fetch(const PqNumberTable *t, uint32_t mark, const PqNumberKeys *keys,
                  bool bytes)
{
    const PqNumberPlace *p = &t->places[mark & (t->n_places - 1)];

    if (p->number && p->mark == mark) {
        keys->fetch(keys->arg, p->number - 1, bytes);
    }
}

static void fetch_ahead(const PqNumberTable *t, const uint64_t *hashes, uint32_t i,
                        uint32_t n, const PqNumberKeys *keys)
{
    if (i + AHEAD < n) {
        __builtin_prefetch(&t->places[(uint32_t)hashes[i + AHEAD] &
                                      (t->n_places - 1)]);
    }
    if (!keys->fetch || t->n_places < LARGE) {
        return;
    }
    if (i + KEYS_AHEAD < n) {
        fetch(t, (uint32_t)hashes[i + KEYS_AHEAD], keys, false);
    }
    if (i + BYTES_AHEAD < n) {
        fetch(t, (uint32_t)hashes[i + BYTES_AHEAD], keys, true);
    }
}

PqRc pq_number_table_find(PqNumberTable *t, const uint64_t *hashes, uint32_t n,
                          const PqNumberKeys *keys, uint32_t *numbers, PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        if (keys->add && t->n >= t->n_places / 4 * 3) {  /* some stay free */
            PQ_TRY(grow(t, e));
        }
        fetch_ahead(t, hashes, i, n, keys);
        PQ_TRY(find_one(t, (uint32_t)hashes[i], i, keys, &numbers[i], e));
    }
    return PQ_OK;
}
