/*
** iceberg_table.c - an Iceberg table becomes a snapshot.
**
** A column that all files are partitioned by as it is has its values in the metadata.
** They choose files before any is opened, and stand for the column where a file lacks
** it.  Where they would not do as texts (an empty one, a REAL), the files' own are read.
*/
#include "core/lake/iceberg.h"

#include "core/base/ascii.h"
#include "core/base/folder.h"
#include "core/base/lake_tables.h"
#include "core/base/random.h"
#include "core/base/system.h"
#include "core/lake/lake_schema.h"

/* ---- paths ------------------------------------------------------------------------------- */

/* QUIRK: Spark calls S3 s3a where Trino and PyIceberg call it s3: of a bucket it is not told
** apart. */
static const char *without_scheme(const char *path)
{
    if (strncmp(path, "s3", 2) == 0 && strspn(path + 2, "an") < 2 && strstr(path, "://")) {
        return strstr(path, "://");
    }
    if (strncmp(path, "file:", 5) == 0) {
        path += 5;
        while (path[0] == '/' && (path[1] == '/' || pq_system_has_drive(path + 1))) {
            path++;
        }
    }
    return path;
}

/* The last part of a relative path that a table has below it; or the path. */
static const char *below_table(const char *path)
{
    const char *found = path;

    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "metadata/", 9) == 0 || strncmp(at, "data/", 5) == 0) {
            found = at;
        }
    }
    return found;
}

PqRc pq_iceberg_path(PqIceberg *t, PqSlice text, const char **out, PqErr *e)
{
    const char *path = pq_arena_text(t->arena, text.p, text.n, e), *place;
    const char *location = without_scheme(t->location);
    size_t n = strlen(location);

    PQ_TRY(path ? PQ_OK : e->rc);
    place = without_scheme(path);
    while (n && location[n - 1] == '/') {
        n--;
    }
    if (n && strncmp(place, location, n) == 0 && place[n] == '/') {
        place += n;
        while (*place == '/') {
            place++;
        }
    } else if (pq_system_is_absolute(place) || strstr(place, "://")) {
        bool is_local = !pq_url_is(t->folder) && pq_system_is_absolute(place);

        return pq_log_elsewhere(&t->places, t->folder, is_local ? place : path, false, t->arena,
                                out, e);
    } else {                         /* QUIRK: relative to nothing: iceberg.test */
        place = below_table(place);
    }
    if (t->by_http) {
        place = pq_url_encode(t->arena, pq_slice_text(place), true, e);
    }
    return place ? pq_log_below(t->folder, place, t->arena, out, e) : e->rc;
}

PqRc pq_iceberg_bytes(PqIceberg *t, const char *path, PqLogPart part, PqBuf *out, PqErr *e)
{
    return pq_log_read(&t->places, t->r->mem, path, part, out, &t->last, e);
}

/* The folder in which metadata/ lies, of the table or of the path of its metadata. */
PqRc pq_iceberg_folder(PqIceberg *t, PqErr *e)
{
    const char *table = t->r->table, *slash = strrchr(table, '/');
    size_t n = pq_folder_length(table, strlen(table));

    if (pq_lake_is_metadata(table)) {
        n = slash ? pq_folder_length(table, (size_t)(slash - table)) : 0;
        for (slash = table + n; slash > table && slash[-1] != '/'; slash--) {
        }
        if (n && *slash != '.') {    /* t/metadata                           */
            n = slash > table ? pq_folder_length(table, (size_t)(slash - table)) : 0;
            t->folder = n ? pq_arena_text(t->arena, table, n, e) : ".";
        } else {                     /* t/metadata/., or the current folder  */
            t->folder = pq_arena_printf(t->arena, e, "%.*s%s..", (int)n, table, n ? "/" : "");
        }
    } else {
        t->folder = pq_arena_text(t->arena, table, n, e);
    }
    PQ_TRY(t->folder ? PQ_OK : e->rc);
    t->by_http = pq_ascii_same_n(t->folder, "http", 4) && pq_url_is(t->folder);
    return !pq_url_is(table) || pq_url_is(t->folder)
               ? PQ_OK : pq_fail(e, PQ_USAGE, "this metadata is not in the folder of a table");
}

/* ---- the schema -------------------------------------------------------------------------- */

static PqRc take_mappings(PqIceberg *t, PqSlice list, PqErr *e);

/* {"field-id":1,"names":["id","key"],"fields":[...]} */
static PqRc take_mapping(PqIceberg *t, PqSlice element, PqErr *e)
{
    PqSlice names = {0}, fields = {0}, *aliases = NULL;
    uint32_t n = 0;
    int64_t id = -1;
    const PqJsonMember members[] = {{"field-id", NULL, &id}, {"names", &names, NULL},
                                       {"fields", &fields, NULL}};
    PqLakeField *field;
    PqJsonList l;

    PQ_TRY(pq_json_pick_of(element, &t->scratch, members, PQ_COUNT(members), e));
    for (l = pq_json_list(names, &t->scratch); pq_json_list_next(&l, e); n++) {
        PQ_TRY(PQ_ARENA_GROW(t->arena, aliases, n, e));
        PQ_TRY(pq_arena_copy(t->arena, l.element, &aliases[n], e));
    }
    PQ_TRY(e->rc);
    field = pq_lake_field_by_id(t->r->s, id);
    if (field) {
        field->aliases = aliases;
        field->n_aliases = n;
    }
    return take_mappings(t, fields, e);
}

static PqRc take_mappings(PqIceberg *t, PqSlice list, PqErr *e)
{
    PqJsonList l = pq_json_list(list, &t->scratch);

    while (pq_json_list_next(&l, e)) {
        PQ_TRY(take_mapping(t, l.element, e));
    }
    return e->rc;
}

static bool may_be_key(const PqNode *n)
{
    const PqType *t = &n->type;

    return n->kind == PQ_NODE_LEAF &&
           (t->logical == PQ_TYPE_STRING || t->logical == PQ_TYPE_DATE ||
            (t->logical == PQ_TYPE_NONE && (t->physical == PQ_INT32 || t->physical == PQ_INT64 ||
                                            t->physical == PQ_BOOLEAN)));
}

static PqRc find_keys(PqIceberg *t, PqErr *e)
{
    const PqLakeSnapshot *s = t->r->s;
    const PqNode *root = s->schema->schema.root;

    for (uint32_t i = 0; i < root->n_children; i++) {
        const PqNode *n = root->child[i];
        bool is = false;

        for (uint32_t k = 0; k < t->n_specs; k++) {
            for (uint32_t p = 0; p < t->specs[k].n; p++) {
                is = is || (t->specs[k].part[p].identity &&
                            t->specs[k].part[p].source == s->names.fields[n->element].id);
            }
        }
        if (is) {
            PQ_TRY(PQ_ARENA_GROW(&t->scratch, t->keys, t->n_keys, e));
            t->keys[t->n_keys++] = (PqIcebergKey){n, true, may_be_key(n)};
        }
    }
    return PQ_OK;
}

static PqRc take_schema(PqIceberg *t, PqErr *e)
{
    PqLakeSnapshot *s = t->r->s;
    PqSlice text;

    PQ_TRY(pq_arena_copy(t->arena, t->schema, &text, e));        /* names stay in it */
    PQ_TRY(pq_lake_schema(text, PQ_LAKE_ICEBERG, t->format > 2, t->arena, t->r->mem, &s->schema,
                          &s->names, e));
    if (!s->names.n) {
        return pq_fail(e, PQ_UNSUPPORTED, "the table has no columns");
    }
    PQ_TRY(take_mappings(t, t->mapping, e));
    return find_keys(t, e);
}

/* ---- files ------------------------------------------------------------------------------- */

static PqRc partition_by(PqIceberg *t, PqErr *e)
{
    const char **columns;
    uint32_t n = 0;

    PQ_TRY(PQ_ARENA_NEW(&t->scratch, columns, t->n_keys + 1u, e));
    for (uint32_t i = 0; i < t->n_keys; i++) {
        const PqIcebergKey *key = &t->keys[i];

        if (key->everywhere && key->is_simple && (t->files.n || t->base)) {
            for (uint32_t f = 0; f < t->files.n; f++) {
                t->files.v[f].values[n] = t->files.v[f].values[i];
            }
            columns[n++] = key->node->name;
        } else if (key->everywhere) {
            t->r->s->names.fields[key->node->element].must = true;
        }
    }
    return pq_lake_partition_by(t->r, columns, n, e);
}

static PqRc number_files(PqIceberg *t, PqErr *e)
{
    PQ_TRY(PQ_NEW(t->r->mem, t->deleted, t->files.n + 1u, e));
    for (uint32_t i = 0; i < t->files.n; i++) {
        const char *path = t->files.v[i].path;
        PqStr text = {(const uint8_t *)path, (uint32_t)strlen(path)};
        uint32_t number;

        pq_buf_init(&t->deleted[i], t->r->mem, NULL);
        PQ_TRY(pq_text_numbers_find(&t->paths, &text, 1, &number, e));
        if (number != i) {
            return pq_fail(e, PQ_CORRUPT, "the metadata has %.300s twice", path);
        }
    }
    return PQ_OK;
}

/* The base has the values of all keys, and of no others, and the new files have them, too. */
static bool fits_base(const PqIceberg *t)
{
    bool fits = t->base->n_folder_columns == t->n_keys;

    for (uint32_t i = 0; fits && i < t->n_keys; i++) {
        fits = t->keys[i].everywhere && t->keys[i].is_simple &&
               strcmp(t->base->folder_columns[i], t->keys[i].node->name) == 0;
    }
    return fits;
}

static PqRc add_files(PqIceberg *t, PqErr *e)
{
    for (uint32_t i = 0; t->base && i < t->base->n_files; i++) {
        PQ_TRY(pq_lake_copy_file(t->r, &t->base->files[i], e));
    }
    for (uint32_t i = 0; i < t->files.n; i++) {
        const PqIcebergFile *f = &t->files.v[i];
        PqLakeFile file = {.values = f->values, .deleted = &t->deleted[i],
                           .size = f->n_bytes < 0 ? -1 : f->n_bytes,
                           .n_rows = f->n_rows < 0 ? -1 : f->n_rows,
                           .bounds = f->bounds, .n_bounds = f->n_bounds,
                           .first_row = f->first_row, .sequence = f->sequence};

        PQ_TRY(pq_iceberg_path(t, pq_slice_text(f->path), &file.path, e));
        PQ_TRY(pq_lake_add_file(t->r, &file, e));
    }
    return pq_lake_finish(t->r, e);
}

static PqRc read_table(PqIceberg *t, PqErr *e)
{
    const PqWhere outer = e->where;
    bool ends;
    PqRc rc;

    PQ_TRY(pq_iceberg_folder(t, e));
    rc = t->r->versions ? pq_iceberg_versions(t, e) : pq_iceberg_metadata(t, e);
    ends = rc || t->known || t->r->versions;
    rc = ends ? rc : take_schema(t, e);
    e->where = outer;
    if (rc || ends) {
        return rc;
    }
    PQ_TRY(pq_iceberg_manifests(t, e));
    if (t->base && !fits_base(t)) {
        t->base = NULL;
        t->files.n = t->n_keys = 0;
        PQ_TRY(find_keys(t, e));
        PQ_TRY(pq_iceberg_manifests(t, e));
    }
    PQ_TRY(partition_by(t, e));
    PQ_TRY(number_files(t, e));
    PQ_TRY(pq_iceberg_deletes(t, e));
    return add_files(t, e);
}

PqRc pq_iceberg_read(PqLakeReading *r, PqErr *e)
{
    PqIceberg t = {.r = r, .places = *r->places, .arena = &r->s->arena};
    uint64_t seed = 0;
    PqRc rc = pq_random_fill(&seed, sizeof seed, e);

    t.places.terms.statement = &t;
    t.places.terms.bytes = true;
    pq_arena_init(&t.scratch, r->mem);
    pq_text_numbers_init(&t.paths, r->mem, seed, r->stop);
    rc = rc ? rc : read_table(&t, e);
    for (uint32_t i = 0; t.deleted && i < t.files.n; i++) {
        pq_buf_free(&t.deleted[i]);
    }
    if (pq_url_is(r->lake)) {        /* a snapshot that was known took the arena */
        pq_remote_expect_none(t.places.remote, &t);
    }
    pq_mem_free(t.deleted);
    pq_text_numbers_free(&t.paths);
    pq_arena_free(&t.scratch);
    return rc;
}
