/*
** time_parse.h - parses dates, times, timestamps and intervals: the inverse of
** time_text.h.
**
**   date    [+-]YYYY-MM-DD            with a sign, the year may be longer
**   clock   HH:MM[:SS[.digits]][zone] any number of digits, also after a comma
**   zone    Z or +HH:MM, +HHMM, +HH   subtracted: what is stored is UTC
**
**   DATE       date, or a timestamp whose clock is midnight
**   TIME       clock; with a zone it stays within its day: 01:00+02:00 is
**              23:00.  A number outside the day is the stored number, because
**              such a value is printed that way
**   TIMESTAMP  date, or date and clock with blanks, T or t between them.
**              24:00 is the next midnight
**
** Blanks are allowed around the text and before a zone.  A fraction that the
** unit cannot hold is PQ_PARSE_FINER; with cut it is rounded down.  Other texts
** that SQL functions accept (a bare clock as a timestamp, day numbers, 30
** February) are ambiguous and are not accepted.
*/
#ifndef PQ_TIME_PARSE_H
#define PQ_TIME_PARSE_H

#include "core/text/parse.h"
#include "core/text/time_text.h"

PqParse pq_time_parse_date(PqSlice text, int32_t *days);
PqParse pq_time_parse_time(PqSlice text, PqUnit unit, bool cut, int64_t *out);
PqParse pq_time_parse_timestamp(PqSlice text, PqUnit unit, bool cut,
                                int64_t *out);
PqParse pq_time_parse_int96(PqSlice text, bool cut, uint8_t out[12]);
PqParse pq_time_parse_time96(PqSlice text, PqUnit unit, bool cut,
                             uint8_t out[12]);

/* P[nY][nM][nW][nD][T[nH][nM][n[.digits]S]].  Years count as twelve months,
** weeks as seven days, hours and minutes as milliseconds.  Each of the three
** parts must fit 32 bits. */
PqParse pq_time_parse_interval(PqSlice text, bool cut, uint8_t out[12]);

/* An instant, 0 <= nanos < 10^9, as an INT96 and as 96 bits of unit. */
PqParse pq_time_parse_instant96(int64_t seconds, uint32_t nanos,
                                uint8_t out[12]);
PqParse pq_time_parse_wide(int64_t seconds, uint32_t nanos, PqUnit unit,
                           bool cut, uint8_t out[12]);

/* Seconds since 1970 as whole seconds and the nearest units, 0 <= part < unit. */
PqParse pq_time_split_seconds(double r, int64_t unit, int64_t *seconds,
                              int64_t *part);

#endif
