/*
** encode_check.h - for tests of encoders: a page is encoded after other bytes
** and decodes to its values bit for bit.
*/
#ifndef ENCODE_CHECK_H
#define ENCODE_CHECK_H

#include "core/encoding/encoder.h"
#include "test/unit/encoders.h"

/* Lengths around multiples of eight, of blocks and of vectors. */
static const uint32_t encode_lengths[] = {
    0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130, 256, 257,
    1023, 1024, 1025, 2049, 70000};

enum { ENCODE_LONGEST = 70000 };

/* Leaves some bytes, so that the next page does not begin at 0. */
static inline void encode_cut(PqBuf *b, Random *r)
{
    b->n = random_below(r, b->n < 40 ? (uint32_t)b->n + 1 : 40);
}

static inline bool encode_values_equal(const PqValueShape *s, const void *got,
                                       const void *want)
{
    const PqStr *a = got, *b = want;

    if (s->type != PQ_BYTE_ARRAY && s->type != PQ_FIXED) {
        return s->n_values == 0 ||
               memcmp(got, want, s->n_values * pq_physical_width(s->type)) == 0;
    }
    for (uint32_t i = 0; i < s->n_values; i++) {
        if (a[i].n != b[i].n || (a[i].n && memcmp(a[i].p, b[i].p, a[i].n))) {
            return false;
        }
    }
    return true;
}

/* Does the page decode to these values and no others? */
static inline PqRc encode_gives(Test *t, const PqValueShape *s, PqSlice page,
                                const void *want, bool *equal)
{
    uint8_t *bytes = page_copy(page);
    void *got = malloc(s->n_values * pq_physical_width(s->type) + 1);
    PqDecoder *d = NULL;
    PqArena strings;
    PqRc rc;

    pq_arena_init(&strings, t->mem);
    *equal = false;
    PQ_GO(pq_decoder_new(t->mem, &d, t->e));
    PQ_GO(pq_decoder_open(d, s, bytes, page.n, t->e));
    PQ_GO(pq_decoder_read(d, s->n_values, got, &strings, t->e));
    *equal = encode_values_equal(s, got, want);
done:
    pq_decoder_free(d);
    pq_arena_free(&strings);
    free(got);
    free(bytes);
    return rc;
}

/* Appends a page to out; if it is wrong, the test fails and says why. */
static inline bool encode_is_right(Test *t, const PqValueShape *s,
                                   const void *values, PqBuf *out)
{
    size_t before = out->n, n;
    const char *wrong = NULL;
    bool equal = false;

    if (pq_encode(s, values, out, t->e) != PQ_OK) {
        wrong = t->e->text;
    }
    n = out->n - before;
    if (!wrong && encode_gives(t, s, pq_slice(out->p + before, n), values,
                               &equal) != PQ_OK) {
        wrong = t->e->text;
    }
    if (!wrong && !equal) {
        wrong = "other values";
    }
    if (wrong) {
        test_fail(t, __FILE__, __LINE__, "%s of %u %s: %zu bytes: %s",
                  pq_encoding_name(s->encoding), s->n_values,
                  pq_physical_name((int)s->type), n, wrong);
    }
    return !wrong;
}

#endif
