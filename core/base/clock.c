/*
** clock.c - the system's monotonic clock, which no change of the date moves.
** POSIX leaves its starting point open, so only differences mean anything.
*/
#define _POSIX_C_SOURCE 200809L
#include "core/base/clock.h"

/* macOS's conditions know the time of day alone: there a wait is longer or shorter when
** that is set. */
#ifdef __APPLE__
#define WAITS CLOCK_REALTIME
#else
#define WAITS CLOCK_MONOTONIC
#endif

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

void pq_clock_cond(pthread_cond_t *c)
{
    pthread_condattr_t clock;

    pthread_condattr_init(&clock);
#ifndef __APPLE__
    pthread_condattr_setclock(&clock, WAITS);
#endif
    pthread_cond_init(c, &clock);
    pthread_condattr_destroy(&clock);
}

struct timespec pq_clock_in_ms(unsigned ms)
{
    struct timespec t;

    clock_gettime(WAITS, &t);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
