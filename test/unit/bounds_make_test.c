/*
** bounds_make_test.c - bounds of random values of each type, compared with a
** search value by value and accepted by the reading side; and each kind of cut.
*/
#include "core/meta/bounds_make.h"
#include "core/text/utf8.h"
#include "test/unit/made_values.h"

static MadeValues made;

/* ---- against a search ---- */

/* The index of the least or greatest value, either among NaNs or among the
** others; floats in total order; -1: there is none. */
static int64_t search(const MadeValues *m, bool greatest, bool nans)
{
    PqOrder order = made_is_float(m->type) ? PQ_ORDER_FLOAT_TOTAL
                                           : pq_order_of_type(m->type);
    int64_t best = -1;

    for (uint32_t i = 0; i < m->n; i++) {
        int c;
        if (made_is_nan(m, i) != nans) {
            continue;
        }
        c = best < 0 ? 0 : pq_order_compare(order, m->type, m->plain[i],
                                            m->plain[best]);
        if (best < 0 || (greatest ? c > 0 : c < 0)) {
            best = i;
        }
    }
    return best;
}

static int64_t count_nans(const MadeValues *m)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < m->n; i++) {
        n += made_is_nan(m, i);
    }
    return n;
}

static bool occurs(const MadeValues *m, PqSlice v)
{
    for (uint32_t i = 0; i < m->n; i++) {
        if (pq_slice_equal(m->plain[i], v)) {
            return true;
        }
    }
    return false;
}

/* Adds the values in parts, each with its own bounds, which are added up. */
static PqRc add_in_parts(Test *t, PqBoundsMake *b, const MadeValues *m,
                         bool total, Random *r)
{
    PqBoundsMake page;
    PqRc rc = PQ_OK;

    pq_bounds_make_init(&page, m->type, t->mem);
    if (total) {
        pq_bounds_make_total(&page);
    }
    for (uint32_t at = 0, n; at < m->n && rc == PQ_OK; at += n) {
        n = 1 + random_below(r, m->n - at);
        pq_bounds_make_reset(&page);
        rc = pq_bounds_add(&page, made_from(m, at), n / 2, 1, t->e);
        if (rc == PQ_OK) {
            rc = pq_bounds_add(&page, made_from(m, at + n / 2), n - n / 2, 0,
                               t->e);
        }
        if (rc == PQ_OK) {
            rc = pq_bounds_add_bounds(b, &page, t->e);
        }
    }
    pq_bounds_make_free(&page);
    return rc;
}

/* Checks that the bounds of these values are right and not cut. */
static const char *judge(const PqBoundsMade *b, const MadeValues *m,
                         bool total)
{
    PqOrder order = total && made_is_float(m->type)
                        ? PQ_ORDER_FLOAT_TOTAL
                        : pq_order_of_type(m->type);
    bool only_nans = order == PQ_ORDER_FLOAT_TOTAL && search(m, false, false)
                                                          < 0;
    int64_t min = search(m, false, only_nans);
    int64_t max = search(m, true, only_nans);

    if (order == PQ_ORDER_NONE || min < 0 ||
        (order != PQ_ORDER_FLOAT_TOTAL && count_nans(m) > 0)) {
        return b->has_min || b->has_max ? "bounds of nothing" : NULL;
    }
    if (!b->has_min || !b->has_max) {
        return "a bound is missing";
    }
    if (pq_order_compare(order, m->type, b->min, m->plain[min]) != 0 ||
        pq_order_compare(order, m->type, b->max, m->plain[max]) != 0) {
        return "not the bound";
    }
    if (b->min_exact != occurs(m, b->min) ||
        b->max_exact != occurs(m, b->max)) {
        return "exact or not?";
    }
    return NULL;
}

/* Checks that the reading side accepts all of it. */
static const char *believe(const PqStatistics *s, const PqBoundsMade *b,
                           const MadeValues *m, bool total, int64_t n_nulls)
{
    PqBounds got;
    MadeColumn c;

    made_column(&c, m->type, total);
    got = pq_stats_bounds(&c.f, 0, s, m->n + n_nulls);
    if (got.n_nulls != n_nulls || got.n_nans != count_nans(m) ||
        got.all_null != (m->n == 0)) {
        return "counts";
    }
    if (b->has_min && (b->min.n || b->max.n) &&
        !(made_is_float(m->type) && pq_order_is_nan(m->type, b->min))) {
        return !got.has_min || !got.has_max ||
                       !pq_slice_equal(got.min, s->min_value) ||
                       !pq_slice_equal(got.max, s->max_value) ||
                       got.min_exact != s->is_min_value_exact ||
                       got.max_exact != s->is_max_value_exact
                   ? "not believed"
                   : NULL;
    }
    return got.has_min || got.has_max ? "believed" : NULL;
}

static const char *check_made(Test *t, const PqType *type, uint32_t n,
                              bool total, Random *r)
{
    const char *wrong = "a call failed";
    PqBoundsMade b;
    PqStatistics s;
    PqBoundsMake maker;
    PqArena a;

    made_values(&made, type, n, r);
    pq_arena_init(&a, t->mem);
    pq_bounds_make_init(&maker, type, t->mem);
    if (total) {
        pq_bounds_make_total(&maker);
    }
    if (add_in_parts(t, &maker, &made, total, r) == PQ_OK &&
        pq_bounds_made(&maker, MADE_BYTES, &a, &b, t->e) == PQ_OK &&
        pq_bounds_statistics(&maker, 7, &a, &s, t->e) == PQ_OK) {
        wrong = judge(&b, &made, total);
        if (!wrong && s.has & HAS(PQ_STATISTICS_MAX_VALUE)) {
            wrong = believe(&s, &b, &made, total, maker.n_nulls);
        }
        if (!wrong && (s.distinct_count != 7 ||
                       !(s.has & HAS(PQ_STATISTICS_DISTINCT_COUNT)))) {
            wrong = "distinct count";
        }
    }
    pq_bounds_make_free(&maker);
    pq_arena_free(&a);
    return wrong;
}

TEST(bounds_make, of_random_values_are_those_of_a_search)
{
    Random r = {41};

    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        for (uint32_t k = 0; k < 1500; k++) {
            uint32_t n = k % 4 ? random_below(&r, 6)
                               : random_below(&r, MADE_MOST);
            const char *wrong = check_made(
                t, &made_types[i], n,
                (k & 1) && pq_type_is_float(&made_types[i]), &r);
            if (wrong) {
                test_fail(t, __FILE__, __LINE__, "%s: type %zu, round %u",
                          wrong, i, k);
                return;
            }
        }
    }
}

/* Texts that share a prefix, or are prefixes of others, or are sorted: they are
** told apart by the bytes after the common prefix. */
TEST(bounds_make, of_texts_that_begin_alike_are_those_of_a_search)
{
    enum { N = 60, MOST = 40 };
    static const PqType type = {.physical = PQ_BYTE_ARRAY};
    static uint8_t texts[N][MOST];
    Random r = {97};

    for (int round = 0; round < 20000 && !t->failed; round++) {
        uint32_t n = 1 + random_below(&r, N), front = random_below(&r, 20);
        uint32_t min = 0, max = 0;
        PqStr v[N];
        PqBoundsMake b;

        for (uint32_t i = 0; i < n; i++) {
            uint32_t length = random_below(&r, 8) ? front : 0;

            memset(texts[i], round % 3 ? 'h' : 0, MOST);
            length += random_below(&r, 12);
            for (uint32_t k = length / 2; k < length; k++) {
                texts[i][k] = (uint8_t)(random_below(&r, 3) - 1);
            }
            if (round % 5 == 0) {    /* ascending or descending */
                texts[i][front] = (uint8_t)(round & 1 ? i : N - i);
                length = length > front ? length : front + 1;
            }
            v[i] = (PqStr){texts[i], length};
            min = pq_rank_compare_bytes(PQ_RANK_BYTES, &type, v[i], v[min]) < 0
                      ? i : min;
            max = pq_rank_compare_bytes(PQ_RANK_BYTES, &type, v[i], v[max]) > 0
                      ? i : max;
        }
        pq_bounds_make_init(&b, &type, t->mem);
        CHECK_OK(pq_bounds_add(&b, v, n / 2, 0, t->e));
        CHECK_OK(pq_bounds_add(&b, v + n / 2, n - n / 2, 0, t->e));
        CHECK(pq_slice_equal(pq_buf_view(&b.min_bytes),
                             pq_slice(v[min].p, v[min].n)));
        CHECK(pq_slice_equal(pq_buf_view(&b.max_bytes),
                             pq_slice(v[max].p, v[max].n)));
        pq_bounds_make_free(&b);
    }
}

/* ---- floats ---- */

static PqRc doubles(Test *t, const double *v, uint32_t n, bool total,
                    PqArena *a, PqStatistics *s)
{
    static const PqType type = {.physical = PQ_DOUBLE};
    PqBoundsMake b;
    PqRc rc;

    pq_bounds_make_init(&b, &type, t->mem);
    if (total) {
        pq_bounds_make_total(&b);
    }
    rc = pq_bounds_add(&b, v, n, 3, t->e);
    if (rc == PQ_OK) {
        rc = pq_bounds_statistics(&b, -1, a, s, t->e);
    }
    pq_bounds_make_free(&b);
    return rc;
}

TEST(bounds_make, zeros_are_widened_in_the_order_of_the_type_only)
{
    static const double zeros[] = {0.0}, minus[] = {-0.0};
    PqStatistics s;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(doubles(t, zeros, 1, false, &a, &s));
    CHECK_INT(pq_load_u64(s.min_value.p) >> 63, 1);
    CHECK_INT(pq_load_u64(s.max_value.p), 0);
    CHECK(!s.is_min_value_exact && s.is_max_value_exact);
    CHECK_OK(doubles(t, minus, 1, false, &a, &s));
    CHECK_INT(pq_load_u64(s.min_value.p) >> 63, 1);
    CHECK_INT(pq_load_u64(s.max_value.p), 0);
    CHECK(s.is_min_value_exact && !s.is_max_value_exact);
    CHECK_OK(doubles(t, minus, 1, true, &a, &s));
    CHECK_INT(pq_load_u64(s.max_value.p) >> 63, 1);
    CHECK(s.is_min_value_exact && s.is_max_value_exact);
    pq_arena_free(&a);
}

TEST(bounds_make, nan_is_counted_and_takes_the_bounds_away)
{
    uint64_t bits[4] = {0x7ff8000000000000, 0x3ff0000000000000,
                        0xfff8000000000001, 0x4000000000000000};
    double v[4];
    PqStatistics s;
    PqArena a;

    memcpy(v, bits, sizeof v);
    pq_arena_init(&a, t->mem);
    CHECK_OK(doubles(t, v, 4, false, &a, &s));
    CHECK_INT(s.nan_count, 2);
    CHECK_INT(s.null_count, 3);
    CHECK_INT(s.has >> PQ_STATISTICS_DISTINCT_COUNT & 1, 0);
    CHECK_INT(s.has, HAS(PQ_STATISTICS_NULL_COUNT) |
                         HAS(PQ_STATISTICS_NAN_COUNT));
    CHECK_OK(doubles(t, v, 1, false, &a, &s));
    CHECK_INT(s.has, HAS(PQ_STATISTICS_NULL_COUNT) |
                         HAS(PQ_STATISTICS_NAN_COUNT));
    CHECK_OK(doubles(t, v, 4, true, &a, &s));
    CHECK(pq_load_u64(s.min_value.p) == bits[1]);
    CHECK(pq_load_u64(s.max_value.p) == bits[3]);
    v[1] = v[2];
    CHECK_OK(doubles(t, v, 2, true, &a, &s));
    CHECK(pq_load_u64(s.min_value.p) == bits[2]);
    CHECK(pq_load_u64(s.max_value.p) == bits[0]);
    pq_arena_free(&a);
}

/* ---- cutting ---- */

static PqRc cut(Test *t, PqType type, PqSlice value, size_t most, PqArena *a,
                PqBoundsMade *out)
{
    PqStr v = {value.p, (uint32_t)value.n};
    PqBoundsMake b;
    PqRc rc;

    pq_bounds_make_init(&b, &type, t->mem);
    rc = pq_bounds_add(&b, &v, 1, 0, t->e);
    if (rc == PQ_OK) {
        rc = pq_bounds_made(&b, most, a, out, t->e);
    }
    pq_bounds_make_free(&b);
    return rc;
}

TEST(bounds_make, cuts_texts_between_characters_and_bytes_anywhere)
{
    static const PqType text = {.physical = PQ_BYTE_ARRAY,
                                .logical = PQ_TYPE_STRING};
    static const PqType json = {.physical = PQ_BYTE_ARRAY,
                                .logical = PQ_TYPE_JSON};
    static const PqType bytes = {.physical = PQ_BYTE_ARRAY};
    static const PqType fixed = {.physical = PQ_FIXED, .fixed_length = 4};
    static const PqType uuid = {.physical = PQ_FIXED, .fixed_length = 4,
                                .logical = PQ_TYPE_UUID};
    static const PqType decimal = {.physical = PQ_BYTE_ARRAY,
                                   .logical = PQ_TYPE_DECIMAL};
    static const struct {
        const PqType *type;
        size_t        most;
        const char   *value, *min, *max;     /* max NULL: none */
    } want[] = {
        {&text, 3, "616263", "616263", "616263"},
        {&text, 3, "61626364", "616263", "616264"},
        {&json, 3, "7b226122", "7b2261", "7b2262"},
        /* e9 has two bytes, and the second does not fit */
        {&text, 3, "6162c3a964", "6162", "6163"},
        {&text, 4, "6162c3a964", "6162c3a9", "6162c3aa"},
        {&text, 4, "6162c3bf64", "6162c3bf", "6162c480"},
        /* the last character has two bytes, and the next one three: no room */
        {&text, 4, "6162dfbf64", "6162dfbf", "6163"},
        {&text, 5, "6162dfbf6464", "6162dfbf64", "6162dfbf65"},
        {&text, 2, "617f64", "617f", "62"},
        /* surrogates are no characters */
        {&text, 3, "ed9fbf61", "ed9fbf", "ee8080"},
        {&text, 3, "efbfbf61", "efbfbf", NULL},
        {&text, 4, "efbfbff09f9880", "efbfbf", "f0908080"},
        {&text, 4, "f09f988061", "f09f9880", "f09f9881"},
        /* the last character has no next one */
        {&text, 5, "61f48fbfbf61", "61f48fbfbf", "62"},
        {&text, 4, "f48fbfbf61", "f48fbfbf", NULL},
        {&text, 8, "f48fbfbff48fbfbf61", "f48fbfbff48fbfbf", NULL},
        {&text, 1, "c3a961", "", NULL},
        /* no UTF-8: bytes */
        {&text, 3, "ff616263", "ff6162", "ff6163"},
        {&text, 3, "ffffff63", "ffffff", NULL},
        {&bytes, 3, "6162c3a964", "6162c3", "6162c4"},
        {&bytes, 3, "61ffff64", "61ffff", "62"},
        {&bytes, 2, "ffff00", "ffff", NULL},
        {&fixed, 3, "00ff00ff", "00ff00", "00ff01"},
        {&uuid, 3, "00ff00ff", "00ff00ff", "00ff00ff"},
        {&decimal, 3, "7fffffff", "7fffffff", "7fffffff"},
        {&bytes, 3, "", "", ""},
    };

    for (size_t i = 0; i < PQ_COUNT(want); i++) {
        PqSlice value = test_hex(t, want[i].value);
        PqSlice min = test_hex(t, want[i].min);
        PqBoundsMade b;
        PqArena a;

        pq_arena_init(&a, t->mem);
        CHECK_OK(cut(t, *want[i].type, value, want[i].most, &a, &b));
        CHECK(b.has_min);
        CHECK_BYTES(b.min.p, b.min.n, min.p, min.n);
        CHECK_INT(b.has_max, want[i].max != NULL);
        if (b.has_max) {
            PqSlice max = test_hex(t, want[i].max);
            CHECK_BYTES(b.max.p, b.max.n, max.p, max.n);
        }
        CHECK_INT(b.min_exact, pq_slice_equal(b.min, value));
        CHECK_INT(b.max_exact, b.has_max && pq_slice_equal(b.max, value));
        pq_arena_free(&a);
    }
}

TEST(bounds_make, random_cuts_hold_all_values_and_stay_text)
{
    static const PqType type = {.physical = PQ_BYTE_ARRAY,
                                .logical = PQ_TYPE_STRING};
    Random r = {43};
    uint32_t n_cut = 0;

    for (uint32_t k = 0; k < 20000; k++) {
        size_t most = 4 + random_below(&r, 40);
        PqBoundsMade b;
        PqArena a;

        pq_arena_init(&a, t->mem);
        made_values(&made, &type, 1, &r);
        CHECK_OK(cut(t, type, made.plain[0], most, &a, &b));
        CHECK(b.has_min && b.min.n <= most && pq_utf8_valid(b.min));
        CHECK(pq_slice_compare(b.min, made.plain[0]) <= 0);
        if (b.has_max) {
            CHECK(b.max.n <= most && pq_utf8_valid(b.max));
            CHECK(pq_slice_compare(b.max, made.plain[0]) >= 0);
            n_cut += !b.max_exact;
        }
        pq_arena_free(&a);
    }
    CHECK(n_cut > 5000);
}

/* ---- memory ---- */

TEST(bounds_make, keeps_nothing_that_is_borrowed)
{
    static const PqType type = {.physical = PQ_BYTE_ARRAY};
    uint8_t text[] = "middle";
    PqStr v = {text, 6};
    PqBoundsMake b;
    PqBoundsMade out;
    PqArena a;

    pq_arena_init(&a, t->mem);
    pq_bounds_make_init(&b, &type, t->mem);
    CHECK_OK(pq_bounds_add(&b, &v, 1, 0, t->e));
    memset(text, 'z', 6);
    CHECK_OK(pq_bounds_made(&b, 64, &a, &out, t->e));
    pq_bounds_make_free(&b);
    CHECK(pq_slice_is(out.min, "middle") && pq_slice_is(out.max, "middle"));
    pq_arena_free(&a);
}

TEST(bounds_make, an_allocation_that_fails_fails_cleanly)
{
    static const PqType type = {.physical = PQ_BYTE_ARRAY};
    static uint8_t texts[2][70000];
    PqStr v[2] = {{texts[0], 70000}, {texts[1], 70000}};
    PqRc rc = PQ_NOMEM;
    int64_t nth;

    texts[1][0] = 1;
    for (nth = 1; rc != PQ_OK; nth++) {
        PqBoundsMake b;
        PqStatistics s;
        PqArena a;

        pq_arena_init(&a, t->mem);
        pq_bounds_make_init(&b, &type, t->mem);
        pq_fault_set(nth);
        rc = pq_bounds_add(&b, v, 2, 0, t->e);
        if (rc == PQ_OK) {
            rc = pq_bounds_statistics(&b, -1, &a, &s, t->e);
        }
        pq_fault_set(0);
        CHECK(rc == PQ_OK || rc == PQ_NOMEM);
        pq_err_clear(t->e);
        pq_bounds_make_free(&b);
        pq_arena_free(&a);
    }
    CHECK(nth > 3);
}

TEST(bounds_make, of_long_values_only_what_can_be_written_is_kept)
{
    enum { LONG = 1 << 20 };
    static const PqType type = {.physical = PQ_BYTE_ARRAY,
                                .logical = PQ_TYPE_STRING};
    uint8_t *text = malloc(2 * LONG);
    PqStr v[2] = {{text, LONG}, {text + LONG, LONG}};
    PqBoundsMake page, chunk;
    PqBoundsMade out;
    PqArena a;

    CHECK(text);
    memset(text, 'x', 2 * LONG);
    text[LONG - 1] = 'w';            /* where it is not kept */
    text[LONG] = 'y';
    pq_arena_init(&a, t->mem);
    pq_bounds_make_init(&page, &type, t->mem);
    pq_bounds_make_init(&chunk, &type, t->mem);
    CHECK_OK(pq_bounds_add(&page, v, 2, 0, t->e));
    CHECK_OK(pq_bounds_add_bounds(&chunk, &page, t->e));
    CHECK(pq_mem_used(t->mem) < LONG / 4);
    CHECK_OK(pq_bounds_made(&chunk, 3, &a, &out, t->e));
    CHECK(pq_slice_is(out.min, "xxx") && !out.min_exact);
    CHECK(pq_slice_is(out.max, "yxy") && !out.max_exact);
    pq_bounds_make_free(&page);
    pq_bounds_make_free(&chunk);
    pq_arena_free(&a);
    free(text);
}
