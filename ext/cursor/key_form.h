/*
** key_form.h - how the stored values of a key are compared.
**
** Keys are equal here exactly if they are equal to SQLite: a group that came
** twice would be two rows of the result.  Stored values are compared directly
** only if different ones are surely different to SQLite.  In doubt, the
** column's values are compared.
*/
#ifndef PQEXT_KEY_FORM_H
#define PQEXT_KEY_FORM_H

#include "ext/condition/compare.h"
#include "ext/cursor/cursor_scan.h"

/* The form of a column of the table in a file that stores this type; NULL: the
** file does not have the column.  ordered: the form has to be in SQLite's order
** too. */
PqGroupForm pqext_key_form(const PqextTable *t, uint32_t column,
                           const PqType *stored, bool ordered);

/* The cell of a column that has one value in a file. */
PqCell pqext_key_of_file(const PqextScan *s, uint32_t column,
                              uint32_t file);

#endif
