/*
** deletion_vector_test.c - descriptors of Delta and what they describe.
**
** Paths and rows are those of the protocol's examples.  Its inline example has the rows in
** a layout of Spark's memory, which is not the one that the protocol defines, and which
** no reader takes.  Here they are in that one.
*/
#include "core/codec/codec.h"
#include "core/lake/deletion_vector.h"
#include "core/text/z85.h"
#include "test/unit/test.h"

#define INLINE "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
#define ONE_ROW "^Bg9^0rr910000000000iXQKl0rr91000005c8Xg##093"
#define OF_SPARK "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
/* Magic, and a set of one bitmap: rows 3 4 7. */
#define DATA "d1d33964 0100000000000000 00000000 3a300000 01000000 0000 0200 10000000 " \
             "0300 0400 0700"
/* ... in another format. */
#define OTHER_DATA "d0d33964 0000000000000000"
enum { DATA_BYTES = 38 };

static PqDeletionVector vector(const char *type, const char *path, int64_t offset,
                               int64_t size, int64_t n_rows)
{
    return (PqDeletionVector){pq_slice_text(type), pq_slice_text(path), offset, size,
                              n_rows};
}

/* "3-5 7-8", or why not; rc as it should be. */
static const char *rows_of(Test *t, PqDeletionVector d, PqSlice bytes, PqRc rc)
{
    static char text[PQ_ERR_TEXT];
    PqRowRange *r;
    PqBuf ranges;
    size_t at = 0, n;
    bool ok;

    pq_buf_init(&ranges, t->mem, NULL);
    ok = pq_deletion_vector_read(&d, bytes, &ranges, NULL, t->e) == rc;
    snprintf(text, sizeof text, "%s", t->e->text);
    r = pq_row_ranges(&ranges, &n);
    for (size_t i = 0; i < n && rc == PQ_OK; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld-%lld", i ? " " : "",
                               (long long)r[i].begin, (long long)r[i].end);
    }
    pq_buf_free(&ranges);
    pq_err_clear(t->e);
    return ok ? text : "another code of an error";
}

/* Data as a file has it, with its size and checksum. */
static PqSlice stored(Test *t, const char *before, const char *data)
{
    PqSlice s = test_hex(t, data);
    uint32_t crc = pq_crc32(0, s);
    char hex[1000];

    snprintf(hex, sizeof hex, "%s%08x%s%08x", before, (unsigned)s.n, data, (unsigned)crc);
    return test_hex(t, hex);
}

static const char *bytes_of(const char *text)
{
    static char hex[40];
    uint8_t out[16];
    size_t n;

    if (!pq_z85_parse(pq_slice_text(text), out, &n)) {
        return "not Z85";
    }
    for (size_t i = 0; i < n; i++) {
        snprintf(hex + 2 * i, 3, "%02x", out[i]);
    }
    return n ? hex : "";
}

TEST(z85, five_characters_are_four_bytes)
{
    static const char *const bad[] = {"%nSc1", "#####", "0000", "000000", "0000\"", "0000\n",
                                      "#000000000", "####000000", "0000\xff"};
    size_t n;

    CHECK_TEXT(bytes_of("HelloWorld"), "864fd26fb559f75b");
    CHECK_TEXT(bytes_of("%nSc0"), "ffffffff");
    CHECK_TEXT(bytes_of("00001"), "00000001");
    CHECK_TEXT(bytes_of(""), "");
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK_TEXT(bytes_of(bad[i]), "not Z85");
    }
    CHECK(!pq_z85_parse(pq_slice("0000\0", 5), (uint8_t[4]){0}, &n));
}

TEST(z85, a_last_group_may_lack_bytes)
{
    CHECK_TEXT(bytes_of("HelloWorld##093"), "864fd26fb559f75b0300");
    CHECK_TEXT(bytes_of("#rr90"), "ffffff");
    CHECK_TEXT(bytes_of("###30"), "ff");
    CHECK_TEXT(bytes_of("##960"), "ffff");
    CHECK_TEXT(bytes_of("#rr91"), "not Z85");
    CHECK_TEXT(bytes_of("###31"), "not Z85");
    CHECK_TEXT(bytes_of("####1"), "not Z85");
}

TEST(deletion_vector, inline_data_has_the_rows_that_the_protocol_names)
{
    PqSlice none = {NULL, 0};
    PqDeletionPlace place;
    PqDeletionVector d = vector("i", INLINE, 0, 44, 6);
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_deletion_vector_find(&d, &a, &place, t->e));
    CHECK(!place.path);
    CHECK_TEXT(rows_of(t, d, none, PQ_OK), "3-5 7-8 11-12 18-19 29-30");
    /* Of a table that delta-kernel-rs tests. */
    CHECK_TEXT(rows_of(t, vector("i", ONE_ROW, 0, 34, 1), none, PQ_OK), "3-4");
    CHECK(strstr(rows_of(t, vector("i", INLINE, 0, 44, 5), none, PQ_CORRUPT),
                 "has 6 rows, its cardinality is 5"));
    CHECK(strstr(rows_of(t, vector("i", INLINE, 0, 45, 6), none, PQ_CORRUPT),
                 "has 44 bytes, its size is 45"));
    CHECK(strstr(rows_of(t, vector("i", INLINE, 0, 40, 6), none, PQ_CORRUPT),
                 "has 44 bytes, its size is 40"));
    CHECK(strstr(rows_of(t, vector("i", INLINE, 0, -1, 6), none, PQ_CORRUPT),
                 "its size is -1"));
    CHECK(strstr(rows_of(t, vector("i", INLINE, 0, 43, 6), none, PQ_CORRUPT),
                 "ends too early"));
    CHECK(strstr(rows_of(t, vector("i", INLINE "00000", 0, 48, 6), none, PQ_CORRUPT),
                 "4 bytes after its bitmaps"));
    CHECK_TEXT(rows_of(t, vector("i", INLINE "00000", 0, 45, 6), none, PQ_CORRUPT) +
               sizeof("a deletion vector has ") - 1, "1 bytes after its bitmaps");
    CHECK(strstr(rows_of(t, vector("i", "wi5b", 0, 0, 0), none, PQ_CORRUPT), "Z85"));
    CHECK(strstr(rows_of(t, vector("i", "wi5b~", 0, 4, 0), none, PQ_CORRUPT), "Z85"));
    CHECK(strstr(rows_of(t, vector("i", "", 0, 0, 0), none, PQ_CORRUPT),
                 "4 bytes wanted, 0 left"));
    CHECK(strstr(rows_of(t, vector("i", OF_SPARK, 0, 40, 6), none, PQ_UNSUPPORTED),
                 "can be read"));
    pq_arena_free(&a);
}

static const char *path_of(Test *t, PqArena *a, PqDeletionVector d, PqDeletionPlace *place)
{
    if (pq_deletion_vector_find(&d, a, place, t->e) != PQ_OK) {
        const char *text = pq_arena_text(a, t->e->text, strlen(t->e->text), t->e);

        pq_err_clear(t->e);
        return text;
    }
    return place->path;
}

#define UUID "^-aqEH.-t@S}K{vb[*k^"
#define NAME "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"

TEST(deletion_vector, a_path_is_made_of_a_uuid_or_named)
{
    static const char *const bad[] = {"", "^-aqEH.-t@S}K{vb[*k", "^-aqEH.-t@S}K{vb[*k~", "^-aqEH.-t@S}K{v##093",
                                      "../" UUID, ".." UUID, "a/b" UUID, "." UUID,
                                      "a\nb" UUID, "a\\" UUID};
    const char *absolute = "s3://mytable/" NAME;
    PqDeletionPlace p;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_TEXT(path_of(t, &a, vector("u", "ab" UUID, 4, 40, 6), &p), "ab/" NAME);
    CHECK(p.in_table && p.part.begin == 4 && p.part.n == 48);
    CHECK_TEXT(path_of(t, &a, vector("u", UUID, 1, 40, 6), &p), NAME);
    CHECK(p.in_table && p.part.begin == 0 && p.part.n == 49);
    CHECK_TEXT(path_of(t, &a, vector("u", "a..%2F" UUID, 0, 40, 6), &p), "a..%2F/" NAME);
    CHECK(p.in_table && p.part.begin == 0 && p.part.n == 49);
    CHECK_TEXT(path_of(t, &a, vector("p", absolute, 4, 40, 6), &p), absolute);
    CHECK(!p.in_table && p.part.begin == 4 && p.part.n == 48);
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK(strstr(path_of(t, &a, vector("u", bad[i], 4, 40, 6), &p), "UUID in Z85"));
    }
    CHECK(strstr(path_of(t, &a, vector("p", "", 4, 40, 6), &p), "is empty"));
    CHECK(strstr(path_of(t, &a, vector("x", "", 4, 40, 6), &p), "storageType 'x'"));
    CHECK(strstr(path_of(t, &a, vector("", "", 4, 40, 6), &p), "storageType ''"));
    CHECK(strstr(path_of(t, &a, vector("u", UUID, -1, 40, 6), &p), "offset -1"));
    CHECK(strstr(path_of(t, &a, vector("u", UUID, 1, -1, 6), &p), "-1 bytes"));
    CHECK(strstr(path_of(t, &a, vector("u", UUID, 1, INT64_MAX, 6), &p), "bytes at"));
    CHECK(strstr(path_of(t, &a, vector("p", UUID, INT64_MAX, 9, 6), &p), "bytes at"));
    pq_arena_free(&a);
}

TEST(deletion_vector, bytes_of_a_file_are_what_the_descriptor_says)
{
    PqDeletionVector first = vector("u", "", 1, DATA_BYTES, 3), later = first, far = first, other = first;
    PqSlice whole = stored(t, "01", DATA), bare = stored(t, "", DATA);

    later.offset = 47;
    other.offset = 47;
    other.size = 12;
    far.n_rows = 4;
    CHECK_TEXT(rows_of(t, first, whole, PQ_OK), "3-5 7-8");
    CHECK_TEXT(rows_of(t, later, bare, PQ_OK), "3-5 7-8");
    CHECK(strstr(rows_of(t, far, whole, PQ_CORRUPT), "3 rows, its cardinality is 4"));
    CHECK(strstr(rows_of(t, first, stored(t, "02", DATA), PQ_UNSUPPORTED), "in version 2"));
    CHECK(strstr(rows_of(t, other, stored(t, "", OTHER_DATA), PQ_UNSUPPORTED),
                 "in format 1681511376"));
    for (size_t i = 0; i < bare.n; i++) {
        CHECK(strstr(rows_of(t, later, pq_slice(bare.p, i), PQ_CORRUPT), "is cut off"));
    }
    later.size++;
    CHECK(strstr(rows_of(t, later, stored(t, "", DATA "00"), PQ_CORRUPT),
                 "1 bytes after its bitmaps"));
    CHECK(strstr(rows_of(t, later, stored(t, "00", DATA), PQ_CORRUPT),
                 "a deletion vector of 0 bytes"));
}

TEST(deletion_vector, each_changed_byte_of_a_file_is_an_error)
{
    PqDeletionVector first = vector("u", "", 1, DATA_BYTES, 3);
    PqSlice whole = stored(t, "01", DATA);
    uint8_t changed[100];

    for (size_t i = 0; i < whole.n; i++) {
        PqBuf ranges;

        memcpy(changed, whole.p, whole.n);
        changed[i] ^= 1;
        pq_buf_init(&ranges, t->mem, NULL);
        CHECK(pq_deletion_vector_read(&first, pq_slice(changed, whole.n), &ranges, NULL,
                                      t->e) != PQ_OK);
        CHECK(i < 5 || strstr(t->e->text, "checksum"));
        pq_err_clear(t->e);
        pq_buf_free(&ranges);
    }
}

TEST(deletion_vector, a_blob_of_puffin_is_the_same)
{
    PqSlice blob = stored(t, "", DATA);
    PqBuf ranges;

    pq_buf_init(&ranges, t->mem, NULL);
    CHECK_OK(pq_deletion_vector_blob(blob, 3, &ranges, NULL, t->e));
    CHECK_INT(ranges.n / sizeof(PqRowRange), 2);
    for (size_t i = 0; i < blob.n; i++) {
        CHECK_FAILS(pq_deletion_vector_blob(pq_slice(blob.p, i), 3, &ranges, NULL, t->e),
                    PQ_CORRUPT, i < 4 ? "4 bytes wanted" : "where one of");
    }
    pq_buf_free(&ranges);
}
