/*
** group_gather.c - gathers values by groups.
*/
#include "core/group/group_gather.h"

#include "core/group/group_inside.h"

enum { MOST_TEXTS = 1 << 16, NO_NUMBER = 0 };

PqRc pq_group_gather_init(PqGroupGather *g, PqScan *scan,
                          const PqGroupSpec *spec, PqErr *e)
{
    PqMem *mem = pq_scan_mem(scan);

    *g = (PqGroupGather){.scan = scan, .mem = mem, .can = spec->gather};
    if (!g->can || spec->n_used == 0) {
        return PQ_OK;
    }
    g->columns = pq_mem_zeros(mem, spec->n_used, sizeof *g->columns, e);
    PQ_TRY(g->columns ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < spec->n_used; i++) {
        PqGroupColumn *c = &g->columns[g->n_columns++];

        c->column = spec->used[i];
        /* The seed is an address, which the maker of a file cannot know. */
        pq_text_numbers_init(&c->texts, mem, (uint64_t)(uintptr_t)c,
                             pq_scan_stop(scan));
    }
    return PQ_OK;
}

static void free_values(PqGroupColumn *c)
{
    pq_mem_free(c->values);
    pq_mem_free(c->valid);
    c->values = c->valid = NULL;
    c->room = 0;
}

void pq_group_gather_free(PqGroupGather *g)
{
    for (uint32_t i = 0; i < g->n_columns; i++) {
        free_values(&g->columns[i]);
        pq_text_numbers_free(&g->columns[i].texts);
        pq_memo_free(&g->columns[i].numbers);
    }
    pq_mem_free(g->columns);
    g->columns = NULL;
    g->n_columns = 0;
}

/* ---- which columns --------------------------------------------------------- */

static void learn(PqGroupColumn *c, const PqNode *node)
{
    c->known = true;
    c->present = node != NULL;
    if (node) {
        c->type = node->type;
        c->is_text = c->type.physical == PQ_BYTE_ARRAY ||
                     c->type.physical == PQ_FIXED;
        c->width = c->is_text ? sizeof(uint32_t)
                              : pq_physical_width(c->type.physical);
    }
}

void pq_group_gather_enter(PqGroupGather *g)
{
    uint64_t serial = pq_scan_file_serial(g->scan);

    if (!g->can || serial == g->file_serial) {
        return;
    }
    g->file_serial = serial;
    for (uint32_t i = 0; i < g->n_columns; i++) {
        PqGroupColumn *c = &g->columns[i];
        const PqNode *node = pq_scan_node(g->scan, c->column);

        if (c->dropped) {
            continue;                /* the first pass has seen all files */
        }
        if (node && !pq_node_is_flat_leaf(node)) {
            g->can = false;
        } else if (!c->known) {
            learn(c, node);
        } else if (c->present != (node != NULL) ||
                   (node && !pq_type_equal(&c->type, &node->type))) {
            g->can = false;
        }
    }
}

void pq_group_gather_drop(PqGroupGather *g, uint32_t column)
{
    for (uint32_t i = 0; i < g->n_columns; i++) {
        if (g->columns[i].column == column) {
            g->columns[i].present = false;
            g->columns[i].dropped = true;
        }
    }
}

/* ---- which groups ---------------------------------------------------------- */

typedef struct Groups {
    const uint8_t  *codes;
    uint32_t        n;
    const uint64_t *rows;            /* by code                             */
} Groups;

static double bytes_per_row(const PqGroupGather *g)
{
    double bytes = 0;

    for (uint32_t i = 0; i < g->n_columns; i++) {
        bytes += g->columns[i].present ? (double)g->columns[i].width + 0.125 : 0;
    }
    return bytes;
}

static uint64_t places_of(uint64_t n)
{
    return (n + 63) / 64 * 64;
}

/* How many passes gather the groups, with so many bytes?  0: one does not fit. */
static uint32_t passes_with(const PqGroupGather *g, Groups all, double bytes)
{
    double used = 0;
    uint32_t n = 1;

    for (uint32_t i = 0; i < all.n; i++) {
        double more = (double)places_of(all.rows[all.codes[i]]) * bytes_per_row(g);

        if (more > bytes) {
            return 0;
        }
        n += used + more > bytes;
        used = used + more > bytes ? more : used + more;
    }
    return n;
}

static void halve(PqGroupGather *g, bool half)
{
    for (uint32_t i = 0; i < g->n_columns; i++) {
        PqGroupColumn *c = &g->columns[i];
        PqPhysical physical = c->type.physical;

        if (c->present && !c->too_wide &&
            (physical == PQ_INT64 || physical == PQ_DOUBLE)) {
            c->half = half;
            c->width = half ? sizeof(uint32_t) : sizeof(uint64_t);
        }
    }
}

/* Numbers take half of their width if there are fewer passes then, or any at all. */
static void choose_widths(PqGroupGather *g, Groups all, double most)
{
    uint32_t whole = passes_with(g, all, most), halves;

    halve(g, true);
    halves = passes_with(g, all, most);
    if (halves == 0 || (whole > 0 && halves >= whole)) {
        halve(g, false);
    }
    g->widths_chosen = true;
}

static double bytes_for_pass(PqGroupGather *g, Groups all)
{
    double most = (double)(pq_mem_limit(g->mem) / PQ_GROUP_GATHER_SHARE);
    double step = most / 32;
    uint32_t n;

    if (!g->widths_chosen) {
        choose_widths(g, all, most);
    }
    n = passes_with(g, all, most);
    while (n > 0 && most > 2 * step && passes_with(g, all, most - step) == n) {
        most -= step;
    }
    return most;
}

/* Takes a group, unless there are then more than `most` bytes. */
static bool takes(PqGroupGather *g, uint8_t code, uint64_t n, double most)
{
    uint64_t places = g->n_places + places_of(n);

    if (places > UINT32_MAX || (double)places * bytes_per_row(g) > most) {
        return false;
    }
    g->wanted[code] = true;
    g->first[code] = g->next[code] = (uint32_t)g->n_places;
    g->end[code] = g->first[code] + (uint32_t)n;
    g->n_places = places;
    return true;
}

uint32_t pq_group_gather_begin(PqGroupGather *g, const uint8_t *codes, uint32_t n,
                               const uint64_t *rows)
{
    Groups all = {codes, n, rows};
    double most = bytes_for_pass(g, all);
    uint32_t i = 0;

    memset(g->wanted, 0, sizeof g->wanted);
    g->n_places = 0;
    g->again = false;
    while (i < n && takes(g, codes[i], rows[codes[i]], most)) {
        i++;
    }
    return i;
}

bool pq_group_gather_reads(const PqGroupGather *g)
{
    for (uint32_t i = 0; i < g->n_columns; i++) {
        if (g->columns[i].present) {
            return true;
        }
    }
    return false;
}

/* What is NULL has a number too, of the text ''. */
static PqRc begin_texts(PqGroupGather *g, PqGroupColumn *c, PqErr *e)
{
    PqStr nothing = {(const uint8_t *)"", 0};
    uint32_t number;

    pq_text_numbers_reset(&c->texts);
    pq_memo_forget(&c->numbers);
    memset(c->values, 0, (size_t)g->n_places * c->width);
    return pq_text_numbers_find(&c->texts, &nothing, 1, &number, e);
}

static PqRc column_room(PqGroupGather *g, PqGroupColumn *c, PqErr *e)
{
    c->nulls = false;
    if (g->n_places > c->room) {
        free_values(c);
        c->values = pq_mem_zeros(g->mem, (size_t)g->n_places, c->width, e);
        PQ_TRY(c->values ? PQ_OK : e->rc);
        c->room = g->n_places;
    }
    return c->is_text ? begin_texts(g, c, e) : PQ_OK;
}

PqRc pq_group_gather_room(PqGroupGather *g, PqErr *e)
{
    for (uint32_t i = 0; i < g->n_columns && g->n_places > 0; i++) {
        if (g->columns[i].present) {
            PQ_TRY(column_room(g, &g->columns[i], e));
        }
    }
    return PQ_OK;
}

/* ---- a batch --------------------------------------------------------------- */

static inline uint32_t row_at(const PqBatch *b, uint32_t i)
{
    return b->kept ? b->kept[i] : i;
}

/* Gives each row its place. */
static void find_places(PqGroupGather *g, const PqBatch *b, const uint8_t *codes)
{
    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint8_t code = codes[row_at(b, i)];

        if (!g->wanted[code] || g->next[code] == g->end[code]) {
            g->can = false;          /* not the rows that were counted      */
            return;
        }
        g->places[i] = g->next[code]++;
    }
}

/* The value of a row that is NULL is undefined, and nobody reads it. */
static void put_numbers(const PqGroupGather *g, PqGroupColumn *c, const PqBatch *b,
                        const PqVector *v)
{
    size_t width = c->width;
    char *values = c->values;

    if (v->dict && v->dict->n == 0) {
        return;
    }
    for (uint32_t i = 0; i < b->n_kept; i++) {
        pq_group_copy(values + g->places[i] * width,
                      pq_vector_at(v, width, row_at(b, i)), width);
    }
}

static inline uint32_t half_of(uint64_t bits, bool real)
{
    uint32_t half = (uint32_t)bits;

    if (real) {
        double d;
        float f;

        memcpy(&d, &bits, sizeof d);
        f = (float)d;
        memcpy(&half, &f, sizeof half);
    }
    return half;
}

static inline uint64_t whole_of(uint32_t half, bool real)
{
    uint64_t bits = (uint64_t)(int32_t)half;

    if (real) {
        float f;
        double d;

        memcpy(&f, &half, sizeof f);
        d = f;
        memcpy(&bits, &d, sizeof bits);
    }
    return bits;
}

/* Puts halves, and learns if a value is not what it was.  Bits are compared, so zeros
** keep their signs, and NaNs theirs. */
static void put_halves(PqGroupGather *g, PqGroupColumn *c, const PqBatch *b,
                       const PqVector *v)
{
    bool real = c->type.physical == PQ_DOUBLE;
    uint32_t *values = c->values;
    uint64_t bits, differ = 0;

    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint32_t row = row_at(b, i), half;

        if (pq_vector_is_valid(v, row)) {
            memcpy(&bits, pq_vector_at(v, sizeof bits, row), sizeof bits);
            half = half_of(bits, real);
            differ |= whole_of(half, real) ^ bits;
            values[g->places[i]] = half;
        }
    }
    if (differ != 0) {
        free_values(c);
        c->half = false;
        c->width = sizeof bits;
        c->too_wide = g->again = true;
    }
}

static PqRc number_text(PqGroupColumn *c, const PqVector *v, uint32_t row,
                        uint32_t *number, PqErr *e)
{
    uint32_t *known = NULL;

    if (v->dict && v->ids[row] < c->numbers.n) {
        known = (uint32_t *)c->numbers.v + v->ids[row];
        if (PQ_LIKELY(*known != NO_NUMBER)) {
            *number = *known - 1;
            return PQ_OK;
        }
    }
    PQ_TRY(pq_text_numbers_find(&c->texts, pq_vector_at(v, sizeof(PqStr), row), 1,
                                number, e));
    if (known) {
        *known = *number + 1;
    }
    return PQ_OK;
}

static PqRc enter_dict(PqGroupGather *g, PqGroupColumn *c, const PqDict *d, PqErr *e)
{
    bool fresh;

    PQ_TRY(pq_memo_enter(&c->numbers, g->mem, d->serial, d->n, sizeof(uint32_t),
                         &fresh, e));
    if (fresh && d->n > 0) {
        memset(c->numbers.v, 0, d->n * sizeof(uint32_t));
    }
    c->numbers.serial = d->serial;
    return PQ_OK;
}

static PqRc put_texts(PqGroupGather *g, PqGroupColumn *c, const PqBatch *b,
                      const PqVector *v, PqErr *e)
{
    uint32_t *values = c->values;

    if (v->dict) {
        PQ_TRY(enter_dict(g, c, v->dict, e));
    }
    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint32_t row = row_at(b, i);

        if (pq_vector_is_valid(v, row)) {
            PQ_TRY(number_text(c, v, row, &values[g->places[i]], e));
        }
    }
    g->can = g->can && c->texts.table.n <= MOST_TEXTS &&
             pq_text_numbers_bytes(&c->texts) <= pq_mem_limit(g->mem) / 16;
    return PQ_OK;
}

/* The bits are there from the first NULL of a pass on. */
static PqRc first_null(PqGroupGather *g, PqGroupColumn *c, PqErr *e)
{
    if (!c->valid) {
        PQ_TRY(PQ_RESIZE(g->mem, c->valid, (size_t)(c->room / 64), e));
    }
    memset(c->valid, 0xff, (size_t)(g->n_places / 64) * sizeof *c->valid);
    c->nulls = true;
    return PQ_OK;
}

static PqRc put_nulls(PqGroupGather *g, PqGroupColumn *c, const PqBatch *b,
                      const PqVector *v, PqErr *e)
{
    for (uint32_t i = 0; i < b->n_kept; i++) {
        if (!pq_bit(v->valid, row_at(b, i))) {
            PQ_TRY(c->nulls ? PQ_OK : first_null(g, c, e));
            c->valid[g->places[i] / 64] &= ~((uint64_t)1 << g->places[i] % 64);
        }
    }
    return PQ_OK;
}

PqRc pq_group_gather_add(PqGroupGather *g, const uint8_t *codes, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(g->scan);

    pq_group_gather_enter(g);
    if (g->can) {
        find_places(g, b, codes);
    }
    for (uint32_t k = 0; k < g->n_columns && g->can && !g->again; k++) {
        PqGroupColumn *c = &g->columns[k];
        const PqVector *v;

        if (!c->present) {
            continue;
        }
        PQ_TRY(pq_scan_vector(g->scan,
                              (uint32_t)pq_scan_node(g->scan, c->column)->leaf, &v, e));
        if (c->is_text) {
            PQ_TRY(put_texts(g, c, b, v, e));
        } else if (c->half) {
            put_halves(g, c, b, v);
        } else {
            put_numbers(g, c, b, v);
        }
        if (v->valid && !g->again) {
            PQ_TRY(put_nulls(g, c, b, v, e));
        }
    }
    return PQ_OK;
}

void pq_group_gather_end(PqGroupGather *g)
{
    for (uint32_t i = 0; i < PQ_GROUP_CODES; i++) {
        g->can = g->can && (!g->wanted[i] || g->next[i] == g->end[i]);
    }
    for (uint32_t i = 0; i < g->n_columns; i++) {
        PqGroupColumn *c = &g->columns[i];

        c->dict = (PqDict){.type = c->type.physical, .n = c->texts.table.n,
                           .values = c->texts.v, .serial = pq_dict_serial()};
    }
}

/* ---- rows are handed out --------------------------------------------------- */

static void give_column(PqGroupGather *g, PqGroupColumn *c, uint32_t from, uint32_t n)
{
    const PqNode *node = pq_scan_node(g->scan, c->column);
    const PqLeaf *leaf = &pq_scan_footer(g->scan)->schema.leaves[node->leaf];

    c->vector = (PqVector){.leaf = leaf, .n_rows = n, .n_slots = n,
                           .valid = c->nulls ? c->valid + from / 64 : NULL};
    if (c->is_text) {
        c->vector.dict = &c->dict;
        c->vector.ids = (const uint32_t *)c->values + from;
    } else if (c->half) {
        for (uint32_t i = 0; i < n; i++) {
            c->wide[i] = whole_of(((const uint32_t *)c->values)[from + i],
                                  c->type.physical == PQ_DOUBLE);
        }
        c->vector.values = c->wide;
    } else {
        c->vector.values = (const char *)c->values + from * c->width;
    }
    pq_group_set_vector(g->scan, &c->vector, c->def);
}

void pq_group_gather_give(PqGroupGather *g, uint8_t code, uint32_t from, uint32_t n)
{
    for (uint32_t i = 0; i < g->n_columns; i++) {
        if (g->columns[i].present) {
            give_column(g, &g->columns[i], g->first[code] + from, n);
        }
    }
}
