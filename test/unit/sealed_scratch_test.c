/*
** sealed_scratch_test.c - any part of an enciphered scratch file reads as it was
** written, and the file itself has none of it.
*/
#define _GNU_SOURCE
#include "core/crypto/sealed_scratch.h"
#include "test/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

static uint8_t byte_at(size_t i)
{
    return (uint8_t)("the same words again and again, "[i % 32]);
}

/* Writes BYTES in pieces of all sizes. */
static PqRc fill(PqSink *s, uint8_t *from, PqErr *e)
{
    size_t at = 0, n;

    for (n = 1; at < BYTES; at += n, n = n * 3 % 200001) {
        n = n < BYTES - at ? n : BYTES - at;
        PQ_TRY(pq_sink_write(s, from + at, n, e));
    }
    return PQ_OK;
}

static uint8_t *make_bytes(void)
{
    uint8_t *p = malloc(BYTES);

    for (size_t i = 0; i < BYTES; i++) {
        p[i] = byte_at(i);
    }
    return p;
}

TEST(sealed_scratch, any_part_reads_as_it_was_written)
{
    static const size_t sizes[] = {1, 15, 16, 17, 4095, 4096, 4097, 70000};
    uint8_t *from = make_bytes(), *got = malloc(BYTES);
    PqSink *s;

    CHECK_OK(pq_sealed_scratch(t->mem, ".", &s, t->e));
    CHECK_OK(fill(s, from, t->e));
    for (size_t i = 0; i < BYTES; i++) {             /* they were not turned */
        CHECK(from[i] == byte_at(i));
    }
    for (uint64_t at = 0; at < BYTES; at += 3001) {
        size_t n = sizes[at % PQ_COUNT(sizes)];

        n = n < BYTES - at ? n : BYTES - (size_t)at;
        CHECK_OK(pq_sink_read(s, at, n, got, t->e));
        CHECK(memcmp(got, from + at, n) == 0);
    }
    pq_sink_close(s);
    free(from);
    free(got);
}

TEST(sealed_scratch, the_file_has_no_plain_bytes)
{
    uint8_t *from = make_bytes(), *raw = malloc(BYTES);
    PqSink *s;

    CHECK_OK(pq_sealed_scratch(t->mem, ".", &s, t->e));
    CHECK_OK(fill(s, from, t->e));
    CHECK_OK(pq_sink_flush(s, t->e));
    CHECK_INT(pread(pq_sink_descriptor(s), raw, BYTES, 0), BYTES);
    CHECK(memmem(raw, BYTES, "again", 5) == NULL);
    for (size_t i = 0; i + 4096 < BYTES; i += 4096) {   /* nor any twice */
        CHECK(memcmp(raw + i, raw + i + 4096, 32) != 0);
    }
    pq_sink_close(s);
    free(from);
    free(raw);
}

TEST(sealed_scratch, two_files_have_different_keys)
{
    uint8_t raw[2][4096];
    uint8_t *from = make_bytes();
    PqSink *s;

    for (int i = 0; i < 2; i++) {
        CHECK_OK(pq_sealed_scratch(t->mem, ".", &s, t->e));
        CHECK_OK(pq_sink_write(s, from, 4096, t->e));
        CHECK_OK(pq_sink_flush(s, t->e));
        CHECK_INT(pread(pq_sink_descriptor(s), raw[i], 4096, 0), 4096);
        pq_sink_close(s);
    }
    CHECK(memcmp(raw[0], raw[1], 16) != 0);
    free(from);
}

TEST(sealed_scratch, a_failure_anywhere_fails_cleanly)
{
    PqRc rc = PQ_IO;
    int64_t nth;

    for (nth = 1; rc != PQ_OK; nth++) {
        uint8_t got[10000] = {0};
        PqSink *s = NULL;

        pq_fault_set(nth);
        rc = pq_sealed_scratch(t->mem, ".", &s, t->e);
        rc = rc == PQ_OK ? pq_sink_write(s, got, sizeof got, t->e) : rc;
        rc = rc == PQ_OK ? pq_sink_read(s, 100, 5000, got, t->e) : rc;
        pq_fault_set(0);
        pq_sink_close(s);
        pq_err_clear(t->e);
        CHECK(nth < 200);
    }
    CHECK(nth > 6);
}
