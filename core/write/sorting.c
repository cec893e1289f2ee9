/*
** sorting.c - declares sorted columns, and checks a promised order.
**
** The check compares each row with the previous one, which may be in an earlier
** slab or row group, so the values of the last row are copied.  Nulls take part
** in the order, but a batch stores no value for them, so each column counts its
** own position.
*/
#include "core/write/sorting.h"

#include "core/meta/plain_text.h"
#include "core/meta/tally.h"

PqSortingColumn pq_sorting_claim(uint32_t leaf, bool descending,
                                 bool nulls_first)
{
    return (PqSortingColumn){
        .has = 1u << 1 | 1u << 2 | 1u << 3,          /* all three */
        .column_idx = (int32_t)leaf,
        .descending = descending,
        .nulls_first = nulls_first,
    };
}

/* A column that holds only one value, or none, is not declared: it is sorted in
** every order. */
uint32_t pq_sorting_proven(PqChunkWrite *const *chunks, uint32_t n,
                           PqSortingColumn *out)
{
    uint32_t n_out = 0;

    for (uint32_t i = 0; i < n; i++) {
        const PqSortedMake *s = pq_chunk_write_sorted(chunks[i]);
        bool descending, nulls_first;

        if (s && s->has_value && !(s->ascending && s->descending) &&
            pq_sorted_made(s, &descending, &nulls_first)) {
            out[n_out++] = pq_sorting_claim(i, descending, nulls_first);
        }
    }
    return n_out;
}

typedef struct Key {
    const PqLeaf *leaf;
    PqOrder       order;
    PqBuf         last;              /* PLAIN, of the previous row           */
    bool          last_null;
    uint32_t      at;                /* value of the current row             */
} Key;

struct PqSortingCheck {
    const PqSortingBy *by;
    Key     *keys;
    uint32_t n;
    bool     any;                    /* there is a previous row              */
};

PqRc pq_sorting_check_new(PqMem *mem, const PqSortingBy *by,
                          const PqLeaf *const *leaves, uint32_t n,
                          PqSortingCheck **out, PqErr *e)
{
    PqSortingCheck *s = pq_mem_zeros(mem, 1, sizeof *s, e);

    *out = NULL;
    if (!s || !(s->keys = pq_mem_zeros(mem, n, sizeof *s->keys, e))) {
        pq_mem_free(s);
        return e->rc;
    }
    s->by = by;
    s->n = n;
    for (uint32_t i = 0; i < n; i++) {
        s->keys[i].leaf = leaves[i];
        s->keys[i].order = pq_order_of_type(&leaves[i]->type);
        pq_buf_init(&s->keys[i].last, mem, NULL);
    }
    *out = s;
    return PQ_OK;
}

void pq_sorting_check_free(PqSortingCheck *s)
{
    if (s) {
        for (uint32_t i = 0; i < s->n; i++) {
            pq_buf_free(&s->keys[i].last);
        }
        pq_mem_free(s->keys);
        pq_mem_free(s);
    }
}

static bool is_null(const PqLeafBatch *b, uint32_t row)
{
    return pq_leaf_batch_has_valid(b) && !(b->valid[row / 64] >> row % 64 & 1);
}

/* < 0 when the previous row belongs before this one, as it should. */
static int compare(const Key *k, const PqSortingBy *by, bool null, PqSlice v)
{
    int c;

    if (null || k->last_null) {
        c = (int)k->last_null - (int)null;
        return by->nulls_first ? -c : c;
    }
    c = pq_order_compare(k->order, &k->leaf->type, pq_buf_view(&k->last), v);
    return by->descending ? -c : c;
}

static PqRc keep(Key *k, bool null, PqSlice v, PqErr *e)
{
    k->last_null = null;
    k->at += !null;
    return null ? PQ_OK : pq_buf_set(&k->last, v, e);
}

static void tell_value(const PqType *t, bool null, PqSlice v, PqBuf *out)
{
    enum { LONGEST = 40 };           /* of texts and bytes */
    bool is_cut = !null && v.n > LONGEST && t->logical <= PQ_TYPE_BSON;

    if (null) {
        pq_buf_text(out, "NULL");
        return;
    }
    v.n = is_cut ? LONGEST : v.n;
    if (is_cut && t->physical == PQ_FIXED) {
        pq_plain_text_bytes(v, out);
    } else {
        pq_plain_text(t, v, out);
    }
    pq_buf_text(out, is_cut ? "..." : "");
}

static void tell(const Key *k, bool null, PqSlice v, PqBuf *why)
{
    const PqType *t = &k->leaf->type;

    pq_buf_text(why, "column ");
    pq_buf_text(why, k->leaf->path);
    pq_buf_text(why, ", ");
    tell_value(t, null, v, why);
    pq_buf_text(why, " after ");
    tell_value(t, k->last_null, pq_buf_view(&k->last), why);
}

PqRc pq_sorting_check_rows(PqSortingCheck *s, const PqLeafBatch *batches,
                           uint32_t n_rows, uint32_t *unsorted, PqBuf *why,
                           PqErr *e)
{
    for (uint32_t i = 0; i < s->n; i++) {
        s->keys[i].at = 0;
    }
    for (uint32_t row = 0; row < n_rows; row++) {
        int order = s->any ? 0 : -1;

        for (uint32_t i = 0; i < s->n; i++) {
            Key *k = &s->keys[i];
            const PqLeafBatch *b = &batches[k->leaf->index];
            bool null = is_null(b, row);
            PqSlice v = {NULL, 0};

            if (!null) {
                v = pq_tally_value(&k->leaf->type, b->values, k->at);
            }
            order = order ? order : compare(k, &s->by[i], null, v);
            if (order > 0) {
                *unsorted = row;
                tell(k, null, v, why);
                return PQ_OK;
            }
            PQ_TRY(keep(k, null, v, e));
        }
        s->any = true;
    }
    *unsorted = n_rows;
    return PQ_OK;
}
