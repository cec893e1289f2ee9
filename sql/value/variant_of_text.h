/*
** variant_of_text.h - keeps the exact types of a Variant that is handed out as JSON text.
**
** JSON has no dates, no decimals and no widths of integers.  So a table that
** shows a VARIANT column as JSON keeps the Variant of each text that SQLite
** still holds:
**
**   event, as variant_get gets it   "{"at":"2024-03-01"}"   where the text is
**   its twin                        01 01 00 02 61 74 ...   metadata, value
**
** A text is known by its place in memory.  SQLite tells when it lets go of it,
** and until then does not change it.  So a text that is found here is the same
** text that was handed out.  A copy is not found: after a sorter, a GROUP BY, a
** materialized subquery or a table, the text is only JSON.  In a UTF-16
** database every text is only JSON.
**
** Only tables of statements that may ask keep twins, because it takes time.
*/
#ifndef PQSQL_VARIANT_OF_TEXT_H
#define PQSQL_VARIANT_OF_TEXT_H

#include "core/for_host.h"
#include "sql/sqlite.h"

/* Subtypes of results: a blob that is a Variant, and JSON as SQLite's own
** functions mark it. */
enum { PQSQL_SUBTYPE_VARIANT = 'V', PQSQL_SUBTYPE_JSON = 'J' };

typedef struct PqsqlTwins PqsqlTwins;        /* of a connection */

PqsqlTwins *pqsql_twins_new(void);           /* NULL: no memory */
void pqsql_twins_free(PqsqlTwins *t);        /* t may be NULL   */

/* The blob (metadata, then value) of a TEXT that a table handed out; false if
** it is any other text.  The blob stays as long as v does. */
bool pqsql_twin_of(const PqsqlTwins *t, sqlite3_value *v, PqSlice *blob);

/* Returns text through ctx, and keeps its twin.  Both are copied; text is
** JSON, so it has no NUL. */
void pqsql_twin_result(PqsqlTwins *t, sqlite3_context *ctx, PqSlice text,
                       PqSlice blob);

/* Between these two all tables of the connection keep twins.  They nest. */
void pqsql_twins_begin(PqsqlTwins *t);
void pqsql_twins_end(PqsqlTwins *t);
bool pqsql_twins_wanted(const PqsqlTwins *t);

/* A column that a copy only passes on (copy_pass.h).  Its table gives the blobs
** themselves, which may be sorted, but only to the first statement that reads
** the table after pqsql_twins_pass: that is the copy's query. */
typedef struct PqsqlPassed { const char *schema, *table, *column; } PqsqlPassed;

/* n columns, borrowed until the next call, with n = 0.  Within another copy it
** has no effect. */
void pqsql_twins_pass(PqsqlTwins *t, const PqsqlPassed *columns, uint32_t n);

/* A statement begins to read a table.  Its number is 0 if it is not known. */
void pqsql_twins_reads(PqsqlTwins *t, const char *schema, const char *table,
                       uint64_t statement);
bool pqsql_twins_passes(const PqsqlTwins *t, const char *schema,
                        const char *table, const char *column,
                        uint64_t statement);

#endif
