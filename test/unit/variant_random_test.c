/*
** variant_random_test.c - Variants made by chance: what is built is what was
** meant, through JSON and back, through copies, and in a builder that is used
** again and again.
**
** A random value is a stream of calls that depends on its seed alone, so that
** the same value can be built twice.
*/
#include "core/variant/variant_build.h"
#include "test/unit/test.h"

#include <math.h>

enum { ROUNDS = 1500, MOST_ITEMS = 12 };

typedef struct Random {
    uint64_t state;
    uint32_t names;                  /* different ones */
    uint32_t values;                 /* still to be made */
} Random;

static uint32_t below(Random *r, uint32_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % n);
}

static int64_t some_int(Random *r)
{
    int64_t v = (int64_t)((uint64_t)below(r, 1u << 31) << 33 ^
                          (uint64_t)below(r, 1u << 31) << 2 ^ below(r, 4));

    return v >> below(r, 64);
}

static PqPlace some_decimal(Random *r)
{
    const PqPlace most = (PqPlace)1000000000000000000 * 1000000000000000000;
    PqPlace v = (PqPlace)some_int(r) * some_int(r) >> below(r, 100);

    return v % most;
}

static double some_double(Random *r)
{
    static const double odd[] = {0.5, 1e300, -1e-300, 5e-324, 0.1, 1e15, 123.0};
    double v = odd[below(r, PQ_COUNT(odd))];

    return below(r, 4) ? v * (1 + below(r, 1000)) : (double)INFINITY;
}

static const char *const text[] = {
    "", "a", "\"", "\n\\", "\xc3\xa9", "\xf0\x9f\x98\x80",
    "0123456789012345678901234567890123456789012345678901234567890123",
    "012345678901234567890123456789012345678901234567890123456789012",
};

static PqVariantValue some_scalar(Random *r)
{
    static const uint8_t bytes[] = "\x00\x01\xff\x7f" "0123456789abcdef";
    static const uint8_t unknown[] = {21 << 2, 1, 2, 3};
    PqVariantValue v = {
        .kind = (PqVariantKind)below(r, PQ_VARIANT_UNKNOWN + 1)
    };

    switch (v.kind) {
    case PQ_VARIANT_BOOL:    v.u.b = below(r, 2); break;
    case PQ_VARIANT_INT:     v.u.i = some_int(r); break;
    case PQ_VARIANT_FLOAT:           /* -0.0 is a DECIMAL after JSON */
        v.u.f = (float)some_double(r) + 0.0f;
        break;
    case PQ_VARIANT_DOUBLE:  v.u.d = some_double(r); break;
    case PQ_VARIANT_DATE:    v.u.i = (int32_t)some_int(r) / 1000; break;
    case PQ_VARIANT_DECIMAL:
        v.u.decimal = some_decimal(r);
        v.scale = (uint8_t)below(r, 39);
        break;
    case PQ_VARIANT_TIME:
    case PQ_VARIANT_TIMESTAMP:
        v.u.i = some_int(r);
        v.unit = v.kind == PQ_VARIANT_TIME || below(r, 2) ? PQ_MICROS
                                                          : PQ_NANOS;
        v.utc = v.kind == PQ_VARIANT_TIMESTAMP && below(r, 2);
        break;
    case PQ_VARIANT_BINARY:
        v.bytes = pq_slice(bytes, below(r, sizeof bytes));
        break;
    case PQ_VARIANT_STRING:
        v.bytes = pq_slice_text(text[below(r, PQ_COUNT(text))]);
        break;
    case PQ_VARIANT_UUID:    v.bytes = pq_slice(bytes, 16); break;
    case PQ_VARIANT_UNKNOWN:
        v.type = 21;
        v.bytes = pq_slice(unknown, 1 + below(r, sizeof unknown));
        break;
    default:
        v.kind = PQ_VARIANT_NULL;
        break;
    }
    return v;
}

static void build_some(Random *r, PqVariantBuild *b, uint32_t depth);

/* n fields with different names, which begin anywhere. */
static void build_fields(Random *r, PqVariantBuild *b, uint32_t depth)
{
    uint32_t n = below(r, MOST_ITEMS) + below(r, 2) * r->names / 2;
    uint32_t from = below(r, r->names), step = below(r, 2) ? 1 : r->names - 1;
    char name[32];

    n = n > r->names ? r->names : n;
    pq_variant_build_group(b, true);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t which = (from + i * step) % r->names;
        snprintf(name, sizeof name, which % 3 ? "%u" : "longer name %u", which);
        pq_variant_build_name(b, pq_slice_text(which ? name : ""));
        build_some(r, b, depth + 1);
    }
    pq_variant_build_end(b);
}

static void build_some(Random *r, PqVariantBuild *b, uint32_t depth)
{
    uint32_t what = r->values && depth < 8 ? below(r, depth < 2 ? 3 : 8) : 7;
    PqVariantValue v;

    r->values -= r->values > 0;
    if (what == 0) {
        build_fields(r, b, depth);
    } else if (what == 1) {
        uint32_t n = below(r, MOST_ITEMS) * (below(r, 10) ? 1 : 30);
        pq_variant_build_group(b, false);
        for (uint32_t i = 0; i < n; i++) {
            build_some(r, b, depth + 1);
        }
        pq_variant_build_end(b);
    } else {
        v = some_scalar(r);
        pq_variant_build_value(b, &v);
    }
}

/* ---- a Variant that outlives the builder --------------------------------- */

typedef struct Whole {
    PqBuf   bytes;                   /* metadata, then value */
    size_t  n_metadata;
    PqBuf   json;
} Whole;

static void whole_open(Test *t, Whole *w)
{
    pq_buf_init(&w->bytes, t->mem, t->e);
    pq_buf_init(&w->json, t->mem, t->e);
}

static void whole_close(Whole *w)
{
    pq_buf_free(&w->bytes);
    pq_buf_free(&w->json);
}

static PqSlice value_of(const Whole *w)
{
    return pq_slice(w->bytes.p + w->n_metadata, w->bytes.n - w->n_metadata);
}

static PqRc take_whole(Test *t, PqVariantBuild *b, Whole *w)
{
    PqSlice metadata, value;
    PqVariantMeta m;

    w->bytes.n = w->json.n = 0;
    PQ_TRY(pq_variant_build_finish(b, &metadata, &value, t->e));
    w->n_metadata = metadata.n;
    PQ_TRY(pq_variant_join(metadata, value, &w->bytes, t->e));
    PQ_TRY(pq_variant_split(pq_buf_view(&w->bytes), &metadata, &value, t->e));
    PQ_TRY(pq_variant_meta_open(metadata, &m, t->e));
    PQ_TRY(pq_variant_check(&m, value, t->e));
    return pq_variant_json_take(&m, &value, 0, &w->json, t->e);
}

static void make(Test *t, uint64_t seed, PqVariantBuild *b, Whole *w)
{
    Random r = {seed, 1 + (uint32_t)(seed % 7 ? seed % 40 : seed % 800), 400};

    pq_variant_build_begin(b);
    build_some(&r, b, 0);
    if (take_whole(t, b, w) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "seed %d: %s", (int)seed, t->e->text);
    }
}

static PqRc copy_into(Test *t, const Whole *from, PqVariantBuild *b, Whole *to)
{
    PqVariantMeta m;

    PQ_TRY(pq_variant_meta_open(pq_slice(from->bytes.p, from->n_metadata), &m,
                                t->e));
    pq_variant_build_copy(b, &m, value_of(from));
    return take_whole(t, b, to);
}

#define CHECK_SAME(a, b) CHECK_BYTES((a).p, (a).n, (b).p, (b).n)

/* ---- the tests ----------------------------------------------------------- */

TEST(variant_random, a_text_of_a_variant_is_parsed_to_the_same_text)
{
    PqVariantBuild *b = NULL;
    Whole a, again;
    PqArena arena;

    whole_open(t, &a);
    whole_open(t, &again);
    pq_arena_init(&arena, t->mem);
    CHECK_OK(pq_variant_build_new(t->mem, &b, t->e));
    for (uint64_t seed = 1; seed <= ROUNDS && !t->failed; seed++) {
        make(t, seed, b, &a);
        pq_arena_reset(&arena);
        pq_variant_build_begin(b);
        CHECK_OK(pq_variant_parse(pq_buf_view(&a.json), b, &arena, t->e));
        CHECK_OK(take_whole(t, b, &again));
        CHECK_SAME(again.json, a.json);
    }
    pq_variant_build_free(b);
    pq_arena_free(&arena);
    whole_close(&a);
    whole_close(&again);
}

TEST(variant_random, a_copy_prints_the_same_and_a_copy_of_it_is_the_same)
{
    PqVariantBuild *b = NULL;
    Whole a, copy, again;

    whole_open(t, &a);
    whole_open(t, &copy);
    whole_open(t, &again);
    CHECK_OK(pq_variant_build_new(t->mem, &b, t->e));
    for (uint64_t seed = 1; seed <= ROUNDS && !t->failed; seed++) {
        make(t, seed, b, &a);
        pq_variant_build_begin(b);
        CHECK_OK(copy_into(t, &a, b, &copy));
        CHECK_SAME(copy.json, a.json);
        pq_variant_build_begin(b);
        CHECK_OK(copy_into(t, &copy, b, &again));
        CHECK_SAME(again.bytes, copy.bytes);
    }
    pq_variant_build_free(b);
    whole_close(&a);
    whole_close(&copy);
    whole_close(&again);
}

/* What a builder has built before leaves no trace. */
TEST(variant_random, a_builder_that_was_used_builds_what_a_new_one_does)
{
    PqVariantBuild *used = NULL, *fresh = NULL;
    Whole a, b;

    whole_open(t, &a);
    whole_open(t, &b);
    CHECK_OK(pq_variant_build_new(t->mem, &used, t->e));
    for (uint64_t seed = 1; seed <= ROUNDS && !t->failed; seed++) {
        CHECK_OK(pq_variant_build_new(t->mem, &fresh, t->e));
        make(t, seed, used, &a);
        make(t, seed, fresh, &b);
        CHECK_SAME(a.bytes, b.bytes);
        pq_variant_build_free(fresh);
    }
    pq_variant_build_free(used);
    whole_close(&a);
    whole_close(&b);
}

/* The metadata of one Variant, and the fields of another that has fewer. */
TEST(variant_random, a_value_under_given_metadata_is_the_same_value)
{
    PqVariantBuild *b = NULL, *under = NULL;
    Whole a, copy;
    Random r;

    whole_open(t, &a);
    whole_open(t, &copy);
    CHECK_OK(pq_variant_build_new(t->mem, &b, t->e));
    CHECK_OK(pq_variant_build_new(t->mem, &under, t->e));
    for (uint64_t seed = 1; seed <= ROUNDS && !t->failed; seed++) {
        PqSlice metadata;
        make(t, seed, b, &a);
        metadata = pq_slice(a.bytes.p, a.n_metadata);
        CHECK_OK(pq_variant_build_begin_under(under, metadata, t->e));
        r = (Random){seed, 1 + (uint32_t)(seed % 7 ? seed % 40 : seed % 800),
                     400};
        build_some(&r, under, 0);
        CHECK_OK(take_whole(t, under, &copy));
        CHECK_SAME(copy.bytes, a.bytes);
        CHECK_OK(pq_variant_build_begin_under(under, metadata, t->e));
        CHECK_OK(copy_into(t, &a, under, &copy));
        CHECK_SAME(copy.bytes, a.bytes);
    }
    pq_variant_build_free(b);
    pq_variant_build_free(under);
    whole_close(&a);
    whole_close(&copy);
}
