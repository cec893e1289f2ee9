/*
** call_text.h - functions of a column that a statement compares, in its text.
**
**   WHERE date(e.ts) = ?              date, of e and ts
**   WHERE substr(x, 1, 3) IN (..)     substr, of x, then ", 1, 3"
**   ON strftime('%Y', ts) > ..        strftime, after '%Y', of ts
**   WHERE CAST(x AS TEXT) LIKE ..     CAST, of x, then "AS TEXT"
**
** SQLite offers a table only conditions on bare columns, and does not tell it of
** these.  Only what surely stands in a condition is found: in a WHERE or an ON, not
** in a CASE, and with a comparison after it.
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

/* Is the table, or what is perhaps an alias of it, called so?  name n 0: is the
** table named at all? */
bool pqsql_text_names_table(const char *sql, PqSlice table, PqsqlToken name);

#endif
