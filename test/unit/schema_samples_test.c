/*
** schema_samples_test.c - schemas and bounds of the official sample files: how
** several writers wrote lists, maps and NaN.
*/
#include "core/meta/stats.h"
#include "test/unit/made_schema.h"
#include "test/unit/small_file.h"

/* Checks that the columns of a sample file are want. */
static void check_tree(Test *t, const char *name, const char *want)
{
    char path[200];
    Small file;
    PqBuf text;

    snprintf(path, sizeof path, "data/%s.parquet", name);
    pq_buf_init(&text, t->mem, t->e);
    if (small_open_sample(t, path, &file) != PQ_OK && !t->skipped) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    if (file.footer &&
        (strcmp(columns_text(&file.footer->schema, &text), want) != 0 ||
         !is_sound(&file.footer->schema, file.footer->schema.root, NULL))) {
        test_fail(t, __FILE__, __LINE__, "%s is %s, not %s", name,
                  (const char *)text.p, want);
    }
    pq_buf_free(&text);
    small_close(&file);
}

TEST(schema_samples, lists_of_old_are_lists)
{
    check_tree(t, "old_list_structure",
               "a:LIST p0 r0 [1 1](array:LIST p1 r1 [2 2](array:LEAF p2 r2 "
               "#0))");
    check_tree(t, "null_list", "emptylist:LIST p1 r0 [2 1](item:LEAF p3 r1 "
                               "#0)");
    check_tree(t, "nested_lists.snappy",
               "a:LIST p1 r0 [2 1](element:LIST p3 r1 [4 2](element:LIST p5 "
               "r2 [6 3](element:LEAF p7 r3 #0))); b:LEAF p0 r0 #1");
}

TEST(schema_samples, repeated_fields_without_annotation_are_lists)
{
    check_tree(t, "repeated_no_annotation",
               "id:LEAF p0 r0 #0; phoneNumbers:STRUCT p1 r0(phone:LIST p1 r0 "
               "[2 1](phone:STRUCT p2 r1(number:LEAF p2 r1 #1, kind:LEAF p3 "
               "r1 #2)))");
    check_tree(t, "repeated_primitive_no_list",
               "Int32_list:LIST p0 r0 [1 1](Int32_list:LEAF p1 r1 #0); "
               "String_list:LIST p0 r0 [1 1](String_list:LEAF p1 r1 #1); "
               "group_of_lists:STRUCT p0 r0("
               "Int32_list_in_group:LIST p0 r0 [1 1](Int32_list_in_group:LEAF "
               "p1 r1 #2), String_list_in_group:LIST p0 r0 [1 1]("
               "String_list_in_group:LEAF p1 r1 #3))");
}

TEST(schema_samples, maps_with_odd_schemas_are_maps)
{
    check_tree(t, "incorrect_map_schema",
               "my_map:MAP p1 r0 [2 1](key:LEAF p3 r1 #0, value:LEAF p3 r1 "
               "#1)");
    check_tree(t, "map_no_value",
               "my_map:MAP p0 r0 [1 1](key:LEAF p1 r1 #0, value:LEAF p2 r1 "
               "#1); my_map_no_v:MAP p0 r0 [1 1](key:LEAF p1 r1 #2); "
               "my_list:LIST p0 r0 [1 1](element:LEAF p1 r1 #3)");
}

/* Bounds of a leaf in a row group; false when there is no such file. */
static bool bounds_of(Test *t, const char *name, uint32_t group,
                      uint32_t leaf, PqBounds *out)
{
    char path[200];
    PqColumnChunk chunk;
    PqArena arena;
    Small file;
    bool there;

    snprintf(path, sizeof path, "data/%s.parquet", name);
    pq_arena_init(&arena, t->mem);
    there = small_open_sample(t, path, &file) == PQ_OK &&
            pq_footer_chunk(file.footer, group, leaf, &arena, &chunk,
                            t->e) == PQ_OK;
    if (there) {
        *out = pq_stats_bounds(file.footer, leaf, &chunk.meta_data.statistics,
                               chunk.meta_data.num_values);
    } else if (!t->skipped) {
        test_fail(t, __FILE__, __LINE__, "%s: %s", name, t->e->text);
    }
    pq_arena_free(&arena);
    small_close(&file);
    return there;
}

TEST(schema_samples, bounds_with_a_nan_in_sight_are_not_believed)
{
    PqBounds b;

    if (bounds_of(t, "nan_in_stats", 0, 0, &b)) {
        CHECK(!b.has_min && !b.has_max && b.n_nans == -1);
    }
}

TEST(schema_samples, nans_are_counted_in_both_orders_of_floats)
{
    PqBounds b;

    for (uint32_t leaf = 0; leaf < 6; leaf++) {
        if (!bounds_of(t, "floating_orders_nan_count", 0, leaf, &b)) {
            return;
        }
        CHECK(b.has_min && b.has_max && b.n_nans == 0);
        CHECK_INT(b.order, PQ_ORDER_FLOAT);
    }
}

TEST(schema_samples, old_decimals_in_bytes_have_no_bounds)
{
    PqBounds b;

    if (bounds_of(t, "fixed_length_decimal", 0, 0, &b)) {
        CHECK(!b.has_min && !b.has_max && b.n_nulls == 0);
    }
    if (!t->skipped && bounds_of(t, "int32_decimal", 0, 0, &b)) {
        CHECK(b.has_min && b.has_max && b.order == PQ_ORDER_SIGNED);
    }
}
