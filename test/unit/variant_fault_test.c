/*
** variant_fault_test.c - each allocation of a builder fails once: there is an
** error in words, nothing leaks, and the builder can be used again.
*/
#include "core/variant/variant_build.h"
#include "test/unit/test.h"

/* A text with long names, with strings to unescape, and many fields. */
static void make_text(PqBuf *out)
{
    pq_buf_text(out, "{\"a\\n\":[");
    for (int i = 0; i < 100; i++) {
        pq_buf_printf(out, "{\"x%d\":%d,\"y\":\"\\u00e9\"},", i, i);
    }
    pq_buf_printf(out, "{\"%080d\":1.5}]}", 7);
}

/* Parses the text, copies the result, and copies it under its metadata. */
static PqRc build(PqVariantBuild *a, PqVariantBuild *b, PqSlice json,
                  PqArena *scratch, PqSlice *value, PqErr *e)
{
    PqSlice metadata, metadata2;
    PqVariantMeta m, m2;

    pq_arena_reset(scratch);
    pq_variant_build_begin(a);
    PQ_TRY(pq_variant_parse(json, a, scratch, e));
    PQ_TRY(pq_variant_build_finish(a, &metadata, value, e));
    PQ_TRY(pq_variant_meta_open(metadata, &m, e));
    pq_variant_build_begin(b);
    pq_variant_build_copy(b, &m, *value);
    PQ_TRY(pq_variant_build_finish(b, &metadata2, value, e));
    PQ_TRY(pq_variant_meta_open(metadata2, &m2, e));
    PQ_TRY(pq_variant_build_begin_under(a, metadata2, e));
    pq_variant_build_copy(a, &m2, *value);
    return pq_variant_build_finish(a, &metadata, value, e);
}

static PqRc build_anew(Test *t, PqSlice json, bool *again)
{
    PqVariantBuild *a = NULL, *b = NULL;
    PqArena scratch;
    PqSlice value;
    PqRc rc;

    *again = false;
    pq_arena_init(&scratch, t->mem);
    rc = pq_variant_build_new(t->mem, &a, t->e);
    if (rc == PQ_OK) {
        rc = pq_variant_build_new(t->mem, &b, t->e);
    }
    if (rc == PQ_OK) {
        rc = build(a, b, json, &scratch, &value, t->e);
        if (rc != PQ_OK) {           /* no fault any more */
            PqErr e;
            pq_err_init(&e);
            *again = build(a, b, json, &scratch, &value, &e) == PQ_OK;
        }
    }
    pq_variant_build_free(a);
    pq_variant_build_free(b);
    pq_arena_free(&scratch);
    return rc;
}

TEST(variant_build, an_allocation_that_fails_is_an_error_and_no_more)
{
    bool passed = false, again;
    PqBuf json;

    pq_buf_init(&json, t->mem, t->e);
    make_text(&json);
    for (int64_t nth = 1; !passed && !t->failed; nth++) {
        PqRc rc;
        pq_fault_set(nth);
        rc = build_anew(t, pq_buf_view(&json), &again);
        passed = pq_fault_count() < nth;
        pq_fault_set(0);
        CHECK(passed == (rc == PQ_OK));
        CHECK(passed || (t->e->rc == PQ_NOMEM && t->e->text[0]));
        CHECK(passed || again || nth <= 2);
        CHECK(nth < 1000);
        pq_err_clear(t->e);
    }
    pq_buf_free(&json);
}
