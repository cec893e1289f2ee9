/*
** roaring_test.c - bitmaps that are written here, from the format's specification, and
** what contradicts itself.
*/
#include "core/lake/roaring.h"
#include "test/unit/test.h"

#include <stdlib.h>

enum { VALUES = 1 << 16, MOST = 8 };

typedef enum Kind { ARRAY, BITS, RUNS } Kind;

/* A container: its values, and how it is written. */
typedef struct Part {
    Kind     kind;
    uint32_t key, n;
    uint8_t  is_in[VALUES];
} Part;

typedef struct Made {
    Part    *parts;                  /* of MOST                              */
    uint32_t n;
    uint32_t seed;
} Made;

static uint32_t chance(Made *m, uint32_t n)
{
    m->seed = m->seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(m->seed >> 8) * n >> 24);
}

static void put(PqBuf *out, uint64_t v, size_t n)
{
    for (; n; n--, v >>= 8) {
        pq_buf_byte(out, (uint8_t)v);
    }
}

/* Values, and runs with their count before them, go to out. */
static void put_part(const Part *p, PqBuf *out)
{
    size_t start = out->n, n_runs = 0;

    if (p->kind == RUNS) {
        put(out, 0, 2);
    }
    for (uint32_t i = 0; i < VALUES; i++) {
        if (p->kind == BITS && i % 8 == 0) {
            put(out, 0, 1);
        }
        if (!p->is_in[i]) {
            continue;
        }
        if (p->kind == ARRAY) {
            put(out, i, 2);
        } else if (p->kind == BITS) {
            out->p[out->n - 1] |= (uint8_t)(1 << i % 8);
        } else {
            uint32_t first = i;

            for (; i + 1 < VALUES && p->is_in[i + 1]; i++) {
            }
            put(out, first, 2);
            put(out, i - first, 2);
            n_runs++;
        }
    }
    if (p->kind == RUNS) {
        out->p[start] = (uint8_t)n_runs;
        out->p[start + 1] = (uint8_t)(n_runs >> 8);
    }
}

static void put_bitmap(const Made *m, PqMem *mem, PqBuf *out)
{
    size_t n_flags = 0, at, ends[MOST + 1] = {0};
    bool offsets = true;
    PqBuf bodies;

    pq_buf_init(&bodies, mem, out->sink);
    for (uint32_t i = 0; i < m->n; i++) {
        put_part(&m->parts[i], &bodies);
        ends[i + 1] = bodies.n;
        n_flags = m->parts[i].kind == RUNS ? (m->n + 7) / 8 : n_flags;
    }
    put(out, n_flags ? 12347 | (m->n - 1) << 16 : 12346, 4);
    put(out, m->n, n_flags ? 0 : 4);
    for (size_t k = 0; k < n_flags; k++) {
        unsigned flags = 0;

        for (size_t i = 8 * k; i < m->n && i < 8 * k + 8; i++) {
            flags |= (unsigned)(m->parts[i].kind == RUNS) << i % 8;
        }
        put(out, flags, 1);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        put(out, m->parts[i].key, 2);
        put(out, m->parts[i].n - 1, 2);
    }
    offsets = !n_flags || m->n >= 4;
    at = (n_flags ? 4 + n_flags : 8) + (offsets ? 8 : 4) * (size_t)m->n;
    for (uint32_t i = 0; offsets && i < m->n; i++) {
        put(out, at + ends[i], 4);
    }
    pq_buf_add(out, bodies.p, bodies.n);
    pq_buf_free(&bodies);
}

/* Values that touch the ends, alone or in runs, few or many. */
static void make_values(Made *m, Part *p)
{
    uint32_t longest = chance(m, 3) ? 1 + chance(m, 9) : VALUES;
    uint32_t gap = 1 + chance(m, chance(m, 2) ? 3 : 3000);
    uint32_t i = chance(m, 2) ? 0 : chance(m, VALUES);

    memset(p->is_in, 0, VALUES);
    p->n = 0;
    do {
        for (uint32_t k = 1 + chance(m, longest); k && i < VALUES; k--, i++) {
            p->is_in[i] = 1;
            p->n++;
        }
        i += 1 + chance(m, gap);
    } while (i < VALUES);
    p->n += !p->is_in[VALUES - 1];
    p->is_in[VALUES - 1] = 1;
    p->kind = chance(m, 3) == 0 ? RUNS : p->n <= 4096 ? ARRAY : BITS;
}

static void make_bitmap(Made *m)
{
    uint32_t key = chance(m, 2) ? 0 : chance(m, 60000);

    m->n = chance(m, MOST + 1);
    for (uint32_t i = 0; i < m->n; i++) {
        m->parts[i].key = key;
        key += 1 + (chance(m, 3) ? 0 : chance(m, 600));
        make_values(m, &m->parts[i]);
    }
}

/* The ranges of its values, one value after the other. */
static void put_ranges(const Made *m, int64_t base, PqBuf *out, uint64_t *n)
{
    PqRowRange r = {-1, -1};

    for (uint32_t i = 0; i < m->n; i++) {
        for (uint32_t k = 0; k < VALUES; k++) {
            int64_t v = base + (int64_t)m->parts[i].key * VALUES + k;

            if (!m->parts[i].is_in[k]) {
                continue;
            }
            (*n)++;
            if (v != r.end) {
                pq_buf_add(out, &r, r.end < 0 ? 0 : sizeof r);
                r.begin = v;
            }
            r.end = v + 1;
        }
    }
    pq_buf_add(out, &r, r.end < 0 ? 0 : sizeof r);
}

TEST(roaring, random_containers_of_every_kind_are_the_ranges_that_were_written)
{
    Made m = {.parts = malloc(MOST * sizeof(Part)), .seed = 7};
    uint64_t total = 0;

    for (int i = 0; i < 60; i++) {
        int64_t base = (int64_t)chance(&m, 1000) << 32;
        uint64_t n = 0, want_n = 0;
        PqBuf bytes, want, got;
        PqSlice in;

        pq_buf_init(&bytes, t->mem, t->e);
        pq_buf_init(&want, t->mem, t->e);
        pq_buf_init(&got, t->mem, NULL);
        make_bitmap(&m);
        put_bitmap(&m, t->mem, &bytes);
        put_ranges(&m, base, &want, &want_n);
        in = pq_buf_view(&bytes);
        CHECK_OK(pq_roaring_take(&in, base, &got, &n, NULL, t->e));
        CHECK_INT(in.n, 0);
        CHECK_INT(n, want_n);
        CHECK_BYTES(got.p, got.n, want.p, want.n);
        total += n;
        pq_buf_free(&bytes);
        pq_buf_free(&want);
        pq_buf_free(&got);
    }
    CHECK(total > 1000000);
    free(m.parts);
}

/* "3-5 7-8", as many as fit, or why not. */
static const char *ranges_of(Test *t, const char *hex)
{
    static char text[PQ_ERR_TEXT];
    PqSlice in = test_hex(t, hex);
    uint64_t n = 0, sum = 0;
    PqBuf ranges;
    PqRowRange *r;
    size_t at = 0, n_ranges;

    pq_buf_init(&ranges, t->mem, NULL);
    *text = 0;
    if (pq_roaring_take_set(&in, &ranges, &n, NULL, t->e) != PQ_OK) {
        snprintf(text, sizeof text, "%s", t->e->rc == PQ_CORRUPT ? t->e->text : "?");
        pq_err_clear(t->e);
    } else {
        r = pq_row_ranges(&ranges, &n_ranges);
        for (size_t i = 0; i < n_ranges; i++) {
            sum += (uint64_t)(r[i].end - r[i].begin);
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld-%lld", i ? " " : "",
                                   (long long)r[i].begin, (long long)r[i].end);
        }
        snprintf(text + at, sizeof text - at, in.n || n != sum ? " ?" : "");
    }
    pq_buf_free(&ranges);
    return text;
}

/* A set of one bitmap, of key 0. */
#define ONE "0100000000000000 00000000 "
/* ... without runs, of 1 or 2 containers. */
#define PLAIN ONE "3a300000 01000000 "
#define TWO ONE "3a300000 02000000 "
/* ... with one container of runs. */
#define RUN ONE "3b300000 01 "

TEST(roaring, examples_are_the_values_that_the_specification_names)
{
    CHECK_TEXT(ranges_of(t, PLAIN "0000 0200 10000000 0300 0400 0700"), "3-5 7-8");
    CHECK_TEXT(ranges_of(t, RUN "0000 0400 0100 0b00 0400"), "11-16");
    CHECK_TEXT(ranges_of(t, RUN "0000 0e00 0300 0100 0a00 1400 0000 1f00 0200"),
               "1-12 20-21 31-34");
    CHECK_TEXT(ranges_of(t, "0000000000000000"), "");
    CHECK_TEXT(ranges_of(t, ONE "3a300000 00000000"), "");
    CHECK_TEXT(ranges_of(t, RUN "ffff ffff 0100 0000 ffff"), "4294901760-4294967296");
}

TEST(roaring, what_touches_is_one_range)
{
    /* An array and runs, runs and runs, runs and an array; also those that touch in
    ** the same container. */
    CHECK_TEXT(ranges_of(t, ONE "3b300200 02 0000 0000 0100 ffff 0200 0000 ffff"
                            "0100 0000 ffff 0000"), "65535-131073");
    CHECK_TEXT(ranges_of(t, ONE "3b300100 03 0000 0000 0100 0000"
                            "0100 ffff 0000 0100 0000 0000"), "65535-65537");
    CHECK_TEXT(ranges_of(t, RUN "0000 0400 0200 0500 0100 0700 0200"), "5-10");
    CHECK_TEXT(ranges_of(t, "0200000000000000"
                            "00000000 3a300000 01000000 ffff 0000 10000000 ffff"
                            "01000000 3a300000 01000000 0000 0000 10000000 0000"),
               "4294967295-4294967297");
    /* What does not touch is two. */
    CHECK_TEXT(ranges_of(t, TWO "0000 0000 0200 0000 18000000 1a000000 ffff 0000"),
               "65535-65536 131072-131073");
    CHECK_TEXT(ranges_of(t, TWO "0000 0000 0100 0000 18000000 1a000000 feff 0000"),
               "65534-65535 65536-65537");
}

TEST(roaring, what_contradicts_itself_is_corrupt)
{
    static const struct {
        const char *hex, *why;
    } cases[] = {
        {"", "8 bytes wanted, 0 left"},
        {"0200000000000000 00000000 3a300000 00000000", "2 roaring bitmaps in 12 bytes"},
        {"ffffffffffffffff 00000000 3a300000 00000000",
         "18446744073709551615 roaring bitmaps in 12 bytes"},
        {ONE "39300000 00000000", "does not begin with 00003039"},
        {ONE "3b30ffff 00000000", "8192 bytes wanted"},
        {ONE "3a300000 01000100", "65537 containers"},
        {ONE "3a300000 00000100", "262144 bytes wanted, 0 left"},
        {PLAIN "0000 0200 10000000 0300 0400", "6 bytes wanted, 4 left"},
        {PLAIN "0000 ff0f 10000000 0300 0400", "8192 bytes wanted"},
        {PLAIN "0000 0010 10000000 0300 0400", "8192 bytes wanted"},
        {PLAIN "0000 0200 11000000 0300 0400 0700", "is at byte 16, its head says 17"},
        {PLAIN "0000 0200 10000100 0300 0400 0700", "its head says 65552"},
        {PLAIN "0000 0200 10000000 0300 0700 0400", "values of a bitmap's container 0"},
        {PLAIN "0000 0200 10000000 0300 0300 0700", "values of a bitmap's container 0"},
        {TWO "0100 0000 0100 0000 18000000 1a000000 0000 0000", "1 follows container 1"},
        {TWO "0200 0000 0100 0000 18000000 1a000000 0000 0000", "1 follows container 2"},
        {RUN "0900 0400 0100 0b00 0300", "container 9 has 4 values, its head says 5"},
        {RUN "0000 0400 0100 0b00 0500", "has 6 values, its head says 5"},
        {RUN "0000 0000 0000", "has 0 values, its head says 1"},
        {RUN "0000 0100 0100 ffff 0100", "has 2 values from 65535 on"},
        {RUN "0000 0300 0200 0500 0100 0000 0100", "runs of a bitmap's container 0"},
        {RUN "0000 0300 0200 0500 0100 0600 0100", "runs of a bitmap's container 0"},
        {RUN "0000 0300 0200 0500 0100", "8 bytes wanted, 4 left"},
        {RUN "0000 0300 01", "2 bytes wanted, 1 left"},
        {"0200000000000000 05000000 3a300000 00000000 05000000 3a300000 00000000",
         "key 5 follows that of key 5"},
        {"0200000000000000 05000000 3a300000 00000000 04000000 3a300000 00000000",
         "key 4 follows that of key 5"},
        {"0100000000000000 ffffff7f 3a300000 00000000", "as large as 2147483647 << 32"},
        {"0100000000000000 ffffffff 3a300000 00000000", "as large as 4294967295 << 32"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        const char *text = ranges_of(t, cases[i].hex);

        if (!strstr(text, cases[i].why)) {
            test_fail(t, __FILE__, __LINE__, "%s: \"%s\", not \"%s\"", cases[i].hex, text,
                      cases[i].why);
            return;
        }
    }
    CHECK_TEXT(ranges_of(t, "0100000000000000 feffff7f 3b300000 01 ffff ffff 0100 0000 ffff"),
               "9223372032559742976-9223372032559808512");
}

TEST(roaring, containers_of_4096_values_are_arrays_and_larger_ones_bits)
{
    Made m = {.parts = calloc(1, sizeof(Part)), .n = 1};

    for (uint32_t n = 4095; n <= 4097; n++) {
        Part *p = m.parts;
        uint64_t n_rows = 0;
        PqBuf bytes, ranges;
        PqSlice in;

        for (uint32_t i = 0; i < n; i++) {
            p->is_in[3 * i] = 1;
        }
        p->n = n;
        p->kind = n > 4096 ? BITS : ARRAY;
        pq_buf_init(&bytes, t->mem, t->e);
        pq_buf_init(&ranges, t->mem, NULL);
        put_bitmap(&m, t->mem, &bytes);
        in = pq_buf_view(&bytes);
        CHECK_OK(pq_roaring_take(&in, 0, &ranges, &n_rows, NULL, t->e));
        CHECK_INT(ranges.n / sizeof(PqRowRange), n);
        CHECK_INT(pq_row_ranges(&ranges, &(size_t){0})[n - 1].end, 3 * (n - 1) + 1);
        pq_buf_free(&bytes);
        pq_buf_free(&ranges);
    }
    free(m.parts);
}

/* Bits of one container: every other one, or all. */
static size_t put_bits(uint8_t *to, uint32_t cardinality, uint8_t byte)
{
    PqSlice head = pq_slice("\x3a\x30\0\0\1\0\0\0\0\0??\x10\0\0\0", 16);

    memcpy(to, head.p, head.n);
    to[10] = (uint8_t)(cardinality - 1);
    to[11] = (uint8_t)((cardinality - 1) >> 8);
    memset(to + 16, byte, 8192);
    return 16 + 8192;
}

TEST(roaring, bits_have_the_cardinality_of_their_head)
{
    static uint8_t bytes[16 + 8192];
    PqSlice in;
    PqBuf ranges;
    uint64_t n = 0;

    pq_buf_init(&ranges, t->mem, NULL);
    in = pq_slice(bytes, put_bits(bytes, 32768, 0x55));
    CHECK_OK(pq_roaring_take(&in, 0, &ranges, &n, NULL, t->e));
    CHECK_INT(ranges.n / sizeof(PqRowRange), 32768);
    CHECK_INT(n, 32768);
    in = pq_slice(bytes, put_bits(bytes, 32767, 0x55));
    CHECK_FAILS(pq_roaring_take(&in, 1 << 20, &ranges, &n, NULL, t->e), PQ_CORRUPT,
                "container 0 has 32768 values, its head says 32767");
    in = pq_slice(bytes, put_bits(bytes, 5000, 0));
    CHECK_FAILS(pq_roaring_take(&in, 1 << 20, &ranges, &n, NULL, t->e), PQ_CORRUPT,
                "container 0 has 0 values, its head says 5000");
    pq_buf_free(&ranges);
}

TEST(roaring, memory_follows_the_bytes_and_not_what_they_claim)
{
    static uint8_t bytes[16 + 8192];
    PqBuf ranges;
    uint64_t n = 0;
    PqSlice in;

    /* All values, in runs, and in bits. */
    pq_buf_init(&ranges, t->mem, NULL);
    in = test_hex(t, "3b300000 01 0000 ffff 0100 0000 ffff");
    CHECK_OK(pq_roaring_take(&in, 0, &ranges, &n, NULL, t->e));
    CHECK(pq_mem_peak(t->mem) < 200);
    in = pq_slice(bytes, put_bits(bytes, 65536, 0xff));
    CHECK_OK(pq_roaring_take(&in, 1 << 20, &ranges, &n, NULL, t->e));
    CHECK(pq_mem_peak(t->mem) < 200);
    CHECK_INT(n, 131072);
    in.n = 0;
    pq_buf_free(&ranges);
    /* 4096 values of 3 that are there; a million containers. */
    ranges_of(t, PLAIN "0000 ff0f 10000000 0300 0400 0700");
    ranges_of(t, ONE "3a300000 00001000 0000 ff0f 10000000 0300 0400 0700");
    ranges_of(t, RUN "0000 ffff ffff 0000 ffff");
    CHECK(pq_mem_peak(t->mem) < 200);
    /* The most: 64 bytes for each. */
    in = pq_slice(bytes, put_bits(bytes, 32768, 0xaa));
    CHECK_OK(pq_roaring_take(&in, 0, &ranges, &n, NULL, t->e));
    CHECK(pq_mem_peak(t->mem) < 64 * sizeof bytes);
    pq_buf_free(&ranges);
}

static bool stop_at_third(void *arg)
{
    return ++*(int *)arg == 3;
}

TEST(roaring, a_user_who_interrupts_need_not_wait_for_the_next_bitmap)
{
    PqSlice in = test_hex(t, TWO "0000 0000 0100 0000 18000000 1a000000 0000 0000");
    int asked = 0;
    PqStop stop = {stop_at_third, &asked};
    PqBuf ranges;
    uint64_t n = 0;

    pq_buf_init(&ranges, t->mem, NULL);
    CHECK_FAILS(pq_roaring_take_set(&in, &ranges, &n, &stop, t->e), PQ_STOPPED, "");
    CHECK_INT(n, 1);
    pq_buf_free(&ranges);
}

TEST(roaring, memory_that_is_refused_is_an_error)
{
    PqSlice in = test_hex(t, PLAIN "0000 0200 10000000 0300 0400 0700");
    PqBuf ranges;
    uint64_t n = 0;

    pq_buf_init(&ranges, t->mem, NULL);
    pq_fault_set(1);
    CHECK(pq_roaring_take_set(&in, &ranges, &n, NULL, t->e) == PQ_NOMEM);
    pq_fault_set(0);
    CHECK_INT(ranges.n, 0);
    pq_buf_free(&ranges);
}
