/*
** geo_functions.h - the SQL functions of geometries, as the rest of the
** extension sees them.
**
** Each function has two names, ST_Name and pq_ST_Name.  The second is always
** ours.  The first is SpatiaLite's if SpatiaLite is loaded, before or after us,
** and has a function of this name and number of arguments.
**
** The predicates are here for the planner too: a table offers to compute them
** (xFindFunction), and then their operands come to the scan.
*/
#ifndef PQSQL_GEO_FUNCTIONS_H
#define PQSQL_GEO_FUNCTIONS_H

#include "core/for_host.h"
#include "sql/sqlite.h"

/* Which predicates of a connection are ours.  The functions hold it too. */
typedef struct PqsqlGeoOurs PqsqlGeoOurs;

int pqsql_register_geo(sqlite3 *db, PqsqlGeoOurs **ours);
void pqsql_geo_ours_release(PqsqlGeoOurs *ours);         /* may be NULL */

typedef void PqsqlScalar(sqlite3_context *, int, sqlite3_value **);

/* Does the function of this name return geometries, when it is ours? */
bool pqsql_geo_gives_geometry(const char *name, size_t n);

/* A predicate of two geometries, by one of its names. */
typedef struct PqsqlGeoPredicate {
    const char   *name;              /* as registered: ST_ or pq_ST_         */
    PqGeoRelation relation;
    PqsqlScalar  *function;          /* with this struct as its user data    */
} PqsqlGeoPredicate;

/* NULL: no predicate has the name, in any case. */
const PqsqlGeoPredicate *pqsql_geo_predicate(const char *name);

/* False: a program has a function of its own under that name. */
bool pqsql_geo_ours_has(const PqsqlGeoOurs *ours, const PqsqlGeoPredicate *p);

/* What the box of an operand is. */
typedef enum PqsqlBoxIs {
    PQSQL_BOX_IS_NULL,               /* NULL, or a BLOB that is not WKB: the
                                     ** predicate is NULL                    */
    PQSQL_BOX_IS_ABSENT,             /* no X or no Y: the predicate is false */
    PQSQL_BOX_IS_THERE
} PqsqlBoxIs;

/* Only this function makes a box of a predicate's second argument: a BLOB with
** WKB, or a TEXT with WKT.  PQ_USAGE: it is a text that is neither WKT nor WKB
** in hex, or a number, or a BLOB in SpatiaLite's or GeoPackage's form.  box is
** complete unless the result is PQSQL_BOX_IS_NULL: it may have Z and M without
** X. */
PqRc pqsql_geometry_box(sqlite3_value *v, PqGeoBox *box, PqsqlBoxIs *is,
                        PqErr *e);

#endif
