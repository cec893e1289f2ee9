/*
** pick_test.c - rows that are picked out of order equal those read in order.
**
** Every sample file is read from front to back, and each row of each leaf
** becomes a number made of its levels and values.  Then random rows are picked,
** and must give the same numbers.
*/
#include "core/scan/lookup.h"
#include "test/unit/test.h"

#include <glob.h>
#include <stdlib.h>

enum { MOST_ROWS = 40000, MOST_LEAVES = 400 };

typedef struct Pick {
    PqEngine  *engine;
    PqListing  listing;
    PqTable   *table;
    PqLookup  *lookup;
    PqScan    *scan, *other;
    uint32_t   n_leaves, n_rows;
    uint64_t  *want;                 /* row * n_leaves + leaf               */
    bool      *unread;               /* leaves that cannot be read          */
    bool       levels;
    uint64_t   seed;
} Pick;

static uint64_t chance(Pick *p, uint64_t n)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (p->seed >> 33) % n;
}

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    size_t i;

    for (i = 0; i < n; i++) {
        h = (h ^ b[i]) * 0x100000001b3u;
    }
    return h;
}

/* The value of a slot; a text has to end with a NUL. */
static uint64_t mix_value(Test *t, uint64_t h, const PqVector *v, uint32_t slot)
{
    PqPhysical type = v->leaf->type.physical;
    const void *at = pq_vector_at(v, pq_physical_width(type), slot);
    const PqStr *s = at;

    if (type != PQ_BYTE_ARRAY && type != PQ_FIXED) {
        return mix(h, at, pq_physical_width(type));
    }
    if (type == PQ_BYTE_ARRAY && s->p[s->n] != 0) {
        test_fail(t, __FILE__, __LINE__, "%s: a text without its end",
                  v->leaf->path);
    }
    return mix(mix(h, &s->n, sizeof s->n), s->p, s->n);
}

/* One number per row of the vector. */
static void numbers_of(Test *t, const PqVector *v, uint64_t *out,
                       uint32_t step)
{
    uint32_t slot = 0, row;

    for (row = 0; row < v->n_rows; row++) {
        uint64_t h = 0xcbf29ce484222325u;

        do {
            bool valid = pq_vector_is_valid(v, slot);

            h = mix(h, &valid, sizeof valid);
            h = v->rep ? mix(h, &v->rep[slot], sizeof *v->rep) : h;
            h = v->def ? mix(h, &v->def[slot], sizeof *v->def) : h;
            h = valid ? mix_value(t, h, v, slot) : h;
            slot++;
        } while (slot < v->n_slots && v->rep && v->rep[slot] != 0);
        out[(size_t)row * step] = h;
    }
    if (slot != v->n_slots) {
        test_fail(t, __FILE__, __LINE__, "%s: %u slots are left over",
                  v->leaf->path, v->n_slots - slot);
    }
}

static PqRc pick_open(Test *t, Pick *p, const char *path, size_t memory)
{
    PqTableOptions to = {0};
    PqScanOptions so = {.memory = memory, .checksum = true, .name = "test"};

    PQ_TRY(pq_engine_new(&p->engine, t->e));
    PQ_TRY(pq_listing_make(path, false, NULL, p->engine->mem, NULL, &p->listing,
                           t->e));
    PQ_TRY(pq_table_new(p->engine, &p->listing, &to, &p->table, t->e));
    PQ_TRY(pq_lookup_new(memory, &p->lookup, t->e));
    so.lookup = p->lookup;
    PQ_TRY(pq_scan_new(p->table, &p->listing, &so, &p->other, t->e));
    PQ_TRY(pq_scan_new(p->table, &p->listing, &so, &p->scan, t->e));
    return pq_scan_start(p->scan, NULL, 0, NULL, NULL, t->e);
}

static void keep_levels(Pick *p)
{
    uint32_t i;

    for (i = 0; p->levels && i < p->n_leaves; i++) {
        pq_scan_keep_levels(p->scan, i);
    }
}

/* Rows are picked by two scans in turns, which share what they decode. */
static void take_turns(Test *t, Pick *p)
{
    PqScan *scan = p->scan;
    bool more;

    p->scan = p->other;
    p->other = scan;
    CHECK_OK(pq_scan_start(p->scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(pq_scan_next(p->scan, &more, t->e));    /* opens the file */
    keep_levels(p);
}

static void pick_close(Pick *p)
{
    pq_scan_free(p->scan);
    pq_scan_free(p->other);
    pq_lookup_free(p->lookup);
    pq_table_free(p->table);
    if (p->listing.n_files) {
        pq_listing_free(&p->listing);
    }
    pq_engine_free(p->engine);
    free(p->want);
    free(p->unread);
}

/* Computes the numbers of the batch, whose first row is `row`. */
static void batch_in_order(Test *t, Pick *p, uint32_t row)
{
    uint32_t i;

    for (i = 0; i < p->n_leaves; i++) {
        const PqVector *v;

        if (p->unread[i]) {
            continue;
        }
        if (pq_scan_vector(p->scan, i, &v, t->e) != PQ_OK) {
            p->unread[i] = true;
            pq_err_clear(t->e);
            pq_where_reset(t->e);
            continue;
        }
        numbers_of(t, v, p->want + (size_t)row * p->n_leaves + i, p->n_leaves);
    }
}

static PqRc read_in_order(Test *t, Pick *p)
{
    bool more;

    for (;;) {
        const PqBatch *b = pq_scan_batch(p->scan);

        PQ_TRY(pq_scan_next(p->scan, &more, t->e));
        if (!more || p->n_rows + b->n_rows > MOST_ROWS) {
            return PQ_OK;
        }
        if (!p->want) {
            p->n_leaves = pq_scan_footer(p->scan)->schema.n_leaves;
            if (p->n_leaves > MOST_LEAVES) {
                return PQ_OK;
            }
            p->want = calloc((size_t)MOST_ROWS * p->n_leaves, sizeof *p->want);
            p->unread = calloc(p->n_leaves + 1, sizeof *p->unread);
            if (!p->want || !p->unread) {
                abort();
            }
            keep_levels(p);
        }
        batch_in_order(t, p, p->n_rows);
        p->n_rows += b->n_rows;
    }
}

/* A whole batch of neighbours, and last the row two before the first. */
static uint32_t neighbours_before_one(Pick *p, int64_t *rowids)
{
    int64_t first = (int64_t)chance(p, p->n_rows - PQ_BATCH_ROWS - 1);

    for (uint32_t i = 0; i + 1 < PQ_BATCH_ROWS; i++) {
        rowids[i] = first + 2 + i;
    }
    rowids[PQ_BATCH_ROWS - 1] = first;
    return PQ_BATCH_ROWS;
}

/* Random rows: often a single one, sometimes neighbours, sometimes the same one
** twice. */
static uint32_t choose_rows(Pick *p, int64_t *rowids)
{
    uint32_t n = chance(p, 3) ? 1 + (uint32_t)chance(p, 5)
                              : 1 + (uint32_t)chance(p, PQ_BATCH_ROWS);
    bool neighbours = chance(p, 4) == 0;
    uint32_t i;

    if (p->n_rows > PQ_BATCH_ROWS + 1 && chance(p, 10) == 0) {
        return neighbours_before_one(p, rowids);
    }
    rowids[0] = (int64_t)chance(p, p->n_rows);
    for (i = 1; i < n; i++) {
        rowids[i] = neighbours ? (rowids[i - 1] + 1) % p->n_rows
                               : (int64_t)chance(p, p->n_rows);
    }
    return n;
}

static void pick_once(Test *t, Pick *p)
{
    static int64_t rowids[PQ_BATCH_ROWS];
    static uint64_t got[PQ_BATCH_ROWS];
    uint32_t n = choose_rows(p, rowids), i, k;

    CHECK_OK(pq_scan_pick(p->scan, rowids, n, t->e));
    CHECK_INT(pq_scan_batch(p->scan)->n_rows, n);
    for (i = 0; i < p->n_leaves; i++) {
        const PqVector *v;

        if (p->unread[i] || chance(p, 8) == 0) {
            continue;
        }
        CHECK_OK(pq_scan_vector(p->scan, i, &v, t->e));
        CHECK_INT(v->n_rows, n);
        numbers_of(t, v, got, 1);
        for (k = 0; k < n && !t->failed; k++) {
            if (got[k] != p->want[(size_t)rowids[k] * p->n_leaves + i]) {
                test_fail(t, __FILE__, __LINE__, "%s, %s: row %lld is another",
                          pq_scan_path(p->scan), v->leaf->path,
                          (long long)rowids[k]);
            }
            CHECK_INT(pq_batch_rowid(pq_scan_batch(p->scan), k), rowids[k]);
            CHECK_INT(pq_scan_row_in_file(p->scan, k), rowids[k]);
        }
    }
}

/* Back and forth between picked rows and rows in order. */
static void and_in_order_again(Test *t, Pick *p)
{
    PqRowRange from = {p->n_rows / 2, p->n_rows};
    static uint64_t got[PQ_BATCH_ROWS];
    uint32_t i, k;
    bool more;

    CHECK_OK(pq_scan_start(p->scan, &from, 1, NULL, NULL, t->e));
    CHECK_OK(pq_scan_next(p->scan, &more, t->e));
    for (i = 0; more && i < p->n_leaves; i++) {
        const PqVector *v;

        if (p->unread[i]) {
            continue;
        }
        CHECK_OK(pq_scan_vector(p->scan, i, &v, t->e));
        numbers_of(t, v, got, 1);
        for (k = 0; k < v->n_rows; k++) {
            CHECK(got[k] ==
                  p->want[(from.begin + k) * p->n_leaves + i]);
        }
    }
}

/* The cache may use so many bytes; 0: all that there are. */
static void pick_from(Test *t, const char *path, bool levels, size_t cache)
{
    Pick p = {.levels = levels, .seed = 1};
    int i;

    if (pick_open(t, &p, path, 256 << 20) == PQ_OK &&
        read_in_order(t, &p) == PQ_OK && p.n_rows > 0) {
        if (cache > 0) {
            pq_lookup_pick_memory(p.lookup, cache);
        }
        for (i = 0; i < 60 && !t->failed; i++) {
            pick_once(t, &p);
            if (i % 16 == 5) {
                and_in_order_again(t, &p);
            }
            if (i % 8 == 7) {
                take_turns(t, &p);
            }
        }
    }
    pq_err_clear(t->e);              /* a file that cannot be a table */
    pq_where_reset(t->e);
    pick_close(&p);
}

static void pick_from_all(Test *t, const char *pattern, bool levels,
                          size_t cache)
{
    glob_t files;
    size_t i;

    if (glob(pattern, 0, NULL, &files) != 0) {
        t->skipped = NO_SAMPLES;
        return;
    }
    for (i = 0; i < files.gl_pathc && !t->failed; i++) {
        pick_from(t, files.gl_pathv[i], levels, cache);
    }
    globfree(&files);
}

static void pick_from_official(Test *t, bool levels, size_t cache)
{
    const char *root = getenv("PARQUET_TESTING");
    char pattern[400];

    snprintf(pattern, sizeof pattern, "%s/data/[!l]*.parquet",
             root ? root : "../shared/parquet-testing");
    pick_from_all(t, pattern, levels, cache);
}

TEST(pick, rows_of_our_samples_are_the_same_in_any_order)
{
    pick_from_all(t, "test/samples/*.parquet", false, 0);
}

TEST(pick, and_with_levels)
{
    pick_from_all(t, "test/samples/*.parquet", true, 0);
}

TEST(pick, and_when_no_block_can_stay)
{
    pick_from_all(t, "test/samples/*.parquet", false, 1);
    pick_from_all(t, "test/samples/*.parquet", true, 20000);
}

TEST(pick, rows_of_the_official_samples_are_the_same_in_any_order)
{
    pick_from_official(t, false, 0);
    pick_from_official(t, true, 5000);
}

TEST(pick, a_row_that_is_not_there_is_an_error)
{
    static const int64_t rows[] = {(int64_t)1 << 39, -1,
                                   (int64_t)1 << PQ_ROWID_SHIFT};
    Pick p = {.seed = 1};
    int64_t mixed[2] = {0, (int64_t)1 << PQ_ROWID_SHIFT};
    size_t i;

    CHECK_OK(pick_open(t, &p, "test/samples/trips.parquet", 64 << 20));
    for (i = 0; i < PQ_COUNT(rows); i++) {
        CHECK_FAILS(pq_scan_pick(p.scan, &rows[i], 1, t->e), PQ_USAGE, "pick");
    }
    CHECK_FAILS(pq_scan_pick(p.scan, mixed, 2, t->e), PQ_USAGE, "no row");
    CHECK_OK(pq_scan_pick(p.scan, mixed, 1, t->e));
    pick_close(&p);
}
