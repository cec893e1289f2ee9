/*
** geo_box_test.c - how boxes relate, against sets of numbers.
**
** A box has its edges on a grid.  The grid and the middles between its numbers
** stand for all numbers: a box along X is the set of those that are in it.
** Every pair of boxes is tried, those that wrap too, and for covers every box
** that is within them.
*/
#include "core/geo/geo_box.h"
#include "test/unit/test.h"

#include <math.h>

static const PqGeoRelation relations[] = {PQ_GEO_INTERSECTS, PQ_GEO_CONTAINS,
                                          PQ_GEO_WITHIN};

/* -180 and 180 are among them, and a number beyond on both sides. */
static const double grid[] = {-200, -180, -90, 0, 90, 180, 200};

enum { GRID = PQ_COUNT(grid), SAMPLES = 2 * GRID - 1, CIRCLE_END = 5 };

static PqGeoBox box(double xmin, double ymin, double xmax, double ymax)
{
    return (PqGeoBox){{true, true, false, false}, {xmin, ymin, 0, 0},
                      {xmax, ymax, 0, 0}};
}

/* Along X from one number of the grid to another.  If it wraps, both are on the
** circle. */
static bool make(int from, int to, PqGeoBox *out)
{
    *out = box(grid[from], 0, grid[to], 1);
    return from <= to || (from <= CIRCLE_END && to >= 1);
}

static double sample(int i)
{
    return i % 2 ? (grid[i / 2] + grid[i / 2 + 1]) / 2 : grid[i / 2];
}

/* The samples in a box; `end`: where one ends that wraps. */
static uint32_t set_of(const PqGeoBox *b, double end)
{
    double min = b->min[PQ_GEO_X], max = b->max[PQ_GEO_X];
    uint32_t set = 0;
    int i;

    for (i = 0; i < SAMPLES; i++) {
        double v = sample(i);
        bool is = min <= max ? v >= min && v <= max
                             : (v >= min && v <= end) ||
                                   (v <= max && v >= -end);
        set |= (uint32_t)is << i;
    }
    return set;
}

static bool sets_relate(PqGeoRelation r, uint32_t a, uint32_t b)
{
    return r == PQ_GEO_CONTAINS ? (b & ~a) == 0
           : r == PQ_GEO_WITHIN ? (a & ~b) == 0
                                : (a & b) != 0;
}

TEST(geo_box, boxes_relate_as_their_sets_of_numbers)
{
    int i, j, r, wrapping = 0;
    PqGeoBox a, b;

    for (i = 0; i < GRID * GRID; i++) {
        for (j = 0; j < GRID * GRID; j++) {
            if (!make(i / GRID, i % GRID, &a) ||
                !make(j / GRID, j % GRID, &b)) {
                continue;
            }
            wrapping += a.min[0] > a.max[0] && b.min[0] > b.max[0];
            for (r = 0; r < (int)PQ_COUNT(relations); r++) {
                bool want = sets_relate(relations[r], set_of(&a, 180),
                                        set_of(&b, 180));
                CHECK_INT(pq_geo_box_relates(relations[r], &a, &b), want);
            }
        }
    }
    CHECK(wrapping >= 100);
}

/* Is there a box within the cover that relates to b? */
static bool some_relates(PqGeoRelation r, const PqGeoBox *cover,
                         const PqGeoBox *b)
{
    uint32_t within = set_of(cover, INFINITY);
    bool some = false;
    PqGeoBox a;
    int i;

    for (i = 0; i < GRID * GRID && !some; i++) {
        some = make(i / GRID, i % GRID, &a) &&
               (set_of(&a, 180) & ~within) == 0 &&
               pq_geo_box_relates(r, &a, b);
    }
    return some;
}

TEST(geo_box, a_cover_may_relate_if_and_only_if_a_box_within_it_does)
{
    PqGeoBox cover, b;
    int i, j, r;

    for (i = 0; i < GRID * GRID; i++) {
        cover = box(grid[i / GRID], 0, grid[i % GRID], 1);
        for (j = 0; j < GRID * GRID; j++) {
            if (!make(j / GRID, j % GRID, &b)) {
                continue;
            }
            for (r = 0; r < (int)PQ_COUNT(relations); r++) {
                CHECK_INT(pq_geo_box_may_relate(relations[r], &cover, &b),
                          some_relates(relations[r], &cover, &b));
            }
        }
    }
}

TEST(geo_box, y_counts_as_x_does)
{
    PqGeoBox a = box(0, 0, 10, 10), b = box(2, 10, 3, 12);

    CHECK(pq_geo_box_relates(PQ_GEO_INTERSECTS, &a, &b));
    CHECK(pq_geo_box_may_relate(PQ_GEO_WITHIN, &a, &b));
    CHECK(!pq_geo_box_relates(PQ_GEO_CONTAINS, &a, &b));
    CHECK(!pq_geo_box_may_relate(PQ_GEO_CONTAINS, &a, &b));
    b.min[PQ_GEO_Y] = nextafter(10, 11);
    CHECK(!pq_geo_box_relates(PQ_GEO_INTERSECTS, &a, &b));
    CHECK(!pq_geo_box_may_relate(PQ_GEO_INTERSECTS, &a, &b));
    b = box(0, 0, 10, 10);
    CHECK(pq_geo_box_relates(PQ_GEO_CONTAINS, &a, &b));
    CHECK(pq_geo_box_relates(PQ_GEO_WITHIN, &a, &b));
}

TEST(geo_box, a_box_without_x_or_y_relates_to_none)
{
    PqGeoBox whole = box(0, 0, 1, 1), none = box(0, 0, 1, 1);
    int axis, r;

    for (axis = PQ_GEO_X; axis <= PQ_GEO_Y; axis++) {
        none.has[axis] = false;
        for (r = 0; r < (int)PQ_COUNT(relations); r++) {
            CHECK(!pq_geo_box_relates(relations[r], &whole, &none));
            CHECK(!pq_geo_box_relates(relations[r], &none, &whole));
        }
        none.has[axis] = true;
    }
}

TEST(geo_box, an_axis_that_a_cover_does_not_tell_excludes_nothing)
{
    PqGeoBox far = box(100, 100, 101, 101);
    PqGeoBox covers[] = {box(NAN, 100, 1, 101), box(0, 100, NAN, 101),
                         box(100, NAN, 101, 1), box(100, 0, 101, NAN),
                         box(100, 1, 101, 0), box(0, 100, 1, 101),
                         box(100, 0, 101, 1)};
    uint32_t i;
    int r;

    covers[5].has[PQ_GEO_X] = false;
    covers[6].has[PQ_GEO_Y] = false;
    for (i = 0; i < PQ_COUNT(covers); i++) {
        for (r = 0; r < (int)PQ_COUNT(relations); r++) {
            CHECK(pq_geo_box_may_relate(relations[r], &covers[i], &far));
        }
    }
}

TEST(geo_box, a_box_grows_by_coordinates_and_by_boxes)
{
    PqGeoBox b = {0}, other = {0};

    pq_geo_box_add(&b, PQ_GEO_X, NAN);
    CHECK(!b.has[PQ_GEO_X]);
    pq_geo_box_add(&b, PQ_GEO_X, 3);
    pq_geo_box_add(&b, PQ_GEO_X, NAN);
    pq_geo_box_add(&b, PQ_GEO_X, -2);
    CHECK(b.has[PQ_GEO_X] && b.min[PQ_GEO_X] == -2 && b.max[PQ_GEO_X] == 3);
    pq_geo_box_add(&other, PQ_GEO_X, 5);
    pq_geo_box_add(&other, PQ_GEO_M, INFINITY);
    pq_geo_box_join(&b, &other);
    CHECK(b.min[PQ_GEO_X] == -2 && b.max[PQ_GEO_X] == 5);
    CHECK(b.has[PQ_GEO_M] && b.max[PQ_GEO_M] == INFINITY);
    CHECK(!b.has[PQ_GEO_Y] && !pq_geo_box_is_whole(&b));
}
