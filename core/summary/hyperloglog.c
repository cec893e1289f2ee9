/*
** hyperloglog.c - the estimate.  sigma and tau come from the paper: they stand
** for the registers that are 0 and the registers that are full.
*/
#include "core/summary/hyperloglog.h"

#include <math.h>

enum { RANKS = 64 - PQ_HLL_BITS + 2 };

static double sigma(double x)
{
    double y = 1, z = x, before;

    if (x == 1) {
        return INFINITY;
    }
    do {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    } while (z != before);
    return z;
}

static double tau(double x)
{
    double y = 1, z = 1 - x, before;

    if (x == 0 || x == 1) {
        return 0;
    }
    do {
        x = sqrt(x);
        before = z;
        y *= 0.5;
        z -= (1 - x) * (1 - x) * y;
    } while (z != before);
    return z / 3;
}

double pq_hll_estimate(const uint8_t *registers)
{
    const double m = PQ_HLL_REGISTERS;
    uint32_t n[RANKS] = {0};
    double z;

    for (int i = 0; i < PQ_HLL_REGISTERS; i++) {
        n[registers[i]]++;
    }
    z = m * tau(1 - n[RANKS - 1] / m);
    for (int i = RANKS - 2; i > 0; i--) {
        z = 0.5 * (z + n[i]);
    }
    z += m * sigma(n[0] / m);
    return m * m / (2 * 0.69314718055994530942) / z;
}
