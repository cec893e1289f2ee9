/*
** time_format.h - date(x) and strftime(format, x), out of stored integers.
**
** The text of a format stays the same throughout its grain: a second, a minute,
** an hour, a day, a month or a year.  So the number of that period is enough:
**
**   strftime('%Y-%m', ts)      grain month     2024-03-05 14:00  ->  24291
**                                              (years * 12 + months)
**
** So a key is an integer, and its text is made once per period.  This computes
** what SQLite does in the years 0 to 9999.  SQLite itself is asked about other
** years (pqext_time_text returns false), and about the last millisecond of a
** day: it rounds instants to milliseconds, and then may take the next day.
** Keys of such values are beyond PQEXT_TIME_ODD.
*/
#ifndef PQEXT_TIME_FORMAT_H
#define PQEXT_TIME_FORMAT_H

#include "core/for_host.h"

#define PQEXT_TIME_ODD (INT64_C(1) << 61)

typedef enum PqextGrain {
    PQEXT_YEAR, PQEXT_MONTH, PQEXT_DAY, PQEXT_HOUR, PQEXT_MINUTE, PQEXT_SECOND
} PqextGrain;

typedef struct PqextTimeFormat {
    PqextGrain  grain;
    const char *text;                /* with %Y, %m, ...                    */
    uint32_t    prefix;              /* its texts are this many first bytes
                                     ** of the value's own text; 0: they are
                                     ** not                                 */
} PqextTimeFormat;

/* Reads a format of strftime; false: only SQLite can compute it.  *unknown: a
** letter that no version of SQLite knows, or 0. */
bool pqext_time_format(const char *text, PqextTimeFormat *out, char *unknown);

/* The format of date(), time(), datetime(); NULL: another function. */
const char *pqext_time_format_of(const char *function);

/* Can keys be made of the values of a leaf? */
bool pqext_time_is_stored(const PqType *stored);

/* Keys of n stored values; those that are not valid become 0. */
void pqext_time_keys(const PqextTimeFormat *f, const PqType *stored,
                     const void *values, const uint64_t *valid, uint32_t n,
                     int64_t *out);

/* The text of a key.  False: SQLite has to be asked.  room has PQEXT_TIME_ROOM
** bytes, and pqext_time_format takes no format that needs more. */
enum { PQEXT_TIME_ROOM = 256 };
bool pqext_time_text(const PqextTimeFormat *f, int64_t key, char *room,
                     size_t *n);

#endif
