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
    PQ_TRY(rc);
    d->folder = pq_arena_printf(&d->arena, e, "%s/_delta_log", d->table);
    return d->folder ? PQ_OK : e->rc;
}

const char *pq_delta_log_file(const PqDeltaLog *d, PqArena *a, int64_t version, const char *ending,
                              PqErr *e)
{
    return pq_arena_printf(a, e, "%s/%0*lld%s", d->folder, PQ_DELTA_DIGITS, (long long)version,
                           ending);
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

static PqRc read_texts(PqDeltaLog *d, PqSlice list, const char ***out, uint32_t *n, PqErr *e)
{
    PqJsonList l = pq_json_list(list, &d->scratch);
    const char **v = NULL;

    for (*n = 0; pq_json_list_next(&l, e); ++*n) {
        PQ_TRY(PQ_ARENA_GROW(&d->arena, v, *n, e));
        v[*n] = keep(d, l.element, e);
    }
    *out = v;
    return e->rc;
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

/* Without text: none. */
static PqRc read_pairs(PqDeltaLog *d, PqSlice text, PqDeltaPairs *out, PqErr *e)
{
    Pairs p = {.log = d};

    PQ_TRY(text.n ? pq_json_object(text, &d->scratch, add_pair, &p, e) : PQ_OK);
    *out = p.pairs;
    return PQ_OK;
}

/* ---- files ----------------------------------------------------------------------------- */

/* An add or a remove. */
typedef struct FileAction {
    bool         adds;
    PqSlice      said;               /* all of it                            */
    PqSlice      path, values;
    int64_t      size;
    PqSlice      stats, parsed;      /* text, and what a checkpoint has of it */
    PqDeletionVector deletes;        /* storage_type is empty: none          */
} FileAction;

/* value began the object. */
static PqRc take_file(PqJsonRead *r, const PqJsonToken *value, FileAction *f, PqErr *e)
{
    PqDeletionVector *v = &f->deletes;
    const PqJsonMember file[] = {
        {"path", &f->path, NULL}, {"size", NULL, &f->size}, {"stats", &f->stats, NULL},
        {"partitionValues", &f->values, NULL}, {"stats_parsed", &f->parsed, NULL},
        {"deletionVector/storageType", &v->storage_type, NULL},
        {"deletionVector/pathOrInlineDv", &v->path_or_inline, NULL},
        {"deletionVector/offset", NULL, &v->offset},
        {"deletionVector/sizeInBytes", NULL, &v->size},
        {"deletionVector/cardinality", NULL, &v->n_rows}};

    PQ_TRY(pq_json_pick(r, file, PQ_COUNT(file), e));
    f->said = pq_slice(r->text.p + value->at, r->at - value->at);
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

/* The path in the log is a URL in itself, or is relative to the table and encoded as
** one.  It is in the scratch memory. */
PqRc pq_delta_path(PqDeltaLog *d, PqSlice text, const char **out, PqErr *e)
{
    const char *path = pq_arena_text(&d->scratch, text.p, text.n, e);

    PQ_TRY(path ? PQ_OK : e->rc);
    if (!*path) {
        return pq_fail(e, PQ_CORRUPT, "a file of the table has no path");
    }
    if (*path == '/' || has_scheme(path)) {
        return pq_log_elsewhere(d->places, d->table, path, true, &d->scratch, out, e);
    }
    path = pq_url_decode(&d->scratch, text, e);
    return path ? pq_log_below(d->table, path, &d->scratch, out, e) : e->rc;
}

/* The number of the file, or of something else, with this key.  That of a file begins with its
** path and a NUL. */
static PqRc number_of_key(PqDeltaLog *d, PqStr key, uint32_t *out, PqErr *e)
{
    PQ_TRY(pq_text_numbers_find(&d->keys, &key, 1, out, e));
    if (*out == d->n) {
        PQ_TRY(PQ_GROW(d->mem, d->files, d->n, d->room, e));
        d->files[d->n++] = (PqDeltaFile){.path = (const char *)d->keys.v[*out].p};
    }
    return PQ_OK;
}

static PqStr key_of(const char *path)
{
    return (PqStr){(const uint8_t *)path, (uint32_t)strlen(path) + 1};
}

/* ... with these deletes. */
static PqRc number_of(PqDeltaLog *d, const FileAction *f, const char *path, uint32_t *out,
                      PqErr *e)
{
    const PqDeletionVector *v = &f->deletes;
    PqStr key = key_of(path);
    char *text;

    if (v->storage_type.n) {
        text = pq_arena_printf(&d->scratch, e, "%s\n%.*s%.*s@%lld", path, (int)v->storage_type.n,
                               (const char *)v->storage_type.p, (int)v->path_or_inline.n,
                               (const char *)v->path_or_inline.p, (long long)v->offset);
        PQ_TRY(text ? PQ_OK : e->rc);
        text[key.n - 1] = 0;
        key = (PqStr){(const uint8_t *)text, key.n + (uint32_t)strlen(text + key.n)};
    }
    return number_of_key(d, key, out, e);
}

bool pq_delta_knows(PqDeltaLog *d, const char *path)
{
    return pq_text_numbers_get(&d->keys, key_of(path)) != PQ_NO_NUMBER;
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
    PQ_TRY(pq_arena_copy(&d->arena, v->storage_type, &(*out)->storage_type, e));
    return pq_arena_copy(&d->arena, v->path_or_inline, &(*out)->path_or_inline, e);
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

static PqRc keep_said(PqDeltaLog *d, PqDeltaFile *to, const char *column, PqSlice said, PqErr *e)
{
    to->column = column;
    return pq_arena_copy(&d->arena, said, &to->said, e);
}

static PqRc read_file(PqDeltaLog *d, PqJsonRead *r, const PqJsonToken *value, bool adds,
                      PqErr *e)
{
    FileAction f = {.adds = adds, .size = -1};
    PqDeltaFile *to;
    const char *path;
    uint32_t i;

    PQ_TRY(take_file(r, value, &f, e));
    PQ_TRY(pq_delta_path(d, f.path, &path, e));
    PQ_TRY(number_of(d, &f, path, &i, e));
    to = &d->files[i];
    to->is_there = adds;
    if (d->keeps_said) {
        return keep_said(d, to, adds ? "add" : "remove", f.said, e);
    }
    PQ_TRY(keep_stats(d, to, &f, e));
    if (adds) {
        PQ_TRY(read_pairs(d, f.values, &to->values, e));
        to->size = f.size;
        return keep_deletes(d, &f.deletes, &to->deletes, e);
    }
    return PQ_OK;
}

/* ---- the table -------------------------------------------------------------------------- */

PqRc pq_delta_metadata(PqDeltaLog *d, PqSlice said, PqErr *e)
{
    PqSlice schema = {0}, partition = {0}, settings = {0}, provider = {0};
    const PqJsonMember members[] = {
        {"schemaString", &schema, NULL}, {"partitionColumns", &partition, NULL},
        {"configuration", &settings, NULL}, {"format/provider", &provider, NULL}};

    PQ_TRY(pq_json_pick_of(said, &d->scratch, members, PQ_COUNT(members), e));
    d->metadata = keep(d, said, e);
    d->schema = schema.p ? keep(d, schema, e) : NULL;
    d->provider = provider.p ? keep(d, provider, e) : NULL;
    PQ_TRY(d->metadata && !d->schema == !schema.p && !d->provider == !provider.p ? PQ_OK : e->rc);
    PQ_TRY(read_texts(d, partition, &d->partition, &d->n_partition, e));
    return read_pairs(d, settings, &d->settings, e);
}

PqRc pq_delta_protocol(PqDeltaLog *d, PqSlice said, PqErr *e)
{
    PqSlice reader = {0}, writer = {0};
    const PqJsonMember members[] = {
        {"minReaderVersion", NULL, &d->reader}, {"minWriterVersion", NULL, &d->writer},
        {"readerFeatures", &reader, NULL}, {"writerFeatures", &writer, NULL}};

    d->reader = d->writer = -1;
    PQ_TRY(pq_json_pick_of(said, &d->scratch, members, PQ_COUNT(members), e));
    d->protocol = keep(d, said, e);
    PQ_TRY(d->protocol ? PQ_OK : e->rc);
    PQ_TRY(read_texts(d, reader, &d->features, &d->n_features, e));
    return read_texts(d, writer, &d->writer_features, &d->n_writer_features, e);
}

static PqRc take_sidecar(PqDeltaLog *d, PqJsonRead *r, PqErr *e)
{
    PqSlice text = {0};
    const PqJsonMember member = {"path", &text, NULL};
    const char *path, *slash;

    PQ_TRY(pq_json_pick(r, &member, 1, e));
    if (!text.p) {
        return PQ_OK;
    }
    path = pq_url_decode(&d->arena, text, e);
    PQ_TRY(path ? PQ_OK : e->rc);
    slash = strrchr(path, '/');
    PQ_TRY(PQ_ARENA_GROW(&d->arena, d->sidecars, d->n_sidecars, e));
    d->sidecars[d->n_sidecars++] = slash ? slash + 1 : path;
    return PQ_OK;
}

/* One that follows has the place of one of the same name. */
static PqRc take_named(PqDeltaLog *d, PqJsonRead *r, const PqJsonToken *value, bool is_txn,
                       PqErr *e)
{
    PqSlice name = {0}, said;
    const PqJsonMember member = {is_txn ? "appId" : "domain", &name, NULL};
    const char *key;
    uint32_t i;

    PQ_TRY(pq_json_pick(r, &member, 1, e));
    said = pq_slice(r->text.p + value->at, r->at - value->at);
    key = pq_arena_printf(&d->scratch, e, "\n%d%.*s", is_txn, (int)name.n, (const char *)name.p);
    PQ_TRY(key ? PQ_OK : e->rc);
    PQ_TRY(number_of_key(d, (PqStr){(const uint8_t *)key, (uint32_t)strlen(key)}, &i, e));
    return keep_said(d, &d->files[i], is_txn ? "txn" : "domainMetadata", said, e);
}

static PqRc take_action(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                        PqErr *e)
{
    PqDeltaLog *d = arg;
    bool is_protocol = pq_slice_is(key, "protocol");
    PqSlice said;

    if (value->kind != PQ_JSON_OBJECT) {
        return PQ_OK;                /* a row of a checkpoint has nulls      */
    }
    if (pq_slice_is(key, "add") || pq_slice_is(key, "remove")) {
        return read_file(d, r, value, pq_slice_is(key, "add"), e);
    }
    if (is_protocol || pq_slice_is(key, "metaData")) {
        PQ_TRY(pq_json_read_skip(r, value, &said, e));
        return is_protocol ? pq_delta_protocol(d, said, e) : pq_delta_metadata(d, said, e);
    }
    if (d->keeps_said && (pq_slice_is(key, "txn") || pq_slice_is(key, "domainMetadata"))) {
        return take_named(d, r, value, pq_slice_is(key, "txn"), e);
    }
    return pq_slice_is(key, "sidecar") ? take_sidecar(d, r, e) : PQ_OK;
}

PqRc pq_delta_action(PqDeltaLog *d, PqSlice line, PqErr *e)
{
    pq_arena_reset(&d->scratch);
    return pq_json_object(line, &d->scratch, take_action, d, e);
}
