/*
** group_text_test.c - what does a statement do with the columns of a rollup?
**
** The table is cube(country, day, ts; n sum, total sum, lo min, hi max).
*/
#include "sql/group_text.h"
#include "test/unit/test.h"

enum { COUNTRY = 1, DAY = 2, TS = 4 };

/* Of a statement that uses these dimensions, with so many constraints on each. */
static bool read_for(Test *t, const char *sql, uint64_t used, const uint8_t *offered,
                     PqsqlGroupText *out)
{
    PqSlice dimensions[] = {pq_slice_text("country"), pq_slice_text("day"),
                            pq_slice_text("ts")};
    PqSlice expressions[] = {pq_slice_text(""), pq_slice_text("date(ts)"),
                             pq_slice_text("")};
    PqSlice measures[] = {pq_slice_text("n"), pq_slice_text("total"),
                          pq_slice_text("lo"), pq_slice_text("hi")};
    PqsqlAdds adds[] = {PQSQL_ADDS_SUM, PQSQL_ADDS_SUM, PQSQL_ADDS_MIN,
                        PQSQL_ADDS_MAX};
    PqsqlGroupNames names = {.table = pq_slice_text("cube"),
                             .dimensions = dimensions, .expressions = expressions,
                             .n_dimensions = 3,
                             .measures = measures, .adds = adds, .n_measures = 4, .used = used,
                             .offered = offered};
    PqArena a;
    bool known;

    *out = (PqsqlGroupText){0};
    pq_arena_init(&a, t->mem);
    known = pqsql_group_text(sql, &names, &a, out);
    pq_arena_free(&a);
    return known;
}

/* As if it were that of a statement with any constraints. */
static bool read_text(Test *t, const char *sql, PqsqlGroupText *out)
{
    uint8_t offered[3];
    bool known = false;

    for (uint32_t i = 0; i < 27 && out && !(known && out->n_blocks); i++) {
        offered[0] = (uint8_t)(i / 9);
        offered[1] = (uint8_t)(i / 3 % 3);
        offered[2] = (uint8_t)(i % 3);
        known = read_for(t, sql, 0, offered, out) && !out->unknown;
    }
    return known;
}

TEST(group_text, a_dimension_is_read_or_only_compared)
{
    static const struct {
        const char *sql;
        uint64_t    read;
        uint8_t     day, ts;         /* constraints                         */
    } texts[] = {
        {"SELECT country, sum(total) FROM cube WHERE ts >= ?1 AND ts < ?2 GROUP BY 1",
         COUNTRY, 0, 2},
        {"SELECT sum(n) FROM cube WHERE ts BETWEEN 1 AND 2 AND day = 'x'", 0, 1, 2},
        {"select Sum( c.N ) from main.Cube as c where c.\"TS\" in (1, -2, :a) ;", 0, 0,
         1},
        {"SELECT country, sum(n) FROM cube WHERE '2024' <= day GROUP BY country",
         COUNTRY, 1, 0},
        {"SELECT country, sum(n) FROM cube WHERE ts > date('now', '-7 days') "
         "GROUP BY country", COUNTRY, 0, 1},
        {"SELECT country, min(lo), max(hi), total(n) FROM cube WHERE ts IS NULL AND "
         "day IS NOT NULL AND day NOTNULL GROUP BY country HAVING sum(n) > 3",
         COUNTRY, 2, 1},
        {"SELECT sum(n) FROM cube WHERE ts ISNULL AND day IS NULL", 0, 1, 1},
        {"SELECT sum(n) FROM cube WHERE ts IS NOT 5 AND day IS 5", 0, 1, 1},
        {"SELECT sum(n) FROM cube WHERE ts <> 5 AND 6 != ts AND day IS NOT ?", 0, 1, 2},
        {"SELECT sum(n) FROM cube WHERE ts IS NOT (NULL) AND day IS NOT DISTINCT FROM 5",
         DAY, 0, 1},
        {"SELECT round(sum(total) / sum(n), 2) AS n FROM cube WHERE ts == ?1 + 2 * 3",
         0, 0, 1},
        {"SELECT country, sum(n) AS n FROM cube WHERE ts > 1 GROUP BY country ORDER BY "
         "n DESC", COUNTRY, 0, 1},
        {"SELECT max(day), count(DISTINCT country) FROM cube WHERE ts > 1",
         DAY | COUNTRY, 0, 1},
        {"SELECT country, sum(n) FROM cube WHERE ts > 1 AND ts + 1 < 7 GROUP BY 1",
         COUNTRY | TS, 0, 1},
        {"SELECT country, sum(n) FROM cube WHERE ts > day GROUP BY 1",
         COUNTRY | TS | DAY, 0, 0},
        {"SELECT ts, sum(n) FROM cube WHERE ts > 1 GROUP BY 1", TS, 0, 1},
        {"SELECT sum(n) FILTER (WHERE day = 1) FROM cube WHERE ts > 1", DAY, 0, 1},
        {"SELECT sum(n) FROM cube WHERE CASE WHEN day = 1 AND country = 2 THEN 3 END "
         "AND ts = 4", DAY | COUNTRY, 0, 1},
        {"SELECT sum(n) FROM cube WHERE day LIKE '2%' AND ts = 4 LIMIT 1", DAY, 0, 1},
        {"INSERT INTO x SELECT sum(n) FROM cube WHERE ts = 4", 0, 0, 1},
        {"SELECT * FROM (SELECT country AS k, sum(n) AS s FROM cube WHERE ts = 4 GROUP "
         "BY country) AS q JOIN r ON q.k = r.k", COUNTRY, 0, 1},
        {"WITH q AS (SELECT sum(n) FROM cube WHERE ts = 4) SELECT * FROM q", 0, 0, 1},
        {"SELECT cube.country, sum(cube.n) FROM cube WHERE cube.ts = 4 GROUP BY "
         "cube.country", COUNTRY, 0, 1},
        {"SELECT sum(n) FROM cube WHERE ts = 4 AND NOT (ts = 5 AND day = 6)", DAY | TS, 0,
         1},
        {"SELECT sum(n) FROM cube WHERE (ts > 4 AND ts < 9)", 0, 0, 2},
        {"SELECT sum(n) FROM cube WHERE ((day = 1) AND ((ts IN ((1), 2)))) AND (ts > 5)",
         0, 1, 2},
        {"SELECT sum(n) FROM cube WHERE ((day = 1 AND ts BETWEEN (4) AND 9))", 0, 1, 2},
        {"SELECT sum(n) FROM cube WHERE (ts = 4 AND day + 1 = 9)", DAY, 0, 1},
        {"SELECT sum(n) FROM cube WHERE (ts = 4) = (day = 9)", DAY | TS, 0, 0},
        {"SELECT cube.'ts', sum(n) FROM cube WHERE ts > 1 GROUP BY 1", TS, 0, 1},
        {"SELECT max('cube'.'ts'), sum(n) FROM cube WHERE ts > 1", TS, 0, 1},
        {"SELECT sum(n) FROM cube WHERE 'cube'.'ts' > 1 AND 2 = cube.'day'", 0, 1, 1},
        {"SELECT sum(n) FROM cube WHERE ts > 'ts'", 0, 0, 1},
        {"SELECT NOT ts, sum(n) FROM cube WHERE ts > 1 GROUP BY country", COUNTRY | TS, 0,
         1},
        {"SELECT country ts, sum(n) day FROM cube WHERE ts > 1 GROUP BY 1", COUNTRY, 0, 1},
        {"SELECT sum(n) FROM cube WHERE ts > 1 LIMIT 1", 0, 0, 1},
        {"SELECT n FROM other", 0, 0, 0},
    };

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        PqsqlGroupText got;
        bool known = read_text(t, texts[i].sql, &got);

        if (!known || got.read != texts[i].read ||
            got.constraints[0] != 0 || got.constraints[1] != texts[i].day ||
            got.constraints[2] != texts[i].ts) {
            test_fail(t, __FILE__, __LINE__, "%s: %d, read %d, %d and %d", texts[i].sql,
                      known, (int)got.read, got.constraints[1], got.constraints[2]);
        }
    }
}

TEST(group_text, what_can_tell_how_many_groups_there_are_is_not_understood)
{
    static const char *const texts[] = {
        "SELECT country, n FROM cube WHERE ts > 1",
        "SELECT n FROM cube WHERE ts > 1",
        "SELECT * FROM cube WHERE ts > 1",
        "SELECT cube.* FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT count() FROM cube WHERE ts > 1",
        "SELECT count(n) FROM cube WHERE ts > 1",
        "SELECT count(DISTINCT n) FROM cube WHERE ts > 1",
        "SELECT count(day + 1) FROM cube WHERE ts > 1",
        "SELECT country, count(*) OVER () FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country FROM cube WHERE ts > 1",
        "SELECT max(country, 'x') FROM cube WHERE ts > 1",
        "SELECT country FROM cube WHERE ts > 1 ORDER BY sum(n)",
        "SELECT country, avg(n) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(lo) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, min(hi) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, max(n) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(n + 1) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(DISTINCT n) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(n) OVER () FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, own(country) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, group_concat(country) FROM cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(n) FROM cube WHERE ts > 1 GROUP BY 1 HAVING n > 1",
        "SELECT country, sum(n) AS n FROM cube WHERE ts > 1 GROUP BY 1 HAVING n > 1",
        "SELECT country, sum(n) AS n FROM cube WHERE ts > 1 GROUP BY 1 ORDER BY n + 1",
        "SELECT country, sum(n) AS n FROM cube WHERE ts > 1 GROUP BY n",
        "SELECT country, sum(n) FROM cube WHERE ts > 1 GROUP BY 1 ORDER BY n",
        "SELECT country, sum(n) FROM cube WHERE ts > 1 OR day = 2 GROUP BY 1",
        "SELECT country, sum(n) FROM cube WHERE ts > 1 AND n > 2 GROUP BY 1",
        "SELECT country, sum(n) FROM cube, other WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(n) FROM cube JOIN other WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(n) FROM cube LEFT JOIN o ON ts = b WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(n) FROM other JOIN cube WHERE ts > 1 GROUP BY 1",
        "SELECT country, sum(n) FROM cube WHERE ts > (SELECT 1) GROUP BY 1",
        "SELECT sum(n), (SELECT n FROM cube) FROM cube WHERE ts > 1",
        "SELECT (SELECT n FROM cube WHERE ts > 1)",
        "SELECT sum(n) FROM cube WHERE ts > 1 UNION SELECT 1",
        "SELECT 1 UNION ALL SELECT sum(n) FROM cube WHERE ts > 1",
        "SELECT 1 UNION SELECT sum(n) FROM cube WHERE ts > 1",
        "SELECT sum(n) FROM cube WHERE ts > 1 AND rowid > 2",
        "SELECT sum(n), max(c._rowid_) FROM cube c WHERE ts > 1",
        "SELECT sum(n) FROM 'cube' WHERE ts > 1 GROUP BY rowid",
        "SELECT sum(n), max(\"ROWID\") FROM cube WHERE ts > 1",
        "SELECT sum(n), max(cube.'oid') FROM cube WHERE ts > 1",
        "SELECT sum(n), max(cube.'n') FROM cube WHERE ts > 1",
        "SELECT sum(n), max('cube'.'n') FROM cube WHERE ts > 1",
        "SELECT NOT n, sum(n) FROM cube WHERE ts > 1",
        "SELECT (SELECT max(o.x) FROM cube WHERE ts > 1 LIMIT 1 OFFSET 1) FROM o",
        "SELECT (SELECT max(o.x) FROM cube WHERE ts > 1 LIMIT 1, 1) FROM o",
        "SELECT sum(n) FROM cube WHERE (ts > 1 AND (day = 1 OR day = 2))",
        "SELECT sum(n) FROM cube WHERE ()",
        "SELECT sum(n) FROM cube WHERE (ts > 1 AND)",
        "DELETE FROM cube WHERE ts > 1",
        "UPDATE x SET a = n FROM cube WHERE ts > 1",
        "INSERT INTO cube SELECT sum(n) FROM cube WHERE ts > 1",
        "WITH cube AS (SELECT 1 AS n) SELECT sum(n) FROM cube WHERE ts > 1",
        "SELECT sum(n) FROM cube WHERE ts > 1 AND",
        "SELECT sum(n) FROM cube WHERE",
        "SELECT sum(n FROM cube WHERE ts > 1",
        "SELECT sum(n) FROM cube WHERE (ts > 1",
        "FROM cube",
        "cube",
    };

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        PqsqlGroupText got;

        if (read_text(t, texts[i], &got)) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i]);
        }
    }
}

/* ... and then each dimension tells them apart. */
TEST(group_text, groups_may_be_counted)
{
    static const struct {
        const char *sql;
        bool        counts;
        uint64_t    read;
    } texts[] = {
        {"SELECT count(*) FROM cube WHERE ts > 1", true, UINT64_MAX},
        {"SELECT count(country), sum(n) FROM cube WHERE ts > 1", true, UINT64_MAX},
        {"SELECT country, max(day) FROM cube c WHERE ts > 1 GROUP BY 1 HAVING "
         "Count( c.day ) > 1", true, UINT64_MAX},
        {"SELECT country FROM cube WHERE ts > 1 GROUP BY 1 ORDER BY count(*) + 1", true,
         UINT64_MAX},
        {"SELECT count(day) FILTER (WHERE country = 1) FROM cube WHERE ts > 1", true,
         UINT64_MAX},
        {"SELECT count(DISTINCT day) FROM cube WHERE ts > 1", false, DAY},
    };
    PqsqlGroupText got;

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        if (!read_text(t, texts[i].sql, &got) || got.counts != texts[i].counts ||
            got.read != texts[i].read) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i].sql);
        }
    }
}

TEST(group_text, a_select_with_other_constraints_is_another_statement)
{
    static const uint8_t one_of_ts[] = {0, 0, 1}, two_of_ts[] = {0, 0, 2};
    const char *sql = "SELECT (SELECT sum(n) FROM cube WHERE ts > 1), (SELECT sum(n) FROM "
                      "cube WHERE day = 2), (SELECT max(ts) FROM cube)";
    PqsqlGroupText got;

    CHECK(read_for(t, sql, TS, one_of_ts, &got));
    CHECK_INT(got.n_blocks, 2);
    CHECK_INT(got.read, TS);
    CHECK(read_for(t, sql, TS, two_of_ts, &got));
    CHECK_INT(got.n_blocks, 1);
    CHECK(read_for(t, "SELECT sum(n) FROM cube WHERE ts > 1", TS | DAY, one_of_ts, &got));
    CHECK_INT(got.n_blocks, 0);
    CHECK(read_for(t, "SELECT sum(n) FROM cube WHERE ts > 1", TS, one_of_ts, &got));
    CHECK_INT(got.n_blocks, 1);
    CHECK_INT(got.read, 0);
}

TEST(group_text, a_condition_may_be_a_dimension_alone)
{
    PqsqlGroupText got;

    CHECK(read_text(t, "SELECT sum(n) FROM cube WHERE day AND NOT country AND ts > 1",
                    &got));
    CHECK_INT(got.is_true, DAY);
    CHECK_INT(got.is_false, COUNTRY);
    CHECK_INT(got.read, DAY | COUNTRY);
    CHECK(got.simple);
    CHECK(read_text(t, "SELECT sum(n) FROM cube WHERE NOT (day) AND ts > 1", &got));
    CHECK_INT(got.is_false, 0);
    CHECK(!got.simple);
}

/* ... whatever else the statement does with the rows that are left. */
TEST(group_text, a_dimension_alone_is_found_in_any_select)
{
    static const uint8_t none[3] = {0};
    static const char *const texts[] = {
        "SELECT count(country) FROM cube WHERE day",
        "SELECT * FROM cube WHERE ts > 1 AND day",
        "SELECT n, own(country) OVER () FROM cube c WHERE c.day AND n > 1 OR NULL",
        "SELECT n FROM cube WHERE day AND (ts > 1 OR ts < 0) UNION SELECT 1",
        "SELECT n FROM cube WHERE day AND country IN (SELECT country FROM cube)",
        "SELECT n FROM cube JOIN other WHERE day",
        "SELECT n FROM cube WHERE day OR ts AND country",
        "SELECT n FROM cube WHERE (day)",
        "SELECT (SELECT sum(n) FROM cube WHERE day), (SELECT sum(n) FROM cube)",
    };

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        bool is = i < 2 || i == 3 || i == 7;
        PqsqlGroupText got;

        if ((read_for(t, texts[i], 0, none, &got) && got.is_true == DAY) != is) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i]);
        }
    }
}

TEST(group_text, the_first_rows_in_an_order_are_found)
{
    static const struct {
        const char *sql;
        PqsqlTopOf  of;
        uint32_t    column;
        bool        desc;
        uint64_t    top, grouped;
    } texts[] = {
        {"SELECT sum(n), country FROM cube GROUP BY country ORDER BY 1 DESC LIMIT 10",
         PQSQL_TOP_MEASURE, 0, true, 10, COUNTRY},
        {"SELECT country, day, sum(total) AS s FROM cube WHERE ts > 1 GROUP BY 1, 2 "
         "ORDER BY s, country LIMIT 3 OFFSET 4;", PQSQL_TOP_MEASURE, 1, false, 7,
         COUNTRY | DAY},
        {"SELECT country AS k FROM cube GROUP BY k ORDER BY max(hi) ASC LIMIT 1",
         PQSQL_TOP_MEASURE, 3, false, 1, COUNTRY},
        {"SELECT country, sum(n) FROM cube WHERE ts > 1 GROUP BY 1 LIMIT 2 OFFSET 1",
         PQSQL_TOP_ANY, 0, false, 3, COUNTRY},
        {"SELECT country, count(day) AS u FROM cube GROUP BY 1 ORDER BY u DESC LIMIT 3",
         PQSQL_TOP_COUNT, 1, true, 3, COUNTRY},
        {"SELECT 1, day FROM cube c GROUP BY day ORDER BY count( c.ts ), 2 LIMIT 3",
         PQSQL_TOP_COUNT, 2, false, 3, DAY},
        {"SELECT country, count(*), count(day) FROM cube GROUP BY 1 ORDER BY 2 LIMIT 3",
         PQSQL_TOP_GROUPS, 0, false, 3, COUNTRY},
        {"SELECT count(DISTINCT day) FROM cube GROUP BY country ORDER BY 1 LIMIT 3",
         PQSQL_TOP_VALUES, 1, false, 3, COUNTRY},
        {"SELECT 7, country, sum(n) FROM cube GROUP BY 1, country ORDER BY 3 LIMIT 3",
         PQSQL_TOP_MEASURE, 0, false, 3, COUNTRY},
    };
    static const char *const others[] = {
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY 2 DESC",
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY 2 DESC LIMIT ?1",
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY 2 DESC LIMIT -1",
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY 2 DESC LIMIT 4, 5",
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY 1, 2 LIMIT 5",
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY -sum(n) LIMIT 5",
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY 2 NULLS LAST LIMIT 5",
        "SELECT country, total(n) FROM cube GROUP BY 1 ORDER BY 2 LIMIT 5",
        "SELECT country, sum(n) FROM cube GROUP BY 1 HAVING sum(n) > 1 ORDER BY 2 LIMIT 5",
        "SELECT DISTINCT country, sum(n) FROM cube GROUP BY 1 ORDER BY 2 LIMIT 5",
        "SELECT lower(country), sum(n) FROM cube GROUP BY 1 ORDER BY 2 LIMIT 5",
        "SELECT country, sum(n) FROM cube WHERE day LIKE 'a' GROUP BY 1 ORDER BY 2 LIMIT 5",
        "SELECT country, sum(n) FROM cube GROUP BY 1 ORDER BY sum(n) + 0 LIMIT 5",
        "SELECT country, count(day) FROM cube GROUP BY 1 ORDER BY count(day) + 0 LIMIT 5",
        "SELECT country, count(day) FILTER (WHERE ts) AS u FROM cube GROUP BY 1 "
        "ORDER BY u LIMIT 5",
        "SELECT country, count(*) FROM cube GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 "
        "LIMIT 5",
        "SELECT -7, country, sum(n) FROM cube GROUP BY 1, country ORDER BY 3 LIMIT 3",
        "SELECT 'a', country, sum(n) FROM cube GROUP BY 1, country ORDER BY 3 LIMIT 3",
    };
    PqsqlGroupText got;

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        if (!read_text(t, texts[i].sql, &got) || !got.has_top ||
            got.top_of != texts[i].of || got.top_column != texts[i].column || got.desc != texts[i].desc ||
            got.top != texts[i].top || got.grouped != texts[i].grouped) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i].sql);
        }
    }
    for (size_t i = 0; i < PQ_COUNT(others); i++) {
        if (!read_text(t, others[i], &got) || got.has_top) {
            test_fail(t, __FILE__, __LINE__, "%s", others[i]);
        }
    }
}

/* A function of one row may be a program's own; one that adds up may not. */
TEST(group_text, it_relies_on_functions_of_sqlite)
{
    CHECK(pqsql_group_relies_on("sum", true));
    CHECK(pqsql_group_relies_on("count", false));
    CHECK(pqsql_group_relies_on("upper", false));
    CHECK(!pqsql_group_relies_on("upper", true));
    CHECK(!pqsql_group_relies_on("median", false));
}

TEST(group_text, a_dimension_may_be_written_out)
{
    static const struct {
        const char *sql;
        bool        is;
    } texts[] = {
        {"SELECT sum(n) FROM cube WHERE DATE( ts ) = '2024-01-01'", true},
        {"SELECT date(ts), sum(n) FROM cube GROUP BY country", true},
        {"SELECT sum(n) FROM cube WHERE (date(ts) > 'x')", true},
        {"SELECT sum(n) FROM cube WHERE date(country) > 'x'", false},
        {"SELECT sum(n) FROM cube WHERE 1 + date(ts) > 'x'", false},
        {"SELECT sum(n) FROM cube WHERE date(ts) + 1 > 'x'", false},
        {"SELECT date(ts) FROM other", false},
    };
    static const uint8_t offered[3];
    PqsqlGroupText out;

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        (void)read_for(t, texts[i].sql, TS, offered, &out);
        if ((out.mistake == PQSQL_WRITES_DIMENSION && out.written == 1) != texts[i].is) {
            test_fail(t, __FILE__, __LINE__, "%s", texts[i].sql);
        }
    }
}
