/*
** copy_shred.h - how the VARIANTs of a copy are shredded.
**
**   {"shred": {"event": "auto"}}                        by the first rows
**   {"shred": {"event": "STRUCT<id BIGINT, tags LIST<TEXT>>"}}
**   {"shred": {"event": {"$.id": "BIGINT", "$.user.name": "TEXT"}}}
**
** The result is the child of the column's type.  Its meaning there:
**
**   a STRUCT   fields that have columns of their own; other fields may come
**   a LIST     its elements have columns
**   a leaf     values of that type have a column
**   VARIANT    a column of its own, but of no type
**
** A value that a column does not take is stored beside it.  So no schema is
** wrong: a schema that fits few values only makes the file larger.
*/
#ifndef PQSQL_COPY_SHRED_H
#define PQSQL_COPY_SHRED_H

#include "sql/copy/copy_types.h"

/* Applies the option "shred" to the types of the columns. */
PqRc pqsql_copy_shred_take(const PqsqlCopyOptions *o, PqArena *a,
                           PqsqlCopyColumns *columns, PqErr *e);

/* Gives a VARIANT the type that it is shredded as. */
PqRc pqsql_copy_shred_set(PqsqlCopyColumn *c, PqsqlType *type, PqArena *a,
                          PqErr *e);

/* Decides by the gathered cells how a VARIANT is shredded. */
PqRc pqsql_copy_shred_settle(PqsqlCopyColumn *c, const PqCells *cells,
                             const PqStop *stop, PqMem *mem, PqArena *a,
                             PqErr *e);

#endif
