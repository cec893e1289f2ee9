/*
** hive_name_test.c - names of partition folders.  The reader must get back the
** column and value that a name was made from.
*/
#include "core/write/hive_name.h"
#include "core/files/hive.h"
#include "core/write/file_name.h"
#include "test/unit/test.h"

/* The folder for a column and a value (NULL: null), or the message. */
static const char *folder(Test *t, PqSlice key, PqSlice value)
{
    static char out[2000];
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    if (pq_hive_name_add(&b, key, value, t->e) != PQ_OK) {
        snprintf(out, sizeof out, "%s", t->e->text);
        pq_err_clear(t->e);
    } else {
        snprintf(out, sizeof out, "%.*s", (int)b.n, (const char *)b.p);
    }
    pq_buf_free(&b);
    return out;
}

static const char *of(Test *t, const char *key, const char *value)
{
    return folder(t, pq_slice_text(key),
                  value ? pq_slice(value, strlen(value)) : pq_slice(NULL, 0));
}

/* Does the reader get column and value back? */
static bool comes_back(Test *t, const char *key, const char *value)
{
    PqListedFile file = {0};
    PqListing l = {.files = &file, .n_files = 1};
    char path[2100];
    bool same;

    snprintf(path, sizeof path, "%sf.parquet", of(t, key, value));
    file.path = path;
    pq_arena_init(&l.arena, t->mem);
    same = pq_hive_fill(&l, NULL, t->e) == PQ_OK &&
           l.n_folder_columns == 1 &&
           !strcmp(l.folder_columns[0], key) &&
           (file.hive[0].text ? value && !strcmp(file.hive[0].text, value)
                              : !value || !*value);
    pq_arena_free(&l.arena);
    return same;
}

TEST(hive_name, the_bytes_hive_escapes_are_escaped)
{
    CHECK_TEXT(of(t, "country", "FR"), "country=FR/");
    CHECK_TEXT(of(t, "when", "10:30"), "when=10%3A30/");
    CHECK_TEXT(of(t, "a=b", "c=d"), "a%3Db=c%3Dd/");
    CHECK_TEXT(of(t, "p", "a/b c%41\x7f\n"), "p=a%2Fb c%2541%7F%0A/");
    CHECK_TEXT(of(t, "p", "\"#'*?\\{[]^"),
               "p=%22%23%27%2A%3F%5C%7B%5B%5D%5E/");
    CHECK_TEXT(of(t, "p", "M\xc3\xbcnchen, <a>|}"),
               "p=M\xc3\xbcnchen, <a>|}/");
}

TEST(hive_name, null_and_the_empty_text_are_the_default_partition)
{
    CHECK_TEXT(of(t, "p", NULL), "p=__HIVE_DEFAULT_PARTITION__/");
    CHECK_TEXT(of(t, "p", ""), "p=__HIVE_DEFAULT_PARTITION__/");
    CHECK_TEXT(of(t, "p", "__HIVE_DEFAULT_PARTITION__"),
               "p=%5F_HIVE_DEFAULT_PARTITION__/");
}

TEST(hive_name, keys_that_readers_would_leave_out_are_escaped)
{
    CHECK_TEXT(of(t, "_id", "_x"), "_id=_x/");
    CHECK_TEXT(of(t, ".id", ".x"), "%2Eid=.x/");
    CHECK_TEXT(of(t, "a_.b", "1"), "a_.b=1/");
}

/* The folder of another writer, as a copy would spell it. */
static const char *respelt(Test *t, const char *folder_of_writer)
{
    static char out[2000];
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    pq_hive_name_respell(&b, pq_slice_text(folder_of_writer));
    snprintf(out, sizeof out, "%.*s", (int)b.n, (const char *)b.p);
    pq_buf_free(&b);
    return out;
}

TEST(hive_name, a_folder_is_respelt_as_a_copy_makes_it)
{
    CHECK_TEXT(respelt(t, "when=10:30"), of(t, "when", "10:30"));
    CHECK_TEXT(respelt(t, "when=%31%30%3a30"), of(t, "when", "10:30"));
    CHECK_TEXT(respelt(t, "p=%"), of(t, "p", "%"));
    CHECK_TEXT(respelt(t, "p=%4"), of(t, "p", "%4"));
    CHECK_TEXT(respelt(t, "p=a%252Fb"), of(t, "p", "a%2Fb"));
    CHECK_TEXT(respelt(t, "p=a%00"), of(t, "p", "a%00"));
    CHECK_TEXT(respelt(t, "p=a=b"), of(t, "p", "a=b"));
    CHECK_TEXT(respelt(t, "_id=_x"), of(t, "_id", "_x"));
    CHECK_TEXT(respelt(t, "%5fid=x"), of(t, "_id", "x"));
    CHECK_TEXT(respelt(t, "p=__HIVE_DEFAULT_PARTITION__"), of(t, "p", NULL));
    CHECK_TEXT(respelt(t, "p=__HIVE_DEFAULT%5fPARTITION__"),
               of(t, "p", "__HIVE_DEFAULT_PARTITION__"));
    CHECK_TEXT(respelt(t, "p="), "p=/");
    CHECK_TEXT(respelt(t, "plain"), "plain/");
}

TEST(hive_name, every_text_comes_back)
{
    char text[3] = {0};

    for (int i = 1; i < 256; i++) {
        for (int k = 1; k < 256; k += i % 7 + 1) {
            text[0] = (char)i;
            text[1] = (char)k;
            CHECK(comes_back(t, "key", text));
            CHECK(comes_back(t, text, "value"));
        }
    }
    CHECK(comes_back(t, "p", NULL));
    CHECK(comes_back(t, "p", ""));
    CHECK(comes_back(t, "p", "__HIVE_DEFAULT_PARTITION__"));
    CHECK(comes_back(t, "__HIVE_DEFAULT_PARTITION__", "%00%2f%25"));
    CHECK(comes_back(t, "p", "../../etc"));
}

TEST(hive_name, names_no_folder_can_have_are_refused)
{
    char text[300];

    memset(text, 'x', sizeof text);
    text[253] = 0;
    CHECK_INT(strlen(of(t, "p", text)), 256);
    text[253] = 'x';
    text[254] = 0;
    CHECK_TEXT(of(t, "p", text),
               "partition column p: the folder for "
               "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\" would have a "
               "name of 256 bytes, file systems allow 255");
    memset(text, ':', 100);
    text[100] = 0;
    CHECK(strstr(of(t, "p", text), "of 302 bytes"));
    CHECK_TEXT(of(t, "", "x"), "a partition column without a name");
    CHECK_TEXT(folder(t, pq_slice_text("p"), pq_slice("a\0b", 3)),
               "partition column p: a value with a zero byte has no folder");
    CHECK(strstr(folder(t, pq_slice("a\0b", 3), pq_slice("x", 1)), "zero"));
}

/* --- file names -------------------------------------------------------------- */

static const char *file(Test *t, const char *pattern, uint64_t i)
{
    static char out[2000];
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    if (pq_file_name_check(pattern, t->e) != PQ_OK ||
        pq_file_name_add(&b, pattern, i, t->e) != PQ_OK) {
        snprintf(out, sizeof out, "%s", t->e->text);
        pq_err_clear(t->e);
    } else {
        snprintf(out, sizeof out, "%.*s", (int)b.n, (const char *)b.p);
    }
    pq_buf_free(&b);
    return out;
}

TEST(file_name, patterns_give_numbered_names)
{
    CHECK_TEXT(file(t, PQ_FILE_NAME_PATTERN, 0), "data_0.parquet");
    CHECK_TEXT(file(t, "{i}", UINT64_MAX), "18446744073709551615.parquet");
    CHECK_TEXT(file(t, "a{i}b{i}.parq", 7), "a7b7.parq");
    CHECK_TEXT(file(t, "{i}.parquet", 7), "7.parquet");
    CHECK_TEXT(file(t, "orders", 3), "orders_3.parquet");
    CHECK_TEXT(file(t, "orders.parquet", 3), "orders_3.parquet");
    CHECK_TEXT(file(t, "v1.2", 3), "v1.2_3.parquet");
}

TEST(file_name, a_uuid_is_another_one_each_time)
{
    char one[100];
    unsigned version, variant;

    snprintf(one, sizeof one, "%s", file(t, "x-{uuid}.parquet", 0));
    CHECK_INT(strlen(one), strlen("x-.parquet") + 36);
    CHECK_INT(sscanf(one, "x-%*8[0-9a-f]-%*4[0-9a-f]-%1x%*3[0-9a-f]-%1x",
                     &version, &variant), 2);
    CHECK_INT(version, 4);
    CHECK(variant >= 8 && variant <= 11);
    CHECK(strcmp(one, file(t, "x-{uuid}.parquet", 0)) != 0);
}

TEST(file_name, patterns_that_cannot_be_are_refused)
{
    char text[300];

    CHECK(strstr(file(t, "", 0), "needs a name"));
    CHECK(strstr(file(t, ".parquet", 0), "needs a name"));
    CHECK(strstr(file(t, "a/b", 0), "names a folder"));
    CHECK(strstr(file(t, "_a", 0), "left out by readers"));
    CHECK(strstr(file(t, ".a", 0), "left out by readers"));
    CHECK(strstr(file(t, "a{n}b", 0), "has {n}; only {i} and {uuid}"));
    CHECK(strstr(file(t, "a{", 0), "has {; only {i} and {uuid}"));
    CHECK(strstr(file(t, "{{i}", 0), "has {{i}; only"));
    memset(text, 'x', sizeof text);
    strcpy(text + 227, "{i}");
    CHECK_INT(strlen(file(t, text, UINT64_MAX)), 255);
    strcpy(text + 227, "x{i}");
    CHECK(strstr(file(t, text, 0), "names of 256 bytes"));
}
