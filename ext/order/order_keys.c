/*
** order_keys.c
*/
#include "ext/order/order_keys.h"

#include <stddef.h>

enum { FIRST_ROOM = 32, LEAST_TEXT = 4, NEIGHBOURS = 12 };

static PqextOrderKey *key_at(const PqextKeys *k, uint32_t i)
{
    return (PqextOrderKey *)(void *)(k->keys + i * k->width);
}

void pqext_keys_init(PqextKeys *k, PqMem *mem, uint32_t n_columns)
{
    memset(k, 0, sizeof *k);
    k->mem = mem;
    k->n_columns = n_columns;
    k->width = offsetof(PqextOrderKey, values) + n_columns * sizeof(PqextKeyValue);
    k->limit = SIZE_MAX;
    k->chance = 1;
}

/* ---- comparing ------------------------------------------------------------ */

static PqextValue number(const PqextKeyValue *v)
{
    PqextValue out = {.kind = PQEXT_NUMBER, .is_int = v->kind == PQEXT_KEY_INT};

    if (out.is_int) {
        out.i = v->as.i;
    } else {
        out.r = v->as.r;
    }
    return out;
}

static int compare_kinds(const PqextKeyValue *a, const PqextKeyValue *b)
{
    PqextValue x, y;

    if (a->kind < PQEXT_KEY_INT || b->kind < PQEXT_KEY_INT ||
        a->kind > PQEXT_KEY_REAL || b->kind > PQEXT_KEY_REAL) {
        return a->kind < b->kind ? -1 : 1;
    }
    x = number(a);
    y = number(b);
    return pqext_value_compare(&x, &y);
}

int pqext_order_compare(const PqextKeyValue *a, const PqextKeyValue *b)
{
    if (a->kind != b->kind) {
        return compare_kinds(a, b);
    }
    switch (a->kind) {
    case PQEXT_KEY_NULL:
        return 0;
    case PQEXT_KEY_INT:
        return (a->as.i > b->as.i) - (a->as.i < b->as.i);
    case PQEXT_KEY_REAL:
        return (a->as.r > b->as.r) - (a->as.r < b->as.r);
    default:
        return pq_slice_compare(pq_slice(a->as.p, a->n),
                                pq_slice(b->as.p, b->n));
    }
}

int pqext_keys_order(const PqextKeys *k, const PqextKeyValue *a, int64_t a_row,
                     const PqextKeyValue *b, int64_t b_row)
{
    for (uint32_t i = 0; i < k->n_columns; i++) {
        int c = pqext_order_compare(&a[i], &b[i]);

        if (c != 0) {
            return k->desc[i] ? -c : c;
        }
    }
    return (a_row > b_row) - (a_row < b_row);
}

/* Grows with the value, NULL the least. */
static uint64_t ascending_head(const PqextKeyValue *v)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t h = 0;
    double r;

    switch (v->kind) {
    case PQEXT_KEY_NULL:
        return 0;
    case PQEXT_KEY_INT:
        return (uint64_t)v->as.i ^ sign;
    case PQEXT_KEY_REAL:
        r = v->as.r + 0.0;           /* of -0.0 as well */
        memcpy(&h, &r, sizeof h);
        return h & sign ? ~h : h | sign;
    default:
        for (uint32_t i = 0; i < sizeof h; i++) {
            h = h << 8 | (i < v->n ? v->as.p[i] : 0);
        }
        return h;
    }
}

static uint64_t head_of(const PqextKeys *k, const PqextKeyValue *values)
{
    uint64_t h = k->mixed ? 0 : ascending_head(values);

    return k->desc[0] ? ~h : h;
}

static inline bool is_before(const PqextKeys *k, const PqextOrderKey *a,
                             const PqextOrderKey *b)
{
    if (a->head != b->head) {
        return a->head < b->head;
    }
    return pqext_keys_order(k, a->values, a->row, b->values, b->row) < 0;
}

/* ---- room ----------------------------------------------------------------- */

static PqRc more_room(PqextKeys *k, PqErr *e)
{
    size_t room = k->room ? (size_t)k->room * 2 : FIRST_ROOM;
    char *more;

    room = room > 2 * (size_t)k->most ? 2 * (size_t)k->most : room;
    room = room > k->n ? room : k->n + (size_t)1;
    more = pq_mem_resize(k->mem, k->keys, room * k->width, e);
    if (!more) {
        return e->rc;
    }
    memset(more + k->room * k->width, 0, (room - k->room) * k->width);
    k->keys = more;
    k->room = (uint32_t)room;
    return PQ_OK;
}

static void drop_bytes(PqextKeys *k, PqextKeyValue *v)
{
    if (v->room > 0) {
        k->bytes -= (size_t)1 << v->room;
        pq_mem_free((void *)(uintptr_t)v->as.p);
        v->room = 0;
    }
    v->kind = PQEXT_KEY_NULL;
}

/* Of the keys from number from on, those that are not in use included. */
static void drop_all(PqextKeys *k, uint32_t from)
{
    for (uint32_t i = from; i < k->room && k->bytes > 0; i++) {
        for (uint32_t c = 0; c < k->n_columns; c++) {
            drop_bytes(k, &key_at(k, i)->values[c]);
        }
    }
}

void pqext_keys_free(PqextKeys *k)
{
    drop_all(k, 0);
    pq_mem_free(k->keys);
    k->keys = NULL;
    k->n = k->room = 0;
}

void pqext_keys_begin(PqextKeys *k, uint32_t most)
{
    drop_all(k, 0);
    k->most = most > 0 ? most : 1;
    k->n = 0;
    k->in_order = true;
    k->has_worst = false;
}

/* The getter of a text expects a NUL behind it. */
static PqRc keep_bytes(PqextKeys *k, PqextKeyValue *to,
                       const PqextKeyValue *from, PqErr *e)
{
    uint8_t room = LEAST_TEXT;
    uint8_t *p;

    while (((size_t)1 << room) < (size_t)from->n + 1) {
        room++;
    }
    if (to->room < room || to->room > room + 4) {
        drop_bytes(k, to);
        p = pq_mem_alloc(k->mem, (size_t)1 << room, e);
        if (!p) {
            return e->rc;
        }
        to->as.p = p;
        to->room = room;
        k->bytes += (size_t)1 << room;
    }
    p = (uint8_t *)(uintptr_t)to->as.p;
    if (from->n > 0) {
        memcpy(p, from->as.p, from->n);
    }
    p[from->n] = 0;
    to->n = from->n;
    to->kind = from->kind;
    return PQ_OK;
}

static PqRc keep(PqextKeys *k, PqextOrderKey *to, const PqextKeyValue *values,
                 int64_t row, PqErr *e)
{
    to->head = head_of(k, values);
    to->row = row;
    for (uint32_t i = 0; i < k->n_columns; i++) {
        if (values[i].kind >= PQEXT_KEY_TEXT) {
            PQ_TRY(keep_bytes(k, &to->values[i], &values[i], e));
        } else {
            drop_bytes(k, &to->values[i]);
            to->values[i] = values[i];
            to->values[i].room = 0;
        }
    }
    return PQ_OK;
}

/* ---- parting and sorting ------------------------------------------------------ */

static void exchange(PqextKeys *k, uint32_t i, uint32_t j)
{
    char room[offsetof(PqextOrderKey, values) +
              PQEXT_ORDER_COLUMNS * sizeof(PqextKeyValue)];
    PqextOrderKey *a = key_at(k, i), *b = key_at(k, j), one;

    if (k->n_columns == 1) {
        one = *a;
        *a = *b;
        *b = one;
    } else {
        memcpy(room, a, k->width);
        memcpy(a, b, k->width);
        memcpy(b, room, k->width);
    }
}

/* The middle one of three of [from, end), two of them by chance: no file is made
** for them. */
static uint32_t choose(PqextKeys *k, uint32_t from, uint32_t end)
{
    uint32_t a, b = from + (end - from) / 2, c, swap;

    k->chance = k->chance * 6364136223846793005u + 1442695040888963407u;
    a = from + (uint32_t)((k->chance >> 33) % (end - from));
    c = from + (uint32_t)((k->chance >> 13) % (end - from));
    if (is_before(k, key_at(k, b), key_at(k, a))) {
        swap = a;
        a = b;
        b = swap;
    }
    if (is_before(k, key_at(k, c), key_at(k, b))) {
        b = is_before(k, key_at(k, c), key_at(k, a)) ? a : c;
    }
    return b;
}

/* Better ones before one of them, worse ones behind it; where it then is. */
static uint32_t part(PqextKeys *k, uint32_t from, uint32_t end)
{
    uint32_t low = from + 1, high = end - 1;

    exchange(k, from, choose(k, from, end));
    for (;;) {
        while (low <= high && is_before(k, key_at(k, low), key_at(k, from))) {
            low++;
        }
        while (low <= high && is_before(k, key_at(k, from), key_at(k, high))) {
            high--;
        }
        if (low >= high) {
            break;
        }
        exchange(k, low++, high--);
    }
    exchange(k, from, high);
    return high;
}

static void sort_neighbours(PqextKeys *k, uint32_t from, uint32_t end)
{
    for (uint32_t i = from + 1; i < end; i++) {
        for (uint32_t at = i;
             at > from && is_before(k, key_at(k, at), key_at(k, at - 1)); at--) {
            exchange(k, at, at - 1);
        }
    }
}

/* The smaller side first, so that few are left open. */
static void sort(PqextKeys *k, uint32_t from, uint32_t end)
{
    while (end - from > NEIGHBOURS) {
        uint32_t middle = part(k, from, end);

        if (middle - from < end - middle) {
            sort(k, from, middle);
            from = middle + 1;
        } else {
            sort(k, middle + 1, end);
            end = middle;
        }
    }
    sort_neighbours(k, from, end);
}

/* The best n come first, of these the worst last. */
static void select_best(PqextKeys *k, uint32_t n)
{
    uint32_t from = 0, end = k->n;

    k->in_order = false;
    while (end - from > 1) {
        uint32_t middle = part(k, from, end);

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

/* ---- the set -------------------------------------------------------------------- */

static void keep_best(PqextKeys *k, uint32_t n)
{
    if (n < k->n || !k->in_order) {
        select_best(k, n);
    }
    k->n = k->most = n;
    k->has_worst = true;
}

/* Texts take too much: the worse half goes. */
static void shrink(PqextKeys *k)
{
    while (k->bytes > k->limit && k->n > 1) {
        keep_best(k, k->n - 1 < k->most ? (k->n + 1) / 2 : k->most);
        drop_all(k, k->n);
    }
    keep_best(k, k->n < k->most ? k->n : k->most);
}

/* Room for one more; where memory has none, what there is has to do. */
static PqRc need_room(PqextKeys *k, PqErr *e)
{
    if (k->n < k->room || more_room(k, e) == PQ_OK) {
        return PQ_OK;
    }
    if (e->rc != PQ_BUDGET || k->n < 2) {
        return e->rc;
    }
    pq_err_clear(e);
    keep_best(k, k->most < k->n ? k->most : (k->n + 1) / 2);
    return PQ_OK;
}

PqRc pqext_keys_offer(PqextKeys *k, const PqextKeyValue *values, int64_t row,
                      PqErr *e)
{
    const PqextOrderKey *worst;

    PQ_TRY(need_room(k, e));
    worst = pqext_keys_worst(k);
    if (worst && pqext_keys_order(k, values, row, worst->values, worst->row) >= 0) {
        return PQ_OK;
    }
    PQ_TRY(keep(k, key_at(k, k->n), values, row, e));
    k->in_order = k->in_order &&
                  (k->n == 0 || is_before(k, key_at(k, k->n - 1),
                                          key_at(k, k->n)));
    k->n++;
    if (k->n == k->most || k->n >= 2 * (uint64_t)k->most) {
        keep_best(k, k->most);
    }
    if (k->bytes > k->limit) {
        shrink(k);
    }
    return PQ_OK;
}

void pqext_keys_tighten(PqextKeys *k)
{
    if (k->n > k->most) {
        keep_best(k, k->most);
    }
}

void pqext_keys_sort(PqextKeys *k)
{
    pqext_keys_tighten(k);
    if (!k->in_order) {
        sort(k, 0, k->n);
    }
    k->in_order = true;
}
