/*
** iceberg_values.c - rows that are deleted by their values.
**
**   a delete file:  id 7, id 9; columns 1; sequence 4      keys of columns 1, no partition
**   another one:    id 7; columns 1; sequence 6              7\n -> 6    9\n -> 4
**   a file of sequence 5 with ids 7, 8, 9                  its row of 7 is deleted
**
** For each choice of columns, the delete files that compare these are one set of keys, and a key
** has the sequence number of the last delete file that has it.  So a file is read once for each
** choice, however many delete files there are, and only where one of its partition, or of none,
** is newer than the file.
**
** A key is the values as JSON, each with an end of line, and the partition: equal values have equal
** texts, whatever integer type the file has, and NULL is equal to NULL.
*/
#include "core/base/random.h"
#include "core/lake/file_batches.h"
#include "core/lake/iceberg.h"

typedef struct Values {
    PqIceberg    *t;
    const PqIcebergFile *like;       /* the first delete file of the choice  */
    PqTextNumbers keys;              /* values and partition; and "\t" and the partition */
    int64_t      *sequence;          /* ... the last one, by number          */
    uint32_t      room;
    /* Of the file that is read. */
    const PqIcebergFile *file;
    PqBuf         *deleted;          /* NULL: it is a delete file            */
    PqBatchTexts   columns;
    PqBuf          key;
    int64_t        row;
} Values;

/* ---- columns ----------------------------------------------------------------------------- */

/* A column of the file; NULL: it lacks it. */
static PqRc find_column(Values *x, const PqNode *root, int32_t id, const PqNode **out,
                        PqErr *e)
{
    const PqLakeField *f = pq_lake_field_by_id(x->t->r->s, id);

    *out = pq_node_by_id(root, id);
    if (!*out && !pq_lake_has_ids(root)) {
        for (uint32_t i = 0; f && i < f->n_aliases && !*out; i++) {
            *out = pq_node_field(root, f->aliases[i], 0);
        }
    }
    if (!*out && (!x->deleted || (f && (f->must || f->first)) || (!f && !pq_lake_has_ids(root)))) {
        return pq_fail(e, PQ_UNSUPPORTED, "rows are deleted by column %d, which the file lacks",
                       (int)id);
    }
    return *out && ((*out)->kind != PQ_NODE_LEAF || (*out)->rep || pq_type_is_float(&(*out)->type))
               ? pq_fail(e, PQ_UNSUPPORTED, "rows are deleted by values of %s", (*out)->path)
               : PQ_OK;
}

static PqRc begin_file(Values *x, PqScan *scan, PqErr *e)
{
    const PqSchema *s = &pq_scan_footer(scan)->schema;
    const PqNode *node;

    for (uint32_t k = 0; k < x->like->n_ids; k++) {
        PQ_TRY(find_column(x, s->root, x->like->ids[k], &node, e));
        PQ_TRY(pq_batch_texts_add(&x->columns, x->t->r->mem, s, node, e));
    }
    return PQ_OK;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Notes that the file has the key. */
static PqRc add_key(Values *x, PqErr *e)
{
    const PqStr key = {x->key.p, (uint32_t)x->key.n};
    uint32_t had = x->keys.table.n, number;

    PQ_TRY(pq_text_numbers_find(&x->keys, &key, 1, &number, e));
    if (number == had) {
        PQ_TRY(PQ_GROW(x->t->r->mem, x->sequence, had, x->room, e));
        x->sequence[number] = x->file->sequence;
    }
    if (x->sequence[number] < x->file->sequence) {
        x->sequence[number] = x->file->sequence;
    }
    return PQ_OK;
}

/* Has a delete file that is newer than the file the first n bytes of the key? */
static bool is_newer(Values *x, size_t n)
{
    uint32_t number = pq_text_numbers_get(&x->keys, (PqStr){x->key.p, (uint32_t)n});

    return number != PQ_NO_NUMBER && x->sequence[number] > x->file->sequence;
}

/* Puts the partition after the values.  *out: is there a newer key of it, or of no partition? */
static PqRc end_key(Values *x, bool *out, PqErr *e)
{
    size_t n = x->key.n;

    pq_buf_add(&x->key, x->file->partition.p, x->file->partition.n);
    PQ_TRY(pq_buf_ok(&x->key) ? PQ_OK : e->rc);
    *out = x->deleted && (is_newer(x, n) || (x->key.n > n && is_newer(x, x->key.n)));
    return x->deleted ? PQ_OK : add_key(x, e);
}

static PqRc visit_values(void *arg, PqScan *scan, PqErr *e)
{
    Values *x = arg;
    uint32_t n = pq_scan_batch(scan)->n_rows;

    PQ_TRY(x->columns.n ? PQ_OK : begin_file(x, scan, e));
    PQ_TRY(pq_batch_texts_load(&x->columns, scan, e));
    for (uint32_t i = 0; i < n; i++, x->row++) {
        bool is_deleted;

        x->key.n = 0;
        for (uint32_t k = 0; k < x->columns.n; k++) {
            const PqStr *text = x->columns.texts[k];

            if (text && text[i].p) {
                pq_buf_add(&x->key, text[i].p, text[i].n);
            }
            pq_buf_byte(&x->key, '\n');
        }
        PQ_TRY(end_key(x, &is_deleted, e));
        PQ_TRY(is_deleted ? pq_lake_delete_row(x->deleted, x->row, e) : PQ_OK);
    }
    return PQ_OK;
}

/* A delete file; deleted not NULL: a file whose rows may be deleted, if some set of keys is
** newer. */
static PqRc read_file(Values *x, const PqIcebergFile *file, PqBuf *deleted, PqErr *e)
{
    bool is_wanted;
    const char *path;
    PqRc rc;

    x->file = file;
    x->deleted = deleted;
    x->row = 0;
    x->key.n = 0;
    pq_buf_byte(&x->key, '\t');
    PQ_TRY(end_key(x, &is_wanted, e));
    if (deleted && !is_wanted) {
        return PQ_OK;
    }
    PQ_TRY(pq_iceberg_path(x->t, pq_slice_text(file->path), &path, e));
    rc = pq_file_batches(x->t->r->engine, x->t->r->places, path, x->t->r->stop, visit_values,
                         x, e);
    pq_batch_texts_free(&x->columns);
    return rc;
}

/* ---- sets of keys ------------------------------------------------------------------------ */

static bool is_alike(const PqIcebergFile *a, const PqIcebergFile *b)
{
    return a->content == b->content && a->n_ids == b->n_ids &&
           memcmp(a->ids, b->ids, a->n_ids * sizeof *a->ids) == 0;
}

/* By the columns of a delete file, and of those after it that compare the same. */
static PqRc delete_by(Values *x, uint32_t first, bool *done, PqErr *e)
{
    const PqIcebergFiles *deletes = &x->t->deletes;

    x->like = &deletes->v[first];
    if (x->like->n_ids > PQ_BATCH_TEXTS_MOST) {
        return pq_fail(e, PQ_UNSUPPORTED, "rows are deleted by more than %d columns",
                       PQ_BATCH_TEXTS_MOST);
    }
    for (uint32_t i = first; i < deletes->n; i++) {
        if (is_alike(&deletes->v[i], x->like)) {
            done[i] = true;
            PQ_TRY(read_file(x, &deletes->v[i], NULL, e));
        }
    }
    for (uint32_t i = 0; i < x->t->files.n; i++) {
        PQ_TRY(read_file(x, &x->t->files.v[i], &x->t->deleted[i], e));
    }
    return PQ_OK;
}

PqRc pq_iceberg_delete_values(PqIceberg *t, PqErr *e)
{
    Values x = {.t = t};
    uint64_t seed;
    bool *done;
    PqRc rc = PQ_OK;

    PQ_TRY(pq_random_fill(&seed, sizeof seed, e));
    PQ_TRY(PQ_ARENA_NEW(&t->scratch, done, t->deletes.n + 1u, e));
    pq_buf_init(&x.key, t->r->mem, e);
    pq_text_numbers_init(&x.keys, t->r->mem, seed, t->r->stop);
    for (uint32_t i = 0; i < t->deletes.n && rc == PQ_OK; i++) {
        if (t->deletes.v[i].content == PQ_ICEBERG_VALUES && !done[i]) {
            rc = delete_by(&x, i, done, e);
            pq_text_numbers_reset(&x.keys);
        }
    }
    pq_text_numbers_free(&x.keys);
    pq_mem_free(x.sequence);
    pq_buf_free(&x.key);
    return rc;
}
