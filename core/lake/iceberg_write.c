/*
** iceberg_write.c - what a copy did becomes a snapshot.
*/
#include "core/base/folder.h"
#include "core/base/random.h"
#include "core/base/system.h"
#include "core/lake/avro_write.h"
#include "core/lake/file_stats.h"
#include "core/lake/iceberg_write_inside.h"
#include "core/lake/json_members.h"
#include "core/lake/lake_schema.h"
#include "core/lake/log_put.h"

#include <stdio.h>

/* ---- what the table asks of writers -------------------------------------------------------- */

/* Reads the metadata that counts now. */
static PqRc read_newest(PqIcebergWrite *w, PqErr *e)
{
    const PqWhere outer = e->where;
    PqRc rc;

    pq_arena_reset(&w->t.scratch);
    w->t.specs = NULL;
    w->t.n_specs = 0;
    rc = w->plan.catalog ? w->plan.catalog->newest(w->plan.catalog->arg, &w->location,
                                                   &w->r.table, e) : PQ_OK;
    rc = rc ? rc : pq_iceberg_newest(&w->t, &w->m, e);
    rc = rc ? rc : pq_iceberg_specs(&w->t, &w->m, e);
    e->where = outer;
    PQ_TRY(rc);
    w->t.location = pq_arena_text(&w->t.scratch, w->m.location.p, w->m.location.n, e);
    return w->t.location ? PQ_OK : e->rc;
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
    if (w->plan.catalog) {
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

static PqRc check_schema(PqIcebergWrite *w, PqErr *e)
{
    static const PqLakeAsk asks[] = {{"write-default", "defaults of columns (write-default)"}};
    PqSlice schema = w->m.schema;

    if (w->m.schemas.n) {
        PQ_TRY(pq_iceberg_find(&w->t, w->m.schemas, "schema-id", w->m.schema_id, &schema, e));
    }
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

static PqRc take_part(PqIcebergWrite *w, const PqIcebergPart *p, PqIcebergBy *by, PqErr *e)
{
    const PqLakeSnapshot *s = w->plan.listing->snapshot;
    const PqNode *n = p->is_void ? NULL : column_of(s, p->source);
    const char *name = pq_arena_text(&w->arena, p->name.p, p->name.n, e);
    PqIcebergRowPart *part;

    PQ_TRY(name ? PQ_OK : e->rc);
    *by = (PqIcebergBy){.name = pq_slice(name, p->name.n), .source = p->source, .id = p->id};
    if (n) {
        by->type = n->type;
        by->column = pq_arena_text(&w->arena, n->name, strlen(n->name), e);
        PQ_TRY(by->column ? PQ_OK : e->rc);
    }
    if ((!n && !p->is_void) || (n && !pq_node_is_flat_leaf(n)) ||
        !pq_iceberg_transform_find(p->transform, by)) {
        name = pq_arena_printf(&w->arena, e, "the partition field %s (%.*s)", name,
                               (int)p->transform.n, (const char *)p->transform.p);
        return name ? pq_lake_cannot_write(name, e) : e->rc;
    }
    if (n) {
        part = &w->parts[w->base.n_by];
        w->base.by[w->base.n_by++] = (PqLakeBy){by->column, name,
                                                by->transform == PQ_ICEBERG_IDENTITY};
        part->by = by;
        pq_leaf_batch_init(&part->value, &s->schema->schema.leaves[n->leaf], w->plan.mem);
    }
    return PQ_OK;
}

static PqRc take_spec(PqIcebergWrite *w, PqErr *e)
{
    const PqIcebergSpec *spec;

    w->spec_id = spec_id_of(&w->m);
    PQ_TRY(pq_iceberg_spec(&w->t, w->spec_id, &spec, e));
    w->n_by = spec->n;
    PQ_TRY(PQ_ARENA_NEW(&w->arena, w->by, spec->n + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(&w->arena, w->parts, spec->n + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(&w->arena, w->base.by, spec->n + 1u, e));
    for (uint32_t i = 0; i < spec->n; i++) {
        PQ_TRY(take_part(w, &spec->part[i], &w->by[i], e));
    }
    return PQ_OK;
}

PqRc pq_iceberg_write_text(PqLakeWriter *w, uint32_t k, const PqCell *cell,
                           const PqFillRules *rules, PqSlice *out, PqErr *e)
{
    PqIcebergRowPart *part = &((PqIcebergWrite *)w)->parts[k];
    PqLeafBatch *b = &part->value;
    PqPhysical type = b->leaf->type.physical;
    PqSlice stored;

    pq_leaf_batch_reset(b);
    PQ_TRY(pq_leaf_batch_reserve(b, 1, e));
    PQ_TRY(pq_leaf_fill_one(b, cell, rules, e));
    stored = pq_slice(b->values, pq_physical_width(type));
    if (type == PQ_BYTE_ARRAY || type == PQ_FIXED) {
        stored = pq_slice(((const PqStr *)b->values)->p, ((const PqStr *)b->values)->n);
    }
    *out = pq_iceberg_transform_text(part->by, pq_iceberg_transform(part->by, stored), part->text);
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

static PqRc add_entry(PqIcebergWrite *w, const PqPublished *f, PqIcebergRange *ranges, PqBuf *out,
                      PqErr *e)
{
    PqIcebergNew file = {.path = pq_iceberg_located(w, &w->t.scratch, "data", f->below, e),
                         .below = f->below, .size = f->size, .snapshot = w->snapshot,
                         .format = w->format, .by = w->by, .n_by = w->n_by, .ranges = ranges};
    const PqKeyChoice keys = {0};
    PqFooter *footer = NULL;

    if (file.path && pq_file_footer(NULL, &keys, w->plan.mem, f->path, &footer, NULL, e) == PQ_OK &&
        pq_iceberg_entry(&file, footer, &w->t.scratch, out, e) == PQ_OK) {
        w->n_files++;
        w->n_rows += footer->n_rows;
        w->n_bytes += (int64_t)f->size;
    }
    pq_footer_release(footer);
    return e->rc;
}

static PqRc put_manifest(PqIcebergWrite *w, PqSlice schema_json, const PqBuf *entries, PqBuf *out,
                         PqErr *e)
{
    const PqIcebergNew file = {.format = w->format, .by = w->by, .n_by = w->n_by};
    char number[3][24];
    const PqIcebergSpec *spec;
    PqBuf schema;

    PQ_TRY(pq_iceberg_spec(&w->t, w->spec_id, &spec, e));
    snprintf(number[0], sizeof number[0], "%lld", (long long)(w->schema_id > 0 ? w->schema_id : 0));
    snprintf(number[1], sizeof number[1], "%lld", (long long)w->spec_id);
    snprintf(number[2], sizeof number[2], "%lld", (long long)w->format);
    pq_buf_init(&schema, w->plan.mem, e);
    pq_iceberg_entry_schema(&file, &schema);
    pq_avro_put_begin(out, w->format > 1 ? 8 : 7);
    pq_avro_put_member(out, "avro.schema", pq_buf_view(&schema));
    pq_avro_put_member(out, "avro.codec", pq_slice_text("null"));
    pq_avro_put_member(out, "schema", schema_json);
    pq_avro_put_member(out, "schema-id", pq_slice_text(number[0]));
    pq_avro_put_member(out, "partition-spec", spec->fields);
    pq_avro_put_member(out, "partition-spec-id", pq_slice_text(number[1]));
    pq_avro_put_member(out, "format-version", pq_slice_text(number[2]));
    if (w->format > 1) {
        pq_avro_put_member(out, "content", pq_slice_text("data"));
    }
    pq_buf_free(&schema);
    return pq_avro_put_records(out, (uint64_t)w->n_files, pq_buf_view(entries), e);
}

static PqRc keep_summaries(PqIcebergWrite *w, const PqIcebergRange *ranges, PqErr *e)
{
    PqBuf b;

    pq_buf_init(&b, w->plan.mem, e);
    pq_iceberg_summaries(w->by, ranges, w->n_by, &b);
    if (pq_buf_ok(&b)) {
        w->summaries = pq_slice(pq_arena_text(&w->arena, b.p, b.n, e), b.n);
    }
    pq_buf_free(&b);
    return e->rc;
}

static PqRc write_manifest(PqIcebergWrite *w, const PqPublish *p, PqErr *e)
{
    PqSlice schema = w->m.schema;
    PqIcebergRange *ranges;
    PqBuf entries, out;
    PqPublished f;

    if (w->m.schemas.n) {
        PQ_TRY(pq_iceberg_find(&w->t, w->m.schemas, "schema-id", w->m.schema_id, &schema, e));
    }
    PQ_TRY(PQ_ARENA_NEW(&w->t.scratch, ranges, w->n_by + 1u, e));
    w->manifest = pq_arena_printf(&w->arena, e, "%s/%s-m0.avro", w->folder, w->uuid);
    pq_buf_init(&entries, w->plan.mem, e);
    pq_buf_init(&out, w->plan.mem, e);
    for (uint32_t i = 0; e->rc == PQ_OK && pq_publish_made(p, i, &f); i++) {
        const PqWhere outer = pq_where_enter(e, f.path);

        if (pq_stop_poll(w->plan.stop, e) == PQ_OK &&
            add_entry(w, &f, ranges, &entries, e) == PQ_OK) {
            e->where = outer;
        }
    }
    if (e->rc == PQ_OK && keep_summaries(w, ranges, e) == PQ_OK &&
        put_manifest(w, schema, &entries, &out, e) == PQ_OK) {
        w->manifest_length = (int64_t)out.n;
        pq_log_write(w->plan.mem, w->manifest, w->manifest, pq_buf_view(&out), e);
    }
    pq_buf_free(&entries);
    pq_buf_free(&out);
    return e->rc;
}

/* ---- the manifest list ------------------------------------------------------------------- */

typedef struct List {
    PqIcebergWrite *w;
    PqBuf           records;
    uint64_t        n;
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
    pq_iceberg_list_add(m, l->w->format, &l->records);
    l->n++;
}

static PqRc take_listed(void *arg, const PqAvroValue *record, PqErr *e)
{
    List *l = arg;
    PqIcebergListed m;

    PQ_TRY(pq_iceberg_listed(record, &m, e));
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
    List l = {.w = w, .next_row = w->m.next_row};
    const PqAvroUse use = {.stop = w->plan.stop, .record = take_listed, .arg = &l};
    PqIcebergListed ours = {.length = w->manifest_length, .spec = w->spec_id,
                            .sequence = w->m.sequence + 1, .least_sequence = w->m.sequence + 1,
                            .snapshot = w->snapshot, .files = {w->n_files}, .rows = {w->n_rows},
                            .summaries = w->summaries, .first_row = -1};
    const char *path = pq_iceberg_located(w, &w->t.scratch, "metadata",
                                          strrchr(w->manifest, '/') + 1, e);
    PqBuf schema, out;
    char number[24];
    PqSlice old;

    PQ_TRY(path ? PQ_OK : e->rc);
    PQ_TRY(old_list(w, snapshot, &old, e));
    ours.path = pq_slice_text(path);
    w->list = pq_arena_printf(&w->arena, e, "%s/snap-%lld-%d-%s.avro", w->folder,
                              (long long)w->snapshot, attempt, w->uuid);
    pq_buf_init(&l.records, w->plan.mem, e);
    pq_buf_init(&schema, w->plan.mem, e);
    pq_buf_init(&out, w->plan.mem, e);
    add_listed(&l, &ours);
    if (!old.n || pq_iceberg_avro(&w->t, old, &use, e) == PQ_OK) {
        pq_iceberg_list_schema(w->format, &schema);
        snprintf(number, sizeof number, "%lld", (long long)w->format);
        pq_avro_put_begin(&out, 3);
        pq_avro_put_member(&out, "avro.schema", pq_buf_view(&schema));
        pq_avro_put_member(&out, "avro.codec", pq_slice_text("null"));
        pq_avro_put_member(&out, "format-version", pq_slice_text(number));
        pq_avro_put_records(&out, l.n, pq_buf_view(&l.records), e);
        pq_log_write(w->plan.mem, w->list, w->list, pq_buf_view(&out), e);
    }
    *next_row = l.next_row;
    pq_buf_free(&l.records);
    pq_buf_free(&schema);
    pq_buf_free(&out);
    return e->rc;
}

/* ---- the commit -------------------------------------------------------------------------- */

/* Is the newest metadata still one that the new files fit? */
static PqRc check_same(PqIcebergWrite *w, PqErr *e)
{
    PQ_TRY(check_place(w, e));
    if (w->m.sequence < 0 || w->m.sequence > INT64_MAX / 4 || w->m.next_row > INT64_MAX / 4 ||
        (w->m.format > 2 && w->m.next_row < 0)) {
        return pq_fail(e, PQ_CORRUPT, "the metadata has run out of numbers");
    }
    return pq_slice_equal(w->m.uuid, w->table_uuid) &&
                   pq_slice_equal(w->m.location, w->table_location) &&
                   w->m.schema_id == w->schema_id &&
                   (w->m.schema_id >= 0 || pq_slice_equal(w->m.schema, w->schema)) &&
                   spec_id_of(&w->m) == w->spec_id && w->m.format == w->format
               ? PQ_OK : pq_fail(e, PQ_CHANGED, "another writer has changed the table meanwhile: "
                                 "run the copy again");
}

/* *made: nobody else has the next version. */
static PqRc put_next(PqIcebergWrite *w, bool *made, PqErr *e)
{
    const PqIcebergCatalog *catalog = w->plan.catalog;
    PqObjectMade object;
    const char *name;

    if (catalog) {
        name = pq_iceberg_located(w, &w->t.scratch, "metadata", strrchr(w->temp, '/') + 1, e);
        PQ_TRY(name ? catalog->replace(catalog->arg, name, made, e) : e->rc);
        w->temp = *made ? NULL : w->temp;
        return PQ_OK;
    }
    name = pq_arena_printf(&w->arena, e, "%s/v%lld.metadata.json", w->folder,
                           (long long)version_of(w) + 1);
    PQ_TRY(name ? PQ_OK : e->rc);
    PQ_TRY(pq_log_put(w->temp, name, false, &object, e));
    *made = object == PQ_OBJECT_MADE;
    return PQ_OK;
}

static PqRc try_once(void *arg, const PqPublish *p, int nth, bool *made, PqErr *e)
{
    PqIcebergWrite *w = arg;
    PqSlice parent = {0};
    int64_t next_row;

    PQ_TRY(nth ? read_newest(w, e) : PQ_OK);
    PQ_TRY(check_same(w, e));
    PQ_TRY(nth ? PQ_OK : write_manifest(w, p, e));
    if (w->m.snapshot >= 0) {
        PQ_TRY(pq_iceberg_find(&w->t, w->m.snapshots, "snapshot-id", w->m.snapshot, &parent, e));
        PQ_TRY(parent.n ? PQ_OK : pq_fail(e, PQ_CORRUPT, "the table has no snapshot %lld",
                                          (long long)w->m.snapshot));
    }
    forget(&w->list);
    forget(&w->temp);
    PQ_TRY(write_list(w, parent, nth, &next_row, e));
    w->temp = w->plan.catalog
                  ? pq_arena_printf(&w->arena, e, "%s/%05lld-%s.metadata.json", w->folder,
                                    (long long)version_of(w) + 1, w->uuid)
                  : pq_arena_printf(&w->arena, e, "%s/.metadata.%s.tmp", w->folder, w->uuid);
    PQ_TRY(w->temp ? pq_iceberg_write_metadata(w, parent, next_row, e) : e->rc);
    PQ_TRY(pq_publish_sync_folder(w->folder, e));
    PQ_TRY(put_next(w, made, e));
    if (*made) {
        w->base.log.version = w->snapshot;
        w->manifest = w->list = NULL;        /* they stay                    */
    }
    return PQ_OK;
}

/* It may be older than the metadata, so nothing is lost if it is not made. */
static void write_hint(PqIcebergWrite *w)
{
    const char *temp, *path;
    PqObjectMade made;
    PqBuf text;
    PqErr why;

    pq_err_init(&why);
    pq_buf_init(&text, w->plan.mem, &why);
    pq_buf_printf(&text, "%lld", (long long)version_of(w) + 1);
    temp = pq_arena_printf(&w->arena, &why, "%s/.version-hint.%s.tmp", w->folder, w->uuid);
    path = pq_arena_printf(&w->arena, &why, "%s/version-hint.text", w->folder);
    if (temp && path && (pq_log_write(w->plan.mem, temp, path, pq_buf_view(&text), &why) != PQ_OK ||
                         pq_log_put(temp, path, true, &made, &why) != PQ_OK)) {
        unlink(temp);
    }
    pq_buf_free(&text);
    pq_err_clear(&why);
}

static PqRc enter(void *arg, const PqPublish *p, bool *entered, PqErr *e)
{
    PqIcebergWrite *w = arg;

    PQ_TRY(read_newest(w, e));
    PQ_TRY(pq_lake_enter(&w->base, p, try_once, w->plan.catalog ? NULL : w->folder, w->plan.stop,
                         entered, e));
    if (!w->plan.catalog) {
        write_hint(w);
        pq_log_remove_stale(w->folder);
    }
    return PQ_OK;
}

/* ---- its life ------------------------------------------------------------------------------ */

static PqRc begin_table(PqIcebergWrite *w, PqErr *e)
{
    const PqLakeWritePlan *plan = &w->plan;
    const PqWhere outer = pq_where_enter(e, plan->table);
    PqBuf uuid;
    PqRc rc;

    pq_buf_init(&uuid, plan->mem, e);
    PQ_GO(pq_lake_snapshot_new(plan->mem, &w->r.s, e));
    PQ_GO(plan->catalog ? read_newest(w, e) : PQ_OK);        /* it says where the folder is */
    PQ_GO(pq_iceberg_folder(&w->t, e));
    PQ_GO(plan->catalog ? PQ_OK : read_newest(w, e));
    PQ_GO(pq_random_fill(&w->snapshot, sizeof w->snapshot, e));
    PQ_GO(pq_log_uuid(&uuid, e));
    w->snapshot &= INT64_MAX;
    w->uuid = pq_arena_text(&w->arena, uuid.p, uuid.n, e);
    w->folder = pq_arena_printf(&w->arena, e, "%s/metadata", w->t.folder);
    w->format = w->m.format;
    w->table_uuid = pq_slice(pq_arena_text(&w->arena, w->m.uuid.p, w->m.uuid.n, e), w->m.uuid.n);
    w->table_location = pq_slice(pq_arena_text(&w->arena, w->m.location.p, w->m.location.n, e),
                                 w->m.location.n);
    w->schema = pq_slice(pq_arena_text(&w->arena, w->m.schema.p, w->m.schema.n, e), w->m.schema.n);
    PQ_GO(w->table_uuid.p && w->table_location.p && w->schema.p ? PQ_OK : e->rc);
    w->schema_id = plan->listing->snapshot->schema_id;
    PQ_GO(w->uuid && w->folder ? take_spec(w, e) : e->rc);
    PQ_GO(check_same(w, e));
    PQ_GO(check_schema(w, e));
    PQ_GO(check_properties(w, e));
done:
    pq_buf_free(&uuid);
    e->where = outer;
    return rc;
}

static void free_write(PqLakeWriter *base)
{
    PqIcebergWrite *w = (PqIcebergWrite *)base;

    forget(&w->manifest);
    forget(&w->list);
    forget(&w->temp);
    for (uint32_t k = 0; k < base->n_by; k++) {
        pq_leaf_batch_free(&w->parts[k].value);
    }
    pq_lake_snapshot_release(w->r.s);
    pq_arena_free(&w->t.scratch);
    pq_arena_free(&w->arena);
    pq_mem_free(w);
}

PqRc pq_iceberg_write_new(const PqLakeWritePlan *plan, PqLakeWriter **out, PqErr *e)
{
    PqIcebergWrite *w;

    *out = NULL;
    PQ_TRY(PQ_NEW(plan->mem, w, 1, e));
    *w = (PqIcebergWrite){.base = {.log = {w, NULL, enter, -1}, .version = "snapshot",
                                   .place = "metadata", .free = free_write}, .plan = *plan};
    w->r = (PqLakeReading){.table = plan->table, .places = &plan->listing->places,
                           .engine = plan->engine, .version = -1, .as_of = INT64_MAX,
                           .mem = plan->mem, .stop = plan->stop};
    pq_arena_init(&w->arena, plan->mem);
    w->t = (PqIceberg){.r = &w->r, .places = plan->listing->places, .arena = &w->arena};
    pq_arena_init(&w->t.scratch, plan->mem);
    if (begin_table(w, e) != PQ_OK) {
        free_write(&w->base);
        return e->rc;
    }
    *out = &w->base;
    return PQ_OK;
}
