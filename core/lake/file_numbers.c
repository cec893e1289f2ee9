/*
** file_numbers.c - scans a file and hands out its numbers row by row.
*/
#include "core/lake/file_numbers.h"

#include "core/lake/file_batches.h"

typedef struct Numbers {
    const char *const *columns;
    uint32_t        n;
    PqNumbersVisit  visit;
    void           *arg;
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

static PqRc visit_batch(void *arg, PqScan *scan, PqErr *e)
{
    Numbers *k = arg;
    uint32_t n_rows = pq_scan_batch(scan)->n_rows;
    int64_t values[PQ_FILE_NUMBERS_MOST] = {0};

    PQ_TRY(k->row ? PQ_OK : find(k, &pq_scan_footer(scan)->schema, e));
    for (uint32_t i = 0; i < k->n; i++) {
        PQ_TRY(k->has[i] ? pq_scan_vector(scan, k->leaf[i], &k->vector[i], e) : PQ_OK);
    }
    for (uint32_t row = 0; row < n_rows; row++) {
        for (uint32_t i = 0; i < k->n; i++) {
            PQ_TRY(k->has[i] ? value(k, i, row, &values[i], e) : PQ_OK);
        }
        PQ_TRY(k->visit(k->arg, k->row++, values, k->has, e));
    }
    return PQ_OK;
}

PqRc pq_file_numbers(PqEngine *g, const PqPlaces *places, const char *path,
                     const char *const *columns, uint32_t n, const PqStop *stop,
                     PqNumbersVisit visit, void *arg, PqErr *e)
{
    Numbers k = {.columns = columns, .n = n, .visit = visit, .arg = arg};
    const PqWhere outer = pq_where_enter(e, path);
    PqRc rc = pq_file_batches(g, places, path, stop, visit_batch, &k, e);

    e->where = outer;
    return rc;
}
