/*
** token_test.c - SQL is cut into tokens where SQLite cuts it.  test/oracle/tokens.c
** asks SQLite itself.
*/
#include "sql/token.h"
#include "test/unit/test.h"

/* The tokens, a blank between them, each after the letter of its kind. */
static const char *cut(const char *sql, char *room)
{
    static const char letters[] = "EWTBNPS!";
    size_t n = 0;
    PqsqlToken t;

    room[0] = 0;
    while ((t = pqsql_next_token(&sql)).n > 0) {
        n += (size_t)sprintf(room + n, "%s%c%.*s", n ? " " : "", letters[t.kind],
                             (int)t.n, t.at);
    }
    return room;
}

TEST(token, ends_where_sqlite_ends_it)
{
    static const char *const cases[][2] = {
        {"HAVING count(*)>?1ORDER BY a",
         "WHAVING Wcount S( S* S) S> P?1 WORDER WBY Wa"},
        {"0x1FORDER 0x1F_0", "N0x1F WORDER N0x1F_0"},
        {"1ORDER 1.5e3ORDER 1e ORDER", "!1ORDER !1.5e3ORDER !1e WORDER"},
        {"1_000 1e5 1.e-5 .5 1.. 0x 1e+", "N1_000 N1e5 N1.e-5 N.5 N1. S. !0x !1e S+"},
        {"x'00'ORDER x'0'ORDER x'0g'a X'", "Bx'00' WORDER !x'0' WORDER !x'0g' Wa !X'"},
        {":aORDER @a$b $a::b(c)ORDER #1 : ::a", "P:aORDER P@a$b P$a::b(c) WORDER P#1 !: !: P:a"},
        {"$a(b c) $a(b", "!$a(b Wc S) !$a(b"},
        {"\xef\xbb\xbf" "a\xef\xbb\xbf" "b (\xef\xbb\xbfORDER",
         "Wa\xef\xbb\xbf" "b S( WORDER"},
        {"a--b\nc--d", "Wa Wc"},
        {"a/*b*/c/**/d/*/e*/f/*", "Wa Wc Wd Wf S/ S*"},
        {"a/* b", "Wa"},
        {"'it''s'x\"a\"\"b\"[a]]`c`", "T'it''s' Wx W\"a\"\"b\" W[a] !] W`c`"},
        {"'open", "!'open"},
        {"\"open", "!\"open"},
        {"[open", "![open"},
        {"a->>b->c<=d<>e!=f||g==h>>i<<j-k!l",
         "Wa S->> Wb S-> Wc S<= Wd S<> We S!= Wf S|| Wg S== Wh S>> Wi S<< Wj S- Wk !! Wl"},
        {" \v\f\r\n\ta\v", "Wa !\v"},
        {"", ""},
    };
    char room[400];

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        if (strcmp(cut(cases[i][0], room), cases[i][1]) != 0) {
            test_fail(t, __FILE__, __LINE__, "%s\n    %s", cases[i][0], room);
        }
    }
}

TEST(token, a_name_in_quotes_is_the_name)
{
    static const char *const same[] = {"order", "ORDER", "\"order\"", "`Order`",
                                       "[order]", "'order'"};

    for (size_t i = 0; i < PQ_COUNT(same); i++) {
        const char *at = same[i];
        PqsqlToken token = pqsql_next_token(&at);

        CHECK(pqsql_names(token, pq_slice_text("order")));
        CHECK(!pqsql_names(token, pq_slice_text("orders")));
        CHECK_INT(pqsql_is_word(token, "order"), i < 2);
    }
}

TEST(token, quotes_are_taken_off_where_they_are_around_all)
{
    static const char *const cases[][2] = {
        {"'it''s'", "it's"}, {"\"a\"\"\"", "a\""}, {"`a'b`", "a'b"}, {"[a''b]", "a''b"},
        {"''", ""}, {"'a'b'", NULL}, {"'a''", NULL}, {"'", NULL}, {"a'", NULL}, {"", NULL},
    };
    char room[10];

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        PqSlice text = pq_slice_text(cases[i][0]);
        bool is = pqsql_is_quoted(text);

        CHECK_INT(is, cases[i][1] != NULL);
        if (is) {
            CHECK_INT(pqsql_unquote(text, room), strlen(cases[i][1]));
            CHECK(strcmp(room, cases[i][1]) == 0);
        }
    }
}
