/*
** scan_log.c - files of a lake table that need not be opened.
**
** A log has bounds of the columns of each file.  The proofs of the scan are asked about
** these as about the statistics of a row group, but with the types of the table:
** those of the file are not known.
*/
#include "core/scan/scan_inside.h"

static bool find_nodes(PqScan *s)
{
    const PqLakeSnapshot *of = s->listing->snapshot;
    PqErr e = PQ_NO_ERR;

    return PQ_NEW(s->mem, s->log_nodes, s->table->n_columns + 1u, &e) == PQ_OK &&
           pq_table_map(s->table, of->schema, s->listing->lake, false, s->log_nodes, &e) == PQ_OK;
}

static bool find_bounds(const PqScan *s, const PqListedFile *f, uint32_t column,
                        PqLeafBounds *out)
{
    const PqNode *node = s->log_nodes[column];
    const PqLeaf *leaf = node && node->kind == PQ_NODE_LEAF
                             ? &s->listing->snapshot->schema->schema.leaves[node->leaf] : NULL;

    for (uint32_t i = 0; leaf && i < f->n_bounds; i++) {
        if (f->bounds[i].leaf == leaf->index) {
            *out = (PqLeafBounds){leaf, f->bounds[i].bounds, f->n_rows};
            return true;
        }
    }
    return false;
}

bool pq_scan_log_skips(PqScan *s, const PqListedFile *f)
{
    bool refuted = false;

    if (!f->n_bounds || !s->n_proofs || s->table->unnest.n ||
        s->distrust & (1u << PQ_BY_STATISTICS | 1u << PQ_BY_LOG) ||
        (!s->log_nodes && !find_nodes(s))) {
        return false;
    }
    for (uint32_t i = 0; i < s->n_proofs && !refuted; i++) {
        const PqProof *p = s->proofs[i];
        PqLeafBounds bounds[PQ_PROOF_LEAVES];
        uint32_t k = 0;

        while (!p->refutes_box && k < p->n_columns &&
               find_bounds(s, f, p->column[k], &bounds[k])) {
            k++;
        }
        refuted = k > 0 && k == p->n_columns && p->refutes(p, bounds, f->n_rows);
    }
    return refuted;
}
