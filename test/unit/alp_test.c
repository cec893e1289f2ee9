/*
** alp_test.c - ALP pages through a PqDecoder: the worked examples of the
** format, every width and exponent, exceptions, and hostile pages.
*/
#include "core/encoding/decoder.h"
#include "test/unit/arriving.h"
#include "test/unit/encoders.h"

enum { MOST = 5000 };

/* The same powers in the same order, made from their decimal texts.  A decoder
** must give the same bits. */
static double as_double(int64_t v, unsigned exponent, unsigned factor)
{
    char ten[8], tenth[8];
    volatile double product;

    snprintf(ten, sizeof ten, "1e%u", factor);
    snprintf(tenth, sizeof tenth, "1e-%u", exponent);
    product = (double)v * strtod(ten, NULL);
    return product * strtod(tenth, NULL);
}

static float as_float(int32_t v, unsigned exponent, unsigned factor)
{
    char ten[8], tenth[8];
    volatile float product;

    snprintf(ten, sizeof ten, "1e%u", factor);
    snprintf(tenth, sizeof tenth, "1e-%u", exponent);
    product = (float)v * strtof(ten, NULL);
    return product * strtof(tenth, NULL);
}

/* A vector of n packed values with exceptions at every step-th. */
typedef struct Vector {
    unsigned exponent, factor, width, step;
    uint64_t frame;
} Vector;

static bool is_exception(const Vector *v, uint32_t i)
{
    return v->step && i % v->step == v->step - 1;
}

/* Appends a vector and its expected values; exceptions are NaNs with a
** payload. */
static void put_vector(PqBuf *b, Random *r, const Vector *v, uint32_t n,
                       unsigned size, uint8_t *want)
{
    uint64_t *packed = calloc(n, sizeof *packed);
    uint32_t n_exceptions = 0;

    for (uint32_t i = 0; i < n; i++) {
        packed[i] = random_bits(r, v->width);
        n_exceptions += is_exception(v, i);
    }
    pq_buf_byte(b, (uint8_t)v->exponent);
    pq_buf_byte(b, (uint8_t)v->factor);
    pq_buf_byte(b, (uint8_t)n_exceptions);
    pq_buf_byte(b, (uint8_t)(n_exceptions >> 8));
    pq_buf_add(b, &v->frame, size);
    pq_buf_byte(b, (uint8_t)v->width);
    put_packed(b, packed, n, v->width);
    for (uint32_t i = 0; i < n; i++) {
        if (is_exception(v, i)) {
            pq_buf_byte(b, (uint8_t)i);
            pq_buf_byte(b, (uint8_t)(i >> 8));
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t nan = size == 4 ? 0x7fa00000u + i : 0x7ff4000000000000u + i;
        double d = as_double((int64_t)(packed[i] + v->frame), v->exponent,
                             v->factor);
        float f = as_float((int32_t)(uint32_t)(packed[i] + v->frame),
                           v->exponent, v->factor);

        if (is_exception(v, i)) {
            pq_buf_add(b, &nan, size);
            memcpy(want + i * size, &nan, size);
        } else {
            memcpy(want + i * size, size == 4 ? (void *)&f : (void *)&d, size);
        }
    }
    free(packed);
}

static void put_header(PqBuf *b, unsigned log_size, uint32_t n)
{
    pq_buf_byte(b, 0);
    pq_buf_byte(b, 0);
    pq_buf_byte(b, (uint8_t)log_size);
    pq_buf_add(b, &n, 4);
}

/* A page of n values in vectors like v, each with another frame. */
static void put_page(PqBuf *b, Random *r, Vector v, unsigned log_size,
                     uint32_t n, unsigned size, uint8_t *want)
{
    uint32_t per_vector = 1u << log_size;
    uint32_t n_vectors = (n + per_vector - 1) / per_vector;
    size_t offsets;

    put_header(b, log_size, n);
    offsets = b->n;
    for (uint32_t i = 0; i < n_vectors; i++) {
        pq_buf_add(b, "....", 4);
    }
    for (uint32_t i = 0; i < n_vectors; i++) {
        uint32_t at = i << log_size, some = n - at;

        pq_store_u32(b->p + offsets + 4 * (size_t)i,
                     (uint32_t)(b->n - offsets));
        some = some < per_vector ? some : per_vector;
        put_vector(b, r, &v, some, size, want + (size_t)at * size);
        v.frame += 12345;
    }
}

static PqRc walk(Test *t, PqDecoder *d, const PqValueShape *s, PqSlice bytes,
                 const uint8_t *want, uint64_t seed, bool *equal)
{
    size_t size = pq_physical_width(s->type);
    uint8_t *page = page_copy(bytes), *got = malloc(s->n_values * size + 1);
    Arriving a;
    Random r = {seed};
    PqRc rc;

    *equal = true;
    if (seed % 2 == 0) {
        PQ_GO(pq_decoder_open(d, s, page, bytes.n, t->e));
    } else {
        arriving_begin(&a, page, bytes, seed % 3, seed % 4 == 3);
        PQ_GO(pq_decoder_open_arriving(d, s, page, bytes.n, &a.bytes, t->e));
    }
    for (uint32_t at = 0; at < s->n_values;) {
        uint32_t n = s->n_values - at, most;

        if (seed) {
            most = 1 + random_below(&r, random_below(&r, 2) ? 30 : 2500);
            n = n < most ? n : most;
        }
        if (seed && random_below(&r, 3) == 0) {
            PQ_GO(pq_decoder_skip(d, n, t->e));
        } else {
            PQ_GO(pq_decoder_read(d, n, got, NULL, t->e));
            *equal = *equal && memcmp(got, want + at * size, n * size) == 0;
        }
        at += n;
    }
    rc = PQ_OK;
done:
    free(page);
    free(got);
    return rc;
}

static bool agrees(Test *t, PqPhysical type, PqSlice bytes, uint32_t n,
                   const uint8_t *want)
{
    PqValueShape s = {type, 0, PQ_ENCODING_ALP, n};
    PqDecoder *d;
    bool equal = false;

    if (pq_decoder_new(t->mem, &d, t->e) != PQ_OK) {
        return false;
    }
    for (uint64_t seed = 0; seed < 6; seed++) {
        if (walk(t, d, &s, bytes, want, seed, &equal) != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
            equal = false;
        }
        if (!equal) {
            break;
        }
    }
    pq_decoder_free(d);
    return equal;
}

static PqRc read_all(Test *t, PqPhysical type, PqSlice bytes, uint32_t n)
{
    PqValueShape s = {type, 0, PQ_ENCODING_ALP, n};
    uint8_t none[64] = {0};
    PqDecoder *d;
    bool equal;
    PqRc rc = pq_decoder_new(t->mem, &d, t->e);

    if (rc == PQ_OK) {
        rc = walk(t, d, &s, bytes, none, 0, &equal);
    }
    pq_decoder_free(d);
    return rc;
}

/* The worked example: 1500.0 NaN 2500.0 333.5, with its header and offset. */
static const char example[] =
    "00 00 0a 04 00 00 00  04 00 00 00"
    "04 03 01 00  07 0d 00 00 00 00 00 00  0f"
    "91 ad c8 56 28 15 00 00"
    "01 00  00 00 00 00 00 00 f8 7f";

TEST(alp, the_example_of_the_format_is_read)
{
    PqSlice page = test_hex(t, example);
    PqSlice nan = test_hex(t, "00 00 00 00 00 00 f8 7f");
    double want[4] = {1500.0, 0.0, 2500.0, 333.5};
    PqBuf packed;

    pq_buf_init(&packed, t->mem, t->e);
    put_packed(&packed, (uint64_t[]){11665, 11665, 21665, 0}, 4, 15);
    CHECK_BYTES(packed.p, packed.n, page.p + 24, 8);
    pq_buf_free(&packed);
    memcpy(&want[1], nan.p, 8);
    CHECK(agrees(t, PQ_DOUBLE, page, 4, (const uint8_t *)want));
}

TEST(alp, no_prefix_of_the_example_is_read)
{
    PqSlice page = test_hex(t, example);

    for (size_t n = 0; n < page.n; n++) {
        CHECK(read_all(t, PQ_DOUBLE, pq_slice(page.p, n), 4) == PQ_CORRUPT);
        pq_err_clear(t->e);
    }
}

TEST(alp, a_frame_of_reference_is_added_to_floats)
{
    /* 123 456 789 12 with exponent 2, factor 0: frame 12, width 10. */
    PqSlice page = test_hex(t, "00 00 0a 04 00 00 00  04 00 00 00"
                               "02 00 00 00  0c 00 00 00  0a"
                               "6f f0 96 30 00");
    float want[4];
    static const int32_t encoded[] = {123, 456, 789, 12};

    for (int i = 0; i < 4; i++) {
        want[i] = as_float(encoded[i], 2, 0);
    }
    CHECK(agrees(t, PQ_FLOAT, page, 4, (const uint8_t *)want));
}

static void check_page(Test *t, PqPhysical type, Random *r, Vector v,
                       unsigned log_size, uint32_t n)
{
    static uint8_t want[MOST * sizeof(double)];
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    put_page(&b, r, v, log_size, n, type == PQ_FLOAT ? 4 : 8, want);
    CHECK(agrees(t, type, pq_buf_view(&b), n, want));
    pq_buf_free(&b);
}

TEST(alp, every_width_is_read_and_the_frame_wraps)
{
    Random r = {51};

    for (unsigned width = 0; width <= 64; width++) {
        Vector v = {.exponent = 7, .factor = 2, .width = width,
                    .step = random_below(&r, 20), .frame = random_u64(&r)};
        uint32_t n = 1 + random_below(&r, MOST);

        if (width <= 32) {
            check_page(t, PQ_FLOAT, &r, v, 10, n);
        }
        check_page(t, PQ_DOUBLE, &r, v, 10, n);
    }
}

TEST(alp, every_exponent_and_factor_gives_the_same_bits_as_two_products)
{
    Random r = {52};

    for (unsigned exponent = 0; exponent <= 18; exponent++) {
        for (unsigned factor = 0; factor <= exponent; factor++) {
            Vector v = {.exponent = exponent, .factor = factor, .width = 30,
                        .frame = (uint64_t)-1000000};

            if (exponent <= 10) {
                check_page(t, PQ_FLOAT, &r, v, 5, 300);
            }
            check_page(t, PQ_DOUBLE, &r, v, 5, 300);
        }
    }
}

TEST(alp, vectors_of_every_size_are_read)
{
    Random r = {53};

    for (unsigned log_size = 3; log_size <= 15; log_size++) {
        Vector v = {.exponent = 3, .width = 11, .step = 5};

        check_page(t, PQ_FLOAT, &r, v, log_size, MOST);
        check_page(t, PQ_DOUBLE, &r, v, log_size, MOST - 1);
        v.step = 1;
        check_page(t, PQ_DOUBLE, &r, v, log_size, 17);
    }
}

/* The example with one byte changed. */
static PqSlice changed(Test *t, size_t at, uint8_t byte)
{
    PqSlice page = test_hex(t, example);

    ((uint8_t *)(uintptr_t)page.p)[at] = byte;
    return page;
}

/* 20 vectors, and one value of the tenth. */
TEST(alp, no_vector_after_the_last_value_is_wanted)
{
    enum { N = 20 * 64 };
    static uint8_t want[N * 8];
    PqValueShape s = {PQ_DOUBLE, 0, PQ_ENCODING_ALP, N};
    Vector v = {.exponent = 4, .factor = 3, .width = 20};
    Random r = {5};
    PqDecoder *d;
    uint8_t *page;
    Arriving a;
    double got;
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    put_page(&b, &r, v, 6, N, 8, want);
    page = page_copy(pq_buf_view(&b));
    CHECK_OK(pq_decoder_new(t->mem, &d, t->e));
    arriving_begin(&a, page, pq_buf_view(&b), 0, false);
    CHECK_OK(pq_decoder_open_arriving(d, &s, page, b.n, &a.bytes, t->e));
    CHECK_OK(pq_decoder_skip(d, 9 * 64 + 30, t->e));
    CHECK_OK(pq_decoder_read(d, 1, &got, NULL, t->e));
    CHECK(memcmp(&got, want + (9 * 64 + 30) * 8, 8) == 0);
    CHECK_INT(a.bytes.here - page, b.n - 10 * ((b.n - 7 - 20 * 4) / 20));
    pq_decoder_free(d);
    free(page);
    pq_buf_free(&b);
}

TEST(alp, pages_that_lie_are_refused)
{
    static const struct {
        size_t      at;
        uint8_t     byte;
        PqRc        rc;
        const char *text;
    } bad[] = {
        {0, 1, PQ_UNSUPPORTED, "ALP mode 1 with integer encoding 0"},
        {1, 9, PQ_UNSUPPORTED, "ALP mode 0 with integer encoding 9"},
        {2, 2, PQ_CORRUPT, "ALP vectors of 2^2 values"},
        {2, 16, PQ_CORRUPT, "ALP vectors of 2^16 values"},
        {3, 5, PQ_CORRUPT, "5 ALP values in a page of 4"},
        {3, 3, PQ_CORRUPT, "4 values of DOUBLE wanted, 3 left"},
        {6, 0x80, PQ_CORRUPT, "2147483652 ALP values"},
        {7, 3, PQ_CORRUPT, "ALP vector 0 lies in bytes 3 to 35"},
        {7, 36, PQ_CORRUPT, "ALP vector 0 lies in bytes 36 to 35"},
        {10, 0xff, PQ_CORRUPT, "ALP vector 0 lies"},
        {7, 30, PQ_CORRUPT, "an ALP vector of 5 bytes"},
        {11, 19, PQ_CORRUPT, "ALP exponent 19 with factor 3"},
        {12, 5, PQ_CORRUPT, "ALP exponent 4 with factor 5"},
        {13, 2, PQ_CORRUPT, "2 exceptions"},
        {14, 0xff, PQ_CORRUPT, "65281 exceptions"},
        {23, 65, PQ_CORRUPT, "65 bits wide"},
        {23, 17, PQ_CORRUPT, "17 bits each in 31 bytes"},
        {32, 4, PQ_CORRUPT, "an ALP exception at 4 of 4"},
    };

    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        PqSlice page = changed(t, bad[i].at, bad[i].byte);
        CHECK_FAILS(read_all(t, PQ_DOUBLE, page, 4), bad[i].rc, bad[i].text);
    }
}

TEST(alp, floats_have_smaller_exponents_and_widths)
{
    PqSlice page;

    page = test_hex(t, "00 00 0a 01 00 00 00 04 00 00 00 0b 00 00 00"
                       "00 00 00 00 00");
    CHECK_FAILS(read_all(t, PQ_FLOAT, page, 1), PQ_CORRUPT, "exponent 11");
    page = test_hex(t, "00 00 0a 01 00 00 00 04 00 00 00 00 00 00 00"
                       "00 00 00 00 21 00 00 00 00 00");
    CHECK_FAILS(read_all(t, PQ_FLOAT, page, 1), PQ_CORRUPT, "33 bits wide");
}
