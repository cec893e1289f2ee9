/*
** notice.h - a comparison that does not mean what it looks like.
**
** Dates and times are texts in SQLite, and compared as such.  A text of another
** form is another text, though a person reads the same instant:
**
**   column, as it is given     compared with              and so
**   2024-03-10 12:00:00        '2024-03-10T12:00:00Z'     less, and never equal
**   2024-03-10 23:59:59        '2024-03-10T00:00:00'      less: ' ' before 'T'
**   2024-03-10 (a DATE)        '2024-03-10 00:00:00'      less
**   2024-03-10 12:00:00.250    '2024-03-10 12:00:00.25'   never equal
**   2024-03-10 12:00:00.250    '...12:00:00.250000'       less
**   2024-03-10                 '2024/03/10', '10.03.2024' less, more
**   1710072000, a number       '2024-03-10'               less
**
** JavaScript's toISOString() and Python's isoformat() bind the first two.  A
** native table would give the same rows, so nothing is changed.  But it is
** reported, once per statement and table, on the error log and in
** parquet_scan_stats().
*/
#ifndef PQEXT_NOTICE_H
#define PQEXT_NOTICE_H

#include "ext/cursor/cursor_scan.h"

/* Reports it if the operand of the term is such a text. */
void pqext_notice_operand(PqextScan *c, PqextTerm term, sqlite3_value *v);

#endif
