/*
** compact_test.c - the compact protocol, on structs made for the purpose.
*/
#include "core/thrift/compact.h"
#include "test/unit/test.h"

typedef struct Inner {
    uint32_t has;
    int8_t   tiny;
    bool     flag;
} Inner;

typedef struct Choice {
    uint32_t has;
    Inner    left, right;
} Choice;

typedef struct Inners { Inner *v; uint32_t n; } Inners;
typedef struct Longs { int64_t *v; uint32_t n; } Longs;
typedef struct Bools { uint8_t *v; uint32_t n; } Bools;
typedef struct Slices { PqSlice *v; uint32_t n; } Slices;

typedef struct Outer {
    uint32_t has;
    int16_t  small;
    int32_t  number;
    int64_t  large;
    double   real;
    PqSlice  text, bytes;
    bool     yes, sure;
    Inner    inner;
    Choice   choice;
    Longs    longs;
    Bools    bools;
    Slices   texts, raws;
    Inners   inners;
} Outer;

enum {
    SMALL = 1, NUMBER = 2, LARGE = 3, REAL = 4, TEXT = 5, YES = 6, INNER = 7,
    CHOICE = 8, LONGS = 9, BOOLS = 10, TEXTS = 11, INNERS = 12, RAWS = 13,
    SURE = 14, BYTES = 30
};
enum { TINY = 1, FLAG = 2 };
enum { LEFT = 1, RIGHT = 2 };

#define AT(s, m) \
    .offset = offsetof(s, m), .size = sizeof(((s *)0)->m), .name = #m
#define OF(s, m) \
    .offset = offsetof(s, m), .size = sizeof(*((s *)0)->m.v), .name = #m

static const PqThriftField inner_rows[] = {
    {TINY, PQ_THRIFT_INT, PQ_THRIFT_REQUIRED, AT(Inner, tiny)},
    {FLAG, PQ_THRIFT_BOOL, 0, AT(Inner, flag)},
};
static const PqThriftStruct inner_table = {"Inner", inner_rows, 2,
                                           sizeof(Inner), false};

static const PqThriftField choice_rows[] = {
    {LEFT, PQ_THRIFT_STRUCT, 0, AT(Choice, left), .of = &inner_table},
    {RIGHT, PQ_THRIFT_STRUCT, 0, AT(Choice, right), .of = &inner_table},
};
static const PqThriftStruct choice_table = {"Choice", choice_rows, 2,
                                            sizeof(Choice), true};

static const PqThriftField outer_rows[] = {
    {SMALL, PQ_THRIFT_INT, 0, AT(Outer, small)},
    {NUMBER, PQ_THRIFT_INT, 0, AT(Outer, number)},
    {LARGE, PQ_THRIFT_INT, 0, AT(Outer, large)},
    {REAL, PQ_THRIFT_DOUBLE, 0, AT(Outer, real)},
    {TEXT, PQ_THRIFT_TEXT, 0, AT(Outer, text)},
    {YES, PQ_THRIFT_BOOL, 0, AT(Outer, yes)},
    {INNER, PQ_THRIFT_STRUCT, 0, AT(Outer, inner), .of = &inner_table},
    {CHOICE, PQ_THRIFT_STRUCT, 0, AT(Outer, choice), .of = &choice_table},
    {LONGS, PQ_THRIFT_LIST | PQ_THRIFT_INT, 0, OF(Outer, longs)},
    {BOOLS, PQ_THRIFT_LIST | PQ_THRIFT_BOOL, 0, OF(Outer, bools)},
    {TEXTS, PQ_THRIFT_LIST | PQ_THRIFT_TEXT, 0, OF(Outer, texts)},
    {INNERS, PQ_THRIFT_LIST | PQ_THRIFT_STRUCT, 0, OF(Outer, inners),
     .of = &inner_table},
    {RAWS, PQ_THRIFT_LIST | PQ_THRIFT_RAW, 0, OF(Outer, raws),
     .of = &inner_table},
    {SURE, PQ_THRIFT_BOOL, PQ_THRIFT_TRUE, AT(Outer, sure)},
    {BYTES, PQ_THRIFT_BINARY, 0, AT(Outer, bytes)},
};
static const PqThriftStruct outer_table = {
    "Outer", outer_rows, PQ_COUNT(outer_rows), sizeof(Outer), false};

#define HAS(s, field) (((s).has >> (field)) & 1u)

/* Reads an Outer from hex; the arena is the caller's to free. */
static PqRc read_hex(Test *t, const char *hex, PqArena *a, Outer *out)
{
    PqSlice bytes = test_hex(t, hex);

    pq_arena_init(a, t->mem);
    return pq_compact_read(&outer_table, &bytes, a, out, t->e);
}

#define CHECK_READS(hex)                                               \
    PqArena a;                                                         \
    Outer o;                                                           \
    PqRc read_rc = read_hex(t, (hex), &a, &o);                         \
    pq_arena_free(&a); /* scalars and slices of the input stay valid */ \
    CHECK_OK(read_rc)

#define CHECK_REFUSED(hex, text)                                       \
    do {                                                               \
        PqArena a_;                                                    \
        Outer o_;                                                      \
        PqRc rc_ = read_hex(t, (hex), &a_, &o_);                       \
        pq_arena_free(&a_);                                            \
        CHECK_FAILS(rc_, PQ_CORRUPT, text);                            \
    } while (0)

TEST(compact, an_empty_struct_is_one_byte)
{
    CHECK_READS("00");
    CHECK_INT(o.has, 0);
    CHECK_INT(o.sure, true);                 /* true when absent */
}

TEST(compact, no_bytes_are_no_struct)
{
    PqSlice none = {NULL, 0};
    PqArena a;
    Outer o;

    pq_arena_init(&a, t->mem);
    CHECK_FAILS(pq_compact_read(&outer_table, &none, &a, &o, t->e), PQ_CORRUPT,
                "Outer is cut off");
}

TEST(compact, numbers_are_zigzag_varints)
{
    CHECK_READS("14 01 15 0e 16 ff ff ff ff ff ff ff ff ff 01 00");
    CHECK_INT(o.small, -1);
    CHECK_INT(o.number, 7);
    CHECK_INT(o.large, INT64_MIN);
}

TEST(compact, a_double_and_a_text_and_a_bool)
{
    CHECK_READS("47 00 00 00 00 00 00 f8 3f 18 02 68 69 11 82 00");
    CHECK(o.real == 1.5);
    CHECK(pq_slice_is(o.text, "hi"));
    CHECK_INT(o.yes, true);
    CHECK(HAS(o, SURE) && !o.sure);
}

TEST(compact, what_follows_the_struct_is_left_alone)
{
    PqSlice bytes = test_hex(t, "15 0e 00 aa bb");
    PqArena a;
    Outer o;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_compact_read(&outer_table, &bytes, &a, &o, t->e));
    CHECK_INT(bytes.n, 2);
    CHECK_INT(bytes.p[0], 0xaa);
}

TEST(compact, fields_may_come_in_any_order)
{
    CHECK_READS("05 04 0e" "04 02 01" "05 3c 02" "05 04 10 00");
    CHECK_INT(o.number, 8);                  /* twice: the last one counts */
    CHECK_INT(o.small, -1);
    CHECK(HAS(o, PQ_THRIFT_UNKNOWN));        /* field 30 as a number */
    CHECK(!HAS(o, BYTES));
}

TEST(compact, a_list_that_comes_twice_is_the_last_one)
{
    PqArena a;
    Outer o;
    PqRc rc = read_hex(t, "99 26 02 04 09 12 16 0a 00", &a, &o);
    uint32_t n = rc == PQ_OK ? o.longs.n : 0;
    int64_t v = n ? o.longs.v[0] : 0;

    pq_arena_free(&a);
    CHECK_OK(rc);
    CHECK_INT(n, 1);
    CHECK_INT(v, 5);
}

TEST(compact, unknown_fields_of_every_type_are_skipped)
{
    static const char *const values[] = {
        "01", "02", "03 7f", "04 ff 7f", "05 80 80 01", "06 01",
        "07 00 01 02 03 04 05 06 07", "08 03 61 62 63", "08 00",
        "09 00", "09 32 00 01 02", "09 35 02 80 01 04", "09 28 01 61 00",
        "09 27 0011223344556677 8899aabbccddeeff",
        "09 f3 10 000102030405060708090a0b0c0d0e0f",
        "09 29 15 02 00", "09 2c 15 02 00 00", "0a 15 02", "0b 00",
        "0b 02 85 01 61 04 01 62 06", "0b 01 9b 15 02 00", "09 1b 00",
        "0c 15 02 1c 11 00 00",
        "0d 00112233445566778899aabbccddeeff",
        "09 1d 00112233445566778899aabbccddeeff",
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(values); i++) {
        char hex[256];
        Outer o;
        PqArena a;
        PqRc rc;

        /* as field 29, which has no row, before field 2 */
        snprintf(hex, sizeof hex, "%.2s 3a %s 05 04 0e 00", values[i],
                 values[i] + 2);
        rc = read_hex(t, hex, &a, &o);
        pq_arena_free(&a);
        CHECK_OK(rc);
        CHECK_INT(o.number, 7);
        CHECK(HAS(o, PQ_THRIFT_UNKNOWN));
        CHECK_INT(o.has & 0x7fffffff, 1u << NUMBER);
    }
}

TEST(compact, field_numbers_beyond_the_mask_and_negative_ones_are_skipped)
{
    /* 31, 32, 32767, -1, -32768, then 2 */
    CHECK_READS("05 3e 02 05 40 02 05 fe ff 03 02 05 01 02 05 ff ff 03 02 "
                "05 04 0e 00");
    CHECK_INT(o.number, 7);
    CHECK_INT(o.has, 1u << NUMBER | 1u << PQ_THRIFT_UNKNOWN);
}

TEST(compact, a_field_number_beyond_16_bits_is_corrupt)
{
    CHECK_REFUSED("05 80 80 04 02 00", "field number");
    CHECK_REFUSED("05 ff ff ff ff ff ff ff ff ff 01 02 00", "field number");
}

TEST(compact, a_field_of_another_type_than_its_row_is_unknown)
{
    CHECK_READS("18 01 61"                   /* 1: text for a number        */
                "18 01 61"                   /* 2 */
                "1c 00"                      /* 3: a struct for a number    */
                "15 02"                      /* 4: a number for a double    */
                "15 02"                      /* 5: a number for a text      */
                "15 02"                      /* 6: a number for a boolean   */
                "19 15 02"                   /* 7: a list for a struct      */
                "11"                         /* 8: a boolean for a union    */
                "19 18 01 61"                /* 9: texts for numbers        */
                "1a 11 01"                   /* 10: a set for a list        */
                "19 1c 00"                   /* 11: structs for texts       */
                "19 15 02"                   /* 12: numbers for structs     */
                "19 15 02 00");              /* 13: likewise                */
    CHECK_INT(o.has, 1u << PQ_THRIFT_UNKNOWN);
}

TEST(compact, integers_of_all_widths_are_one_type)
{
    CHECK_READS("13 ff 13 fe 13 80 00");     /* three single bytes */
    CHECK_INT(o.small, -1);
    CHECK_INT(o.number, -2);
    CHECK_INT(o.large, -128);
    CHECK_INT(o.has, 1u << SMALL | 1u << NUMBER | 1u << LARGE);
}

TEST(compact, a_number_that_is_too_large_is_corrupt)
{
    CHECK_REFUSED("16 80 80 04 00", "Outer.small has a number that is too");
    CHECK_REFUSED("26 80 80 80 80 10 00", "Outer.number");
    CHECK_REFUSED("26 81 80 80 80 10 00", "Outer.number");
}

TEST(compact, the_largest_numbers_of_each_width_fit)
{
    CHECK_READS("16 fe ff 03 16 fe ff ff ff 0f 16 fe ff ff ff ff ff ff ff ff "
                "01 00");
    CHECK_INT(o.small, INT16_MAX);
    CHECK_INT(o.number, INT32_MAX);
    CHECK_INT(o.large, INT64_MAX);
}

TEST(compact, a_varint_beyond_64_bits_is_corrupt)
{
    CHECK_REFUSED("36 ff ff ff ff ff ff ff ff ff 02 00", "does not end");
    CHECK_REFUSED("36 80 80 80 80 80 80 80 80 80 80 00 00", "does not end");
}

TEST(compact, booleans_in_lists_are_one_two_or_zero)
{
    static const char *const lists[] = {"a9 41 01 02 00 01 00",
                                        "a9 42 01 02 00 01 00"};
    size_t i;

    for (i = 0; i < 2; i++) {
        PqArena a;
        Outer o;
        PqRc rc = read_hex(t, lists[i], &a, &o);
        bool right = rc == PQ_OK && o.bools.n == 4 &&
                     memcmp(o.bools.v, "\1\0\0\1", 4) == 0;
        pq_arena_free(&a);
        CHECK_OK(rc);
        CHECK(right);
    }
}

TEST(compact, an_empty_list_may_have_any_element_type)
{
    CHECK_READS("99 00 19 0c 19 0f 19 05 00");
    CHECK_INT(o.has, 1u << LONGS | 1u << BOOLS | 1u << TEXTS | 1u << INNERS);
    CHECK_INT(o.longs.n + o.bools.n + o.texts.n + o.inners.n, 0);
}

TEST(compact, an_unknown_union_member_leaves_only_the_unknown_bit)
{
    CHECK_READS("8c 1c 13 05 00 2c 00 00 00"); /* left, then field 3 */
    CHECK_INT(o.choice.has, 1u << PQ_THRIFT_UNKNOWN);
}

TEST(compact, a_union_has_the_member_that_came_last)
{
    CHECK_READS("8c 1c 13 05 00 1c 13 06 00 00 00");
    CHECK_INT(o.choice.has, 1u << RIGHT);
    CHECK_INT(o.choice.right.tiny, 6);
}

TEST(compact, a_missing_required_field_is_named)
{
    CHECK_REFUSED("7c 00 00", "Inner.tiny is missing");
    CHECK_REFUSED("c9 2c 13 01 00 21 00 00", "Inner.tiny is missing");
}

TEST(compact, raw_structs_are_slices_of_the_input)
{
    PqArena a;
    Outer o;
    PqRc rc = read_hex(t, "d9 2c 13 05 00 13 06 1c 15 02 00 00 00", &a, &o);
    PqSlice first = {0}, second = {0};

    if (rc == PQ_OK && o.raws.n == 2) {
        first = o.raws.v[0];
        second = o.raws.v[1];
    }
    pq_arena_free(&a);
    CHECK_OK(rc);
    CHECK_BYTES(first.p, first.n, "\x13\x05\x00", 3);
    CHECK_BYTES(second.p, second.n, "\x13\x06\x1c\x15\x02\x00\x00", 7);
}

TEST(compact, a_list_longer_than_its_bytes_is_corrupt)
{
    CHECK_REFUSED("99 f6 ff ff ff ff 0f 00", "more elements than bytes");
    CHECK_REFUSED("99 f6 ff ff ff ff ff ff ff ff ff 01 00", "more elements");
    CHECK_REFUSED("c9 fc 64 00", "more elements than bytes");
    CHECK_REFUSED("09 3a fc ff ff ff ff 0f 00", "list longer than its bytes");
}

TEST(compact, a_text_longer_than_its_bytes_is_corrupt)
{
    CHECK_REFUSED("58 05 61 62 63", "Outer.text is longer than its bytes");
    CHECK_REFUSED("58 ff ff ff ff ff ff ff ff ff 01 00", "longer than");
    CHECK_REFUSED("08 3a ff ff ff ff ff ff ff ff ff 01 00", "cut off");
}

TEST(compact, unknown_wire_types_are_corrupt)
{
    CHECK_REFUSED("1e 00", "unknown type");
    CHECK_REFUSED("1f 00", "unknown type");
    CHECK_REFUSED("10 00", "unknown type");
    CHECK_REFUSED("09 3a 1e 00 00", "unknown type");
    CHECK_REFUSED("0b 3a 01 e5 01 02 00", "unknown type");
}

/* depth structs, lists or maps inside each other, as an unknown field. */
static PqRc read_nested(Test *t, size_t depth, const char *open,
                        const char *close)
{
    PqBuf b;
    PqSlice bytes, piece;
    PqArena a;
    Outer o;
    size_t i;
    PqRc rc;

    pq_buf_init(&b, t->mem, t->e);
    pq_arena_init(&a, t->mem);
    piece = test_hex(t, open);
    pq_buf_add(&b, "\x0c\x3a", 2);           /* field 29, a struct */
    for (i = 1; i < depth; i++) {
        pq_buf_add(&b, piece.p, piece.n);
    }
    piece = test_hex(t, close);
    for (i = 1; i < depth; i++) {
        pq_buf_add(&b, piece.p, piece.n);
    }
    pq_buf_add(&b, "\0\0", 2);
    bytes = pq_buf_view(&b);
    rc = pq_compact_read(&outer_table, &bytes, &a, &o, t->e);
    pq_arena_free(&a);
    pq_buf_free(&b);
    return rc;
}

TEST(compact, nesting_is_followed_to_a_depth_and_no_further)
{
    CHECK_OK(read_nested(t, PQ_THRIFT_DEPTH, "1c", "00"));
    CHECK_FAILS(read_nested(t, PQ_THRIFT_DEPTH + 1, "1c", "00"), PQ_CORRUPT,
                "nests too deep");
    CHECK_FAILS(read_nested(t, 1000000, "1c", "00"), PQ_CORRUPT, "too deep");
    CHECK_FAILS(read_nested(t, 1000000, "19 19", ""), PQ_CORRUPT, "too deep");
    CHECK_FAILS(read_nested(t, 1000000, "19 1c", "00"), PQ_CORRUPT, "too deep");
    CHECK_FAILS(read_nested(t, 1000000, "1b 01 cc", ""), PQ_CORRUPT,
                "too deep");
}

TEST(compact, a_list_of_lists_nests_too)
{
    PqBuf b;
    PqSlice bytes;
    PqArena a;
    Outer o;
    PqRc rc;
    int i;

    pq_buf_init(&b, t->mem, t->e);
    pq_arena_init(&a, t->mem);
    pq_buf_add(&b, "\x09\x3a", 2);
    for (i = 0; i < 1000000; i++) {
        pq_buf_byte(&b, i % 2 ? 0x1a : 0x19);
    }
    bytes = pq_buf_view(&b);
    rc = pq_compact_read(&outer_table, &bytes, &a, &o, t->e);
    pq_arena_free(&a);
    pq_buf_free(&b);
    CHECK_FAILS(rc, PQ_CORRUPT, "too deep");
}

TEST(compact, a_hostile_count_does_not_size_an_array)
{
    enum { N = 1 << 20 };
    size_t before = pq_mem_used(t->mem);
    PqBuf b;
    PqSlice bytes;
    PqArena a;
    Outer o;
    PqRc rc;

    pq_buf_init(&b, t->mem, t->e);
    pq_arena_init(&a, t->mem);
    pq_buf_add(&b, "\xc9\xfc", 2);           /* a million Inner structs ...  */
    pq_buf_varint(&b, N);
    CHECK_OK(pq_buf_resize(&b, b.n + N, t->e));
    memset(b.p + b.n - N, 0, N);             /* ... of a byte, tiny missing  */
    bytes = pq_buf_view(&b);
    rc = pq_compact_read(&outer_table, &bytes, &a, &o, t->e);
    pq_arena_free(&a);
    pq_buf_free(&b);
    CHECK_FAILS(rc, PQ_CORRUPT, "Inner.tiny is missing");
    CHECK(pq_mem_peak(t->mem) - before < 6 * N);
}

TEST(compact, a_list_that_outgrows_its_first_room_is_whole)
{
    enum { N = 5000 };
    bool right = true;
    PqBuf b;
    PqSlice bytes;
    PqArena a;
    Outer o;
    PqRc rc;
    uint32_t i;

    pq_buf_init(&b, t->mem, t->e);
    pq_arena_init(&a, t->mem);
    pq_buf_add(&b, "\x99\xf5", 2);           /* a byte each, eight in memory */
    pq_buf_varint(&b, N);
    for (i = 0; i < N; i++) {
        pq_buf_byte(&b, (uint8_t)(i % 60 * 2));
    }
    pq_buf_byte(&b, 0);
    bytes = pq_buf_view(&b);
    rc = pq_compact_read(&outer_table, &bytes, &a, &o, t->e);
    for (i = 0; rc == PQ_OK && i < N; i++) {
        right = right && o.longs.v[i] == i % 60;
    }
    pq_arena_free(&a);
    pq_buf_free(&b);
    CHECK_OK(rc);
    CHECK(right);
}

TEST(compact, an_error_names_its_byte)
{
    t->e->where.offset = 1000;
    CHECK_REFUSED("15 02 15 04 38 7f 61", "byte 1006: Outer.text is longer");
    CHECK_INT(t->e->where.offset, 1000);
    t->e->where.offset = -1;
}

static const Inner two_inners[] = {
    {1u << TINY | 1u << FLAG, 3, true},
    {1u << TINY, -4, false},
};

/* One of everything, pointing into static storage. */
static Outer specimen(void)
{
    static int64_t longs[] = {0, -1, INT64_MIN, INT64_MAX, 4, 5, 6, 7,
                              8, 9,  10,        11,        12, 13, 14, 15};
    static uint8_t bools[] = {1, 0, 1};
    static PqSlice texts[2], raws[2];
    static Inner inners[2];
    Outer o;

    memset(&o, 0, sizeof o);
    memcpy(inners, two_inners, sizeof inners);
    texts[0] = pq_slice_text("a");
    texts[1] = pq_slice_text("");
    raws[0] = pq_slice("\x13\x05\x00", 3);
    raws[1] = pq_slice("\x13\x06\x11\x00", 4);
    o.has = 0x7ffe | 1u << BYTES;
    o.small = INT16_MIN;
    o.number = 7;
    o.large = -5000000000;
    o.real = -0.25;
    o.text = pq_slice_text("say \"hi\"\n");
    o.bytes = pq_slice("\x00\xff", 2);
    o.yes = true;
    o.inner = two_inners[0];
    o.choice.has = 1u << RIGHT;
    o.choice.right = two_inners[1];
    o.longs = (Longs){longs, PQ_COUNT(longs)};
    o.bools = (Bools){bools, 3};
    o.texts = (Slices){texts, 2};
    o.raws = (Slices){raws, 2};
    o.inners = (Inners){inners, 2};
    return o;
}

TEST(compact, what_is_written_reads_back)
{
    Outer o = specimen(), back;
    PqBuf b, again;
    PqSlice bytes;
    PqArena a;
    PqRc rc;
    bool same, scalars;

    pq_buf_init(&b, t->mem, t->e);
    pq_buf_init(&again, t->mem, t->e);
    pq_arena_init(&a, t->mem);
    pq_compact_write(&outer_table, &o, &b);
    bytes = pq_buf_view(&b);
    rc = pq_compact_read(&outer_table, &bytes, &a, &back, t->e);
    scalars = rc == PQ_OK && back.has == o.has && back.small == o.small &&
              back.number == o.number && back.large == o.large &&
              back.real == o.real && pq_slice_equal(back.text, o.text) &&
              back.yes && !back.sure && back.longs.n == o.longs.n &&
              memcmp(back.longs.v, o.longs.v, 16 * 8) == 0 &&
              back.inners.n == 2 && back.inners.v[1].tiny == -4;
    pq_compact_write(&outer_table, &back, &again);
    same = pq_slice_equal(pq_buf_view(&b), pq_buf_view(&again));
    pq_buf_free(&b);
    pq_buf_free(&again);
    pq_arena_free(&a);
    CHECK_OK(rc);
    CHECK_INT(bytes.n, 0);
    CHECK(scalars);
    CHECK(same);
}

TEST(compact, lists_of_fifteen_have_a_length_of_their_own)
{
    Outer o;
    PqBuf b;
    int64_t v[15] = {0};
    PqSlice want = test_hex(t, "99 f6 0f 000000000000000000000000000000 00");
    bool right;

    memset(&o, 0, sizeof o);
    o.has = 1u << LONGS;
    o.longs = (Longs){v, 15};
    pq_buf_init(&b, t->mem, t->e);
    pq_compact_write(&outer_table, &o, &b);
    right = pq_slice_equal(pq_buf_view(&b), want);
    pq_buf_free(&b);
    CHECK(right);
}

/* Every prefix fails; a changed byte gives an error or another struct. */
TEST(compact, damage_ends_in_an_error_or_a_struct)
{
    Outer o = specimen(), back;
    uint8_t copy[512];
    PqSlice bytes;
    PqArena a;
    PqBuf b;
    size_t i, n;
    unsigned x, read = 0, prefixes = 0;

    pq_buf_init(&b, t->mem, t->e);
    pq_compact_write(&outer_table, &o, &b);
    n = b.n < sizeof copy ? b.n : sizeof copy;
    memcpy(copy, b.p, n);
    pq_buf_free(&b);
    pq_arena_init(&a, t->mem);
    for (i = 0; i < n; i++) {
        bytes = pq_slice(copy, i);
        prefixes += pq_compact_read(&outer_table, &bytes, &a, &back, t->e) ==
                    PQ_OK;
        pq_err_clear(t->e);
        for (x = 1; x < 256; x++) {
            copy[i] ^= (uint8_t)x;
            bytes = pq_slice(copy, n);
            read += pq_compact_read(&outer_table, &bytes, &a, &back, t->e) ==
                    PQ_OK;
            pq_err_clear(t->e);
            pq_arena_reset(&a);
            copy[i] ^= (uint8_t)x;
        }
    }
    pq_arena_free(&a);
    CHECK_INT(prefixes, 0);
    CHECK(read > 0);
}
