/*
** scan_test.c - batches out of files on disk: ranges, proofs, a summary file
** whose chunks lie elsewhere, files that change.
*/
#define _GNU_SOURCE
#include "core/scan/scan.h"
#include "test/unit/made_chunk.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct Place {
    char       folder[64];
    PqEngine  *engine;
    PqListing  listing;
    PqTable   *table;
    PqScan    *scan;
} Place;

/* 100 rows of one INT32 column, ten a page; row i holds 1000 * k + i. */
static void one_file(Test *t, MadeFile *m, int k)
{
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REQUIRED, PQ_INT32)};
    int32_t v[10];
    int page, i;

    made_begin(t, m, el, 2);
    made_chunk(m, PQ_INT32, 0, 0);
    for (page = 0; page < 10; page++) {
        for (i = 0; i < 10; i++) {
            v[i] = 1000 * k + page * 10 + i;
        }
        made_page_v1(m, 10, NULL, NULL, PQ_ENCODING_PLAIN, v, sizeof v);
    }
}

static void bounds(MadeFile *m, const int32_t *min, const int32_t *max)
{
    PqStatistics *s = &m->chunk[0].meta_data.statistics;

    m->chunk[0].meta_data.has |= 1u << PQ_COLUMN_STATISTICS;
    s->has = 1u << PQ_STATISTICS_MIN | 1u << PQ_STATISTICS_MAX;
    s->min = pq_slice(min, 4);
    s->max = pq_slice(max, 4);
}

static void put(const Place *p, const char *name, PqSlice bytes)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    f = fopen(path, "wb");
    if (!f || fwrite(bytes.p, 1, bytes.n, f) != bytes.n || fclose(f) != 0) {
        abort();
    }
}

static void place_begin(Place *p)
{
    const char *tmp = getenv("TMPDIR");

    memset(p, 0, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "%s/pq-scan-XXXXXX",
             tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    if (!mkdtemp(p->folder)) {
        abort();
    }
}

static PqRc place_open(Test *t, Place *p, const char *name)
{
    PqTableOptions to = {0};
    PqScanOptions so = {.memory = 64 << 20, .checksum = true, .name = "test"};
    char path[128];

    snprintf(path, sizeof path, "%s%s%s", p->folder, name[0] ? "/" : "", name);
    PQ_TRY(pq_engine_new(&p->engine, t->e));
    PQ_TRY(pq_listing_make(path, false, NULL, p->engine->mem, NULL, &p->listing, t->e));
    PQ_TRY(pq_table_new(p->engine, &p->listing, &to, &p->table, t->e));
    return pq_scan_new(p->table, &p->listing, &so, &p->scan, t->e);
}

static void place_end(Place *p)
{
    char command[128];

    pq_scan_free(p->scan);
    pq_table_free(p->table);
    if (p->listing.n_files) {
        pq_listing_free(&p->listing);
    }
    pq_engine_free(p->engine);
    snprintf(command, sizeof command, "rm -r '%s'", p->folder);
    if (system(command) != 0) {
        abort();
    }
}

/* Reads to the end: how many rows, and the sum of v. */
static PqRc sum_all(Test *t, Place *p, int64_t *n, int64_t *sum)
{
    bool more;

    *n = *sum = 0;
    for (;;) {
        const PqVector *v;
        uint32_t i;

        PQ_TRY(pq_scan_next(p->scan, &more, t->e));
        if (!more) {
            return PQ_OK;
        }
        PQ_TRY(pq_scan_vector(p->scan, 0, &v, t->e));
        for (i = 0; i < v->n_rows; i++) {
            *sum += *(const int32_t *)pq_vector_at(v, 4, i);
        }
        *n += v->n_rows;
    }
}

static void write_file(Test *t, Place *p, const char *name, int k)
{
    MadeFile m;

    one_file(t, &m, k);
    made_footer(&m, 100, NULL);
    put(p, name, pq_buf_view(&m.bytes));
    made_free(&m);
}

TEST(scan, all_files_of_a_folder_are_read_in_order)
{
    Place p;
    int64_t n, sum;

    place_begin(&p);
    write_file(t, &p, "b.parquet", 1);
    write_file(t, &p, "a.parquet", 0);
    CHECK_OK(place_open(t, &p, ""));
    CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(sum_all(t, &p, &n, &sum));
    CHECK_INT(n, 200);
    CHECK_INT(sum, 4950 + 4950 + 100000);
    place_end(&p);
}

TEST(scan, ranges_of_rowids_choose_rows_and_files)
{
    static const int64_t second = (int64_t)1 << PQ_ROWID_SHIFT;
    const PqRowRange ranges[] = {{5, 7}, {99, 120}, {second + 50, second + 51},
                                 {second + 200, INT64_MAX}};
    Place p;
    int64_t n, sum;

    place_begin(&p);
    write_file(t, &p, "a.parquet", 0);
    write_file(t, &p, "b.parquet", 1);
    CHECK_OK(place_open(t, &p, ""));
    CHECK_OK(pq_scan_start(p.scan, ranges, 4, NULL, NULL, t->e));
    CHECK_OK(sum_all(t, &p, &n, &sum));
    CHECK_INT(n, 4);
    CHECK_INT(sum, 5 + 6 + 99 + 1050);
    CHECK_OK(pq_scan_start(p.scan, ranges, 0, NULL, NULL, t->e));
    CHECK_OK(sum_all(t, &p, &n, &sum));
    CHECK_INT(n, 0);
    place_end(&p);
}

static PqRc visit_nothing(void *arg, PqRowRange rows, const PqLeafBounds *b,
                          PqErr *e)
{
    return PQ_OK;
}

/* A caller that asks for pages ignores a lack of memory, and reads without
** them. */
TEST(scan, a_file_whose_opening_failed_is_opened_again)
{
    int64_t n, sum;
    bool failed = true;

    for (int64_t nth = 1; failed; nth++) {
        Place p;
        PqRc rc;

        place_begin(&p);
        write_file(t, &p, "a.parquet", 0);
        CHECK_OK(place_open(t, &p, "a.parquet"));
        pq_fault_set(nth);
        rc = pq_scan_visit_pages(p.scan, 0, 0, visit_nothing, NULL, t->e);
        failed = pq_fault_count() >= nth;
        pq_fault_set(0);
        CHECK((rc != PQ_OK) == failed);  /* memory, or a read */
        pq_err_clear(t->e);
        CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
        CHECK_OK(sum_all(t, &p, &n, &sum));
        CHECK_INT(n, 100);
        CHECK_INT(sum, 4950);
        place_end(&p);
    }
}

/* Proves that no value is above 100, by the greatest one. */
static bool none_above_100(const PqProof *proof, const PqLeafBounds *b,
                           int64_t n_rows)
{
    return b[0].bounds.has_max &&
           pq_order_compare(b[0].bounds.order, &b[0].leaf->type,
                            b[0].bounds.max,
                            pq_slice(&(const int32_t){100}, 4)) <= 0;
}

TEST(scan, a_proof_leaves_out_the_row_groups_it_refutes)
{
    static const int32_t min[] = {0, 1000}, max[] = {99, 1099};
    static const PqProof proof = {.n_columns = 1, .column = {0},
                                  .refutes = none_above_100};
    Place p;
    int64_t n, sum;
    int k;

    place_begin(&p);
    for (k = 0; k < 2; k++) {
        MadeFile m;
        one_file(t, &m, k);
        bounds(&m, &min[k], &max[k]);
        made_footer(&m, 100, NULL);
        put(&p, k ? "b.parquet" : "a.parquet", pq_buf_view(&m.bytes));
        made_free(&m);
    }
    CHECK_OK(place_open(t, &p, ""));
    CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(pq_scan_add_proof(p.scan, &proof, t->e));
    CHECK_OK(sum_all(t, &p, &n, &sum));
    CHECK_INT(n, 100);
    CHECK_INT(sum, 4950 + 100000);
    CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(sum_all(t, &p, &n, &sum));
    CHECK_INT(n, 200);
    place_end(&p);
}

TEST(scan, a_summary_file_leads_to_the_files_of_its_chunks)
{
    MadeFile m;
    Place p;
    int64_t n, sum;

    place_begin(&p);
    write_file(t, &p, "part-0.parquet", 3);
    one_file(t, &m, 3);
    made_footer(&m, 100, "part-0.parquet");
    put(&p, "_metadata", pq_buf_view(&m.bytes));
    made_free(&m);
    CHECK_OK(place_open(t, &p, "_metadata"));
    CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(sum_all(t, &p, &n, &sum));
    CHECK_INT(n, 100);
    CHECK_INT(sum, 4950 + 300000);
    place_end(&p);
}

/* Scans p, and truncates one of its files in between. */
static PqRc scan_while(Test *t, Place *p, const char *name, off_t size)
{
    const PqVector *v;
    char path[128];
    bool more;

    PQ_TRY(pq_scan_start(p->scan, NULL, 0, NULL, NULL, t->e));
    PQ_TRY(pq_scan_next(p->scan, &more, t->e));
    PQ_TRY(pq_scan_vector(p->scan, 0, &v, t->e));
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    if (truncate(path, size) != 0) {
        abort();
    }
    do {
        PQ_TRY(pq_scan_next(p->scan, &more, t->e));
    } while (more);
    return PQ_OK;
}

TEST(scan, a_part_of_a_summary_file_written_to_is_an_error)
{
    MadeFile m;
    Place p;

    place_begin(&p);
    write_file(t, &p, "part-0.parquet", 3);
    one_file(t, &m, 3);
    made_footer(&m, 100, "part-0.parquet");
    put(&p, "_metadata", pq_buf_view(&m.bytes));
    made_free(&m);
    CHECK_OK(place_open(t, &p, "_metadata"));
    CHECK_FAILS(scan_while(t, &p, "part-0.parquet", 1 << 20), PQ_CHANGED,
                "part-0.parquet: the file was written to");
    place_end(&p);
}

TEST(scan, a_file_written_to_is_an_error_when_it_is_left_for_the_next)
{
    Place p;

    place_begin(&p);
    write_file(t, &p, "a.parquet", 0);
    write_file(t, &p, "b.parquet", 1);
    CHECK_OK(place_open(t, &p, ""));
    CHECK_FAILS(scan_while(t, &p, "a.parquet", 1 << 20), PQ_CHANGED,
                "a.parquet: the file was written to");
    place_end(&p);
}

TEST(scan, a_summary_file_does_not_lead_out_of_its_folder)
{
    static const char *const paths[] = {"../part-0.parquet", "/etc/passwd",
                                        "x/../../y", ".."};
    size_t i;

    for (i = 0; i < PQ_COUNT(paths); i++) {
        MadeFile m;
        Place p;
        int64_t n, sum;

        place_begin(&p);
        one_file(t, &m, 3);
        made_footer(&m, 100, paths[i]);
        put(&p, "_metadata", pq_buf_view(&m.bytes));
        made_free(&m);
        CHECK_OK(place_open(t, &p, "_metadata"));
        CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
        CHECK_FAILS(sum_all(t, &p, &n, &sum), PQ_CORRUPT,
                    "outside its folder");
        place_end(&p);
    }
}

TEST(scan, a_file_written_to_while_it_is_read_is_an_error)
{
    char path[128];
    Place p;
    bool more;

    place_begin(&p);
    write_file(t, &p, "a.parquet", 0);
    CHECK_OK(place_open(t, &p, ""));
    CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(pq_scan_next(p.scan, &more, t->e));
    snprintf(path, sizeof path, "%s/a.parquet", p.folder);
    CHECK_INT(truncate(path, 10), 0);
    do {
        if (pq_scan_next(p.scan, &more, t->e) != PQ_OK) {
            break;
        }
    } while (more);
    CHECK(t->e->rc == PQ_CHANGED);
    CHECK(strstr(t->e->text, "written to") != NULL);
    pq_err_clear(t->e);
    place_end(&p);
}

static bool at_once(void *arg)
{
    return true;
}

TEST(scan, a_scan_stops_when_it_is_asked_to)
{
    PqScanOptions so = {.memory = 64 << 20, .stop = {at_once, NULL}};
    Place p;
    bool more;

    place_begin(&p);
    write_file(t, &p, "a.parquet", 0);
    CHECK_OK(place_open(t, &p, ""));
    pq_scan_free(p.scan);
    CHECK_OK(pq_scan_new(p.table, &p.listing, &so, &p.scan, t->e));
    CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
    CHECK_FAILS(pq_scan_next(p.scan, &more, t->e), PQ_STOPPED, "interrupted");
    place_end(&p);
}

TEST(scan, picked_rows_come_as_asked_for_and_what_is_next_stays_next)
{
    static const int64_t second = (int64_t)1 << PQ_ROWID_SHIFT;
    static const int64_t a[] = {99, 3, 3, 50}, b[] = {second + 7};
    Place p;
    const PqVector *v;
    int64_t n, sum;
    bool more;

    place_begin(&p);
    write_file(t, &p, "a.parquet", 0);
    write_file(t, &p, "b.parquet", 1);
    CHECK_OK(place_open(t, &p, ""));
    CHECK_OK(pq_scan_start(p.scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(pq_scan_next(p.scan, &more, t->e));
    CHECK_INT(pq_scan_batch(p.scan)->n_rows, 64);
    CHECK_OK(pq_scan_pick(p.scan, b, 1, t->e));
    CHECK_OK(pq_scan_vector(p.scan, 0, &v, t->e));
    CHECK_INT(((const int32_t *)v->values)[0], 1007);
    CHECK_OK(pq_scan_pick(p.scan, a, 4, t->e));
    CHECK_OK(pq_scan_vector(p.scan, 0, &v, t->e));
    CHECK_INT(((const int32_t *)v->values)[0], 99);
    CHECK_INT(((const int32_t *)v->values)[1], 3);
    CHECK_INT(((const int32_t *)v->values)[2], 3);
    CHECK_INT(((const int32_t *)v->values)[3], 50);
    CHECK_INT(pq_scan_row_group(p.scan, 0), 0);
    CHECK_OK(sum_all(t, &p, &n, &sum));
    CHECK_INT(n, 136);
    CHECK_INT(sum, 4950 - 63 * 32 + 4950 + 100000);
    place_end(&p);
}

/* 640 rows of 4,000 bytes, in a chunk that does not say how large it is. */
TEST(scan, rows_that_are_too_many_for_memory_are_picked_in_smaller_blocks)
{
    enum { LONG = 4000, PER_PAGE = 10, PAGES = 64 };
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REQUIRED, PQ_BYTE_ARRAY)};
    PqScanOptions so = {.memory = 2 << 20};
    static uint8_t page[PER_PAGE * (LONG + 4)];
    const PqVector *v;
    MadeFile m;
    Place p;
    int64_t row;
    int i, k;

    place_begin(&p);
    made_begin(t, &m, el, 2);
    made_chunk(&m, PQ_BYTE_ARRAY, 0, 0);
    for (i = 0; i < PAGES; i++) {
        for (k = 0; k < PER_PAGE; k++) {
            pq_store_u32(page + k * (LONG + 4), LONG);
            memset(page + k * (LONG + 4) + 4, i * PER_PAGE + k, LONG);
        }
        made_page_v1(&m, PER_PAGE, NULL, NULL, PQ_ENCODING_PLAIN, page,
                     sizeof page);
    }
    made_footer(&m, PAGES * PER_PAGE, NULL);
    put(&p, "a.parquet", pq_buf_view(&m.bytes));
    made_free(&m);
    CHECK_OK(place_open(t, &p, ""));
    pq_scan_free(p.scan);
    CHECK_OK(pq_scan_new(p.table, &p.listing, &so, &p.scan, t->e));
    for (row = PAGES * PER_PAGE - 1; row >= 0; row -= 7) {
        CHECK_OK(pq_scan_pick(p.scan, &row, 1, t->e));
        CHECK_OK(pq_scan_vector(p.scan, 0, &v, t->e));
        CHECK_INT(((const PqStr *)v->values)->n, LONG);
        CHECK_INT(((const PqStr *)v->values)->p[LONG - 1], row & 255);
    }
    place_end(&p);
}
