/*
** clock.h - a clock that only moves forward, for measuring how long things
** take, and for waiting no longer than that.
*/
#ifndef PQ_CLOCK_H
#define PQ_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment in the past.  A call takes about 25 of them. */
int64_t pq_clock_ns(void);

/* ... and in milliseconds. */
int64_t pq_clock_ms(void);

/* A condition, and the time until which pthread_cond_timedwait waits for it. */
void pq_clock_cond(pthread_cond_t *c);
struct timespec pq_clock_in_ms(unsigned ms);

#endif
