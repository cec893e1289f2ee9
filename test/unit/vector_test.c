/*
** vector_test.c - finds vectors of texts in which no text has a NUL.
*/
#include "test/unit/test.h"

#include "core/column/vector.h"
#include "core/encoding/decoder.h"

#include <stdlib.h>

enum { MOST = 300, ROOM = 1 << 18 };

static uint64_t state = 12345;

static uint32_t any(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

/* Lengths whose bytes are zero here and there; 1000 is not yet long. */
static uint32_t any_length(void)
{
    static const uint32_t some[] = {0, 1, 3, 4, 255, 256, 257, 512, 1000};

    return any(4) ? any(30) : some[any(PQ_COUNT(some))];
}

/* n texts as in a PLAIN page; nul: one of them has a NUL. */
static size_t write_page(uint8_t *to, uint32_t n, uint32_t nul)
{
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t length = any_length();

        length += i == nul && length == 0;
        pq_store_u32(to + at, length);
        memset(to + at + 4, 'x', length);
        if (i == nul) {
            to[at + 4 + any(length)] = 0;
        }
        at += 4 + length;
    }
    return at;
}

/* Reads it in two parts with a skip between them, so that there is a wide
** gap. */
static PqRc read_page(Test *t, uint8_t *page, size_t size, uint32_t n,
                      uint32_t skip, PqStr *out, PqArena *a)
{
    PqValueShape shape = {PQ_BYTE_ARRAY, 0, PQ_ENCODING_PLAIN, n};
    PqDecoder *d;
    PqRc rc;

    PQ_TRY(pq_decoder_new(t->mem, &d, t->e));
    rc = pq_decoder_open(d, &shape, page, size, t->e);
    rc = rc ? rc : pq_decoder_read(d, n / 2, out, a, t->e);
    rc = rc ? rc : pq_decoder_skip(d, skip, t->e);
    rc = rc ? rc : pq_decoder_read(d, n - n / 2 - skip, out + n / 2, a, t->e);
    pq_decoder_free(d);
    return rc;
}

static bool holds_nul(const PqVector *v)
{
    const PqStr *s = v->values;
    bool found = false;

    for (uint32_t i = 0; i < v->n_slots; i++) {
        found = found || (pq_vector_is_valid(v, i) && s[i].n > 0 &&
                          memchr(s[i].p, 0, s[i].n));
    }
    return found;
}

TEST(vector, texts_are_clean_exactly_when_none_holds_a_nul)
{
    uint8_t *page = malloc(ROOM);
    PqStr *text = malloc(MOST * sizeof *text);
    uint64_t valid[MOST / 64 + 1];
    int clean = 0, not_clean = 0;
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (int k = 0; k < 3000 && !t->failed; k++) {
        uint32_t n = 2 + any(MOST - 2), skip = any(3) ? 0 : any(n / 2);
        size_t size = write_page(page, n, any(2) ? n : any(n));
        PqVector v = {.n_slots = n - skip, .values = text};

        if (read_page(t, page, size, n, skip, text, &a) != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
        }
        if (any(2)) {
            v.valid = valid;
            for (uint32_t i = 0; i <= MOST / 64; i++) {
                valid[i] = (uint64_t)any(1 << 30) << 34 | any(1 << 30);
            }
        }
        if (pq_vector_is_clean(&v) == holds_nul(&v)) {
            test_fail(t, __FILE__, __LINE__, "%u texts, round %d", n, k);
        }
        ++*(holds_nul(&v) ? &not_clean : &clean);
    }
    pq_arena_free(&a);
    free(page);
    free(text);
    CHECK(clean > 500 && not_clean > 500);
}

TEST(vector, a_nul_after_one_text_is_not_taken_for_one_in_the_next)
{
    /* Texts without a gap, with a gap of one byte, and in distant buffers. */
    static const uint8_t close[] = "abcd\0ef", other[] = "g\0h";
    PqStr text[] = {{close, 2}, {close + 2, 2}, {close + 5, 2}, {other, 1}};
    PqVector v = {.n_slots = 4, .values = text};

    CHECK(pq_vector_is_clean(&v));
    text[3].n = 3;
    CHECK(!pq_vector_is_clean(&v));
    v.n_slots = 0;
    CHECK(pq_vector_is_clean(&v));
}
