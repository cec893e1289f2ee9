/*
** time_parse.h - dates, times, timestamps and intervals from text, the way
** back of time_text.h.
**
**   date    [+-]YYYY-MM-DD            more digits of the year behind a sign
**   clock   HH:MM[:SS[.digits]][zone] as many digits as one likes
**   zone    Z or +HH:MM, +HHMM, +HH   taken off: what is stored is UTC
**
**   DATE       date, or a timestamp whose clock is midnight
**   TIME       clock; with a zone it stays within its day: 01:00+02:00 is
**              23:00.  The digits of a number outside the day are that number,
**              which is what reading such a value gives
**   TIMESTAMP  date, or date and clock with blanks or a T between them.
**              24:00 is the next midnight
**
** Blanks around are fine, and before a zone.  What has a part smaller than the
** unit that is not zero is PQ_PARSE_FINER, or with cut goes down to the unit.
** The other texts SQL functions know (a bare clock as a timestamp, day numbers,
** 30 February) mean different things to different people, and are none here.
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

/* P[nY][nM][nW][nD][T[nH][nM][n[.digits]S]]: years count as twelve months,
** weeks as seven days, hours and minutes as milliseconds; each of the three
** parts has to fit 32 bits. */
PqParse pq_time_parse_interval(PqSlice text, bool cut, uint8_t out[12]);

/* An instant, 0 <= nanos < 10^9, as an INT96 and as 96 bits of unit. */
PqParse pq_time_parse_instant96(int64_t seconds, uint32_t nanos,
                                uint8_t out[12]);
PqParse pq_time_parse_wide(int64_t seconds, uint32_t nanos, PqUnit unit,
                           bool cut, uint8_t out[12]);

#endif
