/*
** prune_test.c - row groups skipped by their dictionary: only if it has all
** values of the chunk.
**
** A file of one row group of eight rows, all of them entry 0 of a dictionary of
** three:   10 30 50
*/
#define _GNU_SOURCE
#include "core/scan/scan.h"
#include "test/unit/made_chunk.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 3 };

/* What a chunk says about the encodings of its pages. */
typedef struct Said {
    PqPageEncodingStats stats[MOST];
    uint32_t            n_stats;
    int32_t             encodings[MOST];
    uint32_t            n_encodings;
} Said;

typedef struct Made {
    char        path[128];
    MadeFile    m;
    PqEngine   *engine;
    PqListing   listing;
    PqTable    *table;
    PqScan     *scan;
    PqScanStats stats;               /* once the scan is over */
} Made;

static void says(PqColumnMetaData *m, Said *said)
{
    m->has |= 1u << PQ_COLUMN_ENCODING_STATS;
    m->encoding_stats.v = said->stats;
    m->encoding_stats.n = said->n_stats;
    m->encodings.v = said->encodings;
    m->encodings.n = said->n_encodings;
}

/* n_bytes of a dictionary that claims to have three values. */
static void make(Test *t, Made *x, PqPhysical type, const void *dictionary,
                 size_t n_bytes, Said *said)
{
    static const uint8_t ids[] = {2, 8 << 1, 0};     /* width, run of zeros */
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REQUIRED, (int)type)};
    const char *tmp = getenv("TMPDIR");
    PqColumnMetaData *m = &x->m.chunk[0].meta_data;
    int fd;

    memset(x, 0, sizeof *x);
    made_begin(t, &x->m, el, 2);
    made_chunk(&x->m, (int)type, 0, 0);
    m->has |= 1u << PQ_COLUMN_DICTIONARY_PAGE_OFFSET;
    m->dictionary_page_offset = m->data_page_offset;
    made_dictionary(&x->m, 3, dictionary, n_bytes, PQ_ENCODING_PLAIN);
    m->data_page_offset = (int64_t)x->m.bytes.n;
    made_page_v1(&x->m, 8, NULL, NULL, PQ_ENCODING_RLE_DICTIONARY, ids,
                 sizeof ids);
    says(m, said);
    made_footer(&x->m, 8, NULL);
    snprintf(x->path, sizeof x->path, "%s/pq-prune-XXXXXX",
             tmp && strlen(tmp) < 80 ? tmp : "/tmp");
    fd = mkstemp(x->path);
    if (fd < 0 ||
        write(fd, x->m.bytes.p, x->m.bytes.n) != (ssize_t)x->m.bytes.n ||
        close(fd) != 0) {
        abort();
    }
}

/* The number of rows that the proofs leave. */
static PqRc read_all(Test *t, Made *x, const PqProof *const *proofs, int n,
                     int64_t *rows)
{
    PqTableOptions to = {0};
    PqScanOptions so = {.memory = 64 << 20, .name = "test"};
    bool more = true;
    int i;

    *rows = 0;
    PQ_TRY(pq_engine_new(&x->engine, t->e));
    PQ_TRY(pq_listing_make(x->path, false, NULL, x->engine->mem, NULL, &x->listing,
                           t->e));
    PQ_TRY(pq_table_new(x->engine, &x->listing, &to, &x->table, t->e));
    PQ_TRY(pq_scan_new(x->table, &x->listing, &so, &x->scan, t->e));
    PQ_TRY(pq_scan_start(x->scan, NULL, 0, NULL, NULL, t->e));
    for (i = 0; i < n; i++) {
        PQ_TRY(pq_scan_add_proof(x->scan, proofs[i], t->e));
    }
    for (;;) {
        const PqVector *v;

        PQ_TRY(pq_scan_next(x->scan, &more, t->e));
        if (!more) {
            return PQ_OK;
        }
        PQ_TRY(pq_scan_vector(x->scan, 0, &v, t->e));
        *rows += v->n_rows;
    }
}

static void done(Made *x)
{
    pq_scan_free(x->scan);
    if (x->engine) {
        x->stats = x->engine->stats[1];
    }
    pq_table_free(x->table);
    if (x->listing.n_files) {
        pq_listing_free(&x->listing);
    }
    pq_engine_free(x->engine);
    made_free(&x->m);
    unlink(x->path);
}

/* ---- conditions ---------------------------------------------------------- */

typedef struct Asked {
    PqProof base;
    void   *operand;
} Asked;

static void *operand_of(const PqProof *p)
{
    return ((const Asked *)(const void *)p)->operand;
}

static int compare(const PqLeafBounds *b, PqSlice bound, const PqProof *p)
{
    return pq_order_compare(b->bounds.order, &b->leaf->type, bound,
                            pq_slice(operand_of(p), 4));
}

static bool none_equal(const PqProof *p, const PqLeafBounds *b, int64_t n_rows)
{
    return b->bounds.has_min && b->bounds.has_max &&
           (compare(b, b->bounds.min, p) > 0 ||
            compare(b, b->bounds.max, p) < 0);
}

static bool none_above(const PqProof *p, const PqLeafBounds *b, int64_t n_rows)
{
    return b->bounds.has_max && compare(b, b->bounds.max, p) <= 0;
}

static bool none_below(const PqProof *p, const PqLeafBounds *b, int64_t n_rows)
{
    return b->bounds.has_min && compare(b, b->bounds.min, p) >= 0;
}

static Asked condition(bool (*refutes)(const PqProof *, const PqLeafBounds *,
                                         int64_t), int32_t *operand)
{
    return (Asked){.base = {.n_columns = 1, .refutes = refutes,
                            .by_value = true, .n_operands = 1},
                   .operand = operand};
}

static const int32_t entries[3] = {10, 30, 50};

#define PAGES(type, encoding) {14, type, encoding, 1}
#define ONLY_IDS {{PAGES(PQ_PAGE_DATA, PQ_ENCODING_RLE_DICTIONARY)}, 1, {0}, 0}

static void check_dictionary(Test *t, Said said, int32_t operand, int64_t want)
{
    Asked p = condition(none_equal, &operand);
    const PqProof *proofs[] = {&p.base};
    int64_t rows;
    Made x;

    make(t, &x, PQ_INT32, entries, sizeof entries, &said);
    CHECK_OK(read_all(t, &x, proofs, 1, &rows));
    done(&x);
    CHECK_INT(rows, want);
    CHECK_INT(x.stats.groups_by[PQ_BY_DICTIONARY], want == 0);
    CHECK_INT(x.stats.groups_skipped, want == 0);
    CHECK_INT(x.stats.rows_skipped, 8 - want);
    CHECK_INT(x.stats.pages_read, want ? 2 : 1);  /* its dictionary once */
}

TEST(prune, a_value_that_is_no_entry_leaves_the_group_out)
{
    Said said = ONLY_IDS;

    check_dictionary(t, said, 40, 0);
    check_dictionary(t, said, 10, 8);
}

TEST(prune, an_entry_that_no_row_uses_keeps_the_group)
{
    Said said = ONLY_IDS;

    check_dictionary(t, said, 30, 8);
}

TEST(prune, a_dictionary_has_all_values_only_where_all_data_pages_are_ids)
{
    static const struct {
        Said said;
        bool all;
    } cases[] = {
        {{{PAGES(PQ_PAGE_DICTIONARY, PQ_ENCODING_PLAIN),
           PAGES(PQ_PAGE_DATA_V2, PQ_ENCODING_RLE_DICTIONARY)}, 2, {0}, 0},
         true},
        {{{PAGES(PQ_PAGE_DATA, PQ_ENCODING_PLAIN_DICTIONARY),
           PAGES(PQ_PAGE_DATA, PQ_ENCODING_PLAIN)}, 2, {0}, 0}, false},
        {{{PAGES(PQ_PAGE_DATA, PQ_ENCODING_PLAIN_DICTIONARY),
           PAGES(PQ_PAGE_DATA_V2, PQ_ENCODING_DELTA_BYTE_ARRAY)}, 2, {0}, 0},
         false},
        {{{PAGES(PQ_PAGE_DICTIONARY, PQ_ENCODING_PLAIN_DICTIONARY)}, 1,
          {PQ_ENCODING_PLAIN_DICTIONARY}, 1}, false},
        {{{{0}}, 0, {PQ_ENCODING_RLE, PQ_ENCODING_PLAIN_DICTIONARY}, 2}, true},
        {{{{0}}, 0, {PQ_ENCODING_RLE_DICTIONARY}, 1}, true},
        {{{{0}}, 0, {PQ_ENCODING_PLAIN, PQ_ENCODING_RLE,
                     PQ_ENCODING_RLE_DICTIONARY}, 3}, false},
        {{{{0}}, 0, {PQ_ENCODING_RLE}, 1}, false},
        {{{{0}}, 0, {0}, 0}, false},
    };
    size_t i;

    for (i = 0; i < PQ_COUNT(cases); i++) {
        Asked p;
        const PqProof *proofs[] = {&p.base};
        Said said = cases[i].said;
        int32_t operand = 40;
        int64_t rows;
        Made x;

        p = condition(none_equal, &operand);
        make(t, &x, PQ_INT32, entries, sizeof entries, &said);
        CHECK_OK(read_all(t, &x, proofs, 1, &rows));
        done(&x);
        CHECK_INT(rows, cases[i].all ? 0 : 8);
    }
}

TEST(prune, conditions_on_a_column_are_asked_of_an_entry_together)
{
    int32_t low = 30, high = 50;
    Asked above = condition(none_above, &low);
    Asked below = condition(none_below, &high);
    const PqProof *proofs[] = {&above.base, &below.base};
    Said said = ONLY_IDS;
    int64_t rows;
    int k;

    for (k = 0; k < 2; k++) {
        Made x;

        make(t, &x, PQ_INT32, entries, sizeof entries, &said);
        CHECK_OK(read_all(t, &x, proofs + k, 2 - k, &rows));
        done(&x);
        CHECK_INT(rows, k ? 8 : 0);  /* 10 is below 50, but not above 30 */
        CHECK_INT(x.stats.groups_by[PQ_BY_DICTIONARY], k == 0);
    }
}

TEST(prune, a_damaged_dictionary_proves_nothing_and_says_so_when_it_is_read)
{
    int32_t operand = 40;
    Asked p = condition(none_equal, &operand);
    const PqProof *proofs[] = {&p.base};
    Said said = ONLY_IDS;
    int64_t rows;
    Made x;

    make(t, &x, PQ_INT32, entries, 8, &said);
    CHECK_FAILS(read_all(t, &x, proofs, 1, &rows), PQ_CORRUPT,
                "row group 0, column v");
    CHECK_INT(rows, 0);
    done(&x);
    CHECK_INT(x.stats.groups_skipped, 0);
}

/* NaN is the only value without bounds. */
static bool is_nan(const PqProof *p, const PqLeafBounds *b, int64_t n_rows)
{
    int *n_nans = operand_of(p);

    if (n_rows == 1) {
        *n_nans += b->bounds.n_nans == 1 && b->n_values == 1 &&
                   !b->bounds.has_min && !b->bounds.has_max;
        return true;
    }
    return false;
}

TEST(prune, an_entry_that_is_nan_has_no_bounds)
{
    const double values[3] = {-0.0, (double)NAN, 1};
    int n_nans = 0;
    Asked p = {.base = {.n_columns = 1, .refutes = is_nan, .by_value = true},
               .operand = &n_nans};
    const PqProof *proofs[] = {&p.base};
    Said said = ONLY_IDS;
    int64_t rows;
    Made x;

    make(t, &x, PQ_DOUBLE, values, sizeof values, &said);
    CHECK_OK(read_all(t, &x, proofs, 1, &rows));
    done(&x);
    CHECK_INT(rows, 0);
    CHECK_INT(n_nans, 1);
}
