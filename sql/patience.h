/*
** patience.h - the options that say how long servers are waited for, and how much is
** spooled: retries=5, timeout=60, spool=4GB.
**
** A table has them, and so has the last argument of functions that look into files.
*/
#ifndef PQSQL_PATIENCE_H
#define PQSQL_PATIENCE_H

#include "core/for_host.h"

/* The i-th option's name; NULL: there are not so many. */
const char *pqsql_patience_name(size_t i);

/* What the option takes, for messages; NULL: it is not one of these. */
const char *pqsql_patience_takes(const char *name);

/* False: the value is not one that this option takes. */
bool pqsql_patience_take(const char *name, const char *value, PqPatience *out);

#endif
