/*
** top_set.c - keeps the better half, and sorts.
**
** The hard part is memory.  An array of rows grows up to twice the rows wanted.
** A text of a row has its own block, which the next row in the same place uses
** again.  When there is no memory for a longer array, or texts pass their
** limit, the worse rows go: the set then wants fewer rows, and the caller asks
** again for the rest.
**
** Sorting is quicksort.  It chooses its pivots by chance, so no file can make
** it slow.
*/
#include "core/top/top_set.h"

#include <stddef.h>

enum { FIRST_ROOM = 32, LEAST_TEXT = 4, NEIGHBOURS = 12 };

static PqTopRow *row_at(const PqTopSet *s, uint32_t i)
{
    return (PqTopRow *)(void *)(s->rows + i * s->width);
}

void pq_top_set_init(PqTopSet *s, PqMem *mem, uint32_t n_columns,
                     uint32_t n_values)
{
    memset(s, 0, sizeof *s);
    s->mem = mem;
    s->n_columns = n_columns;
    s->n_values = n_values;
    s->width = offsetof(PqTopRow, values) + n_values * sizeof(PqCell);
    s->limit = SIZE_MAX;
    s->chance = 1;
}

/* ---- comparing ----------------------------------------------------------- */

int pq_top_set_compare(const PqTopSet *s, const PqCell *a, int64_t a_rowid,
                       const PqCell *b, int64_t b_rowid)
{
    for (uint32_t i = 0; i < s->n_columns; i++) {
        int c = pq_cell_compare(&a[i], &b[i]);

        if (c != 0) {
            return s->desc[i] ? -c : c;
        }
    }
    return (a_rowid > b_rowid) - (a_rowid < b_rowid);
}

static uint64_t head_of(const PqTopSet *s, const PqCell *values)
{
    uint64_t h = s->mixed ? pq_cell_head_of_any(values) : pq_cell_head(values);

    return s->desc[0] ? ~h : h;
}

static inline bool is_before(const PqTopSet *s, const PqTopRow *a,
                             const PqTopRow *b)
{
    if (a->head != b->head) {
        return a->head < b->head;
    }
    return pq_top_set_compare(s, a->values, a->rowid, b->values, b->rowid) < 0;
}

/* ---- room ---------------------------------------------------------------- */

static PqRc more_room(PqTopSet *s, PqErr *e)
{
    size_t room = s->room ? (size_t)s->room * 2 : FIRST_ROOM;
    char *more;

    room = room > 2 * (size_t)s->most ? 2 * (size_t)s->most : room;
    room = room > s->n ? room : s->n + (size_t)1;
    more = pq_mem_resize(s->mem, s->rows, room * s->width, e);
    PQ_TRY(more ? PQ_OK : e->rc);
    memset(more + s->room * s->width, 0, (room - s->room) * s->width);
    s->rows = more;
    s->room = (uint32_t)room;
    return PQ_OK;
}

static void drop_bytes(PqTopSet *s, PqCell *v)
{
    if (v->room > 0) {
        s->bytes -= (size_t)1 << v->room;
        pq_mem_free((void *)(uintptr_t)v->p);
        v->room = 0;
    }
    v->kind = PQ_CELL_NULL;
}

/* Frees the bytes of all rows from number `from` on, even of unused rows. */
static void drop_all(PqTopSet *s, uint32_t from)
{
    for (uint32_t i = from; i < s->room && s->bytes > 0; i++) {
        for (uint32_t c = 0; c < s->n_values; c++) {
            drop_bytes(s, &row_at(s, i)->values[c]);
        }
    }
}

void pq_top_set_free(PqTopSet *s)
{
    drop_all(s, 0);
    pq_mem_free(s->rows);
    s->rows = NULL;
    s->n = s->room = 0;
}

void pq_top_set_begin(PqTopSet *s, uint32_t most)
{
    drop_all(s, 0);
    s->most = most > 0 ? most : 1;
    s->n = 0;
    s->in_order = true;
    s->has_worst = false;
}

/* Texts of vectors end with a NUL. */
static PqRc keep_bytes(PqTopSet *s, PqCell *to, const PqCell *from, PqErr *e)
{
    uint8_t room = LEAST_TEXT, *p;

    while (((size_t)1 << room) < (size_t)from->n + 1) {
        room++;
    }
    if (to->room < room || to->room > room + 4) {
        drop_bytes(s, to);
        p = pq_mem_alloc(s->mem, (size_t)1 << room, e);
        PQ_TRY(p ? PQ_OK : e->rc);
        to->p = p;
        to->room = room;
        s->bytes += (size_t)1 << room;
    }
    p = (uint8_t *)(uintptr_t)to->p;
    if (from->n > 0) {
        memcpy(p, from->p, from->n);
    }
    p[from->n] = 0;
    to->n = from->n;
    to->kind = from->kind;
    return PQ_OK;
}

static bool is_lent(const PqTopSet *s, uint32_t value)
{
    return value < s->n_columns && s->lent[value];
}

static PqRc keep(PqTopSet *s, PqTopRow *to, const PqCell *values,
                 int64_t rowid, PqErr *e)
{
    to->head = head_of(s, values);
    to->rowid = rowid;
    for (uint32_t i = 0; i < s->n_values; i++) {
        if (pq_cell_has_bytes(&values[i]) && !is_lent(s, i)) {
            PQ_TRY(keep_bytes(s, &to->values[i], &values[i], e));
        } else {
            drop_bytes(s, &to->values[i]);
            to->values[i] = values[i];
            to->values[i].room = 0;
        }
    }
    return PQ_OK;
}

/* ---- parting and sorting ------------------------------------------------- */

static void exchange(PqTopSet *s, uint32_t i, uint32_t j)
{
    PqTopRow *a = row_at(s, i), *b = row_at(s, j), one;
    PqCell value;

    one = *a;
    *a = *b;
    *b = one;
    for (uint32_t k = 1; k < s->n_values; k++) {
        value = a->values[k];
        a->values[k] = b->values[k];
        b->values[k] = value;
    }
}

/* The middle one of three rows of [from, end), two of them chosen by chance. */
static uint32_t choose(PqTopSet *s, uint32_t from, uint32_t end)
{
    uint32_t a, b = from + (end - from) / 2, c, swap;

    s->chance = s->chance * 6364136223846793005u + 1442695040888963407u;
    a = from + (uint32_t)((s->chance >> 33) % (end - from));
    c = from + (uint32_t)((s->chance >> 13) % (end - from));
    if (is_before(s, row_at(s, b), row_at(s, a))) {
        swap = a;
        a = b;
        b = swap;
    }
    if (is_before(s, row_at(s, c), row_at(s, b))) {
        b = is_before(s, row_at(s, c), row_at(s, a)) ? a : c;
    }
    return b;
}

/* Moves better rows before a row, and worse ones after it.  Returns the row's
** new place. */
static uint32_t part(PqTopSet *s, uint32_t from, uint32_t end)
{
    uint32_t low = from + 1, high = end - 1;

    exchange(s, from, choose(s, from, end));
    for (;;) {
        while (low <= high && is_before(s, row_at(s, low), row_at(s, from))) {
            low++;
        }
        while (low <= high && is_before(s, row_at(s, from), row_at(s, high))) {
            high--;
        }
        if (low >= high) {
            break;
        }
        exchange(s, low++, high--);
    }
    exchange(s, from, high);
    return high;
}

static void sort_neighbours(PqTopSet *s, uint32_t from, uint32_t end)
{
    for (uint32_t i = from + 1; i < end; i++) {
        for (uint32_t k = i; k > from; k--) {
            if (!is_before(s, row_at(s, k), row_at(s, k - 1))) {
                break;
            }
            exchange(s, k, k - 1);
        }
    }
}

/* The smaller side first, so that calls do not nest deeply. */
static void sort(PqTopSet *s, uint32_t from, uint32_t end)
{
    while (end - from > NEIGHBOURS) {
        uint32_t middle = part(s, from, end);

        if (middle - from < end - middle) {
            sort(s, from, middle);
            from = middle + 1;
        } else {
            sort(s, middle + 1, end);
            end = middle;
        }
    }
    sort_neighbours(s, from, end);
}

/* Moves the best n rows to the front, and the worst of these to their end. */
static void select_best(PqTopSet *s, uint32_t n)
{
    uint32_t from = 0, end = s->n;

    s->in_order = false;
    while (end - from > 1) {
        uint32_t middle = part(s, from, end);

        if (middle == n - 1) {
            return;
        }
        if (middle < n - 1) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
}

/* ---- the set ------------------------------------------------------------- */

static void keep_best(PqTopSet *s, uint32_t n)
{
    if (n < s->n || !s->in_order) {
        select_best(s, n);
    }
    s->n = s->most = n;
    s->has_worst = true;
}

/* Drops rows when memory does not suffice: the unwanted rows if they are many,
** otherwise the worse half.  Dropping only a few would be slow, because finding
** the worst rows takes a pass over all of them. */
static void keep_fewer(PqTopSet *s)
{
    keep_best(s, s->most < s->n - s->n / 4 ? s->most : (s->n + 1) / 2);
}

/* Texts take too much memory. */
static void shrink(PqTopSet *s)
{
    while (s->bytes > s->limit && s->n > 1) {
        keep_fewer(s);
        drop_all(s, s->n);
    }
    keep_best(s, s->n < s->most ? s->n : s->most);
}

/* Makes room for one more row.  If there is no memory for a longer array, the
** worse rows make room. */
static PqRc need_room(PqTopSet *s, PqErr *e)
{
    if (s->n < s->room || more_room(s, e) == PQ_OK) {
        return PQ_OK;
    }
    if (e->rc != PQ_BUDGET || s->n < 2) {
        return e->rc;
    }
    pq_err_clear(e);
    keep_fewer(s);
    return PQ_OK;
}

PqRc pq_top_set_offer(PqTopSet *s, const PqCell *values, int64_t rowid,
                      PqErr *e)
{
    const PqTopRow *worst;

    PQ_TRY(need_room(s, e));
    worst = pq_top_set_worst(s);
    if (worst && pq_top_set_compare(s, values, rowid, worst->values,
                                    worst->rowid) >= 0) {
        return PQ_OK;
    }
    PQ_TRY(keep(s, row_at(s, s->n), values, rowid, e));
    s->in_order = s->in_order &&
                  (s->n == 0 || is_before(s, row_at(s, s->n - 1),
                                          row_at(s, s->n)));
    s->n++;
    if (s->n == s->most || s->n >= 2 * (uint64_t)s->most) {
        keep_best(s, s->most);
    }
    if (s->bytes > s->limit) {
        shrink(s);
    }
    return PQ_OK;
}

void pq_top_set_tighten(PqTopSet *s)
{
    if (s->n > s->most) {
        keep_best(s, s->most);
    }
}

void pq_top_set_sort(PqTopSet *s)
{
    pq_top_set_tighten(s);
    if (!s->in_order) {
        sort(s, 0, s->n);
    }
    s->in_order = true;
}
