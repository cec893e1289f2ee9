/*
** call_text.h - what a statement compares that SQLite does not offer to a table, in its
** text: functions of a column, and columns that each side of an OR compares.
**
**   WHERE date(e.ts) = ?              date, of e and ts
**   WHERE substr(x, 1, 3) IN (..)     substr, of x, then ", 1, 3"
**   ON strftime('%Y', ts) > ..        strftime, after '%Y', of ts
**   WHERE CAST(x AS TEXT) LIKE ..     CAST, of x, then "AS TEXT"
**   WHERE (t.a = 1 AND u.b = 2) OR (u.b = 1 AND t.a = 2)        t.a, u.b
**
** Only what surely stands in a condition is found: in a WHERE or an ON, not in a CASE,
** and with a comparison after it.
**
** This file does not use SQLite, so unit tests can link it.
*/
#ifndef PQSQL_CALL_TEXT_H
#define PQSQL_CALL_TEXT_H

#include "sql/token.h"

typedef struct PqsqlCall {
    PqsqlToken function;
    PqsqlToken before;               /* an argument before; n 0: none       */
    PqsqlToken table;                /* n 0: the column is named alone      */
    PqsqlToken column;
    PqSlice    rest;                 /* what follows it, without blanks     */
} PqsqlCall;

/* Where a search is. */
enum { PQSQL_CALL_DEPTH = 64 };

typedef struct PqsqlCalls {
    const char *at;
    uint32_t    depth;               /* of parentheses and CASEs            */
    bool        compares[PQSQL_CALL_DEPTH];      /* in a WHERE or an ON?    */
} PqsqlCalls;

/* Begins with {.at = sql}.  False: there are no more. */
bool pqsql_next_call(PqsqlCalls *c, PqsqlCall *out);

/* A column that is = to something on each side of an OR that SQLite makes no IN of. */
typedef struct PqsqlOrColumn {
    PqsqlToken table;                /* n 0: the column is named alone      */
    PqsqlToken column;
} PqsqlOrColumn;

/* Writes at most n columns of the next such OR; 0: there are no more. */
size_t pqsql_next_or(PqsqlCalls *c, PqsqlOrColumn *out, size_t n);

/* Is there an IN of a column of this name? */
bool pqsql_text_has_in(const char *sql, PqsqlToken column);

/* Is the table, or what is perhaps an alias of it, called so?  name n 0: is the
** table named at all? */
bool pqsql_text_names_table(const char *sql, PqSlice table, PqsqlToken name);

#endif
