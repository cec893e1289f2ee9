/*
** top_test.c - rows in the order of a column are all rows, sorted.
**
** The columns of the sample files are read from front to back, and their values
** sorted here.  Then the same rows are asked for in order.  Values that the
** engine cannot compare as they are stored are cells.  This host turns them
** into integers, or into texts if they are too large for that.
*/
#include "core/top/top.h"
#include "test/unit/every_batch.h"
#include "test/unit/test.h"

#include <glob.h>
#include <stdlib.h>

typedef struct Row {
    int64_t     rowid;
    PqCell v;
} Row;

typedef struct Ordered {
    PqEngine  *engine;
    PqListing  listing;
    PqTable   *table;
    PqScan    *scan;
    PqArena    arena;                /* texts of rows                       */
    uint32_t   column;
    Row       *row;
    uint32_t   n, room;
    int64_t   *got;                  /* rowids                              */
    const PqVector *vector;          /* of cells                            */
    char       cell[16];
} Ordered;

static bool is_of_bytes(const PqType *type)
{
    return !pq_type_has_places(type) || type->logical == PQ_TYPE_UUID;
}

/* Integers that are too large for 64 bits are texts, highest byte first.  Those
** that are too small are reals.  So cells have the order of their places. */
static void value_of_place(PqPlace place, char *room, PqCell *out)
{
    if (place >= INT64_MIN && place <= INT64_MAX) {
        *out = (PqCell){.kind = PQ_CELL_INT, .i = (int64_t)place};
        return;
    }
    if (place < 0) {
        *out = (PqCell){.kind = PQ_CELL_REAL, .r = (double)place};
        return;
    }
    for (int i = 0; i < 16; i++) {
        room[i] = (char)(uint8_t)(place >> (8 * (15 - i)));
    }
    *out = pq_cell_text(pq_slice(room, 16));
}

/* NaN is NULL. */
static bool value_of(const PqType *type, PqSlice plain, char *room,
                     PqCell *out)
{
    PqPlace place, least, most;

    if (is_of_bytes(type)) {
        *out = pq_cell_bytes(PQ_CELL_BLOB, plain);
        return true;
    }
    *out = (PqCell){.kind = PQ_CELL_NULL};
    pq_place_ends(type, &least, &most);
    if (!pq_place_of(type, plain, &place)) {
        return false;
    }
    if (place < least || place > most) {
        return true;
    }
    if (type->physical == PQ_DOUBLE || type->physical == PQ_FLOAT) {
        out->kind = PQ_CELL_REAL;
        out->r = type->physical == PQ_FLOAT
                        ? (double)pq_float_at((int64_t)place)
                        : pq_double_at((int64_t)place);
        return true;
    }
    value_of_place(place, room, out);
    return true;
}

static PqRc value_of_row(const PqVector *v, uint32_t row, char *room,
                         PqCell *out)
{
    const PqType *type = &v->leaf->type;
    size_t width = pq_physical_width(type->physical);
    const void *at = pq_vector_at(v, width, row);
    bool bytes = type->physical == PQ_BYTE_ARRAY || type->physical == PQ_FIXED;
    const PqStr *s = at;

    *out = (PqCell){.kind = PQ_CELL_NULL};
    return !pq_vector_is_valid(v, row) ||
                   value_of(type, bytes ? pq_slice(s->p, s->n)
                                        : pq_slice(at, width), room, out)
               ? PQ_OK : PQ_CORRUPT;
}

/* ---- the host ------------------------------------------------------------ */

static bool bound(const void *arg, uint32_t column, PqSlice stored, char *room,
                  PqCell *out)
{
    Ordered *o = (Ordered *)(uintptr_t)arg;

    return value_of(&o->table->columns[column].type, stored, room, out) &&
           out->kind != PQ_CELL_NULL;
}

static PqRc load(void *arg, uint32_t column, PqErr *e)
{
    Ordered *o = arg;

    return pq_scan_vector(o->scan,
                          (uint32_t)pq_scan_node(o->scan, column)->leaf,
                          &o->vector, e);
}

static PqRc cell(void *arg, uint32_t column, uint32_t row, PqCell *out,
                 PqErr *e)
{
    Ordered *o = arg;

    return value_of_row(o->vector, row, o->cell, out);
}

static PqRc begin(void *arg, const PqRowRange *ranges, uint32_t n, bool filters,
                  PqErr *e)
{
    return pq_scan_start(((Ordered *)arg)->scan, ranges, n, NULL, NULL, e);
}

/* ---- the expected rows --------------------------------------------------- */

static PqRc take_rows(void *arg, PqScan *s, PqErr *e)
{
    Ordered *o = arg;
    const PqBatch *b = pq_scan_batch(s);
    const PqVector *v;
    char room[16];

    PQ_TRY(pq_scan_vector(s, (uint32_t)pq_scan_node(s, o->column)->leaf, &v,
                          e));
    for (uint32_t i = 0; i < b->n_rows; i++) {
        Row *row;

        PQ_TRY(PQ_GROW(o->arena.mem, o->row, o->n, o->room, e));
        row = &o->row[o->n++];
        row->rowid = pq_batch_rowid(b, i);
        PQ_TRY(value_of_row(v, i, room, &row->v));
        if (pq_cell_has_bytes(&row->v)) {
            row->v.p = (uint8_t *)pq_arena_text(&o->arena, row->v.p,
                                                   row->v.n, e);
            if (!row->v.p) {
                return e->rc;
            }
        }
    }
    return PQ_OK;
}

static int direction;                /* of compare_rows */

static int compare_rows(const void *pa, const void *pb)
{
    const Row *a = pa, *b = pb;
    int c = direction * pq_cell_compare(&a->v, &b->v);

    return c ? c : (a->rowid > b->rowid) - (a->rowid < b->rowid);
}

/* ---- the rows in order --------------------------------------------------- */

static PqRc collect(Ordered *o, const PqTopSpec *spec, const PqTopBy *by,
                    uint32_t *n, PqErr *e)
{
    PqRowSource *top;
    bool more = true;
    PqRc rc = PQ_OK;

    *n = 0;
    PQ_TRY(pq_top_new(o->scan, spec, by, &top, e));
    while (more && rc == PQ_OK) {
        const PqBatch *b = pq_scan_batch(o->scan);

        bool changed = false;

        rc = top->next(top, &more, e);
        if (rc == PQ_OK && more) {
            rc = top->tell_apart(top, b->kept ? b->kept[0] : 0, &changed, e);
        }
        for (uint32_t i = 0; rc == PQ_OK && more && i < b->n_kept; i++) {
            if (*n == o->n) {
                rc = pq_fail(e, PQ_CORRUPT, "too many rows");
                break;
            }
            o->got[(*n)++] = pq_batch_rowid(b, b->kept ? b->kept[i] : i);
        }
    }
    top->free(top);
    return rc;
}

static void check_order(Test *t, Ordered *o, PqTopBy by)
{
    const PqColumn *c = &o->table->columns[o->column];
    PqRowRange all = {0, INT64_MAX};
    PqTopSpec spec = {.table = o->table, .bound = bound, .bound_arg = o,
                      .host = {.listing = &o->listing, .arg = o,
                               .begin = begin, .load = load, .cell = cell,
                               .ranges = &all, .n_ranges = 1}};
    uint32_t n;

    direction = by.v[0].desc ? -1 : 1;
    qsort(o->row, o->n, sizeof *o->row, compare_rows);
    CHECK_OK(collect(o, &spec, &by, &n, t->e));
    for (uint32_t i = 0; i < o->n; i++) {
        if (i >= n || o->got[i] != o->row[i].rowid) {
            test_fail(t, __FILE__, __LINE__,
                      "%s, %s%s: row %u of %u is %lld, not %lld",
                      o->table->first_path, c->name,
                      by.v[0].desc ? " desc" : "", i, n,
                      i < n ? (long long)o->got[i] : -1,
                      (long long)o->row[i].rowid);
            return;
        }
    }
}

static void check_column(Test *t, Ordered *o)
{
    const PqType *type = &o->table->columns[o->column].type;
    PqTopColumn c = {.column = (int)o->column,
                     .order = is_of_bytes(type) ? PQ_WANTED_BYTES
                                                : PQ_WANTED_PLACES,
                     .bounded = pq_type_is_u64(type), .most = INT64_MAX};

    o->n = 0;
    if (every_batch(o->table, &o->listing, take_rows, o, t->e) != PQ_OK) {
        pq_err_clear(t->e);          /* some samples are damaged */
        pq_where_reset(t->e);
        return;
    }
    o->got = calloc(o->n + 1, sizeof *o->got);
    for (uint32_t i = 0; i < 8 && !t->failed; i++) {
        c.desc = i % 2 != 0;
        check_order(t, o, (PqTopBy){.v = {c}, .n = 1, .first = i & 4 ? 3 : 0,
                                    .only_sorted = (i & 2) != 0});
    }
    c.order = PQ_WANTED_CELLS;
    check_order(t, o, (PqTopBy){.v = {c}, .n = 1});
    free(o->got);
}

static bool can_be_sorted_by(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_NODE && c->node->kind == PQ_NODE_LEAF &&
           c->node->rep == 0 && c->type.physical != PQ_INT96 &&
           c->type.logical != PQ_TYPE_UNKNOWN;
}

static PqRc order_open(Test *t, Ordered *o, const char *path)
{
    PqTableOptions to = {0};
    PqScanOptions so = {.memory = 64 << 20, .name = "test"};

    PQ_TRY(pq_engine_new(&o->engine, t->e));
    PQ_TRY(pq_listing_make(path, false, NULL, o->engine->mem, NULL, &o->listing,
                           t->e));
    PQ_TRY(pq_table_new(o->engine, &o->listing, &to, &o->table, t->e));
    return pq_scan_new(o->table, &o->listing, &so, &o->scan, t->e);
}

static uint32_t order_by_columns_of(Test *t, const char *path)
{
    Ordered o = {0};
    uint32_t n = 0;

    pq_arena_init(&o.arena, t->mem);
    if (order_open(t, &o, path) == PQ_OK) {
        for (; o.column < o.table->n_columns && !t->failed; o.column++) {
            if (can_be_sorted_by(&o.table->columns[o.column])) {
                check_column(t, &o);
                n++;
            }
        }
    }
    pq_err_clear(t->e);
    pq_where_reset(t->e);
    pq_mem_free(o.row);
    pq_arena_free(&o.arena);
    pq_scan_free(o.scan);
    pq_table_free(o.table);
    if (o.listing.n_files) {
        pq_listing_free(&o.listing);
    }
    pq_engine_free(o.engine);
    return n;
}

TEST(top, rows_in_the_order_of_a_column_are_all_rows_sorted)
{
    uint32_t n = 0;
    glob_t g;

    CHECK(glob("test/samples/*s.parquet", 0, NULL, &g) == 0);
    for (size_t i = 0; i < g.gl_pathc && !t->failed; i++) {
        n += order_by_columns_of(t, g.gl_pathv[i]);
    }
    n += order_by_columns_of(t, "test/samples/weather");
    globfree(&g);
    CHECK(t->failed || n > 60);
}
