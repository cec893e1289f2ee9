/*
** file_batches.c - a scan of a table without columns, whose file is asked for its own.
*/
#include "core/lake/file_batches.h"

enum { MEMORY = 256 << 20 };

static PqRc visit_all(PqEngine *g, PqListing *l, const PqStop *stop, PqBatchVisit visit,
                      void *arg, PqErr *e)
{
    const PqTableOptions no_columns = {.only = {(const char *const[]){""}, 0},
                                       .stop = stop ? *stop : (PqStop){0}};
    const PqScanOptions options = {.memory = MEMORY, .checksum = true,
                                   .stop = no_columns.stop, .unlisted = true};
    PqTable *table = NULL;
    PqScan *scan = NULL;
    bool more;
    PqRc rc;

    PQ_GO(pq_table_new(g, l, &no_columns, &table, e));
    PQ_GO(pq_scan_new(table, l, &options, &scan, e));
    PQ_GO(pq_scan_start(scan, NULL, 0, NULL, NULL, e));
    PQ_GO(pq_scan_next(scan, &more, e));
    while (more) {
        const PqWhere outer = pq_where_enter(e, pq_scan_path(scan));

        PQ_GO(visit(arg, scan, e));
        e->where = outer;
        PQ_GO(pq_scan_next(scan, &more, e));
    }
done:
    pq_scan_free(scan);
    pq_table_free(table);
    return rc;
}

PqRc pq_file_batches(PqEngine *g, const PqPlaces *places, const char *path,
                     const PqStop *stop, PqBatchVisit visit, void *arg, PqErr *e)
{
    PqListing l = {0};
    PqRc rc = pq_listing_make(path, PQ_LIST_LAKES, places, g->mem, stop, &l, e);

    if (rc == PQ_OK) {
        rc = visit_all(g, &l, stop, visit, arg, e);
        pq_listing_free(&l);
    }
    return rc;
}

PqRc pq_batch_texts_add(PqBatchTexts *b, PqMem *mem, const PqSchema *schema, const PqNode *node,
                        PqErr *e)
{
    static const PqJsonOptions usual = {0};
    uint32_t k = b->n++;

    PQ_TRY(b->vectors ? PQ_OK : PQ_NEW(mem, b->vectors, schema->n_leaves + 1u, e));
    b->node[k] = node;
    return node ? pq_json_rows_new(mem, node, &usual, &b->json[k], e) : PQ_OK;
}

static PqRc load(PqBatchTexts *b, uint32_t k, PqScan *scan, PqErr *e)
{
    const PqNode *node = b->node[k];
    uint32_t n_rows = pq_scan_batch(scan)->n_rows, n;

    for (uint32_t i = node->first_leaf; i < node->first_leaf + node->n_leaves; i++) {
        pq_scan_keep_levels(scan, i);
        PQ_TRY(pq_scan_vector(scan, i, &b->vectors[i], e));
    }
    PQ_TRY(pq_json_rows_begin(b->json[k], b->vectors + node->first_leaf, n_rows, e));
    return pq_json_rows_write(b->json[k], 0, n_rows, SIZE_MAX, &n, &b->texts[k], e);
}

PqRc pq_batch_texts_load(PqBatchTexts *b, PqScan *scan, PqErr *e)
{
    for (uint32_t k = 0; k < b->n; k++) {
        PQ_TRY(b->node[k] ? load(b, k, scan, e) : PQ_OK);
    }
    return PQ_OK;
}

void pq_batch_texts_free(PqBatchTexts *b)
{
    for (uint32_t k = 0; k < b->n; k++) {
        pq_json_rows_free(b->json[k]);
    }
    pq_mem_free(b->vectors);
    *b = (PqBatchTexts){0};
}
