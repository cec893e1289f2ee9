/*
** call_text_test.c - functions of a column that a statement compares.
*/
#include "sql/call_text.h"
#include "test/unit/test.h"

static bool is(PqsqlToken t, const char *text)
{
    return t.n == strlen(text) && memcmp(t.at, text, t.n) == 0;
}

TEST(call_text, a_function_is_found_with_its_column_and_its_arguments)
{
    const char *sql = "SELECT date(a) = 1 FROM t WHERE (strftime('%Y', \"t\".b) IN (1)"
                      " AND substr ( c , 1, (2) ) <> 'x') OR f(d) IS NULL";
    PqsqlCalls calls = {.at = sql};
    PqsqlCall c;

    CHECK(pqsql_next_call(&calls, &c) && is(c.function, "strftime") &&
          is(c.before, "'%Y'") && is(c.table, "\"t\"") && is(c.column, "b") &&
          c.rest.n == 0);
    CHECK(pqsql_next_call(&calls, &c) && is(c.function, "substr") &&
          c.before.n == 0 && c.table.n == 0 && is(c.column, "c") &&
          pq_slice_equal(c.rest, pq_slice_text(", 1, (2)")));
    CHECK(pqsql_next_call(&calls, &c) && is(c.function, "f"));
    CHECK(!pqsql_next_call(&calls, &c));
}

TEST(call_text, what_is_not_a_condition_is_not_found)
{
    static const char *const texts[] = {
        "SELECT f(a) = 1 FROM t",
        "SELECT 1 FROM t WHERE b GROUP BY f(a) = 1",
        "SELECT 1 FROM t WHERE CASE WHEN f(a) = 1 THEN 2 END",
        "SELECT 1 FROM t WHERE b IN (SELECT f(a) = 1 FROM u)",
        "SELECT 1 FROM t WHERE f(a) + 1",
        "SELECT 1 FROM t WHERE f(1) = 1 OR f() = 1 OR f(g(a)) + 1 OR f(a",
        "SELECT 1 FROM t WHERE 'f(a) = 1' -- f(a) = 1",
        "WHERE ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((f(a) = 1",
        "",
    };

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        PqsqlCalls calls = {.at = texts[i]};
        PqsqlCall c;

        if (pqsql_next_call(&calls, &c)) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i]);
        }
    }
}

TEST(call_text, a_table_is_known_by_its_name_and_its_alias)
{
    const char *sql = "SELECT 1 FROM trips AS t, other o WHERE 1", *at = sql;
    PqSlice trips = pq_slice_text("trips");
    PqsqlToken none = {.at = sql}, name;

    CHECK(pqsql_text_names_table(sql, trips, none));
    CHECK(!pqsql_text_names_table(sql, pq_slice_text("trip"), none));
    at = "t";
    name = pqsql_next_token(&at);
    CHECK(pqsql_text_names_table(sql, trips, name));
    at = "TRIPS";
    name = pqsql_next_token(&at);
    CHECK(pqsql_text_names_table(sql, trips, name));
    at = "o";
    name = pqsql_next_token(&at);
    CHECK(!pqsql_text_names_table(sql, trips, name));
}
