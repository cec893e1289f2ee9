/*
** snappy_test.c - streams of every kind of element, also of kinds that the library
** never writes, are decoded as the library decodes them; what it refuses is refused.
**
** Each stream lies in a block that ends with it, and so does what it decodes to.  So
** a sanitizer finds a byte that is read or written beyond.
*/
#include "test/unit/codec_check.h"
#include "test/unit/encoders.h"

#include <snappy-c.h>

enum { MOST = 1 << 19 };

typedef struct Made {
    PqBuf   packed;
    uint8_t plain[MOST];
    size_t  n;
} Made;

static void put_number(PqBuf *b, size_t v, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++) {
        pq_buf_byte(b, (uint8_t)(v >> 8 * i));
    }
}

/* A number below n, mostly a small one. */
static size_t some(Random *r, size_t n)
{
    size_t below = (size_t)1 << random_below(r, 18);

    return random_below(r, (uint32_t)(below < n ? below : n));
}

static void add_literal(Random *r, Made *m, size_t left)
{
    size_t n = 1 + some(r, left);
    unsigned least = n <= 60 ? 0 : n <= 1 << 8 ? 1 : n <= 1 << 16 ? 2 : 3;
    unsigned extra = least + random_below(r, 5 - least);

    extra = random_below(r, 4) ? least : extra;
    pq_buf_byte(&m->packed, (uint8_t)((extra ? 59 + extra : n - 1) << 2));
    put_number(&m->packed, n - 1, extra);
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)random_below(r, 256);

        pq_buf_byte(&m->packed, byte);
        m->plain[m->n++] = byte;
    }
}

static void add_copy(Random *r, Made *m, size_t left)
{
    size_t n = 1 + random_below(r, left < 64 ? (uint32_t)left : 64);
    size_t offset = 1 + some(r, m->n);
    bool is_11 = offset < 1 << 11 && n >= 4 && n < 12;
    unsigned kind = is_11 && random_below(r, 3) ? 1
                    : offset < 1 << 16 && random_below(r, 4) ? 2 : 3;

    if (kind == 1) {
        pq_buf_byte(&m->packed, (uint8_t)(offset >> 8 << 5 | (n - 4) << 2 | 1));
    } else {
        pq_buf_byte(&m->packed, (uint8_t)((n - 1) << 2 | kind));
    }
    put_number(&m->packed, offset, kind == 3 ? 4 : kind);
    for (size_t i = 0; i < n; i++, m->n++) {
        m->plain[m->n] = m->plain[m->n - offset];
    }
}

/* A stream of n bytes. */
static void make_stream(Random *r, Made *m, size_t n)
{
    m->n = m->packed.n = 0;
    pq_buf_varint(&m->packed, n);
    while (m->n < n) {
        if (m->n == 0 || random_below(r, 3) == 0) {
            add_literal(r, m, n - m->n);
        } else {
            add_copy(r, m, n - m->n);
        }
    }
}

/* The example of snappy.c. */
TEST(snappy, a_copy_repeats_what_it_writes_and_begins_within_the_page)
{
    PqSlice from = test_hex(t, "0b1068656c6c6f0905");

    CHECK_GIVES(PQ_CODEC_SNAPPY, from, pq_slice_text("hellohelloh"));
    CHECK_FAILS(decode(t, PQ_CODEC_SNAPPY,
                       test_hex(t, "0b1068656c6c6f0906"), 11),
                PQ_CORRUPT, "not a valid stream");
}

/* Decodes a stream in a block of its own.  *out is the caller's to free. */
static PqRc decode_apart(PqCodecState *s, PqSlice in, size_t n, uint8_t **out,
                         PqErr *e)
{
    uint8_t *copy = malloc(in.n + 1), *apart = malloc(n + 1);
    PqRc rc = PQ_NOMEM;

    if (copy && apart) {
        memcpy(copy + 1, in.p, in.n);
        rc = pq_codec_decode(s, PQ_CODEC_SNAPPY, pq_slice(copy + 1, in.n),
                             apart + 1, n, e);
        memmove(apart, apart + 1, n);
    }
    free(copy);
    *out = apart;
    return rc;
}

TEST(snappy, every_kind_of_element_decodes_to_what_it_says)
{
    Made *m = calloc(1, sizeof *m);
    PqCodecState *s = NULL;
    Random r = {1};
    uint8_t *out;

    pq_buf_init(&m->packed, t->mem, t->e);
    CHECK_OK(pq_codec_state_new(t->mem, &s, t->e));
    for (int k = 0; k < 600; k++) {
        bool same;

        make_stream(&r, m, 1 + random_below(&r, k % 20 ? 900 : MOST));
        CHECK_OK(decode_apart(s, pq_buf_view(&m->packed), m->n, &out, t->e));
        same = memcmp(out, m->plain, m->n) == 0;
        free(out);
        CHECK(same);
    }
    pq_codec_state_free(s);
    pq_buf_free(&m->packed);
    free(m);
}

/* Does the library decode the stream to n bytes, and are these the bytes? */
static bool is_right(PqSlice in, size_t n, const uint8_t *bytes)
{
    char *out = malloc(n + 1);
    size_t room = n;
    bool same = out &&
                snappy_uncompress((const char *)in.p, in.n, out, &room) ==
                    SNAPPY_OK &&
                room == n && memcmp(out, bytes, n) == 0;

    free(out);
    return same;
}

TEST(snappy, a_damaged_stream_is_what_the_library_says_it_is)
{
    Made *m = calloc(1, sizeof *m);
    PqCodecState *s = NULL;
    int valid = 0, refused = 0;
    Random r = {2};

    pq_buf_init(&m->packed, t->mem, t->e);
    CHECK_OK(pq_codec_state_new(t->mem, &s, t->e));
    for (int k = 0; k < 20000; k++) {
        uint8_t *out;
        PqSlice in;
        PqRc rc;

        if (k % 20 == 0) {
            make_stream(&r, m, 130 + random_below(&r, k % 60 ? 600 : 8000));
        }
        if (k % 4 == 0) {              /* after the length */
            m->packed.n -= m->packed.n > 10 ? random_below(&r, 4) : 0;
        } else {
            m->packed.p[2 + random_below(&r, (uint32_t)m->packed.n - 2)] ^=
                (uint8_t)(1u << random_below(&r, 8));
        }
        in = pq_buf_view(&m->packed);
        rc = decode_apart(s, in, m->n, &out, t->e);
        pq_err_clear(t->e);
        if (rc == PQ_OK) {
            CHECK(is_right(in, m->n, out));
            valid++;
        } else {
            CHECK_INT(rc, PQ_CORRUPT);
            CHECK(snappy_validate_compressed_buffer((const char *)in.p, in.n) !=
                  SNAPPY_OK);
            refused++;
        }
        free(out);
    }
    CHECK(valid > 1000 && refused > 1000);
    pq_codec_state_free(s);
    pq_buf_free(&m->packed);
    free(m);
}
