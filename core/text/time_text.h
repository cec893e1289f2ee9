/*
** time_text.h - dates, times and timestamps as SQLite's own functions write
** them.
**
**   DATE       2024-03-01
**   TIME       13:45:00            a non-zero fraction adds 3, 6 or 9 digits,
**   TIMESTAMP  2024-03-01 13:45:00 the fewest that are exact
**
** The calendar is the proleptic Gregorian one.  Years outside 0000-9999 have a
** sign and at least four digits, as in ISO 8601: -0001-12-31, +10000-01-01.
** Every stored value has a text, except a TIME outside its day.
*/
#ifndef PQ_TIME_TEXT_H
#define PQ_TIME_TEXT_H

#include "core/base/arena.h"

typedef enum PqUnit { PQ_MILLIS, PQ_MICROS, PQ_NANOS } PqUnit;

enum { PQ_TIME_TEXT_ROOM = 48, PQ_TIME96_SIZE = 12 };

/* Units in a second: 1000, 1000000, 1000000000. */
int64_t pq_unit_per_second(PqUnit unit);

/* Each writes at most PQ_TIME_TEXT_ROOM bytes with a NUL and returns the length
** without it. */
size_t pq_time_text_date(int32_t days, char *out);
size_t pq_time_text_time(int64_t v, PqUnit unit, char *out);   /* 0: no text */
size_t pq_time_text_timestamp(int64_t v, PqUnit unit, char *out);
size_t pq_time_text_int96(const uint8_t v[12], char *out);

/* A TIMESTAMP of 96 bits: little-endian two's complement, units since 1970. */
size_t pq_time_text_time96(const uint8_t v[12], PqUnit unit, char *out);

/* INTERVAL: little-endian months, days, milliseconds, each unsigned.  P1M,
** P14M3DT12.345S; parts that are zero are left out; PT0S if all are. */
size_t pq_time_text_interval(const uint8_t v[12], char *out);

/* Whole columns: n values become NUL-terminated texts in a.  A clear bit of
** valid (NULL: all are set) leaves the slot alone.  TIME values outside the day
** get p == NULL. */
PqRc pq_time_text_dates(const int32_t *v, const uint64_t *valid, uint32_t n,
                        PqStr *out, PqArena *a, PqErr *e);
PqRc pq_time_text_times(const int64_t *v, const uint64_t *valid, uint32_t n,
                        PqUnit unit, PqStr *out, PqArena *a, PqErr *e);
PqRc pq_time_text_timestamps(const int64_t *v, const uint64_t *valid,
                             uint32_t n, PqUnit unit, PqStr *out, PqArena *a,
                             PqErr *e);
PqRc pq_time_text_int96s(const uint8_t *v, const uint64_t *valid, uint32_t n,
                         PqStr *out, PqArena *a, PqErr *e);  /* 12 bytes each */

PqRc pq_time_text_time96s(const PqStr *v, const uint64_t *valid, uint32_t n,
                          PqUnit unit, PqStr *out, PqArena *a, PqErr *e);

/* A TIMESTAMP of 96 bits.  fits_i64: as 64 bits; false: it does not fit.
** instant: seconds since 1970 and 0 <= nanos < 10^9; false: the seconds do not
** fit 64 bits, and *real is the nearest number to them. */
bool pq_time96_fits_i64(const uint8_t v[12], int64_t *out);
bool pq_time96_instant(const uint8_t v[12], PqUnit unit, int64_t *seconds,
                       uint32_t *nanos, double *real);
void pq_time96_store(int64_t v, uint8_t out[12]);

/* The instant of an INT96 (nanoseconds in the day, Julian day), split so that
** nothing overflows: seconds since 1970 and 0 <= nanos < 10^9.  Nanoseconds
** beyond a day carry over. */
void pq_int96_instant(const uint8_t v[12], int64_t *seconds, uint32_t *nanos);

#endif
