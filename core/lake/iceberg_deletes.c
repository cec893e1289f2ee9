/*
** iceberg_deletes.c - which rows of which file are deleted.
**
**   file_path STRING, pos LONG     a delete file by positions, sorted by both
**   deletion-vector-v1             a part of a Puffin file, for one file
**   columns of the table           a delete file by values: iceberg_values.c
**
** A file with a vector has no other deleted positions: the vector has them all.
*/
#include "core/lake/deletion_vector.h"
#include "core/lake/file_rows.h"
#include "core/lake/iceberg.h"

static const PqFileColumn columns[] = {
    {.name = "file_path", .id = 2147483546, .is_text = true}, {.name = "pos", .id = 2147483545}};

static uint32_t file_of(PqIceberg *t, PqStr path)
{
    return pq_text_numbers_get(&t->paths, path);
}

/* ---- positions --------------------------------------------------------------------------- */

typedef struct Positions {
    PqIceberg           *t;
    const PqIcebergFile *from;
    const bool          *has_vector;
    PqStr                path;       /* of the file of the last row          */
    uint32_t             file;       /* ... which may be none                */
} Positions;

/* A delete file is of one partition, or of the one file that its entry names. */
static bool concerns(const PqIcebergFile *from, const PqIcebergFile *file)
{
    return file->sequence <= from->sequence &&
           (from->of ? strcmp(from->of, file->path) == 0
                     : pq_str_equal(from->partition, file->partition));
}

static PqRc delete_position(void *arg, int64_t at, const PqFileValue *v, PqErr *e)
{
    Positions *p = arg;

    if (p->file == PQ_NO_NUMBER || !pq_str_equal(v->text, p->path)) {
        p->file = file_of(p->t, v->text);
        p->path = p->file == PQ_NO_NUMBER ? (PqStr){NULL, 0} : p->t->paths.v[p->file];
    }
    if (p->file == PQ_NO_NUMBER || p->has_vector[p->file] ||
        !concerns(p->from, &p->t->files.v[p->file])) {
        return PQ_OK;
    }
    return pq_lake_delete_row(&p->t->deleted[p->file], v[1].number, e);
}

static PqRc delete_positions(PqIceberg *t, const PqIcebergFile *from, const bool *has_vector,
                             PqErr *e)
{
    Positions p = {.t = t, .from = from, .has_vector = has_vector, .file = PQ_NO_NUMBER};
    const char *path;

    PQ_TRY(pq_iceberg_path(t, pq_slice_text(from->path), &path, e));
    return pq_file_rows(t->r->engine, t->r->places, path, columns, PQ_COUNT(columns), t->r->stop,
                        delete_position, &p, e);
}

/* ---- vectors ----------------------------------------------------------------------------- */

static PqRc delete_vector(PqIceberg *t, const PqIcebergFile *from, uint32_t file, PqErr *e)
{
    const PqWhere outer = e->where;
    const char *path;
    PqBuf bytes;
    PqRc rc;

    PQ_TRY(pq_iceberg_path(t, pq_slice_text(from->path), &path, e));
    pq_where_enter(e, path);
    e->where.offset = from->offset;
    pq_buf_init(&bytes, t->r->mem, NULL);
    rc = pq_iceberg_bytes(t, path, (PqLogPart){(uint64_t)from->offset, (size_t)from->size, false},
                          &bytes, e);
    rc = rc ? rc : pq_deletion_vector_blob(pq_buf_view(&bytes), from->n_rows,
                                           &t->deleted[file], t->r->stop, e);
    pq_buf_free(&bytes);
    e->where = outer;
    return rc;
}

static PqRc delete_vectors(PqIceberg *t, bool *has_vector, PqErr *e)
{
    for (uint32_t i = 0; i < t->deletes.n; i++) {
        const PqIcebergFile *d = &t->deletes.v[i];
        uint32_t file = PQ_NO_NUMBER;

        if (d->content == PQ_ICEBERG_VECTOR) {
            file = file_of(t, (PqStr){(const uint8_t *)d->of, (uint32_t)strlen(d->of)});
        }
        if (file == PQ_NO_NUMBER || t->files.v[file].sequence > d->sequence) {
            continue;
        }
        if (has_vector[file]) {
            return pq_fail(e, PQ_CORRUPT, "%.300s has two deletion vectors", d->of);
        }
        has_vector[file] = true;
        PQ_TRY(delete_vector(t, d, file, e));
    }
    return PQ_OK;
}

/* ---- all --------------------------------------------------------------------------------- */

PqRc pq_iceberg_deletes(PqIceberg *t, PqErr *e)
{
    bool *has_vector;

    PQ_TRY(PQ_ARENA_NEW(&t->scratch, has_vector, t->files.n + 1u, e));
    PQ_TRY(delete_vectors(t, has_vector, e));
    for (uint32_t i = 0; i < t->deletes.n; i++) {
        if (t->deletes.v[i].content == PQ_ICEBERG_POSITIONS) {
            PQ_TRY(delete_positions(t, &t->deletes.v[i], has_vector, e));
        }
    }
    return pq_iceberg_delete_values(t, e);
}
