/*
** page_runs_test.c - a proof over two columns whose pages begin at different
** rows is asked about runs of rows.  A run is in one page of each column.
**
**   id   pages of 700 rows    0     700     1400    2100 ...
**   h    pages of 900 rows    0       900      1800    2700 ...
**   runs                      0   700 900 1400 1800 2100 ...
*/
#include "core/scan/scan.h"
#include "test/unit/copied.h"
#include "test/unit/folder_tree.h"

#include <stdlib.h>

enum { ROWS = 5000, ID_ROWS = 700, H_ROWS = 900, ID = 0, H = 6, MOST = 40 };

typedef struct Runs {
    PqProof  base;
    int64_t  shortest;               /* run that is kept                    */
    uint32_t n, n_refuted;
    int64_t  length[MOST];
    bool     right;                  /* the bounds were of the run's pages  */
} Runs;

static int64_t bound(PqSlice v)
{
    return (int64_t)pq_load_u64(v.p);
}

/* Called for the row group first, and then for each run. */
static bool is_short(const PqProof *p, const PqLeafBounds *b, int64_t n_rows)
{
    Runs *r = (Runs *)(uintptr_t)p;
    int64_t row = 0;

    if (n_rows == ROWS) {
        return false;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        row += r->length[i];
    }
    r->right = r->right && b[0].bounds.has_min &&
               bound(b[0].bounds.min) == row / ID_ROWS * ID_ROWS &&
               b[1].bounds.has_min &&
               b[1].n_values == (row / H_ROWS * H_ROWS + H_ROWS <= ROWS
                                     ? H_ROWS : ROWS % H_ROWS);
    r->length[r->n++] = n_rows;
    r->n_refuted += n_rows < r->shortest;
    return n_rows < r->shortest;
}

typedef struct Read {
    PqEngine *engine;
    PqListing listing;
    PqTable  *table;
    PqScan   *scan;
    int64_t   rows;
} Read;

static PqRc read_with(Test *t, Read *x, const PqProof *p)
{
    PqTableOptions to = {0};
    PqScanOptions so = {.memory = 64 << 20, .name = "test"};
    bool more = true;

    *x = (Read){0};
    PQ_TRY(pq_engine_new(&x->engine, t->e));
    PQ_TRY(pq_listing_make("x.parquet", false, NULL, x->engine->mem, NULL,
                           &x->listing, t->e));
    PQ_TRY(pq_table_new(x->engine, &x->listing, &to, &x->table, t->e));
    PQ_TRY(pq_scan_new(x->table, &x->listing, &so, &x->scan, t->e));
    PQ_TRY(pq_scan_start(x->scan, NULL, 0, NULL, NULL, t->e));
    PQ_TRY(pq_scan_add_proof(x->scan, p, t->e));
    for (;;) {
        PQ_TRY(pq_scan_next(x->scan, &more, t->e));
        if (!more) {
            return PQ_OK;
        }
        x->rows += pq_scan_batch(x->scan)->n_rows;
    }
}

static void read_end(Read *x)
{
    pq_scan_free(x->scan);
    pq_table_free(x->table);
    pq_listing_free(&x->listing);
    pq_engine_free(x->engine);
}

static void write_pages(Test *t, bool index_of_h)
{
    Copied c;

    copied_begin(t, &c, "x.parquet", ROWS, false);
    c.columns[ID].options.page_rows = ID_ROWS;
    c.columns[H].options.page_rows = H_ROWS;
    c.columns[H].options.statistics = index_of_h;
    if (copied_run(&c, t->e) != PQ_OK) {
        abort();
    }
    copied_end(&c);
}

TEST(page_runs, pages_of_two_columns_need_not_begin_together)
{
    static const int64_t wanted[] = {700, 200, 500, 400, 300, 600, 100, 700,
                                     100, 600, 300, 400, 100};
    Runs r = {.base = {.n_columns = 2, .column = {ID, H}, .refutes = is_short},
              .shortest = 400, .right = true};
    int64_t left = ROWS;
    bool same = true;
    FolderTree d;
    Read x;

    tree_begin(&d, "");
    write_pages(t, true);
    CHECK_OK(read_with(t, &x, &r.base));
    int64_t rows = x.rows;
    read_end(&x);
    tree_end(&d);
    CHECK_INT(r.n, PQ_COUNT(wanted));
    for (size_t i = 0; i < PQ_COUNT(wanted); i++) {
        same = same && r.length[i] == wanted[i];
        left -= wanted[i] < r.shortest ? wanted[i] : 0;
    }
    CHECK(same);
    CHECK(r.right);
    CHECK_INT(r.n_refuted, 6);
    CHECK_INT(rows, left);
}

static bool has_one_bound(const PqProof *p, const PqLeafBounds *b,
                          int64_t n_rows)
{
    Runs *r = (Runs *)(uintptr_t)p;

    if (n_rows < ROWS) {
        r->n++;
        r->right = r->right && b[0].n_values <= ID_ROWS &&
                   b[1].n_values == ROWS;
    }
    return n_rows < ROWS && bound(b[0].bounds.min) >= 2 * ID_ROWS;
}

TEST(page_runs, a_column_without_an_index_is_one_page)
{
    Runs r = {.base = {.n_columns = 2, .column = {ID, H},
                       .refutes = has_one_bound}, .right = true};
    FolderTree d;
    Read x;

    tree_begin(&d, "");
    write_pages(t, false);
    CHECK_OK(read_with(t, &x, &r.base));
    int64_t rows = x.rows;
    read_end(&x);
    tree_end(&d);
    CHECK_INT(r.n, 8);
    CHECK(r.right);
    CHECK_INT(rows, 2 * ID_ROWS);
}
