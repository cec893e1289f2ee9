/*
** hilbert_test.c - the curve goes from each cell to one beside it, and cells
** are in the order of coordinates.
*/
#include "core/geo/hilbert.h"
#include "test/unit/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The curve of n x n cells is the one of 2^32 x 2^32, seen from afar: the cell
** of a number is where its first point is.  n is a power of 4, so that the
** curve is not turned. */
enum { SIDE = 64, SHIFT = 32 - 6 };

TEST(hilbert, numbers_in_sequence_are_cells_side_by_side)
{
    static uint16_t x_of[SIDE * SIDE], y_of[SIDE * SIDE];
    static uint8_t times[SIDE * SIDE];
    uint32_t x, y, i;

    memset(times, 0, sizeof times);
    for (y = 0; y < SIDE; y++) {
        for (x = 0; x < SIDE; x++) {
            i = (uint32_t)(pq_hilbert(x << SHIFT, y << SHIFT) >> 2 * SHIFT);
            CHECK(i < SIDE * SIDE);
            times[i]++;
            x_of[i] = (uint16_t)x;
            y_of[i] = (uint16_t)y;
        }
    }
    for (i = 0; i < SIDE * SIDE; i++) {
        CHECK_INT(times[i], 1);
        CHECK(i == 0 || abs(x_of[i] - x_of[i - 1]) +
                        abs(y_of[i] - y_of[i - 1]) == 1);
    }
}

/* The same at the other end of the bits. */
TEST(hilbert, the_lowest_bits_count)
{
    static uint16_t x_of[SIDE * SIDE], y_of[SIDE * SIDE];
    uint64_t from = pq_hilbert(0, 0);
    uint32_t x, y, i;

    CHECK_INT(from, 0);
    for (y = 0; y < SIDE; y++) {
        for (x = 0; x < SIDE; x++) {
            uint64_t at = pq_hilbert(x, y);
            CHECK(at < SIDE * SIDE);
            x_of[at] = (uint16_t)x;
            y_of[at] = (uint16_t)y;
        }
    }
    for (i = 1; i < SIDE * SIDE; i++) {
        CHECK_INT(abs(x_of[i] - x_of[i - 1]) + abs(y_of[i] - y_of[i - 1]), 1);
    }
}

TEST(hilbert, the_ends_of_the_curve_are_two_corners)
{
    CHECK(pq_hilbert(0, 0) == 0);
    CHECK(pq_hilbert(UINT32_MAX, 0) == UINT64_MAX);
    CHECK(pq_hilbert(0, UINT32_MAX) == UINT64_MAX / 3);
    CHECK(pq_hilbert(UINT32_MAX, UINT32_MAX) == UINT64_MAX / 3 * 2);
}

TEST(hilbert, cells_are_in_the_order_of_coordinates)
{
    static const double v[] = {
        -INFINITY, -DBL_MAX, -1e30, -180, -1, -1e-30, -1e-300, 0, 1e-30,
        0.5, 1, 90, 179.99, 180, 1e30, DBL_MAX, INFINITY, NAN,
    };
    uint32_t i;

    for (i = 1; i < PQ_COUNT(v); i++) {
        CHECK(pq_hilbert_cell(v[i - 1]) <= pq_hilbert_cell(v[i]));
    }
    CHECK(pq_hilbert_cell(1) < pq_hilbert_cell(1.0000002));
    CHECK(pq_hilbert_cell(-0.0) == pq_hilbert_cell(0.0));
    CHECK(pq_hilbert_cell(INFINITY) < pq_hilbert_cell(NAN));
}
