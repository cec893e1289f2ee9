/*
** sorted_make_test.c - finds whether a column is sorted.  Compared with a check
** of each row against the one before it.
*/
#include "core/meta/sorted_make.h"
#include "test/unit/made_values.h"

enum { ROWS = MADE_MOST };

static MadeValues made;

/* Rows: a bit for each, and values for the bits that are set. */
typedef struct Rows {
    uint32_t n;
    uint64_t valid[ROWS / 64 + 1];
} Rows;

static bool is_valid(const Rows *r, uint32_t row)
{
    return r->valid[row / 64] >> row % 64 & 1;
}

/* May row b come after row a?  value -1: null. */
static bool may_follow(int64_t a, int64_t b, bool descending, bool nulls_first)
{
    PqOrder order = made_is_float(made.type) ? PQ_ORDER_FLOAT_TOTAL
                                             : pq_order_of_type(made.type);
    int c;

    if (a < 0 || b < 0) {
        return (a < 0 && b < 0) || (nulls_first ? a < 0 : b < 0);
    }
    c = pq_order_compare(order, made.type, made.plain[a], made.plain[b]);
    return descending ? c >= 0 : c <= 0;
}

static bool holds(const Rows *r, bool descending, bool nulls_first)
{
    int64_t before = -1, value = 0;

    for (uint32_t row = 0; row < r->n; row++) {
        int64_t now = is_valid(r, row) ? value++ : -1;
        if ((now >= 0 && made_is_nan(&made, (uint32_t)now)) ||
            (row > 0 && !may_follow(before, now, descending, nulls_first))) {
            return false;
        }
        before = now;
    }
    return pq_order_of_type(made.type) != PQ_ORDER_NONE;
}

/* Values in order, or almost. */
static int by_total_order(const void *a, const void *b)
{
    PqOrder order = made_is_float(made.type) ? PQ_ORDER_FLOAT_TOTAL
                                             : pq_order_of_type(made.type);

    return pq_order_compare(order, made.type, *(const PqSlice *)a,
                            *(const PqSlice *)b);
}

static void put_plain(uint32_t i, PqSlice v)
{
    size_t width = pq_physical_width(made.type->physical);

    made.plain[i] = v;
    if (made.type->physical == PQ_BYTE_ARRAY ||
        made.type->physical == PQ_FIXED) {
        made.values.texts[i] = (PqStr){v.p, (uint32_t)v.n};
    } else {
        memcpy(made.values.bytes + i * width, v.p, width);
    }
}

static void put_in_order(Random *r)
{
    bool descending = random_below(r, 2), broken = random_below(r, 3) == 0;
    PqSlice sorted[MADE_MOST];

    memcpy(sorted, made.plain, made.n * sizeof *sorted);
    if (pq_order_of_type(made.type) != PQ_ORDER_NONE) {
        qsort(sorted, made.n, sizeof *sorted, by_total_order);
    }
    for (uint32_t i = 0; i < made.n; i++) {
        put_plain(i, sorted[descending ? made.n - 1 - i : i]);
    }
    if (broken && made.n) {
        put_plain(random_below(r, made.n), sorted[random_below(r, made.n)]);
    }
}

static void random_rows(Rows *r, const PqType *type, Random *random)
{
    uint32_t kind = random_below(random, 5), n_valid = 0, some;

    memset(r, 0, sizeof *r);
    r->n = random_below(random, random_below(random, 2) ? 5 : ROWS);
    some = random_below(random, r->n + 1);
    for (uint32_t i = 0; i < r->n; i++) {
        bool valid = kind == 0   ? true
                     : kind == 1 ? i >= some
                     : kind == 2 ? i < some
                     : kind == 3 ? i != some
                                 : random_below(random, 8) == 0;
        r->valid[i / 64] |= (uint64_t)valid << i % 64;
        n_valid += valid;
    }
    made_values(&made, type, n_valid, random);
    put_in_order(random);
}

/* Adds the rows in parts of `step` rows. */
static PqRc add(PqSortedMake *s, const Rows *r, uint32_t step, PqErr *e)
{
    uint32_t value = 0;

    for (uint32_t row = 0; row < r->n; row += step) {
        uint32_t n = r->n - row < step ? r->n - row : step, n_valid = 0;
        uint64_t bits[ROWS / 64 + 1] = {0};

        for (uint32_t i = 0; i < n; i++) {
            bits[i / 64] |= (uint64_t)is_valid(r, row + i) << i % 64;
            n_valid += is_valid(r, row + i);
        }
        if (n % 64) {                /* bits without a row are ignored */
            bits[n / 64] |= UINT64_MAX << n % 64;
        }
        PQ_TRY(pq_sorted_make_add(s, made_from(&made, value),
                                  n_valid == n ? NULL : bits, n, e));
        value += n_valid;
    }
    return PQ_OK;
}

TEST(sorted_make, claims_are_those_that_hold_row_by_row)
{
    Random random = {61};
    uint32_t n_held[4] = {0};

    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        for (uint32_t k = 0; k < 2000; k++) {
            PqSortedMake s;
            Rows r;

            random_rows(&r, &made_types[i], &random);
            pq_sorted_make_init(&s, &made_types[i], t->mem);
            CHECK_OK(add(&s, &r, 1 + random_below(&random, ROWS), t->e));
            for (int claim = 0; claim < 4; claim++) {
                bool descending = claim & 1, first = claim & 2;
                bool got = (descending ? s.descending : s.ascending) &&
                           (first ? s.nulls_first : s.nulls_last);
                bool want = holds(&r, descending, first) ||
                            (r.n == 0 && s.kind != PQ_RANK_NONE);
                /* what is over need not be followed to its end */
                if (got != want &&
                    !(pq_sorted_make_is_over(&s) && !want)) {
                    test_fail(t, __FILE__, __LINE__,
                              "type %zu, round %u, claim %d: %d", i, k, claim,
                              got);
                    return;
                }
                n_held[claim] += got && r.n > 3;
            }
            pq_sorted_make_free(&s);
        }
    }
    for (int claim = 0; claim < 4; claim++) {
        CHECK(n_held[claim] > 1000);
    }
}

TEST(sorted_make, of_several_claims_one_is_chosen)
{
    static const PqType type = {.physical = PQ_INT32};
    static const struct {
        int32_t  v[3];
        uint32_t n_rows;
        uint64_t valid;
        bool     sorted, descending, nulls_first;
    } want[] = {
        {{1, 1, 1}, 3, 7, true, false, true},
        {{1, 2, 3}, 3, 7, true, false, true},
        {{3, 2, 1}, 3, 7, true, true, false},
        {{1, 3, 2}, 3, 7, false, false, false},
        {{1, 2, 0}, 3, 3, true, false, false},
        {{2, 1, 0}, 3, 6, true, true, true},
        {{1, 2, 0}, 3, 5, false, false, false},
        {{0, 0, 0}, 3, 0, true, false, true},
    };

    for (size_t i = 0; i < PQ_COUNT(want); i++) {
        bool descending, nulls_first;
        PqSortedMake s;

        pq_sorted_make_init(&s, &type, t->mem);
        CHECK_OK(pq_sorted_make_add(&s, want[i].v, &want[i].valid,
                                    want[i].n_rows, t->e));
        CHECK_INT(pq_sorted_made(&s, &descending, &nulls_first),
                  want[i].sorted);
        CHECK_INT(pq_sorted_make_is_over(&s), !want[i].sorted);
        if (want[i].sorted) {
            CHECK_INT(descending, want[i].descending);
            CHECK_INT(nulls_first, want[i].nulls_first);
        }
        pq_sorted_make_free(&s);
    }
}

TEST(sorted_make, the_last_text_is_kept_and_not_borrowed)
{
    static const PqType type = {.physical = PQ_BYTE_ARRAY,
                                .logical = PQ_TYPE_STRING};
    uint8_t text[] = "mm", less[] = "ml";
    PqStr v = {text, 2}, w = {less, 2};
    PqSortedMake s;

    pq_sorted_make_init(&s, &type, t->mem);
    CHECK_OK(pq_sorted_make_add(&s, &v, NULL, 1, t->e));
    memset(text, 'a', 2);
    CHECK_OK(pq_sorted_make_add(&s, &w, NULL, 1, t->e));
    CHECK(!s.ascending && s.descending);
    pq_sorted_make_reset(&s);
    CHECK(s.ascending && s.descending && !s.has_value);
    pq_sorted_make_free(&s);
}

TEST(sorted_make, of_long_values_nothing_is_claimed_and_nothing_kept)
{
    enum { LONG = 1 << 20 };
    static const PqType type = {.physical = PQ_BYTE_ARRAY};
    uint8_t *text = calloc(1, LONG);
    PqStr v = {text, LONG};
    PqSortedMake s;

    CHECK(text);
    pq_sorted_make_init(&s, &type, t->mem);
    CHECK_OK(pq_sorted_make_add(&s, &v, NULL, 1, t->e));
    CHECK(pq_sorted_make_is_over(&s));
    CHECK(pq_mem_used(t->mem) < LONG / 4);
    pq_sorted_make_free(&s);
    free(text);
}
