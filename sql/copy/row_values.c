/*
** row_values.c - looks whether the values of a row lie at even distances.
**
** Addresses are compared as numbers: values that are not in one array have no
** distance in C.
*/
#include "sql/copy/row_values.h"

enum { LEAST = 4 };                  /* values that are worth it */

void pqsql_row_values_init(PqsqlRowValues *r, sqlite3_stmt *query)
{
    *r = (PqsqlRowValues){.query = query, .n = sqlite3_column_count(query)};
    r->uneven = r->n < LEAST;
}

static uintptr_t at(const PqsqlRowValues *r, int i)
{
    return (uintptr_t)sqlite3_column_value(r->query, i);
}

/* The distance between all neighbours, or 0. */
static uintptr_t stride_of(const PqsqlRowValues *r)
{
    uintptr_t first = at(r, 0), stride = at(r, 1) - first;

    for (int i = 2; i < r->n; i++) {
        if (at(r, i) != first + (uintptr_t)i * stride) {
            return 0;
        }
    }
    return stride;
}

void pqsql_row_values_begin(PqsqlRowValues *r)
{
    if (r->uneven) {
        return;
    }
    if (r->n_left-- == 0) {
        r->n_left = PQSQL_ROW_VALUES_EVERY - 1;
        r->stride = stride_of(r);
    }
    r->first = at(r, 0);
    if (at(r, r->n - 1) != r->first + (uintptr_t)(r->n - 1) * r->stride) {
        r->stride = 0;
    }
    r->uneven = r->stride == 0;
}
