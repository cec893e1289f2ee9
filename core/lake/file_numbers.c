/*
** file_numbers.c - scans a file and hands out its numbers row by row.
*/
#include "core/lake/file_numbers.h"

#include "core/scan/scan.h"

enum { MEMORY = 256 << 20 };

typedef struct Numbers {
    const char *const *columns;
    uint32_t        n;
    PqListing       listing;
    PqTable        *table;
    PqScan         *scan;
    uint32_t        leaf[PQ_FILE_NUMBERS_MOST];
    bool            has[PQ_FILE_NUMBERS_MOST], wide[PQ_FILE_NUMBERS_MOST];
    const PqVector *vector[PQ_FILE_NUMBERS_MOST];
    int64_t         row;
} Numbers;

static PqRc find(Numbers *k, const PqSchema *schema, PqErr *e)
{
    for (uint32_t i = 0; i < k->n; i++) {
        const PqNode *node = pq_node_field(schema->root, pq_slice_text(k->columns[i]), 0);

        k->has[i] = node != NULL;
        if (!node && i == 0) {
            return pq_fail(e, PQ_CORRUPT, "the file has no column %s", k->columns[i]);
        }
        if (node && (node->kind != PQ_NODE_LEAF || (node->type.physical != PQ_INT64 &&
                                                    node->type.physical != PQ_INT32))) {
            return pq_fail(e, PQ_CORRUPT, "column %s is not of whole numbers",
                           k->columns[i]);
        }
        k->leaf[i] = node ? (uint32_t)node->leaf : 0;
        k->wide[i] = node && node->type.physical == PQ_INT64;
    }
    return PQ_OK;
}

static PqRc value(const Numbers *k, uint32_t i, uint32_t row, int64_t *out, PqErr *e)
{
    const PqVector *v = k->vector[i];

    if (!pq_vector_is_valid(v, row)) {
        return pq_fail(e, PQ_CORRUPT, "column %s has a null", k->columns[i]);
    }
    *out = k->wide[i] ? *(const int64_t *)pq_vector_at(v, sizeof(int64_t), row)
                      : *(const int32_t *)pq_vector_at(v, sizeof(int32_t), row);
    return PQ_OK;
}

static PqRc visit_batch(Numbers *k, PqNumbersVisit visit, void *arg, PqErr *e)
{
    uint32_t n_rows = pq_scan_batch(k->scan)->n_rows;
    int64_t values[PQ_FILE_NUMBERS_MOST] = {0};

    for (uint32_t i = 0; i < k->n; i++) {
        PQ_TRY(k->has[i] ? pq_scan_vector(k->scan, k->leaf[i], &k->vector[i], e) : PQ_OK);
    }
    for (uint32_t row = 0; row < n_rows; row++) {
        for (uint32_t i = 0; i < k->n; i++) {
            PQ_TRY(k->has[i] ? value(k, i, row, &values[i], e) : PQ_OK);
        }
        PQ_TRY(visit(arg, k->row++, values, k->has, e));
    }
    return PQ_OK;
}

static PqRc read_rows(Numbers *k, PqEngine *g, const PqStop *stop, PqNumbersVisit visit,
                      void *arg, PqErr *e)
{
    const PqTableOptions no_columns = {.only = {(const char *const[]){""}, 0},
                                       .stop = stop ? *stop : (PqStop){0}};
    const PqScanOptions options = {.memory = MEMORY, .checksum = true,
                                   .stop = no_columns.stop, .unlisted = true};
    bool more;

    PQ_TRY(pq_table_new(g, &k->listing, &no_columns, &k->table, e));
    PQ_TRY(pq_scan_new(k->table, &k->listing, &options, &k->scan, e));
    PQ_TRY(pq_scan_start(k->scan, NULL, 0, NULL, NULL, e));
    PQ_TRY(pq_scan_next(k->scan, &more, e));
    PQ_TRY(more ? find(k, &pq_scan_footer(k->scan)->schema, e) : PQ_OK);
    while (more) {
        PQ_TRY(visit_batch(k, visit, arg, e));
        PQ_TRY(pq_scan_next(k->scan, &more, e));
    }
    return PQ_OK;
}

PqRc pq_file_numbers(PqEngine *g, const PqPlaces *places, const char *path,
                     const char *const *columns, uint32_t n, const PqStop *stop,
                     PqNumbersVisit visit, void *arg, PqErr *e)
{
    Numbers k = {.columns = columns, .n = n};
    const PqWhere outer = pq_where_enter(e, path);
    PqRc rc = pq_listing_make(path, PQ_LIST_LAKES, places, g->mem, stop, &k.listing, e);

    if (rc == PQ_OK) {
        rc = read_rows(&k, g, stop, visit, arg, e);
        pq_scan_free(k.scan);
        pq_table_free(k.table);
        pq_listing_free(&k.listing);
    }
    e->where = outer;
    return rc;
}
