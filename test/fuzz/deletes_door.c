/*
** deletes_door.c - fuzz door to core/lake: the rows that a lake table has deleted, as
** strangers describe them.
**
**   0  mode      what the rest is
**
**   set          bitmaps; each value of them is read a second time, one by one.
**                Then they are data of a file, with the right size and checksum
**   vector       1  offset (3)
**                4  size (3)
**                7  rows
**                8  storageType
**                9  bytes of pathOrInlineDv, which follows
**                   what was read of its file
**   blob         1  rows
**                2  a blob of a Puffin file
*/
#include "core/codec/codec.h"
#include "core/lake/deletion_vector.h"
#include "core/lake/roaring.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

enum { SET, VECTOR, BLOB, MODES };

/* More values than that are not read a second time. */
enum { MOST_VALUES = 1 << 17 };

/* Ranges are taken from the front, a row at a time. */
typedef struct Rows {
    const PqRowRange *at, *end;
    int64_t           next;
} Rows;

static void begin(Rows *r, const PqBuf *ranges)
{
    size_t n;

    r->at = pq_row_ranges(ranges, &n);
    r->end = n ? r->at + n : r->at;
    r->next = n ? r->at->begin : -1;
}

static void expect(Rows *r, int64_t row)
{
    DOOR_CHECK(r->at < r->end && r->next == row);
    if (++r->next == r->at->end && ++r->at < r->end) {
        r->next = r->at->begin;
    }
}

static uint32_t take_number(PqSlice *in, size_t n)
{
    PqSlice s = door_take(in, n);
    uint32_t v = 0;

    DOOR_CHECK(s.n == n);
    while (n-- > 0) {
        v = v << 8 | s.p[n];
    }
    return v;
}

/* A container that is known to be valid. */
static void read_container(PqSlice *in, bool runs, int64_t base, uint32_t n, Rows *rows)
{
    uint32_t n_runs = runs ? take_number(in, 2) : 0;
    PqSlice bits;

    for (; runs && n_runs; n_runs--) {
        uint32_t first = take_number(in, 2), more = take_number(in, 2);

        for (uint32_t i = 0; i <= more; i++) {
            expect(rows, base + first + i);
        }
    }
    for (; !runs && n <= 4096 && n; n--) {
        expect(rows, base + take_number(in, 2));
    }
    if (!runs && n) {
        bits = door_take(in, 8192);
        for (uint32_t i = 0; i < 65536; i++) {
            if (bits.p[i / 8] >> i % 8 & 1) {
                expect(rows, base + i);
            }
        }
    }
}

static void read_bitmap(PqSlice *in, int64_t base, Rows *rows)
{
    uint32_t cookie = take_number(in, 4), n = cookie >> 16 ? (cookie >> 16) + 1 : 1;
    PqSlice flags = {NULL, 0}, heads;

    if (cookie == 12346) {
        n = take_number(in, 4);
    } else {
        flags = door_take(in, (n + 7) / 8);
    }
    heads = door_take(in, 4 * (size_t)n);
    door_take(in, cookie == 12346 || n >= 4 ? 4 * (size_t)n : 0);
    for (uint32_t i = 0; i < n; i++) {
        int64_t key = take_number(&heads, 2);
        uint32_t values = take_number(&heads, 2) + 1;

        read_container(in, flags.n && flags.p[i / 8] >> i % 8 & 1, base + (key << 16), values,
                       rows);
    }
}

static void check_values(PqSlice in, const PqBuf *ranges)
{
    uint32_t n = take_number(&in, 4);
    Rows rows;

    begin(&rows, ranges);
    DOOR_CHECK(take_number(&in, 4) == 0);
    for (; n; n--) {
        int64_t key = take_number(&in, 4);

        read_bitmap(&in, key << 32, &rows);
    }
    DOOR_CHECK(rows.at == rows.end);
}

static void check_ranges(const PqBuf *ranges, uint64_t n_rows)
{
    size_t n;
    const PqRowRange *r = pq_row_ranges(ranges, &n);
    int64_t end = -1;

    DOOR_CHECK(ranges->n % sizeof *r == 0);
    for (size_t i = 0; i < n; i++) {
        DOOR_CHECK(r[i].begin > end && r[i].end > r[i].begin);
        end = r[i].end;
        n_rows -= (uint64_t)(r[i].end - r[i].begin);
    }
    DOOR_CHECK(n_rows == 0);
}

/* The set as a file has it. */
static void read_stored(PqSlice set, uint64_t n_rows, PqMem *mem, const PqBuf *want)
{
    uint8_t size[4], crc[4];
    PqBuf data, got;
    PqErr e;

    pq_err_init(&e);
    pq_buf_init(&data, mem, &e);
    pq_buf_init(&got, mem, NULL);
    pq_store_u32(size, __builtin_bswap32((uint32_t)set.n + 4));
    pq_buf_add(&data, size, 4);
    pq_buf_add(&data, "\xd1\xd3\x39\x64", 4);
    pq_buf_add(&data, set.p, set.n);
    pq_store_u32(crc, __builtin_bswap32(pq_crc32(0, pq_slice(data.p + 4, data.n - 4))));
    pq_buf_add(&data, crc, 4);
    DOOR_CHECK(pq_deletion_vector_blob(pq_buf_view(&data), (int64_t)n_rows, &got, NULL,
                                       &e) == PQ_OK &&
               pq_slice_equal(pq_buf_view(&got), pq_buf_view(want)));
    DOOR_CHECK(pq_deletion_vector_blob(pq_buf_view(&data), (int64_t)n_rows + 1, &got, NULL,
                                       &e) == PQ_CORRUPT);
    pq_buf_free(&data);
    pq_buf_free(&got);
}

static void read_set(PqSlice in, PqMem *mem, PqErr *e)
{
    PqSlice rest = in;
    uint64_t n = 0;
    PqBuf ranges;

    pq_buf_init(&ranges, mem, NULL);
    if (pq_roaring_take_set(&rest, &ranges, &n, NULL, e) == PQ_OK) {
        in.n -= rest.n;
        check_ranges(&ranges, n);
        if (n <= MOST_VALUES) {
            check_values(in, &ranges);
        }
        read_stored(in, n, mem, &ranges);
    } else {
        DOOR_CHECK(e->rc == PQ_CORRUPT);
    }
    pq_buf_free(&ranges);
}

static void read_vector(PqSlice in, PqMem *mem, PqErr *e)
{
    int64_t offset = (int32_t)(door_u24(&in) << 8) >> 8, size = door_u24(&in);
    int64_t n_rows = door_u8(&in);
    PqSlice type = door_take(&in, 1);
    size_t length = door_u8(&in);
    PqDeletionVector d = {type, door_take(&in, length), offset, size, n_rows};
    PqDeletionPlace at;
    PqBuf ranges;
    PqArena a;

    pq_arena_init(&a, mem);
    pq_buf_init(&ranges, mem, NULL);
    if (pq_deletion_vector_find(&d, &a, &at, e) == PQ_OK) {
        DOOR_CHECK(at.path || pq_slice_is(type, "i"));
        DOOR_CHECK(!at.path || (*at.path && at.part.n >= (size_t)size + 8));
        DOOR_CHECK(!at.in_table || (at.path[0] != '/' && strncmp(at.path, "../", 3) != 0 &&
                                    strlen(at.path) >= 56));
        if (pq_deletion_vector_read(&d, in, &ranges, NULL, e) == PQ_OK) {
            check_ranges(&ranges, (uint64_t)n_rows);
        }
    }
    pq_buf_free(&ranges);
    pq_arena_free(&a);
}

static void read_blob(PqSlice in, PqMem *mem, PqErr *e)
{
    int64_t n_rows = door_u8(&in);
    PqBuf ranges;

    pq_buf_init(&ranges, mem, NULL);
    if (pq_deletion_vector_blob(in, n_rows, &ranges, NULL, e) == PQ_OK) {
        check_ranges(&ranges, (uint64_t)n_rows);
    }
    pq_buf_free(&ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e;
    PqMem *mem = door_open(&e);
    uint8_t *own = door_copy(pq_slice(bytes, n));
    PqSlice in = pq_slice(own, n);

    e.where.file = DOOR_FILE;
    switch (door_u8(&in) % MODES) {
    case SET:    read_set(in, mem, &e); break;
    case VECTOR: read_vector(in, mem, &e); break;
    default:     read_blob(in, mem, &e); break;
    }
    DOOR_CHECK(pq_mem_peak(mem) <= 200 * n + 4096);
    door_check_error(&e, DOOR_FILE);
    free(own);
    door_close(mem);
    return 0;
}
