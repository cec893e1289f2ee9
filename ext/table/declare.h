/*
** declare.h - the columns of a table as SQLite's parser wants them.
**
**   CREATE TABLE x("id" BIGINT NOT NULL, "day" DATE TEXT,
**                  "tags" "LIST<TEXT>", "filename" TEXT HIDDEN)
**
** A declared type has the affinity that stores each value unchanged and
** compares it as a user means it; sql/README.md lists them.
*/
#ifndef PQEXT_DECLARE_H
#define PQEXT_DECLARE_H

#include "ext/table/options.h"

/* Appends the declared type of a leaf. */
void pqext_declare_type(const PqType *type, const PqsqlOptions *options,
                        PqBuf *out);

/* Declares t to SQLite.  *n_declared of its columns fit under the connection's
** limit on columns: hidden ones are left out first; when the visible ones do
** not fit, that is an error which says what to do. */
int pqext_declare(sqlite3 *db, const PqTable *t, const PqsqlOptions *options,
                  uint32_t *n_declared, char **error);

#endif
