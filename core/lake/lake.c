/*
** lake.c - a snapshot of a lake table becomes a listing.
*/
#include "core/lake/lake.h"

#include "core/base/lake_tables.h"
#include "core/lake/snapshot.h"
#include "core/text/time_parse.h"
#include "core/text/utf8.h"

#include <stdlib.h>

static PqRc read_kind(PqLakeReading *r, const char *kind, const PqLakeHost *host, PqErr *e)
{
    return kind == pq_lake_delta              ? pq_delta_read(r, e)
           : kind == pq_lake_iceberg          ? pq_iceberg_read(r, e)
           : kind == pq_lake_ducklake && host ? host->read(host->arg, r, e)
                                              : pq_fail(e, PQ_UNSUPPORTED, "%s is not read", kind);
}

static PqRc read_lake(PqLakeReading *r, const PqListing *l, const PqLakeHost *host, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, l->lake);
    PqRc rc = pq_lake_snapshot_new(r->mem, &r->s, e);

    if (rc == PQ_OK) {
        r->s->table = pq_arena_text(&r->s->arena, l->lake, strlen(l->lake), e);
        rc = e->rc;
    }
    rc = rc ? rc : read_kind(r, l->lake_kind, host, e);
    e->where = outer;
    return rc;
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
    l->places.own = s->own;
    l->places.n_own = s->n_own;
}

static PqRc time_of(PqLakeReading *r, const char *as_of, PqErr *e)
{
    return !as_of ? PQ_OK
           : r->version >= 0
               ? pq_fail(e, PQ_USAGE, "version= and as_of= both choose a version")
           : pq_time_parse_timestamp(pq_slice_text(as_of), PQ_MICROS, true, &r->as_of) !=
                   PQ_PARSE_OK
               ? pq_fail(e, PQ_USAGE, "as_of takes a time, such as '2026-01-31 12:00:00', not "
                         "%.100s", as_of)
               : PQ_OK;
}

PqRc pq_lake_read(PqListing *l, PqEngine *g, int64_t version, const char *as_of,
                  const PqLakeHost *host, const PqStop *stop, PqErr *e)
{
    PqLakeReading r = {.lake = l->lake, .table = l->lake, .places = &l->places, .engine = g,
                       .version = version, .as_of = INT64_MAX, .stop = stop};
    PqRc rc;

    if (!l->lake) {
        return version < 0 && !as_of
                   ? PQ_OK : pq_fail(e, PQ_USAGE, "%s= needs a lake table",
                                     as_of ? "as_of" : "version");
    }
    PQ_TRY(time_of(&r, as_of, e));
    r.mem = pq_mem_new(pq_mem_limit(g->mem));        /* which tells what it takes  */
    if (!r.mem) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    rc = read_lake(&r, l, host, e);
    pq_mem_release(r.mem);
    if (rc == PQ_OK) {
        if (r.s->id.inode) {         /* a reader that can tell it from another */
            pq_kept_lakes_add(&g->lakes, r.s);
        }
        list(l, r.s);
    } else {
        pq_lake_snapshot_release(r.s);
    }
    return rc;
}

/* ---- versions ----------------------------------------------------------------------------- */

PqRc pq_lake_add_version(PqLakeReading *r, int64_t version, int64_t order, int64_t at,
                         PqSlice operation, int64_t n_rows, PqErr *e)
{
    PqLakeVersions *to = r->versions;
    PqLakeVersion v = {.version = version, .order = order, .nth = to->n, .n_rows = n_rows,
                       .at = at};

    if (operation.n && pq_utf8_valid(operation)) {
        v.operation = pq_arena_text(to->arena, operation.p, operation.n, e);
        PQ_TRY(v.operation ? PQ_OK : e->rc);
    }
    PQ_TRY(PQ_ARENA_GROW(to->arena, to->v, to->n, e));
    to->v[to->n++] = v;
    return PQ_OK;
}

static int newest_first(const void *x, const void *y)
{
    const PqLakeVersion *a = x, *b = y;

    return a->order != b->order ? (a->order < b->order) - (a->order > b->order)
           : a->at != b->at     ? (a->at < b->at) - (a->at > b->at)
                                : (a->nth < b->nth) - (a->nth > b->nth);
}

PqRc pq_lake_versions(const PqListing *l, PqEngine *g, PqMem *mem, const PqLakeHost *host,
                      PqLakeVersions *out, const PqStop *stop, PqErr *e)
{
    PqLakeReading r = {.lake = l->lake, .table = l->lake, .places = &l->places, .engine = g,
                       .version = -1, .as_of = INT64_MAX, .mem = mem, .stop = stop,
                       .versions = out};
    PqRc rc;

    if (!l->lake) {
        return pq_fail(e, PQ_USAGE, "this is not a lake table, so it has no versions");
    }
    rc = read_lake(&r, l, host, e);
    pq_lake_snapshot_release(r.s);
    if (rc == PQ_OK && out->n) {
        qsort(out->v, out->n, sizeof *out->v, newest_first);
    }
    return rc;
}

/* ---- a table that was declared before ------------------------------------------------------ */

/* The column of the schema's top that a column of the table is, or lies in. */
static const char *top_name(const PqColumn *c)
{
    const PqNode *node = c->kind == PQ_COLUMN_HIVE ? NULL : c->node ? c->node : c->root;

    while (node && node->parent) {
        node = node->parent;
    }
    return node ? node->name : c->folder_column;
}

PqRc pq_lake_fits(const PqListing *l, const PqTable *t, PqErr *e)
{
    const PqFooter *schema = pq_listing_schema(l);

    for (uint32_t i = 0; schema && i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];
        const char *name = c->kind == PQ_COLUMN_HIVE || pq_column_is_of_pages(c)
                               ? top_name(c) : NULL;

        if (name && !pq_node_field(schema->schema.root, pq_slice_text(name), 0)) {
            return pq_fail(e, PQ_CHANGED, "%s: column %s is not in version %lld of the table: "
                           "it was renamed or dropped after this table was made", l->lake,
                           name, (long long)l->snapshot->version);
        }
    }
    return PQ_OK;
}
