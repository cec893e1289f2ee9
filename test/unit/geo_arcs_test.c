/*
** geo_arcs_test.c - the smallest arc, against a circle of 24 places that are in
** the set or not.
*/
#include "core/geo/geo_bounds.h"
#include "test/unit/test.h"

enum { PLACES = 24 };                /* -180, -165, ... 180: 25 numbers      */

static uint64_t seed = 7;

static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static double place(uint32_t i)
{
    return 15.0 * i - 180;
}

static bool contains(double west, double east, double x)
{
    return west <= east ? x >= west && x <= east : x >= west || x <= east;
}

static double width(double west, double east)
{
    return west <= east ? east - west : east + 360 - west;
}

/* Of the arcs that begin and end at a number of the set, the one that contains
** all of them and is the smallest.  `within`: the steps between two numbers
** that are in the set. */
static double least_width(const bool *number, const bool *within)
{
    double least = 360;
    uint32_t i, j, k;

    for (i = 0; i <= PLACES; i++) {
        for (j = 0; j <= PLACES; j++) {
            double west = place(i), east = place(j);
            bool all = number[i] && number[j];
            for (k = 0; k <= PLACES && all; k++) {
                all = (!number[k] || contains(west, east, place(k))) &&
                      (k == PLACES || !within[k] ||
                       contains(west, east, place(k) + 7));
            }
            if (all && width(west, east) < least) {
                least = width(west, east);
            }
        }
    }
    return least;
}

TEST(geo_arcs, the_smallest_arc_contains_all_and_no_smaller_one_does)
{
    int round;

    for (round = 0; round < 3000; round++) {
        bool number[PLACES + 1] = {false}, within[PLACES] = {false};
        PqGeoArcs a = {.n = 0};
        double west = 0, east = 0;
        uint32_t i, k, n = 1 + chance(8);

        for (i = 0; i < n; i++) {
            uint32_t from = chance(PLACES + 1);
            uint32_t to = from + chance(i % 2 ? 8 : 2);
            to = to > PLACES ? PLACES : to;
            pq_geo_arcs_add(&a, place(from), place(to));
            for (k = from; k <= to; k++) {
                number[k] = true;
                within[k < PLACES ? k : 0] |= k < to;
            }
        }
        CHECK(pq_geo_arcs_smallest(&a, &west, &east));
        for (k = 0; k <= PLACES; k++) {
            CHECK(!number[k] || contains(west, east, place(k)));
            CHECK(k == PLACES || !within[k] ||
                  contains(west, east, place(k) + 7));
        }
        CHECK(width(west, east) == least_width(number, within));
    }
}

TEST(geo_arcs, many_numbers_leave_few_arcs_and_the_widest_gap)
{
    static double all[5000];
    int round;

    for (round = 0; round < 50; round++) {
        PqGeoArcs a = {.n = 0};
        double west = 0, east = 0;
        uint32_t i;

        for (i = 0; i < PQ_COUNT(all); i++) {
            /* None is between 20 and 70. */
            all[i] = 70 + chance(310000) / 1000.0;
            all[i] -= all[i] > 180 ? 360 : 0;
            pq_geo_arcs_add(&a, all[i], all[i]);
            CHECK(a.n <= PQ_GEO_ARCS);
        }
        CHECK(pq_geo_arcs_smallest(&a, &west, &east));
        for (i = 0; i < PQ_COUNT(all); i++) {
            CHECK(contains(west, east, all[i]));
        }
        CHECK(west >= 70 && west < 72 && east > 18 && east <= 20);
        CHECK_INT(a.n, 2);
    }
}

/* As many arcs as there can be. */
TEST(geo_arcs, there_is_room_for_all_arcs)
{
    PqGeoArcs a = {.n = 0};
    double west, east;
    int i;

    for (i = 0; i < 3600; i++) {
        double x = i * 12.01 - 180;
        x -= 360 * (int)((x + 180) / 360);
        pq_geo_arcs_add(&a, x, x);
        CHECK(a.n <= PQ_GEO_ARCS);
        CHECK(i != 29 || a.n == PQ_GEO_ARCS);
    }
    CHECK_INT(a.n, 1);
    CHECK(pq_geo_arcs_smallest(&a, &west, &east) && west < -179.9 &&
          east > 179.9);
}

TEST(geo_arcs, numbers_at_the_antimeridian_stay_what_they_are)
{
    PqGeoArcs a = {.n = 0};
    double west, east;

    CHECK(!pq_geo_arcs_smallest(&a, &west, &east));
    pq_geo_arcs_add(&a, 180, 180);
    CHECK(pq_geo_arcs_smallest(&a, &west, &east) && west == 180 && east == 180);
    pq_geo_arcs_add(&a, -175, -175);
    CHECK(pq_geo_arcs_smallest(&a, &west, &east) && west == 180 &&
          east == -175);
    pq_geo_arcs_add(&a, -180, 180);
    CHECK(pq_geo_arcs_smallest(&a, &west, &east) && west == -180 &&
          east == 180);
}
