/*
** scan_dict.c - refutes a row group by the dictionary of a column chunk.
**
** If all data pages hold only indices, every value of the chunk is in its
** dictionary page.  The row group is skipped if no entry passes:
**
**   dictionary   cash  card  app           word = 'coin': none passes
**   data pages   0 0 1 2 0 null 1 ...      null passes nothing
**
** An entry has to pass all conditions on the column; BETWEEN is two conditions.
** (DISTINCT asks in the same way whether there is an entry it has not seen.)
**
** An entry that no row uses may keep a row group that could be skipped.  The
** reverse cannot happen.
**
** The hard part is to know that all data pages hold only indices: the metadata
** often says it only indirectly.  The dictionary is read by the reader that
** later decodes the rows, so it is read once.
*/
#include "core/scan/scan_inside.h"
#include "core/meta/tally.h"

enum {
    SMALL = 1 << 16,                 /* bytes: always worth a look           */
    SHARE = 4,                       /* else at most 1/SHARE of the chunk   */
    MOST_TESTS = 1 << 22             /* entries times operands               */
};

static bool is_data(int32_t page_type)
{
    return page_type == PQ_PAGE_DATA || page_type == PQ_PAGE_DATA_V2;
}

static bool counted_as_dictionary(const PqPageEncodingStatsList *pages)
{
    bool any = false;

    for (uint32_t i = 0; i < pages->n; i++) {
        if (is_data(pages->v[i].page_type) && pages->v[i].count != 0) {
            if (!pq_encoding_is_dictionary(pages->v[i].encoding)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

/* Without a count of pages the list of encodings decides.  Besides dictionary
** encodings it may have RLE and BIT_PACKED, which are for levels.  With PLAIN
** the answer is no: it may be the encoding of the dictionary page or of a data
** page. */
static bool listed_as_dictionary(const PqI32List *encodings)
{
    bool any = false;

    for (uint32_t i = 0; i < encodings->n; i++) {
        if (pq_encoding_is_dictionary(encodings->v[i])) {
            any = true;
        } else if (encodings->v[i] != PQ_ENCODING_RLE &&
                   encodings->v[i] != PQ_ENCODING_BIT_PACKED) {
            return false;
        }
    }
    return any;
}

static bool has_all_values(const PqColumnMetaData *m)
{
    if (m->type == PQ_BOOLEAN) {
        return false;                /* RLE is for values too */
    }
    return m->encoding_stats.n ? counted_as_dictionary(&m->encoding_stats)
                               : listed_as_dictionary(&m->encodings);
}

/* Is the dictionary small compared with what it may save? */
static bool is_worth_reading(const PqColumnMetaData *m)
{
    int64_t n = m->data_page_offset - m->dictionary_page_offset;

    return PQ_HAS(m, PQ_COLUMN_DICTIONARY_PAGE_OFFSET) &&
           m->dictionary_page_offset > 0 && n > 0 &&
           (n < SMALL || n < m->total_compressed_size / SHARE);
}

static bool is_about(const PqProof *p, uint32_t column)
{
    return p->by_value && p->n_columns == 1 && p->column[0] == column;
}

/* Is this the first proof about its column?  All proofs about a column are
** asked together, when it is the turn of the first. */
static bool is_first_about(const PqScan *s, const PqProof *p)
{
    for (uint32_t i = 0; s->proofs[i] != p; i++) {
        if (is_about(s->proofs[i], p->column[0])) {
            return false;
        }
    }
    return is_about(p, p->column[0]);
}

static uint64_t tests_per_value(const PqScan *s, uint32_t column)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < s->n_proofs; i++) {
        n += is_about(s->proofs[i], column) ? s->proofs[i]->n_operands + 1u : 0;
    }
    return n;
}

static bool passes(const PqScan *s, uint32_t column, const PqLeaf *leaf,
                   PqSlice v)
{
    PqLeafBounds b = {.leaf = leaf, .n_values = 1};

    if (pq_order_of_type(&leaf->type) == PQ_ORDER_FLOAT &&
        pq_order_is_nan(&leaf->type, v)) {
        b.bounds.n_nans = 1;
    } else {
        b.bounds.order = pq_order_of_type(&leaf->type);
        b.bounds.has_min = b.bounds.has_max = true;
        b.bounds.min_exact = b.bounds.max_exact = true;
        b.bounds.min = b.bounds.max = v;
    }
    for (uint32_t i = 0; i < s->n_proofs; i++) {
        if (is_about(s->proofs[i], column) &&
            s->proofs[i]->refutes(s->proofs[i], &b, 1)) {
            return false;
        }
    }
    return true;
}

static PqRc none_passes(PqScan *s, uint32_t column, const PqLeaf *leaf,
                        bool *none, PqErr *e)
{
    const PqDict *dict;

    PQ_TRY(pq_scan_enter_leaf(s, leaf->index, s->group, e));
    PQ_TRY(pq_leaf_dictionary(s->leaves[leaf->index].reader, &dict, e));
    if (!dict || dict->n * tests_per_value(s, column) > MOST_TESTS) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < dict->n; i++) {
        if (passes(s, column, leaf,
                   pq_tally_value(&leaf->type, dict->values, i))) {
            return PQ_OK;
        }
    }
    *none = true;
    return PQ_OK;
}

PqRc pq_scan_dictionary(PqScan *s, uint32_t leaf, const PqDict **out,
                        bool *nulls, PqErr *e)
{
    PqScanLeaf *l = &s->leaves[leaf];
    PqWhere outer = e->where;
    const PqColumnMetaData *m;
    PqBounds bounds;

    *out = NULL;
    *nulls = true;
    e->where.file = pq_scan_path(s);
    if (l->group != s->batch.group) {
        PQ_TRY(pq_scan_enter_leaf(s, leaf, s->batch.group, e));
        l->batch = 0;
    }
    m = &l->reader->chunk.chunk.meta_data;
    if (has_all_values(m) && is_worth_reading(m)) {
        bounds = pq_stats_bounds(s->footer, leaf, &m->statistics,
                                 m->num_values);
        *nulls = s->footer->schema.leaves[leaf].max_def > 0 &&
                 bounds.n_nulls != 0;
        PQ_TRY(pq_leaf_dictionary(l->reader, out, e));
    }
    e->where = outer;
    return PQ_OK;
}

PqRc pq_scan_refute_dict(PqScan *s, const PqProof *p, PqArena *a,
                         bool *refuted, PqErr *e)
{
    const PqLeaf *leaf = pq_scan_group_leaf(s, p->column[0], s->group);
    PqWhere outer = e->where;
    PqColumnChunk chunk;
    PqRc rc;

    if (!leaf || !is_first_about(s, p)) {
        return PQ_OK;
    }
    PQ_TRY(pq_footer_chunk(s->footer, s->group, leaf->index, a, &chunk, e));
    if (!has_all_values(&chunk.meta_data) ||
        !is_worth_reading(&chunk.meta_data)) {
        return PQ_OK;
    }
    rc = none_passes(s, p->column[0], leaf, refuted, e);
    if (rc != PQ_OK) {
        s->leaves[leaf->index].group = -1;   /* the rows reopen it */
    }
    return pq_scan_forgive(rc, outer, e);
}
