/*
** covering_fill_test.c - the boxes of geometries, as the four leaves of a covering
** column.
*/
#include "core/column/covering_fill.h"
#include "core/geo/wkb.h"
#include "test/unit/test.h"

#include <math.h>

static const PqType geometry = {.physical = PQ_BYTE_ARRAY,
                                .logical = PQ_TYPE_GEOMETRY};
static const PqType geography = {.physical = PQ_BYTE_ARRAY,
                                 .logical = PQ_TYPE_GEOGRAPHY};

typedef struct Filling {
    PqCells     cells;
    PqLeaf      leaves[PQ_COVER_LEAVES];
    PqLeafBatch b[PQ_COVER_LEAVES];
    PqFillRules rules;
    PqCover     cover;
} Filling;

static void begin(Test *t, Filling *f, const PqType *type, PqPhysical physical,
                  bool required)
{
    *f = (Filling){.rules.geometry = type};
    pq_cells_init(&f->cells, t->mem);
    pq_cover_init(&f->cover, type);
    for (int i = 0; i < PQ_COVER_LEAVES; i++) {
        f->leaves[i] = (PqLeaf){.type.physical = physical, .path = "bbox",
                                .max_def = !required};
        pq_leaf_batch_init(&f->b[i], &f->leaves[i], t->mem);
    }
}

static void end(Filling *f)
{
    pq_cells_free(&f->cells);
    for (int i = 0; i < PQ_COVER_LEAVES; i++) {
        pq_leaf_batch_free(&f->b[i]);
    }
}

/* Adds a LINESTRING of n points: pairs of x and y; 0: an empty one. */
static void add_line(Test *t, Filling *f, uint32_t n, const double *xy)
{
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    pq_wkb_put_head(&b, PQ_GEO_LINESTRING, false, false);
    pq_wkb_put_count(&b, n);
    for (uint32_t i = 0; i < 2 * n; i++) {
        pq_wkb_put_number(&b, xy[i]);
    }
    CHECK_OK(pq_cells_reserve(&f->cells, t->e));
    CHECK_OK(pq_cells_bytes(&f->cells, PQ_CELL_BLOB, b.p, b.n, t->e));
    pq_buf_free(&b);
}

static void add_null(Test *t, Filling *f)
{
    CHECK_OK(pq_cells_reserve(&f->cells, t->e));
    pq_cells_null(&f->cells);
}

static void add_cell(Test *t, Filling *f, PqCellClass cls, const char *z)
{
    CHECK_OK(pq_cells_reserve(&f->cells, t->e));
    CHECK_OK(pq_cells_bytes(&f->cells, cls, z, strlen(z), t->e));
}

static void fill(Test *t, Filling *f)
{
    CHECK_OK(pq_cover_fill(&f->cover, f->b, &f->cells, f->cells.n, &f->rules,
                           t->e));
    pq_cells_reset(&f->cells);
}

static double value(const Filling *f, int leaf, uint32_t i)
{
    const PqLeafBatch *b = &f->b[leaf];

    return b->leaf->type.physical == PQ_FLOAT
               ? (double)((const float *)b->values)[i]
               : ((const double *)b->values)[i];
}

static bool is_null(const Filling *f, uint32_t row)
{
    return !(f->b[0].valid[row / 64] >> row % 64 & 1);
}

#define CHECK_BOX(f, i, x0, y0, x1, y1)                                      \
    do {                                                                     \
        CHECK(value(f, 0, i) == (x0));                                       \
        CHECK(value(f, 1, i) == (y0));                                       \
        CHECK(value(f, 2, i) == (x1));                                       \
        CHECK(value(f, 3, i) == (y1));                                       \
    } while (0)

static const double line[] = {3, -1, -2, 4};

TEST(cover_fill, a_row_has_a_box_if_it_has_a_geometry)
{
    Filling f;

    begin(t, &f, &geometry, PQ_DOUBLE, false);
    add_null(t, &f);
    add_line(t, &f, 2, line);
    add_cell(t, &f, PQ_CELL_BLOB, "no WKB");     /* the other column says so */
    add_line(t, &f, 1, line);
    fill(t, &f);
    for (int i = 0; i < PQ_COVER_LEAVES; i++) {
        CHECK_INT(f.b[i].n_rows, 4);
        CHECK_INT(f.b[i].n_entries, 4);
        CHECK_INT(f.b[i].n_values, 2);
    }
    CHECK(is_null(&f, 0));
    CHECK(!is_null(&f, 1));
    CHECK(is_null(&f, 2));
    CHECK(!is_null(&f, 3));
    CHECK_BOX(&f, 0, -2, -1, 3, 4);
    CHECK_BOX(&f, 1, 3, -1, 3, -1);
    end(&f);
}

TEST(cover_fill, an_empty_geometry_has_the_box_of_its_neighbour)
{
    static const double far[] = {100, 100};
    Filling f;

    begin(t, &f, &geometry, PQ_DOUBLE, false);
    add_line(t, &f, 0, NULL);
    fill(t, &f);                     /* a slab without any box */
    CHECK(isnan(value(&f, 0, 0)) && isnan(value(&f, 3, 0)));
    CHECK(!is_null(&f, 0));
    add_line(t, &f, 0, NULL);
    add_line(t, &f, 2, line);
    add_line(t, &f, 0, NULL);
    add_line(t, &f, 1, far);
    fill(t, &f);
    CHECK_BOX(&f, 1, -2, -1, 3, 4);
    CHECK_BOX(&f, 3, -2, -1, 3, 4);
    CHECK_BOX(&f, 4, 100, 100, 100, 100);
    add_line(t, &f, 0, NULL);
    fill(t, &f);
    CHECK_BOX(&f, 5, 100, 100, 100, 100);
    end(&f);
}

TEST(cover_fill, floats_are_rounded_outwards)
{
    static const double odd[] = {0.1, 0.1, 0.7, 0.7}, huge[] = {1e300, -1e300};
    Filling f;

    begin(t, &f, &geometry, PQ_FLOAT, true);
    add_line(t, &f, 2, odd);
    add_line(t, &f, 1, huge);
    add_line(t, &f, 2, line);
    fill(t, &f);
    CHECK(f.b[0].valid == NULL);
    CHECK(value(&f, 0, 0) <= 0.1 && nextafterf((float)value(&f, 0, 0), 1) > 0.1);
    CHECK(value(&f, 2, 0) >= 0.7 && nextafterf((float)value(&f, 2, 0), 0) < 0.7);
    CHECK(value(&f, 0, 1) <= 1e300 && isfinite(value(&f, 0, 1)));
    CHECK(isinf(value(&f, 2, 1)) && value(&f, 2, 1) > 0);
    CHECK(isinf(value(&f, 1, 1)) && value(&f, 1, 1) < 0);
    CHECK_BOX(&f, 2, -2, -1, 3, 4);              /* floats as they are */
    end(&f);
}

TEST(cover_fill, only_boxes_on_a_globe_wrap)
{
    static const double over[] = {170, 0, -170, 1}, beyond[] = {190, 0, 200, 5};
    PqBuf two;
    Filling f;

    pq_buf_init(&two, t->mem, t->e);
    pq_wkb_put_box(&two, 170, -5, -170, 5);
    for (int globe = 0; globe < 2; globe++) {
        begin(t, &f, globe ? &geography : &geometry, PQ_DOUBLE, false);
        add_line(t, &f, 2, over);
        CHECK_OK(pq_cells_reserve(&f.cells, t->e));
        CHECK_OK(pq_cells_bytes(&f.cells, PQ_CELL_BLOB, two.p, two.n, t->e));
        add_line(t, &f, 2, beyond);
        fill(t, &f);
        CHECK(value(&f, 0, 0) == (globe ? 170 : -170));
        CHECK(value(&f, 2, 0) == (globe ? -170 : 170));
        CHECK(value(&f, 0, 1) == (globe ? 170 : -180));
        CHECK(value(&f, 2, 1) == (globe ? -170 : 180));
        CHECK_BOX(&f, 2, 190, 0, 200, 5);
        end(&f);
    }
    pq_buf_free(&two);
}

/* Readers differ in which rings count for the box of a row. */
TEST(cover_fill, all_rings_of_a_polygon_are_in_its_box)
{
    Filling f;

    begin(t, &f, &geometry, PQ_DOUBLE, false);
    f.rules.classes = PQ_CLASS(PQ_CELL_TEXT);
    add_cell(t, &f, PQ_CELL_TEXT, "POLYGON((1 2,3 4,1 2),(8 -9,8 -8,8 -9))");
    fill(t, &f);
    CHECK_BOX(&f, 0, 1, -9, 8, 4);
    end(&f);
}

TEST(cover_fill, what_the_other_column_refuses_is_null)
{
    Filling f;

    begin(t, &f, &geometry, PQ_DOUBLE, false);
    f.rules.classes = PQ_CLASS(PQ_CELL_NULL) | PQ_CLASS(PQ_CELL_BLOB);
    add_cell(t, &f, PQ_CELL_TEXT, "POINT(1 2)");
    add_line(t, &f, 1, line);
    fill(t, &f);
    CHECK(is_null(&f, 0) && !is_null(&f, 1));
    f.rules.classes = 0;
    add_cell(t, &f, PQ_CELL_TEXT, "POINT(1 2)");
    add_cell(t, &f, PQ_CELL_TEXT, "POINT(1");
    fill(t, &f);
    CHECK(!is_null(&f, 2) && is_null(&f, 3));
    CHECK_BOX(&f, 1, 1, 2, 1, 2);
    end(&f);
}
