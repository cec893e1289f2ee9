/*
** path_list_test.c - lists of paths: what is one, and which files it has.
*/
#define _GNU_SOURCE
#include "core/files/path_list.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

enum { TEXT_ROOM = 2048 };

/* The paths with their folder columns, k=1 as (1); or the error. */
static const char *listed(Test *t, const char *list, unsigned how)
{
    static char out[TEXT_ROOM];
    PqListing l;
    size_t n = 0;

    if (pq_listing_make(list, how, NULL, t->mem, NULL, &l, t->e) != PQ_OK) {
        snprintf(out, sizeof out, "%d %s", t->e->rc == PQ_USAGE, t->e->text);
        pq_err_clear(t->e);
        return out;
    }
    out[0] = 0;
    for (uint32_t i = 0; i < l.n_files; i++) {
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s", i ? " " : "",
                              l.files[i].path);
        for (uint32_t k = 0; k < l.n_folder_columns; k++) {
            const char *text = l.files[i].hive[k].text;
            n += (size_t)snprintf(out + n, sizeof out - n, "(%s)",
                                  text ? text : "null");
        }
    }
    if (l.left_out.n) {
        snprintf(out + n, sizeof out - n, "; %u left out: %s", l.left_out.n,
                 l.left_out.v[0].path);
    }
    pq_listing_free(&l);
    return out;
}

TEST(path_list, a_bracket_and_a_quote_tell_a_list)
{
    static const struct { const char *text; bool is; } cases[] = {
        {"[\"a\"]", true}, {"[ \n\"a\"]", true}, {"[\"", true}, {"[]", true},
        {"[ ] ", true}, {"", false}, {"[", false}, {"[ab]", false},
        {"[]a]", false}, {"[1,2]", false}, {"['a']", false}, {" [\"a\"]", false},
        {"{\"a\":1}", false}, {"a[\"b\"]", false},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        if (pq_path_list_is(cases[i].text) != cases[i].is) {
            test_fail(t, __FILE__, __LINE__, "%s", cases[i].text);
        }
    }
}

TEST(path_list, files_come_in_the_order_of_the_list)
{
    FolderTree d;

    tree_begin(&d, "a.parquet:a b.parquet:b f/z.parquet:z f/y.parquet:y "
                   "g1.csv:g g2.csv:g \"q.parquet:q");
    CHECK_TEXT(listed(t, "[\"b.parquet\",\"a.parquet\"]", 0),
               "b.parquet a.parquet");
    CHECK_TEXT(listed(t, "[\"b.parquet\", \"f\", \"g?.csv\", \"./a.parquet\"]", 0),
               "b.parquet f/y.parquet f/z.parquet g1.csv g2.csv ./a.parquet");
    CHECK_TEXT(listed(t, "[\"b\\u002eparquet\",\"\\\"q.parquet\"]", 0),
               "b.parquet \"q.parquet");
    CHECK_TEXT(listed(t, "[\"f\"]", 0), "f/y.parquet f/z.parquet");
    CHECK_TEXT(listed(t, "[ab].parquet", 0), "a.parquet b.parquet");
    tree_make("[\"b.parquet\"]:x");
    CHECK_TEXT(listed(t, "[\"b.parquet\"]", 0), "[\"b.parquet\"]");
    tree_end(&d);
}

TEST(path_list, what_is_wrong_is_said)
{
    FolderTree d;

    tree_begin(&d, "a.parquet:a b.parquet:b f/x.csv:x");
    CHECK_TEXT(listed(t, "[]", 0), "1 the list of paths is empty");
    CHECK_TEXT(listed(t, "[\"a.parquet\", 7]", 0),
               "1 the list of paths has something else than a text at byte 14");
    CHECK_TEXT(listed(t, "[\"a.parquet\", [\"b.parquet\"]]", 0),
               "1 the list of paths has something else than a text at byte 14");
    CHECK_TEXT(listed(t, "[\"a.parquet\", \"\"]", 0),
               "1 the list of paths has an empty path at byte 14");
    CHECK_TEXT(listed(t, "[\"a\\u0000b\"]", 0),
               "1 the list of paths has a path with a NUL in it at byte 1");
    CHECK_TEXT(listed(t, "[\"a.parquet\" \"b.parquet\"]", PQ_LIST_READABLE),
               "1 the list of paths is malformed JSON at byte 13: a comma or ] "
               "was expected, not \"");
    CHECK_TEXT(listed(t, "[\"a.parquet\"", 0),
               "1 the list of paths is malformed JSON at byte 12: the text ends, "
               "but a comma or ] was expected");
    CHECK(strstr(listed(t, "[\"a.parquet\"]x", 0), "malformed JSON at byte 13"));
    CHECK(strstr(listed(t, "[\"a.parquet\",\"c.parquet\"]", 0),
                 "0 c.parquet: cannot open: No such file"));
    CHECK(strstr(listed(t, "[\"a.parquet\",\"f\"]", 0),
                 "0 f: no *.parquet or *.parq file"));
    CHECK(strstr(listed(t, "[\"a.parquet\",\"c*\"]", 0),
                 "0 c*: no file matches this glob"));
    CHECK_TEXT(listed(t, "[\"b.parquet\",\"a.parquet\",\"b.parquet\"]", 0),
               "1 the list of paths has b.parquet twice");
    CHECK_TEXT(listed(t, "[\"b.parquet\",\"*.parquet\"]", PQ_LIST_READABLE),
               "1 the list of paths has b.parquet twice");
    tree_end(&d);
}

TEST(path_list, an_element_without_files_may_be_left_out)
{
    FolderTree d;

    tree_begin(&d, "a.parquet:a f/x.csv:x");
    CHECK_TEXT(listed(t, "[\"c.parquet\",\"a.parquet\",\"f\"]", PQ_LIST_READABLE),
               "a.parquet; 2 left out: c.parquet");
    CHECK(strstr(listed(t, "[\"c.parquet\",\"f\"]", PQ_LIST_READABLE),
                 "0 c.parquet: cannot open: No such file"));
    CHECK(strstr(listed(t, "[\"c.parquet\"]", PQ_LIST_READABLE),
                 "0 c.parquet: cannot open: No such file"));
    tree_end(&d);
}

TEST(path_list, folders_are_columns_from_where_the_elements_differ)
{
    FolderTree d;

    tree_begin(&d, "s/y=1/m=2/a.parquet:a s/y=1/m=3/b.parquet:b "
                   "s/y=4/m=5/c.parquet:c d.parquet:d");
    CHECK_TEXT(listed(t, "[\"s/y=1/m=3/b.parquet\",\"s/y=1/m=2/a.parquet\"]",
                      PQ_LIST_HIVE),
               "s/y=1/m=3/b.parquet(3) s/y=1/m=2/a.parquet(2)");
    CHECK_TEXT(listed(t, "[\"s/y=4\",\"s/y=1\"]", PQ_LIST_HIVE),
               "s/y=4/m=5/c.parquet(4)(5) s/y=1/m=2/a.parquet(1)(2) "
               "s/y=1/m=3/b.parquet(1)(3)");
    CHECK_TEXT(listed(t, "[\"s/y=1/*/a.parquet\",\"s/y=1/m=3/b.parquet\"]",
                      PQ_LIST_HIVE),
               "s/y=1/m=2/a.parquet(2) s/y=1/m=3/b.parquet(3)");
    CHECK_TEXT(listed(t, "[\"d.parquet\",\"s/y=1/m=2\"]", PQ_LIST_HIVE),
               "d.parquet(null)(null) s/y=1/m=2/a.parquet(1)(2)");
    CHECK_TEXT(listed(t, "[\"s/y=1\"]", PQ_LIST_HIVE),
               "s/y=1/m=2/a.parquet(2) s/y=1/m=3/b.parquet(3)");
    CHECK_TEXT(listed(t, "[\"s/y=1/m=2/a.parquet\"]", PQ_LIST_HIVE),
               "s/y=1/m=2/a.parquet");
    CHECK_TEXT(listed(t, "[\"s/y=1\",\"s/y=4\"]", 0),
               "s/y=1/m=2/a.parquet s/y=1/m=3/b.parquet s/y=4/m=5/c.parquet");
    tree_end(&d);
}

/* Fails each allocation and each system call. */
TEST(path_list, every_refusal_is_an_error_and_leaves_nothing)
{
    static const char list[] = "[\"s/y=1\",\"\\u0064.parquet\",\"s/*/c.parquet\"]";
    int64_t nth = 0, points;
    FolderTree d;
    PqListing l;

    tree_begin(&d, "s/y=1/a.parquet:a s/y=4/c.parquet:c d.parquet:d");
    pq_fault_set(INT64_MAX);
    CHECK_OK(pq_listing_make(list, PQ_LIST_HIVE, NULL, t->mem, NULL, &l, t->e));
    points = pq_fault_count();
    pq_fault_set(0);
    pq_listing_free(&l);
    CHECK(points > 10);
    while (++nth <= points) {
        PqRc rc;

        pq_fault_set(nth);
        rc = pq_listing_make(list, PQ_LIST_HIVE, NULL, t->mem, NULL, &l, t->e);
        pq_fault_set(0);
        CHECK(rc == PQ_NOMEM || rc == PQ_IO);
        CHECK(t->e->text[0] && !l.files && !t->e->where.file);
        CHECK_INT(pq_mem_used(t->mem), 0);
        pq_err_clear(t->e);
    }
    tree_end(&d);
}
