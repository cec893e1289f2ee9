/*
** unnest_shape.c - finds the elements by the levels of one leaf.
**
** The hard part is to have no branch per slot: most lists have elements, and then
** the levels of a batch are compared as a whole, and nothing is listed.
*/
#include "core/scan/unnest_shape.h"

enum { AT_ONCE = 1 << 14 };          /* levels that are counted             */

void pq_shape_free(PqShape *s)
{
    pq_mem_free(s->own);
    pq_mem_free(s->units_room.v);
    *s = (PqShape){0};
}

/* ---- units --------------------------------------------------------------- */

/* Levels of the slots that are units, for a guide that repeats further. */
static PqRc cut_levels(PqShape *s, PqMem *mem, const PqVector *g, PqErr *e)
{
    uint16_t *rep, *def;
    uint32_t n = 0;

    PQ_TRY(PQ_ROOM(mem, s->own, 2 * (size_t)g->n_slots, s->own_room, e));
    rep = s->own;
    def = s->own + g->n_slots;
    for (uint32_t i = 0; i < g->n_slots; i++) {
        rep[n] = g->rep[i];
        def[n] = g->def[i];
        n += g->rep[i] <= s->depth;
    }
    s->rep = rep;
    s->def = def;
    s->n_units = n;
    return PQ_OK;
}

/* Does every unit that continues a list have an element of it? */
static bool are_true_lists(const PqShape *s)
{
    uint16_t wrong = 0;

    for (uint32_t k = 0; k < s->depth; k++) {
        uint16_t level = (uint16_t)(k + 1), least = s->element_def[k];

        for (uint32_t i = 0; i < s->n_units; i++) {
            uint16_t both = (s->rep[i] == level) & (s->def[i] < least);

            wrong |= both;
        }
    }
    return !wrong;
}

/* ---- elements ------------------------------------------------------------ */

static bool all_kept(const uint64_t *keep, uint32_t from, uint32_t n)
{
    for (uint32_t i = from; keep && i < from + n; i++) {
        if (!pq_bit(keep, i)) {
            return false;
        }
    }
    return true;
}

/* Counts in numbers as wide as levels, because many of them fit a vector
** register. */
static uint32_t count_elements(const PqShape *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0, end; i < s->n_units; i = end) {
        uint16_t some = 0;

        end = s->n_units - i < AT_ONCE ? s->n_units : i + AT_ONCE;
        for (uint32_t k = i; k < end; k++) {
            some = (uint16_t)(some + (s->def[k] >= s->least));
        }
        n += some;
    }
    return n;
}

static void list_kept(PqShape *s, const uint64_t *keep, uint32_t from)
{
    uint32_t n = 0, row = from - 1, *out = s->units_room.v;

    for (uint32_t i = 0; i < s->n_units; i++) {
        row += s->rep[i] == 0;
        out[n] = i;
        n += (s->def[i] >= s->least) & pq_bit(keep, row);
    }
    s->units = out;
    s->n_elements = n;
}

/* Levels that are read again may have changed, which is noticed later.  Until
** then each element has some unit. */
static void list_all(PqShape *s)
{
    uint32_t n = 0, i = 0, end, *out = s->units_room.v;

    for (; i < s->n_units && n < s->n_elements; i = end) {
        end = i + PQ_SHAPE_BLOCK;
        if (end <= s->n_units && n + PQ_SHAPE_BLOCK <= s->n_elements &&
            pq_shape_all_at_least(s->def + i, s->least)) {
            for (uint32_t k = 0; k < PQ_SHAPE_BLOCK; k++) {
                out[n + k] = i + k;
            }
            n += PQ_SHAPE_BLOCK;
            continue;
        }
        end = end < s->n_units ? end : s->n_units;
        for (uint32_t k = i; k < end && n < s->n_elements; k++) {
            out[n] = k;
            n += s->def[k] >= s->least;
        }
    }
    while (n < s->n_elements) {
        out[n++] = 0;
    }
    s->units = out;
}

const uint32_t *pq_shape_units(PqShape *s)
{
    if (!s->listed) {
        list_all(s);
        s->listed = true;
    }
    return s->units;
}

/* Counts the elements of all rows now, and lists them only if someone asks. */
static PqRc find_elements(PqShape *s, PqMem *mem, const uint64_t *keep,
                          uint32_t from, PqErr *e)
{
    s->units = NULL;
    s->listed = true;
    s->n_elements = s->n_units;
    if (all_kept(keep, from, s->n_rows)) {
        s->n_elements = count_elements(s);
        s->listed = s->n_elements == s->n_units;
        return s->listed ? PQ_OK
                         : PQ_U32S_ROOM(mem, s->units_room, s->n_units, e);
    }
    PQ_TRY(PQ_U32S_ROOM(mem, s->units_room, s->n_units, e));
    list_kept(s, keep, from);
    return PQ_OK;
}

PqRc pq_shape_make(PqShape *s, PqMem *mem, const PqVector *guide, bool outer,
                   const uint64_t *keep, uint32_t from, PqErr *e)
{
    s->n_rows = guide->n_rows;
    s->rep = guide->rep;
    s->def = guide->def;
    s->n_units = guide->n_slots;
    if (guide->leaf->max_rep > s->depth) {
        PQ_TRY(cut_levels(s, mem, guide, e));
    }
    if (!are_true_lists(s)) {
        return pq_fail(e, PQ_CORRUPT, "a list goes on that has no element");
    }
    s->least = outer ? 0 : s->element_def[s->depth - 1];
    return find_elements(s, mem, keep, from, e);
}

PqRc pq_shape_rows(PqShape *s, PqMem *mem, uint32_t n_rows,
                   const uint64_t *keep, uint32_t from, PqErr *e)
{
    uint32_t n = 0;

    s->depth = 0;
    s->n_rows = s->n_units = s->n_elements = n_rows;
    s->units = NULL;
    s->listed = true;
    if (all_kept(keep, from, n_rows)) {
        return PQ_OK;
    }
    PQ_TRY(PQ_U32S_ROOM(mem, s->units_room, n_rows, e));
    for (uint32_t i = 0; i < n_rows; i++) {
        s->units_room.v[n] = i;
        n += pq_bit(keep, from + i);
    }
    s->units = s->units_room.v;
    s->n_elements = n;
    return PQ_OK;
}

/* ---- of each element ----------------------------------------------------- */

static void entries_of_units(const PqShape *s, uint32_t level, uint32_t *out)
{
    uint32_t entry = UINT32_MAX;     /* before the first */

    for (uint32_t i = 0; i < s->n_units; i++) {
        entry += s->rep[i] <= level;
        out[i] = entry;
    }
}

void pq_shape_entries(PqShape *s, uint32_t level, uint32_t *out)
{
    const uint32_t *units = pq_shape_units(s);
    uint32_t entry = UINT32_MAX, i = 0;

    if (s->depth == 0) {
        for (uint32_t k = 0; k < s->n_elements; k++) {
            out[k] = units ? units[k] : k;
        }
        return;
    }
    if (!units) {
        entries_of_units(s, level, out);
        return;
    }
    for (uint32_t k = 0; k < s->n_elements; k++) {
        for (; i <= units[k]; i++) {
            entry += s->rep[i] <= level;
        }
        out[k] = entry;
    }
}

void pq_shape_ordinals(PqShape *s, uint32_t level, uint32_t *out)
{
    const uint32_t *units = pq_shape_units(s);
    uint32_t at = 0, i = 0;

    for (uint32_t k = 0; k < s->n_elements; k++) {
        uint32_t unit = units ? units[k] : k;

        if (level >= s->depth) {
            out[k] = UINT32_MAX;
            continue;
        }
        for (; i <= unit; i++) {
            at = s->rep[i] <= level ? 0 : at + (s->rep[i] == level + 1);
        }
        out[k] = s->def[unit] < s->element_def[level] ? UINT32_MAX : at;
    }
}

void pq_shape_positions(PqShape *s, uint32_t *out)
{
    const uint32_t *units = pq_shape_units(s);
    uint32_t begin = 0, i = 0;

    for (uint32_t k = 0; k < s->n_elements; k++) {
        uint32_t unit = units ? units[k] : k;

        for (; s->depth > 0 && i <= unit; i++) {
            begin = s->rep[i] == 0 ? i : begin;
        }
        out[k] = s->depth > 0 ? unit - begin : 0;
    }
}

/* ---- other leaves -------------------------------------------------------- */

static uint16_t at_most(uint16_t v, uint16_t most)
{
    return v < most ? v : most;
}

/* A leaf whose slots are the units. */
static bool same_units(const PqShape *s, const PqVector *v, uint16_t most)
{
    bool differ = false;

    if (v->n_slots != s->n_units ||
        memcmp(v->rep, s->rep, s->n_units * sizeof *s->rep) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < s->n_units; i++) {
        differ |= at_most(v->def[i], most) != at_most(s->def[i], most);
    }
    return !differ;
}

/* For any leaf.  Slots and units that begin no entry of the lists above it are
** passed over. */
static bool same_entries(const PqShape *s, const PqVector *v, uint32_t level,
                         uint16_t most)
{
    uint32_t i = 0, k = 0;

    for (;;) {
        while (i < v->n_slots && v->rep[i] > level) {
            i++;
        }
        while (k < s->n_units && s->rep[k] > level) {
            k++;
        }
        if (i == v->n_slots || k == s->n_units) {
            return i == v->n_slots && k == s->n_units;
        }
        if (v->rep[i] != s->rep[k] ||
            at_most(v->def[i], most) != at_most(s->def[k], most)) {
            return false;
        }
        i++;
        k++;
    }
}

bool pq_shape_agrees(const PqShape *s, const PqVector *v, uint32_t level)
{
    uint16_t most;

    if (!v->rep || level == 0) {
        return true;                 /* the reader counts rows */
    }
    most = s->element_def[level - 1];
    return level == s->depth && v->leaf->max_rep == level
               ? same_units(s, v, most)
               : same_entries(s, v, level, most);
}

void pq_shape_starts(const PqVector *v, uint32_t level, uint32_t *out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < v->n_slots; i++) {
        if (v->rep[i] <= level) {
            out[n++] = i;
        }
    }
    out[n] = v->n_slots;
}
