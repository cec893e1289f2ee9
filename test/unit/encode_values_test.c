/*
** encode_values_test.c - values of every type through every encoding and back,
** of every length, width and kind.  Where the format leaves no choice, the
** bytes are the same as from the simple encoders in encoders.h.
*/
#include "test/unit/encode_check.h"

#include <math.h>

static uint64_t numbers[ENCODE_LONGEST + 1];
static PqStr strings[ENCODE_LONGEST + 1];

/* Kinds of numbers. */
typedef enum Kind {
    CONSTANT, ASCENDING, SMALL, ANY, EXTREMES, WIDTHS, KINDS
} Kind;

/* n integers of size bytes: an array of int32_t or of int64_t. */
static void make_ints(Random *r, Kind kind, size_t size, uint32_t n, void *out)
{
    uint64_t v = random_u64(r);
    unsigned width = 0;

    for (uint32_t i = 0; i < n; i++) {
        switch (kind) {
        case ASCENDING:
            v += random_below(r, 1000);
            break;
        case SMALL:
            v = (uint64_t)random_below(r, 100) - 50;
            break;
        case ANY:
            v = random_u64(r);
            break;
        case EXTREMES:                   /* their deltas wrap */
            v = (uint64_t)(size == 4 ? INT32_MAX : INT64_MAX);
            v += random_below(r, 2);
            break;
        case WIDTHS:                     /* another one in each miniblock */
            width = i % 32 == 0 ? random_below(r, 65) : width;
            v += random_bits(r, width);
            break;
        default:
            break;
        }
        memcpy((uint8_t *)out + i * size, &v, size);
    }
}

TEST(encoder, integers_of_every_kind_and_length_come_back)
{
    static const int encodings[] = {PQ_ENCODING_PLAIN,
                                    PQ_ENCODING_DELTA_BINARY_PACKED,
                                    PQ_ENCODING_BYTE_STREAM_SPLIT};
    Random r = {11};
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    for (size_t l = 0; l < PQ_COUNT(encode_lengths); l++) {
        for (int kind = 0; kind < KINDS * 3 * 2; kind++) {
            PqPhysical type = kind % 2 ? PQ_INT64 : PQ_INT32;
            PqValueShape s = {type, 0, encodings[kind / 2 % 3],
                              encode_lengths[l]};

            make_ints(&r, (Kind)(kind / 6), pq_physical_width(type),
                      s.n_values, numbers);
            CHECK(encode_is_right(t, &s, numbers, &b));
            encode_cut(&b, &r);
        }
    }
    pq_buf_free(&b);
}

TEST(encoder, deltas_are_the_bytes_the_decoder_is_tested_with)
{
    static int64_t wide[2100];
    Random r = {12};

    for (uint32_t round = 0; round < 300; round++) {
        size_t size = round % 2 ? 8 : 4;
        PqValueShape s = {size == 8 ? PQ_INT64 : PQ_INT32, 0,
                          PQ_ENCODING_DELTA_BINARY_PACKED,
                          random_below(&r, 2100)};
        PqBuf got, want;

        make_ints(&r, (Kind)(round / 2 % KINDS), size, s.n_values, numbers);
        for (uint32_t i = 0; i < s.n_values; i++) {
            const uint8_t *p = (const uint8_t *)numbers + i * size;

            wide[i] = size == 8 ? (int64_t)pq_load_u64(p)
                                : (int32_t)pq_load_u32(p);
        }
        pq_buf_init(&got, t->mem, t->e);
        pq_buf_init(&want, t->mem, t->e);
        CHECK_OK(pq_encode(&s, numbers, &got, t->e));
        put_delta(&want, wide, s.n_values, 128, 4, size == 8 ? 64 : 32, 0);
        CHECK_BYTES(got.p, got.n, want.p, want.n);
        pq_buf_free(&got);
        pq_buf_free(&want);
    }
}

/* Deltas of width bits, a zero and the largest among those of a miniblock. */
TEST(encoder, deltas_of_every_width_take_that_width)
{
    Random r = {13};

    for (unsigned width = 0; width <= 64; width++) {
        for (size_t size = width > 32 ? 8 : 4; size <= 8; size += 4) {
            PqValueShape s = {size == 8 ? PQ_INT64 : PQ_INT32, 0,
                              PQ_ENCODING_DELTA_BINARY_PACKED, 129};
            uint64_t v = 0, most;
            PqBuf b;

            most = width ? ~(uint64_t)0 >> (64 - width) : 0;
            for (uint32_t i = 0; i < 129; i++) {
                memcpy((uint8_t *)numbers + i * size, &v, size);
                v += i % 32 == 0   ? 0
                     : i % 32 == 1 ? most
                                   : random_bits(&r, width);
            }
            pq_buf_init(&b, t->mem, t->e);
            CHECK(encode_is_right(t, &s, numbers, &b));
            /* At full width the least delta is negative. */
            if (width < 8 * size) {
                CHECK_INT(b.n, 6 + 5 + 128 * width / 8);
            } else {
                CHECK(b.n <= 6 + 4 + 10 + 128 * width / 8);
            }
            pq_buf_free(&b);
        }
    }
}

/* Kinds of reals: decimals, decimals among others, any bits at all. */
static double some_double(Random *r, int kind)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, 1e308, 5e-324,
                                 -1e17, 0x1p51, -0x1p51, 0x1p53, 1.0 / 3};
    uint64_t bits = random_u64(r);
    double v = (double)((int64_t)(bits >> 40) - (1 << 23)) / 100;

    if (kind == 1 && bits % 10 == 0) {
        v = odd[random_below(r, PQ_COUNT(odd))];
    } else if (kind == 2 || (kind == 1 && bits % 10 == 1)) {
        memcpy(&v, &bits, sizeof v);     /* NaNs with payloads among them */
    } else if (kind == 3) {
        v = (double)(bits >> 60);
    } else if (kind == 4) {
        bits |= UINT64_C(0x7ff0000000000001);
        memcpy(&v, &bits, sizeof v);
    } else if (kind == 5) {
        v = -0.0;
    }
    return v;
}

static void make_reals(Random *r, int kind, PqPhysical type, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double v = some_double(r, kind);
        float f = (float)v;

        if (type == PQ_DOUBLE) {
            memcpy((double *)(void *)numbers + i, &v, sizeof v);
        } else if (kind == 2 || kind == 4) {
            uint32_t bits = (uint32_t)random_u64(r);

            bits |= kind == 4 ? 0x7f800001 : 0;
            memcpy((float *)(void *)numbers + i, &bits, sizeof bits);
        } else {
            memcpy((float *)(void *)numbers + i, &f, sizeof f);
        }
    }
}

TEST(encoder, reals_of_every_kind_and_length_come_back_bit_for_bit)
{
    static const int encodings[] = {PQ_ENCODING_PLAIN, PQ_ENCODING_ALP,
                                    PQ_ENCODING_BYTE_STREAM_SPLIT};
    Random r = {14};
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    for (size_t l = 0; l < PQ_COUNT(encode_lengths); l++) {
        for (int kind = 0; kind < 6 * 3 * 2; kind++) {
            PqPhysical type = kind % 2 ? PQ_DOUBLE : PQ_FLOAT;
            PqValueShape s = {type, 0, encodings[kind / 2 % 3],
                              encode_lengths[l]};

            make_reals(&r, kind / 6, type, s.n_values);
            CHECK(encode_is_right(t, &s, numbers, &b));
            encode_cut(&b, &r);
        }
    }
    pq_buf_free(&b);
}

TEST(encoder, alp_finds_the_decimals_there_are)
{
    Random r = {15};

    for (unsigned decimals = 0; decimals <= 10; decimals++) {
        double by = strtod((const char *[]){"1", "1e1", "1e2", "1e3", "1e4",
                                            "1e5", "1e6", "1e7", "1e8", "1e9",
                                            "1e10"}[decimals], NULL);
        PqValueShape s = {PQ_DOUBLE, 0, PQ_ENCODING_ALP, 10240};
        double *v = (double *)(void *)numbers;
        PqBuf b;

        for (uint32_t i = 0; i < s.n_values; i++) {
            v[i] = random_below(&r, 1 << 20) / by;
        }
        pq_buf_init(&b, t->mem, t->e);
        CHECK(encode_is_right(t, &s, v, &b));
        CHECK(b.n < s.n_values * 23 / 8);    /* 20 bits and some exceptions */
        pq_buf_free(&b);
    }
}

TEST(encoder, alp_takes_other_decimals_in_other_vectors)
{
    PqValueShape s = {PQ_DOUBLE, 0, PQ_ENCODING_ALP, 40 * 1024};
    double *v = (double *)(void *)numbers;
    PqBuf b;

    for (uint32_t i = 0; i < s.n_values; i++) {
        static const double by[] = {1e4, 1, 1e2};
        v[i] = (double)(i * 37 % 1000) / by[i / 1024 % 3];
    }
    pq_buf_init(&b, t->mem, t->e);
    CHECK(encode_is_right(t, &s, v, &b));
    CHECK(b.n < s.n_values * 15 / 8);
    pq_buf_free(&b);
}

TEST(encoder, alp_of_what_is_no_decimal_is_exceptions_and_no_more)
{
    Random r = {16};
    PqValueShape s = {PQ_DOUBLE, 0, PQ_ENCODING_ALP, 20000};
    PqBuf b;

    make_reals(&r, 4, PQ_DOUBLE, s.n_values);
    pq_buf_init(&b, t->mem, t->e);
    CHECK(encode_is_right(t, &s, numbers, &b));
    CHECK_INT(b.n, 7 + 20 * (4 + 13) + s.n_values * 10);
    pq_buf_free(&b);
}

/* Kinds of strings in text: none, short, long, sorted, equal. */
static void make_strings(Test *t, Random *r, int kind, uint32_t fixed,
                         PqBuf *text, uint32_t n)
{
    static const uint32_t longest[] = {0, 12, 400, 30, 20};
    uint32_t same = random_below(r, 20);
    size_t at = 0;

    CHECK_OK(pq_buf_resize(text, (size_t)n * (fixed + 400) + 400, t->e));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t length = fixed             ? fixed
                          : kind == 4       ? same
                          : longest[kind] ? random_below(r, longest[kind])
                                            : 0;

        for (uint32_t j = 0; j < length; j++) {
            text->p[at + j] = kind == 4   ? 'x'
                              : kind == 3 ? (uint8_t)(j < 20 ? 'a' + i / 4000
                                                             : i)
                                          : (uint8_t)random_u64(r);
        }
        strings[i] = (PqStr){length ? text->p + at : NULL, length};
        at += kind == 2 && i > 2000 ? 0 : length;
    }
}

TEST(encoder, strings_of_every_kind_and_length_come_back)
{
    static const int encodings[] = {PQ_ENCODING_PLAIN,
                                    PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                                    PQ_ENCODING_DELTA_BYTE_ARRAY};
    Random r = {17};
    PqBuf b, text;

    pq_buf_init(&b, t->mem, t->e);
    pq_buf_init(&text, t->mem, NULL);
    for (size_t l = 0; l < PQ_COUNT(encode_lengths); l++) {
        for (int kind = 0; kind < 5; kind++) {
            make_strings(t, &r, kind, 0, &text, encode_lengths[l]);
            for (size_t i = 0; i < PQ_COUNT(encodings); i++) {
                PqValueShape s = {PQ_BYTE_ARRAY, 0, encodings[i],
                                  encode_lengths[l]};

                CHECK(encode_is_right(t, &s, strings, &b));
                encode_cut(&b, &r);
            }
        }
    }
    pq_buf_free(&b);
    pq_buf_free(&text);
}

TEST(encoder, values_of_every_fixed_length_come_back)
{
    static const uint32_t widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17,
                                      20, 33, 127, 128, 129, 300};
    static const int encodings[] = {PQ_ENCODING_PLAIN,
                                    PQ_ENCODING_BYTE_STREAM_SPLIT,
                                    PQ_ENCODING_DELTA_BYTE_ARRAY};
    Random r = {18};
    PqBuf b, text;

    pq_buf_init(&b, t->mem, t->e);
    pq_buf_init(&text, t->mem, NULL);
    for (size_t w = 0; w < PQ_COUNT(widths); w++) {
        for (size_t l = 0; l + 1 < PQ_COUNT(encode_lengths); l++) {
            make_strings(t, &r, 1 + (int)random_below(&r, 4), widths[w],
                         &text, encode_lengths[l]);
            for (size_t i = 0; i < PQ_COUNT(encodings); i++) {
                PqValueShape s = {PQ_FIXED, widths[w], encodings[i],
                                  encode_lengths[l]};

                CHECK(encode_is_right(t, &s, strings, &b));
                encode_cut(&b, &r);
            }
        }
    }
    pq_buf_free(&b);
    pq_buf_free(&text);
}

TEST(encoder, a_prefix_is_all_that_two_strings_have_in_common)
{
    uint8_t one[64], two[64];

    for (uint32_t n = 0; n <= 40; n++) {
        for (uint32_t same = 0; same <= n; same++) {
            PqStr v[2] = {{one, n}, {two, same == n ? n + 3 : n}};
            PqValueShape s = {PQ_BYTE_ARRAY, 0, PQ_ENCODING_DELTA_BYTE_ARRAY,
                              2};
            PqBuf b;

            for (uint32_t i = 0; i < 64; i++) {
                one[i] = (uint8_t)i;
                two[i] = (uint8_t)(i < same ? i : i + 128);
            }
            pq_buf_init(&b, t->mem, t->e);
            CHECK(encode_is_right(t, &s, v, &b));
            CHECK_BYTES(b.p + b.n - (v[1].n - same), v[1].n - same,
                        two + same, v[1].n - same);
            CHECK_INT(b.p[5], 2 * same);     /* the least, and only, delta */
            pq_buf_free(&b);
        }
    }
}

TEST(encoder, int96_is_written_plain)
{
    Random r = {19};
    PqValueShape s = {PQ_INT96, 0, PQ_ENCODING_PLAIN, 1000};
    PqBuf b;

    for (uint32_t i = 0; i < 1500; i++) {
        numbers[i] = random_u64(&r);
    }
    pq_buf_init(&b, t->mem, t->e);
    CHECK(encode_is_right(t, &s, numbers, &b));
    CHECK_BYTES(b.p, b.n, numbers, 12000);
    pq_buf_free(&b);
}
