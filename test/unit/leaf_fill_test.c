/*
** leaf_fill_test.c - every row of the table of types: what it takes, what it
** refuses and with which message.  A value that was read is written as the same
** value.
*/
#include "core/column/leaf_fill.h"
#include "core/text/json_text.h"
#include "core/text/number_text.h"
#include "test/unit/test.h"

#include <math.h>

static const PqType
    t_bool = {.physical = PQ_BOOLEAN},
    t_i32 = {.physical = PQ_INT32},
    t_i64 = {.physical = PQ_INT64},
    t_i8 = {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = 8,
            .is_signed = true},
    t_u16 = {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = 16},
    t_u32 = {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = 32},
    t_u64 = {.physical = PQ_INT64, .logical = PQ_TYPE_INT, .bit_width = 64},
    t_float = {.physical = PQ_FLOAT},
    t_double = {.physical = PQ_DOUBLE},
    t_half = {.physical = PQ_FIXED, .fixed_length = 2,
              .logical = PQ_TYPE_FLOAT16},
    t_date = {.physical = PQ_INT32, .logical = PQ_TYPE_DATE},
    t_time_ms = {.physical = PQ_INT32, .logical = PQ_TYPE_TIME,
                 .unit = PQ_MILLIS},
    t_time = {.physical = PQ_INT64, .logical = PQ_TYPE_TIME,
              .unit = PQ_MICROS},
    t_stamp_ms = {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP,
                  .unit = PQ_MILLIS},
    t_stamp = {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP,
               .unit = PQ_MICROS, .utc = true},
    t_int96 = {.physical = PQ_INT96},
    t_interval = {.physical = PQ_FIXED, .fixed_length = 12,
                  .logical = PQ_TYPE_INTERVAL},
    t_string = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING},
    t_enum = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_ENUM},
    t_string3 = {.physical = PQ_FIXED, .fixed_length = 3,
                 .logical = PQ_TYPE_STRING},
    t_json = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_JSON},
    t_uuid = {.physical = PQ_FIXED, .fixed_length = 16,
              .logical = PQ_TYPE_UUID},
    t_bytes = {.physical = PQ_BYTE_ARRAY},
    t_fixed = {.physical = PQ_FIXED, .fixed_length = 4},
    t_bson = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_BSON},
    t_geometry = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_GEOMETRY},
    t_unknown = {.physical = PQ_INT32, .logical = PQ_TYPE_UNKNOWN};

static PqType decimal(PqPhysical physical, uint32_t length, int32_t precision,
                      int32_t scale)
{
    return (PqType){.physical = physical, .fixed_length = length,
                    .logical = PQ_TYPE_DECIMAL, .precision = precision,
                    .scale = scale};
}

static const PqFillRules usual = {.number_time = PQ_NUMBER_TIME_EPOCH};
static const PqFillRules raw = {.number_time = PQ_NUMBER_TIME_RAW};
static const PqFillRules cut = {.nanos_may_lose = true};
static const PqFillRules nulls = {.null_misfits = true};

static PqCell null_value(void)
{
    return (PqCell){.kind = PQ_CELL_NULL};
}

static PqCell integer(int64_t v)
{
    return pq_cell_int(v);
}

static PqCell real(double v)
{
    return pq_cell_real(v);
}

static PqCell text(const char *z)
{
    return pq_cell_text(pq_slice_text(z));
}

static PqCell blob(PqSlice s)
{
    return pq_cell_bytes(PQ_CELL_BLOB, s);
}

static PqRc add(PqCells *c, PqCell v, PqErr *e)
{
    PQ_TRY(pq_cells_reserve(c, e));
    return pq_cells_add(c, &v, e);
}

/* The stored value of one cell, filled as a column and by itself, in its PLAIN
** bytes; -1: it failed, and e says why. */
static int put_by(Test *t, const PqType *type, PqCell v,
                  const PqFillRules *rules, uint8_t out[4200])
{
    PqLeaf leaf = {.type = *type, .path = "x"};
    bool bytes = type->physical == PQ_BYTE_ARRAY ||
                 type->physical == PQ_FIXED;
    int n[2] = {-1, -1};
    uint8_t other[4200];
    uint32_t misfit = 99;
    PqLeafBatch b[2];
    PqCells c;
    int i;

    pq_cells_init(&c, t->mem);
    for (i = 0; i < 2; i++) {
        uint8_t *to = i ? other : out;
        PqRc rc;

        pq_leaf_batch_init(&b[i], &leaf, t->mem);
        pq_err_clear(t->e);
        if (i) {
            rc = pq_leaf_batch_reserve(&b[i], 1, t->e);
            if (rc == PQ_OK) {
                rc = pq_leaf_fill_one(&b[i], &v, rules, t->e);
            }
        } else {
            rc = add(&c, v, t->e);
            if (rc == PQ_OK) {
                rc = pq_leaf_fill(&b[i], &c, 0, 1, rules, &misfit, t->e);
            }
        }
        if (rc == PQ_OK && b[i].n_values == 1) {
            PqStr *s = b[i].values;

            n[i] = bytes ? (int)s->n : (int)pq_physical_width(type->physical);
            memcpy(to, bytes ? s->p : b[i].values, (size_t)n[i]);
        }
    }
    if (n[0] != n[1] || (n[0] > 0 && memcmp(out, other, (size_t)n[0]) != 0) ||
        b[0].n_bytes != b[1].n_bytes || (n[0] < 0 && misfit != 0) ||
        b[0].n_bytes !=
            (type->physical == PQ_BYTE_ARRAY && n[0] > 0 ? (size_t)n[0] : 0)) {
        test_fail(t, __FILE__, __LINE__, "alone it is another value");
    }
    for (i = 0; i < 2; i++) {
        pq_leaf_batch_free(&b[i]);
    }
    pq_cells_free(&c);
    return n[0];
}

static int put(Test *t, const PqType *type, PqCell v, uint8_t out[4200])
{
    return put_by(t, type, v, &usual, out);
}

/* The stored value as an integer.  If it is none: INT64_MIN + 1, and a
** failure. */
static int64_t stored_by(Test *t, const PqType *type, PqCell v,
                         const PqFillRules *rules)
{
    uint8_t out[4200];
    int n = put_by(t, type, v, rules, out);

    if (n != 1 && n != 4 && n != 8) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
        return INT64_MIN + 1;
    }
    return n == 1   ? out[0]
           : n == 4 ? (int32_t)pq_load_u32(out)
                    : (int64_t)pq_load_u64(out);
}

static int64_t stored(Test *t, const PqType *type, PqCell v)
{
    return stored_by(t, type, v, &usual);
}

static const char *stored_text(Test *t, const PqType *type, PqCell v)
{
    static char out[4201];
    int n = put(t, type, v, (uint8_t *)out);

    if (n < 0) {
        return t->e->text;
    }
    out[n] = 0;
    return out;
}

static const char *misfit_by(Test *t, const PqType *type, PqCell v,
                             const PqFillRules *rules)
{
    uint8_t out[4200];

    return put_by(t, type, v, rules, out) >= 0 ? "it fits"
           : t->e->rc != PQ_USAGE              ? "another code"
                                               : t->e->text;
}

static const char *misfit(Test *t, const PqType *type, PqCell v)
{
    return misfit_by(t, type, v, &usual);
}

/* ---- BOOLEAN and integers ------------------------------------------------ */

TEST(leaf_fill, a_boolean_has_two_values_and_many_names)
{
    static const char *const yes[] = {"true", "T", "Yes", "y", "ON", "1",
                                      "1.0", " true "};
    static const char *const no[] = {"false", "F", "No", "n", "oFF", "0",
                                     "0.0", "-0"};

    for (size_t i = 0; i < PQ_COUNT(yes); i++) {
        CHECK_INT(stored(t, &t_bool, text(yes[i])), 1);
        CHECK_INT(stored(t, &t_bool, text(no[i])), 0);
    }
    CHECK_INT(stored(t, &t_bool, integer(1)), 1);
    CHECK_INT(stored(t, &t_bool, integer(0)), 0);
    CHECK_INT(stored(t, &t_bool, real(1)), 1);
    CHECK_INT(stored(t, &t_bool, real(-0.0)), 0);
    CHECK_TEXT(misfit(t, &t_bool, integer(2)), "2 is not a BOOLEAN");
    CHECK_TEXT(misfit(t, &t_bool, integer(-1)), "-1 is not a BOOLEAN");
    CHECK_TEXT(misfit(t, &t_bool, real(0.5)), "0.5 is not a BOOLEAN");
    CHECK_TEXT(misfit(t, &t_bool, text("maybe")),
               "'maybe' is not a BOOLEAN");
    CHECK_TEXT(misfit(t, &t_bool, blob(test_hex(t, "01"))),
               "x'01' is not a BOOLEAN");
}

TEST(leaf_fill, integers_end_where_their_type_does)
{
    CHECK_INT(stored(t, &t_i8, integer(-128)), -128);
    CHECK_INT(stored(t, &t_i8, integer(127)), 127);
    CHECK_TEXT(misfit(t, &t_i8, integer(128)), "128 does not fit INT8");
    CHECK_TEXT(misfit(t, &t_i8, integer(-129)), "-129 does not fit INT8");
    CHECK_INT(stored(t, &t_u16, integer(65535)), 65535);
    CHECK_TEXT(misfit(t, &t_u16, integer(65536)), "65536 does not fit UINT16");
    CHECK_TEXT(misfit(t, &t_u16, integer(-1)), "-1 does not fit UINT16");
    CHECK_INT(stored(t, &t_i32, integer(INT32_MIN)), INT32_MIN);
    CHECK_TEXT(misfit(t, &t_i32, integer(INT64_C(1) << 31)),
               "2147483648 does not fit INT32");
    CHECK_INT((uint32_t)stored(t, &t_u32, integer(UINT32_MAX)), UINT32_MAX);
    CHECK_TEXT(misfit(t, &t_u32, integer(INT64_C(1) << 32)),
               "4294967296 does not fit UINT32");
    CHECK_INT(stored(t, &t_i64, integer(INT64_MIN)), INT64_MIN);
    CHECK_INT(stored(t, &t_i64, integer(INT64_MAX)), INT64_MAX);
    CHECK_INT(stored(t, &t_u64, integer(INT64_MAX)), INT64_MAX);
    CHECK_TEXT(misfit(t, &t_u64, integer(-1)), "-1 does not fit UINT64");
}

TEST(leaf_fill, integers_take_reals_and_texts_that_are_some)
{
    CHECK_INT(stored(t, &t_i32, real(-5.0)), -5);
    CHECK_TEXT(misfit(t, &t_i32, real(5.5)), "5.5 is not an INT32");
    CHECK_TEXT(misfit(t, &t_i32, real(3e9)),
               "3000000000.0 does not fit INT32");
    CHECK_TEXT(misfit(t, &t_i64, real(0x1p63)),
               "9.223372036854776e+18 does not fit INT64");
    CHECK_INT(stored(t, &t_i64, real(-0x1p63)), INT64_MIN);
    CHECK_TEXT(misfit(t, &t_i64, real((double)INFINITY)),
               "9e999 does not fit INT64");
    CHECK_TEXT(misfit(t, &t_i64, real((double)NAN)), "NaN is not an INT64");
    CHECK_INT(stored(t, &t_i64, text(" 1.2e1 ")), 12);
    CHECK_INT(stored(t, &t_i8, text("-12")), -12);
    CHECK_TEXT(misfit(t, &t_i8, text("1200")), "'1200' does not fit INT8");
    CHECK_TEXT(misfit(t, &t_i64, text("12.5")), "'12.5' is not an INT64");
    CHECK_TEXT(misfit(t, &t_i64, text("twelve")), "'twelve' is not an INT64");
    CHECK_TEXT(misfit(t, &t_i64, text("")), "'' is not an INT64");
    CHECK_TEXT(misfit(t, &t_i64, blob(test_hex(t, "00ff"))),
               "x'00ff' is not an INT64");
}

TEST(leaf_fill, a_uint64_is_also_the_text_of_its_digits)
{
    CHECK_INT(stored(t, &t_u64, text("18446744073709551615")), -1);
    CHECK_INT(stored(t, &t_u64, text("9223372036854775808")), INT64_MIN);
    CHECK_INT(stored(t, &t_u64, real(0x1p63)), INT64_MIN);
    CHECK_TEXT(misfit(t, &t_u64, text("18446744073709551616")),
               "'18446744073709551616' does not fit UINT64");
    CHECK_TEXT(misfit(t, &t_u64, real(0x1p64)),
               "1.8446744073709552e+19 does not fit UINT64");
    CHECK_TEXT(misfit(t, &t_u64, real(0.5)), "0.5 is not a UINT64");
    CHECK_TEXT(misfit(t, &t_u64, text("-1")), "'-1' does not fit UINT64");
}

/* ---- floating point ------------------------------------------------------ */

static double stored_real(Test *t, const PqType *type, PqCell v)
{
    uint8_t out[4200];
    int n = put(t, type, v, out);
    double d;
    float f;

    if (n == 8) {
        memcpy(&d, out, sizeof d);
        return d;
    }
    if (n == 4) {
        memcpy(&f, out, sizeof f);
        return (double)f;
    }
    if (n == 2) {
        return (double)pq_float16_value(pq_load_u16(out));
    }
    test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    return 0;
}

TEST(leaf_fill, floating_point_is_the_nearest_of_its_type)
{
    CHECK(stored_real(t, &t_double, real(0.1)) == 0.1);
    CHECK(stored_real(t, &t_float, real(0.1)) == (double)0.1f);
    CHECK(stored_real(t, &t_half, real(0.1)) == 0x1.998p-4);
    CHECK(stored_real(t, &t_double, integer(-7)) == -7);
    CHECK(stored_real(t, &t_double, integer((INT64_C(1) << 53) + 1)) ==
          0x1p53);
    CHECK(stored_real(t, &t_float, integer(16777217)) == 16777216);
    CHECK(stored_real(t, &t_half, integer(2048)) == 2048);
    CHECK(stored_real(t, &t_double, text("0.1")) == 0.1);
    CHECK(stored_real(t, &t_float, text("1e-3")) == (double)1e-3f);
    CHECK(signbit(stored_real(t, &t_double, real(-0.0))));
    CHECK(signbit(stored_real(t, &t_float, real(-0.0))));
    CHECK(signbit(stored_real(t, &t_half, text("-0.0"))));
}

TEST(leaf_fill, infinities_and_nan_are_kept_and_nothing_else_becomes_one)
{
    static const PqType *const types[] = {&t_double, &t_float, &t_half};
    const double inf = (double)INFINITY;

    for (size_t i = 0; i < PQ_COUNT(types); i++) {
        CHECK(stored_real(t, types[i], real(inf)) == inf);
        CHECK(stored_real(t, types[i], real(-inf)) == -inf);
        CHECK(stored_real(t, types[i], text("-9e999")) == -inf);
        CHECK(stored_real(t, types[i], text("inf")) == inf);
        CHECK(isnan(stored_real(t, types[i], text("NaN"))));
        CHECK(!signbit(stored_real(t, types[i], text("NaN"))));
        CHECK(signbit(stored_real(t, types[i], text("-NaN"))));
        CHECK(isnan(stored_real(t, types[i], real((double)NAN))));
    }
    CHECK_TEXT(misfit(t, &t_float, real(3.5e38)),
               "3.5e+38 does not fit FLOAT");
    CHECK(stored_real(t, &t_float, real(3.4028235e38)) ==
          (double)3.4028235e38f);
    CHECK_TEXT(misfit(t, &t_float, text("-1e39")),
               "'-1e39' does not fit FLOAT");
    CHECK_TEXT(misfit(t, &t_half, integer(65520)),
               "65520 does not fit FLOAT16");
    CHECK(stored_real(t, &t_half, real(65519.0)) == 65504);
    CHECK_TEXT(misfit(t, &t_double, text("1e309")),
               "'1e309' does not fit DOUBLE");
    CHECK_TEXT(misfit(t, &t_double, text("one")), "'one' is not a DOUBLE");
    CHECK_TEXT(misfit(t, &t_half, blob(test_hex(t, "0000"))),
               "x'0000' is not a FLOAT16");
}

/* ---- DECIMAL ------------------------------------------------------------- */

TEST(leaf_fill, a_decimal_over_integers_is_its_unscaled_value)
{
    PqType d9 = decimal(PQ_INT32, 0, 9, 2), d18 = decimal(PQ_INT64, 0, 18, 4);
    PqType d15 = decimal(PQ_INT64, 0, 15, 0), d5 = decimal(PQ_INT32, 0, 5, 5);

    CHECK_INT(stored(t, &d9, integer(-12)), -1200);
    CHECK_INT(stored(t, &d9, integer(9999999)), 999999900);
    CHECK_TEXT(misfit(t, &d9, integer(10000000)),
               "10000000 does not fit DECIMAL(9,2)");
    CHECK_INT(stored(t, &d9, text("-12.34")), -1234);
    CHECK_TEXT(misfit(t, &d9, text("12.345")),
               "'12.345' is finer than DECIMAL(9,2)");
    CHECK_TEXT(misfit(t, &d9, text("12345678.9")),
               "'12345678.9' does not fit DECIMAL(9,2)");
    CHECK_TEXT(misfit(t, &d9, text("1,5")), "'1,5' is not a DECIMAL(9,2)");
    CHECK_INT(stored(t, &d9, real(12.345)), 1235);
    CHECK_INT(stored(t, &d9, real(0.29)), 29);
    CHECK_TEXT(misfit(t, &d9, real(1e7)),
               "10000000.0 does not fit DECIMAL(9,2)");
    CHECK_INT(stored(t, &d18, integer(99999999999999)), 999999999999990000);
    CHECK_TEXT(misfit(t, &d18, integer(100000000000000)),
               "100000000000000 does not fit DECIMAL(18,4)");
    CHECK_TEXT(misfit(t, &d18, integer(INT64_MIN)),
               "-9223372036854775808 does not fit DECIMAL(18,4)");
    CHECK_INT(stored(t, &d18, real(1.5)), 15000);
    CHECK_INT(stored(t, &d18, real(-99999999999.9999)), -999999999999999);
    CHECK_TEXT(misfit(t, &d18, real(100000000000.5)),
               "100000000000.5 is a REAL, which is exact for 15 digits only; "
               "give it as TEXT to DECIMAL(18,4)");
    CHECK_TEXT(misfit(t, &d18, real(2e14)),
               "200000000000000.0 does not fit DECIMAL(18,4)");
    CHECK_TEXT(misfit(t, &d18, real((double)INFINITY)),
               "9e999 does not fit DECIMAL(18,4)");
    CHECK_TEXT(misfit(t, &d18, real((double)NAN)),
               "NaN is not a DECIMAL(18,4)");
    CHECK_INT(stored(t, &d15, real(999999999999999)), 999999999999999);
    CHECK_TEXT(misfit(t, &d15, blob(test_hex(t, "01"))),
               "x'01' is not a DECIMAL(15,0)");
    CHECK_INT(stored(t, &d5, integer(0)), 0);
    CHECK_TEXT(misfit(t, &d5, integer(1)), "1 does not fit DECIMAL(5,5)");
    CHECK_INT(stored(t, &d5, text(".99999")), 99999);
}

TEST(leaf_fill, a_decimal_claims_no_more_digits_than_its_type_holds)
{
    PqType wide32 = decimal(PQ_INT32, 0, 15, 0);
    PqType wide64 = decimal(PQ_INT64, 0, 38, 20);
    PqType wide2 = decimal(PQ_FIXED, 2, 15, 0);

    CHECK_INT(stored(t, &wide32, integer(INT32_MIN)), INT32_MIN);
    CHECK_TEXT(misfit(t, &wide32, integer(INT64_C(1) << 31)),
               "2147483648 does not fit DECIMAL(15,0)");
    CHECK_TEXT(misfit(t, &wide32, real(3e9)),
               "3000000000.0 does not fit DECIMAL(15,0)");
    CHECK_INT(stored(t, &wide64, integer(0)), 0);
    CHECK_TEXT(misfit(t, &wide64, integer(1)),
               "1 does not fit DECIMAL(38,20)");
    CHECK_INT(stored(t, &wide64, text("0.05")), 5000000000000000000);
    CHECK_INT(put(t, &wide2, integer(32767), (uint8_t[4200]){0}), 2);
    CHECK_TEXT(misfit(t, &wide2, integer(32768)),
               "32768 does not fit DECIMAL(15,0)");
    CHECK_TEXT(misfit(t, &wide2, text("-32769")),
               "'-32769' does not fit DECIMAL(15,0)");
}

static bool is_hex(Test *t, const PqType *type, PqCell v, const char *hex)
{
    uint8_t out[4200];
    int n = put(t, type, v, out);
    PqSlice want = test_hex(t, hex);

    return n == (int)want.n && memcmp(out, want.p, want.n) == 0;
}

TEST(leaf_fill, a_decimal_over_bytes_is_big_endian)
{
    PqType f = decimal(PQ_FIXED, 4, 9, 2);
    PqType wide = decimal(PQ_FIXED, 20, 38, 20);
    PqType any = decimal(PQ_BYTE_ARRAY, 0, 60, 2);
    PqType few = decimal(PQ_BYTE_ARRAY, 0, 15, 1);

    CHECK(is_hex(t, &f, integer(-1), "ff ff ff 9c"));
    CHECK(is_hex(t, &f, real(1.28), "00 00 00 80"));
    CHECK(is_hex(t, &f, text("0"), "00 00 00 00"));
    CHECK(is_hex(t, &any, integer(0), "00"));
    CHECK(is_hex(t, &any, text("1.27"), "7f"));
    CHECK(is_hex(t, &any, text("1.28"), "00 80"));
    CHECK(is_hex(t, &any, text("-1.28"), "80"));
    CHECK(is_hex(t, &any, integer(INT64_MIN), "ce 00 00 00 00 00 00 00 00"));
    CHECK(is_hex(t, &few, real(-25.6), "ff 00"));
    CHECK(is_hex(t, &wide, integer(1),
                 "00 00 00 00 00 00 00 00 00 00 00 05 6b c7 5e 2d 63 10 00 "
                 "00"));
    CHECK(is_hex(t, &wide, text("-0.00000000000000000001"),
                 "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff "
                 "ff"));
    CHECK(is_hex(t, &any, real(1.28), "00 80"));
    CHECK(is_hex(t, &wide, real(-1e-20),
                 "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff "
                 "ff"));
    CHECK_TEXT(misfit(t, &any, real(1e13)),
               "10000000000000.0 is a REAL, which is exact for 15 digits only; "
               "give it as TEXT to DECIMAL(60,2)");
    CHECK_TEXT(misfit(t, &wide, integer(INT64_MAX)),
               "9223372036854775807 does not fit DECIMAL(38,20)");
}

/* With at most 15 digits, the REAL nearest to a DECIMAL is not the nearest to
** any other.  So it leads back to that DECIMAL, for any precision and scale. */
TEST(leaf_fill, a_real_leads_back_to_its_decimal_in_a_wide_type)
{
    uint64_t random = 88172645463325252;

    for (int i = 0; i < 20000; i++) {
        PqType type = decimal(PQ_INT64, 0, 38, (int32_t)(i % 39));
        int64_t limit = INT64_C(999999999999999), v;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        for (int k = i % 7; k > 0; k--) limit /= 10;
        v = i % 100 == 0 ? limit
                         : (int64_t)(random % (uint64_t)limit) - limit / 2;
        CHECK_INT(stored(t, &type, real(pq_decimal_real_i64(v, type.scale))),
                  v);
        CHECK(pq_decimal_real_i64(v, type.scale) <
              pq_decimal_real_i64(v + 1, type.scale));
    }
}

/* A cell that does not fit the column itself does not fit other types
** either. */
TEST(leaf_fill, a_class_that_a_column_does_not_take_is_a_misfit)
{
    static const PqFillRules
        numbers = {.classes = PQ_CLASS(PQ_CELL_INT) | PQ_CLASS(PQ_CELL_REAL)},
        blobs = {.classes = PQ_CLASS(PQ_CELL_BLOB)},
        texts = {.classes = PQ_CLASS(PQ_CELL_TEXT) | PQ_CLASS(PQ_CELL_NULL)};

    CHECK_INT(stored_by(t, &t_i64, integer(5), &numbers), 5);
    CHECK_INT(stored_by(t, &t_i64, real(5), &numbers), 5);
    CHECK_TEXT(misfit_by(t, &t_i64, text("5"), &numbers),
               "'5' is a TEXT in a column of INT64");
    CHECK_TEXT(misfit_by(t, &t_double, text("NaN"), &numbers),
               "'NaN' is a TEXT in a column of DOUBLE");
    CHECK_TEXT(misfit_by(t, &t_bytes, text("abc"), &blobs),
               "'abc' is a TEXT in a column of BYTE_ARRAY");
    CHECK_TEXT(misfit_by(t, &t_string, integer(5), &texts),
               "5 is an INTEGER in a column of STRING");
    CHECK_TEXT(misfit_by(t, &t_stamp, real(1.5), &texts),
               "1.5 is a REAL in a column of TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit_by(t, &t_i64, blob(test_hex(t, "01")), &numbers),
               "x'01' is a BLOB in a column of INT64");
}

/* ---- temporal ------------------------------------------------------------ */

TEST(leaf_fill, temporal_texts_are_their_stored_integers)
{
    CHECK_INT(stored(t, &t_date, text("2024-03-01")), 19783);
    CHECK_INT(stored(t, &t_date, text("-0001-12-31")), -719529);
    CHECK_INT(stored(t, &t_time, text("13:45:00")), 49500000000);
    CHECK_INT(stored(t, &t_time_ms, text("13:45:00.123")), 49500123);
    CHECK_INT(stored(t, &t_time, text("86400000000")), 86400000000);
    CHECK_INT(stored(t, &t_time_ms, text("-1")), -1);
    CHECK_INT(stored(t, &t_stamp, text("2024-03-01 13:45:00")),
              1709300700000000);
    CHECK_INT(stored(t, &t_stamp_ms, text("2024-03-01T13:45:00.5+01:00")),
              1709297100500);
    CHECK_TEXT(misfit(t, &t_date, text("2024-13-01")),
               "'2024-13-01' is not a DATE");
    CHECK_TEXT(misfit(t, &t_date, text("2024-03-01 13:45")),
               "'2024-03-01 13:45' is finer than DATE");
    CHECK_TEXT(misfit(t, &t_time, text("24:00:00")),
               "'24:00:00' does not fit TIME(MICROS)");
    CHECK_TEXT(misfit(t, &t_time_ms, text("86400000000000")),
               "'86400000000000' does not fit TIME(MILLIS)");
    CHECK_TEXT(misfit(t, &t_stamp, text("yesterday")),
               "'yesterday' is not a TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit(t, &t_stamp_ms, text("2024-03-01 13:45:00.1234")),
               "'2024-03-01 13:45:00.1234' is finer than TIMESTAMP(MILLIS)");
    CHECK_INT(stored_by(t, &t_stamp_ms, text("2024-03-01 13:45:00.1239"),
                        &cut), 1709300700123);
    CHECK_TEXT(misfit(t, &t_stamp, text("+300000-01-01")),
               "'+300000-01-01' does not fit TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit(t, &t_stamp, blob(test_hex(t, "00"))),
               "x'00' is not a TIMESTAMP(MICROS,UTC)");
}

TEST(leaf_fill, numbers_are_seconds_or_what_is_stored)
{
    CHECK_INT(stored(t, &t_date, integer(19783 * 86400)), 19783);
    CHECK_INT(stored(t, &t_date, real(-86400.0)), -1);
    CHECK_INT(stored_by(t, &t_date, integer(19783), &raw), 19783);
    CHECK_TEXT(misfit(t, &t_date, integer(1)), "1 is finer than DATE");
    CHECK_TEXT(misfit(t, &t_date, real(0.5)), "0.5 is finer than DATE");
    CHECK_TEXT(misfit(t, &t_date, integer(INT64_MIN + 1)),
               "-9223372036854775807 is finer than DATE");
    CHECK_TEXT(misfit_by(t, &t_date, integer(INT64_C(1) << 31), &raw),
               "2147483648 does not fit DATE");
    CHECK_TEXT(misfit_by(t, &t_date, real(0.5), &raw), "0.5 is not a DATE");
    CHECK_INT(stored(t, &t_time, integer(49500)), 49500000000);
    CHECK_INT(stored(t, &t_time_ms, real(0.0014)), 1);
    CHECK_INT(stored_by(t, &t_time, integer(49500), &raw), 49500);
    CHECK_TEXT(misfit(t, &t_time, integer(86400)),
               "86400 does not fit TIME(MICROS)");
    CHECK_TEXT(misfit(t, &t_time, integer(-1)),
               "-1 does not fit TIME(MICROS)");
    CHECK_TEXT(misfit(t, &t_time_ms, real(86399.9999)),
               "86399.9999 does not fit TIME(MILLIS)");
    CHECK_TEXT(misfit_by(t, &t_time_ms, integer(86400000), &raw),
               "86400000 does not fit TIME(MILLIS)");
    CHECK_INT(stored(t, &t_stamp, integer(-1)), -1000000);
    CHECK_INT(stored(t, &t_stamp, real(-0.5)), -500000);
    CHECK_INT(stored(t, &t_stamp, real(1709300700.123456)),
              1709300700123456);
    CHECK_INT(stored(t, &t_stamp_ms, real(-0.0004)), 0);
    CHECK_INT(stored(t, &t_stamp_ms, real(0.9996)), 1000);
    CHECK_INT(stored_by(t, &t_stamp, integer(INT64_MIN), &raw), INT64_MIN);
    CHECK_INT(stored_by(t, &t_stamp, real(5.0), &raw), 5);
    CHECK_TEXT(misfit_by(t, &t_stamp, real(5.5), &raw),
               "5.5 is not a TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit(t, &t_stamp, integer(INT64_MAX)),
               "9223372036854775807 does not fit TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit(t, &t_stamp, real(1e300)),
               "1.0e+300 does not fit TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit(t, &t_stamp, real((double)NAN)),
               "NaN is not a TIMESTAMP(MICROS,UTC)");
}

/* timestamp=unixepoch gives the double nearest to count / per_second.  Up to
** 2^52 units, half of its last bit is less than half a unit. */
TEST(leaf_fill, what_was_stored_in_another_unit_is_converted)
{
    static const PqFillRules
        nanos = {.number_time = PQ_NUMBER_TIME_RAW, .stored_unit = 1000000000},
        cut_nanos = {.number_time = PQ_NUMBER_TIME_RAW, .nanos_may_lose = true,
                     .stored_unit = 1000000000},
        millis = {.number_time = PQ_NUMBER_TIME_RAW, .stored_unit = 1000},
        mixed = {.number_time = PQ_NUMBER_TIME_RAW,
                 .stored_unit = PQ_STORED_UNIT_UNKNOWN};

    CHECK_INT(stored_by(t, &t_stamp, integer(1704067200123456000), &nanos),
              1704067200123456);
    CHECK_INT(stored_by(t, &t_stamp, integer(-1000), &nanos), -1);
    CHECK_TEXT(misfit_by(t, &t_stamp, integer(1001), &nanos),
               "1001 is finer than TIMESTAMP(MICROS,UTC)");
    CHECK_INT(stored_by(t, &t_stamp, integer(-1), &cut_nanos), -1);
    CHECK_INT(stored_by(t, &t_stamp, integer(1500), &millis), 1500000);
    CHECK_TEXT(misfit_by(t, &t_stamp, integer(INT64_MAX), &millis),
               "9223372036854775807 does not fit TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit_by(t, &t_stamp, integer(5), &mixed),
               "5 is not a TIMESTAMP(MICROS,UTC)");
    CHECK_TEXT(misfit_by(t, &t_date, integer(5), &millis), "5 is not a DATE");
    CHECK_INT(stored_by(t, &t_time, text("86400000000000"), &nanos),
              86400000000);
    CHECK_INT(stored_by(t, &t_time, text("-2000"), &nanos), -2);
    CHECK_TEXT(misfit_by(t, &t_time, text("86400000000001"), &nanos),
               "'86400000000001' is finer than TIME(MICROS)");
    CHECK_TEXT(misfit_by(t, &t_time, text("86400000000"), &mixed),
               "'86400000000' is not a TIME(MICROS)");
    CHECK_INT(stored_by(t, &t_time, text("13:45:00"), &mixed), 49500000000);
}

TEST(leaf_fill, seconds_as_a_real_come_back_to_the_unit)
{
    uint64_t random = 88172645463325252;

    for (int i = 0; i < 20000; i++) {
        int64_t v;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        v = (int64_t)random >> (12 + random % 40);
        CHECK_INT(stored(t, &t_stamp, real((double)v / 1e6)), v);
        CHECK_INT(stored(t, &t_stamp_ms, real((double)v / 1e3)), v);
    }
}

TEST(leaf_fill, an_int96_is_an_instant_or_its_bytes)
{
    CHECK(is_hex(t, &t_int96, text("1970-01-01 00:00:00.000000001"),
                 "01 00 00 00 00 00 00 00  8c 3d 25 00"));
    CHECK(is_hex(t, &t_int96, integer(86400),
                 "00 00 00 00 00 00 00 00  8d 3d 25 00"));
    CHECK(is_hex(t, &t_int96, real(0.5),
                 "00 65 cd 1d 00 00 00 00  8c 3d 25 00"));
    CHECK(is_hex(t, &t_int96,
                 blob(test_hex(t, "0102030405060708090a0b0c")),
                 "0102030405060708090a0b0c"));
    CHECK_TEXT(misfit(t, &t_int96, blob(test_hex(t, "01"))),
               "x'01' has 1 bytes, not the 12 of INT96");
    CHECK_TEXT(misfit(t, &t_int96, text("x")), "'x' is not an INT96");
    CHECK_TEXT(misfit(t, &t_int96, integer(INT64_MAX)),
               "9223372036854775807 does not fit INT96");
    CHECK_TEXT(misfit_by(t, &t_int96, real(0.5), &raw),
               "0.5 is not an INT96");
    for (int i = 0; i < 4; i++) {
        static const int64_t nanos[] = {-1, 0, INT64_MIN, INT64_MAX};
        uint8_t out[4200];
        int64_t seconds;
        uint32_t part;

        CHECK_INT(put_by(t, &t_int96, integer(nanos[i]), &raw, out), 12);
        pq_int96_instant(out, &seconds, &part);
        CHECK((__int128)seconds * 1000000000 + part == nanos[i]);
    }
}

TEST(leaf_fill, an_interval_is_a_text_or_twelve_bytes)
{
    CHECK(is_hex(t, &t_interval, text("P14M3DT12.345S"),
                 "0e 00 00 00  03 00 00 00  39 30 00 00"));
    CHECK(is_hex(t, &t_interval,
                 blob(test_hex(t, "0102030405060708090a0b0c")),
                 "0102030405060708090a0b0c"));
    CHECK_TEXT(misfit(t, &t_interval, text("14 months")),
               "'14 months' is not an INTERVAL");
    CHECK_TEXT(misfit(t, &t_interval, text("PT0.0001S")),
               "'PT0.0001S' is finer than INTERVAL");
    CHECK_TEXT(misfit(t, &t_interval, integer(5)), "5 is not an INTERVAL");
    CHECK_TEXT(misfit(t, &t_interval, blob(test_hex(t, "0102"))),
               "x'0102' has 2 bytes, not the 12 of INTERVAL");
}

/* ---- texts and bytes ----------------------------------------------------- */

TEST(leaf_fill, a_string_is_utf8_and_numbers_have_their_text)
{
    static const char *const good[] = {
        "", "a", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghi",
        "na\xc3\xafve", "\xf0\x9f\x90\xa6 and more than sixteen bytes"};
    char bad[24];

    for (size_t i = 0; i < PQ_COUNT(good); i++) {
        CHECK_TEXT(stored_text(t, &t_string, text(good[i])), good[i]);
        CHECK_TEXT(stored_text(t, &t_enum, text(good[i])), good[i]);
    }
    for (int n = 1; n < 20; n++) {               /* at every position */
        for (int at = 0; at < n; at++) {
            memset(bad, 'x', sizeof bad);
            bad[at] = '\xff';
            bad[n] = 0;
            CHECK(strstr(misfit(t, &t_string, text(bad)),
                         "is not UTF-8, which is required for STRING"));
        }
    }
    CHECK_TEXT(stored_text(t, &t_string, integer(-5)), "-5");
    CHECK_TEXT(stored_text(t, &t_string, real(0.1)), "0.1");
    CHECK_TEXT(stored_text(t, &t_string, real(1e300)), "1.0e+300");
    CHECK_TEXT(stored_text(t, &t_string, real((double)-INFINITY)), "-Inf");
    CHECK_TEXT(stored_text(t, &t_string, real((double)INFINITY)), "Inf");
    CHECK_TEXT(stored_text(t, &t_string, real((double)NAN)), "NaN");
    CHECK_TEXT(misfit(t, &t_string, blob(test_hex(t, "61"))),
               "x'61' is not a STRING");
    CHECK_TEXT(stored_text(t, &t_string3, text("abc")), "abc");
    CHECK_TEXT(stored_text(t, &t_string3, integer(123)), "123");
    CHECK_TEXT(misfit(t, &t_string3, text("abcd")),
               "'abcd' has 4 bytes, not the 3 of STRING");
    CHECK(strstr(misfit(t, &t_string3, integer(5)), "not the 3 of STRING"));
}

TEST(leaf_fill, a_json_is_json)
{
    static const char *const good[] = {"{}", " [1, 2.5e3] ", "null", "\"x\"",
                                       "{\"a\":[{\"b\":\"\\u00e9\\n\"}]}"};
    static const char *const bad[] = {"", "{", "[1,]", "{a:1}", "1 2",
                                      "\"\\x\"", "nul"};

    for (size_t i = 0; i < PQ_COUNT(good); i++) {
        CHECK_TEXT(stored_text(t, &t_json, text(good[i])), good[i]);
    }
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK(strstr(misfit(t, &t_json, text(bad[i])),
                     "' is not a JSON: malformed JSON at byte "));
    }
    CHECK_TEXT(stored_text(t, &t_json, integer(5)), "5");
    CHECK_TEXT(stored_text(t, &t_json, real(0.5)), "0.5");
    CHECK_TEXT(misfit(t, &t_json, real((double)INFINITY)),
               "9e999 is not a JSON");
    CHECK(strstr(misfit(t, &t_json, text("\"\xff\"")), "is not UTF-8"));
}

TEST(leaf_fill, bytes_are_blobs_or_texts_as_they_are)
{
    PqSlice four = test_hex(t, "00 01 fe ff");
    uint8_t out[4200];

    CHECK_INT(put(t, &t_bytes, blob(four), out), 4);
    CHECK_BYTES(out, 4, four.p, 4);
    CHECK_INT(put(t, &t_bytes, blob(pq_slice("", 0)), out), 0);
    CHECK_INT(put(t, &t_bytes, text("a\xff"), out), 2);
    CHECK_INT(put(t, &t_fixed, blob(four), out), 4);
    CHECK_INT(put(t, &t_fixed, text("abcd"), out), 4);
    CHECK_TEXT(misfit(t, &t_fixed, text("abc")),
               "'abc' has 3 bytes, not the 4 of FIXED_LEN_BYTE_ARRAY(4)");
    CHECK_TEXT(misfit(t, &t_bytes, integer(1)), "1 is not a BYTE_ARRAY");
    CHECK_INT(put(t, &t_bson, blob(four), out), 4);
    CHECK_TEXT(misfit(t, &t_bson, text("{}")), "'{}' is not a BSON");
    CHECK_TEXT(misfit(t, &t_unknown, integer(1)),
               "1 in a column that is always NULL");
}

#define POINT_1_2 "0101000000 000000000000f03f 0000000000000040"

TEST(leaf_fill, a_geometry_is_wkb_or_wkt)
{
    static const PqFillRules exact = {.exact_numbers = true};
    PqFillRules known = {.geometry = &t_geometry};
    PqSlice point = test_hex(t, POINT_1_2);
    PqSlice big = test_hex(t, "00 00000001 3ff0000000000000 4000000000000000");
    PqSlice ewkb = test_hex(t, "01 01000020 e6100000 000000000000f03f "
                               "0000000000000040");
    uint8_t out[4200];

    CHECK_INT(put(t, &t_geometry, blob(point), out), 21);
    CHECK_BYTES(out, 21, point.p, 21);
    CHECK_INT(put(t, &t_geometry, blob(big), out), 21);
    CHECK_BYTES(out, 21, big.p, 21);             /* byte for byte */
    CHECK_INT(put(t, &t_geometry, blob(ewkb), out), 21);
    CHECK_BYTES(out, 21, point.p, 21);
    CHECK_INT(put(t, &t_geometry, text("POINT (1 2)"), out), 21);
    CHECK_BYTES(out, 21, point.p, 21);
    CHECK_INT(put_by(t, &t_bytes, text("POINT (1 2)"), &known, out), 21);
    CHECK_BYTES(out, 21, point.p, 21);
    CHECK_INT(put_by(t, &t_geometry, blob(point), &exact, out), 21);
    CHECK_TEXT(misfit_by(t, &t_geometry, text("POINT (1 2)"), &exact),
               "'POINT (1 2)' is not a GEOMETRY(OGC:CRS84)");
    CHECK(strstr(misfit_by(t, &t_geometry, blob(ewkb), &exact),
                 "is not a GEOMETRY(OGC:CRS84)"));
    CHECK_TEXT(misfit(t, &t_geometry, integer(1)),
               "1 is not a GEOMETRY(OGC:CRS84)");
    CHECK_TEXT(misfit_by(t, &t_bytes, integer(1), &known),
               "1 is not a GEOMETRY(OGC:CRS84)");
    CHECK_TEXT(misfit(t, &t_geometry, blob(pq_slice(point.p, 20))),
               "x'0101000000000000000000f03f00000000000000' is not a "
               "GEOMETRY(OGC:CRS84): invalid WKB: at byte 5, it ends within a "
               "POINT");
    CHECK(strstr(misfit(t, &t_geometry, text("POINT (1 2")), "POINT (1 2"));
}

TEST(leaf_fill, a_uuid_is_a_text_or_sixteen_bytes)
{
    const char *hex = "00112233445566778899aabbccddeeff";

    CHECK(is_hex(t, &t_uuid, text("00112233-4455-6677-8899-AABBCCDDEEFF"),
                 hex));
    CHECK(is_hex(t, &t_uuid, blob(test_hex(t, hex)), hex));
    CHECK_TEXT(misfit(t, &t_uuid, text("0011")), "'0011' is not a UUID");
    CHECK_TEXT(misfit(t, &t_uuid, integer(0)), "0 is not a UUID");
    CHECK_TEXT(misfit(t, &t_uuid, blob(test_hex(t, "00"))),
               "x'00' has 1 bytes, not the 16 of UUID");
}

TEST(leaf_fill, a_message_shows_the_beginning_of_a_long_value)
{
    char long_text[200], want[300];
    PqCell with_nul = pq_cell_text(pq_slice("a\0b", 3));

    memset(long_text, 'y', sizeof long_text);
    long_text[199] = 0;
    snprintf(want, sizeof want, "'%.60s...' is not a DATE", long_text);
    CHECK_TEXT(misfit(t, &t_date, text(long_text)), want);
    memcpy(long_text + 59, "\xc3\xa9", 2);       /* is not cut in two */
    snprintf(want, sizeof want, "'%.59s...' is not a DATE", long_text);
    CHECK_TEXT(misfit(t, &t_date, text(long_text)), want);
    CHECK(strstr(misfit(t, &t_date, blob(pq_slice(long_text, 199))),
                 "7979...' is not a DATE"));
    CHECK_TEXT(misfit(t, &t_date, with_nul), "'a\\x00b' is not a DATE");
    t->e->where.column = "when";
    CHECK_TEXT(misfit(t, &t_json, text("{")),
               "column when: '{' is not a JSON: malformed JSON at byte 1: "
               "the text ends, but the name of a member was expected");
    pq_where_reset(t->e);
}

/* ---- columns ------------------------------------------------------------- */

static PqRc add_all(PqCells *c, const PqCell *v, size_t n, PqErr *e)
{
    for (size_t i = 0; i < n; i++) {
        PQ_TRY(add(c, v[i], e));
    }
    return PQ_OK;
}

TEST(leaf_fill, nulls_are_clear_bits_and_no_values)
{
    PqLeaf leaf = {.type = t_i32, .path = "x", .max_def = 1};
    const PqCell v[] = {integer(1), null_value(), integer(3), null_value()};
    uint32_t misfit_at = 0, i, n_values = 0;
    PqLeafBatch b;
    PqCells c;

    pq_cells_init(&c, t->mem);
    pq_leaf_batch_init(&b, &leaf, t->mem);
    CHECK_OK(add_all(&c, v, PQ_COUNT(v), t->e));
    for (i = 0; i < 100; i++) {      /* over the ends of words */
        CHECK_OK(pq_leaf_fill(&b, &c, i % 4, 1 + i % (4 - i % 4), &usual,
                              &misfit_at, t->e));
    }
    for (i = 0; i < b.n_entries; i++) {
        n_values += (uint32_t)(b.valid[i / 64] >> i % 64 & 1);
    }
    CHECK_INT(n_values, b.n_values);
    CHECK_INT(b.n_rows, b.n_entries);
    CHECK_INT(b.valid[0] & 1, 1);
    pq_leaf_batch_reset(&b);
    CHECK_OK(pq_leaf_fill(&b, &c, 0, 4, &usual, &misfit_at, t->e));
    CHECK_INT(b.n_entries, 4);
    CHECK_INT(b.n_values, 2);
    CHECK_INT(b.valid[0], 5);
    CHECK_INT(((int32_t *)b.values)[1], 3);
    CHECK_OK(pq_leaf_fill(&b, &c, 4, 0, &usual, &misfit_at, t->e));
    pq_leaf_batch_free(&b);
    pq_cells_free(&c);
}

TEST(leaf_fill, a_misfit_leaves_the_batch_as_it_was)
{
    PqLeaf leaf = {.type = t_string, .path = "x", .max_def = 1};
    const PqCell v[] = {text("a"), text("bc"), blob(test_hex(t, "ff")),
                        text("d")};
    uint32_t misfit_at = 0;
    PqLeafBatch b;
    PqCells c;

    pq_cells_init(&c, t->mem);
    pq_leaf_batch_init(&b, &leaf, t->mem);
    CHECK_OK(add_all(&c, v, PQ_COUNT(v), t->e));
    CHECK_OK(pq_leaf_fill(&b, &c, 0, 2, &usual, &misfit_at, t->e));
    CHECK_FAILS(pq_leaf_fill(&b, &c, 1, 3, &usual, &misfit_at, t->e),
                PQ_USAGE, "x'ff' is not a STRING");
    CHECK_INT(misfit_at, 2);
    CHECK_INT(b.n_entries, 2);
    CHECK_INT(b.n_rows, 2);
    CHECK_INT(b.n_values, 2);
    CHECK_INT(b.n_bytes, 3);
    CHECK_INT(b.valid[0], 3);
    CHECK_OK(pq_leaf_fill(&b, &c, 1, 3, &nulls, &misfit_at, t->e));
    CHECK_INT(b.n_entries, 5);
    CHECK_INT(b.n_values, 4);
    CHECK_INT(b.n_bytes, 6);
    CHECK_INT(b.valid[0], 0x17);
    CHECK(((PqStr *)b.values)[3].p == c.cells[3].p); /* borrowed */
    pq_leaf_batch_free(&b);
    pq_cells_free(&c);
}

TEST(leaf_fill, a_misfit_of_json_that_became_null_is_no_error)
{
    PqLeaf leaf = {.type = t_json, .path = "x", .max_def = 1};
    const PqCell v[] = {text("{"), text("{}"), text("\"\\q\"")};
    uint32_t misfit_at = 0;
    PqLeafBatch b;
    PqCells c;

    pq_cells_init(&c, t->mem);
    pq_leaf_batch_init(&b, &leaf, t->mem);
    CHECK_OK(add_all(&c, v, PQ_COUNT(v), t->e));
    CHECK_OK(pq_leaf_fill(&b, &c, 0, 3, &nulls, &misfit_at, t->e));
    CHECK_INT(t->e->rc, PQ_OK);
    CHECK_INT(b.valid[0], 2);
    CHECK_INT(b.n_values, 1);
    pq_leaf_batch_free(&b);
    pq_cells_free(&c);
}

TEST(leaf_fill, a_required_column_takes_no_null)
{
    PqLeaf leaf = {.type = t_i64, .path = "x"};
    const PqCell v[] = {integer(1), null_value(), text("x")};
    uint32_t misfit_at = 0;
    PqLeafBatch b;
    PqCells c;

    pq_cells_init(&c, t->mem);
    pq_leaf_batch_init(&b, &leaf, t->mem);
    CHECK_OK(add_all(&c, v, PQ_COUNT(v), t->e));
    CHECK_FAILS(pq_leaf_fill(&b, &c, 0, 3, &nulls, &misfit_at, t->e),
                PQ_USAGE, "NULL in a column that is NOT NULL");
    CHECK_INT(misfit_at, 1);
    CHECK_FAILS(pq_leaf_fill(&b, &c, 2, 1, &nulls, &misfit_at, t->e),
                PQ_USAGE, "'x' is not an INT64");
    CHECK_INT(misfit_at, 2);
    CHECK_INT(b.n_values, 0);
    pq_leaf_batch_free(&b);
    pq_cells_free(&c);
}

TEST(leaf_fill, every_failed_allocation_is_an_error_and_not_a_misfit)
{
    const PqCell v[] = {text("12345678901234567890.5"), integer(5),
                        null_value()};
    const PqCell half[] = {real(1.5), null_value(), integer(2)};
    const PqCell json[] = {text("\"\\n\""), integer(5), null_value()};
    struct {
        PqType type;
        const PqCell *v;
    } rows[] = {{decimal(PQ_BYTE_ARRAY, 0, 40, 2), v},
                {t_half, half},
                {t_string, v},
                {t_json, json}};

    for (size_t k = 0; k < PQ_COUNT(rows); k++) {
        PqLeaf leaf = {.type = rows[k].type, .path = "x", .max_def = 1};
        bool done = false;

        for (int64_t nth = 1; !done; nth++) {
            uint32_t misfit_at = 0;
            PqLeafBatch b;
            PqCells c;
            PqRc rc;

            CHECK(nth < 100);
            pq_cells_init(&c, t->mem);
            pq_leaf_batch_init(&b, &leaf, t->mem);
            CHECK_OK(add_all(&c, rows[k].v, 3, t->e));
            pq_fault_set(nth);
            rc = pq_leaf_fill(&b, &c, 0, 3, &nulls, &misfit_at, t->e);
            done = pq_fault_count() < nth;
            pq_fault_set(0);
            CHECK_INT(rc, done ? PQ_OK : PQ_NOMEM);
            CHECK_INT(b.n_entries, done ? 3 : 0);
            pq_err_clear(t->e);
            pq_leaf_batch_free(&b);
            pq_cells_free(&c);
        }
    }
}
