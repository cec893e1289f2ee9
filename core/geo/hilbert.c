/*
** hilbert.c - a number for a point such that points with near numbers are near.
**
** The curve goes through the four quarters of a square, and within each in the
** same way, turned:
**
**   1 2     The first quarter is mirrored at the diagonal (x and y change
**   0 3     places), the last at the other diagonal (and both are reversed).
**
** So a bit of x and a bit of y give two bits of the number, the highest first,
** and the bits below them are turned before they are looked at.  There are no
** branches, since bits of coordinates cannot be predicted.
*/
#include "core/geo/hilbert.h"

#include <math.h>
#include <string.h>

uint64_t pq_hilbert(uint32_t x, uint32_t y)
{
    uint64_t index = 0;

    for (int bit = 31; bit >= 0; bit--) {
        uint32_t right = x >> bit & 1, upper = y >> bit & 1;
        uint32_t turned = upper - 1, reversed = turned & (0 - right), other;

        index = index << 2 | ((3 * right) ^ upper);
        x ^= reversed;
        y ^= reversed;
        other = (x ^ y) & turned;
        x ^= other;
        y ^= other;
    }
    return index;
}

/* The bits of floats >= 0 have the order of the floats; the bits of negative
** floats have the opposite order.  Adding 0.0 makes 0 of -0. */
uint32_t pq_hilbert_cell(double v)
{
    float f = (float)v + 0.0f;
    uint32_t bits;

    if (isnan(v)) {
        return UINT32_MAX;
    }
    memcpy(&bits, &f, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000;
}
