/*
** geo_ours.h - which predicates of geometries are ours on a connection.
**
** A program, or SpatiaLite, may register a function of the same name.  Then a
** table must not compute our predicate instead.  SQLite calls the destructor of
** a function that it drops, so we notice.
*/
#ifndef PQSQL_GEO_OURS_H
#define PQSQL_GEO_OURS_H

#include "sql/geo_functions/geo_functions.h"

/* The function that a second load asks for the list of the first. */
#define PQSQL_GEO_OF_FIRST_LOAD "pq_st_intersects_extent"

/* The list of the connection, which has that function if is_loaded; otherwise a
** new list.  The caller holds it.  NULL: no memory. */
PqsqlGeoOurs *pqsql_geo_ours_of(sqlite3 *db, bool is_loaded);

/* A predicate with NULL as its first argument: that may be the question of
** pqsql_geo_ours_of. */
void pqsql_geo_ours_asked(sqlite3_context *ctx, sqlite3_value *v);

/* Registers the predicate by its name. */
int pqsql_geo_ours_register(PqsqlGeoOurs *ours, sqlite3 *db,
                            const PqsqlGeoPredicate *p);

#endif
