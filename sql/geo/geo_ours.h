/*
** geo_ours.h - which predicates of geometries are ours on a connection.
**
** A program, or SpatiaLite, may register a function of the same name.  Then a
** table must not compute ours instead.  SQLite tells when it drops a function:
** it calls the function's destructor.
*/
#ifndef PQSQL_GEO_OURS_H
#define PQSQL_GEO_OURS_H

#include "sql/geo/geo_functions.h"

PqsqlGeoOurs *pqsql_geo_ours_new(void);      /* NULL: no memory              */

/* Registers the predicate by its name, or by that name without "pq_". */
int pqsql_geo_ours_register(PqsqlGeoOurs *ours, sqlite3 *db,
                            const PqsqlGeoPredicate *p);

#endif
