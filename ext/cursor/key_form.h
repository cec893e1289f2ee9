/*
** key_form.h - how the stored values of a key are compared.
**
** Keys that are equal to SQLite have to be equal here, and the other way round:
** a group that came twice would be two rows of the result.  Stored values are
** compared as they are only where two of them are surely not one value of
** SQLite; the columns' own values where there is doubt.
*/
#ifndef PQEXT_KEY_FORM_H
#define PQEXT_KEY_FORM_H

#include "ext/condition/compare.h"
#include "ext/cursor/cursor.h"

/* For a column of the table in a file that stores it so; NULL: the file has
** none.  ordered: the form has to be in SQLite's order too. */
PqGroupForm pqext_key_form(const PqextTable *t, uint32_t column,
                           const PqType *stored, bool ordered);

/* A cell of a column that has one value in a file. */
PqCell pqext_key_of_file(const PqextCursor *c, uint32_t column,
                              uint32_t file);

#endif
