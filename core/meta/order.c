/*
** order.c - the order in which the bounds of a column were computed.
**
** Bounds are usable only if all of this holds: the footer says how the column
** was ordered, the type can have that order, and the writer is not known to
** have used another one.
**
** Floats of all three widths are compared by their ranks (rank.h), which are in
** total order.
**
**   bits, FLOAT16   3c00   1.0     8000  -0.0    bc00  -1.0    7c01  NaN
**   by value        3c00           0             -3c00         7c01
**   total order     3c00           -1            -3c01         7c01
*/
#include "core/meta/arrow_schema.h"
#include "core/meta/rank.h"
#include "core/meta/writer.h"

#include <assert.h>

/* ---- by type ---- */

PqOrder pq_order_of_type(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_UNKNOWN:
    case PQ_TYPE_INTERVAL:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return PQ_ORDER_NONE;
    case PQ_TYPE_FLOAT16:
        return PQ_ORDER_FLOAT;
    default:
        break;
    }
    switch (t->physical) {
    case PQ_BOOLEAN:
        return PQ_ORDER_SIGNED;
    case PQ_INT32:
    case PQ_INT64:
        return pq_type_is_unsigned(t) ? PQ_ORDER_UNSIGNED : PQ_ORDER_SIGNED;
    case PQ_FLOAT:
    case PQ_DOUBLE:
        return PQ_ORDER_FLOAT;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return t->logical == PQ_TYPE_DECIMAL   ? PQ_ORDER_SIGNED_BYTES
               : t->logical == PQ_TYPE_TIMESTAMP ? PQ_ORDER_SIGNED_LITTLE
                                                 : PQ_ORDER_BYTES;
    default:
        return PQ_ORDER_NONE;
    }
}

/* ---- dictionaries of Arrow ----
**
** Arrow C++ has its own way to write a column that is a dictionary in memory,
** such as categories of pandas.  Until version 12 such columns got wrong
** statistics.  Arrow's schema in the file says which columns they are, in order
** and by name.  Where it is missing, each column may be one. */

#define DICTIONARIES_RIGHT PQ_VERSION(12, 0, 0)

static void mark(PqSchema *s, const PqNode *n)
{
    if (n->kind == PQ_NODE_LEAF) {
        s->leaves[n->leaf].no_dictionary = true;
    }
    for (uint32_t i = 0; i < n->n_children; i++) {
        mark(s, n->child[i]);
    }
}

static PqRc find_dictionaries(PqFooter *f, PqErr *e)
{
    const PqNode *root = f->schema.root;
    PqSlice by = f->file.created_by, base64;
    PqArrowSchema arrow;
    PqBuf decoded;

    if ((!pq_writer_is(by, "parquet-cpp", PQ_VERSION_ANY) &&
         !pq_writer_is(by, "parquet-cpp-arrow", DICTIONARIES_RIGHT)) ||
        !pq_footer_key_value(f, "ARROW:schema", &base64)) {
        return PQ_OK;
    }
    pq_buf_init(&decoded, f->mem, e);
    if (pq_arrow_decode(base64, &decoded, e) &&
        pq_arrow_open(pq_buf_view(&decoded), &arrow)) {
        for (uint32_t i = 0; i < root->n_children; i++) {
            if (!pq_arrow_has_dictionary(&arrow, i, root->child[i]->name)) {
                mark(&f->schema, root->child[i]);
            }
        }
    }
    pq_buf_free(&decoded);
    return e->rc;
}

/* ---- by file, by writer ---- */

typedef enum Doubt {
    DECIMAL_BYTES, DECIMAL_INT32, FLOATS, DICTIONARIES, ALL
} Doubt;

static bool is_doubt(Doubt d, const PqLeaf *l)
{
    const PqType *t = &l->type;

    switch (d) {
    case DECIMAL_BYTES:
        return t->logical == PQ_TYPE_DECIMAL &&
               (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED);
    case DECIMAL_INT32:
        return t->logical == PQ_TYPE_DECIMAL && t->physical == PQ_INT32;
    case FLOATS:
        return pq_order_of_type(t) == PQ_ORDER_FLOAT;
    case DICTIONARIES:
        return t->physical == PQ_BYTE_ARRAY && !l->no_dictionary;
    default:
        return true;
    }
}

/* Writers with wrong bounds that cannot be recognized by min > max or by a NaN, or
** with wrong numbers of nulls.
** Tests: bounds_of_writers_known_to_err_are_not_believed,
** nulls_of_writers_known_to_err_are_not_believed. */
typedef struct Doubtful {
    const char *app;
    uint32_t    before;
    Doubt       what;
} Doubtful;

static const Doubtful bounds[] = {
    /* QUIRK: parquet-cpp compared decimals byte by byte, each byte signed,
    ** until Arrow 4.0 (PARQUET-1655). */
    {"parquet-cpp", PQ_VERSION_ANY, DECIMAL_BYTES},
    {"parquet-cpp-arrow", PQ_VERSION(4, 0, 0), DECIMAL_BYTES},
    /* QUIRK: parquet-cpp searched min and max in pairs, where a NaN hides its
    ** neighbour (PARQUET-1225, PARQUET-1766). */
    {"parquet-cpp", PQ_VERSION_ANY, FLOATS},
    /* QUIRK: ClickHouse compared decimals as unsigned until the summer of
    ** 2025; Polars merges the bounds of pages that way. */
    {"ClickHouse", PQ_VERSION_ANY, DECIMAL_BYTES},
    {"Polars", PQ_VERSION_ANY, DECIMAL_BYTES},
    /* QUIRK: hyparquet-writer stored bounds of INT32 decimals as floats until
    ** August 2026; it does not write its version. */
    {"hyparquet", PQ_VERSION_ANY, DECIMAL_INT32},
    /* QUIRK: parquet.js 0.8 and @dsnp/parquetjs 1.8.7 compare the JavaScript
    ** values before they are converted.  No object is greater than another, so
    ** the first BSON or JSON is both bounds.  Buffers compare as texts.
    ** Numbers given as texts, as from CSV, compare as '10' < '2' < '95'.
    ** Test: bounds_by_parquet_js_are_not_believed. */
    {"parquet.js", PQ_VERSION_ANY, ALL},
    {"@dsnp/parquetjs", PQ_VERSION_ANY, ALL},
    /* QUIRK: for a column that is a dictionary in memory, Arrow 6 to 10 writes
    ** the bounds of the values that came first (GH-15042), and up to 11 a page
    ** gets the bounds of another page (GH-34106).  Before Arrow 6 it counts the
    ** nulls of the dictionary, which has none, instead of the column's
    ** (ARROW-12513).  Arrow up to 2 calls itself parquet-cpp. */
    {"parquet-cpp-arrow", DICTIONARIES_RIGHT, DICTIONARIES},
};

static const Doubtful null_counts[] = {
    {"parquet-cpp-arrow", DICTIONARIES_RIGHT, DICTIONARIES},
    {"parquet-cpp", PQ_VERSION_ANY, DICTIONARIES},
    /* QUIRK: xitongsys's and hangxie's parquet-go left out the first value of each
    ** page when it counted nulls, until 2023, and a page of dictionary ids counts
    ** all of its values or none.  It does not write its version. */
    {"parquet-go", PQ_VERSION_ANY, ALL},
};

static uint8_t doubts_of(PqSlice created_by, const Doubtful *by, size_t n)
{
    unsigned mask = 0;

    for (size_t i = 0; i < n; i++) {
        mask |= (unsigned)pq_writer_is(created_by, by[i].app, by[i].before) << by[i].what;
    }
    return (uint8_t)mask;
}

PqRc pq_order_find_doubts(PqFooter *f, PqErr *e)
{
    f->bounds_doubts = doubts_of(f->file.created_by, bounds, PQ_COUNT(bounds));
    f->nulls_doubts = doubts_of(f->file.created_by, null_counts, PQ_COUNT(null_counts));
    return find_dictionaries(f, e);
}

static bool is_doubtful(const PqFooter *f, uint32_t leaf, unsigned doubts)
{
    assert(leaf < f->schema.n_leaves);
    for (Doubt d = DECIMAL_BYTES; doubts >> d; d++) {
        if ((doubts >> d & 1) && is_doubt(d, &f->schema.leaves[leaf])) {
            return true;
        }
    }
    return false;
}

bool pq_nulls_are_doubtful(const PqFooter *f, uint32_t leaf)
{
    return is_doubtful(f, leaf, f->nulls_doubts);
}

bool pq_order_is_doubtful(const PqFooter *f, uint32_t leaf)
{
    const PqLeaf *l = &f->schema.leaves[leaf];

    assert(leaf < f->schema.n_leaves);
    if (l->type.logical == PQ_TYPE_NONE &&
        pq_type_is_annotated(&f->schema.elements[l->node->element])) {
        return true;                 /* an unknown type has an unknown order */
    }
    return is_doubtful(f, leaf, f->bounds_doubts);
}

/* QUIRK: DuckDB before 1.5 leaves column_orders out, but compares strings as
** the specification says; for signed numbers it writes min and max as well.
** Test: strings_of_duckdb_have_bounds_without_column_orders. */
static bool is_ordered_anyway(const PqFooter *f, const PqType *t)
{
    return t->physical == PQ_BYTE_ARRAY &&
           pq_order_of_type(t) == PQ_ORDER_BYTES &&
           pq_writer_is(f->file.created_by, "DuckDB", PQ_VERSION_ANY);
}

static PqOrder order_said(const PqColumnOrder *said, const PqType *t)
{
    PqOrder own = pq_order_of_type(t);

    if (PQ_HAS(said, PQ_ORDER_TYPE)) {
        return own;
    }
    if (PQ_HAS(said, PQ_ORDER_IEEE754)) {
        return own == PQ_ORDER_FLOAT ? PQ_ORDER_FLOAT_TOTAL : PQ_ORDER_NONE;
    }
    if (PQ_HAS(said, PQ_ORDER_INT96)) {
        return t->physical == PQ_INT96 && t->logical == PQ_TYPE_NONE
                   ? PQ_ORDER_INT96_TIME : PQ_ORDER_NONE;
    }
    return PQ_ORDER_NONE;
}

PqOrder pq_order_of_leaf(const PqFooter *f, uint32_t leaf)
{
    const PqColumnOrderList *orders = &f->file.column_orders;
    const PqType *t = &f->schema.leaves[leaf].type;

    if (pq_order_is_doubtful(f, leaf)) {
        return PQ_ORDER_NONE;
    }
    if (!PQ_HAS(&f->file, PQ_FILE_COLUMN_ORDERS)) {
        return is_ordered_anyway(f, t) ? PQ_ORDER_BYTES : PQ_ORDER_NONE;
    }
    if (orders->n != f->schema.n_leaves) {
        return PQ_ORDER_NONE;        /* they match no leaves */
    }
    return order_said(&orders->v[leaf], t);
}

/* ---- comparing ---- */

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int64_t load_signed(const PqType *t, PqSlice v)
{
    switch (t->physical) {
    case PQ_BOOLEAN:
        return v.p[0];
    case PQ_INT32:
        return (int32_t)pq_load_u32(v.p);
    default:
        return (int64_t)pq_load_u64(v.p);
    }
}

static uint64_t load_unsigned(const PqType *t, PqSlice v)
{
    return t->physical == PQ_INT32 ? pq_load_u32(v.p) : pq_load_u64(v.p);
}

static int64_t float_rank(const PqType *t, PqSlice v)
{
    switch (t->physical) {
    case PQ_FLOAT:
        return pq_rank_f32((int32_t)pq_load_u32(v.p));
    case PQ_DOUBLE:
        return pq_rank_f64((int64_t)pq_load_u64(v.p));
    default:
        return pq_rank_f16(pq_load_u16(v.p));
    }
}

/* By value -0.0 equals 0.0, so all negative ranks move up by one. */
static int64_t value_rank(const PqType *t, PqSlice v)
{
    int64_t rank = float_rank(t, v);

    return rank + (rank < 0);
}

bool pq_order_is_nan(const PqType *t, PqSlice v)
{
    return pq_rank_is_nan(float_rank(t, v), pq_rank_infinity(pq_rank_kind(t)));
}

/* Compares two's complement numbers of any lengths: the shorter one is extended
** to the left with its sign. */
static int compare_big_endian(PqSlice a, PqSlice b)
{
    int a_sign = a.n && a.p[0] & 0x80 ? 0xff : 0;
    int b_sign = b.n && b.p[0] & 0x80 ? 0xff : 0;

    if (a_sign != b_sign) {
        return b_sign - a_sign;
    }
    while (a.n > b.n) {
        if (a.p[0] != a_sign) {
            return a.p[0] - a_sign;
        }
        a = pq_slice(a.p + 1, a.n - 1);
    }
    while (b.n > a.n) {
        if (b.p[0] != b_sign) {
            return b_sign - b.p[0];
        }
        b = pq_slice(b.p + 1, b.n - 1);
    }
    return pq_slice_compare(a, b);
}

/* A TIMESTAMP in 12 bytes, or an INT96: eight bytes of the day's nanoseconds,
** which are signed, then the Julian day. */
static int compare_96(bool signed_low, PqSlice a, PqSlice b)
{
    uint64_t low_a = pq_load_u64(a.p), low_b = pq_load_u64(b.p);
    int by_high = compare_i64((int32_t)pq_load_u32(a.p + 8),
                              (int32_t)pq_load_u32(b.p + 8));

    return by_high      ? by_high
           : signed_low ? compare_i64((int64_t)low_a, (int64_t)low_b)
                        : compare_u64(low_a, low_b);
}

int pq_order_compare(PqOrder order, const PqType *t, PqSlice a, PqSlice b)
{
    switch (order) {
    case PQ_ORDER_SIGNED:
        return compare_i64(load_signed(t, a), load_signed(t, b));
    case PQ_ORDER_UNSIGNED:
        return compare_u64(load_unsigned(t, a), load_unsigned(t, b));
    case PQ_ORDER_FLOAT:
        return compare_i64(value_rank(t, a), value_rank(t, b));
    case PQ_ORDER_FLOAT_TOTAL:
        return compare_i64(float_rank(t, a), float_rank(t, b));
    case PQ_ORDER_SIGNED_BYTES:
        return compare_big_endian(a, b);
    case PQ_ORDER_SIGNED_LITTLE:
    case PQ_ORDER_INT96_TIME:
        return compare_96(order == PQ_ORDER_INT96_TIME, a, b);
    default:
        return pq_slice_compare(a, b);
    }
}
