/*
** delta_action.c - reads one action of a Delta log.
**
** Members that are not known are passed over: what a reader has to know is named by the
** protocol action.
*/
#include "core/lake/delta_log.h"

#include "core/base/ascii.h"
#include "core/base/random.h"
#include "core/lake/json_members.h"
#include "core/lake/log_names.h"
#include "core/remote/url.h"

enum { STATS_BYTES = 32 << 20 };

PqRc pq_delta_log_begin(PqDeltaLog *d, const PqLakeReading *r, PqErr *e)
{
    uint64_t seed = 0;               /* nobody may choose paths with one hash */
    PqRc rc = pq_random_fill(&seed, sizeof seed, e);

    *d = (PqDeltaLog){.table = r->table, .places = r->places, .mem = r->mem};
    pq_arena_init(&d->arena, d->mem);
    pq_arena_init(&d->scratch, d->mem);
    pq_text_numbers_init(&d->keys, d->mem, seed, NULL);
    return rc;
}

void pq_delta_log_end(PqDeltaLog *d)
{
    pq_text_numbers_free(&d->keys);
    for (uint32_t i = 0; i < d->n; i++) {
        pq_mem_free(d->files[i].stats);
    }
    pq_mem_free(d->files);
    pq_arena_free(&d->arena);
    pq_arena_free(&d->scratch);
}

static const char *keep(PqDeltaLog *d, PqSlice s, PqErr *e)
{
    return pq_arena_text(&d->arena, s.p, s.n, e);
}

/* ---- lists and objects of texts -------------------------------------------------------- */

typedef struct Texts {
    PqDeltaLog  *log;
    const char **v;
    uint32_t     n;
} Texts;

static PqRc add_text(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                     PqErr *e)
{
    Texts *t = arg;

    if (value->kind != PQ_JSON_STRING) {
        return pq_fail(e, PQ_CORRUPT, "a list of names has something else");
    }
    PQ_TRY(PQ_ARENA_GROW(&t->log->arena, t->v, t->n, e));
    t->v[t->n] = keep(t->log, value->text, e);
    return t->v[t->n++] ? PQ_OK : e->rc;
}

/* null is an empty list. */
static PqRc read_texts(PqDeltaLog *d, PqJsonRead *r, const PqJsonToken *value,
                       const char ***v, uint32_t *n, PqErr *e)
{
    Texts t = {.log = d};

    if (value->kind == PQ_JSON_ARRAY) {
        PQ_TRY(pq_json_elements(r, add_text, &t, e));
    }
    *v = t.v;
    *n = t.n;
    return PQ_OK;
}

typedef struct Pairs {
    PqDeltaLog  *log;
    PqDeltaPairs pairs;
} Pairs;

static PqRc add_pair(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                     PqErr *e)
{
    Pairs *p = arg;
    PqDeltaPair *to;

    if (value->kind != PQ_JSON_STRING && value->kind != PQ_JSON_NULL) {
        return pq_fail(e, PQ_CORRUPT, "%.*s is not a text", (int)(key.n < 100 ? key.n : 100),
                       (const char *)key.p);
    }
    PQ_TRY(PQ_ARENA_GROW(&p->log->arena, p->pairs.v, p->pairs.n, e));
    to = &p->pairs.v[p->pairs.n++];
    to->key = keep(p->log, key, e);
    to->text = value->kind == PQ_JSON_STRING ? keep(p->log, value->text, e) : NULL;
    return e->rc;
}

static PqRc read_pairs(PqDeltaLog *d, PqJsonRead *r, const PqJsonToken *value,
                       PqDeltaPairs *out, PqErr *e)
{
    Pairs p = {.log = d};

    if (value->kind == PQ_JSON_OBJECT) {
        PQ_TRY(pq_json_members(r, add_pair, &p, e));
    }
    *out = p.pairs;
    return PQ_OK;
}

/* ---- files ----------------------------------------------------------------------------- */

/* An add or a remove. */
typedef struct FileAction {
    PqDeltaLog  *log;
    PqSlice      path;
    PqDeltaPairs values;
    int64_t      size;
    PqSlice      stats, parsed;      /* text, and what a checkpoint has of it */
    bool         adds;
    PqDeletionVector deletes;        /* storage_type is empty: none          */
} FileAction;

static PqRc take_deletes(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                         PqErr *e)
{
    FileAction *f = arg;
    const struct { const char *key; int64_t *to; } numbers[] = {
        {"offset", &f->deletes.offset}, {"sizeInBytes", &f->deletes.size},
        {"cardinality", &f->deletes.n_rows}};

    (void)r;
    if (pq_slice_is(key, "storageType") && value->kind == PQ_JSON_STRING) {
        f->deletes.storage_type = value->text;
    } else if (pq_slice_is(key, "pathOrInlineDv") && value->kind == PQ_JSON_STRING) {
        f->deletes.path_or_inline = value->text;
    }
    for (size_t i = 0; i < PQ_COUNT(numbers); i++) {
        if (pq_slice_is(key, numbers[i].key) && value->kind != PQ_JSON_NULL &&
            !pq_json_int(value, numbers[i].to)) {
            return pq_fail(e, PQ_CORRUPT, "%s of deleted rows is not a number",
                           numbers[i].key);
        }
    }
    return PQ_OK;
}

static PqRc take_file(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                      PqErr *e)
{
    FileAction *f = arg;

    if (pq_slice_is(key, "path") && value->kind == PQ_JSON_STRING) {
        f->path = value->text;
    } else if (pq_slice_is(key, "partitionValues") && f->adds) {
        return read_pairs(f->log, r, value, &f->values, e);
    } else if (pq_slice_is(key, "size") && pq_json_int(value, &f->size)) {
        return PQ_OK;
    } else if (pq_slice_is(key, "stats") && value->kind == PQ_JSON_STRING) {
        f->stats = value->text;
    } else if (pq_slice_is(key, "stats_parsed") && value->kind == PQ_JSON_OBJECT) {
        return pq_json_read_skip(r, value, &f->parsed, e);
    } else if (pq_slice_is(key, "deletionVector") && value->kind == PQ_JSON_OBJECT) {
        return pq_json_members(r, take_deletes, f, e);
    }
    return PQ_OK;
}

/* Does it begin with the scheme of a URL? */
static bool has_scheme(const char *path)
{
    size_t n = 0;

    while (pq_ascii_is_letter(path[n]) ||
           (n && (pq_ascii_is_digit(path[n]) || (path[n] && strchr("+-.", path[n]))))) {
        n++;
    }
    return n && path[n] == ':';
}

/* A URL in the log of a table in a bucket. */
static PqRc path_in_bucket(PqDeltaLog *d, const char *path, const char **out, PqErr *e)
{
    const char *rest;

    PQ_TRY(pq_log_same_place(d->table, path, &rest, e));
    rest = pq_url_decode(&d->scratch, pq_slice_text(rest), e);
    *out = rest ? pq_arena_printf(&d->arena, e, "%.*s%s", (int)pq_log_place(d->table),
                                  d->table, rest) : NULL;
    return *out ? PQ_OK : e->rc;
}

/* The path in the log is a URL in itself, or is relative to the table and encoded as
** one. */
PqRc pq_delta_path(PqDeltaLog *d, PqSlice text, const char **out, PqErr *e)
{
    const char *path = pq_arena_text(&d->scratch, text.p, text.n, e);

    PQ_TRY(path ? PQ_OK : e->rc);
    if (!*path) {
        return pq_fail(e, PQ_CORRUPT, "a file of the table has no path");
    }
    if (*path != '/' && !has_scheme(path)) {
        path = pq_url_decode(&d->scratch, text, e);
        PQ_TRY(path ? PQ_OK : e->rc);
        if (pq_lake_leads_up(path)) {
            return pq_fail(e, PQ_CORRUPT, "%.300s is not in the table", path);
        }
        *out = pq_arena_printf(&d->arena, e, "%s%s%s", d->table,
                               d->table[strlen(d->table) - 1] == '/' ? "" : "/", path);
        return *out ? PQ_OK : e->rc;
    }
    if (pq_url_is(d->table)) {
        return path_in_bucket(d, path, out, e);
    }
    if (*path != '/' && !pq_ascii_same_n(path, "file:", 5)) {
        return pq_fail(e, PQ_USAGE, "the log of a table on a disk names a file that is not "
                       "on one: %.100s", path);
    }
    if (*path == '/') {
        path = pq_url_decode(&d->arena, text, e);
    } else {
        PQ_TRY(pq_places_name(d->places, &d->arena, path, &path, e));
        path = pq_arena_text(&d->arena, path, strlen(path), e);
    }
    *out = path;
    return path ? PQ_OK : e->rc;
}

/* The number of the file with these deletes. */
static PqRc number_of(PqDeltaLog *d, const FileAction *f, const char *path, uint32_t *out,
                      PqErr *e)
{
    const PqDeletionVector *v = &f->deletes;
    const char *key = pq_arena_printf(&d->scratch, e, "%s\n%.*s%.*s@%lld", path,
                                      (int)v->storage_type.n,
                                      (const char *)v->storage_type.p,
                                      (int)v->path_or_inline.n,
                                      (const char *)v->path_or_inline.p,
                                      (long long)v->offset);
    PqStr text;

    PQ_TRY(key ? PQ_OK : e->rc);
    text = (PqStr){(const uint8_t *)key, (uint32_t)strlen(key)};
    PQ_TRY(pq_text_numbers_find(&d->keys, &text, 1, out, e));
    if (*out == d->n) {
        PQ_TRY(PQ_GROW(d->mem, d->files, d->n, d->room, e));
        d->files[d->n++] = (PqDeltaFile){.path = path};
    }
    return PQ_OK;
}

/* The texts of a line do not stay. */
static PqRc keep_deletes(PqDeltaLog *d, const PqDeletionVector *v, PqDeletionVector **out,
                         PqErr *e)
{
    *out = NULL;
    if (v->storage_type.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(&d->arena, *out, 1, e));
    **out = *v;
    (*out)->storage_type.p = (const uint8_t *)keep(d, v->storage_type, e);
    (*out)->path_or_inline.p = (const uint8_t *)keep(d, v->path_or_inline, e);
    return e->rc;
}

/* Statistics are claims that a file may do without: of many files, the first have them. */
static PqRc keep_stats(PqDeltaLog *d, PqDeltaFile *to, const FileAction *f, PqErr *e)
{
    PqSlice stats = f->stats.n ? f->stats : f->parsed;

    d->stats_bytes -= to->n_stats;
    pq_mem_free(to->stats);
    to->stats = NULL;
    to->n_stats = 0;
    if (f->adds && stats.n && stats.n < STATS_BYTES - d->stats_bytes) {
        to->stats = pq_mem_text(d->mem, stats.p, stats.n, e);
        PQ_TRY(to->stats ? PQ_OK : e->rc);
        to->n_stats = (uint32_t)stats.n;
        d->stats_bytes += stats.n;
    }
    return PQ_OK;
}

static PqRc read_file(PqDeltaLog *d, PqJsonRead *r, bool adds, PqErr *e)
{
    FileAction f = {.log = d, .adds = adds, .size = -1};
    const char *path;
    uint32_t i;

    PQ_TRY(pq_json_members(r, take_file, &f, e));
    PQ_TRY(pq_delta_path(d, f.path, &path, e));
    PQ_TRY(number_of(d, &f, path, &i, e));
    d->files[i].is_there = adds;
    PQ_TRY(keep_stats(d, &d->files[i], &f, e));
    if (adds) {
        if (d->keeps_logged) {
            d->files[i].logged = keep(d, f.path, e);
            PQ_TRY(d->files[i].logged ? PQ_OK : e->rc);
        }
        d->files[i].values = f.values;
        d->files[i].size = f.size;
        return keep_deletes(d, &f.deletes, &d->files[i].deletes, e);
    }
    return PQ_OK;
}

/* ---- the table -------------------------------------------------------------------------- */

static PqRc take_format(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                        PqErr *e)
{
    PqDeltaLog *d = arg;

    (void)r;
    if (pq_slice_is(key, "provider") && value->kind == PQ_JSON_STRING) {
        d->provider = keep(d, value->text, e);
    }
    return e->rc;
}

static PqRc take_table(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                       PqErr *e)
{
    PqDeltaLog *d = arg;

    if (pq_slice_is(key, "schemaString") && value->kind == PQ_JSON_STRING) {
        d->schema = keep(d, value->text, e);
    } else if (pq_slice_is(key, "partitionColumns")) {
        return read_texts(d, r, value, &d->partition, &d->n_partition, e);
    } else if (pq_slice_is(key, "configuration")) {
        return read_pairs(d, r, value, &d->settings, e);
    } else if (pq_slice_is(key, "format") && value->kind == PQ_JSON_OBJECT) {
        return pq_json_members(r, take_format, d, e);
    }
    return e->rc;
}

static PqRc take_protocol(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                          PqErr *e)
{
    PqDeltaLog *d = arg;

    if (pq_slice_is(key, "minReaderVersion") && !pq_json_int(value, &d->reader)) {
        return pq_fail(e, PQ_CORRUPT, "minReaderVersion is not a number");
    }
    if (pq_slice_is(key, "minWriterVersion") && !pq_json_int(value, &d->writer)) {
        return pq_fail(e, PQ_CORRUPT, "minWriterVersion is not a number");
    }
    if (pq_slice_is(key, "writerFeatures")) {
        return read_texts(d, r, value, &d->writer_features, &d->n_writer_features, e);
    }
    return pq_slice_is(key, "readerFeatures")
               ? read_texts(d, r, value, &d->features, &d->n_features, e) : PQ_OK;
}

static PqRc take_sidecar(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                         PqErr *e)
{
    PqDeltaLog *d = arg;

    (void)r;
    if (pq_slice_is(key, "path") && value->kind == PQ_JSON_STRING) {
        const char *path = pq_url_decode(&d->arena, value->text, e), *slash;

        PQ_TRY(path ? PQ_OK : e->rc);
        slash = strrchr(path, '/');
        PQ_TRY(PQ_ARENA_GROW(&d->arena, d->sidecars, d->n_sidecars, e));
        d->sidecars[d->n_sidecars++] = slash ? slash + 1 : path;
    }
    return PQ_OK;
}

static PqRc take_action(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                        PqErr *e)
{
    PqDeltaLog *d = arg;

    if (value->kind != PQ_JSON_OBJECT) {
        return PQ_OK;                /* a row of a checkpoint has nulls      */
    }
    if (pq_slice_is(key, "add") || pq_slice_is(key, "remove")) {
        return read_file(d, r, pq_slice_is(key, "add"), e);
    }
    if (pq_slice_is(key, "metaData")) {
        d->schema = d->provider = NULL;
        d->n_partition = 0;
        d->settings = (PqDeltaPairs){0};
        return pq_json_members(r, take_table, d, e);
    }
    if (pq_slice_is(key, "protocol")) {
        d->has_protocol = true;
        d->reader = d->writer = -1;
        d->n_features = d->n_writer_features = 0;
        return pq_json_members(r, take_protocol, d, e);
    }
    return pq_slice_is(key, "sidecar") ? pq_json_members(r, take_sidecar, d, e) : PQ_OK;
}

PqRc pq_delta_action(PqDeltaLog *d, PqSlice line, PqErr *e)
{
    pq_arena_reset(&d->scratch);
    return pq_json_object(line, &d->scratch, take_action, d, e);
}

/* ---- can it be read? --------------------------------------------------------------------- */

const char *pq_delta_setting(const PqDeltaLog *d, const char *key)
{
    const char *found = NULL;

    for (uint32_t i = 0; i < d->settings.n; i++) {
        if (strcmp(d->settings.v[i].key, key) == 0) {
            found = d->settings.v[i].text;
        }
    }
    return found;
}

static bool has_feature(const PqDeltaLog *d, const char *name)
{
    for (uint32_t i = 0; i < d->n_features; i++) {
        if (strcmp(d->features[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Features of tables that need nothing of a reader, or nothing that is not done. */
static bool is_known(const char *feature)
{
    static const char *const known[] = {
        "columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint",
        "vacuumProtocolCheck", "typeWidening", "typeWidening-preview", "variantType",
        "variantType-preview", "variantShredding", "variantShredding-preview"};

    for (size_t i = 0; i < PQ_COUNT(known); i++) {
        if (strcmp(known[i], feature) == 0) {
            return true;
        }
    }
    return false;
}

static PqRc mapping_of(const PqDeltaLog *d, PqDeltaMapping *mapping, PqErr *e)
{
    bool may = d->reader == 2 || has_feature(d, "columnMapping");
    const char *mode = may ? pq_delta_setting(d, "delta.columnMapping.mode") : NULL;

    *mapping = !mode || strcmp(mode, "none") == 0 ? PQ_DELTA_BY_NAME
               : strcmp(mode, "id") == 0          ? PQ_DELTA_BY_ID
                                                  : PQ_DELTA_BY_PHYSICAL_NAME;
    return *mapping != PQ_DELTA_BY_PHYSICAL_NAME || strcmp(mode, "name") == 0
               ? PQ_OK
               : pq_fail(e, PQ_UNSUPPORTED, "columns are mapped by \"%s\"", mode);
}

PqRc pq_delta_check(const PqDeltaLog *d, PqDeltaMapping *mapping, PqErr *e)
{
    if (!d->has_protocol || d->reader < 1) {
        return pq_fail(e, PQ_CORRUPT, "the log does not say which protocol the table has");
    }
    if (!d->schema) {
        return pq_fail(e, PQ_CORRUPT, "the log has no schema of the table");
    }
    if (d->provider && !pq_ascii_same(d->provider, "parquet")) {
        return pq_fail(e, PQ_UNSUPPORTED, "the files of the table are %s, not Parquet",
                       d->provider);
    }
    if (d->reader > 3) {
        return pq_fail(e, PQ_UNSUPPORTED, "the table asks for version %lld of readers; this "
                       "one knows 1 to 3", (long long)d->reader);
    }
    for (uint32_t i = 0; d->reader == 3 && i < d->n_features; i++) {
        if (!is_known(d->features[i])) {
            return pq_fail(e, PQ_UNSUPPORTED, "the table has the feature %s, which this "
                           "reader does not know", d->features[i]);
        }
    }
    return mapping_of(d, mapping, e);
}
