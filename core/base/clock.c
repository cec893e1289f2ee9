/*
** clock.c - the system's monotonic clock, which no change of the date moves.
** POSIX leaves its starting point open, so only differences mean anything.
*/
#define _POSIX_C_SOURCE 200809L
#include "core/base/clock.h"

#include <time.h>

int64_t pq_clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t pq_clock_ms(void)
{
    return pq_clock_ns() / 1000000;
}
