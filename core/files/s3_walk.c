/*
** s3_walk.c - lists a bucket, page by page.
**
** What a server lists is a claim: a key that does not lie below the prefix that was
** asked for is an error, so a walk ends, and finds nothing outside its pattern.
*/
#include "core/files/s3_walk.h"

#include "core/base/ascii.h"
#include "core/base/lake_tables.h"
#include "core/remote/object.h"

typedef struct Walk {
    const PqPlaces *places;
    const PqGlob   *glob;
    const PqStop   *stop;
    PqPaths        *out;
    PqUrl           bucket;
    size_t          n_base;          /* of a key, before the pattern begins   */
    bool            looked_ahead;
} Walk;

/* What lies below a prefix. */
typedef struct Folder {
    Walk           *walk;
    size_t          n;               /* of the prefix                         */
    PqGlobPlaces    at;
    uint32_t        depth;
} Folder;

bool pq_s3_is_pattern(const char *path)
{
    size_t n = strlen(path);

    return pq_ascii_same_n(path, "s3://", 5) &&
           (pq_glob_is(path) || path[n - 1] == '/');
}

/* ---- folders ---------------------------------------------------------------------- */

/* A table of a lake, unless its files are wanted as files. */
static PqRc check_lake(const Walk *w, const char *key, PqErr *e)
{
    size_t n;
    const char *kind = w->out->lakes ? NULL : pq_lake_of_key(key + w->n_base, &n);
    const char *table, *outer = e->where.file;

    if (!kind) {
        return PQ_OK;
    }
    w->out->tables = w->out->tables && n == 0 && pq_lake_is_read(kind);
    n += w->n_base;
    table = pq_arena_printf(w->out->arena, e, "s3://%s/%.*s", w->bucket.host,
                            (int)(n ? n - 1 : 0), key);
    PQ_TRY(table ? PQ_OK : e->rc);
    w->out->table = w->out->tables ? table : NULL;
    w->out->table_kind = w->out->tables ? kind : NULL;
    e->where.file = NULL;            /* the table, not the pattern          */
    pq_lake_refuse(table, kind, e);
    e->where.file = outer;
    return e->rc;
}

static PqRc take_key(const Folder *f, const char *key, PqArena *a, PqErr *e)
{
    const Walk *w = f->walk;
    const char *path;

    if (!pq_glob_leads_to_file(w->glob, f->at, key + f->n)) {
        return PQ_OK;
    }
    path = pq_arena_printf(a, e, "s3://%s/%s", w->bucket.host, key);
    return path ? pq_paths_add(w->out, path, strlen(path), e) : e->rc;
}

/* Does a place of `at` match at any depth? */
static bool is_deep(const PqGlob *g, PqGlobPlaces at)
{
    for (uint32_t i = 0; i < g->n_parts; i++) {
        if (at >> i & 1 && g->part[i].kind == PQ_GLOB_DEEP) {
            return true;
        }
    }
    return at >> g->n_parts & 1;
}

/* The bytes before the first glob character of the only part that is next. */
static PqSlice literal_of(const PqGlob *g, PqGlobPlaces at)
{
    PqSlice text = {NULL, 0};

    for (uint32_t i = 0; i < g->n_parts; i++) {
        if (at == (PqGlobPlaces)1 << i && g->part[i].kind != PQ_GLOB_DEEP) {
            text = g->part[i].text;
            text.n = 0;
            while (text.n < g->part[i].text.n && !strchr("*?[", text.p[text.n])) {
                text.n++;
            }
        }
    }
    return text;
}

static PqRc walk(Walk *w, const char *prefix, PqGlobPlaces at, uint32_t depth,
                 PqErr *e);

static PqRc take_folder(const Folder *f, const char *folder, PqArena *a, PqErr *e)
{
    size_t n = strlen(folder);
    const char *name = n > f->n + 1 ? pq_arena_text(a, folder + f->n, n - f->n - 1, e)
                                    : "";
    PqGlobPlaces next;
    PqGlobStep step;

    if (!name || !*name) {
        return e->rc;
    }
    step = pq_glob_step(f->walk->glob, f->at, name);
    next = step.named | step.deep;
    if (pq_lake_mark(name) && !f->walk->out->lakes) {     /* only looked into */
        PQ_TRY(walk(f->walk, folder, 0, f->depth + 1, e));
    }
    return next ? walk(f->walk, folder, next, f->depth + 1, e) : PQ_OK;
}

/* The data of an Iceberg table come before its metadata, in pages that need not be listed. */
static PqRc look_ahead(const Folder *f, const char *key, PqArena *a, PqErr *e)
{
    Walk *w = f->walk;
    const char *metadata;

    if (!w->out->tables || w->looked_ahead || strncmp(key + w->n_base, "data/", 5) != 0) {
        return PQ_OK;
    }
    w->looked_ahead = true;
    metadata = pq_arena_printf(a, e, "%.*smetadata/", (int)w->n_base, key);
    return metadata ? walk(w, metadata, 0, f->depth + 1, e) : e->rc;
}

static PqRc see(void *arg, const char *key, bool folder, PqArena *a, PqErr *e)
{
    const Folder *f = arg;

    PQ_TRY(check_lake(f->walk, key, e));
    PQ_TRY(look_ahead(f, key, a, e));
    return folder ? take_folder(f, key, a, e) : take_key(f, key, a, e);
}

static PqRc walk(Walk *w, const char *prefix, PqGlobPlaces at, uint32_t depth,
                 PqErr *e)
{
    PqSlice literal = literal_of(w->glob, at);
    Folder f = {w, strlen(prefix), at, depth};
    PqObjectWalk how = {.remote = w->places->remote, .terms = &w->places->terms,
                        .bucket = &w->bucket, .stop = w->stop, .see = see, .arg = &f,
                        .folders = !is_deep(w->glob, at)};
    PqArena a;
    PqRc rc;

    if (depth > PQ_GLOB_DEPTH) {
        return pq_fail(e, PQ_IO, "more than %d folders deep", PQ_GLOB_DEPTH);
    }
    pq_arena_init(&a, w->out->arena->mem);
    how.prefix = pq_arena_printf(&a, e, "%s%.*s", prefix, (int)literal.n,
                                 (const char *)literal.p);
    rc = how.prefix ? pq_objects_walk(&how, e) : e->rc;
    pq_arena_free(&a);
    return rc;
}

PqRc pq_s3_walk(const PqPlaces *p, const PqGlob *g, const PqStop *stop,
                PqPaths *out, PqErr *e)
{
    Walk w = {.places = p, .glob = g, .stop = stop, .out = out};
    const char *base, *prefix;
    PqArena a;
    PqRc rc;

    pq_arena_init(&a, out->arena->mem);
    base = pq_arena_text(&a, g->base.p, g->base.n, e);
    PQ_GO(base ? pq_url_parse(&a, base, &w.bucket, e) : e->rc);
    prefix = w.bucket.path;
    w.bucket.path = "";
    w.n_base = strlen(prefix);
    rc = walk(&w, prefix, pq_glob_start(g), 0, e);
    if (out->table) {                /* that it is one ended the walk        */
        pq_err_clear(e);
        rc = PQ_OK;
    }
done:
    pq_arena_free(&a);
    return rc;
}
