/*
** verify_sort.c - are the rows in the order that sorting_columns claims?
**
**   a DESC NULLS FIRST, b      a  NULL  2  2  1
**                              b  c     a  b  b      each row not before the
**                                                    one above it
**
** The columns are read side by side, a batch at a time.  The last row of a
** batch is kept, to be compared with the first row of the next.  A column that
** has no order, or several values per row, ends the list: the columns after it
** cannot be checked.  Writers do not agree where NaN belongs, so it is equal to
** everything.
*/
#include "core/verify/verify_inside.h"

enum { COLUMNS = 8, ROWS = 2048 };

typedef struct Key {
    PqLeafReader   reader;
    const PqLeaf  *leaf;
    PqOrder        order;
    bool           descending, nulls_first;
    PqVector       rows;
    bool           last_is_null;     /* of the batch before */
    PqBuf          last;
} Key;

typedef struct Sorting {
    PqVerify *v;
    Key      *keys;
    uint32_t  n;
} Sorting;

/* A value, or p NULL for null. */
static PqSlice value_of(const Key *k, uint32_t row)
{
    static const uint8_t empty[1];
    PqSlice v;

    if (!pq_vector_is_valid(&k->rows, row)) {
        return pq_slice(NULL, 0);
    }
    v = k->rows.dict ? pq_tally_value(&k->leaf->type, k->rows.dict->values,
                                      k->rows.ids[row])
                     : pq_tally_value(&k->leaf->type, k->rows.values, row);
    return v.p ? v : pq_slice(empty, 0);
}

static bool is_nan(const Key *k, PqSlice v)
{
    return k->order == PQ_ORDER_FLOAT && pq_order_is_nan(&k->leaf->type, v);
}

/* < 0 when b belongs after a, > 0 when it belongs before a, 0 for either. */
static int compare(const Key *k, PqSlice a, PqSlice b)
{
    int c;

    if (!a.p || !b.p) {
        c = (a.p != NULL) - (b.p != NULL);
        return k->nulls_first ? c : -c;
    }
    if (is_nan(k, a) || is_nan(k, b)) {
        return 0;
    }
    c = pq_order_compare(k->order, &k->leaf->type, a, b);
    return k->descending ? -c : c;
}

/* The value of the row before `row`; for row 0 the kept value. */
static PqSlice value_before(const Key *k, uint32_t row)
{
    if (row > 0) {
        return value_of(k, row - 1);
    }
    return k->last_is_null ? pq_slice(NULL, 0) : pq_slice(k->last.p, k->last.n);
}

static bool is_behind(const Sorting *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->n; i++) {
        int c = compare(&s->keys[i], value_before(&s->keys[i], row),
                        value_of(&s->keys[i], row));
        if (c != 0) {
            return c < 0;
        }
    }
    return true;
}

static PqRc keep_last(Key *k, uint32_t n_rows, PqErr *e)
{
    PqSlice v = value_of(k, n_rows - 1);

    k->last_is_null = !v.p;
    PQ_TRY(pq_buf_reserve(&k->last, 1, e));      /* p NULL would be a null */
    return pq_buf_set(&k->last, v, e);
}

static PqRc open_key(Sorting *s, Key *k, PqErr *e)
{
    PqVerify *v = s->v;
    PqInput *in;
    PqArena *a;

    PQ_TRY(pq_leaf_reader_init(&k->reader, &v->ctx, e));
    a = pq_leaf_reader_arena(&k->reader);
    PQ_TRY(pq_footer_chunk(v->f, v->group, k->leaf->index, a,
                           &k->reader.chunk.chunk, e));
    PQ_TRY(pq_chunk_files_input(&v->parts, &k->reader.chunk.chunk, v->group, &in,
                          e));
    return pq_leaf_reader_open(&k->reader, in, k->leaf, (int)v->group,
                               v->f->groups[v->group].num_rows,
                               v->f->file.created_by, false, e);
}

/* Compares until a row is out of order: *at is that row, -1 if there is
** none. */
static PqRc compare_rows(Sorting *s, int64_t *at, PqErr *e)
{
    int64_t rows = s->v->f->groups[s->v->group].num_rows;

    *at = -1;
    for (int64_t row = 0; row < rows; row += ROWS) {
        uint32_t n = rows - row < ROWS ? (uint32_t)(rows - row) : ROWS, i;

        PQ_TRY(pq_stop_poll(&s->v->ctx.stop, e));
        for (i = 0; i < s->n; i++) {
            PQ_TRY(pq_leaf_read(&s->keys[i].reader, row, n, &s->keys[i].rows,
                                e));
        }
        for (i = row == 0; i < n; i++) {
            if (!is_behind(s, i)) {
                *at = row + i;
                return PQ_OK;
            }
        }
        for (i = 0; i < s->n; i++) {
            PQ_TRY(keep_last(&s->keys[i], n, e));
        }
    }
    return PQ_OK;
}

static PqRc choose_keys(Sorting *s, PqErr *e)
{
    const PqFooter *f = s->v->f;
    const PqSortingColumnList *list =
        &f->file.row_groups.v[s->v->group].sorting_columns;

    for (uint32_t i = 0; i < list->n && s->n < COLUMNS; i++) {
        const PqSortingColumn *c = &list->v[i];
        Key *k = &s->keys[s->n];

        if (c->column_idx < 0 || (uint32_t)c->column_idx >=
                                     f->schema.n_leaves) {
            return pq_verify_find(s->v, PQ_FINDING_ERROR, "sorting_columns",
                                  NULL, pq_verify_number(s->v, c->column_idx,
                                                         e), e,
                                  "there is no such column");
        }
        k->leaf = &f->schema.leaves[c->column_idx];
        k->order = pq_order_of_type(&k->leaf->type);
        k->descending = c->descending;
        k->nulls_first = c->nulls_first;
        if (k->leaf->max_rep > 0 || k->order == PQ_ORDER_NONE) {
            return PQ_OK;
        }
        pq_buf_init(&k->last, s->v->mem, NULL);
        s->n++;
        PQ_TRY(open_key(s, k, e));
    }
    return PQ_OK;
}

PqRc pq_verify_sorting(PqVerify *v, PqErr *e)
{
    Sorting s = {.v = v};
    int64_t at;
    PqRc rc;

    if (v->f->file.row_groups.v[v->group].sorting_columns.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(PQ_NEW(v->mem, s.keys, COLUMNS, e));
    PQ_GO(choose_keys(&s, e));
    PQ_GO(compare_rows(&s, &at, e));
    if (at >= 0) {
        rc = pq_verify_find(v, PQ_FINDING_ERROR, "sorting_columns", NULL,
                            pq_verify_number(v, at, e), e,
                            "this row of the row group belongs before the "
                            "previous one");
    }
done:
    for (uint32_t i = 0; i < s.n; i++) {
        pq_leaf_reader_reset(&s.keys[i].reader);
        pq_buf_free(&s.keys[i].last);
    }
    pq_mem_free(s.keys);
    return rc == PQ_OK ? rc : pq_verify_failure(v, "sorting_columns", e);
}
