/*
** call_text_test.c - functions of a column that a statement compares, and columns that
** each side of an OR compares.
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

/* The columns of all ORs of the text, with a blank after each. */
static const char *ors_of(const char *sql, char room[200])
{
    PqsqlCalls at = {.at = sql};
    PqsqlOrColumn c[2];
    size_t n;

    room[0] = 0;
    while ((n = pqsql_next_or(&at, c, 2)) > 0) {
        for (size_t i = 0; i < n; i++) {
            size_t used = strlen(room);

            snprintf(room + used, 200 - used, "%.*s%s%.*s ", (int)c[i].table.n,
                     c[i].table.n ? c[i].table.at : "", c[i].table.n ? "." : "",
                     (int)c[i].column.n, c[i].column.at);
        }
    }
    return room;
}

TEST(call_text, columns_that_each_side_of_an_or_compares_are_found)
{
    static const char *const texts[][2] = {
        {"WHERE k = 1 AND ((a.n = 'F' AND b.n = 'G') OR (b.n = 'F' AND A.N = 'G')) LIMIT 1",
         "a.n b.n "},
        {"ON a = 1 AND f(b) OR (((b = ?) AND a = :x)) WHERE 1", "a "},
        {"WHERE a = 1 AND b = 2 OR \"A\" = 3", "a "},
        {"WHERE (a = 1 AND b) OR a = 2 AND (c OR d) AND d IN (1)", "a "},
        {"WHERE ((((a = 1 AND b = 2) OR (a = 2 AND b = 1))))", "a b "},
        /* SQLite does it. */
        {"WHERE a = 1 OR a = 2 OR (a = 3)", ""},
        /* Not each side, or not an equation. */
        {"WHERE (a = 1 AND b = 2) OR (b = 2 AND c = 1) OR (a = 1 AND c = 1)", ""},
        {"WHERE (a = 1 AND b) OR (a > 2 AND c)", ""},
        {"WHERE (a = 1 AND b) OR (a = x AND c)", ""},
        {"WHERE (a = 1 AND b) OR (t.a = 2 AND c)", ""},
        {"WHERE (a = 1 + 1 AND b) OR (a = 2 AND c)", ""},
        {"WHERE (a = 1 AND b) OR NOT (a = 2 AND c)", ""},
        {"WHERE f(a = 1 AND b OR a = 2 AND c) OR d IS NOT (a = 1 AND b OR a = 2)", ""},
        {"WHERE NOT (a = 1 AND b OR a = 2 AND c)", ""},
        {"SELECT a = 1 AND b OR a = 2 AND c", ""},
        {"WHERE (a = 1 AND b OR a", ""},
        {"WHERE (a = 1 AND b) OR (a = 2 AND", "a "},
        {"WHERE", ""}, {"WHERE OR OR", ""}, {"WHERE () OR ()", ""},
    };
    char room[200];

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        const char *found = ors_of(texts[i][0], room);

        if (strcmp(found, texts[i][1]) != 0) {
            test_fail(t, __FILE__, __LINE__, "%s: %s", texts[i][0], found);
        }
    }
}

TEST(call_text, an_in_of_a_column_is_found)
{
    const char *at = "name";
    PqsqlToken name = pqsql_next_token(&at);

    CHECK(pqsql_text_has_in("WHERE a = 1 AND t.\"Name\" in (1)", name));
    CHECK(!pqsql_text_has_in("WHERE name = 1 AND a IN (1) -- name IN", name));
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
