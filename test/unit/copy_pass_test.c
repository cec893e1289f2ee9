/*
** copy_pass_test.c - queries that only pass a column on, and others.
*/
#include "sql/copy/copy_pass.h"
#include "test/unit/test.h"

TEST(copy_pass, queries_that_only_pass_the_column_on)
{
    static const char *const yes[] = {
        "SELECT * FROM log",
        "select * from log;",
        " /* all */ SELECT -- of it\n * FROM main.log",
        "SELECT * FROM log ORDER BY id",
        "SELECT * FROM log ORDER BY -id, name COLLATE NOCASE DESC LIMIT 5",
        "SELECT id, event FROM log ORDER BY id LIMIT 2 OFFSET 3",
        "SELECT event, id + 1 AS n, upper(name) FROM log WHERE id IN (1, 2)",
        "SELECT l.event AS e, e2 FROM log AS l ORDER BY l.id",
        "SELECT log.event e FROM temp.log l WHERE l.id < ?1",
        "SELECT \"event\", [Event], `EVENT` FROM \"log\" WHERE id = :event",
        "SELECT count(*), event FROM log",
        "SELECT *, 'event' AS x FROM log WHERE name = 'event' ORDER BY name",
        "SELECT * FROM log WHERE \"event.variant\" IS NOT NULL",
        "SELECT log.'event' AS e FROM log WHERE id > .5 ORDER BY log.'id'",
    };

    for (size_t i = 0; i < PQ_COUNT(yes); i++) {
        if (!pqsql_copy_passes(yes[i], "log", "event")) {
            test_fail(t, __FILE__, __LINE__, "%s", yes[i]);
        }
    }
}

TEST(copy_pass, queries_that_may_do_more)
{
    static const char *const no[] = {
        "", "VALUES (1)", "SELECT 1", "SELECT", "SELECT event", "SELECT * FROM",
        "SELECT event ->> 'a' FROM log",
        "SELECT event || '' AS event FROM log",
        "SELECT length(event) FROM log",
        "SELECT (event) FROM log",
        "SELECT -event FROM log",
        "SELECT *, event IS NULL FROM log",
        "SELECT event, 1 AS event FROM log",
        "SELECT event COLLATE NOCASE FROM log",
        "SELECT * FROM log WHERE event LIKE '%x%'",
        "SELECT * FROM log WHERE log.Event = 'x'",
        "SELECT * FROM log WHERE log.'event' = 'x'",
        "SELECT *, length(log . 'Event') FROM log",
        "SELECT event, log.'event' || 1 FROM log",
        "SELECT * FROM log ORDER BY \"event\"",
        "SELECT * FROM log ORDER BY 2",
        "SELECT * FROM log ORDER BY id, 2",
        "SELECT event AS e FROM log ORDER BY e",
        "SELECT event e FROM log WHERE e > ''",
        "SELECT event AS \"a\"\"b\" FROM log ORDER BY [a\"b]",
        "SELECT DISTINCT * FROM log",
        "SELECT * FROM log GROUP BY id",
        "SELECT * FROM log UNION ALL SELECT * FROM log",
        "SELECT * FROM log, other",
        "SELECT * FROM log JOIN other USING (id)",
        "SELECT * FROM log LEFT JOIN other ON 1",
        "SELECT * FROM log NATURAL JOIN other",
        "SELECT * FROM other",
        "SELECT * FROM (SELECT * FROM log)",
        "SELECT * FROM log WHERE id IN log",
        "SELECT * FROM log WHERE id IN (SELECT 1)",
        "SELECT * FROM log('x')",
        "SELECT *, row_number() OVER (ORDER BY id) FROM log",
        "WITH log AS (SELECT 1 AS event) SELECT * FROM log",
        "SELECT * FROM log; SELECT 1",
        "EXPLAIN SELECT * FROM log",
        "SELECT \"event FROM log",
    };

    for (size_t i = 0; i < PQ_COUNT(no); i++) {
        if (pqsql_copy_passes(no[i], "log", "event")) {
            test_fail(t, __FILE__, __LINE__, "%s", no[i]);
        }
    }
    CHECK(!pqsql_copy_passes("SELECT * FROM log ORDER BY \"a\"\"b\"", "log",
                             "a\"b"));
    CHECK(!pqsql_copy_passes("SELECT * FROM log WHERE log.'it''s' > ''", "log",
                             "it's"));
}
