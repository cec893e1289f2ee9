/*
** measure_numbers.c - vectors of stored values become numbers.
**
** Most stored types have a loop.  Where there is none (a file that has another
** type than the table, a 64-bit integer without a sign, an instant as seconds),
** numbers are made from the values that SQLite would get.
*/
#include "ext/rollup/inputs_inside.h"

#include <math.h>

const PqNode *pqext_plain_leaf(PqextScan *source, uint32_t column, bool *leaf)
{
    const PqColumn *c = &source->table->table->columns[column];
    const PqNode *node = NULL;

    *leaf = false;
    if (!pq_column_is_of_pages(c)) {
        return NULL;
    }
    node = pq_scan_node(source->scan, column);
    *leaf = !node || (node->kind == PQ_NODE_LEAF && !c->as_wkb &&
                      !pq_column_is_untyped(c) &&
                      pqext_same_meaning(c, &node->type) &&
                      !pqext_may_become_null(c, &node->type));
    return node;
}

/* ---- one loop per stored type ---------------------------------------------- */

typedef enum Way {
    FROM_BOOL, FROM_I32, FROM_U32, FROM_I64, FROM_F32, FROM_F64, FROM_BYTES,
    FROM_CELLS
} Way;

static Way way_of_integer(const PqType *t)
{
    return t->physical == PQ_INT64 ? FROM_I64
           : pq_type_is_unsigned(t) ? FROM_U32 : FROM_I32;
}

static Way way_of(const PqextTable *t, const PqType *type)
{
    bool is_int = type->physical == PQ_INT32 || type->physical == PQ_INT64;

    switch (type->logical) {
    case PQ_TYPE_INT:
        return pq_type_is_u64(type) ? FROM_CELLS : way_of_integer(type);
    case PQ_TYPE_DECIMAL:
        return is_int ? way_of_integer(type) : FROM_BYTES;
    case PQ_TYPE_TIMESTAMP:
        return type->physical == PQ_INT64 &&
                       t->values.timestamp == PQSQL_TIME_RAW
                   ? FROM_I64 : FROM_CELLS;
    case PQ_TYPE_NONE:
        break;
    default:
        return FROM_CELLS;
    }
    switch (type->physical) {
    case PQ_BOOLEAN:
        return FROM_BOOL;
    case PQ_INT32:
    case PQ_INT64:
        return way_of_integer(type);
    case PQ_FLOAT:
        return t->values.nan_text ? FROM_CELLS : FROM_F32;
    case PQ_DOUBLE:
        return t->values.nan_text ? FROM_CELLS : FROM_F64;
    default:
        return FROM_CELLS;
    }
}

/* to[i] = from[at] for the rows i that are valid. */
#define CONVERT_EACH(to_type, at)                                              \
    do {                                                                       \
        if (valid) {                                                           \
            PQ_EACH_BIT(i, valid, n)                                           \
            {                                                                  \
                to[i] = (to_type)v[at];                                        \
            }                                                                  \
        } else {                                                               \
            for (uint32_t i = 0; i < n; i++) {                                 \
                to[i] = (to_type)v[at];                                        \
            }                                                                  \
        }                                                                      \
    } while (0)
#define CONVERT(type, to_type)                                                 \
    do {                                                                       \
        const type *v = from;                                                  \
        to_type *to = out;                                                     \
                                                                               \
        if (ids) {                                                             \
            CONVERT_EACH(to_type, ids[i]);                                     \
        } else {                                                               \
            CONVERT_EACH(to_type, i);                                          \
        }                                                                      \
    } while (0)

static void convert(Way way, const void *from, const uint32_t *ids,
                    const uint64_t *valid, uint32_t n, void *out)
{
    switch (way) {
    case FROM_BOOL:
        CONVERT(uint8_t, int64_t);
        break;
    case FROM_I32:
        CONVERT(int32_t, int64_t);
        break;
    case FROM_U32:
        CONVERT(uint32_t, int64_t);
        break;
    case FROM_I64:
        CONVERT(int64_t, int64_t);
        break;
    case FROM_F32:
        CONVERT(float, double);
        break;
    default:
        CONVERT(double, double);
        break;
    }
}

/* Big-endian two's complement; false: more than 128 bits. */
static bool wide_of(PqStr s, PqWide *out)
{
    unsigned __int128 u = s.n > 0 && (s.p[0] & 0x80)
                              ? ~(unsigned __int128)0 : 0;
    uint8_t sign = u ? 0xff : 0;
    uint32_t i = 0;

    while (s.n - i > sizeof u && s.p[i] == sign) {
        i++;
    }
    if (s.n - i > sizeof u ||
        (s.n - i == sizeof u && (s.p[i] & 0x80) != (sign & 0x80))) {
        return false;
    }
    for (; i < s.n; i++) {
        u = u << 8 | s.p[i];
    }
    *out = (PqWide)u;
    return true;
}

static bool convert_wides(const PqVector *v, uint32_t n, PqWide *to)
{
    const PqStr *from = v->dict ? v->dict->values : v->values;

    PQ_EACH_BIT(i, v->valid, n) {
        if (!wide_of(from[v->dict ? v->ids[i] : i], &to[i])) {
            return false;
        }
    }
    return true;
}

/* Two numbers in a vector register; gcc and clang have them on every CPU. */
typedef double Reals __attribute__((vector_size(16), aligned(8), may_alias));

/* Is any of them NaN or infinite?  x * 0 is 0 for every other number. */
static bool has_odd(const double *v, uint32_t n)
{
    Reals odd = {0}, odd2 = {0}, odd3 = {0}, odd4 = {0};
    double all;
    uint32_t i = 0;

    for (; i + 8 <= n; i += 8) {
        odd += *(const Reals *)(v + i) * 0.0;
        odd2 += *(const Reals *)(v + i + 2) * 0.0;
        odd3 += *(const Reals *)(v + i + 4) * 0.0;
        odd4 += *(const Reals *)(v + i + 6) * 0.0;
    }
    odd += odd2 + odd3 + odd4;
    all = odd[0] + odd[1];
    for (; i < n; i++) {
        all += v[i] * 0.0;
    }
    return isnan(all);
}

static bool has_nan(const double *v, uint32_t n)
{
    bool any = false;

    if (has_odd(v, n)) {
        for (uint32_t i = 0; i < n; i++) {
            any |= isnan(v[i]) != 0;
        }
    }
    return any;
}

/* ---- out of cells ---------------------------------------------------------- */

typedef enum Found { AN_INT, A_REAL, NOT_A_NUMBER } Found;

/* Which number SQLite takes a cell for.  A text of a numeric column is a
** number, such as a large integer without a sign, or it is NaN. */
static Found number_of_cell(const PqCell *cell, int64_t *i, double *r)
{
    PqSlice text = pq_cell_slice(cell);
    size_t digits = 0;

    if (cell->kind == PQ_CELL_INT) {
        *i = cell->i;
        return AN_INT;
    }
    if (cell->kind == PQ_CELL_REAL) {
        *r = cell->r;
        return A_REAL;
    }
    if (pq_number_parse_double(text, r) == PQ_PARSE_NOT || isnan(*r)) {
        *i = 0;
        return NOT_A_NUMBER;
    }
    while (digits < text.n && text.p[digits] != '.' &&
           (text.p[digits] | 32) != 'e') {
        digits++;
    }
    return digits == text.n && pq_number_parse_i64(text, i) == PQ_PARSE_OK
               ? AN_INT : A_REAL;
}

/* Makes room for n INTs, all NULL so far. */
static PqRc begin_ints(PqextNumberColumn *c, uint32_t n, PqArena *a,
                       int64_t **to, uint64_t **valid, PqErr *e)
{
    *to = pq_arena_zeros(a, n + 1, sizeof **to, e);
    *valid = pq_arena_zeros(a, n / 64 + 1, sizeof **valid, e);
    c->numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = n, .values = *to,
                             .valid = *valid};
    return *to && *valid ? PQ_OK : e->rc;
}

static PqRc load_cells(PqextNumberColumn *c, PqextScan *source, PqArena *a,
                       PqErr *e)
{
    uint32_t n = pq_scan_batch(source->scan)->n_rows;
    uint64_t *reals = pq_arena_zeros(a, n / 64 + 1, sizeof *reals, e);
    uint64_t *summed = pq_arena_zeros(a, n / 64 + 1, sizeof *summed, e), *valid;
    const uint64_t *keep = pq_scan_batch(source->scan)->keep;
    PqsqlColumn *column;
    PqsqlCellOf of;
    PqCell cell;
    int64_t *to;

    PQ_TRY(reals && summed ? PQ_OK : e->rc);
    PQ_TRY(begin_ints(c, n, a, &to, &valid, e));
    PQ_TRY(pqext_scan_load(source, c->column, &column, e));
    of = pqsql_column_cells(column);
    PQ_EACH_BIT(i, keep, n) {
        Found found;
        double r;

        PQ_TRY(pqsql_column_cell(column, of, i, &cell, e));
        if (cell.kind == PQ_CELL_NULL) {
            continue;
        }
        found = number_of_cell(&cell, &to[i], &r);
        pq_bit_set(valid, i);
        /* + takes NaN for the INTEGER 0, and sum() for the REAL 0.  The bits of
        ** both are zeros. */
        if (found != AN_INT) {
            pq_bit_set(summed, i);
        }
        if (found == A_REAL) {
            pq_bit_set(reals, i);
            memcpy(&to[i], &r, sizeof r);
        }
    }
    c->summed = summed;
    c->numbers.reals = reals;
    return PQ_OK;
}

/* ---- columns --------------------------------------------------------------- */

/* A column that does not come from pages. */
static PqRc load_of_scan(PqextNumberColumn *c, PqextScan *source, PqArena *a,
                         PqErr *e)
{
    uint32_t n = pq_scan_batch(source->scan)->n_rows;
    uint64_t *valid;
    int64_t *to;
    PqCell v;

    PQ_TRY(begin_ints(c, n, a, &to, &valid, e));
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(pqext_scan_cell(source, c->column, i, &v, e));
        if (v.kind != PQ_CELL_NULL) {
            pq_bit_set(valid, i);
            to[i] = v.kind == PQ_CELL_INT ? v.i : 0;
        }
    }
    return PQ_OK;
}

static bool is_real(Way way)
{
    return way == FROM_F32 || way == FROM_F64;
}

/* Are the stored numbers the numbers that are needed? */
static bool is_as_is(Way way)
{
    return way == FROM_I64 || way == FROM_F64;
}

/* The entries of a dictionary become numbers, once for all its batches. */
static PqRc load_entries(PqextNumberColumn *c, Way way, const PqDict *d,
                         PqErr *e)
{
    int64_t *to;

    if (c->serial == d->serial) {
        return PQ_OK;
    }
    c->serial = 0;
    c->entries = d->values;
    if (!is_as_is(way)) {
        pq_arena_reset(&c->made);
        to = pq_arena_alloc(&c->made, (d->n + 1u) * sizeof *to, e);
        PQ_TRY(to ? PQ_OK : e->rc);
        convert(way, d->values, NULL, NULL, d->n, to);
        c->entries = to;
    }
    c->bound = is_real(way) ? 0 : pq_numbers_bound_of(c->entries, d->n);
    if (is_real(way) && has_nan(c->entries, d->n)) {
        c->entries = NULL;
    }
    c->serial = d->serial;
    return PQ_OK;
}

static PqRc load_rows(PqextNumberColumn *c, Way way, const PqVector *v,
                      PqArena *a, PqErr *e)
{
    PqNumbers *m = &c->numbers;
    void *to;

    if (is_as_is(way) && !v->dict && !v->valid &&
        !(is_real(way) && has_nan(v->values, m->n))) {
        m->values = v->values;
        return PQ_OK;
    }
    to = v->valid ? pq_arena_zeros(a, m->n + 1u, sizeof(int64_t), e)
                  : pq_arena_alloc(a, (m->n + 1u) * sizeof(int64_t), e);
    PQ_TRY(to ? PQ_OK : e->rc);
    m->values = to;
    convert(way, v->dict ? v->dict->values : v->values, v->dict ? v->ids : NULL,
            v->valid, m->n, to);
    return is_real(way) && has_nan(m->values, m->n)
               ? pq_numbers_drop_nans(m, to, a, e) : PQ_OK;
}

/* *fits false: a decimal has more than 128 bits. */
static PqRc load_wides(PqextNumberColumn *c, const PqVector *v, PqArena *a,
                       bool *fits, PqErr *e)
{
    PqWide *to = pq_arena_zeros(a, c->numbers.n + 1u, sizeof *to, e);

    PQ_TRY(to ? PQ_OK : e->rc);
    c->numbers.values = to;
    *fits = convert_wides(v, c->numbers.n, to);
    return PQ_OK;
}

static PqRc load_vector(PqextNumberColumn *c, const PqNode *node, Way way,
                        const PqVector *v, uint32_t n, PqArena *a, bool *fits,
                        PqErr *e)
{
    bool decimal = node->type.logical == PQ_TYPE_DECIMAL &&
                   (node->type.scale > 0 || way == FROM_BYTES);

    c->numbers = (PqNumbers){.kind = is_real(way)        ? PQ_NUMBER_REAL
                                     : way == FROM_BYTES ? PQ_NUMBER_WIDE
                                     : decimal           ? PQ_NUMBER_DECIMAL
                                                         : PQ_NUMBER_INT,
                             .scale = decimal ? node->type.scale : 0,
                             .n = n,
                             .valid = v->valid};
    if (way == FROM_BYTES) {
        return load_wides(c, v, a, fits, e);
    }
    if (!v->dict || v->dict->valid || v->dict->n == 0) {
        return load_rows(c, way, v, a, e);
    }
    PQ_TRY(load_entries(c, way, v->dict, e));
    if (!c->entries) {
        return load_rows(c, way, v, a, e);
    }
    c->numbers.values = c->entries;
    c->numbers.ids = v->ids;
    c->numbers.n_entries = v->dict->n;
    c->numbers.bound = c->bound;
    return PQ_OK;
}

static PqRc load(PqextNumberColumn *c, PqextScan *source, PqArena *a,
                 PqErr *e)
{
    uint32_t n = pq_scan_batch(source->scan)->n_rows;
    const PqVector *v;
    const PqNode *node;
    uint64_t *valid;
    int64_t *to;
    bool leaf, fits = true;
    Way way;

    c->summed = NULL;
    if (!pq_column_is_of_pages(&source->table->table->columns[c->column])) {
        return load_of_scan(c, source, a, e);
    }
    node = pqext_plain_leaf(source, c->column, &leaf);
    if (leaf && (!node || node->type.logical == PQ_TYPE_UNKNOWN)) {
        return begin_ints(c, n, a, &to, &valid, e);
    }
    way = leaf ? way_of(source->table, &node->type) : FROM_CELLS;
    if (way != FROM_CELLS) {
        PQ_TRY(pq_scan_vector(source->scan, (uint32_t)node->leaf, &v, e));
        PQ_TRY(load_vector(c, node, way, v, n, a, &fits, e));
    }
    return way == FROM_CELLS || !fits ? load_cells(c, source, a, e) : PQ_OK;
}

PqRc pqext_numbers_load(PqextNumberColumn *c, PqextScan *source, PqArena *a,
                        PqErr *e)
{
    uint64_t serial = pq_scan_batch(source->scan)->serial;

    if (c->batch != serial) {
        PQ_TRY(load(c, source, a, e));
        c->batch = serial;
    }
    return PQ_OK;
}
