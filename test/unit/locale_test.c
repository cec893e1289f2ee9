/*
** locale_test.c - the locale of the host changes nothing.
**
** test/check.sh makes the locales that these tests need.
*/
#include "core/base/ascii.h"
#include "core/files/table.h"
#include "core/text/number_text.h"
#include "sql/describe/describe_text.h"
#include "test/unit/test.h"

#include <locale.h>

/* The first of the locales that is installed; false: the test is skipped. */
static bool enter(Test *t, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (setlocale(LC_ALL, names[i])) {
            return true;
        }
    }
    t->skipped = "no such locale";
    return false;
}

static const char *const turkish[] = {"tr_TR.UTF-8", "tr_TR.utf8", "tr_TR"};
static const char *const german[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                     "fr_FR.UTF-8", "nl_NL.UTF-8"};

TEST(locale, i_is_the_small_letter_of_I)
{
    const char *i = "i", *I = "I";
    bool same, differ;

    if (enter(t, turkish, PQ_COUNT(turkish))) {
        same = pq_ascii_same(i, I) && pq_ascii_same("TIP", "tip") &&
               pq_ascii_same_n("RIDE_ID", "ride", 4);
        differ = !pq_ascii_same("tip", "tips") && !pq_ascii_same("@", "`") &&
                 !pq_ascii_same_n("rid", "RIDE", 4) &&
                 !pq_ascii_same("\xc3\x84", "\xc3\xa4");
        setlocale(LC_ALL, "C");
        CHECK(same);
        CHECK(differ);
    }
}

/* columns= says TIP, and the file has tip. */
TEST(locale, a_column_is_found_by_its_name_in_the_other_case)
{
    static const char *const only[] = {"TIP", "DROPOFF"};
    PqTableOptions options = {.only = {only, PQ_COUNT(only)}};
    PqListing listing = {.n_files = 0};
    PqTable *table = NULL;
    PqEngine *engine;

    if (!enter(t, turkish, PQ_COUNT(turkish))) {
        return;
    }
    CHECK_OK(pq_engine_new(&engine, t->e));
    if (pq_listing_make("test/samples/trips.parquet", false, NULL, engine->mem, NULL,
                        &listing, t->e) == PQ_OK) {
        pq_table_new(engine, &listing, &options, &table, t->e);
        pq_listing_free(&listing);
    }
    setlocale(LC_ALL, "C");
    pq_table_free(table);
    pq_engine_free(engine);
    CHECK_OK(t->e->rc);
}

TEST(locale, a_decimal_comma_changes_no_number)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    PqBuf scratch, sizes;
    double got = 0;
    bool exact;

    if (!enter(t, german, PQ_COUNT(german))) {
        return;
    }
    pq_buf_init(&scratch, t->mem, t->e);
    pq_buf_init(&sizes, t->mem, t->e);
    pq_number_text_double(1234.5, text);
    pq_decimal_real_bytes(test_hex(t, "4b 3b 4c a8 5a 86 c4 7a 09 8a 22 3f"
                                      "ff ff ff ff"),
                          37, &scratch, &got, t->e);
    exact = pq_decimal_real_i64(9007199254740993, 21) == 9007199254740993e-21;
    pqsql_text_bytes(&sizes, 215340000);
    pq_buf_byte(&sizes, 0);
    setlocale(LC_ALL, "C");
    CHECK_TEXT(text, "1234.5");
    CHECK(exact);
    CHECK(got == 10.0);
    CHECK_TEXT((const char *)sizes.p, "215.3 MB");
    pq_buf_free(&scratch);
    pq_buf_free(&sizes);
}
