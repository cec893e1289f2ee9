/*
** did_you_mean_test.c - which name was probably meant, and when none was.
*/
#include "sql/did_you_mean.h"
#include "test/unit/test.h"

static const char *near_of(const char *word, const char *names)
{
    static char room[200];
    PqsqlNearest near = {.word = word};
    char *state = NULL, *name;

    snprintf(room, sizeof room, "%s", names);
    for (name = strtok_r(room, " ", &state); name;
         name = strtok_r(NULL, " ", &state)) {
        pqsql_nearest_look(&near, name);
    }
    return pqsql_nearest(&near) ? pqsql_nearest(&near) : "none";
}

TEST(nearest, a_misspelt_name_finds_the_one_that_was_meant)
{
    static const struct { const char *word, *names, *wanted; } cases[] = {
        {"hve", "threads hive", "hive"},
        {"ihve", "threads hive", "hive"},
        {"memmory", "map memory", "memory"},
        {"TIMSTMP", "timestamp types", "timestamp"},
        {"timesatmp", "types timestamp", "timestamp"},
        {"fre", "fare tip", "fare"},
        {"price_", "id price prices", "price"},
        {"level", "compression compression_level", "compression_level"},
        {"use_dictionary", "encoding dictionary", "dictionary"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_TEXT(near_of(cases[i].word, cases[i].names), cases[i].wanted);
    }
}

TEST(nearest, a_name_that_is_not_near_is_not_suggested)
{
    static const struct { const char *word, *names; } cases[] = {
        {"c", "1"}, {"c", "a b"}, {"id", "ip"}, {"nam", "nan"}, {"no", "a"}, {"2023", "2024"},
        {"nam", "map"}, {"price", "value"}, {"country", "count"},
        {"sums", "nans"}, {"compression_level", "hive memory decimal"},
        {"", "a ab abc"}, {"frobnicate", "filename hive"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_TEXT(near_of(cases[i].word, cases[i].names), "none");
    }
}

TEST(nearest, long_words_are_near_to_nothing_and_do_no_harm)
{
    char word[300];

    memset(word, 'x', sizeof word);
    word[299] = 0;
    CHECK_TEXT(near_of(word, "x xxxx"), "none");
    word[64] = 0;
    CHECK_TEXT(near_of(word, word + 1), word + 1);
}
