/*
** s3_walk.c - lists a bucket, page by page.
**
** What a server lists is a claim: a key that does not lie below the prefix that was
** asked for is an error, so a walk ends, and finds nothing outside its pattern.
*/
#include "core/files/s3_walk.h"

#include "core/base/ascii.h"
#include "core/base/lake_tables.h"
#include "core/files/hive.h"
#include "core/remote/object.h"

#include <stdlib.h>

typedef struct Walk {
    PqListing      *list;
    const PqGlob   *glob;
    const PqStop   *stop;
    PqPaths        *out;
    PqUrl           base;            /* of the pattern                        */
    size_t          n_base;          /* ... bytes of its key                  */
    bool            looked_ahead;
    bool            gave_up;         /* the test took too many requests       */
} Walk;

/* What lies below a prefix. */
typedef struct Place {
    const char     *prefix;
    PqGlobPlaces    at;              /* 0: a log, of which no folder is walked */
    uint32_t        depth;
    bool            asks;            /* the test asks for columns of folders below */
} Place;

typedef struct Folder {
    Walk           *walk;
    Place           is;
    size_t          n;               /* of the prefix                         */
    bool            asks;            /* only the test wants to see its folders */
    PqArena        *arena;
    Place          *next;            /* places to go to                       */
    uint32_t        n_next;
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
    const char *table;

    if (!kind) {
        return PQ_OK;
    }
    w->out->tables = w->out->tables && n == 0 && pq_lake_is_read(kind);
    n += w->n_base;
    table = pq_arena_printf(w->out->arena, e, "s3://%s/%.*s", w->base.host,
                            (int)(n ? n - 1 : 0), key);
    PQ_TRY(table ? PQ_OK : e->rc);
    w->list->lake = w->out->tables ? table : NULL;
    w->list->lake_kind = w->out->tables ? kind : NULL;
    return pq_lake_refuse(table, kind, e);
}

static PqRc add_path(const Walk *w, PqPaths *to, const char *key, PqArena *a, PqErr *e)
{
    const char *path = pq_arena_printf(a, e, "s3://%s/%s", w->base.host, key);

    return path ? pq_paths_add(to, path, strlen(path), e) : e->rc;
}

static PqRc take_key(const Folder *f, const char *key, PqArena *a, PqErr *e)
{
    return pq_glob_leads_to_file(f->walk->glob, f->is.at, key + f->n)
               ? add_path(f->walk, f->walk->out, key, a, e) : PQ_OK;
}

/* Does a place of `at` match at any depth, as it does below any folder? */
static bool is_deep(const PqGlob *g, PqGlobPlaces at)
{
    return pq_glob_step(g, at, "any").deep;
}

/* The bytes before the first glob character of the only part that is next. */
static PqSlice literal_of(const PqGlob *g, PqGlobPlaces at)
{
    for (uint32_t i = 0; i < g->n_parts; i++) {
        if (at == (PqGlobPlaces)1 << i) {
            const char *text = (const char *)g->part[i].text.p;

            return pq_slice(text, strcspn(text, "*?[/"));
        }
    }
    return pq_slice(NULL, 0);
}

static PqRc walk(Walk *w, const Place *to, PqErr *e);

/* Where the walk goes from here.  Between two slashes of a key the name is empty: what matches
** at any depth goes through it, and stays where it is in the pattern; a wildcard has no such
** name. */
static PqGlobPlaces places_of(const Folder *f, const char *name)
{
    PqGlobStep step = pq_glob_step(f->walk->glob, f->is.at, name);

    return *name ? step.named | step.deep : f->asks ? f->is.at : 0;
}

static PqRc take_folder(Folder *f, const char *folder, PqArena *a, PqErr *e)
{
    Walk *w = f->walk;
    size_t n = strlen(folder);
    const char *name = pq_arena_text(a, folder + f->n, n > f->n ? n - f->n - 1 : 0, e);
    Place to = {.prefix = folder, .depth = f->is.depth + 1};
    bool passes = true;

    PQ_TRY(name ? PQ_OK : e->rc);
    if (f->is.at && pq_lake_mark(name) && !w->out->lakes) {       /* only looked into */
        PQ_TRY(walk(w, &to, e));
    }
    to.at = places_of(f, name);
    if (to.at && f->is.asks) {
        PQ_TRY(pq_hive_test(w->out->test, folder + w->n_base, a, &passes, &to.asks, e));
    }
    if (!to.at || !passes) {
        return to.at ? add_path(w, w->out->skipped, folder, a, e) : PQ_OK;
    }
    to.prefix = pq_arena_text(f->arena, folder, n, e);
    PQ_TRY(to.prefix ? PQ_ARENA_GROW(f->arena, f->next, f->n_next, e) : e->rc);
    f->next[f->n_next++] = to;
    return PQ_OK;
}

/* Listing everything takes fewer requests, perhaps. */
static PqRc give_up_beyond(const Folder *f, uint64_t n_requests, PqErr *e)
{
    Walk *w = f->walk;

    w->gave_up = f->asks && n_requests > w->out->test->most;
    w->list->in_vain |= w->gave_up && f->is.depth == 0 && n_requests == w->list->n_requests;
    return w->gave_up ? pq_fail(e, PQ_BUDGET, "too many folders") : PQ_OK;
}

/* The data of an Iceberg table come before its metadata, in pages that need not be listed. */
static PqRc look_ahead(const Folder *f, const char *key, PqArena *a, PqErr *e)
{
    Walk *w = f->walk;
    Place metadata = {.depth = f->is.depth + 1};

    if (!w->out->tables || w->looked_ahead || strncmp(key + w->n_base, "data/", 5) != 0) {
        return PQ_OK;
    }
    w->looked_ahead = true;
    metadata.prefix = pq_arena_printf(a, e, "%.*smetadata/", (int)w->n_base, key);
    return metadata.prefix ? walk(w, &metadata, e) : e->rc;
}

static PqRc see(void *arg, const char *key, bool folder, PqArena *a, PqErr *e)
{
    Folder *f = arg;

    PQ_TRY(give_up_beyond(f, f->walk->list->n_requests, e));
    PQ_TRY(check_lake(f->walk, key, e));
    PQ_TRY(look_ahead(f, key, a, e));
    return folder ? take_folder(f, key, a, e) : take_key(f, key, a, e);
}

static PqRc walk(Walk *w, const Place *to, PqErr *e)
{
    PqSlice literal = literal_of(w->glob, to->at);
    bool deep = is_deep(w->glob, to->at);
    PqUrl below = w->base;
    PqArena a;
    Folder f = {.walk = w, .is = *to, .n = strlen(to->prefix), .arena = &a,
                .asks = to->asks && deep && to->depth < PQ_GLOB_DEPTH};
    const PqPlaces *places = &w->list->places;
    PqObjectWalk how = {.remote = places->remote, .terms = &places->terms,
                        .below = &below, .stop = w->stop, .see = see, .arg = &f,
                        .folders = !deep || f.asks, .n_pages = &w->list->n_requests};
    PqRc rc;

    pq_arena_init(&a, w->out->arena->mem);
    below.path = pq_arena_printf(&a, e, "%s%.*s", to->prefix, (int)literal.n,
                                 (const char *)literal.p);
    PQ_GO(below.path ? pq_objects_walk(&how, e) : e->rc);
    PQ_GO(give_up_beyond(&f, (uint64_t)w->list->n_requests + f.n_next, e));
    for (uint32_t i = 0; i < f.n_next; i++) {
        PQ_GO(walk(w, &f.next[i], e));
    }
done:
    pq_arena_free(&a);
    return rc;
}

/* Where a path lies among folders, which are sorted: 0 is in this one. */
static int by_folder(const void *path, const void *folder)
{
    const char *of = *(const char *const *)folder;

    return strncmp(path, of, strlen(of));
}

/* Instead of the files that were listed before, as they are now, those that were.  What was
** not listed then lies in a folder that a test left out. */
static PqRc keep_part(PqPaths *out, const PqListing *part, PqErr *e)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < out->n; i++) {
        if (part->n_skipped && bsearch(out->path[i], part->skipped, part->n_skipped,
                                       sizeof *part->skipped, by_folder)) {
            out->path[n++] = out->path[i];
        }
    }
    out->n = n;
    for (uint32_t i = 0; i < part->n_files; i++) {
        PQ_TRY(pq_paths_add(out, part->files[i].path, strlen(part->files[i].path), e));
    }
    return PQ_OK;
}

PqRc pq_s3_walk(PqListing *l, const PqGlob *g, const PqStop *stop, PqPaths *out, PqErr *e)
{
    Walk w = {.list = l, .glob = g, .stop = stop, .out = out};
    Place start = {.at = pq_glob_start(g), .asks = out->test};
    const char *base = pq_arena_text(out->arena, g->base.p, g->base.n, e);
    PqRc rc;

    PQ_TRY(base ? pq_url_parse(out->arena, base, &w.base, e) : e->rc);
    start.prefix = w.base.path;
    w.n_base = strlen(start.prefix);
    rc = walk(&w, &start, e);
    if (w.gave_up) {
        pq_err_clear(e);
        out->n = out->skipped->n = 0;
        w.gave_up = start.asks = false;
        rc = walk(&w, &start, e);
    }
    if (rc == PQ_OK && out->part) {
        rc = keep_part(out, out->part, e);
    }
    if (l->lake) {                   /* that it is one ended the walk        */
        pq_err_clear(e);
        rc = PQ_OK;
    }
    return rc;
}
