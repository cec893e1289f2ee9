/*
** grouping_test.c - rows come group by group, whatever the hashes and the memory.
**
** Sample files are read in order, and grouped by a column.  Every row has to
** come once, with its own values, and the rows of a group side by side and in
** the order of their rowids.
*/
#include "core/group/grouping.h"

#include "core/numbering/hash.h"
#include "core/numbering/number_table.h"
#include "test/unit/test.h"

#include <stdlib.h>

enum { MOST_ROWS = 1 << 14 };

typedef struct Grouped {
    PqEngine  *engine;
    PqListing  listing;
    PqTable   *table;
    PqScan    *scan;
    PqRowSource *group;
    PqGroupForm key_form;
    uint64_t  *values;               /* of the key, by rowid; a number each */
    bool      *seen;
    uint32_t   n_rows, n_given;
} Grouped;

static PqGroupForm form(void *arg, uint32_t column, const PqType *stored,
                        bool ordered)
{
    Grouped *g = arg;

    return g->key_form;
}

static PqRc load(void *arg, uint32_t column, PqErr *e)
{
    return PQ_OK;
}

/* A number that tells values of a column apart. */
static uint64_t number_of(const PqVector *v, uint32_t row)
{
    PqPhysical type = v->leaf->type.physical;
    size_t width = pq_physical_width(type);
    const void *at = pq_vector_at(v, width, row);
    const PqStr *s = at;

    if (!pq_vector_is_valid(v, row)) {
        return 1;
    }
    return type == PQ_BYTE_ARRAY || type == PQ_FIXED
               ? pq_hash_bytes(s->p, s->n) | 2
               : pq_hash_bytes(at, width) | 2;
}

/* The cell of a row: its number. */
static PqRc cell(void *arg, uint32_t column, uint32_t row, PqCell *out,
                 PqErr *e)
{
    Grouped *g = arg;
    const PqNode *node = pq_scan_node(g->scan, column);
    const PqVector *v;

    PQ_TRY(pq_scan_vector(g->scan, (uint32_t)node->leaf, &v, e));
    *out = pq_vector_is_valid(v, row) ? pq_cell_int((int64_t)number_of(v, row))
                                      : (PqCell){.kind = PQ_CELL_NULL};
    return PQ_OK;
}

static PqRc begin(void *arg, const PqRowRange *ranges, uint32_t n, bool filters,
                  PqErr *e)
{
    return pq_scan_start(((Grouped *)arg)->scan, NULL, 0, NULL, NULL, e);
}

static PqRc open_grouped(Test *t, Grouped *g, const char *path, size_t memory)
{
    PqTableOptions to = {0};
    PqScanOptions so = {.memory = memory, .name = "test"};

    PQ_TRY(pq_engine_new(&g->engine, t->e));
    PQ_TRY(pq_listing_make(path, false, NULL, g->engine->mem, NULL, &g->listing,
                           t->e));
    PQ_TRY(pq_table_new(g->engine, &g->listing, &to, &g->table, t->e));
    PQ_TRY(pq_scan_new(g->table, &g->listing, &so, &g->scan, t->e));
    g->values = calloc(MOST_ROWS, sizeof *g->values);
    g->seen = calloc(MOST_ROWS, sizeof *g->seen);
    if (!g->values || !g->seen) {
        abort();
    }
    return begin(g, NULL, 0, true, t->e);
}

static void close_grouped(Grouped *g)
{
    pq_row_source_free(g->group);
    pq_scan_free(g->scan);
    pq_table_free(g->table);
    if (g->listing.n_files) {
        pq_listing_free(&g->listing);
    }
    pq_engine_free(g->engine);
    free(g->values);
    free(g->seen);
}

static PqRc number_batch(Grouped *g, uint32_t column, uint64_t *out, PqErr *e)
{
    const PqNode *node = pq_scan_node(g->scan, column);
    const PqVector *v;

    PQ_TRY(pq_scan_vector(g->scan, (uint32_t)node->leaf, &v, e));
    for (uint32_t i = 0; i < pq_scan_batch(g->scan)->n_rows; i++) {
        out[i] = number_of(v, i);
    }
    return PQ_OK;
}

static PqRc read_in_order(Grouped *g, uint32_t column, PqErr *e)
{
    bool more = true;

    while (more) {
        PQ_TRY(pq_scan_next(g->scan, &more, e));
        if (more && g->n_rows + pq_scan_batch(g->scan)->n_rows <= MOST_ROWS) {
            PQ_TRY(number_batch(g, column, g->values + g->n_rows, e));
            g->n_rows += pq_scan_batch(g->scan)->n_rows;
        }
    }
    return begin(g, NULL, 0, true, e);
}

static void check_different(Test *t, const uint64_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            CHECK(v[i] != v[k]);
        }
    }
}

typedef struct Case {
    const char *path;
    uint32_t    column, other;
    PqGroupForm form;
    size_t      memory;
    bool        once, ordered, passes;
    size_t      left;                /* bytes, once files are open; 0: all  */
    bool        gather, hash;
    bool        asks;                /* for the rowid of the first row      */
} Case;

/* Asks for the rowid of the first row. */
static PqRc tell_apart(Grouped *g, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(g->scan);
    bool changed;

    return g->group->tell_apart(g->group, b->kept ? b->kept[0] : 0, &changed, e);
}

/* The rows that are given: each once, and no key twice. */
static PqRc read_groups(Test *t, Grouped *g, const Case *c)
{
    uint32_t column = c->column;
    bool once = c->once && !c->asks;
    static uint64_t got[PQ_BATCH_ROWS];
    uint64_t *closed = calloc(MOST_ROWS, sizeof *closed), last = 0;
    uint32_t n_closed = 0;
    int64_t last_row = -1;
    bool more = true;
    PqRc rc = closed ? PQ_OK : PQ_NOMEM;

    while (rc == PQ_OK && more) {
        rc = g->group->next(g->group, &more, t->e);
        if (rc != PQ_OK || !more) {
            break;
        }
        rc = c->asks && g->n_given == 0 ? tell_apart(g, t->e) : PQ_OK;
        rc = rc == PQ_OK ? number_batch(g, column, got, t->e) : rc;
        for (uint32_t k = 0; rc == PQ_OK && k < pq_scan_batch(g->scan)->n_kept;
             k++) {
            const PqBatch *b = pq_scan_batch(g->scan);
            uint32_t i = b->kept ? b->kept[k] : k;
            int64_t row = -1;

            rc = g->group->rowid(g->group, i, &row, t->e);
            if (rc != PQ_OK) {
                break;
            }
            if (row < 0 || row >= g->n_rows || g->seen[row] ||
                got[i] != g->values[row] ||
                (got[i] == last && (once || row < last_row))) {
                test_fail(t, __FILE__, __LINE__, "row %lld is wrong",
                          (long long)row);
                break;
            }
            g->seen[row] = true;
            g->n_given++;
            if (got[i] != last) {
                closed[n_closed++] = last = got[i];
            }
            last_row = row;
        }
    }
    check_different(t, closed, n_closed);
    free(closed);
    return rc;
}

static void check_all_given(Test *t, const Grouped *g)
{
    CHECK_INT(g->n_given, g->n_rows);
}

static PqRc group_case(Test *t, const Case *c, Grouped *g)
{
    PqGroupSpec spec = {
        .n_keys = 1, .keys = {c->column}, .n_used = 2,
        .used = {c->column, c->other}, .once = c->once,
        .ordered = c->ordered, .rows = 1e6, .form = form,
        .gather = c->gather, .hash = c->hash,
        .host = {.arg = g, .begin = begin, .load = load, .cell = cell}};

    g->key_form = c->form;
    PQ_TRY(open_grouped(t, g, c->path, c->memory));
    PQ_TRY(read_in_order(g, c->column, t->e));
    if (c->left) {
        pq_mem_set_limit(pq_scan_mem(g->scan),
                         pq_mem_used(pq_scan_mem(g->scan)) + c->left);
    }
    PQ_TRY((c->passes ? pq_group_passes_new : pq_group_new)(g->scan, &spec,
                                                            &g->group, t->e));
    PQ_TRY(read_groups(t, g, c));
    if (!c->once || c->asks) {
        check_all_given(t, g);
    }
    return PQ_OK;
}

static void check_case(Test *t, const Case *c)
{
    Grouped g = {0};

    CHECK_OK(group_case(t, c, &g));
    close_grouped(&g);
}

/* id, payment, and other columns of the sample. */
static const Case cases[] = {
    {"test/samples/trips.parquet", 0, 1, PQ_GROUP_INTS, 64 << 20, 0, 0, 0, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 0, 1, PQ_GROUP_CELLS, 64 << 20, 0, 0, 0, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_BYTES, 64 << 20, 0, 0, 0, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_BYTES, 64 << 20, 1, 0, 0, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 0, 4, PQ_GROUP_INTS, 64 << 20, 0, 1, 0, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_BYTES, 64 << 20, 0, 1, 0, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_CELLS, 64 << 20, 0, 1, 1, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_CELLS, 64 << 20, 1, 1, 1, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 0, 4, PQ_GROUP_CELLS, 64 << 20, 0, 1, 1, 0, 0, 0, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_CELLS, 64 << 20, 0, 1, 1, 0, 1, 0, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_CELLS, 64 << 20, 0, 1, 1, 0, 1, 1, 0},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_CELLS, 64 << 20, 1, 1, 1, 0, 1, 0, 0},
    {"test/samples/trips.parquet", 0, 4, PQ_GROUP_INTS, 64 << 20, 0, 1, 1, 0, 1, 1, 0},
    {"test/samples/trips.parquet", 7, 0, PQ_GROUP_INTS, 64 << 20, 1, 0, 0, 0, 0, 0, 1},
    {"test/samples/trips.parquet", 7, 0, PQ_GROUP_INTS, 64 << 20, 1, 0, 1, 0, 1, 1, 1},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_CELLS, 64 << 20, 1, 1, 1, 0, 0, 0, 1},
    {"test/samples/trips.parquet", 4, 0, PQ_GROUP_CELLS, 64 << 20, 1, 1, 1, 0, 1, 0, 1},
};

TEST(grouping, each_row_comes_once_beside_its_equals)
{
    for (size_t i = 0; i < PQ_COUNT(cases) && !t->failed; i++) {
        check_case(t, &cases[i]);
    }
}

TEST(grouping, keys_that_share_a_hash_are_different_groups)
{
    for (size_t i = 0; i < PQ_COUNT(cases) && !t->failed; i++) {
        for (uint64_t bits = 0; bits < 4; bits += 3) {
            pq_hash_bits = bits;
            check_case(t, &cases[i]);
            pq_hash_bits = UINT64_MAX;
        }
    }
}

static bool never_same(void *arg, uint32_t number, uint32_t i)
{
    return false;
}

static PqRc add_next(void *arg, uint32_t i, uint32_t next, uint32_t *number,
                     PqErr *e)
{
    *number = next;
    return PQ_OK;
}

TEST(grouping, a_table_knows_that_its_hashes_were_made_to_meet)
{
    enum { ROWS = 2000 };
    PqNumberKeys keys = {never_same, add_next, NULL, NULL};
    PqNumberTable table;
    uint64_t hash;
    uint32_t number;

    pq_number_table_init(&table, t->mem, NULL);
    for (uint64_t i = 0; i < 20 * ROWS; i++) {
        hash = pq_hash_mix(0, i);
        CHECK_OK(pq_number_table_find(&table, &hash, 1, &keys, &number, t->e));
        CHECK(!pq_number_table_is_flooded(&table, i + 1));
    }
    pq_number_table_reset(&table);
    hash = 7;
    for (uint64_t i = 0; i < ROWS; i++) {
        CHECK_OK(pq_number_table_find(&table, &hash, 1, &keys, &number, t->e));
    }
    CHECK(pq_number_table_is_flooded(&table, ROWS));
    pq_number_table_free(&table);
}

/* All rows with one hash are one partition, which cannot be cut. */
TEST(grouping, little_memory_is_an_error_or_costs_no_row)
{
    uint32_t n_right = 0, n_errors = 0;

    pq_hash_bits = 0;
    for (size_t left = 320000; left < 370000 && !t->failed; left += 800) {
        Case c = cases[5];
        Grouped g = {0};
        PqRc rc;

        c.left = left;
        rc = group_case(t, &c, &g);
        CHECK(rc == PQ_OK || rc == PQ_BUDGET);
        n_right += rc == PQ_OK;
        n_errors += rc != PQ_OK;
        close_grouped(&g);
        pq_err_clear(t->e);
        pq_where_reset(t->e);
    }
    pq_hash_bits = UINT64_MAX;
    CHECK(n_right > 0 && n_errors > 0);
}

TEST(grouping, a_fault_is_an_error_or_costs_nothing)
{
    for (size_t i = 0; i < PQ_COUNT(cases) && !t->failed; i += 2) {
        for (int64_t nth = 1; !t->failed; nth += 1 + nth / 8) {
            Grouped g = {0};
            PqRc rc;

            pq_fault_set(nth);
            rc = group_case(t, &cases[i], &g);
            pq_fault_set(0);
            close_grouped(&g);
            pq_err_clear(t->e);
            pq_where_reset(t->e);
            if (rc == PQ_OK && nth > 3000) {
                break;
            }
        }
    }
}
