/*
** lake_writer.c - files are added to a table, and versions are tried one after the other.
*/
#include "core/lake/lake_writer.h"

#include "core/lake/file_stats.h"
#include "core/lake/log_names.h"

enum { MOST_TRIES = 500 };

static PqRc take_folders(PqLakeWriter *w, PqLakeNew *f, PqErr *e)
{
    const char *at = f->file.below, *name, *value;

    while (pq_log_folder(&at, &w->scratch, &name, &value, e)) {
        uint32_t n = f->n_folders++;

        PQ_TRY(PQ_ARENA_GROW(&w->scratch, f->names, n, e));
        PQ_TRY(PQ_ARENA_GROW(&w->scratch, f->values, n, e));
        f->names[n] = name;
        f->values[n] = value;
    }
    return e->rc;
}

PqRc pq_lake_writer_add(PqLakeWriter *w, const PqPublished *file, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, file->path);
    PqLakeNew f = {.file = *file};
    PqFooter *footer = NULL;

    pq_arena_reset(&w->scratch);
    PQ_TRY(pq_stop_poll(w->plan.stop, e));
    PQ_TRY(take_folders(w, &f, e));
    PQ_TRY(pq_file_footer(&w->plan.places, &w->keys, w->plan.mem, file->path, &footer,
                          &f.footer_bytes, e));
    f.footer = footer;
    if (w->format->add(w, &f, e) == PQ_OK) {
        w->n_files++;
        w->n_rows += (int64_t)footer->n_rows;
        w->n_bytes += (int64_t)file->size;
        e->where = outer;
    }
    pq_footer_release(footer);
    return e->rc;
}

static PqRc begin(void *arg, PqErr *e)
{
    PqLakeWriter *w = arg;

    return w->format->begin ? w->format->begin(w, e) : PQ_OK;
}

static PqRc enter(void *arg, const PqPublish *p, bool *entered, PqErr *e)
{
    PqLakeWriter *w = arg;
    const PqLakeFormat *f = w->format;
    PqPublished file;

    PQ_TRY(f->start(w, p, e));
    for (uint32_t i = 0; pq_publish_made(p, i, &file); i++) {
        PQ_TRY(pq_lake_writer_add(w, &file, e));
    }
    for (int i = 0; i < MOST_TRIES && !*entered; i++) {
        PQ_TRY(pq_stop_poll(w->plan.stop, e));
        PQ_TRY(f->commit(w, i, entered, e));
    }
    if (!*entered) {
        return pq_fail(e, PQ_IO, "other writers have taken %d versions in a row: run the copy "
                       "again", (int)MOST_TRIES);
    }
    if (w->folder && pq_publish_sync_folder(w->folder, e) != PQ_OK) {
        pq_err_hint(e, "%s %lld is in the %s and has all rows, but a crash of the machine may "
                    "take it back", f->version, (long long)w->log.version, f->place);
        return e->rc;
    }
    if (f->done) {
        f->done(w);
    }
    return PQ_OK;
}

void pq_lake_writer_begin(PqLakeWriter *w, const PqLakeFormat *format,
                          const PqLakeWritePlan *plan)
{
    w->format = format;
    w->log = (PqPublishLog){w, begin, enter, -1};
    w->plan = *plan;
    pq_arena_init(&w->arena, plan->mem);
    pq_arena_init(&w->scratch, plan->mem);
}

void pq_lake_writer_end(PqLakeWriter *w)
{
    for (uint32_t i = 0; i < w->n_by; i++) {
        if (w->by[i].value.leaf) {
            pq_leaf_batch_free(&w->by[i].value);
        }
    }
    pq_arena_free(&w->arena);
    pq_arena_free(&w->scratch);
}

PqLakeBy *pq_lake_writer_by(const PqLakeWriter *w, uint32_t k)
{
    PqLakeBy *by = w->by;

    for (; !by->column || k > 0; by++) {
        k -= by->column != NULL;
    }
    return by;
}

PqLakeReading pq_lake_writer_reading(const PqLakeWriter *w, int64_t version)
{
    return (PqLakeReading){.table = w->plan.table, .places = &w->plan.places,
                           .engine = w->plan.engine, .version = version, .as_of = INT64_MAX,
                           .mem = w->plan.mem, .stop = w->plan.stop};
}
