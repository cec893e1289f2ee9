/*
** plain_text_test.c - PLAIN values as text, of right and wrong sizes.
*/
#include "core/meta/plain_text.h"
#include "test/unit/test.h"

static bool prints(Test *t, PqType type, const char *hex, const char *wanted)
{
    PqBuf text;
    bool same;

    pq_buf_init(&text, t->mem, t->e);
    pq_plain_text(&type, test_hex(t, hex), &text);
    same = text.n == strlen(wanted) && memcmp(text.p, wanted, text.n) == 0;
    if (!same) {
        test_fail(t, __FILE__, __LINE__, "%s is \"%.*s\", not \"%s\"", hex,
                  (int)text.n, (const char *)text.p, wanted);
    }
    pq_buf_free(&text);
    return same;
}

TEST(plain_text, numbers_have_the_text_of_their_type)
{
    CHECK(prints(t, (PqType){.physical = PQ_INT32}, "ffffffff", "-1"));
    CHECK(prints(t, (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_INT,
                             .bit_width = 32}, "ffffffff", "4294967295"));
    CHECK(prints(t, (PqType){.physical = PQ_INT64, .logical = PQ_TYPE_INT,
                             .bit_width = 64}, "ffffffffffffffff",
                 "18446744073709551615"));
    CHECK(prints(t, (PqType){.physical = PQ_BOOLEAN}, "01", "true"));
    CHECK(prints(t, (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_DATE},
                 "5b4d0000", "2024-03-21"));
    CHECK(prints(t, (PqType){.physical = PQ_INT32, .precision = 4, .scale = 1,
                             .logical = PQ_TYPE_DECIMAL}, "f6ffffff", "-1.0"));
}

TEST(plain_text, what_no_number_says_is_said_in_words)
{
    CHECK(prints(t, (PqType){.physical = PQ_DOUBLE}, "000000000000f87f",
                 "nan"));
    CHECK(prints(t, (PqType){.physical = PQ_FLOAT}, "000080ff", "-inf"));
    CHECK(prints(t, (PqType){.physical = PQ_FIXED, .fixed_length = 2,
                             .logical = PQ_TYPE_FLOAT16}, "0080", "-0.0"));
}

TEST(plain_text, a_time_outside_its_day_is_its_number)
{
    CHECK(prints(t, (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_TIME,
                             .unit = PQ_MILLIS}, "00e1f505", "100000000"));
}

TEST(plain_text, bytes_that_are_no_text_are_escaped)
{
    CHECK(prints(t, (PqType){.physical = PQ_BYTE_ARRAY}, "61005c",
                 "a\\x00\\x5C"));
    CHECK(prints(t, (PqType){.physical = PQ_BYTE_ARRAY,
                             .logical = PQ_TYPE_STRING}, "c3a9", "\u00e9"));
    CHECK(prints(t, (PqType){.physical = PQ_BYTE_ARRAY,
                             .logical = PQ_TYPE_STRING}, "c3", "\\xC3"));
}

TEST(plain_text, a_value_of_another_size_is_bytes)
{
    CHECK(prints(t, (PqType){.physical = PQ_INT64}, "0102", "\\x01\\x02"));
    CHECK(prints(t, (PqType){.physical = PQ_FIXED, .fixed_length = 16,
                             .logical = PQ_TYPE_UUID}, "41", "A"));
}
