/*
** iceberg_values.c - rows that are deleted by their values.
**
**   a delete file:  id 7, id 9; columns 1; sequence 4      keys of columns 1, no partition
**   another one:    id 7; columns 1; sequence 6              7\n -> 6    9\n -> 4
**   a file of sequence 5 with ids 7, 8, 9                  its row of 7 is deleted
**
** For each choice of columns, the delete files of a partition that compare these are one set of
** keys, and a key has the sequence number of the last delete file that has it.  So a file is
** read once for each choice, however many delete files there are, and only where a set that
** concerns it is newer than the file.
**
** A key is the values as JSON: equal values have equal texts, whatever integer type the
** file has, and NULL is equal to NULL.
*/
#include "core/base/random.h"
#include "core/lake/file_batches.h"
#include "core/lake/iceberg.h"

typedef struct Keys {
    PqTextNumbers numbers;
    int64_t      *sequence;          /* by number                            */
    uint32_t      room;
    int64_t       newest;
} Keys;

typedef struct Values {
    PqIceberg    *t;
    const PqIcebergFile *like;       /* the first delete file of the choice  */
    Keys         *v;
    uint32_t      n, room;
    PqTextNumbers partitions;        /* of these                             */
    uint64_t      seed;
    /* Of the file that is read. */
    const PqIcebergFile *file;
    Keys          *add, *test[2];
    PqBuf         *deleted;
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
    if (!*out && (x->add || (f && (f->must || f->first)) || (!f && !pq_lake_has_ids(root)))) {
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

static PqRc add_key(Values *x, PqStr key, PqErr *e)
{
    Keys *k = x->add;
    uint32_t had = k->numbers.table.n, number;

    PQ_TRY(pq_text_numbers_find(&k->numbers, &key, 1, &number, e));
    if (number == had) {
        PQ_TRY(PQ_GROW(x->t->r->mem, k->sequence, had, k->room, e));
        k->sequence[number] = x->file->sequence;
    }
    if (k->sequence[number] < x->file->sequence) {
        k->sequence[number] = x->file->sequence;
    }
    return PQ_OK;
}

static PqRc test_key(Values *x, PqStr key, PqErr *e)
{
    for (int i = 0; i < 2; i++) {
        Keys *k = x->test[i];
        uint32_t number = k ? pq_text_numbers_get(&k->numbers, key) : PQ_NO_NUMBER;

        if (number != PQ_NO_NUMBER && k->sequence[number] > x->file->sequence) {
            return pq_lake_delete_row(x->deleted, x->row, e);
        }
    }
    return PQ_OK;
}

static PqRc visit_values(void *arg, PqScan *scan, PqErr *e)
{
    Values *x = arg;
    uint32_t n = pq_scan_batch(scan)->n_rows;

    PQ_TRY(x->columns.n ? PQ_OK : begin_file(x, scan, e));
    PQ_TRY(pq_batch_texts_load(&x->columns, scan, e));
    for (uint32_t i = 0; i < n; i++, x->row++) {
        PqStr key;

        x->key.n = 0;
        for (uint32_t k = 0; k < x->columns.n; k++) {
            const PqStr *text = x->columns.texts[k];

            if (text && text[i].p) {
                pq_buf_add(&x->key, text[i].p, text[i].n);
            }
            pq_buf_byte(&x->key, '\n');
        }
        PQ_TRY(pq_buf_ok(&x->key) ? PQ_OK : e->rc);
        key = (PqStr){x->key.p, (uint32_t)x->key.n};
        PQ_TRY(x->add ? add_key(x, key, e) : test_key(x, key, e));
    }
    return PQ_OK;
}

static PqRc read_file(Values *x, PqErr *e)
{
    const char *path;
    PqRc rc;

    PQ_TRY(pq_iceberg_path(x->t, pq_slice_text(x->file->path), &path, e));
    rc = pq_file_batches(x->t->r->engine, x->t->r->places, path, x->t->r->stop, visit_values,
                         x, e);
    pq_batch_texts_free(&x->columns);
    x->row = 0;
    return rc;
}

/* ---- sets of keys ------------------------------------------------------------------------ */

static bool is_alike(const PqIcebergFile *a, const PqIcebergFile *b)
{
    return a->content == b->content && a->n_ids == b->n_ids &&
           memcmp(a->ids, b->ids, a->n_ids * sizeof *a->ids) == 0;
}

static PqRc add_deletes(Values *x, const PqIcebergFile *d, PqErr *e)
{
    uint32_t i;

    PQ_TRY(pq_text_numbers_find(&x->partitions, &d->partition, 1, &i, e));
    if (i == x->n) {
        PQ_TRY(PQ_GROW(x->t->r->mem, x->v, x->n, x->room, e));
        x->v[x->n++] = (Keys){0};
        pq_text_numbers_init(&x->v[i].numbers, x->t->r->mem, x->seed, x->t->r->stop);
    }
    x->add = &x->v[i];
    x->add->newest = d->sequence > x->add->newest ? d->sequence : x->add->newest;
    x->file = d;
    return read_file(x, e);
}

/* The set of a partition, if it is newer than the file; else NULL. */
static Keys *newer_keys(Values *x, PqStr partition)
{
    uint32_t i = pq_text_numbers_get(&x->partitions, partition);

    return i != PQ_NO_NUMBER && x->v[i].newest > x->file->sequence ? &x->v[i] : NULL;
}

static PqRc delete_of(Values *x, uint32_t file, PqErr *e)
{
    x->file = &x->t->files.v[file];
    x->deleted = &x->t->deleted[file];
    x->test[0] = newer_keys(x, (PqStr){NULL, 0});
    x->test[1] = x->file->partition.n ? newer_keys(x, x->file->partition) : NULL;
    return x->test[0] || x->test[1] ? read_file(x, e) : PQ_OK;
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
            PQ_TRY(add_deletes(x, &deletes->v[i], e));
        }
    }
    x->add = NULL;
    for (uint32_t i = 0; i < x->t->files.n; i++) {
        PQ_TRY(delete_of(x, i, e));
    }
    return PQ_OK;
}

static void forget_keys(Values *x)
{
    while (x->n) {
        Keys *k = &x->v[--x->n];

        pq_text_numbers_free(&k->numbers);
        pq_mem_free(k->sequence);
    }
    pq_text_numbers_reset(&x->partitions);
}

PqRc pq_iceberg_delete_values(PqIceberg *t, PqErr *e)
{
    Values x = {.t = t};
    bool *done;
    PqRc rc;

    PQ_TRY(pq_random_fill(&x.seed, sizeof x.seed, e));
    PQ_TRY(PQ_ARENA_NEW(&t->scratch, done, t->deletes.n + 1u, e));
    pq_buf_init(&x.key, t->r->mem, e);
    pq_text_numbers_init(&x.partitions, t->r->mem, x.seed, t->r->stop);
    rc = PQ_OK;
    for (uint32_t i = 0; i < t->deletes.n && rc == PQ_OK; i++) {
        if (t->deletes.v[i].content == PQ_ICEBERG_VALUES && !done[i]) {
            rc = delete_by(&x, i, done, e);
            forget_keys(&x);
        }
    }
    pq_text_numbers_free(&x.partitions);
    pq_mem_free(x.v);
    pq_buf_free(&x.key);
    return rc;
}
