/*
** file_rows.c - scans a file and hands out its values row by row.
*/
#include "core/lake/file_rows.h"

#include "core/lake/file_batches.h"

typedef struct Rows {
    const PqFileColumn *columns;
    uint32_t        n;
    PqFileRow       visit;
    void           *arg;
    const PqNode   *node[PQ_FILE_ROWS_MOST];     /* NULL: the file lacks it  */
    const PqVector *vector[PQ_FILE_ROWS_MOST];
    int64_t         row;
} Rows;

static PqRc find(Rows *k, const PqSchema *schema, PqErr *e)
{
    for (uint32_t i = 0; i < k->n; i++) {
        const PqFileColumn *c = &k->columns[i];
        const PqNode *node = c->id ? pq_node_by_id(schema->root, c->id) : NULL;
        PqPhysical type;

        node = node ? node : pq_node_field(schema->root, pq_slice_text(c->name), 0);
        type = pq_node_is_flat_leaf(node) ? node->type.physical : PQ_INT96;
        if ((node || !c->may_lack) && (c->is_text ? type != PQ_BYTE_ARRAY
                                                  : type != PQ_INT64 && type != PQ_INT32)) {
            return pq_fail(e, PQ_CORRUPT, "the file has no column %s of %s", c->name,
                           c->is_text ? "texts" : "whole numbers");
        }
        k->node[i] = node;
    }
    return PQ_OK;
}

static PqRc take(const Rows *k, uint32_t i, uint32_t row, PqFileValue *out, PqErr *e)
{
    const PqVector *v = k->vector[i];

    if (!pq_vector_is_valid(v, row)) {
        return pq_fail(e, PQ_CORRUPT, "column %s has a NULL", k->columns[i].name);
    }
    out->is_there = true;
    if (k->columns[i].is_text) {
        out->text = *(const PqStr *)pq_vector_at(v, sizeof(PqStr), row);
    } else if (k->node[i]->type.physical == PQ_INT64) {
        out->number = *(const int64_t *)pq_vector_at(v, sizeof(int64_t), row);
    } else {
        out->number = *(const int32_t *)pq_vector_at(v, sizeof(int32_t), row);
    }
    return PQ_OK;
}

static PqRc visit_batch(void *arg, PqScan *scan, PqErr *e)
{
    Rows *k = arg;
    uint32_t n_rows = pq_scan_batch(scan)->n_rows;
    PqFileValue values[PQ_FILE_ROWS_MOST] = {{0}};

    PQ_TRY(k->row ? PQ_OK : find(k, &pq_scan_footer(scan)->schema, e));
    for (uint32_t i = 0; i < k->n; i++) {
        PQ_TRY(k->node[i] ? pq_scan_vector(scan, (uint32_t)k->node[i]->leaf, &k->vector[i], e)
                          : PQ_OK);
    }
    for (uint32_t row = 0; row < n_rows; row++) {
        for (uint32_t i = 0; i < k->n; i++) {
            PQ_TRY(k->node[i] ? take(k, i, row, &values[i], e) : PQ_OK);
        }
        PQ_TRY(k->visit(k->arg, k->row++, values, e));
    }
    return PQ_OK;
}

PqRc pq_file_rows(PqEngine *g, const PqPlaces *places, const char *path,
                  const PqFileColumn *columns, uint32_t n, const PqStop *stop, PqFileRow visit,
                  void *arg, PqErr *e)
{
    Rows k = {.columns = columns, .n = n, .visit = visit, .arg = arg};
    const PqWhere outer = pq_where_enter(e, path);
    PqRc rc = pq_file_batches(g, places, path, stop, visit_batch, &k, e);

    e->where = outer;
    return rc;
}
