/*
** variant_path_test.c - paths, fields found by name, and blobs taken apart.
*/
#include "core/variant/variant_build.h"
#include "core/variant/variant_path.h"
#include "test/unit/test.h"

/* ---- reading ------------------------------------------------------------- */

/* The steps, each as <name> or its number. */
static void check_path(Test *t, const char *path, const char *want)
{
    PqVariantPath p;
    PqErr e;
    PqArena a;
    PqBuf got;

    pq_err_init(&e);
    pq_arena_init(&a, t->mem);
    pq_buf_init(&got, t->mem, t->e);
    if (pq_variant_path_parse(pq_slice_text(path), &a, &p, &e) != PQ_OK) {
        pq_buf_text(&got, e.text);
    }
    for (uint32_t i = 0; i < p.n; i++) {
        if (p.step[i].name.p) {
            pq_buf_printf(&got, "<%.*s>", (int)p.step[i].name.n,
                          (const char *)p.step[i].name.p);
        } else {
            pq_buf_printf(&got, "%u", p.step[i].index);
        }
    }
    pq_buf_byte(&got, 0);
    if (!got.p || !strstr((char *)got.p, want) ||
        (*want == '<' && strcmp((char *)got.p, want) != 0)) {
        test_fail(t, __FILE__, __LINE__, "%s: %s", path, (char *)got.p);
    }
    pq_buf_free(&got);
    pq_arena_free(&a);
}

TEST(variant_path, names_quotes_and_indexes_are_steps)
{
    check_path(t, "$", "");
    check_path(t, "$.a", "<a>");
    check_path(t, "$.user.id", "<user><id>");
    check_path(t, "$.a b.c-d", "<a b><c-d>");
    check_path(t, "$['a.b'][\"it's\"]", "<a.b><it's>");
    check_path(t, "$['']", "<>");
    check_path(t, "$['a]b']", "<a]b>");
    check_path(t, "$.a[0][17]['b']", "<a>017<b>");
    check_path(t, "$[4294967295]", "4294967295");
    check_path(t, "$.\xc3\xa9", "<\xc3\xa9>");
}

TEST(variant_path, a_wrong_path_is_told_where_it_is_wrong)
{
    check_path(t, "", "the path \"\" is wrong at byte 0: a path begins with $");
    check_path(t, "a.b", "at byte 0: a path begins with $");
    check_path(t, "$a", "at byte 1: a point or [ is expected");
    check_path(t, "$.", "at byte 2: a name is expected after the point");
    check_path(t, "$..a", "at byte 2: a name is expected after the point");
    check_path(t, "$.[0]", "at byte 2: a name is expected after the point");
    check_path(t, "$[", "at byte 2: an index from 0 or a quoted name");
    check_path(t, "$[-1]", "at byte 2: an index from 0 or a quoted name");
    check_path(t, "$[a]", "at byte 2: an index from 0 or a quoted name");
    check_path(t, "$[1", "at byte 3: ] is expected");
    check_path(t, "$[1x]", "at byte 3: ] is expected");
    check_path(t, "$['a", "at byte 2: this quote is not closed");
    check_path(t, "$['a\"]", "at byte 2: this quote is not closed");
    check_path(t, "$['it's']", "at byte 6: ] is expected");
    check_path(t, "$[4294967296]", "at byte 2: no array has so many elements");
    check_path(t, "$[0]a", "at byte 4: a point or [ is expected");
}

/* ---- following ----------------------------------------------------------- */

/* What is at the path of a JSON text, as JSON; "missing", or the error. */
static void check_find(Test *t, const char *json, const char *path,
                       const char *want)
{
    PqSlice metadata, value, out;
    PqVariantBuild *b = NULL;
    PqVariantMeta m;
    PqVariantPath p;
    bool found;
    PqArena a;
    PqBuf got;

    pq_arena_init(&a, t->mem);
    pq_buf_init(&got, t->mem, t->e);
    CHECK_OK(pq_variant_build_new(t->mem, &b, t->e));
    CHECK_OK(pq_variant_parse(pq_slice_text(json), b, &a, t->e));
    CHECK_OK(pq_variant_build_finish(b, &metadata, &value, t->e));
    CHECK_OK(pq_variant_path_parse(pq_slice_text(path), &a, &p, t->e));
    CHECK_OK(pq_variant_meta_open(metadata, &m, t->e));
    CHECK_OK(pq_variant_path_find(&m, value, p.step, p.n, &out, &found, t->e));
    if (found) {
        CHECK_OK(pq_variant_check(&m, out, t->e));
        CHECK_OK(pq_variant_json_take(&m, &out, 0, &got, t->e));
    } else {
        pq_buf_text(&got, "missing");
    }
    pq_buf_byte(&got, 0);
    CHECK_TEXT((const char *)got.p, want);
    pq_buf_free(&got);
    pq_variant_build_free(b);
    pq_arena_free(&a);
}

TEST(variant_path, a_path_leads_to_a_value_or_it_is_missing)
{
    const char *json = "{\"user\":{\"id\":7,\"tags\":[\"a\",{\"b\":null}]},"
                       "\"\":1,\"A\":2}";

    check_find(t, json, "$.user.id", "7");
    check_find(t, json, "$.user.tags[0]", "\"a\"");
    check_find(t, json, "$.user.tags[1].b", "null");
    check_find(t, json, "$['user']",
               "{\"id\":7,\"tags\":[\"a\",{\"b\":null}]}");
    check_find(t, json, "$['']", "1");
    check_find(t, json, "$.A", "2");
    check_find(t, json, "$.a", "missing");
    check_find(t, json, "$.user.tags[2]", "missing");
    check_find(t, json, "$.user[0]", "missing");
    check_find(t, json, "$.user.tags.b", "missing");
    check_find(t, json, "$.user.id.x", "missing");
    check_find(t, json, "$.user.id[0]", "missing");
    check_find(t, json, "$.user.nope.x[3]", "missing");
    check_find(t, "null", "$", "null");
    check_find(t, "\"x\"", "$.x", "missing");
}

/* ---- fields by name ------------------------------------------------------ */

/* The metadata of n names, and an object with field i = int8 i, as they are. */
static void unsorted_object(Test *t, const char *const *name, uint32_t n,
                            PqBuf *metadata, PqBuf *value)
{
    uint32_t i;

    pq_buf_init(metadata, t->mem, t->e);
    pq_buf_init(value, t->mem, t->e);
    pq_buf_byte(metadata, 0x11);     /* sorted, it says */
    pq_buf_byte(metadata, (uint8_t)n);
    pq_buf_byte(metadata, 0);
    for (size_t end = i = 0; i < n; i++) {
        end += strlen(name[i]);
        pq_buf_byte(metadata, (uint8_t)end);
    }
    pq_buf_byte(value, 0x02);
    pq_buf_byte(value, (uint8_t)n);
    for (i = 0; i < n; i++) {
        pq_buf_text(metadata, name[i]);
        pq_buf_byte(value, (uint8_t)i);
    }
    for (i = 0; i <= n; i++) {
        pq_buf_byte(value, (uint8_t)(2 * i));
    }
    for (i = 0; i < n; i++) {
        pq_buf_byte(value, 0x0c);
        pq_buf_byte(value, (uint8_t)i);
    }
}

TEST(variant_path, fields_in_the_order_of_utf16_are_found)
{
    /* 18 names, so that halves are searched; U+1F600 comes before U+FF01 in
    ** UTF-16, and after it in UTF-8. */
    static const char *const name[] = {
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
        "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81", "\xf0\x9f\x98\x82",
        "\xee\x80\x80", "\xef\xbc\x81",
    };
    PqSlice rest, found_at = {NULL, 0};
    PqBuf metadata, value;
    PqVariantItems items;
    PqVariantMeta m;
    bool found;

    unsorted_object(t, name, PQ_COUNT(name), &metadata, &value);
    rest = pq_buf_view(&value);
    CHECK_OK(pq_variant_meta_open(pq_buf_view(&metadata), &m, t->e));
    CHECK_OK(pq_variant_items_open(&rest, &items, t->e));
    for (uint32_t i = 0; i < PQ_COUNT(name); i++) {
        CHECK_OK(pq_variant_items_find(&m, &items, pq_slice_text(name[i]),
                                       &found_at, &found, t->e));
        CHECK(found);
        CHECK_INT(found_at.n, 2);
        CHECK_INT(found_at.p[1], i);
    }
    CHECK_OK(pq_variant_items_find(&m, &items,
                                   pq_slice_text("\xf0\x9f\x98\x83"),
                                   &found_at, &found, t->e));
    CHECK(!found);
    CHECK_OK(pq_variant_items_find(&m, &items, pq_slice_text("\xef\xbc\x82"),
                                   &found_at, &found, t->e));
    CHECK(!found);
    pq_buf_free(&metadata);
    pq_buf_free(&value);
}

TEST(variant_path, a_few_fields_are_found_in_any_order)
{
    static const char *const name[] = {"c", "a", "b"};
    PqSlice rest, at = {NULL, 0};
    PqBuf metadata, value;
    PqVariantItems items;
    PqVariantMeta m;
    bool found;

    unsorted_object(t, name, PQ_COUNT(name), &metadata, &value);
    rest = pq_buf_view(&value);
    CHECK_OK(pq_variant_meta_open(pq_buf_view(&metadata), &m, t->e));
    CHECK_OK(pq_variant_items_open(&rest, &items, t->e));
    for (uint32_t i = 0; i < PQ_COUNT(name); i++) {
        CHECK_OK(pq_variant_items_find(&m, &items, pq_slice_text(name[i]),
                                       &at, &found, t->e));
        CHECK(found && at.p[1] == i);
    }
    pq_buf_free(&metadata);
    pq_buf_free(&value);
}

/* As DuckDB writes an object that is not shredded. */
TEST(variant_path, many_fields_are_found_in_any_order)
{
    static char room[60][16];
    const char *name[60];
    PqSlice rest, at = {NULL, 0};
    PqBuf metadata, value;
    PqVariantItems items;
    PqVariantMeta m;
    bool found;

    for (int i = 0; i < 60; i++) {
        snprintf(room[i], sizeof room[i], "k%02d", i * 37 % 60);
        name[i] = room[i];
    }
    unsorted_object(t, name, PQ_COUNT(name), &metadata, &value);
    rest = pq_buf_view(&value);
    CHECK_OK(pq_variant_meta_open(pq_buf_view(&metadata), &m, t->e));
    CHECK_OK(pq_variant_items_open(&rest, &items, t->e));
    for (uint32_t i = 0; i < PQ_COUNT(name); i++) {
        CHECK_OK(pq_variant_items_find(&m, &items, pq_slice_text(name[i]),
                                       &at, &found, t->e));
        CHECK(found && at.p[1] == i);
    }
    CHECK_OK(pq_variant_items_find(&m, &items, pq_slice_text("k60"), &at,
                                   &found, t->e));
    CHECK(!found);
    pq_buf_free(&metadata);
    pq_buf_free(&value);
}

/* ---- blobs --------------------------------------------------------------- */

static void check_split(Test *t, const char *blob, size_t n_metadata)
{
    PqSlice bytes = test_hex(t, blob), metadata, value;

    CHECK_OK(pq_variant_split(bytes, &metadata, &value, t->e));
    CHECK_INT(metadata.n, n_metadata);
    CHECK_INT(value.n, bytes.n - n_metadata);
    CHECK(value.p == bytes.p + n_metadata);
}

TEST(variant_value, a_blob_is_metadata_then_value)
{
    PqSlice metadata, value;

    check_split(t, "01 00 00 0c 07", 3);
    check_split(t, "01 02 00 01 02 61 62 0c 07", 7);
    check_split(t, "41 01 00 00 00 01 00 61 00", 8);
    /* without the one offset */
    check_split(t, "01 00 0c 07", 2);
    check_split(t, "01 00 00", 2);
    check_split(t, "01 00 00 00", 3);
    check_split(t, "41 00 00 00", 3);
    check_split(t, "41 00 00 00 00 00", 5);
    CHECK_FAILS(pq_variant_split(test_hex(t, "01 01 00 05 61"), &metadata,
                                 &value, t->e), PQ_CORRUPT, "end at 5 of 1");
    CHECK_FAILS(pq_variant_split(test_hex(t, ""), &metadata, &value, t->e),
                PQ_CORRUPT, "without metadata");
}

static void check_join(Test *t, const char *metadata, const char *value,
                       const char *want)
{
    PqSlice m, v, whole = test_hex(t, want);
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    CHECK_OK(pq_variant_join(test_hex(t, metadata), test_hex(t, value), &out,
                             t->e));
    CHECK_BYTES(out.p, out.n, whole.p, whole.n);
    CHECK_OK(pq_variant_split(pq_buf_view(&out), &m, &v, t->e));
    CHECK_INT(v.n, test_hex(t, value).n);
    pq_buf_free(&out);
}

TEST(variant_value, what_is_joined_can_be_split)
{
    check_join(t, "01 00", "00", "01 00 00 00");
    check_join(t, "c1 00 00 00 00", "0c 07", "01 00 00 0c 07");
    check_join(t, "01 00 00", "00", "01 00 00 00");
    check_join(t, "01 01 00 01 61 62 63", "00", "01 01 00 01 61 00");
}

TEST(variant_value, bytes_after_a_value_are_found)
{
    PqVariantMeta m;

    CHECK_OK(pq_variant_meta_open(test_hex(t, "01 00 00"), &m, t->e));
    CHECK_OK(pq_variant_check(&m, test_hex(t, "0c 07"), t->e));
    CHECK_FAILS(pq_variant_check(&m, test_hex(t, "0c 07 00"), t->e),
                PQ_CORRUPT, "1 bytes follow");
    CHECK_FAILS(pq_variant_check(&m, test_hex(t, "03 02 00 00 02 0c 07"),
                                 t->e), PQ_CORRUPT, "bytes");
}

static bool is_malformed(Test *t, const char *metadata, const char *value)
{
    bool malformed = false;
    PqVariantMeta m;

    if (pq_variant_meta_open(test_hex(t, metadata), &m, t->e) != PQ_OK) {
        return false;
    }
    m.malformed = &malformed;
    return pq_variant_check(&m, test_hex(t, value), t->e) == PQ_OK && malformed;
}

TEST(variant_value, a_check_sees_texts_and_names_that_are_not_utf8)
{
    const char *one = "02 01 00 00 01 04", *two = "02 02 00 01 00 01 02 04 08";

    CHECK(!is_malformed(t, "01 00 00", "09 c3 a9"));
    CHECK(is_malformed(t, "01 00 00", "05 ff"));
    CHECK(!is_malformed(t, "01 01 00 02 c3 a9", one));
    CHECK(is_malformed(t, "01 01 00 01 ff", one));
    /* two halves of a character */
    CHECK(is_malformed(t, "01 02 00 01 02 c3 a9", two));
    /* beyond the last offset */
    CHECK(is_malformed(t, "01 02 00 02 01 61 ff", one));
    CHECK_OK(t->e->rc);
}
