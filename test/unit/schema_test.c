/*
** schema_test.c - schemas as real files have them: the table of schema.h, and
** the compatibility rules of LogicalTypes.md, one by one.
*/
#include "test/unit/made_schema.h"

/* ---- plain columns and structs ---- */

TEST(schema, required_and_optional_leaves_have_level_0_and_1)
{
    begin(t, m);
    root(m, 2);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    leaf(m, PQ_OPTIONAL, PQ_INT64, "b");
    SAME("a:LEAF p0 r0 #0; b:LEAF p1 r0 #1");
    CHECK(m->schema.root->child[0]->required);
    CHECK(!m->schema.root->child[1]->required);
    CHECK(m->schema.root->required);
    CHECK_TEXT(m->schema.root->name, "schema");
    CHECK_TEXT(m->schema.root->path, "");
    end(m);
}

TEST(schema, optional_structs_add_a_level_each)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "s", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    group(m, PQ_OPTIONAL, "u", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "b");
    SAME("s:STRUCT p1 r0(a:LEAF p1 r0 #0, u:STRUCT p2 r0(b:LEAF p3 r0 #1))");
    CHECK_TEXT(m->schema.leaves[1].path, "s.u.b");
    CHECK_INT(m->schema.leaves[1].max_def, 3);
    end(m);
}

TEST(schema, a_root_without_children_has_no_columns)
{
    begin(t, m);
    root(m, 0);
    SAME("");
    CHECK_INT(m->schema.n_leaves, 0);
    m->el[0].has = 0;
    SAME("");
    end(m);
}

TEST(schema, a_type_on_a_group_with_children_is_ignored)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_REQUIRED, "g", 1, NO)->has |= HAS(PQ_SCHEMA_TYPE);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    m->el[0].has |= HAS(PQ_SCHEMA_TYPE);
    SAME("g:STRUCT p0 r0(a:LEAF p0 r0 #0)");
    end(m);
}

TEST(schema, a_leaf_may_say_that_it_has_no_children)
{
    PqSchemaElement *el;

    begin(t, m);
    root(m, 1);
    el = leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    el->has |= HAS(PQ_SCHEMA_NUM_CHILDREN);
    SAME("a:LEAF p0 r0 #0");
    end(m);
}

TEST(schema, groups_without_leaves_are_structs_whatever_they_say)
{
    begin(t, m);
    root(m, 4);
    group(m, PQ_OPTIONAL, "a", 0, NO);
    group(m, PQ_REPEATED, "b", 0, NO);
    group(m, PQ_OPTIONAL, "c", 1, LIST);
    group(m, PQ_REPEATED, "list", 0, NO);
    group(m, PQ_OPTIONAL, "d", 1, MAP);
    group(m, PQ_REPEATED, "key_value", 1, NO);
    group(m, PQ_REQUIRED, "key", 0, NO);
    SAME("a:STRUCT p1 r0(); b:STRUCT p1 r1(); c:STRUCT p1 r0(list:STRUCT p2 "
         "r1()); d:STRUCT p1 r0(key_value:STRUCT p2 r1(key:STRUCT p2 r1()))");
    end(m);
}

TEST(schema, a_missing_repetition_is_required)
{
    begin(t, m);
    root(m, 1);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "a")->has &= ~HAS(PQ_SCHEMA_REPETITION);
    SAME("a:LEAF p0 r0 #0");
    end(m);
}

/* ---- lists ---- */

TEST(schema, three_level_list_skips_the_middle)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "tags", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "element");
    SAME("tags:LIST p1 r0 [2 1](element:LEAF p3 r1 #0)");
    CHECK_TEXT(m->schema.leaves[0].path, "tags.list.element");
    CHECK_TEXT(m->schema.root->child[0]->path, "tags");
    CHECK_INT(m->schema.root->child[0]->child[0]->element, 3);
    end(m);
}

TEST(schema, converted_list_is_a_list)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_REQUIRED, "a", 1, LIST_OLD);
    group(m, PQ_REPEATED, "bag", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "array_element");
    SAME("a:LIST p0 r0 [1 1](array_element:LEAF p1 r1 #0)");
    end(m);
}

TEST(schema, list_of_lists_has_two_repeated_levels)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "a", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    group(m, PQ_REQUIRED, "element", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "element");
    SAME("a:LIST p1 r0 [2 1](element:LIST p2 r1 [3 2](element:LEAF p4 r2 "
         "#0))");
    end(m);
}

TEST(schema, a_required_list_in_an_optional_struct_is_null_with_it)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "s", 1, NO);
    group(m, PQ_REQUIRED, "l", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "element");
    SAME("s:STRUCT p1 r0(l:LIST p1 r0 [2 1](element:LEAF p2 r1 #0))");
    end(m);
}

TEST(schema, rule_1_a_repeated_primitive_is_the_element)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "my_list", 1, LIST);
    leaf(m, PQ_REPEATED, PQ_INT32, "element");
    SAME("my_list:LIST p1 r0 [2 1](element:LEAF p2 r1 #0)");
    CHECK(m->schema.leaves[0].node->required);
    end(m);
}

TEST(schema, rule_2_a_repeated_group_of_several_fields_is_the_element)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "my_list", 1, LIST);
    group(m, PQ_REPEATED, "element", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "str");
    leaf(m, PQ_REQUIRED, PQ_INT32, "num");
    SAME("my_list:LIST p1 r0 [2 1](element:STRUCT p2 r1(str:LEAF p2 r1 #0, "
         "num:LEAF p2 r1 #1))");
    end(m);
}

TEST(schema, rule_3_a_repeated_list_is_the_element)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "my_list", 1, LIST);
    group(m, PQ_REPEATED, "array", 1, LIST);
    leaf(m, PQ_REPEATED, PQ_INT32, "array");
    SAME("my_list:LIST p1 r0 [2 1](array:LIST p2 r1 [3 2](array:LEAF p3 r2 "
         "#0))");
    end(m);
}

TEST(schema, rule_3_a_repeated_group_of_a_repeated_field_is_the_element)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "my_list", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_REPEATED, PQ_INT32, "x");
    SAME("my_list:LIST p1 r0 [2 1](list:STRUCT p2 r1(x:LIST p2 r1 [3 2]("
         "x:LEAF p3 r2 #0)))");
    end(m);
}

TEST(schema, rule_3_a_repeated_map_is_the_element)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "l", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, MAP);
    group(m, PQ_REPEATED, "key_value", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "key");
    leaf(m, PQ_OPTIONAL, PQ_INT32, "value");
    SAME("l:LIST p1 r0 [2 1](list:MAP p2 r1 [3 2](key:LEAF p3 r2 #0, "
         "value:LEAF p4 r2 #1))");
    end(m);
}

TEST(schema, rule_4_array_and_name_tuple_are_the_element)
{
    begin(t, m);
    root(m, 3);
    group(m, PQ_OPTIONAL, "a", 1, LIST);
    group(m, PQ_REPEATED, "array", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "str");
    group(m, PQ_OPTIONAL, "my_list", 1, LIST);
    group(m, PQ_REPEATED, "my_list_tuple", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "str");
    group(m, PQ_OPTIONAL, "", 1, LIST);
    group(m, PQ_REPEATED, "_tuple", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "str");
    SAME("a:LIST p1 r0 [2 1](array:STRUCT p2 r1(str:LEAF p2 r1 #0)); "
         "my_list:LIST p1 r0 [2 1](my_list_tuple:STRUCT p2 r1(str:LEAF p2 r1 "
         "#1)); :LIST p1 r0 [2 1](_tuple:STRUCT p2 r1(str:LEAF p2 r1 #2))");
    end(m);
}

TEST(schema, rule_5_other_names_are_the_layer)
{
    begin(t, m);
    root(m, 2);
    group(m, PQ_OPTIONAL, "my_list", 1, LIST);
    group(m, PQ_REPEATED, "element", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "str");
    group(m, PQ_OPTIONAL, "my_list", 1, LIST);
    group(m, PQ_REPEATED, "your_list_tuple", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "str");
    SAME("my_list:LIST p1 r0 [2 1](str:LEAF p3 r1 #0); "
         "my_list:LIST p1 r0 [2 1](str:LEAF p2 r1 #1)");
    end(m);
}

TEST(schema, a_list_that_is_repeated_itself_is_a_list_of_lists)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_REPEATED, "a", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "element");
    SAME("a:LIST p0 r0 [1 1](a:LIST p1 r1 [2 2](element:LEAF p3 r2 #0))");
    end(m);
}

TEST(schema, list_of_struct_of_list_keeps_counting)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "a", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    group(m, PQ_OPTIONAL, "element", 2, NO);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "x");
    group(m, PQ_OPTIONAL, "y", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "element");
    SAME("a:LIST p1 r0 [2 1](element:STRUCT p3 r1(x:LEAF p4 r1 #0, y:LIST p4 "
         "r1 [5 2](element:LEAF p6 r2 #1)))");
    end(m);
}

TEST(schema, bare_repeated_fields_are_lists_that_are_never_null)
{
    begin(t, m);
    root(m, 2);
    leaf(m, PQ_REPEATED, PQ_INT32, "n");
    group(m, PQ_OPTIONAL, "phones", 1, NO);
    group(m, PQ_REPEATED, "phone", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_INT64, "number");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "kind");
    SAME("n:LIST p0 r0 [1 1](n:LEAF p1 r1 #0); phones:STRUCT p1 r0(phone:LIST "
         "p1 r0 [2 1](phone:STRUCT p2 r1(number:LEAF p2 r1 #1, kind:LEAF p3 "
         "r1 #2)))");
    CHECK(m->schema.root->child[0]->required);
    CHECK(m->schema.root->child[0]->child[0]->required);
    CHECK_TEXT(m->schema.leaves[0].path, "n");
    CHECK_TEXT(m->schema.leaves[1].path, "phones.phone.number");
    end(m);
}

TEST(schema, annotations_that_do_not_fit_are_ignored)
{
    begin(t, m);
    root(m, 6);
    group(m, PQ_OPTIONAL, "a", 1, LIST);         /* not repeated      */
    leaf(m, PQ_OPTIONAL, PQ_INT32, "x");
    group(m, PQ_OPTIONAL, "b", 2, LIST);         /* two children      */
    leaf(m, PQ_REPEATED, PQ_INT32, "x");
    leaf(m, PQ_OPTIONAL, PQ_INT32, "y");
    group(m, PQ_OPTIONAL, "c", 1, MAP);          /* three in the pair */
    group(m, PQ_REPEATED, "kv", 3, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "x");
    leaf(m, PQ_REQUIRED, PQ_INT32, "y");
    leaf(m, PQ_REQUIRED, PQ_INT32, "z");
    group(m, PQ_OPTIONAL, "d", 1, MAP);          /* no pair           */
    leaf(m, PQ_REPEATED, PQ_INT32, "x");
    converted(leaf(m, PQ_OPTIONAL, PQ_INT32, "e"), PQ_CONVERTED_LIST);
    group(m, PQ_OPTIONAL, "f", 1, NEW);          /* of the future     */
    converted(&m->el[m->list.n - 1], PQ_CONVERTED_LIST);
    leaf(m, PQ_REPEATED, PQ_INT32, "x");
    SAME("a:STRUCT p1 r0(x:LEAF p2 r0 #0); "
         "b:STRUCT p1 r0(x:LIST p1 r0 [2 1](x:LEAF p2 r1 #1), y:LEAF p2 r0 "
         "#2); "
         "c:STRUCT p1 r0(kv:LIST p1 r0 [2 1](kv:STRUCT p2 r1(x:LEAF p2 r1 #3, "
         "y:LEAF p2 r1 #4, z:LEAF p2 r1 #5))); "
         "d:STRUCT p1 r0(x:LIST p1 r0 [2 1](x:LEAF p2 r1 #6)); "
         "e:LEAF p1 r0 #7; "
         "f:STRUCT p1 r0(x:LIST p1 r0 [2 1](x:LEAF p2 r1 #8))");
    end(m);
}

/* ---- maps and variants ---- */

TEST(schema, a_map_skips_the_pair)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "m", 1, MAP);
    group(m, PQ_REPEATED, "key_value", 2, KEY_VALUE);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "key");
    leaf(m, PQ_OPTIONAL, PQ_INT32, "value");
    SAME("m:MAP p1 r0 [2 1](key:LEAF p2 r1 #0, value:LEAF p3 r1 #1)");
    end(m);
}

TEST(schema, a_map_may_have_optional_keys_and_no_values)
{
    begin(t, m);
    root(m, 2);
    group(m, PQ_REQUIRED, "a", 1, MAP_OLD);
    group(m, PQ_REPEATED, "map", 2, NO);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "key");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "value");
    group(m, PQ_REQUIRED, "b", 1, MAP);
    group(m, PQ_REPEATED, "key_value", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "key");
    SAME("a:MAP p0 r0 [1 1](key:LEAF p2 r1 #0, value:LEAF p2 r1 #1); "
         "b:MAP p0 r0 [1 1](key:LEAF p1 r1 #2)");
    end(m);
}

TEST(schema, map_key_value_outside_a_map_is_the_map)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "my_map", 1, KEY_VALUE);
    group(m, PQ_REPEATED, "map", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "key");
    leaf(m, PQ_OPTIONAL, PQ_INT32, "value");
    SAME("my_map:MAP p1 r0 [2 1](key:LEAF p2 r1 #0, value:LEAF p3 r1 #1)");
    end(m);
}

TEST(schema, map_of_maps_and_repeated_map)
{
    begin(t, m);
    root(m, 2);
    group(m, PQ_OPTIONAL, "a", 1, MAP_OLD);
    group(m, PQ_REPEATED, "key_value", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "key");
    group(m, PQ_OPTIONAL, "value", 1, MAP_OLD);
    group(m, PQ_REPEATED, "key_value", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "key");
    leaf(m, PQ_REQUIRED, PQ_BOOLEAN, "value");
    group(m, PQ_REPEATED, "b", 1, MAP);
    group(m, PQ_REPEATED, "key_value", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "key");
    SAME("a:MAP p1 r0 [2 1](key:LEAF p2 r1 #0, value:MAP p3 r1 [4 2](key:LEAF "
         "p4 r2 #1, value:LEAF p4 r2 #2)); "
         "b:LIST p0 r0 [1 1](b:MAP p1 r1 [2 2](key:LEAF p2 r2 #3))");
    end(m);
}

TEST(schema, a_variant_keeps_its_raw_children)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "v", 3, VARIANT);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "metadata");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "value");
    group(m, PQ_OPTIONAL, "typed_value", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    group(m, PQ_REQUIRED, "element", 2, NO);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "value");
    leaf(m, PQ_OPTIONAL, PQ_INT64, "typed_value");
    SAME("v:VARIANT p1 r0(metadata:LEAF p1 r0 #0, value:LEAF p2 r0 #1, "
         "typed_value:LIST p2 r0 [3 1](element:STRUCT p3 r1(value:LEAF p4 r1 "
         "#2, typed_value:LEAF p4 r1 #3)))");
    end(m);
}

TEST(schema, a_variant_needs_metadata_and_a_value)
{
    begin(t, m);
    root(m, 4);
    group(m, PQ_OPTIONAL, "a", 1, VARIANT);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "metadata");
    group(m, PQ_OPTIONAL, "b", 2, VARIANT);
    leaf(m, PQ_REQUIRED, PQ_INT32, "metadata");
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "value");
    group(m, PQ_OPTIONAL, "c", 3, VARIANT);
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "metadata");
    leaf(m, PQ_REPEATED, PQ_BYTE_ARRAY, "value");
    leaf(m, PQ_OPTIONAL, PQ_INT32, "typed_value");
    group(m, PQ_OPTIONAL, "d", 2, VARIANT);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "typed_value");
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "metadata");
    CHECK_OK(build(t, m));
    CHECK_INT(m->schema.root->child[0]->kind, PQ_NODE_STRUCT);
    CHECK_INT(m->schema.root->child[1]->kind, PQ_NODE_STRUCT);
    CHECK_INT(m->schema.root->child[2]->kind, PQ_NODE_STRUCT);
    CHECK_INT(m->schema.root->child[3]->kind, PQ_NODE_VARIANT);
    end(m);
}

TEST(schema, a_file_group_is_a_struct)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "f", 1, FILE_GROUP);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "uri");
    SAME("f:STRUCT p1 r0(uri:LEAF p2 r0 #0)");
    end(m);
}

/* ---- names ---- */

TEST(schema, names_are_utf8_and_end_at_nul)
{
    begin(t, m);
    root(m, 6);
    leaf(m, PQ_REQUIRED, PQ_INT32, "");
    leaf(m, PQ_REQUIRED, PQ_INT32, "a.b\"c");
    leaf(m, PQ_REQUIRED, PQ_INT32, "")->name = pq_slice("x\0y", 3);
    leaf(m, PQ_REQUIRED, PQ_INT32, "\xff\xe2\x82");
    leaf(m, PQ_REQUIRED, PQ_INT32, "")->name = pq_slice("\xe9t\xe9\0\xff", 5);
    group(m, PQ_REQUIRED, "", 2, NO)->name = pq_slice("g\0h", 3);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    leaf(m, PQ_REQUIRED, PQ_INT32, "a")->name = pq_slice(NULL, 0);
    CHECK_OK(build(t, m));
    CHECK_TEXT(m->schema.leaves[0].path, "");
    CHECK_TEXT(m->schema.leaves[1].path, "a.b\"c");
    CHECK_TEXT(m->schema.leaves[2].node->name, "x");
    CHECK_TEXT(m->schema.leaves[2].path, "x");
    CHECK_TEXT(m->schema.leaves[3].node->name, "\xef\xbf\xbd\xef\xbf\xbd");
    CHECK_TEXT(m->schema.leaves[3].path, "\xef\xbf\xbd\xef\xbf\xbd");
    CHECK_TEXT(m->schema.leaves[4].node->name, "\xef\xbf\xbdt\xef\xbf\xbd");
    CHECK_TEXT(m->schema.leaves[4].path, "\xef\xbf\xbdt\xef\xbf\xbd");
    CHECK_TEXT(m->schema.leaves[5].path, "g.a");
    CHECK_TEXT(m->schema.leaves[6].path, "g.");
    end(m);
}
