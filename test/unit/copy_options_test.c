/*
** copy_options_test.c - the options of a copy, and the messages about wrong
** ones.
*/
#include "sql/copy/copy_option_values.h"
#include "sql/copy/copy_options.h"
#include "test/unit/test.h"

typedef struct Parsed {
    PqArena          arena;
    PqsqlCopyOptions o;
} Parsed;

static PqRc parse(Test *t, Parsed *p, const char *json)
{
    pq_arena_init(&p->arena, t->mem);
    return pqsql_copy_options_parse(json, &p->arena, &p->o, t->e);
}

TEST(copy_options, defaults_are_what_readers_of_today_take)
{
    Parsed p;
    PqChunkOptions c;

    CHECK_OK(parse(t, &p, NULL));
    c = pqsql_copy_options_chunk(&p.o, NULL);
    CHECK_INT(p.o.compatibility, PQSQL_STANDARD);
    CHECK_INT(p.o.row_group_rows, 262144);
    CHECK_INT(p.o.first_rows, 1048576);
    CHECK_INT(p.o.row_group_bytes, 128 << 20);
    CHECK_INT(p.o.memory, 256 << 20);
    CHECK_INT(p.o.overwrite, PQSQL_UNSAID);
    CHECK(!p.o.has_not_null && !p.o.sorting_said && !p.o.sorting_none);
    CHECK_INT(c.codec, PQ_CODEC_ZSTD);
    CHECK_INT(c.encoding, -1);
    CHECK(!c.modern && !c.page_v2 && !c.ieee754_order && c.statistics);
    CHECK_INT(c.page_rows, 20000);
    CHECK_INT(c.page_bytes, 1 << 16);
    pq_arena_free(&p.arena);
}

TEST(copy_options, rows_along_a_curve_have_small_row_groups_and_pages)
{
    Parsed p;

    CHECK_OK(parse(t, &p, "{\"hilbert\": \"g\"}"));
    CHECK_INT(p.o.row_group_rows, 100000);
    CHECK_INT(pqsql_copy_options_chunk(&p.o, NULL).page_rows, 2000);
    pq_arena_free(&p.arena);
    CHECK_OK(parse(t, &p, "{\"row_group_rows\": 5, \"page_rows\": 7, "
                          "\"hilbert\": \"g\"}"));
    CHECK_INT(p.o.row_group_rows, 5);
    CHECK_INT(p.o.first_rows, 5);
    CHECK_INT(pqsql_copy_options_chunk(&p.o, NULL).page_rows, 7);
    pq_arena_free(&p.arena);
    CHECK_OK(parse(t, &p, "{\"geoparquet\": \"1.1\"}"));
    CHECK_INT(p.o.row_group_rows, 262144);
    CHECK_INT(p.o.covering, PQSQL_UNSAID);
    pq_arena_free(&p.arena);
}

TEST(copy_options, a_level_of_compatibility_sets_what_is_not_said)
{
    Parsed p;

    CHECK_OK(parse(t, &p, "{\"compatibility\": \"legacy\"}"));
    CHECK_INT(pqsql_copy_options_chunk(&p.o, NULL).codec, PQ_CODEC_SNAPPY);
    pq_arena_free(&p.arena);
    CHECK_OK(parse(t, &p, "{\"compression\":\"gzip\",\"compatibility\":\"LEGACY\"}"));
    CHECK_INT(pqsql_copy_options_chunk(&p.o, NULL).codec, PQ_CODEC_GZIP);
    pq_arena_free(&p.arena);
    CHECK_OK(parse(t, &p, "{\"compatibility\": \"modern\"}"));
    CHECK(pqsql_copy_options_chunk(&p.o, NULL).modern);
    pq_arena_free(&p.arena);
}

TEST(copy_options, numbers_are_taken_as_sqlite_writes_them)
{
    Parsed p;

    CHECK_OK(parse(t, &p, "{\"row_group_rows\": 1e3, \"page_rows\": 5000.0, "
                          "\"row_group_bytes\": \"64MB\", \"memory\": 2000000, "
                          "\"file_rows\": \"12\", \"file_bytes\": \"1 GiB\", "
                          "\"progress\": 1, \"threads\": \"auto\"}"));
    CHECK_INT(p.o.row_group_rows, 1000);
    CHECK_INT(p.o.chunk.page_rows, 5000);
    CHECK_INT(p.o.row_group_bytes, 64 << 20);
    CHECK_INT(p.o.memory, 2000000);
    CHECK_INT(p.o.file_rows, 12);
    CHECK_INT(p.o.file_bytes, 1 << 30);
    CHECK_TEXT(p.o.progress, "");
    CHECK_INT(p.o.threads, -1);
    pq_arena_free(&p.arena);
}

TEST(copy_options, a_column_overrides_all_columns)
{
    Parsed p;
    PqChunkOptions c;

    CHECK_OK(parse(t, &p,
        "{\"columns\": {\"a\": {\"compression\": \"none\", \"bloom\": true},"
        " \"b\": {\"encoding\": \"delta_binary_packed\", \"bloom\":"
        " {\"ndv\": 1e6, \"fpp\": 0.05}, \"statistics\": false},"
        " \"c\": {\"encoding\": \"PLAIN\", \"dictionary\": \"auto\"}},"
        " \"compression\": \"brotli\", \"compression_level\": 5,"
        " \"page_version\": 2, \"bloom\": false}"));
    CHECK_INT(p.o.n_columns, 3);
    c = pqsql_copy_options_chunk(&p.o, NULL);
    CHECK_INT(c.codec, PQ_CODEC_BROTLI);
    CHECK_INT(c.level, 5);
    CHECK_INT(c.bloom, PQ_BLOOM_NEVER);
    CHECK(c.page_v2);
    c = pqsql_copy_options_chunk(&p.o, &p.o.columns[0]);
    CHECK_TEXT(p.o.columns[0].column, "a");
    CHECK_INT(c.codec, PQ_CODEC_UNCOMPRESSED);
    CHECK_INT(c.level, 0);
    CHECK_INT(c.bloom, PQ_BLOOM_ALWAYS);
    CHECK_INT(c.dictionary, PQ_DICTIONARY_AUTO);
    c = pqsql_copy_options_chunk(&p.o, &p.o.columns[1]);
    CHECK_INT(c.encoding, PQ_ENCODING_DELTA_BINARY_PACKED);
    CHECK_INT(c.dictionary, PQ_DICTIONARY_NEVER);
    CHECK_INT(c.bloom, PQ_BLOOM_ALWAYS);
    CHECK_INT(c.bloom_values, 1000000);
    CHECK(c.bloom_fpp > 0.0499 && c.bloom_fpp < 0.0501);
    CHECK(!c.statistics);
    c = pqsql_copy_options_chunk(&p.o, &p.o.columns[2]);
    CHECK_INT(c.encoding, PQ_ENCODING_PLAIN);
    CHECK_INT(c.dictionary, PQ_DICTIONARY_AUTO);
    pq_arena_free(&p.arena);
}

TEST(copy_options, lists_and_objects_are_taken)
{
    Parsed p;

    CHECK_OK(parse(t, &p,
        "{\"types\": {\"price\": \"DECIMAL(10,2)\", \"a\\u0062\": \"INT\"},"
        " \"not_null\": [], \"partition_by\": \"country\","
        " \"sorting_columns\": [\"a\", \"b  DESC\", \"c nulls last\","
        " \"d desc nulls first\", {\"column\": \"e desc\"}],"
        " \"params\": [1, {\"x\": [2]}], \"kv_metadata\": {\"k\": \"v\","
        " \"j\": {\"a\": 1}}, \"field_ids\": {\"a.b\": 3},"
        " \"overwrite\": \"append\", \"created_by\": null}"));
    CHECK_INT(p.o.types.n, 2);
    CHECK_TEXT(p.o.types.v[0].value, "DECIMAL(10,2)");
    CHECK_TEXT(p.o.types.v[1].name, "ab");
    CHECK(p.o.has_not_null);
    CHECK_INT(p.o.not_null.n, 0);
    CHECK_TEXT(p.o.partition_by.v[0].name, "country");
    CHECK(p.o.sorting_said);
    CHECK_INT(p.o.n_sorting, 5);
    CHECK(p.o.sorting[0].nulls_first && !p.o.sorting[0].descending);
    CHECK_TEXT(p.o.sorting[1].column, "b");
    CHECK(!p.o.sorting[1].nulls_first && p.o.sorting[1].descending);
    CHECK(!p.o.sorting[2].nulls_first && !p.o.sorting[2].descending);
    CHECK(p.o.sorting[3].nulls_first && p.o.sorting[3].descending);
    CHECK_TEXT(p.o.sorting[4].column, "e desc");
    CHECK(pq_slice_is(p.o.params, "[1, {\"x\": [2]}]"));
    CHECK(!p.o.params_are_named);
    CHECK(pq_slice_is(p.o.key_values.v[0].value, "v"));
    CHECK(pq_slice_is(p.o.key_values.v[1].value, "{\"a\": 1}"));
    CHECK_TEXT(p.o.field_ids.v[0].name, "a.b");
    CHECK_INT(p.o.field_ids.v[0].number, 3);
    CHECK_INT(p.o.overwrite, 2);
    CHECK(!p.o.created_by);
    pq_arena_free(&p.arena);
}

TEST(copy_options, what_is_wrong_is_said_with_what_would_be_right)
{
    static const char *const pairs[][2] = {
        {"[]", "the options are a JSON object"},
        {"{\"compression\": \"zstd\"", "parquet_copy_to: options: malformed JSON"},
        {"{} x", "malformed JSON"},
        {"{\"compresion\": 1}", "there is no option compresion; did you mean "
                                "compression?"},
        {"{\"qwertz\": 1}", "there is no option qwertz; there are compression, "},
        {"{\"level\": 1}", "no option level; did you mean compression_level?"},
        {"{\"overwrite_mode\": 1}", "did you mean overwrite?"},
        {"{\"compression\": \"lzo\"}", "option compression: it takes zstd, snappy, "
            "gzip, brotli, lz4_raw or uncompressed, not lzo"},
        {"{\"compression\": {}}", "option compression: it takes zstd"},
        {"{\"compression_level\": 23}", "option compression_level: it takes a "
                                        "number from 1 to 22, not 23"},
        {"{\"row_group_rows\": 0}", "it takes a number from 1 to"},
        {"{\"row_group_rows\": 1.5}", "it takes a number from 1 to"},
        {"{\"row_group_rows\": -1}", "it takes a number from 1 to"},
        {"{\"row_group_rows\": 1e99}", "it takes a number from 1 to"},
        {"{\"row_group_rows\": true}", "it takes a number from 1 to"},
        {"{\"memory\": \"1KB\"}", "option memory: it takes a number of bytes, such "
                                  "as 64MB, from 1048576 to 1125899906842624, not 1KB"},
        {"{\"threads\": 65}", "option threads: it takes auto or a number from 0 "
                              "to 64, not 65"},
        {"{\"compatibility\": \"old\"}", "option compatibility: it takes standard, "
                                         "modern or legacy, not old"},
        {"{\"on_mismatch\": 1}", "it takes error or null, not 1"},
        {"{\"progress\": 2}", "it takes true, false or the name of a function, not 2"},
        {"{\"created_by\": 7}", "option created_by: it takes a text, not 7"},
        {"{\"created_by\": \"a\\u0000\"}", "a text with a NUL in it"},
        {"{\"types\": [\"INT\"]}", "option types: it takes types by column"},
        {"{\"types\": {\"a\": 1}}", "option types: it takes types by column"},
        {"{\"not_null\": [1]}", "it takes names of columns"},
        {"{\"columns\": {\"a\": {\"blom\": 1}}}", "there is no option columns.a."
                                                  "blom; did you mean bloom?"},
        {"{\"columns\": {\"a\": {\"memory\": 1}}}", "option columns.a.memory: "
            "memory is for the whole copy: write it next to \"columns\""},
        {"{\"columns\": {\"a\": {\"rows\": 1}}}", "columns.a.rows; did you mean "
                                                  "page_rows?"},
        {"{\"bloom\": {\"nvd\": 5}}", "option bloom: it takes true, false, auto, "
            "or {\"ndv\": 1000000, \"fpp\": 0.01}, but no \"nvd\""},
        {"{\"sorting_columns\": [{\"colum\": \"a\"}]}", "but no \"colum\""},
        {"{\"columns\": {\"a\": {\"bloom\": {\"fpp\": 2}}}}",
         "option columns.a.bloom: it takes true, false, auto, or"},
        {"{\"columns\": {\"a\": {\"encoding\": \"BIT_PACKED\"}}}",
         "option columns.a.encoding: it takes auto, PLAIN"},
        {"{\"sorting_columns\": \"a\"}", "it takes auto, false, or columns"},
        {"{\"sorting_columns\": [{\"descending\": 1}]}", "it takes {\"column\""},
        {"{\"params\": 1}", "option params: it takes values"},
        {"{\"field_ids\": {\"a\": -1}}", "option field_ids: it takes numbers"},
        {"{\"variant\": {}}", "option variant: it takes names of columns"},
        {"{\"shred\": \"all\"}", "option shred: it takes auto, none, or"},
        {"{\"shred\": {\"a\": 1.5}}", "option shred: it takes auto, none, a type"},
        {"{\"shred\": {\"a\": {\"$.b\": 1}}}", "option shred: it takes auto"},
        {"{\"encryption\": {}}", "option encryption: footer_key is missing"},
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(pairs); i++) {
        Parsed p;

        CHECK_FAILS(parse(t, &p, pairs[i][0]), PQ_USAGE, pairs[i][1]);
        pq_arena_free(&p.arena);
    }
}

TEST(copy_options, a_misspelt_name_finds_the_one_that_was_meant)
{
    static const char *const names[] = {
        "compatibility", "row_group_rows", "row_group_bytes", "memory",
        "threads", "types", "on_mismatch", "not_null", "columns",
        "sorting_columns", "partition_by", "filename_pattern", "overwrite",
        "file_rows", "file_bytes", "params", "kv_metadata", "field_ids",
        "created_by", "progress", "compression", "compression_level",
        "encoding", "dictionary", "bloom", "statistics", "page_version",
        "page_rows", "page_bytes", "float_order", "timestamp",
    };
    size_t i, k;

    for (i = 0; i < PQ_COUNT(names); i++) {
        size_t n = strlen(names[i]);

        for (k = 0; k < n; k++) {    /* leaves a letter out, or changes it */
            char without[100], wrong[100], said[100];
            Parsed p;

            snprintf(without, sizeof without, "{\"%.*s%s\": 1}", (int)k,
                     names[i], names[i] + k + 1);
            snprintf(wrong, sizeof wrong, "{\"%.*sq%s\": 1}", (int)k, names[i],
                     names[i] + k + 1);
            snprintf(said, sizeof said, "did you mean %s?", names[i]);
            CHECK_FAILS(parse(t, &p, without), PQ_USAGE, said);
            pq_arena_free(&p.arena);
            CHECK_FAILS(parse(t, &p, wrong), PQ_USAGE, said);
            pq_arena_free(&p.arena);
        }
    }
}

TEST(copy_options, names_of_other_tools_find_the_option_here)
{
    static const char *const pairs[][2] = {
        {"{\"codec\": 1}", "there is no option codec; did you mean "
                           "compression?"},
        {"{\"row_group_size\": 1}", "did you mean row_group_rows?"},
        {"{\"rowGroupSize\": 1}", "did you mean row_group_rows?"},
        {"{\"parquet.block.size\": 1}", "did you mean row_group_bytes?"},
        {"{\"append\": 1}", "did you mean \"overwrite\": \"append\"?"},
        {"{\"sort_by\": 1}", "did you mean sorting_columns, which promises "
                             "the order that an ORDER BY in the query makes?"},
        {"{\"partition-cols\": 1}", "did you mean partition_by?"},
        {"{\"schema\": 1}", "did you mean types?"},
        {"{\"use_dictionary\": 1}", "did you mean dictionary?"},
        {"{\"columns\": {\"a\": {\"codec\": 1}}}",
         "there is no option columns.a.codec; did you mean compression?"},
        {"{\"columns\": {\"a\": {\"dtype\": 1}}}", "option columns.a.dtype: "
            "types is for the whole copy: write it next to \"columns\""},
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(pairs); i++) {
        Parsed p;

        CHECK_FAILS(parse(t, &p, pairs[i][0]), PQ_USAGE, pairs[i][1]);
        pq_arena_free(&p.arena);
    }
}

/* No name of another tool may be an option here, and each must lead to one. */
TEST(copy_options, what_is_meant_by_names_of_other_tools_is_an_option)
{
    static const char *const names[] = {
        "codec", "zstd_level", "row_group_size", "block_size", "page_size",
        "data_page_row_count_limit", "file_size", "rows_per_file", "append",
        "mode", "order_by", "partition_cols", "file_prefix", "dtypes",
        "required", "strict", "use_byte_stream_split", "version",
        "key_value_metadata", "bind", "n_jobs", "verbose", "writer",
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(names); i++) {
        const PqsqlElsewhere *known = pqsql_copy_elsewhere(names[i]);
        char json[100], said[100];
        Parsed p;

        CHECK(known);
        snprintf(json, sizeof json, "{\"%s\": null}", known->option);
        CHECK_OK(parse(t, &p, json));
        pq_arena_free(&p.arena);
        snprintf(json, sizeof json, "{\"%s\": null}", names[i]);
        snprintf(said, sizeof said, "did you mean %s",
                 known->meant ? known->meant : known->option);
        CHECK_FAILS(parse(t, &p, json), PQ_USAGE, said);
        pq_arena_free(&p.arena);
    }
}

TEST(copy_options, any_failed_allocation_is_no_memory)
{
    static const char json[] =
        "{\"types\": {\"a\": \"INT\", \"b\": \"TEXT\", \"c\": \"\"},"
        " \"columns\": {\"a\": {\"bloom\": true}}, \"sorting_columns\": [\"a\"],"
        " \"kv_metadata\": {\"a\": \"\\n\"}, \"created_by\": \"x\"}";
    int64_t n;

    for (n = 1; !t->failed; n++) {
        Parsed p;
        PqRc rc;

        pq_fault_set(n);
        rc = parse(t, &p, json);
        pq_fault_set(0);
        pq_arena_free(&p.arena);
        pq_err_clear(t->e);
        if (rc == PQ_OK) {
            break;
        }
        CHECK_INT(rc, PQ_NOMEM);
    }
    CHECK(n > 1);
}
