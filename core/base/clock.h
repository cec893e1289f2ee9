/*
** clock.h - a clock that only moves forward, for measuring how long things
** take.
*/
#ifndef PQ_CLOCK_H
#define PQ_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some moment in the past.  A call takes about 25 of them. */
int64_t pq_clock_ns(void);

/* ... and in milliseconds. */
int64_t pq_clock_ms(void);

#endif
