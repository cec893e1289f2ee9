/*
** statement_text.h - what stands in the texts of statements, views and triggers.
**
** SQLite does not tell which statement calls a table or a function, and leaves out
** some of what it knows of it.  So all texts are looked at that can be the one: of
** the statements that run, and of the views and triggers that these may use.
**
** "It is in none of them" is certain.  That it is in one says little: it may be
** another statement's, or stand in a comment.  So a text is looked at for these
** seven, where a word that is found in vain costs time, a refusal or a note, and
** never a row; and for nothing else:
**
**   whose          what is looked for           if it is there       needed
**   outer_join.c   LEFT, RIGHT, FULL, OUTER     SQLite tests the     before 3.51.0
**                                               condition alone
**   order_text.h   an ORDER BY that can be the  groups are sorted    before 3.52.0
**                  GROUP BY
**   group_text.h   how a rollup's columns      groups are split     always: colUsed
**                  are used                    by all that SQLite   does not tell
**                                              names                compared from read
**   cursor.c       a function of Variants       JSON of a Variant    always: only
**                                               keeps its types      the text tells
**   here, below    the function's own name      it may be called     always: SQLite
**                                                                    checks less
**   cursor_scan.c  a column beyond the 63rd     it is fetched ahead always: SQLite
**                                                                    tells of 63
**   call_text.h    date(ts) = and others, ORs   a note says what     always: bare
**                                               goes down            columns only
*/
#ifndef PQSQL_STATEMENT_TEXT_H
#define PQSQL_STATEMENT_TEXT_H

#include "sql/sqlite.h"

#include <stdbool.h>

typedef bool (*PqsqlTextTest)(const char *sql, const void *arg);

/* Is it in a statement that is running?  Without one: true. */
bool pqsql_text_in_statements(sqlite3 *db, PqsqlTextTest has, const void *arg);

/* ... in a view or trigger of the schema?  What cannot be read has it if_unread. */
bool pqsql_text_in_schema(sqlite3 *db, const char *schema, bool if_unread,
                          PqsqlTextTest has, const void *arg);

/* ... in one that can name a table of the schema?  What cannot be read may be
** anything: true. */
bool pqsql_text_near_table(sqlite3 *db, const char *schema, PqsqlTextTest has,
                           const void *arg);

/* ... in a statement that is running, or in a view or trigger that it may use? */
bool pqsql_text_anywhere(sqlite3 *db, const char *schema, PqsqlTextTest has,
                         const void *arg);

/* Functions that only a statement of the user may call.  SQLITE_DIRECTONLY
** keeps a database's schema from calling such a function, but older versions of
** SQLite (3.40) do not check CHECK constraints and generated columns.  So some
** running statement must name the function in its own text.  For a function
** that only reads, a view or trigger of temp may do so, too: only the user can
** have made it.  False, with an error as the result in ctx, if none does. */
bool pqsql_direct_only(sqlite3_context *ctx, const char *function);
bool pqsql_direct_or_temp(sqlite3_context *ctx, const char *function);

#endif
