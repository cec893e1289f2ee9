/*
** geo_rows_test.c - WKB of native encodings, from levels given by hand, also
** from such as no writer makes.
*/
#include "core/nested/geo_rows.h"
#include "test/unit/rows_fixture.h"

#include <math.h>

#define D .type = PQ_DOUBLE
#define LISTED(name_) GROUP(name_, 'o', 1, .logical = PQ_LOGICAL_LIST), \
                      GROUP("list", '*', 1)

static const Element points[] = {
    GROUP("root", 'r', 1), GROUP("g", 'o', 2), LEAF("x", 'o', D),
    LEAF("y", 'r', D)};
static const Element lines[] = {
    GROUP("root", 'r', 1), LISTED("g"), GROUP("element", 'o', 2),
    LEAF("x", 'o', D), LEAF("y", 'r', D)};
static const Element rings[] = {
    GROUP("root", 'r', 1), LISTED("g"), LISTED("element"),
    GROUP("element", 'r', 2), LEAF("x", 'r', D), LEAF("y", 'r', D)};

typedef struct Geo {
    Rows       rows;
    PqGeoRows *g;
} Geo;

static void geo_open(Test *t, Geo *f, const Element *el, size_t n,
                     PqGeoEncoding encoding)
{
    rows_open(t, &f->rows, el, n, false);
    pq_geo_rows_new(t->mem, f->rows.schema.root->child[0], encoding, &f->g,
                    t->e);
}

static void geo_close(Geo *f)
{
    pq_geo_rows_free(f->g);
    rows_close(&f->rows);
}

static PqRc geo_begin(Test *t, Geo *f, uint32_t n_rows)
{
    const PqVector *v[PQ_GEO_AXES];
    const uint32_t *leaves;
    uint32_t n = pq_geo_rows_leaves(f->g, &leaves);

    for (uint32_t i = 0; i < n; i++) {
        RowsLeaf *l = &f->rows.leaf[leaves[i]];
        l->vector.n_rows = n_rows;
        v[i] = &l->vector;
    }
    return pq_geo_rows_begin(f->g, v, n_rows, t->e);
}

#define ROW_IS(row_, hex_)                                             \
    do {                                                               \
        PqSlice got_, want_ = test_hex(t, hex_);                       \
        CHECK_OK(pq_geo_rows_wkb(f.g, row_, &got_, t->e));             \
        CHECK(got_.p != NULL);                                         \
        CHECK_BYTES(got_.p, got_.n, want_.p, want_.n);                 \
    } while (0)
#define ROW_IS_NULL(row_)                                              \
    do {                                                               \
        PqSlice got_;                                                  \
        CHECK_OK(pq_geo_rows_wkb(f.g, row_, &got_, t->e));             \
        CHECK(got_.p == NULL);                                         \
    } while (0)

#define ONE "000000000000f03f"
#define TWO "0000000000000040"
#define NONE "000000000000f87f"

TEST(geo_rows, a_point_is_its_coordinates)
{
    Geo f;

    geo_open(t, &f, points, PQ_COUNT(points), PQ_GEO_AS_POINT);
    rows_doubles(&f.rows, 0, NULL, "2012", (double[]){1, 2});
    rows_doubles(&f.rows, 1, NULL, "1011", (double[]){2, 1, 1});
    CHECK_OK(geo_begin(t, &f, 4));
    ROW_IS(3, "0101000000" TWO ONE);         /* in any order */
    ROW_IS(0, "0101000000" ONE TWO);
    ROW_IS_NULL(1);
    ROW_IS(2, "0101000000" NONE ONE);
    rows_make_dictionary(&f.rows, 0, 7);
    CHECK_OK(geo_begin(t, &f, 4));
    ROW_IS(3, "0101000000" TWO ONE);
    geo_close(&f);
}

TEST(geo_rows, nulls_and_empty_lists_are_told_apart)
{
    Geo f;

    geo_open(t, &f, lines, PQ_COUNT(lines), PQ_GEO_AS_LINESTRING);
    rows_doubles(&f.rows, 0, "00001", "01243", (double[]){1});
    rows_doubles(&f.rows, 1, "00001", "01233", (double[]){2, 2});
    CHECK_OK(geo_begin(t, &f, 4));
    ROW_IS_NULL(0);
    ROW_IS(1, "0102000000 00000000");
    ROW_IS(2, "0102000000 01000000" NONE NONE);
    ROW_IS(3, "0102000000 02000000" ONE TWO NONE TWO);
    ROW_IS(1, "0102000000 00000000");
    geo_close(&f);
    geo_open(t, &f, lines, PQ_COUNT(lines), PQ_GEO_AS_MULTIPOINT);
    rows_doubles(&f.rows, 0, "01", "42", (double[]){1});
    rows_doubles(&f.rows, 1, "01", "32", (double[]){2});
    CHECK_OK(geo_begin(t, &f, 1));
    ROW_IS(0, "0104000000 02000000 0101000000" ONE TWO "0101000000" NONE NONE);
    geo_close(&f);
}

TEST(geo_rows, lists_in_lists_begin_by_their_level)
{
    Geo f;
    static const char rep[] = "02120", def[] = "44421";

    geo_open(t, &f, rings, PQ_COUNT(rings), PQ_GEO_AS_POLYGON);
    rows_doubles(&f.rows, 0, rep, def, (double[]){1, 1, 2});
    rows_doubles(&f.rows, 1, rep, def, (double[]){1, 2, 2});
    CHECK_OK(geo_begin(t, &f, 2));
    /* The last slot of row 0 continues a ring, though it says there is no
    ** ring: levels that contradict each other give some geometry. */
    ROW_IS(0, "0103000000 02000000 02000000" ONE ONE ONE TWO
              "02000000" TWO TWO NONE NONE);
    ROW_IS(1, "0103000000 00000000");
    geo_close(&f);
}

TEST(geo_rows, levels_that_do_not_fit_are_corrupt)
{
    Geo f;

    geo_open(t, &f, lines, PQ_COUNT(lines), PQ_GEO_AS_LINESTRING);
    rows_doubles(&f.rows, 0, "01", "44", (double[]){1, 1});
    rows_doubles(&f.rows, 1, "00", "33", (double[]){1, 1});
    CHECK_FAILS(geo_begin(t, &f, 1), PQ_CORRUPT,
                "the levels of g.list.element.y do not fit those of "
                "g.list.element.x");
    rows_doubles(&f.rows, 1, "01", "32", (double[]){1});
    CHECK_FAILS(geo_begin(t, &f, 1), PQ_CORRUPT, "do not fit");
    rows_doubles(&f.rows, 1, "011", "333", (double[]){1, 1, 1});
    CHECK_FAILS(geo_begin(t, &f, 1), PQ_CORRUPT, "do not fit");
    rows_doubles(&f.rows, 1, "01", "33", (double[]){1, 1});
    CHECK_FAILS(geo_begin(t, &f, 2), PQ_CORRUPT, "levels of 1 rows, not of 2");
    rows_doubles(&f.rows, 0, "00", "44", (double[]){1, 1});
    rows_doubles(&f.rows, 1, "00", "33", (double[]){1, 1});
    CHECK_FAILS(geo_begin(t, &f, 1), PQ_CORRUPT, "levels of 2 rows, not of 1");
    rows_doubles(&f.rows, 0, "10", "44", (double[]){1, 1});
    rows_doubles(&f.rows, 1, "10", "33", (double[]){1, 1});
    CHECK_FAILS(geo_begin(t, &f, 1), PQ_CORRUPT, "middle of a row");
    geo_close(&f);
    geo_open(t, &f, points, PQ_COUNT(points), PQ_GEO_AS_POINT);
    rows_doubles(&f.rows, 0, NULL, "22", (double[]){1, 2});
    rows_doubles(&f.rows, 1, NULL, "11", (double[]){2, 1});
    CHECK_FAILS(geo_begin(t, &f, 3), PQ_CORRUPT, "2 levels for 3 rows");
    geo_close(&f);
}

TEST(geo_rows, every_failing_allocation_is_reported_and_leaks_nothing)
{
    for (int64_t i = 1; i < 50; i++) {
        PqSlice wkb = {0};
        PqRc rc;
        Geo f;

        rows_open(t, &f.rows, lines, PQ_COUNT(lines), false);
        rows_doubles(&f.rows, 0, "01", "44", (double[]){1, 2});
        rows_doubles(&f.rows, 1, "01", "33", (double[]){1, 2});
        pq_fault_set(i);
        rc = pq_geo_rows_new(t->mem, f.rows.schema.root->child[0],
                             PQ_GEO_AS_LINESTRING, &f.g, t->e);
        if (rc == PQ_OK) {
            rc = geo_begin(t, &f, 1);
        }
        if (rc == PQ_OK) {
            rc = pq_geo_rows_wkb(f.g, 0, &wkb, t->e);
        }
        pq_fault_set(0);
        CHECK(rc == t->e->rc && (rc == PQ_OK) == (wkb.p != NULL));
        geo_close(&f);
        if (rc == PQ_OK) {
            CHECK(i > 1);
            return;
        }
        pq_err_clear(t->e);
    }
    CHECK(false);
}
