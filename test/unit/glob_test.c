/*
** glob_test.c - matching one part of a pattern with one name.  listing_test.c
** tests what patterns find on a disk.
*/
#include "core/files/glob.h"
#include "test/unit/test.h"

static bool matches(const char *part, const char *name)
{
    return pq_glob_match(pq_slice_text(part), name);
}

TEST(glob, a_star_is_any_bytes_and_none)
{
    CHECK(matches("*", "a"));
    CHECK(matches("a*", "a"));
    CHECK(matches("*a*b*", "xxaxxbxx"));
    CHECK(matches("*ab", "aab"));
    CHECK(matches("a***b", "ab"));
    CHECK(!matches("*a*b*", "xxbxxaxx"));
    CHECK(!matches("*ab", "abc"));
}

TEST(glob, a_question_mark_is_one_byte)
{
    CHECK(matches("a?c", "abc"));
    CHECK(!matches("a?c", "ac"));
    CHECK(!matches("?", "\xc3\xa4"));
    CHECK(matches("??", "\xc3\xa4"));
    CHECK(matches("?", "\xff"));
}

TEST(glob, a_class_has_ranges_and_both_negations)
{
    CHECK(matches("[a-c]", "b"));
    CHECK(!matches("[a-c]", "d"));
    CHECK(matches("[xa-c5]", "5"));
    CHECK(matches("[!a-c]", "d"));
    CHECK(matches("[^a-c]", "d"));
    CHECK(!matches("[!a-c]", "c"));
    CHECK(!matches("[c-a]", "b"));
    CHECK(!matches("[a-c]", "B"));
    CHECK(matches("[\x80-\xff]", "\xc3"));
}

TEST(glob, a_bracket_and_a_dash_at_the_edge_are_themselves)
{
    CHECK(matches("[]a]", "]"));
    CHECK(matches("[]a]", "a"));
    CHECK(matches("[!]]", "x"));
    CHECK(!matches("[!]]", "]"));
    CHECK(matches("[a-]", "-"));
    CHECK(matches("[-a]", "-"));
    CHECK(matches("[*]", "*"));
    CHECK(!matches("[*]", "x"));
}

TEST(glob, a_bracket_never_closed_is_itself)
{
    CHECK(matches("[a*", "[abc"));
    CHECK(matches("*[", "x["));
    CHECK(matches("*[!]", "x[!]"));
    CHECK(!matches("[a*", "abc"));
}

TEST(glob, a_backslash_is_itself)
{
    CHECK(matches("a\\*", "a\\b"));
    CHECK(!matches("a\\*", "a*"));
}

TEST(glob, a_hidden_name_wants_its_dot)
{
    CHECK(!matches("*", ".a"));
    CHECK(!matches("?a", ".a"));
    CHECK(!matches("[.]a", ".a"));
    CHECK(!matches("[!x]a", ".a"));
    CHECK(matches(".*", ".a"));
    CHECK(matches(".?", ".a"));
}

TEST(glob, many_stars_against_a_name_that_fails_are_quick)
{
    char part[200], name[256];

    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (size_t i = 0; i < sizeof part - 2; i += 2) {
        memcpy(part + i, "*a", 3);
    }
    memcpy(part + sizeof part - 2, "b", 2);
    CHECK(!matches(part, name));
}
