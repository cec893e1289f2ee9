/*
** schema_claims_test.c - invalid schemas: counts that do not add up, types that
** do not exist, unreasonable depths and sizes.
*/
#include "test/unit/made_schema.h"

TEST(schema, no_elements_are_no_schema)
{
    begin(t, m);
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "schema of 0 elements");
    end(m);
}

TEST(schema, a_root_that_is_a_leaf_is_corrupt)
{
    begin(t, m);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "root of the schema is not a group");
    end(m);
}

TEST(schema, elements_in_no_group_are_corrupt)
{
    begin(t, m);
    root(m, 1);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    leaf(m, PQ_REQUIRED, PQ_INT32, "b");
    leaf(m, PQ_REQUIRED, PQ_INT32, "c");
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "4 elements: 2 are in no group");
    end(m);
}

TEST(schema, more_children_than_elements_are_corrupt)
{
    begin(t, m);
    root(m, 3);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    leaf(m, PQ_REQUIRED, PQ_INT32, "b");
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "claims 3 children, 2 elements");
    m->el[0].num_children = INT32_MAX;
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "claims 2147483647 children");
    end(m);
}

TEST(schema, a_group_that_takes_its_sisters_elements_is_corrupt)
{
    begin(t, m);
    root(m, 3);
    group(m, PQ_REQUIRED, "g", 2, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    leaf(m, PQ_REQUIRED, PQ_INT32, "b");
    leaf(m, PQ_REQUIRED, PQ_INT32, "c");
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "1 children of element 0 are missing");
    end(m);
}

TEST(schema, negative_children_are_corrupt)
{
    begin(t, m);
    root(m, 1);
    group(m, PQ_REQUIRED, "g", -1, NO);
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "\"g\": -1 children");
    end(m);
}

TEST(schema, impossible_repetitions_and_types_fail)
{
    begin(t, m);
    root(m, 1);
    leaf(m, 3, PQ_INT32, "a");
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "\"a\": repetition type 3");
    m->el[1].repetition_type = -1;
    CHECK_FAILS(build(t, m), PQ_CORRUPT, "repetition type -1");
    m->el[1].repetition_type = PQ_OPTIONAL;
    m->el[1].type = 8;
    CHECK_FAILS(build(t, m), PQ_UNSUPPORTED, "physical type 8");
    m->el[1].type = -1;
    CHECK_FAILS(build(t, m), PQ_UNSUPPORTED, "physical type -1");
    end(m);
}

TEST(schema, fixed_length_values_without_a_length_have_no_meaning)
{
    begin(t, m);
    root(m, 1);
    leaf(m, PQ_REQUIRED, PQ_FIXED, "a");
    m->el[1].has |= HAS(PQ_SCHEMA_CONVERTED);
    m->el[1].converted_type = PQ_CONVERTED_UTF8;
    SAME("a:LEAF p0 r0 #0");
    CHECK_INT(m->schema.leaves[0].type.fixed_length, PQ_NO_LENGTH);
    CHECK_INT(m->schema.leaves[0].type.logical, PQ_TYPE_NONE);
    m->el[1].has |= HAS(PQ_SCHEMA_TYPE_LENGTH);
    m->el[1].type_length = -2;
    SAME("a:LEAF p0 r0 #0");
    CHECK_INT(m->schema.leaves[0].type.fixed_length, PQ_NO_LENGTH);
    m->el[1].type_length = 0;
    SAME("a:LEAF p0 r0 #0");
    CHECK_INT(m->schema.leaves[0].type.fixed_length, 0);
    end(m);
}

TEST(schema, nesting_ends_before_levels_or_stacks_do)
{
    begin(t, m);
    root(m, 1);
    for (int i = 1; i < PQ_SCHEMA_MAX_DEPTH; i++) {
        group(m, PQ_OPTIONAL, "g", 1, NO);
    }
    leaf(m, PQ_OPTIONAL, PQ_INT32, "x");
    CHECK_OK(build(t, m));
    CHECK_INT(m->schema.leaves[0].max_def, PQ_SCHEMA_MAX_DEPTH);
    CHECK(is_sound(&m->schema, m->schema.root, NULL));
    m->el[m->list.n - 1].repetition_type = PQ_REPEATED;
    CHECK_FAILS(build(t, m), PQ_UNSUPPORTED, "nested deeper than 1000");
    end(m);
}

TEST(schema, many_leaves_in_a_deep_group_stay_within_the_budget)
{
    PqMem *small = pq_mem_new(1 << 20);

    begin(t, m);
    pq_arena_init(&m->arena, small);
    root(m, 1);
    for (int i = 1; i < 900; i++) {
        group(m, PQ_OPTIONAL, "a_rather_long_name", 1, NO);
    }
    m->el[m->list.n - 1].num_children = 2000;
    for (int i = 0; i < 2000; i++) {
        leaf(m, PQ_OPTIONAL, PQ_INT32, "x");
    }
    CHECK_FAILS(build(t, m), PQ_BUDGET, "");
    CHECK(pq_mem_peak(small) <= 1 << 20);
    end(m);
    CHECK_INT(pq_mem_used(small), 0);
    pq_mem_release(small);
}

TEST(schema, every_failing_allocation_is_reported_and_leaks_nothing)
{
    begin(t, m);
    root(m, 2);
    group(m, PQ_REPEATED, "s", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_REQUIRED, PQ_INT32, "a");
    logical(leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "g"), PQ_LOGICAL_GEOMETRY);
    for (int64_t i = 1; i < 100; i++) {
        PqRc rc;
        pq_fault_set(i);
        rc = build(t, m);
        CHECK(rc == t->e->rc);
        pq_fault_set(0);
        pq_arena_free(&m->arena);
        CHECK_INT(pq_mem_used(t->mem), 0);
        if (rc == PQ_OK) {
            CHECK(i > 1);
            end(m);
            return;
        }
        pq_err_clear(t->e);
    }
    CHECK(false);
}
