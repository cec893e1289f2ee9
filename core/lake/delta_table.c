/*
** delta_table.c - what a Delta log says becomes a snapshot.
*/
#include "core/lake/delta_log.h"

/* ---- deleted rows ------------------------------------------------------------------------ */

/* The bytes that say which rows are deleted. */
static PqRc read_deletes(PqDeltaLog *d, const PqDeletionPlace *at, PqBuf *bytes, PqErr *e)
{
    PqWhere outer;
    const char *path;
    PqFileId id;
    PqRc rc;

    if (!at->path) {
        return PQ_OK;
    }
    if (at->in_table) {
        PQ_TRY(pq_log_below(d->table, at->path, &d->arena, &path, e));
    } else {
        PQ_TRY(pq_delta_path(d, pq_slice_text(at->path), &path, e));
    }
    outer = pq_where_enter(e, path);
    rc = pq_log_read(d->places, d->mem, path, at->part, bytes, &id, e);
    e->where = outer;
    return rc;
}

static PqRc take_deletes(PqLakeReading *r, PqDeltaLog *d, const PqDeltaFile *f, PqBuf *ranges,
                         PqErr *e)
{
    PqWhere outer = pq_where_enter(e, f->path);
    PqDeletionPlace at;
    PqBuf bytes;
    PqRc rc;

    pq_buf_init(&bytes, d->mem, NULL);
    PQ_GO(pq_deletion_vector_find(f->deletes, &d->scratch, &at, e));
    PQ_GO(read_deletes(d, &at, &bytes, e));
    PQ_GO(pq_deletion_vector_read(f->deletes, pq_buf_view(&bytes), ranges, r->stop, e));
done:
    pq_buf_free(&bytes);
    e->where = outer;
    return rc;
}

/* ---- files ------------------------------------------------------------------------------- */

static const char *value_of(const PqDeltaPairs *values, PqSlice key)
{
    for (uint32_t i = 0; i < values->n; i++) {
        if (pq_slice_is(key, values->v[i].key)) {
            return values->v[i].text;
        }
    }
    return NULL;
}

/* Values are named as the files name columns. */
static PqSlice name_in_files(const PqLakeSnapshot *s, const PqNode *node)
{
    return s->names.n ? s->names.fields[node->element].physical : pq_slice_text(node->name);
}

static PqRc take_files(PqLakeReading *r, PqDeltaLog *d, PqErr *e)
{
    const PqLakeSnapshot *s = r->s;
    const char **values;
    PqBuf ranges;
    PqRc rc = PQ_OK;

    PQ_TRY(PQ_ARENA_NEW(&d->arena, values, s->n_folder_columns + 1u, e));
    pq_buf_init(&ranges, d->mem, e);
    for (uint32_t i = 0; i < d->n; i++) {
        const PqDeltaFile *f = &d->files[i];
        PqLakeFile file = {.path = f->path, .values = values, .has_deletes = f->deletes,
                           .deleted = &ranges, .size = f->size,
                           .stats = pq_slice(f->stats, f->n_stats)};

        if (!f->is_there) {
            continue;
        }
        for (uint32_t k = 0; k < s->n_folder_columns; k++) {
            values[k] = value_of(&f->values, name_in_files(s, s->folder_nodes[k]));
        }
        ranges.n = 0;
        PQ_GO(f->deletes ? take_deletes(r, d, f, &ranges, e) : PQ_OK);
        PQ_GO(pq_lake_add_file(r, &file, e));
    }
done:
    pq_buf_free(&ranges);
    return rc;
}

/* The files of the version before that nothing was said of since. */
static PqRc take_base(PqLakeReading *r, PqDeltaLog *d, PqErr *e)
{
    for (uint32_t i = 0; d->base && i < d->base->n_files; i++) {
        PQ_TRY(pq_delta_knows(d, d->base->files[i].path)
                   ? PQ_OK : pq_lake_copy_file(r, &d->base->files[i], e));
    }
    return PQ_OK;
}

PqRc pq_delta_table(PqLakeReading *r, PqDeltaLog *d, PqErr *e)
{
    PqLakeSnapshot *s = r->s;
    PqLakeMapping mapping;
    const char *json;

    PQ_TRY(pq_delta_check(d, &mapping, e));
    s->protocol = pq_arena_text(&s->arena, d->protocol, strlen(d->protocol), e);
    s->metadata = pq_arena_text(&s->arena, d->metadata, strlen(d->metadata), e);
    json = pq_arena_text(&s->arena, d->schema, strlen(d->schema), e);    /* has names */
    PQ_TRY(json ? pq_lake_schema(pq_slice_text(json), mapping, false, &s->arena, d->mem,
                                  &s->schema, &s->names, e) : e->rc);
    PQ_TRY(pq_lake_partition_by(r, d->partition, d->n_partition, e));
    PQ_TRY(take_base(r, d, e));
    PQ_TRY(take_files(r, d, e));
    return pq_lake_finish(r, e);
}

PqRc pq_delta_read(PqLakeReading *r, PqErr *e)
{
    bool known = false;
    PqDeltaLog d;
    PqRc rc = pq_delta_log_begin(&d, r, e);

    if (rc == PQ_OK && r->versions) {
        rc = pq_delta_versions(&d, r, e);
    } else {
        rc = rc ? rc : pq_delta_replay(&d, r, &known, e);
        pq_where_enter(e, r->table);
        if (!known) {
            r->s->version = d.version;
            r->s->id = d.id;
        }
        rc = rc || known ? rc : pq_delta_table(r, &d, e);
    }
    pq_delta_log_end(&d);
    return rc;
}
