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
    PqArena         arena;
    const char     *begin;           /* "s3://bucket/"                        */
} Walk;

bool pq_s3_is_pattern(const char *path)
{
    size_t n = strlen(path);

    return pq_ascii_same_n(path, "s3://", 5) &&
           (pq_glob_is(path) || path[n - 1] == '/');
}

static PqRc add_key(Walk *w, const char *key, PqErr *e)
{
    const char *path = pq_arena_printf(&w->arena, e, "%s%s", w->begin, key);

    return path ? pq_paths_add(w->out, path, strlen(path), e) : e->rc;
}

/* ---- folders ---------------------------------------------------------------------- */

/* A table of a lake, unless its files are wanted as files. */
static PqRc check_lake(Walk *w, const char *key, const char *mark, PqErr *e)
{
    const char *at = strstr(key, mark);

    if (!at || w->out->lakes || (at > key && at[-1] != '/')) {
        return PQ_OK;
    }
    return pq_lake_refuse(pq_arena_printf(&w->arena, e, "%s%.*s", w->begin,
                                          (int)(at - key), key),
                          *mark == '_' ? "a Delta table" : "an Iceberg table", e);
}

static PqRc take_key(Walk *w, const char *prefix, PqGlobPlaces at, const char *key,
                     PqErr *e)
{
    const char *iceberg = strstr(key, ".metadata.json");

    PQ_TRY(pq_objects_check(prefix, key, e));
    PQ_TRY(check_lake(w, key, "_delta_log/", e));
    PQ_TRY(iceberg ? check_lake(w, key, "metadata/", e) : PQ_OK);
    return pq_glob_leads_to_file(w->glob, at, key + strlen(prefix))
               ? add_key(w, key, e) : PQ_OK;
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

static PqRc take_folder(Walk *w, const char *prefix, PqGlobPlaces at,
                        const char *folder, uint32_t depth, PqErr *e)
{
    size_t n = strlen(prefix), n_folder = strlen(folder);
    const char *name;
    PqGlobStep step;

    PQ_TRY(pq_objects_check(prefix, folder, e));
    if (n_folder <= n + 1) {
        return PQ_OK;
    }
    PQ_TRY(check_lake(w, folder, "_delta_log/", e));
    name = pq_arena_text(&w->arena, folder + n, n_folder - n - 1, e);
    PQ_TRY(name ? PQ_OK : e->rc);
    step = pq_glob_step(w->glob, at, name);
    return step.named | step.deep
               ? walk(w, folder, step.named | step.deep, depth + 1, e) : PQ_OK;
}

static PqRc walk(Walk *w, const char *prefix, PqGlobPlaces at, uint32_t depth,
                 PqErr *e)
{
    bool folders = !is_deep(w->glob, at);
    PqSlice literal = literal_of(w->glob, at);
    const char *asked = pq_arena_printf(&w->arena, e, "%s%.*s", prefix,
                                        (int)literal.n, (const char *)literal.p);
    PqS3Page page = {.next = NULL};

    PQ_TRY(asked ? PQ_OK : e->rc);
    if (depth > PQ_GLOB_DEPTH) {
        return pq_fail(e, PQ_IO, "more than %d folders deep", PQ_GLOB_DEPTH);
    }
    do {
        PQ_TRY(pq_stop_poll(w->stop, e));
        PQ_TRY(pq_objects_page(w->places->remote, &w->places->terms, &w->bucket,
                               asked, folders, page.next, &w->arena, &page, e));
        for (uint32_t i = 0; i < page.n_keys; i++) {
            PQ_TRY(take_key(w, prefix, at, page.keys[i], e));
        }
        for (uint32_t i = 0; i < page.n_prefixes && folders; i++) {
            PQ_TRY(take_folder(w, prefix, at, page.prefixes[i], depth, e));
        }
    } while (page.next);
    return PQ_OK;
}

PqRc pq_s3_walk(const PqPlaces *p, const PqGlob *g, const PqStop *stop,
                PqPaths *out, PqErr *e)
{
    Walk w = {.places = p, .glob = g, .stop = stop, .out = out};
    const char *base, *prefix;
    PqRc rc;

    pq_arena_init(&w.arena, out->arena->mem);
    base = pq_arena_text(&w.arena, g->base.p, g->base.n, e);
    PQ_GO(base ? pq_url_parse(&w.arena, base, &w.bucket, e) : e->rc);
    prefix = w.bucket.path;
    w.bucket.path = "";
    w.begin = pq_arena_printf(&w.arena, e, "s3://%s/", w.bucket.host);
    PQ_GO(w.begin ? PQ_OK : e->rc);
    rc = walk(&w, prefix, pq_glob_start(g), 0, e);
done:
    pq_arena_free(&w.arena);
    return rc;
}
