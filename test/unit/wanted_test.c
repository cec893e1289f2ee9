/*
** wanted_test.c - spans of stored values: joined, met by bounds, listed, and
** tested against arrays.  The right answers come from loops over all values.
*/
#include "core/meta/bloom.h"
#include "core/scan/wanted.h"
#include "test/unit/test.h"

#include <math.h>
#include <stdlib.h>

typedef struct Fixture {
    PqArena  arena;
    PqType   type;
    PqWanted w;
} Fixture;

static const PqType int32 = {.physical = PQ_INT32, .is_signed = true};
static const PqType real = {.physical = PQ_DOUBLE};
static const PqType text = {.physical = PQ_BYTE_ARRAY,
                            .logical = PQ_TYPE_STRING};

static PqRc begin(Test *t, Fixture *f, PqWantedForm form, const PqType *type,
                  uint32_t n)
{
    pq_arena_init(&f->arena, t->mem);
    f->type = *type;
    return pq_wanted_begin(&f->w, form, type, n, &f->arena, t->e);
}

static PqBounds from_to(const int32_t *min, const int32_t *max)
{
    return (PqBounds){.has_min = min, .has_max = max,
                      .min = pq_slice(min, min ? 4 : 0),
                      .max = pq_slice(max, max ? 4 : 0)};
}

static bool meets(const Fixture *f, int32_t min, int32_t max)
{
    PqBounds b = from_to(&min, &max);

    return pq_wanted_meets(&f->w, &f->type, &b, 10);
}

TEST(wanted, spans_that_touch_are_one)
{
    Fixture f;

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &int32, 5));
    pq_wanted_add(&f.w, 7, 9);
    pq_wanted_add(&f.w, 1, 2);
    pq_wanted_add(&f.w, 3, 3);
    pq_wanted_add(&f.w, 8, 12);
    pq_wanted_add(&f.w, 5, 4);
    pq_wanted_end(&f.w);
    uint32_t n = f.w.n;
    bool right = n == 2 && f.w.spans[0].first == 1 && f.w.spans[0].last == 3 &&
                 f.w.spans[1].first == 7 && f.w.spans[1].last == 12;
    pq_arena_free(&f.arena);
    CHECK(right);
}

TEST(wanted, bounds_meet_what_lies_between_them)
{
    Fixture f;
    int wrong = 0;

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &int32, 3));
    pq_wanted_add(&f.w, -5, -5);
    pq_wanted_add(&f.w, 10, 20);
    pq_wanted_add(&f.w, 30, 30);
    pq_wanted_end(&f.w);
    for (int32_t min = -10; min < 40; min++) {
        for (int32_t max = min; max < 40; max++) {
            bool any = false;

            for (int32_t v = min; v <= max; v++) {
                any |= v == -5 || (v >= 10 && v <= 20) || v == 30;
            }
            wrong += meets(&f, min, max) != any;
        }
    }
    pq_arena_free(&f.arena);
    CHECK_INT(wrong, 0);
}

TEST(wanted, a_bound_that_is_missing_is_the_end_of_the_type)
{
    Fixture f;
    int32_t five = 5;
    PqBounds none = from_to(NULL, NULL), above = from_to(&five, NULL),
             below = from_to(NULL, &five);

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &int32, 1));
    pq_wanted_add(&f.w, 1, 3);
    pq_wanted_end(&f.w);
    bool any = pq_wanted_meets(&f.w, &int32, &none, 10),
         from_five = pq_wanted_meets(&f.w, &int32, &above, 10),
         to_five = pq_wanted_meets(&f.w, &int32, &below, 10);
    pq_arena_free(&f.arena);
    CHECK(any);
    CHECK(!from_five);
    CHECK(to_five);
}

TEST(wanted, nulls_and_nans_are_met_apart_from_values)
{
    Fixture f;
    double one = 1;
    PqBounds b = {.has_min = true, .has_max = true, .n_nulls = 0,
                  .min = pq_slice(&one, 8), .max = pq_slice(&one, 8)};

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &real, 1));
    f.w.nulls = true;
    bool without = pq_wanted_meets(&f.w, &real, &b, 10);
    b.n_nulls = -1;
    bool unknown = pq_wanted_meets(&f.w, &real, &b, 10);
    b.n_nulls = 3;
    bool some = pq_wanted_meets(&f.w, &real, &b, 10);
    f.w.nulls = false;
    f.w.nans = true;
    b.n_nans = 0;
    bool no_nan = pq_wanted_meets(&f.w, &real, &b, 10);
    b.n_nans = -1;
    bool perhaps = pq_wanted_meets(&f.w, &real, &b, 10);
    f.w.nans = false;
    pq_wanted_add_all(&f.w);
    b = (PqBounds){.n_nulls = 3, .n_nans = 7};
    bool only_nans = pq_wanted_meets(&f.w, &real, &b, 10);
    b.n_nans = 6;
    bool one_value = pq_wanted_meets(&f.w, &real, &b, 10);
    pq_arena_free(&f.arena);
    CHECK(!without);
    CHECK(unknown);
    CHECK(some);
    CHECK(!no_nan);
    CHECK(perhaps);
    CHECK(!only_nans);
    CHECK(one_value);
}

TEST(wanted, values_outside_the_limits_are_met_if_they_may_be_wanted)
{
    Fixture f;

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &int32, 1));
    f.w.bounded = true;
    f.w.least = 0;
    f.w.most = 100;
    pq_wanted_add(&f.w, 5, 5);
    bool inside = meets(&f, 10, 20), outside = meets(&f, 10, 101);
    f.w.beyond = true;
    bool wanted_outside = meets(&f, 10, 101), still = meets(&f, 10, 20);
    pq_arena_free(&f.arena);
    CHECK(!inside);
    CHECK(!outside);
    CHECK(wanted_outside);
    CHECK(!still);
}

static bool text_meets(const Fixture *f, const char *min, const char *max)
{
    PqBounds b = {.has_min = min, .has_max = max};

    if (min) b.min = pq_slice_text(min);
    if (max) b.max = pq_slice_text(max);
    return pq_wanted_meets(&f->w, &text, &b, 10);
}

TEST(wanted, texts_are_met_by_their_bytes)
{
    Fixture f;

    CHECK_OK(begin(t, &f, PQ_WANTED_BYTES, &text, 3));
    pq_wanted_add_value(&f.w, pq_slice_text("m"));
    pq_wanted_add_bytes(&f.w, pq_slice_text("b"), pq_slice_text("d"));
    pq_wanted_add_bytes_from(&f.w, pq_slice_text("x"));
    pq_wanted_end(&f.w);
    bool right = text_meets(&f, "c", "c") && !text_meets(&f, "d", "l") &&
                 text_meets(&f, "d", "m") && !text_meets(&f, "ma", "w") &&
                 text_meets(&f, "y", NULL) && text_meets(&f, NULL, "b") &&
                 !text_meets(&f, NULL, "a") && text_meets(&f, "a", NULL);
    bool has = pq_wanted_has_bytes(&f.w, pq_slice_text("m")) &&
               !pq_wanted_has_bytes(&f.w, pq_slice("m\0", 2)) &&
               !pq_wanted_has_bytes(&f.w, pq_slice_text("")) &&
               pq_wanted_has_bytes(&f.w, pq_slice_text("zz"));
    pq_arena_free(&f.arena);
    CHECK(right);
    CHECK(has);
}

TEST(wanted, spans_of_texts_that_overlap_are_one)
{
    Fixture f;

    CHECK_OK(begin(t, &f, PQ_WANTED_BYTES, &text, 4));
    pq_wanted_add_bytes(&f.w, pq_slice_text("c"), pq_slice_text("f"));
    pq_wanted_add_value(&f.w, pq_slice_text("d"));
    pq_wanted_add_bytes(&f.w, pq_slice_text("a"), pq_slice_text("d"));
    pq_wanted_add_bytes_from(&f.w, pq_slice_text("e"));
    pq_wanted_end(&f.w);
    bool right = f.w.n == 1 && f.w.byte_spans[0].endless &&
                 pq_slice_is(f.w.byte_spans[0].from, "a");
    pq_arena_free(&f.arena);
    CHECK(right);
}

TEST(wanted, few_values_are_hashed_and_many_are_not)
{
    Fixture f;
    int32_t seven = 7, eight = 8;
    uint64_t a = pq_bloom_hash(pq_slice(&seven, 4)),
             b = pq_bloom_hash(pq_slice(&eight, 4)), *out;
    bool known;
    uint32_t n;

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &int32, 2));
    pq_wanted_add(&f.w, 7, 8);
    CHECK_OK(pq_wanted_hashes(&f.w, &int32, &f.arena, &out, &n, &known, t->e));
    bool right = known && n == 2 && out[0] == (a < b ? a : b) &&
                 out[1] == (a < b ? b : a);
    pq_wanted_add(&f.w, 100, 1000000);
    CHECK_OK(pq_wanted_hashes(&f.w, &int32, &f.arena, &out, &n, &known, t->e));
    bool many = known;
    f.w.n = 1;
    f.w.nulls = true;                /* a filter has no NULLs */
    CHECK_OK(pq_wanted_hashes(&f.w, &int32, &f.arena, &out, &n, &known, t->e));
    pq_arena_free(&f.arena);
    CHECK(right);
    CHECK(!many);
    CHECK(!known);
}

/* n spans of one value each, or of all but one: few and many of both. */
static int wrong_bits(Test *t, uint32_t n_spans, bool all_but)
{
    enum { N = 200 };
    int32_t v[N];
    uint64_t bits[PQ_WANTED_AT_ONCE / 64], asked[PQ_WANTED_AT_ONCE / 64];
    Fixture f;
    int wrong = 0;

    if (begin(t, &f, PQ_WANTED_PLACES, &int32, n_spans + 1) != PQ_OK) {
        return -1;
    }
    for (uint32_t i = 0; i < n_spans; i++) {
        if (!all_but) {
            pq_wanted_add(&f.w, 3 * (int)i, 3 * (int)i);
        } else {
            pq_wanted_add(&f.w, i == 0 ? f.w.least : 3 * (int)i - 2,
                          3 * (int)i - 1 + (i == 0));
        }
    }
    if (all_but) {
        pq_wanted_add(&f.w, 3 * (int)n_spans - 2, f.w.most);
    }
    pq_wanted_end(&f.w);
    for (int i = 0; i < N; i++) {
        v[i] = i - 50;
    }
    memset(asked, 0xff, sizeof asked);
    asked[N / 64] = ((uint64_t)1 << N % 64) - 1;
    pq_wanted_test(&f.w, &int32, v, N, asked, bits);
    for (int i = 0; i < N; i++) {
        wrong += pq_bit(bits, (uint32_t)i) != pq_wanted_has_place(&f.w, v[i]);
    }
    pq_arena_free(&f.arena);
    return wrong;
}

TEST(wanted, arrays_are_tested_by_kernels_gaps_and_halving_alike)
{
    CHECK_INT(wrong_bits(t, 1, false), 0);
    CHECK_INT(wrong_bits(t, 8, false), 0);
    CHECK_INT(wrong_bits(t, 9, false), 0);
    CHECK_INT(wrong_bits(t, 40, false), 0);
    CHECK_INT(wrong_bits(t, 1, true), 0);
    CHECK_INT(wrong_bits(t, 7, true), 0);
    CHECK_INT(wrong_bits(t, 20, true), 0);
}

/* Of n values that are wanted, pairs of neighbours and single ones, how many are not had,
** and how many others are. */
static int wrong_places(Test *t, uint32_t n)
{
    Fixture f;
    int wrong = 0;

    if (begin(t, &f, PQ_WANTED_PLACES, &int32, n) != PQ_OK) {
        return -1;
    }
    for (uint32_t i = 0; i < n; i++) {
        PqPlace place = (PqPlace)5 * (i / 3) + i % 3 - 100;

        pq_wanted_add(&f.w, place, place);
    }
    pq_wanted_end(&f.w);
    for (uint32_t i = 0; i < n; i++) {
        PqPlace first = (PqPlace)5 * (i / 3) - 100;

        wrong += !pq_wanted_has_place(&f.w, first + i % 3);
        wrong += pq_wanted_has_place(&f.w, first + 3);
        wrong += pq_wanted_has_place(&f.w, first - 1);
    }
    pq_arena_free(&f.arena);
    return wrong;
}

static int wrong_texts(Test *t, uint32_t n)
{
    Fixture f;
    char (*texts)[16] = calloc(n, sizeof *texts), other[32];
    int wrong = 0;

    if (!texts || begin(t, &f, PQ_WANTED_BYTES, &text, n) != PQ_OK) {
        free(texts);
        return -1;
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(texts[i], sizeof *texts, "%u", i * 7919 % 1000003);
        pq_wanted_add_value(&f.w, pq_slice_text(texts[i]));
    }
    pq_wanted_end(&f.w);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(other, sizeof other, "%sx", texts[i]);
        wrong += !pq_wanted_has_bytes(&f.w, pq_slice_text(texts[i]));
        wrong += pq_wanted_has_bytes(&f.w, pq_slice_text(other));
    }
    pq_arena_free(&f.arena);
    free(texts);
    return wrong;
}

TEST(wanted, a_sieve_lets_all_wanted_values_pass)
{
    static const uint32_t counts[] = {2, 8, 9, 24, 25, 1000, 20000};

    for (size_t i = 0; i < PQ_COUNT(counts); i++) {
        CHECK_INT(wrong_places(t, counts[i]), 0);
        CHECK_INT(wrong_texts(t, counts[i]), 0);
    }
}

/* With too little memory there is no list of values; with a little more there is one
** without a sieve. */
TEST(wanted, values_without_memory_for_a_sieve_are_found)
{
    enum { N = 20000 };
    size_t limit = pq_mem_limit(t->mem), least = pq_mem_used(t->mem);
    uint32_t n_bare = 0, n_none = 0;

    for (size_t more = 4 << 10; more < 2 << 20 && !t->failed; more += 16 << 10) {
        Fixture f;
        int wrong = 0;
        PqRc rc;

        pq_mem_set_limit(t->mem, least + more);
        rc = begin(t, &f, PQ_WANTED_PLACES, &int32, N);
        for (int32_t i = 0; i < N && rc == PQ_OK; i++) {
            pq_wanted_add(&f.w, 3 * i, 3 * i);
        }
        if (rc == PQ_OK) {
            pq_wanted_end(&f.w);
            n_bare += !f.w.sieve;
        }
        for (int32_t i = 0; i < 3 * N && rc == PQ_OK; i++) {
            wrong += pq_wanted_has_place(&f.w, i) != (i % 3 == 0);
        }
        pq_arena_free(&f.arena);
        n_none += rc == PQ_BUDGET;
        CHECK(rc == PQ_OK || rc == PQ_BUDGET);
        CHECK_INT(wrong, 0);
        pq_err_clear(t->e);
    }
    pq_mem_set_limit(t->mem, limit);
    CHECK(n_bare > 0 && n_none > 0);
}

/* A span among single values that has more than a sieve takes. */
TEST(wanted, a_span_of_many_values_needs_no_sieve)
{
    Fixture f;

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &int32, 20));
    for (int i = 0; i < 19; i++) {
        pq_wanted_add(&f.w, 3 * i, 3 * i);
    }
    pq_wanted_add(&f.w, 1000, 2000000000);
    pq_wanted_end(&f.w);
    bool right = pq_wanted_has_place(&f.w, 54) && !pq_wanted_has_place(&f.w, 55) &&
                 pq_wanted_has_place(&f.w, 1999999999);
    pq_arena_free(&f.arena);
    CHECK(right);
}

/* The greatest values of the type look negative. */
static int wrong_bits_without_a_sign(Test *t, uint32_t n_spans)
{
    enum { N = 64 };
    static const uint32_t from = 3000000000;
    PqType u32 = {.physical = PQ_INT32, .logical = PQ_TYPE_INT, .bit_width = 32};
    uint32_t v[N];
    uint64_t bits, asked = ~(uint64_t)0;
    Fixture f;
    int wrong = 0;

    if (begin(t, &f, PQ_WANTED_PLACES, &u32, n_spans) != PQ_OK) {
        return -1;
    }
    for (uint32_t i = 0; i < n_spans; i++) {
        pq_wanted_add(&f.w, from + 3 * i, from + 3 * i);
    }
    pq_wanted_end(&f.w);
    for (uint32_t i = 0; i < N; i++) {
        v[i] = from + i;
    }
    pq_wanted_test(&f.w, &u32, v, N, &asked, &bits);
    for (uint32_t i = 0; i < N; i++) {
        wrong += pq_bit(&bits, i) != (i % 3 == 0 && i / 3 < n_spans);
    }
    pq_arena_free(&f.arena);
    return wrong;
}

TEST(wanted, arrays_of_values_without_a_sign_are_tested_alike)
{
    CHECK_INT(wrong_bits_without_a_sign(t, 1), 0);
    CHECK_INT(wrong_bits_without_a_sign(t, 8), 0);
    CHECK_INT(wrong_bits_without_a_sign(t, 9), 0);
    CHECK_INT(wrong_bits_without_a_sign(t, 20), 0);
}

TEST(wanted, all_values_are_those_without_a_place_too)
{
    static const PqType decimal = {.physical = PQ_FIXED, .fixed_length = 20,
                                   .logical = PQ_TYPE_DECIMAL};
    static const uint8_t wide[20] = {1}, one[20] = {[19] = 1};
    const PqStr values[] = {{wide, sizeof wide}, {one, sizeof one}};
    uint64_t asked = 3, all = 0, few = 0;
    Fixture f;

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &decimal, 1));
    pq_wanted_add_all(&f.w);
    pq_wanted_test(&f.w, &decimal, values, 2, &asked, &all);
    pq_arena_free(&f.arena);
    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &decimal, 1));
    pq_wanted_add(&f.w, 0, 5);
    pq_wanted_test(&f.w, &decimal, values, 2, &asked, &few);
    pq_arena_free(&f.arena);
    CHECK_INT(all, 3);
    CHECK_INT(few, 2);
}

TEST(wanted, a_nan_is_wanted_or_not_whatever_the_spans_are)
{
    static const double v[] = {NAN, 1, -NAN, 2, INFINITY};
    uint64_t asked[PQ_WANTED_AT_ONCE / 64] = {31};
    uint64_t bits[4][PQ_WANTED_AT_ONCE / 64];
    Fixture f;

    CHECK_OK(begin(t, &f, PQ_WANTED_PLACES, &real, 2));
    pq_wanted_add(&f.w, pq_double_place(2), pq_double_place(2));
    pq_wanted_test(&f.w, &real, v, 5, asked, bits[0]);
    f.w.nans = true;
    pq_wanted_test(&f.w, &real, v, 5, asked, bits[1]);
    f.w.n = 0;
    pq_wanted_add_all(&f.w);         /* as IS NOT NULL does: no gaps */
    pq_wanted_test(&f.w, &real, v, 5, asked, bits[2]);
    f.w.nans = false;
    pq_wanted_test(&f.w, &real, v, 5, asked, bits[3]);
    pq_arena_free(&f.arena);
    CHECK_INT(bits[0][0], 8);
    CHECK_INT(bits[1][0], 13);
    CHECK_INT(bits[2][0], 31);
    CHECK_INT(bits[3][0], 26);
}
