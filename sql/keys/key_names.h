/*
** key_names.h - reads which keys a user names in texts.
**
**   footer_key=kf
**   column_keys='ssn=k1;pay.amount=k2'        columns, each with its key
**   aad_prefix='orders 2024'
**   'footer_key=kf, aad_prefix=tester'        all in one text, for functions, which
**                                             may have timeout=60 and the like too
**
** A name that has one of = ; in it stands in double quotes.  Blanks around a
** name are not part of it.
**
** People write the key itself where its name belongs.  Then the key must not
** get any further: not into a message, and not into the schema of a database.
** So a text that looks like a key, and is not the name of a key, is refused,
** and no message repeats it.
**
** This file does not use SQLite, so unit tests can link it.
*/
#ifndef PQSQL_KEY_NAMES_H
#define PQSQL_KEY_NAMES_H

#include "core/for_host.h"

/* What is wrong is PQ_USAGE, and names the option.  What is found points into
** a. */
PqRc pqsql_key_names_footer(const char *text, PqArena *a, PqKeyChoice *out,
                            PqErr *e);
PqRc pqsql_key_names_columns(const char *text, PqArena *a, PqKeyChoice *out,
                             PqErr *e);
PqRc pqsql_key_names_prefix(const char *text, PqArena *a, PqKeyChoice *out,
                            PqErr *e);

/* The argument keys of a function; ring is left as it is, and so is of patience what
** the text does not have. */
PqRc pqsql_key_names_all(const char *text, PqArena *a, PqKeyChoice *out,
                         PqPatience *patience, PqErr *e);

/* Adds a column and its key; PQ_USAGE if it has one already. */
PqRc pqsql_key_names_add(const char *column, const char *key, PqArena *a,
                         PqKeyChoice *out, PqErr *e);

/* Fails if a name looks like a key, and no key in the ring has the name.
** option: where it stands, for the message. */
PqRc pqsql_key_name_check(const char *option, const char *name,
                          const PqKeyRing *ring, PqErr *e);
PqRc pqsql_key_names_check(const PqKeyChoice *c, PqErr *e);

/* Is path a leaf of the schema, or a node above leaves? */
bool pqsql_key_path_in(const PqSchema *schema, const char *path);

/* Fails, and says which column of the schema was probably meant. */
PqRc pqsql_key_names_no_column(const char *path, const PqSchema *s, PqErr *e);

/* Overwrites what looks like a key in a message. */
void pqsql_key_hide(char *message);

#endif
