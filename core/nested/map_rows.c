/*
** map_rows.c - prints a MAP as a JSON object, or as [[key,value],...].
**
** A key may have any type, but in a JSON object it must be a string.  So a key
** is printed as a value and then made a string:
**
**   "a"      stays              1     becomes "1"       null  "null"
**   [1,2]    becomes "[1,2]"    true  becomes "true"
**
** If a key occurs twice, its last entry counts (the format says so).  Entries
** are printed as they come, and their places are noted.  Keys are compared when
** the map is complete: pairwise if there are few, else through a hash table.
** Only if a key occurs twice, earlier entries are cut out of the text.
*/
#include "core/nested/json_plan.h"

#include <xxhash.h>

enum { FEW = 12 };                   /* entries compared each with each */

/* A value that differs for most keys; n is at least 2, the quotes. */
static uint64_t ends_of(const uint8_t *p, size_t n)
{
    return n < 4 ? pq_load_u16(p) | (uint64_t)pq_load_u16(p + n - 2) << 32
                 : pq_load_u32(p) | (uint64_t)pq_load_u32(p + n - 4) << 32;
}

static inline bool same_key(const PqJsonRows *j, const PqMapEntry *a,
                            const PqMapEntry *b)
{
    return a->ends == b->ends && a->key_n == b->key_n &&
           memcmp(j->out.p + a->start, j->out.p + b->start, a->key_n) == 0;
}

/* Both mark entries with a later duplicate by a key_n of 0, and tell whether
** there are any. */
static bool find_few(PqJsonRows *j, PqMapEntry *entry, size_t n)
{
    bool found = false;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (same_key(j, &entry[i], &entry[k])) {
                entry[i].key_n = 0;
                found = true;
                break;
            }
        }
    }
    return found;
}

/* A hash table with open addressing; each place has an entry's number + 1.  The
** seed is an address, so that no file can have keys chosen to collide. */
static PqRc find_many(PqJsonRows *j, PqMapEntry *entry, size_t n, bool *found)
{
    uint64_t seed = (uint64_t)(uintptr_t)j;
    size_t at, size = 64;
    uint32_t *place;

    while (size < 2 * n) size *= 2;
    PQ_TRY(pq_buf_resize(&j->table, size * sizeof *place, j->e));
    place = (uint32_t *)(void *)j->table.p;
    memset(place, 0, size * sizeof *place);
    for (size_t i = n; i-- > 0;) {
        at = XXH3_64bits_withSeed(j->out.p + entry[i].start, entry[i].key_n,
                                  seed) & (size - 1);
        while (place[at] && !same_key(j, &entry[i], &entry[place[at] - 1])) {
            at = (at + 1) & (size - 1);
        }
        if (place[at]) {
            entry[i].key_n = 0;
            *found = true;
        } else {
            place[at] = (uint32_t)i + 1;
        }
    }
    return PQ_OK;
}

/* Cuts the marked entries out of the text. */
static void drop_dead(PqJsonRows *j, const PqMapEntry *entry, size_t n)
{
    size_t to = entry[0].start;
    bool first = true;

    for (size_t i = 0; i < n; i++) {
        size_t len = entry[i].end - entry[i].start;

        if (entry[i].key_n == 0) {
            continue;
        }
        if (!first) {
            j->out.p[to++] = ',';
        }
        memmove(j->out.p + to, j->out.p + entry[i].start, len);
        to += len;
        first = false;
    }
    j->out.n = to;
}

/* Drops all but the last of the entries with the same key. */
static PqRc last_one_wins(PqJsonRows *j, size_t base)
{
    size_t n = j->entries.n / sizeof(PqMapEntry) - base;
    PqMapEntry *entry = (PqMapEntry *)(void *)j->entries.p + base;
    bool found = false;

    if (!pq_buf_ok(&j->out)) {
        return j->e->rc;
    }
    if (n <= FEW) {
        found = find_few(j, entry, n);
    } else if (n >= UINT32_MAX) {
        return pq_fail(j->e, PQ_UNSUPPORTED, "a map of %zu entries", n);
    } else {
        PQ_TRY(find_many(j, entry, n, &found));
    }
    if (found) {
        drop_dead(j, entry, n);
    }
    return PQ_OK;
}

/* Makes the text from start on a string. */
static PqRc make_string(PqJsonRows *j, size_t start)
{
    size_t n = j->out.n - start;
    uint8_t *p;

    if (!pq_buf_ok(&j->out) || !pq_buf_room(&j->out, 2)) {
        return j->e->rc;
    }
    p = j->out.p + start;
    if (*p == '[' || *p == '{') {    /* may have quotes: escape them */
        j->key.n = 0;
        pq_buf_add(&j->key, p, n);
        j->out.n = start;
        pq_json_text_string(pq_buf_view(&j->key), &j->out);
    } else if (*p != '"') {
        memmove(p + 1, p, n);
        p[0] = p[n + 1] = '"';
        j->out.n += 2;
    }
    return pq_buf_ok(&j->out) ? PQ_OK : j->e->rc;
}

static PqRc print_value(PqJsonRows *j, const PqJsonNode *n)
{
    if (n->n_children > 1) {
        return pq_json_rows_node(j, &n->child[1]);
    }
    pq_json_scalar_null(&j->out);
    return PQ_OK;
}

static PqRc print_entry(PqJsonRows *j, const PqJsonNode *n)
{
    PqMapEntry entry = {.start = j->out.n};

    PQ_TRY(pq_json_rows_node(j, &n->child[0]));
    PQ_TRY(make_string(j, entry.start));
    entry.key_n = j->out.n - entry.start;
    entry.ends = ends_of(j->out.p + entry.start, entry.key_n);
    pq_json_scalar_byte(&j->out, ':');
    PQ_TRY(print_value(j, n));
    entry.end = j->out.n;
    return pq_buf_append(&j->entries, &entry, sizeof entry, j->e);
}

static PqRc print_pair(PqJsonRows *j, const PqJsonNode *n)
{
    pq_json_scalar_byte(&j->out, '[');
    PQ_TRY(pq_json_rows_node(j, &n->child[0]));
    pq_json_scalar_byte(&j->out, ',');
    PQ_TRY(print_value(j, n));
    pq_json_scalar_byte(&j->out, ']');
    return PQ_OK;
}

PqRc pq_map_rows_entries(PqJsonRows *j, const PqJsonNode *n)
{
    size_t base = j->entries.n / sizeof(PqMapEntry);
    bool again;

    for (;;) {
        j->rep = n->repeated_rep;
        PQ_TRY(j->options.map_entries ? print_pair(j, n) : print_entry(j, n));
        PQ_TRY(pq_json_rows_again(j, n->leaves, n->repeated_rep, &again));
        if (!again) {
            break;
        }
        pq_json_scalar_byte(&j->out, ',');
    }
    j->rep = (uint16_t)(n->repeated_rep - 1);
    if (!j->options.map_entries) {
        PQ_TRY(last_one_wins(j, base));
        j->entries.n = base * sizeof(PqMapEntry);
    }
    return PQ_OK;
}
