/*
** row_values_test.c - values of a row by their distance.  The host is the test
** itself.
*/
#include "sql/copy/row_values.h"
#include "test/unit/test.h"

SQLITE_EXTENSION_INIT1

enum { N = 6, SIZE = 56 };

/* A host's values: an array, which begins elsewhere in each row. */
static char values[(2 * N + 1) * SIZE];
static int  n_values, row, n_calls, version;

static sqlite3_value *value_at(sqlite3_stmt *s, int i)
{
    n_calls++;
    return (sqlite3_value *)(void *)(values + (row + i) * SIZE);
}

static int count(sqlite3_stmt *s)
{
    return n_values;
}

static int version_of_host(void)
{
    return version;
}

static void begin(PqsqlRowValues *r, int n, int host_version)
{
    static sqlite3_api_routines host;

    host.column_value = value_at;
    host.column_count = count;
    host.libversion_number = version_of_host;
    sqlite3_api = &host;
    n_values = n;
    version = host_version;
    row = 0;
    pqsql_row_values_init(r, NULL);
}

/* The calls that all values of the next row take; -1: one of them is wrong. */
static int calls_of_a_row(PqsqlRowValues *r)
{
    bool right = true;

    row++;
    n_calls = 0;
    pqsql_row_values_begin(r);
    for (int i = 0; i < n_values; i++) {
        right = right && (char *)pqsql_row_value(r, (uint32_t)i) ==
                             values + (row + i) * SIZE;
    }
    return right ? n_calls : -1;
}

TEST(row_values, a_row_of_an_array_takes_one_call)
{
    PqsqlRowValues r;

    begin(&r, N, PQSQL_ROWS_ARE_ARRAYS_BELOW - 1);
    CHECK_INT(calls_of_a_row(&r), 2);
    CHECK_INT(calls_of_a_row(&r), 1);
    CHECK_INT(calls_of_a_row(&r), 1);
}

TEST(row_values, a_value_alone_is_asked_for)
{
    PqsqlRowValues r;

    begin(&r, 1, PQSQL_ROWS_ARE_ARRAYS_BELOW - 1);
    CHECK_INT(calls_of_a_row(&r), 1);
    CHECK_INT(calls_of_a_row(&r), 1);
}

TEST(row_values, a_version_that_is_not_known_is_asked_for_each_value)
{
    PqsqlRowValues r;

    begin(&r, N, PQSQL_ROWS_ARE_ARRAYS_BELOW);
    CHECK_INT(calls_of_a_row(&r), N);
    CHECK_INT(calls_of_a_row(&r), N);
}
