/*
** row_values.h - all values of a row of a query, without a call for each.
**
** sqlite3_column_value takes and drops the connection's lock: 13 ns for a value,
** half of what it costs to have one from a native table.  The calling statement
** holds that lock already, but no function of SQLite leaves it out.  A copy of a
** native table of 8 or 40 columns takes a tenth longer with it.
**
**   first           + size          + 2 * size
**     |  value 0      |  value 1      |  value 2     ...
**
** Up to 3.53 a row is one array: sqlite3_column_value is the address of an element
** of it (columnMem in its source).  So only the first value of a row is
** asked for, and once the second.  SQLite does not promise that for the versions
** to come: there, and with a value alone, each is asked for.
**
** Addresses are numbers here: C does not define the distance between values of
** different arrays.
*/
#ifndef PQSQL_ROW_VALUES_H
#define PQSQL_ROW_VALUES_H

#include "sql/sqlite.h"

#include <stdbool.h>
#include <stdint.h>

enum { PQSQL_ROWS_ARE_ARRAYS_BELOW = 3054000 };      /* a version of SQLite */

typedef struct PqsqlRowValues {
    sqlite3_stmt *query;
    bool          is_array;
    uintptr_t     first, size;       /* of the values of the row            */
} PqsqlRowValues;

static inline uintptr_t pqsql_value_at(const PqsqlRowValues *r, int i)
{
    return (uintptr_t)sqlite3_column_value(r->query, i);
}

static inline void pqsql_row_values_init(PqsqlRowValues *r, sqlite3_stmt *query)
{
    *r = (PqsqlRowValues){
        .query = query,
        .is_array = sqlite3_column_count(query) > 1 &&
                    sqlite3_libversion_number() < PQSQL_ROWS_ARE_ARRAYS_BELOW};
}

/* After each step of the query that gave a row. */
static inline void pqsql_row_values_begin(PqsqlRowValues *r)
{
    if (r->is_array) {
        r->first = pqsql_value_at(r, 0);
        r->size = r->size ? r->size : pqsql_value_at(r, 1) - r->first;
    }
}

static inline sqlite3_value *pqsql_row_value(const PqsqlRowValues *r,
                                             uint32_t i)
{
    return (sqlite3_value *)(r->is_array ? r->first + i * r->size
                                         : pqsql_value_at(r, (int)i));
}

#endif
