/*
** int_numbers.c - moves integers between an open hash and a window.
*/
#include "core/numbering/int_numbers.h"

#include <string.h>

enum {
    FIRST_SPAN = 1 << 10, MOST_SPAN = 1 << 27,
    WORTH = 8,                       /* places of a window for each integer */
    LEAST_GROWTH = 8,                /* a window grows by this part of it   */
    LEAST_FLOOR = 1 << 12, MOST_FLOOR = 1 << 18, FLOOR_SHARE = 1 << 8,
    POLL_PLACES = 1 << 18
};

void pq_int_numbers_init(PqIntNumbers *m, PqMem *mem, uint64_t seed, size_t memory,
                         const PqStop *stop)
{
    size_t span = memory / FLOOR_SHARE;

    *m = (PqIntNumbers){.floor_span = span < LEAST_FLOOR  ? LEAST_FLOOR
                                      : span > MOST_FLOOR ? MOST_FLOOR : span};
    pq_word_numbers_init(&m->map, mem, seed, stop);
}

void pq_int_numbers_free(PqIntNumbers *m)
{
    pq_word_numbers_free(&m->map);
    pq_mem_free(m->window);
    *m = (PqIntNumbers){.map = m->map, .floor_span = m->floor_span};
}

bool pq_int_numbers_find(const PqIntNumbers *m, const uint64_t *words, uint32_t n,
                         uint32_t *numbers)
{
    uint32_t all = 0;

    if (!m->window) {
        return pq_word_numbers_find(&m->map, words, n, numbers) == 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t place = words[i] - (uint64_t)m->base;

        numbers[i] = place < m->span ? m->window[place] : PQ_NO_NUMBER;
        all |= numbers[i];
    }
    return all <= INT32_MAX;
}

PqRc pq_int_numbers_expect(PqIntNumbers *m, uint32_t n, PqErr *e)
{
    PQ_TRY(pq_word_numbers_need(&m->map, n, e));
    m->expected = n;
    return PQ_OK;
}

/* ---- windows -------------------------------------------------------------- */

/* The longest window that is worth its memory. */
static uint64_t most_span(const PqIntNumbers *m)
{
    uint64_t most = (uint64_t)WORTH * m->n;

    most = most > m->floor_span ? most : m->floor_span;
    return most < MOST_SPAN ? most : MOST_SPAN;
}

static bool is_worth(const PqIntNumbers *m, uint64_t span)
{
    return span > 0 && span <= most_span(m);
}

static PqRc new_window(const PqIntNumbers *m, uint64_t span, uint32_t **out,
                       PqErr *e)
{
    *out = pq_mem_filled(m->map.mem, span, sizeof **out, 0xff, m->map.stop, e);
    return *out ? PQ_OK : e->rc;
}

/* Polls now and then while places are passed. */
static PqRc poll_at(const PqIntNumbers *m, uint64_t place, PqErr *e)
{
    return place % POLL_PLACES == 0 ? pq_stop_poll(m->map.stop, e) : PQ_OK;
}

/* Moves all integers from the map to a new window. */
static PqRc open_window(PqIntNumbers *m, int64_t from, uint64_t span, PqErr *e)
{
    const PqWordNumbers *map = &m->map;
    uint32_t *window;

    PQ_TRY(new_window(m, span, &window, e));
    for (uint32_t i = 0; i < map->n_places; i++) {
        if (poll_at(m, i, e) != PQ_OK) {
            pq_mem_free(window);
            return e->rc;
        }
        if (map->places[i].number) {
            window[map->places[i].word - (uint64_t)from] =
                map->places[i].number - 1;
        }
    }
    pq_word_numbers_free(&m->map);
    m->window = window;
    m->base = from;
    m->span = span;
    return PQ_OK;
}

static PqRc close_window(PqIntNumbers *m, PqErr *e)
{
    pq_word_numbers_free(&m->map);   /* of a close that failed */
    for (uint64_t i = 0; i < m->span; i++) {
        PQ_TRY(poll_at(m, i, e));
        if (m->window[i] != PQ_NO_NUMBER) {
            PQ_TRY(pq_word_numbers_add(&m->map, (uint64_t)m->base + i,
                                       m->window[i], e));
        }
    }
    pq_mem_free(m->window);
    m->window = NULL;
    m->span = 0;
    return PQ_OK;
}

/* Makes room for more integers in the window, `shift` of them below the old
** ones. */
static PqRc move_window(PqIntNumbers *m, uint64_t span, uint64_t shift, PqErr *e)
{
    uint32_t *window;

    PQ_TRY(new_window(m, span, &window, e));
    for (uint64_t i = 0; i < m->span; i += POLL_PLACES) {
        uint64_t n = m->span - i < POLL_PLACES ? m->span - i : POLL_PLACES;

        memcpy(window + shift + i, m->window + i, n * sizeof *window);
        if (poll_at(m, i, e) != PQ_OK) {
            pq_mem_free(window);
            return e->rc;
        }
    }
    pq_mem_free(m->window);
    m->window = window;
    m->base = (int64_t)((uint64_t)m->base - shift);
    m->span = span;
    return PQ_OK;
}

/* Widens the window so that the integer lies in it, or closes the window if that
** would take too much memory.  A window is copied as a whole, so it grows by a good
** part of itself each time. */
static PqRc widen(PqIntNumbers *m, int64_t value, PqErr *e)
{
    uint64_t offset = (uint64_t)value - (uint64_t)m->base, span = m->span;
    bool below = value < m->base;
    uint64_t need = below ? (uint64_t)m->base - (uint64_t)value + m->span
                          : offset + 1;
    uint64_t left = (uint64_t)m->base - (uint64_t)INT64_MIN;

    if (!is_worth(m, need)) {
        return close_window(m, e);
    }
    while (span < need) {
        span *= 2;
    }
    span = is_worth(m, span) ? span : most_span(m);
    if (span - m->span < m->span / LEAST_GROWTH) {
        return close_window(m, e);
    }
    if (below && left < span - m->span) {
        span = m->span + left;       /* to the least integer */
    }
    return move_window(m, span, below ? span - m->span : 0, e);
}

/* Opens a window for all integers and one more, if it is worth its memory.
** That is asked only when their number is a power of two. */
static PqRc consider_window(PqIntNumbers *m, PqErr *e)
{
    uint64_t span = (uint64_t)m->most - (uint64_t)m->least + 1;

    if (m->window || m->n < m->expected || ((m->n + 1) & m->n) != 0) {
        return PQ_OK;
    }
    if (span == 1) {
        return open_window(m, m->least & ~(int64_t)(FIRST_SPAN - 1), FIRST_SPAN,
                           e);
    }
    return is_worth(m, span) ? open_window(m, m->least, span, e) : PQ_OK;
}

/* Would a window be considered while n integers are added? */
static bool may_open(const PqIntNumbers *m, uint32_t n)
{
    return m->n + (uint64_t)n > m->expected &&
           (m->n == 0 ||
            (uint64_t)2 << (31 - __builtin_clz(m->n)) <= m->n + (uint64_t)n);
}

PqRc pq_int_numbers_enter(PqIntNumbers *m, const uint64_t *words, uint32_t n,
                          uint32_t first, uint32_t *numbers, uint32_t *fresh,
                          uint32_t *n_fresh, bool *done, PqErr *e)
{
    *n_fresh = 0;
    *done = !m->window && !may_open(m, n);
    if (!*done) {
        return PQ_OK;
    }
    PQ_TRY(pq_word_numbers_need(&m->map, n, e));
    *n_fresh = pq_word_numbers_enter(&m->map, words, n, first, numbers, fresh);
    if (m->n == 0 && n > 0) {
        m->least = m->most = (int64_t)words[0];
    }
    for (uint32_t i = 0; i < *n_fresh; i++) {
        int64_t v = (int64_t)words[fresh[i]];

        m->least = v < m->least ? v : m->least;
        m->most = v > m->most ? v : m->most;
    }
    m->n += *n_fresh;
    return PQ_OK;
}

/* Whatever can fail comes before the integer is added. */
PqRc pq_int_numbers_add(PqIntNumbers *m, int64_t i, uint32_t number, PqErr *e)
{
    m->least = m->n > 0 && m->least < i ? m->least : i;
    m->most = m->n > 0 && m->most > i ? m->most : i;
    PQ_TRY(consider_window(m, e));
    if (m->window && (uint64_t)i - (uint64_t)m->base >= m->span) {
        PQ_TRY(widen(m, i, e));
    }
    if (m->window) {
        m->window[(uint64_t)i - (uint64_t)m->base] = number;
    } else {
        PQ_TRY(pq_word_numbers_add(&m->map, (uint64_t)i, number, e));
    }
    m->n++;
    return PQ_OK;
}
