/*
** functions.h - the scalar functions, registered together.
*/
#ifndef PQSQL_FUNCTIONS_H
#define PQSQL_FUNCTIONS_H

#include "core/for_host.h"
#include "sql/geo/geo_functions.h"
#include "sql/sqlite.h"
#include "sql/variant/twin.h"

/* engine and twins must live as long as the connection's modules.  The caller
** releases *geo, which may be NULL. */
int pqsql_register_functions(sqlite3 *db, PqEngine *engine, PqsqlTwins *twins,
                             PqsqlGeoOurs **geo);

/* The extension's own version. */
#define PQSQL_VERSION "0.1.0"

#endif
