/*
** row_values_test.c - values of a row by their distance, and the ways in which
** a host could keep them elsewhere.  The host is the test itself.
*/
#include "sql/copy/row_values.h"
#include "test/unit/test.h"

SQLITE_EXTENSION_INIT1

enum { N = 6, SIZE = 56 };

/* A host's values: an array, except for the one that is moved. */
static char values[(N + 4) * SIZE];
static int  n_values, moved, by, n_calls;

static sqlite3_value *value_at(sqlite3_stmt *s, int i)
{
    (void)s;
    n_calls++;
    return (sqlite3_value *)(void *)(values + i * SIZE + (i == moved ? by : 0));
}

static int count(sqlite3_stmt *s)
{
    (void)s;
    return n_values;
}

static void begin(PqsqlRowValues *r, int n)
{
    static sqlite3_api_routines host;

    host.column_value = value_at;
    host.column_count = count;
    sqlite3_api = &host;
    n_values = n;
    moved = -1;
    pqsql_row_values_init(r, NULL);
}

static bool all_right(const PqsqlRowValues *r)
{
    for (int i = 0; i < n_values; i++) {
        if (pqsql_row_value(r, (uint32_t)i) != value_at(NULL, i)) {
            return false;
        }
    }
    return true;
}

static int calls_of_a_row(PqsqlRowValues *r)
{
    n_calls = 0;
    pqsql_row_values_begin(r);
    for (int i = 0; i < n_values; i++) {
        pqsql_row_value(r, (uint32_t)i);
    }
    return n_calls;
}

TEST(row_values, a_row_of_an_array_takes_two_calls)
{
    PqsqlRowValues r;

    begin(&r, N);
    pqsql_row_values_begin(&r);
    CHECK(all_right(&r));
    CHECK_INT(calls_of_a_row(&r), 2);
    CHECK(all_right(&r));
}

TEST(row_values, few_values_are_asked_for)
{
    PqsqlRowValues r;

    begin(&r, 1);
    CHECK_INT(calls_of_a_row(&r), 1);
    CHECK(all_right(&r));
}

TEST(row_values, a_value_elsewhere_in_the_first_row_is_found)
{
    for (int i = 0; i < N; i++) {
        PqsqlRowValues r;

        begin(&r, N);
        moved = i;
        by = 8;
        CHECK(calls_of_a_row(&r) >= N);
        CHECK(all_right(&r));
    }
}

TEST(row_values, a_first_or_last_value_that_moves_later_is_found)
{
    for (int i = 0; i < N; i += N - 1) {
        PqsqlRowValues r;

        begin(&r, N);
        pqsql_row_values_begin(&r);
        moved = i;
        by = SIZE;
        pqsql_row_values_begin(&r);
        CHECK(all_right(&r));
    }
}

TEST(row_values, all_values_are_looked_at_now_and_then)
{
    PqsqlRowValues r;

    begin(&r, N);
    pqsql_row_values_begin(&r);
    moved = N / 2;
    by = SIZE;
    for (int i = 0; i < PQSQL_ROW_VALUES_EVERY; i++) {
        pqsql_row_values_begin(&r);
    }
    CHECK(all_right(&r));
}
