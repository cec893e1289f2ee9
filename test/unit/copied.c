/*
** copied.c - see copied.h.
*/
#define _GNU_SOURCE
#include "test/unit/copied.h"

#include "core/meta/schema_make.h"
#include "test/unit/every_batch.h"
#include "test/unit/written_chunk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* --- the cells ------------------------------------------------------------ */

static uint64_t mixed(uint64_t i)
{
    i *= 0x9e3779b97f4a7c15u;
    return i ^ i >> 29;
}

static const PqType int64 = {.physical = PQ_INT64};
static const PqType int32 = {.physical = PQ_INT32};
static const PqType real = {.physical = PQ_DOUBLE};
static const PqType text = {.physical = PQ_BYTE_ARRAY,
                            .logical = PQ_TYPE_STRING};
static const PqType boolean = {.physical = PQ_BOOLEAN};

static const struct {
    const char   *name;
    const PqType *type;
} columns[COPIED_COLUMNS] = {
    {"id", &int64}, {"x", &real}, {"t", &text}, {"u", &text}, {"d", &real},
    {"n", &int32}, {"h", &int64}, {"b", &boolean}, {"l", NULL},
};

/* Column k of row i; cells without a value have class NULL. */
typedef struct Cell {
    PqCellClass cls;
    int64_t     i;
    double      r;
    char        s[64];
    int         n;
} Cell;

static Cell cell_of(uint32_t k, uint64_t i)
{
    Cell c = {.cls = PQ_CELL_INT};

    switch (k) {
    case 0:
        c.i = (int64_t)i;
        break;
    case 1:
        c.cls = i % 7 ? PQ_CELL_REAL : PQ_CELL_NULL;
        c.r = (double)(i * 7919 % 1000) / 4;
        break;
    case 2:
        c.cls = PQ_CELL_TEXT;
        c.n = sprintf(c.s, "country %llu", (unsigned long long)(i * 31 % 50));
        break;
    case 3:
        c.cls = i % 11 ? PQ_CELL_TEXT : PQ_CELL_NULL;
        c.n = sprintf(c.s, "https://example.com/%llx",
                      (unsigned long long)mixed(i));
        break;
    case 4:
        c.cls = PQ_CELL_REAL;
        c.r = (double)(mixed(i) >> 12);
        break;
    case 5:
        c.cls = i / 1000 % 3 ? PQ_CELL_INT : PQ_CELL_NULL;
        c.i = (int64_t)(mixed(i) % 40000);
        break;
    case 6:
        c.i = (int64_t)mixed(i + 1);
        break;
    case 7:
        c.i = mixed(i) & 1;
        break;
    default:
        c.cls = i % 5 ? PQ_CELL_TEXT : PQ_CELL_NULL;
        c.n = sprintf(c.s, i % 5 == 1 ? "[]" : "[%llu,null]",
                      (unsigned long long)(i % 100));
        break;
    }
    return c;
}

/* --- the copy ------------------------------------------------------------- */

void copied_begin(Test *t, Copied *c, const char *path, uint64_t n_rows,
                  bool nested)
{
    PqSchemaMake *m;

    *c = (Copied){.n_rows = n_rows, .bad_row = UINT64_MAX};
    pq_arena_init(&c->arena, t->mem);
    if (pq_schema_make_new(t->mem, &m, t->e) != PQ_OK) {
        abort();
    }
    for (int k = 0; k < COPIED_LIST; k++) {
        pq_schema_make_leaf(m, columns[k].name, columns[k].type, k == 0, -1);
    }
    if (nested) {
        pq_schema_make_group(m, PQ_NODE_LIST, "l", false, -1);
        pq_schema_make_leaf(m, NULL, &int64, false, -1);
        pq_schema_make_close(m);
    }
    if (pq_schema_make_end(m, &c->arena, &c->elements, t->e) != PQ_OK) {
        abort();
    }
    pq_schema_make_free(m);
    for (int k = 0; k < COPIED_COLUMNS; k++) {
        c->columns[k].options = (PqChunkOptions){
            .codec = PQ_CODEC_ZSTD, .level = 1, .encoding = -1,
            .statistics = true, .page_rows = 20000, .page_bytes = 1 << 20};
    }
    c->plan = (PqCopyPlan){
        .path = path, .schema = &c->elements, .columns = c->columns,
        .n_columns = COPIED_LIST + nested, .row_group_rows = 1 << 20,
        .row_group_bytes = 128 << 20, .created_by = "test"};
    copied_memory(c, (size_t)256 << 20);
}

void copied_end(Copied *c)
{
    pq_mem_release(c->plan.mem);
    pq_arena_free(&c->arena);
}

void copied_memory(Copied *c, size_t n)
{
    pq_mem_release(c->plan.mem);
    c->plan.mem = pq_mem_new(n);
    if (!c->plan.mem) {
        abort();
    }
}

void copied_partition(Copied *c, uint32_t n_parts)
{
    static const char *const names[] = {"part"};

    c->n_parts = n_parts;
    c->plan.is_folder = true;
    c->plan.partition_names = names;
    c->plan.n_partition = 1;
}

static PqRc add_cell(PqCells *to, const Cell *cell, PqErr *e)
{
    switch (cell->cls) {
    case PQ_CELL_NULL:
        pq_cells_null(to);
        return PQ_OK;
    case PQ_CELL_INT:
        pq_cells_int(to, cell->i);
        return PQ_OK;
    case PQ_CELL_REAL:
        pq_cells_real(to, cell->r);
        return PQ_OK;
    default:
        return pq_cells_bytes(to, cell->cls, cell->s, (size_t)cell->n, e);
    }
}

static PqRc add_row(const Copied *c, PqCopy *copy, uint64_t i, PqErr *e)
{
    char part[20];
    PqSlice key = {NULL, 0};
    PqCells *to;

    if (c->n_parts) {
        key.p = (const uint8_t *)part;
        key.n = (size_t)sprintf(part, "p%llu",
                                (unsigned long long)(i % c->n_parts));
    }
    PQ_TRY(pq_copy_row(copy, &key, &to, e));
    for (uint32_t k = 0; k < c->plan.n_columns; k++) {
        Cell cell = cell_of(k, i);

        if (k == 4 && i >= c->bad_row) {
            cell.cls = PQ_CELL_TEXT;
            cell.n = sprintf(cell.s, "bad");
        }
        PQ_TRY(add_cell(&to[k], &cell, e));
    }
    return pq_copy_row_end(copy, e);
}

/* The lowest free descriptor: at least that many are open. */
static int lowest_free(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    close(fd);
    return fd;
}

static PqRc add_rows(Copied *c, PqCopy *copy, PqErr *e)
{
    for (uint64_t i = 0; i < c->n_rows; i++) {
        PQ_TRY(add_row(c, copy, i, e));
        if (c->n_parts && i % 1000 == 0) {
            int n = lowest_free();
            c->most_descriptors = n > c->most_descriptors
                                      ? n : c->most_descriptors;
        }
    }
    return pq_copy_finish(copy, e);
}

PqRc copied_run(Copied *c, PqErr *e)
{
    PqPublishPlan publish = {
        .target = c->plan.path,
        .is_folder = c->plan.is_folder,
        .overwrite = PQ_OVERWRITE_REPLACE,
        .folder_columns = c->plan.partition_names,
        .n_folder_columns = c->plan.n_partition,
        .stop = c->plan.stop,
    };
    PqCopy *copy;
    PqRc rc;

    PQ_TRY(pq_publish_open(c->plan.mem, &publish, &c->plan.publish, e));
    PQ_TRY(pq_copy_open(&c->plan, &copy, e));
    rc = add_rows(c, copy, e);
    c->progress = pq_copy_progress(copy);
    c->misfit = pq_copy_misfit(copy, &c->which);
    pq_copy_free(copy);
    c->peak = pq_mem_peak(c->plan.mem);
    if (pq_mem_used(c->plan.mem) != 0) {
        printf("     a copy leaves %zu bytes\n", pq_mem_used(c->plan.mem));
        abort();
    }
    return rc;
}

/* --- checking the files --------------------------------------------------- */

typedef struct Check {
    Test         *t;
    const Copied *c;
    uint8_t      *seen;
    uint64_t      n;
    uint32_t      file;
    int64_t       last;              /* id of the previous row of the file */
} Check;

static bool is_cell(const Cell *want, const PqType *type, const PqVector *v,
                    uint32_t row)
{
    const void *at;

    if (!pq_vector_is_valid(v, row) || want->cls == PQ_CELL_NULL) {
        return !pq_vector_is_valid(v, row) && want->cls == PQ_CELL_NULL;
    }
    at = pq_vector_at(v, pq_physical_width(type->physical), row);
    switch (type->physical) {
    case PQ_BOOLEAN:
        return *(const uint8_t *)at == want->i;
    case PQ_INT32:
        return *(const int32_t *)at == want->i;
    case PQ_INT64:
        return *(const int64_t *)at == want->i;
    case PQ_DOUBLE:
        return *(const double *)at == want->r;
    default:
        return ((const PqStr *)at)->n == (uint32_t)want->n &&
               memcmp(((const PqStr *)at)->p, want->s, (size_t)want->n) == 0;
    }
}

/* The slots of a row of l, from *slot on. */
static bool is_list(uint64_t i, const PqVector *v, uint32_t *slot)
{
    uint32_t s = *slot, n = 1;

    while (s + n < v->n_slots && v->rep[s + n] != 0) {
        n++;
    }
    *slot += n;
    if (i % 5 < 2) {
        return n == 1 && v->def[s] == i % 5;
    }
    return n == 2 && v->def[s] == 3 && v->def[s + 1] == 2 &&
           *(const int64_t *)pq_vector_at(v, 8, s) == (int64_t)(i % 100);
}

static bool note_row(Check *k, int64_t id, uint32_t file)
{
    k->last = file == k->file ? k->last : -1;
    k->file = file;
    if (id <= k->last || (uint64_t)id >= k->c->n_rows || k->seen[id]) {
        return false;
    }
    k->seen[id] = 1;
    k->last = id;
    k->n++;
    return true;
}

static PqRc check_column(PqScan *s, uint32_t column,
                         const int64_t *ids, uint32_t n_rows, PqErr *e)
{
    const PqVector *v;
    uint32_t slot = 0;

    PQ_TRY(pq_scan_vector(s, column, &v, e));
    for (uint32_t row = 0; row < n_rows; row++) {
        Cell want = cell_of(column, (uint64_t)ids[row]);
        bool ok = column == COPIED_LIST
                      ? is_list((uint64_t)ids[row], v, &slot)
                      : is_cell(&want, columns[column].type, v, row);
        if (!ok) {
            return pq_fail(e, PQ_CORRUPT, "column %s of row %lld differs",
                           columns[column].name, (long long)ids[row]);
        }
    }
    return PQ_OK;
}

static PqRc check_batch(void *check, PqScan *s, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(s);
    Check *k = check;
    int64_t ids[PQ_BATCH_ROWS];
    const PqVector *v;

    PQ_TRY(pq_scan_vector(s, 0, &v, e));
    for (uint32_t row = 0; row < b->n_rows; row++) {
        ids[row] = *(const int64_t *)pq_vector_at(v, 8, row);
        if (!note_row(k, ids[row], b->file)) {
            return pq_fail(e, PQ_CORRUPT, "row %lld does not belong there",
                           (long long)ids[row]);
        }
    }
    for (uint32_t i = 1; i < k->c->plan.n_columns; i++) {
        PQ_TRY(check_column(s, i, ids, b->n_rows, e));
    }
    return PQ_OK;
}

static PqRc check_rows(Check *k, uint32_t *n_files, PqErr *e)
{
    const PqEncryption *how = k->c->plan.encryption;
    const PqKeyChoice keys = {.ring = how ? how->keys.ring : NULL,
                              .aad_prefix = how ? how->keys.aad_prefix : NULL};
    PqTableOptions to = {0};
    PqEngine *engine = NULL;
    PqListing listing = {0};
    PqTable *table = NULL;
    PqRc rc;

    PQ_GO(pq_engine_new(&engine, e));
    PQ_GO(pq_listing_make(k->c->plan.path, false, NULL, engine->mem, NULL, &listing,
                          e));
    *n_files = (uint32_t)listing.n_files;
    listing.keys = how ? &keys : NULL;
    PQ_GO(pq_table_new(engine, &listing, &to, &table, e));
    PQ_GO(every_batch(table, &listing, check_batch, k, e));
    for (uint32_t i = 0; i < *n_files; i++) {
        written_verify(k->t, listing.files[i].path, listing.keys);
    }
done:
    pq_table_free(table);
    if (listing.n_files) {
        pq_listing_free(&listing);
    }
    pq_engine_free(engine);
    return rc;
}

uint32_t copied_check(Test *t, const Copied *c)
{
    Check k = {.t = t, .c = c, .seen = calloc(c->n_rows + 1, 1), .last = -1,
               .file = UINT32_MAX};
    uint32_t n_files = 0;

    if (!k.seen) {
        abort();
    }
    if (!t->failed && check_rows(&k, &n_files, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    } else if (!t->failed && k.n != c->n_rows) {
        test_fail(t, __FILE__, __LINE__, "%llu rows of %llu",
                  (unsigned long long)k.n, (unsigned long long)c->n_rows);
    }
    free(k.seen);
    return n_files;
}

uint32_t copied_groups(Test *t, const char *path, int64_t *rows, uint32_t most)
{
    PqSource *source = NULL;
    PqFooter *f = NULL;
    PqInput in = {0};
    uint32_t n;

    if (pq_source_open(t->mem, path, &source, t->e) != PQ_OK) {
        abort();
    }
    in.source = source;
    if (pq_footer_read(&in, NULL, t->mem, &f, t->e) != PQ_OK) {
        abort();
    }
    for (n = 0; n < f->n_groups && n < most; n++) {
        rows[n] = f->groups[n].num_rows;
    }
    pq_footer_release(f);
    pq_source_close(source);
    return n;
}

uint8_t *copied_bytes(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p;

    if (!f || fseek(f, 0, SEEK_END) != 0) {
        abort();
    }
    *n = (size_t)ftell(f);
    rewind(f);
    p = malloc(*n + 1);
    if (!p || fread(p, 1, *n, f) != *n) {
        abort();
    }
    fclose(f);
    return p;
}
