/*
** order_text_test.c - does a statement rely on the order of its groups?  Where the
** text says no, groups come in any order before SQLite 3.52.
*/
#include "sql/order_text.h"
#include "test/unit/test.h"

static bool may_order(const char *sql, uint32_t n)
{
    return pqsql_text_may_order(sql, &n);
}

TEST(order_text, an_order_by_that_can_be_the_group_by_is_seen)
{
    static const char *const texts[] = {
        "SELECT a FROM t GROUP BY a ORDER BY a",
        "SELECT a, n FROM t GROUP BY a ORDER BY n DESC",
        "SELECT * FROM (SELECT a, count(*) AS n FROM t GROUP BY a) ORDER BY n",
        "SELECT a FROM t GROUP BY a, 1 ORDER BY a, 1",
        "SELECT row_number() OVER (PARTITION BY a) FROM t GROUP BY a",
        "SELECT a FROM t GROUP BY a UNION SELECT b FROM u ORDER BY 1, 2",
        "SELECT a FROM t GROUP BY a ORDER /* of */ BY \"a\" -- only",
    };

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        if (!may_order(texts[i], 1)) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i]);
        }
    }
    CHECK(may_order("SELECT a, b FROM t GROUP BY a, b ORDER BY a, b", 2));
}

TEST(order_text, another_order_by_is_not_taken_for_it)
{
    static const char *const texts[] = {
        "SELECT a FROM t GROUP BY a",
        "SELECT a FROM t GROUP BY a ORDER BY count(*)",
        "SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n",
        "SELECT a FROM t GROUP BY a ORDER BY a, b",
        "SELECT a FROM t GROUP BY a ORDER BY sum(b) / 2 DESC",
        "SELECT a FROM t GROUP BY a ORDER BY +a",
        "SELECT 'ORDER BY a' FROM t GROUP BY a -- ORDER BY a",
    };

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        if (may_order(texts[i], 1)) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i]);
        }
    }
}

TEST(order_text, a_limit_without_groups_may_want_few_rows)
{
    CHECK(pqsql_text_may_want_few("SELECT a FROM t ORDER BY a LIMIT 3", NULL));
    CHECK(pqsql_text_may_want_few("SELECT \"group\" FROM t ORDER BY 1 limit ?1", NULL));
    CHECK(!pqsql_text_may_want_few("SELECT a FROM t ORDER BY a -- LIMIT 3", NULL));
    CHECK(!pqsql_text_may_want_few("SELECT a FROM t ORDER BY \"limit\"", NULL));
    CHECK(!pqsql_text_may_want_few("SELECT a FROM t GROUP BY a ORDER BY a LIMIT 3", NULL));
}
