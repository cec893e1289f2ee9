/*
** page_index.c - reads the two indexes of a chunk and checks them.
**
**   OffsetIndex of three pages, 100 rows      offset  size  first row
**                                                  4   500          0
**                                                504   480         40
**                                                984   350         75
**
** Everything that readers rely on is checked: pages lie inside the file, first
** rows ascend from 0, and every list has an entry for each page.  Pages need
** not lie in the order of their rows.  Whether a bound has the right size for
** its type is checked later, page by page (pq_stats_fits).
*/
#include "core/meta/page_index.h"

#include "core/meta/writer.h"

#include <assert.h>

/* Reads and decrypts the bytes of an index.  They lie in the arena, because the
** parsed index points into them.  *plain is empty if the chunk has no index. */
static PqRc read_index(PqInput *in, const PqModule *module, int64_t offset,
                       int32_t length, PqArena *a, PqSlice *plain, PqErr *e)
{
    uint64_t size = pq_source_size(in->source);
    uint8_t *raw;
    size_t used;

    *plain = pq_slice(NULL, 0);
    if (offset == 0 || length == 0) {
        return PQ_OK;
    }
    if (offset < 0 || length < 0 || (uint64_t)offset > size ||
        (uint64_t)length > size - (uint64_t)offset) {
        return pq_fail(e, PQ_CORRUPT, "the %s has %d bytes at byte %lld, the "
                                      "file has %llu",
                       pq_module_name(module->kind), length,
                       (long long)offset, (unsigned long long)size);
    }
    raw = pq_arena_bytes(a, (size_t)length, e);
    if (!raw) {
        return e->rc;
    }
    e->where.offset = offset;
    PQ_TRY(pq_module_fetch(in, module, (uint64_t)offset, (size_t)length, raw,
                           e));
    return pq_module_unseal_in_place(module, raw, (size_t)length, plain, &used,
                                     e);
}

static PqRc check_pages(const PqInput *in, const PqPageLocationList *pages,
                        int64_t group_rows, PqErr *e)
{
    int64_t size = (int64_t)pq_source_size(in->source), row = -1;

    if (pages->n == 0 || pages->n > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "the offset index has %u pages", pages->n);
    }
    for (uint32_t i = 0; i < pages->n; i++) {
        const PqPageLocation *p = &pages->v[i];

        if (p->offset < 0 || p->compressed_page_size <= 0 ||
            p->offset > size - p->compressed_page_size) {
            return pq_fail(e, PQ_CORRUPT, "the offset index has page %u with "
                           "%d bytes at byte %lld, the file has %lld", i,
                           p->compressed_page_size, (long long)p->offset,
                           (long long)size);
        }
        if (p->first_row_index <= row || p->first_row_index >= group_rows ||
            (i == 0 && p->first_row_index != 0)) {
            return pq_fail(e, PQ_CORRUPT, "in the offset index page %u begins "
                           "at row %lld of %lld, after row %lld", i,
                           (long long)p->first_row_index,
                           (long long)group_rows, (long long)row);
        }
        row = p->first_row_index;
    }
    return PQ_OK;
}

static PqRc load_offsets(PqInput *in, const PqColumnChunk *chunk,
                         const PqModule *module, int64_t group_rows,
                         PqArena *a, PqOffsetIndex *out, PqErr *e)
{
    PqSlice bytes;

    PQ_TRY(read_index(in, module, chunk->offset_index_offset,
                      chunk->offset_index_length, a, &bytes, e));
    if (bytes.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_format_read_offset_index(&bytes, a, out, e));
    PQ_TRY(check_pages(in, &out->page_locations, group_rows, e));
    if (out->unencoded_byte_array_data_bytes.n != out->page_locations.n) {
        /* It is only a hint about sizes: the pages are still good. */
        out->unencoded_byte_array_data_bytes = (PqI64List){NULL, 0};
        out->has &= ~(1u << PQ_OFFSET_INDEX_BYTES);
    }
    return PQ_OK;
}

bool pq_page_index_counts_rows(const PqLeaf *leaf, PqSlice created_by)
{
    return leaf->max_rep == 0 ||
           !pq_writer_is(created_by, "parquet-go", PQ_VERSION_ANY);
}

PqRc pq_page_index_offsets(PqInput *in, const PqColumnChunk *chunk,
                           int row_group, uint32_t leaf, int64_t group_rows,
                           PqArena *a, PqOffsetIndex *out, PqErr *e)
{
    PqModule module = {PQ_MODULE_OFFSET_INDEX, row_group, (int)leaf, -1,
                       chunk->lock};
    PqWhere outer = e->where;
    PqRc rc;

    memset(out, 0, sizeof *out);
    if (group_rows == 0) {                   /* nothing to find */
        return PQ_OK;
    }
    e->where.row_group = row_group;
    e->where.page = -1;
    rc = load_offsets(in, chunk, &module, group_rows, a, out, e);
    if (rc != PQ_OK) {
        memset(out, 0, sizeof *out);
    }
    e->where = outer;
    return rc;
}

/* Checks that a list has `want` entries.  A list that is not required may be
** absent or empty. */
static PqRc check_list(PqColumnIndex *c, int field, uint32_t have,
                       uint64_t want, PqErr *e)
{
    const PqThriftField *row = &pq_format_column_index.fields[field - 1];

    if (have == 0 && !(row->flags & PQ_THRIFT_REQUIRED)) {
        c->has &= ~(1u << field);
        return PQ_OK;
    }
    if (have != want) {
        return pq_fail(e, PQ_CORRUPT, "the column index has %u %s, its pages "
                                      "need %llu",
                       have, row->name, (unsigned long long)want);
    }
    return PQ_OK;
}

/* The same for a list of counts.  QUIRK: parquet-mr 1.13.0 writes -1 for an
** unknown count; the list then counts as absent.
** Test: page_index.a_count_of_minus_one_is_not_known */
static PqRc check_counts(PqColumnIndex *c, int field, PqI64List *counts,
                         uint64_t want, PqErr *e)
{
    PQ_TRY(check_list(c, field, counts->n, want, e));
    for (uint32_t i = 0; i < counts->n; i++) {
        if (counts->v[i] < 0) {
            *counts = (PqI64List){NULL, 0};
            c->has &= ~(1u << field);
        }
    }
    return PQ_OK;
}

static PqRc check_bounds(PqColumnIndex *c, const PqLeaf *of, uint64_t n,
                         PqErr *e)
{
    uint64_t reps = n * (of->max_rep + 1u), defs = n * (of->max_def + 1u);

    PQ_TRY(check_list(c, PQ_COLUMN_INDEX_NULL_PAGES, c->null_pages.n, n, e));
    PQ_TRY(check_list(c, PQ_COLUMN_INDEX_MIN, c->min_values.n, n, e));
    PQ_TRY(check_list(c, PQ_COLUMN_INDEX_MAX, c->max_values.n, n, e));
    PQ_TRY(check_counts(c, PQ_COLUMN_INDEX_NULL_COUNTS, &c->null_counts, n,
                        e));
    PQ_TRY(check_counts(c, PQ_COLUMN_INDEX_NAN_COUNTS, &c->nan_counts, n, e));
    PQ_TRY(check_counts(c, PQ_COLUMN_INDEX_REPETITION,
                        &c->repetition_level_histograms, reps, e));
    return check_counts(c, PQ_COLUMN_INDEX_DEFINITION,
                        &c->definition_level_histograms, defs, e);
}

PqRc pq_page_index_bounds(PqInput *in, const PqColumnChunk *chunk,
                          int row_group, const PqLeaf *leaf, uint32_t n_pages,
                          PqArena *a, PqColumnIndex *out, PqErr *e)
{
    PqModule module = {PQ_MODULE_COLUMN_INDEX, row_group, (int)leaf->column, -1,
                       chunk->lock};
    PqWhere outer = e->where;
    PqSlice bytes;
    PqRc rc;

    memset(out, 0, sizeof *out);
    e->where.row_group = row_group;
    e->where.column = leaf->path;
    e->where.page = -1;
    PQ_GO(read_index(in, &module, chunk->column_index_offset,
                     chunk->column_index_length, a, &bytes, e));
    if (bytes.n > 0 && n_pages > 0) {
        PQ_GO(pq_format_read_column_index(&bytes, a, out, e));
        PQ_GO(check_bounds(out, leaf, n_pages, e));
    }
done:
    if (rc != PQ_OK) {
        memset(out, 0, sizeof *out);
    }
    e->where = outer;
    return rc;
}

uint32_t pq_page_index_find(const PqOffsetIndex *index, int64_t row)
{
    const PqPageLocation *pages = index->page_locations.v;
    uint32_t low = 0, high = index->page_locations.n;

    assert(high > 0);
    while (high - low > 1) {         /* pages[low] begins at or before row */
        uint32_t middle = low + (high - low) / 2;
        if (pages[middle].first_row_index <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
