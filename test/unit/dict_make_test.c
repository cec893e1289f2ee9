/*
** dict_make_test.c - every value gets the number of its first occurrence.
*/
#include "core/column/dict_make.h"
#include "core/column/vector.h"
#include "test/unit/made_values.h"

#include <stdlib.h>

static bool same_plain(PqSlice a, PqSlice b)
{
    return pq_slice_equal(a, b);
}

/* The ids, by comparing each value with all before it. */
static void check_ids(Test *t, const MadeValues *m, const uint32_t *ids,
                      const PqDictMake *d)
{
    uint32_t n_entries = 0;
    size_t n_plain = 0;

    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t k = 0;

        while (!same_plain(m->plain[k], m->plain[i])) {
            k++;
        }
        if (k == i) {
            CHECK_INT(ids[i], n_entries);
            n_entries++;
            n_plain += m->plain[i].n +
                       (m->type->physical == PQ_BYTE_ARRAY ? 4 : 0);
        } else {
            CHECK_INT(ids[i], ids[k]);
        }
    }
    CHECK_INT(d->n_entries, n_entries);
    CHECK_INT(d->n_plain, n_plain);
}

static void check_values(Test *t, const MadeValues *m, const uint32_t *ids,
                         const PqDictMake *d)
{
    size_t width = pq_physical_width(m->type->physical);
    uint8_t *back = calloc(m->n, width);

    CHECK(back);
    pq_dict_look_up(d->entries, pq_physical_width(d->physical), ids, m->n,
                    back);
    for (uint32_t i = 0; i < m->n; i++) {
        const PqStr *s = (const void *)(back + i * width);
        PqSlice v = width == sizeof *s ? pq_slice(s->p, s->n)
                                       : pq_slice(back + i * width, width);
        CHECK(same_plain(v, m->plain[i]));
    }
    free(back);
}

TEST(dict_make, every_value_has_the_number_of_its_first_occurrence)
{
    static MadeValues m;
    Random r = {99};

    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        uint32_t ids[MADE_MOST], n_done, half = MADE_MOST / 2;
        PqDictMake d;

        if (made_types[i].physical == PQ_BOOLEAN) {
            continue;
        }
        made_values(&m, &made_types[i], MADE_MOST, &r);
        pq_dict_make_init(&d, &made_types[i], t->mem);
        CHECK_OK(pq_dict_make_ids(&d, made_from(&m, 0), half, SIZE_MAX, ids,
                                  &n_done, t->e));
        CHECK_INT(n_done, half);
        CHECK_OK(pq_dict_make_ids(&d, made_from(&m, half), half, SIZE_MAX,
                                  ids + half, &n_done, t->e));
        CHECK_INT(n_done, half);
        check_ids(t, &m, ids, &d);
        check_values(t, &m, ids, &d);
        pq_dict_make_seal(&d);
        check_values(t, &m, ids, &d);
        pq_dict_make_free(&d);
    }
}

TEST(dict_make, booleans_have_none)
{
    static const PqType type = {.physical = PQ_BOOLEAN};
    uint32_t id, n_done;
    PqDictMake d;

    pq_dict_make_init(&d, &type, t->mem);
    CHECK_FAILS(pq_dict_make_ids(&d, "\1", 1, 100, &id, &n_done, t->e),
                PQ_USAGE, "no dictionary of BOOLEAN");
    pq_dict_make_free(&d);
}

TEST(dict_make, the_value_that_does_not_fit_is_the_first_without_an_id)
{
    static const PqType type = {.physical = PQ_BYTE_ARRAY};
    static const char *const texts[] = {"abc", "abc", "", "d", "abc", "ef",
                                        "abc"};
    uint32_t ids[PQ_COUNT(texts)], n_done;
    PqStr v[PQ_COUNT(texts)];
    PqDictMake d;

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        v[i] = (PqStr){(const uint8_t *)texts[i],
                       (uint32_t)strlen(texts[i])};
    }
    for (size_t most = 0; most < 30; most++) {
        uint32_t want = most < 7 ? 0 : most < 11 ? 2 : most < 16 ? 3
                        : most < 22 ? 5 : 7;

        pq_dict_make_init(&d, &type, t->mem);
        CHECK_OK(pq_dict_make_ids(&d, v, PQ_COUNT(v), most, ids, &n_done,
                                  t->e));
        CHECK_INT(n_done, want);
        CHECK(d.n_plain <= most);
        pq_dict_make_free(&d);
    }
}

/* Values that all hash to the same places are refused.  These values are
** not. */
static bool all_fit(Test *t, const PqType *type, const void *values, uint32_t n)
{
    uint32_t *ids = malloc(n * sizeof *ids), n_done = 0;
    PqDictMake d;
    bool all;

    pq_dict_make_init(&d, type, t->mem);
    all = ids && pq_dict_make_ids(&d, values, n, SIZE_MAX, ids, &n_done,
                                  t->e) == PQ_OK &&
          n_done == n && d.n_entries == n;
    pq_dict_make_free(&d);
    free(ids);
    return all;
}

/* Whole numbers as doubles end in zeros; so do times in microseconds that are
** whole days, and multiples of a power of two. */
TEST(dict_make, values_that_are_alike_in_their_low_bits_find_their_places)
{
    enum { N = 100000 };
    static const PqType real = {.physical = PQ_DOUBLE};
    static const PqType whole = {.physical = PQ_INT64};
    double *reals = malloc(N * sizeof *reals);
    int64_t *ints = malloc(N * sizeof *ints);

    CHECK(reals && ints);
    for (int i = 0; i < N; i++) {
        reals[i] = i / 4.0;
    }
    CHECK(all_fit(t, &real, reals, N));
    for (int i = 0; i < N; i++) {
        reals[i] = i * 1000.0;
    }
    CHECK(all_fit(t, &real, reals, N));
    for (int shift = 0; shift < 47; shift++) {
        for (int i = 0; i < N; i++) {
            ints[i] = (int64_t)i << shift;
        }
        CHECK(all_fit(t, &whole, ints, N));
    }
    for (int i = 0; i < N; i++) {
        ints[i] = i * INT64_C(86400000000);
    }
    CHECK(all_fit(t, &whole, ints, N));
    free(reals);
    free(ints);
}

/* Among so many texts some twenty pairs have the same hash of 32 bits. */
TEST(dict_make, texts_that_only_hash_alike_are_different)
{
    enum { N = 400000, MOST = 20 };
    static const PqType type = {.physical = PQ_BYTE_ARRAY};
    uint8_t *bytes = malloc((size_t)N * MOST);
    PqStr *v = malloc(N * sizeof *v);

    CHECK(bytes && v);
    for (uint32_t n = 4; n <= MOST; n += 4) {
        for (uint32_t i = 0; i < N; i++) {
            uint8_t *p = bytes + (size_t)i * n;
            uint32_t key = i * 2654435761u;

            memset(p, 'x', n);
            memcpy(p + (i % 2 ? 0 : n - 4), &key, sizeof key);
            v[i] = (PqStr){p, n};
        }
        CHECK(all_fit(t, &type, v, N));
    }
    free(bytes);
    free(v);
}

/* The factor of the hash has an inverse.  With it one can construct values that
** all hash to one place. */
TEST(dict_make, values_made_to_collide_are_refused_soon)
{
    enum { N = 200000 };
    static const PqType type = {.physical = PQ_INT64};
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t inverse = 1, *v = malloc(N * sizeof *v);
    uint32_t *ids = malloc(N * sizeof *ids), n_done = 0;
    PqDictMake d;

    CHECK(v && ids);
    for (int i = 0; i < 6; i++) {
        inverse *= 2 - factor * inverse;
    }
    CHECK(factor * inverse == 1);
    for (uint64_t i = 0; i < N; i++) {
        v[i] = inverse * i;          /* hashes below N << 32: all are 0 */
    }
    pq_dict_make_init(&d, &type, t->mem);
    CHECK_OK(pq_dict_make_ids(&d, v, N, SIZE_MAX, ids, &n_done, t->e));
    CHECK(n_done < 2000);
    pq_dict_make_free(&d);
    free(v);
    free(ids);
}
