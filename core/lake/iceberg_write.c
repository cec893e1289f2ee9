/*
** iceberg_write.c - what a copy did becomes a snapshot.
*/
#include "core/base/folder.h"
#include "core/base/random.h"
#include "core/base/system.h"
#include "core/lake/avro_write.h"
#include "core/lake/iceberg_write_inside.h"
#include "core/lake/json_members.h"
#include "core/lake/lake_schema.h"
#include "core/lake/log_put.h"
#include "core/text/json_text.h"

#include <stdio.h>

/* ---- what the table asks of writers -------------------------------------------------------- */

/* Reads the metadata that counts now. */
static PqRc read_newest(PqIcebergWrite *w, PqErr *e)
{
    const PqIcebergCatalog *catalog = w->base.plan.catalog;
    const PqWhere outer = e->where;
    PqRc rc;

    pq_arena_reset(&w->t.scratch);
    w->t.specs = NULL;
    w->t.n_specs = 0;
    PQ_GO(catalog ? catalog->newest(catalog->arg, &w->location, &w->r.table, e) : PQ_OK);
    PQ_GO(pq_iceberg_newest(&w->t, &w->m, e));
    PQ_GO(pq_iceberg_specs(&w->t, &w->m, e));
    w->t.location = pq_arena_text(&w->t.scratch, w->m.location.p, w->m.location.n, e);
    rc = w->t.location ? PQ_OK : e->rc;
done:
    e->where = outer;
    return rc;
}

static int64_t version_of(const PqIcebergWrite *w)
{
    return pq_iceberg_version_of(strrchr(w->m.path, '/') + 1);
}

/* A table of a catalog is where its metadata says: others look there. */
static PqRc check_catalog(PqIcebergWrite *w, const char *name, PqErr *e)
{
    const char *there = pq_iceberg_located(w, &w->t.scratch, "metadata", name, e);

    PQ_TRY(there ? PQ_OK : e->rc);
    if (version_of(w) < 0 || strstr(name, "gz")) {
        return pq_fail(e, PQ_UNSUPPORTED, "the metadata is %.100s, whose name or compression this "
                       "writer does not know, so nothing is written into the table", name);
    }
    return strcmp(there, w->location) == 0
               ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "the metadata of the table lies in %.200s, "
                                 "not where it says, %.200s, so nothing is written into it",
                                 w->location, there);
}

/* v12.metadata.json, in a folder that its location may be. */
static PqRc check_place(PqIcebergWrite *w, PqErr *e)
{
    const char *name = strrchr(w->m.path, '/') + 1, *location = w->t.location;
    char usual[64];

    if (!location || !location[strspn(location, "/")]) {
        return pq_fail(e, PQ_UNSUPPORTED, "the metadata does not say where the table is");
    }
    if (w->base.plan.catalog) {
        return check_catalog(w, name, e);
    }
    snprintf(usual, sizeof usual, "v%lld.metadata.json", (long long)version_of(w));
    if (strcmp(name, usual) != 0 && strstr(name, "gz")) {
        return pq_lake_cannot_write("metadata that is compressed", e);
    }
    if (strcmp(name, usual) != 0) {
        return pq_fail(e, PQ_UNSUPPORTED, "the metadata is %.100s: a catalog says which metadata "
                       "counts, so the table can only be written through it", name);
    }
    return strstr(location, "://") && strncmp(location, "file:", 5) != 0
               ? pq_fail(e, PQ_UNSUPPORTED, "the table is a copy of %.200s, so nothing is written "
                         "into it", location) : PQ_OK;
}

static PqRc find_schema(PqIcebergWrite *w, PqSlice *out, PqErr *e)
{
    *out = w->m.schema;
    return !w->m.schemas.n ? PQ_OK : pq_iceberg_find(&w->t, w->m.schemas, "schema-id",
                                                     w->m.schema_id, out, e);
}

static PqRc check_schema(PqIcebergWrite *w, PqErr *e)
{
    static const PqLakeAsk asks[] = {{"write-default", "defaults of columns (write-default)"}};
    PqSlice schema;

    PQ_TRY(find_schema(w, &schema, e));
    return pq_lake_check_asks(schema, &w->t.scratch, asks, PQ_COUNT(asks), e);
}

static PqRc check_properties(PqIcebergWrite *w, PqErr *e)
{
    PqSlice codec = w->m.codec;      /* v2.gz.metadata.json is another name  */

    if (codec.n && !pq_slice_is(codec, "none")) {
        return pq_lake_cannot_write("metadata that is compressed", e);
    }
    return w->m.key.n ? pq_lake_cannot_write("encrypted files", e) : PQ_OK;
}

static int64_t spec_id_of(const PqIcebergMetadata *m)
{
    return m->specs.n ? m->spec_id : 0;
}

/* The column of the table's top that has the id. */
static const PqNode *column_of(const PqLakeSnapshot *s, int64_t id)
{
    const PqNode *root = s->schema->schema.root;

    for (uint32_t i = 0; i < root->n_children; i++) {
        if (s->names.fields[root->child[i]->element].id == id) {
            return root->child[i];
        }
    }
    return NULL;
}

static PqRc take_part(PqIcebergWrite *w, const PqIcebergPart *p, PqLakeBy *by, PqErr *e)
{
    const PqLakeSnapshot *s = w->base.plan.listing->snapshot;
    const PqNode *n = p->is_void ? NULL : column_of(s, p->source);
    PqArena *a = &w->base.arena;
    const char *what;

    *by = (PqLakeBy){.folder = pq_arena_text(a, p->name.p, p->name.n, e), .id = p->id};
    if (n) {
        by->type = n->type;
        by->column = pq_arena_text(a, n->name, strlen(n->name), e);
    }
    PQ_TRY(e->rc);
    if ((!n && !p->is_void) || (n && !pq_node_is_flat_leaf(n)) ||
        !pq_iceberg_transform_find(p->transform, by)) {
        what = pq_arena_printf(a, e, "the partition field %s (%.*s)", by->folder,
                               (int)p->transform.n, (const char *)p->transform.p);
        return what ? pq_lake_cannot_write(what, e) : e->rc;
    }
    if (n) {
        pq_leaf_batch_init(&by->value, &s->schema->schema.leaves[n->leaf], w->base.plan.mem);
    }
    return PQ_OK;
}

static PqRc take_spec(PqIcebergWrite *w, PqErr *e)
{
    const PqIcebergSpec *spec;
    PqIcebergManifest *m = &w->new;

    PQ_TRY(pq_iceberg_spec(&w->t, spec_id_of(&w->m), &spec, e));
    PQ_TRY(PQ_ARENA_NEW(&w->base.arena, w->base.by, spec->n + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(&w->base.arena, m->ranges, spec->n + 1u, e));
    m->by = w->base.by;
    m->n_by = w->base.n_by = spec->n;
    for (uint32_t i = 0; i < spec->n; i++) {
        PQ_TRY(take_part(w, &spec->part[i], &w->base.by[i], e));
    }
    return PQ_OK;
}

/* ---- files ------------------------------------------------------------------------------- */

static void forget(const char **path)
{
    if (*path) {
        unlink(*path);
    }
    *path = NULL;
}

const char *pq_iceberg_located(const PqIcebergWrite *w, PqArena *a, const char *folder,
                               const char *name, PqErr *e)
{
    const char *table = (const char *)w->m.location.p;

    return pq_arena_printf(a, e, "%.*s/%s/%s", (int)pq_folder_length(table, w->m.location.n), table,
                           folder, name);
}

static PqRc add_file(PqLakeWriter *base, const PqLakeNew *f, PqErr *e)
{
    PqIcebergWrite *w = (PqIcebergWrite *)base;
    const char *path = pq_iceberg_located(w, &base->scratch, "data", f->file.below, e);

    return path ? pq_iceberg_entry(&w->new, f, path, &base->scratch, &w->entries, e) : e->rc;
}

static PqRc write_avro(PqIcebergWrite *w, const char *path, PqSlice schema, const PqAvroMember *v,
                       size_t n_members, const PqBuf *records, int64_t n, int64_t *length, PqErr *e)
{
    PqBuf out;

    pq_buf_init(&out, w->base.plan.mem, e);
    pq_avro_put_file(&out, schema, v, n_members, pq_buf_view(records), (uint64_t)n, e);
    *length = (int64_t)out.n;
    pq_log_write(w->base.plan.mem, path, path, pq_buf_view(&out), e);
    pq_buf_free(&out);
    return e->rc;
}

static PqRc write_manifest(PqIcebergWrite *w, PqErr *e)
{
    PqArena *a = &w->t.scratch;
    int64_t schema_id = w->m.schema_id > 0 ? w->m.schema_id : 0;
    PqAvroMember members[] = {
        {"schema-id", pq_json_text_make(a, e, "%d", schema_id)},
        {"partition-spec-id", pq_json_text_make(a, e, "%d", spec_id_of(&w->m))},
        {"format-version", pq_json_text_make(a, e, "%d", w->m.format)},
        {.key = "schema"}, {.key = "partition-spec"}, {"content", pq_slice_text("data")}};
    enum { SCHEMA = 3, SPEC };
    const PqIcebergSpec *spec;

    PQ_TRY(find_schema(w, &members[SCHEMA].value, e));
    PQ_TRY(pq_iceberg_spec(&w->t, spec_id_of(&w->m), &spec, e));
    members[SPEC].value = spec->fields;
    w->manifest = pq_arena_printf(&w->base.arena, e, "%s/%s-m0.avro", w->folder, w->uuid);
    return write_avro(w, w->manifest, pq_iceberg_entry_schema(&w->new, a, e), members,
                      PQ_COUNT(members) - (w->m.format == 1), /* which knows no content */
                      &w->entries, w->base.n_files, &w->manifest_length, e);
}

/* ---- the manifest list ------------------------------------------------------------------- */

typedef struct List {
    PqIcebergWrite *w;
    PqBuf           records;
    int64_t         n;
    int64_t         next_row;        /* of version 3: that is not taken      */
} List;

/* Data that have no row ids yet get some. */
static void add_listed(List *l, PqIcebergListed *m)
{
    enum { ADDED, EXISTING };

    if (m->content == 0 && m->first_row < 0) {
        m->first_row = l->next_row;
        l->next_row += m->rows[ADDED] + m->rows[EXISTING];
    }
    pq_iceberg_list_add(m, l->w->m.format, &l->records);
    l->n++;
}

static PqRc take_listed(void *arg, const PqAvroValue *record, PqErr *e)
{
    List *l = arg;
    PqIcebergListed m;

    PQ_TRY(pq_iceberg_listed(record, &l->w->t.scratch, &m, e));
    for (int i = 0; i < 3; i++) {
        if (m.rows[i] < 0 || m.rows[i] > INT64_MAX / 4 - l->next_row) {
            return pq_fail(e, PQ_CORRUPT, "a manifest has %lld rows", (long long)m.rows[i]);
        }
    }
    add_listed(l, &m);
    return pq_buf_ok(&l->records) ? PQ_OK : e->rc;
}

/* The list of the snapshot before; empty: there is none. */
static PqRc old_list(PqIcebergWrite *w, PqSlice snapshot, PqSlice *out, PqErr *e)
{
    PqSlice manifests = {0}, key = {0};
    const PqJsonMember members[] = {{"manifest-list", out, NULL},
                                       {"manifests", &manifests, NULL}, {"key-id", &key, NULL}};

    *out = (PqSlice){0};
    PQ_TRY(snapshot.n ? pq_json_pick_of(snapshot, &w->t.scratch, members, PQ_COUNT(members), e)
                      : PQ_OK);
    return key.n ? pq_lake_cannot_write("encrypted files", e)
           : manifests.n && !out->n
               ? pq_lake_cannot_write("a snapshot without a manifest list", e) : PQ_OK;
}

static PqRc write_list(PqIcebergWrite *w, PqSlice snapshot, int attempt, int64_t *next_row,
                       PqErr *e)
{
    PqArena *a = &w->t.scratch;
    List l = {.w = w, .next_row = w->m.next_row};
    const PqAvroUse use = {.stop = w->base.plan.stop, .record = take_listed, .arg = &l};
    const PqAvroMember version = {"format-version", pq_json_text_make(a, e, "%d", w->m.format)};
    PqIcebergListed ours = {.path = pq_slice_text(pq_iceberg_located(w, a, "metadata",
                                                                     pq_path_name(w->manifest), e)),
                            .length = w->manifest_length, .spec = spec_id_of(&w->m),
                            .sequence = w->m.sequence + 1, .least_sequence = w->m.sequence + 1,
                            .snapshot = w->new.snapshot, .files = {w->base.n_files},
                            .rows = {w->base.n_rows}, .first_row = -1,
                            .summaries = pq_iceberg_summaries(&w->new, a, e)};
    int64_t length;
    PqSlice old;

    PQ_TRY(old_list(w, snapshot, &old, e));
    w->list = pq_arena_printf(&w->base.arena, e, "%s/snap-%lld-%d-%s.avro", w->folder,
                              (long long)w->new.snapshot, attempt, w->uuid);
    pq_buf_init(&l.records, a->mem, e);
    add_listed(&l, &ours);
    if (e->rc == PQ_OK && (!old.n || pq_iceberg_avro(&w->t, old, &use, e) == PQ_OK)) {
        write_avro(w, w->list, pq_iceberg_list_schema(w->m.format, a, e), &version, 1, &l.records,
                   l.n, &length, e);
    }
    *next_row = l.next_row;
    pq_buf_free(&l.records);
    return e->rc;
}

/* ---- the commit -------------------------------------------------------------------------- */

/* What the new files rely on.  A table that is made again may have all numbers of the one
** before. */
static PqSlice form_of(const PqIcebergWrite *w, int64_t schema_id, PqArena *a, PqErr *e)
{
    const PqIcebergMetadata *m = &w->m;

    return pq_json_text_make(a, e, "[%t,%t,%d,%d,%d,%j]", m->uuid, m->location, m->format,
                             schema_id, spec_id_of(m),
                             schema_id < 0 ? m->schema : pq_slice(NULL, 0));
}

/* Is the newest metadata still one that the new files fit? */
static PqRc check_same(PqIcebergWrite *w, PqErr *e)
{
    PqSlice form = form_of(w, w->m.schema_id, &w->t.scratch, e);

    PQ_TRY(check_place(w, e));
    if (w->m.sequence < 0 || w->m.sequence > INT64_MAX / 4 || w->m.next_row > INT64_MAX / 4 ||
        (w->m.format > 2 && w->m.next_row < 0)) {
        return pq_fail(e, PQ_CORRUPT, "the metadata has run out of numbers");
    }
    return pq_slice_equal(form, w->form)
               ? e->rc : pq_fail(e, PQ_CHANGED, "another writer has changed the table meanwhile: "
                                 "run the copy again");
}

static PqRc start(PqLakeWriter *base, const PqPublish *p, PqErr *e)
{
    (void)p;
    PQ_TRY(read_newest((PqIcebergWrite *)base, e));
    return check_same((PqIcebergWrite *)base, e);
}

/* *made: nobody else has the next version. */
static PqRc put_next(PqIcebergWrite *w, PqSlice json, bool *made, PqErr *e)
{
    const PqIcebergCatalog *catalog = w->base.plan.catalog;
    PqArena *a = &w->base.arena;
    long long version = version_of(w) + 1;
    PqObjectMade object;
    const char *name = catalog ? pq_arena_printf(a, e, "%s/%05lld-%s.metadata.json", w->folder,
                                                 version, w->uuid)
                       : pq_arena_printf(a, e, "%s/v%lld.metadata.json", w->folder, version);

    PQ_TRY(name ? PQ_OK : e->rc);
    if (!catalog) {
        PQ_TRY(pq_publish_sync_folder(w->folder, e));
        PQ_TRY(pq_log_put(NULL, a, name, "metadata", json, false, &object, e));
        *made = object == PQ_OBJECT_MADE;
        return PQ_OK;
    }
    w->named = name;
    PQ_TRY(pq_log_write(a->mem, name, name, json, e));
    PQ_TRY(pq_publish_sync_folder(w->folder, e));
    name = pq_iceberg_located(w, a, "metadata", pq_path_name(name), e);
    return name ? catalog->replace(catalog->arg, name, made, e) : e->rc;
}

static PqRc commit(PqLakeWriter *base, int nth, bool *entered, PqErr *e)
{
    PqIcebergWrite *w = (PqIcebergWrite *)base;
    PqSlice parent = {0}, json;
    int64_t next_row;

    PQ_TRY(nth ? start(base, NULL, e) : write_manifest(w, e));
    if (w->m.snapshot >= 0) {
        PQ_TRY(pq_iceberg_find(&w->t, w->m.snapshots, "snapshot-id", w->m.snapshot, &parent, e));
        PQ_TRY(parent.n ? PQ_OK : pq_fail(e, PQ_CORRUPT, "the table has no snapshot %lld",
                                          (long long)w->m.snapshot));
    }
    forget(&w->list);
    forget(&w->named);
    PQ_TRY(write_list(w, parent, nth, &next_row, e));
    PQ_TRY(pq_iceberg_write_metadata(w, parent, next_row, &json, e));
    PQ_TRY(put_next(w, json, entered, e));
    if (*entered) {
        base->log.version = w->new.snapshot;
        w->manifest = w->list = w->named = NULL;     /* they stay            */
    }
    return PQ_OK;
}

/* The hint may be older than the metadata, so nothing is lost if it is not made. */
static void write_hint(PqLakeWriter *base)
{
    PqIcebergWrite *w = (PqIcebergWrite *)base;
    PqErr why = PQ_NO_ERR;
    PqArena *a = &base->arena;
    const char *path = pq_arena_printf(a, &why, "%s/version-hint.text", w->folder);
    PqSlice version = pq_json_text_make(a, &why, "%d", version_of(w) + 1);
    PqObjectMade made;

    if (!base->plan.catalog) {
        if (path && version.p) {
            pq_log_put(NULL, a, path, "version-hint", version, true, &made, &why);
        }
        pq_log_remove_stale(w->folder);
    }
    pq_err_clear(&why);
}

/* ---- its life ------------------------------------------------------------------------------ */

static PqRc begin_table(PqIcebergWrite *w, PqErr *e)
{
    const PqLakeWritePlan *plan = &w->base.plan;
    const PqWhere outer = pq_where_enter(e, plan->table);
    PqRc rc;

    PQ_GO(pq_lake_snapshot_new(plan->mem, &w->r.s, e));
    PQ_GO(plan->catalog ? read_newest(w, e) : PQ_OK);        /* it says where the folder is */
    PQ_GO(pq_iceberg_folder(&w->t, e));
    PQ_GO(plan->catalog ? PQ_OK : read_newest(w, e));
    PQ_GO(pq_random_fill(&w->new.snapshot, sizeof w->new.snapshot, e));
    w->new.snapshot &= INT64_MAX;
    w->new.format = w->m.format;
    w->uuid = pq_log_uuid(&w->base.arena, e);
    w->folder = pq_arena_printf(&w->base.arena, e, "%s/metadata", w->t.folder);
    w->base.folder = plan->catalog ? NULL : w->folder;
    w->form = form_of(w, plan->listing->snapshot->schema_id, &w->base.arena, e);
    PQ_GO(e->rc);
    PQ_GO(take_spec(w, e));
    PQ_GO(check_same(w, e));
    PQ_GO(check_schema(w, e));
    PQ_GO(check_properties(w, e));
done:
    e->where = outer;
    return rc;
}

static void free_write(PqLakeWriter *base)
{
    PqIcebergWrite *w = (PqIcebergWrite *)base;

    forget(&w->manifest);
    forget(&w->list);
    forget(&w->named);
    pq_buf_free(&w->entries);
    pq_lake_snapshot_release(w->r.s);
    pq_arena_free(&w->t.scratch);
    pq_lake_writer_end(base);
    pq_mem_free(w);
}

static const PqLakeFormat format = {"snapshot", "metadata", NULL, start, add_file, commit,
                                    write_hint, free_write};

PqRc pq_iceberg_write_new(const PqLakeWritePlan *plan, PqLakeWriter **out, PqErr *e)
{
    PqIcebergWrite *w;

    *out = NULL;
    PQ_TRY(PQ_NEW(plan->mem, w, 1, e));
    pq_lake_writer_begin(&w->base, &format, plan);
    pq_buf_init(&w->entries, plan->mem, e);
    w->new.arena = &w->base.arena;
    w->r = pq_lake_writer_reading(&w->base, -1);
    w->r.places = &plan->listing->places;
    pq_arena_init(&w->t.scratch, plan->mem);
    w->t.r = &w->r;
    w->t.places = plan->listing->places;
    w->t.arena = &w->base.arena;
    if (begin_table(w, e) != PQ_OK) {
        free_write(&w->base);
        return e->rc;
    }
    *out = &w->base;
    return PQ_OK;
}
