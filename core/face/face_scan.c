/*
** face_scan.c - a scan, its batches and their values.
*/
#include "core/face/face.h"

static PqRc open_scan(ParquetScan *s, const ParquetTable *t)
{
    const Parquet *p = s->h.p;
    PqScanOptions how = {.memory = p->memory, .threads = p->threads, .stop = p->stop,
                         .checksum = !t->unchecked};

    PQ_TRY(pq_scan_new(t->table, &t->listing, &how, &s->scan, &s->h.e));
    pq_arena_init(&s->h.arena, pq_scan_mem(s->scan));    /* one limit for all */
    pq_arena_init(&s->texts, pq_scan_mem(s->scan));
    s->serial = p->engine->n_scans;
    return pq_face_vectors_new(s);
}

ParquetCode parquet_scan_open(ParquetTable *t, ParquetScan **out)
{
    ParquetScan *s = pq_face_new(t->h.p, sizeof *s);

    if (s) {
        s->t = t;
        if (open_scan(s, t) != PQ_OK) {
            pq_face_end(&s->h);
            parquet_scan_close(s);
            s = NULL;
        }
    }
    *out = s;
    return s ? PARQUET_OK : t->h.p->error.code;
}

/* The engine keeps the counts of its last scans. */
static void note_scanned(ParquetScan *s)
{
    const PqScanStats *did = &s->h.p->engine->stats[s->serial % PQ_STATS_KEPT];

    if (did->serial == s->serial) {
        s->h.p->scanned = (ParquetScanned){
            .files = did->files, .files_skipped = did->files_skipped,
            .row_groups = (int64_t)did->groups,
            .row_groups_skipped = (int64_t)did->groups_skipped,
            .pages = (int64_t)did->pages_read,
            .pages_skipped = (int64_t)(did->pages_passed + did->pages_refuted),
            .rows = (int64_t)did->rows, .rows_skipped = (int64_t)did->rows_skipped,
            .bytes_read = (int64_t)did->bytes_read, .peak_memory = (size_t)did->peak_memory,
        };
    }
}

void parquet_scan_close(ParquetScan *s)
{
    if (s) {
        pq_face_vectors_free(s);
        pq_arena_free(&s->texts);
        pq_arena_free(&s->h.arena);
        pq_scan_free(s->scan);
        note_scanned(s);
        pq_face_free(&s->h);
    }
}

const ParquetScanned *parquet_scanned(const Parquet *p)
{
    return &p->scanned;
}

/* The rows 0, 1, 2, ... of a batch without filters. */
static const uint32_t *all_rows(ParquetScan *s, uint32_t n)
{
    uint32_t *v = pq_arena_alloc(&s->texts, (n + (size_t)1) * sizeof *v, &s->h.e);

    for (uint32_t i = 0; v && i < n; i++) {
        v[i] = i;
    }
    return v;
}

static PqRc next(ParquetScan *s, bool *more)
{
    const PqBatch *b;

    *more = false;
    if (!s->begun) {
        s->begun = true;
        PQ_TRY(pq_face_start(s));
    }
    pq_arena_reset(&s->texts);
    PQ_TRY(pq_scan_next(s->scan, more, &s->h.e));
    if (!*more) {
        return PQ_OK;
    }
    pq_where_reset(&s->h.e);
    b = pq_scan_batch(s->scan);
    s->batch = (ParquetBatch){
        .file = (int)b->file, .row_group = (int)b->group, .first_row = b->file_row,
        .n_rows = b->n_rows, .n = b->kept ? b->n_kept : b->n_rows,
        .rows = b->kept ? b->kept : all_rows(s, b->n_rows),
    };
    return s->h.e.rc;
}

ParquetCode parquet_next(ParquetScan *s, const ParquetBatch **out)
{
    bool more = false;

    s->batch.n_rows = 0;
    *out = s->h.e.rc == PQ_OK && next(s, &more) == PQ_OK && more ? &s->batch : NULL;
    return pq_face_end(&s->h);
}

static PqRc load(ParquetScan *s, int column, const ParquetVector **out)
{
    if (!parquet_column(s->t, column)) {
        return pq_fail(&s->h.e, PQ_USAGE, "there is no column %d", column);
    }
    return s->batch.n_rows ? pq_face_load(s, column, out)
                           : pq_fail(&s->h.e, PQ_USAGE, "there is no batch: call "
                                     "parquet_next() first");
}

static PqRc value(ParquetScan *s, int column, uint32_t row, ParquetValue *out)
{
    const ParquetVector *v;
    const PqType *type;
    size_t at;

    PQ_TRY(load(s, column, &v));
    type = &s->t->of[column].type;
    if (row >= v->n_rows) {
        return pq_fail(&s->h.e, PQ_USAGE, "the batch has no row %u", row);
    }
    if (v->valid && !pq_bit(v->valid, row)) {
        return PQ_OK;
    }
    at = (v->ids ? v->ids[row] : row) * pq_physical_width(type->physical);
    return pq_face_value(type, (const char *)v->values + at, &s->texts, out, &s->h.e);
}

ParquetCode pq_face_scan_end(ParquetScan *s)
{
    ParquetCode code = pq_face_end(&s->h);

    if (code == PARQUET_USAGE) {
        pq_face_forget(&s->h);
    }
    return code;
}

ParquetCode parquet_vector(ParquetScan *s, int column, const ParquetVector **out)
{
    *out = NULL;
    if (s->h.e.rc == PQ_OK && load(s, column, out) != PQ_OK) {
        *out = NULL;
    }
    return pq_face_scan_end(s);
}

ParquetCode parquet_value(ParquetScan *s, int column, uint32_t row, ParquetValue *out)
{
    *out = parquet_null();
    if (s->h.e.rc == PQ_OK && value(s, column, row, out) != PQ_OK) {
        *out = parquet_null();
    }
    return pq_face_scan_end(s);
}
