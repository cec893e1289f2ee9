/*
** calendar.h - days since 1970 <-> years, months and days of the proleptic Gregorian
** calendar.
**
** Days are counted in cycles of 400 years that begin on the first of March.  So the
** leap day is the last day of its year, its century and its cycle:
**
**   cycle    146097 days   400 years       day 0 of cycle 0: 0000-03-01
**   century   36524 days   one more in the last
**   year        365 days   one more in every fourth
**   month    31 30 31 30 31 31 30 31 30 31 31 (28 or 29): 153 days in five
**
** (4 * day + 3) / (4 * length), with a length of 146097 / 4 or 1461 / 4, gives
** the century and the year without testing which of them are longer.  Back:
**
**   2024-03-01   year 24 of cycle 5, day 0 of the year
**   5 * 146097 + 24 * 365 + 24 / 4 - 24 / 100 + 0 - 719468 = 19783
*/
#ifndef PQ_CALENDAR_H
#define PQ_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PQ_CYCLE_DAYS = 146097,
    PQ_CYCLE_YEARS = 400,
    PQ_EPOCH_IN_CYCLES = 719468,     /* days from 0000-03-01 to 1970-01-01  */
    PQ_FIRST_DAY = -719528,          /* 0000-01-01, in days since 1970      */
    PQ_LAST_DAY = 2932896            /* 9999-12-31                          */
};

typedef struct PqCivil {
    int64_t  year;
    uint32_t month, day;             /* from 1                              */
} PqCivil;

/* The quotient, rounded down; by is above 0. */
static inline int64_t pq_floor_div(int64_t v, int64_t by)
{
    return v / by - (v % by < 0);
}

/* A day of a cycle. */
static inline PqCivil pq_civil_of_cycle(int64_t cycle, uint32_t in_cycle)
{
    uint32_t century = (4 * in_cycle + 3) / PQ_CYCLE_DAYS;
    uint32_t in_century = in_cycle - century * PQ_CYCLE_DAYS / 4;
    uint32_t year = (4 * in_century + 3) / 1461;
    uint32_t in_year = in_century - year * 1461 / 4;
    uint32_t month = (5 * in_year + 2) / 153;              /* 0: March */
    uint32_t in_month = in_year - (153 * month + 2) / 5;
    bool after_new_year = month >= 10;

    return (PqCivil){cycle * PQ_CYCLE_YEARS + century * 100 + year +
                         after_new_year,
                     after_new_year ? month - 9 : month + 3, in_month + 1};
}

static inline PqCivil pq_civil_of(int64_t days)
{
    int64_t from = days + PQ_EPOCH_IN_CYCLES;
    int64_t cycle = (from < 0 ? from - (PQ_CYCLE_DAYS - 1) : from) /
                    PQ_CYCLE_DAYS;

    return pq_civil_of_cycle(cycle, (uint32_t)(from - cycle * PQ_CYCLE_DAYS));
}

static inline int64_t pq_days_of(int64_t year, int month, int day)
{
    bool before_march = month <= 2;
    int64_t y = year - before_march;
    int64_t cycle = (y < 0 ? y - (PQ_CYCLE_YEARS - 1) : y) / PQ_CYCLE_YEARS;
    int32_t in_cycle = (int32_t)(y - cycle * PQ_CYCLE_YEARS);
    int32_t from_march = month + (before_march ? 9 : -3);

    return cycle * PQ_CYCLE_DAYS + in_cycle * 365 + in_cycle / 4 -
           in_cycle / 100 + (153 * from_march + 2) / 5 + day - 1 -
           PQ_EPOCH_IN_CYCLES;
}

#endif
