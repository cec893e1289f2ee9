/*
** row_values.h - all values of a row of a query, without a call for each.
**
** sqlite3_column_value takes and drops the connection's lock: 13 ns for a value,
** half of what it costs to have one from a native table.  The calling statement
** holds that lock already, but no function of SQLite leaves it out.
**
**   first           + stride        + 2 * stride              last
**     |  value 0      |  value 1      |  value 2     ...       |
**
** SQLite keeps the values of a row in one array.  It does not promise that, so
** it is looked at: in every EVERY rows all values are asked for, and in each row
** the first and the last.  If one is not where it belongs, every value is asked
** for from then on.
*/
#ifndef PQSQL_ROW_VALUES_H
#define PQSQL_ROW_VALUES_H

#include "sql/sqlite.h"

#include <stdbool.h>
#include <stdint.h>

enum { PQSQL_ROW_VALUES_EVERY = 1024 };

typedef struct PqsqlRowValues {
    sqlite3_stmt *query;
    int       n;                     /* values in a row                      */
    int       n_left;                /* rows until all values are looked at  */
    uintptr_t first, stride;         /* stride 0: each value is asked for    */
    bool      uneven;                /* ... for good                         */
} PqsqlRowValues;

void pqsql_row_values_init(PqsqlRowValues *r, sqlite3_stmt *query);

/* After each step of the query that gave a row. */
void pqsql_row_values_begin(PqsqlRowValues *r);

static inline sqlite3_value *pqsql_row_value(const PqsqlRowValues *r,
                                             uint32_t i)
{
    return r->stride ? (sqlite3_value *)(r->first + i * r->stride)
                     : sqlite3_column_value(r->query, (int)i);
}

#endif
