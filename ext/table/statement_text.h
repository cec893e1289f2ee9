/*
** statement_text.h - what stands in the text of a statement that may read a
** table, or in a view or trigger that it may use.
**
** SQLite tells a virtual table neither its statement nor the text of it.  So all
** texts are looked at that can be it.  What is looked for may stand in another
** one, or in a comment: it must be something that costs time where it is found
** wrongly, and nothing else.
*/
#ifndef PQEXT_STATEMENT_TEXT_H
#define PQEXT_STATEMENT_TEXT_H

#include "ext/table/vtable.h"

typedef bool (*PqextTextTest)(const char *sql);

/* Is it in a view or trigger that can name the table?  What cannot be read may
** be anything: true. */
bool pqext_text_in_schema(const PqextTable *t, PqextTextTest has);

/* ... in a statement that is running?  Without one: true. */
bool pqext_text_in_statements(sqlite3 *db, PqextTextTest has);

/* Does one of them ask for Variants: is there the name of a function that takes
** one?  All of these names have "variant_" or "_variant" in them. */
bool pqext_text_asks_variants(const PqextTable *t);

#endif
