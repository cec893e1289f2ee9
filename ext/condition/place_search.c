/*
** place_search.c - halves an interval of places until one is left.
*/
#include "ext/condition/place_search.h"

bool pqext_search_reached(const PqextSearch *s, PqPlace place,
                          const PqCell *operand, bool more)
{
    char room[PQEXT_BOUND_ROOM];
    PqCell v;

    pqext_value_at(s->table, s->type, place, room, &v);
    return pq_cell_compare(&v, operand) >= (int)more;
}

/* place + by, or the last place. */
static PqPlace up(const PqextSearch *s, PqPlace place, unsigned __int128 by)
{
    unsigned __int128 left = (unsigned __int128)s->most -
                             (unsigned __int128)place;

    return by < left ? place + (PqPlace)by : s->most;
}

static PqPlace down(const PqextSearch *s, PqPlace place, unsigned __int128 by)
{
    unsigned __int128 left = (unsigned __int128)place -
                             (unsigned __int128)s->least;

    return by < left ? place - (PqPlace)by : s->least;
}

/* Narrows [*low, *high] so that it still has the wanted place, going away from
** the guess in growing steps.  False: there is no such place. */
static bool surround(const PqextSearch *s, const PqCell *operand, bool more,
                     PqPlace *low, PqPlace *high)
{
    const unsigned widest = 120;
    unsigned shift = 0;
    PqPlace guess;

    if (!pqext_guess_place(s->table, s->type, operand, &guess)) {
        return pqext_search_reached(s, *high, operand, more);
    }
    guess = guess < *low ? *low : guess > *high ? *high : guess;
    if (pqext_search_reached(s, guess, operand, more)) {
        for (*high = guess; *high > *low; shift += shift < widest ? 4 : 0) {
            PqPlace next = down(s, *high, (unsigned __int128)1 << shift);

            if (!pqext_search_reached(s, next, operand, more)) {
                *low = next + 1;
                return true;
            }
            *high = next;
        }
        return true;
    }
    for (*low = guess; *low < s->most; shift += shift < widest ? 4 : 0) {
        PqPlace next = up(s, *low, (unsigned __int128)1 << shift);

        if (pqext_search_reached(s, next, operand, more)) {
            *low += 1;
            *high = next;
            return true;
        }
        *low = next;
    }
    return false;
}

bool pqext_search_from(const PqextSearch *s, const PqCell *operand, bool more,
                       PqPlace *out)
{
    PqPlace low = s->least, high = s->most;

    if (!surround(s, operand, more, &low, &high)) {
        return false;
    }
    while (low < high) {
        PqPlace middle = low + (PqPlace)(((unsigned __int128)high -
                                          (unsigned __int128)low) / 2);

        if (pqext_search_reached(s, middle, operand, more)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *out = low;
    return true;
}

/* ---- patterns ------------------------------------------------------------ */

PqRc pqext_search_pattern(const PqextSearch *s, const PqextPattern *p,
                          PqArena *a, bool *any, PqSpan *out, PqErr *e)
{
    PqSlice text;
    PqCell from = pq_cell_text(p->start), to;
    PqPlace first, after;

    PQ_TRY(pqext_pattern_after(p, a, &text, e));
    to = pq_cell_text(text);
    *any = pqext_search_from(s, &from, false, &first);
    if (!*any) {
        return PQ_OK;
    }
    if (!pqext_search_from(s, &to, false, &after)) {
        *out = (PqSpan){first, s->most};
    } else if (after > first) {
        *out = (PqSpan){first, after - 1};
    } else {
        *any = false;
    }
    return PQ_OK;
}

bool pqext_pattern_ends(const PqextTable *t, const PqType *type,
                        const PqextPattern *p, PqArena *a,
                        char room[2][PQEXT_BOUND_ROOM], PqCell ends[2])
{
    PqextMeaning m = pqext_meaning(t, type);
    PqextSearch s = {t, type, m.least, m.most};
    PqSpan span;
    PqErr e = PQ_NO_ERR;
    bool any = false;

    if (m.bounded && m.affinity == PQEXT_AFF_TEXT && p->start.n > 0 &&
        pqext_search_pattern(&s, p, a, &any, &span, &e) == PQ_OK) {
        span = any ? span : (PqSpan){m.most, m.least};
        pqext_value_at(t, type, span.first, room[0], &ends[0]);
        pqext_value_at(t, type, span.last, room[1], &ends[1]);
        any = true;
    }
    pq_err_clear(&e);
    return any;
}
