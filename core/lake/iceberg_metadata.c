/*
** iceberg_metadata.c - which metadata file counts, and what it says.
**
** version-hint.text may be older than the newest file, never newer: from the version it
** names the search goes on to the next ones.  Without it the highest number counts; of
** two files that have it, one may be left of a commit that failed, and the one that was
** updated later counts.
*/
#include "core/lake/iceberg.h"

#include "core/base/ascii.h"
#include "core/base/lake_tables.h"
#include "core/base/path_hint.h"
#include "core/codec/codec.h"
#include "core/lake/json_members.h"
#include "core/text/number_parse.h"

#include <stdio.h>

enum { METADATA_MOST = 1 << 30, FORMAT_MOST = 3 };

/* ---- which file -------------------------------------------------------------------------- */

int64_t pq_iceberg_version_of(const char *name)
{
    int64_t v = 0;
    const char *at = name + (*name == 'v');

    if (!pq_ascii_is_digit(*at) || !strstr(name, ".metadata.json")) {
        return -1;
    }
    for (; pq_ascii_is_digit(*at); at++) {
        if (v > INT32_MAX) {
            return -1;
        }
        v = 10 * v + (*at - '0');
    }
    return v;
}

typedef struct Names {
    PqArena     *arena;
    const char **v;
    uint32_t     n;
} Names;

static PqRc take_name(void *arg, const char *name, PqErr *e)
{
    Names *to = arg;
    const char *copy = pq_iceberg_version_of(name) < 0 ? NULL
                           : pq_arena_text(to->arena, name, strlen(name), e);

    if (copy) {
        PQ_TRY(PQ_ARENA_GROW(to->arena, to->v, to->n, e));
        to->v[to->n++] = copy;
    }
    return e->rc;
}

/* The bytes of a file in metadata/, if it is there. */
static PqRc read_optional(PqIceberg *t, const char *name, PqBuf *out, PqErr *e)
{
    const char *path = pq_arena_printf(&t->scratch, e, "%s/metadata/%s", t->folder, name);
    PqRc rc;

    t->places.terms.optional = true;
    rc = path ? pq_iceberg_bytes(t, path, PQ_LOG_ALL, out, e) : e->rc;
    t->places.terms.optional = false;
    return rc;
}

/* A server that lists nothing is asked for the names that follow the hint. */
static PqRc ask_for_names(PqIceberg *t, PqSlice hint, Names *out, PqErr *e)
{
    char name[64];
    int64_t version;
    PqBuf text;
    PqRc rc = PQ_OK;

    if (!hint.n) {
        return pq_fail(e, PQ_IO, "there is no metadata/version-hint.text, and " PQ_NAME_FILES);
    }
    if (pq_number_parse_i64(hint, &version) != PQ_PARSE_OK || version < 0) {
        snprintf(name, sizeof name, "%.*s.metadata.json", hint.n < 48 ? (int)hint.n : 0,
                 (const char *)hint.p);
        return take_name(out, name, e);
    }
    pq_buf_init(&text, t->r->mem, NULL);
    do {
        PQ_GO(pq_stop_poll(t->r->stop, e));
        snprintf(name, sizeof name, "v%lld.metadata.json", (long long)version++);
        PQ_GO(read_optional(t, name, &text, e));
        PQ_GO(text.n ? take_name(out, name, e) : PQ_OK);
    } while (text.n && version < INT32_MAX);
done:
    pq_buf_free(&text);
    return rc;
}

static PqRc list_names(PqIceberg *t, PqSlice hint, Names *out, PqErr *e)
{
    const char *folder = pq_arena_printf(&t->scratch, e, "%s/metadata", t->folder);

    PQ_TRY(folder ? PQ_OK : e->rc);
    return t->by_http ? ask_for_names(t, hint, out, e)
                      : pq_log_names(&t->places, folder, NULL, &t->scratch, t->r->stop,
                                     take_name, out, e);
}

static bool has_version(const Names *names, int64_t version)
{
    for (uint32_t i = 0; i < names->n; i++) {
        if (pq_iceberg_version_of(names->v[i]) == version) {
            return true;
        }
    }
    return false;
}

/* What version-hint.text says: a version, or the beginning of a name; else empty. */
static PqRc read_hint(PqIceberg *t, PqSlice *out, PqErr *e)
{
    PqErr mine = PQ_NO_ERR;
    PqBuf text;
    PqRc rc;

    *out = (PqSlice){0};
    pq_buf_init(&text, t->r->mem, NULL);
    rc = read_optional(t, "version-hint.text", &text, pq_url_is(t->folder) ? e : &mine);
    if (rc == PQ_OK && text.n < 200) {
        while (text.n && text.p[text.n - 1] <= ' ') {
            text.n--;
        }
        pq_arena_copy(&t->scratch, pq_buf_view(&text), out, e);
    }
    pq_buf_free(&text);
    if (rc && t->by_http) {
        pq_err_hint(e, PQ_NAME_FILES);
    }
    return e->rc;
}

/* The version that counts, or a name. */
static PqRc choose(const Names *names, PqSlice hint, int64_t *version, const char **name,
                   PqErr *e)
{
    bool by_number = pq_number_parse_i64(hint, version) == PQ_PARSE_OK && *version >= 0;

    *name = NULL;
    *version = by_number ? *version : -1;
    for (uint32_t i = 0; i < names->n && !by_number; i++) {
        int64_t v = pq_iceberg_version_of(names->v[i]);

        if (!hint.n) {
            *version = v > *version ? v : *version;
        } else if (strncmp(names->v[i], (const char *)hint.p, hint.n) == 0) {
            *name = names->v[i];
        }
    }
    while (by_number && *version < INT32_MAX && has_version(names, *version + 1)) {
        ++*version;
    }
    return *name || has_version(names, *version)
               ? PQ_OK : pq_fail(e, PQ_CORRUPT, "version-hint.text names metadata that is "
                                 "not there");
}

/* ---- what it says ------------------------------------------------------------------------ */

static PqRc unpack(PqIceberg *t, PqBuf *text, PqErr *e)
{
    PqCodecState *state;
    PqBuf out;
    PqRc rc;

    PQ_TRY(pq_codec_state_new(t->r->mem, &state, e));
    pq_buf_init(&out, t->r->mem, NULL);
    rc = pq_codec_decode_all(state, PQ_CODEC_GZIP, false, pq_buf_view(text), METADATA_MOST,
                             &out, e);
    pq_codec_state_free(state);
    pq_buf_free(text);
    *text = out;
    return rc;
}

static PqRc read_metadata(PqIceberg *t, PqIcebergMetadata *m, PqErr *e)
{
    const PqJsonMember members[] = {
        {"format-version", NULL, &m->format}, {"last-updated-ms", NULL, &m->updated},
        {"current-schema-id", NULL, &m->schema_id},
        {"current-snapshot-id", NULL, &m->snapshot}, {"location", &m->location, NULL},
        {"schemas", &m->schemas, NULL}, {"schema", &m->schema, NULL},
        {"partition-specs", &m->specs, NULL}, {"partition-spec", &m->spec, NULL},
        {"properties/schema.name-mapping.default", &m->mapping, NULL},
        {"properties/encryption.key-id", &m->key, NULL},
        {"properties/write.metadata.compression-codec", &m->codec, NULL},
        {"snapshots", &m->snapshots, NULL},
        {"table-uuid", &m->uuid, NULL}, {"last-sequence-number", NULL, &m->sequence},
        {"default-spec-id", NULL, &m->spec_id}, {"next-row-id", NULL, &m->next_row},
        {"refs", &m->refs, NULL}, {"snapshot-log", &m->snapshot_log, NULL},
        {"metadata-log", &m->metadata_log, NULL}};
    PqBuf text;
    PqRc rc;

    m->schema_id = m->snapshot = -1;
    pq_buf_init(&text, t->r->mem, NULL);
    PQ_GO(pq_iceberg_bytes(t, m->path, PQ_LOG_ALL, &text, e));
    m->id = t->last;
    if (text.n > 2 && text.p[0] == 0x1f && text.p[1] == 0x8b) {
        PQ_GO(unpack(t, &text, e));
    }
    PQ_GO(pq_arena_copy(&t->scratch, pq_buf_view(&text), &m->json, e));
    rc = pq_json_pick_of(m->json, &t->scratch, members, PQ_COUNT(members), e);
done:
    pq_buf_free(&text);
    return rc;
}

static PqRc read_newest(PqIceberg *t, PqIcebergMetadata *out, PqErr *e)
{
    Names names = {.arena = &t->scratch};
    const char *name;
    int64_t version;
    PqSlice hint;

    PQ_TRY(read_hint(t, &hint, e));
    PQ_TRY(list_names(t, hint, &names, e));
    PQ_TRY(choose(&names, hint, &version, &name, e));
    for (uint32_t i = 0; i < names.n; i++) {
        PqIcebergMetadata m = {0};

        if (name ? name != names.v[i] : pq_iceberg_version_of(names.v[i]) != version) {
            continue;
        }
        m.path = pq_arena_printf(&t->scratch, e, "%s/metadata/%s", t->folder, names.v[i]);
        PQ_TRY(m.path ? PQ_OK : e->rc);
        pq_where_enter(e, m.path);
        PQ_TRY(read_metadata(t, &m, e));
        *out = !out->path || m.updated > out->updated ? m : *out;
    }
    pq_where_enter(e, out->path);
    return PQ_OK;
}

PqRc pq_iceberg_find(PqIceberg *t, PqSlice list, const char *key, int64_t wanted, PqSlice *out,
                 PqErr *e)
{
    PqJsonList l = pq_json_list(list, &t->scratch);

    *out = (PqSlice){0};
    while (pq_json_list_next(&l, e)) {
        int64_t n = INT64_MIN;

        PQ_TRY(pq_json_pick_of(l.element, &t->scratch, &(PqJsonMember){key, NULL, &n}, 1, e));
        *out = n == wanted ? l.element : *out;
    }
    return e->rc;
}

/* Which snapshot the table had at a time. */
static PqRc find_time(PqIceberg *t, const PqIcebergMetadata *m, PqErr *e)
{
    PqJsonList l = pq_json_list(m->snapshot_log, &t->scratch);

    while (pq_json_list_next(&l, e)) {
        int64_t id = -1, millis = INT64_MAX;
        const PqJsonMember members[] = {{"timestamp-ms", NULL, &millis},
                                        {"snapshot-id", NULL, &id}};

        PQ_TRY(pq_json_pick_of(l.element, &t->scratch, members, PQ_COUNT(members), e));
        if (millis > INT64_MIN / 1000 && millis < INT64_MAX / 1000 &&
            millis * 1000 <= t->r->as_of) {
            t->r->version = id;
        }
    }
    PQ_TRY(e->rc);
    return t->r->version >= 0
               ? PQ_OK : pq_fail(e, PQ_USAGE, "the metadata knows of no snapshot that is so old");
}

/* A version of the table has the schema of its time.  Those that have another one than the
** newest are not kept. */
static PqRc take_snapshot(PqIceberg *t, PqIcebergMetadata *m, PqErr *e)
{
    int64_t id, schema = -1, newest = m->schema_id;
    PqSlice found, key = {0};
    const PqJsonMember members[] = {
        {"manifest-list", &t->list, NULL}, {"manifests", &t->manifests, NULL},
        {"schema-id", NULL, &schema}, {"key-id", &key, NULL}};

    PQ_TRY(t->r->as_of < INT64_MAX ? find_time(t, m, e) : PQ_OK);
    id = t->r->version < 0 ? m->snapshot : t->r->version;
    t->r->s->version = id;
    if (id < 0) {
        return PQ_OK;                /* nothing was written to the table yet */
    }
    PQ_TRY(pq_iceberg_find(t, m->snapshots, "snapshot-id", id, &found, e));
    if (!found.n) {
        return pq_fail(e, t->r->version < 0 ? PQ_CORRUPT : PQ_USAGE, "the table has no snapshot "
                       "%lld; its newest is %lld", (long long)id, (long long)m->snapshot);
    }
    PQ_TRY(pq_json_pick_of(found, &t->scratch, members, PQ_COUNT(members), e));
    m->schema_id = t->r->version >= 0 && schema >= 0 ? schema : m->schema_id;
    if (m->schema_id == newest) {
        t->r->s->id = m->id;
        t->known = pq_lake_is_known(t->r, id, m->id);
    }
    return key.n ? pq_fail(e, PQ_UNSUPPORTED, "the table is encrypted") : PQ_OK;
}

static PqRc add_part(PqIceberg *t, PqIcebergSpec *s, PqSlice element, PqErr *e)
{
    PqIcebergPart p = {.source = -1, .id = -1};
    const PqJsonMember members[] = {{"source-id", NULL, &p.source},
                                       {"field-id", NULL, &p.id}, {"name", &p.name, NULL},
                                       {"transform", &p.transform, NULL}};

    PQ_TRY(pq_json_pick_of(element, &t->scratch, members, PQ_COUNT(members), e));
    p.id = p.id < 0 ? 1000 + (int64_t)s->n : p.id;       /* QUIRK: as old v1 tables mean */
    p.identity = pq_slice_is(p.transform, "identity");
    p.is_void = pq_slice_is(p.transform, "void");
    PQ_TRY(PQ_ARENA_GROW(&t->scratch, s->part, s->n, e));
    s->part[s->n++] = p;
    return PQ_OK;
}

static PqRc new_spec(PqIceberg *t, int64_t id, PqSlice fields, PqErr *e)
{
    PqJsonList l = pq_json_list(fields, &t->scratch);
    PqIcebergSpec *s;

    PQ_TRY(PQ_ARENA_GROW(&t->scratch, t->specs, t->n_specs, e));
    s = &t->specs[t->n_specs++];
    *s = (PqIcebergSpec){.id = id, .fields = fields};
    while (pq_json_list_next(&l, e)) {
        PQ_TRY(add_part(t, s, l.element, e));
    }
    return e->rc;
}

static PqRc add_spec(PqIceberg *t, PqSlice element, PqErr *e)
{
    PqSlice fields = {0};
    int64_t id = -1;
    const PqJsonMember members[] = {{"spec-id", NULL, &id}, {"fields", &fields, NULL}};

    PQ_TRY(pq_json_pick_of(element, &t->scratch, members, PQ_COUNT(members), e));
    return new_spec(t, id, fields, e);
}

static PqRc take_schema(PqIceberg *t, const PqIcebergMetadata *m, PqErr *e)
{
    t->schema = m->schema;
    t->r->s->schema_id = m->schema_id;
    if (m->schemas.n && m->schema_id >= 0) {
        PQ_TRY(pq_iceberg_find(t, m->schemas, "schema-id", m->schema_id, &t->schema, e));
    }
    return t->schema.n ? PQ_OK : pq_fail(e, PQ_CORRUPT, "the metadata has no schema %lld",
                                         (long long)m->schema_id);
}

PqRc pq_iceberg_newest(PqIceberg *t, PqIcebergMetadata *m, PqErr *e)
{
    *m = (PqIcebergMetadata){.path = pq_lake_is_metadata(t->r->table) ? t->r->table : NULL};
    PQ_TRY(m->path ? read_metadata(t, m, e) : read_newest(t, m, e));
    t->format = m->format;
    return m->format >= 1 && m->format <= FORMAT_MOST
               ? PQ_OK
               : pq_fail(e, PQ_UNSUPPORTED, "the table has format version %lld; this reader "
                         "knows 1 to %d", (long long)m->format, FORMAT_MOST);
}

static PqRc add_version(PqIceberg *t, PqSlice element, PqErr *e)
{
    int64_t id = -1, sequence = 0, millis = -1, n = -1;
    PqSlice operation = {0}, total = {0};
    const PqJsonMember members[] = {
        {"snapshot-id", NULL, &id}, {"sequence-number", NULL, &sequence},
        {"timestamp-ms", NULL, &millis}, {"summary/operation", &operation, NULL},
        {"summary/total-records", &total, NULL}};

    PQ_TRY(pq_stop_poll(t->r->stop, e));
    PQ_TRY(pq_json_pick_of(element, &t->scratch, members, PQ_COUNT(members), e));
    if (total.n && pq_number_parse_i64(total, &n) != PQ_PARSE_OK) {
        n = -1;                      /* numbers are texts there, of any kind */
    }
    return pq_lake_add_version(t->r, id, sequence, millis >= 0 && millis < INT64_MAX / 1000
                                                       ? millis * 1000 : INT64_MAX,
                               operation, n, e);
}

PqRc pq_iceberg_versions(PqIceberg *t, PqErr *e)
{
    PqIcebergMetadata m;
    PqJsonList l;

    PQ_TRY(pq_iceberg_newest(t, &m, e));
    l = pq_json_list(m.snapshots, &t->scratch);
    while (pq_json_list_next(&l, e)) {
        PQ_TRY(add_version(t, l.element, e));
    }
    return e->rc;
}

PqRc pq_iceberg_specs(PqIceberg *t, const PqIcebergMetadata *m, PqErr *e)
{
    PqJsonList l = pq_json_list(m->specs, &t->scratch);

    while (pq_json_list_next(&l, e)) {
        PQ_TRY(add_spec(t, l.element, e));
    }
    return e->rc || m->specs.n ? e->rc : new_spec(t, 0, m->spec, e);
}

PqRc pq_iceberg_spec(const PqIceberg *t, int64_t id, const PqIcebergSpec **out, PqErr *e)
{
    for (uint32_t i = 0; i < t->n_specs; i++) {
        if (t->specs[i].id == id) {
            *out = &t->specs[i];
            return PQ_OK;
        }
    }
    return pq_fail(e, PQ_CORRUPT, "the metadata has no partition spec %lld", (long long)id);
}

/* Files of a snapshot are kept as columns and places of its time: those of another one are the same
** if all that says so is. */
static PqRc find_base(PqIceberg *t, const PqIcebergMetadata *m, PqErr *e)
{
    const PqLakeSnapshot *kept = pq_kept_lakes_find(&t->r->engine->lakes, t->r->lake, -1);
    const char *uuid = pq_arena_text(&t->scratch, m->uuid.p, m->uuid.n, e);
    const char *schema = pq_arena_text(&t->scratch, t->schema.p, t->schema.n, e);

    PQ_TRY(uuid && schema ? PQ_OK : e->rc);
    t->r->s->metadata = pq_arena_printf(t->arena, e, "%s %s %s %s", uuid, t->folder, t->location,
                                        schema);
    PQ_TRY(t->r->s->metadata ? PQ_OK : e->rc);
    t->base = kept && kept->metadata && !kept->has_deletes &&
                      strcmp(kept->metadata, t->r->s->metadata) == 0 ? kept : NULL;
    return PQ_OK;
}

PqRc pq_iceberg_metadata(PqIceberg *t, PqErr *e)
{
    PqIcebergMetadata m;

    PQ_TRY(pq_iceberg_newest(t, &m, e));
    t->location = pq_arena_text(&t->scratch, m.location.p, m.location.n, e);
    PQ_TRY(t->location ? PQ_OK : e->rc);
    PQ_TRY(take_snapshot(t, &m, e));
    if (t->known) {
        return PQ_OK;
    }
    PQ_TRY(take_schema(t, &m, e));
    PQ_TRY(find_base(t, &m, e));
    t->mapping = m.mapping;
    return pq_iceberg_specs(t, &m, e);
}
