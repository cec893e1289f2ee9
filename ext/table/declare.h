/*
** declare.h - declares the columns of a table to SQLite.
**
**   CREATE TABLE x("id" BIGINT NOT NULL, "day" DATE TEXT,
**                  "tags" "LIST<TEXT>", "filename" TEXT HIDDEN)
**
** A declared type has the affinity that keeps each value unchanged and compares
** it as a user expects.  sql/values.md lists the types.
*/
#ifndef PQEXT_DECLARE_H
#define PQEXT_DECLARE_H

#include "ext/table/affinity.h"

/* Appends the declared type of a column, in quotes where it needs them.
** hidden: with the word HIDDEN. */
void pqext_declare_column(const PqColumn *c, const PqsqlOptions *options,
                          bool hidden, PqBuf *out);

/* The same without quotes, for a person. */
void pqext_declare_column_type(const PqColumn *c, const PqsqlOptions *options,
                               PqBuf *out);

/* Appends a name in quotes. */
void pqext_declare_name(const char *name, PqBuf *out);

/* Declares t to SQLite; affinities: of its columns, or NULL.  *n_declared of
** its columns fit within the connection's limit on columns.  Hidden columns are
** left out first.  If the visible ones do not fit, the error says what to do. */
int pqext_declare(sqlite3 *db, const PqTable *t, const PqsqlOptions *options,
                  const PqextDeclared *affinities, uint32_t *n_declared,
                  char **error);

#endif
