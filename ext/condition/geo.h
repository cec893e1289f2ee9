/*
** geo.h - a predicate of a geometry column, made into a condition of the engine.
**
**   ST_Intersects_Extent(geom, expression)
**
** SQLite offers a function of two arguments to a table if the first is a column
** of the table, and if the table says so in xFindFunction.  The second may be
** any expression.  Its box is taken anew by each xFilter.
**
** The filter is exact: a row passes if the predicate is true.  If the operand
** is not a geometry, the first row with a geometry is an error, as if SQLite
** called the function, except that the other terms come first.
*/
#ifndef PQEXT_GEO_H
#define PQEXT_GEO_H

#include "ext/condition/sqlite_condition.h"

/* sqlite3_module.xFindFunction. */
int pqext_find_function(sqlite3_vtab *vtab, int argc, const char *name,
                        void (**function)(sqlite3_context *, int,
                                          sqlite3_value **),
                        void **arg);

/* The op of a constraint as xBestIndex is told it; false: it is not a
** predicate. */
bool pqext_geo_op(int constraint, PqextOp *out);

/* Are the column's values given as BLOBs, so that they may be WKB? */
bool pqext_geo_can(const PqextTable *t, uint32_t column);

typedef struct PqextGeo {
    PqGeoCondition    base;          /* the engine's part: first            */
    const PqextTable *table;
    PqextLoadColumn   load;
    void             *cursor;
    const char       *error;         /* why the operand is not a geometry   */
} PqextGeo;

/* The condition of a term whose operand is v.  cursor is load's. */
PqRc pqext_geo_begin(const PqextTable *t, PqextTerm term, sqlite3_value *v,
                     PqextLoadColumn load, void *cursor, PqArena *a,
                     PqextGeo *out, PqErr *e);

#endif
