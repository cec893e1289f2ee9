/*
** stats_test.c - which bounds are trusted, and in which order they are.
**
** A footer of one column is made by hand: its type, its writer, and its
** column_orders.
*/
#include "core/meta/stats.h"
#include "core/meta/writer.h"
#include "test/unit/test.h"

#define HAS(field) (1u << (field))

typedef struct Column {
    PqFooter        f;
    PqSchemaElement el;
    PqNode          node;
    PqLeaf          leaf;
    PqColumnOrder   order;
    PqStatistics    s;
    int64_t         n_values;
} Column;

enum { UNSAID = 0 };

static void said(Column *c, int order)
{
    c->f.file.has &= ~HAS(PQ_FILE_COLUMN_ORDERS);
    if (order != UNSAID) {
        c->f.file.has |= HAS(PQ_FILE_COLUMN_ORDERS);
        c->order.has = 1u << order;
        c->f.file.column_orders = (PqColumnOrderList){&c->order, 1};
    }
}

static void by(Column *c, const char *writer)
{
    PqErr e;

    pq_err_init(&e);
    c->f.file.created_by = pq_slice_text(writer);
    (void)pq_order_find_doubts(&c->f, &e);
}

static void column(Column *c, PqPhysical physical, PqLogical logical,
                   int order)
{
    memset(c, 0, sizeof *c);
    c->leaf.type = (PqType){.physical = physical, .logical = logical,
                            .is_signed = true};
    if (physical == PQ_FIXED) {
        c->leaf.type.fixed_length = logical == PQ_TYPE_FLOAT16 ? 2 : 4;
    }
    c->leaf.node = &c->node;
    c->f.schema = (PqSchema){.leaves = &c->leaf, .n_leaves = 1,
                             .elements = &c->el, .n_elements = 1};
    c->n_values = 10;
    by(c, "somebody version 1.0");
    said(c, order);
}

/* NULL: no such bound. */
static void bounds(Test *t, Column *c, const char *min, const char *max)
{
    c->s.has = 0;
    if (min) {
        c->s.has |= HAS(PQ_STATISTICS_MIN_VALUE);
        c->s.min_value = test_hex(t, min);
    }
    if (max) {
        c->s.has |= HAS(PQ_STATISTICS_MAX_VALUE);
        c->s.max_value = test_hex(t, max);
    }
}

static void old_bounds(Test *t, Column *c, const char *min, const char *max)
{
    c->s.has = 0;
    if (min) {
        c->s.has |= HAS(PQ_STATISTICS_MIN);
        c->s.min = test_hex(t, min);
    }
    if (max) {
        c->s.has |= HAS(PQ_STATISTICS_MAX);
        c->s.max = test_hex(t, max);
    }
}

static PqBounds page_bounds(const Column *c, const PqColumnIndex *index,
                            uint32_t page)
{
    return pq_stats_page(&c->leaf, pq_order_of_leaf(&c->f, 0),
                         !pq_nulls_are_doubtful(&c->f, 0), index, page);
}

static PqBounds got(Column *c)
{
    return pq_stats_bounds(&c->f, 0, &c->s, c->n_values);
}

#define BOTH(c) (got(&(c)).has_min && got(&(c)).has_max)
#define NONE(c)                                                        \
    (!got(&(c)).has_min && !got(&(c)).has_max &&                       \
     got(&(c)).order == PQ_ORDER_NONE)

/* ---- orders ---- */

TEST(order, each_type_has_its_own)
{
    static const struct {
        PqPhysical physical;
        PqLogical  logical;
        PqOrder    order;
    } want[] = {
        {PQ_BOOLEAN, PQ_TYPE_NONE, PQ_ORDER_SIGNED},
        {PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_SIGNED},
        {PQ_INT64, PQ_TYPE_INT, PQ_ORDER_SIGNED},
        {PQ_INT32, PQ_TYPE_DECIMAL, PQ_ORDER_SIGNED},
        {PQ_INT32, PQ_TYPE_DATE, PQ_ORDER_SIGNED},
        {PQ_INT32, PQ_TYPE_UNKNOWN, PQ_ORDER_NONE},
        {PQ_INT96, PQ_TYPE_NONE, PQ_ORDER_NONE},
        {PQ_FLOAT, PQ_TYPE_NONE, PQ_ORDER_FLOAT},
        {PQ_DOUBLE, PQ_TYPE_NONE, PQ_ORDER_FLOAT},
        {PQ_FIXED, PQ_TYPE_FLOAT16, PQ_ORDER_FLOAT},
        {PQ_BYTE_ARRAY, PQ_TYPE_NONE, PQ_ORDER_BYTES},
        {PQ_BYTE_ARRAY, PQ_TYPE_STRING, PQ_ORDER_BYTES},
        {PQ_FIXED, PQ_TYPE_UUID, PQ_ORDER_BYTES},
        {PQ_FIXED, PQ_TYPE_DECIMAL, PQ_ORDER_SIGNED_BYTES},
        {PQ_BYTE_ARRAY, PQ_TYPE_DECIMAL, PQ_ORDER_SIGNED_BYTES},
        {PQ_FIXED, PQ_TYPE_INTERVAL, PQ_ORDER_NONE},
        {PQ_BYTE_ARRAY, PQ_TYPE_GEOMETRY, PQ_ORDER_NONE},
        {PQ_BYTE_ARRAY, PQ_TYPE_GEOGRAPHY, PQ_ORDER_NONE},
    };

    for (size_t i = 0; i < PQ_COUNT(want); i++) {
        Column c;
        column(&c, want[i].physical, want[i].logical, PQ_ORDER_TYPE);
        CHECK_INT(pq_order_of_leaf(&c.f, 0), want[i].order);
        said(&c, UNSAID);
        CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
    }
}

TEST(order, unsigned_integers_are_unsigned)
{
    Column c;

    column(&c, PQ_INT64, PQ_TYPE_INT, PQ_ORDER_TYPE);
    c.leaf.type.is_signed = false;
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_UNSIGNED);
}

TEST(order, special_orders_are_for_their_types_only)
{
    Column c;

    column(&c, PQ_DOUBLE, PQ_TYPE_NONE, PQ_ORDER_IEEE754);
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_FLOAT_TOTAL);
    said(&c, PQ_ORDER_INT96);
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
    column(&c, PQ_INT96, PQ_TYPE_NONE, PQ_ORDER_INT96);
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_INT96_TIME);
    column(&c, PQ_INT64, PQ_TYPE_NONE, PQ_ORDER_IEEE754);
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
    said(&c, PQ_HAS_UNKNOWN);
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
}

TEST(order, too_few_or_too_many_orders_are_ignored)
{
    Column c;
    PqColumnOrder two[2] = {{.has = HAS(PQ_ORDER_TYPE)},
                            {.has = HAS(PQ_ORDER_TYPE)}};

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    c.f.file.column_orders = (PqColumnOrderList){two, 2};
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
    c.f.file.column_orders = (PqColumnOrderList){NULL, 0};
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
}

TEST(order, an_unknown_annotation_has_no_order)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    c.el.has = HAS(PQ_SCHEMA_LOGICAL);
    c.el.logical_type.has = HAS(PQ_HAS_UNKNOWN);
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
    bounds(t, &c, "01000000", "02000000");
    CHECK(NONE(c));
    old_bounds(t, &c, "01000000", "02000000");
    CHECK(NONE(c));
}

static int compare(Test *t, PqOrder order, PqPhysical physical, const char *a,
                   const char *b)
{
    PqType type = {.physical = physical};
    int ab, ba;

    ab = pq_order_compare(order, &type, test_hex(t, a), test_hex(t, b));
    ba = pq_order_compare(order, &type, test_hex(t, b), test_hex(t, a));
    ab = (ab > 0) - (ab < 0);
    ba = (ba > 0) - (ba < 0);
    return ab == -ba ? ab : 99;
}

TEST(order, integers_compare_signed_or_not)
{
    CHECK_INT(compare(t, PQ_ORDER_SIGNED, PQ_BOOLEAN, "00", "01"), -1);
    CHECK_INT(compare(t, PQ_ORDER_SIGNED, PQ_INT32, "ffffffff", "00000000"),
              -1);
    CHECK_INT(compare(t, PQ_ORDER_UNSIGNED, PQ_INT32, "ffffffff", "00000000"),
              1);
    CHECK_INT(compare(t, PQ_ORDER_SIGNED, PQ_INT32, "00000080", "ffffff7f"),
              -1);
    CHECK_INT(compare(t, PQ_ORDER_SIGNED, PQ_INT64, "0000000000000080",
                      "ffffffffffffff7f"), -1);
    CHECK_INT(compare(t, PQ_ORDER_UNSIGNED, PQ_INT64, "0000000000000080",
                      "ffffffffffffff7f"), 1);
    CHECK_INT(compare(t, PQ_ORDER_SIGNED, PQ_INT64, "0100000000000000",
                      "0100000000000000"), 0);
}

TEST(order, floats_compare_by_value_with_one_zero)
{
    CHECK_INT(compare(t, PQ_ORDER_FLOAT, PQ_FLOAT, "000080bf", "0000803f"),
              -1);                                       /* -1 1  */
    CHECK_INT(compare(t, PQ_ORDER_FLOAT, PQ_FLOAT, "000000c0", "000080bf"),
              -1);                                       /* -2 -1 */
    CHECK_INT(compare(t, PQ_ORDER_FLOAT, PQ_FLOAT, "00000080", "00000000"),
              0);
    CHECK_INT(compare(t, PQ_ORDER_FLOAT, PQ_DOUBLE, "000000000000f0ff",
                      "ffffffffffffefff"), -1);          /* -inf, -max */
    CHECK_INT(compare(t, PQ_ORDER_FLOAT, PQ_DOUBLE, "0000000000000080",
                      "0000000000000000"), 0);
    CHECK_INT(compare(t, PQ_ORDER_FLOAT, PQ_FIXED, "00bc", "003c"), -1);
    CHECK_INT(compare(t, PQ_ORDER_FLOAT, PQ_FIXED, "0080", "0000"), 0);
}

TEST(order, total_order_tells_zeros_and_nans_apart)
{
    CHECK_INT(compare(t, PQ_ORDER_FLOAT_TOTAL, PQ_FLOAT, "00000080",
                      "00000000"), -1);
    CHECK_INT(compare(t, PQ_ORDER_FLOAT_TOTAL, PQ_FLOAT, "0000c0ff",
                      "000080ff"), -1);                  /* -NaN -inf */
    CHECK_INT(compare(t, PQ_ORDER_FLOAT_TOTAL, PQ_FLOAT, "0000807f",
                      "0000c07f"), -1);                  /* inf NaN   */
    CHECK_INT(compare(t, PQ_ORDER_FLOAT_TOTAL, PQ_DOUBLE, "ffffffffffffffff",
                      "000000000000f0ff"), -1);
    CHECK_INT(compare(t, PQ_ORDER_FLOAT_TOTAL, PQ_FIXED, "0080", "0000"), -1);
}

TEST(order, bytes_compare_unsigned_and_prefix_first)
{
    CHECK_INT(compare(t, PQ_ORDER_BYTES, PQ_BYTE_ARRAY, "61", "c3"), -1);
    CHECK_INT(compare(t, PQ_ORDER_BYTES, PQ_BYTE_ARRAY, "61", "6100"), -1);
    CHECK_INT(compare(t, PQ_ORDER_BYTES, PQ_BYTE_ARRAY, "", "00"), -1);
}

TEST(order, decimal_bytes_compare_as_numbers_of_any_length)
{
    PqOrder o = PQ_ORDER_SIGNED_BYTES;

    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "ff", "01"), -1);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "80", "ff"), -1);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "ff", "ffff"), 0);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "0001", "01"), 0);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "0080", "7f"), 1);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "ff7f", "80"), -1);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "0100", "ff00"), 1);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "", "00"), 0);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "", "ff"), 1);
    CHECK_INT(compare(t, o, PQ_BYTE_ARRAY, "", "01"), -1);
    CHECK_INT(compare(t, o, PQ_FIXED, "00000080", "00000001"), 1);
}

TEST(order, int96_compares_the_day_first)
{
    PqOrder o = PQ_ORDER_INT96_TIME;

    CHECK_INT(compare(t, o, PQ_INT96, "ffffffffffffff7f01000000",
                      "000000000000000002000000"), -1);
    CHECK_INT(compare(t, o, PQ_INT96, "010000000000000002000000",
                      "000000000000000002000000"), 1);
    CHECK_INT(compare(t, o, PQ_INT96, "0000000000000000ffffffff",
                      "000000000000000000000000"), -1);
}

TEST(order, nan_is_known_in_every_width)
{
    PqType f = {.physical = PQ_FLOAT}, d = {.physical = PQ_DOUBLE},
           h = {.physical = PQ_FIXED, .fixed_length = 2,
                .logical = PQ_TYPE_FLOAT16};

    CHECK(pq_order_is_nan(&f, test_hex(t, "0100807f")));
    CHECK(pq_order_is_nan(&f, test_hex(t, "0000c0ff")));
    CHECK(!pq_order_is_nan(&f, test_hex(t, "000080ff")));
    CHECK(pq_order_is_nan(&d, test_hex(t, "010000000000f07f")));
    CHECK(!pq_order_is_nan(&d, test_hex(t, "000000000000f07f")));
    CHECK(pq_order_is_nan(&h, test_hex(t, "007e")));
    CHECK(!pq_order_is_nan(&h, test_hex(t, "00fc")));
}

/* ---- writers ---- */

TEST(writer, names_and_versions_are_told_apart)
{
    PqSlice s = pq_slice_text("parquet-mr version 1.8.2 (build c6522788)");

    CHECK(pq_writer_is(s, "parquet-mr", PQ_VERSION_ANY));
    CHECK(pq_writer_is(s, "parquet-mr", PQ_VERSION(1, 8, 3)));
    CHECK(!pq_writer_is(s, "parquet-mr", PQ_VERSION(1, 8, 2)));
    CHECK(!pq_writer_is(s, "parquet", PQ_VERSION_ANY));
    CHECK(!pq_writer_is(s, "parquet-mrs", PQ_VERSION_ANY));
    s = pq_slice_text("parquet-cpp-arrow version 14.0.2");
    CHECK(!pq_writer_is(s, "parquet-cpp", PQ_VERSION_ANY));
    CHECK(!pq_writer_is(s, "parquet-cpp-arrow", PQ_VERSION(4, 0, 0)));
    s = pq_slice_text("parquet-mr");
    CHECK(pq_writer_is(s, "parquet-mr", PQ_VERSION(0, 0, 1)));
    s = pq_slice_text("DuckDB version v1.1.3");
    CHECK(pq_writer_is(s, "DuckDB", PQ_VERSION_ANY));
    s = pq_slice_text("a version 99999999999999999999.9999999.1");
    CHECK(!pq_writer_is(s, "a", PQ_VERSION(1023, 1023, 1)));
    s = pq_slice_text("a version 1");
    CHECK(!pq_writer_is(s, "a", PQ_VERSION(1, 0, 0)));
    CHECK(!pq_writer_is(pq_slice(NULL, 0), "a", PQ_VERSION_ANY));
}

/* ---- bounds ---- */

TEST(stats, bounds_in_a_known_order_are_believed)
{
    Column c;
    PqBounds b;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "feffffff", "05000000");
    b = got(&c);
    CHECK(b.has_min && b.has_max && b.order == PQ_ORDER_SIGNED);
    CHECK(!b.min_exact && !b.max_exact);
    CHECK_BYTES(b.max.p, b.max.n, "\5\0\0\0", 4);
    c.s.has |= HAS(PQ_STATISTICS_MIN_EXACT) | HAS(PQ_STATISTICS_MAX_EXACT);
    c.s.is_max_value_exact = true;
    b = got(&c);
    CHECK(!b.min_exact && b.max_exact);
    c.s.has &= ~HAS(PQ_STATISTICS_MAX_EXACT);
    CHECK(!got(&c).max_exact);
}

TEST(stats, one_bound_alone_is_enough)
{
    Column c;

    column(&c, PQ_BYTE_ARRAY, PQ_TYPE_STRING, PQ_ORDER_TYPE);
    bounds(t, &c, "61", NULL);
    CHECK(got(&c).has_min && !got(&c).has_max);
    CHECK_INT(got(&c).order, PQ_ORDER_BYTES);
    bounds(t, &c, NULL, "61");
    CHECK(!got(&c).has_min && got(&c).has_max);
    CHECK(got(&c).min.p == NULL);
}

TEST(stats, without_column_orders_only_signed_old_bounds_count)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, UNSAID);
    bounds(t, &c, "01000000", "05000000");
    CHECK(NONE(c));
    old_bounds(t, &c, "01000000", "05000000");
    CHECK(BOTH(c));
    CHECK_INT(got(&c).order, PQ_ORDER_SIGNED);
    c.leaf.type = (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_INT,
                           .bit_width = 32};
    CHECK(NONE(c));                          /* unsigned */
    column(&c, PQ_DOUBLE, PQ_TYPE_NONE, UNSAID);
    old_bounds(t, &c, "000000000000f03f", "0000000000001440");
    CHECK(BOTH(c));
    CHECK_INT(got(&c).order, PQ_ORDER_FLOAT);
    column(&c, PQ_BYTE_ARRAY, PQ_TYPE_STRING, UNSAID);
    old_bounds(t, &c, "61", "66");
    CHECK(NONE(c));
    column(&c, PQ_FIXED, PQ_TYPE_DECIMAL, UNSAID);
    old_bounds(t, &c, "00000001", "00000002");
    CHECK(NONE(c));
    column(&c, PQ_FIXED, PQ_TYPE_FLOAT16, UNSAID);
    old_bounds(t, &c, "003c", "0040");
    CHECK(NONE(c));
}

TEST(stats, old_bounds_stand_in_where_the_new_ones_are_missing)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    old_bounds(t, &c, "01000000", "05000000");
    CHECK(BOTH(c));
    c.s.has |= HAS(PQ_STATISTICS_MIN_VALUE);
    c.s.min_value = test_hex(t, "02000000");
    CHECK(got(&c).has_min && !got(&c).has_max);      /* pairs do not mix */
    CHECK_INT(got(&c).min.p[0], 2);
}

TEST(stats, equal_old_bounds_of_bytes_need_a_writer_that_kept_them)
{
    Column c;

    column(&c, PQ_BYTE_ARRAY, PQ_TYPE_STRING, UNSAID);
    old_bounds(t, &c, "c3a9", "c3a9");
    CHECK(BOTH(c));
    CHECK_INT(got(&c).order, PQ_ORDER_BYTES);
    by(&c, "parquet-mr version 1.8.1 (build 4aba4da)");
    CHECK(BOTH(c));
    by(&c, "parquet-mr version 1.6.0rc3 (build d4d5a07)");
    CHECK(NONE(c));
    by(&c, "parquet-mr");
    CHECK(NONE(c));
    c.f.file.created_by = pq_slice(NULL, 0);
    CHECK(NONE(c));
    column(&c, PQ_INT64, PQ_TYPE_INT, UNSAID);
    c.leaf.type.is_signed = false;
    c.f.file.created_by = pq_slice(NULL, 0);
    old_bounds(t, &c, "0100000000000000", "0100000000000000");
    CHECK(BOTH(c));
    column(&c, PQ_BYTE_ARRAY, PQ_TYPE_GEOMETRY, UNSAID);
    old_bounds(t, &c, "01", "01");
    CHECK(NONE(c));
}

/* Half of a pair that was swapped would be a false bound. */
TEST(stats, a_bound_of_the_wrong_size_discredits_the_other)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "0100", "05000000");
    CHECK(NONE(c));
    bounds(t, &c, "", "0500000000000000");
    CHECK(NONE(c));
    column(&c, PQ_BOOLEAN, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "00", "02");
    CHECK(NONE(c));
    column(&c, PQ_FIXED, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "0001", "00020003");       /* a prefix is a bound */
    CHECK(BOTH(c));
    bounds(t, &c, "00", "0000000300");
    CHECK(NONE(c));
    column(&c, PQ_FIXED, PQ_TYPE_DECIMAL, PQ_ORDER_TYPE);
    bounds(t, &c, "0001", "00000003");
    CHECK(NONE(c));
    column(&c, PQ_BYTE_ARRAY, PQ_TYPE_DECIMAL, PQ_ORDER_TYPE);
    bounds(t, &c, "01", "");
    CHECK(NONE(c));
    column(&c, PQ_INT96, PQ_TYPE_NONE, PQ_ORDER_INT96);
    bounds(t, &c, "000000000000000000000000", "0000000000000000");
    CHECK(NONE(c));
}

TEST(stats, nan_is_no_bound)
{
    Column c;

    column(&c, PQ_DOUBLE, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "000000000000f03f", "000000000000f87f");
    CHECK(got(&c).has_min && !got(&c).has_max);
    said(&c, PQ_ORDER_IEEE754);
    CHECK(got(&c).has_min && !got(&c).has_max);
    CHECK_INT(got(&c).order, PQ_ORDER_FLOAT);
    bounds(t, &c, "000000000000f8ff", "000000000000f87f");
    CHECK(NONE(c));
    column(&c, PQ_FIXED, PQ_TYPE_FLOAT16, PQ_ORDER_TYPE);
    bounds(t, &c, "007e", "003c");
    CHECK(!got(&c).has_min && got(&c).has_max);
}

TEST(stats, bounds_that_contradict_each_other_are_dropped)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "05000000", "01000000");
    CHECK(NONE(c));
    bounds(t, &c, "05000000", "05000000");
    CHECK(BOTH(c));
    column(&c, PQ_FIXED, PQ_TYPE_DECIMAL, PQ_ORDER_TYPE);
    bounds(t, &c, "00000001", "ffffffff");   /* compared unsigned */
    CHECK(NONE(c));
    column(&c, PQ_FLOAT, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "00000000", "00000080");   /* 0 and -0 */
    CHECK(BOTH(c));
}

TEST(stats, a_prefix_is_not_an_exact_bound)
{
    Column c;

    column(&c, PQ_FIXED, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "616161", "62626262");
    c.s.has |= HAS(PQ_STATISTICS_MIN_EXACT) | HAS(PQ_STATISTICS_MAX_EXACT);
    c.s.is_min_value_exact = c.s.is_max_value_exact = true;
    CHECK(BOTH(c) && !got(&c).min_exact && got(&c).max_exact);
}

TEST(stats, two_empty_bounds_are_ignored)
{
    Column c;

    column(&c, PQ_BYTE_ARRAY, PQ_TYPE_STRING, PQ_ORDER_TYPE);
    bounds(t, &c, "", "");
    CHECK(NONE(c));
    bounds(t, &c, "", "61");
    CHECK(BOTH(c));
}

TEST(stats, bounds_of_writers_known_to_err_are_not_believed)
{
    Column c;

    column(&c, PQ_FIXED, PQ_TYPE_DECIMAL, PQ_ORDER_TYPE);
    bounds(t, &c, "00000001", "00000002");
    CHECK(BOTH(c));
    by(&c, "parquet-cpp version 1.5.1-SNAPSHOT");
    CHECK(NONE(c));
    by(&c, "parquet-cpp-arrow version 3.0.0");
    CHECK(NONE(c));
    by(&c, "parquet-cpp-arrow version 4.0.0");
    CHECK(BOTH(c));
    by(&c, "Polars");
    CHECK(NONE(c));
    by(&c, "ClickHouse v23.3.1.2823");
    CHECK(NONE(c));
    column(&c, PQ_INT32, PQ_TYPE_DECIMAL, PQ_ORDER_TYPE);
    bounds(t, &c, "01000000", "02000000");
    by(&c, "Polars");
    CHECK(BOTH(c));
    by(&c, "hyparquet");
    CHECK(NONE(c));
    old_bounds(t, &c, "01000000", "02000000");
    CHECK(NONE(c));
    column(&c, PQ_FLOAT, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "0000803f", "00000040");
    CHECK(BOTH(c));
    by(&c, "parquet-cpp version 1.3.2-SNAPSHOT");
    CHECK(NONE(c));
    old_bounds(t, &c, "0000803f", "00000040");
    CHECK(NONE(c));
}

TEST(stats, nulls_of_writers_known_to_err_are_not_believed)
{
    static const struct {
        const char *by;
        bool        nulls, bounds, nulls_of_others;
    } writers[] = {
        {"somebody version 1.0", true, true, true},
        {"parquet-cpp version 1.5.1-SNAPSHOT", false, true, true},
        {"parquet-cpp-arrow version 5.0.0", false, false, true},
        {"parquet-cpp-arrow version 11.0.0", false, false, true},
        {"parquet-cpp-arrow version 12.0.0", true, true, true},
        {"parquet-go version latest", false, true, false},
    };
    uint8_t *no_flags = (uint8_t[]){0};
    int64_t *one_null = (int64_t[]){1};
    Column c;

    for (size_t i = 0; i < PQ_COUNT(writers); i++) {
        PqColumnIndex index = {.null_pages = {no_flags, 1},
                               .null_counts = {one_null, 1}};

        column(&c, PQ_BYTE_ARRAY, PQ_TYPE_STRING, PQ_ORDER_TYPE);
        bounds(t, &c, "61", "62");
        c.s.has |= HAS(PQ_STATISTICS_NULL_COUNT);
        by(&c, writers[i].by);
        CHECK_INT(got(&c).n_nulls, writers[i].nulls ? 0 : -1);
        CHECK(writers[i].bounds ? BOTH(c) : NONE(c));
        CHECK_INT(page_bounds(&c, &index, 0).n_nulls,
                  writers[i].nulls ? 1 : -1);
        c.leaf.no_dictionary = true;
        CHECK_INT(got(&c).n_nulls, writers[i].nulls_of_others ? 0 : -1);
        CHECK(BOTH(c));
        c.leaf.no_dictionary = false;
        c.leaf.type = (PqType){.physical = PQ_INT32, .is_signed = true};
        CHECK_INT(got(&c).n_nulls, writers[i].nulls_of_others ? 0 : -1);
    }
}

TEST(stats, bounds_by_parquet_js_are_not_believed)
{
    static const struct {
        PqPhysical  physical;
        PqLogical   logical;
        const char *min, *max;
    } of[] = {
        {PQ_BYTE_ARRAY, PQ_TYPE_BSON, "0500000000", "0500000000"},
        {PQ_BYTE_ARRAY, PQ_TYPE_JSON, "7b7d", "7b7d"},
        {PQ_BYTE_ARRAY, PQ_TYPE_NONE, "ff", "ff"},
        {PQ_BYTE_ARRAY, PQ_TYPE_STRING, "61", "61"},
        {PQ_INT64, PQ_TYPE_NONE, "0a00000000000000", "5f00000000000000"},
        {PQ_DOUBLE, PQ_TYPE_NONE, "000000000000f03f", "0000000000000840"},
    };
    static const char *const writers[] = {"parquet.js", "@dsnp/parquetjs"};

    for (size_t i = 0; i < PQ_COUNT(of); i++) {
        Column c;

        column(&c, of[i].physical, of[i].logical, UNSAID);
        old_bounds(t, &c, of[i].min, of[i].max);
        by(&c, "parquet-mr version 1.12.0");
        CHECK(BOTH(c));
        for (size_t k = 0; k < PQ_COUNT(writers); k++) {
            by(&c, writers[k]);
            CHECK(NONE(c));
            CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
        }
    }
}

TEST(stats, strings_of_duckdb_have_bounds_without_column_orders)
{
    Column c;

    column(&c, PQ_BYTE_ARRAY, PQ_TYPE_STRING, UNSAID);
    bounds(t, &c, "61", "c3a9");
    CHECK(NONE(c));
    by(&c, "DuckDB version v1.1.3 (build 19864453f7)");
    CHECK(BOTH(c));
    by(&c, "DuckDB");
    CHECK(BOTH(c));
    column(&c, PQ_FIXED, PQ_TYPE_UUID, UNSAID);
    by(&c, "DuckDB");
    CHECK_INT(pq_order_of_leaf(&c.f, 0), PQ_ORDER_NONE);
}

/* ---- counts ---- */

TEST(stats, impossible_counts_are_unknown)
{
    Column c;

    column(&c, PQ_DOUBLE, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    CHECK_INT(got(&c).n_nulls, -1);
    CHECK_INT(got(&c).n_nans, -1);
    c.s.has = HAS(PQ_STATISTICS_NULL_COUNT) | HAS(PQ_STATISTICS_NAN_COUNT);
    c.s.null_count = 4;
    c.s.nan_count = 6;
    CHECK_INT(got(&c).n_nulls, 4);
    CHECK_INT(got(&c).n_nans, 6);
    c.s.nan_count = 7;                       /* 11 of 10 */
    CHECK_INT(got(&c).n_nulls, -1);
    CHECK_INT(got(&c).n_nans, -1);
    c.s.null_count = -1;
    CHECK_INT(got(&c).n_nulls, -1);
    CHECK_INT(got(&c).n_nans, 7);
    c.s.null_count = 11;
    CHECK_INT(got(&c).n_nulls, -1);
    c.n_values = -1;                         /* no other count is known */
    CHECK_INT(got(&c).n_nulls, 11);
    c.s.null_count = c.s.nan_count = INT64_MAX;
    c.n_values = INT64_MAX;
    CHECK_INT(got(&c).n_nulls, -1);
}

TEST(stats, types_without_nan_have_none)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    CHECK_INT(got(&c).n_nans, 0);
    c.s.has = HAS(PQ_STATISTICS_NAN_COUNT);
    c.s.nan_count = 5;
    CHECK_INT(got(&c).n_nans, 0);
}

TEST(stats, nothing_but_nulls_has_no_bounds)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "01000000", "02000000");
    c.s.has |= HAS(PQ_STATISTICS_NULL_COUNT);
    c.s.null_count = 10;
    CHECK(NONE(c) && got(&c).all_null);
    c.s.null_count = 9;
    CHECK(BOTH(c) && !got(&c).all_null);
    c.n_values = -1;
    CHECK(!got(&c).all_null);
    c.n_values = c.s.null_count = 0;
    CHECK(got(&c).all_null);
}

TEST(stats, nulls_in_lists_are_not_all_there_is)
{
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    c.leaf.max_rep = 1;
    bounds(t, &c, "01000000", "02000000");
    c.s.has |= HAS(PQ_STATISTICS_NULL_COUNT);
    c.s.null_count = 10;
    CHECK(BOTH(c) && !got(&c).all_null);
    CHECK_INT(got(&c).n_nulls, -1);
    c.s.null_count = 9;
    CHECK_INT(got(&c).n_nulls, 9);
}

TEST(stats, pages_of_a_column_index_are_weighed_alike)
{
    Column c;
    uint8_t null_pages[3] = {0, 1, 1};
    int64_t null_counts[3] = {1, 5, 0};
    PqSlice min[3], max[3];
    PqColumnIndex index = {.null_pages = {null_pages, 3},
                           .min_values = {min, 3}, .max_values = {max, 3},
                           .null_counts = {null_counts, 3}};
    PqBounds b;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    min[0] = test_hex(t, "01000000");
    max[0] = test_hex(t, "05000000");
    min[1] = max[1] = min[2] = max[2] = test_hex(t, "");
    b = page_bounds(&c, &index, 0);
    CHECK(b.has_min && b.has_max && !b.all_null);
    CHECK_INT(b.n_nulls, 1);
    CHECK(!b.min_exact);
    b = page_bounds(&c, &index, 1);
    CHECK(!b.has_min && !b.has_max && b.all_null);
    b = page_bounds(&c, &index, 2);
    CHECK(!b.all_null);                      /* and no null among them? */
    min[1] = min[0];
    max[1] = max[0];
    CHECK(!page_bounds(&c, &index, 1).all_null);
    b = page_bounds(&c, &index, 3);   /* no such page */
    CHECK(!b.has_min && !b.all_null && b.n_nulls == -1);
    said(&c, UNSAID);
    b = page_bounds(&c, &index, 0);
    CHECK(!b.has_min && b.order == PQ_ORDER_NONE);
}

/* ---- nulls by the levels --------------------------------------------------- */

static PqBounds by_levels(Column *c, uint16_t max_def, int64_t *slots,
                          uint32_t n)
{
    PqColumnMetaData m = {.statistics = c->s, .num_values = c->n_values};

    c->leaf.max_def = max_def;
    m.size_statistics.definition_level_histogram = (PqI64List){slots, n};
    return pq_stats_chunk(&c->f, 0, &m);
}

TEST(stats, levels_count_the_nulls_that_statistics_do_not)
{
    int64_t some[] = {1, 2, 7}, all[] = {4, 6, 0}, none[] = {0, 0, 10};
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, UNSAID);
    CHECK_INT(by_levels(&c, 2, some, 3).n_nulls, 3);
    CHECK(!by_levels(&c, 2, some, 3).all_null);
    CHECK_INT(by_levels(&c, 2, all, 3).n_nulls, 10);
    CHECK(by_levels(&c, 2, all, 3).all_null);
    CHECK_INT(by_levels(&c, 2, none, 3).n_nulls, 0);
    CHECK_INT(by_levels(&c, 0, NULL, 0).n_nulls, 0);   /* a required leaf */
    CHECK(!by_levels(&c, 0, NULL, 0).all_null);
    c.s.has = HAS(PQ_STATISTICS_NULL_COUNT);
    c.s.null_count = 5;
    CHECK_INT(by_levels(&c, 2, some, 3).n_nulls, 5);   /* they come first */
}

TEST(stats, levels_that_do_not_add_up_count_nothing)
{
    int64_t other[] = {4, 7}, negative[] = {11, -1},
            large[] = {INT64_MAX, INT64_MAX};
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, UNSAID);
    CHECK_INT(by_levels(&c, 1, other, 2).n_nulls, -1);
    CHECK_INT(by_levels(&c, 1, negative, 2).n_nulls, -1);
    CHECK_INT(by_levels(&c, 1, large, 2).n_nulls, -1);
    CHECK_INT(by_levels(&c, 1, NULL, 0).n_nulls, -1);
    CHECK_INT(by_levels(&c, 2, other, 2).n_nulls, -1);
}

TEST(stats, levels_that_say_all_null_beside_bounds_prove_nothing)
{
    int64_t all[] = {10, 0};
    Column c;

    column(&c, PQ_INT32, PQ_TYPE_NONE, PQ_ORDER_TYPE);
    bounds(t, &c, "01 00 00 00", "05 00 00 00");
    CHECK(by_levels(&c, 1, all, 2).has_min);
    CHECK(!by_levels(&c, 1, all, 2).all_null);
}
