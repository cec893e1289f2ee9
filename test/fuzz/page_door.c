/*
** page_door.c - fuzz door to core/encoding: a page of any type and encoding.
**
**   0  type       physical type
**   1  encoding   as in the file, or one more than there are
**   2  length     u16, of FIXED_LEN_BYTE_ARRAY
**   4  n_values   u16; with definition levels, that many of those
**   6  levels     bit 0: v2, bits 1-2: RLE (0), BIT_PACKED (1), any number;
**                 bit 3: the page has repetition levels,
**                 bit 4: definition levels
**   7  max        of both kinds of levels
**   8  rep, def   u8 each, byte lengths of v2 levels
**  10  entries    u16, of the dictionary
**  12  pattern    how the second decoder is asked
**  13  body       levels, then values
**
** The values are decoded twice: all at once by the kernels of this CPU, and in
** pieces, with some skipped, by the scalar kernels.  The second must not refuse
** what the first has read, and the values must be the same.  Levels are
** compared likewise: as numbers, as bits, and as counts.  A third decoder takes
** the steps of the second while the bytes of the page arrive.  It gets bytes as
** it asks for them; before that they are noise, and it must not write to them.
** At the end the first two spread values over their slots, as the column reader
** does.  All levels, ids and values that were read are encoded in every way,
** and read again.
*/
#include "core/encoding/decoder_kinds.h"
#include "core/encoding/encoder.h"
#include "core/encoding/levels.h"
#include "test/fuzz/door.h"
#include "test/unit/arriving.h"

#include <stdlib.h>

/* A page as the column reader would have it. */
typedef struct Page {
    PqValueShape shape;
    uint8_t      levels;
    uint16_t     max;
    size_t       rep_bytes, def_bytes;
    uint32_t     n_entries;
    uint32_t     pattern;
    uint32_t     n_slots;            /* values and nulls, if known          */
    uint64_t    *valid;              /* a bit for each                      */
    PqSlice      body;
} Page;

static Page page_of(PqSlice in)
{
    Page p = {0};

    p.shape.type = (PqPhysical)(door_u8(&in) % PQ_PHYSICAL_COUNT);
    p.shape.encoding = door_u8(&in) % (PQ_ENCODING_COUNT + 1);
    p.shape.fixed_length = door_u16(&in);
    p.shape.n_values = door_u16(&in);
    p.levels = door_u8(&in);
    p.max = door_u8(&in);
    p.rep_bytes = door_u8(&in);
    p.def_bytes = door_u8(&in);
    p.n_entries = door_u16(&in);
    p.pattern = door_u8(&in);
    p.n_slots = p.shape.n_values;
    p.valid = calloc(p.n_slots / 64 + 1, sizeof *p.valid);
    DOOR_CHECK(p.valid != NULL);
    p.body = in;
    return p;
}

/* 1 .. 600, mostly small.  With an odd pattern all are small. */
static uint32_t piece(uint32_t *pattern, uint32_t left)
{
    uint32_t n;

    *pattern = *pattern * 1103515245u + 12345u;
    n = *pattern >> 16 & 0x3ff;
    n = *pattern & 0x8000000 ? 1 + n % 17 : 1 + n % 600;
    return n < left ? n : left;
}

/* ---- levels ------------------------------------------------------------- */

static const int level_encodings[] = {PQ_ENCODING_RLE, PQ_ENCODING_BIT_PACKED,
                                      PQ_ENCODING_PLAIN, -1};

static PqRc open_levels(const Page *p, PqLevels *l, size_t n_bytes,
                        PqSlice *body, PqErr *e)
{
    return p->levels & 1
               ? pq_levels_open_v2(l, p->max, p->shape.n_values, n_bytes, body,
                                   e)
               : pq_levels_open_v1(l, level_encodings[p->levels >> 1 & 3],
                                   p->max, p->shape.n_values, body, NULL, e);
}

static bool valid_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

/* Reads the same levels in pieces, as numbers, bits and counts in turn, and
** compares them with want. */
static void levels_in_pieces(const Page *p, PqLevels *l, const uint16_t *want,
                             PqErr *e)
{
    uint32_t pattern = p->pattern, at = 0, i, n, n_set, n_max;
    uint16_t out[600];
    uint64_t bits[12];

    while (at < p->shape.n_values) {
        uint32_t turn, first;

        n = piece(&pattern, p->shape.n_values - at);
        turn = pattern >> 8 & 3;
        first = pattern >> 12 & 63;
        for (n_max = i = 0; i < n; i++) {
            n_max += want[at + i] == p->max;
        }
        if (turn == 0) {
            DOOR_CHECK(pq_levels_skip(l, n, &n_set, e) == PQ_OK);
            DOOR_CHECK(n_set == n_max);
        } else if (turn == 1) {
            memset(bits, 0, sizeof bits);
            DOOR_CHECK(pq_levels_read_valid(l, n, bits, first, &n_set, e) ==
                       PQ_OK);
            DOOR_CHECK(n_set == n_max);
            for (i = 0; i < n; i++) {
                DOOR_CHECK(valid_bit(bits, first + i) ==
                           (want[at + i] == p->max));
            }
        } else {
            DOOR_CHECK(pq_levels_read(l, n, out, e) == PQ_OK);
            DOOR_CHECK(memcmp(out, want + at, n * sizeof *out) == 0);
        }
        at += n;
    }
}

/* Writes the levels as each page version does, and reads the same levels. */
static void levels_again(const Page *p, const uint16_t *all, PqMem *mem)
{
    uint32_t n = p->shape.n_values, i;
    uint16_t *got = malloc((n + 1u) * sizeof *got);
    uint16_t max = 0;

    DOOR_CHECK(got != NULL);
    for (i = 0; i < n; i++) {
        max = all[i] > max ? all[i] : max;
    }
    for (int v2 = 0; v2 < 2 && max; v2++) {
        PqLevels l;
        PqSlice body;
        PqBuf b;
        PqErr e;

        pq_err_init(&e);
        pq_buf_init(&b, mem, &e);
        DOOR_CHECK(pq_encode_levels(all, n, max, v2 ? PQ_LEVELS_V2
                                                    : PQ_LEVELS_V1,
                                    &b, &e) == PQ_OK);
        body = pq_buf_view(&b);
        DOOR_CHECK((v2 ? pq_levels_open_v2(&l, max, n, body.n, &body, &e)
                       : pq_levels_open_v1(&l, PQ_ENCODING_RLE, max, n, &body,
                                           NULL, &e)) == PQ_OK);
        DOOR_CHECK(pq_levels_read(&l, n, got, &e) == PQ_OK);
        DOOR_CHECK(memcmp(got, all, n * sizeof *got) == 0);
        if (max == 1) {
            size_t before = b.n;

            DOOR_CHECK(pq_encode_valid(p->valid, 0, n, v2 ? PQ_LEVELS_V2
                                                          : PQ_LEVELS_V1,
                                       &b, &e) == PQ_OK);
            DOOR_CHECK(p->max != 1 ||
                       (b.n == 2 * before &&
                        memcmp(b.p, b.p + before, before) == 0));
        }
        pq_buf_free(&b);
    }
    free(got);
}

/* Takes one kind of levels from the front of *body; *n_set of them are max. */
static PqRc levels(const Page *p, size_t n_bytes, PqSlice *body,
                   uint32_t *n_set, PqMem *mem, PqErr *e)
{
    PqSlice again = *body;
    uint16_t got_one[1];
    uint16_t *all = malloc((p->shape.n_values + 1u) * sizeof *all);
    PqErr second;
    PqLevels l;
    uint32_t i;
    PqRc rc;

    DOOR_CHECK(all != NULL);
    pq_err_init(&second);
    PQ_GO(open_levels(p, &l, n_bytes, body, e));
    rc = pq_levels_read(&l, p->shape.n_values, all, e);
    DOOR_CHECK(open_levels(p, &l, n_bytes, &again, &second) == PQ_OK);
    if (rc == PQ_OK) {
        l.k = &pq_kernels_scalar;
        levels_in_pieces(p, &l, all, &second);
        DOOR_CHECK(pq_levels_read(&l, 1, got_one, &second) != PQ_OK);
        for (*n_set = i = 0; i < p->shape.n_values; i++) {
            bool set = all[i] == p->max;
            *n_set += set;
            p->valid[i / 64] &= ~((uint64_t)1 << i % 64);
            p->valid[i / 64] |= (uint64_t)set << i % 64;
        }
        levels_again(p, all, mem);
    } else {
        pq_levels_skip(&l, p->shape.n_values, n_set, &second);
    }
done:
    free(all);
    return rc;
}

/* ---- values ------------------------------------------------------------- */

/* One decoder with the page it writes to. */
typedef struct Side {
    Arriving   arrival;
    PqDecoder *d;
    uint8_t   *bytes;
    void      *out;
    PqArena    strings;
} Side;

/* The page of this side has yet to arrive. */
static PqRc open_arriving(const Page *p, Side *s, PqErr *e)
{
    arriving_begin(&s->arrival, s->bytes, p->body, 0, p->pattern & 2);
    return pq_decoder_open_arriving(s->d, &p->shape, s->bytes, p->body.n,
                                    &s->arrival.bytes, e);
}

static bool same_values(const Page *p, const void *a, const void *b, uint32_t n)
{
    size_t width = pq_physical_width(p->shape.type);
    const PqStr *x = a, *y = b;
    uint32_t i;

    if (p->shape.type != PQ_BYTE_ARRAY && p->shape.type != PQ_FIXED) {
        return memcmp(a, b, n * width) == 0;
    }
    for (i = 0; i < n; i++) {
        if (x[i].n != y[i].n || (x[i].n && memcmp(x[i].p, y[i].p, x[i].n))) {
            return false;
        }
        DOOR_CHECK(p->shape.type == PQ_FIXED || x[i].p[x[i].n] == 0);
        DOOR_CHECK(p->shape.type == PQ_FIXED || y[i].p[y[i].n] == 0);
    }
    return true;
}

static PqRc read_some(const Page *p, Side *s, uint32_t at, uint32_t n, PqErr *e)
{
    size_t width = pq_physical_width(p->shape.type);

    return pq_encoding_is_dictionary(p->shape.encoding)
               ? pq_decoder_read_ids(s->d, n, p->n_entries,
                                     (uint32_t *)s->out + at, e)
               : pq_decoder_read(s->d, n, (char *)s->out + at * width,
                                 &s->strings, e);
}

static void side_open(const Page *p, Side *s, PqMem *mem, PqErr *e)
{
    size_t width = pq_physical_width(p->shape.type);

    DOOR_CHECK(pq_decoder_new(mem, &s->d, e) == PQ_OK);
    pq_arena_init(&s->strings, mem);
    s->bytes = malloc(p->body.n + 1);        /* the room that decoders need */
    s->out = malloc(p->shape.n_values * (width < 4 ? 4 : width) + 1);
    DOOR_CHECK(s->bytes && s->out);
    memcpy(s->bytes, p->body.p, p->body.n);
}

static void side_close(Side *s)
{
    pq_decoder_free(s->d);
    pq_arena_free(&s->strings);
    free(s->bytes);
    free(s->out);
}

/* Reads everything in pieces, and compares with the values that were read
** before. */
static void values_in_pieces(const Page *p, Side *s, const Side *first,
                             uint32_t n_read, PqErr *e)
{
    size_t width = pq_encoding_is_dictionary(p->shape.encoding)
                       ? sizeof(uint32_t)
                       : pq_physical_width(p->shape.type);
    uint32_t pattern = p->pattern, at = 0, n;

    while (at < p->shape.n_values) {
        PqRc rc;

        n = piece(&pattern, p->shape.n_values - at);
        rc = pattern >> 8 & 1 ? pq_decoder_skip(s->d, n, e)
                              : read_some(p, s, at, n, e);
        if (rc != PQ_OK) {
            DOOR_CHECK(rc == PQ_BUDGET || at + n > n_read);
            return;
        }
        if (n_read && !(pattern >> 8 & 1)) {
            const char *a = (const char *)s->out + at * width;
            const char *b = (const char *)first->out + at * width;
            DOOR_CHECK(pq_encoding_is_dictionary(p->shape.encoding)
                           ? memcmp(a, b, n * width) == 0
                           : same_values(p, a, b, n));
        }
        at += n;
    }
}

/* Puts the first n_set of n_slots values into their slots. */
static void spread(const PqKernels *k, const Page *p, size_t width, void *out)
{
    if (width == sizeof(uint32_t)) {
        k->spread32(out, p->valid, p->n_slots, p->shape.n_values);
    } else {
        k->spread64(out, p->valid, p->n_slots, p->shape.n_values);
    }
}

static void spread_both(const Page *p, const void *packed)
{
    size_t width = pq_physical_width(p->shape.type);
    void *a = malloc(p->n_slots * width + 1);
    void *b = malloc(p->n_slots * width + 1);

    DOOR_CHECK(a && b);
    memcpy(a, packed, p->shape.n_values * width);
    memcpy(b, packed, p->shape.n_values * width);
    spread(pq_kernels(), p, width, a);
    spread(&pq_kernels_scalar, p, width, b);
    DOOR_CHECK(memcmp(a, b, p->n_slots * width) == 0);
    free(a);
    free(b);
}

/* Encodes values, or ids, as a page of this encoding, and decodes it. */
static void encode_one(const Page *p, int encoding, const void *values,
                       PqMem *mem)
{
    Page q = *p;
    bool ids = pq_encoding_is_dictionary(encoding);
    Side back;
    PqBuf b;
    PqErr e;

    pq_err_init(&e);
    pq_buf_init(&b, mem, &e);
    q.shape.encoding = encoding;
    if (ids) {
        pq_encode_ids(values, p->shape.n_values, p->n_entries, &b, &e);
    } else {
        pq_encode(&q.shape, values, &b, &e);
    }
    if (e.rc == PQ_OK) {
        q.body = pq_buf_view(&b);
        side_open(&q, &back, mem, &e);
        DOOR_CHECK(pq_decoder_open(back.d, &q.shape, back.bytes, q.body.n,
                                   &e) == PQ_OK);
        if (read_some(&q, &back, 0, q.shape.n_values, &e) == PQ_OK) {
            DOOR_CHECK(ids ? memcmp(back.out, values, q.shape.n_values *
                                                      sizeof(uint32_t)) == 0
                           : same_values(&q, back.out, values,
                                         q.shape.n_values));
        }
        side_close(&back);
    }
    DOOR_CHECK(e.rc == PQ_OK || e.rc == PQ_BUDGET || e.rc == PQ_NOMEM);
    pq_buf_free(&b);
}

static void encode_again(const Page *p, const void *values, PqMem *mem)
{
    if (pq_encoding_is_dictionary(p->shape.encoding)) {
        encode_one(p, PQ_ENCODING_RLE_DICTIONARY, values, mem);
        return;
    }
    for (int encoding = 0; encoding < PQ_ENCODING_COUNT; encoding++) {
        if (pq_encodes(encoding, p->shape.type)) {
            encode_one(p, encoding, values, mem);
        }
    }
}

static void values(const Page *p, PqMem *mem, PqErr *e)
{
    size_t width = pq_physical_width(p->shape.type);
    Side first, second, third;
    uint32_t n_read = 0;
    PqErr other;

    pq_err_init(&other);
    side_open(p, &first, mem, e);
    side_open(p, &second, mem, e);
    side_open(p, &third, mem, e);
    if (pq_decoder_open(first.d, &p->shape, first.bytes, p->body.n, e) ==
        PQ_OK) {
        if (read_some(p, &first, 0, p->shape.n_values, e) == PQ_OK) {
            n_read = p->shape.n_values;
        }
        if (n_read && p->levels & 16 && (width == 4 || width == 8) &&
            !pq_encoding_is_dictionary(p->shape.encoding)) {
            spread_both(p, first.out);
        }
        if (n_read) {
            encode_again(p, first.out, mem);
        }
        second.d->k = &pq_kernels_scalar;
        DOOR_CHECK(pq_decoder_open(second.d, &p->shape, second.bytes,
                                   p->body.n, &other) == PQ_OK);
        values_in_pieces(p, &second, &first, n_read, &other);
        door_check_error(&other, NULL);
        pq_err_clear(&other);
        DOOR_CHECK(open_arriving(p, &third, &other) == PQ_OK);
        values_in_pieces(p, &third, &first, n_read, &other);
        door_check_error(&other, NULL);
        /* A decoder is used for page after page. */
        pq_err_clear(&other);
        memcpy(second.bytes, p->body.p, p->body.n);
        pq_decoder_open(second.d, &p->shape, second.bytes, p->body.n, &other);
    }
    side_close(&first);
    side_close(&second);
    side_close(&third);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    Page p = page_of(pq_slice(bytes, n));
    PqErr e;
    PqMem *mem = door_open(&e);
    uint32_t n_set;
    PqRc rc = PQ_OK;

    e.where.file = DOOR_FILE;
    if (p.levels & 8) {
        rc = levels(&p, p.rep_bytes, &p.body, &n_set, mem, &e);
    }
    if (rc == PQ_OK && p.levels & 16) {
        rc = levels(&p, p.def_bytes, &p.body, &n_set, mem, &e);
        p.shape.n_values = rc == PQ_OK ? n_set : 0;
    }
    if (rc == PQ_OK) {
        values(&p, mem, &e);
    }
    door_check_error(&e, DOOR_FILE);
    door_close(mem);
    free(p.valid);
    return 0;
}
