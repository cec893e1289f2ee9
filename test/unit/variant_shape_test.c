/*
** variant_shape_test.c - what a shape leaves out.  Its text is tested in SQL.
*/
#include "core/variant/variant_build.h"
#include "core/variant/variant_type.h"
#include "test/unit/test.h"

static void check_shape(Test *t, size_t name, const char *want)
{
    PqSlice metadata, value;
    PqVariantShape s = {0};
    PqVariantBuild *b = NULL;
    PqBuf json, text;
    PqVariantMeta m;
    PqArena a;

    pq_arena_init(&a, t->mem);
    pq_buf_init(&json, t->mem, t->e);
    pq_buf_init(&text, t->mem, t->e);
    pq_buf_printf(&json, "{\"%0*d\":true,\"b\":7}", (int)name, 0);
    CHECK_OK(pq_variant_build_new(t->mem, &b, t->e));
    CHECK_OK(pq_variant_parse(pq_buf_view(&json), b, &a, t->e));
    CHECK_OK(pq_variant_build_finish(b, &metadata, &value, t->e));
    CHECK_OK(pq_variant_meta_open(metadata, &m, t->e));
    CHECK_OK(pq_variant_shape_add(&s, &m, value, &a, t->e));
    pq_variant_shape_text(&s, &text);
    pq_buf_byte(&text, 0);
    CHECK(strstr((const char *)text.p, want) != NULL);
    CHECK_INT(s.n_fields, name > PQ_VARIANT_SHAPE_NAME ? 1 : 2);
    CHECK(s.cut == (name > PQ_VARIANT_SHAPE_NAME));
    pq_variant_build_free(b);
    pq_buf_free(&json);
    pq_buf_free(&text);
    pq_arena_free(&a);
}

TEST(variant_shape, a_field_with_a_very_long_name_is_left_out)
{
    check_shape(t, 1, "`0`: BOOLEAN, b: BIGINT");
    check_shape(t, PQ_VARIANT_SHAPE_NAME, "0`: BOOLEAN, b: BIGINT");
    check_shape(t, PQ_VARIANT_SHAPE_NAME + 1, "OBJECT<b: BIGINT");
}
