/*
** lake.c - a snapshot of a lake table becomes a listing.
*/
#include "core/lake/lake.h"

#include "core/base/lake_tables.h"
#include "core/lake/snapshot.h"

static const struct {
    const char *kind;
    PqRc      (*read)(PqLakeReading *r, PqErr *e);
} readers[] = {
    {pq_lake_delta, pq_delta_read}, {pq_lake_iceberg, pq_iceberg_read},
};

static PqRc read_kind(PqLakeReading *r, const char *kind, PqErr *e)
{
    for (size_t i = 0; i < PQ_COUNT(readers); i++) {
        if (readers[i].kind == kind) {
            return readers[i].read(r, e);
        }
    }
    return pq_fail(e, PQ_UNSUPPORTED, "%s is not read", kind);
}

/* The listing holds the snapshot, whose files are its own. */
static void list(PqListing *l, PqLakeSnapshot *s)
{
    l->snapshot = s;
    l->files = s->files;
    l->n_files = s->n_files;
    l->folder_columns = s->folder_columns;
    l->folder_types = s->folder_types;
    l->n_folder_columns = s->n_folder_columns;
    l->places.terms.one_of_many = s->n_files > 1;
}

PqRc pq_lake_read(PqListing *l, PqEngine *g, int64_t version, const PqStop *stop, PqErr *e)
{
    PqLakeReading r = {.table = l->lake, .places = &l->places, .engine = g,
                       .version = version, .mem = l->arena.mem, .stop = stop};
    PqWhere outer;
    PqRc rc;

    if (!l->lake) {
        return version < 0 ? PQ_OK
                           : pq_fail(e, PQ_USAGE, "version= needs a lake table");
    }
    outer = pq_where_enter(e, l->lake);
    rc = pq_lake_snapshot_new(r.mem, &r.s, e);
    rc = rc ? rc : read_kind(&r, l->lake_kind, e);
    if (rc == PQ_OK) {
        list(l, r.s);
    } else {
        pq_lake_snapshot_release(r.s);
    }
    e->where = outer;
    return rc;
}
