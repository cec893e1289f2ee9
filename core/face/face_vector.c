/*
** face_vector.c - the vectors of a batch, with the type of their column.
**
** Mostly that is the file's type, and the engine's vector is used.  In a union
** of files that differ, values are converted one by one, and only in rows that
** the conditions have left: each becomes a ParquetValue, which is stored as a
** copy would store it.  Nested values become JSON, and so does every value in a
** column of texts, but without quotes.
*/
#include "core/face/face.h"

#include "core/nested/json_rows.h"

typedef struct FaceVector {
    ParquetVector out;
    uint64_t      loaded;            /* the serial of the batch, or 0          */
    PqLeaf        leaf;              /* of made                                */
    PqLeafBatch   made;
    uint64_t      valid[PQ_BATCH_ROWS / 64];
    uint64_t      file;              /* serial of the file of json             */
    PqJsonRows   *json;
    const PqVector **leaves;
    int64_t       i;                 /* the value of a folder                  */
    PqStr         text;
} FaceVector;

static const uint64_t no_row[PQ_BATCH_ROWS / 64];
static const uint32_t no_ids[PQ_BATCH_ROWS];

PqRc pq_face_vectors_new(ParquetScan *s)
{
    PqMem *mem = pq_scan_mem(s->scan);

    s->vectors = pq_mem_zeros(mem, (size_t)s->t->n_columns + 1, sizeof *s->vectors,
                              &s->h.e);
    for (int i = 0; s->vectors && i < s->t->n_columns; i++) {
        FaceVector *v = &s->vectors[i];

        v->leaf.type = s->t->of[i].type;
        pq_leaf_batch_init(&v->made, &v->leaf, mem);
    }
    return s->h.e.rc;
}

void pq_face_vectors_free(ParquetScan *s)
{
    for (int i = 0; s->vectors && i < s->t->n_columns; i++) {
        pq_json_rows_free(s->vectors[i].json);
        pq_mem_free(s->vectors[i].leaves);
        pq_leaf_batch_free(&s->vectors[i].made);
    }
    pq_mem_free(s->vectors);
}

bool pq_face_of_folder(const ParquetTable *t, int column, const PqListedFile *file,
                       int64_t *i, PqStr *text)
{
    const PqHiveValue *v = &file->hive[t->of[column].folder];

    if (!v->text) {
        return false;
    }
    *i = v->integer;
    *text = (PqStr){(const uint8_t *)v->text, (uint32_t)strlen(v->text)};
    return true;
}

/* Gives all rows the folder's value, or none. */
static void load_folder(ParquetScan *s, int column, FaceVector *v)
{
    const PqListedFile *file = &s->t->listing.files[pq_scan_batch(s->scan)->file];

    v->out.n_values = 1;
    v->out.ids = no_ids;
    v->out.valid = pq_face_of_folder(s->t, column, file, &v->i, &v->text) ? NULL : no_row;
    v->out.values = v->leaf.type.physical == PQ_INT64 ? (const void *)&v->i : &v->text;
}

static bool is_bytes(const PqType *t)
{
    return (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED) &&
           t->logical != PQ_TYPE_DECIMAL;
}

/* Is a value of one type the same bytes in the other? */
static bool is_same(const PqType *from, const PqType *to)
{
    return pq_type_equal(from, to) ||
           (is_bytes(from) && is_bytes(to) && to->physical == PQ_BYTE_ARRAY &&
            pq_type_is_text(from) == pq_type_is_text(to));
}

/* Adds a text to v->made, with the NUL that follows a BYTE_ARRAY. */
static PqRc add_text(FaceVector *v, const void *p, size_t n, PqErr *e)
{
    PqStr *out = (PqStr *)v->made.values + v->made.n_values++;

    *out = (PqStr){(const uint8_t *)pq_arena_text(&v->made.bytes, p, n, e), (uint32_t)n};
    return e->rc;
}

/* Converts row r of a vector of another type into the next value of v->made. */
static PqRc convert_row(FaceVector *v, const PqVector *from, uint32_t r, PqErr *e)
{
    const PqType *type = &from->leaf->type;
    const void *at = pq_vector_at(from, pq_physical_width(type->physical), r);
    ParquetValue value;

    if (is_same(type, &v->leaf.type)) {
        return add_text(v, ((const PqStr *)at)->p, ((const PqStr *)at)->n, e);
    }
    PQ_TRY(pq_face_value(type, at, &v->made.bytes, &value, e));
    if (pq_face_fill(&value, &v->made, e) == PQ_USAGE) {
        e->rc = PQ_UNSUPPORTED;      /* the file's value, not the caller's */
    }
    return e->rc;
}

static PqRc convert(FaceVector *v, const PqVector *from, const uint64_t *keep, PqErr *e)
{
    size_t width = pq_physical_width(v->leaf.type.physical);

    pq_leaf_batch_reset(&v->made);
    PQ_TRY(pq_leaf_batch_reserve(&v->made, from->n_rows, e));
    for (uint32_t r = 0; r < from->n_rows; r++) {
        if (pq_vector_is_valid(from, r) && (!keep || pq_bit(keep, r))) {
            PQ_TRY(convert_row(v, from, r, e));
        } else {
            memset((char *)v->made.values + r * width, 0, width);
            v->made.n_values++;
        }
    }
    v->out.values = v->made.values;
    v->out.n_values = from->n_rows;
    return PQ_OK;
}

static PqRc load_leaf(ParquetScan *s, FaceVector *v, const PqNode *node)
{
    const PqVector *from;

    PQ_TRY(pq_scan_vector(s->scan, (uint32_t)node->leaf, &from, &s->h.e));
    v->out.valid = from->valid;
    if (!is_same(&node->type, &v->leaf.type) ||
        node->type.physical != v->leaf.type.physical) {
        return convert(v, from, pq_scan_batch(s->scan)->keep, &s->h.e);
    }
    v->out.ids = from->dict ? from->ids : NULL;
    v->out.values = from->dict ? from->dict->values : from->values;
    v->out.n_values = from->dict ? from->dict->n : from->n_rows;
    return PQ_OK;
}

/* Makes the plan that prints a node, which is for one file. */
static PqRc plan_json(ParquetScan *s, FaceVector *v, const PqColumn *column, const PqNode *node)
{
    const PqJsonOptions options = {.as = node->kind == PQ_NODE_LEAF ? NULL : column->node};
    PqMem *mem = pq_scan_mem(s->scan);

    if (v->json && v->file == pq_scan_file_serial(s->scan)) {
        return PQ_OK;
    }
    pq_json_rows_free(v->json);
    pq_mem_free(v->leaves);
    v->json = NULL;
    v->file = pq_scan_file_serial(s->scan);
    v->leaves = pq_mem_zeros(mem, node->n_leaves + 1u, sizeof *v->leaves, &s->h.e);
    return v->leaves ? pq_json_rows_new(mem, node, &options, &v->json, &s->h.e) : s->h.e.rc;
}

static PqRc unquote(FaceVector *v, const PqStr *texts, uint32_t n, PqErr *e)
{
    pq_leaf_batch_reset(&v->made);
    PQ_TRY(pq_leaf_batch_reserve(&v->made, n, e));
    for (uint32_t r = 0; r < n; r++) {
        PqStr text = pq_json_unquoted(texts[r]);

        if (text.p) {
            PQ_TRY(add_text(v, text.p, text.n, e));
        } else {
            ((PqStr *)v->made.values)[v->made.n_values++] = text;
        }
    }
    v->out.values = v->made.values;
    return PQ_OK;
}

static PqRc load_json(ParquetScan *s, FaceVector *v, const PqColumn *column, const PqNode *node)
{
    uint32_t n_rows = v->out.n_rows, n = 0;
    const PqStr *texts = NULL;

    PQ_TRY(plan_json(s, v, column, node));
    for (uint32_t i = 0; i < node->n_leaves; i++) {
        pq_scan_keep_levels(s->scan, node->first_leaf + i);
        PQ_TRY(pq_scan_vector(s->scan, node->first_leaf + i, &v->leaves[i], &s->h.e));
    }
    pq_json_rows_watch(v->json, pq_scan_stop(s->scan));
    PQ_TRY(pq_json_rows_begin(v->json, v->leaves, n_rows, &s->h.e));
    PQ_TRY(pq_json_rows_write(v->json, 0, n_rows, SIZE_MAX, &n, &texts, &s->h.e));
    v->out.values = texts;
    v->out.n_values = n;
    if (node->kind == PQ_NODE_LEAF) {
        PQ_TRY(unquote(v, texts, n, &s->h.e));
    }
    memset(v->valid, 0, sizeof v->valid);
    for (uint32_t r = 0; r < n; r++) {
        const PqStr *text = (const PqStr *)v->out.values + r;

        v->valid[r / 64] |= (uint64_t)(text->p != NULL) << r % 64;
    }
    v->out.valid = v->valid;
    return PQ_OK;
}

PqRc pq_face_load(ParquetScan *s, int column, const ParquetVector **out)
{
    const PqBatch *b = pq_scan_batch(s->scan);
    const FaceColumn *of = &s->t->of[column];
    const PqColumn *c = &s->t->table->columns[of->number];
    FaceVector *v = &s->vectors[column];
    const PqNode *node;

    *out = &v->out;
    if (v->loaded == b->serial) {
        return PQ_OK;
    }
    pq_scan_at_column(s->scan, of->number, &s->h.e);
    v->loaded = 0;
    v->out = (ParquetVector){.type = s->t->columns[column].type, .n_rows = b->n_rows};
    node = pq_scan_node(s->scan, of->number);
    if (s->t->columns[column].kind == PARQUET_FOLDER) {
        load_folder(s, column, v);
    } else if (!node || (node->kind == PQ_NODE_LEAF &&
                         node->type.logical == PQ_TYPE_UNKNOWN)) {
        v->out.valid = no_row;       /* the file lacks it */
    } else {
        PQ_TRY(node->kind == PQ_NODE_LEAF &&
                       pq_type_is_text(&node->type) == pq_type_is_text(&of->type)
                   ? load_leaf(s, v, node) : load_json(s, v, c, node));
    }
    pq_where_reset(&s->h.e);
    v->loaded = b->serial;
    return PQ_OK;
}
